"""GNU Backgammon's position id and match id, such as ``4HPwATDgc/ABMA:cAkAAAAAAAAA``.

Both are bit strings, least significant bit of each byte first, in base64 without padding. The bits are
those of the technical notes in GNU Backgammon's manual, and one that they do not name, read off the
program: bit 67 is set when the Jacoby rule is off. White is player 1, the one whom the program shows
at the bottom, as in XGID. What the ids have no place for is left out: whether beavers are allowed and
the highest cube.
"""

from __future__ import annotations

import base64
import re

from engine.formats.state import (
    OFFERED,
    MatchState,
    Offer,
    Phase,
    demand_fifteen,
    own_counts,
    position_from_counts,
)
from engine.position import Game, Position, Side
from engine.record import FormatError

_POSITION, _MATCH = r"[A-Za-z0-9+/]{14}", r"[A-Za-z0-9+/]{12}"
_BOTH = re.compile(rf"(?<![A-Za-z0-9+/:])({_POSITION}):({_MATCH})(?![A-Za-z0-9+/:])")
_COLON = r"\s{0,9}:\s{0,9}"
_NAMED = re.compile(rf"Position ID{_COLON}({_POSITION})\s{{1,99}}Match ID{_COLON}({_MATCH})(?!\S)")
_PLAYERS = (Side.BLACK, Side.WHITE)  # player 0, player 1
_PHASES: tuple[Phase, ...] = ("none", "playing", "over", "resigned", "dropped")

#: The bits of a match key in their order, by name and width.
_BITS = (
    ("cube", 4),
    ("owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("phase", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die_0", 3),
    ("die_1", 3),
    ("length", 15),
    ("black_score", 15),
    ("white_score", 15),
    ("no_jacoby", 1),
    ("rest", 5),
)


def parse_gnubg_id(text: str) -> MatchState:
    """The state of the first ``POSITION:MATCH`` pair of ids in a text.

    So is the pair read as GNU Backgammon prints it above a board, ``Position ID: ...`` and ``Match ID: ...``.
    Raises ``FormatError``.
    """
    found = _BOTH.search(text) or _NAMED.search(text)
    if found is None:
        raise FormatError("no position id of 14 and match id of 12 letters, parted by a colon")
    line = text.count("\n", 0, found.start()) + 1
    try:
        start = parse_match_id(found[2], Position.start(Game.BACKGAMMON))
        return parse_match_id(found[2], parse_position_id(found[1], start.on_roll))
    except FormatError as error:
        raise FormatError(error.reason, line) from error


def format_gnubg_id(state: MatchState) -> str:
    """The twin of :func:`parse_gnubg_id`. Raises ``FormatError``."""
    return f"{format_position_id(state.position, state.on_roll)}:{format_match_id(state)}"


def parse_position_id(text: str, on_roll: Side = Side.WHITE) -> Position:
    """The position of an id, which tells the checkers of the side on roll but not which side that is.

    Raises ``FormatError``, among others if a side has more than fifteen checkers.
    """
    key, bit = _decode(text.strip(), _POSITION, "position id", 14), 0
    counts: list[list[int]] = []
    for _ in Side:
        places = []
        for _ in range(25):
            run = 0
            while key >> bit & 1:
                run, bit = run + 1, bit + 1
            places.append(run)
            bit += 1
        counts.append(places)
    if bit > 80 or key >> bit:
        raise FormatError("the position id does not hold 25 places a side with fifteen checkers at most")
    other, own = counts  # the key begins with the side that is not on roll
    return position_from_counts(own, other) if on_roll is Side.WHITE else position_from_counts(other, own)


def format_position_id(position: Position, on_roll: Side) -> str:
    """The twin of :func:`parse_position_id`. Raises ``FormatError``."""
    demand_fifteen(position, "a position id")
    key, bit = 0, 0
    for count in own_counts(position, on_roll.other) + own_counts(position, on_roll):
        key |= ((1 << count) - 1) << bit
        bit += count + 1
    return base64.b64encode(key.to_bytes(10, "little")).decode().rstrip("=")


