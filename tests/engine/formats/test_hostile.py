"""Damaged and hostile files through every reader; ``python -m bench readers`` makes a hundred thousand."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import readers
from bench.formats import FORMATS, Format
from engine.record import FormatError


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda f: f.name)
def test_the_samples_are_read(form: Format) -> None:
    assert len(form.samples()) >= 3
    for data in form.samples()[:: form.cost]:
        form.read(data)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda f: f.name)
def test_damage_is_refused_in_one_line_and_in_time(form: Format) -> None:
    outcomes = [readers.try_one(form, seed) for seed in range(200 // form.cost + 4)]
    assert [failure for outcome in outcomes for failure in outcome.failures] == []
    assert sum(outcome.refused for outcome in outcomes) > len(outcomes) // 5


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda f: f.name)
@given(st.binary() | st.text().map(str.encode))
@settings(max_examples=40, deadline=1000)
def test_anything_at_all_is_read_or_refused(form: Format, data: bytes) -> None:
    assert readers.read(form, data, repr(data)).failures == []


WORST: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda data: b"",
    "the first half": lambda data: data[: len(data) // 2],
    "five thousand digits": lambda data: re.sub(rb"\d+", b"9" * 5000, data, count=1),
    "a number of another script": lambda data: re.sub(rb"\d", "²".encode(), data),
    "deep nesting": lambda data: data[: len(data) // 2] + b"[" * 50_000,
    "deep objects": lambda data: b'{"a":' * 50_000,
    "deep trees": lambda data: b"(;" * 50_000,
    "zero bytes": lambda data: data.replace(b" ", b"\0"),
    "UTF-16": lambda data: data.decode(errors="replace").encode("utf-16"),
    "two encodings": lambda data: data + data.decode(errors="replace").encode("utf-16-le"),
    "a line of a megabyte": lambda data: data.replace(b"\n", b" ") * (1_000_000 // len(data)),
    "a hundred thousand lines": lambda data: data + b"\n" * 100_000,
    "it all a hundred times": lambda data: data * 100,
}


@pytest.mark.parametrize("worst", WORST)
@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda f: f.name)
def test_the_worst(form: Format, worst: str) -> None:
    for data in form.samples()[:2] if form.cost == 1 else form.samples()[:1]:
        assert readers.read(form, WORST[worst](data), worst).failures == []


def _raising(error: Exception) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        raise error

    return read


def _sleeping(data: bytes) -> object:
    while True:
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("read", "failure"),
    [
        (_raising(KeyError("x")), "KeyError"),
        (_raising(RecursionError()), "RecursionError"),
        (_raising(FormatError("bad")), "no more than"),
        (_raising(FormatError("two\nlines of it")), "not one line"),
        (_raising(FormatError("x" * 5000)), "5000 characters"),
        (_sleeping, "no end"),
    ],
)
def test_a_bad_reader_is_found_out(
    read: Callable[[bytes], object], failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "HANGING", 0.2)
    outcome = readers.try_one(Format("bad", lambda: [b"data"], read), 1)
    assert len(outcome.failures) == 1
    assert failure in outcome.failures[0]


def test_a_good_refusal_is_counted() -> None:
    outcome = readers.try_one(Format("good", lambda: [b"data"], _raising(FormatError("no dice", 7))), 1)
    assert (outcome.refused, outcome.with_line, outcome.failures) == (1, 1, [])
