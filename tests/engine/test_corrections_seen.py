"""A record that is corrected comes to what it had been, had all been seen right in the first place.

The games are those of the real tracker: it goes wrong where one thing is misread, and goes on from there.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corrections import correct
from engine.events import Correction, Desync, Event, GameEnd, GameStart, PlayMade, Resync, RollOff, Throw
from engine.legal import legal_plays
from engine.match import Match
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from tests.engine.misread import NAMES, Misreading, Referee, Story, plainly, told_plainly
from tests.engine.playing import made

SHORT, LONG = default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)
WHITE, BLACK = Side.WHITE, Side.BLACK
BEGIN = Position.start(Game.BACKGAMMON)
RIGHT_HALF = replace(SHORT, throw_half="right_half")
ROOMS = [
    SHORT,
    RIGHT_HALF,
    replace(SHORT, hit_and_hide="forbidden"),
    LONG,
    replace(LONG, block="home", head_mode="if_stuck", last_throw=True),
]
#: How many corrections put right what is misread, at most: a turn that was missed is a throw and a play.
NEEDED: dict[Misreading, int] = {
    "die": 1,
    "checker": 2,  # the play is a witness for the dice, which are then misread with it
    "count": 2,
    "cocked": 1,
    "flat": 1,
    "missed": 2,
    "begins": 1,
}


def put_right(story: Story) -> Referee:
    """Correct the record of what was misread, and see that it is that of what was seen right."""
    right, told = story.told(misread=False), story.told(misread=True)
    referee = Referee(told, story.start)
    referee.put_right(right, missing=story.kind == "missed")
    found, wanted = referee.now, correct(right, [], story.start)
    assert told_plainly(found.events) == told_plainly(right)
    for what in ("score", "result", "position", "phase", "side_to_move", "turn", "first", "in_step"):
        assert getattr(found.match, what) == getattr(wanted.match, what), what
    believed = Tracker.resume(found.events, story.rules).believed
    over = found.match.phase in ("game_over", "match_over")
    assert (believed.position, believed.phase == "game over") == (found.match.position, over)
    assert over or believed.side_to_move is found.match.side_to_move
    # A game that ends only now ends with its last play, and nobody need have told of it.
    ends, told_ends = ([plainly(e) for e in es if isinstance(e, GameEnd)] for es in (right, found.events))
    assert told_ends == ends[: len(told_ends)]
    # A first turn may be taken for a roll-off: that is struck, and the throw and the play put in.
    taken = sum(isinstance(event, RollOff) for event in told)
    assert referee.made <= NEEDED[story.kind] + 2 * taken
    return referee


@pytest.mark.parametrize("kind", NEEDED)
@settings(max_examples=12, deadline=None)
@given(
    rules=st.sampled_from(ROOMS),
    seed=st.integers(0, 10**6),
    nth=st.integers(0, 3),
    late=st.booleans(),
)
def test_a_corrected_record_is_that_of_what_was_seen_right(
    kind: Misreading, rules: RuleSet, seed: int, nth: int, late: bool
) -> None:
    put_right(Story(rules, seed, kind, turns=5, nth=nth, late=late))


@pytest.mark.parametrize(
    ("kind", "seed", "follows"),
    [
        ("die", 0, {"dice", "legal"}),
        ("checker", 1, {"legal", "agrees"}),
        ("cocked", 2, set()),
        ("begins", 4, {"side", "follows"}),
    ],
)
def test_what_follows_otherwise_is_told(kind: Misreading, seed: int, follows: set[str]) -> None:
    """One correction, and what it changes beside: these games are misread indeed."""
    story = Story(ROOMS[seed % len(ROOMS)], seed, kind, turns=4, nth=1)
    referee = put_right(story)
    assert referee.made == 1
    record, correction = referee.record[:-1], referee.record[-1]
    assert isinstance(correction, Correction)
    found = correct(record, [correction], story.start)
    assert {consequence.kind for consequence in found.consequences} - {"position"} == follows
    undone = correct(referee.record, [Correction(t=0, target=len(record), action="strike")], story.start)
    untouched = correct(record, [], story.start)
    assert (undone.events, undone.match) == (untouched.events, untouched.match)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_throw_that_looked_good_and_was_thrown_again_needs_no_referee(seed: int) -> None:
    """It is told once more, as a void one; of the two tellings the later stands."""
    story = Story(ROOMS[seed], seed, "flat", turns=4, nth=1)
    told = [(e.t, e.valid) for e in story.told(misread=True) if isinstance(e, Throw)]
    assert any((t, True) in told and (t, False) in told for t, _ in told)
    assert put_right(story).made == 0


def test_a_board_that_was_read_wrongly_was_never_out_of_step() -> None:
    """What stood then was seen, and agrees with the record as corrected."""
    story = Story(SHORT, 0, "checker", turns=4, nth=1)
    told = story.told(misread=True)
    (desync,) = (event for event in told if isinstance(event, Desync))
    (resync,) = (event for event in told if isinstance(event, Resync))
    assert desync.position == resync.position is not None
    referee = put_right(story)
    assert not [event for event in referee.now.events if isinstance(event, Desync | Resync)]
    texts = [c.text for c in correct(told, referee.record[-1:], story.start).consequences]  # type: ignore[arg-type]
    assert sum("the board stood as the record says now" in text for text in texts) == 2


def test_a_throw_that_was_void_is_played_by_nobody_and_the_next_one_is_the_same_side_s() -> None:
    """What was concluded from a die that was read as lying flat is concluded anew."""
    start = Match(RIGHT_HALF, players=NAMES).apply(
        GameStart(t=0, rules=RIGHT_HALF, position=BEGIN, side_to_move=WHITE)
    )
    lifted = made(BEGIN, WHITE, (6, 5), BEGIN, RIGHT_HALF, 2)
    assert lifted.rule == "M3"
    play = legal_plays(BEGIN, WHITE, (3, 1), RIGHT_HALF)[0]
    first = Throw(t=1, side=WHITE, colour="light", dice=(6, 5), valid=True, halves=("right", "right"))
    record: list[Event] = [
        first,
        lifted,
        # In White's right half, which is not Black's: it was called void, and played all the same.
        Throw(
            t=3,
            side=BLACK,
            colour="dark",
            dice=(3, 1),
            valid=False,
            faults=("wrong_half",),
            halves=("right", "right"),
        ),
        replace(made(BEGIN, WHITE, (3, 1), play.after, RIGHT_HALF, 4), legal=False, rule="D10"),
    ]
    void = replace(first, valid=False, faults=("cocked",))
    found = correct(record, [Correction(t=9, target=0, action="replace", event=void)], start)
    thrown, again, played = found.events
    assert thrown == void
    assert isinstance(again, Throw)
    assert (again.side, again.colour, again.valid, again.faults) == (WHITE, "light", True, ())
    assert isinstance(played, PlayMade)
    assert (played.legal, played.position) == (True, play.after)
    assert found.places == (0, 2, 3)
    assert [(c.index, c.kind) for c in found.consequences] == [
        (1, "nothing"),
        (2, "side"),
        (2, "validity"),
        (3, "follows"),
        (3, "position"),
    ]
    assert found.consequences[1].text == "Ann's throw at 00:03: it was taken for Bob's"


def test_a_turn_that_was_missed_is_put_in_with_its_throw_and_its_play() -> None:
    """What was guessed of it goes, and the throw that was taken for it is the other side's."""
    story = Story(LONG, 3, "missed", turns=4, nth=1)
    assert put_right(story).made == 2
