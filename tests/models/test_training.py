"""What the networks are told, and that they come out as they went in."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("onnxscript", reason="training needs the extra 'train'")

import cv2
import onnxruntime
import torch

from models.training import __main__ as recipe
from models.training import nets, quantise, train_board, train_checkers, train_scene
from models.training.views import COVERS, Checker, View
from vision import canvas
from vision.geometry import FieldMap

CORNERS = ((60.0, 50.0), (270.0, 60.0), (285.0, 200.0), (40.0, 190.0))


def view(*checkers: Checker) -> View:
    slots = [0] * 24
    for checker in checkers:
        if checker.slot < 24:
            slots[checker.slot] += 1 - 2 * checker.side
    return View((320, 240), CORNERS, (0.46, 0.54), tuple(slots), (0, 0), (0, 0), checkers, {})


def test_cells_are_told_their_place_in_the_field() -> None:
    wanted = train_board.targets(np.array(CORNERS, np.float32))
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    back = cv2.getPerspectiveTransform(unit, np.array(CORNERS, np.float32))
    rows, columns = np.nonzero(wanted[0])
    places = cv2.perspectiveTransform(wanted[1:3, rows, columns].T[None].astype(np.float64), back)[0]
    assert np.allclose(places, np.column_stack([columns, rows]) * 8 + 4, atol=0.01)


def test_cells_are_told_what_covers_them(tmp_path: Path) -> None:
    covers = np.zeros((60, 80), np.uint8)
    covers[20:30, 40:60] = COVERS.index("hand")
    cv2.imwrite(str(tmp_path / "000000.png"), covers)
    cv2.imwrite(str(tmp_path / "000000.jpg"), np.full((240, 320, 3), 90, np.uint8))
    (tmp_path / "000000.json").write_text(json.dumps(asdict(view())))
    source = train_scene.Source(tmp_path, 1)
    shown = [source.sample() for _ in range(30)]
    assert all(image.shape == (3, 192, 256) and wanted.shape == (2, 24, 32) for image, wanted in shown)
    assert not any(wanted[1].any() for _, wanted in shown)
    # A sixth of the height, a quarter of the width, where nothing was zoomed.
    assert float(np.median([wanted[0].sum() for _, wanted in shown])) == pytest.approx(4 * 8, abs=12)


def test_training_goes_on_from_weights(tmp_path: Path) -> None:
    torch.manual_seed(4)
    old, new = train_board.Board(), train_board.Board(2)
    own = new.say.weight.clone()
    torch.save(old.state_dict(), tmp_path / "old.pt")
    nets.begin(new, tmp_path / "old.pt")
    assert torch.equal(new.rise[0].weight, old.rise[0].weight)
    assert torch.equal(new.say.weight, own)


@pytest.mark.parametrize("plain", [None, 4])
def test_training_goes_on_from_what_was_exported(tmp_path: Path, plain: int | None) -> None:
    """In 32 bits (``plain`` is ``None``) or in 8: it says the same, while learning too."""
    torch.manual_seed(4)
    path, pictures = tmp_path / "old.onnx", torch.rand(4, 3, 64, 64)
    old, new = train_board.Board(2), train_board.Board(2)
    with torch.no_grad():  # batch norms that do something
        for _ in range(5):
            old(pictures)
        wanted = old.eval()(pictures)
        nets.export(old, pictures[:2], path, ("cells",), batch="pictures")
        if plain is not None:
            quantise.quantise(path, [(255 * picture).byte().numpy() for picture in pictures], plain)
        nets.begin(new, path)
        off = 1e-2 if plain is None else 0.3
        spread = float(wanted.std())
        assert float((new.eval()(pictures) - wanted).abs().mean()) < off * spread
        learning = new.train()(pictures)
        assert float((learning - wanted).abs().mean()) < off * spread
        assert float((new.eval()(pictures) - wanted).abs().mean()) < 2 * off * spread


@pytest.mark.parametrize("degrees", [0, 30, 80, 100, 170, 200, 260, 300, 359])
def test_a_turned_board_has_one_name(degrees: float) -> None:
    """A board and the same board named from its other end are told the same."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = (np.array([[-50, -40], [50, -40], [50, 40], [-50, 40]]) @ turn.T + [160, 120]).astype(
        np.float32
    )
    one = train_board.targets(corners)
    other = train_board.targets(np.roll(corners, 2, axis=0))
    assert np.allclose(one, other, atol=1e-4)
    named = train_board.upright(corners)
    assert np.allclose(named, corners) == (degrees < 135 or degrees >= 315)


def test_middles_lie_on_their_checkers() -> None:
    corners = np.array(CORNERS)
    field = FieldMap(corners, (0.46, 0.54))
    x, y = field.to_pixels([(field.slot_x(3), 0.07)])[0]
    hidden = Checker(x + 30, y, 7.0, 1, 5, 0, 0.1)
    faces = train_checkers.middles(view(Checker(x, y, 7.0, 0, 3, 0, 1.0), hidden), field)
    row, column = np.unravel_index(int(faces[0].argmax()), faces[0].shape)
    middle = (column * 4 + 2, row * 4 + 2)
    assert np.hypot(*(canvas.to_canvas([(field.slot_x(3), 0.07)], field.bar)[0] - middle)) < 4
    assert not faces[1].any()
    assert (faces[4] == 0).any()  # a checker that cannot be seen is nobody's fault


@pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # of torch's own exporter
@pytest.mark.parametrize("which", ["board", "checkers"])
def test_what_is_exported_answers_alike(which: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    path = tmp_path / "net.onnx"
    outputs: tuple[str, ...]
    if which == "board":
        net, shape, outputs = train_board.Board().eval(), (3, 3, 240, 320), ("cells",)
    else:
        net = train_checkers.Checked(train_checkers.Checkers()).eval()
        shape, outputs = (3, 3, canvas.HEIGHT, canvas.WIDTH), ("cells", "slots", "bar")
    image = torch.rand(shape)
    with torch.no_grad():
        wanted = net(image)
    nets.export(net, torch.zeros(2, *shape[1:]), path, outputs, batch="pictures")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    got = session.run(None, {"image": image.numpy()})
    assert [output.name for output in session.get_outputs()] == list(outputs)
    for one, other in zip(got, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert np.abs(one - other.numpy()).max() < 0.02  # weights are kept as 16-bit floats
    assert path.stat().st_size < 5_000_000


def test_slots_are_read_where_they_lie() -> None:
    """A slot's answer follows what stands in its own column, mirrored ones too."""
    torch.manual_seed(2)
    net = train_checkers.Checkers().eval()
    plain = torch.full((1, 3, canvas.HEIGHT, canvas.WIDTH), 0.4)
    with torch.no_grad():
        before = net(plain)[1][0]
        for slot in (0, 5, 6, 11, 12, 23):
            marked = plain.clone()
            left = canvas.left_of(slot)
            rows = slice(40, 60) if slot < 12 else slice(canvas.HEIGHT - 60, canvas.HEIGHT - 40)
            marked[:, :, rows, left + 4 : left + 20] = 0.9
            change = (net(marked)[1][0] - before).abs().sum(1)
            assert int(change.argmax()) == slot


def test_the_recipe_names_modules_that_are_there(tmp_path: Path) -> None:
    for plan in (recipe.FULL, recipe.SHORT):
        for _, arguments in recipe.steps(plan, tmp_path, tmp_path, 1, 2):
            name = arguments[0].removeprefix("models.training.")
            assert (recipe.MODELS / "training" / f"{name}.py").is_file()
