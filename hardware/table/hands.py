"""Painting the arms of the players and the cup."""

from __future__ import annotations

import math
from typing import Literal

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
)
from hardware.table.scene import LIGHT, Lens
from hardware.table.styles import BGR, Floats, noise, tint

Grip = Literal["pinch", "fist"]
_HAND_SCALE = 12.0  #: pixels a centimetre of the textures of hands
_WIDTH = 22.0  #: centimetres that such a texture covers across; the fingertips lie at _TIP
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


def _hand_texture(grip: Grip, skin: BGR, sleeve: BGR, length: float, rng: np.random.Generator) -> Image:
    """An arm ``length`` centimetres long from above: premultiplied RGBA, shaped by the light on it."""
    s = _HAND_SCALE
    shape = (round(length * s), round(_WIDTH * s))
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
    cuff = _capsule(y, x, (0.9, start + 4.4, 4.3, 1.5, length + 5, 5.8))
    cuff = np.where(y > start + 2.4 + np.float32(0.2) * np.sin(x * 2), cuff, -9).astype(np.float32)
    is_sleeve = (cuff > 0) | (cuff > height)
    folds = noise(rng, shape, (2.6 * s, 5 * s)) * 0.3 + noise(rng, shape, (0.8 * s, 3 * s)) * 0.08
    solid = np.where(is_sleeve, cuff + folds, height)
    solid = np.asarray(cv2.GaussianBlur(solid, (0, 0), 0.12 * s), np.float32)
    gy, gx = np.gradient(np.clip(solid, -0.3, None) * s)
    size = np.sqrt(gx**2 + gy**2 + 1)
    light = np.clip((-gx * LIGHT[0] - gy * LIGHT[1] + LIGHT[2]) / size, 0, None) / LIGHT[2]
    value = AMBIENT + (1 - AMBIENT) * light - 1
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
        # Long enough to reach slantwise over the whole field from beyond the edge of the picture.
        length = 1.2 * (lens.reach(4.0)[1] + scene.FIELD_Y) + 14
        self._hands = {grip: _hand_texture(grip, skin, sleeve, length, rng) for grip in _LIMBS}
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
        dark = _warp(self._lens, self._shadows[grip], moved @ place, 0.3, _HAND_SCALE / 4)
        if dark is not None:
            x, y, mask = dark
            keep = 255 - cv2.convertScaleAbs(mask, alpha=0.42)
            Patch(x, y, cv2.cvtColor(keep, cv2.COLOR_GRAY2BGR), None).paint(image)  # type: ignore[arg-type]
        hand = _warp(self._lens, self._hands[grip], place, height, _HAND_SCALE)
        if hand is not None:
            x, y, rgba = hand
            blur = tuple(max(1, min(31, int(abs(v)) | 1)) for v in smear)
            if max(blur) > 2:
                rgba = cv2.blur(rgba, blur)  # type: ignore[assignment]
            patch_of(x, y, rgba).paint(image)


_HEAD_SCALE = 4.0  #: pixels a centimetre of the textures of heads: they are big and out of focus
_HEAD_SIZE = (72.0, 64.0)  #: centimetres across and along that such a texture covers
_HEAD_HEIGHT = 24.0  #: centimetres above the board
_HEAD = (36.0, 20.5)  #: where in the texture the middle of the head lies
#: As in _LIMBS; the trunk lies towards +y.
_TRUNK = (
    (19.0, 34.0, 7.5, 53.0, 34.0, 7.5),
    (25.0, 48.0, 13.0, 47.0, 48.0, 13.0),
    (36.0, 26.0, 6.0, 36.0, 36.0, 7.0),
)
_SKULL = (36.0, 19.5, 7.3, 36.0, 22.5, 8.2)


class HeadPainter:
    """Paints the head and shoulders of a player who leans over the board, from above."""

    def __init__(self, lens: Lens, hair: BGR, clothes: BGR, rng: np.random.Generator) -> None:
        self._lens = lens
        s = _HEAD_SCALE
        shape = (round(_HEAD_SIZE[1] * s), round(_HEAD_SIZE[0] * s))
        y, x = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32) / np.float32(s)
        skull = _capsule(y, x, _SKULL)
        trunk = np.maximum.reduce([_capsule(y, x, limb) for limb in _TRUNK])
        is_hair = skull > 0
        strands = noise(rng, shape, (3 * s, 0.35 * s)) * 0.16 + noise(rng, shape, (s, s)) * 0.05
        folds = noise(rng, shape, (5 * s, 9 * s)) * 0.5
        solid = np.where(is_hair, skull + 9, trunk + folds).astype(np.float32)
        solid = np.asarray(cv2.GaussianBlur(solid, (0, 0), 0.25 * s), np.float32)
        gy, gx = np.gradient(np.clip(solid, -0.3, None) * s)
        size = np.sqrt(gx**2 + gy**2 + 1)
        light = np.clip((-gx * LIGHT[0] - gy * LIGHT[1] + LIGHT[2]) / size, 0, None) / LIGHT[2]
        value = AMBIENT + (1 - AMBIENT) * light - 1
        face = np.where(is_hair[..., None], tint(hair, value + strands), tint(clothes, value))
        alpha = np.clip(np.maximum(skull, trunk) * s * 0.6 + 0.5, 0, 1)[..., None]
        picture = np.dstack([np.clip(face, 0, 255) * alpha, 255 * alpha]).astype(np.float32)
        self._body: Image = cv2.GaussianBlur(picture, (0, 0), 0.2 * s).astype(np.uint8)
        self._shade: Image = cv2.GaussianBlur(self._body[..., 3], (0, 0), 3.5 * s)  # type: ignore[assignment]

    def paint(self, image: Image, head: tuple[float, float], seat: int) -> None:
        """Paint them, the middle of the head above ``head``; ``seat`` is +1 at the bottom of the picture."""
        place = np.array([[seat, 0, head[0]], [0, seat, head[1]], [0, 0, 1.0]])
        place = place @ np.array([[1, 0, -_HEAD[0]], [0, 1, -_HEAD[1]], [0, 0, 1.0]])
        away = _HEAD_HEIGHT / 2 * LIGHT[:2] / LIGHT[2]
        moved = np.array([[1, 0, -away[0]], [0, 1, -away[1]], [0, 0, 1]])
        dark = _warp(self._lens, self._shade, moved @ place, 0.0, _HEAD_SCALE)
        if dark is not None:
            x, y, mask = dark
            keep = 255 - cv2.convertScaleAbs(mask, alpha=0.5)
            Patch(x, y, cv2.cvtColor(keep, cv2.COLOR_GRAY2BGR), None).paint(image)  # type: ignore[arg-type]
        body = _warp(self._lens, self._body, place, _HEAD_HEIGHT, _HEAD_SCALE)
        if body is not None:
            patch_of(*body).paint(image)


