"""What one look at the starting position brings: the same still pictures read with and without it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import click
import numpy as np

from bench.footage import VIDEOS, field_of
from bench.labelled import PHOTOGRAPHS, Label, labels, signed
from bench.measure import NoMaterial, material
from bench.tables import share, table
from engine.events import BoardSeen, PlayMade
from engine.layout import start_layouts, to_slots
from engine.observation import PointXY, SlotReading
from engine.position import Game, Position
from hardware.camera import Image
from hardware.table import STYLES, SimulatedTable
from hardware.table.scene import BAR_WIDTH, FIELD_X, POSES, Pose
from hardware.video import VideoFile
from vision.appearance import Appearance, learn
from vision.geometry import FieldMap
from vision.photo import NoBoard, learn_board, read_photo
from vision.slots import read_board

_TURNS = 24  #: of a simulated match
_CLEAR = 0.4  #: seconds after a turn until the hand has left the board
_EVERY = 4  #: turns between two pictures: in between the boards are nearly the same
_BAR = (0.5 - BAR_WIDTH / 4 / FIELD_X, 0.5 + BAR_WIDTH / 4 / FIELD_X)  #: of the simulated table
_SAMPLE = 3  #: pictures of a board where a small sample will do

#: ``zarbiter photo`` alone, with ``--board``, with ``--corners``, and as a match is watched.
WAYS = ("nothing known", "the start shown", "corners given", "corners given, the look alone")


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A picture in which nothing moves: where the field lies, 24 signed counts (``None`` where not sure)."""

    image: Image
    place: FieldMap
    slots: tuple[int | None, ...]


@dataclass(slots=True)
class Count:
    """Occupied slots and whole boards, right by way of reading.

    ``learnt``: whether the picture of the start was seen to be one.
    """

    learnt: bool
    pictures: int = 0
    occupied: int = 0
    occupied_right: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    boards_right: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))

    def add(self, still: Still, shown: Appearance | None, look: Appearance) -> None:
        """Read a picture in every way: ``shown`` was learnt from the start by itself, ``look`` with help."""
        self.pictures += 1
        self.occupied += sum(bool(count) for count in still.slots)
        corners = [(float(x), float(y)) for x, y in still.place.corners]
        readings = (
            _photo(still.image),
            _photo(still.image, known=shown) if shown else (),
            _photo(still.image, corners=corners),
            read_board(still.image, still.place, look)[0],
        )
        for way, slots in zip(WAYS, readings, strict=True):
            best = [slot.best for slot in slots]
            # Which end of a board is up is not in a single picture.
            ends = [_right(read, still.slots) for read in (best, best[::-1])]
            self.occupied_right[way] += max(right for right, _ in ends)
            self.boards_right[way] += any(whole for _, whole in ends)


def _photo(
    image: Image, corners: Sequence[PointXY] | None = None, known: Appearance | None = None
) -> Sequence[SlotReading]:
    try:
        return read_photo(image, corners=corners, known=known).slots
    except NoBoard:
        return ()


def _right(read: Sequence[int], true: Sequence[int | None]) -> tuple[int, bool]:
    """Occupied slots that are right, and whether the whole board is."""
    pairs = [(a, b) for a, b in zip(read, true, strict=False) if b is not None]
    return sum(a == b for a, b in pairs if b), bool(pairs) and all(a == b for a, b in pairs)


