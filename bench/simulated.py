"""The whole chain on the simulated table: whole games on every board, under every camera.

What is aimed at: at least 99.5% of throws and of plays right, no illegal play shown as a legal one, at most
one doubt a game on average; from still board to event a median under 0.5 s of video time and a 95th
percentile under 1 s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import click
import cv2
import numpy as np

from bench.compare import Pair, Tally, count, doubted, matches, paired
from bench.measure import NoMaterial, processes
from bench.seen import Remembering, eyes, keep, kept
from bench.tables import share, table
from engine.events import Event, PlayMade, Throw
from engine.position import Game
from engine.rules import RuleSet
from engine.throws import touching_matters
from engine.tracker import Tracker
from hardware.table import PLAY_FAULTS, STYLES, THROW_FAULTS, SimulatedTable
from hardware.table.scene import POSES, Pose
from zarbiter.digitize import digitize

WORKERS = 2
SEEDS = 20  #: matches of each game; with fifteen or more every board comes under every camera


@dataclass(frozen=True, slots=True)
class Job:
    """One simulated match: the arguments of :class:`~hardware.table.SimulatedTable`."""

    game: Game
    seed: int
    style: str
    pose: Pose = "overhead"
    faults: tuple[str, ...] = ()
    max_turns: int | None = None
    fps: float = 10.0
    rules: RuleSet | None = None
    conditions: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The match in a few words."""
        odd = "".join(f", {condition}" for condition in self.conditions)
        return f"{self.game.value}, seed {self.seed}, {self.style}, {self.pose}{odd}"

    def table(self) -> SimulatedTable:
        """The table at which it is played."""
        return SimulatedTable(
            seed=self.seed,
            game=self.game,
            style=self.style,
            pose=self.pose,
            faults=self.faults,
            max_turns=self.max_turns,
            fps=self.fps,
            rules=self.rules,
            conditions=self.conditions,
        )


@dataclass(slots=True)
class Result:
    """A job with what came of it.

    ``throw_delays`` and ``play_delays``: of each one that was read right, seconds of video time from
    when all lay still (:meth:`SimulatedTable.stills`) to the frame that brought the event. ``causes`` counts
    (cause, word): see :func:`causes`.
    """

    job: Job
    tally: Tally
    throw_delays: list[float]
    play_delays: list[float]
    causes: Counter[tuple[str, str]]
    of_old: bool = False  #: told from what other eyes saw than those that there are now


def play(job: Job) -> Result:
    """Paint a match, read it with no help, and hold the events against the truth."""
    cv2.setNumThreads(1)
    reader = Remembering(touching=touching_matters(job.rules))
    told = [(reader.observations[-1].t, event) for event in digitize(job.table(), reader, Tracker(job.rules))]
    keep(repr(job), reader.observations)
    return _result(job, told)


def tell(job: Job) -> Result | None:
    """The same from what was seen of a match before; ``None`` if it was not."""
    seen = kept(repr(job))
    if seen is None:
        return None
    tracker = Tracker(job.rules)
    told = [(now.t, event) for now in seen.observations for event in tracker.observe(now)]
    told += [(seen.observations[-1].t, event) for event in tracker.finish()]
    return _result(job, told, of_old=seen.eyes != eyes())


def _result(job: Job, told: Sequence[tuple[float, Event]], *, of_old: bool = False) -> Result:
    """Hold events, each with the time of the frame that brought it, against the truth."""
    camera = job.table()
    read = [event for _, event in told]
    truth = camera.truth()
    pairs = paired(truth, read)
    stills = {id(event): t for event, t in zip(truth, camera.stills(), strict=True)}
    frames: dict[tuple[object, ...], float] = {}
    for t, event in told:
        frames.setdefault(_said(event), t)

    def delays(kind: type[Event]) -> list[float]:
        return [
            frames[_said(got)] - stills[id(want)]
            for want, got in pairs
            if isinstance(want, kind) and got is not None and matches(want, got)
        ]

    return Result(job, count(pairs, read), delays(Throw), delays(PlayMade), causes(pairs, read), of_old)


def _said(event: Event) -> tuple[object, ...]:
    """What is told of an event; a throw that is told again in another way is only then told so."""
    way = (event.side, event.valid) if isinstance(event, Throw) else ()
    return type(event), event.t, *way


def causes(pairs: Iterable[Pair], read: Iterable[Event]) -> Counter[tuple[str, str]]:
    """How often each cause of an invalid throw or an illegal play came up, by (cause, word).

    The words: it ``happened``; the throw or play was ``caught``, whatever the cause said; it was ``named``;
    it was not caught, but ``doubted``; it was ``told`` of any throw or play; and that one really was ``so``.
    ``read`` is all that was read, with its doubts.
    """
    counted: Counter[tuple[str, str]] = Counter()
    spans = doubted(read)
    for want, got in pairs:
        true, said = causes_of(want), causes_of(got)
        for cause in true:
            assert want is not None
            caught = cause in said or (is_wrong(want) and is_wrong(got))
            unsure = any(low <= want.t <= high for low, high in spans)
            counted[(cause, "happened")] += 1
            counted[(cause, "caught")] += caught
            counted[(cause, "named")] += cause in said
            counted[(cause, "doubted")] += unsure and not caught
        for cause in said:
            counted[(cause, "told")] += 1
            counted[(cause, "so")] += cause in true
    return counted


