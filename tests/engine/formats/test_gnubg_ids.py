from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.gnubg_ids import (
    format_gnubg_id,
    format_match_id,
    format_position_id,
    parse_gnubg_id,
    parse_match_id,
    parse_position_id,
)
from engine.formats.state import MatchState, Phase, own_counts
from engine.formats.xgid import format_xgid, parse_xgid
from engine.position import Game, Position, Side
from engine.record import FormatError
from tests.engine.formats.states import in_gnubg, random_position, random_state

START = Position.start(Game.BACKGAMMON)


def id_state(rng: random.Random) -> MatchState:
    """A state that the ids can hold, of any phase."""
    state = replace(random_state(rng), beavers=False, max_cube=1024)
    phases: tuple[Phase, ...] = get_args(Phase)[:4]
    phase: Phase = rng.choice(("playing", "dropped")) if state.offer else rng.choice(phases)
    resigned = rng.randint(0, 3) if phase in ("playing", "resigned") else 0
    return replace(state, phase=phase, resigned=resigned)


def test_the_ids_of_the_manual() -> None:
    """The starting position, and the match id of the manual's example: a 2-cube, 52 to play, 2-4 of 9."""
    assert format_position_id(START, Side.WHITE) == "4HPwATDgc/ABMA"
    assert format_position_id(START, Side.BLACK) == "4HPwATDgc/ABMA"
    assert parse_position_id("4HPwATDgc/ABMA") == START
    state = parse_match_id("QYkqASAAIAAA", START)
    assert (state.cube, state.owner, state.dice, state.length) == (2, Side.BLACK, (5, 2), 9)
    assert (state.on_roll, state.score, state.crawford) == (Side.WHITE, (4, 2), False)


def test_the_first_half_is_the_side_that_waits() -> None:
    position = Position((*START.points[:23], 1), (0, 0), (1, 0))
    assert format_position_id(position, Side.BLACK) == "4HPwARDwOfgAGA"
    assert parse_position_id("4HPwARDwOfgAGA", Side.BLACK) == position


@given(st.randoms(use_true_random=False))
def test_a_state_survives(rng: random.Random) -> None:
    """C1 to C9 in a match id: cube, offers, Crawford, Jacoby; and a resignation."""
    state = id_state(rng)
    text = format_gnubg_id(state)
    assert len(text) == 14 + 1 + 12
    assert parse_gnubg_id(text) == state
    assert parse_match_id(format_match_id(state), state.position) == state


#: As GNU Backgammon 1.07 printed them for these XGIDs, or for what was done from them.
KNOWN = {
    "4HPwARDwOfgAGA:UgngADAAEAAE": "XGID=-a----E-C---eE---c-e----B-:2:1:1:00:2:3:0:7:10",
    "4Dn4ACjwOfgACA:8AnvADAAMAAE": "XGID=aa----E-C---eE---c-d----A-:0:0:1:63:6:3:1:7:10",
    "4Dn4ACjwOfgAKA:cAnvADAAMAAE": "XGID=aa----E-C---eE---c-d----AA:0:0:1:63:6:3:0:7:10",
    "4Dn4ACjwOfgACA:cAkAAAAAAAAA": "XGID=aa----E-C---eE---c-d----A-:0:0:1:00:0:0:1:0:10",
    "4HPwARDwOfgAGA:cBHgADAAEAAE": "XGID=-a----E-C---eE---c-e----B-:0:0:1:D:2:3:0:7:10",
    "4HPwATDgc/ABEA:MBngADAAEAAE": "XGID=-a----E-C---eE---c-e----B-:0:0:-1:D:2:3:0:7:10",
    "4HPwARDwOfgAGA:QRkAADAAEAAE": "XGID=-a----E-C---eE---c-e----B-:0:0:1:B:2:3:0:0:10",
    "4HPwARDwOfgAGA:QhEAADAAEAAE": "XGID=-a----E-C---eE---c-e----B-:0:0:1:R:2:3:0:0:10",
    "4HPwATDgc/ABEA:AwEAADAAEAAE": "XGID=-a----E-C---eE---c-e----B-:3:-1:-1:00:2:3:0:0:10",
}


@pytest.mark.parametrize("ids", KNOWN)
def test_the_ids_that_gnubg_prints(ids: str) -> None:
    """C1 to C9: the same state in both forms."""
    state = parse_xgid(KNOWN[ids])
    assert parse_gnubg_id(ids) == state
    assert (format_gnubg_id(state), format_xgid(state)) == (ids, KNOWN[ids])


