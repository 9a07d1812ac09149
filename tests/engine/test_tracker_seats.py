"""Arms as witnesses: where they reach in from, and who sits there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import pytest

from engine.check import check_events
from engine.corrections import correct, replay
from engine.events import Desync, Doubt, Event, Fault, PlayMade, Resync, Ruling, Throw
from engine.formats.convert import record_of
from engine.layout import Orientation, slot_of
from engine.legal import legal_plays
from engine.match import Match
from engine.observation import BoardView, Box, Observation, SlotReading
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from engine.tracker_seats import Seat, SeatWatch, seats_of
from tests.engine.seen import Noise, Played, Table, Thrown
from tests.engine.test_tracker import check

BOARD = BoardView(((100, 80), (1180, 80), (1180, 640), (100, 640)), (0.48, 0.52), 0.98)
ARMS: dict[Seat, Box] = {"top": (500.0, 0.0, 620.0, 300.0), "bottom": (500.0, 330.0, 620.0, 720.0)}
SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)


def seen(*hands: Box, t: float = 0.0) -> Observation:
    return Observation(t, 0, BOARD, hands=hands)


@pytest.mark.parametrize("seat", ["top", "bottom"])
def test_an_arm_reaches_in_over_one_side(seat: Seat) -> None:
    assert seats_of(seen(ARMS[seat])) == {seat}
    assert seats_of(seen(ARMS[seat], (300.0, 200.0, 380.0, 260.0))) == {seat}, "a hand alone says nothing"
    assert seats_of(seen(*ARMS.values())) == set(ARMS)


@pytest.mark.parametrize(
    "hands",
    [
        (),
        ((500.0, 0.0, 620.0, 720.0),),  # over the whole board
        ((0.0, 0.0, 90.0, 300.0),),  # beside it
        ((500.0, 0.0, 620.0, 85.0),),  # on the frame
        ((500.0, 300.0, 620.0, 400.0),),
    ],
)
def test_other_hands_say_nothing(hands: tuple[Box, ...]) -> None:
    assert not seats_of(seen(*hands))


def test_who_sits_where_is_learnt() -> None:
    watch = SeatWatch()
    at_home = watch.evidence("bottom", Orientation.BOTTOM_RIGHT)
    assert at_home[Side.WHITE] > at_home[Side.BLACK]
    assert watch.evidence("bottom", Orientation.TOP_LEFT)[Side.BLACK] == at_home[Side.WHITE]
    assert watch.evidence(None, Orientation.BOTTOM_RIGHT) == {Side.WHITE: 0, Side.BLACK: 0}
    for _ in range(4):
        watch.learn("top", Side.WHITE, Orientation.BOTTOM_RIGHT)
        watch.learn("bottom", Side.BLACK, Orientation.BOTTOM_RIGHT)
    learnt = watch.evidence("bottom", Orientation.BOTTOM_RIGHT)
    assert learnt[Side.BLACK] - learnt[Side.WHITE] > 2.5
    assert learnt[Side.WHITE] > math.log(0.01), "anybody reaches across now and then"
    watch.new_game()
    turned = watch.evidence("bottom", Orientation.TOP_LEFT)
    assert turned[Side.WHITE] - turned[Side.BLACK] > 1, "the board is set up the other way round"


def test_players_at_one_side_say_nothing_of_each_other() -> None:
    watch = SeatWatch()
    for _ in range(3):
        for side in Side:
            watch.learn("bottom", side, Orientation.BOTTOM_RIGHT)
    learnt = watch.evidence("bottom", Orientation.BOTTOM_RIGHT)
    assert abs(learnt[Side.WHITE] - learnt[Side.BLACK]) < 0.3


def test_the_arm_that_threw_is_that_of_the_seconds_before() -> None:
    watch = SeatWatch()
    for k in range(100):
        arms = [ARMS["top"]] * (10 <= k < 20) + [ARMS["bottom"]] * (30 <= k < 40 or k >= 60)
        arms += [ARMS["top"]] * (70 <= k < 80)
        watch.see(seen(*arms, t=k / 10))
    assert [watch.thrower(t) for t in (2.2, 4.2, 5.8)] == ["top", "bottom", None]
    assert watch.thrower(3.3) is None, "both were there"
    assert watch.thrower(8.0) == "bottom", "for the most part"
    assert watch.thrower(9.9) is None, "it rested there before"
    assert watch.seen_since("top", 6.0, 7.5)
    assert not watch.seen_since("top", 2.5, 6.5)


class Seated(Table):
    """A table at which every arm reaches in from where its side sits: at home, or if ``away`` opposite."""

    side = Side.WHITE
    away = False
    armless = False  #: hands come from nowhere

    def frame(self, *, hands: object = (), **more: object) -> None:
        arms = [ARMS["bottom" if (self.side is Side.WHITE) is not self.away else "top"]] if hands else []
        arms = [(0.0, 0.0, 90.0, 90.0)] if hands and self.armless else arms
        super().frame(hands=arms, **more)  # type: ignore[arg-type]

    def turn(self, side: Side, *args: object, **thrown: object) -> None:
        self.side = side
        super().turn(side, *args, **thrown)  # type: ignore[arg-type]

    def turns(self, number: int) -> Side:
        """So many turns, White's first; who is to move then."""
        for turn in range(number):
            self.turn(list(Side)[turn % 2])
        return list(Side)[number % 2]


