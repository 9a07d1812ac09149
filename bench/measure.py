"""Running the program as a user does, and what that costs."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
OUT = Path(__file__).resolve().parent / "out"

#: One thread everywhere, so that a figure means one core.
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OPENCV_FOR_THREADS_NUM": "1"}


class NoMaterial(Exception):
    """Measuring material that is not on this machine."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished command: seconds of wall clock, peak memory in megabytes."""

    output: str
    errors: str
    status: int
    wall: float
    peak_mb: float


def material(*parts: str) -> Path:
    """A path of the measuring material. Raises ``NoMaterial`` if it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise NoMaterial(f"not measured: {'/'.join(parts)} is not on this machine")
    return path


def processes(number: int) -> ProcessPoolExecutor:
    """So many processes, each of which starts afresh.

    A copy of this one has none of its threads, and may wait for ever for those of onnxruntime or OpenCV.
    """
    return ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn"))


def zarbiter() -> str:
    """The console command of this environment."""
    return str(Path(sys.executable).parent / "zarbiter")


#: Runs a command and writes what it cost. A process of its own, since a child is said to have had at least
#: the memory of the process that it was forked from, and the bench itself may hold hundreds of megabytes.
_ACCOUNT = """
import json, os, subprocess, sys, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(child.pid, 0)
cost = os.waitstatus_to_exitcode(status), time.monotonic() - start, usage.ru_maxrss / 1024
with open(sys.argv[1], "w") as account:
    json.dump(cost, account)
"""


def run(command: Sequence[str], *, core: int | None = None) -> Run:
    """Run a command to its end on one core and account for it."""
    pin = ["taskset", "-c", str(core)] if core is not None else []
    account = OUT / "account.json"
    with (OUT / "stdout").open("w+") as out, (OUT / "stderr").open("w+") as err:
        launcher = [sys.executable, "-S", "-c", _ACCOUNT, str(account), *pin, *command]
        subprocess.run(launcher, stdout=out, stderr=err, env=os.environ | ONE_CORE, check=True)
        status, wall, peak_mb = json.loads(account.read_text())
        out.seek(0)
        err.seek(0)
        return Run(out.read(), err.read(), status, wall, peak_mb)
