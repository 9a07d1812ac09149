"""The whole chain from frames to observations, at the simulated table and on footage."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.events import BoardSeen, Desync, Event, PlayMade, Throw
from engine.layout import start_layouts
from engine.observation import Box, Observation
from engine.position import Game
from engine.rules import default_rules
from hardware.camera import Frame, Image
from hardware.table import SimulatedTable
from vision.checkers import read_checkers
from vision.dice import DiceReader
from vision.hands import Cover, Watch
from vision.motion import Motion
from vision.reader import BoardReader
from vision.slots import read_board

SIZE = (960, 540)


def watch(reader: BoardReader, table: SimulatedTable, most: int | None = None) -> Iterator[Observation]:
    with table:
        frames = iter(table.read, None)
        for frame in itertools.islice(frames, most):
            yield reader.read(frame)


def first_frames(table: SimulatedTable, many: int) -> list[Frame]:
    with table:
        return list(itertools.islice(iter(table.read, None), many))


def corners_of(events: tuple[Event, ...]) -> tuple[tuple[float, float], ...]:
    return next(e.corners for e in events if isinstance(e, BoardSeen))


@pytest.mark.parametrize(("game", "style"), [(Game.BACKGAMMON, "wood"), (Game.LONG_NARDY, "felt")])
def test_boards_and_dice_of_a_match_are_read(game: Game, style: str) -> None:
    table = SimulatedTable(seed=4, game=game, style=style, size=SIZE, max_turns=3)
    truth = table.truth()
    seen = list(watch(BoardReader(), table))
    assert seen[3].board is not None
    error = np.abs(np.array(seen[3].board.corners) - corners_of(truth)).max()
    assert error < 0.01 * SIZE[0]
    plays = [e for e in truth if isinstance(e, PlayMade)]
    throws = [e for e in truth if isinstance(e, Throw)]
    ends = [e.t for e in throws[1:]] + [seen[-1].t]
    for play, end in zip(plays, ends, strict=True):
        still = [o for o in seen if play.t <= o.t < end and o.still and not o.hands]
        for slot, count in zip(still[-1].slots, play.slots, strict=True):
            # From above a stack of six looks much like one of seven: its reading is a distribution.
            assert slot.best == count or (abs(count) > 5 and slot.probability(count) > 0.1)
    for throw, play in zip(throws, plays, strict=True):
        lying = [o for o in seen if throw.t <= o.t < play.t and len(o.dice) == 2 and o.still]
        assert sorted(die.value for die in lying[0].dice) == sorted(throw.dice)
    assert any(o.hands for o in seen)
    assert any(o.cup_over_board for o in seen)
    assert not any(len(o.dice) > 2 for o in seen)


@pytest.mark.parametrize("fps", [10.0, 5.0])
def test_a_board_that_came_to_rest_is_read_in_turns_where_frames_are_dense(
    fps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots: list[int] = []  # how many were read, one number a frame that read any
    work: list[str] = []  # of one frame
    plain_dice = DiceReader.read

    def read_slots(*args: Any, visible: NDArray[np.bool_]) -> Any:
        work.append("slots")
        slots.append(int(visible.sum()))
        return read_board(*args, visible=visible)

    def read_dice(*args: Any, **more: Any) -> Any:
        work.append("dice")
        return plain_dice(*args, **more)

    monkeypatch.setattr("vision.reader.read_board", read_slots)
    monkeypatch.setattr(DiceReader, "read", read_dice)
    table = SimulatedTable(seed=4, size=SIZE, max_turns=2, fps=fps)
    eyes = BoardReader(corners=corners_of(table.truth()))
    both, rests, was_still = 0, 0, True
    with table:
        for frame in iter(table.read, None):
            work.clear()
            seen = eyes.read(frame)
            both += len(set(work)) == 2 and seen.seq > 3
            rests += seen.still and not was_still
            was_still = seen.still
    assert rests > 3
    if fps == 10:
        assert max(slots[3:]) <= 12
        assert both == 0
    else:
        assert max(slots[3:]) > 12
        assert both >= rests


def test_given_corners_win() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    corners = [(x + 2.0, y - 1.0) for x, y in corners_of(table.truth())]
    seen = list(watch(BoardReader(corners=corners), table, 2))
    assert seen[-1].board is not None
    assert np.allclose(seen[-1].board.corners, corners, atol=0.1)


def test_a_hand_hides_slots_and_they_keep_what_was_read() -> None:
    table = SimulatedTable(seed=1, size=SIZE, max_turns=1)
    seen = [o for o in watch(BoardReader(corners=corners_of(table.truth())), table) if o.slots]
    start = start_layouts(Game.BACKGAMMON)[table.orientation]
    hidden = [o for o in seen if o.hands and any(not slot.visible for slot in o.slots)]
    assert hidden
    early = hidden[0]
    assert any(slot.visible for slot in early.slots), "a hand hides only what it covers"
    assert all(slot.best == n for slot, n in zip(early.slots, start, strict=True) if not slot.visible)


def test_no_board_then_a_board() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    reader = BoardReader()
    nothing: Image = np.full_like(frame.image, 128)
    early = reader.read(Frame(nothing, 0.0, 0))
    assert early.board is None
    assert early.slots == ()
    assert early.warnings
    later = [reader.read(Frame(frame.image, 1.0 + i / 10, 1 + i)) for i in range(8)]
    assert later[-1].board is not None
    assert later[-1].still


def test_a_nudged_camera_is_followed_and_told() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    reader = BoardReader(corners=corners_of(table.truth()))
    for i in range(10):
        before = reader.read(Frame(frame.image, i / 10, i))
    shift = np.array([[1, 0, 7], [0, 1, -5]], np.float64)
    nudged = cv2.warpAffine(frame.image, shift, SIZE, borderMode=cv2.BORDER_REPLICATE)
    after = [reader.read(Frame(np.asarray(nudged, np.uint8), 1.0 + i / 10, 10 + i)) for i in range(30)]
    assert before.board is not None
    assert after[-1].board is not None
    moved = np.array(after[-1].board.corners) - np.array(before.board.corners)
    assert np.abs(moved - (7, -5)).max() < 2.5
    assert any("moved" in warning for o in after for warning in o.warnings)
    assert tuple(s.best for s in after[-1].slots) == start_layouts(Game.BACKGAMMON)[table.orientation]


def test_a_camera_that_was_knocked_aside_sees_the_board_again_within_a_second() -> None:
    table = SimulatedTable(seed=31, style="cork", size=SIZE, max_turns=2, conditions=["bumped_camera"])
    jolt = [e for e in table.truth() if isinstance(e, BoardSeen)][1]
    reader = BoardReader()
    with table:
        seen = [
            reader.read(frame)
            for frame in iter(table.read, None)
            if frame.t < 1 or jolt.t - 0.5 < frame.t < jolt.t + 1.3
        ]
    last = seen[-1]
    assert last.board is not None
    assert np.abs(np.array(last.board.corners) - jolt.corners).max() < 3
    lost = [o for o in seen if o.t > jolt.t and not any(slot.visible for slot in o.slots)]
    assert 0 < len(lost) <= 10


@pytest.mark.parametrize("seed", [1, 2, 3])  # a black, a red and a brown cup
def test_a_cup_is_seen_while_it_is_over_the_board_and_none_in_a_hand_that_moves_checkers(seed: int) -> None:
    table = SimulatedTable(seed=seed, size=SIZE, max_turns=1)
    throw = next(e for e in table.truth() if isinstance(e, Throw))
    with_cup = [o for o in watch(BoardReader(), table) if o.cup_over_board]
    assert len(with_cup) >= 2
    assert all(throw.t - 2 < o.t < throw.t for o in with_cup)


@pytest.mark.parametrize("style", ["wood", "felt"])
def test_a_bare_hand_that_moves_checkers_or_throws_is_no_cup(style: str) -> None:
    rules = replace(default_rules(Game.BACKGAMMON), dice_from="cup_required")
    faults = ["not_from_cup"]
    table = SimulatedTable(seed=403, style=style, size=SIZE, max_turns=2, rules=rules, faults=faults)
    first, by_hand, last = [e for e in table.truth() if isinstance(e, Throw)]
    assert (first.faults, by_hand.faults, last.faults) == ((), ("not_from_cup",), ())
    seen = list(watch(BoardReader(), table, round(10 * last.t)))
    bare = [o for o in seen if first.t < o.t < by_hand.t and o.hands]
    assert len([o for o in bare if o.t > by_hand.t - 1.4]) >= 4, "the hand that throws"
    assert not any(o.cup_over_board for o in bare)
    assert sum(o.cup_over_board for o in seen if o.t > by_hand.t) >= 2


def test_a_cup_is_seen_where_the_arm_passes_for_a_shadow(monkeypatch: pytest.MonkeyPatch) -> None:
    cover = Watch.cover

    def no_hand(watch: Watch, small: Image, motion: Motion) -> Cover:
        return replace(cover(watch, small, motion), hands=())

    monkeypatch.setattr(Watch, "cover", no_hand)
    table = SimulatedTable(seed=1, size=SIZE, max_turns=1)
    throw = next(e for e in table.truth() if isinstance(e, Throw))
    seen = list(watch(BoardReader(), table, round(10 * throw.t) + 3))
    assert sum(o.cup_over_board for o in seen) >= 2
    assert not seen[-1].cup_over_board


def test_a_cup_that_stands_there_is_in_no_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    table = SimulatedTable(seed=1, size=SIZE, max_turns=1)
    looks = []

    def corner(image: Image, checker: float) -> tuple[Box, ...]:
        looks.append(checker)
        return ((0.0, 0.0, SIZE[0] / 4, SIZE[1] / 4),)

    monkeypatch.setattr("vision.reader.cups", corner)
    seen = list(watch(BoardReader(), table))
    assert len(looks) > 5
    assert not any(o.cup_over_board for o in seen)


@pytest.mark.parametrize(("deep", "over"), [(0.0, False), (0.2, True)])
def test_a_cup_may_hide_what_looks_like_it(deep: float, over: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A black cup over black checkers: little but the fingers that hold it differs from the board."""
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    corners = np.array(corners_of(table.truth()))
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    width, height = right - left, bottom - top
    cup = (left + 0.3 * width, bottom - 0.4 * height, left + 0.45 * width, bottom)
    monkeypatch.setattr("vision.reader.cups", lambda image, checker: (cup,))
    pictures = [frame.image] * 10
    for x in (0.32, 0.36, 0.4, 0.36, 0.32):
        held, tip = frame.image.copy(), (int(left + x * width), int(bottom + 18 - deep * height))
        cv2.line(held, (tip[0], SIZE[1]), tip, (150, 175, 225), 36)
        pictures.append(held)
    reader = BoardReader(corners=corners_of(table.truth()))
    seen = [reader.read(Frame(picture, i / 10, i)) for i, picture in enumerate(pictures)]
    assert any(o.cup_over_board for o in seen) is over


