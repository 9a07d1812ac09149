"""Match files that Zarbiter writes, read by GNU Backgammon in a process of its own and written again by it.

``python -m bench gnubg``: matches played at random with the cube, as .mat and as .sgf. GNU Backgammon
must take each without a word of complaint, and what it writes in turn must be the same match: the same
rolls, the same positions after every play, the same cube, the same score before every game and at the
end. A second set has illegal plays that stand, of which no program can keep more than the positions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from bench.matches import positions, random_match
from bench.measure import NoMaterial
from bench.tables import table
from engine.formats import decode
from engine.formats.mat import read_mat, write_mat
from engine.formats.sgf import read_sgf, write_sgf
from engine.record import GameRecord, Record

MATCHES, QUICK_MATCHES = 50, 4
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 0)  #: 0 is unlimited play
ILLEGAL = 0.05  #: the share of illegal plays in the second set

#: What GNU Backgammon says when it is content: its greeting, its answers to settings, the board.
_CONTENT = re.compile(
    r"GNU Backgammon |Copyright|This (program|is free)|"
    r"Will |Moves for|Forced moves|No game in progress| |[v^]?\||$"
)
#: Lines that it prints for every file, behind which nothing is wrong.
_SETTINGS = (
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set player 0 human",
    "set player 1 human",
    "set display off",
    "set confirm new off",
    "set confirm save off",
    "set jacoby off",
)


@dataclass(slots=True)
class Outcome:
    """Counts of one set of files; ``wrong``: what differed, or what GNU Backgammon said."""

    form: str
    matches: int = 0
    games: int = 0
    plays: int = 0
    silent: int = 0
    same: int = 0
    wrong: tuple[str, ...] = ()


def find_gnubg() -> str | None:
    """The program, which Debian puts where not every user's path leads."""
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


def through_gnubg(path: Path, *, as_mat: bool = True) -> tuple[str, list[Record]]:
    """Let it read a file and write the match as .sgf, and ``as_mat`` too.

    Returns what it had to complain of, and the match as each of its files has it. Raises ``NoMaterial``
    if it is not installed.
    """
    program = find_gnubg()
    if program is None:
        raise NoMaterial("not measured: gnubg is not installed on this machine")
    load = "import mat" if path.suffix == ".mat" else "load match"
    backs = {path.with_name(f"{path.name}.back.sgf"): "save match"}
    if as_mat:
        backs[path.with_name(f"{path.name}.back.mat")] = "export match mat"
    orders = [*_SETTINGS, f"{load} {path}", *(f"{order} {back}" for back, order in backs.items())]
    commands = path.with_name(f"{path.name}.commands")
    commands.write_text("\n".join(orders) + "\n")
    run = subprocess.run(
        [program, "-t", "-q", "-r", "-c", str(commands)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = [line for line in (run.stdout + run.stderr).splitlines() if not _CONTENT.match(line)]
    missing = [back.name for back in backs if not back.exists()]
    if missing:
        raise RuntimeError(f"gnubg did not write {', '.join(missing)}: {' '.join(said)}")
    read = {".mat": read_mat, ".sgf": read_sgf}
    return "\n".join(said), [read[back.suffix](decode(back.read_bytes())) for back in backs]


def _story(game: GameRecord) -> tuple[object, ...]:
    """What must be the same of a game whoever wrote it down."""
    doings = [(turn.side, turn.action, turn.dice and tuple(sorted(turn.dice))) for turn in game.turns]
    return (game.score, game.winner, game.points, doings, list(positions(game)))


def differences(record: Record, back: Record) -> list[str]:
    """In which games two records of a match differ, and in what."""
    names = ("the score before it", "the winner", "the points", "rolls and cube", "the positions")
    found = [
        f"game {number}: {name}"
        for number, (one, other) in enumerate(zip(record.games, back.games, strict=False), 1)
        for name, a, b in zip(names, _story(one), _story(other), strict=True)
        if a != b
    ]
    if len(record.games) != len(back.games):
        found.append(f"{len(record.games)} games became {len(back.games)}")
    if (record.players, record.length) != (back.players, back.length):
        found.append("the players or the length")
    return found


def exchange(count: int, illegal: float = 0.0) -> list[Outcome]:
    """Write ``count`` random matches in both forms and compare what comes back of them."""
    outcomes = [Outcome(".mat"), Outcome(".sgf")]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(count):
            record = random_match(seed, LENGTHS[seed % len(LENGTHS)], illegal=illegal)
            for outcome, text in zip(outcomes, (write_mat(record), write_sgf(record)), strict=True):
                path = Path(folder) / f"match{seed}{outcome.form}"
                path.write_text(text, encoding="utf-8")
                # Match text as it writes it cannot hold illegal plays that were read from match text.
                said, backs = through_gnubg(path, as_mat=not illegal)
                wrong = [difference for back in backs for difference in differences(record, back)]
                outcome.matches += 1
                outcome.games += len(record.games)
                outcome.plays += sum(len(positions(game)) for game in record.games)
                outcome.silent += not said
                outcome.same += not wrong
                outcome.wrong += tuple(
                    f"match {seed} as {outcome.form}: {text}" for text in (*wrong, said) if text
                )
    return outcomes


def files(quick: bool) -> dict[str, list[Outcome]]:
    """Matches through GNU Backgammon and back."""
    if find_gnubg() is None:
        raise NoMaterial("not measured: gnubg is not installed on this machine")
    count = QUICK_MATCHES if quick else MATCHES
    result = {"legal": exchange(count), f"{ILLEGAL:.0%} illegal": exchange(count, ILLEGAL)}
    head = (
        "plays",
        "written as",
        "matches",
        "games",
        "plays",
        "read without complaint",
        "came back the same",
    )
    rows = [
        (name, o.form, o.matches, o.games, o.plays, f"{o.silent}/{o.matches}", f"{o.same}/{o.matches}")
        for name, outcomes in result.items()
        for o in outcomes
    ]
    click.echo(table(head, rows))
    for outcome in (o for outcomes in result.values() for o in outcomes):
        for wrong in outcome.wrong[:20]:
            click.echo(f"\n    {wrong}", err=True)
    return result
