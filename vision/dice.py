"""Dice and the doubling cube: where they lie, what they show and how they lie.

The finder (``models/dice.onnx``) looks over a picture scaled so that a die's edge is about 13 pixels. The
reader (``models/dice_reader.onnx``) looks closely at each place that the finder names and says whether it is
a die, a cube or neither, what it shows, and how its upper face slopes as the camera sees it. Where the board
is known so is the camera's slope, and the difference tells a cocked die from a flat one seen aslant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

import models
from engine.observation import Box, DieReading, DieState, Half, PointXY, SlotReading
from hardware.camera import Image
from vision.appearance import Stance
from vision.geometry import FieldMap, boxes_overlap
from vision.touching import gap
from vision.warp import smaller, warped

NETWORK_EDGE = 13.0  #: pixels of a die's edge that the finder looks at; it learnt from 9 to 28
DIE_SIZE = 0.03  #: edge of a usual die as a share of the field's width (measured: 0.020-0.046)
_SMALLEST, _LARGEST = 0.014, 0.065  #: edges of dice and cubes that can be, as such shares
_CELL = 8
_BOX_UNIT = 16.0
_PATCH = 64  #: side of what the reader sees
_PATCH_EDGE = 26.0  #: pixels of an edge there
_MOST = 20  #: places of a picture that the reader looks at, the likeliest ones
_BATCH = 16  # patches that the reader looks at in one run
_APART = 0.5  # edges between the middles of two places
_SCALE_STEP = 1.5  # between two scales at which dice of unknown size are looked for
_DOUBTFUL = 0.3  #: probability of the reader at one look from which it looks at a place in four ways
#: Slopes beyond this are cocked. Of drawn flat dice half are seen to within 7 degrees, 3 in 4 to within 13.
_COCKED_DEGREES = 17.0
#: By how much slopes of flat dice are misjudged, and from which slope on a die says nothing of the camera.
_SLOPE_ERROR, _PLAINLY_COCKED = 8.0, 25.0
_REMEMBERED = 24  #: dice by which the camera is known
#: Probability of its value from which a die that is not cocked is one: what lies flat can be read. On drawn
#: dice held out it takes a quarter of the false ones and one in a hundred of those that are read right.
_TOLD = 0.4
_RIM = 0.06  #: width of a board's rim as a share of the field's width
#: A die of a pair is as large as the other and of its colour: ratio of edges; L*, a* and b* in 8 bits.
_AS_LARGE, _AS_LIGHT, _AS_COLOURED = 1.12, 40.0, 12.0


@dataclass(frozen=True, slots=True)
class _Care:
    """How closely a picture is looked at.

    ``found``: probability of the finder from which the reader looks at a place. ``sizes``: in which it looks,
    as shares of what it learnt from. ``sure``: probability of the reader from which a thing is a die or cube.
    """

    found: float
    sizes: tuple[float, ...]
    sure: float


_ONE_OF_MANY = _Care(0.12, (1.0,), 0.7)
#: Of 2272 drawn dice held out 2000 are read right so, with 36 false ones; as one of many 1987, with 45.
_ALONE = _Care(0.08, (1.0, 0.88, 1.14), 0.75)


@dataclass(frozen=True, slots=True)
class Die:
    """A die or a doubling cube as the networks see it, in pixels of the picture.

    ``values``: probabilities of a die's 1-6. ``cube_values``: of a cube's 2, 4, 8, 16, 32, 64. ``up``: x and
    y of the unit normal of its upper face, in the frame of the ray that goes through it. ``confidence``: that
    it is a die. ``cube``: that it is a cube.
    """

    box: Box
    values: tuple[float, ...]
    cube_values: tuple[float, ...]
    up: tuple[float, float]
    confidence: float
    cube: float

    @property
    def centre(self) -> PointXY:
        """Middle of the box."""
        return _middle(self.box)

    @property
    def edge(self) -> float:
        """Length of an edge, from the box: a cube turned at random covers about 1.3 edges."""
        return _edge(self.box)


@dataclass(frozen=True, slots=True)
class CubeReading:
    """The doubling cube. ``value``: 2-64. ``box``: in pixels. ``confidence``: that it is one at all."""

    value: int
    box: Box
    confidence: float


class DiceReader:
    """Finds and reads dice and the cube.

    ``die_size``: edge of the dice in use as a share of the field's width, where known. ``learn``: the
    pictures are of one camera, whose view of a field is learnt from how dice lie there; else nothing is kept
    from one to the next, and each is looked at more closely.
    """

    def __init__(self, *, die_size: float = DIE_SIZE, threads: int = 1, learn: bool = False) -> None:
        self.die_size = die_size
        self._learn = learn
        self._field: FieldMap | None = None
        self._lying: list[_Lay] = []
        self._care = _ONE_OF_MANY if learn else _ALONE
        self._finder = models.load("dice", threads)
        self._reader = models.load("dice_reader", threads)

    def read(
        self,
        image: Image,
        field: FieldMap,
        *,
        slots: Sequence[SlotReading] = (),
        changed: NDArray[np.bool_] | None = None,
        stance: Stance | None = None,
    ) -> tuple[DieReading, ...]:
        """The dice on the field, on its frame and on the table around it.

        ``slots``: 24 readings, to tell a die that lies on checkers. ``changed``: bool of the picture's
        (height, width); only dice that overlap it are looked for. ``stance``: how checkers stand on this
        board, to tell a die that touches one.
        """
        return self.read_all(image, field, slots=slots, changed=changed, stance=stance)[0]

    def read_all(
        self,
        image: Image,
        field: FieldMap,
        *,
        slots: Sequence[SlotReading] = (),
        changed: NDArray[np.bool_] | None = None,
        stance: Stance | None = None,
    ) -> tuple[tuple[DieReading, ...], CubeReading | None]:
        """As :meth:`read`, and the doubling cube, the likeliest where several seem to lie about."""
        width = _field_width(field)
        scale = NETWORK_EDGE / (self.die_size * width)
        whole = _around(field, 0.2 * width, image.shape)
        reach = 2.5 * self.die_size * width
        areas = [whole] if changed is None else _areas(changed, whole, reach)
        places: list[tuple[Box, float]] = []
        for area in areas:
            places += self._find(image, area, scale)
        if changed is not None:
            places = [place for place in places if _touches(changed, place[0])]
        found = [d for d in self._look(image, places) if _SMALLEST < d.edge / width < _LARGEST]
        if not self._learn:
            found = _paired(image, found, self._care.sure)
        self._remember(field, [_Lay.of(die) for die in found if die.confidence >= self._care.sure])
        camera = _Camera.over(field, image.shape[1], image.shape[0], self._lying)
        dice = []
        for die in found:
            if die.confidence >= self._care.sure:
                reading = _place(die, field, camera, slots)
                if stance is not None and slots and reading.state == "flat" and reading.half != "off":
                    seen = gap(image, field, stance, slots, die.box, die.edge)
                    reading = replace(reading, touching=0.0 if seen is None else seen.touching)
                dice.append(reading)
        shown = tuple(die for die in dice if die.state == "cocked" or max(die.values) >= _TOLD)
        return shown, _cube(found, self._care.sure)

    def _remember(self, field: FieldMap, dice: Sequence[_Lay]) -> None:
        """Keep how dice lay on a field; of two in one place the later one."""
        if field is not self._field or not self._learn:
            self._field, self._lying = field, []
        kept = [
            old for old in self._lying if all(math.dist(old.centre, die.centre) > die.edge for die in dice)
        ]
        self._lying = [*kept, *dice][-_REMEMBERED:]

    def read_loose(self, image: Image) -> tuple[DieReading, ...]:
        """The dice in a picture of unknown scale without a board.

        Dice are looked for whose edge is from 16 pixels, or a ninetieth of the picture's longer side where
        that is more, to half its shorter side. ``centre`` is in shares of the picture's sides, ``half`` is
        ``off`` and every die counts as flat.
        """
        height, width = image.shape[:2]
        places: list[tuple[Box, float]] = []
        edge = max(16.0, max(height, width) / 90)
        while edge <= max(16.0, 0.5 * min(height, width)):
            places += self._find(image, (0, 0, width, height), NETWORK_EDGE / edge)
            edge *= _SCALE_STEP
        found = self._look(image, places, most=5 * _MOST)
        out = []
        for die in found:
            if die.confidence >= self._care.sure and max(die.values) >= _TOLD:
                x, y = die.centre
                out.append(_reading(die, (("flat", 1.0),), (x / width, y / height), "off"))
        return tuple(out)

    def _find(self, image: Image, area: tuple[int, int, int, int], scale: float) -> list[tuple[Box, float]]:
        """Places in an area (x0, y0, x1, y1) of the picture that may hold a die, and how likely they do."""
        x0, y0, x1, y1 = area
        part = image[y0:y1, x0:x1]
        if min(part.shape[:2]) < 4:
            return []
        size = (max(8, round(part.shape[1] * scale)), max(8, round(part.shape[0] * scale)))
        down, right = -size[1] % _CELL, -size[0] % _CELL
        small = cv2.copyMakeBorder(smaller(part, size), 0, down, 0, right, cv2.BORDER_REPLICATE)
        cells = _run(self._finder, [small])[0]
        rows, columns = np.nonzero(cells[0] > _logit(self._care.found))
        heat, sides = cells[0, rows, columns], cells[1:5, rows, columns].astype(float).T * _BOX_UNIT
        middles = np.stack([columns, rows], axis=1) * _CELL + (_CELL - 1) / 2
        # Pixel centres lie at whole numbers in the small picture, borders of pixels half a pixel before.
        stretch = np.array([part.shape[1] / size[0], part.shape[0] / size[1]] * 2)
        boxes = np.hstack([middles, middles]) + np.maximum(sides, 1.0) * (-1, -1, 1, 1)
        boxes = (boxes + 0.5) * stretch - 0.5 + (x0, y0, x0, y0)
        return [(_box(boxes[k]), _chance(float(heat[k]))) for k in _tops(heat, boxes)]

    def _look(self, image: Image, places: Sequence[tuple[Box, float]], most: int = _MOST) -> list[Die]:
        """What the reader makes of the places: dice and cubes, each once, the surest first.

        A quick look sorts most of them out; what is left is looked at once more around its own box, turned
        in four ways, in a picture alone in three sizes.
        """
        boxes = [box for box, _ in sorted(places, key=lambda place: -place[1])][:most]
        quick = [
            _decode(box, one[None])
            for box, one in zip(boxes, self._read([_patch(image, box) for box in boxes]), strict=True)
        ]
        likely = _best([die for die in quick if max(die.confidence, die.cube) > _DOUBTFUL])
        ways = [(size, quarter) for size in self._care.sizes for quarter in range(4)]
        patches = [_patch(image, die.box, size) for die in likely for size in self._care.sizes]
        seen = self._read([np.rot90(patch, quarter) for patch in patches for quarter in range(4)])
        upright = [_as_read(one, *way) for one, way in zip(seen, ways * len(likely), strict=True)]
        looks = [upright[start : start + len(ways)] for start in range(0, len(upright), len(ways))]
        return _best([_decode(die.box, np.stack(one)) for die, one in zip(likely, looks, strict=True)])

    def _read(self, patches: Sequence[Any]) -> list[NDArray[np.float32]]:
        """What the reader says of patches, uint8 (64, 64, 3) each: float32 (21,) each."""
        out: list[NDArray[np.float32]] = []
        for start in range(0, len(patches), _BATCH):
            out += list(_run(self._reader, patches[start : start + _BATCH]))
        return out


@dataclass(frozen=True, slots=True)
class _Camera:
    """What the map of a field tells of the camera: focal length, middle and the table's normal.

    The principal point is taken to be the picture's middle. The focal length is the one that best makes
    the field's sides meet at right angles (Hartley and Zisserman, *Multiple View Geometry*, example 8.27)
    and gives a field of usual shape; seen from above the first says little, and a usual lens decides.
    """

    focal: float
    middle: tuple[float, float]
    normal: NDArray[np.float64]
    aspect: float  #: the field's height over its width

    @classmethod
    def over(cls, field: FieldMap, width: int, height: int, lying: Sequence[_Lay] = ()) -> _Camera:
        """The camera over a field. ``lying``: dice, most of them flat, whose slopes have a say too."""
        middle = (width / 2, height / 2)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        plain = (field.corners - np.array(middle)).astype(np.float32)
        h = cv2.getPerspectiveTransform(square, plain).astype(np.float64)
        usual = 0.75 * max(width, height)  # 67 degrees across: telephones and the Pi's camera
        factors = np.geomspace(0.5, 2.5, 33)
        lens = np.stack([1 / (usual * factors), 1 / (usual * factors), np.ones(len(factors))])
        across, down = h[:, :1] * lens, h[:, 1:2] * lens
        wide, deep = np.linalg.norm(across, axis=0), np.linalg.norm(down, axis=0)
        askew = (across * down).sum(axis=0) / (wide * deep)
        cost = (askew / 0.02) ** 2 + (np.log(factors) / 0.25) ** 2 + (np.log(deep / wide / 0.85) / 0.12) ** 2
        normals = np.cross(across, down, axis=0).T
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        normals *= np.where(normals[:, 2:] > 0, -1, 1)  # towards the camera, which looks along +z
        if lying:
            flat = _up(normals, usual * factors, np.array([die.centre for die in lying]) - middle)
            leans = _degrees(flat, np.array([die.up for die in lying]))
            cost += (np.minimum(leans, _PLAINLY_COCKED) ** 2).sum(axis=1) / _SLOPE_ERROR**2
        best = int(cost.argmin())
        return cls(usual * float(factors[best]), middle, normals[best], float(deep[best] / wide[best]))

    def up(self, place: PointXY) -> NDArray[np.float64]:
        """The table's normal as :attr:`Die.up` would show it for a flat die at a pixel; three numbers.

        z points towards the camera along the ray through the pixel.
        """
        aside = np.array([[place[0] - self.middle[0], place[1] - self.middle[1]]])
        return np.asarray(_up(self.normal[None], np.array([self.focal]), aside)[0, 0], np.float64)


def _up(
    normals: NDArray[np.float64], focals: NDArray[np.float64], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Normals (k, 3) of a table in the frames of the rays through n pixels, (k, n, 3), as :attr:`Die.up`.

    ``focals``: (k,), of the cameras with those normals. ``places``: (n, 2), from the middle of the picture.
    Each ray is turned onto the optical axis the shortest way (Rodrigues' formula).
    """
    rays = np.empty((len(focals), len(places), 3))
    rays[..., :2], rays[..., 2] = places, focals[:, None]
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    axis = np.stack([rays[..., 1], -rays[..., 0], np.zeros(rays.shape[:2])], axis=2)
    once = np.cross(axis, normals[:, None])
    turned = normals[:, None] + once + np.cross(axis, once) / (1 + rays[..., 2:])
    return np.asarray(turned * (1, 1, -1), np.float64)


