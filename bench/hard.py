"""The whole chain on the simulated table under hard conditions, each of them on five games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click

from bench.compare import Tally
from bench.simulated import Job, Result, play_all
from bench.tables import share, table
from engine.position import Game
from hardware.table import CONDITIONS, STYLES
from hardware.table.scene import POSES

TURNS, HEAD_TURNS = 24, 12  #: of a game; of one whose heads of fifteen are what is hard
SEEDS = range(31, 36)
GAMES = (Game.BACKGAMMON, Game.LONG_NARDY, Game.BACKGAMMON, Game.LONG_NARDY, Game.BACKGAMMON)
SLOW = "five frames a second"
HEADS = "heads of fifteen (nardy)"


@dataclass(frozen=True, slots=True)
class Row:
    """What came of the games under one condition."""

    condition: str
    tally: Tally

    @property
    def sound(self) -> int:
        """Throws and plays that were read right, or about which a doubt was raised."""
        return max(0, self.tally.throws + self.tally.plays - self.tally.wrong_undoubted)


def hard(quick: bool) -> list[Row]:
    """Throws and plays right, doubts and desyncs by condition; no condition, for comparison, comes first."""
    return report(play_all(list(games(quick))), quick)


def games(quick: bool) -> dict[Job, str]:
    """All games, each with what its condition is called."""
    return {job: name for name in ("none", SLOW, HEADS, *CONDITIONS) for job in jobs(name, quick)}


def report(results: Sequence[Result], quick: bool) -> list[Row]:
    """Print the table of these games; a row for each condition."""
    names = games(quick)
    totals: dict[str, Tally] = {}
    for result in results:
        totals.setdefault(names[result.job], Tally()).add(result.tally)
    rows = [Row(name, total) for name, total in totals.items()]
    head = ("condition", "throws right", "plays right", "doubts", "desyncs")
    click.echo(
        "\n"
        + table(
            (*head, "wrong without a doubt raised", "right or doubted"),
            (
                (
                    row.condition,
                    share(row.tally.throws_right, row.tally.throws),
                    share(row.tally.plays_right, row.tally.plays),
                    row.tally.doubts,
                    row.tally.desyncs,
                    row.tally.wrong_undoubted,
                    share(row.sound, row.tally.throws + row.tally.plays),
                )
                for row in rows
            ),
        )
    )
    return rows


def jobs(name: str, quick: bool) -> list[Job]:
    """Five games under a condition; boards and cameras differ from game to game and go on round."""
    turn = list(CONDITIONS).index(name) if name in CONDITIONS else 0
    made = []
    for n, (seed, game) in enumerate(zip(SEEDS, GAMES, strict=True)):
        made.append(
            Job(
                Game.LONG_NARDY if name == HEADS else game,
                seed,
                list(STYLES)[(n + turn) % len(STYLES)],
                POSES[(n + turn) % len(POSES)],
                max_turns=6 if quick else HEAD_TURNS if name == HEADS else TURNS,
                fps=5.0 if name == SLOW else 10.0,
                conditions=(name,) if name in CONDITIONS else (),
            )
        )
    return made[:1] if quick else made
