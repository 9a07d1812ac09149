"""What the referee decides, over the record, the store and the tracker of a running match."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.events import BoardSeen, Event, GameStart, PlayMade, RollOff, Ruling, Throw
from engine.judge import judge_play, play_event
from engine.layout import Orientation, colour_of
from engine.observation import Observation
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules
from engine.tracker import Tracker
from tests.engine.test_actions import BUSY, LONG, SHORT, value_of
from webui.feed import Refused
from zarbiter.desk import RefereeDesk
from zarbiter.hub import Hub
from zarbiter.recorder import Recorder
from zarbiter.store import Store, events_of, read_told

from .test_hub import Pen, empty_state

RULES = replace(default_rules(Game.BACKGAMMON), match_length=5, beaver=True)
START = Position.start(Game.BACKGAMMON)
AFTER_31 = Position((-2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))
WRONG_31 = Position((-2, 0, 0, 0, 2, 3, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))
BOARD = BoardSeen(t=0.0, corners=((0, 0),) * 4, orientation=Orientation.BOTTOM_RIGHT, confidence=1.0)


def threw(side: Side, dice: tuple[int, int], t: float) -> Throw:
    return Throw(t=t, side=side, colour=colour_of(side), dice=dice, valid=True)


def played(before: Position, side: Side, dice: tuple[int, int], after: Position, t: float) -> PlayMade:
    return play_event(judge_play(before, side, dice, after, RULES), t, Orientation.BOTTOM_RIGHT)


class Match:
    """A match that a test records, with the desk over it and no camera."""

    def __init__(self, path: Path, rules: RuleSet = RULES) -> None:
        self.path = path
        self.store = Store(path)
        self.row = self.store.unfinished() or self.store.new_match(rules=rules, players=("Ann", "Bob"))
        told = self.store.told(self.row.id)
        self.hub = Hub(empty_state(), told, Pen())
        self.recorder = Recorder(self.store, self.row, self.hub, events_of(told))
        self.desk = RefereeDesk(self.recorder, self.hub)

    def record(self, *events: Event) -> None:
        """What a camera would tell."""
        for event in events:
            self.recorder.record(event).result(5)
        self.desk = RefereeDesk(self.recorder, self.hub)

    def offers(self) -> set[str]:
        return {offer.key for offer in self.hub.state().offers}

    def said(self) -> list[str]:
        return [told.sentence for told in self.hub.told()]

    def close(self) -> None:
        self.hub.close()
        self.store.close()


@pytest.fixture
def match(tmp_path: Path) -> Iterator[Match]:
    made = Match(tmp_path / "match.sqlite")
    yield made
    made.close()


def begun(match: Match) -> None:
    match.record(BOARD, GameStart(t=0.0, rules=match.row.rules or RULES, position=START))


def test_a_double_and_a_take(match: Match) -> None:
    """C2, C3: offered before the throw; who takes owns the cube."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), AFTER_31, 2.0))
    tracker = match.desk.tracker
    assert match.desk.act("double.black", {}) == match.said()[-1]
    assert match.hub.state().phase == "cube offered"
    assert {"take.white", "drop.white", "beaver.white"} <= match.offers()
    assert "double.black" not in match.offers()
    match.desk.act("take.white", {})
    state = match.hub.state()
    assert (state.cube, state.cube_owner, state.phase) == (2, Side.WHITE, "waiting for a throw")
    assert match.desk.tracker is tracker, "what is seen is not forgotten for words"


def test_a_double_after_the_throw_is_told_and_does_not_count(match: Match) -> None:
    """C2: the page no longer offers it as a double, but as a fault."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0))
    assert match.offers() & {"double.white", "late_double.white"} == {"late_double.white"}
    said = match.desk.act("late_double.white", {})
    assert said.startswith("Ann doubles, and it does not count. Rule C2:")
    state = match.hub.state()
    assert (state.cube, state.phase, state.dice) == (1, "moving", (3, 1))
    assert match.hub.told()[-1].alert == "illegal"
    match.record(played(START, Side.WHITE, (3, 1), AFTER_31, 2.0))
    assert match.offers() & {"double.black", "late_double.white"} == {"double.black", "late_double.white"}


def test_a_drop_ends_the_game(match: Match) -> None:
    """C3, C4: who drops loses the stake before the double."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), AFTER_31, 2.0))
    match.desk.act("double.black", {})
    match.desk.act("drop.white", {})
    state = match.hub.state()
    assert (state.score, state.phase) == ((0, 1), "game over")
    assert match.offers() >= {"next_game"}


