"""Events: what happened at the table, as frozen values that serialise to JSON and back.

``t`` is seconds on the camera's clock (of a recording: video time). Slots are the 24 signed counts
of :mod:`engine.layout` (positive light, negative dark; top row left to right, then bottom row).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from engine.layout import Orientation
from engine.observation import Half
from engine.position import BAR, OFF, Game, Position, Side
from engine.rules import RuleSet, default_rules

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
]
Dice = tuple[int, int]
MoveXY = tuple[int, int]  #: from, to in points of the mover, ``BAR`` and ``OFF`` included


class EventError(ValueError):
    """JSON that is no event."""


def _point_name(point: int) -> int | str:
    return {BAR: "bar", OFF: "off"}.get(point, point)


def _point_value(name: int | str) -> int:
    return {"bar": BAR, "off": OFF}[name] if isinstance(name, str) else int(name)


def slots_to_json(slots: tuple[int, ...]) -> dict[str, list[dict[str, Any]]]:
    """24 signed counts as ``{"top": [{"colour", "count"}, ...], "bottom": [...]}``."""
    cells = [{"colour": "light" if n > 0 else "dark" if n < 0 else "none", "count": abs(n)} for n in slots]
    return {"top": cells[:12], "bottom": cells[12:]}


def slots_from_json(data: Mapping[str, Any]) -> tuple[int, ...]:
    """The twin of :func:`slots_to_json`."""
    sign = {"light": 1, "dark": -1, "none": 0}
    return tuple(sign[c["colour"]] * int(c["count"]) for c in [*data["top"], *data["bottom"]])


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
        corners = tuple((float(x), float(y)) for x, y in d["corners"])
        return cls(
            t=d["t"], corners=corners, orientation=Orientation(d["orientation"]), confidence=d["confidence"]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStart:
    """A game begins, under a full rule set. ``side_to_move`` is ``None`` until the first throw tells."""

    type: ClassVar[str] = "game_start"
    t: float
    rules: RuleSet
    position: Position
    side_to_move: Side | None = None

    def fields(self) -> dict[str, Any]:
        return {
            "game": self.rules.game.value,
            "rules": self.rules.name,
            "rule_set": self.rules.to_json(),
            "position": self.position.to_json(),
            "side_to_move": self.side_to_move.value if self.side_to_move else None,
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> GameStart:
        side = Side(d["side_to_move"]) if d.get("side_to_move") else None
        # Records made before rule sets were stored name one alone: they were played by the defaults.
        usual = replace(default_rules(Game(d["game"])), name=d["rules"])
        return cls(
            t=d["t"],
            rules=RuleSet.from_mapping(d["rule_set"]) if "rule_set" in d else usual,
            position=Position.from_json(d["position"]),
            side_to_move=side,
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
        return cls(t=d["t"], white=int(d["white"]), black=int(d["black"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Throw:
    """Two dice came to rest. ``faults`` says why an invalid throw is void.

    Where only one die was seen the other value is 0. ``halves``: for each die the half of the
    picture it lies in (left, right or off), where seen.
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
            colour=d["colour"],
            dice=(int(d["dice"][0]), int(d["dice"][1])),
            valid=bool(d["valid"]),
            faults=tuple(d["faults"]),
            halves=tuple(d.get("halves", ())),
            confidence=d["confidence"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMade:
    """A turn ended. An illegal play is recorded as it stands, with the rule it breaks."""

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

    def fields(self) -> dict[str, Any]:
        return {
            "side": self.side.value,
            "colour": self.colour,
            "dice": list(self.dice),
            "moves": [[_point_name(a), _point_name(b)] for a, b in self.moves],
            "notation": self.notation,
            "legal": self.legal,
            "rule": self.rule,
            "position": self.position.to_json(),
            "slots": slots_to_json(self.slots),
            "bar": {"light": self.bar[0], "dark": self.bar[1]},
            "off": {"light": self.off[0], "dark": self.off[1]},
            "confidence": round(self.confidence, 3),
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> PlayMade:
        return cls(
            t=d["t"],
            side=Side(d["side"]),
            colour=d["colour"],
            dice=(int(d["dice"][0]), int(d["dice"][1])),
            moves=tuple((_point_value(a), _point_value(b)) for a, b in d["moves"]),
            notation=d["notation"],
            legal=bool(d["legal"]),
            rule=d["rule"],
            position=Position.from_json(d["position"]),
            slots=slots_from_json(d["slots"]),
            bar=(d["bar"]["light"], d["bar"]["dark"]),
            off=(d["off"]["light"], d["off"]["dark"]),
            confidence=d["confidence"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeAction:
    """A double, take or drop; ``value`` is the stake after a take, offered by a double."""

    type: ClassVar[str] = "cube"
    t: float
    side: Side
    action: Literal["double", "take", "drop"]
    value: int

    def fields(self) -> dict[str, Any]:
        return {"side": self.side.value, "action": self.action, "value": self.value}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> CubeAction:
        return cls(t=d["t"], side=Side(d["side"]), action=d["action"], value=int(d["value"]))


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
        options = tuple((o["reading"], float(o["probability"])) for o in d["options"])
        return cls(t=d["t"], about=d["about"], options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desync:
    """Picture and record no longer agree; judging stops. ``slots``: the slots (0-23) that differ."""

    type: ClassVar[str] = "desync"
    t: float
    reason: str
    slots: tuple[int, ...]

    def fields(self) -> dict[str, Any]:
        return {"reason": self.reason, "slots": list(self.slots)}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Desync:
        return cls(t=d["t"], reason=d["reason"], slots=tuple(d["slots"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Resync:
    """Picture and record agree again, and judging goes on."""

    type: ClassVar[str] = "resync"
    t: float
    reason: str
    slots: tuple[int, ...] = ()

    def fields(self) -> dict[str, Any]:
        return {"reason": self.reason, "slots": list(self.slots)}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Resync:
        return cls(t=d["t"], reason=d["reason"], slots=tuple(d["slots"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnd:
    """A game is over. ``result``: single, gammon, backgammon; oin, mars; drop, resigned."""

    type: ClassVar[str] = "game_end"
    t: float
    winner: Side
    result: str
    points: int

    def fields(self) -> dict[str, Any]:
        return {"winner": self.winner.value, "result": self.result, "points": self.points}

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> GameEnd:
        return cls(t=d["t"], winner=Side(d["winner"]), result=d["result"], points=int(d["points"]))


Event = BoardSeen | GameStart | RollOff | Throw | PlayMade | CubeAction | Doubt | Desync | Resync | GameEnd

_TYPES: dict[str, type[Event]] = {
    cls.type: cls
    for cls in (BoardSeen, GameStart, RollOff, Throw, PlayMade, CubeAction, Doubt, Desync, Resync, GameEnd)
}


def to_json(event: Event) -> dict[str, Any]:
    """An event as the JSON object of the design: ``type``, ``t`` and the fields of that type."""
    return {"type": event.type, "t": round(event.t, 3), **event.fields()}


def from_json(data: Mapping[str, Any]) -> Event:
    """The twin of :func:`to_json`. Raises ``EventError`` if the object is no event."""
    try:
        return _TYPES[data["type"]].parse(data)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise EventError(f"not an event: {error!r} in {json.dumps(dict(data))[:200]}") from error


def dumps(event: Event) -> str:
    """One line of JSON."""
    return json.dumps(to_json(event), separators=(", ", ": "))


def loads(line: str) -> Event:
    """The twin of :func:`dumps`. Raises ``EventError``."""
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise EventError(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise EventError("not a JSON object")
    return from_json(data)
