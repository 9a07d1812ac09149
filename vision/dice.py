"""Dice: where they lie, what they show and how they lie.

One network (``models/dice.onnx``) finds and reads dice in a picture scaled so that a die's edge is
about 24 pixels. It also gives the slope of the upper face as the camera sees it. Where the board is
known so is the camera's slope, and the difference tells a cocked die from a flat one seen aslant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

import models
from engine.observation import Box, DieReading, DieState, PointXY, SlotReading
from hardware.camera import Image
from vision.geometry import FieldMap, boxes_overlap

NETWORK_EDGE = 24.0  #: pixels of a die's edge that the network is made for
DIE_SIZE = 0.036  #: edge of a usual die as a share of the field's width (measured: 0.026-0.046)
_CELL = 8
_BOX_UNIT = 16.0
_REFINE = 64  #: side of the patch on which a die is read again, in network pixels
_COCKED_DEGREES = (
    17.0  #: slopes beyond this are cocked; of flat dice 9 in 10 are seen to within 13, cocked ones from 20
)
_RIM = 0.06  #: width of a board's rim as a share of the field's width


@dataclass(frozen=True, slots=True)
class Die:
    """A die as the network sees it, in pixels of the picture.

    ``up``: x and y of the unit normal of its upper face, in the frame of the ray that goes through it.
    """

    box: Box
    values: tuple[float, float, float, float, float, float]
    up: tuple[float, float]
    confidence: float

    @property
    def centre(self) -> PointXY:
        """Middle of the box."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2

    @property
    def edge(self) -> float:
        """Length of an edge, from the box: a cube turned at random covers about 1.3 edges."""
        return (self.box[2] - self.box[0] + self.box[3] - self.box[1]) / 2.6


