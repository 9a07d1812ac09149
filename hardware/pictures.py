"""A folder or list of pictures as a camera."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from hardware.camera import Frame, UnreadableInput
from hardware.device import Device
from hardware.video import check_file

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})


class Pictures(Device):
    """Pictures in the order given, or those of a folder in natural order (2 before 10).

    ``t`` of picture ``i`` is ``i / fps``. ``start`` raises ``UnreadableInput`` if there are none,
    ``read`` if the next one cannot be read; reading may then go on with the one after it.
    """

    live = False

    def __init__(
        self, pictures: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], fps: float = 10.0
    ) -> None:
        if fps <= 0:
            raise ValueError("frames per second must be positive")
        self.fps = fps
        self._folder: Path | None = None
        self._given: list[Path] = []
        if isinstance(pictures, str | os.PathLike):
            self._folder = Path(pictures)
            self.name = str(pictures)
        else:
            self._given = [Path(p) for p in pictures]
            self.name = f"{len(self._given)} pictures"
        self._paths: list[Path] | None = None
        self._seq = 0
        self.length: int | None = None

    def start(self) -> None:
        paths = self._given if self._folder is None else _in_folder(self._folder)
        if not paths:
            raise UnreadableInput(f"{self.name}: holds no pictures ({' '.join(sorted(SUFFIXES))})")
        self._paths, self._seq, self.length = paths, 0, len(paths)

    def read(self, timeout: float = 1.0) -> Frame | None:
        if self._paths is None:
            raise self.not_started()
        if self._seq >= len(self._paths):
            return None
        path, seq = self._paths[self._seq], self._seq
        self._seq += 1
        check_file(path)
        image = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise UnreadableInput(f"{path}: is not a picture that can be read")
        return Frame(image.astype(np.uint8, copy=False), seq / self.fps, seq)

    def stop(self) -> None:
        self._paths = None


def _in_folder(folder: Path) -> list[Path]:
    try:
        paths = [p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and p.is_file()]
    except OSError as error:
        raise UnreadableInput(f"{folder}: {(error.strerror or 'cannot be read').lower()}") from error
    return sorted(paths, key=_natural)


def _natural(path: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", path.name.lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
