"""The story of a match, made up from a seed: what lies on the table and who moves what, second by second.

The whole story is written before anything is painted, so the truth is known in full at once and
any frame can be painted on its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.events import Dice, Event, Fault, GameEnd, GameStart, PlayMade, Throw
from engine.judge import judge_play, right_half
from engine.layout import colour_of, to_slots
from engine.legal import Leave, Play, View, legal_plays, position_of, reach, view_of
from engine.match import game_result
from engine.notation import Move
from engine.observation import Half
from engine.position import BAR, OFF, Game, Position, Side
from engine.rules import RuleSet
from hardware.table import scene
from hardware.table.scene import (
    BAR_WIDTH,
    DIE,
    FIELD_X,
    FIELD_Y,
    RADIUS,
    RIM_HEIGHT,
    THICK,
    Checker,
    Die,
    Seats,
)

THROW_FAULTS: tuple[Fault, ...] = ("two_halves", "cocked", "on_checker", "on_frame", "off_board", "one_die")
#: Rules (rules.md) that a play can be told to break, by game.
PLAY_FAULTS: dict[Game, tuple[str, ...]] = {
    Game.BACKGAMMON: ("E8", "M3", "G5", "K2", "B1", "G11"),
    Game.LONG_NARDY: ("E8", "M3", "L2", "G4", "B1", "L7", "G11"),
}
_LEAVES = {
    "K2": Leave.BAR_FIRST,
    "L2": Leave.HEAD,
    "L7": Leave.WALL,
    "B1": Leave.ALL_HOME,
    "G4": Leave.FORWARD,
    "G5": Leave.FORWARD,
}

XY = tuple[float, float]


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
    """All scenes of a match in order, without gaps, and its events."""

    scenes: tuple[Scene, ...]
    events: tuple[Event, ...]

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


@dataclass(frozen=True, slots=True)
class _Turn:
    """A play that was chosen: its moves, what the truth says of it, and an opponent's checker moved."""

    moves: tuple[Move, ...]
    after: Position
    told: tuple[tuple[int, int], ...]
    notation: str
    rule: str | None = None
    foreign: Move | None = None


def tell(plan: Plan, rng: np.random.Generator) -> Story:
    """Make up a match."""
    return _Teller(plan, rng).match()


# --- choosing plays ---------------------------------------------------------------------------


def _worth(after: Position, game: Game, side: Side) -> float:
    """How much a sensible player likes a position: ahead, safe, and with points made."""
    own = [after.count(game, side, p) for p in range(26)]
    value = -after.pips(game, side) / 4 + own[OFF]
    if game is Game.LONG_NARDY:
        return value + 0.8 * sum(n > 0 for n in own[1:24]) - 0.35 * own[24]
    other = side.other
    theirs = [after.count(game, other, p) for p in range(26)]
    value += 4.0 * theirs[BAR]
    for point in range(1, 25):
        if own[point] >= 2:
            value += 1.5 if point <= 8 else 0.6
        elif own[point] == 1:
            # Enemy checkers that stand ahead of a blot, as the enemy moves, may hit it.
            shooters = sum(theirs[p] for p in range(26 - point, min(26, 25 - point + 13)))
            value -= min(shooters, 4) * (25 - point) / 12
    return value


def _choose(plays: Sequence[Play], rng: np.random.Generator) -> Play:
    values = [_worth(p.after, p.game, p.side) + rng.normal(0, 0.8) for p in plays]
    return plays[int(np.argmax(values))]


