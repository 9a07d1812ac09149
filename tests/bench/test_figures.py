"""Demands, answers of two versions, and what running a command costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import measure
from bench.photos import Demand
from bench.versions import compare


def test_a_demand_is_met_at_its_bound() -> None:
    least = Demand("a", "b", "right", "of", 0.9)
    assert least.met({"right": 9, "of": 10})
    assert not least.met({"right": 8, "of": 10})
    assert not least.met({"right": 0, "of": 0})
    most = Demand("a", "b", "false", "of", 0.1, at_most=True)
    assert most.met({"false": 1, "of": 10})
    assert not most.met({"false": 2, "of": 10})


def answer(**changes: Any) -> dict[str, Any]:
    die = {"value": 3, "box": [10.0, 10.0, 30.0, 30.0], "confidence": 0.9}
    return {"file": "x/a.jpg", "size": [1280, 720], "dice": [die], "hands": False} | changes


def test_answers_alike_within_the_tolerance() -> None:
    near = {"value": 3, "box": [10.4, 9.5, 30.0, 30.0], "confidence": 0.91}
    assert list(compare(answer(), answer(dice=[near]))) == []


def test_the_order_of_dice_does_not_matter() -> None:
    two = [{"value": n, "box": [20.0 * n] * 4, "confidence": 0.9} for n in (1, 2)]
    assert list(compare(answer(dice=two), answer(dice=two[::-1]))) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dice": [{"value": 4, "box": [10.0, 10.0, 30.0, 30.0], "confidence": 0.9}]}, "dice[0].value"),
        ({"dice": [{"value": 3, "box": [12.0, 10.0, 30.0, 30.0], "confidence": 0.9}]}, "dice[0].box[0]"),
        ({"dice": [{"value": 3, "box": [10.0, 10.0, 30.0, 30.0], "confidence": 0.8}]}, "dice[0].confidence"),
        ({"dice": []}, "dice"),
        ({"hands": True}, "hands"),
        ({"cup": None, "error": "no board"}, "error"),
    ],
)
def test_answers_that_differ(changes: dict[str, Any], field: str) -> None:
    assert [(d.file, d.field) for d in compare(answer(), answer(**changes))] == [("a.jpg", field)]


def test_a_command_is_not_charged_with_the_memory_of_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "OUT", tmp_path)
    held = np.ones(40_000_000)  # 320 MB
    done = measure.run([sys.executable, "-S", "-c", "import sys; print('told'); sys.exit(3)"])
    assert (done.output, done.status) == ("told\n", 3)
    assert 1 < done.peak_mb < held.nbytes / 1e6 / 2
