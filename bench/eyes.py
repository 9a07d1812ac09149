"""What a look costs on one core, as a multiple of decoding a frame and of a detector of YOLO11n's size."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import cv2
import numpy as np

from bench.labelled import PHOTOGRAPHS, labels
from bench.measure import OUT, NoMaterial, Run, run, zarbiter
from bench.tables import table
from bench.yardstick import yardstick
from hardware.camera import Image
from hardware.table import STYLES, SimulatedTable

FRAME = (1280, 720)
LARGE = (4000, 3000)  #: twelve megapixels
PHOTO, WATCHING, MEMORY = 1.2, 0.35, 400.0  #: demanded: at most so many times the detector, and megabytes
_PHOTOGRAPHS = 3  #: of those of 1280x720, where they are on this machine
_SECONDS = 12.0  #: into a simulated match, where some plays have been made


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one kind of pass: median, and the quartiles."""

    passes: int
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Cost:
        """The cost of passes that took so long."""
        low, median, high = (float(v) for v in np.quantile(seconds, (0.25, 0.5, 0.75)))
        return cls(len(seconds), median, low, high)


@dataclass(frozen=True, slots=True)
class Eyes:
    """Costs, and peak memory of ``zarbiter photo`` in megabytes by size of the picture."""

    parameters: int
    operations: int
    decode: Cost
    detector: Cost
    photo: Cost
    rest: Cost
    frame_mean: float  #: seconds, over all frames of a game
    found: int
    pictures: int
    memory: dict[str, float]


def eyes(quick: bool) -> Eyes:
    """Time all kinds of passes in one process on one core, then run ``zarbiter photo`` for its memory."""
    network, video = OUT / "yardstick.onnx", OUT / "eyes.mp4"
    graph = yardstick(network)
    _done(run([zarbiter(), "simulate", str(video), "--seed", "3", "--turns", "3" if quick else "12"]))
    files = pictures(OUT)[: 1 if quick else None]
    passes = [sys.executable, "-m", "bench.passes", str(network), str(video), *map(str, files)]
    told = json.loads(_done(run(passes, core=0)).output.splitlines()[-1])
    seconds = told["seconds"]
    memory = {}
    for size, file in ((FRAME, files[0]), (LARGE, _enlarged(files[0]))):
        photo = run([zarbiter(), "photo", "--json", str(file)], core=0)
        memory[f"{size[0]}x{size[1]}"] = _done(photo).peak_mb
    result = Eyes(
        graph.parameters,
        graph.operations,
        Cost.of(seconds["decode"]),
        Cost.of(seconds["yardstick"]),
        Cost.of(seconds["photo"]),
        Cost.of(seconds["rest"]),
        float(np.mean(seconds["frame"])),
        told["found"],
        told["pictures"],
        memory,
    )
    click.echo(
        table(("1280x720, one core", "milliseconds", "times (a)", "times (b)", "at most", ""), rows(result))
    )
    return result


def rows(cost: Eyes) -> list[tuple[str, ...]]:
    """The table: each kind of pass against (a) and (b), and memory."""
    a, b = cost.decode.median, cost.detector.median
    size = f"{cost.parameters / 1e6:.1f} M parameters, {cost.operations / 1e9:.1f} GFLOPs"

    def line(title: str, one: Cost, bound: float | None = None) -> tuple[str, ...]:
        spread = f"{1e3 * one.median:.1f} ({1e3 * one.low:.1f} to {1e3 * one.high:.1f})"
        ratios = (f"{one.median / a:.2f}", f"{one.median / b:.2f}")
        return (title, spread, *ratios, *_verdict(one.median / b, bound))

    mean = cost.frame_mean
    return [
        line("(a) decode and one perspective warp", cost.decode),
        line(f"(b) a detector's pass, {size}, 640x640, SiLU", cost.detector),
        line(f"a whole photo pass ({cost.found} of {cost.pictures} boards found)", cost.photo, PHOTO),
        line(
            f"watching: a board that came to rest, its dearest frame ({cost.rest.passes})",
            cost.rest,
            WATCHING,
        ),
        (
            "watching: mean over all frames of a game",
            f"{1e3 * mean:.1f}",
            f"{mean / a:.2f}",
            f"{mean / b:.2f}",
            *_verdict(mean / b, WATCHING),
        ),
        *(
            (f"peak memory of `zarbiter photo`, {size}", f"{peak:.0f} MB", "", "", *_verdict(peak, MEMORY))
            for size, peak in cost.memory.items()
        ),
    ]


def _verdict(value: float, bound: float | None) -> tuple[str, str]:
    return ("", "") if bound is None else (f"{bound:g}", "met" if value <= bound else "**missed**")


def pictures(folder: Path) -> list[Path]:
    """JPEG files of 1280x720: one of each simulated board, written into ``folder``, and some photographs."""
    files = []
    for style in STYLES:
        path = folder / f"eyes-{style}.jpg"
        cv2.imwrite(str(path), simulated(style, FRAME), [cv2.IMWRITE_JPEG_QUALITY, 92])
        files.append(path)
    try:
        files += [label.path for label in labels(PHOTOGRAPHS) if label.size == FRAME][:_PHOTOGRAPHS]
    except NoMaterial as missing:
        click.echo(f"{missing}: only simulated boards are looked at\n")
    return files


def simulated(style: str, size: tuple[int, int]) -> Image:
    """A simulated board some plays into a match."""
    camera = SimulatedTable(seed=5, style=style, size=size, max_turns=8)
    with camera:
        return camera.picture(min(camera.frames - 1, round(_SECONDS * camera.fps)))


def _enlarged(path: Path) -> Path:
    """The picture as one of twelve megapixels, noise and all."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    assert image is not None
    large = cv2.resize(image, LARGE, interpolation=cv2.INTER_CUBIC)
    noise = np.random.default_rng(1).normal(0, 4, (LARGE[1] // 4, LARGE[0] // 4, 3))
    grain = np.tile(noise.astype(np.float32), (4, 4, 1))
    out = path.with_name(f"{path.stem}-large.jpg")
    cv2.imwrite(str(out), np.clip(large + grain, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 92])
    return out


def _done(one: Run) -> Run:
    if one.status:
        raise click.ClickException(f"a measured command ended with {one.status}: {one.errors[-500:]}")
    return one
