"""Train the network that sees hands and cups in a picture.

    python -m models.training.train_scene --views FOLDER --start board.pt --out models/scene.onnx

The picture is squashed to 256x192. For each cell of 8x8 pixels the network says whether a hand (with its arm)
and whether a cup is there. It is built as the board network and starts from its weights, which know boards
and what lies about them: from nothing, hands and cups take several times as long to learn. It is a network
of its own all the same: in one with the places of the field, either those or the hands and cups were learnt
badly.
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

from models.training.nets import Budget, arguments, begin, export, prepare
from models.training.train_board import CELL, Board, colours, learn, warp_small, whole_or_part
from models.training.views import COVERS, View

WIDTH, HEIGHT = 256, 192
THINGS = ("hand", "cup")  #: the network's channels
_COLUMNS, _ROWS = WIDTH // CELL, HEIGHT // CELL
_SHARE = 0.3  #: of a cell that shows a thing for the cell to count: a fingertip does
_LEAST = 0.002  #: share of a view that a thing covers for the view to be one with it
_WITH = 0.6  #: share of pictures drawn from views with a hand or a cup

Array = NDArray[np.float32]
Image = NDArray[np.uint8]

RATE = 1.5e-3  #: the highest learning rate; it begins with weights


def loss(cells: Any, wanted: Any) -> tuple[Any, dict[str, float]]:
    """Cross entropy, weighed by how wrong a cell is, for each thing by the number of its cells."""
    cells = cells.float()
    plain = functional.binary_cross_entropy_with_logits(cells, wanted, reduction="none")
    chance = torch.sigmoid(cells)
    wrong = (chance - wanted).abs().detach()
    # By itself each: a hand with its arm covers many more cells than a cup.
    each = (plain * wrong).sum((0, 2, 3)) / (wanted.sum((0, 2, 3)) + 25)
    parts = {}
    for channel, name in enumerate(THINGS):
        there = wanted[:, channel].amax((1, 2)) > 0
        parts[name] = each[channel].item()
        # Of pictures, by the two surest cells.
        said = chance[:, channel].flatten(1).topk(2).values[:, 1] > 0.5
        parts[f"{name} right"] = (said == there).float().mean().item()
    return each.sum(), parts


class Source:
    """Squashed pictures with targets, drawn from a folder of views, each time seen otherwise."""

    def __init__(self, folder: Path, seed: int, *, keep: slice = slice(None)) -> None:
        self.files = sorted(folder.glob("*.json"))[keep]
        self.rng = np.random.default_rng(seed)
        shows = [
            [(_covers(path) == COVERS.index(name)).mean() > _LEAST for name in THINGS] for path in self.files
        ]
        self.busy = [path for path, shown in zip(self.files, shows, strict=True) if any(shown)]

    def sample(self) -> tuple[Image, Array]:
        """One picture, uint8 (3, 192, 256), and its targets, float32 (2, 24, 32)."""
        rng = self.rng
        files = self.busy if self.busy and rng.random() < _WITH else self.files
        path = files[int(rng.integers(len(files)))]
        view = View.read(path)
        image = cv2.imread(str(path.with_suffix(".jpg")))
        assert image is not None
        covers = _covers(path)
        matrix = whole_or_part(view, rng, (WIDTH, HEIGHT))
        squashed = warp_small(image, matrix, rng, (WIDTH, HEIGHT))
        scale = np.diag([view.size[0] / covers.shape[1], view.size[1] / covers.shape[0], 1.0])
        seen = cv2.warpPerspective(covers, matrix @ scale, (WIDTH, HEIGHT), flags=cv2.INTER_NEAREST)
        for axis in (0, 1):
            if rng.random() < 0.5:
                squashed, seen = np.flip(squashed, axis), np.flip(seen, axis)
        there = [(seen == COVERS.index(name)).astype(np.float32) for name in THINGS]
        wanted = [cv2.resize(one, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA) for one in there]
        picture = np.ascontiguousarray(colours(np.asarray(squashed, np.uint8), rng).transpose(2, 0, 1))
        return picture, (np.stack(wanted) > _SHARE).astype(np.float32)


def _covers(path: Path) -> Image:
    covers = cv2.imread(str(path.with_suffix(".png")), cv2.IMREAD_UNCHANGED)
    assert covers is not None
    return np.asarray(covers, np.uint8)


def train(
    folder: Path, budget: Budget, seed: int, start: Path | None, *, batch: int = 24, top: float = RATE
) -> nn.Module:
    """A network trained on all views of a folder but the last two hundred.

    ``start``: weights of the board network to begin with.
    """
    device = prepare(seed)
    net = Board(len(THINGS))
    begin(net, start)
    source = Source(folder, seed, keep=slice(None, -200))
    return learn(net, source.sample, loss, budget, device=device, batch=batch, top=top)


def main() -> None:
    """The command line."""
    args = arguments("Train the scene network on drawn views.", RATE)
    net = train(args.views, Budget(args.steps, args.minutes), args.seed, args.start, top=args.rate)
    torch.save(net.state_dict(), args.out.with_suffix(".pt"))
    export(net, torch.zeros(2, 3, HEIGHT, WIDTH), args.out, ("cells",), batch="pictures")


if __name__ == "__main__":
    main()
