"""Reading checkers from small pictures drawn here: a plain board, discs and noise."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from engine.events import BoardSeen, PlayMade
from engine.layout import SLOTS, Orientation, start_layouts, to_slots
from engine.position import Game, Position, Side
from hardware.camera import Image
from hardware.table import SimulatedTable
from hardware.table.scene import BAR_WIDTH, FIELD_X, Pose
from vision.appearance import learn
from vision.geometry import FieldMap
from vision.slots import read_board

FIELD = FieldMap(np.array([(60.0, 50.0), (580.0, 50.0), (580.0, 430.0), (60.0, 430.0)]))
BAR = (0.5 - BAR_WIDTH / 4 / FIELD_X, 0.5 + BAR_WIDTH / 4 / FIELD_X)  #: of the simulated table
START = to_slots(Position.start(Game.BACKGAMMON), Orientation.BOTTOM_RIGHT)
LIGHT, DARK = (190, 225, 235), (40, 40, 45)
RADIUS = 17
Colour = tuple[int, int, int]


def draw(
    slots: Sequence[int],
    *,
    light: Colour = LIGHT,
    dark: Colour = DARK,
    bar: tuple[int, int] = (0, 0),
    dice: Sequence[tuple[int, int]] = (),
    gain: float = 1.0,
    seed: int = 0,
    laid: int = 0,
) -> Image:
    """A board from straight above, 640x480.

    ``dice`` are white squares at pixels. ``seed`` is that of the noise, ``laid`` of how the checkers lie.
    """
    image = np.full((480, 640, 3), (60, 90, 140), np.uint8)
    left, top = 60, 50
    cv2.rectangle(image, (left, top), (580, 430), (50, 90, 60), -1)
    cv2.rectangle(image, (301, top), (339, 430), (60, 90, 140), -1)
    for slot in range(SLOTS):
        x = left + FIELD.slot_x(slot) * 520
        base, tip = (top, top + 160) if slot < 12 else (430, 270)
        shade = (150, 190, 200) if (slot % 12 + slot // 12) % 2 else (50, 50, 120)
        cv2.fillPoly(image, [np.array([(x - 19, base), (x + 19, base), (x, tip)], np.int32)], shade)
    rng = np.random.default_rng(seed)
    for slot, count in enumerate(slots):
        hand = np.random.default_rng((laid, slot))
        for place in range(abs(count)):
            inward = 20 + place * (2 * RADIUS + 1)
            x = round(left + FIELD.slot_x(slot) * 520 + hand.normal(0, 1.5))
            y = top + inward if slot < 12 else 430 - inward
            disc(image, (x, y), light if count > 0 else dark)
    for i, colour in enumerate([light] * bar[0] + [dark] * bar[1]):
        disc(image, (320, 130 + 50 * i), colour)
    for x, y in dice:
        cv2.rectangle(image, (x - 8, y - 8), (x + 8, y + 8), (230, 235, 240), -1)
    noisy = cv2.GaussianBlur(image, (0, 0), 0.8) * gain + rng.normal(0, 2, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def disc(image: Image, centre: tuple[int, int], colour: Colour) -> None:
    """A checker from above."""
    cv2.circle(image, centre, RADIUS, colour, -1, cv2.LINE_AA)
    rim = tuple(int(0.8 * c) for c in colour)
    cv2.circle(image, centre, RADIUS - 1, rim, 1, cv2.LINE_AA)


def position(seed: int) -> list[int]:
    """Counts up to five on about half of the slots."""
    rng = np.random.default_rng(seed)
    return [int(n) for n in rng.integers(-5, 6, SLOTS) * (rng.random(SLOTS) < 0.6)]


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_colours_on_a_learnt_board(seed: int) -> None:
    look = learn(draw(START), FIELD, START)
    slots = position(seed)
    readings = read_board(draw(slots, seed=seed + 1, laid=seed), FIELD, look)[0]
    assert [r.best for r in readings] == slots
    for reading in readings:
        assert 0.95 < sum(p for _, p in reading.counts) <= 1.001


def test_low_contrast_and_less_light() -> None:
    """Dark checkers barely darker than the dark points, light ones barely lighter than the light."""
    light, dark = (178, 218, 234), (44, 36, 80)
    look = learn(draw(START, light=light, dark=dark), FIELD, START)
    slots = position(5)
    readings = read_board(draw(slots, seed=9, gain=0.85, light=light, dark=dark), FIELD, look)[0]
    assert [r.best for r in readings] == slots


def test_hidden_slots_are_not_read() -> None:
    look = learn(draw(START), FIELD, START)
    visible = np.ones(SLOTS + 1, np.bool_)
    visible[[0, 17]] = False
    readings = read_board(draw(START, seed=2), FIELD, look, visible=visible)[0]
    assert [s for s in range(SLOTS) if not readings[s].visible] == [0, 17]
    assert all(readings[s].best == START[s] for s in range(SLOTS) if visible[s])


def test_dice_are_no_checkers() -> None:
    look = learn(draw(START), FIELD, START)
    dice = [(150, 80), (200, 370), (420, 400), (320, 240), (460, 150)]
    slots, bar = read_board(draw(START, dice=dice, seed=3), FIELD, look)
    assert [r.best for r in slots] == list(START)
    assert [r.best for r in bar] == [0, 0]


def test_checkers_on_the_bar() -> None:
    look = learn(draw(START), FIELD, START)
    light, dark = read_board(draw(START, bar=(1, 2), seed=4), FIELD, look)[1]
    assert (light.best, dark.best) == (1, -2)


def test_a_full_row_may_be_taller_than_it_looks() -> None:
    """The same row of five, laid anew: it may have taken anything up to another layer."""
    look = learn(draw(START), FIELD, START)
    reading = read_board(draw(START, seed=6, laid=1), FIELD, look)[0][START.index(5)]
    assert reading.colour == "light"
    assert all(reading.probability(n) > 0.004 for n in range(5, 13))


def test_a_sixth_checker_is_seen_by_the_change_it_makes() -> None:
    look = learn(draw(START), FIELD, START)
    picture = draw(START, seed=1)
    slot = START.index(5, 12)
    place = (round(60 + FIELD.slot_x(slot) * 520) + 6, 430 - 18)
    cv2.circle(picture, place, RADIUS + 2, (110, 130, 135), -1)  # the shade around a raised checker
    disc(picture, place, LIGHT)
    reading = read_board(picture, FIELD, look)[0][slot]
    assert reading.best == 6


def test_one_side_alone_teaches_nothing() -> None:
    slots = [0] * SLOTS
    slots[3] = 5
    with pytest.raises(ValueError, match="both sides"):
        learn(draw(slots), FIELD, slots)


def test_refresh_follows_the_light_and_uncovers_points() -> None:
    look = learn(draw(START), FIELD, START)
    assert look.borrowed.any()
    moved = [0] * SLOTS
    moved[1], moved[13] = 2, -2
    fresh = look.refresh(draw(moved, seed=7), FIELD, moved, 0.2)
    assert fresh.borrowed.sum() < look.borrowed.sum() / 2
    assert [r.best for r in read_board(draw(START, seed=8), FIELD, fresh)[0]] == list(START)


@pytest.mark.parametrize("game", list(Game))
@pytest.mark.parametrize(("style", "pose"), [("wood", "overhead"), ("felt", "oblique")])
def test_the_simulated_table(game: Game, style: str, pose: Pose) -> None:
    """Learnt on the first frame, read when the play of every turn is over."""
    table = SimulatedTable(seed=3, game=game, style=style, pose=pose, max_turns=8)
    truth = table.truth()
    board = next(e for e in truth if isinstance(e, BoardSeen))
    plays = [e for e in truth if isinstance(e, PlayMade)]
    assert board.orientation is not None
    field = FieldMap(np.array(board.corners), BAR)
    white_is_light = (plays[0].side is Side.WHITE) == (plays[0].colour == "light")
    start = to_slots(Position.start(game), board.orientation, white_is_light)
    table.start()
    look = learn(table.picture(0), field, start)
    for play in plays:
        picture = table.picture(round((play.t + 0.45) * table.fps))  # the hand is gone
        slots, bar = read_board(picture, field, look)
        assert [r.best for r in slots] == list(play.slots), play.notation
        assert (bar[0].best, -bar[1].best) == play.bar
        look = look.refresh(picture, field, play.slots, 0.1)


@pytest.mark.parametrize("game", list(Game))
def test_noise_in_the_dark_makes_no_stack_taller(game: Game) -> None:
    """The next picture of the very board that was learnt is told as that board, and surely."""
    table = SimulatedTable(seed=31, game=game, style="wood", conditions=("dim",), max_turns=1)
    field = FieldMap(np.array(next(e for e in table.truth() if isinstance(e, BoardSeen)).corners), BAR)
    start = start_layouts(game)[table.orientation]
    table.start()
    look = learn(table.picture(0), field, start)
    readings = read_board(table.picture(3), field, look)[0]
    assert [r.best for r in readings] == list(start)
    assert min(r.confidence for r in readings) > 0.8


def test_a_mirrored_lamp_makes_a_slot_unsure_and_no_other() -> None:
    look = learn(draw(START), FIELD, START)
    slot = START.index(-3)
    x, y = 60 + FIELD.slot_x(slot) * 520, 50 + 20 + 2 * (2 * RADIUS + 1)
    down, along = np.mgrid[0:480, 0:640]
    far = np.hypot(along - x, down - y - RADIUS)
    spot = np.dstack([250 * np.exp(-((far / 22) ** 2))] * 3).astype(np.uint8)
    assert slot < 12
    dazzled = read_board(np.asarray(cv2.add(draw(START, seed=1), spot), np.uint8), FIELD, look)[0]
    plain = read_board(draw(START, seed=1), FIELD, look)[0]
    assert plain[slot].best == -3
    assert plain[slot].confidence > 0.95
    assert dazzled[slot].confidence < 0.7
    assert dazzled[slot].probability(-3) > 0.02
    beside = range(slot - 1, slot + 2)
    assert [r for s, r in enumerate(dazzled) if s not in beside] == [
        r for s, r in enumerate(plain) if s not in beside
    ]
