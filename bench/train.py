"""The recipe for the networks from end to end, with little of everything."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.measure import NoMaterial

_NEEDED = ("torch", "numba", "onnx", "onnxscript")


def short(quick: bool) -> dict[str, Any]:
    """Draw, train and export every network once, into a temporary folder; minutes and the files made.

    Raises ``NoMaterial`` without the extra ``train``, and ``RuntimeError`` if a step fails.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise NoMaterial(f"not measured: {', '.join(missing)} is not installed (`make train` installs it)")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "models.training", "--short", "--work", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"training failed: {done.stderr[-2000:]}")
        made = {path.name: path.stat().st_size for path in sorted((Path(folder) / "networks").glob("*.onnx"))}
    minutes = (time.monotonic() - begin) / 60
    print("| network | size |\n|---|---|")
    for name, size in made.items():
        print(f"| {name} | {size / 1e6:.2f} MB |")
    print(f"\nEvery step of the recipe, shortened: {minutes:.1f} minutes.")
    return {"minutes": minutes, "networks": made}
