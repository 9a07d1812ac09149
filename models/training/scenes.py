"""Whole made-up pictures: a board with a game on it, what lies about, who reaches in, camera and light.

Lengths are field widths in the world of :mod:`models.training.world`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import cos, radians, sin
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.training import things
from models.training.boards import Board, random_board
from models.training.positions import OFF_SLOT, Checker, place_checkers, random_position
from models.training.world import (
    Array,
    Body,
    Camera,
    CheckerTruth,
    Colour,
    CubeTruth,
    DieTruth,
    Lamp,
    Scene,
    Shape,
    Sky,
    Truth,
)

Rng = np.random.Generator
Kind = Literal["board", "close"]
Doubles = NDArray[np.float64]

#: Width and height of pictures where none are asked for: 4:3, 16:9, 3:2, square and upright.
SIZES: tuple[tuple[int, int], ...] = ((640, 480), (640, 360), (600, 400), (512, 512), (480, 640), (360, 640))
CLOSE_SIZE = (192, 192)
DIE_PIXELS = (14.0, 40.0)  #: edge of a die in a close picture
#: How much of the picture's width or height the board takes, whichever is more: beyond 1 it is cut off.
_FILLS = ((0.3, 0.5), (0.5, 0.72), (0.72, 0.97), (0.97, 1.15))
_FILL_SHARES = (0.05, 0.2, 0.5, 0.25)
_SIZE_SHARES = (0.38, 0.28, 0.1, 0.14, 0.07, 0.03)


def random_scene(rng: Rng, size: tuple[int, int] | None = None, *, kind: Kind = "board") -> Scene:
    """Draw a scene; the same state of ``rng`` gives the same one.

    ``size``: width and height of the picture in pixels, drawn from :data:`SIZES` if ``None`` (close pictures
    are :data:`CLOSE_SIZE`). ``kind``: the whole board, or a window of such a picture about a die or another
    place, where the edge of a die is :data:`DIE_PIXELS` long.
    """
    close = kind == "close"
    board = random_board(rng, 1400 if close else 700)
    layout = random_position(rng)
    checkers = place_checkers(rng, layout, board.ground, board.radius, board.thickness)
    ground = replace(board.ground, checkers=tuple(things.Placed(*c.face, c.radius) for c in checkers))
    bodies: list[Body] = list(board.bodies)
    pieces: list[CheckerTruth] = []
    for owner, checker in enumerate(checkers):
        bodies.append(_checker_body(rng, board, checker, owner))
        pieces.append(
            CheckerTruth(owner, checker.side, checker.slot, checker.layer, checker.face, checker.radius)
        )
    owner = len(checkers)
    dice: tuple[DieTruth, ...] = ()
    cubes: tuple[CubeTruth, ...] = ()
    loose: list[Body] = []
    if rng.random() < (1.0 if close else 0.87):
        parts, dice = things.random_dice(rng, ground, owner, others=loose)
        loose += parts
        owner = _next(owner, parts)
    if rng.random() < 0.5:
        parts, cube = things.random_cube(rng, ground, owner, others=loose)
        loose += parts
        owner = _next(owner, parts)
        cubes = (cube,) if cube is not None else ()
    if rng.random() < 0.3:
        for _ in range(1 if rng.random() < 0.7 else 2):
            parts = things.random_cup(rng, ground, owner, others=loose)
            loose += parts
            owner = _next(owner, parts)
    if rng.random() < 0.25:
        parts = things.random_hands(rng, ground, owner, others=loose)
        loose += parts
    if rng.random() < 0.75:
        loose += things.random_clutter(rng, ground, loose)
    bodies += loose
    if size is None:
        size = CLOSE_SIZE if close else SIZES[int(rng.choice(len(SIZES), p=_SIZE_SHARES))]
    camera, view = random_camera(rng, board, size)
    if close:
        camera = _zoomed(rng, camera, board, dice, cubes, size)
    lamps, sky, exposure, light = random_light(rng, board, camera)
    off = [0, 0]
    for checker in checkers:
        if checker.slot == OFF_SLOT and _in_picture(camera, checker.face):
            off[checker.side] += 1
    truth = Truth(
        field_height=board.ground.field_height,
        bar=board.ground.bar,
        slots=layout.slots,
        on_bar=layout.on_bar,
        off=(off[0], off[1]),
        light_above=bool(checkers)
        and float(board.style["checkers_light"]) > float(board.style["checkers_dark"]),
        checkers=tuple(pieces),
        dice=dice,
        cubes=cubes,
        cup_owners=_owners(loose, "cup"),
        hand_owners=_owners(loose, "hand"),
        style={**board.style, **view, **light, "radius": board.radius, "thickness": board.thickness},
    )
    return Scene(tuple(bodies), camera, lamps, sky, exposure, truth)


def _checker_body(rng: Rng, board: Board, checker: Checker, owner: int) -> Body:
    material = (board.dark if checker.side else board.light)(rng)
    half = checker.thickness / 2
    size = (checker.radius, half, board.rounding * half, board.dish * half)
    return Body(
        Shape.DISC, size, np.array(checker.centre, np.float32), checker.turn, material, "checker", owner
    )


def _next(owner: int, parts: Sequence[Body]) -> int:
    """The first number that is free after those of ``parts``."""
    return max((part.owner for part in parts), default=owner - 1) + 1


def _owners(bodies: Sequence[Body], kind: str) -> tuple[int, ...]:
    return tuple(sorted({body.owner for body in bodies if body.kind == kind and body.owner >= 0}))


# Camera


def look_at(eye: Doubles, target: Doubles, roll: float) -> Array:
    """The turn of a camera (3, 3) at ``eye`` that looks at ``target``; ``roll`` in radians.

    Without roll the camera's right is level, and its down is towards the near edge when seen from above.
    """
    forward = (target - eye) / np.linalg.norm(target - eye)
    flat = np.hypot(forward[0], forward[1])
    away = forward[:2] / flat if flat > 1e-9 else np.array([0.0, -1.0])
    # The world is left-handed: whoever looks towards -y has x to the right.
    right = np.array([-away[1], away[0], 0.0])
    down = np.array([forward[2] * away[0], forward[2] * away[1], -flat])
    turned = (cos(roll) * right + sin(roll) * down, cos(roll) * down - sin(roll) * right, forward)
    return np.stack(turned).astype(np.float32)


def _seen(camera: Camera, points: Doubles) -> Doubles:
    """Pixels (n, 2) of places in the world (n, 3), the lens taken as straight; NaN behind the camera."""
    local = (points - np.asarray(camera.eye, np.float64)) @ np.asarray(camera.turn, np.float64).T
    depth = np.where(local[:, 2:] > 1e-6, local[:, 2:], np.nan)
    return np.asarray(camera.focal * local[:, :2] / depth + np.array(camera.middle), np.float64)


def _in_picture(camera: Camera, place: tuple[float, float, float]) -> bool:
    x, y = _seen(camera, np.array([place], np.float64))[0]
    return bool(0 <= x < camera.size[0] and 0 <= y < camera.size[1])


def field_corners(height: float) -> Doubles:
    """The corners of the field in the world (4, 3), top left first, clockwise."""
    return np.array([[0, 0, 0], [1, 0, 0], [1, height, 0], [0, height, 0]], np.float64)


def random_camera(rng: Rng, board: Board, size: tuple[int, int]) -> tuple[Camera, dict[str, str | float]]:
    """Somewhere a camera may be, and what was drawn: ``view``, ``tilt`` from above (degrees), ``fill``."""
    ground = board.ground
    view = str(rng.choice(["overhead", "slanted", "phone"], p=[0.42, 0.2, 0.38]))
    tilt = {
        "overhead": abs(rng.normal(0, 3)),
        "slanted": rng.uniform(4, 22),
        "phone": rng.uniform(18, 62),
    }[view]
    around = rng.normal(0, 3 if view == "overhead" else 10)
    turned = rng.random()
    if turned < 0.08:
        around += rng.choice([-90, 90])
    elif turned < (0.11 if view == "overhead" else 0.17):
        around = rng.uniform(-180, 180)
    roll = rng.normal(0, 3 if view != "phone" else 4)
    upright = size[1] > size[0] * 1.1
    if view == "overhead":
        roll += rng.choice(
            [0, 90, 180, 270], p=[0.25, 0.33, 0.09, 0.33] if upright else [0.72, 0.08, 0.12, 0.08]
        )
    low, high = _FILLS[int(rng.choice(len(_FILLS), p=_FILL_SHARES))]
    fill = float(rng.uniform(low, high))
    focal = float(np.exp(rng.uniform(np.log(0.7), np.log(2.0)))) * max(size)
    if view == "overhead":
        focal *= float(rng.uniform(1.0, 1.4))
    x0, y0, x1, y1 = ground.outside if rng.random() < 0.35 else (0.0, 0.0, 1.0, ground.field_height)
    corners = np.array([[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]], np.float64)
    target = np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0])
    t, a = radians(float(tilt)), radians(float(around))
    line = np.array([sin(t) * sin(a), sin(t) * cos(a), cos(t)])
    middle = (size[0] / 2, size[1] / 2)
    room = np.clip(np.array(size) * (1 - fill) / 2, 0, None)
    place = np.array(middle) + rng.uniform(-1, 1, 2) * np.maximum(room, 0.03 * np.array(size)) * rng.uniform(
        0, 1
    )
    away = 2.0
    for _ in range(8):
        eye = target + away * line
        camera = Camera(
            eye.astype(np.float32), look_at(eye, target, radians(float(roll))), focal, middle, size
        )
        pixels = _seen(camera, corners)
        if np.isnan(pixels).any():
            away *= 1.5
            continue
        least, most = pixels.min(axis=0), pixels.max(axis=0)
        # Move the target across the table so that the board comes to lie about `place`.
        ahead = np.asarray(camera.turn, np.float64).T @ np.array(
            [*((least + most) / 2 - place) / focal * away, 0.0]
        )
        if cos(t) > 0.3:
            ahead -= line * (ahead[2] / line[2])
        target = target + 0.8 * ahead
        target[2] = 0.0
        away *= float(np.clip(((most - least) / np.array(size)).max() / fill, 0.6, 1.7))
    bend = float(rng.normal(0, 0.04)) if rng.random() < 0.5 else 0.0
    told: dict[str, str | float] = {"view": view, "tilt": float(tilt), "fill": float(fill)}
    return replace(camera, bend=bend), told


def _zoomed(
    rng: Rng,
    camera: Camera,
    board: Board,
    dice: tuple[DieTruth, ...],
    cubes: tuple[CubeTruth, ...],
    size: tuple[int, int],
) -> Camera:
    """A window of the camera's picture, enlarged, about a die or another place on the board."""
    ground = board.ground
    edge = dice[0].edge if dice else 0.03
    place = np.array(
        [rng.uniform(0, 1), rng.uniform(0, ground.field_height), rng.choice([0.0, ground.bar_top])],
        np.float64,
    )
    choice = rng.random()
    if dice and choice < 0.72:
        place = np.array(dice[rng.integers(len(dice))].centre, np.float64)
    elif cubes and choice < 0.82:
        place = np.array(cubes[0].centre, np.float64)
    elif ground.checkers and choice < 0.93:
        piece = ground.checkers[rng.integers(len(ground.checkers))]
        place = np.array([piece.x, piece.y, piece.top], np.float64)
    away = float(np.linalg.norm(place - np.asarray(camera.eye, np.float64)))
    wanted = float(np.exp(rng.uniform(*np.log(DIE_PIXELS))))
    moved = replace(camera, focal=wanted * away / edge, middle=(0.0, 0.0), size=size, bend=0.0)
    at = rng.uniform(0.12, 0.88, 2) * np.array(size)
    x, y = at - _seen(moved, place[None])[0]
    return replace(moved, middle=(float(x), float(y)))


