from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.judge import judge_play
from engine.layout import Orientation
from engine.legal import legal_plays
from engine.observation import DieReading, DieState, Half
from engine.position import BAR, OFF, Game, Position, Side, index_of
from engine.rules import default_rules
from engine.throws import right_half, throw_faults

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY


def moved(position: Position, game: Game, side: Side, *moves: tuple[int, int]) -> Position:
    """The board after moving a side's checkers by hand, whatever the rules say."""
    points, bar, off = list(position.points), list(position.bar), list(position.off)
    for source, target in moves:
        if source == BAR:
            bar[side.index] -= 1
        else:
            points[index_of(game, side, source)] -= side.sign
        if target == OFF:
            off[side.index] += 1
            continue
        index = index_of(game, side, target)
        if points[index] == -side.sign:  # a blot is hit
            points[index] = 0
            bar[side.other.index] += 1
        points[index] += side.sign
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


def net(moves: Iterable[tuple[int, int]]) -> Counter[int]:
    """What a play changes: stops on the way cancel out."""
    change: Counter[int] = Counter()
    for source, target in moves:
        change[source] -= 1
        change[target] += 1
    return Counter({point: n for point, n in change.items() if n})


START, NARDY = Position.start(BG), Position.start(LN)
W, B = Side.WHITE, Side.BLACK
ON_BAR = moved(
    Position((-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1), (1, 0)), BG, W
)
HOME_BUT_ONE = Position((3, 3, 3, 3, 2, 0, 1, *[0] * 11, -5, -5, -5, 0, 0, 0))
HOME = Position((3, 3, 3, 2, 2, 2, *[0] * 12, -5, -5, -5, 0, 0, 0))
FIVE_IN_A_ROW = Position((*[0] * 11, -15, *[0] * 3, 1, 2, 2, 2, 2, 2, 0, 0, 4))


@pytest.mark.parametrize(
    ("game", "before", "side", "dice", "moves", "rule"),
    [
        (BG, START, W, (3, 1), [(8, 5), (6, 4)], "E8"),
        (BG, START, W, (6, 5), [(24, 18), (18, 11)], "E8"),
        (BG, START, W, (3, 1), [(8, 5)], "M3"),
        (BG, START, W, (3, 1), [], "M3"),
        (BG, START, B, (3, 1), [(8, 11), (6, 5)], "G5"),
        (BG, ON_BAR, W, (4, 2), [(6, 2), (8, 6)], "K2"),
        (BG, HOME_BUT_ONE, W, (4, 2), [(4, 0), (2, 0)], "B1"),
        (BG, HOME, W, (4, 1), [(3, 0), (2, 1)], "B3"),
        (LN, NARDY, W, (5, 2), [(24, 19), (24, 22)], "L2"),
        (LN, NARDY, B, (5, 2), [(24, 22), (22, 20)], "E8"),
        (LN, FIVE_IN_A_ROW, W, (2, 1), [(24, 22), (16, 15)], "L7"),
    ],
)
def test_each_breach_is_named(
    game: Game, before: Position, side: Side, dice: tuple[int, int], moves: list[tuple[int, int]], rule: str
) -> None:
    verdict = judge_play(before, side, dice, moved(before, game, side, *moves), default_rules(game))
    assert not verdict.legal
    assert verdict.rule == rule, verdict.reason
    assert net(verdict.moves) == net(moves)
    assert verdict.reason


def test_moving_an_opponents_checker() -> None:
    after = moved(moved(START, BG, W, (8, 5), (6, 5)), BG, B, (13, 10))
    verdict = judge_play(START, W, (3, 1), after, default_rules(BG))
    assert verdict.rule == "G11"


def test_a_missing_checker() -> None:
    points = list(START.points)
    points[5] -= 1
    assert judge_play(START, W, (3, 1), Position(tuple(points)), default_rules(BG)).rule == "G1"


def test_the_smaller_die_alone() -> None:
    # One checker left: 6 and 5 can each be played, not both; the larger must be.
    points = [0] * 24
    points[12] = 1
    points[1] = -2  # 13 - 6 - 5 = 2 is closed
    points[23] = -13
    before = Position(tuple(points), off=(14, 0))
    verdict = judge_play(before, W, (6, 5), moved(before, BG, W, (13, 8)), default_rules(BG))
    assert verdict.rule == "M4"


@given(st.integers(0, 10**6), st.sampled_from(Game))
@settings(max_examples=15, deadline=None)
def test_legal_plays_are_judged_legal(seed: int, game: Game) -> None:
    rng, rules = random.Random(seed), default_rules(game)
    position, side = Position.start(game), Side.WHITE
    for _ in range(20):
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        play = rng.choice(legal_plays(position, side, dice, rules))
        verdict = judge_play(position, side, dice, play.after, rules)
        assert verdict.legal
        assert verdict.rule is None
        position, side = play.after, side.other


def die(state: DieState = "flat", half: Half = "right") -> DieReading:
    return DieReading((1.0, 0, 0, 0, 0, 0), ((state, 1.0),), (0, 0, 1, 1), (0.7, 0.5), half, 1.0)


@pytest.mark.parametrize(
    ("dice", "faults"),
    [
        ([die(), die()], ()),
        ([die(), die("cocked")], ("cocked",)),
        ([die("on_checker"), die()], ("on_checker",)),
        ([die(half="left"), die()], ("two_halves",)),
        ([die(), die("off_board", "off")], ("off_board",)),
        ([die("on_frame", "left"), die()], ("on_frame",)),
        ([die()], ("one_die",)),
        ([die("cocked", "left"), die()], ("cocked", "two_halves")),
    ],
)
def test_throws(dice: list[DieReading], faults: tuple[str, ...]) -> None:
    assert throw_faults(dice, W, default_rules(BG), Orientation.BOTTOM_RIGHT) == faults


def test_the_right_half_is_the_throwers() -> None:
    rules = replace(default_rules(Game.BACKGAMMON), throw_half="right_half")
    assert right_half(W, Orientation.BOTTOM_RIGHT) == "right"
    assert right_half(W, Orientation.TOP_LEFT) == "left"
    assert throw_faults([die(), die()], B, rules, Orientation.BOTTOM_RIGHT) == ("wrong_half",)
    assert throw_faults([die(), die()], W, rules, Orientation.BOTTOM_RIGHT) == ()
    assert throw_faults([die(), die()], None, rules, Orientation.BOTTOM_RIGHT) == ()
