"""Where the checkers of the made-up pictures stand: positions, and how people lay them on a board.

A position is drawn as counts a slot (:mod:`engine.layout`), then every checker is put down: rows from the
edge inwards, second and third layers, fans of overlapping checkers on a nardy head, pieces on the bar, and
borne-off ones in trays or on the table. Lengths are field widths, as in :mod:`models.training.world`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import asin, cos, hypot, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.layout import Orientation, to_slots
from engine.position import CHECKERS, Game, Position, Side, index_of
from models.training.things import Bounds, Ground

Rng = np.random.Generator
Array = NDArray[np.float32]

BAR_SLOT = 24
OFF_SLOT = 25
SLIVER = 0.04  #: how much two checkers may cut into each other, as a part of the radius
_STEEPEST = 0.8  #: radians; checkers of a fan lean no more than this


class Layout(NamedTuple):
    """What a picture shows: 24 signed slots, light positive, and (light, dark) on the bar and off."""

    slots: tuple[int, ...]
    on_bar: tuple[int, int]
    off: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Checker:
    """A checker put down. ``centre``: the middle of the disc. ``axis``: unit normal of its upper face."""

    side: int  #: 0 light, 1 dark
    slot: int  #: 0-23, or :data:`BAR_SLOT` or :data:`OFF_SLOT`
    layer: int
    centre: tuple[float, float, float]
    radius: float
    thickness: float
    spin: float  #: radians around the axis
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    @property
    def face(self) -> tuple[float, float, float]:
        """The middle of the upper face."""
        x, y, z = (c + a * self.thickness / 2 for c, a in zip(self.centre, self.axis, strict=True))
        return x, y, z

    @property
    def turn(self) -> Array:
        """The disc's own axes in the world, as rows (3, 3)."""
        normal = np.array(self.axis)
        across = np.cross(normal, (0.0, 1.0, 0.0) if abs(self.axis[1]) < 0.9 else (0.0, 0.0, -1.0))
        across /= np.linalg.norm(across)
        along = np.cross(normal, across)
        x = cos(self.spin) * across + sin(self.spin) * along
        return np.stack([x, np.cross(normal, x), normal]).astype(np.float32)


def random_position(rng: Rng) -> Layout:
    """A position as may be met on a board: set up, from play, thinned out, borne off, wild or none at all."""
    orientation = list(Orientation)[rng.integers(4)]
    kind = rng.choice(len(_KINDS), p=_WEIGHTS)
    points, bar, off = _KINDS[kind](rng)
    slots = to_slots(Position(tuple(points)), orientation, white_is_light=bool(rng.random() < 0.5))
    if rng.random() < 0.5:  # the colours change sides
        slots = tuple(-n for n in slots)
        bar, off = bar[::-1], off[::-1]
    if rng.random() < 0.16:
        slots, bar = _hit(rng, slots, bar)
    if rng.random() < 0.3:  # borne-off checkers were put away
        off = [0, 0]
    whole = Layout(slots, (bar[0], bar[1]), (off[0], off[1]))
    return _agreed(whole)


def _hit(rng: Rng, slots: tuple[int, ...], bar: list[int]) -> tuple[tuple[int, ...], list[int]]:
    """One to three checkers taken from points and put on the bar."""
    counts, bar = list(slots), list(bar)
    for _ in range(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1])):
        taken = [slot for slot, count in enumerate(counts) if count]
        if taken:
            slot = int(rng.choice(taken))
            bar[0 if counts[slot] > 0 else 1] += 1
            counts[slot] -= 1 if counts[slot] > 0 else -1
    return tuple(counts), bar


def _agreed(layout: Layout) -> Layout:
    """``layout`` with at most fifteen a side: bar and off are cut down where signs were changed above."""
    bar, off = list(layout.on_bar), list(layout.off)
    for side, sign in enumerate((1, -1)):
        on_points = sum(n * sign for n in layout.slots if n * sign > 0)
        bar[side] = min(bar[side], CHECKERS - on_points)
        off[side] = min(off[side], CHECKERS - on_points - bar[side])
    return Layout(layout.slots, (bar[0], bar[1]), (off[0], off[1]))


