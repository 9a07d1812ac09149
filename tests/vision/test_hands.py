"""Hands and the cup against checkers, dice and shadows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera import Image
from vision.geometry import FieldMap
from vision.hands import Cover, FieldMasks, Watch
from vision.motion import Motion, MotionGate

CORNERS = np.array([[80, 40], [320, 40], [330, 210], [70, 210]], np.float64)
FIELD = FieldMap(CORNERS)
SKIN, WINE = (140, 170, 225), (40, 20, 120)


def table() -> Image:
    """A small picture: grey table, brown board with points, a cup beside it."""
    rng = np.random.default_rng(3)
    picture = np.clip(rng.normal((150, 140, 135), 3, (250, 400, 3)), 0, 255).astype(np.uint8)
    cv2.fillConvexPoly(
        picture,
        FIELD.to_pixels([[-0.04, -0.04], [1.04, -0.04], [1.04, 1.04], [-0.04, 1.04]]).astype(np.int32),
        (90, 150, 190),
    )
    cv2.fillConvexPoly(picture, CORNERS.astype(np.int32), (40, 60, 100))
    for slot in range(24):
        x, low = FIELD.slot_x(slot), slot >= 12
        base = 1.0 if low else 0.0
        tip = 0.6 if low else 0.4
        triangle = FIELD.to_pixels([[x - 0.03, base], [x + 0.03, base], [x, tip]]).astype(np.int32)
        cv2.fillConvexPoly(picture, triangle, (170, 200, 215) if slot % 2 else (60, 90, 150))
    return picture


def with_cup(picture: Image, x: int = 365, y: int = 120) -> Image:
    out = picture.copy()
    cv2.circle(out, (x, y), 22, WINE, -1)
    cv2.circle(out, (x, y), 15, (25, 10, 70), -1)
    return out


def with_hand(picture: Image, tip: tuple[int, int], entry: tuple[int, int]) -> Image:
    out = picture.copy()
    cv2.line(out, entry, tip, SKIN, 22)
    return out


def with_checker(picture: Image, slot: int, place: int, colour: tuple[int, int, int] = (30, 30, 30)) -> Image:
    out = picture.copy()
    y = 0.05 + 0.095 * place
    x, y = FIELD.to_pixels([[FIELD.slot_x(slot), 1 - y if slot >= 12 else y]])[0]
    cv2.circle(out, (round(x), round(y)), 8, colour, -1)
    return out


class Table:
    """Feeds frames at ten a second to a gate and a watch."""

    def __init__(self, first: Image) -> None:
        self.masks = FieldMasks(FIELD, first.shape[:2], 1)
        self.watch = Watch(self.masks, first)
        self.gate = MotionGate()
        self.t = 0.0
        self.gate.update(first, 0.0)

    def see(self, picture: Image, frames: int = 1, settle: bool = True) -> Cover:
        for _ in range(frames):
            self.t += 0.1
            motion = self.gate.update(picture, self.t)
            cover = self.watch.cover(picture, motion)
            if settle and motion.still(self.masks.inside):
                self.watch.settle(picture, cover, motion)
        return cover


def hidden(cover: Cover) -> set[int]:
    return {i for i, h in enumerate(cover.slots) if h}


def test_an_unchanged_board_is_clear() -> None:
    cover = Table(table()).see(table())
    assert cover.clear
    assert cover.hands == ()
    assert not cover.changed.any()


def test_a_hand_hides_the_slots_that_it_covers_and_no_others() -> None:
    # From the bottom edge over the second column to the middle of the board.
    x, y = FIELD.to_pixels([[FIELD.slot_x(13), 0.72]])[0]
    cover = Table(table()).see(with_hand(table(), (round(x), round(y)), (round(x) - 10, 249)))
    assert len(cover.hands) == 1
    assert 13 in hidden(cover)
    assert hidden(cover) <= {12, 13, 14}


@pytest.mark.parametrize("entry", [(0, 120), (399, 120), (200, 0), (200, 249)])
def test_a_hand_comes_from_any_side(entry: tuple[int, int]) -> None:
    cover = Table(table()).see(with_hand(table(), (200, 120), entry))
    assert len(cover.hands) == 1


def test_a_hand_beside_the_board_is_no_hand_over_the_board() -> None:
    cover = Table(table()).see(with_hand(table(), (40, 120), (0, 120)), frames=3)
    assert cover.hands == ()
    assert cover.clear


def test_a_resting_hand_stays_a_hand_and_the_rest_of_the_board_stays_in_view() -> None:
    t = Table(table())
    hand = with_hand(table(), (110, 190), (60, 249))
    cover = t.see(hand, frames=120)
    assert len(cover.hands) == 1
    assert hidden(cover) <= {12, 13, 14}
    assert t.see(table(), frames=2).clear


def test_checkers_and_dice_are_changes_not_hands() -> None:
    picture = with_checker(table(), 0, 0)
    cv2.rectangle(picture, (250, 120), (257, 127), (255, 255, 255), -1)
    t = Table(table())
    cover = t.see(picture)
    assert cover.hands == ()
    assert cover.clear
    assert cover.changed[120:128, 250:258].mean() > 0.5
    cover = t.see(picture, frames=5)
    assert not cover.changed[:60].any(), "a checker that was read is part of the board from then on"
    assert cover.changed[120:128, 250:258].any(), "what is as small as a die may still be one"
    cover = t.see(picture, frames=20)
    assert not cover.changed.any()


def test_dice_differ_for_as_long_as_they_lie_there() -> None:
    picture = table()
    cv2.rectangle(picture, (250, 120), (257, 127), (255, 255, 255), -1)
    t = Table(table())
    for _ in range(30):
        cover = t.see(picture, settle=False)
        motion = t.gate.update(picture, t.t + 0.05)
        t.watch.settle(picture, cover, motion, [(250.0, 120.0, 258.0, 128.0)])
    assert cover.changed[120:128, 250:258].mean() > 0.7
    assert not t.see(table()).changed.any(), "and are gone without a trace"


def test_many_checkers_at_once_are_taken_over_when_they_lie_still() -> None:
    picture = table()
    for slot in (12, 13, 14):
        for place in range(5):
            picture = with_checker(picture, slot, place)
    t = Table(table())
    cover = t.see(picture, frames=20)
    assert cover.clear
    assert not cover.changed.any()


def test_a_shadow_is_no_hand() -> None:
    picture = table()
    picture[60:190, 200:300] = (picture[60:190, 200:300] * 0.65).astype(np.uint8)
    cover = Table(table()).see(picture)
    assert cover.hands == ()
    assert cover.clear


def test_the_cup_is_learnt_when_it_is_taken() -> None:
    t = Table(with_cup(table()))
    assert t.see(with_cup(table())).cup is None, "nothing tells yet that this is a cup"
    in_hand = with_cup(with_hand(table(), (180, 60), (180, 0)), 180, 90)
    cover = t.see(in_hand, frames=5)  # its place lies bare
    assert cover.cup_over_board
    assert cover.cup is not None
    x0, y0, x1, y1 = cover.cup
    assert abs((x0 + x1) / 2 - 180) < 8
    assert abs((y0 + y1) / 2 - 90) < 10
    back = t.see(with_cup(table()), frames=2)
    assert back.cup is not None
    assert abs((back.cup[0] + back.cup[2]) / 2 - 365) < 5
    assert not back.cup_over_board
    empty_hand = t.see(with_cup(with_hand(table(), (180, 90), (180, 0))))
    assert not empty_hand.cup_over_board


def test_an_arm_that_comes_in_is_no_cup_that_has_gone() -> None:
    t = Table(table())
    for reach in range(1, 6):  # from the edge of the picture towards the board, over plain table
        t.see(with_hand(table(), (180, 4 * reach), (180, 0)))
    assert t.see(table(), frames=5).cup is None


def test_a_die_on_the_frame_beside_checkers_in_the_tray_is_no_hand() -> None:
    t = Table(table())
    t.see(table())
    lying = table()
    cv2.rectangle(lying, (318, 112), (332, 126), (240, 240, 240), -1)
    for y in (112, 128):
        cv2.circle(lying, (340, y), 9, (30, 30, 30), -1)
    assert t.see(lying).hands, "as it comes there"
    assert not t.see(lying, frames=10).hands
    cv2.line(lying, (399, 120), (332, 120), SKIN, 22)
    assert t.see(lying, frames=10).hands, "what reaches the edge of the picture may rest"


def test_slow_light_is_followed() -> None:
    t = Table(table())
    picture: NDArray[np.float64] = table().astype(np.float64)
    fade = np.linspace(1, 0.7, picture.shape[1])[:, None]
    for i in range(100):
        now = np.clip(picture * (1 + (fade - 1) * i / 100), 0, 255).astype(np.uint8)
        t.t += 0.1
        motion: Motion = t.gate.update(now, t.t)
        cover = t.watch.cover(now, motion)
        t.watch.follow(now, cover, motion)
    assert cover.clear
    assert not cover.changed.any()
