"""The running program, seen through its page, while it is killed, stopped and started again."""

from __future__ import annotations

import json
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.events import Event, PlayMade
from engine.position import Position
from hardware import open_camera
from hardware.running_table import RunningTable
from zarbiter import cli, live
from zarbiter.cli import DONE, run_command
from zarbiter.store import events_of, read_told

SCRIPT = Path(sys.executable).with_name("zarbiter")
CAMERA = "sim:backgammon?seed=2&pace=0.6"


class Program:
    """A running ``zarbiter`` with its page."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [str(SCRIPT), *arguments, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://127.0.0.1:"):
            raise AssertionError(f"no address, but {self.url!r}: {self.process.communicate()[1]}")

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=5) as answer:
            return json.load(answer)

    def events(self, after: int = 0) -> dict[int, str]:
        """What the page shows: id and sentence."""
        return {e["id"]: e["sentence"] for e in self.get(f"api/events?after={after}")["events"]}

    def wait_for_events(self, count: int, seconds: float = 60) -> dict[int, str]:
        deadline = time.monotonic() + seconds
        while len(shown := self.events()) < count:
            assert time.monotonic() < deadline, f"{shown} {self.get('api/state')['health']}"
            time.sleep(0.05)
        return shown

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; the exit status and what is on standard error."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err


@contextmanager
def running(*arguments: str) -> Iterator[Program]:
    program = Program(*arguments)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.end(signal.SIGKILL)


@pytest.mark.slow
def test_what_a_page_has_shown_survives_kill_9_and_the_match_goes_on(tmp_path: Path) -> None:
    rng = random.Random(3)
    store = tmp_path / "match.sqlite"
    shown: dict[int, str] = {}
    for kill in range(20):
        with running("run", "--camera", CAMERA, "--store", str(store)) as program:
            assert program.events().items() >= shown.items()
            if kill % 4:  # every fourth kill comes while the program is still finding its feet
                shown |= program.wait_for_events(len(shown) + 1)
            end = time.monotonic() + rng.uniform(0, 2.5)
            while time.monotonic() < end:
                shown |= program.events()
                time.sleep(0.02)
            program.end(signal.SIGKILL)
    with running("run", "--camera", CAMERA, "--store", str(store)) as program:
        assert program.events().items() >= shown.items()
        program.wait_for_events(len(shown) + 4)
        assert program.get("api/state")["phase"] != "out of step"
        status, err = program.end(signal.SIGTERM)
    assert status == 0, err
    assert "Match 1 of White and Black is resumed" in err
    record = events_of(read_told(store, 1))
    assert [told.type for told in record].count("game_start") == 1  # one game all along
    assert not [told for told in record if told.type in ("desync", "doubt")]
    camera = open_camera(CAMERA)
    assert isinstance(camera, RunningTable)
    plays = positions(record)
    assert plays == positions(camera.truth())[: len(plays)]


def positions(events: Iterable[Event]) -> list[Position]:
    """The board after each play."""
    return [event.position for event in events if isinstance(event, PlayMade)]


def test_demo_prints_its_address_shows_a_match_and_stops_cleanly() -> None:
    with running("demo", "--no-open", "--seed", "4") as program:
        program.wait_for_events(2)
        state = program.get("api/state")
        assert state["game"] == "backgammon"
        assert {h["part"]: h["state"] for h in state["health"]} == dict.fromkeys(
            ("camera", "store", "vision"), "ok"
        )
        with urllib.request.urlopen(program.url + "frame.jpg", timeout=5) as answer:
            assert answer.read(2) == b"\xff\xd8"
        status, err = program.end(signal.SIGINT)
    assert status == 0, err
    assert "Traceback" not in err


def test_demo_takes_another_port_while_its_own_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(cli, "PORT", taken.getsockname()[1])
        monkeypatch.setattr(live, "referee", lambda setup, ready: ports.append(setup.port))
        ports: list[int] = []
        assert run_command(["demo", "--no-open"]) == DONE
        assert run_command(["demo", "--no-open", "--port", "8123"]) == DONE
    assert ports == [0, 8123]


def test_a_public_page_answers_to_the_name_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "pi")
    assert live.names_of("0.0.0.0") == ["pi", "pi.local"]
    assert live.names_of("192.168.0.7") == ["192.168.0.7"]
    pages = live.pages_of("http://127.0.0.1:8000/", "k", "0.0.0.0", 8000)
    assert pages.live == "http://127.0.0.1:8000/"
    assert pages.referee == "http://127.0.0.1:8000/referee#key=k"
    assert pages.elsewhere == "http://pi.local:8000/referee#key=k"
    assert live.pages_of("http://127.0.0.1:8000/", "k", "127.0.0.1", 8000).elsewhere is None


def test_a_camera_that_is_missing_is_said_on_the_page(tmp_path: Path) -> None:
    with running("run", "--camera", "usb:97", "--store", str(tmp_path / "match.sqlite")) as program:
        time.sleep(0.5)
        (camera,) = [h for h in program.get("api/state")["health"] if h["part"] == "camera"]
        assert camera["state"] == "failed"
        assert camera["message"].startswith("/dev/video97: no such camera")
        status, err = program.end(signal.SIGTERM)
    assert status == 0, err
    assert "Traceback" not in err
