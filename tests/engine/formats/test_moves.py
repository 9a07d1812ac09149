from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.matches import BG, positions, random_match
from engine.events import MoveXY
from engine.formats.moves import can_move, moved, read_moves, taken_apart, write_moves
from engine.legal import legal_plays
from engine.position import Game, Position, Side
from engine.record import FormatError
from engine.rules import default_rules

W, B = Side.WHITE, Side.BLACK
START = Position.start(BG)


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_moves_are_made_and_known_to_be_possible_as_the_rules_have_it(seed: int) -> None:
    """K1, K2, B1 to B3, M6: with the generator of legal plays as the judge."""
    rng = random.Random(seed)
    for position in positions(random_match(seed, 1, cube=0).games[0]):
        assert position is not None
        side, dice = rng.choice(list(Side)), (rng.randint(1, 6), rng.randint(1, 6))
        plays = legal_plays(position, side, dice, default_rules(BG))
        assert can_move(position, side, dice) == bool(plays[0].moves)
        for play in plays:
            pairs = tuple((m.from_point, m.to_point) for m in play.moves)
            assert moved(position, BG, side, pairs) == (play.after, tuple(m.hit for m in play.moves))
            assert taken_apart(pairs, dice, position, side) == pairs
            text = write_moves(pairs, [m.hit for m in play.moves])
            assert read_moves(text, dice=dice, position=position, side=side) == pairs


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        (BG, ((5, 4),)),  # nobody stands there
        (BG, ((25, 20),)),
        (BG, ((6, 1), (24, 19))),  # five black checkers
        (BG, ((6, -1),)),
        (BG, ((6, 26),)),
        (BG, ((30, 4),)),
        (Game.LONG_NARDY, ((24, 12),)),  # closed by any checker (L1)
    ],
)
def test_moves_that_cannot_be_made(game: Game, moves: tuple[MoveXY, ...]) -> None:
    assert moved(Position.start(game), game, W, moves) is None


def test_moves_that_no_rule_allows_can_be_made() -> None:
    done = moved(START, BG, W, ((6, 7), (13, 0), (24, 25)))
    assert done is not None
    assert (done[0].points[6], done[0].off, done[0].bar) == (1, (1, 0), (1, 0))


def test_a_stop_is_chosen_where_one_can_stop() -> None:
    """24/20 with 3-1 goes by 21 unless that is closed, and without a hit that is not written."""
    board = list(START.points)
    assert taken_apart(((24, 20),), (3, 1), START, W) == ((24, 21), (21, 20))
    board[20], board[18] = -2, -3
    closed = Position(tuple(board))
    assert taken_apart(((24, 20),), (3, 1), closed, W) == ((24, 23), (23, 20))
    board[20], board[18] = -1, -4
    assert taken_apart(((24, 20),), (3, 1), Position(tuple(board)), W) == ((24, 23), (23, 20))


def test_moves_that_the_dice_do_not_explain_stay_as_they_are() -> None:
    for moves in (((8, 1),), ((8, 3), (24, 13)), ((13, 7), (8, 4), (6, 5))):
        assert taken_apart(moves, (3, 1), START, W) == moves


@pytest.mark.parametrize(
    "text", ["8/5 x", "8", "8/5/", "/5", "8/5 (x)", "8//5", "99/5", "8/5(2)(2)", "1/2 " * 9]
)
def test_what_is_no_play(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_moves(text, 7)
    assert caught.value.line == 7
