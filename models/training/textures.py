"""Procedural looks of flat things, as uint8 sRGB pictures in RGB order, and the painted field.

Everything is drawn from a ``numpy.random.Generator``: the same seed gives the same picture. Colours here are
sRGB triples of 0-255; :func:`linear` turns them into the linear ones of :mod:`models.training.world`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from models.training.world import Array, Colour, Image

Rgb: TypeAlias = tuple[float, float, float]  #: sRGB, 0-255
Style: TypeAlias = dict[str, str | float]

#: Linear value of each sRGB byte (IEC 61966-2-1).
TO_LINEAR: Array = np.array(
    [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in np.arange(256) / 255], np.float32
)


def linear(colour: Rgb) -> Colour:
    """The linear colour (0-1) of an sRGB one (0-255)."""
    r, g, b = (float(np.interp(c, np.arange(256), TO_LINEAR)) for c in colour)
    return r, g, b


def luma(colour: Rgb) -> float:
    """How bright an sRGB colour looks, 0-255 (the weights of Rec. 601)."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def mix(a: Rgb, b: Rgb, share: float) -> Rgb:
    """``a`` with ``share`` of ``b`` in it."""
    r, g, c = (x + (y - x) * share for x, y in zip(a, b, strict=True))
    return r, g, c


def vary(rng: Generator, colour: Rgb, spread: float = 12.0) -> Rgb:
    """A colour like the given one: brightness and tint vary by about ``spread``."""
    shift = rng.normal(0, spread) + rng.normal(0, spread / 3, 3)
    r, g, b = (float(v) for v in np.clip(np.asarray(colour) + shift, 0, 255))
    return r, g, b


def noise(rng: Generator, height: int, width: int, cell_y: float, cell_x: float) -> Array:
    """Smooth noise of about -1 to 1 whose bumps are ``cell_y`` by ``cell_x`` pixels large."""
    rows, columns = max(2, round(height / cell_y) + 1), max(2, round(width / cell_x) + 1)
    grid = rng.uniform(-1, 1, (min(rows, height), min(columns, width))).astype(np.float32)
    return cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)  # type: ignore[return-value]


