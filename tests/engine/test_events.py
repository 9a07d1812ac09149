from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import events as ev
from engine.layout import Orientation
from engine.position import Game, Position, Side
from engine.rules import default_rules

times = st.floats(0, 1e5).map(lambda t: round(t, 3))
sides = st.sampled_from(Side)
shares = st.floats(0, 1).map(lambda p: round(p, 3))
dice = st.tuples(st.integers(1, 6), st.integers(1, 6))
colours = st.sampled_from(["light", "dark"])
positions = st.sampled_from([Position.start(g) for g in Game])
counts = st.tuples(st.integers(0, 15), st.integers(0, 15))
points = st.integers(0, 25)
slots = st.lists(st.integers(-15, 15), min_size=24, max_size=24).map(tuple)
pixels = st.floats(0, 4000).map(lambda v: round(v, 1))

EVENTS = st.one_of(
    st.builds(
        ev.BoardSeen,
        t=times,
        corners=st.tuples(*[st.tuples(pixels, pixels)] * 4),
        orientation=st.sampled_from(Orientation),
        confidence=shares,
    ),
    st.builds(
        ev.GameStart,
        t=times,
        rules=st.sampled_from([default_rules(game) for game in Game]),
        position=positions,
        side_to_move=st.none() | sides,
    ),
    st.builds(ev.RollOff, t=times, white=st.integers(1, 6), black=st.integers(1, 6)),
    st.builds(
        ev.Throw,
        t=times,
        side=sides,
        colour=colours,
        dice=dice,
        valid=st.booleans(),
        faults=st.lists(st.sampled_from(["cocked", "one_die"]), unique=True).map(tuple),
        halves=st.lists(st.sampled_from(["left", "right", "off"]), max_size=2).map(tuple),
        confidence=shares,
    ),
    st.builds(
        ev.PlayMade,
        t=times,
        side=sides,
        colour=colours,
        dice=dice,
        moves=st.lists(st.tuples(points, points), max_size=4).map(tuple),
        notation=st.text(),
        legal=st.booleans(),
        rule=st.none() | st.just("E8"),
        position=positions,
        slots=slots,
        bar=counts,
        off=counts,
        confidence=shares,
    ),
    st.builds(
        ev.CubeAction,
        t=times,
        side=sides,
        action=st.sampled_from(["double", "take", "drop"]),
        value=st.just(2),
    ),
    st.builds(
        ev.Doubt,
        t=times,
        about=st.sampled_from(["throw", "play"]),
        options=st.lists(st.tuples(st.text(), shares), max_size=3).map(tuple),
    ),
    st.builds(ev.Desync, t=times, reason=st.text(), slots=st.lists(st.integers(0, 23)).map(tuple)),
    st.builds(ev.Resync, t=times, reason=st.text(), slots=st.lists(st.integers(0, 23)).map(tuple)),
    st.builds(ev.GameEnd, t=times, winner=sides, result=st.just("gammon"), points=st.integers(1, 3)),
)


@given(EVENTS)
def test_every_event_survives_json(event: ev.Event) -> None:
    assert ev.loads(ev.dumps(event)) == event


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"type": "throw"}', '{"type": "x", "t": 1}', "{"])
def test_what_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ev.EventError):
        ev.loads(line)


def test_bar_and_off_have_names() -> None:
    play = ev.PlayMade(
        t=1.0,
        side=Side.WHITE,
        colour="light",
        dice=(6, 1),
        moves=((25, 19), (1, 0)),
        notation="",
        legal=True,
        rule=None,
        position=Position.start(Game.BACKGAMMON),
        slots=(0,) * 24,
        bar=(0, 0),
        off=(0, 0),
    )
    assert ev.to_json(play)["moves"] == [["bar", 19], [1, "off"]]
