"""Events: what happened at the table, as frozen values that serialise to JSON and back.

``t`` is seconds on the camera's clock (of a recording: video time). Slots are the 24 signed counts
of :mod:`engine.layout` (positive light, negative dark; top row left to right, then bottom row).

Some events the camera tells (:class:`BoardSeen`, :class:`Throw`, :class:`PlayMade`, ...), some only
people can (:class:`Call`, :class:`Ruling`, :class:`Correction`, ...); a match is a fold over all of them
(:mod:`engine.match`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

from engine.layout import Orientation
from engine.notation import PLACE_NAMES, PLACES
from engine.observation import Half
from engine.position import BAR, OFF, Game, Position, Side
from engine.roster import Roster, roster_from_json
from engine.rules import RuleSet, default_rules
from engine.rules import TurnEnd as TurnEndSignal

Fault = Literal[
    "cocked",
    "on_checker",
    "on_frame",
    "off_board",
    "two_halves",
    "wrong_half",
    "one_die",
    "not_from_cup",
    "premature",
    "touched",
    "wrong_dice",
    "wrong_side",
]
CUBE = 2**60  #: no cube shows as much
Colour = Literal["light", "dark"]
CubeVerb = Literal["double", "take", "drop", "beaver", "raccoon"]
CallWord = Literal["adjust", "touched", "cup"]
Decision = Literal["accept", "demand", "rethrow", "stand", "restore"]
Dice = tuple[int, int]
MoveXY = tuple[int, int]  #: from, to in points of the mover, ``BAR`` and ``OFF`` included
MOST = 99  #: more checkers than this in one place are no reading of a board


class EventError(ValueError):
    """JSON that is no event."""


def _point_value(name: Any) -> int:
    return PLACES[name] if isinstance(name, str) else _whole(name, OFF, BAR)


def _one_of(words: Any, value: Any) -> Any:
    """``value`` if it is one of a ``Literal``'s words. Raises ``ValueError``."""
    if value not in get_args(words):
        raise ValueError(f"{value!r} is none of {', '.join(get_args(words))}")
    return value


def _number(value: Any) -> float:
    """``value`` if it is a finite number. Raises ``ValueError``."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _whole(value: Any, low: int, high: int) -> int:
    """``value`` if it is a whole number of that range. Raises ``ValueError``."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{value!r} is no whole number from {low} to {high}")
    return value


def _dice(value: Any) -> Dice:
    """Two values; 0 for a die that was not seen."""
    first, second = value
    return _whole(first, 0, 6), _whole(second, 0, 6)


