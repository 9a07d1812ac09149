"""What a game that is over is worth (rules.md P1 to P5, B7, B8, C3, C7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.legal import HEAD, HOME, legal_plays
from engine.position import BAR, CHECKERS, Game, Position, Side, index_of
from engine.rules import RuleSet, Scoring

#: The ids in rules.md of the grades of each scoring scheme, the gravest grade's last.
SCORING_ROWS: dict[Scoring, tuple[str, ...]] = {
    "single_gammon_backgammon": ("P4",),
    "oin_mars": ("P1", "P2"),
    "four_grade": ("P3",),
    "remaining_checkers": ("P5",),
}

#: Names that the corpus has for scoring schemes, where they are not ours.
CORPUS_SCHEMES: dict[str, Scoring] = {"mars_homemars_koks": "four_grade"}


class ScoreError(ValueError):
    """A line of score facts that says too little, or makes no sense; the message says what."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended. ``winner`` is ``None`` in a draw, whose ``points`` go to either side.

    ``result``: a grade of the scoring scheme (``single``, ``mars``, ...), ``drop``, ``resigned`` or ``draw``.
    """

    winner: Side | None
    result: str
    points: float


@dataclass(frozen=True, slots=True)
class Left:
    """What the loser has left, as far as it decides the grade.

    ``off``: checkers borne off. ``all_home``: all the others are in his home. ``behind``: one is where it
    makes a backgammon or koks: short, on the bar or in the winner's home (``rules.koks_zone``); long, still
    on the head.
    """

    off: int
    all_home: bool
    behind: bool


def left(position: Position, loser: Side, rules: RuleSet) -> Left:
    """What a loser has left in a final position."""
    game = rules.game
    all_home = not any(position.count(game, loser, p) for p in range(HOME + 1, BAR + 1))
    if game is Game.LONG_NARDY:
        behind = position.count(game, loser, HEAD) > 0
    else:
        behind = position.bar[loser.index] > 0
        if rules.koks_zone == "bar_or_home":
            winners_home = (index_of(game, loser.other, p) for p in range(1, HOME + 1))
            behind |= any(position.points[i] * loser.sign > 0 for i in winners_home)
    return Left(position.off[loser.index], all_home, behind)


def grade(found: Left, rules: RuleSet) -> str:
    """The name of the grade by which a game that was played out is won, one of ``rules.grades``."""
    match rules.scoring:
        case "remaining_checkers":
            return "checker"
        case "oin_mars":
            return "oin" if found.off else "mars"
        case "single_gammon_backgammon":
            return "single" if found.off else "backgammon" if found.behind else "gammon"
        case "four_grade":
            if found.off:
                return "simple"
            return "koks" if found.behind else "home_mars" if found.all_home else "mars"


def grade_points(name: str, off: int, rules: RuleSet) -> int:
    """What a grade is worth without the cube. ``off``: checkers the loser has borne off (P5 counts the rest).

    Raises ``KeyError`` if the scoring scheme has no such grade.
    """
    points = rules.grade(name)
    return points * (CHECKERS - off) if rules.scoring == "remaining_checkers" else points


def game_result(
    position: Position, rules: RuleSet, *, first: Side | None = None, last_throw_taken: bool = False
) -> GameResult | None:
    """The result if a side has borne off all its checkers (B7), else ``None``. ``points`` without the cube.

    Under ``rules.last_throw`` a side that began (``first``, ``None`` if that is not known: then the
    rule cannot be applied) has not won before the other has had one more turn (``last_throw_taken``);
    if that finishes too it is a draw, and a mars is judged as things stand after it (B8).
    """
    finished = [side for side in Side if position.off[side.index] == CHECKERS]
    if not finished:
        return None
    if len(finished) == 2 and rules.last_throw:
        return GameResult(None, "draw", 0.5 if rules.draw_points == "half" else 1)
    winner = finished[0]
    if rules.last_throw and winner is first and not last_throw_taken:
        return None
    found = left(position, winner.other, rules)
    name = grade(found, rules)
    return GameResult(winner, name, grade_points(name, found.off, rules))


def single(rules: RuleSet) -> int:
    """What the mildest grade is worth: the stake of a dropped double (C3) and of Jacoby's rule (C7)."""
    return rules.grades[0][1]


def stake(points: float, rules: RuleSet, cube: int, doubled: bool) -> float:
    """Points as they count: times the cube; single under Jacoby (C7, play without end) unless ``doubled``."""
    if rules.jacoby and not rules.match_length and not doubled:
        points = min(points, single(rules))
    return points * cube


def score_case(line: Mapping[str, Any], rules: RuleSet) -> dict[str, Any]:
    """What ``rules`` make of a line ``"kind": "score"`` of the corpus, in the line's own terms.

    A line that tells what the loser has left (``winner``, ``loser_off``, ``loser_all_home``,
    ``loser_on_head``) gives ``{"points": n}``. One that tells of a last throw (``winner``: who
    finished first; ``first_player``; of the other side ``<side>_off_before`` and, where it has one more
    turn, ``<side>_last_roll`` and ``<side>_home``, the checkers on each hole of its own way, 0 to 23)
    gives ``{"result": "white" | "black" | "draw", "points": [white, black]}``. The line is right if these are
    what it says. Raises ``ScoreError``.
    """
    try:
        winner = Side(line["winner"])
        if "loser_off" in line:
            found = Left(int(line["loser_off"]), bool(line["loser_all_home"]), int(line["loser_on_head"]) > 0)
            return {"points": grade_points(grade(found, rules), found.off, rules)}
        return _last_throw(line, winner, rules)
    except ScoreError:
        raise
    except KeyError as error:
        raise ScoreError(f"a score line has no {error.args[0]}") from error
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise ScoreError(f"a score line that makes no sense: {error}") from error


def _last_throw(line: Mapping[str, Any], winner: Side, rules: RuleSet) -> dict[str, Any]:
    loser, first = winner.other, Side(line["first_player"])
    points, off = [0] * 24, [0, 0]
    off[winner.index], off[loser.index] = CHECKERS, int(line[f"{loser.value}_off_before"])
    home = {24 - int(hole): int(count) for hole, count in line.get(f"{loser.value}_home", {}).items()}
    # Where the checkers stand of a side that moves no more changes nothing once it has borne one off.
    home = home or {1: CHECKERS - off[loser.index]}
    for point, count in home.items():
        points[index_of(rules.game, loser, point)] += loser.sign * count
    position = Position(tuple(points), off=(off[0], off[1]))
    if position.checkers(loser) != CHECKERS:
        raise ScoreError(f"{loser.value} has {position.checkers(loser)} checkers in a score line")
    roll = line.get(f"{loser.value}_last_roll")
    if game_result(position, rules, first=first) is None:
        if roll is None:
            raise ScoreError(f"a score line has no {loser.value}_last_roll")
        if not all(1 <= int(die) <= 6 for die in roll):
            raise ScoreError(f"{roll[0]}-{roll[1]} is no throw of two dice")
        plays = legal_plays(position, loser, (int(roll[0]), int(roll[1])), rules)
        position = max((play.after for play in plays), key=lambda after: after.off[loser.index])
    result = game_result(position, rules, first=first, last_throw_taken=True)
    assert result is not None
    shares = [result.points if result.winner in (None, side) else 0 for side in Side]
    return {"result": result.winner.value if result.winner else "draw", "points": shares}
