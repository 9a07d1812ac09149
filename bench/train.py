"""The recipe for the networks from end to end, with little of everything."""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click
import onnxruntime

import models
from bench.measure import NoMaterial
from bench.tables import table

_NEEDED = ("torch", "numba", "onnx", "onnxscript")
MOST = 10.0  #: minutes that it may take


@dataclass(frozen=True, slots=True)
class Trained:
    """Minutes in all, of them on a processor, and by step; the networks made, with their sizes in bytes.

    On a machine that does other things as well, the minutes on a processor tell more. ``fits``: whether a
    network has the inputs and outputs of the program's own. ``not_made``: what the program has besides.
    """

    minutes: float
    processor: float
    steps: dict[str, float]
    sizes: dict[str, int]
    fits: dict[str, bool]
    not_made: list[str]


def short(quick: bool) -> Trained:
    """Draw, train and export every network once, into a temporary folder.

    Raises ``NoMaterial`` without the extra ``train``, and ``ClickException`` if a step fails.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise NoMaterial(f"not measured: {', '.join(missing)} is not installed (`make train` installs it)")
    begin, used = time.monotonic(), _used()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "models.training", "--short", "--work", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise click.ClickException(f"training failed: {done.stderr[-2000:]}")
        minutes = (time.monotonic() - begin) / 60
        networks = sorted((Path(folder) / "networks").glob("*.onnx"))
        sizes = {path.name: path.stat().st_size for path in networks}
        own = {path.name for path in Path(models.__file__).parent.glob("*.onnx")}
        fits = {
            path.name: path.name in own and _signature(_load(path)) == _signature(models.load(path.stem))
            for path in networks
        }
    result = Trained(
        minutes=minutes,
        processor=(_used() - used) / 60,
        steps=minutes_of_steps(done.stdout),
        sizes=sizes,
        fits=fits,
        not_made=sorted(own - sizes.keys()),
    )
    click.echo(table(("step", "minutes"), [(step, f"{took:.1f}") for step, took in result.steps.items()]))
    rows = [(name, f"{size / 1e6:.2f} MB", "yes" if fits[name] else "**no**") for name, size in sizes.items()]
    click.echo(
        "\n" + table(("network made", "size", "has the inputs and outputs that the program uses"), rows)
    )
    for name in result.not_made:
        click.echo(f"{name} is the program's and is not made by the recipe")
    verdict = "met" if minutes <= MOST else "**missed**"
    click.echo(
        f"\nEvery step of the recipe, shortened: {minutes:.1f} minutes, {result.processor:.1f} "
        f"of them on a processor (at most {MOST:g}: {verdict})."
    )
    return result


def minutes_of_steps(output: str) -> dict[str, float]:
    """What ``models.training`` tells of its steps: ``board: 1.5 minutes``."""
    told = (line.split(": ") for line in output.splitlines() if line.endswith(" minutes"))
    return {step: float(took.split()[0]) for step, took in told}


def _used() -> float:
    """Seconds on a processor of all processes that this one started and that have ended, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _load(path: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def _signature(network: onnxruntime.InferenceSession) -> list[tuple[str, str, list[int | None]]]:
    """Names, types and shapes of inputs and outputs; a length that is free is ``None``, whatever its name."""
    return [
        (value.name, value.type, [n if isinstance(n, int) else None for n in value.shape])
        for value in (*network.get_inputs(), *network.get_outputs())
    ]
