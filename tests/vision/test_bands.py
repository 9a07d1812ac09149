"""Bands of lamps on the mains."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera import Image
from vision.bands import Bands
from vision.motion import shrink

FPS = 10


def scene() -> NDArray[np.float64]:
    """A picture with some texture, floats of shape (360, 640, 3)."""
    rng = np.random.default_rng(4)
    blocks = rng.uniform(60, 190, (18, 32, 3))
    return np.asarray(np.kron(blocks, np.ones((20, 20, 1))))


def banded(picture: NDArray[np.float64], n: int, depth: float) -> Image:
    rows = np.arange(len(picture)) / (0.42 * len(picture))
    bands = 1 + depth * np.sin(2 * np.pi * (rows + 0.37 * n))
    return np.asarray(np.rint(np.clip(picture * bands[:, None, None], 0, 255)), np.uint8)


def apart(one: Image, other: Image) -> float:
    """The largest difference of the means of two rows, in grey levels."""
    return float(np.abs(one.astype(float) - other).mean(axis=(1, 2)).max())


def watch(pictures: list[Image]) -> list[Image]:
    bands = Bands()
    return [bands.steady(p, shrink(p), n / FPS)[0] for n, p in enumerate(pictures)]


def test_bands_are_taken_out() -> None:
    pictures = [banded(scene(), n, 0.09) for n in range(30)]
    steady = watch(pictures)
    assert max(apart(a, b) for a, b in pairwise(pictures[20:])) > 8
    assert max(apart(a, b) for a, b in pairwise(steady[20:])) < 3.5


def test_an_arm_over_the_board_stays_as_it_is() -> None:
    picture = scene()
    pictures = [banded(picture, n, 0.09) for n in range(30)]
    arm = picture.copy()
    arm[:240, 200:360] = (90, 120, 180)
    last = watch([*pictures, banded(arm, 30, 0.09)])[-1]
    assert np.abs(last[20:220, 220:340].astype(float) - (90, 120, 180)).max() < 16


@pytest.mark.parametrize("depth", [0.0, 0.01])
def test_a_picture_without_bands_is_the_very_same(depth: float) -> None:
    pictures = [banded(scene(), n, depth) for n in range(20)]
    assert all(a is b for a, b in zip(pictures, watch(pictures), strict=True))


def test_a_lamp_that_is_switched_is_no_band() -> None:
    pictures = [np.asarray(scene() * (1.0 if n < 10 else 0.6), np.uint8) for n in range(20)]
    assert all(a is b for a, b in zip(pictures, watch(pictures), strict=True))


def test_a_camera_that_counts_from_zero_again_begins_anew() -> None:
    bands = Bands()
    for n in range(20):
        picture = banded(scene(), n, 0.09)
        bands.steady(picture, shrink(picture), 100 + n / FPS)
    assert bands.steady(picture, shrink(picture), 0.0)[0] is picture
