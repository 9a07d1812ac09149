"""Finding the field, hands and cups in a picture of which nothing is known.

One network (``models/board.onnx``) says of every cell of a small picture where in the field it lies. A
homography through all of them gives the field; the picture is then set straight by it and looked at once
more, nearer. Fields that are partly covered or cut off by the edge of the picture are found too.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

import models
from engine.observation import Box
from hardware.camera import Image
from vision.geometry import FieldMap, Points

WIDTH, HEIGHT, CELL = 320, 240, 8  #: of the network's picture
_MARGIN = 0.11  #: around the field on the second look, as a share of the picture
_LOOKS = 2  #: looks at the field set straight
_LEAST = 24  #: cells that must show the field
_SMALLEST = 64  #: pixels of a side of a picture in which a board may be sought
#: Confidence of the last look below which there is no board: photographs of boards and rendered stills are
#: above 0.9, other pictures reach 0.62.
_AGREE = 0.75
_SURE = 0.5  #: probability from which a cell counts

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The field with the confidence that it is one, and what is in the way of it.

    ``hand``, ``cup``: float32 probabilities for each cell of the whole picture, (30, 40).
    """

    field: FieldMap
    confidence: float
    hand: Array
    cup: Array


def find_field(image: Image) -> Found | None:
    """The field in a uint8 BGR picture, or ``None`` if it shows none."""
    height, width = image.shape[:2]
    if min(height, width) < _SMALLEST:
        return None
    squash = np.diag([WIDTH / width, HEIGHT / height, 1.0])
    cells = _look(image, squash)
    hand, cup = _chance(cells[6]), _chance(cells[7])
    solved = _solve(cells)
    if solved is None:
        return None
    way = np.linalg.inv(squash)
    field, confidence = _field(solved, way)
    for _ in range(_LOOKS):
        if not _plausible(field, width, height):
            return None
        straight = _straightened(field)
        again = _solve(_look(image, straight))
        if again is None:
            break
        field, confidence = _field(again, np.linalg.inv(straight))
    if confidence < _AGREE or not _plausible(field, width, height):
        return None
    return Found(field, confidence, hand, cup)


def covers(image: Image) -> tuple[Array, Array]:
    """Probabilities of a hand and of a cup for each cell of the whole picture, float32 (30, 40) each."""
    height, width = image.shape[:2]
    cells = _look(image, np.diag([WIDTH / width, HEIGHT / height, 1.0]))
    return _chance(cells[6]), _chance(cells[7])


