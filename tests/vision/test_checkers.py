"""Fifteen checkers a side: sums over all ways to fill a board."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from tests.shared import shared
from vision import canvas, checkers
from vision.board_fit import fit_columns
from vision.checkers import at_most_fifteen, read_checkers
from vision.geometry import FieldMap
from vision.photo import load_picture


def board(*known: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Slots and bar of which everything is known: (slot, signed count), all else empty."""
    slots = np.zeros((24, 31))
    slots[:, 15] = 1
    for slot, count in known:
        slots[slot] = 0
        slots[slot, 15 + count] = 1
    bar = np.zeros((2, 8))
    bar[:, 0] = 1
    return slots, bar


def test_what_is_known_stays() -> None:
    slots, bar = board((0, 5), (3, -15), (20, 10))
    told, on_bar = at_most_fifteen(slots, bar)
    assert np.allclose(told, slots)
    assert np.allclose(on_bar, bar)


def test_a_sixteenth_checker_is_none() -> None:
    slots, bar = board((0, 10), (1, -3))
    slots[5] = 0
    slots[5, 15 + 5], slots[5, 15 + 6] = 0.3, 0.7
    told, _ = at_most_fifteen(slots, bar)
    assert told[5, 15 + 5] == pytest.approx(1)


def test_a_full_number_is_likelier_than_a_lesser_one() -> None:
    slots, bar = board((0, 10), (1, -3))
    slots[5] = 0
    slots[5, 15 + 4], slots[5, 15 + 5] = 0.5, 0.5
    told, _ = at_most_fifteen(slots, bar)
    assert told[5, 15 + 5] > 0.8


def test_marginals_are_those_of_all_ways() -> None:
    """Against a plain sum over every combination of four things, the rest being known."""
    rng = np.random.default_rng(3)
    slots, bar = board((0, 9), (1, -12))
    choices = {2: (0, 3, 5, 7), 3: (0, -2, -4), 4: (-1, 0, 1)}
    for slot, counts in choices.items():
        slots[slot] = 0
        slots[slot, [15 + c for c in counts]] = rng.dirichlet(np.ones(len(counts)))
    bar[0, :3] = rng.dirichlet(np.ones(3))
    usual = np.full(16, (1 - checkers._ALL) / 15)
    usual[15] = checkers._ALL
    want = {slot: np.zeros(31) for slot in choices}
    want_bar = np.zeros(8)
    for a, b, c, on_bar in itertools.product(*choices.values(), range(3)):
        light = 9 + on_bar + sum(n for n in (a, b, c) if n > 0)
        dark = 12 - sum(n for n in (a, b, c) if n < 0)
        if light > 15 or dark > 15:
            continue
        weight = usual[light] * usual[dark] * bar[0, on_bar]
        for slot, count in zip(choices, (a, b, c), strict=True):
            weight *= slots[slot, 15 + count]
        for slot, count in zip(choices, (a, b, c), strict=True):
            want[slot][15 + count] += weight
        want_bar[on_bar] += weight
    told, told_bar = at_most_fifteen(slots, bar)
    for slot, row in want.items():
        assert np.allclose(told[slot], row / row.sum())
    assert np.allclose(told_bar[0], want_bar / want_bar.sum())


def test_what_lies_beside_the_field_says_whether_all_stand_on_it() -> None:
    """Nine or five in layers look alike; checkers in the tray decide."""
    slots, bar = board((0, 6), (1, -15))
    slots[5] = 0
    slots[5, 15 + 5], slots[5, 15 + 9] = 0.7, 0.3
    for chance, count in ((0.9, 9), (0.05, 5)):
        told, _ = at_most_fifteen(slots, bar, (chance, 0.5))
        assert int(told[5].argmax()) == 15 + count


@pytest.mark.parametrize(("name", "off"), [("1013", (0, 13)), ("1031", (6, 15)), ("1029", (0, 0))])
def test_borne_off_checkers_are_those_that_are_missing_and_in_view(name: str, off: tuple[int, int]) -> None:
    path = shared("footage", "stills", "images", f"{name}.jpg")
    labels = json.loads(shared("footage", "stills", "labels.json").read_text())
    (corners,) = (np.array(one["corners"]) for one in labels if one["file"] == path.name)
    image = load_picture(path).image
    assert read_checkers(image, fit_columns(image, FieldMap(corners), move_sides=False)).off == off


