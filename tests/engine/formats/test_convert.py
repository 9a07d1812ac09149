from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.matches import BG, positions, random_match
from engine.check import check_record
from engine.corrections import replay
from engine.events import (
    Correction,
    CubeAction,
    Dice,
    Event,
    GameEnd,
    GameStart,
    MatchStart,
    MoveXY,
    PlayMade,
    Resignation,
    RollOff,
    Ruling,
    SetUp,
    Throw,
)
from engine.formats.convert import events_of, record_of
from engine.formats.moves import moved
from engine.layout import Orientation, colour_of, to_slots
from engine.match import Match
from engine.position import Game, Position, Side
from engine.record import FormatError, GameRecord, Record
from engine.rules import GRADES, RuleSet, Scoring, default_rules
from tests.engine import playing
from tests.engine.playing import random_game

LN = Game.LONG_NARDY
W, B = Side.WHITE, Side.BLACK
RULES = default_rules(BG)
START = GameStart(t=0, rules=RULES, position=Position.start(BG))


def throw(t: float, side: Side, dice: Dice, *, valid: bool = True) -> Throw:
    return Throw(t=t, side=side, colour=colour_of(side), dice=dice, valid=valid)


def play(t: float, side: Side, dice: Dice, moves: tuple[MoveXY, ...], before: Position) -> PlayMade:
    done = moved(before, BG, side, moves)
    assert done is not None
    return PlayMade(
        t=t,
        side=side,
        colour=colour_of(side),
        dice=dice,
        moves=moves,
        notation="",
        legal=True,
        rule=None,
        position=done[0],
        slots=to_slots(done[0], Orientation.BOTTOM_RIGHT),
        bar=done[0].bar,
        off=done[0].off,
    )


OPENING = play(3, W, (3, 1), ((8, 5), (6, 5)), START.position)
BAD = play(3, W, (3, 1), ((8, 4), (6, 5)), START.position)


@pytest.mark.parametrize("game", list(Game))
def test_a_game_as_a_record(game: Game) -> None:
    events = list(random_game(game, 4))
    (record,) = record_of(events).games
    plays = [event for event in events if isinstance(event, PlayMade)]
    end = events[-1]
    assert isinstance(end, GameEnd)
    assert [turn.moves for turn in record.turns] == [event.moves for event in plays]
    assert (record.winner, record.result, record.points) == (end.winner, end.result, end.points)
    assert record.turns[0].t == plays[0].t


@given(seed=st.integers(0, 10**6), length=st.integers(0, 5))
@settings(max_examples=8, deadline=None)
def test_from_a_record_to_events_and_back(seed: int, length: int) -> None:
    """A whole match, with the cube; the match that folds over the events has the same scores."""
    record = random_match(seed, length, illegal=0.03)
    rules = replace(RULES, match_length=length, beaver=not length, raccoon=not length)
    events = list(events_of(record, rules))
    back = record_of(events)
    assert _bare(back) == _bare(record)
    assert [positions(game) for game in back.games] == [positions(game) for game in record.games]
    match = replay(events, rules)
    last = record.games[-1]
    score = [last.score[side.index] + (last.points if last.winner is side else 0) for side in Side]
    assert match.score == tuple(score)


def _bare(record: Record) -> Record:
    """Without what events have more of, and with the name of a resignation as events have it."""
    games = (replace(g, first=None, turns=tuple(replace(t, t=None) for t in g.turns)) for g in record.games)
    return replace(record, rules=None, games=tuple(games))


def test_void_throws_are_no_part_of_the_record() -> None:
    events: list[Event] = [START, throw(1, W, (6, 6), valid=False), throw(2, W, (3, 1)), OPENING]
    (game,) = record_of([*events, throw(5, B, (5, 2))]).games
    assert [(turn.side, turn.dice, turn.moves) for turn in game.turns] == [
        (W, (3, 1), OPENING.moves),
        (B, (5, 2), None),
    ]
    rethrown = [*events, throw(5, B, (5, 2)), Ruling(t=6, decision="rethrow")]
    assert len(record_of(rethrown).games[0].turns) == 1


def test_the_roll_off_is_the_first_roll_where_the_rules_say_so() -> None:
    """G7; and equal dice double the stake where that is agreed (C6)."""
    events: list[Event] = [START, RollOff(t=1, white=2, black=2), RollOff(t=2, white=2, black=5)]
    (game,) = record_of(events).games
    assert [(turn.side, turn.dice) for turn in game.turns] == [(B, (2, 5))]
    end = GameEnd(t=9, winner=B, result="single", points=1)
    doubled = replace(START, rules=replace(RULES, auto_doubles=1))
    assert record_of([doubled, *events[1:], end]).games[0].points == 2
    long = GameStart(t=0, rules=default_rules(LN), position=Position.start(LN))
    (game,) = record_of([long, RollOff(t=1, white=3, black=2)]).games
    assert (game.turns, game.first) == ((), W)


