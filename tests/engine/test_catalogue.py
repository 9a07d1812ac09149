"""Rows of the catalogue of rules that follow from others, each shown on one position."""

from __future__ import annotations

import pytest

from engine.events import GameEnd, GameStart
from engine.judge import judge_play
from engine.legal import legal_plays
from engine.match import Match
from engine.position import BAR, CHECKERS, Game, Position, Side, index_of, point_of
from engine.roster import Consulting, TeamMatch
from engine.rules import default_rules
from zarbiter.presets import preset

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY
W, B = Side.WHITE, Side.BLACK
Counts = dict[int, int]


def board(game: Game, own: Counts, enemy: Counts, side: Side = W) -> Position:
    """Checkers of ``side`` and of its enemy, both by points of ``side``; those that are not named are off."""
    points, bar = [0] * 24, [0, 0]
    for owner, counts in ((side, own), (side.other, enemy)):
        for point, count in counts.items():
            if point == BAR:
                bar[owner.index] = count
            else:
                points[index_of(game, side, point)] += owner.sign * count
    off = [0, 0]
    off[side.index], off[side.other.index] = CHECKERS - sum(own.values()), CHECKERS - sum(enemy.values())
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


def plays(game: Game, position: Position, *dice: int, side: Side = W) -> set[str]:
    return {p.notation for p in legal_plays(position, side, (dice[0], dice[1]), default_rules(game))}


def test_long_start() -> None:
    """G2: all fifteen on the head, the heads twelve holes apart."""
    start = Position.start(LN)
    assert [start.count(LN, side, 24) for side in Side] == [CHECKERS, CHECKERS]
    assert abs(index_of(LN, W, 24) - index_of(LN, B, 24)) == 12


def test_short_start() -> None:
    """G3: 2 on 24, 5 on 13, 3 on 8, 5 on 6; the same for both sides."""
    for side in Side:
        counts = {p: n for p in range(1, 25) if (n := Position.start(BG).count(BG, side, p))}
        assert counts == {24: 2, 13: 5, 8: 3, 6: 5}


@pytest.mark.parametrize(("game", "same_way"), [(LN, True), (BG, False)])
def test_the_way_round(game: Game, same_way: bool) -> None:
    """G4: in long nardy both sides go the same way round; G5: in backgammon in opposite ways."""
    ways = [(index_of(game, side, 10) - index_of(game, side, 9)) % 24 for side in Side]
    assert (ways[0] == ways[1]) is same_way


@pytest.mark.parametrize(
    ("game", "side", "indices"),
    [(BG, W, range(6)), (BG, B, range(18, 24)), (LN, W, range(6)), (LN, B, range(12, 18))],
)
def test_the_home_is_the_last_quarter_of_ones_way(game: Game, side: Side, indices: range) -> None:
    """G6: eighteen points after the first; there, and nowhere before, checkers are borne off."""
    assert {point_of(game, side, i) for i in indices} == set(range(1, 7))
    enemy = {24: 15} if game is BG else {7: 15}
    assert plays(game, board(game, {6: 15}, enemy, side), 6, 6, side=side) == {"6/off(4)"}
    outside = board(game, {6: 14, 20: 1}, enemy, side)
    assert not any("off" in play for play in plays(game, outside, 6, 5, side=side))


@pytest.mark.parametrize("game", Game)
def test_any_number_of_checkers_on_a_point(game: Game) -> None:
    """M8: thirteen stand on the 10-point and another joins them."""
    position = board(game, {10: 13, 16: 1, 24: 1}, {1: 15})
    assert "24/23 16/10" in plays(game, position, 6, 1)


def test_a_single_die_that_can_be_played_is_played() -> None:
    """M5: the 6 is shut out from both, so the 2 is played and the 6 lost."""
    position = board(LN, {24: 1, 1: 14}, {18: 7, 16: 8})
    assert plays(LN, position, 6, 2) == {"24/22"}


@pytest.mark.parametrize("game", Game)
def test_six_in_a_row_shut_a_checker_in(game: Game) -> None:
    """L11, K5: no number takes a checker past six closed points in front of it."""
    position = board(game, {20: 1, 1: 14}, {19: 2, 18: 2, 17: 2, 16: 2, 15: 2, 14: 5})
    for first in range(1, 7):
        for second in range(1, 7):
            assert not any("20/" in play for play in plays(game, position, first, second))


