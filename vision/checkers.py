"""Reading the checkers of a board of which nothing but the place is known.

One network (``models/checkers.onnx``) looks at the canvas (:mod:`vision.canvas`) as a whole and gives for
each slot and for the bar a distribution over what stands there, and the middles of the checkers' faces. That
nobody has more than fifteen checkers, and most boards all of them, decides where the picture leaves a choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

import models
from engine.layout import SLOTS
from engine.observation import SlotReading
from hardware.camera import Image
from vision import canvas
from vision.geometry import FieldMap

CHECKERS = 15
_CELL = 4
_COUNTS = 2 * CHECKERS + 1
#: Chance of a side to have all of its checkers on the board; the rest is spread over all lesser numbers.
_ALL = 0.55
_CELLS = 6  #: cells that show faces of a side before its brightness counts
_PLAINLY = 12.0  #: brightness (0-255) between sides beyond doubt: drawn pairs are at least that far apart
_KEEP = 0.002  #: a count less probable than this is left out of a reading

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Face:
    """The upper face of a checker: centre and radius in pixels of the picture, how sure it is."""

    x: float
    y: float
    radius: float
    light: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class CheckersReading:
    """24 slots, the bar (light, dark) and the faces seen."""

    slots: tuple[SlotReading, ...]
    bar: tuple[SlotReading, SlotReading]
    faces: tuple[Face, ...]


#: Slots and bar as another way of looking reads them: :func:`vision.slots.read_board`.
Witness = tuple[tuple[SlotReading, ...], tuple[SlotReading, SlotReading]]


def read_checkers(image: Image, field: FieldMap, witness: Witness | None = None) -> CheckersReading:
    """Read the field of a uint8 BGR picture; ``witness`` is taken for as good as the network."""
    picture = canvas.paint(image, field)
    # The board looked at in four mirrored ways: what does not agree is not sure.
    ways = [picture, picture[:, ::-1], picture[::-1], picture[::-1, ::-1]]
    batch = np.ascontiguousarray(np.stack(ways).transpose(0, 3, 1, 2), np.float32) / np.float32(255)
    cells, slots, bar = models.load("checkers").run(None, {"image": batch})
    slots = slots.reshape(4, 2, 12, _COUNTS).astype(np.float64)
    turned = [slots[0], slots[1][:, ::-1], slots[2][::-1], slots[3][::-1, ::-1]]
    seen = _geometric_mean(np.stack(turned)).reshape(SLOTS, _COUNTS)
    on_bar = _geometric_mean(bar.astype(np.float64))
    heat = np.mean([cells[0], cells[1][:, :, ::-1], cells[2][:, ::-1], cells[3][:, ::-1, ::-1]], axis=0)
    if _brighter_is_dark(picture, heat):
        # The network names the colours by a look at the whole board; where it named them the wrong way
        # round, all of its answer changes sign.
        seen, on_bar = seen[:, ::-1].copy(), on_bar[::-1].copy()
        heat = heat[[1, 0, 2]]
    if witness is not None:
        also, bar_also = witness
        seen *= np.array([[slot.probability(n) for n in range(-CHECKERS, CHECKERS + 1)] for slot in also])
        light, dark = (
            [reading.probability(sign * n) for n in range(on_bar.shape[1])]
            for reading, sign in zip(bar_also, (1, -1), strict=True)
        )
        on_bar *= np.array([light, dark])
    slots_told, bar_told = at_most_fifteen(seen, on_bar)
    readings = tuple(_reading(row, -CHECKERS) for row in slots_told)
    bar_readings = (_reading(bar_told[0], 0), _negative(_reading(bar_told[1], 0)))
    return CheckersReading(readings, bar_readings, _faces(heat, field))


def at_most_fifteen(slots: Array, bar: Array) -> tuple[Array, Array]:
    """What each slot and the bar hold, given that neither side has more than fifteen checkers.

    ``slots``: (24, 31) probabilities of -15 (dark) to 15 (light) checkers; ``bar``: (2, n), of light and dark
    ones. Gives marginals of the same shapes: sums over all ways to fill the board, forwards and backwards
    (Rabiner, 1989), each weighed by how usual the two totals are.
    """
    size = CHECKERS + 1
    usual = np.full(size, (1 - _ALL) / CHECKERS)
    usual[CHECKERS] = _ALL
    # All things that hold checkers, as (31,) weights over signed counts.
    things = [*slots]
    for row, sign in zip(bar, (1, -1), strict=True):
        thing = np.zeros(_COUNTS)
        thing[CHECKERS + sign * np.arange(len(row))] = row
        things.append(thing)
    start = np.zeros((size, size))
    start[0, 0] = 1
    forward = [start]
    for thing in things:
        forward.append(_normal(_add(forward[-1], thing)))
    backward = [np.outer(usual, usual)]
    for thing in reversed(things):
        backward.append(_normal(_take(backward[-1], thing)))
    backward.reverse()
    told = np.array(
        [
            _normal(thing * _agreement(before, after))
            for thing, before, after in zip(things, forward, backward[1:], strict=False)
        ]
    )
    on_bar = np.zeros_like(bar)
    for side, sign in enumerate((1, -1)):
        on_bar[side] = told[SLOTS + side][CHECKERS + sign * np.arange(bar.shape[1])]
    return told[:SLOTS], on_bar


def _add(totals: Array, thing: Array) -> Array:
    """Totals (light, dark) after one more thing."""
    out = totals * thing[CHECKERS]
    for count in range(1, CHECKERS + 1):
        out[count:] += totals[:-count] * thing[CHECKERS + count]
        out[:, count:] += totals[:, :-count] * thing[CHECKERS - count]
    return np.asarray(out, np.float64)


def _take(totals: Array, thing: Array) -> Array:
    """How well what follows fits, before one more thing: the transpose of :func:`_add`."""
    out = totals * thing[CHECKERS]
    for count in range(1, CHECKERS + 1):
        out[:-count] += totals[count:] * thing[CHECKERS + count]
        out[:, :-count] += totals[:, count:] * thing[CHECKERS - count]
    return np.asarray(out, np.float64)


def _agreement(before: Array, after: Array) -> Array:
    """For each signed count of a thing between the two, how much of the totals agree with it: (31,)."""
    out = np.empty(_COUNTS)
    out[CHECKERS] = (before * after).sum()
    for count in range(1, CHECKERS + 1):
        out[CHECKERS + count] = (before[:-count] * after[count:]).sum()
        out[CHECKERS - count] = (before[:, :-count] * after[:, count:]).sum()
    return out


def _normal(values: Array) -> Array:
    return values / max(float(values.sum()), 1e-300)


def _geometric_mean(chances: Array) -> Array:
    logs = np.log(np.clip(chances, 1e-6, 1)).mean(axis=0)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), np.float64)


def _reading(chances: Array, first: int) -> SlotReading:
    order = np.argsort(-chances)
    kept = [(int(i) + first, round(float(chances[i]), 4)) for i in order if chances[i] >= _KEEP]
    return SlotReading(tuple(kept))


def _negative(reading: SlotReading) -> SlotReading:
    return SlotReading(tuple((-count, chance) for count, chance in reading.counts))


def _brighter_is_dark(picture: Image, heat: NDArray[np.float32]) -> bool:
    """Whether the faces named dark are plainly brighter than those named light: then the names are wrong."""
    brightness = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)[..., 0]
    sides = []
    for side in (0, 1):
        rows, columns = np.nonzero((heat[side] > 0) & (heat[side] > heat[1 - side]))
        if len(rows) < _CELLS:
            return False
        near = np.zeros(heat.shape[1:], np.uint8)
        near[rows, columns] = 1
        # A face as a whole: its middle may be an emblem or a ring of another colour.
        whole = cv2.resize(cv2.dilate(near, np.ones((3, 3))), None, fx=_CELL, fy=_CELL, interpolation=0)
        sides.append(float(brightness[whole > 0].mean()))
    return sides[1] > sides[0] + _PLAINLY


def _faces(heat: NDArray[np.float32], field: FieldMap, floor: float = 0.4) -> tuple[Face, ...]:
    found = []
    chance = 1 / (1 + np.exp(-np.clip(heat[:2], -30, 30)))
    best = np.ascontiguousarray(chance.max(axis=0))
    tops = (best >= cv2.dilate(best, np.ones((3, 3)))) & (best > floor)
    for row, column in np.argwhere(tops):
        x, y = column * _CELL + _CELL / 2, row * _CELL + _CELL / 2
        radius = 12 * float(heat[2, row, column])
        ends = canvas.from_canvas([(x, y), (x + radius, y), (x, y + radius)], field.bar)
        centre, aside, down = field.to_pixels(ends)
        size = (np.linalg.norm(aside - centre) + np.linalg.norm(down - centre)) / 2
        light = bool(chance[0, row, column] >= chance[1, row, column])
        found.append(Face(float(centre[0]), float(centre[1]), float(size), light, float(best[row, column])))
    return tuple(found)
