"""What lies and reaches about a board in the made-up pictures: dice, doubling cubes, cups, hands, clutter.

Lengths are field widths in the world of :mod:`models.training.world`. Where things may rest is told by a
:class:`Ground`, a plain description of the board; ``others`` are bodies that lie there already and keep their
room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.training import textures
from models.training.materials import (
    CUBE_FACES,
    die_faces,
    random_cube_style,
    random_die_style,
    random_skin,
)
from models.training.world import (
    Body,
    Colour,
    CubeTruth,
    DieState,
    DieTruth,
    Image,
    Look,
    Material,
    Shape,
)

Rng = np.random.Generator
Vector = NDArray[np.float64]
Bounds = tuple[float, float, float, float]  #: x0, y0, x1, y1
Circle = tuple[float, float, float]  #: x, y, radius
Half = Literal["left", "right", "off"]

_TRIES = 40
_UNREADABLE = 0.08  #: two faces whose normals rise this alike are equally high to the eye


@dataclass(frozen=True, slots=True)
class Placed:
    """A checker that lies flat: the middle of its upper face and its radius."""

    x: float
    y: float
    top: float
    radius: float


@dataclass(frozen=True, slots=True)
class Ground:
    """Where things can rest. The field's floor is z = 0.

    ``inside``: the floor between the inner walls of the frame (at least the field). ``outside``: the case
    from above. ``bar``: left and right edge, equal where there is none. ``trays``: bounds and height of their
    floors.
    """

    field_height: float
    bar: tuple[float, float]
    bar_top: float  #: height of the bar, 0 where it is only painted
    inside: Bounds
    outside: Bounds
    rim_width: float
    rim_top: float  #: height of the frame, 0 where there is none
    table: float  #: height of the table's plane, at most 0
    checkers: tuple[Placed, ...] = ()
    trays: tuple[tuple[Bounds, float], ...] = ()


def floor_height(ground: Ground, x: ArrayLike, y: ArrayLike, checkers: bool = True) -> Vector:
    """How high the table, the case or, if wanted, the checkers reach at places: array of the shape of x."""
    px, py = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    height = np.full(px.shape, ground.table)
    height[_within(ground.outside, px, py)] = ground.rim_top
    for bounds, floor in ground.trays:
        height[_within(bounds, px, py)] = floor
    inside = _within(ground.inside, px, py)
    height[inside] = 0.0
    height[inside & (px > ground.bar[0]) & (px < ground.bar[1])] = ground.bar_top
    if checkers:
        for checker in ground.checkers:
            on = (px - checker.x) ** 2 + (py - checker.y) ** 2 < checker.radius**2
            height[on] = np.maximum(height[on], checker.top)
    return height


# ---------------------------------------------------------------------------------------------- dice


def random_dice(
    rng: Rng, ground: Ground, owner: int, count: int | None = None, others: Sequence[Body] = ()
) -> tuple[tuple[Body, ...], tuple[DieTruth, ...]]:
    """0-4 dice (mostly two), numbered from ``owner``; ``count`` fixes how many are tried.

    A die for which no room is found is left out, so there may be fewer.
    """
    if count is None:
        count = int(rng.choice(5, p=(0.14, 0.1, 0.6, 0.05, 0.11)))
    edge = float(rng.uniform(0.026, 0.046))
    rounding = edge * float(rng.uniform(0.04, 0.16))
    styles = [random_die_style(rng)]
    styles.append(styles[0] if count < 3 and rng.random() < 0.75 else random_die_style(rng))
    bodies: list[Body] = []
    truths: list[DieTruth] = []
    throw = _Throw(ground, edge, rounding, tuple(_circles(others)), [])
    for number in range(count):
        spot = _PLACERS[str(rng.choice(_STATES, p=_STATE_ODDS))](rng, throw) or _lay_flat(rng, throw)
        if spot is None:
            continue
        turn, centre = spot
        make, style = styles[number >= (count + 1) // 2]
        who = owner + len(truths)
        bodies.append(_body(Shape.BOX, (edge / 2,) * 3 + (rounding,), centre, turn, make(rng), "die", who))
        truths.append(_die_truth(ground, who, turn, centre, edge, bool(style["mirrored"])))
        throw.before.append(spot)
    return tuple(bodies), tuple(truths)


def _die_truth(
    ground: Ground, owner: int, turn: Vector, centre: Vector, edge: float, mirrored: bool
) -> DieTruth:
    normals = {value: np.array(face) @ turn for value, face in die_faces(mirrored).items()}
    first, second = sorted(normals, key=lambda v: -normals[v][2])[:2]
    up = normals[first]
    value = first if up[2] - normals[second][2] > _UNREADABLE else 0
    tilted = float(up[2]) < np.cos(np.radians(4.0))
    x, y, z = (float(v) for v in centre)
    on_floor = bool(_within(ground.inside, x, y))
    on_bar = ground.bar_top > 0 and ground.bar[0] < x < ground.bar[1]
    state: DieState
    if not bool(_within(ground.outside, x, y)) and not on_floor:
        state = "off_board"
    elif tilted:
        state = "cocked"
    elif not on_floor or on_bar:
        state = "on_frame"
    else:
        state = "flat" if z < edge / 2 + 0.002 else "on_checker"
    half: Half = _half(ground, x) if on_floor and not ground.bar[0] < x < ground.bar[1] else "off"
    return DieTruth(owner, value, state, half, (x, y, z), edge, (float(up[0]), float(up[1]), float(up[2])))


def _half(ground: Ground, x: float) -> Half:
    return "left" if x < (ground.bar[0] + ground.bar[1]) / 2 else "right"


Spot = tuple[Vector, Vector]  #: turn and centre


@dataclass(frozen=True, slots=True)
class _Throw:
    """Dice of one size, and where some of them lie already."""

    ground: Ground
    edge: float
    rounding: float
    taken: tuple[Circle, ...]
    before: list[Spot]

    def fits(self, turn: Vector, centre: Vector) -> bool:
        """Whether a die would be in nothing else."""
        if not _is_free(float(centre[0]), float(centre[1]), 0.75 * self.edge, self.taken):
            return False
        points = _skin_points(turn, self.edge, self.rounding) + centre
        floor = floor_height(self.ground, points[:, 0], points[:, 1])
        return not bool((points[:, 2] < floor - 1e-3).any()) and self.apart(turn, centre)

    def apart(self, turn: Vector, centre: Vector) -> bool:
        """Whether a die would be clear of the other dice."""
        for other_turn, other in self.before:
            if np.linalg.norm(centre - other) > 1.74 * self.edge:
                continue
            mine = _skin_points(turn, self.edge, self.rounding) + (centre - other)
            theirs = _skin_points(other_turn, self.edge, self.rounding) + (other - centre)
            if _box_distance(mine @ other_turn.T, self.edge, self.rounding).min() < 0:
                return False
            if _box_distance(theirs @ turn.T, self.edge, self.rounding).min() < 0:
                return False
        return True


Placer = Callable[[Rng, _Throw], "Spot | None"]


def _lay_flat(rng: Rng, throw: _Throw) -> Spot | None:
    """Flat on the field: anywhere, beside the last one, against a checker or against the frame."""
    ground, edge = throw.ground, throw.edge
    x0, y0, x1, y1 = ground.inside
    beside_last = bool(throw.before) and rng.random() < 0.55
    touching = rng.random() < 0.2
    for _ in range(_TRIES):
        yaw = float(rng.uniform(0, 2 * np.pi))
        way = rng.random()
        if beside_last:
            last_turn, last = throw.before[-1]
            if touching:
                axis = int(np.argmin(np.abs(last_turn[:, 2])))
                yaw = float(np.arctan2(last_turn[axis, 1], last_turn[axis, 0]) + rng.integers(4) * np.pi / 2)
            far = edge * (1.002 if touching else float(rng.uniform(1.0, 6.0)))
            slip = edge * float(rng.uniform(-0.6, 0.6)) if touching else 0.0
            x = float(last[0] + far * np.cos(yaw) - slip * np.sin(yaw))
            y = float(last[1] + far * np.sin(yaw) + slip * np.cos(yaw))
            if not touching:
                yaw = float(rng.uniform(0, 2 * np.pi))
        elif way < 0.15 and ground.checkers:
            checker = ground.checkers[rng.integers(len(ground.checkers))]
            reach = checker.radius + edge / 2 + 1e-4
            x, y = checker.x + reach * np.cos(yaw), checker.y + reach * np.sin(yaw)
        elif way < 0.22:
            yaw = 0.0
            gap = edge / 2 + 1e-4
            x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
            side = int(rng.integers(4))
            x = (x0 + gap, x1 - gap, x, x)[side]
            y = (y, y, y0 + gap, y1 - gap)[side]
        else:
            middle = 0.5 + rng.normal(0, 0.17)  # throws end up about the middle more often than at the ends
            x = float(rng.uniform(x0, x1))
            y = y0 + (y1 - y0) * float(middle if rng.random() < 0.6 else rng.random())
        spot = _turned(rng, _yaw(yaw)), np.array((x, y, edge / 2))
        if _square_level(ground, x, y, edge, yaw) == 0.0 and throw.fits(*spot):
            return spot
    return None


def _lay_on_checker(rng: Rng, throw: _Throw) -> Spot | None:
    """On one checker with its weight over it, or across two of the same height."""
    ground, edge = throw.ground, throw.edge
    for _ in range(_TRIES if ground.checkers else 0):
        checker = ground.checkers[rng.integers(len(ground.checkers))]
        others = [c for c in ground.checkers if c is not checker]
        level = [
            c
            for c in others
            if abs(c.top - checker.top) < 1e-4
            and np.hypot(c.x - checker.x, c.y - checker.y) < c.radius + checker.radius + 0.35 * edge
        ]
        if level and rng.random() < 0.35:
            other = level[rng.integers(len(level))]
            x, y = (checker.x + other.x) / 2, (checker.y + other.y) / 2
        else:
            off, angle = checker.radius * 0.7 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
            x, y = checker.x + off * np.cos(angle), checker.y + off * np.sin(angle)
        yaw = float(rng.uniform(0, 2 * np.pi))
        spot = _turned(rng, _yaw(yaw)), np.array((x, y, checker.top + edge / 2))
        if throw.fits(*spot):
            return spot
    return None


def _lay_on_frame(rng: Rng, throw: _Throw) -> Spot | None:
    """On the frame, on the bar or in a tray."""
    ground, edge = throw.ground, throw.edge
    x0, y0, x1, y1 = ground.outside
    for _ in range(_TRIES):
        if ground.bar[1] - ground.bar[0] > 0.8 * edge and ground.bar_top > 0 and rng.random() < 0.4:
            x, y = float(rng.uniform(*ground.bar)), float(rng.uniform(0, ground.field_height))
        elif ground.trays and rng.random() < 0.4:
            (tx0, ty0, tx1, ty1), _ = ground.trays[rng.integers(len(ground.trays))]
            x, y = float(rng.uniform(tx0, tx1)), float(rng.uniform(ty0, ty1))
        else:
            x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
            if rng.random() < 0.5:
                y = float(rng.choice((y0, y1))) + float(rng.normal(0, 0.02))
            else:
                x = float(rng.choice((x0, x1))) + float(rng.normal(0, 0.02))
        in_case = bool(_within(ground.outside, x, y))
        on_floor = float(floor_height(ground, x, y)) == 0.0
        yaw = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.5 else 0.0
        level = _square_level(ground, x, y, 0.7 * edge, yaw)
        if not in_case or on_floor or level is None:
            continue
        spot = _turned(rng, _yaw(yaw)), np.array((x, y, level + edge / 2))
        if throw.fits(*spot):
            return spot
    return None


def _lay_on_table(rng: Rng, throw: _Throw) -> Spot | None:
    for _ in range(_TRIES):
        x, y = _beside(rng, throw.ground, 0.71 * throw.edge)
        turn = _turned(rng, _yaw(float(rng.uniform(0, 2 * np.pi))))
        spot = turn, np.array((x, y, throw.ground.table + throw.edge / 2))
        if throw.fits(*spot):
            return spot
    return None


def _lean(rng: Rng, throw: _Throw) -> Spot | None:
    """With its lowest edge or corner on the field and leaning on the frame, the bar, a checker or a die.

    The die is turned first and let down to the floor, then slid towards the support until they touch.
    """
    ground, edge, rounding = throw.ground, throw.edge, throw.rounding
    for _ in range(_TRIES):
        support = _support(rng, throw)
        if support is None:
            return None
        touch, away, rim = support
        side = np.array((-away[1], away[0], 0.0))
        tilt = float(np.radians(rng.uniform(9.0, 45.0)))
        up = np.sin(tilt) * away + np.array((0.0, 0.0, np.cos(tilt)))
        pose = np.stack((side, np.cross(up, side), up))
        if rng.random() < 0.4:
            pose = pose @ _yaw(float(rng.normal(0, np.radians(14.0))))
        turn = _turned(rng, pose)
        surface = _skin_points(turn, edge, rounding)
        base = touch[:2]
        start = np.array((*base, -float(surface[:, 2].min())))

        def overlaps(
            distance: float,
            turn: Vector = turn,
            start: Vector = start,
            away: Vector = away,
            surface: Vector = surface,
            rim: Vector = rim,
        ) -> bool:
            centre = start + distance * away
            if float(_box_distance((rim - centre) @ turn.T, edge, rounding).min()) < 0:
                return True
            points = surface + centre
            floor = floor_height(ground, points[:, 0], points[:, 1])
            return bool((points[:, 2] < floor - 1e-3).any()) or not throw.apart(turn, centre)

        low, high = -0.3 * edge, 1.3 * edge
        if overlaps(high) or not overlaps(low):
            continue
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (middle, high) if overlaps(middle) else (low, middle)
        centre = start + high * away
        distances = _box_distance((rim - centre) @ turn.T, edge, rounding)
        contact = float((rim[int(np.argmin(distances))] - centre) @ away)
        foot = float((surface[int(np.argmin(surface[:, 2]))]) @ away)
        balanced = contact < -0.02 * edge and foot > 0.0
        on_field = float(floor_height(ground, centre[0], centre[1], checkers=False)) == 0.0
        on_field = on_field and bool(_within(ground.inside, centre[0], centre[1]))
        if balanced and on_field and throw.fits(turn, centre):
            return turn, centre
    return None


def _support(rng: Rng, throw: _Throw) -> tuple[Vector, Vector, Vector] | None:
    """Something to lean on: a place at its foot, the unit vector away from it, points of its upper edge."""
    ground = throw.ground
    ways = []
    x0, y0, x1, y1 = ground.inside
    if ground.rim_top > 0.008:
        ways.append("frame")
    if ground.bar_top > 0.008 and ground.bar[1] > ground.bar[0]:
        ways.append("bar")
    lowest = [c for c in ground.checkers if c.top > 0.004]
    if lowest:
        ways += ["checker"] * 2
    flat = [(turn, at) for turn, at in throw.before if abs(at[2] - throw.edge / 2) < 1e-4]
    if flat:
        ways.append("die")
    if not ways:
        return None
    way = ways[rng.integers(len(ways))]
    along = np.linspace(-0.06, 0.06, 61)[:, None]
    if way == "checker":
        checker = lowest[rng.integers(len(lowest))]
        angle = float(rng.uniform(0, 2 * np.pi))
        away = np.array((np.cos(angle), np.sin(angle), 0.0))
        middle = np.array((checker.x, checker.y, 0.0))
        turns = angle + np.linspace(-1.2, 1.2, 97)
        ring = np.stack((np.cos(turns), np.sin(turns)), axis=1) * checker.radius + middle[:2]
        return (
            middle + away * checker.radius,
            away,
            np.column_stack((ring, np.full(len(ring), checker.top))),
        )
    if way == "die":
        turn, at = flat[rng.integers(len(flat))]
        level = [axis for axis in range(3) if abs(turn[axis, 2]) < 0.1]
        away = turn[level[rng.integers(2)]] * float(rng.choice((-1.0, 1.0)))
        touch, top = at + away * throw.edge / 2, throw.edge
        along = along * (throw.edge / 0.12)
    elif way == "bar":
        sign = float(rng.choice((-1.0, 1.0)))
        touch = np.array((ground.bar[0 if sign < 0 else 1], rng.uniform(y0, y1), 0.0))
        away, top = np.array((sign, 0.0, 0.0)), ground.bar_top
    else:
        top = ground.rim_top
        side = int(rng.integers(4))
        x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
        touch = np.array(((x0, y), (x1, y), (x, y0), (x, y1))[side] + (0.0,))
        away = np.array(((1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0))[side])
    line = touch + along * np.array((-away[1], away[0], 0.0))
    line[:, 2] = top
    return touch, away, line


_STATES = ("flat", "cocked", "on_checker", "on_frame", "off_board")
_STATE_ODDS = (0.74, 0.11, 0.05, 0.05, 0.05)
_PLACERS: dict[str, Placer] = {
    "flat": _lay_flat,
    "cocked": _lean,
    "on_checker": _lay_on_checker,
    "on_frame": _lay_on_frame,
    "off_board": _lay_on_table,
}


#: The 24 ways to turn a cube onto itself, as rows of ``Body.turn``.
_QUARTERS = [
    turn
    for order, signs in product(permutations(range(3)), product((-1.0, 1.0), repeat=3))
    if np.linalg.det(turn := np.eye(3)[list(order)] * np.array(signs)[:, None]) > 0
]


def _turned(rng: Rng, pose: Vector) -> Vector:
    """A die's ``turn`` with a random face along each axis of ``pose``."""
    return np.asarray(_QUARTERS[rng.integers(24)] @ pose, np.float64)


