from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.events import Doubt, Event, Throw, from_json
from engine.position import Game, Side
from engine.rules import default_rules
from webui.feed import Told
from zarbiter.store import MatchRow, Store, StoreError, events_of, read_matches, read_told


def throw(t: float = 1.0) -> Event:
    return Throw(t=t, side=Side.BLACK, colour="dark", dice=(6, 5), valid=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "zarbiter.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    opened = Store(path)
    yield opened
    opened.close()


@pytest.fixture
def row(store: Store) -> MatchRow:
    return store.new_match(rules=default_rules(Game.BACKGAMMON), length=3, players=("Ann", "Bob"))


class TestMatchesAndEvents:
    def test_an_appended_event_can_be_read_back(self, store: Store, row: MatchRow) -> None:
        event = Doubt(t=2.5, about="throw", options=(("6-5", 0.5), ("5-5", 0.4)))
        told = store.append(row.id, event, "Unclear.", "doubt").result(5)
        assert store.told(row.id) == [told]
        assert from_json(told.event) == event
        assert events_of([told]) == [event]
        assert (told.sentence, told.alert) == ("Unclear.", "doubt")

    def test_ids_grow_by_one_in_order(self, store: Store, row: MatchRow) -> None:
        futures = [store.append(row.id, throw(i), str(i)) for i in range(50)]
        assert [f.result(5).id for f in futures] == list(range(1, 51))
        assert [t.sentence for t in store.told(row.id)] == [str(i) for i in range(50)]

    def test_ids_go_on_after_reopening(self, path: Path) -> None:
        for expected in (1, 2):
            store = Store(path)
            row = store.unfinished() or store.new_match(rules=default_rules(Game.BACKGAMMON))
            assert store.append(row.id, throw(), "x").result(5).id == expected
            store.close()

    def test_closing_writes_what_is_queued(self, path: Path) -> None:
        store = Store(path)
        row = store.new_match(rules=default_rules(Game.BACKGAMMON))
        for i in range(200):
            store.append(row.id, throw(i), "x")
        store.close()
        assert len(read_told(path, row.id)) == 200

    def test_a_match_keeps_how_it_was_set_up(self, store: Store) -> None:
        row = store.new_match(
            rules=default_rules(Game.LONG_NARDY),
            length=5,
            players=("Ann", "Bob"),
            camera="usb:0",
            corners=((1.0, 2.0), (3.5, 4.0), (5.0, 6.0), (7.0, 8.0)),
        )
        assert read_matches(store.path) == [row]

    def test_the_newest_unfinished_match_is_resumed(self, store: Store) -> None:
        assert store.unfinished() is None
        first = store.new_match(rules=default_rules(Game.BACKGAMMON))
        assert store.unfinished() == first
        second = store.new_match(rules=default_rules(Game.BACKGAMMON))
        assert store.unfinished() == second
        store.finish(second.id).result(5)
        assert store.unfinished() is None  # the first was closed when the second began

    def test_reading_beside_a_writer(self, store: Store, row: MatchRow) -> None:
        with closing(sqlite3.connect(store.path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM events").fetchone()
            store.append(row.id, throw(), "x").result(5)
            reader.execute("COMMIT")
        assert len(store.told(row.id)) == 1


class TestTrouble:
    def test_a_second_writer_is_refused(self, store: Store) -> None:
        with pytest.raises(StoreError, match="another Zarbiter is using it"):
            Store(store.path)

    @pytest.mark.parametrize(
        "content", [b"hello world, this is no database\n" * 40, b"\x89PNG" + bytes(4000)]
    )
    def test_a_file_of_another_kind(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"notes\.txt: is not a match store"):
            Store(path)
        with pytest.raises(StoreError, match=r"notes\.txt: is not a match store"):
            read_matches(path)
        assert path.read_bytes() == content

    def test_a_database_of_another_program(self, tmp_path: Path) -> None:
        path = tmp_path / "other.db"
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE bookmarks (url TEXT)")
        with pytest.raises(StoreError, match="is a database of another program"):
            Store(path)

    def test_a_store_of_a_newer_version(self, path: Path) -> None:
        Store(path).close()
        with closing(sqlite3.connect(path)) as newer:
            newer.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreError, match="newer Zarbiter"):
            Store(path)

    def test_a_damaged_store(self, path: Path) -> None:
        store = Store(path)
        row = store.new_match(rules=default_rules(Game.BACKGAMMON))
        for i in range(300):
            store.append(row.id, throw(i), "x" * 100)
        store.close()
        content = bytearray(path.read_bytes())
        content[4096 * 2 : 4096 * 4] = random.Random(1).randbytes(4096 * 2)
        path.write_bytes(content)
        with pytest.raises(StoreError, match="damaged") as caught:
            Store(path)
        assert "\n" not in str(caught.value)

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(StoreError):
            Store(tmp_path / "file" / "zarbiter.sqlite")

    def test_missing_or_empty_for_reading(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="no such file"):
            read_matches(tmp_path / "gone")
        (tmp_path / "empty").touch()
        with pytest.raises(StoreError, match="holds no matches"):
            read_matches(tmp_path / "empty")

    def test_while_locked_nothing_is_lost_and_nothing_shown(self, path: Path) -> None:
        health: list[tuple[bool, str]] = []
        store = Store(path, lambda ok, message: health.append((ok, message)))
        row = store.new_match(rules=default_rules(Game.BACKGAMMON))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            futures = [store.append(row.id, throw(i), str(i)) for i in range(5)]
            wait_for(lambda: bool(health))
            assert not any(f.done() for f in futures)
            other.execute("ROLLBACK")
        assert [f.result(10).sentence for f in futures] == ["0", "1", "2", "3", "4"]
        wait_for(lambda: len(health) > 1)
        assert not health[0][0]
        assert "locked" in health[0][1]
        assert health[-1] == (True, "")
        store.close()

    def test_while_the_disk_is_full_nothing_is_lost(self, path: Path) -> None:
        health: list[tuple[bool, str]] = []
        store = Store(path, lambda ok, message: health.append((ok, message)))
        row = store.new_match(rules=default_rules(Game.BACKGAMMON))
        store._submit(lambda c: c.execute("PRAGMA max_page_count = 1")).result(5)
        futures = [store.append(row.id, throw(i), "x" * 3000) for i in range(20)]
        wait_for(lambda: bool(health))
        assert "full" in health[0][1]
        assert not any(f.done() for f in futures)
        store._connection.execute("PRAGMA max_page_count = 1000000")
        assert len({f.result(10).id for f in futures}) == 20
        store.close()
        assert len(read_told(path, row.id)) == 20

    def test_closing_while_locked_says_that_events_are_lost(self, path: Path) -> None:
        store = Store(path)
        row = store.new_match(rules=default_rules(Game.BACKGAMMON))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            future = store.append(row.id, throw(), "x")
            store.close(timeout=0.1)
            with pytest.raises(StoreError, match="could not be stored"):
                future.result(0)
        assert not any(t.name == "store" for t in threading.enumerate())


def test_whatever_was_shown_survives_kill_9(path: Path) -> None:
    """Twenty kills at random moments; the match goes on each time."""
    rng = random.Random(5)
    shown: dict[int, str] = {}
    for _ in range(20):
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.zarbiter.appender", str(path)],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        with child.stdout:
            lines = [child.stdout.readline()]
            time.sleep(rng.uniform(0, 0.1))
            child.kill()
            lines += child.stdout.readlines()
        child.wait()
        for line in lines:
            if line.endswith("\n"):
                number, sentence = line[:-1].split("\t")
                shown[int(number)] = sentence
    (row,) = read_matches(path)
    stored = read_told(path, row.id)
    assert len(shown) >= 20
    assert {t.id: t.sentence for t in stored}.items() >= shown.items()
    assert [t.sentence for t in stored] == [f"event {i}" for i in range(len(stored))]


def wait_for(condition: object, seconds: float = 10.0) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_told_is_what_the_page_expects(store: Store, row: MatchRow) -> None:
    told = store.append(row.id, throw(), "Bob throws 6-5.").result(5)
    assert told == Told(1, told.event, "Bob throws 6-5.", "none")
    assert told.event["type"] == "throw"
