"""Dice and doubling cubes, drawn pixel by pixel: what they are made of, how they lie, how light meets them.

A die is a cube with rounded edges, now and then cut by a ball. A ray through every pixel meets it, and the
place it meets gives the pips, the veins, the light and what a glossy face mirrors. Only NumPy and OpenCV are
needed.

Axes: x right, y down, z towards the camera. Lengths on a die are shares of its edge, and
its middle is the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardware.camera import Image

Rng = np.random.Generator
Vector = NDArray[np.float64]
Array = NDArray[np.float32]
Colour = tuple[float, float, float]  #: B, G, R of 0-255

#: Where the pips of each face lie, in units of the pip spacing.
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
_SIDE = 64  #: pixels of a face in the atlas of faces


@dataclass(frozen=True, slots=True)
class DieStyle:
    """How a die is made. Lengths are fractions of its edge; ``numerals`` makes it a doubling cube."""

    body: Colour
    pips: Colour
    one: Colour  #: colour of the single pip, red on many Asian dice
    radius: float = 0.08  #: of the rounding of edges
    pip_radius: float = 0.09
    one_radius: float = 0.09
    spacing: float = 0.25
    gloss: float = 0.2  #: 0 matt, 1 mirror
    clear: float = 0.0  #: 0 opaque, 1 see-through
    marble: float = 0.0  #: share of ``second`` in the veins
    second: Colour = (128.0, 128.0, 128.0)
    grain: tuple[float, float, float] = (1.5, 1.5, 1.5)  #: veins to an edge along each axis
    ball: float = 0.9  #: radius of the ball that cuts the corners; 0.87 and more cuts nothing
    depth: float = 0.5  #: of the hollow pips
    ring: bool = False  #: pips are rings
    numerals: bool = False
    blank: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A die in space: the three axes of its cube as rows, and the value on each axis' positive side."""

    axes: Vector  #: shape (3, 3); the last row is the normal of the topmost face
    values: tuple[int, int, int]

    def faces(self) -> list[tuple[Vector, Vector, Vector, int]]:
        """The six faces as (normal, first axis, second axis, value); opposite faces sum to seven."""
        out = []
        for axis in range(3):
            first, second = self.axes[(axis + 1) % 3], self.axes[(axis + 2) % 3]
            out.append((self.axes[axis], first, second, self.values[axis]))
            out.append((-self.axes[axis], first, second, 7 - self.values[axis]))
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """What shines on a die. Directions are unit vectors, strengths are shares of white.

    ``up``: the normal of the table. ``windows``: (direction, half angle in radians, strength) of what
    a glossy face mirrors.
    """

    up: Vector
    lamp: Vector
    strength: float
    ambient: float
    tint: Colour = (1.0, 1.0, 1.0)  #: B, G, R factors
    windows: tuple[tuple[Vector, float, float], ...] = ()


def unit(vector: Vector) -> Vector:
    """A vector brought to length 1."""
    return np.asarray(vector / np.linalg.norm(vector), np.float64)


def _perpendicular(rng: Rng, axis: Vector) -> Vector:
    loose = rng.normal(size=3)
    return unit(loose - (loose @ axis) * axis)


def random_pose(rng: Rng, up: Vector, tilt_degrees: float) -> Pose:
    """A die of either chirality on a plane whose normal is ``up``, tipped by ``tilt_degrees``."""
    level = _perpendicular(rng, up)
    tilt = np.radians(tilt_degrees)
    normal = np.cos(tilt) * up + np.sin(tilt) * level
    first = _perpendicular(rng, normal)
    second = np.cross(normal, first)
    pairs = rng.permutation(3)
    values = [int(pair + 1 if rng.random() < 0.5 else 6 - pair) for pair in pairs]
    axes = np.stack([first, second, normal])
    heights = np.abs(axes @ up)
    top = int(np.argmax(heights))  # past 45 degrees another face is the topmost
    order = [(top + 1) % 3, (top + 2) % 3, top]
    axes = axes[order]
    if axes[2] @ up < 0:
        axes[2] = -axes[2]
    return Pose(axes, (values[order[0]], values[order[1]], values[order[2]]))


