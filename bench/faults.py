"""Invalid throws and illegal plays of every kind on the simulated table: which are caught, and as what."""

from __future__ import annotations

from collections import Counter

import click

from bench.compare import Tally
from bench.simulated import Job, play_all
from bench.tables import share, table
from engine.position import Game
from hardware.table import PLAY_FAULTS, STYLES, THROW_FAULTS


def faults(quick: bool) -> dict[str, int]:
    """Ten invalid throws and ten illegal plays and more, of every kind that the table knows."""
    jobs = []
    for game in Game:
        kinds = (*THROW_FAULTS, *PLAY_FAULTS[game])
        jobs += [
            Job(game, seed, style, faults=kinds, max_turns=12 if quick else None)
            for seed, style in zip((11, 12), STYLES, strict=False)
        ][: 1 if quick else None]
    results = play_all(jobs)
    causes: Counter[tuple[str, str]] = Counter()
    total = Tally()
    for result in results:
        causes += result.causes
        total.add(result.tally)
    rows = []
    for cause in sorted({cause for cause, _ in causes}):
        happened, told = causes[(cause, "happened")], causes[(cause, "told")]
        right = ((causes[(cause, word)], of) for word, of in (("caught", happened), ("named", happened)))
        rows.append((cause, happened, *(share(*r) for r in right), share(causes[(cause, "so")], told)))
    click.echo("\n" + table(("cause", "number", "caught", "recall", "precision"), rows))
    sound = total.throws - total.invalid + total.plays - total.illegal
    click.echo(
        f"\ninvalid throws caught {share(total.invalid_caught, total.invalid)}, "
        f"cause named {share(total.invalid_cause, total.invalid)}; "
        f"illegal plays caught {share(total.illegal_caught, total.illegal)}, "
        f"cause named {share(total.illegal_cause, total.illegal)}; "
        f"false alarms {total.false_alarms} on {sound} sound throws and plays"
    )
    return {name: getattr(total, name) for name in Tally.__slots__ if name != "misses"}
