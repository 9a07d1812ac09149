"""A record of either game as JSON, schema ``zarbiter.record/1`` (docs/notation.md).

Nothing of a :class:`~engine.record.Record` is lost but the line numbers of where it was read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar, get_args

from engine.events import Dice, MoveXY
from engine.notation import PLACE_NAMES, PLACES
from engine.position import BAR, OFF, Game, Position, PositionError, Side
from engine.record import Action, FormatError, GameRecord, Record, Turn
from engine.rules import RuleError, RuleSet

T = TypeVar("T")
SCHEMA = "zarbiter.record/1"
_MOST = 10**9  #: no number in a record is larger


def write_json(record: Record) -> str:
    """The record as indented JSON. Raises ``FormatError`` for a number that JSON cannot hold."""
    data = {
        "schema": SCHEMA,
        "game": record.game.value,
        "players": {"white": record.players[0], "black": record.players[1]},
        "length": record.length,
        "rules": record.rules.to_json() if record.rules else None,
        "info": [list(pair) for pair in record.info],
        "games": [game_to_json(game) for game in record.games],
    }
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    except ValueError as error:
        raise FormatError("a time, clock or score is not a finite number") from error


def read_json(text: str) -> Record:
    """The twin of :func:`write_json`.

    Raises ``FormatError``, which names the place, such as ``games[0].turns[3].dice``.
    """
    data = load_object(text)
    if data.get("schema") != SCHEMA:
        raise FormatError(f"schema is {shown(data.get('schema'))}, not {SCHEMA!r}")
    players = _object(data.get("players"), "players")
    info = []
    for i, pair in enumerate(_list(data.get("info", []), "info")):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FormatError(f"info[{i}] is not a pair of texts")
        info.append((_text(pair[0], f"info[{i}]"), _text(pair[1], f"info[{i}]")))
    game = _choice(data.get("game"), "game", {g.value: g for g in Game})
    rules = data.get("rules")
    if rules is not None:
        try:
            rules = rules_from_mapping(_object(rules, "rules"))
        except FormatError as error:
            raise FormatError(f"rules: {error.reason}") from error
        if rules.game is not game:
            raise FormatError(f"rules are of {rules.game.value}, the record is of {game.value}")
    games = enumerate(_list(data.get("games"), "games"))
    return Record(
        game=game,
        games=tuple(game_from_json(_object(g, f"games[{i}]"), f"games[{i}]") for i, g in games),
        players=(_text(players.get("white"), "players.white"), _text(players.get("black"), "players.black")),
        length=_integer(data.get("length", 0), "length", 0, _MOST),
        rules=rules,
        info=tuple(info),
    )


def load_object(text: str) -> dict[str, Any]:
    """A text that holds one JSON object, whose numbers are finite. Raises ``FormatError`` with the line."""

    def no_constant(name: str) -> NoReturn:
        raise FormatError(f"{name} is no JSON number")

    try:
        data = json.loads(text, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise FormatError("not JSON that can be read: nested too deeply") from error
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError("not JSON that can be read: a number is too long") from error
    return _object(data, "the JSON text")


def rules_from_mapping(data: Mapping[str, Any]) -> RuleSet:
    """A rule set from what stands in a file. Raises ``FormatError``, whose reason is short."""
    try:
        return RuleSet.from_mapping(data)
    except (RuleError, TypeError) as error:
        reason = str(error)
        raise FormatError(reason if len(reason) <= 600 else reason[:600] + "...") from error


def position_from_json(value: Any, where: str) -> Position:
    """A position in JSON, all of it whole numbers. Raises ``FormatError``."""
    data = _object(value, where)
    parts = {}
    for name, usual in (("points", None), ("bar", [0, 0]), ("off", [0, 0])):
        counts = _list(data.get(name, usual), f"{where}.{name}")
        parts[name] = [_integer(n, f"{where}.{name}", -_MOST, _MOST) for n in counts]
    try:
        return Position.from_json(parts)
    except PositionError as error:
        raise FormatError(f"{where}: {error}") from error


def dice_from_json(value: Any, where: str) -> Dice:
    """Two dice from 1 to 6. Raises ``FormatError``."""
    dice = [_integer(die, where, 1, 6) for die in _list(value, where)]
    if len(dice) != 2:
        raise FormatError(f"{where} is not a list of two dice")
    return dice[0], dice[1]


def side_from_json(value: Any, where: str) -> Side:
    """``white`` or ``black``. Raises ``FormatError``."""
    return _choice(value, where, {side.value: side for side in Side})


def shown(value: Any) -> str:
    """A value as it is shown in a message: short."""
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."


def game_to_json(game: GameRecord) -> dict[str, Any]:
    """One game as it stands in ``games``."""
    return {
        "start": game.start.to_json(),
        "score": list(game.score),
        "first": game.first.value if game.first else None,
        "crawford": game.crawford,
        "turns": [turn_to_json(turn) for turn in game.turns],
        "winner": game.winner.value if game.winner else None,
        "points": game.points,
        "result": game.result,
    }


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """One turn as it stands in ``turns``, without what it does not have."""
    data: dict[str, Any] = {"side": turn.side.value, "action": turn.action}
    if turn.dice is not None:
        data["dice"] = list(turn.dice)
    if turn.moves is not None:
        data["moves"] = [[PLACE_NAMES.get(point, point) for point in move] for move in turn.moves]
    if turn.after is not None:
        data["after"] = turn.after.to_json()
    if turn.value:
        data["value"] = turn.value
    if turn.t is not None:
        data["t"] = turn.t
    if turn.clock is not None:
        data["clock"] = list(turn.clock)
    if turn.comment:
        data["comment"] = turn.comment
    return data


def game_from_json(data: Mapping[str, Any], where: str) -> GameRecord:
    """The twin of :func:`game_to_json`; ``where`` is its place, for messages. Raises ``FormatError``."""
    winner, first = data.get("winner"), data.get("first")
    crawford = data.get("crawford", False)
    if not isinstance(crawford, bool):
        raise FormatError(f"{where}.crawford is {shown(crawford)}, neither true nor false")
    turns = []
    for i, turn in enumerate(_list(data.get("turns"), f"{where}.turns")):
        place = f"{where}.turns[{i}]"
        turns.append(turn_from_json(_object(turn, place), place))
    return GameRecord(
        start=position_from_json(data.get("start"), f"{where}.start"),
        turns=tuple(turns),
        score=_pair(data.get("score", [0, 0]), f"{where}.score"),
        first=None if first is None else side_from_json(first, f"{where}.first"),
        crawford=crawford,
        winner=None if winner is None else side_from_json(winner, f"{where}.winner"),
        points=_number(data.get("points", 0), f"{where}.points"),
        result=_text(data.get("result", ""), f"{where}.result"),
    )


def turn_from_json(data: Mapping[str, Any], where: str) -> Turn:
    """The twin of :func:`turn_to_json`; ``where`` is its place, for messages. Raises ``FormatError``."""
    actions: dict[str, Action] = {action: action for action in get_args(Action)}
    dice, moves, after, t, clock = (data.get(name) for name in ("dice", "moves", "after", "t", "clock"))
    return Turn(
        side=side_from_json(data.get("side"), f"{where}.side"),
        action=_choice(data.get("action", "play"), f"{where}.action", actions),
        dice=None if dice is None else dice_from_json(dice, f"{where}.dice"),
        moves=None if moves is None else tuple(_moves(moves, f"{where}.moves")),
        after=None if after is None else position_from_json(after, f"{where}.after"),
        value=_integer(data.get("value", 0), f"{where}.value", 0, _MOST),
        t=None if t is None else _number(t, f"{where}.t"),
        clock=None if clock is None else _pair(clock, f"{where}.clock"),
        comment=_text(data.get("comment", ""), f"{where}.comment"),
    )


def _moves(value: Any, where: str) -> list[MoveXY]:
    moves = []
    for i, move in enumerate(_list(value, where)):
        place = f"{where}[{i}]"
        points = [PLACES.get(p, p) if isinstance(p, str) else p for p in _list(move, place)]
        if len(points) != 2:
            raise FormatError(f"{place} is not a pair of points")
        moves.append((_integer(points[0], place, OFF, BAR), _integer(points[1], place, OFF, BAR)))
    return moves


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{where} is {shown(value)}, not an object")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{where} is {shown(value)}, not a list")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise FormatError(f"{where} is {shown(value)}, not a text")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise FormatError(f"{where} holds half of a character")
    return value


def _integer(value: Any, where: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise FormatError(f"{where} is {shown(value)}, not a whole number from {least} to {most}")
    return value


def _number(value: Any, where: str) -> float:
    # Whole numbers stay what they are, so that what is written again is the same text.
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= _MOST:
        raise FormatError(f"{where} is {shown(value)}, not a number up to {_MOST}")
    return value


def _pair(value: Any, where: str) -> tuple[float, float]:
    pair = [_number(number, where) for number in _list(value, where)]
    if len(pair) != 2:
        raise FormatError(f"{where} is not a pair of numbers")
    return pair[0], pair[1]


def _choice(value: Any, where: str, choices: Mapping[str, T]) -> T:
    if not isinstance(value, str) or value not in choices:
        raise FormatError(f"{where} is {shown(value)}, none of {', '.join(choices)}")
    return choices[value]
