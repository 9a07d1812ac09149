from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.warp import drawn, warped

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
