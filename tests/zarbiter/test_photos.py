"""From an answer of the photo contract to a position with cube and dice."""

from __future__ import annotations

from typing import Any

import pytest

from engine.layout import Orientation
from engine.position import Game, Side
from engine.record import FormatError
from zarbiter.photos import Wanted, seen_board, thrown, told

EMPTY: dict[str, Any] = {"colour": "none", "count": 0, "confidence": 0.9}
HOME = Orientation.BOTTOM_RIGHT


def answer(**changes: Any) -> dict[str, Any]:
    """Two light checkers on the lower right, one dark on the bar, in a field of 1200x800."""
    bottom = [EMPTY] * 11 + [{"colour": "light", "count": 2, "confidence": 0.9}]
    return {
        "board": {"corners": [[0, 0], [1200, 0], [1200, 800], [0, 800]], "confidence": 0.9},
        "slots": {"top": [EMPTY] * 12, "bottom": bottom},
        "bar": {"light": 0, "dark": 1},
        "dice": [],
        "cube": None,
    } | changes


def die(value: int, half: str = "left", state: str = "flat") -> dict[str, Any]:
    return {"value": value, "half": half, "state": state}


def test_what_is_on_the_board() -> None:
    state = seen_board(answer(), HOME, Side.BLACK, Game.BACKGAMMON).state
    assert state.position.points[0] == 2
    assert (state.position.bar, state.position.off) == ((0, 1), (13, 14))
    assert state.on_roll is Side.BLACK
    assert seen_board(answer(), HOME, Side.WHITE, Game.LONG_NARDY).bar == (0, 0)


@pytest.mark.parametrize(
    ("dice", "throw"),
    [
        ([die(3), die(5)], (3, 5)),
        ([die(3)], None),
        ([die(3), die(5), die(5)], None),
        ([die(3), die(5, "right")], None),
        ([die(3), die(5, state="cocked")], None),
        ([die(3, "off"), die(5, "off")], None),
    ],
)
def test_a_throw_is_two_flat_dice_in_one_half(dice: list[Any], throw: Any) -> None:
    assert thrown(dice) == throw
    assert seen_board(answer(dice=dice), HOME, Side.WHITE, Game.BACKGAMMON).dice == throw


@pytest.mark.parametrize(
    ("value", "y", "home", "cube"),
    [
        (2, 780, HOME, (2, Side.WHITE)),
        (2, 20, HOME, (2, Side.BLACK)),
        (4, 20, Orientation.TOP_LEFT, (4, Side.WHITE)),
        (2, 400, HOME, (1, None)),
        (64, 780, HOME, (1, None)),
        (None, 780, HOME, (1, None)),
    ],
)
def test_a_turned_cube_belongs_to_the_player_it_lies_with(value: Any, y: int, home: Any, cube: Any) -> None:
    seen = answer(cube={"value": value, "box": [1250, y - 20, 1290, y + 20]})
    board = seen_board(seen, home, Side.WHITE, Game.BACKGAMMON)
    assert (board.cube, board.cube_owner) == cube


def test_why_there_is_no_position() -> None:
    many = answer(bar={"light": 14, "dark": 0})
    assert told(many, Wanted(forms=("xgid",))) == {
        "xgid": None,
        "why_none": "there are 16 light checkers, more than 15",
    }
    with pytest.raises(FormatError, match="only dice"):
        seen_board(answer(slots={"top": [], "bottom": []}), HOME, Side.WHITE, Game.BACKGAMMON)


def test_the_corners_of_a_picture_by_path_by_name_or_for_all() -> None:
    one, two, three = ((float(n), 0.0) for n in (1, 2, 3))
    wanted = Wanted(corners=[one], corners_of={"a.jpg": [two], "b/c.jpg": [three]})
    assert wanted.corners_in("x/a.jpg") == [two]
    assert wanted.corners_in("b/c.jpg") == [three]
    assert wanted.corners_in("c.jpg") == [one]
