"""The drawn dice that the network learns from: repeatable, and labelled right."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.training.cubes import DieStyle, Light, draw_die, random_cube_style, random_pose, random_style
from models.training.render import EDGE, TILE, Scenes, load, save


@pytest.fixture(scope="module")
def scenes() -> Scenes:
    return Scenes(5, backgrounds=6)


def test_a_seed_gives_the_same_tiles() -> None:
    first, second = (Scenes(3, backgrounds=3) for _ in range(2))
    for _ in range(12):
        a, b = first.tile(), second.tile()
        assert np.array_equal(a.image, b.image)
        assert a.dice == b.dice


def test_tiles_are_pictures_with_dice_inside(scenes: Scenes) -> None:
    for _ in range(60):
        tile = scenes.tile()
        assert tile.image.shape == (TILE, TILE, 3)
        assert tile.image.dtype == np.uint8
        for die in tile.dice:
            x0, y0, x1, y1 = die.box
            assert 1 <= die.value <= 6
            assert x0 < die.centre[0] < x1
            assert y0 < die.centre[1] < y1
            # a cube's outline is at least an edge wide, less its rounding, and less than its diagonal
            assert 0.7 * die.edge < x1 - x0 < 2.1 * die.edge
            assert 0.7 * die.edge < y1 - y0 < 2.1 * die.edge
            assert np.hypot(*die.up) <= 1
            assert die.covered >= 0


def test_a_tile_holds_what_was_asked_for(scenes: Scenes) -> None:
    assert not scenes.tile(dice=0).dice
    (die,) = scenes.tile(dice=1, edge=EDGE).dice
    assert die.edge == pytest.approx(EDGE, rel=0.07)


@pytest.mark.parametrize("tilt", [0.0, 30.0, 48.0])
def test_poses_are_dice(tilt: float) -> None:
    rng = np.random.default_rng(1)
    up = np.array([0.3, -0.2, np.sqrt(1 - 0.13)])
    tops, chiralities = set(), set()
    for _ in range(200):
        pose = random_pose(rng, up, tilt)
        by_normal = {tuple(np.round(normal, 6)): value for normal, _, _, value in pose.faces()}
        assert sorted(by_normal.values()) == [1, 2, 3, 4, 5, 6]
        for normal, value in by_normal.items():
            opposite = tuple(np.round(-np.array(normal), 6) + 0.0)
            assert {tuple(np.array(k) + 0.0): v for k, v in by_normal.items()}[opposite] == 7 - value
        assert np.allclose(pose.axes @ pose.axes.T, np.eye(3))
        top = max(pose.faces(), key=lambda face: float(face[0] @ up))
        assert top[3] == pose.values[2]
        tops.add(pose.values[2])
        corner = np.stack([normal for normal, _, _, value in sorted(pose.faces(), key=lambda f: f[3])][:3])
        chiralities.add(bool(np.linalg.det(corner) > 0))
    assert tops == {1, 2, 3, 4, 5, 6}
    assert chiralities == {True, False}


def test_what_is_drawn_is_where_the_truth_says() -> None:
    rng = np.random.default_rng(2)
    up = np.array([0.0, 0.0, 1.0])
    light = Light(up, up, 0.6, 0.4)
    for k in range(20):
        canvas = np.zeros((200, 200, 3), np.uint8)
        style = random_cube_style(rng) if k % 4 == 0 else random_style(rng)
        mask, (x0, y0, x1, y1) = draw_die(
            canvas, rng, style, random_pose(rng, up, 0.0), (90.0, 110.0), 60.0, light, 30.0
        )
        rows, columns = np.nonzero(mask)
        assert (columns.min(), rows.min()) == (x0 + 0.5, y0 + 0.5)
        assert (columns.max(), rows.max()) == (x1 - 0.5, y1 - 0.5)
        assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((90, 110), abs=3)
        assert not canvas[mask == 0].any()


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5, 6])
def test_a_die_shows_its_pips(value: int) -> None:
    rng = np.random.default_rng(3)
    up = np.array([0.0, 0.0, 1.0])
    style = DieStyle((250, 250, 250), (5, 5, 5), (5, 5, 5), depth=0.0)
    while (pose := random_pose(rng, up, 0.0)).values[2] != value:
        pass
    canvas = np.full((160, 160, 3), 128, np.uint8)
    mask, _ = draw_die(canvas, rng, style, pose, (80.0, 80.0), 80.0, Light(up, up, 0.5, 0.5), 60.0)
    dark = ((canvas.max(axis=2) < 60) & (mask > 0)).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    assert sum(area > 20 for area in stats[1:count, cv2.CC_STAT_AREA]) == value


def test_tiles_are_kept_on_disk(scenes: Scenes, tmp_path: Path) -> None:
    tiles = [scenes.tile() for _ in range(5)]
    save(tmp_path / "tiles.npz", tiles)
    for old, new in zip(tiles, load(tmp_path / "tiles.npz"), strict=True):
        assert np.array_equal(old.image, new.image)
        assert old.dice == new.dice
