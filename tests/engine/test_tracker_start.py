"""Boards that are not set up as they should be, games that were under way when the camera came, pauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.corrections import replay
from engine.events import BoardSeen, Desync, Event, GameEnd, GameStart, Resync
from engine.layout import Orientation, slot_of
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from engine.tracker_seats import home_of
from tests.engine.seen import BOARD, CLEAR, NOISY, Noise, Played, Table
from tests.engine.test_tracker import plain, told

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)
WHITE, BLACK = Side.WHITE, Side.BLACK
START = Position.start(Game.BACKGAMMON)


def changed(*points: tuple[int, int]) -> Position:
    """The start of backgammon with other signed counts on some of White's points."""
    board = list(START.points)
    for point, count in points:
        board[point - 1] = count
    off = tuple(15 - sum(max(0, n * sign) for n in board) for sign in (1, -1))
    return Position(tuple(board), (0, 0), (max(0, off[0]), max(0, off[1])))


def mirrored() -> Position:
    """White's side set up the other way round."""
    board = [min(0, n) for n in START.points]
    for point, count in ((13, 2), (24, 5), (5, 3), (7, 5)):
        board[point - 1] = count
    return Position(tuple(board))


def watch(table: Table, tracker: Tracker) -> list[Event]:
    events = [event for seen in table.seen for event in tracker.observe(seen)] + list(tracker.finish())
    replay(events, table.rules)
    return events


WRONG = {
    "a checker too few": (changed((8, 2)), "point 8 has 2 white instead of 3 white"),
    "one on the next point": (
        changed((8, 2), (9, 1)),
        "point 8 has 2 white instead of 3 white and point 9 has 1 white instead of none",
    ),
    "two points exchanged": (
        changed((6, 3), (8, 5)),
        "point 6 has 3 white instead of 5 white and point 8 has 5 white instead of 3 white",
    ),
    "another colour": (changed((1, 2)), "point 1 has 2 white instead of 2 black"),
    "one side mirrored": (mirrored(), "2 more are wrong"),
}


@pytest.mark.parametrize("noise", [CLEAR, NOISY], ids=["clear", "noisy"])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_set_up_is_told_once_and_the_game_begins_when_it_is_put_right(
    wrong: str, noise: Noise
) -> None:
    position, words = WRONG[wrong]
    table = Table(SHORT, seed=2, noise=noise)
    table.position = position
    table.rest(12.0)
    table.put(START)
    table.rest(1.0)
    table.turn(WHITE)
    table.turn(BLACK)
    events = watch(table, Tracker())
    assert [e.type for e in events[:3]] == ["desync", "board", "game_start"]
    assert isinstance(events[0], Desync)
    assert 3.0 <= events[0].t < 5.0
    assert words in events[0].reason
    assert plain(told(events)) == plain(table.truth)
    begun = events[2]
    assert isinstance(begun, GameStart)
    assert begun.position == START


def test_the_slots_of_a_wrong_set_up_are_those_of_the_picture() -> None:
    table = Table(SHORT, orientation=Orientation.TOP_LEFT, white_is_light=False)
    table.position = changed((8, 2))
    table.rest(5.0)
    (event,) = watch(table, Tracker(white_is_light=False))
    assert isinstance(event, Desync)
    assert event.slots == (7,)


def test_both_heads_on_one_side_are_a_wrong_set_up_of_nardy() -> None:
    table = Table(LONG, seed=2)
    board = list(Position.start(Game.LONG_NARDY).points)
    board[0], board[11] = board[11], 0
    table.position = Position(tuple(board))
    table.rest(5.0)
    (event,) = watch(table, Tracker())
    assert isinstance(event, Desync)
    assert "point 1 has 15 black instead of none and point 12 has none instead of 15 black" in event.reason


