"""Errors on views that were not learnt from: ``python -m models.training.measure --views FOLDER --last 200``.

The networks are used as the program uses them (:mod:`vision.finder`, :mod:`vision.checkers`,
:mod:`vision.scene`), and what they say is counted by condition, as Markdown tables for their cards.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.train_board import upright
from models.training.views import COVERS, View
from vision import finder
from vision.checkers import CheckersReading, read_checkers
from vision.geometry import FieldMap
from vision.scene import see

_NEAR = 0.03  #: corner error, as a share of the picture's long side, below which a field counts as found
_THING = 0.004  #: share of a picture that a hand or cup covers to be asked for; less need not be seen


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A view and what was said of it. ``error``: of the corners, in long sides; infinite without a field."""

    view: View
    error: float
    found: CheckersReading | None
    given: CheckersReading
    covered: dict[str, float]
    hands: bool
    cup: bool


def measure(path: Path) -> Measured:
    """Look at the view of a ``.json`` file."""
    view = View.read(path)
    image = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), np.uint8)
    covers = np.asarray(cv2.imread(str(path.with_suffix(".png")), cv2.IMREAD_UNCHANGED))
    seen = finder.find_field(image)
    scene = see(image)
    corners = np.array(view.corners, np.float32)
    error, reading = np.inf, None
    if seen is not None:
        error, turned = min(
            (float(np.linalg.norm(np.roll(corners, 2 * k, axis=0) - seen.field.corners, axis=1).mean()), k)
            for k in (0, 1)
        )
        error /= max(image.shape[:2])
        left, right = seen.field.bar
        bar = (1 - right, 1 - left) if turned else (left, right)
        reading = read_checkers(image, FieldMap(np.roll(seen.field.corners, 2 * turned, axis=0), bar))
    width = max(0.002, view.bar[1] - view.bar[0])
    middle = (view.bar[0] + view.bar[1]) / 2
    given = read_checkers(image, FieldMap(np.array(view.corners), (middle - width / 2, middle + width / 2)))
    covered = {name: float((covers == COVERS.index(name)).mean()) for name in ("hand", "cup")}
    return Measured(
        view,
        error,
        reading,
        given,
        covered,
        scene.hand is not None,
        scene.cup is not None,
    )


Condition = tuple[str, Callable[[View], bool]]

VIEWS: tuple[Condition, ...] = (
    ("all", lambda view: True),
    ("seen at under 20 degrees", lambda view: float(view.style["tilt"]) < 20),
    ("seen at 20 to 40 degrees", lambda view: 20 <= float(view.style["tilt"]) < 40),
    ("seen at over 40 degrees", lambda view: float(view.style["tilt"]) >= 40),
    ("turned by 45 to 135 degrees", lambda view: _turned(view) > 45),
    ("field under 250 pixels wide", lambda view: _width(view) < 250),
    ("cut off by the picture's edge", lambda view: _cut(view)),
    ("brightness of sides under 20 L* apart", lambda view: _apart(view) < 20),
)


def _turned(view: View) -> float:
    corners = upright(np.array(view.corners, np.float32))
    up = corners[0] + corners[1] - corners[2] - corners[3]
    return abs(float(np.degrees(np.arctan2(up[0], -up[1]))))


def _width(view: View) -> float:
    corners = np.array(view.corners)
    return float(np.linalg.norm(corners[1] - corners[0] + corners[2] - corners[3])) / 2


def _cut(view: View) -> bool:
    corners: NDArray[np.float64] = np.array(view.corners)
    return bool((corners < 0).any() or (corners > np.array(view.size)).any())


def _apart(view: View) -> float:
    return abs(float(view.style["checkers_light"]) - float(view.style["checkers_dark"]))


def tables(measured: Sequence[Measured]) -> str:
    """Markdown: fields and slots by condition, slots by what stands there, hands and cups."""
    lines = ["| views | number | field found | occupied slots right | the same, field given |"]
    lines += ["|---|---|---|---|---|"]
    for name, belongs in VIEWS:
        mine = [m for m in measured if belongs(m.view)]
        found = sum(m.error < _NEAR for m in mine)
        own = _share(*_slots((m.view, m.found) for m in mine))
        told = _share(*_slots((m.view, m.given) for m in mine))
        lines.append(f"| {name} | {len(mine)} | {_share(found, len(mine))} | {own} | {told} |")
    lines += ["", "| slots (field given) | number | right |", "|---|---|---|"]
    for name, low, high in (("empty", 0, 0), *((str(n), n, n) for n in range(1, 6)), ("6 and more", 6, 15)):
        pairs = [
            (count, reading.best)
            for m in measured
            for count, reading in zip(m.view.slots, m.given.slots, strict=True)
            if low <= abs(count) <= high
        ]
        lines.append(f"| {name} | {len(pairs)} | {_share(sum(a == b for a, b in pairs), len(pairs))} |")
    lines += ["", "| in the picture | number | seen | told where there is none |", "|---|---|---|---|"]
    for name in ("hand", "cup"):
        said = [(m.hands if name == "hand" else m.cup, m.covered[name]) for m in measured]
        there = [seen for seen, share in said if share > _THING]
        none = [seen for seen, share in said if share == 0]
        seen, false = _share(sum(there), len(there)), _share(sum(none), len(none))
        lines.append(f"| {name} | {len(there)} | {seen} | {false} |")
    return "\n".join(lines)


def _slots(pairs: Iterable[tuple[View, CheckersReading | None]]) -> tuple[int, int]:
    right = total = 0
    for view, reading in pairs:
        for slot, count in enumerate(view.slots):
            if count:
                total += 1
                right += reading is not None and reading.slots[slot].best == count
    return right, total


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Errors of the networks of views on drawn views.")
    parser.add_argument("--views", type=Path, required=True, help="folder of models.training.views")
    parser.add_argument("--last", type=int, default=200, help="how many views, from the end (default 200)")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    print(tables([measure(path) for path in sorted(args.views.glob("*.json"))[-args.last :]]))


if __name__ == "__main__":
    main()
