"""The evidence of a match on the disk: its files, the list that binds them to events, and what it may take.

A folder of it looks so; everything else in it is left over:

    manifest.jsonl             what there is, one JSON object a line
    00017-play-after.jpg       files of the event with place 17 in the record of the match

The first line of the list names the match. Then come, in order of time, lines of three kinds: ``exhibit``
(a place, the SHA-256 of the event there, of each file, and what it shows), ``keep`` (a place whose files go
last when room is needed) and ``removed`` (a place whose files are gone), both with the reason. ``prev`` of
each line is the beginning of the SHA-256 of the line before, so that none can be changed or taken out of
the middle without that being seen.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from engine.events import Event, to_json
from webui.feed import Exhibit, ExhibitFile
from zarbiter.beside import write_whole
from zarbiter.collect import LEAVE_FREE, Full

SCHEMA = "zarbiter.evidence/1"
MANIFEST = "manifest.jsonl"
FILE_NAME = re.compile(r"[0-9]{5,}(-[a-z_]+)+\.(jpg|webm)")  #: no name of ours leads out of the folder
LINK = 16  #: hexadecimal digits by which a line of the list names the one before


@dataclass(frozen=True, slots=True)
class Made:
    """A file that is to be written; see :class:`webui.feed.ExhibitFile`. ``name``: what follows the type."""

    name: str
    kind: Literal["picture", "dice", "clip"]
    shows: str
    begin: float
    end: float
    data: bytes


def digest(event: Event | Mapping[str, Any]) -> str:
    """The SHA-256 of an event, or of its JSON object: keys in order, no spaces, ASCII."""
    data = event if isinstance(event, Mapping) else to_json(event)
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return sha256(text.encode("ascii"))


def sha256(data: bytes) -> str:
    """In hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# -- the list ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Manifest:
    """The list of a folder, as it was read.

    ``about``: the first line. ``problems``: what is wrong with it, in words. ``whole``: bytes of the lines
    that are complete; after a power cut the last one may not be. ``link``: what the next line begins with.
    """

    about: dict[str, Any] = field(default_factory=dict)
    exhibits: dict[int, Exhibit] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    whole: int = 0
    link: str = ""


def read_manifest(folder: Path) -> Manifest:
    """The list of a folder; an empty one where there is none. Raises ``OSError``."""
    found = Manifest()
    try:
        data = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        return found
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            found.problems.append(f"{MANIFEST}: line {number} is cut off")
            break
        found.whole += len(line)
        try:
            entry = json.loads(line)
            if entry["prev"] != found.link:
                found.problems.append(f"{MANIFEST}: line {number} does not follow the line before it")
            _take(found, entry, first=number == 1)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            found.problems.append(f"{MANIFEST}: line {number} is no entry ({error!r:.80})")
        found.link = sha256(line)[:LINK]
    return found


def _take(found: Manifest, entry: dict[str, Any], *, first: bool) -> None:
    if first:
        if entry["schema"] != SCHEMA:
            raise ValueError("this is another form of list")
        found.about = entry
    elif "exhibit" in entry:
        exhibit = _exhibit(entry)
        found.exhibits[exhibit.place] = exhibit
    elif "keep" in entry:
        found.exhibits[entry["keep"]] = replace(found.exhibits[entry["keep"]], kept=str(entry["why"]))
    else:
        place = entry["removed"]
        found.exhibits[place] = replace(found.exhibits[place], removed=str(entry["why"]))


def _exhibit(entry: Mapping[str, Any]) -> Exhibit:
    files = tuple(
        ExhibitFile(
            name=str(one["name"]),
            kind=one["kind"],
            shows=str(one["shows"]),
            begin=float(one["begin"]),
            end=float(one["end"]),
            sha256=str(one["sha256"]),
            size=int(one["size"]),
        )
        for one in entry["files"]
    )
    for one in files:
        if not FILE_NAME.fullmatch(one.name):
            raise ValueError(f"{one.name!r} is no name of a file")
    return Exhibit(
        place=int(entry["exhibit"]),
        type=str(entry["type"]),
        t=float(entry["t"]),
        sha256=str(entry["sha256"]),
        at=str(entry["at"]),
        files=files,
        notes=tuple(str(note) for note in entry["notes"]),
        kept=str(entry["kept"]),
    )


def match_folder(root: Path, match: int, created: str) -> Path:
    """Where the evidence of a recorded match is. ``created`` tells matches of a store made anew apart."""
    return root / f"match-{match}-{created[:19].replace(':', '')}"


# -- the folder -------------------------------------------------------------------------------------------


