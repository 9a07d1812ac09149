"""The tracker against games whose truth is known, at the level of observations."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corrections import replay
from engine.events import (
    BoardSeen,
    Desync,
    Dice,
    Doubt,
    Event,
    Fault,
    GameEnd,
    GameStart,
    PlayMade,
    Resync,
    RollOff,
    Throw,
    dumps,
    loads,
)
from engine.judge import judge_play
from engine.layout import Orientation, to_slots
from engine.legal import legal_plays
from engine.notation import Move
from engine.observation import DieState, Observation, SlotReading
from engine.position import Game, Position, Side
from engine.rules import Direction, RuleSet, default_rules
from engine.scoring import game_result
from engine.tracker import Tracker
from engine.tracker_picture import Picture
from tests.engine.seen import CLEAR, HAND, NOISY, Die, Noise, Played, Table, Thrown

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)
RIGHT_HALF = replace(SHORT, throw_half="right_half")
WHITE, BLACK = Side.WHITE, Side.BLACK


def watch(table: Table, tracker: Tracker | None = None, start: int = 0) -> list[Event]:
    """All events of a table's observations, the end included."""
    tracker = tracker or Tracker(white_is_light=table.white_is_light)
    events: list[Event] = []
    for seen in table.seen[start:]:
        events += tracker.observe(seen)
    return [*events, *tracker.finish()]


def told(events: Iterable[Event]) -> list[Thrown | Played]:
    """Throws and plays of events, in the form of the truth."""
    result: list[Thrown | Played] = []
    for event in events:
        if isinstance(event, Throw):
            result.append(Thrown(event.side, event.dice, event.faults))
        elif isinstance(event, PlayMade):
            result.append(Played(event.side, event.position, event.legal, event.rule))
    return result


def plain(items: Iterable[Thrown | Played]) -> list[Thrown | Played]:
    """The same without the order of two dice."""
    return [replace(i, dice=(max(i.dice), min(i.dice))) if isinstance(i, Thrown) else i for i in items]


def check(table: Table, tracker: Tracker | None = None) -> list[Event]:
    """The events, after seeing that throws and plays are those of the truth."""
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)
    return events


def odd(events: Iterable[Event]) -> list[str]:
    """Types of the events that should not come in a clean game."""
    return [e.type for e in events if isinstance(e, (Doubt, Desync, Resync))]


def begun(rules: RuleSet = SHORT, noise: Noise = CLEAR, fps: float = 10, seed: int = 4) -> Table:
    """A table that has stood set up for a second."""
    table = Table(rules, seed=seed, noise=noise, fps=fps)
    table.rest(1.0)
    return table


noises = pytest.mark.parametrize("noise", [CLEAR, NOISY], ids=["clear", "noisy"])
rates = pytest.mark.parametrize("fps", [10, 5])


# -- whole games -------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", range(6))
def test_a_whole_game_without_noise_is_exactly_the_truth(rules: RuleSet, seed: int) -> None:
    table = Table(
        rules,
        seed=seed,
        fps=5,
        orientation=list(Orientation)[seed % 4],
        white_is_light=seed % 3 != 0,
    )
    table.game(first=list(Side)[seed % 2])
    events = check(table)
    assert odd(events) == []
    assert [type(e) for e in events[:2]] == [BoardSeen, GameStart]
    result = game_result(table.position, rules)
    end = events[-1]
    assert isinstance(end, GameEnd)
    assert result is not None
    assert (end.winner, end.result, end.points) == (result.winner, result.result, result.points)
    replay(events, rules)


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=lambda rules: rules.name)
@pytest.mark.parametrize(("seed", "fps"), [(0, 10), (1, 5)])
def test_a_whole_noisy_game_is_right_with_one_doubt_at_most(rules: RuleSet, seed: int, fps: float) -> None:
    table = Table(rules, seed=seed, fps=fps, noise=NOISY)
    table.game()
    events = check(table)
    assert odd(events) in ([], ["doubt"])
    assert isinstance(events[-1], GameEnd)


@pytest.mark.parametrize(
    ("direction", "orientation", "right"),
    [
        ("ccw", Orientation.BOTTOM_RIGHT, True),
        ("ccw", Orientation.BOTTOM_LEFT, False),
        ("cw", Orientation.BOTTOM_LEFT, True),
        ("cw", Orientation.TOP_LEFT, False),
        ("either", Orientation.BOTTOM_LEFT, True),
    ],
)
def test_long_nardy_is_played_the_way_round_that_the_rules_say(
    direction: Direction, orientation: Orientation, right: bool
) -> None:
    """G4: a board whose heads stand for the other way round is called, once, and no game begins on it."""
    rules = replace(LONG, direction=direction)
    table = Table(rules, orientation=orientation)
    table.rest(2.0)
    tracker = Tracker(rules)
    events = watch(table, tracker)
    if right:
        assert [e.type for e in events] == ["board", "game_start"]
        return
    (event,) = events
    assert isinstance(event, Desync)
    assert "clockwise" in event.reason
    assert len(event.slots) == 2
    assert Tracker.resume(events, rules).believed.phase == "looking for the board"


