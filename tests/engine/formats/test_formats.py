"""Which form a file has, and in what encoding it is."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.matches import random_match
from engine.events import dumps
from engine.formats import MAX_EVENTS, Form, decode, read, sniff
from engine.formats.mat import write_mat
from engine.formats.record_json import write_json
from engine.formats.sgf import write_sgf
from engine.position import Game
from engine.record import FormatError
from tests.engine.playing import random_game

RECORD = random_match(1, 3)
EVENTS = "".join(dumps(event) + "\n" for event in random_game(Game.BACKGAMMON, 1))
FORMS: list[tuple[Form, str]] = [
    ("mat", write_mat(RECORD)),
    ("mat", "a banner\n\n 0 point match\n"),
    ("sgf", write_sgf(RECORD)),
    ("json", write_json(RECORD)),
    ("events", EVENTS),
    ("nardy", '[Game "long-nardy"]\n[White "Anna"]\n'),
]


@pytest.mark.parametrize(("form", "text"), FORMS)
def test_forms_are_known_by_how_they_begin(form: Form, text: str) -> None:
    assert sniff(text) == form
    assert sniff("\ufeff\n" + text) == form


def test_every_form_is_read() -> None:
    for text in (write_mat(RECORD), write_sgf(RECORD), write_json(RECORD)):
        assert read(text).players == RECORD.players
    assert read(EVENTS).games[0].winner is not None


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{"type": "play"}\n', 1, "not an event"),
        (EVENTS + "{", EVENTS.count("\n") + 1, "not JSON"),
        (EVENTS + '{"type": "throw", "t": ' + "9" * 5000 + "}", EVENTS.count("\n") + 1, "not"),
        (EVENTS + '{"type": ' + "[" * 100_000, EVENTS.count("\n") + 1, "not"),
        (
            '{"type": "doubt", "t": 1, "about": "play", "options": []}\n' * (MAX_EVENTS + 1),
            MAX_EVENTS + 1,
            "more",
        ),
        ('{"type": "doubt", "t": 1, "about": "play", "options": []}\n', 0, "no game"),
    ],
)
def test_damaged_events_are_refused_with_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        read(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (b"", "cp1252"),
        (b"", "latin-1"),
    ],
)
def test_encodings(mark: bytes, encoding: str) -> None:
    text = " 5 point match\r\n\r\n Game 1\n José : 0   Zoë : 0\n"
    assert decode(mark + text.encode(encoding)) == text


def test_lines_in_different_encodings() -> None:
    data = "José\n".encode() + "Zoë – é\n".encode("cp1252") + b"\x81\xe9\n"
    assert decode(data) == "José\nZoë – é\n\x81é\n"


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=500)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    text = decode(data)
    try:
        read(text)
    except FormatError as error:
        assert "\n" not in str(error)  # noqa: PT017
