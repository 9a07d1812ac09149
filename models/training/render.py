"""Seeded pictures of dice with their truth, drawn by us: what the dice network learns from.

A die is a rounded cube in space, seen by a camera through weak perspective, so side faces show their
pips as they do on a table. Everything is drawn at twice the size and brought down, then passed
through what cameras do: blur, noise, sharpening, exposure, JPEG. Only NumPy and OpenCV are needed.

Axes: x right, y down, z towards the camera, in pixels of the finished tile. Flipping a tile gives
another possible die (of the other chirality), so tiles may be flipped and turned while training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardware.camera import Image

Rng = np.random.Generator
Vector = NDArray[np.float64]
Project = Callable[[Vector], Vector]  #: points of a die, in edges, to pixels
Face = tuple[Vector, Vector, Vector, int, float]  #: normal, two axes, value, brightness
Colour = tuple[float, float, float]  #: B, G, R of 0-255

TILE = 96  #: side of a training tile in pixels
EDGE = 24.0  #: the die edge, in pixels, that the network is made for
SCALE = 2  #: tiles are drawn this much larger
_SHIFT = 4  #: binary places of sub-pixel drawing

#: Where the pips of each face lie, in units of the pip spacing.
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@dataclass(frozen=True, slots=True)
class DieStyle:
    """How a die is made. Lengths are fractions of its edge; ``numerals`` makes it a doubling cube."""

    body: Colour
    pips: Colour
    one: Colour  #: colour of the single pip, red on many Asian dice
    radius: float  #: of the rounding of edges
    pip_radius: float
    one_radius: float
    spacing: float
    gloss: float  #: 0 matt, 1 mirror
    clear: float  #: 0 opaque, 1 see-through
    marble: float  #: strength of a veined or wooden body
    ring: bool = False  #: pips are rings
    numerals: bool = False
    blank: bool = False


@dataclass(frozen=True, slots=True)
class DieTruth:
    """What the network shall say of one die. Pixels of the tile.

    ``up``: x and y of the unit normal of the topmost face; (0, 0) when seen from straight above it.
    ``readable``: false where two faces are about equally high, and then ``value`` is not to be learnt.
    ``covered``: share hidden by something else.
    """

    value: int
    centre: tuple[float, float]
    box: tuple[float, float, float, float]
    edge: float
    up: tuple[float, float]
    tilt_degrees: float
    readable: bool
    covered: float


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A finished picture, uint8 BGR of shape (TILE, TILE, 3), and the dice in it."""

    image: Image
    dice: tuple[DieTruth, ...]
    blur: float  #: Gaussian sigma in pixels


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


def random_style(rng: Rng) -> DieStyle:
    """A die as sold: white, black, red, green, blue, ivory, wood, clear, marbled, or any colour."""

    def near(colour: Sequence[float], spread: float) -> Colour:
        b, g, r = np.clip(np.array(colour) + rng.normal(0, spread, 3), 4, 252)
        return float(b), float(g), float(r)

    white, black = near((235, 238, 240), 10), near((22, 22, 22), 10)
    red, clear = (30, 30, 200), 0.0
    kind = rng.choice(10, p=[0.17, 0.12, 0.14, 0.1, 0.09, 0.08, 0.08, 0.07, 0.07, 0.08])
    if kind == 0:
        body, pips = white, black
    elif kind == 1:
        body, pips = black, white
    elif kind == 2:
        body, pips = near((40, 35, rng.uniform(110, 230)), 14), white
    elif kind == 3:
        body, pips = near((rng.uniform(40, 100), rng.uniform(90, 170), 30), 14), white
    elif kind == 4:
        body, pips = near((rng.uniform(110, 210), rng.uniform(40, 110), 40), 14), white
    elif kind == 5:
        body, pips = near((175, 215, 230), 12), near((30, 40, 50), 15)
    elif kind == 6:
        body, pips = near((70, 120, 175), 20), black if rng.random() < 0.5 else white
    elif kind == 7:
        body, pips = near((40, 120, 220), 22), white
    elif kind == 8:
        body, pips = _vivid(rng), white if rng.random() < 0.6 else black
        clear = float(rng.uniform(0.3, 1.0))
    else:
        body, pips = _vivid(rng), _vivid(rng)
        if abs(sum(body) - sum(pips)) < 150:
            pips = white if sum(body) < 380 else black
    pip_radius = float(rng.uniform(0.075, 0.115))
    big_one = rng.random() < 0.2
    return DieStyle(
        body=body,
        pips=pips,
        one=near(red, 12) if big_one and kind in (0, 5) and rng.random() < 0.7 else pips,
        radius=float(rng.choice([rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.22)])),
        pip_radius=pip_radius,
        one_radius=pip_radius * float(rng.uniform(1.3, 2.0)) if big_one else pip_radius,
        spacing=float(rng.uniform(0.21, 0.28)),
        gloss=float(rng.random() ** 1.5),
        clear=clear,
        marble=float(rng.uniform(0.1, 0.35)) if rng.random() < (0.8 if kind in (6, 9) else 0.12) else 0.0,
        ring=bool(rng.random() < 0.05),
    )


