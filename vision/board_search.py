"""Where a playing field may lie: rough guesses from straight lines and the rhythm of the points.

Lines of a board run in two directions, so each direction has one vanishing point. With the two
vanishing points sent to infinity the field becomes an upright rectangle of the *levelled* picture,
and what is left is one-dimensional: two lines that bound the rows, and along them two spells of six
points in alternating colours with the bar between.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image

Floats = NDArray[np.float64]

#: How near to a vanishing point's ray a line must run to count for it, in radians.
_NEAR = 0.025
#: Samples a point in the rhythm search.
_STEP = 4
#: Depths at which the rows are looked at, as fractions of the field's height.
_BANDS = ((0.06, 0.17), (0.17, 0.29))
#: Height of a point as a fraction of the field's height; boards differ from 0.36 to 0.46.
_POINT_HEIGHT = 0.41
_LEVEL_SIZE = 480
#: Widths of a bar, in samples, tried between two lines.
_GAPS = (1, 4)
_SIZE_BONUS = 0.35


@dataclass(frozen=True, eq=False)
class Guess:
    """A field that may be there: ``corners`` float64 (4, 2) in pixels, top-left first, clockwise;
    ``bar`` in board units; ``rhythm`` 0-1, how well the alternation of the points explains it."""

    corners: Floats
    bar: tuple[float, float]
    rhythm: float


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines of one direction, longest first.

    ``lines``: (n, 3), ``a x + b y + c = 0`` with a unit normal, in pixels from the picture's centre
    divided by its long side. ``support``: (n,), how much of each is seen, same unit.
    """

    lines: Floats
    support: Floats


def find_lines(grey: NDArray[np.uint8]) -> tuple[Lines, Lines]:
    """The straight lines that run rather across the picture and those that run rather down it."""
    found: object = cv2.createLineSegmentDetector().detect(grey)[0]
    height, width = grey.shape
    long_side = max(height, width)
    if not isinstance(found, np.ndarray):  # no line at all
        none = Lines(np.zeros((0, 3)), np.zeros(0))
        return none, none
    centre = np.array([width / 2, height / 2])
    segments = (found.reshape(-1, 2, 2).astype(np.float64) - centre) / long_side
    step = segments[:, 1] - segments[:, 0]
    length = np.hypot(step[:, 0], step[:, 1])
    keep = length > 0.018
    segments, step, length = segments[keep], step[keep], length[keep]
    across = np.abs(step[:, 0]) >= np.abs(step[:, 1])
    return _merge(segments[across], length[across]), _merge(segments[~across], length[~across])


def _merge(segments: Floats, length: Floats, width: float = 0.0032, most: int = 60) -> Lines:
    """Segments on one straight line become one line, fitted through all of them."""
    free = np.ones(len(segments), bool)
    lines: list[tuple[float, Floats]] = []
    for seed in np.argsort(-length):
        if not free[seed]:
            continue
        along = (segments[seed, 1] - segments[seed, 0]) / length[seed]
        origin = segments[seed].mean(0)
        chosen = free
        for _ in range(2):
            normal = np.array([-along[1], along[0]])
            chosen = free & (np.abs((segments - origin) @ normal).max(1) < width)
            if not chosen.any():
                break
            ends, weight = segments[chosen].reshape(-1, 2), np.repeat(length[chosen], 2)
            origin = (ends * weight[:, None]).sum(0) / weight.sum()
            spread = ((ends - origin) * weight[:, None]).T @ (ends - origin)
            along = np.linalg.eigh(spread)[1][:, 1]
        free = free & ~chosen
        free[seed] = False
        if not chosen.any():
            continue
        normal = np.array([-along[1], along[0]])
        spans = np.sort((segments[chosen] - origin) @ along, axis=1)
        support, reached = 0.0, -np.inf
        for start, end in spans[np.argsort(spans[:, 0])]:
            support += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        lines.append((support, np.array([normal[0], normal[1], -normal @ origin])))
    lines.sort(key=lambda item: -item[0])
    lines = lines[:most]
    return Lines(np.array([line for _, line in lines]).reshape(-1, 3), np.array([s for s, _ in lines]))


