"""Matches and events on disk: SQLite in WAL mode with one writer thread.

What :meth:`Store.append` was given is safe from a killed process and from a power cut once its
future is done. Nothing may be shown to anybody before that.
"""

from __future__ import annotations

import fcntl
import json
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, Literal

from engine.events import Event, from_json, to_json
from engine.rules import RuleSet
from webui.feed import Told
from zarbiter.presets import preset

APPLICATION_ID = 0x5A415242  #: "ZARB": tells our files from other SQLite files
SCHEMA_VERSION = 1
RETRY_SECONDS = (0.2, 5.0)  #: first and longest pause between attempts to write

Alert = Literal["none", "fault", "illegal", "doubt", "desync"]
log = logging.getLogger(__name__)


class StoreError(Exception):
    """A store that cannot be opened or used; the message names the file and what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match as it was set up.

    ``rules``: the whole rule set, ``None`` if the board is to tell the game. ``corners``: pixels,
    top-left first, if given by hand.
    """

    id: int
    created: str
    finished: str | None
    rules: RuleSet | None
    length: int
    players: tuple[str, str]
    camera: str
    corners: tuple[tuple[float, float], ...] | None


@dataclass(frozen=True, slots=True)
class _Job:
    write: Callable[[sqlite3.Connection], Any]
    done: Future[Any]


class Store:
    """The writer's side. One process at a time may have a file open for writing.

    ``on_health(ok, message)``, which may be set at any time, is called from the writer thread when
    writing begins to fail (a full or locked disk) and when it succeeds again; in between events wait
    in memory and in order.
    """

    def __init__(self, path: Path, on_health: Callable[[bool, str], None] = lambda ok, message: None) -> None:
        self.path = path
        self.on_health = on_health
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._give_up = threading.Event()
        self._failing = False
        self._lock = _lock(path)
        try:
            self._connection = _connect(path)
        except BaseException:
            self._lock.close()
            raise
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def append(self, match: int, event: Event, sentence: str, alert: Alert = "none") -> Future[Told]:
        """Queue an event; the future is done, with the id in it, once the event is committed."""
        data = to_json(event)
        text = json.dumps(data, separators=(",", ":"))

        def write(connection: sqlite3.Connection) -> Told:
            cursor = connection.execute(
                "INSERT INTO events (match, stored, json, sentence, alert) VALUES (?, ?, ?, ?, ?)",
                (match, _now(), text, sentence, alert),
            )
            assert cursor.lastrowid is not None
            return Told(cursor.lastrowid, data, sentence, alert)

        return self._submit(write)

    def new_match(
        self,
        *,
        rules: RuleSet | None = None,
        length: int = 0,
        players: tuple[str, str] = ("White", "Black"),
        camera: str = "",
        corners: tuple[tuple[float, float], ...] | None = None,
    ) -> MatchRow:
        """Begin a match. Those left unfinished before it are closed: they can no longer be resumed.

        A ``length`` is that of the rules too; without one theirs holds.
        """
        if rules is not None:
            rules = replace(rules, match_length=length or rules.match_length)
            length = rules.match_length
        created = _now()
        row = (
            created,
            json.dumps(rules.to_json()) if rules else None,
            length,
            *players,
            camera,
            json.dumps(corners) if corners else None,
        )

        def write(connection: sqlite3.Connection) -> int:
            connection.execute("UPDATE matches SET finished = ? WHERE finished IS NULL", (created,))
            cursor = connection.execute(
                "INSERT INTO matches (created, rules, length, white, black, camera, corners)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

        return MatchRow(
            id=self._submit(write).result(),
            created=created,
            finished=None,
            rules=rules,
            length=length,
            players=players,
            camera=camera,
            corners=corners,
        )

    def finish(self, match: int) -> Future[None]:
        """Mark a match as over, so that it is not resumed."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE matches SET finished = ? WHERE id = ?", (_now(), match))

        return self._submit(write)

    def reopen(self, match: int) -> Future[None]:
        """Mark a match as not over after all, as when its last game is corrected."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE matches SET finished = NULL WHERE id = ?", (match,))

        return self._submit(write)

    def unfinished(self) -> MatchRow | None:
        """The newest match that is not over."""
        return next((row for row in reversed(read_matches(self.path)) if row.finished is None), None)

    def told(self, match: int) -> list[Told]:
        """All stored events of a match, oldest first."""
        return read_told(self.path, match)

    def close(self, timeout: float = 5.0) -> None:
        """Write what is queued and close. After ``timeout`` seconds of failing writes, give up.

        The futures of events that could not be written then hold a ``StoreError``.
        """
        self._jobs.put(None)
        self._thread.join(timeout)
        self._give_up.set()
        self._thread.join()
        self._lock.close()

    def _submit(self, write: Callable[[sqlite3.Connection], Any]) -> Future[Any]:
        job = _Job(write, Future())
        self._jobs.put(job)
        return job.done

    def _run(self) -> None:
        with closing(self._connection):
            open_ = True
            while open_:
                batch, open_ = self._next_batch()
                if batch:
                    self._write(batch)

    def _next_batch(self) -> tuple[list[_Job], bool]:
        """All that waits, at least one job; and whether the store stays open."""
        batch = []
        job = self._jobs.get()
        while job is not None:
            batch.append(job)
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _write(self, batch: list[_Job]) -> None:
        pause, longest = RETRY_SECONDS
        while True:
            try:
                results = self._transact(batch)
                break
            except sqlite3.Error as error:
                waiting = len(batch) + self._jobs.qsize()
                self._report(False, f"{self.path}: {error}; {waiting} entries wait to be stored")
                if self._give_up.wait(pause):
                    lost = StoreError(f"{self.path}: {len(batch)} entries could not be stored: {error}")
                    log.error("%s", lost)
                    for job in batch:
                        job.done.set_exception(lost)
                    return
                pause = min(2 * pause, longest)
        if self._failing:
            self._report(True, "")
        for job, result in zip(batch, results, strict=True):
            job.done.set_result(result)

    def _transact(self, batch: list[_Job]) -> list[Any]:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            results = [job.write(connection) for job in batch]
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:  # some errors, such as a full disk, have rolled back already
                connection.execute("ROLLBACK")
            raise
        return results

    def _report(self, ok: bool, message: str) -> None:
        if ok or not self._failing:
            (log.info if ok else log.error)("store: %s", message or "writing again")
        self._failing = not ok
        self.on_health(ok, message)


