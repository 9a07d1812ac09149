from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.events import Desync, Event, GameStart, PlayMade, Throw
from engine.layout import Orientation, to_slots
from engine.match import Match
from engine.observation import Observation
from engine.position import Game, Position, Side
from engine.rules import default_rules
from engine.tracker import Tracker
from hardware.camera import CameraError, Frame, UnreadableInput
from hardware.device import Device
from webui.feed import Health
from zarbiter import pipeline as pipeline_module
from zarbiter.desk import RefereeDesk
from zarbiter.hub import Hub
from zarbiter.pipeline import AHEAD, Handover, Pipeline, standing
from zarbiter.recorder import Recorder, alert_of, follow
from zarbiter.store import Store, read_told

from .test_hub import Pen, empty_state
from .test_store import throw, wait_for

RULES = default_rules(Game.BACKGAMMON)
START = GameStart(t=0.0, rules=RULES, position=Position.start(Game.BACKGAMMON))


def picture(seq: int) -> Frame:
    return Frame(np.zeros((9, 16, 3), np.uint8), seq / 100, seq)


class Webcam(Device):
    """A live camera at 100 frames a second that can be unplugged and plugged in again."""

    name, live = "webcam", True

    def __init__(self) -> None:
        self.plugged = True
        self.seq = self.starts = 0

    def start(self) -> None:
        if not self.plugged:
            raise CameraError("webcam: no such camera")
        self.starts += 1

    def read(self, timeout: float = 1.0) -> Frame | None:
        time.sleep(0.01)
        if not self.plugged:
            raise CameraError("webcam: was it unplugged?")
        self.seq += 1
        return picture(self.seq)

    def stop(self) -> None:
        pass


class Recording(Device):
    name, live = "recording", False

    def __init__(self, length: int, bad: int | None = None) -> None:
        self.length, self._bad, self._seq = length, bad, 0

    def start(self) -> None:
        self._seq = 0

    def read(self, timeout: float = 1.0) -> Frame | None:
        assert self.length is not None
        seq = self._seq
        self._seq += 1
        if seq == self._bad:
            raise UnreadableInput(f"{seq}.png: is not a picture")
        return picture(seq) if seq < self.length else None

    def stop(self) -> None:
        pass