def draw_die(
    canvas: Image,
    rng: Rng,
    style: DieStyle,
    pose: Pose,
    centre: tuple[float, float],
    edge: float,
    light: Vector,
    distance: float,
) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Draw a die on ``canvas`` (in place) and give its mask and its box, in the canvas' pixels.

    ``light``: unit vector towards the lamp. ``distance``: of the camera, in edges.
    """
    place = np.array(centre)

    def project(points: Vector) -> Vector:
        zoom = 1 / (1 - points[:, 2] / distance)
        return place + edge * points[:, :2] * zoom[:, None]

    inset = 0.5 - style.radius
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = project(signs @ pose.axes * inset)
    ring = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    circle = style.radius * edge * np.column_stack([np.cos(ring), np.sin(ring)])
    outline = cv2.convexHull(
        (corners[:, None, :] + circle[None]).reshape(-1, 1, 2).astype(np.float32)
    ).reshape(-1, 2)

    seen: list[Face] = []
    for normal, first, second, value in pose.faces():
        if normal @ (np.array([0, 0, distance]) - 0.5 * normal) > 0:
            seen.append((normal, first, second, value, 0.45 + 0.75 * max(0.0, float(normal @ light))))
    seen.sort(key=lambda face: float(face[0][2]))
    body = np.array(style.body)
    mean = float(np.mean([face[4] for face in seen]))

    mask = np.zeros(canvas.shape[:2], np.uint8)
    _fill(mask, outline, (255.0,))
    layer = canvas.copy()
    rim = body * mean * (1 + 0.25 * style.gloss) + 18 * style.gloss
    _fill(layer, outline, rim)
    for normal, first, second, _, shade in seen:
        colour = body * shade
        if style.clear:  # light gathers on the side away from the lamp
            colour = colour * (1 - 0.35 * style.clear) + style.clear * 0.35 * body * rng.uniform(0.6, 1.7)
        square = _rounded_square(inset + 0.35 * style.radius, min(0.45, style.radius * 1.6 + 0.02))
        _fill(layer, project(0.5 * normal + square[:, :1] * first + square[:, 1:] * second), colour)
    x, y, w, h = cv2.boundingRect(outline.astype(np.float32))
    area = (slice(max(0, y - 2), y + h + 2), slice(max(0, x - 2), x + w + 2))
    if layer[area].size:
        layer[area] = cv2.GaussianBlur(layer[area], (0, 0), max(0.4, style.radius * edge * 0.3))
        if style.marble:
            layer[area] = _vein(layer[area], rng, style.marble)
        if style.clear:
            _shine_through(layer, rng, style, project, pose)
    for face in () if style.blank else seen:
        if style.numerals:
            _numeral(layer, rng, style, project, face)
        else:
            _draw_pips(layer, rng, style, project, face, light)
    if style.gloss > 0.25:
        _highlight(layer, rng, style, project, seen, edge)
    alpha = mask[area][..., None].astype(np.float32) / 255
    if layer[area].size:
        canvas[area] = (layer[area] * alpha + canvas[area] * (1 - alpha)).astype(np.uint8)
    low, high = outline.min(axis=0), outline.max(axis=0)
    return mask, (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


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
        if dice is None:
            dice = int(rng.choice(4, p=[0.2, 0.32, 0.3, 0.18]))
        if edge is None:
            edge = float(np.exp(np.clip(rng.normal(np.log(EDGE), 0.22), np.log(13), np.log(38))))
        steep = np.radians(rng.uniform(0, 50) if rng.random() < 0.3 else rng.uniform(0, 28))
        turn = rng.uniform(0, 2 * np.pi)
        up = np.array([np.sin(steep) * np.cos(turn), np.sin(steep) * np.sin(turn), np.cos(steep)])
        light = _unit(up + rng.normal(0, 0.6, 3))
        distance = float(np.exp(rng.uniform(np.log(9), np.log(60))))
        shared = random_style(rng)
        truths: list[tuple[DieTruth, NDArray[np.uint8]]] = []
        if rng.random() < 0.17:
            self._strange_cube(canvas, up, light, distance, edge)
        for place in self._places(dice, edge):
            style = shared if rng.random() < 0.75 else random_style(rng)
            tilt = rng.uniform(8, 50) if rng.random() < 0.25 else 0.0
            pose = random_pose(rng, up, tilt)
            size = edge * float(rng.uniform(0.94, 1.06)) * SCALE
            middle = (place[0] * SCALE, place[1] * SCALE)
            self._shadow(canvas, pose, middle, size, light, up)
            mask, box = draw_die(canvas, rng, style, pose, middle, size, light, distance)
            truths = [(_cover(truth, old, mask), old) for truth, old in truths]
            heights = np.sort(np.abs(pose.axes @ up))
            truth = DieTruth(
                value=pose.values[2],
                centre=((box[0] + box[2]) / 2 / SCALE, (box[1] + box[3]) / 2 / SCALE),
                box=tuple(v / SCALE for v in box),  # type: ignore[arg-type]
                edge=size / SCALE,
                up=(float(pose.axes[2][0]), float(pose.axes[2][1])),
                tilt_degrees=float(np.degrees(np.arccos(min(1.0, heights[2])))),
                readable=bool(heights[2] - heights[1] > 0.12),
                covered=0.0,
            )
            truths.append((truth, mask))
        if rng.random() < 0.1:
            hand = _finger_mask(rng, canvas.shape[0])
            _blend(canvas, hand, _skin(rng), rng)
            truths = [(_cover(truth, mask, hand), mask) for truth, mask in truths]
        if rng.random() < 0.25:
            _streaks(canvas, rng)
        image, blur = _camera(canvas, rng)
        inside = [t for t, _ in truths if t.covered < 0.85]
        return Tile(image, tuple(inside), blur)

    def _ground(self) -> Image:
        rng = self._rng
        table = self._tables[rng.integers(len(self._tables))]
        side = TILE * SCALE
        zoom = SCALE * float(np.exp(rng.uniform(np.log(0.75), np.log(1.35))))
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
                    gap = edge * rng.uniform(1.2, 1.7)
                    place = places[-1] + gap * np.array([np.cos(angle), np.sin(angle)])
                else:
                    place = rng.uniform(0.1 * TILE, 0.9 * TILE, 2)
                near = min((float(np.hypot(*(place - other))) for other in places), default=1e9)
                if near > 1.15 * edge and bool(np.all((place > 4) & (place < TILE - 4))):
                    places.append(place)
                    break
        return places

    def _strange_cube(self, canvas: Image, up: Vector, light: Vector, distance: float, edge: float) -> None:
        """What is like a die and none: a doubling cube, a blank cube, a die far too near."""
        rng = self._rng
        kind = rng.random()
        style = replace(random_style(rng), numerals=kind < 0.6, blank=kind > 0.8)
        near = 0.6 <= kind <= 0.8
        size = (float(rng.uniform(65, 130)) if near else edge * float(rng.uniform(0.7, 2.0))) * SCALE
        place = rng.uniform(0, TILE * SCALE, 2)
        middle = (float(place[0]), float(place[1]))
        pose = random_pose(rng, up, 0.0)
        self._shadow(canvas, pose, middle, size, light, up)
        draw_die(canvas, rng, style, pose, middle, size, light, distance)

    def _shadow(
        self, canvas: Image, pose: Pose, centre: tuple[float, float], edge: float, light: Vector, up: Vector
    ) -> None:
        rng = self._rng
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners = signs @ pose.axes * 0.5
        foot = float((corners @ up).min())
        cast = corners - ((corners @ up - foot) / max(0.35, float(light @ up)))[:, None] * light
        hull = cv2.convexHull((np.array(centre) + edge * cast[:, :2]).astype(np.float32)).reshape(-1, 2)
        shade = np.zeros(canvas.shape[:2], np.uint8)
        _fill(shade, hull, (255.0 * rng.uniform(0.1, 0.75),))
        soft = edge * rng.uniform(0.03, 0.2)
        x, y, w, h = cv2.boundingRect(hull)
        pad = int(3 * soft) + 2
        area = (slice(max(0, y - pad), max(0, y + h + pad)), slice(max(0, x - pad), max(0, x + w + pad)))
        if canvas[area].size:
            dark = cv2.GaussianBlur(shade[area], (0, 0), soft)
            keep = (255 - dark).astype(np.float32)[..., None] / 255
            canvas[area] = (canvas[area] * keep).astype(np.uint8)


def draw_table(rng: Rng, side: int = 512) -> Image:
    """A square piece of table at a scale where a die's edge is 24 px, with no die on it.

    Boards with points, checkers, ornaments, hinges and screws, coins, numerals, cloth, and loose groups
    of dots: whatever a network might take for a die.
    """
    ground = _material(rng, side, _earthy(rng))
    if rng.random() < 0.7:
        _points(ground, rng)
    for act, chance, most in (
        (_ornament, 0.45, 4),
        (_plank, 0.5, 3),
        (_dots, 0.45, 6),
        (_screws, 0.4, 4),
        (_letters, 0.4, 5),
        (_patch, 0.4, 5),
        (_inlay, 0.3, 6),
        (_mosaic, 0.2, 3),
        (_mesh, 0.15, 2),
        (_checker, 0.85, 16),
        (_coin, 0.3, 4),
    ):
        if rng.random() < chance:
            for _ in range(int(rng.integers(1, most + 1))):
                act(ground, rng)
    if rng.random() < 0.3:
        _blend(ground, _finger_mask(rng, side), _skin(rng), rng)
    shade = cv2.resize(rng.uniform(0.7, 1.15, (3, 3)).astype(np.float32), (side, side))
    out: Image = np.clip(ground * np.asarray(shade)[..., None], 0, 255).astype(np.uint8)
    return out


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / np.linalg.norm(vector), np.float64)


def _perpendicular(rng: Rng, axis: Vector) -> Vector:
    loose = rng.normal(size=3)
    return _unit(loose - (loose @ axis) * axis)


def _vivid(rng: Rng) -> Colour:
    return _hsv(rng.uniform(0, 180), rng.uniform(110, 255), rng.uniform(70, 250))


def _hsv(hue: float, saturation: float, value: float) -> Colour:
    b, g, r = cv2.cvtColor(np.array([[[hue, saturation, value]]]).astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    return float(b), float(g), float(r)


def _earthy(rng: Rng) -> Colour:
    """A colour of boards: wood, felt, leather, grey, now and then white or black."""
    kind = rng.random()
    if kind < 0.4:
        hue, saturation, value = rng.uniform(4, 22), rng.uniform(40, 200), rng.uniform(40, 230)
    elif kind < 0.75:
        hue, saturation, value = rng.uniform(0, 180), rng.uniform(60, 230), rng.uniform(30, 190)
    else:
        hue, saturation, value = rng.uniform(0, 180), rng.uniform(0, 40), rng.uniform(10, 250)
    return _hsv(hue, saturation, value)


def _scaled(points: ArrayLike) -> NDArray[np.int32]:
    return np.rint(np.asarray(points, np.float64) * (1 << _SHIFT)).astype(np.int32)


def _fill(canvas: Image | NDArray[np.uint8], polygon: ArrayLike, colour: ArrayLike) -> None:
    paint = [float(v) for v in np.clip(np.asarray(colour, np.float64), 0, 255)]
    cv2.fillConvexPoly(canvas, _scaled(polygon), paint, cv2.LINE_AA, _SHIFT)


def _disc(canvas: Image, centre: ArrayLike, radius: float, colour: ArrayLike, line: int = -1) -> None:
    x, y = (round(float(v) * (1 << _SHIFT)) for v in np.asarray(centre))
    paint = [float(v) for v in np.clip(np.asarray(colour, np.float64), 0, 255)]
    cv2.circle(canvas, (x, y), max(1, round(radius * (1 << _SHIFT))), paint, line, cv2.LINE_AA, _SHIFT)


def _rounded_square(half: float, radius: float) -> Vector:
    angles = np.linspace(0, np.pi / 2, 5)
    arc = np.column_stack([np.cos(angles), np.sin(angles)])
    out = []
    for quarter in range(4):
        c, s = np.cos(quarter * np.pi / 2), np.sin(quarter * np.pi / 2)
        corner = (half - radius) * np.array([1, 1]) + radius * arc
        out.append(corner @ np.array([[c, s], [-s, c]]))
    return np.concatenate(out)


def _pip_places(value: int, rng: Rng) -> Vector:
    places = np.array(PIPS[value], np.float64)
    return places[:, ::-1] * np.array([1.0, -1.0]) if rng.random() < 0.5 else places


_RING = np.linspace(0, 2 * np.pi, 14, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_RING), np.sin(_RING)])


def _draw_pips(layer: Image, rng: Rng, style: DieStyle, project: Project, face: Face, light: Vector) -> None:
    normal, first, second, value, shade = face
    radius = style.one_radius if value == 1 else style.pip_radius
    paint = np.array(style.one if value == 1 else style.pips) * (0.35 + 0.65 * shade)
    slope = np.array([light @ first, light @ second])  # the lit wall of a hollow lies away from the lamp
    for pip in _pip_places(value, rng):
        spot = pip * style.spacing
        rim = spot + radius * _CIRCLE
        _fill(layer, project(0.5 * normal + rim[:, :1] * first + rim[:, 1:] * second), paint * 0.85)
        inner = spot - 0.22 * radius * slope + 0.72 * radius * _CIRCLE
        if style.ring:
            inner = spot + 0.5 * radius * _CIRCLE
            _fill(
                layer,
                project(0.5 * normal + inner[:, :1] * first + inner[:, 1:] * second),
                np.array(style.body) * shade,
            )
        else:
            _fill(layer, project(0.5 * normal + inner[:, :1] * first + inner[:, 1:] * second), paint * 1.08)


def _numeral(layer: Image, rng: Rng, style: DieStyle, project: Project, face: Face) -> None:
    normal, first, second, _, shade = face
    side = 64
    glyph = np.zeros((side, side), np.uint8)
    text = str(rng.choice(["2", "4", "8", "16", "32", "64"]))
    size = (1.6 if len(text) == 1 else 1.1) * rng.uniform(0.7, 1.1)
    font = int(rng.choice([cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX]))
    thick = int(rng.integers(3, 9))
    (w, h), _ = cv2.getTextSize(text, font, size, thick)
    cv2.putText(glyph, text, ((side - w) // 2, (side + h) // 2), font, size, 255, thick, cv2.LINE_AA)
    half = 0.5 * rng.uniform(0.75, 1.0)
    quad = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    target = project(0.5 * normal + quad[:, :1] * first + quad[:, 1:] * second).astype(np.float32)
    source = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    alpha = cv2.warpPerspective(glyph, matrix, layer.shape[1::-1]).astype(np.float32)[..., None] / 255
    layer[:] = (layer * (1 - alpha) + np.array(style.pips) * shade * alpha).clip(0, 255).astype(np.uint8)


def _shine_through(layer: Image, rng: Rng, style: DieStyle, project: Project, pose: Pose) -> None:
    """Pips of the hidden faces, dim, as seen through a clear die."""
    for normal, first, second, value in pose.faces():
        if normal[2] > 0 or rng.random() > style.clear:
            continue
        dim = 0.65 * np.array(style.body) + 0.35 * np.array(style.pips)
        for pip in _pip_places(value, rng):
            rim = 0.8 * pip * style.spacing + 0.8 * style.pip_radius * _CIRCLE
            _fill(layer, project(0.35 * normal + rim[:, :1] * first + rim[:, 1:] * second), dim)


def _highlight(
    layer: Image, rng: Rng, style: DieStyle, project: Project, seen: Sequence[Face], edge: float
) -> None:
    normal, first, second = seen[int(rng.integers(len(seen)))][:3]
    if rng.random() < 0.5:
        normal, first, second = seen[-1][:3]
    spot = rng.uniform(-0.45, 0.45, 2)
    reach = rng.uniform(0.08, 0.45, 2)
    blob = spot + reach * _CIRCLE
    glow = np.zeros(layer.shape[:2], np.uint8)
    _fill(glow, project(0.5 * normal + blob[:, :1] * first + blob[:, 1:] * second), (255.0,))
    middle = project(0.5 * normal[None] + spot[0] * first[None] + spot[1] * second[None])[0]
    x, y, pad = int(middle[0]), int(middle[1]), int(edge)
    area = (slice(max(0, y - pad), max(0, y + pad)), slice(max(0, x - pad), max(0, x + pad)))
    if layer[area].size:
        soft = cv2.GaussianBlur(glow[area], (0, 0), edge * rng.uniform(0.02, 0.12))
        add = soft.astype(np.float32)[..., None] * (style.gloss * rng.uniform(0.15, 0.85))
        layer[area] = np.minimum(255, layer[area] + add).astype(np.uint8)


def _vein(patch: Image, rng: Rng, strength: float) -> Image:
    h, w = patch.shape[:2]
    grid = rng.normal(1, strength, (max(2, h // int(rng.integers(3, 14))), max(2, w // 4))).astype(np.float32)
    veins = np.asarray(cv2.resize(grid, (w, h), interpolation=cv2.INTER_CUBIC))
    out: Image = np.clip(patch * veins[..., None], 0, 255).astype(np.uint8)
    return out


def _cover(truth: DieTruth, mask: NDArray[np.uint8], other: NDArray[np.uint8]) -> DieTruth:
    whole = int(np.count_nonzero(mask))
    hidden = int(np.count_nonzero(cv2.bitwise_and(mask, other)))
    return replace(truth, covered=truth.covered + hidden / max(1, whole))


def _material(rng: Rng, side: int, colour: Colour) -> Image:
    kind = rng.random()
    base = np.empty((side, side, 3), np.float32)
    base[:] = colour
    if kind < 0.4:  # wood: long fibres, slowly bent
        coarse = cv2.resize(rng.normal(0, 1, (side // 4, 6)).astype(np.float32), (side, side))
        fine = cv2.resize(rng.normal(0, 1, (side, 24)).astype(np.float32), (side, side))
        grain = coarse * rng.uniform(0.03, 0.16) + fine * rng.uniform(0.02, 0.1)
    elif kind < 0.65:  # felt and cloth
        grain = rng.normal(0, rng.uniform(0.01, 0.12), (side, side)).astype(np.float32)
        grain = cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.4, 1.2))
    elif kind < 0.85:  # leather, cork, stone
        cells = int(rng.integers(16, 128))
        grain = cv2.resize(
            rng.normal(0, rng.uniform(0.03, 0.15), (cells, cells)).astype(np.float32), (side, side)
        )
    else:
        grain = np.zeros((side, side), np.float32)
    base *= 1 + grain[..., None]
    if rng.random() < 0.25:  # embossed leather or hammered metal: lit bumps with sparks on their crests
        bumps = cv2.GaussianBlur(
            rng.normal(0, 1, (side, side)).astype(np.float32), (0, 0), rng.uniform(1.2, 3.5)
        )
        slope = (bumps - np.roll(bumps, (1, 1), (0, 1))) / bumps.std()
        base *= 1 + rng.uniform(0.1, 0.5) * slope[..., None]
        base += rng.uniform(50, 400) * np.maximum(0, slope - rng.uniform(0.6, 1.3))[..., None]
    return np.clip(base, 0, 255).astype(np.uint8)


def _points(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    width, length = rng.uniform(34, 66), rng.uniform(150, 300)
    colours = _earthy(rng), _earthy(rng)
    trim = _earthy(rng) if rng.random() < 0.5 else None
    foot = rng.uniform(-20, 60)
    middle = foot + 2 * length + rng.uniform(20, 160)
    for k, x in enumerate(np.arange(rng.uniform(-40, 0), side, width)):
        for base, tip, other in ((foot, foot + length, 0), (middle, middle - length, 1)):
            triangle = np.array([[x + 2, base], [x + width - 2, base], [x + width / 2, tip]])
            _fill(canvas, triangle, colours[(k + other) % 2])
            if trim is not None:
                cv2.polylines(
                    canvas, [_scaled(triangle)], True, trim, int(rng.integers(1, 3)), cv2.LINE_AA, _SHIFT
                )


def _ornament(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    centre, reach = rng.uniform(0, side, 2), rng.uniform(25, 80)
    colour, line = _earthy(rng), int(rng.integers(1, 4))
    petals = int(rng.integers(4, 13))
    if rng.random() < 0.7:
        _disc(canvas, centre, reach, colour, line)
    for k in range(petals):
        angle = 2 * np.pi * k / petals
        away = centre + reach * rng.choice([0.6, 1.0]) * np.array([np.cos(angle), np.sin(angle)])
        if rng.random() < 0.5:
            _disc(canvas, away, reach * 0.28, colour, line)
        if rng.random() < 0.4:
            _disc(canvas, away, rng.uniform(1.5, 5), colour)
        axes = (round(reach * 0.4), max(2, round(reach * 0.12)))
        if rng.random() < 0.4:
            cv2.ellipse(
                canvas, away.astype(int).tolist(), axes, np.degrees(angle), 0, 360, colour, line, cv2.LINE_AA
            )


def _plank(canvas: Image, rng: Rng) -> None:
    """A strip of frame or bar, with bevels."""
    side = canvas.shape[0]
    start, width = int(rng.integers(0, side)), int(rng.integers(16, 60))
    strip = _material(rng, side, _earthy(rng))[:, :width]
    upright = rng.random() < 0.5
    room = min(width, side - start)
    strip = strip[:, :room]
    strip[:, : max(1, width // 12)] = (strip[:, : max(1, width // 12)] * 0.5).astype(np.uint8)
    if upright:
        canvas[:, start : start + room] = strip
    else:
        canvas[start : start + room] = strip.transpose(1, 0, 2)


def _dots(canvas: Image, rng: Rng) -> None:
    """Round spots in rows, rings or loose groups, on the flat ground: pips without a die."""
    side = canvas.shape[0]
    place, gap = rng.uniform(0, side, 2), rng.uniform(5, 22)
    colour, radius = _earthy(rng), rng.uniform(1.2, 4.5)
    layout = rng.integers(3)
    count = int(rng.integers(1, 8))
    for k in range(count):
        if layout == 0:
            spot = place + gap * k * np.array([1.0, 0.3])
        elif layout == 1:
            angle = 2 * np.pi * k / count
            spot = place + gap * np.array([np.cos(angle), np.sin(angle)])
        else:
            spot = place + rng.normal(0, gap, 2)
        _disc(canvas, spot, radius, colour)


def _screws(canvas: Image, rng: Rng) -> None:
    """A hinge plate or lock with its screws."""
    side = canvas.shape[0]
    x, y = (int(v) for v in rng.integers(0, side, 2))
    w, h = int(rng.integers(14, 50)), int(rng.integers(18, 56))
    metal = np.array(rng.choice([[170, 175, 180], [90, 160, 200], [60, 60, 65]])) * rng.uniform(0.6, 1.2)
    cv2.rectangle(canvas, (x, y), (x + w, y + h), metal.clip(0, 255).tolist(), -1)
    cv2.rectangle(canvas, (x, y), (x + w, y + h), (metal * 0.6).tolist(), 1)
    across, down = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    for i in range(across):
        for j in range(down):
            spot = (x + w * (i + 0.5) / across, y + h * (j + 0.5) / down)
            radius = rng.uniform(2, 5)
            _disc(canvas, spot, radius, metal * rng.choice([0.5, 1.25]))
            if rng.random() < 0.5:
                _disc(canvas, spot, radius * 0.5, metal * 0.4)
    if rng.random() < 0.5:
        cv2.line(canvas, (x + w // 2, y), (x + w // 2, y + h), (metal * 0.5).tolist(), 1, cv2.LINE_AA)


def _letters(canvas: Image, rng: Rng) -> None:
    """A line of print, now and then on a label or a display."""
    side = canvas.shape[0]
    text = "".join(rng.choice(list("0123456789:.ABDEGOQRSXWNTLOaegmopsw8&"), int(rng.integers(1, 9))))
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX]))
    size, thick = rng.uniform(0.3, 1.8), int(rng.integers(1, 6))
    (w, h), _ = cv2.getTextSize(text, font, size, thick)
    label = np.zeros((h + 20, w + 20, 3), np.uint8)
    label[:] = _earthy(rng)
    cv2.putText(label, text, (10, h + 8), font, size, _earthy(rng), thick, cv2.LINE_AA)
    if rng.random() < 0.5:
        label = np.ascontiguousarray(label.transpose(1, 0, 2))
    x, y = (int(v) for v in rng.integers(0, side, 2))
    room = canvas[y : y + label.shape[0], x : x + label.shape[1]]
    part = label[: room.shape[0], : room.shape[1]]
    if rng.random() < 0.4:
        room[:] = part
    else:  # print straight on the ground
        ink = np.abs(part.astype(int) - label[0, 0]).max(axis=2) > 20
        room[ink] = part[ink]


def _inlay(canvas: Image, rng: Rng) -> None:
    """A thin strip of wood or shell in alternating colours, as around the points of eastern boards."""
    side = canvas.shape[0]
    start, heading = rng.uniform(0, side, 2), rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(heading), np.sin(heading)])
    across = np.array([-along[1], along[0]]) * rng.uniform(1.5, 7)
    step = rng.uniform(3, 11)
    colours = [_earthy(rng) for _ in range(int(rng.integers(2, 5)))]
    for k in range(int(rng.integers(8, 60))):
        a, b = start + along * step * k, start + along * step * (k + rng.uniform(0.6, 1.0))
        _fill(canvas, np.array([a - across, b - across, b + across, a + across]), colours[k % len(colours)])


def _mosaic(canvas: Image, rng: Rng) -> None:
    """A panel of squares or an eight-pointed star."""
    side = canvas.shape[0]
    x, y = rng.uniform(0, side, 2)
    colours = [_earthy(rng) for _ in range(int(rng.integers(2, 4)))]
    if rng.random() < 0.5:
        cell, count = rng.uniform(4, 14), int(rng.integers(2, 9))
        for i in range(count):
            for j in range(count):
                corner = np.array([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]) * cell + (x, y)
                _fill(canvas, corner, colours[(i + j) % len(colours)])
        return
    reach = rng.uniform(8, 40)
    for k in range(16):
        angles = np.array([k, k + 1]) * np.pi / 8 + rng.uniform(0, 0.02)
        far = reach * np.array([1.0, 0.5] if k % 2 else [0.5, 1.0])
        tips = np.column_stack([x + np.cos(angles) * far, y + np.sin(angles) * far])
        _fill(canvas, np.vstack([tips, [[x, y]]]), colours[k % len(colours)])


def _mesh(canvas: Image, rng: Rng) -> None:
    """Round holes or studs in a regular grid: cloth, a loudspeaker, a keyboard."""
    side = canvas.shape[0]
    x, y = rng.uniform(0, side, 2)
    gap, radius, colour = rng.uniform(4, 14), rng.uniform(0.2, 0.45), _earthy(rng)
    shear = rng.uniform(-0.5, 0.5)
    for i in range(int(rng.integers(4, 16))):
        for j in range(int(rng.integers(4, 16))):
            _disc(canvas, (x + gap * (i + shear * j), y + gap * j), gap * radius, colour)


def _patch(canvas: Image, rng: Rng) -> None:
    """A plain square thing: a card, a chip, a shadow's edge, the side of something."""
    side = canvas.shape[0]
    size = (float(rng.uniform(12, 70)), float(rng.uniform(12, 70)))
    x, y = rng.uniform(0, side, 2)
    quad = cv2.boxPoints(((float(x), float(y)), size, float(rng.uniform(0, 90))))
    _fill(canvas, quad, _earthy(rng))
    if rng.random() < 0.3:
        _disc(canvas, (float(x), float(y)), rng.uniform(2, 6), _earthy(rng))


