"""Whether a die that lies flat touches a checker (rules.md D8): how far it lies from the nearest rim.

Both are measured in the picture around the die, as outlines along which colours change: the upper faces of
checkers are circles of one size on the rectified field, and that of a die is a square, for they lie parallel
to it. How the circles are drawn out tells the field's proportions, and these the camera's slope, by which
both are brought down to the field. A gap of a few pixels can so be told from none, also where the die hides
the gap from a slanting camera.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.observation import Box, PointXY, SlotReading
from hardware.camera import Image
from vision.appearance import Stance, layers
from vision.geometry import FieldMap

Array = NDArray[np.float64]

_NEAR = 1.05  #: diameters from a checker's middle to that of a die, up to which it is measured
_MOST, _FEWEST = 8, 3  #: checkers around a die that tell how large they all are
_THICK = 0.23  #: a checker's thickness in diameters (measured: 0.2-0.28)
_OUTLINE = 0.84  #: height of the outline of a die's upper face in edges: its edges are rounded
_TIGHT = 1.08  #: a die's box as it is read is smaller than one with sharp edges would have
_ANGLES = np.linspace(0, 2 * np.pi, 48, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_ALONG = np.linspace(-0.8, 0.8, 9)
_ASIDE = np.repeat(np.array([(0, 1), (0, -1), (1, 0), (-1, 0)], np.float64), len(_ALONG), axis=0)
#: Places along the sides of a square of half edge 1, side by side.
_SQUARE = _ASIDE + np.concatenate([np.tile(_ALONG, 4)[:, None] * np.abs(_ASIDE[:, ::-1])])
_RIM_STEP, _SIDE_STEP = 0.04, 0.07  #: from an outline to where colours are compared, in radii and half edges
#: By how much a colour counts against an outline that is unlike the others within it: a shaded side.
_RIM_UNLIKE, _SIDE_UNLIKE = 0.4, 1.2
_STRAY_RIM = 30.0  #: against a checker that does not lie where it is expected, by the square in radii
_STRAY, _ODD = 8.0, 50.0  #: against a die's place and size that are not as they were read, by their squares
#: Edges between a die and a rim at which touching and not touching are equally likely, and how soon that
#: changes. Of simulated dice that could be measured 19 in 20 that touch are nearer, and 1 in 100 that lie 3
#: millimetres away or more.
_TOUCHES, _SOON = 0.12, 0.018
_CLEAR = 2.5  #: outlines that are less clear tell nothing
_WITHIN = -0.25  #: nor do those that run into each other by more edges than this
_USUAL_FOCAL = 0.75  #: focal length in shares of a picture's longer side: telephones and the Pi's camera


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a die lies from the nearest checker.

    ``width``: from its side to the rim, in edges of the die; 0 or a little less where it touches. ``clear``:
    mean change of colour along the outlines of both, in roots of grey values: the less, the less sure.
    """

    width: float
    clear: float

    @property
    def touching(self) -> float:
        """Probability that they touch; 0 where that could not be seen well."""
        if self.clear < _CLEAR or self.width < _WITHIN:
            return 0.0
        return 1 / (1 + math.exp(min(40.0, (self.width - _TOUCHES) / _SOON)))


