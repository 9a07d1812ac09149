from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.fibs import board_of, format_fibs
from engine.formats.gnubg_ids import format_gnubg_id, format_position_id
from engine.formats.positions import format_position, parse_position
from engine.formats.xgid import format_xgid
from engine.position import CHECKERS, Game, Position, Side, index_of
from engine.record import FormatError
from tests.engine.formats.states import random_position, random_state
from tests.shared import DATA


def nardy_position(rng: random.Random) -> Position:
    points, off = [0] * 24, [0, 0]
    for side in Side:
        left = CHECKERS
        for _ in range(rng.randint(0, 9)):
            index, count = index_of(Game.LONG_NARDY, side, rng.randint(1, 24)), rng.randint(0, left)
            if points[index] * side.sign >= 0:
                points[index] += count * side.sign
                left -= count
        off[side.index] = left - (rng.random() < 0.1 and left > 0)  # a board may lack a checker
    return Position(tuple(points), (0, 0), (off[0], off[1]))


@pytest.mark.parametrize(
    ("text", "game", "on_roll", "dice"),
    [
        ("start", Game.BACKGAMMON, Side.WHITE, None),
        ("nardy:start", Game.LONG_NARDY, Side.WHITE, None),
        ("nardy:start/black/65", Game.LONG_NARDY, Side.BLACK, (6, 5)),
        ("backgammon:start/b/6-5", Game.BACKGAMMON, Side.BLACK, (6, 5)),
        ("bg:start/21", Game.BACKGAMMON, Side.WHITE, (2, 1)),
        ("NARDY: W=24:15 / B=24:15 / black", Game.LONG_NARDY, Side.BLACK, None),
        ("backgammon:w=24:2,13:5,8:3,6:5/b=24:2,13:5,8:3,6:5", Game.BACKGAMMON, Side.WHITE, None),
        ("4HPwATDgc/ABMA", Game.BACKGAMMON, Side.WHITE, None),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10", Game.BACKGAMMON, Side.BLACK, (3, 1)),
        ("-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10", Game.BACKGAMMON, Side.BLACK, (3, 1)),
        (json.dumps(Position.start(Game.BACKGAMMON).to_json()), Game.BACKGAMMON, Side.WHITE, None),
    ],
)
def test_the_starting_positions(text: str, game: Game, on_roll: Side, dice: tuple[int, int] | None) -> None:
    """G2, G3: in every form."""
    state, told = parse_position(text)
    assert (state.position, told, state.on_roll, state.dice) == (Position.start(game), game, on_roll, dice)


def test_a_start_without_a_game_is_that_of_the_caller() -> None:
    assert parse_position("start", Game.LONG_NARDY)[0].position == Position.start(Game.LONG_NARDY)
    text = json.dumps(Position.start(Game.LONG_NARDY).to_json())
    assert parse_position(text, Game.LONG_NARDY)[1] is Game.LONG_NARDY


def test_points_are_those_of_their_side_and_the_rest_is_off() -> None:
    state, _ = parse_position("nardy:w=24:14,4/b=24:12,off:2")
    assert state.position.points == (0, 0, 0, 1, *[0] * 7, -12, *[0] * 11, 14)
    assert state.position.off == (0, 2)
    assert parse_position("bg:w=bar:2,1/b=")[0].position == Position((1, *[0] * 23), (2, 0), (12, 15))


def test_the_examples_of_the_notes_are_read() -> None:
    notes = (Path(__file__).resolve().parents[3] / "docs" / "notation.md").read_text(encoding="utf-8")
    lines = notes.partition("```positions\n")[2].partition("```")[0].splitlines()
    assert len(lines) == 13
    for line in lines:
        state, _ = parse_position(line)
        assert state.position.checkers(Side.WHITE) == state.position.checkers(Side.BLACK) == CHECKERS


@given(st.randoms(use_true_random=False), st.sampled_from(Game))
def test_the_short_form_survives(rng: random.Random, game: Game) -> None:
    position = nardy_position(rng) if game is Game.LONG_NARDY else random_position(rng)
    on_roll = rng.choice((None, *Side))
    dice = (rng.randint(1, 6), rng.randint(1, 6)) if on_roll and rng.random() < 0.5 else None
    state, told = parse_position(format_position(position, game, on_roll, dice))
    assert (state.position, told) == (position, game)
    assert (state.on_roll, state.dice) == (on_roll or Side.WHITE, dice)


@given(st.randoms(use_true_random=False))
def test_every_form_of_a_state_is_told_apart(rng: random.Random) -> None:
    state = random_state(rng, 999)
    assert parse_position(format_xgid(state)) == (state, Game.BACKGAMMON)
    assert parse_position(format_gnubg_id(state))[0].position == state.position
    if state.offer in ("", "double"):
        assert parse_position(format_fibs(board_of(state)))[0].dice == state.dice
    bare = parse_position(format_position_id(state.position, Side.WHITE))[0]
    assert bare.position == state.position


