"""The text notation of long nardy, ``.nardy`` files (docs/notation.md).

Tags as in PGN, then the games: a line a turn, with roll and moves in points of the mover, 24 (the head)
down to 1. Nothing of a :class:`~engine.record.Record` is lost but the line numbers of where it was read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, get_args

from engine.events import Dice, MoveXY
from engine.formats.moves import MOST_MOVES
from engine.formats.positions import format_position, parse_position
from engine.formats.record_json import rules_from_mapping, shown
from engine.legal import HEAD
from engine.notation import NO_PLAY, PLACES, point_name
from engine.position import BAR, OFF, Game, Position, Side
from engine.record import Action, FormatError, GameRecord, Record, Turn
from engine.rules import RuleSet

_GAME = Game.LONG_NARDY
_START = Position.start(_GAME)
_ACTIONS: dict[str, Action] = {action: action for action in get_args(Action) if action != "play"}
_SIDES = {"white": Side.WHITE, "black": Side.BLACK}
_OWN_TAGS = (
    "Game", "White", "Black", "Length", "Rules", "RulesTitle", "RulesSource", "RulesUnsettled", "Option"
)  # fmt: skip

_TAG = re.compile(r'\[([^\s"\[\]]+)\s+"((?:[^"\\]|\\.)*)"\]')
_ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|.)?", re.DOTALL)
_TURN = re.compile(r"(?:[0-9]{1,6}\.)?\s*(white|black)\s+(.*)", re.IGNORECASE | re.DOTALL)
_ROLL = re.compile(r"(?:([1-6])([1-6])|--):")
_POINT = r"(?:head|bar|off|[0-9]{1,2})"
_CHAIN = re.compile(rf"({_POINT}(?:-{_POINT}){{1,4}})(?:\(([1-4])\))?", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,25})?(?:e[+-]?[0-9]{1,3})?")
_MARK = re.compile(r"!(?:[A-Z]{1,2}[0-9]{1,2})?")


def write_nardy(record: Record, breaches: Mapping[tuple[int, int], Sequence[str]] | None = None) -> str:
    """The record in the notation.

    ``breaches``: ids of the rules that a turn breaks, by the numbers of game and turn, from 0. Raises
    ``FormatError`` for a record of backgammon and for what no turn of nardy can be.
    """
    if record.game is not _GAME:
        raise FormatError("this notation is for long nardy; backgammon is written as .mat or .sgf")
    lines = [_tag("Game", _GAME.value), _tag("White", record.players[0]), _tag("Black", record.players[1])]
    lines.append(_tag("Length", str(record.length)))
    if record.rules:
        lines += _rules_tags(record.rules)
    for name, text in record.info:
        if name in _OWN_TAGS or not re.fullmatch(r'[^\s"\[\]]+', name):
            raise FormatError(f"{shown(name)} cannot be the name of a tag of one's own")
        lines.append(_tag(name, text))
    for g, game in enumerate(record.games):
        lines += ["", f"Game {g + 1}"]
        if tuple(game.score) != (0, 0):
            lines.append(f"Score: {_number_text(game.score[0])} {_number_text(game.score[1])}")
        if game.start != _START:
            lines.append(f"Start: {_position_text(game.start)}")
        if game.first:
            lines.append(f"First: {_name(game.first)}")
        if game.crawford:
            lines.append("Crawford")
        for n, turn in enumerate(game.turns):
            marks = breaches.get((g, n), ()) if breaches else ()
            lines.append(f"{n + 1}. {_turn_text(turn, marks)}")
        if game.winner or game.points or game.result:
            winner = _name(game.winner) if game.winner else "-"
            lines.append(f"Result: {winner} {_number_text(game.points)} {_escaped(game.result)}".rstrip())
    return "\n".join(lines) + "\n"


def read_nardy(text: str) -> Record:
    """The twin of :func:`write_nardy`; marks of broken rules are not kept. Raises ``FormatError``."""
    tags: dict[str, tuple[str, int]] = {}
    lists: dict[str, list[tuple[str, int]]] = {"RulesSource": [], "RulesUnsettled": [], "Option": []}
    info: list[tuple[str, str]] = []
    lines = _lines(text)
    games: list[list[tuple[int, str]]] = []
    for number, line in lines:
        if re.fullmatch(r"game [0-9]{1,6}", line, re.IGNORECASE):
            games.append([(number, line)])
        elif games:
            games[-1].append((number, line))
        else:
            name, value = _read_tag(line, number)
            if name in lists:
                lists[name].append((value, number))
            elif name not in _OWN_TAGS:
                info.append((name, value))
            elif name in tags:
                raise FormatError(f"a second tag {name}", number)
            else:
                tags[name] = value, number
    game, number = tags.get("Game", ("", 0))
    if game != _GAME.value:
        raise FormatError(
            f"no tag [Game {_GAME.value!r}]" if not game else f"the game is {shown(game)}", number
        )
    length, number = tags.get("Length", ("0", 0))
    if not re.fullmatch(r"[0-9]{1,9}", length):
        raise FormatError(f"Length is {shown(length)}, not a number of points", number)
    return Record(
        game=_GAME,
        games=tuple(_read_game(rows) for rows in games),
        players=(tags.get("White", ("White", 0))[0], tags.get("Black", ("Black", 0))[0]),
        length=int(length),
        rules=_read_rules(tags, lists),
        info=tuple(info),
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers; a line that begins with ``;`` is a remark."""
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = raw.strip()
        if line and not line.startswith(";"):
            yield number, line


