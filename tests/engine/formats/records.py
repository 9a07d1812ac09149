"""Random records of both games, for the formats that lose nothing of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from hypothesis import strategies as st

from engine.position import BAR, Game, Position, Side
from engine.record import Action, GameRecord, Record, Turn
from engine.rules import GRADES, OPTIONS, RuleSet, default_rules
from tests.engine.formats.states import random_position
from tests.engine.formats.test_positions import nardy_position

NOTES = Path(__file__).resolve().parents[3] / "docs" / "notation.md"
NUMBERS = st.integers(0, 10**6) | st.floats(-(10**6), 10**6)
SIDES = st.sampled_from(Side)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ACTIONS = tuple(action for action in get_args(Action) if action != "play")


def example(name: str) -> str:
    """The example in docs/notation.md that is fenced by this name."""
    return NOTES.read_text(encoding="utf-8").partition(f"```{name}\n")[2].partition("```")[0]


def without_lines(record: Record) -> Record:
    """The record without the numbers of the lines where it was read."""
    games = tuple(
        replace(game, line=0, turns=tuple(replace(turn, line=0) for turn in game.turns))
        for game in record.games
    )
    return replace(record, games=games)


def positions(game: Game) -> st.SearchStrategy[Position]:
    randoms = st.randoms(use_true_random=False)
    return randoms.map(nardy_position if game is Game.LONG_NARDY else random_position)


@st.composite
def rule_sets(draw: st.DrawFn, game: Game) -> RuleSet:
    rules = replace(
        default_rules(game),
        name=draw(TEXTS.filter(bool)),
        title=draw(TEXTS),
        sources=tuple(draw(st.lists(TEXTS, max_size=2))),
        unsettled=tuple(draw(st.lists(TEXTS, max_size=2))),
    )
    changes: dict[str, Any] = {}
    for option in OPTIONS.values():
        choices = isinstance(option.allowed, tuple) and game in option.games
        if choices and option.name not in ("raccoon", "scoring") and draw(st.booleans()):
            changes[option.name] = draw(st.sampled_from(option.allowed))
    scoring = draw(st.sampled_from(tuple(GRADES)))
    grades = tuple((name, points + draw(st.integers(0, 1))) for name, points in GRADES[scoring])
    return replace(rules, scoring=scoring, grades=grades, match_length=draw(st.integers(0, 999)), **changes)


@st.composite
def turns(draw: st.DrawFn, game: Game) -> Turn:
    point, die = st.integers(0, BAR), st.integers(1, 6)
    clock = st.tuples(NUMBERS, NUMBERS)
    turn = Turn(
        side=draw(SIDES),
        after=draw(st.none() | positions(game)),
        t=draw(st.none() | NUMBERS),
        clock=draw(st.none() | clock),
        comment=draw(TEXTS),
    )
    if draw(st.integers(0, 3)) == 0:
        return replace(turn, action=draw(st.sampled_from(ACTIONS)), value=draw(st.integers(0, 64)))
    moves = st.lists(st.tuples(point, point), max_size=4).map(tuple)
    return replace(turn, dice=draw(st.none() | st.tuples(die, die)), moves=draw(st.none() | moves))


@st.composite
def games(draw: st.DrawFn, game: Game) -> GameRecord:
    return GameRecord(
        start=draw(st.just(Position.start(game)) | positions(game)),
        turns=tuple(draw(st.lists(turns(game), max_size=4))),
        score=draw(st.tuples(NUMBERS, NUMBERS)),
        first=draw(st.none() | SIDES),
        crawford=draw(st.booleans()),
        winner=draw(st.none() | SIDES),
        points=draw(NUMBERS),
        result=draw(st.sampled_from(("", "oin", "mars", "home_mars", "koks", "drop", "draw")) | TEXTS),
    )


@st.composite
def records(draw: st.DrawFn, game: Game) -> Record:
    tags = st.tuples(st.from_regex(r"[A-Z][a-z]{1,9}", fullmatch=True).map("X-".__add__), TEXTS)
    return Record(
        game=game,
        games=tuple(draw(st.lists(games(game), max_size=3))),
        players=(draw(TEXTS), draw(TEXTS)),
        length=draw(st.integers(0, 99)),
        rules=draw(st.none() | rule_sets(game)),
        info=tuple(draw(st.lists(tags, max_size=2))),
    )
