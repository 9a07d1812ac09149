"""The dice reader alone, where the board lies being known: the second table of ``models/dice.md``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
import cv2
import numpy as np

from bench.measure import material
from bench.tables import share, table
from engine.observation import DieReading, SlotReading
from hardware.camera import Image
from hardware.video import VideoFile
from models.training.render import TILE, DieTruth, Scenes
from vision.dice import DIE_SIZE, NETWORK_EDGE, CubeReading, DiceReader
from vision.geometry import FieldMap, boxes_overlap

REACH = 0.02  #: of the long side: how far a die may be seen from where it is
OVERLAP = 0.2  #: or how much of its box must be met
TILES = 1200  #: drawn ones, of tables that the networks have not learnt from
_SEED, _TABLES = 1000, 80
_HIDDEN = 0.25  #: share of a drawn die from which it need not be read, if so much of it is covered
_TILE_EDGE = NETWORK_EDGE / 0.6  #: that of dice at which the finder sees a tile as it learnt to see it


@dataclass(slots=True)
class Count:
    """Dice and cubes of one set; ``states`` are those dice whose way of lying is known.

    ``cubes`` are the pictures in which it is known whether a doubling cube is in view, ``cube_values`` those
    in which its value can be read.
    """

    pictures: int = 0
    dice: int = 0
    found: int = 0
    right: int = 0
    false: int = 0
    states: int = 0
    states_right: int = 0
    cubes: int = 0
    cubes_right: int = 0
    cube_values: int = 0
    cube_values_right: int = 0

    def add_cube(self, seen: CubeReading | None, truth: dict[str, Any] | None) -> None:
        """Count whether a cube was seen where there is one, and its value."""
        if truth is None:
            return
        self.cubes += 1
        self.cubes_right += (seen is not None) == truth["present"]
        if truth.get("value"):
            self.cube_values += 1
            self.cube_values_right += seen is not None and seen.value == truth["value"]

    def add(self, image: Image, seen: Sequence[DieReading], truth: Sequence[dict[str, Any]]) -> None:
        """Pair what was seen with what is there, nearest first; ``sure: false`` counts neither way."""
        self.pictures += 1
        reach = REACH * max(image.shape[:2])
        pairs = sorted(
            (gap, i, j)
            for i, die in enumerate(truth)
            for j, reading in enumerate(seen)
            if (gap := math.dist(_centre(die), _middle(reading.box))) < reach
            or boxes_overlap(die.get("box", (0, 0, 0, 0)), reading.box) > OVERLAP
        )
        used: dict[int, int] = {}
        for _, i, j in pairs:
            if i not in used.values() and j not in used:
                used[j] = i
        self.false += len(seen) - len(used)
        read = {i: seen[j] for j, i in used.items()}
        for i, die in enumerate(truth):
            if not die.get("sure", True) or not die.get("value"):
                continue
            if not die.get("cocked"):
                self.dice += 1
                self.found += i in read
                self.right += i in read and read[i].value == die["value"]
            if die.get("state"):
                self.states += 1
                self.states_right += i in read and read[i].state == die["state"]


def _middle(box: Sequence[float]) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _centre(die: dict[str, Any]) -> tuple[float, float]:
    return _middle(die["box"]) if "box" in die else (die["x"], die["y"])


def _slots(rows: dict[str, Any]) -> list[SlotReading]:
    sign = {"light": 1, "dark": -1}
    cells = [*rows["top"], *rows["bottom"]]
    return [SlotReading(((sign.get(c.get("colour", c.get("color")), 0) * c["count"], 1.0),)) for c in cells]


def _photos(reader: DiceReader, *place: str) -> Count:
    """A labelled set; pictures without a board are read as of unknown scale."""
    folder, count = material(*place), Count()
    for label in json.loads((folder / "labels.json").read_text()):
        image = cv2.imread(str(folder / "images" / label["file"].split("/")[-1]), cv2.IMREAD_COLOR)
        if image is None:
            raise click.ClickException(f"{label['file']} cannot be read")
        truth = [
            *label.get("dice", []),
            *({**d, "sure": False} for d in label.get("ignore", []) if "cube" not in d["kind"]),
        ]
        if label.get("corners"):
            bar = tuple(label.get("bar_frac") or FieldMap(label["corners"]).bar)
            field = FieldMap(label["corners"], (bar[0], bar[1]))
            seen, cube = reader.read_all(np.asarray(image, np.uint8), field, slots=_slots(label["slots"]))
            count.add_cube(cube, label.get("cube"))
        else:
            seen = reader.read_loose(np.asarray(image, np.uint8))
        if label.get("dice_complete", True):
            count.add(np.asarray(image, np.uint8), seen, truth)
        else:  # more dice lie about than are labelled: nothing seen can be called false
            before = count.false
            count.add(np.asarray(image, np.uint8), seen, truth)
            count.false = before
    return count


def _video(reader: DiceReader, name: str) -> Count:
    """The first picture of every stretch in which nothing moves."""
    truth = json.loads(material("footage", "video", f"{name}.json").read_text())
    corners = np.array([truth["field_corners_px"][c] for c in ("tl", "tr", "br", "bl")])
    bar = FieldMap(corners).to_board(truth["bar_px"])[:, 0]
    field = FieldMap(corners, (float(bar[[0, 3]].mean()), float(bar[[1, 2]].mean())))
    runs = {run["first"]: run for run in truth["frames"] if run["stable"]}
    count = Count()
    with VideoFile(material("footage", "video", f"{name}.mp4")) as video:
        while (frame := video.read()) is not None:
            if (run := runs.get(frame.seq)) is None:
                continue
            dice = [d | {"state": d["validity"], "sure": d["visible"] > 0.9} for d in run["dice"]]
            count.add(frame.image, reader.read(frame.image, field, slots=_slots(run["slots"])), dice)
    return count


def _drawn(reader: DiceReader, tiles: int) -> Count:
    """Drawn dice and cubes, harder than a table: see ``models/dice.md``."""
    half, middle = _TILE_EDGE / DIE_SIZE / 2, TILE / 2
    field = FieldMap(middle + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    scenes, count = Scenes(_SEED, _TABLES), Count()
    for _ in range(tiles):
        tile = scenes.tile()
        count.add(tile.image, reader.read(tile.image, field), [_as_labelled(die) for die in tile.dice])
    return count


def _as_labelled(die: DieTruth) -> dict[str, Any]:
    sure = die.readable and die.covered <= _HIDDEN and not die.cube
    return {"box": die.box, "value": die.value, "sure": sure}


def dice(quick: bool) -> dict[str, Count]:
    """Count dice found, read right, made up, and told how they lie; and doubling cubes."""
    reader, tiles = DiceReader(), 50 if quick else TILES
    counts = {
        f"{tiles} drawn tiles, each alone": _drawn(reader, tiles),
        f"{tiles} drawn tiles, as pictures of one camera": _drawn(DiceReader(learn=True), tiles),
        "rendered video, short game": _video(reader, "bg"),
        "rendered video, long nardy": _video(reader, "ln"),
    }
    if not quick:
        counts["42 rendered stills"] = _photos(reader, "footage", "stills")
        counts["27 photographs of boards"] = _photos(reader, "real", "boards")
        counts["95 photographs of dice"] = _photos(reader, "real", "dice")
    rows = [
        (
            name,
            c.pictures,
            share(c.found, c.dice),
            share(c.right, c.dice),
            c.false,
            share(c.states_right, c.states),
            share(c.cubes_right, c.cubes),
            share(c.cube_values_right, c.cube_values),
        )
        for name, c in counts.items()
    ]
    head = (
        *("what", "pictures", "dice found", "value right", "false dice", "way of lying right"),
        *("cube or none right", "cube's value right"),
    )
    click.echo(table(head, rows))
    return counts
