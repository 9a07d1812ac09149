"""Decode a video and do nothing with it: what every other figure is held against."""

from __future__ import annotations

import json
import sys

import cv2

from hardware.video import VideoFile


def main() -> None:
    """Print how many frames the file named on the command line has."""
    cv2.setNumThreads(1)
    frames = 0
    with VideoFile(sys.argv[1]) as video:
        while video.read() is not None:
            frames += 1
    print(json.dumps({"frames": frames}))


if __name__ == "__main__":
    main()
