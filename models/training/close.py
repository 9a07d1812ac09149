"""Tiles cut from traced scenes, for the dice networks: ``python -m models.training.close --out tiles.npz``.

Two kinds: close looks at dice and cubes, and pieces of pictures of whole boards, in which the dice are small
and much else looks like them. The truth is worked out from the bodies themselves. Needs numba.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training import scenes, shade
from models.training.cubes import Rng
from models.training.render import SCALE, TILE, DieTruth, Tile, photographed, save
from models.training.world import Body, Camera, CubeTruth, Scene
from models.training.world import DieTruth as WorldDie

BOARD = (7 * TILE, 5 * TILE)  #: width and height of a picture of a whole board
_PLAIN = 20  # tiles without a die that are kept of one
_CUBES = 0.4  # share of close looks that are aimed at the doubling cube where there is one


def close_tile(rng: Rng) -> Tile:
    """A look at a die, a cube or a piece of board."""
    scene = scenes.random_scene(rng, (TILE, TILE), kind="close")
    if scene.truth.cubes and rng.random() < _CUBES:
        scene = replace(scene, camera=_aimed(rng, scene.camera, scene.truth.cubes[0].centre))
    taken = shade.take(scene, rng)
    return _tile(rng, taken.image, _truths(scene, taken), (0, 0))


def _aimed(rng: Rng, camera: Camera, place: tuple[float, float, float]) -> Camera:
    """The camera with its picture moved so that a place comes to lie somewhere in it."""
    seen = shade.project(camera, np.array([place], np.float64))[0]
    x, y = np.array(camera.middle) + rng.uniform(0.2, 0.8, 2) * TILE - seen
    return replace(camera, middle=(float(x), float(y)))


def board_tiles(rng: Rng) -> list[Tile]:
    """A picture of a whole board in pieces: all those with a die or a cube, some of the others."""
    scene = scenes.random_scene(rng, BOARD, kind="board")
    scene = replace(scene, camera=replace(scene.camera, bend=0.0))
    taken = shade.take(scene, rng)
    truths = _truths(scene, taken)
    shift = rng.integers(0, TILE, 2)
    out, plain = [], 0
    corners = [(x, y) for y in range(0, BOARD[1], TILE) for x in range(0, BOARD[0], TILE)]
    for x, y in (corners[int(k)] for k in rng.permutation(len(corners))):
        left, top = min(x + int(shift[0]), BOARD[0] - TILE), min(y + int(shift[1]), BOARD[1] - TILE)
        mine = [d for d in truths if left < d.centre[0] < left + TILE and top < d.centre[1] < top + TILE]
        plain += not mine
        if mine or plain <= _PLAIN:
            out.append(_tile(rng, taken.image[top : top + TILE, left : left + TILE], truths, (left, top)))
    return out


def _tile(rng: Rng, image: NDArray[np.uint8], truths: list[DieTruth], at: tuple[int, int]) -> Tile:
    # The camera works at the scale at which drawn tiles are drawn.
    wide = cv2.resize(image, (TILE * SCALE, TILE * SCALE), interpolation=cv2.INTER_CUBIC)
    picture, blur = photographed(np.asarray(wide, np.uint8), rng)
    dice = []
    for die in truths:
        x0, y0, x1, y1 = die.box
        box = (x0 - at[0], y0 - at[1], x1 - at[0], y1 - at[1])
        inside = (min(TILE, box[2]) - max(0.0, box[0])), (min(TILE, box[3]) - max(0.0, box[1]))
        if min(inside) <= 0:
            continue
        cut = 1 - inside[0] * inside[1] / ((x1 - x0) * (y1 - y0))
        centre = (die.centre[0] - at[0], die.centre[1] - at[1])
        dice.append(replace(die, box=box, centre=centre, covered=max(die.covered, cut)))
    return Tile(picture, tuple(dice), blur)


def _truths(scene: Scene, taken: shade.Taken) -> list[DieTruth]:
    """Dice and cubes of a scene, in pixels of the picture."""
    out = []
    things: list[WorldDie | CubeTruth] = [*scene.truth.dice, *scene.truth.cubes]
    for thing in things:
        bodies = [body for body in scene.bodies if body.owner == thing.owner]
        box = _box(bodies[0], scene.camera)
        if box is None:
            continue
        seen = shade.seen_share(taken.buffers, scene, thing.owner)
        cube = isinstance(thing, CubeTruth)
        value = int(np.log2(max(1, thing.value))) if cube else thing.value
        lean = float(np.degrees(np.arccos(np.clip(thing.up[2], -1, 1))))
        out.append(
            DieTruth(
                value=max(1, value),
                centre=((box[0] + box[2]) / 2, (box[1] + box[3]) / 2),
                box=box,
                edge=(box[2] - box[0] + box[3] - box[1]) / 2.6,
                up=_up(scene.camera, thing.centre, thing.up),
                tilt_degrees=lean,
                readable=value > 0,
                covered=1 - seen,
                cube=cube,
            )
        )
    return out


def _box(body: Body, camera: Camera) -> tuple[float, float, float, float] | None:
    """The box around a rounded box: around the balls at its corners."""
    radius = body.size[3]
    half = np.array(body.size[:3]) - radius
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.asarray(body.centre) + (signs * half) @ np.asarray(body.turn, np.float64)
    depth = ((corners - np.asarray(camera.eye)) @ np.asarray(camera.turn, np.float64).T)[:, 2]
    if depth.min() < 1e-3:
        return None
    pixels = shade.project(camera, corners)
    reach = (camera.focal * radius / depth)[:, None]
    low, high = (pixels - reach).min(0), (pixels + reach).max(0)
    # Whole coordinates lie at the middles of pixels.
    return float(low[0]) - 0.5, float(low[1]) - 0.5, float(high[0]) - 0.5, float(high[1]) - 0.5


def _up(camera: Camera, place: tuple[float, ...], normal: tuple[float, ...]) -> tuple[float, float]:
    """x and y of a normal in the frame of the ray that goes to a place."""
    turn = np.asarray(camera.turn, np.float64)
    ray = turn @ (np.array(place) - np.asarray(camera.eye, np.float64))
    ray /= np.linalg.norm(ray)
    axis = np.array([ray[1], -ray[0], 0.0])  # turns the ray onto the optical axis
    sine = float(np.linalg.norm(axis))
    spin, _ = cv2.Rodrigues(axis * (np.arccos(np.clip(ray[2], -1, 1)) / max(1e-12, sine)))
    x, y, _ = np.asarray(spin) @ turn @ np.array(normal)
    return float(x), float(y)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Cut tiles from traced scenes for the dice networks.")
    parser.add_argument("--out", type=Path, required=True, help="the file to write (.npz)")
    parser.add_argument("--close", type=int, default=2000, help="close looks (default 2000)")
    parser.add_argument("--boards", type=int, default=150, help="whole boards, some 20 tiles each (150)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tiles: list[Tile] = []
    begin = time.monotonic()
    for number in range(args.boards):
        tiles += board_tiles(np.random.default_rng((args.seed, 1, number)))
        if number % 50 == 49:
            save(args.out, tiles)
            print(f"{number + 1} boards, {time.monotonic() - begin:.0f} s", flush=True)
    for number in range(args.close):
        tiles.append(close_tile(np.random.default_rng((args.seed, 2, number))))
        if number % 400 == 399:
            save(args.out, tiles)
            print(f"{number + 1} close, {time.monotonic() - begin:.0f} s", flush=True)
    save(args.out, tiles)


if __name__ == "__main__":
    main()
