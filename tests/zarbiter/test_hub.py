from __future__ import annotations

import threading
import time
from typing import Any

import cv2
import numpy as np
import pytest

from engine.layout import Orientation
from engine.observation import Observation
from hardware.camera import Frame, Image
from webui.feed import Feed, State, Told
from zarbiter.hub import Hub


def empty_state() -> State:
    return State(
        version=0,
        game=None,
        rules="short.default",
        position=None,
        orientation=Orientation.BOTTOM_RIGHT,
        side_to_move=None,
        dice=None,
        dice_valid=True,
        phase="looking for the board",
        pips=(0, 0),
        score=(0, 0),
        match_length=0,
        players=("White", "Black"),
        white_is_light=True,
        health=(),
    )


class Pen:
    """Draws a white picture and counts."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, image: Image, observation: Observation, state: State) -> Image:
        self.calls += 1
        return np.full_like(image, 255)


def told(number: int) -> Told:
    return Told(number, {"type": "resync", "t": 1.0}, f"event {number}")


def frame(seq: int = 0, width: int = 1280) -> tuple[Frame, Observation]:
    image = np.zeros((width * 9 // 16, width, 3), np.uint8)
    return Frame(image, seq / 10, seq), Observation(seq / 10, seq, None)


@pytest.fixture
def hub() -> Hub:
    return Hub(empty_state(), [told(7), told(9)], Pen())


def later(action: Any, *arguments: Any) -> threading.Timer:
    timer = threading.Timer(0.05, action, arguments)
    timer.start()
    return timer


class TestState:
    def test_it_is_a_feed(self, hub: Hub) -> None:
        feed: Feed = hub
        assert feed.state().phase == "looking for the board"

    def test_version_grows_with_a_change_only(self, hub: Hub) -> None:
        before = hub.state().version
        hub.update(phase="rolling")
        hub.update(phase="rolling")
        assert hub.state().version == before + 1

    def test_version_is_above_that_of_an_earlier_run(self) -> None:
        earlier = Hub(empty_state(), [], Pen())
        time.sleep(0.005)
        assert Hub(empty_state(), [], Pen()).state().version > earlier.state().version

    def test_health_of_each_part(self, hub: Hub) -> None:
        hub.report("camera", "failed", "unplugged")
        hub.report("store", "ok")
        hub.report("camera", "ok")
        assert [(h.part, h.state) for h in hub.state().health] == [("camera", "ok"), ("store", "ok")]


class TestEvents:
    def test_after_and_limit(self, hub: Hub) -> None:
        hub.tell(told(12))
        assert [t.id for t in hub.told()] == [7, 9, 12]
        assert [t.id for t in hub.told(after=7)] == [9, 12]
        assert [t.id for t in hub.told(after=8, limit=1)] == [12]
        assert hub.told(after=12) == []

    def test_the_first_id_tells_the_place_in_the_record(self, hub: Hub) -> None:
        assert hub.state().first_id == 7
        empty = Hub(empty_state(), [], Pen())
        empty.tell(told(31))
        empty.tell(told(32))
        assert empty.state().first_id == 31

    def test_wait(self, hub: Hub) -> None:
        version = hub.state().version
        assert hub.wait(version, after=8, timeout=0)
        assert hub.wait(version - 1, after=9, timeout=0)
        began = time.monotonic()
        assert not hub.wait(version, after=9, timeout=0.05)
        assert time.monotonic() - began >= 0.05
        timer = later(hub.tell, told(10))
        assert hub.wait(version, after=9, timeout=5)
        timer.join()

    def test_closing_wakes_everybody(self, hub: Hub) -> None:
        timer = later(hub.close)
        assert not hub.wait(hub.state().version, after=9, timeout=5)
        assert hub.picture(0, timeout=5) is None
        assert hub.closing
        timer.join()


class TestPictures:
    def test_none_before_the_first(self, hub: Hub) -> None:
        assert hub.picture(0, timeout=0.01) is None

    def test_a_jpeg_with_the_marks_at_most_960_wide(self, hub: Hub) -> None:
        hub.show(*frame())
        number, jpeg = hub.picture(0, timeout=1) or (0, b"")
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert image.shape == (540, 960, 3)
        assert image.mean() > 250
        assert number > 0
        assert hub.picture(number, timeout=0.01) is None

    def test_nothing_is_drawn_while_nobody_looks_and_once_for_all_who_do(self) -> None:
        pen = Pen()
        hub = Hub(empty_state(), [], pen)
        for seq in range(20):
            hub.show(*frame(seq, 320))
        assert pen.calls == 0
        assert hub.picture(0, timeout=1) == hub.picture(0, timeout=1)
        assert pen.calls == 1

    def test_at_most_8_a_second(self) -> None:
        pen = Pen()
        hub = Hub(empty_state(), [], pen)
        stop = threading.Event()

        def film() -> None:
            seq = 0
            while not stop.wait(0.01):
                hub.show(*frame(seq, 320))
                seq += 1

        thread = threading.Thread(target=film)
        thread.start()
        number, received, end = 0, 0, time.monotonic() + 1.0
        while time.monotonic() < end:
            picture = hub.picture(number, timeout=0.5)
            if picture:
                assert picture[0] > number
                number, received = picture[0], received + 1
        stop.set()
        thread.join()
        assert 5 <= received <= 9
        assert pen.calls == received

    def test_an_old_picture_is_not_given_to_a_newcomer(self, hub: Hub) -> None:
        hub.show(*frame(0))
        first = hub.picture(0, timeout=1)
        assert first is not None
        hub.show(*frame(1))
        time.sleep(0.2)
        second = hub.picture(0, timeout=1)
        assert second is not None
        assert second[0] == first[0] + 1

    def test_a_picture_without_marks_when_drawing_fails(self, caplog: pytest.LogCaptureFixture) -> None:
        def broken(image: Image, observation: Observation, state: State) -> Image:
            raise ZeroDivisionError

        hub = Hub(empty_state(), [], broken)
        hub.show(*frame())
        assert hub.picture(0, timeout=1) is not None
        assert "drawing over picture 0" in caplog.text
