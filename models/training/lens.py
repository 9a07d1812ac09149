"""What a camera and a file make of a clean picture: bent lines, blur, noise, colour casts, overlays, JPEG.

Everything is drawn from a generator, mostly mild and now and then strong. Pixels have their middle at whole
coordinates, as OpenCV has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.world import Array, Image

Rng = np.random.Generator
Points = NDArray[np.float64]

_CLEAR = 0  #: what labels say where nothing of the scene is seen


@dataclass(frozen=True, slots=True)
class Warp:
    """From a picture to a bent, cropped and squashed one.

    ``k1``, ``k2``: radial factors by which a place in the new picture, with half its diagonal as the unit, is
    moved to find its source. ``scale``, ``shift``: source = scale * bent place + shift, in pixels (x, y).
    """

    size: tuple[int, int]  #: width, height of the new picture
    k1: float
    k2: float
    scale: tuple[float, float]
    shift: tuple[float, float]

    def source(self, points: Points) -> Points:
        """Where places (n, 2) of the new picture come from."""
        middle, unit = self._middle()
        off = (points - middle) / unit
        square = (off**2).sum(axis=1, keepdims=True)
        bent = off * (1 + self.k1 * square + self.k2 * square**2) * unit + middle
        return np.asarray(bent * self.scale + self.shift, np.float64)

    def image(self, points: Points) -> Points:
        """Where places (n, 2) of the old picture land; the inverse of :meth:`source` by fixed-point steps."""
        middle, unit = self._middle()
        bent = ((points - self.shift) / self.scale - middle) / unit
        off = bent
        for _ in range(12):
            square = (off**2).sum(axis=1, keepdims=True)
            off = bent / np.maximum(1 + self.k1 * square + self.k2 * square**2, 0.2)
        return np.asarray(off * unit + middle, np.float64)

    def _middle(self) -> tuple[Points, float]:
        width, height = self.size
        return np.array(((width - 1) / 2, (height - 1) / 2)), float(np.hypot(width, height)) / 2


@overload
def expose(
    image: Image, rng: Rng, points: NDArray[np.floating], labels: Image
) -> tuple[Image, Points, Image]: ...


@overload
def expose(
    image: Image, rng: Rng, points: NDArray[np.floating], labels: None = None
) -> tuple[Image, Points, None]: ...


def expose(
    image: Image, rng: Rng, points: NDArray[np.floating], labels: Image | None = None
) -> tuple[Image, Points, Image | None]:
    """The picture as a camera, a stream and a file would give it.

    ``image``: uint8 BGR (h, w, 3). ``points``: (n, 2) pixels that are carried along; they also tell what the
    picture is about: crops and overlays come up to them but hardly ever hide one. ``labels``: uint8 (h, w),
    warped with the nearest neighbour, 0 where something was laid over the picture. The new picture may be of
    another size and shape.
    """
    warp = random_warp(rng, (image.shape[1], image.shape[0]), np.asarray(points, np.float64))
    moved = warp.image(np.asarray(points, np.float64))
    across, down = _maps(warp)
    border = cv2.BORDER_REFLECT_101
    out = np.asarray(cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=border), np.uint8)
    seen = None
    if labels is not None:
        plain = cv2.remap(
            labels, across, down, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT, borderValue=0
        )
        seen = np.asarray(plain, np.uint8)
    light: Array = np.asarray(out, np.float32) / np.float32(255)
    light = _lit(rng, light)
    light = _blurred(rng, light)
    light = _toned(rng, light)
    light = _noisy(rng, light)
    light = _sharpened(rng, light)
    out = np.asarray(np.clip(light * 255 + 0.5, 0, 255), np.uint8)
    out = _resampled(rng, out)
    out, seen, moved = _framed(rng, out, seen, moved)
    return _coded(rng, out), moved, seen


def random_warp(rng: Rng, size: tuple[int, int], points: Points) -> Warp:
    """A crop around ``points``, a squash and a lens; most often next to none of them."""
    width, height = size
    x0, y0, x1, y1 = 0.0, 0.0, float(width), float(height)
    if rng.random() < 0.45:
        inner = _bounds(points, size)
        cut = 0.05 if rng.random() < 0.12 else 0.0  # a little of what matters is cut off too
        share = rng.beta(1.2, 1.2, 4)
        slack = (inner[2] - inner[0]) * cut, (inner[3] - inner[1]) * cut
        x0 += max(0.0, float(share[0]) * (inner[0] + slack[0]))
        y0 += max(0.0, float(share[1]) * (inner[1] + slack[1]))
        x1 -= max(0.0, float(share[2]) * (width - inner[2] + slack[0]))
        y1 -= max(0.0, float(share[3]) * (height - inner[3] + slack[1]))
    wide, high = x1 - x0, y1 - y0
    squash = float(np.exp(rng.normal(0, 0.03)))
    if rng.random() < 0.12:
        squash = float(np.clip(high / wide, 0.6, 1.6))  # fitted to a square
    long = max(width, height) / max(wide, high) * float(rng.uniform(0.9, 1.0))
    new = max(64, round(wide * long * np.sqrt(squash))), max(64, round(high * long / np.sqrt(squash)))
    k1, k2 = float(rng.normal(0, 0.012)), 0.0
    if rng.random() < 0.15:
        k1, k2 = float(rng.uniform(-0.02, 0.12)), float(rng.normal(0, 0.015))
    scale = wide / new[0], high / new[1]
    # with whole coordinates at the middles of pixels, edges lie at -0.5
    return Warp(new, k1, k2, scale, (x0 + (scale[0] - 1) / 2, y0 + (scale[1] - 1) / 2))


def _maps(warp: Warp) -> tuple[Array, Array]:
    width, height = warp.size
    step = 8  # the bend is smooth: a coarse grid, brought up, is exact to a hundredth of a pixel
    across = np.arange(0, width + step, step, dtype=np.float64)
    down = np.arange(0, height + step, step, dtype=np.float64)
    grid = np.stack(np.meshgrid(across, down), axis=-1)
    source = warp.source(grid.reshape(-1, 2)).reshape(grid.shape).astype(np.float32)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32) / step, np.arange(height, dtype=np.float32) / step)
    full = cv2.remap(source, x, y, cv2.INTER_LINEAR)
    return np.ascontiguousarray(full[..., 0]), np.ascontiguousarray(full[..., 1])


def _bounds(points: Points, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """The box around the points inside a picture; its middle half where there are none."""
    width, height = size
    if len(points) == 0:
        return width * 0.25, height * 0.25, width * 0.75, height * 0.75
    low, high = points.min(axis=0), points.max(axis=0)
    x0, y0 = np.clip(low, 0, (width, height))
    x1, y1 = np.clip(high, 0, (width, height))
    return float(x0), float(y0), float(x1), float(y1)


def _lit(rng: Rng, light: Array) -> Array:
    """Vignetting, veiling glare and blots of reflected light."""
    height, width = light.shape[:2]
    x = np.linspace(-1, 1, width, dtype=np.float32)[None]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    if rng.random() < 0.6:
        strength = float(rng.beta(1.2, 4)) * 0.7
        light = light * (1 - strength * 0.5 * (x**2 + y**2))[..., None]
    if rng.random() < 0.15:
        slope = rng.normal(0, 0.18, 2).astype(np.float32)
        light = light * np.clip(1 + slope[0] * x + slope[1] * y, 0.4, 1.6)[..., None]
    if rng.random() < 0.12:
        for _ in range(int(rng.integers(1, 4))):
            at, spread = rng.uniform(-1, 1, 2), rng.uniform(0.05, 0.5, 2)
            blot = np.exp(-(((x - at[0]) / spread[0]) ** 2) - ((y - at[1]) / spread[1]) ** 2)
            tint = (1 - 0.2 * rng.random(3)).astype(np.float32)
            light = light + float(rng.uniform(0.08, 0.5)) * blot.astype(np.float32)[..., None] * tint
    if rng.random() < 0.15:
        veil = float(rng.uniform(0.02, 0.15))
        light = light * (1 - veil) + veil
    return np.asarray(light, np.float32)


def _blurred(rng: Rng, light: Array) -> Array:
    """Defocus as a disc, and shake as a short line."""
    unit = max(light.shape[:2]) / 1000
    way = rng.random()
    if way < 0.5:
        spread = float(rng.uniform(0.2, 0.9)) * unit
        return np.asarray(cv2.GaussianBlur(light, (0, 0), max(spread, 0.2)), np.float32)
    if way < 0.62:
        radius = float(rng.uniform(0.8, 2.8)) * unit
        side = 2 * int(np.ceil(radius)) + 1
        across = np.arange(side) - side // 2
        kernel = np.clip(radius + 0.5 - np.hypot(across[None], across[:, None]), 0, 1)
    elif way < 0.72:
        half = float(rng.uniform(0.8, 4.5)) * unit
        side = 2 * int(np.ceil(half)) + 3
        kernel = np.zeros((side, side))
        angle = float(rng.uniform(0, np.pi))
        for t in np.linspace(-half, half, 4 * side):
            x, y = side // 2 + t * np.cos(angle), side // 2 + t * np.sin(angle)
            kernel[round(y), round(x)] += 1
        kernel = np.asarray(cv2.GaussianBlur(kernel, (0, 0), 0.6))
    else:
        return light
    return np.asarray(cv2.filter2D(light, -1, (kernel / kernel.sum()).astype(np.float32)), np.float32)


def _toned(rng: Rng, light: Array) -> Array:
    """White balance, exposure, contrast, gamma, saturation; rarely black and white."""
    hard = 2.6 if rng.random() < 0.2 else 1.0
    cast = np.exp(rng.normal(0, 0.03 * hard, 3))
    warmth = float(rng.normal(0, 0.05 * hard))
    gain = np.exp(float(rng.normal(0, 0.12 * hard)))
    factors = cast / cast.mean() * np.exp((-warmth, 0.0, warmth)) * gain
    light = np.asarray(light * factors.astype(np.float32), np.float32)
    gamma = float(np.exp(rng.normal(0, 0.1 * hard)))
    light = np.asarray(np.power(np.clip(light, 0, 1.5), np.float32(gamma)), np.float32)
    contrast = float(np.exp(rng.normal(0, 0.08 * hard)))
    light = (light - 0.45) * np.float32(contrast) + np.float32(0.45)
    if rng.random() < 0.5:  # a soft shoulder, as cameras have it
        bright = np.maximum(light - 0.75, 0)
        light = np.minimum(light, 0.75) + 0.25 * np.tanh(bright / 0.25)
    grey = light @ np.array((0.114, 0.587, 0.299), np.float32)
    saturation = np.float32(np.clip(np.exp(rng.normal(-0.03, 0.13 * hard)), 0.3, 1.45))
    if rng.random() < 0.012:
        saturation = np.float32(0.0)
    return np.asarray(grey[..., None] + (light - grey[..., None]) * saturation, np.float32)


def _noisy(rng: Rng, light: Array) -> Array:
    """Shot and read noise; red and blue, which a sensor has a quarter of each, coarser than green."""
    strength = float(rng.beta(1.0, 6.0)) * 0.09
    if strength < 0.002:
        return np.clip(light, 0, 1)
    height, width = light.shape[:2]
    level = np.sqrt(np.clip(light, 0.02, 1))
    for channel, coarse in ((0, True), (1, False), (2, True)):
        step = 2 if coarse else 1
        grain = rng.standard_normal((-(-height // step), -(-width // step)), np.float32)
        if coarse:
            grain = np.asarray(cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)) * 1.5
        light[..., channel] += strength * grain * level[..., channel]
    if rng.random() < 0.3:  # blotches of colour, left over from the cleaning of noise
        cell = int(rng.integers(6, 24))
        blots = rng.standard_normal((height // cell + 2, width // cell + 2, 3), np.float32)
        blots -= blots.mean(axis=2, keepdims=True)
        large = cv2.resize(blots, (width, height), interpolation=cv2.INTER_CUBIC)
        light += np.float32(strength * 0.5) * np.asarray(large, np.float32)
    return np.clip(light, 0, 1)


def _sharpened(rng: Rng, light: Array) -> Array:
    if rng.random() > 0.4:
        return light
    soft = cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.7, 2.2)))
    return np.clip(light + np.float32(rng.beta(1.2, 2.5) * 1.6) * (light - np.asarray(soft)), 0, 1)


def _resampled(rng: Rng, image: Image) -> Image:
    """Brought down to few pixels and up again, as streams and messengers do."""
    if rng.random() > 0.3:
        return image
    height, width = image.shape[:2]
    share = float(rng.uniform(0.5, 0.95) if rng.random() < 0.7 else rng.uniform(0.33, 0.5))
    small = max(32, round(width * share)), max(32, round(height * share))
    down = int(rng.choice((cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_CUBIC)))
    up = int(rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC)))
    less = cv2.resize(image, small, interpolation=down)
    return np.asarray(cv2.resize(less, (width, height), interpolation=up), np.uint8)


# ---------------------------------------------------------------------------------------------- overlays


def _framed(
    rng: Rng, image: Image, labels: Image | None, points: Points
) -> tuple[Image, Image | None, Points]:
    """A stream's layout: the picture as a part of a larger one, panels and logos over its margins."""
    way = rng.random()
    if way < 0.12:
        image, labels, points = _boxed(rng, image, labels, points)
    if way < 0.06 or 0.12 <= way < 0.26:
        height, width = image.shape[:2]
        x0, y0, x1, y1 = _bounds(points, (width, height))
        slack = 0.012 * (x1 - x0)  # panels may come over the very edge
        strips = (
            (0.0, 0.0, x0 + slack, float(height)),
            (x1 - slack, 0.0, float(width), float(height)),
            (0.0, 0.0, float(width), y0 + slack),
            (0.0, y1 - slack, float(width), float(height)),
        )
        image = image.copy()
        labels = None if labels is None else labels.copy()
        for _ in range(int(rng.integers(1, 6))):
            left, top, right, bottom = strips[rng.integers(4)]
            wide, high = right - left, bottom - top
            if wide < 12 or high < 12:
                continue
            full = rng.random() < 0.25
            w = wide if full else wide * float(rng.uniform(0.25, 1.0))
            h = high if full else high * float(rng.uniform(0.12, 0.9))
            at = rng.choice((0.0, 1.0, float(rng.random())), size=2)
            box = (
                int(left + at[0] * (wide - w)),
                int(top + at[1] * (high - h)),
                int(left + at[0] * (wide - w) + w),
                int(top + at[1] * (high - h) + h),
            )
            _panel(rng, image, box)
            if labels is not None:
                labels[box[1] : box[3], box[0] : box[2]] = _CLEAR
    return image, labels, points


