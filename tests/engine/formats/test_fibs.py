from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.fibs import FibsBoard, board_of, format_fibs, parse_fibs, state_of
from engine.formats.gnubg_ids import format_gnubg_id, parse_gnubg_id
from engine.formats.moves import moved, read_moves
from engine.formats.state import MatchState
from engine.legal import legal_plays
from engine.position import Game, Position, Side
from engine.record import FormatError
from engine.rules import default_rules
from tests.engine.formats.states import gnubg_player, in_gnubg, random_position, random_state

START = (
    "board:You:Opp:7:2:3:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:6:3:0:0:2:1:0:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)


def fibs_state(rng: random.Random) -> MatchState:
    """A state that the line can hold."""
    state = replace(random_state(rng, 9000), beavers=False, jacoby=False, max_cube=1024)
    lacking = sorted(state.length - points for points in state.score)
    crawford = state.crawford and lacking[0] == 1 < lacking[1]
    cube, owner = (1, None) if crawford else (state.cube, state.owner)
    over = rng.random() < 0.1
    return replace(
        state,
        crawford=crawford,
        cube=cube,
        owner=owner,
        offer="double" if state.offer and not crawford and not over else "",
        on_roll=Side.WHITE if over else state.on_roll,
        phase="over" if over else "playing",
    )


def test_the_starting_position() -> None:
    board = parse_fibs(START)
    assert board.players == ("You", "Opp")
    assert (board.turn, board.dice, board.can_move, board.home, board.bar) == (1, ((6, 3), (0, 0)), 2, 0, 25)
    assert state_of(board) == MatchState(
        position=Position.start(Game.BACKGAMMON),
        on_roll=Side.WHITE,
        dice=(6, 3),
        cube=2,
        owner=Side.WHITE,
        score=(2, 3),
        length=7,
    )
    assert format_fibs(board) == START


@given(st.randoms(use_true_random=False))
def test_a_state_survives(rng: random.Random) -> None:
    state = fibs_state(rng)
    text = format_fibs(board_of(state, ("a b", "ё")))
    assert text.count(":") == 52
    assert state_of(parse_fibs(text)) == state


@given(st.lists(st.integers(-999_999_999, 999_999_999), min_size=50, max_size=50))
def test_a_line_survives(numbers: list[int]) -> None:
    text = ":".join(["board", "You", "Opp", *map(str, numbers)])
    assert format_fibs(parse_fibs(text)) == text


@given(st.randoms(use_true_random=False))
def test_the_other_player_sees_the_same(rng: random.Random) -> None:
    """Colour, direction and the order of the names change with the player who is shown the board."""
    state = replace(fibs_state(rng), phase="playing")
    board = board_of(state)
    other = replace(
        board,
        score=board.score[::-1],
        dice=board.dice[::-1],
        may_double=board.may_double[::-1],
        on_home=board.on_home[::-1],
        on_bar=board.on_bar[::-1],
        colour=-1,
        direction=1,
        home=25,
        bar=0,
    )
    seen = state_of(other)
    points = tuple(-count for count in reversed(state.position.points))
    assert seen.position == Position(points, state.position.bar[::-1], state.position.off[::-1])
    assert seen.on_roll is state.on_roll.other
    assert (seen.dice, seen.score, seen.crawford) == (state.dice, state.score[::-1], state.crawford)
    assert seen.owner is (None if state.owner is None else state.owner.other)


def test_the_crawford_game() -> None:
    """C9: nobody may double in it; after it the line says that it has been."""
    state = MatchState(
        position=Position.start(Game.BACKGAMMON), on_roll=Side.BLACK, score=(6, 3), length=7, crawford=True
    )
    board = board_of(state)
    assert (board.may_double, board.did_crawford) == ((0, 0), 0)
    assert state_of(board) == state
    later = board_of(replace(state, crawford=False))
    assert (later.may_double, later.did_crawford) == ((1, 1), 1)


@pytest.mark.parametrize(
    "text",
    [f"You rolled 6 3.\r\n{START}\r\nPlease move 2 pieces.", START.replace(":", " : ").replace(" ", "", 1)],
)
def test_it_is_found_in_a_text(text: str) -> None:
    assert format_fibs(parse_fibs(text)) == START


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no line"),
        ("4HPwATDgc/ABMA:cInlAAAAAAAE", "no line"),
        (START + ":1", "52 fields after board:, not 53"),
        (START[:-2], "not 51"),
        (
            "x\n" + START.replace(":7:", ":seven:"),
            "^line 2: field 3 of the FIBS board is not a number: 'seven'",
        ),
        (START.replace(":7:", ":٧:"), "field 3"),
        (START.replace(":7:", f":{'9' * 5000}:"), "field 3"),
    ],
)
def test_a_line_that_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parse_fibs(text)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"colour": 0}, "colour and direction"),
        ({"turn": 2}, "turn"),
        ({"on_home": (1, 0)}, "You has 16 checkers in all, not 15"),
        ({"on_home": (-1, 1)}, "You has 14"),
        ({"on_bar": (0, 1)}, "Opp has 16"),
        ({"on_bar": (-1, 0)}, "negative"),
        ({"cube": 3}, "power of two"),
        ({"dice": ((6, 7), (0, 0))}, "from 1 to 6"),
        ({"dice": ((6, 0), (0, 0))}, "from 1 to 6"),
        ({"was_doubled": 1}, "before the throw"),
        ({"score": (-1, 0)}, "negative"),
    ],
)
def test_fields_that_contradict_each_other(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        state_of(replace(parse_fibs(START), **changes))


def test_what_has_no_room_is_named() -> None:
    state = MatchState(position=Position.start(Game.BACKGAMMON), on_roll=Side.WHITE, offer="beaver")
    with pytest.raises(FormatError, match="cannot tell of a beaver"):
        board_of(state)
    with pytest.raises(FormatError, match="no colon"):
        format_fibs(board_of(replace(state, offer=""), ("a:b", "c")))


@given(st.text(max_size=99) | st.lists(st.integers(-3, 15).map(str), min_size=49, max_size=51).map(":".join))
def test_hostile_text(text: str) -> None:
    try:
        board: FibsBoard = parse_fibs("board:a:b:" + text)
        state = state_of(board)
    except FormatError:
        return
    assert state_of(board_of(state)).position == state.position


def test_gnubg_plays_on_from_a_board_that_is_written(tmp_path: Path) -> None:
    """Its answer to a line is a legal play of the position that the line was made from."""
    rng = random.Random(22)
    rules = default_rules(Game.BACKGAMMON)
    with gnubg_player(tmp_path) as play:
        for _ in range(40):
            position = random_position(rng)
            if 15 in position.off:
                continue
            side, dice = rng.choice(tuple(Side)), (rng.randint(1, 6), rng.randint(1, 6))
            answer = play(format_fibs(board_of(MatchState(position=position, on_roll=side, dice=dice))))
            moves = read_moves(answer, dice=dice, position=position, side=side) if answer else ()
            made = moved(position, Game.BACKGAMMON, side, moves)
            assert made, answer
            assert made[0] in {legal.after for legal in legal_plays(position, side, dice, rules)}


def test_gnubg_shows_the_same_board(tmp_path: Path) -> None:
    """GNU Backgammon's own board lines, read, tell the state that its ids tell."""
    rng = random.Random(21)
    states: list[MatchState] = []
    while len(states) < 60:
        state = replace(fibs_state(rng), phase="playing", offer="")
        if 15 not in state.position.off and (not state.length or (state.cube < 32 and state.length <= 25)):
            states.append(replace(state, dice=(6, 1) if state.dice else None))
    body = """
import os
gnubg.command("set output rawboard on")
gnubg.command("new session")
lines = os.path.join(os.path.dirname(os.path.abspath(data[0])), "lines")
for text in data[1]:
    saved = os.dup(1)
    os.dup2(os.open(lines, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    gnubg.command("set gnubgid " + text)
    gnubg.command("show board")
    import ctypes; ctypes.CDLL(None).fflush(None)
    os.dup2(saved, 1)
    out.append(open(lines).read().strip().splitlines()[-1])
"""
    texts = [format_gnubg_id(state) for state in states]
    for text, line in zip(texts, in_gnubg(tmp_path, body, [str(tmp_path / "x"), texts]), strict=True):
        told, there = parse_gnubg_id(text), state_of(parse_fibs(line))
        assert replace(told, jacoby=False) == there, line