Counts = tuple[list[int], list[int], list[int]]  #: 24 points as in ``Position.points``, bar, off


def _start(game: Game) -> Counts:
    return list(Position.start(game).points), [0, 0], [0, 0]


def _empty(rng: Rng) -> Counts:
    return [0] * 24, [0, 0], [0, 0]


def _few(rng: Rng) -> Counts:
    """One to eight checkers, as at the end of a game or on a board that is being set up."""
    points, bar, off = _empty(rng)
    for _ in range(rng.integers(1, 9)):
        sign = 1 if rng.random() < 0.5 else -1
        at = int(rng.integers(24))
        if points[at] * sign >= 0:
            points[at] += sign
    if rng.random() < 0.15:
        bar[rng.integers(2)] += 1
    if rng.random() < 0.5:
        for side, sign in enumerate((1, -1)):
            off[side] = CHECKERS - sum(n * sign for n in points if n * sign > 0) - bar[side]
    return points, bar, off


def _wild(rng: Rng) -> Counts:
    """Any number of checkers on any points, stacks of any height."""
    points, bar, off = _empty(rng)
    free = [int(n) for n in rng.permutation(24)]
    for side, sign in enumerate((1, -1)):
        left = CHECKERS
        if rng.random() < 0.3:
            bar[side] = int(rng.integers(1, 5))
        if rng.random() < 0.4:
            off[side] = int(rng.integers(1, 12))
        left -= bar[side] + off[side]
        mine = free[side::2][: rng.integers(2, 13)]
        share = rng.dirichlet(np.full(len(mine), rng.choice([0.4, 1.0, 4.0])))
        for at, n in zip(mine, rng.multinomial(left, share), strict=True):
            points[at] = sign * int(n)
    return points, bar, off


def _bearing_off(rng: Rng) -> Counts:
    """Both sides in or near their homes, some checkers off."""
    points, bar, off = _empty(rng)
    game = Game.BACKGAMMON if rng.random() < 0.6 else Game.LONG_NARDY
    reach = int(rng.integers(4, 9))
    for side in Side:
        off[side.index] = int(rng.integers(0, CHECKERS + 1))
        share = rng.dirichlet(np.full(reach, 1.5))
        for own, n in enumerate(rng.multinomial(CHECKERS - off[side.index], share), 1):
            points[index_of(game, side, own)] += side.sign * int(n)
    return points, bar, off


def _played(rng: Rng, game: Game) -> Counts:
    """A position after some random turns, with a liking for points made and blots hit."""
    points, bar, off = _start(game)
    last = int(rng.integers(1, 75 if game is Game.BACKGAMMON else 60))
    for turn in range(last):
        side = Side.WHITE if turn % 2 == 0 else Side.BLACK
        first, second = (int(n) for n in rng.integers(1, 7, 2))
        head_left = 1 if turn > 1 else 2
        for die in (first, second) if first != second else (first,) * 4:
            head_left = _move(rng, game, side, die, points, bar, off, head_left)
        if off[side.index] == CHECKERS:
            break
    return points, bar, off


_WAYS = {(game, side): [index_of(game, side, own) for own in range(1, 25)] for game in Game for side in Side}


