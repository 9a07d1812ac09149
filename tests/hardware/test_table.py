"""The simulated table: its pictures are repeatable, its truth keeps the rules it claims to keep."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.corrections import replay
from engine.events import (
    BoardSeen,
    Desync,
    Event,
    GameEnd,
    GameStart,
    PlayMade,
    Resync,
    RollOff,
    Throw,
    from_json,
    to_json,
)
from engine.judge import judge_play
from engine.layout import to_slots
from engine.legal import legal_plays
from engine.match import Match
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules
from hardware.camera import CameraError
from hardware.running_table import simulated
from hardware.table import (
    CONDITIONS,
    MANNER_FAULTS,
    PLAY_FAULTS,
    STYLES,
    THROW_FAULTS,
    SimulatedTable,
    record,
    write_pictures,
)
from hardware.table.scene import (
    DIE,
    FIELD_X,
    FIELD_Y,
    POSES,
    RADIUS,
    Checker,
    Die,
    Lens,
    Seats,
    die_at,
    field_corners,
    slot_x,
    stacks,
    top_value,
    turn,
)
from hardware.table.script import TURNED, tell
from hardware.table.story import Cover, Leaning, Plan, Reach, Resting, Roll, Story
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
    last, orientation = -1.0, table.orientation
    last_side: Side | None = None
    for event in events:
        assert event.t >= last
        last = event.t
        if isinstance(event, BoardSeen):
            orientation = event.orientation
        if isinstance(event, GameStart):
            position = event.position
        if isinstance(event, PlayMade):
            assert position is not None
            after = {p.after for p in legal_plays(position, event.side, event.dice, rules)}
            verdict = judge_play(position, event.side, event.dice, event.position, rules)
            if event.rule != "G10" or event.side is not last_side:  # else it was not his turn
                assert (event.position in after) == event.legal
                assert verdict.rule == event.rule
            last_side = event.side
            assert event.slots == to_slots(event.position, orientation)
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


STRICT = replace(
    default_rules(Game.BACKGAMMON),
    name="strict",
    dice_from="cup_required",
    throw_half="right_half",
    die_touching_checker="invalid",
)
TOLD_AS = {"one_by_one": "one_die", "double_turn": "wrong_side", "touching": "on_checker"}


@pytest.mark.parametrize("kind", MANNER_FAULTS)
def test_every_fault_in_the_manner_of_throwing_can_be_committed(kind: str) -> None:
    for seed in range(1, 4):
        table = SimulatedTable(seed=seed, faults=[kind], max_turns=6, rules=STRICT)
        check_truth(table)
        odd = [t for t in throws(table.truth()) if t.faults]
        assert [t.faults for t in odd] == [(TOLD_AS.get(kind, kind),)]
        assert [t.valid for t in odd] == [kind == "touched"]
        sides = [t.side for t in throws(table.truth()) if t.valid]
        assert sides == [p.side for p in plays(table.truth()) if p.legal]  # what was void was thrown again


def test_dice_thrown_early_lie_beside_those_of_the_turn_before() -> None:
    events = SimulatedTable(seed=3, faults=["premature"], max_turns=6).truth()
    place = next(i for i, e in enumerate(events) if isinstance(e, Throw) and not e.valid)
    before, early, play, again = events[place - 1 : place + 3]
    assert isinstance(before, Throw)
    assert isinstance(early, Throw)
    assert isinstance(play, PlayMade)
    assert isinstance(again, Throw)
    assert (before.side, play.side) == (early.side.other, early.side.other)
    assert (again.side, again.valid) == (early.side, True)
    crowd = [s for s in story(faults=("premature",)).scenes if len(s.dice) == 4]
    assert crowd
    assert all(math.dist(a.centre, b.centre) > 2 for s in crowd for a in s.dice for b in s.dice if a != b)


@pytest.mark.parametrize("game", list(Game))
def test_who_has_played_throws_again_and_plays_that_too(game: Game) -> None:
    events = SimulatedTable(seed=5, game=game, faults=["double_turn"], max_turns=6).truth()
    place = next(i for i, e in enumerate(events) if isinstance(e, Throw) and not e.valid)
    before, again, wrong, throw, play = events[place - 1 : place + 4]
    assert isinstance(again, Throw)
    assert isinstance(before, PlayMade)
    assert isinstance(wrong, PlayMade)
    assert isinstance(throw, Throw)
    assert isinstance(play, PlayMade)
    assert [e.side for e in (before, again, wrong)] == [throw.side.other] * 3
    assert (wrong.legal, wrong.rule, wrong.dice, play.side) == (False, "G10", again.dice, throw.side)
    assert wrong.position != before.position


def test_a_roll_stands_whose_die_was_touched() -> None:
    told = story(faults=("touched",))
    throw = next(e for e in told.events if isinstance(e, Throw) and e.faults)
    play = next(e for e in told.events if isinstance(e, PlayMade) and e.t > throw.t)
    lying = [s.dice for s in told.scenes if throw.t <= s.start < play.t and len(s.dice) == 2]
    assert play.dice == throw.dice
    assert [top_value(die) for die in lying[0]] == list(throw.dice)
    assert len(set(lying)) == 2


def test_three_dice_thrown_at_once_are_told_by_their_highest_values() -> None:
    told = story(faults=("wrong_dice",))
    throw = next(e for e in told.events if isinstance(e, Throw) and e.faults)
    three = next(s.dice for s in told.scenes if s.start == throw.t)
    values = sorted(top_value(die) for die in three)
    assert len(values) == len(throw.halves) == 3
    assert list(throw.dice) == values[:0:-1]
    assert any(isinstance(s.action, Roll) and len(s.action.dice) == 3 for s in told.scenes)
    assert all(math.dist(a.centre, b.centre) > 2 for a in three for b in three if a != b)


@pytest.mark.parametrize("game", list(Game))
def test_a_die_that_touches_a_checker_lies_flat_against_its_rim(game: Game) -> None:
    rules = replace(default_rules(game), die_touching_checker="invalid")
    for seed in range(1, 6):
        told = story(faults=("touching",), seed=seed, game=game, rules=rules)
        throw = next(e for e in told.events if isinstance(e, Throw) and e.faults)
        assert throw.faults == ("on_checker",)
        lying = next(s for s in told.scenes if s.start == throw.t)
        gaps = sorted(min(gap(die, c) for c in lying.checkers if c.z < 0.1) for die in lying.dice)
        assert gaps[0] == pytest.approx(0, abs=1e-9)
        assert gaps[1] > 0.1
        assert all(die.centre[2] == pytest.approx(DIE / 2) for die in lying.dice)


def gap(die: Die, checker: Checker) -> float:
    """Centimetres between a flat die's side and a checker's rim."""
    away = np.array([checker.x, checker.y, die.centre[2]]) - die.centre
    beyond = np.maximum(np.abs(die.matrix.T @ away) - DIE / 2, 0)
    return float(np.linalg.norm(beyond)) - RADIUS


def test_what_is_no_fault_by_the_rules_cannot_be_committed() -> None:
    for kind in ("not_from_cup", "wrong_half", "touching"):
        with pytest.raises(ValueError, match=f"by these rules no throw is '{kind}'"):
            SimulatedTable(faults=[kind])
    with pytest.raises(ValueError, match="no throw is 'premature'"):
        SimulatedTable(faults=["premature"], rules=replace(STRICT, early_roll="allowed"))
    with pytest.raises(ValueError, match="rules of backgammon are none of long-nardy"):
        SimulatedTable(game=Game.LONG_NARDY, rules=STRICT)


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


# Hard conditions


def story(
    *conditions: str,
    faults: tuple[str, ...] = (),
    turns: int = 24,
    seed: int = 3,
    game: Game = Game.BACKGAMMON,
    rules: RuleSet | None = None,
) -> Story:
    """A story of the simulated table, without a camera."""
    way = SimulatedTable(seed=seed, game=game, max_turns=1).orientation
    rules = rules or default_rules(game)
    plan = Plan(rules, Seats(game, way), 1, faults, turns, 1.0, frozenset(conditions))  # type: ignore[arg-type]
    return tell(plan, np.random.default_rng([seed, 2]), np.random.default_rng([seed, 5]))


def test_stories_without_conditions_are_what_they_were() -> None:
    table = SimulatedTable(seed=1, max_turns=4)
    told = [f"{p.dice[0]}{p.dice[1]} {p.notation}" for p in plays(table.truth())]
    assert told == ["53 8/3 6/3", "15 24/23 13/8", "42 24/22 6/2*", "62 bar/23* 24/18"]
    assert table.frames == 261
    assert story(turns=4, seed=1).events == table.truth()[1:]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("game", list(Game))
def test_the_truth_keeps_the_rules_under_every_condition(game: Game, condition: str) -> None:
    table = SimulatedTable(seed=2, game=game, conditions=[condition], max_turns=20)
    check_truth(table)
    assert len(plays(table.truth())) == 20


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_condition_shows_and_is_repeatable(condition: str) -> None:
    def frames(*conditions: str) -> list[np.ndarray]:
        table = SimulatedTable(seed=3, size=SMALL, fps=2, max_turns=14, conditions=conditions)
        with table:
            return [table.picture(k) for k in range(0, table.frames, 3)]

    once, plain = frames(condition), frames()
    assert any(not np.array_equal(a, b) for a, b in zip(once, plain, strict=False))
    assert all(np.array_equal(a, b) for a, b in zip(once, frames(condition), strict=True))


def test_conditions_of_light() -> None:
    def picture(condition: str | None, seq: int = 0) -> np.ndarray:
        table = SimulatedTable(seed=3, size=SMALL, max_turns=1, conditions=[condition] if condition else [])
        with table:
            return table.picture(seq).astype(float)

    plain = picture(None)
    assert 0.45 < picture("dim").mean() / plain.mean() < 0.55
    assert np.abs(picture("flicker") / np.maximum(plain, 1) - 1).max(axis=2).mean() > 0.04
    assert abs(picture("flicker", 0).mean() - picture("flicker", 3).mean()) > 2
    spot = (picture("glare").min(axis=2) > 230) & (plain.min(axis=2) < 200)
    assert 20 < spot.sum() < 0.01 * spot.size


def test_things_that_lie_about_lie_outside_the_field() -> None:
    def first(*conditions: str) -> np.ndarray:
        table = SimulatedTable(seed=3, size=SMALL, max_turns=1, conditions=conditions)
        with table:
            return table.picture(0).astype(int)

    board = SimulatedTable(seed=3, size=SMALL).truth()[0]
    assert isinstance(board, BoardSeen)
    field = np.zeros(SMALL[::-1], np.uint8)
    cv2.fillConvexPoly(field, np.round(board.corners).astype(np.int32), 1)
    field = cv2.erode(field, np.ones((25, 25), np.uint8))  # the cube throws its shadow over the edge
    change = np.abs(first("extras") - first()).max(axis=2)
    assert change[field == 1].max() == 0
    assert (change > 60).sum() > 50


def test_dice_are_lifted_quickly() -> None:
    for told in (story("quick_lift"), story("quick_lift", game=Game.LONG_NARDY)):
        gaps = []
        for event in told.events:
            if isinstance(event, Throw):
                whole = next(s.end for s in told.scenes if s.start >= event.t - 1e-6 and len(s.dice) == 2)
                gaps.append(
                    next(s.start for s in told.scenes if s.start >= whole - 1e-6 and len(s.dice) < 2)
                    - event.t
                )
        assert 0.6 < min(gaps) < 0.8
        assert max(gaps) < 2.5
    usual = story()
    first = next(e.t for e in usual.events if isinstance(e, Throw))
    assert next(s.start for s in usual.scenes if s.start > first and len(s.dice) < 2) - first > 2.5


def test_players_who_like_to_stack() -> None:
    def highest(told: Story) -> int:
        made = [e for e in told.events if isinstance(e, PlayMade)]
        return sum(max(map(abs, play.position.points)) > 5 for play in made)

    assert highest(story("tall_stacks", turns=40)) > 2 * highest(story(turns=40))


def test_a_hand_rests_on_the_frame_most_of_the_time() -> None:
    told = story("resting_hand")
    resting = [p for p in told.presences if isinstance(p, Resting)]
    assert all(p.end - p.start >= 15 and abs(p.tip[1]) > FIELD_Y - 1 for p in resting)
    assert sum(p.end - p.start for p in resting) > 0.5 * told.seconds


def test_people_lean_in_for_some_seconds_while_dice_lie_and_between_turns() -> None:
    told = story("leaning", turns=40)
    leaning = [p for p in told.presences if isinstance(p, Leaning)]
    assert all(1.4 < p.end - p.start < 3.6 for p in leaning)

    def dice_at(t: float) -> int:
        return len(next(s for s in told.scenes if s.start <= t < s.end).dice)

    assert {dice_at(p.start + 0.5) for p in leaning} == {0, 2}


def test_checkers_slip_and_are_put_right() -> None:
    table = SimulatedTable(seed=3, max_turns=24, conditions=["bumped_board"])
    check_truth(table)
    columns = [slot_x(slot) for slot in range(12)]
    astray = [
        any(
            abs(c.x) > 2.5 and min(abs(c.x - x) for x in columns) > 1.5 and abs(c.x) < FIELD_X
            for c in s.checkers
        )
        for s in story("bumped_board").scenes
    ]
    assert any(astray)
    assert sum(astray) < 0.2 * len(astray)


def test_a_camera_that_was_knocked_shows_the_same_field_elsewhere() -> None:
    for pose in POSES:
        for seed in range(1, 5):
            table = SimulatedTable(seed=seed, pose=pose, max_turns=8, conditions=["bumped_camera"])
            first, then = (e for e in table.truth() if isinstance(e, BoardSeen))
            corners = np.array(then.corners)
            assert 3 < np.abs(corners - first.corners).max() < 100
            assert (corners > 0).all()
            assert (corners < (1280, 720)).all()
            assert 0 < then.t < table.frames / table.fps
            matrix = table._lens.onto(table._knocked)
            moved = cv2.perspectiveTransform(np.array([first.corners]), matrix)[0]
            assert np.abs(moved - corners).max() < 1e-6


def test_fidgety_players_move_more_checkers_than_they_play() -> None:
    def carried(told: Story) -> list[Reach]:
        return [s.action for s in told.scenes if isinstance(s.action, Reach) and s.action.carried]

    def moved(told: Story) -> int:
        return sum(len(e.moves) for e in told.events if isinstance(e, PlayMade))

    told, usual = story("fidgety", seed=5), story(seed=5)
    assert len(carried(told)) > 1.3 * moved(told)
    assert len(carried(usual)) < 1.3 * moved(usual)  # hit checkers are carried to the bar
    assert any(r.lands is not None and 2 < r.lands.z < 3 for r in carried(told))  # held over a point


def test_conditions_are_named_in_the_address_of_the_table() -> None:
    table = simulated("sim:backgammon?conditions=dim,flicker&turns=1&realtime=0")
    assert isinstance(table, SimulatedTable)
    assert table.conditions == {"dim", "flicker"}
    with pytest.raises(CameraError, match="no condition 'fog'; there are dim, flicker"):
        simulated("sim:backgammon?conditions=fog")


@pytest.mark.parametrize("game", list(Game))
def test_a_roll_off_decides_who_begins(game: Game) -> None:
    """G7: equal dice are thrown again; in backgammon the two dice are the first roll."""
    ties = 0
    for seed in range(1, 9):
        table = SimulatedTable(seed=seed, game=game, max_turns=2, conditions=["roll_off"])
        events = table.truth()[1:]
        start, *rest = events
        assert isinstance(start, GameStart)
        assert start.side_to_move is None
        rolls = [e for e in rest if isinstance(e, RollOff)]
        assert rest[: len(rolls)] == rolls
        assert [r.winner is None for r in rolls] == [True] * (len(rolls) - 1) + [False]
        ties += len(rolls) - 1
        first = plays(rest)[0]
        assert first.side is rolls[-1].winner
        if game is Game.BACKGAMMON:
            assert first.dice == (rolls[-1].white, rolls[-1].black)
            assert len(throws(rest)) == 1
        else:
            assert len(throws(rest)) == 2
        assert replay(table.truth(), table.rules).turn == 2
    assert ties


@pytest.mark.parametrize("game", list(Game))
def test_a_board_that_is_set_up_wrong_is_put_right_before_the_first_throw(game: Game) -> None:
    kinds = set()
    for seed in range(1, 17):
        table = SimulatedTable(seed=seed, game=game, max_turns=1, conditions=["wrong_setup"], size=SMALL)
        board, wrong, start, thrown, *_ = table.truth()
        assert isinstance(board, BoardSeen)
        assert isinstance(wrong, Desync)
        assert isinstance(start, GameStart)
        assert isinstance(thrown, Throw)
        assert start.t - wrong.t > 10
        right = to_slots(Position.start(game), table.orientation)
        story = table._story.scenes
        scene_then = next(s for s in story if s.start >= wrong.t)
        scene_now = next(s for s in story if s.start >= start.t)
        assert _counts(scene_now.checkers) == list(right)
        stands = _counts(scene_then.checkers)
        assert tuple(k for k in range(24) if stands[k] != right[k]) == wrong.slots
        kinds.add((len(wrong.slots), sum(map(abs, stands))))
    assert kinds == ({(1, 29), (2, 30), (6, 30)} if game is Game.BACKGAMMON else {(2, 30)})


def _counts(checkers: Iterable[Checker]) -> list[int]:
    """Signed counts by slot of checkers that lie on points."""
    counts = [0] * 24
    for c in checkers:
        slots = [k for k in range(24) if abs(slot_x(k) - c.x) < 1 and (c.y > 0) == (k >= 12)]
        for slot in slots:
            counts[slot] += -1 if c.dark else 1
    return counts


def test_the_camera_may_come_in_the_middle_of_a_game() -> None:
    there = plays(SimulatedTable(seed=4, max_turns=9).truth())[-1].position
    table = SimulatedTable(seed=5, max_turns=4, position=there)
    check_truth(table)
    start = table.truth()[1]
    assert isinstance(start, GameStart)
    assert start.position == there
    with pytest.raises(ValueError, match="15 checkers"):
        SimulatedTable(position=replace(there, off=(1, 0)))


def test_a_cloth_covers_the_board_between_turns_and_may_take_a_checker_along() -> None:
    slipped = 0
    for seed in range(9, 17):
        table = SimulatedTable(seed=seed, max_turns=6, size=SMALL, conditions=["covered"])
        covers = [p for p in table._story.presences if isinstance(p, Cover)]
        assert covers
        turns = [(t.t, p.t) for t, p in zip(throws(table.truth()), plays(table.truth()), strict=True)]
        for cover in covers:
            assert cover.end - cover.start > 8
            assert not any(cover.start < end and begun < cover.end for begun, end in turns)
        for before, after in pairwise(table._story.scenes):
            assert before.end == after.start
        lost = [e for e in table.truth() if isinstance(e, Desync)]
        slipped += len(lost)
        assert all(len(e.slots) == 2 for e in lost)
        assert len(lost) == sum(isinstance(e, Resync) for e in table.truth())
        check_truth(table)
    assert slipped
    with table:
        free, covered = (
            table.picture(round(t * table.fps)) for t in (covers[0].start - 0.1, covers[0].start + 4)
        )
    assert np.abs(free.astype(int) - covered).max(axis=2)[60:200, 60:400].mean() > 20


@pytest.mark.parametrize("game", list(Game))
def test_players_who_change_colours_keep_their_seats(game: Game) -> None:
    table = SimulatedTable(seed=3, game=game, size=SMALL, max_turns=15, conditions=["colours_change"])
    events = table.truth()
    starts = [e for e in events if isinstance(e, GameStart)]
    boards = [e.orientation for e in events if isinstance(e, BoardSeen)]
    assert [e.turned for e in starts] == [False, True, True]
    assert boards == [table.orientation, boards[1], table.orientation]
    assert boards[1] is TURNED[boards[0]]
    ways = dict(zip([e.t for e in starts], boards, strict=True))
    for play in plays(events):
        way = ways[max(t for t in ways if t < play.t)]
        assert play.slots == to_slots(play.position, way)
    # Who throws in the second game sits where the other side has its home in the first.
    for throw in throws(events):
        way = ways[max(t for t in ways if t < throw.t)]
        roll = next(s.action for s in table._story.scenes if s.end == throw.t)
        assert isinstance(roll, Roll)
        assert Seats(game, table.orientation).sign(roll.side) == Seats(game, way).sign(throw.side)
        assert Seats(game, way).sign(throw.side) * roll.cup[1] > 0
    assert replay(events[: events.index(starts[1]) + 1], table.rules).seats == (Side.BLACK, Side.WHITE)
    assert replay(events, table.rules).seats == (Side.WHITE, Side.BLACK)