# Tags and texts


def _tag(name: str, value: str) -> str:
    return f'[{name} "{_escaped(value, quoted=True)}"]'


def _escaped(text: str, quoted: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if quoted:
        return text.replace('"', '\\"')
    # Spaces at the ends of a line would be lost.
    inner = text.strip()
    if not inner:
        return "".join(f"\\u{ord(letter):04x}" for letter in text)
    start = text.index(inner)
    ends = text[:start], text[start + len(inner) :]
    first, last = ("".join(f"\\u{ord(letter):04x}" for letter in end) for end in ends)
    return first + inner + last


def _unescaped(text: str, line: int) -> str:
    def letter(found: re.Match[str]) -> str:
        code = found[1] or ""
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in ("\\", "n", "r", '"'):
            raise FormatError(f"\\{code} stands for nothing; a backslash is written \\\\", line)
        return {"n": "\n", "r": "\r"}.get(code, code)

    return _ESCAPE.sub(letter, text)


def _read_tag(line: str, number: int) -> tuple[str, str]:
    found = _TAG.fullmatch(line)
    if found is None:
        raise FormatError(f'neither a tag [Name "text"] nor Game 1: {shown(line)}', number)
    return found[1], _unescaped(found[2], number)


def _rules_tags(rules: RuleSet) -> list[str]:
    tags = [_tag("Rules", rules.name)]
    if rules.title:
        tags.append(_tag("RulesTitle", rules.title))
    tags += [_tag("RulesSource", source) for source in rules.sources]
    tags += [_tag("RulesUnsettled", point) for point in rules.unsettled]
    data = rules.to_json()
    for name in rules.differences():
        tags.append(_tag("Option", f"{name} = {json.dumps(data[name])}"))
    return tags


def _read_rules(
    tags: Mapping[str, tuple[str, int]], lists: Mapping[str, list[tuple[str, int]]]
) -> RuleSet | None:
    if "Rules" not in tags:
        for name in ("RulesTitle", *lists):
            if name in tags or lists.get(name):
                line = tags[name][1] if name in tags else lists[name][0][1]
                raise FormatError(f"a tag {name} without a tag Rules", line)
        return None
    name, line = tags["Rules"]
    data: dict[str, Any] = {"game": _GAME.value, "name": name}
    data["title"] = tags["RulesTitle"][0] if "RulesTitle" in tags else ""
    data["sources"] = [text for text, _ in lists["RulesSource"]]
    data["unsettled"] = [text for text, _ in lists["RulesUnsettled"]]
    rules = _rule_set(data, line)
    for text, line in lists["Option"]:
        option, _, value = text.partition("=")
        try:
            data[option.strip()] = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{shown(text)} is not an option with its value in JSON", line) from error
        # Options may depend on each other, in the order in which they are written.
        rules = _rule_set(data, line)
    return rules


def _rule_set(data: Mapping[str, Any], line: int) -> RuleSet:
    try:
        return rules_from_mapping(data)
    except FormatError as error:
        raise FormatError(f"rules: {error.reason}", line) from error


# Games and turns


def _name(side: Side) -> str:
    return side.value.capitalize()


def _number_text(number: float) -> str:
    if not math.isfinite(number):
        raise FormatError("a time, clock or score is not a finite number")
    return str(number)


def _position_text(position: Position) -> str:
    text = format_position(position, _GAME)
    parse_position(text)  # refuses what cannot stand on a board of nardy, such as checkers on a bar
    return text


def _turn_text(turn: Turn, breaches: Sequence[str]) -> str:
    words = [_name(turn.side)]
    if turn.action == "play":
        if turn.value:
            raise FormatError(f"a play has a value, {turn.value}, but only an action of the cube has one")
        words.append(_roll_text(turn.dice))
        if turn.moves is None:
            words.append("?")
        else:
            words += [_move_text(move) for move in turn.moves] or [NO_PLAY]
    else:
        if turn.dice is not None or turn.moves is not None:
            raise FormatError(f"a {turn.action} has dice or moves, but only a play has them")
        words.append(f"{turn.action} {turn.value}" if turn.value else turn.action)
    if turn.after is not None:
        words.append(f"= {_position_text(turn.after)}")
    for mark in breaches:
        if not _MARK.fullmatch(f"!{mark}"):
            raise FormatError(f"{shown(mark)} is not the id of a rule")
        words.append(f"!{mark}")
    if turn.t is not None:
        words.append(f"@{_number_text(turn.t)}")
    if turn.clock is not None:
        words.append(f"clock {_number_text(turn.clock[0])} {_number_text(turn.clock[1])}")
    if turn.comment:
        words.append(f"; {_escaped(turn.comment)}")
    return " ".join(words)


def _roll_text(dice: Dice | None) -> str:
    if dice is None:
        return "--:"
    if not all(1 <= die <= 6 for die in dice):
        raise FormatError(f"dice {dice[0]} and {dice[1]} are not from 1 to 6")
    return f"{dice[0]}{dice[1]}:"


def _move_text(move: MoveXY) -> str:
    if not all(OFF <= point <= BAR for point in move):
        raise FormatError(f"there is no move from {move[0]} to {move[1]}")
    return f"{point_name(move[0])}-{point_name(move[1])}"


def _read_game(rows: Sequence[tuple[int, str]]) -> GameRecord:
    head: dict[str, Any] = {"start": _START}
    turns: list[Turn] = []
    ended = False
    for number, line in rows[1:]:
        if ended:
            raise FormatError(f"after the result there can only be another game: {shown(line)}", number)
        if found := _TURN.fullmatch(line):
            turns.append(_read_turn(_SIDES[found[1].lower()], found[2], number))
            continue
        name, _, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if name in ("score", "start", "first", "crawford") and turns:
            raise FormatError(f"{name} belongs before the first turn", number)
        if name == "score":
            words = value.split()
            if len(words) != 2:
                raise FormatError(f"a score is two numbers, not {shown(value)}", number)
            head["score"] = _number(words[0], number), _number(words[1], number)
        elif name == "start":
            head["start"] = _read_position(value, number)
        elif name == "first" and value.lower() in _SIDES:
            head["first"] = _SIDES[value.lower()]
        elif name == "crawford" and not value:
            head["crawford"] = True
        elif name == "result":
            head |= _read_result(value, number)
            ended = True
        else:
            raise FormatError(f"neither a turn nor a line of a game: {shown(line)}", number)
    return GameRecord(turns=tuple(turns), line=rows[0][0], **head)


def _read_result(text: str, line: int) -> dict[str, Any]:
    winner, _, rest = text.partition(" ")
    points, _, result = rest.strip().partition(" ")
    if winner != "-" and winner.lower() not in _SIDES:
        raise FormatError(f"the winner is White, Black or -, not {shown(winner)}", line)
    return {
        "winner": _SIDES.get(winner.lower()),
        "points": _number(points, line),
        "result": _unescaped(result.strip(), line),
    }


def _read_turn(side: Side, text: str, line: int) -> Turn:
    body, _, comment = text.partition(";")
    words = body.split()
    parts: dict[str, Any] = {}
    if words and (roll := _ROLL.fullmatch(words[0])):
        parts["dice"] = (int(roll[1]), int(roll[2])) if roll[1] else None
        words = words[1:]
        count = next((n for n, w in enumerate(words) if w[0] in "=!@" or w.lower() == "clock"), len(words))
        parts["moves"] = _read_moves(words[:count], line)
        words = words[count:]
    elif words and words[0].lower() in _ACTIONS:
        parts["action"] = _ACTIONS[words.pop(0).lower()]
        if words and re.fullmatch(r"[0-9]{1,9}", words[0]):
            parts["value"] = int(words.pop(0))
    else:
        raise FormatError(
            f"neither a roll such as 65: nor {', '.join(_ACTIONS)}: {shown(body.strip())}", line
        )
    while words:
        word = words.pop(0)
        if word == "=" and words and "after" not in parts:
            parts["after"] = _read_position(words.pop(0), line)
        elif word[0] == "@" and "t" not in parts:
            parts["t"] = _number(word[1:], line)
        elif word.lower() == "clock" and len(words) > 1 and "clock" not in parts:
            parts["clock"] = _number(words.pop(0), line), _number(words.pop(0), line)
        elif not _MARK.fullmatch(word):
            raise FormatError(f"cannot read {shown(word)} in a turn", line)
    return Turn(side=side, comment=_unescaped(comment.strip(), line), line=line, **parts)


def _read_moves(words: Sequence[str], line: int) -> tuple[MoveXY, ...] | None:
    if words == ["?"]:
        return None
    if [word.lower() for word in words] == NO_PLAY.split():
        return ()
    moves: list[MoveXY] = []
    for word in words:
        chain = _CHAIN.fullmatch(word.rstrip(","))
        if chain is None:
            raise FormatError(f"{shown(word)} is not a move such as 24-18, head-18 or 5-off", line)
        stops = [_point(name, line) for name in chain[1].lower().split("-")]
        moves += list(pairwise(stops)) * int(chain[2] or 1)
        if len(moves) > MOST_MOVES:
            raise FormatError("more moves in one play than there can be", line)
    if not moves:
        raise FormatError(f"a roll without moves, {NO_PLAY} or ? after it", line)
    return tuple(moves)


def _point(name: str, line: int) -> int:
    point = {"head": HEAD, **PLACES}.get(name)
    point = int(name) if point is None else point
    if point > BAR:
        raise FormatError(f"there is no point {point}", line)
    return point


def _read_position(text: str, line: int) -> Position:
    if not text.lower().startswith("nardy:"):
        raise FormatError(f"a position begins with nardy:, not {shown(text)}", line)
    try:
        return parse_position(text)[0].position
    except FormatError as error:
        raise FormatError(error.reason, line) from error


def _number(text: str, line: int) -> float:
    if not _NUMBER.fullmatch(text):
        raise FormatError(f"{shown(text)} is not a number", line)
    number = float(text) if set(text) & set(".e") else int(text)
    if not math.isfinite(number):
        raise FormatError(f"{shown(text)} is too large a number", line)
    return number
