from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.matches import BG, plain, positions, random_match
from engine.formats import decode
from engine.formats.convert import record_of
from engine.formats.mat import MAX_TURNS, read_mat, write_mat
from engine.position import Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from engine.rules import default_rules
from tests.engine.playing import random_game
from tests.shared import DATA

W, B = Side.WHITE, Side.BLACK
START = Position.start(BG)


def rows(*lines: str, length: int = 5, names: str = " Anna : 0                       Boris : 0") -> str:
    return "\n".join([f" {length} point match", "", " Game 1", names, *lines, ""])


def turns(*lines: str) -> tuple[Turn, ...]:
    (game,) = read_mat(rows(*lines)).games
    return game.turns


# ---- there and back ----------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), length=st.integers(0, 7), illegal=st.sampled_from([0, 0.05, 0.5]))
@settings(max_examples=40, deadline=None)
def test_a_match_comes_back_as_it_was(seed: int, length: int, illegal: float) -> None:
    """Cube, beavers, Crawford (C1 to C5, C9), resignations, and illegal plays that stand (E5)."""
    record = random_match(seed, length, illegal=illegal)
    text = write_mat(record)
    back = read_mat(text)
    assert plain(back) == record
    assert write_mat(back) == text
    assert [positions(game) for game in back.games] == [positions(game) for game in record.games]


@given(
    names=st.tuples(*[st.text(st.characters(blacklist_characters="\r\n", codec="utf-8"), max_size=40)] * 2),
    info=st.lists(st.tuples(st.sampled_from(["Event", "Site", "My Key"]), st.text('ab "];[é:', max_size=9))),
)
@settings(max_examples=60, deadline=None)
def test_names_and_headers_come_back(names: tuple[str, str], info: list[tuple[str, str]]) -> None:
    record = replace(random_match(1, 3), players=names, info=tuple(info))
    text = write_mat(record)
    assert plain(read_mat(text)) == record
    assert write_mat(read_mat(text)) == text


def test_a_game_from_a_set_position() -> None:
    start = Position((2, -1, *(0,) * 21, -3), bar=(1, 2), off=(12, 9))
    record = Record(game=BG, games=(GameRecord(start=start, turns=(Turn(side=W, dice=(6, 5), moves=()),)),))
    assert plain(read_mat(write_mat(record))) == record


@pytest.mark.parametrize("side", Side)
def test_what_stands_after_an_illegal_play_comes_back(side: Side) -> None:
    """Also where the moves are not known, and where no moves lead there."""
    after = replace(START, points=(*START.points[:11], -5, *START.points[12:]))
    for moves in (None, ((8, 1),), ((5, 4),)):
        played = Turn(side=side, dice=(3, 1), moves=moves, after=after)
        record = Record(game=BG, games=(GameRecord(start=START, turns=(played,)),))
        if moves is None and after == START:
            played = replace(played, moves=())
        found = plain(read_mat(write_mat(record))).games[0].turns[0]
        assert found.dice == (3, 1)
        assert positions(read_mat(write_mat(record)).games[0]) == [after]


def test_a_match_without_the_crawford_rule() -> None:
    matches = (random_match(seed, 3, cube=0) for seed in range(20))
    record = next(match for match in matches if any(game.crawford for game in match.games))
    without = replace(record, games=tuple(replace(game, crawford=False) for game in record.games))
    assert '[Crawford "Off"]' in write_mat(without)
    assert plain(read_mat(write_mat(without))) == without
    wrong = replace(record, games=tuple(replace(game, crawford=not game.crawford) for game in record.games))
    with pytest.raises(FormatError, match="Crawford"):
        write_mat(wrong)


def test_events_as_match_text() -> None:
    events = [e for seed in (1, 2) for e in random_game(BG, seed)]
    text = write_mat(record_of(events, ("Anna", "Boris"), 7))
    assert text.startswith(" 7 point match\n")
    assert text.count(" Game ") == 2
    assert "Anna : 0" in text
    assert text.count("Wins ") == 2