def random_light(rng: Rng, up: Vector) -> Light:
    """A room: a lamp or none, daylight, and up to four bright things to be mirrored."""
    lamp = unit(up + rng.normal(0, 0.6, 3))
    if lamp @ up < 0.15:
        lamp = up
    windows = []
    for _ in range(int(rng.integers(0, 4))):
        away = unit(up * rng.uniform(0.2, 1.2) + rng.normal(0, 0.6, 3))
        windows.append((away, float(rng.uniform(0.05, 0.5)), float(np.exp(rng.uniform(0.5, 3.0)))))
    windows.append((lamp, float(rng.uniform(0.03, 0.15)), float(np.exp(rng.uniform(2.0, 4.0)))))
    share = rng.uniform(0.1, 0.85)
    level = float(np.exp(rng.normal(0.05, 0.25)))
    warm = rng.normal(0, 0.08)
    return Light(
        up,
        lamp,
        level * float(share),
        level * float(1 - share),
        (float(1 - warm), 1.0, float(1 + warm)),
        tuple(windows),
    )


_BODIES: tuple[tuple[Colour, float], ...] = (
    ((235, 238, 240), 2.2),  # white
    ((175, 215, 230), 1.0),  # ivory
    ((24, 24, 26), 1.8),  # black
    ((35, 32, 180), 1.7),  # red
    ((25, 25, 95), 0.8),  # dark red
    ((60, 130, 30), 1.0),  # green
    ((50, 70, 15), 0.5),
    ((90, 120, 20), 0.5),  # teal
    ((170, 75, 40), 0.9),  # blue
    ((90, 35, 25), 0.5),  # navy
    ((120, 40, 90), 0.6),  # purple
    ((30, 110, 225), 0.7),  # orange
    ((40, 205, 235), 0.7),  # yellow
    ((45, 90, 140), 0.9),  # brown, wood
    ((110, 170, 210), 0.6),  # light wood
    ((150, 130, 230), 0.3),  # pink
    ((130, 130, 130), 0.5),  # grey, metal
)
_PIPS: tuple[tuple[Colour, float], ...] = (
    ((240, 243, 245), 3.0),
    ((18, 18, 20), 2.2),
    ((70, 170, 215), 1.0),  # gold
    ((40, 220, 245), 0.5),  # yellow
    ((30, 30, 200), 1.0),  # red
    ((180, 185, 190), 0.4),  # silver
    ((180, 90, 30), 0.3),  # blue
)


def _pick(rng: Rng, palette: Sequence[tuple[Colour, float]], spread: float) -> Colour:
    weights = np.array([weight for _, weight in palette])
    colour = np.array(palette[int(rng.choice(len(palette), p=weights / weights.sum()))][0])
    b, g, r = np.clip(colour * np.exp(rng.normal(0, 0.12)) + rng.normal(0, spread, 3), 3, 252)
    return float(b), float(g), float(r)


def _apart(one: ArrayLike, other: ArrayLike) -> float:
    """How well two colours are told apart, most of it by brightness."""
    gap = np.abs(np.asarray(one, np.float64) - np.asarray(other, np.float64))
    return float(gap @ [0.25, 0.9, 0.45])


