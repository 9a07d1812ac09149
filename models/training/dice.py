"""Train the two dice networks: ``python -m models.training.dice finder`` and then ``... dice reader``.

The finder looks at a whole picture, scaled so that a die's edge is about 16 pixels, and says for every cell
of 8x8 pixels whether the middle of a die or a doubling cube is near and how far its box reaches. The reader
looks at one such place, scaled so that an edge is about 26 pixels, and says whether it is a die, a cube or
neither, what it shows, how far its box reaches and which way its upper face points.

Both learn only from pictures that this project draws: :mod:`models.training.render`, and tiles that
:mod:`models.training.close` cuts from traced scenes. A seed makes a run by ``--steps`` repeatable.
Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from hardware.camera import Image
from models.training.nets import Budget, Conv, Residual, begin, export, fit
from models.training.render import TILE, DieTruth, Scenes, Tile, load
from vision.warp import smaller

SMALL = 96  #: side of a tile as the finder sees it
CELL = 8  #: pixels of a cell's side
CELLS = SMALL // CELL
BOX_UNIT = 16.0  #: pixels to one unit of a distance to a side of a box
FINDER_CHANNELS = 5  #: logit of a middle; distances from the cell's middle to left, top, right, bottom

PATCH = 64  #: side of what the reader sees
PATCH_EDGE = 26.0  #: pixels of an edge there, an edge being the mean side of the box over 1.3
CLASSES = ("nothing", "die", "cube")
#: Logits of the classes, of a die's value 1-6, of a cube's value 2-64; the box as for the finder, from the
#: patch's middle; x and y of the upper face's normal.
READER_CHANNELS = 3 + 6 + 6 + 4 + 2

TOP_RATE = 3e-3  #: the learning rate where it is highest; half of it where weights are gone on from

Box = tuple[float, float, float, float]


class Finder(nn.Module):
    """Image (n, 3, height, width), BGR, 0-1 -> cells (n, 5, height / 8, width / 8). 100 thousand weights."""

    def __init__(
        self, widths: tuple[int, int, int] = (16, 32, 48), dilations: tuple[int, ...] = (1, 2)
    ) -> None:
        super().__init__()
        a, b, c = widths
        # Even kernels keep the strided cells centred, so that a mirrored picture gives mirrored cells.
        self.see = nn.Sequential(Conv(3, a, 4, 2), Conv(a, b, 4, 2), Conv(b, c, 4, 2))
        self.think = nn.Sequential(*(Residual(c, dilation) for dilation in dilations))
        self.say = nn.Conv2d(c, FINDER_CHANNELS, 1)
        with torch.no_grad():
            self.say.bias[0] = -4.0  # most cells hold no die

    def forward(self, image: Any) -> Any:
        return self.say(self.think(self.see(image)))


class Reader(nn.Module):
    """Image (n, 3, 64, 64), BGR, 0-1 -> reading (n, 21)."""

    def __init__(
        self, widths: tuple[int, int, int] = (16, 40, 80), blocks: tuple[int, int, int] = (0, 1, 2)
    ) -> None:
        super().__init__()
        parts: list[nn.Module] = []
        inward = 3
        for width, count in zip(widths, blocks, strict=True):
            parts += [Conv(inward, width, 4, 2), *(Residual(width) for _ in range(count))]
            inward = width
        self.see = nn.Sequential(*parts, Conv(inward, 32, 1))
        self.say = nn.Sequential(
            nn.Flatten(), nn.Linear(32 * 64, 128), nn.ReLU(inplace=True), nn.Linear(128, READER_CHANNELS)
        )

    def forward(self, image: Any) -> Any:
        return self.say(self.see(image))


def cells_of(dice: Iterable[DieTruth]) -> NDArray[np.float32]:
    """What the finder shall say of a tile: float32 (7, CELLS, CELLS): heat, weight, box, its weight."""
    out = np.zeros((7, CELLS, CELLS), np.float32)
    out[1] = 1
    scale = SMALL / TILE
    middles = np.arange(CELLS) * CELL + (CELL - 1) / 2
    x, y = np.meshgrid(middles, middles)
    for die in dice:
        x0, y0, x1, y1 = ((v + 0.5) * scale - 0.5 for v in die.box)
        edge = box_edge((x0, y0, x1, y1))
        away = np.hypot(x - (x0 + x1) / 2, y - (y0 + y1) / 2)
        if die.covered > 0.4:
            out[1][away < edge] = 0
            continue
        over = np.maximum(0, away - 0.71 * CELL)  # the cell that holds the middle is wholly a die's
        heat = np.exp(-0.5 * (over / (0.16 * edge)) ** 2)
        mine = heat > np.maximum(out[0], 0.05)
        out[0] = np.maximum(out[0], heat)
        for channel, distance in enumerate((x - x0, y - y0, x1 - x, y1 - y)):
            out[2 + channel][mine] = distance[mine] / BOX_UNIT
        out[6][mine] = heat[mine]
    return out


def finder_loss(cells: Any, wanted: Any) -> tuple[Any, dict[str, float]]:
    """Focal loss of the heat and distance of the boxes' sides, per die."""
    heat, weight, near = wanted[:, 0], wanted[:, 1], wanted[:, 6]
    plain = functional.binary_cross_entropy_with_logits(cells[:, 0], heat, reduction="none")
    dice = near.sum().clamp(min=1)
    found = ((torch.sigmoid(cells[:, 0]) - heat).abs().detach() * plain * weight).sum() / dice
    framed = ((cells[:, 1:5] - wanted[:, 2:6]).abs().sum(1) * near).sum() / dice
    return 2 * found + 0.5 * framed, {"heat": found.item(), "box": framed.item()}


