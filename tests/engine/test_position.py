from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import Orientation, from_slots, index_at, slot_of, start_layouts, to_slots
from engine.position import BAR, Game, Position, PositionError, Side, index_of, point_of


@pytest.mark.parametrize("game", list(Game))
def test_start_has_fifteen_checkers_a_side(game: Game) -> None:
    start = Position.start(game)
    assert [start.checkers(side) for side in Side] == [15, 15]


def test_start_pip_counts() -> None:
    assert [Position.start(Game.BACKGAMMON).pips(Game.BACKGAMMON, s) for s in Side] == [167, 167]
    assert [Position.start(Game.LONG_NARDY).pips(Game.LONG_NARDY, s) for s in Side] == [360, 360]


def test_a_checker_on_the_bar_counts_twenty_five_pips() -> None:
    assert Position((0,) * 24, bar=(2, 1)).pips(Game.BACKGAMMON, Side.WHITE) == 2 * BAR


def test_the_heads_of_long_nardy_lie_twelve_holes_apart() -> None:
    assert index_of(Game.LONG_NARDY, Side.WHITE, 24) == 23
    assert index_of(Game.LONG_NARDY, Side.BLACK, 24) == 11


@given(st.sampled_from(Game), st.sampled_from(Side), st.integers(1, 24))
def test_points_and_indices_are_twins(game: Game, side: Side, point: int) -> None:
    assert point_of(game, side, index_of(game, side, point)) == point


@given(st.sampled_from(Orientation), st.integers(0, 23))
def test_slots_and_indices_are_twins(orientation: Orientation, index: int) -> None:
    assert index_at(orientation, slot_of(orientation, index)) == index


@given(st.lists(st.integers(-15, 15), min_size=24, max_size=24), st.sampled_from(Orientation), st.booleans())
def test_positions_and_slots_are_twins(points: list[int], orientation: Orientation, light: bool) -> None:
    position = Position(tuple(points))
    assert from_slots(to_slots(position, orientation, light), orientation, light) == position.points


def test_the_starting_layout_in_the_usual_orientation() -> None:
    slots = start_layouts(Game.BACKGAMMON)[Orientation.BOTTOM_RIGHT]
    assert slots[:12] == (5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2)
    assert slots[12:] == (-5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2)


def test_layouts_of_both_games_all_differ() -> None:
    layouts = [slots for game in Game for slots in start_layouts(game).values()]
    assert len(set(layouts)) == len(layouts) == 8


@given(st.sampled_from(Game))
def test_json_round_trip(game: Game) -> None:
    start = Position.start(game)
    assert Position.from_json(start.to_json()) == start


@pytest.mark.parametrize(
    "data", [{}, {"points": [1] * 23}, {"points": ["x"] * 24}, {"points": [0] * 24, "bar": [-1, 0]}]
)
def test_what_is_no_position_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(PositionError):
        Position.from_json(data)
