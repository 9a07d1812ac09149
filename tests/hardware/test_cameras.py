"""One contract for all cameras that can run here, and what is particular to each."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware import open_camera
from hardware.camera import Camera, CameraError, UnreadableInput
from hardware.picamera2 import Picamera2Camera
from hardware.pictures import Pictures
from hardware.running_table import RunningTable
from hardware.v4l2 import V4l2Camera
from hardware.video import VideoFile
from tests.hardware import fake_picamera2

FRAMES = 12
SIZE = (160, 120)  # width, height


def numbered(seq: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A picture that carries its number as a brightness."""
    return np.full((SIZE[1], SIZE[0], 3), 20 + 10 * seq, np.uint8)


def write_video(path: Path, code: str = "mp4v", frames: int = FRAMES, noise: bool = False) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*code), 10, SIZE)
    assert writer.isOpened()
    rng = np.random.default_rng(1)
    for seq in range(frames):
        writer.write(rng.integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8) if noise else numbered(seq))
    writer.release()
    return path


def read_many(camera: Camera) -> None:
    for _ in range(100):
        camera.read(1.0)


class FakeCapture:
    """``cv2.VideoCapture`` of a USB camera that runs at 100 frames a second until it is unplugged."""

    plugged = True
    hangs = False

    def __init__(self, name: str, api: int) -> None:
        self.count = 0

    def isOpened(self) -> bool:
        return FakeCapture.plugged

    def set(self, prop: int, value: float) -> bool:
        return True

    def read(self) -> tuple[bool, Any]:
        time.sleep(0.3 if FakeCapture.hangs else 0.01)
        self.count += 1
        return (True, numbered(self.count % 20)) if FakeCapture.plugged else (False, None)

    def release(self) -> None:
        pass


@pytest.fixture
def usb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> V4l2Camera:
    monkeypatch.setattr(FakeCapture, "plugged", True)
    monkeypatch.setattr(FakeCapture, "hangs", False)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    device = tmp_path / "video0"
    device.touch()
    return V4l2Camera(str(device))


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch) -> fake_picamera2.Settings:
    settings = fake_picamera2.Settings()
    monkeypatch.setitem(sys.modules, "picamera2", fake_picamera2.module(settings))
    return settings


def make_video(request: pytest.FixtureRequest, tmp_path: Path) -> Camera:
    return VideoFile(write_video(tmp_path / "game.mp4"))


def make_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Camera:
    for seq in range(FRAMES):
        cv2.imwrite(str(tmp_path / f"view{seq}.png"), numbered(seq))
    return Pictures(tmp_path, fps=5)


def make_pi(request: pytest.FixtureRequest, tmp_path: Path) -> Camera:
    request.getfixturevalue("pi")
    return Picamera2Camera(size=SIZE)


def make_usb(request: pytest.FixtureRequest, tmp_path: Path) -> Camera:
    camera: V4l2Camera = request.getfixturevalue("usb")
    return camera


def make_table(request: pytest.FixtureRequest, tmp_path: Path) -> Camera:
    return open_camera("sim:backgammon?seed=1&turns=2", fps=20)


@pytest.fixture(params=[make_video, make_folder, make_pi, make_usb, make_table])
def camera(request: pytest.FixtureRequest, tmp_path: Path) -> Camera:
    made: Camera = request.param(request, tmp_path)
    return made


class TestContract:
    def test_frames_are_bgr_pictures_in_order_of_time(self, camera: Camera) -> None:
        with camera:
            frames = [camera.read() for _ in range(FRAMES)]
        last_t, last_seq = -1.0, -1
        for frame in frames:
            assert frame is not None
            assert frame.image.dtype == np.uint8
            assert frame.image.ndim == 3
            assert frame.image.shape[2] == 3
            assert frame.image.shape == frames[0].image.shape  # type: ignore[union-attr]
            assert frame.image.flags.c_contiguous
            assert frame.t > last_t
            assert frame.seq > last_seq
            last_t, last_seq = frame.t, frame.seq

    def test_first_frame_has_number_0(self, camera: Camera) -> None:
        with camera:
            frame = camera.read()
        assert frame is not None
        if not isinstance(camera, V4l2Camera):  # which may have passed over some already
            assert frame.seq == 0

    def test_frames_do_not_share_memory(self, camera: Camera) -> None:
        with camera:
            first, second = camera.read(), camera.read()
        assert first is not None
        assert second is not None
        assert not np.shares_memory(first.image, second.image)

    def test_reading_before_the_start_is_an_error(self, camera: Camera) -> None:
        with pytest.raises(CameraError, match="before the camera was started"):
            camera.read()

    def test_stop_twice_and_start_again(self, camera: Camera) -> None:
        camera.stop()
        for _ in range(2):
            camera.start()
            assert camera.read() is not None
            camera.stop()
            camera.stop()
        with pytest.raises(CameraError):
            camera.read()

    def test_says_what_it_is(self, camera: Camera) -> None:
        assert camera.name
        assert isinstance(camera.live, bool)

    def test_a_recording_ends_and_stays_ended(self, camera: Camera) -> None:
        if not isinstance(camera, VideoFile | Pictures):
            pytest.skip("not a short recording")
        with camera:
            assert camera.length == FRAMES
            assert all(camera.read() is not None for _ in range(FRAMES))
            assert camera.read() is None
            assert camera.read() is None