#: Places all over a cube of half length 1 and the way out at each, (n, 3).
_SKIN = np.array([p for p in product(np.linspace(-1, 1, 9), repeat=3) if max(map(abs, p)) == 1])
_SKIN_OUT = np.where(np.abs(_SKIN) == 1, _SKIN, 0.0)
_SKIN_OUT /= np.linalg.norm(_SKIN_OUT, axis=1, keepdims=True)


def _skin_points(turn: Vector, edge: float, rounding: float) -> Vector:
    """Points all over a rounded cube about the origin, (n, 3)."""
    return np.asarray((_SKIN * (edge / 2 - rounding) + _SKIN_OUT * rounding) @ turn, np.float64)


def _box_distance(local: Vector, edge: float, rounding: float) -> Vector:
    """The signed distance of places (n, 3) in a rounded cube's frame from its surface."""
    q = np.abs(local) - (edge / 2 - rounding)
    outer = np.linalg.norm(np.maximum(q, 0), axis=1)
    return np.asarray(outer + np.minimum(q.max(axis=1), 0) - rounding, np.float64)


# ---------------------------------------------------------------------------------------------- cube


def random_cube(
    rng: Rng, ground: Ground, owner: int, others: Sequence[Body] = ()
) -> tuple[tuple[Body, ...], CubeTruth | None]:
    """A doubling cube on the bar, the frame, in a tray, on the field or the table; none where no room is.

    It shows 64, as it does before a double, more often than any other value.
    """
    edge = float(rng.uniform(0.035, 0.06))
    taken = _circles(others)
    for _ in range(_TRIES):
        x, y = _cube_place(rng, ground, edge)
        yaw = np.radians(90.0 * rng.integers(4) + rng.normal(0, 7.0))
        level = _square_level(ground, x, y, 0.7 * edge, float(yaw))
        if level is None or not _is_free(x, y, 0.71 * edge, taken):
            continue
        value = 64 if rng.random() < 0.6 else int(rng.choice((2, 4, 8, 16, 32)))
        turn = _cube_turn(rng, value) @ _yaw(float(yaw))
        rounding = edge * float(rng.uniform(0.04, 0.2))
        centre = np.array((x, y, level + edge / 2))
        if not _Throw(ground, edge, rounding, (), []).fits(turn, centre):
            continue
        material = random_cube_style(rng)[0](rng)
        size = (edge / 2,) * 3 + (rounding,)
        body = _body(Shape.BOX, size, centre, turn, material, "cube", owner)
        return (body,), CubeTruth(owner, value, (x, y, float(centre[2])), edge)
    return (), None