def _played(**what: Any) -> Record:
    return Record(game=BG, games=(GameRecord(start=START, turns=(Turn(side=W, **what),)),))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (record_of(random_game(Game.LONG_NARDY, 1)), "long nardy"),
        (Record(game=BG, games=()), "no game"),
        (Record(game=BG, games=(GameRecord(start=START, score=(0.5, 0)),)), "whole points"),
        (Record(game=BG, games=(GameRecord(start=Position((0,) * 24)),)), "fifteen"),
        (Record(game=BG, games=(GameRecord(start=START),), info=(("Event", "two\nlines"),)), "header"),
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
def test_what_match_text_cannot_hold(record: Record, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        write_mat(record)


# ---- dialects ----------------------------------------------------------------------------------

SAMPLES = sorted((DATA / "mat").glob("*.mat"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_of_dialects(path: Path) -> None:
    text = decode(path.read_bytes())
    record = read_mat(text)
    plays = [turn for game in record.games for turn in game.turns if turn.action == "play"]
    assert sum(turn.moves is not None for turn in plays) > 10
    assert all(None not in positions(game) for game in record.games)
    assert plain(read_mat(write_mat(record))) == plain(record)


def test_the_dialect_of_extreme_gammon() -> None:
    record = read_mat(decode((DATA / "mat" / "xg.mat").read_bytes()))
    assert record.players == ("Ana Lucía Fernández de Córdoba", "Bořek")
    assert dict(record.info)["Player 1 Elo"] == "1600.00/0"
    assert [game.winner for game in record.games].count(None) == 0
    assert [game.crawford for game in record.games] == [False, False, True]


def test_a_session_with_tabs_and_a_colon_in_a_name() -> None:
    record = read_mat(decode((DATA / "mat" / "session_tabs_latin1.mat").read_bytes()))
    assert record.players == ("José : the 1st", "Zoë, 1720")
    assert record.length == 0
    actions = [turn.action for game in record.games for turn in game.turns]
    assert {"beaver", "raccoon"} <= set(actions)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("31: 8/5 6/5", ((8, 5), (6, 5))),
        ("31: 8-5, 6-5", ((8, 5), (6, 5))),
        ("31: 8/4", ((8, 5), (5, 4))),
        ("66: 24/12(2)", ((24, 18), (18, 12)) * 2),
        ("66: 24/12 (2)", ((24, 18), (18, 12)) * 2),
        ("66: 24/18/12 24/18(2)", ((24, 18), (18, 12), (24, 18), (24, 18))),
        ("65: 24/13", ((24, 18), (18, 13))),
        ("65: 9/off", ((9, 3), (3, 0))),
        ("55: Bar/20 BAR/20 7/Off", ((25, 20), (25, 20), (7, 2), (2, 0))),
        ("61: 5/off 25/24", ((5, 0), (25, 24))),
        ("31: 8/1", ((8, 1),)),
        ("31: Cannot Move", ()),
        ("31: cannot move.", ()),
        ("31: ???", None),
        ("31:", None),
        ("3-1: 8/5*/4", ((8, 5), (5, 4))),
    ],
)
def test_ways_to_write_a_play(text: str, moves: object) -> None:
    assert turns(f"  1) {text}")[0].moves == moves


def test_a_roll_without_a_play_is_a_dance_where_nothing_can_move() -> None:
    lines = [
        "  1) 31: 8/5 6/5                 11: 8/7 8/7 6/5 6/5",
        "  2) 66:                         66: 24/18",
    ]
    assert turns(*lines)[2].moves is None
    start = "; Set Pos=aBBBBBB---------------dee-/0"
    assert turns(start, "  1)                             62:")[0].moves == ()


@pytest.mark.parametrize(
    ("line", "side"),
    [
        ("  3) 31: 8/5 6/5", W),
        ("  3)                             31: 8/5 6/5", B),
        ("3)\t31: 8/5 6/5", W),
        ("  3)\t\t\t\t31: 8/5 6/5", B),
        ("113)                                                       31: 8/5 6/5", B),
        ("      Wins 3 points", W),
        ("                                  Wins 3 points and the match", B),
        ("\t\t\t\tWins 3 points", B),
    ],
)
def test_columns(line: str, side: Side) -> None:
    (game,) = read_mat(rows(line)).games
    assert (game.winner or game.turns[0].side) is side


def test_the_reason_why_a_game_ended() -> None:
    def game(*lines: str) -> GameRecord:
        return read_mat(rows(*lines)).games[0]

    dropped = game("  1) 31: 8/5 6/5                  Doubles => 2", "  2)  Drops", " " * 34 + "Wins 1 point")
    assert (dropped.winner, dropped.points, dropped.result) == (B, 1, "drop")
    taken = ["  1) 31: 8/5 6/5                  Doubles => 2", "  2)  Takes                      61: ???"]
    resigned = game(*taken, "      Wins 4 points")
    assert (resigned.result, resigned.turns[-1]) == ("resigned", replace(resigned.turns[-1], side=B, value=2))
    said = game(*taken, "  3)                              Resigns backgammon", "      Wins 6 points")
    assert said.turns[-1].value == 3
    assert len([turn for turn in said.turns if turn.action == "resign"]) == 1


def test_a_site_that_has_no_names_and_tells_who_lost() -> None:
    """As Backgammon Galaxy and its imitators write."""
    head = '; [Player 1 "Anna"]\n; [Player 2 "Bo : ris"]\n\n4 point match\n\n Game 1\n'
    record = read_mat(head + "1. 31: 8/5 6/5     52: 13/8 13/11\n55.  Losses 1 point    Wins 1    point\n")
    assert record.players == ("Anna", "Bo : ris")
    (game,) = record.games
    assert (game.winner, game.points, len(game.turns), game.turns[-1].action) == (B, 1, 3, "resign")
    other_way = read_mat(head + "  1) 31: 8/5 6/5\n  2)  Wins 2 points     Losses 2 points\n").games[0]
    assert (other_way.winner, other_way.points) == (W, 2)
    assert (
        read_mat(head + "  1)                              Losses 1 point\n      Wins 1 point")
        .games[0]
        .winner
        is W
    )


def test_the_dialect_of_open_gammon() -> None:
    text = "Match of 3 points\n Game 1\n Anna : 0   Boris : 1\n  1) 31 8/5 6/5   52 13/8 13/11\n"
    (game,) = read_mat(text + "  2)    Resigned Game\n      Wins 2 points with a gammon\n").games
    assert [turn.dice for turn in game.turns[:2]] == [(3, 1), (5, 2)]
    assert (game.winner, game.points, game.score, game.turns[2].action) == (W, 2, (0, 1), "resign")
    assert read_mat(text).length == 3
    late = read_mat(text + "  2)                                Lost on time\n      Wins 1 point\n").games[0]
    assert (late.winner, late.turns[2].side) == (W, B)


def test_beavers() -> None:
    lines = [
        "  1) 31: 8/5 6/5                  Doubles => 2",
        "  2)  Beavers => 4               52: 13/8 13/11",
    ]
    assert [(t.action, t.side, t.value) for t in turns(*lines)[1:4]] == [
        ("double", B, 2),
        ("beaver", W, 4),
        ("take", B, 0),
    ]


def test_byte_order_mark_line_ends_and_unlimited_play() -> None:
    text = rows("  1) 31: 8/5 6/5", length=0).replace("\n", "\r\n")
    record = read_mat("\ufeff" + text)
    assert (record.length, record.games[0].turns[0].line) == (0, 5)
    without = text.replace(" 0 point match", "")
    assert read_mat(without).length == 0


# ---- what is not match text --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 0, "no game"),
        ("hello\nworld", 0, "no game"),
        (" 5 point match\n Game 1\n", 3, "names"),
        (" 5 point match\n Game 1\n Game 2\n", 3, "names"),
        (" 5 point match\n Game 1\n nobody\n", 3, "names"),
        (" 99999 point match\n", 1, "99999"),
        (rows("  1) 31: 8/5 6/x"), 5, "not a play"),
        (rows("  1) 31: 8/5 6/5(9)"), 5, "more moves"),
        (rows("  1) 31: 8/5 (999999999)"), 5, "not a play"),
        (rows("  1) 31: 27/5"), 5, "no point 27"),
        (rows("  1) 71: 8/5"), 5, "cannot be understood"),
        (rows("  1) what is this"), 5, "cannot be understood"),
        (rows("  1)  Doubles => 99999999999"), 5, "a cube of 99999999999"),
        (rows("  1)  Doubles him"), 5, "cannot be understood"),
        (rows("  1) 31: 8/5 6/5  52: 13/8 13/11  41: 6/5"), 5, "more than one entry"),
        (rows("      Wins"), 5, "how many points"),
        (rows("      Wins 2 points", "  2) 31: 8/5 6/5"), 6, "goes on after"),
        (rows("  1) 31: Illegal play (5;0;0)"), 5, "Snowie"),
        (rows("; Set Pos=zzz/0"), 5, "not a position"),
        (rows("; Set Pos=-O-O----------------------/0"), 5, "more than fifteen"),
        (rows("  1) 31: 8/5 6/5", "; Set Pos=--------------------------/0"), 6, "middle of a game"),
        (rows(" 5 point match"), 5, "second match"),
        (rows("  1) " + "x" * 3000), 5, "a line of 3,005 characters"),
        (
            rows(*["  1) 31: 8/5 6/5                 31: 8/5 6/5"] * MAX_TURNS),
            4 + MAX_TURNS // 2 + 1,
            "turns",
        ),
    ],
)
def test_damage_is_refused_with_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        read_mat(text)
    assert caught.value.line == line