def _degrees(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Degrees between unit vectors along the last axis."""
    return np.asarray(np.degrees(np.arccos(np.clip((a * b).sum(axis=-1), -1, 1))), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Lay:
    """How a die lay: its middle in pixels, and the unit normal (3,) of its upper face as it was seen."""

    centre: PointXY
    edge: float
    up: NDArray[np.float64]

    @classmethod
    def of(cls, die: Die) -> _Lay:
        x, y = die.up
        up = np.array([x, y, math.sqrt(max(0.0, 1 - x * x - y * y))])
        return cls(die.centre, die.edge, up / np.linalg.norm(up))


def _place(die: Die, field: FieldMap, camera: _Camera, slots: Sequence[SlotReading]) -> DieReading:
    """What lies where: the reading of a die from its looks and the board around it."""
    up = camera.up(die.centre)
    x, y = die.centre
    foot = (x - 0.5 * die.edge * up[0], y - 0.5 * die.edge * up[1])
    u, v = (float(n) for n in field.to_board([foot])[0])
    lean = float(_degrees(_Lay.of(die).up, up))
    cocked = _ramp(lean, _COCKED_DEGREES, 1.5)

    outside = max(-u, u - 1, -v * camera.aspect, (v - 1) * camera.aspect)
    off = _ramp(outside, _RIM, 0.01)
    frame = _ramp(outside, 0.004, 0.004)
    left, right = field.bar
    if right - left > 0.02:
        frame = max(frame, _ramp(min(u - left, right - u), 0.004, 0.004))
    checker = _on_checkers((u, v), field, camera.aspect, slots)
    rest = 1 - off
    states: list[tuple[DieState, float]] = [("off_board", off)]
    for name, share in (("cocked", cocked), ("on_frame", frame), ("on_checker", checker)):
        states.append((name, rest * share))  # type: ignore[arg-type]
        rest *= 1 - share
    states.append(("flat", rest))
    states.sort(key=lambda item: -item[1])
    return _reading(die, tuple(states), (u, v), field.half_of((u, v)))


def _on_checkers(place: PointXY, field: FieldMap, aspect: float, slots: Sequence[SlotReading]) -> float:
    """The probability that a place in board units lies over a slot's checkers.

    A stack reaches as many checkers' widths into the field as it holds, five at most: more lie on top.
    """
    slot = field.slot_at(place) if slots else None
    if slot is None or not slots[slot].visible:
        return 0.0
    wide = 0.96 * field.point_width
    depth = (place[1] if slot < 12 else 1 - place[1]) * aspect
    aside = abs(place[0] - field.slot_x(slot))
    chance = 0.0
    for count, share in slots[slot].counts:
        if count:
            reach = min(abs(count), 5) * wide
            inside = min(reach - depth, wide / 2 - aside)
            chance += share * _ramp(inside, 0.0, 0.004)
    return chance


def _field_width(field: FieldMap) -> float:
    """Length in pixels of the field's middle line from left to right."""
    a, b, c, d = field.corners
    return float(np.linalg.norm((b + c) / 2 - (a + d) / 2))


def _around(field: FieldMap, margin: float, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    low = np.maximum(0, np.floor(field.corners.min(axis=0) - margin)).astype(int)
    high = np.clip(np.ceil(field.corners.max(axis=0) + margin), 0, (shape[1], shape[0])).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _areas(
    changed: NDArray[np.bool_], whole: tuple[int, int, int, int], reach: float
) -> list[tuple[int, int, int, int]]:
    """Rectangles that hold all that changed, each with ``reach`` pixels more on every side."""
    x0, y0, x1, y1 = whole
    step = 4  # a coarse mask is enough
    mask = np.ascontiguousarray(changed[y0:y1, x0:x1]).astype(np.uint8) * 255
    size = (math.ceil(mask.shape[1] / step), math.ceil(mask.shape[0] / step))
    coarse = (cv2.resize(mask, size, interpolation=cv2.INTER_AREA) > 0).astype(np.uint8)
    side = 2 * max(1, round(reach / step)) + 1
    grown = cv2.dilate(coarse, np.ones((side, side), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(grown)
    out = []
    for x, y, w, h in stats[1:count, :4].tolist():
        left, top = x0 + x * step, y0 + y * step
        out.append((left, top, min(x1, left + w * step), min(y1, top + h * step)))
    area = sum((c - a) * (d - b) for a, b, c, d in out)
    return out if area < 0.8 * (x1 - x0) * (y1 - y0) else [whole]


def _touches(changed: NDArray[np.bool_], box: Box) -> bool:
    """Whether a fair part of a box has changed."""
    x0, y0, x1, y1 = (max(0, round(v)) for v in box)
    part = changed[y0:y1, x0:x1]
    return part.size > 0 and float(part.mean()) > 0.2


def _tops(heat: NDArray[np.float32], boxes: NDArray[np.float64]) -> list[int]:
    """Which boxes to keep: the likeliest first, no two with middles within half an edge of each other.

    Cells that are next to each other may well see two dice that touch, and then their boxes tell.
    """
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    reach = _APART * (boxes[:, 2:] - boxes[:, :2]).sum(axis=1) / 2.6
    kept: list[int] = []
    for k in np.argsort(-heat, kind="stable").tolist():
        away = np.hypot(*(middles[kept] - middles[k]).T)
        if np.all(away > np.maximum(reach[kept], reach[k])):
            kept.append(k)
    return kept


def _run(network: Any, pictures: Sequence[Any]) -> NDArray[np.float32]:
    batch = np.stack(pictures).transpose(0, 3, 1, 2)
    batch = np.multiply(batch, np.float32(1 / 255), dtype=np.float32, order="C")
    return network.run(None, {"image": batch})[0]  # type: ignore[no-any-return]


def _patch(image: Image, box: Box, size: float = 1.0) -> Image:
    """What the reader sees of a box, or of one ``size`` times as large: uint8 (64, 64, 3)."""
    scale = _PATCH_EDGE / (size * _edge(box))
    half = (_PATCH - 1) / 2
    x, y = _middle(box)
    matrix = np.array([[1 / scale, 0, x - half / scale], [0, 1 / scale, y - half / scale], [0, 0, 1]])
    if scale < 0.8:  # many pixels to one: smooth first, or the pips alias
        reach = math.ceil(half / scale) + 2
        left, top = max(0, round(x) - reach), max(0, round(y) - reach)
        image = image[top : max(top + 1, round(y) + reach), left : max(left + 1, round(x) + reach)]
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / scale)  # type: ignore[assignment]
        matrix[:2, 2] -= (left, top)
    return warped(image, matrix, (_PATCH, _PATCH))


def _decode(box: Box, seen: NDArray[np.float32]) -> Die:
    """A die from one or more looks (n, 21) at a patch that was cut around ``box``."""
    mean = seen.mean(axis=0).astype(float)
    up = (float(mean[19]), float(mean[20]))
    _, die, cube = _softmax(mean[:3])
    left, top, right, bottom = (float(v) for v in mean[15:19] * _BOX_UNIT * _edge(box) / _PATCH_EDGE)
    x, y = _middle(box)
    own = box
    if left + right > 4 and top + bottom > 4:
        own = (x - left, y - top, x + right, y + bottom)
    return Die(own, _softmax(mean[3:9]), _softmax(mean[9:15]), up, die, cube)


def _as_read(seen: NDArray[np.float32], size: float, quarters: int) -> NDArray[np.float32]:
    """What was seen of a patch of some ``size``, turned by ``numpy.rot90`` so often, as of a plain one."""
    out = seen.copy()
    out[15:19] *= size
    for _ in range(quarters):  # what was to the right has come to lie above
        left, top, right, bottom = out[15:19].copy()
        x, y = out[19:21].copy()
        out[15:19] = bottom, left, top, right
        out[19:21] = -y, x
    return out


def _paired(image: Image, found: Sequence[Die], floor: float) -> list[Die]:
    """What was found in a picture, a cube that is the other one of a pair of dice named as a die.

    Dice come in pairs of one kind; a doubling cube is usually larger and of another colour.
    """
    dice = [die for die in found if die.confidence >= floor]
    if len(dice) % 2 == 0:
        return list(found)

    def is_other(thing: Die) -> bool:
        return thing.cube >= floor and any(_alike(image, thing, die) for die in dice)

    other = next((thing for thing in found if is_other(thing)), None)
    return [
        replace(thing, confidence=thing.confidence + thing.cube, cube=0.0) if thing is other else thing
        for thing in found
    ]


def _alike(image: Image, one: Die, other: Die) -> bool:
    if not 1 / _AS_LARGE < one.edge / other.edge < _AS_LARGE:
        return False
    lightness, *colour = np.abs(_colour(image, one) - _colour(image, other)).tolist()
    return bool(lightness < _AS_LIGHT and max(colour) < _AS_COLOURED)


def _colour(image: Image, die: Die) -> NDArray[np.float64]:
    """L*, a* and b* in 8 bits of a die between its pips, float64 (3,)."""
    (x, y), reach = die.centre, 0.45 * die.edge
    rows, columns = (  # of a die that is cut off by the picture's edge at least that edge
        slice(min(max(0, round(v - reach)), size - 1), max(0, round(v + reach)) + 1)
        for v, size in zip((y, x), image.shape[:2], strict=True)
    )
    middle = np.median(image[rows, columns].reshape(-1, 3), axis=0).astype(np.uint8)
    return np.asarray(cv2.cvtColor(middle[None, None], cv2.COLOR_BGR2LAB)[0, 0], np.float64)


def _cube(found: Sequence[Die], floor: float) -> CubeReading | None:
    best = max(found, key=lambda die: die.cube, default=None)
    if best is None or best.cube < floor:
        return None
    return CubeReading(2 ** (1 + int(np.argmax(best.cube_values))), best.box, best.cube)


def _reading(die: Die, states: tuple[tuple[DieState, float], ...], centre: PointXY, half: Half) -> DieReading:
    a, b, c, d, e, f = die.values
    return DieReading((a, b, c, d, e, f), states, die.box, centre, half, die.confidence)


def _middle(box: Box) -> PointXY:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _edge(box: Box) -> float:
    return max(1.0, (box[2] - box[0] + box[3] - box[1]) / 2.6)


def _box(sides: NDArray[Any]) -> Box:
    x0, y0, x1, y1 = (float(v) for v in sides)
    return x0, y0, x1, y1


def _best(dice: Sequence[Die]) -> list[Die]:
    """The dice, the surest first, without those that are another seen twice or a part of one."""
    kept: list[Die] = []
    for die in sorted(dice, key=lambda die: -max(die.confidence, die.cube)):
        for other in kept:
            apart = math.hypot(die.centre[0] - other.centre[0], die.centre[1] - other.centre[1])
            large = max(die.edge, other.edge)
            if apart < 0.6 * large or boxes_overlap(die.box, other.box) > 0.5:
                break
        else:
            kept.append(die)
    return kept


def _ramp(value: float, middle: float, width: float) -> float:
    """The logistic function: 0.5 at ``middle``, 0.73 one ``width`` above it."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, (value - middle) / width))))


def _logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _softmax(logits: NDArray[Any]) -> tuple[float, ...]:
    share = np.exp(logits - logits.max())
    return tuple(float(v) for v in share / share.sum())
