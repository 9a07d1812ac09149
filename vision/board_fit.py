"""Fitting a field to a picture: corners and bar from the sides of the 24 points and the frame.

Each point (triangle) has two straight sides. From a rough guess, places on all 48 sides are sought
across the side for the step of colour that is expected there, and the field is moved so that they
fit, time and again with a shorter reach. Covered sides find no step and have no say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image
from vision.geometry import FieldMap
from vision.warp import drawn

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

_DEPTHS = np.array([0.05, 0.09, 0.13, 0.17, 0.21, 0.25, 0.29, 0.33])
_EDGE_PLACES = np.linspace(0.02, 0.98, 40)
#: Height of a point in units of the field's height, until the fit knows better.
_HEIGHT = 0.41


@dataclass(frozen=True, eq=False)
class Gradients:
    """A picture in CIE Lab (float32, blurred) and its slopes along x and y, each (height, width, 3)."""

    lab: Floats32
    along_x: Floats32
    along_y: Floats32

    @classmethod
    def of(cls, image: Image) -> Gradients:
        """Of a BGR picture."""
        sharp = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.float32)
        lab = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 1.0), np.float32)
        along_x = cv2.Sobel(lab, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)
        along_y = cv2.Sobel(lab, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
        return cls(lab, along_x, along_y)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted field and what speaks for it.

    ``support``: the share of places on the sides of the points, 0-1, at which the expected step of
    colour lies within a pixel and a half. ``beyond``: the same just outside the rows, where a true
    field has no points. ``frame``: the share of places on the field's four edges and the two of the
    bar at which there is an edge at all. ``base``: half the width of a point at its base, in widths
    of a point; close to a half where the rows end where the field ends.
    """

    field: FieldMap
    support: float
    beyond: float
    frame: float
    base: float

    @property
    def score(self) -> float:
        """How good the fit is as a whole, at most 1."""
        misfit = max(0.0, self.beyond - 0.05) + 2 * max(0.0, abs(self.base - 0.49) - 0.04)
        return 0.75 * self.support + 0.25 * self.frame - misfit


@dataclass(frozen=True, eq=False)
class _Model:
    """Places on the sides of the points, as far as they do not depend on the fit."""

    column: NDArray[np.int64]
    bottom: NDArray[np.bool_]
    side: Floats  #: -1 left, +1 right
    depth: Floats
    group: NDArray[np.int64]  #: half, row and parity: 0-7


def _model() -> _Model:
    rows = [
        (column, bottom, side, depth, (column >= 6) * 4 + bottom * 2 + column % 2)
        for column in range(12)
        for bottom in (False, True)
        for side in (-1.0, 1.0)
        for depth in _DEPTHS
    ]
    column, bottom, side, depth, group = (np.array(part) for part in zip(*rows, strict=True))
    return _Model(column, bottom.astype(bool), side, depth, group)


_M = _model()


def _side_places(theta: Floats, depth: Floats) -> Floats:
    """Board units of the places on the sides at ``depth``; theta: see :func:`fit_field`."""
    b0, b1, base, slope = theta[8:12]
    left = _M.column < 6
    pitch = np.where(left, b0 / 6, (1 - b1) / 6)
    centre = np.where(left, pitch * (_M.column + 0.5), b1 + pitch * (_M.column - 5.5))
    x = centre + _M.side * pitch * (base - slope * depth)
    y = np.where(_M.bottom, 1 - depth, depth)
    return np.column_stack([x, y])


_EDGES = np.concatenate(
    [
        np.column_stack([_EDGE_PLACES, np.zeros(40)]),
        np.column_stack([_EDGE_PLACES, np.ones(40)]),
        np.column_stack([np.zeros(40), _EDGE_PLACES]),
        np.column_stack([np.ones(40), _EDGE_PLACES]),
    ]
)
_EDGE_NEXT = _EDGES + np.repeat([[0.01, 0], [0, 0.01]], 80, axis=0)


def _project(corners: Floats, places: Floats) -> Floats:
    return FieldMap(corners).to_pixels(places)


