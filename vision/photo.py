"""One picture, read on its own: the answer of ``zarbiter photo``.

Other programs read it, so that fields are only ever added. Corners and boxes are in pixels of the
picture as stored, with its EXIF orientation applied.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.layout import start_layouts
from engine.observation import BoardView, Box, DieReading, PointXY, SlotReading
from engine.position import Game
from hardware.camera import Image, UnreadableInput
from vision import finder
from vision.appearance import Appearance, learn
from vision.board_fit import fit_columns
from vision.checkers import read_checkers
from vision.dice import DiceReader
from vision.geometry import FieldMap
from vision.scene import see
from vision.slots import read_board

SCHEMA = "zarbiter.photo/1"
_SET_UP = -1.0  # mean logarithm of a slot's probability from which a board counts as set up
_MOST = 16_000_000  # pixels: larger pictures are reduced while they are read


class NoBoard(Exception):
    """A picture that shows no board that can be found; the message says so in one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture from a file.

    ``image``: uint8 BGR, reduced if the file holds more than 16 megapixels. ``size``: width and
    height of the picture as stored, EXIF orientation applied.
    """

    image: Image
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PhotoReading:
    """What a picture shows. Boxes and corners are in pixels of a picture of ``size`` (width, height).

    ``bar`` and ``off``: of light and dark; ``off`` are the borne-off checkers that are in view.
    ``cube``: where a doubling cube lies; its value is not read well enough to be told (``models/dice.md``).
    ``board`` is ``None`` and ``slots`` empty where only dice were looked for.
    """

    size: tuple[int, int]
    board: BoardView | None
    slots: tuple[SlotReading, ...]
    bar: tuple[SlotReading, SlotReading]
    dice: tuple[DieReading, ...]
    cup: Box | None = None
    hands: bool = False
    off: tuple[int, int] = (0, 0)
    cube: Box | None = None

    def to_json(self, file: str) -> dict[str, Any]:
        """The object of the photo contract for the picture named ``file``."""
        slots = [reading.to_json() for reading in self.slots]
        return {
            "schema": SCHEMA,
            "file": file,
            "size": list(self.size),
            "board": self.board.to_json() if self.board else None,
            "slots": {"top": slots[:12], "bottom": slots[12:]},
            "bar": {"light": self.bar[0].count, "dark": self.bar[1].count},
            "off": {"light": self.off[0], "dark": self.off[1]},
            "dice": [die.to_json() for die in self.dice],
            "cube": None if self.cube is None else {"value": None, "box": [round(v, 1) for v in self.cube]},
            "cup": None if self.cup is None else {"box": [round(v, 1) for v in self.cup]},
            "hands": self.hands,
        }


_NO_CHECKERS = SlotReading(((0, 1.0),))


def learn_board(picture: Picture | Image) -> Appearance:
    """The look of a board from a picture in which it is set up for a game, for :func:`read_photo`.

    Raises ``NoBoard`` if it shows none, or one that is not set up.
    """
    image = picture.image if isinstance(picture, Picture) else picture
    found = finder.find_field(image)
    if found is None:
        raise NoBoard("no backgammon board can be seen in it")
    slots = read_checkers(image, found.field).slots
    odds = {
        layout: float(np.mean([np.log(slot.probability(n)) for slot, n in zip(slots, layout, strict=True)]))
        for game in Game
        for layout in start_layouts(game).values()
    }
    best = max(odds, key=odds.__getitem__)
    if odds[best] < _SET_UP:
        raise NoBoard("there is a board, but not one that is set up for a game")
    return learn(image, found.field, best)


def read_photo(
    picture: Picture | Image,
    *,
    corners: Sequence[PointXY] | None = None,
    dice_only: bool = False,
    known: Appearance | None = None,
) -> PhotoReading:
    """Read a picture, from :func:`load_picture` or a plain uint8 BGR array.

    ``corners``: the playing field, in pixels of the picture as stored, top-left first, clockwise; by
    themselves they are found only if a board is in plain view. ``dice_only``: look for dice and for
    no board. ``known``: the look of this very board, from :func:`learn_board`. Raises ``NoBoard`` if none is
    found.
    """
    if not isinstance(picture, Picture):
        picture = Picture(picture, (picture.shape[1], picture.shape[0]))
    image, size = picture.image, picture.size
    scale = size[0] / image.shape[1]
    if dice_only:
        dice = tuple(_scaled(die, scale) for die in DiceReader().read_loose(image))
        return PhotoReading(size, None, (), (_NO_CHECKERS, _NO_CHECKERS), dice)
    if corners is None:
        found = finder.find_field(image)
        if found is None:
            raise NoBoard("no backgammon board can be seen in it")
        field, confidence = found.field, found.confidence
    else:
        place = np.array([(x / scale, y / scale) for x, y in corners])
        field, confidence = fit_columns(image, FieldMap(place), move_sides=False), 1.0
    witness = None if known is None else read_board(image, field, known)
    checkers = read_checkers(image, field, witness)
    seen, cube = DiceReader().read_all(image, field, slots=checkers.slots)
    scene = see(image)
    view = field.view(confidence)
    a, b, c, d = ((x * scale, y * scale) for x, y in view.corners)
    return PhotoReading(
        size=size,
        board=BoardView((a, b, c, d), view.bar, view.confidence),
        slots=checkers.slots,
        bar=checkers.bar,
        dice=tuple(_scaled(die, scale) for die in seen),
        cup=None if scene.cup is None else _times(scene.cup, scale),
        hands=scene.hand is not None,
        off=checkers.off,
        cube=None if cube is None else _times(cube.box, scale),
    )


def _scaled(die: DieReading, scale: float) -> DieReading:
    if scale == 1:
        return die
    return replace(die, box=_times(die.box, scale))


def _times(box: Box, scale: float) -> Box:
    x0, y0, x1, y1 = box
    return (x0 * scale, y0 * scale, x1 * scale, y1 * scale)


def load_picture(path: Path | str) -> Picture:
    """Any picture file that OpenCV knows, as 8-bit BGR with its EXIF orientation applied.

    Grey, palette, alpha, 16-bit and CMYK pictures are converted. More than 16 megapixels are reduced
    by 2, 4 or 8 on reading. Raises ``UnreadableInput`` with one line that names the file.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise UnreadableInput(f"{path}: {reason}") from error
    if not data:
        raise UnreadableInput(f"{path}: the file is empty")
    stored = _stored_size(data)
    factor = 1
    while stored is not None and stored[0] * stored[1] > _MOST * factor**2 and factor < 8:
        factor *= 2
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), _FLAGS[factor])
    except cv2.error as error:
        raise UnreadableInput(f"{path}: the picture is too large or damaged") from error
    if image is None:
        raise UnreadableInput(f"{path}: not a picture, or of a kind that cannot be read")
    height, width = image.shape[:2]
    size = stored if stored is not None else (width, height)
    if abs(width * size[0] - height * size[1]) < abs(width * size[1] - height * size[0]):
        # The orientation turned it by a quarter.
        size = (size[1], size[0])
    return Picture(np.asarray(image, np.uint8), size)


_FLAGS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


def _stored_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG or JPEG from its header, before any orientation; else ``None``.

    PNG: the IHDR chunk (ISO 15948, 11.2.2). JPEG: the frame header SOFn (ITU T.81, B.2.2).
    """
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # fill bytes
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
