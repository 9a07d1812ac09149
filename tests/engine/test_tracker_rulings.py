"""What a referee decides, as the tracker goes on from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.corrections import replay
from engine.events import (
    Call,
    CubeAction,
    Event,
    GameEnd,
    GameStart,
    MatchStart,
    PlayMade,
    Resignation,
    RollOff,
    Ruling,
    SetUp,
    Throw,
    TurnEnd,
)
from engine.layout import colour_of
from engine.legal import legal_plays
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from tests.engine.seen import CLEAR, HAND, Die, Table
from tests.engine.test_tracker import begun, odd, watch
from tests.engine.test_tracker_seats import Seated

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)
W, B = Side.WHITE, Side.BLACK


def moved(position: Position, source: int, target: int) -> Position:
    """A white checker moved from one point to another, both by White's count."""
    points = list(position.points)
    points[source - 1] -= 1
    points[target - 1] += 1
    return replace(position, points=tuple(points))


def opened(rules: RuleSet = SHORT) -> Table:
    """A table after one legal turn of White, 3-1."""
    table = begun(rules)
    table.throw(W, (3, 1))
    table.play(legal_plays(table.position, W, (3, 1), rules)[0])
    return table


def seen_from(table: Table, events: list[Event], ruling: Event, start: int) -> list[Event]:
    """What a tracker tells that takes up the record with the ruling at its end."""
    return watch(table, Tracker.resume([*events, ruling], table.rules), start)


class TestADemandedPlay:
    """E5: the opponent demands a correct play, and the same dice are played again from where they fell."""

    def wrong(self) -> tuple[Table, list[Event]]:
        table = opened()
        table.throw(B, (4, 2))
        table.play(legal_plays(table.position, B, (4, 2), SHORT)[0])
        table.throw(W, (6, 2))
        table.illegal(W, moved(table.position, 13, 8))  # 5 pips
        table.rest(2.0)
        events = watch(table)
        assert isinstance(events[-1], PlayMade)
        assert not events[-1].legal
        return table, events

    @pytest.mark.parametrize("thrown", [None, W, B], ids=["at once", "void by him", "void by the other"])
    def test_it_stands_once_the_opponent_doubles(self, thrown: Side | None) -> None:
        """E6; a void throw in between settles nothing."""
        table, events = self.wrong()
        demand = Ruling(t=table.t, decision="demand", asked_by=B)
        void = [
            Throw(t=table.t, side=side, colour=colour_of(side), dice=(6, 6), valid=False, faults=("cocked",))
            for side in Side
            if side is thrown
        ]
        tracker = Tracker.resume([*events, demand, *void], SHORT)
        assert tracker.believed.position != table.position
        tracker.ruled(CubeAction(t=table.t, side=B, action="double", value=2))
        now = tracker.believed
        assert (now.position, now.side_to_move, now.phase) == (table.position, B, "waiting for a throw")

    def test_the_correct_play_is_told_with_the_same_dice(self) -> None:
        table, events = self.wrong()
        before = next(e for e in reversed(events[:-1]) if isinstance(e, PlayMade)).position
        start = len(table.seen)
        table.rest(3.0)  # the players talk; what stands is still the illegal play
        right = legal_plays(before, W, (6, 2), SHORT)[1]
        table.put(right.after)
        table.rest(2.5)
        table.throw(B, (5, 1))
        table.play(legal_plays(table.position, B, (5, 1), SHORT)[0])
        after = seen_from(table, events, Ruling(t=table.t, decision="demand", asked_by=B), start)
        play, throw, reply = after
        assert isinstance(play, PlayMade)
        assert (play.side, play.legal, play.position) == (W, True, right.after)
        assert sorted(play.dice) == [2, 6]
        assert isinstance(throw, Throw)
        assert isinstance(reply, PlayMade)
        assert (throw.side, reply.legal) == (B, True)

    def test_a_play_that_is_not_put_right_is_called_again(self) -> None:
        table, events = self.wrong()
        start = len(table.seen)
        table.rest(2.0)
        table.throw(B, (5, 1))
        table.play(legal_plays(table.position, B, (5, 1), SHORT)[0])
        after = seen_from(table, events, Ruling(t=table.t, decision="demand", asked_by=B), start)
        first = next(e for e in after if isinstance(e, PlayMade))
        assert (first.side, first.legal) == (W, False)

    def test_a_play_that_is_accepted_is_gone_on_from(self) -> None:
        table, events = self.wrong()
        start = len(table.seen)
        table.throw(B, (5, 1))
        table.play(legal_plays(table.position, B, (5, 1), SHORT)[0])
        after = seen_from(table, events, Ruling(t=table.t, decision="accept", asked_by=B), start)
        assert [e.type for e in after] == ["throw", "play"]
        assert odd(after) == []


