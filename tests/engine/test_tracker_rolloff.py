"""The roll-off (rules.md G7): one die of each player, told apart by the arms that threw them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.corrections import replay
from engine.events import Dice, Event, GameEnd, GameStart, PlayMade, RollOff, Throw
from engine.observation import Half
from engine.position import Game, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from tests.engine.seen import HAND, Die, Table
from tests.engine.test_tracker_seats import Seated

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)


def roll_one(table: Table, side: Side, value: int, lie: float) -> None:
    """A side throws one die into the half to its right, beside what lies there."""
    if isinstance(table, Seated):
        table.side = side
    for _ in range(round(1.0 * table.fps)):
        table.frame(still=False, cup=True, hands=[HAND], hidden=(6, 7, 18, 19))
    half: Half = "right" if side is Side.WHITE else "left"
    for _ in range(round(0.4 * table.fps)):
        table.frame(still=False)
    x = 0.75 if half == "right" else 0.25
    table.dice = [*table.dice, Die(value, (x, 0.5), "flat", half, since=table.t)]
    table.rest(lie)


def roll_off(table: Table, white: int, black: int, *, pause: float = 0.5, lie: float = 1.0) -> None:
    """White throws a die, and after a ``pause`` Black another, which both lie for a while."""
    roll_one(table, Side.WHITE, white, pause)
    roll_one(table, Side.BLACK, black, lie)


def told_of(table: Table) -> list[tuple[float, Event]]:
    """The events of a table, each with the time of the frame that brought it."""
    tracker = Tracker()
    events = [(seen.t, event) for seen in table.seen for event in tracker.observe(seen)]
    events += [(table.t, event) for event in tracker.finish()]
    replay([event for _, event in events], table.rules)
    return events


def seated(rules: RuleSet) -> Seated:
    table = Seated(rules, seed=3)
    table.rest(1.0)
    return table


@pytest.mark.parametrize("pause", [0.5, 4.0], ids=["soon", "late"])
@pytest.mark.parametrize("dice", [(5, 2), (2, 5)])
@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
def test_a_roll_off_is_told_when_it_is_seen(rules: RuleSet, dice: Dice, pause: float) -> None:
    table = seated(rules)
    roll_off(table, 4, 4, pause=pause)
    tied = table.t
    table.lift()
    roll_off(table, *dice, pause=pause)
    rolled = table.t
    winner = Side.WHITE if dice[0] > dice[1] else Side.BLACK
    table.side = winner
    if rules.opening_roll == "uses_rolloff":
        table.play(table.legal(winner, dice))
    else:
        table.lift()
        table.turn(winner, (3, 1))
    table.side = winner.other
    table.turn(winner.other, (6, 5))
    events = told_of(table)[2:]
    expected: list[object] = [RollOff, RollOff, PlayMade, Throw, PlayMade]
    if rules.opening_roll == "rethrow":
        expected.insert(2, Throw)
    assert [type(event) for _, event in events] == expected
    (at, tie), (then, decided) = events[:2]
    assert isinstance(tie, RollOff)
    assert isinstance(decided, RollOff)
    assert (tie.white, tie.black, decided.white, decided.black) == (4, 4, *dice)
    assert at < tied, "while the dice lie"
    assert then < rolled
    plays = [event for _, event in events if isinstance(event, PlayMade)]
    assert [play.side for play in plays] == [winner, winner.other]
    assert all(play.legal for play in plays)


@pytest.mark.parametrize("equal", [True, False])
def test_without_arms_equal_dice_are_a_roll_off_and_others_are_told_by_who_plays(equal: bool) -> None:
    table = Table(SHORT, seed=3)
    table.rest(1.0)
    if equal:
        roll_off(table, 3, 3)
        table.lift()
    roll_off(table, 2, 5)
    table.play(table.legal(Side.BLACK, (5, 2)))
    table.turn(Side.WHITE, (6, 5))
    events = [event for _, event in told_of(table)][2:]
    rolls = [(e.white, e.black) for e in events if isinstance(e, RollOff)]
    assert rolls == [(3, 3), (2, 5)][not equal :]
    assert [type(e) for e in events if not isinstance(e, RollOff)] == [PlayMade, Throw, PlayMade]


def test_the_winner_of_a_roll_off_may_throw_both_dice_after_all() -> None:
    table = seated(SHORT)
    roll_off(table, 2, 5)
    table.side = Side.BLACK
    table.lift(empty=8.0)
    table.turn(Side.BLACK, (6, 1))
    events = [event for _, event in told_of(table)][2:]
    assert [type(event) for event in events] == [RollOff, Throw, PlayMade]
    assert isinstance(events[2], PlayMade)
    assert (events[2].side, sorted(events[2].dice), events[2].legal) == (Side.BLACK, [1, 6], True)


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
def test_each_player_may_lift_his_die_before_the_other_throws(rules: RuleSet) -> None:
    table = seated(rules)
    roll_one(table, Side.WHITE, 2, 1.2)
    table.lift()
    roll_one(table, Side.BLACK, 6, 1.2)
    table.lift()
    table.rest(2.0)
    if rules.opening_roll == "uses_rolloff":
        for move in table.legal(Side.BLACK, (6, 2)).moves:
            table.move(Side.BLACK, move)
        table.rest(2.0)
    else:
        table.turn(Side.BLACK, (3, 1))
    table.side = Side.WHITE
    table.turn(Side.WHITE, (6, 5))
    events = [event for _, event in told_of(table)][2:]
    (rolled, *_), rest = events, [e for e in events if isinstance(e, Throw | PlayMade)]
    assert isinstance(rolled, RollOff)
    assert (rolled.white, rolled.black) == (2, 6)
    assert [(type(e), e.side) for e in rest][-3:] == [
        (PlayMade, Side.BLACK),
        (Throw, Side.WHITE),
        (PlayMade, Side.WHITE),
    ]
    assert len(events) == len(rest) + 1 == (4 if rules.opening_roll == "uses_rolloff" else 5)
    assert all(e.legal for e in rest if isinstance(e, PlayMade))


def test_dice_that_one_player_threw_one_by_one_are_no_roll_off() -> None:
    table = seated(SHORT)
    roll_one(table, Side.WHITE, 5, 0.5)
    roll_one(table, Side.WHITE, 5, 1.5)
    table.dice[1] = replace(table.dice[1], centre=(0.6, 0.45))
    table.lift()
    table.turn(Side.WHITE, (6, 1))
    events = [event for _, event in told_of(table)][2:]
    assert [type(event) for event in events] == [Throw, Throw, PlayMade]
    assert isinstance(events[0], Throw)
    assert "one_die" in events[0].faults


def test_a_first_throw_of_one_arm_that_is_lifted_unplayed_is_no_roll_off() -> None:
    table = seated(SHORT)
    table.throw(Side.WHITE, (5, 2))
    table.lift()
    table.turn(Side.WHITE, (6, 3))
    events = [event for _, event in told_of(table)][2:]
    assert not any(isinstance(event, RollOff) for event in events)
    last = {sum(e.dice): e.valid for e in events if isinstance(e, Throw)}
    assert last == {7: False, 9: True}
    assert [(e.side, e.legal) for e in events if isinstance(e, PlayMade)] == [(Side.WHITE, True)]


def test_later_games_begin_with_a_roll_off_only_if_the_rules_say_so() -> None:
    rules = replace(SHORT, next_game_start="winner_starts")
    table = seated(rules)
    events: list[Event] = [
        GameStart(t=0, rules=rules, position=table.position),
        GameEnd(t=0.1, winner=Side.WHITE, result="resigned", points=1),
    ]
    roll_off(table, 5, 2)
    table.lift()
    for before, rolled in ((2, False), (0, True)):
        tracker = Tracker.resume(events[:before], rules)
        told = [event for seen in table.seen for event in tracker.observe(seen)]
        assert any(isinstance(event, RollOff) for event in told) == rolled


def test_who_takes_the_white_checkers_is_seen_when_he_throws() -> None:
    """G8: the winner may have had the place of Black."""
    rules = replace(LONG, rolloff_winner_takes_white=True)
    tracker = Tracker(rules)
    table = seated(rules)
    roll_off(table, 2, 5)
    assert [type(e) for seen in table.seen for e in tracker.observe(seen)][2:] == [RollOff]
    assert tracker.believed.side_to_move is None
