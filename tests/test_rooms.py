"""Each room imports only what it may; data flows one way, from the camera to the people."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engine", "hardware", "models", "vision", "webui", "zarbiter", "bench", "tests")
#: What a room may import of ours besides itself, as beginnings of names. The program may import all rooms.
ALLOWED = {
    "engine": (),
    "hardware": ("engine",),
    "vision": ("engine", "hardware.camera", "models"),
    "models": (),
    "models/training": ("models", "engine", "vision", "hardware.camera"),
    "webui": ("engine",),
    "zarbiter": ("engine", "hardware", "models", "vision", "webui"),
}
MODULES = sorted({path for room in ALLOWED for path in (ROOT / room).rglob("*.py")})


def strangers(room: str, source: str) -> list[str]:
    """The modules of ours that a source of this room imports, wherever in it, and may not."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    ours = {name for name in names if name.split(".")[0] in ROOMS}
    may = tuple(f"{name}." for name in (room, *ALLOWED[room]))
    return sorted(name for name in ours if not f"{name}.".startswith(may))


def room_of(path: Path) -> str:
    """The room, or the part of one, whose rule holds for a module."""
    parts = path.relative_to(ROOT).parts
    return "models/training" if parts[:2] == ("models", "training") else parts[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_what_it_may(path: Path) -> None:
    assert strangers(room_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("room", "source", "found"),
    [
        ("engine", "import json, vision.reader", ["vision.reader"]),
        (
            "webui",
            "from engine.judge import Verdict\ndef f():\n    from zarbiter.store import Store",
            ["zarbiter.store"],
        ),
        (
            "vision",
            "from hardware.camera import Frame\nfrom hardware.video import VideoFile",
            ["hardware.video"],
        ),
        ("zarbiter", "from tests.shared import shared", ["tests.shared"]),
    ],
)
def test_what_it_may_not_is_found(room: str, source: str, found: list[str]) -> None:
    assert strangers(room, source) == found