def causes_of(event: object) -> tuple[str, ...]:
    """The faults of a throw, or the rule that a play breaks."""
    match event:
        case Throw():
            return event.faults
        case PlayMade(rule=str(rule)):
            return (rule,)
        case _:
            return ()


def is_wrong(event: object) -> bool:
    """Whether it is a throw that is void or a play that is illegal."""
    return (isinstance(event, Throw) and not event.valid) or (isinstance(event, PlayMade) and not event.legal)


def play_all(jobs: Sequence[Job]) -> list[Result]:
    """All jobs, a process for each core, with a line for each as it ends."""
    with processes(WORKERS) as pool:
        return [_printed(result) for result in pool.map(play, jobs)]


def tell_all(jobs: Sequence[Job]) -> list[Result]:
    """All jobs of which it is kept what was seen, told again. Raises ``NoMaterial`` if there are none."""
    with processes(WORKERS) as pool:
        results = [_printed(result) for result in pool.map(tell, jobs) if result is not None]
    if not results:
        raise NoMaterial("none of these matches was seen before")
    old = sum(result.of_old for result in results)
    click.echo(
        f"{len(results)} of {len(jobs)} matches were seen before"
        + (f", {old} of them by other eyes than those that there are now" if old else "")
    )
    return results


def _printed(result: Result) -> Result:
    """A result, once a line tells of it, and one for each miss."""
    tally = result.tally
    click.echo(
        f"{result.job.title}: "
        f"throws {tally.throws_right}/{tally.throws}, plays {tally.plays_right}/{tally.plays}, "
        f"false {tally.false_events}, doubts {tally.doubts}, desyncs {tally.desyncs}"
    )
    for miss in tally.misses:
        click.echo(f"    {miss}")
    return result


def jobs(quick: bool) -> list[Job]:
    """Twenty seeds of each game, one invalid throw and one illegal play in each match.

    Boards go round in fives and cameras in threes, so that every board comes under every camera.
    """
    made = []
    styles, throws = list(STYLES), THROW_FAULTS
    for game in Game:
        plays = PLAY_FAULTS[game]
        for n in range(2 if quick else SEEDS):
            pose = POSES[(n + (game is Game.LONG_NARDY)) % len(POSES)]
            faults = (throws[n % len(throws)], plays[n % len(plays)])
            made.append(Job(game, n + 1, styles[n % len(styles)], pose, faults, 6 if quick else None))
    return made


def simulated(quick: bool) -> dict[str, Tally]:
    """Every throw and play of whole games: found, made up, doubted, and how soon it was told."""
    return report(play_all(jobs(quick)))


def report(results: Sequence[Result]) -> dict[str, Tally]:
    """Print the tables of these matches; counts by game, board, camera and of all."""
    totals: dict[str, Tally] = {}
    figures = (
        "throws",
        "taken back first",
        "plays",
        "game ends",
        "false events",
        "illegal as legal",
        "desyncs",
    )
    head = ("", "games", *figures, "doubts", "... a game", "... at most")
    keys: tuple[tuple[str, Callable[[Job], str]], ...] = (
        ("game", lambda job: job.game.value),
        ("board", lambda job: job.style),
        ("camera", lambda job: job.pose),
        ("all", lambda job: "all"),
    )
    rows = []
    for by, key in keys:
        for name in dict.fromkeys(key(r.job) for r in results):
            mine = [r.tally for r in results if key(r.job) == name]
            total = Tally()
            for tally in mine:
                total.add(tally)
            totals[name if by == "all" else f"{by} {name}"] = total
            rows.append((name, *_figures(total), max(tally.doubts for tally in mine)))
    click.echo("\n" + table(head, rows) + "\n")
    rows = [
        (name, len(seconds), *(f"{np.percentile(seconds, p):.2f}" for p in (50, 95, 100)))
        for name, seconds in (
            ("throws", [t for r in results for t in r.throw_delays]),
            ("plays", [t for r in results for t in r.play_delays]),
        )
        if seconds
    ]
    click.echo(table(("seconds from still to told", "number", "median", "95th percentile", "most"), rows))
    return totals


def _figures(total: Tally) -> tuple[object, ...]:
    return (
        total.games,
        share(total.throws_right, total.throws),
        total.taken_back,
        share(total.plays_right, total.plays),
        share(total.ends_right, total.ends),
        total.false_events,
        f"{total.illegal_as_legal} of {total.illegal}",
        total.desyncs,
        total.doubts,
        f"{total.doubts / total.games:.2f}",
    )
