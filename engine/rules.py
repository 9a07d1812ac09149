"""Rule sets: the options under which a match is played, as data (rules.md; ids in brackets).

A :class:`RuleSet` is a frozen value. Every option is a field of it, and :data:`OPTIONS` tells for
each what it decides, which values it may have, to which games it belongs and which rows of the
catalogue it comes from. Presets are TOML files that the program reads (:mod:`zarbiter.presets`);
this module turns their content, and JSON, into rule sets and back, and says in one line what is
wrong with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from engine.position import Game

T = TypeVar("T")
BOTH = (Game.BACKGAMMON, Game.LONG_NARDY)
SHORT, LONG = (Game.BACKGAMMON,), (Game.LONG_NARDY,)

Direction = Literal["ccw", "cw", "either"]
TurnEnd = Literal["clock", "dice_lifted", "dice_handed_over"]
Scoring = Literal["single_gammon_backgammon", "oin_mars", "four_grade", "remaining_checkers"]
Grades = tuple[tuple[str, int], ...]

#: The grades of each scoring scheme, dearest last, with the points of its source (rules.md P1 to P5).
GRADES: dict[Scoring, Grades] = {
    "single_gammon_backgammon": (("single", 1), ("gammon", 2), ("backgammon", 3)),
    "oin_mars": (("oin", 1), ("mars", 2)),
    "four_grade": (("simple", 1), ("mars", 2), ("home_mars", 3), ("koks", 4)),
    "remaining_checkers": (("checker", 1),),
}


class RuleError(ValueError):
    """A rule set that makes no sense; the message names the key and the values that are allowed."""


@dataclass(frozen=True, slots=True)
class Option:
    """What is to be known of one option.

    ``allowed``: the values, or in words what a value must be. ``check`` tells whether a value is
    one; ``rows`` are ids of rules.md.
    """

    name: str
    rows: tuple[str, ...]
    games: tuple[Game, ...]
    text: str
    allowed: tuple[str | int | bool, ...] | str
    check: Callable[[Any], bool]

    @property
    def allowed_text(self) -> str:
        """The allowed values as they are written in a preset file."""
        if isinstance(self.allowed, str):
            return self.allowed
        return ", ".join(
            str(value).lower() if isinstance(value, bool) else str(value) for value in self.allowed
        )


def _option(default: T, rows: str, text: str, allowed: Iterable[Any], games: tuple[Game, ...] = BOTH) -> T:
    values = tuple(allowed)

    def check(value: Any) -> bool:
        return any(type(value) is type(v) and value == v for v in values)

    return _described(default, rows, text, values, check, games)


def _switch(default: bool, rows: str, text: str, games: tuple[Game, ...] = BOTH) -> bool:
    return _option(default, rows, text, (False, True), games)


def _number(
    default: int,
    rows: str,
    text: str,
    allowed: str,
    check: Callable[[int], bool],
) -> int:
    return _described(default, rows, text, allowed, lambda v: type(v) is int and check(v), BOTH)


def _some(default: T, rows: str, text: str, of: Iterable[Any], games: tuple[Game, ...] = BOTH) -> T:
    members = tuple(of)
    words = f"a list of {', '.join(map(str, members))}"

    def check(value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and not any(value[:i].count(v) for i, v in enumerate(value))
            and all(any(type(v) is type(m) and v == m for m in members) for v in value)
        )

    return _described(default, rows, text, words, check, games)


def _described(
    default: T,
    rows: str,
    text: str,
    allowed: tuple[Any, ...] | str,
    check: Callable[[Any], bool],
    games: tuple[Game, ...],
) -> T:
    made: T = field(
        default=default,
        metadata={
            "rows": tuple(rows.split()),
            "text": text,
            "allowed": allowed,
            "check": check,
            "games": games,
        },
    )
    return made


def _is_grades(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) > 0
        and all(isinstance(g, tuple) and len(g) == 2 and type(g[1]) is int and 0 < g[1] < 100 for g in value)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Everything about the rules that the sources leave open, decided.

    ``name`` is that of the preset, ``title`` its name for people. ``sources`` say where the rules are
    taken from, ``unsettled`` what those sources leave open. The defaults are those of short backgammon; see
    :func:`default_rules` for either game. Raises ``RuleError``.
    """

    name: str
    game: Game
    title: str = ""
    sources: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()

    # Set-up and order of play
    direction: Direction = _option(
        "either", "G4", "Which way round the checkers move, seen from above.", ("ccw", "cw", "either"), LONG
    )
    opening_roll: Literal["uses_rolloff", "rethrow"] = _option(
        "uses_rolloff",
        "G7",
        "Whether the two dice of the roll-off are the first roll, or the starter throws both dice anew.",
        ("uses_rolloff", "rethrow"),
    )
    rolloff_winner_takes_white: bool = _switch(
        False, "G8", "The player with the higher die also takes the white checkers.", LONG
    )
    next_game_start: Literal["roll_off", "swap_colours", "winner_starts"] = _option(
        "roll_off",
        "G9",
        "Who begins the next game: a new roll-off decides; colours are swapped and the player who had "
        "black begins; or the winner of the last game begins.",
        ("roll_off", "swap_colours", "winner_starts"),
    )

    # Throwing the dice
    dice_from: Literal["cup_required", "cup_on_demand", "any"] = _option(
        "any",
        "D2",
        "Dice come from a cup; from a cup once the opponent demands one; or from a cup or the hand.",
        ("cup_required", "cup_on_demand", "any"),
    )
    throw_half: Literal["same_half", "right_half", "any_half"] = _option(
        "same_half",
        "D3 D4 D6",
        "Where the dice must come to rest: both in one half, both in the half to the right of the "
        "thrower, or in any half each.",
        ("same_half", "right_half", "any_half"),
    )
    die_touching_checker: Literal["invalid", "valid_if_flat"] = _option(
        "valid_if_flat",
        "D8",
        "Whether a die that lies flat on the board but touches a checker is void.",
        ("invalid", "valid_if_flat"),
    )
    die_on_checker: Literal["invalid", "valid_if_flat"] = _option(
        "invalid",
        "D8",
        "Whether a die that lies flat on top of checkers is void.",
        ("invalid", "valid_if_flat"),
    )
    dice_pairs: Literal[1, 2] = _option(
        2, "D12 E2 E3", "One pair of dice that both players use, or a pair for each.", (1, 2)
    )
    early_roll: Literal["void", "void_unless_forced_or_no_contact", "allowed"] = _option(
        "void",
        "D13",
        "A throw made before the opponent has finished his turn.",
        ("void", "void_unless_forced_or_no_contact", "allowed"),
    )

    # End of turn, illegal plays, touch
    turn_end: tuple[TurnEnd, ...] = _some(
        ("dice_lifted",),
        "E1 E2 E3",
        "What ends a turn; until then the player may change his play.",
        ("clock", "dice_lifted", "dice_handed_over"),
    )
    touch_move: bool = _switch(
        False, "E4 E7", "A checker that was touched must be moved unless the player said that he adjusts it."
    )
    illegal_policy: Literal["opponent_choice", "auto_reject"] = _option(
        "opponent_choice",
        "E5",
        "Whether the opponent may let an illegal play stand, or it must be put right once it is noticed.",
        ("opponent_choice", "auto_reject"),
    )
    claim_window: Literal["next_throw", "dice_taken"] = _option(
        "next_throw",
        "E2 E6",
        "Until when an illegal play may be put right: until the opponent has thrown or begun to double, "
        "or until he has taken the dice.",
        ("next_throw", "dice_taken"),
    )

    # Moving
    allow_same_checker: bool = _switch(True, "M1", "One checker may be moved by more than one die in a turn.")
    head_exc: tuple[int, ...] = _some(
        (), "L2 L3", "Doubles that let two checkers leave the head on a side's first turn.", range(1, 7), LONG
    )
    head_mode: Literal["up_to_two", "if_stuck"] = _option(
        "up_to_two",
        "L4",
        "On such a double the second checker may simply leave the head, or only once the first has gone "
        "as far as it can.",
        ("up_to_two", "if_stuck"),
        LONG,
    )
    note_55_44: bool = _switch(
        False, "L5", "After White opened with 5-5, Black's 4-4 moves one checker by one 4.", LONG
    )
    head_relief: Literal["none", "any_blocked_roll"] = _option(
        "none",
        "L6",
        "On any turn a second checker may leave the head if the roll cannot be played in full otherwise.",
        ("none", "any_blocked_roll"),
        LONG,
    )
    block: Literal["ahead", "home", "none"] = _option(
        "ahead",
        "L7 L8 L9",
        "A wall of six is allowed only with an enemy checker ahead of it; only with one in the enemy's own "
        "home or off; or always.",
        ("ahead", "home", "none"),
        LONG,
    )
    block_timing: Literal["end", "step"] = _option(
        "end",
        "L10",
        "Walls are judged when the turn ends, or after every single move.",
        ("end", "step"),
        LONG,
    )
    block_wrap: Literal["path", "circle"] = _option(
        "path",
        "L7",
        "A row of six counts along the enemy's way from his head to his last hole, or all round the board.",
        ("path", "circle"),
        LONG,
    )
    off_same_turn: bool = _switch(
        True, "B5", "Checkers may be borne off in the turn in which the last one comes home.", LONG
    )
    hit_and_hide: Literal["allowed", "forbidden"] = _option(
        "allowed",
        "K4",
        "A checker that hits may go on to the safety of another own checker in the same turn.",
        ("allowed", "forbidden"),
        SHORT,
    )

    # End and score
    last_throw: bool = _switch(
        False,
        "B8",
        "If the side that began finishes first, the other has one more turn; if it finishes too: draw.",
        LONG,
    )
    draw_points: Literal["half", "one"] = _option(
        "half", "B8", "What a draw gives each side.", ("half", "one"), LONG
    )
    scoring: Scoring = _option(
        "single_gammon_backgammon", "P1 P2 P3 P4 P5", "How a game that was played out is graded.", GRADES
    )
    grades: Grades = _described(
        GRADES["single_gammon_backgammon"],
        "P1 P2 P3 P4 P5",
        "The points of each grade.",
        "a table of the scheme's grades, each with a whole number from 1 to 99",
        _is_grades,
        BOTH,
    )
    koks_zone: Literal["bar_or_home", "bar_only"] = _option(
        "bar_or_home",
        "P3 P4",
        "Where a checker of the loser makes a backgammon: on the bar or in the winner's home, or on "
        "the bar alone.",
        ("bar_or_home", "bar_only"),
        SHORT,
    )

    # Cube and match
    cube: bool = _switch(True, "C1 C2 C3 C4", "The doubling cube is in use.")
    cube_cap: int = _number(
        0,
        "C4",
        "The highest value of the cube; 0 for none.",
        "0, or a power of two from 2",
        lambda n: n == 0 or (n >= 2 and n & (n - 1) == 0),
    )
    beaver: bool = _switch(False, "C5", "A player who is doubled may redouble at once and keep the cube.")
    raccoon: bool = _switch(False, "C5", "The doubler may redouble a beaver at once.")
    auto_doubles: int = _number(
        0,
        "C6",
        "How many times equal dice in the roll-off double the stake.",
        "a whole number from 0 to 10",
        lambda n: 0 <= n <= 10,
    )
    jacoby: bool = _switch(
        False,
        "C7",
        "In play without end, gammons and backgammons count as a single game unless a double was made.",
    )
    crawford: bool = _switch(
        True, "C9", "No cube in the one game after a side has first come within a point of the match."
    )
    match_length: int = _number(
        0,
        "C8 P5",
        "Points to win the match; 0 for no end.",
        "a whole number from 0 to 999",
        lambda n: 0 <= n <= 999,
    )

    def __post_init__(self) -> None:
        if not self.name:
            raise RuleError("name is empty")
        for option in OPTIONS.values():
            value = getattr(self, option.name)
            if not option.check(value):
                shown = list(value) if isinstance(value, tuple) else value
                raise RuleError(
                    f"{option.name} = {_shown(shown)} is not allowed; it may be: {option.allowed_text}"
                )
        names = tuple(name for name, _ in GRADES[self.scoring])
        if tuple(name for name, _ in self.grades) != names:
            raise RuleError(f"grades of {self.scoring} are: {', '.join(names)}")
        if self.raccoon and not self.beaver:
            raise RuleError("raccoon = True makes no sense while beaver = False")

    def grade(self, name: str) -> int:
        """The points of a grade of the scoring scheme. Raises ``KeyError``."""
        return dict(self.grades)[name]

    def differences(self) -> dict[str, Any]:
        """The options that are not the default of the game, by name."""
        usual = default_rules(self.game)
        return {name: getattr(self, name) for name in OPTIONS if getattr(self, name) != getattr(usual, name)}

    def to_json(self) -> dict[str, Any]:
        """All of it as a JSON object, without the other game's options; the twin of :meth:`from_mapping`."""
        data: dict[str, Any] = {"name": self.name, "game": self.game.value, "title": self.title}
        data |= {"sources": list(self.sources), "unsettled": list(self.unsettled)}
        for option in OPTIONS.values():
            if self.game in option.games:
                value = getattr(self, option.name)
                data[option.name] = dict(value) if option.name == "grades" else value
                if isinstance(value, tuple) and option.name != "grades":
                    data[option.name] = list(value)
        return data

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], name: str | None = None) -> RuleSet:
        """A rule set from the content of a TOML preset or from JSON.

        Keys that are left out have the default of the game. Raises ``RuleError``, which names the key
        and what it may be.
        """
        given = dict(data)
        name = given.pop("name", name)
        if not isinstance(name, str) or not name:
            raise RuleError(f"name = {_shown(name)} is not a name")
        games = ", ".join(game.value for game in Game)
        if "game" not in given:
            raise RuleError(f"game is missing; it may be: {games}")
        try:
            game = Game(given.pop("game"))
        except ValueError as error:
            raise RuleError(f"game = {_shown(data['game'])} is not allowed; it may be: {games}") from error
        changes: dict[str, Any] = {"name": name}
        for key in ("title", "sources", "unsettled"):
            if key in given:
                changes[key] = _words(key, given.pop(key))
        for key, value in given.items():
            changes[key] = _value(key, value, game)
        if "scoring" in changes and "grades" not in changes:
            if not OPTIONS["scoring"].check(changes["scoring"]):
                allowed = OPTIONS["scoring"].allowed_text
                raise RuleError(
                    f"scoring = {_shown(changes['scoring'])} is not allowed; it may be: {allowed}"
                )
            scheme: Scoring = changes["scoring"]
            changes["grades"] = GRADES[scheme]
        return replace(default_rules(game), **changes)


