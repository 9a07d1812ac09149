"""The commands as a user calls them: what they print, and how they end when something is wrong."""

from __future__ import annotations

import errno
import json
import os
import shlex
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import simplejpeg

from engine.events import GameStart, loads
from engine.formats.record_json import write_json
from engine.position import Game, Position, Side
from engine.record import GameRecord, Record, Turn
from engine.rules import default_rules
from hardware.camera import Image
from hardware.table import SimulatedTable
from vision.appearance import Appearance
from vision.photo import PhotoReading, Picture, read_photo
from zarbiter.cli import DEFECT, DONE, FOUND, NO_HARDWARE, UNREADABLE, WRONG_USAGE, run_command
from zarbiter.matchfiles import read_match
from zarbiter.presets import preset
from zarbiter.store import Store

from .test_store import throw

COMMANDS = ("demo", "run", "digitize", "photo", "collect", "rules", "legal", "check", "export", "simulate")


class Run:
    """One command: exit status, standard output and standard error."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *arguments: Any) -> tuple[int, str, str]:
        self._capfd.readouterr()
        status = run_command([str(a) for a in arguments])
        out, err = self._capfd.readouterr()
        assert "Traceback" not in out + err
        return status, out, err


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("ZARBITER_DEBUG", raising=False)
    return Run(capfd)


@pytest.fixture(scope="session")
def board() -> Image:
    """A picture of a board that is set up."""
    with SimulatedTable(seed=1, max_turns=1) as table:
        return table.picture(0)


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short simulated match, with its truth beside it."""
    path = tmp_path_factory.mktemp("film") / "game.mp4"
    assert run_command(["simulate", str(path), "--seed", "3", "--turns", "2"]) == DONE
    return path


class TestHelp:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_command_explains_itself_with_an_example(self, run: Run, command: str) -> None:
        status, out, _ = run(command, "--help")
        assert status == DONE
        assert "Example" in out
        assert f"zarbiter {command}" in out

    def test_all_commands_are_listed(self, run: Run) -> None:
        status, out, _ = run("--help")
        assert status == DONE
        assert all(f"  {command} " in out for command in COMMANDS)

    def test_cameras_are_listed_with_run(self, run: Run) -> None:
        _, out, _ = run("run", "--help")
        assert "picamera2 " in out
        assert "usb:0 or /dev/video0 " in out


class TestWrongUsage:
    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (["digitize"], "Missing argument"),
            (["fly"], "No such command"),
            (["digitize", "x.mp4", "--game", "chess"], "'chess' is not one of"),
            (["digitize", "x.mp4", "--game", "long-nardy", "--rules", "short.default"], "is for backgammon"),
            (
                ["digitize", "x.mp4", "--game", "long-nardy", "--mat", "x.mat"],
                "--mat is for short backgammon",
            ),
            (["digitize", "x.mp4", "--mat", "no/such/x.mat"], "there is no folder"),
            (["digitize", "x.mp4", "--corners", "1,2 3,4"], "is not four corners"),
            (["digitize", "usb:0"], "is a camera, not a recording"),
            (["run", "--camera", "usb:0", "--players", "Ann"], "is not two names"),
            (["run", "--camera", "usb:0", "--rules", "short.mach"], "do you mean short.match"),
            (["digitize", "x.mp4", "--rules", "gone.toml"], "gone.toml: no such file"),
            (["export", "last"], "nothing to write"),
            (["check"], "Missing argument"),
            (["run", "--camera", "usb:0", "--host", "0.0.0.0"], "add --public"),
            (["demo", "--style", "marble"], "no board style 'marble'"),
            (["simulate", "x.mp4", "--style", "marble"], "no board style 'marble'"),
        ],
    )
    def test_it_is_explained(self, run: Run, arguments: list[str], why: str) -> None:
        status, out, err = run(*arguments)
        assert status == WRONG_USAGE
        assert out == ""
        assert why in err


