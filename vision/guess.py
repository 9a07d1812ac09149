"""The look of a board of which nothing is known: from one picture of any position.

Points of a kind look alike, and seldom are all of them occupied at the same place: what a point
looks like empty is taken from its likes, always without the point itself. What stands out in the
places next to the edge are checkers, in two colours.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import SLOTS
from hardware.camera import Image
from vision.appearance import (
    CANVAS,
    FIELD,
    MARGIN,
    Appearance,
    Plane,
    Stance,
    disc_colours,
    first_guess,
    noise_of,
    on_canvas,
    to_canvas,
)
from vision.geometry import FieldMap

_STANDS_OUT = 20.0  # roots between a place and its empty look, above which something lies there
_TRUST = 0.2  # of a look that was guessed: brings confidences near to how often readings are right
_APART = 30.0  # roots between the two colours of checkers, at least
_LENGTH = 0.41  # of a point, as a part of the field's height
_CHOSEN = 3  # like points that agree best with the colours of a point are taken as empty


def guess_appearance(image: Image, field: FieldMap) -> Appearance | None:
    """The look of the board in a picture of any position, or ``None`` if no checkers stand out.

    Where only one colour of checkers is seen, nothing is read as the other. Every count of
    ``Appearance.counts`` is 0: nothing is known of stacks.
    """
    canvas = on_canvas(image, field)
    stance = first_guess(image, field)
    empty, spread = _empty(canvas, field)
    found = _standing_out(canvas, field, stance, empty)
    if found is None:
        return None
    return Appearance(
        empty,
        spread,
        np.ones(spread.shape, np.bool_),
        np.stack(found),
        stance,
        noise_of(canvas),
        canvas,
        (0,) * SLOTS,
        _TRUST,
    )


def _empty(canvas: Plane, field: FieldMap) -> tuple[Plane, Plane]:
    """The empty board and its spread, each point from its likes and the bar from its own length."""
    empty = canvas.copy()
    spread = np.full(canvas.shape[:2], 12.0, np.float32)
    half = CANVAS[1] // 2
    wide = round(field.point_width * FIELD[0])
    middle = round((MARGIN + 0.5) * FIELD[1])
    strips: list[Plane] = []  # from the edge of the canvas inwards
    lefts = []
    for slot in range(SLOTS):
        left = round(to_canvas(field.slot_x(slot), 0)[0] - wide / 2)
        lefts.append(left)
        strip = canvas[:half, left : left + wide]
        strips.append(canvas[::-1][:half, left : left + wide] if slot >= 12 else strip)
    ground = np.median(canvas[middle - 6 : middle + 6, lefts[0] : lefts[11] + wide], axis=(0, 1))
    # Points are triangles: about where a pixel shows the point, and where the ground.
    inward = (np.arange(half)[:, None] / FIELD[1] - MARGIN) / _LENGTH
    aside = np.abs(np.arange(wide) - (wide - 1) / 2) / (wide / 2) - np.clip(1 - inward, 0, 1)
    far_from_point = np.where(aside > 0.15, 200.0, 0.0)
    far_from_ground = np.where(aside < -0.15, 200.0, 0.0)
    for kind in (0, 1):
        likes = [s for s in range(SLOTS) if (s % 12 + s // 12) % 2 == kind]
        stack = np.stack([strips[s] for s in likes])
        inner = round((MARGIN + 0.24) * FIELD[1])
        tip = stack[:, inner : inner + round(0.08 * FIELD[1]), wide // 2 - 2 : wide // 2 + 3]
        # The two rows may lie in different light: each is measured against its own points.
        bottom_row = np.array([slot >= 12 for slot in likes])
        points = np.stack([np.median(tip[bottom_row == row], axis=(0, 1, 2)) for row in (False, True)])
        own = points[bottom_row.astype(int)][:, None, None]
        off = np.minimum(
            np.abs(stack - own).max(axis=3) + far_from_point,
            np.abs(stack - ground).max(axis=3) + far_from_ground,
        )
        apart = float(np.abs(points[0] - points[1]).max())
        for i, slot in enumerate(likes):
            others = [j for j in range(len(likes)) if j != i]
            order = off[others] + (apart * (bottom_row[others] != (slot >= 12)))[:, None, None]
            best = np.argsort(order, axis=0)[:_CHOSEN]
            chosen = np.take_along_axis(stack[others], best[..., None], axis=0)
            # Kept narrow: what looks just like the likes of a point is no checker of the same colour.
            mean, deviation = chosen.mean(axis=0), chosen.std(axis=0).mean(axis=2)
            left = lefts[slot]
            rows = slice(None, half) if slot < 12 else slice(CANVAS[1] - half, None)
            turn = 1 if slot < 12 else -1
            empty[rows, left : left + wide] = mean[::turn]
            spread[rows, left : left + wide] = (deviation / 2 + 3)[::turn]
    x0, x1 = (round(to_canvas(x, 0)[0]) for x in field.bar)
    top, bottom = round(to_canvas(0, 0)[1]), round(to_canvas(0, 1)[1])
    if x1 - x0 > 4:
        along = canvas[top:bottom, x0:x1]
        empty[top:bottom, x0:x1] = np.median(along, axis=0)
        spread[top:bottom, x0:x1] = 6.0
    return empty, spread


def _standing_out(canvas: Plane, field: FieldMap, stance: Stance, empty: Plane) -> tuple[Plane, Plane] | None:
    """Colours of light and dark checkers, from what lies in the first two places of the slots."""
    places: list[tuple[int, int]] = []
    strength: list[float] = []
    medians: list[NDArray[np.float32]] = []
    for slot in range(SLOTS):
        for place in (0, 1):
            x, y = to_canvas(*stance.top_face(field.slot_x(slot), place, slot >= 12))
            box = np.s_[round(y) - 5 : round(y) + 6, round(x) - 5 : round(x) + 6]
            now, then = canvas[box].reshape(-1, 3), empty[box].reshape(-1, 3)
            # Light that falls off over the board is no checker.
            shade = np.clip(np.median(now.mean(axis=1) / np.maximum(then.mean(axis=1), 10)), 0.82, 1.1)
            differs = np.abs(now - shade * then).max(axis=1)
            if np.quantile(differs, 0.25) > _STANDS_OUT:
                places.append((slot, place))
                strength.append(float(np.median(differs)))
                medians.append(np.median(now, axis=0).astype(np.float32))
    if len(medians) < 2:
        return None
    data = np.stack(medians)
    none = np.zeros((len(data), 1), np.int32)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    _, labels, centres = cv2.kmeans(data, 2, none, stop, 5, cv2.KMEANS_PP_CENTERS)
    brightness = centres.mean(axis=1)
    light = int(brightness.argmax())
    label = labels.ravel()
    if np.abs(centres[0] - centres[1]).max() < _APART:
        light = 0 if data.mean() > 128 else 1
        label = np.zeros(len(data), np.int32)
    faces: list[list[tuple[int, int]]] = [[], []]
    for one in (0, 1):
        mine = np.flatnonzero(label == one)
        if len(mine):
            # Checkers of a side look alike; what stands out most is the surest of them.
            surest = mine[np.argsort(-np.array(strength)[mine])[: max(2, len(mine) // 2)]]
            alike = np.abs(data[mine] - np.median(data[surest], axis=0)).max(axis=1) < _APART
            faces[0 if one == light else 1] = [places[i] for i in mine[alike]]
    colours: list[Plane] = []
    for side in (0, 1):
        slots = [0] * SLOTS
        for slot, place in faces[side]:
            slots[slot] = (1 if side == 0 else -1) * (place + 1)
        seen = disc_colours(canvas, field, slots, stance, 0.6)[side]
        colours.append(np.full(32**3, 32.0**-3, np.float32) if seen is None else seen)
    return colours[0], colours[1]
