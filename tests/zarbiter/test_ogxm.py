from __future__ import annotations

import json
import random
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.formats.moves import moved
from engine.legal import legal_plays
from engine.position import Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from engine.rules import default_rules
from tests.engine.formats.records import NUMBERS, SIDES, TEXTS, positions, without_lines
from zarbiter import ogxm
from zarbiter.ogxm import LARGEST, read_ogxm, write_ogxm

START = Position.start(Game.BACKGAMMON)
RULES = default_rules(Game.BACKGAMMON)
needs_library = pytest.mark.skipif(find_spec("ogxm") is None, reason="the package ogxm is not installed")


def played(seed: int, most: int) -> GameRecord:
    """A game of random legal plays with video times, a clock, a double and a take."""
    rng, position, side = random.Random(seed), START, Side.WHITE
    turns: list[Turn] = []
    left = [300.0, 300.0]
    while len(turns) < most and 15 not in position.off:
        if len(turns) == 6:
            turns += [Turn(side=side, action="double", value=2, t=99.5), Turn(side=side.other, action="take")]
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        play = rng.choice(legal_plays(position, side, dice, RULES))
        left[side.index] -= rng.randint(1, 9) / 4
        moves = tuple((move.from_point, move.to_point) for move in play.moves)
        clock = (left[0], left[1])
        dice = max(dice), min(dice)
        turns.append(Turn(side=side, dice=dice, moves=moves, t=len(turns) * 10.25, clock=clock))
        position, side = play.after, side.other
    return GameRecord(start=START, turns=tuple(turns))


def match(*games: GameRecord) -> Record:
    return Record(game=Game.BACKGAMMON, games=games, players=("Ann", "Бой"), length=7)


@needs_library
def test_a_match_survives() -> None:
    """C2, C3, E6: plays, cube, results, video times, clocks, remarks, rules, and a play that was illegal."""
    long = played(1, 60)
    after = moved(START, Game.BACKGAMMON, Side.BLACK, ((24, 10), (6, 3)))
    assert after is not None
    strange = GameRecord(
        start=START,
        first=Side.BLACK,
        score=(0, 4),
        turns=(
            Turn(
                side=Side.BLACK,
                dice=(3, 1),
                moves=((24, 10), (6, 3)),
                after=after[0],
                comment="too\nfar",
            ),
            Turn(side=Side.WHITE, dice=(6, 5), moves=((24, 13),), t=1.2345678),
            Turn(side=Side.BLACK, dice=(6, 6)),
        ),
        crawford=True,
    )
    end = Position((1, *[0] * 22, -1), off=(14, 14))
    short = GameRecord(
        start=end,
        score=(0, 4),
        turns=(Turn(side=Side.WHITE, dice=(6, 5), moves=((1, 0),)),),
        winner=Side.WHITE,
        points=1,
        result="single",
    )
    dropped = (Turn(side=Side.WHITE, action="double", value=2), Turn(side=Side.BLACK, action="drop"))
    opening = Turn(side=Side.BLACK, dice=(2, 1), moves=((13, 11), (6, 5)))
    first = GameRecord(
        start=START, turns=(opening, *dropped), winner=Side.BLACK, points=4, result="", first=Side.BLACK
    )
    rules = replace(RULES, name="ours", title="x" * 5000, cube_cap=64)
    record = replace(match(long, first, strange, short), rules=rules, info=(("Event", "Open"), ("Day", "3")))
    assert without_lines(read_ogxm(write_ogxm(record))) == record


@needs_library
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_the_fields_cannot_hold_survives_too(data: st.DataObject) -> None:
    game = played(data.draw(st.integers(0, 9)), 8)
    turns = [
        replace(
            turn,
            comment=data.draw(TEXTS),
            t=data.draw(st.none() | NUMBERS),
            clock=data.draw(st.none() | st.tuples(NUMBERS, NUMBERS)),
            after=data.draw(st.none() | positions(Game.BACKGAMMON)) if turn.action == "play" else None,
        )
        for turn in game.turns
    ]
    record = match(
        replace(game, turns=tuple(turns), result=data.draw(TEXTS), first=data.draw(st.none() | SIDES))
    )
    record = replace(
        record, info=(("Event", "Open"), *data.draw(st.lists(st.tuples(TEXTS, TEXTS), max_size=2)))
    )
    assert without_lines(read_ogxm(write_ogxm(record))) == record


@needs_library
def test_the_fields_that_every_program_reads() -> None:
    """What lies in the format itself, read back without our annotations."""
    record = match(played(2, 20))
    plain = read_ogxm(_without_notes(write_ogxm(record)))
    clockless = tuple(replace(turn, clock=None) for turn in record.games[0].turns)
    assert plain.games[0].turns == clockless
    assert (plain.players, plain.length) == (record.players, record.length)


def _without_notes(data: bytes) -> bytes:
    document = ogxm._document(data)
    del document["annotations"]
    return ogxm._run("write", json.dumps(document).encode())