class TestBadRecordings:
    @pytest.mark.parametrize(
        ("name", "content", "why"),
        [
            ("gone.mp4", None, "no such file"),
            ("empty.mp4", b"", "the file is empty"),
            ("text.mp4", b"hello\n" * 99, "is text, not a video"),
            ("noise.mp4", bytes(range(256)) * 40, "is not a video"),
        ],
    )
    def test_one_clear_line_and_status_3(
        self, run: Run, tmp_path: Path, name: str, content: bytes | None, why: str
    ) -> None:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        status, out, err = run("digitize", path)
        assert status == UNREADABLE
        assert out == ""
        assert err.count("\n") == 1
        assert name in err
        assert why in err

    def test_a_recording_that_breaks_off(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "cut.avi"
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"MJPG"), 25, (320, 240))
        for _ in range(60):
            writer.write(np.full((240, 320, 3), 99, np.uint8))
        writer.release()
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        status, out, err = run("digitize", path)
        assert status == UNREADABLE
        assert out == ""  # no board, no events
        assert err.count("\n") == 1
        assert "breaks off" in err

    def test_a_recording_without_a_board(self, run: Run, tmp_path: Path) -> None:
        for seq in range(3):
            cv2.imwrite(str(tmp_path / f"{seq}.png"), np.full((240, 320, 3), 99, np.uint8))
        status, out, err = run("digitize", tmp_path, "--mat", tmp_path / "game.mat")
        assert status == UNREADABLE
        assert out == ""
        assert err == f"zarbiter: {tmp_path}: no board that is set up for a game is seen in it\n"
        assert not (tmp_path / "game.mat").exists()

    def test_an_empty_folder(self, run: Run, tmp_path: Path) -> None:
        status, _, err = run("digitize", tmp_path)
        assert status == UNREADABLE
        assert "holds no pictures" in err