@given(st.randoms(use_true_random=False))
def test_json_of_the_design_and_of_the_files_of_positions(rng: random.Random) -> None:
    position, side = nardy_position(rng), rng.choice(tuple(Side))
    design = {
        "game": "long-nardy",
        "side_to_move": side.value,
        "position": position.to_json(),
        "dice": [2, 1],
    }
    lines = {
        "game": "long_nardy",
        "turn": side.value,
        "board": list(position.points),
        "off": list(position.off),
    }
    for data in (design, {**lines, "bar": [0, 0], "dice": [2, 1]}):
        state, game = parse_position(json.dumps(data))
        assert (state.position, state.on_roll, state.dice, game) == (position, side, (2, 1), Game.LONG_NARDY)


@pytest.mark.parametrize("name", ["backgammon_moves.jsonl", "long_nardy_moves.jsonl"])
def test_lines_of_the_corpus_are_positions(name: str) -> None:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        state, game = parse_position(line)
        assert state.position == Position(tuple(data["board"]), tuple(data["bar"]), tuple(data["off"]))
        assert (game.value, state.on_roll.value) == (data["game"].replace("_", "-"), data["turn"])
        assert state.dice == tuple(data["dice"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is no position; a position is start"),
        ("starr", "is no position"),
        ("nardy:", "does not begin with start or w="),
        ("nardy:w=24:15", "does not begin with start or w="),
        ("nardy:w=24:16/b=24:15", "white has 16 checkers"),
        ("nardy:w=24:8,24:8/b=24:15", "white has 16 checkers"),
        ("nardy:w=25:1/b=24:15", "25 is no point"),
        ("nardy:w=0:1/b=24:15", "0 is no point"),
        ("nardy:w=bar:1/b=24:15", "no bar in long nardy"),
        ("nardy:w=24:1x/b=24:15", "'24:1x' is no point with a number"),
        ("nardy:w=24:15/b=12:15", "both sides have checkers on white's 24-point"),
        ("nardy:start/red", "'red' in a position is neither"),
        ("nardy:start/67", "neither"),
        ("nardy:start/w/65/1", "neither"),
        ("{", "^line 1: not JSON"),
        ("{}", "position.points is None, not a list"),
        ('{"points": [1]}', "24 points, not 1"),
        (json.dumps({"points": [1.0, *[0] * 23]}), "not a whole number"),
        (json.dumps({"points": [True, *[0] * 23]}), "not a whole number"),
        (json.dumps({"points": [16, *[0] * 23]}), "white has 16"),
        (json.dumps({"points": [0] * 24, "bar": [1]}), "one count a side"),
        (json.dumps({"points": [0] * 24, "bar": [0, -1]}), "negative"),
        (json.dumps({"points": [0] * 24, "bar": [0, 1], "game": "nardy"}), "no bar in long nardy"),
        (json.dumps({"points": [0] * 24, "game": "chess"}), "'chess', none of nardy"),
        (json.dumps({"points": [0] * 24, "side": "red"}), "'red', none of white, black"),
        (json.dumps({"points": [0] * 24, "dice": [1, 7]}), "from 1 to 6"),
        (json.dumps({"points": [0] * 24, "dice": [1]}), "two dice"),
        ('{"points": NaN}', "NaN is no JSON number"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a":' + "1" * 5000 + "}", "too long"),
        ("4HPwATDgc/ABMB", "beyond its end"),
        ("board:a:b", "52 fields"),
        ("XGID=", "10 fields"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parse_position(text)


def test_dice_belong_to_a_side() -> None:
    with pytest.raises(FormatError, match="side on roll"):
        format_position(Position.start(Game.BACKGAMMON), Game.BACKGAMMON, None, (1, 2))


@given(
    st.text(max_size=80)
    | st.text("nardybg:w=/,0123456789offbar start", max_size=60).map("nardy:w=".__add__)
    | st.recursive(
        st.none() | st.booleans() | st.integers(-20, 20) | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=25)
            | st.dictionaries(
                st.sampled_from(("points", "board", "bar", "off", "game", "position", "dice")), inner
            )
        ),
        max_leaves=40,
    ).map(lambda data: json.dumps({"points": [0] * 24, **data} if isinstance(data, dict) else data))
)
def test_hostile_text(text: str) -> None:
    try:
        state, game = parse_position(text)
    except FormatError:
        return
    again = parse_position(format_position(state.position, game, state.on_roll, state.dice))
    assert (again[0].position, again[0].on_roll, again[1]) == (state.position, state.on_roll, game)