def test_the_picture_after_a_play_is_in_the_cameras_terms() -> None:
    table = Table(SHORT, seed=1, orientation=Orientation.TOP_LEFT, white_is_light=False)
    table.game(turns=6)
    plays = [e for e in check(table) if isinstance(e, PlayMade)]
    for play in plays:
        assert play.slots == to_slots(play.position, Orientation.TOP_LEFT, white_is_light=False)
        assert play.bar == play.position.bar[::-1]
        assert play.colour == ("dark" if play.side is WHITE else "light")


def test_the_first_throw_may_come_at_once() -> None:
    table = Table(SHORT, seed=4)
    table.frame()
    table.frame()
    table.throw(WHITE, (3, 1), lie=0.3)
    table.play(legal_plays(table.position, WHITE, (3, 1), SHORT)[2])
    table.turn(BLACK)
    check(table)


def test_believed_says_where_the_game_stands() -> None:
    table = begun()
    tracker = Tracker()
    phases: list[str] = [tracker.believed.phase]
    table.turn(WHITE, (3, 1))
    for seen in table.seen:
        tracker.observe(seen)
        if tracker.believed.phase != phases[-1]:
            phases.append(tracker.believed.phase)
    assert phases == [
        "looking for the board",
        "waiting for a throw",
        "rolling",
        "moving",
        "waiting for a throw",
    ]
    assert tracker.believed.side_to_move is BLACK
    assert tracker.believed.turn == 2


# -- throws ------------------------------------------------------------------------------------


@noises
@rates
@pytest.mark.parametrize(
    ("fault", "thrown"),
    [
        ("cocked", {"states": ("cocked", "flat")}),
        ("on_checker", {"states": ("flat", "on_checker")}),
        ("on_frame", {"states": ("on_frame", "flat")}),
        ("off_board", {"states": ("flat", "off_board"), "halves": ("left", "off")}),
        ("two_halves", {"halves": ("left", "right")}),
        ("one_die", {"seen": (True, False), "lie": 1.5}),
        ("one_die", {"seen": (True, False), "lie": 0.9, "cup": False}),
        ("wrong_half", {"halves": ("left", "left")}),
        ("not_from_cup", {"cup": False}),
    ],
)
def test_every_fault_of_a_throw(fault: str, thrown: dict[str, object], noise: Noise, fps: float) -> None:
    rules = {"wrong_half": RIGHT_HALF, "not_from_cup": replace(SHORT, dice_from="cup_required")}
    table = begun(rules.get(fault, SHORT), noise, fps)
    white = {"halves": ("right", "right")} if fault == "wrong_half" else {}
    table.turn(WHITE, (3, 1), **white)
    table.turn(BLACK, (6, 5))
    table.throw(WHITE, (6, 2), faults=(fault,), **thrown)  # type: ignore[arg-type]
    if fault == "one_die":
        table.truth[-1] = Thrown(WHITE, (6, 0), ("one_die",))
    table.lift()
    table.turn(WHITE, (4, 2), **white)
    table.turn(BLACK)
    assert odd(check(table, Tracker(table.rules))) == []


@pytest.mark.parametrize(("fps", "faults"), [(10.0, ("not_from_cup",)), (3.0, ())])
def test_a_cup_may_be_missed_where_few_frames_show_the_hand(fps: float, faults: tuple[Fault, ...]) -> None:
    table = begun(replace(SHORT, dice_from="cup_required"), Noise(), fps)
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 5), cup=False)
    tracker = Tracker(table.rules)
    events = [event for seen in table.seen for event in tracker.observe(seen)]
    assert [e.faults for e in events if isinstance(e, Throw)] == [(), faults]


@pytest.mark.parametrize(
    ("noise", "dice", "moved"), [(CLEAR, (6, 1), 2), (NOISY, (6, 1), 2), (CLEAR, (5, 2), 0)], ids=str
)
def test_dice_thrown_while_the_others_lie_are_premature(noise: Noise, dice: Dice, moved: int) -> None:
    """Each side has a pair; White is not done (rules.md D13). The cup hides White's dice for a while."""
    table = Table(SHORT, seed=3, noise=noise)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    table.turn(BLACK, (3, 1))
    table.throw(WHITE, (5, 2))
    moves = table.legal(WHITE, (5, 2)).moves
    for move in moves[:moved]:
        table.move(WHITE, move)
    mine = table.dice
    for _ in range(6):
        table.frame(still=False, cup=True, hands=[HAND, (100.0, 80.0, 700.0, 640.0)], hide_dice=True)
    table.dice = [*mine, Die(dice[0], (0.62, 0.5), half="right"), Die(dice[1], (0.8, 0.47), half="right")]
    table.truth.append(Thrown(BLACK, dice, ("premature",)))
    table.rest(1.2)
    table.hand(0.3)
    table.dice = mine
    table.rest(0.6)
    for move in moves[moved:]:
        table.move(WHITE, move)
    table.truth.append(Played(WHITE, table.position, True))
    table.lift()
    table.turn(BLACK, (4, 2))
    check(table)


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
def test_dice_thrown_one_after_the_other_are_void(rules: RuleSet) -> None:
    table = Table(rules, seed=5)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    places = [(0.2, 0.5), (0.35, 0.48)]
    table.throw(BLACK, (5, 2), places=places, seen=(True, False), record=False, lie=0.7)
    for _ in range(6):
        table.frame(still=False, cup=True, hands=[HAND])
    table.truth.append(Thrown(BLACK, (5, 2), ("one_die",)))
    table.dice[1].seen = True
    table.rest(1.2)
    table.lift()
    table.turn(BLACK, (4, 3))
    check(table)


