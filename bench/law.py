"""Random games under every shipped rule set, with the judge put to the proof at every turn.

Half of the games are led by the generator: a random legal play is made and must be judged legal. The
other half are led by the judge: checkers are moved about by the dice with no regard to the rules, and the
game goes on with what the judge lets pass, which must be a play that the generator knows too. In every game
twenty corruptions of one legal play are judged: each is illegal, with a cause, or is itself a legal play.

``python -m bench.law PRESET SEED`` plays one of the games again and prints what is wrong with it.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields

import click

from bench.tables import table
from engine.events import Dice
from engine.judge import judge_play
from engine.legal import Play, legal_plays
from engine.match import game_result
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import RuleSet
from zarbiter.presets import preset, preset_names

GAMES, QUICK_GAMES = 2000, 20
CORRUPTIONS = 20  #: of one play in each game
PROPOSALS = 4  #: plays that the judge is asked about at a turn which it leads
LONGEST = 3000  #: turns; no random game comes near


@dataclass(slots=True)
class Tally:
    """What was counted; ``failures`` are sentences that begin with preset, seed and turn."""

    games: int = 0
    turns: int = 0
    judged: int = 0  #: plays of the generator that the judge was asked about
    proposals: int = 0  #: plays made up without the rules
    corruptions: int = 0
    illegal: int = 0  #: corruptions that were judged illegal, with a cause
    equal: int = 0  #: corruptions that are legal plays themselves
    failures: list[str] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(other, f.name))
        return self


def play_game(rules: RuleSet, seed: int, corruptions: int = CORRUPTIONS) -> Tally:
    """Play one game to its end; an even seed lets the generator lead, an odd one the judge."""
    return _Game(rules, seed).play(corruptions)


class _Game:
    def __init__(self, rules: RuleSet, seed: int) -> None:
        self.rules, self.seed, self.tally = rules, seed, Tally(games=1)
        self.rng = random.Random(f"{rules.name} {seed}")

    def fail(self, what: str) -> None:
        self.tally.failures.append(f"{self.rules.name} {self.seed} turn {self.tally.turns}: {what}")

    def play(self, corruptions: int) -> Tally:
        rng, rules = self.rng, self.rules
        position, side = Position.start(rules.game), rng.choice(list(Side))
        tried_at = rng.randint(1, 60)  # the turn whose play is corrupted, or the last one
        while self.tally.turns < LONGEST:
            self.tally.turns += 1
            dice = (rng.randint(1, 6), rng.randint(1, 6))
            plays = legal_plays(position, side, dice, rules)
            made = rng.choice(plays)
            self.check_play(position, made)
            after = made.after if self.seed % 2 == 0 else self.led_by_judge(position, side, dice, plays)
            over = after.off[side.index] == CHECKERS
            if self.tally.turns == tried_at or (over and self.tally.turns < tried_at):
                self.corrupt(position, made, plays, corruptions)
            if over != (game_result(after, rules.game) is not None):
                self.fail("a game is over exactly when a side has borne off fifteen (B7)")
            position, side = after, side.other
            if over:
                self.check_score(position, side.other)
                return self.tally
        self.fail("the game does not end")
        return self.tally

    def check_play(self, before: Position, play: Play) -> None:
        """A generated play keeps the checkers together, moves by the dice, and is judged legal."""
        game, after = self.rules.game, play.after
        self.tally.judged += 1
        if (wrong := _disorder(after, game)) is not None:
            self.fail(f"{play.notation}: {wrong}")
        pips = before.pips(game, play.side) - after.pips(game, play.side)
        if pips > sum(play.dice) * (2 if play.dice[0] == play.dice[1] else 1) or pips < 0:
            self.fail(f"{play.notation}: {pips} pips on {play.dice}")
        if _by_hand(before, game, play) != after:
            self.fail(f"{play.notation}: the moves do not lead to the position")
        verdict = judge_play(before, play.side, play.dice, after, self.rules)
        if not verdict.legal or verdict.rule is not None:
            self.fail(f"{play.notation} on {play.dice} is judged illegal: {verdict.rule} {verdict.reason}")

    def led_by_judge(self, before: Position, side: Side, dice: Dice, plays: tuple[Play, ...]) -> Position:
        """A play that the judge lets pass, made up without the generator if it can be."""
        known = {play.after for play in plays}
        passed = None
        for _ in range(PROPOSALS):
            after = _wild(before, self.rules.game, side, _pips(dice, self.rng), self.rng)
            self.tally.proposals += 1
            if judge_play(before, side, dice, after, self.rules).legal != (after in known):
                self.fail(
                    f"judge and generator differ on {after.to_json()} from {before.to_json()} {side} {dice}"
                )
            elif after in known:
                passed = after
        return passed or self.rng.choice(plays).after

    def corrupt(self, before: Position, play: Play, plays: tuple[Play, ...], count: int) -> None:
        """Judge what a legal play becomes when it goes wrong."""
        known = {p.after for p in plays}
        tries = _corruptions(before, play, self.rules, self.rng)
        for _ in range(count):
            kind, after = next(tries)
            self.tally.corruptions += 1
            verdict = judge_play(before, play.side, play.dice, after, self.rules)
            if verdict.legal:
                self.tally.equal += 1
                if after not in known:
                    self.fail(f"{kind} of {play.notation} on {play.dice} is let pass: {after.to_json()}")
            else:
                self.tally.illegal += 1
                if after in known:
                    self.fail(
                        f"{kind} of {play.notation} on {play.dice} is a legal play but judged {verdict.rule}"
                    )
                if not verdict.rule or not verdict.reason:
                    self.fail(f"{kind} of {play.notation} on {play.dice} is illegal without a cause")

    def check_score(self, position: Position, winner: Side) -> None:
        """The result follows from the checkers alone (P1 to P5), worked out here anew."""
        found = game_result(position, self.rules.game)
        if found is None or (found.winner, found.result, found.points) != (
            winner,
            *_grade(position, winner, self.rules),
        ):
            self.fail(f"scored {found} at {position.to_json()}")


def _grade(position: Position, winner: Side, rules: RuleSet) -> tuple[str, int]:
    game, loser = rules.game, winner.other
    left = CHECKERS - position.off[loser.index]
    none_off = left == CHECKERS
    home = sum(position.count(game, loser, point) for point in range(1, 7))
    start_quarter = sum(position.count(game, loser, point) for point in range(19, 25))
    bar = position.bar[loser.index]
    scheme = rules.scoring
    if scheme == "remaining_checkers":
        return "checker", rules.grade("checker") * left
    if scheme == "oin_mars":
        name = "mars" if none_off else "oin"
    elif scheme == "single_gammon_backgammon":
        # The winner's home is the loser's first quarter, where he starts from.
        behind = bar + (start_quarter if rules.koks_zone == "bar_or_home" else 0)
        name = "single" if not none_off else "backgammon" if behind else "gammon"
    elif not none_off:
        name = "simple"
    elif home == CHECKERS:
        name = "home_mars"
    elif start_quarter == CHECKERS if game is Game.LONG_NARDY else bar:
        name = "koks"
    else:
        name = "mars"
    return name, rules.grade(name)


def _disorder(position: Position, game: Game) -> str | None:
    for side in Side:
        if position.checkers(side) != CHECKERS:
            return f"{side.value} has {position.checkers(side)} checkers (G1)"
    return "a checker on the bar (L1)" if game is Game.LONG_NARDY and any(position.bar) else None


def _shift(position: Position, game: Game, side: Side, source: int, target: int) -> Position:
    """One checker taken from a point of its owner to another; a lone enemy there goes to the bar."""
    points, bar, off = list(position.points), list(position.bar), list(position.off)
    if source == BAR:
        bar[side.index] -= 1
    elif source == OFF:
        off[side.index] -= 1
    else:
        points[index_of(game, side, source)] -= side.sign
    if target == BAR:
        bar[side.index] += 1
    elif target == OFF:
        off[side.index] += 1
    else:
        index = index_of(game, side, target)
        if points[index] == -side.sign and game is Game.BACKGAMMON:
            points[index] = 0
            bar[side.other.index] += 1
        points[index] += side.sign
    return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))


def _by_hand(before: Position, game: Game, play: Play) -> Position:
    for move in play.moves:
        before = _shift(before, game, play.side, move.from_point, move.to_point)
    return before


def _stands(position: Position, game: Game, side: Side) -> list[int]:
    return [point for point in range(1, BAR + 1) if position.count(game, side, point)]


def _free(position: Position, game: Game, side: Side) -> list[int]:
    """Points of ``side`` on which a checker of it can be laid down by hand: no two colours on one."""
    return [p for p in range(1, 25) if position.points[index_of(game, side, p)] * side.sign >= 0]


def _pips(dice: Dice, rng: random.Random) -> list[int]:
    return [dice[0]] * 4 if dice[0] == dice[1] else rng.sample(dice, 2)


def _wild(position: Position, game: Game, side: Side, pips: Iterable[int], rng: random.Random) -> Position:
    """Checkers moved by these numbers and onto no closed point, with no regard to any other rule."""
    closed = 2 if game is Game.BACKGAMMON else 1
    for die in pips:
        steps = []
        for source in _stands(position, game, side):
            target = max(source - die, OFF)
            if target == OFF or -position.points[index_of(game, side, target)] * side.sign < closed:
                steps.append((source, target))
        # Bearing off too early is rarely worth asking about; entering nearly always is.
        inner = [s for s in steps if s[1] != OFF] if rng.random() < 0.7 else steps
        inner = [s for s in inner if s[0] == BAR] or inner if rng.random() < 0.8 else inner
        if inner or steps:
            position = _shift(position, game, side, *rng.choice(inner or steps))
    return position


def _corruptions(
    before: Position, play: Play, rules: RuleSet, rng: random.Random
) -> Iterator[tuple[str, Position]]:
    """Without end: what a table might show instead of the play, never the play's own position."""
    game, side = rules.game, play.side
    makers: list[tuple[str, Callable[[], Position | None]]] = [
        ("a checker put elsewhere", lambda: _put_elsewhere(play.after, game, side, rng)),
        ("a checker one point off", lambda: _one_off(play.after, game, side, rng)),
        ("an enemy checker put elsewhere", lambda: _put_elsewhere(play.after, game, side.other, rng)),
        ("a checker too many or too few", lambda: _miscount(play.after, rng)),
        ("the turn cut short", lambda: _cut_short(before, play, rng)),
        ("another roll played", lambda: _other_roll(before, play, rules, rng)),
        ("one more move", lambda: _wild(play.after, game, side, [rng.choice(play.dice)], rng)),
        ("a play without the rules", lambda: _wild(before, game, side, _pips(play.dice, rng), rng)),
        ("the wrong side's play", lambda: _other_side(before, play, rules, rng)),
    ]
    while True:
        kind, make = rng.choice(makers)
        made = make()
        if made is not None and made != play.after:
            yield kind, made


