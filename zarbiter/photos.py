"""``zarbiter photo``: many pictures, one after the other, whatever is wrong with some of them."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
from rich.console import Console
from rich.table import Table

from engine.events import Dice
from engine.formats.seen import SeenBoard
from engine.layout import Orientation
from engine.observation import PointXY
from engine.position import Game, Side
from engine.record import FormatError
from hardware.camera import UnreadableInput
from vision.appearance import Appearance
from vision.draw import annotate_photo
from vision.geometry import FieldMap
from vision.photo import NoBoard, PhotoReading, Picture, learn_board, load_picture, read_photo
from zarbiter.digitize import progress

DOUBTFUL = 0.8  #: confidence below which a reading is shown with a question mark
_NEAR_A_SIDE = 0.25  #: so near to an edge of the field, in its height, a cube lies with the player there

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked of every picture.

    ``corners``: of the playing field in any picture; ``corners_of``: in the one with this name, or path.
    ``known``: the look of the board in them, from :func:`look_of`. ``forms``: forms of
    :mod:`engine.formats.seen` in which the position is told. For them ``home``, ``turn`` and ``game`` say
    what no picture tells. ``draw``: where an annotated picture goes.
    """

    corners: Sequence[PointXY] | None = None
    corners_of: Mapping[str, Sequence[PointXY]] = field(default_factory=dict)
    known: Appearance | None = None
    dice_only: bool = False
    draw: Path | None = None
    forms: tuple[str, ...] = ()
    home: Orientation = Orientation.BOTTOM_RIGHT
    turn: Side = Side.WHITE
    game: Game = Game.BACKGAMMON

    def corners_in(self, file: str) -> Sequence[PointXY] | None:
        """Where the field lies in a picture, if that is given."""
        return self.corners_of.get(file) or self.corners_of.get(Path(file).name) or self.corners


def read_all(files: Sequence[str], wanted: Wanted, as_json: bool) -> int:
    """Read and print every picture; returns how many could not be read.

    As JSON every picture is a line on standard output, in order, failures too; as text, failures go
    to standard error. Raises ``UnreadableInput`` if a drawing cannot be written.
    """
    failed = 0
    out = Console(highlight=False, emoji=False)  # an XGID has `:-1:` in it, which Rich takes for one
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    draw = wanted.draw
    if draw is not None and len(files) > 1:
        draw.mkdir(parents=True, exist_ok=True)
    with progress("photographs") as bar:
        for done, file in enumerate(files, 1):
            try:
                with silent_libraries():
                    picture = load_picture(file)
                reading = read_photo(
                    picture,
                    corners=wanted.corners_in(file),
                    dice_only=wanted.dice_only,
                    known=wanted.known,
                )
                answer = reading.to_json(file)
                if wanted.forms:
                    answer |= told(answer, wanted)
            except Exception as error:  # whatever it is, the other pictures are still read
                failed += 1
                why = why_not(file, error)
                if as_json:
                    print(json.dumps({"file": file, "error": why}), flush=True)
                else:
                    err.print(f"zarbiter: {file}: {why}", markup=False)
                continue
            if as_json:
                print(json.dumps(answer), flush=True)
            else:
                _print(out, file, answer, wanted.forms)
            if draw is not None:
                _draw(picture, reading, draw / f"{Path(file).stem}.png" if len(files) > 1 else draw)
            if bar is not None:
                bar.advance(done, len(files))
    return failed


def look_of(file: Path) -> Appearance:
    """The look of the board that is set up for a game in a picture. Raises ``UnreadableInput``."""
    with silent_libraries():
        picture = load_picture(file)
    try:
        return learn_board(picture)
    except NoBoard as error:
        raise UnreadableInput(f"{file}: {error}") from error


def why_not(file: str, error: Exception) -> str:
    """Why a picture could not be read, in one line without its name."""
    if isinstance(error, UnreadableInput | NoBoard):
        return str(error).removeprefix(f"{file}: ")
    log.debug("%s", file, exc_info=error)
    return f"this is a defect of Zarbiter: {error!r}"


@contextmanager
def silent_libraries() -> Iterator[None]:
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


# -- corners by hand --------------------------------------------------------------------------------------


