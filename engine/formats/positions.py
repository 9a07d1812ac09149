"""Positions as they are given on a command line (docs/notation.md).

``start``, an XGID, GNU Backgammon's ids, a FIBS board, the JSON of a position, or the short form
``nardy:w=24:14,18:1/b=24:15/black/65``: the checkers of White and of Black, each on its own points,
then the side on roll and its dice. In the short form what is missing from fifteen is borne off unless
``off`` is given.
"""

from __future__ import annotations

import re

from engine.events import Dice
from engine.formats.fibs import parse_fibs, state_of
from engine.formats.gnubg_ids import parse_gnubg_id, parse_position_id
from engine.formats.record_json import dice_from_json, load_object, position_from_json, shown, side_from_json
from engine.formats.state import MatchState
from engine.formats.xgid import parse_xgid
from engine.notation import PLACES, point_name
from engine.position import BAR, CHECKERS, Game, Position, Side, index_of
from engine.record import FormatError

_GAMES = {
    "nardy": Game.LONG_NARDY,
    "long-nardy": Game.LONG_NARDY,
    "long_nardy": Game.LONG_NARDY,
    "backgammon": Game.BACKGAMMON,
    "bg": Game.BACKGAMMON,
}
_NAMES = {Game.LONG_NARDY: "nardy", Game.BACKGAMMON: "backgammon"}
_SIDES = {"w": Side.WHITE, "white": Side.WHITE, "b": Side.BLACK, "black": Side.BLACK}
_FORMS = (
    "start, nardy:start, an XGID, a GNU Backgammon id, a FIBS board, a JSON position, or the short form "
    "nardy:w=24:15/b=24:15"
)


def parse_position(text: str, game: Game = Game.BACKGAMMON) -> tuple[MatchState, Game]:
    """A position in any of the forms, and the game that it belongs to.

    ``game`` is that of ``start`` and of JSON that names none. White is on roll where nothing is said.
    Raises ``FormatError``.
    """
    text = text.strip()
    if text.startswith("{"):
        return _parse_json(text, game)
    if text.startswith("board:"):
        return state_of(parse_fibs(text)), Game.BACKGAMMON
    if text.upper().startswith("XGID") or re.match(r"[-A-Pa-p]{26}:", text):
        return parse_xgid(text), Game.BACKGAMMON
    if re.fullmatch(r"[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12}", text):
        return parse_gnubg_id(text), Game.BACKGAMMON
    if re.fullmatch(r"[A-Za-z0-9+/]{14}", text):
        return MatchState(position=parse_position_id(text), on_roll=Side.WHITE), Game.BACKGAMMON
    name, _, rest = text.partition(":")
    if name == "start":
        rest = text
    elif name.lower() in _GAMES:
        game = _GAMES[name.lower()]
    else:
        raise FormatError(f"{shown(text)} is no position; a position is {_FORMS}")
    return _parse_short(rest, game), game


def format_position(
    position: Position, game: Game, on_roll: Side | None = None, dice: Dice | None = None
) -> str:
    """The short form. Raises ``FormatError`` for dice without the side that threw them."""
    if dice is not None and on_roll is None:
        raise FormatError("dice in a position belong to a side on roll")
    text = f"{_NAMES[game]}:w={_places(position, game, Side.WHITE)}/b={_places(position, game, Side.BLACK)}"
    if on_roll is not None:
        text += f"/{on_roll.value}"
    return text + (f"/{dice[0]}{dice[1]}" if dice else "")


def _places(position: Position, game: Game, side: Side) -> str:
    places = [
        f"{point_name(point)}:{count}"
        for point in range(BAR, 0, -1)
        if (count := position.count(game, side, point))
    ]
    # Borne-off checkers go without saying, unless a side has not fifteen in all.
    if position.checkers(side) != CHECKERS or not places:
        places.append(f"off:{position.off[side.index]}")
    return ",".join(places)


