"""The motion gate: what moves, what only flickers, and when a scene is still."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera import Image
from vision.motion import MotionGate, shrink, shrink_factor


def scene(x: int = 30, gain: float = 1.0, seed: int = 0, noise: float = 2.0) -> Image:
    """A textured small picture with a bright square whose left edge is at ``x``."""
    rng = np.random.default_rng(7)
    picture = rng.normal(110, 25, (90, 160, 3))
    picture[40:52, x : x + 12] = (230, 230, 220)
    picture = picture * gain + np.random.default_rng(seed).normal(0, noise, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


EVERYWHERE = np.ones((90, 160), bool)


def test_noise_is_not_motion() -> None:
    gate = MotionGate()
    for i in range(20):
        motion = gate.update(scene(seed=i), i / 30)
    assert motion.still(EVERYWHERE)
    assert motion.share() == 0


@pytest.mark.parametrize("gain", [0.9, 0.97, 1.08])
def test_a_change_of_exposure_is_not_motion(gain: float) -> None:
    gate = MotionGate()
    for i in range(20):
        motion = gate.update(scene(seed=i, gain=gain if i % 4 == 3 else 1.0), i / 30)
    assert motion.still(EVERYWHERE)


def test_slow_light_is_followed() -> None:
    gate = MotionGate()
    for i in range(90):
        small = scene(seed=i)
        # One side of the room gets darker, so that no gain explains it.
        fade = np.linspace(1, 1 - 0.25 * i / 90, small.shape[1])[:, None]
        motion = gate.update((small * fade).astype(np.uint8), i / 15)
        if i > 5:
            assert motion.still(EVERYWHERE, least=12)


def test_a_slow_thing_moves_at_thirty_frames_a_second() -> None:
    gate = MotionGate()
    gate.update(scene(30), 0.0)
    moved = [gate.update(scene(30 + i // 4, seed=i), i / 30).moved.any() for i in range(1, 40)]
    # It moves a pixel every four frames; the gate never rests long enough to call it still.
    assert np.flatnonzero(moved).size >= 8
    assert np.diff(np.flatnonzero(moved)).max() <= 6


@pytest.mark.parametrize(("rate", "frames"), [(30, 8), (10, 3), (5, 1)])
def test_still_needs_a_quarter_of_a_second_or_one_pair_of_sparse_frames(rate: int, frames: int) -> None:
    gate = MotionGate()
    for i in range(10):
        gate.update(scene(30 + 5 * i), i / rate)
    for i in range(10, 10 + frames + 1):
        motion = gate.update(scene(75, seed=i), i / rate)
        assert motion.still(EVERYWHERE) == (i >= 9 + frames), i


def test_the_first_frame_and_a_jump_back_in_time_are_not_still() -> None:
    gate = MotionGate()
    assert not gate.update(scene(), 5.0).still(EVERYWHERE)
    for i in range(10):
        gate.update(scene(), 5.1 + i / 10)
    assert not gate.update(scene(), 0.0).still(EVERYWHERE)


def test_another_picture_size_starts_anew() -> None:
    gate = MotionGate()
    gate.update(scene(), 0.0)
    motion = gate.update(np.zeros((45, 80, 3), np.uint8), 0.1)
    assert motion.moved.shape == (45, 80)
    assert motion.moved.all()


@pytest.mark.parametrize("width", [1, 320, 640, 800, 1280, 1920, 3840])
def test_small_pictures_are_about_four_hundred_wide(width: int) -> None:
    small = shrink(np.zeros((max(1, width // 2), width, 3), np.uint8))
    assert small.shape[1] == width // shrink_factor(width)
    assert small.shape[1] <= 600
