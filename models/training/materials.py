"""What the surface of a body looks like at given places: colour, roughness and gloss, for every look.

Meaning of ``Material.parameters``, by look (missing ones are 0; lengths of discs as shares of the radius, of
dice as shares of the edge):

- ``PLAIN``: strength of soft stains.
- ``PICTURE``: none. Sides whose normal is not along z show the colour of the picture's nearest edge.
- ``TILED``: none. The picture's x runs along the longer of a side's two lengths, around a limb or a cup.
- ``CHECKER``: see :class:`CheckerLook`.
- ``DIE``: see :class:`DieLook`. Faces: :func:`die_faces`.
- ``CUBE``: none; ``texture`` is six square faces side by side, in the order of :data:`CUBE_FACES`.
- ``SKIN``: strength of the mottling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from models.training.textures import (
    TO_LINEAR,
    WOODS,
    Rgb,
    Style,
    chips,
    linear,
    luma,
    medallion,
    mix,
    mosaic_panel,
    paste,
    random_colour,
    vary,
)
from models.training.world import Array, Body, Image, Look, Material, Shape

Surface: TypeAlias = tuple[Array, Array, Array]  #: albedo (n, 3) linear RGB, roughness (n,), gloss (n,)
Floats: TypeAlias = NDArray[np.floating[Any]]
Maker: TypeAlias = Callable[[Generator], Material]  #: gives the material of one more piece of a set

_BLACK: Rgb = (14, 14, 15)
_RED = np.array(linear((190, 20, 22)), np.float32)
_TILE = 256  #: pixels a side of the stored noise


@dataclass(frozen=True, slots=True)
class CheckerLook:
    """``Material.parameters`` of a checker.

    ``figure``: 0 none, 1 marbled or pearl, 2 wood grain, 3 speckled, of ``strength`` 0-1 (towards ``second``,
    for wood towards its dark). ``rings``: 0 none, 1 a band in ``second`` from ``inner`` to ``outer``, 2
    ``count`` turned grooves between them, 3 a dish within ``outer``, 4 a spot in ``second`` within ``outer``,
    5 ``count`` dots in ``second``, of radius ``inner``, on a circle of radius ``outer``, 6 a star of
    ``count`` points within ``outer``. ``rim``: width of a rim in ``second``, as thin metal or a worn edge.
    ``wear``: 0-1, dirt and scratches. ``emblem``: radius of the circle that ``texture`` (if any) fills.
    """

    figure: float = 0
    strength: float = 0
    rings: float = 0
    inner: float = 0
    outer: float = 0
    count: float = 0
    rim: float = 0
    wear: float = 0
    emblem: float = 0


@dataclass(frozen=True, slots=True)
class DieLook:
    """``Material.parameters`` of a die, lengths as shares of the edge.

    ``pip``: radius of a pip. ``spread``: from the middle to a corner pip, along an axis. ``edge``: darkening
    of the edges, 0-1. ``clear``: 0-1, a see-through body. ``figure``: strength of marbling towards black.
    ``mirrored``: 1 swaps 3 and 4 (see :func:`die_faces`). ``ace``: factor of the one's radius. ``red``: 1
    makes the one red, 2 also the four. ``turned``: bits 0-2 turn the twos, threes and sixes by a quarter.
    ``square``: 1 draws square pips. ``hollow``: 0-1, within that share of its radius a pip shows the body.
    """

    pip: float = 0.095
    spread: float = 0.25
    edge: float = 0.2
    clear: float = 0
    figure: float = 0
    mirrored: float = 0
    ace: float = 1
    red: float = 0
    turned: float = 0
    square: float = 0
    hollow: float = 0


#: Value shown by each face of a doubling cube, in the body's frame.
CUBE_FACES: dict[int, tuple[int, int, int]] = {
    64: (0, 0, 1),
    2: (0, 0, -1),
    4: (1, 0, 0),
    32: (-1, 0, 0),
    8: (0, 1, 0),
    16: (0, -1, 0),
}


def die_faces(mirrored: bool = False) -> dict[int, tuple[int, int, int]]:
    """The outward normal of each value's face in the die's frame; opposite faces sum to seven."""
    y = -1 if mirrored else 1
    return {1: (0, 0, 1), 2: (1, 0, 0), 3: (0, y, 0), 4: (0, -y, 0), 5: (-1, 0, 0), 6: (0, 0, -1)}


def _stored_noise() -> Array:
    rng = np.random.default_rng(20240229)
    total = np.zeros((_TILE, _TILE), np.float32)
    for cells in (8, 16, 32, 64):
        grid = rng.uniform(-1, 1, (cells, cells)).astype(np.float32)
        wrapped = np.pad(grid, 2, mode="wrap")
        step = _TILE // cells
        large = cv2.resize(wrapped, None, fx=step, fy=step, interpolation=cv2.INTER_CUBIC)
        total += large[2 * step : -2 * step, 2 * step : -2 * step] * (8 / cells)
    return total


_NOISE = _stored_noise()  #: repeats without a seam; about -1.5 to 1.5


def _look_up(picture: Image | Array, u: Floats, v: Floats) -> Array:
    """``picture`` at places in shares of its sides (n,), repeating, between pixels."""
    n = len(u)
    width = 4096  # cv2.remap takes no row of more than 32767 places
    rows = -(-n // width)
    if rows > 1:
        u, v = (np.resize(a, rows * width).reshape(rows, width) for a in (u, v))
    else:
        u, v = u[None], v[None]
    high, wide = picture.shape[:2]
    x = ((u - np.floor(u)) * wide - 0.5).astype(np.float32)
    y = ((v - np.floor(v)) * high - 0.5).astype(np.float32)
    seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return seen.reshape(-1, *picture.shape[2:])[:n]  # type: ignore[return-value]


def _noise_at(seed: int, u: Floats, v: Floats, scale: float) -> Array:
    shift = (seed * 0.6180339887) % 1.0
    return _look_up(
        _NOISE, u * np.float32(scale) + np.float32(shift), v * np.float32(scale) + np.float32(7 * shift)
    )


def _thinned(picture: Image, u: Floats, v: Floats) -> Image:
    """``picture`` made as small as it is seen: pixels follow each other at the pitch of the camera's rows."""
    if len(u) < 64:
        return picture
    stride = max(1, (len(u) - 1) // 2000)
    at = np.arange(0, len(u) - 1, stride)
    pitch = np.hypot((u[at + 1] - u[at]) * picture.shape[1], (v[at + 1] - v[at]) * picture.shape[0])
    step = float(np.median(pitch))
    # Rows lie further apart than pixels where a plane is seen at a slant: its area tells by how much.
    area = float(np.ptp(u[at]) * np.ptp(v[at])) * picture.shape[0] * picture.shape[1]
    step = float(np.clip(math.sqrt(area / len(u)), step, 1.5 * step))
    if step < 1.4:
        return picture
    size = (max(8, round(picture.shape[1] / step)), max(8, round(picture.shape[0] / step)))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _even(material: Material, n: int) -> Surface:
    albedo = np.empty((n, 3), np.float32)
    albedo[:] = material.colour
    return albedo, np.full(n, material.rough, np.float32), np.full(n, material.shine, np.float32)


def surface(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    """How a body looks at the places ``local`` (n, 3) with outward normals ``normal`` (n, 3).

    Both are float32 in the body's frame, places in field widths, in the order of the picture's rows (the
    distance of neighbours tells how coarsely textures are seen). Returns float32 albedo (n, 3) in linear RGB,
    roughness (n,) and reflectance at 0 degrees (n,).
    """
    local, normal = np.asarray(local, np.float32), np.asarray(normal, np.float32)
    return _LOOKS[material.look](material, body, local, normal)


def _plain(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    albedo, rough, shine = _even(material, len(local))
    if material.parameters and material.parameters[0] > 0:
        stain = _noise_at(material.seed, local[:, 0] + local[:, 2], local[:, 1], 1.5)
        albedo *= 1 + material.parameters[0] * stain[:, None]
    return np.clip(albedo, 0, 1), rough, shine


def _picture(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    if material.texture is None:
        raise ValueError("Look.PICTURE needs a texture")
    _, rough, shine = _even(material, len(local))
    edge = np.float32(0.5 / max(material.texture.shape[:2]))
    half_x, half_y = body.size[0], body.size[1] if body.shape in (Shape.BOX, Shape.BALL) else body.size[0]
    u = np.clip(local[:, 0] / np.float32(2 * half_x) + np.float32(0.5), edge, 1 - edge)
    v = np.clip(local[:, 1] / np.float32(2 * half_y) + np.float32(0.5), edge, 1 - edge)
    return TO_LINEAR[_look_up(_thinned(material.texture, u, v), u, v)], rough, shine


def _ways(local: Array, lengths: tuple[float, ...], a: int, b: int) -> tuple[Array, Array]:
    """The places along two axes, first along the one in which the body is clearly longer."""
    if lengths[b] > lengths[a] * 1.5:
        a, b = b, a
    return local[:, a].copy(), local[:, b].copy()


def _tiled(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    if material.texture is None:
        raise ValueError("Look.TILED needs a texture")
    _, rough, shine = _even(material, len(local))
    if body.shape in (Shape.CONE, Shape.CUP):
        around = max(body.size[0], body.size[1])
        u, v = np.arctan2(local[:, 1], local[:, 0]) * np.float32(around), local[:, 2]
    else:
        lengths = (body.size[0],) * 3 if body.shape in (Shape.DISC, Shape.RING) else body.size[:3]
        steep = np.abs(normal)
        level = steep[:, 2] >= np.maximum(steep[:, 0], steep[:, 1])
        u, v = _ways(local, lengths, 0, 1)
        if not level.all():
            for on, a in (
                (~level & (steep[:, 0] >= steep[:, 1]), 1),
                (~level & (steep[:, 0] < steep[:, 1]), 0),
            ):
                u[on], v[on] = _ways(local[on], lengths, a, 2)
    high, wide = material.texture.shape[:2]
    shift = (material.seed * 0.6180339887) % 1.0
    u = u / np.float32(material.scale) + np.float32(shift)
    v = v / np.float32(material.scale * high / wide) + np.float32(5 * shift % 1.0)
    return TO_LINEAR[_look_up(_thinned(material.texture, u, v), u, v)], rough, shine


def _step(x: Floats, edge: float, soft: float = 0.012) -> Array:
    """0 below ``edge``, 1 above it, over a width of about ``soft``."""
    return np.clip((x - np.float32(edge)) / np.float32(2 * soft) + 0.5, 0, 1, dtype=np.float32)  # type: ignore[no-any-return]


def _checker(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    look = CheckerLook(*material.parameters)
    albedo, rough, shine = _even(material, len(local))
    second = np.asarray(material.second, np.float32)
    radius, half = body.size[0], body.size[1]
    x, y, z = (local[:, k] / np.float32(radius) for k in range(3))
    far = np.hypot(x, y)
    top = np.abs(normal[:, 2]) > 0.5
    spin = (material.seed * 0.7548776662) % 1.0 * 2 * math.pi
    c, s = np.float32(math.cos(spin)), np.float32(math.sin(spin))
    along, across = c * x + s * y, c * y - s * x
    if look.figure == 1:
        swirl = _noise_at(material.seed, along + 0.3 * z, across + 0.3 * z, 0.16)
        swirl = _noise_at(material.seed + 1, along + 0.8 * swirl, across - 0.6 * swirl, 0.2)
        share = np.float32(look.strength) * np.clip(0.5 + 0.6 * swirl, 0, 1)
        albedo += share[:, None] * (second - albedo)
    elif look.figure == 2:
        wave = _noise_at(material.seed, along, across, 0.05)
        line = _noise_at(material.seed + 3, 0.06 * along + 0.1 * wave, across + 0.5 * z + 0.3 * wave, 0.45)
        pore = _noise_at(material.seed + 5, 0.15 * along, across + z, 0.6)
        share = np.float32(look.strength) * np.clip(0.5 + 0.45 * line + 0.25 * pore, 0, 1)
        albedo *= 1 - np.float32(0.75) * share[:, None]
    elif look.figure == 3:
        speck = _noise_at(material.seed, x + z, y - z, 0.8)
        share = np.float32(look.strength) * _step(speck, 0.5, 0.15)
        albedo += share[:, None] * (second - albedo)
    if material.texture is not None and look.emblem > 0:
        edge = np.float32(2 * look.emblem)
        u, v = along / edge + np.float32(0.5), across / edge + np.float32(0.5)
        seen = TO_LINEAR[_look_up(_thinned(material.texture, u, v), u, v)]
        share = top * (1 - _step(far, look.emblem))
        albedo += share[:, None] * (seen - albedo)
    rings = int(look.rings)
    shade = np.ones(len(local), np.float32)
    if rings == 1:
        share = top * _step(far, look.inner) * (1 - _step(far, look.outer))
        albedo += share[:, None] * (second - albedo)
    elif rings == 2:
        phase = (far - np.float32(look.inner)) / np.float32(max(look.outer - look.inner, 0.05)) * look.count
        groove = np.float32(0.5) + np.float32(0.5) * np.cos(phase * np.float32(2 * math.pi))
        groove *= top * _step(far, look.inner - 0.02) * (1 - _step(far, look.outer + 0.02))
        shade -= np.float32(0.5) * groove
        albedo += (np.float32(0.02) * (1 - groove) * top)[
            :, None
        ]  # dark wood shows its ridges by their gloss
        rough += np.float32(0.15) * groove
    elif rings == 3:
        rim = np.exp(-(((far - np.float32(look.outer)) / np.float32(0.06)) ** 2))
        shade -= top * (np.float32(0.3) * rim + np.float32(0.1) * (far < look.outer))
        lip = np.exp(-(((far - np.float32(look.outer + 0.08)) / np.float32(0.04)) ** 2))
        albedo += (np.float32(0.05) * lip * top)[:, None]
    elif rings == 4:
        share = top * (1 - _step(far, look.outer))
        albedo += share[:, None] * (second - albedo)
    elif rings == 5:
        step = 2 * math.pi / max(1, round(look.count))
        turn = np.arctan2(across, along)
        turn = (turn + np.float32(step / 2)) % np.float32(step) - np.float32(step / 2)
        near = np.hypot(far * np.cos(turn) - np.float32(look.outer), far * np.sin(turn))
        share = top * (1 - _step(near, look.inner))
        albedo += share[:, None] * (second - albedo)
    elif rings == 6:
        points = max(4, round(look.count))
        turn = np.abs(np.arctan2(across, along) * np.float32(points / (2 * math.pi)) % 1.0 - 0.5) * 2
        share = top * (1 - _step(far, look.outer, 0.02) * 1.0)
        share *= 1 - _step(far / np.float32(look.outer), 0, 0.5) * _step(
            turn - 1 + far / look.outer * 0.9, 0, 0.04
        )
        albedo += share[:, None] * (second - albedo)
    if look.rim > 0:
        share = top * _step(far, 1 - look.rim) + ~top * _step(
            np.abs(z) * np.float32(radius / half), 0.75, 0.1
        )
        albedo += np.clip(share, 0, 1)[:, None] * (second - albedo)
    if look.wear > 0:
        dirt = _noise_at(material.seed + 11, x, y + z, 0.35)
        scratch = _noise_at(material.seed + 13, 0.1 * across, along, 0.5)
        shade *= 1 + np.float32(look.wear) * (0.12 * dirt + 0.12 * np.clip(scratch - 0.6, 0, 1))
        rough += np.float32(0.2 * look.wear) * np.clip(dirt, 0, 1)
    return np.clip(albedo * shade[:, None], 0, 1), np.clip(rough, 0.03, 1), shine


#: Places of the pips in units of the spread, by value: u, v on the face.
PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}
_TURN_BIT = {2: 0, 3: 1, 6: 2}


def _face_pips(look: DieLook, value: int, u: Floats, v: Floats) -> tuple[Array, Array]:
    """How much pip there is at places of a face (in edges from its middle), and how much hollow within it."""
    if value in _TURN_BIT and int(look.turned) >> _TURN_BIT[value] & 1:
        u, v = -v, u
    size = look.pip * (look.ace if value == 1 else 1)
    near = np.full(len(u), 9, np.float32)
    for a, b in PIPS[value]:
        du, dv = u - np.float32(a * look.spread), v - np.float32(b * look.spread)
        near = np.minimum(near, np.maximum(np.abs(du), np.abs(dv)) if look.square else np.hypot(du, dv))
    soft = 0.012
    return 1 - _step(near, size, soft), 1 - _step(near, size * look.hollow, soft)


def _die(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    look = DieLook(*material.parameters)
    albedo, rough, shine = _even(material, len(local))
    own, second = np.asarray(material.colour, np.float32), np.asarray(material.second, np.float32)
    edge = 2 * body.size[0]
    place = local / np.float32(edge)
    if look.figure > 0:
        swirl = _noise_at(material.seed, place[:, 0] + place[:, 2], place[:, 1] - place[:, 2], 0.25)
        albedo *= (1 - np.float32(look.figure) * np.clip(0.5 + 0.6 * swirl, 0, 1))[:, None]
    corner = np.sort(np.abs(place), axis=1)[:, 1]  # near an edge two of the three are large
    albedo *= (1 - np.float32(look.edge) * np.clip((corner - 0.36) / 0.14, 0, 1))[:, None]
    axis = np.abs(place).argmax(axis=1)
    positive = np.take_along_axis(place, axis[:, None], 1)[:, 0] > 0
    for value, direction in die_faces(look.mirrored > 0).items():
        k = int(np.abs(direction).argmax())
        a, b = (j for j in range(3) if j != k)
        on = (axis == k) & (positive == (direction[k] > 0))
        if not on.any():
            continue
        u, v = place[on, a], place[on, b]
        if look.clear > 0:  # the pips of the far face show through, shifted and blurred by the depth
            far, _ = _face_pips(replace(look, pip=look.pip * 0.8), 7 - value, u * 1.35, v * 1.35)
            albedo[on] += (np.float32(0.35 * look.clear) * far)[:, None] * (second - albedo[on])
            albedo[on] *= (1 + np.float32(0.5 * look.clear) * (0.5 - 2 * np.maximum(u * u, v * v)))[:, None]
        pip, hollow = _face_pips(look, value, u, v)
        ink = _RED if (look.red >= 1 and value == 1) or (look.red >= 2 and value == 4) else second
        colour = ink + (hollow * np.float32(look.hollow > 0))[:, None] * (own - ink)
        albedo[on] += pip[:, None] * (colour - albedo[on])
        rough[on] += np.float32(0.15) * pip
    return np.clip(albedo, 0, 1), np.clip(rough, 0.03, 1), shine


def _cube(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    if material.texture is None:
        raise ValueError("Look.CUBE needs a texture")
    _, rough, shine = _even(material, len(local))
    place = local / np.float32(2 * body.size[0])
    axis = np.abs(place).argmax(axis=1)
    positive = np.take_along_axis(place, axis[:, None], 1)[:, 0] > 0
    x, y, z = place.T
    # A face is read with its u to the right and v down, seen from outside; the axes are left-handed.
    ways = ((x, y), (-x, y), (-y, -z), (y, -z), (x, -z), (-x, -z))
    u, v = np.empty(len(place), np.float32), np.empty(len(place), np.float32)
    for index, (direction, (a, b)) in enumerate(zip(CUBE_FACES.values(), ways, strict=True)):
        k = int(np.abs(direction).argmax())
        on = (axis == k) & (positive == (direction[k] > 0))
        u[on] = (index + np.clip(a[on] + 0.5, 0.01, 0.99)) / 6
        v[on] = np.clip(b[on] + 0.5, 0.01, 0.99)
    return TO_LINEAR[_look_up(material.texture, u, v)], rough, shine


def _skin(material: Material, body: Body, local: Array, normal: Array) -> Surface:
    albedo, rough, shine = _even(material, len(local))
    strength = np.float32(material.parameters[0] if material.parameters else 0.12)
    wide = _noise_at(material.seed, local[:, 0] + local[:, 2], local[:, 1] + 0.6 * local[:, 2], 2.5)
    fine = _noise_at(material.seed + 1, local[:, 0] + local[:, 2], local[:, 1] - local[:, 2], 14)
    flush = np.array([0.2, 1.0, 1.0], np.float32)  # blood takes green and blue, hardly red
    albedo *= 1 - strength * (0.8 * wide[:, None] * flush + 0.35 * fine[:, None])
    return np.clip(albedo, 0, 1), rough, shine


_LOOKS: dict[Look, Callable[[Material, Body, Array, Array], Surface]] = {
    Look.PLAIN: _plain,
    Look.PICTURE: _picture,
    Look.TILED: _tiled,
    Look.CHECKER: _checker,
    Look.DIE: _die,
    Look.CUBE: _cube,
    Look.SKIN: _skin,
}


#: Sides' colours in sets one can buy, light side first, as sRGB.
_PAIRS: tuple[tuple[str, Rgb, Rgb], ...] = (
    ("white-black", (238, 236, 230), (26, 26, 28)),
    ("ivory-brown", (232, 216, 178), (84, 48, 30)),
    ("white-red", (236, 232, 226), (170, 28, 30)),
    ("red-black", (186, 34, 34), (24, 24, 26)),
    ("red-blue", (208, 50, 46), (28, 58, 150)),
    ("green-red", (120, 200, 90), (196, 60, 40)),
    ("red-green", (226, 66, 44), (44, 128, 62)),
    ("cream-darkred", (236, 220, 190), (104, 22, 26)),
    ("white-navy", (238, 238, 236), (24, 34, 84)),
    ("white-green", (236, 236, 230), (24, 84, 52)),
    ("yellow-black", (228, 190, 70), (28, 26, 26)),
    ("yellow-green", (222, 196, 104), (30, 74, 48)),
    ("yellow-brown", (226, 186, 104), (92, 52, 30)),
    ("orange-black", (222, 120, 40), (30, 28, 28)),
    ("grey-black", (166, 166, 168), (30, 30, 32)),
    ("lightblue-navy", (130, 170, 214), (22, 34, 84)),
    ("white-blue", (238, 238, 236), (36, 76, 170)),
    ("beige-purple", (214, 190, 158), (72, 32, 84)),
)
_WOODS: tuple[tuple[str, str], ...] = (
    ("maple", "walnut"),
    ("maple", "rosewood"),
    ("birch", "sheesham"),
    ("maple", "sheesham"),
    ("beech", "walnut"),
    ("pine", "mahogany"),
    ("birch", "ebony"),
    ("olive", "wenge"),
    ("beech", "mahogany"),
    ("oak", "walnut"),
    ("teak", "ebony"),
    ("maple", "cherry"),
)


def _emblem(rng: Generator, colour: Rgb, second: Rgb) -> Image:
    """The inlaid or printed middle of a checker: a star of chips, a medallion or a numeral."""
    side = 72
    if rng.random() < 0.4:
        return mosaic_panel(rng, side, side)
    out = np.empty((side, side, 3), np.uint8)
    out[:] = np.asarray(colour, np.uint8)
    if rng.random() < 0.6:
        picture, mask = medallion(rng, side, [second, *chips(rng, 2)] if rng.random() < 0.5 else [second])
        paste(out, picture, mask)
    else:
        text = str(rng.choice(["2", "7", "B", "G", "M", "K", "64"]))
        mask = (255 * numeral(text, side, int(rng.choice(_FONTS)), 0.05, 0.6)).astype(np.uint8)
        paste(out, second, mask)
    return out


def checker_material(rng: Generator, colour: Rgb, style: Style, second: Rgb | None = None) -> Maker:
    """A maker of one side's checkers: all of a kind, each with its own figure, wear and brightness.

    ``style``: ``kind`` "plastic", "pearl", "wood", "speckled", "card" or "leather"; ``rings``, ``inner``,
    ``outer``, ``count``, ``rim``, ``wear``, ``emblem`` as in :class:`CheckerLook`; ``motif`` (seed of the
    emblem); ``spread`` of the pieces' brightness. ``second``: the colour of rings, veins, rims; drawn where
    not given.
    """
    kind = str(style.get("kind", "plastic"))
    if second is None:
        second = vary(rng, mix(colour, (0, 0, 0) if luma(colour) > 100 else (255, 250, 235), 0.6), 15)
    figure, strength, rough, shine = {
        "plastic": (0.0, 0.0, rng.uniform(0.12, 0.5), 0.045),
        "pearl": (1.0, rng.uniform(0.15, 0.6), rng.uniform(0.08, 0.35), 0.06),
        "wood": (2.0, rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.7), 0.035),
        "speckled": (3.0, rng.uniform(0.3, 0.9), rng.uniform(0.2, 0.6), 0.04),
        "card": (0.0, 0.0, 0.9, 0.02),
        "leather": (0.0, 0.0, rng.uniform(0.5, 0.8), 0.035),
    }[kind]
    rings = int(style.get("rings", 0))
    inner, outer = float(style.get("inner", 0.5)), float(style.get("outer", 0.7))
    look = CheckerLook(
        figure=figure,
        strength=float(strength),
        rings=rings,
        inner=inner,
        outer=outer,
        count=float(style.get("count", 3)),
        rim=float(style.get("rim", 0)),
        wear=float(style.get("wear", 0.3)),
    )
    spread = float(style.get("spread", 6))
    veins = linear(second)
    texture = None
    if style.get("emblem"):
        texture = _emblem(np.random.default_rng(int(style.get("motif", 0))), colour, second)
        look = replace(look, rings=0, emblem=float(style["emblem"]))

    def make(own: Generator) -> Material:
        worn = replace(look, wear=float(np.clip(look.wear * own.uniform(0.4, 1.8), 0, 1)))
        tone = vary(own, colour, spread)
        seed = int(own.integers(1 << 20))
        parameters = astuple(worn)
        return Material(
            Look.CHECKER, linear(tone), float(rough), shine, veins, texture, seed=seed, parameters=parameters
        )

    return make


def _pair_colours(rng: Generator, kind: str) -> tuple[str, Rgb, Rgb, float]:
    """A pair's name, both colours and how much the brightness of its pieces spreads."""
    if kind == "wood":
        names = _WOODS[int(rng.integers(len(_WOODS)))]
        light, dark = (vary(rng, mix(*WOODS[name], 0.75), 10) for name in names)
        return "-".join(names), light, dark, rng.uniform(4, 16)
    if rng.random() < 0.12:
        return "any", random_colour(rng, 130, 245), random_colour(rng, 15, 130), rng.uniform(1, 6)
    pair, light, dark = _PAIRS[min(int(rng.exponential(5)), len(_PAIRS) - 1)]
    return pair, vary(rng, light, 8), vary(rng, dark, 8), rng.uniform(1, 6)


def _pair_form(rng: Generator, kind: str) -> Style:
    """Rings, rim and emblem of a set, as :func:`checker_material` takes them."""
    rings = int(rng.choice(7, p=[0.4, 0.1, 0.17, 0.17, 0.06, 0.06, 0.04])) if kind != "card" else 0
    outer = float(rng.uniform(*{4: (0.25, 0.5), 5: (0.3, 0.65)}.get(rings, (0.45, 0.88))))
    inner = outer * float(rng.uniform(*((0.7, 0.93) if rings == 1 else (0.3, 0.8))))
    if rings == 5:
        inner = float(rng.uniform(0.06, 0.14))
    count = float(rng.integers(1, 5) if rings == 2 else rng.integers(4, 9))
    form: Style = {"rings": rings, "inner": inner, "outer": outer, "count": count}
    if kind != "card" and rng.random() < 0.09:
        form |= {"emblem": float(rng.uniform(0.35, 0.55)), "motif": int(rng.integers(1 << 16))}
    if kind != "card" and rng.random() < 0.2:
        form["rim"] = float(rng.uniform(0.03, 0.1))
    return form


def random_checker_pair(rng: Generator) -> tuple[Maker, Maker, Style]:
    """Makers of the light and of the dark side's checkers, and what was drawn (for tables of errors).

    The style holds ``pair``, ``kind``, ``rings``, and ``light`` and ``dark``: how bright both sides look (CIE
    L*, 0-100), the light one's higher by 5 at least; with red and green or red and blue by little more.
    """
    kinds = ("plastic", "pearl", "wood", "speckled", "card", "leather")
    kind = str(rng.choice(kinds, p=[0.4, 0.14, 0.3, 0.05, 0.06, 0.05]))
    pair, light, dark, spread = _pair_colours(rng, kind)
    style: Style = {"pair": pair, "kind": kind, "spread": float(spread), "wear": float(rng.uniform(0, 0.8))}
    style |= _pair_form(rng, kind)
    metal = vary(rng, (205, 190, 150), 20) if "rim" in style and rng.random() < 0.6 else None
    while True:
        sides = [checker_material(rng, colour, style, metal) for colour in (light, dark)]
        bright = [_brightness(side) for side in sides]
        if abs(bright[0] - bright[1]) >= 5:
            break
        light, dark = mix(light, (255, 250, 240), 0.08), mix(dark, (8, 8, 8), 0.15)
    first = int(bright[1] > bright[0])
    style.update(light=bright[first], dark=bright[1 - first])
    return sides[first], sides[1 - first], style


def _brightness(make: Maker) -> float:
    """How bright a checker looks from above, CIE L* (0-100), with all its rings and veins."""
    grid = np.linspace(-0.95, 0.95, 20, dtype=np.float32)
    x, y = (axis.ravel() for axis in np.meshgrid(grid, grid))
    inside = np.hypot(x, y) < 0.95
    local = np.stack([x, y, np.full_like(x, 0.2)], axis=1)[inside]
    normal = np.zeros_like(local)
    normal[:, 2] = 1
    material = make(np.random.default_rng(0))
    origin, upright = np.zeros(3, np.float32), np.eye(3, dtype=np.float32)
    body = Body(Shape.DISC, (1, 0.2, 0, 0), origin, upright, material, "checker")
    albedo = surface(material, body, local, normal)[0].mean(axis=0)
    return float(116 * np.cbrt(albedo @ np.array([0.2126, 0.7152, 0.0722])) - 16)


_DICE: tuple[tuple[str, Rgb, Rgb], ...] = (
    ("white", (240, 238, 232), (16, 16, 18)),
    ("ivory", (232, 220, 186), (24, 20, 18)),
    ("red", (186, 20, 26), (240, 238, 232)),
    ("black", (22, 22, 24), (238, 238, 234)),
    ("blue", (26, 52, 150), (238, 238, 234)),
    ("green", (20, 110, 60), (238, 238, 234)),
    ("yellow", (228, 190, 40), (20, 20, 20)),
    ("purple", (88, 32, 120), (236, 232, 236)),
    ("brown", (100, 60, 36), (226, 200, 140)),
    ("wood", (200, 160, 108), (40, 26, 18)),
    ("pink", (226, 130, 160), (250, 248, 246)),
    ("grey", (130, 130, 134), (240, 240, 240)),
    ("gold pips", (28, 26, 26), (206, 168, 84)),
    ("red pips", (236, 232, 226), (180, 20, 24)),
    ("blue pips", (236, 234, 230), (24, 44, 140)),
)


def random_die_style(rng: Generator) -> tuple[Maker, Style]:
    """A maker of dice of one kind, and what was drawn: ``colour``, ``clear`` (0-1), ``mirrored`` (0 or 1)."""
    name, colour, ink = _DICE[min(int(rng.exponential(3.5)), len(_DICE) - 1)]
    if rng.random() < 0.12:
        name, colour = "any", random_colour(rng, 20, 245)
        ink = (18, 18, 20) if luma(colour) > 110 else (238, 238, 234)
    colour, ink = vary(rng, colour, 10), vary(rng, ink, 8)
    clear = 0.0
    if name not in ("white", "ivory", "wood", "black", "gold pips") and rng.random() < 0.35:
        clear = float(rng.uniform(0.3, 1))
    pip = float(rng.uniform(0.07, 0.12))
    look = DieLook(
        pip=pip,
        spread=float(np.clip(rng.uniform(0.2, 0.29), 2.2 * pip, 0.4 - pip)),
        edge=float(rng.uniform(0, 0.45)),
        clear=clear,
        figure=float(rng.uniform(0.2, 0.7)) if rng.random() < 0.15 else 0.0,
        mirrored=float(rng.random() < 0.5),
        ace=float(rng.uniform(1.2, 2.2)) if rng.random() < 0.2 else 1.0,
        red=float(rng.integers(1, 3)) if luma(ink) < 60 and rng.random() < 0.12 else 0.0,
        turned=float(rng.integers(8)),
        square=float(rng.random() < 0.02),
        hollow=float(rng.uniform(0.3, 0.6)) if rng.random() < 0.04 else 0.0,
    )
    rough = float(rng.uniform(0.05, 0.45))

    def make(own: Generator) -> Material:
        tone = linear(vary(own, colour, 2))
        seed = int(own.integers(1 << 20))
        return Material(Look.DIE, tone, rough, 0.05, linear(ink), seed=seed, parameters=astuple(look))

    return make, {"colour": name, "clear": clear, "mirrored": look.mirrored}


_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)


def numeral(text: str, side: int, font: int, weight: float, share: float) -> Array:
    """A text in the middle of a square of ``side`` pixels, 0-1; ``share``: how much of it is filled."""
    big = 4 * side
    (wide, high), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = share * big / max(wide, high * 1.15)
    thick = max(1, round(weight * big))
    (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
    ink = np.zeros((big, big), np.uint8)
    origin = ((big - wide) // 2, (big + high) // 2)
    cv2.putText(ink, text, origin, font, scale, 255, thick, cv2.LINE_AA)
    small: Array = cv2.resize(ink, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
    return small / np.float32(255)


def random_cube_style(rng: Generator) -> tuple[Maker, Style]:
    """A maker of doubling cubes (one is enough), and what was drawn: ``colour``."""
    name, colour, ink = _DICE[int(rng.choice([0, 0, 0, 1, 2, 3, 3, 4, 5, 9, 12, 13, 14, 11, 8]))]
    colour, ink = vary(rng, colour, 10), vary(rng, ink, 8)
    side = 96
    font = int(rng.choice(_FONTS))
    weight, share = float(rng.uniform(0.03, 0.075)), float(rng.uniform(0.4, 0.66))
    aligned = rng.random() < 0.3
    faces = []
    frame = int(rng.integers(3, 9)) if rng.random() < 0.25 else 0
    for value in CUBE_FACES:
        mask = numeral(str(value), side, font, weight, share)
        if value == 64 and rng.random() < 0.25:
            mask = numeral("64", side, font, weight, share * 0.75)
        if frame:
            cv2.rectangle(mask, (9, 9), (side - 10, side - 10), 1.0, max(1, frame // 2), cv2.LINE_AA)
        if not aligned:
            mask = np.rot90(mask, int(rng.integers(4)))
        low, high = np.asarray(colour, np.float32), np.asarray(ink, np.float32)
        faces.append((low + mask[..., None] * (high - low)).astype(np.uint8))
    atlas = np.ascontiguousarray(np.hstack(faces))
    rough = float(rng.uniform(0.1, 0.6))

    def make(own: Generator) -> Material:
        return Material(
            Look.CUBE, linear(colour), rough, 0.045, linear(ink), atlas, seed=int(own.integers(1 << 20))
        )

    return make, {"colour": name}


#: Skin from pale to dark, sRGB.
_SKINS: tuple[Rgb, ...] = (
    (236, 196, 170),
    (224, 172, 140),
    (206, 150, 116),
    (180, 122, 88),
    (146, 94, 64),
    (108, 68, 46),
    (72, 46, 34),
)


def random_skin(rng: Generator) -> Material:
    """The skin of a hand."""
    at = rng.uniform(0, len(_SKINS) - 1)
    low = int(at)
    tone = mix(_SKINS[low], _SKINS[min(low + 1, len(_SKINS) - 1)], at - low)
    return Material(
        Look.SKIN,
        linear(vary(rng, tone, 6)),
        float(rng.uniform(0.4, 0.6)),
        0.028,
        seed=int(rng.integers(1 << 20)),
        parameters=(float(rng.uniform(0.06, 0.2)),),
    )
