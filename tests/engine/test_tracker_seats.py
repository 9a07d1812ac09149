"""Arms as witnesses: where they reach in from, and who sits there."""

from __future__ import annotations

import math

import pytest

from engine.corrections import correct, replay
from engine.events import Doubt, Event, Fault, PlayMade, Throw
from engine.formats.convert import record_of
from engine.layout import Orientation
from engine.match import Match
from engine.observation import BoardView, Box, Observation
from engine.position import Game, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from engine.tracker_seats import Seat, SeatWatch, seat_of
from tests.engine.seen import Noise, Table

BOARD = BoardView(((100, 80), (1180, 80), (1180, 640), (100, 640)), (0.48, 0.52), 0.98)
ARMS: dict[Seat, Box] = {"top": (500.0, 0.0, 620.0, 300.0), "bottom": (500.0, 330.0, 620.0, 720.0)}
SHORT = default_rules(Game.BACKGAMMON)


def seen(*hands: Box, t: float = 0.0) -> Observation:
    return Observation(t, 0, BOARD, hands=hands)


@pytest.mark.parametrize("seat", ["top", "bottom"])
def test_an_arm_reaches_in_over_one_side(seat: Seat) -> None:
    assert seat_of(seen(ARMS[seat])) == seat
    assert seat_of(seen(ARMS[seat], (300.0, 200.0, 380.0, 260.0))) == seat, "a hand alone says nothing"


@pytest.mark.parametrize(
    "hands",
    [
        (),
        (ARMS["top"], ARMS["bottom"]),
        ((500.0, 0.0, 620.0, 720.0),),  # over the whole board
        ((0.0, 0.0, 90.0, 300.0),),  # beside it
        ((500.0, 0.0, 620.0, 85.0),),  # on the frame
        ((500.0, 300.0, 620.0, 400.0),),
    ],
)
def test_other_hands_say_nothing(hands: tuple[Box, ...]) -> None:
    assert seat_of(seen(*hands)) is None


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
    for k in range(10):
        watch.see(seen(ARMS["top"], t=k / 10))
    for k in range(20, 30):
        watch.see(seen(ARMS["bottom"], t=k / 10))
    assert (watch.thrower(1.2), watch.thrower(3.2), watch.thrower(9.0)) == ("top", "bottom", None)
    assert watch.thrower(2.3) is None, "both were there"


class Seated(Table):
    """A table at which every arm reaches in from where its side sits: at home, or if ``away`` opposite."""

    side = Side.WHITE
    away = False

    def frame(self, *, hands: object = (), **more: object) -> None:
        arms = [ARMS["bottom" if (self.side is Side.WHITE) is not self.away else "top"]] if hands else []
        super().frame(hands=arms, **more)  # type: ignore[arg-type]

    def turn(self, side: Side, *args: object, **thrown: object) -> None:
        self.side = side
        super().turn(side, *args, **thrown)  # type: ignore[arg-type]


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
    for turn in range(8):
        table.turn(list(Side)[turn % 2])
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
