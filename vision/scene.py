"""Hands and cups in a picture of a board of which nothing else is known.

One network (``models/scene.onnx``) looks at the whole picture, squashed, and says of each of its cells how
likely a hand or a cup is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

import models
from engine.observation import Box
from hardware.camera import Image
from vision import canvas

_WIDTH, _HEIGHT = 256, 192  # of the network's picture
_SURE = 0.7  #: probability from which a cell counts: on drawn views the fewest errors
_LEAST = 3  #: cells of one thing; fewer are chance

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scene:
    """The largest hand (with its arm) and the largest cup in a picture: boxes in pixels."""

    hand: Box | None
    cup: Box | None


def see(image: Image) -> Scene:
    """The hand and the cup in a uint8 BGR picture of a board; what it says of others means nothing."""
    size = (image.shape[1], image.shape[0])
    outline = np.array([[0, 0], size], np.float64)
    part, _ = canvas.reduced(image, outline, (size[0] / _WIDTH + size[1] / _HEIGHT) / 2)
    small = cv2.resize(part, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA)
    batch = np.ascontiguousarray(small.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    hand, cup = models.load("scene").run(None, {"image": batch})[0][0]
    return Scene(_largest(hand, size), _largest(cup, size))


def _largest(logits: Array, size: tuple[int, int]) -> Box | None:
    """Pixels of the box around the largest group of cells that show a thing."""
    there = (logits > np.log(_SURE / (1 - _SURE))).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(there)
    if len(stats) < 2:
        return None
    x, y, w, h, area = (int(v) for v in max(stats[1:], key=lambda stat: stat[cv2.CC_STAT_AREA]))
    if area < _LEAST:
        return None
    across, down = size[0] / there.shape[1], size[1] / there.shape[0]
    return x * across, y * down, (x + w) * across, (y + h) * down