def _shown(value: Any) -> str:
    """A value as a message quotes it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _words(key: str, value: Any) -> str | tuple[str, ...]:
    if key == "title":
        if not isinstance(value, str):
            raise RuleError(f"title = {_shown(value)} is not a text")
        return value
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise RuleError(f"{key} = {_shown(value)} is not a list of texts")
    return tuple(value)


def _value(key: str, value: Any, game: Game) -> Any:
    if key not in OPTIONS:
        here = ", ".join(option.name for option in OPTIONS.values() if game in option.games)
        raise RuleError(f"there is no option {_shown(key)[1:-1]}; the options of {game.value} are: {here}")
    option = OPTIONS[key]
    if game not in option.games:
        raise RuleError(f"{key} is an option of {option.games[0].value}, not of {game.value}")
    if isinstance(value, list):
        return tuple(value)
    if key == "grades" and isinstance(value, Mapping):
        return tuple(value.items())
    return value


def _options() -> dict[str, Option]:
    def made(f: Field[Any]) -> Option:
        m = f.metadata
        return Option(f.name, m["rows"], m["games"], m["text"], m["allowed"], m["check"])

    return {f.name: made(f) for f in fields(RuleSet) if "rows" in f.metadata}


#: Every option of a rule set, by name.
OPTIONS: dict[str, Option] = _options()

_DEFAULTS: dict[Game, RuleSet] = {
    Game.BACKGAMMON: RuleSet(name="short.default", title="Backgammon", game=Game.BACKGAMMON),
    Game.LONG_NARDY: RuleSet(
        name="long.default",
        title="Long nardy",
        game=Game.LONG_NARDY,
        opening_roll="rethrow",
        next_game_start="winner_starts",
        head_exc=(3, 4, 6),
        scoring="oin_mars",
        grades=GRADES["oin_mars"],
        cube=False,
        crawford=False,
    ),
}


def default_rules(game: Game) -> RuleSet:
    """The usual value of every option of a game."""
    return _DEFAULTS[game]
