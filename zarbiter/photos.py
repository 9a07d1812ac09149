"""``zarbiter photo``: many pictures, one after the other, whatever is wrong with some of them."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
from rich.console import Console
from rich.table import Table

from engine.observation import Observation, PointXY
from hardware.camera import UnreadableInput
from vision.draw import annotate
from vision.photo import NoBoard, PhotoReading, Picture, load_picture, read_photo
from zarbiter.digitize import progress

log = logging.getLogger(__name__)


def read_all(
    files: Sequence[str],
    as_json: bool,
    corners: Sequence[PointXY] | None,
    dice_only: bool,
    draw: Path | None,
) -> int:
    """Read and print every picture; returns how many could not be read.

    As JSON every picture is a line on standard output, in order, failures too; as text, failures go
    to standard error. Raises ``UnreadableInput`` if a drawing cannot be written.
    """
    failed = 0
    out, err = Console(highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    if draw is not None and len(files) > 1:
        draw.mkdir(parents=True, exist_ok=True)
    with progress("photographs") as bar:
        for done, file in enumerate(files, 1):
            try:
                with _silent_libraries():
                    picture = load_picture(file)
                reading = read_photo(picture, corners=corners, dice_only=dice_only)
            except Exception as error:  # whatever it is, the other pictures are still read
                failed += 1
                why = _why(file, error)
                if as_json:
                    print(json.dumps({"file": file, "error": why}), flush=True)
                else:
                    err.print(f"zarbiter: {file}: {why}", markup=False)
                continue
            if as_json:
                print(json.dumps(reading.to_json(file)), flush=True)
            else:
                _print(out, file, reading.to_json(file))
            if draw is not None:
                _draw(picture, reading, draw / f"{Path(file).stem}.png" if len(files) > 1 else draw)
            if bar is not None:
                bar.advance(done, len(files))
    return failed


def _why(file: str, error: Exception) -> str:
    if isinstance(error, UnreadableInput | NoBoard):
        return str(error).removeprefix(f"{file}: ")
    log.debug("%s", file, exc_info=error)
    return f"this is a defect of Zarbiter: {error!r}"


@contextmanager
def _silent_libraries() -> Iterator[None]:
    """libjpeg and libpng print what they dislike to file descriptor 2, beside our own one line."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _print(out: Console, file: str, reading: dict[str, Any]) -> None:
    """A reading as a person looks at a board: the two rows above each other."""
    out.print(f"{file}  {reading['size'][0]}x{reading['size'][1]}", style="bold", markup=False)
    if reading["board"]:
        table = Table(show_header=False, box=None, padding=(0, 1))
        for row in ("top", "bottom"):
            cells = [_cell(slot) for slot in reading["slots"][row]]
            table.add_row(row, *cells[:6], "|", *cells[6:])
        out.print(table)
        for place in ("bar", "off"):
            light, dark = reading[place]["light"], reading[place]["dark"]
            if light or dark:
                out.print(f" {place}: {light} light, {dark} dark")
    dice = [f"{die['value']} ({die['half']}, {die['state'].replace('_', ' ')})" for die in reading["dice"]]
    out.print(f" dice: {', '.join(dice) or 'none'}")
    if reading["hands"]:
        out.print(" a hand is in view")


def _cell(slot: dict[str, Any]) -> str:
    if not slot["count"]:
        return "."
    doubtful = "?" if slot["confidence"] < 0.8 else ""
    return f"{slot['count']}{'o' if slot['colour'] == 'light' else 'x'}{doubtful}"


def _draw(picture: Picture, reading: PhotoReading, path: Path) -> None:
    image, (width, height) = picture.image, reading.size
    if (image.shape[1], image.shape[0]) != (width, height):
        image = cv2.resize(image, (width, height))  # type: ignore[assignment]  # marks are in these pixels
    seen = Observation(
        t=0.0, seq=0, board=reading.board, slots=reading.slots, bar=reading.bar, dice=reading.dice
    )
    try:
        written = cv2.imwrite(str(path), annotate(image, seen))
    except cv2.error:  # for OpenCV, a name that is no picture's
        written = False
    if not written:
        raise UnreadableInput(
            f"{path}: cannot be written; is it named .png or .jpg, in a folder that exists?"
        )
