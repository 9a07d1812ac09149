"""The match: turns, cube, claims, scores, next games, and what a correction changes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import judge
from engine.catalogue import CATALOGUE
from engine.commentary import sentence
from engine.corrections import correct, replay, resolve
from engine.events import (
    BoardSeen,
    Call,
    CallWord,
    Correction,
    CubeAction,
    CubeVerb,
    Decision,
    Desync,
    Doubt,
    Event,
    GameEnd,
    GameStart,
    MatchStart,
    PlayMade,
    Resignation,
    Resync,
    RollOff,
    Ruling,
    SetUp,
    Throw,
    TurnEnd,
    dumps,
    loads,
)
from engine.layout import Orientation, colour_of
from engine.legal import legal_plays
from engine.match import Match, MatchError
from engine.position import CHECKERS, Game, Position, Side
from engine.roster import Consulting
from engine.rules import GRADES, RuleSet, default_rules
from engine.scoring import GameResult
from tests.engine.playing import made, random_game, random_match

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY
WHITE, BLACK = Side.WHITE, Side.BLACK
SHORT = default_rules(BG)
WINNER_STARTS = default_rules(LN)
LONG = replace(WINNER_STARTS, rolloff_winner_takes_white=True, next_game_start="swap_colours")
NAMES = ("Anna", "Boris")


def board(
    white: dict[int, int], black: dict[int, int], off: tuple[int, int], bar: tuple[int, int] = (0, 0)
) -> Position:
    """A position from counts by White's point number."""
    points = [white.get(i + 1, 0) - black.get(i + 1, 0) for i in range(24)]
    return Position(tuple(points), bar, off)


def start(rules: RuleSet = SHORT, side: Side | None = None, position: Position | None = None) -> GameStart:
    return GameStart(t=0, rules=rules, position=position or Position.start(rules.game), side_to_move=side)


def throw(side: Side, *dice: int, valid: bool = True) -> Throw:
    faults = () if valid else ("cocked",)
    return Throw(t=1, side=side, colour=colour_of(side), dice=(dice[0], dice[1]), valid=valid, faults=faults)  # type: ignore[arg-type]


def cube(side: Side, action: CubeVerb, value: int) -> CubeAction:
    return CubeAction(t=2, side=side, action=action, value=value)


def rule(decision: Decision) -> Ruling:
    return Ruling(t=3, decision=decision, asked_by=BLACK)


def call(side: Side, what: CallWord, point: int | None = None) -> Call:
    return Call(t=3, side=side, what=what, point=point)


def after(match: Match, *events: Event) -> Match:
    for event in events:
        match = match.apply(event)
    return match


def position_of(match: Match) -> Position:
    assert match.position is not None
    return match.position


def begun(rules: RuleSet = SHORT, side: Side = WHITE, position: Position | None = None) -> Match:
    """A match whose first game has begun, ``side`` to throw."""
    return Match(rules, players=NAMES).apply(start(rules, side, position))


def points(match: Match) -> list[float]:
    """White's and Black's."""
    return list(match.score)


def refused(match: Match, event: Event, why: str) -> None:
    """It cannot follow, for this reason, and the match can be asked for it beforehand."""
    with pytest.raises(MatchError, match=why) as caught:
        match.apply(event)
    assert match.refusal(event) == str(caught.value)


def plays(match: Match, side: Side, *dice: int, nth: int = 0) -> tuple[Throw, PlayMade]:
    """A throw and a legal play of it from where the match stands."""
    assert match.position is not None
    rolled = (dice[0], dice[1])
    play = legal_plays(match.position, side, rolled, match.rules)[nth]
    return throw(side, *dice), made(match.position, side, rolled, play.after, match.rules, 2)


def illegal(match: Match, side: Side, *dice: int) -> PlayMade:
    """The first play of another roll, which these dice do not give."""
    assert match.position is not None
    other = legal_plays(match.position, side, (6, 6) if dice != (6, 6) else (1, 1), match.rules)[0]
    play = made(match.position, side, (dice[0], dice[1]), other.after, match.rules, 2)
    assert not play.legal
    return play


# -- beginning ----------------------------------------------------------------------------------


def test_a_match_has_the_length_of_its_rules() -> None:
    """C8: a match to a number of points."""
    assert Match(replace(SHORT, match_length=7)).length == 7
    longer = Match(SHORT, 5, NAMES)
    assert (longer.length, longer.rules.match_length) == (5, 5)
    assert replace(longer, rules=LONG).rules.match_length == 5  # the board told another game


def test_a_match_start_says_what_no_camera_sees() -> None:
    """C11: and who stands behind the names."""
    roster = Consulting((("Anna", "Boris"), ("Clara", "David")))
    rules = replace(SHORT, match_length=5)
    seen = BoardSeen(t=0, corners=(), orientation=Orientation.TOP_LEFT, confidence=1)
    event = MatchStart(t=1, rules=rules, players=roster.names(), roster=roster)
    match = after(Match(LONG), seen, event)
    assert (match.rules, match.length, match.players) == (rules, 5, ("Anna & Boris", "Clara & David"))
    assert (match.roster, match.orientation) == (roster, Orientation.TOP_LEFT)
    assert after(match, start(rules)).roster == roster
    refused(after(match, start(rules)), event, "under way")


@pytest.mark.parametrize("game", list(Game))
def test_a_match_from_game_to_game_until_it_is_won(game: Game) -> None:
    """C8, B7"""
    match = Match(default_rules(game), length=3, players=NAMES)
    for seed in range(10):
        for event in random_game(game, seed):
            assert sentence(event, match)
            match = match.apply(event)
        if match.winner:
            break
    assert match.winner is not None
    assert match.phase == "match_over"
    assert max(match.score) >= 3
    refused(match, start(match.rules), "won")


def test_short_roll_off_is_the_first_roll() -> None:
    """G7"""
    match = after(Match(SHORT), start(), RollOff(t=1, white=2, black=2), RollOff(t=2, white=2, black=5))
    assert (match.side_to_move, match.dice, match.phase, match.first) == (BLACK, (2, 5), "to_play", BLACK)
    assert match.dice_valid
    refused(match, RollOff(t=3, white=1, black=6), "under way")
    assert after(match, throw(BLACK, 5, 2)).dice == (5, 2)  # the camera tells it too


def test_a_void_roll_off_is_made_again() -> None:
    """G7, D10"""
    match = after(Match(SHORT), start(), RollOff(t=2, white=2, black=5), rule("rethrow"))
    assert (match.phase, match.dice_valid) == ("to_throw", False)
    assert after(match, RollOff(t=3, white=6, black=1)).side_to_move is WHITE


def test_long_roll_off_is_followed_by_a_throw() -> None:
    """G7"""
    match = after(Match(LONG), start(LONG), RollOff(t=2, white=6, black=5))
    assert (match.side_to_move, match.dice, match.phase) == (WHITE, None, "to_throw")
    refused(match, throw(BLACK, 2, 1), "White's turn")
    refused(match, RollOff(t=3, white=1, black=6), "under way")
    refused(after(Match(LONG), start(LONG)), RollOff(t=3, white=0, black=6), "0 and 6")


def test_the_higher_die_takes_white() -> None:
    """G8: the players change places, and White begins."""
    match = after(Match(LONG, players=NAMES), start(LONG), RollOff(t=1, white=2, black=5))
    assert (match.players, match.seats, match.side_to_move) == (("Boris", "Anna"), (BLACK, WHITE), WHITE)
    kept = replace(LONG, rolloff_winner_takes_white=False)
    match = after(Match(kept, players=NAMES), start(kept), RollOff(t=1, white=2, black=5))
    assert (match.players, match.side_to_move) == (NAMES, BLACK)


def test_the_checkers_tell_if_the_winner_kept_black() -> None:
    """G8: black checkers that are moved first are the winner's."""
    match = after(Match(LONG, players=NAMES), start(LONG), RollOff(t=1, white=2, black=5), throw(BLACK, 2, 1))
    assert (match.players, match.side_to_move, match.first) == (NAMES, BLACK, BLACK)


# -- the next game ------------------------------------------------------------------------------


def won_by(match: Match, side: Side, result: str = "single", points: float = 1) -> Match:
    return after(match, GameEnd(t=9, winner=side, result=result, points=points))


@pytest.mark.parametrize(
    ("rules", "swapped", "begins"),
    [
        (SHORT, True, None),
        (WINNER_STARTS, True, BLACK),  # the winner had White, and has Black now
        (replace(WINNER_STARTS, next_game_start="swap_colours"), True, WHITE),
        (replace(SHORT, next_game_start="swap_colours"), True, WHITE),
        (replace(WINNER_STARTS, rolloff_winner_takes_white=True), False, WHITE),  # the roll-off tells (G8)
    ],
    ids=["roll-off", "winner starts", "nardy by rule", "by rule", "taken at the roll-off"],
)
def test_players_keep_their_seats_when_the_board_is_turned(
    rules: RuleSet, swapped: bool, begins: Side | None
) -> None:
    """G9: White's home lies at the other side of the table now; the score goes along with the players."""
    won = won_by(begun(rules), WHITE)
    then = won.apply(replace(start(rules), turned=True))
    assert (then.players, then.side_to_move) == (NAMES[::-1] if swapped else NAMES, begins)
    assert then.by_seat(then.score) == won.by_seat(won.score)
    named = won.apply(replace(start(rules), turned=True, players=NAMES))
    assert named.players == NAMES, "who knows better says so"