def _cube_place(rng: Rng, ground: Ground, edge: float) -> tuple[float, float]:
    x0, _, x1, _ = ground.outside
    middle = ground.field_height / 2
    way = rng.random()
    if way < 0.45 and ground.bar[1] - ground.bar[0] > 0.7 * edge:
        at = middle if rng.random() < 0.6 else float(rng.choice((0.06, 0.94))) * ground.field_height
        return (ground.bar[0] + ground.bar[1]) / 2, at + float(rng.normal(0, 0.02))
    if way < 0.6 and ground.trays:
        (tx0, ty0, tx1, ty1), _ = ground.trays[rng.integers(len(ground.trays))]
        return float(rng.uniform(tx0, tx1)), float(rng.uniform(ty0, ty1))
    if way < 0.7:
        side = x0 + ground.rim_width / 2 if rng.random() < 0.5 else x1 - ground.rim_width / 2
        return side, middle + float(rng.normal(0, 0.1))
    if way < 0.82:
        return float(rng.uniform(0.05, 0.95)), middle + float(rng.normal(0, 0.06))
    return _beside(rng, ground, 0.71 * edge)


def _cube_turn(rng: Rng, value: int) -> Vector:
    """A turn with the face of ``value`` up; numerals are never mirrored."""
    face = np.array(CUBE_FACES[value])
    fitting = [turn for turn in _QUARTERS if (face @ turn)[2] > 0.5]
    return np.asarray(fitting[rng.integers(len(fitting))], np.float64)


# ----------------------------------------------------------------------------------------------- cup


_STEEPEST = 0.4  #: radians: a lying cup that is steeper would slide


def random_cup(rng: Rng, ground: Ground, owner: int, others: Sequence[Body] = ()) -> tuple[Body, ...]:
    """A dice cup, upright, upside down or lying, on the field, the frame, the table or over an edge of them.

    Dice that are still in it are parts of it. Empty where no room is found.
    """
    low, tall = float(rng.uniform(0.055, 0.085)), float(rng.uniform(0.12, 0.22))
    high = low * float(rng.uniform(0.95, 1.22))
    wall = low * float(rng.uniform(0.06, 0.16))
    pose = str(rng.choice(("up", "down", "lying"), p=(0.4, 0.2, 0.4)))
    yaw = float(rng.uniform(0, 2 * np.pi))
    room = max(low, high) if pose != "lying" else float(np.hypot(tall / 2, max(low, high)))
    taken = _circles(others)
    for _ in range(_TRIES):
        if rng.random() < 0.4:
            x = float(rng.uniform(ground.inside[0], ground.inside[2]))
            y = float(rng.uniform(ground.inside[1], ground.inside[3]))
        else:
            x, y = _beside(rng, ground, room if rng.random() < 0.5 else 0.0)
        if not _is_free(x, y, room, taken) or not _no_checkers(ground, x, y, room):
            continue
        if pose == "lying":
            height, slope = _lying(ground, (x, y), yaw, (low, high, tall / 2))
            if abs(slope) >= _STEEPEST:
                continue
            axis = np.array((np.cos(slope) * np.cos(yaw), np.cos(slope) * np.sin(yaw), np.sin(slope)))
        else:
            level = _round_level(ground, x, y, room)
            if level is None:
                continue
            axis = np.array((0.0, 0.0, 1.0 if pose == "up" else -1.0))
            height = level + tall / 2
        return _cup(rng, owner, np.array((x, y, height)), axis, (low, high, tall / 2, wall), pose == "up")
    return ()


