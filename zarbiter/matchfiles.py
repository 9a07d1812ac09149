"""Match files of every form: read whatever it is, and written in the one that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.check import Report, check_events, check_record
from engine.events import Event, EventError, loads
from engine.formats import decode
from engine.formats.convert import record_of
from engine.formats.mat import read_mat, write_mat
from engine.formats.nardy import read_nardy, write_nardy
from engine.formats.nardy_print import read_print
from engine.formats.record_json import SCHEMA, read_json, write_json
from engine.formats.sgf import read_sgf, write_sgf
from engine.record import FormatError, Record
from engine.rules import RuleSet
from hardware.camera import UnreadableInput
from zarbiter.ogxm import read_ogxm, write_ogxm

LARGEST = 16 * 1024 * 1024  #: bytes that are read of a file


def events_in(text: str) -> list[Event]:
    """The events of a file of them, one JSON object a line. Raises ``FormatError``."""
    events = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                events.append(loads(line))
            except EventError as error:
                raise FormatError(str(error), number) from error
    return events


def write_marked(record: Record) -> str:
    """The notation of nardy, with every turn marked that breaks a rule. Raises ``FormatError``."""
    breaches = {
        (finding.game - 1, finding.turn - 1): [rule for rule, _ in finding.breaches]
        for finding in check_record(record).findings
        if finding.turn
    }
    return write_nardy(record, breaches)


def read_text(text: str) -> Record:
    """Match text or, where it is none, long nardy as people write it down. Raises ``FormatError``."""
    try:
        return read_mat(text)
    except FormatError as error:
        if re.search(r"\d point(s)? match", text):
            raise
        try:
            return read_print(text)
        except FormatError:
            raise error from None


#: The forms of text by the ends of their names; a file that is named otherwise is read by how it begins.
READERS: dict[str, Callable[[str], Record]] = {
    ".mat": read_mat,
    ".sgf": read_sgf,
    ".nardy": read_nardy,
    ".json": read_json,
    ".txt": read_text,
}
EVENTS = ".jsonl"
WRITERS: dict[str, Callable[[Record], str | bytes]] = {
    ".mat": write_mat,
    ".sgf": write_sgf,
    ".nardy": write_marked,
    ".json": write_json,
    ".ogxm": write_ogxm,
}


def form_of(text: str) -> str:
    """Which form a text has, by how it begins; plain text if nothing tells."""
    start = text.lstrip("\ufeff \t\r\n")[:4000]
    if start.startswith("{"):
        return ".json" if SCHEMA in start else EVENTS
    if start.startswith("("):
        return ".sgf"
    return ".nardy" if re.search(r'^\[Game "long-nardy"', start, re.MULTILINE) else ".txt"


def read_match(path: Path) -> Record:
    """A match file of any form. Raises ``UnreadableInput``, which names file, line and what is wrong."""
    return _opened(path)[0]


def check_file(path: Path, rules: RuleSet | None) -> tuple[Record, Report]:
    """A match file of any form, and what is illegal in it by ``rules``; without them by its own.

    Raises ``UnreadableInput``, and ``WrongRules`` if the rules are those of the other game.
    """
    record, events = _opened(path)
    return record, check_events(events, rules) if events else check_record(record, rules)


def _opened(path: Path) -> tuple[Record, list[Event]]:
    """The record in a file, and the events that it is made from where the file holds such."""
    data, form = read_bytes(path), path.suffix.lower()
    with _naming(path):
        if form == ".ogxm" or data.startswith(b"OGXM"):
            return read_ogxm(data), []
        text = decode(data)
        # The name .txt says nothing: all kinds of programs write match files so.
        if form not in (*READERS, EVENTS) or form == ".txt":
            form = form_of(text)
        if form != EVENTS:
            return READERS[form](text), []
        events = events_in(text)
        return record_of(events), events


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """A form that cannot be read is told with the file, in one line."""
    try:
        yield
    except FormatError as error:
        raise UnreadableInput(f"{path}: {' '.join(str(error).split())[:300]}") from error


def write_match(record: Record, form: str, path: Path) -> None:
    """Write a record in one of the ``WRITERS``.

    Raises ``UnreadableInput`` if the form cannot hold it, before the file is touched, or if that cannot
    be written.
    """
    with _naming(path):
        content = WRITERS[form](record)
    try:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as error:
        raise UnreadableInput(f"{path}: {(error.strerror or str(error)).lower()}") from error


def read_bytes(path: Path) -> bytes:
    """The content of a file that holds something. Raises ``UnreadableInput``."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise UnreadableInput(f"{path}: is not a file")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UnreadableInput(f"{path}: {(error.strerror or str(error)).lower()}") from error
    if len(data) > LARGEST:
        raise UnreadableInput(f"{path}: is larger than {LARGEST // 2**20} MiB")
    if not data.strip():
        raise UnreadableInput(f"{path}: the file is empty")
    return data
