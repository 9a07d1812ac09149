"""The simulated matches from what was seen of them before, by the tracker as it is now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from bench import faults, hard, simulated
from bench.measure import NoMaterial
from bench.simulated import tell_all


def again(quick: bool) -> dict[str, Any]:
    """The tables of `simulated`, `faults` and `hard`, of all their matches that were seen before."""
    parts: dict[str, Callable[[], Any]] = {
        "simulated": lambda: simulated.report(tell_all(simulated.jobs(quick))),
        "faults": lambda: faults.report(tell_all(faults.usual(quick))),
        "hard": lambda: hard.report(tell_all(list(hard.games(quick))), quick),
    }
    results = {}
    for name, part in parts.items():
        click.echo(f"\n### {name}\n")
        try:
            results[name] = part()
        except NoMaterial as missing:
            click.echo(missing)
    return results
