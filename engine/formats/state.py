"""The state of a match at one moment: what XGID, GNU Backgammon's ids and the FIBS board carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.events import Dice
from engine.position import BAR, CHECKERS, Game, Position, Side, index_of
from engine.record import FormatError

Offer = Literal["", "double", "beaver", "raccoon"]
Phase = Literal["none", "playing", "over", "resigned", "dropped"]

#: The stake that an offer asks for, in multiples of the cube as it stood before the double.
OFFERED: dict[Offer, int] = {"": 1, "double": 2, "beaver": 4, "raccoon": 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """Position, side on roll, dice, cube, score and the rules that go with them.

    ``on_roll``: the side that is to throw, has thrown, or has doubled instead of throwing. ``dice`` is
    ``None`` before the throw. ``cube`` and ``owner`` (``None``: the middle) are as they were before what
    ``offer`` says: the double that waits for an answer, the beaver or the raccoon to it; in the phase
    ``dropped`` what was dropped. ``resigned``: 1 to 3 times the cube if that is offered and not yet
    accepted; in the phase ``resigned`` what was accepted. ``score`` is (white, black). ``crawford`` belongs
    to matches, ``jacoby`` and ``beavers`` to unlimited play (``length`` 0). ``max_cube``: the highest value
    of the cube.

    Raises ``FormatError`` for a state that cannot be.
    """

    position: Position
    on_roll: Side
    dice: Dice | None = None
    cube: int = 1
    owner: Side | None = None
    offer: Offer = ""
    resigned: int = 0
    score: tuple[int, int] = (0, 0)
    length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    max_cube: int = 1024
    phase: Phase = "playing"

    def __post_init__(self) -> None:
        if self.dice is not None and not all(1 <= die <= 6 for die in self.dice):
            raise FormatError(f"dice {self.dice[0]} and {self.dice[1]} are not from 1 to 6")
        if self.dice is not None and self.offer:
            raise FormatError(f"a {self.offer} is offered before the throw, not with dice on the board")
        for name, value in (("cube", self.cube), ("highest cube", self.max_cube)):
            if value < 1 or value & (value - 1):
                raise FormatError(f"the {name} is {value}, which is no power of two")
        if self.owner is not None and self.cube == 1:
            raise FormatError(f"the cube shows 1 and so is nobody's, not {self.owner.value}'s")
        if self.offer and self.phase not in ("playing", "dropped"):
            raise FormatError(f"a {self.offer} cannot wait for an answer while no game is played")
        if self.phase == "dropped" and not self.offer:
            raise FormatError("a game ends with a drop only where something was offered")
        if self.resigned and self.phase not in ("playing", "resigned"):
            raise FormatError("a resignation cannot wait for an answer while no game is played")
        if not 0 <= self.resigned <= 3:
            raise FormatError(f"a resignation of {self.resigned} games is none of 1, 2 and 3")
        if self.length < 0 or min(self.score) < 0:
            raise FormatError("the match length or the score is negative")
        if self.length and (self.jacoby or self.beavers):
            raise FormatError("Jacoby and beavers belong to unlimited play, not to a match")
        if self.crawford and not self.length:
            raise FormatError("the Crawford rule belongs to a match, not to unlimited play")

    @property
    def turn(self) -> Side:
        """The side that has to act: throw, move, or answer an offer or a resignation."""
        side = self.on_roll.other if self.offer in ("double", "raccoon") else self.on_roll
        return side.other if self.resigned else side


def own_counts(position: Position, side: Side) -> list[int]:
    """Checkers of a side in backgammon on its own points 1 to 24 and, last, on the bar."""
    return [position.count(Game.BACKGAMMON, side, point) for point in range(1, BAR + 1)]


def position_from_counts(white: list[int], black: list[int]) -> Position:
    """The twin of :func:`own_counts`, for both sides; whatever is missing from fifteen is borne off.

    Raises ``FormatError`` if a side has more than fifteen or both stand on one point.
    """
    points = [0] * 24
    for side, counts in ((Side.WHITE, white), (Side.BLACK, black)):
        if sum(counts) > CHECKERS:
            raise FormatError(f"{side.value} has {sum(counts)} checkers, more than {CHECKERS}")
        for point, count in enumerate(counts[:24], 1):
            index = index_of(Game.BACKGAMMON, side, point)
            if count and points[index]:
                raise FormatError(f"both sides have checkers on white's {index + 1}-point")
            points[index] += count * side.sign
    off = CHECKERS - sum(white), CHECKERS - sum(black)
    return Position(tuple(points), (white[24], black[24]), off)


def demand_fifteen(position: Position, form: str) -> None:
    """Raise ``FormatError`` unless each side has fifteen checkers, since ``form`` counts none borne off."""
    for side in Side:
        if position.checkers(side) != CHECKERS:
            raise FormatError(
                f"{side.value} has {position.checkers(side)} checkers in all; {form} needs {CHECKERS}"
            )