def _checker(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    centre, radius = rng.uniform(0, side, 2), rng.uniform(17, 34)
    kind = rng.random()
    colour = np.array(
        _earthy(rng) if kind < 0.5 else (235, 238, 240) if kind < 0.75 else (28, 26, 26), np.float64
    )
    angle, height = rng.uniform(0, 2 * np.pi), rng.uniform(0, 10)
    lean = np.array([np.cos(angle), np.sin(angle)])
    for _ in range(int(rng.integers(1, 4))):
        shadow = centre + lean * (height + 3)
        _disc(canvas, shadow, radius * 1.04, colour * 0.25)
        _disc(canvas, centre + lean * height * 0.6, radius, colour * 0.6)
        _disc(canvas, centre, radius, colour)
        for _ in range(int(rng.integers(0, 5))):
            line = int(rng.integers(1, 4))
            _disc(canvas, centre, radius * rng.uniform(0.1, 0.97), colour * rng.uniform(0.6, 1.4), line)
        if rng.random() < 0.3:
            _disc(canvas, centre, radius * rng.uniform(0.08, 0.5), _earthy(rng))
        if rng.random() < 0.15:
            spots = int(rng.integers(3, 9))
            for k in range(spots):
                turn = 2 * np.pi * k / spots
                ring = radius * 0.6 * np.array([np.cos(turn), np.sin(turn)])
                _disc(canvas, centre + ring, rng.uniform(1.5, 4), colour * rng.choice([0.5, 1.6]))
        if rng.random() < 0.4:  # a spot of gloss
            _disc(canvas, centre + rng.normal(0, radius * 0.3, 2), rng.uniform(1, 7), (250, 250, 250))
        centre = centre + (lean * height if rng.random() < 0.3 else rng.normal(0, radius * 1.2, 2))


def _coin(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    centre, radius = rng.uniform(0, side, 2), rng.uniform(6, 16)
    metal = np.array(rng.choice([[170, 175, 180], [80, 150, 200], [60, 90, 150]])) * rng.uniform(0.7, 1.2)
    _disc(canvas, centre, radius, metal)
    _disc(canvas, centre, radius * 0.85, metal * 0.8, 1)
    _disc(canvas, centre + rng.normal(0, 1, 2), radius * 0.4, metal * rng.choice([0.7, 1.3]))


def _skin(rng: Rng) -> Colour:
    tone = rng.uniform(0.25, 1.1)
    b, g, r = np.clip(np.array([140, 165, 215]) * tone + rng.normal(0, 8, 3), 0, 255)
    return float(b), float(g), float(r)


def _finger_mask(rng: Rng, side: int) -> NDArray[np.uint8]:
    mask = np.zeros((side, side), np.uint8)
    root, heading = rng.uniform(0, side, 2), rng.uniform(0, 2 * np.pi)
    away = root + side * np.array([np.cos(heading), np.sin(heading)])
    for k in range(int(rng.integers(1, 5))):
        shift = np.array([-np.sin(heading), np.cos(heading)]) * k * rng.uniform(16, 30) * side / 256
        start, end = (root + shift).astype(int).tolist(), (away + shift).astype(int).tolist()
        cv2.line(mask, start, end, 255, int(side / 256 * rng.uniform(18, 36)), cv2.LINE_AA)
    return mask


def _blend(canvas: Image, mask: NDArray[np.uint8], colour: Colour, rng: Rng) -> None:
    """Lay a rounded, softly lit body of one colour over the canvas, in place."""
    round_ = cv2.GaussianBlur(mask, (0, 0), canvas.shape[0] * 0.02).astype(np.float32)[..., None] / 255
    alpha = mask.astype(np.float32)[..., None] / 255
    body = np.array(colour, np.float32) * (0.35 + 0.75 * round_**2)
    canvas[:] = np.clip(canvas * (1 - alpha) + body * alpha, 0, 255).astype(np.uint8)


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


def _camera(canvas: Image, rng: Rng) -> tuple[Image, float]:
    """What a camera makes of the drawn scene; gives the tile and its blur in pixels."""
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
    light *= rng.uniform(0.85, 1.15, 3).astype(np.float32) * np.float32(np.exp(rng.normal(0, 0.3)))
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
