"""Running the program as a user does, and what that costs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
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


def zarbiter() -> str:
    """The console command of this environment."""
    return str(Path(sys.executable).parent / "zarbiter")


def run(command: Sequence[str], *, core: int | None = None) -> Run:
    """Run a command to its end on one core and account for it."""
    pin = ["taskset", "-c", str(core)] if core is not None else []
    start = time.monotonic()
    with (OUT / "stdout").open("w+") as out, (OUT / "stderr").open("w+") as err:
        process = subprocess.Popen([*pin, *command], stdout=out, stderr=err, env=os.environ | ONE_CORE)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Run(
            out.read(),
            err.read(),
            process.returncode,
            time.monotonic() - start,
            usage.ru_maxrss / 1024,
        )
