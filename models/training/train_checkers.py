"""Train the network that reads the checkers on a canvas.

    python -m models.training.train_checkers --views FOLDER --out models/checkers.onnx --minutes 60

The canvas (:mod:`vision.canvas`) shows the field with every slot at a fixed place. The network gives two
answers: for each cell of 4x4 pixels, whether the middle of a light or a dark checker's face lies there and
how large it is; and for each of the 24 slots and the bar a distribution over what stands there. Which of two
colours is the light one depends on the whole board, so every cell is told the mean of all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from models.training.nets import (
    RATE,
    Budget,
    Context,
    Conv,
    Residual,
    arguments,
    begin,
    export,
    fit,
    prepare,
    stage,
)
from models.training.train_board import colours
from models.training.views import View
from vision import canvas
from vision.checkers import paint_beside, views_beside
from vision.geometry import FieldMap

CELL = 4
ROWS, COLUMNS = canvas.HEIGHT // CELL, canvas.WIDTH // CELL
MOST = 15
COUNTS = 2 * MOST + 1  #: of a slot: -15 (dark) ... 15 (light)
BAR_MOST = 7
#: Checkers of each colour on the bar: 0 to 7, twice.
BAR_COUNTS = 2 * (BAR_MOST + 1)
_HIGH = 6  #: checkers of a slot from which they stand in layers and are hard to count
_HIGH_SHARE = 0.45  #: of canvases from views with so many on a slot
_BESIDE_SHARE = 0.15  #: of canvases that show what lies beside the field, and no slots
_UNKNOWN = -100  #: a number of checkers that is not to be learnt
#: Of every cell: a light face's middle, a dark one's, the radius (units of 12 pixels).
CHANNELS = 3

Array = NDArray[np.float32]
Image = NDArray[np.uint8]


class Checkers(nn.Module):
    """Down to 1/8 with the context of the whole board, up to 1/4 for the middles; slots are read at 1/8."""

    def __init__(self) -> None:
        super().__init__()
        self.quarter = nn.Sequential(stage(3, 20, 0), stage(20, 32, 1))
        self.eighth = nn.Sequential(stage(32, 64, 1), Context(64))
        self.sixteenth = nn.Sequential(stage(64, 96, 2), Context(96), Residual(96))
        self.rise = Conv(96, 64, 1)
        self.join = nn.Sequential(Conv(128, 64, 1), Residual(64))
        self.rise_again = Conv(64, 32, 1)
        self.middles = nn.Sequential(Conv(64, 32, 1), Conv(32, 32), nn.Conv2d(32, CHANNELS, 1))
        # A slot is 3 cells wide and, with the margin, 18 deep; the three are first folded into one.
        self.fold = Conv(64 * 3, 96, 1)
        self.along = nn.Sequential(
            nn.Conv1d(96, 96, 3, 1, 1), nn.ReLU(), nn.Conv1d(96, 64, 3, 1, 1), nn.ReLU()
        )
        self.slot = nn.Sequential(nn.Linear(64 * 18, 128), nn.ReLU(), nn.Linear(128, COUNTS))
        self.on_bar = nn.Sequential(nn.Linear(64 * 36, 96), nn.ReLU(), nn.Linear(96, BAR_COUNTS))

    def forward(self, image: Any) -> tuple[Any, Any, Any]:
        quarter = self.quarter(image * 2 - 1)
        eighth = self.eighth(quarter)
        up = functional.interpolate(self.rise(self.sixteenth(eighth)), size=(ROWS // 2, COLUMNS // 2))
        eighth = self.join(torch.cat([eighth, up], 1))
        up = functional.interpolate(self.rise_again(eighth), size=(ROWS, COLUMNS))
        cells = self.middles(torch.cat([quarter, up], 1))
        # Columns of the canvas, without its margins: (n, 64, 36, 39) -> (n, 192, 36, 13).
        aside = canvas.ASIDE / 8
        columns = _columns(eighth, aside)
        folded = self.fold(columns)
        n = folded.shape[0]
        top, bottom = folded[:, :, :18], folded[:, :, 18:].flip(2)
        rows = torch.stack([top, bottom], 2)  # (n, 96, 2, 18, 13)
        points = torch.cat([rows[..., :6], rows[..., 7:]], -1)  # (n, 96, 2, 18, 12)
        strips = points.permute(0, 2, 4, 1, 3).reshape(n * 24, 96, 18)
        slots = self.slot(self.along(strips).flatten(1)).reshape(n, 24, COUNTS)
        on_bar = self.on_bar(self.along(folded[..., 6]).flatten(1))
        return cells, slots, on_bar


def _columns(features: Any, aside: float) -> Any:
    """Features at 1/8 with the three cells of a column side by side in the channels.

    The margin is one and a half cells: the columns' cells are the means of two neighbours.
    """
    assert aside == 1.5
    shifted = (features[..., 1:-2] + features[..., 2:-1]) / 2  # 39 cells
    n, width, rows, _ = shifted.shape
    return shifted.reshape(n, width, rows, 13, 3).permute(0, 1, 4, 2, 3).reshape(n, 3 * width, rows, 13)


class Checked(nn.Module):
    """The network as it is exported: one row of numbers for slots and bar beside the cells."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, image: Any) -> tuple[Any, Any, Any]:
        cells, slots, on_bar = self.net(image)
        return cells, torch.softmax(slots, -1), torch.softmax(on_bar.reshape(-1, 2, BAR_MOST + 1), -1)