def begun(rules: RuleSet = SHORT, *, away: bool = False) -> Seated:
    """A table at which nobody has thrown yet."""
    table = Seated(rules, seed=2, noise=Noise())
    table.away = away
    table.rest(1.0)
    return table


def followed(table: Table) -> list[tuple[float, Event]]:
    """The events, each with the time at which it was told."""
    tracker = Tracker()
    events = [(frame.t, event) for frame in table.seen for event in tracker.observe(frame)]
    return [*events, *((table.t, event) for event in tracker.finish())]


@pytest.mark.parametrize("faults", [(), ("off_board",)])
@pytest.mark.parametrize("side", Side)
def test_the_first_throw_of_a_game_is_told_at_once(side: Side, faults: tuple[Fault, ...]) -> None:
    table = begun()
    table.side = side
    off = {"states": ("flat", "off_board"), "halves": ("left", "off")} if faults else {}
    table.throw(side, (3, 1), **off)  # type: ignore[arg-type]
    assert [
        (e.side, e.valid, e.faults)
        for t, e in followed(table)
        if isinstance(e, Throw) and t <= table.seen[-1].t
    ] == [(side, not faults, faults)]


@pytest.mark.parametrize("void", [False, True])
def test_a_first_throw_is_told_again_if_the_play_is_the_others(void: bool) -> None:
    """Who does not sit at home is taken for the other, until he plays; then it is learnt."""
    table = begun(away=True)
    table.side = Side.WHITE
    if void:
        table.throw(Side.WHITE, (6, 5), states=("cocked", "flat"))
        table.lift()
    table.turn(Side.WHITE, (3, 1))
    table.turn(Side.BLACK, (6, 4))
    table.turn(Side.WHITE, (5, 4))
    events = [event for _, event in followed(table)]
    throws = [(e.side, e.dice, e.valid) for e in events if isinstance(e, Throw)]
    first = [((6, 5), False)] * void + [((3, 1), True)]
    told, again = ([(side, *what) for what in first] for side in (Side.BLACK, Side.WHITE))
    assert throws[: 2 * len(first)] == told + again
    assert throws[2 * len(first) :] == [(Side.BLACK, (6, 4), True), (Side.WHITE, (5, 4), True)]
    plays = [e for e in events if isinstance(e, PlayMade)]
    assert [(p.side, p.legal) for p in plays] == [
        (Side.WHITE, True), (Side.BLACK, True), (Side.WHITE, True)
    ]  # fmt: skip
    assert sum(isinstance(e, Doubt) for e in events) == len(first)
    match = replay(events, SHORT)
    assert (match.first, match.side_to_move, match.position) == (Side.WHITE, Side.BLACK, table.position)
    kept = correct(events, [], Match(SHORT))
    assert [e.side for e in kept.events if isinstance(e, Throw)] == [Side.WHITE] * len(first) + [
        Side.BLACK, Side.WHITE
    ]  # fmt: skip
    record = record_of(events)
    assert [turn.side for turn in record.games[0].turns] == [Side.WHITE, Side.BLACK, Side.WHITE]


