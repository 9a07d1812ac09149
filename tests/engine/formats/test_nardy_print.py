from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from time import process_time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.nardy_print import Numbering, read_print
from engine.legal import legal_plays
from engine.position import Game, Position, Side, index_of
from engine.record import FormatError, GameRecord, Record, Turn
from engine.rules import default_rules
from tests.engine.formats.records import example, without_lines

RULES = default_rules(Game.LONG_NARDY)
START = Position.start(Game.LONG_NARDY)


def played(seed: int, most: int) -> GameRecord:
    """A game of random legal plays, to its end or the first ``most`` turns of it."""
    rng, position, side = random.Random(seed), START, Side.WHITE
    turns: list[Turn] = []
    while len(turns) < most:
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        play = rng.choice(legal_plays(position, side, dice, RULES))
        moves = tuple((move.from_point, move.to_point) for move in play.moves)
        turns.append(Turn(side=side, dice=dice, moves=moves))
        position = play.after
        if position.off[side.index] == 15:
            result = "oin" if position.off[side.other.index] else "mars"
            points = {"oin": 1, "mars": 2}[result]
            return GameRecord(start=START, turns=tuple(turns), winner=side, points=points, result=result)
        side = side.other
    return GameRecord(start=START, turns=tuple(turns))


def hole(side: Side, point: int, numbering: Numbering) -> str:
    if point == 0:
        return "off"
    down = point if numbering.startswith("own") else index_of(Game.LONG_NARDY, side, point) + 1
    return str(25 - down if numbering.endswith("up") else down)


def printed(
    game: GameRecord, numbering: Numbering, roll: str = "{}-{}:", sep: str = "-", columns: bool = True
) -> str:
    lines: list[str] = []
    for n, turn in enumerate(game.turns):
        assert turn.dice
        moves = [sep.join(hole(turn.side, p, numbering) for p in move) for move in turn.moves or ()]
        half = f"{roll.format(*turn.dice)} {', '.join(moves) or 'нет хода'}"
        if n % 2 == 0 or not columns:
            lines.append(f"{n // 2 + 1 if columns else n + 1}. {half}")
        else:
            lines[-1] += f"   {half}"
    return "\n".join(lines)


@pytest.mark.parametrize("numbering", get_args(Numbering))
@pytest.mark.parametrize(
    ("roll", "sep", "columns"),
    [
        ("{}-{}:", "-", True),
        ("({}{})", "/", True),
        ("{}{}:", ":", False),
        ("[{}, {}]", " – ", True),
        ("{}{}", "→", False),
    ],
)
def test_every_numbering_is_found_out(numbering: Numbering, roll: str, sep: str, columns: bool) -> None:
    """G2: White's head is 24 or 1, Black's 24, 1, 12 or 13; the game tells which."""
    for seed in range(3):
        game = played(seed, 40)
        text = printed(game, numbering, roll, sep, columns)
        expected = Record(game=Game.LONG_NARDY, games=(game,))
        assert without_lines(read_print(text)) == expected
        assert without_lines(read_print(text, numbering)) == expected


@pytest.mark.parametrize("numbering", get_args(Numbering))
def test_a_whole_game_tells_its_winner(numbering: Numbering) -> None:
    """B7, P1, P2: who has borne off all has won; the words tell the grade."""
    game = played(5, 500)
    assert game.winner
    text = f"Белые: Иванов\nЧерные: Петров\n\n{printed(game, numbering)}\n{game.result}"
    record = read_print(text)
    assert record.players == ("Иванов", "Петров")
    assert without_lines(record).games == (game,)


def moves_of(text: str, numbering: Numbering | None = "own_down") -> list[tuple[tuple[int, int], ...] | None]:
    return [turn.moves for turn in read_print(text, numbering).games[0].turns]


