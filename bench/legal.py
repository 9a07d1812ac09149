"""Legal plays: how fast they are found, and whether other engines find the same ones.

Speed is taken over the lines of the corpus, all engines on one line before the next, each the best of a
few tries, without the cache of ``legal_plays``. Other engines work in processes of their own.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from statistics import median

import click

from bench.gnubg import find_gnubg
from bench.measure import NoMaterial, material
from bench.plain import legal_positions
from bench.tables import table
from engine.events import Dice
from engine.legal import legal_plays, view_of, ways
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import default_rules

TRIES = 5  #: of which the best counts
SLOW = 60  #: results from which on one try must do
FRESH = 2000  #: positions and rolls for the other engines, besides the corpus
FILES = {Game.BACKGAMMON: "backgammon_moves.jsonl", Game.LONG_NARDY: "long_nardy_moves.jsonl"}

Turn = tuple[Position, Side, Dice]
Board = tuple[int, ...]  #: the mover's points: the enemy's bar, points 1 to 24, his own bar; enemies negative

#: Answers each line [board, dice, tries] with [boards, best time in microseconds].
_BGSAGE = """
import json, sys, time
from bgsage import possible_moves
print("ready", flush=True)
for line in sys.stdin:
    board, dice, tries = json.loads(line)
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        boards = possible_moves(board, *dice)
        times.append(time.perf_counter() - start)
    print(json.dumps([boards, min(times) * 1e6]), flush=True)
"""

#: Run by GNU Backgammon's own Python: answers each line [board, dice] with the plays as it writes them.
_GNUBG = """
import json, gnubg
for setting in ("automatic game off", "automatic roll off", "automatic move off", "player 0 human",
                "player 1 human", "display off", "evaluation chequerplay evaluation plies 0"):
    gnubg.command("set " + setting)
gnubg.command("new session")
with open(QUESTIONS) as questions, open(ANSWERS, "w") as answers:
    for line in questions:
        board, dice = json.loads(line)
        gnubg.command("set turn 1")
        gnubg.command("set board simple %d %s %d" % (board[25], " ".join(map(str, board[1:25])), board[0]))
        gnubg.command("set turn 1")
        gnubg.command("set dice %d %d" % tuple(dice))
        hint = gnubg.hint(3000)
        answers.write(json.dumps([play["move"] for play in hint["hint"]] if hint else []) + "\\n")
"""


@dataclass(frozen=True, slots=True)
class Speed:
    """Medians over a corpus, in microseconds a roll; the ratios are medians of each line's own."""

    game: str
    lines: int
    ours: float
    ways: float
    plain: float
    faster: float  #: times faster than the plain generator
    bgsage: float | None  #: none in long nardy or without bgsage
    slower: float | None  #: times slower than bgsage


@dataclass(slots=True)
class Compared:
    """How many turns were compared with another engine, and on how many it differs.

    ``known``: the one difference that is known, where the last checker goes off with one
    die although both could be played.
    """

    engine: str
    turns: int
    known: int
    different: list[str]


