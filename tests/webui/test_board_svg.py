"""The board as a picture: well-formed, complete, and right in every orientation."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import Orientation, slot_of, to_slots
from engine.position import BAR, OFF, Game, Position, Side
from webui.board_svg import BAND, FIELD_LEFT, HEIGHT, WIDTH, board_svg, describe, dice_svg

SVG = "{http://www.w3.org/2000/svg}"
START = Position.start(Game.BACKGAMMON)


def parse(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    return root


def classes(root: ElementTree.Element, *wanted: str) -> list[ElementTree.Element]:
    """The elements that have all of ``wanted`` as classes."""
    return [e for e in root.iter() if set(wanted) <= set(e.get("class", "").split())]


def slots_drawn(root: ElementTree.Element) -> list[int]:
    """24 signed counts as a reader of the picture would count them; positive is light."""
    columns = {round(FIELD_LEFT + 22 + 44 * column + 46 * (column >= 6), 1): column for column in range(12)}
    seen: Counter[int] = Counter()
    numbers: dict[int, int] = {}
    for group in classes(root, "checker"):
        place = re.match(r"translate\(([\d.]+) ([\d.]+)\)", group.get("transform", ""))
        if place is None or round(float(place[1]), 1) not in columns:
            continue  # off the board, or on the bar
        slot = columns[round(float(place[1]), 1)] + 12 * (float(place[2]) > HEIGHT / 2)
        sign = 1 if "light" in group.get("class", "") else -1
        seen[slot] += sign
        for text in group.iter(f"{SVG}text"):
            numbers[slot] = sign * int(text.text or "")
    return [numbers.get(slot, seen[slot]) for slot in range(24)]


@st.composite
def positions(draw: st.DrawFn) -> Position:
    counts = st.integers(-15, 15)
    side = st.tuples(st.integers(0, 15), st.integers(0, 15))
    return Position(tuple(draw(st.lists(counts, min_size=24, max_size=24))), draw(side), draw(side))


@settings(max_examples=60, deadline=None)
@given(
    position=positions(),
    game=st.sampled_from(Game),
    orientation=st.sampled_from(Orientation),
    side=st.sampled_from([None, *Side]),
    white_is_light=st.booleans(),
)
def test_every_position_is_drawn_whole(
    position: Position, game: Game, orientation: Orientation, side: Side | None, white_is_light: bool
) -> None:
    root = parse(
        board_svg(
            position, game=game, orientation=orientation, side_to_move=side, white_is_light=white_is_light
        )
    )
    assert slots_drawn(root) == list(to_slots(position, orientation, white_is_light))
    for owner in Side:
        face = "light" if (owner is Side.WHITE) == white_is_light else "dark"
        assert len(classes(root, "checker", "off", face)) == position.off[owner.index]


@pytest.mark.parametrize("orientation", Orientation)
@pytest.mark.parametrize("game", Game)
def test_the_one_point_lies_in_the_corner_of_its_orientation(game: Game, orientation: Orientation) -> None:
    root = parse(board_svg(START, game=game, orientation=orientation, side_to_move=Side.WHITE))
    labels = {e.text: (float(e.get("x", 0)), float(e.get("y", 0))) for e in classes(root, "label")}
    assert set(labels) == {str(n) for n in range(1, 25)}
    x, y = labels["1"]
    vertical, horizontal = orientation.value.split("-")
    assert (y > HEIGHT / 2) == (vertical == "bottom")
    assert (x > WIDTH / 2) == (horizontal == "right")


def test_points_are_numbered_for_the_side_to_move() -> None:
    def corner(game: Game) -> str | None:
        labels = classes(parse(board_svg(START, game=game, side_to_move=Side.BLACK)), "label")
        return max(labels, key=lambda e: (float(e.get("y", 0)), float(e.get("x", 0)))).text

    assert corner(Game.BACKGAMMON) == "24"
    assert corner(Game.LONG_NARDY) == "13"
    assert not classes(parse(board_svg(START, game=Game.BACKGAMMON, labels=False)), "label")


def test_a_tall_stack_shows_five_checkers_and_a_number() -> None:
    root = parse(board_svg(Position.start(Game.LONG_NARDY), game=Game.LONG_NARDY))
    assert len(classes(root, "checker", "light")) == 5
    assert [e.text for e in classes(root, "count")] == ["15", "15"]


@pytest.mark.parametrize("count", [1, 4, 6])
def test_checkers_wait_on_the_bar(count: int) -> None:
    root = parse(board_svg(Position((0,) * 24, bar=(0, count)), game=Game.BACKGAMMON))
    assert len(classes(root, "checker", "dark")) == min(count, 4)
    assert [e.text for e in classes(root, "count")] == ([str(count)] if count > 4 else [])


@pytest.mark.parametrize("dice", [(1, 2), (3, 4), (5, 6), (6, 6)])
def test_dice_show_their_pips(dice: tuple[int, int]) -> None:
    for svg in (board_svg(START, game=Game.BACKGAMMON, dice=dice), dice_svg(dice)):
        root = parse(svg)
        assert len(classes(root, "pip")) == sum(dice)
        assert not classes(root, "invalid")


def test_an_invalid_throw_is_crossed_out_and_said() -> None:
    svg = board_svg(
        START,
        game=Game.BACKGAMMON,
        side_to_move=Side.BLACK,
        dice=(6, 5),
        dice_valid=False,
        dice_halves=("left", "right"),
    )
    root = parse(svg)
    assert len(classes(root, "dice", "invalid")) == 2, "each die lies in its own half"
    assert len(classes(root, "die", "dark")) == 2
    assert "Dice: 6 and 5, an invalid throw." in (root.findtext(f"{SVG}desc") or "")


def test_dice_lie_to_the_right_of_their_thrower() -> None:
    def x(side: Side) -> float:
        (group,) = classes(parse(board_svg(START, game=Game.BACKGAMMON, dice_side=side, dice=(2, 1))), "dice")
        return float((group.get("transform") or "").split("(")[1].split(" ")[0])

    assert x(Side.WHITE) > WIDTH / 2 > x(Side.BLACK)


def test_the_last_move_is_marked_where_it_left_and_where_it_came() -> None:
    after = Position((-2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))
    root = parse(board_svg(after, game=Game.BACKGAMMON, side_to_move=Side.BLACK, last_move=[(8, 5), (6, 5)]))
    assert len(classes(root, "moved")) == 2
    assert len(classes(root, "left")) == 2
    assert not classes(root, "illegal")
    illegal = board_svg(
        after, game=Game.BACKGAMMON, last_side=Side.WHITE, last_move=[(8, 5), (6, 5)], last_legal=False
    )
    assert len(classes(parse(illegal), "illegal")) == 4


def test_a_checker_that_went_on_is_marked_once() -> None:
    position = Position((0, 0, 0, 0, 1, *(0,) * 19), bar=(0, 1))
    root = parse(board_svg(position, game=Game.BACKGAMMON, last_side=Side.WHITE, last_move=[(13, 8), (8, 5)]))
    assert len(classes(root, "moved")) == 1
    assert len(classes(root, "left")) == 1
    entered = board_svg(START, game=Game.BACKGAMMON, last_side=Side.BLACK, last_move=[(BAR, 24), (1, OFF)])
    assert len(classes(parse(entered), "moved")) == 1


def test_disputed_slots_are_pointed_out() -> None:
    root = parse(board_svg(START, game=Game.BACKGAMMON, highlight_slots=[0, 23]))
    top_left, bottom_right = classes(root, "highlight")
    assert float(top_left.get("y", 0)) < HEIGHT / 2 < float(bottom_right.get("y", 0)) + 3
    assert float(top_left.get("x", 0)) < WIDTH / 2 < float(bottom_right.get("x", 0))


def test_the_picture_says_what_it_shows() -> None:
    root = parse(board_svg(START, game=Game.BACKGAMMON, side_to_move=Side.WHITE))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Backgammon board, White to move"
    words = describe(Position((3, *(0,) * 23), (0, 2), (12, 0)), Game.BACKGAMMON)
    assert words == "White: 3 on point 1, 12 off. Black: 2 on the bar."
    assert "White: 2 on point 24, 5 on point 13, 3 on point 8, 5 on point 6." in describe(
        START, Game.BACKGAMMON
    )


def test_it_stands_alone_and_passes_a_strict_policy() -> None:
    svg = board_svg(START, game=Game.BACKGAMMON, dice=(3, 1), size=600)
    assert "style=" not in svg
    assert not re.search(r"\bid=|href|url\(|<script", svg)
    root = parse(svg)
    assert root.get("width") == "600"
    assert abs(int(root.get("height", 0)) - 600 * HEIGHT / WIDTH) < 1
    assert "width" not in parse(board_svg(START, game=Game.BACKGAMMON)).attrib


def test_light_and_dark_differ_in_shape() -> None:
    root = parse(board_svg(START, game=Game.BACKGAMMON))
    shapes = [
        [(c.get("r"), c.get("stroke-dasharray")) for c in classes(root, "checker", face)[0]]
        for face in ("light", "dark")
    ]
    assert shapes[0] != shapes[1]


def test_checkers_of_a_full_slot_stay_on_their_half() -> None:
    root = parse(board_svg(START, game=Game.BACKGAMMON))
    slot = slot_of(Orientation.BOTTOM_RIGHT, 12)
    assert slot == 0
    heights = [
        float((g.get("transform") or "").rstrip(")").split(" ")[1]) for g in classes(root, "checker", "light")
    ]
    assert min(heights) > BAND
    assert max(heights) < HEIGHT - BAND
