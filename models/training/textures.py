"""Procedural looks of flat things, as uint8 sRGB pictures in RGB order, and the painted field.

Everything is drawn from a ``numpy.random.Generator``: the same seed gives the same picture. Colours here are
sRGB triples of 0-255; :func:`linear` turns them into the linear ones of :mod:`models.training.world`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from models.training.world import Array, Colour, Image

Rgb: TypeAlias = tuple[float, float, float]  #: sRGB, 0-255
Floats: TypeAlias = NDArray[np.floating[Any]]
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
    """A colour like the given one: brightness and, of bright ones, tint vary by about ``spread``."""
    shift = rng.normal(0, spread) + rng.normal(0, spread / 3, 3) * (0.2 + luma(colour) / 220)
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


def tint(colour: Rgb, shade: Floats) -> Image:
    """A colour multiplied by a (height, width) map of about 1."""
    return blend((0, 0, 0), colour, np.maximum(shade, 0))


def blend(a: Rgb, b: Rgb, share: Floats) -> Image:
    """From ``a`` where ``share`` is 0 to ``b`` where it is 1; beyond both it goes on until 0 or 255."""
    layers = [cv2.addWeighted(share, y - x, share, 0, x, dtype=cv2.CV_8U) for x, y in zip(a, b, strict=True)]
    return cv2.merge(layers)  # type: ignore[return-value]


def shaded(picture: Image, shade: Floats) -> Image:
    """A picture multiplied by a (height, width) map of about 1."""
    factor = cv2.merge([shade.astype(np.float32, copy=False)] * 3)
    return cv2.multiply(picture, factor, dtype=cv2.CV_8U)  # type: ignore[return-value]


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
    for top, bottom in itertools.pairwise(edges):
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
    return shaded(out, shade)


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


def room_colour(rng: Generator) -> Rgb:
    """A colour of table tops, floors and cloths: white, black or grey, or mostly a muted one."""
    if rng.random() < 0.4:
        tone = float(rng.choice([rng.uniform(8, 45), rng.uniform(90, 180), rng.uniform(205, 245)]))
        return vary(rng, (tone, tone, tone), 6)
    colour = random_colour(rng, 15, 245)
    grey = vary(rng, (luma(colour) + 8, luma(colour), luma(colour) - 12), 6)
    return mix(colour, grey, float(rng.uniform(0.2, 0.9)) if rng.random() < 0.75 else 0.0)


def tiles(rng: Generator, height: int, width: int) -> Image:
    """Floor or wall tiles with joints."""
    base = room_colour(rng)
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
    base, ink = room_colour(rng), room_colour(rng)
    if abs(luma(base) - luma(ink)) < 20:
        ink = random_colour(rng, 40, 240)
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
    mixed: Image = np.clip(out * (1 - share) + share * np.asarray(ink), 0, 255).astype(np.uint8)
    return mixed


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


Points: TypeAlias = NDArray[np.floating[Any]]  #: (n, 2) x, y, pixels
_SHIFT = 4  #: fraction bits of places handed to OpenCV


def _fixed(points: Points) -> NDArray[np.int32]:
    return np.round(np.asarray(points) * (1 << _SHIFT)).astype(np.int32)


def _whole(colour: Rgb) -> tuple[int, int, int]:
    r, g, b = (int(np.clip(c, 0, 255)) for c in colour)
    return r, g, b


def fill(out: Image, points: Points, colour: Rgb | int) -> None:
    """Fill a polygon with smooth edges, in place."""
    ink = colour if isinstance(colour, int) else _whole(colour)
    cv2.fillPoly(out, [_fixed(points)], ink, cv2.LINE_AA, _SHIFT)


def stroke(out: Image, points: Points, colour: Rgb | int, width: float, closed: bool = True) -> None:
    """Draw a line through points with smooth edges, in place; ``width`` in pixels."""
    ink = colour if isinstance(colour, int) else _whole(colour)
    thick = max(1, round(width))
    cv2.polylines(out, [_fixed(points)], closed, ink, thick, cv2.LINE_AA, _SHIFT)


def circle(out: Image, x: float, y: float, radius: float, colour: Rgb | int, width: float = -1) -> None:
    """A disc, or a circle where ``width`` (pixels) is positive, with smooth edges, in place."""
    ink = colour if isinstance(colour, int) else _whole(colour)
    middle = (round(x * (1 << _SHIFT)), round(y * (1 << _SHIFT)))
    thick = -1 if width < 0 else max(1, round(width))
    size = max(1, round(radius * (1 << _SHIFT)))
    cv2.circle(out, middle, size, ink, thick, cv2.LINE_AA, _SHIFT)


def paste(out: Image, over: Image | Rgb, mask: NDArray[np.uint8]) -> None:
    """Lay a picture or a colour over ``out`` where ``mask`` (0-255) says, in place."""
    left, top, wide, high = cv2.boundingRect(mask)
    if not wide:
        return
    y, x = slice(top, top + high), slice(left, left + wide)
    low = np.ascontiguousarray(out[y, x])
    if isinstance(over, tuple):
        new = np.empty_like(low)
        new[:] = _whole(over)
    else:
        new = np.ascontiguousarray(over[y, x])
    share = mask[y, x].astype(np.float32) / np.float32(255)
    out[y, x] = cv2.blendLinear(new, low, share, 1 - share)


def ring(sides: int, radius: float, turn: float = 0.0, inner: float = 0.0) -> Points:
    """A regular polygon around 0, 0; a star with notches at ``inner`` where that is positive."""
    count = sides * 2 if inner > 0 else sides
    angle = turn + np.arange(count) * (2 * math.pi / count)
    far = np.where(np.arange(count) % 2 == 1, inner, radius) if inner > 0 else np.full(count, radius)
    return np.stack([far * np.sin(angle), -far * np.cos(angle)], axis=1).astype(np.float32)


#: Inlay of the Levant: ivory, black, red, green, yellow, brown.
CHIPS: tuple[Rgb, ...] = (
    (232, 218, 184),
    (24, 20, 18),
    (158, 32, 28),
    (34, 108, 98),
    (222, 184, 88),
    (92, 52, 30),
    (250, 244, 230),
)


def chips(rng: Generator, count: int = 4) -> list[Rgb]:
    """Colours of the chips of one board's inlay, light and dark in turn."""
    light, dark = [CHIPS[k] for k in (0, 4, 6)], [CHIPS[k] for k in (1, 2, 3, 5)]
    return [vary(rng, (light if k % 2 == 0 else dark)[int(rng.integers(3))], 10) for k in range(count)]