@pytest.mark.parametrize(
    "text",
    [
        "4HPwATDgc/ABMA:cInlAAAAAAAE",
        "GNUbg ID: 4HPwATDgc/ABMA:cInlAAAAAAAE, 3-1 to play",
        " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cInlAAAAAAAE\n",
    ],
)
def test_it_is_found_in_a_text(text: str) -> None:
    state = parse_gnubg_id(text)
    assert (state.position, state.dice, state.length) == (START, (3, 1), 7)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no position id"),
        ("4HPwATDgc/ABMA", "no position id"),
        ("4HPwATDgc/ABMA:cInlAAAAAAA", "no position id"),
        ("4HPwATDgc/ABMB:cInlAAAAAAAE", "beyond its end"),
        ("//8DAAAAAAAAAA:cInlAAAAAAAE", "more than 15"),
        ("////////////PA:cInlAAAAAAAE", "25 places"),
        ("4HPwATDgc/ABcA:cInlAAAAAAAE", "25 places"),
        ("4HPwATDgc/ABMA:cInlAAAAAAAI", "beyond the match key"),
        ("4HPwATDgc/ABMA:cA3lAAAAAAAE", "game state 5"),
        ("4HPwATDgc/ABMA:YAnlAAAAAAAE", "cube owner 2"),
        ("4HPwATDgc/ABMA:cAkhAAAAAAAE", "one die only"),
        ("4HPwATDgc/ABMA:cInvAAAAAAAE", "from 1 to 6"),
        ("4HPwATDgc/ABMA:cAHgAAAAAAAE", "gives the turn"),
        ("4HPwATDgc/ABMA:QRHgAAAAAAAE", "does not own the cube"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parse_gnubg_id(text)


def test_both_sides_on_a_point_are_no_position() -> None:
    key = "".join("1" * n + "0" for n in [1, *[0] * 24] + [0] * 23 + [1, 0])
    text = __import__("base64").b64encode(int(key[::-1], 2).to_bytes(10, "little")).decode().rstrip("=")
    with pytest.raises(FormatError, match="both sides"):
        parse_position_id(text)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"position": Position((14, *[0] * 22, -15))}, "14 checkers"),
        ({"cube": 1 << 16}, "no room for a cube"),
        ({"length": 1 << 15}, "no room for a match length"),
        ({"cube": 2, "offer": "beaver"}, "whose the cube was"),
    ],
)
def test_what_has_no_room_is_named(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        format_gnubg_id(replace(MatchState(position=START, on_roll=Side.WHITE), **changes))


@given(st.text(max_size=60) | st.from_regex(r"[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12}", fullmatch=True))
def test_hostile_text(text: str) -> None:
    try:
        state = parse_gnubg_id(text)
    except FormatError:
        return
    assert parse_gnubg_id(format_gnubg_id(state)) == state


def test_gnubg_gives_the_same_position_ids(tmp_path: Path) -> None:
    rng = random.Random(11)
    drawn = [(random_position(rng), rng.choice(tuple(Side))) for _ in range(2000)]
    boards = [[own_counts(p, side.other), own_counts(p, side)] for p, side in drawn]
    body = "out = [gnubg.positionid(tuple(map(tuple, board))) for board in data]"
    assert in_gnubg(tmp_path, body, boards) == [format_position_id(*one) for one in drawn]


def test_gnubg_reads_the_ids_that_are_written(tmp_path: Path) -> None:
    rng = random.Random(12)
    states: list[MatchState] = []
    while len(states) < 200:
        state = replace(random_state(rng, most_points=25), beavers=False, max_cube=1024)
        lacking = sorted(state.length - points for points in state.score)
        odd = state.crawford and (not lacking[0] == 1 < lacking[1] or state.cube > 1)
        # Its equity tables end at 64 points; with a larger cube it crashes.
        if not (odd or state.offer or 15 in state.position.off or (state.length and state.cube > 32)):
            states.append(state)
    body = """
for text in data:
    gnubg.command("set gnubgid " + text)
    posinfo, cube = gnubg.posinfo(), gnubg.cubeinfo()
    named = ("cube", "cubeowner", "matchto", "score", "crawford", "jacoby")
    dice, turn = sorted(posinfo["dice"], reverse=True), posinfo["turn"]
    board = list(map(list, gnubg.board()))
    out.append([gnubg.gnubgid(), board, dice, turn, cube["move"], *(cube[name] for name in named)])
"""
    texts = [format_gnubg_id(state) for state in states]
    for state, text, there in zip(states, texts, in_gnubg(tmp_path, body, texts), strict=True):
        on_roll = state.on_roll
        high_first = [max(state.dice), min(state.dice)] if state.dice else [0, 0]
        same = replace(state, dice=(high_first[0], high_first[1]) if state.dice else None)
        assert there[0] in (text, format_gnubg_id(same))
        # Player 1 is White; scores there come in the order of the players, boards that on roll last.
        assert there[1:] == [
            [own_counts(state.position, on_roll.other), own_counts(state.position, on_roll)],
            high_first,
            int(on_roll is Side.WHITE),
            int(on_roll is Side.WHITE),
            state.cube,
            -1 if state.owner is None else int(state.owner is Side.WHITE),
            state.length,
            [state.score[1], state.score[0]] if state.length else [0, 0],
            int(state.crawford),
            int(state.jacoby),
        ], text


def test_ids_of_gnubg_survive_through_whole_games(tmp_path: Path) -> None:
    """Offers, beavers, raccoons, drops, resignations and ends as the program itself writes them (C3, C5)."""
    body = """
import random
rng = random.Random(data)
for new in ("new match 5", "new session", "new match 3"):
    gnubg.command("set beavers 3")
    gnubg.command("set evaluation chequerplay evaluation plies 0")
    gnubg.command(new)
    for _ in range(150):
        try:
            out.append([gnubg.gnubgid(), gnubg.posinfo()])
        except Exception:
            break  # the match is over
        now = gnubg.posinfo()
        if now["gamestate"] != 1:
            command = "new game"
        elif now["resigned"]:
            command = rng.choice(("accept", "decline"))
        elif now["doubled"]:
            command = rng.choice(("redouble", "redouble", "accept", "drop"))
        elif now["dice"] != (0, 0):
            command = "move " + (gnubg.hint(1)["hint"][0]["move"] if rng.random() < 0.8 else "")
        else:
            command = rng.choice(["roll"] * 11 + ["double"] * 3 + ["resign 2"])
        gnubg.command(command)
"""
    seen = set()
    for text, posinfo in in_gnubg(tmp_path, body, 5):
        state = parse_gnubg_id(text)
        assert format_gnubg_id(state) == text
        assert bool(state.offer and state.phase == "playing") == bool(posinfo["doubled"])
        assert state.resigned == posinfo["resigned"]
        assert (state.turn is Side.WHITE) == bool(posinfo["turn"])
        seen |= {state.offer, state.phase}
    assert {"double", "beaver", "raccoon", "playing", "dropped", "resigned"} <= seen
