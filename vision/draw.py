"""What is seen, drawn over the camera's picture for the live page.

One colour a meaning: white the field, cream and black the counts of light and dark, green a die
that lies flat, red a die that does not, amber whatever is doubtful, blue hands and cup. Empty
points get no label.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from engine.observation import Box, Observation, SlotReading
from hardware.camera import Image
from vision.geometry import FieldMap

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
    for die in observation.dice:
        flat = die.state == "flat"
        sure = max(die.values) * die.confidence >= _SURE
        word = "" if flat else f" {_WORDS.get(die.state, die.state)}"
        pen.box(
            die.box,
            _RED if not flat else _GREEN if sure else _AMBER,
            f"{die.value}{'' if sure else '?'}{word}",
        )
    if observation.board is None:
        pen.status("looking for the board", _AMBER)
    else:
        pen.status("still" if observation.still else "moving", _GREEN if observation.still else _GREY)
    for row, warning in enumerate(observation.warnings, 1):
        pen.status(warning, _AMBER, row)
    return pen.image


class _Pen:
    """Lines and labels scaled to the picture."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self._scale = max(0.34, min(1.4, image.shape[1] / 1280 * 0.55))
        self._thick = 2 if self._scale > 0.8 else 1

    def field(self, field: FieldMap) -> None:
        """The outline of the field and the bar."""
        left, right = field.bar
        outlines: list[list[tuple[float, float]]] = [[(0, 0), (1, 0), (1, 1), (0, 1)]]
        if right > left:
            outlines.append([(left, 0), (right, 0), (right, 1), (left, 1)])
        for outline in outlines:
            pixels = np.rint(field.to_pixels(outline) * 16).astype(np.int32)
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