def _foul_candidates(
    kind: str, before: Position, side: Side, dice: Dice, rules: RuleSet, rng: np.random.Generator
) -> Iterator[tuple[tuple[Move, ...], Position, Move | None]]:
    """Ways to break a rule, physically possible ones, in no order; most of them break just that rule."""
    game = rules.game
    view = view_of(before, game, side)

    def reached(
        found: Sequence[dict[View, tuple[Move, ...]]],
    ) -> list[tuple[tuple[Move, ...], Position, None]]:
        ways = [
            (moves, position_of(end, game, side), None) for group in found for end, moves in group.items()
        ]
        return [ways[i] for i in rng.permutation(len(ways))]

    if kind == "G11":
        for play in legal_plays(before, side, dice, rules):
            after = view_of(play.after, game, side.other)
            for point in rng.permutation(np.arange(7, 25)).tolist():
                target = point - int(rng.integers(1, 7))
                if after.own[point] and not after.enemy[target]:
                    own = list(after.own)
                    own[point] -= 1
                    own[target] += 1
                    moved = position_of(replace(after, own=tuple(own)), game, side.other)
                    yield play.moves, moved, Move(point, target)
        return
    if kind == "M3":
        counts = reach(view, game, dice, rules).by_count
        yield from reached(counts[1 : max((n for n, group in enumerate(counts) if group), default=0)])
        return
    if kind == "E8":
        for which in rng.permutation(2).tolist():
            for wrong in rng.permutation(np.arange(1, 7)).tolist():
                rolled = (wrong, dice[1]) if which == 0 else (dice[0], wrong)
                if dice[0] != dice[1] and rolled[0] != rolled[1] and wrong not in dice:
                    yield from reached(reach(view, game, rolled, rules).by_count[2:])
        return
    yield from reached(reach(view, game, dice, rules, _LEAVES[kind]).by_count[1:])


def foul(
    kind: str, before: Position, side: Side, dice: Dice, rules: RuleSet, rng: np.random.Generator
) -> _Turn | None:
    """An illegal play that breaks the rule ``kind`` and for which the judge names it, if there is one."""
    for tried, (moves, after, foreign) in enumerate(_foul_candidates(kind, before, side, dice, rules, rng)):
        verdict = judge_play(before, side, dice, after, rules)
        if not verdict.legal and verdict.rule == kind:
            return _Turn(moves, after, verdict.moves, verdict.notation, kind, foreign)
        if tried > 80:
            break
    return None


# --- where dice come to rest ------------------------------------------------------------------

_CLEAR = DIE * 0.72  #: a flat die lies within this distance of its centre


class NoRoom(Exception):
    """There is no place for a die of this kind on the board as it stands."""


@dataclass(frozen=True, slots=True)
class _Lie:
    die: Die
    half: Half


def half_sign(half: Half) -> int:
    """-1 for the left half, +1 for the right."""
    return -1 if half == "left" else 1


def _free(xy: XY, checkers: Iterable[Checker], others: Iterable[XY]) -> bool:
    if any(math.hypot(c.x - xy[0], c.y - xy[1]) < RADIUS + _CLEAR + 0.15 for c in checkers):
        return False
    return all(math.hypot(x - xy[0], y - xy[1]) > 2 * _CLEAR + 0.2 for x, y in others)


def _flat(
    value: int, half: Half, checkers: Sequence[Checker], others: Sequence[XY], rng: np.random.Generator
) -> _Lie:
    """A die that lies flat in a half and touches nothing."""
    margin = _CLEAR + 0.2
    for attempt in range(600):
        x = rng.uniform(BAR_WIDTH / 2 + margin, FIELD_X - margin) * half_sign(half)
        strip = attempt > 200 or rng.random() < 0.7
        y = (
            float(np.clip(rng.normal(0, 0.8), -2, 2))
            if strip
            else rng.uniform(margin - FIELD_Y, FIELD_Y - margin)
        )
        if _free((x, y), checkers, others):
            return _Lie(scene.die_at(x, y, 0, value, rng.uniform(0, 2 * math.pi)), half)
    raise NoRoom(f"no room for a die in the {half} half")


