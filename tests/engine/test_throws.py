from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import CATALOGUE
from engine.events import Fault
from engine.layout import Orientation
from engine.observation import DieReading, DieState, Half
from engine.position import BAR, OFF, Game, Position, Side, index_of
from engine.rules import OPTIONS, RuleSet, default_rules
from engine.throws import (
    FAULTS,
    DieSeen,
    ThrowSeen,
    has_contact,
    is_forced,
    judge_throw,
    right_half,
    throw_faults,
)

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY
W, B = Side.WHITE, Side.BLACK
RIGHT, LEFT = DieSeen("right"), DieSeen("left")


def rules(game: Game = BG, **options: Any) -> RuleSet:
    return replace(default_rules(game), **options)


def seen(*dice: DieSeen, **more: Any) -> ThrowSeen:
    return ThrowSeen(dice=dice or (RIGHT, RIGHT), thrower=more.pop("thrower", W), **more)


def die(state: DieState = "flat", half: Half = "right", **more: Any) -> DieSeen:
    return DieSeen(half, state, **more)


EARLY: dict[str, Any] = {"other_finished": False}


def test_every_fault_has_its_words_and_its_row() -> None:
    assert set(FAULTS) == set(get_args(Fault))
    assert {row for _, row in FAULTS.values()} <= set(CATALOGUE)