def _names(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        raise ValueError(f"{value!r} is not two names")
    white, black = value
    return _text(white), _text(black)


def _counts(value: Mapping[str, Any]) -> tuple[int, int]:
    return _whole(value["light"], 0, MOST), _whole(value["dark"], 0, MOST)


def _slots(value: Any) -> tuple[int, ...]:
    return tuple(_whole(slot, 0, 23) for slot in value)


def _side_name(side: Side | None) -> str | None:
    return side.value if side else None


def _side(name: str | None) -> Side | None:
    return Side(name) if name is not None else None


def _points(value: float) -> float:
    """A number of points; whole ones stay whole numbers, as they are written."""
    value = _number(value)
    return int(value) if value == int(value) else float(value)


def slots_to_json(slots: tuple[int, ...]) -> dict[str, list[dict[str, Any]]]:
    """24 signed counts as ``{"top": [{"colour", "count"}, ...], "bottom": [...]}``."""
    cells = [{"colour": "light" if n > 0 else "dark" if n < 0 else "none", "count": abs(n)} for n in slots]
    return {"top": cells[:12], "bottom": cells[12:]}


def slots_from_json(data: Mapping[str, Any]) -> tuple[int, ...]:
    """The twin of :func:`slots_to_json`. Raises ``KeyError``, ``TypeError`` or ``ValueError``."""
    sign = {"light": 1, "dark": -1, "none": 0}
    cells = [*data["top"], *data["bottom"]]
    if len(cells) != 24:
        raise ValueError(f"a board has 24 slots, not {len(cells)}")
    return tuple(sign[c["colour"]] * _whole(c["count"], 0, MOST) for c in cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSeen:
    """The board was found, or found anew after it had moved. ``corners``: pixels, top-left first."""

    type: ClassVar[str] = "board"
    t: float
    corners: tuple[tuple[float, float], ...]
    orientation: Orientation
    confidence: float

    def fields(self) -> dict[str, Any]:
        return {
            "corners": [[round(x, 1), round(y, 1)] for x, y in self.corners],
            "orientation": self.orientation.value,
            "confidence": round(self.confidence, 3),
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> BoardSeen:
        corners = tuple((float(_number(x)), float(_number(y))) for x, y in d["corners"])
        return cls(
            t=d["t"],
            corners=corners,
            orientation=Orientation(d["orientation"]),
            confidence=_number(d["confidence"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStart:
    """A match begins: what a camera cannot see of it. Its length is ``rules.match_length``.

    ``players``: White's and Black's in the first game. ``roster``: who stands behind these names,
    where it is more than one player a side.
    """

    type: ClassVar[str] = "match_start"
    t: float
    rules: RuleSet
    players: tuple[str, str] = ("White", "Black")
    roster: Roster | None = None

    def fields(self) -> dict[str, Any]:
        return {
            "game": self.rules.game.value,
            "rules": self.rules.name,
            "rule_set": self.rules.to_json(),
            "players": list(self.players),
            "roster": self.roster.to_json() if self.roster else None,
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> MatchStart:
        return cls(
            t=d["t"],
            rules=RuleSet.from_mapping(d["rule_set"]),
            players=_names(d["players"]),
            roster=roster_from_json(d["roster"]) if d.get("roster") else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStart:
    """A game begins, under a full rule set. ``side_to_move`` is ``None`` until the first throw tells.

    ``players``: White's and Black's in this game, where that is not as the rule set says (rules.md G9).
    ``turned``: White's home lies at the other player's side of the table than in the game before. Players
    keep their seats, so that they have changed colours, unless ``players`` says otherwise.
    """

    type: ClassVar[str] = "game_start"
    t: float
    rules: RuleSet
    position: Position
    side_to_move: Side | None = None
    players: tuple[str, str] | None = None
    turned: bool = False

    def fields(self) -> dict[str, Any]:
        return {
            "game": self.rules.game.value,
            "rules": self.rules.name,
            "rule_set": self.rules.to_json(),
            "position": self.position.to_json(),
            "side_to_move": _side_name(self.side_to_move),
            "players": list(self.players) if self.players else None,
            "turned": self.turned,
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> GameStart:
        # Records made before rule sets were stored name one alone: they were played by the defaults.
        usual = replace(default_rules(Game(d["game"])), name=d["rules"])
        return cls(
            t=d["t"],
            rules=RuleSet.from_mapping(d["rule_set"]) if "rule_set" in d else usual,
            position=Position.from_json(d["position"]),
            side_to_move=_side(d.get("side_to_move")),
            players=_names(d["players"]) if d.get("players") else None,
            turned=bool(d.get("turned", False)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The match goes on from here: any position, cube and score, in the middle of a game.

    ``side_to_move`` is to play ``dice`` if they are given, else to throw. ``score``: (white, black).
    ``crawford``: this is the Crawford game; where a side is within a point of the match and it is not,
    that game has been played. ``first``: who began this game, where known (rules.md B8 asks for it).
    """

    type: ClassVar[str] = "set_up"
    t: float
    position: Position
    side_to_move: Side
    dice: Dice | None = None
    score: tuple[float, float] = (0, 0)
    cube: int = 1
    cube_owner: Side | None = None
    crawford: bool = False
    game_number: int = 1
    first: Side | None = None

    def fields(self) -> dict[str, Any]:
        return {
            "position": self.position.to_json(),
            "side_to_move": self.side_to_move.value,
            "dice": list(self.dice) if self.dice else None,
            "score": list(self.score),
            "cube": self.cube,
            "cube_owner": _side_name(self.cube_owner),
            "crawford": self.crawford,
            "game_number": self.game_number,
            "first": _side_name(self.first),
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> SetUp:
        white, black = d["score"]
        return cls(
            t=d["t"],
            position=Position.from_json(d["position"]),
            side_to_move=Side(d["side_to_move"]),
            dice=_dice(d["dice"]) if d.get("dice") else None,
            score=(_points(white), _points(black)),
            cube=_whole(d["cube"], 0, CUBE),
            cube_owner=_side(d.get("cube_owner")),
            crawford=bool(d["crawford"]),
            game_number=_whole(d["game_number"], 0, 10**6),
            first=_side(d.get("first")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RollOff:
    """One die each for the first turn (rules.md G7). Equal dice are thrown again."""

    type: ClassVar[str] = "roll_off"
    t: float
    white: int
    black: int

    @property
    def winner(self) -> Side | None:
        """Who begins; ``None`` if the dice are equal."""
        if self.white == self.black:
            return None
        return Side.WHITE if self.white > self.black else Side.BLACK

    def fields(self) -> dict[str, Any]:
        return {"white": self.white, "black": self.black}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> RollOff:
        return cls(t=d["t"], white=_whole(d["white"], 1, 6), black=_whole(d["black"], 1, 6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Throw:
    """Two dice came to rest. ``faults`` says why an invalid throw is void.

    Where only one die was seen the other value is 0; where more than two lie there ``dice`` are two of
    them, the highest if nothing has been told of the throw before. ``halves``: for each die, however many
    they are, the half of the picture it lies in (left, right or off), where seen.
    """

    type: ClassVar[str] = "throw"
    t: float
    side: Side
    colour: str
    dice: Dice
    valid: bool
    faults: tuple[Fault, ...] = ()
    halves: tuple[Half, ...] = ()
    confidence: float = 1.0

    def fields(self) -> dict[str, Any]:
        return {
            "side": self.side.value,
            "colour": self.colour,
            "dice": list(self.dice),
            "valid": self.valid,
            "faults": list(self.faults),
            "halves": list(self.halves),
            "confidence": round(self.confidence, 3),
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Throw:
        return cls(
            t=d["t"],
            side=Side(d["side"]),
            colour=_one_of(Colour, d["colour"]),
            dice=_dice(d["dice"]),
            valid=bool(d["valid"]),
            faults=tuple(_one_of(Fault, fault) for fault in d["faults"]),
            halves=tuple(_one_of(Half, half) for half in d.get("halves", ())),
            confidence=_number(d["confidence"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMade:
    """A turn ended. An illegal play is recorded as it stands, with the rule it breaks.

    ``seen``: the board that the camera shows by itself, by no rule of the game, where that is clearly not
    ``position``; a correction of what went before may show that it was right.
    """

    type: ClassVar[str] = "play"
    t: float
    side: Side
    colour: str
    dice: Dice
    moves: tuple[MoveXY, ...]
    notation: str
    legal: bool
    rule: str | None
    position: Position
    slots: tuple[int, ...]
    bar: tuple[int, int]  #: light, dark
    off: tuple[int, int]  #: light, dark
    confidence: float = 1.0
    seen: Position | None = None

    def fields(self) -> dict[str, Any]:
        fields = {
            "side": self.side.value,
            "colour": self.colour,
            "dice": list(self.dice),
            "moves": [[PLACE_NAMES.get(point, point) for point in move] for move in self.moves],
            "notation": self.notation,
            "legal": self.legal,
            "rule": self.rule,
            "position": self.position.to_json(),
            "slots": slots_to_json(self.slots),
            "bar": {"light": self.bar[0], "dark": self.bar[1]},
            "off": {"light": self.off[0], "dark": self.off[1]},
            "confidence": round(self.confidence, 3),
        }
        return fields if self.seen is None else {**fields, "seen": self.seen.to_json()}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> PlayMade:
        return cls(
            t=d["t"],
            side=Side(d["side"]),
            colour=_one_of(Colour, d["colour"]),
            dice=_dice(d["dice"]),
            moves=tuple((_point_value(a), _point_value(b)) for a, b in d["moves"]),
            notation=_text(d["notation"]),
            legal=bool(d["legal"]),
            rule=_text(d["rule"]) if d["rule"] is not None else None,
            position=Position.from_json(d["position"]),
            slots=slots_from_json(d["slots"]),
            bar=_counts(d["bar"]),
            off=_counts(d["off"]),
            confidence=_number(d["confidence"]),
            seen=Position.from_json(d["seen"]) if d.get("seen") else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """A side gave a signal that ends a turn where the rule set names it (rules.md E1 to E3)."""

    type: ClassVar[str] = "turn_end"
    t: float
    side: Side  #: whose turn it ends
    how: TurnEndSignal

    def fields(self) -> dict[str, Any]:
        return {"side": self.side.value, "how": self.how}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> TurnEnd:
        return cls(t=d["t"], side=Side(d["side"]), how=_one_of(TurnEndSignal, d["how"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeAction:
    """What ``side`` does with the cube (rules.md C2 to C5).

    ``value``: the stake that a double, a beaver or a raccoon offers; the stake after a take; the stake
    that is lost by a drop. A beaver answers a double, a raccoon a beaver; both are offers in turn.
    ``rule``: the id in rules.md that a double breaks which does not count, and then nothing comes of it.
    """

    type: ClassVar[str] = "cube"
    t: float
    side: Side
    action: CubeVerb
    value: int
    rule: str | None = None

    def fields(self) -> dict[str, Any]:
        fields = {"side": self.side.value, "action": self.action, "value": self.value}
        return fields if self.rule is None else {**fields, "rule": self.rule}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> CubeAction:
        return cls(
            t=d["t"],
            side=Side(d["side"]),
            action=_one_of(CubeVerb, d["action"]),
            value=_whole(d["value"], 0, CUBE),
            rule=_text(d["rule"]) if d.get("rule") is not None else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Resignation:
    """``side`` offers to lose the game by a grade of the scoring scheme, or answers such an offer.

    ``grade``: one of ``rules.grades``, of an offer; an answer may leave it empty.
    """

    type: ClassVar[str] = "resignation"
    t: float
    side: Side
    action: Literal["offer", "accept", "refuse"]
    grade: str = ""

    def fields(self) -> dict[str, Any]:
        return {"side": self.side.value, "action": self.action, "grade": self.grade}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Resignation:
        action = _one_of(Literal["offer", "accept", "refuse"], d["action"])
        return cls(t=d["t"], side=Side(d["side"]), action=action, grade=_text(d.get("grade", "")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Words that ``side`` says and no camera hears.

    ``adjust``: he is about to straighten a checker, not to move it (rules.md E7). ``touched``: his
    opponent touched a checker and must move it (E7). ``cup``: his opponent is to throw from the cup
    (D2). ``point``: of the checker, in points of its owner, where it was named.
    """

    type: ClassVar[str] = "call"
    t: float
    side: Side
    what: CallWord
    point: int | None = None

    def fields(self) -> dict[str, Any]:
        point = PLACE_NAMES.get(self.point, self.point) if self.point is not None else None
        return {"side": self.side.value, "what": self.what, "point": point}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Call:
        point = _point_value(d["point"]) if d.get("point") is not None else None
        return cls(t=d["t"], side=Side(d["side"]), what=_one_of(CallWord, d["what"]), point=point)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The referee decides (rules.md E5, D10).

    Of the last play: it is accepted (``accept``) and stands as it was made, or a correct one is
    demanded (``demand``): the position goes back to before it and the same dice are to be played. Of
    the last throw: it is void (``rethrow``) or stands although faults were seen (``stand``). Of a board
    that is out of step: it is put back as the record says (``restore``), and once it stands so a
    :class:`Resync` follows.
    """

    type: ClassVar[str] = "ruling"
    t: float
    decision: Decision
    asked_by: Side | None = None
    reason: str = ""

    def fields(self) -> dict[str, Any]:
        return {"decision": self.decision, "asked_by": _side_name(self.asked_by), "reason": self.reason}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Ruling:
        return cls(
            t=d["t"],
            decision=_one_of(Decision, d["decision"]),
            asked_by=_side(d.get("asked_by")),
            reason=_text(d.get("reason", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """An earlier event of the same record was wrong.

    ``target``: its place in the record, from 0, corrections counted like all others. ``replace`` puts
    ``event`` in its stead, ``strike`` takes it out, ``insert`` puts ``event`` in right after it (-1: before
    all). A correction can itself be the target: striking it undoes it, replacing it corrects its event.
    """

    type: ClassVar[str] = "correction"
    t: float
    target: int
    action: Literal["replace", "strike", "insert"]
    event: Event | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.event is None) != (self.action == "strike"):
            raise ValueError(
                f"a correction that is to {self.action} needs an event if, and only if, it adds one"
            )
        if isinstance(self.event, Correction):
            raise ValueError("a correction cannot put in another correction")

    def fields(self) -> dict[str, Any]:
        event = to_json(self.event) if self.event else None
        return {"target": self.target, "action": self.action, "event": event, "reason": self.reason}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Correction:
        if d.get("event") and d["event"]["type"] == cls.type:
            raise ValueError("a correction cannot put in another correction")
        return cls(
            t=d["t"],
            target=_whole(d["target"], -1, 10**9),
            action=_one_of(Literal["replace", "strike", "insert"], d["action"]),
            event=from_json(d["event"]) if d.get("event") else None,
            reason=_text(d.get("reason", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What could not be decided: each option in words with its probability, best first."""

    type: ClassVar[str] = "doubt"
    t: float
    about: Literal["throw", "play"]
    options: tuple[tuple[str, float], ...]

    def fields(self) -> dict[str, Any]:
        options = [{"reading": text, "probability": round(p, 3)} for text, p in self.options]
        return {"about": self.about, "options": options}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Doubt:
        options = tuple((_text(o["reading"]), float(_number(o["probability"]))) for o in d["options"])
        return cls(t=d["t"], about=_one_of(Literal["throw", "play"], d["about"]), options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desync:
    """Picture and record no longer agree; judging stops. ``slots``: the slots (0-23) that differ.

    ``position``: what stands on the board as the camera sees it (``None`` in records of version 0.1).
    """

    type: ClassVar[str] = "desync"
    t: float
    reason: str
    slots: tuple[int, ...]
    position: Position | None = None

    def fields(self) -> dict[str, Any]:
        position = self.position.to_json() if self.position else None
        return {"reason": self.reason, "slots": list(self.slots), "position": position}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Desync:
        position = Position.from_json(d["position"]) if d.get("position") else None
        return cls(t=d["t"], reason=_text(d["reason"]), slots=_slots(d["slots"]), position=position)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resync:
    """Picture and record agree again, and judging goes on.

    Where the board was taken as it stands, ``slots`` differ from the record and ``position`` is what
    stands (``None`` in records of version 0.1). ``side_to_move`` has the turn, and is to play ``dice`` if
    they are given, where somebody has said so; else the next throw tells.
    """

    type: ClassVar[str] = "resync"
    t: float
    reason: str
    slots: tuple[int, ...] = ()
    position: Position | None = None
    side_to_move: Side | None = None
    dice: Dice | None = None

    def fields(self) -> dict[str, Any]:
        return {
            "reason": self.reason,
            "slots": list(self.slots),
            "position": self.position.to_json() if self.position else None,
            "side_to_move": _side_name(self.side_to_move),
            "dice": list(self.dice) if self.dice else None,
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Resync:
        return cls(
            t=d["t"],
            reason=_text(d["reason"]),
            slots=_slots(d["slots"]),
            position=Position.from_json(d["position"]) if d.get("position") else None,
            side_to_move=_side(d.get("side_to_move")),
            dice=_dice(d["dice"]) if d.get("dice") else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnd:
    """A game is over.

    ``result``: the grade (single, gammon, backgammon; oin, mars; ...), or drop, resigned, draw.
    ``points``: what that is worth by the board alone, *without* the cube and Jacoby, which the camera that
    tells of the end does not know; :class:`engine.match.Match` counts them. Of a drop it is 1; of a draw,
    which has no ``winner``, what either side gets.
    """

    type: ClassVar[str] = "game_end"
    t: float
    winner: Side | None
    result: str
    points: float

    def fields(self) -> dict[str, Any]:
        return {"winner": _side_name(self.winner), "result": self.result, "points": self.points}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> GameEnd:
        return cls(
            t=d["t"], winner=_side(d["winner"]), result=_text(d["result"]), points=_points(d["points"])
        )


Event = (
    BoardSeen
    | MatchStart
    | GameStart
    | SetUp
    | RollOff
    | Throw
    | PlayMade
    | TurnEnd
    | CubeAction
    | Resignation
    | Call
    | Ruling
    | Correction
    | Doubt
    | Desync
    | Resync
    | GameEnd
)

_TYPES: dict[str, type[Event]] = {cls.type: cls for cls in get_args(Event)}


def to_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object: ``type``, ``t`` and the fields of that type."""
    return {"type": event.type, "t": round(event.t, 3), **event.fields()}


def from_json(data: Any) -> Event:
    """The twin of :func:`to_json`. Raises ``EventError`` if it is no event's object."""
    if not isinstance(data, Mapping):
        raise EventError("not a JSON object")
    try:
        _number(data["t"])
        return _TYPES[data["type"]].parse(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error!r:.100} in {json.dumps(data, default=repr)[:200]}"
        raise EventError(f"not an event: {what}") from error


def dumps(event: Event) -> str:
    """One line of JSON."""
    return json.dumps(to_json(event), separators=(", ", ": "))


def loads(line: str) -> Event:
    """The twin of :func:`dumps`. Raises ``EventError``."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        raise EventError(f"not JSON: {error}") from error
    return from_json(data)