@pytest.mark.parametrize(
    ("text", "dice", "moves"),
    [
        ("1. 6-5: 24-18, 24-19", (6, 5), ((24, 18), (24, 19))),
        ("1) 65 24-18-13", (6, 5), ((24, 18), (18, 13))),
        ("I. (6:5) 24–13", (6, 5), ((24, 13),)),
        ("Белые 6-5: голова-18, г-19", (6, 5), ((24, 18), (24, 19))),
        ("1. шеш-беш: 24-18 18-13", (6, 5), ((24, 18), (18, 13))),
        ("1. ду-шеш: 24-18x2", (6, 6), ((24, 18), (24, 18))),
        ("1. 4 куш: 24-20(2)", (4, 4), ((24, 20), (24, 20))),
        ("1. 4к: 2х24-20", (4, 4), ((24, 20), (24, 20))),
        ("1. куш 3: 24:21×2, 21:18", (3, 3), ((24, 21), (24, 21), (21, 18))),
        ("1. 2-1: 2-вых, 1-выход", (2, 1), ((2, 0), (1, 0))),
        ("1. 2-1: 2 вых. 1-0", (2, 1), ((2, 0), (1, 0))),
        ("1. 6-6: пас", (6, 6), ()),
        ("1. 6-6: —", (6, 6), ()),
        ("1. 6-6", (6, 6), None),
        ("Blancas: 6-5: cabeza-18, 18-13", (6, 5), ((24, 18), (18, 13))),
        ("Világos: 6-5: fej-18, 5-ki", (6, 5), ((24, 18), (5, 0))),
        ("White: 6-5: head/18, 5/off", (6, 5), ((24, 18), (5, 0))),
        ("1. 6-5: 24-18 {с головы} 18-13", (6, 5), ((24, 18), (18, 13))),
        ("1.6-5:24-18,18-13", (6, 5), ((24, 18), (18, 13))),
        ("1. 6-5: 24-18 / 18-13 /", (6, 5), ((24, 18), (18, 13))),
        ("12. 6-5: 24-18\n   18-13", (6, 5), ((24, 18), (18, 13))),
    ],
)
def test_ways_to_write_a_turn(
    text: str, dice: tuple[int, int], moves: tuple[tuple[int, int], ...] | None
) -> None:
    turn = read_print(text, "own_down").games[0].turns[0]
    assert (turn.dice, turn.moves, turn.side) == (dice, moves, Side.WHITE)


def test_both_sides_in_a_line_and_small_numbers() -> None:
    """A pair of small numbers is a move while dice are open, and the next roll when they are used up."""
    assert moves_of("1. 2-1: 6-4, 6-5 3-1: 4-1 2-1") == [((6, 4), (6, 5)), ((4, 1), (2, 1))]
    assert moves_of("1. 65 24-18 18-13 31 24-21 21-20 2. 11: 13-12 12-11") == [
        ((24, 18), (18, 13)),
        ((24, 21), (21, 20)),
        ((13, 12), (12, 11)),
    ]
    assert moves_of("1. 65: 24-18 24-19 22-16") == [((24, 18), (24, 19), (22, 16))]
    assert moves_of("1. (21) 6-4 (31) 4-1") == [((6, 4),), ((4, 1),)]


def test_sides_by_name_and_remarks() -> None:
    text = "Турнир в Баку\nЧерные: 6-5: 24-18 {ход с головы} 18-13\nБелые: 2-1: 24-22, 22-21"
    record = read_print(text, "own_down")
    turns = record.games[0].turns
    assert [turn.side for turn in turns] == [Side.BLACK, Side.WHITE]
    assert turns[0].comment == "ход с головы"
    assert record.info == (("Text1", "Турнир в Баку"),)


@pytest.mark.parametrize(
    ("words", "winner", "points", "result"),
    [
        ("Белые выиграли, марс", Side.WHITE, 2, "mars"),
        ("Ойн, победа черных", Side.BLACK, 1, "oin"),
        ("черные сдались", Side.WHITE, 0, "resigned"),
        ("домашний марс белым", Side.WHITE, 3, "home_mars"),
        ("ganan negras: koks", Side.BLACK, 4, "koks"),
        ("Ничья", None, 0, "draw"),
    ],
)
def test_results_in_words(words: str, winner: Side | None, points: int, result: str) -> None:
    """P1 to P3, B8."""
    game = read_print(f"1. 6-5: 24-18 18-13\n{words}", "own_down").games[0]
    assert (game.winner, game.points, game.result) == (winner, points, result)


