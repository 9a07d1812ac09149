from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import events as ev
from engine.commentary import sentence
from engine.layout import Orientation
from engine.match import Match
from engine.position import Game, Position, Side
from engine.roster import Chouette, Consulting, Singles, TeamMatch
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

rules = st.sampled_from([default_rules(game) for game in Game])
names = st.sampled_from([("Anna", "Boris"), ("Ä & Ö", "名前")])
scores = st.tuples(*[st.integers(0, 99) | st.integers(0, 99).map(lambda n: n + 0.5)] * 2)
rosters = st.sampled_from(
    [
        Singles(("Anna", "Boris")),
        Consulting((("Anna", "Boris"), ("Clara", "David")), ((1, 0),)),
        TeamMatch(("East", "West"), (("A", "B", "C"), ("D", "E", "F")), ((2, 1),)),
        Chouette("Anna", ("Boris", "Clara")),
    ]
)

PLAIN_EVENTS = st.one_of(
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
        rules=rules,
        position=positions,
        side_to_move=st.none() | sides,
        players=st.none() | names,
        turned=st.booleans(),
    ),
    st.builds(ev.MatchStart, t=times, rules=rules, players=names, roster=st.none() | rosters),
    st.builds(
        ev.SetUp,
        t=times,
        position=positions,
        side_to_move=sides,
        dice=st.none() | dice,
        score=scores,
        cube=st.sampled_from([1, 2, 64]),
        cube_owner=st.none() | sides,
        crawford=st.booleans(),
        game_number=st.integers(1, 50),
        first=st.none() | sides,
    ),
    st.builds(
        ev.TurnEnd, t=times, side=sides, how=st.sampled_from(["clock", "dice_lifted", "dice_handed_over"])
    ),
    st.builds(
        ev.Resignation,
        t=times,
        side=sides,
        action=st.sampled_from(["offer", "accept", "refuse"]),
        grade=st.sampled_from(["", "gammon", "oin"]),
    ),
    st.builds(
        ev.Call,
        t=times,
        side=sides,
        what=st.sampled_from(["adjust", "touched", "cup"]),
        point=st.none() | points,
    ),
    st.builds(
        ev.Ruling,
        t=times,
        decision=st.sampled_from(["accept", "demand", "rethrow", "stand"]),
        asked_by=st.none() | sides,
        reason=st.text(),
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
        action=st.sampled_from(["double", "take", "drop", "beaver", "raccoon"]),
        value=st.sampled_from([1, 2, 64]),
        rule=st.sampled_from([None, "C2"]),
    ),
    st.builds(
        ev.Doubt,
        t=times,
        about=st.sampled_from(["throw", "play"]),
        options=st.lists(st.tuples(st.text(), shares), max_size=3).map(tuple),
    ),
    st.builds(ev.Desync, t=times, reason=st.text(), slots=st.lists(st.integers(0, 23)).map(tuple)),
    st.builds(
        ev.Resync,
        t=times,
        reason=st.text(),
        slots=st.lists(st.integers(0, 23)).map(tuple),
        position=st.none() | positions,
    ),
    st.builds(
        ev.GameEnd,
        t=times,
        winner=st.none() | sides,
        result=st.sampled_from(["gammon", "draw"]),
        points=st.sampled_from([0.5, 1, 3]),
    ),
)
EVENTS = PLAIN_EVENTS | st.one_of(
    st.builds(
        ev.Correction, t=times, target=st.integers(-1, 999), action=st.just("strike"), reason=st.text()
    ),
    st.builds(
        ev.Correction,
        t=times,
        target=st.integers(-1, 999),
        action=st.sampled_from(["replace", "insert"]),
        event=PLAIN_EVENTS,
    ),
)


@given(EVENTS)
def test_every_event_survives_json(event: ev.Event) -> None:
    assert ev.loads(ev.dumps(event)) == event


def test_every_kind_of_event_is_tried() -> None:
    drawn: set[type[ev.Event]] = set()

    @settings(max_examples=400, derandomize=True, database=None)
    @given(EVENTS)
    def draw(event: ev.Event) -> None:
        drawn.add(type(event))

    draw()
    assert drawn == set(get_args(ev.Event))


def test_points_stay_whole_where_they_are() -> None:
    """B8: a draw may bring half a point; a win is written as it always was."""
    won = ev.GameEnd(t=1, winner=Side.WHITE, result="gammon", points=2)
    assert '"points": 2}' in ev.dumps(won)
    drawn = ev.GameEnd(t=1, winner=None, result="draw", points=0.5)
    assert ev.dumps(drawn).endswith('"winner": null, "result": "draw", "points": 0.5}')


