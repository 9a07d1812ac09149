"""What is done beside a match: in threads that step back, into files that are whole, in small pictures."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import simplejpeg

from hardware.camera import Image

WIDTH = 960  #: pixels across a small picture, at most
_NICENESS = 10


def step_back() -> None:
    """Let all other threads go first. On Linux a thread has a niceness of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole, also after a power cut, or not at all. Raises ``OSError``."""
    part = path.with_suffix(".part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise


def smaller(image: Image, size: tuple[int, int]) -> Image:
    """A picture in a smaller size: width, height."""
    # Averaging areas costs five times as much, and shows only where many pixels become one.
    how = cv2.INTER_AREA if image.shape[1] > 2 * size[0] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)


def small_jpeg(image: Image, quality: int) -> bytes:
    """A picture as JPEG, at most ``WIDTH`` pixels wide."""
    rows, columns = image.shape[:2]
    if columns > WIDTH:
        image = smaller(image, (WIDTH, round(rows * WIDTH / columns)))
    jpeg: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(image), quality=quality, colorspace="BGR", colorsubsampling="420"
    )
    return jpeg
