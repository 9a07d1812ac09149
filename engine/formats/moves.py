"""Moves in the points of the mover: made on a board as they stand, legal or not, and read from text.

The rules are left out here on purpose: a record holds what was played.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from engine.events import Dice, MoveXY
from engine.notation import PLACES
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.record import FormatError

MOST_MOVES = 8  #: moves in one play that a reader takes; no play has more than four
_CHAIN = re.compile(
    r"(bar|off|\d{1,2})((?:[/-](?:bar|off|\d{1,2})\*?){1,8})(?:\s?\(([1-9])\))?\*?", re.IGNORECASE | re.ASCII
)


def moved(
    position: Position, game: Game, side: Side, moves: Sequence[MoveXY]
) -> tuple[Position, tuple[bool, ...]] | None:
    """The position after these moves, and which of them hit; ``None`` if they cannot be made at all.

    A move cannot be made that starts where no checker of the mover stands, or that ends on an enemy
    checker which it does not hit (two or more of them, or any in long nardy).
    """
    points, bar, off = list(position.points), list(position.bar), list(position.off)
    sign, hits = side.sign, []
    for start, end in moves:
        if start == BAR and bar[side.index]:
            bar[side.index] -= 1
        elif start == OFF and off[side.index]:
            off[side.index] -= 1
        elif 0 < start < BAR and points[index_of(game, side, start)] * sign > 0:
            points[index_of(game, side, start)] -= sign
        else:
            return None
        hit = False
        if end == BAR:
            bar[side.index] += 1
        elif end == OFF:
            off[side.index] += 1
        elif not 0 < end < BAR:
            return None
        else:
            index = index_of(game, side, end)
            enemies = -points[index] * sign
            hit = enemies == 1 and game is Game.BACKGAMMON
            if enemies > 0 and not hit:
                return None
            if hit:
                points[index] = 0
                bar[side.other.index] += 1
            points[index] += sign
        hits.append(hit)
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1])), tuple(hits)


def can_move(position: Position, side: Side, dice: Dice) -> bool:
    """Whether any checker can be moved by either die in backgammon (rules.md K1, K2, B1 to B3)."""
    game = Game.BACKGAMMON
    own = [position.count(game, side, point) for point in range(BAR + 1)]
    highest = max((point for point in range(1, BAR + 1) if own[point]), default=0)
    for die in set(dice):
        for start in (BAR,) if own[BAR] else range(24, 0, -1):
            if not own[start]:
                continue
            end = start - die
            if end > 0:
                if position.points[index_of(game, side, end)] * side.sign >= -1:
                    return True
            elif highest <= 6 and (end == 0 or start == highest):
                return True
    return False


def write_moves(moves: Sequence[MoveXY], hits: Sequence[bool]) -> str:
    """Moves one by one, the bar as 25 and off as 0: ``25/20* 13/8``."""
    return " ".join(f"{a}/{b}{'*' if hit else ''}" for (a, b), hit in zip(moves, hits, strict=True))


def read_moves(
    text: str,
    line: int = 0,
    *,
    dice: Dice | None = None,
    position: Position | None = None,
    side: Side = Side.WHITE,
) -> tuple[MoveXY, ...]:
    """The moves of a play of backgammon, in any of the usual ways to write them.

    ``bar`` or 25, ``off`` or 0, ``24/18*/13``, ``8/5(2)``. With ``dice``, a move by several dice is
    taken apart into one a die where they allow it, through a free stop where ``position`` tells of
    one. Raises ``FormatError``.
    """
    chains: list[list[MoveXY]] = []
    place = 0
    for found in _CHAIN.finditer(text):
        if text[place : found.start()].strip(" \t,;"):
            break
        place = found.end()
        stops = [
            _point(found[1], line),
            *(_point(p, line) for p in re.findall(r"[a-z0-9]+", found[2].lower())),
        ]
        chains += [list(pairwise(stops))] * int(found[3] or 1)
        if sum(map(len, chains)) > MOST_MOVES:
            raise FormatError(f"more moves in one play than there can be: {text.strip()[:60]!r}", line)
    if text[place:].strip(" \t,;."):
        raise FormatError(f"not a play: {text.strip()[:60]!r}", line)
    moves = [move for chain in chains for move in chain]
    return tuple(moves) if dice is None else taken_apart(moves, dice, position, side)


def _point(name: str, line: int) -> int:
    point = PLACES.get(name.lower())
    point = int(name) if point is None else point
    if point > BAR:
        raise FormatError(f"there is no point {point}", line)
    return point


def taken_apart(
    moves: Sequence[MoveXY], dice: Dice, position: Position | None, side: Side
) -> tuple[MoveXY, ...]:
    """Moves by several dice as one move a die; as they are where the dice do not explain them."""
    result: list[MoveXY] = []
    board = position
    for start, end in moves:
        parts = _parts(start, end, dice, board, side)
        result += parts
        done = moved(board, Game.BACKGAMMON, side, parts) if board else None
        board = done[0] if done else None
    return tuple(result if len(result) <= (4 if dice[0] == dice[1] else 2) else moves)


def _parts(start: int, end: int, dice: Dice, board: Position | None, side: Side) -> list[MoveXY]:
    high, low = max(dice), min(dice)
    pips = start - end
    if pips <= high:
        return [(start, end)]
    if high == low:
        count = -(-pips // high) if end == OFF else pips // high
        if count > 4 or (end != OFF and pips % high):
            return [(start, end)]
        stops = [start - n * high for n in range(count)]
        return [*pairwise(stops), (stops[-1], end)]
    if pips > high + low or (pips < high + low and end != OFF):
        return [(start, end)]
    ways = [[(start, start - first), (start - first, end)] for first in (high, low)]
    if board is None:
        return ways[0]

    def worth(way: list[MoveXY]) -> int:  # what cannot be made is worst; a hit would have been written
        done = moved(board, Game.BACKGAMMON, side, way)
        return 2 if done is None else int(done[1][0])

    return min(ways, key=worth)


def whole(position: Position) -> bool:
    """Whether both sides have their fifteen checkers."""
    return all(position.checkers(side) == CHECKERS for side in Side)
