"""The board is found on other people's renderings, and the answer by hand always wins."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.events import BoardSeen
from engine.layout import Orientation, start_layouts
from engine.observation import SlotReading
from engine.position import Game
from hardware.camera import Image
from hardware.table import STYLES, SimulatedTable
from vision.board import Start, find_board, start_of, track_board
from vision.geometry import FieldMap

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
VIDEO = SHARED / "footage" / "video"


def first_frame(name: str) -> tuple[Image, np.ndarray]:
    if not (VIDEO / f"{name}.mp4").exists():
        pytest.skip("needs the shared footage")
    truth = json.loads((VIDEO / f"{name}.json").read_text())
    ok, image = cv2.VideoCapture(str(VIDEO / f"{name}.mp4")).read()
    assert ok
    corners = np.array([truth["field_corners_px"][k] for k in ("tl", "tr", "br", "bl")])
    return image, corners  # type: ignore[return-value]


def drawn_board(
    game: Game = Game.BACKGAMMON, seed: int = 0, moved: tuple[int, int] | None = None
) -> tuple[Image, np.ndarray]:
    """A set-up board drawn flat and seen at a slant: picture and the field's corners.

    ``moved``: slots from and to which one checker was moved.
    """
    width, height, pitch = 780, 620, 60
    rng = np.random.default_rng(seed)
    image = np.full((height + 160, width + 160, 3), (60, 90, 60), np.uint8)
    image[40:-40, 40:-40] = (40, 70, 110)
    image[80:-80, 80:-80] = (150, 190, 200)
    image[80:-80, 80 + 6 * pitch : 80 + 7 * pitch] = (40, 70, 110)
    layout = list(next(iter(start_layouts(game).values())))
    if moved is not None:
        sign = np.sign(layout[moved[0]])
        layout[moved[0]] -= sign
        layout[moved[1]] += sign
    for slot, count in enumerate(layout):
        column, bottom = slot % 12, slot >= 12
        x = 80 + pitch * (column + (column >= 6)) + pitch // 2
        base, down = (height + 80, -1) if bottom else (80, 1)
        colour = (50, 50, 140) if (column + bottom) % 2 else (60, 40, 30)
        triangle = [[x - 29, base], [x + 29, base], [x, base + down * 260]]
        cv2.fillPoly(image, [np.array(triangle)], colour, cv2.LINE_AA)
        for k in range(min(5, abs(count))):
            centre = (x, base + down * (27 + 53 * k))
            cv2.circle(image, centre, 26, (225, 235, 235) if count > 0 else (20, 20, 20), -1, cv2.LINE_AA)
    corners = np.array([[80, 80], [80 + width, 80], [80 + width, 80 + height], [80, 80 + height]], float)
    source = np.array([[0, 0], [940, 0], [940, 780], [0, 780]], np.float32)
    target = np.array([[160, 60], [830, 40], [930, 640], [60, 660]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    seen = cv2.warpPerspective(image, matrix, (960, 720), borderValue=(60, 90, 60))
    noisy = np.clip(seen + rng.normal(0, 4, seen.shape), 0, 255).astype(np.uint8)
    return noisy, cv2.perspectiveTransform(corners[None], matrix)[0]


def corner_error(field: FieldMap, corners: np.ndarray) -> float:
    """Mean distance of the corners in shares of the field's width."""
    width = np.linalg.norm(corners[1] - corners[0])
    return float(np.linalg.norm(field.corners - corners, axis=1).mean() / width)


def test_a_drawn_start_is_found() -> None:
    image, corners = drawn_board()
    found = find_board(image)
    assert found is not None
    assert corner_error(found.field, corners) < 0.01
    assert found.confidence > 0.5
    assert found.start is not None
    assert found.start.game is Game.BACKGAMMON
    assert list(found.slots) == list(next(iter(start_layouts(Game.BACKGAMMON).values())))
    assert found.field.bar == pytest.approx((6 / 13, 7 / 13), abs=0.01)


