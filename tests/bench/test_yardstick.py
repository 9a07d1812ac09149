from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from bench.yardstick import Graph, Maps, yardstick


def test_it_has_the_size_that_it_is_named_for(tmp_path: Path) -> None:
    graph = yardstick(tmp_path / "y.onnx")
    assert graph.parameters == pytest.approx(2.6e6, rel=0.02)
    assert graph.operations == pytest.approx(6.5e9, rel=0.02)


def test_a_runtime_takes_it_as_it_is_described(tmp_path: Path) -> None:
    yardstick(tmp_path / "y.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "y.onnx"), providers=["CPUExecutionProvider"])
    assert session.get_inputs()[0].shape == [1, 3, 640, 640]
    assert [out.shape for out in session.get_outputs()] == [[1, 144, side, side] for side in (80, 40, 20)]


def test_a_checker_of_the_format_takes_it(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    yardstick(tmp_path / "y.onnx")
    onnx.checker.check_model(str(tmp_path / "y.onnx"), full_check=True)


def test_operations_are_two_a_multiplication() -> None:
    graph = Graph()
    out = graph.conv(Maps("image", 3, 640), 8, 3, 2)
    assert (out.channels, out.side) == (8, 320)
    assert graph.parameters == 3 * 3 * 3 * 8 + 8
    assert graph.operations == 2 * 3 * 3 * 3 * 8 * 320 * 320
    assert np.isclose(graph.operations / 1e6, 44.2368)
