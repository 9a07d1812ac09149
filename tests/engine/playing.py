"""Whole games and matches as events, for tests of what follows from events."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from engine.events import (
    Call,
    CubeAction,
    CubeVerb,
    Decision,
    Dice,
    Event,
    Fault,
    GameEnd,
    GameStart,
    PlayMade,
    Resignation,
    RollOff,
    Ruling,
    Throw,
    TurnEnd,
)
from engine.judge import judge_play, play_event
from engine.layout import Orientation, colour_of
from engine.legal import legal_plays
from engine.match import Match
from engine.position import CHECKERS, Game, Position, Side, index_of
from engine.rules import RuleSet, default_rules
from engine.scoring import game_result


def random_game(game: Game, seed: int) -> Iterator[Event]:
    """A game of random legal plays, from the start to the end, a throw every ten seconds."""
    rng, rules = random.Random(seed), default_rules(game)
    position, side, t = Position.start(game), rng.choice(list(Side)), 0.0
    yield GameStart(t=t, rules=rules, position=position, side_to_move=side)
    while (result := game_result(position, rules)) is None:
        t += 10
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        yield Throw(t=t, side=side, colour=colour_of(side), dice=dice, valid=True)
        play = rng.choice(legal_plays(position, side, dice, rules))
        yield made(position, side, dice, play.after, rules, t + 5)
        position, side = play.after, side.other
    yield GameEnd(t=t + 6, winner=result.winner, result=result.result, points=result.points)


def made(before: Position, side: Side, dice: Dice, after: Position, rules: RuleSet, t: float = 0) -> PlayMade:
    """A play as the camera tells it, with the judge's verdict."""
    return play_event(judge_play(before, side, dice, after, rules), t, Orientation.BOTTOM_RIGHT)


def late_position(rng: random.Random, game: Game) -> Position:
    """A position near the end, in which each side has a few checkers left, or all of them."""
    points, off = [0] * 24, [0, 0]
    for side in Side:
        left = rng.choice((1, 2, 3, 4, CHECKERS))
        own = rng.sample(range(1, 7), 2) if left < CHECKERS else [1, 2, 3, 9, 24]
        for nth in range(left):
            index = index_of(game, side, own[nth % len(own)])
            points[index if points[index] * side.sign >= 0 else index_of(game, side, 6)] += side.sign
        off[side.index] = CHECKERS - left
    return Position(tuple(points), off=(off[0], off[1]))


class Scribe:
    """Writes down a match as it is played: a fold and the events that led to it."""

    def __init__(self, rules: RuleSet, players: tuple[str, str] = ("Anna", "Boris")) -> None:
        self.match = Match(rules, players=players)
        self.events: list[Event] = []

    @property
    def t(self) -> float:
        return 5.0 * len(self.events)

    def tell(self, event: Event) -> None:
        self.match = self.match.apply(event)
        self.events.append(event)


def random_match(rules: RuleSet, seed: int, games: int = 3) -> list[Event]:
    """A match of late positions with all that people may do and say; it ends after ``games`` at most."""
    rng = random.Random(seed)
    scribe = Scribe(rules)
    while scribe.match.game_number < games and scribe.match.winner is None:
        _random_game(scribe, rng)
    return scribe.events


def _random_game(scribe: Scribe, rng: random.Random) -> None:
    rules = scribe.match.rules
    scribe.tell(GameStart(t=scribe.t, rules=rules, position=late_position(rng, rules.game)))
    while scribe.match.side_to_move is None:
        scribe.tell(RollOff(t=scribe.t, white=rng.randint(1, 6), black=rng.randint(1, 6)))
    while scribe.match.phase not in ("game_over", "match_over"):
        if scribe.match.phase == "to_throw":
            _before_the_throw(scribe, rng)
        if scribe.match.phase == "to_play":
            _play(scribe, rng)
    end = scribe.match.result
    assert end is not None
    if rng.random() < 0.8:
        scribe.tell(GameEnd(t=scribe.t, winner=end.winner, result=end.result, points=end.points))


def _before_the_throw(scribe: Scribe, rng: random.Random) -> None:
    match = scribe.match
    side = match.side_to_move
    assert side is not None
    double = CubeAction(t=scribe.t, side=side, action="double", value=2 * match.cube)
    if rng.random() < 0.2 and match.refusal(double) is None:
        scribe.tell(double)
        while scribe.match.phase == "cube_offered":
            _answer(scribe, rng)
        return
    if rng.random() < 0.05:
        grade = rng.choice(match.rules.grades)[0]
        scribe.tell(Resignation(t=scribe.t, side=side, action="offer", grade=grade))
        answers: tuple[Literal["accept", "refuse"], ...] = ("accept", "refuse")
        scribe.tell(Resignation(t=scribe.t, side=side.other, action=rng.choice(answers)))
        return
    dice, valid = (rng.randint(1, 6), rng.randint(1, 6)), rng.random() < 0.9
    faults: tuple[Fault, ...] = () if valid else ("cocked",)
    colour = colour_of(side)
    scribe.tell(Throw(t=scribe.t, side=side, colour=colour, dice=dice, valid=valid, faults=faults))
    if rng.random() < 0.05:
        scribe.tell(Ruling(t=scribe.t, decision="rethrow" if valid else "stand"))
    elif not valid and rng.random() < 0.3:
        _play(scribe, rng, void=True)


def _answer(scribe: Scribe, rng: random.Random) -> None:
    match, side = scribe.match, scribe.match.to_answer
    assert side is not None
    answers: dict[CubeVerb, int] = {
        "take": match.offered,
        "drop": match.offered // 2,
        "beaver": 2 * match.offered,
        "raccoon": 2 * match.offered,
    }
    options = [CubeAction(t=scribe.t, side=side, action=verb, value=value) for verb, value in answers.items()]
    scribe.tell(rng.choice([event for event in options if match.refusal(event) is None]))


def _play(scribe: Scribe, rng: random.Random, *, void: bool = False) -> None:
    """Play the dice that lie there; those of a void throw must not be played (D10)."""
    match = scribe.match
    side, dice, before = match.side_to_move, match.dice, match.position
    assert side is not None
    assert dice is not None
    assert before is not None
    if rng.random() < 0.05 and not void:
        scribe.tell(Call(t=scribe.t, side=side, what="adjust", point=6))
    rolled = dice if rng.random() < 0.85 else (rng.randint(1, 6), rng.randint(1, 6))
    after = rng.choice(legal_plays(before, side, rolled, match.rules)).after
    play = made(before, side, dice, after, match.rules, scribe.t)
    if void and play.legal:
        play = replace(play, legal=False, rule="D10")
    scribe.tell(play)
    if rng.random() < 0.3:
        how = rng.choice(match.rules.turn_end)
        scribe.tell(TurnEnd(t=scribe.t, side=side, how=how))
    decisions: tuple[Decision, ...] = ("demand", "accept")
    for decision in decisions:
        ruling = Ruling(t=scribe.t, decision=decision, asked_by=side.other)
        if rng.random() < 0.4 and scribe.match.refusal(ruling) is None and scribe.match.rejected is None:
            scribe.tell(ruling)