class DiceReader:
    """Finds and reads dice. Holds no state between pictures.

    ``die_size``: edge of the dice in use as a share of the field's width, where known. ``floor``: the
    lowest probability of being a die at which one is reported.
    """

    def __init__(self, *, die_size: float = DIE_SIZE, floor: float = 0.6, threads: int = 1) -> None:
        self.die_size = die_size
        self.floor = floor
        self._network = models.load("dice", threads)

    def read(
        self,
        image: Image,
        field: FieldMap,
        *,
        slots: Sequence[SlotReading] = (),
        changed: NDArray[np.bool_] | None = None,
    ) -> tuple[DieReading, ...]:
        """The dice on the field, on its frame and on the table around it.

        ``slots``: 24 readings, to tell a die that lies on checkers. ``changed``: bool of the picture's
        (height, width); only dice that overlap it are looked for.
        """
        width = _field_width(field)
        scale = NETWORK_EDGE / (self.die_size * width)
        whole = _around(field, 0.2 * width, image.shape)
        reach = 1.6 * self.die_size * width
        areas = [whole] if changed is None else _areas(changed, whole, reach)
        found: list[Die] = []
        for area in areas:
            found += self._find(image, area, scale)
        dice = [self._again(image, die) for die in _best(found)]
        if changed is not None:
            dice = [die for die in dice if _touches(changed, die.box)]
        camera = _Camera.over(field, image.shape[1], image.shape[0])
        return tuple(_place(die, field, camera, slots) for die in dice if die.confidence >= self.floor)

    def read_loose(self, image: Image) -> tuple[DieReading, ...]:
        """The dice in a picture of unknown scale without a board.

        Dice are looked for whose edge is from 18 pixels, or a ninetieth of the picture's longer side where
        that is more, to half its shorter side. ``centre`` is in shares of the picture's sides, ``half`` is
        ``off`` and every die counts as flat.
        """
        height, width = image.shape[:2]
        found: list[Die] = []
        least = edge = max(18.0, max(height, width) / 90)
        while edge <= max(least, 0.5 * min(height, width)):
            found += self._find(image, (0, 0, width, height), NETWORK_EDGE / edge)
            edge *= 1.5
        out = []
        for die in _best([self._again(image, die) for die in _best(found)]):
            if die.confidence >= self.floor:
                x, y = die.centre
                out.append(
                    DieReading(
                        die.values, (("flat", 1.0),), die.box, (x / width, y / height), "off", die.confidence
                    )
                )
        return tuple(out)

    def _find(self, image: Image, area: tuple[int, int, int, int], scale: float) -> list[Die]:
        """Every likely die in an area (x0, y0, x1, y1) of the picture, brought to ``scale`` first."""
        x0, y0, x1, y1 = area
        part = image[y0:y1, x0:x1]
        if min(part.shape[:2]) < 4:
            return []
        size = (max(8, round(part.shape[1] * scale)), max(8, round(part.shape[0] * scale)))
        small = cv2.resize(part, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        down, right = -size[1] % _CELL, -size[0] % _CELL
        small = cv2.copyMakeBorder(small, 0, down, 0, right, cv2.BORDER_REPLICATE)
        cells = self._run([small])[0]
        heat = np.ascontiguousarray(cells[0])
        tops = (heat >= cv2.dilate(heat, np.ones((3, 3)))) & (heat > _logit(0.4 * self.floor))
        at = np.array([x0, y0, x0, y0])
        stretch = np.array([part.shape[1] / size[0], part.shape[0] / size[1]] * 2)
        return [_decode(cells, int(row), int(column), at, stretch) for row, column in np.argwhere(tops)]

    def _again(self, image: Image, die: Die) -> Die:
        """The die read once more at its own scale, in eight turned and mirrored ways, averaged."""
        scale = NETWORK_EDGE / die.edge
        x, y = die.centre
        half = (_REFINE - 1) / 2
        matrix = np.array([[1 / scale, 0, x - half / scale], [0, 1 / scale, y - half / scale]])
        if scale < 0.8:  # many pixels to one: smooth first, or the pips alias
            reach = math.ceil(half / scale) + 2
            left, top = max(0, round(x) - reach), max(0, round(y) - reach)
            part = image[top : round(y) + reach, left : round(x) + reach]
            part = cv2.GaussianBlur(part, (0, 0), 0.4 / scale)  # type: ignore[assignment]
            matrix[:, 2] -= (left, top)
        else:
            part = image
        patch = cv2.warpAffine(
            part,
            matrix,
            (_REFINE, _REFINE),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        ways = [patch, patch[:, ::-1], patch[::-1], patch[::-1, ::-1]]
        ways += [way.transpose(1, 0, 2) for way in ways]
        outputs = self._run(ways)
        middle = slice(_REFINE // _CELL // 2 - 1, _REFINE // _CELL // 2 + 1)
        seen = []
        for cells in outputs:
            core = cells[:, middle, middle].reshape(len(cells), -1)
            seen.append(core[:, int(np.argmax(core[0]))])
        mean = np.mean(seen, axis=0)
        ups = [_unturn((float(cell[11]), float(cell[12])), way) for way, cell in enumerate(seen)]
        up = (float(np.mean([u[0] for u in ups])), float(np.mean([u[1] for u in ups])))
        confidence = 1 / (1 + math.exp(-float(mean[0])))
        return Die(die.box, _softmax(mean[1:7]), up, confidence)

    def _run(self, pictures: Sequence[Any]) -> NDArray[np.float32]:
        batch = np.ascontiguousarray(np.stack(pictures).transpose(0, 3, 1, 2), np.float32) / np.float32(255)
        return self._network.run(None, {"image": batch})[0]  # type: ignore[no-any-return]


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
    def over(cls, field: FieldMap, width: int, height: int) -> _Camera:
        middle = (width / 2, height / 2)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        plain = (field.corners - np.array(middle)).astype(np.float32)
        h = cv2.getPerspectiveTransform(square, plain).astype(np.float64)
        usual = 0.75 * max(width, height)  # 67 degrees across: telephones and the Pi's camera
        best = math.inf
        for factor in np.geomspace(0.5, 2.5, 33):
            lens = np.array([1 / (usual * factor), 1 / (usual * factor), 1.0])
            across, down = h[:, 0] * lens, h[:, 1] * lens
            wide, deep = float(np.linalg.norm(across)), float(np.linalg.norm(down))
            askew = float(across @ down) / (wide * deep)
            cost = (
                (askew / 0.02) ** 2
                + (math.log(factor) / 0.25) ** 2
                + (math.log(deep / wide / 0.85) / 0.12) ** 2
            )
            if cost < best:
                best, normal = cost, np.cross(across, down) / np.linalg.norm(np.cross(across, down))
                focal, aspect = usual * float(factor), deep / wide
        # towards the camera, which looks along +z
        return cls(focal, middle, -normal if normal[2] > 0 else normal, aspect)

    def up(self, place: PointXY) -> NDArray[np.float64]:
        """The table's normal as :attr:`Die.up` would show it for a flat die at a pixel; three numbers.

        z points towards the camera along the ray through the pixel.
        """
        ray = np.array([place[0] - self.middle[0], place[1] - self.middle[1], self.focal])
        ray /= np.linalg.norm(ray)
        axis = np.array([ray[1], -ray[0], 0.0])  # turns the ray onto the optical axis
        turn, _ = cv2.Rodrigues(axis * (math.acos(float(ray[2])) / max(1e-12, float(np.linalg.norm(axis)))))
        x, y, z = turn @ self.normal
        return np.array([x, y, -z])


def _place(die: Die, field: FieldMap, camera: _Camera, slots: Sequence[SlotReading]) -> DieReading:
    """What lies where: the reading of a die from its looks and the board around it."""
    up = camera.up(die.centre)
    x, y = die.centre
    foot = (x - 0.5 * die.edge * up[0], y - 0.5 * die.edge * up[1])
    u, v = (float(n) for n in field.to_board([foot])[0])
    seen = np.array([*die.up, math.sqrt(max(0.0, 1 - die.up[0] ** 2 - die.up[1] ** 2))])
    seen /= np.linalg.norm(seen)
    lean = math.degrees(math.acos(float(np.clip(seen @ up, -1, 1))))
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
    return DieReading(die.values, tuple(states), die.box, (u, v), field.half_of((u, v)), die.confidence)


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


def _decode(
    cells: NDArray[np.float32], row: int, column: int, at: NDArray[Any], stretch: NDArray[Any]
) -> Die:
    cell = cells[:, row, column].astype(np.float64)
    x, y = column * _CELL + (_CELL - 1) / 2, row * _CELL + (_CELL - 1) / 2
    left, top, right, bottom = np.maximum(cell[7:11] * _BOX_UNIT, 1.0)
    # Pixel centres lie at whole numbers in the small picture, borders of pixels half a pixel before.
    x0, y0, x1, y1 = (np.array([x - left, y - top, x + right, y + bottom]) + 0.5) * stretch - 0.5 + at
    confidence = 1 / (1 + math.exp(-float(cell[0])))
    box = (float(x0), float(y0), float(x1), float(y1))
    return Die(box, _softmax(cell[1:7]), (float(cell[11]), float(cell[12])), confidence)


def _best(dice: Sequence[Die]) -> list[Die]:
    """The dice, the surest first, without those that are another seen twice or a part of one."""
    kept: list[Die] = []
    for die in sorted(dice, key=lambda die: -die.confidence):
        for other in kept:
            apart = math.hypot(die.centre[0] - other.centre[0], die.centre[1] - other.centre[1])
            large = max(die.edge, other.edge)
            if apart < 0.6 * large or boxes_overlap(die.box, other.box) > 0.5:
                break
        else:
            kept.append(die)
    return kept


def _unturn(up: tuple[float, float], way: int) -> tuple[float, float]:
    """A slope seen in the turned patch number ``way``, as it is in the patch itself."""
    x, y = (up[1], up[0]) if way & 4 else up
    return -x if way & 1 else x, -y if way & 2 else y


def _ramp(value: float, middle: float, width: float) -> float:
    """The logistic function: 0.5 at ``middle``, 0.73 one ``width`` above it."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, (value - middle) / width))))


def _logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


def _softmax(logits: NDArray[Any]) -> tuple[float, float, float, float, float, float]:
    share = np.exp(logits - logits.max())
    a, b, c, d, e, f = (float(v) for v in share / share.sum())
    return a, b, c, d, e, f
