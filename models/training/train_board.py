"""Train the network that finds the field in a picture.

    python -m models.training.train_board --views FOLDER --out models/board.onnx --minutes 60

The picture is squashed to 320x240. For each cell of 8x8 pixels the network says whether the field is
there and where in the field the cell lies (in board units, with the scale of the error it expects). A
homography through many such cells is far surer than four corners, and does not mind that some of them are
covered or outside of the picture.

Which of the two ends of a board is up cannot be seen. The one is taken whose columns point between 45 degrees
to the left and 135 degrees to the right of up, so that boards turned by a quarter have an answer too.
"""

from __future__ import annotations

from collections.abc import Callable
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
from models.training.views import View

WIDTH, HEIGHT, CELL = 320, 240, 8
CHANNELS = 4  #: field, u, v, log of the error's scale
ROWS, COLUMNS = HEIGHT // CELL, WIDTH // CELL
_TARGETS = 4  #: field, u, v, their weight

Array = NDArray[np.float32]
Image = NDArray[np.uint8]


class Board(nn.Module):
    """An hourglass: down to 1/32, where the whole board is seen at once, and up to 1/8.

    ``channels``: numbers to say of each cell.
    """

    def __init__(self, channels: int = CHANNELS) -> None:
        super().__init__()
        self.stem = nn.Sequential(stage(3, 16, 0), stage(16, 32, 1))
        self.eighth = stage(32, 48, 2)
        self.sixteenth = stage(48, 96, 2)
        self.least = nn.Sequential(stage(96, 128, 1), Context(128), Residual(128, 2))
        self.rise = Conv(128, 96, 1)
        self.join = nn.Sequential(Conv(192, 96, 1), Residual(96))
        self.rise_again = Conv(96, 64, 1)
        self.join_again = nn.Sequential(Conv(112, 64, 1), Residual(64))
        self.say = nn.Conv2d(64, channels, 1)

    def forward(self, image: Any) -> Any:
        eighth = self.eighth(self.stem(image * 2 - 1))
        sixteenth = self.sixteenth(eighth)
        up = functional.interpolate(self.rise(self.least(sixteenth)), size=sixteenth.shape[2:])
        sixteenth = self.join(torch.cat([sixteenth, up], 1))
        up = functional.interpolate(self.rise_again(sixteenth), size=eighth.shape[2:])
        return self.say(self.join_again(torch.cat([eighth, up], 1)))


def upright(corners: Array) -> Array:
    """The corners (4, 2) named from the end that is taken as the upper one."""
    up = corners[0] + corners[1] - corners[2] - corners[3]
    right_of_up = np.degrees(np.arctan2(up[0], -up[1]))
    return corners if -45 <= right_of_up < 135 else np.roll(corners, 2, axis=0)


