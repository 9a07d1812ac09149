"""The live pipeline: a camera thread and a thread for vision and tracker, each able to fail alone.

A camera that is unplugged is opened again and again until it is back; a picture on which vision
fails is skipped; a store that cannot write keeps its events in memory. All of it is said in the
``health`` of the page, and none of it ends the match.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from engine.layout import to_slots
from engine.observation import Observation
from engine.tracker import Tracker
from hardware.camera import Camera, CameraError, Frame, UnreadableInput
from zarbiter.collect import Collector
from zarbiter.desk import RefereeDesk
from zarbiter.evidence import Evidence
from zarbiter.hub import Hub

REOPEN_SECONDS = (0.5, 8.0)  #: first and longest pause before a camera is opened again
READ_TIMEOUT = 2.0  #: a live camera that is silent for so many seconds has failed
AHEAD = 4  #: frames of a recording that are decoded ahead
BETWEEN_PLAYS = ("waiting for a throw", "rolling")  #: phases in which the believed position stands there

log = logging.getLogger(__name__)


class Reader(Protocol):
    """What the pipeline needs of :class:`vision.reader.BoardReader`."""

    def read(self, frame: Frame) -> Observation:
        """What one frame shows."""

    def believe(self, slots: Sequence[int] | None) -> None:
        """The 24 slots that are believed to stand on the board, if they are known."""


def standing(tracker: Tracker) -> tuple[int, ...] | None:
    """The 24 slots that the board is believed to show now, White being light.

    ``None`` while somebody may be moving checkers, between two games, and out of step.
    """
    now = tracker.believed
    if now.position is None or now.orientation is None or now.phase not in BETWEEN_PLAYS:
        return None
    return to_slots(now.position, now.orientation)


class Handover:
    """Frames from one thread to another.

    Of a live camera the latest frame wins; of a recording every frame is handed over, and ``put``
    waits for room.
    """

    def __init__(self) -> None:
        self._frames: deque[Frame] = deque()
        self._changed = threading.Condition()
        self._ended = False

    def put(self, frame: Frame, live: bool) -> None:
        with self._changed:
            if live:
                self._frames.clear()
            self._changed.wait_for(lambda: len(self._frames) < AHEAD or self._ended)
            self._frames.append(frame)
            self._changed.notify_all()

    def get(self) -> Frame | None:
        """The next frame; ``None`` when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._frames or self._ended)
            if not self._frames:
                return None
            frame = self._frames.popleft()
            self._changed.notify_all()
            return frame

    def end(self, *, drop: bool = False) -> None:
        """No more frames will come; with ``drop`` those that wait are not given either."""
        with self._changed:
            self._ended = True
            if drop:
                self._frames.clear()
            self._changed.notify_all()


class Pipeline:
    """Runs until the recording ends or :meth:`stop` is called.

    ``open_camera`` gives a camera that is not yet started; it is called again after a failure.
    """

    def __init__(
        self,
        *,
        open_camera: Callable[[], Camera],
        reader: Reader,
        desk: RefereeDesk,
        hub: Hub,
        collector: Collector | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        self._open, self._reader, self._desk, self._hub = open_camera, reader, desk, hub
        self._collector, self._evidence = collector, evidence
        self._frames = Handover()
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._rate = Rate()
        self._camera_trouble = ""
        self._threads = [
            threading.Thread(target=self._film, name="camera", daemon=True),
            threading.Thread(target=self._watch, name="vision", daemon=True),
        ]

    def start(self) -> None:
        """Start both threads."""
        self._hub.report("camera", "waiting", "opening the camera")
        self._hub.report("vision", "waiting", "waiting for the first picture")
        self._hub.report("store", "ok")
        for thread in self._threads:
            thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the recording has ended and all of it has been watched; whether it has."""
        return self._ended.wait(timeout)

    def stop(self) -> None:
        """End both threads, within a few seconds also while the camera hangs."""
        self._stopping.set()
        self._frames.end(drop=True)
        for thread in self._threads:
            thread.join(READ_TIMEOUT + 3.0)

    def _film(self) -> None:
        first, longest = REOPEN_SECONDS
        pause, ended = first, False
        while not (ended or self._stopping.is_set()):
            began = time.monotonic()
            try:
                camera = self._open()
                with camera:
                    ended = self._film_with(camera)
            except CameraError as error:
                self._camera_failed(str(error))
            except Exception as error:  # a driver may raise anything, and the match must go on
                log.debug("camera", exc_info=error)
                self._camera_failed(repr(error))
            if not ended:
                pause = first if time.monotonic() - began > longest else pause
                self._stopping.wait(pause)
                pause = min(2 * pause, longest)
        self._frames.end()

    def _camera_failed(self, why: str) -> None:
        if why != self._camera_trouble:  # the log need not hear of every attempt
            log.warning("%s", why)
            self._camera_trouble = why
        self._hub.report("camera", "failed", f"{why}; trying again")

    def _film_with(self, camera: Camera) -> bool:
        """Hand over frames until the camera ends (true) or the program does (false)."""
        while not self._stopping.is_set():
            try:
                frame = camera.read(READ_TIMEOUT)
            except UnreadableInput as error:
                if camera.live:
                    raise
                log.warning("%s", error)  # one picture of many; the next may be good
                self._hub.report("camera", "failed", str(error))
                continue
            if frame is None:
                warning = getattr(camera, "warning", None)
                if warning:
                    log.warning("%s", warning)
                self._hub.report("camera", "ok", warning or "the recording has ended")
                return True
            self._camera_trouble = ""
            self._hub.report("camera", "ok", camera.name)
            self._frames.put(frame, camera.live)
        return False

    def _watch(self) -> None:
        failing = False
        while (frame := self._frames.get()) is not None:
            try:
                self._step(frame)
                failing = False
            except Exception as error:  # one bad picture must not end the match
                if not failing:
                    log.exception("picture %d is skipped", frame.seq)
                failing = True
                self._hub.report("vision", "failed", f"picture {frame.seq} was skipped: {error!r}")
        try:
            if not self._stopping.is_set():
                self._desk.finish()
        except Exception as error:
            log.exception("the end of the recording")
            self._hub.report("vision", "failed", f"the end of the recording: {error!r}")
        self._ended.set()

    def _step(self, frame: Frame) -> None:
        observation = self._reader.read(frame)
        self._hub.show(frame, observation)
        if self._evidence is not None:
            self._evidence.watch(frame, observation)
        events = self._desk.observe(observation)
        if self._collector is not None:
            self._collector.watch(frame, observation, events)
        self._reader.believe(standing(self._desk.tracker))
        self._hub.report("vision", "ok", "; ".join(observation.warnings))
        self._hub.update(frames_per_second=self._rate.tick())


class Rate:
    """Frames a second over the last five seconds, renewed once a second."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()
        self._value, self._renewed = 0.0, 0.0

    def tick(self) -> float:
        """Count one frame."""
        now = time.monotonic()
        self._times.append(now)
        if now - self._renewed >= 1.0:
            self._renewed = now
            while now - self._times[0] > 5.0:
                self._times.popleft()
            span = now - self._times[0]
            self._value = round((len(self._times) - 1) / span, 1) if span else 0.0
        return self._value
