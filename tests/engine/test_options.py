"""Every option of a rule set decides something: changing it alone changes the outcome of its cases."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, get_args

import pytest

from engine.events import (
    Call,
    CubeAction,
    CubeVerb,
    Event,
    GameEnd,
    GameStart,
    PlayMade,
    RollOff,
    Ruling,
    Throw,
    TurnEnd,
)
from engine.judge import judge_play
from engine.layout import Orientation, colour_of, start_layouts
from engine.legal import legal_plays
from engine.match import Match
from engine.position import CHECKERS, Game, Position, Side, index_of
from engine.rules import GRADES, OPTIONS, RuleSet, default_rules
from engine.rules import TurnEnd as TurnEndSignal
from engine.scoring import game_result
from engine.throws import DieSeen, ThrowSeen, judge_throw

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY
W, B = Side.WHITE, Side.BLACK
Outcome = Callable[[RuleSet], Hashable]


@dataclass(frozen=True)
class Case:
    """``outcome`` of a rule set for each of ``values`` of an option, ``given`` the rest; no two are alike."""

    rows: str  #: of rules.md
    game: Game
    values: tuple[Any, ...]
    outcome: Outcome
    given: dict[str, Any]


CASES: dict[str, list[Case]] = {}


def case(option: str, rows: str, game: Game, *values: Any, **given: Any) -> Callable[[Outcome], Outcome]:
    """The decorated function is a case for ``option``; no values: all that are allowed."""

    def taken(outcome: Outcome) -> Outcome:
        allowed = OPTIONS[option].allowed
        assert values or isinstance(allowed, tuple)
        CASES.setdefault(option, []).append(Case(rows, game, values or tuple(allowed), outcome, given))
        return outcome

    return taken


def board(game: Game, side: Side, own: dict[int, int], enemy: dict[int, int]) -> Position:
    """Checkers by points of ``side`` for both; those that are not named are off."""
    points = [0] * 24
    for counts, sign in ((own, side.sign), (enemy, -side.sign)):
        for point, count in counts.items():
            points[index_of(game, side, point)] += sign * count
    off = [CHECKERS - sum(own.values()), CHECKERS - sum(enemy.values())]
    return Position(tuple(points), off=(off[0], off[1]) if side is W else (off[1], off[0]))


def on_bar(position: Position, side: Side) -> Position:
    """The same with one of a side's borne-off checkers on the bar instead."""
    bar, off = list(position.bar), list(position.off)
    bar[side.index] += 1
    off[side.index] -= 1
    return replace(position, bar=(bar[0], bar[1]), off=(off[0], off[1]))


def plays(rules: RuleSet, position: Position, side: Side, *dice: int) -> frozenset[str]:
    """The legal plays, as they are written down."""
    return frozenset(p.notation for p in legal_plays(position, side, (dice[0], dice[1]), rules))


def rules_with(one: Case, option: str, value: Any) -> RuleSet:
    """The usual rules of the game and what the case gives, with one option set."""
    data = {**default_rules(one.game).to_json(), **one.given, option: value}
    if option == "scoring":
        del data["grades"]  # each scheme has grades of its own
    return RuleSet.from_mapping(data)


def start(rules: RuleSet, side: Side | None = None) -> GameStart:
    return GameStart(t=0, rules=rules, position=Position.start(rules.game), side_to_move=side)


def fold(rules: RuleSet, *events: Event, on: Match | None = None) -> Match:
    """The match after these events."""
    match = on or Match(rules, players=("Anna", "Boris"))
    for event in events:
        match = match.apply(event)
    return match


@pytest.mark.parametrize("option", OPTIONS)
def test_changing_the_option_alone_changes_the_outcome(option: str) -> None:
    assert option in CASES, f"no case shows what {option} does"
    for one in CASES[option]:
        assert one.game in OPTIONS[option].games
        outcomes = [one.outcome(rules_with(one, option, value)) for value in one.values]
        assert len(set(outcomes)) == len(one.values) >= 2, list(zip(one.values, outcomes, strict=True))


