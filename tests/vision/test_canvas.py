"""The canvas: every slot at a fixed place, whatever the bar."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision import canvas
from vision.geometry import FieldMap

edges = st.tuples(st.floats(0.42, 0.49), st.floats(0.51, 0.58))
units = st.lists(st.tuples(st.floats(-0.05, 1.05), st.floats(-0.2, 1.2)), min_size=1, max_size=20)


@given(edges, units)
def test_to_and_from_the_canvas(bar: tuple[float, float], places: list[tuple[float, float]]) -> None:
    there = canvas.to_canvas(places, bar)
    assert np.allclose(canvas.from_canvas(there, bar), places, atol=1e-9)


@given(edges)
def test_every_slot_lies_in_its_column(bar: tuple[float, float]) -> None:
    field = FieldMap(np.array([[0, 0], [100, 0], [100, 80], [0, 80]]), bar)
    for slot in range(24):
        x, y = canvas.to_canvas([(field.slot_x(slot), 0.1 if slot < 12 else 0.9)], bar)[0]
        assert x == pytest.approx(canvas.left_of(slot) + canvas.COLUMN / 2)
        assert (y < canvas.HEIGHT / 2) == (slot < 12)
    middle = canvas.to_canvas([((bar[0] + bar[1]) / 2, 0.5)], bar)[0]
    assert middle[0] == pytest.approx(canvas.left_of(24) + canvas.COLUMN / 2)


@pytest.mark.parametrize("size", [1, 4])
def test_the_canvas_shows_what_the_picture_shows(size: int) -> None:
    """A mark on each point of a slanted board, small and large, lands on its column."""
    corners = np.array([[30, 20], [290, 35], [310, 235], [10, 220]], float) * size
    field = FieldMap(corners, (0.46, 0.54))
    image = np.full((260 * size, 330 * size, 3), 40, np.uint8)
    for slot in range(24):
        x, y = field.to_pixels([(field.slot_x(slot), 0.15 if slot < 12 else 0.85)])[0].round().astype(int)
        image[y - 2 * size : y + 2 * size, x - 2 * size : x + 2 * size] = (0, 0, 10 * slot + 20)
    seen = canvas.paint(image, field)
    assert seen.shape == (canvas.HEIGHT, canvas.WIDTH, 3)
    for slot in range(24):
        y = canvas.ABOVE + round((0.15 if slot < 12 else 0.85) * 2 * canvas.ROW)
        x = canvas.left_of(slot) + canvas.COLUMN // 2
        assert abs(int(seen[y, x, 2]) - (10 * slot + 20)) < 12, slot
        assert seen[y, x, 0] < 20


def test_a_board_without_a_bar() -> None:
    field = FieldMap(np.array([[0, 0], [100, 0], [100, 80], [0, 80]]), (0.5, 0.5))
    image = np.full((80, 100, 3), 90, np.uint8)
    assert (canvas.paint(image, field) == 90).all()
