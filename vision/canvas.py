"""The canvas: the field seen straight from above with every slot at a fixed place.

Boards differ in how wide their bar is. On the canvas every point is 24 pixels wide, the bar too, and a
row is 120 pixels deep, so that a network finds each slot at the same place. Around the field a margin is
shown: checkers of a stack lean over the edge when they are seen aslant.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardware.camera import Image
from vision.geometry import FieldMap, Points

COLUMN = 24  #: width of a point and of the bar
ROW = 120  #: half the height of the field
ASIDE = 12  #: margin left and right
ABOVE = 24  #: margin above and below
WIDTH = 13 * COLUMN + 2 * ASIDE
HEIGHT = 2 * ROW + 2 * ABOVE

#: Left edge of field, bar, right half, and the right edge of the field.
_STOPS = np.array([ASIDE, ASIDE + 6 * COLUMN, ASIDE + 7 * COLUMN, ASIDE + 13 * COLUMN], np.float64)


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


def paint(image: Image, field: FieldMap) -> Image:
    """The canvas of a picture: uint8 BGR of shape (HEIGHT, WIDTH, 3)."""
    x = from_canvas(np.column_stack([np.arange(WIDTH) + 0.5, np.zeros(WIDTH)]), field.bar)[:, 0]
    y = (np.arange(HEIGHT) + 0.5 - ABOVE) / (2 * ROW)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    places = (field.to_pixels(grid) - 0.5).astype(np.float32).reshape(HEIGHT, WIDTH, 2)
    # Many pixels to one: the picture is reduced first, or thin lines alias.
    sides = np.linalg.norm(field.corners - np.roll(field.corners, -1, axis=0), axis=1)
    shrink = min(1.0, 1.3 * WIDTH / float(max(sides[0], sides[2])))
    if shrink < 0.75:
        size = (max(2, round(image.shape[1] * shrink)), max(2, round(image.shape[0] * shrink)))
        factor = np.array([size[0] / image.shape[1], size[1] / image.shape[0]], np.float32)
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        places = (places + np.float32(0.5)) * factor - np.float32(0.5)
    out = cv2.remap(image, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8)


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