def _move(
    rng: Rng, game: Game, side: Side, die: int, points: list[int], bar: list[int], off: list[int], head: int
) -> int:
    """Move one checker by ``die`` if any can, by loose rules; gives how many may still leave a nardy head."""
    way, sign, hits = _WAYS[game, side], side.sign, game is Game.BACKGAMMON
    own = [points[at] * sign for at in way]  # by the mover's own points 1 to 24
    if bar[side.index]:
        sources = [24]
    else:
        sources = [p for p in range(24) if own[p] > 0]
        if not hits and head <= 0:
            sources = [p for p in sources if p != 23]
    home = not bar[side.index] and all(p < 6 for p in sources) and own[23] <= 0
    options: list[int] = []
    weights: list[float] = []
    for source in sources:
        to = source - die
        if to < 0:
            if not home or (to < -1 and source != sources[-1]):
                continue
            weight = 3.0
        elif own[to] < (-1 if hits else 0):
            continue
        else:
            weight = (3.0 if own[to] == -1 else 2.5 if own[to] >= 1 else 1.0) * (
                0.5 if own[source % 24] == 2 else 1
            )
        options.append(source)
        weights.append(weight)
    if not options:
        return head
    mark = rng.random() * sum(weights)
    source = options[-1]
    for option, weight in zip(options, weights, strict=True):
        mark -= weight
        if mark <= 0:
            source = option
            break
    if source == 24:
        bar[side.index] -= 1
    else:
        points[way[source]] -= sign
    to = source - die
    if to < 0:
        off[side.index] += 1
    else:
        if points[way[to]] * sign < 0:
            points[way[to]] = 0
            bar[1 - side.index] += 1
        points[way[to]] += sign
    return head - (source == 23)


_KINDS = (
    lambda rng: _start(Game.BACKGAMMON),
    lambda rng: _start(Game.LONG_NARDY),
    lambda rng: _played(rng, Game.BACKGAMMON),
    lambda rng: _played(rng, Game.LONG_NARDY),
    _wild,
    _bearing_off,
    _few,
    _empty,
)
_WEIGHTS = (0.12, 0.05, 0.37, 0.16, 0.10, 0.08, 0.08, 0.04)


@dataclass(frozen=True, slots=True)
class Habit:
    """How neatly the checkers of one picture lie, in radii unless told otherwise."""

    aside: float  #: furthest off the middle of the point
    away: float  #: furthest off the edge of the field
    gap: float  #: largest gap to the next checker in the row
    row: int  #: most checkers in a row before a second layer
    staggered: bool  #: checkers of a second layer lie between two of the first
    fan: bool  #: long rows overlap like shingles


def random_habit(rng: Rng) -> Habit:
    """How some player puts checkers down."""
    return Habit(
        aside=float(rng.choice([0.04, 0.1, 0.16, 0.25])),
        away=float(rng.choice([0.02, 0.1, 0.4], p=[0.4, 0.4, 0.2])),
        gap=float(rng.choice([0.01, 0.06, 0.2, 0.5], p=[0.35, 0.35, 0.2, 0.1])),
        row=int(rng.choice([4, 5, 6, 7, 9], p=[0.06, 0.5, 0.2, 0.14, 0.1])),
        staggered=bool(rng.random() < 0.45),
        fan=bool(rng.random() < 0.35),
    )


def place_checkers(
    rng: Rng, layout: Layout, ground: Ground, radius: float, thickness: float, habit: Habit | None = None
) -> tuple[Checker, ...]:
    """Put every checker of ``layout`` down on the board that ``ground`` describes.

    ``radius`` and ``thickness`` in field widths. Flat checkers do not cut into each other by more than
    :data:`SLIVER`, unless the board has no room left for them.
    """
    hand = _Hand(rng, ground, radius, thickness, habit or random_habit(rng), layout.slots)
    order = sorted(range(24), key=lambda slot: -abs(layout.slots[slot]))
    for slot in order:
        hand.column(slot, layout.slots[slot], layout.slots[(slot + 12) % 24])
    for side, count in enumerate(layout.on_bar):
        hand.on_bar(side, count)
    hand.off(layout.off)
    return tuple(hand.placed)