def _cocked(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> _Lie:
    """A die that leans on the frame, the bar or a checker."""
    sign = half_sign(half)
    angle = math.radians(rng.uniform(22, 35))
    reach_out = DIE / 2 * (math.cos(angle) + math.sin(angle))
    yaw = math.pi / 2 * int(rng.integers(4)) + rng.normal(0, 0.06)
    lean = int(rng.choice([-1, 1]))

    def die(x: float, y: float, along: float) -> _Lie:
        """A die at a place whose support lies in the direction ``along`` (radians)."""
        axis = (-math.sin(along), math.cos(along), 0.0)
        tilt = scene.turn_about(axis, lean * angle)
        return _Lie(scene.die_at(x, y, 0, value, yaw + along, tilt), half)

    for _ in range(200):
        kind = rng.choice(["side", "bar", "end", "checker"])
        if kind in ("side", "bar"):
            outwards = sign if kind == "side" else -sign
            x = sign * (FIELD_X if kind == "side" else BAR_WIDTH / 2) - outwards * reach_out
            y = rng.uniform(-FIELD_Y + 2, FIELD_Y - 2)
            if _free((x, y), checkers, ()):
                return die(x, y, 0.0 if outwards > 0 else math.pi)
        elif kind == "end":
            edge = int(rng.choice([-1, 1]))
            x = sign * rng.uniform(BAR_WIDTH / 2 + 2, FIELD_X - 2)
            y = edge * (FIELD_Y - reach_out)
            if _free((x, y), checkers, ()):
                return die(x, y, edge * math.pi / 2)
        else:
            lying = [c for c in checkers if c.z < THICK / 2 and BAR_WIDTH / 2 < c.x * sign < FIELD_X]
            if not lying:
                continue
            leant = lying[int(rng.integers(len(lying)))]
            towards = -math.copysign(1, leant.y)
            y = leant.y + towards * (RADIUS + reach_out)
            if abs(y) < FIELD_Y - 2 and _free((leant.x, y), [c for c in checkers if c != leant], ()):
                near = [c for c in checkers if c != leant and math.hypot(c.x - leant.x, c.y - leant.y) < 1.5]
                if not near:  # a stack would hold it otherwise
                    return die(leant.x, y, -towards * math.pi / 2)
    raise NoRoom("nothing to lean on")


def _on_checker(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> _Lie:
    """A die that lies flat on top of a checker."""
    sign = half_sign(half)
    tops = [
        c
        for c in checkers
        if BAR_WIDTH / 2 < c.x * sign < FIELD_X
        and not any(o.z > c.z and math.hypot(o.x - c.x, o.y - c.y) < 2 * RADIUS for o in checkers)
    ]
    if not tops:
        raise NoRoom("no checker to lie on")
    c = tops[int(rng.integers(len(tops)))]
    x, y = c.x + rng.uniform(-0.4, 0.4), c.y + rng.uniform(-0.4, 0.4)
    return _Lie(scene.die_at(x, y, c.z + THICK, value, rng.uniform(0, 6.28)), half)


def _on_frame(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> _Lie:
    """A die that lies flat on the bar or on the frame."""
    sign = half_sign(half)
    yaw = rng.uniform(0, 6.28)
    for _ in range(100):
        if rng.random() < 0.5:
            x, y = sign * rng.uniform(0.1, 0.7), rng.uniform(-FIELD_Y + 2, FIELD_Y - 2)
        else:
            x, y = sign * (FIELD_X + scene.RIM / 2), rng.uniform(-FIELD_Y, FIELD_Y)
            yaw = math.pi / 2 * int(rng.integers(4)) + rng.normal(0, 0.12)
        if _free((x, y), [c for c in checkers if c.z > THICK], ()):
            return _Lie(scene.die_at(x, y, RIM_HEIGHT, value, yaw), half)
    raise NoRoom("the frame is full")


def _off_board(value: int, rng: np.random.Generator) -> _Lie:
    """A die on the table, left of the board (the tray is on the right)."""
    x = -FIELD_X - scene.RIM - rng.uniform(2.6, 3.9)
    y = rng.uniform(-FIELD_Y + 4, FIELD_Y - 4)
    return _Lie(scene.die_at(x, y, scene.TABLE, value, rng.uniform(0, 6.28)), "off")


def throw_dice(
    dice: Dice, fault: Fault | None, half: Half, checkers: Sequence[Checker], rng: np.random.Generator
) -> tuple[_Lie, ...]:
    """Where both dice come to rest; a ``fault`` is committed with one of them. Raises ``NoRoom``."""
    bad = int(rng.integers(2))
    other: Half = "left" if half == "right" else "right"
    first: _Lie
    match fault:
        case None | "two_halves" | "one_die":
            first = _flat(dice[bad], half, checkers, (), rng)
        case "cocked":
            first = _cocked(dice[bad], half, checkers, rng)
        case "on_checker":
            first = _on_checker(dice[bad], half, checkers, rng)
        case "on_frame":
            first = _on_frame(dice[bad], half, checkers, rng)
        case "off_board":
            first = _off_board(dice[bad], rng)
        case _:
            raise ValueError(f"the table cannot commit {fault!r}")
    if fault == "one_die":
        return (first,)
    place = [(first.die.centre[0], first.die.centre[1])]
    second = _flat(dice[1 - bad], other if fault == "two_halves" else half, checkers, place, rng)
    return (first, second) if bad == 0 else (second, first)


# --- the story --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Teller:
    plan: Plan
    rng: np.random.Generator
    now: float = 0.0
    scenes: list[Scene] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    stacks: dict[tuple[Side, int], list[Checker]] = field(default_factory=dict)
    dice: tuple[Die, ...] = ()
    hand: XY | None = None
    due: list[tuple[int, str]] = field(default_factory=list)
    turns: int = 0

    # Building blocks: each adds a scene and leaves the table as it is after it.

    @property
    def checkers(self) -> tuple[Checker, ...]:
        return tuple(c for stack in self.stacks.values() for c in stack)

    def add(self, seconds: float, action: Reach | Roll | Sweep | None = None) -> None:
        end = self.now + seconds * self.plan.pace * float(self.rng.uniform(0.92, 1.08))
        self.scenes.append(Scene(self.now, end, self.checkers, self.dice, action))
        self.now = end

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
        self.due = self._schedule()
        side = Side.WHITE if self.rng.random() < 0.5 else Side.BLACK
        score = {Side.WHITE: 0, Side.BLACK: 0}
        self.set_up()
        while True:
            self._event(GameStart(t=self.now, game=game, rules=self.plan.rules.name,
                                  position=Position.start(game), side_to_move=side))  # fmt: skip
            self.add(1.6)
            winner = self._game(side)
            if winner is None:
                break
            score[winner[0]] += winner[1]
            if score[winner[0]] >= self.plan.points:
                break
            side = winner[0]  # the winner begins the next game (rules.md G9, S2-E)
            self._next_game(side)
        self.add(1.0)
        return Story(tuple(self.scenes), tuple(self.events))

    def _event(self, event: Event) -> None:
        self.events.append(event)

    def _schedule(self) -> list[tuple[int, str]]:
        """At which turn each fault falls due: spread evenly, each kind of fault on its own."""
        turns = self.plan.max_turns or 40
        due: list[tuple[int, str]] = []
        for group in (
            [f for f in self.plan.faults if f in THROW_FAULTS],
            [f for f in self.plan.faults if f not in THROW_FAULTS],
        ):
            for i, kind in enumerate(group):
                due.append((1 + int((i + self.rng.uniform(0.1, 0.7)) * (turns - 1) / len(group)), kind))
        return sorted(due)

    def _next_game(self, side: Side) -> None:
        self.add(0.8)
        old = self.stacks
        self.set_up()
        new, self.stacks = self.stacks, old
        self.add(1.6, Sweep(side, tuple(c for stack in new.values() for c in stack)))
        self.stacks = new

    def _game(self, side: Side) -> tuple[Side, int] | None:
        """Play a game; its winner and the points, or ``None`` if the story stops before its end."""
        game = self.plan.rules.game
        position = Position.start(game)
        while True:
            if self.plan.max_turns is not None and self.turns >= self.plan.max_turns:
                return None
            position = self._turn(position, side)
            self.turns += 1
            result = game_result(position, game)
            if result is not None:
                self._event(
                    GameEnd(t=self.now, winner=result.winner, result=result.result, points=result.points)
                )
                return result.winner, result.points
            side = side.other

    def _turn(self, position: Position, side: Side) -> Position:
        game = self.plan.rules.game
        dice = self._roll_values()
        turn = self._decide(position, side, dice)
        landings = self._landings(side, turn)
        for entry in [e for e in self.due if e[0] <= self.turns and e[1] in THROW_FAULTS][:1]:
            lies = self._lies(side, self._roll_values(), THROW_FAULTS[THROW_FAULTS.index(entry[1])], landings)
            if lies is not None:
                self.due.remove(entry)
                self._throw(side, lies, THROW_FAULTS[THROW_FAULTS.index(entry[1])])
                self.add(0.9)
                self.lift_dice(side)
                self.add(0.35)
        lies = self._lies(side, dice, None, landings)
        assert lies is not None
        self._throw(side, lies, None)
        self.add(0.75 if turn.moves else 1.3)
        for move in turn.moves:
            enemy = self.plan.rules.game is Game.BACKGAMMON and self._enemy_on(side, move.to_point)
            if enemy:
                self.carry(side, side.other, BAR - move.to_point, BAR)
            self.carry(side, side, move.from_point, move.to_point)
        if turn.foreign is not None:
            self.carry(side, side.other, turn.foreign.from_point, turn.foreign.to_point)
        self.reach(side, None, 0.3)
        if turn.moves:
            self.add(0.45)
        t = self.lift_dice(side)
        orientation = self.plan.seats.orientation
        self._event(
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
        counts = {key: len(stack) for key, stack in self.stacks.items() if stack}
        if counts != scene.stacks(turn.after, game):
            raise AssertionError(f"the table shows another position than the truth after {turn.notation}")
        self.add(0.35)
        return turn.after

    def _roll_values(self) -> Dice:
        a, b = self.rng.integers(1, 7, 2).tolist()
        return a, b

    def _enemy_on(self, side: Side, point: int) -> bool:
        return 0 < point < BAR and bool(self.stacks.get((side.other, BAR - point)))

    def _decide(self, position: Position, side: Side, dice: Dice) -> _Turn:
        """The play of a turn: a foul that is due and possible here, or a sensible legal play."""
        rules = self.plan.rules
        for entry in self.due:
            if entry[0] <= self.turns and entry[1] not in THROW_FAULTS:
                wrong = foul(entry[1], position, side, dice, rules, self.rng)
                if wrong is not None:
                    self.due.remove(entry)
                    return wrong
        play = _choose(legal_plays(position, side, dice, rules), self.rng)
        told = tuple((m.from_point, m.to_point) for m in play.moves)
        return _Turn(play.moves, play.after, told, play.notation)

    def _landings(self, side: Side, turn: _Turn) -> list[Checker]:
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
    ) -> tuple[_Lie, ...] | None:
        """Where the dice of a throw come to rest, rather in the half to the thrower's right."""
        halves: tuple[Half, ...] = (right_half(side, self.plan.seats.orientation),)
        halves += ("left",) if halves[0] == "right" else ("right",)
        if self.rng.random() < 0.25:
            halves = halves[::-1]
        for half in halves:
            try:
                return throw_dice(dice, fault, half, checkers, self.rng)
            except NoRoom:
                continue
        return None

    def _throw(self, side: Side, lies: tuple[_Lie, ...], fault: Fault | None) -> None:
        finals = tuple(lie.die for lie in lies)
        spins = tuple(float(self.rng.uniform(7, 12)) for _ in lies)
        side_x = sum(lie.die.centre[0] for lie in lies if lie.half != "off")
        cup_x = math.copysign(FIELD_X / 2, side_x) + float(self.rng.uniform(-3, 3))
        seat = self.plan.seats.sign(side)
        cup = (cup_x, seat * (FIELD_Y - 7.0 + float(self.rng.uniform(-1, 2))))
        self.add(1.35, Roll(side, finals, spins, cup))
        self.dice = finals
        values = tuple(scene.top_value(d) for d in finals)
        self._event(
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
