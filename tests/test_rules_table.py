"""Every row of the catalogue of rules is judged by something that a test names, or offered to the referee.

``engine/catalogue.py`` lists the rows: ``judged`` ones must be named by a test, ``offered`` ones by an action
that the referee's page shows. The sources' own catalogue lies beside a development checkout; where it is
there the list is compared with it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.actions import offered
from engine.catalogue import CATALOGUE
from engine.events import CubeAction, GameEnd, GameStart, PlayMade, Throw
from engine.match import Match
from engine.position import Game, Position, Side
from engine.rules import BOTH, LONG, OPTIONS, SHORT, default_rules
from engine.rules import TurnEnd as Signal
from tests.shared import shared
from webui.referee import offer_to_json
from zarbiter.presets import preset_names

TESTS = Path(__file__).parent
ROOT = TESTS.parent
GAMES = {"both": BOTH, "long": LONG, "short": SHORT}
#: The kinds of token in which a name counts: text for people and for parametrisation.
TOLD = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))


def named(source: str) -> set[str]:
    """The row ids in the strings and comments of a Python source, each as a word of its own."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    told = " ".join(token.string for token in tokens if token.type in TOLD)
    return set(re.findall(r"(?<![\w-])[GDEMLBKPC]\d+(?![\w-])", told))


def named_in(paths: Iterable[Path]) -> set[str]:
    return set().union(*(named(path.read_text(encoding="utf-8")) for path in paths))


@pytest.fixture(scope="module")
def by_tests() -> set[str]:
    return named_in(p for p in TESTS.rglob("test_*.py") if p != Path(__file__).resolve())


@pytest.mark.parametrize("row", [row.id for row in CATALOGUE.values() if row.judged])
def test_a_judged_row_is_named_by_a_test(row: str, by_tests: set[str]) -> None:
    assert row in by_tests


@pytest.fixture(scope="module")
def on_the_page() -> set[str]:
    """The rows beside all that the referee's page offers in the course of two matches."""
    return {row for match in moments() for offer in offered(match) for row in offer_to_json(offer)["rows"]}


def moments() -> Iterator[Match]:
    """Matches at which something is to be decided that no camera sees."""
    ends: tuple[Signal, ...] = ("clock", "dice_lifted", "dice_handed_over")
    for usual in (default_rules(game) for game in Game):
        rules = replace(
            usual, dice_from="cup_on_demand", touch_move=True, turn_end=ends, cube=True, beaver=True
        )
        start = GameStart(t=0, rules=rules, position=Position.start(rules.game))
        throw = Throw(t=2, side=Side.WHITE, colour="light", dice=(3, 1), valid=True)
        yield Match(rules)
        match = Match(rules).apply(start)
        yield match
        match = replace(match, side_to_move=Side.WHITE)
        yield match.apply(CubeAction(t=1, side=Side.WHITE, action="double", value=2))
        yield match.apply(replace(throw, valid=False, faults=("cocked",)))
        match = match.apply(throw)
        yield match
        foul = PlayMade(
            t=3,
            side=Side.WHITE,
            colour="light",
            dice=(3, 1),
            moves=(),
            notation="no play",
            legal=False,
            rule="M3",
            position=start.position,
            slots=(0,) * 24,
            bar=(0, 0),
            off=(0, 0),
        )
        yield match.apply(foul)
        yield match.apply(GameEnd(t=4, winner=Side.BLACK, result=rules.grades[0][0], points=1))


@pytest.mark.parametrize("row", [row.id for row in CATALOGUE.values() if row.offered])
def test_an_offered_row_is_an_action_of_the_referee(row: str, on_the_page: set[str]) -> None:
    assert row in named((ROOT / "engine/actions.py").read_text(encoding="utf-8"))
    assert row in on_the_page


def test_the_page_names_rows_that_exist(on_the_page: set[str]) -> None:
    assert on_the_page <= set(CATALOGUE)


def test_every_row_says_something_and_is_treated() -> None:
    assert len(CATALOGUE) == 80
    for row in CATALOGUE.values():
        assert row.text.endswith(".")
        assert row.judged or row.offered


def test_the_options_name_rows_that_exist() -> None:
    assert {row for option in OPTIONS.values() for row in option.rows} <= set(CATALOGUE)


def test_the_list_is_that_of_the_catalogue() -> None:
    """Same ids and games, in the same order: a row added to the catalogue is noticed here."""
    text = shared("rules.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| ([A-Z]\d+) \|.*?\| (both|long|short) \|", text, re.MULTILINE)
    assert [(row, GAMES[game]) for row, game in cells] == [(r.id, r.games) for r in CATALOGUE.values()]


def test_each_option_of_the_catalogue_is_one_of_a_rule_set() -> None:
    """``name = default | other`` in a row, ``draw_points`` beside ``last_throw``, ``turn_end`` as a set."""
    text = shared("rules.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| [A-Z]\d+ \|", line)]
    written = {name for row in rows for name in re.findall(r"`(\w+) = ", row)}
    assert len(written) > 25
    assert written | {"turn_end"} <= set(OPTIONS)


def test_each_preset_of_the_catalogue_ships() -> None:
    text = shared("rules.md").read_text(encoding="utf-8")
    wanted = set(re.findall(r"^\| `((?:long|short)\.\w+)`", text, re.MULTILINE))
    assert len(wanted) == 6
    assert wanted <= set(preset_names())


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("x = 'L7 and G10'", {"L7", "G10"}),
        ("# B1, not B12x or ln-B3", {"B1"}),
        ("L2 = 3", set()),
        ("f'by {x} (K4)'", {"K4"}),
    ],
)
def test_what_counts_as_naming(source: str, ids: set[str]) -> None:
    assert named(source) == ids
