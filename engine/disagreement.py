"""Where a board does not stand as recorded, in the words of those who sit at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.position import Game, Position, Side, index_of

NAMED = 4  #: places that a sentence names; of the rest it says how many they are


@dataclass(frozen=True, slots=True)
class Difference:
    """One place: what should stand there, and what does, as signed counts (positive white)."""

    place: str  #: ``point 6``, ``the bar``, ``off the board``
    recorded: int
    seen: int

    @property
    def text(self) -> str:
        """``point 6 (record 3 white, board 2 white)``"""
        return f"{self.place} (record {checkers(self.recorded)}, board {checkers(self.seen)})"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A board that does not stand as recorded.

    ``side``: in whose points places are named. ``restoring``: it is to be put back as recorded. ``seen`` is
    ``None`` while the board cannot be read.
    """

    game: Game
    recorded: Position
    seen: Position | None
    side: Side
    restoring: bool = False

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The places, in the order of the side's points, the bar and what is off last."""
        return () if self.seen is None else tuple(self._differences(self.seen))

    def _differences(self, seen: Position) -> Iterator[Difference]:
        for point in range(1, 25):
            index = index_of(self.game, self.side, point)
            recorded, now = self.recorded.points[index], seen.points[index]
            if recorded != now:
                yield Difference(f"point {point}", recorded, now)
        for place, then, there in (
            ("the bar", self.recorded.bar, seen.bar),
            ("off the board", self.recorded.off, seen.off),
        ):
            for side in Side:
                if then[side.index] != there[side.index]:
                    yield Difference(place, side.sign * then[side.index], side.sign * there[side.index])

    def sentence(self, player: str) -> str:
        """Which places differ, as ``player``, whose ``side`` it is, counts his points."""
        found = self.differences
        if not found:
            return "Board and record disagree."
        texts = [difference.text for difference in found[:NAMED]]
        if len(found) > NAMED:
            texts.append(f"{len(found) - NAMED} more places")
        listed = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
        return f"Board and record disagree, in {player}’s points: {listed}."


def checkers(signed: int) -> str:
    """``3 white``, ``1 black``, ``none``"""
    return f"{abs(signed)} {'white' if signed > 0 else 'black'}" if signed else "none"