def test_colours_are_swapped_and_who_had_black_begins() -> None:
    """G9: the score goes with the players."""
    match = after(won_by(begun(LONG), WHITE, "mars", 2), start(LONG))
    assert (match.players, match.score, match.side_to_move) == (("Boris", "Anna"), (0, 2), WHITE)
    assert match.by_seat(match.score) == (2, 0)
    third = after(won_by(match, WHITE, "oin", 1), start(LONG))
    assert (third.players, third.score, third.seats) == (NAMES, (2, 1), (WHITE, BLACK))


def test_the_winner_starts() -> None:
    """G9"""
    match = after(won_by(begun(WINNER_STARTS), BLACK), start(WINNER_STARTS))
    assert (match.players, match.score, match.side_to_move) == (NAMES, (0, 1), BLACK)


def test_a_new_roll_off() -> None:
    """G9"""
    match = after(won_by(begun(), BLACK), start())
    assert (match.players, match.side_to_move, match.game_number) == (NAMES, None, 2)


def test_the_players_may_have_kept_their_colours_all_the_same() -> None:
    """G9: a game start may say who has which."""
    over = won_by(begun(LONG), WHITE)
    kept = after(over, replace(start(LONG), players=NAMES))
    assert (kept.players, kept.score, kept.side_to_move) == (NAMES, (1, 0), BLACK)  # still he who had Black
    refused(over, replace(start(LONG), players=("Anna", "Clara")), "Anna and Clara are not the players")
    swapped = after(won_by(begun(), WHITE), replace(start(), players=NAMES[::-1]))
    assert (swapped.players, swapped.score, swapped.side_to_move) == (NAMES[::-1], (0, 1), None)


def test_a_game_that_was_broken_off_changes_no_colours() -> None:
    """G9"""
    match = after(begun(LONG), throw(WHITE, 2, 1), start(LONG))
    assert (match.players, match.score, match.game_number) == (NAMES, (0, 0), 2)


def test_a_game_of_another_kind_is_refused() -> None:
    refused(Match(LONG), start(), "backgammon in a match of long-nardy")


# -- turns ----------------------------------------------------------------------------------------


def test_the_sides_alternate() -> None:
    """G10: a turn is a throw and a play."""
    match = begun()
    refused(match, throw(BLACK, 3, 1), "Anna's turn")
    first, play = plays(match, WHITE, 3, 1)
    thrown = after(match, first)
    assert (thrown.phase, thrown.dice, thrown.first) == ("to_play", (3, 1), WHITE)
    refused(thrown, throw(WHITE, 6, 5), "thrown already")
    refused(thrown, throw(BLACK, 6, 5), "Anna's turn")
    refused(thrown, replace(play, side=BLACK), "Anna's turn")
    played = after(thrown, play)
    assert (played.side_to_move, played.phase, played.turn) == (BLACK, "to_throw", 1)
    refused(played, throw(WHITE, 6, 5), "Boris's turn")
    assert after(played, throw(BLACK, 6, 5)).side_to_move is BLACK


def test_before_the_first_throw_anybody_may_begin() -> None:
    match = after(Match(SHORT), start(), throw(BLACK, 3, 1))
    assert (match.side_to_move, match.first) == (BLACK, BLACK)


def test_a_throw_is_two_dice() -> None:
    """D1"""
    refused(begun(), throw(WHITE, 3, 0), "3-0")
    assert after(begun(), throw(WHITE, 3, 0, valid=False)).phase == "to_throw"


def test_a_void_throw_changes_nothing_but_is_told() -> None:
    """D10"""
    match = after(begun(), throw(WHITE, 3, 3, valid=False))
    assert (match.phase, match.dice, match.dice_valid) == ("to_throw", (3, 3), False)
    match = after(match, throw(WHITE, 4, 3))
    assert (match.phase, match.dice, match.dice_valid) == ("to_play", (4, 3), True)
    early = after(match, throw(BLACK, 5, 5, valid=False))  # D13: he was not to throw at all
    assert (early.dice, early.side_to_move, early.phase) == ((4, 3), WHITE, "to_play")
    touched = after(match, throw(WHITE, 4, 3, valid=False))  # D11
    assert (touched.phase, touched.dice_valid) == ("to_throw", False)
    played = after(touched, plays(match, WHITE, 4, 3)[1])  # played all the same
    assert (played.phase, played.dice_valid) == ("to_throw", True)


def test_a_referee_may_void_a_throw_or_let_it_stand() -> None:
    """D10, D13"""
    thrown = after(begun(), throw(WHITE, 4, 3))
    void = after(thrown, rule("rethrow"))
    assert (void.phase, void.dice_valid) == ("to_throw", False)
    refused(void, rule("rethrow"), "still to be played")
    assert after(void, rule("stand")).dice == (4, 3)
    assert after(void, rule("stand")).phase == "to_play"
    refused(thrown, rule("stand"), "no void throw")
    single = after(begun(), throw(WHITE, 5, 0, valid=False))
    refused(single, rule("stand"), "no void throw of two dice")
    early = after(thrown, throw(BLACK, 5, 5, valid=False))
    refused(early, rule("stand"), "no void throw")
    refused(after(begun(), throw(BLACK, 5, 5, valid=False)), rule("stand"), "Anna's turn")
    _, play = plays(thrown, WHITE, 4, 3)
    assert after(early, play, rule("stand")).dice == (5, 5)


def test_events_out_of_order_are_refused() -> None:
    for event in (
        throw(WHITE, 3, 1),
        cube(WHITE, "double", 2),
        RollOff(t=1, white=1, black=2),
        Resignation(t=1, side=WHITE, action="offer", grade="single"),
        call(WHITE, "adjust"),
        TurnEnd(t=1, side=WHITE, how="clock"),
        rule("rethrow"),
        GameEnd(t=1, winner=WHITE, result="single", points=1),
    ):
        refused(Match(SHORT), event, "no game is being played")
    refused(Match(SHORT), rule("demand"), "no play")
    refused(Match(SHORT), Correction(t=1, target=0, action="strike"), "whole record")


def test_desync_and_resync() -> None:
    match = after(begun(), throw(WHITE, 3, 1), Desync(t=1, reason="bumped", slots=(1,)))
    assert not match.in_step
    restored = after(match, Resync(t=2, reason="restored"))
    assert (restored.in_step, restored.side_to_move, restored.phase) == (True, WHITE, "to_throw")
    claimable = after(claimed()[1], Desync(t=4, reason="bumped", slots=()))
    assert after(claimable, Resync(t=5, reason="restored")).claim_open
    assert not after(claimable, Resync(t=5, reason="as it stands", slots=(1,))).claim_open
    adopted = after(match, Resync(t=2, reason="as it stands", slots=(1, 2)))
    assert after(adopted, throw(BLACK, 6, 1)).side_to_move is BLACK


# -- the end of a turn, and claims --------------------------------------------------------------------


@pytest.mark.parametrize(("row", "how"), [("E1", "clock"), ("E2", "dice_handed_over"), ("E3", "dice_lifted")])
def test_the_signal_of_the_rules_ends_the_turn(row: str, how: Any) -> None:
    """E4: until then the mover may change his play; other signals end nothing."""
    for named in ("clock", "dice_handed_over", "dice_lifted"):
        rules = replace(SHORT, turn_end=(named,))
        match = begun(rules)
        rolled, play = plays(match, WHITE, 2, 1)
        other = plays(match, WHITE, 2, 1, nth=1)[1]
        played = after(match, rolled, play)
        assert played.turn_open
        changed = after(played, other)
        assert (changed.position, changed.turn) == (other.position, 1)
        signalled = after(played, TurnEnd(t=3, side=WHITE, how=how))
        assert signalled.turn_open is (named != how), row
        if named == how:
            refused(signalled, other, "Boris's turn")
        else:
            assert after(signalled, other).position == other.position
        early = after(match, rolled, TurnEnd(t=3, side=WHITE, how=how), play)  # before the play was read
        assert early.turn_open is (named != how)


def test_only_the_side_at_play_ends_its_turn() -> None:
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    lifted = TurnEnd(t=3, side=BLACK, how="dice_lifted")
    refused(match, lifted, "Boris's turn that ends")
    refused(after(match, rolled), lifted, "Boris's turn that ends")
    refused(after(match, rolled, play), lifted, "Boris's turn that ends")
    assert after(match, rolled, play, replace(lifted, side=WHITE)).signals == ("dice_lifted",)


