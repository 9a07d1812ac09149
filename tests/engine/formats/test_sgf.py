from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.matches import BG, plain, positions, random_match
from engine.formats.sgf import MAX_NODES, read_sgf, write_sgf
from engine.position import Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from tests.shared import DATA

W, B = Side.WHITE, Side.BLACK
START = Position.start(BG)


def tree(*nodes: str, root: str = "") -> str:
    return f"(;FF[4]GM[6]{root}" + "".join("\n;" + node for node in nodes) + ")\n"


def turns(*nodes: str) -> tuple[Turn, ...]:
    return read_sgf(tree(*nodes)).games[0].turns


@given(seed=st.integers(0, 10**6), length=st.integers(0, 7), illegal=st.sampled_from([0, 0.05, 0.5]))
@settings(max_examples=40, deadline=None)
def test_a_match_comes_back_as_it_was(seed: int, length: int, illegal: float) -> None:
    """Cube, beavers, Crawford (C1 to C5, C9), resignations, and illegal plays that stand (E5)."""
    record = random_match(seed, length, illegal=illegal)
    text = write_sgf(record)
    back = read_sgf(text)
    assert plain(back) == record
    assert write_sgf(back) == text
    assert [positions(game) for game in back.games] == [positions(game) for game in record.games]


_TEXT = st.text(st.characters(exclude_characters="\r", codec="utf-8"), max_size=20)


@given(names=st.tuples(_TEXT.filter(bool), _TEXT.filter(bool)), comment=_TEXT.map(lambda s: s.strip("\n")))
@settings(max_examples=100, deadline=None)
def test_names_and_comments_come_back(names: tuple[str, str], comment: str) -> None:
    played = Turn(side=W, dice=(3, 1), moves=((8, 5), (6, 5)), comment=comment)
    record = Record(game=BG, games=(GameRecord(start=START, turns=(played,)),), players=names)
    assert plain(read_sgf(write_sgf(record))) == record


def test_headers_come_back() -> None:
    info = (("Event", "Club ] \\ evening"), ("EventDate", "2026.11.28"), ("", "a remark"), ("Match ID", "7"))
    record = Record(game=BG, games=(GameRecord(start=START),), info=info, length=3)
    text = write_sgf(record)
    assert "DT[2026-11-28]" in text
    assert plain(read_sgf(text)) == record


def test_positions_beside_the_moves_come_back() -> None:
    start = Position((2, -1, *(0,) * 21, -3), bar=(1, 2), off=(12, 9))
    after = replace(start, points=(1, 1, *(0,) * 21, -3), bar=(1, 3))
    for moves in (None, (), ((1, 2),), ((5, 4),)):
        played = (Turn(side=W, dice=(6, 5), moves=moves, after=after), Turn(side=B, dice=(2, 1), moves=()))
        record = Record(game=BG, games=(GameRecord(start=start, turns=played),))
        found = read_sgf(write_sgf(record)).games[0]
        assert found.start == start
        assert positions(found) == [after, after]
        assert found.turns[0].moves == moves