@pytest.mark.parametrize("option", OPTIONS)
def test_every_value_of_the_option_is_told_from_every_other(option: str) -> None:
    allowed = OPTIONS[option].allowed
    if isinstance(allowed, tuple):
        told = {frozenset((a, b)) for one in CASES[option] for a in one.values for b in one.values if a != b}
        assert told == {frozenset((a, b)) for a in allowed for b in allowed if a != b}


@pytest.mark.parametrize("option", OPTIONS)
def test_the_cases_name_the_rows_of_the_option(option: str) -> None:
    named = {row for one in CASES[option] for row in one.rows.split()}
    assert named <= set(OPTIONS[option].rows)
    assert named


def test_an_option_without_effect_or_case_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = Case("C5", BG, (False, True), lambda rules: rules.name, {})
    monkeypatch.setitem(CASES, "beaver", [idle])
    with pytest.raises(AssertionError):
        test_changing_the_option_alone_changes_the_outcome("beaver")
    monkeypatch.delitem(CASES, "beaver")
    with pytest.raises(AssertionError, match="no case shows what beaver does"):
        test_changing_the_option_alone_changes_the_outcome("beaver")
    with_two_of_three = [replace(case, values=case.values[:2]) for case in CASES["throw_half"]]
    monkeypatch.setitem(CASES, "throw_half", with_two_of_three)
    with pytest.raises(AssertionError):
        test_every_value_of_the_option_is_told_from_every_other("throw_half")


# Set-up and order of play


@case("direction", "G4", LN)
def where_a_set_up_board_may_lie(rules: RuleSet) -> Hashable:
    return frozenset(start_layouts(LN, rules.direction))


@case("opening_roll", "G7", BG)
@case("opening_roll", "G7", LN)
def what_follows_the_roll_off(rules: RuleSet) -> Hashable:
    match = fold(rules, start(rules), RollOff(t=1, white=5, black=2))
    return match.phase, match.dice


@case("rolloff_winner_takes_white", "G8", LN)
def black_wins_the_roll_off(rules: RuleSet) -> Hashable:
    match = fold(rules, start(rules), RollOff(t=1, white=2, black=5))
    return match.players, match.side_to_move


@case("next_game_start", "G9", BG)
@case("next_game_start", "G9", LN)
def white_has_won_the_first_game(rules: RuleSet) -> Hashable:
    end = GameEnd(t=1, winner=W, result=rules.grades[0][0], points=1)
    match = fold(rules, start(rules), end, start(rules))
    return match.players, match.side_to_move


# Throwing the dice


def faults(rules: RuleSet, *dice: DieSeen, **seen: Any) -> Hashable:
    """What the judge says of a throw of White, whose right hand is the right half of the picture."""
    thrown = ThrowSeen(dice=dice or (RIGHT, RIGHT), thrower=W, to_move=W, **seen)
    verdict = judge_throw(thrown, rules, Orientation.BOTTOM_RIGHT)
    return tuple(fault.fault for fault in verdict.faults), verdict.then


RIGHT, LEFT = DieSeen("right"), DieSeen("left")


@case("dice_from", "D2", BG)
@case("dice_from", "D2", LN)
def a_throw_from_the_hand_before_and_after_a_cup_was_demanded(rules: RuleSet) -> Hashable:
    return tuple(faults(rules, cup_used=False, cup_demanded=demanded) for demanded in (False, True))


@case("throw_half", "D3 D4 D6", BG)
def dice_to_the_left_and_on_both_sides(rules: RuleSet) -> Hashable:
    return faults(rules, RIGHT, RIGHT), faults(rules, LEFT, LEFT), faults(rules, LEFT, RIGHT)


@case("die_touching_checker", "D8", BG)
@case("die_touching_checker", "D8", LN)
def a_flat_die_against_a_checker(rules: RuleSet) -> Hashable:
    return faults(rules, RIGHT, DieSeen("right", touches_checker=True))


@case("die_on_checker", "D8", BG)
@case("die_on_checker", "D8", LN)
def a_die_on_top_of_checkers(rules: RuleSet) -> Hashable:
    return faults(rules, RIGHT, DieSeen("right", "on_checker"))


@case("early_roll", "D13", BG)
def a_throw_before_the_other_has_finished(rules: RuleSet) -> Hashable:
    plain = faults(rules, other_finished=False, forced=False, contact=True)
    return plain, faults(rules, other_finished=False, forced=True, contact=True)


