"""Views: made-up pictures of whole boards with their truth, drawn once and kept in a folder.

    python -m models.training.views --out FOLDER --count 4000 --seed 1

Each view is three files: ``000000.jpg``; ``000000.png``, uint8 of a quarter of its size, what covers each
pixel (:data:`COVERS`); ``000000.json``, the rest of :class:`View`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.world import Scene

Image = NDArray[np.uint8]

#: What a pixel of the cover picture can show.
COVERS = ("else", "field", "hand", "cup", "checker", "die", "cube")


@dataclass(frozen=True, slots=True)
class Checker:
    """The upper face of a checker as seen: centre and radius in pixels, the share of it in view."""

    x: float
    y: float
    radius: float
    side: int  #: 0 light, 1 dark
    slot: int  #: 0-23, 24 bar, 25 off, 26 elsewhere
    layer: int
    seen: float


@dataclass(frozen=True, slots=True)
class View:
    """The truth of a picture, in its pixels. ``slots``: 24 signed counts; ``bar``: edges in board units."""

    size: tuple[int, int]
    corners: tuple[tuple[float, float], ...]
    bar: tuple[float, float]
    slots: tuple[int, ...]
    on_bar: tuple[int, int]
    off: tuple[int, int]
    checkers: tuple[Checker, ...]
    style: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> View:
        """The view of a ``.json`` file."""
        data = json.loads(path.read_text())
        data["checkers"] = tuple(Checker(**checker) for checker in data["checkers"])
        return cls(**data)


def draw(seed: int, *, cups: bool = False) -> tuple[Image, Image, View]:
    """The picture (uint8 BGR), its covers and its truth that belong to a seed; ``cups``: one with a cup."""
    # Only drawing needs numba, reading views does not.
    from models.training import lens, scenes, shade

    rng = np.random.default_rng(seed)
    sizes = ((640, 480), (640, 360), (480, 480), (480, 640), (560, 420))
    size = sizes[int(rng.choice(len(sizes), p=(0.4, 0.25, 0.15, 0.05, 0.15)))]
    scene = scenes.random_scene(rng, size)
    while cups and not scene.truth.cup_owners:
        scene = scenes.random_scene(rng, size)
    # The network sees the picture at half its size or less: no finer rays are needed.
    taken = shade.take(scene, rng, 1.0)
    truth = scene.truth
    height = truth.field_height
    world = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, height, 0.0), (0.0, height, 0.0)]
    world += [checker.centre for checker in truth.checkers]
    world += [(c.centre[0] + c.radius, c.centre[1], c.centre[2]) for c in truth.checkers]
    world += [(c.centre[0], c.centre[1] + c.radius, c.centre[2]) for c in truth.checkers]
    points = shade.project(scene.camera, np.array(world, np.float32))
    covers = _covers(scene, taken.buffers.body, taken.image.shape[:2])
    image, points, covers = lens.expose(taken.image, rng, points, labels=covers)
    count = len(truth.checkers)
    centres, right, down = (points[4 + i * count : 4 + (i + 1) * count] for i in range(3))
    radii = (np.linalg.norm(right - centres, axis=1) + np.linalg.norm(down - centres, axis=1)) / 2
    seen = _seen(scene, taken.buffers.body)
    for c, (x, y) in zip(truth.checkers, centres, strict=True):
        if not _shown(covers, x, y):  # cropped away, or under a panel that was laid over the picture
            seen[c.owner] = 0.0
    checkers = tuple(
        Checker(
            round(float(x), 1),
            round(float(y), 1),
            round(float(r), 1),
            c.side,
            c.slot,
            c.layer,
            seen[c.owner],
        )
        for c, (x, y), r in zip(truth.checkers, centres, radii, strict=True)
    )
    view = View(
        (image.shape[1], image.shape[0]),
        tuple((round(float(x), 2), round(float(y), 2)) for x, y in points[:4]),
        truth.bar,
        truth.slots,
        truth.on_bar,
        truth.off,
        checkers,
        dict(truth.style),
    )
    small = (image.shape[1] // 4, image.shape[0] // 4)
    return image, np.asarray(cv2.resize(covers, small, interpolation=cv2.INTER_NEAREST), np.uint8), view


def _covers(scene: Scene, body: NDArray[np.int32], shape: tuple[int, ...]) -> Image:
    kinds = np.array([_cover(b.kind) for b in scene.bodies] + [0], np.uint8)
    covers = kinds[body]
    return np.asarray(cv2.resize(covers, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST), np.uint8)


def _shown(covers: Image, x: float, y: float) -> bool:
    column, row = round(x), round(y)
    inside = 0 <= row < covers.shape[0] and 0 <= column < covers.shape[1]
    return inside and bool(covers[row, column] > 0)


def _cover(kind: str) -> int:
    return COVERS.index(kind) if kind in COVERS else 0


def _seen(scene: Scene, body: NDArray[np.int32]) -> dict[int, float]:
    """Pixels in view of every owner's bodies against those of the most visible thing of its kind, 0-1."""
    counts = np.bincount(body[body >= 0].ravel(), minlength=len(scene.bodies))
    pixels: dict[int, float] = {}
    for b, n in zip(scene.bodies, counts, strict=True):
        if b.owner >= 0:
            pixels[b.owner] = pixels.get(b.owner, 0.0) + float(n)
    checkers = {c.owner for c in scene.truth.checkers}
    usual = float(np.quantile([pixels.get(owner, 0.0) for owner in checkers], 0.8)) if checkers else 1.0
    return {owner: round(min(1.0, n / max(usual, 1.0)), 2) for owner, n in pixels.items()} | {
        owner: 0.0 for owner in checkers if owner not in pixels
    }


def _draw_into(folder: Path, number: int, seed: int, cups: bool) -> None:
    image, covers, view = draw(seed, cups=cups)
    stem = folder / f"{number:06d}"
    cv2.imwrite(str(stem.with_suffix(".jpg")), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    cv2.imwrite(str(stem.with_suffix(".png")), covers)
    stem.with_suffix(".json").write_text(json.dumps(asdict(view)))


def fill(folder: Path, numbers: Sequence[int], seed: int, cups: bool) -> None:
    """Draw the views of these numbers; those that are there already are kept. ``cups``: each with a cup."""
    cv2.setNumThreads(1)
    begin = time.monotonic()
    made = 0
    for number in numbers:
        if (folder / f"{number:06d}.json").exists():
            continue
        _draw_into(folder, number, seed * 1_000_000 + number, cups)
        made += 1
        if made % 100 == 0:
            print(f"{number}: {(time.monotonic() - begin) / made:.2f} s a view", flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draw views of boards to learn from.")
    parser.add_argument("--out", type=Path, required=True, help="folder to fill")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cups", action="store_true", help="views with a cup alone, which are rare")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    numbers = range(args.first, args.first + args.count)
    if args.workers == 1:
        fill(args.out, numbers, args.seed, args.cups)
        return
    with ProcessPoolExecutor(args.workers) as pool:
        jobs = [
            pool.submit(fill, args.out, numbers[i :: args.workers], args.seed, args.cups)
            for i in range(args.workers)
        ]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main()
