"""Where things lie on the simulated table, and the camera that looks at them.

World coordinates are centimetres: the origin is the middle of the playing field, x to the right of
the picture, y towards its bottom, z up from the field to the camera.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.layout import Orientation, slot_of
from engine.position import BAR, OFF, Game, Position, Side, index_of

Vector = NDArray[np.float64]
Pose = Literal["overhead", "off", "oblique"]
POSES: tuple[Pose, ...] = ("overhead", "off", "oblique")

POINT = 4.2  #: width of a point
BAR_WIDTH = 4.0
FIELD_X = 6 * POINT + BAR_WIDTH / 2  #: half of the field's width
FIELD_Y = 23.0  #: half of the field's height
POINT_LENGTH = 19.0
RIM = 2.6  #: width of the frame
RIM_HEIGHT = 1.3  #: the frame and the bar stand this high above the field
TABLE = -1.4  #: z of the table cloth
TRAY_X = (FIELD_X + RIM, FIELD_X + RIM + 4.9)  #: inner edges of the tray at the right
TRAY_RIM = 1.6
TRAY_DIVIDER = 0.8  #: half of the width of the wall between the two parts of the tray
OUTER_X = (-FIELD_X - RIM, TRAY_X[1] + TRAY_RIM)
OUTER_Y = FIELD_Y + RIM

RADIUS = 1.98  #: of a checker
THICK = 0.9  #: of a checker
ROW = 5  #: checkers side by side on a point before the next layer begins
#: Checkers of a higher layer are put this much nearer the middle, as sloppy hands do; from straight
#: above, a stack with no such step could not be counted by anybody.
LAYER_STEP = 0.72
DIE = 2.1  #: edge of a die

LIGHT = np.array([-0.38, -0.48, 1.0]) / math.sqrt(0.38**2 + 0.48**2 + 1)  #: towards the lamp


@dataclass(frozen=True, slots=True)
class Checker:
    """A checker that lies at ``x, y`` with its lower face at ``z``; ``look`` picks its grain."""

    x: float
    y: float
    z: float
    dark: bool
    look: int

    def at(self, x: float, y: float, z: float) -> Checker:
        """The same checker elsewhere."""
        return replace(self, x=x, y=y, z=z)


@dataclass(frozen=True, slots=True)
class Die:
    """A die: its centre, its rotation (row-major 3x3) and the height of the ground below it."""

    centre: tuple[float, float, float]
    rotation: tuple[float, ...]
    ground: float = 0.0

    @property
    def matrix(self) -> Vector:
        """The rotation as an array of shape (3, 3)."""
        return np.array(self.rotation).reshape(3, 3)


#: Outward normals of the faces 1 to 6 of a die that is not rotated; opposite faces sum to seven.
FACES: tuple[tuple[int, int, int], ...] = (
    (0, 0, 1),
    (0, 1, 0),
    (1, 0, 0),
    (-1, 0, 0),
    (0, -1, 0),
    (0, 0, -1),
)


def turn(axis: Literal["x", "y", "z"], angle: float) -> Vector:
    """Rotation about an axis of the world by ``angle`` radians."""
    c, s = math.cos(angle), math.sin(angle)
    rows = {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return np.array(rows[axis], np.float64)


def turn_about(axis: ArrayLike, angle: float) -> Vector:
    """Rotation about any unit vector (Rodrigues' formula)."""
    x, y, z = np.asarray(axis, np.float64)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k), np.float64)


def face_up(value: int, yaw: float) -> Vector:
    """Rotation that brings the face ``value`` to the top and turns the die by ``yaw``."""
    quarter = math.pi / 2
    lift = {
        1: np.eye(3),
        2: turn("x", quarter),
        3: turn("y", -quarter),
        4: turn("y", quarter),
        5: turn("x", -quarter),
        6: turn("x", 2 * quarter),
    }[value]
    return turn("z", yaw) @ lift


def top_value(die: Die) -> int:
    """The face that looks up the most, 1-6."""
    heights = np.array(FACES) @ die.matrix.T[:, 2]
    return int(heights.argmax()) + 1


def die_at(x: float, y: float, ground: float, value: int, yaw: float, tilt: Vector | None = None) -> Die:
    """A die that rests on ``ground``; ``tilt`` is applied last and keeps its lowest corner there."""
    rotation = face_up(value, yaw)
    if tilt is not None:
        rotation = tilt @ rotation
    reach = float(np.abs(rotation[2]).sum()) * DIE / 2
    return Die((x, y, ground + reach), tuple(rotation.ravel().tolist()), ground)