class TestThrowsRuledOn:
    """D10: the referee has both dice thrown again, or lets a roll stand in which a fault was seen."""

    def thrown(self, valid: bool) -> tuple[Table, list[Event]]:
        table = opened()
        if valid:
            table.throw(B, (4, 2))
        else:
            table.throw(B, (4, 2), halves=("left", "right"), faults=("two_halves",))
        tracker = Tracker(white_is_light=table.white_is_light)
        events = [e for seen in table.seen for e in tracker.observe(seen)]
        assert isinstance(events[-1], Throw)
        assert events[-1].valid == valid
        return table, events

    def test_a_void_throw_is_thrown_again(self) -> None:
        table, events = self.thrown(valid=True)
        start = len(table.seen)
        table.lift()
        table.throw(B, (6, 6))
        table.play(legal_plays(table.position, B, (6, 6), SHORT)[0])
        after = seen_from(table, events, Ruling(t=table.t, decision="rethrow", asked_by=W), start)
        throw, play = after
        assert isinstance(throw, Throw)
        assert isinstance(play, PlayMade)
        assert (throw.side, throw.dice, play.legal) == (B, (6, 6), True)

    def test_a_roll_that_stands_may_be_played(self) -> None:
        table, events = self.thrown(valid=False)
        start = len(table.seen)
        table.play(legal_plays(table.position, B, (4, 2), SHORT)[0])
        table.rest(2.0)
        after = seen_from(table, events, Ruling(t=table.t, decision="stand"), start)
        play = after[-1]
        assert isinstance(play, PlayMade)
        assert (play.side, play.legal, play.rule) == (B, True, None)


@pytest.mark.parametrize("anew", [False, True])
def test_a_roll_off_that_the_referee_names_is_the_first_roll(anew: bool) -> None:
    """G7: its two dice are played, unless the winner throws both again."""
    table = begun()
    events = watch(table)
    start = len(table.seen)
    if anew:
        table.throw(W, (6, 5))
    dice = (6, 5) if anew else (4, 2)
    table.play(legal_plays(table.position, W, dice, SHORT)[0])
    table.throw(B, (3, 1))
    table.play(legal_plays(table.position, B, (3, 1), SHORT)[0])
    after = seen_from(table, events, RollOff(t=table.seen[start - 1].t, white=4, black=2), start)
    plays = [e for e in after if isinstance(e, PlayMade)]
    assert [(sorted(e.dice), e.legal) for e in plays] == [(sorted(dice), True), ([1, 3], True)]
    assert odd(after) == []


def test_a_play_stands_once_the_opponent_has_thrown_on_it() -> None:
    """E6: a throw that the referee enters after a demand lets the illegal play stand."""
    _, events = TestADemandedPlay().wrong()
    demand = Ruling(t=40.0, decision="demand")
    thrown = Throw(t=41.0, side=B, colour="dark", dice=(5, 1), valid=True)
    illegal = events[-1]
    assert isinstance(illegal, PlayMade)
    assert Tracker.resume([*events, demand], SHORT).believed.position != illegal.position
    assert Tracker.resume([*events, demand, thrown], SHORT).believed.position == illegal.position


def test_a_void_throw_of_the_wrong_side_changes_no_turn() -> None:
    """G10."""
    events = watch(opened())
    thrown = Throw(t=41.0, side=W, colour="light", dice=(5, 1), valid=False, faults=("premature",))
    assert Tracker.resume([*events, thrown], SHORT).believed.side_to_move is B


@pytest.mark.parametrize("demanded", [False, True])
def test_dice_from_the_hand_are_void_once_a_cup_was_demanded(demanded: bool) -> None:
    """D2: palms will do until the opponent asks for the cup."""
    table = opened(replace(SHORT, dice_from="cup_on_demand"))
    events = watch(table, Tracker(table.rules))
    calls = [Call(t=table.t, side=W, what="cup")] if demanded else []
    start = len(table.seen)
    table.throw(B, (4, 2), cup=False, lie=3.0)
    tracker = Tracker.resume([*events, *calls], table.rules)
    after = [e for seen in table.seen[start:] for e in tracker.observe(seen)]
    (throw,) = after
    assert isinstance(throw, Throw)
    assert throw.faults == (("not_from_cup",) if demanded else ())


# -- what ends a turn (rules.md E1 to E3) ------------------------------------------------------

CLOCK, ONE_PAIR = replace(SHORT, turn_end=("clock",)), replace(SHORT, turn_end=("dice_handed_over",))


