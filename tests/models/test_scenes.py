"""Whole made-up pictures before they are taken: their truth must be that of their bodies."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.position import CHECKERS
from models.training.boards import FAMILIES, random_board
from models.training.positions import BAR_SLOT, OFF_SLOT
from models.training.scenes import CLOSE_SIZE, DIE_PIXELS, SIZES, field_corners, look_at, random_scene
from models.training.world import Camera, Scene, Shape

SEEDS = range(50)


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [random_scene(np.random.default_rng(seed)) for seed in SEEDS]


def pixels(camera: Camera, places: NDArray[np.float64]) -> NDArray[np.float64]:
    local = (places - camera.eye) @ np.asarray(camera.turn, np.float64).T
    assert (local[:, 2] > 0).all()
    return np.asarray(camera.focal * local[:, :2] / local[:, 2:] + np.array(camera.middle))


def test_counts_are_those_of_the_checkers(scenes: list[Scene]) -> None:
    for scene in scenes:
        truth = scene.truth
        slots, bar, off = [0] * 24, [0, 0], [0, 0]
        for checker in truth.checkers:
            if checker.slot == BAR_SLOT:
                bar[checker.side] += 1
            elif checker.slot == OFF_SLOT:
                off[checker.side] += 1
            else:
                slots[checker.slot] += -1 if checker.side else 1
        assert tuple(slots) == truth.slots
        assert tuple(bar) == truth.on_bar
        assert all(seen <= there for seen, there in zip(truth.off, off, strict=True))
        assert max(Counter(checker.side for checker in truth.checkers).values(), default=0) <= CHECKERS


def test_owners_are_bodies_of_their_kind(scenes: list[Scene]) -> None:
    for scene in scenes:
        truth = scene.truth
        kinds: dict[int, set[str]] = {}
        for body in scene.bodies:
            kinds.setdefault(body.owner, set()).add(body.kind)
        for owners, kind in (
            ([c.owner for c in truth.checkers], "checker"),
            ([d.owner for d in truth.dice], "die"),
            ([c.owner for c in truth.cubes], "cube"),
            (list(truth.cup_owners), "cup"),
            (list(truth.hand_owners), "hand"),
        ):
            assert len(set(owners)) == len(owners)
            for owner in owners:
                assert kind in kinds[owner]
                assert kinds[owner] <= {kind, "die", "checker"} or kind == "cup"
        assert not kinds[-1] & {"checker", "die", "cube", "cup", "hand"}


def test_checkers_truth_is_that_of_their_bodies(scenes: list[Scene]) -> None:
    for scene in scenes:
        bodies = {body.owner: body for body in scene.bodies if body.kind == "checker"}
        for checker in scene.truth.checkers:
            body = bodies[checker.owner]
            assert body.shape is Shape.DISC
            assert body.size[0] == pytest.approx(checker.radius)
            assert checker.centre == pytest.approx(body.centre + body.turn[2] * body.size[1], abs=1e-5)


def test_the_camera_sees_the_field(scenes: list[Scene]) -> None:
    for scene in scenes:
        corners = pixels(scene.camera, field_corners(scene.truth.field_height))
        middle = pixels(scene.camera, np.array([[0.5, scene.truth.field_height / 2, 0.0]]))[0]
        size = np.array(scene.camera.size)
        assert ((middle > 0) & (middle < size)).all()
        assert 0.12 < (np.ptp(corners, axis=0) / size).max() < 1.9
        (ax, ay), (bx, by), (cx, cy) = corners[:3]
        assert (bx - ax) * (cy - by) - (by - ay) * (cx - bx) > 0, "seen in a mirror"


def test_the_same_seed_gives_the_same_scene(scenes: list[Scene]) -> None:
    again = random_scene(np.random.default_rng(SEEDS[3]))
    first = scenes[3]
    assert again.truth == first.truth
    assert np.array_equal(again.camera.turn, first.camera.turn)
    assert len(again.bodies) == len(first.bodies)
    for a, b in zip(again.bodies, first.bodies, strict=True):
        assert (a.shape, a.size, a.kind, a.owner) == (b.shape, b.size, b.kind, b.owner)
        assert np.array_equal(a.centre, b.centre)
        assert (a.material.texture is None) == (b.material.texture is None)
        if a.material.texture is not None and b.material.texture is not None:
            assert np.array_equal(a.material.texture, b.material.texture)


def test_bodies_are_well_formed(scenes: list[Scene]) -> None:
    for scene in scenes:
        for body in scene.bodies:
            turn = np.asarray(body.turn, np.float64)
            assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-4)
            assert np.isfinite(body.centre).all()
            assert all(np.isfinite(length) and length >= 0 for length in body.size)


def test_conditions_vary(scenes: list[Scene]) -> None:
    style = [scene.truth.style for scene in scenes]
    for name in ("view", "light", "family", "bar_kind", "table"):
        assert len({s[name] for s in style}) > 2, name
    assert {scene.camera.size for scene in scenes} <= set(SIZES)
    share = {
        "hand": np.mean([bool(scene.truth.hand_owners) for scene in scenes]),
        "cup": np.mean([bool(scene.truth.cup_owners) for scene in scenes]),
        "die": np.mean([bool(scene.truth.dice) for scene in scenes]),
        "cube": np.mean([bool(scene.truth.cubes) for scene in scenes]),
    }
    assert 0.08 < share["hand"] < 0.5
    assert 0.1 < share["cup"] < 0.6
    assert share["die"] > 0.4
    assert 0.25 < share["cube"] < 0.75


def test_close_pictures_show_dice_of_the_wanted_size() -> None:
    near = 0
    for seed in range(12):
        scene = random_scene(np.random.default_rng(seed), kind="close")
        assert scene.camera.size == CLOSE_SIZE
        for die in scene.truth.dice:
            centre = np.array([die.centre])
            at = pixels(scene.camera, centre)[0]
            away = float(np.linalg.norm(centre - scene.camera.eye))
            edge = scene.camera.focal * die.edge / away
            inside = bool(((at > 0) & (at < CLOSE_SIZE)).all())
            near += inside
            if inside:
                assert 0.75 * DIE_PIXELS[0] < edge < 1.6 * DIE_PIXELS[1]
    assert near > 5


def test_a_wanted_size_is_kept() -> None:
    scene = random_scene(np.random.default_rng(0), (320, 200))
    assert scene.camera.size == (320, 200)


def test_look_at_sees_the_near_edge_below() -> None:
    turn = look_at(np.array([0.5, 2.0, 1.5]), np.array([0.5, 0.4, 0.0]), 0.0)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-6)
    assert turn[0] == pytest.approx((1, 0, 0))
    assert turn[1, 1] > 0
    assert turn[1, 2] < 0


def test_all_families_of_board_are_drawn() -> None:
    boards = [random_board(np.random.default_rng(seed), pixels=64) for seed in range(60)]
    assert {board.style["family"] for board in boards} == set(FAMILIES)
    for board in boards:
        ground = board.ground
        assert 0.6 < ground.field_height < 1.2
        assert ground.bar[0] <= 0.51
        assert ground.bar[1] >= 0.49
        assert ground.bar[1] - ground.bar[0] < 0.18
        assert 0.3 * (1 - ground.bar[1] + ground.bar[0]) / 12 < board.radius
        assert board.radius < 0.5 * (1 - ground.bar[1] + ground.bar[0]) / 12
        x0, y0, x1, y1 = ground.outside
        assert x0 <= ground.inside[0] <= 0 < 1 <= ground.inside[2] <= x1
        assert y0 <= ground.inside[1] <= 0 < ground.field_height <= ground.inside[3] <= y1
        for (left, top, right, bottom), floor in ground.trays:
            assert x0 < left < right < x1
            assert y0 < top < bottom < y1
            assert floor <= 0