@pytest.mark.parametrize(
    ("throw", "options", "faults"),
    [
        (seen(), {}, []),
        (seen(RIGHT), {}, [("one_die", "D1")]),
        (ThrowSeen(dice=()), {}, [("one_die", "D1")]),
        (seen(together=False), {}, [("one_die", "D1")]),
        (seen(together=True), {}, []),
        (seen(RIGHT, RIGHT, RIGHT), {}, [("wrong_dice", "D12")]),
        (seen(own_dice=False), {"dice_pairs": 1}, []),
        (seen(own_dice=False), {"dice_pairs": 2}, [("wrong_dice", "D12")]),
        (seen(own_dice=True), {}, []),
        # D2: what the dice come from
        (seen(cup_used=False), {"dice_from": "any"}, []),
        (seen(cup_used=False), {"dice_from": "cup_required"}, [("not_from_cup", "D2")]),
        (seen(cup_used=None), {"dice_from": "cup_required"}, []),
        (seen(cup_used=True), {"dice_from": "cup_required"}, []),
        (seen(cup_used=False), {"dice_from": "cup_on_demand"}, []),
        (seen(cup_used=False, cup_demanded=True), {"dice_from": "cup_on_demand"}, [("not_from_cup", "D2")]),
        (seen(cup_used=True, cup_demanded=True), {"dice_from": "cup_on_demand"}, []),
        (seen(cup_used=False, cup_demanded=True), {"dice_from": "any"}, []),
        # D3, D4, D6: halves
        (seen(LEFT, RIGHT), {}, [("two_halves", "D6")]),
        (seen(LEFT, RIGHT), {"throw_half": "right_half"}, [("two_halves", "D6")]),
        (seen(LEFT, RIGHT), {"throw_half": "any_half"}, []),
        (seen(LEFT, LEFT), {}, []),
        (seen(LEFT, LEFT), {"throw_half": "right_half"}, [("wrong_half", "D4")]),
        (seen(LEFT, LEFT, thrower=B), {"throw_half": "right_half"}, []),
        (seen(LEFT, LEFT, thrower=None), {"throw_half": "right_half"}, []),
        (seen(RIGHT, RIGHT), {"throw_half": "right_half"}, []),
        # D5, D7 to D9: how they lie
        (seen(RIGHT, die("off_board", "off")), {}, [("off_board", "D5")]),
        (seen(RIGHT, die("cocked")), {}, [("cocked", "D7")]),
        (seen(die("cocked"), die("cocked")), {}, [("cocked", "D7")]),
        (seen(RIGHT, die("on_checker")), {}, [("on_checker", "D8")]),
        (seen(RIGHT, die("on_checker")), {"die_on_checker": "valid_if_flat"}, []),
        (seen(RIGHT, die("on_frame", "left")), {}, [("on_frame", "D9")]),
        (seen(RIGHT, die("cocked", "left")), {}, [("cocked", "D7"), ("two_halves", "D6")]),
        (seen(RIGHT, die(touches_checker=True)), {"die_touching_checker": "valid_if_flat"}, []),
        (seen(RIGHT, die(touches_checker=True)), {"die_touching_checker": "invalid"}, [("on_checker", "D8")]),
        (
            seen(RIGHT, die("cocked", touches_checker=True)),
            {"die_touching_checker": "valid_if_flat"},
            [("cocked", "D7")],
        ),
        (
            seen(die("on_checker"), die(touches_checker=True)),
            {"die_touching_checker": "invalid"},
            [("on_checker", "D8")],
        ),
        # D13: too early
        (seen(**EARLY), {"early_roll": "void"}, [("premature", "D13")]),
        (seen(**EARLY, forced=True, contact=False), {"early_roll": "void"}, [("premature", "D13")]),
        (seen(**EARLY), {"early_roll": "void_unless_forced_or_no_contact"}, [("premature", "D13")]),
        (seen(**EARLY, forced=True), {"early_roll": "void_unless_forced_or_no_contact"}, []),
        (seen(**EARLY, contact=False), {"early_roll": "void_unless_forced_or_no_contact"}, []),
        (seen(**EARLY), {"early_roll": "allowed"}, []),
        (seen(other_finished=None), {"early_roll": "void"}, []),
        (seen(other_finished=True), {"early_roll": "void"}, []),
        (seen(**EARLY, thrower=B, to_move=W), {}, [("premature", "D13")]),
        # G10, D1: out of turn, out of order
        (seen(thrower=B, to_move=W), {}, [("wrong_side", "G10")]),
        (seen(thrower=W, to_move=W), {}, []),
        (seen(thrower=W, to_move=None), {}, []),
        (seen(moved_before=True), {}, [("premature", "D1")]),
    ],
)
def test_throws(throw: ThrowSeen, options: dict[str, Any], faults: list[tuple[str, str]]) -> None:
    """D1 D2 D3 D4 D5 D6 D7 D8 D9 D12 D13 G10; D10: both dice are thrown again, never one alone."""
    verdict = judge_throw(throw, rules(**options), Orientation.BOTTOM_RIGHT)
    assert [(f.fault, f.rule) for f in verdict.faults] == faults
    assert verdict.valid == (not faults)
    assert verdict.then == ("both_again" if faults else "roll_stands")
    assert all(f.reason for f in verdict.faults)


def test_dice_that_are_touched_later_leave_the_roll_as_it_was() -> None:
    """D11: the fault is told, the roll stands; another fault still makes it void."""
    verdict = judge_throw(seen(touched=True), rules(), Orientation.BOTTOM_RIGHT)
    assert [(f.fault, f.rule, f.void) for f in verdict.faults] == [("touched", "D11", False)]
    assert verdict.valid
    assert verdict.then == "roll_stands"
    verdict = judge_throw(seen(die("cocked"), RIGHT, touched=True), rules(), Orientation.BOTTOM_RIGHT)
    assert verdict.then == "both_again"
    assert not verdict.valid


def test_while_a_die_moves_nothing_is_said_of_how_it_lies() -> None:
    """D1: the dice come to rest first; a hand instead of the cup is seen before."""
    rolling = seen(die("cocked", "left", moving=True), RIGHT, cup_used=False, touched=True)
    verdict = judge_throw(rolling, rules(), Orientation.BOTTOM_RIGHT)
    assert not verdict.settled
    assert not verdict.valid
    assert verdict.faults == ()
    verdict = judge_throw(rolling, rules(dice_from="cup_required"), Orientation.BOTTOM_RIGHT)
    assert [f.fault for f in verdict.faults] == ["not_from_cup"]


