"""Time single looks in a process that owns one core: the child of ``bench eyes``.

    python -m bench.passes NETWORK VIDEO PICTURE...

Prints the seconds of every pass as JSON: processor time of one core, which is the wall clock's where nothing
else runs and nearly the same where something does. The kinds take turns, so that a machine that is slow for a
while is slow for all of them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

from bench.yardstick import SIDE
from engine.tracker import Tracker
from hardware.video import VideoFile
from vision.photo import NoBoard, load_picture, read_photo
from vision.reader import BoardReader
from zarbiter.pipeline import standing

ROUNDS = 3  #: over the pictures
_YARDSTICK_EVERY = 40  #: frames of the video
_TURNS = 2  #: frames before and after the one told as still over which a board that came to rest is read


def main() -> None:
    """Measure, and print what was measured."""
    cv2.setNumThreads(1)
    network, video, *pictures = sys.argv[1:]
    look = _yardstick(network)
    seconds: dict[str, list[float]] = {kind: [] for kind in ("decode", "yardstick", "photo", "rest", "frame")}
    found = [_photo(path) for path in pictures]  # loads the networks and warms everything up
    look()
    for _ in range(ROUNDS):
        for path in pictures:
            seconds["decode"].append(_timed(_decode, path))
            seconds["yardstick"].append(_timed(look))
            seconds["photo"].append(_timed(_photo, path))
    reader, tracker = BoardReader(), Tracker()
    was_still = True
    rests: list[int] = []  # which frames came to rest
    turn = cycle(range(_YARDSTICK_EVERY))
    with VideoFile(video) as camera:
        while (frame := camera.read()) is not None:
            start = time.process_time()
            seen = reader.read(frame)
            spent = time.process_time() - start
            for _ in tracker.observe(seen):
                pass
            reader.believe(standing(tracker))
            if seen.board is None:
                continue
            seconds["frame"].append(spent)
            if seen.still and not was_still:
                rests.append(len(seconds["frame"]) - 1)
            was_still = seen.still
            if next(turn) == 0:
                seconds["yardstick"].append(_timed(look))
    # A board that came to rest is read in turns, over several frames: the dearest of them counts.
    seconds["rest"] = [max(seconds["frame"][max(0, at - _TURNS) : at + _TURNS + 1]) for at in rests]
    print(json.dumps({"seconds": seconds, "found": sum(found), "pictures": len(found)}))


def _timed(work: Callable[..., object], *arguments: str) -> float:
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def _decode(path: str) -> None:
    """Decode a JPEG file and warp it once, to its own size."""
    image = cv2.imdecode(np.frombuffer(Path(path).read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    height, width = image.shape[:2]
    matrix = np.array([[0.9, 0.08, 20.0], [0.03, 0.92, 15.0], [2e-5, 4e-5, 1.0]])
    cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_LINEAR)


def _photo(path: str) -> bool:
    """A whole pass; whether a board was found."""
    try:
        read_photo(load_picture(path))
    except NoBoard:
        return False
    return True


def _yardstick(network: str) -> Callable[[], object]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    image = np.random.default_rng(1).random((1, 3, SIDE, SIDE), np.float32)
    return lambda: session.run(None, {"image": image})


if __name__ == "__main__":
    main()