def test_a_change_must_be_of_the_same_dice_and_before_the_next_throw() -> None:
    """E4, E6"""
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    other = plays(match, WHITE, 3, 1, nth=2)[1]
    played = after(match, rolled, play)
    refused(played, replace(other, dice=(6, 5)), "Boris's turn")
    refused(after(played, throw(BLACK, 2, 1)), other, "Boris's turn")


def test_touch_move_forbids_the_change() -> None:
    """E7: take, go."""
    rules = replace(SHORT, touch_move=True)
    match = begun(rules)
    rolled, play = plays(match, WHITE, 2, 1)
    refused(after(match, rolled, play), plays(match, WHITE, 2, 1, nth=1)[1], "E7")


def test_a_touched_checker_may_be_claimed() -> None:
    """E7: unless he said that he adjusts it."""
    rules = replace(LONG, touch_move=True)
    match = begun(rules)
    rolled, play = plays(match, WHITE, 2, 1)
    thrown = after(match, rolled)
    refused(after(match, rolled, play), rule("demand"), "legal")
    refused(match, call(BLACK, "touched", 24), "not at play")
    refused(thrown, call(BLACK, "adjust", 24), "not to play")
    refused(after(begun(LONG), rolled), call(BLACK, "touched", 24), "E4")
    claimed = after(thrown, play, call(BLACK, "touched", 24), rule("demand"))
    assert (claimed.position, claimed.dice, claimed.phase) == (match.position, (2, 1), "to_play")
    adjusting = after(thrown, call(WHITE, "adjust", 24))
    refused(adjusting, call(BLACK, "touched", 24), "he adjusts it")
    assert after(adjusting, call(BLACK, "touched", 12)).calls
    refused(after(thrown, call(WHITE, "adjust")), call(BLACK, "touched", 12), "he adjusts it")
    assert after(adjusting, play, throw(BLACK, 6, 5)).calls == ()


def test_a_cup_is_demanded_where_the_rules_allow() -> None:
    """D2"""
    rules = replace(LONG, dice_from="cup_on_demand")
    match = after(Match(rules), call(BLACK, "cup"), start(rules))
    assert match.cup_demanded
    for other in ("any", "cup_required"):
        refused(Match(replace(LONG, dice_from=other)), call(BLACK, "cup"), "D2")


def claimed(rules: RuleSet = SHORT) -> tuple[Match, Match, PlayMade]:
    """White has thrown; White has played it illegally; the play."""
    thrown = after(begun(rules), throw(WHITE, 2, 1))
    play = illegal(thrown, WHITE, 2, 1)
    return thrown, after(thrown, play), play


def test_an_illegal_play_stands_if_nobody_objects() -> None:
    """E5: it is recorded as it was made, and the game goes on from there."""
    _, played, play = claimed()
    assert (played.position, played.claim_open, played.side_to_move) == (play.position, True, BLACK)
    assert after(played, throw(BLACK, 4, 3)).position == play.position


def test_the_opponent_accepts_an_illegal_play() -> None:
    """E5"""
    _, played, play = claimed()
    accepted = after(played, rule("accept"))
    assert (accepted.position, accepted.claim_open) == (play.position, False)
    refused(accepted, rule("demand"), "E6")


def test_the_opponent_demands_a_correct_play() -> None:
    """E5: back to before it, and the same dice are to be played."""
    thrown, played, play = claimed()
    back = after(played, rule("demand"))
    assert (back.position, back.dice, back.phase) == (thrown.position, (2, 1), "to_play")
    assert (back.side_to_move, back.rejected, back.turn) == (WHITE, play, 0)
    right = plays(thrown, WHITE, 2, 1)[1]
    corrected = after(back, right)
    assert (corrected.position, corrected.rejected, corrected.turn) == (right.position, None, 1)
    refused(corrected, rule("demand"), "legal")
    refused(corrected, rule("accept"), "legal")


def test_a_demand_that_was_not_met_lapses_with_the_next_throw() -> None:
    """E6"""
    _, played, play = claimed()
    on = after(played, rule("demand"), throw(BLACK, 4, 3))
    assert (on.position, on.rejected, on.turn) == (play.position, None, 1)
    accepted = after(played, rule("demand"), rule("accept"))
    assert (accepted.position, accepted.side_to_move) == (play.position, BLACK)


@pytest.mark.parametrize("closing", [throw(BLACK, 4, 3), cube(BLACK, "double", 2)])
def test_the_claim_window_closes_with_the_next_throw_or_double(closing: Event) -> None:
    """E6"""
    _, played, _ = claimed()
    assert after(played, TurnEnd(t=3, side=WHITE, how="dice_handed_over")).claim_open
    assert after(played, throw(BLACK, 4, 3, valid=False)).claim_open
    refused(after(played, closing), rule("demand"), "E6")
    refused(after(played, closing), rule("accept"), "E6")


def test_the_claim_window_closes_when_the_dice_are_taken() -> None:
    """E2: by taking them the opponent accepts."""
    rules = replace(SHORT, claim_window="dice_taken", turn_end=("dice_handed_over",))
    _, played, _ = claimed(rules)
    assert after(played, TurnEnd(t=3, side=WHITE, how="clock")).claim_open
    taken = after(played, TurnEnd(t=3, side=WHITE, how="dice_handed_over"))
    refused(taken, rule("demand"), "E6")


def test_an_illegal_play_must_be_put_right_where_the_rules_say_so() -> None:
    """E5: auto_reject."""
    rules = replace(SHORT, illegal_policy="auto_reject")
    thrown, played, play = claimed(rules)
    assert (played.position, played.phase, played.side_to_move) == (thrown.position, "to_play", WHITE)
    assert played.rejected == play
    refused(played, rule("accept"), "must be put right")
    assert after(played, rule("demand")).position == thrown.position
    right = plays(thrown, WHITE, 2, 1)[1]
    assert after(played, right).position == right.position
    with_cube = after(played, cube(BLACK, "double", 2))  # E6
    assert (with_cube.position, with_cube.to_answer, with_cube.rejected) == (play.position, WHITE, None)
    unnoticed = after(played, throw(BLACK, 6, 5))  # E6
    assert (unnoticed.position, unnoticed.side_to_move) == (play.position, BLACK)


ENDING = board({1: 1}, {24: 1}, (14, 14))  #: either side bears its last checker off with anything
GAMMONISH = board({1: 2}, {19: 15}, (13, 0))


def test_a_game_won_by_an_illegal_play_can_be_claimed_back() -> None:
    """E5, B7"""
    wrong = board({}, {24: 1}, (15, 14))
    match = after(begun(SHORT, WHITE, board({8: 1}, {24: 1}, (14, 14))), throw(WHITE, 2, 1))
    assert match.position is not None
    play = made(match.position, WHITE, (2, 1), wrong, SHORT)
    assert not play.legal
    end = GameEnd(t=9, winner=WHITE, result="single", points=1)
    won = after(match, play, end)
    assert (won.score, won.phase) == ((1, 0), "game_over")
    back = after(won, rule("demand"))
    assert (back.score, back.phase, back.position) == ((0, 0), "to_play", match.position)
    strict = replace(SHORT, illegal_policy="auto_reject")
    rejected = after(begun(strict, WHITE, match.position), throw(WHITE, 2, 1), play)
    refused(rejected, end, "put right first")
    assert "put right first" in str(rejected.contradiction(end))
    assert points(after(rejected, start(strict))) == [1, 0]  # nobody noticed before the next game


# -- the cube ---------------------------------------------------------------------------------------


def test_double_and_take() -> None:
    """C1, C2, C3: play goes on at the double, and the taker owns the cube."""
    match = begun()
    offered = after(match, cube(WHITE, "double", 2))
    assert match.to_answer is None
    refused(offered, cube(WHITE, "double", 2), "waits for its answer")
    assert (offered.phase, offered.to_answer, offered.cube) == ("cube_offered", BLACK, 1)
    refused(offered, throw(WHITE, 2, 1), "waits for its answer")
    refused(offered, plays(match, WHITE, 2, 1)[1], "waits for its answer")
    refused(offered, cube(WHITE, "take", 2), "Boris who has to answer")
    taken = after(offered, cube(BLACK, "take", 2))
    assert (taken.cube, taken.cube_owner, taken.phase, taken.side_to_move) == (2, BLACK, "to_throw", WHITE)
    assert taken.doubled


def test_the_cube_is_turned_before_the_throw_and_on_ones_turn_only() -> None:
    """C2"""
    match = begun()
    refused(match, cube(BLACK, "double", 2), "C2")
    refused(after(match, throw(WHITE, 2, 1)), cube(WHITE, "double", 2), "C2")
    refused(after(Match(SHORT), start()), cube(WHITE, "double", 2), "C2")  # who begins is not yet known
    refused(match, cube(BLACK, "take", 2), "nothing was offered")
    refused(match, cube(WHITE, "double", 4), "is 2, not 4")