def random_style(rng: Rng) -> DieStyle:
    """A die as sold: plain, veined, speckled of two colours, wooden, clear, or any colour."""
    body = _pick(rng, _BODIES, 12)
    if rng.random() < 0.1:
        body = _vivid(rng)
    marble, second = 0.0, body
    if rng.random() < 0.35:
        marble = float(rng.uniform(0.2, 1.0))
        second = _pick(rng, _BODIES, 12) if rng.random() < 0.6 else _shifted(rng, body)
    mean = np.array(body) * (1 - 0.5 * marble) + 0.5 * marble * np.array(second)
    pips = _pick(rng, _PIPS, 10)
    for _ in range(12):
        if _apart(pips, mean) > 55 + 60 * rng.random():
            break
        pips = _pick(rng, _PIPS, 10)
    else:
        pips = (240.0, 240.0, 240.0) if mean.mean() < 110 else (20.0, 20.0, 20.0)
    scale = float(np.exp(rng.uniform(np.log(0.5), np.log(5))))
    grain = (scale, scale, scale * float(rng.choice([1.0, 0.1])))
    pip_radius = float(rng.uniform(0.07, 0.12))
    big_one = rng.random() < 0.2
    red_one = big_one and min(body) > 140 and rng.random() < 0.7
    return DieStyle(
        body=body,
        pips=pips,
        one=(30.0, 30.0, 200.0) if red_one else pips,
        radius=float(rng.choice([rng.uniform(0.015, 0.08), rng.uniform(0.08, 0.2)])),
        pip_radius=pip_radius,
        one_radius=pip_radius * float(rng.uniform(1.3, 2.0)) if big_one else pip_radius,
        spacing=float(rng.uniform(max(0.2, pip_radius + 0.1), 0.28)),
        gloss=float(rng.random() ** 1.3),
        clear=float(rng.uniform(0.3, 1.0)) if rng.random() < 0.15 and max(body) > 60 else 0.0,
        marble=marble,
        second=second,
        grain=grain,
        ball=float(rng.uniform(0.68, 0.8)) if rng.random() < 0.5 else 0.9,
        depth=float(rng.uniform(0, 1.2)) if rng.random() < 0.7 else 0.0,
        ring=bool(rng.random() < 0.04),
    )


def random_cube_style(rng: Rng) -> DieStyle:
    """A doubling cube as sold."""
    style = random_style(rng)
    white = rng.random() < 0.55
    body: Colour = (232.0, 235.0, 238.0) if white else style.body
    ink: Colour = (25.0, 25.0, 25.0) if white or float(np.mean(body)) > 120 else (235.0, 235.0, 235.0)
    if rng.random() < 0.25:
        ink = _pick(rng, _PIPS, 10)
        if _apart(ink, body) < 70:
            ink = (20.0, 20.0, 20.0) if float(np.mean(body)) > 120 else (240.0, 240.0, 240.0)
    return DieStyle(
        body=body,
        pips=ink,
        one=ink,
        radius=style.radius,
        gloss=style.gloss,
        clear=0.0,
        marble=0.0 if white else style.marble,
        second=style.second,
        grain=style.grain,
        ball=style.ball,
        depth=style.depth * 0.5,
        numerals=True,
    )


def _vivid(rng: Rng) -> Colour:
    hsv = np.array([[[rng.uniform(0, 180), rng.uniform(110, 255), rng.uniform(70, 250)]]]).astype(np.uint8)
    b, g, r = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
    return float(b), float(g), float(r)


def _shifted(rng: Rng, colour: Colour) -> Colour:
    """A lighter or darker kind of a colour."""
    b, g, r = np.clip(np.array(colour) * rng.choice([0.35, 0.6, 1.5, 2.2]) + rng.normal(0, 15, 3), 3, 250)
    return float(b), float(g), float(r)


@cache
def _noise() -> Array:
    """Cloudy noise that repeats, float32 (256, 256), even over 0-1; the same in every run."""
    rng = np.random.default_rng(2024)
    total = np.zeros((256, 256), np.float32)
    for cells, share in ((8, 1.0), (16, 0.6), (32, 0.35), (64, 0.2)):
        grid = np.pad(rng.normal(0, share, (cells, cells)).astype(np.float32), 2, mode="wrap")
        wide = cv2.resize(grid, None, fx=256 / cells, fy=256 / cells, interpolation=cv2.INTER_CUBIC)
        edge = 2 * 256 // cells
        total += wide[edge : edge + 256, edge : edge + 256]
    ranks = total.ravel().argsort().argsort().reshape(256, 256)
    return np.asarray(ranks / ranks.max(), np.float32)