def fit_field(picture: Gradients, guess: FieldMap, *, rounds: int, reach: float) -> Fit:
    """The field near a guess (within about ``reach`` of a point's width).

    The picture should have a long side of about 800 pixels.
    """
    # theta: four corners (8), bar edges, half width of a point at its base and how fast it narrows,
    # both in widths of a point.
    theta = np.concatenate([guess.corners.ravel(), guess.bar, [0.48, 0.48 / _HEIGHT]])
    width = float(np.linalg.norm(guess.corners[1] - guess.corners[0]))
    pitch = width / 13
    height, wide = picture.lab.shape[:2]
    prior = theta.copy()
    for step in range(rounds):
        seek = max(2.5, reach * pitch * 0.75**step)
        normals, offset, weight = _correspond(picture, theta, seek)
        if weight.sum() < 20:
            break
        jacobian = _jacobian(theta, normals)
        stiff = np.concatenate([np.full(8, 0.002), [30.0, 30.0], [60.0, 8.0]])
        system = jacobian.T @ (jacobian * weight[:, None]) + np.diag(stiff**2 * weight.sum() / 400)
        pull = jacobian.T @ (weight * offset) + stiff**2 * weight.sum() / 400 * (prior - theta) * (
            np.arange(12) >= 8
        )
        move = np.linalg.solve(system, pull)
        theta = theta + move
        theta[8:10] = np.clip(theta[8:10], 0.38, 0.62)
        if theta[9] < theta[8]:
            theta[8:10] = theta[8:10].mean()
        if not np.isfinite(theta).all() or np.abs(theta[:8]).max() > 4 * max(height, wide):
            return Fit(guess, 0.0, 0.0, 0.0, 0.0)
    return _judged(picture, theta)


_INWARD = np.arange(-0.02, 0.1, 0.0025)  #: where the edge of a row is sought, in heights of the field
_DEEP = np.arange(0.2, 0.33, 0.01)  #: where seldom a checker covers the middle of a point


def settle_rows(picture: Gradients, field: FieldMap) -> FieldMap:
    """The field with its upper and lower edge where the points in two colours end.

    A frame has edges of its own, of wood, of its shadow, and a fit may have taken one of them. A row
    of which too few points lie open is left as it is.
    """
    top, bottom = _row_edge(picture, field, bottom=False), 1 - _row_edge(picture, field, bottom=True)
    if top == 0 and bottom == 1:
        return field
    return FieldMap(field.to_pixels([[0, top], [1, top], [1, bottom], [0, bottom]]), field.bar)


def _row_edge(picture: Gradients, field: FieldMap, *, bottom: bool) -> float:
    """How far inwards a row begins; 0 where it cannot be told."""
    height, width = picture.lab.shape[:2]
    x = np.array([field.slot_x(slot) for slot in range(12)])[:, None]
    across = x + np.array([-0.12, 0, 0.12]) * field.point_width

    def colours(depths: Floats) -> Floats:
        places = np.empty((12, len(depths), 3, 2))
        places[..., 0] = across[:, None]
        places[..., 1] = (1 - depths if bottom else depths)[:, None]
        at = np.rint(field.to_pixels(places.reshape(-1, 2))).astype(int)
        seen = picture.lab[np.clip(at[:, 1], 0, height - 1), np.clip(at[:, 0], 0, width - 1)]
        return np.asarray(seen.reshape(12, len(depths), 3, 3).mean(2), np.float64)

    odd = np.arange(12) % 2 == 1
    deep = np.median(colours(_DEEP), axis=1)
    kinds = np.stack([np.median(deep[~odd], axis=0), np.median(deep[odd], axis=0)])
    step = kinds[0] - kinds[1]
    size = float(step @ step)
    if size < 12**2:
        return 0.0
    along = (colours(_INWARD) - kinds.mean(0)) @ step / size  # half for one kind, minus a half for the other
    near = np.median(along[:, (_INWARD > 0.04)], axis=1)
    free = np.abs(near - np.where(odd, -0.5, 0.5)) < 0.35
    if free[odd].sum() < 2 or free[~odd].sum() < 2:
        return 0.0
    apart = np.median(along[free & ~odd], axis=0) - np.median(along[free & odd], axis=0)
    ends = np.flatnonzero(apart < 0.4 * np.median(apart[_INWARD > 0.04]))
    ends = ends[_INWARD[ends] < 0.06]
    return max(0.0, float(_INWARD[ends[-1]]) + 0.00125) if len(ends) else 0.0