def test_a_die_that_is_seen_late_was_thrown_all_the_same() -> None:
    table = Table(SHORT, seed=5)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    table.throw(BLACK, (5, 2), seen=(True, False), lie=0.7)
    table.dice[1].seen = True
    table.rest(1.0)
    table.play(table.legal(BLACK, (5, 2)))
    check(table)


@pytest.mark.parametrize("aside", [0.0, 0.1], ids=["in place", "aside"])
def test_a_die_that_is_turned_after_it_lay_still_is_told_and_the_roll_stands(aside: float) -> None:
    """rules.md D11. The throw is told once more, with the fault."""
    table = Table(SHORT, seed=5)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)])
    table.hand(0.3)
    table.dice[0] = Die(6, (0.2 + aside, 0.5))
    table.rest(1.2)
    table.play(table.legal(BLACK, (5, 2)))
    table.turn(WHITE, (3, 1))
    throws = [e for e in watch(table) if isinstance(e, Throw) and e.side is BLACK]
    assert [(e.dice, e.valid, e.faults) for e in throws] == [((5, 2), True, ()), ((5, 2), True, ("touched",))]
    assert throws[0].t == throws[1].t


def three_thrown(table: Table, wait: float, values: tuple[int, int, int] = (5, 2, 6)) -> None:
    """Black's two dice come to rest, and a third one ``wait`` seconds later."""
    table.throw(BLACK, values[:2], places=[(0.2, 0.5), (0.35, 0.48)], lie=max(wait, 0.1), record=False)
    table.dice.append(Die(values[2], (0.28, 0.44)))
    table.rest(1.2)


@noises
@rates
@pytest.mark.parametrize("wait", [0.0, 0.4, 0.7])
def test_a_third_die_makes_a_throw_void(wait: float, noise: Noise, fps: float) -> None:
    """rules.md D12. A roll that was told before the third lay there is told once more, with the fault."""
    table = begun(SHORT, noise, fps)
    table.turn(WHITE, (6, 4))
    three_thrown(table, wait)
    table.lift()
    table.turn(BLACK, (4, 3))
    table.turn(WHITE, (3, 1))
    events = watch(table)
    throws = [e for e in events if isinstance(e, Throw) and e.side is BLACK]
    void = [e for e in throws if not e.valid]
    assert [e.faults for e in void] == [("wrong_dice",)]
    assert void[0].confidence > 0.9
    assert len(void[0].halves) == 3
    before = throws[: throws.index(void[0])]
    assert [(e.t, e.dice, e.faults) for e in before] == [(void[0].t, void[0].dice, ())] * len(before)
    assert len(before) <= 1
    assert before or void[0].dice == (6, 5)
    assert plain(told(events[events.index(void[0]) + 1 :])) == plain(table.truth[2:])
    assert odd(events) == []


def test_a_throw_of_which_a_third_die_may_still_roll_is_not_told_as_good() -> None:
    table = Table(SHORT, seed=5)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    three_thrown(table, 0.2)
    throws = [e for e in watch(table) if isinstance(e, Throw) and e.side is BLACK]
    assert [(e.dice, e.valid) for e in throws] == [((6, 5), False)]


@noises
def test_two_dice_are_thrown_again_while_the_third_is_left_lying(noise: Noise) -> None:
    table = begun(SHORT, noise)
    table.turn(WHITE, (6, 4))
    three_thrown(table, 0.0)
    table.truth.append(Thrown(BLACK, (6, 5), ("wrong_dice",)))
    left = replace(table.dice[2], centre=(0.2, 0.9))
    table.lift(empty=0.1)
    table.dice = [left]
    table.hand(0.3)
    for _ in range(6):
        table.frame(still=False, cup=True, hands=[HAND])
    table.dice = [left, Die(4, (0.3, 0.5)), Die(3, (0.4, 0.52))]
    table.truth.append(Thrown(BLACK, (4, 3)))
    table.rest(1.5)
    play = table.legal(BLACK, (4, 3))
    for move in play.moves:
        table.move(BLACK, move)
    table.truth.append(Played(BLACK, table.position, True))
    table.lift()
    table.turn(WHITE, (3, 1))
    check(table)