_CLOTH_SCALE = 6.0  #: pixels a centimetre of the texture of a cloth
_CLOTH_HEIGHT = 2.4  #: centimetres above the field at which it lies, over checkers and frame


class ClothPainter:
    """Paints a cloth that covers the whole board, with folds that catch the light."""

    def __init__(self, lens: Lens, colour: BGR, rng: np.random.Generator) -> None:
        self._lens = lens
        s = _CLOTH_SCALE
        width = scene.OUTER_X[1] - scene.OUTER_X[0] + 8
        height = 2 * scene.OUTER_Y + 8
        self.half = height / 2  #: centimetres from its middle to its edge
        shape = (round(height * s), round(width * s))
        folds = noise(rng, shape, (16 * s, 2.5 * s)) * 0.5 + noise(rng, shape, (2 * s, 13 * s)) * 0.35
        gy, gx = np.gradient(cv2.GaussianBlur(folds, (0, 0), 0.5 * s) * s)
        size = np.sqrt(gx**2 + gy**2 + 1)
        light = np.clip((-gx * LIGHT[0] - gy * LIGHT[1] + LIGHT[2]) / size, 0, None) / LIGHT[2]
        value = AMBIENT + (1 - AMBIENT) * light - 1 + noise(rng, shape, (1, 1)) * 0.02
        face = tint(colour, value.astype(np.float32)).astype(np.float32)
        alpha = np.full((*shape, 1), 255, np.float32)
        self._cloth: Image = np.dstack([np.clip(face, 0, 255), alpha]).astype(np.uint8)
        self._middle = (sum(scene.OUTER_X) / 2 - width / 2, -height / 2)

    def paint(self, image: Image, away: float) -> None:
        """Paint it, its middle ``away`` centimetres from that of the board towards the picture's bottom."""
        place = np.array([[1, 0, self._middle[0]], [0, 1, self._middle[1] + away], [0, 0, 1.0]])
        cloth = _warp(self._lens, self._cloth, place, _CLOTH_HEIGHT, _CLOTH_SCALE)
        if cloth is not None:
            patch_of(*cloth).paint(image)


def _warp(
    lens: Lens, picture: Image, place: scene.Vector, z: float, scale: float
) -> tuple[int, int, Image] | None:
    """A texture of ``scale`` pixels a centimetre on the plane at height ``z``, cut to where it is seen."""
    h, w = picture.shape[:2]
    matrix = lens.plane(z) @ place @ np.diag([1 / scale, 1 / scale, 1])
    corners = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], np.float64) @ matrix.T
    pixels = corners[:, :2] / corners[:, 2:]
    low = np.maximum(np.floor(pixels.min(0)), 0).astype(int)
    high = np.minimum(np.ceil(pixels.max(0)), lens.size).astype(int)
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
        ring = np.outer(RING[:, 0], side) + np.outer(RING[:, 1], up)
        base = np.array(centre) - axis * CUP_LENGTH / 2 + ring * CUP_BASE
        mouth = np.array(centre) + axis * CUP_LENGTH / 2 + ring * CUP_MOUTH
        view = self._lens.centre - np.array(centre)
        ground = np.vstack([base, mouth])
        thrown = ground[:, :2] - ground[:, 2:] * LIGHT[:2] / LIGHT[2]
        hull = hull_of(thrown)
        shadow_of(self._lens, hull, 0.0, 0.9, 0.4).paint(image)
        canvas = Canvas(self._lens, ground, 3, 2)
        count = len(ring)
        for i in range(count):
            j = (i + 1) % count
            normal = (ring[i] + ring[j]) / 2
            if normal @ view > 0:
                canvas.fill([base[i], base[j], mouth[j], mouth[i]], shade(self._colour, 0.95 * lit(normal)))
                for cut in (0.1, 0.88):  # seams
                    a, b = (base[k] + (mouth[k] - base[k]) * cut for k in (i, j))
                    c, d = (base[k] + (mouth[k] - base[k]) * (cut + 0.035) for k in (i, j))
                    canvas.fill([a, b, d, c], shade(self._colour, 0.55 * lit(normal)))
        if axis @ view < 0:
            canvas.fill(base, shade(self._colour, 0.9 * lit(-axis)))
        else:
            inner = np.array(centre) + axis * CUP_LENGTH / 2 + ring * (CUP_MOUTH - 0.45)
            canvas.fill(mouth, shade(self._colour, 1.12))
            canvas.fill(inner, shade(self._colour, 0.22))
        patch_of(canvas.x, canvas.y, canvas.small()).paint(image)
