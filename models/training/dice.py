"""Train the dice network: ``python -m models.training.dice --out models/dice.onnx --minutes 20``.

One small convolutional network finds and reads dice in a picture scaled so that a die's edge is about
24 pixels. For every cell of 8x8 pixels it gives 13 numbers (:data:`CHANNELS`). It learns only from
pictures drawn by :mod:`models.training.render`; a seed makes a run by ``--steps`` repeatable.
Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from models.training.render import TILE, DieTruth, Scenes, Tile

CELL = 8  #: pixels of a cell's side
CELLS = TILE // CELL
#: Output: logit of a die's middle, six logits of the value, distances from the cell's middle to the box
#: (left, top, right, bottom, in units of 16 px), x and y of the upper face's normal.
CHANNELS = 13
_BOX_UNIT = 16.0
_TARGETS = 11  #: heat, its weight, value, its weight, box, up, their weight

#: (out channels, kernel, stride) of each convolution; all but the last are followed by ReLU.
LAYERS = (
    (16, 4, 2),
    (32, 4, 2),
    (32, 3, 1),
    (64, 4, 2),
    (64, 3, 1),
    (64, 3, 1),
    (64, 3, 1),
    (CHANNELS, 1, 1),
)


def build() -> Any:
    """The untrained network, a ``torch.nn.Sequential`` of convolutions, batch norms and ReLUs."""
    parts: list[Any] = []
    inward = 3
    for out, kernel, stride in LAYERS[:-1]:
        # Even kernels keep the strided cells centred, so that a mirrored picture gives mirrored cells.
        parts += [nn.Conv2d(inward, out, kernel, stride, (kernel - 1) // 2, bias=False)]
        parts += [nn.BatchNorm2d(out), nn.ReLU()]
        inward = out
    last = nn.Conv2d(inward, CHANNELS, 1)
    with torch.no_grad():
        last.bias[0] = -4.0  # most cells hold no die
    return nn.Sequential(*parts, last)


def targets(dice: Iterable[DieTruth]) -> NDArray[np.float32]:
    """What the network shall say of a tile: float32 of shape (11, CELLS, CELLS)."""
    out = np.zeros((_TARGETS, CELLS, CELLS), np.float32)
    out[1] = 1
    middles = np.arange(CELLS) * CELL + (CELL - 1) / 2
    x, y = np.meshgrid(middles, middles)
    for die in dice:
        away = np.hypot(x - die.centre[0], y - die.centre[1])
        if die.covered > 0.35:
            out[1][away < die.edge] = 0
            continue
        over = np.maximum(0, away - 0.71 * CELL)  # the cell that holds the middle is wholly a die's
        heat = np.exp(-0.5 * (over / (0.16 * die.edge)) ** 2)
        mine = heat > np.maximum(out[0], 0.05)
        out[0] = np.maximum(out[0], heat)
        out[2][mine] = die.value - 1
        out[3][mine] = heat[mine] if die.readable and die.covered < 0.25 else 0
        x0, y0, x1, y1 = die.box
        for channel, distance in enumerate((x - x0, y - y0, x1 - x, y1 - y)):
            out[4 + channel][mine] = distance[mine] / _BOX_UNIT
        out[8][mine], out[9][mine] = die.up
        out[10][mine] = heat[mine]
    return out


def loss(cells: Any, wanted: Any) -> Any:
    """The sum of the losses of heat, value, box and slope over a batch, per die."""
    heat, weight, sure, near = wanted[:, 0], wanted[:, 1], wanted[:, 3], wanted[:, 10]
    guess = torch.sigmoid(cells[:, 0])
    plain = functional.binary_cross_entropy_with_logits(cells[:, 0], heat, reduction="none")
    found = ((guess - heat).abs().detach() * plain * weight).sum()
    read = functional.cross_entropy(cells[:, 1:7], wanted[:, 2].long(), reduction="none")
    framed = (cells[:, 7:11] - wanted[:, 4:8]).abs().sum(1)
    sloped = (cells[:, 11:13] - wanted[:, 8:10]).abs().sum(1)
    dice = near.sum().clamp(min=1)
    return (2 * found + (read * sure).sum() + 0.5 * (framed * near).sum() + 2 * (sloped * near).sum()) / dice


def turn(images: Any, wanted: Any, way: int) -> tuple[Any, Any]:
    """A batch turned and mirrored in one of eight ways; the wanted boxes and slopes follow."""
    if way & 1:
        images, wanted = images.flip(3), wanted.flip(3)[:, [0, 1, 2, 3, 6, 5, 4, 7, 8, 9, 10]].clone()
        wanted[:, 8] *= -1
    if way & 2:
        images, wanted = images.flip(2), wanted.flip(2)[:, [0, 1, 2, 3, 4, 7, 6, 5, 8, 9, 10]].clone()
        wanted[:, 9] *= -1
    if way & 4:
        images = images.transpose(2, 3)
        wanted = wanted.transpose(2, 3)[:, [0, 1, 2, 3, 5, 4, 7, 6, 9, 8, 10]]
    return images, wanted


class Pool:
    """Tiles to learn from, a share of them replaced by new ones before each batch."""

    def __init__(self, seed: int, size: int, backgrounds: int) -> None:
        self._scenes = Scenes(seed, backgrounds)
        self._rng = np.random.default_rng(seed + 1)
        self._images = np.empty((size, 3, TILE, TILE), np.uint8)
        self._wanted = np.empty((size, _TARGETS, CELLS, CELLS), np.float32)
        self._next = 0
        self._filled = 0

    def add(self, count: int) -> None:
        """Draw ``count`` new tiles over the oldest ones."""
        for _ in range(count):
            tile = self._scenes.tile()
            self._images[self._next] = tile.image.transpose(2, 0, 1)
            self._wanted[self._next] = targets(tile.dice)
            self._next = (self._next + 1) % len(self._images)
            self._filled = min(self._filled + 1, len(self._images))

    def batch(self, size: int) -> tuple[Any, Any]:
        """Images of shape (size, 3, TILE, TILE), 0-1, and what to say of them."""
        pick = self._rng.integers(0, self._filled, size)
        images = torch.from_numpy(self._images[pick]).float() / 255
        return turn(images, torch.from_numpy(self._wanted[pick]), int(self._rng.integers(8)))


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train: by ``steps`` (repeatable) or by ``minutes``, whichever is given."""

    steps: int | None
    minutes: float

    def progress(self) -> Iterator[float]:
        """Shares of the training done, from 0 up to but not including 1."""
        begin, step = time.monotonic(), 0
        while True:
            done = step / self.steps if self.steps else (time.monotonic() - begin) / (60 * self.minutes)
            if done >= 1:
                return
            yield done
            step += 1


