"""Legal plays of both games under every rule set, and the generator behind them.

A board is one number while plays are searched: as the mover counts the points (24 down to 1,
``BAR`` 25, ``OFF`` 0), six bits a point hold how many of his checkers stand there. A move is then an
addition, all the points that a die can be played from are found with a few operations on the whole
number, and boards that are the same are the same number. Enemies only change by being hit, so that
one more bit a point tells them.

The generator can be told to leave single rules out, for plays that break just those. There is one
statement of each rule, for legal plays and for such ones.

Readings of what the sources leave open (rules.md):

* M3 to M7: dice are counted over turns that end legally. A turn that could only be played in full by
  building a forbidden wall, or by hiding a hitter, need not be played in full.
* L4 ``if_stuck``: on the doubles of L3, once one checker has left the head, a second may leave only
  where no other checker can move.
* L5: White's 5-5 is seen from the position: all but one of the enemy's checkers on his head, that one
  on the twenty-first hole of his way, the mover's all on the head. It goes before L6.
* L6: whether a roll cannot be played in full is found with the ordinary limit; if so, a second checker
  may leave the head, and since M3 counts that too, it must if that plays more.
* L7, L9: a checker that was borne off is not ahead of a wall while others are left; L8: it has entered
  its home. Only rows of six that did not stand at the start of the turn are held against the mover,
  since those that did were another turn's doing.
* L7 ``circle``: a row across the enemy's last hole and his head ends beyond his way, so that nothing
  is ahead of it.
* B5: no bearing off in a turn that began with a checker outside the home.
* K4: when the turn ends, a checker that hit in it may not stand on a point with another of its own
  side, whether it went on to that point ("hit and go on") or another came to it ("hit and cover"). It
  may go on to an empty point, hit again, pass over its own points, or be borne off.
* M1 ``allow_same_checker = false``: every checker moves once at most; a stack gives as many as it held
  unmoved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import lru_cache
from operator import getitem
from typing import Any

from engine.events import Dice
from engine.notation import Move, notation
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of, point_of
from engine.rules import RuleSet

HEAD = 24  #: the head in long nardy, as a point of its owner
HOME = 6  #: the highest point of a side's home
WALL = 6  #: points in a row that make a wall (rules.md L7)


class Leave(Flag):
    """Rules that the generator can leave out (ids of rules.md)."""

    NOTHING = 0
    BAR_FIRST = auto()  #: K2
    HEAD = auto()  #: L2 to L6
    WALL = auto()  #: L7 to L10
    ALL_HOME = auto()  #: B1, and with it B5
    FORWARD = auto()  #: G4, G5


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


def view_of(position: Position, game: Game, side: Side) -> View:
    """A position as ``side`` counts it."""
    own, enemy = [0] * 26, [0] * 26
    for point, index in enumerate(_seat(game, side).index[1:], 1):
        count = position.points[index] * side.sign
        if count > 0:
            own[point] = count
        elif count < 0:
            enemy[point] = -count
    own[OFF], own[BAR] = position.off[side.index], position.bar[side.index]
    enemy[OFF], enemy[BAR] = position.off[side.other.index], position.bar[side.other.index]
    return View(tuple(own), tuple(enemy))


def position_of(view: View, game: Game, side: Side) -> Position:
    """The twin of :func:`view_of`, for views in which no point holds both sides."""
    points = [0] * 24
    for point, index in enumerate(_seat(game, side).index[1:], 1):
        points[index] = side.sign * (view.own[point] - view.enemy[point])
    bar, off = (view.own[BAR], view.enemy[BAR]), (view.own[OFF], view.enemy[OFF])
    if side is Side.BLACK:
        bar, off = bar[::-1], off[::-1]
    return Position(tuple(points), bar, off)


# A member of an enum is slow to look up and to hash in Python 3.11, which counts here.
_SHORT, _LONG, _BLACK = Game.BACKGAMMON, Game.LONG_NARDY, Side.BLACK


# --- Boards as numbers ---------------------------------------------------------------------------
#
# Point p has the bits 6p to 6p + 5. A count n leaves the highest of them free, so that adding 31
# sets it exactly where n > 0: that bit is the point's flag. Sets of points are sums of flags. Above
# the counts lie, again six bits a point: flags of the points where an enemy was hit; and, only where a
# rule asks for it, counts of checkers that moved in this turn, and of those that hit.

_BITS = 6
_SIZE = 26 * _BITS
_HIT, _MOVED, _HITTER = _SIZE, 2 * _SIZE, 3 * _SIZE  # where those parts begin
_BOARD = (1 << _MOVED) - 1  # the part that is the board, history apart
_MOST = 28  # checkers on a point that leave room for four more


def _unit(point: int) -> int:
    return 1 << _BITS * point


def _flag(point: int) -> int:
    return 32 << _BITS * point


def _flags(first: int, last: int) -> int:
    return sum(_flag(point) for point in range(first, last + 1))


_COUNTS = (1 << _SIZE) - 1
_ALL = _flags(1, BAR)  # all flags but that of OFF, where a checker has nothing left to do
_POINTS = _flags(1, 24)
_MANY = _ALL - (_ALL >> 5)  # 31 on each point: added to the counts it flags those of one or more
_PAIR = _MANY - (_ALL >> 5)  # 30 on each point: flags those of two or more
_OUTSIDE = _flags(HOME + 1, BAR)
_BAR_FLAG, _HEAD_FLAG, _HEAD_SHIFT = _flag(BAR), _flag(HEAD), _BITS * HEAD
_SHIFTS = tuple(_BITS * point for point in range(26))

#: Every single move there is, by what it adds to a board.
_MOVE_BY_CHANGE: dict[int, Move] = {
    _unit(target) - _unit(source) + hit * (_flag(target) << _HIT): Move(source, target, bool(hit))
    for source in range(1, BAR + 1)
    for target in range(max(source - 6, OFF), min(source + 7, BAR))
    if target != source
    for hit in range(2 if target != OFF else 1)
}

#: The points of each row of six, by the enemy's hole (0 at his head to 23) at which it begins. A
#: mover's point ``p`` is hole ``(12 - p) % 24`` on the enemy's way.
_ROWS = tuple(sum(_flag((11 - first - i) % 24 + 1) for i in range(WALL)) for first in range(24))
_ENEMY_HOME, _ENEMY_FAR = _flags(13, 18), _flags(13, 24)  # the enemy's last quarter, his last half
_ENEMY_HEAD, _AFTER_55 = _flag(12), _flag(16)  # his head, and the hole that 5-5 leads to from there


def _content(shift: int, count: int) -> int:
    """What a signed count on a point adds to a side's number, enemy's flags and blots above it."""
    if count >= 0:
        return count << shift
    flag = 32 << shift
    return flag << _SIZE | (flag << 2 * _SIZE if count == -1 else 0)


@dataclass(frozen=True, slots=True)
class _Seat:
    """How one side of a game counts the points of a position."""

    index: tuple[int, ...]  #: the index in ``Position.points`` of each point, for 1 to 24
    sign: int
    contents: tuple[dict[int, int], ...]  #: for each index what each count there adds to the numbers


def _make_seat(game: Game, side: Side) -> _Seat:
    counts = range(-_MOST, _MOST + 1)
    return _Seat(
        index=(-1, *(index_of(game, side, point) for point in range(1, 25))),
        sign=side.sign,
        contents=tuple(
            {n: _content(_BITS * point_of(game, side, index), n * side.sign) for n in counts}
            for index in range(24)
        ),
    )


_SEATS = tuple(_make_seat(game, side) for game in (_SHORT, _LONG) for side in (Side.WHITE, _BLACK))


def _seat(game: Game, side: Side) -> _Seat:
    return _SEATS[2 * (game is _LONG) + (side is _BLACK)]


@dataclass(slots=True)
class _Before:
    """A board before a turn: the mover's checkers as a number, the enemy's as flags."""

    own: int
    enemy: int  #: points with enemy checkers
    blots: int  #: points with one of them alone
    enemy_off: bool  #: the enemy has borne off some


def _before(position: Position, seat: _Seat) -> _Before:
    """What a turn begins with, as the mover counts it. Raises ``ValueError`` for too many checkers."""
    if seat.sign > 0:
        (bar, _), (off, enemy_off) = position.bar, position.off
    else:
        (_, bar), (enemy_off, off) = position.bar, position.off
    try:
        content = sum(map(getitem, seat.contents, position.points))
    except KeyError as error:
        raise ValueError(f"{abs(error.args[0])} checkers on a point are too many for a board") from error
    if bar > _MOST or off > _MOST:
        raise ValueError(f"{max(bar, off)} checkers in one place are too many for a board")
    own = (content & _COUNTS) + (bar << _SHIFTS[BAR]) + off
    return _Before(own, content >> _SIZE & _COUNTS, content >> 2 * _SIZE, enemy_off > 0)


# --- The rules of a turn ---------------------------------------------------------------------------


@dataclass(slots=True)
class _Turn:
    """What the rules say of one turn: all that does not change while it lasts."""

    start: int
    open: int  #: points where a checker may stop
    open_back: int  #: points where one that moves backwards may stop: none, as the rules are
    blots: int  #: points where an enemy checker can be hit
    bar_first: bool
    head_floor: int  #: checkers that must stay on the head; -1: none
    head_if_stuck: int  #: a head of so many gives one only where no other checker can move; -1: never asked
    outside: int  #: points that must be empty before a checker is borne off
    rows: tuple[int, ...]  #: rows of six that may not come to be full
    each_step: bool  #: ... nor for a moment
    once: bool  #: each checker moves once at most
    alone: bool  #: a checker that hit may not end up beside another


def _turn(before: _Before, dice: Dice, rules: RuleSet) -> _Turn:
    """The rules of a turn."""
    own = before.own
    if rules.game is _SHORT:
        return _Turn(
            start=own,
            open=_POINTS ^ before.enemy ^ before.blots,  # K1
            open_back=0,
            blots=before.blots,
            bar_first=True,
            head_floor=-1,
            head_if_stuck=-1,
            outside=_OUTSIDE,  # B1
            rows=(),
            each_step=False,
            once=not rules.allow_same_checker,
            alone=rules.hit_and_hide == "forbidden",
        )
    turn = _Turn(
        start=own,
        open=_POINTS ^ before.enemy,  # L1
        open_back=0,
        blots=0,
        bar_first=True,
        head_floor=(own >> _HEAD_SHIFT & 63) - 1,  # L2
        head_if_stuck=-1,
        outside=_OUTSIDE if rules.off_same_turn or not own + _MANY & _OUTSIDE else _ALL,  # B1, B5
        rows=_fillable_rows(before, dice, rules),
        each_step=rules.block_timing == "step",
        once=not rules.allow_same_checker,
        alone=False,
    )
    noted = rules.note_55_44 and _is_noted(before, dice)
    if own >> _HEAD_SHIFT & 63 == CHECKERS and dice[0] == dice[1] and dice[0] in rules.head_exc and not noted:
        turn.head_floor -= 1  # L3
        if rules.head_mode == "if_stuck":
            turn.head_if_stuck = CHECKERS - 1  # L4
    elif rules.head_relief == "any_blocked_roll" and not noted and not _in_full(turn, dice):
        turn.head_floor -= 1  # L6
    return turn


def _is_noted(before: _Before, dice: Dice) -> bool:
    """Whether this is the 4-4 after 5-5 of the note (rules.md L5)."""
    return (
        dice == (4, 4)
        and before.own >> _HEAD_SHIFT & 63 == CHECKERS
        and before.enemy == _ENEMY_HEAD | _AFTER_55
        and before.blots == _AFTER_55
    )


def _fillable_rows(before: _Before, dice: Dice, rules: RuleSet) -> tuple[int, ...]:
    """The rows of six that may not be filled and that this turn could fill.

    It fills four points at most; a row that was full before it is not held against it.
    """
    held = before.own + _MANY & _ALL
    least = WALL - (4 if dice[0] == dice[1] else 2)
    rows = _ROWS[_forbidden_rows(before.enemy, before.enemy_off, rules)]
    return tuple([row for row in rows if least <= (row & held).bit_count() < WALL])


def _forbidden_rows(enemy: int, enemy_off: bool, rules: RuleSet) -> slice:
    """Which of the rows may not be filled against an enemy on these points (rules.md L7 to L9).

    They are the last ones on the enemy's way: if none of his checkers is ahead of a row, none is
    ahead of one further on.
    """
    end = 24 if rules.block_wrap == "circle" else 24 - WALL + 1
    if rules.block == "none" or not enemy:
        return slice(0)
    if rules.block == "home":
        return slice(0 if enemy & _ENEMY_HOME or enemy_off else end)
    foremost = enemy & _ENEMY_FAR or enemy
    point = ((foremost & -foremost).bit_length() - 1) // _BITS
    return slice(max((12 - point) % 24 - WALL + 1, 0), end)


def illegal_walls(view: View, rules: RuleSet) -> frozenset[int]:
    """Walls of six that may not stand, each by its first hole on the enemy's way, 0 his head, to 23.

    Rows are counted on the *enemy's* way, so that one runs across the mover's own last hole but,
    unless ``block_wrap`` is ``circle``, not across the enemy's.
    """
    held = sum(_flag(point) for point in range(1, 25) if view.own[point])
    enemy = sum(_flag(point) for point in range(1, 25) if view.enemy[point])
    forbidden = range(24)[_forbidden_rows(enemy, view.enemy[OFF] > 0, rules)]
    return frozenset(first for first in forbidden if held & _ROWS[first] == _ROWS[first])


def _without(turn: _Turn, leave: Leave) -> _Turn:
    """The turn with some rules left out."""
    changes: dict[str, Any] = {}
    if Leave.BAR_FIRST in leave:
        changes |= {"bar_first": False}
    if Leave.HEAD in leave:
        changes |= {"head_floor": -1, "head_if_stuck": -1}
    if Leave.WALL in leave:
        changes |= {"rows": ()}
    if Leave.ALL_HOME in leave:
        changes |= {"outside": 0}
    if Leave.FORWARD in leave:
        changes |= {"open_back": turn.open}
    return replace(turn, **changes)


# --- Turns -----------------------------------------------------------------------------------------

_Level = dict[int, int]  #: states after so many dice, each with one that it came from


def _spread(turn: _Turn, level: Iterable[int], die: int) -> _Level:
    """All the states that one checker moved by this die leads to: the rules of single moves."""
    result: _Level = {}
    shift, blots, outside, once = _BITS * die, turn.blots, turn.outside, turn.once
    leads, leads_back, exact = turn.open << shift, turn.open_back >> shift, 32 << shift
    head_floor, bar_flag = turn.head_floor, _BAR_FLAG if turn.bar_first else 0
    with_history = once or turn.alone or leads_back
    for state in level:
        # The points from which a checker can be moved onward, off the board, or backwards.
        held = sources = state + _MANY & _ALL
        if once:
            sources = (state & _COUNTS) + _MANY - (state >> _MOVED & _COUNTS) & _ALL  # M1
        if held & bar_flag:
            sources &= _BAR_FLAG  # K2
        if head_floor >= 0:
            on_head = state >> _HEAD_SHIFT & 63
            others = sources & ~_HEAD_FLAG
            if on_head <= head_floor or (on_head == turn.head_if_stuck and others & leads):
                sources = others  # L2, L4
        onward, off = sources & leads, 0
        if not held & outside:
            off = sources & exact  # B2
            if 0 < held < exact:
                off = sources & 1 << held.bit_length() - 1  # B3, B4
        if with_history:
            for after in _with_history(turn, state, die, onward, off, sources & leads_back):
                result.setdefault(after, state)
            continue
        while onward:
            flag = onward & -onward
            onward ^= flag
            target = flag >> shift
            after = state - (flag >> 5) + (target >> 5)
            if target & blots and not state >> _HIT & target:
                after += target << _HIT  # K1
            if after not in result:
                result[after] = state
        while off:
            flag = off & -off
            off ^= flag
            result.setdefault(state - (flag >> 5) + _unit(OFF), state)
    if turn.rows and turn.each_step:
        return {state: previous for state, previous in result.items() if _may_stand(turn, state)}
    return result


def _with_history(turn: _Turn, state: int, die: int, onward: int, off: int, back: int) -> Iterator[int]:
    """What one checker moved by a die makes of a state, with what it did before in this turn.

    Where some of the checkers on a point have hit and others have not, either may be the one that goes
    on: the board does not show which, so both are followed.
    """
    moves = [(flag >> 5, flag >> 5 + _BITS * die) for flag in _each(onward)]
    moves += [(flag >> 5, _unit(OFF)) for flag in _each(off)]
    moves += [(flag >> 5, flag >> 5 << _BITS * die) for flag in _each(back)]
    for source, target in moves:
        hit = target << 5 & turn.blots & ~(state >> _HIT)
        after = state - source + target + (hit << _HIT)
        on_board = target != _unit(OFF)
        if turn.once and on_board:
            after += target << _MOVED
        shift = source.bit_length() - 1
        hitters = state >> _HITTER + shift & 63
        if hitters < state >> shift & 63:
            yield after + (target << _HITTER if hit and turn.alone else 0)
        if hitters and not turn.once:
            yield after - (source << _HITTER) + (target << _HITTER if on_board else 0)


def _each(flags: int) -> Iterator[int]:
    while flags:
        flag = flags & -flags
        flags ^= flag
        yield flag


def _may_stand(turn: _Turn, state: int) -> bool:
    """Whether no forbidden row of six has been filled (rules.md L7 to L10)."""
    held = state + _MANY & _ALL
    return not any(held & row == row for row in turn.rows)


def _may_end(turn: _Turn, state: int) -> bool:
    """Whether a turn may end so."""
    hitters = (state >> _HITTER) + _MANY & _ALL
    return not hitters & (state & _COUNTS) + _PAIR and _may_stand(turn, state)  # K4


def _search(turn: _Turn, dice: Dice) -> tuple[list[_Level], tuple[_Level, ...]]:
    """What can stand after each number of dice; of two dice also, after the larger or the smaller alone."""
    start: _Level = {turn.start: turn.start}
    if dice[0] == dice[1]:
        levels = [start]
        while len(levels) <= 4 and levels[-1]:
            levels.append(_spread(turn, levels[-1], dice[0]))
        return levels, ()
    high, low = max(dice), min(dice)
    by_high, by_low = _spread(turn, start, high), _spread(turn, start, low)
    both = _spread(turn, by_low, high) | _spread(turn, by_high, low)
    return [start, by_low | by_high, both], (by_high, by_low)


def _boards(turn: _Turn, level: _Level) -> _Level:
    """The boards of a level on which the turn may end."""
    if not turn.rows and not turn.once and not turn.alone:
        return level
    boards: _Level = {}
    for state, previous in level.items():
        if _may_end(turn, state):
            boards.setdefault(state & _BOARD, previous)
    return boards


def _obliged(turn: _Turn, dice: Dice) -> tuple[_Level, list[_Level]]:
    """The boards that the full-move rules leave (rules.md M3 to M7), and the levels before them."""
    levels, alone = _search(turn, dice)
    for used in range(len(levels) - 1, 0, -1):
        for level in alone if used == 1 and alone else (levels[used],):  # M4: the larger if it can be played
            if boards := _boards(turn, level):
                return boards, levels[:used]
    return levels[0], []  # M6


def _in_full(turn: _Turn, dice: Dice) -> bool:
    """Whether all the dice can be played."""
    return len(_obliged(turn, dice)[1]) == (4 if dice[0] == dice[1] else 2)


def _way(board: int, boards: _Level, before: list[_Level]) -> tuple[Move, ...]:
    """The moves to a board, back through the levels before it."""
    if not before:
        return ()
    state = boards[board]
    moves = [_MOVE_BY_CHANGE[board - (state & _BOARD)]]
    for level in before[:0:-1]:
        board, state = state, level[state]
        moves.append(_MOVE_BY_CHANGE[(board & _BOARD) - (state & _BOARD)])
    moves.reverse()
    return tuple(moves)


def _played(position: Position, seat: _Seat, moves: Iterable[Move]) -> Position:
    """The position after some moves of one side."""
    points, index, sign = list(position.points), seat.index, seat.sign
    entered = hits = off = 0
    for move in moves:
        source, target = move.from_point, move.to_point
        if source == BAR:
            entered += 1
        else:
            points[index[source]] -= sign
        if target == OFF:
            off += 1
        elif move.hit:
            points[index[target]] = sign
            hits += 1
        else:
            points[index[target]] += sign
    if not (entered or hits or off):
        return Position(tuple(points), position.bar, position.off)
    (white, black), (white_off, black_off) = position.bar, position.off
    if sign > 0:
        return Position(tuple(points), (white - entered, black + hits), (white_off + off, black_off))
    return Position(tuple(points), (white + hits, black - entered), (white_off, black_off + off))


@lru_cache(maxsize=4096)
def legal_plays(position: Position, side: Side, dice: Dice, rules: RuleSet) -> tuple[Play, ...]:
    """Every distinct position that ``side`` may leave after this roll, each with one way to it.

    A turn in which nothing can be moved gives one play without moves (rules.md M6). Raises
    ``ValueError`` if there are more checkers in one place than a board can hold.
    """
    game = rules.game
    seat = _seat(game, side)
    boards, before = _obliged(_turn(_before(position, seat), dice, rules), dice)
    plays = []
    for board in boards:
        moves = _way(board, boards, before)
        plays.append(Play(game, side, dice, moves, _played(position, seat, moves)))
    return tuple(plays)


def ways(
    position: Position, side: Side, dice: Dice, rules: RuleSet
) -> dict[Position, tuple[tuple[Move, ...], ...]]:
    """Every distinct ordered way to each of the positions of :func:`legal_plays`, in its order.

    A way is a row of single moves each of which the rules allow at its place. Where the game ends
    with a die to spare, because one die bears the last checker off as well as two do, the shorter way
    counts too. Raises ``ValueError`` as :func:`legal_plays` does.
    """
    seat = _seat(rules.game, side)
    turn = _turn(_before(position, seat), dice, rules)
    boards, _ = _obliged(turn, dice)
    found: dict[int, dict[tuple[Move, ...], None]] = {board: {} for board in boards}

    def walk(state: int, left: tuple[int, ...], moves: tuple[Move, ...]) -> None:
        board = state & _BOARD
        if board in found and _may_end(turn, state):
            found[board][moves] = None
        for die in dict.fromkeys(left):
            rest = left[1:] if die == left[0] else left[:1]
            for after in _spread(turn, (state,), die):
                walk(after, rest, (*moves, _MOVE_BY_CHANGE[(after & _BOARD) - board]))

    walk(turn.start, dice * 2 if dice[0] == dice[1] else (max(dice), min(dice)), ())
    return {_played(position, seat, next(iter(orders))): tuple(orders) for orders in found.values()}


def reach(
    position: Position, side: Side, dice: Dice, rules: RuleSet, leave: Leave = Leave.NOTHING
) -> tuple[dict[Position, tuple[Move, ...]], ...]:
    """What ``side`` may leave after each number of dice used, 0 first, and one way to each position.

    Unlike :func:`legal_plays` this knows nothing of the full-move rules, and ``leave`` names further rules
    to leave out. Whether L6 lets a second checker leave the head is found by all the rules. Raises
    ``ValueError`` as :func:`legal_plays` does.
    """
    seat = _seat(rules.game, side)
    turn = _without(_turn(_before(position, seat), dice, rules), leave)
    levels, _ = _search(turn, dice)
    reached = []
    for used, level in enumerate(levels):
        boards = _boards(turn, level)
        moves = [_way(board, boards, levels[:used]) for board in boards]
        reached.append({_played(position, seat, way): way for way in moves})
    return tuple(reached)
