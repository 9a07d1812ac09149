"""Seeded pictures of dice with their truth, drawn by us: what the dice networks learn from.

Dice and cubes of :mod:`models.training.cubes` lie on pieces of table of :mod:`models.training.grounds`.
Everything is drawn at twice the size and brought down, then passed through what cameras do: blur, noise,
sharpening, exposure, JPEG. Only NumPy and OpenCV are needed.

Axes: x right, y down, z towards the camera, in pixels of the finished tile. Flipping a tile gives
another possible die (of the other chirality), so tiles may be flipped and turned while training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image
from models.training.cubes import (
    DieStyle,
    Light,
    Pose,
    Rng,
    Vector,
    draw_die,
    random_cube_style,
    random_light,
    random_pose,
    random_style,
)
from models.training.grounds import blend, draw_table, finger_mask, skin

TILE = 160  #: side of a training tile in pixels
EDGE = 26.0  #: the usual edge of a die on a tile
SCALE = 2  #: tiles are drawn this much larger


@dataclass(frozen=True, slots=True)
class DieTruth:
    """What the networks shall say of one die or doubling cube. Pixels of the tile.

    ``value``: 1-6, of a cube the power of two. ``up``: x and y of the unit normal of the topmost face; (0, 0)
    when seen from straight above it. ``readable``: false where two faces are about equally high, and then
    ``value`` is not to be learnt. ``covered``: share hidden by something else or beyond the tile's edge.
    """

    value: int
    centre: tuple[float, float]
    box: tuple[float, float, float, float]
    edge: float
    up: tuple[float, float]
    tilt_degrees: float
    readable: bool
    covered: float
    cube: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A finished picture, uint8 BGR of shape (TILE, TILE, 3), and the dice in it."""

    image: Image
    dice: tuple[DieTruth, ...]
    blur: float  #: Gaussian sigma in pixels


