"""OGXM, the binary match format of the OpenGammon programs, by way of its own library (``zarbiter[ogxm]``).

The library is native code that reads what strangers send, so it runs in a process of its own, with a
limit on time and memory: a file that brings it down brings down nothing else.

What OGXM has a field for is written there, so that every program sees it: players, length, rules of the
cube, games, scores, rolls, moves, cube, resignations and the video time of each turn. An illegal play is
a roll with the position that stood after it. What it has no field for goes into annotations: ``comment``,
``zarbiter.clock`` (seconds left, White and Black), and where a turn, a game or the match says more than the
fields can hold, that part in the JSON of docs/notation.md, in ``zarbiter.turn``, ``.game`` or ``.record``.
Only the order of the two dice is lost: the larger comes first.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from engine.events import Dice, MoveXY
from engine.formats.moves import moved, taken_apart
from engine.formats.record_json import (
    game_from_json,
    game_to_json,
    load_object,
    read_json,
    turn_from_json,
    turn_to_json,
    write_json,
)
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn

LARGEST = 16 * 1024 * 1024  #: bytes of a file that are read
_SECONDS = 20  #: that the library may take
_GAME = Game.BACKGAMMON
_ROLLS = [(low, high) for low in range(1, 7) for high in range(low, 7)]  # action ids 0 to 20
_DOUBLE, _TAKE, _DROP, _RESIGN_GAME, _RESIGN_MATCH, _SET_POSITION = 21, 22, 23, 27, 28, 31
_GRADES = {"single": 1, "gammon": 2, "backgammon": 3}
_ENDS = {"dropped": "drop", "resigned": "resigned"}
_CHUNK = 4000  #: letters of an annotation; the format allows 4096 bytes

#: Run by the other process: read or write, from the standard input to the standard output.
_CODEC = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
import ogxm
data = sys.stdin.buffer.read()
try:
    if sys.argv[1] == "read":
        sys.stdout.write(json.dumps(ogxm.binary_to_json(data)))
    else:
        document = json.loads(data)
        problem = ogxm.v2_problem(document)
        if problem:
            sys.exit("the rule of OGXM that it breaks: " + problem)
        sys.stdout.buffer.write(ogxm.json_to_binary(document))
except ogxm.OgxmError as error:
    sys.exit(str(error))
"""


def read_ogxm(data: bytes) -> Record:
    """The match in an OGXM file. Raises ``FormatError``, also where the library is missing."""
    if len(data) > LARGEST:
        raise FormatError(f"more than {LARGEST} bytes are no OGXM match")
    if data[:4] != b"OGXM":
        raise FormatError("not an OGXM file: it does not begin with OGXM")
    return _record(_document(data))


def write_ogxm(record: Record) -> bytes:
    """The twin of :func:`read_ogxm`.

    Raises ``FormatError`` for long nardy, beavers, and what OGXM refuses, such as a side that plays twice
    on end.
    """
    if record.game is not _GAME:
        raise FormatError("OGXM is for backgammon; long nardy is written as .nardy or .json")
    fields = _fields(record)
    # What does not come back is told in annotations, and so nothing is lost.
    seen = _record(_document(_run("write", json.dumps(fields).encode())))
    scopes = ("match", "game", "ply")  # the order that the format demands
    notes = _annotations(record, seen)
    fields["annotations"] = sorted(notes, key=lambda n: (scopes.index(n["scope"]), n["ref"], n["key"]))
    return _run("write", json.dumps(fields).encode())


def _run(what: str, data: bytes) -> bytes:
    if find_spec("ogxm") is None:
        raise FormatError("OGXM needs the package ogxm: pip install 'zarbiter[ogxm]'")
    try:
        command = [sys.executable, "-P", "-c", _CODEC, what]
        done = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise FormatError(f"OGXM: the library took more than {_SECONDS} seconds") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        reason = said[-1] if said else f"the library stopped with status {done.returncode}"
        raise FormatError(f"OGXM cannot be {'read' if what == 'read' else 'written'}: {reason[:200]}")
    return done.stdout


def _document(data: bytes) -> dict[str, Any]:
    return load_object(_run("read", data).decode())


# Writing


