"""Whole games as transcripts: every event, the sentence said of it, and the match after it.

The transcripts in ``tests/data/golden`` change only when what Zarbiter says or counts changes, so that a
change shows up in review as text. Write them anew with ``python -m tests.engine.test_golden`` and read
the difference.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from engine.actions import offered
from engine.check import check_record
from engine.commentary import sentence
from engine.corrections import replay
from engine.events import (
    CubeAction,
    CubeVerb,
    Decision,
    Dice,
    Event,
    Fault,
    GameEnd,
    GameStart,
    MatchStart,
    PlayMade,
    Resignation,
    RollOff,
    Ruling,
    SetUp,
    Throw,
    TurnEnd,
    dumps,
    loads,
)
from engine.formats.convert import record_of
from engine.judge import judge_play, play_event
from engine.layout import Orientation, colour_of
from engine.legal import legal_plays
from engine.match import Match
from engine.position import CHECKERS, Game, Position, Side, index_of
from engine.rules import RuleSet, default_rules
from engine.scoring import game_result
from tests.shared import DATA

GOLDEN = DATA / "golden"
W, B = Side.WHITE, Side.BLACK


class Table:
    """Makes the events of a match, a second apart, and follows it."""

    def __init__(self, rules: RuleSet, players: tuple[str, str], seed: int) -> None:
        self.rng, self.rules = random.Random(seed), rules
        self.match = Match(rules)
        self.events: list[Event] = []
        self.add(MatchStart(t=0, rules=rules, players=players))

    @property
    def t(self) -> float:
        return float(len(self.events))

    @property
    def position(self) -> Position:
        assert self.match.position is not None
        return self.match.position

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.match = self.match.apply(event)

    def start(self) -> None:
        self.add(GameStart(t=self.t, rules=self.rules, position=Position.start(self.rules.game)))

    def throw(self, side: Side, dice: Dice, *faults: Fault) -> None:
        colour = colour_of(side)
        self.add(Throw(t=self.t, side=side, colour=colour, dice=dice, valid=not faults, faults=faults))

    def play(self, side: Side, dice: Dice, after: Position) -> None:
        """The board after a turn, with what the judge says of it."""
        verdict = judge_play(self.position, side, dice, after, self.rules)
        self.add(play_event(verdict, self.t, Orientation.BOTTOM_RIGHT))

    def turn(self, side: Side) -> None:
        """A throw, unless the roll-off was it, and a random legal play."""
        dice = self.match.dice if self.match.phase == "to_play" else None
        if dice is None:
            dice = (self.rng.randint(1, 6), self.rng.randint(1, 6))
            self.throw(side, dice)
        plays = legal_plays(self.position, side, dice, self.rules)
        self.play(side, dice, self.rng.choice(plays).after)

    def set_up(self, white: dict[int, int], black: dict[int, int], side: Side) -> None:
        """The game goes on from these checkers, each side's by its own points; the rest are off."""
        points, off = [0] * 24, []
        for owner, counts in ((W, white), (B, black)):
            for point, count in counts.items():
                points[index_of(self.rules.game, owner, point)] += owner.sign * count
            off.append(CHECKERS - sum(counts.values()))
        match = self.match
        self.add(
            SetUp(
                t=self.t,
                position=Position(tuple(points), off=(off[0], off[1])),
                side_to_move=side,
                score=match.score,
                cube=match.cube,
                cube_owner=match.cube_owner,
                game_number=match.game_number,
                first=match.first,
            )
        )

    def play_out(self) -> None:
        """To the end of the game."""
        while (result := game_result(self.position, self.rules)) is None:
            assert self.match.side_to_move is not None
            self.turn(self.match.side_to_move)
        self.add(GameEnd(t=self.t, winner=result.winner, result=result.result, points=result.points))


def backgammon() -> list[Event]:
    """One game of backgammon, from the roll-off to the end."""
    table = Table(default_rules(Game.BACKGAMMON), ("Anna", "Boris"), 4)
    table.start()
    table.add(RollOff(t=table.t, white=3, black=3))
    table.add(RollOff(t=table.t, white=2, black=5))
    table.play_out()
    return table.events


