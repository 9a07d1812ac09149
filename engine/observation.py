"""What the camera shows, as values: the *seen* ledger.

Vision fills these, the tracker reads them, nothing ever corrects them by the rules. Places are
given twice where both are needed: in pixels of the picture and in *board units*, in which the
playing field (24 points and bar) is the unit square, (0, 0) its top-left corner, x to the right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Colour = Literal["light", "dark", "none"]
DieState = Literal["flat", "cocked", "on_checker", "on_frame", "off_board"]
Half = Literal["left", "right", "off"]
Box = tuple[float, float, float, float]  #: x0, y0, x1, y1 in pixels
PointXY = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SlotReading:
    """One slot: a distribution over signed counts (positive light, negative dark, 0 empty).

    ``counts`` is ordered, most probable first, and sums to at most 1; what is missing is spread
    over all other counts. ``visible`` is false while a hand or cup covers the slot, and then the
    reading says nothing.
    """

    counts: tuple[tuple[int, float], ...]
    visible: bool = True

    @property
    def best(self) -> int:
        """The most probable signed count."""
        return self.counts[0][0]

    @property
    def colour(self) -> Colour:
        """Colour of the most probable reading."""
        return "light" if self.best > 0 else "dark" if self.best < 0 else "none"

    @property
    def count(self) -> int:
        """Checkers of the most probable reading."""
        return abs(self.best)

    @property
    def confidence(self) -> float:
        """Probability of the most probable reading."""
        return self.counts[0][1]

    def probability(self, signed: int) -> float:
        """Probability of a signed count, with a floor so that no reading excludes anything."""
        spare = max(1e-4, 1.0 - sum(p for _, p in self.counts)) / 30
        for count, p in self.counts:
            if count == signed:
                return max(p, spare)
        return spare

    def to_json(self) -> dict[str, Any]:
        """The slot object of the photo contract."""
        return {"colour": self.colour, "count": self.count, "confidence": round(self.confidence, 3)}


EMPTY_SLOT = SlotReading(((0, 1.0),))


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die.

    ``values`` are six probabilities, of the faces 1 to 6, that sum to 1. ``states`` gives the
    probability of each way of lying. ``box`` is in pixels, ``centre`` in board units. ``since``: seconds on
    the camera's clock, when anything last moved at its place; ``None`` in a single picture. ``touching``: the
    probability that it lies against a checker, as far as that was looked at, else 0.
    """

    values: tuple[float, float, float, float, float, float]
    states: tuple[tuple[DieState, float], ...]
    box: Box
    centre: PointXY
    half: Half
    confidence: float  #: that this is a die at all
    since: float | None = None
    touching: float = 0.0

    @property
    def value(self) -> int:
        """The most probable face, 1-6."""
        return max(range(6), key=self.values.__getitem__) + 1

    @property
    def state(self) -> DieState:
        """The most probable way of lying."""
        return max(self.states, key=lambda item: item[1])[0]

    def to_json(self) -> dict[str, Any]:
        """The die object of the photo contract."""
        return {
            "value": self.value,
            "box": [round(v, 1) for v in self.box],
            "half": self.half,
            "state": self.state,
            "confidence": round(self.confidence * max(self.values), 3),
        }


@dataclass(frozen=True, slots=True)
class BoardView:
    """Where the playing field lies in the picture.

    ``corners``: pixels, top-left first, clockwise. ``bar``: left and right edge of the bar as
    fractions of the field's width (equal where there is none).
    """

    corners: tuple[PointXY, PointXY, PointXY, PointXY]
    bar: tuple[float, float]
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """The board object of the photo contract."""
        corners = [[round(x, 1), round(y, 1)] for x, y in self.corners]
        return {"corners": corners, "confidence": round(self.confidence, 3)}


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one frame shows.

    ``t``: seconds on the camera's clock. ``slots``: 24 readings, top row left to right, then the
    bottom row. ``bar`` and ``off``: readings of ``(light, dark)`` (signed counts as in a slot; an
    ``off`` that is out of view has ``visible=False``). ``still``: nothing moved over the board for
    the last frames but a hand that rests, so counts and dice may be believed. ``hands``: boxes in
    pixels of hands or arms over the board; ``cup``: box of a cup in view, ``cup_over_board`` if it is
    over the field.
    """

    t: float
    seq: int
    board: BoardView | None
    slots: tuple[SlotReading, ...] = ()
    bar: tuple[SlotReading, SlotReading] = (EMPTY_SLOT, EMPTY_SLOT)
    off: tuple[SlotReading, SlotReading] = (
        SlotReading(((0, 1.0),), visible=False),
        SlotReading(((0, 1.0),), visible=False),
    )
    dice: tuple[DieReading, ...] = ()
    hands: tuple[Box, ...] = ()
    cup: Box | None = None
    cup_over_board: bool = False
    still: bool = False
    warnings: tuple[str, ...] = field(default=())  #: plain sentences: glare, blur, board moved

    def __post_init__(self) -> None:
        if len(self.slots) not in (0, 24):
            raise ValueError(f"an observation has 24 slots or none, not {len(self.slots)}")
