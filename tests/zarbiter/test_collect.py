"""Pictures for training: kept once, with the right labels, whatever happens to disk and program."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.events import Correction, Desync, Doubt, SetUp, Throw
from engine.layout import Orientation, start_layouts, to_slots
from engine.observation import BoardView, DieReading, Observation, SlotReading
from engine.position import Game, Position, Side
from hardware.camera import Frame, Image, UnreadableInput
from zarbiter import collect as module
from zarbiter.cli import DONE, UNREADABLE, WRONG_USAGE, run_command
from zarbiter.collect import Collector, Folder, Full, encode, export, fingerprint, labels_of, problems
from zarbiter.pipeline import Pipeline

from .test_desk import AFTER_31, Match, begun, threw
from .test_desk import played as play_made

HOME = Orientation.BOTTOM_RIGHT
START = start_layouts(Game.BACKGAMMON)[HOME]
MOVED = to_slots(AFTER_31, HOME)
CORNERS = ((60.0, 40.0), (260.0, 40.0), (270.0, 200.0), (50.0, 200.0))
SIZE = (320, 240)


def scene(seed: int) -> Image:
    """A picture of large patches, which look different for every seed."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(0, 255, (12, 16, 3), np.uint8)
    return np.asarray(cv2.resize(patches, SIZE, interpolation=cv2.INTER_NEAREST), np.uint8)


def die(value: int, x: float, second: int | None = None) -> DieReading:
    """A die that shows ``value``, or perhaps ``second``."""
    values = [0.0] * 6
    values[value - 1] = 0.9
    if second:
        values[second - 1] = 0.1
    one, two, three, four, five, six = values
    box = (x, 100.0, x + 12, 112.0)
    return DieReading((one, two, three, four, five, six), (("flat", 1.0),), box, (0.3, 0.5), "left", 0.9)


def seen(t: float, slots: tuple[int, ...] = START, **changes: Any) -> Observation:
    readings = tuple(SlotReading(((count, 0.9),)) for count in slots)
    observation = Observation(t, round(t * 10), BoardView(CORNERS, (0.46, 0.54), 0.9), readings, still=True)
    return replace(observation, **changes)


def frame(t: float, seed: int | None = None) -> Frame:
    return Frame(scene(round(10 * t) if seed is None else seed), t, round(t * 10))


def labels(**changes: Any) -> dict[str, Any]:
    made = labels_of(SIZE, CORNERS, START, (0, 0), [], by="camera", why="doubt about a play")
    return made | changes


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "kept", limit=10)
    made.open()
    return made


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[Collector]:
    made = Collector(Folder(tmp_path / "kept", limit=10), patient=True)
    yield made
    made.close()


def kept(collector: Collector) -> list[dict[str, Any]]:
    """The labels of all that is kept, once the collector is done."""
    collector.close()
    found, wrong = Folder(collector.folder.path).read()
    assert wrong == []
    return [one.labels for one in found]


def counts(of: dict[str, Any]) -> tuple[int, ...]:
    slots = [*of["slots"]["top"], *of["slots"]["bottom"]]
    return tuple(-s["count"] if s["colour"] == "dark" else s["count"] for s in slots)


