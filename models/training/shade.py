"""A scene taken as a photograph: Buffers, materials, lamps and sky made into a picture.

Units of light: a white, dull place that faces a lamp at the field's middle sends out the lamp's colour; under
a sky of one colour it sends out that colour. ``Scene.exposure`` times light of 1 is all but white. Gloss: GGX
(Walter et al., "Microfacet models for refraction", 2007) with Schlick's Fresnel term (1994).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.materials import surface
from models.training.trace import (
    Doubles,
    Packed,
    compiled,
    lamp_light,
    mirrored,
    pack,
    scaled,
    screen_boxes,
    sky_light,
    softened,
    trace,
)
from models.training.world import Array, Body, Buffers, Camera, Image, Lamp, Scene, Sky

Mask = NDArray[np.bool_]
Box = tuple[int, int, int, int]  #: left, top, right, bottom in pixels, the last two not included

SUPERSAMPLE = 4 / 3


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A picture, uint8 BGR sRGB (height, width, 3), and what lies at the middle of each of its pixels."""

    image: Image
    buffers: Buffers


def take(scene: Scene, rng: np.random.Generator, supersample: float = SUPERSAMPLE) -> Taken:
    """The picture of a scene before lens and sensor, traced at about ``supersample`` times its size."""
    # both sides must come out whole, so that the reduced picture lies exactly on the camera's pixels
    unit = math.gcd(*scene.camera.size)
    factor = max(1, round(supersample * unit)) / unit
    camera = scaled(scene.camera, factor)
    packed = pack(scene.bodies)
    seen = trace(packed, camera)
    light = softened(packed, camera, seen, radiance(scene, packed, seen, float(rng.random())))
    if factor != 1.0:
        # bright gloss is cut off before it is averaged, as grains of film and sites of a sensor do
        light = np.minimum(light, np.float32(4.0 / scene.exposure))
        light = np.asarray(cv2.resize(light, scene.camera.size, interpolation=cv2.INTER_AREA), np.float32)
        seen = _thinned(seen, scene.camera.size)
    return Taken(developed(light, scene.exposure), seen)


def developed(light: Array, exposure: float) -> Image:
    """Linear light, float32 RGB, as uint8 BGR: straight to 0.7, then a shoulder up to white; sRGB's curve."""
    linear = np.maximum(light * np.float32(exposure), 0.0)
    over = np.maximum(linear - 0.7, 0.0)
    linear = np.minimum(linear, 0.7) + 0.3 * (1.0 - np.exp(-over / 0.3))
    table = np.linspace(0.0, 1.0, 4097)
    curve = np.where(table <= 0.0031308, 12.92 * table, 1.055 * table ** (1 / 2.4) - 0.055)
    picture = np.round(curve * 255).astype(np.uint8)[(linear * 4096).astype(np.int32)]
    return np.ascontiguousarray(picture[..., ::-1])


def _thinned(seen: Buffers, size: tuple[int, int]) -> Buffers:
    height, width = seen.body.shape
    rows = ((np.arange(size[1]) + 0.5) * height / size[1]).astype(int)
    columns = ((np.arange(size[0]) + 0.5) * width / size[0]).astype(int)
    at = np.ix_(rows, columns)
    return Buffers(seen.body[at], seen.depth[at], seen.local[at], seen.normal[at], seen.place[at])


def radiance(scene: Scene, packed: Packed, seen: Buffers, phase: float) -> Array:
    """Linear light that reaches the camera at each pixel, float32 RGB (height, width, 3)."""
    middle = np.array([0.5, scene.truth.field_height / 2, 0.0])
    sky = np.array([scene.sky.above, scene.sky.around, scene.sky.below], np.float64)
    albedo, rough, shine = _surfaces(scene.bodies, seen)
    bounce = _bounce(scene.bodies, scene.lamps, sky, middle)
    around = sky_light(packed, seen, sky, bounce, phase=phase)
    met, clearness = mirrored(packed, seen, scene.camera.eye, rough, shine)
    lamps = np.array([[*lamp.place, lamp.radius, *lamp.colour] for lamp in scene.lamps], np.float64).reshape(
        -1, 7
    )
    strength = ((lamps[:, :3] - middle) ** 2).sum(axis=1)
    seen_lamps = np.zeros((len(lamps), *seen.body.shape), np.float32)
    for k, lamp in enumerate(scene.lamps):
        seen_lamps[k] = lamp_light(packed, seen, lamp.place, lamp.radius, phase=(phase + 0.37 * k) % 1.0)
    windows = _windows(scene.sky)
    out = np.zeros((*seen.body.shape, 3), np.float32)
    _shade(
        *(
            seen.body,
            seen.normal,
            seen.place,
            albedo,
            rough,
            shine,
            around,
            bounce,
            met,
            clearness,
            seen_lamps,
        ),
        *(lamps, strength, sky, windows, np.asarray(scene.camera.eye, np.float64), out),
    )
    return out