def test_throws_are_told_in_their_order_where_nobody_saw_who_made_the_first() -> None:
    """A void throw waits for the play, and so does the one after it."""
    table = begun()
    table.armless = True
    table.throw(Side.WHITE, (6, 5), states=("flat", "off_board"), halves=("left", "off"))
    table.lift()
    table.armless = False
    table.turn(Side.WHITE, (3, 1))
    table.turn(Side.BLACK, (6, 4))
    events = [event for _, event in followed(table)]
    throws = [(e.side, e.dice, e.valid) for e in events if isinstance(e, Throw)]
    assert throws == [(Side.WHITE, (6, 5), False), (Side.WHITE, (3, 1), True), (Side.BLACK, (6, 4), True)]
    assert replay(events, SHORT).position == table.position


def test_dice_of_a_roll_off_are_no_first_throw() -> None:
    """One die comes from either side of the board (rules.md G7)."""
    table = begun()
    places = [(0.2, 0.5), (0.7, 0.5)]
    table.throw(Side.WHITE, (5, 2), places=places, seen=(True, False), record=False, lie=0.7)
    table.side = Side.BLACK
    for _ in range(6):
        table.frame(still=False, cup=True, hands=[ARMS["top"]])
    table.dice[1].seen = True
    table.rest(1.5)
    assert not [e for t, e in followed(table) if isinstance(e, Throw) and t < table.t]


@pytest.mark.parametrize("again", [True, False])
def test_good_dice_that_were_lifted_unplayed_are_judged_by_who_throws_next(again: bool) -> None:
    """The same side throws again: something was wrong that nobody saw. The other does: it is an offence."""
    table = begun()
    table.turns(8)
    table.side = Side.WHITE
    table.throw(Side.WHITE, (5, 2))
    table.lift()
    table.side = Side.WHITE if again else Side.BLACK
    table.turn(table.side, (4, 3))
    tracker = Tracker()
    events = [event for frame in table.seen for event in tracker.observe(frame)] + list(tracker.finish())
    throws = [e for e in events if isinstance(e, Throw) and sorted(e.dice) == [2, 5]][-2:]
    plays = [e for e in events if isinstance(e, PlayMade)]
    assert plays[-1].side is table.side
    assert plays[-1].legal
    if again:
        assert [t.valid for t in throws] == [True, False]
        assert all(play.legal for play in plays)
        assert any(isinstance(e, Doubt) for e in events)
    else:
        assert throws[-1].valid
        assert (plays[-2].side, plays[-2].rule) == (Side.WHITE, "M3")


# -- whose turn it is (rules.md G10) -----------------------------------------------------------


def told(events: Iterable[tuple[float, Event]]) -> list[Thrown | Played]:
    """Throws and plays in the form of the truth; a throw that is told twice counts as it was told last."""
    items: dict[object, Thrown | Played] = {}
    for _, event in events:
        if isinstance(event, Throw):
            items[event.t, "throw"] = Thrown(event.side, event.dice, event.faults)
        elif isinstance(event, PlayMade):
            items[event.t, "play"] = Played(event.side, event.position, event.legal, event.rule)
    return in_order(items.values())


def in_order(items: Iterable[Thrown | Played]) -> list[Thrown | Played]:
    """The same, the higher die first."""
    return [replace(i, dice=(max(i.dice), min(i.dice))) if isinstance(i, Thrown) else i for i in items]


