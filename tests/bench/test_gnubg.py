"""One match through GNU Backgammon and back; ``python -m bench gnubg`` has a hundred."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.gnubg import differences, exchange, find_gnubg, through_gnubg
from bench.matches import random_match
from engine.formats.convert import record_of
from engine.formats.mat import write_mat
from engine.formats.sgf import write_sgf
from engine.position import Game
from engine.record import Record
from tests.engine.playing import random_game

needs_gnubg = pytest.mark.skipif(find_gnubg() is None, reason="gnubg is not installed")


@needs_gnubg
@pytest.mark.parametrize("illegal", [0.0, 0.05])
def test_gnubg_reads_what_is_written_and_writes_the_same(illegal: float) -> None:
    for outcome in exchange(1, illegal):
        assert (outcome.silent, outcome.same, outcome.wrong) == (1, 1, ())


@needs_gnubg
@pytest.mark.parametrize("write", [write_mat, write_sgf])
def test_gnubg_reads_odd_names_a_set_position_and_a_dropped_beaver(write: object, tmp_path: Path) -> None:
    money = next(
        match
        for match in (random_match(seed, 0, cube=0.4) for seed in range(1000))
        if any(
            a.action == "beaver" and b.action == "drop"
            for game in match.games[:2]
            for a, b in zip(game.turns, game.turns[1:], strict=False)
        )
    )
    record = replace(money, players=("Ana : Lucía 1", "Game 2, 1700"))
    path = tmp_path / ("match.mat" if write is write_mat else "match.sgf")
    path.write_text(write_mat(record) if write is write_mat else write_sgf(record), encoding="utf-8")
    said, backs = through_gnubg(path)
    assert said == ""
    assert [_games(back) for back in backs] == [_games(record)] * 2


def _games(record: Record) -> list[object]:
    return [(game.score, game.winner, game.points, game.result) for game in record.games]


@needs_gnubg
def test_gnubg_reads_a_match_made_of_events(tmp_path: Path) -> None:
    events = [event for seed in (3, 4, 5) for event in random_game(Game.BACKGAMMON, seed)]
    record = record_of(events, ("Anna", "Boris"), 25)
    path = tmp_path / "match.mat"
    path.write_text(write_mat(record))
    said, backs = through_gnubg(path)
    assert said == ""
    assert [differences(record, back) for back in backs] == [[], []]


@needs_gnubg
def test_a_file_that_gnubg_does_not_like_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    left = "  1) 31: 8/5 6/5 "
    path.write_text(f" 3 point match\n\n Game 1\n Anna : 0   Boris : 0\n{left:<33}52: 24/12 13/8\n")
    said, _ = through_gnubg(path)
    assert "Invalid move" in said


def test_differences_are_told_by_game() -> None:
    record = random_match(3, 3)
    first = record.games[0]
    assert differences(record, record) == []
    assert differences(record, replace(record, games=(replace(first, points=9), *record.games[1:]))) == [
        "game 1: the points"
    ]
    assert differences(record, replace(record, games=record.games[:1])) == [
        f"{len(record.games)} games became 1"
    ]
    shorter = replace(first, turns=first.turns[1:])
    assert differences(record, replace(record, games=(shorter, *record.games[1:]))) == [
        "game 1: rolls and cube",
        "game 1: the positions",
    ]
