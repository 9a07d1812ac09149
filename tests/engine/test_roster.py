"""Rosters: C11, teams, consulting pairs and the chouette as data."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.roster import (
    Chouette,
    Consulting,
    Roster,
    RosterError,
    Seat,
    Singles,
    TeamMatch,
    roster_from_json,
)

PAIRS = Consulting((("Anna", "Boris"), ("Clara", "David")))
TEAMS = TeamMatch(("East", "West"), (("Anna", "Boris", "Clara"), ("David", "Elsa", "Franz")))
CHOUETTE = Chouette("Anna", ("Boris", "Clara", "David"))


@pytest.mark.parametrize(
    "roster",
    [
        Singles(("Anna", "Boris")),
        PAIRS,
        Consulting(PAIRS.pairs, ((1, 0), (1, 1))),
        TEAMS,
        TEAMS.won(2, 1).won(0, 0),
        CHOUETTE,
    ],
)
def test_json(roster: Roster) -> None:
    assert roster_from_json(json.loads(json.dumps(roster.to_json()))) == roster


def test_consulting_partners_take_turns_at_throwing() -> None:
    """C11: two a side, one thrower a game."""
    assert [PAIRS.thrower(0, game) for game in (1, 2, 3)] == ["Anna", "Boris", "Anna"]
    assert PAIRS.names(2) == ("Boris & Anna", "David & Clara")
    given_throwers = Consulting(PAIRS.pairs, ((1, 0),))
    assert [given_throwers.thrower(0, game) for game in (1, 2)] == ["Boris", "Boris"]
    assert given_throwers.names(1) == ("Boris & Anna", "Clara & David")


def test_a_team_match_is_won_with_two_boards() -> None:
    """C11: three boards, two wins."""
    assert TEAMS.pairing(1) == ("Boris", "Elsa")
    assert TEAMS.names() == ("East", "West")
    assert Singles(TEAMS.pairing(1)).names() == ("Boris", "Elsa")
    assert TEAMS.winner is None
    level = TEAMS.won(1, 0).won(0, 1)
    assert (level.wins, level.winner) == ((1, 1), None)
    assert level.won(2, 1).winner == 1
    assert TEAMS.won(1, 0).won(2, 0).winner == 0
    with pytest.raises(RosterError, match="different boards"):
        level.won(1, 1)
    with pytest.raises(RosterError, match="different boards"):
        level.won(3, 1)


@given(st.permutations([0, 1, 2]), st.lists(st.sampled_from([0, 1]), min_size=3, max_size=3))
def test_three_boards_always_have_a_winner(order: list[int], seats: list[Seat]) -> None:
    whole = reduce(lambda match, result: match.won(*result), zip(order, seats, strict=True), TEAMS)
    assert whole.winner == (1 if sum(seats) >= 2 else 0)
    assert whole.wins == (3 - sum(seats), sum(seats))


def test_the_rotation_of_a_chouette() -> None:
    """C11"""
    assert CHOUETTE.names() == ("Anna", "Boris")
    assert CHOUETTE.after(0) == Chouette("Anna", ("Clara", "David", "Boris"))
    assert CHOUETTE.after(1) == Chouette("Boris", ("Clara", "David", "Anna"))


@given(st.lists(st.sampled_from([0, 1]), max_size=20))
def test_nobody_is_lost_in_a_chouette(winners: list[Seat]) -> None:
    last = reduce(Chouette.after, winners, CHOUETTE)
    assert {last.box, *last.team} == {"Anna", "Boris", "Clara", "David"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Singles(("Anna", "Anna")), "twice"),
        (lambda: Singles(("Anna", " ")), "without a name"),
        (lambda: Consulting((("A", "B"), ("C",))), "two players a side"),  # type: ignore[arg-type]
        (lambda: Consulting((("A", "B"), ("C", "A"))), "twice"),
        (lambda: Consulting(PAIRS.pairs, ((0, 2),)), "thrower"),  # type: ignore[arg-type]
        (lambda: TeamMatch(("E", "W"), (("A", "B", "C"), ("D",))), "same number"),
        (lambda: TeamMatch(("E", "W"), (("A", "B"), ("C", "D"))), "2 boards"),
        (lambda: TeamMatch(("E", "E"), TEAMS.players), "twice"),
        (lambda: TeamMatch(TEAMS.teams, TEAMS.players, ((0, 2),)), "first team"),  # type: ignore[arg-type]
        (lambda: Chouette("Anna", ()), "nobody"),
        (lambda: Chouette("Anna", ("Anna",)), "twice"),
    ],
)
def test_what_is_no_roster_is_refused(make: Any, message: str) -> None:
    with pytest.raises(RosterError, match=message):
        make()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "quartet"},
        {"kind": "singles"},
        {"kind": "singles", "players": ["a"]},
        {"kind": "singles", "players": [1, 2]},
        {"kind": "consulting", "pairs": [["a", "b"], 3]},
        {"kind": "team", "teams": ["a", "b"], "players": [["c"], ["d"]], "results": [[0]]},
        {"kind": "team", "teams": ["a", "b"], "players": [["c"], ["d"]], "results": [["x", 0]]},
        {"kind": "chouette", "box": "a", "team": 3},
    ],
)
def test_json_that_is_no_roster_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(RosterError):
        roster_from_json(data)
