"""A story: what lies on the simulated table and who moves what, second by second."""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Event
from engine.position import Position, Side
from engine.rules import RuleSet
from hardware.table.conditions import Condition
from hardware.table.landing import XY
from hardware.table.scene import Checker, Die, Seats


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand on its way from ``start`` to ``end`` (fingertips); ``None`` is out of the picture."""

    side: Side
    start: XY | None
    end: XY | None
    carried: Checker | None = None  #: held; it travels from where it lies to ``lands``
    lands: Checker | None = None


@dataclass(frozen=True, slots=True)
class Roll:
    """Dice that come out of the cup and come to rest as ``dice``; ``spins`` are radians in all.

    ``by_hand``: they come out of a fist, and there is no cup.
    """

    side: Side
    dice: tuple[Die, ...]
    spins: tuple[float, ...]
    cup: XY
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Sweep:
    """An arm that passes over the whole board; what lies there changes half-way to ``then``."""

    side: Side
    then: tuple[Checker, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens between two moments: what lies still, and what moves over it."""

    start: float
    end: float
    checkers: tuple[Checker, ...]
    dice: tuple[Die, ...]
    action: Reach | Roll | Sweep | None = None


@dataclass(frozen=True, slots=True)
class Resting:
    """A hand that lies on the frame with its fingertips at ``tip``, whatever else goes on."""

    side: Side
    start: float
    end: float
    tip: XY


@dataclass(frozen=True, slots=True)
class Leaning:
    """A player's head and shoulders over his side of the board, his head about ``x``."""

    side: Side
    start: float
    end: float
    x: float


@dataclass(frozen=True, slots=True)
class Cover:
    """A cloth that a player lays over the whole board, and takes off again."""

    side: Side
    start: float
    end: float


Presence = Resting | Leaning | Cover  #: what is in the picture beside what a scene shows


@dataclass(frozen=True, slots=True)
class Story:
    """All scenes of a match in order, without gaps, and its events.

    ``stills``: for each event, the second from which all that it rests on lay still in plain view: of
    a throw that is its ``t``, of a play when the hand that lifted the dice had left the picture.
    ``presences``: people and cloths that are in the picture beside what the scenes show. ``jolt``: the second
    at which the camera is knocked aside, if it is.
    """

    scenes: tuple[Scene, ...]
    events: tuple[Event, ...]
    stills: tuple[float, ...]
    presences: tuple[Presence, ...] = ()
    jolt: float | None = None

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return self.scenes[-1].end


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be told.

    ``faults``: throw faults and rule ids to break, spread over the match. ``conditions``: see
    :mod:`hardware.table.conditions`; here those count that people make. ``position``: what stands on the
    board at first, if the camera comes in the middle of a game.
    """

    rules: RuleSet
    seats: Seats
    points: int
    faults: tuple[str, ...]
    max_turns: int | None
    pace: float
    conditions: frozenset[Condition] = frozenset()
    position: Position | None = None
