"""A position as a picture shows it, in the forms that programs read.

A picture tells slots, the bar and dice. It does not tell which way round a game is played on the board,
who is on roll or, mostly, what was borne off: that is for whoever asks to say. The light checkers
are White's. What a side lacks of its fifteen counts as borne off.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Dice
from engine.formats.fibs import board_of, format_fibs
from engine.formats.gnubg_ids import format_gnubg_id
from engine.formats.positions import format_position
from engine.formats.state import MatchState
from engine.formats.xgid import format_xgid
from engine.layout import SLOTS, Orientation, from_slots, index_at
from engine.position import CHECKERS, Game, Position, Side, point_of
from engine.record import FormatError

#: The forms in which a position can be told, in the order in which they are shown.
FORMS = ("xgid", "gnubg_id", "fibs", "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenBoard:
    """What a picture shows, with what it does not tell.

    ``slots``: 24 signed counts, positive light (:mod:`engine.layout`). ``bar``: light and dark. ``dice``:
    those of the side on roll, if they are thrown. ``home``: the corner of the light side's 1-point.
    ``turn``: the side on roll, White being light.
    """

    slots: tuple[int, ...]
    bar: tuple[int, int] = (0, 0)
    dice: Dice | None = None
    home: Orientation = Orientation.BOTTOM_RIGHT
    turn: Side = Side.WHITE
    game: Game = Game.BACKGAMMON
    cube: int = 1
    cube_owner: Side | None = None

    @property
    def state(self) -> MatchState:
        """The board as a state of an unlimited match. Raises ``FormatError`` if no game can stand so."""
        points = from_slots(self.slots, self.home)
        standing = (
            sum(n for n in points if n > 0) + self.bar[0],
            sum(-n for n in points if n < 0) + self.bar[1],
        )
        for colour, count in zip(("light", "dark"), standing, strict=True):
            if count > CHECKERS:
                raise FormatError(f"there are {count} {colour} checkers, more than {CHECKERS}")
        if self.game is Game.LONG_NARDY and any(self.bar):
            raise FormatError("there is no bar in long nardy")
        off = CHECKERS - standing[0], CHECKERS - standing[1]
        return MatchState(
            position=Position(points, self.bar, off),
            on_roll=self.turn,
            dice=self.dice,
            cube=self.cube,
            owner=self.cube_owner,
        )

    def text(self, form: str) -> str:
        """The board in one of :data:`FORMS`; ``position`` is the short form (docs/notation.md).

        Raises ``FormatError`` where the form has no room for it.
        """
        if form != "position" and self.game is Game.LONG_NARDY:
            raise FormatError("XGID, GNU Backgammon's ids and FIBS boards are not for long nardy")
        state = self.state
        match form:
            case "xgid":
                return format_xgid(state)
            case "gnubg_id":
                return format_gnubg_id(state)
            case "fibs":
                return format_fibs(board_of(state))
            case "position":
                return format_position(state.position, self.game, state.on_roll, state.dice)
            case _:
                raise ValueError(f"{form} is none of the forms {', '.join(FORMS)}")

    def numbers(self) -> tuple[int, ...]:
        """The number of each slot's point, as the side on roll counts them."""
        return tuple(point_of(self.game, self.turn, index_at(self.home, slot)) for slot in range(SLOTS))
