"""Painting the bare table: cloth, board and tray."""

from __future__ import annotations

import cv2
import numpy as np

from hardware.camera import Image
from hardware.table import scene
from hardware.table.paint import (
    lit,
    shade,
    thrown_from,
)
from hardware.table.scene import FIELD_X, FIELD_Y, LIGHT, RIM_HEIGHT, Lens
from hardware.table.styles import Floats, Style, texture


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
        colour = shade(style.frame, 0.85 * lit(normal))
        cv2.fillConvexPoly(canvas, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4)

    # Cloth, with the shadow of the board on it.
    reach_x, reach_y = (float(r) + 1 for r in lens.reach(scene.TABLE))
    shape = (round(2 * reach_y * scale), round(2 * reach_x * scale))
    cloth = texture("cloth", style.cloth, shape, scale, rng)
    (x0, x1), y1 = scene.OUTER_X, scene.OUTER_Y
    box = np.array([[x0, -y1], [x1, -y1], [x1, y1], [x0, y1]])
    dim = np.full((shape[0] // 4 + 1, shape[1] // 4 + 1), 255, np.uint8)
    thrown = thrown_from(box, RIM_HEIGHT - scene.TABLE) + np.array([reach_x, reach_y])
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
