"""The means of painting: patches, small supersampled canvases, light and shadow.

All moving things are *patches*: small premultiplied pictures that are laid over the frame with two
saturating uint8 operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from hardware.camera import Image
from hardware.table import scene
from hardware.table.scene import LIGHT, Lens

CIRCLE = np.linspace(0, 2 * math.pi, 40, endpoint=False)
RING = np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
AMBIENT = 0.42


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
    return AMBIENT + (1 - AMBIENT) * max(0.0, float(np.dot(normal, LIGHT))) / float(LIGHT[2])


def shade(colour: Sequence[float], light: float) -> tuple[float, float, float]:
    """A BGR colour under that much light."""
    b, g, r = (min(255.0, c * light) for c in colour[:3])
    return b, g, r


class Canvas:
    """A small supersampled RGBA picture (premultiplied) somewhere over the frame."""

    def __init__(self, lens: Lens, points: scene.Vector, margin: float, ss: int) -> None:
        pixels = lens.project(points)
        low = np.floor(pixels.min(0) - margin).astype(int)
        high = np.ceil(pixels.max(0) + margin).astype(int)
        self.lens, self.ss = lens, ss
        self.x, self.y = int(low[0]), int(low[1])
        self.w, self.h = int(high[0] - low[0]), int(high[1] - low[1])
        self.rgba = np.zeros((self.h * ss, self.w * ss, 4), np.uint8)

    def at(self, points: ArrayLike) -> scene.Vector:
        """Canvas pixels of world points."""
        return (self.lens.project(points) - (self.x, self.y)) * self.ss - 0.5

    def fill(self, points: ArrayLike, colour: Sequence[float]) -> None:
        """A convex polygon of world points in one colour."""
        corners = np.round(self.at(points) * 16).astype(np.int32)
        cv2.fillConvexPoly(self.rgba, corners, (*shade(colour, 1), 255), cv2.LINE_AA, 4)

    def over(self, picture: Image, quad: ArrayLike) -> None:
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


def patch_of(x: int, y: int, rgba: Image, cover: Image | None = None) -> Patch:
    """A patch of a premultiplied picture; ``cover`` (0-255) hides parts of it."""
    if cover is not None:
        rgba = cv2.multiply(rgba, cv2.merge([cover] * 4), scale=1 / 255)  # type: ignore[assignment]
    keep = cv2.cvtColor(255 - rgba[..., 3], cv2.COLOR_GRAY2BGR)
    return Patch(x, y, keep, np.ascontiguousarray(rgba[..., :3]))  # type: ignore[arg-type]


def shadow_of(lens: Lens, outline: scene.Vector, ground: float, blur: float, strength: float) -> Patch:
    """The soft shadow that a convex ``outline`` (n, 2) throws on the plane at height ``ground``."""
    points = np.column_stack([outline, np.full(len(outline), ground)])
    sigma = max(0.5, blur * lens.scale)
    canvas = Canvas(lens, points, 3 * sigma + 2, 1)
    mask = np.zeros((canvas.h, canvas.w), np.uint8)
    cv2.fillConvexPoly(mask, np.round(canvas.at(points) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    mask = cv2.GaussianBlur(mask, (0, 0), sigma)  # type: ignore[assignment]
    keep = cv2.convertScaleAbs(mask, alpha=-strength, beta=0)
    return Patch(canvas.x, canvas.y, cv2.cvtColor(255 - keep, cv2.COLOR_GRAY2BGR), None)  # type: ignore[arg-type]


def thrown_from(outline: scene.Vector, height: float) -> scene.Vector:
    """Where the light throws an outline from ``height`` above the ground."""
    return np.asarray(outline - height * LIGHT[:2] / LIGHT[2], np.float64)


def hull_of(points: scene.Vector) -> scene.Vector:
    """Convex hull of points of shape (n, 2)."""
    return np.asarray(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2), np.float64)
