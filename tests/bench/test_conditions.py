"""Conditions are measured on a board drawn here, of which everything is known."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from bench.conditions import Conditions, Misread, Scale, blur, contrasts, look, ornament, to_lab, view_angle
from bench.labelled import Label, SlotRead
from bench.worst import choose, contact, sheet, tile
from hardware.camera import Image
from vision import canvas
from vision.geometry import FieldMap

FIELD = FieldMap(np.array([(100.0, 100.0), (750.0, 100.0), (750.0, 600.0), (100.0, 600.0)]), (6 / 13, 7 / 13))
SLOTS = (3, 0, 0, -1, *[0] * 20)


def board(contrast: int, stripes: int = 0) -> Image:
    """A grey board with checkers so much brighter, and stripes of so many levels on it."""
    image = np.full((700, 850, 3), 90, np.uint8)
    image[:, ::4] += np.uint8(stripes)
    for slot, count in enumerate(SLOTS):
        for place in range(abs(count)):
            x, y = FIELD.to_pixels([[FIELD.slot_x(slot), 0.05 + 0.1 * place]])[0]
            cv2.circle(image, (round(x), round(y)), 23, (90 + contrast,) * 3, -1)
    return image


def label(path: Path, image: Image) -> Label:
    cv2.imwrite(str(path), image)
    size = (image.shape[1], image.shape[0])
    return Label("boards", path, size, "drawn", "none", FIELD, SLOTS, ())


@pytest.mark.parametrize("contrast", [30, 90])
def test_contrast_is_a_distance_of_colours(contrast: int) -> None:
    found = dict(contrasts(to_lab(canvas.paint(board(contrast), FIELD)), SLOTS))
    levels = np.array([[[90] * 3, [90 + contrast] * 3]], np.uint8)
    low, high = to_lab(levels)[0, :, 0]
    assert found.keys() == {0, 3}
    assert found[0] == pytest.approx(high - low, abs=1)


def test_ornament_is_what_is_uneven() -> None:
    plain, striped = (ornament(to_lab(canvas.paint(board(60, n), FIELD)), SLOTS) for n in (0, 90))
    assert plain is not None
    assert striped is not None
    assert plain < 0.5 < 3 < striped


def test_blur_grows() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (700, 850, 3), np.uint8)
    soft = np.asarray(cv2.GaussianBlur(noise, (0, 0), 3), np.uint8)
    assert 0 <= blur(noise, FIELD) < 0.3 < 0.4 < blur(soft, FIELD) <= 1


@pytest.mark.parametrize("degrees", [0, 20, 40])
def test_the_view_angle_of_a_usual_lens(degrees: float) -> None:
    turn, _ = cv2.Rodrigues(np.array([np.radians(degrees), 0.0, 0.0]))
    flat = np.array([(-0.6, -0.5, 0), (0.6, -0.5, 0), (0.6, 0.5, 0), (-0.6, 0.5, 0)])
    there = flat @ turn.T + (0, 0, 2.5)
    corners = 960 * there[:, :2] / there[:, 2:] + (640, 360)
    assert view_angle(corners, (1280, 720)) == pytest.approx(degrees, abs=0.5)


def test_a_whole_look(tmp_path: Path) -> None:
    seen = look(label(tmp_path / "a.png", board(60)))
    assert seen.point == pytest.approx(50, abs=0.5)
    assert set(seen.contrast) == {0, 3}


def test_classes_of_a_scale() -> None:
    scale = Scale("width", (10, 20), " mm")
    assert [scale.named(v) for v in (9.9, 10, 20, None)] == [
        "below 10 mm",
        "10 to 20 mm",
        "20 mm and more",
        "not measured",
    ]


def misread(file: str) -> Misread:
    return Misread("boards", file, SlotRead(0, 3, 4, 0.9, 0.1), None)


def test_one_bad_picture_does_not_fill_the_sheet() -> None:
    chosen = choose([misread("a")] * 30 + [misread(f"b{i}") for i in range(30)])
    assert len(chosen) == 20
    assert sum(one.file == "a" for one in chosen) == 2


def test_a_contact_sheet(tmp_path: Path) -> None:
    one = tile(misread("a.png"), label(tmp_path / "a.png", board(60)))
    page = contact([one] * 9)
    assert page.shape[1] > 7 * one.shape[1]
    assert 2 * one.shape[0] < page.shape[0] < 3 * one.shape[0]


def test_a_sheet_of_nothing(tmp_path: Path) -> None:
    sheet(Conditions([], [], [], [], []), tmp_path)
    assert not list(tmp_path.iterdir())