def test_a_double_that_comes_too_late_is_told_and_counts_for_nothing() -> None:
    """C2: after the throw, or although it is the other's turn."""
    match = begun()
    thrown = after(match, throw(WHITE, 2, 1))
    for before, side in ((thrown, WHITE), (thrown, BLACK), (match, BLACK)):
        late = replace(cube(side, "double", 2), rule="C2")
        assert after(before, late) == before
        assert sentence(late, before).startswith(
            f"{before.name(side)} doubles, and it does not count. Rule C2:"
        )
        refused(after(before, late), cube(side.other, "take", 2), "nothing was offered")
    late = replace(cube(WHITE, "double", 2), rule="C2")
    refused(match, late, "may double now")
    refused(thrown, replace(late, rule="C4"), "breaks C4")
    refused(after(match, cube(WHITE, "double", 2)), late, "waits for its answer")
    refused(after(begun(replace(SHORT, cube=False)), throw(WHITE, 2, 1)), late, "no cube is in use")
    refused(after(Match(SHORT), start()), late, "may double now")  # who begins is not yet known


def test_only_the_owner_may_redouble() -> None:
    """C4"""
    match = after(begun(), cube(WHITE, "double", 2), cube(BLACK, "take", 2))
    rolled, play = plays(match, WHITE, 3, 1)
    refused(match, cube(WHITE, "double", 4), "does not own the cube")
    black = after(match, rolled, play)
    redoubled = after(black, cube(BLACK, "double", 4), cube(WHITE, "take", 4))
    assert (redoubled.cube, redoubled.cube_owner) == (4, WHITE)


def test_a_drop_loses_the_stake_before_the_double() -> None:
    """C3, C4"""
    match = begun()
    dropped = after(match, cube(WHITE, "double", 2), cube(BLACK, "drop", 1))
    assert (dropped.score, dropped.phase) == ((1, 0), "game_over")
    assert dropped.result == GameResult(WHITE, "drop", 1)
    told = after(dropped, GameEnd(t=3, winner=WHITE, result="drop", points=1))
    assert points(told) == [1, 0]  # it is counted once
    at_two = after(match, cube(WHITE, "double", 2), cube(BLACK, "take", 2))
    rolled, play = plays(at_two, WHITE, 3, 1)
    redoubled = after(at_two, rolled, play, cube(BLACK, "double", 4))
    assert points(after(redoubled, cube(WHITE, "drop", 2))) == [0, 2]
    refused(redoubled, cube(WHITE, "drop", 4), "is 2, not 4")


@pytest.mark.parametrize("cap", [0, 4])
def test_the_cube_may_have_a_cap(cap: int) -> None:
    """C4"""
    match, side = begun(replace(SHORT, cube_cap=cap)), WHITE
    for value in (2, 4, 8):
        double = cube(side, "double", value)
        if cap and value > cap:
            refused(match, double, "no higher than 4")
            return
        match = after(match, double, cube(side.other, "take", value))
        match, side = after(match, *plays(match, side, 3, 1)), side.other
    assert match.cube == 8


def test_a_beaver_keeps_the_cube() -> None:
    """C5: the first doubler may take or pass."""
    offered = after(begun(), cube(WHITE, "double", 2))
    refused(offered, cube(BLACK, "beaver", 4), "no beavers")
    rules = replace(SHORT, beaver=True)
    offered = after(begun(rules), cube(WHITE, "double", 2))
    refused(offered, cube(BLACK, "raccoon", 4), "no raccoons")
    refused(offered, cube(BLACK, "beaver", 2), "is 4, not 2")
    beavered = after(offered, cube(BLACK, "beaver", 4))
    assert (beavered.to_answer, beavered.offered) == (WHITE, 4)
    refused(beavered, cube(BLACK, "take", 4), "Anna who has to answer")
    refused(beavered, cube(WHITE, "raccoon", 8), "no raccoons")
    taken = after(beavered, cube(WHITE, "take", 4))
    assert (taken.cube, taken.cube_owner, taken.side_to_move) == (4, BLACK, WHITE)
    assert points(after(beavered, cube(WHITE, "drop", 2))) == [0, 2]


def test_a_raccoon_answers_a_beaver() -> None:
    """C5"""
    rules = replace(SHORT, beaver=True, raccoon=True)
    offered = after(begun(rules), cube(WHITE, "double", 2))
    refused(offered, cube(BLACK, "raccoon", 4), "answers a beaver")
    beavered = after(offered, cube(BLACK, "beaver", 4))
    refused(beavered, cube(WHITE, "beaver", 8), "answers a double")
    raccoon = after(beavered, cube(WHITE, "raccoon", 8))
    assert raccoon.to_answer is BLACK
    taken = after(raccoon, cube(BLACK, "take", 8))
    assert (taken.cube, taken.cube_owner) == (8, BLACK)
    assert points(after(raccoon, cube(BLACK, "drop", 4))) == [4, 0]
    capped = after(begun(replace(rules, cube_cap=2)), cube(WHITE, "double", 2))
    refused(capped, cube(BLACK, "beaver", 4), "no higher than 2")


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_automatic_doubles(limit: int) -> None:
    """C6: the cube stays in the middle."""
    rules = replace(SHORT, auto_doubles=limit)
    equal = [RollOff(t=n, white=4, black=4) for n in range(3)]
    match = after(Match(rules), start(rules), *equal, RollOff(t=4, white=6, black=1))
    assert (match.cube, match.cube_owner, match.doubled) == (2**limit, None, False)
    capped = replace(rules, cube_cap=2)
    assert after(Match(capped), start(capped), *equal).cube == min(2**limit, 2)


def test_no_cube() -> None:
    """C1"""
    rules = replace(SHORT, cube=False, auto_doubles=2)
    refused(begun(rules), cube(WHITE, "double", 2), "no cube")
    assert after(Match(rules), start(rules), RollOff(t=1, white=4, black=4)).cube == 1


def test_the_cube_multiplies_the_result() -> None:
    """C1, P4: all times the cube."""
    match = after(begun(SHORT, WHITE, GAMMONISH), cube(WHITE, "double", 2), cube(BLACK, "take", 2))
    won = after(match, *plays(match, WHITE, 2, 1))
    assert won.result == GameResult(WHITE, "gammon", 2)
    assert (won.score, won.gained) == ((4, 0), (4, 0))


def test_jacoby() -> None:
    """C7: gammons count once a double was made; an automatic one is none."""
    rules = replace(SHORT, jacoby=True, auto_doubles=1)
    plain = begun(rules, WHITE, GAMMONISH)
    assert points(after(plain, *plays(plain, WHITE, 2, 1))) == [1, 0]
    auto = after(
        Match(rules),
        start(rules, None, GAMMONISH),
        RollOff(t=1, white=4, black=4),
        RollOff(t=1, white=2, black=1),
    )
    assert points(after(auto, plays(auto, WHITE, 2, 1)[1])) == [2, 0]
    doubled = after(plain, cube(WHITE, "double", 2), cube(BLACK, "take", 2))
    assert points(after(doubled, *plays(doubled, WHITE, 2, 1))) == [4, 0]


def test_the_crawford_game() -> None:
    """C9: no cube in the one game after a side has first come within a point of the match."""
    rules = replace(SHORT, match_length=5)
    match = won_by(begun(rules), WHITE, "x", 4)
    crawford = after(match, start(rules, BLACK))
    assert crawford.crawford
    refused(crawford, cube(BLACK, "double", 2), "Crawford")
    again = after(crawford, start(rules, BLACK))
    assert again.crawford  # it was broken off and set up anew
    later = after(won_by(crawford, BLACK), start(rules, BLACK))
    assert not later.crawford
    assert after(later, cube(BLACK, "double", 2)).phase == "cube_offered"
    free = replace(rules, crawford=False)
    assert not after(won_by(begun(free), WHITE, "x", 4), start(free, BLACK)).crawford
    assert not after(won_by(begun(rules), WHITE, "x", 3), start(rules, BLACK)).crawford


def test_a_money_game_has_no_end() -> None:
    """C10"""
    match = begun()
    for _ in range(50):
        match = after(won_by(match, WHITE, "backgammon", 3), start(SHORT, WHITE))
    assert (match.score, match.winner) == ((150, 0), None)
    assert not match.crawford


# -- how games end ---------------------------------------------------------------------------------


def test_the_last_checker_ends_the_game_and_is_counted_once() -> None:
    """B7: at once, without the end being told."""
    match = begun(SHORT, WHITE, ENDING)
    won = after(match, *plays(match, WHITE, 2, 1))
    assert (won.phase, won.score, won.side_to_move) == ("game_over", (1, 0), None)
    end = GameEnd(t=9, winner=WHITE, result="single", points=1)
    assert won.contradiction(end) is None
    told = after(won, end)
    assert points(told) == [1, 0]
    refused(told, end, "over already")
    refused(told, throw(BLACK, 2, 1), "no game")


