"""``python -m bench``: measure what the README claims, and print it as the README's tables.

Measuring material that is not on this machine is skipped with a line that says so. Results are also
kept as JSON under ``bench/out``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from bench import (
    adaptation,
    again,
    calibration,
    conditions,
    dice,
    evidence,
    eyes,
    faults,
    footage,
    gnubg,
    hard,
    law,
    legal,
    photos,
    readers,
    simulated,
    speed,
    train,
    versions,
    worst,
)
from bench.measure import OUT, NoMaterial


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bench.

    ``measure`` is told whether a small sample will do and gives a result for JSON. ``draw`` writes
    pictures of a result into a folder. Parts that are not ``usual`` are measured only when they are named.
    """

    title: str
    measure: Callable[[bool], Any]
    draw: Callable[[Any, Path], None] | None = None
    usual: bool = True


PARTS = {
    "legal": Part("Legal plays: speed, and against other engines", legal.legal),
    "law": Part("Random games under every preset, and the judge on corrupted plays", law.games),
    "gnubg": Part("Match files through GNU Backgammon and back", gnubg.files),
    "readers": Part("Damaged and hostile files through every reader", readers.mutations),
    "simulated": Part(
        "Simulated matches: twenty of each game, five boards, three cameras", simulated.simulated
    ),
    "faults": Part("Simulated faults", faults.faults),
    "hard": Part("Simulated matches under hard conditions", hard.hard),
    "again": Part("What was seen of simulated matches, told again", again.again, usual=False),
    "footage": Part("Rendered videos made by other means", footage.videos),
    "photos": Part("Labelled photographs and rendered stills", photos.pictures),
    "conditions": Part("Where pictures are misread", conditions.conditions, worst.sheet),
    "calibration": Part("How honest confidences are", calibration.calibration, calibration.plot),
    "adaptation": Part("What one look at the starting position brings", adaptation.adaptation),
    "dice": Part("The dice reader alone, the board being known", dice.dice),
    "eyes": Part("What a look costs on one core, against a network of YOLO11n's size", eyes.eyes),
    "speed": Part("Speed and memory of digitize, 1280x720, one core", speed.digitize),
    "evidence": Part("Evidence: the right pictures, and what keeping them costs", evidence.evidence),
    "train": Part("The recipe for the networks, shortened", train.short),
    "versions": Part("The same answers under other OpenCV and onnxruntime", versions.versions, usual=False),
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="A small sample of each part, to see that it runs.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write pictures of the results into this folder too, for the parts that have some.",
)
def main(parts: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """Measure PARTS.

    By default all of them but `again`, which goes on from what the three before it have seen, and `versions`,
    which makes virtual environments for itself.
    """
    OUT.mkdir(exist_ok=True)
    for name in parts or [name for name, part in PARTS.items() if part.usual]:
        part = PARTS[name]
        click.echo(f"\n## {part.title}\n")
        start = time.monotonic()
        try:
            result = part.measure(quick)
        except NoMaterial as missing:
            click.echo(missing)
            continue
        (OUT / f"{name}.json").write_text(json.dumps(result, indent=1, default=asdict) + "\n")
        if out is not None and part.draw is not None:
            out.mkdir(parents=True, exist_ok=True)
            part.draw(result, out)
        click.echo(f"\n({time.monotonic() - start:.0f} s)", file=sys.stderr)


if __name__ == "__main__":
    main()