def test_a_match_that_a_correction_unmakes_can_be_resumed(match: Match) -> None:
    begun(match)
    match.desk.act("set_up", {"side": "black", "score_white": "3", "score_black": "4"})
    match.desk.act("resign.white", {"grade": "single"})
    match.desk.act("accept_resignation.black", {})
    assert match.hub.state().phase == "match over"
    assert match.store.unfinished() is None
    match.desk.correct(match.hub.told()[-2].id, {"change": "strike"}, dry_run=False)
    assert match.hub.state().phase == "waiting for a throw"
    row = match.store.unfinished()
    assert row is not None
    assert row.id == match.row.id


def test_a_demanded_play_is_expected_with_the_same_dice(match: Match) -> None:
    """E5: the position goes back, and the dice are to be played."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), WRONG_31, 2.0))
    state = match.hub.state()
    assert state.verdict is not None
    assert state.verdict.breaches[0].rule == "M1"
    match.desk.act("demand", {})
    now = match.desk.tracker.believed
    assert (now.position, now.side_to_move, now.dice) == (START, Side.WHITE, (3, 1))
    assert match.hub.state().position == START
    assert match.hub.state().verdict == state.verdict, "what was wrong stays in view"


def test_an_accepted_play_stands(match: Match) -> None:
    """E5, E6."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), WRONG_31, 2.0))
    match.desk.act("accept", {})
    assert match.hub.state().position == WRONG_31
    assert not match.offers() & {"accept", "demand"}


class Seer(Tracker):
    """A tracker that tells these events at the next picture, and is believed to follow."""

    told: tuple[Event, ...] = ()

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        return self.told


def test_an_illegal_play_is_put_right_unasked_where_the_rules_say_so(tmp_path: Path) -> None:
    """E5: ``illegal_policy = auto_reject``."""
    match = Match(tmp_path / "match.sqlite", replace(RULES, illegal_policy="auto_reject"))
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0))
    seer = Seer(match.row.rules)
    seer.told = (played(START, Side.WHITE, (3, 1), WRONG_31, 2.0),)
    match.desk.tracker = seer
    match.desk.observe(Observation(2.5, 1, None))
    now = match.desk.tracker.believed
    assert (now.position, now.side_to_move, now.dice) == (START, Side.WHITE, (3, 1))
    assert isinstance(match.recorder.events[-1], Ruling)
    match.close()


