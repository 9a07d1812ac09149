from __future__ import annotations

from dataclasses import replace

from bench.compare import compare
from engine.events import PlayMade, Throw
from engine.position import Game
from tests.engine.playing import random_game

TRUTH = list(random_game(Game.BACKGAMMON, 7))[:21]  # ten turns


def test_the_truth_itself_is_perfect() -> None:
    tally = compare(TRUTH, TRUTH)
    assert tally.perfect
    assert (tally.throws_right, tally.plays_right) == (tally.throws, tally.plays) == (10, 10)


def test_a_missing_event_costs_one() -> None:
    tally = compare(TRUTH, TRUTH[:3] + TRUTH[4:])
    assert (tally.throws_right, tally.plays_right, tally.false_events) == (9, 10, 0)


def test_an_event_too_many_is_false() -> None:
    tally = compare(TRUTH, TRUTH[:5] + TRUTH[3:5] + TRUTH[5:])
    assert tally.false_events == 2


def test_dice_validity_and_position_must_agree() -> None:
    def spoil(event: object) -> object:
        if isinstance(event, Throw):
            return replace(event, valid=False, faults=("cocked",))
        return replace(event, legal=False, rule="E8") if isinstance(event, PlayMade) else event

    tally = compare(TRUTH, [spoil(e) for e in TRUTH])  # type: ignore[misc]
    assert (tally.throws_right, tally.plays_right, tally.false_alarms) == (0, 0, 20)


def test_causes_are_counted() -> None:
    void = [replace(e, valid=False, faults=("cocked",)) if isinstance(e, Throw) else e for e in TRUTH]
    wrong = [replace(e, faults=("on_frame",)) if isinstance(e, Throw) else e for e in void]
    assert compare(void, void).invalid_cause == 10
    tally = compare(void, wrong)
    assert (tally.invalid_caught, tally.invalid_cause, tally.throws_right) == (10, 0, 10)
