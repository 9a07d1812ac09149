from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.plain import legal_positions
from engine.events import Dice
from engine.legal import Leave, illegal_walls, legal_plays, position_of, reach, view_of, ways
from engine.notation import Move, notation
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import RuleSet, default_rules
from tests.engine.lawbook import ENEMY_WAY, Law
from tests.shared import DATA, shared

SHORT, LONG = Game.BACKGAMMON, Game.LONG_NARDY
FILES = {SHORT: "backgammon_moves.jsonl", LONG: "long_nardy_moves.jsonl"}
NAMES = {"timing": "block_timing", "wrap": "block_wrap"}  #: options that the corpus calls otherwise
ROLLS: list[Dice] = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]


# --- The corpus ------------------------------------------------------------------------------------


def cases(path: Path) -> Iterator[tuple[dict[str, Any], Position, Side, Dice, RuleSet]]:
    """The lines of a file that ask for legal plays."""
    for line in path.read_text().splitlines():
        case = json.loads(line)
        if "after" in case:
            options = {NAMES.get(name, name): value for name, value in case.get("options", {}).items()}
            options |= {"name": case["id"], "game": case["game"].replace("_", "-")}
            position = Position(tuple(case["board"]), tuple(case["bar"]), tuple(case["off"]))
            dice = (case["dice"][0], case["dice"][1])
            yield case, position, Side(case["turn"]), dice, RuleSet.from_mapping(options)


def as_lists(position: Position) -> list[list[int]]:
    return [list(position.points), list(position.bar), list(position.off)]


def differing(path: Path) -> list[str]:
    """Ids of the lines whose set of results is not exactly ours."""
    bad, count = [], 0
    for case, position, side, dice, rules in cases(path):
        count += 1
        after = [as_lists(play.after) for play in legal_plays(position, side, dice, rules)]
        if (
            sorted(after) != case["after"]
            or any(wanted not in after for wanted in case.get("must_include", ()))
            or any(banned in after for banned in case.get("must_exclude", ()))
        ):
            bad.append(case["id"])
    assert count
    return bad


@pytest.mark.parametrize("name", [*FILES.values(), "law_cases.jsonl"])
def test_the_sample_of_the_corpus(name: str) -> None:
    assert differing(DATA / name) == []


@pytest.mark.parametrize("name", [*FILES.values(), "long_nardy_cases.jsonl"])
def test_the_whole_corpus(name: str) -> None:
    assert differing(shared("corpus", name)) == []


@pytest.mark.parametrize("game", list(Game))
def test_the_plain_generator_of_the_bench_is_right(game: Game) -> None:
    for _, position, side, dice, rules in list(cases(DATA / FILES[game]))[::3]:
        after = {play.after for play in legal_plays(position, side, dice, rules)}
        assert legal_positions(position, side, dice, game) == after


#: Distinct results of 1-1, 2-1, 2-2, 3-1 ... 6-6 from the starting positions.
AT_THE_START = {
    SHORT: "42 15 75 16 17 73 14 18 17 52 8 8 9 9 4 10 14 14 14 7 11",
    LONG: "1 1 1 1 1 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
}


@pytest.mark.parametrize("game", list(Game))
@pytest.mark.parametrize("side", list(Side))
def test_the_number_of_plays_from_the_start(game: Game, side: Side) -> None:
    plays = [legal_plays(Position.start(game), side, dice, default_rules(game)) for dice in ROLLS]
    assert [len(p) for p in plays] == list(map(int, AT_THE_START[game].split()))


def tables() -> list[tuple[str, Position, list[int]]]:
    """The positions of engines.md with the numbers of results of each roll that other engines found."""
    text = shared("engines.md").read_text()
    numbers = {
        cells[0].strip(): [int(cell) for cell in cells[1:]]
        for cells in (line.strip("|").split("|") for line in text.splitlines() if line.startswith("|"))
        if cells[0].strip()[:2] in ("bg", "ln") and cells[0].strip()[2:].isdigit()
    }
    found = []
    for line in text.splitlines():
        name, _, board = line.partition(" ")
        if name not in numbers:
            continue
        if name.startswith("bg"):
            points, bar, off = json.loads(board.removeprefix("white "))
            position = Position(tuple(points), tuple(bar), tuple(off))
        else:  # both sides on their own ways
            white, black = json.loads(board)
            points = [0] * 24
            for hole in range(24):
                points[23 - hole] += white[hole]
                points[(11 - hole) % 24] -= black[hole]
            position = Position(tuple(points), (0, 0), (CHECKERS - sum(white), CHECKERS - sum(black)))
        found.append((name, position, numbers[name]))
    return found