class TestVideoFile:
    def test_time_and_pictures_are_those_of_the_file(self, tmp_path: Path) -> None:
        with VideoFile(write_video(tmp_path / "game.mp4")) as camera:
            for seq in range(FRAMES):
                frame = camera.read()
                assert frame is not None
                assert frame.seq == seq
                assert frame.t == pytest.approx(seq / 10)
                assert abs(float(frame.image.mean()) - (20 + 10 * seq)) < 4
            assert camera.read() is None
            assert camera.warning is None

    @pytest.mark.parametrize(
        ("name", "content", "why"),
        [
            ("empty.mp4", b"", "the file is empty"),
            ("text.mp4", b"hello world\n" * 50, "is text, not a video"),
            ("notes.txt", b"hello world\n" * 50, "is text, not a video"),
            ("noise.mp4", bytes(range(256)) * 40, "is not a video"),
        ],
    )
    def test_what_is_no_video(self, tmp_path: Path, name: str, content: bytes, why: str) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UnreadableInput, match=why) as caught:
            VideoFile(path).start()
        assert name in str(caught.value)

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableInput, match="no such file"):
            VideoFile(tmp_path / "gone.mp4").start()

    def test_cut_off_before_its_index(self, tmp_path: Path) -> None:
        path = write_video(tmp_path / "cut.mp4")
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(UnreadableInput, match="cut off"):
            VideoFile(path).start()

    def test_cut_off_in_the_middle_gives_what_is_there_and_says_so(self, tmp_path: Path) -> None:
        path = write_video(tmp_path / "cut.avi", "MJPG", frames=40, noise=True)
        path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
        with VideoFile(path) as camera:
            count = 0
            while camera.read() is not None:
                count += 1
            assert 15 <= count < 30
            assert camera.warning is not None
            assert f"frame {count} of 40" in camera.warning

    def test_nothing_is_printed_about_a_bad_file(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = write_video(tmp_path / "cut.mp4")
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(UnreadableInput):
            VideoFile(path).start()
        assert capfd.readouterr() == ("", "")


class TestPictures:
    def test_natural_order(self, tmp_path: Path) -> None:
        for seq in (10, 2, 1):
            cv2.imwrite(str(tmp_path / f"view{seq}.png"), numbered(seq))
        (tmp_path / "notes.txt").write_text("not a picture")
        with Pictures(tmp_path, fps=4) as camera:
            frames = [camera.read() for _ in range(3)]
        assert [round(float(f.image.mean())) for f in frames if f] == [30, 40, 120]
        assert [f.t for f in frames if f] == [0, 0.25, 0.5]

    def test_a_list_keeps_its_order(self, tmp_path: Path) -> None:
        paths = [tmp_path / f"view{seq}.png" for seq in (3, 1)]
        for path, seq in zip(paths, (3, 1), strict=True):
            cv2.imwrite(str(path), numbered(seq))
        with Pictures(paths) as camera:
            assert [round(float(f.image.mean())) for f in (camera.read(), camera.read()) if f] == [50, 30]

    def test_a_bad_picture_is_named_and_the_next_one_read(self, tmp_path: Path) -> None:
        (tmp_path / "a.jpg").write_text("text")
        cv2.imwrite(str(tmp_path / "b.png"), numbered(1))
        with Pictures(tmp_path) as camera:
            with pytest.raises(UnreadableInput, match=r"a\.jpg: is not a picture"):
                camera.read()
            frame = camera.read()
        assert frame is not None
        assert frame.seq == 1

    def test_grey_and_16_bit_pictures_become_bgr(self, tmp_path: Path) -> None:
        cv2.imwrite(str(tmp_path / "1.png"), np.full((20, 30), 77, np.uint8))
        cv2.imwrite(str(tmp_path / "2.png"), np.full((20, 30, 3), 77 * 256, np.uint16))
        with Pictures(tmp_path) as camera:
            for _ in range(2):
                frame = camera.read()
                assert frame is not None
                assert frame.image.shape == (20, 30, 3)
                assert frame.image.dtype == np.uint8
                assert int(frame.image.max()) == 77

    @pytest.mark.parametrize("make", [lambda p: p, lambda p: p / "gone"])
    def test_no_pictures(self, tmp_path: Path, make: Callable[[Path], Path]) -> None:
        with pytest.raises(UnreadableInput):
            Pictures(make(tmp_path)).start()


class TestV4l2:
    def test_missing_device(self) -> None:
        with pytest.raises(CameraError, match=r"/dev/video97: no such camera"):
            V4l2Camera(97).start()

    def test_a_file_that_is_no_camera(self, tmp_path: Path) -> None:
        path = tmp_path / "video0"
        path.write_bytes(b"x")
        with pytest.raises(CameraError, match="cannot be opened"):
            V4l2Camera(str(path)).start()

    def test_unplugged_is_an_error_within_the_timeout_and_comes_back(self, usb: V4l2Camera) -> None:
        with usb:
            assert usb.read() is not None
            FakeCapture.plugged = False
            began = time.monotonic()
            with pytest.raises(CameraError, match="unplugged"):
                read_many(usb)
            assert time.monotonic() - began < 1.0
            with pytest.raises(CameraError):
                usb.start()
            FakeCapture.plugged = True
            usb.start()
            assert usb.read() is not None

    def test_a_hanging_driver_is_an_error_within_the_timeout(self, usb: V4l2Camera) -> None:
        FakeCapture.hangs = True
        with usb, pytest.raises(CameraError, match=r"no picture for 0\.1 seconds"):
            usb.read(0.1)

    def test_the_newest_frame_is_given_and_the_gap_shown(self, usb: V4l2Camera) -> None:
        with usb:
            first = usb.read()
            time.sleep(0.15)
            second = usb.read()
        assert first is not None
        assert second is not None
        assert second.seq - first.seq >= 5
        assert time.monotonic() - second.t < 0.2

    def test_its_thread_ends(self, usb: V4l2Camera) -> None:
        before = threading.active_count()
        with usb:
            usb.read()
            assert threading.active_count() == before + 1
        assert threading.active_count() == before


class TestPicamera2:
    def test_without_the_package_it_says_how_to_install_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "picamera2", None)
        with pytest.raises(CameraError) as caught:
            Picamera2Camera().start()
        assert "sudo apt install python3-picamera2 --no-install-recommends" in str(caught.value)
        assert "--system-site-packages" in str(caught.value)

    @pytest.mark.parametrize("name", ["RGB888", "BGR888", "XRGB8888", "XBGR8888", "NV12", "YUV420"])
    def test_every_format_becomes_bgr_without_padding(self, pi: fake_picamera2.Settings, name: str) -> None:
        pi.format, pi.align = name, 64
        with Picamera2Camera(size=(101, 60)) as camera:
            frame = camera.read()
        assert frame is not None
        assert frame.image.shape == (60, 100, 3)  # the size that libcamera settled on
        assert np.abs(frame.image.astype(int) - fake_picamera2.BGR).max() <= 3

    def test_time_is_the_sensor_s(self, pi: fake_picamera2.Settings) -> None:
        with Picamera2Camera(size=SIZE) as camera:
            frame = camera.read()
        assert frame is not None
        assert frame.t == pytest.approx(5.033333)

    def test_requests_are_released(self, pi: fake_picamera2.Settings) -> None:
        with Picamera2Camera(size=SIZE) as camera:
            for _ in range(3 * fake_picamera2.BUFFERS):
                assert camera.read() is not None
        assert pi.held == 0

    def test_controls_that_are_not_advertised_are_left_alone(self, pi: fake_picamera2.Settings) -> None:
        pi.controls = {}
        with Picamera2Camera(size=SIZE) as camera:
            assert camera.read() is not None

    def test_a_format_nobody_knows(self, pi: fake_picamera2.Settings) -> None:
        pi.format = "SRGGB10"
        with pytest.raises(CameraError, match="SRGGB10"):
            Picamera2Camera(size=SIZE).start()
        assert pi.opened == 0

    def test_no_camera_connected(self, pi: fake_picamera2.Settings) -> None:
        pi.cameras = 0
        with pytest.raises(CameraError, match="no camera is connected"):
            Picamera2Camera().start()

    def test_silence_closes_it_so_that_it_can_be_opened_again(self, pi: fake_picamera2.Settings) -> None:
        pi.frames = 2
        camera = Picamera2Camera(size=SIZE)
        camera.start()
        camera.read()
        camera.read()
        with pytest.raises(CameraError, match=r"no picture for 0\.5 seconds"):
            camera.read(0.5)
        assert pi.opened == 0
        camera.start()
        assert camera.read() is not None
        camera.stop()

    def test_unplugged(self, pi: fake_picamera2.Settings) -> None:
        camera = Picamera2Camera(size=SIZE)
        camera.start()
        pi.unplugged = True
        with pytest.raises(CameraError, match="has stopped"):
            camera.read()
        with pytest.raises(CameraError, match="cannot be opened"):
            camera.start()
        pi.unplugged = False
        camera.start()
        assert camera.read() is not None
        camera.stop()