class TestPhoto:
    def test_a_board_that_is_set_up(self, run: Run, tmp_path: Path, board: Image) -> None:
        path = tmp_path / "board.png"
        cv2.imwrite(str(path), board)
        status, out, err = run("photo", "--json", path)
        assert (status, err) == (DONE, "")
        reading = json.loads(out)
        assert reading["schema"] == "zarbiter.photo/1"
        assert reading["file"] == str(path)
        assert reading["size"] == [1280, 720]
        counts = sorted(s["count"] for row in ("top", "bottom") for s in reading["slots"][row])
        assert counts == [0] * 16 + [2, 2, 3, 3, 5, 5, 5, 5]
        status, out, _ = run("photo", path)
        assert status == DONE
        assert "top" in out
        assert "5o" in out

    def test_grey_and_16_bit_pictures_are_read_too(self, run: Run, tmp_path: Path, board: Image) -> None:
        deep, grey, cmyk = tmp_path / "deep.png", tmp_path / "grey.png", tmp_path / "cmyk.jpg"
        cv2.imwrite(str(deep), board.astype(np.uint16) * 257)
        cv2.imwrite(str(grey), cv2.cvtColor(board, cv2.COLOR_BGR2GRAY))
        inks = np.dstack([255 - board[..., ::-1], np.zeros(board.shape[:2], np.uint8)])
        cmyk.write_bytes(simplejpeg.encode_jpeg(np.ascontiguousarray(255 - inks), colorspace="CMYK"))
        _, out, err = run("photo", "--json", deep, grey, cmyk)
        assert err == ""
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line["file"] for line in lines] == [str(deep), str(grey), str(cmyk)]
        assert "slots" in lines[0]
        assert all("slots" in line or "error" in line for line in lines)

    def test_bad_pictures_have_their_lines_and_the_others_are_read(
        self, run: Run, tmp_path: Path, board: Image
    ) -> None:
        good, text, empty, cut = (tmp_path / n for n in ("good.png", "text.jpg", "empty.jpg", "cut.png"))
        tiny, blank, gone = tmp_path / "tiny.png", tmp_path / "blank.png", tmp_path / "gone.jpg"
        cv2.imwrite(str(good), board)
        text.write_text("this is no picture\n" * 9)
        empty.touch()
        cut.write_bytes(good.read_bytes()[:20_000])
        cv2.imwrite(str(tiny), np.full((1, 1, 3), 99, np.uint8))
        cv2.imwrite(str(blank), np.full((480, 640, 3), 99, np.uint8))
        files = [text, empty, cut, tiny, blank, gone, good]
        status, out, err = run("photo", "--json", *files)
        assert status == UNREADABLE
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line["file"] for line in lines] == [str(f) for f in files]
        assert all("error" in line for line in lines[:-1])
        assert "error" not in lines[-1]
        status, _, err = run("photo", *files[:-1])
        assert status == UNREADABLE
        assert [line.split(":")[1].strip() for line in err.splitlines()] == [str(f) for f in files[:-1]]

    @pytest.mark.slow
    def test_100_megapixels(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "huge.png"
        path.write_bytes(constant_png(10_000, 10_000))
        status, out, err = run("photo", "--json", path)
        assert status == UNREADABLE
        assert "board" in json.loads(out)["error"]
        assert err == ""

    def test_drawing(self, run: Run, tmp_path: Path, board: Image) -> None:
        path, seen = tmp_path / "board.png", tmp_path / "seen.jpg"
        cv2.imwrite(str(path), board)
        assert run("photo", path, "--draw", seen)[0] == DONE
        drawn = cv2.imread(str(seen))
        assert drawn is not None
        assert drawn.shape[1] == board.shape[1]
        assert drawn.shape[0] >= board.shape[0], "a margin is added where counts have no room"
        status, _, err = run("photo", path, "--draw", tmp_path / "no" / "seen.jpg")
        assert status == UNREADABLE
        assert "cannot be written" in err

    def test_the_position_is_told_in_other_forms(self, run: Run, tmp_path: Path, board: Image) -> None:
        path = tmp_path / "board.png"
        cv2.imwrite(str(path), board)
        homes = []
        for home in ("top-left", "top-right", "bottom-left", "bottom-right"):
            _, out, err = run("photo", "--json", "--xgid", "--gnubg-id", "--position", "--home", home, path)
            answer = json.loads(out)
            assert err == ""
            if answer["xgid"].startswith("XGID=-b----E-C---eE---c-e----B-:"):
                homes.append(home)
                assert answer["gnubg_id"].startswith("4HPwATDgc/ABMA:")
                assert answer["position"] == "backgammon:w=24:2,13:5,8:3,6:5/b=24:2,13:5,8:3,6:5/white"
        assert len(homes) == 1
        status, out, _ = run("photo", "--xgid", "--home", homes[0], "--turn", "dark", path)
        assert status == DONE
        assert "xgid: XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10\n" in out
        status, out, _ = run("photo", "--xgid", "--game", "long-nardy", path)
        assert status == DONE
        assert "xgid: none, since XGID, GNU Backgammon's ids and FIBS boards are not for long nardy\n" in out

    def test_corners_for_many_pictures(self, run: Run, tmp_path: Path, board: Image) -> None:
        path, corners = tmp_path / "board.png", tmp_path / "corners.json"
        cv2.imwrite(str(path), board)
        _, out, _ = run("photo", "--json", path)
        where = json.loads(out)["board"]["corners"]
        moved = [[x + 3, y + 3] for x, y in where]
        corners.write_text(json.dumps({"board.png": moved}))
        labels = tmp_path / "labels.json"
        labels.write_text(json.dumps([{"file": "board.png", "corners": moved}, {"file": "dice.png"}]))
        for file in (corners, labels):
            status, out, err = run("photo", "--json", "--corners-file", file, path)
            assert (status, err) == (DONE, "")
            assert json.loads(out)["board"]["corners"] == moved
        for text, why in (
            ("no", "not JSON"),
            ("3", "neither an object"),
            ('{"board.png": [[1, 2]]}', "board.png has not four corners"),
        ):
            corners.write_text(text)
            status, out, err = run("photo", "--json", "--corners-file", corners, path)
            assert (status, out) == (UNREADABLE, "")
            assert why in err
        assert run("photo", "--corners-file", tmp_path / "gone.json", path)[0] == UNREADABLE

    def test_the_look_of_the_board_is_learnt_from_the_start(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known: list[Appearance] = []

        def read(picture: Picture, **options: Any) -> PhotoReading:
            known.append(options["known"])
            return read_photo(picture, **options)

        monkeypatch.setattr("zarbiter.photos.read_photo", read)
        with SimulatedTable(seed=1, max_turns=4) as table:
            start, later = table.picture(0), table.picture(table.frames - 1)
        start_file, later_file, blank = (tmp_path / n for n in ("start.png", "later.png", "blank.png"))
        cv2.imwrite(str(start_file), start)
        cv2.imwrite(str(later_file), later)
        cv2.imwrite(str(blank), np.full((480, 640, 3), 99, np.uint8))
        status, out, err = run("photo", "--json", "--board", start_file, later_file)
        assert (status, err) == (DONE, "")
        assert sorted(abs(n) for n in known[0].counts) == [0] * 16 + [2, 2, 3, 3, 5, 5, 5, 5]
        for file, why in (
            (later_file, "there is a board, but not one that is set up for a game"),
            (blank, "no backgammon board can be seen in it"),
            (tmp_path / "gone.png", "there is no such file"),
        ):
            status, out, err = run("photo", "--json", "--board", file, later_file)
            assert (status, out, err) == (UNREADABLE, "", f"zarbiter: {file}: {why}\n")
        status, _, err = run("photo", "--dice-only", "--board", start_file, later_file)
        assert status == WRONG_USAGE
        assert "looks for no board" in err

    def test_dice_alone_have_no_position(self, run: Run, tmp_path: Path) -> None:
        status, _, err = run("photo", "--dice-only", "--xgid", tmp_path / "a.png")
        assert status == WRONG_USAGE
        assert "no position to tell" in err

    def test_dice_only(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "blank.png"
        cv2.imwrite(str(path), np.full((480, 640, 3), 99, np.uint8))
        status, out, _ = run("photo", "--json", "--dice-only", path)
        assert status == DONE
        assert json.loads(out)["board"] is None


class TestDigitizeAndExport:
    def test_a_film_becomes_events_and_a_match_file(self, run: Run, tmp_path: Path, film: Path) -> None:
        events, mat, again = tmp_path / "game.jsonl", tmp_path / "game.mat", tmp_path / "again.mat"
        status, out, err = run("digitize", film, "--events", events, "--mat", mat, "--players", "Ann,Bob")
        assert (status, out, err) == (DONE, "", "")
        found = [loads(line) for line in events.read_text().splitlines()]
        truth = [loads(line) for line in film.with_suffix(".truth.jsonl").read_text().splitlines()]
        wanted = [e for e in truth if e.type in ("throw", "play")]
        assert [key(e) for e in found if e.type in ("throw", "play")] == [key(e) for e in wanted]
        assert mat.read_text().startswith(" 0 point match")
        assert "Ann : 0" in mat.read_text()
        assert run("check", events)[0] == run("check", mat)[0] == DONE
        assert run("export", events, "--mat", again, "--players", "Ann,Bob")[0] == DONE
        assert again.read_text() == mat.read_text()

    def test_events_go_to_standard_output_and_hold_the_rules_of_ones_own(
        self, run: Run, tmp_path: Path, film: Path
    ) -> None:
        path = tmp_path / "club.toml"
        path.write_text('base = "short.match"\ncrawford = false\n')
        status, out, _ = run("digitize", film, "--rules", path)
        assert status == DONE
        board, start, *_ = [loads(line) for line in out.splitlines()]
        assert board.type == "board"
        assert isinstance(start, GameStart)
        assert start.rules == preset(str(path))
        assert start.rules.name == "club"

    def test_exporting_a_stored_match(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "zarbiter.sqlite"
        store = Store(path)
        row = store.new_match(rules=default_rules(Game.BACKGAMMON))
        store.append(row.id, throw(), "x").result(5)
        store.close()
        status, _, err = run("export", 7, "--store", path, "--mat", tmp_path / "x.mat")
        assert status == UNREADABLE
        assert "no match 7; there are: 1" in err
        status, _, err = run("export", "last", "--store", path, "--mat", tmp_path / "x.mat")
        assert status == UNREADABLE
        assert "no game in these events" in err

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (None, "no such file"),
            (b"", "the file is empty"),
            (b"\xff\xfe\x00", "not JSON"),
            (b"{}\n", "line 1: not an event"),
        ],
    )
    def test_files_that_are_no_events(
        self, run: Run, tmp_path: Path, content: bytes | None, why: str
    ) -> None:
        path = tmp_path / "game.jsonl"
        if content is not None:
            path.write_bytes(content)
        status, _, err = run("export", path, "--mat", tmp_path / "x.mat")
        assert status == UNREADABLE
        assert why in err
        assert err.count("\n") == 1


class TestExport:
    @pytest.fixture
    def mat(self, tmp_path: Path) -> Path:
        path = tmp_path / "game.mat"
        path.write_text(MAT)
        return path

    @pytest.mark.parametrize("form", ["mat", "sgf", "json", "ogxm"])
    def test_every_form_is_read_again(self, run: Run, tmp_path: Path, mat: Path, form: str) -> None:
        if form == "ogxm":
            pytest.importorskip("ogxm", reason="the library for OGXM is not installed")
        other, again = tmp_path / f"game.{form}", tmp_path / "again.mat"
        assert run("export", mat, f"--{form}", other)[0] == DONE
        assert run("export", other, "--mat", again)[0] == DONE
        first, second = read_match(mat), read_match(again)
        assert plain(second) == plain(first)
        found, same = (json.loads(run("check", path, "--json")[1])["findings"] for path in (mat, other))
        assert [finding["breaches"] for finding in found] == [finding["breaches"] for finding in same]
        assert [finding["move"] for finding in found] == [finding["move"] for finding in same] == [4]

    def test_the_end_of_a_name_need_not_tell_the_form(self, run: Run, tmp_path: Path, mat: Path) -> None:
        for form in ("mat", "sgf", "json"):
            assert run("export", mat, f"--{form}", tmp_path / f"{form}.txt")[0] == DONE
            assert plain(read_match(tmp_path / f"{form}.txt")) == plain(read_match(mat))

    def test_long_nardy_has_its_own_notation_in_which_illegal_plays_are_marked(
        self, run: Run, tmp_path: Path
    ) -> None:
        turns = (
            Turn(side=Side.WHITE, dice=(6, 5), moves=((24, 18), (18, 13))),
            Turn(side=Side.BLACK, dice=(2, 1), moves=((24, 22), (24, 23))),
        )
        game = GameRecord(start=Position.start(Game.LONG_NARDY), turns=turns)
        path, json_path = tmp_path / "game.nardy", tmp_path / "game.json"
        json_path.write_text(write_json(Record(game=Game.LONG_NARDY, games=(game,))))
        assert run("export", json_path, "--nardy", path)[0] == DONE
        marked = [line for line in path.read_text().splitlines() if "!L2" in line]
        assert len(marked) == 1
        assert "Black" in marked[0]
        assert plain(read_match(path)) == plain(read_match(json_path))
        path.rename(tmp_path / "game.txt")
        assert plain(read_match(tmp_path / "game.txt")) == plain(read_match(json_path))
        status, _, err = run("export", json_path, "--mat", tmp_path / "game.mat")
        assert status == UNREADABLE
        assert err.startswith(f"zarbiter: {tmp_path / 'game.mat'}: match text (.mat) is for short backgammon")
        assert not (tmp_path / "game.mat").exists()

    def test_long_nardy_as_it_is_printed_is_read_and_checked(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "party.txt"
        path.write_text(
            "Белые: Иванов\nЧерные: Петров\n\nПартия 1\n1. 65: 24-18-13  21: 24-22 24-23\n", "utf-8"
        )
        record = read_match(path)
        assert record.game is Game.LONG_NARDY
        assert record.players == ("Иванов", "Петров")
        status, out, _ = run("check", path)
        assert status == FOUND
        assert "Петров (black) 2-1 24/23 24/22: L2" in out

    def test_other_names(self, run: Run, tmp_path: Path, mat: Path) -> None:
        path = tmp_path / "game.json"
        assert run("export", mat, "--json", path, "--players", "Eve,Max")[0] == DONE
        assert read_match(path).players == ("Eve", "Max")

    def test_a_file_that_cannot_be_written(self, run: Run, tmp_path: Path, mat: Path) -> None:
        status, _, err = run("export", mat, "--sgf", tmp_path / "no" / "game.sgf")
        assert (status, err) == (
            UNREADABLE,
            f"zarbiter: {tmp_path / 'no/game.sgf'}: no such file or directory\n",
        )


MAT = """ 5 point match

 Game 1
 Ann : 0                          Bob : 0
  1)                             31: 8/5 6/5
  2) 64: 24/18 13/9              52: 13/8 13/11
  3)  Doubles => 2                Takes
  4) 65: 18/13 9/4               42: 8/4 6/4
"""


def plain(record: Record) -> Record:
    """A record without the lines where it was read, which differ between forms."""
    games = tuple(
        replace(game, line=0, turns=tuple(replace(turn, line=0) for turn in game.turns))
        for game in record.games
    )
    return replace(record, games=games, info=())


class TestOther:
    def test_a_simulated_film_has_its_truth(self, film: Path) -> None:
        truth = [json.loads(line) for line in film.with_suffix(".truth.jsonl").read_text().splitlines()]
        assert [e["type"] for e in truth[:2]] == ["board", "game_start"]
        assert sum(e["type"] == "play" for e in truth) == 2
        assert truth[1]["game"] == Game.BACKGAMMON

    def test_a_film_that_cannot_be_written(self, run: Run, tmp_path: Path) -> None:
        status, _, err = run("simulate", tmp_path / "no" / "game.mp4", "--turns", "1")
        assert status in (UNREADABLE, NO_HARDWARE)
        assert err.count("\n") == 1

    def test_a_store_that_is_something_else(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("these are notes, no database\n" * 50)
        status, _, err = run("run", "--camera", "usb:97", "--store", path)
        assert status == UNREADABLE
        assert err == f"zarbiter: {path}: is not a match store\n"

    def test_a_recording_that_cannot_be_read_is_not_waited_for(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "empty.mp4"
        path.touch()
        status, _, err = run("run", "--camera", path, "--store", tmp_path / "match.sqlite")
        assert (status, err) == (UNREADABLE, f"zarbiter: {path}: the file is empty\n")

    def test_a_camera_that_makes_no_sense(self, run: Run) -> None:
        status, _, err = run("run", "--camera", "usb:front")
        assert status == NO_HARDWARE
        assert err.count("\n") == 1

    def test_a_defect_is_one_line(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(video: str) -> None:
            raise ZeroDivisionError("two\nlines")

        monkeypatch.setattr("hardware.open_camera", broken)
        status, _, err = run("digitize", "x.mp4")
        assert status == DEFECT
        assert err == (
            "zarbiter: this is a defect of Zarbiter: ZeroDivisionError: two lines"
            " (ZARBITER_DEBUG=1 shows where)\n"
        )

    def test_the_console_script_gives_the_status_to_the_shell(self, tmp_path: Path) -> None:
        done = subprocess.run(
            [CONSOLE_SCRIPT, "digitize", tmp_path / "gone.mp4"], capture_output=True, text=True, check=False
        )
        assert done.returncode == UNREADABLE
        assert done.stderr == f"zarbiter: {tmp_path / 'gone.mp4'}: no such file or camera\n"

    @pytest.mark.parametrize("arguments", ["rules long.classic", "--help"])
    @pytest.mark.parametrize(
        ("redirected", "status", "told"),
        [
            (
                "| true",
                DONE,
                "",
            ),  # nobody reads: no reason for status 1, which says that something is illegal
            (">&-", DONE, ""),
            (">/dev/full", UNREADABLE, "zarbiter: the output cannot be written: no space left on device\n"),
        ],
        ids=["closed pipe", "closed", "full"],
    )
    def test_output_that_takes_nothing(self, arguments: str, redirected: str, status: int, told: str) -> None:
        done = shell(f"{shlex.quote(CONSOLE_SCRIPT)} {arguments} {redirected}")
        assert (done.returncode, done.stderr) == (status, told)

    @pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
    @pytest.mark.parametrize(
        ("arguments", "status"), [("rules nope", WRONG_USAGE), ("check gone", UNREADABLE)]
    )
    def test_errors_that_nobody_can_be_told(self, arguments: str, status: int, redirected: str) -> None:
        assert shell(f"{shlex.quote(CONSOLE_SCRIPT)} {arguments} {redirected}").returncode == status

    @pytest.mark.parametrize("arguments", [["check"], ["legal", "--check"]])
    def test_a_file_that_may_not_be_read(
        self, run: Run, tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "match.mat"
        path.write_text("Game 1")
        path.chmod(0)

        def denied(*_: Any, **__: Any) -> None:  # root may read everything
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        monkeypatch.setattr(Path, "open", denied)
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert run(*arguments, path) == (UNREADABLE, "", f"zarbiter: {path}: permission denied\n")


CONSOLE_SCRIPT = str(Path(sys.executable).with_name("zarbiter"))


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command line with its redirections; a pipe has the status of the program before it."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )


def key(event: Any) -> tuple[Any, ...]:
    """What must agree with the truth."""
    extra = event.position.to_json() if event.type == "play" else event.valid
    return event.type, event.side, tuple(sorted(event.dice)), str(extra)


def constant_png(width: int, height: int) -> bytes:
    """A grey picture of one colour, without having it in memory."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    squeeze = zlib.compressobj(1)
    row = b"\0" + b"\x60" * width
    body = b"".join(squeeze.compress(row) for _ in range(height)) + squeeze.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
