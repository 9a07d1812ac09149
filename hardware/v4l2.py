"""A USB camera, or any other that Linux shows as /dev/videoN."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import cv2

from hardware.camera import CameraError, Frame, Image
from hardware.device import Device

FAILED_GRABS = 5  #: this many failures in a row mean that the camera is gone


class V4l2Camera(Device):
    """A camera by device number or path.

    A thread of its own drains the driver's queue, so that ``read`` always gives the newest picture,
    a gap in ``seq`` tells how many were passed over, and a driver that hangs cannot hang the reader.
    ``t`` is ``time.monotonic()`` when the picture arrived.
    """

    live = True

    def __init__(self, device: int | str, size: tuple[int, int] = (1280, 720), fps: float = 30.0) -> None:
        self.path = Path(f"/dev/video{device}" if isinstance(device, int) else device)
        self.name = str(self.path)
        self.size, self.fps = size, fps
        self.length: int | None = None
        self._running: _Reader | None = None

    def start(self) -> None:
        self.stop()
        if not self.path.exists():
            raise CameraError(f"{self.name}: no such camera; is it plugged in?")
        capture = cv2.VideoCapture(self.name, cv2.CAP_V4L2)
        if not capture.isOpened():
            capture.release()
            raise CameraError(f"{self.name}: cannot be opened; it may be in use or no camera")
        # MJPG first: without it most USB cameras give 1280x720 at 5 to 10 frames a second only.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
        capture.set(cv2.CAP_PROP_FPS, self.fps)
        self._running = _Reader(capture, self.name)

    def read(self, timeout: float = 1.0) -> Frame | None:
        if self._running is None:
            raise self.not_started()
        return self._running.next(timeout)

    def stop(self) -> None:
        if self._running is not None:
            self._running.close()
            self._running = None


class _Reader:
    """Grabs for ever into a place for one frame; owns and releases the capture."""

    def __init__(self, capture: cv2.VideoCapture, name: str) -> None:
        self._capture, self._name = capture, name
        self._changed = threading.Condition()
        self._frame: Frame | None = None
        self._given = -1
        self._gone = self._closed = False
        self._thread = threading.Thread(target=self._run, name=f"grab {name}", daemon=True)
        self._thread.start()

    def next(self, timeout: float) -> Frame:
        with self._changed:
            self._changed.wait_for(self._has_news, timeout)
            frame = self._frame
            if frame is not None and frame.seq > self._given:
                self._given = frame.seq
                return frame
            if self._gone:
                raise CameraError(f"{self._name}: the camera has stopped; was it unplugged?")
            raise CameraError(f"{self._name}: no picture for {timeout:g} seconds")

    def close(self) -> None:
        with self._changed:
            self._closed = True
        # A hanging driver keeps the thread, which releases the device when it comes back.
        self._thread.join(timeout=2.0)

    def _has_news(self) -> bool:
        return self._gone or (self._frame is not None and self._frame.seq > self._given)

    def _run(self) -> None:
        seq = failures = 0
        while not self._closed and failures < FAILED_GRABS:
            ok, image = self._capture.read()
            if not ok or image is None:
                failures += 1
                time.sleep(0.02)
                continue
            failures = 0
            bgr: Image = image  # type: ignore[assignment]  # uint8 BGR by OpenCV's default
            with self._changed:
                self._frame = Frame(bgr, time.monotonic(), seq)
                self._changed.notify_all()
            seq += 1
        with self._changed:
            self._gone = True
            self._changed.notify_all()
        self._capture.release()
