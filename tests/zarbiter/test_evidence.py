"""Evidence: the right pictures, bound to their events, within the budget, whatever happens to the disk."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Correction, Desync, Doubt, Event, PlayMade, Ruling, Throw, dumps, from_json, to_json
from engine.layout import Orientation, to_slots
from engine.position import Side
from hardware.camera import Frame, Image
from tests.browser import Page
from tests.webui.fake_feed import FakeFeed
from webui.app import create_app
from webui.server import serve
from zarbiter import exhibits as module
from zarbiter.cli import DONE, FOUND, UNREADABLE, WRONG_USAGE, run_command
from zarbiter.collect import Full
from zarbiter.deciding import Case, deciding
from zarbiter.digitize import digitize
from zarbiter.evidence import WAITING, Evidence
from zarbiter.exhibits import MANIFEST, Archive, Made, digest, match_folder, read_manifest
from zarbiter.film import CLIP_WIDTH, MATROSKA, ZOOM_HEIGHT, Film, Still, clip, zoom
from zarbiter.inspection import problems
from zarbiter.store import Store

from .test_collect import MOVED, SIZE, START, die, frame, scene, seen
from .test_desk import AFTER_31, WRONG_31, threw
from .test_desk import START as BEGIN
from .test_desk import played as play_made
from .test_pipeline import Eyes, Mind, Recording, Rig
from .test_store import wait_for

PAIR = (die(3, 100), die(1, 160))
WRONG = to_slots(WRONG_31, Orientation.BOTTOM_RIGHT)


def throw(t: float, dice: tuple[int, int] = (3, 1), **changes: Any) -> Throw:
    return replace(threw(Side.WHITE, dice, t), **changes)


def play(t: float) -> PlayMade:
    return play_made(BEGIN, Side.WHITE, (3, 1), AFTER_31, t)


def still(t: float, slots: tuple[int, ...] = START, dice: Sequence[Any] = ()) -> Still:
    return Still(t, b"", seen(t, slots, dice=tuple(dice)))


def chosen(case: Case, *stills: Still) -> list[tuple[str, float]]:
    return [(one.name, one.still.t) for one in deciding(case, stills)]


class TestTheDecidingPictures:
    def test_a_throw_rests_on_the_first_picture_that_shows_it_settled(self) -> None:
        stills = (
            still(1.0),
            still(4.5, dice=[die(5, 90), die(1, 150)]),  # still rolling on
            still(5.2, dice=[die(5, 100), die(1, 160)]),  # misread
            still(5.4, dice=PAIR),
            still(6.0, dice=PAIR),
        )
        assert chosen(Case(7, throw(5.0)), *stills) == [("still", 5.4)]
        assert chosen(Case(7, throw(5.0, (1, 0))), *stills) == [("still", 5.2)]
        assert chosen(Case(7, throw(5.0, (6, 6))), *stills) == [("still", 5.2)], "dice, though read otherwise"
        assert chosen(Case(7, Doubt(t=5.0, about="throw", options=())), *stills) == [("still", 5.2)]
        [one] = deciding(Case(7, throw(5.0)), stills[:1])
        assert "without dice" in one.shows
        assert deciding(Case(7, throw(5.0)), ()) == []

    def test_dice_that_were_never_seen_at_rest(self) -> None:
        """Lifted at once, or a hand moved all the time: what there is, and said so."""
        hand = ((0.0, 0.0, 50.0, 50.0),)
        restless = Still(5.1, b"", seen(5.1, dice=PAIR, still=False, hands=hand))
        [one] = deciding(Case(7, throw(5.0)), [still(1.0), restless, still(9.0)])
        assert (one.still.t, one.shows) == (5.1, "the dice while something moved")
        assert chosen(Case(7, throw(5.0)), restless, still(5.8, dice=PAIR)) == [("still", 5.8)]
        assert chosen(Case(8, play(9.0), 5.0, START), still(4.0), restless, still(9.0, MOVED)) == [
            ("before", 4.0),
            ("after", 9.0),
        ], "plays rest on still pictures alone"

    def test_a_throw_that_is_told_after_its_play_shows_its_own_dice(self) -> None:
        stills = (
            still(5.4, dice=PAIR),
            still(9.0, MOVED, PAIR),
            still(12.0, MOVED, [die(6, 80), die(6, 90)]),
        )
        assert chosen(Case(7, throw(5.0)), *stills) == [("still", 5.4)]

    def test_a_play_rests_on_the_pictures_around_the_hands(self) -> None:
        stills = (
            still(1.0),
            still(5.0, dice=PAIR),
            still(6.0, dice=PAIR),
            still(8.0, WRONG, PAIR),  # tried, and taken back
            still(9.0, MOVED, PAIR),
            still(9.5, MOVED, PAIR),
            still(11.0, MOVED),
            still(14.0, WRONG),  # of the next turn
        )
        assert chosen(Case(8, play(11.0), 5.0, START), *stills) == [("before", 6.0), ("after", 9.0)]
        unknown = Case(8, play(11.0), 5.0)  # taken up in the middle: what stood before is not known
        assert chosen(unknown, *stills) == [("before", 8.0), ("after", 9.0)]
        assert chosen(Case(8, play(11.0), 5.0, START), *stills[-2:]) == [("after", 11.0)]

    def test_a_board_that_disagrees_is_shown_beside_the_last_that_agreed(self) -> None:
        stills = (still(1.0), still(2.0), still(7.0, WRONG), still(9.0, MOVED))
        lost = Desync(t=9.5, reason="bumped", slots=(3,))
        assert chosen(Case(8, lost, 0.5, START), *stills) == [("before", 2.0), ("after", 9.0)]
        unsure = Doubt(t=9.5, about="play", options=())
        assert chosen(Case(8, unsure, 0.5, START), *stills) == [("before", 2.0), ("after", 9.0)]


class TestTheFilm:
    @settings(max_examples=30)
    @given(
        shots=st.lists(st.tuples(st.floats(0, 30), st.booleans(), st.integers(0, 3)), max_size=40),
        memory=st.sampled_from([150_000, 400_000]),
    )
    def test_it_never_takes_more_memory_than_it_may(
        self, shots: list[tuple[float, bool, int]], memory: int
    ) -> None:
        film, t = Film(memory), 0.0
        for pause, is_still, picture in shots:
            t += pause
            shot = frame(t, picture)
            if is_still:
                film.hold(shot, seen(t))
            else:
                film.shoot(shot)
            sizes = [len(one.jpeg) for one in film.moments] + [len(one.jpeg) for one in film.stills]
            assert film.bytes == sum(sizes) <= memory
            assert not film.moments or film.moments[-1].t - film.moments[0].t <= 90
            newest = film.stills[-1].t if is_still else film.moments[-1].t
            assert newest == t, "the newest picture is always there"

    def test_another_clock_begins_another_film(self) -> None:
        film = Film()
        film.hold(frame(50.0), seen(50.0))
        for t in (50.0, 51.0, 3.0):
            film.shoot(frame(t))
        assert [moment.t for moment in film.moments] == [3.0]
        assert not film.stills

    def test_pictures_are_made_small_but_still_ones_are_not(self) -> None:
        large = Frame(np.zeros((1080, 1920, 3), np.uint8), 0.0, 0)
        film = Film()
        film.shoot(large)
        film.hold(large, seen(0.0))
        assert picture_of(film.moments[0].jpeg).shape == (540, 960, 3)
        assert picture_of(film.stills[0].jpeg).shape == (1080, 1920, 3)

    @pytest.mark.parametrize(("most", "pictures"), [(10.0, 31), (5.0, 16)])
    def test_a_clip_plays_as_fast_as_it_happened(self, tmp_path: Path, most: float, pictures: int) -> None:
        film = Film()
        for tick in range(31):
            if not 10 < tick < 20:  # the camera stood still for a second
                film.shoot(Frame(np.full((480, 960, 3), 8 * tick, np.uint8), 20 + tick / 10, tick))
        steps = clip(film.between(20, 23.05), most)
        data = finish(steps)
        assert data is not None
        assert data[:4] == b"\x1a\x45\xdf\xa3"
        assert b"webm" in data[:64]
        assert MATROSKA not in data
        (tmp_path / "clip.webm").write_bytes(data)
        capture = cv2.VideoCapture(str(tmp_path / "clip.webm"))
        shown = []
        while (read := capture.read())[0]:
            assert read[1].shape[1] == CLIP_WIDTH
            shown.append(float(read[1].mean()))
        assert len(shown) == pictures
        assert capture.get(cv2.CAP_PROP_FPS) == most
        assert shown[int(1.5 * most)] == pytest.approx(80, abs=6), "what was last seen stands meanwhile"
        assert shown[-1] == pytest.approx(240, abs=6)

    def test_dice_are_enlarged_side_by_side(self) -> None:
        image = np.zeros((240, 320, 3), np.uint8)
        image[100:112, 100:112] = (0, 0, 250)
        image[100:112, 160:172] = (0, 250, 0)
        film = Film()
        film.hold(Frame(image, 1.0, 0), seen(1.0, dice=(PAIR[1], PAIR[0])))
        data = zoom(film.stills[0])
        assert data is not None
        shown = picture_of(data)
        height, width = shown.shape[:2]
        assert (height, width) == (ZOOM_HEIGHT, pytest.approx(2 * ZOOM_HEIGHT + 8, abs=40))
        assert shown[height // 2, width // 4, 2] > 200
        assert shown[height // 2, 3 * width // 4, 1] > 200
        assert zoom(replace(film.stills[0], seen=seen(1.0))) is None


def picture_of(data: bytes) -> Image:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)


def finish(steps: Generator[None, None, bytes | None]) -> bytes | None:
    """What a film is, once all its steps are made."""
    result: list[bytes | None] = []

    def whole() -> Generator[None, None, None]:
        result.append((yield from steps))

    for _ in whole():
        pass
    return result[0]


# -- the folder -------------------------------------------------------------------------------------------


def made(size: int = 1000, name: str = "still.jpg") -> Made:
    return Made(name, "picture", "the dice as they lie", 1.0, 1.0, bytes([size % 251]) * size)


def archive(path: Path, limit: float = 10, root: Path | None = None) -> Archive:
    return Archive(path, limit, root=root, about={"match": 1})


def wrong_with(folder: Path, events: Sequence[Event] | None = None) -> list[str]:
    told = None if events is None else [to_json(event) for event in events]
    return list(problems(folder, read_manifest(folder), told))


def held(root: Path) -> int:
    return sum(file.stat().st_size for file in root.rglob("*") if file.is_file() and file.name != MANIFEST)


class TestTheFolder:
    def test_an_exhibit_is_bound_to_its_event(self, tmp_path: Path) -> None:
        kept = archive(tmp_path / "a")
        event = throw(5.0)
        kept.add(4, event, [made()], ["no clip: a reason"])
        found = kept.find(json.loads(dumps(event)))
        assert found is not None
        assert (found.place, found.type, found.notes) == (4, "throw", ("no clip: a reason",))
        assert found.sha256 == digest(event) == digest(from_json(to_json(event)))
        assert kept.find(to_json(throw(5.001))) is None
        again = archive(tmp_path / "a")
        again.open()
        assert again.find(to_json(event)) == found
        assert wrong_with(kept.folder, [event] * 4 + [event])[0] == (
            "event 0, a throw at 5.0 s: there is no evidence of it"
        )

    @settings(max_examples=25)
    @given(
        steps=st.lists(
            st.tuples(
                st.integers(0, 1),
                st.integers(50_000, 400_000),
                st.booleans(),
                st.integers(0, 7),
                st.booleans(),
            ),
            min_size=8,
            max_size=24,
        )
    )
    def test_the_budget_holds_and_what_is_protected_goes_last(
        self, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, bool, int, bool]]
    ) -> None:
        """Two matches after one another, in any order; what the referee ruled on later is protected too."""
        root = tmp_path_factory.mktemp("evidence")
        place = 0
        for match in (1, 2):
            kept = archive(root / f"match-{match}", 1.0, root)
            kept.open()
            for which, size, doubtful, earlier, ruled in steps:
                if which + 1 != match:
                    continue
                before = {key: state(one) for key, one in everything(root).items()}
                if ruled:
                    kept.keep(earlier, "the referee has ruled on it")
                    before = {key: state(one) for key, one in everything(root).items()}
                kept.add(place, throw(float(place)), [made(size)], kept="a doubt" if doubtful else "")
                place += 1
                assert held(root) <= 1_000_000
                after = everything(root)
                gone = [key for key in before if after[key].removed and not before[key][1]]
                stays = [key for key in before if not after[key].removed]
                if any(before[key][0] for key in gone):
                    assert all(before[key][0] for key in stays), "others would have had to go first"
                for flag in (False, True):  # the oldest first
                    old = [key for key in gone if before[key][0] is flag]
                    young = [key for key in stays if before[key][0] is flag]
                    assert not old or not young or max(old) < min(young)
        for folder in root.iterdir():
            assert wrong_with(folder) == []

    def test_more_than_the_budget_is_refused(self, tmp_path: Path) -> None:
        kept = archive(tmp_path / "a", 0.01)
        kept.add(0, throw(0.0), [made(9000)])
        with pytest.raises(Full, match="is more than"):
            kept.add(1, throw(1.0), [made(11_000)])
        assert [p.name for p in kept.folder.iterdir() if p.name != MANIFEST] == ["00000-throw-still.jpg"]
        (kept.folder / "of somebody else").write_bytes(b"x" * 9000)
        kept = archive(tmp_path / "a", 0.01)
        with pytest.raises(Full, match="no evidence fill"):
            kept.add(1, throw(1.0), [made(9000)])
        assert (kept.folder / "of somebody else").exists()

    @pytest.mark.parametrize(
        ("tamper", "says"),
        [
            (
                lambda f: (f / "00001-throw-still.jpg").write_bytes(b"another"),
                "00001-throw-still.jpg: changed",
            ),
            (lambda f: (f / "00001-throw-still.jpg").unlink(), "00001-throw-still.jpg: missing"),
            (lambda f: (f / "note.txt").write_text("hello"), "note.txt: left over (not ours)"),
            (lambda f: shutil.copy(f / "00001-throw-still.jpg", f / "00009-throw-still.jpg"), "left over"),
            (lambda f: edit(f, 2, "lie", "lay"), "line 4 does not follow"),
            (lambda f: edit(f, 2, None, None), "line 3 does not follow"),
            (lambda f: edit(f, 2, "00001-", "../00001-"), "is no name of a file"),
            (lambda f: edit(f, 3, "}\n", "}"), "line 4 is cut off"),
            (lambda f: edit(f, 1, '"exhibit"', '"exhibits"'), "line 2 is no entry"),
        ],
    )
    def test_tampering_is_told(self, tmp_path: Path, tamper: Callable[[Path], object], says: str) -> None:
        kept = archive(tmp_path / "a")
        events: list[Event] = [throw(float(t)) for t in range(3)]
        for place, event in enumerate(events):
            kept.add(place, event, [made(1000 + place)])
        assert wrong_with(kept.folder, events) == []
        tamper(kept.folder)
        assert any(says in problem for problem in wrong_with(kept.folder, events))

    @given(st.data())
    def test_a_damaged_list_is_read_as_far_as_it_goes(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
    ) -> None:
        kept = archive(tmp_path_factory.mktemp("damaged") / "a")
        for place in range(3):
            kept.add(place, throw(float(place)), [made()])
        text = (kept.folder / MANIFEST).read_bytes()
        begin = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(begin, min(len(text), begin + 40)))
        put = data.draw(st.binary(max_size=8))
        (kept.folder / MANIFEST).write_bytes(text[:begin] + put + text[end:])
        found = wrong_with(kept.folder, [throw(0.0), throw(1.0), throw(2.0)])
        ends = text.rindex(b"\n", 0, -1)
        assert found or put == text[begin:end] or begin > ends, "only of the last line may words be changed"
        again = archive(kept.folder)
        again.open()
        again.add(3, throw(3.0), [made()])
        assert read_manifest(kept.folder).exhibits[3].t == 3.0

    def test_events_that_were_changed_are_told(self, tmp_path: Path) -> None:
        kept = archive(tmp_path / "a")
        events: list[Event] = [throw(0.0), throw(1.0)]
        for place, event in enumerate(events):
            kept.add(place, event, [made()])
        events[1] = throw(1.0, (6, 6))
        assert wrong_with(kept.folder, events) == [
            "event 1, a throw at 1.0 s: the record has another event there now"
        ]
        assert wrong_with(kept.folder, events[:1]) == [
            "event 1, a throw at 1.0 s: the record has no such event"
        ]

    def test_it_goes_on_after_a_power_cut(self, tmp_path: Path) -> None:
        kept = archive(tmp_path / "a")
        for place in range(2):
            kept.add(place, throw(float(place)), [made(500)])
        with (kept.folder / MANIFEST).open("ab") as file:
            file.write(b'{"prev":"0123","exhi')
        (kept.folder / "00002-throw-still.jpg").write_bytes(b"whole, but not in the list")
        (kept.folder / "00002-throw-clip.part").write_bytes(b"half")
        assert len(wrong_with(kept.folder)) == 3
        again = archive(tmp_path / "a")
        again.open()
        again.add(2, throw(2.0), [made(700)])
        again.keep(0, "corrected by the referee")
        assert wrong_with(again.folder, [throw(0.0), throw(1.0), throw(2.0)]) == []
        assert read_manifest(again.folder).exhibits[0].kept == "corrected by the referee"

    def test_a_write_that_fails_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kept = archive(tmp_path / "a")
        kept.add(0, throw(0.0), [made()])
        monkeypatch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space"):
            kept.add(1, throw(1.0), [made()])
        monkeypatch.undo()
        assert wrong_with(kept.folder, [throw(0.0)]) == []
        kept.add(1, throw(1.0), [made()])
        assert wrong_with(kept.folder, [throw(0.0), throw(1.0)]) == []


def edit(folder: Path, line: int, old: str | None, new: str | None) -> None:
    """Change a line of the list, or take it out."""
    lines = (folder / MANIFEST).read_text().splitlines(keepends=True)
    if old is None or new is None:
        del lines[line]
    else:
        assert old in lines[line]
        lines[line] = lines[line].replace(old, new, 1)
    (folder / MANIFEST).write_text("".join(lines))


def everything(root: Path) -> dict[tuple[str, int], Any]:
    return {
        (folder.name, place): one
        for folder in root.iterdir()
        for place, one in read_manifest(folder).exhibits.items()
    }


def state(exhibit: Any) -> tuple[bool, bool]:
    return bool(exhibit.kept), bool(exhibit.removed)


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


# -- beside a match ---------------------------------------------------------------------------------------


class Table:
    """What a camera sees: pictures every tenth of a second, of which each second has its own look."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence, self.t, self.places = evidence, 0.0, 0

    def until(self, t: float, slots: tuple[int, ...] = START, **changes: Any) -> None:
        while self.t < t - 1e-9:
            self.evidence.watch(frame(self.t, int(self.t)), seen(self.t, slots, **changes))
            self.t = round(self.t + 0.1, 3)

    def tell(self, *events: Event) -> None:
        for event in events:
            self.evidence.note(self.places, event)
            self.places += 1

    def turn(self, *, late: bool = False) -> tuple[Throw, PlayMade]:
        """A whole turn of twelve seconds; ``late``: its throw is told after its play."""
        told = throw(self.t + 3.0), play(self.t + 10.0)
        begin = self.t
        self.until(begin + 3.0)
        self.until(begin + 4.0, still=False)
        self.until(begin + 6.0, dice=PAIR)
        if not late:
            self.tell(told[0])
        self.until(begin + 9.0, hands=((0.0, 0.0, 50.0, 50.0),), still=False)
        self.until(begin + 10.5, MOVED, dice=PAIR)
        self.tell(*(told if late else told[1:]))
        self.until(begin + 12.0, MOVED)
        return told