def read_corners(path: Path) -> dict[str, tuple[PointXY, ...]]:
    """The corners of the playing field in many pictures, by their names.

    The file is a JSON object of names, each with four ``[x, y]`` (top left, top right, bottom right,
    bottom left, in pixels), or a list of labels with ``file`` and ``corners``, of which those without
    corners are left out. Raises ``UnreadableInput``.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # undecodable text is one as well
        raise UnreadableInput(f"{path}: not JSON ({error})") from error
    if isinstance(data, list) and all(isinstance(item, dict) for item in data):
        data = {item.get("file"): item["corners"] for item in data if item.get("corners")}
    if not isinstance(data, dict):
        raise UnreadableInput(f"{path}: neither an object of corners by name nor a list of labels")
    found: dict[str, tuple[PointXY, ...]] = {}
    for name, corners in data.items():
        try:
            four = tuple((float(x), float(y)) for x, y in corners)
        except (TypeError, ValueError):
            four = ()
        if len(four) != 4:
            raise UnreadableInput(f"{path}: {str(name)[:80]} has not four corners, each [x, y]")
        found[str(name)] = four
    return found


# -- the position in other forms --------------------------------------------------------------------------


def told(answer: Mapping[str, Any], wanted: Wanted) -> dict[str, str | None]:
    """The position of a reading in the wanted forms, each ``None`` where it has none, and then why."""
    found: dict[str, str | None] = {}
    for form in wanted.forms:
        try:
            found[form] = seen_board(answer, wanted.home, wanted.turn, wanted.game).text(form)
        except FormatError as error:
            found[form] = None
            found["why_none"] = str(error)
    return found


def seen_board(answer: Mapping[str, Any], home: Orientation, turn: Side, game: Game) -> SeenBoard:
    """The board in an answer of the photo contract. Raises ``FormatError`` where no board was looked for."""
    slots = [slot for row in ("top", "bottom") for slot in answer["slots"][row]]
    if not slots:
        raise FormatError("only dice were looked for")
    cube, owner = _cube(answer, home)
    return SeenBoard(
        slots=tuple(slot["count"] * (1 if slot["colour"] == "light" else -1) for slot in slots),
        bar=(answer["bar"]["light"], answer["bar"]["dark"]) if game is Game.BACKGAMMON else (0, 0),
        dice=thrown(answer["dice"]),
        home=home,
        turn=turn,
        game=game,
        cube=cube,
        cube_owner=owner,
    )


def thrown(dice: Sequence[Mapping[str, Any]]) -> Dice | None:
    """The throw that lies on the board: two dice in all, both flat, in the same half."""
    if len(dice) != 2 or any(die["state"] != "flat" for die in dice):
        return None
    if "off" in {die["half"] for die in dice} or dice[0]["half"] != dice[1]["half"]:
        return None
    return int(dice[0]["value"]), int(dice[1]["value"])


def _cube(answer: Mapping[str, Any], home: Orientation) -> tuple[int, Side | None]:
    """Value and owner of the cube. One that lies with neither player, or shows 64, was not turned yet."""
    cube, board = answer["cube"], answer["board"]
    value = cube["value"] if cube else None
    if not value or value in (1, 64) or not board:
        return 1, None
    x0, y0, x1, y1 = cube["box"]
    _, y = FieldMap(board["corners"]).to_board([((x0 + x1) / 2, (y0 + y1) / 2)])[0]
    if _NEAR_A_SIDE <= y <= 1 - _NEAR_A_SIDE:
        return 1, None
    light_at_bottom = home in (Orientation.BOTTOM_LEFT, Orientation.BOTTOM_RIGHT)
    return value, Side.WHITE if (y > 0.5) == light_at_bottom else Side.BLACK


# -- for people -------------------------------------------------------------------------------------------


def _print(out: Console, file: str, reading: dict[str, Any], forms: Sequence[str]) -> None:
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
    if reading["cube"]:
        out.print(f" cube: {reading['cube']['value'] or 'a face that cannot be read'}")
    if reading["cup"]:
        out.print(" a cup is in view")
    if reading["hands"]:
        out.print(" a hand is in view")
    for form in forms:
        text = reading[form] or f"none, since {reading['why_none']}"
        out.print(f" {form.replace('_', ' ')}: {text}", markup=False, soft_wrap=True)


def _cell(slot: dict[str, Any]) -> str:
    doubtful = "?" if slot["confidence"] < DOUBTFUL else ""
    if not slot["count"]:
        return f".{doubtful}"
    return f"{slot['count']}{'o' if slot['colour'] == 'light' else 'x'}{doubtful}"


def _draw(picture: Picture, reading: PhotoReading, path: Path) -> None:
    image, (width, height) = picture.image, reading.size
    if (image.shape[1], image.shape[0]) != (width, height):
        image = cv2.resize(image, (width, height))  # type: ignore[assignment]  # marks are in these pixels
    try:
        written = cv2.imwrite(str(path), annotate_photo(image, reading.to_json(path.name), reading.board))
    except cv2.error:  # for OpenCV, a name that is no picture's
        written = False
    if not written:
        raise UnreadableInput(
            f"{path}: cannot be written; is it named .png or .jpg, in a folder that exists?"
        )