def test_a_match_joined_midway_is_learnt_from_what_stands_there() -> None:
    table = SimulatedTable(seed=1, size=SIZE, max_turns=2)
    truth = table.truth()
    last = [e for e in truth if isinstance(e, PlayMade)][-1]
    with table:
        frames = [f for f in iter(table.read, None) if f.t >= last.t]
    reader = BoardReader(corners=corners_of(truth), expected=last.slots)
    seen = [reader.read(frame) for frame in frames]
    assert tuple(s.best for s in seen[-1].slots) == last.slots


def test_a_camera_that_starts_anew_is_read_anew() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    reader = BoardReader(corners=corners_of(table.truth()))
    for i in range(5):
        reader.read(Frame(frame.image, 50 + i / 10, i))
    again = [reader.read(Frame(frame.image, i / 10, i)) for i in range(6)]
    assert again[-1].board is not None
    assert again[-1].still


def test_a_hand_that_lay_there_from_the_start_leaves_no_ghost() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    x, y = np.array(corners_of(table.truth())).mean(axis=0).astype(int)
    hand = frame.image.copy()
    cv2.line(hand, (x, SIZE[1]), (x, y), (150, 175, 225), 50)
    reader = BoardReader(corners=corners_of(table.truth()))
    for i in range(10):
        reader.read(Frame(hand, i / 10, i))
    seen = [reader.read(Frame(frame.image, 1 + i, 10 + i)) for i in range(40)]
    assert not seen[-1].hands
    assert all(slot.visible for slot in seen[-1].slots)