def box_edge(box: Sequence[float]) -> float:
    """Length of an edge, from the box: a cube turned at random covers about 1.3 edges."""
    return (box[2] - box[0] + box[3] - box[1]) / 2.6


def peaks(cells: NDArray[np.float32], floor: float) -> list[tuple[Box, float]]:
    """Boxes in one tile as the finder sees it, with their probabilities; in pixels of the full tile."""
    heat = np.ascontiguousarray(cells[0])
    tops = (heat >= cv2.dilate(heat, np.ones((3, 3)))) & (heat > np.log(floor / (1 - floor)))
    out = []
    for row, column in np.argwhere(tops):
        x, y = column * CELL + (CELL - 1) / 2, row * CELL + (CELL - 1) / 2
        left, top, right, bottom = np.maximum(cells[1:5, row, column] * BOX_UNIT, 1.0)
        box = (np.array([x - left, y - top, x + right, y + bottom]) + 0.5) * (TILE / SMALL) - 0.5
        x0, y0, x1, y1 = (float(v) for v in box)
        out.append(((x0, y0, x1, y1), float(1 / (1 + np.exp(-heat[row, column])))))
    return out


def cut(image: Image, box: Box) -> Image:
    """What the reader sees of a box: uint8 (64, 64, 3)."""
    scale = PATCH_EDGE / box_edge(box)
    half = (PATCH - 1) / 2
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    if scale < 0.8:  # many pixels to one: smooth first, or the pips alias
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / scale)  # type: ignore[assignment]
    matrix = np.array([[1 / scale, 0, x - half / scale], [0, 1 / scale, y - half / scale]])
    return cv2.warpAffine(  # type: ignore[return-value]
        image,
        matrix,
        (PATCH, PATCH),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


#: What the reader shall say of a patch: class and its weight, value and its weight, cube's value and its
#: weight, box, up, weight of box and up.
_WANTED = 13
_ROTATIONS = (0, 3, 5, 6)  #: ways of :func:`turn` that mirror nothing


def reading_of(dice: Iterable[DieTruth], box: Box) -> NDArray[np.float32]:
    """What the reader shall say of a patch that was cut around ``box``: float32 (13,)."""
    out = np.zeros(_WANTED, np.float32)
    out[1] = 1
    edge, centre = box_edge(box), np.array([box[0] + box[2], box[1] + box[3]]) / 2
    for die in dice:
        own = box_edge(die.box)
        away = float(np.hypot(*(centre - die.centre))) / own
        ratio = max(edge / own, own / edge)
        if away > 0.5 or ratio > 1.7:
            continue
        if away > 0.3 or ratio > 1.4 or die.covered > 0.5:
            out[1] = 0  # neither a fair view of the die nor of anything else
            continue
        scale = PATCH_EDGE / edge
        sure = float(die.readable and die.covered < 0.3)
        out[0], out[1] = (2 if die.cube else 1), 1
        out[4 if die.cube else 2], out[5 if die.cube else 3] = die.value - 1, sure
        x0, y0, x1, y1 = die.box
        sides = np.array([centre[0] - x0, centre[1] - y0, x1 - centre[0], y1 - centre[1]])
        out[6:10] = sides * scale / BOX_UNIT
        out[10:12] = die.up
        out[12] = 1
        break
    return out


def reader_loss(seen: Any, wanted: Any) -> tuple[Any, dict[str, float]]:
    """The sum of the losses of class, values, box and slope, per patch."""
    kind = functional.cross_entropy(seen[:, :3], wanted[:, 0].long(), reduction="none", label_smoothing=0.01)
    value = functional.cross_entropy(seen[:, 3:9], wanted[:, 2].long(), reduction="none")
    cube = functional.cross_entropy(seen[:, 9:15], wanted[:, 4].long(), reduction="none")
    box = (seen[:, 15:19] - wanted[:, 6:10]).abs().sum(1)
    slope = (seen[:, 19:21] - wanted[:, 10:12]).abs().sum(1)
    many = len(seen)
    parts = {
        "class": (kind * wanted[:, 1]).sum() / many,
        "value": (value * wanted[:, 3]).sum() / many,
        "cube": (cube * wanted[:, 5]).sum() / many,
        "box": (box * wanted[:, 12]).sum() / many,
        "slope": (slope * wanted[:, 12]).sum() / many,
    }
    total = 2 * parts["class"] + parts["value"] + 2 * parts["cube"] + 0.5 * parts["box"] + 4 * parts["slope"]
    return total, {name: part.item() for name, part in parts.items()}


def turn(images: Any, wanted: Any, box: int, up: int | None, way: int) -> tuple[Any, Any]:
    """A batch turned and mirrored in one of eight ways; box (from channel ``box``) and slope follow.

    ``wanted``: (n, channels) or (n, channels, rows, columns).
    """
    order = list(range(wanted.shape[1]))
    wanted = wanted.clone()
    maps = wanted.ndim == 4
    for bit, axis in ((1, 3), (2, 2)):
        if way & bit:
            images = images.flip(axis)
            wanted = wanted.flip(axis) if maps else wanted
            a, b = (box, box + 2) if bit == 1 else (box + 1, box + 3)
            swap = order.copy()
            swap[a], swap[b] = b, a
            wanted = wanted[:, swap]
            if up is not None:
                wanted[:, up + (bit == 2)] *= -1
    if way & 4:
        images = images.transpose(2, 3)
        wanted = wanted.transpose(2, 3) if maps else wanted
        swap = order.copy()
        swap[box : box + 4] = [box + 1, box, box + 3, box + 2]
        if up is not None:
            swap[up : up + 2] = [up + 1, up]
        wanted = wanted[:, swap]
    return images, wanted


class Source:
    """Tiles from one seed: drawn ones, and a share of traced ones where a folder of them is given."""

    def __init__(self, seed: int, backgrounds: int, traced: Path | None, share: float = 0.5) -> None:
        self._scenes = Scenes(seed, backgrounds)
        self._rng = np.random.default_rng(seed + 1)
        self._traced = [] if traced is None else load(traced)
        self._share = share if self._traced else 0.0

    def tile(self) -> Tile:
        """The next tile."""
        if self._rng.random() < self._share:
            return self._traced[int(self._rng.integers(len(self._traced)))]
        return self._scenes.tile()


class _Pool:
    """Tiles to learn from; ``fresh`` of them are replaced by new ones before each batch."""

    def __init__(self, source: Source, size: int, fresh: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.tiles: list[Tile] = []
        self._source, self._size, self._fresh, self._next = source, size, fresh, 0

    def fill(self, count: int) -> None:
        """Draw ``count`` new tiles over the oldest ones."""
        for _ in range(count):
            tile = self._source.tile()
            if len(self.tiles) < self._size:
                self.tiles.append(tile)
                self.added(len(self.tiles) - 1, tile)
            else:
                self.tiles[self._next] = tile
                self.added(self._next, tile)
                self._next = (self._next + 1) % self._size

    def added(self, place: int, tile: Tile) -> None:
        """What else is to be done with a new tile."""

    def refresh(self) -> None:
        """Before each batch."""
        self.fill(self._fresh)


class FinderPool(_Pool):
    """What the finder learns from."""

    def __init__(self, source: Source, size: int, fresh: int, seed: int) -> None:
        super().__init__(source, size, fresh, seed)
        self._images = np.empty((size, 3, SMALL, SMALL), np.uint8)
        self._wanted = np.empty((size, 7, CELLS, CELLS), np.float32)

    def added(self, place: int, tile: Tile) -> None:
        self._images[place] = shrunk(tile).transpose(2, 0, 1)
        self._wanted[place] = cells_of(tile.dice)
        self.tiles[place] = Tile(tile.image[:1, :1], (), 0.0)  # not needed again

    def batch(self, size: int) -> tuple[Any, Any]:
        """Images (size, 3, SMALL, SMALL), 0-1, and what to say of them."""
        self.refresh()
        pick = self.rng.integers(0, len(self.tiles), size)
        images = torch.from_numpy(self._images[pick]).float() / 255
        return turn(images, torch.from_numpy(self._wanted[pick]), 2, None, int(self.rng.integers(8)))


def shrunk(tile: Tile) -> Image:
    """A tile as the finder sees it, uint8 (SMALL, SMALL, 3)."""
    return smaller(tile.image, (SMALL, SMALL))


class ReaderPool(_Pool):
    """What the reader learns from: dice, and what the finder takes for dice."""

    def __init__(self, source: Source, size: int, fresh: int, seed: int, finder: Any) -> None:
        super().__init__(source, size, fresh, seed)
        self._finder = finder
        self._seen: list[list[Box]] = []

    def added(self, place: int, tile: Tile) -> None:
        with torch.no_grad():
            image = torch.from_numpy(shrunk(tile).transpose(2, 0, 1)[None].copy()).float() / 255
            cells = self._finder(image)[0].float().numpy()
        boxes = [box for box, _ in peaks(cells, 0.02)]
        if place < len(self._seen):
            self._seen[place] = boxes
        else:
            self._seen.append(boxes)

    def batch(self, size: int) -> tuple[Any, Any]:
        """Images (size, 3, PATCH, PATCH), 0-1, and what to say of them."""
        self.refresh()
        images = np.empty((size, 3, PATCH, PATCH), np.uint8)
        wanted = np.empty((size, _WANTED), np.float32)
        for k in range(size):
            tile, box = self._place()
            images[k] = cut(tile.image, box).transpose(2, 0, 1)
            wanted[k] = reading_of(tile.dice, box)
        way = int(self.rng.choice(_ROTATIONS))  # mirrored numerals are none
        return turn(torch.from_numpy(images).float() / 255, torch.from_numpy(wanted), 6, 10, way)

    def _place(self) -> tuple[Tile, Box]:
        """A tile and a place in it: a die, a cube, what the finder takes for one, or anything."""
        rng = self.rng
        kind = rng.choice(4, p=(0.34, 0.22, 0.39, 0.05))
        for _ in range(12):
            which = int(rng.integers(len(self.tiles)))
            tile, boxes = self.tiles[which], self._seen[which]
            if kind < 2:
                boxes = [die.box for die in tile.dice if die.cube == (kind == 1)]
            if kind == 3:
                break
            if boxes:
                return tile, self._about(boxes[int(rng.integers(len(boxes)))])
        x, y = rng.uniform(10, TILE - 10, 2)
        side = 1.3 * float(np.exp(rng.uniform(np.log(14), np.log(60))))
        return tile, self._about((x - side / 2, y - side / 2, x + side / 2, y + side / 2))

    def _about(self, box: Box) -> Box:
        """A box nearly that of a thing, as the finder may put it."""
        rng = self.rng
        wild = rng.random() < 0.15
        edge = max(6.0, box_edge(box)) * float(np.exp(rng.normal(0, 0.35 if wild else 0.09)))
        x, y = rng.normal(0, 0.3 if wild else 0.06, 2) * edge + [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
        half = 0.65 * edge
        return (float(x - half), float(y - half), float(x + half), float(y + half))


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is drawn: ``pool`` tiles at a time, ``fresh`` new ones a batch, ``tables`` to cut from."""

    pool: int = 5000
    fresh: int = 2
    first: int = 1000
    tables: int = 160

    @classmethod
    def short(cls) -> Plan:
        """A minute's try."""
        return cls(pool=400, fresh=2, first=300, tables=20)


def train_finder(
    net: nn.Module, budget: Budget, seed: int, plan: Plan, traced: Path | None, top: float = TOP_RATE
) -> nn.Module:
    """Train a finder and give it in evaluation mode."""
    torch.manual_seed(seed)
    net = net.to(memory_format=torch.channels_last)
    pool = FinderPool(Source(seed, plan.tables, traced), plan.pool, plan.fresh, seed)
    pool.fill(plan.first)

    def loss() -> tuple[Any, dict[str, float]]:
        images, wanted = pool.batch(48)
        return finder_loss(net(images.contiguous(memory_format=torch.channels_last)).float(), wanted)

    return fit(net, budget, loss, top=top)


def train_reader(
    net: nn.Module,
    finder: nn.Module,
    budget: Budget,
    seed: int,
    plan: Plan,
    traced: Path | None,
    top: float = TOP_RATE,
) -> nn.Module:
    """Train a reader on what ``finder`` finds and give it in evaluation mode."""
    torch.manual_seed(seed)
    net = net.to(memory_format=torch.channels_last)
    pool = ReaderPool(Source(seed, plan.tables, traced), plan.pool, plan.fresh, seed, finder)
    pool.fill(plan.first)

    def loss() -> tuple[Any, dict[str, float]]:
        images, wanted = pool.batch(64)
        return reader_loss(net(images.contiguous(memory_format=torch.channels_last)).float(), wanted)

    return fit(net, budget, loss, top=top)


_GROUPS = (
    ("all", lambda tile, die: True),
    ("edge under 20 px", lambda tile, die: die.edge < 20),
    ("edge 20-32 px", lambda tile, die: 20 <= die.edge <= 32),
    ("edge over 32 px", lambda tile, die: die.edge > 32),
    ("blur over 1 px", lambda tile, die: tile.blur > 1),
    ("seen at under 20 degrees, flat", lambda tile, die: _slope(die) < 20 and die.tilt_degrees < 1),
    ("seen at over 30 degrees, flat", lambda tile, die: _slope(die) > 30 and die.tilt_degrees < 1),
    ("cocked", lambda tile, die: die.tilt_degrees > 5),
)


def _slope(die: DieTruth) -> float:
    return float(np.degrees(np.arcsin(min(1.0, np.hypot(*die.up)))))


def measure(finder: nn.Module, reader: nn.Module, tiles: Sequence[Tile]) -> str:
    """Errors on drawn tiles, by condition, as a Markdown table and a line on false dice."""
    counts = {name: [0, 0, 0, 0.0] for name, _ in _GROUPS}
    cubes, false = [0, 0, 0], 0
    for tile in tiles:
        seen = read_tile(finder, reader, tile)
        for die in tile.dice:
            near = [s for s in seen if np.hypot(*(np.array(s[0]) - die.centre)) < 0.5 * box_edge(die.box)]
            seen = [s for s in seen if s not in near]
            if die.covered > 0.25 or not die.readable:
                continue
            if die.cube:
                cubes[0] += 1
                cubes[1] += bool(near) and near[0][1] == 2
                cubes[2] += bool(near) and near[0][1:3] == (2, die.value)
                continue
            for name, belongs in _GROUPS:
                if belongs(tile, die):
                    counts[name][0] += 1
                    counts[name][1] += bool(near)
                    counts[name][2] += bool(near) and near[0][1:3] == (1, die.value)
                    counts[name][3] += _lean(near[0][3], die.up) if near else 0.0
        false += sum(s[1] == 1 for s in seen)
    lines = [
        "| drawn dice, held out | number | found | found and read right | slope off by |",
        "|---|---|---|---|---|",
    ]
    for name, (total, found, right, lean) in counts.items():
        share = [f"{100 * n / max(1, total):.1f}%" for n in (found, right)]
        lines.append(f"| {name} | {total} | {share[0]} | {share[1]} | {lean / max(1, found):.1f}° |")
    return "\n".join(
        [
            *lines,
            "",
            f"False dice: {false} on {len(tiles)} tiles of {TILE}x{TILE} pixels. Doubling cubes: {cubes[1]} "
            f"of {cubes[0]} found as such, {cubes[2]} read right.",
        ]
    )


def read_tile(
    finder: nn.Module, reader: nn.Module, tile: Tile
) -> list[tuple[tuple[float, float], int, int, tuple[float, float]]]:
    """Dice and cubes of a tile as (middle, class, value, up), the surest first."""
    with torch.no_grad():
        image = torch.from_numpy(shrunk(tile).transpose(2, 0, 1)[None].copy()).float() / 255
        boxes = [box for box, _ in peaks(finder(image)[0].numpy(), 0.1)]
        if not boxes:
            return []
        patches = np.stack([cut(tile.image, box).transpose(2, 0, 1) for box in boxes])
        seen = reader(torch.from_numpy(patches).float() / 255).numpy()
    found: list[tuple[float, tuple[tuple[float, float], int, int, tuple[float, float]]]] = []
    for box, one in zip(boxes, seen, strict=True):
        share = np.exp(one[:3] - one[:3].max())
        share /= share.sum()
        kind = int(share.argmax())
        if kind:
            value = int(one[3:9].argmax() if kind == 1 else one[9:15].argmax()) + 1
            middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            found.append((float(share[kind]), (middle, kind, value, (float(one[19]), float(one[20])))))
    return [what for _, what in sorted(found, key=lambda item: -item[0])]


def _lean(seen: tuple[float, float], true: tuple[float, float]) -> float:
    """Degrees between two upper faces' normals."""
    both = []
    for x, y in (seen, true):
        normal = np.array([x, y, np.sqrt(max(0.0, 1 - x * x - y * y))])
        both.append(normal / np.linalg.norm(normal))
    return float(np.degrees(np.arccos(np.clip(both[0] @ both[1], -1, 1))))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Train the dice networks on drawn pictures.")
    parser.add_argument("which", choices=("finder", "reader", "both"))
    parser.add_argument(
        "--into",
        type=Path,
        required=True,
        help="folder for the ONNX files and weights; the reader needs its finder there",
    )
    parser.add_argument("--minutes", type=float, default=20.0, help="how long to train each (default 20)")
    parser.add_argument("--steps", type=int, help="train this many steps instead, repeatably")
    parser.add_argument("--traced", type=Path, help="tiles of models.training.close to learn from as well")
    parser.add_argument(
        "--start", type=Path, help="weights (.pt, .onnx) of the one network to go on from, at half the rate"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--short", action="store_true", help="a minute's try: 100 steps, a small test")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    budget = Budget(100 if args.short else args.steps, args.minutes)
    plan = Plan.short() if args.short else Plan()
    args.into.mkdir(parents=True, exist_ok=True)
    kept = args.into / "dice_finder.pt"
    top = TOP_RATE
    if args.start:
        if args.which == "both":
            parser.error("--start takes the weights of one network")
        top /= 2
    finder: nn.Module = Finder()
    if args.which == "reader":
        known = kept if kept.exists() else kept.with_name("dice.onnx")
        if not known.exists():
            parser.error(f"a reader needs its finder: there is neither {kept} nor {known}")
        begin(finder, known)
        finder.eval()
    else:
        begin(finder, args.start)
        finder = train_finder(finder, budget, args.seed, plan, args.traced, top)
        torch.save(finder.state_dict(), kept)
        example = torch.zeros(2, 3, SMALL, SMALL)
        export(
            copy.deepcopy(finder),
            example,
            args.into / "dice.onnx",
            ("cells",),
            batch="tiles",
            step=CELL,
        )
    if args.which == "finder":
        return
    reader: nn.Module = Reader()
    begin(reader, args.start if args.which == "reader" else None)
    reader = train_reader(reader, finder, budget, args.seed, plan, args.traced, top)
    torch.save(reader.state_dict(), args.into / "dice_reader.pt")
    example = torch.zeros(2, 3, PATCH, PATCH)
    export(copy.deepcopy(reader), example, args.into / "dice_reader.onnx", ("reading",), batch="patches")
    held_out = Scenes(args.seed + 1000, backgrounds=20 if args.short else 80)
    print(measure(finder, reader, [held_out.tile() for _ in range(100 if args.short else 2000)]))


if __name__ == "__main__":
    main()
