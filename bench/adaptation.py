"""What one look at the starting position brings: the same still pictures read with and without it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import click
import numpy as np

from bench.footage import VIDEOS
from bench.measure import NoMaterial, material
from bench.tables import share, table
from engine.events import BoardSeen, PlayMade
from engine.layout import to_slots
from engine.observation import SlotReading
from engine.position import Position
from hardware.camera import Image
from hardware.table import STYLES, SimulatedTable
from hardware.table.scene import BAR_WIDTH, FIELD_X, POSES, Pose
from hardware.video import VideoFile
from vision.appearance import Appearance, learn
from vision.geometry import FieldMap
from vision.photo import NoBoard, read_photo
from vision.slots import read_board

_TURNS = 24  #: of a simulated match
_CLEAR = 0.4  #: seconds after a turn until the hand has left the board
_EVERY = 4  #: turns between two pictures: in between the boards are nearly the same
_BAR = (0.5 - BAR_WIDTH / 4 / FIELD_X, 0.5 + BAR_WIDTH / 4 / FIELD_X)  #: of the simulated table
_SIGN = {"light": 1, "dark": -1, None: 0}

WAYS = ("nothing known", "corners known", "and the look learnt from the start")


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A picture in which nothing moves, with its 24 signed counts."""

    image: Image
    slots: tuple[int, ...]


@dataclass(slots=True)
class Count:
    """Occupied slots and whole boards, right by way of reading."""

    pictures: int = 0
    occupied: int = 0
    occupied_right: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    boards_right: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))

    def add(self, still: Still, place: FieldMap, look: Appearance) -> None:
        """Read a picture in every way."""
        self.pictures += 1
        self.occupied += sum(count != 0 for count in still.slots)
        corners = [(float(x), float(y)) for x, y in place.corners]
        readings = (
            _photo(still.image, None),
            _photo(still.image, corners),
            read_board(still.image, place, look)[0],
        )
        for way, slots in zip(WAYS, readings, strict=True):
            best = [slot.best for slot in slots]
            # Which end of a board is up is not in a single picture.
            right = max(_right(best, still.slots), _right(best[::-1], still.slots))
            self.occupied_right[way] += right
            self.boards_right[way] += still.slots in (tuple(best), tuple(best[::-1]))


def _photo(image: Image, corners: Sequence[tuple[float, float]] | None) -> Sequence[SlotReading]:
    try:
        return read_photo(image, corners=corners).slots
    except NoBoard:
        return ()


def _right(read: Sequence[int], true: Sequence[int]) -> int:
    return sum(a == b for a, b in zip(read, true, strict=False) if b)


def adaptation(quick: bool) -> dict[str, Count]:
    """Pictures of games on simulated boards and in the rendered videos, three ways of reading each."""
    counts: dict[str, Count] = {}
    poses: Sequence[Pose] = POSES[:1] if quick else ("overhead", "oblique")
    for style in list(STYLES)[: 2 if quick else None]:
        for pose in poses:
            camera = SimulatedTable(seed=9, style=style, pose=pose, max_turns=_TURNS)
            board = next(e for e in camera.truth() if isinstance(e, BoardSeen))
            place = FieldMap(np.array(board.corners), _BAR)
            with camera:
                standing = to_slots(Position.start(camera.game), camera.orientation)
                look = learn(camera.picture(0), place, standing)
                counts[f"simulated, {style}, {pose}"] = _count(_turns(camera), place, look)
    for name, title in VIDEOS.items():
        try:
            truth = json.loads(material("footage", "video", f"{name}.json").read_text())
        except NoMaterial as missing:
            click.echo(f"{missing}\n")
            break
        place = field_of(truth)
        first, *later = _runs(name, truth)
        look = learn(first.image, place, first.slots)
        counts[f"rendered video, {title}"] = _count(later[: 3 if quick else None], place, look)
    rows = [
        (name, c.pictures, *[share(c.occupied_right[way], c.occupied) for way in WAYS], *_boards(c))
        for name, c in counts.items()
    ]
    head = ("occupied slots right", "pictures", *WAYS, "whole boards, the same three ways")
    click.echo(table(head, rows))
    return counts


def _boards(count: Count) -> tuple[str]:
    return (", ".join(str(count.boards_right[way]) for way in WAYS) + f" of {count.pictures}",)


def _count(stills: Iterable[Still], place: FieldMap, look: Appearance) -> Count:
    count = Count()
    for still in stills:
        count.add(still, place, look)
    return count


def _turns(camera: SimulatedTable) -> Iterator[Still]:
    """The board after every fourth turn."""
    turns = [event for event in camera.truth() if isinstance(event, PlayMade)]
    for turn in turns[_EVERY - 1 :: _EVERY]:
        seq = round((turn.t + _CLEAR) * camera.fps)
        if seq < camera.frames:
            yield Still(camera.picture(seq), turn.slots)


def field_of(truth: dict[str, Any]) -> FieldMap:
    """Where the field lies in a rendered video."""
    corners = np.array([truth["field_corners_px"][c] for c in ("tl", "tr", "br", "bl")])
    bar = FieldMap(corners).to_board(truth["bar_px"])[:, 0]
    return FieldMap(corners, (float(bar[[0, 3]].mean()), float(bar[[1, 2]].mean())))


def _runs(name: str, truth: dict[str, Any]) -> list[Still]:
    """The first picture, and one of every later position while nothing moves."""
    wanted: dict[int, tuple[int, ...]] = {}
    for run in truth["frames"]:
        slots = tuple(
            _SIGN[slot["color"]] * slot["count"] for row in ("top", "bottom") for slot in run["slots"][row]
        )
        if run["stable"] and slots not in wanted.values():
            wanted[run["first"]] = slots
    stills = []
    with VideoFile(material("footage", "video", f"{name}.mp4")) as video:
        while (frame := video.read()) is not None:
            if frame.seq in wanted:
                stills.append(Still(frame.image, wanted[frame.seq]))
    return stills