def vanishing_points(lines: Lines, down: bool, most: int) -> list[Floats]:
    """The vanishing points that most of the long lines agree on, best first, as unit 3-vectors.

    ``down``: the lines run down the picture rather than across it. Votes go by the square of a
    line's support: the sides of the points also share directions, but each of them is short.
    """
    use = lines.lines[:24]
    votes = lines.support[:24] ** 2
    if len(use) < 2:
        return []
    first, second = np.triu_indices(len(use), 1)
    points = np.cross(use[first], use[second])
    norm = np.linalg.norm(points, axis=1)
    points = points[norm > 1e-9] / norm[norm > 1e-9, None]
    # A board in view has its vanishing points well outside the picture.
    flat = np.hypot(points[:, 0], points[:, 1])
    ahead = np.abs(points[:, 1]) > np.abs(points[:, 0])
    points = points[(np.abs(points[:, 2]) < flat / 1.1) & (ahead == down)]
    if not len(points):
        return []
    nearest = -use[:, :2] * use[:, 2:]
    rays = points[:, None, :2] - points[:, None, 2:] * nearest[None]
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    off = np.abs(np.einsum("pij,ij->pi", rays, use[:, :2]))
    score = (votes * np.clip(1 - off / _NEAR, 0, 1)).sum(1)
    chosen: list[Floats] = []
    ends = np.array([[-0.35, 0], [0.35, 0]]) if down else np.array([[0, -0.3], [0, 0.3]])
    directions: list[Floats] = []
    for index in np.argsort(-score):
        rays_here = points[index, :2] - points[index, 2] * ends
        rays_here /= np.linalg.norm(rays_here, axis=1, keepdims=True)
        turn = [np.abs(rays_here[:, 0] * d[:, 1] - rays_here[:, 1] * d[:, 0]).max() for d in directions]
        if all(t > 0.05 for t in turn):
            chosen.append(points[index])
            directions.append(rays_here)
            if len(chosen) == most:
                break
    return chosen


def leveller(across: Floats, down: Floats, width: int, height: int) -> tuple[Floats, tuple[int, int]] | None:
    """The homography from pixels to the levelled picture in which both directions are upright, and
    that picture's (width, height); ``None`` where the directions cannot belong to a board in view."""
    long_side = max(width, height)
    to_unit = np.array(
        [[1 / long_side, 0, -width / 2 / long_side], [0, 1 / long_side, -height / 2 / long_side], [0, 0, 1]]
    )
    horizon = np.cross(across, down)
    if abs(horizon[2]) < 1e-6:
        return None
    horizon = horizon / horizon[2]
    flatten = np.array([[1, 0, 0], [0, 1, 0], [horizon[0], horizon[1], 1]])
    x_axis, y_axis = (flatten @ across)[:2], (flatten @ down)[:2]
    x_axis = x_axis / np.linalg.norm(x_axis) * (1 if x_axis[0] > 0 else -1)
    y_axis = y_axis / np.linalg.norm(y_axis) * (1 if y_axis[1] > 0 else -1)
    axes = np.column_stack([x_axis, y_axis])
    if np.linalg.det(axes) < 0.5:  # the two directions lie within 30 degrees
        return None
    turn = np.eye(3)
    turn[:2, :2] = np.linalg.inv(axes)
    matrix = turn @ flatten @ to_unit
    frame = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1.0]]) @ matrix.T
    if frame[:, 2].min() < 0.2:
        return None
    frame = np.clip(frame[:, :2] / frame[:, 2:], -0.8, 0.8)
    low, high = frame.min(0), frame.max(0)
    scale = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1 / _LEVEL_SIZE]]) * _LEVEL_SIZE
    size = np.ceil((high - low) * _LEVEL_SIZE).astype(int)
    return scale @ matrix, (int(size[0]), int(size[1]))


def guesses(image: Image, most: int = 6, pairs: int = 4) -> Iterator[list[Guess]]:
    """Fields that may be in a picture (long side about 800), the ``most`` best of one way after the
    other: for the likeliest pair of vanishing points by their rhythm and then between lines, and by
    their rhythm for the others, of ``pairs`` at most."""
    height, width = image.shape[:2]
    long_side = max(height, width)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    lines_across, lines_down = find_lines(grey)  # type: ignore[arg-type]
    lab = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), (0, 0), 1.2)
    vanishing = [
        (i + j, across, down)
        for i, across in enumerate(vanishing_points(lines_across, down=False, most=2))
        for j, down in enumerate(vanishing_points(lines_down, down=True, most=3))
    ]
    for order, (_, across, down) in enumerate(sorted(vanishing, key=lambda pair: pair[0])[:pairs]):
        levelled = leveller(across, down, width, height)
        if levelled is None:
            continue
        matrix, size = levelled
        rows = _levels(lines_across, across, matrix, width, height, down=False)
        flat = np.asarray(cv2.warpPerspective(lab, matrix, size, flags=cv2.INTER_LINEAR), np.float32)
        back = np.asarray(np.linalg.inv(matrix), np.float64)
        yield _best(back, _rhythms(flat, rows), 0.012 * long_side, most)
        if order == 0:
            columns = _levels(lines_down, down, matrix, width, height, down=True)
            yield _best(back, _framed(flat, rows, columns), 0.012 * long_side, most)