def test_all_faults_are_named() -> None:
    throw = seen(
        die("cocked", "left"),
        die("on_checker"),
        cup_used=False,
        together=False,
        own_dice=False,
        touched=True,
        **EARLY,
    )
    verdict = judge_throw(throw, rules(dice_from="cup_required"), Orientation.BOTTOM_RIGHT)
    assert [f.rule for f in verdict.faults] == ["D1", "D12", "D7", "D8", "D6", "D2", "D13", "D11"]
    assert verdict.then == "both_again"


def test_the_right_half_is_the_throwers() -> None:
    """D4."""
    assert right_half(W, Orientation.BOTTOM_RIGHT) == "right"
    assert right_half(B, Orientation.BOTTOM_RIGHT) == "left"
    assert right_half(W, Orientation.TOP_LEFT) == "left"


def reading(state: DieState = "flat", half: Half = "right") -> DieReading:
    return DieReading((1.0, 0, 0, 0, 0, 0), ((state, 1.0),), (0, 0, 1, 1), (0.7, 0.5), half, 1.0)


@pytest.mark.parametrize(
    ("dice", "side", "faults"),
    [
        ([reading(), reading()], W, ()),
        ([reading(), reading()], B, ("wrong_half",)),
        ([reading(), reading()], None, ()),
        ([reading(), reading("cocked")], W, ("cocked",)),
        ([reading(half="left"), reading()], W, ("two_halves",)),
        ([reading()], W, ("one_die",)),
        ([reading("cocked", "left"), reading()], W, ("cocked", "two_halves")),
    ],
)
def test_what_the_camera_alone_shows(
    dice: list[DieReading], side: Side | None, faults: tuple[Fault, ...]
) -> None:
    right = rules(throw_half="right_half")
    assert throw_faults(dice, side, right, Orientation.BOTTOM_RIGHT) == faults
    cup = replace(right, dice_from="cup_required")
    by_hand = throw_faults(dice, side, cup, Orientation.BOTTOM_RIGHT, cup_used=False)
    assert by_hand == (*faults, "not_from_cup")
    assert throw_faults(dice, side, cup, Orientation.BOTTOM_RIGHT, cup_used=None) == faults


@pytest.mark.parametrize(("chance", "seen"), [(0.0, False), (0.4, False), (0.6, True), (1.0, True)])
def test_a_die_that_rather_touches_a_checker_is_a_fault_where_the_rules_say_so(
    chance: float, seen: bool
) -> None:
    """D8."""
    dice = [reading(), replace(reading(), touching=chance)]
    strict, usual = (rules(die_touching_checker=option) for option in ("invalid", "valid_if_flat"))
    assert throw_faults(dice, W, strict, Orientation.BOTTOM_RIGHT) == (("on_checker",) if seen else ())
    assert throw_faults(dice, W, usual, Orientation.BOTTOM_RIGHT) == ()


def position(game: Game, white: dict[int, int], black: dict[int, int]) -> Position:
    """A position by each side's own points; the rest is off."""
    points = [0] * 24
    bar = [white.get(BAR, 0), black.get(BAR, 0)]
    for side, counts in ((W, white), (B, black)):
        for point, count in counts.items():
            if point not in (BAR, OFF):
                points[index_of(game, side, point)] += count * side.sign
    off = (15 - sum(white.values()), 15 - sum(black.values()))
    return Position(tuple(points), (bar[0], bar[1]), off)


@pytest.mark.parametrize(
    ("game", "white", "black", "contact"),
    [
        (BG, {6: 2}, {18: 2}, False),
        (BG, {7: 2}, {19: 2}, True),
        (BG, {6: 2}, {BAR: 1, 3: 2}, True),
        (BG, {12: 5, 1: 2}, {12: 5, 2: 2}, False),
        (BG, {13: 5, 1: 2}, {13: 5, 2: 2}, True),
        (BG, {}, {BAR: 1}, False),
        (LN, {12: 5}, {12: 5}, False),
        (LN, {13: 1, 2: 5}, {12: 5}, True),
        (LN, {2: 5}, {13: 5}, True),
        (LN, {24: 15}, {24: 15}, True),
        (LN, {}, {24: 15}, False),
    ],
)
def test_contact(game: Game, white: dict[int, int], black: dict[int, int], contact: bool) -> None:
    """D13: in backgammon until all have passed, in nardy until both have left the first twelve holes."""
    assert has_contact(position(game, white, black), game) is contact


