"""The playing field as a plane: between pixels of the picture and board units.

In board units the field (24 points and the bar) is the unit square: (0, 0) its top-left corner in
the picture, x to the right, y down. Slots are those of :mod:`engine.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.observation import BoardView, Half, PointXY
from hardware.camera import Image

Points = NDArray[np.float64]  #: shape (n, 2)

_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@dataclass(frozen=True, eq=False)
class FieldMap:
    """A homography between picture and field.

    ``corners``: float64 of shape (4, 2), pixels, top-left first, clockwise. ``bar``: left and right
    edge of the bar in board units; equal where a board has none.
    """

    corners: Points
    bar: tuple[float, float] = (0.4635, 0.5365)
    _to_board: Points = field(init=False, repr=False)
    _to_pixels: Points = field(init=False, repr=False)

    def __post_init__(self) -> None:
        corners = np.asarray(self.corners, np.float32).reshape(4, 2)
        object.__setattr__(self, "corners", corners.astype(np.float64))
        forward = cv2.getPerspectiveTransform(corners, _UNIT).astype(np.float64)
        object.__setattr__(self, "_to_board", forward)
        object.__setattr__(self, "_to_pixels", np.linalg.inv(forward))

    @classmethod
    def from_view(cls, view: BoardView) -> FieldMap:
        """The map of a board as an observation names it."""
        return cls(np.array(view.corners, np.float64), view.bar)

    def view(self, confidence: float) -> BoardView:
        """The twin of :meth:`from_view`."""
        a, b, c, d = ((float(x), float(y)) for x, y in self.corners)
        return BoardView((a, b, c, d), self.bar, confidence)

    def to_board(self, pixels: ArrayLike) -> Points:
        """Board units of pixel coordinates, both of shape (n, 2)."""
        return _apply(self._to_board, pixels)

    def to_pixels(self, units: ArrayLike) -> Points:
        """Pixel coordinates of board units, both of shape (n, 2)."""
        return _apply(self._to_pixels, units)

    def rectify(self, image: Image, width: int, height: int, margin: float = 0.0) -> Image:
        """The field seen straight from above, as a (height, width) picture of ``image``'s type.

        ``margin``: how much more is shown around the field on each side, in board units; the field
        then covers the middle ``1 / (1 + 2 * margin)`` of the picture.
        """
        return cv2.warpPerspective(
            image, self.rectifier(width, height, margin), (width, height), flags=cv2.INTER_AREA
        )  # type: ignore[return-value]

    def rectifier(self, width: int, height: int, margin: float = 0.0) -> Points:
        """The 3x3 matrix from picture pixels to pixels of :meth:`rectify`."""
        span = 1 + 2 * margin
        scale = np.array(
            [[width / span, 0, margin * width / span], [0, height / span, margin * height / span], [0, 0, 1]]
        )
        return scale @ self._to_board

    def half_of(self, centre: PointXY) -> Half:
        """Which half of the board a place in board units lies in; on the bar the nearer half."""
        x, y = centre
        if not (0 <= x <= 1 and 0 <= y <= 1):
            return "off"
        return "left" if x < (self.bar[0] + self.bar[1]) / 2 else "right"

    @property
    def point_width(self) -> float:
        """Width of one point in board units of x."""
        return (1 - (self.bar[1] - self.bar[0])) / 12

    def slot_x(self, slot: int) -> float:
        """The x of a slot's middle line, in board units."""
        column = slot % 12
        if column < 6:
            return self.bar[0] * (column + 0.5) / 6
        return self.bar[1] + (1 - self.bar[1]) * (column - 5.5) / 6

    def slot_at(self, centre: PointXY) -> int | None:
        """The slot whose column and row hold a place in board units, or ``None`` off the points."""
        x, y = centre
        if not (0 <= x <= 1 and 0 <= y <= 1) or self.bar[0] < x < self.bar[1]:
            return None
        if x <= self.bar[0]:
            column = min(5, int(6 * x / self.bar[0]))
        else:
            column = 6 + min(5, int(6 * (x - self.bar[1]) / (1 - self.bar[1])))
        return column + 12 * (y > 0.5)


def _apply(matrix: Points, points: ArrayLike) -> Points:
    flat = np.asarray(points, np.float64).reshape(-1, 2)
    lifted = np.column_stack([flat, np.ones(len(flat))]) @ matrix.T
    return np.asarray(lifted[:, :2] / lifted[:, 2:], np.float64)


def boxes_overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union of two ``x0, y0, x1, y1`` boxes."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return width * height / (both - width * height)
