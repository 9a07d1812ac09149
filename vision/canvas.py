"""The canvas: the field seen straight from above with every slot at a fixed place.

Boards differ in how wide their bar is. On the canvas every point is 24 pixels wide, the bar too, and a
row is 120 pixels deep, so that a network finds each slot at the same place. Around the field a margin is
shown: checkers of a stack lean over the edge when they are seen aslant.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardware.camera import Image
from vision.geometry import FieldMap, Points
from vision.warp import averaged, warped

COLUMN = 24  #: width of a point and of the bar
ROW = 120  #: half the height of the field
ASIDE = 12  #: margin left and right
ABOVE = 24  #: margin above and below
WIDTH = 13 * COLUMN + 2 * ASIDE
HEIGHT = 2 * ROW + 2 * ABOVE

#: Left edge of field, bar, right half, and the right edge of the field.
_STOPS = np.array([ASIDE, ASIDE + 6 * COLUMN, ASIDE + 7 * COLUMN, ASIDE + 13 * COLUMN], np.float64)

_FINER = 1.4  #: by how much a picture that was made smaller is larger than what is drawn from it


def left_of(slot: int) -> int:
    """The left edge of a slot's column in pixels of the canvas; slot 24 is the bar."""
    if slot == 24:
        return ASIDE + 6 * COLUMN
    column = slot % 12
    return ASIDE + COLUMN * (column + (column >= 6))


def to_canvas(places: ArrayLike, bar: tuple[float, float]) -> Points:
    """Canvas pixels of places in board units, both of shape (n, 2)."""
    places = np.asarray(places, np.float64).reshape(-1, 2)
    x = _piecewise(places[:, 0], _units(bar), _STOPS)
    return np.column_stack([x, ABOVE + 2 * ROW * places[:, 1]])


def from_canvas(pixels: ArrayLike, bar: tuple[float, float]) -> Points:
    """The twin of :func:`to_canvas`."""
    pixels = np.asarray(pixels, np.float64).reshape(-1, 2)
    x = _piecewise(pixels[:, 0], _STOPS, _units(bar))
    return np.column_stack([x, (pixels[:, 1] - ABOVE) / (2 * ROW)])


def paint(image: Image, field: FieldMap, *, left: int = 0, right: int = WIDTH) -> Image:
    """The canvas of a picture from column ``left`` to ``right``: uint8 BGR (HEIGHT, right - left, 3)."""
    ends = np.array([[left, 0], [right, 0], [right, HEIGHT], [left, HEIGHT]], np.float64)
    outline = field.to_pixels(from_canvas(ends, field.bar))
    sides = np.linalg.norm(field.corners - np.roll(field.corners, -1, axis=0), axis=1)
    part, into_part = reduced(image, outline, float(max(sides[0], sides[2])) / (13 * COLUMN))
    to_pixels = np.linalg.inv(field.rectifier(1, 1))
    strips = []
    # Left half, bar and right half are each seen through a homography of their own.
    for first, last in itertools.pairwise((0, int(_STOPS[1]), int(_STOPS[2]), WIDTH)):
        start, end = max(first, left), min(last, right)
        if start >= end:
            continue
        box = np.array([[start, 0], [end, HEIGHT]], np.float64)
        (x0, y0), (x1, y1) = from_canvas(box, field.bar)
        strip = np.array([[(x1 - x0) / (end - start), 0, x0], [0, (y1 - y0) / HEIGHT, y0], [0, 0, 1]])
        back = shifted(-0.5) @ into_part @ to_pixels @ strip @ shifted(0.5)
        strips.append(warped(part, back, (end - start, HEIGHT)))
    return np.hstack(strips)


def reduced(image: Image, outline: Points, ratio: float) -> tuple[Image, Points]:
    """The part of a picture within an outline (n, 2), made smaller if it is drawn ``ratio`` times smaller.

    Many pixels to one, and thin lines would alias; whole numbers of pixels are averaged, which is cheap.
    Gives the part and the 3x3 matrix from the picture's pixels to those of the part, where the upper left
    corner of a picture, not the middle of its first pixel, is (0, 0).
    """
    height, width = image.shape[:2]
    x0, y0 = np.clip(np.floor(outline.min(axis=0)).astype(int) - 2, 0, (width - 1, height - 1)).tolist()
    x1, y1 = np.clip(np.ceil(outline.max(axis=0)).astype(int) + 2, (x0 + 1, y0 + 1), (width, height)).tolist()
    many = min(max(1, int(ratio / _FINER + 0.66)), x1 - x0, y1 - y0)
    part = averaged(image[y0:y1, x0:x1], many)
    return part, np.array([[1 / many, 0, -x0 / many], [0, 1 / many, -y0 / many], [0, 0, 1]])


def shifted(by: float) -> Points:
    """The matrix between places that count from a picture's corner and from the middle of a pixel."""
    return np.array([[1, 0, by], [0, 1, by], [0, 0, 1]], np.float64)


def _units(bar: tuple[float, float]) -> NDArray[np.float64]:
    return np.array([0.0, bar[0], bar[1], 1.0])


def _piecewise(
    values: NDArray[np.float64], source: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Linear between the stops, and on with the outer slopes beyond them."""
    inner = np.interp(values, source, target)
    first = (target[1] - target[0]) / (source[1] - source[0])
    last = (target[3] - target[2]) / (source[3] - source[2])
    below, above = np.minimum(values - source[0], 0), np.maximum(values - source[3], 0)
    return np.asarray(inner + below * first + above * last, np.float64)
