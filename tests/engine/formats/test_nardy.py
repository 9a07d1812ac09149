from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.formats.nardy import read_nardy, write_nardy
from engine.position import Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from engine.rules import default_rules
from tests.engine.formats.records import example, records, without_lines

START = Position.start(Game.LONG_NARDY)
TEXT = """\
[Game "long-nardy"]
[White "Иванов"]
[Black "Петров"]
[Length "3"]
[Rules "house"]
[Option "head_exc = [6]"]
[Option "last_throw = true"]
[Event "Club \\"Nard\\""]

Game 1
First: White
1. White 65: 24-18 24-19 !L1 @12.5 clock 300 295.5 ; both from the head
2. Black 33: 24-21 21-18 18-15 15-12
3. White 66: no play
4. Black 21: ?
5. White resign 2
Result: Black 2 mars

Game 2
Score: 0 2
Start: nardy:w=1:1/b=24:14,1:1
1. White 11: 1-off = nardy:w=off:15/b=24:14,1:1
"""
RECORD = Record(
    game=Game.LONG_NARDY,
    players=("Иванов", "Петров"),
    length=3,
    rules=replace(default_rules(Game.LONG_NARDY), name="house", title="", head_exc=(6,), last_throw=True),
    info=(("Event", 'Club "Nard"'),),
    games=(
        GameRecord(
            start=START,
            first=Side.WHITE,
            turns=(
                Turn(
                    side=Side.WHITE,
                    dice=(6, 5),
                    moves=((24, 18), (24, 19)),
                    t=12.5,
                    clock=(300, 295.5),
                    comment="both from the head",
                ),
                Turn(side=Side.BLACK, dice=(3, 3), moves=((24, 21), (21, 18), (18, 15), (15, 12))),
                Turn(side=Side.WHITE, dice=(6, 6), moves=()),
                Turn(side=Side.BLACK, dice=(2, 1)),
                Turn(side=Side.WHITE, action="resign", value=2),
            ),
            winner=Side.BLACK,
            points=2,
            result="mars",
        ),
        GameRecord(
            start=Position((1, *[0] * 10, -14, -1, *[0] * 11), off=(14, 0)),
            score=(0, 2),
            turns=(
                Turn(
                    side=Side.WHITE,
                    dice=(1, 1),
                    moves=((1, 0),),
                    after=Position((*[0] * 11, -14, -1, *[0] * 11), off=(15, 0)),
                ),
            ),
        ),
    ),
)


def test_a_match_is_written_and_read() -> None:
    """P1, P2, L1, B2: results, marks of broken rules and borne-off checkers have their place."""
    assert write_nardy(RECORD, {(0, 0): ["L1"]}) == TEXT
    assert without_lines(read_nardy(TEXT)) == RECORD


def test_the_example_of_the_notes_is_read() -> None:
    record = read_nardy(example("nardy"))
    assert without_lines(read_nardy(write_nardy(record))) == without_lines(record)
    assert [len(game.turns) for game in record.games] == [5, 1]
    assert record.games[0].turns[1].moves == ((24, 21), (24, 21), (21, 18), (21, 18))
    assert record.rules
    assert record.rules.next_game_start == "winner_starts"


def test_the_lines_are_kept_for_messages() -> None:
    games = read_nardy(TEXT).games
    assert [game.line for game in games] == [10, 19]
    assert [turn.line for turn in games[0].turns] == [12, 13, 14, 15, 16]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(records(Game.LONG_NARDY))
def test_a_record_survives(record: Record) -> None:
    assert without_lines(read_nardy(write_nardy(record))) == record


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("white 43: HEAD-20, 20-17", ((24, 20), (20, 17))),
        ("7. White 33: head-21(2) 21-18(2)", ((24, 21), (24, 21), (21, 18), (21, 18))),
        ("White 33: head-21-18-15(1)", ((24, 21), (21, 18), (18, 15))),
        ("1.  White   61:   6-off   1-off   ! ; illegal", ((6, 0), (1, 0))),
        ("White --: bar-20", ((25, 20),)),
    ],
)
def test_other_ways_to_write_a_play(line: str, moves: tuple[tuple[int, int], ...]) -> None:
    text = f'\ufeff; a remark\r\n[Game "long-nardy"]\r\n\r\nGame 1\r\n{line}\r\n'
    assert read_nardy(text).games[0].turns[0].moves == moves