def _lying(
    ground: Ground, place: tuple[float, float], yaw: float, size: tuple[float, float, float]
) -> tuple[float, float]:
    """How a cup comes to lie: height of its middle, and slope of its axis in radians, up towards its mouth.

    ``size``: radii at foot and mouth, half of its length. It lies where its middle is lowest: over the edge
    of a frame on that and the table.
    """
    low, high, half = size
    along = np.linspace(-half, half, 41)
    radius = low + (high - low) * (along / half + 1) / 2
    aside = radius * np.linspace(-1, 1, 41)[:, None]
    below = np.sqrt(np.maximum(0.0, radius**2 - aside**2))

    def height(slope: float) -> float:
        x = along * np.cos(slope) + below * np.sin(slope)
        floor = floor_height(
            ground,
            place[0] + x * np.cos(yaw) - aside * np.sin(yaw),
            place[1] + x * np.sin(yaw) + aside * np.cos(yaw),
            checkers=False,
        )
        return float((floor + below * np.cos(slope) - along * np.sin(slope)).max())

    slopes = np.linspace(-_STEEPEST, _STEEPEST, 81)
    best = min(slopes.tolist(), key=height)
    finer = (slopes[1] - slopes[0]) * np.linspace(-1, 1, 21) + best
    best = min(finer.tolist(), key=height)
    return height(best), best


def _cup(
    rng: Rng,
    owner: int,
    centre: Vector,
    axis: Vector,
    size: tuple[float, float, float, float],
    upright: bool,
) -> tuple[Body, ...]:
    low, high, half, wall = size
    turn = _along(axis)
    material = _cup_material(rng)
    parts = [_body(Shape.CUP, size, centre, turn, material, "cup", owner)]
    lining = Material(Look.PLAIN, _colour(rng, 0.05, 0.5), rough=0.9, shine=0.02)
    floor = centre - axis * (half - wall - 0.004)
    parts.append(_body(Shape.DISC, (low - wall, 0.003, 0.001, 0.0), floor, turn, lining, "cup", owner))
    foot = (low * 0.985, 0.0015, 0.0005, 0.0)
    parts.append(_body(Shape.DISC, foot, centre - axis * (half - 0.0012), turn, material, "cup", owner))
    if rng.random() < 0.55:
        band = Material(Look.PLAIN, _colour(rng, 0.05, 0.8), rough=0.5) if rng.random() < 0.5 else material
        rim = (high - wall / 2, wall * float(rng.uniform(0.5, 0.75)))
        parts.append(_body(Shape.RING, rim, centre + axis * (half - wall * 0.3), turn, band, "cup", owner))
    if rng.random() < 0.3:
        band = Material(Look.PLAIN, _colour(rng, 0.05, 0.8), rough=0.5)
        at = float(rng.uniform(-0.7, 0.6))
        radius = low + (high - low) * (at + 1) / 2
        parts.append(
            _body(Shape.RING, (radius - 0.001, 0.004), centre + axis * half * at, turn, band, "cup", owner)
        )
    if upright and rng.random() < 0.25:
        make, edge = random_die_style(rng)[0], 0.034
        for sign in (-1.0, 1.0):
            way = float(rng.uniform(0, 2 * np.pi))
            off = np.array((np.cos(way), np.sin(way), 0.0)) * sign * 0.6 * edge * 0.5
            place = floor + np.array((0.0, 0.0, 0.004 + edge / 2)) + off + np.array((sign * 0.5 * edge, 0, 0))
            pose = _turned(rng, _yaw(float(rng.uniform(0, 2 * np.pi))))
            parts.append(_body(Shape.BOX, (edge / 2,) * 3 + (0.004,), place, pose, make(rng), "cup", owner))
    return tuple(parts)


def _cup_material(rng: Rng) -> Material:
    colours = ((62, 36, 24), (26, 24, 24), (112, 62, 32), (84, 20, 22), (22, 32, 54), (190, 160, 120))
    colour = textures.vary(rng, colours[rng.integers(len(colours))], 10)
    way = rng.random()
    if way < 0.55:
        texture = textures.leather(rng, 128, 128, colour)
    elif way < 0.7:
        texture = textures.wood(rng, 128, 128)
    else:
        tone = _colour(rng, 0.02, 0.9)
        return Material(Look.PLAIN, tone, rough=float(rng.uniform(0.1, 0.6)), shine=0.045)
    rough, scale = float(rng.uniform(0.25, 0.8)), float(rng.uniform(0.12, 0.3))
    seed = int(rng.integers(1 << 20))
    return Material(
        Look.TILED, textures.linear(colour), rough, 0.035, texture=texture, scale=scale, seed=seed
    )


# --------------------------------------------------------------------------------------------- hands

#: Fingers from the index on: place of the knuckle (towards the thumb, forwards), lengths of the three bones,
#: radii at knuckle and tip. The unit is the length of the hand from wrist to middle tip.
_FINGERS = (
    ((0.155, 0.49), (0.235, 0.14, 0.105), (0.054, 0.036)),
    ((0.052, 0.52), (0.26, 0.16, 0.11), (0.054, 0.037)),
    ((-0.052, 0.50), (0.24, 0.15, 0.11), (0.051, 0.035)),
    ((-0.145, 0.45), (0.185, 0.11, 0.095), (0.046, 0.031)),
)
#: Bends of the three joints of a finger, index to little, in degrees, and how far the thumb comes over (0-1).
_GRIPS: dict[str, tuple[tuple[tuple[float, float, float], ...], float]] = {
    "flat": (((8, 8, 4), (6, 8, 4), (8, 8, 4), (10, 8, 4)), 0.1),
    "resting": (((22, 28, 14), (26, 30, 15), (30, 32, 16), (34, 34, 16)), 0.35),
    "pinch": (((30, 34, 16), (28, 38, 18), (34, 48, 22), (42, 54, 24)), 0.9),
    "pinch two": (((24, 38, 18), (34, 56, 26), (60, 76, 44), (68, 80, 46)), 0.95),
    "point": (((14, 8, 4), (74, 84, 46), (80, 88, 48), (80, 86, 48)), 0.8),
    "fist": (((78, 84, 46), (80, 88, 48), (82, 88, 48), (82, 86, 48)), 0.9),
    "grasp": (((30, 30, 20), (32, 32, 20), (32, 34, 20), (34, 34, 20)), 0.75),
}
_GRIP_ODDS = (0.16, 0.22, 0.22, 0.12, 0.1, 0.05, 0.13)


@dataclass(frozen=True, slots=True)
class _Limb:
    """A bone with its flesh: a cone with round ends, in the world."""

    start: Vector
    end: Vector
    radii: tuple[float, float]


def random_hands(rng: Rng, ground: Ground, owner: int, others: Sequence[Body] = ()) -> tuple[Body, ...]:
    """One hand with its arm, now and then two, numbered from ``owner``.

    A checker or dice that a hand holds are parts of it (kind "hand"). A cup that it holds is of kind "cup"
    and has a number of its own; the owners of each are told by the bodies.
    """
    bodies: list[Body] = []
    ground = replace(ground, checkers=(*ground.checkers, *_standing(others)))  # hands come from above
    skin = random_skin(rng)
    sleeve = _sleeve(rng) if rng.random() < 0.7 else None
    size = float(rng.uniform(0.27, 0.43))
    edges = ("near", "far", "left", "right")
    first = int(rng.choice(4, p=(0.5, 0.3, 0.1, 0.1)))
    for number in range(2 if rng.random() < 0.14 else 1):
        if number and rng.random() < 0.4:  # somebody else's
            skin, sleeve, first = random_skin(rng), _sleeve(rng), 1 - first if first < 2 else first
        used = {body.owner for body in bodies}
        bodies += _hand(rng, ground, owner + len(used), size, skin, sleeve, edges[first])
    return tuple(bodies)


