"""Whether the deciding pictures are the right ones, and what keeping evidence costs a running match."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import click

from bench.measure import OUT, material, run, zarbiter
from bench.tables import share, table
from engine.events import PlayMade, Throw, loads
from engine.tracker import Tracker
from hardware import open_camera
from vision.reader import BoardReader
from zarbiter.evidence import Evidence
from zarbiter.exhibits import Archive, read_manifest
from zarbiter.film import Film
from zarbiter.pipeline import standing

FPS = 20


@dataclass(frozen=True, slots=True)
class Pictures:
    """Deciding pictures of a rendered video, and how many of them show what they should."""

    right: int
    of: int
    wrong: list[str]


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured.

    ``watch``: milliseconds that each frame held the vision thread up, sorted. ``load``: seconds of
    processor time of the evidence thread for each second of play. ``sizes``: of each kind of file in
    bytes. ``events`` of which ``without_clip`` got none.
    """

    seconds: float
    watch: list[float]
    load: float
    vision_load: float
    events: int
    without_clip: int
    film_mb: float
    film_seconds: float
    sizes: dict[str, list[int]]


def evidence(quick: bool) -> dict[str, Any]:
    """Both of it; the pictures only where the rendered videos are."""
    result: dict[str, Any] = {"cost": cost(quick)}
    for name in ("bg", "ln"):
        truth = material("footage", "video", f"{name}.json")
        result[name] = pictures(truth)
    click.echo()
    rows = [(name, share(one.right, one.of)) for name, one in result.items() if isinstance(one, Pictures)]
    click.echo(table(("deciding pictures that show what they should", "figure"), rows))
    for name in ("bg", "ln"):
        for wrong in result[name].wrong:
            click.echo(f"{name}: {wrong}")
    return result


def pictures(truth_file: Path) -> Pictures:
    """A throw's picture must show its dice at rest without hands, a play's the boards before and after."""
    truth = json.loads(truth_file.read_text())
    right, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="zarbiter-bench-") as folder:
        events_file = Path(folder) / "events.jsonl"
        video = truth_file.with_suffix(".mp4")
        kept = Path(folder) / "kept"
        done = run(
            [zarbiter(), "digitize", str(video), "--events", str(events_file), "--evidence", str(kept)]
        )
        if done.status:
            raise click.ClickException(f"digitize ended with {done.status}: {done.errors[-500:]}")
        exhibits = read_manifest(kept).exhibits
        events = [loads(line) for line in events_file.read_text().splitlines()]
    stood: Sequence[int] | None = None
    for place, event in enumerate(events):
        if not isinstance(event, Throw | PlayMade):
            continue
        for one in exhibits[place].files:
            if one.kind != "picture":
                continue
            frame = round(one.begin * truth["fps"])
            shown = next(run for run in truth["frames"] if run["first"] <= frame <= run["last"])
            if isinstance(event, Throw):
                good = sorted(die["value"] for die in shown["dice"]) == sorted(event.dice) and shown["stable"]
            elif one.name.endswith("after.jpg"):
                good = slots_of(shown) == event.slots
            else:
                good = stood is None or slots_of(shown) == stood
            right += good
            if not good:
                wrong.append(f"{one.name} at {one.begin:.1f} s")
        if isinstance(event, PlayMade):
            stood = event.slots
    return Pictures(right, right + len(wrong), wrong)


def slots_of(shown: dict[str, Any]) -> tuple[int, ...]:
    """The 24 signed counts of a frame of the truth."""
    sign = {"light": 1, "dark": -1, None: 0}
    return tuple(
        sign[slot["color"]] * slot["count"] for row in ("top", "bottom") for slot in shown["slots"][row]
    )


def cost(quick: bool) -> Cost:
    """Watch a simulated match of 1280x720 in real time, as `zarbiter run` does."""
    video = OUT / "evidence.mp4"
    turns = "4" if quick else "12"
    made = run([zarbiter(), "simulate", str(video), "--seed", "3", "--turns", turns, "--fps", str(FPS)])
    if made.status:
        raise click.ClickException(f"simulate ended with {made.status}: {made.errors[-500:]}")
    with tempfile.TemporaryDirectory(prefix="zarbiter-bench-") as folder:
        result = _watched(video, Path(folder))
    _print(result)
    return result


def _watched(video: Path, folder: Path) -> Cost:
    film = Film()
    evidence = Evidence(Archive(folder, about={"recording": video.name}), film=film)
    reader, tracker = BoardReader(), Tracker(None)
    watch: list[float] = []
    seen_for = t = 0.0
    place = 0
    with open_camera(str(video)) as camera:
        began = time.monotonic()
        while (frame := camera.read()) is not None:
            t = frame.t
            time.sleep(max(0.0, began + t - time.monotonic()))
            before = time.thread_time()
            seen = reader.read(frame)
            start = time.perf_counter()
            evidence.watch(frame, seen)
            watch.append(1000 * (time.perf_counter() - start))
            for event in tracker.observe(seen):
                evidence.note(place, event)
                place += 1
            reader.believe(standing(tracker))
            seen_for += time.thread_time() - before
    time.sleep(3.0)  # what waits is written
    load = _processor_time("evidence") / t
    film_mb, film_seconds = film.bytes / 1e6, film.moments[-1].t - film.moments[0].t
    evidence.close()
    sizes: dict[str, list[int]] = {}
    for exhibit in evidence.archive.exhibits.values():
        for one in exhibit.files:
            sizes.setdefault(one.kind, []).append(one.size)
        sizes.setdefault(exhibit.type, []).append(sum(one.size for one in exhibit.files))
    shown = list(evidence.archive.exhibits.values())
    without = sum(all(one.kind != "clip" for one in exhibit.files) for exhibit in shown)
    return Cost(t, sorted(watch), load, seen_for / t, len(shown), without, film_mb, film_seconds, sizes)


def _processor_time(name: str) -> float:
    """Seconds of processor time that the thread of this name has taken."""
    thread = next(thread for thread in threading.enumerate() if thread.name == name)
    stat = Path(f"/proc/self/task/{thread.native_id}/stat").read_text()
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _print(result: Cost) -> None:
    def size(kind: str) -> str:
        values: Sequence[int] = result.sizes.get(kind, [0])
        return f"{mean(values) / 1000:.0f} kB ({len(values)})"

    watch = result.watch
    rows = [
        ("play watched in real time", f"{result.seconds:.0f} s at {FPS} frames a second"),
        (
            "a frame holds the vision thread up: median, 99th of 100, longest",
            f"{median(watch):.2f}, {watch[int(0.99 * len(watch))]:.2f}, {watch[-1]:.2f} ms",
        ),
        ("processor time of the evidence thread", f"{100 * result.load:.0f}% of a core"),
        (
            "that of vision and tracker meanwhile",
            f"{100 * result.vision_load:.0f}% of a core",
        ),
        ("pictures in memory", f"{result.film_mb:.1f} MB for {result.film_seconds:.0f} s"),
        ("events with evidence, without a clip", f"{result.events}, {result.without_clip}"),
        *((f"a {kind}", size(kind)) for kind in ("picture", "dice", "clip")),
        *((f"evidence of a {kind}", size(kind)) for kind in ("throw", "play")),
    ]
    click.echo(table(("evidence, 1280x720", "figure"), rows))
