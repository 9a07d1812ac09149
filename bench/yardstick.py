"""A network of the size of YOLO11n as an ONNX file: what the cost of a look is held against.

Its layers are those that detectors of that family have: strided 3x3 convolutions, split blocks with 3x3
bottlenecks, a pooling pyramid, a way up and down again over three scales and a head on each, SiLU after
every convolution; 2.6 million parameters and 6.5 billion operations at 640x640. Weights are random, which
for time is the same. The file is written byte by byte (onnx/onnx.proto3), so that measuring needs no
package that the program does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

SIDE = 640
CLASSES = 80


@dataclass(slots=True)
class Maps:
    """A tensor of feature maps in the graph."""

    name: str
    channels: int
    side: int


@dataclass(slots=True)
class Graph:
    """An ONNX graph that grows; ``parameters`` and ``operations`` (two a multiply and add) are counted."""

    seed: int = 1
    parameters: int = 0
    operations: int = 0
    _nodes: list[bytes] = field(default_factory=list)
    _weights: list[bytes] = field(default_factory=list)
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def conv(
        self, x: Maps, channels: int, kernel: int, stride: int = 1, *, act: bool = True, groups: int = 1
    ) -> Maps:
        """A convolution with SiLU (``x * sigmoid(x)``) after it."""
        shape = (channels, x.channels // groups, kernel, kernel)
        scale = (2 / (shape[1] * kernel * kernel)) ** 0.5
        weight = self._weight(self._rng.normal(0, scale, shape).astype(np.float32))
        bias = self._weight(np.zeros(channels, np.float32))
        side = -(-x.side // stride)
        self.parameters += int(np.prod(shape)) + channels
        self.operations += 2 * int(np.prod(shape)) * side * side
        pads = _ints("pads", [kernel // 2] * 4)
        size = [
            _ints("kernel_shape", [kernel] * 2),
            _ints("strides", [stride] * 2),
            _int("group", groups),
            pads,
        ]
        out = Maps(self._node("Conv", [x.name, weight, bias], size), channels, side)
        if not act:
            return out
        gate = self._node("Sigmoid", [out.name])
        return Maps(self._node("Mul", [out.name, gate]), channels, side)

    def add(self, a: Maps, b: Maps) -> Maps:
        """The sum of two tensors of one shape."""
        return Maps(self._node("Add", [a.name, b.name]), a.channels, a.side)

    def join(self, *parts: Maps) -> Maps:
        """Channels of several tensors one after the other."""
        name = self._node("Concat", [part.name for part in parts], [_int("axis", 1)])
        return Maps(name, sum(part.channels for part in parts), parts[0].side)

    def pool(self, x: Maps) -> Maps:
        """The largest of 5x5, at the same size."""
        size = [_ints("kernel_shape", [5, 5]), _ints("strides", [1, 1]), _ints("pads", [2] * 4)]
        return Maps(self._node("MaxPool", [x.name], size), x.channels, x.side)

    def twice(self, x: Maps) -> Maps:
        """Twice as large, by the nearest pixel."""
        scales = self._weight(np.array([1, 1, 2, 2], np.float32))
        mode = [_text("mode", "nearest"), _text("coordinate_transformation_mode", "asymmetric")]
        return Maps(self._node("Resize", [x.name, "", scales], mode), x.channels, 2 * x.side)

    def block(self, x: Maps, channels: int, inner: int, deep: bool) -> Maps:
        """Split in two, one half through bottlenecks, all joined again."""
        left, right = self.conv(x, inner, 1), self.conv(x, inner, 1)
        if deep:
            half = inner // 2
            path, aside = self.conv(right, half, 1), self.conv(right, half, 1)
            for _ in range(2):
                path = self.add(path, self.conv(self.conv(path, half, 3), half, 3))
            low = self.conv(self.join(path, aside), inner, 1)
        else:
            low = self.add(right, self.conv(self.conv(right, inner // 2, 3), inner, 3))
        return self.conv(self.join(left, right, low), channels, 1)

    def head(self, x: Maps) -> Maps:
        """Boxes by two 3x3 convolutions, classes by two separable ones."""
        boxes = self.conv(self.conv(self.conv(x, 64, 3), 64, 3), 64, 1, act=False)
        wide = max(x.channels, CLASSES) if x.channels < CLASSES else CLASSES
        kinds = x
        for _ in range(2):
            kinds = self.conv(self.conv(kinds, kinds.channels, 3, groups=kinds.channels), wide, 1)
        return self.join(boxes, self.conv(kinds, CLASSES, 1, act=False))

    def write(self, path: Path, outputs: Sequence[Maps]) -> None:
        """Write the graph with an input ``image`` of (1, 3, 640, 640)."""
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _bytes(2, b"yardstick")
        graph += b"".join(_bytes(5, weight) for weight in self._weights)
        graph += _bytes(11, _value("image", (1, 3, SIDE, SIDE)))
        for out in outputs:
            graph += _bytes(12, _value(out.name, (1, out.channels, out.side, out.side)))
        opset = _bytes(8, _bytes(1, b"") + _number(2, 13))
        path.write_bytes(_number(1, 8) + _bytes(7, graph) + opset)

    def _node(self, kind: str, inputs: Sequence[str], attributes: Sequence[bytes] = ()) -> str:
        name = f"t{len(self._nodes)}"
        node = b"".join(_bytes(1, word.encode()) for word in inputs) + _bytes(2, name.encode())
        node += _bytes(4, kind.encode()) + b"".join(_bytes(5, attribute) for attribute in attributes)
        self._nodes.append(node)
        return name

    def _weight(self, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> str:
        name = f"w{len(self._weights)}"
        dims = b"".join(_number(1, size) for size in values.shape)
        data = _bytes(9, values.astype("<f4").tobytes())
        self._weights.append(dims + _number(2, _FLOAT) + _bytes(8, name.encode()) + data)
        return name


def yardstick(path: Path) -> Graph:
    """Write the network; gives the graph with its counts."""
    graph = Graph()
    x = graph.conv(Maps("image", 3, SIDE), 16, 3, 2)
    x = graph.block(graph.conv(x, 32, 3, 2), 64, 16, False)
    eighth = graph.block(graph.conv(x, 64, 3, 2), 128, 32, False)
    sixteenth = graph.block(graph.conv(eighth, 128, 3, 2), 128, 64, True)
    x = graph.block(graph.conv(sixteenth, 256, 3, 2), 256, 128, True)
    half = graph.conv(x, 128, 1)
    pools = [half]
    for _ in range(3):
        pools.append(graph.pool(pools[-1]))
    x = graph.conv(graph.join(*pools), 256, 1)
    least = graph.block(x, 256, 96, True)
    middle = graph.block(graph.join(graph.twice(least), sixteenth), 128, 64, False)
    fine = graph.block(graph.join(graph.twice(middle), eighth), 64, 32, False)
    middle = graph.block(graph.join(graph.conv(fine, 64, 3, 2), middle), 128, 64, False)
    coarse = graph.block(graph.join(graph.conv(middle, 128, 3, 2), least), 256, 128, True)
    graph.write(path, [graph.head(part) for part in (fine, middle, coarse)])
    return graph


# -- the wire format of protocol buffers ------------------------------------------------------------------

_FLOAT = 1  # TensorProto.FLOAT
_INT, _STRING, _INTS = 2, 3, 7  # AttributeProto.AttributeType


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3) + _varint(value)


def _bytes(tag: int, data: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(data)) + data


def _int(name: str, value: int) -> bytes:
    return _bytes(1, name.encode()) + _number(3, value) + _number(20, _INT)


def _ints(name: str, values: Sequence[int]) -> bytes:
    return _bytes(1, name.encode()) + b"".join(_number(8, v) for v in values) + _number(20, _INTS)


def _text(name: str, value: str) -> bytes:
    return _bytes(1, name.encode()) + _bytes(4, value.encode()) + _number(20, _STRING)


def _value(name: str, shape: Sequence[int]) -> bytes:
    dims = b"".join(_bytes(1, _number(1, size)) for size in shape)
    kind = _bytes(1, _number(1, _FLOAT) + _bytes(2, dims))
    return _bytes(1, name.encode()) + _bytes(2, kind)
