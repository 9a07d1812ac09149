"""Match text (``.mat``), the form in which backgammon programs exchange games.

There is no formal specification; what is written here is read by GNU Backgammon. Plays are written
as they were made, legal or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.events import CubeAction, Event, GameEnd, GameStart, PlayMade
from engine.position import Game, Side


class RecordError(ValueError):
    """Events that have no form as match text."""


@dataclass(slots=True)
class _Game:
    turns: list[tuple[Side, str]] = field(default_factory=list)
    end: GameEnd | None = None


def write_mat(events: Iterable[Event], players: tuple[str, str] = ("White", "Black"), length: int = 0) -> str:
    """Events as match text; White is the left column.

    Raises ``RecordError`` if there is no game in them, or one of long nardy, for which the format
    has no meaning.
    """
    games: list[_Game] = []
    for event in events:
        if isinstance(event, GameStart):
            if event.rules.game is not Game.BACKGAMMON:
                raise RecordError("match text (.mat) is for short backgammon; long nardy has no such form")
            games.append(_Game())
        elif not games:
            continue
        elif isinstance(event, PlayMade):
            games[-1].turns.append((event.side, _play(event)))
        elif isinstance(event, CubeAction):
            word = {"double": f"Doubles => {event.value}", "take": "Takes", "drop": "Drops"}[event.action]
            games[-1].turns.append((event.side, word))
        elif isinstance(event, GameEnd):
            games[-1].end = event
    if not games:
        raise RecordError("no game in these events")
    lines = [f" {length} point match", ""]
    score = [0, 0]
    for number, game in enumerate(games, 1):
        lines += _game(number, game, players, score)
    return "\n".join(lines) + "\n"


def _play(event: PlayMade) -> str:
    high, low = max(event.dice), min(event.dice)
    # The format has numbers only: the bar is 25, off is 0.
    moves = " ".join(f"{a}/{b}" for a, b in event.moves)
    return f"{high}{low}: {moves}".rstrip() if moves else f"{high}{low}: Cannot Move"


def _game(number: int, game: _Game, players: tuple[str, str], score: list[int]) -> list[str]:
    left, right = (f"{name} : {points}" for name, points in zip(players, score, strict=True))
    lines = [f" Game {number}", f" {left:<33}{right}"]
    rows: list[list[str]] = []
    for side, text in game.turns:
        if side is Side.WHITE or not rows or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][side.index] = text
    for count, (white, black) in enumerate(rows, 1):
        lines.append(f"{count:3d}) {white:<29}{black}".rstrip())
    if game.end is not None:
        points = "1 point" if game.end.points == 1 else f"{game.end.points} points"
        indent = " " * (6 if game.end.winner is Side.WHITE else 34)
        lines.append(f"{indent}Wins {points}")
        score[game.end.winner.index] += game.end.points
    lines.append("")
    return lines
