"""Painting: from checkers, dice, hands and a cup in the world to a picture.

All moving things are *patches*: small premultiplied pictures that are laid over the frame with two
saturating uint8 operations. Whatever lies still is painted once and kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from hardware.camera import Image
from hardware.table import scene
from hardware.table.scene import DIE, FIELD_X, FIELD_Y, LIGHT, RADIUS, RIM_HEIGHT, THICK, Checker, Die, Lens
from hardware.table.styles import BGR, Floats, Style, noise, texture, tint

_CIRCLE = np.linspace(0, 2 * math.pi, 40, endpoint=False)
_RING = np.column_stack([np.cos(_CIRCLE), np.sin(_CIRCLE)])
_AMBIENT = 0.42
_LOOKS = 5  #: different grains of checkers of one colour


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A piece laid over a picture at ``x, y``.

    What is below is scaled by ``keep`` / 255, then ``add`` is added. Both are uint8 of shape
    (h, w, 3); ``add`` is ``None`` for a shadow.
    """

    x: int
    y: int
    keep: Image
    add: Image | None

    def paint(self, image: Image) -> None:
        """Lay it over ``image`` in place, cut off at its edges."""
        h, w = self.keep.shape[:2]
        x0, y0 = max(0, -self.x), max(0, -self.y)
        x1, y1 = min(w, image.shape[1] - self.x), min(h, image.shape[0] - self.y)
        if x0 >= x1 or y0 >= y1:
            return
        below = image[self.y + y0 : self.y + y1, self.x + x0 : self.x + x1]
        cv2.multiply(below, self.keep[y0:y1, x0:x1], dst=below, scale=1 / 255)
        if self.add is not None:
            cv2.add(below, self.add[y0:y1, x0:x1], dst=below)


def lit(normal: Sequence[float] | scene.Vector) -> float:
    """Brightness of a matt surface, 1 for one that lies flat."""
    return _AMBIENT + (1 - _AMBIENT) * max(0.0, float(np.dot(normal, LIGHT))) / float(LIGHT[2])


def _shade(colour: Sequence[float], light: float) -> tuple[float, float, float]:
    b, g, r = (min(255.0, c * light) for c in colour[:3])
    return b, g, r