def parse_match_id(text: str, position: Position) -> MatchState:
    """The state that a match id tells, with the position that it belongs to.

    ``jacoby`` is read in unlimited play only. Raises ``FormatError``.
    """
    key = _decode(text.strip(), _MATCH, "match id", 12)
    bits: dict[str, int] = {}
    for name, width in _BITS:
        bits[name] = key & ((1 << width) - 1)
        key >>= width
    if bits["rest"]:
        raise FormatError("the match id has bits beyond the match key")
    if bits["phase"] >= len(_PHASES):
        raise FormatError(f"the match id tells game state {bits['phase']}; there are 0 to 4")
    if bits["owner"] == 2:
        raise FormatError("the match id tells cube owner 2; there are 0, 1 and 3")
    dice = bits["die_0"], bits["die_1"]
    if 0 in dice and dice != (0, 0):
        raise FormatError("the match id tells one die only")
    on_roll, turn = _PLAYERS[bits["on_roll"]], _PLAYERS[bits["turn"]]
    owner = None if bits["owner"] == 3 else _PLAYERS[bits["owner"]]
    offer, cube, owner = _offer(bits, on_roll, turn, owner)
    state = MatchState(
        position=position,
        on_roll=on_roll,
        dice=None if dice == (0, 0) else dice,
        cube=cube,
        owner=owner,
        offer=offer,
        resigned=bits["resigned"],
        score=(bits["white_score"], bits["black_score"]),
        length=bits["length"],
        crawford=bool(bits["crawford"]),
        jacoby=not bits["length"] and not bits["no_jacoby"],
        phase=_PHASES[bits["phase"]],
    )
    if state.turn is not turn:
        raise FormatError("the match id gives the turn to the side that has nothing to decide")
    return state


def format_match_id(state: MatchState) -> str:
    """The twin of :func:`parse_match_id`. Raises ``FormatError`` for numbers that have no room in it.

    A match key tells a beaver by the cube that lies with the side that beavered, and no longer whose it
    was: a centred cube above 1 (automatic doubles) that is beavered has no match id.
    """
    cube, owner = state.cube, state.owner
    if state.offer in ("beaver", "raccoon"):
        if state.owner is not (None if state.cube == 1 else state.on_roll):
            raise FormatError(f"a match id cannot tell whose the cube was before this {state.offer}")
        cube, owner = state.cube * OFFERED[state.offer] // 2, state.on_roll.other
    if cube.bit_length() > 16:
        raise FormatError(f"a match id has no room for a cube of {cube}")
    if max(state.length, *state.score) >= 1 << 15:
        raise FormatError("a match id has no room for a match length or score above 32767")
    dice = state.dice or (0, 0)
    values = {
        "cube": cube.bit_length() - 1,
        "owner": 3 if owner is None else _PLAYERS.index(owner),
        "on_roll": _PLAYERS.index(state.on_roll),
        "crawford": int(state.crawford),
        "phase": _PHASES.index(state.phase),
        "turn": _PLAYERS.index(state.turn),
        "doubled": int(bool(state.offer) and state.phase == "playing"),
        "resigned": state.resigned,
        "die_0": dice[0],
        "die_1": dice[1],
        "length": state.length,
        "black_score": state.score[1],
        "white_score": state.score[0],
        "no_jacoby": int(not state.jacoby),
    }
    key, bit = 0, 0
    for name, width in _BITS:
        key |= values.get(name, 0) << bit
        bit += width
    return base64.b64encode(key.to_bytes(9, "little")).decode()


def _offer(
    bits: dict[str, int], on_roll: Side, turn: Side, owner: Side | None
) -> tuple[Offer, int, Side | None]:
    """What is offered or was dropped, and value and owner of the cube before it."""
    cube = 1 << bits["cube"]
    if not bits["doubled"] and _PHASES[bits["phase"]] != "dropped":
        return "", cube, owner
    answers = turn.other if bits["resigned"] else turn
    offer: Offer = "double" if owner is not on_roll.other else "beaver" if answers is on_roll else "raccoon"
    if offer == "double":
        return offer, cube, owner
    before = cube * 2 // OFFERED[offer]
    if not before:
        raise FormatError("the match id tells of a double by the side that does not own the cube")
    return offer, before, None if before == 1 else on_roll


def _decode(text: str, pattern: str, name: str, letters: int) -> int:
    if not re.fullmatch(pattern, text):
        raise FormatError(f"a {name} is {letters} letters of base64, not {text[:40]!r}")
    data = base64.b64decode(text + "=" * (-letters % 4))
    if base64.b64encode(data).decode().rstrip("=") != text:
        raise FormatError(f"the last letter of the {name} has bits beyond its end")
    return int.from_bytes(data, "little")
