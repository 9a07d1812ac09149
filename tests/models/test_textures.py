"""The made-up pictures of woods, cloths and painted fields."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

from models.training import textures
from models.training.world import Image
from vision.geometry import FieldMap


def _ground(kind: str, rng: np.random.Generator) -> Image:
    return textures.GROUNDS[kind](rng, 90, 120, (120.0, 80.0, 60.0))


_MAKERS: dict[str, Callable[[np.random.Generator], Image]] = {
    "wood": lambda rng: textures.wood(rng, 90, 120),
    "burl": lambda rng: textures.wood(rng, 90, 120, "burl", upright=True),
    "planks": lambda rng: textures.planks(rng, 90, 120),
    "tiles": lambda rng: textures.tiles(rng, 90, 120),
    "tablecloth": lambda rng: textures.tablecloth(rng, 90, 120),
    "page": lambda rng: textures.page(rng, 90, 120),
    "metal": lambda rng: textures.metal(rng, 90, 120),
    "inlay": lambda rng: textures.inlay_strip(rng, 90, 120),
    "mosaic": lambda rng: textures.mosaic_panel(rng, 90, 120),
    "table": lambda rng: textures.table_picture(rng, 90, 120)[0],
    **{kind: functools.partial(_ground, kind) for kind in textures.GROUNDS},
}


@pytest.mark.parametrize("kind", _MAKERS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pictures_have_the_size_asked_for_and_come_again_from_their_seed(kind: str, seed: int) -> None:
    first, again = (_MAKERS[kind](np.random.default_rng(seed)) for _ in range(2))
    assert first.shape == (90, 120, 3)
    assert first.dtype == np.uint8
    assert np.array_equal(first, again)
    assert not np.array_equal(first, _MAKERS[kind](np.random.default_rng(seed + 100)))


@pytest.mark.parametrize("design", textures.DESIGNS)
@pytest.mark.parametrize("bar", [(0.46, 0.54), (0.5, 0.5), (0.42, 0.5)])
def test_a_field_is_drawn_in_every_design(design: str, bar: tuple[float, float]) -> None:
    for seed in range(4):
        picture, style = textures.field_picture(np.random.default_rng(seed), 0.8, bar, 240, design)
        again, same = textures.field_picture(np.random.default_rng(seed), 0.8, bar, 240, design)
        assert picture.shape == (192, 240, 3)
        assert picture.dtype == np.uint8
        assert np.array_equal(picture, again)
        assert style == same
        assert style["design"] == design
        assert style["shape"] in textures.SHAPES
        assert 0 < float(style["rough"]) <= 1


def test_points_lie_where_the_geometry_says() -> None:
    bar = (0.45, 0.55)
    field = FieldMap(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), bar)
    for slot, middle, pitch in textures.point_places(0.8, bar):
        assert middle == pytest.approx(field.slot_x(slot))
        assert pitch == pytest.approx(field.point_width)


def test_points_alternate_and_stand_out_from_the_ground() -> None:
    bar, pixels = (0.46, 0.54), 600
    field = FieldMap(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), bar)
    seen = 0
    for seed in range(40):
        picture, style = textures.field_picture(np.random.default_rng(seed), 0.8, bar, pixels, "sewn")
        if style["ornament"] or style["shape"] != "triangle" or float(style["breadth"]) < 0.7:
            continue
        rows = picture.shape[0]
        spots = np.array([[field.slot_x(s), 0.06 if s < 12 else 0.94] for s in range(24)])
        colours = []
        for x, y in spots:
            u, v = int(x * pixels), int(y * rows)
            colours.append(np.median(picture[v - 3 : v + 4, u - 2 : u + 3].reshape(-1, 3), axis=0))
        for start in (0, 6, 12, 18):
            half = np.array(colours[start : start + 6])
            assert np.abs(half[::2] - half[0]).max() < 60
            assert np.abs(half[1::2] - half[1]).max() < 60
        ground = np.median(picture[rows // 2 - 4 : rows // 2 + 4].reshape(-1, 3), axis=0)
        seen += bool(max(np.abs(colours[0] - ground).max(), np.abs(colours[1] - ground).max()) > 20)
    assert seen >= 5


def test_linear_follows_the_srgb_curve() -> None:
    assert textures.linear((0, 128, 255)) == pytest.approx((0, 0.2158605, 1), abs=1e-5)


def test_stars_and_polygons_surround_the_middle() -> None:
    star = textures.ring(8, 10.0, 0.3, 4.0)
    assert star.shape == (16, 2)
    assert np.allclose(np.hypot(*star.T).reshape(-1, 2), [10, 4], atol=1e-4)
    assert np.allclose(star.mean(axis=0), 0, atol=1e-4)