def _step_places() -> tuple[NDArray[np.int64], Floats, Floats]:
    """Places by which the colours inside and outside of the points of each group are known: half of
    the board (n,), x in points from its left edge (n,) and y (n,); inside and outside for each of
    the eight groups are 9 and 15 places."""
    places = [
        (half, x, 1 - depth if bottom else depth)
        for half in (0, 1)
        for bottom in (0, 1)
        for parity in (0, 1)
        for columns in ([k + 0.5 for k in range(parity, 6, 2)], [k + 1.0 for k in range(5)])
        for depth in (0.2, 0.25, 0.3)
        for x in columns
    ]
    half, x, y = (np.array(part) for part in zip(*places, strict=True))
    return half, x, y


_STEP_HALF, _STEP_X, _STEP_Y = _step_places()


def _steps(picture: Gradients, theta: Floats) -> Floats:
    """The step of colour expected at each place on a side, into the point: (n, 3)."""
    b0, b1 = theta[8:10]
    height, width = picture.lab.shape[:2]
    x = np.where(_STEP_HALF == 0, b0 / 6 * _STEP_X, b1 + (1 - b1) / 6 * _STEP_X)
    pixels = np.rint(_project(theta[:8].reshape(4, 2), np.column_stack([x, _STEP_Y]))).astype(int)
    seen = picture.lab[np.clip(pixels[:, 1], 0, height - 1), np.clip(pixels[:, 0], 0, width - 1)]
    groups = seen.reshape(8, 24, 3)
    # the middle one of those sorted by each channel: cheaper than a median
    inside, outside = (
        np.partition(groups[:, :9], 4, axis=1)[:, 4],
        np.partition(groups[:, 9:], 7, axis=1)[:, 7],
    )
    return np.asarray((inside - outside)[_M.group], np.float64)