def middles(view: View, field: FieldMap) -> Array:
    """What the cells shall say, (5, ROWS, COLUMNS): light, dark, radius, its weight, where to look."""
    out = np.zeros((5, ROWS, COLUMNS), np.float32)
    out[4] = 1
    x, y = np.meshgrid(np.arange(COLUMNS) * CELL + CELL / 2, np.arange(ROWS) * CELL + CELL / 2)
    if not view.checkers:
        return out
    places = np.array([(c.x, c.y) for c in view.checkers])
    aside = np.array([(c.x + c.radius, c.y) for c in view.checkers])
    down = np.array([(c.x, c.y + c.radius) for c in view.checkers])
    spots = canvas.to_canvas(field.to_board(places), field.bar)
    spans = [
        np.linalg.norm(canvas.to_canvas(field.to_board(p), field.bar) - spots, axis=1) for p in (aside, down)
    ]
    for checker, (cx, cy), radius in zip(view.checkers, spots, (spans[0] + spans[1]) / 2, strict=True):
        away = np.hypot(x - cx, y - cy)
        if checker.seen < 0.25:
            out[4][away < radius] = 0
            continue
        heat = np.exp(-0.5 * (np.maximum(0, away - CELL / 2) / (0.18 * radius)) ** 2)
        mine = heat > 0.3
        out[checker.side] = np.maximum(out[checker.side], heat)
        out[2][mine], out[3][mine] = radius / 12, 1
    return out


def loss(answer: tuple[Any, Any, Any], wanted: tuple[Any, Any, Any]) -> tuple[Any, dict[str, float]]:
    """Over a batch: middles (weighed by how wrong they are), radii, slots and the bar by cross entropy."""
    cells, slots, on_bar = (part.float() for part in answer)
    faces, counts, bars = wanted
    look = faces[:, 4]
    heat = faces[:, :2]
    guess = torch.sigmoid(cells[:, :2])
    plain = functional.binary_cross_entropy_with_logits(cells[:, :2], heat, reduction="none")
    total = faces[:, 3].sum().clamp(min=1)
    found = ((guess - heat).abs().detach() * plain * look[:, None]).sum() / total
    sized = ((cells[:, 2] - faces[:, 2]).abs() * faces[:, 3]).sum() / total
    # Neighbouring counts are nearly right: a little of the target goes to them.
    slot = functional.cross_entropy(slots.flatten(0, 1), counts.flatten(), label_smoothing=0.005)
    bar = functional.cross_entropy(on_bar.reshape(-1, BAR_MOST + 1), bars.flatten())
    right = (slots.argmax(-1) == counts).float()
    empty, taken = counts == MOST, (counts != MOST) & (counts != _UNKNOWN)
    parts = {
        "faces": found.item(),
        "slot": slot.item(),
        "bar": bar.item(),
        "empty right": right[empty].mean().item() if bool(empty.any()) else 1.0,
        "occupied right": right[taken].mean().item() if bool(taken.any()) else 1.0,
    }
    return 0.5 * found + 0.3 * sized + 4 * slot + bar, parts