@dataclass(frozen=True, eq=False)
class _View:
    """A part of a picture, and the field in it. ``colours``: float32 (height, width, 3)."""

    colours: NDArray[np.float32]
    corner: PointXY
    field: FieldMap

    def steps(self, inside: Array, outside: Array, weight: float) -> Array:
        """How much colours change across an outline, in roots of the channel's grey values that change most.

        ``inside``, ``outside``: places (..., n, 2) in board units on both sides of it. What is unlike the
        other places inside counts against it, with a ``weight``.
        """
        places = np.stack([inside, outside])
        pixels = self.field.to_pixels(places) - self.corner
        # In rows, since OpenCV takes no more than 32767 places in one.
        x, y = pixels.astype(np.float32).T.reshape(2, -1, places.shape[-2])
        seen = cv2.remap(self.colours, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        one, other = seen.reshape(*places.shape[:-1], 3)
        usual = np.median(one, axis=-2, keepdims=True)
        unlike = np.sqrt(_most(np.abs(one - usual)))
        return np.asarray(np.sqrt(_most(np.abs(one - other))) - weight * unlike, np.float64)


def _most(change: NDArray[np.float32]) -> NDArray[np.float32]:
    """The greatest of three channels (..., 3); much sooner than NumPy's own along so short an axis."""
    return np.maximum(np.maximum(change[..., 0], change[..., 1]), change[..., 2])


def gap(
    image: Image, field: FieldMap, stance: Stance, slots: Sequence[SlotReading], box: Box, edge: float
) -> Gap | None:
    """The gap between a flat die and the nearest checker; ``None`` if none is near, or too little is seen.

    ``stance``: how checkers stand on this board. ``slots``: 24 readings. ``box``, ``edge``: of the die, in
    pixels. Nothing is said of a die near checkers that lie on others: where those stick out is not known.
    """
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    size = np.array([stance.dx, stance.dy])
    die = field.to_board([middle])[0]
    discs, high = _discs(field, stance, slots)
    away = np.linalg.norm((discs - die) / size, axis=1)
    if not (away <= _NEAR).any() or high[away <= _NEAR].any() or (~high).sum() < _FEWEST:
        return None
    discs = discs[~high][np.argsort(away[~high])[:_MOST]]
    view = _view(image, field, np.vstack([discs - size, discs + size, [die - size, die + size]]))
    centres, radii, rims = _circles(view, discs, size / 2)
    proportion = radii[0] / radii[1]
    focal = _focal(field, image.shape[1], image.shape[0], proportion)
    start = field.to_board([middle, (middle[0] + edge, middle[1]), (middle[0], middle[1] + edge)])
    across, down = (np.linalg.norm((place - start[0]) * (1, proportion)) for place in start[1:])
    half = float(across) / 2
    lifted = _Raised(field, focal, (image.shape[1] / 2, image.shape[0] / 2))
    foot = lifted.foot(start[:1], half)
    top = lifted.seen(foot, _OUTLINE * 2 * half)[0]
    aside = np.abs((lifted.seen(foot, 2 * half) - foot)[0] * (1, proportion)) / (2 * half)
    flat = float(across / down)  # how much less high than wide squares are in the picture
    box_like = ((1 + flat) / 2.6, float(aside[0] + aside[1] * flat) / 2.6)
    square, sides = _square(view, (top[0], top[1] * proportion, half), box_like, proportion)
    x, y, turned, half = square
    corners = np.array((x, y)) + _turned(np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * half, turned)
    corners = lifted.foot(corners / (1, proportion), _OUTLINE * 2 * half) * (1, proportion)
    own = float(np.linalg.norm(corners[1] - corners[0]))
    feet = lifted.foot(centres, _THICK * 2 * radii[0]) * (1, proportion)
    widths = [_outside(foot, corners) - radii[0] for foot in feet]
    nearest = int(np.argmin(widths))
    return Gap(float(widths[nearest]) / own, min(float(rims[nearest]), sides))


def _discs(field: FieldMap, stance: Stance, slots: Sequence[SlotReading]) -> tuple[Array, NDArray[np.bool_]]:
    """About where the uppermost faces are seen, (n, 2) in board units, and which lie on other checkers."""
    found = [
        (*stance.top_face(field.slot_x(slot), place, slot >= 12, layer), layer)
        for slot, reading in enumerate(slots)
        if reading.visible
        for place, layer in enumerate(layers(reading.count))
    ]
    table = np.array(found, np.float64).reshape(-1, 3)
    return table[:, :2], table[:, 2] > 1


def _view(image: Image, field: FieldMap, around: Array) -> _View:
    pixels = field.to_pixels(around)
    low = np.maximum(np.floor(pixels.min(axis=0)).astype(int), 0)
    high = np.ceil(pixels.max(axis=0)).astype(int) + 1
    part = image[low[1] : high[1], low[0] : high[0]]
    return _View(
        cv2.GaussianBlur(part, (0, 0), 0.6).astype(np.float32), (float(low[0]), float(low[1])), field
    )


def _circles(view: _View, discs: Array, radii: Array) -> tuple[Array, Array, Array]:
    """Middles (n, 2) of circles near ``discs``, the radii (2,) that all share, and how clear each is (n,)."""
    radii = _common(view, discs, radii)
    centres = _middles(view, discs, discs, radii, 0.24)
    discs = discs + np.median(centres - discs, axis=0)  # the stance may be a little off
    centres = _middles(view, discs, discs, radii, 0.16)
    factors = np.linspace(0.96, 1.04, 9)
    tried = np.array([(a, b) for a in factors for b in factors]) * radii
    radii = tried[int(_rims(view, centres[:, None], tried).sum(axis=0).argmax())]
    centres = _middles(view, discs, centres, radii, 0.06)
    return centres, radii, _rims(view, centres[:, None], radii[None])[:, 0]


def _common(view: _View, discs: Array, radii: Array) -> Array:
    """About the radii that circles share which lie near ``discs``, wherever each of them does."""
    factors = np.linspace(0.9, 1.05, 5)
    tried = np.array([(a, b) for a in factors for b in factors]) * radii
    offsets = np.linspace(-0.24, 0.24, 7)
    aside = np.array([(a, b) for a in offsets for b in offsets])
    cost = _STRAY_RIM * (aside**2).sum(axis=1)
    clear = np.zeros(len(tried))
    for disc in discs:
        rims = _rims(view, (disc + aside * radii)[:, None], tried, roughly=True)
        clear += (rims - cost[:, None]).max(axis=0)
    return np.asarray(tried[int(clear.argmax())], np.float64)


def _middles(view: _View, starts: Array, discs: Array, radii: Array, reach: float) -> Array:
    return np.array(
        [_middle(view, start, disc, radii, reach) for start, disc in zip(starts, discs, strict=True)]
    )


def _middle(view: _View, start: Array, disc: Array, radii: Array, reach: float) -> Array:
    """The middle of a circle of known radii within ``reach`` of them from ``disc``, rather near ``start``."""
    for step in (reach / 4, reach / 12):
        offsets = np.arange(-4, 5) * step
        tried = disc + np.array([(a, b) for a in offsets for b in offsets]) * radii
        aside = (((tried - start) / radii) ** 2).sum(axis=1)
        disc = tried[int((_rims(view, tried, radii) - _STRAY_RIM * aside).argmax())]
    return disc


def _rims(view: _View, centres: Array, radii: Array, roughly: bool = False) -> Array:
    """How clear circles are of ``centres`` and ``radii``, (..., 2) each and broadcast."""
    circle = _CIRCLE[::2] if roughly else _CIRCLE
    inside, outside = (
        centres[..., None, :] + side * radii[..., None, :] * circle for side in (1 - _RIM_STEP, 1 + _RIM_STEP)
    )
    return np.asarray(view.steps(inside, outside, _RIM_UNLIKE).mean(axis=-1), np.float64)


def _square(
    view: _View, start: tuple[float, float, float], box_like: tuple[float, float], proportion: float
) -> tuple[tuple[float, float, float, float], float]:
    """A square near ``start``: its middle x and y, angle (radians) and half edge, and how clear it is.

    ``start``: the same without the angle, the half edge as the die's box tells it. ``box_like``: the size of
    that box, by the edge, is the first of these for each edge that its turned sides are wide, and the second.
    Lengths are in widths of the field.
    """
    x, y, half = start

    def usual(turns: Array) -> Array:
        """The half edge of a die in this box, if it is turned so."""
        wide = np.abs(np.cos(turns)) + np.abs(np.sin(turns))
        return np.asarray(_TIGHT * half / (box_like[0] * wide + box_like[1]), np.float64)

    def likely(squares: Array) -> Array:
        aside = ((squares[:, :2] - (x, y)) ** 2).sum(axis=1) / half**2
        size = np.log(squares[:, 3] / usual(squares[:, 2])) ** 2
        return np.asarray(_sides(view, squares, proportion) - _STRAY * aside - _ODD * size, np.float64)

    turns = np.arange(8) * math.pi / 16
    around = np.linspace(-0.4, 0.4, 7) * half
    tried = np.array(
        [
            (x + a, y + b, turn, own * size)
            for a in around
            for b in around
            for turn, own in zip(turns, usual(turns), strict=True)
            for size in (0.95, 1.05)
        ]
    )
    best = tried[int(likely(tried).argmax())]
    steps = np.array([0.08 * half, 0.08 * half, 0.1, 0.05 * half])
    moves = np.array(np.meshgrid(*[(-1, 0, 1)] * 4)).reshape(4, -1).T
    for _ in range(7):
        tried = best + moves * steps
        best = tried[int(likely(tried).argmax())]
        steps = steps * 0.6
    clear = float(_sides(view, best[None], proportion)[0])
    return (float(best[0]), float(best[1]), float(best[2]), float(best[3])), clear


def _sides(view: _View, squares: Array, proportion: float) -> Array:
    """How clear squares (n, 4) are: middle x and y, angle, half edge."""
    inside, outside = (
        (
            _turned((_SQUARE + side * _SIDE_STEP * _ASIDE) * squares[:, None, 3:], squares[:, 2, None])
            + squares[:, None, :2]
        )
        / (1, proportion)
        for side in (-1, 1)
    )
    return np.asarray(view.steps(inside, outside, _SIDE_UNLIKE).mean(axis=-1), np.float64)


def _turned(places: Array, angle: Array | float) -> Array:
    """Places (..., 2) turned about the origin by ``angle`` (radians)."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = places[..., 0], places[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def _outside(place: Array, corners: Array) -> float:
    """Distance of a place from a square, negative inside."""
    middle = corners.mean(axis=0)
    across, down = (corners[1] - corners[0]) / 2, (corners[2] - corners[1]) / 2
    own = [
        abs(float((place - middle) @ side)) / float(np.linalg.norm(side)) - float(np.linalg.norm(side))
        for side in (across, down)
    ]
    return math.hypot(max(0.0, own[0]), max(0.0, own[1])) + min(0.0, max(own))


def _focal(field: FieldMap, width: int, height: int, proportion: float) -> float:
    """The focal length, in pixels, of a camera that sees a field of this height over its width.

    The principal point is taken to be the picture's middle. Seen from above the field says little, and a
    usual lens decides (as in :mod:`vision.dice`).
    """
    h = _centred(field, (width / 2, height / 2))
    usual = _USUAL_FOCAL * max(width, height)
    tried = usual * np.geomspace(0.5, 3, 73)
    lens = np.stack([1 / tried, 1 / tried, np.ones(len(tried))])
    across, down = h[:, :1] * lens, h[:, 1:2] * lens
    wide, deep = np.linalg.norm(across, axis=0), np.linalg.norm(down, axis=0)
    askew = (across * down).sum(axis=0) / (wide * deep)
    cost = (askew / 0.02) ** 2 + (np.log(tried / usual) / 0.25) ** 2
    cost += (np.log(deep / wide / proportion) / 0.01) ** 2
    return float(tried[int(cost.argmin())])


def _centred(field: FieldMap, middle: PointXY) -> Array:
    """The homography from board units to pixels from ``middle``, (3, 3)."""
    shift = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1]])
    return np.asarray(
        shift @ cv2.getPerspectiveTransform(_UNIT, field.corners.astype(np.float32)), np.float64
    )


_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


class _Raised:
    """Where things above the field are seen to lie on it. Heights are in widths of the field."""

    def __init__(self, field: FieldMap, focal: float, middle: PointXY) -> None:
        lens = np.diag([1 / focal, 1 / focal, 1])
        self._ground = lens @ _centred(field, middle)
        across, down = self._ground[:, 0], self._ground[:, 1]
        up = np.cross(across, down)
        up *= float(np.linalg.norm(across) / np.linalg.norm(up))
        self._up = -up if up[2] > 0 else up  # towards the camera, which looks along +z

    def _plane(self, height: float) -> Array:
        """From board units at a height to those of what is seen behind them on the field."""
        lifted = self._ground.copy()
        lifted[:, 2] += self._up * height
        return np.asarray(np.linalg.inv(self._ground) @ lifted, np.float64)

    def seen(self, places: Array, height: float) -> Array:
        """Where on the field what lies above ``places`` (n, 2) is seen."""
        return _mapped(self._plane(height), places)

    def foot(self, places: Array, height: float) -> Array:
        """Above which places (n, 2) lies what is seen on the field at ``places``; undoes :meth:`seen`."""
        return _mapped(np.asarray(np.linalg.inv(self._plane(height)), np.float64), places)


def _mapped(matrix: Array, places: Array) -> Array:
    lifted = np.column_stack([places, np.ones(len(places))]) @ matrix.T
    return np.asarray(lifted[:, :2] / lifted[:, 2:], np.float64)