class Eyes:
    """A reader that sees nothing, and that can be made to fail."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.told: Sequence[int] | None = None
        self.fails: Callable[[int], bool] = lambda seq: False

    def read(self, frame: Frame) -> Observation:
        if self.fails(frame.seq):
            raise ZeroDivisionError("a defect")
        self.seen.append(frame.seq)
        return Observation(frame.t, frame.seq, None)

    def believe(self, slots: Sequence[int] | None) -> None:
        self.told = slots


class Mind(Tracker):
    """A tracker that makes an event of every tenth picture."""

    def __init__(self) -> None:
        super().__init__(RULES)
        self._count = 0

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        self._count += 1
        if self._count == 1:
            return (START,)
        return (throw(seen.t),) if self._count % 10 == 0 else ()

    def finish(self) -> tuple[Event, ...]:
        return (throw(999.0),)


class Rig:
    """A pipeline with all that it needs."""

    def __init__(self, path: Path, open_camera: Callable[[], Device], tracker: Tracker | None = None) -> None:
        self.path = path
        self.store = Store(path)
        self.row = self.store.new_match(rules=RULES)
        self.hub = Hub(empty_state(), [], Pen())
        self.store.on_health = lambda ok, m: self.hub.report("store", "ok" if ok else "failed", m)
        self.eyes = Eyes()
        self.desk = RefereeDesk(Recorder(self.store, self.row, self.hub), self.hub)
        self.desk.tracker = tracker or Mind()
        self.pipeline = Pipeline(
            open_camera=open_camera,
            reader=self.eyes,
            desk=self.desk,
            hub=self.hub,
        )

    def health(self, part: str) -> Health:
        return next(h for h in self.hub.state().health if h.part == part)

    def close(self) -> None:
        self.hub.close()
        self.pipeline.stop()
        self.store.close()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_module, "REOPEN_SECONDS", (0.02, 0.1))


@pytest.fixture
def webcam() -> Webcam:
    return Webcam()


@pytest.fixture
def rig(tmp_path: Path, webcam: Webcam) -> Iterator[Rig]:
    made = Rig(tmp_path / "match.sqlite", lambda: webcam)
    made.pipeline.start()
    yield made
    made.close()


class TestLive:
    def test_pictures_become_stored_and_shown_events(self, rig: Rig) -> None:
        wait_for(lambda: len(rig.hub.told()) >= 3)
        told = rig.hub.told()
        assert told[0].sentence == "Game 1 of backgammon begins."
        assert told[1].event["type"] == "throw"
        assert read_told(rig.path, rig.row.id)[: len(told)] == told
        assert {h.part: h.state for h in rig.hub.state().health} == dict.fromkeys(
            ("camera", "store", "vision"), "ok"
        )
        assert rig.hub.picture(0, 5) is not None
        wait_for(lambda: rig.hub.state().frames_per_second > 10)

    def test_an_unplugged_camera_is_said_and_comes_back(self, rig: Rig, webcam: Webcam) -> None:
        wait_for(lambda: len(rig.eyes.seen) > 5)
        webcam.plugged = False
        wait_for(lambda: rig.health("camera").state == "failed")
        time.sleep(0.3)  # several attempts
        assert rig.health("camera").message == "webcam: no such camera; trying again"
        seen, told = len(rig.eyes.seen), len(rig.hub.told())
        webcam.plugged = True
        wait_for(lambda: rig.health("camera").state == "ok")
        wait_for(lambda: len(rig.eyes.seen) > seen + 20)
        assert len(rig.hub.told()) > told  # and the match goes on
        assert webcam.starts == 2

    def test_a_camera_that_is_not_there_at_first(self, tmp_path: Path, webcam: Webcam) -> None:
        webcam.plugged = False
        rig = Rig(tmp_path / "match.sqlite", lambda: webcam)
        rig.pipeline.start()
        wait_for(lambda: rig.health("camera").state == "failed")
        assert rig.health("vision").state == "waiting"
        webcam.plugged = True
        wait_for(lambda: rig.health("vision").state == "ok")
        rig.close()

    def test_a_driver_that_raises_anything(self, tmp_path: Path, webcam: Webcam) -> None:
        broken = [True]

        def open_camera() -> Device:
            if broken[0]:
                raise MemoryError("driver")
            return webcam

        rig = Rig(tmp_path / "match.sqlite", open_camera)
        rig.pipeline.start()
        wait_for(lambda: rig.health("camera").state == "failed")
        broken[0] = False
        wait_for(lambda: rig.health("vision").state == "ok")
        rig.close()

    def test_vision_failing_on_one_picture_skips_it(self, rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
        wait_for(lambda: len(rig.eyes.seen) > 5)
        rig.eyes.fails = lambda seq: True
        wait_for(lambda: rig.health("vision").state == "failed")
        assert "was skipped: ZeroDivisionError('a defect')" in rig.health("vision").message
        assert "is skipped" in caplog.text
        rig.eyes.fails = lambda seq: False
        wait_for(lambda: rig.health("vision").state == "ok")

    def test_a_locked_store_holds_events_back_and_loses_none(self, rig: Rig) -> None:
        wait_for(lambda: len(rig.hub.told()) >= 2)
        with closing(sqlite3.connect(rig.path, isolation_level=None, timeout=10)) as other:
            other.execute("BEGIN IMMEDIATE")
            wait_for(lambda: rig.health("store").state == "failed")
            held = len(rig.hub.told())
            seen = len(rig.eyes.seen)
            wait_for(lambda: len(rig.eyes.seen) > seen + 30)  # vision goes on
            assert len(rig.hub.told()) == held  # nothing is shown that is not stored
            other.execute("ROLLBACK")
        wait_for(lambda: rig.health("store").state == "ok")
        wait_for(lambda: len(rig.hub.told()) >= held + 3)
        assert [t.id for t in rig.hub.told()] == list(range(1, len(rig.hub.told()) + 1))

    def test_stopping_is_quick(self, tmp_path: Path, webcam: Webcam) -> None:
        rig = Rig(tmp_path / "match.sqlite", lambda: webcam)
        rig.pipeline.start()
        wait_for(lambda: len(rig.eyes.seen) > 2)
        began = time.monotonic()
        rig.close()
        assert time.monotonic() - began < 2


class TestRecording:
    def test_every_picture_is_watched_and_the_end_is_told(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path / "match.sqlite", lambda: Recording(60))
        rig.pipeline.start()
        assert rig.pipeline.wait(10)
        assert rig.eyes.seen == list(range(60))
        assert rig.health("camera") == Health("camera", "ok", "the recording has ended")
        rig.close()
        assert len(read_told(rig.path, rig.row.id)) == 1 + 6 + 1

    def test_a_picture_that_cannot_be_read_is_passed_over(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path / "match.sqlite", lambda: Recording(20, bad=7))
        rig.pipeline.start()
        assert rig.pipeline.wait(10)
        assert rig.eyes.seen == [s for s in range(20) if s != 7]
        rig.close()


class TestStanding:
    def test_the_reader_hears_what_stands_between_two_plays(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path / "match.sqlite", lambda: Recording(20), Tracker.resume([START], RULES))
        rig.pipeline.start()
        assert rig.pipeline.wait(10)
        assert rig.eyes.told == to_slots(START.position, Orientation.BOTTOM_RIGHT)
        rig.close()

    @pytest.mark.parametrize("after", [throw(1.0), Desync(t=1.0, reason="bumped", slots=())])
    def test_nothing_is_sure_to_stand_during_a_play_and_out_of_step(self, after: Event) -> None:
        assert standing(Tracker.resume([START, after], RULES)) is None

    def test_a_void_throw_leaves_the_board_as_it_is(self) -> None:
        void = Throw(t=1.0, side=Side.WHITE, colour="light", dice=(6, 5), valid=False, faults=("cocked",))
        assert standing(Tracker.resume([START, void], RULES)) is not None


class TestHandover:
    def test_the_latest_frame_of_a_live_camera_wins(self) -> None:
        handover = Handover()
        for seq in range(5):
            handover.put(picture(seq), live=True)
        frame = handover.get()
        assert frame is not None
        assert frame.seq == 4

    def test_what_waits_is_given_before_the_end(self) -> None:
        handover = Handover()
        for seq in range(AHEAD):
            handover.put(picture(seq), live=False)
        handover.end()
        assert [f.seq for _ in range(AHEAD) if (f := handover.get())] == list(range(AHEAD))
        assert handover.get() is None

    def test_ending_frees_a_writer_that_waits(self) -> None:
        handover = Handover()
        for seq in range(AHEAD):
            handover.put(picture(seq), live=False)
        handover.end(drop=True)
        handover.put(picture(9), live=False)


class TestRecorder:
    def test_alerts(self) -> None:
        start = Position.start(Game.BACKGAMMON)
        play = PlayMade(
            t=1.0,
            side=Side.WHITE,
            colour="light",
            dice=(6, 5),
            moves=((24, 12),),
            notation="24/12",
            legal=False,
            rule="E8",
            position=start,
            slots=(0,) * 24,
            bar=(0, 0),
            off=(0, 0),
        )
        void = Throw(t=1.0, side=Side.WHITE, colour="light", dice=(6, 5), valid=False, faults=("cocked",))
        assert [alert_of(e) for e in (throw(), void, play, START)] == ["none", "fault", "illegal", "none"]

    def test_an_event_that_cannot_follow_changes_nothing(self, caplog: pytest.LogCaptureFixture) -> None:
        match = Match(RULES)
        assert follow(match, throw()) is match
        assert "no game is being played" in caplog.text

    def test_the_first_game_tells_the_rules(self) -> None:
        start = GameStart(
            t=0.0, rules=default_rules(Game.LONG_NARDY), position=Position.start(Game.LONG_NARDY)
        )
        assert follow(Match(RULES), start).rules.game is Game.LONG_NARDY