def _hand(
    rng: Rng,
    ground: Ground,
    owner: int,
    size: float,
    skin: Material,
    sleeve: Material | None,
    edge: str,
) -> list[Body]:
    grip = str(rng.choice(list(_GRIPS), p=_GRIP_ODDS))
    forward = _reach(rng, edge)
    thumb = float(rng.choice((-1.0, 1.0)))
    pitch = np.radians(rng.uniform(2, 14) if grip in ("flat", "resting") else rng.uniform(6, 42))
    roll = np.radians(rng.normal(0, 10)) + (
        np.radians(thumb * rng.uniform(20, 60)) if grip == "grasp" else 0.0
    )
    fore = np.array((*(forward * np.cos(pitch)), -np.sin(pitch)))
    side = thumb * np.array((-forward[1], forward[0], 0.0))
    back = np.cross(fore, side) * thumb
    back = back if back[2] > 0 else -back
    side, back = np.cos(roll) * side + np.sin(roll) * back, np.cos(roll) * back - np.sin(roll) * side
    frame = np.stack((side, fore, back))  # rows: towards the thumb, forwards, out of the back of the hand
    limbs, nails, hold = _fingers(rng, grip, frame, size)
    aim = _aim(rng, ground)
    shift = np.array((*(aim - hold[:2]), 0.0))
    limbs, nails = _moved(limbs, shift), [(p + shift, t) for p, t in nails]
    lift = _lift(ground, limbs) + (float(rng.exponential(0.05)) if rng.random() < 0.6 else 0.001)
    up = np.array((0.0, 0.0, lift))
    limbs, nails, hold = _moved(limbs, up), [(p + up, t) for p, t in nails], hold + shift + up
    held = _held(rng, grip, hold, frame, size, owner, ground)
    wrist = shift + up
    arm = _arm(rng, ground, wrist, forward, frame, size)
    bodies = [_limb_body(limb, skin, owner) for limb in limbs + arm]
    palm = wrist + 0.3 * size * fore
    bodies.append(
        _body(
            Shape.BALL,
            (0.2 * size, 0.3 * size, 0.068 * size),
            palm - 0.006 * size * back,
            frame,
            skin,
            "hand",
            owner,
        )
    )
    polish = _colour(rng, 0.1, 0.8)
    varnished = rng.random() < 0.12
    tone: Colour = (
        min(1.0, skin.colour[0] * 1.08 + 0.03),
        min(1.0, skin.colour[1] * 1.04 + 0.02),
        min(1.0, skin.colour[2] * 1.05 + 0.02),
    )
    nail = Material(Look.PLAIN, polish if varnished else tone, rough=0.3, shine=0.05)
    for place, turn in nails:
        half = (0.024 * size, 0.036 * size, 0.012 * size)
        bodies.append(_body(Shape.BALL, half, place, turn, nail, "hand", owner))
    bodies += _clothes(rng, arm, sleeve, size, owner)
    return bodies + held


def _reach(rng: Rng, edge: str) -> Vector:
    """Which way an arm comes in, a unit vector in the plane."""
    base = {"near": -np.pi / 2, "far": np.pi / 2, "left": 0.0, "right": np.pi}[edge]
    angle = base + float(rng.normal(0, np.radians(24)))
    return np.array((np.cos(angle), np.sin(angle)))


def _aim(rng: Rng, ground: Ground) -> Vector:
    """Where fingers go: to checkers, anywhere on the board, or only to its edge."""
    way = rng.random()
    if way < 0.45 and ground.checkers:
        checker = ground.checkers[rng.integers(len(ground.checkers))]
        return np.array((checker.x, checker.y)) + rng.normal(0, 0.01, 2)
    x0, y0, x1, y1 = ground.outside
    if way < 0.8:
        return np.array((rng.uniform(x0, x1), rng.uniform(y0, y1)))
    far = float(rng.uniform(-0.1, 0.35))
    x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
    places = ((x, y1 + far), (x, y0 - far), (x0 - far, y), (x1 + far, y))
    return np.array(places[int(rng.choice(4, p=(0.45, 0.25, 0.15, 0.15)))])


def _fingers(
    rng: Rng, grip: str, frame: Vector, size: float
) -> tuple[list[_Limb], list[tuple[Vector, Vector]], Vector]:
    """Bones of a hand whose wrist is at the origin, nails (place, turn), and where the tips meet."""
    side, fore, back = frame
    bends, over = _GRIPS[grip]
    limbs: list[_Limb] = []
    nails = []
    tips = []
    spread = float(rng.uniform(0.3, 1.3)) if grip in ("flat", "resting", "grasp") else 0.3
    for index, ((across, along), bones, (thick, thin)) in enumerate(_FINGERS):
        start = (0.045 if across > 0 else 0.03) * np.sign(across) * 1.6 * side + 0.02 * fore
        knuckle = across * side + along * fore
        limbs.append(_Limb(start * size, (knuckle - 0.01 * back) * size, (0.062 * size, 1.04 * thick * size)))
        fan = np.radians(spread * (9.0, 2.0, -5.0, -13.0)[index] + rng.normal(0, 2.0))
        level = np.cos(fan) * fore + np.sin(fan) * side
        angle, place = 0.0, knuckle
        radii = np.linspace(thick, thin, 4)
        for joint, (bone, bend) in enumerate(zip(bones, bends[index], strict=True)):
            angle += np.radians(max(0.0, bend + rng.normal(0, 5.0)))
            way = np.cos(angle) * level - np.sin(angle) * back
            end = place + bone * way
            limbs.append(_Limb(place * size, end * size, (radii[joint] * size, radii[joint + 1] * size)))
            place = end
        out = np.cos(angle) * back + np.sin(angle) * level
        nails.append(
            (
                (place - 0.015 * way + out * thin * 0.86) * size,
                np.stack((np.cross(way, out), way, out)),
            )
        )
        tips.append(place)
    root = 0.10 * side + 0.10 * fore - 0.02 * back
    meeting = (tips[0] + tips[1]) / 2 if grip.startswith("pinch") else tips[0]
    open_way = _unit(0.75 * side + 0.62 * fore - 0.15 * back)
    first = root + 0.24 * _unit(open_way - 0.35 * over * (side + back))
    goal = meeting - 0.05 * back * (1 - over)
    if grip.startswith("pinch"):
        goal = meeting + 0.02 * side - 0.07 * fore - 0.005 * back
    closed = _unit(goal - first)
    way = _unit((1 - over) * open_way + over * closed)
    length = float(np.linalg.norm(goal - first)) if grip.startswith("pinch") else 0.26
    length = float(np.clip(length, 0.2, 0.3))
    bow = 0.03 * over * side
    second = first + 0.55 * length * way + bow
    third = second + 0.45 * _unit(length * way - bow) * length
    limbs.append(_Limb(root * size, first * size, (0.078 * size, 0.056 * size)))
    limbs.append(_Limb(first * size, second * size, (0.056 * size, 0.047 * size)))
    limbs.append(_Limb(second * size, third * size, (0.047 * size, 0.038 * size)))
    last = _unit(third - second)
    out = _unit(back + 0.9 * side - last * ((back + 0.9 * side) @ last))
    nails.append(((third + out * 0.036) * size, np.stack((np.cross(last, out), last, out))))
    hold = (meeting + third) / 2 if over > 0.7 else (tips[0] + tips[1]) / 2
    return limbs, nails, hold * size


def _held(
    rng: Rng, grip: str, hold: Vector, frame: Vector, size: float, owner: int, ground: Ground
) -> list[Body]:
    """A checker or a die between the fingers, or a cup in the grasp."""
    _, fore, back = frame
    if grip.startswith("pinch") and rng.random() < 0.6:
        turn = _along(_unit(back + rng.normal(0, 0.35, 3)))
        if rng.random() < 0.7:
            radius = min(ground.checkers[0].radius, 0.045) if ground.checkers else 0.028
            colour = _colour(rng, 0.03, 0.9)
            material = Material(
                Look.CHECKER, colour, rough=float(rng.uniform(0.15, 0.6)), seed=int(rng.integers(1 << 20))
            )
            place = hold + 0.5 * radius * fore
            return [
                _body(
                    Shape.DISC,
                    (radius, 0.22 * radius, 0.05 * radius, 0.0),
                    place,
                    turn,
                    material,
                    "hand",
                    owner,
                )
            ]
        material = random_die_style(rng)[0](rng)
        return [_body(Shape.BOX, (0.017, 0.017, 0.017, 0.003), hold, turn, material, "hand", owner)]
    if grip == "grasp" and rng.random() < 0.7:
        low = float(rng.uniform(0.06, 0.08))
        axis = _unit(np.array((*rng.normal(0, 0.25, 2), 1.0)))
        shape = (low, low * float(rng.uniform(1.0, 1.15)), float(rng.uniform(0.07, 0.1)), 0.008)
        middle = hold - 0.12 * size * back - 0.1 * size * fore
        middle[2] = max(float(middle[2]), shape[2] * 1.1 + 0.02)
        return list(_cup(rng, owner + 1, middle, axis, shape, True))
    return []