@case("early_roll", "D13", BG, "void", "void_unless_forced_or_no_contact")
def a_throw_before_the_other_has_finished_a_race(rules: RuleSet) -> Hashable:
    return faults(rules, other_finished=False, forced=False, contact=False)


@case("dice_pairs", "D12", BG)
@case("dice_pairs", "D12", LN)
def dice_that_are_not_the_throwers(rules: RuleSet) -> Hashable:
    return faults(rules, own_dice=False)


# End of turn, illegal plays, touch

FOUL = {13: 5, 10: 1, 8: 2, 6: 5, 24: 2}  #: White's start after 8/10, backwards
CORRECT = {13: 5, 8: 2, 6: 4, 5: 2, 24: 2}  #: and after 8/5 6/5
START = {1: 2, 12: 5, 17: 3, 19: 5}  #: Black's start, by White's points


def throw(side: Side, a: int, b: int) -> Throw:
    return Throw(t=2, side=side, colour=colour_of(side), dice=(a, b), valid=True)


def played(rules: RuleSet, own: dict[int, int], *dice: int) -> PlayMade:
    """White's play from the start of backgammon, with the judge's verdict."""
    after = board(BG, W, own, START)
    verdict = judge_play(Position.start(BG), W, (dice[0], dice[1]), after, rules)
    return PlayMade(
        t=3,
        side=W,
        colour="light",
        dice=(dice[0], dice[1]),
        moves=verdict.moves,
        notation=verdict.notation,
        legal=verdict.legal,
        rule=verdict.rule,
        position=after,
        slots=(0,) * 24,
        bar=(0, 0),
        off=(0, 0),
    )


@case("turn_end", "E1 E2 E3", BG, ["clock"], ["dice_lifted"], ["dice_handed_over"], [])
@case("turn_end", "E1 E3", BG, ["clock"], ["dice_lifted"], ["clock", "dice_lifted"])
def the_play_may_be_changed_after(rules: RuleSet) -> Hashable:
    """For each signal: does the turn go on after it?"""
    made = fold(rules, start(rules), throw(W, 3, 1), played(rules, FOUL, 3, 1))
    return tuple(made.apply(TurnEnd(t=4, side=W, how=how)).turn_open for how in get_args(TurnEndSignal))


@case("touch_move", "E4", BG)
def a_play_is_changed(rules: RuleSet) -> Hashable:
    made = fold(rules, start(rules), throw(W, 3, 1), played(rules, FOUL, 3, 1))
    return made.refusal(played(rules, CORRECT, 3, 1))


@case("touch_move", "E7", BG)
def the_opponent_says_that_a_checker_was_touched(rules: RuleSet) -> Hashable:
    thrown = fold(rules, start(rules), throw(W, 3, 1))
    return thrown.refusal(Call(t=3, side=B, what="touched", point=8))


@case("illegal_policy", "E5", BG)
def an_illegal_play_is_accepted(rules: RuleSet) -> Hashable:
    made = fold(rules, start(rules), throw(W, 3, 1), played(rules, FOUL, 3, 1))
    return made.position, made.refusal(Ruling(t=4, decision="accept", asked_by=B))


@case("claim_window", "E2 E6", BG)
def a_correct_play_is_demanded_with_the_dice_taken(rules: RuleSet) -> Hashable:
    taken = TurnEnd(t=4, side=W, how="dice_handed_over")
    made = fold(rules, start(rules), throw(W, 3, 1), played(rules, FOUL, 3, 1), taken)
    return made.refusal(Ruling(t=5, decision="demand", asked_by=B))


# Moving


@case("allow_same_checker", "M1", BG)
def one_checker_by_both_dice(rules: RuleSet) -> Hashable:
    return "24/13" in plays(rules, Position.start(BG), W, 6, 5)


@case("allow_same_checker", "M1", LN)
def one_checker_from_the_head_by_both_dice(rules: RuleSet) -> Hashable:
    return plays(rules, Position.start(LN), W, 2, 1)