# Light


def _white(kelvin: float, strength: float) -> Colour:
    """A lamp's colour for a camera balanced for 5500 K; its luminance is ``strength``."""
    warm = (5500 - kelvin) / 2500
    colour = np.array([1 + 0.22 * warm, 1.0, 1 - 0.30 * warm])
    colour = np.clip(colour, 0.2, 1.6)
    colour *= strength / float(colour @ (0.2126, 0.7152, 0.0722))
    return float(colour[0]), float(colour[1]), float(colour[2])


def random_light(
    rng: Rng, board: Board, camera: Camera
) -> tuple[tuple[Lamp, ...], Sky, float, dict[str, str | float]]:
    """Lamps, sky and exposure, and what was drawn: ``light``.

    Lamps and sky together light the field's middle with about 1; the exposure then varies about it.
    """
    kind = str(rng.choice(["ceiling", "window", "desk", "flash", "soft"], p=[0.3, 0.26, 0.18, 0.06, 0.2]))
    middle = np.array([0.5, board.ground.field_height / 2, 0.0])
    lamps: list[Lamp] = []
    share = float(rng.uniform(0.25, 0.65))  #: of the sky
    around = float(rng.uniform(0, 2 * np.pi))

    def lamp(out: float, high: float, radius: float, kelvin: float, strength: float, turn: float) -> None:
        place = middle + np.array([out * cos(turn), out * sin(turn), high])
        # `strength` is what falls on the field, so that a low lamp is a stronger one.
        facing = max(0.2, high / float(np.hypot(out, high)))
        lamps.append(Lamp(place.astype(np.float32), radius, _white(kelvin, strength / facing)))

    if kind == "ceiling":
        count = int(rng.integers(1, 4))
        for index in range(count):
            lamp(
                rng.uniform(0, 1.6), rng.uniform(2, 4.5), rng.uniform(0.06, 0.4), rng.uniform(2900, 5200),
                (1 - share) / count, around + index * rng.uniform(1, 3),
            )  # fmt: skip
    elif kind == "window":
        lamp(
            rng.uniform(1.8, 4), rng.uniform(1.2, 3), rng.uniform(0.4, 1.2), rng.uniform(5000, 7500),
            (1 - share) * 0.85, around,
        )  # fmt: skip
        if rng.random() < 0.5:
            lamp(
                rng.uniform(0, 1),
                rng.uniform(2, 4),
                0.2,
                rng.uniform(2800, 4500),
                (1 - share) * 0.3,
                around + 2,
            )
    elif kind == "desk":
        share *= 0.7
        lamp(
            rng.uniform(0.4, 1.3), rng.uniform(0.7, 1.6), rng.uniform(0.03, 0.15), rng.uniform(2700, 4800),
            1 - share, around,
        )  # fmt: skip
        if rng.random() < 0.4:
            lamp(rng.uniform(0.5, 2), rng.uniform(1.5, 4), 0.3, rng.uniform(3000, 6500), 0.25, around + 2.5)
    elif kind == "flash":
        share *= 0.6
        place = np.asarray(camera.eye, np.float64) + rng.normal(0, 0.03, 3)
        lamps.append(Lamp(place.astype(np.float32), 0.015, _white(5600, (1 - share) * 1.1)))
        if rng.random() < 0.5:
            lamp(rng.uniform(0, 1.5), rng.uniform(2, 4), 0.2, rng.uniform(2800, 4500), 0.25, around)
    else:
        share = float(rng.uniform(0.6, 0.92))
        lamp(
            rng.uniform(0.5, 3), rng.uniform(1.5, 3.5), rng.uniform(0.5, 1.4), rng.uniform(3500, 7000),
            1 - share, around,
        )  # fmt: skip
    tint = float(rng.uniform(3200, 7500))
    sky = Sky(
        above=_white(tint, share * rng.uniform(1.0, 1.3)),
        around=_white(tint + rng.normal(0, 600), share * rng.uniform(0.5, 1.1)),
        below=_white(tint - 500, share * rng.uniform(0.1, 0.5)),
        windows=_windows(rng, lamps, middle) + _gleams(rng, board, camera),
    )
    exposure = float(np.exp(rng.normal(-0.08, 0.25)))
    return tuple(lamps), sky, exposure, {"light": kind}