def _fields(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "match_length": record.length,
        "player_white": record.players[0],
        "player_black": record.players[1],
        "crawford": any(game.crawford for game in record.games),
        "games": [_game_fields(game, n) for n, game in enumerate(record.games)],
    }
    if record.games:
        white, black = record.games[0].score
        fields |= {"white_score_start": _whole(white, "score"), "black_score_start": _whole(black, "score")}
    if rules := record.rules:
        fields["crawford"] = bool(record.length and rules.crawford)
        unlimited = {"jacoby": rules.jacoby, "beavers": rules.beaver, "raccoons": rules.raccoon}
        fields |= {} if record.length else {name: True for name, on in unlimited.items() if on}
        fields |= {"cube_limit": rules.cube_cap} if rules.cube_cap else {}
    if event := dict(record.info).get("Event"):
        fields["event"] = event
    return fields


def _game_fields(game: GameRecord, number: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"game_index": number, "is_crawford": game.crawford, "plies": []}
    position: Position | None = game.start
    if game.start != Position.start(_GAME):
        fields["initial_board"] = _board(game.start)
    if game.winner is not None:
        ends = {name: end for end, name in _ENDS.items()}
        fields |= {"winner": game.winner.index, "points_won": _whole(game.points, "points")}
        fields["termination"] = ends.get(game.result, "played_out")
    for turn in game.turns:
        ply, position = _ply(turn, position)
        fields["plies"].append(ply)
    return fields


def _ply(turn: Turn, position: Position | None) -> tuple[dict[str, Any], Position | None]:
    """A turn as a ply, and what stands after it where that is known."""
    ply: dict[str, Any] = {"color": int(turn.side is Side.WHITE)}
    if turn.t is not None and 0 <= turn.t * 1000 < 1 << 32:
        ply["video_ms"] = round(turn.t * 1000)
    if turn.action == "resign":
        names = {value: name for name, value in _GRADES.items()}
        return ply | {"action_id": _RESIGN_GAME, "resign_value": names.get(turn.value, "single")}, position
    if turn.action != "play":
        actions = {"double": _DOUBLE, "take": _TAKE, "drop": _DROP}
        if turn.action not in actions:
            raise FormatError(f"OGXM has no {turn.action}")
        return ply | {"action_id": actions[turn.action]}, position
    # A position has the colour of the side whose turn it is in it.
    board: dict[str, Any] = {"color": int(turn.side is Side.BLACK), "action_id": _SET_POSITION}
    if turn.dice is None:
        if turn.after is None:
            raise FormatError("OGXM has no turn without dice and without a position after it")
        return ply | board | {"set_position": _board(turn.after)}, turn.after
    low, high = sorted(turn.dice)
    roll = ply | {"action_id": _ROLLS.index((low, high)), "d1": low, "d2": high, "moves": []}
    if turn.moves is None and turn.after is None:
        return roll, position
    made = moved(position, _GAME, turn.side, turn.moves) if position and turn.moves is not None else None
    after = turn.after or (made[0] if made else None)
    single = taken_apart(turn.moves or (), (low, high), position, turn.side)
    steps = _steps(turn.side, single, (low, high))
    if steps is not None and (made is None or made[0] == after) and turn.moves is not None:
        return roll | {"moves": steps}, after
    if after is None:
        raise FormatError("OGXM has no room for these moves, and what stood after them is not known")
    return ply | board | {"d1": low, "d2": high, "illegal": True, "set_position": _board(after)}, after


