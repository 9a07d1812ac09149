"""Where pictures are misread: errors by condition.

Conditions are measured in the picture itself, with the help of its label: the field is laid straight
(:mod:`vision.canvas`), and what is seen in the place of a slot's first checker is compared with the same
place of its empty likes. Where the renderer tells a condition (light, kind of board) its word is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from bench.labelled import DICE, PHOTOGRAPHS, QUICK, STILLS, DieRead, Judged, Label, SlotRead, judged
from bench.tables import share, table
from hardware.camera import Image
from vision import canvas
from vision.geometry import FieldMap

Lab = NDArray[np.float32]

_CHECKER = canvas.COLUMN  #: pixels of the canvas from one checker of a row to the next
_REACH = 6  #: half the side of the square, in pixels of the canvas, that is looked at in a checker's place
_FOCAL = 0.75  #: focal length by the picture's long side: 67 degrees across, as telephones have
_PLACES = 3  #: places of an empty point in which its ornament is measured


@dataclass(frozen=True, slots=True)
class Scale:
    """A measured condition: the lower ends of its classes after the first, and the unit."""

    name: str
    edges: tuple[float, ...]
    unit: str = ""

    def named(self, value: float | None) -> str:
        """The class of a value, in words."""
        if value is None:
            return "not measured"
        for edge, low in zip(self.edges, (None, *self.edges), strict=False):
            if value < edge:
                return f"below {edge:g}{self.unit}" if low is None else f"{low:g} to {edge:g}{self.unit}"
        return f"{self.edges[-1]:g}{self.unit} and more"


CONTRAST = Scale("contrast of checker and point, ΔE", (10, 25, 50))
ORNAMENT = Scale("ornament of empty points, deviation of L*", (3, 6, 10))
ANGLE = Scale("view from straight above, degrees", (5, 15, 30))
BRIGHTNESS = Scale("brightness of the field, L*", (35, 45, 55))
BLUR = Scale("blur, 0 to 1", (0.2, 0.3, 0.4))
POINT = Scale("width of a point, pixels", (30, 45, 60))
DIE = Scale("edge of the die, pixels", (18, 24, 30, 40))


@dataclass(frozen=True, slots=True)
class Look:
    """What is measured of a picture; see the scales. ``contrast``: of each slot, by its number."""

    contrast: dict[int, float]
    ornament: float | None
    angle: float
    brightness: float
    blur: float
    point: float


def look(label: Label) -> Look:
    """Measure a picture of a labelled board. Raises ``ValueError`` if its label has no board."""
    if label.field is None:
        raise ValueError(f"{label.name} shows no board")
    image = label.picture().image
    lab = to_lab(canvas.paint(image, label.field))
    inner = lab[canvas.ABOVE : -canvas.ABOVE, canvas.ASIDE : -canvas.ASIDE, 0]
    across = np.linalg.norm(np.diff(label.field.to_pixels([[0, 0.5], [1, 0.5]]), axis=0))
    return Look(
        contrast=dict(contrasts(lab, label.slots)),
        ornament=ornament(lab, label.slots),
        angle=view_angle(label.field.corners, label.size),
        brightness=float(inner.mean()),
        blur=blur(image, label.field),
        point=float(across) * label.field.point_width,
    )


def view_angle(corners: NDArray[np.float64], size: tuple[int, int]) -> float:
    """Degrees between the optical axis of a usual lens and the board's normal, from the field's corners."""
    plain = (corners - np.array(size) / 2) / (_FOCAL * max(size))
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    h = cv2.getPerspectiveTransform(unit, plain.astype(np.float32)).astype(np.float64)
    normal = np.cross(h[:, 0], h[:, 1])
    return float(np.degrees(np.arccos(min(1.0, abs(float(normal[2])) / float(np.linalg.norm(normal))))))


def to_lab(image: NDArray[np.uint8]) -> Lab:
    """CIE L*a*b* of a uint8 BGR picture, float32, L* from 0 to 100."""
    return np.asarray(cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


def square(lab: Lab, slot: int, place: int) -> Lab:
    """What the canvas shows in the middle of a place (0 at the edge) of a slot: (n, 3)."""
    x = canvas.left_of(slot) + canvas.COLUMN // 2
    inward = canvas.ABOVE + _CHECKER * place + _CHECKER // 2
    y = inward if slot < 12 else canvas.HEIGHT - 1 - inward
    return lab[y - _REACH : y + _REACH + 1, x - _REACH : x + _REACH + 1].reshape(-1, 3)


def contrasts(lab: Lab, slots: Sequence[int | None]) -> Iterator[tuple[int, float]]:
    """Of each occupied slot, how far the first checker's colour is from that of a like empty point.

    Points are alike that have the same colour; of the empty ones the nearest is taken. The distance is
    ΔE*ab (CIE 1976) between the medians. Slots without an empty like are left out.
    """
    for slot, count in enumerate(slots):
        likes = [s for s, n in enumerate(slots) if n == 0 and _kind(s) == _kind(slot)]
        if count and likes:
            like = min(likes, key=lambda s: (s // 12 != slot // 12, abs(s % 12 - slot % 12)))
            own, bare = (np.median(square(lab, s, 0), axis=0) for s in (slot, like))
            yield slot, float(np.linalg.norm(own - bare))


def _kind(slot: int) -> int:
    return (slot % 12 + slot // 12) % 2


def ornament(lab: Lab, slots: Sequence[int | None]) -> float | None:
    """How uneven L* is within the checkers' places of the empty points, by the median over them."""
    empty = [slot for slot, count in enumerate(slots) if count == 0]
    spreads = [float(square(lab, slot, place)[:, 0].std()) for slot in empty for place in range(_PLACES)]
    return float(np.median(spreads)) if spreads else None


