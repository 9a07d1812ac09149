"""The whole chain on the simulated table: games without faults, and games full of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import click
import cv2

from bench.compare import Tally, compare
from bench.tables import share, table
from engine.events import PlayMade, Throw
from engine.position import Game
from engine.tracker import Tracker
from hardware.table import PLAY_FAULTS, THROW_FAULTS, SimulatedTable
from hardware.table.scene import Pose
from vision.reader import BoardReader
from zarbiter.digitize import digitize

STYLES = ("wood", "felt")
WORKERS = 2


@dataclass(frozen=True, slots=True)
class Job:
    """One simulated match."""

    game: Game
    seed: int
    style: str
    pose: Pose = "overhead"
    faults: tuple[str, ...] = ()
    max_turns: int | None = None


@dataclass(slots=True)
class Result:
    """A job with what came of it; ``causes`` counts (kind, caught, cause named) of each fault."""

    job: Job
    tally: Tally
    causes: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)


def play(job: Job) -> Result:
    """Paint a match, read it with no help, and hold the events against the truth."""
    cv2.setNumThreads(1)
    camera = SimulatedTable(
        seed=job.seed,
        game=job.game,
        style=job.style,
        pose=job.pose,
        faults=job.faults,
        max_turns=job.max_turns,
    )
    read = list(digitize(camera, BoardReader(), Tracker()))
    truth = camera.truth()
    result = Result(job, compare(truth, read))
    for true in truth:
        if isinstance(true, Throw) and not true.valid:
            seen = [e for e in read if isinstance(e, Throw) and abs(e.t - true.t) < 2]
            caught = any(not e.valid for e in seen)
            named = any(set(true.faults) <= set(e.faults) for e in seen)
            result.causes[("+".join(true.faults), caught, named)] += 1
        elif isinstance(true, PlayMade) and not true.legal:
            made = [e for e in read if isinstance(e, PlayMade) and abs(e.t - true.t) < 2]
            caught = any(not e.legal for e in made)
            result.causes[(true.rule or "", caught, any(e.rule == true.rule for e in made))] += 1
    return result


def play_all(jobs: Sequence[Job]) -> list[Result]:
    """All jobs, a process for each core, with a line for each as it ends."""
    results = []
    with ProcessPoolExecutor(WORKERS) as pool:
        for result in pool.map(play, jobs):
            job, tally = result.job, result.tally
            click.echo(
                f"{job.game.value}, seed {job.seed}, {job.style}, {job.pose}: "
                f"throws {tally.throws_right}/{tally.throws}, plays {tally.plays_right}/{tally.plays}, "
                f"false {tally.false_events}, doubts {tally.doubts}"
            )
            for miss in tally.misses:
                click.echo(f"    {miss}")
            results.append(result)
    return results


def matches(quick: bool) -> dict[str, Tally]:
    """Seeds 1 to 5 of each game on two boards: everything found, nothing made up."""
    jobs = [
        Job(game, seed, style, max_turns=6 if quick else None)
        for game in Game
        for style in STYLES
        for seed in range(1, 2 if quick else 6)
    ]
    results = play_all(jobs)
    totals: dict[str, Tally] = {}
    for result in results:
        totals.setdefault(f"{result.job.game.value}, {result.job.style}", Tally()).add(result.tally)
    rows = [
        (
            name,
            total.games,
            share(total.throws_right, total.throws),
            share(total.plays_right, total.plays),
            share(total.ends_right, total.ends),
            total.false_events,
            total.doubts,
        )
        for name, total in totals.items()
    ]
    worst = max(r.tally.doubts for r in results)
    click.echo(
        "\n" + table(("game, board", "games", "throws", "plays", "game ends", "false events", "doubts"), rows)
    )
    click.echo(f"\nmost doubts in one game: {worst}")
    return totals


def faults(quick: bool) -> dict[str, int]:
    """Ten invalid throws and ten illegal plays and more, of every kind that the table knows."""
    jobs = []
    for game in Game:
        kinds = (*THROW_FAULTS, *PLAY_FAULTS[game])
        jobs += [
            Job(game, seed, style, faults=kinds, max_turns=12 if quick else None)
            for seed, style in zip((11, 12), STYLES, strict=True)
        ][: 1 if quick else None]
    results = play_all(jobs)
    causes: Counter[tuple[str, bool, bool]] = Counter()
    total = Tally()
    for result in results:
        causes += result.causes
        total.add(result.tally)
    rows = []
    for kind in sorted({kind for kind, _, _ in causes}):
        mine = {key[1:]: n for key, n in causes.items() if key[0] == kind}
        whole = sum(mine.values())
        caught = sum(n for (was_caught, _), n in mine.items() if was_caught)
        named = sum(n for (_, was_named), n in mine.items() if was_named)
        rows.append((kind, share(caught, whole), share(named, whole)))
    click.echo("\n" + table(("fault", "caught", "cause named"), rows))
    click.echo(
        f"\ninvalid throws caught {share(total.invalid_caught, total.invalid)}, "
        f"cause named {share(total.invalid_cause, total.invalid)}; "
        f"illegal plays caught {share(total.illegal_caught, total.illegal)}, "
        f"cause named {share(total.illegal_cause, total.illegal)}; "
        f"false alarms {total.false_alarms} on "
        f"{total.throws - total.invalid + total.plays - total.illegal} sound throws and plays"
    )
    return {name: getattr(total, name) for name in Tally.__slots__ if name != "misses"}
