"""What the players of the simulated table play: sensible legal plays, or a foul when told to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.events import Dice
from engine.judge import judge_play
from engine.legal import Leave, Play, legal_plays, position_of, reach, view_of
from engine.notation import Move
from engine.position import BAR, OFF, Game, Position, Side
from engine.rules import RuleSet

#: Rules (rules.md) that a play can be told to break, by game.
PLAY_FAULTS: dict[Game, tuple[str, ...]] = {
    Game.BACKGAMMON: ("E8", "M3", "G5", "K2", "B1", "G11"),
    Game.LONG_NARDY: ("E8", "M3", "L2", "G4", "B1", "L7", "G11"),
}
_LEAVES = {
    "K2": Leave.BAR_FIRST,
    "L2": Leave.HEAD,
    "L7": Leave.WALL,
    "B1": Leave.ALL_HOME,
    "G4": Leave.FORWARD,
    "G5": Leave.FORWARD,
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A play that was chosen: its moves, what the truth says of it, and an opponent's checker moved."""

    moves: tuple[Move, ...]
    after: Position
    told: tuple[tuple[int, int], ...]
    notation: str
    rule: str | None = None
    foreign: Move | None = None


def _worth(after: Position, game: Game, side: Side) -> float:
    """How much a sensible player likes a position: ahead, safe, and with points made."""
    own = [after.count(game, side, p) for p in range(26)]
    value = -after.pips(game, side) / 4 + own[OFF]
    if game is Game.LONG_NARDY:
        return value + 0.8 * sum(n > 0 for n in own[1:24]) - 0.35 * own[24]
    other = side.other
    theirs = [after.count(game, other, p) for p in range(26)]
    value += 4.0 * theirs[BAR]
    for point in range(1, 25):
        if own[point] >= 2:
            value += 1.5 if point <= 8 else 0.6
        elif own[point] == 1:
            # Enemy checkers that stand ahead of a blot, as the enemy moves, may hit it.
            shooters = sum(theirs[p] for p in range(26 - point, min(26, 25 - point + 13)))
            value -= min(shooters, 4) * (25 - point) / 12
    return value


def _height(play: Play) -> float:
    own = [play.after.count(play.game, play.side, point) for point in range(1, 25)]
    return 2.0 * max(own) + sum(4.0 * (n - 4) for n in own if n > 4)


def choose(plays: Sequence[Play], rng: np.random.Generator, stacking: bool = False) -> Play:
    """A sensible play, not always the best; if ``stacking``, by one who likes stacks of six and more."""
    values = [_worth(p.after, p.game, p.side) + rng.normal(0, 0.8) for p in plays]
    if stacking:
        values = [v + _height(p) for v, p in zip(values, plays, strict=True)]
    return plays[int(np.argmax(values))]


def _foul_candidates(
    kind: str, before: Position, side: Side, dice: Dice, rules: RuleSet, rng: np.random.Generator
) -> Iterator[tuple[tuple[Move, ...], Position, Move | None]]:
    """Ways to break a rule, physically possible ones, in no order; most of them break just that rule."""
    game = rules.game

    def reached(
        found: Sequence[Mapping[Position, tuple[Move, ...]]],
    ) -> list[tuple[tuple[Move, ...], Position, None]]:
        ways = [(moves, end, None) for group in found for end, moves in group.items()]
        return [ways[i] for i in rng.permutation(len(ways))]

    if kind == "G11":
        for play in legal_plays(before, side, dice, rules):
            after = view_of(play.after, game, side.other)
            for point in rng.permutation(np.arange(7, 25)).tolist():
                target = point - int(rng.integers(1, 7))
                if after.own[point] and not after.enemy[target]:
                    own = list(after.own)
                    own[point] -= 1
                    own[target] += 1
                    moved = position_of(replace(after, own=tuple(own)), game, side.other)
                    yield play.moves, moved, Move(point, target)
        return
    if kind == "M3":
        counts = reach(before, side, dice, rules)
        yield from reached(counts[1 : max((n for n, group in enumerate(counts) if group), default=0)])
        return
    if kind == "E8":
        for which in rng.permutation(2).tolist():
            for wrong in rng.permutation(np.arange(1, 7)).tolist():
                rolled = (wrong, dice[1]) if which == 0 else (dice[0], wrong)
                if dice[0] != dice[1] and rolled[0] != rolled[1] and wrong not in dice:
                    yield from reached(reach(before, side, rolled, rules)[2:])
        return
    yield from reached(reach(before, side, dice, rules, _LEAVES[kind])[1:])


def foul(
    kind: str, before: Position, side: Side, dice: Dice, rules: RuleSet, rng: np.random.Generator
) -> Turn | None:
    """An illegal play that breaks the rule ``kind`` and for which the judge names it, if there is one."""
    for tried, (moves, after, foreign) in enumerate(_foul_candidates(kind, before, side, dice, rules, rng)):
        verdict = judge_play(before, side, dice, after, rules)
        if not verdict.legal and verdict.rule == kind:
            return Turn(moves, after, verdict.moves, verdict.notation, kind, foreign)
        if tried > 80:
            break
    return None