def test_an_end_that_the_board_contradicts_is_not_believed() -> None:
    """B7, P4"""
    match = begun(SHORT, WHITE, GAMMONISH)
    won = after(match, *plays(match, WHITE, 2, 1))
    for wrong in (
        GameEnd(t=9, winner=WHITE, result="single", points=1),
        GameEnd(t=9, winner=BLACK, result="gammon", points=2),
        GameEnd(t=9, winner=None, result="draw", points=1),
    ):
        assert "gammon for 2 won by Anna" in str(won.contradiction(wrong))
        assert points(after(won, wrong)) == [2, 0]


def test_an_end_that_only_people_know_is_believed() -> None:
    """A forfeit, say; and of a record without a cube's events."""
    end = GameEnd(t=9, winner=BLACK, result="gammon", points=2)
    match = after(begun(), cube(WHITE, "double", 2), cube(BLACK, "take", 2))
    assert "no side has borne off" in str(match.contradiction(end))
    assert points(after(match, end)) == [0, 4]
    drop = after(match, *plays(match, WHITE, 3, 1), cube(BLACK, "double", 4))
    assert after(drop, GameEnd(t=9, winner=BLACK, result="drop", points=1)).score == (0, 2)


@pytest.mark.parametrize(
    ("row", "rules", "grade", "points"),
    [
        ("P4", SHORT, "gammon", 2),
        ("P1", LONG, "oin", 1),
        ("P2", LONG, "mars", 2),
        ("P3", replace(LONG, scoring="four_grade", grades=GRADES["four_grade"]), "koks", 4),
        (
            "P5",
            replace(SHORT, scoring="remaining_checkers", grades=GRADES["remaining_checkers"]),
            "checker",
            15,
        ),
    ],
)
def test_resignation(row: str, rules: RuleSet, grade: str, points: int) -> None:
    """A game is given up by a grade of its scheme; the other may refuse it."""
    match = begun(rules)
    offer = Resignation(t=1, side=WHITE, action="offer", grade=grade)
    accept = Resignation(t=2, side=BLACK, action="accept")
    refused(match, accept, "not offered to resign")
    refused(match, replace(offer, grade="much"), "resigned as one of")
    offered = after(match, offer)
    refused(offered, replace(accept, side=WHITE), "not offered to resign")
    refused(offered, offer, "waits for its answer already")
    refused(offered, replace(accept, grade="less"), "what was offered")
    over = after(offered, accept)
    assert (over.score, over.phase) == ((0, points), "game_over"), row
    assert over.result == GameResult(BLACK, "resigned", points)
    on = after(offered, replace(accept, action="refuse"))
    assert (on.resigning, on.phase) == (None, "to_throw")
    assert after(offered, throw(WHITE, 2, 1)).resigning is None  # he plays on instead


def test_a_resignation_closes_all_claims() -> None:
    """E5: also of a play that was to be put right."""
    strict = replace(SHORT, illegal_policy="auto_reject")
    offer = Resignation(t=1, side=WHITE, action="offer", grade="single")
    for rules in (SHORT, strict):
        _, played, _ = claimed(rules)
        over = after(played, offer, Resignation(t=2, side=BLACK, action="accept"))
        refused(over, rule("demand"), "E6")
        assert points(after(over, start(rules))) == [0, 1]


def test_a_resignation_counts_the_cube_and_waits_for_none() -> None:
    """C1, C3, C7"""
    match = after(begun(replace(SHORT, jacoby=True)), cube(WHITE, "double", 2))
    offer = Resignation(t=1, side=BLACK, action="offer", grade="gammon")
    refused(match, offer, "waits for its answer")
    taken = after(match, cube(BLACK, "take", 2), offer, Resignation(t=2, side=WHITE, action="accept"))
    assert points(taken) == [4, 0]


LAST = replace(LONG, last_throw=True)


def last(rules: RuleSet, black_left: int = 1, side: Side = WHITE) -> Match:
    """Long nardy, White with a checker to go and Black with some, ``side`` beginning."""
    return begun(rules, side, board({1: 1}, {13: black_left}, (14, CHECKERS - black_left)))


@pytest.mark.parametrize(("draw_points", "points"), [("half", 0.5), ("one", 1)])
def test_the_last_throw_may_bring_a_draw(draw_points: Any, points: float) -> None:
    """B8"""
    match = last(replace(LAST, draw_points=draw_points))
    finished = after(match, *plays(match, WHITE, 2, 1))
    assert (finished.phase, finished.last_throw, finished.side_to_move) == ("to_throw", True, BLACK)
    assert "last throw" in str(finished.contradiction(GameEnd(t=1, winner=WHITE, result="oin", points=1)))
    drawn = after(finished, *plays(finished, BLACK, 2, 1))
    assert (drawn.score, drawn.result) == ((points, points), GameResult(None, "draw", points))
    assert after(drawn, start(drawn.rules)).by_seat((0, 1)) == (1, 0)  # G9: colours swapped all the same


def test_the_last_throw_may_not_suffice() -> None:
    """B8: and a mars is judged after it."""
    match = last(LAST, black_left=15)
    finished = after(match, *plays(match, WHITE, 2, 1))
    assert after(finished, *plays(finished, BLACK, 2, 1)).result == GameResult(WHITE, "oin", 1)
    plain = last(LONG, black_left=15)
    assert after(plain, *plays(plain, WHITE, 2, 1)).result == GameResult(WHITE, "mars", 2)


def test_no_last_throw_for_him_who_began() -> None:
    """B8"""
    match = last(LAST, side=BLACK)
    thrown, play = plays(match, BLACK, 2, 1)
    assert play.position.off == (14, 15)
    assert after(match, thrown, play).phase == "to_throw"
    second = after(last(LAST, black_left=3, side=BLACK), *plays(last(LAST, 3, BLACK), BLACK, 2, 1))
    assert points(after(second, *plays(second, WHITE, 2, 1))) == [1, 0]


def test_a_match_that_both_reach_at_once_is_not_decided() -> None:
    """B8, C8"""
    rules = replace(LAST, draw_points="one", match_length=1)
    match = last(rules)
    drawn = after(match, *plays(match, WHITE, 2, 1))
    drawn = after(drawn, *plays(drawn, BLACK, 2, 1))
    assert (drawn.score, drawn.winner, drawn.phase) == ((1, 1), None, "game_over")


# -- setting up -------------------------------------------------------------------------------------


def test_a_match_goes_on_from_any_position() -> None:
    """C1, C9, B8: with its score and cube, in the middle of a turn."""
    rules = replace(SHORT, match_length=7, jacoby=True)
    event = SetUp(
        t=1,
        position=GAMMONISH,
        side_to_move=WHITE,
        dice=(2, 1),
        score=(2, 3),
        cube=2,
        cube_owner=BLACK,
        game_number=4,
        first=BLACK,
    )
    match = after(Match(rules, players=NAMES), event)
    assert (match.phase, match.dice, match.score, match.game_number) == ("to_play", (2, 1), (2, 3), 4)
    won = after(match, plays(match, WHITE, 2, 1)[1])
    assert points(won) == [6, 3]
    assert after(won, start(rules)).crawford
    thrown = after(Match(rules), replace(event, dice=None))
    assert after(thrown, throw(WHITE, 6, 6)).dice == (6, 6)
    refused(thrown, cube(WHITE, "double", 4), "does not own")
    one_more = after(begun(rules), event)  # in the middle of another game, too
    assert points(one_more) == [2, 3]


def test_a_set_up_game_may_be_the_crawford_game_or_one_after_it() -> None:
    """C9"""
    rules = replace(SHORT, match_length=5)
    event = SetUp(t=1, position=Position.start(BG), side_to_move=BLACK, score=(4, 0), crawford=True)
    match = after(Match(rules), event)
    refused(match, cube(BLACK, "double", 2), "Crawford")
    past = after(Match(rules), replace(event, crawford=False))
    assert after(past, cube(BLACK, "double", 2)).to_answer is WHITE
    for state in (match, past):
        assert not after(won_by(state, BLACK), start(rules)).crawford
    short_of_it = after(Match(rules), replace(event, crawford=False, score=(3, 0)))
    assert after(won_by(short_of_it, WHITE), start(rules)).crawford


def test_a_last_throw_may_be_set_up() -> None:
    """B8"""
    finished = board({}, {13: 1}, (15, 14))
    event = SetUp(t=1, position=finished, side_to_move=BLACK, first=WHITE)
    match = after(Match(LAST), event)
    assert match.last_throw
    assert points(after(match, *plays(match, BLACK, 2, 1))) == [0.5, 0.5]
    refused(Match(LONG), event, "game is over")
    refused(Match(LAST), replace(event, first=None), "game is over")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"position": board({1: 1}, {24: 1}, (13, 14))}, "white has 14 checkers"),
        ({"position": board({}, {24: 1}, (15, 14))}, "game is over"),
        ({"dice": (7, 1)}, "7-1"),
        ({"score": (5, 0)}, "5-0"),
        ({"score": (-1, 0)}, "-1-0"),
        ({"cube": 3}, "stand at 3"),
        ({"cube": 0}, "stand at 0"),
        ({"cube_owner": BLACK}, "in the middle"),
        ({"game_number": 0}, "count from 1"),
        ({"crawford": True}, "Crawford"),
        ({"crawford": True, "score": (4, 0), "cube": 2}, "Crawford"),
    ],
)
def test_what_cannot_be_set_up(change: dict[str, Any], why: str) -> None:
    event = SetUp(t=1, position=Position.start(BG), side_to_move=BLACK)
    rules = replace(SHORT, match_length=5)
    assert Match(rules).refusal(event) is None
    refused(Match(rules), replace(event, **change), why)
    refused(Match(replace(rules, cube=False)), replace(event, cube=2), "stand at 2")


