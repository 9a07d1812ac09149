"""What lies and reaches about a board in the made-up pictures: dice, doubling cubes, cups, hands, clutter.

Lengths are field widths in the world of :mod:`models.training.world`. Where things may rest is told by a
:class:`Ground`, a plain description of the board; ``others`` are bodies that lie there already and are left room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.training.world import Body, CubeTruth, DieTruth

Rng = np.random.Generator
Bounds = tuple[float, float, float, float]  #: x0, y0, x1, y1


@dataclass(frozen=True, slots=True)
class Placed:
    """A checker that lies flat: the middle of its upper face and its radius."""

    x: float
    y: float
    top: float
    radius: float


@dataclass(frozen=True, slots=True)
class Ground:
    """Where things can rest. The field's floor is z = 0.

    ``inside``: the floor between the inner walls of the frame (at least the field). ``outside``: the case from
    above. ``bar``: left and right edge, equal where there is none. ``trays``: bounds and height of their floors.
    """

    field_height: float
    bar: tuple[float, float]
    bar_top: float  #: height of the bar, 0 where it is only painted
    inside: Bounds
    outside: Bounds
    rim_width: float
    rim_top: float  #: height of the frame, 0 where there is none
    table: float  #: height of the table's plane, at most 0
    checkers: tuple[Placed, ...] = ()
    trays: tuple[tuple[Bounds, float], ...] = ()


def random_dice(
    rng: Rng, ground: Ground, owner: int, count: int | None = None, others: Sequence[Body] = ()
) -> tuple[tuple[Body, ...], tuple[DieTruth, ...]]:
    """0-4 dice (mostly two), numbered from ``owner``; ``count`` fixes how many."""
    raise NotImplementedError


def random_cube(
    rng: Rng, ground: Ground, owner: int, others: Sequence[Body] = ()
) -> tuple[tuple[Body, ...], CubeTruth]:
    """A doubling cube on the bar, the frame, in a tray, on the field or the table."""
    raise NotImplementedError


def random_cup(rng: Rng, ground: Ground, owner: int, others: Sequence[Body] = ()) -> tuple[Body, ...]:
    """A dice cup, upright, upside down or lying; dice inside count as parts of it."""
    raise NotImplementedError


def random_hands(rng: Rng, ground: Ground, owner: int, others: Sequence[Body] = ()) -> tuple[Body, ...]:
    """One hand with its arm, now and then two, numbered from ``owner``; what they hold is theirs too."""
    raise NotImplementedError


def random_clutter(rng: Rng, ground: Ground, others: Sequence[Body] = ()) -> tuple[Body, ...]:
    """Other things on the table beside the board: scenery, owner -1."""
    raise NotImplementedError
