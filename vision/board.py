"""The board that is watched: where its field lies, whether it is set up, and where it has moved.

The field is found by the network (:mod:`vision.finder`) and then fitted to the sides of the points
(:mod:`vision.board_fit`), since what is learnt of a board is compared pixel by pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from engine.layout import Orientation, start_layouts
from engine.observation import SlotReading
from engine.position import CHECKERS, Game
from hardware.camera import Image
from vision.board_fit import Gradients, fit_columns, fit_field, settle_rows
from vision.checkers import read_checkers
from vision.finder import find_field
from vision.geometry import FieldMap

_FIT_SIZE = 800  #: pixels of the long side of the picture to which a field is fitted
_ROUNDS, _REACH = 4, 0.04  #: of the fit: the field is known within a few pixels
_FITS = 0.3  #: score of a fit below which the sides of the points are too little seen to be of use
#: Probability of each slot of a set-up board; one may be read badly, but not as plainly something else.
_SURE, _DOUBTED = 0.3, 0.02
_TALL = (
    6  #: checkers from which on a stack counts if it is read as any tall one: in layers they are miscounted
)


@dataclass(frozen=True, slots=True)
class Start:
    """A set-up board: which game, and which way round."""

    game: Game
    orientation: Orientation


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board in a picture.

    ``confidence``: 0-1, that the field lies there. ``slots``: the likeliest 24 signed counts. ``start``: the
    starting position, where that is what stands there.
    """

    field: FieldMap
    confidence: float
    slots: tuple[int, ...]
    start: Start | None


def find_board(image: Image, *, corners: ArrayLike | None = None) -> FoundBoard | None:
    """The board in a BGR picture of shape (height, width, 3); ``None`` if there is none.

    ``corners``: (4, 2) pixels, top-left first, clockwise; where given they are the answer, and only
    the bar and what stands there are looked for.
    """
    if corners is None:
        found = find_field(image)
        if found is None:
            return None
        field, confidence = _fitted(image, found.field), found.confidence
    else:
        place = FieldMap(np.asarray(corners, np.float64).reshape(4, 2))
        field, confidence = fit_columns(image, place, move_sides=False), 1.0
    slots = read_checkers(image, field).slots
    return FoundBoard(field, confidence, tuple(slot.best for slot in slots), start_of(slots))


def _fitted(image: Image, field: FieldMap) -> FieldMap:
    """The field within a pixel or so, where the sides of the points are to be seen."""
    height, width = image.shape[:2]
    scale = min(1.0, _FIT_SIZE / max(height, width))
    small = image
    if scale < 1:
        size = (round(width * scale), round(height * scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    picture = Gradients.of(small)
    fit = fit_field(picture, FieldMap(field.corners * scale, field.bar), rounds=_ROUNDS, reach=_REACH)
    if fit.score < _FITS:
        return field
    fitted = settle_rows(picture, fit.field)
    return FieldMap(fitted.corners / scale, fitted.bar)


def start_of(slots: Sequence[SlotReading]) -> Start | None:
    """The starting position that 24 readings show, if they show one; nothing less than the whole counts."""
    odds = {
        Start(game, orientation): _odds(slots, layout)
        for game in Game
        for orientation, layout in start_layouts(game).items()
    }
    best = max(odds, key=odds.__getitem__)
    return best if odds[best] > 0 else None


def _odds(slots: Sequence[SlotReading], layout: Sequence[int]) -> float:
    """How surely a layout is what the readings show: the mean probability of a slot, or 0 if it is not."""
    chances = []
    for slot, count in zip(slots, layout, strict=True):
        sign = 1 if count > 0 else -1
        alike = range(_TALL - 1, CHECKERS + 1) if abs(count) >= _TALL else (abs(count),)
        chances.append(sum(slot.probability(sign * n) for n in alike))
    weakest, next_weakest = sorted(chances)[:2]
    return float(np.mean(chances)) if weakest > _DOUBTED and next_weakest > _SURE else 0.0


_TRACK_SIZE = 480
_STANDS = 1.0  #: pixels of the full picture below which nothing has moved


def track_board(previous: FieldMap, reference: Image, image: Image) -> FieldMap | None:
    """Where the field lies now, if it lay at ``previous`` in the picture ``reference``.

    The very map ``previous`` where nothing has moved by more than a pixel, a new one where camera or
    board has moved, ``None`` where too little of the board is seen to tell. Both pictures are BGR
    of one size.
    """
    scale = min(1.0, _TRACK_SIZE / max(image.shape[:2]))
    before, now = (
        cv2.resize(
            cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA
        )
        for p in (reference, image)
    )
    mask = np.zeros(before.shape, np.uint8)
    outline = previous.to_pixels([[-0.04, -0.05], [1.04, -0.05], [1.04, 1.05], [-0.04, 1.05]]) * scale
    cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), 255)
    points = cv2.goodFeaturesToTrack(before, 120, 0.02, 6, mask=mask)
    if points is None or len(points) < 20:
        return None
    moved, there, _ = cv2.calcOpticalFlowPyrLK(before, now, points, None, winSize=(15, 15), maxLevel=3)  # type: ignore[call-overload]
    back, here, _ = cv2.calcOpticalFlowPyrLK(now, before, moved, None, winSize=(15, 15), maxLevel=3)  # type: ignore[call-overload]
    old, new = points.reshape(-1, 2), moved.reshape(-1, 2)
    sure = (there.ravel() == 1) & (here.ravel() == 1)
    sure &= np.linalg.norm(back.reshape(-1, 2) - old, axis=1) < 0.7
    if sure.sum() < 20:
        return None
    matrix, inliers = cv2.findHomography(old[sure], new[sure], cv2.RANSAC, 1.5)
    if matrix is None or inliers.sum() < max(16, 0.3 * len(old)):
        return None
    corners = cv2.perspectiveTransform((previous.corners * scale)[None], matrix)[0] / scale
    if np.abs(corners - previous.corners).max() <= max(_STANDS, 0.6 / scale):
        return previous
    return FieldMap(corners, previous.bar)
