"""How honest confidences are: of the slots said to be so sure, how many are right.

Errors of one board go together (colours named the other way round spoil all of it), and the sets are small:
so the share that counts, of what is said to be at least 95% sure, comes with an interval over boards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import click
import numpy as np

from bench.labelled import PHOTOGRAPHS, QUICK, STILLS, Judged, SlotRead, judged
from bench.tables import share, table

#: Classes of confidence, finer where most readings are.
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SURE = 0.95  #: what "sure" means in the table
_DRAWS = 2000  #: of boards, for an interval
_Z = 1.96  #: standard deviations to either side of the middle that hold 95% of a normal distribution

Said = Sequence[tuple[float, bool]]  #: confidence of a reading, and whether it is right


@dataclass(frozen=True, slots=True)
class Bin:
    """Readings whose confidence lies in one class; ``said``: their mean confidence."""

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
    where the reading is right and from 0 where it is wrong (Brier, 1950). ``interval``: of the share of the
    sure that is right, 95%, by drawing boards anew (Efron, 1979); ``None`` where nothing is sure.
    """

    bins: tuple[Bin, ...]
    error: float
    brier: float
    sure: int
    sure_right: int
    interval: tuple[float, float] | None


def reliability(boards: Sequence[Said]) -> Reliability:
    """Count the readings of all boards by what was said of them; bins that hold none are left out."""
    said = [one for board in boards for one in board]
    sure = np.array([confidence for confidence, _ in said], np.float64)
    right = np.array([was_right for _, was_right in said], np.bool_)
    index = np.digitize(sure, EDGES[1:-1])
    bins = []
    for i, (low, high) in enumerate(pairwise(EDGES)):
        mine = index == i
        if mine.any():
            bins.append(Bin(low, high, int(mine.sum()), int(right[mine].sum()), float(sure[mine].mean())))
    total = max(1, len(sure))
    return Reliability(
        tuple(bins),
        sum(abs(b.right - b.said * b.count) for b in bins) / total,
        float(((sure - right) ** 2).sum()) / total,
        int((sure >= SURE).sum()),
        int(right[sure >= SURE].sum()),
        _interval(boards),
    )


def _interval(boards: Sequence[Said]) -> tuple[float, float] | None:
    """Between which shares the sure of such a set of boards are right, 19 times in 20."""
    surely = [[was_right for confidence, was_right in board if confidence >= SURE] for board in boards]
    counts = np.array([(sum(board), len(board)) for board in surely if board], np.float64)
    if not len(counts):
        return None
    drawn = np.random.default_rng(1).integers(0, len(counts), (_DRAWS, len(counts)))
    right, whole = counts[drawn].sum(axis=1).T
    low, high = np.quantile(right / whole, (0.025, 0.975))
    return float(low), float(high)


def wilson(right: int, count: int) -> tuple[float, float]:
    """The 95% interval of a share, as if the readings were independent (Wilson, 1927)."""
    share_right, spread = right / count, _Z**2 / count
    middle = (share_right + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share_right * (1 - share_right) / count + spread / count / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def readings(pictures: Iterable[Judged], occupied: bool) -> list[Said]:
    """What was said of the slots of each board that was read.

    ``occupied``: only slots that hold checkers, or are said to. (To choose by the truth alone would hide
    the ornaments that were taken for checkers.)
    """
    return [
        [
            (slot.confidence, slot.right)
            for slot in picture.slots
            if slot.read is not None and (not occupied or _holds(slot))
        ]
        for picture in pictures
    ]


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
    for low, high in pairwise(EDGES):
        found = [next((b for b in column.bins if b.low == low), None) for column in columns.values()]
        cells = [f"{b.said:.1%}: {share(b.right, b.count)}" if b else "" for b in found]
        if any(cells):
            rows.append((f"{low:.0%} to {high:.0%}", *cells))
    rows.append((f"at least {SURE:.0%}", *[share(r.sure_right, r.sure) for r in columns.values()]))
    rows.append(("its interval over boards", *[_between(r.interval) for r in columns.values()]))
    rows.append(("expected calibration error", *[f"{r.error:.3f}" for r in columns.values()]))
    rows.append(("Brier score", *[f"{r.brier:.3f}" for r in columns.values()]))
    click.echo(table(("slots said to be so sure (mean): right", *columns), rows))
    return results


def _between(interval: tuple[float, float] | None) -> str:
    return f"{interval[0]:.1%} to {interval[1]:.1%}" if interval else "none"


# -- the plot ---------------------------------------------------------------------------------------------

_SIDE, _LEFT, _TOP, _BETWEEN = 340, 72, 64, 88
_COLOURS = {"with checkers": "#c2410c", "all": "#1d4ed8"}
_TICKS = (0.1, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)
_ENDS = (0.05, 0.9995)  #: of the axes; what lies beyond is drawn at the edge


def plot(results: dict[str, dict[str, Reliability]], folder: Path) -> None:
    """Write ``calibration.svg``: said across, right upwards, both by log odds; bars are 95% intervals.

    Nearly all readings are surer than 90%: by log odds 90% is as far from 99% as that from 99.9%.
    """
    width, height = _LEFT + len(results) * (_SIDE + _BETWEEN) - _BETWEEN + 28, _TOP + _SIDE + 116
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{width / 2}" y="22" text-anchor="middle" font-size="15">'
        "Of the slots said to be so sure, how many are right</text>",
    ]
    for i, (group, both) in enumerate(results.items()):
        parts += _panel(group, both, _LEFT + i * (_SIDE + _BETWEEN))
    (folder / "calibration.svg").write_text("\n".join([*parts, "</svg>"]) + "\n")


