"""What every camera gives: frames, by one small protocol."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]  #: BGR picture of shape (height, width, 3)


class CameraError(Exception):
    """A camera that cannot be opened or has stopped giving frames; the message says which and why."""


class UnreadableInput(CameraError):
    """A file given as a camera that is missing, empty or not what its name says."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture.

    ``image``: uint8 BGR of shape (height, width, 3). ``t``: seconds, monotonic within one camera
    run; of a recording, seconds of video time. ``seq``: counts frames from 0; a gap says that
    frames were dropped.
    """

    image: Image
    t: float
    seq: int


class Camera(Protocol):
    """A source of frames. Use it as a context manager; one thread reads.

    ``live`` tells a device that runs on by itself (frames not read in time are dropped) from a
    recording (every frame is given, as fast as it is asked for). ``length`` is the number of
    frames of a recording where known.
    """

    name: str
    live: bool
    length: int | None

    def start(self) -> None:
        """Open the device or file. Raises ``CameraError`` (``UnreadableInput`` for a file)."""

    def read(self, timeout: float = 1.0) -> Frame | None:
        """The next frame, or ``None`` at the end of a recording.

        Raises ``CameraError`` when a live camera gives nothing for ``timeout`` seconds or is
        unplugged, or if it was not started.
        """

    def stop(self) -> None:
        """Close it; may be called twice. A stopped camera may be started again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
