"""The engine computes and does nothing else: no camera, no files, no clock, nothing of ours."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "engine"
MODULES = sorted(ENGINE.rglob("*.py"))

#: What a module of the engine may import besides the engine: the standard library's parts that only compute.
PURE = frozenset(
    {
        "__future__",
        "abc",
        "array",
        "base64",
        "binascii",
        "bisect",
        "codecs",
        "collections",
        "collections.abc",
        "dataclasses",
        "enum",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
    }
)
#: Built-in names that read, write, or run what they are given.
IMPURE = frozenset(
    {"open", "print", "input", "eval", "exec", "compile", "breakpoint", "__import__", "globals"}
)


def impurities(source: str) -> list[str]:
    """What in this source does more than compute."""
    found: list[str] = []
    nodes = list(ast.walk(ast.parse(source)))
    # A name that the module gives to something of its own is no built-in.
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        elif isinstance(node, ast.Name) and node.id in IMPURE - own:
            found.append(f"line {node.lineno}: {node.id}")
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "codecs.open":
            found.append(f"line {node.lineno}: codecs.open")
        found += [f"import of {n}" for n in names if n not in PURE and n.split(".")[0] != "engine"]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ENGINE.parent)))
def test_a_module_only_computes(path: Path) -> None:
    assert impurities(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np",
        "import json, os",
        "from pathlib import Path",
        "from vision.pipeline import Eye",
        "from . import events",
        "def f():\n    import time",
        "print('x')",
        "show = print",
        "import codecs\ntext = codecs.open('x')",
        "text = open('x').read()",
        "exec('1')",
        "__import__('os')",
    ],
)
def test_what_is_more_than_computing_is_found(source: str) -> None:
    assert len(impurities(source)) == 1


def test_the_whole_engine_loads_alone() -> None:
    """Importing every module brings in nothing of the other rooms and no numpy."""
    names = [".".join(p.relative_to(ENGINE.parent).with_suffix("").parts) for p in MODULES]
    code = (
        "import importlib, sys\n"
        f"for name in {[n.removesuffix('.__init__') for n in names]!r}:\n    importlib.import_module(name)\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ENGINE.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "engine" in loaded
    assert not loaded & {"numpy", "cv2", "hardware", "vision", "models", "webui", "zarbiter"}
