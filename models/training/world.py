"""What is in a made-up picture: bodies, what they are made of, camera, lamps, and the truth about them.

The world is measured in field widths: the field (24 points and the bar) is x from 0 to 1 and y from 0 to
``field_height``, z is up and 0 on the plane of the points. x runs to the right and y towards the near
edge, as :mod:`vision.geometry` has it; the axes are therefore left-handed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Image = NDArray[np.uint8]

Colour = tuple[float, float, float]  #: linear red, green, blue, 0-1
DieState = Literal["flat", "cocked", "on_checker", "on_frame", "off_board"]


class Shape(IntEnum):
    """The forms a body can have, in a frame of its own with the origin in its middle.

    What ``Body.size`` holds, in field widths:

    - ``BOX``: half lengths along x, y, z, and the radius of rounded edges.
    - ``DISC``: radius, half height (along z), radius of the rounded rim, depth of a dished face.
    - ``CONE``: a limb with round ends: radius at -z, radius at +z, half of the distance of both centres.
    - ``BALL``: half axes along x, y, z (an ellipsoid).
    - ``CUP``: a hollow beaker open at +z: outer radius at -z, outer radius at +z, half height, wall.
    - ``RING``: a torus around z: radius of the ring, radius of its body.
    """

    BOX = 0
    DISC = 1
    CONE = 2
    BALL = 3
    CUP = 4
    RING = 5


class Look(IntEnum):
    """How ``Material.parameters`` and ``Material.texture`` are to be understood; see ``materials.py``."""

    PLAIN = 0  #: one colour
    PICTURE = 1  #: ``texture`` covers x, y of the body's box from -half to +half (x right, y down)
    TILED = 2  #: ``texture`` repeats every ``scale`` field widths, on any side of a body by its normal
    CHECKER = 3  #: discs: rings, dish, marbling, grain
    DIE = 4  #: boxes: pips
    CUBE = 5  #: boxes: numerals of a doubling cube
    SKIN = 6


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a body is made of. ``rough``: 0 is a mirror, 1 is chalk; ``shine``: reflectance at 0 degrees."""

    look: Look
    colour: Colour
    rough: float = 0.6
    shine: float = 0.04
    second: Colour = (0.0, 0.0, 0.0)  #: of veins, rings, pips
    texture: Image | None = None  #: uint8 RGB, sRGB, of any size
    scale: float = 1.0
    seed: int = 0  #: what is random about the look of one piece
    parameters: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A thing or a part of one. ``turn``: its x, y, z axes in the world, as rows (3, 3).

    ``owner``: which thing it belongs to, by the numbers of :class:`Truth`; -1 for scenery. ``kind``: a name
    for what it is: "table", "field", "frame", "bar", "tray", "checker", "die", "cube", "cup", "hand",
    "clutter".
    """

    shape: Shape
    size: tuple[float, ...]
    centre: Array
    turn: Array
    material: Material
    kind: str
    owner: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole: pixel = focal * (X/Z, Y/Z) + middle, for (X, Y, Z) = turn @ (world - eye).

    Camera x to the right of the picture, y down, z forwards. ``bend``: first radial lens factor (k1).
    """

    eye: Array
    turn: Array
    focal: float  #: pixels
    middle: tuple[float, float]  #: pixels
    size: tuple[int, int]  #: width, height
    bend: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A light: where, how large (radius, field widths), colour times strength at the field's middle."""

    place: Array
    radius: float
    colour: Colour


@dataclass(frozen=True, slots=True, eq=False)
class Sky:
    """Light from all around: from above, from the horizon, from below; windows that gloss mirrors."""

    above: Colour
    around: Colour
    below: Colour
    windows: tuple[tuple[Array, float, Colour], ...] = ()  #: unit direction, half angle (radians), colour


@dataclass(frozen=True, slots=True)
class CheckerTruth:
    """A checker: 0 light, 1 dark; the slot (0-23 of engine.layout, 24 bar, 25 off, 26 else) and layer."""

    owner: int
    side: int
    slot: int
    layer: int  #: 0 on the board, 1 on another checker ...
    centre: tuple[float, float, float]  #: the middle of its upper face in the world
    radius: float


@dataclass(frozen=True, slots=True)
class DieTruth:
    """A die. ``up``: unit normal of the face that is read (world). ``value`` 0 where none can be named."""

    owner: int
    value: int
    state: DieState
    half: Literal["left", "right", "off"]
    centre: tuple[float, float, float]
    edge: float
    up: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class CubeTruth:
    """A doubling cube; ``value`` as shown on top (64 for a new one)."""

    owner: int
    value: int
    centre: tuple[float, float, float]
    edge: float
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a scene, in the world; what a camera sees of it is worked out from the buffers."""

    field_height: float
    bar: tuple[float, float]  #: left and right edge; equal where there is none
    slots: tuple[int, ...]  #: 24 signed counts of engine.layout's slots, light positive
    on_bar: tuple[int, int]  #: light, dark
    off: tuple[int, int]  #: light, dark: borne-off ones in view
    light_above: bool  #: false where both sides' colours are equally bright or nothing is on the board
    checkers: tuple[CheckerTruth, ...] = ()
    dice: tuple[DieTruth, ...] = ()
    cubes: tuple[CubeTruth, ...] = ()
    cup_owners: tuple[int, ...] = ()
    hand_owners: tuple[int, ...] = ()
    style: dict[str, str | float] = field(default_factory=dict)  #: conditions, for tables of errors


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All of a picture before it is taken."""

    bodies: tuple[Body, ...]
    camera: Camera
    lamps: tuple[Lamp, ...]
    sky: Sky
    exposure: float
    truth: Truth


@dataclass(frozen=True, slots=True, eq=False)
class Buffers:
    """What the camera sees at each pixel, all of shape (height, width, ...).

    ``body``: int32 index into ``Scene.bodies``, -1 nothing. ``depth``: distance along the ray. ``local``:
    float32 (3) the place on the body in its own frame. ``normal``: float32 (3) unit, world. ``place``:
    float32 (3) world.
    """

    body: NDArray[np.int32]
    depth: Array
    local: Array
    normal: Array
    place: Array
