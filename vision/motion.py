"""What moves: a cheap gate on a small copy of each frame.

A pixel has moved when it differs from what it was when it last moved, not from the frame before,
so that a slow hand at thirty frames a second is seen as well as a fast one at five. A change of
exposure multiplies the whole picture by one gain a channel, which is divided out; slow changes of
light are followed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image
from vision.warp import averaged

Mask = NDArray[np.bool_]  #: shape (height, width) of the small picture

_WIDTH = 400  # a die of 28 px in 1280 is still 9 px wide in the small picture
_LEAST = 18  # grey levels: below it, noise and what compression leaves behind
_REST = 0.25  # seconds without movement that make a scene still
_SPARSE = 0.15  # frames further apart than this: one like pair is all the evidence there is
_FOLLOW = 1.5  # seconds in which slow light is followed

_SQUARE = np.ones((3, 3), np.uint8)


def shrink_factor(width: int) -> int:
    """The whole number by which pictures of this width are reduced for watching."""
    return max(1, round(width / _WIDTH))


def shrink(image: Image) -> Image:
    """The small BGR copy on which motion and hands are watched (area averaged)."""
    return averaged(image, shrink_factor(image.shape[1]))


def gain_between(now: Image, before: Image) -> NDArray[np.float64]:
    """How much brighter ``now`` is than ``before``: one factor a channel, shape (3,), 0.7 to 1.4.

    The median over a grid of pixels, so that what moved does not count.
    """
    a = now[2::5, 2::5].reshape(-1, 3).astype(np.float32)
    b = before[2::5, 2::5].reshape(-1, 3).astype(np.float32)
    usable = ((a > 12) & (a < 250) & (b > 12) & (b < 250)).all(axis=1)
    if usable.sum() < 50:
        return np.ones(3)
    gain: NDArray[np.float64] = np.clip(np.median(a[usable] / b[usable], axis=0), 0.7, 1.4)
    return gain


def relit(before: Image, now: Image) -> Image:
    """``before`` under the exposure and white balance of ``now``."""
    gain = gain_between(now, before)
    if np.abs(gain - 1).max() < 0.004:
        return before
    table = np.clip(np.arange(256)[:, None] * gain + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(before, table[None]), np.uint8)


def difference(now: Image, before: Image) -> NDArray[np.uint8]:
    """The largest difference over the channels after a change of exposure is divided out."""
    return distance(now, relit(before, now))


def distance(a: Image, b: Image) -> NDArray[np.uint8]:
    """The largest difference over the channels."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What moved up to one frame.

    ``moved``: pixels of the small picture that moved in this frame. ``since``: float64 of the same
    shape, the time at which each pixel last moved. ``t``: time of the frame. ``rest``: seconds
    without movement that count as still at this frame rate. ``quiet``: pixels that have been still for
    long enough, over at least one pair of frames.
    """

    moved: Mask
    since: NDArray[np.float64]
    t: float
    rest: float
    quiet: Mask = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "quiet", self.at_rest(self.rest))

    def at_rest(self, seconds: float) -> Mask:
        """Pixels that have not moved for ``seconds``, over at least one pair of frames."""
        return ~self.moved & (self.t - self.since >= seconds)

    def still(self, where: Mask, least: int = 1) -> bool:
        """Whether all but fewer than ``least`` pixels of ``where`` are quiet."""
        return int(np.count_nonzero(where & ~self.quiet)) < least

    def share(self) -> float:
        """The share of the picture that moved in this frame."""
        return float(self.moved.mean())


class MotionGate:
    """Feed it every small frame in time order; it remembers what moved when."""

    def __init__(self) -> None:
        self._anchor: NDArray[np.float32] | None = None
        self._since: NDArray[np.float64] = np.zeros((0, 0))
        self._t = -math.inf

    def update(self, small: Image, t: float) -> Motion:
        """The motion up to this frame. The first frame, or one of another size, counts as moving."""
        step, self._t = t - self._t, t
        rest = _REST if step < _SPARSE else 0.9 * min(step, 1.0)
        if self._anchor is None or self._anchor.shape != small.shape or step < 0:
            self._anchor = small.astype(np.float32)
            self._since = np.full(small.shape[:2], t)
            return Motion(np.ones(small.shape[:2], bool), self._since.copy(), t, rest)
        apart = difference(small, self._anchor.astype(np.uint8))
        least = max(_LEAST, 6 * float(np.median(apart[::3, ::3])))
        # A lone pixel is noise: three of the nine around it must agree.
        many = cv2.boxFilter((apart > least).astype(np.uint8), -1, (3, 3), normalize=False) >= 3
        moved = cv2.dilate(many.astype(np.uint8), _SQUARE) > 0
        self._since[moved] = t
        self._anchor[moved] = small[moved]
        cv2.accumulateWeighted(small, self._anchor, 1 - math.exp(-step / _FOLLOW))
        return Motion(moved, self._since.copy(), t, rest)