def _put_elsewhere(after: Position, game: Game, side: Side, rng: random.Random) -> Position | None:
    sources, targets = _stands(after, game, side), [*_free(after, game, side), OFF]
    return _shift(after, game, side, rng.choice(sources), rng.choice(targets)) if sources else None


def _one_off(after: Position, game: Game, side: Side, rng: random.Random) -> Position | None:
    steps = [(p, p + by) for p in _stands(after, game, side) for by in (-1, 1)]
    fitting = [step for step in steps if step[1] in _free(after, game, side)]
    return _shift(after, game, side, *rng.choice(fitting)) if fitting else None


def _miscount(after: Position, rng: random.Random) -> Position | None:
    index = rng.choice([i for i in range(24) if after.points[i]])
    sign = 1 if after.points[index] > 0 else -1
    points = list(after.points)
    points[index] += rng.choice((-sign, sign))
    return Position(tuple(points), after.bar, after.off)


def _cut_short(before: Position, play: Play, rng: random.Random) -> Position | None:
    if not play.moves:
        return None
    for move in play.moves[: rng.randrange(len(play.moves))]:
        before = _shift(before, play.game, play.side, move.from_point, move.to_point)
    return before


def _other_roll(before: Position, play: Play, rules: RuleSet, rng: random.Random) -> Position:
    dice = (rng.randint(1, 6), rng.randint(1, 6))
    return rng.choice(legal_plays(before, play.side, dice, rules)).after


