"""The simulated table: its pictures are repeatable, its truth keeps the rules it claims to keep."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.corrections import replay
from engine.events import Event, GameEnd, GameStart, PlayMade, Throw, from_json, to_json
from engine.judge import judge_play
from engine.layout import to_slots
from engine.legal import legal_plays
from engine.match import Match
from engine.position import Game, Position, Side
from engine.rules import default_rules
from hardware.camera import CameraError
from hardware.table import PLAY_FAULTS, STYLES, THROW_FAULTS, SimulatedTable, record, write_pictures
from hardware.table.scene import (
    FIELD_X,
    FIELD_Y,
    POSES,
    Lens,
    Seats,
    die_at,
    field_corners,
    stacks,
    top_value,
    turn,
)
from vision.geometry import FieldMap

SMALL = (480, 270)


def plays(events: Iterable[Event]) -> list[PlayMade]:
    return [e for e in events if isinstance(e, PlayMade)]


def throws(events: Iterable[Event]) -> list[Throw]:
    return [e for e in events if isinstance(e, Throw)]


def check_truth(table: SimulatedTable) -> Match:
    """Fold the truth, judging every play again."""
    rules = default_rules(table.game)
    events = table.truth()
    position: Position | None = None
    last = -1.0
    for event in events:
        assert event.t >= last
        last = event.t
        if isinstance(event, GameStart):
            position = event.position
        if isinstance(event, PlayMade):
            assert position is not None
            after = {p.after for p in legal_plays(position, event.side, event.dice, rules)}
            assert (event.position in after) == event.legal
            verdict = judge_play(position, event.side, event.dice, event.position, rules)
            assert verdict.rule == event.rule
            assert event.slots == to_slots(event.position, table.orientation)
            position = event.position
        assert from_json(to_json(event)).type == event.type
    return replay(events, rules)


@pytest.mark.parametrize("game", list(Game))
@pytest.mark.parametrize("seed", [1, 2])
def test_truth_is_a_whole_game_by_the_rules(game: Game, seed: int) -> None:
    table = SimulatedTable(seed=seed, game=game)
    match = check_truth(table)
    assert match.phase == "game_over"
    events = table.truth()
    assert isinstance(events[-1], GameEnd)
    assert all(p.legal for p in plays(events))
    assert all(t.valid for t in throws(events))
    assert [t.side for t in throws(events)] == [p.side for p in plays(events)]
    assert all(t.dice == p.dice and t.t < p.t for t, p in zip(throws(events), plays(events), strict=True))
    assert 30 <= len(plays(events)) <= 140


def test_a_match_goes_on_until_the_points_are_won() -> None:
    table = SimulatedTable(seed=3, match_length=3)
    events = table.truth()
    assert sum(isinstance(e, GameStart) for e in events) == sum(isinstance(e, GameEnd) for e in events) > 1
    assert max(check_truth(table).score) >= 3


def test_it_is_told_from_when_the_board_could_be_judged() -> None:
    table = SimulatedTable(seed=1, max_turns=3, faults=["cocked"], size=SMALL)
    pairs = list(zip(table.truth(), table.stills(), strict=True))
    assert all(still == event.t for event, still in pairs if not isinstance(event, PlayMade))
    with table:
        for event, still in pairs:
            if isinstance(event, PlayMade):
                assert 0.2 < still - event.t < 0.5
                before, after = (
                    table.picture(math.ceil(t * table.fps)).astype(int) for t in (still - 0.2, still)
                )
                later = table.picture(math.ceil(still * table.fps) + 1).astype(int)
                assert np.abs(after - later).max() < 40 < np.abs(before - later).max()


@pytest.mark.parametrize("kind", THROW_FAULTS)
def test_every_invalid_throw_can_be_committed(kind: str) -> None:
    for seed in range(1, 4):
        bad = [
            t for t in throws(SimulatedTable(seed=seed, faults=[kind], max_turns=6).truth()) if not t.valid
        ]
        assert [t.faults for t in bad] == [(kind,)]
        assert len(bad[0].halves) == (1 if kind == "one_die" else 2)


@pytest.mark.parametrize("game", list(Game))
def test_every_illegal_play_can_be_committed(game: Game) -> None:
    wanted = set(PLAY_FAULTS[game])
    found: set[str | None] = set()
    for seed in range(1, 9):
        table = SimulatedTable(seed=seed, game=game, faults=PLAY_FAULTS[game])
        check_truth(table)
        found |= {p.rule for p in plays(table.truth()) if not p.legal}
        if found == wanted:
            break
    assert found == wanted


def test_unknown_names_are_refused_in_one_line() -> None:
    with pytest.raises(ValueError, match="no board style 'glass'"):
        SimulatedTable(style="glass")
    with pytest.raises(ValueError, match="backgammon has no fault 'L2'"):
        SimulatedTable(faults=["L2"])


@pytest.mark.parametrize("pose", ["overhead", "off", "oblique"])
def test_the_same_seed_paints_the_same_frames(pose: str) -> None:
    def frames() -> list[np.ndarray]:
        table = SimulatedTable(seed=5, size=SMALL, pose=pose, style="felt", max_turns=1)  # type: ignore[arg-type]
        with table:
            return [table.picture(k) for k in range(0, table.frames, 4)]

    first, second = frames(), frames()
    assert len(first) > 10
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_it_is_a_camera() -> None:
    table = SimulatedTable(seed=2, size=SMALL, max_turns=1, fps=5)
    with pytest.raises(CameraError, match="not started"):
        table.read()
    with table:
        frames = list(iter(table.read, None))
    table.stop()
    assert len(frames) == table.length
    assert [f.seq for f in frames] == list(range(len(frames)))
    assert [f.t for f in frames] == pytest.approx([k / 5 for k in range(len(frames))])
    assert {(f.image.shape, f.image.dtype) for f in frames} == {((270, 480, 3), np.dtype(np.uint8))}
    with table:
        again = table.read()
    assert again is not None
    assert np.array_equal(again.image, frames[0].image)


def test_a_live_table_drops_frames_that_nobody_reads() -> None:
    table = SimulatedTable(seed=2, size=SMALL, max_turns=1, realtime=True, fps=200)
    assert table.live
    assert table.length is None
    with table:
        seqs = [f.seq for _ in range(8) if (f := table.read()) is not None]
    assert seqs == sorted(set(seqs))
    assert seqs[-1] > 7


@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize("pose", ["overhead", "oblique"])
def test_checkers_show_where_the_truth_says(style: str, pose: str) -> None:
    table = SimulatedTable(seed=4, size=(640, 360), style=style, pose=pose, max_turns=1)  # type: ignore[arg-type]
    board = table.truth()[0]
    with table:
        image = cv2.cvtColor(table.picture(0), cv2.COLOR_BGR2GRAY)
    field = FieldMap(np.array(board.corners))  # type: ignore[union-attr]
    place = Seats(table.game, table.orientation).place
    light: list[float] = []
    dark: list[float] = []
    for (side, point), _ in stacks(Position.start(table.game), table.game).items():
        x, y, _ = place(side, point, 0)
        ((px, py),) = field.to_pixels([[x / (2 * FIELD_X) + 0.5, y / (2 * FIELD_Y) + 0.5]])
        patch = image[round(py) - 2 : round(py) + 3, round(px) - 2 : round(px) + 3]
        (light if side is Side.WHITE else dark).append(float(patch.mean()))
    assert min(light) > max(dark) + 60


def test_dice_show_the_face_they_were_laid_with() -> None:
    for value in range(1, 7):
        assert top_value(die_at(0, 0, 0, value, 0.7)) == value
        assert top_value(die_at(0, 0, 0, value, 0.7, turn("x", 0.6))) == value


def test_a_lens_shows_the_whole_board_level() -> None:
    for pose in POSES:
        for seed in range(4):
            lens = Lens.fit(pose, (1280, 720), np.random.default_rng(seed))
            corners = np.array(field_corners(lens))
            assert (corners > 0).all()
            assert (corners < (1280, 720)).all()
            assert abs(corners[0, 1] - corners[1, 1]) < 60


def test_recording_has_every_frame_and_the_truth_beside_it(tmp_path: Path) -> None:
    table = SimulatedTable(seed=2, size=SMALL, max_turns=1, fps=4)
    steps: list[tuple[int, int]] = []
    record(table, tmp_path / "a.mp4", progress=lambda done, total: steps.append((done, total)))
    video = cv2.VideoCapture(str(tmp_path / "a.mp4"))
    count = 0
    while video.read()[0]:
        count += 1
    assert count == table.length == len(steps)
    lines = (tmp_path / "a.truth.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [to_json(e) for e in table.truth()]


def test_pictures_lie_beside_their_truth(tmp_path: Path) -> None:
    table = SimulatedTable(seed=2, size=SMALL, max_turns=1, fps=2)
    count = write_pictures(table, tmp_path, every=3)
    assert len(list(tmp_path.glob("*.png"))) == count > 2
    assert (tmp_path / "truth.jsonl").read_text().count("\n") == len(table.truth())
