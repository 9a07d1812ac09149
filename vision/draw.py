"""What is seen, drawn over the camera's picture for the live page, and over photographs.

One colour a meaning: white the field, cream and black the counts of light and dark, green a die
that lies flat, red a die that does not, amber whatever is doubtful, blue hands and cup. Empty
points get no label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from engine.observation import BoardView, Box, Observation, SlotReading
from hardware.camera import Image
from vision.geometry import FieldMap, Points

Bgr = tuple[int, int, int]

_WHITE: Bgr = (240, 240, 240)
_CREAM: Bgr = (205, 232, 245)
_BLACK: Bgr = (28, 26, 24)
_GREEN: Bgr = (110, 200, 90)
_AMBER: Bgr = (40, 170, 250)
_RED: Bgr = (70, 70, 235)
_BLUE: Bgr = (235, 170, 90)
_GREY: Bgr = (150, 150, 150)
_SURE = 0.8  # confidence below which a reading is shown as doubtful
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_WORDS = {"on_checker": "on a checker", "on_frame": "on the frame", "off_board": "off the board"}


def annotate(image: Image, observation: Observation, *, believed: Sequence[int] | None = None) -> Image:
    """A copy of ``image`` with what was seen in it drawn over it.

    ``believed``: 24 signed counts by slot; slots that are seen otherwise get a red rim.
    """
    pen = _Pen(image.copy())
    if observation.board is not None:
        field = FieldMap.from_view(observation.board)
        pen.field(field)
        for slot, reading in enumerate(observation.slots):
            wrong = believed is not None and reading.visible and reading.best != believed[slot]
            place = (field.slot_x(slot), 1.045 if slot >= 12 else -0.045)
            pen.count(field, place, reading, wrong)
        middle = (field.bar[0] + field.bar[1]) / 2
        for reading, y in zip(observation.bar, (0.46, 0.54), strict=True):
            pen.count(field, (middle, y), reading, False)
    for hand in observation.hands:
        pen.box(hand, _BLUE, "hand")
    if observation.cup is not None:
        pen.box(observation.cup, _BLUE, "cup")
    dice: list[tuple[Box, Bgr, str]] = []
    for die in observation.dice:
        flat = die.state == "flat"
        sure = max(die.values) * die.confidence >= _SURE
        word = "" if flat else f" {_WORDS.get(die.state, die.state)}"
        colour = _RED if not flat else _GREEN if sure else _AMBER
        dice.append((die.box, colour, f"{die.value}{'' if sure else '?'}{word}"))
    pen.boxes(dice)
    if observation.board is None:
        pen.status("looking for the board", _AMBER)
    else:
        pen.status("still" if observation.still else "moving", _GREEN if observation.still else _GREY)
    for row, warning in enumerate(observation.warnings, 1):
        pen.status(warning, _AMBER, row)
    return pen.image


def annotate_photo(image: Image, answer: Mapping[str, Any], board: BoardView | None) -> Image:
    """A copy of ``image`` with an answer of the photo contract drawn over it.

    ``image``: of the answer's size, uint8 BGR. ``board``: where its field lies, bar included. The
    counts stand outside the field, those of the bar at its ends (dark above, light below), so that no
    checker is hidden; beside each stands how sure it is, in percent. Where the field reaches to the edge
    of the picture the copy is larger than the picture, by a margin that has room for them.
    """
    if board is None:
        pen = _Pen(image.copy())
    else:
        field = FieldMap.from_view(board)
        across = np.diff(field.to_pixels([(0, 0.5), (1, 0.5)]), axis=0)[0]
        column = float(np.hypot(*across)) * field.point_width
        rim = field.to_pixels([(0, 0), (1, 0), (0, 1), (1, 1)])
        ends = rim + _Pen(image, column).reach(rim - rim[[2, 3, 0, 1]])
        left, above = (max(0, math.ceil(-v)) for v in ends.min(axis=0))
        right, below = (
            max(0, math.ceil(v - most))
            for v, most in zip(ends.max(axis=0), (image.shape[1], image.shape[0]), strict=True)
        )
        larger = cv2.copyMakeBorder(image, above, below, left, right, cv2.BORDER_CONSTANT, value=_BLACK)
        pen = _Pen(np.asarray(larger, np.uint8), column)
        pen.shift = (left, above)
        pen.field(field)
        for row, edge in (("top", 0.0), ("bottom", 1.0)):
            for place, slot in enumerate(answer["slots"][row]):
                if slot["count"] or slot["confidence"] < _SURE:
                    pen.tag(field, (field.slot_x(place), edge), slot)
        middle = (field.bar[0] + field.bar[1]) / 2
        for colour, edge in (("dark", 0.0), ("light", 1.0)):
            if answer["bar"][colour]:
                slot = {"colour": colour, "count": answer["bar"][colour], "confidence": None}
                pen.tag(field, (middle, edge), slot)
    things: list[tuple[Box, Bgr, str]] = []
    if answer["cup"]:
        things.append((answer["cup"]["box"], _BLUE, "cup"))
    if answer["cube"]:
        things.append((answer["cube"]["box"], _BLUE, f"cube {answer['cube']['value'] or '?'}"))
    for die in answer["dice"]:
        flat, sure = die["state"] == "flat", die["confidence"] >= _SURE
        text = f"{die['value']}" if sure else f"{die['value']}? {100 * die['confidence']:.0f}%"
        text += "" if flat else f" {_WORDS.get(die['state'], die['state'])}"
        things.append((die["box"], _RED if not flat else _GREEN if sure else _AMBER, text))
    pen.boxes(things)
    if answer["hands"]:
        pen.status("a hand over the board", _BLUE)
    return pen.image


class _Pen:
    """Lines and labels scaled to the picture, or to a point of ``column`` pixels.

    ``shift``: pixels by which the picture was moved to the right and down.
    """

    shift: tuple[int, int] = (0, 0)

    def __init__(self, image: Image, column: float | None = None) -> None:
        self.image = image
        if column is None:
            self._scale = max(0.34, min(1.4, image.shape[1] / 1280 * 0.55))
            self._thick = 2 if self._scale > 0.8 else 1
        else:
            self._scale = max(0.34, min(3.0, column / 62))
            self._thick = max(1, round(2.2 * self._scale))
        self._tags: list[Box] = []

    def reach(self, out: Points) -> Points:
        """How far tags reach from the field, in pixels, where ``out`` (n, 2) points away from it."""
        (width, height), (wide, high) = self._size("0?"), self._smaller()._size("100%")
        towards = out / np.maximum(np.hypot(out[:, :1], out[:, 1:]), 1e-9)
        return towards * (1.25 * width + wide, 1.25 * height + high)

    def _smaller(self) -> _Pen:
        pen = _Pen(self.image)
        pen._scale, pen._thick = max(0.3, self._scale * 0.6), max(1, round(self._thick * 0.6))
        return pen

    def field(self, field: FieldMap) -> None:
        """The outline of the field and the bar."""
        left, right = field.bar
        outlines: list[list[tuple[float, float]]] = [[(0, 0), (1, 0), (1, 1), (0, 1)]]
        if right > left:
            outlines.append([(left, 0), (right, 0), (right, 1), (left, 1)])
        for outline in outlines:
            pixels = np.rint((field.to_pixels(outline) + np.array(self.shift)) * 16).astype(np.int32)
            cv2.polylines(self.image, [pixels], True, _WHITE, self._thick, cv2.LINE_AA, shift=4)

    def count(self, field: FieldMap, place: tuple[float, float], reading: SlotReading, wrong: bool) -> None:
        """How many checkers stand there; nothing where surely none do."""
        doubtful = reading.visible and reading.confidence < _SURE
        if not reading.count and not doubtful and not wrong:
            return
        rim = _RED if wrong else _AMBER if doubtful else _BLACK
        text = f"{reading.count}{'?' if doubtful else ''}"
        paper, ink = {"light": (_CREAM, _BLACK), "dark": (_BLACK, _CREAM)}.get(
            reading.colour, (_GREY, _BLACK)
        )
        if not reading.visible:
            ink = _GREY
        x, y = field.to_pixels([place])[0]
        self._label(text, (float(x), float(y)), paper, ink, rim)

    def tag(self, field: FieldMap, place: tuple[float, float], slot: Mapping[str, Any]) -> None:
        """A count just outside an edge of the field, and further out how sure it is."""
        sure = slot["confidence"] is None or slot["confidence"] >= _SURE
        text = f"{slot['count']}{'' if sure else '?'}"
        paper, ink = {"light": (_CREAM, _BLACK), "dark": (_BLACK, _CREAM)}.get(
            slot["colour"], (_GREY, _BLACK)
        )
        at, within = field.to_pixels([place, (place[0], 0.5)])
        out = (at - within) / max(1e-9, float(np.hypot(*(at - within))))
        size, small = np.array(self._size(text)), self._smaller()
        at = at + self.shift + 0.75 * size * out
        self._label(text, (at[0], at[1]), paper, ink, _BLACK if sure else _AMBER)
        self._tags.append((*(at - size * (0.5, 1)), *(at + size * (0.5, 1))))
        if slot["confidence"] is not None:
            percent = f"{100 * slot['confidence']:.0f}%"
            at = at + (size + small._size(percent)) / 2 * out
            small._label(
                percent, (at[0], at[1]), _BLACK if sure else _AMBER, _WHITE if sure else _BLACK, None
            )

    def boxes(self, things: Sequence[tuple[Box, Bgr, str]]) -> None:
        """Boxes with labels that lie over no other of them and no tag, if that can be helped."""
        taken: list[Box] = []
        for (x0, y0, x1, y1), colour, _ in things:
            right, down = self.shift
            taken.append((x0 + right, y0 + down, x1 + right, y1 + down))
            a, b, c, d = (round(v) for v in taken[-1])
            cv2.rectangle(self.image, (a, b), (c, d), colour, self._thick, cv2.LINE_AA)
        boxes = tuple(taken)
        taken += self._tags
        for (x0, y0, x1, y1), (_, colour, text) in zip(boxes, things, strict=True):
            width, height = self._size(text)
            gap = 0.6 * height
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            places = (
                (x, y0 - gap),
                (x, y1 + gap),
                (x1 + gap + width / 2, y),
                (x0 - gap - width / 2, y),
                (x, y0 - gap - height),
                (x, y1 + gap + height),
            )
            papers = [(u - width / 2, v - height / 2, u + width / 2, v + height / 2) for u, v in places]
            free = [k for k, paper in enumerate(papers) if self._inside(paper) and not _meets(paper, taken)]
            best = free[0] if free else 0
            taken.append(papers[best])
            self._label(text, places[best], colour, _BLACK, None)

    def _inside(self, box: Box) -> bool:
        height, width = self.image.shape[:2]
        return box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height

    def box(self, box: Box, colour: Bgr, text: str) -> None:
        """A box with its label above it, or below where it begins at the top of the picture."""
        x0, y0, x1, y1 = (round(v) for v in box)
        cv2.rectangle(self.image, (x0, y0), (x1, y1), colour, self._thick, cv2.LINE_AA)
        width, height = self._size(text)
        y = y0 - height * 0.5 if y0 > height else y1 + height * 0.5
        self._label(text, (x0 + width / 2, y), colour, _BLACK, None)

    def status(self, text: str, colour: Bgr, row: int = 0) -> None:
        """A line in the top left corner behind a dot."""
        width, height = self._size(text)
        y = height * (0.9 + row)
        self._label(text, (height * 1.3 + width / 2, y), _BLACK, _WHITE, None)
        box = (
            (round(height * 0.4), round(y - height / 2)),
            (round(height * 1.3), round(y - height / 2) + round(height)),
        )
        cv2.rectangle(self.image, *box, _BLACK, -1)
        cv2.circle(self.image, (round(height), round(y)), round(height * 0.28), colour, -1, cv2.LINE_AA)

    def _size(self, text: str) -> tuple[float, float]:
        (width, height), base = cv2.getTextSize(text, _FONT, self._scale, self._thick)
        return width + height * 0.9, height + base + height * 0.25

    def _label(self, text: str, centre: tuple[float, float], paper: Bgr, ink: Bgr, rim: Bgr | None) -> None:
        """Text on its own paper, moved inside the picture where it would be cut."""
        (wide, high), _ = cv2.getTextSize(text, _FONT, self._scale, self._thick)
        width, height = (round(v) for v in self._size(text))
        tall, broad = self.image.shape[:2]
        x0 = int(np.clip(round(centre[0] - width / 2), 0, max(0, broad - width - 1)))
        y0 = int(np.clip(round(centre[1] - height / 2), 0, max(0, tall - height - 1)))
        cv2.rectangle(self.image, (x0, y0), (x0 + width, y0 + height), paper, -1)
        if rim is not None:
            cv2.rectangle(
                self.image, (x0, y0), (x0 + width, y0 + height), rim, 1 if rim is _BLACK else 2, cv2.LINE_AA
            )
        at = (x0 + (width - wide) // 2, y0 + (height + high) // 2)
        cv2.putText(self.image, text, at, _FONT, self._scale, ink, self._thick, cv2.LINE_AA)


def _meets(box: Box, others: Sequence[Box]) -> bool:
    x0, y0, x1, y1 = box
    return any(x0 < c and a < x1 and y0 < d and b < y1 for a, b, c, d in others)