def _gleams(rng: Rng, board: Board, camera: Camera) -> tuple[tuple[Array, float, Colour], ...]:
    """Windows that the camera sees mirrored somewhere on the field: varnish there is white with them.

    A window is ten to fifty times as bright as what it lights, and gloss mirrors a twentieth of it.
    """
    if rng.random() > 0.4:
        return ()
    found: list[tuple[Array, float, Colour]] = []
    for _ in range(1 if rng.random() < 0.7 else 2):
        place = np.array([rng.uniform(0, 1), rng.uniform(0, board.ground.field_height), 0.0])
        line = np.asarray(camera.eye, np.float64) - place
        line *= np.array([-1, -1, 1]) / np.linalg.norm(line)
        colour = _white(rng.uniform(4000, 8000), float(np.exp(rng.uniform(np.log(3), np.log(30)))))
        found.append((line.astype(np.float32), float(rng.uniform(0.05, 0.4)), colour))
    return tuple(found)


def _windows(rng: Rng, lamps: Sequence[Lamp], middle: Doubles) -> tuple[tuple[Array, float, Colour], ...]:
    """What gloss mirrors: a bright patch about most lamps, and a window or lit wall."""
    found: list[tuple[Array, float, Colour]] = []
    for lamp in lamps:
        if rng.random() < 0.5:
            line = np.asarray(lamp.place, np.float64) - middle
            away = float(np.linalg.norm(line))
            half = float(np.clip(lamp.radius / away * rng.uniform(1, 2), 0.02, 0.5))
            red, green, blue = (c * float(rng.uniform(1, 4)) for c in lamp.colour)
            found.append(((line / away).astype(np.float32), half, (red, green, blue)))
    if rng.random() < 0.5:
        turn, rise = rng.uniform(0, 2 * np.pi), rng.uniform(0.15, 1.2)
        line = np.array([cos(turn) * cos(rise), sin(turn) * cos(rise), sin(rise)])
        colour = _white(rng.uniform(4500, 8000), rng.uniform(1, 5))
        found.append((line.astype(np.float32), float(rng.uniform(0.08, 0.4)), colour))
    return tuple(found)
