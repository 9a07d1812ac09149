"""The judge of plays: is what stands on the board legal, and if not, which rules does it break.

A legal play is looked up among those of :func:`engine.legal.legal_plays`, which is the law here. An
illegal one is *explained*: the judge looks for the ways in which the checkers can have gone from the
board before to the board after, by the dice rolled or, failing that, by distances that were not
rolled, and takes the way that breaks the fewest rules. The search only follows steps that lead
towards the board that stands, so it stays small however many plays a roll allows.

Rules are named by their id in rules.md, points are points of the mover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, combinations_with_replacement, islice, permutations
from typing import Literal, TypeAlias, get_args

from engine.events import Dice, MoveXY, PlayMade
from engine.layout import Orientation, colour_of, to_slots
from engine.legal import (
    HEAD,
    HOME,
    WALL,
    Play,
    View,
    illegal_walls,
    legal_plays,
    position_of,
    view_of,
    ways,
)
from engine.notation import Move, notation, point_name, roll_text
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side
from engine.rules import RuleSet

#: What was done wrong, gravest first, which is the order in which breaches are told: first what the
#: mover may not touch at all, then how he moved, then what he left undone.
Cause = Literal[
    "checkers_missing",
    "checkers_added",
    "wrong_side",  # only the opponent's checkers were moved
    "opponent_moved",  # an opponent's checker was moved besides
    "hit_not_on_bar",  # a checker that was hit is on the board still
    "bar_without_hit",  # a checker is on the bar that nobody hit
    "past_bar",  # another checker moved while one waits on the bar
    "backwards",
    "die_twice",
    "die_split",  # one die divided between two checkers
    "too_many_moves",
    "too_far",
    "too_short",
    "head_twice",
    "closed_point",
    "off_too_early",
    "off_same_turn",  # borne off in the turn in which the last checker came home
    "off_wrong_point",
    "wall",
    "wall_on_the_run",
    "hit_and_hide",
    "same_checker",
    "smaller_die",
    "wrong_checker",  # a move after which the other die cannot be played, though another play uses both
    "die_unused",
    "no_play",  # something was moved although nothing could be played
]
_GRAVITY: dict[str, int] = {cause: place for place, cause in enumerate(get_args(Cause))}

#: How unlikely a cause is beside others (1): of ways that break as many rules the likelier is taken.
_WEIGHT: dict[str, float] = {
    "die_unused": 0.9,
    "wall_on_the_run": 0.95,  # nobody can stop on an opponent's checker in passing
    "off_same_turn": 0.95,  # who plays by other rules comes home first
    "bar_without_hit": 1.2,
    "hit_not_on_bar": 1.1,
}

_HEAD_COUNTED = (("head_twice", "L2"), ("head_twice", "L5"))

AGAIN = 0.01  #: the same for each time that a rule is broken
ODD = 0.5  #: the same for each distance that was not rolled

NEAREST = 3  #: legal plays that are shown beside an illegal one
NODES = 1500  #: steps that one search for ways tries at most
PATHS = 120  #: ways of one kind that are weighed at most
PAIRINGS = 12  #: ways to pair sources with targets that are weighed at most
MOST_LOST = 2  #: checkers lost or added of which it is tried where they belong
MOST_PAIRED = 5  #: checkers moved of which it is asked which went where


@dataclass(frozen=True, slots=True)
class Breach:
    """One rule that a play breaks.

    ``rule``: id of rules.md; ``reason``: one plain sentence; ``points``: the squares concerned, as
    points of the mover (``BAR`` 25, ``OFF`` 0).
    """

    rule: str
    cause: Cause
    reason: str
    points: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says of a play.

    ``moves`` and ``notation`` tell what was done, as far as the two positions show it. ``breaches``:
    every rule that is broken, the gravest first; none if the play is legal. ``nearest``: the legal
    plays that need the fewest checkers moved from where they stand now, at most ``NEAREST``.
    ``unfinished``: what stands is the beginning of a legal play. ``plays``: the legal plays of the roll.
    """

    before: Position
    side: Side
    dice: Dice
    after: Position
    rules: RuleSet
    moves: tuple[MoveXY, ...]
    notation: str
    breaches: tuple[Breach, ...]
    plays: tuple[Play, ...]
    nearest: tuple[Play, ...] = ()
    unfinished: bool = False

    @property
    def legal(self) -> bool:
        """Whether no rule is broken."""
        return not self.breaches

    @property
    def rule(self) -> str | None:
        """The id of rules.md of the gravest breach."""
        return self.breaches[0].rule if self.breaches else None

    @property
    def reason(self) -> str:
        """The gravest breach in one plain sentence; ``legal`` without one."""
        return self.breaches[0].reason if self.breaches else "legal"

    @property
    def ways(self) -> tuple[tuple[Move, ...], ...]:
        """Every distinct order of moves in which the play may have been made; none if it is illegal."""
        return ways(self.before, self.side, self.dice, self.rules).get(self.after, ())