def _along(value: float) -> float:
    """The place of a share on an axis, from 0 to 1."""
    low, high, here = (math.log(v / (1 - v)) for v in (*_ENDS, min(max(value, _ENDS[0]), _ENDS[1])))
    return (here - low) / (high - low)


def _panel(title: str, both: dict[str, Reliability], left: float) -> list[str]:
    def x(value: float) -> float:
        return left + _along(value) * _SIDE

    def y(value: float) -> float:
        return _TOP + (1 - _along(value)) * _SIDE

    middle, bottom, right = left + _SIDE / 2, _TOP + _SIDE, left + _SIDE
    parts = [f'<text x="{middle}" y="{_TOP - 14}" text-anchor="middle" font-weight="bold">{title}</text>']
    for tick in _TICKS:
        across = f'x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{bottom}" y2="{_TOP}"'
        down = f'x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"'
        parts += [f'<line {line} stroke="#e2e2e2"/>' for line in (across, down)]
        parts.append(
            f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{_percent(tick)}</text>'
        )
        parts.append(f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{_percent(tick)}</text>')
    diagonal = f'x1="{left}" y1="{bottom}" x2="{right}" y2="{_TOP}"'
    parts.append(f'<rect x="{left}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>')
    parts.append(f'<line {diagonal} stroke="#888" stroke-dasharray="5 4"/>')
    parts.append(f'<text x="{middle}" y="{bottom + 42}" text-anchor="middle">said to be so sure</text>')
    parts.append(
        f'<text transform="translate({left - 54} {_TOP + _SIDE / 2}) rotate(-90)" text-anchor="middle">'
        "right</text>"
    )
    for row, (which, found) in enumerate(both.items()):
        colour, aside = _COLOURS[which], 3 * (2 * row - 1)
        total = sum(b.count for b in found.bins)
        for b in found.bins:
            px, (low, high) = x(b.said) + aside, wilson(b.right, b.count)
            parts.append(
                f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{y(low):.1f}" y2="{y(high):.1f}" '
                f'stroke="{colour}" stroke-width="1.5"/>'
            )
            parts.append(
                f'<circle cx="{px:.1f}" cy="{y(b.right / b.count):.1f}" '
                f'r="{2.5 + 7 * (b.count / total) ** 0.5:.1f}" fill="{colour}" fill-opacity="0.6">'
                f"<title>{b.said:.1%} sure: {b.right} of {b.count} right</title></circle>"
            )
        parts.append(
            f'<text x="{middle}" y="{bottom + 70 + 20 * row}" text-anchor="middle" fill="{colour}">'
            f"{which}: {total} slots; at least {SURE:.0%} sure: {share(found.sure_right, found.sure)}</text>"
        )
    return parts


def _percent(value: float) -> str:
    return f"{100 * value:g}%"