def _lift(ground: Ground, limbs: Sequence[_Limb]) -> float:
    """How far limbs must be raised so that none is in the floor, the case or a checker."""
    share = np.linspace(0, 1, 5)[None, :, None]
    start, end = (np.stack(points)[:, None] for points in ([m.start for m in limbs], [m.end for m in limbs]))
    thick, thin = np.array([limb.radii for limb in limbs]).T[:, :, None]
    places = start + share * (end - start)  # (limbs, 5, 3)
    radius = (thick + share[..., 0] * (thin - thick))[..., None]
    angles = np.arange(0, 2 * np.pi, np.pi / 3)
    # straight below, and around at 45 degrees
    x = places[..., :1] + radius * np.append(0.7 * np.cos(angles), 0.0)
    y = places[..., 1:2] + radius * np.append(0.7 * np.sin(angles), 0.0)
    bottom = places[..., 2:] - radius * np.append(np.full(6, 0.7), 1.0)
    return float((floor_height(ground, x, y) - bottom).max())


def _arm(rng: Rng, ground: Ground, wrist: Vector, forward: Vector, frame: Vector, size: float) -> list[_Limb]:
    """Three limbs side by side, which make a flat wrist and a forearm, and the upper arm beyond the elbow."""
    side = np.array((-forward[1], forward[0], 0.0))
    thick = float(rng.uniform(0.11, 0.15))
    for slope in np.radians((float(rng.uniform(0, 16)), 12.0, 20.0, 30.0, 42.0, 55.0)):
        swing = _unit(np.array((*-forward, 0.0)) + float(rng.normal(0, 0.12)) * side)
        away = np.cos(slope) * swing + np.array((0.0, 0.0, np.sin(slope)))
        elbow = wrist + 1.45 * size * away
        limbs = [
            _Limb(
                wrist + sign * 0.06 * size * frame[0],
                elbow + sign * 0.055 * size * side,
                (0.068 * size, thick * size),
            )
            for sign in (-1.0, 1.0, 0.0)
        ]
        if _lift(ground, limbs[:1]) <= 0:
            break
    # longer than an arm, for its end must not come into the picture
    shoulder = elbow + 3.4 * size * _unit(swing + np.array((0.0, 0.0, float(rng.uniform(0.0, 0.2)))))
    return [*limbs, _Limb(elbow, shoulder, ((thick + 0.012) * size, (thick + 0.05) * size))]


def _clothes(rng: Rng, arm: Sequence[_Limb], sleeve: Material | None, size: float, owner: int) -> list[Body]:
    wrist = (arm[0].start + arm[1].start) / 2
    elbow = (arm[0].end + arm[1].end) / 2
    away = _unit(elbow - wrist)
    bodies = []
    if sleeve is not None:
        begin = float(rng.uniform(0.0, 0.25) if rng.random() < 0.7 else rng.uniform(0.25, 1.1))
        loose = float(rng.uniform(1.08, 1.35))
        share = begin / 1.45
        for limb in arm[:3]:
            cut = limb.start + share * (limb.end - limb.start)
            thick = limb.radii[0] + share * (limb.radii[1] - limb.radii[0])
            cloth = _Limb(cut, limb.end, (loose * thick, loose * limb.radii[1]))
            bodies.append(_limb_body(cloth, sleeve, owner))
        upper = _Limb(arm[3].start, arm[3].end, (loose * arm[3].radii[0], loose * arm[3].radii[1]))
        bodies.append(_limb_body(upper, sleeve, owner))
        for _ in range(int(rng.integers(3, 9))):  # folds
            at = float(rng.uniform(share + 0.02, 1.0))
            place = wrist + at * (elbow - wrist) + rng.normal(0, 0.03, 3) * size
            way = _unit(away + rng.normal(0, 0.25, 3))
            radius = loose * (0.105 + 0.06 * at) * size
            half = (radius, radius, radius * float(rng.uniform(0.9, 1.8)))
            bodies.append(_body(Shape.BALL, half, place, _along(way), sleeve, "hand", owner))
        if begin < 0.4 and rng.random() < 0.5:
            cuff = Material(Look.PLAIN, _colour(rng, 0.05, 0.9), rough=0.9) if rng.random() < 0.5 else sleeve
            cut = wrist + share * (elbow - wrist)
            for limb in arm[:3]:
                mid = limb.start + share * (limb.end - limb.start)
                thick = limb.radii[0] + share * (limb.radii[1] - limb.radii[0])
                ends = _Limb(mid - 0.03 * size * away, mid + 0.07 * size * away, (loose * thick,) * 2)
                bodies.append(_limb_body(ends, cuff, owner))
    elif rng.random() < 0.35:
        metal = Material(Look.PLAIN, _colour(rng, 0.05, 0.8), rough=0.25, shine=0.3)
        place = wrist + 0.07 * size * away
        turn = _along(away)
        for limb in arm[:3]:
            mid = limb.start + 0.05 * (limb.end - limb.start)
            bodies.append(_body(Shape.RING, (0.075 * size, 0.012 * size), mid, turn, metal, "hand", owner))
        if rng.random() < 0.7:
            face = Material(Look.PLAIN, _colour(rng, 0.01, 0.9), rough=0.15, shine=0.06)
            top = place + np.array((0.0, 0.0, 0.088 * size))
            bodies.append(
                _body(
                    Shape.DISC,
                    (0.055 * size, 0.012 * size, 0.005 * size, 0.0),
                    top,
                    np.eye(3),
                    face,
                    "hand",
                    owner,
                )
            )
    return bodies


def _sleeve(rng: Rng) -> Material:
    colour = textures.random_colour(rng, 15, 240)
    if rng.random() < 0.35:
        colour = (float(rng.uniform(15, 60)),) * 3
    texture = textures.cloth(rng, 128, 128, colour)
    return Material(
        Look.TILED,
        textures.linear(colour),
        rough=0.95,
        shine=0.02,
        texture=texture,
        scale=float(rng.uniform(0.1, 0.3)),
        seed=int(rng.integers(1 << 20)),
    )


def _limb_body(limb: _Limb, material: Material, owner: int) -> Body:
    way = limb.end - limb.start
    half = float(np.linalg.norm(way)) / 2
    size = (limb.radii[0], limb.radii[1], half)
    return _body(Shape.CONE, size, (limb.start + limb.end) / 2, _along(_unit(way)), material, "hand", owner)


def _moved(limbs: Sequence[_Limb], shift: Vector) -> list[_Limb]:
    return [_Limb(limb.start + shift, limb.end + shift, limb.radii) for limb in limbs]


# ------------------------------------------------------------------------------------------- clutter