def judge_play(before: Position, side: Side, dice: Dice, after: Position, rules: RuleSet) -> Verdict:
    """Compare what stands after a turn with what the roll allowed.

    ``before`` and ``after`` are the whole board. That the board had fifteen checkers a side before the
    turn is not demanded: only what the turn changed is judged. A wall of six that stood already is
    not held against the mover. Raises ``ValueError`` as :func:`engine.legal.legal_plays` does.
    """
    plays = legal_plays(before, side, dice, rules)
    played = next((play for play in plays if play.after == after), None)
    if played is not None:
        return _verdict(before, side, dice, after, rules, played.moves, (), plays)
    start = view_of(before, rules.game, side)
    walls = illegal_walls(start, rules) if rules.game is Game.LONG_NARDY else frozenset()
    turn = _Turn(side, dice, rules, start, plays, frozenset(play.after for play in plays), walls)
    end = view_of(after, rules.game, side)
    account = _out_of_turn(turn, before, end, after) or _account(turn, end)
    breaches = tuple(sorted(account.breaches, key=lambda b: _GRAVITY[b.cause]))
    verdict = _verdict(before, side, dice, after, rules, account.moves, breaches, plays)
    return replace(verdict, nearest=_nearest(plays, after), unfinished=account.unfinished)


def play_event(
    verdict: Verdict,
    t: float,
    orientation: Orientation,
    *,
    white_is_light: bool = True,
    confidence: float = 1.0,
) -> PlayMade:
    """A play that was judged, as an event at ``t`` seconds, on a board that lies in this orientation."""
    after = verdict.after
    light, dark = (0, 1) if white_is_light else (1, 0)
    return PlayMade(
        t=t,
        side=verdict.side,
        colour=colour_of(verdict.side, white_is_light),
        dice=verdict.dice,
        moves=verdict.moves,
        notation=verdict.notation,
        legal=verdict.legal,
        rule=verdict.rule,
        position=after,
        slots=to_slots(after, orientation, white_is_light),
        bar=(after.bar[light], after.bar[dark]),
        off=(after.off[light], after.off[dark]),
        confidence=confidence,
    )