def test_the_example_of_the_notes_is_read() -> None:
    record = read_print(example("print"))
    assert record.players == ("Иванов", "Петров")
    turns = record.games[0].turns
    assert [turn.dice for turn in turns] == [(6, 5), (3, 1), (2, 1), (6, 5), (4, 4), (5, 5), (3, 2)]
    assert [len(turn.moves or ()) for turn in turns] == [2, 2, 2, 2, 4, 4, 2]
    assert turns[4].comment == "две фишки"
    assert (record.games[0].winner, record.games[0].result) == (Side.WHITE, "resigned")


def test_several_games() -> None:
    games = [played(seed, 12) for seed in range(3)]
    text = "\n\n".join(f"Партия {n}\n{printed(game, 'white_up')}" for n, game in enumerate(games, 1))
    assert without_lines(read_print(text)).games == tuple(games)


def test_a_misprint_does_not_hide_the_numbering() -> None:
    """E8: what was written is kept, for the check of the match to find."""
    game = played(1, 30)
    last = game.turns[-1]
    wrong = replace(game, turns=(*game.turns[:-1], replace(last, dice=(1, 1), moves=((3, 9),))))
    for numbering in get_args(Numbering):
        assert without_lines(read_print(printed(wrong, numbering))).games == (wrong,)


def test_windows_1251_that_was_taken_for_1252() -> None:
    game = replace(played(2, 6))
    text = f"Белые: Иванов Иван\nЧерные: Петров Пётр\nПартия первая, Баку\n{printed(game, 'own_down')}"
    wrong = text.encode("cp1251").decode("cp1252")
    assert read_print(wrong).players == ("Иванов Иван", "Петров Петр")


@pytest.mark.parametrize(
    ("text", "numbering", "reason"),
    [
        ("", None, "no turn that begins with a roll"),
        ("Длинные нарды", None, "no turn"),
        ("1. 6-5: 24-18 18-13", "down", "'down' is no numbering"),
        ("1. 6-5: 24-18 18-13 zzz", None, "^line 1: cannot read 'zzz'"),
        ("\n1. 6-5: 24-18 18-30", None, "^line 2: there is no hole 30"),
        ("1. 6-5: 24-18 18-25", "own_down", "^line 1: there is no hole 25"),
        ("1. 6-5: 20-14 14-9", None, "^line 1: the moves fit no numbering"),
        ("1. 6-5: " + "24-18 " * 9, None, "^line 1: more moves"),
        ("1. 6-5: 24-18 18-13\nмарс\n2. 6-5: 24-18", None, "^line 3: a turn after the end"),
        ("1. 6-5: 1-2 " + "6-5: пас " * 9, None, "several ways; say which: own_down .* or own_up"),
        ("6-5: " * 2001, None, "^line 1: more turns"),
    ],
)
def test_what_is_wrong_is_named(text: str, numbering: Numbering | None, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read_print(text, numbering)


SEED = printed(played(4, 12), "own_down")
ALPHABET = "0123456789-:/.,()x[]{} \n\tбелыечернголвыхкушмарсIVшед"


@given(st.text(max_size=60) | st.text(ALPHABET, max_size=120), st.integers(0, len(SEED)), st.integers(0, 20))
def test_hostile_text(text: str, place: int, length: int) -> None:
    for damaged in (text, f"1. 6-5: {text}", SEED[:place] + text + SEED[place + length :]):
        try:
            record = read_print(damaged)
        except FormatError:
            continue
        for game in record.games:
            assert all(0 <= a <= 25 and 0 <= b <= 25 for turn in game.turns for a, b in turn.moves or ())


@pytest.mark.parametrize(
    "piece", ["1", "1-", "24-18 ", "1. ", "6-5: ", "(", "{", "г", "\t", "- ", "IV", "ду "]
)
def test_long_lines_are_read_at_once(piece: str) -> None:
    start = process_time()
    with suppress(FormatError):
        read_print("1. 6-5: " + piece * 20_000)
    assert process_time() - start < 2  # seconds; a pattern that goes back and forth takes minutes