def test_a_play_that_was_put_right_on_demand() -> None:
    """E5: the one that stands is the one in the record."""
    events: list[Event] = [START, BAD, Ruling(t=4, decision="demand"), OPENING]
    (game,) = record_of(events).games
    assert [turn.moves for turn in game.turns] == [OPENING.moves]
    accepted = record_of([START, BAD, Ruling(t=4, decision="accept")])
    assert [turn.moves for turn in accepted.games[0].turns] == [BAD.moves]


def test_a_play_that_must_be_put_right() -> None:
    """E5 auto_reject: without a demand; E6: it stands once the opponent throws or doubles."""
    start = replace(START, rules=replace(RULES, illegal_policy="auto_reject"))
    bad = replace(BAD, legal=False, rule="E8")
    (game,) = record_of([start, bad, OPENING]).games
    assert [turn.moves for turn in game.turns] == [OPENING.moves]
    (game,) = record_of([start, bad]).games
    assert [(turn.dice, turn.moves) for turn in game.turns] == [((3, 1), None)]
    demand = Ruling(t=4, decision="demand")
    begun: tuple[list[Event], ...] = ([start, bad], [START, bad, demand])
    for first in begun:
        (game,) = record_of([*first, throw(5, B, (5, 2))]).games
        assert [(turn.side, turn.moves) for turn in game.turns] == [(W, BAD.moves), (B, None)]
        (game,) = record_of([*first, CubeAction(t=5, side=B, action="double", value=2)]).games
        assert [(turn.action, turn.moves) for turn in game.turns] == [("play", BAD.moves), ("double", None)]


def test_a_play_that_is_changed_before_the_turn_ends() -> None:
    """E4: the one that stands in the end; also where the first one had ended the game."""
    other = play(4, W, (3, 1), ((24, 21), (6, 5)), START.position)
    (game,) = record_of([START, throw(2, W, (3, 1)), OPENING, other]).games
    assert [turn.moves for turn in game.turns] == [other.moves]
    points = [0] * 24
    points[2], points[1], points[23] = 1, 1, -15
    ending = GameStart(t=0, rules=RULES, position=Position(tuple(points), off=(13, 0)))
    off, back = (play(3, W, (2, 3), moves, ending.position) for moves in (((3, 0), (2, 0)), ((3, 0),)))
    (game,) = record_of([ending, off]).games
    assert (game.winner, len(game.turns)) == (W, 1)
    (game,) = record_of([ending, off, back, throw(9, B, (1, 2))]).games
    assert (game.winner, [turn.moves for turn in game.turns]) == (None, [back.moves, None])


def test_who_played_with_a_void_throw_may_double_instead() -> None:
    """D10: once it is put right the throw is none, and no turn comes after the drop."""
    void = replace(OPENING, legal=False, rule="D10")
    cube: list[Event] = [
        CubeAction(t=5, side=W, action="double", value=2),
        CubeAction(t=6, side=B, action="drop", value=1),
    ]
    (game,) = record_of(
        [START, throw(1, W, (3, 1), valid=False), void, Ruling(t=4, decision="demand"), *cube]
    ).games
    assert [turn.action for turn in game.turns] == ["double", "drop"]
    again = GameStart(t=9, rules=RULES, position=START.position)
    first, _ = record_of([START, void, Ruling(t=4, decision="demand"), *cube, again]).games
    assert [turn.action for turn in first.turns] == ["double", "drop"]


@pytest.mark.parametrize(
    ("scoring", "grade", "points"),
    [("remaining_checkers", "checker", 6), ("four_grade", "koks", 4), ("oin_mars", "mars", 2)],
)
def test_a_resignation_counts_as_its_grade(scoring: Scoring, grade: str, points: int) -> None:
    """P2 P3 P5: in the match, the record, its check, and in events made of the record."""
    rules = replace(default_rules(LN), scoring=scoring, grades=GRADES[scoring])
    board = [0] * 24
    board[2], board[14] = 6, -3
    start = GameStart(t=0, rules=rules, position=Position(tuple(board), off=(9, 12)))
    offer = Resignation(t=1, side=W, action="offer", grade=grade)
    events: list[Event] = [
        MatchStart(t=0, rules=rules, players=("Anna", "Boris")),
        start,
        offer,
        replace(offer, side=B, action="accept"),
    ]
    record = record_of(events)
    assert (record.games[0].winner, record.games[0].points) == (B, points)
    assert replay(events, rules).score == (0, points)
    assert check_record(record).legal
    assert replay(events_of(record), rules).score == (0, points)


