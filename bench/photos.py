"""Labelled pictures through the public scorer, with what a photo costs and what was demanded."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from typing import Any

import click

from bench.labelled import DICE, PHOTOGRAPHS, PLACES, STILLS
from bench.measure import OUT, material, run, zarbiter
from bench.tables import share, table

Figures = dict[str, Any]  #: the scorer's counts, and ``seconds``


@dataclass(frozen=True, slots=True)
class Demand:
    """A figure that must be reached: the counts ``part`` of ``whole``, at least or at most ``bound``."""

    group: str
    what: str
    part: str
    whole: str | None
    bound: float
    at_most: bool = False

    def reached(self, figures: Figures) -> float | None:
        """The figure, or ``None`` where the set holds nothing of the kind."""
        if self.whole is None:
            return float(figures[self.part])
        return figures[self.part] / figures[self.whole] if figures[self.whole] else None

    def met(self, figures: Figures) -> bool:
        """Whether the figure is reached."""
        value = self.reached(figures)
        return value is not None and (value <= self.bound if self.at_most else value >= self.bound)


DEMANDS = (
    Demand(PHOTOGRAPHS, "boards located", "found", "boards", 0.90),
    Demand(PHOTOGRAPHS, "occupied slots right", "occupied_right", "occupied", 0.93),
    Demand(PHOTOGRAPHS, "the same, mean over kinds of board", "kind_share", None, 0.90),
    Demand(PHOTOGRAPHS, "boards fully right, bar included", "exact", "exact_of", 0.60),
    Demand(PHOTOGRAPHS, "dice right", "dice_right", "dice", 0.90),
    Demand(PHOTOGRAPHS, "false dice a picture", "dice_false", "pictures", 0.10, at_most=True),
    Demand(DICE, "dice right", "dice_right", "dice", 0.95),
    Demand(DICE, "false dice a picture", "dice_false", "pictures", 0.05, at_most=True),
    Demand(STILLS, "occupied slots right", "occupied_right", "occupied", 0.99),
    Demand(STILLS, "boards fully right, bar included", "exact", "exact_of", 0.90),
    Demand(STILLS, "flat dice right", "dice_right", "dice", 0.98),
    Demand(STILLS, "how a die lies, right", "states_right", "states", 0.92),
    Demand(STILLS, "hands right", "hands_right", "hands", 0.97),
    Demand(STILLS, "cup right", "cups_right", "cups", 0.97),
)

#: Rows of the table: a title, and the counts whose share it is.
_SHARES = (
    ("pictures read", "read", "pictures"),
    ("boards located", "found", "boards"),
    ("occupied slots right", "occupied_right", "occupied"),
    ("bars right", "bar_right", "bar"),
    ("boards fully right, bar included", "exact", "exact_of"),
    ("dice right", "dice_right", "dice"),
    ("how dice lie, right", "states_right", "states"),
    ("hands right", "hands_right", "hands"),
    ("cup right", "cups_right", "cups"),
)


def pictures(quick: bool) -> dict[str, Figures]:
    """Score ``zarbiter photo`` on every set, with no help and with the corners given.

    A picture that crashes would end the run. ``quick``: photographs of boards only, with no help.
    """
    results = {"photographs of boards": score(PHOTOGRAPHS, "--json")}
    if not quick:
        for group in (PHOTOGRAPHS, STILLS):
            corners = material(*PLACES[group], "labels.json")
            results.setdefault(group, score(group, "--json"))
            results[f"{group}, corners given"] = score(group, "--json", "--corners-file", str(corners))
        results[DICE] = score(DICE, "--json", "--dice-only")
    click.echo(table(("no help given, or the corners", *results), figures(results)))
    click.echo("\n" + table(("demanded with no help", "figure", "at least", ""), demanded(results)))
    return results


def score(group: str, *options: str) -> Figures:
    """The scorer's counts on a set, with the seconds that it took; every mistake goes to a file."""
    command = " ".join(shlex.quote(word) for word in (zarbiter(), "photo", *options))
    scorer, folder = material("score", "score_photos.py"), material(*PLACES[group])
    done = run([sys.executable, str(scorer), str(folder), "--run", command, "--json", "--show"])
    if done.status:
        raise click.ClickException(f"{group}: {done.errors[-500:]}")
    *report, counts = done.output.strip().splitlines()
    kind = "given" if "--corners-file" in options else "found"
    (OUT / f"photos, {group}, {kind}.txt").write_text("\n".join(report) + "\n")
    found: Figures = json.loads(counts)
    return found | {"seconds": done.wall}


def figures(results: dict[str, Figures]) -> list[tuple[str, ...]]:
    """The rows of the table."""
    rows: list[tuple[str, ...]] = [
        (title, *[share(found[part], found[whole]) for found in results.values()])
        for title, part, whole in _SHARES
    ]
    kinds = [f"{100 * f['kind_share']:.1f}%" if f["kinds"] else "none" for f in results.values()]
    off = [_percent(f["corner_err"], f["corner_n"]) for f in results.values()]
    rows.insert(2, ("mean corner error, of the long side", *off))
    rows.insert(4, ("mean over kinds of board", *kinds))
    return [
        *rows,
        ("false dice a picture", *[f"{f['dice_false'] / f['pictures']:.2f}" for f in results.values()]),
        ("seconds a picture", *[f"{f['seconds'] / f['pictures']:.2f}" for f in results.values()]),
    ]


def demanded(results: dict[str, Figures]) -> list[tuple[str, ...]]:
    """The rows of the table of demands, of the sets that were measured."""
    rows: list[tuple[str, ...]] = []
    for demand in DEMANDS:
        if (found := results.get(demand.group)) is None:
            continue
        value = demand.reached(found)
        show = "{:.2f}" if demand.at_most else "{:.1%}"
        bound = ("at most {:.2f}" if demand.at_most else "{:.0%}").format(demand.bound)
        reached = "none" if value is None else show.format(value)
        met = "met" if demand.met(found) else "**missed**"
        rows.append((f"{demand.group}: {demand.what}", reached, bound, met))
    return rows


def _percent(total: float, count: int) -> str:
    return f"{100 * total / count:.2f}%" if count else "none"
