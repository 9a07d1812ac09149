"""How fast a recording is read on one core, and with how much memory."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click

from bench.measure import OUT, Run, run, zarbiter
from bench.tables import table


@dataclass(frozen=True, slots=True)
class Speed:
    """Frames of 1280x720, seconds of wall clock on one core, peak memory in megabytes."""

    frames: int
    wall: float
    peak_mb: float
    plain_wall: float  #: seconds to decode the same frames and do nothing
    longest: float  #: seconds that it is behind a camera of 30 frames a second, at most
    last: float  #: the same after the last frame


FPS = 30  #: of a camera that waits for nobody


def digitize(quick: bool) -> Speed:
    """Digitize a simulated recording of some forty turns on one core, against decoding alone.

    And one of twelve turns as if its 30 frames a second came from a camera that waits for nobody.
    """
    video = _recorded("speed.mp4", "--turns", "6" if quick else "40")
    done = _finished([zarbiter(), "digitize", video, "--events", str(OUT / "speed.jsonl")])
    plain = _finished([sys.executable, "-m", "bench.decode", video])
    frames = json.loads(plain.output)["frames"]
    video = _recorded("backlog.mp4", "--turns", "2" if quick else "12", "--fps", str(FPS))
    live = json.loads(_finished([sys.executable, "-m", "bench.backlog", video, str(FPS)]).output)
    speed = Speed(frames, done.wall, done.peak_mb, plain.wall, live["longest"], live["last"])
    rows = [
        ("frames", frames),
        ("frames a second, start-up included", f"{frames / done.wall:.1f}"),
        ("times the cost of decoding alone", f"{done.wall / plain.wall:.1f}"),
        ("peak memory", f"{done.peak_mb:.0f} MB"),
        (f"behind a camera of {FPS} frames a second, at most", f"{speed.longest:.2f} s"),
        (
            "frames after which more than one other waited",
            f"{live['waiting']} of {live['frames']}, none at the end"
            if speed.last < 1 / FPS
            else f"{live['waiting']} of {live['frames']}, and at the end {speed.last * FPS:.0f} wait",
        ),
    ]
    click.echo(table(("digitize, 1280x720, one core", "figure"), rows))
    return speed


def _recorded(name: str, *options: str) -> str:
    """The path of a simulated recording, made for this."""
    path = str(OUT / name)
    _finished([zarbiter(), "simulate", path, "--seed", "3", *options])
    return path


def _finished(command: Sequence[str]) -> Run:
    """What came of a command on one core. Raises ``ClickException`` if it failed."""
    done = run(command, core=0)
    if done.status:
        raise click.ClickException(f"{shlex.join(command)} ended with {done.status}: {done.errors[-500:]}")
    return done
