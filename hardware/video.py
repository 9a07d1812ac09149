"""A recording as a camera."""

from __future__ import annotations

import os
from pathlib import Path

import cv2

from hardware.camera import Frame, Image, UnreadableInput
from hardware.device import Device

# FFmpeg prints what it dislikes about a file straight to stderr, beside our own one clear line.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
if hasattr(cv2, "setLogLevel"):  # OpenCV 4
    cv2.setLogLevel(0)
else:
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


class VideoFile(Device):
    """A video file: every frame, in order, ``t`` from the file's own timestamps.

    ``length`` is the number of frames that the file announces (``None`` where it does not).
    After the end, ``warning`` says in a sentence if the recording breaks off before that number.
    ``start`` raises ``UnreadableInput`` for a file that is missing, empty or no video.
    """

    live = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.name = str(path)
        self.length: int | None = None
        self.fps = 0.0
        self.warning: str | None = None
        self._capture: cv2.VideoCapture | None = None
        self._first: Image | None = None
        self._seq = 0
        self._t = -1.0

    def start(self) -> None:
        self.stop()
        check_file(self.path)
        if is_text(self.path):  # FFmpeg would render a text file as a film of its letters
            raise UnreadableInput(f"{self.name}: is text, not a video")
        capture = cv2.VideoCapture(str(self.path), cv2.CAP_FFMPEG)
        ok, image = capture.read() if capture.isOpened() else (False, None)
        if not ok or image is None:
            capture.release()
            raise UnreadableInput(
                f"{self.name}: is not a video that can be read, or was cut off before it was finished"
            )
        frames = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.length = frames if frames > 0 else None
        self.fps = capture.get(cv2.CAP_PROP_FPS) or 25.0
        self.warning = None
        self._capture, self._first = capture, _bgr(image)
        self._seq, self._t = 0, -1.0

    def read(self, timeout: float = 1.0) -> Frame | None:
        if self._capture is None:
            raise self.not_started()
        image = self._first
        self._first = None
        if image is None:
            ok, decoded = self._capture.read()
            if not ok or decoded is None:
                self._note_the_end()
                return None
            image = _bgr(decoded)
        seq, t = self._seq, self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        if t <= self._t or (seq > 0 and t == 0):  # a stream without timestamps
            t = max(seq / self.fps, self._t + 1e-3)
        self._seq, self._t = seq + 1, t
        return Frame(image, t, seq)

    def stop(self) -> None:
        if self._capture is not None:
            self._capture.release()
        self._capture = self._first = None

    def _note_the_end(self) -> None:
        # Containers round their frame count, so half a second is allowed before it is called a cut.
        if self.length is not None and self.length - self._seq > max(2.0, self.fps / 2):
            self.warning = (
                f"{self.name}: the recording breaks off after {self._t:.1f} seconds, "
                f"at frame {self._seq} of {self.length}"
            )


def check_file(path: Path) -> None:
    """Raise ``UnreadableInput`` unless ``path`` is a file with something in it."""
    try:
        if path.is_dir():
            raise UnreadableInput(f"{path}: is a folder, not a file")
        if path.stat().st_size == 0:
            raise UnreadableInput(f"{path}: the file is empty")
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise UnreadableInput(f"{path}: no such file") from None
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from error


def is_text(path: Path) -> bool:
    """Whether the first 4096 bytes are plain ASCII, as in no video or picture format in use."""
    with path.open("rb") as file:
        head = file.read(4096)
    return bool(head) and head.isascii() and b"\0" not in head


def _bgr(image: object) -> Image:
    array: Image = image  # type: ignore[assignment]  # OpenCV decodes video to uint8 BGR
    return array if array.ndim == 3 else cv2.cvtColor(array, cv2.COLOR_GRAY2BGR)  # type: ignore[return-value]