def test_a_record_of_an_older_version_is_read() -> None:
    """Fields that were added since are optional."""
    old = {"type": "game_start", "t": 0, "game": "backgammon", "rules": "default", "side_to_move": None}
    old["position"] = Position.start(Game.BACKGAMMON).to_json()
    start = ev.from_json(old)
    assert isinstance(start, ev.GameStart)
    assert start.players is None
    assert start.rules.game is Game.BACKGAMMON


STRIKE = '{"type": "correction", "t": 1, "target": 0, "action": "%s", "event": %s}'


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        '{"type": "throw"}',
        '{"type": "x", "t": 1}',
        "{",
        "[" * 100_000,
        "1" * 10_000,
        '{"type": "cube", "t": 1, "side": "white", "action": "sell", "value": 2}',
        '{"type": "cube", "t": 1, "side": "white", "action": "take", "value": Infinity}',
        '{"type": "turn_end", "t": 1, "side": "white", "how": "cough"}',
        '{"type": "resignation", "t": 1, "side": "white", "action": "sulk"}',
        '{"type": "call", "t": 1, "side": "white", "what": "cheese"}',
        '{"type": "call", "t": 1, "side": "white", "what": "adjust", "point": "x"}',
        '{"type": "ruling", "t": 1, "decision": "toss"}',
        '{"type": "ruling", "t": 1, "decision": []}',
        '{"type": "match_start", "t": 1, "rule_set": {}, "players": ["a", "b"]}',
        '{"type": "set_up", "t": 1, "players": "ab"}',
        STRIKE % ("strike", '{"type": "ruling", "t": 1, "decision": "stand"}'),
        STRIKE % ("replace", "null"),
        STRIKE % ("replace", '{"type": "ruling"}'),
        STRIKE % ("insert", '"event"'),
        STRIKE % ("insert", STRIKE % ("strike", "null")),
    ],
)
def test_what_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ev.EventError):
        ev.loads(line)


JUNK: list[Any] = [
    None,
    True,
    -1,
    7,
    1.5,
    1e400,
    10**30,
    "",
    "bar",
    "white",
    [],
    [1],
    [1, 2, 3],
    {},
    {"x": 1},
]


def spoil(data: Any, draw: st.DataObject) -> Any:
    """The same JSON with one value, anywhere in it, replaced by another or left out."""
    if isinstance(data, dict) and data and draw.draw(st.booleans() | st.just(True)):
        key = draw.draw(st.sampled_from(sorted(data)))
        if draw.draw(st.integers(0, 9)) == 0:
            return {k: v for k, v in data.items() if k != key}
        return {**data, key: spoil(data[key], draw)}
    if isinstance(data, list) and data and draw.draw(st.booleans()):
        place = draw.draw(st.integers(0, len(data) - 1))
        return [*data[:place], spoil(data[place], draw), *data[place + 1 :]]
    return draw.draw(st.sampled_from(JUNK))


MATCHES = [Match(default_rules(game), players=("Anna", "Boris")) for game in Game]
MATCHES += [
    match.apply(ev.GameStart(t=0, rules=match.rules, position=Position.start(match.rules.game)))
    for match in MATCHES
]


@given(EVENTS, st.data())
@settings(max_examples=300)
def test_spoilt_json_is_refused_or_is_an_event_like_any_other(event: ev.Event, data: st.DataObject) -> None:
    """What is taken for an event can be written, told and folded; all else is an ``EventError``."""
    try:
        read = ev.from_json(spoil(ev.to_json(event), data))
    except ev.EventError:
        return
    assert ev.loads(ev.dumps(read)) == read
    for match in MATCHES:
        assert sentence(read, match)
        match.refusal(read)


def test_names_and_slots_are_as_many_as_they_must_be() -> None:
    rules = default_rules(Game.BACKGAMMON)
    data = ev.to_json(ev.MatchStart(t=0, rules=rules))
    with pytest.raises(ev.EventError, match="two names"):
        ev.from_json({**data, "players": "ab"})
    with pytest.raises(ValueError, match="24 slots, not 1"):
        ev.slots_from_json({"top": [{"colour": "none", "count": 0}], "bottom": []})
    ruling = ev.Correction(t=0, target=0, action="replace", event=ev.Ruling(t=0, decision="stand"))
    with pytest.raises(ValueError, match="another correction"):
        ev.Correction(t=0, target=0, action="insert", event=ruling)


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
