"""Pictures from the photo page are read one after the other, and a crowd of them is turned away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.table import SimulatedTable
from webui.photo import Unread
from zarbiter import booth
from zarbiter.booth import WAITING, PhotoBooth
from zarbiter.collect import Collector, Folder


@pytest.fixture
def photos() -> Iterator[PhotoBooth]:
    made = PhotoBooth()
    yield made
    made.close()


@pytest.fixture(scope="module")
def picture() -> bytes:
    with SimulatedTable(seed=1, max_turns=1) as table:
        done, data = cv2.imencode(".png", table.picture(0))
    assert done
    return data.tobytes()


def test_a_board_that_is_set_up(photos: PhotoBooth, picture: bytes) -> None:
    answer = photos.read(picture, None)
    assert answer["schema"] == "zarbiter.photo/1"
    slots = [*answer["slots"]["top"], *answer["slots"]["bottom"]]
    assert sorted(slot["count"] for slot in slots) == [0] * 16 + [2, 2, 3, 3, 5, 5, 5, 5]
    others = [*answer["alternatives"]["top"], *answer["alternatives"]["bottom"]]
    assert [first[0] for first in others] == slots
    assert all(len(these) <= booth.OTHERS for these in others)
    (x0, y0), _, _, (_, y3) = answer["board"]["corners"]
    marks = answer["marks"]["slots"]
    assert marks[0][1] < y0, "a mark hides no checker"
    assert marks[12][1] > y3
    assert x0 < marks[0][0] < marks[11][0]
    moved = [(x + 2, y + 2) for x, y in answer["board"]["corners"]]
    again = photos.read(picture, moved)
    assert np.allclose(again["board"]["corners"], moved)


def test_what_is_no_picture_and_what_shows_no_board(photos: PhotoBooth) -> None:
    with pytest.raises(Unread, match=r"^not a picture"):
        photos.read(b"no picture at all", None)
    with pytest.raises(Unread, match=r"^the file is empty"):
        photos.read(b"", None)
    _, blank = cv2.imencode(".png", np.full((480, 640, 3), 99, np.uint8))
    with pytest.raises(Unread, match="no backgammon board"):
        photos.read(blank.tobytes(), None)


def test_a_defect_is_told_in_one_line(photos: PhotoBooth, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("one\ntwo")

    monkeypatch.setattr(booth, "read_photo", broken)
    _, blank = cv2.imencode(".png", np.full((48, 64, 3), 99, np.uint8))
    with pytest.raises(Unread, match="defect") as caught:
        photos.read(blank.tobytes(), None)
    assert "\n" not in str(caught.value)


def test_a_crowd_is_turned_away_and_comes_again(photos: PhotoBooth, monkeypatch: pytest.MonkeyPatch) -> None:
    go, began = threading.Event(), threading.Event()

    def slow(*_: object) -> dict[str, int]:
        began.set()
        go.wait(10)
        return {"read": threading.get_ident()}

    monkeypatch.setattr(booth, "_read", slow)
    with ThreadPoolExecutor(WAITING) as crowd:
        waiting = [crowd.submit(photos.read, b"", None) for _ in range(WAITING)]
        began.wait(10)
        while photos._free._value:  # until all have come
            pass
        with pytest.raises(Unread, match="try again") as caught:
            photos.read(b"", None)
        assert caught.value.busy
        go.set()
        assert len({str(done.result(10)) for done in waiting}) == 1, "one thread reads them all"
    assert photos.read(b"", None)


def test_one_that_takes_too_long(photos: PhotoBooth, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    monkeypatch.setattr(booth, "_read", lambda *_: {"done": go.wait(10)})
    monkeypatch.setattr(booth, "PATIENCE", 0.05)
    with pytest.raises(Unread, match="too long") as caught:
        photos.read(b"", None)
    assert caught.value.busy
    go.set()


def test_nothing_is_read_once_the_program_ends(photos: PhotoBooth) -> None:
    photos.close()
    with pytest.raises(Unread, match="ending"):
        photos.read(b"", None)


def test_nothing_is_kept_unless_that_was_asked_for(photos: PhotoBooth) -> None:
    assert photos.keeps is None
    with pytest.raises(Unread, match="--collect"):
        photos.keep(b"", {})


def test_a_picture_that_was_put_right_is_kept_once(tmp_path: Path, picture: bytes) -> None:
    collector = Collector(Folder(tmp_path))
    photos = PhotoBooth(collector)
    assert photos.keeps == str(tmp_path)
    answer = photos.read(picture, None)
    dice = [{"value": 3, "state": "flat", "half": None, "box": None}]
    slots = [2, *[0] * 23]
    given = {"corners": answer["board"]["corners"], "slots": slots, "bar": (0, 1), "dice": dice}
    assert photos.keep(picture, given) == "Kept for training."
    assert photos.keep(picture, given) == "This picture is kept already, with these labels."
    [kept], wrong = Folder(tmp_path).read()
    assert wrong == []
    assert kept.labels["slots"]["top"][0] == {"colour": "light", "count": 2, "sure": True}
    assert kept.labels["on_bar"] == {"light": 0, "dark": 1, "sure": True}
    assert (kept.labels["dice"], kept.labels["dice_complete"]) == ([], False), "a die without a place"
    # The file that was kept, looked at again: its labels change, and there is no second picture.
    again = (tmp_path / "images" / f"{kept.name}.jpg").read_bytes()
    assert photos.keep(again, given | {"bar": (0, 2)}) == "Kept for training."
    [kept], _ = Folder(tmp_path).read()
    assert kept.labels["on_bar"]["dark"] == 2
    with pytest.raises(Unread, match="16 light"):
        photos.keep(picture, given | {"slots": [16, *[0] * 23]})
    collector.close()
    with pytest.raises(Unread, match="ending"):
        photos.keep(picture, given | {"slots": [1, *[0] * 23]})
    photos.close()
