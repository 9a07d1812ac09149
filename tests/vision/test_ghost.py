"""How a board was, drawn over the picture of how it is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.disagreement import Disagreement
from engine.layout import Orientation, slot_of
from engine.observation import BoardView
from engine.position import Game, Position, Side
from vision.geometry import FieldMap
from vision.ghost import LONGEST, Mark, ghost, marks

VIEW = BoardView(((100, 80), (1180, 80), (1180, 640), (100, 640)), (0.4635, 0.5365), 0.98)
FIELD = FieldMap.from_view(VIEW)
START = Position.start(Game.BACKGAMMON)
ORIENTATION = Orientation.BOTTOM_RIGHT


def with_counts(bar: tuple[int, int] = (0, 0), **points: int) -> Position:
    """The start, with other signed counts on some points of White."""
    changed = {int(name[1:]) - 1: count for name, count in points.items()}
    return Position(tuple(changed.get(i, n) for i, n in enumerate(START.points)), bar)


def found(seen: Position, *, light: bool = True, orientation: Orientation = ORIENTATION) -> list[Mark]:
    disagreement = Disagreement(Game.BACKGAMMON, START, seen, Side.WHITE)
    return list(marks(FIELD, disagreement, orientation, light))


def test_nothing_is_drawn_where_nothing_differs() -> None:
    assert found(START) == []


@pytest.mark.parametrize("orientation", list(Orientation))
@pytest.mark.parametrize("light", [True, False])
def test_a_checker_is_put_back_where_it_is_missing_and_taken_away_where_it_should_not_be(
    orientation: Orientation, light: bool
) -> None:
    """The sixth point has lost its topmost, which lies on the fourth."""
    there, back = sorted(
        found(with_counts(p6=4, p4=1), light=light, orientation=orientation), key=lambda m: m.back
    )
    assert (there.back, back.back) == (False, True)
    assert there.light == back.light == light
    assert FIELD.slot_at(there.place) == slot_of(orientation, 3)
    assert FIELD.slot_at(back.place) == slot_of(orientation, 5)
    depth = min(back.place[1], 1 - back.place[1])
    assert depth > min(there.place[1], 1 - there.place[1]), "it is the fifth of its row"


def test_checkers_of_the_other_colour_are_told_apart() -> None:
    """Where two black ones stand and one white did, all three have places of their own."""
    of_point = [m for m in found(with_counts(p24=-3)) if FIELD.slot_at(m.place) == slot_of(ORIENTATION, 23)]
    assert [(m.light, m.back) for m in of_point] == [(False, False)] * 3 + [(True, True)] * 2
    assert len({m.place for m in of_point}) == 5


def test_the_bar_holds_what_was_hit() -> None:
    back, *bar = found(with_counts(bar=(0, 1), p1=-1))
    assert (back.back, back.light) == (True, False)
    (away,) = bar
    assert (away.back, away.light) == (False, False)
    assert FIELD.bar[0] < away.place[0] < FIELD.bar[1]
    assert away.place[1] > 0.5, "where the counts of the bar are drawn too: light above, dark below"


def test_a_tall_stack_stays_in_its_half() -> None:
    places = [m.place for m in found(with_counts(p6=15))]
    assert len(places) == 10
    assert min(y for _, y in places) > 1 - LONGEST


def test_it_is_drawn_where_the_board_lies_and_the_picture_itself_is_left_alone() -> None:
    grey = np.full((720, 1280, 3), 128, np.uint8)
    disagreement = Disagreement(Game.BACKGAMMON, START, with_counts(p6=4, p4=1), Side.WHITE)
    drawn = ghost(grey, VIEW, disagreement, ORIENTATION, True)
    assert (grey == 128).all()
    ys, xs = np.nonzero((drawn != 128).any(axis=2))
    painted = FIELD.to_board(np.column_stack([xs, ys]))
    middles = [FIELD.slot_x(slot_of(ORIENTATION, index)) for index in (3, 5)]
    aside = np.abs(painted[:, :1] - middles)
    assert (aside.min(axis=1) < 0.6 * FIELD.point_width).all()
    assert set(aside.argmin(axis=1)) == {0, 1}
    assert (painted[:, 1] > 0.5).all()
    unread = Disagreement(Game.BACKGAMMON, START, None, Side.WHITE)
    assert (ghost(grey, VIEW, unread, ORIENTATION, True) == grey).all()
