"""A game followed turn by turn while it is read or written, as far as the record tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.formats.moves import moved, whole
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from engine.rules import default_rules
from engine.scoring import game_result

MAX_LENGTH, MAX_POINTS, MAX_CUBE = 999, 999_999, 1 << 24  #: what a reader takes


@dataclass(slots=True)
class Following:
    """What stands on the board (``None`` once that is not known), the cube, and an offer not yet answered."""

    position: Position | None
    game: Game = Game.BACKGAMMON
    cube: int = 1
    offer: Turn | None = None
    before_last: Position | None = None  #: what stood before the last turn

    def follow(self, turn: Turn) -> None:
        """Take one turn into account. A roll without its play changes nothing."""
        self.before_last = self.position
        if turn.action == "play":
            if turn.after is not None:
                self.position = turn.after
            elif turn.moves is not None and self.position is not None:
                done = moved(self.position, self.game, turn.side, turn.moves)
                self.position = done[0] if done else None
            self.offer = None
        elif turn.action in ("double", "beaver", "raccoon"):
            if self.offer is not None and turn.action != "double":
                self.cube = self.offer.value  # a beaver or a raccoon takes what it answers
            self.offer = turn
        elif turn.action == "take" and self.offer is not None:
            self.cube, self.offer = self.offer.value, None
        elif turn.action == "drop":
            self.offer = None

    @property
    def next_stake(self) -> int:
        """The stake that the next double, beaver or raccoon offers."""
        return 2 * (self.offer.value if self.offer else self.cube)

    def resignation(self, last: Turn | None, winner: Side, points: float) -> Turn | None:
        """The resignation that must have ended a game, if it is known that nothing else did.

        Neither match text nor SGF writes one down: programs conclude it from the points of a game that
        was neither played out nor dropped, and so do the readers here.
        """
        if last is not None and last.action in ("drop", "resign"):
            return None
        if self.position is None or self.position.off[winner.index] == CHECKERS:
            return None
        grade = max(1, min(3, -int(-points // self.cube)))
        return Turn(side=winner.other, action="resign", value=grade)

    def result(self, last: Turn | None, winner: Side | None) -> str:
        """The name of the result, as far as the turns tell it; else ``""``."""
        if winner is None:
            return ""
        if last is not None and last.action in ("drop", "resign"):
            return {"drop": "drop", "resign": "resigned"}[last.action]
        found = game_result(self.position, default_rules(self.game)) if self.position is not None else None
        return found.result if found is not None and found.winner is winner else ""


def crawford_games(games: Sequence[GameRecord], length: int) -> list[bool]:
    """Which games are played without the cube by the scores before them (rules.md C9).

    It is the first of them before which one side alone is a point short of ``length``.
    """
    short = [length > 0 and (game.score[0] == length - 1) != (game.score[1] == length - 1) for game in games]
    first = short.index(True) if True in short else len(short)
    return [place == first for place in range(len(short))]


def refuse_what_has_no_form(record: Record, form: str) -> None:
    """Raise ``FormatError`` for what neither match text nor SGF can hold; ``form``: the one to name."""
    if record.game is not Game.BACKGAMMON:
        raise FormatError(f"{form} is for short backgammon; long nardy has no such form")
    if not record.games:
        raise FormatError("no game to write")
    if not 0 <= record.length <= MAX_LENGTH:
        raise FormatError(f"a match to {record.length} points has no form in {form}")
    for game in record.games:
        if not whole(game.start):
            raise FormatError("a game that does not start with fifteen checkers a side")
        for points in (*game.score, game.points):
            if not 0 <= points <= MAX_POINTS or points != int(points):
                raise FormatError(f"{points:g} points; {form} has whole points only")
        if game.winner is not None and not game.points:
            raise FormatError("a game that was won without points")
        for turn in game.turns:
            _refuse_turn(turn, form)


def _refuse_turn(turn: Turn, form: str) -> None:
    if turn.action == "play":
        if turn.dice is None or not all(die in range(1, 7) for die in turn.dice):
            raise FormatError(f"a play without its roll has no form in {form}")
        if not all(OFF <= point <= BAR for move in turn.moves or () for point in move):
            raise FormatError("a move to or from a point that there is not")
        if turn.after is not None and not whole(turn.after):
            raise FormatError(f"a position in which a side has not fifteen checkers has no form in {form}")
    elif turn.action in ("double", "beaver", "raccoon") and not 0 < turn.value <= MAX_CUBE:
        raise FormatError(f"a cube of {turn.value}")