class Scenes:
    """An endless source of tiles from one seed.

    ``backgrounds``: how many tables are drawn beforehand to cut the grounds of the tiles from.
    """

    def __init__(self, seed: int, backgrounds: int = 240) -> None:
        self._rng = np.random.default_rng(seed)
        self._tables = [draw_table(self._rng) for _ in range(backgrounds)]

    def tile(self, *, dice: int | None = None, edge: float | None = None) -> Tile:
        """The next tile, with a given number of dice and edge length in pixels or random ones."""
        rng = self._rng
        canvas = self._ground()
        given = dice is not None
        if dice is None:
            dice = int(rng.choice(6, p=[0.17, 0.23, 0.25, 0.16, 0.11, 0.08]))
        if edge is None:
            edge = float(np.exp(np.clip(rng.normal(np.log(EDGE), 0.28), np.log(15), np.log(46))))
        steep = np.radians(rng.uniform(0, 55) if rng.random() < 0.4 else rng.uniform(0, 28))
        turn = rng.uniform(0, 2 * np.pi)
        up = np.array([np.sin(steep) * np.cos(turn), np.sin(steep) * np.sin(turn), np.cos(steep)])
        light = random_light(rng, up)
        distance = float(np.exp(rng.uniform(np.log(9), np.log(60))))
        shared = random_style(rng)
        pieces: list[tuple[Vector, DieStyle, float, float]] = []
        for place in self._places(dice, edge):
            style = shared if rng.random() < 0.7 else random_style(rng)
            tilt = rng.uniform(8, 50) if rng.random() < 0.25 else 0.0
            pieces.append((place, style, tilt, edge * float(rng.uniform(0.94, 1.06))))
        if not given and rng.random() < 0.4:
            kind = rng.random()
            if kind < 0.75:
                style, size = random_cube_style(rng), edge * float(rng.uniform(0.9, 2.0))
            elif kind < 0.9:  # what is like a die and none: a blank cube, a die far too near
                style, size = replace(random_style(rng), blank=True), edge * float(rng.uniform(0.7, 2.0))
            else:
                style, size = random_style(rng), float(rng.uniform(110, 220))
            place = rng.uniform(0, TILE, 2)
            if all(np.hypot(*(place - other[0])) > 0.75 * (size + other[3]) for other in pieces):
                pieces.append((place, style, rng.uniform(8, 50) if rng.random() < 0.1 else 0.0, size))
        pieces.sort(key=lambda piece: float(-(piece[0] @ up[:2])))  # those behind first
        truths: list[tuple[DieTruth, NDArray[np.uint8]]] = []
        for place, style, tilt, size in pieces:
            pose = random_pose(rng, up, float(tilt))
            middle = (float(place[0]) * SCALE, float(place[1]) * SCALE)
            self._shadow(canvas, pose, middle, size * SCALE, light)
            mask, box = draw_die(canvas, rng, style, pose, middle, size * SCALE, light, distance)
            truths = [(_cover(truth, old, mask), old) for truth, old in truths]
            if not style.blank and size < 100:
                truths.append((_truth(pose, style, box, size, up, mask), mask))
        if rng.random() < 0.1:
            hand = finger_mask(rng, canvas.shape[0])
            blend(canvas, hand, skin(rng), rng)
            truths = [(_cover(truth, mask, hand), mask) for truth, mask in truths]
        if rng.random() < 0.2:
            _streaks(canvas, rng)
        image, blur = photographed(canvas, rng)
        return Tile(image, tuple(truth for truth, _ in truths), blur)

    def _ground(self) -> Image:
        rng = self._rng
        table = self._tables[rng.integers(len(self._tables))]
        side = TILE * SCALE
        zoom = SCALE * float(np.exp(rng.uniform(np.log(0.6), np.log(1.7))))
        matrix = cv2.getRotationMatrix2D((0, 0), float(rng.uniform(0, 360)), zoom)
        reach = side / zoom * 0.75
        target = rng.uniform(reach, table.shape[0] - reach, 2)
        matrix[:, 2] = side / 2 - matrix[:, :2] @ target
        ground = cv2.warpAffine(
            table, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
        gain = rng.uniform(0.75, 1.25, 3) * rng.uniform(0.7, 1.2) if rng.random() < 0.5 else np.ones(3)
        return np.clip(ground * gain.astype(np.float32), 0, 255).astype(np.uint8)

    def _places(self, dice: int, edge: float) -> list[Vector]:
        rng = self._rng
        places: list[Vector] = []
        for _ in range(dice):
            for _ in range(8):
                if places and rng.random() < 0.45:  # dice that touch
                    angle = rng.uniform(0, 2 * np.pi)
                    gap = edge * rng.uniform(1.02, 1.6)
                    place = places[-1] + gap * np.array([np.cos(angle), np.sin(angle)])
                else:
                    place = rng.uniform(0.1 * TILE, 0.9 * TILE, 2)
                near = min((float(np.hypot(*(place - other))) for other in places), default=1e9)
                if near > edge and bool(np.all((place > 4) & (place < TILE - 4))):
                    places.append(place)
                    break
        return places

    def _shadow(
        self, canvas: Image, pose: Pose, centre: tuple[float, float], edge: float, light: Light
    ) -> None:
        rng, up, lamp = self._rng, light.up, light.lamp
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners = signs @ pose.axes * 0.5
        foot = float((corners @ up).min())
        cast = corners - ((corners @ up - foot) / max(0.35, float(lamp @ up)))[:, None] * lamp
        hull = cv2.convexHull((np.array(centre) + edge * cast[:, :2]).astype(np.float32)).reshape(-1, 2)
        shade = np.zeros(canvas.shape[:2], np.uint8)
        share = light.strength / (light.strength + light.ambient)
        dark = 255.0 * min(0.9, share * rng.uniform(0.5, 1.1))
        cv2.fillConvexPoly(shade, np.rint(hull * 16).astype(np.int32), (dark,), cv2.LINE_AA, 4)
        soft = edge * rng.uniform(0.03, 0.2)
        x, y, w, h = cv2.boundingRect(hull)
        pad = int(3 * soft) + 2
        area = (slice(max(0, y - pad), max(0, y + h + pad)), slice(max(0, x - pad), max(0, x + w + pad)))
        if canvas[area].size:
            soft_shade = cv2.GaussianBlur(shade[area], (0, 0), soft)
            keep = (255 - soft_shade).astype(np.float32)[..., None] / 255
            canvas[area] = (canvas[area] * keep).astype(np.uint8)


def _truth(
    pose: Pose,
    style: DieStyle,
    box: tuple[float, float, float, float],
    size: float,
    up: Vector,
    mask: NDArray[np.uint8],
) -> DieTruth:
    heights = np.sort(np.abs(pose.axes @ up))
    x0, y0, x1, y1 = (v / SCALE for v in box)
    whole = (x1 - x0) * (y1 - y0)
    inside = (min(TILE, x1) - max(0.0, x0)) * (min(TILE, y1) - max(0.0, y0))
    return DieTruth(
        value=pose.values[2],
        centre=((x0 + x1) / 2, (y0 + y1) / 2),
        box=(x0, y0, x1, y1),
        edge=size,
        up=(float(pose.axes[2][0]), float(pose.axes[2][1])),
        tilt_degrees=float(np.degrees(np.arccos(min(1.0, heights[2])))),
        readable=bool(heights[2] - heights[1] > 0.12),
        covered=max(0.0, 1 - inside / max(1.0, whole)) if mask.any() else 1.0,
        cube=style.numerals,
    )


def _cover(truth: DieTruth, mask: NDArray[np.uint8], other: NDArray[np.uint8]) -> DieTruth:
    whole = int(np.count_nonzero(mask))
    hidden = int(np.count_nonzero(cv2.bitwise_and(mask, other)))
    return replace(truth, covered=truth.covered + hidden / max(1, whole))


def save(path: Path, tiles: Sequence[Tile]) -> None:
    """Write tiles as one compressed file (.npz)."""
    rows = [
        (k, d.value, *d.centre, *d.box, d.edge, *d.up, d.tilt_degrees, d.readable, d.covered, d.cube)
        for k, tile in enumerate(tiles)
        for d in tile.dice
    ]
    np.savez_compressed(
        path,
        images=np.stack([tile.image for tile in tiles]),
        blurs=np.array([tile.blur for tile in tiles]),
        dice=np.array(rows, np.float64).reshape(-1, 15),
    )


def load(path: Path) -> list[Tile]:
    """Tiles that :func:`save` has written."""
    with np.load(path) as data:
        images, blurs, rows = data["images"], data["blurs"], data["dice"].tolist()
    dice: list[list[DieTruth]] = [[] for _ in images]
    for k, value, x, y, x0, y0, x1, y1, edge, up_x, up_y, tilt, readable, covered, cube in rows:
        box, up = (x0, y0, x1, y1), (up_x, up_y)
        truth = DieTruth(int(value), (x, y), box, edge, up, tilt, bool(readable), covered, bool(cube))
        dice[int(k)].append(truth)
    return [Tile(image, tuple(d), float(b)) for image, d, b in zip(images, dice, blurs, strict=True)]


def _streaks(canvas: Image, rng: Rng) -> None:
    """Gloss: a lamp or window mirrored in varnish."""
    side = canvas.shape[0]
    small = np.zeros((side // 2, side // 2), np.uint8)
    for _ in range(int(rng.choice([2, 4, 12]))):
        x, y = (int(v) for v in rng.integers(0, side // 2, 2))
        axes = (int(rng.integers(2, 30)), int(rng.integers(1, 8)))
        cv2.ellipse(small, (x, y), axes, rng.uniform(0, 180), 0, 360, int(rng.integers(40, 230)), -1)
    glow = cv2.resize(cv2.GaussianBlur(small, (0, 0), rng.uniform(0.6, 6)), (side, side))
    np.copyto(canvas, cv2.add(canvas, cv2.merge([glow, glow, glow])))


def photographed(canvas: Image, rng: Rng) -> tuple[Image, float]:
    """What a camera makes of a scene drawn at SCALE times the size; gives the tile and its blur in pixels."""
    blur = float(rng.uniform(0.0, 0.6) if rng.random() < 0.7 else rng.uniform(0.6, 1.8))
    image = canvas
    if blur > 0.15:
        image = cv2.GaussianBlur(image, (0, 0), blur * SCALE)  # type: ignore[assignment]
    if rng.random() < 0.1:  # a hand-held shake
        length = int(rng.integers(3, 9))
        kernel = np.zeros((length, length), np.float32)
        turn = rng.uniform(0, np.pi)
        reach = 0.5 * (length - 1) * np.array([np.cos(turn), np.sin(turn)])
        middle = np.array([(length - 1) / 2] * 2)
        start, end = (
            (middle - reach).round().astype(int).tolist(),
            (middle + reach).round().astype(int).tolist(),
        )
        cv2.line(kernel, start, end, 1.0)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())  # type: ignore[assignment]
    if rng.random() < 0.4:  # a small die in a small picture, enlarged
        few = int(TILE * rng.uniform(0.55, 1.0))
        image = cv2.resize(image, (few, few), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        how = cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_LINEAR
        image = cv2.resize(image, (TILE, TILE), interpolation=how)  # type: ignore[assignment]
    else:
        image = cv2.resize(image, (TILE, TILE), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    light = image.astype(np.float32)
    if rng.random() < 0.5:
        light += rng.uniform(0.2, 1.2) * (light - cv2.GaussianBlur(light, (0, 0), 1.0))
    light *= rng.uniform(0.85, 1.15, 3).astype(np.float32) * np.float32(np.exp(rng.normal(0.08, 0.25)))
    if rng.random() < 0.3:
        bent = (np.clip(light, 0, 255) / 255) ** rng.uniform(0.7, 1.5)
        light = (255 * bent).astype(np.float32)
    if rng.random() < 0.6:
        light += rng.normal(0, rng.uniform(0.5, 10), light.shape).astype(np.float32)
    out = np.clip(light, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])[1]
        out = cv2.imdecode(packed, cv2.IMREAD_COLOR)  # type: ignore[assignment]
    return out, blur