def lies_about(table: Table) -> None:
    """A die lies where an arm passes over it as the others fall, and then seems to have come with them."""
    table.dice = [Die(6, (0.28, 0.44))]
    table.rest(1.0)
    stray = table.dice[0]
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)], lie=0.1)
    table.dice.append(replace(stray, since=table.t - 0.1))


def flickers(table: Table) -> None:
    """Two frames show a die where none is."""
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)], lie=0.3)
    table.dice.append(Die(6, (0.28, 0.44), since=table.t - 0.3))
    table.rest(0.2)
    table.dice.pop()


def is_read_twice(table: Table) -> None:
    """Two boxes lie on one die."""
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)], lie=0.1)
    table.dice.append(Die(6, (0.2, 0.532)))


def lands_beside(table: Table) -> None:
    """The other player lays a die of his own beside the board."""
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)], lie=0.1)
    table.dice.append(Die(6, (0.2, 1.1), "off_board", "off"))


def comes_later(table: Table) -> None:
    """A hand lays a third die down when the throw has long been told."""
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)], lie=1.2)
    table.hand(0.4)
    table.dice.append(Die(6, (0.28, 0.44)))


@pytest.mark.parametrize("what", [lies_about, flickers, is_read_twice, lands_beside, comes_later])
def test_what_is_no_third_die_of_a_throw(what: Callable[[Table], None]) -> None:
    table = Table(SHORT, seed=5)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    what(table)
    table.rest(1.2)
    table.play(table.legal(BLACK, (5, 2)), record=False)
    throws = [e for e in watch(table) if isinstance(e, Throw) and e.side is BLACK]
    assert [(e.dice, e.faults) for e in throws] == [((5, 2), ())]


TOUCH = replace(SHORT, die_touching_checker="invalid")


def thrown_against_a_checker(rules: RuleSet, chance: float) -> Table:
    """A table at which a flat die of Black's throw touches a checker with this probability."""
    table = Table(rules, seed=5)
    table.rest(1.0)
    table.turn(WHITE, (6, 4))
    table.throw(BLACK, (5, 2), places=[(0.2, 0.5), (0.35, 0.48)], lie=0.0, record=False)
    first = table.seen.pop()  # the first frame of the dice at rest tells the same as the others
    table.t = first.t
    table.dice[0].touching = chance
    table.rest(1.5)
    return table


@pytest.mark.parametrize("chance", [0.99, 0.75])
def test_dice_lifted_that_touch_a_checker_were_void(chance: float) -> None:
    """rules.md D8. It is told at once if that is sure, else when the dice are lifted unplayed."""
    table = thrown_against_a_checker(TOUCH, chance)
    seconds = table.t
    table.truth.append(Thrown(BLACK, (5, 2), ("on_checker",)))
    table.lift()
    table.turn(BLACK, (4, 3))
    table.turn(WHITE, (3, 1))
    check(table, Tracker(TOUCH))
    tracker = Tracker(TOUCH)
    early = [e for seen in table.seen if seen.t < seconds for e in tracker.observe(seen)]
    assert any(isinstance(e, Throw) and e.faults for e in early) == (chance > 0.98)


@pytest.mark.parametrize(("rules", "chance"), [(TOUCH, 0.4), (TOUCH, 0.0), (SHORT, 1.0)])
def test_a_throw_counts_whose_dice_do_not_surely_touch_a_checker_or_may(
    rules: RuleSet, chance: float
) -> None:
    table = thrown_against_a_checker(rules, chance)
    table.truth.append(Thrown(BLACK, (5, 2)))
    table.play(table.legal(BLACK, (5, 2)))
    table.turn(WHITE, (3, 1))
    assert odd(check(table, Tracker(rules))) == []


def test_dice_that_lay_there_from_the_beginning_are_no_throw() -> None:
    table = Table(SHORT, seed=5)
    table.dice = [Die(3, (0.2, 0.5), since=0.0), Die(4, (0.7, 1.1), "off_board", "off", since=0.0)]
    table.rest(2.0)
    table.dice.clear()
    table.turn(WHITE, (6, 4))
    table.turn(BLACK, (3, 1))
    check(table)


def test_void_throws_before_the_first_play_get_their_side_from_it() -> None:
    table = begun()
    table.throw(BLACK, (5, 2), states=("cocked", "flat"), faults=("cocked",))
    table.lift()
    table.throw(BLACK, (5, 6), halves=("left", "right"), faults=("two_halves",))
    table.lift()
    table.turn(BLACK, (6, 2))
    check(table)


def test_a_throw_is_told_before_its_play() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3))
    tracker = Tracker()
    events = [e for seen in table.seen for e in tracker.observe(seen)]
    assert isinstance(events[-1], Throw)
    assert events[-1].side is BLACK
    assert events[-1].halves == ("left", "left")


@noises
def test_dice_moved_aside_are_the_same_throw(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3))
    table.hand(0.6, over_dice=True)
    table.dice = [replace(d, centre=(d.centre[0] + 0.4, d.centre[1])) for d in table.dice]
    table.hand(0.2, over_dice=True)
    table.rest(1)
    table.play(legal_plays(table.position, BLACK, (6, 3), SHORT)[4])
    table.turn(WHITE)
    check(table)


