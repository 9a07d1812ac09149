"""Lamps on the mains: bright and dark bands that wander over the picture are taken out of it.

A rolling shutter reads the rows of a picture one after the other, and a lamp that flickers lights some more
than others. So all pixels of a row are wrong by one factor, which is the median, over the row, of what they
are by what they were on average; an arm covers a part of a row only.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image

_MEMORY = 2.0  # seconds over which a picture is averaged
_WAVE = 0.015  # spread of the rows' factors from which they are bands, and not noise (without: below 0.003)
_FRAMES = 8  # over so many frames
_SMOOTH = 9  # rows of the small picture over which factors are averaged
_MOST = 0.2  # by which a factor may differ from 1
_STEP = 4  # every fourth pixel of a row is enough
_BURNT, _BRIGHT = (
    250,
    205,
)  # grey levels: of a pixel that may be brighter than it shows; of one that is bright
_DARK = 12  # grey levels below which a pixel says nothing

Plane = NDArray[np.float32]


class Bands:
    """Feed it every picture in time order."""

    def __init__(self) -> None:
        self._mean: Plane | None = None  # brightness, of some columns of the small picture
        self._even: Image | None = None  # the last small picture, once there are bands
        self._wave = 0.0
        self._seen = 0  # pictures that are averaged
        self._t = -math.inf

    def steady(self, image: Image, small: Image, t: float) -> tuple[Image, Image]:
        """A picture and its small copy without bands; the very same ones where there are none.

        ``image``: uint8 BGR, ``small``: the same reduced, ``t``: seconds.
        """
        now = small[:, ::_STEP, 1].astype(np.float32)
        step, self._t = t - self._t, t
        if self._mean is None or self._mean.shape != now.shape or step < 0:
            self._mean, self._even, self._wave, self._seen = now, None, 0.0, 1
            return image, small
        rows = _factors(now, self._mean)
        self._wave += (float(rows.std() / rows.mean()) - self._wave) / _FRAMES
        self._seen += 1
        cv2.accumulateWeighted(now, self._mean, max(1 - math.exp(-step / _MEMORY), 1 / self._seen))
        if self._wave < _WAVE:
            return image, small
        even = _divided(small, rows)
        if self._even is not None:
            # What is burnt out in a bright band, and bright anyway, would seem to change with the bands.
            burnt = (small >= _BURNT) & (self._even >= _BRIGHT)
            even[burnt] = self._even[burnt]
        self._even = even
        return _divided(image, rows), even


def _factors(now: Plane, mean: Plane) -> Plane:
    """How much brighter each row is than on average, shape (height,)."""
    ratio = np.where(mean > _DARK, now / np.maximum(mean, 1), 1)
    rows = np.median(ratio, axis=1).astype(np.float32)
    smooth = cv2.blur(rows[:, None], (1, _SMOOTH), borderType=cv2.BORDER_REPLICATE)
    return np.clip(smooth[:, 0], 1 - _MOST, 1 + _MOST)


def _divided(image: Image, rows: Plane) -> Image:
    """An image whose rows are divided by factors, which are spread over its height."""
    height = len(image)
    by = 1 / cv2.resize(rows[:, None], (1, height), interpolation=cv2.INTER_LINEAR)
    top = float(by.max())
    keep = np.rint(255 / top * by).astype(np.uint8)[:, None]
    whole = np.ascontiguousarray(np.broadcast_to(keep.reshape(height, 1, 1), image.shape))
    return np.asarray(cv2.multiply(image, whole, scale=top / 255), np.uint8)
