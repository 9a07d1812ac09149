"""Reading the checkers of a board of which nothing but the place is known.

One network (``models/checkers.onnx``) looks at the canvas (:mod:`vision.canvas`) as a whole and gives for
each slot and for the bar a distribution over what stands there, and the middles of the checkers' faces. That
nobody has more than fifteen checkers, and most boards all of them, decides where the picture leaves a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
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
#: Chance of a side to have all of its checkers on the board; the rest is spread over all lesser numbers. The
#: others: where the table beside the field was looked at, and none of the side lie there, or some.
_ALL, _ALL_NONE_OFF, _ALL_BUT_OFF = 0.55, 0.9, 0.05
_ASIDE = 0.35  #: board units by which a view of what lies beside the field is shifted from it
_CLEAR = 0.02  #: board units beyond the field from which a checker lies beside it
_PLAIN_FACE = 0.7  #: confidence of a face beside the field that counts: fewest errors on drawn views
_NO_BAR = (0.4999, 0.5001)  # of a view that shows a part of the field and what lies beside it
_CELLS = 6  #: cells that show faces of a side before its brightness counts
_PLAINLY = 12.0  #: brightness (0-255) between sides beyond doubt: drawn pairs are at least that far apart
#: How far slots of a side differ in the logarithms of their brightness, by light and gloss, and of the shares
#: of blue, green and red in it. Of drawn views the most slots are right.
_BRIGHTER, _OTHER_HUE = 0.6, 0.1
_DARKEST = 8.0  #: grey values added before the logarithm is taken: black is full of noise
_DULL = (0.1, 0.3)  #: the part of a face's pixels, by brightness, that is looked at: gloss only adds light
_MOST_ODDS = 4.0  #: logarithm of the odds that a colour may change
_ROUNDS = 3
_EMPTY = 2 / 3  #: share of empty slots, over all boards
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


@dataclass(frozen=True, slots=True, eq=False)
class _Beside:
    """A checker beside the field: how likely its face is a light and a dark one, and its colour, (1, 4)."""

    chances: tuple[float, float]
    colour: Array

    @property
    def light(self) -> bool:
        return self.chances[0] >= self.chances[1]


@dataclass(frozen=True, slots=True)
class CheckersReading:
    """24 slots, the bar (light, dark), borne-off checkers in view (light, dark) and the faces seen."""

    slots: tuple[SlotReading, ...]
    bar: tuple[SlotReading, SlotReading]
    off: tuple[int, int]
    faces: tuple[Face, ...]


#: Slots and bar as another way of looking reads them: :func:`vision.slots.read_board`.
Witness = tuple[tuple[SlotReading, ...], tuple[SlotReading, SlotReading]]


def read_checkers(image: Image, field: FieldMap, witness: Witness | None = None) -> CheckersReading:
    """Read the field of a uint8 BGR picture; a ``witness`` that agrees with the network counts as much."""
    picture = canvas.paint(image, field)
    looked, on_bar, heat = _look(picture)
    colours = _colours(picture, heat)
    seen, told = _of_one_colour(looked, colours), np.ones_like(looked)
    if witness is not None:
        also, bar_also = witness
        told = np.array([[slot.probability(n) for n in range(-CHECKERS, CHECKERS + 1)] for slot in also])
        if _agree(seen, told):
            light, dark = (
                [reading.probability(sign * n) for n in range(on_bar.shape[1])]
                for reading, sign in zip(bar_also, (1, -1), strict=True)
            )
            on_bar *= np.array([light, dark])
        else:
            told[:] = 1
    slots, bar = at_most_fifteen(seen * told, on_bar)
    off = (0, 0)
    if max(_missing(slots, bar)):
        beside = _beside(image, field)
        some_light, some_dark = (any(face.light is light for face in beside) for light in (True, False))
        seen = _of_one_colour(looked, colours, beside) * told
        slots, bar = at_most_fifteen(seen, on_bar, (_all(some_light), _all(some_dark)))
        light_off, dark_off = _missing(slots, bar)
        off = light_off if some_light else 0, dark_off if some_dark else 0
    return CheckersReading(
        tuple(_reading(row, -CHECKERS) for row in slots),
        (_reading(bar[0], 0), _negative(_reading(bar[1], 0))),
        off,
        _faces(heat, field),
    )


def _look(picture: Image) -> tuple[Array, Array, NDArray[np.float32]]:
    """What the network says of a canvas: slots (24, 31), bar (2, 8), and cells (3, rows, columns)."""
    batch = picture.transpose(2, 0, 1)[None]
    cells, slots, bar = models.load("checkers").run(
        None, {"image": np.multiply(batch, np.float32(1 / 255), dtype=np.float32, order="C")}
    )
    seen, on_bar, heat = _plain(slots[0]), _plain(bar[0]), cells[0]
    if _brighter_is_dark(picture, heat):
        # The network names the colours by a look at the whole board; where it named them the wrong way
        # round, all of its answer changes sign.
        return seen[:, ::-1].copy(), on_bar[::-1].copy(), heat[[1, 0, 2]]
    return seen, on_bar, heat


def _colours(picture: Image, heat: NDArray[np.float32]) -> Array:
    """The colour of the faces on each slot of a canvas: (24, 4); NaN where there are no faces."""
    shown = _whole_faces(heat[:2].max(axis=0) > 0)
    half = canvas.HEIGHT // 2
    seen = np.full((SLOTS, 3), np.nan)
    for slot in range(SLOTS):
        left = canvas.left_of(slot)
        place = slice(0, half) if slot < SLOTS // 2 else slice(half, None), slice(left, left + canvas.COLUMN)
        if shown[place].sum() >= _CELL**2:
            seen[slot] = _dull(picture[place][shown[place]])
    return _unlike(seen)


def _dull(pixels: Image) -> Array:
    """The colour, float64 (3,), of pixels (n, 3) of faces without their gloss."""
    first, last = (round(part * len(pixels)) for part in _DULL)
    by_brightness = pixels[np.argsort(pixels.sum(axis=1, dtype=np.int64))]
    return np.asarray(np.median(by_brightness[first : last + 1], axis=0), np.float64)


def _unlike(colours: Array) -> Array:
    """Colours (n, 3), 0-255, in units (n, 4) of what faces of a side differ by.

    Light multiplies: brightness and hue are told apart in logarithms.
    """
    logs = np.log(colours + _DARKEST)
    brightness = logs.mean(axis=1, keepdims=True)
    return np.hstack([brightness / _BRIGHTER, (logs - brightness) / _OTHER_HUE])


def _of_one_colour(seen: Array, colours: Array, beside: Sequence[_Beside] = ()) -> Array:
    """Slots (24, 31) of which the sides are named alike where the ``colours`` (24, 4) are alike.

    The network names each slot's side for itself. Each side's colour is taken from the slots, and the faces
    beside the field, that are named so, and a slot whose colour is nearer to the other's is doubted, in a few
    rounds.
    """
    on_slots = np.stack([seen[:, CHECKERS + 1 :].sum(axis=1), seen[:, :CHECKERS].sum(axis=1)])
    known = ~np.isnan(colours[:, 0])
    light, dark = np.hstack([on_slots, np.reshape([face.chances for face in beside], (-1, 2)).T])
    there = np.append(on_slots.sum(axis=0) * known, np.ones(len(beside)))
    places = np.vstack([np.where(known[:, None], colours, 0), *(face.colour for face in beside)])
    odds = np.zeros(len(there))
    for _ in range(_ROUNDS):
        share = light / np.maximum(light + dark * np.exp(-odds), 1e-12)
        weights = np.stack([there * share, there * (1 - share)])
        if weights.sum(axis=1).min() < 0.5:  # there is one side only
            return seen
        means = weights @ places / weights.sum(axis=1, keepdims=True)
        nearer = ((places - means[1]) ** 2).sum(axis=1) - ((places - means[0]) ** 2).sum(axis=1)
        odds = np.where(there > 0, np.clip(nearer / 2, -_MOST_ODDS, _MOST_ODDS), 0)
    light, dark = on_slots
    share = light / np.maximum(light + dark * np.exp(-odds[:SLOTS]), 1e-12)
    out = seen.copy()
    out[:, CHECKERS + 1 :] *= ((light + dark) * share / np.maximum(light, 1e-12))[:, None]
    out[:, :CHECKERS] *= ((light + dark) * (1 - share) / np.maximum(dark, 1e-12))[:, None]
    return out


def _missing(slots: Array, bar: Array) -> tuple[int, int]:
    """How many light and dark checkers the likeliest counts lack of fifteen."""
    counts = slots.argmax(axis=1) - CHECKERS
    light, dark = (
        CHECKERS - int(np.maximum(0, sign * counts).sum()) - int(row.argmax())
        for sign, row in zip((1, -1), bar, strict=True)
    )
    return max(0, light), max(0, dark)


def _beside(image: Image, field: FieldMap) -> list[_Beside]:
    """The checkers that lie beside the field, in trays or on the table, as far as they are plain to see.

    They lie in piles or stand on edge and cannot be counted from above; that there are any can be seen. Both
    sides are looked at in one canvas, each with the part of the field next to it.
    """
    middle = canvas.WIDTH // 2
    views = views_beside(field)
    picture = paint_beside(image, views)
    heat = _look(picture)[2]
    found = []
    for half, view in enumerate(views):
        own = heat.copy()
        own[:2, :, slice(middle // _CELL, None) if half == 0 else slice(middle // _CELL)] = -np.inf
        chances, rows, columns = _tops(own, _PLAIN_FACE)
        across = field.to_board(view.to_pixels(canvas.from_canvas(_middles(rows, columns), view.bar)))[:, 0]
        off_field = (across < -_CLEAR) | (across > 1 + _CLEAR)
        for row, column in zip(rows[off_field].tolist(), columns[off_field].tolist(), strict=True):
            down, along = (slice(max(0, n - 1) * _CELL, (n + 2) * _CELL) for n in (row, column))
            face = picture[down, along]
            light, dark = chances[:, row, column].tolist()
            found.append(_Beside((light, dark), _unlike(_dull(face.reshape(-1, 3))[None])))
    return found


def views_beside(field: FieldMap, aside: float = _ASIDE) -> tuple[FieldMap, FieldMap]:
    """The field shifted by ``aside`` board units to the left and to the right."""
    left, right = (
        FieldMap(field.to_pixels([(by, 0), (1 + by, 0), (1 + by, 1), (by, 1)]), _NO_BAR)
        for by in (-aside, aside)
    )
    return left, right


def paint_beside(image: Image, views: tuple[FieldMap, FieldMap]) -> Image:
    """The left half of the first view's canvas, the right half of the second's: uint8 BGR (288, 336, 3)."""
    middle = canvas.WIDTH // 2
    left, right = views
    return np.hstack([canvas.paint(image, left, right=middle), canvas.paint(image, right, left=middle)])


def _all(some_off: bool) -> float:
    """Chance of a side to have all of its checkers on the board, some of it lying beside the field or not."""
    return _ALL_BUT_OFF if some_off else _ALL_NONE_OFF


def _agree(seen: Array, told: Array) -> bool:
    """Whether two readings of the slots, (24, 31) each, are rather of one board than of any two.

    A look that was learnt in another light, or of a board whose checkers look like its points, may tell
    anything. Compared are the likelihoods that both readings tell the same, and that the second tells what
    slots hold anywhere.
    """
    anywhere = np.full(_COUNTS, (1 - _EMPTY) / (_COUNTS - 1))
    anywhere[CHECKERS] = _EMPTY
    return bool(np.log((seen * told).sum(axis=1) / (seen @ anywhere)).sum() > 0)


def at_most_fifteen(
    slots: Array, bar: Array, full: tuple[float, float] = (_ALL, _ALL)
) -> tuple[Array, Array]:
    """What each slot and the bar hold, given that neither side has more than fifteen checkers.

    ``slots``: (24, 31) probabilities of -15 (dark) to 15 (light) checkers; ``bar``: (2, n), of light and dark
    ones; ``full``: the chance of each side to have all of its checkers there. Gives marginals of the same
    shapes: sums over all ways to fill the board, forwards and backwards (Rabiner, 1989), each weighed by how
    usual the two totals are.
    """
    size = CHECKERS + 1
    light_usual, dark_usual = ([(1 - chance) / CHECKERS] * CHECKERS + [chance] for chance in full)
    # All things that hold checkers, as weights over signed counts.
    things = np.zeros((SLOTS + 2, _COUNTS))
    things[:SLOTS] = slots
    for row, sign, thing in zip(bar, (1, -1), things[SLOTS:], strict=True):
        thing[CHECKERS + sign * np.arange(len(row))] = row
    # Totals (light, dark) before and after a thing: more light ones move down, more dark ones to the right.
    light = np.where(_MORE >= 0, things[:, CHECKERS + _MORE.clip(0)], 0)
    dark = np.where(_MORE > 0, things[:, CHECKERS - _MORE.clip(0)], 0)
    before = np.zeros((len(things), size, size))
    before[0, 0, 0] = 1
    for i in range(len(things) - 1):
        before[i + 1] = _normal(light[i] @ before[i] + before[i] @ dark[i].T)
    after = np.empty_like(before)
    after[-1] = np.outer(light_usual, dark_usual)
    for i in range(len(things) - 1, 0, -1):
        after[i - 1] = _normal(light[i].T @ after[i] + after[i] @ dark[i])
    # How much of what stands before and after a thing agrees with each count of it.
    lighter = (after @ before.transpose(0, 2, 1))[:, _LATER, _EARLIER].sum(axis=2, where=_REACHED)
    darker = (after.transpose(0, 2, 1) @ before)[:, _LATER, _EARLIER].sum(axis=2, where=_REACHED)
    told = things * np.concatenate([darker[:, :0:-1], lighter], axis=1)
    told /= np.maximum(told.sum(axis=1, keepdims=True), 1e-300)
    on_bar = [
        told[SLOTS + side, CHECKERS + sign * np.arange(bar.shape[1])] for side, sign in ((0, 1), (1, -1))
    ]
    return told[:SLOTS], np.stack(on_bar)


_EACH = np.arange(CHECKERS + 1)
_MORE = _EACH[:, None] - _EACH  #: by how many checkers one total (row) is more than another (column)
#: For each number of checkers (row) the pairs of totals that are so many apart, where there are such.
_REACHED = _EACH[:, None] + _EACH <= CHECKERS
_EARLIER = np.broadcast_to(_EACH, _REACHED.shape)
_LATER = np.minimum(_EACH[:, None] + _EACH, CHECKERS)


def _normal(values: Array) -> Array:
    return values / max(float(values.sum()), 1e-300)


def _plain(chances: NDArray[np.float32]) -> Array:
    """Distributions in which nothing is impossible, each adding up to 1."""
    weights = np.clip(chances.astype(np.float64), 1e-6, 1)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), np.float64)


def _reading(chances: Array, first: int) -> SlotReading:
    order = np.argsort(-chances)
    kept = [(int(i) + first, round(float(chances[i]), 4)) for i in order if chances[i] >= _KEEP]
    return SlotReading(tuple(kept))


def _negative(reading: SlotReading) -> SlotReading:
    return SlotReading(tuple((-count, chance) for count, chance in reading.counts))


def _brighter_is_dark(picture: Image, heat: NDArray[np.float32]) -> bool:
    """Whether the faces named dark are plainly brighter than those named light: then the names are wrong."""
    sides = []
    for side in (0, 1):
        rows, columns = np.nonzero((heat[side] > 0) & (heat[side] > heat[1 - side]))
        if len(rows) < _CELLS:
            return False
        near = np.zeros(heat.shape[1:], np.bool_)
        near[rows, columns] = True
        faces = picture[_whole_faces(near)][None]
        sides.append(float(cv2.cvtColor(faces, cv2.COLOR_BGR2LAB)[..., 0].mean()))
    return sides[1] > sides[0] + _PLAINLY


def _whole_faces(middles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pixels of the canvas that faces cover: a middle alone may be an emblem or a ring."""
    near = cv2.dilate(middles.astype(np.uint8), np.ones((3, 3)))
    return np.asarray(cv2.resize(near, None, fx=_CELL, fy=_CELL, interpolation=cv2.INTER_NEAREST) > 0)


