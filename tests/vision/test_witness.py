"""What the learnt look and the network say of one board, heard together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from engine.layout import SLOTS, Orientation, to_slots
from engine.observation import EMPTY_SLOT, SlotReading
from engine.position import Game, Position
from vision.checkers import Witness
from vision.witness import together

START = to_slots(Position.start(Game.BACKGAMMON), Orientation.BOTTOM_RIGHT)
ALL = np.ones(SLOTS + 1, np.bool_)
THREE = START.index(-3)


def read(counts: Iterable[tuple[int, float]]) -> SlotReading:
    return SlotReading(tuple(counts))


def board(**odd: SlotReading) -> Witness:
    """The starting position, told surely but for slots that are told otherwise: ``s7=...``."""
    slots = [odd.get(f"s{slot}", read([(count, 0.998)])) for slot, count in enumerate(START)]
    return tuple(slots), (EMPTY_SLOT, EMPTY_SLOT)


def sure(count: int) -> SlotReading:
    return read([(count, 1.0)])


def test_what_both_say_stands() -> None:
    slots, bar = together(board(), board(), ALL)
    assert [slot.best for slot in slots] == list(START)
    assert min(slot.confidence for slot in slots) > 0.99
    assert [one.best for one in bar] == [0, 0]


def test_one_that_is_unsure_is_helped_by_the_other() -> None:
    look = board(**{f"s{THREE}": read([(-2, 0.45), (0, 0.3), (-3, 0.2)])})
    told = together(look, board(), ALL)[0][THREE]
    assert (told.best, told.confidence > 0.9) == (-3, True)


@pytest.mark.parametrize("wrong", ["look", "network"])
def test_where_they_differ_neither_is_sure_and_the_number_of_checkers_tips_the_scales(wrong: str) -> None:
    odd, plain = board(**{f"s{THREE}": sure(-2)}), board()
    told = together(*((odd, plain) if wrong == "look" else (plain, odd)), ALL)[0]
    assert told[THREE].best == -3
    assert told[THREE].confidence < 0.95
    assert told[THREE].probability(-2) > 0.05
    assert all(one.confidence > 0.99 for slot, one in enumerate(told) if slot != THREE)


def test_a_dispute_about_a_part_of_the_board_is_left_open() -> None:
    hidden = ALL.copy()
    hidden[0] = False
    told = together(board(**{f"s{THREE}": sure(-2)}), board(), hidden)[0][THREE]
    assert {told.counts[0][0], told.counts[1][0]} == {-2, -3}
    assert told.confidence < 0.7


def test_what_has_changed_since_is_told_by_the_look_alone() -> None:
    look = board(**{f"s{THREE}": read([(-2, 0.9), (-3, 0.1)])})
    changed = ALL.copy()
    changed[THREE] = False
    assert together(look, board(), changed)[0][THREE] == look[0][THREE]


def test_how_high_a_full_row_is_only_the_look_knows() -> None:
    """A belief of how it was before goes into the one, nothing but looks into the other."""
    five = START.index(5)
    look = board(**{f"s{five}": read([(5, 0.85), (6, 0.05), (7, 0.03)])})
    network = board(**{f"s{five}": read([(7, 0.9), (5, 0.1)])})
    told = together(look, network, ALL)[0][five]
    assert told.best == 5
    assert told.confidence == pytest.approx(0.85 / 0.93, abs=0.1)


def test_the_bar_is_heard_too() -> None:
    slots, (light, _) = board()
    look: Witness = slots, (light, read([(-1, 0.6), (0, 0.4)]))
    dark = together(look, board(), ALL)[1][1]
    assert (dark.best, dark.confidence > 0.9) == (0, True)
