from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.judge import NEAREST, Cause, judge_play
from engine.legal import Play, View, legal_plays, position_of, reach, view_of
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import OPTIONS, RuleSet, default_rules

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY
W, B = Side.WHITE, Side.BLACK
Moves = Sequence[tuple[int, int]]


def moved(position: Position, game: Game, side: Side, *moves: tuple[int, int]) -> Position:
    """The board after moving a side's checkers by hand, whatever the rules say."""
    points, bar, off = list(position.points), list(position.bar), list(position.off)
    for source, target in moves:
        if source == BAR:
            bar[side.index] -= 1
        elif source == OFF:
            off[side.index] -= 1
        else:
            points[index_of(game, side, source)] -= side.sign
        if target == OFF:
            off[side.index] += 1
            continue
        if target == BAR:
            bar[side.index] += 1
            continue
        index = index_of(game, side, target)
        if points[index] * side.sign < 0:  # whoever stands there goes to the bar
            bar[side.other.index] += abs(points[index])
            points[index] = 0
        points[index] += side.sign
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


def board(
    game: Game, white: Mapping[int, int], black: Mapping[int, int], *, rest: int = OFF, black_rest: int = OFF
) -> Position:
    """A position by each side's own points; who is not named stands on ``rest`` (usually off)."""
    own = [0] * 26
    other = [0] * 26
    for counts, named, where in ((own, white, rest), (other, black, black_rest)):
        for point, count in named.items():
            counts[point] += count
        counts[where] += CHECKERS - sum(counts)
    points = [0] * 24
    for point in range(1, 25):
        points[index_of(game, W, point)] += own[point]
        points[index_of(game, B, point)] -= other[point]
    return Position(tuple(points), (own[BAR], other[BAR]), (own[OFF], other[OFF]))


def net(moves: Iterable[tuple[int, int]]) -> Counter[int]:
    """What a play changes: stops on the way cancel out."""
    change: Counter[int] = Counter()
    for source, target in moves:
        change[source] -= 1
        change[target] += 1
    return Counter({point: n for point, n in change.items() if n})


START, NARDY = Position.start(BG), Position.start(LN)
ON_BAR = board(BG, {BAR: 1, 24: 1, 13: 5, 8: 3}, {24: 2, 13: 5, 8: 3, 6: 5}, rest=6)
HOME_BUT_ONE = board(BG, {1: 3, 2: 3, 3: 3, 4: 3, 5: 2, 7: 1}, {6: 5, 5: 5, 4: 5})
HOME = board(BG, {1: 3, 2: 3, 3: 3, 4: 2, 5: 2, 6: 2}, {6: 5, 5: 5, 4: 5})
NARDY_HOME = board(LN, {1: 3, 2: 3, 3: 3, 4: 2, 5: 2, 6: 2}, {4: 15})
NARDY_HOME_BUT_ONE = board(LN, {7: 1, 6: 4, 2: 10}, {4: 15})
FIVE_IN_A_ROW = board(LN, {16: 1, 17: 2, 18: 2, 19: 2, 20: 2, 21: 2}, {24: 15}, rest=24)
FIVE_AND_ONE = board(LN, {16: 2, 17: 2, 18: 2, 19: 2, 20: 2, 23: 1}, {24: 15}, rest=24)
AFTER_55 = board(LN, {4: 1}, {24: 15}, rest=24)
BLACKS_55 = board(LN, {24: 15}, {4: 1}, black_rest=24)
#: After 13/7 no 5 is left; 20/14/9 plays both.
ONE_WAY = board(BG, {20: 1, 13: 1}, {17: 2, 23: 2, 10: 2, 1: 9}, rest=4)
CLOSED_OUT = board(BG, {BAR: 1, 13: 5}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}, rest=6, black_rest=13)
ONE_SIX = board(BG, {13: 1}, {14: 2, 20: 2, 1: 11})  #: 13/7 and nothing more, on 6-2


@dataclass(frozen=True)
class Case:
    """One way to go wrong: ``moves`` by the mover, ``theirs`` by the other side, under ``options``."""

    cause: Cause
    rule: str
    before: Position
    dice: tuple[int, int]
    moves: Moves
    points: set[int]
    game: Game = BG
    side: Side = W
    theirs: Moves = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()  #: rules broken besides

    @property
    def rules(self) -> RuleSet:
        return replace(default_rules(self.game), **self.options)

    def after(self) -> Position:
        after = moved(self.before, self.game, self.side, *self.moves)
        return moved(after, self.game, self.side.other, *self.theirs)


