"""The whole chain on a recording, one frame after the other in one thread."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from engine.events import Event
from engine.tracker import Tracker
from hardware.camera import Camera, UnreadableInput
from zarbiter.collect import Collector
from zarbiter.evidence import Evidence
from zarbiter.pipeline import Reader, standing

PATIENCE = 2.0  #: seconds of work after which a progress bar appears

log = logging.getLogger(__name__)


def digitize(
    camera: Camera,
    reader: Reader,
    tracker: Tracker,
    bar: Bar | None = None,
    collector: Collector | None = None,
    evidence: Evidence | None = None,
) -> Iterator[Event]:
    """The events of a recording, in order of time, each as soon as it is certain.

    ``collector``: what keeps doubtful views; ``evidence``: what keeps the pictures of each event. Raises
    ``UnreadableInput`` if the recording cannot be opened, or, after all the events of what could
    be read, if it breaks off.
    """
    trouble: str | None = None
    count = 0

    def noted(events: Iterable[Event]) -> Iterator[Event]:
        nonlocal count
        for event in events:
            if evidence is not None:
                evidence.note(count, event)
            count += 1
            yield event

    with camera:
        while True:
            try:
                frame = camera.read()
            except UnreadableInput as error:  # one picture of a folder; the next may be good
                trouble = str(error)
                continue
            if frame is None:
                break
            seen = reader.read(frame)
            if evidence is not None:
                evidence.watch(frame, seen)
            events = tracker.observe(seen)
            if collector is not None:
                collector.watch(frame, seen, events)
            yield from noted(events)
            reader.believe(standing(tracker))
            if bar is not None:
                bar.advance(frame.seq + 1, camera.length)
        trouble = trouble or getattr(camera, "warning", None)
    yield from noted(tracker.finish())
    if trouble:
        raise UnreadableInput(trouble)


class Bar:
    """A progress bar on stderr that appears when the work takes longer than ``PATIENCE``."""

    def __init__(self, title: str, console: Console) -> None:
        self._title = title
        self._console = console
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def advance(self, done: int, total: int | None) -> None:
        """Say how much of the work is done."""
        if self._progress is None and time.monotonic() - self._began > PATIENCE:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
            )
            self._task = self._progress.add_task(self._title, total=total)
            self._progress.start()
        if self._progress is not None:
            self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Remove the bar."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def progress(title: str) -> Iterator[Bar | None]:
    """A :class:`Bar`; ``None`` if nobody looks, since stderr is no terminal."""
    console = Console(stderr=True)
    bar = Bar(title, console) if console.is_terminal else None
    try:
        yield bar
    finally:
        if bar is not None:
            bar.close()