def _verdict(
    before: Position,
    side: Side,
    dice: Dice,
    after: Position,
    rules: RuleSet,
    moves: Sequence[Move],
    breaches: tuple[Breach, ...],
    plays: tuple[Play, ...],
) -> Verdict:
    pairs = tuple((m.from_point, m.to_point) for m in moves)
    return Verdict(before, side, dice, after, rules, pairs, notation(moves), breaches, plays)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The turn that is judged, as the mover sees it."""

    side: Side
    dice: Dice
    rules: RuleSet
    start: View
    plays: tuple[Play, ...]
    ends: frozenset[Position]  #: where the legal plays lead
    walls: frozenset[int]  #: forbidden walls that stood already

    @property
    def game(self) -> Game:
        return self.rules.game

    @property
    def numbers(self) -> tuple[int, ...]:
        """The moves that the dice give, larger first: two, or four of a double (rules.md M1, M2)."""
        high, low = max(self.dice), min(self.dice)
        return (high,) * 4 if high == low else (high, low)

    @property
    def rolled(self) -> str:
        return roll_text(self.dice)

    @property
    def due(self) -> int:
        """How many dice the rules oblige the mover to play."""
        return len(self.plays[0].moves)

    @property
    def playable_with_one(self) -> bool:
        """Whether the roll can be played in full with one checker from the head (rules.md L6)."""
        before = position_of(self.start, self.game, self.side)
        usual = legal_plays(before, self.side, self.dice, replace(self.rules, head_relief="none"))
        return len(usual[0].moves) == len(self.numbers)

    @property
    def closed(self) -> int:
        """How many enemy checkers close a point (rules.md K1, L1)."""
        return 2 if self.game is Game.BACKGAMMON else 1


@dataclass(frozen=True, slots=True)
class _Token:
    """A distance to be moved: a die of the roll, or a distance made ``instead`` of dice of the roll."""

    pips: int  #: negative: backwards
    rolled: bool = True
    instead: tuple[int, ...] = ()
    part_of: int = 0  #: the die that was divided between this distance and another


@dataclass(frozen=True, slots=True)
class _Step:
    from_point: int
    to_point: int
    token: _Token


_Path: TypeAlias = tuple[_Step, ...]
_Goals: TypeAlias = Callable[[], list[tuple[int, ...]]]  #: the mover's checkers after legal plays


@dataclass(frozen=True, slots=True)
class _Account:
    """One explanation of what stands; the lower its ``cost``, the likelier it is."""

    moves: tuple[Move, ...]
    breaches: tuple[Breach, ...]
    cost: float = 0.0
    unfinished: bool = False


# ---- which way the checkers can have gone ------------------------------------------------------


def _paths(own: Sequence[int], goal: Sequence[int], tokens: tuple[_Token, ...]) -> Iterator[_Path]:
    """Every order of single moves by these tokens, each used once, that turns ``own`` into ``goal``.

    Forward moves alone never overshoot: for no point may fewer checkers stand on it or behind it than
    in the goal. Each move can put one checker right, so no more may be out of place than moves are left.
    """
    board, budget = list(own), [NODES]
    forward = all(token.pips > 0 for token in tokens)
    surplus = [sum(own[p:]) - sum(goal[p:]) for p in range(BAR + 1)]
    if forward and min(surplus) < 0:
        return

    def out_of_place() -> int:
        return sum(n - m for n, m in zip(board, goal, strict=True) if n > m)

    def walk(left: tuple[_Token, ...], path: _Path) -> Iterator[_Path]:
        if not left:
            if board == list(goal):
                yield path
            return
        for token in dict.fromkeys(left):
            rest = list(left)
            rest.remove(token)
            for source in range(BAR, -1, -1):
                target = max(source - token.pips, OFF)
                if not board[source] or source == target or target > BAR:
                    continue
                if forward and min(surplus[target + 1 : source + 1]) < 1:
                    continue
                if any(step.from_point == target and step.to_point == source for step in path):
                    continue  # there and back is no move
                budget[0] -= 1
                if budget[0] < 0:
                    return
                board[source] -= 1
                board[target] += 1
                for point in range(target + 1, source + 1) if forward else ():
                    surplus[point] -= 1
                if out_of_place() <= len(rest):
                    yield from walk(tuple(rest), (*path, _Step(source, target, token)))
                board[source] += 1
                board[target] -= 1
                for point in range(target + 1, source + 1) if forward else ():
                    surplus[point] += 1

    if out_of_place() <= len(tokens):
        yield from walk(tokens, ())


def _pips(own: Sequence[int]) -> int:
    return sum(point * count for point, count in enumerate(own))


def _is_forward(own: Sequence[int], goal: Sequence[int]) -> bool:
    """Whether moves forward alone can turn ``own`` into ``goal``, whatever the distances."""
    return all(sum(own[p:]) >= sum(goal[p:]) for p in range(BAR + 1))


def _by_dice(turn: _Turn, goal: Sequence[int]) -> Iterator[tuple[_Token, ...]]:
    """The dice of the roll, or some of them, that the pips moved add up to; most dice first."""
    moved = _pips(turn.start.own) - _pips(goal)
    waste = goal[OFF] > turn.start.own[OFF]  # a higher die may bear off
    for used in range(len(turn.numbers), -1, -1):
        for numbers in dict.fromkeys(combinations(turn.numbers, used)):
            if sum(numbers) == moved or (waste and sum(numbers) > moved):
                yield tuple(_Token(n) for n in numbers)


def _by_dice_backwards(turn: _Turn, goal: Sequence[int]) -> Iterator[tuple[_Token, ...]]:
    """The same with some of the dice moved backwards (rules.md G4, G5), where forward moves cannot do it.

    A checker two points further on has not gone three forward and one back, whatever was rolled.
    """
    if _is_forward(turn.start.own, goal):
        return
    moved = _pips(turn.start.own) - _pips(goal)
    for used in range(len(turn.numbers), 0, -1):
        for numbers in dict.fromkeys(combinations(turn.numbers, used)):
            for back in range(1, used + 1):
                signs = combinations(range(used), back)
                signed = (sorted(-n if i in some else n for i, n in enumerate(numbers)) for some in signs)
                for pips in dict.fromkeys(map(tuple, signed)):
                    if sum(pips) == moved:
                        yield tuple(_Token(n) for n in pips)


def _by_distance(turn: _Turn, end: View) -> Iterator[tuple[_Token, ...]]:
    """Distances between the points that lost a checker and those that gained one, best pairing first."""
    start = turn.start
    sources = [p for p in range(BAR, -1, -1) for _ in range(start.own[p] - end.own[p])]
    targets = [p for p in range(BAR, -1, -1) for _ in range(end.own[p] - start.own[p])]
    # A blot that went to the bar from a point where nobody stands now was hit in passing.
    for point in range(24, 0, -1):
        if (
            turn.game is Game.BACKGAMMON
            and start.enemy[point] == 1
            and not end.enemy[point]
            and not end.own[point]
            and end.enemy[BAR] > start.enemy[BAR]
        ):
            sources.append(point)
            targets.append(point)
    if len(sources) > MOST_PAIRED:
        return
    found = []
    forward = _is_forward(start.own, end.own)
    for order in dict.fromkeys(permutations(targets)):
        pairs = list(zip(sources, order, strict=True))
        if all(source > target or (source < target and not forward) for source, target in pairs):
            found.append(_tokens(turn, pairs))

    def oddity(tokens: tuple[_Token, ...]) -> tuple[int, int, int, int]:
        odd = [t.pips for t in tokens if not t.rolled]
        unpaid = sum(not t.rolled and not t.instead for t in tokens)
        return len(odd), sum(pips < 0 for pips in odd), unpaid, sum(pips not in turn.dice for pips in odd)

    found.sort(key=oddity)
    yield from islice(dict.fromkeys(found), PAIRINGS)


def _tokens(turn: _Turn, pairs: Sequence[tuple[int, int]]) -> tuple[_Token, ...]:
    """Dice for the distances that they give, the nearest dice left for those that they do not."""
    left = list(turn.numbers)
    tokens: list[_Token] = []
    odd = sorted(pairs, key=lambda pair: pair[0] - pair[1])
    for bears_off in (False, True):  # numbers that fit come before higher ones that bear off
        for source, target in tuple(odd):
            dice = _sum_of(left, source - target, bears_off=bears_off and target == OFF)
            if dice:
                odd.remove((source, target))
                tokens += [_Token(die) for die in dice]
                for die in dice:
                    left.remove(die)
    if len(left) == 1:
        parts = next((c for c in combinations(odd, 2) if _divided(c, left[0])), ())
        for place, (source, target) in enumerate(parts):
            odd.remove((source, target))
            tokens.append(_Token(source - target, False, () if place else (left[0],), left[0]))
        if parts:
            left.clear()
    for source, target in odd:
        gap = source - target
        near = min(
            (c for n in range(1, len(left) + 1) for c in combinations(left, n)),
            key=lambda c: (abs(sum(c) - abs(gap)), len(c)),
            default=(),
        )
        for die in near:
            left.remove(die)
        tokens.append(_Token(gap, False, near))
    return tuple(tokens)


def _divided(moves: Sequence[tuple[int, int]], die: int) -> bool:
    """Whether these moves make one die between them, each a part of it."""
    gaps = [source - target for source, target in moves]
    return sum(gaps) == die and min(gaps) > 0 and all(target != OFF for _, target in moves)


def _sum_of(dice: Sequence[int], gap: int, *, bears_off: bool) -> tuple[int, ...]:
    """The fewest of these dice that give a distance; to bear off they may give more."""
    for used in range(1, len(dice) + 1):
        for some in combinations(dice, used):
            if sum(some) == gap or (bears_off and used == 1 and some[0] > gap):
                return some
    return ()


# ---- which rules a way breaks ------------------------------------------------------------------


@dataclass(slots=True)
class _Walk:
    """The checkers on their way, and what went wrong so far."""

    turn: _Turn
    own: list[int]
    enemy: list[int]
    moves: list[Move] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    landed: list[int] = field(default_factory=lambda: [0] * 26)  #: own checkers moved in this turn, by point
    #: the points where checkers that hit in this turn may stand; more than one list where it is open
    #: which of the checkers on a point went on
    hitters: set[tuple[int, ...]] = field(default_factory=lambda: {()})
    blocked: set[int] = field(default_factory=set)  #: closed points that a checker stopped on
    from_head: int = 0

    def view(self) -> View:
        return View(tuple(self.own), tuple(self.enemy))

    def blame(self, rule: str, cause: Cause, reason: str, *points: int) -> None:
        self.breaches.append(Breach(rule, cause, reason, points))

    def step(self, step: _Step, *, last: bool) -> None:
        source, target, game = step.from_point, step.to_point, self.turn.game
        what = f"{point_name(source)}/{point_name(target)}"
        if step.token.pips < 0:
            rule = "G5" if game is Game.BACKGAMMON else "G4"
            self.blame(rule, "backwards", f"{what} goes backwards", source, target)
        elif not step.token.rolled:
            self._distance(step, what)
        if self.own[BAR] and source != BAR and all(b.cause != "past_bar" for b in self.breaches):
            self.blame("K2", "past_bar", f"{what} was played while a checker waits on the bar", BAR, source)
        if game is Game.LONG_NARDY and source == HEAD:
            self.from_head += 1
            self._head(step)
        if target == OFF and step.token.pips > 0:
            self._bears_off(step, what)
        hit = False
        if 1 <= target <= 24 and self.enemy[target]:
            if self.enemy[target] >= self.turn.closed:
                self._closed(target, what)
            else:
                hit = True
                self.enemy[target] -= 1
                self.enemy[BAR] += 1
        self._follow_hitters(source, target, hit)
        self._same_checker(source, target, what)
        self.own[source] -= 1
        self.own[target] += 1
        self.moves.append(Move(source, target, hit))
        if game is Game.LONG_NARDY and self.turn.rules.block_timing == "step" and not last:
            for holes in self._new_walls():
                text = f"{what} made a wall of {len(holes)}, if only for a moment"
                self.blame("L10", "wall_on_the_run", text, *holes)

    def _distance(self, step: _Step, what: str) -> None:
        """A distance that the dice do not give (rules.md E8, M1, M2, B2)."""
        turn, pips, instead = self.turn, step.token.pips, step.token.instead
        squares = (step.from_point, step.to_point)
        if step.token.part_of:
            if instead:
                self.blame("E8", "die_split", f"the {instead[0]} was divided between two checkers", *squares)
        elif pips in turn.dice:
            if len(set(turn.dice)) > 1:
                self.blame("M1", "die_twice", f"{what} plays the {pips} a second time", *squares)
            else:
                text = f"{what} is one {pips} more than the four of a double"
                self.blame("M2", "too_many_moves", text, *squares)
        elif step.to_point == OFF and instead:
            text = f"{what} takes a {pips} or, with nothing behind it, more; the roll is {turn.rolled}"
            self.blame("B2", "off_wrong_point", text, *squares)
        elif not instead:
            self.blame("M1", "too_many_moves", f"{what} was played although no die was left for it", *squares)
        elif len(set(turn.dice)) == 1 and pips > sum(instead) and pips % turn.dice[0] == 0:
            times = pips // turn.dice[0]
            rest = f"{len(instead)} {'was' if len(instead) == 1 else 'were'} left"
            text = f"{what} takes {times} of the {turn.dice[0]}s, and of the four only {rest}"
            self.blame("M2", "too_many_moves", text, *squares)
        else:
            dice = " and ".join(map(str, sorted(instead, reverse=True)))
            cause: Cause = "too_far" if pips > sum(instead) else "too_short"
            if len(instead) == 1:
                text = f"{what} is {pips} pip{'s' * (pips != 1)}, and no {pips} was rolled ({turn.rolled})"
            else:
                text = f"{what} is {pips} pips, and {dice} make {sum(instead)}"
            self.blame("E8", cause, text, *squares)

    def _head(self, step: _Step) -> None:
        """More than one checker from the head (rules.md L2 to L6)."""
        turn, rules, left = self.turn, self.turn.rules, self.from_head
        text = f"{left} checkers left the head in one turn"
        first_double = turn.start.own[HEAD] == CHECKERS and turn.dice[0] == turn.dice[1]
        excepted = first_double and turn.dice[0] in rules.head_exc
        # A full head gives two 4s by two checkers whatever stands elsewhere: but for the note.
        noted = excepted and rules.note_55_44 and turn.dice[0] == 4 and turn.due == 1
        relieved = rules.head_relief == "any_blocked_roll"
        if left == 1:
            return
        # Of two, three and four checkers the number in the end is what is told.
        self.breaches = [b for b in self.breaches if (b.cause, b.rule) not in _HEAD_COUNTED]
        if noted:
            self.blame("L5", "head_twice", f"{text}; after 5-5 a 4-4 moves one checker by one 4", HEAD)
        elif left > 2 or not (excepted or relieved):
            two = excepted or (relieved and not turn.playable_with_one)
            self.blame("L2", "head_twice", f"{text}; only {'two' if two else 'one'} may", HEAD)
        elif not excepted and turn.playable_with_one:
            self.blame("L6", "head_twice", f"{text} although the roll can be played with one", HEAD)
        elif excepted and rules.head_mode == "if_stuck" and left == 2:
            die, spent = step.token.pips, [0] * 26 if rules.allow_same_checker else self.landed
            if any(self.own[p] > spent[p] and not self.enemy[p - die] for p in range(die + 1, HEAD)):
                self.blame("L4", "head_twice", f"{text} although the first could go on", HEAD)

    def _bears_off(self, step: _Step, what: str) -> None:
        turn, source = self.turn, step.from_point
        behind = [p for p in range(BAR, source, -1) if self.own[p]]
        if any(self.own[p] for p in range(HOME + 1, BAR + 1)):
            outside = [p for p in behind if p > HOME]
            rule = "B6" if turn.game is Game.BACKGAMMON and turn.start.own[OFF] else "B1"
            text = f"{what} bears off a checker that is not home"
            if source <= HOME:
                where = "on the bar" if outside[0] == BAR else f"on {outside[0]}"
                text = f"{what} was played with a checker still {where}"
            self.blame(rule, "off_too_early", text, source, *outside)
            return
        came_home = any(turn.start.own[p] for p in range(HOME + 1, BAR + 1))
        if turn.game is Game.LONG_NARDY and came_home and not turn.rules.off_same_turn:
            self.blame(
                "B5",
                "off_same_turn",
                f"{what} bears off in the turn in which the last checker came home",
                source,
            )
        if step.token.rolled and step.token.pips > source and behind:
            self.blame(
                "B3",
                "off_wrong_point",
                f"{what} was played with a {step.token.pips} while a checker stands behind it on {behind[0]}",
                source,
                *behind,
            )

    def _closed(self, target: int, what: str) -> None:
        self.blocked.add(target)
        if self.turn.game is Game.BACKGAMMON:
            text = f"{what} stops on a point that {self.enemy[target]} opposing checkers hold"
            self.blame("K1", "closed_point", text, target)
        else:
            self.blame("L1", "closed_point", f"{what} stops on a hole that the opponent holds", target)

    def _same_checker(self, source: int, target: int, what: str) -> None:
        """A checker that has moved in this turn moves on only where no other can have done it (M1)."""
        again = self.landed[source] > 0 and self.landed[source] >= self.own[source]
        if again:
            self.landed[source] -= 1
            if not self.turn.rules.allow_same_checker:
                self.blame("M1", "same_checker", f"{what} moves a checker on that has moved already", source)
        self.landed[target] += 1

    def _follow_hitters(self, source: int, target: int, hit: bool) -> None:
        """Where the checkers that hit in this turn can be after a step."""
        after: set[tuple[int, ...]] = set()
        once = not self.turn.rules.allow_same_checker and self.landed[source] < self.own[source]
        arrives = (target,) if hit else ()
        for hitters in self.hitters:
            if source in hitters and not once:
                rest = list(hitters)
                rest.remove(source)
                after.add(tuple(sorted((*rest, *((target,) if target != OFF else ())))))
            if self.own[source] > hitters.count(source):
                after.add(tuple(sorted((*hitters, *arrives))))
        self.hitters = after

    def _new_walls(self) -> list[tuple[int, ...]]:
        """The forbidden walls that this turn made, each as its holes along the enemy's way."""
        rules = self.turn.rules
        walls: list[tuple[int, ...]] = []
        before = -2
        for first in sorted(illegal_walls(self.view(), rules) - self.turn.walls):
            holes = tuple((12 - hole - 1) % 24 + 1 for hole in range(first, first + WALL))
            walls = [*walls[:-1], (*walls[-1], holes[-1])] if first == before + 1 else [*walls, holes]
            before = first
        return walls

    def finish(self, end: View) -> None:
        """What is wrong at the end: walls of six, hitters in safety, the opponent's checkers."""
        if self.turn.game is Game.LONG_NARDY:
            for holes in self._new_walls():
                text = f"a wall of {len(holes)} from {holes[0]} to {holes[-1]}"
                if self.turn.rules.block == "home":
                    self.blame("L8", "wall", f"{text} before an opposing checker has come home", *holes)
                else:
                    self.blame("L7", "wall", f"{text} with no opposing checker ahead of it", *holes)
        hidden = [[p for p in hitters if self.own[p] > 1] for hitters in self.hitters]
        if self.turn.rules.hit_and_hide == "forbidden" and all(hidden):
            point = hidden[0][0]
            self.blame("K4", "hit_and_hide", f"a checker that hit in this turn stands safe on {point}", point)
        self.opponent(end)

    def opponent(self, end: View) -> None:
        """Compare the opponent's checkers with where they have to be after these moves."""
        nardy = self.turn.game is Game.LONG_NARDY
        lost = {p: self.enemy[p] - end.enemy[p] for p in range(26) if self.enemy[p] > end.enemy[p]}
        won = {p: end.enemy[p] - self.enemy[p] for p in range(26) if self.enemy[p] < end.enemy[p]}
        short = sum(lost.values()) - sum(won.values())
        # Checkers that one moved onto had to go somewhere: to the bar, as a rule.
        pushed = [p for p in lost if p in self.blocked and (end.own[p] or won.get(BAR))]
        for point in pushed:
            number = lost.pop(point)
            to_bar = min(won.get(BAR, 0), number)
            if to_bar:
                won[BAR] -= to_bar
            if number > to_bar and short <= 0:
                lost[point] = number - to_bar
        won = {p: n for p, n in won.items() if n}
        if short > 0:
            where = sorted(lost or dict.fromkeys(pushed), reverse=True)
            names = ", ".join(point_name(p) for p in where)
            gone = "an opponent's checker is" if short == 1 else f"{short} of the opponent's checkers are"
            text = f"{gone} gone from {names}"
            if where == [BAR]:
                text = "a checker that was hit is not on the bar"
            self.blame("G1", "checkers_missing", text, *where)
            return
        if short < 0:
            where = sorted(won, reverse=True)
            names = ", ".join(point_name(p) for p in where)
            text = f"the opponent has {-short} checker{'s' * (short < -1)} more than before, on {names}"
            self.blame("G1", "checkers_added", text, *where)
            return
        if not lost and not won:
            return
        left, came = sorted(lost, reverse=True), sorted(won, reverse=True)
        if left == [BAR]:
            names = ", ".join(point_name(p) for p in came)
            text = f"a checker that was hit is on {names} and not on the bar"
            self.blame("K1", "hit_not_on_bar", text, *came)
        elif came == [BAR]:
            names = ", ".join(point_name(p) for p in left)
            why = "nothing is ever hit" if nardy else "nobody hit it"
            text = f"the opponent's checker from {names} is on the bar, and {why}"
            self.blame("L1" if nardy else "K1", "bar_without_hit", text, *left)
        else:
            several = sum(won.values()) > 1
            text = "checkers of the opponent were moved" if several else "an opponent's checker was moved"
            if left and came:
                text += f" from {', '.join(map(point_name, left))} to {', '.join(map(point_name, came))}"
            self.blame("G11", "opponent_moved", text, *left, *came)