#: In the levelled picture: top, bottom, left, right, then the bar in board units and the score.
_Hit = tuple[float, float, float, float, tuple[float, float], float]


def _best(back: Floats, hits: list[_Hit], distance: float, most: int) -> list[Guess]:
    hits = sorted(hits, key=lambda hit: -hit[-1])
    return _distinct([_from_level(back, *hit) for hit in hits], distance, most)


def _distinct(found: list[Guess], distance: float, most: int) -> list[Guess]:
    """The first ``most`` guesses of which no two lie within ``distance`` pixels."""
    corners = np.array([guess.corners for guess in found]).reshape(-1, 8)
    free = np.ones(len(found), bool)
    kept: list[Guess] = []
    while free.any() and len(kept) < most:
        first = int(free.argmax())
        kept.append(found[first])
        free &= np.abs(corners - corners[first]).max(1) > distance
    return kept


def _from_level(
    back: Floats,
    top: float,
    bottom: float,
    left: float,
    right: float,
    bar: tuple[float, float],
    rhythm: float,
) -> Guess:
    corners = np.array([[left, top, 1], [right, top, 1], [right, bottom, 1], [left, bottom, 1]]) @ back.T
    return Guess(corners[:, :2] / corners[:, 2:], bar, rhythm)


def _levels(
    lines: Lines, vanishing: Floats, matrix: Floats, width: int, height: int, *, down: bool
) -> list[float]:
    """Where the lines that run to a vanishing point lie in the levelled picture, strongest first:
    y of those that run along the rows, or x of those that run ``down``."""
    found: list[float] = []
    axis = 0 if down else 1
    for line in lines.lines:
        foot = -line[:2] * line[2]
        ray = vanishing[:2] - vanishing[2] * foot
        if abs(ray @ line[:2]) > 1.6 * _NEAR * np.linalg.norm(ray):
            continue
        # where the line passes the middle of the picture
        middle = np.zeros(2)
        middle[axis] = -line[2] / line[axis]
        x, y = middle * max(width, height) + (width / 2, height / 2)
        point = matrix @ np.array([x, y, 1])
        at = float(point[axis] / point[2])
        if all(abs(at - other) > 3 for other in found):
            found.append(at)
    return found[:11]


def _wedges(x: Floats, depth: float | Floats, height: float) -> Floats:
    """How far places along a row (in points) and at a depth (fraction of the field) lie on a point."""
    half = 0.5 * np.maximum(0.0, 1 - np.asarray(depth) / height)
    return np.asarray(np.clip((half - np.abs(x % 1 - 0.5)) * _STEP + 0.5, 0, 1), np.float64)


def _orthonormal(columns: list[Floats]) -> NDArray[np.float32]:
    matrix = np.column_stack([column.ravel() for column in columns])
    return np.asarray(np.linalg.qr(matrix - matrix.mean(0))[0], np.float32)


_WINDOW = 6 * _STEP
_X = (np.arange(_WINDOW) + 0.5) / _STEP
_ODD = np.floor(_X) % 2
#: Of each band, kernels of shape (window, 1) that together span six points in two colours.
_KERNELS = [
    [
        np.ascontiguousarray(kernel[:, None])
        for kernel in _orthonormal(
            [_wedges(_X, (low + high) / 2, _POINT_HEIGHT) * (odd == _ODD) for odd in (0, 1)]
        ).T
    ]
    for low, high in _BANDS
]
_HALF_ROWS = 36
_Y = (np.arange(_HALF_ROWS) + 0.5) / _HALF_ROWS


def _half_basis(height: float) -> NDArray[np.float32]:
    """Orthonormal basis of a half of the field: two rows of six points in two colours each."""
    columns = []
    for depth in (_Y[:, None], 1 - _Y[:, None]):
        wedge = _wedges(_X[None], depth, height)
        columns += [wedge * (_ODD == 0), wedge * (_ODD == 1)]
    return _orthonormal(columns)


_HALF_BASES = [_half_basis(height) for height in (0.37, 0.41, 0.45)]


