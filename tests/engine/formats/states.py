"""Random positions and match states of backgammon, and GNU Backgammon to compare with."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from engine.formats.state import MatchState, Offer
from engine.position import CHECKERS, Game, Position, Side, index_of

GNUBG = shutil.which("gnubg", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")


def random_position(rng: random.Random) -> Position:
    """Fifteen checkers a side, anywhere that backgammon allows."""
    points, bar, off = [0] * 24, [0, 0], [0, 0]
    for side in Side:
        left = CHECKERS
        for _ in range(rng.randint(0, 9)):
            count, place = rng.randint(0, left), rng.randint(0, 25)
            index = index_of(Game.BACKGAMMON, side, min(max(1, place), 24))
            if place == 25:
                bar[side.index] += count
            elif place == 0 or points[index] * side.sign < 0:
                continue
            else:
                points[index] += count * side.sign
            left -= count
        off[side.index] = left
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


def random_state(rng: random.Random, most_points: int = 32767) -> MatchState:
    """A state that XGID can hold: nothing resigned and the game not over."""
    length = rng.choice((0, 1, 7, 25, most_points))
    offer: Offer = rng.choice(("", "", "double", "beaver", "raccoon"))
    on_roll, cube = rng.choice(tuple(Side)), 1 << rng.randint(0, 10)
    owner = on_roll if offer else rng.choice((None, *Side))
    return MatchState(
        position=random_position(rng),
        on_roll=on_roll,
        dice=None if offer or rng.random() < 0.3 else (rng.randint(1, 6), rng.randint(1, 6)),
        cube=cube,
        owner=owner if cube > 1 else None,
        offer=offer,
        score=(rng.randint(0, max(0, length - 1)), rng.randint(0, max(0, length - 1))),
        length=length,
        crawford=length > 0 and rng.random() < 0.3,
        jacoby=not length and rng.random() < 0.5,
        beavers=not length and rng.random() < 0.5,
        max_cube=1 << rng.randint(0, 12),
    )


def states() -> st.SearchStrategy[MatchState]:
    """:func:`random_state` for hypothesis."""
    return st.randoms(use_true_random=False).map(random_state)


@contextmanager
def gnubg_player(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """GNU Backgammon as a player: a board line in, its play out. Skips if it is not installed."""
    if GNUBG is None:
        pytest.skip("gnubg is not installed")
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    commands = tmp_path / "commands"
    commands.write_text(f"external localhost:{port}\n")
    environment = {**os.environ, "HOME": str(tmp_path)}
    command = [GNUBG, "-t", "-q", "-r", "-c", str(commands)]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdin=nothing, stdout=nothing, stderr=nothing) as process:
        try:
            with _connected(port) as connection, connection.makefile("rw") as lines:

                def play(board: str) -> str:
                    lines.write(board + "\n")
                    lines.flush()
                    return lines.readline().strip()

                yield play
        finally:
            process.kill()


def _connected(port: int) -> socket.socket:
    until = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection(("localhost", port), timeout=20)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def in_gnubg(tmp_path: Path, body: str, data: Any) -> Any:
    """What ``body``, Python with ``data``, leaves in ``out`` inside gnubg; skips if there is none."""
    if GNUBG is None:
        pytest.skip("gnubg is not installed")
    script, given, result = tmp_path / "script.py", tmp_path / "given.json", tmp_path / "result.json"
    given.write_text(json.dumps(data))
    quiet = (
        "automatic game off",
        "automatic roll off",
        "automatic move off",
        "player 0 human",
        "player 1 human",
    )
    lines = ["import json, gnubg", f"data = json.load(open({str(given)!r}))", "out = []"]
    lines += [f"gnubg.command('set {command}')" for command in (*quiet, "display off", "confirm new off")]
    lines += [body, f"json.dump(out, open({str(result)!r}, 'w'))"]
    script.write_text("\n".join(lines) + "\n")
    environment = {**os.environ, "HOME": str(tmp_path)}
    command = [GNUBG, "-t", "-q", "-r", "-p", str(script)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=60, check=False
    )
    assert result.exists(), (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return json.loads(result.read_text())
