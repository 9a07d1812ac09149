"""The tracker where checkers are overlooked: after a bump, on the bar, in a stack of unknown height."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.corrections import replay, resolve
from engine.events import Correction, Doubt, Event, GameStart, PlayMade
from engine.layout import slot_of, to_slots
from engine.legal import legal_plays
from engine.observation import Observation, SlotReading
from engine.position import Game, Position, Side, index_of
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from tests.engine.seen import CLEAR, Noise, Played, Table, Thrown
from tests.engine.test_tracker import begun, check, plain, told, watch

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)
WHITE, BLACK = Side.WHITE, Side.BLACK


def retouch(table: Table, first: int, change: Callable[[Observation], Observation]) -> None:
    """Change what was seen from a frame on."""
    table.seen[first:] = [change(seen) for seen in table.seen[first:]]


def lacking(*slots: int) -> Callable[[Observation], Observation]:
    """One checker is seen less in each of these slots, where they are seen."""

    def change(seen: Observation) -> Observation:
        readings = list(seen.slots)
        for slot in slots:
            if readings[slot].visible and readings[slot].best:
                count = readings[slot].best
                readings[slot] = SlotReading(((count - (1 if count > 0 else -1), 0.98), (count, 0.01)))
        return replace(seen, slots=tuple(readings))

    return change


def at(position: Position, rules: RuleSet = SHORT, noise: Noise = CLEAR) -> tuple[Table, Tracker]:
    """A table on which a game is under way, and a tracker that knows the position."""
    table = Table(rules, seed=3, noise=noise)
    table.position = position
    table.rest(1.0)
    return table, Tracker(
        rules, position=position, side_to_move=WHITE, orientation=table.orientation, adopt=False
    )


def offences(events: list[Event]) -> list[PlayMade]:
    return [e for e in events if isinstance(e, PlayMade) and not e.legal]


def test_checkers_that_a_bump_leaves_between_two_points_are_no_part_of_the_play() -> None:
    points = (-1, 0, 0, 0, 0, 1, 0, 0, -1, -1, 0, -10, -1, 0, 1, 1, 0, 0, 0, 1, 1, 0, -1, 10)
    table, tracker = at(Position(points), LONG)
    table.throw(WHITE, (6, 3))
    play = next(p for p in legal_plays(table.position, WHITE, (6, 3), LONG) if p.notation == "24/18 21/18")
    table.play(play, lift=False)
    bumped = len(table.seen)
    table.lift(empty=6.0)
    retouch(table, bumped, lacking(slot_of(table.orientation, 17), slot_of(table.orientation, 19)))
    table.hand(0.5, range(16, 22))
    table.rest(1.0)
    table.turn(BLACK, (3, 3))
    table.turn(WHITE, (5, 4))
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)


def test_no_more_checkers_have_slipped_than_are_missing() -> None:
    """Borne off too soon (rules.md B1): one checker is seen nowhere, so no two lie between points."""
    points = (0, -2, 0, -1, 1, -2, 1, 0, 1, 0, 1, -6, 2, -1, 3, 0, 2, -1, 0, 0, -1, 1, -1, 3)
    table, tracker = at(Position(points), LONG)
    tracker = Tracker(LONG, position=table.position, side_to_move=BLACK, orientation=table.orientation)
    table.throw(BLACK, (6, 3))
    after = list(points)
    for point, change in ((14, 1), (11, -1), (6, 1)):
        after[index_of(Game.LONG_NARDY, BLACK, point)] += change
    table.illegal(BLACK, Position(tuple(after), off=(0, 1)), "B1")
    table.turn(WHITE, (6, 5))
    table.turn(BLACK, (2, 1))
    head = slot_of(table.orientation, 11)
    high = SlotReading(((-6, 0.9), (-5, 0.08)))  # so perhaps 24/18, with two checkers that are not seen
    retouch(table, 0, lambda seen: _reading(seen, head, high) if seen.slots[head].best == -6 else seen)
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)


#: A high head of white checkers: of one height or the next, and of any.
HIGH = SlotReading(((8, 0.5), (7, 0.5)))
ANY_HEIGHT = SlotReading(((15, 0.28), *((n, 0.08) for n in range(14, 5, -1))))


@pytest.mark.parametrize("high", [HIGH, ANY_HEIGHT], ids=["high", "any height"])
@pytest.mark.parametrize("bumped", [False, True])
def test_a_checker_lies_between_two_points_where_a_bump_was_seen(bumped: bool, high: SlotReading) -> None:
    """Else one that is missing where it was, and was put where one may have come from the head, was moved."""
    points = (-1, 0, -1, 0, -1, -1, 0, -1, 0, -2, 0, -7, 0, 1, 2, 1, 0, 0, 1, 1, -1, 0, 1, 8)
    table, tracker = at(Position(points), LONG)
    table.throw(WHITE, (6, 5))
    notation = {play.notation: play for play in legal_plays(table.position, WHITE, (6, 5), LONG)}
    head, lone = slot_of(table.orientation, 23), slot_of(table.orientation, 13)
    if bumped:
        table.play(notation["24/19 15/9"], lift=False)
        occupied = [slot for slot, n in enumerate(to_slots(table.position, table.orientation)) if n]
        table.frame(still=False, hidden=occupied)
        first = len(table.seen)
        table.lift()
        retouch(table, first, lacking(lone))
        table.hand(0.5, (lone,))
        table.rest(0.5)
    else:
        table.move(WHITE, notation["24/19 15/9"].moves[1])
        after = list(table.position.points)
        after[13] -= 1
        after[18] += 1
        table.illegal(WHITE, Position(tuple(after)), "G4")
    table.turn(BLACK, (2, 1))
    retouch(table, 0, lambda seen: _reading(seen, head, high) if seen.slots[head].best in (7, 8) else seen)
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)


@pytest.mark.parametrize("now", [(8, 9), (9, 8)], ids=lambda now: "-".join(map(str, now)))
def test_a_play_of_the_dice_is_seen_in_an_illegal_one_too(now: tuple[int, int]) -> None:
    """White bears off by his roll, and puts a checker of Black's back (rules.md G11)."""
    points = [0] * 24
    points[0], points[1], points[2], points[10], points[20], points[21] = 7, 3, 1, -1, -10, -4
    table, tracker = at(Position(tuple(points), off=(4, 0)))
    table.throw(WHITE, (5, 1))
    points[0], points[1], points[2], points[10], points[14] = 8, 2, 0, 0, -1
    table.illegal(WHITE, Position(tuple(points), off=(5, 0)), "G11")
    high = SlotReading(((now[0], 0.5), (now[1], 0.48)))
    slot = slot_of(table.orientation, 0)
    retouch(table, 0, lambda seen: _reading(seen, slot, high) if seen.slots[slot].best == 8 else seen)
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)


