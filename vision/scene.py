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
#: The same of a cup where the size of a checker is known: probability, checker areas, and cells that will do.
_SURE_CUP, _CUP, _MOST = 0.5, 3.3, 6

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scene:
    """The largest hand (with its arm) and the largest cup in a picture: boxes in pixels."""

    hand: Box | None
    cup: Box | None


def see(image: Image) -> Scene:
    """The hand and the cup in a uint8 BGR picture of a board; what it says of others means nothing."""
    hand, cup = _look(image)
    size = (image.shape[1], image.shape[0])
    one = (_groups(logits, size, _SURE, _LEAST) for logits in (hand, cup))
    return Scene(*(boxes[0] if boxes else None for boxes in one))


def cups(image: Image, checker: float) -> tuple[Box, ...]:
    """All that may be cups in a uint8 BGR picture of a board, the largest first: boxes in pixels.

    ``checker``: the area of a checker in pixels, by which the size of a cup is judged. Since that is known
    here, they need to be less sure than in :func:`see`.
    """
    _, cup = _look(image)
    size = (image.shape[1], image.shape[0])
    cells = checker * cup.size / (size[0] * size[1])
    return _groups(cup, size, _SURE_CUP, int(np.clip(round(_CUP * cells), _LEAST, _MOST)))


def _look(image: Image) -> Array:
    """What the network says of a picture: logits of hand and cup, shape (2, down, across)."""
    size = (image.shape[1], image.shape[0])
    outline = np.array([[0, 0], size], np.float64)
    part, _ = canvas.reduced(image, outline, (size[0] / _WIDTH + size[1] / _HEIGHT) / 2)
    small = cv2.resize(part, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA)
    batch = np.ascontiguousarray(small.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    said: Array = models.load("scene").run(None, {"image": batch})[0][0]
    return said


def _groups(logits: Array, size: tuple[int, int], sure: float, least: int) -> tuple[Box, ...]:
    """Pixels of the boxes around groups of at least so many cells that show a thing, the largest first."""
    there = (logits > np.log(sure / (1 - sure))).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(there)
    across, down = size[0] / there.shape[1], size[1] / there.shape[0]
    boxes = []
    for x, y, w, h, area in sorted(stats[1:].tolist(), key=lambda stat: -stat[cv2.CC_STAT_AREA]):
        if area >= least:
            boxes.append((x * across, y * down, (x + w) * across, (y + h) * down))
    return tuple(boxes)
