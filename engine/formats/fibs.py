"""The FIBS board line, ``board:You:Opponent:...``: 52 fields after the word, parted by colons.

:class:`FibsBoard` holds all of them as they are written, so that a line survives unchanged;
:func:`state_of` and :func:`board_of` turn it into a match state and back. White is the first of the two
names, the player who is shown the board ("You"). The meaning of the fields is that of the FIBS client
protocol, and of GNU Backgammon where the protocol leaves it open: the side on turn in a line that
tells of a double is the one that doubled.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass

from engine.events import Dice
from engine.formats.state import MatchState, demand_fifteen, own_counts, position_from_counts
from engine.position import CHECKERS, Side
from engine.record import FormatError

UNLIMITED = 9999  #: the match length that stands for unlimited play; GNU Backgammon writes 0
_LINE = re.compile(r"board:[^\r\n]*")
_FIELDS = 52


@dataclass(frozen=True, slots=True, kw_only=True)
class FibsBoard:
    """The fields of the line in their order; pairs are (you, opponent).

    ``board``: 26 counts from index 0 to 25, positive for O and negative for X; your point n is index n
    if ``direction`` is -1, and 25 - n if it is 1; the bars are the two ends. ``turn``: 1 for O, -1 for X,
    0 when the game is over. ``colour``: 1 if you are O, -1 if you are X. ``home`` and ``bar``: indexes in
    ``board`` of where your checkers leave and enter. ``was_doubled`` is not 0 while a double waits for an
    answer. ``on_home``: borne off. ``redoubles``: how many in a row are allowed.
    """

    players: tuple[str, str]
    length: int
    score: tuple[int, int]
    board: tuple[int, ...]
    turn: int
    dice: tuple[Dice, Dice]
    cube: int
    may_double: tuple[int, int]
    was_doubled: int
    colour: int
    direction: int
    home: int
    bar: int
    on_home: tuple[int, int]
    on_bar: tuple[int, int]
    can_move: int
    forced: int
    did_crawford: int
    redoubles: int


def parse_fibs(text: str) -> FibsBoard:
    """The first board line in a text. Spaces around a field do not matter. Raises ``FormatError``."""
    found = _LINE.search(text)
    if found is None:
        raise FormatError("no line that begins with board:")
    line = text.count("\n", 0, found.start()) + 1
    fields = [field.strip() for field in found[0].split(":")[1:]]
    if len(fields) != _FIELDS:
        raise FormatError(f"a FIBS board has {_FIELDS} fields after board:, not {len(fields)}", line)
    numbers = []
    for place, field in enumerate(fields[2:], 3):
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", field):
            raise FormatError(f"field {place} of the FIBS board is not a number: {field[:20]!r}", line)
        numbers.append(int(field))
    n = numbers
    return FibsBoard(
        players=(fields[0], fields[1]),
        length=n[0],
        score=(n[1], n[2]),
        board=tuple(n[3:29]),
        turn=n[29],
        dice=((n[30], n[31]), (n[32], n[33])),
        cube=n[34],
        may_double=(n[35], n[36]),
        was_doubled=n[37],
        colour=n[38],
        direction=n[39],
        home=n[40],
        bar=n[41],
        on_home=(n[42], n[43]),
        on_bar=(n[44], n[45]),
        can_move=n[46],
        forced=n[47],
        did_crawford=n[48],
        redoubles=n[49],
    )


def format_fibs(board: FibsBoard) -> str:
    """The twin of :func:`parse_fibs`. Raises ``FormatError`` for a name that would break the line."""
    for name in board.players:
        if re.search(r"[:\r\n]", name) or name != name.strip():
            raise FormatError(f"a name in a FIBS board has no colon and no space at its ends: {name!r}")
    return "board:" + ":".join(map(str, _flat(astuple(board))))


def state_of(board: FibsBoard) -> MatchState:
    """What a board line tells of the match.

    The cube is in the middle unless one side alone may double; the game is the Crawford game if one side
    lacks one point, the other more, and no Crawford game was before. Raises ``FormatError`` for fields
    that contradict each other.
    """
    if board.colour not in (1, -1) or board.direction not in (1, -1):
        raise FormatError("colour and direction of a FIBS board are 1 or -1")
    if board.turn not in (1, 0, -1):
        raise FormatError(f"turn of a FIBS board is 1, -1 or 0, not {board.turn}")
    counts = {}
    for side, sign in ((Side.WHITE, board.colour), (Side.BLACK, -board.colour)):
        downwards = (board.direction == -1) == (side is Side.WHITE)
        way = board.board if downwards else board.board[::-1]
        places = [max(0, count * sign) for count in way[1:]]
        places[24] = _bar(places[24], board.on_bar[side.index], side)
        if sum(places) + board.on_home[side.index] != CHECKERS:
            total = sum(places) + board.on_home[side.index]
            raise FormatError(f"{board.players[side.index][:40]} has {total} checkers in all, not {CHECKERS}")
        counts[side] = places
    length = 0 if board.length == UNLIMITED else board.length
    you, opponent = (bool(flag) for flag in board.may_double)
    owner = None if you is opponent or board.cube == 1 else Side.WHITE if you else Side.BLACK
    on_roll = Side.WHITE if board.turn in (board.colour, 0) else Side.BLACK
    dice = board.dice[on_roll.index]
    lacking = sorted(length - points for points in board.score)
    return MatchState(
        position=position_from_counts(counts[Side.WHITE], counts[Side.BLACK]),
        on_roll=on_roll,
        dice=None if dice == (0, 0) else dice,
        cube=board.cube,
        owner=owner,
        offer="double" if board.was_doubled else "",
        score=board.score,
        length=length,
        crawford=bool(length and lacking[0] == 1 < lacking[1] and not board.did_crawford),
        phase="playing" if board.turn else "over",
    )


def board_of(state: MatchState, players: tuple[str, str] = ("You", "Opponent")) -> FibsBoard:
    """The twin of :func:`state_of`: a line for White, who is O and plays from 24 to 1.

    Jacoby, beavers, a resignation and the highest cube are left out. Raises ``FormatError`` for a
    beaver or raccoon that waits for an answer, which the line cannot tell.
    """
    demand_fifteen(state.position, "a FIBS board")
    if state.offer not in ("", "double"):
        raise FormatError(f"a FIBS board cannot tell of a {state.offer}")
    white, black = own_counts(state.position, Side.WHITE), own_counts(state.position, Side.BLACK)
    lacking = sorted(state.length - points for points in state.score)
    before = state.length > 0 and lacking[0] == 1 and not state.crawford
    may_double = tuple(int(not state.crawford and state.owner is not side.other) for side in Side)
    dice = state.dice or (0, 0)
    return FibsBoard(
        players=players,
        length=state.length or UNLIMITED,
        score=state.score,
        board=(-black[24], *(w - b for w, b in zip(white[:24], black[23::-1], strict=True)), white[24]),
        turn=0 if state.phase != "playing" else state.on_roll.sign,
        dice=(dice, (0, 0)) if state.on_roll is Side.WHITE else ((0, 0), dice),
        cube=state.cube,
        may_double=(may_double[0], may_double[1]),
        was_doubled=int(bool(state.offer)),
        colour=1,
        direction=-1,
        home=0,
        bar=25,
        on_home=state.position.off,
        on_bar=state.position.bar,
        can_move=0,
        forced=0,
        did_crawford=int(before),
        redoubles=0,
    )


def _bar(on_board: int, field: int, side: Side) -> int:
    """Checkers on the bar, which the line tells twice; GNU Backgammon leaves the later field 0."""
    if field and on_board and field != on_board:
        raise FormatError(f"the FIBS board tells {on_board} and {field} {side.value} checkers on the bar")
    if min(field, on_board) < 0:
        raise FormatError("the FIBS board has a negative count on the bar")
    return on_board or field


def _flat(values: object) -> list[object]:
    if isinstance(values, tuple):
        return [value for part in values for value in _flat(part)]
    return [values]
