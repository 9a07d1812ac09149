"""Make every network anew: ``python -m models.training --work FOLDER``, or a short try with ``--short``.

Pictures are drawn first and kept in the folder, so that a run that was stopped goes on with what it has.
The full run takes hours (see models/README.md); ``--short`` takes minutes, goes through every step and says
nothing of how well a network can be: what it makes is written to the folder and not to ``models``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything. ``steps`` of 0: by minutes instead."""

    views: int
    cups: int
    close: int
    boards: int
    steps: int
    board: float
    scene: float
    checkers: float
    finder: float
    reader: float


FULL = Plan(
    views=6000,
    cups=800,
    close=4000,
    boards=250,
    steps=0,
    board=120,
    scene=120,
    checkers=180,
    finder=60,
    reader=180,
)
SHORT = Plan(
    views=200, cups=20, close=24, boards=4, steps=15, board=0, scene=0, checkers=0, finder=0, reader=0
)


def steps(plan: Plan, work: Path, out: Path, seed: int, workers: int) -> list[tuple[str, list[str]]]:
    """What is done, in order: a name and the arguments of ``python -m``."""
    views, tiles = work / "views", work / "tiles.npz"

    def how_long(minutes: float) -> list[str]:
        return ["--steps", str(plan.steps)] if plan.steps else ["--minutes", str(minutes)]

    def of_views(name: str, minutes: float, *more: str) -> tuple[str, list[str]]:
        files = ["--views", str(views), "--out", str(out / f"{name}.onnx")]
        return name, [f"models.training.train_{name}", *files, *how_long(minutes), *seeded, *more]

    def eight_bits(name: str) -> tuple[str, list[str]]:
        files = ["--views", str(views), "--into", str(out)]
        return f"{name} in 8 bits", ["models.training.quantise", name, *files, *seeded]

    def of_dice(which: str, minutes: float) -> tuple[str, list[str]]:
        files = ["--into", str(out), "--traced", str(tiles)]
        short = ["--short"] if plan.steps else ["--minutes", str(minutes)]
        return f"dice {which}", ["models.training.dice", which, *files, *short, *seeded]

    seeded = ["--seed", str(seed)]
    draw = ["models.training.views", "--out", str(views), *seeded, "--workers", str(workers)]
    close = ["models.training.close", "--out", str(tiles)]
    close += ["--close", str(plan.close), "--boards", str(plan.boards)]
    return [
        ("views with cups", [*draw, "--count", str(plan.cups), "--cups"]),
        ("views of boards", [*draw, "--first", str(plan.cups), "--count", str(plan.views)]),
        ("tiles of dice", [*close, *seeded]),
        of_views("board", plan.board),
        of_views("scene", plan.scene, "--start", str(out / "board.pt")),
        of_views("checkers", plan.checkers),
        of_dice("finder", plan.finder),
        of_dice("reader", plan.reader),
        *(eight_bits(name) for name in ("board", "scene", "checkers", "dice", "dice_reader")),
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.training", description="Make every network anew.")
    parser.add_argument("--work", type=Path, required=True, help="folder for pictures (some gigabytes)")
    parser.add_argument("--short", action="store_true", help="a try of a few minutes, end to end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes that draw (default 2)")
    args = parser.parse_args()
    out = args.work / "networks"
    out.mkdir(parents=True, exist_ok=True)
    plan = SHORT if args.short else FULL
    for name, arguments in steps(plan, args.work, out, args.seed, args.workers):
        begin = time.monotonic()
        done = subprocess.run([sys.executable, "-m", *arguments], check=False)
        if done.returncode:
            sys.exit(f"{name}: python -m {arguments[0]} ended with {done.returncode}")
        print(f"{name}: {(time.monotonic() - begin) / 60:.1f} minutes", flush=True)
    if not args.short:
        for network in sorted(out.glob("*.onnx")):
            shutil.copy(network, MODELS)
            print(f"{network.name}: copied to {MODELS}")


if __name__ == "__main__":
    main()