def random_clutter(rng: Rng, ground: Ground, others: Sequence[Body] = ()) -> tuple[Body, ...]:
    """Other things on the table beside the board: scenery, owner -1."""
    bodies: list[Body] = []
    taken = _circles(others)
    makers = list(_CLUTTER)
    for _ in range(int(rng.integers(1, 9))):
        make = makers[rng.integers(len(makers))] if rng.random() > 0.015 else _case
        parts, radius = make(rng)
        for _ in range(_TRIES // 2):
            x, y = _beside(rng, ground, radius + (0.25 if make is _case else 0.0))
            if _is_free(x, y, radius, taken):
                yaw = _yaw(float(rng.uniform(0, 2 * np.pi)))
                place = np.array((x, y, ground.table))
                bodies += [
                    _body(
                        part.shape,
                        part.size,
                        part.centre @ yaw + place,
                        part.turn @ yaw,
                        part.material,
                        "clutter",
                        -1,
                    )
                    for part in parts
                ]
                taken.append((x, y, radius))
                break
    return tuple(bodies)


def _part(
    shape: Shape, size: tuple[float, ...], centre: tuple[float, float, float], material: Material
) -> Body:
    return _body(shape, size, np.array(centre), np.eye(3), material, "clutter", -1)


def _stuff(
    rng: Rng, low: float = 0.02, high: float = 0.85, rough: tuple[float, float] = (0.1, 0.9)
) -> Material:
    return Material(Look.PLAIN, _colour(rng, low, high), rough=float(rng.uniform(*rough)))


def _picture(texture: Image, rough: float) -> Material:
    return Material(Look.PICTURE, (0.5, 0.5, 0.5), rough=rough, texture=texture)


Clutter = tuple[list[Body], float]


def _phone(rng: Rng) -> Clutter:
    x, y, z = 0.075, 0.155, 0.008
    case = _stuff(rng, 0.01, 0.6, (0.1, 0.5))
    picture = np.full((160, 80, 3), 8, np.uint8)
    if rng.random() < 0.4:
        picture[:] = rng.integers(0, 255, 3)
        for row in range(5):
            for column in range(3):
                tint = tuple(int(v) for v in rng.integers(0, 255, 3))
                cv2.rectangle(
                    picture, (8 + 24 * column, 14 + 28 * row), (24 + 24 * column, 32 + 28 * row), tint, -1
                )
    screen = _picture(picture, 0.06)
    return [
        _part(Shape.BOX, (x, y, z, 0.007), (0, 0, z), case),
        _part(Shape.BOX, (x * 0.93, y * 0.95, 0.001, 0.0005), (0, 0, 2 * z), screen),
    ], 0.175


def _pad(rng: Rng) -> Clutter:
    x, y, z = float(rng.uniform(0.1, 0.22)), float(rng.uniform(0.14, 0.3)), float(rng.uniform(0.001, 0.02))
    if rng.random() < 0.6:
        texture = textures.page(rng, 192, 128)
    else:
        texture = textures.plain(rng, 128, 96, textures.random_colour(rng, 120, 250))
    return [_part(Shape.BOX, (x, y, z, 0.0005), (0, 0, z), _picture(texture, 0.9))], float(np.hypot(x, y))


def _book(rng: Rng) -> Clutter:
    x, y, z = float(rng.uniform(0.12, 0.2)), float(rng.uniform(0.18, 0.26)), float(rng.uniform(0.01, 0.04))
    colour = textures.random_colour(rng, 20, 230)
    texture = textures.plain(rng, 160, 112, colour)
    ink = tuple(int(v) for v in textures.random_colour(rng, 20, 250))
    for row in range(int(rng.integers(1, 4))):
        text = _text(rng, int(rng.integers(4, 10)))
        cv2.putText(texture, text, (8, 30 + 34 * row), cv2.FONT_HERSHEY_DUPLEX, 0.6, ink, 1, cv2.LINE_AA)
    return [_part(Shape.BOX, (x, y, z, 0.002), (0, 0, z), _picture(texture, 0.4))], float(np.hypot(x, y))


def _glass(rng: Rng) -> Clutter:
    low = float(rng.uniform(0.045, 0.075))
    high, half = low * float(rng.uniform(1.0, 1.35)), float(rng.uniform(0.05, 0.14))
    handle = rng.random() < 0.6  # without one only what is in it tells it from a dice cup
    material = _stuff(rng, 0.1, 0.95, (0.05, 0.4))
    drink = _stuff(rng, 0.01, 0.5, (0.03, 0.1))
    level = half * float(rng.uniform(0.2, 0.8))
    radius = low + (high - low) * (level / half + 1) / 2 - 0.006
    parts = [
        _part(Shape.CUP, (low, high, half, 0.006), (0, 0, half), material),
        _part(Shape.DISC, (radius, 0.002, 0.001, 0.0), (0, 0, half + level), drink),
    ]
    if handle:
        turn = _along(np.array((0.0, 1.0, 0.0)))
        ring = (half * 0.5, 0.01)
        parts.append(
            _body(Shape.RING, ring, np.array((low + half * 0.3, 0, half)), turn, material, "clutter", -1)
        )
    return parts, max(low, high) + (half if handle else 0.0)


def _display(rng: Rng) -> Clutter:
    """A clock or a score board."""
    x, y, z = float(rng.uniform(0.1, 0.2)), float(rng.uniform(0.05, 0.09)), float(rng.uniform(0.01, 0.06))
    dark = rng.random() < 0.5
    back, ink = ((20, 24, 20), (255, 60, 40)) if dark else ((170, 180, 160), (20, 20, 20))
    texture = np.full((64, 160, 3), back, np.uint8)
    numbers = rng.integers(0, 60, 2)
    for at, number in zip((6, 86), numbers, strict=True):
        text = f"{number:02d}"
        cv2.putText(texture, text, (at, 50), cv2.FONT_HERSHEY_DUPLEX, 1.6, ink, 3, cv2.LINE_AA)
    return [
        _part(Shape.BOX, (x, y, z, 0.006), (0, 0, z), _stuff(rng)),
        _part(Shape.BOX, (x * 0.85, y * 0.75, 0.001, 0.0), (0, 0, 2 * z), _picture(texture, 0.15)),
    ], float(np.hypot(x, y))


def _pen(rng: Rng) -> Clutter:
    half, radius = float(rng.uniform(0.12, 0.16)), float(rng.uniform(0.007, 0.012))
    turn = _along(np.array((1.0, 0.0, 0.0)))
    body, cap = _stuff(rng, rough=(0.1, 0.5)), _stuff(rng, rough=(0.1, 0.5))
    return [
        _body(Shape.CONE, (radius, radius, half), np.array((0, 0, radius)), turn, body, "clutter", -1),
        _body(
            Shape.CONE,
            (radius * 1.1, radius * 0.4, 0.03),
            np.array((half, 0, radius * 1.1)),
            turn,
            cap,
            "clutter",
            -1,
        ),
    ], half + 0.05


def _coins(rng: Rng) -> Clutter:
    parts = []
    metals = ((0.75, 0.6, 0.3), (0.7, 0.7, 0.7), (0.6, 0.32, 0.2))
    for _ in range(int(rng.integers(1, 5))):
        radius = float(rng.uniform(0.016, 0.026))
        material = Material(Look.PLAIN, metals[rng.integers(3)], rough=0.3, shine=0.4)
        at = rng.normal(0, 0.03, 2)
        parts.append(
            _part(Shape.DISC, (radius, 0.002, 0.0007, 0.0), (float(at[0]), float(at[1]), 0.002), material)
        )
    return parts, 0.09


def _chips(rng: Rng) -> Clutter:
    material = Material(
        Look.CHECKER,
        _colour(rng, 0.05, 0.7),
        rough=0.5,
        second=(0.8, 0.8, 0.8),
        seed=int(rng.integers(1 << 20)),
        parameters=(0, 0, 5, 0, 0.8, 8, 0, 0, 0),
    )
    return [
        _part(Shape.DISC, (0.036, 0.0035, 0.001, 0.0), (0, 0, 0.0035 + 0.007 * layer), material)
        for layer in range(int(rng.integers(1, 7)))
    ], 0.04


def _cable(rng: Rng) -> Clutter:
    material = _stuff(rng, 0.01, 0.9, (0.4, 0.7))
    parts = []
    radius, place, angle = float(rng.uniform(0.004, 0.008)), np.array((-0.15, 0.0)), 0.0
    for _ in range(12):
        angle += float(rng.normal(0, 0.5))
        ahead = place + 0.035 * np.array((np.cos(angle), np.sin(angle)))
        limb = _Limb(np.array((*place, radius)), np.array((*ahead, radius)), (radius, radius))
        parts.append(_limb_body(limb, material, -1))
        place = ahead
    far = max(float(np.hypot(*part.centre[:2])) for part in parts)
    return parts, far + 0.03


def _odd_dice(rng: Rng) -> Clutter:
    """A letter cube or a many-sided die, which no reader of dice shall name."""
    if rng.random() < 0.5:
        half = float(rng.uniform(0.014, 0.03))
        texture = np.full((64, 64, 3), rng.integers(120, 255, 3), np.uint8)
        letter = "ABCDEFGHKLMNPRSTVXYZ"[rng.integers(20)]
        cv2.putText(texture, letter, (14, 50), cv2.FONT_HERSHEY_TRIPLEX, 1.5, (25, 25, 25), 2, cv2.LINE_AA)
        return [
            _part(Shape.BOX, (half, half, half, half * 0.2), (0, 0, half), _picture(texture, 0.4))
        ], 2 * half
    radius = float(rng.uniform(0.016, 0.024))
    texture = np.full((64, 64, 3), rng.integers(20, 255, 3), np.uint8)
    number = str(rng.integers(1, 21))
    cv2.putText(texture, number, (20, 38), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (250, 250, 250), 1, cv2.LINE_AA)
    return [_part(Shape.BALL, (radius,) * 3, (0, 0, radius), _picture(texture, 0.2))], 1.2 * radius


def _case(rng: Rng) -> Clutter:
    """Another board, mostly out of the picture."""
    x, y, z = 0.5, 0.4, 0.02
    texture = np.full((160, 200, 3), rng.integers(30, 220, 3), np.uint8)
    inks = [tuple(int(v) for v in rng.integers(10, 250, 3)) for _ in range(2)]
    for number in range(12):
        left = int(200 * number / 12)
        for base, tip in ((0, 70), (159, 90)):
            points = np.array(((left, base), (left + 16, base), (left + 8, tip)), np.int32)
            cv2.fillPoly(texture, [points], inks[number % 2], cv2.LINE_AA)
    frame = _stuff(rng, 0.02, 0.5)
    return [
        _part(Shape.BOX, (x, y, z / 2, 0.001), (0, 0, z / 2), _picture(texture, 0.6)),
        _part(Shape.BOX, (x + 0.03, 0.02, z, 0.003), (0, y, z), frame),
        _part(Shape.BOX, (x + 0.03, 0.02, z, 0.003), (0, -y, z), frame),
        _part(Shape.BOX, (0.02, y, z, 0.003), (x, 0, z), frame),
        _part(Shape.BOX, (0.02, y, z, 0.003), (-x, 0, z), frame),
        _part(Shape.BOX, (0.03, y, z, 0.003), (0, 0, z), frame),
    ], 0.68


_CLUTTER: tuple[Callable[[Rng], Clutter], ...] = (
    _phone,
    _pad,
    _pad,
    _book,
    _glass,
    _glass,
    _display,
    _pen,
    _pen,
    _coins,
    _chips,
    _cable,
    _odd_dice,
)


# --------------------------------------------------------------------------------------------- parts


def _body(
    shape: Shape,
    size: tuple[float, ...],
    centre: Vector,
    turn: Vector,
    material: Material,
    kind: str,
    owner: int,
) -> Body:
    return Body(
        shape, size, np.asarray(centre, np.float32), np.asarray(turn, np.float32), material, kind, owner
    )


def _colour(rng: Rng, low: float, high: float) -> Colour:
    """A linear colour whose brightest part lies between ``low`` and ``high``."""
    return textures.linear(textures.random_colour(rng, 255 * low**0.45, 255 * high**0.45))


def _text(rng: Rng, length: int) -> str:
    return "".join("ABCDEFGHIKLMNOPRSTUVW "[i] for i in rng.integers(0, 22, length))


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / np.linalg.norm(vector), np.float64)


