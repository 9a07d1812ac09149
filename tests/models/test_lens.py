"""What the lens does to a picture keeps its points and labels where its content is."""

import cv2
import numpy as np
import pytest

from models.training.lens import Warp, expose, random_warp

CORNERS = np.array(((70.0, 60.0), (250.0, 50.0), (265.0, 190.0), (60.0, 200.0)))
PLACES = np.array(((110.0, 100.0), (200.0, 90.0), (160.0, 130.0), (100.0, 160.0), (215.0, 155.0)))


def dotted() -> np.ndarray:
    image = np.full((240, 320, 3), 120, np.uint8)
    for x, y in PLACES:
        cv2.circle(image, (int(x), int(y)), 7, (20, 20, 20), -1, cv2.LINE_AA)
    return image


@pytest.mark.parametrize("seed", range(40))
def test_points_land_where_the_content_lands(seed: int) -> None:
    labels = np.zeros((240, 320), np.uint8)
    for number, (x, y) in enumerate(PLACES, start=1):
        cv2.circle(labels, (int(x), int(y)), 7, number, -1)
    points = np.vstack((CORNERS, PLACES))
    image, moved, seen = expose(dotted(), np.random.default_rng(seed), points, labels=labels)
    assert image.dtype == np.uint8
    assert seen.shape == image.shape[:2]
    grey = cv2.GaussianBlur(image.min(axis=2), (0, 0), 2).astype(float)
    size = np.linalg.norm(moved[1] - moved[0]) / 180  # how much larger the picture became
    for number, (x, y) in enumerate(moved[4:], start=1):
        rows, columns = np.nonzero(seen == number)
        assert abs(columns.mean() - x) < 1.0
        assert abs(rows.mean() - y) < 1.0
        # darker there than around it
        around = [
            grey[round(y + 15 * size * dy), round(x + 15 * size * dx)]
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ]
        assert grey[round(y), round(x)] < np.median(around)


def test_a_seed_gives_the_same_picture() -> None:
    for seed in range(8):
        first = expose(dotted(), np.random.default_rng(seed), CORNERS)
        second = expose(dotted(), np.random.default_rng(seed), CORNERS)
        assert np.array_equal(first[0], second[0])
        assert np.array_equal(first[1], second[1])
        assert first[2] is None


def test_the_given_picture_and_labels_are_left_alone() -> None:
    image, labels = dotted(), np.ones((240, 320), np.uint8)
    for seed in range(12):
        expose(image, np.random.default_rng(seed), CORNERS, labels=labels)
    assert np.array_equal(image, dotted())
    assert labels.all()


def test_a_warp_and_its_inverse_agree() -> None:
    for seed in range(50):
        warp = random_warp(np.random.default_rng(seed), (320, 240), CORNERS)
        assert np.allclose(warp.source(warp.image(CORNERS)), CORNERS, atol=0.05)


def test_an_empty_warp_changes_nothing() -> None:
    warp = Warp((320, 240), 0.0, 0.0, (1.0, 1.0), (0.0, 0.0))
    assert np.allclose(warp.image(CORNERS), CORNERS)


def test_nearly_all_of_what_matters_stays_in_the_picture() -> None:
    inside = 0
    for seed in range(100):
        image, moved, _ = expose(dotted(), np.random.default_rng(seed), CORNERS)
        size = np.array((image.shape[1], image.shape[0]))
        inside += int(((moved >= -3) & (moved <= size + 2)).all())
    assert inside >= 85


def test_a_picture_without_points_is_exposed_too() -> None:
    for seed in range(10):
        image, moved, _ = expose(dotted(), np.random.default_rng(seed), np.zeros((0, 2)))
        assert image.ndim == 3
        assert moved.shape == (0, 2)