@noises
def test_dice_hidden_or_unread_for_a_while_are_the_same_throw(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3))
    table.hand(3, over_dice=True)
    table.rest(0.5)
    dice, table.dice = table.dice, []
    table.rest(1.2)
    table.dice = dice
    table.rest(1)
    first, second = legal_plays(table.position, BLACK, (6, 3), SHORT)[4].moves
    table.move(BLACK, first)
    table.dice = []
    table.rest(0.7)
    table.dice = dice
    table.rest(0.4)
    table.move(BLACK, second)
    table.truth.append(Played(BLACK, table.position, True))
    table.lift()
    table.turn(WHITE)
    check(table)


@noises
def test_dice_lifted_before_the_checkers_move(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3), lie=0.4)
    table.lift(empty=0.3)
    plays = legal_plays(table.position, BLACK, (6, 3), SHORT)
    table.play(next(play for play in plays if play.notation == "24/18 6/3"), lift=False)
    table.rest(1)
    table.turn(WHITE)
    check(table)


def test_a_die_that_cannot_be_read_is_read_from_the_play() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    mark = len(table.seen)
    table.turn(BLACK, (6, 3))
    for i in range(mark, len(table.seen)):
        dice = tuple(
            replace(d, values=(0.0, 0.0, 0.0, 0.0, 0.5, 0.5)) if d.value == 6 else d
            for d in table.seen[i].dice
        )
        table.seen[i] = replace(table.seen[i], dice=dice)
    table.turn(WHITE)
    events = check(table)
    thrown = [e for e in events if isinstance(e, Throw)]
    assert set(thrown[1].dice) == {6, 3}


# -- plays -------------------------------------------------------------------------------------

WALL = Position((0,) * 7 + (1, 0, 0, 0, 0, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, -15, 4))
SHUT_OUT = Position(
    (5, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -2, 0, -2, -2, -2, -2, -2, -2), bar=(4, 0)
)
ON_BAR = Position((-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1), bar=(1, 0))


@noises
@rates
@pytest.mark.parametrize(
    ("rules", "dice", "moves", "rule", "start"),
    [
        (SHORT, (6, 3), [(24, 18), (13, 9)], "E8", None),
        (SHORT, (6, 3), [(24, 18)], "M3", None),
        (SHORT, (6, 3), [], "M3", None),
        (SHORT, (6, 3), [(13, 7), (6, 9)], "G5", None),
        (SHORT, (6, 3), [(6, 0), (13, 10)], "B1", None),
        (SHORT, (6, 1), [(13, 7), (8, 7)], "K2", ON_BAR),
        (LONG, (6, 3), [(24, 18), (24, 21)], "L2", None),
        (LONG, (6, 1), [(24, 18), (8, 7)], "L7", WALL),
    ],
    ids=["count", "half", "nothing", "backwards", "early off", "bar", "head", "wall"],
)
def test_an_illegal_play_is_told_with_its_rule(
    rules: RuleSet,
    dice: tuple[int, int],
    moves: list[tuple[int, int]],
    rule: str,
    start: Position | None,
    noise: Noise,
    fps: float,
) -> None:
    table = Table(rules, seed=6, noise=noise, fps=fps)
    tracker = Tracker(rules, position=start, side_to_move=WHITE if start else None)
    if start:
        table.position = start
    table.rest(1)
    if not start:
        for side, opening in ((WHITE, (2, 1)), (BLACK, (4, 2))):
            plays = legal_plays(table.position, side, opening, rules)
            table.throw(side, opening)
            table.play(min(plays, key=lambda p: max(m.from_point for m in p.moves)))
    before = table.position
    table.throw(WHITE, dice)
    for move in moves:
        table.move(WHITE, Move(*move))
    verdict = judge_play(before, WHITE, dice, table.position, rules)
    assert verdict.rule == rule
    table.truth.append(Played(WHITE, table.position, False, rule))
    table.lift()
    table.turn(BLACK)
    table.turn(WHITE)
    events = check(table, tracker)
    assert odd(events) in ([], ["doubt"])


def test_an_opponents_checker_moved_by_the_same_dice_is_no_turn_that_was_missed() -> None:
    table = begun(LONG)
    table.turn(WHITE, (6, 4))
    table.turn(BLACK, (6, 4))
    table.throw(WHITE, (5, 1))
    table.move(WHITE, Move(24, 18))
    table.move(BLACK, Move(24, 18))
    table.truth.append(Played(WHITE, table.position, False, "G11"))
    table.lift(empty=0.35)
    table.turn(BLACK)
    assert odd(check(table)) == []


@noises
def test_an_illegal_first_play_tells_whose_it_was(noise: Noise) -> None:
    table = begun(noise=noise)
    table.throw(BLACK, (6, 3))
    table.move(BLACK, Move(24, 18))
    table.move(BLACK, Move(13, 9))
    table.truth.append(Played(BLACK, table.position, False, "E8"))
    table.lift()
    table.turn(WHITE)
    check(table)