# -- corrections -----------------------------------------------------------------------------------

MONEY = replace(SHORT, beaver=True, raccoon=True, auto_doubles=2, jacoby=True)
ROOMS = [
    MONEY,
    replace(SHORT, match_length=5, illegal_policy="auto_reject", cube_cap=8),
    replace(SHORT, next_game_start="winner_starts", opening_roll="rethrow", claim_window="dice_taken"),
    replace(LONG, match_length=5, last_throw=True),
    replace(LONG, scoring="remaining_checkers", grades=GRADES["remaining_checkers"], cube=True),
]
matches = st.builds(random_match, st.sampled_from(ROOMS), st.integers(0, 10**6))


def rules_of(record: list[Event]) -> RuleSet:
    return next(event.rules for event in record if isinstance(event, GameStart))


def oracle(record: Iterable[Event], rules: RuleSet) -> dict[str, float]:
    """The score by the players' names, counted from the ends of the games and the cube alone."""
    score = dict.fromkeys(NAMES, 0.0)
    colours, games, stake, doubled, equal = NAMES, 0, 1, False, 0
    for event in record:
        match event:
            case GameStart():
                games += 1
                swap = games > 1 and rules.next_game_start == "swap_colours"
                colours = colours[::-1] if swap else colours
                stake, doubled, equal = 1, False, 0
            case RollOff(winner=None):
                equal += 1
                stake = 2 ** min(equal, rules.auto_doubles)
            case RollOff(winner=Side.BLACK) if rules.rolloff_winner_takes_white:
                colours = colours[::-1]
            case CubeAction(action="take"):
                stake, doubled = event.value, True
            case CubeAction(action="drop"):
                stake, doubled = event.value, True
            case GameEnd(winner=None):
                score = {name: points + event.points for name, points in score.items()}
            case GameEnd():
                assert event.winner is not None
                worth = event.points if doubled or not rules.jacoby else min(1, event.points)
                score[colours[event.winner.index]] += worth * stake
    return score


@given(matches)
@settings(max_examples=60, deadline=None)
def test_a_random_match_holds_together(record: list[Event]) -> None:
    """B7, C1 to C9, E5, G7 to G10: every prefix is a match that can be told, and the scores add up."""
    rules = rules_of(record)
    match = Match(rules, players=NAMES)
    ends = []
    for event in record:
        assert sentence(event, match).endswith((".", "!"))
        before, match = match, match.apply(event)
        over = ("game_over", "match_over")
        if before.phase not in over and match.phase in over:
            assert match.result is not None
            ends.append(match.result)
        if match.position is not None:
            assert {match.position.checkers(side) for side in Side} == {CHECKERS}
        assert (match.undo is None) or (match.undo.undo is None)
        assert sum(match.score) >= sum(before.score) or isinstance(event, Ruling)
    assert match == replay(map(loads, map(dumps, record)), rules, players=NAMES)
    if len(ends) == sum(isinstance(e, GameEnd) for e in record):  # no end was taken back, and all were told
        assert match.by_seat(match.score) == tuple(oracle(record, rules)[name] for name in NAMES)
    if rules.match_length:
        assert (match.winner is not None) == (match.phase == "match_over")


@given(matches, st.data())
@settings(max_examples=60, deadline=None)
def test_a_corrected_record_is_as_if_it_had_been_right(record: list[Event], data: st.DataObject) -> None:
    """Whatever was told wrong, struck or missed: once corrected, events and match are the right ones."""
    rules = rules_of(record)
    begin = Match(rules, players=NAMES)
    right = replay(record, rules, players=NAMES)
    k = data.draw(st.integers(0, len(record) - 1))
    wrong_event = spoilt(record[k], data)
    corrections: list[tuple[list[Event], Correction]] = [
        (
            [*record[:k], wrong_event, *record[k + 1 :]],
            Correction(t=0, target=k, action="replace", event=record[k]),
        ),
        ([*record[:k], wrong_event, *record[k:]], Correction(t=0, target=k, action="strike")),
    ]
    corrections.append(
        ([*record[:k], *record[k + 1 :]], Correction(t=0, target=k - 1, action="insert", event=record[k]))
    )
    # As a camera would have told it, that goes on from what it believes.
    believed = correct(record, [Correction(t=0, target=k, action="replace", event=wrong_event)], begin)
    if len(believed.events) == len(record):
        corrections.append(
            (list(believed.events), Correction(t=0, target=k, action="replace", event=record[k]))
        )
    for wrong, correction in corrections:
        found = correct(wrong, [correction], begin)
        assert found.match == right
        assert list(found.events) == record
        stored = [*wrong, correction]
        assert replay(stored, rules, players=NAMES) == right
        # Undone, it is as it was, and nothing is left of it.
        undone = correct(stored, [Correction(t=0, target=len(wrong), action="strike")], begin)
        untouched = correct(wrong, [], begin)
        assert (undone.match, undone.events) == (untouched.match, untouched.events)
        assert untouched.consequences == ()


def spoilt(event: Event, data: st.DataObject) -> Event:
    """The same event, misread."""
    match event:
        case Throw() | PlayMade():
            dice = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
            if isinstance(event, Throw):
                return replace(event, dice=dice, valid=data.draw(st.booleans()))
            return replace(event, dice=dice, legal=not event.legal, rule="E8" if event.legal else None)
        case RollOff():
            return replace(event, white=event.black, black=event.white)
        case CubeAction():
            return replace(event, side=event.side.other)
        case GameEnd():
            return replace(event, points=event.points + 1)
        case GameStart():
            return replace(event, side_to_move=BLACK)
        case _:
            return Doubt(t=event.t, about="throw", options=())


def kinds(*consequences: Any) -> list[tuple[int, str]]:
    return [(c.index, c.kind) for c in consequences]


def test_a_corrected_throw_takes_its_play_with_it() -> None:
    """M3: the play is judged by the right dice, and what that means is told."""
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    record: list[Event] = [start(SHORT, WHITE), rolled, play, throw(BLACK, 6, 5)]
    fixed = Correction(t=9, target=1, action="replace", event=throw(WHITE, 4, 1))
    found = correct(record, [fixed], Match(SHORT, players=NAMES))
    assert kinds(*found.consequences) == [(2, "dice"), (2, "illegal")]
    assert found.consequences[0].text == "Anna's play at 00:02: it was made with 4-1, not with 3-1"
    assert isinstance(found.events[2], PlayMade)
    assert (found.events[2].dice, found.events[2].legal) == ((4, 1), False)
    assert found.match.position == play.position  # the board is as it was seen
    back = correct(
        [*record, fixed], [Correction(t=9, target=4, action="strike")], Match(SHORT, players=NAMES)
    )
    assert kinds(*back.consequences) == [(2, "dice"), (2, "legal")]
    assert list(back.events) == record


def test_a_corrected_play_judges_the_next_one_anew() -> None:
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    after_it = after(match, rolled, play)
    answer = plays(after_it, BLACK, 6, 5)
    record: list[Event] = [start(SHORT, WHITE), rolled, play, *answer]
    really = plays(match, WHITE, 3, 1, nth=1)[1]
    found = correct(
        record, [Correction(t=9, target=2, action="replace", event=really)], Match(SHORT, players=NAMES)
    )
    assert (2, "moves") in kinds(*found.consequences)
    assert (4, "illegal") in kinds(*found.consequences)
    assert found.match.position == answer[1].position


def test_what_can_no_longer_follow_is_told_with_its_reason() -> None:
    """G10"""
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    record: list[Event] = [start(SHORT, WHITE), rolled, play, throw(BLACK, 6, 5)]
    found = correct(record, [Correction(t=9, target=2, action="strike")], Match(SHORT, players=NAMES))
    assert kinds(*found.consequences) == [(3, "cannot_follow"), (3, "position")]
    assert "Anna's turn" in found.consequences[0].text
    assert list(found.events) == record[:2]
    repaired = correct(
        [*record, Correction(t=9, target=2, action="strike")],
        [Correction(t=9, target=1, action="insert", event=play)],
        Match(SHORT, players=NAMES),
    )
    assert list(repaired.events) == record
    assert (3, "follows") in kinds(*repaired.consequences)
    stored = [*record, Correction(t=9, target=2, action="strike")]
    with pytest.raises(MatchError, match="Anna's turn"):
        replay(stored, SHORT, players=NAMES)