def slot_x(slot: int) -> float:
    """The x of the middle of a slot."""
    column = slot % 12
    return (column - 5.5) * POINT + (BAR_WIDTH / 2 if column > 5 else -BAR_WIDTH / 2)


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits where: White sits at the row of his own 1-point."""

    game: Game
    orientation: Orientation

    def sign(self, side: Side) -> int:
        """+1 if a side sits at the bottom of the picture, -1 if at the top."""
        white = 1 if self.orientation in (Orientation.BOTTOM_RIGHT, Orientation.BOTTOM_LEFT) else -1
        return white * side.sign

    def place(self, side: Side, point: int, nth: int) -> tuple[float, float, float]:
        """Where the ``nth`` checker (from 0) of a side lies on its own point, bar or tray."""
        layer, row = divmod(nth, ROW)
        z = layer * THICK
        seat = self.sign(side)
        if point == BAR:  # on the bar, on the half from which the side has to enter
            layer, row = divmod(nth, 4)
            return 0.0, -seat * (2.6 + row * 2.05 * RADIUS), RIM_HEIGHT + layer * THICK
        step = row * 2 * RADIUS + RADIUS + 0.08 + layer * LAYER_STEP
        if point == OFF:
            return sum(TRAY_X) / 2, seat * (FIELD_Y - step), z
        slot = slot_of(self.orientation, index_of(self.game, side, point))
        edge = 1 if slot >= 12 else -1
        return slot_x(slot), edge * (FIELD_Y - step), z


def stacks(position: Position, game: Game) -> dict[tuple[Side, int], int]:
    """How many checkers stand on each occupied (side, own point)."""
    counts = {(s, p): position.count(game, s, p) for s in Side for p in range(OFF, BAR + 1)}
    return {key: n for key, n in counts.items() if n}


@dataclass(frozen=True, eq=False)
class Lens:
    """A pinhole camera. ``axes``: rows are right, down and forward of the picture."""

    centre: Vector
    axes: Vector
    focal: float
    middle: tuple[float, float]
    size: tuple[int, int]  #: width, height in pixels

    @classmethod
    def fit(cls, pose: Pose, size: tuple[int, int], rng: np.random.Generator) -> Lens:
        """A pose above the table whose picture just holds the board with its tray and a margin."""
        tilt, yaw, roll, distance = {
            "overhead": (rng.normal(0, 0.4), rng.normal(0, 1.0), rng.normal(0, 0.4), 96.0),
            "off": (rng.uniform(8, 14), rng.uniform(-25, 25), rng.uniform(-2, 2), 100.0),
            "oblique": (rng.uniform(28, 32), rng.uniform(-8, 8), rng.normal(0, 0.5), 112.0),
        }[pose]
        tilt, yaw, roll = math.radians(tilt), math.radians(yaw), math.radians(roll)
        st, ct = math.sin(tilt), math.cos(tilt)
        axes = np.array([[1, 0, 0], [0, ct, -st], [0, -st, -ct]])
        # Turned about the vertical to stand to one side, then turned back so that rows stay level.
        axes = axes @ turn("z", yaw).T
        c, s = math.cos(roll - yaw), math.sin(roll - yaw)
        axes[:2] = np.array([[c, s], [-s, c]]) @ axes[:2]
        look_at = np.array([sum(OUTER_X) / 2, 0.0, 0.0])
        lens = cls(look_at - distance * axes[2], axes, 1.0, (0.0, 0.0), size)
        xs, ys = (OUTER_X[0] - 5.6, OUTER_X[1]), (-OUTER_Y, OUTER_Y)
        box = lens.project([(x, y, z) for x in xs for y in ys for z in (TABLE, RIM_HEIGHT)])
        low, high = box.min(0), box.max(0)
        focal = 0.96 * min(np.array(size) / (high - low))
        middle = np.array(size) / 2 - focal * (low + high) / 2
        return replace(lens, focal=float(focal), middle=(float(middle[0]), float(middle[1])))

    def knocked(self, rng: np.random.Generator) -> Lens:
        """The camera after somebody ran into it: turned a little, the field still in the picture."""
        nod, swing, roll = (math.radians(float(rng.choice([-1, 1]) * rng.uniform(*r)))
                            for r in ((0.2, 0.7), (0.6, 2.0), (0.6, 1.8)))  # fmt: skip
        return replace(self, axes=turn("z", roll) @ turn("y", swing) @ turn("x", nod) @ self.axes)

    def onto(self, other: Lens) -> Vector:
        """The 3x3 matrix from pixels of this camera to those of one that is turned in the same place."""
        k = np.array([[self.focal, 0, self.middle[0]], [0, self.focal, self.middle[1]], [0, 0, 1]])
        return np.asarray(k @ other.axes @ self.axes.T @ np.linalg.inv(k), np.float64)

    def project(self, points: ArrayLike) -> Vector:
        """Pixels, shape (n, 2), of world points of shape (n, 3)."""
        seen = (np.asarray(points, np.float64).reshape(-1, 3) - self.centre) @ self.axes.T
        return np.asarray(seen[:, :2] * (self.focal / seen[:, 2:]) + self.middle, np.float64)

    def plane(self, z: float) -> Vector:
        """The 3x3 matrix from (x, y, 1) of the plane at height ``z`` to pixels."""
        columns = np.column_stack([[1, 0, 0], [0, 1, 0], np.array([0, 0, z]) - self.centre])
        seen = self.axes @ columns
        k = np.array([[self.focal, 0, self.middle[0]], [0, self.focal, self.middle[1]], [0, 0, 1]])
        return np.asarray(k @ seen, np.float64)

    def reach(self, z: float) -> tuple[float, float]:
        """How far the picture shows the plane at height ``z`` in x and y, from the middle of the field."""
        width, height = self.size
        corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float64)
        back = corners @ np.linalg.inv(self.plane(z)).T
        far = np.abs(back[:, :2] / back[:, 2:]).max(0)
        return float(far[0]), float(far[1])

    @property
    def scale(self) -> float:
        """Pixels a centimetre in the middle of the field."""
        a, b = self.project([(-0.5, 0, 0), (0.5, 0, 0)])
        return float(np.linalg.norm(b - a))

    def depth(self, points: Sequence[tuple[float, float, float]]) -> Vector:
        """Distance of world points from the camera along its axis."""
        return np.asarray((np.asarray(points) - self.centre) @ self.axes[2], np.float64)


def field_corners(lens: Lens) -> tuple[tuple[float, float], ...]:
    """Pixels of the corners of the playing field, top-left first, clockwise."""
    corners = [(-FIELD_X, -FIELD_Y, 0), (FIELD_X, -FIELD_Y, 0), (FIELD_X, FIELD_Y, 0), (-FIELD_X, FIELD_Y, 0)]
    return tuple((float(x), float(y)) for x, y in lens.project(corners))