def odd(events: Iterable[tuple[float, Event]]) -> list[str]:
    return [event.type for _, event in events if isinstance(event, (Doubt, Desync, Resync))]


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("turns", [2, 5, 12, 13])
def test_who_has_played_and_throws_again_throws_out_of_turn(rules: RuleSet, turns: int) -> None:
    """Told at once where it was long learnt who sits where, else when he lifts them, early with a doubt."""
    table = begun(rules)
    rightful = table.turns(turns)
    table.throw(rightful.other, (5, 2), faults=("wrong_side",))
    lies = table.seen[-1].t
    table.lift()
    table.turn(rightful, (4, 3))
    table.turn(rightful.other, (6, 1))
    events = followed(table)
    assert told(events) == in_order(table.truth)
    assert odd(events) == ["doubt"] * (turns < 5)
    when = next(t for t, e in events if isinstance(e, Throw) and "wrong_side" in e.faults)
    assert (when <= lies) is (turns > 10)
    replay([event for _, event in events], rules)


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("turns", [2, 12])
def test_who_plays_his_throw_out_of_turn_plays_against_the_rules(rules: RuleSet, turns: int) -> None:
    """The board wins: the rightful player goes on from it."""
    table = begun(rules)
    rightful = table.turns(turns)
    table.throw(rightful.other, (5, 2), faults=("wrong_side",))
    wrong = table.legal(rightful.other, (5, 2))
    table.play(wrong, record=False)
    table.truth.append(Played(rightful.other, wrong.after, False, "G10"))
    table.turn(rightful, (4, 3))
    table.turn(rightful.other, (6, 1))
    events = followed(table)
    assert told(events) == in_order(table.truth)
    assert odd(events) == []
    record = [event for _, event in events]
    match = replay(record, rules)
    assert (match.position, match.side_to_move, match.turn) == (table.position, rightful, turns + 3)
    found = check_events(record).findings
    assert {breach[0] for finding in found for breach in finding.breaches} - {"G7"} == {"G10", "D10"}
    kept = correct(record, [], Match(rules))
    assert kept.match == match


def test_whose_checkers_move_tells_a_turn_out_of_turn_if_no_arm_does() -> None:
    """The throw had been told as the rightful player's; it is told again, with a doubt."""
    table = Table(SHORT, seed=2)
    table.rest(1.0)
    for side in (Side.WHITE, Side.BLACK, Side.WHITE):
        table.turn(side)
    table.throw(Side.WHITE, (5, 2), faults=("wrong_side",))
    wrong = table.legal(Side.WHITE, (5, 2))
    table.play(wrong, record=False)
    table.truth.append(Played(Side.WHITE, wrong.after, False, "G10"))
    table.turn(Side.BLACK, (4, 3))
    events = followed(table)
    assert told(events) == in_order(table.truth)
    assert odd(events) == ["doubt"]
    assert replay([event for _, event in events], SHORT).position == table.position


def test_a_play_out_of_turn_may_be_put_back() -> None:
    """Then the rightful player throws, from the board before it."""
    table = begun()
    rightful = table.turns(2)
    before = table.position
    table.throw(rightful.other, (5, 2), record=False)
    table.play(table.legal(rightful.other, (5, 2)), record=False)
    table.rest(1.0)
    record = [event for t, event in followed(table) if t < table.t]
    demand = Ruling(t=table.t, decision="demand", asked_by=rightful)
    tracker = Tracker.resume([*record, demand])
    now = tracker.believed
    assert (now.position, now.side_to_move, now.phase) == (before, rightful, "waiting for a throw")
    match = replay([*record, demand], SHORT)
    thrown = Throw(t=table.t, side=rightful, colour="light", dice=(3, 1), valid=True)
    assert match.apply(thrown).position == before
    turns = record_of([*record, demand, thrown]).games[0].turns
    assert [turn.side for turn in turns] == [rightful, rightful.other, rightful]


