"""Legal plays of both games under every rule set, and the generator behind them.

A board is one number while plays are searched: as the mover counts the points (24 down to 1,
``BAR`` 25, ``OFF`` 0), six bits a point hold how many of his checkers stand there. A move is then an
addition, all the points that a die can be played from are found with a few operations on the whole
number, and boards that are the same are the same number. Enemies only change by being hit, so that
one more bit a point tells them.

The generator can be told to leave single rules out: the referee uses that to say *which* rule a play
that is not legal breaks (see :mod:`engine.judge`). There is one statement of each rule, for legal
plays and for those.

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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from functools import cached_property, lru_cache

from engine.events import Dice
from engine.notation import Move, notation
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import RuleSet, default_rules

HEAD = 24  #: the head in long nardy, as a point of its owner
HOME = 6  #: the highest point of a side's home
_ENEMY_HEAD = 12  #: the enemy's head in long nardy, as a point of the mover
_AFTER_55 = 16  #: ... and where his checker is after 5-5, twenty holes on
WALL = 6  #: points in a row that make a wall (rules.md L7)


class Leave(Flag):
    """Rules that the generator can leave out (ids of rules.md)."""

    NOTHING = 0
    BAR_FIRST = auto()  #: K2
    HEAD = auto()  #: L2 to L6
    WALL = auto()  #: L7 to L10
    ALL_HOME = auto()  #: B1, and with it B5
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


def view_of(position: Position, game: Game, side: Side) -> View:
    """A position as ``side`` counts it."""
    own, enemy = [0] * 26, [0] * 26
    for point, index in enumerate(_INDEX[game, side][1:], 1):
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
    for point, index in enumerate(_INDEX[game, side][1:], 1):
        points[index] = side.sign * (view.own[point] - view.enemy[point])
    bar, off = (view.own[BAR], view.enemy[BAR]), (view.own[OFF], view.enemy[OFF])
    if side is Side.BLACK:
        bar, off = bar[::-1], off[::-1]
    return Position(tuple(points), bar, off)


#: The index in ``Position.points`` of each of a side's points 1 to 24; there is none for 0.
_INDEX = {
    (game, side): (-1, *(index_of(game, side, point) for point in range(1, 25)))
    for game in Game
    for side in Side
}

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
_FLAG_OF = tuple(map(_flag, range(26)))

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
_ROWS = tuple(sum(_flag((12 - first - i - 1) % 24 + 1) for i in range(WALL)) for first in range(24))


def _number(view: View) -> int:
    """The mover's checkers of a view as a number. Raises ``ValueError`` if they are too many for it."""
    if sum(view.own) > 31:
        raise ValueError(f"{sum(view.own)} checkers of one side are too many for a board")
    number = 0
    for shift, count in zip(_SHIFTS, view.own, strict=True):
        if count:
            number += count << shift
    return number


def _view(board: int, before: View) -> View:
    """What a board reached from ``before`` looks like."""
    own = tuple(board >> shift & 63 for shift in _SHIFTS)
    hits = board >> _HIT
    if not hits:
        return View(own, before.enemy)
    enemy = [count - (hits >> shift + 5 & 1) for shift, count in zip(_SHIFTS, before.enemy, strict=True)]
    enemy[BAR] += hits.bit_count()
    return View(own, tuple(enemy))


# --- The rules of a turn ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Turn:
    """What the rules say of one turn, some of them left out: all that does not change while it lasts."""

    start: int
    onward: tuple[int, ...]  #: for each die the points from which it leads to an open point
    back: tuple[int, ...]  #: the same backwards; no points as the rules are
    blots: int  #: points where an enemy checker can be hit
    bar_first: bool
    head_floor: int  #: checkers that must stay on the head; -1: none
    head_if_stuck: int  #: a head of so many gives one only where no other checker can move; -1: never asked
    outside: int  #: points that must be empty before a checker is borne off
    any_lower: bool  #: a higher die bears off from any lower point, not from the highest alone
    rows: tuple[int, ...]  #: rows of six that may not come to be full
    each_step: bool  #: ... nor for a moment
    once: bool  #: each checker moves once at most
    alone: bool  #: a checker that hit may not end up beside another


