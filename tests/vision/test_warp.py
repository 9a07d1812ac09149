from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.warp import drawn, smaller, warped

IMAGE = np.asarray(
    cv2.GaussianBlur(np.random.default_rng(1).integers(0, 256, (90, 120, 3), np.uint8), (0, 0), 2), np.uint8
)


@pytest.mark.parametrize("scale", [1.0, 1e-6, -3.0])
def test_whole_pixels_are_taken_as_they_are(scale: float) -> None:
    back = scale * np.array([[1, 0, 7], [0, 1, 4], [0, 0, 1]], np.float64)
    assert np.array_equal(warped(IMAGE, back, (60, 50)), IMAGE[4:54, 7:67])


def test_a_view_is_that_of_opencv_to_a_grey_value_or_two() -> None:
    back = np.array([[0.9, 0.1, 5], [-0.05, 1.1, 8], [1e-3, 5e-4, 1]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    theirs = cv2.warpPerspective(IMAGE, back, (80, 60), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    assert np.abs(warped(IMAGE, back, (80, 60)).astype(int) - theirs).max() <= 2


def test_beyond_the_edge_its_pixels_go_on() -> None:
    x, y = np.full((1, 2), [[-9, 500]], np.float32), np.full((1, 2), 30, np.float32)
    assert np.array_equal(drawn(IMAGE, x, y)[0], IMAGE[30, [0, -1]])


@pytest.mark.parametrize("size", [(60, 45), (40, 30), (73, 55), (96, 72), (120, 90), (240, 180)])
def test_a_smaller_picture_is_nearly_that_of_averaging(size: tuple[int, int]) -> None:
    large = np.asarray(cv2.resize(IMAGE, (481, 361), interpolation=cv2.INTER_CUBIC), np.uint8)
    theirs = cv2.resize(large, size, interpolation=cv2.INTER_AREA)
    assert np.abs(smaller(large, size).astype(int) - theirs).mean() < 1


@pytest.mark.parametrize("size", [(60, 45), (40, 30), (73, 55), (50, 38)])
def test_a_smaller_picture_has_less_noise_than_single_pixels(size: tuple[int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (90, 120, 3), np.uint8)
    assert smaller(noise, size).std() < 0.62 * noise.std()


def test_a_picture_can_be_made_larger_too() -> None:
    assert smaller(IMAGE, (240, 180)).shape == (180, 240, 3)
