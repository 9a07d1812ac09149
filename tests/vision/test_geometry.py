from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.geometry import FieldMap, boxes_overlap

FIELD = FieldMap(np.array([[100, 80], [700, 90], [760, 560], [60, 540]], np.float64), (0.46, 0.54))


def test_corners_are_the_unit_square() -> None:
    np.testing.assert_allclose(FIELD.to_board(FIELD.corners), [[0, 0], [1, 0], [1, 1], [0, 1]], atol=1e-6)


@given(st.floats(-0.2, 1.2), st.floats(-0.2, 1.2))
def test_there_and_back(x: float, y: float) -> None:
    np.testing.assert_allclose(FIELD.to_board(FIELD.to_pixels([[x, y]])), [[x, y]], atol=1e-6)


@given(st.integers(0, 23))
def test_the_middle_of_a_slot_lies_in_it(slot: int) -> None:
    assert FIELD.slot_at((FIELD.slot_x(slot), 0.25 if slot < 12 else 0.75)) == slot


@pytest.mark.parametrize("place", [(0.5, 0.3), (-0.01, 0.5), (0.2, 1.01)])
def test_bar_and_outside_are_no_slot(place: tuple[float, float]) -> None:
    assert FIELD.slot_at(place) is None


def test_halves() -> None:
    assert [FIELD.half_of((x, 0.5)) for x in (0.1, 0.49, 0.51, 0.9, 1.1)] == [
        "left",
        "left",
        "right",
        "right",
        "off",
    ]


def test_rectified_picture_has_the_field_in_its_middle() -> None:
    image = np.zeros((600, 800, 3), np.uint8)
    x, y = FIELD.to_pixels([[0.25, 0.5]])[0]
    image[int(y) - 6 : int(y) + 6, int(x) - 6 : int(x) + 6] = 255
    flat = FIELD.rectify(image, 360, 300, margin=0.1)
    assert flat.shape == (300, 360, 3)
    rows, columns = np.nonzero(flat[..., 0] > 128)
    assert abs(columns.mean() / 360 * 1.2 - 0.1 - 0.25) < 0.01
    assert abs(rows.mean() / 300 * 1.2 - 0.1 - 0.5) < 0.02


def test_overlap_of_boxes() -> None:
    assert boxes_overlap((0, 0, 2, 2), (0, 0, 2, 2)) == 1
    assert boxes_overlap((0, 0, 2, 2), (2, 0, 4, 2)) == 0
    assert boxes_overlap((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
