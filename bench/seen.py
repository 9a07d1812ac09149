"""What was seen of simulated matches, kept so that the tracker can be tried on it again.

To paint a match and read it takes a minute or two, to tell it from what was seen a second: whoever works on
the tracker measures a part once, and then runs ``python -m bench again``. What is seen hardly depends on the
tracker: the position that it believes only says how high stacks are and where the empty board may be learnt
from.
"""

from __future__ import annotations

import gzip
import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.measure import OUT
from engine.observation import Observation
from hardware.camera import Frame
from vision.reader import BoardReader

FOLDER = OUT / "seen"
_ROOT = Path(__file__).resolve().parents[1]
_EYES = ("vision/*.py", "models/*.onnx", "hardware/table/*.py", "engine/observation.py")


@dataclass(frozen=True, slots=True)
class Seen:
    """All observations of a match, and the state of what made them: see :func:`eyes`."""

    observations: tuple[Observation, ...]
    eyes: str


class Remembering(BoardReader):
    """A reader that remembers what it has seen."""

    def __init__(self, *, touching: bool = False) -> None:
        super().__init__(touching=touching)
        self.observations: list[Observation] = []

    def read(self, frame: Frame) -> Observation:
        seen = super().read(frame)
        self.observations.append(seen)
        return seen


@cache
def eyes() -> str:
    """A digest of all that decides what is seen: the simulated table, vision, and its networks."""
    digest = hashlib.sha256()
    for pattern in _EYES:
        for path in sorted(_ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def keep(match: str, observations: Sequence[Observation]) -> None:
    """Keep what was seen of a match, which is known by any text that describes it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with gzip.open(_path(match), "wb", compresslevel=1) as file:
        pickle.dump(Seen(tuple(observations), eyes()), file)


def kept(match: str) -> Seen | None:
    """What was kept of a match; ``None`` if nothing was. The file must be of :func:`keep`: it is a pickle."""
    path = _path(match)
    if not path.exists():
        return None
    with gzip.open(path, "rb") as file:
        seen: Seen = pickle.load(file)
    return seen


def _path(match: str) -> Path:
    return FOLDER / f"{hashlib.sha256(match.encode()).hexdigest()[:16]}.pickle.gz"
