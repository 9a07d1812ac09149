"""The overlay: drawn on a copy, for any picture, in time for a live page."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.layout import Orientation, start_layouts
from engine.observation import BoardView, DieReading, Observation, SlotReading
from engine.position import Game
from hardware.camera import Image
from vision.draw import annotate, annotate_photo
from vision.photo import PhotoReading

START = start_layouts(Game.BACKGAMMON)[Orientation.BOTTOM_RIGHT]


def observation(width: int, height: int, still: bool = True) -> Observation:
    """A set-up board with two dice, a hand and a cup in a picture of that size."""
    slots = [SlotReading(((n, 0.99),)) for n in START]
    slots[3], slots[12] = SlotReading(((0, 0.5), (1, 0.4))), SlotReading(((2, 0.9),), visible=False)
    values = (0.01, 0.01, 0.95, 0.01, 0.01, 0.01)
    box = (0.4 * width, 0.4 * height, 0.45 * width, 0.45 * height)
    dice = (
        DieReading(values, (("flat", 1.0),), box, (0.4, 0.4), "left", 0.9),
        DieReading((1 / 6,) * 6, (("on_checker", 0.9),), box, (0.4, 0.4), "left", 0.9),
    )
    corners = (
        (0.1 * width, 0.1 * height),
        (0.9 * width, 0.1 * height),
        (0.95 * width, 0.9 * height),
        (0.05 * width, 0.9 * height),
    )
    return Observation(
        1.0, 3, BoardView(corners, (0.46, 0.54), 0.9), tuple(slots),
        dice=dice, hands=((0.0, 0.0, 0.2 * width, 0.3 * height),),
        cup=(0.8 * width, 0.4 * height, float(width), 0.6 * height),
        still=still, warnings=("the board has moved",),
    )  # fmt: skip


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (320, 240), (3840, 2160), (40, 30), (1, 1)])
def test_any_size_of_picture(width: int, height: int) -> None:
    image: Image = np.full((height, width, 3), 90, np.uint8)
    before = image.copy()
    out = annotate(image, observation(width, height), believed=START)
    assert out.shape == image.shape
    assert out.dtype == np.uint8
    assert np.array_equal(image, before), "the picture itself is left alone"


def test_without_a_board_it_says_so() -> None:
    image: Image = np.full((480, 640, 3), 90, np.uint8)
    out = annotate(image, Observation(0.0, 0, None))
    assert (out != image).any(axis=2)[:40].any()
    assert np.array_equal(out[60:], image[60:])


def test_a_slot_seen_otherwise_than_believed_is_marked_red() -> None:
    image: Image = np.full((720, 1280, 3), 90, np.uint8)
    seen = observation(1280, 720)
    other = (*START[:1], START[1] + 3, *START[2:])

    def red(picture: Image) -> int:
        return int(((picture[..., 2] > 200) & (picture[..., 0] < 100) & (picture[..., 1] < 100)).sum())

    assert red(annotate(image, seen, believed=other)) > red(annotate(image, seen, believed=START)) + 50


def test_ten_milliseconds_are_enough() -> None:
    image: Image = np.full((720, 1280, 3), 90, np.uint8)
    seen = observation(1280, 720)
    times = []
    for _ in range(15):
        start = time.perf_counter()
        annotate(image, seen, believed=START)
        times.append(time.perf_counter() - start)
    # The best of many: the machine may be busy with other things.
    assert min(times) < 0.010


def photo(width: int, height: int, **changes: Any) -> tuple[Image, PhotoReading]:
    """A plain picture and the reading of a board in it."""
    seen = observation(width, height)
    image: Image = np.full((height, width, 3), 90, np.uint8)
    reading = PhotoReading((width, height), seen.board, seen.slots, seen.bar, seen.dice, seen.cup, True)
    return image, replace(reading, **changes)


@pytest.mark.parametrize(("width", "height"), [(1280, 960), (480, 360), (4000, 3000)])
def test_a_photograph_has_its_counts_outside_the_field(width: int, height: int) -> None:
    image, reading = photo(width, height, dice=(), cup=None, hands=False)
    answer = reading.to_json("a.jpg")
    out = annotate_photo(image, answer, reading.board)
    assert out.shape == image.shape
    assert not np.array_equal(out, image)
    x0, y0, x1, y1 = (round(v) for v in (0.12 * width, 0.12 * height, 0.44 * width, 0.88 * height))
    assert np.array_equal(out[y0:y1, x0:x1], image[y0:y1, x0:x1]), "no checker is hidden"


def test_a_field_that_fills_the_picture_gets_room_above_and_below() -> None:
    corners = ((0.0, 0.0), (1280.0, 0.0), (1280.0, 960.0), (0.0, 960.0))
    image, reading = photo(1280, 960, board=BoardView(corners, (0.46, 0.54), 0.9), hands=False)
    out = annotate_photo(image, reading.to_json("a.jpg"), reading.board)
    assert out.shape[0] > 960
    assert out.shape[1] == 1280


def test_a_board_that_is_turned_in_the_picture_has_its_counts_beside_it() -> None:
    corners = ((1080.0, 100.0), (1080.0, 860.0), (200.0, 860.0), (200.0, 100.0))
    board = BoardView(corners, (0.46, 0.54), 0.9)
    image, reading = photo(1280, 960, board=board, dice=(), cup=None, hands=False)
    out = annotate_photo(image, reading.to_json("a.jpg"), board)
    assert out.shape == image.shape
    marked = (out != image).any(axis=2)
    assert not marked[120:400, 210:1070].any(), "no checker is hidden"
    assert marked[:, :190].any()
    assert marked[:, 1090:].any()
    assert not marked[:80].any()


def test_a_photograph_of_dice_alone_and_one_with_a_cube() -> None:
    image, reading = photo(640, 480, board=None, slots=())
    answer = reading.to_json("a.jpg") | {"cube": {"value": 2, "box": [500, 20, 540, 60]}}
    out = annotate_photo(image, answer, None)
    assert (out[15:65, 495:545] != image[15:65, 495:545]).any()
    without = annotate_photo(image, answer | {"cube": None}, None)
    assert np.array_equal(without[15:65, 495:545], image[15:65, 495:545])


def test_labels_of_dice_that_lie_close_hide_none_of_them() -> None:
    def die(x: float, y: float) -> DieReading:
        values = (0.01, 0.01, 0.95, 0.01, 0.01, 0.01)
        return DieReading(values, (("cocked", 1.0),), (x, y, x + 30, y + 30), (0.4, 0.4), "left", 0.9)

    image, reading = photo(1280, 960, board=None, slots=(), dice=(die(400, 300), die(435, 300)))
    out = annotate_photo(image, reading.to_json("a.jpg") | {"cup": None, "hands": False}, None)
    for x in (400, 435):
        assert np.array_equal(out[304:326, x + 4 : x + 26], image[304:326, x + 4 : x + 26])