def long_nardy() -> list[Event]:
    """One game of long nardy."""
    table = Table(default_rules(Game.LONG_NARDY), ("Vera", "Grigor"), 2)
    table.start()
    table.add(RollOff(t=table.t, white=6, black=1))
    table.play_out()
    return table.events


def match_with_rulings() -> list[Event]:
    """To three points: a foul that stands, one put right, void dice, the cube, Crawford, a resignation."""
    table = Table(replace(default_rules(Game.BACKGAMMON), match_length=3), ("Anna", "Boris"), 2)
    table.start()
    table.add(RollOff(t=table.t, white=5, black=2))
    table.play(W, (5, 2), moved(table.position, W, (13, 8), (6, 5)))  # a 1 instead of the 2
    table.add(TurnEnd(t=table.t, side=W, how="dice_lifted"))
    table.add(Ruling(t=table.t, decision="accept", asked_by=B))
    table.turn(B)
    table.throw(W, (6, 6), "cocked", "two_halves")
    table.turn(W)
    table.throw(B, (3, 1))
    table.play(B, (3, 1), table.position)
    table.add(Ruling(t=table.t, decision="demand", asked_by=W))
    table.play(B, (3, 1), legal_plays(table.position, B, (3, 1), table.rules)[0].after)
    table.add(CubeAction(t=table.t, side=W, action="double", value=2))
    table.add(CubeAction(t=table.t, side=B, action="take", value=2))
    table.play_out()
    table.start()
    table.add(RollOff(t=table.t, white=4, black=6))
    table.turn(B)
    loser = Side.WHITE if table.match.score[0] < table.match.score[1] else Side.BLACK
    table.add(Resignation(t=table.t, side=loser, action="offer", grade="single"))
    table.add(Resignation(t=table.t, side=loser.other, action="accept", grade="single"))
    return table.events


def last_throw() -> list[Event]:
    """Long nardy to two points, from the end of a game: White finishes, Black too; then a mars."""
    usual = default_rules(Game.LONG_NARDY)
    rules = replace(usual, match_length=2, last_throw=True, rolloff_winner_takes_white=True)
    table = Table(rules, ("Vera", "Grigor"), 1)
    table.start()
    table.add(RollOff(t=table.t, white=2, black=6))  # Grigor takes the white checkers
    table.set_up({1: 2}, {1: 2}, W)
    for side, dice in ((W, (4, 1)), (B, (3, 3))):
        table.throw(side, dice)
        table.play(side, dice, legal_plays(table.position, side, dice, rules)[0].after)
    table.add(GameEnd(t=table.t, winner=None, result="draw", points=0.5))
    table.start()
    table.set_up({1: 2}, {7: 15}, B)
    table.throw(B, (1, 1))
    table.play(B, (1, 1), legal_plays(table.position, B, (1, 1), rules)[0].after)
    table.throw(W, (6, 5))
    table.play(W, (6, 5), legal_plays(table.position, W, (6, 5), rules)[0].after)
    return table.events


def money() -> list[Event]:
    """A money game: automatic double, beaver, raccoon; a backgammon in full, a double was taken."""
    rules = replace(
        default_rules(Game.BACKGAMMON), auto_doubles=1, beaver=True, raccoon=True, jacoby=True, crawford=False
    )
    table = Table(rules, ("Anna", "Boris"), 5)
    table.start()
    table.add(RollOff(t=table.t, white=4, black=4))
    table.add(RollOff(t=table.t, white=6, black=4))
    table.turn(W)
    cube: tuple[tuple[Side, CubeVerb, int], ...] = (
        (B, "double", 4),
        (W, "beaver", 8),
        (B, "raccoon", 16),
        (W, "take", 16),
    )
    for side, action, value in cube:
        table.add(CubeAction(t=table.t, side=side, action=action, value=value))
    table.set_up({1: 1}, {22: 3, 12: 12}, W)
    table.throw(W, (2, 1))
    table.play(W, (2, 1), legal_plays(table.position, W, (2, 1), rules)[0].after)
    return table.events


