"""How the 24 points of a position lie in a picture.

A picture shows two rows of twelve *slots*, top and bottom, left to right. Which slot is which
point depends on where White's 1-point lies; that corner names the :class:`Orientation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from engine.position import Game, Position, Side
from engine.rules import Direction

#: A slot of the picture: 0-11 the top row left to right, 12-23 the bottom row left to right.
Slot = int
SLOTS = 24


class Orientation(StrEnum):
    """The corner of the picture in which White's 1-point lies."""

    BOTTOM_RIGHT = "bottom-right"
    BOTTOM_LEFT = "bottom-left"
    TOP_RIGHT = "top-right"
    TOP_LEFT = "top-left"


def slot_of(orientation: Orientation, index: int) -> Slot:
    """The slot of the picture that shows ``Position.points[index]``."""
    own_row, column = index < 12, index if index < 12 else 23 - index  # column 0 = White's 1-point side
    if orientation in (Orientation.BOTTOM_RIGHT, Orientation.TOP_RIGHT):
        column = 11 - column
    bottom = own_row == (orientation in (Orientation.BOTTOM_RIGHT, Orientation.BOTTOM_LEFT))
    return column + 12 * bottom


def index_at(orientation: Orientation, slot: Slot) -> int:
    """The twin of :func:`slot_of`."""
    return _INDEX[orientation][slot]


_INDEX = {
    orientation: tuple(
        next(i for i in range(SLOTS) if slot_of(orientation, i) == slot) for slot in range(SLOTS)
    )
    for orientation in Orientation
}


def to_slots(position: Position, orientation: Orientation, white_is_light: bool = True) -> tuple[int, ...]:
    """The 24 slots as signed counts: positive light checkers, negative dark ones."""
    sign = 1 if white_is_light else -1
    return tuple(sign * position.points[index_at(orientation, slot)] for slot in range(SLOTS))


def from_slots(
    slots: Sequence[int], orientation: Orientation, white_is_light: bool = True
) -> tuple[int, ...]:
    """The twin of :func:`to_slots`: 24 signed counts as in ``Position.points``."""
    sign = 1 if white_is_light else -1
    return tuple(sign * slots[slot_of(orientation, index)] for index in range(SLOTS))


def orientations(direction: Direction) -> tuple[Orientation, ...]:
    """Where White's 1-point may lie if long nardy is played this way round, seen from above (rules.md G4)."""
    anticlockwise = (Orientation.BOTTOM_RIGHT, Orientation.TOP_LEFT)
    if direction == "either":
        return tuple(Orientation)
    return tuple(o for o in Orientation if (o in anticlockwise) == (direction == "ccw"))


def start_layouts(game: Game, direction: Direction = "either") -> dict[Orientation, tuple[int, ...]]:
    """How a set-up board looks in each orientation, White being light: signed counts by slot."""
    return {o: to_slots(Position.start(game), o) for o in orientations(direction)}


def colour_of(side: Side, white_is_light: bool = True) -> str:
    """``light`` or ``dark``: what a side's checkers look like in the picture."""
    return "light" if (side is Side.WHITE) == white_is_light else "dark"