def inlay_strip(rng: Generator, height: int, width: int, palette: Sequence[Rgb] | None = None) -> Image:
    """A band of inlay along x: chips, triangles, zigzags, diamonds or chequers between plain lines."""
    palette = palette or chips(rng)
    out = np.empty((height, width, 3), np.uint8)
    out[:] = _whole(palette[1])
    kind = str(rng.choice(["chips", "triangles", "diamonds", "chequers", "lines"]))
    line = max(1, height // 8) if rng.random() < 0.7 else 0
    step = max(3.0, height * float(rng.uniform(0.4, 2.5)))
    top, bottom = float(2 * line), float(height - 2 * line)
    for k, x in enumerate(np.arange(0, width, step)):
        ink = palette[(2 * k if k % 2 else k) % len(palette)]
        if kind == "chips":
            fill(out, np.array([[x, top], [x + step, top], [x + step, bottom], [x, bottom]]), ink)
        elif kind == "triangles":
            fill(out, np.array([[x, bottom], [x + step, bottom], [x + step / 2, top]]), ink)
        elif kind == "diamonds":
            middle = (top + bottom) / 2
            diamond = [[x, middle], [x + step / 2, top], [x + step, middle], [x + step / 2, bottom]]
            fill(out, np.array(diamond), ink)
        elif kind == "chequers":
            middle, half = (top + bottom) / 2, x + step / 2
            fill(out, np.array([[x, top], [half, top], [half, middle], [x, middle]]), palette[0])
            low = [[half, middle], [x + step, middle], [x + step, bottom], [half, bottom]]
            fill(out, np.array(low), palette[0])
    if kind == "lines":
        out[int(height * 0.35) : int(height * 0.65)] = _whole(palette[0])
    if line:
        out[:line] = out[-line:] = _whole(palette[0])
        out[line : 2 * line] = out[-2 * line : -line] = _whole(palette[1])
    return out


def _star_figure(rng: Generator, out: Image, x: float, y: float, size: float, palette: Sequence[Rgb]) -> None:
    """A star of eight points in a square or a diamond, with smaller ones inside."""
    middle = np.array([x, y], np.float32)
    turn = float(rng.choice([0.0, math.pi / 4]))
    shrink = 1.0
    for k in range(int(rng.integers(3, 6))):
        ink = palette[k % len(palette)]
        kind = rng.random()
        if k == 0 or kind < 0.25:
            outline = ring(4, size * shrink, turn)
        elif kind < 0.75:
            outline = ring(8, size * shrink * 0.9, turn, size * shrink * float(rng.uniform(0.45, 0.62)))
        else:
            outline = ring(8, size * shrink * 0.75, turn + math.pi / 8)
        fill(out, outline + middle, ink)
        if rng.random() < 0.4:
            stroke(out, outline + middle, palette[(k + 1) % len(palette)], size / 40)
        if k and rng.random() < 0.6:  # triangles between the star's points
            for side in range(8):
                small = ring(3, size * shrink * 0.16, turn + side * math.pi / 4)
                angle = turn + (side + 0.5) * math.pi / 4
                place = np.array([math.sin(angle), -math.cos(angle)]) * size * shrink * 0.55
                fill(out, small + middle + place, palette[(k + 2) % len(palette)])
        shrink *= float(rng.uniform(0.5, 0.8))


def mosaic_panel(rng: Generator, height: int, width: int, palette: Sequence[Rgb] | None = None) -> Image:
    """A panel of inlay: bands around a field with a star, a diamond, chequered triangles."""
    palette = palette or chips(rng, 5)
    out = wood(rng, height, width, str(rng.choice(["walnut", "rosewood", "sheesham", "maple"])))
    size = min(height, width)
    inset = 0
    for _ in range(int(rng.integers(1, 4))):
        band = max(3, round(size * float(rng.uniform(0.025, 0.07))))
        if 2 * (inset + band) > size * 0.6:
            break
        strip = inlay_strip(rng, band, max(height, width), palette)
        out[inset : inset + band, inset : width - inset] = strip[:, inset : width - inset]
        out[height - inset - band : height - inset, inset : width - inset] = strip[
            ::-1, inset : width - inset
        ]
        upright = np.swapaxes(strip, 0, 1)
        out[inset : height - inset, inset : inset + band] = upright[inset : height - inset]
        out[inset : height - inset, width - inset - band : width - inset] = upright[
            inset : height - inset, ::-1
        ]
        inset += band + round(size * float(rng.choice([0, 0.015, 0.04])))
    inner = size / 2 - inset
    x, y = width / 2, height / 2
    if rng.random() < 0.35:  # triangles chequered all over
        count = int(rng.integers(6, 15))
        step = 2 * inner / count
        for row in range(count):
            for column in range(count):
                ring_of = max(abs(row - count / 2 + 0.5), abs(column - count / 2 + 0.5))
                left, top = x - inner + column * step, y - inner + row * step
                corners = np.array(
                    [[left, top], [left + step, top], [left + step, top + step], [left, top + step]]
                )
                fill(out, corners, palette[int(ring_of) % len(palette)])
                drop = (row + column) % 4
                fill(out, np.delete(corners, drop, axis=0), palette[int(ring_of + 1) % len(palette)])
        if rng.random() < 0.6:
            _star_figure(rng, out, x, y, inner * 0.5, palette)
    else:
        _star_figure(rng, out, x, y, inner, palette)
    if rng.random() < 0.5:
        for sx in (-1, 1):
            for sy in (-1, 1):
                corner = np.array([x + sx * inner * 0.82, y + sy * inner * 0.82], np.float32)
                fill(
                    out, ring(4, inner * 0.13, 0 if rng.random() < 0.5 else math.pi / 4) + corner, palette[0]
                )
    return out


def medallion(rng: Generator, size: int, inks: Sequence[Rgb]) -> tuple[Image, NDArray[np.uint8]]:
    """A round ornament as picture and mask (0-255): circles, stars, petals, wreaths."""
    big = size * 2
    picture = np.empty((big, big, 3), np.uint8)
    picture[:] = _whole(inks[0])
    mask = np.zeros((big, big), np.uint8)
    middle, radius = big / 2, big * 0.48
    line = max(2.0, big * float(rng.uniform(0.006, 0.02)))
    for _ in range(int(rng.integers(1, 6))):
        ink = inks[int(rng.integers(len(inks)))]
        kind = rng.random()
        if kind < 0.35:
            circle(picture, middle, middle, radius, ink, line)
            circle(mask, middle, middle, radius, 255, line)
            if rng.random() < 0.4:
                circle(picture, middle, middle, radius, ink)
                circle(mask, middle, middle, radius, 255)
        elif kind < 0.6:
            points = int(rng.choice([5, 6, 8, 8, 12, 16]))
            star = ring(points, radius, 0, radius * float(rng.uniform(0.3, 0.7))) + np.float32(middle)
            if rng.random() < 0.5:
                fill(picture, star, ink)
                fill(mask, star, 255)
            else:
                stroke(picture, star, ink, line)
                stroke(mask, star, 255, line)
        else:
            count = int(rng.choice([6, 8, 12, 16]))
            at, petal = radius * float(rng.uniform(0.4, 0.75)), radius * float(rng.uniform(0.1, 0.35))
            width = line if rng.random() < 0.6 else -1
            for x, y in ring(count, at) + np.float32(middle):
                circle(picture, x, y, petal, ink, width)
                circle(mask, x, y, petal, 255, width)
        radius *= float(rng.uniform(0.55, 0.9))
    small = (size, size)
    picture = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return picture, cv2.resize(mask, small, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


_SYLLABLES = (
    "ta",
    "vla",
    "nar",
    "de",
    "ba",
    "ck",
    "ga",
    "mmo",
    "shes",
    "besh",
    "ko",
    "ri",
    "po",
    "lu",
    "zen",
    "om",
)
_LATIN_FONTS = (0, 2, 3, 4, 6, 7, 16 + 3, 16 + 6)  #: OpenCV's Hershey fonts, plain and slanted


def lettering(rng: Generator, size: float, turned: bool = False) -> NDArray[np.uint8]:
    """A mask (0-255) of a made-up name or address, about ``size`` pixels long; upside down if ``turned``."""
    word = "".join(rng.choice(_SYLLABLES, int(rng.integers(2, 5))))
    form = rng.random()
    text = word.upper() if form < 0.4 else f"www.{word}.com" if form < 0.6 else word.capitalize()
    font = int(rng.choice(_LATIN_FONTS))
    thick = int(rng.integers(2, 6))
    (wide, high), below = cv2.getTextSize(text, font, 2.0, thick)
    mask = np.zeros((high + below + 12, wide + 12), np.uint8)
    cv2.putText(mask, text, (6, high + 6), font, 2.0, 255, thick, cv2.LINE_AA)
    scale = size / mask.shape[1]
    new = (max(8, round(size)), max(4, round(mask.shape[0] * scale)))
    small = cv2.resize(mask, new, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(small[::-1, ::-1]) if turned else small  # type: ignore[return-value]


#: Ground and both colours of the points as boards have them.
PALETTES: tuple[tuple[Rgb, Rgb, Rgb], ...] = (
    ((228, 216, 190), (176, 24, 30), (24, 24, 26)),
    ((240, 232, 208), (190, 28, 32), (20, 20, 24)),
    ((112, 114, 116), (236, 236, 230), (44, 88, 170)),
    ((34, 112, 74), (238, 238, 232), (22, 44, 38)),
    ((40, 124, 82), (236, 234, 226), (30, 32, 34)),
    ((34, 92, 60), (178, 34, 34), (236, 230, 218)),
    ((32, 62, 140), (178, 34, 38), (236, 232, 224)),
    ((24, 40, 92), (210, 180, 120), (150, 30, 36)),
    ((196, 166, 118), (84, 64, 40), (54, 30, 30)),
    ((198, 164, 112), (90, 84, 58), (64, 32, 34)),
    ((150, 28, 34), (30, 110, 104), (30, 30, 34)),
    ((144, 30, 36), (238, 228, 206), (30, 28, 28)),
    ((30, 30, 32), (176, 30, 34), (228, 222, 210)),
    ((34, 34, 36), (30, 110, 96), (224, 210, 170)),
    ((206, 184, 144), (40, 84, 130), (116, 50, 36)),
    ((96, 60, 38), (222, 190, 140), (40, 26, 20)),
    ((72, 44, 32), (196, 150, 96), (128, 32, 30)),
    ((212, 196, 164), (110, 66, 36), (40, 66, 48)),
    ((30, 130, 140), (240, 236, 220), (24, 50, 66)),
    ((236, 234, 228), (40, 70, 150), (24, 26, 30)),
    ((188, 182, 170), (120, 26, 40), (40, 44, 52)),
    ((90, 30, 46), (214, 190, 150), (40, 24, 30)),
    ((46, 34, 66), (200, 190, 210), (120, 60, 140)),
    ((226, 196, 150), (150, 84, 40), (60, 34, 22)),
    ((120, 140, 110), (236, 228, 204), (60, 40, 30)),
    ((222, 222, 220), (120, 124, 128), (40, 42, 46)),
)
DESIGNS = ("sewn", "veneer", "print", "paper", "mosaic")
SHAPES = ("triangle", "blunt", "rounded", "spear", "ogee", "column", "leaf")


def _half_width(shape: str, t: Points) -> Points:
    """Half the breadth of a point, 1 at its widest, over the way ``t`` from its base (0) to its tip (1)."""
    half: Points = 1 - t
    if shape == "blunt":
        half = 1 - 0.88 * t
    elif shape == "rounded":  # round at the base, as cut with a router
        round_base = np.sqrt(np.clip(1 - ((0.12 - np.minimum(t, 0.12)) / 0.12) ** 2, 0, 1))
        half = round_base * (1 - 0.75 * t)
    elif shape == "spear":
        half = np.where(t < 0.35, 0.8 + 0.57 * t, (1 - t) / 0.65)
    elif shape == "ogee":
        half = (1 - t) * (1 + 0.45 * np.sin(2 * math.pi * t) * (1 - t))
    elif shape == "column":
        half = np.where(t < 0.82, 0.85, np.sqrt(np.clip(1 - ((t - 0.82) / 0.18) ** 2, 0, 1)))
    elif shape == "leaf":
        half = np.sin(math.pi * (0.18 + 0.82 * t))
    clipped: Points = np.clip(half, 0, 1)
    return clipped


def _outline(shape: str, samples: int = 28) -> Points:
    """A point's outline: x from -1 to 1, y from 0 (base) to 1 (tip)."""
    t = np.array([0, 1], np.float32) if shape in ("triangle", "blunt") else np.linspace(0, 1, samples)
    half = _half_width(shape, t)
    return np.stack([np.r_[-half, half[::-1]], np.r_[t, t[::-1]]], axis=1).astype(np.float32)


def point_places(height: float, bar: tuple[float, float]) -> list[tuple[int, float, float]]:
    """Slot, middle and pitch (field widths) of each point, as :class:`vision.geometry.FieldMap` has them."""
    found = []
    for slot in range(24):
        column = slot % 12
        left, right = (0.0, bar[0]) if column < 6 else (bar[1], 1.0)
        pitch = (right - left) / 6
        found.append((slot, left + (column % 6 + 0.5) * pitch, pitch))
    return found


GROUNDS: dict[str, Callable[[Generator, int, int, Rgb], Image]] = {
    "felt": felt,
    "flecked": flecked,
    "cork": cork,
    "leather": leather,
    "plain": plain,
    "cloth": cloth,
    "carpet": carpet,
    "marble": marble,
}
#: Roughness and gloss of materials.
GLOSS: dict[str, tuple[float, float]] = {
    "felt": (0.95, 0.015),
    "flecked": (0.95, 0.015),
    "cork": (0.85, 0.025),
    "leather": (0.5, 0.04),
    "plain": (0.55, 0.04),
    "cloth": (0.9, 0.02),
    "carpet": (0.97, 0.01),
    "marble": (0.2, 0.05),
    "wood": (0.35, 0.045),
    "planks": (0.45, 0.04),
    "paper": (0.85, 0.03),
    "tiles": (0.25, 0.05),
    "tablecloth": (0.9, 0.02),
    "metal": (0.3, 0.5),
}


def gloss(rng: Generator, kind: str) -> Style:
    """``rough`` and ``shine`` of a material, with the spread among makers; wood may be lacquered."""
    rough, shine = GLOSS[kind]
    if kind == "wood" and rng.random() < 0.35:
        rough = 0.12
    return {"rough": float(np.clip(rough * rng.uniform(0.65, 1.3), 0.04, 1)), "shine": shine}


def _wear(rng: Generator, out: Image) -> Image:
    """Stains, rubbed places and scratches over a picture."""
    rows, columns = out.shape[:2]
    strength = float(rng.exponential(0.025))
    coarse = fractal(rng, rows // 4, columns // 4, columns / rng.uniform(6, 30), 3)
    shade = 1 + np.clip(strength, 0, 0.2) * cv2.resize(
        coarse, (columns, rows), interpolation=cv2.INTER_LINEAR
    )
    worn = shaded(out, shade)
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(2, 14))):
            start = rng.uniform(0, 1, 2) * (columns, rows)
            reach = rng.normal(0, columns / 14, 2)
            r, g, b = (float(c) for c in worn[int(start[1]), int(start[0])])
            tone = mix((r, g, b), (235, 225, 210), rng.uniform(0.1, 0.4))
            stroke(worn, np.stack([start, start + reach]), tone, 1, closed=False)
    if rng.random() < 0.1:  # creases where a mat or a sheet was folded
        for share in rng.uniform(0, 1, int(rng.integers(1, 4))):
            at = round(share * (columns - 1))
            row = at * rows // columns
            crease = worn[:, at : at + 1] if rng.random() < 0.5 else worn[row : row + 1]
            crease[:] = cv2.convertScaleAbs(crease, alpha=float(rng.uniform(0.7, 1.2)))
    if rng.random() < 0.06:  # a ring left by a glass
        x, y = rng.uniform(0, 1, 2)
        circle(worn, x * columns, y * rows, columns * 0.045, (96, 70, 50), 1)
    return worn


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is drawn of a field before it is painted; lengths over the points' pitch if not said."""

    design: str
    ground: str
    shape: str
    length: float  #: over the field's height
    breadth: float
    inset: float  #: from the edge to a point's base, over the field's height
    base: Rgb
    inks: tuple[Rgb, Rgb]
    woods: tuple[str, str, str]  #: of ground and points, where the design is of veneer
    fills: tuple[bool, bool]  #: whether each colour's points are filled
    line: float  #: width of the outlines, 0 without
    line_ink: Rgb
    chips: tuple[Rgb, ...]
    phase: int  #: which colour begins
    opposite: bool  #: whether points across from each other differ in colour
    mirrored: bool  #: whether the right half mirrors the left
    ornament: bool


_MIDDLE_WOODS = (
    *("walnut", "mahogany", "sheesham", "teak", "rosewood"),
    *("oak", "cherry", "beech", "olive", "redwood", "burl"),
)
_PALE_WOODS = ("maple", "birch", "beech", "pine", "olive")
_DEEP_WOODS = ("walnut", "rosewood", "sheesham", "ebony", "wenge", "mahogany", "redwood")


def _drawn_plan(rng: Generator, design: str) -> _Plan:
    base, *inks = (
        PALETTES[int(rng.integers(len(PALETTES)))]
        if rng.random() < 0.8
        else (random_colour(rng), random_colour(rng), random_colour(rng, 20, 245))
    )
    if rng.random() < 0.2:
        inks.reverse()
    base, first, second = (vary(rng, c, 9) for c in (base, *inks))
    ground = str(
        rng.choice(
            ["felt", "flecked", "cork", "leather", "plain", "cloth"], p=[0.3, 0.12, 0.12, 0.3, 0.1, 0.06]
        )
    )
    woods = ("walnut", "maple", "rosewood")
    if design in ("veneer", "mosaic", "print"):
        grounds = _MIDDLE_WOODS if design == "mosaic" else (*_MIDDLE_WOODS, "maple", "pine", "birch")
        woods = (str(rng.choice(grounds)), str(rng.choice(_PALE_WOODS)), str(rng.choice(_DEEP_WOODS)))
        if rng.random() < 0.3:  # the dark points are of the ground's own wood, or nearly so
            woods = (woods[2], woods[1], woods[2])
        ground = "wood"
    if design == "print" and rng.random() < 0.4:
        ground = str(rng.choice(["plain", "plain", "marble", "leather"]))
    fills = (True, True)
    line = 0.0
    if design == "paper":
        ground, base = "plain", vary(rng, (238, 238, 236), 6)
        tone = rng.uniform(60, 190)
        first, second = (tone, tone, tone), base
        if rng.random() < 0.3:
            first = random_colour(rng, 60, 220)
        fills = (bool(rng.random() < 0.85), bool(rng.random() < 0.25))
        line = rng.uniform(0.012, 0.04)
    elif rng.random() < 0.3:
        line = rng.uniform(0.015, 0.06)
    if design in ("print", "sewn") and rng.random() < 0.08:
        fills = (False, False) if rng.random() < 0.6 else (True, False)
        line = rng.uniform(0.025, 0.07)
    shown = [mix(*WOODS[name], 0.5) for name in woods] if ground == "wood" else [base, first, second]
    if design in ("veneer", "mosaic") and max(abs(luma(shown[0]) - luma(c)) for c in shown[1:]) < 30:
        line = rng.uniform(0.02, 0.06)
        base = shown[0]
    line_ink = vary(
        rng, (20, 20, 22) if design == "paper" else (232, 214, 168) if luma(base) < 130 else (40, 30, 26), 15
    )
    p = {"sewn": [0.72, 0.1, 0.06, 0.05, 0.03, 0.02, 0.02], "paper": [0.95, 0, 0, 0.05, 0, 0, 0]}.get(
        design, [0.52, 0.1, 0.1, 0.08, 0.09, 0.07, 0.04]
    )
    return _Plan(
        design=design,
        ground=ground,
        shape=str(rng.choice(SHAPES, p=p)),
        length=float(rng.uniform(0.3, 0.48) if rng.random() < 0.5 else rng.normal(0.39, 0.025)),
        breadth=float(1 - abs(rng.normal(0, 0.12))) if rng.random() < 0.8 else float(rng.uniform(0.55, 1)),
        inset=float(rng.uniform(0, 0.02)) if design != "sewn" and rng.random() < 0.4 else 0.0,
        base=base,
        inks=(first, second),
        woods=woods,
        fills=fills,
        line=float(line),
        line_ink=line_ink,
        chips=tuple(chips(rng, int(rng.integers(3, 6)))),
        phase=int(rng.integers(2)),
        opposite=bool(rng.random() < 0.75),
        mirrored=bool(rng.random() < 0.12),
        ornament=bool(rng.random() < (0.25 if design == "sewn" else 0.6)),
    )


def _sheets(rng: Generator, picture: Image, count: int, spread: float) -> Image:
    """Veneer of ``count`` sheets side by side, above and below, each with its own brightness and grain."""
    rows, columns = picture.shape[:2]
    out = picture.copy()
    half = rows // 2
    for left, right in itertools.pairwise(np.linspace(0, columns, count + 1).astype(int)):
        for top, bottom in ((0, half), (half, rows)):
            start = int(rng.integers(columns - (right - left) + 1))
            piece = picture[top:bottom, start : start + right - left]
            out[top:bottom, left:right] = cv2.convertScaleAbs(piece, alpha=float(rng.normal(1, spread)))
    return out


def _ground(rng: Generator, plan: _Plan, rows: int, columns: int) -> Image:
    if plan.ground == "wood":
        upright = plan.design == "veneer" or rng.random() < 0.5
        out = wood(rng, rows, columns, plan.woods[0], upright)
        if plan.design == "veneer" and rng.random() < 0.6:  # a sheet between every two points
            out = _sheets(rng, out, 13, 0.14)
        return out
    if plan.design == "sewn" and plan.ground == "cork" and rng.random() < 0.5:
        return cork(rng, rows, columns)
    return GROUNDS[plan.ground](rng, rows, columns, plan.base)


def _stuff(rng: Generator, plan: _Plan, which: int, rows: int, columns: int) -> Image | Rgb:
    """What the points of one of both colours are made of."""
    ink = plan.inks[which]
    if plan.design in ("veneer", "mosaic") or (
        plan.design == "print" and plan.ground == "wood" and rng.random() < 0.3
    ):
        top = wood(rng, -(-rows // 2), columns, plan.woods[1 + which], upright=True)
        out = np.vstack([top, top[::-1]])[:rows]
        return _sheets(rng, out, 12, 0.09) if rng.random() < 0.6 else out
    if plan.design == "paper":
        if which == 0 and rng.random() < 0.6:  # a screen of dots or lines
            step = int(rng.integers(2, 5))
            out = np.empty((rows, columns, 3), np.uint8)
            out[:] = _whole(plan.base)
            if rng.random() < 0.5:
                out[::step] = _whole(mix(ink, (0, 0, 0), 0.3))
            else:
                out[::step, ::step] = _whole(mix(ink, (0, 0, 0), 0.5))
                out[1::step, 1::step] = _whole(mix(ink, (0, 0, 0), 0.5))
            return out
        return ink
    if plan.design == "sewn":
        kind = plan.ground if rng.random() < 0.6 else str(rng.choice(["felt", "leather", "plain"]))
        if kind in ("cork", "flecked") or rng.random() < 0.3:
            kind = "leather"
        top = GROUNDS[kind](rng, -(-rows // 2), columns, ink)
        return np.vstack([top, top])[:rows]
    return ink


def _edges(rng: Generator, plan: _Plan, out: Image, halves: Sequence[tuple[float, float]]) -> None:
    """Lines and bands along the edges of both halves."""
    rows = out.shape[0]
    kind = rng.random()
    if plan.design == "mosaic" and kind < 0.55:
        band = max(3, round(rows * float(rng.uniform(0.012, 0.035))))
        strip = inlay_strip(rng, band, max(out.shape[:2]), plan.chips)
        upright = np.swapaxes(strip, 0, 1)
        for left, right in halves:
            a, b = round(left), round(right)
            out[:band, a:b], out[rows - band :, a:b] = strip[:, : b - a], strip[:, : b - a]
            out[:, a : a + band], out[:, b - band : b] = upright[:rows], upright[:rows]
    elif kind < (0.9 if plan.design == "paper" else 0.2):
        inset = rows * float(rng.uniform(0, 0.012))
        ink = plan.line_ink if rng.random() < 0.6 else plan.inks[int(rng.integers(2))]
        for left, right in halves:
            box = [
                [left + inset, inset],
                [right - inset, inset],
                [right - inset, rows - inset],
                [left + inset, rows - inset],
            ]
            stroke(out, np.array(box, np.float32), ink, rows * float(rng.uniform(0.002, 0.01)))


def _middle(rng: Generator, plan: _Plan, out: Image, halves: Sequence[tuple[float, float]]) -> None:
    """What lies between the points' tips: strips, lines, medallions, panels, names."""
    rows, columns = out.shape[:2]
    free = rows * (1 - 2 * plan.length)  # between the tips
    y = rows / 2
    ink = plan.line_ink if rng.random() < 0.5 else plan.inks[int(rng.integers(2))]
    if plan.design == "veneer" and rng.random() < 0.55:
        band = free * float(rng.uniform(0.5, 1.0)) / 2
        top, bottom = round(y - band), round(y + band)
        strip = wood(rng, bottom - top, columns, plan.woods[0] if rng.random() < 0.6 else None)
        for left, right in halves:
            a, b = round(left), round(right)
            out[top:bottom, a:b] = strip[:, a:b]
            if rng.random() < 0.8:
                edge = max(1, round(rows * 0.004))
                out[top : top + edge, a:b] = out[bottom - edge : bottom, a:b] = _whole(plan.line_ink)
    if plan.design == "mosaic" and rng.random() < 0.8:
        side = int(min(free * float(rng.uniform(0.9, 1.5)), (halves[0][1] - halves[0][0]) * 0.8))
        wide = (
            side if rng.random() < 0.7 else int((halves[0][1] - halves[0][0]) * float(rng.uniform(0.6, 0.98)))
        )
        panel = mosaic_panel(rng, side, wide, plan.chips)
        for left, right in halves:
            a, top = round((left + right) / 2 - wide / 2), round(y - side / 2)
            out[top : top + side, a : a + wide] = panel
        return
    if plan.design == "paper" and rng.random() < 0.35:
        radius = free * float(rng.uniform(0.2, 0.6))
        for left, right in halves:
            circle(out, (left + right) / 2, y, radius, plan.line_ink, rows * 0.007)
        return
    if not plan.ornament:
        return
    kind = rng.random()
    size = int(min(free * float(rng.uniform(0.7, 1.6)), (halves[0][1] - halves[0][0]) * 0.85))
    if kind < 0.4:
        inks = [ink, *plan.inks] if rng.random() < 0.5 else [ink]
        picture, mask = medallion(rng, size, inks)
        for left, right in halves:
            _place(out, picture, mask, (left + right) / 2, y)
    elif kind < 0.6:
        width = (halves[0][1] - halves[0][0]) * float(rng.uniform(0.3, 0.8))
        words = [lettering(rng, width)]
        words.append(words[0] if rng.random() < 0.5 else np.ascontiguousarray(words[0][::-1, ::-1]))
        for (left, right), word in zip(halves, words, strict=True):
            _place(out, ink, word, (left + right) / 2, y)
    elif kind < 0.8:
        for left, right in halves:
            for x in np.linspace(left, right, int(rng.integers(2, 8)) + 2)[1:-1]:
                circle(
                    out,
                    x,
                    y,
                    free * float(rng.uniform(0.03, 0.16)),
                    ink,
                    -1 if rng.random() < 0.6 else rows * 0.004,
                )
    if rng.random() < 0.35:
        gap = free * float(rng.choice([0, 0.1, 0.3]))
        for left, right in halves:
            for line_y in {y - gap, y + gap}:
                line = np.array([[left, line_y], [right, line_y]], np.float32)
                stroke(out, line, ink, rows * 0.004, closed=False)


def _place(out: Image, over: Image | Rgb, mask: NDArray[np.uint8], x: float, y: float) -> None:
    """Paste a small mask and its picture (or colour) with its middle at x, y."""
    high, wide = mask.shape
    top, left = round(y - high / 2), round(x - wide / 2)
    if top < 0 or left < 0 or top + high > out.shape[0] or left + wide > out.shape[1]:
        return
    paste(out[top : top + high, left : left + wide], over, mask)


def _point_corners(
    plan: _Plan, shape: Points, slot: int, middle: float, pitch: float, size: tuple[int, int]
) -> Points:
    """A point's outline (:func:`_outline`) in pixels of a field of ``size`` (rows, columns)."""
    rows, columns = size
    base = plan.inset * rows
    y = base + shape[:, 1] * (plan.length * rows - base)
    x = (middle + shape[:, 0] * plan.breadth * pitch / 2) * columns
    return np.stack([x, y if slot < 12 else rows - y], axis=1)


def _colour_of(plan: _Plan, slot: int) -> int:
    column = slot % 12
    turn = (column + plan.phase) % 2
    if plan.mirrored and column >= 6:
        turn = 1 - turn
    return 1 - turn if slot >= 12 and plan.opposite else turn


def _points(rng: Generator, plan: _Plan, out: Image, places: Sequence[tuple[int, float, float]]) -> None:
    size = out.shape[:2]
    rows, columns = size
    unit = _outline(plan.shape)
    corners = {slot: _point_corners(plan, unit, slot, x, pitch, size) for slot, x, pitch in places}
    pitch = places[0][2] * columns
    for which in (0, 1):
        slots = [slot for slot in corners if _colour_of(plan, slot) == which]
        if not plan.fills[which]:
            continue
        mask = np.zeros(size, np.uint8)
        for slot in slots:
            fill(mask, corners[slot], 255)
        paste(out, _stuff(rng, plan, which, rows, columns), mask)
    if plan.design == "mosaic" and rng.random() < 0.85:
        _chip_edges(rng, plan, out, unit, places)
    if plan.line > 0:
        for outline in corners.values():
            stroke(out, outline, plan.line_ink, plan.line * pitch)
    elif plan.design in ("sewn", "veneer") and rng.random() < 0.4:  # the seam around an inlaid point
        seam = mix(plan.base, (0, 0, 0), float(rng.uniform(0.2, 0.6)))
        for outline in corners.values():
            stroke(out, outline, seam, 1)
    if plan.design == "sewn" and rng.random() < 0.2:  # stitches along the points
        for slot, outline in corners.items():
            seam = mix(plan.inks[_colour_of(plan, slot)], (240, 230, 210), 0.5)
            _stitches(out, outline[0], outline[len(outline) // 2 - 1], seam, pitch * 0.05)
            _stitches(out, outline[-1], outline[len(outline) // 2], seam, pitch * 0.05)
    if plan.ornament:
        _point_ornaments(rng, plan, out, corners, pitch)


def _stitches(out: Image, start: Points, end: Points, ink: Rgb, step: float) -> None:
    count = max(2, int(np.hypot(*(end - start)) / (2 * step)))
    at = np.arange(count)[:, None] / count
    seams = np.stack([start + (end - start) * at, start + (end - start) * (at + 0.55 / count)], axis=1)
    cv2.polylines(out, list(_fixed(seams)), False, _whole(ink), 1, cv2.LINE_AA, _SHIFT)


def _chip_edges(
    rng: Generator, plan: _Plan, out: Image, unit: Points, places: Sequence[tuple[int, float, float]]
) -> None:
    """Chips of many colours along both edges of the points, dark or bright tips."""
    rows, columns = out.shape[:2]
    step = max(2, round(rows * plan.length / float(rng.uniform(8, 40))))
    bands = np.array([_whole(c) for c in plan.chips], np.uint8)
    order = rng.integers(0, len(bands), 6)
    stripes = np.empty((rows, columns, 3), np.uint8)
    y = np.arange(rows)
    stripes[:] = bands[order[np.minimum(y, rows - 1 - y) // step % 6]][:, None]
    inner = float(rng.uniform(0.55, 0.85))
    every = rng.random() < 0.6
    ring_mask = np.zeros((rows, columns), np.uint8)
    tips = np.zeros((rows, columns), np.uint8)
    for slot, middle, pitch in places:
        if not every and _colour_of(plan, slot):
            continue
        outer = _point_corners(plan, unit, slot, middle, pitch, (rows, columns))
        fill(ring_mask, outer, 255)
        hole = unit * np.array([inner, 0.5 + inner / 2], np.float32)
        fill(ring_mask, _point_corners(plan, hole, slot, middle, pitch, (rows, columns)), 0)
        fill(tips, outer, 255)
    paste(out, stripes, ring_mask)
    if rng.random() < 0.6:
        share = float(rng.uniform(0.5, 0.9))
        keep = round(plan.length * rows * share)
        tips[:keep], tips[rows - keep :] = 0, 0
        if tips.any():
            paste(out, plan.chips[int(rng.integers(len(plan.chips)))], tips)


def _point_ornaments(
    rng: Generator, plan: _Plan, out: Image, corners: dict[int, Points], pitch: float
) -> None:
    """Marks on the points: knobs on the tips, rounds and diamonds at the bases (like checkers), stripes."""
    rows = out.shape[0]
    knob = pitch * float(rng.uniform(0.05, 0.16)) if rng.random() < 0.4 else 0.0
    base_mark = str(rng.choice(["", "disc", "ring", "diamond", "star"], p=[0.6, 0.13, 0.12, 0.1, 0.05]))
    size = pitch * float(rng.uniform(0.15, 0.46))
    stripe = rng.random() < 0.2
    inner = float(rng.uniform(0.35, 0.75)) if rng.random() < 0.25 else 0.0
    numbered = rng.random() < 0.08
    for slot, outline in corners.items():
        which = _colour_of(plan, slot)
        ink = plan.line_ink if rng.random() < 0.02 or not plan.fills[which] else plan.inks[1 - which]
        x = float(outline[:, 0].mean())
        down = 1 if slot < 12 else -1
        base, tip = (0.0, plan.length * rows) if slot < 12 else (float(rows), rows * (1 - plan.length))
        if inner:
            middle = np.array([x, base], np.float32)
            fill(out, (outline - middle) * np.array([inner, (1 + inner) / 2], np.float32) + middle, ink)
        if stripe:
            stroke(out, np.array([[x, base], [x, tip]], np.float32), ink, pitch * 0.04, closed=False)
        if knob:
            circle(out, x, tip, knob, plan.line_ink)
        y = base + down * pitch * 0.5
        if base_mark == "disc":
            circle(out, x, y, size, ink)
        elif base_mark == "ring":
            circle(out, x, y, size, ink, pitch * 0.05)
        elif base_mark == "diamond":
            fill(out, ring(4, size) + np.array([x, y], np.float32), ink)
        elif base_mark == "star":
            fill(out, ring(8, size, 0, size * 0.5) + np.array([x, y], np.float32), ink)
        if numbered:
            cv2.putText(
                out,
                str(slot + 1),
                (int(x - pitch * 0.2), int(y)),
                0,
                pitch / 90,
                _whole(plan.line_ink),
                1,
                cv2.LINE_AA,
            )


def field_picture(
    rng: Generator,
    height: float,
    bar: tuple[float, float],
    pixels: int = 700,
    design: str | None = None,
) -> tuple[Image, Style]:
    """The painted field from above, (``round(height * pixels)``, ``pixels``, 3), and what was drawn.

    ``height`` and ``bar`` (left and right edge) are in field widths. ``design``: "sewn" (felt, leather and
    cork of tournament boards), "veneer", "print" (lacquered wood and card), "paper" or "mosaic"; drawn if not
    given. The style holds ``design``, ``ground``, ``shape`` (one of :data:`SHAPES`), ``length`` (of the
    points, over the field's height), ``breadth`` (over their pitch), ``ornament`` (0 or 1), ``base`` (luma of
    the ground), ``rough`` and ``shine``.
    """
    rows = round(height * pixels)
    plan = _drawn_plan(rng, design or str(rng.choice(DESIGNS, p=[0.42, 0.2, 0.2, 0.07, 0.11])))
    out = _ground(rng, plan, rows, pixels)
    level = float(out[::16, ::16].mean())
    halves = [(0.0, bar[0] * pixels), (bar[1] * pixels, float(pixels))]
    _edges(rng, plan, out, halves)
    _middle(rng, plan, out, halves)
    _points(rng, plan, out, point_places(height, bar))
    style: Style = {
        "design": plan.design,
        "ground": plan.ground,
        "shape": plan.shape,
        "length": plan.length,
        "breadth": plan.breadth,
        "ornament": float(plan.ornament),
        "base": level,
        **gloss(rng, "paper" if plan.design == "paper" else plan.ground),
    }
    return _wear(rng, out), style


#: How often a board lies on what.
_TABLES = {
    "wood": 0.2,
    "planks": 0.16,
    "plain": 0.11,
    "carpet": 0.1,
    "cloth": 0.08,
    "tablecloth": 0.08,
    "marble": 0.07,
    "tiles": 0.07,
    "felt": 0.05,
    "leather": 0.04,
    "flecked": 0.03,
    "metal": 0.01,
}


def table_picture(rng: Generator, rows: int, columns: int, kind: str | None = None) -> tuple[Image, Style]:
    """What a board may lie on, (rows, columns, 3), and what was drawn: ``kind``, ``rough``, ``shine``."""
    kind = kind or str(rng.choice(list(_TABLES), p=list(_TABLES.values())))
    if kind in GROUNDS:
        out = GROUNDS[kind](rng, rows, columns, room_colour(rng))
    else:
        makers: dict[str, Callable[[Generator, int, int], Image]] = {
            "wood": wood,
            "planks": planks,
            "tiles": tiles,
            "tablecloth": tablecloth,
            "metal": metal,
        }
        out = makers[kind](rng, rows, columns)
    return out, {"kind": kind, **gloss(rng, kind)}