class TestTheFolder:
    def test_the_same_is_kept_once(self, folder: Folder) -> None:
        jpeg, mark = encode(scene(1)), fingerprint(scene(1))
        name = folder.keep(jpeg, labels(), mark)
        assert name is not None
        assert folder.keep(jpeg, labels(), mark) is None
        rng = np.random.default_rng(0)
        noise = rng.integers(-9, 9, scene(1).shape)
        noisy = np.clip(scene(1).astype(int) + noise, 0, 255).astype(np.uint8)
        assert folder.keep(encode(noisy), labels(), fingerprint(noisy)) is None
        # Another position in the same look, and another look of the same position, are worth it.
        other = labels_of(SIZE, CORNERS, MOVED, (0, 0), [], by="camera", why="doubt about a play")
        assert folder.keep(encode(noisy), other, fingerprint(noisy))
        assert folder.keep(encode(scene(2)), labels(), fingerprint(scene(2)))
        assert len(folder.read()[0]) == 3
        again = Folder(folder.path)
        again.open()
        assert again.keep(jpeg, labels(), mark) is None, "also after a restart"

    def test_a_person_is_believed_and_a_camera_never_after_that(self, folder: Folder) -> None:
        jpeg, mark = encode(scene(1)), fingerprint(scene(1))
        name = folder.keep(jpeg, labels(), mark)
        right = labels_of(SIZE, CORNERS, MOVED, (0, 0), [], by="person", why="corrected by the referee")
        assert folder.keep(jpeg, right, mark) == name
        assert folder.keep(jpeg, right, mark) is None
        assert folder.keep(jpeg, labels(), mark) is None
        [one], _ = folder.read()
        assert (counts(one.labels), one.labels["by"]) == (MOVED, "person")
        assert one.labels["slots"]["top"][0]["sure"]

    def test_labels_of_the_same_picture_in_another_size(self, folder: Folder) -> None:
        name = folder.keep(encode(scene(1)), labels(), 0)
        assert name is not None
        twice = [(2 * x, 2 * y) for x, y in CORNERS]
        assert folder.relabel(
            name, labels_of((640, 480), twice, MOVED, (0, 0), [], by="person", why="put right")
        )
        [one], _ = folder.read()
        assert one.labels["size"] == list(SIZE)
        assert one.labels["corners"] == [list(corner) for corner in CORNERS]

    def test_no_more_than_was_asked_for(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        small = Folder(tmp_path / "small", limit=1)
        small.open()
        rng = np.random.default_rng(0)
        noise = [rng.integers(0, 255, (300, 300, 3), np.uint8) for _ in range(9)]

        def fill() -> None:
            for image in noise:
                small.keep(encode(image), labels(size=[300, 300]), fingerprint(image))

        with pytest.raises(Full, match="more were not asked for"):
            fill()
        held = sum(file.stat().st_size for file in small.path.rglob("*.*"))
        assert 0.7e6 < held <= 1.01e6
        usage = shutil.disk_usage(tmp_path)._replace(free=10)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
        large = Folder(tmp_path / "large", limit=1)
        large.open()
        with pytest.raises(Full, match="left on the disk"):
            large.keep(encode(scene(1)), labels(), 0)

    def test_what_a_power_cut_leaves(self, folder: Folder) -> None:
        name = folder.keep(encode(scene(1)), labels(), 0)
        (folder.path / "images" / "half.part").write_bytes(b"half a picture")
        (folder.path / "images" / "alone.jpg").write_bytes(encode(scene(2)))
        (folder.path / "labels" / "broken.json").write_text('{"size": [3')
        (folder.path / "labels" / "without.json").write_text(json.dumps(labels()))
        again = Folder(folder.path)
        again.open()
        assert not list(folder.path.rglob("*.part"))
        good, wrong = again.read()
        assert [one.name for one in good] == [name]
        assert wrong == [
            "labels/broken.json: not JSON; there is no such picture",
            "labels/without.json: there is no such picture",
            "images/alone.jpg: there are no labels for it",
        ]
        assert again.keep(encode(scene(3)), labels(), fingerprint(scene(3)))

    @pytest.mark.parametrize(
        ("change", "found"),
        [
            ({"corners": [[0, 0]] * 3}, "corners"),
            ({"corners": [[0, 0], [9e9, 0], [1, 1], [2, 2]]}, "corners"),
            ({"slots": {"top": [], "bottom": []}}, "24 slots"),
            ({"on_bar": {"light": 3, "dark": 0}, "by": "person"}, "18 light"),
            ({"dice": [{"value": 0, "box": [1, 2, 3, 4]}]}, "value from 1 to 6"),
            ({"by": "me"}, "by whom"),
            ({"size": None}, "missing or of another kind"),
        ],
    )
    def test_labels_that_cannot_be(self, change: dict[str, Any], found: str) -> None:
        assert problems(labels()) == []
        [said] = problems(labels(**change))
        assert found in said


class TestBesideAMatch:
    def test_nothing_is_kept_of_a_match_without_doubts(self, collector: Collector) -> None:
        for t in range(5):
            collector.watch(frame(t), seen(t), [threw(Side.WHITE, (3, 1), float(t))])
        assert kept(collector) == []

    def test_a_doubtful_view_is_kept_and_is_not_sure(self, collector: Collector) -> None:
        collector.watch(frame(1), seen(1.0), [])
        collector.watch(frame(2), seen(2.0, MOVED, dice=(die(3, 80), die(1, 120))), [])
        collector.watch(frame(2.5), seen(2.5, START, still=False), [])
        collector.watch(frame(3), seen(3.0, START, hands=((0.0, 0.0, 9.0, 9.0),)), [])
        doubt = Doubt(t=2.4, about="play", options=(("8/5 6/5", 0.5), ("8/4", 0.4)))
        collector.watch(frame(4), seen(4.0, MOVED), [doubt])
        found = kept(collector)
        assert sorted(len(one["dice"]) for one in found) == [0, 2], "the view before it, and that of now"
        for one in found:
            assert counts(one) == MOVED
            assert (one["why"], one["by"]) == ("doubt about a play", "camera")
            assert not any(slot["sure"] for row in one["slots"].values() for slot in row)
            assert not any(die["sure"] for die in one["dice"])
            assert one["bar_frac"] == [0.46, 0.54]

    def test_out_of_step(self, collector: Collector) -> None:
        collector.watch(frame(1), seen(1.0), [Desync(t=1.0, reason="bumped", slots=(3,))])
        [one] = kept(collector)
        assert one["why"] == "out of step"

    def test_a_corrected_play_tells_what_its_view_shows(self, collector: Collector) -> None:
        wrong = (*MOVED[:5], MOVED[5] + 1, *MOVED[6:])
        for t, slots in ((1.0, START), (2.0, wrong), (9.0, START)):
            collector.watch(frame(t), seen(t, slots), [])
        made = play_made(Position.start(Game.BACKGAMMON), Side.WHITE, (3, 1), AFTER_31, 2.2)
        collector.decided(Correction(t=9.5, target=4, action="replace", event=made), HOME)
        [one] = kept(collector)
        assert counts(one) == MOVED
        assert one["by"] == "person"
        assert all(slot["sure"] for row in one["slots"].values() for slot in row)
        name = next(iter((collector.folder.path / "images").iterdir())).name
        image = cv2.imread(str(collector.folder.path / "images" / name))
        assert image is not None
        assert np.abs(image.astype(int) - scene(20)).mean() < 9, "the view of the play itself"

    def test_a_view_of_another_moment_is_not_kept(self, collector: Collector) -> None:
        collector.watch(frame(1), seen(1.0, (0,) * 24), [])
        made = play_made(Position.start(Game.BACKGAMMON), Side.WHITE, (3, 1), AFTER_31, 2.2)
        collector.decided(made, HOME)
        collector.decided(replace(made, t=99.0), HOME)
        collector.decided(Correction(t=9.5, target=4, action="strike"), HOME)
        assert kept(collector) == []

    def test_a_position_that_was_set_up(self, collector: Collector) -> None:
        collector.watch(frame(1), seen(1.0, START), [])
        collector.decided(SetUp(t=1.5, position=AFTER_31, side_to_move=Side.BLACK), HOME)
        [one] = kept(collector)
        assert (counts(one), one["by"]) == (MOVED, "person")

    def test_dice_that_were_named_after_a_doubt(self, collector: Collector) -> None:
        dice = (die(5, 80, second=1), die(3, 120))
        doubt = Doubt(t=1.0, about="throw", options=(("5-3", 0.5), ("3-1", 0.4)))
        collector.watch(frame(1), seen(1.0, dice=dice), [doubt])
        named = Throw(t=1.2, side=Side.WHITE, colour="light", dice=(3, 1), valid=True)
        collector.decided(Correction(t=5.0, target=4, action="replace", event=named), HOME)
        collector.decided(replace(named, dice=(3, 0)), HOME)
        [one] = kept(collector)
        assert [(d["value"], d["sure"]) for d in one["dice"]] == [(1, True), (3, True)]
        assert one["dice_complete"]
        assert one["by"] == "camera", "nobody has looked at the checkers"

    def test_a_slow_disk_holds_nobody_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        go = threading.Event()
        monkeypatch.setattr(module, "encode", lambda image: go.wait(10) and b"")
        collector = Collector(Folder(tmp_path))
        began = time.monotonic()
        for n in range(200):
            collector.watch(frame(1, seed=1), seen(float(n), (n % 9, *START[1:])), [])
        assert time.monotonic() - began < 1.0
        go.set()
        collector.close()

    def test_a_disk_that_fails_is_said_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        collector = Collector(Folder(tmp_path / "kept"), patient=True)

        def fail(path: Path, data: bytes) -> None:
            raise OSError(28, "No space left on device", str(path))

        monkeypatch.setattr(collector.folder, "_write", fail)
        desync = Desync(t=0.0, reason="", slots=())
        for t in range(6):
            collector.watch(frame(t), seen(t, (t, *START[1:])), [replace(desync, t=float(t))])
            time.sleep(0.02)
        collector.close()
        assert [record.message for record in caplog.records] == [
            f"no more pictures are kept for training: {caplog.records[0].args[0]}"  # type: ignore[index]
        ]
        assert "No space left" in caplog.text

    def test_a_running_match_tells_its_doubts_and_what_the_referee_decides(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        match = Match(tmp_path / "match.sqlite")
        begun(match)
        collector = Collector(Folder(tmp_path / "kept"), patient=True)
        doubt = Doubt(t=1.0, about="throw", options=())
        monkeypatch.setattr(match.desk, "observe", lambda seen: [doubt])

        class Reader:
            def read(self, frame: Frame) -> Observation:
                return seen(frame.t)

            def believe(self, slots: object) -> None: ...

        pipeline = Pipeline(
            open_camera=lambda: pytest.fail("no camera is needed"),
            reader=Reader(),
            desk=match.desk,
            hub=match.hub,
            collector=collector,
        )
        pipeline._step(frame(1))
        match.close()
        assert [one["why"] for one in kept(collector)] == ["doubt about a throw"]

    def test_the_desk_tells_what_is_decided(self, tmp_path: Path) -> None:
        told: list[Any] = []
        match = Match(tmp_path / "match.sqlite")
        begun(match)
        match.record(
            threw(Side.WHITE, (3, 1), 1.0),
            play_made(Position.start(Game.BACKGAMMON), Side.WHITE, (3, 1), AFTER_31, 2.0),
        )
        match.desk = type(match.desk)(
            match.recorder, match.hub, lambda event, orientation: told.append((event, orientation))
        )
        match.desk.act("double.black", {})
        ids = [item.id for item in match.hub.told()]
        match.desk.correct(ids[2], {"change": "replace", "first": "4"}, dry_run=True)
        assert len(told) == 1
        match.desk.correct(ids[2], {"change": "replace", "first": "4"}, dry_run=False)
        correction, orientation = told[-1]
        assert isinstance(correction, Correction)
        assert isinstance(correction.event, Throw)
        assert (correction.event.dice, correction.event.t, orientation) == ((4, 1), 1.0, HOME)
        match.close()


class TestTheCommand:
    @pytest.fixture
    def full(self, folder: Folder) -> Path:
        dice = [{"value": 3, "state": "cocked", "half": "left", "box": (100, 90, 112, 102)}]
        dice.append({"value": 6, "state": "off_board", "half": "off", "box": (2, 2, 9, 9)})
        right = labels_of(SIZE, CORNERS, MOVED, (1, 0), dice, by="person", why="corrected by the referee")
        right["on_bar"]["light"] = 0
        folder.keep(encode(scene(1)), labels(), fingerprint(scene(1)))
        folder.keep(encode(scene(2)), right, fingerprint(scene(2)))
        return folder.path

    def test_it_lists_and_checks(self, full: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run_command(["collect", str(full)]) == DONE
        out, err = capsys.readouterr()
        assert err == ""
        lines = out.splitlines()
        assert "2 pictures, 1 labelled by a person" in lines[0]
        assert lines[1:] == [
            "      1  doubt about a play, not yet looked at",
            "      1  corrected by the referee",
        ]
        assert run_command(["collect", "--json", str(full)]) == DONE
        out, _ = capsys.readouterr()
        assert [set(json.loads(line)) >= {"file", "corners", "slots"} for line in out.splitlines()]
        broken = next((full / "images").iterdir())
        broken.write_bytes(b"no picture")
        assert run_command(["collect", str(full)]) == UNREADABLE
        assert "cannot be read" in capsys.readouterr().err
        cv2.imwrite(str(broken), scene(1)[:100])
        assert run_command(["collect", str(full)]) == UNREADABLE
        assert "not of the size" in capsys.readouterr().err
        assert run_command(["collect", str(full / "images")]) == UNREADABLE
        assert "holds no pictures" in capsys.readouterr().err
        assert run_command(["collect", str(full), "--sure"]) == WRONG_USAGE

    def test_what_is_written_is_a_set_of_labelled_photographs(self, full: Path, tmp_path: Path) -> None:
        assert run_command(["collect", str(full), "--export", str(tmp_path / "set")]) == DONE
        rows = json.loads((tmp_path / "set" / "labels.json").read_text())
        assert len(rows) == 2
        for row in rows:
            assert (tmp_path / "set" / "images" / row["file"]).exists()
            assert set(row) >= {"file", "size", "corners", "slots", "bar", "on_bar", "dice", "dice_complete"}
            assert "print" not in row
        with pytest.raises(UnreadableInput, match="already"):
            export(Folder(full), tmp_path / "set")
        assert run_command(["collect", str(full), "--export", str(tmp_path / "sure"), "--sure"]) == DONE
        [row] = json.loads((tmp_path / "sure" / "labels.json").read_text())
        assert row["by"] == "person"

    def test_an_anonymous_set_shows_the_board_and_little_else(self, full: Path, tmp_path: Path) -> None:
        out = tmp_path / "set"
        arguments = ["collect", str(full), "--export", str(out), "--sure", "--anonymise"]
        assert run_command(arguments) == DONE
        [row] = json.loads((out / "labels.json").read_text())
        assert row["file"] == "00001.jpg"
        assert "why" not in row
        image = cv2.imread(str(out / "images" / "00001.jpg"))
        assert image is not None
        height, width = image.shape[:2]
        assert [width, height] == row["size"]
        assert width < SIZE[0]
        x0, y0 = CORNERS[0][0] - row["corners"][0][0], CORNERS[0][1] - row["corners"][0][1]
        whole = scene(2)[round(y0) : round(y0) + height, round(x0) : round(x0) + width]
        assert np.abs(image.astype(int) - whole).mean() < 9
        [one] = row["dice"]  # the other one lies where the picture is cut away
        assert one["box"] == [100 - x0, 90 - y0, 112 - x0, 102 - y0]


def test_a_recording_keeps_its_doubts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures, folder = tmp_path / "pictures", tmp_path / "kept"
    pictures.mkdir()
    for n in range(3):
        cv2.imwrite(str(pictures / f"{n}.png"), scene(n))

    class Reader:
        def __init__(self, **_: object) -> None: ...

        def read(self, frame: Frame) -> Observation:
            return seen(frame.t)

        def believe(self, slots: object) -> None: ...

    monkeypatch.setattr("vision.reader.BoardReader", Reader)
    desync = Desync(t=1.0, reason="bumped", slots=())
    monkeypatch.setattr("engine.tracker.Tracker.observe", lambda self, seen: [desync] * (seen.seq == 0))
    arguments = ["digitize", str(pictures), "--events", str(tmp_path / "e"), "--collect", str(folder)]
    assert run_command(arguments) == UNREADABLE, "no game begins"
    found, wrong = Folder(folder).read()
    assert (len(found), wrong) == (1, [])
