"""The last minute of a match in memory, and what is made of it: a clip, and a zoom on the dice."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

import cv2
import numpy as np
import simplejpeg

from engine.observation import Observation
from hardware.camera import Frame, Image
from zarbiter.beside import small_jpeg, smaller
from zarbiter.collect import encode

RATE = 10.0  #: pictures a second, at most
SECONDS = 90.0  #: that are kept at most, since a throw may be told only after its play
MEMORY = 64_000_000  #: bytes for all pictures; a quarter of it for the still ones in full size
QUALITY, STILL_QUALITY = 80, 90
CLIP_WIDTH = 640
ZOOM_HEIGHT = 288  #: pixels of a die with its surroundings, enlarged
SLACK = 0.001  #: seconds that two times may differ by rounding
AROUND = 0.6  #: of a die's size, left around it
WEBM = b"\x42\x82\x88webm\0\0\0\0"  #: the element that names the kind of file, in the length of MATROSKA
MATROSKA = b"\x42\x82\x88matroska"


@dataclass(frozen=True, slots=True)
class Moment:
    """A picture of the film: seconds on the camera's clock, and a JPEG of at most 960 pixels across."""

    t: float
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Still:
    """A picture in full size as JPEG, and what was seen in it: still and without hands, or with dice."""

    t: float
    jpeg: bytes
    seen: Observation


class Film:
    """The newest moments and still pictures, oldest first, in at most ``memory`` bytes. For one thread."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._room = memory - memory // 4, memory // 4
        self.moments: deque[Moment] = deque()
        self.stills: deque[Still] = deque()
        self._bytes = [0, 0]

    @property
    def bytes(self) -> int:
        """What all pictures take."""
        return sum(self._bytes)

    def shoot(self, frame: Frame) -> None:
        """Add a moment."""
        if self.moments and frame.t < self.moments[-1].t:  # another run of the camera has another clock
            self.clear()
        moment = Moment(frame.t, small_jpeg(frame.image, QUALITY))
        self.moments.append(moment)
        self._bytes[0] += len(moment.jpeg)
        while self._bytes[0] > self._room[0] or moment.t - self.moments[0].t > SECONDS:
            self._bytes[0] -= len(self.moments.popleft().jpeg)

    def hold(self, frame: Frame, seen: Observation) -> None:
        """Add a still picture."""
        still = Still(frame.t, encode(frame.image, STILL_QUALITY), seen)
        self.stills.append(still)
        self._bytes[1] += len(still.jpeg)
        while self._bytes[1] > self._room[1]:
            self._bytes[1] -= len(self.stills.popleft().jpeg)

    def clear(self) -> None:
        """Forget everything."""
        self.moments.clear()
        self.stills.clear()
        self._bytes = [0, 0]

    def between(self, begin: float, end: float) -> tuple[Moment, ...]:
        """The moments of these seconds, oldest first."""
        return tuple(moment for moment in self.moments if begin - SLACK <= moment.t <= end + SLACK)


def clip(moments: Sequence[Moment], most: float = RATE) -> Generator[None, None, bytes | None]:
    """Two or more moments as a WebM film (VP8), which browsers play. ``None`` if OpenCV cannot write it.

    It runs as fast as the camera's clock did, with at most so many pictures a second. Encoding takes about
    a tenth of the time that the film lasts, so this stops after each picture and goes on when it is asked to.
    """
    begin, end = moments[0].t, moments[-1].t
    pause = median(after.t - before.t for before, after in pairwise(moments))
    rate = min(most, max(1.0, round(1 / max(pause, 0.01))))
    height, width = simplejpeg.decode_jpeg_header(moments[0].jpeg)[:2]
    size = min(CLIP_WIDTH, width) // 2 * 2, round(height * min(CLIP_WIDTH, width) / width) // 2 * 2
    with tempfile.TemporaryDirectory(prefix="zarbiter-clip-") as folder:
        # Into WebM itself OpenCV writes the same, but prints a complaint about the codec's tag each time.
        path = Path(folder) / "clip.mkv"
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"VP80"), rate, size)
        try:
            if not writer.isOpened():
                return None
            shown, image = -1, None
            for tick in range(round((end - begin) * rate) + 1):
                t = begin + tick / rate + 1e-6
                newest = max((n for n in range(max(shown, 0), len(moments)) if moments[n].t <= t), default=0)
                if image is None or newest != shown:
                    # Without the camera's noise the film takes about half the bytes and the time.
                    shown, image = newest, cv2.GaussianBlur(decode(moments[newest].jpeg, size), (3, 3), 0)
                writer.write(image)
                yield
        finally:
            writer.release()
        return path.read_bytes().replace(MATROSKA, WEBM, 1)


def decode(jpeg: bytes, size: tuple[int, int] | None = None) -> Image:
    """A JPEG as BGR picture, if wanted in another size: width, height."""
    image: Image = simplejpeg.decode_jpeg(jpeg, colorspace="BGR")
    return image if size in (None, image.shape[1::-1]) else smaller(image, size)


def zoom(still: Still) -> bytes | None:
    """The dice of a still picture, enlarged and side by side as in the picture; ``None`` if none is seen."""
    image = decode(still.jpeg)
    height, width = image.shape[:2]
    parts: list[Image] = []
    for die in sorted(still.seen.dice, key=lambda die: die.box[0]):
        x0, y0, x1, y1 = die.box
        margin = AROUND * max(x1 - x0, y1 - y0)
        left, top = max(0, int(x0 - margin)), max(0, int(y0 - margin))
        right, bottom = min(width, int(x1 + margin) + 1), min(height, int(y1 + margin) + 1)
        if right - left < 4 or bottom - top < 4:
            continue
        part = image[top:bottom, left:right]
        across = max(1, round(ZOOM_HEIGHT * part.shape[1] / part.shape[0]))
        part = np.asarray(cv2.resize(part, (across, ZOOM_HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)
        parts += [part, np.zeros((ZOOM_HEIGHT, 8, 3), np.uint8)]
    return encode(np.hstack(parts[:-1]), STILL_QUALITY) if parts else None