def read_matches(path: Path) -> list[MatchRow]:
    """All matches of a store, oldest first. Raises ``StoreError``."""
    with _reading(path) as connection:
        return [_match(row) for row in connection.execute("SELECT * FROM matches ORDER BY id")]


def read_told(path: Path, match: int) -> list[Told]:
    """All events of a match, oldest first. Raises ``StoreError``."""
    with _reading(path) as connection:
        rows = connection.execute(
            "SELECT id, json, sentence, alert FROM events WHERE match = ? ORDER BY id", (match,)
        )
        return [Told(row[0], json.loads(row[1]), row[2], row[3]) for row in rows]


def events_of(told: list[Told]) -> list[Event]:
    """The events themselves. Raises ``engine.events.EventError``."""
    return [from_json(one.event) for one in told]


def _match(row: tuple[Any, ...]) -> MatchRow:
    id_, created, finished, rules, length, white, black, camera, corners = row
    return MatchRow(
        id=id_,
        created=created,
        finished=finished,
        rules=_rules(rules) if rules else None,
        length=length,
        players=(white, black),
        camera=camera,
        corners=tuple((float(x), float(y)) for x, y in json.loads(corners)) if corners else None,
    )


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.exists():
        raise StoreError(f"{path}: no such file")
    try:
        with closing(sqlite3.connect(path, timeout=5.0)) as connection:
            connection.execute("PRAGMA query_only = 1")
            if _version(connection, path) == 0:
                raise StoreError(f"{path}: holds no matches")
            yield connection
    except sqlite3.Error as error:
        raise StoreError(_explain(path, error)) from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open for writing, making the file and its tables where there are none."""
    try:
        # The thread that opens it is not the one that writes; after this only that one uses it.
        connection = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreError(_explain(path, error)) from error
    try:
        version = _version(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # what was shown survives a power cut too
        connection.execute("PRAGMA foreign_keys = ON")
        if version == 0:
            schema = files("zarbiter").joinpath("schema.sql").read_text("utf-8")
            connection.executescript(
                f"BEGIN; {schema} PRAGMA application_id = {APPLICATION_ID};"
                f" PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            )
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{path}: the file is damaged ({' '.join(verdict.split())})")
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(_explain(path, error)) from error
    except StoreError:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """Our schema version, 0 for an empty file. Raises ``StoreError`` for a file that is not ours."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables == 0 and version == 0:
        return 0
    if application != APPLICATION_ID:
        raise StoreError(f"{path}: is a database of another program")
    if version > SCHEMA_VERSION:
        raise StoreError(f"{path}: was written by a newer Zarbiter (version {version} of the store)")
    return int(version)


def _explain(path: Path, error: sqlite3.Error) -> str:
    if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
        return f"{path}: is not a match store"
    if error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT:
        return f"{path}: the file is damaged ({error})"
    return f"{path}: cannot be opened as a match store: {error}"


def _lock(path: Path) -> IO[bytes]:
    """Hold a file beside the store for as long as this process lives.

    Not the database itself: closing a second descriptor of it would drop SQLite's own locks.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.with_name(path.name + "-lock").open("ab")
    except OSError as error:
        raise StoreError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise StoreError(f"{path}: another Zarbiter is using it") from error
    return file


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")


def _rules(text: str) -> RuleSet:
    """The rule set of a match; stores of version 0.1 hold the name of a preset."""
    return RuleSet.from_mapping(json.loads(text)) if text.startswith("{") else preset(text)