@pytest.fixture
def evidence(tmp_path: Path) -> Iterator[Evidence]:
    watched = Evidence(archive(tmp_path / "a"), patient=True)
    yield watched
    watched.close()


class TestBesideAMatch:
    @pytest.mark.parametrize("late", [False, True])
    def test_a_turn_and_what_it_rests_on(self, evidence: Evidence, late: bool) -> None:
        table = Table(evidence)
        events = table.turn(late=late)
        evidence.close()
        folder = evidence.archive.folder
        assert wrong_with(folder, list(events)) == []
        thrown, played = (evidence.archive.find(to_json(event)) for event in events)
        assert thrown is not None
        assert played is not None
        shows = {one.name: (one.kind, one.begin, one.end) for one in (*thrown.files, *played.files)}
        assert shows == {
            "00000-throw-still.jpg": ("picture", 4.0, 4.0),
            "00000-throw-dice.jpg": ("dice", 4.0, 4.0),
            "00000-throw-clip.webm": ("clip", pytest.approx(1.0), pytest.approx(5.0)),
            "00001-play-before.jpg": ("picture", 5.9, 5.9),
            "00001-play-after.jpg": ("picture", 9.0, 9.0),
            "00001-play-dice.jpg": ("dice", 5.9, 5.9),
            "00001-play-clip.webm": ("clip", pytest.approx(2.9), pytest.approx(10.0)),
        }
        assert not thrown.notes
        for name, look in (("00000-throw-still.jpg", 4), ("00001-play-before.jpg", 5)):
            shown = picture_of((folder / name).read_bytes())
            assert shown.shape == (SIZE[1], SIZE[0], 3)
            assert np.abs(shown.astype(int) - scene(look)).mean() < 12, "the picture of that very second"

    def test_a_throw_that_is_told_a_minute_late(self, evidence: Evidence) -> None:
        table = Table(evidence)
        table.until(3.0)
        table.until(5.0, dice=PAIR)
        table.until(65.0, dice=(die(3, 100),))
        table.tell(throw(3.0))
        evidence.close()
        [one] = evidence.archive.exhibits.values()
        assert [file.kind for file in one.files] == ["picture", "dice", "clip"]
        assert one.files[0].begin == 3.0

    def test_dice_that_are_lifted_at_once(self, evidence: Evidence) -> None:
        table = Table(evidence)
        table.until(3.0)
        table.until(3.6, dice=PAIR, still=False)
        table.until(5.0, hands=((0.0, 0.0, 50.0, 50.0),), still=False)
        table.tell(throw(3.0))
        evidence.close()
        [one] = evidence.archive.exhibits.values()
        assert [(file.kind, file.begin) for file in one.files[:2]] == [("picture", 3.0), ("dice", 3.0)]

    def test_what_nothing_is_left_of_is_said(self, evidence: Evidence) -> None:
        evidence.note(0, throw(5.0))
        evidence.close()
        [one] = evidence.archive.exhibits.values()
        assert one.files == ()
        assert list(one.notes) == [
            "no picture of it was left in memory",
            "no clip: no pictures of these seconds were left in memory",
        ]

    def test_faults_doubts_and_what_the_referee_decides_go_last(self, evidence: Evidence) -> None:
        table = Table(evidence)
        table.until(1.0)
        table.tell(throw(0.0), throw(0.1, valid=False, faults=("cocked",)))  # 0, 1
        table.tell(Doubt(t=0.2, about="play", options=()), Desync(t=0.3, reason="bumped", slots=()))  # 2, 3
        table.tell(throw(0.4), play(0.5), replace(play(0.6), legal=False, rule="M1"), throw(0.7))  # 4 to 7
        table.until(3.0)  # they are written
        table.tell(Ruling(t=3.0, decision="rethrow"))  # 8, of 7
        table.tell(Correction(t=3.1, target=4, action="strike"))  # 9
        table.tell(Correction(t=3.2, target=9, action="strike"))  # 10: still about 4
        table.tell(play(3.3), Ruling(t=3.4, decision="accept"))  # 11, 12: of a play that is not yet written
        table.tell(throw(3.5), Ruling(t=3.6, decision="restore"))  # 13, 14: of the board, not of a throw
        evidence.close()
        kept = {one.place: one.kept for one in evidence.archive.exhibits.values() if one.kept}
        assert kept == {
            1: "an invalid throw",
            2: "a doubt",
            3: "out of step",
            4: "corrected",
            6: "an illegal play",
            7: "the referee has ruled on it",
            11: "the referee has ruled on it",
        }
        assert set(evidence.archive.exhibits) == {0, 1, 2, 3, 4, 5, 6, 7, 11, 13}

    def test_a_match_that_is_resumed(self, tmp_path: Path) -> None:
        first = Evidence(archive(tmp_path / "a"), patient=True)
        events: list[Event] = list(Table(first).turn())
        first.close()
        again = Evidence(archive(tmp_path / "a"), patient=True, events=events)
        table = Table(again)
        table.places = 2
        table.tell(Ruling(t=1.0, decision="accept"))  # of the play before the restart
        events += [Ruling(t=1.0, decision="accept"), *table.turn()]
        again.close()
        assert wrong_with(again.archive.folder, events) == []
        assert again.archive.exhibits[1].kept == "the referee has ruled on it"
        assert sorted(again.archive.exhibits) == [0, 1, 3, 4]

    def test_a_full_or_read_only_disk_ends_nothing(self, tmp_path: Path, caplog: Any) -> None:
        (tmp_path / "a").write_text("a file where the folder should be")
        health: list[tuple[bool, str]] = []
        watched = Evidence(
            archive(tmp_path / "a"), patient=True, on_health=lambda ok, why: health.append((ok, why))
        )
        table = Table(watched)
        table.turn()
        wait_for(lambda: len(health) >= 3)
        assert {ok for ok, _ in health} == {False}
        assert health[0][1].startswith("no evidence can be kept: ")
        assert sum("no evidence" in record.message for record in caplog.records) == 1, "said once"
        (tmp_path / "a").unlink()
        events = table.turn()
        watched.close()
        assert health[-1] == (True, "")
        assert watched.archive.find(to_json(events[0])) is not None

    def test_room_is_left_for_others(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        usage = shutil.disk_usage(tmp_path)._replace(free=10)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
        with pytest.raises(Full, match="left on the disk"):
            archive(tmp_path / "a").add(0, throw(0.0), [made()])

    def test_the_match_never_waits_for_a_slow_disk(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        writing, written = threading.Event(), threading.Event()

        def slow(path: Path, data: bytes) -> None:
            writing.set()
            written.wait(20)

        monkeypatch.setattr(module, "write_whole", slow)
        watched = Evidence(archive(tmp_path / "a"))
        table = Table(watched)
        table.turn()
        for _ in range(600):  # a busy machine leaves pictures out; the next ones come all the same
            if writing.wait(0.1):
                break
            table.until(table.t + 0.1, MOVED)
        assert writing.is_set()
        began = time.monotonic()
        table.turn()
        assert time.monotonic() - began < 3.0, "120 pictures, made and offered"
        written.set()
        monkeypatch.undo()
        watched.close()
        assert len(watched.archive.exhibits) == 4

    def test_a_crowd_of_events_goes_without_clips(self, tmp_path: Path) -> None:
        watched = Evidence(archive(tmp_path / "a"))
        for tick in range(10):
            watched.watch(frame(tick / 10), seen(tick / 10, dice=PAIR))
            time.sleep(0.02)
        for place in range(3 * WAITING):
            watched.note(place, throw(place / 100))
        watched.watch(frame(9.0), seen(9.0))
        wait_for(lambda: len(watched.archive.exhibits) == 3 * WAITING)
        notes = [one.notes for one in watched.archive.exhibits.values()]
        watched.close()
        assert sum("no clip: the machine was too busy" in note for note in notes) >= WAITING
        assert all(one.files for one in watched.archive.exhibits.values()), "but never without pictures"

    def test_ending_a_match_is_quick_and_loses_nothing(self, tmp_path: Path) -> None:
        watched = Evidence(archive(tmp_path / "a"))
        table = Table(watched)
        table.until(0.5, dice=PAIR)
        time.sleep(0.2)
        table.tell(throw(0.0), throw(0.2))
        began = time.monotonic()
        watched.close()
        assert time.monotonic() - began < 3
        watched.close()
        watched.note(5, throw(9.0))
        for one in watched.archive.exhibits.values():
            assert one.notes == ("no clip: the program was ended",)
            assert one.files[0].kind == "picture"
        assert sorted(watched.archive.exhibits) == [0, 1]


class TestTheProgram:
    def test_a_recording_is_watched(self, tmp_path: Path, evidence: Evidence) -> None:
        """Events come with their places, and what the end makes known is among them."""
        events = list(digitize(Recording(45), Eyes(), Mind(), evidence=evidence))
        evidence.close()
        assert sorted(evidence.archive.exhibits) == [1, 2, 3, 4, 5]
        assert wrong_with(evidence.archive.folder, events) == []

    def test_a_running_match_is_watched(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path / "match.sqlite", lambda: Recording(45))
        watched = Evidence(archive(tmp_path / "a"), patient=True)
        rig.desk._recorder._noted = watched.note
        rig.pipeline._evidence = watched
        rig.pipeline.start()
        assert rig.pipeline.wait(10)
        watched.close()
        told = rig.hub.told()
        rig.close()
        for one in told[1:]:
            found = watched.archive.find(one.event)
            assert found is not None
            assert found.place == one.id - told[0].id

    def test_check_and_list(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        kept = archive(tmp_path / "a")
        kept.add(0, throw(1.0, valid=False, faults=("cocked",)), [made()], kept="an invalid throw")
        kept.add(1, throw(2.0), [made()])
        record = tmp_path / "game.jsonl"
        record.write_text(
            "".join(
                f"{dumps(event)}\n" for event in (throw(1.0, valid=False, faults=("cocked",)), throw(2.0))
            )
        )
        folder = str(kept.folder)
        assert run_command(["evidence", "check", folder]) == DONE
        assert run_command(["evidence", "check", folder, "--events", str(record)]) == DONE
        end = read_manifest(kept.folder).link
        said = f"{folder}: 2 events with 2 files; the list ends with {end}: all as it was written\n"
        assert capsys.readouterr().out == said * 2
        assert run_command(["evidence", "list", folder]) == DONE
        first = capsys.readouterr().out.splitlines()[0].split()
        assert first == [
            "0",
            "1.0",
            "s",
            "throw",
            "0.0",
            "MB:",
            "still.jpg",
            "goes",
            "last:",
            "an",
            "invalid",
            "throw",
        ]
        assert run_command(["evidence", "list", folder, "--json"]) == DONE
        assert json.loads(capsys.readouterr().out.splitlines()[1])["place"] == 1
        (kept.folder / "00001-throw-still.jpg").unlink()
        assert run_command(["evidence", "check", folder]) == FOUND
        out = capsys.readouterr().out.splitlines()
        assert out[0] == "00001-throw-still.jpg: missing"
        assert out[1].endswith("1 problems")
        assert run_command(["evidence", "check", str(tmp_path)]) == UNREADABLE
        assert "holds no evidence" in capsys.readouterr().err
        record.write_text("{}\n")
        assert run_command(["evidence", "check", folder, "--events", str(record)]) == UNREADABLE

    def test_the_evidence_of_a_recorded_match(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store = str(tmp_path / "m.sqlite")
        with closing(Store(tmp_path / "m.sqlite")) as opened:
            row = opened.new_match()
            opened.append(row.id, throw(1.0), "Ann throws 3-1.").result(5)
        folder = match_folder(tmp_path / "m.evidence", row.id, row.created)
        archive(folder).add(0, throw(1.0), [made()])
        assert run_command(["evidence", "check", "last", "--store", store]) == DONE
        assert run_command(["evidence", "list", "last", "--store", store]) == DONE
        assert run_command(["evidence", "check", "7", "--store", store]) == UNREADABLE
        elsewhere = str(folder.parent.rename(tmp_path / "elsewhere"))
        folder = tmp_path / "elsewhere" / folder.name
        assert run_command(["evidence", "check", "1", "--store", store]) == UNREADABLE
        assert run_command(["evidence", "check", "1", "--store", store, "--evidence", elsewhere]) == DONE
        assert run_command(["evidence", "check", "1", "--store", store, "--events", store]) == WRONG_USAGE
        edit(folder, 1, digest(throw(1.0)), digest(throw(2.0)))
        capsys.readouterr()
        assert run_command(["evidence", "check", "1", "--store", store, "--evidence", elsewhere]) == FOUND
        assert "the record has another event there now" in capsys.readouterr().out

    def test_evidence_of_two_recordings_is_not_mixed_up(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        kept = archive(tmp_path / "a")
        kept.add(0, throw(1.0), [made()])
        video = tmp_path / "v"
        video.mkdir()
        assert run_command(["digitize", str(video), "--evidence", str(kept.folder)]) == UNREADABLE
        assert "holds evidence already" in capsys.readouterr().err
        assert run_command(["run", "--camera", "usb:0", "--evidence", "a", "--no-evidence"]) == WRONG_USAGE


# -- the pages --------------------------------------------------------------------------------------------


@pytest.fixture
def told(evidence: Evidence) -> tuple[FakeFeed, Evidence]:
    """A match of one turn, of which the play has no evidence."""
    feed = FakeFeed()
    table = Table(evidence)
    thrown, played = table.turn()
    evidence.close()
    feed.tell(thrown, "Ann throws 3-1.")
    feed.tell(replace(played, confidence=0.5), "Ann plays 8/5 6/5.")
    return feed, evidence


class TestThePages:
    def test_files_are_served_with_ranges_and_nothing_else_is(
        self, told: tuple[FakeFeed, Evidence], tmp_path: Path
    ) -> None:
        feed, evidence = told
        folder = evidence.archive.folder
        client = create_app(feed, evidence=evidence.archive).test_client()
        found = client.get("/evidence/1").get_json()
        assert [(one["kind"], one["state"]) for one in found["files"]] == [
            ("picture", "whole"),
            ("dice", "whole"),
            ("clip", "whole"),
        ]
        url = found["files"][2]["url"]
        whole = client.get(url)
        assert whole.mimetype == "video/webm"
        assert whole.data == (folder / "00000-throw-clip.webm").read_bytes()
        part = client.get(url, headers={"Range": "bytes=100-199"})
        assert part.status_code == 206
        assert part.headers["Content-Range"] == f"bytes 100-199/{len(whole.data)}"
        assert part.data == whole.data[100:200]
        whole.close()
        part.close()
        assert client.get("/evidence/2").get_json() == {"written": False}
        assert client.get("/evidence/3").status_code == 404
        (tmp_path / "secret.jpg").write_bytes(b"secret")
        for name in (MANIFEST, "../secret.jpg", "..%2fsecret.jpg", "%2fetc%2fpasswd", "00001-play-dice.jpg"):
            assert client.get(f"/evidence/1/{name}").status_code == 404, name
        (folder / "00000-throw-dice.jpg").write_bytes(b"another")
        (folder / "00000-throw-still.jpg").unlink()
        (folder / "00000-throw-still.jpg").symlink_to(tmp_path / "secret.jpg")
        states = [one["state"] for one in client.get("/evidence/1").get_json()["files"]]
        assert states == ["missing", "changed", "whole"]
        assert client.get("/evidence/1/00000-throw-still.jpg").status_code == 404
        assert create_app(feed).test_client().get("/evidence/1").status_code == 404, "where none is kept"

    def test_an_event_opens_its_evidence(self, driver: Any, told: tuple[FakeFeed, Evidence]) -> None:
        feed, evidence = told
        with serve(create_app(feed, evidence=evidence.archive), port=0) as server:
            page = Page(driver, server.url)
            page.wait(lambda: page.count("#log .evident") == 2)
            for t in range(30):
                feed.tell(throw(100.0 + t), "Ann throws 3-1 again.")
            page.wait(lambda: page.count("#log .evident") == 32)
            height = "document.documentElement.scrollHeight - document.querySelector('main').offsetHeight"
            assert page.run(height) < 100, "the list scrolls, not the page"
            page.run("[...document.querySelectorAll('.evident')].at(-1)").click()
            page.wait(lambda: page.count(".exhibits figure") == 3)
            video = "document.querySelector('.exhibits video')"
            page.wait(lambda: page.run(f"{video}.currentTime") > 0.3)
            assert page.run(f"{video}.duration") == pytest.approx(4.1, abs=0.2)
            assert page.run(f"[{video}.videoWidth, {video}.videoHeight]") == list(SIZE)
            page.run(f"{video}.pause()")
            page.run(f"{video}.currentTime = 2.5")
            page.wait(lambda: page.run(f"{video}.currentTime") == 2.5 and not page.run(f"{video}.seeking"))
            assert page.run(
                "[...document.querySelectorAll('.exhibits img')].every(i => i.naturalWidth > 100)"
            )
            assert "The dice as they lie, at 00:04" in page.text(".exhibits")
            assert "changed" not in page.text(".exhibits")
            page.run("document.querySelector('dialog.evidence button').click()")
            page.wait(lambda: page.count("dialog[open]") == page.count(".exhibits video") == 0)  # all silent
            page.run("document.querySelector('.evident')").click()
            page.wait(lambda: "is being written" in page.text(".exhibits"))
            page.run("document.querySelector('dialog.evidence button').click()")
            page.wait(lambda: page.count(".exhibits *") == 0)
            (evidence.archive.folder / "00000-throw-dice.jpg").write_bytes(b"another")
            page.run("[...document.querySelectorAll('.evident')].at(-1)").click()
            page.wait(lambda: "not the one that was written" in page.text(".exhibits"))
            assert page.console() == []
            feed.close()
        with serve(create_app(feed), port=0) as server:
            page = Page(driver, server.url)
            page.wait(lambda: page.count("#log li") == 32)
            assert page.count(".evident") == 0, "where none is kept nothing offers it"
