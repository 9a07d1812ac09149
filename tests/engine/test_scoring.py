"""What games are worth: P1 to P5, B7, B8, C3, C7."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.position import CHECKERS, Game, Position, Side, index_of
from engine.rules import GRADES, RuleSet, default_rules
from engine.scoring import (
    CORPUS_SCHEMES,
    GameResult,
    Left,
    ScoreError,
    game_result,
    grade,
    grade_points,
    left,
    score_case,
    single,
    stake,
)
from tests.shared import DATA, shared

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)
WHITE, BLACK = Side.WHITE, Side.BLACK


def scheme(rules: RuleSet, name: str, **options: Any) -> RuleSet:
    return replace(rules, scoring=name, grades=GRADES[name], **options)  # type: ignore[index, arg-type]


def won(rules: RuleSet, loser: dict[int, int], *, bar: int = 0, winner: Side = WHITE) -> GameResult | None:
    """The result where the loser has these checkers on its own points and the winner none."""
    points, off, on_bar = [0] * 24, [0, 0], [0, 0]
    for point, count in loser.items():
        points[index_of(rules.game, winner.other, point)] += count * winner.other.sign
    off[winner.index], on_bar[winner.other.index] = CHECKERS, bar
    off[winner.other.index] = CHECKERS - sum(loser.values()) - bar
    return game_result(Position(tuple(points), (on_bar[0], on_bar[1]), (off[0], off[1])), rules)


FOUR_LONG, FOUR_SHORT = scheme(LONG, "four_grade"), scheme(SHORT, "four_grade")
BAR_ONLY = replace(SHORT, koks_zone="bar_only")
REST = scheme(LONG, "remaining_checkers")


@pytest.mark.parametrize("winner", list(Side))
@pytest.mark.parametrize(
    ("row", "rules", "loser", "bar", "result", "points"),
    [
        ("P1", LONG, {1: 14}, 0, "oin", 1),
        ("P2", LONG, {1: 15}, 0, "mars", 2),
        ("P2", LONG, {24: 15}, 0, "mars", 2),
        ("P3", FOUR_LONG, {1: 14}, 0, "simple", 1),
        ("P3", FOUR_LONG, {1: 14, 7: 1}, 0, "mars", 2),
        ("P3", FOUR_LONG, {1: 9, 6: 6}, 0, "home_mars", 3),
        ("P3", FOUR_LONG, {1: 12, 24: 3}, 0, "koks", 4),
        ("P3", FOUR_LONG, {1: 12, 23: 3}, 0, "mars", 2),
        ("P3", FOUR_SHORT, {1: 13}, 1, "simple", 1),
        ("P3", FOUR_SHORT, {1: 14}, 1, "koks", 4),
        ("P3", FOUR_SHORT, {6: 15}, 0, "home_mars", 3),
        ("P3", FOUR_SHORT, {6: 14, 18: 1}, 0, "mars", 2),
        ("P3", FOUR_SHORT, {6: 14, 19: 1}, 0, "koks", 4),
        ("P3", replace(FOUR_SHORT, koks_zone="bar_only"), {6: 14, 19: 1}, 0, "mars", 2),
        ("P4", SHORT, {1: 14}, 0, "single", 1),
        ("P4", SHORT, {18: 15}, 0, "gammon", 2),
        ("P4", SHORT, {1: 14, 19: 1}, 0, "backgammon", 3),
        ("P4", SHORT, {1: 14, 24: 1}, 0, "backgammon", 3),
        ("P4", SHORT, {1: 14}, 1, "backgammon", 3),
        ("P4", SHORT, {1: 13}, 1, "single", 1),
        ("P4", BAR_ONLY, {1: 14, 24: 1}, 0, "gammon", 2),
        ("P4", BAR_ONLY, {1: 14}, 1, "backgammon", 3),
        ("P5", REST, {1: 4}, 0, "checker", 4),
        ("P5", REST, {24: 15}, 0, "checker", 15),
        ("P5", scheme(SHORT, "remaining_checkers"), {1: 3}, 1, "checker", 4),
    ],
)
def test_the_grade_of_what_is_left(
    row: str, rules: RuleSet, loser: dict[int, int], bar: int, result: str, points: int, winner: Side
) -> None:
    assert won(rules, loser, bar=bar, winner=winner) == GameResult(winner, result, points), row


def test_the_points_of_grades_are_data() -> None:
    """P3: a room may put the grades in the order that makes sense to it."""
    mended = replace(FOUR_LONG, grades=(("simple", 1), ("mars", 3), ("home_mars", 2), ("koks", 4)))
    assert won(mended, {1: 14, 7: 1}) == GameResult(WHITE, "mars", 3)
    assert won(mended, {1: 15}) == GameResult(WHITE, "home_mars", 2)
    with pytest.raises(KeyError):
        grade_points("gammon", 0, mended)


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=lambda rules: rules.name)
def test_a_game_ends_with_the_last_checker_and_not_before(rules: RuleSet) -> None:
    """B7"""
    assert game_result(Position.start(rules.game), rules) is None
    assert won(rules, {1: 1}) is not None
    almost = [0] * 24
    almost[index_of(rules.game, WHITE, 1)], almost[index_of(rules.game, BLACK, 1)] = 1, -1
    assert game_result(Position(tuple(almost), off=(14, 14)), rules) is None


# -- the last throw ------------------------------------------------------------------------------

LAST = replace(LONG, last_throw=True)


def finished(white: int, black: int) -> Position:
    """Both sides home, so many checkers off."""
    points = [0] * 24
    points[index_of(Game.LONG_NARDY, WHITE, 1)] = CHECKERS - white
    points[index_of(Game.LONG_NARDY, BLACK, 1)] = black - CHECKERS
    return Position(tuple(points), off=(white, black))


def test_who_began_and_finishes_has_not_won_before_the_last_throw() -> None:
    """B8"""
    position = finished(15, 13)
    assert game_result(position, LAST, first=WHITE) is None
    assert game_result(position, LAST, first=WHITE, last_throw_taken=True) == GameResult(WHITE, "oin", 1)
    assert game_result(position, LONG, first=WHITE) == GameResult(WHITE, "oin", 1)


def test_who_moved_second_and_finishes_has_won() -> None:
    """B8: both have had the same number of turns."""
    assert game_result(finished(13, 15), LAST, first=WHITE) == GameResult(BLACK, "oin", 1)
    assert game_result(finished(15, 13), LAST) == GameResult(WHITE, "oin", 1)  # not known who began


@pytest.mark.parametrize(("draw_points", "points"), [("half", 0.5), ("one", 1)])
def test_both_finishing_is_a_draw(draw_points: Any, points: float) -> None:
    """B8"""
    rules = replace(LAST, draw_points=draw_points)
    assert game_result(finished(15, 15), rules, first=WHITE) == GameResult(None, "draw", points)


def test_a_mars_is_judged_after_the_last_throw() -> None:
    """B8"""
    before, after = finished(15, 0), finished(15, 2)
    assert game_result(before, LAST, first=WHITE) is None
    assert game_result(after, LAST, first=WHITE, last_throw_taken=True) == GameResult(WHITE, "oin", 1)


# -- what counts ----------------------------------------------------------------------------------


def test_jacoby_and_the_cube() -> None:
    """C7: gammons count single until somebody has doubled; C3: a drop loses a single game."""
    jacoby = replace(SHORT, jacoby=True)
    assert stake(3, SHORT, 2, doubled=False) == 6
    assert stake(3, jacoby, 2, doubled=False) == 2
    assert stake(3, jacoby, 4, doubled=True) == 12
    assert single(SHORT) == single(LONG) == single(FOUR_LONG) == 1


# -- lines of the corpus ----------------------------------------------------------------------------


def cases(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "score"]


def rules_of(line: dict[str, Any]) -> RuleSet:
    options = dict(line["options"])
    name: str = options.pop("scoring", "oin_mars")
    return scheme(replace(LONG, **options), CORPUS_SCHEMES.get(name) or name)


def told(line: dict[str, Any]) -> dict[str, Any]:
    return {key: line[key] for key in ("result", "points") if key in line}


@pytest.mark.parametrize("line", cases(DATA / "long_nardy_scores.jsonl"), ids=lambda line: line["id"])
def test_score_lines(line: dict[str, Any]) -> None:
    """P1, P2, P3, B8"""
    assert score_case(line, rules_of(line)) == told(line)


def test_every_score_line_of_the_corpus() -> None:
    """P1, P2, P3, B8"""
    lines = cases(shared("corpus", "long_nardy_cases.jsonl"))
    assert len(lines) == 11
    assert [line["id"] for line in lines if score_case(line, rules_of(line)) != told(line)] == []


def test_a_score_line_with_colours_changed_has_the_points_changed() -> None:
    line = next(line for line in cases(DATA / "long_nardy_scores.jsonl") if line["id"] == "D03")
    text = json.dumps(line).replace("white", "x").replace("black", "white").replace("x", "black")
    assert score_case(json.loads(text), rules_of(line)) == {"result": "black", "points": [0, 1]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": "red"}, "'red'"),
        ({"first_player": None}, "None"),
        ({"black_off_before": "x"}, "'x'"),
        ({"black_off_before": 3}, "black has 5 checkers"),
        ({"black_home": {"x": 1}}, "no sense"),
        ({"black_last_roll": None}, "no black_last_roll"),
        ({"black_last_roll": [7, 9]}, "7-9"),
    ],
)
def test_a_bad_score_line_is_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    line = next(line for line in cases(DATA / "long_nardy_scores.jsonl") if line["id"] == "D01")
    rules = rules_of(line)
    with pytest.raises(ScoreError, match=message):
        score_case({**line, **change}, rules)
    with pytest.raises(ScoreError, match="has no winner"):
        score_case({}, rules)


def test_facts_and_positions_agree() -> None:
    """P3: what a score line tells of the loser is what the position shows."""
    position = Position(tuple([0] * 11 + [-3] + [0] * 11 + [-12]), off=(15, 0))
    assert left(position, BLACK, FOUR_LONG) == Left(0, all_home=False, behind=True)
    assert grade(left(position, BLACK, FOUR_LONG), FOUR_LONG) == "koks"


@given(
    st.lists(st.integers(0, 15), min_size=24, max_size=24),
    st.sampled_from([SHORT, LONG, FOUR_LONG, FOUR_SHORT, BAR_ONLY, REST]),
    st.sampled_from(Side),
)
def test_every_end_has_one_grade_of_its_scheme(counts: list[int], rules: RuleSet, winner: Side) -> None:
    """P1 to P5: whatever is left, and a checker that is borne off never makes a loss dearer."""
    total, loser = 0, {}
    for point, count in enumerate(counts, 1):
        loser[point] = min(count, CHECKERS - total)
        total += loser[point]
    if total == 0:
        loser[1] = 1
    result = won(rules, loser, winner=winner)
    assert result is not None
    assert result.winner is winner
    assert result.result in dict(rules.grades)
    one_less = dict(loser)
    last = max(point for point, count in loser.items() if count)
    one_less[last] -= 1
    if sum(one_less.values()):
        milder = won(rules, one_less, winner=winner)
        assert milder is not None
        assert milder.points <= result.points
