"""How fast a recording is read on one core, and with how much memory."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import click

from bench.measure import OUT, run, zarbiter
from bench.tables import table


@dataclass(frozen=True, slots=True)
class Speed:
    """Frames of 1280x720, seconds of wall clock on one core, peak memory in megabytes."""

    frames: int
    wall: float
    peak_mb: float
    plain_wall: float  #: seconds to decode the same frames and do nothing


def digitize(quick: bool) -> Speed:
    """Digitize a simulated recording of some forty turns on one core, against decoding alone."""
    video = OUT / "speed.mp4"
    made = run([zarbiter(), "simulate", str(video), "--seed", "3", "--turns", "6" if quick else "40"])
    if made.status:
        raise click.ClickException(f"simulate ended with {made.status}: {made.errors[-500:]}")
    done = run([zarbiter(), "digitize", str(video), "--events", str(OUT / "speed.jsonl")], core=0)
    if done.status:
        raise click.ClickException(f"digitize ended with {done.status}: {done.errors[-500:]}")
    plain = run([sys.executable, "-m", "bench.decode", str(video)], core=0)
    frames = json.loads(plain.output)["frames"]
    speed = Speed(frames, done.wall, done.peak_mb, plain.wall)
    rows = [
        ("frames", frames),
        ("frames a second, start-up included", f"{frames / done.wall:.1f}"),
        ("times the cost of decoding alone", f"{done.wall / plain.wall:.1f}"),
        ("peak memory", f"{done.peak_mb:.0f} MB"),
    ]
    click.echo(table(("digitize, 1280x720, one core", "figure"), rows))
    return speed
