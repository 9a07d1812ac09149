"""Sides, games and positions.

A position is written from White's side of the board, as everywhere in this project: index ``i``
of ``points`` is White's point ``i + 1``; a positive count is that many white checkers, a negative
one black. Moves are written in *points of the mover*: 24 down to 1, ``BAR`` (25) above them and
``OFF`` (0) below, in both games. In long nardy a side's head is therefore its own 24-point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

BAR = 25  #: where a hit checker waits, as a point of its owner
OFF = 0  #: where a borne-off checker goes, as a point of its owner
CHECKERS = 15  #: checkers a side (rules.md G1)


class Side(Enum):
    """A player, by the checkers he moves."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE

    @property
    def sign(self) -> int:
        """+1 for White, -1 for Black: the sign of the side's counts in ``Position.points``."""
        return 1 if self is Side.WHITE else -1

    @property
    def index(self) -> int:
        """0 for White, 1 for Black: the side's place in ``Position.bar`` and ``Position.off``."""
        return 0 if self is Side.WHITE else 1


class Game(StrEnum):
    """The two games that are refereed."""

    BACKGAMMON = "backgammon"
    LONG_NARDY = "long-nardy"


class PositionError(ValueError):
    """A position that cannot stand on a board."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where all the checkers stand.

    ``points`` holds 24 signed counts, ``bar`` and ``off`` are ``(white, black)`` counts.
    Raises ``PositionError`` if the shape is wrong or a count on the bar or off is negative.
    That a side has fifteen checkers is not demanded here, since a real board may lack one;
    see :meth:`checkers`.
    """

    points: tuple[int, ...]
    bar: tuple[int, int] = (0, 0)
    off: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if len(self.points) != 24:
            raise PositionError(f"a position has 24 points, not {len(self.points)}")
        if len(self.bar) != 2 or len(self.off) != 2:
            raise PositionError("bar and off hold one count a side")
        # Plainly, since legal plays make thousands of positions.
        if self.bar[0] < 0 or self.bar[1] < 0 or self.off[0] < 0 or self.off[1] < 0:
            raise PositionError("a count on the bar or off the board is negative")

    @classmethod
    def start(cls, game: Game) -> Position:
        """The starting position (rules.md G2 and G3)."""
        points = [0] * 24
        if game is Game.LONG_NARDY:
            points[23], points[11] = CHECKERS, -CHECKERS
        else:
            for point, count in ((24, 2), (13, 5), (8, 3), (6, 5)):
                points[point - 1] += count
                points[24 - point] -= count
        return cls(tuple(points))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Position:
        """Read ``{"points": [...], "bar": [w, b], "off": [w, b]}``; raises ``PositionError``.

        More than 28 checkers in one place, which nothing on a board explains, are refused.
        """
        try:
            points = tuple(int(n) for n in data["points"])
            bar = tuple(int(n) for n in data.get("bar", (0, 0)))
            off = tuple(int(n) for n in data.get("off", (0, 0)))
        except (KeyError, TypeError, ValueError) as error:
            raise PositionError(f"not a position: {str(error)[:100]}") from error
        if max(map(abs, (*points, *bar, *off)), default=0) > 2 * CHECKERS - 2:
            raise PositionError("more checkers in one place than a board has room for")
        return cls(points, bar, off)  # type: ignore[arg-type]  # lengths are checked there

    def to_json(self) -> dict[str, list[int]]:
        """The twin of :meth:`from_json`."""
        return {"points": list(self.points), "bar": list(self.bar), "off": list(self.off)}

    def checkers(self, side: Side) -> int:
        """All checkers of a side: on points, on the bar and off."""
        on_points = sum(n * side.sign for n in self.points if n * side.sign > 0)
        return on_points + self.bar[side.index] + self.off[side.index]

    def count(self, game: Game, side: Side, point: int) -> int:
        """Checkers of ``side`` on its own ``point`` (``BAR`` and ``OFF`` included)."""
        if point == BAR:
            return self.bar[side.index]
        if point == OFF:
            return self.off[side.index]
        return max(0, self.points[index_of(game, side, point)] * side.sign)

    def pips(self, game: Game, side: Side) -> int:
        """Pip count: the pips that ``side`` still needs to bear all its checkers off."""
        total = BAR * self.bar[side.index]
        for point in range(1, 25):
            total += point * self.count(game, side, point)
        return total


def index_of(game: Game, side: Side, point: int) -> int:
    """The index in ``Position.points`` of a side's own point 1-24 (rules.md G4-G6)."""
    if side is Side.WHITE:
        return point - 1
    return 24 - point if game is Game.BACKGAMMON else (point + 11) % 24


def point_of(game: Game, side: Side, index: int) -> int:
    """The twin of :func:`index_of`: a side's own point 1-24 of an index 0-23."""
    if side is Side.WHITE:
        return index + 1
    return 24 - index if game is Game.BACKGAMMON else (index - 12) % 24 + 1