def test_a_hand_may_rest_for_long_and_stays_a_hand() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    x, y = np.array(corners_of(table.truth())).mean(axis=0).astype(int)
    hand = frame.image.copy()
    cv2.line(hand, (x - 60, SIZE[1]), (x - 60, y), (150, 175, 225), 50)
    reader = BoardReader(corners=corners_of(table.truth()))
    for i in range(10):
        reader.read(Frame(frame.image, i / 10, i))
    seen = [reader.read(Frame(hand, 1 + i / 5, 10 + i)) for i in range(100)]
    assert all(o.hands for o in seen[1:])
    assert sum(slot.visible for slot in seen[-1].slots) >= 18
    assert seen[-1].still


@pytest.mark.parametrize(("shift", "still"), [(2, True), (30, False)])
def test_a_board_is_still_beside_a_hand_that_rests_though_that_twitches(shift: int, still: bool) -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    _, (x, y), *_ = np.array(corners_of(table.truth())).astype(int)
    hands = []
    for tip in (0, shift):
        hands.append(frame.image.copy())
        cv2.line(hands[-1], (x - 150, 0), (x - 150, y + 10 + tip), (150, 175, 225), 50)
    reader = BoardReader(corners=corners_of(table.truth()))
    shown = [frame.image] * 10 + hands * 15
    seen = [reader.read(Frame(picture, i / 10, i)) for i, picture in enumerate(shown)]
    assert all(o.hands for o in seen[-10:])
    assert [o.still for o in seen[-10:]] == [still] * 10