def fractal(
    rng: Generator, height: int, width: int, cell: float, octaves: int = 4, stretch: float = 1.0
) -> Array:
    """Noise over several sizes, largest ``cell`` pixels; ``stretch`` lengthens its bumps along x."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        size = cell / 2**octave
        if size < 1:
            break
        total += noise(rng, height, width, size, size * stretch) / 2**octave
    return total


def grain(rng: Generator, height: int, width: int, strength: float = 1.0) -> Array:
    """Per-pixel noise, normal, of deviation ``strength``: a tile of noise repeated with an odd period."""
    tile = rng.normal(0, strength, (min(height, 233), min(width, 251))).astype(np.float32)
    down, across = -(-height // tile.shape[0]), -(-width // tile.shape[1])
    return np.tile(tile, (down, across))[:height, :width]


def tint(colour: Rgb, shade: Array) -> Image:
    """A colour multiplied by a (height, width) map of about 1."""
    return np.clip(shade[..., None] * np.asarray(colour, np.float32), 0, 255).astype(np.uint8)


def blend(a: Rgb, b: Rgb, share: Array) -> Image:
    """From ``a`` where ``share`` is 0 to ``b`` where it is 1."""
    low, high = np.asarray(a, np.float32), np.asarray(b, np.float32)
    return np.clip(low + np.clip(share, 0, 1)[..., None] * (high - low), 0, 255).astype(np.uint8)


#: Woods: dark and light colour of the figure.
WOODS: dict[str, tuple[Rgb, Rgb]] = {
    "walnut": ((58, 36, 22), (118, 80, 52)),
    "maple": ((205, 168, 118), (236, 208, 163)),
    "mahogany": ((92, 34, 20), (152, 72, 42)),
    "rosewood": ((48, 22, 16), (120, 60, 38)),
    "oak": ((150, 108, 64), (200, 160, 108)),
    "pine": ((204, 158, 96), (238, 205, 148)),
    "beech": ((190, 138, 96), (222, 178, 134)),
    "cherry": ((142, 74, 42), (190, 118, 74)),
    "teak": ((128, 76, 34), (182, 122, 66)),
    "sheesham": ((70, 36, 18), (160, 98, 52)),
    "ebony": ((18, 14, 12), (46, 36, 30)),
    "burl": ((98, 52, 22), (188, 124, 66)),
    "olive": ((112, 78, 40), (208, 168, 104)),
    "birch": ((222, 190, 150), (244, 222, 188)),
    "wenge": ((34, 24, 18), (78, 56, 42)),
    "grey": ((112, 104, 96), (172, 164, 152)),
    "redwood": ((110, 40, 28), (178, 88, 62)),
}


def wood(rng: Generator, height: int, width: int, kind: str | None = None, upright: bool = False) -> Image:
    """Wood with its grain along x (along y if ``upright``); ``kind`` is one of :data:`WOODS`."""
    if upright:
        return np.ascontiguousarray(np.swapaxes(wood(rng, width, height, kind), 0, 1))
    kind = kind or str(rng.choice(list(WOODS)))
    dark, light = (vary(rng, c, 8) for c in WOODS[kind])
    size = max(height, width)
    if kind == "burl":
        warp = fractal(rng, height, width, size / 5, 4)
        figure = 0.5 + 0.5 * np.sin(warp * rng.uniform(4, 9))
        figure = 0.6 * figure + 0.25 * (1 + fractal(rng, height, width, size / 24, 3))
    else:
        rings = size / rng.uniform(8, 45)
        wave = noise(rng, height, width, size / rng.uniform(1.5, 5), size * rng.uniform(0.5, 1.5))
        wave += 0.25 * noise(rng, height, width, size / 12, size / 3)
        y = np.arange(height, dtype=np.float32)[:, None] / rings
        phase = y + wave * rng.uniform(0.3, 3.5)
        saw = phase - np.floor(phase)
        figure = (saw * saw) if rng.random() < 0.6 else 0.5 + 0.5 * np.sin(phase * 6.2832)
        figure = figure * rng.uniform(0.25, 0.7) + 0.35 * (1 + noise(rng, height, width, size / 6, size))
    figure = figure + rng.uniform(0.05, 0.2) * noise(rng, height, width, 2, size / 6)
    figure += rng.uniform(0.05, 0.3) * noise(rng, height, width, 1.3, rng.uniform(12, 40))
    if rng.random() < 0.5:
        pores = noise(rng, height, width, 1, rng.uniform(6, 18)) > rng.uniform(0.75, 0.95)
        figure = figure - 0.35 * pores
    if rng.random() < 0.2:  # flame: bands of gloss across the grain
        figure = figure + 0.12 * noise(rng, height, width, size / 3, size / rng.uniform(20, 50))
    return blend(dark, light, figure)


def planks(rng: Generator, height: int, width: int, kind: str | None = None) -> Image:
    """Boards of one wood side by side, their joints along x, as on floors and tables."""
    kind = kind or str(rng.choice(["oak", "pine", "walnut", "beech", "teak", "grey", "birch", "cherry"]))
    rows = int(rng.integers(2, 9))
    out = wood(rng, height, width, kind)
    edges = np.linspace(0, height, rows + 1).astype(int)
    gap = rng.uniform(0.35, 0.8)
    for top, bottom in zip(edges[:-1], edges[1:], strict=True):
        shift = int(rng.integers(width))
        rows_of = np.roll(out[top:bottom], shift, axis=1).astype(np.float32) * rng.uniform(0.85, 1.12)
        if rng.random() < 0.5:
            rows_of = rows_of[::-1]
        strip = np.clip(rows_of, 0, 255).astype(np.uint8)
        joint = int(rng.integers(width))
        strip[:, joint : joint + 2] = (strip[:, joint : joint + 2] * gap).astype(np.uint8)
        strip[: max(1, height // 400)] = (strip[: max(1, height // 400)] * gap).astype(np.uint8)
        out[top:bottom] = strip
    return out


def felt(rng: Generator, height: int, width: int, colour: Rgb) -> Image:
    """Felt or baize: fine fibres and soft clouds; some of it flecked."""
    fleck = rng.uniform(0.02, 0.09)
    shade = 1 + grain(rng, height, width, fleck)
    shade += 0.6 * fleck * noise(rng, height, width, 3, 3) + 0.04 * fractal(rng, height, width, width / 4, 2)
    return tint(colour, shade)


def flecked(rng: Generator, height: int, width: int, colour: Rgb) -> Image:
    """Grey felt and the like: fibres of several tones."""
    shade = 1 + 0.25 * noise(rng, height, width, 1.5, 2.5) + 0.15 * noise(rng, height, width, 5, 3)
    return tint(colour, shade + grain(rng, height, width, 0.08))


def cork(rng: Generator, height: int, width: int, colour: Rgb = (190, 140, 88)) -> Image:
    """Cork: grains with dark specks."""
    shade = 1 + 0.14 * noise(rng, height, width, 6, 6) + 0.1 * noise(rng, height, width, 2.5, 2.5)
    shade -= 0.4 * (noise(rng, height, width, 3, 3) > 0.72)
    return tint(vary(rng, colour, 10), shade + grain(rng, height, width, 0.04))


def leather(rng: Generator, height: int, width: int, colour: Rgb) -> Image:
    """Leather, leatherette or vinyl: a pebbled grain and soft clouds."""
    cell = rng.uniform(2.5, 7)
    pebble = np.abs(
        noise(rng, height, width, cell, cell) + 0.5 * noise(rng, height, width, cell / 2, cell / 2)
    )
    shade = 0.92 + rng.uniform(0.03, 0.25) * pebble
    shade += rng.uniform(0.02, 0.1) * fractal(rng, height, width, width / 3, 3)
    return tint(colour, shade)


def plain(rng: Generator, height: int, width: int, colour: Rgb) -> Image:
    """Paint, card or print: nearly even."""
    shade = 1 + 0.015 * fractal(rng, height, width, width / 2, 3)
    return tint(colour, shade + grain(rng, height, width, rng.uniform(0.002, 0.02)))


def cloth(rng: Generator, height: int, width: int, colour: Rgb, second: Rgb | None = None) -> Image:
    """Woven cloth: threads over and under each other; ``second``: the colour of the cross threads."""
    pitch = float(rng.uniform(2.5, 7))
    x = np.sin(np.arange(width, dtype=np.float32) * (2 * math.pi / pitch))[None]
    y = np.sin(np.arange(height, dtype=np.float32) * (2 * math.pi / pitch))[:, None]
    weave = 0.5 + 0.5 * x * y
    out = blend(colour, second or mix(colour, (0, 0, 0), rng.uniform(0.1, 0.4)), weave)
    shade = (
        1 + 0.05 * fractal(rng, height, width, width / 3, 3) + 0.06 * noise(rng, height, width, pitch / 2, 30)
    )
    return np.clip(out * shade[..., None], 0, 255).astype(np.uint8)


def marble(rng: Generator, height: int, width: int, colour: Rgb = (225, 222, 214)) -> Image:
    """Marble or stone: veins over clouds."""
    size = max(height, width)
    field = fractal(rng, height, width, size / rng.uniform(2, 5), 5)
    veins = np.clip(1 - np.abs(field) * rng.uniform(5, 18), 0, 1)
    cloud = 0.5 + 0.4 * fractal(rng, height, width, size / 4, 4)
    ink = vary(rng, mix(colour, (60, 60, 60) if luma(colour) > 110 else (235, 230, 220), 0.7), 15)
    return blend(vary(rng, colour), ink, rng.uniform(0.3, 0.9) * veins + 0.25 * cloud)


def metal(rng: Generator, height: int, width: int, colour: Rgb = (170, 170, 172)) -> Image:
    """Brushed metal."""
    shade = 1 + 0.1 * noise(rng, height, width, 1, width) + 0.06 * noise(rng, height, width, 1, 60)
    return tint(colour, shade)


def carpet(rng: Generator, height: int, width: int, colour: Rgb) -> Image:
    """A pile carpet, with a second colour in spots at times."""
    shade = 1 + 0.2 * noise(rng, height, width, 3, 3) + 0.12 * fractal(rng, height, width, width / 5, 2)
    out = tint(colour, shade + grain(rng, height, width, 0.12))
    if rng.random() < 0.5:
        cell = rng.uniform(10, 60)
        share = np.clip(4 * fractal(rng, height, width, cell, 2) - 1, 0, 1)[..., None]
        out = (out * (1 - share) + share * tint(vary(rng, colour, 60), shade)).astype(np.uint8)
    return out


def random_colour(rng: Generator, low: float = 20, high: float = 235) -> Rgb:
    """Any colour, from grey to full, with brightness spread over the given range."""
    hue, full, value = rng.uniform(0, 180), 255 * rng.beta(1.5, 2), rng.uniform(low, high)
    pixel = cv2.cvtColor(np.array([[[hue, full, value]]], np.uint8), cv2.COLOR_HSV2RGB)[0, 0]
    return float(pixel[0]), float(pixel[1]), float(pixel[2])


def tiles(rng: Generator, height: int, width: int, colour: Rgb | None = None) -> Image:
    """Floor or wall tiles with joints."""
    base = colour or random_colour(rng, 90, 230)
    out = marble(rng, height, width, base) if rng.random() < 0.5 else plain(rng, height, width, base)
    count = int(rng.integers(2, 7))
    step = width // count
    joint = tuple(int(v) for v in vary(rng, mix(base, (110, 105, 100), 0.7)))
    other = vary(rng, base, 40)
    chequered = rng.random() < 0.3
    for row in range(-(-height // step)):
        for column in range(count + 1):
            cell = out[row * step : (row + 1) * step, column * step : (column + 1) * step]
            if cell.size and chequered and (row + column) % 2:
                cell[:] = (cell * 0.15 + np.asarray(other) * 0.85).astype(np.uint8)
            elif cell.size:
                cell[:] = np.clip(cell * rng.uniform(0.94, 1.05), 0, 255).astype(np.uint8)
    for at in range(0, max(width, height), step):
        cv2.line(out, (at, 0), (at, height), joint, max(1, width // 250))
        cv2.line(out, (0, at), (width, at), joint, max(1, width // 250))
    return out


def tablecloth(rng: Generator, height: int, width: int) -> Image:
    """A patterned cloth: checks, stripes, dots or flowers."""
    base, ink = random_colour(rng, 60, 245), random_colour(rng, 40, 240)
    out = cloth(rng, height, width, base)
    step = width / rng.uniform(4, 22)
    x, y = np.arange(width, dtype=np.float32)[None], np.arange(height, dtype=np.float32)[:, None]
    kind = str(rng.choice(["checks", "stripes", "dots", "flowers"]))
    if kind == "checks":
        share = 0.45 * (np.sin(x * math.pi / step) > 0) + 0.45 * (np.sin(y * math.pi / step) > 0)
    elif kind == "stripes":
        share = 0.85 * (np.sin(x * math.pi / step + 0 * y) > rng.uniform(-0.5, 0.8))
    else:
        near = np.hypot((x % step) - step / 2, (y % step) - step / 2)
        turn = np.arctan2((y % step) - step / 2, (x % step) - step / 2)
        petals = 1 + (0.35 * np.cos(5 * turn) if kind == "flowers" else 0)
        share = 0.85 * (near < step * rng.uniform(0.15, 0.4) * petals)
    share = share.astype(np.float32)[..., None]
    return np.clip(out * (1 - share) + share * np.asarray(ink), 0, 255).astype(np.uint8)


def page(rng: Generator, height: int, width: int) -> Image:
    """Paper with lines of print, a heading, a picture at times."""
    out = plain(rng, height, width, vary(rng, (238, 236, 230), 8))
    ink = tuple(int(v) for v in vary(rng, (40, 40, 45), 15))
    margin = width // 12
    y = margin
    while y < height - margin:
        kind = rng.random()
        line = max(2, int(height * rng.uniform(0.008, 0.02)))
        if kind < 0.06:
            box = int(height * rng.uniform(0.08, 0.25))
            out[y : y + box, margin : width - margin] = np.asarray(random_colour(rng), np.uint8)
            y += box + line
        elif kind < 0.12:
            y += 3 * line
        else:
            x = margin
            end = width - margin - int(rng.integers(0, width // 4)) * (rng.random() < 0.3)
            while x < end:
                word = int(rng.uniform(2, 9) * line)
                cv2.line(out, (x, y), (min(x + word, end), y), ink, max(1, line // 2))
                x += word + line
            y += 2 * line + 1
    return out


def _points(height: float, bar: tuple[float, float]) -> list[tuple[int, float, float]]:
    """Slot, middle and width (field widths) of each point, as :class:`vision.geometry.FieldMap` has them."""
    found = []
    for slot in range(24):
        column = slot % 12
        left, right = (0.0, bar[0]) if column < 6 else (bar[1], 1.0)
        pitch = (right - left) / 6
        found.append((slot, left + (column % 6 + 0.5) * pitch, pitch))
    return found


def field_picture(
    rng: Generator, height: float, bar: tuple[float, float], pixels: int = 700
) -> tuple[Image, Style]:
    """The painted field from above, (``round(height * pixels)``, ``pixels``, 3), and what was drawn.

    ``height`` and ``bar`` (left and right edge) are in field widths. The style holds ``ground``, ``points``,
    ``length`` (of the points, over the field's height), ``breadth`` (over their pitch), ``rough`` and ``shine``.
    """
    rows = round(height * pixels)
    base = random_colour(rng)
    out = felt(rng, rows, pixels, base)
    length, breadth = float(rng.uniform(0.3, 0.48)), float(rng.uniform(0.6, 1))
    colours = [vary(rng, random_colour(rng)) for _ in range(2)]
    for slot, middle, pitch in _points(height, bar):
        y0, y1 = (0, rows * length) if slot < 12 else (rows, rows * (1 - length))
        half = breadth * pitch * pixels / 2
        corners = np.array(
            [[middle * pixels - half, y0], [middle * pixels + half, y0], [middle * pixels, y1]]
        )
        cv2.fillConvexPoly(
            out, np.round(corners).astype(np.int32), colours[slot % 2 ^ (slot >= 12)], cv2.LINE_AA
        )
    return out, {
        "ground": "felt",
        "points": "paint",
        "length": length,
        "breadth": breadth,
        "rough": 0.9,
        "shine": 0.03,
    }


def table_picture(rng: Generator, rows: int, columns: int) -> tuple[Image, Style]:
    """What a board may lie on, (rows, columns, 3), and what was drawn: ``kind``, ``rough``, ``shine``."""
    makers: dict[str, Callable[[], Image]] = {
        "wood": lambda: wood(rng, rows, columns),
        "planks": lambda: planks(rng, rows, columns),
        "marble": lambda: marble(rng, rows, columns, random_colour(rng, 40, 235)),
        "tiles": lambda: tiles(rng, rows, columns),
        "carpet": lambda: carpet(rng, rows, columns, random_colour(rng)),
        "cloth": lambda: cloth(rng, rows, columns, random_colour(rng)),
        "tablecloth": lambda: tablecloth(rng, rows, columns),
        "plain": lambda: plain(rng, rows, columns, random_colour(rng)),
        "leather": lambda: leather(rng, rows, columns, random_colour(rng)),
        "felt": lambda: felt(rng, rows, columns, random_colour(rng)),
    }
    kind = str(rng.choice(list(makers)))
    rough = {"wood": 0.4, "planks": 0.5, "marble": 0.2, "tiles": 0.3, "plain": 0.6, "leather": 0.5}.get(
        kind, 0.9
    )
    return makers[kind](), {"kind": kind, "rough": rough * rng.uniform(0.7, 1.2), "shine": 0.04}
