"""The homography through many unequal witnesses."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.finder import weighted_homography

UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)


def cells(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners of a slanted field, places in the picture and where in the field they lie."""
    rng = np.random.default_rng(seed)
    corners = np.array([[60, 40], [260, 50], [280, 200], [40, 190]], float) + rng.normal(0, 12, (4, 2))
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), UNIT.astype(np.float32))
    places = rng.uniform([40, 40], [280, 200], (300, 2))
    return corners, places, cv2.perspectiveTransform(places[None], matrix)[0]


def off(matrix: np.ndarray | None, corners: np.ndarray) -> float:
    assert matrix is not None
    return float(np.abs(cv2.perspectiveTransform(UNIT[None], np.linalg.inv(matrix))[0] - corners).max())


@given(st.integers(0, 10_000))
def test_exact_cells_give_the_exact_field(seed: int) -> None:
    corners, places, units = cells(seed)
    assert off(weighted_homography(places, units, np.ones(len(places))), corners) < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_averaged_and_outliers_do_not_count(seed: int) -> None:
    corners, places, units = cells(seed)
    rng = np.random.default_rng(seed)
    noisy = units + rng.normal(0, 0.01, units.shape)
    noisy[:60] = rng.uniform(0, 1, (60, 2))
    assert off(weighted_homography(places, noisy, np.ones(len(places))), corners) < 3


def test_weights_count() -> None:
    corners, places, units = cells(1)
    wrong = units.copy()
    wrong[:140] += 0.08
    weight = np.ones(len(places))
    weight[:140] = 1e-3
    assert off(weighted_homography(places, wrong, weight), corners) < 0.5


def test_places_on_a_line_are_no_field() -> None:
    line = np.column_stack([np.linspace(0, 1, 50)] * 2)
    matrix = weighted_homography(100 * line, line, np.ones(50))
    assert matrix is None or not np.isfinite(off(matrix, UNIT)) or off(matrix, UNIT) > 10