def legal(quick: bool) -> dict[str, list[object]]:
    """Speed in both games, and the plays of backgammon against bgsage and GNU Backgammon."""
    speeds: list[object] = [speed(game, quick) for game in Game]
    compared: list[object] = []
    for other in (with_bgsage, with_gnubg):
        try:
            compared.append(other(FRESH // 10 if quick else FRESH))
        except NoMaterial as missing:
            click.echo(missing)
    return {"speed": speeds, "compared": compared}


def speed(game: Game, quick: bool) -> Speed:
    """How long a roll of the corpus takes. Raises ``NoMaterial``."""
    lines = material("corpus", FILES[game]).read_text().splitlines()[:: 20 if quick else 1]
    rules, rows = default_rules(game), []
    with _bgsage() if game is Game.BACKGAMMON else nullcontext(None) as ask:
        for line in lines:
            case = json.loads(line)
            position = Position(tuple(case["board"]), tuple(case["bar"]), tuple(case["off"]))
            turn = position, Side(case["turn"]), (case["dice"][0], case["dice"][1])
            tries = 1 if len(case["after"]) > SLOW else TRIES
            searches: tuple[Callable[[], object], ...] = (
                partial(legal_plays.__wrapped__, *turn, rules),  # past its cache
                partial(ways, *turn, rules),
                partial(legal_positions, *turn, game),
            )
            row = [min(_microseconds(search) for _ in range(tries)) for search in searches]
            rows.append((*row, ask(turn, tries)[1] if ask else nan))
    ours, all_ways, plain, bgsage = (median(column) for column in zip(*rows, strict=True))
    found = Speed(
        game=game.value,
        lines=len(rows),
        ours=ours,
        ways=all_ways,
        plain=plain,
        faster=median(row[2] / row[0] for row in rows),
        bgsage=bgsage if ask else None,
        slower=median(row[0] / row[3] for row in rows) if ask else None,
    )
    head = (f"{game.value}, {len(rows)} rolls of the corpus", "median")
    cells: list[tuple[str, str]] = [
        ("legal plays", f"{ours:.0f} µs"),
        ("with every way to each", f"{all_ways:.0f} µs"),
        ("plain recursive generator", f"{plain:.0f} µs"),
        ("times faster than that: of the medians, a roll", f"{plain / ours:.1f}, {found.faster:.1f}"),
    ]
    if ask:
        cells += [
            ("bgsage possible_moves", f"{bgsage:.1f} µs"),
            ("times slower than that: of the medians, a roll", f"{ours / bgsage:.1f}, {found.slower:.1f}"),
        ]
    elif game is Game.BACKGAMMON:
        click.echo("not measured against bgsage, which is not installed (pip install bgsage)")
    click.echo(table(head, cells) + "\n")
    return found


def _microseconds(search: Callable[[], object]) -> float:
    start = time.perf_counter()
    search()
    return (time.perf_counter() - start) * 1e6


def compare(engine: str, turns: Sequence[Turn], found: Iterable[set[Position]]) -> Compared:
    """Our results of these turns with those that another engine found."""
    result = Compared(engine, len(turns), 0, [])
    for turn, theirs in zip(turns, found, strict=True):
        position, side, dice = turn
        ours = {play.after for play in legal_plays(*turn, default_rules(Game.BACKGAMMON))}
        if ours == theirs:
            continue
        last = position.off[side.index] == CHECKERS - 1
        if last and all(after.off[side.index] == CHECKERS for after in theirs - ours):
            result.known += 1
        else:
            result.different.append(f"{side.value} {dice} {position}")
    click.echo(
        f"{engine}: {result.turns} turns, {len(result.different)} different, "
        f"{result.known} more of the one kind that is known"
    )
    for different in result.different:
        click.echo(f"  {different}")
    return result


def with_bgsage(count: int) -> Compared:
    """Fresh turns against bgsage. Raises ``NoMaterial`` if it is not installed."""
    turns = list(fresh(count, seed=1))
    with _bgsage() as ask:
        if not ask:
            raise NoMaterial("not compared with bgsage, which is not installed (pip install bgsage)")
        return compare("bgsage", turns, [ask(turn, 1)[0] for turn in turns])


def with_gnubg(count: int) -> Compared:
    """Fresh turns against GNU Backgammon. Raises ``NoMaterial`` if it is not installed."""
    program = find_gnubg()
    if program is None:
        raise NoMaterial("not compared with GNU Backgammon, which is not installed (apt install gnubg)")
    turns = list(fresh(count, seed=2))
    with tempfile.TemporaryDirectory() as folder:
        script, questions, answers = (Path(folder, name) for name in ("ask.py", "questions", "answers"))
        questions.write_text("".join(f"{json.dumps([_board(turn), turn[2]])}\n" for turn in turns))
        names = f"QUESTIONS, ANSWERS = {str(questions)!r}, {str(answers)!r}\n"
        script.write_text(names + _GNUBG)
        subprocess.run(
            [program, "-t", "-q", "-r", "-p", str(script)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=600,
            check=True,
        )
        plays = [json.loads(line) for line in answers.read_text().splitlines()]
    found = [
        {_position(_written(_board(turn), text), turn) for text in texts} or {turn[0]}
        for turn, texts in zip(turns, plays, strict=True)
    ]
    return compare("GNU Backgammon", turns, found)


def fresh(count: int, seed: int) -> Iterator[Turn]:
    """Turns that no corpus holds: of games played at random, of any position, and last checkers."""
    rng, rules = random.Random(seed), default_rules(Game.BACKGAMMON)
    position, side = Position.start(Game.BACKGAMMON), Side.WHITE
    for n in range(count):
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        if n % 2:
            yield _scattered(rng), rng.choice(list(Side)), dice
            continue
        if n % 50 == 0:
            yield _last_checker(rng), Side.WHITE, dice
            continue
        for _ in range(rng.randint(1, 5)):
            if CHECKERS in position.off:
                position = Position.start(Game.BACKGAMMON)
            roll = (rng.randint(1, 6), rng.randint(1, 6))
            position, side = rng.choice(legal_plays(position, side, roll, rules)).after, side.other
        if CHECKERS in position.off:
            position = Position.start(Game.BACKGAMMON)
        yield position, side, dice


def _scattered(rng: random.Random) -> Position:
    """Any position in which nobody has won; White's home ahead of him and Black's ahead of Black, often."""
    points, counts = [0] * 24, {}
    for side in Side:
        homeward = rng.random() < 0.4
        places = [p for p in range(1, 7 if homeward else 25) if not points[_index(side, p)]]
        few = rng.sample(places, min(len(places), rng.randint(1, 7)))
        few += [OFF] * rng.randint(0, 2) + [BAR] * (rng.random() < 0.3)
        count = Counter([rng.choice([p for p in few if p != OFF]), *rng.choices(few, k=CHECKERS - 1)])
        counts[side] = count
        for point in range(1, 25):
            points[_index(side, point)] += side.sign * count[point]
    white, black = counts[Side.WHITE], counts[Side.BLACK]
    return Position(tuple(points), (white[BAR], black[BAR]), (white[OFF], black[OFF]))


def _last_checker(rng: random.Random) -> Position:
    """White has one checker left, and Black a blot in front of it."""
    points = [0] * 24
    points[rng.randint(2, 5)] = 1
    points[rng.randint(0, 1)] = -1
    points[rng.randint(6, 23)] = 1 - CHECKERS
    return Position(tuple(points), off=(CHECKERS - 1, 0))


def _index(side: Side, point: int) -> int:
    return index_of(Game.BACKGAMMON, side, point)


def _board(turn: Turn) -> Board:
    view = view_of(turn[0], Game.BACKGAMMON, turn[1])
    points = (view.own[point] - view.enemy[point] for point in range(1, 25))
    return (view.enemy[BAR], *points, view.own[BAR])


def _position(board: Sequence[int], turn: Turn) -> Position:
    """A board as a position; what is missing has been borne off."""
    side = turn[1]
    points = [0] * 24
    for point in range(1, 25):
        points[_index(side, point)] = side.sign * board[point]
    bar = (board[BAR], board[0])
    on_points = (sum(max(sign * n, 0) for n in board[1:25]) for sign in (1, -1))
    off = tuple(CHECKERS - n - waiting for n, waiting in zip(on_points, bar, strict=True))
    if side is Side.BLACK:
        bar, off = bar[::-1], off[::-1]
    return Position(tuple(points), bar, (off[0], off[1]))


def _written(board: Board, text: str) -> list[int]:
    """The board after a play as GNU Backgammon writes it: ``bar/22* 6/4(2)``."""
    after = list(board)
    for part in text.split():
        chain, times = re.fullmatch(r"([^(]+)(?:\((\d)\))?", part).groups(default="1")  # type: ignore[union-attr]
        first, *stops = chain.split("/")
        for _ in range(int(times)):
            after[BAR if first == "bar" else int(first)] -= 1
            for stop in stops:
                if stop.endswith("*") and after[int(stop[:-1])] == -1:
                    after[int(stop[:-1])] = 0
                    after[0] += 1
            if stops[-1] != "off":
                after[int(stops[-1].rstrip("*"))] += 1
    return after


@contextmanager
def _bgsage() -> Iterator[Callable[[Turn, int], tuple[set[Position], float]] | None]:
    """Something that asks bgsage for results and its best time, in a process of its own; None without it."""
    with subprocess.Popen(
        [sys.executable, "-c", _BGSAGE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to_it, from_it = process.stdin, process.stdout

        def ask(turn: Turn, tries: int) -> tuple[set[Position], float]:
            print(json.dumps([_board(turn), turn[2], tries]), file=to_it, flush=True)
            boards, best = json.loads(from_it.readline())
            return {_position(board, turn) for board in boards} or {turn[0]}, best

        yield ask if from_it.readline() == "ready\n" else None
        to_it.close()