def test_hands_that_set_up_a_board_raise_no_alarm() -> None:
    """Nor does a board half of which is set up, nor one on which a checker is put down late."""
    table = Table(SHORT, seed=2)
    table.position = Position(tuple(max(0, n) for n in START.points), (0, 0), (0, 15))
    table.rest(6.0)
    for late in (changed((8, 1)), changed((8, 2)), changed((6, 4))):
        table.put(late)
        table.rest(2.0)
    table.put(START)
    table.rest(1.0)
    assert [e.type for e in watch(table, Tracker())] == ["board", "game_start"]


def test_a_point_that_is_read_badly_raises_no_alarm() -> None:
    """It may show anything."""
    table = Table(SHORT, seed=2, noise=Noise(slot_wrong=0.5))
    table.position = changed((8, 2), (9, 1))
    table.rest(8.0)
    assert watch(table, Tracker()) == []


@pytest.mark.parametrize("name", ["a checker too few", "two points exchanged"])
@pytest.mark.parametrize("first", list(Side))
def test_a_game_that_is_played_from_a_wrong_set_up_goes_on_from_it(name: str, first: Side) -> None:
    table = Table(SHORT, seed=5)
    table.position = WRONG[name][0]
    table.rest(5.0)
    begun = table.position
    for turn in range(4):
        table.turn(first if turn % 2 == 0 else first.other)
    events = watch(table, Tracker())
    assert [e.type for e in events[:3]] == ["desync", "board", "game_start"]
    assert isinstance(events[2], GameStart)
    assert events[2].position == begun
    assert plain(told(events)) == plain(table.truth)


def test_a_wrong_set_up_of_the_next_game_is_told_too() -> None:
    table = Table(SHORT, seed=5)
    table.rest(1.0)
    table.turn(WHITE)
    table.put(changed((8, 2)))
    table.rest(5.0)
    table.put(START)
    table.rest(1.0)
    over: list[Event] = [
        GameStart(t=0, rules=SHORT, position=START),
        GameEnd(t=0, winner=WHITE, result="resigned", points=1),
    ]
    later = [s for s in table.seen if s.t > 5.5]
    tracker = Tracker.resume(over, SHORT)
    events = [e for seen in later for e in tracker.observe(seen)]
    assert [e.type for e in events if not isinstance(e, BoardSeen)] == ["desync", "game_start"]


def joined(rules: RuleSet, turns: int, seed: int, orientation: Orientation) -> tuple[Table, Position]:
    """A table that the camera sees from the middle of a game on."""
    table = Table(rules, seed=seed, orientation=orientation, white_is_light=True)
    side = WHITE
    for _ in range(turns):
        dice = table.roll()
        table.position = table.legal(side, dice).after
        side = side.other
    begun = table.position
    table.rest(3.0)
    for _ in range(6):
        table.turn(side)
        side = side.other
    return table, begun


@pytest.mark.parametrize(("turns", "orientation"), list(zip([1, 5, 20, 31], Orientation, strict=True)))
@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
def test_a_game_is_joined_in_the_middle(rules: RuleSet, orientation: Orientation, turns: int) -> None:
    table, begun = joined(rules, turns, 7, orientation)
    events = watch(table, Tracker(rules))
    board, start, *rest = events
    assert isinstance(board, BoardSeen)
    assert board.orientation is orientation
    assert isinstance(start, GameStart)
    assert start.position == begun
    assert start.side_to_move is None
    assert plain(told(rest)) == plain(table.truth)


