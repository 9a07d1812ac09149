from __future__ import annotations

from dataclasses import replace

from bench import faults, hard
from bench.compare import compare, paired
from bench.simulated import causes, causes_of, jobs
from engine.events import Desync, Doubt, Event, PlayMade, Resync, RollOff, Throw
from engine.position import Game
from engine.throws import FAULTS
from hardware.table import CONDITIONS, STYLES
from hardware.table.scene import POSES
from tests.engine.playing import random_game

TRUTH = list(random_game(Game.BACKGAMMON, 7))[:21]  # ten turns


def test_the_truth_itself_is_perfect() -> None:
    tally = compare(TRUTH, TRUTH)
    assert tally.perfect
    assert (tally.throws_right, tally.plays_right) == (tally.throws, tally.plays) == (10, 10)


def test_a_missing_event_costs_one() -> None:
    tally = compare(TRUTH, TRUTH[:3] + TRUTH[4:])
    assert (tally.throws_right, tally.plays_right, tally.false_events) == (9, 10, 0)


def test_a_roll_off_counts_as_a_throw_whose_dice_have_owners() -> None:
    rolled = [RollOff(t=1, white=2, black=5), *TRUTH]
    assert compare(rolled, rolled).throws_right == 11
    for read in (TRUTH, [RollOff(t=1, white=5, black=2), *TRUTH]):
        tally = compare(rolled, read)
        assert (tally.throws, tally.throws_right, tally.plays_right) == (11, 10, 10)
    assert compare(TRUTH, rolled).false_events == 1


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


def test_a_throw_that_is_told_again_as_the_others_counts_as_it_was_told_last() -> None:
    first = next(e for e in TRUTH if isinstance(e, Throw))
    wrong = replace(first, side=first.side.other)
    at = TRUTH.index(first)
    told = [*TRUTH[:at], wrong, *TRUTH[at:]]
    tally = compare(TRUTH, told)
    assert (tally.throws_right, tally.false_events, tally.taken_back) == (10, 0, 1)
    tally = compare(TRUTH, [*TRUTH[:at], first, wrong, *TRUTH[at + 1 :]])
    assert (tally.throws_right, tally.taken_back) == (9, 1)
    assert compare(TRUTH, TRUTH).taken_back == 0


def test_causes_are_counted() -> None:
    void = [replace(e, valid=False, faults=("cocked",)) if isinstance(e, Throw) else e for e in TRUTH]
    wrong = [replace(e, faults=("on_frame",)) if isinstance(e, Throw) else e for e in void]
    assert compare(void, void).invalid_cause == 10
    tally = compare(void, wrong)
    assert (tally.invalid_caught, tally.invalid_cause, tally.throws_right) == (10, 0, 10)


def test_an_illegal_play_told_as_a_legal_one_is_counted() -> None:
    illegal = [replace(e, legal=False, rule="E8") if isinstance(e, PlayMade) else e for e in TRUTH]
    tally = compare(illegal, TRUTH)
    assert (tally.illegal, tally.illegal_caught, tally.illegal_as_legal) == (10, 0, 10)
    assert compare(illegal, illegal).illegal_as_legal == 0


def test_what_is_wrong_near_a_doubt_or_out_of_step_was_not_told_as_sure() -> None:
    def missed(*others: Event) -> int:
        return compare(TRUTH, [*TRUTH[:5], *others, *TRUTH[6:]]).wrong_undoubted

    t = TRUTH[5].t
    options = (("one", 0.6), ("another", 0.4))
    assert missed() == 1
    assert missed(Doubt(t=t + 4, about="throw", options=options)) == 0
    assert missed(Doubt(t=t + 6, about="throw", options=options)) == 1
    lost, found = Desync(t=t + 8, reason="", slots=()), Resync(t=t + 20, reason="")
    assert missed(lost, found) == missed(lost) == 0
    late = Desync(t=t + 13, reason="", slots=())
    assert missed(late) == 1


def test_causes_are_counted_by_what_was_said_and_what_was_so() -> None:
    void = [replace(e, valid=False, faults=("cocked",)) if isinstance(e, Throw) else e for e in TRUTH]
    wrong = [replace(e, faults=("on_frame",)) if isinstance(e, Throw) else e for e in void]
    counted = causes(paired(void, wrong), wrong)
    assert {word: counted[("cocked", word)] for word in ("happened", "caught", "named", "told", "so")} == {
        "happened": 10,
        "caught": 10,
        "named": 0,
        "told": 0,
        "so": 0,
    }
    assert (counted[("on_frame", "told")], counted[("on_frame", "so")]) == (10, 0)
    assert causes(paired(void, void), void)[("cocked", "so")] == 10
    assert causes(paired(TRUTH, TRUTH), TRUTH).total() == 0


def test_every_board_comes_under_every_camera() -> None:
    for game in Game:
        mine = [job for job in jobs(quick=False) if job.game is game]
        assert [job.seed for job in mine] == list(range(1, 21))
        assert {(job.style, job.pose) for job in mine} == {(s, p) for s in STYLES for p in POSES}


def test_a_throw_that_is_told_again_counts_once() -> None:
    touched = [replace(e, faults=("touched",)) if isinstance(e, Throw) else e for e in TRUTH]
    place = next(i for i, e in enumerate(TRUTH) if isinstance(e, Throw))
    again = [*TRUTH[: place + 1], touched[place], *TRUTH[place + 1 :]]
    tally = compare(touched, again)
    assert (tally.throws_right, tally.false_events) == (10, 0)
    counted = causes(paired(touched, again), again)
    assert (counted[("touched", "named")], counted[("touched", "caught")]) == (1, 1)


def test_every_hard_condition_is_put_to_five_games() -> None:
    for name in ("none", hard.SLOW, hard.HEADS, *CONDITIONS):
        five = hard.jobs(name, quick=False)
        assert len({(job.seed, job.style) for job in five}) == 5
        assert len({job.pose for job in five}) == 3
        assert {job.conditions for job in five} == {(name,) if name in CONDITIONS else ()}
        if name != hard.HEADS:
            assert [job.game for job in five].count(Game.BACKGAMMON) == 3
    assert {job.fps for job in hard.jobs(hard.SLOW, quick=False)} == {5.0}


def test_matches_go_on_until_there_are_faults_enough() -> None:
    made = faults.jobs(6)
    found = [cause for job in made for event in job.table().truth() for cause in causes_of(event)]
    throws = [cause for cause in found if cause in FAULTS]
    assert len(throws) >= 6
    assert len(found) - len(throws) >= 6
    assert len({job.seed for job in made}) == len(made)
