"""Pictures drawn through a matrix or at given places, the same under every OpenCV.

OpenCV's own ``warpPerspective``, ``warpAffine`` and ``remap`` read between pixels by steps of a 32nd up to
4.x, and exactly since 5.0: one grey value more or less in every thirtieth pixel, enough to tip a doubtful
reading. Places that were rounded beforehand are drawn alike by both, and as fast.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image

Matrix = NDArray[np.float64]
Places = NDArray[np.float32]


def averaged(image: Image, many: int) -> Image:
    """A picture ``many`` times smaller, each pixel the mean of ``many`` by ``many``; what is over is cut off.

    Several times as fast as OpenCV's average over broken numbers of pixels.
    """
    if many == 1:
        return image
    size = max(1, image.shape[1] // many), max(1, image.shape[0] // many)
    whole = image[: size[1] * many, : size[0] * many]
    return cv2.resize(whole, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def smaller(image: Image, size: tuple[int, int]) -> Image:
    """A picture made smaller to ``size`` (width, height), each pixel about the mean of those that it covers.

    Whole numbers of pixels are averaged, which is cheap; what is left is smoothed a little and read between
    pixels, at a quarter of the time that OpenCV takes for the average over broken numbers. Pixels that are
    over at the right and lower edge, fewer than make one of the new ones, are left out.
    """
    image = averaged(image, max(1, min(image.shape[1] // size[0], image.shape[0] // size[1])))
    if size[0] < 0.8 * image.shape[1]:
        image = cv2.GaussianBlur(image, (3, 3), 0.4)  # type: ignore[assignment]
    return cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)  # type: ignore[return-value]


def warped(image: Image, back: Matrix, size: tuple[int, int]) -> Image:
    """A picture of ``size`` (width, height) drawn from ``image``, uint8 (height, width, 3).

    ``back``: the 3x3 matrix from the new picture's pixels to the old one's. Bilinear; beyond the edge of the
    picture its last pixels are repeated.
    """
    m = (back / np.abs(back).max()).astype(np.float32)
    x, y = np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32)[:, None]
    depth = m[2, 0] * x + (m[2, 1] * y + m[2, 2])
    across, down = (m[row, 0] * x + (m[row, 1] * y + m[row, 2]) for row in (0, 1))
    return drawn(image, across / depth, down / depth)


def drawn(image: Image, x: Places, y: Places) -> Image:
    """The picture at the places ``x``, ``y``, float32 (height, width) each, in its pixels."""
    whole, part = cv2.convertMaps(x, y, cv2.CV_16SC2)
    return cv2.remap(image, whole, part, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[return-value]