def test_the_number_of_plays_that_other_engines_found() -> None:
    found = tables()
    assert len(found) == 22
    for name, position, numbers in found:
        rules = default_rules(SHORT if name.startswith("bg") else LONG)
        assert [len(legal_plays(position, Side.WHITE, dice, rules)) for dice in ROLLS] == numbers, name


# --- Random positions under random rules -----------------------------------------------------------

RULES = {
    SHORT: st.builds(
        lambda **options: replace(default_rules(SHORT), **options),
        allow_same_checker=st.sampled_from([True, True, False]),
        hit_and_hide=st.sampled_from(["allowed", "forbidden"]),
    ),
    LONG: st.builds(
        lambda **options: replace(default_rules(LONG), **options),
        allow_same_checker=st.sampled_from([True, True, False]),
        head_exc=st.sampled_from([(3, 4, 6), (), (1, 2, 3, 4, 5, 6)]),
        head_mode=st.sampled_from(["up_to_two", "if_stuck"]),
        note_55_44=st.booleans(),
        head_relief=st.sampled_from(["none", "any_blocked_roll"]),
        block=st.sampled_from(["ahead", "home", "none"]),
        block_timing=st.sampled_from(["end", "step"]),
        block_wrap=st.sampled_from(["path", "circle"]),
        off_same_turn=st.booleans(),
    ),
}


def position_from(game: Game, side: Side, own: Mapping[int, int], enemy: Mapping[int, int]) -> Position:
    """Checkers by the mover's points, 0 off to 25 bar."""
    points = [0] * 24
    for point in range(1, 25):
        count = own.get(point, 0) - enemy.get(point, 0)
        points[index_of(game, side, point)] = side.sign * count
    bar, off = (own.get(BAR, 0), enemy.get(BAR, 0)), (own.get(OFF, 0), enemy.get(OFF, 0))
    return Position(
        tuple(points), bar if side is Side.WHITE else bar[::-1], off if side is Side.WHITE else off[::-1]
    )


def scattered(rng: Random, count: int, places: Sequence[int]) -> list[int]:
    """So many checkers on a few of these places, some of them single."""
    few = rng.sample(places, min(rng.randint(1, 8), len(places)))
    return (rng.sample(few, min(rng.randint(0, len(few)), count)) + rng.choices(few, k=count))[:count]


def position_for(game: Game, side: Side, dice: Dice, rng: Random) -> Position:
    """Positions of all sorts: anything, the end of a game, first turns, walls about to be built."""
    sorts = ["any", "home"] + ["first", "head", "wall", "wall"] * (game is LONG)
    sort = rng.choice(sorts)
    high = 24 if game is LONG else BAR
    own: Counter[int] = Counter()
    theirs: list[int] = []  # enemy checkers that stand where it matters
    if sort == "first":
        own[24] = CHECKERS
        theirs = [12] * (CHECKERS - 1) + [rng.choice([16, 16, *range(1, 24)])]
    elif sort == "head":
        own[24] = rng.randint(2, CHECKERS - 1)
        theirs = [12] * rng.randint(0, 10) + [24 - sum(dice)]
    elif sort == "wall":
        first = rng.randrange(24)
        points = [ENEMY_WAY[hole % 24] for hole in range(first, first + 6)]
        for point in points:  # those that are missing can be filled
            own[point if rng.random() < 0.7 else min(point + rng.choice(dice), 24)] += 1
        theirs = [ENEMY_WAY[(first + rng.randint(4, 8)) % 24]] * rng.randint(0, 2)
        if rng.random() < 0.3 and points[0] + max(dice) < 24:  # a gap that a checker can only pass over
            own = Counter([*points[1:], points[0] + max(dice)])
            theirs = [points[0] + max(dice) - min(dice)] * rng.randint(1, CHECKERS)
    elif sort == "home" and rng.random() < 0.5:
        own[rng.randint(7, 12)] = 1
    own.update(scattered(rng, CHECKERS - own.total(), range(OFF, 7 if sort == "home" else high + 1)))
    free = [point for point in range(OFF, high + 1) if not 1 <= point <= 24 or not own[point]]
    if sort == "wall" and rng.random() < 0.5:
        free = [point for point in free if point in ENEMY_WAY[:first]] or free  # all behind it
    enemy = Counter(point for point in theirs if point in free)
    enemy.update(scattered(rng, CHECKERS - enemy.total(), free))
    return position_from(game, side, own, enemy)