def _turn(view: View, game: Game, dice: Dice, rules: RuleSet, leave: Leave, head: int) -> _Turn:
    """The rules of a turn in which ``head`` checkers may leave the head."""
    nardy = game is Game.LONG_NARDY
    start = _number(view)
    held = start + _MANY & _ALL
    enemy = blots = 0
    for flag, count in zip(_FLAG_OF[1:25], view.enemy[1:25], strict=True):
        if count:
            enemy += flag
            if count == 1:
                blots += flag
    open_points = _POINTS
    if Leave.CLOSED not in leave:
        open_points ^= enemy if nardy else enemy ^ blots  # L1, K1
    outside = _OUTSIDE  # B1
    if Leave.ALL_HOME in leave:
        outside = 0
    elif nardy and not rules.off_same_turn and held & _OUTSIDE and Leave.OFF_SAME_TURN not in leave:
        outside = _ALL  # B5
    head_floor = head_if_stuck = -1
    if nardy and Leave.HEAD not in leave:
        head_floor = view.own[HEAD] - head
        if rules.head_mode == "if_stuck" and _first_double(view, dice, rules):
            head_if_stuck = CHECKERS - 1
    rows: tuple[int, ...] = ()
    if nardy and Leave.WALL not in leave:
        # A turn fills four points at most; a row that was full before it is not held against it.
        most = 4 if dice[0] == dice[1] else 2
        rows = tuple(
            row
            for row in (_ROWS[first] for first in _forbidden_rows(view, rules))
            if WALL - most <= (row & held).bit_count() < WALL
        )
    return _Turn(
        start=start,
        onward=tuple([open_points << _BITS * die for die in range(7)]),
        back=tuple([open_points >> _BITS * die if Leave.FORWARD in leave else 0 for die in range(7)]),
        blots=0 if nardy else blots,
        bar_first=Leave.BAR_FIRST not in leave,
        head_floor=head_floor,
        head_if_stuck=head_if_stuck,
        outside=outside,
        any_lower=Leave.HIGHEST in leave,
        rows=rows,
        each_step=rules.block_timing == "step",
        once=not rules.allow_same_checker and Leave.SAME_CHECKER not in leave,
        alone=not nardy and rules.hit_and_hide == "forbidden" and Leave.HIT_AND_HIDE not in leave,
    )


def _first_double(view: View, dice: Dice, rules: RuleSet) -> bool:
    """Whether this is a double of a first turn that lets two checkers leave the head (rules.md L3, L5)."""
    return (
        view.own[HEAD] == CHECKERS
        and dice[0] == dice[1]
        and dice[0] in rules.head_exc
        and not _noted(view, dice, rules)
    )


def _noted(view: View, dice: Dice, rules: RuleSet) -> bool:
    """Whether this is the 4-4 after 5-5 of the note (rules.md L5)."""
    return (
        rules.note_55_44
        and dice == (4, 4)
        and view.own[HEAD] == CHECKERS
        and view.enemy[_ENEMY_HEAD] == CHECKERS - 1
        and view.enemy[_AFTER_55] == 1
    )


def _forbidden_rows(view: View, rules: RuleSet) -> range:
    """The rows of six that a mover may not fill, by their first holes (rules.md L7 to L9).

    The holes that are forbidden are always the last ones on the enemy's way, since what is behind all
    of his checkers at one hole is so at every later one.
    """
    last = 24 if rules.block_wrap == "circle" else 24 - WALL + 1
    if rules.block == "none":
        return range(0)
    if rules.block == "home":
        entered = view.enemy[OFF] or any(view.enemy[13:19])
        return range(0) if entered else range(last)
    ahead = next((hole for hole in range(23, -1, -1) if view.enemy[(11 - hole) % 24 + 1]), None)
    return range(0) if ahead is None else range(max(ahead - WALL + 1, 0), last)


_USUAL = default_rules(Game.LONG_NARDY)


