"""A board as a picture shows it becomes what other programs read, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.positions import parse_position
from engine.formats.seen import FORMS, SeenBoard
from engine.layout import Orientation, start_layouts, to_slots
from engine.position import Game, Position, Side
from engine.record import FormatError

START = start_layouts(Game.BACKGAMMON)


@pytest.mark.parametrize("home", Orientation)
def test_the_start_is_the_start_from_every_corner(home: Orientation) -> None:
    seen = SeenBoard(slots=START[home], home=home)
    assert seen.state.position == Position.start(Game.BACKGAMMON)
    assert seen.text("xgid") == "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
    assert seen.text("gnubg_id").startswith("4HPwATDgc/ABMA:")
    assert seen.text("position") == "backgammon:w=24:2,13:5,8:3,6:5/b=24:2,13:5,8:3,6:5/white"


def test_points_are_numbered_for_the_side_on_roll() -> None:
    numbers = SeenBoard(slots=(0,) * 24).numbers()
    assert numbers[:12] == tuple(range(13, 25))
    assert numbers[12:] == tuple(range(12, 0, -1))
    assert SeenBoard(slots=(0,) * 24, turn=Side.BLACK).numbers()[23] == 24
    assert SeenBoard(slots=(0,) * 24, turn=Side.BLACK, game=Game.LONG_NARDY).numbers()[23] == 13


def test_what_is_missing_is_borne_off_and_the_bar_and_the_cube_are_told() -> None:
    slots = [0] * 24
    slots[23], slots[0] = 3, -2
    seen = SeenBoard(
        slots=tuple(slots), bar=(0, 1), dice=(6, 1), turn=Side.BLACK, cube=4, cube_owner=Side.WHITE
    )
    assert seen.state.position.off == (12, 12)
    for form in ("xgid", "gnubg_id", "fibs"):
        state, game = parse_position(seen.text(form))
        assert game is Game.BACKGAMMON
        assert state.position == seen.state.position
        assert (state.on_roll, state.dice, state.cube) == (Side.BLACK, (6, 1), 4)


def test_more_than_fifteen_are_told_by_their_colour() -> None:
    slots = [0] * 24
    slots[3], slots[4] = -9, -7
    for form in FORMS:
        with pytest.raises(FormatError, match="16 dark checkers"):
            SeenBoard(slots=tuple(slots)).text(form)


def test_long_nardy_has_its_own_form() -> None:
    for home, slots in start_layouts(Game.LONG_NARDY).items():
        seen = SeenBoard(slots=slots, home=home, game=Game.LONG_NARDY, dice=(3, 3))
        assert seen.text("position") == "nardy:w=24:15/b=24:15/white/33"
        with pytest.raises(FormatError, match="not for long nardy"):
            seen.text("xgid")
    with pytest.raises(FormatError, match="no bar in long nardy"):
        SeenBoard(slots=(0,) * 24, bar=(1, 0), game=Game.LONG_NARDY).text("position")


def test_a_form_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="none of the forms"):
        SeenBoard(slots=(0,) * 24).text("fen")


@given(
    st.lists(st.integers(-2, 2), min_size=24, max_size=24).filter(
        lambda s: sum(n for n in s if n > 0) <= 14 and sum(-n for n in s if n < 0) <= 14
    ),
    st.sampled_from(Orientation),
    st.sampled_from(Side),
)
def test_every_form_reads_back(slots: list[int], home: Orientation, turn: Side) -> None:
    seen = SeenBoard(slots=tuple(slots), bar=(1, 0), home=home, turn=turn)
    for form in FORMS:
        state, _ = parse_position(seen.text(form))
        assert to_slots(state.position, home) == tuple(slots)
        assert state.on_roll is turn
