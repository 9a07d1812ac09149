"""The measuring material that lies beside a development checkout; absent on a user's machine."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
DATA = Path(__file__).parent / "data"


def shared(*parts: str) -> Path:
    """A path below the shared material; skips the test, saying so, when it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"shared measuring material is missing: {'/'.join(parts)}")
    return path