def illegal_walls(view: View, rules: RuleSet = _USUAL) -> frozenset[int]:
    """Walls of six that may not stand, each by its first hole on the enemy's way, 0 his head, to 23.

    Rows are counted on the *enemy's* way, so that one runs across the mover's own last hole but,
    unless ``block_wrap`` is ``circle``, not across the enemy's.
    """
    held = _number(view) + _MANY & _ALL
    return frozenset(first for first in _forbidden_rows(view, rules) if not _ROWS[first] & ~held)


def _sources(turn: _Turn, state: int, die: int) -> tuple[int, int, int]:
    """The points from which one checker can be moved by this die: onward, off the board, backwards."""
    held = state + _MANY & _ALL
    sources = held
    if turn.once:
        sources = (state & _COUNTS) + _MANY - (state >> _MOVED & _COUNTS) & _ALL  # M1
    if held & _BAR_FLAG and turn.bar_first:
        sources &= _BAR_FLAG  # K2
    if turn.head_floor >= 0 and (state >> _HEAD_SHIFT & 63) <= turn.head_floor:
        sources &= ~_HEAD_FLAG  # L2
    onward = sources & turn.onward[die]
    if turn.head_if_stuck >= 0 and (state >> _HEAD_SHIFT & 63) == turn.head_if_stuck and onward & ~_HEAD_FLAG:
        onward &= ~_HEAD_FLAG  # L4
    off = 0
    if not held & turn.outside:
        exact = 32 << _BITS * die
        off = sources & exact  # B2
        if turn.any_lower:
            off |= sources & exact - 1
        elif 0 < held < exact:
            off = sources & 1 << held.bit_length() - 1  # B3, B4
    return onward, off, sources & turn.back[die]


def _next(turn: _Turn, state: int, die: int) -> list[int]:
    """What one checker moved by this die makes of a state."""
    onward, off, back = _sources(turn, state, die)
    if turn.once or turn.alone:
        return _next_with_history(turn, state, die, onward, off, back)
    shift = _BITS * die
    blots = turn.blots & ~(state >> _HIT)
    result = []
    while onward:
        source = onward & -onward
        onward ^= source
        target = source >> shift
        result.append(state - (source >> 5) + (target >> 5) + ((blots & target) << _HIT))
    while off:
        source = off & -off
        off ^= source
        result.append(state - (source >> 5) + 1)
    while back:
        source = back & -back
        back ^= source
        target = source << shift
        result.append(state - (source >> 5) + (target >> 5) + ((blots & target) << _HIT))
    return result


def _next_with_history(turn: _Turn, state: int, die: int, onward: int, off: int, back: int) -> list[int]:
    """The same where it matters which of the checkers on a point has moved or hit before.

    Each of them may be the one that goes on; as the board does not show which, both are followed.
    """
    result = []
    for sources, down, up in ((onward, _BITS * die, 0), (off, None, 0), (back, 0, _BITS * die)):
        while sources:
            flag = sources & -sources
            sources ^= flag
            unit = flag >> 5
            target = _unit(OFF) if down is None else unit >> down << up
            hit = target << 5 & turn.blots & ~(state >> _HIT)
            after = state - unit + target + (hit << _HIT)
            stays = down is not None  # a checker that is off has no more history
            if turn.once:
                hitter = bool(hit) and turn.alone
                result.append(after + stays * (target << _MOVED) + hitter * (target << _HITTER))
                continue
            place = unit.bit_length() - 1
            hitters = state >> _HITTER + place & 63
            if hitters < state >> place & 63:
                result.append(after + bool(hit) * (target << _HITTER))
            if hitters:
                result.append(after - (unit << _HITTER) + stays * (target << _HITTER))
    return result


def _may_stand(turn: _Turn, state: int) -> bool:
    """Whether no forbidden row of six has been filled."""
    if not turn.rows:
        return True
    held = state + _MANY & _ALL
    return not any(held & row == row for row in turn.rows)


def _may_end(turn: _Turn, state: int) -> bool:
    """Whether a turn may end so (rules.md L7 to L10, K4)."""
    hitters = (state >> _HITTER) + _MANY & _ALL
    return not hitters & (state & _COUNTS) + _PAIR and _may_stand(turn, state)


