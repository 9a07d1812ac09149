"""Positions of the made-up pictures, and how their checkers are laid."""

from collections import Counter

import numpy as np
import pytest

from engine.layout import start_layouts
from engine.position import CHECKERS, Game
from models.training.positions import (
    BAR_SLOT,
    OFF_SLOT,
    SLIVER,
    Checker,
    Habit,
    Layout,
    place_checkers,
    random_position,
    worst_overlap,
)
from models.training.things import Ground

START = Layout(next(iter(start_layouts(Game.BACKGAMMON).values())), (0, 0), (0, 0))
HEADS = Layout(next(iter(start_layouts(Game.LONG_NARDY).values())), (0, 0), (0, 0))


def ground(height: float = 0.9, bar: float = 0.08, bar_top: float = 0.03, trays: bool = True) -> Ground:
    return Ground(
        field_height=height,
        bar=(0.5 - bar / 2, 0.5 + bar / 2),
        bar_top=bar_top,
        inside=(0, 0, 1, height),
        outside=(-0.16, -0.03, 1.16, height + 0.03),
        rim_width=0.03,
        rim_top=0.03,
        table=-0.02,
        trays=(((1.02, 0, 1.13, height), 0.0),) if trays else (),
    )


def counted(checkers: tuple[Checker, ...]) -> Layout:
    slots, bar, off = [0] * 24, [0, 0], [0, 0]
    for checker in checkers:
        if checker.slot == BAR_SLOT:
            bar[checker.side] += 1
        elif checker.slot == OFF_SLOT:
            off[checker.side] += 1
        else:
            slots[checker.slot] += -1 if checker.side else 1
    return Layout(tuple(slots), (bar[0], bar[1]), (off[0], off[1]))


def sides(layout: Layout) -> list[int]:
    on_points = [sum(n for n in layout.slots if n > 0), -sum(n for n in layout.slots if n < 0)]
    return [on_points[k] + layout.on_bar[k] + layout.off[k] for k in (0, 1)]


def test_no_side_has_more_than_fifteen() -> None:
    rng = np.random.default_rng(1)
    for _ in range(400):
        layout = random_position(rng)
        assert max(sides(layout)) <= CHECKERS
        assert min(*layout.on_bar, *layout.off) >= 0


def test_kinds_of_position_are_all_drawn() -> None:
    rng = np.random.default_rng(2)
    drawn = [random_position(rng) for _ in range(600)]
    starts = {start for game in Game for start in start_layouts(game).values()}
    found = Counter[str]()
    for layout in drawn:
        found["start"] += layout.slots in starts or tuple(-n for n in layout.slots) in starts
        found["empty"] += sum(sides(layout)) == 0
        found["bar"] += sum(layout.on_bar) > 0
        found["off"] += sum(layout.off) > 0
        found["tall"] += max(map(abs, layout.slots)) > 6
    assert found["start"] > 60
    assert 8 < found["empty"] < 60
    assert min(found["bar"], found["off"], found["tall"]) > 40


def test_the_same_seed_gives_the_same_checkers() -> None:
    def draw() -> tuple[Checker, ...]:
        rng = np.random.default_rng(5)
        return place_checkers(rng, random_position(rng), ground(), 0.034, 0.012)

    assert draw() == draw()


@pytest.mark.parametrize("seed", range(3))
def test_every_checker_lies_where_its_slot_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        layout, board = random_position(rng), ground(float(rng.uniform(0.7, 1.1)))
        pitch = (1 - (board.bar[1] - board.bar[0])) / 12
        radius = min(pitch * rng.uniform(0.35, 0.497), board.field_height / 20.4)
        checkers = place_checkers(rng, layout, board, radius, radius * 0.4)
        assert counted(checkers) == layout
        for checker in checkers:
            x, y, _ = checker.centre
            if checker.slot >= BAR_SLOT:
                continue
            column = checker.slot % 12
            middle = (column + 0.5) * pitch if column < 6 else board.bar[1] + (column - 5.5) * pitch
            assert abs(x - middle) < 0.3 * pitch
            reach = radius * checker.axis[2]
            assert reach - 1e-6 <= y <= board.field_height - reach + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_checkers_do_not_cut_into_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(80):
        bar = float(rng.choice([0, 0.04, 0.12]))
        board = ground(float(rng.uniform(0.62, 1.1)), bar, 0.03 if bar and rng.random() < 0.6 else 0.0)
        radius = min((1 - bar) / 12 * rng.uniform(0.4, 0.497), board.field_height / 20.4)
        checkers = place_checkers(rng, random_position(rng), board, radius, radius * rng.uniform(0.3, 0.7))
        assert worst_overlap(checkers) <= SLIVER


def test_rows_end_where_the_habit_says_and_the_rest_lies_on_top() -> None:
    habit = Habit(aside=0.1, away=0.02, gap=0.05, row=5, staggered=False, fan=False)
    checkers = place_checkers(np.random.default_rng(0), HEADS, ground(), 0.035, 0.012, habit)
    assert Counter((c.side, c.layer) for c in checkers) == {(s, n): 5 for s in (0, 1) for n in (0, 1, 2)}
    for checker in checkers:
        assert checker.centre[2] == pytest.approx((checker.layer + 0.5) * 0.012)


def test_a_fan_rises_from_the_floor() -> None:
    habit = Habit(aside=0.1, away=0.02, gap=0.05, row=5, staggered=False, fan=True)
    checkers = place_checkers(np.random.default_rng(0), HEADS, ground(1.0), 0.035, 0.012, habit)
    assert len(checkers) == 30
    for checker in checkers:
        x, y, z = checker.axis
        assert (x, np.hypot(y, z)) == pytest.approx((0, 1))
        lowest = checker.centre[2] - 0.035 * abs(y) - 0.006 * z
        assert lowest == pytest.approx(0, abs=1e-6)
        assert abs(y) > 0.1


def test_axes_of_a_checker_are_at_right_angles() -> None:
    rng = np.random.default_rng(3)
    layout = Layout(START.slots[:12] + (0,) * 12, (0, 0), (7, 7))
    for _ in range(20):
        for checker in place_checkers(rng, layout, ground(), 0.035, 0.012):
            turn = checker.turn.astype(float)
            assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-5)
            assert turn[2] == pytest.approx(checker.axis, abs=1e-6)


def test_borne_off_checkers_lie_beside_the_field() -> None:
    rng = np.random.default_rng(4)
    for trays in (True, False):
        for _ in range(30):
            board = ground(trays=trays)
            for checker in place_checkers(rng, Layout((0,) * 24, (0, 0), (15, 9)), board, 0.035, 0.012):
                x, _, z = checker.centre
                assert x > 1 or x < 0
                assert z > board.table