def _answers(
    picture: Gradients, theta: Floats, shifts: Floats, deeper: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Along the normals of the sides, at ``shifts`` pixels: normals (n, 2), slope of
    colour towards the inside of the point in units of the expected step (n, shifts), step (n,)."""
    corners = theta[:8].reshape(4, 2)
    depth = _M.depth + deeper
    both = _project(corners, np.concatenate([_side_places(theta, depth), _side_places(theta, depth + 0.01)]))
    places, ahead = both[: len(both) // 2], both[len(both) // 2 :]
    normals = _normals(places, ahead)
    # towards the inside of the point: left sides look right
    centre_side = _project(
        corners, _side_places(theta, depth) - np.column_stack([_M.side * 0.01, 0 * _M.side])
    )
    flip = ((centre_side - places) * normals).sum(1) < 0
    normals[flip] *= -1
    slopes = _sample(picture, places, normals, shifts)
    expected = _steps(picture, theta)
    size = np.linalg.norm(expected, axis=1) + 1e-6
    return normals, (slopes * (expected / size[:, None] ** 2)[:, None]).sum(2), size


def _normals(places: Floats, ahead: Floats) -> Floats:
    along = ahead - places
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.column_stack([-along[:, 1], along[:, 0]])


def _sample(picture: Gradients, places: Floats, normals: Floats, shifts: Floats) -> Floats:
    """Slopes of colour along the normals: (n, shifts, 3)."""
    height, width = picture.lab.shape[:2]
    at = places[:, None] + shifts[None, :, None] * normals[:, None]
    x = np.rint(at[..., 0]).astype(int)
    y = np.rint(at[..., 1]).astype(int)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    slopes = picture.along_x[y, x] * normals[:, None, :1] + picture.along_y[y, x] * normals[:, None, 1:]
    return np.asarray(slopes * inside[..., None], np.float64)


def _correspond(picture: Gradients, theta: Floats, reach: float) -> tuple[Floats, Floats, Floats]:
    """Normals, how far along the normal the edge lies, and how far that is to be believed:
    first for the sides of the points, then for the four edges of the field."""
    shifts = np.linspace(-reach, reach, 2 * int(np.ceil(reach)) + 1)
    near = 1 - 0.5 * (shifts / reach) ** 2
    normals, answers, size = _answers(picture, theta, shifts)
    offset, strength = _peak(answers * near, shifts)
    weight = np.clip((strength - 0.08) / 0.15, 0, 1) * np.clip(size / 20, 0, 1)

    corners = theta[:8].reshape(4, 2)
    both = _project(corners, np.concatenate([_EDGES, _EDGE_NEXT]))
    edge_places = both[: len(_EDGES)]
    edge_normals = _normals(edge_places, both[len(_EDGES) :])
    slopes = np.linalg.norm(_sample(picture, edge_places, edge_normals, shifts), axis=2)
    edge_offset, edge_strength = _peak(slopes * near, shifts)
    edge_weight = 0.25 * np.clip((edge_strength - 2) / 6, 0, 1)
    edge_weight[80:] *= 0.5  # left and right the first and last point say more
    return (
        np.concatenate([normals, edge_normals]),
        np.concatenate([offset, edge_offset]),
        np.concatenate([weight, edge_weight]),
    )


def _peak(answers: Floats, shifts: Floats) -> tuple[Floats, Floats]:
    best = answers.argmax(1)
    return shifts[best], answers[np.arange(len(answers)), best]


def _jacobian(theta: Floats, normals: Floats) -> Floats:
    def places(t: Floats) -> Floats:
        return _project(t[:8].reshape(4, 2), np.concatenate([_side_places(t, _M.depth), _EDGES]))

    base = places(theta)
    columns = []
    for k in range(12):
        step = 0.5 if k < 8 else 0.002
        moved = theta.copy()
        moved[k] += step
        columns.append(((places(moved) - base) * normals).sum(1) / step)
    return np.column_stack(columns)


def _judged(picture: Gradients, theta: Floats) -> Fit:
    shifts = np.linspace(-6, 6, 13)
    near = np.abs(shifts) <= 1.5

    def seen(deeper: float) -> NDArray[np.bool_]:
        _, answers, size = _answers(picture, theta, shifts, deeper)
        return np.asarray(near[answers.argmax(1)] & (answers.max(1) > 0.1) & (size > 6), np.bool_)

    # depths of 0.05 become 0.05 outside the rows
    beyond = seen(-0.1)[_M.depth == _DEPTHS[0]]
    field = FieldMap(theta[:8].reshape(4, 2), (float(theta[8]), float(theta[9])))
    return Fit(field, float(seen(0.0).mean()), float(beyond.mean()), _frame(picture, field), float(theta[10]))


def _frame(picture: Gradients, field: FieldMap) -> float:
    bars = [np.column_stack([np.full(40, x), _EDGE_PLACES]) for x in field.bar]
    places = np.concatenate([_EDGES, *bars])
    ahead = np.concatenate([_EDGE_NEXT, *(bar + np.array([0, 0.01]) for bar in bars)])
    at = field.to_pixels(places)
    shifts = np.linspace(-6, 6, 13)
    slopes = np.linalg.norm(_sample(picture, at, _normals(at, field.to_pixels(ahead)), shifts), axis=2)
    best = slopes.argmax(1)
    return float(((np.abs(shifts[best]) <= 2.5) & (slopes.max(1) > 3)).mean())


_STRIP = 480  #: samples along a row of :func:`fit_columns`
_LOW, _HIGH = -0.04, 1.04  #: their first and last, in board units
_ROWS = np.array([0.1, 0.16, 0.22, 0.28, 0.34])  #: depths at which the sides of the points are sought
_AROUND_ROW = np.array([-0.015, 0.0, 0.015])  #: each is the mean of these
_STEEP = 8.0  #: Lab units a sample: a steeper slope (a checker, a die) counts no more
_HEIGHTS = np.array([0.36, 0.42, 0.48])  #: heights of points, in heights of the field
_INNER = np.arange(0.385, 0.5001, 0.005)  #: where the bar's left edge is sought, and its right one mirrored
_OUTER = np.arange(-0.03, 0.0301, 0.01)  #: how far inwards the field's side may lie
_OUTER_SPREAD = 0.04  #: of that, in the same units as the score
_ASKEW = 0.1  #: by how much the bar's edges may differ in their distance from the middle
_WIDE, _WIDER = 0.15, 0.02  #: width of the widest usual bar, and how much wider one may be


def fit_columns(image: Image, field: FieldMap, *, move_sides: bool) -> FieldMap:
    """The field of a BGR picture with bar and, if asked, left and right side where its points say.

    Corners may be off by a third of a point, the bar may lie anywhere. In each row the two sides of a point
    are steps of colour in opposite directions, alike for every second point: that half of six columns is
    taken in which those steps agree best. A few milliseconds, whatever the picture's size.
    """
    slopes = _row_slopes(image, field)
    left = _half_scores(slopes)
    right = _half_scores(np.ascontiguousarray(-slopes[:, :, ::-1]))
    inner_left, inner_right = left.max(axis=0), right.max(axis=0)
    agree = inner_left[:, None] + inner_right
    agree -= ((_INNER[:, None] - _INNER) / _ASKEW) ** 2
    agree -= (np.maximum(0, 1 - _INNER[:, None] - _INNER - _WIDE) / _WIDER) ** 2
    i, j = np.unravel_index(np.argmax(agree), agree.shape)
    bar = float(_INNER[i]), float(1 - _INNER[j])
    if not move_sides:
        return FieldMap(field.corners, bar)
    a, b = float(_OUTER[left[:, i].argmax()]), float(1 - _OUTER[right[:, j].argmax()])
    corners = field.to_pixels([[a, 0], [b, 0], [b, 1], [a, 1]])
    return FieldMap(corners, ((bar[0] - a) / (b - a), (bar[1] - a) / (b - a)))


def _row_slopes(image: Image, field: FieldMap) -> Floats32:
    """Slopes of Lab along the rows, limited: (2, depths, samples, 3), the top row first."""
    depths = np.concatenate([_ROWS, 1 - _ROWS])
    y = (depths[:, None] + _AROUND_ROW).ravel()
    grid = np.stack(np.meshgrid(np.linspace(_LOW, _HIGH, _STRIP), y), axis=-1)
    at = field.to_pixels(grid.reshape(-1, 2)).astype(np.float32).reshape(len(y), _STRIP, 2)
    seen = drawn(image, at[..., 0], at[..., 1])
    lab = cv2.cvtColor(seen, cv2.COLOR_BGR2LAB).astype(np.float32)
    lab = cv2.blur(lab.reshape(len(depths), len(_AROUND_ROW), _STRIP, 3).mean(axis=1), (3, 1))
    slopes = np.zeros_like(lab)
    slopes[:, 1:-1] = (lab[:, 2:] - lab[:, :-2]) / 2
    steepness = np.linalg.norm(slopes, axis=2, keepdims=True)
    slopes *= np.minimum(1, np.float32(_STEEP) / np.maximum(steepness, np.float32(1e-6)))
    return np.asarray(slopes.reshape(2, len(_ROWS), _STRIP, 3), np.float32)


@cache
def _sides_of_columns() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the left and right sides of six columns lie among the samples of a row's picture.

    (edges, heights, columns, depths) each: the samples of one depth come after those of the other.
    """
    outer, inner = (edge.ravel() for edge in np.meshgrid(_OUTER, _INNER, indexing="ij"))
    pitch = (inner - outer) / 6
    middles = outer[:, None] + pitch[:, None] * (np.arange(6) + 0.5)
    reach = pitch[:, None, None] * 0.48 * (1 - _ROWS / _HEIGHTS[:, None])
    density = (_STRIP - 1) / (_HIGH - _LOW)
    first = np.arange(len(_ROWS)) * _STRIP
    left, right = (
        np.rint((middles[:, None, :, None] + sign * reach[:, :, None] - _LOW) * density).astype(np.intp)
        + first
        for sign in (-1, 1)
    )
    return left, right


def _half_scores(slopes: Floats32) -> Floats:
    """How well six columns agree for each outer and inner edge of the left half: (outer, inner), to 1."""
    lefts, rights = _sides_of_columns()
    score = np.zeros(lefts.shape[:2])
    for row in slopes:
        flat = row.reshape(-1, 3)
        steps = (flat.take(lefts, axis=0) - flat.take(rights, axis=0)).sum(axis=3)
        for parity in (0, 1):
            score += np.linalg.norm(steps[:, :, parity::2].sum(axis=2), axis=2)
    best = score.max(axis=1).reshape(len(_OUTER), len(_INNER))
    best *= np.exp(-((_OUTER / _OUTER_SPREAD) ** 2))[:, None]
    return np.asarray(best / max(float(best.max()), 1e-9), np.float64)
