"""Readers and writers of the forms in which games are written down, as twins."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.record import Record

Form = Literal["mat", "sgf", "events", "json", "nardy"]
MAX_EVENTS = 20_000

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> str:
    """The text of a file, whatever wrote it; never fails.

    A byte order mark decides; else UTF-16 is known by its zero bytes. Otherwise each line is UTF-8
    if it can be and Windows-1252 (which has Latin-1 in it) if not, since programs append names in the
    one to files in the other.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    head = data[:400]
    if len(head) >= 4 and 0 in head:
        for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
            if zeros.count(0) > 0.4 * len(zeros):
                return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(map(_decode_line, data.splitlines(keepends=True)))


def _decode_line(line: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            continue
    return line.decode("latin-1")  # five bytes are open in Windows-1252


def sniff(text: str) -> Form:
    """Which form a text has, by how it begins; match text if it looks like nothing else."""
    head = text[:20_000].lstrip("\ufeff \t\r\n")
    if head.startswith("{"):
        first = head.split("\n", 1)[0].rstrip()
        return "events" if re.match(r"\{\s*\"type\"", head) and first.endswith("}") else "json"
    if re.search(r"\(\s*;", head) and re.search(r"\bGM\[", head):
        return "sgf"
    if re.match(r"\(\s*;", head):
        return "sgf"
    if re.search(r"^\s*\d+\s+points?\s+match\b", head, re.M | re.I | re.A):
        return "mat"
    return (
        "nardy" if re.search(r"^\s*(?:\[Game \"|\d+[.)]?\s*(?:white|black)\b)", head, re.M | re.I) else "mat"
    )


def read(text: str, name: str = "") -> Record:
    """The record in a text of any form that is known here; ``name``: that of its file.

    Raises ``FormatError``.
    """
    form = "nardy" if name.lower().endswith(".nardy") else sniff(text)
    match form:
        case "sgf":
            from engine.formats.sgf import read_sgf

            return read_sgf(text)
        case "events":
            return _read_events(text)
        case "json":
            from engine.formats.record_json import read_json

            return read_json(text)
        case "nardy":
            from engine.formats.nardy import read_nardy

            return read_nardy(text)
        case "mat":
            from engine.formats.mat import read_mat

            return read_mat(text)


def _read_events(text: str) -> Record:
    from engine.events import Event, EventError, loads
    from engine.formats.convert import record_of
    from engine.record import FormatError

    events: list[Event] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        if len(events) >= MAX_EVENTS:
            raise FormatError(f"more than {MAX_EVENTS:,} events", number)
        try:
            events.append(loads(line))
        except EventError as error:
            raise FormatError(" ".join(str(error).split())[:200], number) from error
        except (ValueError, ArithmeticError, AttributeError, TypeError, RecursionError) as error:
            raise FormatError(f"not an event: {line.strip()[:60]!r}", number) from error
    return record_of(events)