class Pressed:
    """A tracker at a table, and what it has told."""

    def __init__(self, rules: RuleSet, first: Side | None = None) -> None:
        self.table, self.tracker = begun(rules), Tracker(rules, side_to_move=first)
        self.events: list[Event] = []
        self.seen = 0

    def look(self) -> list[PlayMade]:
        """The plays of the frames that came since."""
        start = len(self.events)
        for seen in self.table.seen[self.seen :]:
            self.events += self.tracker.observe(seen)
        self.seen = len(self.table.seen)
        return [event for event in self.events[start:] if isinstance(event, PlayMade)]

    def press(self, side: Side) -> None:
        self.look()
        pressed = TurnEnd(t=self.table.t, side=side, how="clock")
        self.events.append(pressed)
        self.tracker.ruled(pressed)


def test_a_clock_ends_the_turn_at_once_while_the_dice_lie() -> None:
    """E1. The next dice are thrown beside them, and it is no early throw."""
    game = Pressed(CLOCK, W)
    table = game.table
    table.throw(W, (3, 1), places=[(0.15, 0.5), (0.25, 0.5)])
    table.play(legal_plays(table.position, W, (3, 1), SHORT)[0], lift=False)
    assert not game.look()
    lying = table.dice
    game.press(W)
    table.rest(0.2)
    (play,) = game.look()
    assert (play.side, play.legal, play.position) == (W, True, table.position)
    table.rest(1.0)
    for _ in range(6):
        table.frame(still=False, cup=True, hands=[HAND, (100.0, 80.0, 700.0, 640.0)], hide_dice=True)
    table.dice = [*lying, Die(6, (0.65, 0.5), half="right"), Die(4, (0.85, 0.5), half="right")]
    table.rest(1.2)
    table.play(legal_plays(table.position, B, (6, 4), SHORT)[0], lift=False)
    game.press(B)
    table.rest(0.5)
    (play,) = game.look()
    assert (play.side, play.legal) == (B, True)
    assert [(e.side, e.valid) for e in game.events if isinstance(e, Throw)] == [(W, True), (B, True)]
    assert replay(game.events, CLOCK).position == table.position


@pytest.mark.parametrize("moved_on", [True, False])
def test_a_clock_that_is_pressed_makes_a_wrong_play_an_offence(moved_on: bool) -> None:
    """E1: told within a second, and so is a throw that is not played. Who presses it has thrown."""
    game = Pressed(CLOCK)
    table = game.table
    table.throw(W, (3, 1))
    if moved_on:
        table.put(moved(table.position, 13, 8))
    table.rest(1.0)
    game.press(W)
    table.rest(0.9)
    (play,) = game.look()
    assert (play.side, play.legal, play.rule) == (W, False, "E8" if moved_on else "M3")


@pytest.mark.parametrize("presses", [True, False])
def test_by_the_clock_alone_a_play_may_be_changed_after_the_dice_were_lifted(presses: bool) -> None:
    """E1, E4; the next throw ends the turn of who has forgotten to press it."""
    game = Pressed(CLOCK)
    table = game.table
    table.throw(W, (3, 1))
    first, *others = legal_plays(table.position, W, (3, 1), SHORT)
    start = table.position
    table.play(first, record=False)
    table.rest(3.0)
    assert not game.look()
    assert game.tracker.believed.phase == "moving"
    last = next(play for play in others if play.after != first.after)
    table.put(start)
    table.put(last.after)
    table.rest(1.0)
    assert not game.look()
    if presses:
        game.press(W)
        table.rest(0.3)
    else:
        table.throw(B, (6, 5))
    (play,) = game.look()
    assert (play.side, play.legal, play.position) == (W, True, last.after)


def test_a_clock_that_ends_no_turn_by_the_rules_ends_none() -> None:
    game = Pressed(SHORT)
    table = game.table
    table.throw(W, (3, 1))
    table.play(legal_plays(table.position, W, (3, 1), SHORT)[0], lift=False)
    game.press(W)
    table.rest(2.0)
    assert not game.look()
    table.lift()
    assert len(game.look()) == 1


def test_a_clock_ends_the_turn_of_a_record_that_is_taken_up() -> None:
    rules = replace(SHORT, turn_end=("clock", "dice_lifted"))
    table = opened(rules)
    table.throw(B, (4, 2))
    events = watch(table, Tracker(rules))
    events = [e for e in events if not isinstance(e, PlayMade)] if events[-1].type == "play" else events
    start = len(table.seen)
    table.play(legal_plays(table.position, B, (4, 2), SHORT)[0], lift=False)
    table.rest(2.5)
    (play,) = seen_from(table, events, TurnEnd(t=table.t, side=B, how="clock"), start)
    assert isinstance(play, PlayMade)
    assert (play.side, play.legal) == (B, True)