# --- Turns -----------------------------------------------------------------------------------------

_Level = dict[int, int]  #: states after so many dice, and one state before each


class Reached(Mapping[View, tuple[Move, ...]]):
    """The boards that can stand when so many dice have been used, and one way to each of them."""

    def __init__(self, before: View, turn: _Turn, earlier: tuple[_Level, ...], last: _Level) -> None:
        self._before = before
        self._turn = turn
        self._earlier = earlier
        self._last = last

    @cached_property
    def boards(self) -> _Level:
        """The boards as numbers, each with one state before it."""
        turn = self._turn
        if not (turn.rows or turn.once or turn.alone):
            return self._last
        boards: _Level = {}
        for state, previous in self._last.items():
            if _may_end(turn, state):
                boards.setdefault(state & _BOARD, previous)
        return boards

    def way(self, board: int) -> tuple[Move, ...]:
        """The moves to one of the boards."""
        if not self._earlier:
            return ()
        previous = self.boards[board]
        moves = [_MOVE_BY_CHANGE[board - (previous & _BOARD)]]
        for level in self._earlier[:0:-1]:
            state, previous = previous, level[previous]
            moves.append(_MOVE_BY_CHANGE[(state & _BOARD) - (previous & _BOARD)])
        return tuple(moves[::-1])

    def __len__(self) -> int:
        return len(self.boards)

    def __iter__(self) -> Iterator[View]:
        return (_view(board, self._before) for board in self.boards)

    def __contains__(self, view: object) -> bool:
        return isinstance(view, View) and self._board(view) in self.boards

    def __getitem__(self, view: View) -> tuple[Move, ...]:
        board = self._board(view)
        if board not in self.boards:
            raise KeyError(view)
        return self.way(board)

    def _board(self, view: View) -> int | None:
        """A view as the number that it would have here."""
        if sum(view.own) != sum(self._before.own):
            return None
        board = _number(view)
        for flag, count, was in zip(_FLAG_OF, view.enemy, self._before.enemy, strict=True):
            if count < was:
                board += flag << _HIT
        return board if _view(board, self._before) == view else None


@dataclass(frozen=True, slots=True)
class Reach:
    """What a roll reaches, by the number of dice used; ``by_die`` splits one die of two."""

    by_count: tuple[Reached, ...]  #: index = dice used; entry 0 is the position itself
    by_die: tuple[tuple[int, Reached], ...]  #: (die, reached by it alone), larger first; empty for a double


def reach(view: View, game: Game, dice: Dice, rules: RuleSet, leave: Leave = Leave.NOTHING) -> Reach:
    """Everything that the dice reach, unfinished turns included, as long as a turn might end so.

    ``leave``: rules to leave out. Whether L6 lets a second checker leave the head is found by all the
    rules even then. Raises ``ValueError`` if there are too many checkers for a board.
    """
    head = head_limit(view, dice, rules) if game is Game.LONG_NARDY else 0
    return _search(view, dice, _turn(view, game, dice, rules, leave, head))


def head_limit(view: View, dice: Dice, rules: RuleSet) -> int:
    """How many checkers may leave the head of long nardy in this turn (rules.md L2, L3, L5, L6)."""
    if _first_double(view, dice, rules):
        return 2
    if rules.head_relief == "none" or _noted(view, dice, rules):
        return 1
    found = _search(view, dice, _turn(view, Game.LONG_NARDY, dice, rules, Leave.NOTHING, 1))
    return 1 if any(found.by_count[4 if dice[0] == dice[1] else 2 :]) else 2


