"""The story of a match, made up from a seed: what lies on the table and who moves what, second by second.

The whole story is written before anything is painted, so the truth is known in full at once and
any frame can be painted on its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from engine.events import Dice, Event, Fault, GameEnd, GameStart, PlayMade, Throw
from engine.layout import colour_of, to_slots
from engine.legal import legal_plays
from engine.observation import Half
from engine.position import BAR, CHECKERS, Game, Position, Side
from engine.rules import RuleSet
from engine.scoring import GameResult, game_result
from engine.throws import right_half
from hardware.table import scene
from hardware.table.choices import Turn, choose, foul
from hardware.table.landing import THROW_FAULTS, XY, Lie, NoRoom, throw_dice
from hardware.table.scene import (
    FIELD_X,
    FIELD_Y,
    Checker,
    Die,
    Seats,
)


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand on its way from ``start`` to ``end`` (fingertips); ``None`` is out of the picture."""

    side: Side
    start: XY | None
    end: XY | None
    carried: Checker | None = None  #: held; it travels from where it lies to ``lands``
    lands: Checker | None = None


@dataclass(frozen=True, slots=True)
class Roll:
    """Dice that come out of the cup and come to rest as ``dice``; ``spins`` are radians in all."""

    side: Side
    dice: tuple[Die, ...]
    spins: tuple[float, ...]
    cup: XY


