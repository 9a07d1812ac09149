"""Painting checkers and dice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from hardware.camera import Image
from hardware.table import scene
from hardware.table.paint import (
    AMBIENT,
    RING,
    Canvas,
    Patch,
    hull_of,
    lit,
    patch_of,
    shade,
    shadow_of,
    thrown_from,
)
from hardware.table.scene import DIE, LIGHT, RADIUS, THICK, Checker, Die, Lens
from hardware.table.styles import BGR, Floats, noise, tint

_LOOKS = 5  #: different grains of checkers of one colour


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
    value = AMBIENT + (1 - AMBIENT) * np.clip(light, 0, None) / LIGHT[2] - 1
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
        outline = RING * RADIUS * 1.02 + (checker.x, checker.y)
        hull = np.vstack([thrown_from(outline, height), thrown_from(outline, height + THICK)])
        hull = hull_of(hull)
        return shadow_of(self._lens, hull, ground, 0.18 + 0.12 * height, 0.5 / (1 + 0.12 * height))

    def body(self, checker: Checker) -> Patch:
        """The checker itself."""
        ring = np.column_stack([RING * RADIUS + (checker.x, checker.y), np.full(len(RING), checker.z)])
        upper = ring + np.array([0, 0, THICK])
        canvas = Canvas(self._lens, np.vstack([ring, upper]), 2, 4)
        colour = self._colours[checker.dark]
        view = self._lens.centre - np.array([checker.x, checker.y, checker.z])
        for i in range(len(ring)):
            j = (i + 1) % len(ring)
            normal = np.array([*(RING[i] + RING[j]) / 2, 0.0])
            if normal @ view > -0.05 * np.linalg.norm(view):
                side = shade(colour, 0.92 * lit(normal))
                canvas.fill([ring[i], ring[j], upper[j], upper[i]], side)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * RADIUS + (checker.x, checker.y)
        quad = np.column_stack([corners, np.full(4, checker.z + THICK)])
        canvas.over(self._tops[checker.dark][checker.look % _LOOKS], quad)
        cover = None
        if checker.z < THICK / 2:  # the near rim hides the foot of a checker beside it
            cover = _cut(255 - self._cover, canvas.x, canvas.y, canvas.w, canvas.h)
        return patch_of(canvas.x, canvas.y, canvas.small(), cover)


def _cut(image: Image, x: int, y: int, w: int, h: int) -> Image:
    """A part of a one-channel picture, white outside of it."""
    out = np.full((h, w), 255, np.uint8)
    x0, y0, x1, y1 = max(0, x), max(0, y), min(image.shape[1], x + w), min(image.shape[0], y + h)
    if x0 < x1 and y0 < y1:
        out[y0 - y : y1 - y, x0 - x : x1 - x] = image[y0:y1, x0:x1]
    return out


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


def _cube_face(value: int, body: BGR) -> Image:
    """One face of a doubling cube, premultiplied RGBA: a square with its number."""
    face = np.full((_FACE, _FACE, 4), (*body, 255), np.uint8)
    font, scale = cv2.FONT_HERSHEY_DUPLEX, 1.9
    (width, height), _ = cv2.getTextSize(str(value), font, scale, 4)
    place = ((_FACE - width) // 2, (_FACE + height) // 2)
    cv2.putText(face, str(value), place, font, scale, (40, 30, 30, 255), 4, cv2.LINE_AA)
    return face


def cube_painter(lens: Lens, edge: float) -> DicePainter:
    """What paints a doubling cube, which is a large die with other faces; 64 is on top of it."""
    body = (205, 216, 222)
    painter = DicePainter(lens, body, body, edge)
    painter.faces = [_cube_face(value, body) for value in (64, 2, 4, 8, 16, 32)]
    return painter


class DicePainter:
    """Makes the patches of dice; ``edge`` is their length in centimetres."""

    def __init__(self, lens: Lens, body: BGR, pips: BGR, edge: float = DIE) -> None:
        self._lens, self._colour, self._edge = lens, body, edge
        self.faces = [_die_face(value, body, pips) for value in range(1, 7)]  #: 1 to 6, RGBA

    def shadow(self, die: Die) -> Patch:
        """The shadow of a die on the ground below it."""
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * self._edge / 2
        world = corners @ die.matrix.T + die.centre
        height = world[:, 2] - die.ground
        thrown = world[:, :2] - height[:, None] * LIGHT[:2] / LIGHT[2]
        hull = hull_of(thrown)
        low = max(0.0, float(height.min()))
        return shadow_of(self._lens, hull, die.ground, 0.16 + 0.12 * low, 0.52 / (1 + 0.15 * low))

    def body(self, poses: Sequence[Die], ss: int) -> Patch:
        """The die in one pose, or the mean of several: a picture blurred by its motion."""
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
        everywhere = np.vstack([(corners * self._edge / 2) @ p.matrix.T + p.centre for p in poses])
        total: Floats | None = None
        for pose in poses:
            canvas = Canvas(self._lens, everywhere, 2, ss)
            self._draw(canvas, pose, corners)
            small = canvas.small().astype(np.float32)
            total = small if total is None else total + small
        assert total is not None
        return patch_of(canvas.x, canvas.y, np.round(total / len(poses)).astype(np.uint8))

    def _draw(self, canvas: Canvas, die: Die, corners: scene.Vector) -> None:
        rotation = die.matrix
        inset = self._edge * (0.5 - _ROUND)
        cores = (corners * inset) @ rotation.T + die.centre
        near = canvas.at(cores)
        radius = self._edge * _ROUND * self._lens.scale * canvas.ss
        ring = RING[::4] * radius
        hull = cv2.convexHull((near[:, None] + ring[None]).reshape(-1, 2).astype(np.float32))
        edge = np.round(hull.reshape(-1, 2) * 16).astype(np.int32)
        cv2.fillConvexPoly(canvas.rgba, edge, (*shade(self._colour, 0.8), 255), cv2.LINE_AA, 4)
        view = self._lens.centre - np.array(die.centre)
        for value, normal in enumerate(scene.FACES, 1):
            n = np.array(normal, np.float64)
            facing = rotation @ n
            if facing @ (view - facing * self._edge / 2) <= 0:
                continue
            u = np.array([n[1], n[2], n[0]])
            v = np.cross(n, u)
            flat = self._edge * (0.5 - 0.45 * _ROUND)
            quad = [
                (n * self._edge / 2 + (a * u + b * v) * flat) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            face = cv2.convertScaleAbs(self.faces[value - 1], alpha=min(1.12, lit(facing) * 1.02))
            face[..., 3] = self.faces[value - 1][..., 3]
            np.minimum(face, 255, out=face)
            canvas.over(face, np.array(quad) @ rotation.T + die.centre)  # type: ignore[arg-type]
