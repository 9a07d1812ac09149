"""How honest confidences are: of the slots said to be so sure, how many are right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from bench.labelled import PHOTOGRAPHS, QUICK, STILLS, Judged, SlotRead, judged
from bench.tables import share, table

BINS = 10  #: of equal width
SURE = 0.95  #: what "sure" means in the table

Said = Sequence[tuple[float, bool]]  #: confidence of a reading, and whether it is right


@dataclass(frozen=True, slots=True)
class Bin:
    """Readings whose confidence lies in one tenth; ``said``: their mean confidence."""

    low: float
    high: float
    count: int
    right: int
    said: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """Readings by confidence.

    ``error``: expected calibration error, the distance of said and right over the bins, weighted by their
    counts (Naeini, Cooper and Hauskrecht, 2015). ``brier``: mean squared distance of the confidence from 1
    where the reading is right and from 0 where it is wrong (Brier, 1950).
    """

    bins: tuple[Bin, ...]
    error: float
    brier: float
    sure: int
    sure_right: int


def reliability(said: Said) -> Reliability:
    """Count readings by what was said of them; bins that hold none are left out."""
    sure = np.array([confidence for confidence, _ in said], np.float64)
    right = np.array([was_right for _, was_right in said], np.bool_)
    index = np.minimum((sure * BINS).astype(int), BINS - 1)
    bins = []
    for i in range(BINS):
        mine = index == i
        if mine.any():
            bins.append(
                Bin(
                    i / BINS,
                    (i + 1) / BINS,
                    int(mine.sum()),
                    int(right[mine].sum()),
                    float(sure[mine].mean()),
                )
            )
    total = max(1, len(sure))
    return Reliability(
        tuple(bins),
        sum(abs(b.right - b.said * b.count) for b in bins) / total,
        float(((sure - right) ** 2).sum()) / total,
        int((sure >= SURE).sum()),
        int(right[sure >= SURE].sum()),
    )


def readings(pictures: Iterable[Judged], occupied: bool) -> Said:
    """What was said of the slots of all boards that were read.

    ``occupied``: only slots that hold checkers, or are said to. (To choose by the truth alone would hide
    the ornaments that were taken for checkers.)
    """
    slots = (slot for picture in pictures for slot in picture.slots if slot.read is not None)
    return [(slot.confidence, slot.right) for slot in slots if not occupied or _holds(slot)]


def _holds(slot: SlotRead) -> bool:
    return bool(slot.true or slot.read)


def calibration(quick: bool) -> dict[str, dict[str, Reliability]]:
    """Slots of photographs and stills, with no help given."""
    results: dict[str, dict[str, Reliability]] = {}
    for group in (PHOTOGRAPHS, STILLS):
        pictures = judged(group, False, QUICK if quick else None)
        results[group] = {
            "with checkers": reliability(readings(pictures, True)),
            "all": reliability(readings(pictures, False)),
        }
    columns = {f"{group}, {which}": r for group, both in results.items() for which, r in both.items()}
    rows: list[tuple[str, ...]] = []
    for i in range(BINS):
        cells = []
        for column in columns.values():
            mine = next((b for b in column.bins if round(b.low * BINS) == i), None)
            cells.append(f"{100 * mine.said:.0f}%: {share(mine.right, mine.count)}" if mine else "")
        if any(cells):
            rows.append((f"{100 * i // BINS} to {100 * (i + 1) // BINS}%", *cells))
    rows.append(("at least 95%", *[share(r.sure_right, r.sure) for r in columns.values()]))
    rows.append(("expected calibration error", *[f"{r.error:.3f}" for r in columns.values()]))
    rows.append(("Brier score", *[f"{r.brier:.3f}" for r in columns.values()]))
    click.echo(table(("slots said to be so sure (mean): right", *columns), rows))
    return results


# -- the plot ---------------------------------------------------------------------------------------------

_SIDE, _LEFT, _TOP, _BETWEEN = 300, 64, 40, 84
_COLOURS = {"with checkers": "#c2410c", "all": "#1d4ed8"}


def plot(results: dict[str, dict[str, Reliability]], folder: Path) -> None:
    """Write ``calibration.svg``: said across, right upwards; an area is a number of slots."""
    width, height = _LEFT + len(results) * (_SIDE + _BETWEEN) - _BETWEEN + 24, _TOP + _SIDE + 96
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for i, (group, both) in enumerate(results.items()):
        parts += _panel(group, both, _LEFT + i * (_SIDE + _BETWEEN))
    (folder / "calibration.svg").write_text("\n".join([*parts, "</svg>"]) + "\n")


def _panel(title: str, both: dict[str, Reliability], left: float) -> list[str]:
    def x(value: float) -> float:
        return left + value * _SIDE

    def y(value: float) -> float:
        return _TOP + (1 - value) * _SIDE

    parts = [f'<text x="{x(0.5)}" y="{_TOP - 18}" text-anchor="middle" font-weight="bold">{title}</text>']
    for tick in (0, 0.25, 0.5, 0.75, 1):
        across = f'x1="{x(tick)}" x2="{x(tick)}" y1="{y(0)}" y2="{y(1)}"'
        down = f'x1="{x(0)}" x2="{x(1)}" y1="{y(tick)}" y2="{y(tick)}"'
        parts += [f'<line {line} stroke="#e2e2e2"/>' for line in (across, down)]
        parts.append(f'<text x="{x(tick)}" y="{y(0) + 18}" text-anchor="middle">{tick:.0%}</text>')
        parts.append(f'<text x="{x(0) - 8}" y="{y(tick) + 4}" text-anchor="end">{tick:.0%}</text>')
    diagonal = f'x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"'
    parts.append(f'<line {diagonal} stroke="#888" stroke-dasharray="5 4"/>')
    parts.append(f'<text x="{x(0.5)}" y="{y(0) + 42}" text-anchor="middle">said to be so sure</text>')
    parts.append(
        f'<text transform="translate({x(0) - 48} {y(0.5)}) rotate(-90)" text-anchor="middle">right</text>'
    )
    for row, (which, found) in enumerate(both.items()):
        colour = _COLOURS[which]
        total = sum(b.count for b in found.bins)
        places = [(x(b.said), y(b.right / b.count), b.count / total) for b in found.bins]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts += [
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{3 + 14 * part**0.5:.1f}" fill="{colour}" '
            'fill-opacity="0.45"/>'
            for px, py, part in places
        ]
        parts.append(
            f'<text x="{x(0.5)}" y="{y(0) + 66 + 18 * row}" text-anchor="middle" fill="{colour}">'
            f"{which}: {total} slots, error {found.error:.3f}</text>"
        )
    return parts
