from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.legal import illegal_walls, legal_plays, view_of
from engine.notation import Move, notation
from engine.position import Game, Position, Side
from engine.rules import default_rules
from tests.shared import DATA, shared

FILES = {Game.BACKGAMMON: "backgammon_moves.jsonl", Game.LONG_NARDY: "long_nardy_moves.jsonl"}


def differing(path: Path, game: Game) -> list[str]:
    """Ids of the lines whose set of results is not exactly ours."""
    rules, bad = default_rules(game), []
    for line in path.read_text().splitlines():
        case = json.loads(line)
        dice = (case["dice"][0], case["dice"][1])
        plays = legal_plays(
            Position.from_json(case | {"points": case["board"]}), Side(case["turn"]), dice, rules
        )
        ours = sorted([list(p.after.points), list(p.after.bar), list(p.after.off)] for p in plays)
        if ours != case["after"]:
            bad.append(case["id"])
    return bad


@pytest.mark.parametrize("game", list(Game))
def test_the_sample_of_the_corpus(game: Game) -> None:
    assert differing(DATA / FILES[game], game) == []


@pytest.mark.parametrize("game", list(Game))
def test_the_whole_corpus(game: Game) -> None:
    assert differing(shared("corpus", FILES[game]), game) == []


@given(st.integers(0, 10**6), st.sampled_from(Game))
@settings(max_examples=15, deadline=None)
def test_every_play_leads_where_its_moves_say(seed: int, game: Game) -> None:
    """Random games: moves replayed one by one on the mover's view give the position claimed."""
    rng, rules = random.Random(seed), default_rules(game)
    position, side = Position.start(game), Side.WHITE
    for _ in range(30):
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        plays = legal_plays(position, side, dice, rules)
        assert len({play.after for play in plays}) == len(plays)
        play = rng.choice(plays)
        own = list(view_of(position, game, side).own)
        for move in play.moves:
            own[move.from_point] -= 1
            own[move.to_point] += 1
        assert tuple(own) == view_of(play.after, game, side).own
        assert [play.after.checkers(s) for s in Side] == [15, 15]
        position, side = play.after, side.other


def test_nothing_to_play_is_one_play_without_moves() -> None:
    closed = Position((*[0] * 18, *[-2] * 6), bar=(1, 0), off=(14, 3))
    (play,) = legal_plays(closed, Side.WHITE, (3, 1), default_rules(Game.BACKGAMMON))
    assert play.moves == ()
    assert play.after == closed
    assert play.notation == "no play"


@pytest.mark.parametrize(("double", "leaving"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 1), (6, 2)])
def test_two_leave_the_head_on_three_first_doubles(double: int, leaving: int) -> None:
    start = Position.start(Game.LONG_NARDY)
    plays = legal_plays(start, Side.WHITE, (double, double), default_rules(Game.LONG_NARDY))
    assert max(15 - play.after.points[23] for play in plays) == leaving


def test_a_wall_needs_an_enemy_ahead_of_it() -> None:
    points, rules = [0] * 24, default_rules(Game.LONG_NARDY)
    for index in range(16, 22):  # White's points 17-22: holes 19..14 of Black's path
        points[index] = 2
    points[23], points[11] = 3, -15
    assert illegal_walls(view_of(Position(tuple(points)), Game.LONG_NARDY, Side.WHITE), rules)
    points[11], points[13] = -14, -1  # a black checker near its last holes is ahead of the wall
    assert not illegal_walls(view_of(Position(tuple(points)), Game.LONG_NARDY, Side.WHITE), rules)


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ((), "no play"),
        ((Move(24, 18), Move(13, 11)), "24/18 13/11"),
        ((Move(24, 18, True), Move(18, 13)), "24/18*/13"),
        ((Move(24, 18), Move(18, 13)), "24/13"),
        ((Move(25, 20), Move(6, 0)), "bar/20 6/off"),
        ((Move(8, 5), Move(6, 3), Move(8, 5), Move(6, 3)), "8/5(2) 6/3(2)"),
    ],
)
def test_notation(moves: tuple[Move, ...], text: str) -> None:
    assert notation(moves) == text