@noises
@rates
def test_a_play_taken_back_is_no_offence(noise: Noise, fps: float) -> None:
    table = begun(noise=noise, fps=fps)
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3))
    before = table.position
    table.move(BLACK, Move(24, 17))
    table.rest(2.5)
    table.put(before)
    table.rest(0.5)
    table.play(legal_plays(before, BLACK, (6, 3), SHORT)[2])
    table.turn(WHITE)
    assert odd(check(table)) == []


def test_a_play_on_a_void_throw_stands_but_is_not_legal() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3), halves=("left", "right"), faults=("two_halves",))
    play = legal_plays(table.position, BLACK, (6, 3), SHORT)[4]
    table.truth.append(Played(BLACK, play.after, False, "D10"))
    table.play(play, record=False)
    table.turn(WHITE)
    check(table)


def test_a_throw_read_as_cocked_that_was_played_is_no_offence() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    mark = len(table.seen)
    table.turn(BLACK, (6, 3))
    leaning: tuple[tuple[DieState, float], ...] = (("cocked", 0.75), ("flat", 0.25))
    for i in range(mark, len(table.seen)):
        dice = tuple(replace(d, states=leaning) if d.value == 6 else d for d in table.seen[i].dice)
        table.seen[i] = replace(table.seen[i], dice=dice)
    table.turn(WHITE)
    assert odd(check(table)) == []


def test_a_throw_of_which_one_die_was_seen_is_read_from_its_play() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3), seen=(True, False), lie=2.5)
    table.play(legal_plays(table.position, BLACK, (6, 3), SHORT)[4])
    table.turn(WHITE)
    check(table)


def test_a_dance_is_a_legal_play_without_moves() -> None:
    table = Table(SHORT, seed=4)
    table.position = SHUT_OUT
    table.rest(1)
    table.turn(WHITE, (6, 3))
    table.turn(BLACK, (1, 1))
    table.turn(WHITE, (4, 4))
    events = check(table, Tracker(SHORT, position=SHUT_OUT, side_to_move=WHITE))
    first = next(e for e in events if isinstance(e, PlayMade))
    assert first.moves == ()
    assert first.legal


@noises
def test_the_dice_of_an_unseen_throw_are_inferred(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3), seen=(False, False))
    table.play(legal_plays(table.position, BLACK, (6, 3), SHORT)[4])
    table.turn(WHITE)
    events = check(table)
    inferred = [e for e in events if isinstance(e, Throw)][1]
    assert inferred.confidence < 0.6


