"""Legal plays of both games, and the generator behind them.

The generator works on the mover's own view of the board (points 24 down to 1, ``BAR`` 25, ``OFF``
0) and can be told to leave single rules out: the referee uses that to say *which* rule a play that
is not legal breaks (see :mod:`engine.judge`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto
from functools import lru_cache

from engine.events import Dice
from engine.notation import Move, notation
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import RuleSet

HEAD = 24  #: the head in long nardy, as a point of its owner
HOME = 6  #: the highest point of a side's home
WALL = 6  #: points in a row that make a wall (rules.md L7)


class Leave(Flag):
    """Rules that the generator can leave out (ids of rules.md)."""

    NOTHING = 0
    BAR_FIRST = auto()  #: K2
    HEAD = auto()  #: L2
    WALL = auto()  #: L7
    ALL_HOME = auto()  #: B1
    HIGHEST = auto()  #: B3: a higher die bears off while checkers stand behind
    FORWARD = auto()  #: G4, G5
    CLOSED = auto()  #: K1, L1: a checker may stop on a closed point, where the enemy's checkers stay
    HIT_AND_HIDE = auto()  #: K4
    SAME_CHECKER = auto()  #: M1 as ``allow_same_checker = False`` has it
    OFF_SAME_TURN = auto()  #: B5 as ``off_same_turn = False`` has it


@dataclass(frozen=True, slots=True)
class Play:
    """One way to play a roll: its moves in order and the position that they lead to."""

    game: Game
    side: Side
    dice: Dice
    moves: tuple[Move, ...]
    after: Position

    @property
    def notation(self) -> str:
        """The play as it is written down: ``24/18* 13/8``."""
        return notation(self.moves)


@dataclass(frozen=True, slots=True)
class View:
    """The board as the mover counts it; each tuple is indexed by point, 0 (off) to 25 (bar)."""

    own: tuple[int, ...]
    enemy: tuple[int, ...]  #: the enemy's checkers on the *mover's* points 1-24; its bar at 25, off at 0


Reached = dict[View, tuple[Move, ...]]  #: what can be reached, and one way to each


def view_of(position: Position, game: Game, side: Side) -> View:
    """A position as ``side`` counts it."""
    own, enemy = [0] * 26, [0] * 26
    for point in range(1, 25):
        count = position.points[index_of(game, side, point)] * side.sign
        own[point], enemy[point] = max(count, 0), max(-count, 0)
    own[OFF], own[BAR] = position.off[side.index], position.bar[side.index]
    enemy[OFF], enemy[BAR] = position.off[side.other.index], position.bar[side.other.index]
    return View(tuple(own), tuple(enemy))


def position_of(view: View, game: Game, side: Side) -> Position:
    """The twin of :func:`view_of`."""
    points = [0] * 24
    for point in range(1, 25):
        points[index_of(game, side, point)] = side.sign * (view.own[point] - view.enemy[point])
    bar, off = (view.own[BAR], view.enemy[BAR]), (view.own[OFF], view.enemy[OFF])
    if side is Side.BLACK:
        bar, off = bar[::-1], off[::-1]
    return Position(tuple(points), bar, off)


def head_limit(view: View, dice: Dice, rules: RuleSet) -> int:
    """How many checkers may leave the head in this turn (rules.md L2, L3)."""
    first_turn = view.own[HEAD] == CHECKERS
    return 2 if first_turn and dice[0] == dice[1] and dice[0] in rules.head_exc else 1


def _steps(view: View, die: int, game: Game, head_floor: int, leave: Leave) -> Iterator[Move]:
    """Every single move by one die that the rules allow, the full-move rules aside."""
    own, enemy = view.own, view.enemy
    closed = 2 if game is Game.BACKGAMMON else 1  # K1, L1
    on_bar = own[BAR] > 0
    sources = [p for p in range(BAR, 0, -1) if own[p]]
    if on_bar and Leave.BAR_FIRST not in leave:
        sources = [BAR]
    highest = max(sources, default=0)
    for source in sources:
        if game is Game.LONG_NARDY and source == HEAD and own[HEAD] <= head_floor and Leave.HEAD not in leave:
            continue
        target = source - die
        if target > 0:
            if enemy[target] < closed or Leave.CLOSED in leave:
                yield Move(source, target, 0 < enemy[target] < closed)
        elif (highest <= HOME or Leave.ALL_HOME in leave) and (
            target == 0 or source == highest or Leave.HIGHEST in leave
        ):
            yield Move(source, OFF)
        back = source + die
        if Leave.FORWARD in leave and back <= 24 and enemy[back] < closed:
            yield Move(source, back, enemy[back] > 0)


def _moved(view: View, move: Move) -> View:
    own = list(view.own)
    own[move.from_point] -= 1
    own[move.to_point] += 1
    if not move.hit:
        return View(tuple(own), view.enemy)
    enemy = list(view.enemy)
    enemy[move.to_point] -= 1
    enemy[BAR] += 1
    return View(tuple(own), tuple(enemy))


def _spread(reached: Reached, die: int, game: Game, head_floor: int, leave: Leave) -> Reached:
    """All that one more die reaches."""
    result: Reached = {}
    for view, moves in reached.items():
        for move in _steps(view, die, game, head_floor, leave):
            result.setdefault(_moved(view, move), (*moves, move))
    return result


def illegal_walls(view: View) -> frozenset[int]:
    """Walls of six with no enemy checker ahead of them, each by its first hole (rules.md L7, L9).

    Holes are counted on the *enemy's* path, 0 at his head to 23, so that a row runs across the
    mover's own last hole but not across the enemy's. A mover's point ``p`` is hole ``(12 - p) % 24``
    there.
    """
    own_hole = [view.own[(12 - hole - 1) % 24 + 1] > 0 for hole in range(24)]
    enemy_holes = [hole for hole in range(24) if view.enemy[(12 - hole - 1) % 24 + 1]]
    furthest = max(enemy_holes, default=24)
    return frozenset(
        first
        for first in range(24 - WALL + 1)
        if all(own_hole[first : first + WALL]) and furthest < first + WALL
    )


@dataclass(frozen=True, slots=True)
class Reach:
    """What a roll reaches, by the number of dice used; ``by_die`` splits one die of two."""

    by_count: tuple[Reached, ...]  #: index = dice used; entry 0 is the position itself
    by_die: tuple[tuple[int, Reached], ...]  #: (die, reached by it alone), larger first; empty for a double


def reach(view: View, game: Game, dice: Dice, rules: RuleSet, leave: Leave = Leave.NOTHING) -> Reach:
    """Everything that the dice reach, unfinished turns included, walls of six left out."""
    head_floor = view.own[HEAD] - head_limit(view, dice, rules)
    old_walls = illegal_walls(view) if game is Game.LONG_NARDY else frozenset()

    def allowed(reached: Reached) -> Reached:
        if game is Game.BACKGAMMON or Leave.WALL in leave:
            return reached
        # Only a wall that this turn made is held against the mover.
        return {v: m for v, m in reached.items() if illegal_walls(v) <= old_walls}

    start: Reached = {view: ()}
    if dice[0] == dice[1]:
        raw = [start]
        while len(raw) <= 4 and raw[-1]:
            raw.append(_spread(raw[-1], dice[0], game, head_floor, leave))
        return Reach(tuple(allowed(level) for level in raw[:5]), ())
    high, low = max(dice), min(dice)
    one_high = _spread(start, high, game, head_floor, leave)
    one_low = _spread(start, low, game, head_floor, leave)
    both = _spread(one_high, low, game, head_floor, leave)
    for after, moves in _spread(one_low, high, game, head_floor, leave).items():
        both.setdefault(after, moves)
    by_die = ((high, allowed(one_high)), (low, allowed(one_low)))
    return Reach((start, by_die[1][1] | by_die[0][1], allowed(both)), by_die)


def obliged(found: Reach) -> Reached:
    """The part of a reach that the full-move rules leave (rules.md M3 to M7)."""
    used = max(count for count, reached in enumerate(found.by_count) if reached)
    if used == 1 and found.by_die:
        return next(reached for _, reached in found.by_die if reached)  # M4: the larger if it can be played
    return found.by_count[used]


@lru_cache(maxsize=4096)
def legal_plays(position: Position, side: Side, dice: Dice, rules: RuleSet) -> tuple[Play, ...]:
    """Every distinct position that ``side`` may leave after this roll, each with one way to it.

    A turn in which nothing can be moved gives one play without moves (rules.md M6).
    """
    view = view_of(position, rules.game, side)
    reached = obliged(reach(view, rules.game, dice, rules))
    return tuple(
        Play(rules.game, side, dice, moves, position_of(after, rules.game, side))
        for after, moves in reached.items()
    )
