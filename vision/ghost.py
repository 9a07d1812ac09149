"""What a board should look like, drawn over the camera's picture of what it does look like.

Checkers that are to be put back are drawn half-transparent in their places, those to be taken away are
crossed out. Both lie in the plane of the board, so that they are seen as the board is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.disagreement import Disagreement
from engine.layout import SLOTS, Orientation, to_slots
from engine.observation import BoardView, PointXY
from engine.position import Side
from hardware.camera import Image
from vision.geometry import FieldMap, Points

ASPECT = 0.85  #: height of a usual field over its width
WIDE = 0.94  #: diameter of a checker, in widths of a point
LONGEST = 0.46  #: how far a row of checkers may reach into the field, in board units
CORNERS = 48  #: of the polygon that a circle is drawn as
OPACITY = 0.6
_COLOURS = {True: (205, 232, 245), False: (52, 44, 40)}  #: of light and dark checkers
_RIMS = {True: (60, 50, 40), False: (235, 235, 235)}
_BACK, _AWAY = (110, 200, 90), (70, 70, 235)


@dataclass(frozen=True, slots=True)
class Mark:
    """A checker to be put back (or, not ``back``, taken away), of a colour, at a place in board units."""

    place: PointXY
    light: bool
    back: bool


def ghost(
    image: Image, view: BoardView, disagreement: Disagreement, orientation: Orientation, white_is_light: bool
) -> Image:
    """A copy of ``image`` with what is to be put back and taken away drawn where ``view`` shows the board."""
    field = FieldMap.from_view(view)
    marked = image.copy()
    thick = max(2, round(image.shape[1] / 500))
    for mark in marks(field, disagreement, orientation, white_is_light):
        rim = _circle(field, mark.place, 1.0)
        if mark.back:
            solid = marked.copy()
            _fill(solid, rim, _COLOURS[mark.light])
            _outline(solid, _circle(field, mark.place, 0.7), _RIMS[mark.light], 1)
            cv2.addWeighted(solid, OPACITY, marked, 1 - OPACITY, 0, marked)
            _outline(marked, rim, _BACK, thick)
        else:
            _outline(marked, rim, _AWAY, thick)
            for turn in (0.0, 0.25):
                ends = [_on_rim(field, mark.place, 0.9, turn + half) for half in (0.0, 0.5)]
                _outline(marked, field.to_pixels(ends), _AWAY, thick + 1)
    return marked


def marks(
    field: FieldMap, disagreement: Disagreement, orientation: Orientation, white_is_light: bool
) -> Iterator[Mark]:
    """The checkers to be put back and taken away, by slots and then those on the bar."""
    if disagreement.seen is None:
        return
    wanted = to_slots(disagreement.recorded, orientation, white_is_light)
    stands = to_slots(disagreement.seen, orientation, white_is_light)
    for slot in range(SLOTS):
        two, one = abs(wanted[slot]) + abs(stands[slot]), max(abs(wanted[slot]), abs(stands[slot]))
        places = _row(field, slot, two if wanted[slot] * stands[slot] < 0 else one)
        yield from _changes(wanted[slot], stands[slot], places)
    middle = (field.bar[0] + field.bar[1]) / 2
    for side in Side:
        light = (side is Side.WHITE) == white_is_light
        sign = 1 if light else -1
        most = max(disagreement.recorded.bar[side.index], disagreement.seen.bar[side.index])
        places = [(middle, 0.5 - sign * (0.08 + _pitch(field) * nth)) for nth in range(most)]
        recorded, seen = disagreement.recorded.bar[side.index], disagreement.seen.bar[side.index]
        yield from _changes(sign * recorded, sign * seen, places)


def _changes(wanted: int, stands: int, places: Sequence[PointXY]) -> Iterator[Mark]:
    """Of one row, from signed counts of light (positive) and dark checkers."""
    if wanted == stands:
        return
    if wanted * stands < 0:  # the new ones beside those in their place
        for nth in range(abs(stands)):
            yield Mark(places[nth], stands > 0, back=False)
        for nth in range(abs(wanted)):
            yield Mark(places[abs(stands) + nth], wanted > 0, back=True)
        return
    few, many = sorted((abs(wanted), abs(stands)))
    for nth in range(few, many):
        yield Mark(places[nth], wanted + stands > 0, back=abs(wanted) > abs(stands))


def _pitch(field: FieldMap) -> float:
    """A checker's diameter from the edge inwards, in board units."""
    return WIDE * field.point_width / ASPECT


def _row(field: FieldMap, slot: int, most: int) -> list[PointXY]:
    """The middles of up to ``most`` checkers of a slot; those of a long row overlap."""
    pitch = _pitch(field)
    step = min(pitch, (LONGEST - pitch) / max(1, most - 1))
    inwards = [pitch / 2 + step * nth for nth in range(most)]
    x = field.slot_x(slot)
    return [(x, 1 - y if slot >= 12 else y) for y in inwards]


def _on_rim(field: FieldMap, place: PointXY, scale: float, turn: float) -> PointXY:
    """A point of a checker's outline, ``turn`` (0 to 1) of the way round."""
    angle = math.tau * (turn + 0.125)
    x = place[0] + scale * WIDE * field.point_width / 2 * math.cos(angle)
    return x, place[1] + scale * _pitch(field) / 2 * math.sin(angle)


def _circle(field: FieldMap, place: PointXY, scale: float) -> Points:
    return field.to_pixels([_on_rim(field, place, scale, k / CORNERS) for k in range(CORNERS)])


def _fixed(pixels: Points) -> np.ndarray:
    return np.round(pixels * 16).astype(np.int32).reshape(-1, 1, 2)


def _fill(image: Image, pixels: Points, colour: tuple[int, int, int]) -> None:
    cv2.fillPoly(image, [_fixed(pixels)], colour, cv2.LINE_AA, shift=4)


def _outline(image: Image, pixels: Points, colour: tuple[int, int, int], thick: int) -> None:
    cv2.polylines(image, [_fixed(pixels)], len(pixels) > 2, colour, thick, cv2.LINE_AA, shift=4)
