"""Arms as witnesses: where they reach in from, and who sits there."""

from __future__ import annotations

import math

import pytest

from engine.events import Doubt, PlayMade, Throw
from engine.layout import Orientation
from engine.observation import BoardView, Box, Observation
from engine.position import Game, Side
from engine.rules import default_rules
from engine.tracker import Tracker
from engine.tracker_seats import Seat, SeatWatch, seat_of
from tests.engine.seen import Noise, Table

BOARD = BoardView(((100, 80), (1180, 80), (1180, 640), (100, 640)), (0.48, 0.52), 0.98)
ARMS: dict[Seat, Box] = {"top": (500.0, 0.0, 620.0, 300.0), "bottom": (500.0, 330.0, 620.0, 720.0)}
SIDES = {"top": Side.BLACK, "bottom": Side.WHITE}


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
    for _ in range(8):
        watch.learn("top", Side.WHITE)
        watch.learn("bottom", Side.BLACK)
    learnt = watch.evidence("bottom", Orientation.BOTTOM_RIGHT)
    assert learnt[Side.BLACK] - learnt[Side.WHITE] > 1.4
    assert learnt[Side.WHITE] > math.log(0.01), "anybody reaches across now and then"
    assert watch.evidence(None, Orientation.BOTTOM_RIGHT) == {Side.WHITE: 0, Side.BLACK: 0}


def test_the_arm_that_threw_is_that_of_the_seconds_before() -> None:
    watch = SeatWatch()
    for k in range(10):
        watch.see(seen(ARMS["top"], t=k / 10))
    for k in range(20, 30):
        watch.see(seen(ARMS["bottom"], t=k / 10))
    assert (watch.thrower(1.2), watch.thrower(3.2), watch.thrower(9.0)) == ("top", "bottom", None)
    assert watch.thrower(2.3) is None, "both were there"


class Seated(Table):
    """A table at which every arm reaches in from where its side sits."""

    side = Side.WHITE

    def frame(self, *, hands: object = (), **more: object) -> None:
        arms = [ARMS["bottom" if self.side is Side.WHITE else "top"]] if hands else []
        super().frame(hands=arms, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("again", [True, False])
def test_good_dice_that_were_lifted_unplayed_are_judged_by_who_throws_next(again: bool) -> None:
    """The same side throws again: something was wrong that nobody saw. The other does: it is an offence."""
    table = Seated(default_rules(Game.BACKGAMMON), seed=2, noise=Noise())
    table.rest(1.0)
    for turn in range(8):
        table.side = list(Side)[turn % 2]
        table.turn(table.side)
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