def test_a_lamp_is_switched_on() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    reader = BoardReader(corners=corners_of(table.truth()))
    for i in range(10):
        reader.read(Frame(frame.image, i / 10, i))
    warm = np.clip(frame.image * np.array([0.75, 1.0, 1.25]) + 12, 0, 255).astype(np.uint8)
    seen = [reader.read(Frame(warm, 1 + i / 10, 10 + i)) for i in range(25)]
    assert not seen[-1].hands
    assert seen[-1].still
    start = start_layouts(Game.BACKGAMMON)[table.orientation]
    for slot, count in zip(seen[-1].slots, start, strict=True):
        assert slot.best == count or (abs(count) == 5 and slot.probability(count) > 0.1)


def test_a_board_that_goes_out_of_view_is_found_again() -> None:
    table = SimulatedTable(seed=1, size=SIZE)
    frame = first_frames(table, 1)[0]
    reader = BoardReader()
    for i in range(10):
        reader.read(Frame(frame.image, i / 10, i))
    noise = np.random.default_rng(1).normal(90, 3, frame.image.shape).astype(np.uint8)
    away = [reader.read(Frame(noise, 1 + i / 10, 10 + i)) for i in range(30)]
    assert away[-1].board is None
    assert away[-1].slots == ()
    assert any("out of view" in warning for o in away for warning in o.warnings)
    back = [reader.read(Frame(frame.image, 4 + i / 5, 40 + i)) for i in range(15)]
    assert back[-1].board is not None
    assert back[-1].still
    assert not back[-1].hands


def test_a_cloth_that_is_drawn_off_the_board_is_waited_for() -> None:
    """A board that is found again while half of the cloth lies on it would have a ghost for ever."""
    table = SimulatedTable(seed=11, size=SIZE, style="felt", pose="off", max_turns=4, conditions=["covered"])
    lost = next(e for e in table.truth() if isinstance(e, Desync))  # told when the cloth has gone
    stands = [e for e in table.truth() if isinstance(e, PlayMade) and e.t < lost.t][-1]
    reader = BoardReader()
    with table:
        times = [k / table.fps for k in range(12)]
        times += [t / table.fps for t in range(round(10 * stands.t), round(10 * lost.t + 60))]
        pictures = (Frame(table.picture(round(t * table.fps)), t, round(t * table.fps)) for t in times)
        seen = [reader.read(frame) for frame in pictures]
    covered = [o for o in seen if lost.t - 7 < o.t < lost.t - 2]
    assert not any(slot.visible for o in covered for slot in o.slots)
    back = [o for o in seen if lost.t + 6 > o.t > lost.t + 5]
    assert all(o.slots and not o.hands and not o.cup_over_board for o in back)
    for slot, count in zip(back[-1].slots, stands.slots, strict=True):
        assert slot.best == count or (abs(count) > 4 and slot.probability(count) > 0.1)


def test_a_board_that_no_start_was_seen_of_is_learnt_when_nobody_reaches_over_it() -> None:
    there = next(e for e in reversed(SimulatedTable(seed=2, max_turns=12).truth()) if isinstance(e, PlayMade))
    table = SimulatedTable(seed=5, size=SIZE, max_turns=3, position=there.position)
    seen = [o for o in watch(BoardReader(), table) if o.slots]
    quiet = [o for o in seen if o.still and not o.hands]
    assert len(quiet) > 0.2 * len(seen)
    assert all(slot.visible for o in quiet[2:] for slot in o.slots)


def test_a_board_is_followed_when_all_checkers_have_left_their_first_places() -> None:
    table = SimulatedTable(seed=2, game=Game.LONG_NARDY, style="felt", size=SIZE)
    lifted = [round((e.t + 0.6) * table.fps) for e in table.truth() if isinstance(e, PlayMade)]
    reader = BoardReader()
    with table:
        pictures = [table.picture(seq) for seq in (0, *lifted[9::12])]
    shown = itertools.chain.from_iterable([picture] * 8 for picture in pictures)
    seen = [reader.read(Frame(picture, i / 5, i)) for i, picture in enumerate(shown)]
    assert all(o.board is not None for o in seen[8:])
    assert not any(o.warnings for o in seen[8:])


