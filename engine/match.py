"""A match as a fold over its events: score, game, whose turn, cube.

:meth:`Match.apply` takes one event and returns the match after it; nothing is changed in place, so
any earlier state can be kept and the rest replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from engine.events import (
    BoardSeen,
    CubeAction,
    Desync,
    Dice,
    Doubt,
    Event,
    GameEnd,
    GameStart,
    PlayMade,
    Resync,
    RollOff,
    Throw,
)
from engine.layout import Orientation
from engine.position import BAR, CHECKERS, Game, Position, Side
from engine.rules import RuleSet

Phase = Literal["before", "to_throw", "to_play", "cube_offered", "game_over", "match_over"]


class MatchError(ValueError):
    """An event that cannot follow what went before."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended; ``points`` without the cube (rules.md P1, P2, P4)."""

    winner: Side
    result: Literal["single", "gammon", "backgammon", "oin", "mars"]
    points: int


def game_result(position: Position, game: Game) -> GameResult | None:
    """The result if a side has borne off all its checkers (B7), else ``None``."""
    for winner in Side:
        if position.off[winner.index] == CHECKERS:
            loser = winner.other
            if position.off[loser.index]:
                return GameResult(winner, "oin" if game is Game.LONG_NARDY else "single", 1)
            if game is Game.LONG_NARDY:
                return GameResult(winner, "mars", 2)
            # The winner's home is the loser's points 19 to 24.
            left_behind = any(position.count(game, loser, p) for p in (*range(19, 25), BAR))
            return GameResult(winner, "backgammon", 3) if left_behind else GameResult(winner, "gammon", 2)
    return None


@dataclass(frozen=True, slots=True)
class Match:
    """A match in progress.

    ``length`` is the points to win, 0 for unlimited play. ``score`` is (white, black). ``cube`` is
    the stake, ``cube_owner`` ``None`` while it is in the middle.
    """

    rules: RuleSet
    length: int = 0
    players: tuple[str, str] = ("White", "Black")
    score: tuple[float, float] = (0, 0)
    game_number: int = 0
    phase: Phase = "before"
    position: Position | None = None
    orientation: Orientation = Orientation.BOTTOM_RIGHT
    side_to_move: Side | None = None
    dice: Dice | None = None
    dice_valid: bool = True
    turn: int = 0
    cube: int = 1
    cube_owner: Side | None = None
    in_step: bool = True
    last_play: PlayMade | None = None

    @classmethod
    def replay(
        cls, events: Iterable[Event], rules: RuleSet, length: int = 0, players: tuple[str, str] | None = None
    ) -> Match:
        """The match after all these events. Raises ``MatchError`` at one that cannot follow."""
        match = cls(rules, length, players or ("White", "Black"))
        for event in events:
            match = match.apply(event)
        return match

    @property
    def winner(self) -> Side | None:
        """Who has won the match, if it has a length and is over."""
        if self.length:
            for side in Side:
                if self.score[side.index] >= self.length:
                    return side
        return None

    def name(self, side: Side) -> str:
        """The player's name."""
        return self.players[side.index]

    def apply(self, event: Event) -> Match:
        """The match after ``event``. Raises ``MatchError`` if it cannot follow."""
        match event:
            case BoardSeen():
                return replace(self, orientation=event.orientation)
            case GameStart():
                return self._started(event)
            case RollOff():
                return self._rolled_off(event)
            case Throw():
                self._need_game(event)
                side = event.side if event.valid or self.side_to_move is None else self.side_to_move
                return replace(
                    self,
                    side_to_move=side,
                    dice=event.dice,
                    dice_valid=event.valid,
                    phase="to_play" if event.valid else "to_throw",
                )
            case PlayMade():
                self._need_game(event)
                return replace(
                    self,
                    position=event.position,
                    side_to_move=event.side.other,
                    dice=event.dice,
                    dice_valid=True,
                    phase="to_throw",
                    turn=self.turn + 1,
                    last_play=event,
                )
            case CubeAction():
                return self._cubed(event)
            case Desync():
                return replace(self, in_step=False)
            case Resync():
                return replace(self, in_step=True)
            case Doubt():
                return self
            case GameEnd():
                return self._ended(event)
            case _:
                return self

    def _need_game(self, event: Event) -> Position:
        if self.position is None or self.phase in ("before", "game_over", "match_over"):
            raise MatchError(f"a {event.type} at {event.t:.1f} s, but no game is being played")
        return self.position

    def _started(self, event: GameStart) -> Match:
        if self.winner is not None:
            raise MatchError(f"a game starts at {event.t:.1f} s, but the match is won")
        if event.rules.game is not self.rules.game:
            raise MatchError(f"a game of {event.rules.game.value} in a match of {self.rules.game.value}")
        return replace(
            self,
            game_number=self.game_number + 1,
            phase="to_throw",
            position=event.position,
            side_to_move=event.side_to_move,
            dice=None,
            dice_valid=True,
            turn=0,
            cube=1,
            cube_owner=None,
            in_step=True,
            last_play=None,
        )

    def _rolled_off(self, event: RollOff) -> Match:
        self._need_game(event)
        if self.turn or self.phase != "to_throw":
            raise MatchError(f"a roll-off at {event.t:.1f} s, but the game is under way")
        if event.winner is None:
            return self
        # Short: the two dice are the first roll; long: the starter throws both (G7).
        if self.rules.game is Game.BACKGAMMON:
            dice = (event.white, event.black)
            return replace(self, side_to_move=event.winner, dice=dice, dice_valid=True, phase="to_play")
        return replace(self, side_to_move=event.winner)

    def _cubed(self, event: CubeAction) -> Match:
        self._need_game(event)
        if event.action == "double":
            if self.phase != "to_throw" or self.cube_owner not in (None, event.side):
                raise MatchError(f"{self.name(event.side)} may not double at {event.t:.1f} s")  # C2, C4
            return replace(self, phase="cube_offered", side_to_move=event.side)
        if self.phase != "cube_offered":
            raise MatchError(f"a {event.action} at {event.t:.1f} s, but nothing was offered")
        if event.action == "take":
            return replace(self, phase="to_throw", cube=self.cube * 2, cube_owner=event.side)
        return replace(self, phase="game_over")  # the game_end that follows brings the points

    def _ended(self, event: GameEnd) -> Match:
        if self.position is None or self.phase in ("before", "match_over"):
            raise MatchError(f"a game_end at {event.t:.1f} s, but no game is being played")
        score: list[float] = list(self.score)
        for side in [event.winner] if event.winner else list(Side):
            score[side.index] += event.points
        ended = replace(self, score=(score[0], score[1]), phase="game_over", side_to_move=None)
        return replace(ended, phase="match_over") if ended.winner else ended