def train(budget: Budget, seed: int, *, pool_size: int = 6000, batch: int = 48, fresh: int = 10) -> Any:
    """Train a network and give it in evaluation mode."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    net = build().to(memory_format=torch.channels_last)
    pool = Pool(seed, pool_size, backgrounds=min(200, pool_size // 10))
    pool.add(min(pool_size, 1500))
    top = 3e-3
    optimiser = torch.optim.AdamW(net.parameters(), lr=top, weight_decay=1e-4)
    mean, said = 0.0, time.monotonic()
    for step, done in enumerate(budget.progress()):
        rate = top * min(1.0, (step + 1) / 100) * (0.5 * (1 + np.cos(np.pi * done)) * 0.995 + 0.005)
        for group in optimiser.param_groups:
            group["lr"] = rate
        pool.add(fresh)
        images, wanted = pool.batch(batch)
        optimiser.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):  # twice as fast where the CPU can, and no worse
            cells = net(images.contiguous(memory_format=torch.channels_last))
        error = loss(cells.float(), wanted)
        error.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        mean = error.item() if step == 0 else 0.98 * mean + 0.02 * error.item()
        if time.monotonic() - said > 20:
            said = time.monotonic()
            print(f"step {step}  {100 * done:.0f}%  loss {mean:.3f}", flush=True)
    net.eval()
    return net


def export(net: Any, path: Path) -> None:
    """Write the network as ONNX (opset 17) with the batch norms folded in.

    Input ``image``: float32 (tiles, 3, height, width), BGR, 0-1, both sides multiples of 8. Output ``cells``:
    float32 (tiles, 13, height / 8, width / 8).
    """
    modules = list(net)
    nodes, weights, source = [], [], "image"
    for index in range(len(LAYERS)):
        conv = modules[3 * index]
        kernel = conv.weight.detach().double()
        if index < len(LAYERS) - 1:
            norm = modules[3 * index + 1]
            gain = norm.weight.detach().double() / torch.sqrt(norm.running_var.double() + norm.eps)
            kernel = kernel * gain[:, None, None, None]
            bias = norm.bias.detach().double() - norm.running_mean.double() * gain
        else:
            bias = conv.bias.detach().double()
        weights.append(onnx.numpy_helper.from_array(kernel.float().numpy(), f"w{index}"))
        weights.append(onnx.numpy_helper.from_array(bias.float().numpy(), f"b{index}"))
        last = index == len(LAYERS) - 1
        _, size, stride = LAYERS[index]
        made = "cells" if last else f"c{index}"
        nodes.append(
            onnx.helper.make_node(
                "Conv",
                [source, f"w{index}", f"b{index}"],
                [made],
                kernel_shape=[size, size],
                strides=[stride, stride],
                pads=[(size - 1) // 2] * 4,
            )
        )
        if not last:
            nodes.append(onnx.helper.make_node("Relu", [made], [f"r{index}"]))
        source = f"r{index}"
    floats = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "dice",
        [onnx.helper.make_tensor_value_info("image", floats, ["tiles", 3, "height", "width"])],
        [onnx.helper.make_tensor_value_info("cells", floats, ["tiles", CHANNELS, "rows", "columns"])],
        weights,
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)], producer_name="zarbiter", ir_version=8
    )
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def peaks(cells: NDArray[np.float32], floor: float = 0.5) -> list[tuple[float, float, float, int]]:
    """Dice in one tile's output as (x, y, probability, value): cells above ``floor``, best of their box."""
    found: list[tuple[float, float, float, int]] = []
    chance = 1 / (1 + np.exp(-cells[0]))
    for flat in np.argsort(-chance, axis=None):
        row, column = divmod(int(flat), chance.shape[1])
        if chance[row, column] < floor:
            break
        middle = np.array([column, row]) * CELL + (CELL - 1) / 2
        left, top, right, bottom = cells[7:11, row, column] * _BOX_UNIT
        x, y = middle[0] + (right - left) / 2, middle[1] + (bottom - top) / 2
        reach = 0.3 * (left + right + top + bottom) / 2
        if all(np.hypot(x - other[0], y - other[1]) > reach for other in found):
            found.append((x, y, float(chance[row, column]), int(np.argmax(cells[1:7, row, column])) + 1))
    return found


