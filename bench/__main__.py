"""``python -m bench``: measure what the README claims, and print it as the README's tables.

Measuring material that is not on this machine is skipped with a line that says so. Results are also
kept as JSON under ``bench/out``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict

import click

from bench import dice, footage, gnubg, law, legal, photos, readers, simulated, speed
from bench.measure import OUT, NoMaterial

PARTS: dict[str, tuple[str, Callable[[bool], object]]] = {
    "legal": ("Legal plays: speed, and against other engines", legal.legal),
    "law": ("Random games under every preset, and the judge on corrupted plays", law.games),
    "gnubg": ("Match files through GNU Backgammon and back", gnubg.files),
    "readers": ("Damaged and hostile files through every reader", readers.mutations),
    "simulated": ("Simulated matches: seeds 1 to 5 of each game on two boards", simulated.matches),
    "faults": ("Simulated faults", simulated.faults),
    "footage": ("Rendered videos made by other means", footage.videos),
    "photos": ("Labelled photographs and rendered stills", photos.pictures),
    "dice": ("The dice reader alone, the board being known", dice.dice),
    "speed": ("Speed and memory of digitize, 1280x720, one core", speed.digitize),
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="A small sample of each part, to see that it runs.")
def main(parts: tuple[str, ...], quick: bool) -> None:
    """Measure PARTS (all of them by default)."""
    OUT.mkdir(exist_ok=True)
    for name in parts or PARTS:
        title, measure = PARTS[name]
        click.echo(f"\n## {title}\n")
        start = time.monotonic()
        try:
            result = measure(quick)
        except NoMaterial as missing:
            click.echo(missing)
            continue
        (OUT / f"{name}.json").write_text(json.dumps(result, indent=1, default=asdict) + "\n")
        click.echo(f"\n({time.monotonic() - start:.0f} s)", file=sys.stderr)


if __name__ == "__main__":
    main()
