from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.formats.record_json import SCHEMA, read_json, write_json
from engine.position import Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from tests.engine.formats.records import example, records

START = Position.start(Game.LONG_NARDY)
ONE = Record(
    game=Game.LONG_NARDY,
    games=(
        GameRecord(
            start=START, turns=(Turn(side=Side.WHITE, dice=(6, 5), moves=((24, 18), (18, 0)), t=1.5),)
        ),
    ),
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(st.sampled_from(Game).flatmap(records))
def test_a_record_survives(record: Record) -> None:
    text = write_json(record)
    assert json.loads(text)["schema"] == "zarbiter.record/1"
    assert read_json(text) == record
    assert write_json(read_json(text)) == text


def test_the_form_is_what_the_notes_say() -> None:
    """docs/notation.md: what other programs rely on."""
    data = json.loads(write_json(ONE))
    assert list(data) == ["schema", "game", "players", "length", "rules", "info", "games"]
    assert data["games"][0]["turns"] == [
        {"side": "white", "action": "play", "dice": [6, 5], "moves": [[24, 18], [18, "off"]], "t": 1.5}
    ]
    assert data["games"][0]["start"] == START.to_json()


def test_the_example_of_the_notes_is_read() -> None:
    record = read_json(example("json"))
    assert [turn.action for turn in record.games[0].turns] == ["play", "play", "resign"]
    assert read_json(write_json(record)) == record


def test_what_may_be_left_out() -> None:
    data = {"schema": SCHEMA, "game": "long-nardy", "players": {"white": "A", "black": "B"}}
    turn = {"side": "black", "dice": [1, 2]}
    read = read_json(json.dumps({**data, "games": [{"start": START.to_json(), "turns": [turn]}]}))
    assert read.games[0].turns == (Turn(side=Side.BLACK, dice=(1, 2)),)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["schema"], "zarbiter.record/2", "schema is 'zarbiter.record/2'"),
        (["game"], "chess", "game is 'chess', none of backgammon, long-nardy"),
        (["players"], [], r"players is \[\], not an object"),
        (["players", "white"], 1, "players.white is 1, not a text"),
        (["players", "white"], "\ud800", "players.white holds half of a character"),
        (["length"], -1, "length is -1"),
        (["length"], True, "length is True"),
        (["rules"], {"name": "x", "game": "long-nardy", "block": 1}, "rules: block = 1 is not allowed"),
        (["rules"], {"name": "x", "game": "long-nardy", "head_exc": [[1]]}, "rules: "),
        (["rules"], {"name": "x", "game": "backgammon"}, "rules are of backgammon"),
        (["info"], [["a"]], r"info\[0\] is not a pair"),
        (["games"], {}, "games is {}, not a list"),
        (["games", 0, "start"], None, r"games\[0\].start is None"),
        (["games", 0, "start", "points"], [0], r"games\[0\].start: a position has 24 points"),
        (["games", 0, "score"], [1], r"games\[0\].score is not a pair"),
        (["games", 0, "crawford"], 1, r"games\[0\].crawford"),
        (["games", 0, "winner"], "red", r"games\[0\].winner is 'red', none of white, black"),
        (["games", 0, "points"], 1e10, r"games\[0\].points"),
        (["games", 0, "turns", 0, "side"], None, r"games\[0\].turns\[0\].side is None"),
        (["games", 0, "turns", 0, "action"], "pass", r"turns\[0\].action is 'pass', none of play"),
        (["games", 0, "turns", 0, "dice"], [0, 1], r"turns\[0\].dice is 0, not a whole number from 1 to 6"),
        (["games", 0, "turns", 0, "moves"], [[24, 26]], r"turns\[0\].moves\[0\] is 26"),
        (["games", 0, "turns", 0, "moves"], [[24, "out"]], r"turns\[0\].moves\[0\] is 'out'"),
        (["games", 0, "turns", 0, "moves"], [[24]], r"moves\[0\] is not a pair"),
        (["games", 0, "turns", 0, "t"], "1", r"turns\[0\].t is '1'"),
        (["games", 0, "turns", 0, "clock"], [1], r"turns\[0\].clock is not a pair"),
    ],
)
def test_what_is_wrong_is_named(path: list[Any], value: object, reason: str) -> None:
    data = json.loads(write_json(ONE))
    part = data
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    with pytest.raises(FormatError, match=reason):
        read_json(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "^line 1: not JSON"),
        ('{\n"a": 1,\n}', "^line 3: not JSON"),
        ("[]", "the JSON text is"),
        ("[" * 200_000, "nested too deeply"),
        ('{"schema": Infinity}', "Infinity is no JSON number"),
        ('{"schema": 1' + "0" * 9999 + "}", "a number is too long"),
    ],
)
def test_text_that_is_no_record(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read_json(text)


def test_what_json_cannot_hold_is_named() -> None:
    turn = Turn(side=Side.WHITE, t=float("nan"))
    with pytest.raises(FormatError, match="not a finite number"):
        write_json(Record(game=Game.LONG_NARDY, games=(GameRecord(start=START, turns=(turn,)),)))


SEED = write_json(ONE)


@given(st.text(max_size=50), st.integers(0, len(SEED)), st.integers(0, 30))
def test_hostile_text(text: str, place: int, length: int) -> None:
    for damaged in (text, SEED[:place] + text + SEED[place + length :]):
        try:
            record = read_json(damaged)
        except FormatError:
            continue
        assert read_json(write_json(record)) == record
