"""The loader of networks, and the dice network that is shipped."""

from dataclasses import replace
from importlib.resources import files

import cv2
import numpy as np
import pytest

import models
from hardware.camera import Image
from models.training.cubes import draw_die, random_light, random_pose, random_style
from models.training.grounds import draw_table
from vision.dice import DiceReader


def test_a_network_that_is_missing() -> None:
    with pytest.raises(models.ModelError, match=r"no network 'unicorn': .*unicorn\.onnx is missing"):
        models.load("unicorn")


def test_a_network_that_is_broken(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "files", lambda _: tmp_path)
    (tmp_path / "torn.onnx").write_bytes(b"not a network")  # type: ignore[operator]
    with pytest.raises(models.ModelError, match="network 'torn' cannot be loaded"):
        models.load("torn")


def test_it_is_loaded_once() -> None:
    assert models.load("dice") is models.load("dice")


def test_any_size_and_number_of_pictures() -> None:
    for tiles, height, width in ((1, 64, 96), (3, 8, 8)):
        picture = np.zeros((tiles, 3, height, width), np.float32)
        (cells,) = models.load("dice").run(None, {"image": picture})
        assert cells.shape == (tiles, 5, height // 8, width // 8)
    for patches in (1, 8):
        (seen,) = models.load("dice_reader").run(None, {"image": np.zeros((patches, 3, 64, 64), np.float32)})
        assert seen.shape == (patches, 21)


def test_weights_are_small_and_have_a_card() -> None:
    card = (files("models") / "dice.md").read_text()
    for name in ("dice.onnx", "dice_reader.onnx"):
        assert len((files("models") / name).read_bytes()) < 2_000_000
        assert name in card


def test_the_network_reads_fresh_dice() -> None:
    """Dice of every make in good light, seen from up to 25 degrees off their top."""
    rng = np.random.default_rng(777)
    tables = [draw_table(rng) for _ in range(6)]
    reader = DiceReader()
    right = found = 0
    for k in range(300):
        x, y = (int(v) for v in rng.integers(0, 512 - 96, 2))
        ground = cv2.resize(tables[k % 6][y : y + 96, x : x + 96], (192, 192))
        slope, turn = np.radians(rng.uniform(0, 25)), rng.uniform(0, 2 * np.pi)
        up = np.array([np.sin(slope) * np.cos(turn), np.sin(slope) * np.sin(turn), np.cos(slope)])
        pose, style = random_pose(rng, up, 0.0), replace(random_style(rng), gloss=0.2)
        draw_die(ground, rng, style, pose, (96.0, 96.0), 48.0, random_light(rng, up), 30.0)  # type: ignore[arg-type]
        image: Image = cv2.GaussianBlur(
            cv2.resize(ground, (96, 96), interpolation=cv2.INTER_AREA), (0, 0), 0.5
        )  # type: ignore[assignment]
        for die in reader.read_loose(image):
            if np.hypot((die.box[0] + die.box[2]) / 2 - 48, (die.box[1] + die.box[3]) / 2 - 48) < 10:
                found += 1
                right += die.value == pose.values[2]
    assert found >= 0.95 * 300
    assert right >= 0.92 * 300