# ---- the account that breaks the fewest rules --------------------------------------------------


def _account(turn: _Turn, end: View) -> _Account:
    """The best explanation of a board; of checkers that came or went, the best one with them as they were."""
    changed = sum(end.own) - sum(turn.start.own)
    if not changed:
        return _explained(turn, end)
    if changed < 0 and (mixed := _mixed(turn.start, end, -changed)) is not None:
        return _explained(turn, mixed)
    places = _places(turn, end, changed)
    back = -1 if changed > 0 else 1
    number = abs(changed)
    account: _Account | None = None
    lost = [p for p in places for _ in range(abs(turn.start.own[p] - end.own[p]))]
    points = tuple((lost * number)[:number])
    if number <= MOST_LOST:
        for some in combinations_with_replacement(places, number):
            own = _changed(end.own, some, back)
            found = _by_roll(turn, View(own, end.enemy)) if own is not None else None
            if found is not None and (account is None or found.cost < account.cost):
                account, points = found, some
    if account is None:
        own = _changed(end.own, points, back)
        account = _explained(turn, View(own, end.enemy)) if own is not None else _Account((), ())
    points = tuple(dict.fromkeys(points))
    where = ", ".join(point_name(p) for p in points)
    if changed < 0:
        gone = "a checker of the mover is" if number == 1 else f"{number} checkers of the mover are"
        text = f"{gone} gone from the board, by the look of it from {where}"
        breach = Breach("G1", "checkers_missing", text, points)
    else:
        many = "a checker" if number == 1 else f"{number} checkers"
        text = f"the mover has {many} too many, by the look of it on {where}"
        breach = Breach("G1", "checkers_added", text, points)
    return replace(account, breaches=(breach, *account.breaches), unfinished=False)


