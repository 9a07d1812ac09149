"""Invalid throws and illegal plays of every kind on the simulated table: which are caught, and as what.

Half of the matches are played by the usual rules of their game, half by rules under which dice come from
a cup, stay in the half to the thrower's right and touch no checker, since only these make some throws
invalid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import click

from bench.compare import Tally
from bench.simulated import Job, Result, causes_of, play_all
from bench.tables import share, table
from engine.position import Game
from engine.rules import RuleSet, default_rules
from engine.throws import FAULTS
from hardware.table import MANNER_FAULTS, PLAY_FAULTS, STYLES, THROW_FAULTS
from hardware.table.landing import possible
from hardware.table.scene import POSES

WANTED = 200  #: invalid throws, and illegal plays, at least
EACH = 8  #: of either in a match, at most
FIRST_SEED = 51
FALSE_ALARMS = 500  #: legal turns for each, at least


@dataclass(frozen=True, slots=True)
class Faults:
    """Counts of all matches, and by cause: see :func:`bench.simulated.causes`."""

    total: Tally
    causes: dict[str, dict[str, int]]


def faults(quick: bool) -> Faults:
    """Recall and precision by cause, and false alarms on what was sound."""
    return report(play_all(usual(quick)))


def usual(quick: bool) -> list[Job]:
    """The matches of this part, or a few short ones."""
    return jobs(2, turns=14) if quick else jobs(WANTED)


def report(results: Sequence[Result]) -> Faults:
    """Print the tables of these matches; counts of all, and by cause."""
    counted: Counter[tuple[str, str]] = Counter()
    total = Tally()
    for result in results:
        counted += result.causes
        total.add(result.tally)
    words = ("happened", "caught", "named", "told", "so", "doubted")
    names = sorted({cause for cause, _ in counted}, key=lambda cause: (cause not in FAULTS, cause))
    by_cause = {name: {word: counted[(name, word)] for word in words} for name in names}
    _tell("cause of an invalid throw", {name: by_cause[name] for name in names if name in FAULTS})
    _tell("rule that an illegal play breaks", {name: by_cause[name] for name in names if name not in FAULTS})
    legal = total.plays - total.illegal
    met = "met" if total.false_alarms * FALSE_ALARMS <= legal else "not met"
    click.echo(
        f"false alarms: {total.false_alarms} in {legal} legal turns (at most 1 in {FALSE_ALARMS}: {met})"
    )
    return Faults(total, by_cause)


def _tell(title: str, by_cause: dict[str, dict[str, int]]) -> None:
    """The table of the causes of one kind, with a line for all of them."""
    everything: Counter[str] = Counter()
    for counts in by_cause.values():
        everything.update(counts)
    rows = [
        (
            name,
            counts["happened"],
            share(counts["caught"], counts["happened"]),
            share(counts["named"], counts["happened"]),
            share(counts["so"], counts["told"]),
            counts["doubted"],
        )
        for name, counts in (*by_cause.items(), ("all", everything))
    ]
    head = (title, "number", "caught", "cause named (recall)", "precision", "not caught, but a doubt raised")
    click.echo("\n" + table(head, rows) + "\n")


def jobs(wanted: int, turns: int | None = None) -> list[Job]:
    """Matches, of both games in turn, until ``wanted`` invalid throws and illegal plays were committed.

    What was committed least so far comes next, as some plays have to wait for their chance, and for some
    it does not come.
    """
    made: list[Job] = []
    done: Counter[str] = Counter()
    throws = plays = 0
    while throws < wanted or plays < wanted:
        n = len(made)
        game = list(Game)[n % 2]
        rules = _strict(game) if n // 2 % 2 else default_rules(game)
        ways = [kind for kind in (*THROW_FAULTS, *MANNER_FAULTS) if possible(kind, rules)]
        kinds = (*_rarest(ways, done, throws < wanted), *_rarest(PLAY_FAULTS[game], done, plays < wanted))
        job = Job(
            game,
            FIRST_SEED + n,
            list(STYLES)[n % len(STYLES)],
            POSES[n % len(POSES)],
            kinds,
            turns,
            rules=rules,
        )
        made.append(job)
        found = [cause for event in job.table().truth() for cause in causes_of(event)]
        done.update(found)
        throws += sum(cause in FAULTS for cause in found)
        plays += sum(cause not in FAULTS for cause in found)
        # These are told as one_die, wrong_side and on_checker.
        done.update({kind: 1 for kind in kinds if kind in ("one_by_one", "double_turn", "touching")})
    return made


def _strict(game: Game) -> RuleSet:
    usual = default_rules(game)
    return replace(
        usual,
        name=f"{usual.name}.strict",
        dice_from="cup_required",
        throw_half="right_half",
        die_touching_checker="invalid",
    )


def _rarest(kinds: Iterable[str], done: Counter[str], more: bool) -> list[str]:
    """The kinds that were committed least, ``EACH`` at most; none if there need be no ``more``."""
    return sorted(kinds, key=lambda kind: done[kind])[:EACH] if more else []