def _parse_short(text: str, game: Game) -> MatchState:
    parts = [part.strip() for part in text.strip().split("/")]
    points, bar, off = [0] * 24, [0, 0], [0, 0]
    if parts[0].lower() == "start":
        position = Position.start(game)
        rest = parts[1:]
    else:
        if len(parts) < 2 or parts[0][:2].lower() != "w=" or parts[1][:2].lower() != "b=":
            raise FormatError(
                f"{shown(text)} does not begin with start or w=POINT:COUNT,.../b=POINT:COUNT,..."
            )
        for side, part in zip(Side, parts, strict=False):
            _stand(part[2:], game, side, points, bar, off)
        position, rest = Position(tuple(points), (bar[0], bar[1]), (off[0], off[1])), parts[2:]
    on_roll, dice = Side.WHITE, None
    if rest and rest[0].lower() in _SIDES:
        on_roll = _SIDES[rest.pop(0).lower()]
    if rest and (thrown := re.fullmatch(r"([1-6])[-: ]?([1-6])", rest[0])):
        dice = int(thrown[1]), int(thrown[2])
        rest.pop(0)
    if rest:
        raise FormatError(
            f"{shown(rest[0])} in a position is neither the side on roll nor, after it, two dice"
        )
    return MatchState(position=position, on_roll=on_roll, dice=dice)


def _stand(text: str, game: Game, side: Side, points: list[int], bar: list[int], off: list[int]) -> None:
    """Put the checkers of a side that ``text`` names where they stand."""
    total, told_off = 0, False
    for place in filter(None, (place.strip().lower() for place in text.split(","))):
        found = re.fullmatch(r"(bar|off|[0-9]{1,2})(?::([0-9]{1,2}))?", place)
        if found is None:
            raise FormatError(
                f"{shown(place)} is no point with a number of checkers, such as 24:2, bar:1 or off:3"
            )
        point = PLACES[found[1]] if found[1].isalpha() else int(found[1])
        count = int(found[2] or 1)
        total += count
        if found[1] == "off":
            off[side.index] += count
            told_off = True
        elif found[1] == "bar":
            bar[side.index] += count
        elif not 1 <= point <= 24:
            raise FormatError(f"{found[1]} is no point; there are 1 to 24, bar and off")
        else:
            index = index_of(game, side, point)
            if points[index] * side.sign < 0:
                raise FormatError(f"both sides have checkers on white's {index + 1}-point")
            points[index] += count * side.sign
    if total > CHECKERS:
        raise FormatError(f"{side.value} has {total} checkers, more than {CHECKERS}")
    if bar[side.index] and game is Game.LONG_NARDY:
        raise FormatError("there is no bar in long nardy")
    if not told_off:
        off[side.index] = CHECKERS - total


def _parse_json(text: str, game: Game) -> tuple[MatchState, Game]:
    data = load_object(text)
    name = data.get("game", _NAMES[game])
    if not isinstance(name, str) or name not in _GAMES:
        raise FormatError(f"game is {shown(name)}, none of {', '.join(_GAMES)}")
    game = _GAMES[name]
    nested = data.get("position")
    if nested is None:
        # ``board`` is what the files of positions in this project call the points.
        nested = {
            "points": data.get("points", data.get("board")),
            **{n: data[n] for n in ("bar", "off") if n in data},
        }
    position = position_from_json(nested, "position")
    for side in Side:
        if position.checkers(side) > CHECKERS:
            raise FormatError(f"{side.value} has {position.checkers(side)} checkers, more than {CHECKERS}")
    if any(position.bar) and game is Game.LONG_NARDY:
        raise FormatError("there is no bar in long nardy")
    side_name = next((data[n] for n in ("side_to_move", "side", "turn") if data.get(n) is not None), "white")
    dice = data.get("dice")
    state = MatchState(
        position=position,
        on_roll=side_from_json(side_name, "side_to_move"),
        dice=None if dice is None else dice_from_json(dice, "dice"),
    )
    return state, game