@pytest.mark.parametrize("turns", [2, 12])
def test_who_plays_dice_that_the_other_threw_for_him_has_thrown_them(turns: int) -> None:
    """Somebody reaches across. Where that was told as a throw out of turn, it is taken back, with a doubt."""
    table = begun()
    rightful = table.turns(turns)
    for dice in ((5, 2), (4, 2)):
        table.side = rightful.other
        table.throw(rightful, dice)
        table.side = rightful
        table.play(table.legal(rightful, dice))
        table.turn(rightful.other, (6, 1))
    events = followed(table)
    assert told(events) == in_order(table.truth)
    assert odd(events) == ["doubt"] * (turns > 10), "not twice"


def test_players_at_one_side_of_the_board_never_throw_out_of_turn() -> None:
    table = begun()
    arms = dict(ARMS)
    ARMS["top"] = ARMS["bottom"]
    try:
        table.turns(16)
    finally:
        ARMS.update(arms)
    events = followed(table)
    assert told(events) == in_order(table.truth)
    assert odd(events) == []


class Resting(Seated):
    """White's arm rests over the board all the while; Black's is not seen, as when he throws from afar."""

    resting = False

    def frame(self, *, hands: object = (), **more: object) -> None:
        self.side = Side.WHITE if self.resting else self.side
        super().frame(hands=(True,) if self.resting else hands, **more)


def test_an_arm_that_rests_over_the_board_has_not_thrown() -> None:
    table = Resting(SHORT, seed=2, noise=Noise())
    table.rest(1.0)
    table.turns(13)
    table.resting = True
    table.rest(4.0)
    table.throw(Side.BLACK, (5, 2))
    events = followed(table)
    assert told(events) == in_order(table.truth)
    assert next(t for t, e in events if isinstance(e, Throw) and e.dice == (5, 2)) < table.t, "at once"


def test_who_is_shut_out_need_not_throw() -> None:
    points = [0] * 24
    for point in range(6):
        points[point] = 2
    points[12], points[20], points[21] = 3, -7, -7
    position = Position(tuple(points), (0, 1), (0, 0))
    table = Seated(SHORT, seed=2, noise=Noise())
    table.position = position
    table.rest(1.0)
    for _ in range(2):
        table.throw(Side.WHITE, (2, 1))
        plays = legal_plays(table.position, Side.WHITE, (2, 1), SHORT)
        table.play(next(play for play in plays if play.after.points[:6] == position.points[:6]))
    tracker = Tracker(SHORT, position=position, side_to_move=Side.WHITE, orientation=table.orientation)
    events = [(f.t, e) for f in table.seen for e in tracker.observe(f)]
    events += [(table.t, e) for e in tracker.finish()]
    assert told(events) == in_order(table.truth)
    assert odd(events) == []
    replay([event for _, event in events], SHORT)


def test_the_same_roll_in_the_same_place_is_another_throw_if_another_arm_made_it() -> None:
    points = [0] * 24
    points[0], points[2], points[20], points[12] = 10, 1, -10, -5
    table, places = Seated(SHORT, seed=3), [(0.15, 0.5), (0.23, 0.52)]
    table.position = Position(tuple(points), off=(4, 0))
    tracker = Tracker(
        SHORT, position=table.position, side_to_move=Side.WHITE, orientation=table.orientation, adopt=False
    )
    table.rest(1.0)
    table.throw(Side.WHITE, (5, 1), places=places)
    table.play(
        next(p for p in legal_plays(table.position, Side.WHITE, (5, 1), SHORT) if p.after.off[0] == 6),
        lift=False,
    )
    table.lift(empty=0.2)
    for _ in range(4):
        table.frame(still=False)
    table.side = Side.BLACK
    table.throw(Side.BLACK, (5, 1), places=[(x, y - 0.04) for x, y in places])
    table.play(table.legal(Side.BLACK, (5, 1)))
    table.turn(Side.WHITE, (6, 4))
    slot = slot_of(table.orientation, 0)  # of a high stack nobody can say at once whether one is gone
    high = SlotReading(tuple((n, 0.09) for n in range(5, 16)))
    for nth, frame in enumerate(table.seen):
        slots = [*frame.slots]
        slots[slot] = high if slots[slot].visible else slots[slot]
        table.seen[nth] = replace(frame, slots=tuple(slots))
    check(table, tracker)
