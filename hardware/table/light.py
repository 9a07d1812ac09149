"""Hard light on the simulated table, and what the sensor makes of it (:mod:`hardware.table.conditions`)."""

from __future__ import annotations

import math

import cv2
import numpy as np

from hardware.camera import Image
from hardware.table.conditions import Condition
from hardware.table.paint import RING, hull_of
from hardware.table.scene import FIELD_X, FIELD_Y, Lens
from hardware.table.styles import Floats

_DIM = 0.5  #: of the usual light: about what the darkest pictures of the measuring material have
_BANDS, _SWING = 0.09, 0.07  #: how much brighter and darker: bands across, and the picture as a whole
_BAND_LENGTH = 0.42  #: of the height of the picture, from one band to the next
_WANDER, _BEAT = 0.37, 0.23  #: of a period, from one frame to the next
_SPOT, _HALO = (220.0, 2.4), (60.0, 7.5)  #: a mirrored lamp: grey levels in its middle, centimetres across
_THROWN, _ASIDE = 12.0, 4.0  #: centimetres by which the shadow of an arm lies ahead of it, and to the right
_ARM_SOFT = 2.6  #: centimetres, of its edge
_ARM_DARK = 0.55
_SMALL = 8  #: soft shadows are calculated in a picture that many times smaller


class Light:
    """What conditions of light do to a picture, in place. Without any it does nothing."""

    def __init__(self, lens: Lens, conditions: frozenset[Condition], rng: np.random.Generator) -> None:
        self._lens, self._conditions = lens, conditions
        self.gain = _DIM if "dim" in conditions else 1.0  #: of the light
        self.grain = 2 if "dim" in conditions else 1  #: times the usual noise
        self._spot: Image | None = self._mirrored(rng) if "glare" in conditions else None

    def _mirrored(self, rng: np.random.Generator) -> Image:
        """The light of a lamp that is mirrored somewhere in the field, of shape (height, width, 3)."""
        width, height = self._lens.size
        sign = rng.choice([-1, 1], 2)
        place = (sign[0] * rng.uniform(5, FIELD_X - 4), sign[1] * rng.uniform(3, FIELD_Y - 6), 0.0)
        ((x0, y0),) = self._lens.project([place])
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        far: Floats = np.hypot(x - np.float32(x0), y - np.float32(y0)) / np.float32(self._lens.scale)
        value = sum(top * np.exp(-((far / reach) ** 2)) for top, reach in (_SPOT, _HALO))
        return np.dstack([np.clip(value, 0, 255).astype(np.uint8)] * 3)

    def mirror(self, image: Image) -> None:
        """Add what the table mirrors."""
        if self._spot is not None:
            cv2.add(image, self._spot, dst=image)

    def shadow(self, image: Image, tip: tuple[float, float], shoulder: tuple[float, float]) -> None:
        """Darken what an arm from ``shoulder`` to ``tip`` keeps the light of a lamp behind its owner from."""
        if "arm_shadow" not in self._conditions:
            return
        ahead = np.array(tip) - shoulder
        away = _THROWN * ahead / np.linalg.norm(ahead)
        outline = np.vstack([RING * 4.0 + tip, RING * 7.0 + shoulder]) + away + (_ASIDE, 0)
        hull = hull_of(outline)
        pixels = self._lens.project(np.column_stack([hull, np.zeros(len(hull))])) / _SMALL
        height, width = (math.ceil(n / _SMALL) for n in image.shape[:2])
        mask = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(mask, np.round(pixels * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        soft = cv2.GaussianBlur(mask, (0, 0), _ARM_SOFT * self._lens.scale / _SMALL)
        keep = cv2.resize(255 - cv2.convertScaleAbs(soft, alpha=_ARM_DARK), image.shape[1::-1])
        cv2.multiply(image, cv2.merge([keep] * 3), dst=image, scale=1 / 255)

    def flicker(self, image: Image, seq: int) -> None:
        """Bands and swings of the frame ``seq``."""
        if "flicker" not in self._conditions:
            return
        rows = np.arange(image.shape[0]) / (image.shape[0] * _BAND_LENGTH)
        bands = 1 + _BANDS * np.sin(2 * math.pi * (rows + _WANDER * seq))
        bands *= 1 + _SWING * math.sin(2 * math.pi * _BEAT * seq)
        top = float(bands.max())
        keep = np.round(255 * bands / top).astype(np.uint8)[:, None, None]
        cv2.multiply(image, np.broadcast_to(keep, image.shape).copy(), dst=image, scale=top / 255)