@pytest.mark.parametrize("conditions", [(), ("quick_lift",)])
def test_dice_are_read_as_soon_as_they_lie_and_from_then_on(conditions: tuple[str, ...]) -> None:
    table = SimulatedTable(seed=32, style="cork", pose="off", size=SIZE, max_turns=3, conditions=conditions)
    lay = [(still, e) for e, still in zip(table.truth(), table.stills(), strict=True) if isinstance(e, Throw)]
    seen = list(watch(BoardReader(corners=corners_of(table.truth())), table))
    assert len(lay) == 3
    for still, throw in lay:
        soon = [o for o in seen if still + 0.2 <= o.t <= still + 0.35]
        assert soon
        for o in soon:
            assert sorted(die.value for die in o.dice) == sorted(throw.dice)
            for die in o.dice:
                assert die.since is not None
                assert still - 0.3 <= die.since <= still + 0.1


def test_a_die_that_lay_beside_the_board_from_the_beginning_says_so() -> None:
    table = SimulatedTable(seed=31, style="leather", size=SIZE, max_turns=2, conditions=("extras",))
    first, *seen = watch(BoardReader(corners=corners_of(table.truth())), table)
    aside = [die for o in seen for die in o.dice if die.state == "off_board"]
    assert len(aside) > 0.9 * len(seen)
    assert {die.since for die in aside} == {first.t}


def lying_dice() -> tuple[list[Image], Observation]:
    """A set-up board without and with dice that were thrown, and what was read of the latter."""
    table = SimulatedTable(seed=1, size=SIZE, max_turns=1)
    still = next(s for e, s in zip(table.truth(), table.stills(), strict=True) if isinstance(e, Throw))
    with table:
        pictures = [table.picture(0), table.picture(round((still + 0.4) * table.fps))]
    reader = BoardReader(corners=corners_of(table.truth()))
    for i in range(16):
        seen = reader.read(Frame(pictures[i >= 8], i / 10, i))
    assert len(seen.dice) == 2
    return pictures, seen


def test_a_hand_over_a_die_is_movement_there_and_a_speck_is_none() -> None:
    (empty, lying), before = lying_dice()
    reader = BoardReader()
    x0, y0, _, _ = (round(v) for v in before.dice[0].box)
    x, y = x0 + 8, y0 + 8
    speck, hand = lying.copy(), lying.copy()
    cv2.rectangle(speck, (x0, y0), (x0 + 4, y0 + 4), (255, 255, 255), -1)
    cv2.line(hand, (x, SIZE[1]), (x, y), (150, 175, 225), 50)
    shown = [empty] * 8 + [lying] * 6 + [speck] * 4 + [hand] * 2 + [lying] * 6
    seen = [reader.read(Frame(picture, i / 10, i)) for i, picture in enumerate(shown)]

    def since(o: Observation) -> float | None:
        near = (die for die in o.dice if abs(die.box[0] - x0) < 5 and abs(die.box[1] - y0) < 5)
        return next((die.since for die in near), None)

    assert since(seen[10]) == since(seen[13]) == since(seen[17]) == 0.8
    assert since(seen[19]) is None, "under a hand no die is read"
    assert since(seen[25]) == 2.0


def test_the_network_is_asked_where_a_lamp_hides_a_checker() -> None:
    table = SimulatedTable(seed=33, style="wood", pose="oblique", conditions=("glare",), max_turns=1)
    start = start_layouts(Game.BACKGAMMON)[table.orientation]
    last = list(watch(BoardReader(corners=corners_of(table.truth())), table, 14))[-1]
    assert [slot.best for slot in last.slots] == list(start)
    assert min(slot.confidence for slot in last.slots) > 0.8


def test_the_network_is_asked_once_a_change_and_in_frames_that_read_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work: list[str] = []
    plain_dice, plain_network = DiceReader.read, read_checkers

    def noted(name: str, function: Any) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            work.append(name)
            return function(*args, **more)

        return call

    monkeypatch.setattr("vision.reader.read_board", noted("slots", read_board))
    monkeypatch.setattr("vision.reader.read_checkers", noted("network", plain_network))
    monkeypatch.setattr(DiceReader, "read", noted("dice", plain_dice))
    table = SimulatedTable(seed=4, size=SIZE, max_turns=1)
    eyes = BoardReader(corners=corners_of(table.truth()))
    asked = []
    with table:
        for frame in iter(table.read, None):
            work.clear()
            eyes.read(frame)
            assert len(set(work)) <= 1 or frame.seq < 3
            asked += ["network"] if "network" in work else []
        rest = [eyes.read(Frame(frame.image, frame.t + 0.1 * i, frame.seq + i)) for i in range(1, 30)]
    assert 2 <= len(asked) <= 8
    assert work.count("network") <= 1
    assert rest[-1].still