def test_a_correction_that_changes_the_score_says_so() -> None:
    """P4, C3: the end that was told is mended with it."""
    match = begun(SHORT, WHITE, GAMMONISH)
    rolled, play = plays(match, WHITE, 2, 1)
    record: list[Event] = [
        start(SHORT, WHITE, GAMMONISH),
        rolled,
        play,
        GameEnd(t=9, winner=WHITE, result="gammon", points=2),
    ]
    one_off = replace(play, position=board({}, {19: 14}, (15, 1)))
    begin = Match(SHORT, players=NAMES)
    found = correct(record, [Correction(t=9, target=2, action="replace", event=one_off)], begin)
    assert points(found.match) == [1, 0]
    assert found.events[3] == GameEnd(t=9, winner=WHITE, result="single", points=1)
    texts = {c.kind: c.text for c in found.consequences}
    assert texts["end"].endswith("the game now ends here: single for 1 won by Anna (score 1-0)")
    assert texts["score"] == "the score is now 1-0 (Anna-Boris), it was 2-0"
    # A double and a take that nobody had entered.
    doubled = [
        Correction(t=9, target=0, action="insert", event=cube(WHITE, "double", 2)),
        Correction(t=9, target=4, action="insert", event=cube(BLACK, "take", 2)),
    ]
    assert correct(record, doubled, begin).match.score == (4, 0)
    dropped = [doubled[0], replace(doubled[1], event=cube(BLACK, "drop", 1))]
    found = correct(record, dropped, begin)
    assert points(found.match) == [1, 0]
    assert [c.kind for c in found.consequences if c.index in (1, 2)] == ["cannot_follow", "cannot_follow"]
    assert (3, "contradiction") not in kinds(*found.consequences)  # the told end was mended


def test_a_game_that_no_longer_ends_is_told() -> None:
    match = begun(SHORT, WHITE, ENDING)
    rolled, play = plays(match, WHITE, 2, 1)
    record: list[Event] = [start(SHORT, WHITE, ENDING), rolled, play]
    begin = Match(SHORT, length=1, players=NAMES)
    still = replace(play, position=ENDING)
    found = correct(record, [Correction(t=9, target=2, action="replace", event=still)], begin)
    assert (2, "end") in kinds(*found.consequences)
    assert "no game ends here any more" in next(c.text for c in found.consequences if c.kind == "end")
    assert found.consequences[-2].text == "the score is now 0-0 (Anna-Boris), it was 1-0"
    struck = correct(record, [Correction(t=9, target=2, action="strike")], begin)
    assert (2, "end") in kinds(*struck.consequences)
    again = correct(
        [*record, Correction(t=9, target=2, action="strike")],
        [Correction(t=9, target=3, action="strike")],
        begin,
    )
    assert again.consequences[0].kind == "end"
    assert any("Anna has won the match" in c.text for c in again.consequences)


def test_an_end_against_the_board_is_reported() -> None:
    """B7"""
    match = begun(SHORT, WHITE, ENDING)
    rolled, play = plays(match, WHITE, 2, 1)
    end = GameEnd(t=9, winner=WHITE, result="single", points=1)
    still = replace(play, position=ENDING)
    record: list[Event] = [start(SHORT, WHITE, ENDING), rolled, play, end]
    found = correct(
        record,
        [Correction(t=9, target=2, action="replace", event=still)],
        Match(SHORT, players=NAMES),
    )
    assert (3, "contradiction") in kinds(*found.consequences)
    mended = correct(
        [*record[:2], still, end],
        [Correction(t=9, target=2, action="replace", event=play)],
        Match(SHORT, players=NAMES),
    )
    assert (3, "agrees") in kinds(*mended.consequences)


def test_an_illegal_play_may_break_another_rule_now() -> None:
    """M3, E8"""
    match = begun()
    thrown = throw(WHITE, 3, 1)
    nothing = made(position_of(match), WHITE, (3, 1), position_of(match), SHORT, 2)
    assert nothing.rule == "M3"
    backwards = plays(match, WHITE, 6, 1)[1]
    moved = Correction(t=9, target=2, action="insert", event=replace(nothing, position=backwards.position))
    record: list[Event] = [start(SHORT, WHITE), thrown, nothing]
    other = Correction(t=9, target=2, action="replace", event=replace(nothing, position=backwards.position))
    found = correct(record, [other], Match(SHORT, players=NAMES))
    rules = [c.text for c in found.consequences if c.kind == "rule"]
    assert len(rules) == 1
    assert rules[0].endswith("not by M3")
    assert correct(record, [moved], Match(SHORT, players=NAMES)).match.position == backwards.position  # E4


def test_a_play_of_a_void_throw_is_illegal_when_the_throw_becomes_void() -> None:
    """D10"""
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    record: list[Event] = [start(SHORT, WHITE), rolled, play]
    void = Correction(t=9, target=1, action="replace", event=throw(WHITE, 3, 1, valid=False))
    found = correct(record, [void], Match(SHORT, players=NAMES))
    assert isinstance(found.events[2], PlayMade)
    assert (found.events[2].legal, found.events[2].rule) == (False, "D10")


@pytest.mark.parametrize("counted", [True, False])
def test_a_void_throw_that_was_played_goes_on_counting_or_not(counted: bool) -> None:
    """D10: what was believed of a doubtful throw stays so when something before it is corrected."""
    match = begun()
    rolled, play = plays(match, WHITE, 3, 1)
    now = after(match, rolled, play)
    answer = plays(now, BLACK, 6, 5)[1]
    if not counted:
        answer = replace(answer, legal=False, rule="D10")
    record: list[Event] = [start(SHORT, WHITE), rolled, play, throw(BLACK, 6, 5, valid=False), answer]
    other = plays(match, WHITE, 3, 1, nth=1)[1]
    same_for_black = legal_plays(other.position, BLACK, (6, 5), SHORT)[0].after
    corrections = [
        Correction(t=9, target=2, action="replace", event=other),
        Correction(t=9, target=4, action="replace", event=replace(answer, position=same_for_black)),
    ]
    found = correct(record, corrections[:1], Match(SHORT, players=NAMES))
    assert isinstance(found.events[4], PlayMade)
    assert found.events[4].rule not in (None, "D10")  # the board is not what a legal play leaves
    found = correct(
        [*record, corrections[0]], [replace(corrections[0], event=play)], Match(SHORT, players=NAMES)
    )
    assert found.events[4] == answer
    found = correct(record, corrections, Match(SHORT, players=NAMES))
    assert isinstance(found.events[4], PlayMade)
    assert (found.events[4].legal, found.events[4].rule) == ((True, None) if counted else (False, "D10"))


def test_corrections_of_corrections() -> None:
    """Each can be struck or corrected in turn; what is put in keeps its place."""
    notes = [Doubt(t=n, about="throw", options=()) for n in range(10)]
    a, b, c, x, y, z = notes[:6]

    def done(*corrections: Correction) -> list[Event]:
        return [event for _, event in resolve([a, b, c, *corrections])]

    replaced = Correction(t=0, target=1, action="replace", event=x)
    assert done(replaced) == [a, x, c]
    assert done(replaced, Correction(t=0, target=3, action="replace", event=y)) == [a, y, c]
    assert done(replaced, Correction(t=0, target=3, action="strike")) == [a, b, c]
    strike_twice = [Correction(t=0, target=3, action="strike"), Correction(t=0, target=4, action="strike")]
    assert done(replaced, *strike_twice) == [a, x, c]
    assert done(replaced, replace(replaced, event=y)) == [a, y, c]
    insert = Correction(t=0, target=0, action="insert", event=x)
    assert done(insert, replace(insert, event=y)) == [a, x, y, b, c]
    assert done(insert, Correction(t=0, target=3, action="insert", event=z)) == [a, x, z, b, c]
    assert done(insert, Correction(t=0, target=3, action="strike")) == [a, b, c]
    assert done(insert, Correction(t=0, target=0, action="strike")) == [x, b, c]
    assert done(Correction(t=0, target=-1, action="insert", event=x)) == [x, a, b, c]
    assert [i for i, _ in resolve([a, b, c, insert])] == [0, 3, 1, 2]
    for target, action in itertools.product((-2, 4, 9), ("replace", "insert")):
        with pytest.raises(MatchError, match=f"no event {target}"):
            done(insert, Correction(t=0, target=target, action=action, event=x))  # type: ignore[arg-type]
    with pytest.raises(MatchError, match="no event -1"):
        done(Correction(t=0, target=-1, action="strike"))


# -- commentary -------------------------------------------------------------------------------------


