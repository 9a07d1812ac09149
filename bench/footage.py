"""The two rendered videos, by the public scorer of the measuring material."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
import numpy as np

from bench.measure import OUT, material, run, zarbiter
from bench.tables import share, table
from vision.geometry import FieldMap

VIDEOS = {"bg": "short backgammon", "ln": "long nardy"}


def videos(quick: bool) -> dict[str, dict[str, int]]:
    """Digitize both with no help and score the events; every miss is printed."""
    scorer, results = material("score", "score_video.py"), {}
    for name in list(VIDEOS)[: 1 if quick else None]:
        video, truth = (
            material("footage", "video", f"{name}.mp4"),
            material("footage", "video", f"{name}.json"),
        )
        events = OUT / f"{name}.events.jsonl"
        done = run([zarbiter(), "digitize", str(video), "--events", str(events)])
        if done.status:
            raise click.ClickException(f"digitize {name}.mp4 ended with {done.status}: {done.errors[-500:]}")
        scored = run([sys.executable, str(scorer), str(truth), str(events), "--show", "--json"])
        *report, counts = scored.output.strip().splitlines()
        click.echo(f"{VIDEOS[name]}, misses first:\n\n```\n" + "\n".join(report).strip() + "\n```\n")
        results[name] = json.loads(counts)
    total = {key: sum(r[key] for r in results.values()) for key in next(iter(results.values()))}
    rows = [
        ("throws right", share(total["throws_right"], total["throws"])),
        ("plays right", share(total["plays_right"], total["plays"])),
        ("invalid throws caught", share(total["invalid_caught"], total["invalid"])),
        ("their cause named", share(total["cause_right"], total["invalid"])),
        ("illegal plays caught", share(total["illegal_caught"], total["illegal"])),
        ("false alarms", total["false_invalid"] + total["false_illegal"]),
        ("extra events", total["extra"]),
        ("doubts, desyncs", f"{total['doubts']}, {total['desyncs']}"),
    ]
    click.echo(table(("the two videos, no help given", "figure"), rows))
    return results


def field_of(truth: dict[str, Any]) -> FieldMap:
    """Where the field lies in a rendered video."""
    corners = np.array([truth["field_corners_px"][c] for c in ("tl", "tr", "br", "bl")])
    bar = FieldMap(corners).to_board(truth["bar_px"])[:, 0]
    return FieldMap(corners, (float(bar[[0, 3]].mean()), float(bar[[1, 2]].mean())))