def readings(layout: Sequence[int], **doubted: tuple[int, float]) -> list[SlotReading]:
    """Sure readings of a layout, but of ``slotN=(count, chance)``."""
    slots = [SlotReading(((n, 0.98),)) for n in layout]
    for name, (count, chance) in doubted.items():
        at = int(name.removeprefix("slot"))
        slots[at] = SlotReading(((count, chance), (layout[at], 0.98 - chance)))
    return slots


@pytest.mark.parametrize("game", list(Game))
def test_nothing_less_than_the_whole_start_is_one(game: Game) -> None:
    for orientation, layout in start_layouts(game).items():
        assert start_of(readings(layout)) == Start(game, orientation)
        for slot in (slot for slot, n in enumerate(layout) if n):
            moved = list(layout)
            sign = 1 if moved[slot] > 0 else -1
            moved[slot] -= 4 * sign if abs(moved[slot]) > 5 else sign
            moved[9 if slot != 9 else 8] += sign
            assert start_of(readings(moved)) is None
        tall = [slot for slot, n in enumerate(layout) if abs(n) > 5]
        for slot in tall:  # a stack in layers may be miscounted, and a single slot read badly
            sign = 1 if layout[slot] > 0 else -1
            assert start_of(readings(layout, **{f"slot{slot}": (sign * 11, 0.9)})) is not None
        assert start_of(readings(layout, slot10=(1, 0.9))) is not None
        assert start_of(readings(layout, slot10=(1, 0.9), slot15=(-1, 0.9))) is None


@pytest.mark.parametrize(("name", "game"), [("bg", Game.BACKGAMMON), ("ln", Game.LONG_NARDY)])
def test_footage(name: str, game: Game) -> None:
    image, corners = first_frame(name)
    found = find_board(image)
    assert found is not None
    assert corner_error(found.field, corners) < 0.01
    assert found.start is not None
    assert (found.start.game, found.start.orientation) == (game, Orientation.BOTTOM_RIGHT)


@pytest.mark.parametrize("style", list(STYLES))
@pytest.mark.parametrize("game", list(Game))
def test_simulated_table(style: str, game: Game) -> None:
    table = SimulatedTable(game=game, seed=2, style=style, pose="oblique", max_turns=1)
    board = table.truth()[0]
    assert isinstance(board, BoardSeen)
    table.start()
    found = find_board(table.picture(0))
    assert found is not None
    assert corner_error(found.field, np.array(board.corners)) < 0.01
    assert found.start is not None
    assert (found.start.game, found.start.orientation) == (game, table.orientation)


def test_corners_by_hand_win() -> None:
    image, corners = drawn_board()
    moved = corners + 3
    found = find_board(image, corners=moved)
    assert found is not None
    assert np.allclose(found.field.corners, moved, atol=1e-3)
    assert found.field.bar == pytest.approx((6 / 13, 7 / 13), abs=0.015)
    assert found.start is not None


@pytest.mark.parametrize("kind", ["plain", "noise", "tiny"])
def test_no_board(kind: str) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (480, 640, 3)).astype(np.uint8)
    image = {"plain": np.full((480, 640, 3), 90, np.uint8), "noise": noise, "tiny": noise[:1, :1]}[kind]
    assert find_board(image) is None


def test_tracking() -> None:
    image, corners = drawn_board()
    field = FieldMap(corners)
    again, _ = drawn_board(seed=1)
    assert track_board(field, image, again) is field
    shift = np.array([[1, 0.01, 6.0], [-0.01, 1, -4.0]])
    moved = cv2.warpAffine(again, shift, (960, 720), borderMode=cv2.BORDER_REPLICATE)
    found = track_board(field, image, moved)  # type: ignore[arg-type]
    assert found is not None
    assert np.abs(found.corners - (corners @ shift[:, :2].T + shift[:, 2])).max() < 1.5
    assert track_board(field, image, np.full_like(image, 80)) is None