def _boxed(
    rng: Rng, image: Image, labels: Image | None, points: Points
) -> tuple[Image, Image | None, Points]:
    """Bars beside or above and below, or a whole page around; the long side keeps its pixels."""
    height, width = image.shape[:2]
    shares = rng.beta(1.0, 4.0, 4) * 0.5
    way = rng.random()
    if way < 0.4:
        shares[2:] = 0
        shares[1] = shares[0]
    elif way < 0.7:
        shares[:2] = 0
        shares[3] = shares[2]
    left, right = round(width * shares[0]), round(width * shares[1])
    top, bottom = round(height * shares[2]), round(height * shares[3])
    colour = (0, 0, 0) if rng.random() < 0.5 else tuple(int(v) for v in rng.integers(0, 256, 3))
    page = np.full((height + top + bottom, width + left + right, 3), colour, np.uint8)
    if rng.random() < 0.2:  # the bars show the picture itself, large and blurred
        large = cv2.resize(image, (page.shape[1], page.shape[0]), interpolation=cv2.INTER_AREA)
        page = np.asarray(cv2.GaussianBlur(large, (0, 0), page.shape[1] / 40), np.uint8)
    elif way > 0.7 or rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 6))):
            x, y = int(rng.integers(page.shape[1])), int(rng.integers(page.shape[0]))
            w, h = int(page.shape[1] * rng.uniform(0.05, 0.4)), int(page.shape[0] * rng.uniform(0.05, 0.4))
            _panel(rng, page, (x, y, min(x + w, page.shape[1]), min(y + h, page.shape[0])))
    page[top : top + height, left : left + width] = image
    if labels is not None:
        around = np.full(page.shape[:2], _CLEAR, np.uint8)
        around[top : top + height, left : left + width] = labels
        labels = around
    points = points + np.array((left, top))
    share = max(width, height) / max(page.shape[:2])
    size = max(64, round(page.shape[1] * share)), max(64, round(page.shape[0] * share))
    scale = np.array((size[0] / page.shape[1], size[1] / page.shape[0]))
    out = np.asarray(cv2.resize(page, size, interpolation=cv2.INTER_AREA), np.uint8)
    if labels is not None:
        labels = np.asarray(cv2.resize(labels, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    return out, labels, (points + 0.5) * scale - 0.5


def _panel(rng: Rng, image: Image, box: tuple[int, int, int, int]) -> None:
    """Draws a score box, a text panel, a logo or a webcam's picture into a box of the image."""
    x0, y0, x1, y1 = box
    part = image[y0:y1, x0:x1]
    height, width = part.shape[:2]
    if min(height, width) < 6:
        part[:] = 0
        return
    way = rng.random()
    colour = np.array(rng.integers(0, 256, 3), np.float32)
    if way < 0.2:  # a webcam: soft shapes, a head
        coarse = rng.integers(20, 220, (4, 5, 3)).astype(np.uint8)
        part[:] = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        skin = tuple(int(v) for v in np.array((120, 150, 200)) * rng.uniform(0.3, 1.1))
        middle = (width // 2, int(height * 0.5))
        cv2.ellipse(part, middle, (max(1, width // 7), max(1, height // 4)), 0, 0, 360, skin, -1, cv2.LINE_AA)
        return
    if way < 0.35:  # a logo
        part[:] = colour * 0.3
        ink = tuple(int(v) for v in rng.integers(60, 256, 3))
        cv2.circle(part, (width // 2, height // 2), max(2, min(width, height) // 3), ink, -1, cv2.LINE_AA)
        other = tuple(int(v) for v in rng.integers(0, 256, 3))
        cv2.circle(part, (width // 2, height // 2), max(1, min(width, height) // 5), other, -1, cv2.LINE_AA)
        return
    ramp = np.linspace(1.0, float(rng.uniform(0.4, 1.2)), height, dtype=np.float32)[:, None, None]
    part[:] = np.clip(colour * ramp, 0, 255)
    if way > 0.5:
        ink = (255, 255, 255) if colour.mean() < 128 else (10, 10, 10)
        line = max(8, int(height / rng.uniform(1.5, 7)))
        scale = line / 34
        for y in range(line, height, int(line * 1.4)):
            text = "".join("abcdefghiklmnoprstuvw 0123456789"[i] for i in rng.integers(0, 32, 14))
            cv2.putText(part, text, (line // 3, y), cv2.FONT_HERSHEY_DUPLEX, scale, ink, 1, cv2.LINE_AA)
    if rng.random() < 0.4:
        border = tuple(int(v) for v in rng.integers(0, 256, 3))
        cv2.rectangle(part, (0, 0), (width - 1, height - 1), border, int(rng.integers(1, 4)))


def _coded(rng: Rng, image: Image) -> Image:
    """Through JPEG, at times twice; a few pictures stay as they are."""
    times = int(rng.choice(3, p=(0.08, 0.72, 0.2)))
    for _ in range(times):
        quality = int(rng.integers(60, 99) if rng.random() < 0.75 else rng.integers(30, 60))
        _, data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, quality))
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return image