def test_an_illegal_play_is_corrected_once_its_stack_can_be_counted() -> None:
    points = [0] * 24
    points[0], points[1], points[2], points[10], points[20], points[12] = 10, 1, 1, -1, -10, -4
    table, tracker = at(Position(tuple(points), off=(3, 0)))
    table.throw(WHITE, (2, 1))
    # He plays the 2 alone, and a checker of Black's: he may as well have borne off by both dice.
    points[0], points[1], points[2], points[10], points[14] = 11, 1, 0, 0, -1
    table.illegal(WHITE, Position(tuple(points), off=(3, 0)), "G11")
    for _ in range(5):
        table.turn(BLACK, (2, 1))
        table.turn(WHITE, (6, 5))
    slot = slot_of(table.orientation, 0)
    tall = SlotReading(tuple((n, 0.09) for n in range(5, 16)))
    retouch(table, 0, lambda seen: _reading(seen, slot, tall) if seen.slots[slot].best > 5 else seen)
    events = watch(table, tracker)
    assert plain(told(events)) != plain(table.truth)
    assert plain(told(event for _, event in resolve(events))) == plain(table.truth)


def test_a_checker_too_far_is_still_an_offence() -> None:
    table = begun()
    after = next(p.after for p in legal_plays(table.position, WHITE, (6, 2), SHORT) if len(p.moves) == 2)
    table.throw(WHITE, (6, 1))
    table.illegal(WHITE, after)
    table.turn(BLACK, (4, 2))
    assert [e.rule for e in offences(watch(table))] == ["E8"]


