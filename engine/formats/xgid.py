"""XGID, the position string of eXtreme Gammon: ``XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10``.

Ten fields, parted by colons: checkers, cube (power of two), its owner, side on roll, dice, two scores,
rules, match length, highest cube (power of two). White is the side that XGID calls the bottom player
and writes in capital letters; the checkers are always seen from its side. While a double is offered the
cube is the one before it, as in XG. What XGID has no place for is left out: a resignation that is
offered, and whether the game is over.
"""

from __future__ import annotations

import re

from engine.formats.state import MatchState, Offer, demand_fifteen, own_counts, position_from_counts
from engine.position import Side
from engine.record import FormatError

_MARKED = re.compile(r"XGID\s{0,9}=\s{0,9}(\S*)", re.IGNORECASE)
_BARE = re.compile(r"(?<![-A-Za-z:])[-A-Za-z]{26}:\S*")
_OFFERS: dict[str, Offer] = {"D": "double", "B": "beaver", "R": "raccoon"}
_LETTERS: dict[Offer, str] = {offer: letter for letter, offer in _OFFERS.items()}
_SIDES = {"1": Side.WHITE, "-1": Side.BLACK}
_NUMBERS = {None: "0", Side.WHITE: "1", Side.BLACK: "-1"}


def parse_xgid(text: str) -> MatchState:
    """The state of the first XGID in a text, with or without ``XGID=`` before it.

    The highest cube may be missing (then 1024); ``DD``, ``BB`` and ``RR`` are read as ``D``, ``B`` and
    ``R``. Raises ``FormatError``.
    """
    found = _MARKED.search(text)
    place, body = (found.start(), found[1]) if found else (0, text.strip())
    if not found and (bare := _BARE.search(text)):
        place, body = bare.start(), bare[0]
    try:
        return _parse(body.rstrip(".,;)\"'").split(":"))
    except FormatError as error:
        raise FormatError(error.reason, text.count("\n", 0, place) + 1) from error


def format_xgid(state: MatchState) -> str:
    """The twin of :func:`parse_xgid`; all ten fields, with ``XGID=``. Raises ``FormatError``."""
    demand_fifteen(state.position, "an XGID")
    white, black = own_counts(state.position, Side.WHITE), own_counts(state.position, Side.BLACK)
    cells = [_cell(black[24], "a")]
    cells += [_cell(w, "A") if w else _cell(b, "a") for w, b in zip(white[:24], black[23::-1], strict=True)]
    cells.append(_cell(white[24], "A"))
    dice = "00" if state.dice is None else f"{state.dice[0]}{state.dice[1]}"
    rules = int(state.crawford) if state.length else state.jacoby + 2 * state.beavers
    fields = (
        "".join(cells),
        state.cube.bit_length() - 1,
        _NUMBERS[state.owner],
        _NUMBERS[state.on_roll],
        _LETTERS[state.offer] if state.offer else dice,
        *state.score,
        rules,
        state.length,
        state.max_cube.bit_length() - 1,
    )
    return "XGID=" + ":".join(map(str, fields))


def _cell(count: int, one: str) -> str:
    return chr(ord(one) + count - 1) if count else "-"


def _parse(fields: list[str]) -> MatchState:
    if not 9 <= len(fields) <= 10:
        raise FormatError(f"an XGID has 10 fields parted by colons, not {len(fields)}")
    board, cube, owner, turn, dice, white_score, black_score, rules, length = fields[:9]
    if len(board) != 26 or not re.fullmatch(r"[-A-Pa-p]+", board):
        raise FormatError(f"XGID field 1 is not 26 of the characters -, A to P and a to p: {board[:40]!r}")
    white, black = [0] * 25, [0] * 25
    for place, letter in enumerate(board):
        if letter.isupper():
            if place == 0:
                raise FormatError(
                    "XGID field 1 begins with a capital letter: that place is the top player's bar"
                )
            white[place - 1] = ord(letter) - ord("A") + 1
        elif letter.islower():
            if place == 25:
                raise FormatError(
                    "XGID field 1 ends with a small letter: that place is the bottom player's bar"
                )
            black[24 - place] = ord(letter) - ord("a") + 1
    if owner not in ("0", "1", "-1"):
        raise FormatError(f"XGID field 3 (owner of the cube) is none of 1, 0 and -1: {owner[:20]!r}")
    if turn not in _SIDES:
        raise FormatError(f"XGID field 4 (side on roll) is neither 1 nor -1: {turn[:20]!r}")
    points = _number(length, 9, "match length", 99_999)
    options = _number(rules, 8, "rules", 1 if points else 3)
    offer = _OFFERS.get(dice[:1].upper(), "") if len(set(dice.upper())) == 1 and len(dice) <= 2 else ""
    if not offer and not re.fullmatch(r"00|[1-6][1-6]", dice):
        raise FormatError(f"XGID field 5 (dice) is neither 00, D, B, R nor two dice: {dice[:20]!r}")
    return MatchState(
        position=position_from_counts(white, black),
        on_roll=_SIDES[turn],
        dice=None if offer or dice == "00" else (int(dice[0]), int(dice[1])),
        cube=1 << _number(cube, 2, "cube", 30),
        owner=_SIDES.get(owner),
        offer=offer,
        score=(_number(white_score, 6, "score", 99_999), _number(black_score, 7, "score", 99_999)),
        length=points,
        crawford=bool(points and options),
        jacoby=bool(not points and options & 1),
        beavers=bool(not points and options & 2),
        max_cube=1 << _number(fields[9], 10, "highest cube", 30) if len(fields) == 10 else 1024,
    )


def _number(text: str, field: int, name: str, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > most:
        raise FormatError(f"XGID field {field} ({name}) is not a number from 0 to {most}: {text[:20]!r}")
    return int(text)
