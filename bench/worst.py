"""A contact sheet of the worst misreadings: what the camera saw, what is there, what was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from bench.conditions import Conditions, Misread
from bench.labelled import DieRead, Label, labels
from hardware.camera import Image
from vision.geometry import FieldMap

COUNT, COLUMNS = 20, 7
_OF_ONE = 2  #: misreadings of one picture that are shown, so that a bad one does not fill the sheet
_WIDTH, _HEIGHT, _TEXT, _GAP = 200, 300, 62, 8  #: pixels of a tile
_AROUND = 4.4  #: width of a tile in widths of a point
_SPAN = 0.62  #: height of a tile in heights of the field, a sixth of it outside
_DIE = 64  #: pixels of a die's box in its tile
_BACK, _INK, _GOOD, _BAD = (250, 250, 250), (40, 40, 40), (60, 120, 30), (40, 40, 200)
_MARK = (255, 255, 0)


def sheet(result: Conditions, folder: Path) -> None:
    """Write ``worst.png``: what was misread most surely first; boards that were not found are left out."""
    known = {(label.group, label.name): label for group in _groups(result) for label in labels(group)}
    tiles = [tile(one, known[(one.group, one.file)]) for one in choose(result.misread)]
    if tiles:
        cv2.imwrite(str(folder / "worst.png"), contact(tiles))


def choose(misread: Iterable[Misread]) -> list[Misread]:
    """The first twenty, of which no more than two of one picture."""
    chosen: list[Misread] = []
    for one in misread:
        if sum(other.file == one.file for other in chosen) < _OF_ONE:
            chosen.append(one)
    return chosen[:COUNT]


def _groups(result: Conditions) -> set[str]:
    return {one.group for one in result.misread}


def tile(one: Misread, label: Label) -> Image:
    """One misreading: the place in the picture, and three lines below it."""
    image = label.picture().image
    if one.slot is not None:
        assert label.field is not None
        part = slot_part(image, label.field, one.slot.slot)
        row = "top" if one.slot.slot < 12 else "bottom"
        title = f"{label.name} {row} {one.slot.slot % 12 + 1}"
        true = _checkers(one.slot.true)
        read = "nothing" if one.slot.read is None else _checkers(one.slot.read)
        sure = one.slot.confidence
    else:
        assert one.die is not None
        part = die_part(image, one.die)
        title = f"{label.name} die"
        true = "no die" if one.die.true is None else f"a {one.die.true}"
        read = "no die" if one.die.read is None else f"a {one.die.read}"
        sure = one.die.confidence
    text = np.full((_TEXT, _WIDTH, 3), _BACK, np.uint8)
    said = f"read: {read}" + (f", {sure:.0%}" if sure else "")
    for i, (words, ink) in enumerate(((title, _INK), (f"is: {true}", _GOOD), (said, _BAD))):
        cv2.putText(text, words, (3, 17 + 19 * i), cv2.FONT_HERSHEY_SIMPLEX, 0.48, ink, 1, cv2.LINE_AA)
    return np.vstack([part, text])


def _checkers(count: int) -> str:
    return f"{abs(count)} {'light' if count > 0 else 'dark'}" if count else "empty"


def slot_part(image: Image, field: FieldMap, slot: int) -> Image:
    """The row of a slot with its neighbours, set straight; marks outside the field show which it is."""
    x, half = field.slot_x(slot), _AROUND / 2 * field.point_width
    top = -_SPAN / 6 if slot < 12 else 1 - _SPAN * 5 / 6
    units = [(x - half, top), (x + half, top), (x + half, top + _SPAN), (x - half, top + _SPAN)]
    place = field.to_pixels(units).astype(np.float32)
    part = _cut(image, place)
    edge = _HEIGHT // 6 if slot < 12 else _HEIGHT * 5 // 6
    outer = edge - 14 if slot < 12 else edge + 14
    for side in (-0.5, 0.5):
        at = round(_WIDTH * (0.5 + side / _AROUND))
        cv2.line(part, (at, edge), (at, outer), _MARK, 2, cv2.LINE_AA)
    return part


def die_part(image: Image, die: DieRead) -> Image:
    """The surroundings of a die, with its box."""
    x, y = die.centre
    x0, y0, x1, y1 = die.box or (x - 15, y - 15, x + 15, y + 15)
    scale = _DIE / max(x1 - x0, y1 - y0)
    w, h = _WIDTH / 2 / scale, _HEIGHT / 2 / scale
    place = np.array([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)], np.float32)
    part = _cut(image, place)
    corners = [(round((u - x + w) * scale), round((v - y + h) * scale)) for u, v in ((x0, y0), (x1, y1))]
    cv2.rectangle(part, corners[0], corners[1], _MARK, 1, cv2.LINE_AA)
    return part


def _cut(image: Image, place: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Image:
    """A quadrilateral of a picture (4, 2) as a tile; many pixels to one are averaged first."""
    shrink = min(1.0, 2 * _WIDTH / max(1.0, float(np.linalg.norm(place[1] - place[0]))))
    if shrink < 1:
        image = np.asarray(
            cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8
        )
        place = place * np.float32(shrink)
    into = np.array([[0, 0], [_WIDTH, 0], [_WIDTH, _HEIGHT], [0, _HEIGHT]], np.float32)
    matrix = cv2.getPerspectiveTransform(place, into)
    return np.asarray(cv2.warpPerspective(image, matrix, (_WIDTH, _HEIGHT), flags=cv2.INTER_LINEAR), np.uint8)


def contact(tiles: Sequence[Image]) -> Image:
    """Tiles of one size in rows."""
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // COLUMNS)
    across = min(COLUMNS, len(tiles))
    page = np.full((rows * (height + _GAP) + _GAP, across * (width + _GAP) + _GAP, 3), _BACK, np.uint8)
    for i, one in enumerate(tiles):
        y, x = _GAP + (i // COLUMNS) * (height + _GAP), _GAP + (i % COLUMNS) * (width + _GAP)
        page[y : y + height, x : x + width] = one
    return page