@st.composite
def turns(draw: st.DrawFn, game: Game) -> tuple[Position, Side, Dice, RuleSet]:
    side, rng = draw(st.sampled_from(Side)), Random(draw(st.integers(0, 10**9)))
    die = rng.randint(1, 6)
    dice = (die, die if rng.random() < 0.3 else rng.randint(1, 6))
    return position_for(game, side, dice, rng), side, dice, draw(RULES[game])


@pytest.mark.parametrize("game", list(Game))
def test_the_same_plays_as_the_law_by_brute_force(game: Game) -> None:
    """M1 to M8, L1 to L10, B1 to B6, K1 to K5: any position, any roll, any options."""

    @given(turns(game))
    @settings(max_examples=250, deadline=None)
    def check(turn: tuple[Position, Side, Dice, RuleSet]) -> None:
        plays = legal_plays(*turn)
        assert {play.after for play in plays} == Law(*turn).results()
        assert len({play.after for play in plays}) == len(plays)

    check()


def test_the_ways_are_all_there_are() -> None:
    """E8, M1, M2: the same rows of single moves as by brute force, none twice, in the plays' order."""

    @given(st.sampled_from(Game).flatmap(turns))
    @settings(max_examples=70, deadline=None)
    def check(turn: tuple[Position, Side, Dice, RuleSet]) -> None:
        found = ways(*turn)
        assert list(found) == [play.after for play in legal_plays(*turn)]
        assert all(len(set(orders)) == len(orders) for orders in found.values())
        assert {after: set(orders) for after, orders in found.items()} == Law(*turn).ways()
        assert all(play.moves in found[play.after] for play in legal_plays(*turn))

    check()


@given(st.sampled_from(Game).flatmap(turns))
@settings(max_examples=150, deadline=None)
def test_no_play_makes_a_wall_or_a_checker(turn: tuple[Position, Side, Dice, RuleSet]) -> None:
    """G1, L7: whatever stood before, a play adds no wall that is not allowed; nobody loses a checker."""
    position, side, _, rules = turn
    for play in legal_plays(*turn):
        assert [play.after.checkers(s) for s in Side] == [CHECKERS, CHECKERS]
        if rules.game is LONG:
            before, after = (view_of(p, LONG, side) for p in (position, play.after))
            assert illegal_walls(after, rules) <= illegal_walls(before, rules)


@given(st.sampled_from(Game).flatmap(turns))
@settings(max_examples=50, deadline=None)
def test_a_view_is_a_position_as_one_side_counts_it(turn: tuple[Position, Side, Dice, RuleSet]) -> None:
    """G4, G5, G6."""
    position, side, _, rules = turn
    view = view_of(position, rules.game, side)
    assert position_of(view, rules.game, side) == position
    assert view.own == tuple(position.count(rules.game, side, point) for point in range(26))


@given(st.sampled_from(Game).flatmap(turns), st.sampled_from(Leave))
@settings(max_examples=100, deadline=None)
def test_rules_left_out_only_add(turn: tuple[Position, Side, Dice, RuleSet], leave: Leave) -> None:
    strict, loose = reach(*turn), reach(*turn, leave)
    for few, many in zip(strict, loose, strict=False):
        assert few.keys() <= many.keys()
    assert {play.after for play in legal_plays(*turn)} <= strict[len(legal_plays(*turn)[0].moves)].keys()
    for used, reached in enumerate(loose):
        assert all(len(moves) == used for moves in reached.values())


# --- Single rules ----------------------------------------------------------------------------------