class _Canvas:
    """A small supersampled RGBA picture (premultiplied) somewhere over the frame."""

    def __init__(self, lens: Lens, points: scene.Vector, margin: float, ss: int) -> None:
        pixels = lens.project(points)
        low = np.floor(pixels.min(0) - margin).astype(int)
        high = np.ceil(pixels.max(0) + margin).astype(int)
        self.lens, self.ss = lens, ss
        self.x, self.y = int(low[0]), int(low[1])
        self.w, self.h = int(high[0] - low[0]), int(high[1] - low[1])
        self.rgba = np.zeros((self.h * ss, self.w * ss, 4), np.uint8)

    def at(self, points: object) -> scene.Vector:
        """Canvas pixels of world points."""
        return (self.lens.project(points) - (self.x, self.y)) * self.ss - 0.5  # type: ignore[arg-type]

    def fill(self, points: object, colour: Sequence[float]) -> None:
        """A convex polygon of world points in one colour."""
        corners = np.round(self.at(points) * 16).astype(np.int32)
        cv2.fillConvexPoly(self.rgba, corners, (*_shade(colour, 1), 255), cv2.LINE_AA, 4)

    def over(self, picture: Image, quad: object) -> None:
        """Lay a premultiplied RGBA picture over the canvas, its corners at four world points."""
        h, w = picture.shape[:2]
        source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(source, self.at(quad).astype(np.float32))
        warped = cv2.warpPerspective(picture, matrix, (self.rgba.shape[1], self.rgba.shape[0]))
        keep = cv2.cvtColor(255 - warped[..., 3], cv2.COLOR_GRAY2BGRA)
        keep[..., 3] = keep[..., 0]
        cv2.multiply(self.rgba, keep, dst=self.rgba, scale=1 / 255)
        cv2.add(self.rgba, warped, dst=self.rgba)

    def small(self) -> Image:
        """The canvas in the frame's resolution."""
        return cv2.resize(self.rgba, (self.w, self.h), interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _patch(x: int, y: int, rgba: Image, cover: Image | None = None) -> Patch:
    """A patch of a premultiplied picture; ``cover`` (0-255) hides parts of it."""
    if cover is not None:
        rgba = cv2.multiply(rgba, cv2.merge([cover] * 4), scale=1 / 255)  # type: ignore[assignment]
    keep = cv2.cvtColor(255 - rgba[..., 3], cv2.COLOR_GRAY2BGR)
    return Patch(x, y, keep, np.ascontiguousarray(rgba[..., :3]))  # type: ignore[arg-type]


def _shadow(lens: Lens, outline: scene.Vector, ground: float, blur: float, strength: float) -> Patch:
    """The soft shadow that a convex ``outline`` (n, 2) throws on the plane at height ``ground``."""
    points = np.column_stack([outline, np.full(len(outline), ground)])
    sigma = max(0.5, blur * lens.scale)
    canvas = _Canvas(lens, points, 3 * sigma + 2, 1)
    mask = np.zeros((canvas.h, canvas.w), np.uint8)
    cv2.fillConvexPoly(mask, np.round(canvas.at(points) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    mask = cv2.GaussianBlur(mask, (0, 0), sigma)  # type: ignore[assignment]
    keep = cv2.convertScaleAbs(mask, alpha=-strength, beta=0)
    return Patch(canvas.x, canvas.y, cv2.cvtColor(255 - keep, cv2.COLOR_GRAY2BGR), None)  # type: ignore[arg-type]


def _thrown(outline: scene.Vector, height: float) -> scene.Vector:
    """Where the light throws an outline from ``height`` above the ground."""
    return np.asarray(outline - height * LIGHT[:2] / LIGHT[2], np.float64)


def _hull(points: scene.Vector) -> scene.Vector:
    """Convex hull of points of shape (n, 2)."""
    return np.asarray(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2), np.float64)


# --- the bare table ---------------------------------------------------------------------------


def bare_table(lens: Lens, style: Style, rng: np.random.Generator) -> tuple[Image, Image]:
    """The table with an empty board, and the mask (0-255) of what stands at the height of the rim."""
    ss = 2
    width, height = lens.size
    zoom = np.diag([ss, ss, 1.0])
    scale = lens.scale * 1.6
    canvas_size = (width * ss, height * ss)
    canvas = np.zeros((*canvas_size[::-1], 3), np.uint8)

    def to_canvas(z: float, x0: float, y0: float) -> scene.Vector:
        place = np.array([[1 / scale, 0, x0], [0, 1 / scale, y0], [0, 0, 1]])
        return np.asarray(zoom @ lens.plane(z) @ place, np.float64)

    def lay(picture: Image, z: float, x0: float, y0: float) -> None:
        """Paint a picture, its corner at x0, y0, on the plane at height z."""
        matrix = to_canvas(z, x0, y0)
        cv2.warpPerspective(picture, matrix, canvas_size, dst=canvas, borderMode=cv2.BORDER_TRANSPARENT)

    def wall(a: tuple[float, float], b: tuple[float, float], z0: float, z1: float) -> None:
        """An upright quad, seen from its right-hand side when going from a to b."""
        normal = np.array([a[1] - b[1], b[0] - a[0], 0.0])
        normal /= np.linalg.norm(normal)
        if np.dot(lens.centre - np.array([*a, z1]), normal) <= 0:
            return
        quad = lens.project([(*a, z0), (*b, z0), (*b, z1), (*a, z1)]) * ss
        colour = _shade(style.frame, 0.85 * lit(normal))
        cv2.fillConvexPoly(canvas, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4)

    # Cloth, with the shadow of the board on it.
    reach_x, reach_y = (float(r) + 1 for r in lens.reach(scene.TABLE))
    shape = (round(2 * reach_y * scale), round(2 * reach_x * scale))
    cloth = texture("cloth", style.cloth, shape, scale, rng)
    (x0, x1), y1 = scene.OUTER_X, scene.OUTER_Y
    box = np.array([[x0, -y1], [x1, -y1], [x1, y1], [x0, y1]])
    dim = np.full((shape[0] // 4 + 1, shape[1] // 4 + 1), 255, np.uint8)
    thrown = _thrown(box, RIM_HEIGHT - scene.TABLE) + np.array([reach_x, reach_y])
    cv2.fillConvexPoly(dim, np.round(thrown * scale / 4).astype(np.int32), 115)
    dim = cv2.resize(cv2.GaussianBlur(dim, (0, 0), 0.7 * scale / 4), shape[::-1])  # type: ignore[assignment]
    cv2.multiply(cloth, cv2.merge([dim] * 3), dst=cloth, scale=1 / 255)
    lay(cloth, scene.TABLE, -reach_x, -reach_y)
    for i in range(4):
        a, b = box[i], box[(i + 1) % 4]
        wall((b[0], b[1]), (a[0], a[1]), scene.TABLE, RIM_HEIGHT)

    lay(_field_texture(style, scale, rng), 0, -FIELD_X, -FIELD_Y)
    tray = (round(2 * FIELD_Y * scale), round((scene.TRAY_X[1] - scene.TRAY_X[0]) * scale))
    floor = texture(style.surface, style.ground, tray, scale, rng)
    lay((floor * _edge_shade(tray, scale)).astype(np.uint8), 0, scene.TRAY_X[0], -FIELD_Y)

    bar, divider = scene.BAR_WIDTH / 2, scene.TRAY_DIVIDER
    holes = [
        (-FIELD_X, -bar, -FIELD_Y, FIELD_Y),
        (bar, FIELD_X, -FIELD_Y, FIELD_Y),
        (*scene.TRAY_X, -FIELD_Y, -divider),
        (*scene.TRAY_X, divider, FIELD_Y),
    ]
    for left, right, top, bottom in holes:
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for a2, b2 in zip(corners, corners[1:] + corners[:1], strict=True):
            wall(a2, b2, 0, RIM_HEIGHT)

    rim, alpha = _rim_texture(style, scale, holes, rng)
    matrix = to_canvas(RIM_HEIGHT, x0, -y1)
    mask = cv2.warpPerspective(alpha, matrix, canvas_size)
    faces = cv2.warpPerspective(rim, matrix, canvas_size, borderMode=cv2.BORDER_REPLICATE)
    cv2.multiply(canvas, cv2.merge([255 - mask] * 3), dst=canvas, scale=1 / 255)
    cv2.add(canvas, cv2.multiply(faces, cv2.merge([mask] * 3), scale=1 / 255), dst=canvas)
    small = cv2.resize(canvas, lens.size, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(mask, lens.size, interpolation=cv2.INTER_AREA)
    return small, cover  # type: ignore[return-value]


def _edge_shade(shape: tuple[int, int], scale: float) -> Floats:
    """Shadow that the frame throws into a sunken field, as a factor of shape (h, w, 1)."""
    y, x = (np.arange(n, dtype=np.float32) / np.float32(scale) for n in shape)
    y = y[:, None]
    w, h = shape[1] / scale, shape[0] / scale
    reach = RIM_HEIGHT / LIGHT[2] * np.abs(LIGHT[:2])
    soft = 0.25
    lamp = 1 / (1 + np.exp((x - reach[0]) / soft)) + 1 / (1 + np.exp((y - reach[1]) / soft))
    near = np.exp(-x) + np.exp(-y) + np.exp(-(w - x)) + np.exp(-(h - y))
    return np.asarray(np.clip(1 - 0.3 * np.minimum(lamp, 1) - 0.12 * near, 0.3, 1)[..., None], np.float32)


def _field_texture(style: Style, scale: float, rng: np.random.Generator) -> Image:
    shape = (round(2 * FIELD_Y * scale), round(2 * FIELD_X * scale))
    ground = texture(style.surface, style.ground, shape, scale, rng)
    for which, colour in enumerate(style.points):
        mask = np.zeros(shape, np.uint8)
        for slot in range(24):
            if (slot + (slot >= 12)) % 2 != which:
                continue
            x = scene.slot_x(slot) + FIELD_X
            edge, tip = (
                (2 * FIELD_Y, 2 * FIELD_Y - scene.POINT_LENGTH) if slot >= 12 else (0, scene.POINT_LENGTH)
            )
            half = scene.POINT / 2 - 0.12
            corners = np.array([[x - half, edge], [x + half, edge], [x, tip]]) * scale
            cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
            if style.outline is not None:
                thick = max(1, round(0.12 * scale))
                lines = np.round(corners[[0, 2, 1]] * 16).astype(np.int32)
                cv2.polylines(ground, [lines], False, style.outline, 2 * thick, cv2.LINE_AA, 4)
        grain = texture(style.surface, colour, (shape[1], shape[0]), scale, rng).transpose(1, 0, 2)
        cover = mask[..., None].astype(np.float32) / 255
        ground = (ground * (1 - cover) + grain * cover).astype(np.uint8)
    half_shape = (shape[0], round((FIELD_X - scene.BAR_WIDTH / 2) * scale))
    shade = np.ones((*shape, 1), np.float32)
    part = _edge_shade(half_shape, scale)
    shade[:, : half_shape[1]] = part
    shade[:, -half_shape[1] :] = part
    return (ground * shade).astype(np.uint8)


def _rim_texture(
    style: Style, scale: float, holes: list[tuple[float, float, float, float]], rng: np.random.Generator
) -> tuple[Image, Image]:
    """The upper faces of frame, bar and tray with their alpha (0-255)."""
    (x0, x1), y1 = scene.OUTER_X, scene.OUTER_Y
    shape = (round(2 * y1 * scale), round((x1 - x0) * scale))
    mask = np.full(shape, 255, np.uint8)
    for left, right, top, bottom in holes:
        a = (round((left - x0) * scale), round((top + y1) * scale))
        b = (round((right - x0) * scale), round((bottom + y1) * scale))
        cv2.rectangle(mask, a, b, 0, cv2.FILLED)
    across = texture("wood", style.frame, shape, scale, rng)
    upright = texture("wood", style.frame, (shape[1], shape[0]), scale, rng).transpose(1, 0, 2)
    rim = across.copy()
    inner = round(scene.RIM * scale)
    rim[inner:-inner] = upright[inner:-inner]
    # Rounded edges: a slope within a few millimetres of each edge, lit from the lamp.
    padded = cv2.copyMakeBorder(mask, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=0)
    depth = np.minimum(cv2.distanceTransform(padded, cv2.DIST_L2, 3)[2:-2, 2:-2] / scale, 0.45)
    depth = cv2.GaussianBlur(depth, (0, 0), 0.08 * scale)
    gy, gx = np.gradient(depth * scale)
    value = 0.45 * (-gx * LIGHT[0] - gy * LIGHT[1]) / LIGHT[2]
    # gradient points inwards; a face that falls towards the lamp is the brighter one
    light = np.clip(1 - value, 0.4, 1.6)[..., None]
    rim = np.clip(rim * light, 0, 255).astype(np.uint8)
    return rim, mask


# --- checkers ---------------------------------------------------------------------------------


def _checker_top(colour: BGR, rng: np.random.Generator) -> Image:
    """Upper face of a checker with a turned groove and a rounded rim, premultiplied RGBA."""
    n = 144
    y, x = (np.mgrid[0:n, 0:n].astype(np.float32) + 0.5) / (n / 2) - 1
    r = np.hypot(x, y)
    slope = np.zeros_like(r)
    slope -= 0.55 * np.exp(-(((r - 0.64) / 0.035) ** 2))
    slope += 0.55 * np.exp(-(((r - 0.74) / 0.035) ** 2))
    slope -= 1.6 * np.clip((r - 0.88) / 0.12, 0, 1) ** 1.5
    nx, ny = -slope * x / (r + 1e-6), -slope * y / (r + 1e-6)
    size = np.sqrt(nx**2 + ny**2 + 1)
    light = (nx * LIGHT[0] + ny * LIGHT[1] + LIGHT[2]) / size
    half = LIGHT + np.array([0, 0, 1.0])
    half /= np.linalg.norm(half)
    gloss = np.clip((nx * half[0] + ny * half[1] + half[2]) / size, 0, 1) ** 60
    value = _AMBIENT + (1 - _AMBIENT) * np.clip(light, 0, None) / LIGHT[2] - 1
    value = (
        value + 0.03 * noise(rng, (n, n), (3, 30)) + 0.02 * noise(rng, (n, n), (2, 2)) + 0.03 * rng.normal()
    )
    face = tint(colour, value.astype(np.float32)).astype(np.float32) + 22 * gloss[..., None]
    alpha = np.clip((1 - r) * n / 2, 0, 1)[..., None]
    return np.dstack([np.clip(face, 0, 255) * alpha, 255 * alpha]).astype(np.uint8)


class CheckerPainter:
    """Makes and keeps the patches of checkers that lie on the table."""

    def __init__(self, lens: Lens, colours: tuple[BGR, BGR], cover: Image, rng: np.random.Generator) -> None:
        self._lens, self._colours, self._cover = lens, colours, cover
        self._tops = [[_checker_top(colour, rng) for _ in range(_LOOKS)] for colour in colours]
        self._kept: dict[Checker, tuple[Patch, Patch]] = {}

    def paint(self, image: Image, checkers: Iterable[Checker]) -> None:
        """Paint all checkers that lie on the table, the lower ones first, the farther ones first."""
        lying = sorted(checkers, key=lambda c: (c.z, -self._far(c)))
        kept = {c: self._kept.get(c) or (self.shadow(c, c.z), self.body(c)) for c in lying}
        self._kept = kept
        layer: list[Checker] = []
        for checker in lying:
            if layer and checker.z > layer[0].z + THICK / 2:
                self._paint_layer(image, layer)
                layer = []
            layer.append(checker)
        self._paint_layer(image, layer)

    def _paint_layer(self, image: Image, layer: list[Checker]) -> None:
        for part in (0, 1):
            for checker in layer:
                self._kept[checker][part].paint(image)

    def _far(self, checker: Checker) -> float:
        return float(self._lens.depth([(checker.x, checker.y, checker.z)])[0])

    def shadow(self, checker: Checker, ground: float) -> Patch:
        """The shadow of a checker on the plane at height ``ground``."""
        height = checker.z - ground
        outline = _RING * RADIUS * 1.02 + (checker.x, checker.y)
        hull = np.vstack([_thrown(outline, height), _thrown(outline, height + THICK)])
        hull = _hull(hull)
        return _shadow(self._lens, hull, ground, 0.18 + 0.12 * height, 0.5 / (1 + 0.12 * height))

    def body(self, checker: Checker) -> Patch:
        """The checker itself."""
        ring = np.column_stack([_RING * RADIUS + (checker.x, checker.y), np.full(len(_RING), checker.z)])
        upper = ring + np.array([0, 0, THICK])
        canvas = _Canvas(self._lens, np.vstack([ring, upper]), 2, 4)
        colour = self._colours[checker.dark]
        view = self._lens.centre - np.array([checker.x, checker.y, checker.z])
        for i in range(len(ring)):
            j = (i + 1) % len(ring)
            normal = np.array([*(_RING[i] + _RING[j]) / 2, 0.0])
            if normal @ view > -0.05 * np.linalg.norm(view):
                side = _shade(colour, 0.92 * lit(normal))
                canvas.fill([ring[i], ring[j], upper[j], upper[i]], side)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * RADIUS + (checker.x, checker.y)
        quad = np.column_stack([corners, np.full(4, checker.z + THICK)])
        canvas.over(self._tops[checker.dark][checker.look % _LOOKS], quad)
        cover = None
        if checker.z < THICK / 2:  # the near rim hides the foot of a checker beside it
            cover = _cut(255 - self._cover, canvas.x, canvas.y, canvas.w, canvas.h)
        return _patch(canvas.x, canvas.y, canvas.small(), cover)


def _cut(image: Image, x: int, y: int, w: int, h: int) -> Image:
    """A part of a one-channel picture, white outside of it."""
    out = np.full((h, w), 255, np.uint8)
    x0, y0, x1, y1 = max(0, x), max(0, y), min(image.shape[1], x + w), min(image.shape[0], y + h)
    if x0 < x1 and y0 < y1:
        out[y0 - y : y1 - y, x0 - x : x1 - x] = image[y0:y1, x0:x1]
    return out


# --- dice -------------------------------------------------------------------------------------

_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
_FACE = 96  #: pixels of a face texture
_ROUND = 0.17  #: radius of a die's edges, as a fraction of its size


def _die_face(value: int, body: BGR, pips: BGR) -> Image:
    """One face of a die, premultiplied RGBA: a rounded square with sunken pips."""
    n, big = _FACE, _FACE * 4
    face = np.zeros((big, big, 4), np.uint8)
    corner = int(0.16 * big)
    alpha = np.zeros((big, big), np.uint8)
    cv2.rectangle(alpha, (corner, 0), (big - corner, big), 255, cv2.FILLED)
    cv2.rectangle(alpha, (0, corner), (big, big - corner), 255, cv2.FILLED)
    for cx in (corner, big - corner):
        for cy in (corner, big - corner):
            cv2.circle(alpha, (cx, cy), corner, 255, cv2.FILLED)
    face[..., :3] = body
    radius = 0.115 if value > 1 else 0.135
    for px, py in _PIPS[value]:
        centre = (round(big * (0.5 + 0.29 * px)), round(big * (0.5 + 0.29 * py)))
        cv2.circle(face, centre, round(big * radius), pips, cv2.FILLED, cv2.LINE_AA)
    face = cv2.multiply(face, cv2.merge([alpha] * 4), scale=1 / 255)  # type: ignore[assignment]
    face[..., 3] = alpha
    return cv2.resize(face, (n, n), interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


class DicePainter:
    """Makes the patches of dice."""

    def __init__(self, lens: Lens, body: BGR, pips: BGR) -> None:
        self._lens, self._colour = lens, body
        self._faces = [_die_face(value, body, pips) for value in range(1, 7)]

    def shadow(self, die: Die) -> Patch:
        """The shadow of a die on the ground below it."""
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * DIE / 2
        world = corners @ die.matrix.T + die.centre
        height = world[:, 2] - die.ground
        thrown = world[:, :2] - height[:, None] * LIGHT[:2] / LIGHT[2]
        hull = _hull(thrown)
        low = max(0.0, float(height.min()))
        return _shadow(self._lens, hull, die.ground, 0.16 + 0.12 * low, 0.52 / (1 + 0.15 * low))

    def body(self, poses: Sequence[Die], ss: int) -> Patch:
        """The die in one pose, or the mean of several: a picture blurred by its motion."""
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
        everywhere = np.vstack([(corners * DIE / 2) @ p.matrix.T + p.centre for p in poses])
        total: Floats | None = None
        for pose in poses:
            canvas = _Canvas(self._lens, everywhere, 2, ss)
            self._draw(canvas, pose, corners)
            small = canvas.small().astype(np.float32)
            total = small if total is None else total + small
        assert total is not None
        return _patch(canvas.x, canvas.y, np.round(total / len(poses)).astype(np.uint8))

    def _draw(self, canvas: _Canvas, die: Die, corners: scene.Vector) -> None:
        rotation = die.matrix
        inset = DIE * (0.5 - _ROUND)
        cores = (corners * inset) @ rotation.T + die.centre
        near = canvas.at(cores)
        radius = DIE * _ROUND * self._lens.scale * canvas.ss
        ring = _RING[::4] * radius
        hull = cv2.convexHull((near[:, None] + ring[None]).reshape(-1, 2).astype(np.float32))
        edge = np.round(hull.reshape(-1, 2) * 16).astype(np.int32)
        cv2.fillConvexPoly(canvas.rgba, edge, (*_shade(self._colour, 0.8), 255), cv2.LINE_AA, 4)
        view = self._lens.centre - np.array(die.centre)
        for value, normal in enumerate(scene.FACES, 1):
            n = np.array(normal, np.float64)
            facing = rotation @ n
            if facing @ (view - facing * DIE / 2) <= 0:
                continue
            u = np.array([n[1], n[2], n[0]])
            v = np.cross(n, u)
            flat = DIE * (0.5 - 0.45 * _ROUND)
            quad = [(n * DIE / 2 + (a * u + b * v) * flat) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            face = cv2.convertScaleAbs(self._faces[value - 1], alpha=min(1.12, lit(facing) * 1.02))
            face[..., 3] = self._faces[value - 1][..., 3]
            np.minimum(face, 255, out=face)
            canvas.over(face, np.array(quad) @ rotation.T + die.centre)  # type: ignore[arg-type]


# --- hands and the cup ------------------------------------------------------------------------

Grip = Literal["pinch", "fist"]
_HAND_SCALE = 12.0  #: pixels a centimetre of the textures of hands
_HAND_W, _HAND_H = 22.0, 92.0  #: centimetres that such a texture covers; the fingertips lie at _TIP
_TIP = (10.0, 2.0)

#: Limbs as (x0, y0, r0, x1, y1, r1) in centimetres from the fingertips, the arm towards +y.
_LIMBS: dict[Grip, tuple[tuple[float, ...], ...]] = {
    "pinch": (
        (0.2, 0.3, 0.72, 0.1, 2.8, 0.85),  # index
        (0.1, 2.8, 0.85, -0.9, 5.6, 0.95),
        (-0.9, 5.6, 0.95, -1.0, 9.4, 1.45),
        (1.7, 0.5, 0.74, 1.8, 3.2, 0.86),  # middle
        (1.8, 3.2, 0.86, 1.2, 6.0, 1.0),
        (1.2, 6.0, 1.0, 0.8, 9.4, 1.5),
        (3.3, 2.6, 0.75, 3.5, 4.6, 0.9),  # ring
        (3.5, 4.6, 0.9, 2.6, 9.6, 1.4),
        (4.7, 5.0, 0.66, 4.9, 6.6, 0.8),  # little
        (4.9, 6.6, 0.8, 3.8, 10.4, 1.3),
        (-1.3, 0.9, 0.8, -2.9, 3.4, 0.92),  # thumb
        (-2.9, 3.4, 0.92, -3.7, 6.4, 1.05),
        (-3.7, 6.4, 1.05, -1.8, 11.0, 1.8),
        (-0.8, 9.8, 2.3, 0.4, 13.6, 2.5),  # palm
        (2.2, 9.8, 2.1, 1.4, 13.6, 2.4),
        (0.9, 14.0, 2.7, 0.9, 19.0, 2.9),  # wrist
    ),
    "fist": (
        (-2.6, -0.2, 1.0, -1.2, 4.4, 1.3),
        (-0.6, -1.0, 1.0, 0.2, 4.2, 1.3),
        (1.5, -0.8, 1.0, 1.7, 4.6, 1.3),
        (3.3, 0.4, 0.9, 3.0, 5.2, 1.2),
        (-4.0, 2.2, 1.1, -2.2, 7.0, 1.6),
        (-0.9, 5.4, 2.4, 0.0, 9.2, 2.5),
        (1.9, 5.4, 2.2, 1.4, 9.2, 2.4),
        (0.9, 9.6, 2.7, 0.9, 15.0, 2.9),
    ),
}


def _capsule(y: Floats, x: Floats, limb: tuple[float, ...]) -> Floats:
    """Height of a round-ended, tapering limb over each pixel; negative outside of it."""
    x0, y0, r0, x1, y1, r1 = limb
    dx, dy = x1 - x0, y1 - y0
    along = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
    radius = r0 + (r1 - r0) * along
    gap = np.hypot(x - x0 - along * dx, y - y0 - along * dy)
    return np.asarray(
        np.where(gap < radius, np.sqrt(np.maximum(radius**2 - gap**2, 0)), radius - gap), np.float32
    )


def _hand_texture(grip: Grip, skin: BGR, sleeve: BGR, rng: np.random.Generator) -> Image:
    """A forearm with its hand from above, premultiplied RGBA, shaped by the light on round limbs."""
    s = _HAND_SCALE
    shape = (round(_HAND_H * s), round(_HAND_W * s))
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32) / np.float32(s)
    x, y = x - np.float32(_TIP[0]), y - np.float32(_TIP[1])
    height = np.full(shape, -9, np.float32)
    for limb in _LIMBS[grip]:
        reach = slice(0, round(24 * s))
        part = _capsule(y[reach], x[reach], limb)
        old = height[reach]
        # A smooth maximum: neighbouring limbs grow into one another without a crease.
        height[reach] = np.logaddexp(9 * np.maximum(old, -9), 9 * np.maximum(part, -9)) / 9
    start = max(limb[4] for limb in _LIMBS[grip]) - 2.0
    cuff = _capsule(y, x, (0.9, start + 4.4, 4.3, 1.5, _HAND_H + 5, 5.8))
    cuff = np.where(y > start + 2.4 + np.float32(0.2) * np.sin(x * 2), cuff, -9).astype(np.float32)
    is_sleeve = (cuff > 0) | (cuff > height)
    folds = noise(rng, shape, (2.6 * s, 5 * s)) * 0.3 + noise(rng, shape, (0.8 * s, 3 * s)) * 0.08
    solid = np.where(is_sleeve, cuff + folds, height)
    solid = np.asarray(cv2.GaussianBlur(solid, (0, 0), 0.12 * s), np.float32)
    gy, gx = np.gradient(np.clip(solid, -0.3, None) * s)
    size = np.sqrt(gx**2 + gy**2 + 1)
    light = np.clip((-gx * LIGHT[0] - gy * LIGHT[1] + LIGHT[2]) / size, 0, None) / LIGHT[2]
    value = _AMBIENT + (1 - _AMBIENT) * light - 1
    grain = noise(rng, shape, (2, 2)) * 0.02 + noise(rng, shape, (1.6 * s, 1.6 * s)) * 0.025
    face = np.where(is_sleeve[..., None], tint(sleeve, value + grain), tint(skin, 0.8 * value + grain))
    red = np.where(is_sleeve, 0, np.clip(0.9 - light, 0, 1) * 26).astype(np.float32)
    picture = face.astype(np.float32)
    picture[..., 2] += red
    alpha = np.clip((np.maximum(height, cuff)) * s * 0.8 + 0.5, 0, 1)[..., None]
    return np.dstack([np.clip(picture, 0, 255) * alpha, 255 * alpha]).astype(np.uint8)


class HandPainter:
    """Paints the arm of a player, reaching in from his seat."""

    def __init__(self, lens: Lens, skin: BGR, sleeve: BGR, rng: np.random.Generator) -> None:
        self._lens = lens
        self._hands = {grip: _hand_texture(grip, skin, sleeve, rng) for grip in _LIMBS}
        self._shadows: dict[Grip, Image] = {}
        for grip, hand in self._hands.items():
            small = cv2.resize(hand[..., 3], None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
            self._shadows[grip] = cv2.GaussianBlur(small, (0, 0), 3.2)  # type: ignore[assignment]

    def paint(
        self,
        image: Image,
        grip: Grip,
        tip: tuple[float, float],
        shoulder: tuple[float, float],
        height: float,
        smear: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Paint the hand with its fingertips above ``tip``; ``smear`` is its motion in pixels."""
        angle = math.atan2(shoulder[0] - tip[0], shoulder[1] - tip[1])
        # The texture's +y has to point from the fingertips to the shoulder.
        c, s = math.cos(angle), math.sin(angle)
        rotate = np.array([[c, s, tip[0]], [-s, c, tip[1]], [0, 0, 1]])
        place = rotate @ np.array([[1, 0, -_TIP[0]], [0, 1, -_TIP[1]], [0, 0, 1.0]])
        away = height * LIGHT[:2] / LIGHT[2]
        moved = np.array([[1, 0, -away[0]], [0, 1, -away[1]], [0, 0, 1]])
        dark = self._warp(self._shadows[grip], moved @ place, 0.3, 0.25)
        if dark is not None:
            x, y, mask = dark
            keep = 255 - cv2.convertScaleAbs(mask, alpha=0.42)
            Patch(x, y, cv2.cvtColor(keep, cv2.COLOR_GRAY2BGR), None).paint(image)  # type: ignore[arg-type]
        hand = self._warp(self._hands[grip], place, height, 1.0)
        if hand is not None:
            x, y, rgba = hand
            blur = tuple(max(1, min(31, int(abs(v)) | 1)) for v in smear)
            if max(blur) > 2:
                rgba = cv2.blur(rgba, blur)  # type: ignore[assignment]
            _patch(x, y, rgba).paint(image)

    def _warp(
        self, picture: Image, place: scene.Vector, z: float, zoom: float
    ) -> tuple[int, int, Image] | None:
        """The texture on the plane at height ``z``, cut to where it lies in the picture."""
        h, w = picture.shape[:2]
        s = _HAND_SCALE * zoom
        matrix = self._lens.plane(z) @ place @ np.diag([1 / s, 1 / s, 1])
        corners = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], np.float64) @ matrix.T
        pixels = corners[:, :2] / corners[:, 2:]
        low = np.maximum(np.floor(pixels.min(0)), 0).astype(int)
        high = np.minimum(np.ceil(pixels.max(0)), self._lens.size).astype(int)
        if (high - low).min() <= 0:
            return None
        shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], np.float64)
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        return int(low[0]), int(low[1]), cv2.warpPerspective(picture, shift @ matrix, size)  # type: ignore[return-value]


CUP_LENGTH, CUP_BASE, CUP_MOUTH = 9.5, 3.1, 4.0


class CupPainter:
    """Paints the leather cup."""

    def __init__(self, lens: Lens, colour: BGR) -> None:
        self._lens, self._colour = lens, colour

    def paint(self, image: Image, centre: tuple[float, float, float], axis: scene.Vector) -> None:
        """Paint the cup around ``centre``, its mouth towards the unit vector ``axis``."""
        side = np.cross(axis, [0.0, 0.0, 1.0])
        side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-6 else np.array([1.0, 0, 0])
        up = np.cross(side, axis)
        ring = np.outer(_RING[:, 0], side) + np.outer(_RING[:, 1], up)
        base = np.array(centre) - axis * CUP_LENGTH / 2 + ring * CUP_BASE
        mouth = np.array(centre) + axis * CUP_LENGTH / 2 + ring * CUP_MOUTH
        view = self._lens.centre - np.array(centre)
        ground = np.vstack([base, mouth])
        thrown = ground[:, :2] - ground[:, 2:] * LIGHT[:2] / LIGHT[2]
        hull = _hull(thrown)
        _shadow(self._lens, hull, 0.0, 0.9, 0.4).paint(image)
        canvas = _Canvas(self._lens, ground, 3, 2)
        count = len(ring)
        for i in range(count):
            j = (i + 1) % count
            normal = (ring[i] + ring[j]) / 2
            if normal @ view > 0:
                canvas.fill([base[i], base[j], mouth[j], mouth[i]], _shade(self._colour, 0.95 * lit(normal)))
                for cut in (0.1, 0.88):  # seams
                    a, b = (base[k] + (mouth[k] - base[k]) * cut for k in (i, j))
                    c, d = (base[k] + (mouth[k] - base[k]) * (cut + 0.035) for k in (i, j))
                    canvas.fill([a, b, d, c], _shade(self._colour, 0.55 * lit(normal)))
        if axis @ view < 0:
            canvas.fill(base, _shade(self._colour, 0.9 * lit(-axis)))
        else:
            inner = np.array(centre) + axis * CUP_LENGTH / 2 + ring * (CUP_MOUTH - 0.45)
            canvas.fill(mouth, _shade(self._colour, 1.12))
            canvas.fill(inner, _shade(self._colour, 0.22))
        _patch(canvas.x, canvas.y, canvas.small()).paint(image)
