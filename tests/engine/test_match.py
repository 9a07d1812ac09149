from __future__ import annotations

from dataclasses import replace

import pytest

from engine.commentary import FAULTS, sentence
from engine.events import CubeAction, Desync, Doubt, GameEnd, GameStart, PlayMade, Resync, RollOff, Throw
from engine.layout import Orientation, to_slots
from engine.match import Match, MatchError, game_result
from engine.position import Game, Position, Side
from engine.rules import default_rules
from tests.engine.playing import random_game

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY
START = GameStart(t=0, rules=default_rules(BG), position=Position.start(BG))
NAMES = ("Anna", "Boris")


def board(
    white: dict[int, int], black: dict[int, int], off: tuple[int, int], bar: tuple[int, int] = (0, 0)
) -> Position:
    """A position from counts by White's point number."""
    points = [white.get(i + 1, 0) - black.get(i + 1, 0) for i in range(24)]
    return Position(tuple(points), bar, off)


@pytest.mark.parametrize(
    ("game", "position", "result", "points"),
    [
        (BG, board({}, {24: 14}, (15, 1)), "single", 1),
        (BG, board({}, {24: 15}, (15, 0)), "gammon", 2),
        (BG, board({}, {24: 14, 3: 1}, (15, 0)), "backgammon", 3),
        (BG, board({}, {24: 14}, (15, 0), (0, 1)), "backgammon", 3),
        (LN, board({}, {13: 14}, (15, 1)), "oin", 1),
        (LN, board({}, {13: 15}, (15, 0)), "mars", 2),
    ],
)
def test_results(game: Game, position: Position, result: str, points: int) -> None:
    found = game_result(position, game)
    assert found is not None
    assert (found.winner, found.result, found.points) == (Side.WHITE, result, points)


@pytest.mark.parametrize("game", list(Game))
def test_no_result_at_the_start(game: Game) -> None:
    assert game_result(Position.start(game), game) is None


@pytest.mark.parametrize("game", list(Game))
def test_a_match_from_game_to_game_until_it_is_won(game: Game) -> None:
    match = Match(default_rules(game), length=3, players=NAMES)
    for seed in range(10):
        for event in random_game(game, seed):
            assert sentence(event, match)
            match = match.apply(event)
        if match.winner:
            break
    assert match.winner is not None
    assert match.phase == "match_over"
    assert max(match.score) >= 3
    with pytest.raises(MatchError):
        match.apply(START)


def test_short_roll_off_is_the_first_roll() -> None:
    match = Match.replay(
        [START, RollOff(t=1, white=2, black=2), RollOff(t=2, white=2, black=5)], default_rules(BG)
    )
    assert (match.side_to_move, match.dice, match.phase) == (Side.BLACK, (2, 5), "to_play")


def test_long_roll_off_is_followed_by_a_throw() -> None:
    start = GameStart(t=0, rules=default_rules(LN), position=Position.start(LN))
    match = Match.replay([start, RollOff(t=2, white=6, black=5)], default_rules(LN))
    assert (match.side_to_move, match.dice, match.phase) == (Side.WHITE, None, "to_throw")


def test_the_cube() -> None:
    double = CubeAction(t=1, side=Side.WHITE, action="double", value=2)
    take = CubeAction(t=2, side=Side.BLACK, action="take", value=2)
    start = replace(START, side_to_move=Side.WHITE)
    match = Match.replay([start, double, take], default_rules(BG))
    assert (match.cube, match.cube_owner, match.side_to_move) == (2, Side.BLACK, Side.WHITE)
    with pytest.raises(MatchError):  # the owner alone may redouble
        match.apply(double)
    dropped = Match.replay(
        [start, double, CubeAction(t=2, side=Side.BLACK, action="drop", value=1)], default_rules(BG)
    )
    end = GameEnd(t=3, winner=Side.WHITE, result="drop", points=1)
    assert dropped.apply(end).score == (1, 0)


def test_events_out_of_order_are_refused() -> None:
    throw = Throw(t=1, side=Side.WHITE, colour="light", dice=(3, 1), valid=True)
    with pytest.raises(MatchError, match="no game"):
        Match(default_rules(BG)).apply(throw)
    with pytest.raises(MatchError):
        Match(default_rules(LN)).apply(START)


def test_desync_and_resync() -> None:
    match = Match.replay([START, Desync(t=1, reason="bumped", slots=(1,))], default_rules(BG))
    assert not match.in_step
    assert match.apply(Resync(t=2, reason="restored")).in_step


def play(legal: bool, rule: str | None, moves: tuple[tuple[int, int], ...], after: Position) -> PlayMade:
    return PlayMade(
        t=9,
        side=Side.WHITE,
        colour="light",
        dice=(3, 1),
        moves=moves,
        notation=" ".join(f"{a}/{b}" for a, b in moves) or "no play",
        legal=legal,
        rule=rule,
        position=after,
        slots=to_slots(after, Orientation.BOTTOM_RIGHT),
        bar=after.bar,
        off=after.off,
    )


def test_commentary() -> None:
    match = Match(default_rules(BG), players=NAMES).apply(START)
    throw = Throw(t=1, side=Side.WHITE, colour="light", dice=(1, 3), valid=True, halves=("left", "left"))
    assert sentence(throw, match) == "Anna throws 3-1 in the left half."
    void = Throw(
        t=1, side=Side.WHITE, colour="light", dice=(3, 3), valid=False, faults=("cocked", "two_halves")
    )
    assert "Invalid throw by Anna (double 3s)" in sentence(void, match)
    assert FAULTS["cocked"] in sentence(void, match)
    lonely = Throw(t=1, side=Side.WHITE, colour="light", dice=(5, 0), valid=False, faults=("one_die",))
    assert "(a single 5): only one die was thrown" in sentence(lonely, match)
    hit = Position(match.position.points if match.position else (), bar=(0, 1))
    assert "hitting a blot" in sentence(play(True, None, ((8, 5), (6, 5)), hit), match)
    illegal = sentence(play(False, "E8", ((8, 4),), Position.start(BG)), match)
    assert illegal.startswith("Illegal play: Anna plays 8/4 on 3-1. Rule E8")
    assert "cannot move" in sentence(play(True, None, (), Position.start(BG)), match)
    doubt = Doubt(t=1, about="play", options=(("8/5 6/5", 0.6), ("8/4", 0.4)))
    assert "8/5 6/5 (60%) or 8/4 (40%)" in sentence(doubt, match)
