"""Labelled pictures read in this process: what stands where, what was read, and how sure that was.

The public scorer (``bench photos``) gives the figures; this gives every single reading behind them, by the
same rules: only what is labelled as sure counts, and of the two ends of a board the better one is taken as
the upper.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import material
from engine.layout import SLOTS
from engine.observation import Box, DieReading, PointXY
from vision.geometry import FieldMap, boxes_overlap
from vision.photo import NoBoard, PhotoReading, Picture, load_picture, read_photo

PHOTOGRAPHS, STILLS, DICE = "photographs of boards", "rendered stills", "photographs of dice"
PLACES = {PHOTOGRAPHS: ("real", "boards"), STILLS: ("footage", "stills"), DICE: ("real", "dice")}
QUICK = 3  #: pictures of a set where only a sample is asked for

LOCATED = 0.03  #: mean corner error, as a share of the long side, within which a board counts as found
_OVERLAP, _REACH = 0.2, 0.02  # a die is met by so much of its box, or so near, as a share of the long side
_UNSURE_REACH = 0.03  # the same for what counts neither way
_SIGN: dict[str | None, int] = {"light": 1, "dark": -1}


@dataclass(frozen=True, slots=True)
class TrueDie:
    """A labelled die; ``value`` is ``None`` where it counts neither way, ``box`` where none is drawn."""

    value: int | None
    centre: PointXY
    box: Box | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """What a person or a renderer says is in a picture.

    ``slots``: 24 signed counts, ``None`` where the label is not sure; empty where there is no board. ``kind``
    and ``light`` name the board and the light. ``complete``: no more dice lie about than are labelled.
    ``off``: borne-off light and dark checkers in view; ``cube``: whether there is a doubling cube; ``None``
    where they are not labelled.
    """

    group: str
    path: Path
    size: tuple[int, int]
    kind: str
    light: str
    field: FieldMap | None
    slots: tuple[int | None, ...]
    dice: tuple[TrueDie, ...]
    complete: bool = True
    off: tuple[int, int] | None = None
    cube: bool | None = None

    @property
    def name(self) -> str:
        """The picture's name, without its folder."""
        return self.path.name

    def picture(self) -> Picture:
        """The picture itself."""
        return load_picture(self.path)


@dataclass(frozen=True, slots=True)
class SlotRead:
    """A slot of the truth as it was read; ``confidence`` of that reading, ``chance`` given to the truth.

    Where no board was found nothing was read, and both are zero.
    """

    slot: int
    true: int
    read: int | None
    confidence: float
    chance: float

    @property
    def right(self) -> bool:
        """Whether colour and count are right."""
        return self.read == self.true