def test_of_two_who_decide_at_once_one_is_refused(match: Match) -> None:
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), AFTER_31, 2.0))
    said: list[str] = []

    def double() -> None:
        try:
            said.append(match.desk.act("double.black", {}))
        except Refused as refused:
            said.append(str(refused))

    threads = [threading.Thread(target=double) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(text.startswith("there is nothing to decide") for text in said) == [False] + [True] * 5
    assert len(match.recorder.events) == 5


def test_a_decision_about_what_has_gone_by_is_refused(match: Match) -> None:
    """Who presses as the next dice fall meant the throw before."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0))
    seen = match.hub.state().events
    match.record(played(START, Side.WHITE, (3, 1), AFTER_31, 2.0), threw(Side.BLACK, (6, 5), 3.0))
    with pytest.raises(Refused, match="has gone on in the meantime"):
        match.desk.act("rethrow", {}, seen)
    match.desk.act("rethrow", {}, match.hub.state().events)


def test_a_throw_is_ruled_void_and_stands_again(match: Match) -> None:
    """D10."""
    begun(match)
    match.record(threw(Side.WHITE, (3, 1), 1.0))
    match.desk.act("rethrow", {"reason": "a die is cocked"})
    assert not match.hub.state().dice_valid
    assert not match.desk.tracker.believed.dice_valid
    match.desk.act("stand", {})
    assert match.hub.state().dice_valid


def test_a_position_is_set_up_in_mid_match(match: Match) -> None:
    begun(match)
    values = {
        "position": "backgammon:w=6:5,5:5,4:3/b=bar:1,6:2,5:2",
        "side": "black",
        "dice": "6-2",
        "score_white": "2",
        "cube": "2",
        "owner": "black",
    }
    match.desk.act("set_up", values)
    now, state = match.desk.tracker.believed, match.hub.state()
    assert now.position == state.position
    assert now.position is not None
    assert (now.position.bar, now.position.off) == ((0, 1), (2, 10))
    assert (now.side_to_move, now.dice, state.score) == (Side.BLACK, (6, 2), (2, 0))
    assert (state.cube, state.cube_owner) == (2, Side.BLACK)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"position": "w=24:2"}, "is no position"),
        ({"position": "backgammon:w=6:5,off:9/b=6:5"}, "white has 14 checkers, not 15"),
        ({"position": "nardy:start"}, "a position of long-nardy, and this is a match of backgammon"),
        ({"position": "backgammon:w=off:15/b=6:5"}, "the game is over"),
        ({"score_white": "many"}, "a score is a number of points"),
        ({"score_white": "5"}, "not one of a match in progress"),
        ({"side": "grey"}, "none of the choices"),
        ({"colour": "white"}, "no field 'colour'"),
    ],
)
def test_a_position_that_makes_no_sense_is_refused(match: Match, values: dict[str, str], why: str) -> None:
    begun(match)
    before = match.hub.state()
    with pytest.raises(Refused, match=why):
        match.desk.act("set_up", values)
    assert match.hub.state() == before
    assert len(match.said()) == 2


def test_what_is_not_offered_is_refused(match: Match) -> None:
    begun(match)
    with pytest.raises(Refused, match="nothing to decide now") as refused:
        match.desk.act("take.white", {})
    assert refused.value.unknown


class TestCorrections:
    @pytest.fixture
    def match(self, match: Match) -> Match:
        begun(match)
        match.record(
            threw(Side.WHITE, (3, 1), 1.0),
            played(START, Side.WHITE, (3, 1), AFTER_31, 2.0),
            threw(Side.BLACK, (6, 5), 3.0),
        )
        return match

    def test_what_follows_is_told_before_anything_changes(self, match: Match) -> None:
        throw = match.hub.told()[2].id
        fields = {field.name: field for field in match.desk.fields(throw, "")}
        assert [value for value, _ in fields["change"].choices][:2] == ["replace", "strike"]
        assert fields["first"].value == "3"
        state = match.hub.state()
        values = {"change": "replace", "first": "4", "second": "1"}
        outcome = match.desk.correct(throw, values, dry_run=True)
        assert outcome.was != outcome.now
        assert any("illegal" in words for words in outcome.consequences), outcome
        assert match.hub.state() == state
        assert match.desk.correct(throw, values, dry_run=False) == outcome
        verdict = match.hub.state().verdict
        assert verdict is not None
        assert not verdict.legal
        assert len(match.said()) == 6, "the record is only added to"

    def test_a_play_is_corrected_to_another_legal_one(self, match: Match) -> None:
        play = match.hub.told()[3].id
        (_, choice, _) = match.desk.fields(play, "replace")
        assert choice.value == "8/5 6/5"
        assert "24/20" in dict(choice.choices)
        match.desk.correct(play, {"play": "24/20"}, dry_run=False)
        now = match.desk.tracker.believed
        assert now.position is not None
        assert now.position.points[19] == 1
        assert (now.side_to_move, now.dice) == (Side.BLACK, (6, 5))

    def test_something_missing_is_put_in(self, match: Match) -> None:
        """A take needs the double before it, and both can be put in later (C2, C3)."""
        play = match.hub.told()[3].id
        (change,) = match.desk.fields(play, "insert:double.black")
        assert change.value == "insert:double.black"
        outcome = match.desk.correct(play, {"change": "insert:double.black"}, dry_run=False)
        assert any("waits for its answer" in words for words in outcome.consequences)
        match.desk.correct(match.hub.told()[-1].id, {"change": "insert:take.white"}, dry_run=False)
        state = match.hub.state()
        assert (state.cube, state.cube_owner, state.dice) == (2, Side.WHITE, (6, 5))

    def test_what_is_corrected_next_is_what_stands_now(self, tmp_path: Path) -> None:
        """A throw that was taken for the other side's is offered as that of the side whose it is."""
        match = Match(tmp_path / "void.sqlite")
        match.record(BOARD, GameStart(t=0.0, rules=RULES, position=START, side_to_move=Side.WHITE))
        match.record(threw(Side.WHITE, (6, 5), 1.0), played(START, Side.WHITE, (6, 5), START, 2.0))
        match.record(threw(Side.BLACK, (3, 1), 3.0), played(START, Side.WHITE, (3, 1), AFTER_31, 4.0))
        void, lifted, throw, play = (told.id for told in match.hub.told()[2:])
        outcome = match.desk.correct(void, {"change": "replace", "fault": "cocked"}, dry_run=False)
        assert outcome.consequences[:3] == (
            "Ann's play at 00:02: no checker has moved, and the throw does not count; it is left out.",
            "Ann's throw at 00:03: it was taken for Bob's.",
            "Ann's play at 00:04: it can follow now.",
        )
        fields = {field.name: field.value for field in match.desk.fields(throw, "")}
        assert (fields["side"], fields["first"], fields["second"]) == ("white", "3", "1")
        assert match.hub.state().position == AFTER_31
        (_, choice, _) = match.desk.fields(play, "replace")
        assert choice.value == "8/5 6/5"
        assert match.desk.fields(lifted, "")[0].value == "replace", "it can still be said what it was"
        match.close()

    def test_a_correction_is_undone(self, match: Match) -> None:
        state = match.hub.state()
        match.desk.correct(match.hub.told()[3].id, {"change": "strike"}, dry_run=False)
        assert match.hub.state().position == START
        with pytest.raises(Refused, match="taken out of the record already"):
            match.desk.fields(match.hub.told()[3].id, "")
        (change,) = match.desk.fields(match.hub.told()[-1].id, "")
        assert [value for value, _ in change.choices] == ["strike"]
        match.desk.correct(match.hub.told()[-1].id, {"change": "strike"}, dry_run=False)
        now = match.hub.state()
        assert (now.position, now.dice, now.side_to_move) == (state.position, state.dice, state.side_to_move)

    def test_a_correction_that_says_nothing_new_is_refused(self, match: Match) -> None:
        with pytest.raises(Refused, match="what the record says already"):
            match.desk.correct(match.hub.told()[3].id, {"play": "8/5 6/5"}, dry_run=True)
        with pytest.raises(Refused, match="there is no event 99999"):
            match.desk.correct(99999, {}, dry_run=True)


def test_all_of_it_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "match.sqlite"
    first = Match(path)
    begun(first)
    first.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), WRONG_31, 2.0))
    first.desk.act("demand", {})
    first.desk.correct(first.hub.told()[2].id, {"first": "4", "second": "1"}, dry_run=False)
    state, said = first.hub.state(), first.said()
    first.close()
    again = Match(path)
    now = again.hub.state()
    assert again.said() == said
    assert [(t.id, t.sentence) for t in read_told(path, 1)] == [(t.id, t.sentence) for t in again.hub.told()]
    assert replace(now, version=0, health=()) == replace(state, version=0, health=())
    again.close()