def targets(corners: Array) -> Array:
    """What the network shall say, float32 of shape (4, rows, columns).

    ``corners``: of the field, (4, 2) pixels of the squashed picture.
    """
    out = np.zeros((_TARGETS, ROWS, COLUMNS), np.float32)
    named = upright(corners)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_board = cv2.getPerspectiveTransform(named.astype(np.float32), unit)
    x, y = np.meshgrid(np.arange(COLUMNS) * CELL + CELL / 2, np.arange(ROWS) * CELL + CELL / 2)
    lifted = np.stack([x, y, np.ones_like(x)]).reshape(3, -1)
    u, v, w = (to_board @ lifted).reshape(3, ROWS, COLUMNS)
    ahead = w * w[ROWS // 2, COLUMNS // 2] > 1e-9
    u, v = np.where(ahead, u / np.where(ahead, w, 1), 9), np.where(ahead, v / np.where(ahead, w, 1), 9)
    out[0] = (u > 0) & (u < 1) & (v > 0) & (v < 1)
    near = np.maximum(np.abs(u - 0.5), np.abs(v - 0.5))
    out[1], out[2] = np.clip(u, -0.3, 1.3), np.clip(v, -0.3, 1.3)
    out[3] = near < 0.56
    return out


def loss(cells: Any, wanted: Any) -> tuple[Any, dict[str, float]]:
    """Over a batch: the field by cross entropy, places by Laplace likelihood."""
    cells = cells.float()
    field = functional.binary_cross_entropy_with_logits(cells[:, 0], wanted[:, 0])
    weight = wanted[:, 3]
    total = weight.sum().clamp(min=1)
    off = (cells[:, 1:3] - wanted[:, 1:3]).abs().sum(1)
    scale = cells[:, 3].clamp(-6, 2)
    place = ((off * torch.exp(-scale) + 2 * scale) * weight).sum() / total
    parts = {"field": field.item(), "place": ((off * weight).sum() / total).item()}
    return 2 * field + 0.5 * place, parts


class Source:
    """Squashed pictures with targets, drawn from a folder of views, each time seen otherwise."""

    def __init__(self, folder: Path, seed: int, *, keep: slice = slice(None)) -> None:
        self.files = sorted(folder.glob("*.json"))[keep]
        self.rng = np.random.default_rng(seed)

    def sample(self) -> tuple[Image, Array]:
        """One picture, uint8 (3, 240, 320), and its targets."""
        rng = self.rng
        path = self.files[int(rng.integers(len(self.files)))]
        view = View.read(path)
        image = cv2.imread(str(path.with_suffix(".jpg")))
        assert image is not None
        matrix = self._look(view)
        squashed = warp_small(image, matrix, rng)
        corners = cv2.perspectiveTransform(np.array([view.corners], np.float32), matrix)[0]
        if rng.random() < 0.5:
            squashed = squashed[:, ::-1]
            corners = (corners * [-1, 1] + [WIDTH, 0])[[1, 0, 3, 2]]
        picture = np.ascontiguousarray(colours(squashed, rng).transpose(2, 0, 1))
        return picture, targets(corners.astype(np.float32))

    def _look(self, view: View) -> NDArray[np.float64]:
        """The way from the view's pixels to the network's: all of it, a part of it, or the field set
        straight.
        """
        rng = self.rng
        if rng.random() < 0.35:  # as the second pass sees it: nearly straight, with a margin
            margin = rng.uniform(0.06, 0.16)
            inside = np.array(
                [[margin, margin], [1 - margin, margin], [1 - margin, 1 - margin], [margin, 1 - margin]]
            )
            noise = rng.normal(0, 0.02, (4, 2)) + rng.normal(0, 0.015, (1, 2))
            into = ((inside + noise) * [WIDTH, HEIGHT]).astype(np.float32)
            field = np.array(view.corners, np.float32)
            return np.asarray(cv2.getPerspectiveTransform(upright(field), into), np.float64)
        return whole_or_part(view, rng)


def whole_or_part(
    view: View, rng: np.random.Generator, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> NDArray[np.float64]:
    """A way from the view's pixels to a network's of some ``size`` (width, height): squashed as it is, or
    turned, shifted and nearer.
    """
    width, height = view.size
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    net = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    if rng.random() < 0.54:
        middle = np.array([width, height]) / 2
        if rng.random() < 0.5:
            middle = middle + (np.array(view.corners).mean(0) - middle) * rng.uniform(0, 1)
        angle = np.radians(rng.normal(0, 8) if rng.random() < 0.7 else rng.uniform(-180, 180))
        zoom = np.exp(rng.uniform(-0.35, 0.35))
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        squash = np.array([np.exp(rng.normal(0, 0.1)), 1.0])
        whole = (whole - np.array([width, height]) / 2) * zoom * squash @ turn + middle
    return np.asarray(cv2.getPerspectiveTransform(whole.astype(np.float32), net), np.float64)


def warp_small(
    image: Any, matrix: NDArray[np.float64], rng: np.random.Generator, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> Image:
    """The picture under ``matrix`` at a network's ``size``, smoothed by drawing it twice as large."""
    border = (cv2.BORDER_REPLICATE, cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT)[int(rng.integers(3))]
    value = tuple(float(v) for v in rng.integers(0, 256, 3))
    twice = np.diag([2.0, 2.0, 1.0]) @ matrix
    large = cv2.warpPerspective(
        image, twice, (2 * size[0], 2 * size[1]), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=value
    )
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA), np.uint8)


def colours(image: Image, rng: np.random.Generator) -> Image:
    """Other light and another camera: gains by channel, contrast, gamma, less or more colour, noise, blur."""
    out: Array = image.astype(np.float32)
    if rng.random() < 0.2:
        out = out[:, :, rng.permutation(3)]
    if rng.random() < 0.8:
        gains = np.exp(rng.normal(0, 0.08, 3)) * np.exp(rng.normal(0, 0.15))
        out = out * gains.astype(np.float32) + np.float32(rng.normal(0, 8))
    if rng.random() < 0.3:
        grey = out.mean(2, keepdims=True)
        out = np.asarray(grey + (out - grey) * rng.uniform(0.1, 1.6), np.float32)
    if rng.random() < 0.3:
        out = np.asarray(255 * np.clip(out / 255, 0, 1) ** np.exp(rng.normal(0, 0.25)), np.float32)
    if rng.random() < 0.25:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.2)), np.float32)
    if rng.random() < 0.4:
        out = out + rng.normal(0, rng.uniform(1, 9), out.shape).astype(np.float32)
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def train(
    folder: Path, budget: Budget, seed: int, start: Path | None, *, batch: int = 24, top: float = RATE
) -> nn.Module:
    """A network trained on all views of a folder but the last two hundred, from weights if there are any."""
    device = prepare(seed)
    net = Board()
    begin(net, start)
    source = Source(folder, seed, keep=slice(None, -200))
    return learn(net, source.sample, loss, budget, device=device, batch=batch, top=top)


def learn(
    net: nn.Module,
    sample: Callable[[], tuple[Image, Array]],
    loss: Callable[[Any, Any], tuple[Any, dict[str, float]]],
    budget: Budget,
    *,
    device: str,
    batch: int,
    top: float,
) -> nn.Module:
    """Train ``net`` on pictures, uint8 (3, height, width), with targets, as ``sample`` draws them."""
    net = net.to(device, memory_format=torch.channels_last)

    def one() -> tuple[Any, dict[str, float]]:
        samples = [sample() for _ in range(batch)]
        images = torch.from_numpy(np.stack([s[0] for s in samples])).to(device).float() / 255
        wanted = torch.from_numpy(np.stack([s[1] for s in samples])).to(device)
        return loss(net(images.contiguous(memory_format=torch.channels_last)), wanted)

    return fit(net, budget, one, top=top, device=device)


def main() -> None:
    """The command line."""
    args = arguments("Train the board network on drawn views.")
    net = train(args.views, Budget(args.steps, args.minutes), args.seed, args.start, top=args.rate)
    torch.save(net.state_dict(), args.out.with_suffix(".pt"))
    export(net, torch.zeros(2, 3, HEIGHT, WIDTH), args.out, ("cells",), batch="pictures")


if __name__ == "__main__":
    main()