class Archive:
    """The evidence of one match, in ``folder``. One thread writes; see :class:`webui.feed.Evidence`.

    ``limit``: megabytes that the files of all matches beside it may take together: all folders in the same
    ``root``, or this folder alone. Where there is no room the oldest exhibits go, those with a reason to be
    kept after all others. The lists themselves stay, about a kilobyte an event.
    """

    def __init__(
        self, folder: Path, limit: float = math.inf, *, root: Path | None = None, about: Mapping[str, Any]
    ) -> None:
        self._folder, self._root, self._about = folder, root, dict(about)
        self.limit = limit
        self._lists: dict[Path, Manifest] | None = None
        self._bytes = 0
        self._lock = threading.Lock()
        self._found: dict[str, Exhibit] = {}

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def exhibits(self) -> Mapping[int, Exhibit]:
        """Those of this match, by place, once it is open."""
        return self._lists[self._folder].exhibits if self._lists is not None else {}

    def open(self) -> None:
        """Make the folder if need be, and see what it and those beside it hold. Raises ``OSError``.

        What a power cut left in the middle of writing is cleared away.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = sorted(path.parent for path in self._root.glob(f"*/{MANIFEST}")) if self._root else []
        lists = {folder: read_manifest(folder) for folder in {*beside, self._folder}}
        own = lists[self._folder]
        named = {one.name for exhibit in own.exhibits.values() for one in exhibit.files}
        for path in self._folder.iterdir():
            if path.suffix == ".part" or (FILE_NAME.fullmatch(path.name) and path.name not in named):
                path.unlink()
        for folder, one in lists.items():
            for exhibit in one.exhibits.values():
                if exhibit.removed:
                    _unlink(folder, exhibit.files)
        if own.whole:
            os.truncate(self._folder / MANIFEST, own.whole)
        else:
            (self._folder / MANIFEST).unlink(missing_ok=True)
            self._append(self._folder, own, {"schema": SCHEMA, **self._about})
        self._bytes = sum(_size(folder) for folder in lists)
        with self._lock:
            self._found = {exhibit.sha256: exhibit for exhibit in own.exhibits.values()}
        self._lists = lists

    def add(
        self, place: int, event: Event, made: Sequence[Made], notes: Iterable[str] = (), kept: str = ""
    ) -> Exhibit:
        """Write the evidence of an event. Raises ``Full`` and ``OSError``, and then leaves nothing."""
        own = self._opened()[self._folder]
        data = {f"{place:05}-{event.type}-{one.name}": one for one in made}
        files = tuple(
            ExhibitFile(name, one.kind, one.shows, one.begin, one.end, sha256(one.data), len(one.data))
            for name, one in data.items()
        )
        self._make_room(sum(one.size for one in files))
        exhibit = Exhibit(
            place, event.type, round(event.t, 3), digest(event), _now(), files, tuple(notes), kept
        )
        try:
            for name, one in data.items():
                write_whole(self._folder / name, one.data)
            entry = asdict(exhibit)
            entry.pop("removed")
            self._append(self._folder, own, {"exhibit": entry.pop("place"), **entry})
        except OSError:
            with suppress(OSError):
                _unlink(self._folder, files)
            raise
        self._bytes += sum(one.size for one in files)
        self._enter(own, exhibit)
        return exhibit

    def keep(self, place: int, why: str) -> None:
        """Let what there is of this place go last when room is needed. Raises ``OSError``."""
        own = self._opened()[self._folder]
        exhibit = own.exhibits.get(place)
        if exhibit is not None and not exhibit.kept and not exhibit.removed:
            self._append(self._folder, own, {"keep": place, "at": _now(), "why": why})
            self._enter(own, replace(exhibit, kept=why))

    def find(self, event: Mapping[str, Any]) -> Exhibit | None:
        with self._lock:
            return self._found.get(digest(event))

    def _opened(self) -> dict[Path, Manifest]:
        if self._lists is None:
            self.open()
        assert self._lists is not None
        return self._lists

    def _enter(self, own: Manifest, exhibit: Exhibit) -> None:
        own.exhibits[exhibit.place] = exhibit
        with self._lock:
            self._found[exhibit.sha256] = exhibit

    def _make_room(self, size: int) -> None:
        limit = self.limit * 1e6
        if shutil.disk_usage(self._folder).free < LEAVE_FREE * 1_000_000 + size:
            raise Full(f"less than {LEAVE_FREE} MB are left on the disk of {self._folder}")
        if size > limit:
            raise Full(f"evidence of {size / 1e6:.1f} MB is more than the {self.limit:g} MB it may take")
        while self._bytes + size > limit:
            oldest = min(
                (
                    (bool(exhibit.kept), exhibit.at, folder, exhibit.place)
                    for folder, one in self._opened().items()
                    for exhibit in one.exhibits.values()
                    if exhibit.files and not exhibit.removed
                ),
                default=None,
            )
            if oldest is None:
                raise Full(f"files that are no evidence fill {self._root or self._folder}")
            self._remove(oldest[2], oldest[3])

    def _remove(self, folder: Path, place: int) -> None:
        one = self._opened()[folder]
        exhibit = replace(one.exhibits[place], removed=f"no room: all evidence may take {self.limit:g} MB")
        self._bytes -= _unlink(folder, exhibit.files)  # first, so that there is room for the line
        self._append(folder, one, {"removed": place, "at": _now(), "why": exhibit.removed})
        one.exhibits[place] = exhibit
        if folder == self._folder:
            self._enter(one, exhibit)

    def _append(self, folder: Path, one: Manifest, entry: dict[str, Any]) -> None:
        line = (
            json.dumps({"prev": one.link, **entry}, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        )
        path = folder / MANIFEST
        with path.open("ab") as file:
            try:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    os.truncate(path, one.whole)
                raise
        one.link, one.whole = sha256(line)[:LINK], one.whole + len(line)


def _unlink(folder: Path, files: Iterable[ExhibitFile]) -> int:
    """Remove files, of which some may be gone; how many bytes they were."""
    freed = 0
    for one in files:
        path = folder / one.name
        with suppress(FileNotFoundError):
            size = path.stat().st_size
            path.unlink()
            freed += size
    return freed


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.name != MANIFEST)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
