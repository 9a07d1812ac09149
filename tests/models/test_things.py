"""The things about a board rest where they could rest, and their truth says so."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from models.training.materials import CUBE_FACES, DieLook, die_faces
from models.training.things import (
    Ground,
    Placed,
    floor_height,
    random_clutter,
    random_cube,
    random_cup,
    random_dice,
    random_hands,
)
from models.training.world import Body, DieTruth, Shape

SLIVER = 2e-3  #: field widths
Thrown = tuple[Ground, tuple[Body, ...], Body, DieTruth]


def ground(seed: int, plain: bool = False) -> Ground:
    """A wooden case with some checkers; ``plain``: a printed board without frame or bar."""
    rng = np.random.default_rng(seed)
    height = 0.82
    checkers = []
    for column in range(12):
        for near in (False, True):
            for row in range(int(rng.integers(0, 5)) if rng.random() < 0.6 else 0):
                x = (column + 0.5) * 0.92 / 12 + (0.08 if column > 5 else 0.0)
                y = 0.035 + 0.07 * row
                checkers.append(Placed(x, height - y if near else y, 0.018, 0.034))
    if plain:
        board = (0.0, 0.0, 1.0, height)
        return Ground(height, (0.5, 0.5), 0.0, board, board, 0.0, 0.0, 0.0, tuple(checkers))
    outside = (-0.12, -0.05, 1.12, height + 0.05)
    trays = (((-0.08, 0.0, -0.04, 0.4), 0.0),)
    inside = (0.0, 0.0, 1.0, height)
    return Ground(height, (0.46, 0.54), 0.025, inside, outside, 0.04, 0.05, -0.03, tuple(checkers), trays)


def surface(body: Body) -> NDArray[np.float64]:
    """Points on a rounded box, in the world."""
    rng = np.random.default_rng(0)
    grid = rng.uniform(-1, 1, (3000, 3))
    axis = rng.integers(0, 3, 3000)
    grid[np.arange(3000), axis] = np.sign(grid[np.arange(3000), axis])
    corners = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    grid = np.vstack((grid, corners))
    normal = np.where(np.abs(grid) == 1, grid, 0.0)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    rounding = body.size[3]
    return np.asarray((grid * (body.size[0] - rounding) + normal * rounding) @ body.turn + body.centre)


def clearance(board: Ground, points: NDArray[np.float64]) -> float:
    """How far the lowest of points is above what is under it; a sliver into a wall counts as beside it."""
    shifts = ((0.0, 0.0), (SLIVER, 0.0), (-SLIVER, 0.0), (0.0, SLIVER), (0.0, -SLIVER))
    under = [floor_height(board, points[:, 0] + dx, points[:, 1] + dy) for dx, dy in shifts]
    return float((points[:, 2] - np.min(under, axis=0)).min())


def thrown(count: int = 200) -> list[Thrown]:
    found: list[Thrown] = []
    for seed in range(count):
        board = ground(seed, plain=seed % 5 == 0)
        bodies, truths = random_dice(np.random.default_rng(seed), board, 50)
        assert [body.owner for body in bodies] == [truth.owner for truth in truths]
        found += [(board, bodies, body, truth) for body, truth in zip(bodies, truths, strict=True)]
    return found


@pytest.fixture(scope="module")
def dice() -> list[Thrown]:
    return thrown()


def test_every_state_and_half_and_value_occurs(dice: list[Thrown]) -> None:
    states = Counter(truth.state for *_, truth in dice)
    assert set(states) == {"flat", "cocked", "on_checker", "on_frame", "off_board"}
    assert states["flat"] > len(dice) / 2
    assert {truth.half for *_, truth in dice} == {"left", "right", "off"}
    assert {truth.value for *_, truth in dice} >= {1, 2, 3, 4, 5, 6}


def test_no_die_sinks_and_each_touches_something(dice: list[Thrown]) -> None:
    for board, _, body, truth in dice:
        assert abs(clearance(board, surface(body))) < SLIVER, truth


def test_states_are_true(dice: list[Thrown]) -> None:
    for board, others, body, truth in dice:
        x, y, z = truth.centre
        tilt = np.degrees(np.arccos(min(1.0, truth.up[2])))
        if truth.state == "cocked":
            assert tilt >= 8
            points = surface(body)
            assert points[:, 2].min() == pytest.approx(0.0, abs=SLIVER)
            # the other touch: pushed on the way it leans, it would be in a wall, a checker or a die
            pushed = points[points[:, 2] > 0.004]
            pushed[:, :2] -= 2 * SLIVER * np.array(truth.up[:2]) / np.hypot(*truth.up[:2])
            deep = floor_height(board, pushed[:, 0], pushed[:, 1]) > pushed[:, 2]
            for other in others:
                if other is not body:
                    deep |= np.abs((pushed - other.centre) @ other.turn.T).max(axis=1) < other.size[0]
            assert deep.any()
            continue
        assert tilt == pytest.approx(0.0, abs=1e-2)
        on_floor = 0 <= x <= 1 and 0 <= y <= board.field_height
        if truth.state == "flat":
            assert on_floor
            assert z == pytest.approx(truth.edge / 2, abs=1e-4)
        elif truth.state == "on_checker":
            assert z == pytest.approx(0.018 + truth.edge / 2, abs=1e-4)
        elif truth.state == "off_board":
            assert truth.half == "off"
            assert z == pytest.approx(board.table + truth.edge / 2, abs=1e-4)
        else:
            assert truth.half == "off"


def test_the_value_is_on_the_face_most_upward(dice: list[Thrown]) -> None:
    for _, _, body, truth in dice:
        assert np.allclose(body.turn @ body.turn.T, np.eye(3), atol=1e-5)
        assert np.linalg.det(body.turn) > 0
        mirrored = DieLook(*body.material.parameters).mirrored > 0
        rises = {value: (np.array(face) @ body.turn)[2] for value, face in die_faces(mirrored).items()}
        highest = max(rises, key=lambda value: rises[value])
        assert truth.value in (0, highest)
        if truth.value == 0:
            assert sorted(rises.values())[-1] - sorted(rises.values())[-2] < 0.1
        assert truth.up[2] == pytest.approx(max(rises.values()), abs=1e-5)


def test_dice_of_one_throw_do_not_overlap() -> None:
    for seed in range(80):
        bodies, _ = random_dice(np.random.default_rng(seed), ground(seed), 0, count=4)
        for i, first in enumerate(bodies):
            for second in bodies[i + 1 :]:
                inside = np.abs((surface(first) - second.centre) @ second.turn.T).max(axis=1)
                assert inside.min() > second.size[0] - SLIVER


def test_a_cube_shows_its_value_unmirrored() -> None:
    values: Counter[int] = Counter()
    for seed in range(120):
        board = ground(seed, plain=seed % 4 == 0)
        bodies, truth = random_cube(np.random.default_rng(seed), board, 7)
        if truth is None:
            continue
        (body,) = bodies
        assert body.owner == truth.owner == 7
        assert (np.array(CUBE_FACES[truth.value]) @ body.turn)[2] == pytest.approx(1.0, abs=1e-5)
        assert np.linalg.det(body.turn) > 0
        assert abs(clearance(board, surface(body))) < SLIVER
        values[truth.value] += 1
    assert set(values) == set(CUBE_FACES)
    assert values[64] > sum(values.values()) / 3


def test_cups_stand_or_lie_on_something() -> None:
    poses: Counter[int] = Counter()
    slopes = []
    for seed in range(200):
        board = ground(seed)
        parts = random_cup(np.random.default_rng(seed), board, 3)
        assert {part.owner for part in parts} <= {3}
        if not parts:
            continue
        cup = parts[0]
        assert cup.shape == Shape.CUP
        low, high, half, _ = cup.size
        turns = np.linspace(0, 2 * np.pi, 721)
        side = np.vstack(
            [
                np.column_stack((radius * np.cos(turns), radius * np.sin(turns), np.full(721, z)))
                for radius, z in zip(np.linspace(low, high, 41), np.linspace(-half, half, 41), strict=True)
            ]
        )
        gap = clearance(board, np.asarray(side @ cup.turn + cup.centre, np.float64))
        pose = int(np.trunc(1.001 * float(cup.turn[2, 2])))
        assert abs(gap) < (SLIVER if pose else 5 * SLIVER)
        poses[pose] += 1
        if not pose:
            slopes.append(abs(float(cup.turn[2, 2])))
    assert set(poses) == {-1, 0, 1}
    assert sum(slope > 0.15 for slope in slopes) > 10, "over an edge"
    assert sum(slope < 0.15 for slope in slopes) > 10


def test_hands_stay_above_the_board_and_have_their_numbers() -> None:
    for seed in range(60):
        board = ground(seed)
        bodies = random_hands(np.random.default_rng(seed), board, 20)
        owners = {body.owner for body in bodies}
        assert owners == set(range(20, 20 + len(owners)))
        kinds = {body.owner: {other.kind for other in bodies if other.owner == body.owner} for body in bodies}
        assert all(len(kind) == 1 and kind <= {"hand", "cup"} for kind in kinds.values())
        for body in bodies:
            if body.shape != Shape.CONE or body.material.texture is not None:
                continue
            for sign, radius in ((-1, body.size[0]), (1, body.size[1])):
                x, y, z = body.centre + sign * body.size[2] * body.turn[2]
                if radius < 0.03:  # fingers
                    assert z - radius > float(floor_height(board, x, y)) - SLIVER


def test_clutter_lies_beside_the_board() -> None:
    for seed in range(60):
        board = ground(seed)
        x0, y0, x1, y1 = board.outside
        for body in random_clutter(np.random.default_rng(seed), board):
            assert body.owner == -1
            assert body.kind == "clutter"
            x, y, _ = body.centre
            assert not (x0 < x < x1 and y0 < y < y1)


def everything(seed: int) -> list[Body]:
    rng, board = np.random.default_rng(seed), ground(seed)
    dice, _ = random_dice(rng, board, 0)
    cube, _ = random_cube(rng, board, 10, dice)
    cup = random_cup(rng, board, 11, dice + cube)
    bodies = dice + cube + cup + random_hands(rng, board, 12)
    return [*bodies, *random_clutter(rng, board, bodies)]


def test_a_seed_gives_the_same_things() -> None:
    for seed in range(5):
        for a, b in zip(everything(seed), everything(seed), strict=True):
            assert a.size == b.size
            assert a.material.colour == b.material.colour
            assert np.array_equal(a.centre, b.centre)
            assert np.array_equal(a.turn, b.turn)