def largest(cover: Array, size: tuple[int, int], floor: float, least: int) -> Box | None:
    """Pixels of the box around the largest group of cells above ``floor``, if it has ``least`` cells."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((cover > floor).astype(np.uint8))
    if len(stats) < 2:
        return None
    x, y, w, h, area = (int(v) for v in max(stats[1:], key=lambda stat: stat[cv2.CC_STAT_AREA]))
    if area < least:
        return None
    across, down = size[0] / cover.shape[1], size[1] / cover.shape[0]
    return x * across, y * down, (x + w) * across, (y + h) * down


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """Where the field's corners lie in the network's picture, the bar, and how well the cells agree."""

    corners: Points
    bar: tuple[float, float]
    agree: float


def _look(image: Image, matrix: NDArray[np.float64]) -> Array:
    """The network's answer for the picture under ``matrix``: float32 (8, 30, 40)."""
    # Drawn twice as large and reduced, so that thin lines do not alias; a large picture is reduced first.
    shrink = float(np.sqrt(abs(np.linalg.det(matrix[:2, :2])))) * 2
    if shrink < 0.6:
        size = (max(2, round(image.shape[1] * shrink)), max(2, round(image.shape[0] * shrink)))
        matrix = matrix @ np.diag([image.shape[1] / size[0], image.shape[0] / size[1], 1.0])
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    large = cv2.warpPerspective(
        image,
        np.diag([2.0, 2.0, 1.0]) @ matrix,
        (2 * WIDTH, 2 * HEIGHT),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    small = cv2.resize(large, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    batch = np.ascontiguousarray(small.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    return models.load("board").run(None, {"image": batch})[0][0]  # type: ignore[no-any-return]


def _solve(cells: Array) -> _Solved | None:
    """The homography through the cells that show the field, each weighed by how sure it is."""
    chance = _chance(cells[0])
    rows, columns = np.nonzero(chance > _SURE)
    if len(rows) < _LEAST:
        return None
    places = np.column_stack([columns * CELL + CELL / 2, rows * CELL + CELL / 2]).astype(np.float64)
    units = cells[1:3, rows, columns].T.astype(np.float64)
    trust = chance[rows, columns] * np.exp(-np.clip(cells[3, rows, columns], -6, 2))
    to_board = weighted_homography(places, units, trust.astype(np.float64))
    if to_board is None:
        return None
    off = np.abs(_apply(to_board, places) - units).max(axis=1)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
    try:
        corners = _apply(np.linalg.inv(to_board), unit)
    except np.linalg.LinAlgError:
        return None
    polygon = np.zeros(chance.shape, np.uint8)
    cv2.fillPoly(polygon, [np.round(16 * (corners / CELL - 0.5)).astype(np.int32)], 1, shift=4)
    both = float(((chance > _SURE) & (polygon > 0)).sum())
    overlap = both / max(1.0, float(((chance > _SURE) | (polygon > 0)).sum()))
    agree = float((off < 0.04).mean()) * overlap
    weight = trust / trust.sum()
    left, right = (float((weight * cells[channel, rows, columns]).sum()) for channel in (4, 5))
    left, right = min(left, 0.5), max(right, 0.5)
    return _Solved(corners, (left, right), agree)


def weighted_homography(source: Points, target: Points, weight: NDArray[np.float64]) -> Points | None:
    """The 3x3 matrix that takes ``source`` to ``target`` (n, 2) best, outliers weighed down.

    Direct linear transform on centred points (Hartley and Zisserman, *Multiple View Geometry*, 4.1 and
    4.4), reweighed ten times by the error of the step before.
    """
    a, b = _centred(source), _centred(target)
    p, q = _apply(a, source), _apply(b, target)
    one, zero = np.ones(len(p)), np.zeros((len(p), 3))
    lifted = np.column_stack([p, one])
    across = np.column_stack([lifted, zero, -q[:, :1] * lifted])
    down = np.column_stack([zero, lifted, -q[:, 1:] * lifted])
    rows = np.concatenate([across, down])
    now = weight / weight.max()
    matrix = np.eye(3)
    for _ in range(10):
        root = np.concatenate([now, now])[:, None]
        _, vectors = np.linalg.eigh((rows * root).T @ rows)
        matrix = np.asarray(np.linalg.inv(b) @ vectors[:, 0].reshape(3, 3) @ a, np.float64)
        depth = np.column_stack([source, one]) @ matrix[2]
        if np.abs(depth).min() < 1e-9 * np.abs(depth).max() or depth.min() * depth.max() < 0:
            return None
        off = np.linalg.norm(_apply(matrix, source) - target, axis=1)
        usual = max(0.004, float(np.median(off)))
        # The rows' errors are scaled by the depth: taking it out makes them errors in board units.
        now = weight / weight.max() / (1 + (off / (2 * usual)) ** 2) / (depth / np.median(depth)) ** 2
    return matrix


def _centred(points: Points) -> Points:
    middle = points.mean(axis=0)
    scale = np.sqrt(2) / max(1e-9, float(np.linalg.norm(points - middle, axis=1).mean()))
    return np.array([[scale, 0, -scale * middle[0]], [0, scale, -scale * middle[1]], [0, 0, 1]])


def _apply(matrix: NDArray[np.floating], points: Points) -> Points:
    lifted = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(lifted[:, :2] / lifted[:, 2:], np.float64)


def _field(solved: _Solved, way: NDArray[np.floating]) -> tuple[FieldMap, float]:
    return FieldMap(_apply(way, solved.corners), solved.bar), solved.agree


def _straightened(field: FieldMap) -> Points:
    """The matrix that sets the field straight in the network's picture, with a margin."""
    low, high = _MARGIN, 1 - _MARGIN
    into = np.array([[low, low], [high, low], [high, high], [low, high]]) * [WIDTH, HEIGHT]
    return np.asarray(
        cv2.getPerspectiveTransform(field.corners.astype(np.float32), into.astype(np.float32)), np.float64
    )


def _plausible(field: FieldMap, width: int, height: int) -> bool:
    """A convex quadrilateral that is neither tiny nor far larger than the picture."""
    corners = field.corners.astype(np.float32)
    area = float(cv2.contourArea(corners))
    return bool(cv2.isContourConvex(corners)) and 0.01 < area / (width * height) < 4


def _chance(logits: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)