@case("head_exc", "L2 L3", LN, [], [3, 4, 6], [1, 2, 3, 4, 5, 6])
def doubles_at_the_first_turn(rules: RuleSet) -> Hashable:
    return tuple(plays(rules, Position.start(LN), W, n, n) for n in range(1, 7))


@case("head_mode", "L4", LN)
def three_threes_and_then_the_head(rules: RuleSet) -> Hashable:
    return plays(rules, Position.start(LN), W, 3, 3)


@case("note_55_44", "L5", LN)
def fours_after_fives(rules: RuleSet) -> Hashable:
    return plays(rules, board(LN, W, {24: 14, 4: 1}, {12: 15}), B, 4, 4)


@case("head_relief", "L6", LN)
def the_roll_can_be_played_from_the_head_alone(rules: RuleSet) -> Hashable:
    return plays(rules, board(LN, W, {24: 14, 2: 1}, {12: 10, 13: 5}), W, 6, 5)


def may_build_a_wall(rules: RuleSet, enemy: dict[int, int]) -> bool:
    """6/5 and 13/11: a wall of White on its points 6 to 11 before an enemy whose head is White's 12."""
    position = board(LN, W, {1: 8, 7: 2, 8: 1, 9: 1, 10: 1, 11: 1, 13: 1}, enemy)
    return "13/11 7/6" in plays(rules, position, W, 2, 1)


@case("block", "L7 L8 L9", LN)
def a_wall_with_none_or_one_before_it(rules: RuleSet) -> Hashable:
    return may_build_a_wall(rules, {12: 15}), may_build_a_wall(rules, {12: 14, 2: 1})


@case("block", "L8", LN, "ahead", "none")
@case("block", "L9", LN, "home", "none")
def a_wall_on_the_enemys_last_six(rules: RuleSet) -> Hashable:
    """White closes its 13 to 18, the enemy's home: nothing can be ahead of it, and none is in there."""
    position = board(LN, W, {14: 1, 15: 1, 16: 1, 17: 1, 18: 2, 24: 9}, {12: 10, 7: 5})
    return "24/23 18/13" in plays(rules, position, W, 5, 1)


@case("block_timing", "L10", LN)
def a_wall_on_the_way(rules: RuleSet) -> Hashable:
    """13/11 stands in a wall of six until 11/10."""
    position = board(LN, W, {1: 8, 6: 2, 7: 1, 8: 1, 9: 1, 10: 1, 13: 1}, {12: 15})
    return "13/10" in plays(rules, position, W, 2, 1)


@case("block_wrap", "L7", LN)
def a_wall_across_the_enemys_seam(rules: RuleSet) -> Hashable:
    """White on 10 to 15, the enemy's last three holes and his first three, with all of him behind."""
    position = board(LN, W, {16: 2, 14: 2, 13: 2, 12: 2, 11: 2, 10: 2, 1: 3}, {9: 15})
    return "16/15" in {p.split()[0] for p in plays(rules, position, W, 1, 2)}


@case("off_same_turn", "B5", LN)
def the_last_checker_comes_home(rules: RuleSet) -> Hashable:
    return plays(rules, board(LN, W, {7: 1, 5: 14}, {1: 15}), W, 6, 1)


@case("hit_and_hide", "K4", BG)
def a_hit_on_the_way_to_safety(rules: RuleSet) -> Hashable:
    position = board(BG, W, {8: 1, 3: 2, 1: 12}, {6: 1, 24: 14})
    return "8/6*/3" in plays(rules, position, W, 2, 3)


# End and score


def graded(rules: RuleSet, position: Position, **known: Any) -> Hashable:
    found = game_result(position, rules, **known)
    return found and (found.winner, found.result, found.points)


@case("last_throw", "B8", LN)
def the_side_that_began_finishes(rules: RuleSet) -> Hashable:
    return graded(rules, board(LN, W, {}, {14: 3}), first=W)


@case("draw_points", "B8", LN, last_throw=True)
def both_finish(rules: RuleSet) -> Hashable:
    return graded(rules, board(LN, W, {}, {}), first=W, last_throw_taken=True)


@case("scoring", "P2 P3 P4 P5", BG)
def a_loser_on_the_bar(rules: RuleSet) -> Hashable:
    return graded(rules, on_bar(board(BG, W, {}, {1: 14}), B))