@dataclass(frozen=True, slots=True)
class Sweep:
    """An arm that passes over the whole board; what lies there changes half-way to ``then``."""

    side: Side
    then: tuple[Checker, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens between two moments: what lies still, and what moves over it."""

    start: float
    end: float
    checkers: tuple[Checker, ...]
    dice: tuple[Die, ...]
    action: Reach | Roll | Sweep | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """All scenes of a match in order, without gaps, and its events.

    ``stills``: for each event, the second from which all that it rests on lay still in plain view: of
    a throw that is its ``t``, of a play when the hand that lifted the dice had left the picture.
    """

    scenes: tuple[Scene, ...]
    events: tuple[Event, ...]
    stills: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return self.scenes[-1].end


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be told. ``faults``: throw faults and rule ids to break, spread over the match."""

    rules: RuleSet
    seats: Seats
    points: int
    faults: tuple[str, ...]
    max_turns: int | None
    pace: float


Kind = TypeVar("Kind", bound=str)


def tell(plan: Plan, rng: np.random.Generator) -> Story:
    """Make up a match."""
    return _Teller(plan, rng).match()


@dataclass(slots=True)
class _Teller:
    plan: Plan
    rng: np.random.Generator
    now: float = 0.0
    scenes: list[Scene] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    stills: list[float] = field(default_factory=list)
    stacks: dict[tuple[Side, int], list[Checker]] = field(default_factory=dict)
    dice: tuple[Die, ...] = ()
    hand: XY | None = None
    due_throws: list[tuple[int, Fault]] = field(default_factory=list)  #: (turn, fault), in order
    due_plays: list[tuple[int, str]] = field(default_factory=list)  #: (turn, rule to break), in order
    turns: int = 0

    # Building blocks: each adds a scene and leaves the table as it is after it.

    @property
    def checkers(self) -> tuple[Checker, ...]:
        return tuple(c for stack in self.stacks.values() for c in stack)

    def add(self, seconds: float, action: Reach | Roll | Sweep | None = None) -> None:
        end = self.now + seconds * self.plan.pace * float(self.rng.uniform(0.92, 1.08))
        self.scenes.append(Scene(self.now, end, self.checkers, self.dice, action))
        self.now = end

    def tell(self, event: Event) -> None:
        """An event that can be seen from now on."""
        self.events.append(event)
        self.stills.append(self.now)

    def put(self, side: Side, point: int) -> Checker:
        """Where the next checker of a side on a point will lie, laid a little carelessly."""
        nth = len(self.stacks.get((side, point), ()))
        x, y, z = self.plan.seats.place(side, point, nth)
        dx, dy = np.clip(self.rng.normal(0, (0.07, 0.04)), -0.12, 0.12)
        return Checker(x + float(dx), y + float(dy), z, side is Side.BLACK, int(self.rng.integers(100)))

    def set_up(self) -> None:
        self.stacks = {}
        for (side, point), count in scene.stacks(
            Position.start(self.plan.rules.game), self.plan.rules.game
        ).items():
            for _ in range(count):
                self.stacks.setdefault((side, point), []).append(self.put(side, point))

    def reach(self, side: Side, to: XY | None, seconds: float) -> None:
        if self.hand == to:
            return
        self.add(seconds, Reach(side, self.hand, to))
        self.hand = to

    def carry(self, by: Side, owner: Side, start: int, end: int) -> None:
        """Move the top checker of a point to another."""
        stack = self.stacks[(owner, start)]
        self.reach(by, (stack[-1].x, stack[-1].y), 0.32)
        checker = stack.pop()
        landed = replace(self.put(owner, end), look=checker.look)
        self.add(0.42, Reach(by, self.hand, (landed.x, landed.y), checker, landed))
        self.hand = (landed.x, landed.y)
        self.stacks.setdefault((owner, end), []).append(landed)

    def lift_dice(self, side: Side) -> float:
        """The hand takes the dice away; the moment at which the last one is lifted."""
        for die in sorted(self.dice, key=lambda d: -d.centre[1] * self.plan.seats.sign(side)):
            self.reach(side, (die.centre[0], die.centre[1]), 0.3 if self.hand is None else 0.2)
            self.dice = tuple(d for d in self.dice if d != die)
        lifted = self.now
        self.reach(side, None, 0.3)
        return lifted

    # A match.

    def match(self) -> Story:
        game = self.plan.rules.game
        faults = self.plan.faults
        self.due_throws = self._schedule([kind for f in faults for kind in THROW_FAULTS if kind == f])
        self.due_plays = self._schedule([f for f in faults if f not in THROW_FAULTS])
        side = Side.WHITE if self.rng.random() < 0.5 else Side.BLACK
        score = {Side.WHITE: 0.0, Side.BLACK: 0.0}
        self.set_up()
        while True:
            start = Position.start(game)
            self.tell(GameStart(t=self.now, rules=self.plan.rules, position=start, side_to_move=side))
            self.add(1.6)
            result = self._game(side)
            if result is None:
                break
            for winner in Side:
                if result.winner in (winner, None):  # a draw gives points to both (rules.md B8)
                    score[winner] += result.points
            if max(score.values()) >= self.plan.points:
                break
            side = result.winner or side  # the winner begins the next game (rules.md G9, S2-E)
            self._next_game(side)
        self.add(1.0)
        return Story(tuple(self.scenes), tuple(self.events), tuple(self.stills))

    def _schedule(self, kinds: Sequence[Kind]) -> list[tuple[int, Kind]]:
        """At which turn each fault falls due: spread evenly, in the order given."""
        turns = self.plan.max_turns or 40
        return [
            (1 + int((i + self.rng.uniform(0.1, 0.7)) * (turns - 1) / len(kinds)), kind)
            for i, kind in enumerate(kinds)
        ]

    def _next_game(self, side: Side) -> None:
        self.add(0.8)
        old = self.stacks
        self.set_up()
        new, self.stacks = self.stacks, old
        self.add(1.6, Sweep(side, tuple(c for stack in new.values() for c in stack)))
        self.stacks = new

    def _game(self, side: Side) -> GameResult | None:
        """Play a game; its result, or ``None`` if the story stops before its end."""
        rules = self.plan.rules
        position, first, taken = Position.start(rules.game), side, False
        while True:
            if self.plan.max_turns is not None and self.turns >= self.plan.max_turns:
                return None
            position = self._turn(position, side)
            self.turns += 1
            result = game_result(position, rules, first=first, last_throw_taken=taken)
            taken = CHECKERS in position.off
            if result is not None:
                self.tell(
                    GameEnd(t=self.now, winner=result.winner, result=result.result, points=result.points)
                )
                return result
            side = side.other

    def _turn(self, position: Position, side: Side) -> Position:
        dice = self._roll_values()
        turn = self._decide(position, side, dice)
        landings = self._landings(side, turn)
        self._throw_badly_if_due(side, landings)
        self._throw(side, self._lies(side, dice, None, landings), None)
        self._move(side, turn)
        t = self.lift_dice(side)
        orientation = self.plan.seats.orientation
        self.tell(
            PlayMade(
                t=t,
                side=side,
                colour=colour_of(side),
                dice=dice,
                moves=turn.told,
                notation=turn.notation,
                legal=turn.rule is None,
                rule=turn.rule,
                position=turn.after,
                slots=to_slots(turn.after, orientation),
                bar=turn.after.bar,
                off=turn.after.off,
            )
        )
        self.add(0.35)
        return turn.after

    def _throw_badly_if_due(self, side: Side, landings: Sequence[Checker]) -> None:
        """Throw invalidly and lift the dice again; put off while the board has no place for that fault."""
        if not self.due_throws or self.due_throws[0][0] > self.turns:
            return
        fault = self.due_throws[0][1]
        try:
            lies = self._lies(side, self._roll_values(), fault, landings)
        except NoRoom:
            return
        del self.due_throws[0]
        self._throw(side, lies, fault)
        self.add(0.9)
        self.lift_dice(side)
        self.add(0.35)

    def _move(self, side: Side, turn: Turn) -> None:
        """The hand moves the checkers one by one, hit ones first, and leaves."""
        self.add(0.75 if turn.moves else 1.3)
        for move in turn.moves:
            if self._hits(side, move.to_point):
                self.carry(side, side.other, BAR - move.to_point, BAR)
            self.carry(side, side, move.from_point, move.to_point)
        if turn.foreign is not None:
            self.carry(side, side.other, turn.foreign.from_point, turn.foreign.to_point)
        self.reach(side, None, 0.3)
        if turn.moves:
            self.add(0.45)
        counts = {key: len(stack) for key, stack in self.stacks.items() if stack}
        assert counts == scene.stacks(turn.after, self.plan.rules.game), turn.notation

    def _roll_values(self) -> Dice:
        a, b = self.rng.integers(1, 7, 2).tolist()
        return a, b

    def _hits(self, side: Side, point: int) -> bool:
        short = self.plan.rules.game is Game.BACKGAMMON
        return short and 0 < point < BAR and bool(self.stacks.get((side.other, BAR - point)))

    def _decide(self, position: Position, side: Side, dice: Dice) -> Turn:
        """The play of a turn: a foul that is due and possible here, or a sensible legal play."""
        rules = self.plan.rules
        for place, (turn, kind) in enumerate(self.due_plays):
            wrong = foul(kind, position, side, dice, rules, self.rng) if turn <= self.turns else None
            if wrong is not None:
                del self.due_plays[place]
                return wrong
        play = choose(legal_plays(position, side, dice, rules), self.rng)
        told = tuple((m.from_point, m.to_point) for m in play.moves)
        return Turn(play.moves, play.after, told, play.notation)

    def _landings(self, side: Side, turn: Turn) -> list[Checker]:
        """Everywhere that a checker lies or will lie in this turn, so that no die lies in its way."""
        counts = {key: len(stack) for key, stack in self.stacks.items()}
        places = list(self.checkers)

        def land(owner: Side, point: int) -> None:
            nth = counts.get((owner, point), 0)
            x, y, z = self.plan.seats.place(owner, point, nth)
            places.append(Checker(x, y, z, owner is Side.BLACK, 0))
            counts[(owner, point)] = nth + 1

        for move in turn.moves:
            counts[(side, move.from_point)] -= 1
            land(side, move.to_point)
        if turn.foreign is not None:
            counts[(side.other, turn.foreign.from_point)] -= 1
            land(side.other, turn.foreign.to_point)
        return places

    def _lies(
        self, side: Side, dice: Dice, fault: Fault | None, checkers: Sequence[Checker]
    ) -> tuple[Lie, ...]:
        """Where the dice of a throw come to rest, rather in the half to the thrower's right.

        Raises ``NoRoom`` if a fault is not possible in either half; a valid throw always is.
        """
        halves: tuple[Half, ...] = (right_half(side, self.plan.seats.orientation),)
        halves += ("left",) if halves[0] == "right" else ("right",)
        if self.rng.random() < 0.25:
            halves = halves[::-1]
        try:
            return throw_dice(dice, fault, halves[0], checkers, self.rng)
        except NoRoom:
            return throw_dice(dice, fault, halves[1], checkers, self.rng)

    def _throw(self, side: Side, lies: tuple[Lie, ...], fault: Fault | None) -> None:
        finals = tuple(lie.die for lie in lies)
        spins = tuple(float(self.rng.uniform(7, 12)) for _ in lies)
        side_x = sum(lie.die.centre[0] for lie in lies if lie.half != "off")
        cup_x = math.copysign(FIELD_X / 2, side_x) + float(self.rng.uniform(-3, 3))
        seat = self.plan.seats.sign(side)
        cup = (cup_x, seat * (FIELD_Y - 7.0 + float(self.rng.uniform(-1, 2))))
        self.add(1.35, Roll(side, finals, spins, cup))
        self.dice = finals
        values = tuple(scene.top_value(d) for d in finals)
        self.tell(
            Throw(
                t=self.now,
                side=side,
                colour=colour_of(side),
                dice=(values[0], values[1] if len(values) > 1 else 0),
                valid=fault is None,
                faults=() if fault is None else (fault,),
                halves=tuple(lie.half for lie in lies),
            )
        )