def _rhythms(flat: NDArray[np.float32], rows: list[float]) -> list[_Hit]:
    """Top, bottom, left, right, bar and score of the best fields between each two lines."""
    height, width = flat.shape[:2]
    summed = np.concatenate([np.zeros((1, width, 3)), np.cumsum(flat, axis=0, dtype=np.float64)])
    hits = []
    for top in rows:
        for bottom in rows:
            tall = bottom - top
            if tall < 0.33 * min(height, width) or top < 0 or bottom >= height:
                continue
            bands = []
            for low, high in _BANDS:
                for a, b in (
                    (top + low * tall, top + high * tall),
                    (bottom - high * tall, bottom - low * tall),
                ):
                    first, last = round(a), max(round(a) + 1, round(b))
                    bands.append((summed[last] - summed[first]) / (last - first))
            profile = np.concatenate(bands, axis=1).astype(np.float32)
            for left, pitch, gap in _rhythm_along(profile, tall):
                span = (12 + gap / _STEP) * pitch
                bar = (6 * pitch / span, (6 + gap / _STEP) * pitch / span)
                # Three points and their gaps look like six points: of two readings the larger one.
                share = tall * span / (height * width)
                score = _explained(flat, top, bottom, left, pitch, gap) * share**_SIZE_BONUS
                hits.append((top, bottom, left, left + span, bar, score))
    return hits


def _framed(flat: NDArray[np.float32], rows: list[float], columns: list[float]) -> list[_Hit]:
    """As :func:`_rhythms`, with left and right ends at lines that run down."""
    height, width = flat.shape[:2]
    hits = []
    for top, bottom in itertools.permutations(rows, 2):
        tall = bottom - top
        if tall < 0.33 * min(height, width) or top < 0 or bottom >= height:
            continue
        for left, right in itertools.permutations(columns, 2):
            span = right - left
            if left < 0 or right >= width or not 0.85 * tall < span < 1.7 * tall:
                continue
            share = tall * span / (height * width)
            for gap in _GAPS:
                pitch = span / (12 + gap / _STEP)
                bar = (6 * pitch / span, (6 + gap / _STEP) * pitch / span)
                score = _explained(flat, top, bottom, left, pitch, gap) * share**_SIZE_BONUS
                hits.append((top, bottom, left, right, bar, score))
    return hits


def _explained(
    flat: NDArray[np.float32], top: float, bottom: float, left: float, pitch: float, gap: int
) -> float:
    """The share of the field's variance that two rows of points in two colours explain."""
    rows = (top + _Y * (bottom - top)).astype(int)
    won, of = np.zeros((2, len(_HALF_BASES))), np.zeros(2)
    for half, start in enumerate((left, left + (6 + gap / _STEP) * pitch)):
        columns = np.minimum((start + _X * pitch).astype(int), flat.shape[1] - 1)
        patch = flat[rows[:, None], columns[None]].reshape(-1, 3)
        patch = patch - patch.mean(0)
        of[half] = float((patch**2).sum()) + 9.0 * len(patch)
        won[half] = [float(((basis.T @ patch) ** 2).sum()) for basis in _HALF_BASES]
    whole = won.sum(0) / of.sum()
    both = np.sqrt(won[0] * won[1] / (of[0] * of[1]))
    return float((0.5 * whole + 0.5 * both).max())


def _rhythm_along(profile: NDArray[np.float32], tall: float) -> list[tuple[float, float, int]]:
    """Left end, pitch and bar (in samples) of the best rhythms along a profile (width, 12)."""
    width = len(profile)
    best: list[tuple[float, float, float, int]] = []
    pitch = 0.062 * tall
    while pitch < 0.15 * tall:
        at = np.arange(int((width - 1) / pitch * _STEP), dtype=np.float32) * np.float32(pitch / _STEP)
        if len(at) < 2 * _WINDOW:
            break
        samples = profile[at.astype(int)]
        n = len(at) - _WINDOW + 1
        sums = np.cumsum(np.concatenate([np.zeros((1, 12), np.float32), samples]), axis=0, dtype=np.float64)
        squares = np.cumsum(np.concatenate([[0.0], (samples.astype(np.float64) ** 2).sum(1)]))
        of = squares[_WINDOW:] - squares[:-_WINDOW]
        of -= ((sums[_WINDOW:] - sums[:-_WINDOW]) ** 2).sum(1) / _WINDOW
        of += 2.0 * _WINDOW * 12
        won = np.zeros(n)
        for band, kernels in enumerate(_KERNELS):
            part = np.ascontiguousarray(samples[:, 6 * band : 6 * band + 6])
            for kernel in kernels:
                answer = cv2.filter2D(part, cv2.CV_32F, kernel, anchor=(0, 0))[:n]
                won += (np.asarray(answer, np.float64) ** 2).sum(1)
        for gap in range(0, 10):
            shift = _WINDOW + gap
            if n <= shift:
                break
            a, b, c, d = won[:-shift], won[shift:], of[:-shift], of[shift:]
            score = 0.5 * (a + b) / (c + d) + 0.5 * np.sqrt(a * b / (c * d))
            i = int(score.argmax())
            best.append((float(score[i]), float(at[i]), pitch, gap))
        pitch *= 1.055
    best.sort(reverse=True)
    return [(left, pitch, gap) for _, left, pitch, gap in best[:8]]