def _along(axis: Vector) -> Vector:
    """A turn whose z axis is ``axis``."""
    helper = np.array((1.0, 0.0, 0.0)) if abs(axis[0]) < 0.8 else np.array((0.0, 1.0, 0.0))
    x = _unit(helper - axis * (helper @ axis))
    return np.stack((x, np.cross(axis, x), axis))


def _yaw(angle: float) -> Vector:
    c, s = np.cos(angle), np.sin(angle)
    return np.array(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)))


def _within(bounds: Bounds, x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    x, y = np.asarray(x), np.asarray(y)
    return (x >= bounds[0]) & (x <= bounds[2]) & (y >= bounds[1]) & (y <= bounds[3])


def _circles(bodies: Sequence[Body]) -> list[Circle]:
    """Where loose bodies stand, as circles around them."""
    return [(place.x, place.y, place.radius) for place in _standing(bodies)]


def _standing(bodies: Sequence[Body]) -> list[Placed]:
    """Loose bodies as round things that nothing else may be in."""
    places = []
    for body in bodies:
        if body.kind not in ("die", "cube", "cup", "clutter"):
            continue
        size = body.size
        if body.shape in (Shape.BOX, Shape.BALL):
            half = np.array(size[:3])
        elif body.shape == Shape.CONE:
            half = np.array((max(size[:2]), max(size[:2]), size[2] + max(size[:2])))
        elif body.shape == Shape.CUP:
            half = np.array((max(size[:2]), max(size[:2]), size[2]))
        elif body.shape == Shape.RING:
            half = np.array((size[0] + size[1], size[0] + size[1], size[1]))
        else:
            half = np.array((size[0], size[0], size[1]))
        extent = half @ np.abs(body.turn)
        round_upright = body.shape in (Shape.DISC, Shape.CUP, Shape.RING) and abs(body.turn[2, 2]) > 0.99
        reach = float(extent[:2].max() if round_upright else np.hypot(*extent[:2]))
        x, y, z = (float(v) for v in body.centre)
        places.append(Placed(x, y, z + float(extent[2]), reach))
    return places


def _is_free(x: float, y: float, radius: float, taken: Sequence[Circle]) -> bool:
    return all(np.hypot(x - cx, y - cy) >= radius + r for cx, cy, r in taken)


def _square_level(ground: Ground, x: float, y: float, edge: float, yaw: float) -> float | None:
    """The height of the floor under a square; None where it is not level or a checker is in the way."""
    grid = np.array(list(product(np.linspace(-0.5, 0.5, 5), repeat=2))) * edge
    places = grid @ _yaw(yaw)[:2, :2] + (x, y)
    height = floor_height(ground, places[:, 0], places[:, 1], checkers=False)
    if float(np.ptp(height)) > 1e-6:
        return None
    for checker in ground.checkers:
        local = np.abs(_yaw(yaw)[:2, :2] @ np.array((checker.x - x, checker.y - y))) - edge / 2
        if np.hypot(*np.maximum(local, 0)) < checker.radius and checker.top > height[0]:
            return None
    return float(height[0])


def _round_level(ground: Ground, x: float, y: float, radius: float) -> float | None:
    """The height of the floor under a circle; None where it is not level or a checker is in the way."""
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    shares = np.array((0.0, 0.5, 1.0))[:, None]
    height = floor_height(
        ground, x + radius * shares * np.cos(angles), y + radius * shares * np.sin(angles), checkers=False
    )
    if float(np.ptp(height)) > 1e-6 or not _no_checkers(ground, x, y, radius):
        return None
    return float(height[0, 0])


def _no_checkers(ground: Ground, x: float, y: float, radius: float) -> bool:
    """Whether no checker stands in a circle."""
    return all(np.hypot(c.x - x, c.y - y) >= c.radius + radius for c in ground.checkers)


def _beside(rng: Rng, ground: Ground, radius: float) -> tuple[float, float]:
    """A place on the table next to the board for something of this radius."""
    x0, y0, x1, y1 = ground.outside
    gap = radius + 0.01 + float(rng.exponential(0.12))
    x, y = float(rng.uniform(x0 - 0.2, x1 + 0.2)), float(rng.uniform(y0 - 0.2, y1 + 0.2))
    return ((x, y0 - gap), (x, y1 + gap), (x0 - gap, y), (x1 + gap, y))[int(rng.integers(4))]
