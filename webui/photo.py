"""The photo page: a picture of a board goes in, its position comes out and can be put right.

Reading a picture takes the processor that watches the match, and keeping one takes the disk; both need
the referee's key. The server keeps no picture: a page sends it again with every corner that is
moved, and what it shows and what was edited is the page's own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from flask import Blueprint, Response, abort, jsonify, render_template, request

from engine.events import Dice
from engine.formats.seen import FORMS, SeenBoard
from engine.layout import SLOTS, Orientation
from engine.observation import PointXY
from engine.position import CHECKERS, Game, Side
from engine.record import FormatError
from webui.referee import demand_key, demand_type

LONGEST_PICTURE = 40 << 20  #: bytes of a picture that may be sent
LONGEST_UPLOAD = LONGEST_PICTURE + (1 << 16)  #: with what goes with it
_COLOURS = {"light": Side.WHITE, "dark": Side.BLACK}


class Unread(Exception):
    """A picture that cannot be read or kept; the message says why, in one line.

    ``busy``: it may be tried again in a moment.
    """

    def __init__(self, why: str, *, busy: bool = False) -> None:
        super().__init__(why)
        self.busy = busy


class Photos(Protocol):
    """What the page needs of the program, called by many threads. All of it may raise ``Unread``."""

    @property
    def keeps(self) -> str | None:
        """The folder in which pictures are kept for training, if that was asked for."""

    def read(self, picture: bytes, corners: Sequence[PointXY] | None) -> dict[str, Any]:
        """The answer of the photo contract for the bytes of a picture file, and for the page besides

        ``alternatives``: for ``top``, ``bottom`` and ``bar`` (light, dark) a list of readings each, the
        likeliest first; ``marks``: ``slots``, 24 places in the picture just outside the field, ``bar``
        its four corners. ``corners`` are those of the field, if they are known.
        """

    def keep(self, picture: bytes, labels: Mapping[str, Any]) -> str:
        """Keep a picture with what a person says it shows; returns what is to be said of it.

        ``labels``: ``corners``; ``slots``, 24 signed counts; ``bar``, light and dark; ``dice``, each with
        ``value``, ``state``, ``half`` and ``box``, all but the value ``None`` if unknown.
        """


def photo_page(photos: Photos, key: str) -> Blueprint:
    """The page ``/photo`` and its interface. All but the page itself needs ``key``."""
    blueprint = Blueprint("photo", __name__)

    @blueprint.before_request
    def check_request() -> None:
        if request.endpoint == f"{blueprint.name}.page":
            return
        demand_key(key)
        if request.endpoint == f"{blueprint.name}.position":
            demand_type("application/json", "JSON")
        else:
            request.max_content_length = LONGEST_UPLOAD
            demand_type("multipart/form-data", "a form with a picture")

    @blueprint.get("/photo")
    def page() -> str:
        return render_template("photo.html", keeps=photos.keeps, longest=LONGEST_PICTURE)

    @blueprint.post("/api/photo")
    def read() -> Response:
        corners = request.form.get("corners")
        try:
            return jsonify(photos.read(_picture(), corners_from(corners) if corners else None))
        except Unread as error:
            abort(503 if error.busy else 422, str(error))

    @blueprint.post("/api/photo/keep")
    def keep() -> Response:
        picture = _picture()
        try:
            labels = labels_from(json.loads(request.form.get("labels", "")))
        except (TypeError, ValueError, KeyError, OverflowError):  # JSON that cannot be decoded is one as well
            abort(400, "the labels are not those of a picture")
        try:
            return jsonify(said=photos.keep(picture, labels))
        except Unread as error:
            abort(503 if error.busy else 409, str(error))

    @blueprint.post("/api/photo/position")
    def position() -> Response:
        data = request.get_json(silent=True)
        try:
            seen = board_from(data)
        except (TypeError, ValueError, KeyError, OverflowError):
            abort(400, "the request is not a board")
        return jsonify(position_to_json(seen))

    return blueprint


def position_to_json(seen: SeenBoard) -> dict[str, Any]:
    """A board in all forms, each with its text or why it has none; and what it comes to."""
    texts: dict[str, dict[str, str]] = {}
    for form in FORMS:
        try:
            texts[form] = {"text": seen.text(form)}
        except FormatError as error:
            texts[form] = {"why": str(error)}
    standing = {
        "light": sum(n for n in seen.slots if n > 0) + seen.bar[0],
        "dark": sum(-n for n in seen.slots if n < 0) + seen.bar[1],
    }
    pips = None
    if max(standing.values()) <= CHECKERS and not (seen.game is Game.LONG_NARDY and any(seen.bar)):
        position = seen.state.position
        pips = {name: position.pips(seen.game, side) for name, side in _COLOURS.items()}
    return {"texts": texts, "standing": standing, "pips": pips, "numbers": seen.numbers()}


def board_from(data: Any) -> SeenBoard:
    """A board as the page sends it. Raises ``ValueError``, ``TypeError`` or ``KeyError``."""
    dice = data["dice"]
    return SeenBoard(
        slots=_counts(data["slots"], SLOTS, signed=True),
        bar=_pair(_counts(data["bar"], 2)),
        dice=None if dice is None else _dice(dice),
        home=Orientation(data["home"]),
        turn=_COLOURS[data["turn"]],
        game=Game(data["game"]),
        cube=_cube(data["cube"]),
        cube_owner=_COLOURS[data["cube_owner"]] if data["cube_owner"] and data["cube"] > 1 else None,
    )


def labels_from(data: Any) -> dict[str, Any]:
    """Labels as the page sends them, checked. Raises ``ValueError``, ``TypeError`` or ``KeyError``."""
    dice = []
    for die in list(data["dice"])[:30]:
        box = die["box"]
        dice.append(
            {
                "value": _whole(die["value"], 1, 6),
                "state": _one_of(die["state"], "flat", "cocked", "on_checker", "on_frame", "off_board", None),
                "half": _one_of(die["half"], "left", "right", "off", None),
                "box": None if box is None else _numbers(box, 4),
            }
        )
    return {
        "corners": corners_from(json.dumps(data["corners"])),
        "slots": _counts(data["slots"], SLOTS, signed=True),
        "bar": _counts(data["bar"], 2),
        "dice": dice,
    }


def corners_from(text: str) -> tuple[PointXY, ...]:
    """Four corners from JSON; refuses the request if they are none."""
    try:
        corners = tuple(_point(corner) for corner in json.loads(text))
    except (TypeError, ValueError):
        corners = ()
    if len(corners) != 4:
        abort(400, "corners are four points, each [x, y]")
    return corners


def _picture() -> bytes:
    sent = request.files.get("picture")
    if sent is None:
        abort(400, "there is no picture in the form")
    picture: bytes = sent.read()
    if len(picture) > LONGEST_PICTURE:
        abort(413, f"the picture is larger than {LONGEST_PICTURE >> 20} MB")
    return picture


def _point(value: Any) -> PointXY:
    x, y = _numbers(value, 2)
    return x, y


def _numbers(values: Any, count: int) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    if len(numbers) != count or not all(math.isfinite(n) and abs(n) < 1e6 for n in numbers):
        raise ValueError(f"not {count} numbers")
    return numbers


def _counts(values: Any, count: int, *, signed: bool = False) -> tuple[int, ...]:
    most = 2 * CHECKERS
    counts = tuple(_whole(value, -most if signed else 0, most) for value in values)
    if len(counts) != count:
        raise ValueError(f"not {count} counts")
    return counts


def _pair(values: tuple[int, ...]) -> tuple[int, int]:
    first, second = values
    return first, second


def _dice(values: Any) -> Dice:
    first, second = values
    return _whole(first, 1, 6), _whole(second, 1, 6)


def _cube(value: Any) -> int:
    cube = _whole(value, 1, 1 << 20)
    if cube & (cube - 1):
        raise ValueError("a cube shows a power of two")
    return cube


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"not a whole number from {least} to {most}")
    return value


def _one_of(value: Any, *choices: str | None) -> str | None:
    if value not in choices:
        raise ValueError(f"none of {choices}")
    return None if value is None else str(value)