class TestRunningTable:
    def table(self) -> RunningTable:
        camera = open_camera("sim:backgammon?seed=1&turns=1", fps=20)
        assert isinstance(camera, RunningTable)
        return camera

    def test_the_match_goes_on_while_the_camera_is_stopped(self) -> None:
        camera = self.table()
        with camera:
            first = camera.read()
        time.sleep(0.4)
        with camera:
            second = camera.read()
        assert first is not None
        assert second is not None
        assert second.t - first.t >= 0.4
        assert second.seq - first.seq >= 8

    def test_the_players_wait_until_they_may_begin(self) -> None:
        camera = self.table()
        told: list[str] = []
        camera.hold(lambda: bool(told))
        with camera:
            camera._epoch = time.monotonic() - 100  # a long time has passed
            before = camera.read()
            told.append("begin")
            after = camera.read()
            camera._epoch -= 1000
            assert camera.read() is None  # and the match is over
            assert camera.warning
        assert before is not None
        assert after is not None
        assert after.t > before.t >= 100

    @pytest.mark.parametrize("kind", ["play", "throw"])
    def test_it_goes_on_where_a_record_ends(self, kind: str) -> None:
        camera = open_camera("sim:backgammon?seed=1&turns=3", fps=20)
        assert isinstance(camera, RunningTable)
        truth = camera._table.truth()
        last = [i for i, event in enumerate(truth) if event.type == kind][1]
        record = [dataclasses.replace(event, t=event.t + 60) for event in truth[: last + 1]]
        camera.go_on(record)
        with camera:
            frame = camera.read()
            assert frame is not None
            assert frame.t == pytest.approx(truth[last].t + 60, abs=0.2)
            seconds = truth[last].t
            if kind == "play":  # the dice have been lifted
                seconds += (truth[last + 1].t - seconds) / 4
            assert np.array_equal(frame.image, camera._table.picture(round(seconds * 20)))

    @pytest.mark.parametrize("ended", [True, False])
    def test_it_goes_on_at_the_next_game(self, ended: bool) -> None:
        camera = open_camera("sim:backgammon?seed=2&length=2")
        assert isinstance(camera, RunningTable)
        truth = camera.truth()
        first, second = [i for i, event in enumerate(truth) if event.type == "game_start"][:2]
        camera.go_on(truth[: second if ended else second + 1])
        assert camera._from == truth[second].t
        camera.go_on(truth[: first + 1])
        assert camera._from == truth[first].t


class TestOpenCamera:
    def test_by_name(self, tmp_path: Path) -> None:
        video = write_video(tmp_path / "game.mp4")
        assert isinstance(open_camera(str(video)), VideoFile)
        assert isinstance(open_camera(str(tmp_path)), Pictures)
        assert isinstance(open_camera("picamera2"), Picamera2Camera)
        assert open_camera("picamera2:1").name == "picamera2:1"
        assert open_camera("usb:3").name == "/dev/video3"
        assert open_camera("/dev/video0").name == "/dev/video0"

    @pytest.mark.parametrize("spec", ["usb:", "usb:x", "picamera2:front", "nowhere.mp4", ""])
    def test_nonsense_is_one_clear_line(self, spec: str) -> None:
        with pytest.raises(CameraError) as caught:
            open_camera(spec)
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith(spec)
