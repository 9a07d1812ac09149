"""Readings are judged by the scorer's rules: the better end, only what is sure, dice by overlap."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.labelled import Label, TrueDie, judge_dice, judge_slots, judge_things
from engine.observation import BoardView, DieReading, PointXY, SlotReading
from vision.geometry import FieldMap
from vision.photo import PhotoReading

CORNERS: tuple[PointXY, PointXY, PointXY, PointXY] = ((100, 100), (900, 100), (900, 700), (100, 700))
TRUE = (2, 0, -3, None, *[0] * 20)
NOTHING = SlotReading(((0, 1.0),))


def label(*dice: TrueDie, complete: bool = True) -> Label:
    field = FieldMap(np.array(CORNERS))
    return Label("boards", Path("a.jpg"), (1000, 800), "wood", "dim", field, TRUE, dice, complete)


def reading(slots: tuple[SlotReading, ...], turned: bool = False) -> PhotoReading:
    a, b, c, d = CORNERS
    corners = (c, d, a, b) if turned else (a, b, c, d)
    return PhotoReading((1000, 800), BoardView(corners, (0.46, 0.54), 0.9), slots, (NOTHING, NOTHING), ())


def seen_slots() -> tuple[SlotReading, ...]:
    slots = [NOTHING] * 24
    slots[0] = SlotReading(((2, 0.9), (3, 0.1)))
    slots[2] = SlotReading(((-4, 0.7), (-3, 0.3)))
    return tuple(slots)


def die(value: int, x: float, y: float, confidence: float = 0.8) -> DieReading:
    values = [0.02] * 6
    values[value - 1] = 0.9
    a, b, c, d, e, f = values
    box = (x - 10, y - 10, x + 10, y + 10)
    return DieReading((a, b, c, d, e, f), (("flat", 1.0),), box, (0.5, 0.5), "left", confidence)


def true_die(value: int | None, x: float, y: float) -> TrueDie:
    return TrueDie(value, (x, y), (x - 10, y - 10, x + 10, y + 10))


def test_only_what_is_sure_counts() -> None:
    error, slots = judge_slots(label(), reading(seen_slots()))
    assert error == 0
    assert [slot.slot for slot in slots] == [0, 1, 2, *range(4, 24)]
    assert [slot.right for slot in slots[:3]] == [True, True, False]
    assert (slots[2].confidence, slots[2].chance) == (0.7, 0.3)


def test_either_end_of_a_board_may_be_up() -> None:
    error, slots = judge_slots(label(), reading(seen_slots()[::-1], turned=True))
    assert error == 0
    assert sum(not slot.right for slot in slots) == 1


def test_dice_are_paired_with_the_one_that_overlaps_most() -> None:
    truth = label(true_die(3, 500, 400), true_die(5, 515, 400))
    found = judge_dice(truth, [die(5, 514, 401), die(3, 501, 400)])
    assert [(one.true, one.read) for one in found] == [(3, 3), (5, 5)]


def test_a_missed_die_and_one_that_is_not_there() -> None:
    missed, false = judge_dice(label(true_die(3, 500, 400)), [die(6, 200, 200)])
    assert (missed.true, missed.read, missed.right) == (3, None, False)
    assert (false.true, false.read, false.right) == (None, 6, False)


def test_a_die_that_counts_neither_way() -> None:
    assert judge_dice(label(true_die(None, 500, 400)), [die(6, 510, 400)]) == ()


def test_nothing_is_false_where_not_all_dice_are_labelled() -> None:
    assert judge_dice(label(complete=False), [die(6, 200, 200)]) == ()


def test_borne_off_checkers_and_the_cube_count_where_they_are_labelled() -> None:
    seen = replace(reading(seen_slots()), off=(3, 0))
    assert judge_things(label(), seen) == ()
    known = replace(label(), off=(3, 0), cube=True)
    assert [right for _, right in judge_things(known, seen)] == [True, False]
    assert [right for _, right in judge_things(known, None)] == [False, False]