def test_who_had_which_colour_is_told_by_score_and_rules() -> None:
    """G9: in long nardy, also where a game brought nobody ahead."""
    rules = replace(default_rules(LN), next_game_start="swap_colours", last_throw=True)
    games = (
        GameRecord(start=Position.start(LN), winner=B, points=1, result="oin"),
        GameRecord(start=Position.start(LN), score=(1, 0), winner=B, points=1, result="oin"),
        GameRecord(start=Position.start(LN), score=(1, 1), winner=W, points=2, result="mars"),
    )
    players = ("Anna", "Boris")

    def seated(rules: RuleSet) -> list[tuple[str, str] | None]:
        events = list(events_of(Record(game=LN, games=games, players=players, rules=rules)))
        return [event.players for event in events if isinstance(event, GameStart)]

    assert seated(rules) == [players, players[::-1], players]
    told = replace(rules, next_game_start="roll_off")
    assert seated(told) == [players, players[::-1], players[::-1]]  # nothing speaks for a change


@pytest.mark.parametrize("policy", ["auto_reject", "opponent_choice"])
@pytest.mark.parametrize("next_start", ["roll_off", "swap_colours", "winner_starts"])
@pytest.mark.parametrize("game", list(Game))
@given(seed=st.integers(0, 10**6))
@settings(max_examples=6)
def test_the_record_goes_as_the_match_went(game: Game, next_start: str, policy: str, seed: int) -> None:
    """E4 E5 E6 G8 G9 C6 C9: the same score, and ``check`` finds fault with plays and throws alone."""
    options: dict[str, Any] = {"illegal_policy": policy, "next_game_start": next_start, "match_length": 7}
    options |= {"cube": True, "crawford": True, "auto_doubles": 2, "beaver": True, "raccoon": True}
    rules = replace(default_rules(game), **options)
    if game is LN:
        rules = replace(rules, rolloff_winner_takes_white=True, last_throw=True)
    events = [
        MatchStart(t=0, rules=rules, players=("Anna", "Boris")),
        *playing.random_match(rules, seed, games=4),
    ]
    match, record = replay(events, rules), record_of(events)
    last = record.games[-1]
    gained = [last.points if last.result and last.winner in (None, side) else 0 for side in Side]
    score = (last.score[0] + gained[0], last.score[1] + gained[1])
    if game is LN:
        assert score == match.score
    else:
        assert score == match.by_seat(match.score)
    rows = {row for finding in check_record(record).findings for row, _ in finding.breaches}
    assert not {row for row in rows if row[0] in "CP" or row in ("G7", "G9", "G10")}, rows


def test_corrections_are_carried_out() -> None:
    events: list[Event] = [START, BAD, Correction(t=9, target=1, action="replace", event=OPENING)]
    assert record_of(events).games[0].turns[0].moves == OPENING.moves
    events.append(Correction(t=10, target=2, action="strike"))
    assert record_of(events).games[0].turns[0].moves == BAD.moves
    events.append(Correction(t=11, target=1, action="strike"))
    assert record_of(events).games[0].turns == ()
    with pytest.raises(FormatError, match="no event"):
        record_of([START, Correction(t=1, target=7, action="strike")])


def test_long_chains_of_corrections() -> None:
    """Each undoes the one before it; an event put in after another that was put in."""
    strikes = [Correction(t=1, target=place, action="strike") for place in range(5000)]
    assert len(record_of([START, *strikes]).games) == 1  # struck, and brought back, and struck ...
    with pytest.raises(FormatError, match="no game"):
        record_of([START, *strikes[:-1]])
    chain = [Correction(t=1, target=place, action="insert", event=START) for place in range(5000)]
    assert len(record_of([START, *chain]).games) == 5001