def _other_side(before: Position, play: Play, rules: RuleSet, rng: random.Random) -> Position:
    return rng.choice(legal_plays(before, play.side.other, play.dice, rules)).after


def _batch(rules: RuleSet, seeds: range) -> Tally:
    total = Tally()
    for seed in seeds:
        total += play_game(rules, seed)
    return total


def games(quick: bool) -> dict[str, Tally]:
    """Random games of every shipped rule set, on all cores."""
    count = QUICK_GAMES if quick else GAMES
    batches = [range(first, min(first + 100, count)) for first in range(0, count, 100)]
    rules = [preset(name) for name in preset_names()]
    total = {rule_set.name: Tally() for rule_set in rules}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting = [(r.name, pool.submit(_batch, r, seeds)) for r in rules for seeds in batches]
        for name, batch in waiting:
            total[name] += batch.result()
    head = ("rule set", "games", "turns", "plays judged legal", "plays led by the judge", "corruptions")
    rows = [
        (name, t.games, t.turns, t.judged, t.proposals, t.corruptions, t.illegal, t.equal, len(t.failures))
        for name, t in total.items()
    ]
    click.echo(table((*head, "illegal", "equal to a legal play", "failures"), rows))
    for tally in total.values():
        for failure in tally.failures[:20]:
            click.echo(f"\n    {failure}", err=True)
    return total


if __name__ == "__main__":
    for line in play_game(preset(sys.argv[1]), int(sys.argv[2])).failures:
        click.echo(line)
