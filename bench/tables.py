"""Plain Markdown tables, as they stand in the README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def share(part: int, whole: int) -> str:
    """``97.5% (39/40)``."""
    return f"{100 * part / whole:.1f}% ({part}/{whole})" if whole else "none"
