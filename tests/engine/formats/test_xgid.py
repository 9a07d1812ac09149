from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.gnubg_ids import parse_gnubg_id
from engine.formats.state import MatchState
from engine.formats.xgid import format_xgid, parse_xgid
from engine.position import Game, Position, Side
from engine.record import FormatError
from tests.engine.formats.states import in_gnubg, random_state, states

START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10"


def test_the_starting_position() -> None:
    state = parse_xgid(START)
    assert state == MatchState(
        position=Position.start(Game.BACKGAMMON), on_roll=Side.WHITE, dice=(5, 2), jacoby=True, beavers=True
    )
    assert format_xgid(state) == START


def test_every_field_has_its_place() -> None:
    state = parse_xgid("XGID=bB--BBB----aC---bb-bc--cBA:2:-1:-1:00:3:6:1:7:3")
    assert state.position.bar == (1, 2)
    assert state.position.points[0] == 2
    assert state.position.points[23] == 2
    assert state.position.points[22] == -3
    assert (state.cube, state.owner, state.on_roll, state.dice) == (4, Side.BLACK, Side.BLACK, None)
    assert (state.score, state.length, state.crawford, state.max_cube) == ((3, 6), 7, True, 8)


@given(states())
def test_a_state_survives(state: MatchState) -> None:
    """C1 to C9: cube, offers, score, Crawford, Jacoby and beavers as XGID carries them."""
    text = format_xgid(state)
    assert text.startswith("XGID=")
    assert text.count(":") == 9
    assert parse_xgid(text) == state


@pytest.mark.parametrize(
    "text",
    [
        START.removeprefix("XGID="),
        START.replace("XGID", "xgid"),
        f"Position 12\n {START}\nX:Player 1   O:Player 2",
        f"see ({START}), a money game",
        f"see {START.removeprefix('XGID=')}.",
        "XGID = " + START.removeprefix("XGID="),
    ],
)
def test_it_is_found_in_a_text(text: str) -> None:
    assert format_xgid(parse_xgid(text)) == START


def test_doubles_of_letters_and_a_missing_highest_cube_are_read() -> None:
    short = parse_xgid(START.replace(":52:", ":DD:").removesuffix(":10"))
    assert (short.offer, short.dice, short.max_cube, short.turn) == ("double", None, 1024, Side.BLACK)
    assert format_xgid(short) == START.replace(":52:", ":D:")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "10 fields"),
        ("XGID=", "10 fields"),
        (START + ":1", "10 fields"),
        (START.replace("B-:", "B:"), "field 1 is not 26"),
        (START.replace("E", "Z"), "field 1 is not 26"),
        (START.replace("=-", "=A"), "top player's bar"),
        (START.replace("-:0", "a:0"), "bottom player's bar"),
        (START.replace("-----E", "----AE", 1).replace("E-C", "G-C"), "white has 17 checkers"),
        (START.replace(":0:0:1", ":x:0:1"), r"field 2 \(cube\)"),
        (START.replace(":0:0:1", ":31:0:1"), r"field 2 \(cube\)"),
        (START.replace(":0:0:1", ":1:2:1"), "field 3"),
        (START.replace(":0:0:1", ":0:1:1"), "nobody's"),
        (START.replace(":0:0:1", ":0:0:0"), "field 4"),
        (START.replace(":52:", ":57:"), "field 5"),
        (START.replace(":52:", ":05:"), "field 5"),
        (START.replace(":0:0:3", ":-1:0:3"), "field 6"),
        (START.replace(":0:0:3", ":0::3"), "field 7"),
        (START.replace(":3:0:10", ":4:0:10"), "field 8"),
        (START.replace(":3:0:10", ":2:5:10"), "field 8"),
        (START.replace(":3:0:10", ":0:٣:10"), "field 9"),
        (START.replace(":10", ":99"), "field 10"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parse_xgid(text)


def test_the_line_is_named() -> None:
    with pytest.raises(FormatError, match=r"^line 3: XGID field 5"):
        parse_xgid(f"a\nb\n{START.replace(':52:', ':59:')}")


def test_a_missing_checker_has_no_xgid() -> None:
    with pytest.raises(FormatError, match="14 checkers"):
        format_xgid(MatchState(position=Position((14, *[0] * 22, -15)), on_roll=Side.WHITE))


@given(
    st.text(max_size=300)
    | st.lists(st.text("-abcABC:0123D", max_size=30), max_size=14).map(
        lambda parts: "XGID=" + ":".join(parts)
    )
)
def test_hostile_text(text: str) -> None:
    try:
        state = parse_xgid(text)
    except FormatError:
        return
    assert parse_xgid(format_xgid(state)) == state


def test_gnubg_reads_what_is_written(tmp_path: Path) -> None:
    """The state that GNU Backgammon sets up from an XGID is the one that was written."""
    rng = random.Random(7)
    given_states: list[MatchState] = []
    while len(given_states) < 200:
        state = random_state(rng, most_points=60)
        # It steps back to before an offer, swaps sides when the top player is on roll, and sets up no game
        # that is over and no Crawford game at another score or with a turned cube.
        ended = 15 in state.position.off
        odd = state.crawford and (state.length - max(state.score) != 1 or state.cube > 1)
        if not (state.offer or ended or odd or state.on_roll is Side.BLACK):
            given_states.append(state)
    body = """
for text in data:
    gnubg.command("set xgid " + text)
    out.append(gnubg.gnubgid())
"""
    read = in_gnubg(tmp_path, body, [format_xgid(state) for state in given_states])
    for state, text in zip(given_states, read, strict=True):
        there = parse_gnubg_id(text)
        # It shows the higher die first, has one highest cube and keeps beavers out of its ids.
        dice = state.dice and (max(state.dice), min(state.dice))
        assert there == replace(state, dice=dice, beavers=False, max_cube=1024), (format_xgid(state), text)