@pytest.mark.parametrize("taker", [W, B, None])
def test_dice_that_the_opponent_takes_are_handed_over(taker: Side | None) -> None:
    """E2: by taking them he accepts the play. Who lifts his own has not yet handed them over."""
    table = Seated(replace(ONE_PAIR, claim_window="dice_taken"), noise=CLEAR)
    table.rest(1.0)
    table.turns(4)
    table.throw(W, (3, 1))
    table.side = W
    table.play(legal_plays(table.position, W, (3, 1), SHORT)[0], lift=False)
    table.rest(1.0)
    table.side = taker or W
    table.armless = taker is None
    table.lift()
    table.armless = False
    table.rest(1.0)
    tracker = Tracker(table.rules)
    events = [event for seen in table.seen for event in tracker.observe(seen)]
    tail = [event for event in events[-2:] if isinstance(event, (PlayMade, TurnEnd))]
    if taker is W:
        assert sum(isinstance(event, PlayMade) for event in events) == 4
        start = len(table.seen)
        table.turn(B, (6, 4))
        events += [event for seen in table.seen[start:] for event in tracker.observe(seen)]
        plays = [event for event in events if isinstance(event, PlayMade)]
        assert [play.legal for play in plays[4:5]] == [True]
        return
    if taker is B:
        assert tail[0] == TurnEnd(t=tail[1].t, side=W, how="dice_handed_over")
    match = replay(events, table.rules)
    assert isinstance(tail[-1], PlayMade)
    assert match.claim_open is (taker is None)


def test_a_position_set_up_in_mid_match_is_played_from() -> None:
    table = Table(SHORT)
    for _ in range(3):
        roll = table.roll()
        table.position = legal_plays(table.position, W, roll, SHORT)[-1].after
    record: list[Event] = [
        MatchStart(t=0.0, rules=SHORT),
        SetUp(t=0.0, position=table.position, side_to_move=B, dice=None),
    ]
    table.rest(1.0)
    table.throw(B, (5, 3))
    table.play(legal_plays(table.position, B, (5, 3), SHORT)[0])
    after = watch(table, Tracker.resume(record))
    assert [e.type for e in after] == ["throw", "play"]
    assert isinstance(after[1], PlayMade)
    assert (after[1].side, after[1].legal) == (B, True)


@pytest.mark.parametrize(
    "end",
    [
        CubeAction(t=9.0, side=B, action="drop", value=1),
        Resignation(t=9.0, side=B, action="accept"),
    ],
    ids=lambda e: e.type,
)
def test_a_game_that_is_given_up_is_over(end: Event) -> None:
    """C3: whoever drops has lost; the next set-up board is the next game."""
    table = opened()
    events = watch(table)
    tracker = Tracker.resume([*events, end], SHORT)
    assert tracker.believed.phase == "game over"
    table.seen.clear()
    table.position = Position.start(Game.BACKGAMMON)
    table.rest(2.0)
    assert any(isinstance(e, GameStart) for e in watch(table, tracker))


@pytest.mark.parametrize(
    ("last_throw", "types"),
    [(False, ["throw", "play", "game_end"]), (True, ["throw", "play", "throw", "play", "game_end"])],
)
def test_the_other_side_has_the_last_throw(last_throw: bool, types: list[str]) -> None:
    """B8: the side that began has finished; the other may still draw."""
    rules = replace(LONG, last_throw=last_throw)
    points = [0] * 24
    points[0] = 1  # White's last checker, on his 1-point
    points[12] = -2  # Black's last two, on his 1-point
    position = Position(tuple(points), off=(14, 13))
    table = Table(rules)
    table.position = position
    record: list[Event] = [
        MatchStart(t=0.0, rules=rules),
        SetUp(t=0.0, position=position, side_to_move=W, dice=None, first=W),
    ]
    table.rest(1.0)
    table.throw(W, (6, 5))
    table.play(legal_plays(table.position, W, (6, 5), rules)[0])
    table.throw(B, (3, 2))
    table.play(legal_plays(table.position, B, (3, 2), rules)[0])
    table.rest(1.0)
    after = watch(table, Tracker.resume(record))
    assert [e.type for e in after] == types
    end = after[-1]
    assert isinstance(end, GameEnd)
    assert (end.winner, end.result, end.points) == ((None, "draw", 0.5) if last_throw else (W, "oin", 1))