def test_a_turn_is_forced_where_one_play_is_left() -> None:
    """D13, M6: no play at all leaves no choice either."""
    closed = dict.fromkeys(range(1, 7), 2)
    assert is_forced(position(BG, {BAR: 1, 6: 5}, closed), W, (6, 5), rules())
    assert is_forced(position(BG, {24: 1}, {1: 2}), W, (6, 5), rules())
    assert not is_forced(Position.start(BG), W, (6, 5), rules())


ROWS: dict[Fault, set[str]] = {
    "one_die": {"D1"},
    "wrong_dice": {"D12"},
    "cocked": {"D7"},
    "on_checker": {"D8"},
    "on_frame": {"D9"},
    "off_board": {"D5"},
    "two_halves": {"D6"},
    "wrong_half": {"D4"},
    "not_from_cup": {"D2"},
    "premature": {"D1", "D13"},
    "wrong_side": {"G10"},
    "touched": {"D11"},
}
STATES: tuple[DieState, ...] = ("flat", "flat", "flat", "cocked", "on_checker", "on_frame", "off_board")


@given(st.integers(0, 2**32))
def test_any_throw_under_any_rules(seed: int) -> None:
    """Every option and everything that can be seen, in any combination."""
    rng = random.Random(seed)
    game = rng.choice([BG, LN])
    throwing = (
        "dice_from",
        "throw_half",
        "die_touching_checker",
        "die_on_checker",
        "early_roll",
        "dice_pairs",
    )
    chosen = {name: rng.choice(list(OPTIONS[name].allowed)) for name in throwing}
    halves: tuple[Half, ...] = ("left", "right")
    dice = tuple(
        DieSeen(rng.choice(halves), rng.choice(STATES), rng.random() < 0.2, rng.random() < 0.1)
        for _ in range(rng.choice([0, 1, 2, 2, 2, 2, 3]))
    )
    maybe = (None, None, True, False)
    throw = ThrowSeen(
        dice=dice,
        thrower=rng.choice([None, W, B]),
        to_move=rng.choice([None, W, B]),
        together=rng.choice(maybe),
        own_dice=rng.choice(maybe),
        cup_used=rng.choice(maybe),
        cup_demanded=rng.random() < 0.3,
        moved_before=rng.random() < 0.1,
        other_finished=rng.choice(maybe),
        forced=rng.random() < 0.3,
        contact=rng.random() < 0.7,
        touched=rng.random() < 0.2,
    )
    rule_set = rules(game, **chosen)
    verdict = judge_throw(throw, rule_set, rng.choice(list(Orientation)))
    for fault in verdict.faults:
        assert fault.rule in ROWS[fault.fault]
        assert fault.void == (fault.fault != "touched")
    names = [(f.fault, f.rule) for f in verdict.faults]
    assert len(set(names)) == len(names)
    void = any(f.void for f in verdict.faults)
    assert verdict.then == ("both_again" if void else "roll_stands")
    assert verdict.valid == (not void and not any(d.moving for d in dice))
    # Rules that are laxer never find more.
    lax = replace(
        rule_set,
        dice_from="any",
        throw_half="any_half",
        die_touching_checker="valid_if_flat",
        die_on_checker="valid_if_flat",
        early_roll="allowed",
    )
    found = {f.rule for f in judge_throw(throw, lax, Orientation.BOTTOM_RIGHT).faults}
    assert found <= {f.rule for f in verdict.faults} | {"G10", "D1"}
    assert not found & {"D2", "D4", "D6", "D13"}