def test_commentary() -> None:
    match = begun()
    thrown = replace(throw(WHITE, 1, 3), halves=("left", "left"))
    assert sentence(thrown, match) == "Anna throws 3-1 in the left half."
    void = replace(throw(WHITE, 3, 3, valid=False), faults=("cocked", "two_halves"))
    assert "Invalid throw by Anna (double 3s)" in sentence(void, match)
    assert "a die is cocked and the dice lie in different halves" in sentence(void, match)
    lonely = replace(throw(WHITE, 5, 0, valid=False), faults=("one_die",))
    assert "(a single 5): the dice were not thrown together" in sentence(lonely, match)
    _, play = plays(match, WHITE, 3, 1)
    hit = replace(play, position=replace(play.position, bar=(0, 1)))
    assert "hitting a blot" in sentence(hit, match)
    points = list(match.position.points) if match.position else []
    points[7], points[2] = 2, 1
    wrong = replace(play, legal=False, rule="E8", moves=((8, 3),), notation="8/3")
    wrong = replace(wrong, position=replace(wrong.position, points=tuple(points)))
    assert sentence(wrong, match).startswith("Illegal play: Anna plays 8/3 on 3-1. Rule E8: 8/3 is 5 pips")
    unasked = replace(play, legal=False, rule="D10")
    assert sentence(unasked, match).endswith(
        "Rule D10: After a void throw both dice are thrown again, not one."
    )
    assert "cannot move" in sentence(replace(play, moves=()), match)
    doubt = Doubt(t=1, about="play", options=(("8/5 6/5", 0.6), ("8/4", 0.4)))
    assert "8/5 6/5 (60%) or 8/4 (40%)" in sentence(doubt, match)


def test_what_ends_a_game_says_how() -> None:
    """C3: a drop and an accepted resignation decide by themselves, and may win the match."""
    match = begun(replace(SHORT, match_length=1))
    offered = match.apply(CubeAction(t=1, side=WHITE, action="double", value=2))
    drop = CubeAction(t=2, side=BLACK, action="drop", value=1)
    said = sentence(drop, offered)
    assert said == ("Boris drops. Anna wins the game: the double was dropped: 1 point. Anna wins the match.")
    assert sentence(CubeAction(t=2, side=BLACK, action="take", value=2), offered).endswith("stands at 2.")
    doubled = replace(match, cube=2)
    assert sentence(CubeAction(t=1, side=WHITE, action="double", value=4), doubled) == "Anna doubles to 4."


def test_every_rule_that_the_judge_names_is_in_the_catalogue() -> None:
    """What the judge can say is read from its source: the ids that it blames."""
    source = Path(judge.__file__).read_text(encoding="utf-8")
    code = re.findall(r'"([GDEMLBKP]\d+)"', source)
    assert len(set(code)) > 20
    assert set(code) - set(CATALOGUE) == set()


SWAPPED = after(won_by(begun(LONG), WHITE), start(LONG))


@pytest.mark.parametrize(
    ("match", "event", "text"),
    [
        (
            Match(SHORT),
            MatchStart(t=0, rules=replace(SHORT, match_length=7), players=NAMES),
            "A match of backgammon to 7 points begins: Anna against Boris.",
        ),
        (
            Match(SHORT),
            MatchStart(t=0, rules=LONG, players=NAMES),
            "A match of long nardy of unlimited games begins: Anna against Boris.",
        ),
        (
            won_by(begun(LONG), WHITE),
            start(LONG),
            "Game 2 of long nardy begins, colours swapped: Boris has White, Boris to throw.",
        ),
        (
            won_by(begun(replace(SHORT, match_length=2)), WHITE),
            start(SHORT),
            "Game 2 of backgammon begins. It is the Crawford game: no cube.",
        ),
        (
            won_by(begun(), WHITE),
            replace(start(SHORT), turned=True),
            "Game 2 of backgammon begins, colours swapped: Boris has White.",
        ),
        (
            Match(SHORT, players=NAMES),
            start(SHORT, position=ENDING),
            "Game 1 of backgammon is joined as it stands.",
        ),
        (
            begun(),
            SetUp(
                t=0, position=ENDING, side_to_move=BLACK, dice=(4, 4), score=(1, 0.5), cube=2, game_number=3
            ),
            "Game 3 goes on from a position set up by hand, 1 to 0.5, the cube at 2:"
            " Boris to play double 4s.",
        ),
        (begun(), RollOff(t=0, white=6, black=1), "Anna rolls 6, Boris 1: Anna begins."),
        (begun(), RollOff(t=0, white=3, black=3), "Both roll 3: they roll again."),
        (
            begun(MONEY),
            RollOff(t=0, white=3, black=3),
            "Both roll 3: they roll again. The stake is doubled to 2.",
        ),
        (begun(LONG), RollOff(t=0, white=1, black=3), "Anna rolls 1, Boris 3: Boris takes White and begins."),
        (begun(), TurnEnd(t=0, side=WHITE, how="clock"), "Anna presses the clock."),
        (begun(), TurnEnd(t=0, side=BLACK, how="dice_handed_over"), "Boris hands over the dice."),
        (begun(), cube(WHITE, "double", 2), "Anna doubles to 2."),
        (begun(), cube(BLACK, "take", 2), "Boris takes; the cube stands at 2."),
        (begun(), cube(BLACK, "drop", 1), "Boris drops."),
        (begun(), cube(BLACK, "beaver", 4), "Boris beavers: the stake is 4, and the cube stays with Boris."),
        (begun(), cube(WHITE, "raccoon", 8), "Anna raccoons: the stake is 8."),
        (
            after(begun(), cube(WHITE, "double", 2), cube(BLACK, "take", 2)),
            cube(BLACK, "double", 4),
            "Boris redoubles to 4.",
        ),
        (
            begun(LONG),
            Resignation(t=0, side=WHITE, action="offer", grade="mars"),
            "Anna offers to resign: a mars.",
        ),
        (begun(), Resignation(t=0, side=WHITE, action="accept"), "Anna accepts the resignation."),
        (
            begun(),
            Resignation(t=0, side=WHITE, action="refuse"),
            "Anna does not accept the resignation; play goes on.",
        ),
        (begun(), call(WHITE, "adjust", 25), "Anna: I adjust on the bar."),
        (begun(), call(WHITE, "adjust"), "Anna: I adjust."),
        (
            begun(),
            call(BLACK, "touched", 13),
            "Boris claims that Anna touched the checker on 13 and must move it.",
        ),
        (begun(), call(BLACK, "cup"), "Boris demands that the dice be thrown from the cup."),
        (
            begun(),
            replace(rule("demand"), reason="6 was not played"),
            "The referee: the last play does not stand; it is taken back, and the same dice are to be played,"
            " as Boris asked; 6 was not played.",
        ),
        (begun(), Ruling(t=0, decision="stand"), "The referee: the throw stands."),
        (
            begun(),
            Correction(t=0, target=3, action="strike", reason="nobody threw"),
            "Struck out of the record (nobody threw).",
        ),
        (
            begun(),
            Correction(t=0, target=3, action="replace", event=throw(WHITE, 6, 5)),
            "The record is corrected at 00:01: Anna throws 6-5.",
        ),
        (
            begun(),
            Correction(t=0, target=3, action="insert", event=cube(BLACK, "drop", 1)),
            "Added to the record at 00:02: Boris drops.",
        ),
        (
            after(begun(), cube(WHITE, "double", 2), cube(BLACK, "take", 2)),
            GameEnd(t=0, winner=WHITE, result="gammon", points=2),
            "Anna wins the game with a gammon: 4 points.",
        ),
        (
            after(begun(), cube(WHITE, "double", 2), cube(BLACK, "drop", 1)),
            GameEnd(t=0, winner=WHITE, result="drop", points=1),
            "Anna wins the game: the double was dropped: 1 point.",
        ),
        (
            begun(replace(SHORT, match_length=1)),
            GameEnd(t=0, winner=BLACK, result="single", points=1),
            "Boris wins the game: 1 point. Boris wins the match.",
        ),
        (
            begun(LONG),
            GameEnd(t=0, winner=None, result="draw", points=0.5),
            "The game is drawn: 0.5 points each.",
        ),
        (
            Match(SHORT, players=NAMES),
            GameEnd(t=0, winner=BLACK, result="oin", points=1),
            "Boris wins the game by oin: 1 point.",
        ),
        (
            begun(),
            BoardSeen(t=0, corners=(), orientation=Orientation.TOP_LEFT, confidence=1),
            "The board is in view.",
        ),
        (
            begun(),
            Desync(t=0, reason="2 points differ", slots=()),
            "Board and record disagree: 2 points differ. Judging has stopped.",
        ),
        (
            Match(SHORT),
            Desync(
                t=0, reason="the board is not set up right: of White’s points, point 8 has none", slots=(4,)
            ),
            "The board is not set up right: of White’s points, point 8 has none.",
        ),
        (begun(), Resync(t=0, reason="restored"), "Board and record agree again: restored."),
        (  # what cannot follow is told all the same
            won_by(begun(replace(SHORT, match_length=1)), WHITE),
            start(SHORT, BLACK),
            "Game 2 of backgammon begins, Boris to throw.",
        ),
        (Match(SHORT), RollOff(t=0, white=3, black=3), "Both roll 3: they roll again."),
        (SWAPPED, throw(WHITE, 2, 1), "Boris throws 2-1."),
    ],
)
def test_a_sentence_for_what_people_do(match: Match, event: Event, text: str) -> None:
    assert sentence(event, match) == text