def _tops(
    heat: NDArray[np.float32], floor: float
) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.intp]]:
    """Chances (2, rows, columns) of a light and a dark face, and the rows and columns where faces are."""
    chances = np.asarray(1 / (1 + np.exp(-np.clip(heat[:2], -30, 30))), np.float32)
    best = np.ascontiguousarray(chances.max(axis=0))
    rows, columns = np.nonzero((best >= cv2.dilate(best, np.ones((3, 3)))) & (best > floor))
    return chances, rows, columns


def _middles(rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Array:
    """The middles of cells in pixels of the canvas, (n, 2)."""
    return np.asarray(np.column_stack([columns, rows]) * _CELL + _CELL / 2, np.float64)


def _faces(heat: NDArray[np.float32], field: FieldMap, floor: float = 0.4) -> tuple[Face, ...]:
    chances, rows, columns = _tops(heat, floor)
    middles = _middles(rows, columns)
    radii = 12 * heat[2, rows, columns, None]
    ends = np.concatenate([middles, middles + radii * (1, 0), middles + radii * (0, 1)])
    centres, aside, down = field.to_pixels(canvas.from_canvas(ends, field.bar)).reshape(3, -1, 2)
    sizes = (np.linalg.norm(aside - centres, axis=1) + np.linalg.norm(down - centres, axis=1)) / 2
    light, dark = chances[:, rows, columns]
    told = zip(
        *centres.T.tolist(),
        sizes.tolist(),
        (light >= dark).tolist(),
        np.maximum(light, dark).tolist(),
        strict=True,
    )
    return tuple(Face(*face) for face in told)