CASES = (
    Case("too_far", "E8", START, (5, 3), [(13, 7), (8, 5)], {13, 7}),
    Case("too_far", "E8", START, (6, 5), [(24, 11)], {24, 11}),
    Case("too_far", "E8", START, (3, 1), [(8, 5), (6, 4)], {6, 4}),
    Case("too_short", "E8", START, (6, 2), [(24, 18), (24, 23)], {24, 23}),
    Case("too_short", "E8", NARDY, (5, 2), [(24, 20)], {24, 20}, LN, B, also=("M3",)),
    # Two pips on are no three forward and one back, nor is a second 1 a 3 and a 2 back.
    Case("too_short", "E8", START, (3, 1), [(13, 11)], {13, 11}, also=("M3",)),
    Case("die_twice", "M1", START, (3, 1), [(8, 7), (6, 5)], {6, 5}),
    Case(
        "too_short",
        "E8",
        board(LN, {5: 2, 1: 1}, {1: 15}),
        (3, 3),
        [(5, 3), (5, 0), (1, 0)],
        {5, 3, 0},
        LN,
        also=("B2", "B3"),
    ),
    Case("die_split", "E8", START, (5, 1), [(13, 11), (6, 3), (8, 7)], {13, 11}),
    Case("die_twice", "M1", START, (3, 1), [(8, 5), (6, 3)], {6, 3}),
    Case("die_twice", "M1", HOME, (4, 1), [(4, 0), (4, 0)], {4, 0}),
    Case("too_many_moves", "M1", START, (3, 1), [(8, 5), (6, 5), (24, 22)], {24, 22}),
    Case("too_many_moves", "M2", START, (1, 1), [(8, 7), (8, 7), (6, 5), (6, 5), (24, 23)], set()),
    Case("too_many_moves", "M2", START, (2, 2), [(13, 11), (13, 11), (8, 4), (6, 4)], {8, 4}),
    Case("die_unused", "M3", START, (3, 1), [(8, 5)], {6}),
    Case("die_unused", "M3", START, (3, 1), [], set()),
    Case("die_unused", "M5", ONE_SIX, (6, 2), [], {13}),
    Case("die_unused", "M7", START, (3, 3), [(8, 5), (8, 5), (6, 3)], set()),
    Case("die_unused", "K3", board(BG, {BAR: 2}, {6: 15}, rest=6), (3, 2), [(BAR, 22)], {BAR}),
    Case("smaller_die", "M4", board(BG, {13: 1}, {23: 2, 1: 13}), (6, 5), [(13, 8)], set()),
    Case("wrong_checker", "M3", ONE_WAY, (6, 5), [(13, 7)], {13}),
    Case("past_bar", "K2", ON_BAR, (4, 2), [(6, 2), (8, 6)], {BAR, 8}),
    Case("past_bar", "K2", CLOSED_OUT, (5, 3), [(13, 8), (13, 10)], {BAR, 13}, also=("M6",)),
    Case("closed_point", "K1", START, (5, 1), [(24, 19), (8, 7)], {19}),
    Case("closed_point", "K1", board(BG, {13: 1}, {17: 2, 14: 2}, rest=6), (5, 2), [(13, 6)], set()),
    Case(
        "closed_point",
        "L1",
        board(LN, {13: 15}, {24: 14, 23: 1}),
        (2, 1),
        [(13, 11), (11, 10)],
        {11},
        LN,
        also=("M6",),
    ),
    Case("backwards", "G5", START, (3, 1), [(8, 11), (6, 5)], {8, 11}, side=B),
    Case("backwards", "G4", NARDY_HOME, (2, 1), [(4, 6), (2, 1)], {4, 6}, LN),
    Case("backwards", "G5", HOME_BUT_ONE, (1, 1), [(7, 6), (6, 5), (5, 4), (2, BAR)], {2, BAR}),
    Case("head_twice", "L2", NARDY, (5, 2), [(24, 19), (24, 22)], {24}, LN),
    Case("head_twice", "L2", NARDY, (6, 6), [(24, 18)] * 3, {24}, LN, options={"head_exc": (3, 4, 6)}),
    Case("head_twice", "L2", NARDY, (6, 6), [(24, 18)] * 2, {24}, LN, options={"head_exc": ()}),
    Case(
        "head_twice",
        "L4",
        NARDY,
        (3, 3),
        [(24, 21), (21, 18)] * 2,
        {24},
        LN,
        options={"head_mode": "if_stuck"},
    ),
    Case("head_twice", "L5", AFTER_55, (4, 4), [(24, 20)] * 2, {24}, LN, B, options={"note_55_44": True}),
    # Black began, and White is the one with the 4-4.
    Case("head_twice", "L5", BLACKS_55, (4, 4), [(24, 20)] * 2, {24}, LN, options={"note_55_44": True}),
    Case("head_twice", "L5", AFTER_55, (4, 4), [(24, 20)] * 3, {24}, LN, B, options={"note_55_44": True}),
    Case(
        "head_twice",
        "L6",
        NARDY,
        (5, 2),
        [(24, 19), (24, 22)],
        {24},
        LN,
        options={"head_relief": "any_blocked_roll"},
    ),
    Case("wall", "L7", FIVE_AND_ONE, (6, 2), [(23, 21), (24, 18)], {21, 20, 19, 18, 17, 16}, LN),
    Case("wall", "L8", FIVE_AND_ONE, (6, 2), [(23, 21), (24, 18)], {21, 16}, LN, options={"block": "home"}),
    Case("wall", "L7", FIVE_IN_A_ROW, (2, 1), [(24, 22), (16, 15)], {22, 17}, LN),
    Case(
        "wall_on_the_run",
        "L10",
        FIVE_AND_ONE,
        (1, 1),
        [(23, 22), (22, 21), (21, 20), (20, 19)],
        {21, 16},
        LN,
        options={"block_timing": "step"},
    ),
    Case("off_too_early", "B1", HOME_BUT_ONE, (4, 2), [(4, 0), (2, 0)], {4, 2, 7}),
    Case("off_too_early", "B1", NARDY_HOME_BUT_ONE, (6, 2), [(6, 0), (2, 0)], {6, 7}, LN),
    Case("off_too_early", "B6", board(BG, {20: 1, 2: 3}, {1: 15}), (2, 1), [(2, 0), (20, 19)], {2}),
    Case("off_wrong_point", "B3", HOME, (4, 1), [(3, 0), (2, 1)], {3, 4, 5, 6}),
    Case("off_wrong_point", "B2", HOME, (2, 1), [(5, 0)], {5}),
    Case("off_wrong_point", "B2", NARDY_HOME, (2, 1), [(4, 0)], {4}, LN),
    Case(
        "off_same_turn",
        "B5",
        NARDY_HOME_BUT_ONE,
        (6, 1),
        [(7, 6), (6, 0)],
        set(),
        LN,
        options={"off_same_turn": False},
    ),
    # Who bears off in the turn in which he comes home has come home first, in whatever order.
    Case(
        "off_same_turn",
        "B5",
        board(LN, {7: 1, 6: 2, 3: 3}, {13: 1, 2: 2}),
        (6, 1),
        [(7, 6), (6, 0)],
        {6},
        LN,
        options={"off_same_turn": False},
    ),
    Case(
        "hit_and_hide",
        "K4",
        board(BG, {13: 1, 8: 2}, {15: 1, 1: 14}, rest=6),
        (3, 2),
        [(13, 10), (10, 8)],
        {8},
        options={"hit_and_hide": "forbidden"},
    ),
    Case(
        "same_checker", "M1", START, (4, 2), [(24, 20), (20, 18)], {20}, options={"allow_same_checker": False}
    ),
    Case("wrong_side", "G10", START, (3, 1), [], {20, 17, 19}, theirs=[(8, 5), (6, 5)]),
    Case("wrong_side", "G11", START, (3, 1), [], {20, 17}, theirs=[(8, 5)]),
    Case("opponent_moved", "G11", START, (3, 1), [(8, 5), (6, 5)], {12, 15}, theirs=[(13, 10)]),
    Case("bar_without_hit", "K1", START, (3, 1), [(8, 5), (6, 5)], {1}, theirs=[(24, BAR)]),
    Case("bar_without_hit", "L1", NARDY, (2, 1), [(24, 22), (22, 21)], {12}, LN, theirs=[(24, BAR)]),
    Case(
        "hit_not_on_bar",
        "K1",
        board(BG, {13: 2}, {18: 1, 1: 14}, rest=6),
        (6, 1),
        [(13, 7), (6, 5)],
        {9},
        theirs=[(BAR, 16)],
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.rule}-{c.cause}-{c.game.value}")
def test_each_breach_is_named(case: Case) -> None:
    """B1 B2 B3 B5 B6 E8 G4 G5 G10 G11 K1 K2 K3 K4 L1 L2 L4 L5 L6 L7 L8 L10 M1 M2 M3 M4 M5 M6 M7."""
    verdict = judge_play(case.before, case.side, case.dice, case.after(), case.rules)
    assert not verdict.legal
    assert (verdict.rule, verdict.breaches[0].cause) == (case.rule, case.cause), verdict.breaches
    assert {b.rule for b in verdict.breaches} == {case.rule, *case.also}, verdict.breaches
    assert case.points <= {p for b in verdict.breaches for p in b.points}, verdict.breaches
    assert net(verdict.moves) == net(case.moves)
    assert verdict.ways == ()
    assert 0 < len(verdict.nearest) <= NEAREST
    for breach in verdict.breaches:
        assert breach.reason
        assert "\n" not in breach.reason


def judged(case: Case) -> set[str]:
    verdict = judge_play(case.before, case.side, case.dice, case.after(), case.rules)
    return {breach.cause for breach in verdict.breaches}


def test_every_cause_has_a_case() -> None:
    found = set().union(*map(judged, CASES))
    assert found | {"checkers_missing", "checkers_added"} == set(get_args(Cause))


def without(position: Position, game: Game, side: Side, point: int, count: int = 1) -> Position:
    """The board with checkers taken away, or with more if ``count`` is negative."""
    counts = list(view_of(position, game, side).own)
    counts[point] -= count
    return position_of(replace(view_of(position, game, side), own=tuple(counts)), game, side)


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize(
    ("point", "number", "cause", "played"),
    [
        (13, 1, "checkers_missing", "8/5 6/5"),
        (5, 1, "checkers_missing", "8/5 6/5"),
        (13, 2, "checkers_missing", "8/5 6/5"),
        (2, -1, "checkers_added", "8/5 6/5"),
        (13, -2, "checkers_added", "8/5 6/5"),
    ],
)
def test_checkers_added_or_missing(side: Side, point: int, number: int, cause: str, played: str) -> None:
    """G1: and what was played is told all the same."""
    after = without(moved(START, BG, side, (8, 5), (6, 5)), BG, side, point, number)
    verdict = judge_play(START, side, (3, 1), after, default_rules(BG))
    assert [(b.rule, b.cause) for b in verdict.breaches] == [("G1", cause)], verdict.breaches
    assert point in verdict.breaches[0].points
    assert verdict.notation == played
    assert verdict.nearest[0].notation == played
    assert not verdict.unfinished


@pytest.mark.parametrize(
    ("point", "number", "cause"), [(13, 1, "checkers_missing"), (13, -1, "checkers_added")]
)
def test_the_opponents_checkers_are_counted_too(point: int, number: int, cause: str) -> None:
    """G1."""
    after = without(moved(START, BG, W, (8, 5), (6, 5)), BG, B, point, number)
    verdict = judge_play(START, W, (3, 1), after, default_rules(BG))
    assert [(b.rule, b.cause) for b in verdict.breaches] == [("G1", cause)]
    assert verdict.breaches[0].points == (25 - point,)


def test_a_hit_checker_has_to_be_somewhere() -> None:
    """G1, K1."""
    before = board(BG, {13: 2}, {18: 1, 1: 14}, rest=6)
    after = without(moved(before, BG, W, (13, 7), (6, 5)), BG, B, BAR)
    verdict = judge_play(before, W, (6, 1), after, default_rules(BG))
    assert [(b.rule, b.cause) for b in verdict.breaches] == [("G1", "checkers_missing")]
    assert verdict.notation == "13/7* 6/5"


def test_a_hit_in_passing_is_part_of_the_play() -> None:
    """K1: the blot on the way has to be hit where the other way is closed."""
    before = board(BG, {13: 2}, {18: 1, 13: 2, 1: 12}, rest=6)
    after = moved(before, BG, W, (13, 7), (7, 6))
    assert judge_play(before, W, (6, 1), after, default_rules(BG)).legal
    unhit = moved(after, BG, B, (BAR, 18))
    verdict = judge_play(before, W, (6, 1), unhit, default_rules(BG))
    assert verdict.rule == "K1"


def test_checkers_that_were_missing_before_are_not_this_turns_fault() -> None:
    """G1."""
    before = without(START, BG, W, 13)
    assert judge_play(before, W, (3, 1), moved(before, BG, W, (8, 5), (6, 5)), default_rules(BG)).legal


def test_the_sentence_names_move_and_roll() -> None:
    """E8."""
    verdict = judge_play(START, W, (5, 3), moved(START, BG, W, (13, 7), (8, 5)), default_rules(BG))
    assert verdict.reason == "13/7 is 6 pips, and no 6 was rolled (5-3)"
    assert verdict.nearest[0].notation == "13/5"


def test_checkers_off_the_head_are_counted_once() -> None:
    """L2: of four that left it one breach is told, not one each."""
    verdict = judge_play(NARDY, W, (2, 2), moved(NARDY, LN, W, *[(24, 22)] * 4), default_rules(LN))
    assert [b.reason for b in verdict.breaches] == ["4 checkers left the head in one turn; only one may"]
    relief = replace(default_rules(LN), head_exc=(), head_relief="any_blocked_roll")
    verdict = judge_play(NARDY, W, (6, 6), moved(NARDY, LN, W, *[(24, 18)] * 3), relief)
    assert verdict.reason == "3 checkers left the head in one turn; only two may"  # L6


def test_more_than_one_rule_can_be_broken() -> None:
    """E8, K2."""
    after = moved(ON_BAR, BG, W, (8, 3), (6, 4))
    verdict = judge_play(ON_BAR, W, (4, 2), after, default_rules(BG))
    assert [b.rule for b in verdict.breaches] == ["K2", "E8"]


def test_an_unfinished_turn_is_told_from_a_wrong_one() -> None:
    """M3: what stands is the beginning of a legal play, or it is not."""
    rules = default_rules(BG)
    begun = judge_play(START, W, (3, 1), moved(START, BG, W, (8, 5)), rules)
    assert begun.unfinished
    assert judge_play(START, W, (3, 1), START, rules).unfinished
    assert not judge_play(ONE_WAY, W, (6, 5), moved(ONE_WAY, BG, W, (13, 7)), rules).unfinished
    assert judge_play(ONE_WAY, W, (6, 5), moved(ONE_WAY, BG, W, (20, 14)), rules).unfinished


def test_a_wall_passed_on_the_way_is_unfinished_business() -> None:
    """L7, L10: judged at the end, the wall stands only until the second 1 is played."""
    rules = default_rules(LN)
    begun = judge_play(FIVE_AND_ONE, W, (1, 1), moved(FIVE_AND_ONE, LN, W, (23, 21)), rules)
    assert begun.unfinished
    assert judge_play(FIVE_AND_ONE, W, (1, 1), moved(FIVE_AND_ONE, LN, W, (23, 19)), rules).legal


def test_a_step_wall_is_illegal_only_if_no_order_avoids_it() -> None:
    """L10: 23/21 first would make a wall, 20/18 first does not."""
    before = board(LN, {16: 2, 17: 2, 18: 1, 19: 1, 20: 1, 23: 1}, {24: 15}, rest=24)
    rules = replace(default_rules(LN), block_timing="step")
    verdict = judge_play(before, W, (5, 2), moved(before, LN, W, (23, 21), (20, 15)), rules)
    assert verdict.legal
    assert [[(m.from_point, m.to_point) for m in way] for way in verdict.ways] == [[(20, 15), (23, 21)]]


def test_a_wall_that_stands_already_is_not_blamed() -> None:
    """L7."""
    before = board(LN, {16: 2, 17: 2, 18: 2, 19: 2, 20: 2, 21: 2}, {24: 15}, rest=24)
    assert judge_play(before, W, (2, 1), moved(before, LN, W, (24, 22), (22, 21)), default_rules(LN)).legal


def test_the_second_checker_may_leave_the_head_once_the_first_is_stuck() -> None:
    """L3, L4: 4-4 lets each of two checkers go 24/16; the first may not stop half way."""
    rules = replace(default_rules(LN), head_mode="if_stuck")
    assert judge_play(NARDY, W, (4, 4), moved(NARDY, LN, W, (24, 16), (24, 16)), rules).legal
    begun = judge_play(NARDY, W, (4, 4), moved(NARDY, LN, W, (24, 16), (24, 20)), rules)
    assert begun.unfinished
    early = judge_play(NARDY, W, (4, 4), moved(NARDY, LN, W, (24, 20), (24, 20)), rules)
    assert not early.unfinished
    assert "L4" in {b.rule for b in early.breaches}


def test_ways_are_all_orders() -> None:
    """M1."""
    verdict = judge_play(START, W, (2, 1), moved(START, BG, W, (13, 10)), default_rules(BG))
    orders = {tuple((m.from_point, m.to_point) for m in way) for way in verdict.ways}
    assert orders == {((13, 11), (11, 10))}  # the 12-point is closed
    verdict = judge_play(START, W, (2, 1), moved(START, BG, W, (13, 11), (6, 5)), default_rules(BG))
    assert len(verdict.ways) == 2


def test_nothing_to_play_is_legal() -> None:
    """M6, K3."""
    verdict = judge_play(CLOSED_OUT, W, (5, 3), CLOSED_OUT, default_rules(BG))
    assert verdict.legal
    assert verdict.notation == "no play"
    assert verdict.reason == "legal"
    assert verdict.rule is None


# ---- property: what the generator plays is legal, what is corrupted is told -----------------------


def random_rules(rng: random.Random, game: Game) -> RuleSet:
    """Any combination of options that have to do with moving."""
    chosen: dict[str, Any] = {}
    for option in OPTIONS.values():
        if game not in option.games or option.name in ("scoring", "grades", "beaver", "raccoon"):
            continue
        if not isinstance(option.allowed, str):
            chosen[option.name] = rng.choice(option.allowed)
    if game is LN:
        chosen["head_exc"] = rng.choice([(), (3, 4, 6), (1, 2, 3, 4, 5, 6)])
    chosen["allow_same_checker"] = rng.random() < 0.7
    return replace(default_rules(game), **chosen)


def random_position(rng: random.Random, game: Game) -> Position:
    """Checkers anywhere that does not mix the sides, some of them near the end or on the bar."""
    home = rng.choice([24, 24, 14, 7])
    taken: dict[int, Side] = {}
    counts = {side: [0] * 26 for side in Side}
    for side in Side:
        counts[side][OFF] = rng.choice([0, 0, 0, 5, 12])
        while sum(counts[side]) < CHECKERS:
            point = rng.randint(1, home)
            if taken.setdefault(index_of(game, side, point), side) is side:
                counts[side][point] += 1
            elif game is BG and rng.random() < 0.1:
                counts[side][BAR] += 1
    points = [0] * 24
    for side in Side:
        for point in range(1, 25):
            points[index_of(game, side, point)] += counts[side][point] * side.sign
    white, black = counts[W], counts[B]
    return Position(tuple(points), (white[BAR], black[BAR]), (white[OFF], black[OFF]))


def situation(rng: random.Random) -> tuple[Position, Side, tuple[int, int], RuleSet]:
    game = rng.choice([BG, LN])
    rules = random_rules(rng, game)
    position, side = random_position(rng, game), rng.choice([W, B])
    if rng.random() < 0.5:
        position, side = Position.start(game), W
        for _ in range(rng.randint(0, 40)):
            play = rng.choice(legal_plays(position, side, (rng.randint(1, 6), rng.randint(1, 6)), rules))
            if CHECKERS in play.after.off:
                break
            position, side = play.after, side.other
    return position, side, (rng.randint(1, 6), rng.randint(1, 6)), rules


def corruptions(
    rng: random.Random, before: Position, play: Play, dice: tuple[int, int], rules: RuleSet
) -> Iterator[Position]:
    """What a play comes to when one thing goes wrong with it."""
    game, side = play.game, play.side
    view = view_of(play.after, game, side)

    def put(own: Sequence[int], enemy: Sequence[int]) -> Iterator[Position]:
        if min(*own, *enemy) >= 0 and not any(own[p] and enemy[p] for p in range(1, 25)):
            yield position_of(View(tuple(own), tuple(enemy)), game, side)

    def shift(source: int, target: int) -> Iterator[Position]:
        own, enemy = list(view.own), list(view.enemy)
        own[source] -= 1
        own[target] += 1
        if 1 <= target <= 24:
            enemy[BAR] += enemy[target]
            enemy[target] = 0
        yield from put(own, enemy)

    somewhere = rng.choice([p for p in range(BAR) if view.own[p]])
    for moved_to in (somewhere - 1, somewhere + 1, rng.randint(0, BAR)):  # a pip more, a pip less, anywhere
        if OFF <= moved_to <= BAR:
            yield from shift(somewhere, moved_to)
    for move in play.moves:
        back = 2 * move.from_point - move.to_point
        if back <= 24 and view.own[move.to_point]:
            yield from shift(move.to_point, back)  # moved the wrong way
    wrong = rng.choice([n for n in range(1, 7) if n not in dice])
    yield rng.choice(legal_plays(before, side, (wrong, dice[1]), rules)).after  # another die
    yield rng.choice(legal_plays(before, side, (wrong, wrong), rules)).after
    yield rng.choice(legal_plays(before, side.other, dice, rules)).after  # the other side's turn
    yield before
    for reached in reach(before, side, dice, rules)[1:]:
        yield rng.choice([*reached, before])  # dice left over
    own, enemy = list(view.own), list(view.enemy)
    for counts in (own, enemy):
        point = rng.choice([p for p in range(26) if counts[p]])
        counts[point] -= 1
        yield from put(own, enemy)  # taken away
        counts[rng.randint(0, BAR)] += 1
        yield from put(own, enemy)  # moved, or put back
        counts[:] = view.own if counts is own else view.enemy
        counts[rng.randint(0, BAR)] += 1
        yield from put(own, enemy)  # added
        counts[:] = view.own if counts is own else view.enemy


RULES_OF_PLAY = {
    *("G1", "G4", "G5", "G10", "G11", "E8", "M1", "M2", "M3", "M4", "M5", "M6", "M7"),
    *("L1", "L2", "L4", "L5", "L6", "L7", "L8", "L10"),
    *("B1", "B2", "B3", "B5", "B6", "K1", "K2", "K3", "K4"),
}


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_every_play_and_corruption_is_judged_right(seed: int) -> None:
    rng = random.Random(seed)
    before, side, dice, rules = situation(rng)
    plays = legal_plays(before, side, dice, rules)
    legal = {play.after for play in plays}
    for play in rng.sample(plays, min(2, len(plays))):
        verdict = judge_play(before, side, dice, play.after, rules)
        assert verdict.legal
        if len(plays) < 100:  # the ways of all of them are found at once
            assert play.moves in verdict.ways
            assert all(
                net((m.from_point, m.to_point) for m in way) == net(verdict.moves) for way in verdict.ways
            )
        for after in corruptions(rng, before, play, dice, rules):
            verdict = judge_play(before, side, dice, after, rules)
            assert verdict.legal == (after in legal)
            assert verdict.legal == (not verdict.breaches)
            assert {b.rule for b in verdict.breaches} <= RULES_OF_PLAY
            assert verdict.legal or set(verdict.nearest) <= set(plays)
            assert not (verdict.unfinished and verdict.legal)


@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_what_is_begun_legally_is_unfinished_and_nothing_else(seed: int) -> None:
    """M3, M5, M7: stopping anywhere on a legal way is the only thing that is wrong then."""
    rng = random.Random(seed)
    before, side, dice, rules = situation(rng)
    play = rng.choice(legal_plays(before, side, dice, rules))
    for way in judge_play(before, side, dice, play.after, rules).ways[:3]:
        for stop in range(len(way)):
            after = moved(before, play.game, side, *((m.from_point, m.to_point) for m in way[:stop]))
            verdict = judge_play(before, side, dice, after, rules)
            if verdict.legal:
                continue
            assert verdict.unfinished
            assert {b.cause for b in verdict.breaches} <= {"die_unused", "wall", "hit_and_hide"}
