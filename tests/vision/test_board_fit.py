"""Bar and sides of a field from the sides of its points."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.board_fit import fit_columns
from vision.geometry import FieldMap

CORNERS = np.array([[90, 60], [570, 70], [600, 420], [60, 410]], float)


def picture(field: FieldMap) -> np.ndarray:
    """A field of triangles in two colours, with a dark frame and a bar."""
    image = np.full((480, 660, 3), (40, 60, 90), np.uint8)

    def fill(places: list[tuple[float, float]], colour: tuple[int, int, int]) -> None:
        cv2.fillPoly(image, [np.rint(16 * field.to_pixels(places)).astype(np.int32)], colour, cv2.LINE_AA, 4)

    fill([(0, 0), (1, 0), (1, 1), (0, 1)], (90, 150, 120))
    left, right = field.bar
    fill([(left, 0), (right, 0), (right, 1), (left, 1)], (40, 60, 90))
    for slot in range(24):
        x, half = field.slot_x(slot), field.point_width / 2
        base, tip = (0.0, 0.42) if slot < 12 else (1.0, 0.58)
        colour = (200, 220, 230) if (slot + slot // 12) % 2 else (40, 40, 120)
        fill([(x - half, base), (x + half, base), (x, tip)], colour)
    return image


@pytest.mark.parametrize("bar", [(0.5, 0.5), (0.48, 0.52), (0.44, 0.56), (0.45, 0.53)])
def test_the_bar_is_found(bar: tuple[float, float]) -> None:
    field = FieldMap(CORNERS, bar)
    found = fit_columns(picture(field), FieldMap(CORNERS), move_sides=False)
    assert np.allclose(found.corners, field.corners)
    assert np.allclose(found.bar, bar, atol=0.006)


def test_the_sides_are_moved_to_the_first_and_the_last_point() -> None:
    field = FieldMap(CORNERS, (0.46, 0.54))
    off = FieldMap(field.to_pixels([(-0.02, 0), (1.015, 0), (1.015, 1), (-0.02, 1)]))
    found = fit_columns(picture(field), off, move_sides=True)
    edges = [(0, 0.5), (found.bar[0], 0.5), (found.bar[1], 0.5), (1, 0.5)]
    assert np.allclose(field.to_board(found.to_pixels(edges))[:, 0], (0, 0.46, 0.54, 1), atol=0.009)


def test_a_plain_picture_says_nothing() -> None:
    plain = np.full((480, 660, 3), 90, np.uint8)
    assert np.isfinite(fit_columns(plain, FieldMap(CORNERS), move_sides=True).bar).all()