@needs_library
def test_other_programs_can_replay_a_game_with_an_illegal_play() -> None:
    """E5, E8: it stands as a roll and the position after it, and the game goes on from there."""
    opening = Turn(side=Side.WHITE, dice=(3, 1), moves=((8, 5), (6, 4)))  # a 2 instead of the 1
    answer = Turn(side=Side.BLACK, dice=(6, 5), moves=((24, 18), (18, 13)))
    record = match(GameRecord(start=START, turns=(opening, answer)))
    data = write_ogxm(record)
    document = ogxm._document(data)
    assert document["replay_complete"]
    assert document["games"][0]["plies"][0]["illegal"]
    assert without_lines(read_ogxm(data)) == record
    turn = read_ogxm(_without_notes(data)).games[0].turns[0]
    stands = moved(START, Game.BACKGAMMON, Side.WHITE, ((8, 5), (6, 4)))
    assert stands
    assert (turn.side, turn.dice, turn.moves, turn.after) == (Side.WHITE, (3, 1), None, stands[0])


@needs_library
def test_resignation_drop_and_position_are_fields() -> None:
    """B7, C3: also without annotations."""
    end = Position((1, *[0] * 22, -1), off=(14, 14))
    resigned = GameRecord(
        start=end,
        turns=(Turn(side=Side.WHITE, action="resign", value=2),),
        winner=Side.BLACK,
        points=2,
        result="resigned",
    )
    assert read_ogxm(_without_notes(write_ogxm(match(resigned)))).games == (resigned,)


@needs_library
def test_the_clock_of_another_program() -> None:
    """Reserve, delay and the end of each turn: what lies beyond the delay is taken from the reserve."""
    data = write_ogxm(match(played(3, 3)))
    document = ogxm._document(_without_notes(data))
    document["clock_info"] = {
        "reserve_ms": 60_000,
        "delay_ms": 10_000,
        "increment_ms": 0,
        "start_timestamp": 1,
    }
    for ply, at in zip(document["games"][0]["plies"], (0, 25_000, 30_000), strict=True):
        ply["timestamp_ms"] = at
    read = read_ogxm(ogxm._run("write", json.dumps(document).encode()))
    assert [turn.clock for turn in read.games[0].turns] == [(60, 60), (60, 45), (60, 45)]


@needs_library
@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (Record(game=Game.LONG_NARDY, games=()), "OGXM is for backgammon"),
        (
            match(GameRecord(start=START, turns=(Turn(side=Side.WHITE, action="beaver", value=4),))),
            "no beaver",
        ),
        (match(GameRecord(start=START, turns=(Turn(side=Side.WHITE, dice=(2, 1), moves=()),) * 2)), "turn"),
        (match(GameRecord(start=START, turns=(Turn(side=Side.WHITE),))), "without dice"),
        (match(GameRecord(start=START, score=(0.5, 0))), "whole numbers"),
        (
            match(GameRecord(start=START, turns=(Turn(side=Side.WHITE, dice=(2, 1), moves=((20, 1),)),))),
            "no room for these moves",
        ),
    ],
)
def test_what_has_no_form_is_named(record: Record, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        write_ogxm(record)


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "not an OGXM file"), (b"OGXM" + bytes(LARGEST), "more than")]
)
def test_what_is_no_ogxm_is_refused_at_once(data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read_ogxm(data)


@needs_library
def test_damaged_files_are_refused_in_one_line() -> None:
    rng, data = random.Random(1), write_ogxm(match(played(4, 12)))
    for _ in range(8):
        damaged = bytearray(data)
        place = rng.randrange(4, len(data))
        damaged[place : place + rng.randint(0, 3)] = rng.randbytes(rng.randint(0, 4))
        said = "read"
        try:
            read_ogxm(bytes(damaged))
        except FormatError as error:
            said = str(error)
        assert "\n" not in said


@needs_library
def test_a_library_that_dies_or_hangs_brings_nothing_down(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_ogxm(match(played(5, 4)))
    monkeypatch.setattr(ogxm, "_CODEC", "import os; os.abort()")
    with pytest.raises(FormatError, match="cannot be read: the library stopped with status -6"):
        read_ogxm(data)
    monkeypatch.setattr(ogxm, "_CODEC", "import time; time.sleep(60)")
    monkeypatch.setattr(ogxm, "_SECONDS", 0.3)
    with pytest.raises(FormatError, match=r"more than 0\.3 seconds"):
        read_ogxm(data)
    monkeypatch.setattr(ogxm, "_CODEC", "print('{}')")
    monkeypatch.setattr(ogxm, "_SECONDS", 20)
    with pytest.raises(FormatError, match="another shape"):
        read_ogxm(data)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ogxm, "find_spec", lambda name: None)
    with pytest.raises(FormatError, match=r"pip install 'zarbiter\[ogxm\]'"):
        read_ogxm(b"OGXM")
