"""Finding the field in a picture of which nothing is known.

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
from hardware.camera import Image
from vision import canvas
from vision.board_fit import fit_columns
from vision.geometry import FieldMap, Points
from vision.warp import warped

WIDTH, HEIGHT, CELL = 320, 240, 8  #: of the network's picture
_MARGIN = 0.11  #: around the field on the second look, as a share of the picture
_LOOKS = 2  #: looks at the field set straight
_LEAST = 24  #: cells that must show the field
_SMALLEST = 64  #: pixels of a side of a picture in which a board may be sought
#: Confidence of the last look below which there is no board: photographs of boards and rendered stills are
#: above 0.9, other pictures reach 0.62.
_AGREE = 0.75
_SURE = 0.5  #: probability from which a cell counts
_ROUNDS = 6  #: of weighing the cells anew by their errors

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The field with its bar, and the confidence that it is one."""

    field: FieldMap
    confidence: float


def find_field(image: Image) -> Found | None:
    """The field in a uint8 BGR picture, or ``None`` if it shows none."""
    height, width = image.shape[:2]
    if min(height, width) < _SMALLEST:
        return None
    squash = np.diag([WIDTH / width, HEIGHT / height, 1.0])
    solved = _solve(_look(image, squash))
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
    return Found(fit_columns(image, field, move_sides=True), confidence)


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """Where the field's corners lie in the network's picture, and how well the cells agree."""

    corners: Points
    agree: float


def _look(image: Image, matrix: NDArray[np.float64]) -> Array:
    """The network's answer for the picture under ``matrix``: float32 (4, 30, 40)."""
    ends = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float64)
    back = np.linalg.inv(matrix)
    outline = _apply(back, ends)
    sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1) / (WIDTH, HEIGHT, WIDTH, HEIGHT)
    part, into_part = canvas.reduced(image, outline, float(sides.mean()))
    # The network learnt from pictures drawn at twice the size, of which a pixel's middle is at a quarter.
    into_part = canvas.shifted(-0.5) @ into_part @ canvas.shifted(0.5) @ back @ canvas.shifted(0.25)
    small = warped(part, into_part, (WIDTH, HEIGHT))
    batch = np.multiply(small.transpose(2, 0, 1)[None], np.float32(1 / 255), dtype=np.float32, order="C")
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
    return _Solved(corners, agree)


def weighted_homography(source: Points, target: Points, weight: NDArray[np.float64]) -> Points | None:
    """The 3x3 matrix that takes ``source`` to ``target`` (n, 2) best, outliers weighed down.

    Direct linear transform on centred points (Hartley and Zisserman, *Multiple View Geometry*, 4.1 and
    4.4), reweighed by the error of the step before.
    """
    a, b = _centred(source), _centred(target)
    p, q = _apply(a, source), _apply(b, target)
    lifted = np.column_stack([p, np.ones(len(p))])
    # What every point adds to the 9x9 matrix of normal equations, in blocks of 3x3.
    pairs = (lifted[:, :, None] * lifted[:, None]).reshape(-1, 9)
    square = (q**2).sum(axis=1, keepdims=True)
    parts = np.hstack([pairs, -q[:, :1] * pairs, -q[:, 1:] * pairs, square * pairs])
    normal, back = np.zeros((9, 9)), np.linalg.inv(b)
    places = np.vstack([source.T, np.ones(len(source))])
    wanted = np.ascontiguousarray(target.T)
    usual = weight / weight.max()
    now = usual
    matrix = np.eye(3)
    for _ in range(_ROUNDS):
        alike, across, down, both = (now @ parts).reshape(4, 3, 3)
        normal[:3, :3] = normal[3:6, 3:6] = alike
        normal[:3, 6:] = normal[6:, :3] = across
        normal[3:6, 6:] = normal[6:, 3:6] = down
        normal[6:, 6:] = both
        _, vectors = np.linalg.eigh(normal)
        matrix = np.asarray(back @ vectors[:, 0].reshape(3, 3) @ a, np.float64)
        seen = matrix @ places
        depth = seen[2]
        if np.abs(depth).min() < 1e-9 * np.abs(depth).max() or depth.min() * depth.max() < 0:
            return None
        off = np.hypot(*(seen[:2] / depth - wanted))
        usually = max(0.004, float(np.median(off)))
        # The rows' errors are scaled by the depth: taking it out makes them errors in board units.
        now = usual / (1 + (off / (2 * usually)) ** 2) / (depth / np.median(depth)) ** 2
    return matrix


def _centred(points: Points) -> Points:
    middle = points.mean(axis=0)
    scale = np.sqrt(2) / max(1e-9, float(np.linalg.norm(points - middle, axis=1).mean()))
    return np.array([[scale, 0, -scale * middle[0]], [0, scale, -scale * middle[1]], [0, 0, 1]])


def _apply(matrix: NDArray[np.floating], points: Points) -> Points:
    lifted = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(lifted[:, :2] / lifted[:, 2:], np.float64)


def _field(solved: _Solved, way: NDArray[np.floating]) -> tuple[FieldMap, float]:
    return FieldMap(_apply(way, solved.corners)), solved.agree


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
