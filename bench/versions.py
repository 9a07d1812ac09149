"""The same answers under the oldest and the newest OpenCV and onnxruntime that the program takes.

Two virtual environments are made in a temporary folder, which takes some minutes and a package index. Both
get one copy of the program, so that only the libraries differ, whatever is edited meanwhile.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import cv2

from bench.eyes import FRAME, simulated
from bench.labelled import DICE, PHOTOGRAPHS, QUICK, STILLS, labels
from bench.measure import NoMaterial, run
from bench.tables import table
from hardware.table import STYLES

ROOT = Path(__file__).resolve().parents[1]
OLDEST = ("onnxruntime==1.22.*", "opencv-python-headless==4.10.*")
TOLERANCE = {"confidence": 0.02, "pixels": 1.0}  #: of a share, and of a place in a picture 1280 wide
_NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "out")
_VERSIONS = (
    "import cv2, onnxruntime; print('OpenCV', cv2.__version__ + ', onnxruntime', onnxruntime.__version__)"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of the answers that is not the same."""

    file: str
    field: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Versions:
    """What was compared with what, and the differences."""

    old: str
    new: str
    pictures: int
    identical: int
    alike: int
    differences: list[Difference]


def versions(quick: bool) -> Versions:
    """Read simulated and labelled pictures in both environments and compare the answers field by field."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = shutil.copytree(ROOT, folder / "program", ignore=_NOT_COPIED)
        sets = _pictures(folder, QUICK if quick else None)
        told, answers = [], []
        for which, pins in (("oldest", OLDEST), ("newest", ())):
            programs = environment(folder / which, program, pins)
            told.append(_output([str(programs / "python"), "-c", _VERSIONS]).strip())
            answers.append([answer for option, files in sets for answer in _read(programs, option, files)])
    differences = [d for a, b in zip(*answers, strict=True) for d in compare(a, b)]
    unlike = {difference.file for difference in differences}
    identical = sum(a == b for a, b in zip(*answers, strict=True))
    pictures = len(answers[0])
    result = Versions(told[0], told[1], pictures, identical, pictures - len(unlike), differences)
    click.echo(f"{result.old} against {result.new}:\n")
    kinds = ("pictures", "answers identical", f"alike within {TOLERANCE['confidence']} and 1 pixel of 1280")
    click.echo(table(kinds, [(result.pictures, result.identical, result.alike)]))
    for d in differences:
        click.echo(f"    {d.file} {d.field}: {d.old} against {d.new}")
    return result


def _pictures(folder: Path, sample: int | None) -> list[tuple[list[str], list[str]]]:
    """Options and files: simulated boards as JPEG and PNG, then the labelled sets that are here."""
    made = []
    for style in STYLES:
        image = simulated(style, FRAME)
        for kind in ("jpg", "png"):
            made.append(str(folder / f"{style}.{kind}"))
            cv2.imwrite(made[-1], image)
    sets: list[tuple[list[str], list[str]]] = [([], made)]
    for group, options in ((PHOTOGRAPHS, []), (STILLS, []), (DICE, ["--dice-only"])):
        try:
            sets.append((options, [str(label.path) for label in labels(group)[:sample]]))
        except NoMaterial as missing:
            click.echo(f"{missing}\n")
    return sets


def environment(folder: Path, program: Path, pins: Sequence[str]) -> Path:
    """A new virtual environment with the ``program`` and ``pins`` in it; gives its ``bin``."""
    _output([sys.executable, "-m", "venv", str(folder)])
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _output([*pip, "--only-binary", ":all:", "--editable", str(program), *pins])
    return folder / "bin"


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(
            f"{' '.join(command[:4])} ended with {done.returncode}: {done.stderr[-800:]}"
        )
    return done.stdout


def _read(programs: Path, options: Sequence[str], files: Sequence[str]) -> list[dict[str, Any]]:
    """The answers of ``zarbiter photo``, which does not mind pictures that show no board."""
    done = run([str(programs / "zarbiter"), "photo", "--json", *options, *files])
    answers = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    if len(answers) != len(files):
        raise click.ClickException(f"{len(answers)} answers for {len(files)} pictures: {done.errors[-800:]}")
    return answers


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """The fields in which two answers of the photo contract differ by more than the tolerance."""
    file = Path(old["file"]).name
    slack = TOLERANCE["pixels"] * max(1.0, max(old.get("size", [0])) / 1280)
    for field, a, b in _differences("", _in_order(old), _in_order(new)):
        numbers = isinstance(a, int | float) and isinstance(b, int | float)
        within = TOLERANCE["confidence"] if field.endswith("confidence") else 0.0
        if ".box" in field or ".corners" in field:
            within = slack
        if not (numbers and abs(a - b) <= within + 1e-9):
            yield Difference(file, field.lstrip("."), a, b)


def _in_order(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer with its dice from left to right: they come by confidence, which may tie."""
    return {**answer, "dice": sorted(answer.get("dice", []), key=lambda die: die["box"])}


def _differences(at: str, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    """Leaves that are not equal; lists of other lengths are a leaf."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            yield from _differences(f"{at}.{key}", a.get(key), b.get(key))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _differences(f"{at}[{i}]", x, y)
    elif a != b:
        yield at, a, b