_GROUPS = (
    ("all", lambda tile, die: True),
    ("edge under 18 px", lambda tile, die: die.edge < 18),
    ("edge 18-30 px", lambda tile, die: 18 <= die.edge <= 30),
    ("edge over 30 px", lambda tile, die: die.edge > 30),
    ("blur over 1 px", lambda tile, die: tile.blur > 1),
    ("seen at under 20 degrees, flat", lambda tile, die: _slope(die) < 20 and die.tilt_degrees < 1),
    ("seen at over 30 degrees, flat", lambda tile, die: _slope(die) > 30 and die.tilt_degrees < 1),
    ("cocked", lambda tile, die: die.tilt_degrees > 5),
)


def _slope(die: DieTruth) -> float:
    return float(np.degrees(np.arcsin(min(1.0, np.hypot(*die.up)))))


def measure(net: Any, tiles: Sequence[Tile]) -> str:
    """Errors on drawn tiles, by condition, as a Markdown table and a line on false dice."""
    counts = {name: [0, 0, 0] for name, _ in _GROUPS}
    false = 0
    for tile in tiles:
        with torch.no_grad():
            image = torch.from_numpy(tile.image.transpose(2, 0, 1)[None].copy()).float() / 255
            seen = peaks(net(image)[0].numpy())
        for die in tile.dice:
            near = [s for s in seen if np.hypot(s[0] - die.centre[0], s[1] - die.centre[1]) < 0.5 * die.edge]
            seen = [s for s in seen if s not in near]
            if die.covered > 0.25 or not die.readable:
                continue
            for name, belongs in _GROUPS:
                if belongs(tile, die):
                    counts[name][0] += 1
                    counts[name][1] += bool(near)
                    counts[name][2] += bool(near) and near[0][3] == die.value
        false += len(seen)
    lines = ["| drawn dice, held out | number | found | found and read right |", "|---|---|---|---|"]
    for name, (total, found, right) in counts.items():
        share = [f"{100 * n / max(1, total):.1f}%" for n in (found, right)]
        lines.append(f"| {name} | {total} | {share[0]} | {share[1]} |")
    return "\n".join([*lines, "", f"False dice: {false} on {len(tiles)} tiles of {TILE}x{TILE} pixels."])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Train the dice network on drawn pictures.")
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to write")
    parser.add_argument("--minutes", type=float, default=20.0, help="how long to train (default 20)")
    parser.add_argument("--steps", type=int, help="train this many steps instead, repeatably")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--short", action="store_true", help="a minute's try: 200 steps, a small test")
    args = parser.parse_args()
    budget = Budget(200 if args.short else args.steps, args.minutes)
    net = train(budget, args.seed, pool_size=600 if args.short else 6000)
    export(net, args.out)
    held_out = Scenes(args.seed + 1000, backgrounds=20 if args.short else 80)
    print(measure(net, [held_out.tile() for _ in range(200 if args.short else 2000)]))


if __name__ == "__main__":
    main()