def moved(position: Position, side: Side, *moves: tuple[int, int]) -> Position:
    """Checkers put down elsewhere by hand, on points where no enemy stands."""
    points = list(position.points)
    for source, target in moves:
        points[index_of(Game.BACKGAMMON, side, source)] -= side.sign
        points[index_of(Game.BACKGAMMON, side, target)] += side.sign
    return replace(position, points=tuple(points))


TRANSCRIPTS: dict[str, Callable[[], list[Event]]] = {
    "backgammon": backgammon,
    "long_nardy": long_nardy,
    "match_with_rulings": match_with_rulings,
    "last_throw": last_throw,
    "money": money,
}


def stand(position: Position, game: Game, side: Side) -> str:
    """A side's checkers by its own points: ``24:2 13:5 8:3 6:5``."""
    cells = [f"{p}:{n}" for p in range(24, 0, -1) if (n := position.count(game, side, p))]
    cells = [f"bar:{n}" for n in position.bar[side.index : side.index + 1] if n] + cells
    return " ".join(cells + [f"off:{n}" for n in position.off[side.index : side.index + 1] if n])


def state(match: Match) -> str:
    """The match in one line."""
    mover = match.side_to_move.value if match.side_to_move else "nobody"
    dice = f", {match.dice[0]}-{match.dice[1]}" if match.dice else ""
    cube = f"cube {match.cube}" + (f" of {match.cube_owner.value}" if match.cube_owner else "")
    score = f"{match.score[0]:g}:{match.score[1]:g}" + (", Crawford" if match.crawford else "")
    return f"game {match.game_number}, {match.phase}, {mover}{dice}, {cube}, {score}"


def transcript(events: list[Event]) -> str:
    """An event a paragraph; the board where it is another than before."""
    first = events[0]
    assert isinstance(first, MatchStart)
    match, lines = Match(first.rules), []
    for number, event in enumerate(events):
        before = match
        match = match.apply(event)
        lines += [f"{number:3d} {event.type}: {sentence(event, before)}", f"    [{state(match)}]"]
        if match.position is not None and match.position != before.position:
            game = match.rules.game
            lines += [f"    {side.value} {stand(match.position, game, side)}" for side in Side]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_game_reads_as_it_did(name: str) -> None:
    """The events come out of their JSON as they went in, and say what they said."""
    events = TRANSCRIPTS[name]()
    assert [loads(dumps(event)) for event in events] == events
    assert transcript(events) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def damaged(seed: int) -> list[Event]:
    """A transcript's events, some lost, doubled, out of order, of the other side, or from another match."""
    rng = random.Random(seed)
    events, others = (list(rng.choice(list(TRANSCRIPTS.values()))()) for _ in range(2))
    for _ in range(rng.randint(1, 8)):
        at, other = rng.randrange(len(events)), rng.randrange(len(events))
        match rng.randrange(6):
            case 0:
                del events[at]
            case 1:
                events.insert(at, events[other])
            case 2:
                events[at], events[other] = events[other], events[at]
            case 3:
                events.insert(at, rng.choice(others))
            case 4:
                decision: Decision = rng.choice(get_args(Decision))
                events.insert(at, Ruling(t=1, decision=decision))
            case _ if isinstance(event := events[at], Throw | PlayMade | CubeAction):
                events[at] = replace(event, side=event.side.other)
    return events


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_record_is_followed_as_far_as_it_goes(seed: int) -> None:
    """What cannot follow is refused in one sentence; the rest makes the match, and can be told and judged."""
    events = damaged(seed)
    match = start = Match(default_rules(Game.BACKGAMMON))
    followed: list[Event] = []
    for event in events:
        assert sentence(event, match)
        if (refusal := match.refusal(event)) is not None:
            assert refusal == " ".join(refusal.split())
            continue
        match = match.apply(event)
        followed.append(event)
    assert replay(followed, start.rules) == match
    assert offered(match)
    check_record(record_of(followed))


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, made in TRANSCRIPTS.items():
        (GOLDEN / f"{name}.txt").write_text(transcript(made()), encoding="utf-8")