def _surfaces(bodies: tuple[Body, ...], seen: Buffers) -> tuple[Array, Array, Array]:
    """Albedo (h, w, 3), roughness and reflectance (h, w) of what is seen."""
    flat = seen.body.ravel()
    order = np.argsort(flat.astype(np.int16), kind="stable")
    bounds = np.searchsorted(flat[order], np.arange(len(bodies) + 1))
    local = seen.local.reshape(-1, 3)
    normal = seen.normal.reshape(-1, 3)
    albedo = np.zeros((flat.size, 3), np.float32)
    rough = np.ones(flat.size, np.float32)
    shine = np.zeros(flat.size, np.float32)
    for n, body in enumerate(bodies):
        at = order[bounds[n] : bounds[n + 1]]
        if at.size:
            turn = np.asarray(body.turn, np.float32)
            albedo[at], rough[at], shine[at] = surface(body.material, body, local[at], normal[at] @ turn.T)
    shape = seen.body.shape
    return albedo.reshape(*shape, 3), rough.reshape(shape), shine.reshape(shape)


def _bounce(bodies: tuple[Body, ...], lamps: tuple[Lamp, ...], sky: Doubles, middle: Doubles) -> Doubles:
    """The light that bodies give back to their neighbours, (n, 3): mean colour times light on the field."""
    falling = 0.6 * sky[0] + 0.2 * sky[1]
    for lamp in lamps:
        towards = np.asarray(lamp.place, np.float64) - middle
        falling = falling + 0.6 * max(0.0, towards[2] / float(np.linalg.norm(towards))) * np.array(
            lamp.colour
        )
    means: dict[int, Doubles] = {}
    out = np.zeros((len(bodies), 3))
    for row, body in zip(out, bodies, strict=True):
        texture = body.material.texture
        if texture is None:
            row[:] = body.material.colour
            continue
        if id(texture) not in means:
            thin = texture[:: max(1, texture.shape[0] // 24), :: max(1, texture.shape[1] // 24)]
            means[id(texture)] = ((thin / 255.0) ** 2.2).mean(axis=(0, 1))
        row[:] = means[id(texture)]
    return np.asarray(out * falling, np.float64)


def _windows(sky: Sky) -> Doubles:
    """Rows of direction, half angle, colour."""
    rows = [[*direction, half, *colour] for direction, half, colour in sky.windows]
    return np.array(rows, np.float64).reshape(-1, 7)


@compiled
def _shade(
    body: NDArray[np.int32],
    normal: Array,
    place: Array,
    albedo: Array,
    rough: Array,
    shine: Array,
    around: Array,
    bounce: Doubles,
    met: NDArray[np.int32],
    clearness: Array,
    seen_lamps: Array,
    lamps: Doubles,
    strength: Doubles,
    sky: Doubles,
    windows: Doubles,
    eye: Doubles,
    out: Array,
) -> None:
    height, width = body.shape
    mean = (sky[0] + sky[1]) * 0.5
    for v in range(height):
        for u in range(width):
            if body[v, u] < 0:
                for k in range(3):
                    out[v, u, k] = sky[1, k]
                continue
            nx, ny, nz = normal[v, u, 0], normal[v, u, 1], normal[v, u, 2]
            ex, ey, ez = eye[0] - place[v, u, 0], eye[1] - place[v, u, 1], eye[2] - place[v, u, 2]
            s = 1.0 / np.sqrt(ex * ex + ey * ey + ez * ez)
            ex, ey, ez = ex * s, ey * s, ez * s
            nv = max(0.02, nx * ex + ny * ey + nz * ez)
            dull = min(1.0, max(0.03, float(rough[v, u])))
            f0 = float(shine[v, u])
            fresnel = f0 + max(0.0, max(1.0 - dull, f0) - f0) * (1.0 - nv) ** 5
            clear = around[v, u, 3]
            # what the mirrored direction sees: the sky, the dimmer the more of it is covered
            rx, ry, rz = 2.0 * nv * nx - ex, 2.0 * nv * ny - ey, 2.0 * nv * nz - ez
            mirror = clearness[v, u]
            cover = min(1.0, clear + (1.0 - dull) * 0.3 * clear) if mirror < 0.0 or met[v, u] >= 0 else 1.0
            for k in range(3):
                z = rz
                t = np.sqrt(z) if z > 0.0 else 0.0
                top = sky[1, k] + t * (sky[0, k] - sky[1, k])
                if z < 0.0:
                    top = sky[1, k] + min(1.0, -3.0 * z) * (sky[2, k] - sky[1, k])
                other = cover * (top + dull * (mean[k] - top)) + (1.0 - cover) * around[v, u, k]
                if mirror > 0.0:
                    other += mirror * (bounce[met[v, u], k] - other)
                out[v, u, k] = (1.0 - fresnel) * albedo[v, u, k] * around[v, u, k] + fresnel * other
            cover *= 1.0 - max(0.0, mirror)
            for w in range(windows.shape[0]):
                c = rx * windows[w, 0] + ry * windows[w, 1] + rz * windows[w, 2]
                angle = np.arccos(min(1.0, max(-1.0, c)))
                half = windows[w, 3]
                blur = 0.02 + 0.9 * dull * dull
                t = min(1.0, max(0.0, (half + blur - angle) / (2.0 * blur)))
                amount = t * t * (3.0 - 2.0 * t) * half * half / (half * half + blur * blur) * fresnel * cover
                for k in range(3):
                    out[v, u, k] += amount * windows[w, 4 + k]
            for m in range(lamps.shape[0]):
                share = seen_lamps[m, v, u]
                if share <= 0.0:
                    continue
                lx, ly, lz = (
                    lamps[m, 0] - place[v, u, 0],
                    lamps[m, 1] - place[v, u, 1],
                    lamps[m, 2] - place[v, u, 2],
                )
                square = lx * lx + ly * ly + lz * lz
                away = np.sqrt(square)
                lx, ly, lz = lx / away, ly / away, lz / away
                nl = nx * lx + ny * ly + nz * lz
                if nl <= 0.0:
                    continue
                power = share * nl * strength[m] / square
                hx, hy, hz = lx + ex, ly + ey, lz + ez
                s = 1.0 / np.sqrt(hx * hx + hy * hy + hz * hz)
                nh = (nx * hx + ny * hy + nz * hz) * s
                lh = (lx * hx + ly * hy + lz * hz) * s
                # a lamp that is a disc and not a point widens the gloss (Karis, SIGGRAPH 2013)
                alpha = min(1.0, dull * dull + 0.5 * lamps[m, 3] / away)
                a2 = alpha * alpha
                d = nh * nh * (a2 - 1.0) + 1.0
                narrower = (dull * dull / alpha) ** 2
                spread = a2 / (np.pi * d * d) * narrower
                kk = 0.5 * dull * dull
                visible = 0.25 / ((nl * (1.0 - kk) + kk) * (nv * (1.0 - kk) + kk))
                f = f0 + (1.0 - f0) * (1.0 - lh) ** 5
                gloss = np.pi * f * spread * visible
                for k in range(3):
                    out[v, u, k] += power * lamps[m, 4 + k] * ((1.0 - f) * albedo[v, u, k] + gloss)


def project(camera: Camera, points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Pixels, (n, 2), of places in the world (n, 3) before the lens; NaN for those behind the eye."""
    seen = (np.asarray(points, np.float64).reshape(-1, 3) - camera.eye) @ np.asarray(
        camera.turn, np.float64
    ).T
    z = np.where(seen[:, 2] > 1e-6, seen[:, 2], np.nan)[:, None]
    return np.asarray(camera.focal * seen[:, :2] / z + camera.middle, np.float64)


def mask_of(seen: Buffers, bodies: tuple[Body, ...], owner: int) -> Mask:
    """Pixels in which a thing is seen, bool (height, width)."""
    own = np.array([body.owner == owner for body in bodies] + [False])
    return np.asarray(own[seen.body], np.bool_)


def box_of(mask: Mask) -> Box | None:
    """The box around a mask's pixels; None where it has none."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def seen_share(seen: Buffers, scene: Scene, owner: int) -> float:
    """The share of a thing's pixels that is in the picture: not hidden by others, nor cut off by the edge.

    0 for a thing without bodies or wholly behind the eye. ``seen`` must have the size of the scene's camera.
    """
    bodies = tuple(body for body in scene.bodies if body.owner == owner)
    if not bodies:
        return 0.0
    camera, packed = scene.camera, pack(bodies)
    # on a canvas wide enough for what the picture's edge cuts off
    margin = max(camera.size)
    wide = replace(
        camera,
        middle=(camera.middle[0] + margin, camera.middle[1] + margin),
        size=(camera.size[0] + 2 * margin, camera.size[1] + 2 * margin),
    )
    boxes = screen_boxes(packed, wide)
    left, top = (int(value) for value in boxes[:, :2].min(axis=0))
    right, bottom = (int(value) for value in boxes[:, 2:].max(axis=0))
    if left >= right or top >= bottom:
        return 0.0
    alone = replace(
        wide, middle=(wide.middle[0] - left, wide.middle[1] - top), size=(right - left, bottom - top)
    )
    whole = int((trace(packed, alone).body >= 0).sum())
    return min(1.0, int(mask_of(seen, scene.bodies, owner).sum()) / whole) if whole else 0.0
