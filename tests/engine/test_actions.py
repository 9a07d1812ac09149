"""What the referee is offered, over random matches that are played by taking offers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Field, Offer, ValueRefused, correctable, filled, offered
from engine.catalogue import CATALOGUE
from engine.events import (
    Desync,
    Dice,
    Doubt,
    Event,
    Fault,
    GameEnd,
    GameStart,
    MatchStart,
    PlayMade,
    Resync,
    SetUp,
    Throw,
    from_json,
    to_json,
)
from engine.judge import judge_play, play_event
from engine.layout import to_slots
from engine.legal import legal_plays
from engine.match import Match, MatchError
from engine.position import Game, Position, Side
from engine.rules import RuleSet, default_rules

SHORT = replace(
    default_rules(Game.BACKGAMMON),
    match_length=9,
    beaver=True,
    raccoon=True,
    auto_doubles=1,
    touch_move=True,
    dice_from="cup_on_demand",
    throw_half="right_half",
    turn_end=("clock", "dice_lifted", "dice_handed_over"),
)
LONG = replace(
    default_rules(Game.LONG_NARDY),
    match_length=3,
    touch_move=True,
    dice_from="cup_on_demand",
    scoring="four_grade",
    grades=(("simple", 1), ("mars", 2), ("home_mars", 3), ("koks", 4)),
)
#: What is taken more often, so that games get on.
BUSY = {"throw": 12, "play": 30, "roll_off": 6, "next_game": 20}


def value_of(field: Field, rng: random.Random) -> str:
    return rng.choice(field.choices)[0] if field.choices else field.value


def illegal(match: Match, event: PlayMade) -> PlayMade:
    """A play that leaves everything where it was."""
    assert match.position is not None
    return replace(
        event,
        moves=(),
        notation="",
        legal=False,
        rule="M3",
        position=match.position,
        slots=to_slots(match.position, match.orientation),
        bar=match.position.bar,
        off=match.position.off,
    )


def walk(rules: RuleSet, seed: int, steps: int) -> Iterator[tuple[Match, tuple[Offer, ...], Offer, Event]]:
    """A match in which somebody takes offers at random: match, offers, the one taken, its event."""
    rng = random.Random(seed)
    match = Match(rules, players=("Ann", "Bob"))
    match = match.apply(GameStart(t=0, rules=rules, position=Position.start(rules.game)))
    for t in range(steps):
        offers = offered(match)
        if not offers:
            assert match.phase == "match_over"
            return
        weights = [BUSY.get(offer.key, 1) for offer in offers]
        offer = rng.choices(offers, weights)[0]
        values = {field.name: value_of(field, rng) for field in offer.fields}
        try:
            event = filled(offer.event, match, values, float(t))
            if isinstance(event, PlayMade) and event.moves and rng.random() < 0.2:
                event = illegal(match, event)
            after = match.apply(event)
        except (MatchError, ValueRefused):
            assert offer.key in ("set_up", "throw"), offer  # whose values may contradict each other
            continue
        yield match, offers, offer, event
        if rng.random() < 0.02:
            after = after.apply(Desync(t=t, reason="bumped", slots=()))
        match = after


@pytest.mark.parametrize(
    "rules", [SHORT, LONG, default_rules(Game.BACKGAMMON), default_rules(Game.LONG_NARDY)]
)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_offer_can_be_taken_as_it_stands(rules: RuleSet, seed: int) -> None:
    for match, offers, _, event in walk(rules, seed, 50):
        assert len({offer.key for offer in offers}) == len(offers)
        for offer in offers:
            assert offer.rows
            assert offer.label
            assert match.refusal(offer.event) is None
            as_shown = {field.name: field.value for field in offer.fields}
            assert match.refusal(filled(offer.event, match, as_shown, 1.0)) is None
            for field in offer.fields:
                assert not field.choices or field.value in dict(field.choices), field
        assert from_json(to_json(event)) == event


@pytest.fixture(scope="module")
def taken() -> dict[str, Offer]:
    """Offers of many matches, by key without the side."""
    found: dict[str, Offer] = {}
    for rules in (SHORT, LONG, replace(SHORT, match_length=0)):
        for seed in range(12):
            for _, offers, _, _ in walk(rules, seed, 60):
                found |= {offer.key.removesuffix(".white").removesuffix(".black"): offer for offer in offers}
    return found


def test_every_row_that_no_camera_sees_is_offered(taken: dict[str, Offer]) -> None:
    """G7 G8 G9 D2 D10 D13 E1 E2 E3 E5 E6 E7 C2 C3 C5 C6 by the catalogue."""
    wanted = {row.id for row in CATALOGUE.values() if row.offered}
    assert len(wanted) > 5
    assert wanted <= {row for offer in taken.values() for row in offer.rows}


def test_all_kinds_of_offers_come_up(taken: dict[str, Offer]) -> None:
    assert set(taken) == {
        "demand", "accept", "double", "take", "drop", "beaver", "raccoon", "rethrow", "premature", "stand",
        "cup", "turn_end.clock", "turn_end.dice_lifted", "turn_end.dice_handed_over", "roll_off", "next_game",
        "resign", "accept_resignation", "refuse_resignation", "adjust", "touched", "throw", "play", "resync",
        "set_up", "keep", "restore", "late_double",
    }  # fmt: skip


def keys(rules: RuleSet, *events: Event) -> set[str]:
    match = Match(rules).apply(GameStart(t=0, rules=rules, position=Position.start(rules.game)))
    for event in events:
        match = match.apply(event)
    return {offer.key for offer in offered(match)}


WHITE_TO_THROW = SetUp(t=1, position=Position.start(Game.BACKGAMMON), side_to_move=Side.WHITE, game_number=2)
WHITE_TO_PLAY = replace(WHITE_TO_THROW, dice=(6, 5))
UNDER_WAY = replace(
    WHITE_TO_PLAY,
    position=Position((-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 6, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1)),
)


def test_who_may_not_double_has_doubled_too_late() -> None:
    """C2."""
    to_throw, to_play = keys(SHORT, WHITE_TO_THROW), keys(SHORT, WHITE_TO_PLAY)
    cube = {"double.white", "double.black", "late_double.white", "late_double.black"}
    assert to_throw & cube == {"double.white", "late_double.black"}
    assert to_play & cube == {"late_double.white", "late_double.black"}


@pytest.mark.parametrize(
    ("rules", "change", "key", "event"),
    [
        pytest.param(SHORT, {"cube": False}, "double.white", WHITE_TO_THROW, id="C2"),
        pytest.param(SHORT, {"cube": False}, "late_double.white", WHITE_TO_PLAY, id="C2"),
        pytest.param(SHORT, {"touch_move": False}, "adjust.white", WHITE_TO_PLAY, id="E7"),
        pytest.param(SHORT, {"dice_from": "any"}, "cup.black", WHITE_TO_THROW, id="D2"),
        pytest.param(SHORT, {"early_roll": "allowed"}, "premature", UNDER_WAY, id="D13"),
        pytest.param(SHORT, {"turn_end": ("dice_lifted",)}, "turn_end.clock.white", WHITE_TO_PLAY, id="E1"),
        pytest.param(
            SHORT, {"turn_end": ("clock",)}, "turn_end.dice_handed_over.white", WHITE_TO_PLAY, id="E2"
        ),
        pytest.param(SHORT, {"turn_end": ("clock",)}, "turn_end.dice_lifted.white", WHITE_TO_PLAY, id="E3"),
    ],
)
def test_the_rule_set_decides_what_is_offered(
    rules: RuleSet, change: dict[str, object], key: str, event: Event
) -> None:
    assert key in keys(rules, event)
    assert key not in keys(replace(rules, **change), event)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("white", "black", "dice", "void"),
    [
        ({6: 5, 5: 5, 4: 5}, {24: 1, 6: 14}, (2, 1), True),  # contact, and a choice
        ({6: 5, 5: 5, 4: 5}, {6: 5, 5: 5, 4: 5}, (2, 1), False),  # a race
        ({24: 1, 6: 14}, {7: 2, 6: 13}, (6, 5), False),  # contact, but only one play
    ],
)
def test_an_early_throw_counts_after_a_forced_play_or_without_contact(
    white: dict[int, int], black: dict[int, int], dice: Dice, void: bool
) -> None:
    """D13."""
    points = [0] * 24
    for point, count in white.items():
        points[point - 1] += count
    for point, count in black.items():
        points[24 - point] -= count
    rules = replace(SHORT, early_roll="void_unless_forced_or_no_contact")
    match = Match(rules).apply(
        SetUp(t=1, position=Position(tuple(points)), side_to_move=Side.WHITE, dice=dice, game_number=2)
    )
    match = match.apply(next(offer.event for offer in offered(match) if offer.key == "play"))
    match = match.apply(Throw(t=2, side=Side.BLACK, colour="dark", dice=(3, 1), valid=True))
    assert ("premature" in {offer.key for offer in offered(match)}) == void


def test_a_throw_that_came_too_early_closes_no_claim() -> None:
    """D13, E6: once it is void, the illegal play before it may be put right still."""
    match = Match(SHORT).apply(WHITE_TO_PLAY)
    assert "premature" not in {offer.key for offer in offered(match)}  # nobody played before it
    play = next(offer.event for offer in offered(match) if offer.key == "play")
    assert isinstance(play, PlayMade)
    match = match.apply(replace(play, legal=False, rule="M3", position=WHITE_TO_PLAY.position))
    assert "demand" in {offer.key for offer in offered(match)}
    match = match.apply(Throw(t=2, side=Side.BLACK, colour="dark", dice=(3, 1), valid=True))
    offers = {offer.key: offer for offer in offered(match)}
    assert "demand" not in offers
    match = match.apply(offers["premature"].event)
    offers = {offer.key: offer for offer in offered(match)}
    put_right = match.apply(offers["demand"].event)
    assert (put_right.side_to_move, put_right.dice) == (Side.WHITE, (6, 5))


def test_the_end_of_a_game_is_worth_what_its_grade_says() -> None:
    """P4, P5: corrected, it has the points of the grade, or of the checkers that are left."""
    for rules, result, points in (
        (SHORT, "gammon", 2),
        (replace(SHORT, scoring="remaining_checkers", grades=(("checker", 1),)), "checker", 15),
    ):
        match = Match(rules).apply(WHITE_TO_PLAY)
        end = GameEnd(t=3, winner=Side.WHITE, result=result, points=99)
        found = filled(end, match, {"side": "black"}, 3.0)
        assert isinstance(found, GameEnd)
        assert (found.winner, found.points) == (Side.BLACK, points)


def test_a_checker_that_was_touched_and_not_moved_is_a_claim() -> None:
    """E7: a legal play may be put right if another checker was touched first."""
    match = Match(SHORT).apply(WHITE_TO_PLAY)
    play = next(offer.event for offer in offered(match) if offer.key == "play")
    played = match.apply(play)
    assert "demand" not in {offer.key for offer in offered(played)}
    claim = next(offer.event for offer in offered(match) if offer.key == "touched.black")
    claimed = match.apply(claim).apply(play)
    demand = next(offer for offer in offered(claimed) if offer.key == "demand")
    assert (demand.rows, demand.side) == (("E7",), Side.BLACK)
    assert claimed.apply(demand.event).phase == "to_play"


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_whatever_is_recorded_can_be_corrected(seed: int) -> None:
    """Each field of each event, filled in as it is, changes nothing; filled in otherwise it does."""
    for match, _, _, event in walk(SHORT, seed, 40):
        if isinstance(event, Resync):
            continue
        fields = correctable(event, match)
        same = {field.name: field.value for field in fields}
        assert filled(event, match, same, event.t) == event
        for field in fields:
            for value, _ in field.choices:
                try:
                    changed = filled(event, match, {field.name: value}, event.t)
                except ValueRefused:
                    continue
                assert (changed == event) == (value == field.value), (event, field, value)


@pytest.mark.parametrize(
    "event",
    [
        Desync(t=0, reason="bumped", slots=()),
        Doubt(t=0, about="play", options=()),
        MatchStart(t=0, rules=SHORT),
    ],
)
def test_what_was_seen_is_not_corrected(event: Event) -> None:
    with pytest.raises(ValueRefused):
        correctable(event, Match(SHORT))


def test_values_that_were_not_asked_for_are_refused() -> None:
    with pytest.raises(ValueRefused, match="no field 'die'"):
        filled(WHITE_TO_THROW, Match(SHORT), {"die": "6"}, 0.0)
    with pytest.raises(ValueRefused, match="none of the choices"):
        filled(WHITE_TO_THROW, Match(SHORT), {"dice": "7-1"}, 0.0)


@pytest.mark.parametrize("fault", get_args(Fault))
def test_a_void_throw_can_be_corrected_whatever_made_it_void(fault: Fault) -> None:
    match = Match(SHORT).apply(WHITE_TO_THROW)
    void = Throw(t=2, side=Side.WHITE, colour="light", dice=(6, 5), valid=False, faults=(fault,))
    values = {field.name: field.value for field in correctable(void, match)}
    assert filled(void, match, values, 2) == void


def test_a_play_that_is_written_like_a_legal_one_but_is_none_can_be_corrected_to_it() -> None:
    """G11: White played as he may, and a checker of Black's was moved along."""
    start = Position.start(Game.BACKGAMMON)
    match = Match(SHORT).apply(GameStart(t=0, rules=SHORT, position=start, side_to_move=Side.WHITE))
    match = match.apply(Throw(t=1, side=Side.WHITE, colour="light", dice=(3, 1), valid=True))
    (right,) = (p for p in legal_plays(start, Side.WHITE, (3, 1), SHORT) if p.notation == "8/5 6/5")
    points = list(right.after.points)
    points[0], points[1] = points[0] + 1, -1
    wrong = judge_play(start, Side.WHITE, (3, 1), replace(right.after, points=tuple(points)), SHORT)
    told = play_event(wrong, 2, match.orientation)
    assert (told.notation, told.legal) == (right.notation, False)
    field = next(field for field in correctable(told, match) if field.name == "play")
    assert dict(field.choices)[field.value] == "8/5 6/5 (as recorded)"
    assert filled(told, match, {"play": field.value}, 2.0) == told
    mended = filled(told, match, {"play": right.notation}, 2.0)
    assert isinstance(mended, PlayMade)
    assert (mended.position, mended.legal) == (right.after, True)
