"""Let a trained network calculate with 8-bit numbers, which is more than twice as fast.

    python -m models.training.quantise board --views FOLDER --into models
    python -m models.training.quantise dice --into models

Static quantisation (Jacob et al., 2018, *Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference*): the range of every feature map is taken from pictures that the network
learnt from. Weights have a scale for each channel and seven bits, since older processors add two products in
sixteen. The last convolutions stay as they are: a place in the field must be told finer than in 256 steps.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from models.training import train_board, train_checkers, train_scene
from models.training.dice import PATCH, cut, shrunk
from models.training.render import TILE, Scenes

#: How many convolutions at the end of a network stay as they are: places that are told too coarsely cost
#: slots.
PLAIN = {"board": 8, "checkers": 4, "scene": 4, "dice": 1, "dice_reader": 1}
#: Where the pictures of those come from that learn from views.
_SOURCES: dict[str, Any] = {
    "board": train_board.Source,
    "checkers": train_checkers.Source,
    "scene": train_scene.Source,
}
_VIEWS, _PICTURES = 250, 64  #: so many views, evenly chosen, are drawn from so many times
_TABLES, _TILES = 60, 256  #: so many tables are drawn to cut so many tiles with dice from


class _Pictures(CalibrationDataReader):
    """Pictures, uint8 (3, height, width), one after the other as a network takes them."""

    def __init__(self, pictures: Sequence[NDArray[np.uint8]]) -> None:
        self._left = iter(pictures)

    def get_next(self) -> dict[str, Any] | None:
        picture = next(self._left, None)
        return None if picture is None else {"image": picture[None].astype(np.float32) / 255}


def quantise(path: Path, pictures: Sequence[NDArray[np.uint8]], plain: int) -> None:
    """Rewrite the network at ``path`` so that all of its convolutions but the last ``plain`` have 8 bits.

    ``pictures``: uint8 (3, height, width) such as it will see. Raises ``ValueError`` if it has them already.
    """
    if any(node.op_type == "QuantizeLinear" for node in onnx.load(path).graph.node):
        raise ValueError(f"{path} has 8 bits already")
    with tempfile.TemporaryDirectory() as folder:
        simple, done = Path(folder) / "simple.onnx", Path(folder) / "done.onnx"
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(simple)  # weights as 32-bit floats again
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        nodes = onnx.load(simple).graph.node
        convolutions = [i for i, node in enumerate(nodes) if node.op_type == "Conv"]
        quantize_static(
            simple,
            done,
            _Pictures(pictures),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Add", "Relu"],
            nodes_to_exclude=[node.name for node in nodes[convolutions[-plain] :]],
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        model = onnx.load(done)
    model.producer_name, model.producer_version = "zarbiter", ""
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Let a trained network calculate with 8-bit numbers.")
    parser.add_argument("network", choices=PLAIN)
    parser.add_argument("--views", type=Path, help="folder of models.training.views, of which dice need none")
    parser.add_argument(
        "--into", type=Path, required=True, help="folder with the network, which is rewritten"
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.network in _SOURCES and args.views is None:
        parser.error(f"{args.network} needs --views")
    pictures = _drawn(args.network, args.views, args.seed)
    quantise(args.into / f"{args.network}.onnx", pictures, PLAIN[args.network])


def _drawn(network: str, views: Path, seed: int) -> list[NDArray[np.uint8]]:
    """Pictures such as the network learnt from."""
    if network not in _SOURCES:
        scenes, rng = Scenes(seed, _TABLES), np.random.default_rng(seed)
        tiles = [scenes.tile() for _ in range(_TILES)]
        if network == "dice":
            return [shrunk(tile).transpose(2, 0, 1) for tile in tiles]
        patches = []
        for tile in tiles:
            x, y = rng.uniform(0, TILE - PATCH, 2).tolist()
            boxes = [(x, y, x + PATCH, y + PATCH), *(die.box for die in tile.dice)]
            patches += [cut(tile.image, box).transpose(2, 0, 1) for box in boxes]
        return patches
    every = max(1, len(list(views.glob("*.json"))) // _VIEWS)
    source = _SOURCES[network](views, seed, keep=slice(None, None, every))
    return [source.sample()[0] for _ in range(_PICTURES)]


if __name__ == "__main__":
    main()
