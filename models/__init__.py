"""Trained networks: ONNX weights, a card for each, and the code that trains them."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

import onnxruntime


class ModelError(Exception):
    """A network that is missing or cannot be loaded; the message says which and why."""


@cache
def load(name: str, threads: int = 1) -> onnxruntime.InferenceSession:
    """The network ``name`` (as in ``models/name.onnx``) on the CPU, ready to run.

    Loaded once a process and thread count. Idle threads sleep instead of spinning, so that the camera
    and the web server keep their cores. Raises :class:`ModelError`.
    """
    weights = files(__name__) / f"{name}.onnx"
    if not weights.is_file():
        raise ModelError(f"no network {name!r}: {weights} is missing")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        with as_file(weights) as path:
            return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no narrower public base
        raise ModelError(f"network {name!r} cannot be loaded from {weights}: {error}") from error