class Source:
    """Canvases with their truth, drawn from a folder of views with the corners a little off."""

    def __init__(self, folder: Path, seed: int, *, keep: slice = slice(None)) -> None:
        self.views = [(path, View.read(path)) for path in sorted(folder.glob("*.json"))[keep]]
        self.high = [pair for pair in self.views if max(abs(count) for count in pair[1].slots) >= _HIGH]
        self.rng = np.random.default_rng(seed)

    def sample(self) -> tuple[Image, Array, NDArray[np.int64], NDArray[np.int64]]:
        """A canvas, uint8 (3, HEIGHT, WIDTH), and its truth."""
        rng = self.rng
        views = self.high if self.high and rng.random() < _HIGH_SHARE else self.views
        path, view = views[int(rng.integers(len(views)))]
        image = cv2.imread(str(path.with_suffix(".jpg")))
        assert image is not None
        field = jittered(view, rng)
        slots = np.array(view.slots) + MOST
        on_bar = np.minimum(np.array(view.on_bar), BAR_MOST)
        if rng.random() < _BESIDE_SHARE:
            shifted = views_beside(field, float(rng.uniform(0.2, 0.45)))
            picture = paint_beside(np.asarray(image, np.uint8), shifted)
            left, right = (middles(view, part) for part in shifted)
            faces = np.concatenate([left[..., : COLUMNS // 2], right[..., COLUMNS // 2 :]], axis=2)
            slots, on_bar = np.full_like(slots, _UNKNOWN), np.full_like(on_bar, _UNKNOWN)
        else:
            picture, faces = canvas.paint(np.asarray(image, np.uint8), field), middles(view, field)
        return self.turned(colours(picture, rng), faces, slots, on_bar)

    def turned(
        self, picture: Image, faces: Array, slots: NDArray[np.int64], on_bar: NDArray[np.int64]
    ) -> tuple[Image, Array, NDArray[np.int64], NDArray[np.int64]]:
        """The canvas mirrored in one of four ways; slots follow."""
        slots = slots.reshape(2, 12)
        way = int(self.rng.integers(4))
        if way & 1:
            picture, faces, slots = picture[:, ::-1], faces[:, :, ::-1], slots[:, ::-1]
        if way & 2:
            picture, faces, slots = picture[::-1], faces[:, ::-1], slots[::-1]
        image = np.ascontiguousarray(picture.transpose(2, 0, 1))
        return (
            image,
            np.ascontiguousarray(faces),
            slots.reshape(24).astype(np.int64),
            on_bar.astype(np.int64),
        )


def jittered(view: View, rng: np.random.Generator) -> FieldMap:
    """The field of a view as a search might find it: corners and bar off by a little, seldom by more."""
    corners = np.array(view.corners)
    width = float(np.linalg.norm(corners[1] - corners[0] + corners[2] - corners[3])) / 2
    spread = 0.004 if rng.random() < 0.5 else 0.011
    corners = corners + width * (rng.normal(0, spread, (4, 2)) + rng.normal(0, spread / 2, (1, 2)))
    left, right = view.bar + rng.normal(0, spread / 3, 2)
    middle = (left + right) / 2
    if right - left < 0.002:
        left, right = middle - 0.001, middle + 0.001
    return FieldMap(corners, (float(left), float(right)))


def train(
    folder: Path, budget: Budget, seed: int, start: Path | None, *, batch: int = 24, top: float = RATE
) -> nn.Module:
    """A network trained on all views of a folder but the last two hundred, from weights if there are any."""
    device = prepare(seed)
    net = Checkers()
    begin(net, start)
    net = net.to(device, memory_format=torch.channels_last)
    source = Source(folder, seed, keep=slice(None, -200))

    def one() -> tuple[Any, dict[str, float]]:
        samples = [source.sample() for _ in range(batch)]
        images, *wanted = (torch.from_numpy(np.stack(part)).to(device) for part in zip(*samples, strict=True))
        answer = net((images.float() / 255).contiguous(memory_format=torch.channels_last))
        return loss(answer, (wanted[0], wanted[1], wanted[2]))

    return fit(net, budget, one, top=top, device=device)


def main() -> None:
    """The command line."""
    args = arguments("Train the checkers network on drawn views.")
    net = train(args.views, Budget(args.steps, args.minutes), args.seed, args.start, top=args.rate)
    torch.save(net.state_dict(), args.out.with_suffix(".pt"))
    example = torch.zeros(2, 3, canvas.HEIGHT, canvas.WIDTH)
    export(Checked(net), example, args.out, ("cells", "slots", "bar"), batch="canvases")


if __name__ == "__main__":
    main()