def _mixed(start: View, end: View, number: int) -> View | None:
    """A board with checkers of both sides on one point, of which counts show only the difference."""
    shared = {p: start.enemy[p] - end.enemy[p] for p in range(1, 25) if start.enemy[p] > end.enemy[p]}
    if sum(shared.values()) != number or sum(start.enemy) - sum(end.enemy) != number:
        return None
    own, enemy = end.own, end.enemy
    for point, count in shared.items():
        own, enemy = _with(own, point, count), _with(enemy, point, count)
    return View(own, enemy)


def _places(turn: _Turn, end: View, changed: int) -> list[int]:
    """Where checkers of the mover can have been taken away or added, the likeliest place first."""
    lost = {p: turn.start.own[p] - end.own[p] for p in range(26)}
    sign = 1 if changed < 0 else -1
    places = sorted((p for p in lost if lost[p] * sign > 0), key=lambda p: -lost[p] * sign)
    if changed == -1:
        # It may be one of those that moved: then it is missing where a legal play has one more.
        for play in _nearest(turn.plays, position_of(end, turn.game, turn.side)):
            own = view_of(play.after, turn.game, turn.side).own
            places += [p for p in range(26) if own[p] > end.own[p]]
    return list(dict.fromkeys(places))


def _changed(own: tuple[int, ...], places: Iterable[int], by: int) -> tuple[int, ...] | None:
    """A side's checkers with one more or less on each of these places, if there are so many."""
    for place in places:
        own = _with(own, place, by)
    return own if min(own) >= 0 else None


