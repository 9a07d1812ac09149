"""What the simulated boards look like: colours, and textures made from noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Image

BGR = tuple[int, int, int]
Floats = NDArray[np.float32]
Surface = Literal["wood", "felt", "leather", "cork", "cloth"]


def _rgb(code: str) -> BGR:
    return int(code[4:6], 16), int(code[2:4], 16), int(code[0:2], 16)


@dataclass(frozen=True, slots=True)
class Style:
    """A set: board, cloth below it, and the checkers and dice that go with it.

    ``checkers``: pairs of (light, dark). ``dice``: pairs of (body, pips). Which of them a match
    uses is drawn from its seed.
    """

    name: str
    surface: Surface
    ground: BGR
    points: tuple[BGR, BGR]
    outline: BGR | None
    frame: BGR
    cloth: BGR
    checkers: tuple[tuple[BGR, BGR], ...]
    dice: tuple[tuple[BGR, BGR], ...]


_IVORY = (_rgb("f1ead6"), _rgb("1c1a1a"))
_RED = (_rgb("b01818"), _rgb("f6f2ea"))
_BLUE = (_rgb("1d3f9a"), _rgb("f4f2ee"))
_BLACK = (_rgb("262529"), _rgb("f2efe8"))
_WHITE = (_rgb("f7f7f4"), _rgb("16161a"))

STYLES: dict[str, Style] = {
    style.name: style
    for style in (
        Style(
            name="wood",
            surface="wood",
            ground=_rgb("b98450"),
            points=(_rgb("ead0a0"), _rgb("7a4526")),
            outline=_rgb("4a2c18"),
            frame=_rgb("6e3a1e"),
            cloth=_rgb("4c5c66"),
            checkers=((_rgb("f0e6cc"), _rgb("29211e")), (_rgb("f6f1e4"), _rgb("6d1717"))),
            dice=(_IVORY, _RED, _WHITE),
        ),
        Style(
            name="felt",
            surface="felt",
            ground=_rgb("22603f"),
            points=(_rgb("cdb27a"), _rgb("7c2a2a")),
            outline=None,
            frame=_rgb("4b2c1c"),
            cloth=_rgb("8d8576"),
            checkers=((_rgb("f2eee2"), _rgb("1d1d20")), (_rgb("f0e3b8"), _rgb("232f6a"))),
            dice=(_IVORY, _RED, _WHITE, _BLACK),
        ),
        Style(
            name="leather",
            surface="leather",
            ground=_rgb("573027"),
            points=(_rgb("c9b894"), _rgb("ab6f34")),
            outline=_rgb("2c1a14"),
            frame=_rgb("d2ab70"),
            cloth=_rgb("6c7480"),
            checkers=((_rgb("f2e6b4"), _rgb("1a1919")), (_rgb("f4f2ec"), _rgb("1f4a3a"))),
            dice=(_IVORY, _RED, _BLUE),
        ),
        Style(
            name="blue",
            surface="felt",
            ground=_rgb("3c557a"),
            points=(_rgb("d8d6cc"), _rgb("8a3a2c")),
            outline=None,
            frame=_rgb("2a2624"),
            cloth=_rgb("a08a68"),
            checkers=((_rgb("f5f2e8"), _rgb("201d1c")), (_rgb("f0d890"), _rgb("43221a"))),
            dice=(_WHITE, _RED, _BLACK),
        ),
        Style(
            name="cork",
            surface="cork",
            ground=_rgb("c6a273"),
            points=(_rgb("ddc8a0"), _rgb("a1835c")),
            outline=None,
            frame=_rgb("8b918c"),
            cloth=_rgb("b9b4a6"),
            checkers=((_rgb("d3e6ea"), _rgb("20585c")), (_rgb("f3d9d2"), _rgb("5d1d38"))),
            dice=(_WHITE, _BLUE, _BLACK),
        ),
    )
}


def noise(rng: np.random.Generator, shape: tuple[int, int], cell: tuple[float, float]) -> Floats:
    """Smooth noise of unit variance, about; ``cell`` is the size (height, width) of a blot in pixels."""
    h, w = (max(2, round(n / c) + 1) for n, c in zip(shape, cell, strict=True))
    coarse = rng.standard_normal((h, w), np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)


def texture(
    surface: Surface, colour: BGR, shape: tuple[int, int], scale: float, rng: np.random.Generator
) -> Image:
    """A picture of a material, its grain along x; ``scale`` is pixels a centimetre."""
    s = scale
    if surface == "wood":
        warp = noise(rng, shape, (3 * s, 18 * s)) * 1.6 + noise(rng, shape, (0.7 * s, 9 * s)) * 0.35
        rows = np.linspace(0, shape[0] / s, shape[0], dtype=np.float32)[:, None]
        rings = np.sin((rows * 1.3 + warp) * 2.6)
        fibre = noise(rng, shape, (1.3, 2.2 * s)) + 0.6 * noise(rng, shape, (1.0, 0.6 * s))
        value = 0.07 * rings + 0.045 * fibre
    elif surface == "felt":
        value = 0.045 * noise(rng, shape, (1, 1)) + 0.03 * noise(rng, shape, (3, 3))
        value += 0.022 * noise(rng, shape, (4 * s, 4 * s))
    elif surface == "leather":
        bumps = noise(rng, shape, (0.28 * s, 0.28 * s)) + 0.7 * noise(rng, shape, (0.14 * s, 0.14 * s))
        value = 0.35 * (bumps - np.roll(bumps, (2, 2), (0, 1))) / max(1.0, 8 / s)
        value = np.clip(value, -0.14, 0.14) + 0.04 * noise(rng, shape, (3 * s, 3 * s))
    elif surface == "cork":
        grains = noise(rng, shape, (0.35 * s, 0.5 * s))
        specks = np.clip(noise(rng, shape, (0.16 * s, 0.22 * s)) - 1.4, 0, 1)
        value = 0.055 * grains - 0.28 * specks + 0.03 * noise(rng, shape, (1, 1))
    else:
        thread = np.float32(2 * np.pi / max(3.0, 0.28 * s))
        down, across = (np.sin(np.arange(n, dtype=np.float32) * thread) for n in shape)
        value = 0.03 * down[:, None] * across + 0.03 * noise(rng, shape, (1.5, 1.5))
        value += 0.03 * noise(rng, shape, (7 * s, 7 * s))
    return tint(colour, value)


def tint(colour: BGR, value: Floats) -> Image:
    """A colour made lighter or darker by ``value`` (0 leaves it, -1 is black), as a picture."""
    light = cv2.merge([value + 1] * 3)
    return np.asarray(cv2.multiply(light, np.array([*colour, 0], np.float64), dtype=cv2.CV_8U), np.uint8)