def texts(game: Game, own: dict[int, int], enemy: dict[int, int], dice: Dice, **options: Any) -> set[str]:
    """The plays of White, as they are written down; the first place named holds the rest of fifteen."""
    own[next(iter(own))] += CHECKERS - sum(own.values())
    enemy[next(iter(enemy))] += CHECKERS - sum(enemy.values())
    rules = RuleSet.from_mapping({"name": "test", "game": game.value, **options})
    position = position_from(game, Side.WHITE, own, enemy)
    return {play.notation for play in legal_plays(position, Side.WHITE, dice, rules)}


@pytest.mark.parametrize(("double", "leaving"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 1), (6, 2)])
def test_two_leave_the_head_on_three_first_doubles(double: int, leaving: int) -> None:
    """L2, L3."""
    start = Position.start(LONG)
    plays = legal_plays(start, Side.WHITE, (double, double), default_rules(LONG))
    assert max(15 - play.after.points[23] for play in plays) == leaving


@pytest.mark.parametrize(
    ("mode", "played"),
    [("up_to_two", {"24/21 24/15", "24/18(2)"}), ("if_stuck", {"24/21 24/15"})],
)
def test_the_second_leaves_the_head_when_the_first_is_stuck(mode: str, played: set[str]) -> None:
    """L4: on 3-3 alone the two readings differ."""
    assert texts(LONG, {24: 15}, {12: 15}, (3, 3), head_mode=mode) == played


def test_the_note_on_the_second_player() -> None:
    """L5: after 5-5 one checker plays one 4, L6 notwithstanding."""
    after_55: dict[int, int] = {12: 14, 16: 1}
    assert texts(LONG, {24: 15}, after_55, (4, 4)) == {"24/20(2)"}
    for relief in ("none", "any_blocked_roll"):
        played = texts(LONG, {24: 15}, after_55, (4, 4), note_55_44=True, head_relief=relief)
        assert played == {"24/20"}
    assert texts(LONG, {24: 15}, {12: 13, 16: 2}, (4, 4), note_55_44=True) == {"24/20(2)"}  # not after 5-5
    assert texts(LONG, {24: 15}, after_55, (3, 3), note_55_44=True) == {"24/21 24/15", "24/18(2)"}


def test_a_second_checker_leaves_the_head_when_the_roll_is_blocked() -> None:
    """L6: only where the ordinary limit leaves a die unplayed, and M3 then makes it compulsory."""
    own, enemy = {24: 13, 1: 2}, {12: 14, 16: 1}
    assert texts(LONG, dict(own), enemy, (6, 2)) == {"24/18"}
    assert texts(LONG, dict(own), enemy, (6, 2), head_relief="any_blocked_roll") == {"24/22 24/18"}
    free: dict[int, int] = {24: 13, 20: 2}
    relieved = texts(LONG, dict(free), {12: 15}, (2, 1), head_relief="any_blocked_roll")
    assert relieved == texts(LONG, dict(free), {12: 15}, (2, 1))


def row(first: int, missing: int) -> dict[int, int]:
    """Six points from ``first`` down but one, which a 2 from two points above would fill; the rest on 4."""
    return {4: 0, **{p: 1 + (p == missing + 2) for p in range(first, first - 6, -1) if p != missing}}


@pytest.mark.parametrize(
    ("block", "enemy", "allowed"),
    [
        ("ahead", {12: 15}, False),
        ("ahead", {12: 14, 24: 1}, True),
        ("ahead", {12: 14, 0: 1}, False),  # a checker that is off is not ahead while others are left
        ("home", {12: 14, 24: 1}, False),
        ("home", {12: 14, 18: 1}, True),
        ("home", {12: 14, 0: 1}, True),
        ("none", {12: 15}, True),
    ],
)
def test_a_wall_and_the_enemy(block: str, enemy: dict[int, int], allowed: bool) -> None:
    """L7, L8, L11: points 10 to 5 are holes 2 to 7 of the enemy's way, 24 is his 12, 18 his 18."""
    assert ("8/6 4/3" in texts(LONG, row(10, 6), enemy, (2, 1), block=block)) is allowed