@case("scoring", "P1 P3 P5", LN, "oin_mars", "four_grade", "remaining_checkers")
def a_loser_with_thirteen_left(rules: RuleSet) -> Hashable:
    return graded(rules, board(LN, W, {}, {14: 13}))


@case(
    "grades",
    "P4",
    BG,
    {"single": 1, "gammon": 2, "backgammon": 3},
    {"single": 1, "gammon": 3, "backgammon": 4},
)
def a_gammon(rules: RuleSet) -> Hashable:
    return graded(rules, board(BG, W, {}, {24: 15}))


@case("grades", "P1 P2", LN, {"oin": 1, "mars": 2}, {"oin": 1, "mars": 3})
def a_mars(rules: RuleSet) -> Hashable:
    return graded(rules, board(LN, W, {}, {14: 15}))


@case("koks_zone", "P4", BG)
@case("koks_zone", "P3", BG, scoring="four_grade", grades=dict(GRADES["four_grade"]))
def a_loser_in_the_winners_home(rules: RuleSet) -> Hashable:
    return graded(rules, board(BG, W, {}, {3: 1, 24: 14}))


# Cube and match


def double(side: Side, value: int, action: CubeVerb = "double") -> CubeAction:
    return CubeAction(t=5, side=side, action=action, value=value)


@case("cube", "C1 C2 C3 C4", BG)
@case("cube", "C2", LN)
def a_first_double(rules: RuleSet) -> Hashable:
    return fold(rules, start(rules, W)).refusal(double(W, 2))


@case("cube_cap", "C4", BG, 0, 2, 4)
def doubles_to_two_four_and_eight(rules: RuleSet) -> Hashable:
    """How often the cube may be turned."""
    match, side = fold(rules, start(rules, W)), W
    for turned in range(3):
        if match.refusal(double(side, 2 * match.cube)):
            return turned
        match = fold(
            rules, *[double(side, 2 * match.cube), double(side.other, 2 * match.cube, "take")], on=match
        )
        match, side = replace(match, side_to_move=side.other), side.other
    return 3


@case("beaver", "C5", BG)
def a_beaver(rules: RuleSet) -> Hashable:
    return fold(rules, start(rules, W), double(W, 2)).refusal(double(B, 4, "beaver"))


@case("raccoon", "C5", BG, beaver=True)
def a_raccoon(rules: RuleSet) -> Hashable:
    offered = fold(rules, start(rules, W), double(W, 2), double(B, 4, "beaver"))
    return offered.refusal(double(W, 8, "raccoon"))


@case("auto_doubles", "C6", BG, 0, 1, 2)
def equal_dice_twice(rules: RuleSet) -> Hashable:
    equal = RollOff(t=1, white=3, black=3)
    match = fold(rules, start(rules), equal, equal)
    return match.cube, match.cube_owner


@case("jacoby", "C7", BG)
def a_gammon_without_a_double(rules: RuleSet) -> Hashable:
    return fold(rules, start(rules), GameEnd(t=1, winner=W, result="gammon", points=2)).score


@case("crawford", "C9", BG, match_length=3)
def a_double_a_point_before_the_match(rules: RuleSet) -> Hashable:
    end = GameEnd(t=1, winner=W, result="gammon", points=2)
    return fold(rules, start(rules), end, start(rules, B)).refusal(double(B, 2))


@case("match_length", "C8", BG, 0, 1, 3)
@case("match_length", "C8", LN, 0, 1, 3)
@case("match_length", "P5", LN, 0, 6, 18, scoring="remaining_checkers", grades={"checker": 1})
def the_match_is_won_after(rules: RuleSet) -> Hashable:
    """How many games won with six enemy checkers left on the board it takes."""
    last = game_result(board(rules.game, W, {}, {13: 6}), rules)
    assert last is not None
    match = Match(rules)
    for number in range(1, 4):
        match = fold(rules, start(rules), on=match)
        winner = match.seats[0]  # the same player, whatever colour he has by now
        match = match.apply(GameEnd(t=1, winner=winner, result=last.result, points=last.points))
        if match.phase == "match_over":
            return number
    return None