def _noise_at(points: Array, rng: Rng) -> Array:
    """Noise at places in space, (n, 3) -> (n,): the flat noise laid through space along two slanting axes."""
    way = rng.normal(size=(3, 2)).astype(np.float32) * 32
    where = points @ way + rng.uniform(0, 256, 2).astype(np.float32)
    return _sample(_noise(), where[:, 0], where[:, 1], cv2.BORDER_WRAP)


def _sample(picture: Array, x: Array, y: Array, border: int = cv2.BORDER_REPLICATE) -> Array:
    """A picture at places (n,), (n,); remap takes no more than 32767 in a row."""
    rows = -(-len(x) // 128)
    full = np.zeros((2, rows * 128), np.float32)
    full[0, : len(x)], full[1, : len(y)] = x, y
    out = cv2.remap(
        picture, full[0].reshape(rows, 128), full[1].reshape(rows, 128), cv2.INTER_LINEAR, borderMode=border
    )
    return np.asarray(out.reshape(rows * 128, -1)[: len(x)].squeeze(-1 if out.ndim == 2 else ()), np.float32)


def _glyph(value: int, rng: Rng) -> NDArray[np.uint8]:
    """A number as it stands on a cube's face, any of its four ways up."""
    text = str(value)
    font = int(
        rng.choice(
            [
                cv2.FONT_HERSHEY_DUPLEX,
                cv2.FONT_HERSHEY_SIMPLEX,
                cv2.FONT_HERSHEY_TRIPLEX,
                cv2.FONT_HERSHEY_COMPLEX,
            ]
        )
    )
    face = np.zeros((4 * _SIDE, 4 * _SIDE), np.uint8)
    thick = int(rng.integers(6, 20))
    wide = rng.uniform(0.45, 0.7) if len(text) == 2 else rng.uniform(0.28, 0.45)
    (w, h), _ = cv2.getTextSize(text, font, 5.0, thick)
    glyph = np.zeros((h + 40, w + 40), np.uint8)
    cv2.putText(glyph, text, (20, h + 18), font, 5.0, 255, thick, cv2.LINE_AA)
    width = max(8, round(wide * 4 * _SIDE))
    height = max(8, min(round(0.62 * 4 * _SIDE), round(rng.uniform(0.32, 0.55) * 4 * _SIDE)))
    glyph = np.asarray(cv2.resize(glyph, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    left, top = (4 * _SIDE - width) // 2, (4 * _SIDE - height) // 2
    face[top : top + height, left : left + width] = glyph
    if rng.random() < 0.12:  # a ring or a square around it
        if rng.random() < 0.5:
            cv2.circle(face, (2 * _SIDE, 2 * _SIDE), round(1.75 * _SIDE), 255, int(rng.integers(3, 8)))
        else:
            cv2.rectangle(face, (30, 30), (4 * _SIDE - 30, 4 * _SIDE - 30), 255, int(rng.integers(3, 8)))
    turned = np.rot90(face, int(rng.integers(4)))
    return np.asarray(
        cv2.resize(np.ascontiguousarray(turned), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), np.uint8
    )


def _faces(style: DieStyle, rng: Rng) -> Array:
    """The paint of the six faces, values 1-6 from left to right: float32 (64, 384), 1 where painted."""
    atlas = np.zeros((_SIDE, 6 * _SIDE), np.uint8)
    for value in range(1, 7):
        face = atlas[:, (value - 1) * _SIDE : value * _SIDE]
        if style.blank:
            continue
        if style.numerals:
            face[:] = _glyph(2**value, rng)
            continue
        paint = np.zeros((_SIDE, _SIDE), np.uint8)
        radius = style.one_radius if value == 1 else style.pip_radius
        for x, y in PIPS[value]:
            middle = (np.array([x, y]) * style.spacing + 0.5) * _SIDE - 0.5
            at = [round(float(v) * 16) for v in middle]
            cv2.circle(paint, at, round(radius * _SIDE * 16), 255, -1, cv2.LINE_AA, 4)
            if style.ring:
                cv2.circle(paint, at, round(0.5 * radius * _SIDE * 16), 0, -1, cv2.LINE_AA, 4)
        face[:] = paint[:, ::-1] if rng.random() < 0.5 else paint
    return np.asarray(atlas, np.float32) / np.float32(255)


def _smooth(low: float, high: float, value: Array) -> Array:
    t = np.clip((value - np.float32(low)) / np.float32(max(1e-6, high - low)), 0, 1).astype(np.float32)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def _linear(colour: ArrayLike) -> Array:
    return np.asarray((np.asarray(colour, np.float32) / 255) ** np.float32(2.2), np.float32)


def draw_die(
    canvas: Image,
    rng: Rng,
    style: DieStyle,
    pose: Pose,
    centre: tuple[float, float],
    edge: float,
    light: Light,
    distance: float,
) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Draw a die on ``canvas`` (in place) and give its mask and its box, in the canvas' pixels.

    ``edge``: in pixels. ``distance``: of the camera, in edges. The mask is uint8 of the canvas' (height,
    width), 255 where the die is; the box also counts what lies beyond the canvas.
    """
    reach = int(np.ceil(edge * 0.88 / (1 - 0.88 / distance))) + 1
    left, top = round(centre[0]) - reach, round(centre[1]) - reach
    x = (np.arange(2 * reach + 1) + left - centre[0]).astype(np.float32) / np.float32(edge)
    y = (np.arange(2 * reach + 1) + top - centre[1]).astype(np.float32) / np.float32(edge)
    axes = pose.axes.astype(np.float32)
    down, across = np.meshgrid(y, x, indexing="ij")
    ray = np.stack([across, down, np.full_like(down, -distance)], axis=-1).reshape(-1, 3)
    ray /= _lengths(ray)[:, None]
    eye = (axes @ np.array([0, 0, distance], np.float32)).astype(np.float32)
    ray = ray @ axes.T
    near = _meet(ray, eye, style)
    hit = near > 0
    mask = np.zeros(canvas.shape[:2], np.uint8)
    shape = (len(y), len(x))
    rows, columns = np.nonzero(hit.reshape(shape))
    if not len(rows):
        return mask, (centre[0], centre[1], centre[0], centre[1])
    box = (
        float(columns.min() + left) - 0.5,
        float(rows.min() + top) - 0.5,
        float(columns.max() + left) + 0.5,
        float(rows.max() + top) + 0.5,
    )
    high, wide = canvas.shape[:2]
    on = (rows + top >= 0) & (rows + top < high) & (columns + left >= 0) & (columns + left < wide)
    if not on.any():
        return mask, box
    at = (rows[on] + top, columns[on] + left)
    ray = ray[hit][on]
    place = eye + near[hit][on, None] * ray
    paint = _shade(style, pose, light, rng, canvas, at, ray, place, edge)
    canvas[at] = np.clip(paint ** np.float32(1 / 2.2) * 255, 0, 255).astype(np.uint8)
    mask[at] = 255
    return mask, box


def _meet(ray: Array, eye: Array, style: DieStyle) -> Array:
    """How far along each ray the die is met; 0 where it is not. Sphere tracing (Hart 1996)."""
    middle = -(ray @ eye)
    aside = np.maximum(0, eye @ eye - middle * middle)
    some = np.flatnonzero(aside < 0.87**2)
    far = np.maximum(0.0, middle[some] - np.sqrt(0.87**2 - aside[some])).astype(np.float32)
    ways = [np.ascontiguousarray(ray[some, k]) for k in range(3)]
    inset = np.float32(0.5 - style.radius)
    for _ in range(14):
        square, most, round_ = np.float32(0), np.float32(-1), np.float32(0)
        for start, way in zip(eye, ways, strict=True):
            p = start + far * way
            q = np.abs(p) - inset
            most = np.maximum(most, q)
            out = np.maximum(q, 0)
            square = square + out * out
            round_ = round_ + p * p
        gap = np.sqrt(square) + np.minimum(most, 0) - np.float32(style.radius)
        if style.ball < 0.87:
            gap = np.maximum(gap, np.sqrt(round_) - np.float32(style.ball))
        far += gap
    near = np.zeros(len(ray), np.float32)
    near[some] = np.where(gap < 0.006, far, 0)
    return near


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", a, b), np.float32)


def _lengths(a: Array) -> Array:
    return np.asarray(np.sqrt(_dot(a, a)), np.float32)


def _shade(
    style: DieStyle,
    pose: Pose,
    light: Light,
    rng: Rng,
    canvas: Image,
    at: tuple[NDArray[np.intp], NDArray[np.intp]],
    ray: Array,
    place: Array,
    edge: float,
) -> Array:
    """The linear colour (n, 3) of the places of a die that are seen at pixels ``at`` of the canvas."""
    axes = pose.axes.astype(np.float32)
    q = np.abs(place) - np.float32(0.5 - style.radius)
    out = np.maximum(q, 1e-4)
    normal = np.sign(place) * out
    if style.ball < 0.87:
        length = _lengths(place)
        round_ = _smooth(style.ball - 0.03, style.ball, length)[:, None]
        normal /= _lengths(normal)[:, None]
        normal = normal * (1 - round_) + place / length[:, None] * round_
    normal /= _lengths(normal)[:, None]

    atlas = _faces(style, rng)
    axis, column, row = _on_face(pose, place)
    painted = _sample(atlas, column, row)
    if style.depth and not style.blank:
        hollow = cv2.GaussianBlur(atlas, (0, 0), 1.6)
        slope_x = _sample(np.asarray(cv2.Sobel(hollow, cv2.CV_32F, 1, 0, ksize=3), np.float32), column, row)
        slope_y = _sample(np.asarray(cv2.Sobel(hollow, cv2.CV_32F, 0, 1, ksize=3), np.float32), column, row)
        which = np.arange(len(place))
        normal[which, (axis + 1) % 3] += np.float32(style.depth) * slope_x
        normal[which, (axis + 2) % 3] += np.float32(style.depth) * slope_y
        normal /= _lengths(normal)[:, None]

    body = np.broadcast_to(_linear(style.body), place.shape).copy()
    if style.marble:
        grain = np.array(style.grain, np.float32)
        soft = float(rng.uniform(0.03, 0.4))
        veins = _smooth(0.5 - soft, 0.5 + soft, _noise_at(place * grain, rng))[:, None] * np.float32(
            style.marble
        )
        body = body * (1 - veins) + _linear(style.second) * veins
    is_one = (column // _SIDE).astype(int) == 0
    ink = np.where(is_one[:, None], _linear(style.one), _linear(style.pips))
    albedo = body * (1 - painted[:, None]) + ink * painted[:, None]

    up, lamp = (axes @ v.astype(np.float32) for v in (light.up, light.lamp))
    foot = np.float32(np.abs(axes @ light.up).sum() / 2)
    height = place @ up + foot
    shut = 0.5 + 0.5 * _smooth(0, 0.7, height)  # less light reaches what is near the ground
    open_ = 1 - np.float32(0.5) * (1 - _smooth(-0.4, 0.9, normal @ up))
    glow = light.ambient * open_ * shut + light.strength * np.maximum(0, normal @ lamp)
    tint = np.array(light.tint, np.float32)
    linear = albedo * glow[:, None] * tint
    ground = _linear(canvas[at].mean(axis=0))
    linear += (
        albedo
        * ground
        * (np.float32(0.35 * (light.ambient + light.strength)) * np.maximum(0, -(normal @ up)))[:, None]
    )

    if style.clear:
        through = _through(style, pose, atlas, canvas, at, ray, place, normal @ axes, edge)
        far_side = 0.6 + 0.9 * np.clip(0.3 - place @ lamp, 0, 1)
        share = np.float32(style.clear) * (1 - painted[:, None]) * np.float32(0.85)
        linear = linear * (1 - share) + through * far_side[:, None] * share

    back = ray - 2 * _dot(ray, normal)[:, None] * normal
    facing = np.clip(-_dot(ray, normal), 0, 1)
    mirror = np.float32(0.04) + np.float32(0.96) * (1 - facing) ** 5
    rough = 0.02 + 0.55 * (1 - style.gloss)
    sky = light.ambient * (0.25 + 0.55 * _smooth(-0.3, 0.6, back @ up))
    for away, half, strength in light.windows:
        met = back @ (axes @ away.astype(np.float32))
        spread = (half / (half + 0.7 * rough)) ** 2
        sky = sky + np.float32(strength * spread) * _smooth(np.cos(half + rough), np.cos(0.8 * half), met)
    linear += (mirror * sky * np.float32(0.25 + 0.75 * style.gloss))[:, None] * tint
    return np.clip(linear, 0, 1)


def _on_face(pose: Pose, place: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """The axis of the face on which each place lies, and column and row in the atlas of faces."""
    axis = _largest(np.abs(place))
    which = np.arange(len(place))
    ahead = place[which, axis] > 0
    values = np.array(pose.values)[axis]
    values = np.where(ahead, values, 7 - values)
    u, v = place[which, (axis + 1) % 3], place[which, (axis + 2) % 3]
    # Seen from without, first axis x second axis must point outwards, or numerals are mirrored.
    turned = np.where(ahead, 1, -1) * np.sign(np.linalg.det(pose.axes))
    u = u * turned
    limit = np.float32(0.495)
    column = (np.clip(u, -limit, limit) + values - 0.5) * _SIDE - 0.5
    row = (np.clip(v, -limit, limit) + 0.5) * _SIDE - 0.5
    return axis, column.astype(np.float32), row.astype(np.float32)


def _largest(a: Array) -> NDArray[np.intp]:
    """The column of the largest of three numbers in each row."""
    two = (a[:, 1] > a[:, 0]).astype(np.intp)
    return np.where(a[:, 2] > np.maximum(a[:, 0], a[:, 1]), 2, two)


def _through(
    style: DieStyle,
    pose: Pose,
    atlas: Array,
    canvas: Image,
    at: tuple[NDArray[np.intp], NDArray[np.intp]],
    ray: Array,
    place: Array,
    normal: Array,
    edge: float,
) -> Array:
    """What is seen through a clear die: the ground, bent, tinged, and the pips of the far faces."""
    inner = ray - np.float32(0.35) * np.sign(place) * (np.abs(place) > 0.4)  # bent towards the normal
    with np.errstate(divide="ignore"):
        leave = np.where(inner > 0, 0.5 - place, -0.5 - place) / np.where(np.abs(inner) < 1e-6, 1e-6, inner)
    far = np.minimum(np.minimum(leave[:, 0], leave[:, 1]), leave[:, 2])
    exit_ = place + np.maximum(0, far)[:, None] * inner
    _, column, row = _on_face(pose, exit_)
    pips = _sample(atlas, column, row)[:, None] * np.float32(0.75)
    bend = np.float32(0.35 * edge)
    x = np.clip(at[1] - normal[:, 0] * bend, 0, canvas.shape[1] - 1).astype(int)
    y = np.clip(at[0] - normal[:, 1] * bend, 0, canvas.shape[0] - 1).astype(int)
    body = _linear(style.body)
    tint = body / max(0.05, float(body.max()))
    behind = _linear(canvas[y, x]) * tint * np.float32(0.75) + np.float32(0.3) * body
    seen = behind * (1 - pips) + _linear(style.pips) * pips * (0.4 + 0.6 * tint)
    return np.asarray(seen, np.float32)