@noises
def test_a_turn_that_was_missed_is_found(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    mark = len(table.seen)
    table.turn(BLACK, (6, 3))
    del table.seen[mark:-1]  # the camera was away
    table.turn(WHITE)
    table.turn(BLACK)
    check(table)


# -- out of step -------------------------------------------------------------------------------


def bumped(position: Position) -> Position:
    """Half the board slid by three points."""
    points = position.points
    return replace(position, points=points[3:] + points[:3])


@noises
def test_a_bumped_board_is_out_of_step_until_it_is_restored(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    table.turn(BLACK, (6, 5))
    before = table.position
    table.put(bumped(before))
    table.rest(3.8)
    table.put(before)
    table.rest(1.5)
    table.turn(WHITE)
    table.turn(BLACK)
    events = check(table)
    assert odd(events) == ["desync", "resync"]
    desync = next(e for e in events if isinstance(e, Desync))
    differ = {
        slot
        for slot, (a, b) in enumerate(
            zip(
                to_slots(before, Orientation.BOTTOM_RIGHT),
                to_slots(bumped(before), Orientation.BOTTOM_RIGHT),
                strict=True,
            )
        )
        if a != b
    }
    assert set(desync.slots) == differ


@noises
def test_a_board_that_stays_bumped_is_gone_on_from(noise: Noise) -> None:
    table = begun(noise=noise)
    table.turn(WHITE, (3, 1))
    table.turn(BLACK, (6, 5))
    table.put(bumped(table.position))
    table.rest(9)
    table.turn(WHITE)
    table.turn(BLACK)
    events = check(table)
    assert odd(events) == ["desync", "resync"]
    # What stands is in the record: match and tracker go on from it, whoever takes it up.
    at = next(i for i, e in enumerate(events) if isinstance(e, Resync))
    stands = events[at].position  # type: ignore[union-attr]
    assert stands is not None
    assert replay(events[: at + 1], SHORT).position == stands
    assert Tracker.resume(events[: at + 1], SHORT).believed.position == stands
    assert replay(events, SHORT).position == table.position


@pytest.mark.parametrize("empty", [0.3, 0.8])
@pytest.mark.parametrize("dice", [(3, 6), (5, 2), (6, 3)])
def test_dice_that_fall_where_the_last_ones_lay_are_a_new_throw(dice: Dice, empty: float) -> None:
    """They were thrown low, so that no cup was over the board, and a hand hid the board in between."""
    table = begun()
    places = [(0.2, 0.5), (0.4, 0.5)]
    table.throw(WHITE, (6, 3), places=places)
    table.play(legal_plays(table.position, WHITE, (6, 3), SHORT)[0], lift=False)
    table.lift(empty=empty)
    table.throw(BLACK, dice, places=places if dice != (6, 3) else places[::-1], cup=False)
    table.play(legal_plays(table.position, BLACK, dice, SHORT)[0])
    table.turn(WHITE)
    check(table)


def test_after_a_resignation_the_next_set_up_board_starts_a_game() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.turn(BLACK, (6, 5))
    table.put(Position.start(SHORT.game))
    table.rest(2)
    table.turn(BLACK)
    table.turn(WHITE)
    assert sum(isinstance(e, GameStart) for e in check(table)) == 2


def test_the_next_game_may_be_set_up_the_other_way_round() -> None:
    last = Position((2, *([0] * 11), -3, *([0] * 11)), off=(13, 12))
    table = Table(LONG, seed=4)
    table.position = last
    table.rest(1)
    table.turn(WHITE, (6, 6))
    table.orientation = Orientation.BOTTOM_LEFT
    table.put(Position.start(LONG.game))
    table.rest(1)
    table.turn(BLACK)
    table.turn(WHITE)
    events = check(table, Tracker(LONG, position=last, side_to_move=WHITE))
    kinds = [e.type for e in events if not isinstance(e, (Throw, PlayMade))]
    assert kinds == ["board", "game_start", "game_end", "board", "game_start"]


@rates
@pytest.mark.parametrize("cup", [True, False])
def test_the_same_values_twice_are_two_throws(fps: float, cup: bool) -> None:
    table = begun(LONG, fps=fps)
    for side, dice in ((WHITE, (6, 1)), (BLACK, (6, 1)), (WHITE, (6, 1)), (BLACK, (4, 3))):
        table.throw(side, dice, cup=cup)
        table.play(legal_plays(table.position, side, dice, LONG)[0], lift=False)
        table.lift(empty=0.35)
    assert odd(check(table)) == []


@noises
@pytest.mark.parametrize("flat", [0.7, 0.4, 0.1])
@pytest.mark.parametrize("void", [True, False])
def test_who_goes_on_shows_whether_a_throw_counted_that_could_not_be_played(
    noise: Noise, flat: float, void: bool
) -> None:
    table = Table(SHORT, seed=4, noise=noise)
    table.position = SHUT_OUT
    table.rest(1)
    if void:
        table.throw(WHITE, (6, 3), faults=("cocked",))
        table.lift()
    else:
        table.turn(WHITE, (6, 3))
    states: tuple[tuple[DieState, float], ...] = (("flat", flat), ("cocked", 1 - flat))
    table.seen = [replace(s, dice=tuple(replace(d, states=states) for d in s.dice)) for s in table.seen]
    if void:
        table.turn(WHITE, (5, 4))
    table.turn(BLACK, (1, 1))
    table.turn(WHITE, (4, 4))
    events = check(table, Tracker(SHORT, position=SHUT_OUT, side_to_move=WHITE))
    assert odd(events) == []


def test_a_turn_missed_under_hands_is_found_with_the_next() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    mark = len(table.seen)
    table.turn(BLACK, (6, 3))
    table.throw(WHITE, (5, 2))
    covered = range(mark, len(table.seen))
    table.play(legal_plays(table.position, WHITE, (5, 2), SHORT)[3])
    table.turn(BLACK, (2, 1))
    for i in covered:
        seen = table.seen[i]
        slots = tuple(replace(s, visible=False) for s in seen.slots)
        table.seen[i] = replace(seen, slots=slots, dice=seen.dice if i > covered[-10] else ())
    assert [i for i in told(watch(table)) if isinstance(i, Played)] == [
        i for i in table.truth if isinstance(i, Played)
    ]


@noises
@rates
def test_after_a_bumped_board_the_next_throw_goes_on(noise: Noise, fps: float) -> None:
    table = begun(noise=noise, fps=fps)
    table.turn(WHITE, (3, 1))
    table.turn(BLACK, (6, 5))
    table.put(bumped(table.position))
    table.rest(2.6)
    table.turn(WHITE, (4, 2))
    table.turn(BLACK, (3, 2))
    assert odd(check(table)) == ["desync", "resync"]


# -- the rest ----------------------------------------------------------------------------------


def test_a_position_without_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the rules"):
        Tracker(position=ON_BAR)


def test_frames_without_a_board_say_nothing() -> None:
    table = begun()
    blind = [replace(s, slots=(), board=None, dice=()) for s in table.seen]
    tracker = Tracker()
    assert [e for s in blind for e in tracker.observe(s)] == []
    assert tracker.finish() == ()


def test_the_end_of_the_recording_decides_what_is_open() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 5))
    play = legal_plays(table.position, BLACK, (6, 5), SHORT)[1]
    for move in play.moves:
        table.move(BLACK, move)
    table.truth.append(Played(BLACK, play.after, True))
    table.hand(0.2, over_dice=True)
    table.dice = []
    table.frame()
    check(table)