class _Hand:
    """Puts checkers down one by one; ``placed`` grows."""

    def __init__(
        self,
        rng: Rng,
        ground: Ground,
        radius: float,
        thickness: float,
        habit: Habit,
        slots: Sequence[int],
    ) -> None:
        self.rng, self.ground, self.habit = rng, ground, habit
        self.radius, self.thickness = radius, thickness
        self.placed: list[Checker] = []
        pitch = (1 - (ground.bar[1] - ground.bar[0])) / 12
        self.spare = max(0.0, pitch / 2 - radius)  #: how far two neighbours can both leave their middles
        self.slots = slots

    def column(self, slot: int, signed: int, opposite: int) -> None:
        """The checkers of one point. ``opposite``: the signed count of the point across the field."""
        count, side = abs(signed), 0 if signed > 0 else 1
        if not count:
            return
        rng, r, t, habit = self.rng, self.radius, self.thickness, self.habit
        height = self.ground.field_height
        row, theirs = min(count, habit.row), min(abs(opposite), habit.row)
        while row + theirs > max(2, int(height / (2.02 * r))):
            if row > theirs or (row == theirs and slot < 12):
                row -= 1
            else:
                theirs -= 1
        if habit.fan and count > row:
            room = min(0.5 * height, height - 2.02 * r * theirs) - 2 * r
            step = min(room / (count - 1), 1.6 * r)
            if step > t and asin(t / step) < _STEEPEST:
                self._fan(slot, side, count, step)
                return
        slack = max(0.0, height - 2.02 * r * (row + theirs)) * row / (row + theirs)
        edge = r + min(float(rng.uniform(0, habit.away)) * r, slack / 3)
        gap = min(habit.gap * r, slack / 3 / max(1, row - 1))
        drift = float(rng.normal(0, 0.03))  # rows are not quite straight
        at: list[float] = []
        depth = edge
        for index in range(row):
            aside = float(rng.uniform(-habit.aside, habit.aside)) * r + drift * index * r
            depth = self._lay(side, slot, 0, aside, depth, t / 2)
            at.append(depth)
            depth += 2.005 * r + float(rng.uniform(0, gap))
        left, layer = count - row, 1
        while left > 0:
            spots = [(a + b) / 2 for a, b in pairwise(at)] if habit.staggered and len(at) > 1 else list(at)
            spots = spots[: max(1, left)]
            landed: list[float] = []
            for spot in spots[:left]:
                aside = float(rng.uniform(-habit.aside, habit.aside)) * r
                nudge = float(rng.uniform(-0.12, 0.12)) * r
                least = landed[-1] + 2.0 * r if landed else r
                landed.append(
                    self._lay(side, slot, layer, aside, max(spot + nudge, least), (layer + 0.5) * t)
                )
            left -= len(landed)
            at, layer = landed, layer + 1

    def _lay(self, side: int, slot: int, layer: int, aside: float, depth: float, z: float) -> float:
        """One flat checker on a point, ``depth`` from the edge, moved until it is free. Gives its depth."""
        r = self.radius
        tries = (
            (aside, 0.0),
            (aside / 2, 0.0),
            (0.0, 0.0),
            (-aside, 0.0),
            (0.0, 0.1),
            (-aside, 0.15),
            (0.0, 0.25),
        )
        best, least = (0.0, 0.0), np.inf
        for sideways, further in tries:
            x, y = self._spot(slot, sideways, depth + further * r)
            cut = self._cut(x, y, z)
            if cut < least - 1e-9:
                best, least = (sideways, further), cut
            if cut <= SLIVER * r / 2:
                break
        x, y = self._spot(slot, best[0], depth + best[1] * r)
        self._put(side, slot, layer, (x, y, z))
        return depth + best[1] * r

    def _spot(self, slot: int, aside: float, depth: float) -> tuple[float, float]:
        """Where a checker of a point lies: kept between the walls of its half."""
        ground, r = self.ground, self.radius
        left, right = ground.bar
        column = slot % 12
        low, high = (0.0, left) if column < 6 else (right, 1.0)
        least = self._leeway(slot, column, -1)
        most = self._leeway(slot, column, 1)
        x = low + (column % 6 + 0.5) * (high - low) / 6 + min(max(aside, -least), most)
        if ground.bar_top > 0 or column not in (5, 6):
            x = min(max(x, low + r), high - r)
        else:
            x = min(max(x, r), 1 - r)
        return x, depth if slot < 12 else ground.field_height - depth

    def _leeway(self, slot: int, column: int, step: int) -> float:
        """How far a checker may leave the middle of its point towards the next one."""
        if not 0 <= column + step < 12:
            return np.inf
        across = abs(self.slots[slot]) + abs(self.slots[(slot + step + 12) % 24])
        if not self.slots[slot + step] and across < 8:  # long rows meet in the middle of the field
            return np.inf
        over_bar = (column, column + step) in ((5, 6), (6, 5))
        return self.spare + ((self.ground.bar[1] - self.ground.bar[0]) / 2 if over_bar else 0)

    def _fan(self, slot: int, side: int, count: int, step: float) -> None:
        """Overlapping checkers, each leaning on the one nearer to the edge."""
        rng, r, t = self.rng, self.radius, self.thickness
        lean = asin(min(1.0, t / step))
        inward = 1.0 if slot < 12 else -1.0
        aside = float(rng.uniform(-0.05, 0.05)) * r
        first = r * cos(lean) + t / 2 * sin(lean) + 0.02 * r
        z = r * sin(lean) + t / 2 * cos(lean)
        for index in range(count):
            x, y = self._spot(slot, aside + float(rng.normal(0, 0.03)) * r, first + index * step)
            axis = (0.0, inward * sin(lean), cos(lean))
            self._put(side, slot, 0 if index == 0 else 1, (x, y, z), axis)

    def on_bar(self, side: int, count: int) -> None:
        """Checkers on the bar: near its middle or in the side's half, side by side or stacked."""
        rng, ground, r, t = self.rng, self.ground, self.radius, self.thickness
        height, middle = ground.field_height, sum(ground.bar) / 2
        base = float(rng.choice([0.5, 0.35, 0.65, 0.25, 0.75]))
        stacked = rng.random() < 0.2
        for index in range(count):
            if stacked and index:
                below = self.placed[-1]
                x, y = (below.centre[k] + float(rng.normal(0, 0.04)) * r for k in (0, 1))
                self._put(side, BAR_SLOT, index, (x, y, below.centre[2] + t))
                continue
            # Where the bar is full, or too narrow between two long rows, it lies on others.
            best, level, least = (middle, height / 2), 0, np.inf
            for trial in range(72):
                spread = (0.06 + 0.02 * (trial % 24)) * height
                y = min(max(base * height + float(rng.normal(0, spread)), r), height - r)
                x = middle + float(rng.uniform(-0.15, 0.15)) * r
                cut = self._cut(x, y, ground.bar_top + (trial // 24 + 0.5) * t)
                if cut < least:
                    best, level, least = (x, y), trial // 24, cut
                if cut <= 0:
                    break
            self._put(side, BAR_SLOT, level, (*best, ground.bar_top + (level + 0.5) * t))

    def off(self, counts: tuple[int, int]) -> None:
        """Borne-off checkers: in the trays, flat or on edge, or beside the board on the table."""
        rng, ground, r = self.rng, self.ground, self.radius
        wide = [(bounds, floor) for bounds, floor in ground.trays if bounds[2] - bounds[0] >= 2.05 * r]
        in_trays = bool(wide) and rng.random() < 0.75
        first = int(rng.integers(2))
        right = bool(rng.random() < 0.6)
        for side, count in enumerate(counts):
            if not count:
                continue
            far = (side + first) % 2 == 0
            if in_trays:
                bounds, floor = wide[(len(wide) - 1 - side if far else side) % len(wide)]
                count -= self._in_tray(side, count, bounds, floor, far)
            self._on_table(side, count, right, far)

    def _in_tray(self, side: int, count: int, bounds: Bounds, floor: float, far: bool) -> int:
        """Lay up to ``count`` in one tray from its far or near end; gives how many found room."""
        rng, r, t = self.rng, self.radius, self.thickness
        x0, y0, x1, y1 = bounds
        middle = (x0 + x1) / 2
        spare = (x1 - x0) / 2 - r
        on_edge = rng.random() < 0.55
        step = t * 1.01 if on_edge else 2.01 * r
        half = t / 2 if on_edge else r
        fits = max(0, int((y1 - y0 - 2 * half) / step) + 1)
        laid = layer = 0
        start = float(rng.uniform(0, 0.5)) * r
        while laid < count and layer < (1 if on_edge else 4):
            for index in range(fits):
                depth = half + start + index * step
                if laid == count or depth > y1 - y0 - half:
                    break
                y = y0 + depth if far else y1 - depth
                x = middle + float(rng.uniform(-1, 1)) * min(spare, 0.15 * r)
                z = floor + (r if on_edge else (layer + 0.5) * t)
                if self._cut(x, y, z, tall=r if on_edge else t / 2) > SLIVER * r:
                    continue
                self._put(
                    side, OFF_SLOT, layer, (x, y, z), (0.0, 1.0 if far else -1.0, 0.0) if on_edge else None
                )
                laid += 1
            layer += 1
        return laid

    def _on_table(self, side: int, count: int, right: bool, far: bool) -> None:
        """A cluster or stacks beside the case."""
        rng, ground, r, t = self.rng, self.ground, self.radius, self.thickness
        x0, y0, x1, y1 = ground.outside
        tall = int(rng.choice([1, 2, 5], p=[0.6, 0.2, 0.2]))
        columns = int(rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2]))
        outwards = 1 if right else -1
        begin = (x1 if right else x0) + outwards * r * float(rng.uniform(1.15, 3))
        top = y0 + r * float(rng.uniform(1, 4)) if far else y1 - r * float(rng.uniform(1, 4))
        down = 1 if far else -1
        jitter = float(rng.choice([0.02, 0.2]))
        step = 2 * r * (1.02 + jitter) + (0.2 * r if tall > 1 else 0)
        at = 0
        while count > 0:
            column, row = at % columns, at // columns
            x = begin + outwards * column * step + float(rng.uniform(-1, 1)) * jitter * r
            y = top + down * row * step + float(rng.uniform(-1, 1)) * jitter * r
            at += 1
            if self._cut(x, y, ground.table + t / 2) > 0:
                continue
            for layer in range(min(tall, count)):
                lean = float(rng.uniform(-0.07, 0.07)) * r if layer else 0.0
                self._put(side, OFF_SLOT, layer, (x + lean, y + lean, ground.table + (layer + 0.5) * t))
            count -= min(tall, count)

    def _cut(self, x: float, y: float, z: float, tall: float | None = None) -> float:
        """How deep a flat checker at a place would cut into those that lie there, 0 if it is free."""
        r, reach = self.radius, self.thickness / 2 if tall is None else tall
        deepest = 0.0
        for other in self.placed:
            ox, oy, oz = other.centre
            if abs(x - ox) >= 2 * r or abs(y - oy) >= 2 * r:
                continue
            theirs = other.thickness / 2 if other.axis[2] > 0.999 else r
            if abs(z - oz) < 0.98 * (reach + theirs):
                deepest = max(deepest, 2 * r - hypot(x - ox, y - oy))
        return deepest

    def _put(
        self,
        side: int,
        slot: int,
        layer: int,
        centre: tuple[float, float, float],
        axis: tuple[float, float, float] | None = None,
    ) -> None:
        spin = float(self.rng.uniform(0, 2 * pi))
        x, y, z = (float(v) for v in centre)
        piece = Checker(side, slot, layer, (x, y, z), self.radius, self.thickness, spin)
        self.placed.append(piece if axis is None else replace(piece, axis=axis))


def overlap(a: Checker, b: Checker) -> float:
    """How deep two flat checkers cut into each other, in radii; 0 if they do not, or if one of them leans."""
    if min(a.axis[2], b.axis[2]) < 0.999 or abs(a.centre[2] - b.centre[2]) > 0.98 * a.thickness:
        return 0.0
    return max(0.0, 2 - hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1]) / a.radius)


def worst_overlap(checkers: Sequence[Checker]) -> float:
    """The deepest :func:`overlap` of any two."""
    return max((overlap(a, b) for i, a in enumerate(checkers) for b in checkers[:i]), default=0.0)