def _with(line: str) -> str:
    return f'[Game "long-nardy"]\nGame 1\n{line}\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no tag"),
        ("Game 1", "no tag"),
        ('[Game "backgammon"]', "^line 1: the game is 'backgammon'"),
        ('[Game "long-nardy"]\n[Game "long-nardy"]', "^line 2: a second tag Game"),
        ('[Game "long-nardy"]\n[Length "x"]', "^line 2: Length is 'x'"),
        ('[Game "long-nardy"]\n[White "x]', "^line 2: neither a tag"),
        ('[Game "long-nardy"]\n[White "\\q"]', r"^line 2: \\q stands for nothing"),
        ('[Game "long-nardy"]\n[Option "block = 1"]', "^line 2: a tag Option without a tag Rules"),
        ('[Game "long-nardy"]\n[Rules ""]', "^line 2: rules: name"),
        (
            '[Game "long-nardy"]\n[Rules "x"]\n[Option "block = 1"]',
            "^line 3: rules: block = 1 is not",
        ),
        (
            '[Game "long-nardy"]\n[Rules "x"]\n[Option "block"]',
            "^line 3: 'block' is not an option",
        ),
        (f'[Game "long-nardy"]\n[Rules "x"]\n[Option "block={"[" * 99999}"]', "^line 3"),
        (_with("65: 24-18"), "^line 3: neither a turn nor a line of a game"),
        (_with("White 67: 24-18"), "neither a roll such as 65: nor double, take"),
        (_with("White 65:"), "a roll without moves"),
        (_with("White 65: 24"), "'24' is not a move"),
        (_with("White 65: 26-20"), "there is no point 26"),
        (_with("White 65: 24-18(9)"), "is not a move"),
        (_with("White 65: 24-18(4) 24-18(4) 24-18"), "more moves"),
        (_with("White 65: 24-18 @1e999"), "too large"),
        (_with("White 65: 24-18 @x"), "'x' is not a number"),
        (_with("White 65: 24-18 @1 @2"), "cannot read '@2'"),
        (_with("White 65: 24-18 clock 1"), "cannot read 'clock'"),
        (_with("White 65: 24-18 !!"), "cannot read '!!'"),
        (_with("White 65: 24-18 = start"), "begins with nardy:"),
        (_with("White 65: 24-18 = nardy:w=24:16/b="), "^line 3: white has 16 checkers"),
        (_with("White double x"), "cannot read 'x'"),
        (_with("Score: 1"), "a score is two numbers"),
        (_with("First: Red"), "neither a turn nor"),
        (_with("White take\nFirst: White"), "^line 4: first belongs before the first turn"),
        (_with("Result: Red 1"), "the winner is White, Black or -"),
        (_with("Result: White x"), "'x' is not a number"),
        (_with("Result: White 1\nWhite take"), "^line 4: after the result"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read_nardy(text)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (Record(game=Game.BACKGAMMON, games=()), "for long nardy"),
        (replace(RECORD, info=(("White", "x"),)), "'White' cannot be the name"),
        (replace(RECORD, info=(("a b", "x"),)), "'a b' cannot be the name"),
    ],
)
def test_records_that_have_no_form(record: Record, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        write_nardy(record)


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (Turn(side=Side.WHITE, value=2), "has a value"),
        (Turn(side=Side.WHITE, action="take", dice=(1, 2)), "a take has dice"),
        (Turn(side=Side.WHITE, dice=(1, 0)), "from 1 to 6"),
        (Turn(side=Side.WHITE, moves=((26, 1),)), "no move from 26 to 1"),
        (Turn(side=Side.WHITE, t=float("inf")), "finite"),
        (Turn(side=Side.WHITE, after=Position((0,) * 24, (1, 0))), "no bar in long nardy"),
    ],
)
def test_turns_that_have_no_form(turn: Turn, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        write_nardy(Record(game=Game.LONG_NARDY, games=(GameRecord(start=START, turns=(turn,)),)))


@given(st.text(max_size=40) | st.text('[]"\\;:-!@=?()0123456789 White\n', max_size=40), st.data())
def test_hostile_text(text: str, data: st.DataObject) -> None:
    place, length = data.draw(st.integers(0, len(TEXT))), data.draw(st.integers(0, 40))
    for damaged in (text, _with(f"White {text}"), TEXT[:place] + text + TEXT[place + length :]):
        try:
            record = read_nardy(damaged)
        except FormatError:
            continue
        assert without_lines(read_nardy(write_nardy(record))) == without_lines(record)