@pytest.mark.parametrize("seed", range(4))
def test_stacks_that_are_always_miscounted_spoil_nothing(seed: int) -> None:
    table = begun(seed=seed)
    table.game(turns=12)

    def short(reading: SlotReading) -> SlotReading:
        if reading.count < 6:
            return reading
        low = reading.best + (1 if reading.best < 0 else -1)
        return SlotReading(((low, 0.8), (reading.best, 0.12), (2 * low - reading.best, 0.05)))

    table.seen = [replace(s, slots=tuple(short(r) for r in s.slots)) for s in table.seen]
    events = check(table)
    assert odd(events) in ([], ["doubt"])


@pytest.mark.parametrize("lying", [False, True], ids=["between turns", "dice lying"])
def test_a_camera_that_begins_to_count_anew_changes_nothing(lying: bool) -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.throw(BLACK, (6, 3))
    if not lying:
        table.play(legal_plays(table.position, BLACK, (6, 3), SHORT)[3])
    table.t = 0.0
    table.rest(1)
    if lying:
        table.play(legal_plays(table.position, BLACK, (6, 3), SHORT)[3])
    table.turn(WHITE)
    check(table)


@pytest.mark.parametrize(("dice", "first"), [((2, 5), WHITE), ((2, 5), BLACK), ((4, 4), WHITE)])
def test_a_roll_off_before_the_first_throw(dice: tuple[int, int], first: Side) -> None:
    table = begun(LONG)
    table.throw(first, dice, record=False)
    table.lift()
    table.turn(first, (3, 1))
    events = check(table)
    rolled = [e for e in events if isinstance(e, RollOff)]
    assert len(rolled) == 1
    assert rolled[0].winner is (None if dice[0] == dice[1] else first)
    replay(events, LONG)


@pytest.mark.parametrize("first", list(Side))
def test_a_roll_off_that_is_played_is_the_first_throw(first: Side) -> None:
    table = begun()
    table.turn(first, (6, 3), halves=("left", "right"))
    table.turn(first.other)
    check(table)


def resumed(make: Callable[[], Table], cut: float) -> None:
    table = make()
    whole = watch(table)
    at = round(cut * len(table.seen))
    first = Tracker(white_is_light=table.white_is_light)
    before = [e for seen in table.seen[:at] for e in first.observe(seen)]
    stored = [loads(dumps(e)) for e in before]
    second = Tracker.resume(stored, white_is_light=table.white_is_light)
    after = watch(table, second, start=at)
    assert plain(told([*before, *after])) == plain(told(whole))
    assert [e.type for e in [*before, *after]] == [e.type for e in whole]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    cut=st.floats(0.25, 0.98),
    noise=st.sampled_from([CLEAR, NOISY]),
    long=st.booleans(),
)
def test_a_killed_tracker_goes_on_from_the_stored_events(
    seed: int, cut: float, noise: Noise, long: bool
) -> None:
    def make() -> Table:
        table = Table(LONG if long else SHORT, seed=seed, noise=noise, fps=5)
        table.game(turns=6)
        return table

    resumed(make, cut)


def test_the_same_numbers_thrown_again_after_a_restart_are_a_new_throw() -> None:
    """Killed while the dice were lifted; the other side throws the same numbers."""

    def make() -> Table:
        table = Table(SHORT, seed=50, fps=5)
        table.game(turns=6)
        return table

    resumed(make, 0.625)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    long=st.booleans(),
    fps=st.sampled_from([5.0, 8.0, 10.0, 15.0]),
    orientation=st.sampled_from(list(Orientation)),
    light=st.booleans(),
    side=st.sampled_from(list(Side)),
)
def test_any_opening_is_read(
    seed: int, long: bool, fps: float, orientation: Orientation, light: bool, side: Side
) -> None:
    table = Table(LONG if long else SHORT, seed, fps, NOISY, orientation, light)
    table.game(first=side, turns=4)
    check(table)


def test_a_frame_in_which_nothing_happens_is_cheap() -> None:
    table = begun()
    table.turn(WHITE, (3, 1))
    table.rest(20)
    tracker = Tracker()
    spent = []
    for seen in table.seen:
        started = time.perf_counter()
        tracker.observe(seen)
        spent.append(time.perf_counter() - started)
    assert sorted(spent)[len(spent) // 2] < 1e-3


def test_more_checkers_seen_than_a_side_has_are_no_board() -> None:
    light, none, dark = (SlotReading(((n, 1.0),)) for n in (5, 0, -5))
    slots = (light,) * 6 + (none,) * 15 + (dark,) * 3
    frames = [Observation(t=i / 10, seq=i, board=None, slots=slots, still=True) for i in range(5)]
    picture = Picture.of(frames, Orientation.BOTTOM_RIGHT, True, Game.BACKGAMMON)
    start = Position.start(Game.BACKGAMMON)
    assert picture.reading(start) == (start, -math.inf)