@dataclass(frozen=True, slots=True)
class DieRead:
    """A die of the truth as it was read, or one that is not there (``true`` is ``None``)."""

    true: int | None
    read: int | None
    box: Box | None  #: of the labelled die, else of the one seen
    centre: PointXY
    confidence: float
    state: str | None = None

    @property
    def right(self) -> bool:
        """Whether it was found and its value is right."""
        return self.true is not None and self.read == self.true


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A picture with every reading in it that counts.

    ``error``: of the corners, by the long side. ``things``: what else is labelled, and whether it is right.
    """

    label: Label
    error: float | None
    slots: tuple[SlotRead, ...]
    dice: tuple[DieRead, ...]
    things: tuple[tuple[str, bool], ...] = ()

    @property
    def located(self) -> bool:
        """Whether the board was found where it lies."""
        return self.error is not None and self.error < LOCATED


@cache
def labels(group: str) -> tuple[Label, ...]:
    """The labels of a set. Raises ``NoMaterial``."""
    folder = material(*PLACES[group])
    return tuple(_label(group, folder, item) for item in json.loads((folder / "labels.json").read_text()))


def _label(group: str, folder: Path, item: dict[str, Any]) -> Label:
    field: FieldMap | None = None
    slots: tuple[int | None, ...] = ()
    if item.get("slots"):
        bar = item.get("bar_frac")
        corners = np.array(item["corners"], np.float64)
        field = FieldMap(corners, (bar[0], bar[1])) if bar else FieldMap(corners)
        slots = tuple(
            signed(slot) if slot.get("sure", True) else None
            for row in ("top", "bottom")
            for slot in item["slots"][row]
        )
    dice = [true_die(die) for die in item.get("dice", [])]
    # A doubling cube that is read as a die is an error; other kinds of dice are none.
    dice += [
        true_die({**thing, "sure": False}) for thing in item.get("ignore", []) if "cube" not in thing["kind"]
    ]
    return Label(
        group=group,
        path=folder / "images" / Path(item["file"]).name,
        size=(item["size"][0], item["size"][1]),
        kind=item.get("style") or item.get("board_id") or "dice alone",
        light=item.get("light", "not labelled"),
        field=field,
        slots=slots,
        dice=tuple(dice),
        complete=item.get("dice_complete", True),
        off=(item["off_visible"]["light"], item["off_visible"]["dark"]) if "off_visible" in item else None,
        cube=item["cube"]["present"] if slots and "cube" in item else None,
    )


def signed(slot: dict[str, Any]) -> int:
    """The signed count of a slot, as the labels of pictures have it or those of rendered videos."""
    return _SIGN.get(slot.get("colour", slot.get("color")), 0) * int(slot["count"])


def true_die(die: dict[str, Any]) -> TrueDie:
    """A die of the labels; one that is not sure, or cocked, counts neither way."""
    box = tuple(die["box"]) if "box" in die else None
    centre = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) if box else (die["x"], die["y"])
    scored = die.get("sure", True) and not die.get("cocked")
    return TrueDie(die.get("value") if scored else None, centre, box, die.get("state"))


@cache
def judged(group: str, corners: bool, sample: int | None = None) -> tuple[Judged, ...]:
    """Every picture of a set read and judged, with the ``corners`` of the field given or without.

    ``sample``: only so many pictures. Raises ``NoMaterial``.
    """
    return tuple(judge(label, corners) for label in labels(group)[:sample])


def judge(label: Label, corners: bool) -> Judged:
    """Read one picture and hold it against its label."""
    picture = label.picture()
    given = [(float(x), float(y)) for x, y in label.field.corners] if corners and label.field else None
    try:
        reading = read_photo(picture, corners=given, dice_only=label.field is None)
    except NoBoard:
        missed = tuple(
            SlotRead(slot, true, None, 0.0, 0.0) for slot, true in enumerate(label.slots) if true is not None
        )
        return Judged(label, None, missed, judge_dice(label, ()), judge_things(label, None))
    error, slots = judge_slots(label, reading)
    return Judged(label, error, slots, judge_dice(label, reading.dice), judge_things(label, reading))


def judge_things(label: Label, reading: PhotoReading | None) -> tuple[tuple[str, bool], ...]:
    """Borne-off checkers and the cube, where they are labelled; all wrong where no board was found."""
    things = []
    if label.off is not None:
        things.append(("borne-off checkers, of both sides", reading is not None and reading.off == label.off))
    if label.cube is not None:
        right = reading is not None and (reading.cube is not None) == label.cube
        things.append(("a doubling cube, or none", right))
    return tuple(things)


def judge_slots(label: Label, reading: PhotoReading) -> tuple[float | None, tuple[SlotRead, ...]]:
    """Corner error and slots, under the better of the two names that the ends of a board may have."""
    if label.field is None or reading.board is None:
        return None, ()
    seen = np.array(reading.board.corners)
    error, other = (
        float(np.linalg.norm(label.field.corners - corners, axis=1).mean()) / max(label.size)
        for corners in (seen, np.roll(seen, 2, axis=0))
    )
    slots = reading.slots if error <= other else reading.slots[::-1]
    read = tuple(
        SlotRead(slot, true, slots[slot].best, slots[slot].confidence, slots[slot].probability(true))
        for slot in range(SLOTS)
        if (true := label.slots[slot]) is not None
    )
    return min(error, other), read


def judge_dice(label: Label, seen: Sequence[DieReading]) -> tuple[DieRead, ...]:
    """The labelled dice with what was read there, then the dice that are not there."""
    truth = [die for die in label.dice if die.value is not None]
    unsure = [die for die in label.dice if die.value is None]
    size = max(label.size)
    met = {i: seen[j] for i, j in pairs(truth, seen, _REACH * size)}
    found = [_die_read(die, met.get(i)) for i, die in enumerate(truth)]
    if label.complete:
        taken = {id(die) for die in met.values()}
        spare = [die for die in seen if id(die) not in taken]
        found += [_die_read(None, die) for die in spare if not pairs(unsure, [die], _UNSURE_REACH * size)]
    return tuple(found)


def _die_read(true: TrueDie | None, seen: DieReading | None) -> DieRead:
    box = true.box if true else seen.box if seen else None
    sure = seen.confidence * max(seen.values) if seen else 0.0
    if true:
        return DieRead(true.value, seen.value if seen else None, box, true.centre, sure, true.state)
    assert seen is not None
    return DieRead(None, seen.value, box, middle(seen.box), sure)


def pairs(truth: Sequence[TrueDie], seen: Sequence[DieReading], reach: float) -> list[tuple[int, int]]:
    """Pairs of labelled and seen dice, by number: those that overlap most first, then the nearest.

    ``reach``: pixels within which a die is met whose box is not, or that has none.
    """
    options = []
    for i, die in enumerate(truth):
        for j, reading in enumerate(seen):
            gap = math.dist(die.centre, middle(reading.box))
            overlap = boxes_overlap(die.box, reading.box) if die.box else 0.0
            if overlap > _OVERLAP or gap < reach:
                options.append((-overlap, gap, i, j))
    met: dict[int, int] = {}
    for _, _, i, j in sorted(options):
        if i not in met and j not in met.values():
            met[i] = j
    return list(met.items())


def middle(box: Box) -> PointXY:
    """The middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
