"""The photo page's side of the program: pictures are read one after the other in a thread of their own.

The match goes first: that thread steps back behind all others of the machine, and of a crowd of
pictures only a few wait.
"""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

from engine.observation import BoardView, PointXY, SlotReading
from hardware.camera import UnreadableInput
from vision.geometry import FieldMap
from vision.photo import NoBoard, PhotoReading, Picture, load_picture, read_photo
from webui.photo import Unread
from zarbiter.beside import step_back
from zarbiter.collect import Collector, Full, labels_of, problems, scaled

WAITING = 4  #: pictures that wait for their turn or are read; the next one is refused
PATIENCE = 60.0  #: seconds after which a page is told that it takes too long
OTHERS = 4  #: readings of a slot that are told
_OUTSIDE = 0.035  #: how far outside the field a slot's mark is, in board units

log = logging.getLogger(__name__)
T = TypeVar("T")


class PhotoBooth:
    """The :class:`webui.photo.Photos` of the program."""

    def __init__(self, collector: Collector | None = None) -> None:
        self._collector = collector
        self._free = threading.BoundedSemaphore(WAITING)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="photo", initializer=step_back)

    @property
    def keeps(self) -> str | None:
        return str(self._collector.folder.path) if self._collector else None

    def read(self, picture: bytes, corners: Sequence[PointXY] | None) -> dict[str, Any]:
        """Read a picture; see :class:`webui.photo.Photos`."""
        return self._in_turn(lambda: _read(picture, corners))

    def keep(self, picture: bytes, labels: Mapping[str, Any]) -> str:
        """Keep a picture for training; see :class:`webui.photo.Photos`."""
        collector = self._collector
        if collector is None:
            raise Unread("pictures are kept only where the program was started with --collect FOLDER")
        return self._in_turn(lambda: _keep(collector, picture, labels))

    def close(self) -> None:
        """Drop what waits."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _in_turn(self, work: Callable[[], T]) -> T:
        if not self._free.acquire(blocking=False):
            raise Unread("other pictures are being read; try again in a moment", busy=True)
        try:
            done: Future[T] = self._worker.submit(work)
        except RuntimeError as error:  # the program is ending
            self._free.release()
            raise Unread("the program is ending", busy=True) from error
        done.add_done_callback(lambda _: self._free.release())
        try:
            return done.result(PATIENCE)
        except NotYet as error:
            done.cancel()
            raise Unread("it takes too long; the machine is busy", busy=True) from error


def _read(picture: bytes, corners: Sequence[PointXY] | None) -> dict[str, Any]:
    image = _load(picture)
    try:
        return page_answer(read_photo(image, corners=corners))
    except NoBoard as error:
        raise Unread(str(error)) from error
    except Exception as error:
        log.exception("a picture on the photo page")
        raise Unread(f"this is a defect of Zarbiter: {error!r}") from error


def _load(picture: bytes) -> Picture:
    with tempfile.NamedTemporaryFile(prefix="zarbiter-photo-") as file:
        file.write(picture)
        file.flush()
        try:
            return load_picture(file.name)
        except UnreadableInput as error:
            raise Unread(str(error).removeprefix(f"{file.name}: ")) from error


def _keep(collector: Collector, picture: bytes, given: Mapping[str, Any]) -> str:
    loaded = _load(picture)
    height, width = loaded.image.shape[:2]
    labels = labels_of(
        loaded.size,
        given["corners"],
        given["slots"],
        given["bar"],
        given["dice"],
        by="person",
        why="put right on the photo page",
    )
    wrong = problems(labels)
    if wrong:
        raise Unread(f"the labels cannot be right: {wrong[0]}")
    if loaded.size != (width, height):  # very large pictures are reduced while they are read
        labels = scaled(labels, width / loaded.size[0], (width, height))
    try:
        kept = collector.photo(picture, loaded.image, labels).result(PATIENCE)
    except (Full, OSError) as error:
        raise Unread(f"it could not be kept: {error}") from error
    return "Kept for training." if kept else "This picture is kept already, with these labels."


def page_answer(reading: PhotoReading) -> dict[str, Any]:
    """A reading as the photo page takes it; see :meth:`webui.photo.Photos.read`."""
    answer = reading.to_json("picture")
    slots = [_alternatives(slot) for slot in reading.slots]
    answer["alternatives"] = {
        "top": slots[:12],
        "bottom": slots[12:],
        "bar": [_alternatives(slot) for slot in reading.bar],
    }
    answer["marks"] = None if reading.board is None else _marks(reading.board)
    return answer


def _alternatives(slot: SlotReading) -> list[dict[str, Any]]:
    return [SlotReading(((count, p),)).to_json() for count, p in slot.counts[:OTHERS]]


def _marks(board: BoardView) -> dict[str, Any]:
    field = FieldMap.from_view(board)
    places = [(field.slot_x(slot), 1 + _OUTSIDE if slot >= 12 else -_OUTSIDE) for slot in range(24)]
    left, right = field.bar
    corners = [(left, 0), (right, 0), (right, 1), (left, 1)]
    return {
        "slots": field.to_pixels(places).round(1).tolist(),
        "bar": field.to_pixels(corners).round(1).tolist(),
    }
