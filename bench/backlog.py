"""How far the whole chain falls behind a camera that waits for nobody.

Frames of a recording are taken to arrive by the clock. A frame is done when the next one is asked for; where
that one has come before, it waits.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from itertools import pairwise

import cv2

from engine.tracker import Tracker
from hardware.camera import Frame
from hardware.video import VideoFile
from vision.reader import BoardReader
from zarbiter.digitize import digitize


class Asked(VideoFile):
    """A recording that remembers when it was asked for each frame: ``times`` in seconds."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.times: list[float] = []

    def read(self, timeout: float = 1.0) -> Frame | None:
        """As every camera does."""
        self.times.append(time.monotonic())
        return super().read(timeout)


def behind(costs: Iterable[float], fps: float) -> list[float]:
    """Seconds that each of some frames is done after the next one came, by the seconds that each takes."""
    late, out = 0.0, []
    for cost in costs:
        late = max(0.0, late + cost - 1 / fps)
        out.append(late)
    return out


def main() -> None:
    """Read a file as if so many frames a second came in, and print what waits as JSON.

    Both are named on the command line. ``longest`` and ``last``: seconds behind at most, and after the last
    frame. ``waiting``: frames after which more than one other had come.
    """
    cv2.setNumThreads(1)
    video, fps = Asked(sys.argv[1]), float(sys.argv[2])
    for _ in digitize(video, BoardReader(), Tracker()):
        pass
    late = behind((done - began for began, done in pairwise(video.times)), fps)
    waiting = sum(seconds > 1 / fps for seconds in late)
    print(json.dumps({"frames": len(late), "longest": max(late), "last": late[-1], "waiting": waiting}))


if __name__ == "__main__":
    main()