def test_a_witness_is_heard_only_if_it_tells_of_the_same_board() -> None:
    def surely(counts: list[int]) -> np.ndarray:
        told = np.full((24, 31), 0.1 / 30)
        told[np.arange(24), 15 + np.array(counts)] = 0.9
        return told

    one = [5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2]
    moved = [5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1, -5, 0, 0, 0, 3, 1, 5, 0, 0, 0, 0, -2]
    assert checkers._agree(surely(one), surely(one))
    assert checkers._agree(surely(one), surely(moved))
    assert not checkers._agree(surely(one), surely([-count for count in one]))
    assert not checkers._agree(surely(one), surely([1 - (count > 0) for count in one]))


def test_what_looks_alike_is_of_one_side() -> None:
    slots, _ = board((0, 2), (1, -4), (2, -5), (3, 3), (4, 1))
    slots[7] = 0
    slots[7, 15 - 3], slots[7, 15 + 3] = 0.4, 0.6
    white, red = (100.0, 128.0, 128.0), (50.0, 180.0, 160.0)
    colours = np.full((24, 3), np.nan)
    for slot, colour in {0: white, 1: red, 2: red, 3: white, 4: white, 7: red}.items():
        colours[slot] = colour
    told = checkers._of_one_colour(slots, colours)
    assert told[7, 15 - 3] > 0.8
    assert np.allclose(told.sum(axis=1), 1)
    assert np.allclose(np.delete(told, 7, axis=0), np.delete(slots, 7, axis=0), atol=1e-9)


def test_faces_beside_the_field_tell_whose_colour_is_whose() -> None:
    """Most checkers of a side are off, and the other's gleam: one white checker stands among pink ones."""
    slots, _ = board((0, 1), (1, -2), (2, -3))
    slots[3:5] = 0
    slots[3:5, 15 - 4], slots[3:5, 15 + 4] = 0.2, 0.8
    white, red, pink = np.array([[230.0, 240, 245], [40, 30, 190], [80, 70, 195]])
    seen = np.full((24, 3), np.nan)
    seen[:5] = white, red, red, pink, pink
    colours = checkers._unlike(seen)
    piles = [checkers._Beside((0.9, 0.1), checkers._unlike(white[None] - n)) for n in range(5)]
    alone, told = checkers._of_one_colour(slots, colours), checkers._of_one_colour(slots, colours, piles)
    assert (told[3:5, 15 - 4] > 0.8).all()
    assert (told[3:5, 15 - 4] > alone[3:5, 15 - 4]).all()
    assert told[0, 16] > 0.9


def test_gloss_changes_no_colour() -> None:
    face = np.full((100, 3), (40, 30, 190), np.uint8)
    glossy = face.copy()
    glossy[60:] = 250
    assert np.array_equal(checkers._dull(face), checkers._dull(glossy))


@pytest.mark.parametrize("light", [1.0, 0.7, 0.5])
def test_shade_changes_no_hue(light: float) -> None:
    heat = np.full((3, canvas.HEIGHT // 4, canvas.WIDTH // 4), -9, np.float32)
    heat[0, 10, :] = 9
    picture = np.full((canvas.HEIGHT, canvas.WIDTH, 3), (60, 50, 190), np.uint8)
    shaded = np.round(picture * light).astype(np.uint8)
    plain, dim = checkers._colours(picture, heat), checkers._colours(shaded, heat)
    assert np.isnan(plain[12:]).all()
    assert np.abs(plain[:12, 1:] - dim[:12, 1:]).max() < 1.2  # hue
    assert np.allclose((plain - dim)[:12, 0], -np.log(light) / checkers._BRIGHTER, atol=0.2)


def test_one_side_alone_is_left_as_it_is() -> None:
    slots, _ = board((0, 2), (1, 13))
    colours = np.full((24, 3), np.nan)
    colours[:2] = 100, 128, 128
    assert np.array_equal(checkers._of_one_colour(slots, colours), slots)
