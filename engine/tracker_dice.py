"""Dice over time: which of those in view lie at rest, what they show, and which make one throw.

A single frame misreads a die now and then, or misses it; a hand hides it for a while. So nothing
here is decided by one frame: a die *lies* where it was seen again and again, and it is *gone* only
when frames that should have shown it did not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from engine.events import Dice
from engine.observation import Box, DieReading, DieState, Half, Observation
from engine.tracker_seats import Seat

SAME = 0.012  #: the same of a die that was out of sight under a cup, and may have been thrown instead
NEAR = 0.03  #: how far, in board units, two readings of one lying die may be apart (a die is about 0.045)
REST_SECONDS = 0.19  #: a die that stayed in place for this long lies still
GONE_SECONDS = 0.4  #: a die unseen for this long, although nothing covered its place, was taken away
GONE_FRAMES = 2.0
TURNED_FRAMES, TURNED_SURE = 3, 0.9  #: still frames that must show a new value, and how surely
MIN_CONFIDENCE = 0.4  #: below it, a reading is no die
LOOKS = 2.5  #: frames of one lying die err alike: many of them count as no more than this many looks
FACE_FLOOR = 0.005  #: of each face, mixed into every reading, so that no single frame excludes one
TOGETHER_SECONDS = 0.8  #: within which the dice of one throw come to rest
THREE_FRAMES = 3  #: still frames that must show three dice at once before they are a throw of three
THIRD_SURE = 0.75  #: ... and how surely the third must be a die and be read
EMPTY_FRAMES = 2  #: still frames before the throw that must show the third one's place without a die
APART = 0.95  #: edges between the middles of two dice, at least; nearer they are one die, read twice


@dataclass(slots=True, eq=False)
class Lying:
    """A die that is, or was, seen in one place. Changes with every frame that shows it."""

    centre: tuple[float, float]
    box: Box
    first: float  #: seconds, when it came to rest here, or was first seen
    last: float  #: seconds, when it was last seen here
    clear: list[DieReading] = field(default_factory=list)  #: readings of still frames
    blurred: list[DieReading] = field(default_factory=list)  #: readings while something moved
    missed: float = 0.0  #: frames in a row that should have shown it (a moving frame counts a third)
    alone: int = 0  #: still and uncovered frames in a row in which it was the only die in view
    told: int | None = None  #: its value, once a throw of it has been told

    @property
    def seen(self) -> int:
        """Frames that showed it."""
        return len(self.clear) + len(self.blurred)

    @property
    def resting(self) -> bool:
        """Whether it has stayed in place long enough to be read."""
        return bool(self.clear or self.seen >= 2) and self.last - self.first >= REST_SECONDS

    def within(self, reach: float, reading: DieReading) -> bool:
        """Whether a reading is of a die in this place, give or take ``reach`` board units."""
        away = (abs(a - b) for a, b in zip(self.centre, reading.centre, strict=True))
        return max(away) <= reach

    def again(self, reach: float, other: Lying) -> bool:
        """Whether it lies where ``other`` does or did, give or take ``reach``, and shows the same."""
        reading = self.reading()
        return other.within(reach, reading) and other.reading().value == reading.value

    @property
    def readings(self) -> Sequence[DieReading]:
        """The readings to believe: those of still frames, if there are any to speak of."""
        return self.clear if len(self.clear) >= 2 else [*self.clear, *self.blurred]

    def values(self) -> tuple[float, ...]:
        """Probability of the faces 1 to 6, all frames together."""
        readings = self.readings
        looks = min(len(readings), LOOKS) / len(readings)
        logs = [
            looks * sum(math.log((1 - 6 * FACE_FLOOR) * r.values[face] + FACE_FLOOR) for r in readings)
            for face in range(6)
        ]
        top = max(logs)
        weights = [math.exp(v - top) for v in logs]
        total = sum(weights)
        return tuple(w / total for w in weights)

    def reading(self) -> DieReading:
        """One reading that sums up all frames."""
        readings = self.readings
        states: dict[DieState, float] = {}
        halves: dict[Half, float] = {}
        for r in readings:
            halves[r.half] = halves.get(r.half, 0.0) + 1
            for state, p in r.states:
                states[state] = states.get(state, 0.0) + p / len(readings)
        values = self.values()
        return replace(
            readings[-1],
            values=(values[0], values[1], values[2], values[3], values[4], values[5]),
            states=tuple(sorted(states.items(), key=lambda item: -item[1])),
            half=max(halves, key=halves.__getitem__),
            confidence=sum(r.confidence for r in readings) / len(readings),
            touching=sum(r.touching for r in readings) / len(readings),
        )


@dataclass(slots=True, eq=False)
class Cast:
    """Dice that came to rest as one throw: two, or the one that was seen, or three if so many were thrown."""

    dice: tuple[Lying, ...]
    cup_used: bool | None = None  #: whether a cup was over the board before; ``None`` if not watched
    together: bool = True  #: false where the second was thrown when the first already lay there
    seat: Seat | None = None  #: the side of the board over which the arm reached that threw them
    arms: int = 0  #: frames that showed that arm; none if another was seen too
    out_of_turn: bool = False  #: whether the arm that threw them is that of the side that is not to move
    early: bool = False  #: whether the dice of the turn before lay there still, and its play was open

    @property
    def t(self) -> float:
        """Seconds, when the later die had settled."""
        return max(die.first for die in self.dice)

    @property
    def apart(self) -> float:
        """Seconds between the moments at which the dice came to rest."""
        return self.t - min(die.first for die in self.dice)

    @property
    def last(self) -> float:
        """Seconds, when a die of it was last seen in place."""
        return max(die.last for die in self.dice)

    def readings(self) -> tuple[DieReading, ...]:
        """One reading a die, left to right as seen first."""
        return tuple(die.reading() for die in self.dice)

    def pairs(self) -> dict[Dice, float]:
        """Probability of each pair of values, higher value first, likeliest pair first.

        A die that was not seen may show anything; of three dice these are the two highest.
        """
        result: dict[Dice, float] = {}
        values = [die.values() for die in self.dice]
        if len(values) == 1:
            values.append((1 / 6,) * 6)
        for up in product(range(6), repeat=len(values)):
            high, low = sorted(up, reverse=True)[:2]
            pair = (high + 1, low + 1)
            chance = math.prod(faces[face] for faces, face in zip(values, up, strict=True))
            result[pair] = result.get(pair, 0.0) + chance
        return dict(sorted(result.items(), key=lambda item: -item[1]))

    @property
    def clear_frames(self) -> int:
        """Still frames that showed the less seen die."""
        return min(len(die.clear) for die in self.dice)


def _overlaps(a: Box, b: Box, margin: float) -> bool:
    return a[0] - margin < b[2] and b[0] < a[2] + margin and a[1] - margin < b[3] and b[1] < a[3] + margin


def covers(seen: Observation, box: Box) -> bool:
    """Whether a hand or cup in the picture may hide what lies in ``box``."""
    margin = 0.3 * (box[2] - box[0])
    covering: Iterable[Box] = (*seen.hands, *(() if seen.cup is None else (seen.cup,)))
    return any(_overlaps(box, other, margin) for other in covering)


class DiceWatch:
    """Follows the dice from frame to frame.

    ``lying``: those in view. A die that a cup covered may have been thrown from it: it is known again if it
    lies in the very place and shows the same, and is a new one else.
    """

    def __init__(self) -> None:
        self.lying: list[Lying] = []
        self._covered: list[Lying] = []

    def see(self, seen: Observation) -> None:
        """Take in the dice of one frame."""
        dice = [die for die in seen.dice if die.confidence >= MIN_CONFIDENCE]
        still_here: set[int] = set()
        for reading in dice:
            place = self._nearest(reading, still_here)
            if place is None:
                first = seen.t if reading.since is None else min(seen.t, reading.since)
                place = Lying(reading.centre, reading.box, first, seen.t)
                self.lying.append(place)
            still_here.add(id(place))
            (place.clear if seen.still else place.blurred).append(reading)
            place.last, place.missed, place.box = seen.t, 0.0, reading.box
            if seen.still:  # it may have rolled on a little since it was first seen
                place.centre = reading.centre
            quiet = seen.still and not seen.hands and not seen.cup_over_board
            place.alone = place.alone + quiet if len(dice) == 1 else 0
        for place in (*self.lying, *self._covered):
            if id(place) not in still_here and not covers(seen, place.box):
                place.missed += 1.0 if seen.still else 1 / 3
        if seen.cup_over_board:
            self._covered += [p for p in self.lying if id(p) not in still_here and p.resting]
            self.lying = [p for p in self.lying if id(p) in still_here]
        self.lying = [p for p in self.lying if not self.gone(p, seen.t)]
        self._covered = [p for p in self._covered if not self.gone(p, seen.t)]

    @staticmethod
    def gone(place: Lying, t: float) -> bool:
        """Whether a die was taken away (one that never lay still is dropped at once)."""
        if not place.resting:
            return place.missed > 0 and t - place.last > REST_SECONDS
        return place.missed >= GONE_FRAMES and t - place.last >= GONE_SECONDS

    def there(self, die: Lying) -> bool:
        """Whether a die lies there, in view or under a cup."""
        return die in self.lying or die in self._covered

    def resting(self) -> list[Lying]:
        """The dice that lie still now."""
        return [place for place in self.lying if place.resting]

    @property
    def rolling(self) -> bool:
        """Whether dice are in view that do not lie still."""
        return any(not place.resting for place in self.lying)

    def _nearest(self, reading: DieReading, taken: set[int]) -> Lying | None:
        near = [p for p in self.lying if id(p) not in taken and p.within(NEAR, reading)]
        if near:
            return min(near, key=lambda p: math.dist(p.centre, reading.centre))
        for place in self._covered:
            if place.within(SAME, reading) and place.reading().value == reading.value:
                self._covered.remove(place)
                self.lying.append(place)
                return place
        return None


def turned(die: Lying) -> bool:
    """Whether a die shows another value now, in its place, than was told, in several still frames."""
    now = die.clear[-TURNED_FRAMES:]
    other = {r.value for r in now if max(r.values) >= TURNED_SURE}
    return len(now) == TURNED_FRAMES and len(other) == 1 and die.told not in (None, *other)


def came_together(dice: Sequence[Lying], cup_in: float) -> bool:
    """Whether two dice or more were thrown at once (rules.md D1).

    They were not if one lay there already when a cup came over the board (last at ``cup_in`` seconds), and
    another came to rest only after that.
    """
    one, *_, other = sorted(dice, key=lambda die: die.first)
    return not one.first + REST_SECONDS <= cup_in < other.first + REST_SECONDS


def may_be_third(die: Lying, cast: Cast, frames: Sequence[Observation]) -> bool:
    """Whether a die may have been thrown with the two of a cast (rules.md D12).

    It came to rest on the field when they did, it is not one of them read twice, and frames of the time
    before show that none lay there: a stray die, the other pair or a cube did, and an arm that passed over
    it as the dice fell makes it seem new.
    """
    first = min(other.first for other in cast.dice)
    reading = die.readings[-1]
    if reading.half == "off" or reading.state in ("on_frame", "off_board"):
        return False
    if not first - TOGETHER_SECONDS <= die.first <= cast.t + TOGETHER_SECONDS:
        return False
    if any(_edges_apart(die.box, other.box) < APART for other in cast.dice):
        return False
    empty = 0
    for seen in reversed(frames):
        if not seen.still or seen.t >= min(first, die.first):
            continue
        if any(die.within(NEAR, there) for there in seen.dice):
            return False
        empty += not covers(seen, die.box)
        if empty == EMPTY_FRAMES:
            return True
    return False


def three_at_once(cast: Cast, third: Lying, frames: Iterable[Observation]) -> bool:
    """Whether several still frames show a third die beside the two of a cast, and it is surely one."""
    reading = third.reading()
    if min(reading.confidence, max(reading.values)) < THIRD_SURE:
        return False
    dice = (*cast.dice, third)
    shown = (
        {r.centre for die in dice for r in seen.dice if die.within(NEAR, r)}
        for seen in frames
        if seen.still and seen.t >= max(die.first for die in dice)
    )
    return sum(len(places) == len(dice) for places in shown) >= THREE_FRAMES


def _edges_apart(a: Box, b: Box) -> float:
    """Distance of the middles of two dice in edges: a cube turned at random covers about 1.3 edges."""
    edge = max(x1 - x0 + y1 - y0 for x0, y0, x1, y1 in (a, b)) / 2.6
    return math.hypot(a[0] + a[2] - b[0] - b[2], a[1] + a[3] - b[1] - b[3]) / (2 * edge)


def same_dice(old: Cast, new: Cast) -> bool:
    """Whether two casts lie in the same places, the same number up in each: then they are one, seen again."""

    def again(a: Lying) -> bool:
        near = (b for b in old.dice if math.dist(a.centre, b.centre) <= 1.5 * NEAR)
        return any(a.reading().value == b.reading().value for b in near)

    return len(old.dice) == len(new.dice) and all(again(die) for die in new.dice)


def seen_beside(old: Cast, new: Cast, seen: Observation) -> bool:
    """Whether a frame shows all dice of both casts: then they are not the same dice."""
    dice = (*old.dice, *new.dice)
    places = [{reading.centre for reading in seen.dice if die.within(NEAR, reading)} for die in dice]
    return all(places) and len(set.union(*places)) >= len(dice)