def test_the_cube_and_how_games_end() -> None:
    """C3, C4: a drop loses the stake before the double."""
    double = CubeAction(t=1, side=W, action="double", value=2)
    take = CubeAction(t=2, side=B, action="take", value=2)
    drop = CubeAction(t=2, side=B, action="drop", value=1)
    redouble = replace(double, side=B, value=4)
    (game,) = record_of([START, double, take, redouble, replace(drop, side=W)]).games
    assert [turn.value for turn in game.turns] == [2, 0, 4, 0]
    assert (game.winner, game.points, game.result) == (B, 2, "drop")
    offer = Resignation(t=5, side=W, action="offer", grade="gammon")
    refused = record_of([START, double, take, offer, Resignation(t=6, side=B, action="refuse")])
    assert refused.games[0].winner is None
    (game,) = record_of([START, double, take, offer, Resignation(t=6, side=B, action="accept")]).games
    assert (game.winner, game.points, game.result, game.turns[-1].value) == (B, 4, "resigned", 2)


def test_jacoby() -> None:
    """C7: a gammon counts one while nobody doubled."""
    start = replace(START, rules=replace(RULES, jacoby=True))
    end = GameEnd(t=9, winner=W, result="gammon", points=2)
    assert record_of([start, end]).games[0].points == 1
    double = CubeAction(t=1, side=W, action="double", value=2)
    taken: list[Event] = [start, double, CubeAction(t=2, side=B, action="take", value=2), end]
    assert record_of(taken).games[0].points == 4


def test_scores_names_and_length() -> None:
    end = GameEnd(t=9, winner=W, result="gammon", points=2)
    rules = replace(RULES, match_length=3)
    begun = MatchStart(t=0, rules=rules, players=("Anna", "Boris"))
    record = record_of([begun, replace(START, rules=rules), end, replace(START, rules=rules)])
    assert (record.players, record.length) == (("Anna", "Boris"), 3)
    assert [(game.score, game.crawford) for game in record.games] == [((0, 0), False), ((2, 0), True)]
    assert record_of([START], ("A", "B"), 7).length == 7


def test_colours_that_are_swapped_between_games() -> None:
    """G9: in backgammon the columns stay those of the players."""
    rules = replace(RULES, next_game_start="swap_colours")
    start, end = replace(START, rules=rules), GameEnd(t=9, winner=W, result="single", points=1)
    first, second, third = record_of([start, end, start, OPENING, end, start]).games
    assert (first.winner, second.winner) == (W, B)
    assert (second.score, third.score) == ((1, 0), (1, 1))
    assert (second.turns[0].side, second.turns[0].moves) == (B, OPENING.moves)
    assert None not in positions(second)


@pytest.mark.parametrize("game", list(Game))
def test_the_score_goes_with_the_players_when_colours_change(game: Game) -> None:
    """G9; a game may also say itself who has which colour. In nardy the score is that of the colours."""
    rules = replace(default_rules(game), next_game_start="swap_colours")
    begun = MatchStart(t=0, rules=rules, players=("Anna", "Boris"))
    start = GameStart(t=0, rules=rules, position=Position.start(game))
    won = GameEnd(t=9, winner=W, result=rules.grades[0][0], points=1)
    kept = replace(start, players=("Boris", "Anna"))
    events: list[Event] = [begun, start, won, start, won, kept, won, start]
    match = Match(rules)
    scores = []
    for event in events:
        match = match.apply(event)
        if isinstance(event, GameStart):
            scores.append(match.score)
    record = record_of(events)
    assert record.players == ("Anna", "Boris")
    if game is LN:
        assert [g.score for g in record.games] == scores
    else:
        assert [g.score for g in record.games] == [(0, 0), (1, 0), (1, 1), (1, 2)]


def test_a_position_that_was_set_up() -> None:
    there = Position((2, -1, *(0,) * 21, -3), bar=(0, 0), off=(13, 11))
    set_up = SetUp(t=1, position=there, side_to_move=B, dice=(6, 5), score=(2, 1), cube=4)
    (game,) = record_of([START, set_up, GameEnd(t=5, winner=W, result="single", points=1)]).games
    assert (game.start, game.score, game.points) == (there, (2, 1), 4)
    later = SetUp(t=4, position=there, side_to_move=B)
    (game,) = record_of([START, OPENING, later]).games
    assert positions(game) == [there]


def test_a_draw_gives_both_sides_points() -> None:
    """B8."""
    long = GameStart(t=0, rules=replace(default_rules(LN), last_throw=True), position=Position.start(LN))
    draw = GameEnd(t=9, winner=None, result="draw", points=0.5)
    first, second = record_of([long, draw, long]).games
    assert (first.winner, first.result, first.points, second.score) == (None, "draw", 0.5, (0.5, 0.5))


def test_events_without_a_game() -> None:
    with pytest.raises(FormatError, match="no game"):
        record_of([throw(1, W, (3, 1))])