def adaptation(quick: bool) -> dict[str, Count]:
    """Simulated boards, rendered videos, and photographs of boards of which one shows the start."""
    counts: dict[str, Count] = {}
    poses: Sequence[Pose] = POSES[:1] if quick else ("overhead", "oblique")
    for style in list(STYLES)[: 2 if quick else None]:
        for pose in poses:
            camera = SimulatedTable(seed=9, style=style, pose=pose, max_turns=_TURNS)
            with camera:
                counts[f"simulated, {style}, {pose}"] = _count(*_match(camera), quick)
    try:
        for name, title in VIDEOS.items():
            counts[f"rendered video, {title}"] = _count(*_video(name), quick)
        for kind, start, others in _photographed():
            counts[f"photographs, {kind}"] = _count(start, others, quick)
    except NoMaterial as missing:
        click.echo(f"{missing}\n")
    rows = [_row(name, count) for name, count in counts.items()]
    columns = [f"{way}: {what}" for what in ("occupied slots", "whole boards") for way in WAYS]
    click.echo(table(("board", "pictures", *columns), [*rows, _row("all", _total(counts.values()))]))
    for name, count in counts.items():
        if not count.learnt:
            click.echo(f"{name}: the start is not seen as one, so that nothing is read")
    return counts


def _row(name: str, count: Count) -> tuple[str, ...]:
    slots = [share(count.occupied_right[way], count.occupied) for way in WAYS]
    return (name, str(count.pictures), *slots, *[str(count.boards_right[way]) for way in WAYS])


def _total(counts: Iterable[Count]) -> Count:
    total = Count(learnt=True)
    for count in counts:
        total.pictures += count.pictures
        total.occupied += count.occupied
        for way in WAYS:
            total.occupied_right[way] += count.occupied_right[way]
            total.boards_right[way] += count.boards_right[way]
    return total


def _count(start: Still, others: Iterable[Still], quick: bool) -> Count:
    known = [slot or 0 for slot in start.slots]
    look = learn(start.image, start.place, known)
    try:
        shown = learn_board(start.image)
    except NoBoard:
        shown = None
    count = Count(learnt=shown is not None)
    for number, still in enumerate(others):
        if quick and number == _SAMPLE:
            break
        count.add(still, shown, look)
    return count


def _match(camera: SimulatedTable) -> tuple[Still, Iterator[Still]]:
    """The start, and the board after every fourth turn."""
    board = next(event for event in camera.truth() if isinstance(event, BoardSeen))
    place = FieldMap(np.array(board.corners), _BAR)
    turns = [event for event in camera.truth() if isinstance(event, PlayMade)][_EVERY - 1 :: _EVERY]
    moments = ((round((turn.t + _CLEAR) * camera.fps), turn.slots) for turn in turns)
    start = Still(camera.picture(0), place, to_slots(Position.start(camera.game), camera.orientation))
    return start, (Still(camera.picture(n), place, slots) for n, slots in moments if n < camera.frames)


def _photographed() -> Iterator[tuple[str, Still, list[Still]]]:
    """Boards of which there are several photographs, one of them of the start. Raises ``NoMaterial``."""
    starts = {layout for game in Game for layout in start_layouts(game).values()}
    for kind, group in groupby(sorted(labels(PHOTOGRAPHS), key=_kind), _kind):
        mine = list(group)
        start = next((label for label in mine if label.slots in starts), None)
        if start is not None and len(mine) > 1:
            yield kind, _still(start), [_still(label) for label in mine if label is not start]


def _kind(label: Label) -> str:
    return label.kind


def _still(label: Label) -> Still:
    assert label.field is not None
    picture = label.picture()
    return Still(picture.image, label.field, label.slots)


def _video(name: str) -> tuple[Still, list[Still]]:
    """The first picture, and one of every later position while nothing moves. Raises ``NoMaterial``."""
    truth = json.loads(material("footage", "video", f"{name}.json").read_text())
    place = field_of(truth)
    wanted: dict[int, tuple[int, ...]] = {}
    for run in truth["frames"]:
        slots = tuple(signed(slot) for row in ("top", "bottom") for slot in run["slots"][row])
        if run["stable"] and slots not in wanted.values():
            wanted[run["first"]] = slots
    stills = []
    with VideoFile(material("footage", "video", f"{name}.mp4")) as video:
        while (frame := video.read()) is not None:
            if frame.seq in wanted:
                stills.append(Still(frame.image, place, wanted[frame.seq]))
    first, *later = stills
    return first, later