def test_no_wall_on_the_last_six_holes() -> None:
    """L9: points 18 to 13 are the enemy's home, ahead of which there is nothing."""
    enemy = {12: 14, 19: 1}
    assert "16/14 4/3" not in texts(LONG, row(18, 14), enemy, (2, 1))
    assert "16/14 4/3" in texts(LONG, row(18, 14), enemy, (2, 1), block="none")


@pytest.mark.parametrize(("wrap", "allowed"), [("path", True), ("circle", False)])
def test_a_row_across_the_enemys_last_hole(wrap: str, allowed: bool) -> None:
    """L7: points 15 to 13 are the enemy's last holes, 12 to 10 his first."""
    assert ("13/11 4/3" in texts(LONG, row(15, 11), {20: 15}, (2, 1), block_wrap=wrap)) is allowed


def test_a_double_fills_four_of_six() -> None:
    """L7, M2."""
    own = {1: 0, 24: 1, 23: 1, 22: 2, 21: 2}
    plays = texts(LONG, dict(own), {12: 15}, (4, 4))
    assert texts(LONG, dict(own), {12: 15}, (4, 4), block="none") - plays == {"24/20 23/19 22/18 21/17"}


def test_a_wall_that_stood_is_not_held_against_a_side() -> None:
    """L7: whoever let it stand; only a row that this turn fills is."""
    own = {1: 0, **dict.fromkeys(range(10, 4, -1), 1), 6: 2}
    plays = texts(LONG, dict(own), {12: 15}, (2, 1))
    assert "6/5 5/3" in plays  # the old row stands
    assert texts(LONG, dict(own), {12: 15}, (2, 1), block="none") - plays == {"10/9 6/4"}


def test_bearing_off_in_the_turn_of_entry() -> None:
    """B1, B5: the 6 is blocked for the last checker outside."""
    assert texts(LONG, {5: 14, 7: 1}, {1: 15}, (6, 1)) == {"7/off"}
    assert texts(LONG, {5: 14, 7: 1}, {1: 15}, (6, 1), off_same_turn=False) == {"7/6", "5/4"}


def test_hit_and_hide() -> None:
    """K4: a hitter ends the turn alone, wherever it goes; it may go on, or off, or hit again."""
    own = {6: 0, 5: 2, 8: 1, 9: 1}
    allowed = texts(SHORT, dict(own), {24: 14, 7: 1}, (2, 1))
    forbidden = texts(SHORT, dict(own), {24: 14, 7: 1}, (2, 1), hit_and_hide="forbidden")
    assert allowed - forbidden == {"8/7*/5", "9/7* 8/7", "9/7*/6"}
    assert forbidden < allowed
    assert "8/7* 6/4" in forbidden  # it stays where it is
    onward = texts(SHORT, dict(own), {24: 14, 7: 1}, (3, 1), hit_and_hide="forbidden")
    assert "8/7*/4" in onward  # to an empty point


def test_full_moves_are_counted_over_turns_that_may_end_so() -> None:
    """K2, K4, M3: the only other move hides the hitter, so that one die is all there is to play."""
    own, enemy = {0: 0, 25: 1, 20: 1}, {15: 0, 17: 2, 18: 2, 22: 1, 23: 2}
    assert texts(SHORT, dict(own), dict(enemy), (3, 2)) == {"bar/22*/20"}
    assert texts(SHORT, dict(own), dict(enemy), (3, 2), hit_and_hide="forbidden") == {"bar/22*"}


def test_no_checker_twice() -> None:
    """M1: a stack gives as many as it held unmoved."""
    far = {1: 15}
    for count, usual, once in ((1, {"20/17"}, {"20/18"}), (2, {"20/17", "20/19 20/18"}, {"20/19 20/18"})):
        own: dict[int, int] = {0: 0, 20: count}
        assert texts(LONG, dict(own), dict(far), (2, 1)) == usual
        assert texts(LONG, dict(own), dict(far), (2, 1), allow_same_checker=False) == once