def test_the_length_of_a_match_is_that_of_its_rules(tmp_path: Path) -> None:
    """C8."""
    store = Store(tmp_path / "match.sqlite")
    given = store.new_match(rules=default_rules(Game.BACKGAMMON), length=7)
    assert given.rules is not None
    assert (given.length, given.rules.match_length) == (7, 7)
    of_rules = store.new_match(rules=RULES)
    assert of_rules.length == 5
    unknown = store.new_match(length=3)
    assert (unknown.length, unknown.rules) == (3, None)
    assert store.unfinished() == unknown
    hub = Hub(empty_state(), [], Pen())
    recorder = Recorder(store, unknown, hub)
    recorder.record(GameStart(t=0.0, rules=default_rules(Game.BACKGAMMON), position=START))
    assert (recorder.match.length, recorder.match.rules.match_length) == (3, 3)
    recorder.record(RollOff(t=1.0, white=3, black=1)).result(5)
    hub.close()
    store.close()


@pytest.mark.parametrize("rules", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_decided_record_tracker_and_page_agree(tmp_path: Path, rules: RuleSet, seed: int) -> None:
    """Decisions and corrections at random: the board is one for all, and the same after a restart."""
    rng = random.Random(seed)
    match = Match(tmp_path / "match.sqlite", rules)
    match.record(BOARD, GameStart(t=0.0, rules=rules, position=Position.start(rules.game)))
    decided = 0
    for _ in range(40):
        offers = [offer for offer in match.hub.state().offers if offer.key != "set_up" or rng.random() < 0.2]
        if not offers:
            break
        try:
            if rng.random() < 0.15:
                event = rng.choice(match.hub.told()).id
                (change, *_) = match.desk.fields(event, "")
                fields = match.desk.fields(event, rng.choice(change.choices)[0])
                values = {field.name: value_of(field, rng) for field in fields} | {"change": fields[0].value}
                tried = match.desk.correct(event, values, dry_run=True)
                assert match.desk.correct(event, values, dry_run=False) == tried
            else:
                offer = rng.choices(offers, [BUSY.get(offer.key, 1) for offer in offers])[0]
                match.desk.act(offer.key, {field.name: value_of(field, rng) for field in offer.fields})
        except Refused:
            continue
        decided += 1
        now, board = match.recorder.match, match.desk.tracker.believed
        if now.in_step and now.phase not in ("game_over", "match_over"):
            assert board.position == now.position
    state, said = match.hub.state(), match.said()
    match.close()
    assert decided > 10
    again = Match(match.path)
    over = match.recorder.match.winner is not None
    assert (again.row.id != match.row.id) == over
    if not over:
        assert again.said() == said
        assert replace(again.hub.state(), version=0, health=()) == replace(state, version=0, health=())
    again.close()