def _with(counts: tuple[int, ...], point: int, more: int) -> tuple[int, ...]:
    return (*counts[:point], counts[point] + more, *counts[point + 1 :])


def _by_roll(turn: _Turn, end: View) -> _Account | None:
    """The best way to a board by the dice that were rolled, if there is one."""
    return _best(turn, end, _by_dice(turn, end.own), None)


def _explained(turn: _Turn, end: View) -> _Account:
    """The way to a board that breaks the fewest rules."""
    best: _Account | None = None
    for sort in (_by_dice(turn, end.own), _by_dice_backwards(turn, end.own), _by_distance(turn, end)):
        best = _best(turn, end, sort, best)
        if best is not None and best.cost < 2:
            return best
    return best if best is not None else _too_much(turn, end)


def _best(
    turn: _Turn, end: View, sort: Iterable[tuple[_Token, ...]], best: _Account | None
) -> _Account | None:
    """The better of ``best`` and the ways by these tokens."""

    @cache
    def goals() -> list[tuple[int, ...]]:
        return _within_reach(turn, end)

    legal = position_of(end, turn.game, turn.side) in turn.ends
    budget = PATHS
    for tokens in sort:
        odd = sum(not token.rolled for token in tokens)
        short = not odd and len(tokens) < len(turn.numbers)
        # What a way by these tokens costs at least: nothing better is to be looked for.
        floor = 0.0 if legal else _WEIGHT["die_unused"] if short else 1 + ODD * odd
        if best is not None and best.cost <= floor:
            continue
        for path in islice(_paths(turn.start.own, end.own, tokens), min(budget, PATHS // 2)):
            budget -= 1
            account = _weighed(turn, end, path, goals)
            if best is None or account.cost < best.cost:
                best = account
            if best.cost <= floor:
                break
    return best


def _too_much(turn: _Turn, end: View) -> _Account:
    """What is said where far more was moved than a turn can: not which checker broke which rule."""
    own = turn.start.own
    sources = [p for p in range(BAR, -1, -1) for _ in range(own[p] - end.own[p])]
    targets = [p for p in range(BAR, -1, -1) for _ in range(end.own[p] - own[p])]
    pairs = zip(sources, targets, strict=True)
    walk = _walked(turn, tuple(_Step(s, t, _Token(s - t, rolled=False)) for s, t in pairs))
    walk.breaches.clear()
    walk.opponent(end)
    rule = "M2" if turn.dice[0] == turn.dice[1] else "M1"
    text = f"{len(sources)} checkers were moved, and the roll gives {len(turn.numbers)} moves"
    walk.blame(rule, "too_many_moves", text, *dict.fromkeys(sources))
    return _Account(tuple(walk.moves), tuple(walk.breaches), float(len(sources)))


def _weighed(turn: _Turn, end: View, path: _Path, goals: _Goals) -> _Account:
    """All that is wrong with one way to a board, and how unlikely it is."""
    walk = _walked(turn, path)
    each_right = not walk.breaches
    walk.finish(end)
    at_end = [b for b in walk.breaches if b.cause in ("wall", "hit_and_hide")]
    used = [n for s in path for n in ((abs(s.token.pips),) if s.token.rolled else s.token.instead)]
    left = list(turn.numbers)
    for number in used:
        left.remove(number)
    unfinished = False
    if position_of(walk.view(), turn.game, turn.side) not in turn.ends:
        further = _goes_on(turn, path, left, goals) if each_right and len(used) < turn.due else None
        unfinished = further is not None and len(walk.breaches) == len(at_end)
        if further is not None or (len(used) < turn.due and not each_right):
            walk.breaches.append(_unused(turn, end, path, left, further or ()))
        elif len(used) < turn.due:
            walk.breaches.append(_wrong_checker(path, left))
        elif each_right and not at_end:
            walk.breaches.append(_smaller_die(turn))
    if path and not turn.due:
        text = f"nothing can be played with {turn.rolled}, so nothing may be moved"
        walk.blame("M6", "no_play", text, *dict.fromkeys(s.from_point for s in path))
    cost = sum(_WEIGHT.get(cause, 1.0) for _, cause in {(b.rule, b.cause) for b in walk.breaches})
    cost += AGAIN * len(walk.breaches)
    cost += ODD * sum(not s.token.rolled for s in path)
    return _Account(tuple(walk.moves), tuple(dict.fromkeys(walk.breaches)), cost, unfinished)


def _walked(turn: _Turn, path: _Path) -> _Walk:
    walk = _Walk(turn, list(turn.start.own), list(turn.start.enemy))
    for place, step in enumerate(path):
        walk.step(step, last=place == len(path) - 1)
    return walk


def _within_reach(turn: _Turn, end: View) -> list[tuple[int, ...]]:
    """The mover's checkers after those legal plays that moves forward alone can still lead to."""
    most, goals = turn.due, []
    for play in turn.plays:
        goal = view_of(play.after, turn.game, turn.side).own
        if sum(n - m for n, m in zip(end.own, goal, strict=True) if n > m) <= most:
            goals.append(goal)
    return list(dict.fromkeys(goals))


def _goes_on(turn: _Turn, path: _Path, left: Sequence[int], goals: _Goals) -> _Path | None:
    """Moves that finish a turn legally after those of ``path``; ``None`` if there are none."""
    own = _walked(turn, path).own
    for goal in goals():
        pips = _pips(own) - _pips(goal)
        for numbers in dict.fromkeys(combinations(left, turn.due - len(path))):
            if sum(numbers) != pips and not (goal[OFF] > own[OFF] and sum(numbers) > pips):
                continue
            for more in islice(_paths(own, goal, tuple(_Token(n) for n in numbers)), PATHS):
                walk = _walked(turn, path + more)
                if not walk.breaches and position_of(walk.view(), turn.game, turn.side) in turn.ends:
                    return more
    return None


def _unused(turn: _Turn, end: View, path: _Path, left: Sequence[int], further: _Path) -> Breach:
    double = turn.dice[0] == turn.dice[1]
    instance = notation([Move(s.from_point, s.to_point) for s in further])
    example = f", for instance {instance}" if further else ""
    points = tuple(dict.fromkeys(s.from_point for s in further))
    entering = turn.game is Game.BACKGAMMON and end.own[BAR] and turn.start.own[BAR] > 1
    rule = "K3" if entering else "M7" if double else "M5" if turn.due == 1 else "M3"
    used = len(turn.numbers) - len(left)
    if path and not further:
        moves = "one move" if turn.due == 1 else f"{turn.due} moves"
        text = f"the roll gives {moves}, and {used} {'was' if used == 1 else 'were'} made"
    elif entering:
        text = f"a checker was left on the bar although it could enter{example}"
    elif not path:
        text = f"nothing was moved although the roll could be played{example}"
    elif double:
        times = f"{used} of the four {left[0]}s {'was' if used == 1 else 'were'}"
        text = f"{times} played although {turn.due} could be{example}"
    else:
        numbers = " and the ".join(map(str, left))
        text = f"the {numbers} was not played although it could be{example}"
    return Breach(rule, "die_unused", text, points)


def _wrong_checker(path: _Path, left: Sequence[int]) -> Breach:
    done = notation([Move(s.from_point, s.to_point) for s in path])
    text = f"after {done} the {left[0]} cannot be played, and another play would have used both dice"
    if len(left) > 1:
        text = f"after {done} fewer dice can be played than another play would have used"
    return Breach("M3", "wrong_checker", text, tuple(dict.fromkeys(s.from_point for s in path)))


def _smaller_die(turn: _Turn) -> Breach:
    text = f"only one die could be played, and it had to be the larger, the {max(turn.dice)}"
    return Breach("M4", "smaller_die", text)


def _out_of_turn(turn: _Turn, before: Position, end: View, after: Position) -> _Account | None:
    """Where only the opponent's checkers were moved, perhaps as if the turn had been his."""
    other = turn.side.other
    same = end.own == turn.start.own
    points = [p for p in range(BAR, -1, -1) if end.enemy[p] != turn.start.enemy[p]]
    if not points or (not same and end.own[BAR] <= turn.start.own[BAR]):
        return None
    for play in legal_plays(before, other, turn.dice, turn.rules):
        if play.after == after:
            text = f"{other.value} played {play.notation}, but it was {turn.side.value}'s turn"
            return _Account((), (Breach("G10", "wrong_side", text, tuple(points)),))
    unhit = end.enemy[BAR] <= turn.start.enemy[BAR] and sum(end.enemy) == sum(turn.start.enemy)
    if same and unhit:
        text = f"only checkers of the opponent were moved ({', '.join(point_name(p) for p in points)})"
        return _Account((), (Breach("G11", "wrong_side", text, tuple(points)),))
    return None


def _nearest(plays: Sequence[Play], after: Position) -> tuple[Play, ...]:
    """The legal plays from which the board differs by the fewest checkers, then by the fewest pips."""

    def checkers(play: Play) -> int:
        there = play.after
        on_points = sum(abs(n - m) for n, m in zip(there.points, after.points, strict=True))
        beside = zip(there.bar + there.off, after.bar + after.off, strict=True)
        return on_points + sum(abs(n - m) for n, m in beside)

    def pips(play: Play) -> int:
        side, total = play.side, 0
        there, here = (view_of(p, play.game, side).own for p in (play.after, after))
        for point in range(1, BAR + 1):
            total += abs(sum(there[point:]) - sum(here[point:]))
        return total

    counted = sorted(((checkers(play), place) for place, play in enumerate(plays)))
    worst = counted[min(NEAREST, len(counted)) - 1][0]
    close = [plays[place] for count, place in counted if count <= worst]
    return tuple(sorted(close[: 8 * NEAREST], key=lambda play: (checkers(play), pips(play)))[:NEAREST])
