"""Moves and how a play is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.position import BAR, OFF

NO_PLAY = "no play"
PLACES = {"bar": BAR, "off": OFF}  #: the places that have a name and no number
PLACE_NAMES = {place: name for name, place in PLACES.items()}


@dataclass(frozen=True, slots=True)
class Move:
    """One checker moved, in points of the mover (``BAR`` 25, ``OFF`` 0)."""

    from_point: int
    to_point: int
    hit: bool = False


def point_name(point: int) -> str:
    """``bar``, ``off`` or the number."""
    return PLACE_NAMES.get(point, str(point))


def roll_text(dice: tuple[int, int]) -> str:
    """A roll, the larger die first: ``6-5``."""
    return f"{max(dice)}-{min(dice)}"


def notation(moves: Sequence[Move]) -> str:
    """A play in the usual notation: ``bar/20*/14 13/10(2)``, ``6/2*(2)``; ``no play`` without moves.

    Moves that one checker makes on end are drawn together; a stop is named only if it hits there.
    """
    chains: list[list[Move]] = []
    for move in moves:
        # A forward chain may continue any earlier one that ended here.
        chain = next((c for c in chains if c[-1].to_point == move.from_point), None)
        if chain is None or move.to_point > move.from_point:
            chains.append([move])
        else:
            chain.append(move)
    texts = [_chain(c) for c in sorted(chains, key=lambda c: (-c[0].from_point, -c[-1].to_point))]
    ways = [text.removesuffix("*") for text in texts]
    parts = []
    for way in dict.fromkeys(ways):
        # Of several checkers that end on one point only the first can hit there: 6/2*(2).
        text, times = way + "*" * (f"{way}*" in texts), ways.count(way)
        parts.append(f"{text}({times})" if times > 1 else text)
    return " ".join(parts) or NO_PLAY


def _chain(chain: Sequence[Move]) -> str:
    text = point_name(chain[0].from_point)
    for place, move in enumerate(chain):
        if move.hit or place == len(chain) - 1:
            text += f"/{point_name(move.to_point)}{'*' if move.hit else ''}"
    return text