def test_a_checker_that_hit_may_be_any_of_its_point() -> None:
    """K4: on doubles it may pass over others; who goes on from there does not show."""
    allowed, forbidden = (
        texts(SHORT, {0: 0, 8: 1, 6: 1}, {24: 14, 7: 1}, (1, 1), hit_and_hide=option)
        for option in ("allowed", "forbidden")
    )
    assert allowed == {"6/2", "8/7* 6/3", "8/7*/6 6/4", "8/7*/5 6/5"}
    assert forbidden == allowed - {"8/7*/5 6/5"}


def test_nothing_to_play_is_one_play_without_moves() -> None:
    """M6."""
    closed = Position((*[0] * 18, *[-2] * 6), bar=(1, 0), off=(14, 3))
    rules = default_rules(SHORT)
    (play,) = legal_plays(closed, Side.WHITE, (3, 1), rules)
    assert play.moves == ()
    assert play.after == closed
    assert play.notation == "no play"
    assert ways(closed, Side.WHITE, (3, 1), rules) == {closed: ((),)}


def test_the_last_checker_off_by_one_die_or_two() -> None:
    """B7, M3: the same end, so that either way is one."""
    last = Position((0, 0, 0, 1, *[0] * 19, -15), off=(14, 0))
    ((after, orders),) = ways(last, Side.WHITE, (4, 2), default_rules(SHORT)).items()
    assert after.off == (15, 0)
    assert set(orders) == {(Move(4, 0),), (Move(4, 2), Move(2, 0))}


@pytest.mark.parametrize(
    ("leave", "game", "own", "enemy", "played"),
    [
        (Leave.BAR_FIRST, SHORT, {6: 14, 25: 1}, {1: 15}, (Move(6, 3), Move(6, 4))),
        (Leave.HEAD, LONG, {24: 15}, {12: 15}, (Move(24, 21), Move(24, 22))),
        (Leave.WALL, LONG, row(10, 6), {12: 15}, (Move(4, 1), Move(8, 6))),
        (Leave.ALL_HOME, LONG, {3: 14, 9: 1}, {12: 15}, (Move(3, 0), Move(3, 1))),
        (Leave.FORWARD, SHORT, {6: 15}, {24: 15}, (Move(6, 9), Move(6, 4))),
    ],
)
def test_each_rule_can_be_left_out(
    leave: Leave,
    game: Game,
    own: dict[int, int],
    enemy: dict[int, int],
    played: tuple[Move, ...],
) -> None:
    """K2, L2, L7, B1, G4, G5."""
    own = dict(own)
    own[next(iter(own))] += CHECKERS - sum(own.values())
    position = position_from(game, Side.WHITE, own, enemy)
    turn = position, Side.WHITE, (3, 2), default_rules(game)
    points = list(position.points)
    for move in played:
        points[move.from_point - 1] -= 1
        if move.to_point != OFF:
            points[move.to_point - 1] += 1
    off = sum(move.to_point == OFF for move in played)
    after = Position(tuple(points), position.bar, (position.off[0] + off, position.off[1]))
    assert after not in reach(*turn)[2]
    assert after in reach(*turn, leave)[2]


def test_more_checkers_than_a_board_holds() -> None:
    for crowd in (
        Position((29, *[0] * 23)),
        Position((0,) * 24, bar=(0, 29)),
        Position((0,) * 24, off=(29, 0)),
    ):
        side = Side.BLACK if crowd.bar[1] else Side.WHITE
        with pytest.raises(ValueError, match="29 checkers"):
            legal_plays(crowd, side, (2, 1), default_rules(SHORT))


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ((), "no play"),
        ((Move(24, 18), Move(13, 11)), "24/18 13/11"),
        ((Move(24, 18, True), Move(18, 13)), "24/18*/13"),
        ((Move(24, 18), Move(18, 13)), "24/13"),
        ((Move(25, 20), Move(6, 0)), "bar/20 6/off"),
        ((Move(8, 5), Move(6, 3), Move(8, 5), Move(6, 3)), "8/5(2) 6/3(2)"),
        ((Move(6, 2, True), Move(6, 2), Move(13, 9), Move(13, 9)), "13/9(2) 6/2*(2)"),
        ((Move(24, 20, True), Move(20, 16), Move(24, 20), Move(20, 16)), "24/20*/16 24/16"),
    ],
)
def test_notation(moves: tuple[Move, ...], text: str) -> None:
    assert notation(moves) == text
