"""Building blocks of the networks, how they learn, and how they are written as ONNX."""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import onnx
import torch
from torch import nn
from torch.nn.utils import fusion


class Conv(nn.Sequential):
    """A convolution without bias, batch norm and ReLU."""

    def __init__(self, inward: int, out: int, kernel: int = 3, stride: int = 1, dilation: int = 1) -> None:
        padding = dilation * (kernel - 1) // 2
        conv = nn.Conv2d(inward, out, kernel, stride, padding, dilation, bias=False)
        super().__init__(conv, nn.BatchNorm2d(out), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two convolutions beside a short cut (He et al., 2016, *Deep Residual Learning*)."""

    def __init__(self, width: int, dilation: int = 1) -> None:
        super().__init__()
        self.first = Conv(width, width, dilation=dilation)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Any) -> Any:
        return torch.relu(x + self.second(self.first(x)))


def stage(inward: int, out: int, blocks: int) -> nn.Sequential:
    """Half the size, ``out`` channels, then residual blocks. Even kernels keep cells centred."""
    down = nn.Sequential(
        nn.Conv2d(inward, out, 4, 2, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)
    )
    return nn.Sequential(down, *(Residual(out) for _ in range(blocks)))


class Context(nn.Module):
    """Adds to every cell what the whole picture says: its mean, through two layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.say = nn.Sequential(nn.Linear(width, width), nn.ReLU(inplace=True), nn.Linear(width, width))

    def forward(self, x: Any) -> Any:
        return x + self.say(x.mean((2, 3)))[:, :, None, None]


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


def prepare(seed: int) -> str:
    """Seed the training; the device to train on: a GPU where there is one, else one core."""
    torch.manual_seed(seed)
    cv2.setNumThreads(1)
    if torch.cuda.is_available():
        return "cuda"
    torch.set_num_threads(1)
    return "cpu"


def begin(net: nn.Module, start: Path | None) -> None:
    """Give ``net`` the weights of a file where they have its shapes; without one it stays as it is.

    ``start``: a ``.pt`` file, or an ``.onnx`` file that :func:`export` has written, with 8 bits or without. A
    last layer of other things to say keeps its own.
    """
    if start is None:
        return
    known = _exported(net, start) if start.suffix == ".onnx" else torch.load(start)
    own = net.state_dict()
    net.load_state_dict(
        {k: known[k] if k in known and known[k].shape == v.shape else v for k, v in own.items()}
    )


def _exported(net: nn.Module, path: Path) -> dict[str, Any]:
    """The weights of an exported network by their names in ``net``, whose batch norms are made ready.

    Batch norms have been folded into the convolutions. In their place come some that change nothing, and
    learn from the first batch what they then normalise by.
    """
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}
    known: dict[str, Any] = {}
    for name, values in stored.items():
        if name.endswith("_quantized"):
            plain = name.removesuffix("_quantized")
            scale = stored.get(f"{plain}_scale", stored.get(f"{name}_scale"))
            assert scale is not None  # the quantiser writes one beside every tensor
            values = values * scale.reshape(-1, *[1] * (values.ndim - 1))
            name = plain
        # An exported network may lie within another that gives its answer another form.
        name = name.removesuffix("_half").removeprefix("net.")
        known[name] = torch.tensor(values, dtype=torch.float32)
    for name, module in net.named_modules():
        if not isinstance(module, nn.Sequential):
            continue
        before = f"{name}." if name else ""
        for (place, first), (after, second) in itertools.pairwise(module.named_children()):
            if isinstance(first, nn.Conv2d) and isinstance(second, nn.BatchNorm2d):
                bias = known.pop(f"{before}{place}.bias")
                known[f"{before}{after}.bias"] = bias
                known[f"{before}{after}.weight"] = torch.ones_like(bias)
                known[f"{before}{after}.running_mean"] = torch.zeros_like(bias)
                known[f"{before}{after}.running_var"] = torch.ones_like(bias) - second.eps
                second.register_forward_pre_hook(_AsBefore())
    return known


class _AsBefore:
    """Before a batch norm's first batch: let it give what it is given, however it is going to normalise."""

    def __init__(self) -> None:
        self._done = False

    def __call__(self, norm: nn.Module, given: tuple[Any]) -> None:
        if self._done or not norm.training:
            return
        self._done = True
        assert isinstance(norm, nn.BatchNorm2d)
        with torch.no_grad():
            seen = given[0].float()
            mean, spread = seen.mean((0, 2, 3)), seen.var((0, 2, 3), unbiased=False)
            norm.weight.copy_((spread + norm.eps).sqrt())
            norm.bias.add_(mean)
            assert norm.running_mean is not None
            assert norm.running_var is not None
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)


