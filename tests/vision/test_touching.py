"""Dice against checkers and beside them, on the simulated table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.events import Throw
from engine.layout import Orientation, to_slots
from engine.observation import Box, SlotReading
from engine.position import Game, Position, Side
from engine.rules import default_rules
from hardware.camera import Image
from hardware.table import STYLES, SimulatedTable
from hardware.table.painter import Painter
from hardware.table.scene import (
    BAR_WIDTH,
    DIE,
    FIELD_X,
    POSES,
    RADIUS,
    Checker,
    Die,
    Lens,
    Pose,
    Seats,
    die_at,
    field_corners,
    stacks,
)
from hardware.table.story import Scene
from vision.appearance import Stance, learn
from vision.dice import DiceReader
from vision.geometry import FieldMap
from vision.reader import BoardReader
from vision.touching import gap

BAR = (0.5 - BAR_WIDTH / 4 / FIELD_X, 0.5 + BAR_WIDTH / 4 / FIELD_X)
GAME, WAY = Game.BACKGAMMON, Orientation.BOTTOM_RIGHT
START = to_slots(Position.start(GAME), WAY)
SLOTS = [SlotReading(((count, 1.0),)) for count in START]
#: Whose checker is touched, on which of his points, from where (degrees, 90 is down the picture), and by how
#: much the die is turned from facing it.
PLACES = [
    (Side.WHITE, 8, 200, 0),
    (Side.WHITE, 24, 100, 45),
    (Side.BLACK, 8, 150, 0),
    (Side.BLACK, 24, -60, 0),
    (Side.WHITE, 6, -90, 0),
    (Side.BLACK, 13, -80, 45),
]


class Board:
    """A set-up board before a camera."""

    def __init__(self, pose: Pose, style: str) -> None:
        self.lens = Lens.fit(pose, (1280, 720), np.random.default_rng(4))
        seats = Seats(GAME, WAY)
        self.painter = Painter(self.lens, STYLES[style], seats, 4)
        self.stacks = {
            (side, point): [
                Checker(*seats.place(side, point, nth), side is Side.BLACK, nth) for nth in range(count)
            ]
            for (side, point), count in stacks(Position.start(GAME), GAME).items()
        }
        self.checkers = tuple(c for stack in self.stacks.values() for c in stack)
        self.field = FieldMap(np.array(field_corners(self.lens)), BAR)
        self.stance: Stance = learn(self.picture(), self.field, START).stance

    def picture(self, *dice: Die) -> Image:
        return self.painter.picture(Scene(0, 10, self.checkers, dice), 5.0, 0)

    def box(self, die: Die) -> tuple[Box, float]:
        """About where a reader of dice sees it, and its edge, in pixels."""
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * DIE / 2
        pixels = self.lens.project(corners @ die.matrix.T + np.array(die.centre))
        (x0, y0), (x1, y1) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
        return (x0 + 1.5, y0 + 1.5, x1 - 2, y1 - 2), (x1 - x0 + y1 - y0 - 7) / 2.6

    def measured(self, dice: Sequence[Die]) -> list[float]:
        """Probability that each of these dice touches a checker."""
        image = self.picture(*dice)
        found = [gap(image, self.field, self.stance, SLOTS, *self.box(die)) for die in dice]
        return [0.0 if one is None else one.touching for one in found]


@cache
def board(pose: Pose, style: str = "felt") -> Board:
    return Board(pose, style)


def beside(checker: Checker, direction: float, apart: float, turned: float = 0.0) -> Die:
    """A die ``apart`` (centimetres) from a checker in a direction (degrees), side or corner towards it."""
    corner = abs(math.sin(2 * math.radians(turned)))
    reach = DIE / 2 if corner < 1e-9 else DIE / math.sqrt(2)
    away, angle = RADIUS + reach + apart, math.radians(direction)
    x, y = checker.x + away * math.cos(angle), checker.y + away * math.sin(angle)
    return die_at(x, y, 0, 4, angle + math.radians(turned))


@pytest.mark.parametrize("pose", POSES)
def test_a_die_that_touches_is_told_from_one_that_lies_near(pose: Pose) -> None:
    table = board(pose)
    against, near = (
        table.measured(
            [
                beside(table.stacks[(side, point)][-1], direction, apart, turned)
                for side, point, direction, turned in PLACES
            ]
        )
        for apart in (0.0, 0.4)
    )
    assert max(near) < 0.5
    assert sum(chance > 0.5 for chance in against) >= 5


def test_nothing_is_said_of_a_die_that_lies_apart_or_by_a_stack() -> None:
    table = board("overhead")
    die = die_at(8.0, 0.0, 0, 4, 0.3)
    assert table.measured([die]) == [0.0]
    touching = beside(table.stacks[(Side.WHITE, 6)][-1], -90, 0.0)
    look = (table.picture(touching), table.field, table.stance)
    stack = [SlotReading(((10, 1.0),)) if slot.count == 5 else slot for slot in SLOTS]
    assert gap(*look, SLOTS, *table.box(touching)) is not None
    assert gap(*look, stack, *table.box(touching)) is None


def test_the_reader_tells_of_each_die_whether_it_touches() -> None:
    table = board("off")
    last = table.stacks[(Side.WHITE, 8)][-1]
    dice = [beside(last, 200, 0.0), die_at(8.0, 0.0, 0, 2, 0.5)]
    image, reader = table.picture(*dice), DiceReader()
    found = {
        die.value: die.touching for die in reader.read(image, table.field, slots=SLOTS, stance=table.stance)
    }
    assert found[4] > 0.5
    assert found[2] == 0
    assert {die.touching for die in reader.read(image, table.field, slots=SLOTS)} == {0.0}


def test_watching_tells_that_a_die_touches() -> None:
    rules = replace(default_rules(GAME), die_touching_checker="invalid")
    table = SimulatedTable(seed=4, faults=["touching"], max_turns=2, rules=rules, fps=5)
    throw = next(event for event in table.truth() if isinstance(event, Throw) and not event.valid)
    told: list[float] = []
    reader = BoardReader(touching=True)
    with table:
        while (frame := table.read()) is not None and frame.t < throw.t + 0.8:
            told = [die.touching for die in reader.read(frame).dice]
    good, bad = sorted(told)
    assert good < 0.1
    assert bad > 0.5
