"""Labelled pictures through the public scorer, with what a photo costs."""

from __future__ import annotations

import json
import shlex
import sys

import click

from bench.measure import material, run, zarbiter
from bench.tables import share, table

SETS = {
    "photographs of boards": (("real", "boards"), ""),
    "photographs of dice": (("real", "dice"), "--dice-only"),
    "rendered stills": (("footage", "stills"), ""),
}


def pictures(quick: bool) -> dict[str, dict[str, float]]:
    """Score ``zarbiter photo`` on every set; a picture that crashes would end the run."""
    scorer, results = material("score", "score_photos.py"), {}
    for title, (place, option) in list(SETS.items())[: 1 if quick else None]:
        command = f"{shlex.quote(zarbiter())} photo --json {option}"
        done = run([sys.executable, str(scorer), str(material(*place)), "--run", command, "--json"])
        if done.status:
            raise click.ClickException(f"{title}: {done.errors[-500:]}")
        results[title] = json.loads(done.output.strip().splitlines()[-1])
        results[title]["seconds"] = done.wall
    rows = [
        ("pictures read", *[share(r["read"], r["pictures"]) for r in results.values()]),
        ("boards located", *[share(r["found"], r["boards"]) for r in results.values()]),
        ("occupied slots right", *[share(r["occupied_right"], r["occupied"]) for r in results.values()]),
        (
            "mean over kinds of board",
            *[f"{100 * r['kind_share']:.1f}%" if r["kinds"] else "none" for r in results.values()],
        ),
        ("boards fully right", *[share(r["exact"], r["exact_of"]) for r in results.values()]),
        ("dice right", *[share(r["dice_right"], r["dice"]) for r in results.values()]),
        ("false dice a picture", *[f"{r['dice_false'] / r['pictures']:.2f}" for r in results.values()]),
        ("seconds a picture", *[f"{r['seconds'] / r['pictures']:.2f}" for r in results.values()]),
    ]
    click.echo(table(("no help given", *results), rows))
    return results