def test_a_board_that_looks_set_up_after_a_play_is_no_new_game() -> None:
    table = begun(LONG)
    table.turn(BLACK, (5, 4))
    lone = next(s for s, n in enumerate(to_slots(table.position, table.orientation)) if n == -1)
    bumped = len(table.seen)
    table.rest(4.0)
    retouch(table, bumped, lacking(lone))
    head = slot_of(table.orientation, 11)
    retouch(table, bumped, lambda seen: _reading(seen, head, SlotReading(((-15, 0.98),))))
    table.hand(0.5, (lone,))
    table.rest(1.0)
    table.turn(WHITE, (5, 2))
    events = check(table)
    assert sum(isinstance(e, GameStart) for e in events) == 1


def test_a_checker_on_the_bar_that_is_not_seen_was_not_taken_away() -> None:
    position = Position.start(Game.BACKGAMMON)
    points = list(position.points)
    points[23] += 1  # one of Black's two is on the bar
    table, tracker = at(replace(position, points=tuple(points), bar=(0, 1)))
    table.turn(WHITE, (4, 2))
    table.rest(1.0)
    unseen = SlotReading(((0, 1.0),))
    retouch(table, 0, lambda seen: replace(seen, bar=(seen.bar[0], unseen)) if seen.t > 1 else seen)
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)


def test_where_the_height_of_a_stack_is_not_seen_both_checkers_are_borne_off() -> None:
    points = [0] * 24
    points[0], points[1], points[20], points[12] = 10, 1, -10, -5
    table, tracker = at(Position(tuple(points), off=(4, 0)))
    table.throw(WHITE, (5, 1))
    play = next(p for p in legal_plays(table.position, WHITE, (5, 1), SHORT) if p.after.off[0] == 6)
    table.play(play)
    tall = SlotReading(tuple((n, 0.09) for n in range(5, 16)))
    slot = slot_of(table.orientation, 0)

    def change(seen: Observation) -> Observation:
        shown = seen.slots[slot].visible
        return replace(
            seen, slots=(*seen.slots[:slot], tall if shown else seen.slots[slot], *seen.slots[slot + 1 :])
        )

    retouch(table, 0, change)
    events = watch(table, tracker)
    assert plain(told(events)) == plain(table.truth)
    assert not any(isinstance(e, Doubt) for e in events)


def test_a_play_that_was_told_wrongly_is_corrected_once_its_stack_can_be_counted() -> None:
    points = [0] * 24
    points[0], points[1], points[20], points[12] = 9, 1, -10, -5
    table, tracker = at(Position(tuple(points), off=(5, 0)))
    table.throw(WHITE, (5, 1))
    # The 1 is played first, and the 5 then bears off the same checker: what hardly anybody does.
    table.play(next(p for p in legal_plays(table.position, WHITE, (5, 1), SHORT) if p.after.off[0] == 6))
    for _ in range(3):
        table.turn(BLACK, (2, 1))
        table.turn(WHITE, (6, 5))
    slot = slot_of(table.orientation, 0)
    tall = SlotReading(tuple((n, 0.09) for n in range(5, 16)))

    def change(seen: Observation) -> Observation:
        slots = list(seen.slots)
        if slots[slot].visible and slots[slot].best > 5:
            slots[slot] = tall
        return replace(seen, slots=tuple(slots))

    retouch(table, 0, change)
    events = watch(table, tracker)
    assert any(isinstance(e, Correction) for e in events)
    assert plain(told(events)) != plain(table.truth)
    put_right = [event for _, event in resolve(events)]
    assert plain(told(put_right)) == plain(table.truth)
    again = replay(events, SHORT)  # the record as it is kept comes to the same
    assert again.position == tracker.believed.position == table.position


def test_a_first_turn_whose_dice_nobody_saw_is_told_before_the_next_is_decided() -> None:
    table = begun()
    first = next(p for p in legal_plays(table.position, WHITE, (3, 3), SHORT) if p.notation == "24/18(2)")
    table.put(first.after)
    table.truth += [Thrown(WHITE, (3, 3)), Played(WHITE, first.after, True)]
    table.rest(1.0)
    table.throw(BLACK, (5, 5), lie=0.2)  # and a hand comes at once
    table.play(next(p for p in legal_plays(table.position, BLACK, (5, 5), SHORT)))
    events = watch(table)
    assert plain(told(events)) == plain(table.truth)


def _reading(seen: Observation, slot: int, reading: SlotReading) -> Observation:
    readings = list(seen.slots)
    if readings[slot].visible:
        readings[slot] = reading
    return replace(seen, slots=tuple(readings))