RATE = 2e-3  #: the learning rate where it is highest, if nothing else is said


def arguments(description: str, rate: float = RATE) -> argparse.Namespace:
    """The command line of a network that learns from a folder of views."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--views", type=Path, required=True, help="folder of models.training.views")
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to write")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--steps", type=int, help="train this many steps instead, repeatably")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="weights (.pt, .onnx) to go on from")
    parser.add_argument(
        "--rate", type=float, default=rate, help=f"the highest learning rate (default {rate})"
    )
    return parser.parse_args()


def fit(
    net: nn.Module,
    budget: Budget,
    loss: Callable[[], tuple[Any, dict[str, float]]],
    *,
    top: float = RATE,
    keep: float = 0.998,
    device: str = "cpu",
) -> nn.Module:
    """Train ``net`` and give the running mean of its weights, in evaluation mode.

    ``loss`` draws a batch, runs the network on it and gives the loss and its parts. The rate rises over 200
    steps to ``top`` and falls along a cosine.
    """
    optimiser = torch.optim.AdamW(net.parameters(), lr=top, weight_decay=1e-2)
    mean = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(keep), use_buffers=True
    )
    net.train()
    said = time.monotonic()
    shown: dict[str, float] = {}
    for step, done in enumerate(budget.progress()):
        rate = top * min(1.0, (step + 1) / 200) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad(set_to_none=True)
        # bfloat16 is twice as fast where the machine has it, and learns no worse.
        with torch.autocast(device, dtype=torch.bfloat16):
            error, parts = loss()
        error.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        mean.update_parameters(net)
        for name, value in parts.items():
            shown[name] = value if name not in shown else 0.98 * shown[name] + 0.02 * value
        if time.monotonic() - said > 30:
            said = time.monotonic()
            text = "  ".join(f"{name} {value:.4f}" for name, value in shown.items())
            print(f"step {step}  {100 * done:.0f}%  {text}", flush=True)
    averaged: nn.Module = mean.module
    return averaged.eval()


def export(
    net: nn.Module, example: Any, path: Path, outputs: tuple[str, ...], *, batch: str, step: int = 0
) -> None:
    """Write a network as ONNX (opset 18), batch norms folded into the convolutions.

    Its input is called ``image``; the first axis of input and output, named ``batch``, may have any length.
    With ``step`` height and width may be any multiples of it.
    """
    free: dict[int, Any] = {0: torch.export.Dim(batch, min=1, max=64)}
    if step:
        free[2], free[3] = (step * torch.export.Dim(name, min=1, max=1024) for name in ("rows", "columns"))
    net = net.eval().cpu()
    for module in list(net.modules()):
        if isinstance(module, nn.Sequential):
            _fold(module)
    program = torch.onnx.export(
        net,
        (example,),
        input_names=["image"],
        output_names=list(outputs),
        opset_version=18,
        dynamic_shapes=(free,),
        dynamo=True,
        verbose=False,
    )
    model = program.model_proto
    model.producer_name, model.producer_version = "zarbiter", ""
    del model.metadata_props[:]
    for node in model.graph.node:  # where in the source a node was made is of no use to anybody
        del node.metadata_props[:]
        node.doc_string = ""
    _halve(model)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _fold(module: nn.Sequential) -> None:
    parts = list(module.children())
    for index, (first, second) in enumerate(itertools.pairwise(parts)):
        if isinstance(first, nn.Conv2d) and isinstance(second, nn.BatchNorm2d):
            module[index] = fusion.fuse_conv_bn_eval(first, second)
            module[index + 1] = nn.Identity()


def _halve(model: Any) -> None:
    """Keep the larger weights as 16-bit floats, cast back when the network is loaded: half the file."""
    casts = []
    for index, tensor in enumerate(model.graph.initializer):
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype != "float32" or values.size < 1000:
            continue
        name = tensor.name
        half = onnx.numpy_helper.from_array(values.astype("float16"), f"{name}_half")
        model.graph.initializer[index].CopyFrom(half)
        casts.append(onnx.helper.make_node("Cast", [half.name], [name], to=onnx.TensorProto.FLOAT))
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)