def blur(image: Image, field: FieldMap) -> float:
    """How little is lost of the differences of neighbours if the field is blurred: 0 sharp, 1 flat.

    The measure of Crete, Dolmiere, Ladret and Nicolas (*The Blur Effect*, 2007), along both axes.
    """
    x, y, width, height = cv2.boundingRect(field.corners.astype(np.float32))
    part = image[max(0, y) : y + height, max(0, x) : x + width]
    grey = np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.float32)
    kept = []
    for plane in (grey, grey.T):
        own = np.abs(np.diff(plane, axis=1))
        after = np.abs(np.diff(cv2.blur(plane, (9, 1)), axis=1))
        lost = np.maximum(own - after, 0).sum()
        kept.append(float(1 - lost / max(float(own.sum()), 1e-6)))
    return max(kept)


# -- counting ---------------------------------------------------------------------------------------------

Class = tuple[str, str]  #: a condition and its class
Counted = dict[Class, dict[str, list[int]]]  #: right and whole, by class and column


@dataclass(frozen=True, slots=True)
class Misread:
    """A slot or a die that was misread."""

    group: str
    file: str
    slot: SlotRead | None
    die: DieRead | None

    @property
    def badness(self) -> float:
        """The confidence with which something wrong was said, or with which the truth was passed over."""
        if self.slot is not None:
            return 1 - self.slot.chance
        assert self.die is not None
        return self.die.confidence if self.die.read is not None else 0.5


@dataclass(frozen=True, slots=True)
class Conditions:
    """Tables as rows of cells, and what was misread with no help, worst first."""

    occupied: list[tuple[str, ...]]
    empty: list[tuple[str, ...]]
    dice: list[tuple[str, ...]]
    things: list[tuple[str, ...]]
    misread: list[Misread]


