"""A table at the level of observations: what a camera's eyes would report of games, without pictures.

It makes the timeline of whole games (hands, cups, rolling dice, half-made plays, lifted dice) and the
noise of reading them, and keeps the truth beside.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.events import Dice, Fault
from engine.layout import Orientation, slot_of, to_slots
from engine.legal import Play, legal_plays
from engine.notation import Move
from engine.observation import BoardView, Box, DieReading, DieState, Half, Observation, SlotReading
from engine.position import BAR, OFF, Position, Side, index_of
from engine.rules import RuleSet
from engine.scoring import game_result

BOARD = BoardView(((100, 80), (1180, 80), (1180, 640), (100, 640)), (0.48, 0.52), 0.98)
HAND: Box = (0.0, 0.0, 90.0, 90.0)  #: at the edge of the picture, over no die
HIDDEN = SlotReading(((0, 1.0),), visible=False)


@dataclass(frozen=True)
class Noise:
    """How badly the eyes see; all zero is perfect."""

    slot_wrong: float = 0.0  #: single-frame misreading of a slot
    tall_spread: float = 0.0  #: probability that stacks above five give to one more and one less
    die_wrong: float = 0.0  #: single-frame misreading of a die's value
    die_missing: float = 0.0
    state_wrong: float = 0.0
    not_still: float = 0.0  #: a still frame reported as moving
    jitter: float = 0.0  #: board units


CLEAR = Noise()
NOISY = Noise(0.02, 0.15, 0.04, 0.05, 0.04, 0.03, 0.004)


@dataclass(frozen=True)
class Thrown:
    """Truth of a throw."""

    side: Side
    dice: Dice
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Played:
    """Truth of a play."""

    side: Side
    after: Position
    legal: bool
    rule: str | None = None


@dataclass
class Die:
    """A die on the table."""

    value: int
    centre: tuple[float, float]
    state: DieState = "flat"
    half: Half = "left"
    seen: bool = True
    since: float | None = None  #: seconds, when it came to rest, if the camera tells
    touching: float = 0.0  #: probability that it touches a checker, as the camera tells it


def applied(position: Position, rules: RuleSet, side: Side, move: Move) -> Position:
    """The position after one single move, legal or not."""
    points, bar, off = list(position.points), list(position.bar), list(position.off)
    if move.from_point == BAR:
        bar[side.index] -= 1
    else:
        points[index_of(rules.game, side, move.from_point)] -= side.sign
    if move.to_point == OFF:
        off[side.index] += 1
    else:
        target = index_of(rules.game, side, move.to_point)
        if points[target] * side.sign < 0:
            points[target] += side.sign
            bar[side.other.index] += 1
        points[target] += side.sign
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


@dataclass
class Table:
    """A table whose observations and truth grow as things happen on it."""

    rules: RuleSet
    seed: int = 0
    fps: float = 10.0
    noise: Noise = CLEAR
    orientation: Orientation = Orientation.BOTTOM_RIGHT
    white_is_light: bool = True
    position: Position = field(init=False)
    seen: list[Observation] = field(default_factory=list)
    truth: list[Thrown | Played] = field(default_factory=list)
    dice: list[Die] = field(default_factory=list)
    t: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.blur = random.Random(self.seed)  # apart, so that noise does not change the game
        self.position = Position.start(self.rules.game)

    # -- single frames

    def frame(
        self,
        *,
        still: bool = True,
        hands: Sequence[Box] = (),
        cup: bool = False,
        hidden: Sequence[int] = (),
        hide_dice: bool = False,
    ) -> None:
        """One frame of the table as it stands; ``hidden`` slots are covered."""
        noise, rng = self.noise, self.blur
        counts = to_slots(self.position, self.orientation, self.white_is_light)
        slots = [HIDDEN if s in hidden else self._slot(n, s) for s, n in enumerate(counts)]
        light, dark = (0, 1) if self.white_is_light else (1, 0)
        bar = (
            _reading(self.position.bar[light]),
            _reading(-self.position.bar[dark]),
        )
        dice = () if hide_dice else tuple(self._die(d) for d in self.dice if self._die_seen(d))
        self.seen.append(
            Observation(
                t=round(self.t, 3),
                seq=len(self.seen),
                board=BOARD,
                slots=tuple(slots),
                bar=bar,
                dice=dice,
                hands=tuple(hands),
                cup=(500.0, 200.0, 620.0, 380.0) if cup else None,
                cup_over_board=cup,
                still=still and rng.random() >= noise.not_still,
            )
        )
        self.t += 1 / self.fps

    def _slot(self, count: int, slot: int) -> SlotReading:
        noise, rng = self.noise, self.blur
        if noise.slot_wrong and rng.random() < noise.slot_wrong:
            wrong = count + rng.choice((-1, 1))
            return SlotReading(((wrong, 0.7), (count, 0.25)))
        if abs(count) > 5 and noise.tall_spread:
            p = noise.tall_spread
            step = 1 if count > 0 else -1
            return SlotReading(((count, 1 - 1.6 * p), (count - step, 0.9 * p), (count + step, 0.6 * p)))
        return _reading(count)

    def _die_seen(self, die: Die) -> bool:
        return die.seen and self.blur.random() >= self.noise.die_missing

    def _die(self, die: Die) -> DieReading:
        noise, rng = self.noise, self.blur
        value, top = die.value, 0.97
        if rng.random() < noise.die_wrong:
            value, top = rng.choice([v for v in range(1, 7) if v != die.value]), 0.8
        values = [(1 - top) / 5] * 6
        values[value - 1] = top
        state, p = die.state, 0.95
        if rng.random() < noise.state_wrong:
            state, p = rng.choice(("flat", "cocked")), 0.7
        states: list[tuple[DieState, float]] = [(state, p)]
        states.append(("cocked" if state == "flat" else "flat", 1 - p))
        x = die.centre[0] + rng.gauss(0, noise.jitter)
        y = die.centre[1] + rng.gauss(0, noise.jitter)
        px, py = 100 + 1080 * x, 80 + 560 * y
        return DieReading(
            (values[0], values[1], values[2], values[3], values[4], values[5]),
            tuple(states),
            (px - 24, py - 24, px + 24, py + 24),
            (x, y),
            die.half,
            0.95,
            die.since,
            die.touching,
        )

    # -- things that happen

    def rest(self, seconds: float) -> None:
        """Nothing moves."""
        for _ in range(max(1, round(seconds * self.fps))):
            self.frame()

    def hand(self, seconds: float, near: Sequence[int] = (), *, over_dice: bool = False) -> None:
        """A hand moves over some slots of the picture."""
        boxes = [HAND] if not over_dice else [HAND, (100.0, 80.0, 1180.0, 640.0)]
        for _ in range(max(1, round(seconds * self.fps))):
            self.frame(still=False, hands=boxes, hidden=near, hide_dice=over_dice)

    def throw(
        self,
        side: Side,
        dice: Dice,
        *,
        states: tuple[DieState, DieState] = ("flat", "flat"),
        halves: tuple[Half, Half] = ("left", "left"),
        seen: tuple[bool, bool] = (True, True),
        faults: tuple[Fault, ...] = (),
        cup: bool = True,
        lie: float = 1.5,
        record: bool = True,
        places: Sequence[tuple[float, float]] | None = None,
    ) -> None:
        """The dice leave the cup, roll and come to rest for ``lie`` seconds, in ``places`` if given."""
        rng = self.random
        for _ in range(max(1, round(0.6 * self.fps))):
            self.frame(still=False, cup=cup, hands=[HAND], hidden=(6, 7, 18, 19))
        places = list(places) if places else [self._place(half) for half in halves]
        while abs(places[0][0] - places[1][0]) < 0.06:
            places[1] = self._place(halves[1])
        rolling = [Die(rng.randint(1, 6), p, "cocked", h) for p, h in zip(places, halves, strict=True)]
        for k in range(max(1, round(0.4 * self.fps))):
            self.dice = [
                replace(d, value=rng.randint(1, 6), centre=(d.centre[0] - 0.3 + 0.06 * k, d.centre[1]))
                for d in rolling
            ]
            self.frame(still=False)
        self.dice = [
            Die(v, p, s, h, shown)
            for v, p, s, h, shown in zip(dice, places, states, halves, seen, strict=True)
        ]
        if record:
            self.truth.append(Thrown(side, dice, faults))
        self.rest(lie)

    def _place(self, half: Half) -> tuple[float, float]:
        low, high = {"left": (0.1, 0.42), "right": (0.58, 0.9), "off": (1.08, 1.15)}[half]
        return self.random.uniform(low, high), self.random.uniform(0.42, 0.58)

    def move(self, side: Side, move: Move, *, pause: float = 0.3) -> None:
        """A hand carries one checker; while it does, the checker is nowhere."""
        near = [
            slot_of(self.orientation, index_of(self.rules.game, side, p))
            for p in (move.from_point, move.to_point)
            if p not in (BAR, OFF)
        ]
        self.hand(0.4, near)
        self.position = applied(self.position, self.rules, side, move)
        self.hand(0.2, near)
        if pause:
            self.rest(pause)

    def put(self, after: Position) -> None:
        """A hand brings the whole board into another position."""
        self.hand(0.6, range(24))
        self.position = after
        self.hand(0.2, range(6))

    def lift(self, *, empty: float = 0.8) -> None:
        """The dice are taken away, one after the other."""
        self.hand(0.2, over_dice=True)
        self.dice = self.dice[1:]
        self.hand(0.2, over_dice=True)
        self.dice = []
        self.hand(0.2)
        self.rest(empty)

    def play(self, play: Play, *, record: bool = True, lift: bool = True) -> None:
        """A legal play, move by move, and the lifting of the dice."""
        for move in play.moves:
            self.move(play.side, move)
        assert self.position == play.after
        if record:
            self.truth.append(Played(play.side, play.after, True))
        if lift:
            self.lift()

    def illegal(self, side: Side, after: Position, rule: str | None = None) -> None:
        """A play that is not legal, and the lifting of the dice."""
        self.rest(0.3)
        if after != self.position:
            self.put(after)
        self.rest(0.4)
        self.truth.append(Played(side, after, False, rule))
        self.lift()

    def legal(self, side: Side, dice: Dice) -> Play:
        """A legal play, taken at random."""
        return self.random.choice(legal_plays(self.position, side, dice, self.rules))

    def roll(self) -> Dice:
        """Two dice."""
        return self.random.randint(1, 6), self.random.randint(1, 6)

    def turn(self, side: Side, dice: Dice | None = None, **thrown: object) -> None:
        """A throw and a legal play taken at random."""
        roll = dice or self.roll()
        self.throw(side, roll, **thrown)  # type: ignore[arg-type]
        self.play(self.legal(side, roll))

    def game(self, first: Side = Side.WHITE, turns: int | None = None) -> None:
        """A whole game of random legal plays, or the first ``turns`` of it."""
        side = first
        if not self.seen:
            self.rest(1.0)
        count = 0
        while game_result(self.position, self.rules) is None and (turns is None or count < turns):
            self.turn(side)
            side = side.other
            count += 1
        self.rest(1.0)


def _reading(count: int) -> SlotReading:
    return SlotReading(((count, 0.98), (count + (1 if count >= 0 else -1), 0.015)))