@pytest.mark.parametrize("turns", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
def test_nothing_is_told_of_a_game_that_merely_stands(rules: RuleSet, seed: int, turns: int) -> None:
    """Early in a game the board is much as at the start, but no one has set it up wrong."""
    table = Table(rules, seed=seed)
    for turn in range(turns):
        table.position = table.legal(list(Side)[turn % 2], table.roll()).after
    table.rest(8)
    assert watch(table, Tracker(rules)) == []


def test_which_game_it_is_is_told_by_its_plays_too() -> None:
    for rules in (SHORT, LONG):
        table, begun = joined(rules, 6, 3, Orientation.BOTTOM_RIGHT)
        events = watch(table, Tracker())
        assert isinstance(events[1], GameStart)
        assert (events[1].rules.game, events[1].position) == (rules.game, begun)


# -- pauses ------------------------------------------------------------------------------------


def cover(table: Table, seconds: float, blind: bool) -> None:
    """A cloth over the whole board, under which the eyes lose it after a second if they are ``blind``."""
    begun = len(table.seen)
    table.hand(1.0, range(24), over_dice=True)
    for _ in range(round(seconds * table.fps)):
        table.frame(hands=[(100.0, 80.0, 1180.0, 640.0)], hidden=range(24), hide_dice=True)
    table.hand(1.0, range(24), over_dice=True)
    if blind:
        later = table.seen[begun + round(table.fps) :]
        table.seen[begun + round(table.fps) :] = [replace(s, slots=(), board=None, hands=()) for s in later]


blindness = pytest.mark.parametrize("blind", [False, True], ids=["seen as covered", "out of view"])


@blindness
@pytest.mark.parametrize("when", ["between turns", "dice lying", "amid a play"])
@pytest.mark.parametrize("noise", [CLEAR, NOISY], ids=["clear", "noisy"])
def test_the_game_goes_on_after_a_pause_as_if_there_had_been_none(
    blind: bool, when: str, noise: Noise
) -> None:
    table = Table(SHORT, seed=6, noise=noise)
    table.rest(1.0)
    table.turn(WHITE, (3, 1))
    if when == "between turns":
        cover(table, 30.0, blind)
        table.turn(BLACK, (6, 3))
    else:
        table.throw(BLACK, (6, 3))
        play = table.legal(BLACK, (6, 3))
        first, *others = play.moves
        if when == "amid a play":
            table.move(BLACK, first)
        else:
            others.insert(0, first)
        cover(table, 30.0, blind)
        table.rest(1.0)
        for move in others:
            table.move(BLACK, move)
        table.truth.append(Played(BLACK, play.after, True))
        table.lift()
    table.turn(WHITE)
    events = watch(table, Tracker())
    assert plain(told(events)) == plain(table.truth)
    assert {e.type for e in events} == {"board", "game_start", "throw", "play"}


@blindness
@pytest.mark.parametrize("back", [True, False], ids=["put back", "left so"])
def test_a_checker_that_a_cloth_took_along_is_told(blind: bool, back: bool) -> None:
    table = Table(SHORT, seed=6)
    table.rest(1.0)
    table.turn(WHITE, (3, 1))
    before = table.position
    cover(table, 20.0, blind)
    points = list(before.points)
    point = next(i for i in range(23) if points[i] < 0 and points[i + 1] <= 0)
    points[point], points[point + 1] = points[point] + 1, points[point + 1] - 1
    table.position = replace(before, points=tuple(points))
    uncovered = table.t
    table.rest(3.5)
    if back:
        table.put(before)
    table.rest(6.0)
    table.turn(BLACK)
    table.turn(WHITE)
    events = watch(table, Tracker())
    assert plain(told(events)) == plain(table.truth)
    lost, found = [e for e in events if isinstance(e, Desync | Resync)]
    assert isinstance(lost, Desync)
    assert isinstance(found, Resync)
    assert uncovered + 1.5 < lost.t < uncovered + 3.5
    assert lost.slots == tuple(sorted(slot_of(table.orientation, i) for i in (point, point + 1)))
    assert found.position == (None if back else replace(before, points=tuple(points)))


@blindness
def test_a_new_game_may_follow_a_pause(blind: bool) -> None:
    table = Table(SHORT, seed=6)
    table.rest(1.0)
    for side in (WHITE, BLACK, WHITE, BLACK):
        table.turn(side)
    cover(table, 20.0, blind)
    table.position = START
    table.rest(2.0)
    table.turn(BLACK)
    events = watch(table, Tracker())
    assert plain(told(events)) == plain(table.truth)
    turn = ["throw", "play"]
    assert [e.type for e in events] == ["board", "game_start", *turn * 4, "game_start", *turn]


# -- the next game ------------------------------------------------------------------------------


@pytest.mark.parametrize("over", [True, False], ids=["played out", "given up"])
@pytest.mark.parametrize("then", list(Orientation))
@pytest.mark.parametrize("first", [Orientation.BOTTOM_RIGHT, Orientation.TOP_RIGHT])
def test_the_next_game_may_lie_any_way_round(over: bool, first: Orientation, then: Orientation) -> None:
    """Players keep their seats: where White's home has changed sides, they have changed colours (G9)."""
    table = Table(SHORT, seed=6, orientation=first)
    if over:  # White has two checkers left
        points = [2, *(0,) * 22, -3]
        table.position = Position(tuple(points), (0, 0), (13, 12))
        begun: list[Event] = [
            BoardSeen(t=0, corners=BOARD.corners, orientation=first, confidence=1),
            GameStart(t=0, rules=SHORT, position=table.position, side_to_move=WHITE),
        ]
        tracker = Tracker.resume(begun, SHORT)
    else:
        begun, tracker = [], Tracker(SHORT)
    table.rest(1.5)
    table.turn(WHITE, (6, 4))
    for side in () if over else (BLACK, WHITE, BLACK):
        table.turn(side)
    table.rest(1.0)
    table.hand(2.0, range(24))
    table.position, table.orientation = START, then
    table.rest(2.0)
    for side in (BLACK, WHITE, BLACK):
        table.turn(side)
    events = [*begun, *(e for seen in table.seen for e in tracker.observe(seen)), *tracker.finish()]
    assert plain(told(events)) == plain(table.truth)
    assert any(isinstance(e, GameEnd) for e in events) == over
    assert {e.type for e in events} <= {"board", "game_start", "throw", "play", "game_end"}
    *_, start = (e for e in events if isinstance(e, GameStart))
    turned = home_of(WHITE, first) != home_of(WHITE, then)
    assert start.turned == turned
    match = replay(events, SHORT)
    assert match.seats == ((BLACK, WHITE) if turned else (WHITE, BLACK))
    assert tracker.believed.orientation is then
    # What White has won in the first game is the first player's, whichever colour he has now.
    assert match.by_seat(match.score) == ((1, 0) if over else (0, 0))


def test_a_board_that_is_turned_before_anybody_has_played_changes_nobody() -> None:
    table = Table(SHORT, seed=6)
    table.rest(1.5)
    table.hand(2.0, range(24))
    table.orientation = Orientation.TOP_LEFT
    table.rest(2.0)
    starts = [e for e in watch(table, Tracker()) if isinstance(e, GameStart)]
    assert [e.turned for e in starts] == [False, False]


def test_the_next_game_that_is_set_up_wrong_and_turned_is_joined_as_such() -> None:
    table = Table(SHORT, seed=6)
    table.rest(1.0)
    table.turn(WHITE, (3, 1))
    before = Tracker()
    events = [event for seen in table.seen for event in before.observe(seen)]
    ended = GameEnd(t=table.t, winner=WHITE, result="resigned", points=1)
    tracker = Tracker.resume([*events, ended], SHORT)
    later = Table(SHORT, seed=9, orientation=Orientation.TOP_LEFT)
    later.t = table.t + 5
    later.position = changed((8, 2))
    later.rest(5.0)
    for side in (WHITE, BLACK):
        later.turn(side)
    found = [e for seen in later.seen for e in tracker.observe(seen)]
    start = next(e for e in found if isinstance(e, GameStart))
    assert (start.turned, start.position) == (True, changed((8, 2)))
    assert plain(told(found)) == plain(later.truth)