def _steps(side: Side, moves: Sequence[MoveXY], dice: tuple[int, int]) -> list[dict[str, int]] | None:
    """The moves, one a die; ``None`` if the dice do not explain them."""
    steps, left = [], [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
    for start, end in moves:
        pips = start - end
        if end == OFF:  # a die that is larger than needed may bear off (rules.md B4)
            pips = min((die for die in left if die >= pips), default=0)
        if start == OFF or pips not in left:
            return None
        left.remove(pips)
        steps.append({"from": BAR - start if side is Side.WHITE else start, "pips": pips})
    return steps


def _board(position: Position) -> list[int]:
    """26 counts, White's positive: White's bar, his points from 24 to 1, Black's bar."""
    return [position.bar[0], *reversed(position.points), -position.bar[1]]


def _whole(number: float, name: str) -> int:
    if number != int(number) or number < 0:
        raise FormatError(f"OGXM has whole numbers only, and the {name} is {number}")
    return int(number)


def _annotations(record: Record, seen: Record) -> Iterator[dict[str, Any]]:
    """What ``record`` says and ``seen``, which is what came back of its fields, does not."""
    ply = 0
    for n, (game, there) in enumerate(zip(record.games, seen.games, strict=True)):
        for turn, back in zip(game.turns, there.turns, strict=True):
            told = back
            if turn.comment and len(turn.comment.encode()) <= _CHUNK:
                yield {"scope": "ply", "ref": ply, "key": "comment", "value": turn.comment}
                told = replace(told, comment=turn.comment)
            if turn.clock is not None:
                yield {"scope": "ply", "ref": ply, "key": "zarbiter.clock", "value": json.dumps(turn.clock)}
                told = replace(told, clock=turn.clock)
            if told != replace(turn, line=0, dice=_high_first(turn.dice)):
                yield from _note("ply", ply, "turn", turn_to_json(turn))
            ply += 1
        if replace(game, turns=(), line=0) != replace(there, turns=()):
            yield from _note("game", n, "game", game_to_json(replace(game, turns=())))
    bare, told_match = replace(record, games=()), replace(seen, games=())
    if bare != told_match:
        yield from _note("match", 0, "record", json.loads(write_json(bare)))


def _high_first(dice: Dice | None) -> Dice | None:
    return (max(dice), min(dice)) if dice else None


def _note(scope: str, ref: int, name: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    text = json.dumps(data, separators=(",", ":"))
    for part, start in enumerate(range(0, len(text), _CHUNK)):
        key = f"zarbiter.{name}" + (f".{part:04}" if part else "")
        yield {"scope": scope, "ref": ref, "key": key, "value": text[start : start + _CHUNK]}


# Reading


def _record(document: Mapping[str, Any]) -> Record:
    try:
        return _match(document)
    except FormatError:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise FormatError(f"OGXM: the library gives a document of another shape: {error!r}") from error


def _match(document: Mapping[str, Any]) -> Record:
    notes: dict[tuple[str, int], dict[str, str]] = {}
    for note in document.get("annotations", ()):
        if "key" in note:
            notes.setdefault((note["scope"], note.get("ref", 0)), {})[note["key"]] = note["value"]
    length = document["match_length"]
    score = [document.get("white_score_start", 0), document.get("black_score_start", 0)]
    clock = _Clock(document.get("clock_info"))
    games, ply = [], 0
    for n, game in enumerate(document["games"]):
        games.append(_game(game, n, ply, (score[0], score[1]), notes, clock))
        ply += len(game["plies"])
        if game.get("winner") in (0, 1):
            # The deciding game gives only the points that were still needed.
            score[game["winner"]] += game.get("points_won", 0)
            score[game["winner"]] = min(score[game["winner"]], length) if length else score[game["winner"]]
    named = (("Event", "event"), ("Stage", "stage"), ("City", "city"), ("Site", "site"))
    record = Record(
        game=_GAME,
        games=tuple(games),
        players=(document["player_white"], document["player_black"]),
        length=length,
        info=tuple((name, str(document[key])) for name, key in named if document.get(key)),
    )
    whole = _noted(notes.get(("match", 0), {}), "record")
    return replace(read_json(whole), games=record.games) if whole else record


def _game(
    game: Mapping[str, Any],
    number: int,
    first_ply: int,
    score: tuple[int, int],
    notes: Mapping[tuple[str, int], Mapping[str, str]],
    clock: _Clock,
) -> GameRecord:
    start = _position(game["initial_board"]) if "initial_board" in game else Position.start(_GAME)
    turns: list[Turn] = []
    cube = game.get("initial_cube_value", 1)
    plies = game["plies"]
    for place, ply in enumerate(plies, first_ply):
        told = notes.get(("ply", place), {})
        marks = clock.after(ply)
        if ply["action_id"] == _SET_POSITION and "d1" not in ply and not turns:
            start = _position(ply["set_position"])
        following = plies[place - first_ply + 1].get("color") if place - first_ply + 1 < len(plies) else None
        turn = _turn(ply, cube, following)
        if turn is None:
            continue
        if turn.action == "take":
            cube *= 2
        if "zarbiter.clock" in told:
            text = f'{{"side": "white", "clock": {told["zarbiter.clock"]}}}'
            marks = turn_from_json(load_object(text), f"zarbiter.clock of ply {place}").clock
        turn = replace(turn, clock=marks, comment=told.get("comment", ""))
        exact = _noted(told, "turn")
        turns.append(turn_from_json(load_object(exact), f"zarbiter.turn of ply {place}") if exact else turn)
    side = {0: Side.WHITE, 1: Side.BLACK}.get(game.get("winner", 255))
    record = GameRecord(
        start=start,
        score=score,
        crawford=game.get("is_crawford", False),
        winner=side,
        points=game.get("points_won", 0) if side else 0,
        result=_ENDS.get(str(game.get("termination")), ""),
    )
    exact = _noted(notes.get(("game", number), {}), "game")
    if exact:
        record = game_from_json(load_object(exact), f"zarbiter.game of game {number + 1}")
    return replace(record, turns=tuple(turns))


def _noted(notes: Mapping[str, str], name: str) -> str:
    """The text of a note of ours, put together from its parts; ``""`` if there is none."""
    key = f"zarbiter.{name}"
    parts: list[str] = []
    while (text := notes.get(f"{key}.{len(parts):04}" if parts else key)) is not None:
        parts.append(text)
    return "".join(parts)


def _turn(ply: Mapping[str, Any], cube: int, following: int | None) -> Turn | None:
    """A ply as a turn; ``None`` for one that is no deed of a player, such as the end of the game.

    ``following``: the colour of the next ply.
    """
    action = ply["action_id"]
    t = ply["video_ms"] / 1000 if "video_ms" in ply else None
    if "color" not in ply:
        return None
    side = Side.WHITE if ply["color"] else Side.BLACK
    if action < len(_ROLLS):
        moves = tuple(_moved_by(side, step) for step in ply.get("moves", ()))
        return Turn(
            side=side, dice=_ROLLS[action][::-1], moves=None if ply.get("unplayed_roll") else moves, t=t
        )
    if action == _DOUBLE:
        return Turn(side=side, action="double", value=cube * 2, t=t)
    if action in (_TAKE, _DROP):
        return Turn(side=side, action="take" if action == _TAKE else "drop", t=t)
    if action in (_RESIGN_GAME, _RESIGN_MATCH):
        return Turn(side=side, action="resign", value=_GRADES.get(str(ply.get("resign_value")), 1), t=t)
    if action == _SET_POSITION:
        dice = _high_first((ply["d1"], ply["d2"])) if "d1" in ply else None
        mover = (side if following in (None, ply["color"]) else side.other).other
        return Turn(side=mover, dice=dice, after=_position(ply["set_position"]), t=t)
    return None


def _moved_by(side: Side, step: Mapping[str, int]) -> MoveXY:
    start = BAR - step["from"] if side is Side.WHITE else step["from"]
    return start, max(OFF, start - step["pips"])


def _position(board: Sequence[int]) -> Position:
    points = tuple(reversed(board[1:25]))
    bar = board[0], -board[25]
    off = [CHECKERS - bar[s.index] - sum(max(0, n * s.sign) for n in points) for s in Side]
    return Position(points, bar, (off[0], off[1]))


class _Clock:
    """The clocks of a match whose file tells reserve, delay and when each turn ended."""

    def __init__(self, settings: Mapping[str, Any] | None) -> None:
        self.settings = settings
        self.last = 0
        self.left = [settings.get("reserve_ms", 0)] * 2 if settings else [0, 0]

    def after(self, ply: Mapping[str, Any]) -> tuple[float, float] | None:
        """Seconds left for White and Black after a ply."""
        if self.settings is None or "timestamp_ms" not in ply or "color" not in ply:
            return None
        used = ply["timestamp_ms"] - self.last - self.settings.get("delay_ms", 0)
        self.last = ply["timestamp_ms"]
        self.left[0 if ply["color"] else 1] += self.settings.get("increment_ms", 0) - max(0, used)
        return self.left[0] / 1000, self.left[1] / 1000
