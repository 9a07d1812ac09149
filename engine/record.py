"""A match as it is written down: what every format is read into and written from.

A :class:`Record` is plainer than the events it is made from: no frames, no doubts, no throws that
were void; who did what, in order. The readers and writers of :mod:`engine.formats` know nothing but it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.events import Dice, MoveXY
from engine.position import Game, Position, Side
from engine.rules import RuleSet

Action = Literal["play", "double", "take", "drop", "beaver", "raccoon", "resign"]


class FormatError(ValueError):
    """Text that cannot be read, or a record that a format cannot hold.

    ``line``: the number of the line, from 1, that is at fault; 0 if no single one is. ``str()`` of it
    begins with that line.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason, self.line = reason, line


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that a side did.

    ``dice`` and ``moves`` belong to a ``play``: the moves in points of the mover (``BAR`` 25, ``OFF``
    0), in the order made, as they were made, legal or not; ``None`` where the record has the roll but
    not the play. ``after``: what stood then, where the record tells it beside the moves. ``value``: of a
    double, beaver or raccoon the stake that is offered; of ``resign`` the grade that is given up, 1 the
    mildest of the rules. ``t``: seconds of video time. ``comment``: free text, without line breaks at its
    ends. ``line``: where it was read, from 1, for messages; it is no part of what the record says.
    """

    side: Side
    action: Action = "play"
    dice: Dice | None = None
    moves: tuple[MoveXY, ...] | None = None
    after: Position | None = None
    value: int = 0
    t: float | None = None
    clock: tuple[float, float] | None = None  #: seconds left on both clocks (white, black) after the turn
    comment: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One game: how it began, the turns, how it ended.

    ``score``: (white, black) before it. ``winner`` and ``points`` (cube included) are ``None`` and 0
    where the game was not finished. ``result``: the grade (single, gammon, ..., drop, resigned, draw)
    where the record tells it, else ``""``.
    """

    start: Position
    turns: tuple[Turn, ...] = ()
    score: tuple[float, float] = (0, 0)
    first: Side | None = None  #: who began, where the record tells it apart from the first turn
    crawford: bool = False
    winner: Side | None = None
    points: float = 0
    result: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A match. ``length``: points to win, 0 for unlimited play. ``rules`` where they are written down.

    ``info``: headers such as event, place, date and transcriber, as (name, text) pairs.
    """

    game: Game
    games: tuple[GameRecord, ...]
    players: tuple[str, str] = ("White", "Black")
    length: int = 0
    rules: RuleSet | None = None
    info: tuple[tuple[str, str], ...] = ()