def _played(**what: Any) -> Record:
    return Record(game=BG, games=(GameRecord(start=START, turns=(Turn(side=W, **what),)),))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (Record(game=Game.LONG_NARDY, games=()), "long nardy"),
        (Record(game=BG, games=()), "no game"),
        (Record(game=BG, games=(GameRecord(start=START, score=(0.5, 0)),)), "whole points"),
        (Record(game=BG, games=(GameRecord(start=Position((0,) * 24)),)), "fifteen"),
        (Record(game=BG, games=(GameRecord(start=START, turns=(Turn(side=W),)),)), "roll"),
        (Record(game=BG, games=(GameRecord(start=START, score=(float("nan"), 0)),)), "whole points"),
        (Record(game=BG, games=(GameRecord(start=START),), length=1000), "1000 points"),
        (Record(game=BG, games=(GameRecord(start=START, winner=W),)), "without points"),
        (_played(dice=(0, 7)), "roll"),
        (_played(dice=(3, 1), moves=((8, 99),)), "a point that there is not"),
        (_played(dice=(3, 1), after=Position((0,) * 24)), "fifteen"),
        (_played(action="double", value=0), "a cube of 0"),
    ],
)
def test_what_sgf_cannot_hold(record: Record, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        write_sgf(record)


# ---- what GNU Backgammon writes ----------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((DATA / "sgf").glob("*.sgf")), ids=lambda path: path.stem)
def test_samples(path: Path) -> None:
    record = read_sgf(path.read_text())
    assert all(None not in positions(game) and game.turns for game in record.games)
    assert plain(read_sgf(write_sgf(record))) == plain(record)


def test_money_play_with_beavers() -> None:
    record = read_sgf((DATA / "sgf" / "money.sgf").read_text())
    assert (record.players, record.length, ("Jacoby", "On") in record.info) == (("Ann", "Bob"), 0, True)
    first, second = record.games
    assert [t.action for t in first.turns if t.action != "play"] == [
        *("double", "beaver", "take", "double", "beaver", "raccoon", "take", "resign")
    ]
    assert (first.winner, first.points, first.result, first.turns[-1].value) == (W, 32, "resigned", 1)
    assert (second.score, second.winner, second.result) == ((32, 0), B, "drop")


def test_points_are_letters_from_whites_one_point() -> None:
    assert turns("W[31hefe]")[0].moves == ((8, 5), (6, 5))
    assert turns("B[31qtst]")[0].moves == ((8, 5), (6, 5))
    assert turns("W[65yskz]")[0].moves == ((25, 19), (11, 0))


def test_an_illegal_play_that_came_from_match_text() -> None:
    """A roll and a set-up: what was moved is not known, what stood is."""
    board = "PL[W]AE[a:y]AW[x:w][m][m][m][m][m][h][h][h][f][f][f][f][f]"
    black = "AB" + "".join(f"[{c}]" for c in "aalllllqqqsssss")
    (play, _) = turns("PL[W]DI[31]", board + black, "B[61]")
    assert (play.side, play.dice, play.moves) == (W, (3, 1), None)
    assert play.after is not None
    assert (play.after.points[22], play.after.points[23]) == (1, 1)


def test_a_position_that_was_edited_before_the_roll_was_played() -> None:
    (game,) = read_sgf(tree("PL[W]DI[42]", "PL[W]AE[h]AW[h][h][g]", "W[31hefe]")).games
    assert len(game.turns) == 1
    assert game.start.points[6:8] == (1, 2)


def test_branches_escapes_small_letters_and_other_games() -> None:
    text = "junk (;GM[1];B[aa](;B[bb])(;B[cc])) (;GaMe[6]PlayerWhite[a\\]b\\\nc]\n;W[31hefe]"
    text += "(;B[31qtst]C[one](;W[52mhmk])(;W[61]))(;B[42]))"
    record = read_sgf(text)
    assert [turn.dice for turn in record.games[0].turns] == [(3, 1), (3, 1), (5, 2)]
    assert record.games[0].turns[1].comment == "one"
    assert record.players[0] == "a]bc"


# ---- what is no such file ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 0, "no game tree"),
        ("hello", 0, "no game tree"),
        ("(;GM[1]\n;B[aa])", 1, "no game of backgammon"),
        ("(;GM[6]", 1, "ends in the middle"),
        ("(;GM[6]\n;W[31he", 2, "does not end"),
        ("(;GM[6]\n;W[31hefe]\n]", 3, "should be"),
        ("(;GM[6])\n)", 2, "without its"),
        ("(;GM[6])\nabc", 2, "between two games"),
        ("(;[6])", 1, "without a property"),
        (tree("W[71hefe]"), 2, "not a play"),
        (tree("W[31h]"), 2, "not a play"),
        (tree("W[resigns]"), 2, "not a play"),
        (tree("PL[W]DI[77]"), 2, "not a roll"),
        (tree("CV[999999999999]"), 2, "a cube of"),
        (tree("AW[a:z]"), 2, "not a point"),
        (tree("AE[a:y]AW" + "[a]" * 16), 2, "more than fifteen"),
        (tree("AE[a:y]AW[a]AB[a]"), 2, "both sides"),
        (tree(root="MI[length:x]"), 1, "length"),
        (tree(root="MI[length:1000]"), 1, "1000 points"),
        (tree(*["W[]"] * (MAX_NODES + 1)), MAX_NODES + 1, "more than"),
    ],
)
def test_damage_is_refused_with_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        read_sgf(text)
    assert caught.value.line == line


_WORDS = [
    "(",
    ")",
    ";",
    "W[31hefe]",
    "B[double]",
    "W[take]",
    "AE[a:y]",
    "AW[x][x]",
    "PL[B]DI[31]",
    "RE[W+2R]",
    "C[",
    "]",
]


@given(
    st.lists(st.sampled_from(_WORDS) | st.text(max_size=3), max_size=40).map(
        lambda w: "(;GM[6]" + "".join(w) + ")"
    )
)
@settings(max_examples=300, deadline=1000)
def test_whatever_is_read_can_be_written(text: str) -> None:
    """Any text is refused, or read into something that comes back from its own text."""
    try:
        record = read_sgf(text)
        again = write_sgf(record)
    except FormatError:
        return
    assert write_sgf(read_sgf(again)) == again


@pytest.mark.parametrize(
    "text",
    [
        "(" * 2_000_000,
        "(;" * 1_000_000,
        "(;GM[6]" + "[" * 2_000_000,
        "(;GM[6]C[" + "\\" * 2_000_000,
        "(;GM[6]" + "(;A[])" * 300_000 + ")",
        "(;GM[6]" + "A" * 2_000_000 + ")",
        "(;GM[6];AW" + "[a]" * 500_000 + ")",
        tree(*["W[11xwxwxwxw]", "B[11abababab]"] * 10_000),
        tree(*["AE[a:y]AW[a][b]AB[c][d]"] * 20_000),
        "(;GM[6])" * 200_000,
        "(" + " " * 2_000_000,
        "\n" * 2_000_000 + "(;GM[6])",
    ],
    ids=range(12),
)
def test_no_text_takes_over_a_second(text: str) -> None:
    start, said = time.process_time(), ""
    try:
        read_sgf(text)
    except FormatError as error:
        said = str(error)
    assert time.process_time() - start < 1
    assert len(said) < 300