def conditions(quick: bool) -> Conditions:
    """Occupied slots, empty slots and dice by condition, with no help and with the corners given.

    Borne-off checkers and cubes, of which there are few, as shares of all pictures.
    """
    sample = QUICK if quick else None
    occupied: Counted = {}
    empty: Counted = {}
    dice: Counted = {}
    things: dict[str, dict[str, list[int]]] = {}
    misread: list[Misread] = []
    for group in (PHOTOGRAPHS, STILLS):
        for corners in (False, True):
            column = f"{group}, corners given" if corners else group
            for picture in judged(group, corners, sample):
                seen = _look_of(picture.label)
                for slot in picture.slots:
                    classes = slot_classes(slot, picture.label, seen)
                    _count(occupied if slot.true else empty, classes, column, slot.right)
                for die in picture.dice:
                    if die.true is not None:
                        _count(dice, die_classes(die, picture.label, seen), column, die.right)
                for name, right in picture.things:
                    pair = things.setdefault(name, {}).setdefault(column, [0, 0])
                    pair[0] += right
                    pair[1] += 1
                if not corners:
                    misread += misreadings(picture)
    for picture in judged(DICE, False, sample):
        for die in picture.dice:
            if die.true is not None:
                _count(dice, die_classes(die, picture.label, None), DICE, die.right)
        misread += misreadings(picture)
    misread.sort(key=lambda m: -m.badness)
    columns = list(dict.fromkeys(column for shares in things.values() for column in shares))
    others = [(name, *[share(*shares[c]) for c in columns]) for name, shares in things.items()]
    result = Conditions(
        _rows(occupied), _rows(empty), _rows(dice), [("pictures", *columns), *others], misread
    )
    for title, rows in (
        ("occupied slots", result.occupied),
        ("empty slots", result.empty),
        ("dice", result.dice),
        ("pictures", result.things),
    ):
        head, *body = rows
        click.echo(table((f"{title} right", *head[1:]), body) + "\n")
    return result


_LOOKS: dict[Path, Look] = {}


def _look_of(label: Label) -> Look:
    if label.path not in _LOOKS:
        _LOOKS[label.path] = look(label)
    return _LOOKS[label.path]


def slot_classes(slot: SlotRead, label: Label, seen: Look) -> Iterator[Class]:
    """The classes to which a slot belongs."""
    if slot.true:
        height = abs(slot.true)
        yield "checkers on the slot", "6 and more" if height > 5 else str(height)
        yield CONTRAST.name, CONTRAST.named(seen.contrast.get(slot.slot))
    yield ORNAMENT.name, ORNAMENT.named(seen.ornament)
    yield POINT.name, POINT.named(seen.point)
    yield from _picture_classes(label, seen)


def die_classes(die: DieRead, label: Label, seen: Look | None) -> Iterator[Class]:
    """The classes to which a die belongs."""
    box = die.box
    yield DIE.name, DIE.named((box[2] - box[0] + box[3] - box[1]) / 2.6 if box else None)
    if die.state:
        yield "how the die lies", die.state.replace("_", " ")
    if seen is not None:
        yield from _picture_classes(label, seen)


def _picture_classes(label: Label, seen: Look) -> Iterator[Class]:
    yield ANGLE.name, ANGLE.named(seen.angle)
    yield BRIGHTNESS.name, BRIGHTNESS.named(seen.brightness)
    yield BLUR.name, BLUR.named(seen.blur)
    yield "light", label.light
    yield "board", label.kind


def _count(counted: Counted, classes: Iterable[Class], column: str, right: bool) -> None:
    for one in (("all", ""), *classes):
        pair = counted.setdefault(one, {}).setdefault(column, [0, 0])
        pair[0] += right
        pair[1] += 1


def _rows(counted: Counted) -> list[tuple[str, ...]]:
    """Head and rows: classes in order of their conditions, as these first came up."""
    order = list(dict.fromkeys(condition for condition, _ in counted))
    columns = list(dict.fromkeys(column for cells in counted.values() for column in cells))
    rows = [("condition", "", *columns)]
    for condition in order:
        for name in sorted((n for c, n in counted if c == condition), key=_rank):
            cells = counted[(condition, name)]
            rows.append((condition, name, *[share(*cells[c]) if c in cells else "" for c in columns]))
    return rows


def _rank(name: str) -> tuple[bool, float, str]:
    """Classes of a scale by their lower ends, words by the alphabet."""
    first = name.split()[0] if name else ""
    if first == "below":
        return (False, -1.0, name)
    digits = first.rstrip("°%")
    return (False, float(digits), name) if digits.replace(".", "", 1).isdigit() else (True, 0.0, name)


def misreadings(picture: Judged) -> Iterator[Misread]:
    """What is wrong in a picture; nothing of a board that was not found, where slots mean nothing."""
    label = picture.label
    if picture.located:
        for slot in picture.slots:
            if not slot.right:
                yield Misread(label.group, label.name, slot, None)
    for die in picture.dice:
        if not die.right:
            yield Misread(label.group, label.name, None, die)
