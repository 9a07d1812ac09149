"""Hands and cups are seen in single pictures, and nothing where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.table import STYLES, SimulatedTable
from vision.scene import cups, see

_CUP, _HAND, _NEITHER = 72, 61, 84  #: pictures of the match below
_CHECKER = 2000.0  #: area of a checker there, in pixels


@pytest.mark.parametrize("style", STYLES)
def test_hands_and_cups_of_the_simulated_table(style: str) -> None:
    with SimulatedTable(seed=4, style=style, fps=10, max_turns=6) as table:
        assert see(table.picture(_CUP)).cup is not None
        assert see(table.picture(_HAND)).hand is not None
        nothing = see(table.picture(_NEITHER))
    assert nothing.hand is None
    assert nothing.cup is None


def test_the_box_is_around_what_was_seen() -> None:
    with SimulatedTable(seed=4, style="wood", fps=10, max_turns=6) as table:
        cup = table.picture(_CUP)
        away = see(np.ascontiguousarray(cup[:, ::-1])).cup
        box = see(cup).cup
    assert box is not None
    assert away is not None
    x0, y0, x1, y1 = box
    assert 0 <= x0 < x1 <= cup.shape[1]
    assert 0 <= y0 < y1 <= cup.shape[0]
    assert abs((x0 + x1) / 2 + (away[0] + away[2]) / 2 - cup.shape[1]) < 0.05 * cup.shape[1]


def test_two_cups_are_told_apart() -> None:
    with SimulatedTable(seed=4, style="wood", fps=10, max_turns=6) as table:
        one = table.picture(_CUP)
    half = one[:, : one.shape[1] // 2]  # the cup is in it
    two = np.ascontiguousarray(np.hstack([half, half[:, ::-1]]))
    assert len(cups(one, _CHECKER)) == 1
    left, right = sorted(cups(two, _CHECKER))
    assert left[2] <= two.shape[1] / 2 <= right[0]


def test_what_is_small_beside_a_checker_is_no_cup() -> None:
    with SimulatedTable(seed=4, style="wood", fps=10, max_turns=6) as table:
        picture = np.pad(table.picture(_CUP), ((200, 200), (360, 360), (0, 0)), "edge")
    assert cups(picture, _CHECKER / 2)
    assert not cups(picture, _CHECKER * 2)