def _search(view: View, dice: Dice, turn: _Turn) -> Reach:
    levels: list[_Level] = [{turn.start: turn.start}]
    if dice[0] == dice[1]:
        while len(levels) <= 4 and levels[-1]:
            levels.append(_spread(turn, levels[-1], dice[0]))
        return Reach(
            tuple(Reached(view, turn, tuple(levels[:n]), level) for n, level in enumerate(levels)), ()
        )
    high, low = max(dice), min(dice)
    by_high, by_low = _spread(turn, levels[0], high), _spread(turn, levels[0], low)
    by_one = by_high | by_low
    by_both = _spread(turn, by_low, high) | _spread(turn, by_high, low)
    start = tuple(levels)
    return Reach(
        (
            Reached(view, turn, (), levels[0]),
            Reached(view, turn, start, by_one),
            Reached(view, turn, (*start, by_one), by_both),
        ),
        ((high, Reached(view, turn, start, by_high)), (low, Reached(view, turn, start, by_low))),
    )


def _spread(turn: _Turn, level: _Level, die: int) -> _Level:
    """All the states that one more die leads to."""
    result: _Level = {}
    for state in level:
        for after in _next(turn, state, die):
            if after not in result:
                result[after] = state
    if turn.rows and turn.each_step:
        return {state: previous for state, previous in result.items() if _may_stand(turn, state)}
    return result


def obliged(found: Reach) -> Reached:
    """The part of a reach that the full-move rules leave (rules.md M3 to M7)."""
    used = max(count for count, reached in enumerate(found.by_count) if reached)
    if used == 1 and found.by_die:
        return next(reached for _, reached in found.by_die if reached)  # M4: the larger if it can be played
    return found.by_count[used]


@lru_cache(maxsize=4096)
def legal_plays(position: Position, side: Side, dice: Dice, rules: RuleSet) -> tuple[Play, ...]:
    """Every distinct position that ``side`` may leave after this roll, each with one way to it.

    A turn in which nothing can be moved gives one play without moves (rules.md M6). Raises
    ``ValueError`` if there are too many checkers for a board.
    """
    game = rules.game
    legal = obliged(reach(view_of(position, game, side), game, dice, rules))
    return tuple(
        [
            Play(game, side, dice, moves, _moved(position, game, side, moves))
            for moves in map(legal.way, legal.boards)
        ]
    )


def _moved(position: Position, game: Game, side: Side, moves: tuple[Move, ...]) -> Position:
    """The position after these moves."""
    points, index, sign = list(position.points), _INDEX[game, side], side.sign
    bar, off = list(position.bar), list(position.off)
    for move in moves:
        source, target = move.from_point, move.to_point
        if source == BAR:
            bar[side.index] -= 1
        else:
            points[index[source]] -= sign
        if target == OFF:
            off[side.index] += 1
        elif move.hit:
            points[index[target]] = sign
            bar[side.other.index] += 1
        else:
            points[index[target]] += sign
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


def ways(
    position: Position, side: Side, dice: Dice, rules: RuleSet
) -> dict[Position, tuple[tuple[Move, ...], ...]]:
    """Every distinct ordered way to each of the positions of :func:`legal_plays`, in its order.

    A way is a row of single moves each of which the rules allow at its place. Where the game ends
    with a die to spare, because one die bears the last checker off as well as two do, the shorter way
    counts too. Raises ``ValueError`` if there are too many checkers for a board.
    """
    game = rules.game
    view = view_of(position, game, side)
    legal = obliged(reach(view, game, dice, rules))
    head = head_limit(view, dice, rules) if game is Game.LONG_NARDY else 0
    turn = _turn(view, game, dice, rules, Leave.NOTHING, head)
    found: dict[int, dict[tuple[Move, ...], None]] = {board: {} for board in legal.boards}

    def walk(state: int, left: tuple[int, ...], moves: tuple[Move, ...]) -> None:
        board = state & _BOARD
        if board in found and _may_end(turn, state):
            found[board][moves] = None
        for die in dict.fromkeys(left):
            rest = left[1:] if die == left[0] else left[:1]
            for after in _spread(turn, {state: state}, die):
                walk(after, rest, (*moves, _MOVE_BY_CHANGE[(after & _BOARD) - board]))

    walk(turn.start, dice * 2 if dice[0] == dice[1] else (max(dice), min(dice)), ())
    return {_moved(position, game, side, next(iter(orders))): tuple(orders) for orders in found.values()}
