"""Reading the slots and the bar: how many checkers of which colour, as honest distributions.

Each column is explained by every possible row of discs, none, one, two ... of either colour, and
the likelihoods of the explanations (from :func:`vision.appearance.evidence`) are turned into
probabilities. A whole checker-sized disc must speak, so that a die or a shadow makes no checker.
A camera overhead cannot count a full row's second and third layer; what is not seen is spread.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.layout import SLOTS
from engine.observation import SlotReading
from engine.position import CHECKERS
from hardware.camera import Image
from vision.appearance import (
    CANVAS,
    FIELD,
    MARGIN,
    ROW,
    Appearance,
    Mask,
    Plane,
    Stance,
    change,
    evidence,
    glare,
    layers,
    on_canvas,
    to_canvas,
)
from vision.geometry import FieldMap

_PLACES = 7  # discs that may lie in one row: five, or up to seven pushed together
_PIXELS = 9.0  # independent pixels of a disc: neighbours err together
_REACH = 0.24  # how far a checker may lie beside the middle of its point, in diameters
_NEAREST, _FARTHEST = 0.93, 1.7  # centre to centre in a row, in diameters
_CORE = 0.94  # share of the diameter that is looked at; outlines are never quite where they should be
_AGAINST = np.float32(3.0)  # what speaks clearly against a checker weighs this much more
_BARE = 0.6  # a quarter of a disc that speaks more than this against it, in nats a pixel, counts thrice
_COST_SIDE = 2.5  # nats for lying at the edge of that reach
_COST_GAP = 1.2  # nats for each diameter of free space before a checker
_PRIOR = np.log(np.array([0.5, 0.12, 0.14, 0.1, 0.06, 0.05, 0.02, 0.01]))
_BLINDED = 0.6  # share of a slot's reading that becomes a guess where a lamp is mirrored on a checker or more
_ANYTHING = {0: float(np.exp(_PRIOR[0]))} | {
    sign * k: float(np.exp(_PRIOR[k])) / 2 for sign in (1, -1) for k in range(1, _PLACES + 1)
}
_NOTHING = SlotReading(((0, 1.0),), visible=False)


def read_board(
    image: Image,
    field: FieldMap,
    appearance: Appearance,
    *,
    visible: NDArray[np.bool_] | None = None,
) -> tuple[tuple[SlotReading, ...], tuple[SlotReading, SlotReading]]:
    """The 24 slots of a picture, top row left to right, then the bottom row; and what is on the bar.

    ``visible``: bool (25,), of slots and bar, false where a hand or cup hides them or nothing has changed;
    those are not read. The bar is read as light and dark checkers, wherever along it they lie.
    """
    canvas = on_canvas(image, field)
    if visible is None:
        visible = np.ones(SLOTS + 1, np.bool_)
    speaks = np.zeros((2, *canvas.shape[:2]), np.float32)
    for columns in _columns(field, appearance.stance, np.flatnonzero(visible)):
        speaks[:, :, columns] = evidence(canvas, appearance, columns)
    bar = _bar(speaks, field, appearance) if visible[SLOTS] else (_NOTHING, _NOTHING)
    return read_evidence(canvas, speaks, field, appearance, visible), bar


def _columns(field: FieldMap, stance: Stance, things: NDArray[np.intp]) -> list[slice]:
    """Columns of the canvas on which the slots (24: the bar) are looked at, each once."""
    half = int(np.ceil((0.5 + _REACH) * stance.dx * FIELD[0])) + 3  # some more, for the blur
    wanted = np.zeros(CANVAS[0] + 2, np.int8)
    for thing in things.tolist():
        x = (
            _bar_x(field, stance)
            if thing == SLOTS
            else stance.top_face(field.slot_x(thing), 0, thing >= 12)[0]
        )
        middle = 1 + round((x + MARGIN) * FIELD[0])
        wanted[max(1, middle - half) : min(CANVAS[0] + 1, middle + half + 1)] = 1
    ends = np.flatnonzero(np.diff(wanted))
    return [slice(start, stop) for start, stop in ends.reshape(-1, 2).tolist()]


def _bar_x(field: FieldMap, stance: Stance) -> float:
    return (field.bar[0] + field.bar[1]) / 2 + stance.lean[0]


def read_evidence(
    canvas: Plane,
    speaks: Plane,
    field: FieldMap,
    appearance: Appearance,
    visible: NDArray[np.bool_] | None = None,
) -> tuple[SlotReading, ...]:
    """The 24 slots of a canvas whose evidence is known."""
    chosen = [s for s in range(SLOTS) if visible is None or visible[s]]
    readings = [_NOTHING] * SLOTS
    if chosen:
        discs, start, pitch = _discs(speaks, field, appearance.stance, chosen)
        values = _rows(discs, start, pitch)
        blind = _blind(glare(canvas, appearance.stance), field, appearance.stance, chosen)
        for slot, value, part in zip(chosen, values, blind, strict=True):
            counts = _counts(value * np.float32(appearance.trust))
            if part:
                counts = {n: (1 - part) * p + part * _ANYTHING[n] for n, p in counts.items()}
            for sign in (1, -1):
                full = sum(counts.pop(sign * k, 0.0) for k in range(ROW, _PLACES + 1))
                if full > 0.002:
                    tall = _tall(canvas, field, appearance, slot, sign)
                    counts |= {sign * (ROW + i): full * p for i, p in enumerate(tall)}
            readings[slot] = _sorted(counts)
    return tuple(readings)


def _blind(dazzled: Mask, field: FieldMap, stance: Stance, slots: Sequence[int]) -> list[float]:
    """How far a mirrored lamp keeps each of the slots from being told, 0 to ``_BLINDED``."""
    if not dazzled.any():
        return [0.0] * len(slots)
    parts = []
    for slot in slots:
        x, bottom = field.slot_x(slot), slot >= 12
        ends = sorted(to_canvas(*stance.top_face(x, place, bottom))[1] for place in (-0.5, ROW - 0.5))
        middle, half = to_canvas(stance.top_face(x, 2, bottom)[0], 0)[0], stance.dx * FIELD[0] / 2
        rows = slice(max(0, round(ends[0])), round(ends[1]))
        place = dazzled[rows, max(0, round(middle - half)) : round(middle + half)]
        parts.append(min(_BLINDED, ROW * float(place.mean())))
    return parts


def _strip(speaks: Plane, columns: Sequence[float], stance: Stance, length: int) -> tuple[Plane, int]:
    """Columns cut from the evidence: float32 (n, 2, length, wide), and their half width."""
    half = int(np.ceil((0.5 + _REACH) * stance.dx * FIELD[0]))
    centres = np.array([(x + MARGIN) * FIELD[0] for x in columns])
    across = np.rint(centres).astype(int)[:, None] + np.arange(-half, half + 1)
    across = np.clip(across, 0, CANVAS[0] - 1)
    return np.ascontiguousarray(speaks[:, :length][:, :, across].transpose(2, 0, 1, 3)), half


def _disc_sums(strips: Plane, stance: Stance, half: int) -> Plane:
    """Evidence of a disc at each height of a strip, the best over its sideways offsets.

    ``strips``: (n, 2, length, wide). Result (n, 2, length - tall + 1), nats of a whole disc: the mean
    over its pixels, times the number of pixels that err independently, less if a quarter is bare.
    """
    rx, ry = stance.dx * FIELD[0] / 2, stance.dy * FIELD[1] / 2
    tall = int(2 * np.floor(ry) + 1)
    dy = np.arange(tall) - tall // 2
    offsets = np.linspace(-_REACH, _REACH, 5) * 2 * rx
    across = (np.arange(-half, half + 1)[:, None] - offsets) / rx
    inside = across[..., None] ** 2 + (dy / ry) ** 2 <= _CORE**2
    # (wide, left and right, offsets, tall): shares of a disc that is cut into four
    sides_of = np.stack([across < 0, across >= 0], axis=1)
    # Two thirds of a disc covered is a die, not a checker: what speaks against it weighs more.
    strips = np.asarray(strips + _AGAINST * np.minimum(strips + 1, 0), np.float32)
    kernel = inside[:, None] & sides_of[..., None]
    kernel = (kernel * (4 / inside[:, 2].sum())).astype(np.float32)
    n, sides, length, wide = strips.shape
    part = strips.reshape(-1, wide) @ kernel.reshape(wide, -1)
    part = part.reshape(n * sides, length, 2, len(offsets), tall)
    rows = length - tall + 1
    quarters = np.zeros((2, n * sides, rows, 2, len(offsets)), np.float32)
    for i in range(tall):
        quarters[int(i > tall // 2)] += part[:, i : i + rows, ..., i]
    a, b, c, d = quarters[0, :, :, 0], quarters[0, :, :, 1], quarters[1, :, :, 0], quarters[1, :, :, 1]
    total = (a + b + c + d) / 4
    # A die and a neighbour may fill most of a disc, but not every quarter of it.
    worst = np.minimum(np.minimum(np.minimum(a, b), np.minimum(c, d)) + _BARE, 0)
    total = _PIXELS * (total + 2 * worst) - (_COST_SIDE * (offsets / (2 * rx * _REACH)) ** 2).astype(
        np.float32
    )
    return np.asarray(total.max(axis=2).reshape(n, sides, rows))


def _discs(speaks: Plane, field: FieldMap, stance: Stance, slots: Sequence[int]) -> tuple[Plane, int, float]:
    """Disc evidence of the slots from the edge of the field inwards.

    Returns (n, 2, rows), the row at which a first checker is expected, and a diameter in rows.
    """
    ry = stance.dy * FIELD[1] / 2
    tall = int(2 * np.floor(ry) + 1)
    length = round((MARGIN + 0.5) * FIELD[1] + ry)
    found = np.empty((len(slots), 2, length - tall + 1), np.float32)
    for bottom in (False, True):
        wanted = [i for i, s in enumerate(slots) if (s >= 12) == bottom]
        if not wanted:
            continue
        plane = speaks[:, ::-1] if bottom else speaks
        columns = [stance.top_face(field.slot_x(slots[i]), 0, bottom)[0] for i in wanted]
        strips, half = _strip(plane, columns, stance, length)
        found[wanted] = _disc_sums(strips, stance, half)
    start = round((MARGIN + stance.gap) * FIELD[1] + ry) - tall // 2
    return found, start, stance.dy * FIELD[1]


def _rows(discs: Plane, start: int, pitch: float) -> Plane:
    """Best log likelihood of a row of k discs, k = 0 .. 7: (n, 2, 8), relative to an empty slot."""
    n, sides, rows = discs.shape
    low, high = round(_NEAREST * pitch), round(_FARTHEST * pitch)
    where = np.arange(rows)
    # A first checker may be pushed over the edge by the lean of a stack, or lie off the edge.
    chain = discs - (_COST_GAP * np.abs(where - start) / pitch).astype(np.float32)
    chain[..., where < start - 0.55 * pitch] = -np.inf
    best = np.zeros((n, sides, _PLACES + 1), np.float32)
    best[..., 1] = chain.max(axis=2)
    for k in range(2, _PLACES + 1):
        padded = np.pad(chain, ((0, 0), (0, 0), (high, 0)), constant_values=-np.inf)
        reach = padded[..., high - low : high - low + rows].copy()
        for step in range(low + 1, high + 1):
            loose = _COST_GAP * max(0.0, step / pitch - 1.06)
            np.maximum(reach, padded[..., high - step : high - step + rows] - np.float32(loose), out=reach)
        chain = discs + reach
        best[..., k] = chain.max(axis=2)
    return best


def _counts(value: Plane) -> dict[int, float]:
    """Probabilities of the rows of one slot from their likelihoods, (2, 8)."""
    scores: dict[int, float] = {0: float(_PRIOR[0])}
    for side, sign in ((0, 1), (1, -1)):
        for k in range(1, _PLACES + 1):
            scores[sign * k] = float(value[side, k] + _PRIOR[k])
    return _normal(scores)


def _tall(canvas: Plane, field: FieldMap, look: Appearance, slot: int, sign: int) -> list[float]:
    """Probabilities of 5, 6 ... 15 checkers where a row is full.

    The count was known on the last known canvas. Each other count differs from it by layers at
    certain places, and there, and only there, the stack looks otherwise now.
    """
    known = sign * look.counts[slot]
    if known <= 0:
        return list(_TALL)
    before = layers(known)
    x, bottom = field.slot_x(slot), slot >= 12
    odds = []
    for place, layer in enumerate(before):
        changed = change(canvas, look, look.stance.top_face(x, place, bottom, layer))
        odds.append(float(np.clip(3 * np.log((changed + 0.1) / _CHANGE), -4, 3)))
    pushed = np.log(_PUSHED) + sum(odds)  # the whole stack was touched: the changes tell nothing
    scores = {}
    for count in range(ROW, CHECKERS + 1):
        other = [was != now for was, now in zip(before, layers(count), strict=False)]
        # A checker of a higher layer shades the next place inwards, or hangs over it.
        told = sum(
            odd if changed else 0.85 * max(odd, 0.0) * shaded
            for odd, changed, shaded in zip(odds, other, [False, *other], strict=False)
        )
        scores[count] = float(np.logaddexp(told, pushed)) - _step_cost(abs(count - known))
    # What is remembered may be wrong: a belief is no picture.
    return [0.85 * p + 0.15 * t for p, t in zip(_normal(scores).values(), _TALL, strict=True)]


def _step_cost(step: int) -> float:
    """Nats against a change of a stack: one or two checkers a turn are common, four need a double."""
    return 0.6 * step + 0.2 * max(0, step - 2)


_CHANGE = 3.8  # roots: below it a checker is the same, above it another
_PUSHED = 0.1  # how often players straighten a stack without a change of count
_TALL = 0.8 ** np.arange(CHECKERS - ROW + 1)
_TALL /= _TALL.sum()


def _bar(speaks: Plane, field: FieldMap, appearance: Appearance) -> tuple[SlotReading, SlotReading]:
    stance = appearance.stance
    strips, half = _strip(speaks, [_bar_x(field, stance)], stance, CANVAS[1])
    discs = _disc_sums(strips, stance, half)[0]
    pitch = stance.dy * FIELD[1]
    readings = []
    for side, sign in ((0, 1), (1, -1)):
        left = discs[side].copy()
        total, scores = 0.0, {0: 0.0}
        for k in range(1, 6):
            at = int(left.argmax())
            total += appearance.trust * float(left[at]) - 2.0
            scores[sign * k] = total
            around = np.abs(np.arange(len(left)) - at) < _NEAREST * pitch
            left[around] = -np.inf
            # What speaks more for the other colour is not this one's.
            if discs[1 - side][at] > discs[side][at]:
                del scores[sign * k]
                break
        readings.append(_sorted(_normal(scores)))
    return readings[0], readings[1]


def _normal(scores: dict[int, float]) -> dict[int, float]:
    top = max(scores.values())
    weights = {count: float(np.exp(score - top)) for count, score in scores.items()}
    total = sum(weights.values())
    return {count: weight / total for count, weight in weights.items()}


def _sorted(counts: dict[int, float]) -> SlotReading:
    """A reading of the counts that matter; what is left out is spread over the others."""
    pairs = sorted(counts.items(), key=lambda pair: -pair[1])
    kept = [(count, round(float(p), 4)) for count, p in pairs if p >= 0.002]
    return SlotReading(tuple(kept))