_WORDS = [
    "31:",
    "8/5",
    "bar/20*",
    "(2)",
    "Doubles => 2",
    "Takes",
    "Wins 2 points",
    "\n",
    "  1)",
    " Game 1\n",
    "\t",
    "66:",
]
_HEAD = " 3 point match\n\n Game 1\n A : 0   B : 0\n"


@given(
    st.lists(st.sampled_from(_WORDS) | st.text(max_size=4), max_size=60).map(lambda w: _HEAD + " ".join(w))
)
@settings(max_examples=300, deadline=1000)
def test_whatever_is_read_can_be_written(text: str) -> None:
    """Any text is refused, or read into something that comes back from its own text."""
    try:
        record = read_mat(text)
        again = write_mat(record)
    except FormatError:
        return
    assert write_mat(read_mat(again)) == again


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1_900_000,
        "; [" + " " * 1_900_000,
        "; [Event " * 200_000,
        rows("(" * 1990),
        "\n".join([rows(*["  1) 31: Illegal play (" + ";" * 1900] * 900)]),
        " Game 1\n A : 0  B : 0\n" * 90_000,
        rows(*["  1) 31: 8/5 6/5 24/23(9)"] * 20_000),
        rows(*["  1) 66: 24/off(2)                 66: 24/off(2)"] * 20_000),
        rows(*["  1) 31:                           52:"] * 20_000),
        rows(*["; Set Pos=-b----E-C---eE---c-e----B-/0"] * 40_000),
        rows("  1) " + "31: " * 480),
        rows(names=" A" + " : 0" * 480),
    ],
    ids=range(12),
)
def test_no_text_takes_over_a_second(text: str) -> None:
    start, said = time.process_time(), ""
    try:
        read_mat(text)
    except FormatError as error:
        said = str(error)
    assert time.process_time() - start < 1
    assert len(said) < 300


def test_a_record_with_its_rules_tells_them() -> None:
    rules = replace(default_rules(BG), jacoby=True, beaver=True)
    record = Record(game=BG, games=(GameRecord(start=START),), rules=rules)
    assert read_mat(write_mat(record)).info == (("Jacoby", "On"), ("Beaver", "On"))