def test_primes_are_built_without_limit_in_backgammon() -> None:
    """K5: 12/6 closes six points in a row with all fifteen enemies behind them."""
    before = board(BG, {24: 3, 12: 1, 11: 2, 10: 2, 9: 2, 8: 2, 7: 2, 6: 1}, {1: 15})
    assert "24/23 12/6" in plays(BG, before, 6, 1)


def test_the_eldest_goes_off_by_a_higher_number() -> None:
    """B4: nothing stands on 6 or 5, so both numbers take checkers off the 3-point, the highest."""
    assert plays(LN, board(LN, {3: 2, 2: 1}, {7: 15}), 6, 5) == {"3/off(2)"}


def test_an_exact_number_takes_off_or_moves_inside() -> None:
    """B2: the 2 takes a checker off the 2-point, or goes on inside the home."""
    assert plays(BG, board(BG, {6: 1, 4: 1, 2: 1}, {24: 15}), 6, 2) >= {"6/off 4/2", "6/off 2/off"}


def test_a_checker_that_was_hit_comes_home_first() -> None:
    """B6: with one on the bar nothing goes off, whatever the number, until it has come home."""
    hit = board(BG, {BAR: 1, 6: 2, 3: 2}, {1: 1, 18: 14})
    for dice in ((6, 3), (3, 3), (6, 6), (5, 4)):
        assert not any("off" in play for play in plays(BG, hit, *dice))
    after = legal_plays(hit, W, (6, 3), default_rules(BG))[0].after
    assert after.off == hit.off


def test_some_enter_and_the_rest_of_the_turn_is_lost() -> None:
    """K3: two on the bar, the 6 closed: the 4 enters one, and nothing else may move."""
    position = board(BG, {BAR: 2, 8: 3, 6: 10}, {19: 2, 1: 13})
    assert plays(BG, position, 6, 4) == {"bar/21"}
    moved = board(BG, {BAR: 1, 21: 1, 8: 2, 2: 1, 6: 10}, {19: 2, 1: 13})
    assert judge_play(position, W, (6, 4), moved, default_rules(BG)).rule == "K2"


@pytest.mark.parametrize(("enemies", "notation"), [(1, "8/2*"), (2, "no play")])
def test_a_lone_enemy_is_hit(enemies: int, notation: str) -> None:
    """K1: a lone enemy is hit, two close the point."""
    assert plays(BG, board(BG, {8: 1, 24: 1}, {2: enemies, 3: 2, 18: 2, 19: 2}), 6, 5) == {notation}


def test_a_lone_enemy_closes_a_hole() -> None:
    """L1: in long nardy one enemy closes the hole, and nothing is hit."""
    assert plays(LN, board(LN, {8: 1, 1: 14}, {2: 1, 20: 14}), 6, 6) == {"no play"}


@pytest.mark.parametrize("game", Game)
def test_a_double_is_four_moves(game: Game) -> None:
    """M2: with nothing in the way all four are made."""
    for play in legal_plays(board(game, {13: 2, 10: 13}, {1: 15}), W, (2, 2), default_rules(game)):
        assert [m.from_point - m.to_point for m in play.moves] == [2, 2, 2, 2]


def test_as_many_of_a_double_as_can_be() -> None:
    """M7: after two moves the way is closed, and two have to be made."""
    assert plays(LN, board(LN, {20: 1, 1: 14}, {11: 1, 10: 14}), 3, 3) == {"20/14"}


def test_money_games_go_on_without_end() -> None:
    """C10: no score ends them; Jacoby (C7) counts a gammon as one game; nobody is a point short (C9)."""
    rules = preset("short.money")
    start = GameStart(t=0, rules=rules, position=Position.start(BG), side_to_move=W)
    match = Match(rules)
    for _ in range(20):
        match = match.apply(start)
        assert not match.crawford
        match = match.apply(GameEnd(t=1, winner=W, result="gammon", points=2))
    assert (match.score, match.phase) == ((20, 0), "game_over")


def test_a_team_match_is_won_on_two_of_three_boards() -> None:
    """C11: three boards, each a match of its own, whose rules of play are the same."""
    team = TeamMatch(("Reds", "Blues"), (("A", "B", "C"), ("D", "E", "F")))
    assert team.pairing(2) == ("C", "F")
    assert team.won(0, 1).won(2, 0).winner is None
    assert team.won(0, 1).won(2, 0).won(1, 1).winner == 1


def test_consulting_partners_throw_game_about() -> None:
    """C11: one of a pair throws and moves throughout a game."""
    pairs = Consulting((("Anna", "Boris"), ("Clara", "David")))
    assert [pairs.thrower(0, game) for game in (1, 2, 3)] == ["Anna", "Boris", "Anna"]
