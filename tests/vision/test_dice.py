"""Dice on boards drawn for the test."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from engine.events import BoardSeen, Throw
from engine.observation import EMPTY_SLOT, DieReading, SlotReading
from hardware.camera import Image
from hardware.table import SimulatedTable
from models.training.cubes import DieStyle, Light, Vector, draw_die, random_pose
from vision.dice import DiceReader, Die, _paired, _up
from vision.geometry import FieldMap

LEFT, TOP, WIDTH, HEIGHT = 240, 90, 700, 560
FIELD = FieldMap(
    np.array([[LEFT, TOP], [LEFT + WIDTH, TOP], [LEFT + WIDTH, TOP + HEIGHT], [LEFT, TOP + HEIGHT]])
)
RED = DieStyle((40, 35, 190), (240, 240, 240), (240, 240, 240))
CUBE = DieStyle((235, 238, 240), (20, 20, 20), (20, 20, 20), numerals=True)
STACKS = {0: -5, 4: 3, 6: 5, 11: -2, 12: 5, 16: -3, 18: -5, 23: 2}


def draw_board(stacks: dict[int, int]) -> Image:
    """A 1280x720 picture of a board with a rim, points and checkers, seen from straight above."""
    rng = np.random.default_rng(0)
    image = np.full((720, 1280, 3), (90, 95, 100), np.uint8)
    cv2.rectangle(image, (LEFT - 36, TOP - 36), (LEFT + WIDTH + 36, TOP + HEIGHT + 36), (30, 50, 90), -1)
    cv2.rectangle(image, (LEFT, TOP), (LEFT + WIDTH, TOP + HEIGHT), (60, 100, 60), -1)
    bar = [round(LEFT + share * WIDTH) for share in FIELD.bar]
    cv2.rectangle(image, (bar[0], TOP), (bar[1], TOP + HEIGHT), (30, 50, 90), -1)
    half = FIELD.point_width / 2
    for slot in range(24):
        x, top = FIELD.slot_x(slot), slot < 12
        shape = FIELD.to_pixels([[x - half, 1 - top], [x + half, 1 - top], [x, 0.4 if top else 0.6]])
        cv2.fillConvexPoly(
            image, shape.round().astype(np.int32), (40, 70, 150) if slot % 2 else (170, 190, 200)
        )
        for k in range(abs(stacks.get(slot, 0))):
            radius = 0.47 * FIELD.point_width * WIDTH
            middle = (
                LEFT + x * WIDTH,
                TOP + radius * (2 * k + 1) if top else TOP + HEIGHT - radius * (2 * k + 1),
            )
            centre = (round(middle[0]), round(middle[1]))
            colour = (225, 230, 235) if stacks[slot] > 0 else (35, 30, 30)
            cv2.circle(image, centre, round(radius), colour, -1, cv2.LINE_AA)
            cv2.circle(image, centre, round(radius * 0.7), (120, 120, 120), 1, cv2.LINE_AA)
    return np.clip(image + rng.normal(0, 2, image.shape), 0, 255).astype(np.uint8)


def lit(up: Vector) -> Light:
    lamp = np.array([0.3, -0.3, 0.9])
    return Light(up, lamp / np.linalg.norm(lamp), 0.6, 0.4)


def with_dice(
    board: Image,
    dice: Sequence[tuple[int, tuple[float, float]]],
    tilt: float = 0.0,
    style: DieStyle = RED,
) -> tuple[Image, list[tuple[float, float]]]:
    """The board with dice of given values at given board units; also where they are in pixels."""
    rng = np.random.default_rng(7)
    image = cv2.resize(board, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
    places = []
    for value, place in dice:
        x, y = (float(v) for v in FIELD.to_pixels([place])[0])
        up = np.array([(x - 640) / 960, (y - 360) / 960, 1.0])
        up /= np.linalg.norm(up)
        while (pose := random_pose(rng, up, tilt)).values[2] != value:
            pass
        draw_die(image, rng, style, pose, (2 * x, 2 * y), 52.0, lit(up), 30.0)  # type: ignore[arg-type]
        places.append((x, y))
    return cv2.resize(image, (1280, 720), interpolation=cv2.INTER_AREA), places  # type: ignore[return-value]


def slots_of(stacks: dict[int, int]) -> list[SlotReading]:
    return [SlotReading(((stacks[k], 1.0),)) if k in stacks else EMPTY_SLOT for k in range(24)]


@pytest.fixture(scope="module")
def reader() -> DiceReader:
    return DiceReader()


@pytest.fixture(scope="module")
def board() -> Image:
    return draw_board(STACKS)


def by_place(readings: Sequence[DieReading]) -> list[DieReading]:
    return sorted(readings, key=lambda reading: reading.centre[0])


def test_an_empty_board_has_no_dice(reader: DiceReader, board: Image) -> None:
    assert reader.read(board, FIELD, slots=slots_of(STACKS)) == ()


@pytest.mark.parametrize(("a", "b"), [(1, 2), (3, 4), (5, 6), (6, 6)])
def test_two_dice_and_no_more(reader: DiceReader, board: Image, a: int, b: int) -> None:
    image, places = with_dice(board, [(a, (0.62, 0.48)), (b, (0.85, 0.55))])
    first, second = by_place(reader.read(image, FIELD, slots=slots_of(STACKS)))
    assert (first.value, second.value) == (a, b)
    for reading, (x, y) in zip((first, second), places, strict=True):
        assert reading.box[0] < x < reading.box[2]
        assert reading.box[1] < y < reading.box[3]
        assert reading.half == "right"
        assert reading.state == "flat"
        assert sum(reading.values) == pytest.approx(1)
        assert sum(share for _, share in reading.states) == pytest.approx(1)


def test_dice_that_touch(reader: DiceReader, board: Image) -> None:
    image, _ = with_dice(board, [(5, (0.62, 0.48)), (3, (0.62 + 34 / WIDTH, 0.48))])
    assert [die.value for die in by_place(reader.read(image, FIELD))] == [5, 3]


def test_ways_to_lie(reader: DiceReader, board: Image) -> None:
    over = (FIELD.slot_x(4), 0.06)  # three checkers lie there
    image, _ = with_dice(board, [(5, over), (4, (0.5, 0.5)), (2, (1.16, 0.5))])
    checker, bar, table = by_place(reader.read(image, FIELD, slots=slots_of(STACKS)))
    assert (checker.state, checker.value, checker.half) == ("on_checker", 5, "left")
    assert (bar.state, bar.value) == ("on_frame", 4)
    assert (table.state, table.value, table.half) == ("off_board", 2, "off")


def test_a_tipped_die_is_cocked(reader: DiceReader, board: Image) -> None:
    image, _ = with_dice(board, [(3, (0.25, 0.5))], tilt=28.0)
    (die,) = reader.read(image, FIELD)
    assert die.state == "cocked"


@pytest.mark.parametrize("power", [1, 2, 3, 4, 5, 6])
def test_a_doubling_cube_is_no_die(reader: DiceReader, board: Image, power: int) -> None:
    image, ((x, y),) = with_dice(board, [(power, (0.5, 0.5))], style=CUBE)
    dice, cube = reader.read_all(image, FIELD)
    assert dice == ()
    assert cube is not None
    assert cube.value in (2, 4, 8, 16, 32, 64)  # which of them is not yet read with any certainty
    assert cube.box[0] < x < cube.box[2]
    assert cube.box[1] < y < cube.box[3]


def test_a_board_without_a_cube(reader: DiceReader, board: Image) -> None:
    image, _ = with_dice(board, [(3, (0.25, 0.5))])
    assert reader.read_all(image, FIELD)[1] is None


def thing(x: float, edge: float, cube: float) -> Die:
    half = 0.65 * edge
    die = 0.99 - cube
    return Die(
        (x - half, 50 - half, x + half, 50 + half), (1.0, *[0.0] * 5), (0.0,) * 6, (0.0, 0.0), die, cube
    )


@pytest.mark.parametrize(
    ("edge", "colour", "more", "dice"),
    [
        (30, (40, 110, 230), 0, 2),  # as large as the die, and orange in shadow
        (40, (40, 110, 230), 0, 1),
        (30, (230, 230, 230), 0, 1),
        (30, (40, 110, 230), 1, 2),  # the pair is whole already
    ],
)
def test_a_cube_like_the_only_die_is_the_other_one(
    edge: float, colour: tuple[int, int, int], more: int, dice: int
) -> None:
    image = np.full((100, 400, 3), 90, np.uint8)
    image[:, :200] = 50, 135, 250
    image[:, 200:] = colour
    found = [thing(60 + 60 * k, 30, 0.01) for k in range(1 + more)] + [thing(300, edge, 0.98)]
    told = _paired(image, found, 0.75)
    assert sum(die.confidence > 0.75 for die in told) == dice
    assert all(die.confidence + die.cube == pytest.approx(0.99) for die in told)


@pytest.mark.parametrize("x", [-40, 0, 399, 440])
def test_the_other_one_may_be_cut_off(x: float) -> None:
    image = np.full((100, 400, 3), 90, np.uint8)
    told = _paired(image, [thing(200, 30, 0.01), thing(x, 30, 0.98)], 0.75)
    assert [die.cube for die in told] == pytest.approx([0.01, 0.0])


@pytest.mark.parametrize("learn", [True, False])
def test_a_picture_alone_is_read_as_one_of_many(board: Image, learn: bool) -> None:
    """Looks in several sizes give one box, that of the die."""
    image, ((x, y),) = with_dice(board, [(3, (0.25, 0.5))])
    (die,) = DiceReader(learn=learn).read(image, FIELD)
    assert die.value == 3
    assert die.box == pytest.approx((x - 17, y - 17, x + 17, y + 17), abs=4)


def test_only_what_changed_is_looked_at(reader: DiceReader, board: Image) -> None:
    old, _ = with_dice(board, [(3, (0.25, 0.5))])
    new, _ = with_dice(board, [(3, (0.25, 0.5)), (6, (0.7, 0.5))])
    changed = np.abs(new.astype(int) - old.astype(int)).max(axis=2) > 20
    (die,) = reader.read(new, FIELD, changed=changed)
    assert die.value == 6
    assert reader.read(new, FIELD, changed=np.zeros((720, 1280), bool)) == ()


def test_large_dice_of_unknown_scale(reader: DiceReader) -> None:
    rng = np.random.default_rng(3)
    image = np.full((480, 640, 3), (150, 170, 175), np.uint8)
    up = np.array([0.0, 0.0, 1.0])
    while (pose := random_pose(rng, up, 0.0)).values[2] != 5:
        pass
    draw_die(image, rng, RED, pose, (200.0, 240.0), 150.0, lit(up), 30.0)
    (die,) = reader.read_loose(image)
    assert die.value == 5
    assert die.box == pytest.approx((115, 155, 285, 325), abs=45)


def test_a_table_in_the_frame_of_a_ray_is_turned_the_shortest_way() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        focal, place = float(rng.uniform(500, 2000)), rng.uniform(-600, 600, 2)
        ray = np.array([*place, focal]) / np.linalg.norm([*place, focal])
        axis = np.cross(ray, [0, 0, 1])
        turn, _ = cv2.Rodrigues(axis / np.linalg.norm(axis) * np.arccos(ray[2]))
        found = _up(normal[None], np.array([focal]), place[None])[0, 0]
        assert np.allclose(found, turn @ normal * (1, 1, -1))


@pytest.mark.parametrize("learn", [True, False])
def test_the_camera_is_learnt_from_how_dice_lie(learn: bool) -> None:
    """A long lens at a slant: of a field alone it cannot be told from a short one that is nearer."""
    table = SimulatedTable(seed=3, style="felt", pose="oblique", max_turns=8)
    board = table.truth()[0]
    assert isinstance(board, BoardSeen)
    field, reader = FieldMap(np.array(board.corners)), DiceReader(learn=learn)
    table.start()
    flat = []
    for throw in (event for event in table.truth() if isinstance(event, Throw)):
        image = table.picture(math.ceil(throw.t * table.fps) + 3)
        flat.append([dict(die.states).get("flat", 0.0) for die in reader.read(image, field)])
    assert min(min(one) for one in flat[2:]) > (0.95 if learn else 0.3)
    assert (len(reader._lying) > 2) is learn
    reader.read(image, FieldMap(field.corners + 5))
    assert len(reader._lying) <= 2, "what was learnt of another field is forgotten"
