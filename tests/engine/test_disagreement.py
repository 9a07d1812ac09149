"""A board that does not stand as recorded: what is told of it, and what the referee makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import ValueRefused, correctable, filled, offered
from engine.commentary import sentence
from engine.disagreement import Disagreement
from engine.events import Desync, Event, GameStart, PlayMade, Resync, Ruling, Throw, from_json, to_json
from engine.formats.positions import format_position
from engine.judge import judge_play, play_event
from engine.layout import Orientation, colour_of, slot_of
from engine.legal import legal_plays
from engine.match import Match, MatchError
from engine.position import Game, Position, Side
from engine.rules import default_rules

RULES = default_rules(Game.BACKGAMMON)
START = Position.start(Game.BACKGAMMON)
WHITE, BLACK = Side.WHITE, Side.BLACK
#: One white checker from White's 6-point (Black's 19) lies on his 4-point (Black's 21).
BUMPED = Position((-2, 0, 0, 1, 0, 4, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))
SLOTS = tuple(sorted(slot_of(Orientation.BOTTOM_RIGHT, index) for index in (3, 5)))


def after(*events: Event) -> Match:
    match = Match(RULES, players=("Ann", "Bob")).apply(GameStart(t=0, rules=RULES, position=START))
    for event in events:
        match = match.apply(event)
    return match


def throw(side: Side, dice: tuple[int, int]) -> Throw:
    return Throw(t=1, side=side, colour=colour_of(side), dice=dice, valid=True)


DESYNC = Desync(t=2, reason="2 points do not stand as recorded", slots=SLOTS, position=BUMPED)


def test_places_are_named_in_the_points_of_the_side_to_move() -> None:
    of_white = Disagreement(Game.BACKGAMMON, START, BUMPED, WHITE)
    assert [d.text for d in of_white.differences] == [
        "point 4 (record none, board 1 white)",
        "point 6 (record 5 white, board 4 white)",
    ]
    of_black = Disagreement(Game.BACKGAMMON, START, BUMPED, BLACK)
    assert [d.place for d in of_black.differences] == ["point 19", "point 21"]
    assert of_black.sentence("Bob") == (
        "Board and record disagree, in Bob’s points: point 19 (record 5 white, board 4 white) and "
        "point 21 (record none, board 1 white)."
    )


def test_the_bar_and_what_is_off_are_named_by_side() -> None:
    hit = Position((-1, *START.points[1:]), bar=(0, 1))
    lost = Position((*START.points[:23], 1), off=(1, 0))
    assert [d.text for d in Disagreement(Game.BACKGAMMON, START, hit, WHITE).differences] == [
        "point 1 (record 2 black, board 1 black)",
        "the bar (record none, board 1 black)",
    ]
    assert [d.text for d in Disagreement(Game.BACKGAMMON, START, lost, WHITE).differences][-1] == (
        "off the board (record none, board 1 white)"
    )


def test_a_sentence_names_four_places_at_most() -> None:
    upside_down = Position(tuple(-n for n in START.points))
    text = Disagreement(Game.BACKGAMMON, START, upside_down, WHITE).sentence("Ann")
    assert text.count("record") == 4 + 1
    assert text.endswith("and 4 more places.")


def test_long_nardy_has_points_of_its_own() -> None:
    start = Position.start(Game.LONG_NARDY)
    moved = Position((*start.points[:11], -14, *start.points[12:17], -1, *start.points[18:]))
    found = Disagreement(Game.LONG_NARDY, start, moved, BLACK).differences
    assert [d.place for d in found] == ["point 6", "point 24"]


def test_a_desync_is_told_with_its_points_and_judging_has_stopped() -> None:
    match = after(throw(WHITE, (3, 1)))
    assert sentence(DESYNC, match) == (
        "Board and record disagree, in Ann’s points: point 4 (record none, board 1 white) and "
        "point 6 (record 5 white, board 4 white). Judging has stopped."
    )
    old = replace(DESYNC, position=None)
    assert "2 points do not stand as recorded" in sentence(old, match)


def test_both_ways_on_are_offered_while_the_board_is_out_of_step_and_only_then() -> None:
    match = after(throw(WHITE, (3, 1)))
    assert not {"keep", "restore"} & {offer.key for offer in offered(match)}
    out = match.apply(DESYNC)
    offers = {offer.key: offer for offer in offered(out, BUMPED)}
    assert next(iter(offers.values())).group == "step", "it comes first"
    fields = {field.name: field.value for field in offers["keep"].fields}
    assert fields == {
        "side": "white",
        "dice": "3-1",
        "position": format_position(BUMPED, Game.BACKGAMMON),
    }
    back = out.apply(Ruling(t=3, decision="restore"))
    assert "restore" not in {offer.key for offer in offered(back, BUMPED)}, "once is enough"
    assert "keep" in {offer.key for offer in offered(back, BUMPED)}, "he may think again"


def test_the_board_is_put_back_and_the_dice_that_were_thrown_are_still_to_be_played() -> None:
    match = after(throw(WHITE, (3, 1)))
    back = match.apply(DESYNC).apply(Ruling(t=3, decision="restore"))
    assert back.restoring
    again = back.apply(Resync(t=4, reason="the board stands as recorded again"))
    assert again == match


def test_the_board_stays_and_the_game_goes_on_from_it() -> None:
    out = after(throw(WHITE, (3, 1)), DESYNC)
    keep = next(offer for offer in offered(out, BUMPED) if offer.key == "keep")
    event = filled(keep.event, out, {"side": "black", "dice": ""}, 5.0)
    assert isinstance(event, Resync)
    assert event.slots == SLOTS
    on = out.apply(event)
    assert (on.position, on.side_to_move, on.phase, on.in_step) == (BUMPED, BLACK, "to_throw", True)
    assert sentence(event, out) == "The game goes on from the board as it stands: Bob to throw."
    event = filled(keep.event, out, {"side": "white", "dice": "6-5"}, 5.0)
    on = out.apply(event)
    assert (on.side_to_move, on.phase, on.dice) == (WHITE, "to_play", (6, 5))
    assert sentence(event, out).endswith("Ann to play 6-5.")
    play = legal_plays(BUMPED, WHITE, (6, 5), RULES)[0]
    made: PlayMade = play_event(
        judge_play(BUMPED, WHITE, (6, 5), play.after, RULES), 6, Orientation.BOTTOM_RIGHT
    )
    assert on.apply(made).position == play.after
    assert from_json(to_json(event)) == event


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"position": "backgammon:w=6:5,off:9/b=6:5"}, "white has 14 checkers"),
        ({"position": "backgammon:w=off:15/b=6:5"}, "the game is over"),
    ],
)
def test_a_board_that_nobody_can_play_on_from_is_refused(values: dict[str, str], why: str) -> None:
    out = after(throw(WHITE, (3, 1)), DESYNC)
    keep = next(offer for offer in offered(out, BUMPED) if offer.key == "keep")
    with pytest.raises(MatchError, match=why):
        out.apply(filled(keep.event, out, values, 5.0))
    with pytest.raises(ValueRefused, match="is no position"):
        filled(keep.event, out, {"position": "somewhere"}, 5.0)


def test_what_was_gone_on_from_can_be_corrected() -> None:
    """Also a board that the camera has taken by itself; there nobody need say whose turn it is."""
    out = after(throw(WHITE, (3, 1)), DESYNC)
    taken = Resync(t=5, reason="the game goes on from the board as it stands", slots=SLOTS, position=BUMPED)
    fields = {field.name: field for field in correctable(taken, out)}
    assert fields["side"].value == ""
    mended = filled(taken, out, {"position": format_position(START, Game.BACKGAMMON), "side": "white"}, 5.0)
    assert isinstance(mended, Resync)
    assert (mended.slots, mended.position, mended.side_to_move) == ((), START, WHITE)
    with pytest.raises(ValueRefused):
        correctable(Resync(t=5, reason="the board stands as recorded again"), out)


def test_there_is_nothing_to_put_back_while_the_board_is_in_step() -> None:
    with pytest.raises(MatchError, match="nothing to put back"):
        after(throw(WHITE, (3, 1)), Ruling(t=3, decision="restore"))
