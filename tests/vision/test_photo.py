"""Any picture file is loaded or refused with one line, and the answer keeps the contract."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.observation import BoardView, DieReading, SlotReading
from hardware.camera import Image, UnreadableInput
from vision.photo import NoBoard, PhotoReading, load_picture, read_photo

DATA = Path(__file__).resolve().parents[1] / "data"


def gradient(height: int = 30, width: int = 40) -> Image:
    """Blue grows to the right, green downwards, red is 200."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[..., 0] = np.linspace(0, 255, width)
    picture[..., 1] = np.linspace(0, 255, height)[:, None]
    picture[..., 2] = 200
    return picture


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.bmp", "a.webp", "a.tif"])
def test_the_usual_kinds(tmp_path: Path, name: str) -> None:
    cv2.imwrite(str(tmp_path / name), gradient())
    picture = load_picture(tmp_path / name)
    assert picture.size == (40, 30)
    assert picture.image.dtype == np.uint8
    assert np.abs(picture.image.astype(int) - gradient()).mean() < 12


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), gradient().astype(np.uint16) * 257)
    assert np.array_equal(load_picture(tmp_path / "a.png").image, gradient())


def test_grey_becomes_colour(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), gradient()[..., 0])
    image = load_picture(tmp_path / "a.png").image
    assert image.shape == (30, 40, 3)
    assert np.array_equal(image[..., 0], image[..., 2])


def test_alpha_is_left_out(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.dstack([gradient(), np.full((30, 40), 255, np.uint8)]))
    assert np.array_equal(load_picture(tmp_path / "a.png").image, gradient())


def test_a_palette_is_looked_up(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 2, 1, 8, 3, 0, 0, 0)
    rows = zlib.compress(bytes([0, 0, 1]))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", bytes([255, 0, 0, 0, 0, 255]))
    (tmp_path / "a.png").write_bytes(png + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    assert load_picture(tmp_path / "a.png").image.tolist() == [[[0, 0, 255], [255, 0, 0]]]


def test_cmyk_is_converted() -> None:
    image = load_picture(DATA / "cmyk.jpg").image
    assert image.shape == (16, 24, 3)
    assert np.abs(image[8, 8].astype(int) - (0, 0, 255)).max() < 12


def test_a_picture_of_one_pixel(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), gradient(1, 1))
    picture = load_picture(tmp_path / "a.png")
    assert picture.size == (1, 1)
    with pytest.raises(NoBoard):
        read_photo(picture)


def exif(orientation: int) -> bytes:
    """A JPEG segment that says how the picture is turned (TIFF tag 0x0112)."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    return b"\xff\xe1" + struct.pack(">H", 2 + 6 + len(tiff)) + b"Exif\0\0" + tiff


@pytest.mark.parametrize(
    ("orientation", "size"), [(1, (40, 30)), (3, (40, 30)), (6, (30, 40)), (8, (30, 40))]
)
def test_the_orientation_is_applied(tmp_path: Path, orientation: int, size: tuple[int, int]) -> None:
    data = cv2.imencode(".jpg", gradient())[1].tobytes()
    (tmp_path / "a.jpg").write_bytes(data[:2] + exif(orientation) + data[2:])
    picture = load_picture(tmp_path / "a.jpg")
    assert picture.size == size
    assert picture.image.shape[:2] == (size[1], size[0])
    turned = {1: gradient(), 3: gradient()[::-1, ::-1], 6: np.rot90(gradient(), -1), 8: np.rot90(gradient())}
    assert np.abs(picture.image.astype(int) - turned[orientation]).mean() < 12


@pytest.mark.parametrize("kind", [".jpg", ".png"])
def test_a_hundred_megapixels_are_reduced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a{kind}"
    path.write_bytes(cv2.imencode(kind, np.zeros((8000, 12500), np.uint8))[1].tobytes())
    picture = load_picture(path)
    assert picture.size == (12500, 8000)
    assert picture.image.shape[0] * picture.image.shape[1] <= 16_000_000


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "there is no such file"),
        (b"", "the file is empty"),
        (b"this is text\n" * 50, "not a picture"),
        (b"\xff\xd8\xff\xe0 cut short", "not a picture"),
        (b"\x89PNG\r\n\x1a\n" + bytes(8) + struct.pack(">II", 1 << 20, 1 << 20) + bytes(30), "picture"),
    ],
)
def test_what_is_no_picture_is_refused_in_one_line(tmp_path: Path, data: bytes | None, says: str) -> None:
    path = tmp_path / "a.jpg"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UnreadableInput) as refusal:
        load_picture(path)
    assert says in str(refusal.value)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=str(tmp_path)):
        load_picture(tmp_path)


def test_a_picture_without_a_board() -> None:
    with pytest.raises(NoBoard):
        read_photo(gradient(240, 320))


def test_dice_only_looks_for_no_board() -> None:
    reading = read_photo(gradient(240, 320), dice_only=True)
    answer = reading.to_json("x.jpg")
    assert answer["board"] is None
    assert answer["slots"] == {"top": [], "bottom": []}
    assert answer["dice"] == []


def test_the_answer_keeps_the_contract() -> None:
    die = DieReading(
        (0.02, 0.02, 0.02, 0.02, 0.02, 0.9),
        (("flat", 0.9), ("cocked", 0.1)),
        (1, 2, 3, 4),
        (0.2, 0.5),
        "left",
        1,
    )
    slots = tuple(SlotReading(((n, 0.9),)) for n in (2, 0, -5, *([0] * 21)))
    bar = (SlotReading(((1, 1.0),)), SlotReading(((0, 1.0),)))
    board = BoardView(((1, 2), (3, 4), (5, 6), (7, 8)), (0.46, 0.54), 0.98)
    answer = PhotoReading((640, 480), board, slots, bar, (die,), cup=(1, 2, 3, 4)).to_json("a.jpg")
    assert answer["schema"] == "zarbiter.photo/1"
    assert answer["file"] == "a.jpg"
    assert answer["size"] == [640, 480]
    assert answer["board"] == {"corners": [[1, 2], [3, 4], [5, 6], [7, 8]], "confidence": 0.98}
    assert answer["slots"]["top"][0] == {"colour": "light", "count": 2, "confidence": 0.9}
    assert answer["slots"]["top"][2] == {"colour": "dark", "count": 5, "confidence": 0.9}
    assert len(answer["slots"]["bottom"]) == 12
    assert answer["bar"] == {"light": 1, "dark": 0}
    assert answer["dice"] == [
        {"value": 6, "box": [1, 2, 3, 4], "half": "left", "state": "flat", "confidence": 0.9}
    ]
    assert answer["cup"] == {"box": [1, 2, 3, 4]}
    assert set(answer) == {
        "schema", "file", "size", "board", "slots", "bar", "off", "dice", "cube", "cup", "hands"
    }  # fmt: skip
