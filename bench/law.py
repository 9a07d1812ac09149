"""Random games under every shipped rule set and under drawn ones; the judge is tried at every turn.

Half of the games are led by the generator: a random legal play is made and must be judged legal. The
other half are led by the judge: at each turn checkers are moved about by the dice with no regard to the
rules, and the judge has to say of that what the generator knows. The game goes on from there if the judge
lets it pass, else with one of the plays that the judge names. In every game twenty corruptions each of two
legal plays are judged: each is illegal, with a cause, or is itself a legal play. A quarter of the games
begins with a position set up around a row of five or a wall that stands already.

``python -m bench.law RULES SEED`` plays one of the games again and prints what is wrong with it.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import click

from bench.measure import processes
from bench.tables import table
from engine.events import Dice
from engine.judge import Cause, Verdict, judge_play
from engine.legal import Play, legal_plays
from engine.notation import Move
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.rules import GRADES, OPTIONS, RuleSet, Scoring, default_rules
from engine.scoring import GameResult, game_result
from zarbiter.presets import preset, preset_names

GAMES, QUICK_GAMES = 2000, 20
CORRUPTIONS = 20  #: of each play that is corrupted
CORRUPTED = 2  #: plays of each game: one early, one late
DRAWN = " with options drawn"

CUT_SHORT = "the turn cut short"
MISCOUNTED = "a checker too many or too few"
ENEMY_MOVED = "an enemy checker put elsewhere"

#: Corruptions that leave no doubt, and the causes of which one at least has to be named.
CAUSES: dict[str, set[Cause]] = {
    MISCOUNTED: {"checkers_added", "checkers_missing"},
    # An enemy checker that is put where another was hit looks like a hit there, on a closed point.
    ENEMY_MOVED: {"wrong_side", "opponent_moved", "hit_not_on_bar", "bar_without_hit", "closed_point"},
}
LONGEST = 3000  #: turns; no random game comes near


@dataclass(slots=True)
class Tally:
    """What was counted; ``failures`` are sentences that begin with preset, seed and turn."""

    games: int = 0
    turns: int = 0
    judged: int = 0  #: plays of the generator that the judge was asked about
    proposals: int = 0  #: plays made up without the rules
    passed: int = 0  #: those of them that the judge let pass
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
    game = _Game(rules, seed)
    try:
        return game.play(corruptions)
    except Exception as error:  # a crash is what is looked for: it is told with the seed
        game.fail(f"{type(error).__name__}: {error}")
        return game.tally


class _Game:
    def __init__(self, rules: RuleSet, seed: int) -> None:
        self.rules, self.seed, self.tally = rules, seed, Tally(games=1)
        self.rng = random.Random(f"{rules.name} {seed}")

    def fail(self, what: str) -> None:
        self.tally.failures.append(f"{self.rules.name} {self.seed} turn {self.tally.turns}: {what}")

    def play(self, corruptions: int) -> Tally:
        rng, rules = self.rng, self.rules
        side = rng.choice(list(Side))
        position = Position.start(rules.game) if self.seed % 4 < 3 else _set_up(rules.game, side, rng)
        first, last_throw_taken = side, False
        tried_at = [rng.randint(1, 30), rng.randint(31, 80)]  # turns whose play is corrupted, or the last
        while self.tally.turns < LONGEST:
            self.tally.turns += 1
            dice = (rng.randint(1, 6), rng.randint(1, 6))
            plays = legal_plays(position, side, dice, rules)
            made = self.choose(plays)
            self.check_play(position, made)
            after = made.after if self.seed % 2 == 0 else self.led_by_judge(position, side, dice, plays)
            expected = _result(after, rules, first, last_throw_taken)
            while tried_at and (expected or self.tally.turns == tried_at[0]):
                tried_at.pop(0)
                self.corrupt(position, made, plays, corruptions)
            found = game_result(after, rules, first=first, last_throw_taken=last_throw_taken)
            if found != expected:
                self.fail(f"scored {found}, not {expected}, at {after.to_json()}")
            if expected:
                return self.tally
            last_throw_taken = after.off[side.index] == CHECKERS
            position, side = after, side.other
        self.fail("the game does not end")
        return self.tally

    def choose(self, plays: tuple[Play, ...]) -> Play:
        """One at random; in every other pair of games one that makes long rows, or walls would be rare."""
        if self.seed % 4 < 2 or len(plays) == 1:
            return self.rng.choice(plays)
        shuffled = self.rng.sample(plays, len(plays))
        return max(shuffled, key=lambda play: _longest_row(play.after, self.rules.game, play.side))

    def check_play(self, before: Position, play: Play) -> None:
        """A generated play keeps the checkers together, moves by the dice, and is judged legal."""
        game, after = self.rules.game, play.after
        self.tally.judged += 1
        if (wrong := _disorder(after, game)) is not None:
            self.fail(f"{play.notation}: {wrong}")
        pips = before.pips(game, play.side) - after.pips(game, play.side)
        if pips > sum(play.dice) * (2 if play.dice[0] == play.dice[1] else 1) or pips < 0:
            self.fail(f"{play.notation}: {pips} pips on {play.dice}")
        if _by_hand(before, game, play.side, play.moves) != after:
            self.fail(f"{play.notation}: the moves do not lead to the position")
        verdict = judge_play(before, play.side, play.dice, after, self.rules)
        if not verdict.legal or verdict.rule is not None:
            self.fail(f"{play.notation} on {play.dice} is judged illegal: {verdict.rule} {verdict.reason}")

    def led_by_judge(self, before: Position, side: Side, dice: Dice, plays: tuple[Play, ...]) -> Position:
        """A play made up without the rules if the judge lets it pass, else one that it calls legal."""
        after = _wild(before, self.rules.game, side, _pips(dice, self.rng), self.rng)
        verdict = judge_play(before, side, dice, after, self.rules)
        known = after in {play.after for play in plays}
        self.tally.proposals += 1
        self.tally.passed += verdict.legal
        if verdict.legal != known:
            self.fail(
                f"judge and generator differ on {after.to_json()} from {before.to_json()} {side} {dice}"
            )
        return after if verdict.legal else self.choose(verdict.plays).after

    def corrupt(self, before: Position, play: Play, plays: tuple[Play, ...], count: int) -> None:
        """Judge what a legal play becomes when it goes wrong."""
        ways = judge_play(before, play.side, play.dice, play.after, self.rules).ways
        led_to = {_by_hand(before, play.game, play.side, way) for way in ways}
        if led_to != {play.after} or len(set(ways)) < len(ways):
            self.fail(f"{play.notation} on {play.dice}: the ways to play it are not")
        known = {p.after for p in plays}
        tries = _corruptions(before, play, self.rules, self.rng)
        for _ in range(count):
            kind, after = next(tries)
            verdict = judge_play(before, play.side, play.dice, after, self.rules)
            self.tally.corruptions += 1
            self.tally.equal += verdict.legal
            self.tally.illegal += not verdict.legal
            wrong = _misjudged(verdict, kind, after in known, known)
            if wrong:
                self.fail(f"{kind}: {play.notation} on {play.dice} {wrong}, at {after.to_json()}")


def _misjudged(verdict: Verdict, kind: str, legal: bool, known: set[Position]) -> str:
    """What is wrong with the verdict on a corrupted play, if anything."""
    if verdict.legal or legal:
        return "" if verdict.legal == legal else f"is judged legal: {verdict.legal}"
    causes = {breach.cause for breach in verdict.breaches}
    if not all(breach.cause and breach.rule and breach.reason for breach in verdict.breaches):
        return "is illegal without a cause"
    if not all(0 <= point <= BAR for breach in verdict.breaches for point in breach.points):
        return "breaks a rule on a point that there is not"
    if not verdict.nearest or not {play.after for play in verdict.nearest} <= known:
        return "is shown plays that are not legal"
    if kind in CAUSES and not causes & CAUSES[kind]:
        return f"is blamed for {', '.join(sorted(causes))}"
    if kind == CUT_SHORT and not verdict.unfinished:
        return f"is the beginning of a legal play but blamed for {', '.join(sorted(causes))}"
    return ""


def _result(position: Position, rules: RuleSet, first: Side, last_throw_taken: bool) -> GameResult | None:
    """What the checkers alone say of the end (P1 to P5, B7, B8), worked out apart from the engine's scoring.

    ``last_throw_taken``: this is the position after it.
    """
    done = [side for side in Side if position.off[side.index] == CHECKERS]
    if not done or (rules.last_throw and done == [first] and not last_throw_taken):
        return None
    if len(done) == 2:
        return GameResult(None, "draw", {"half": 0.5, "one": 1}[rules.draw_points])
    return GameResult(done[0], *_grade(position, done[0], rules))


def _grade(position: Position, winner: Side, rules: RuleSet) -> tuple[str, int]:
    game, loser = rules.game, winner.other
    left = CHECKERS - position.off[loser.index]
    home = sum(position.count(game, loser, point) for point in range(1, 7))
    # The winner's home is the quarter in which a loser of backgammon begins.
    behind = sum(position.count(game, loser, point) for point in range(19, 25))
    bar, head = position.bar[loser.index], position.count(game, loser, 24)
    koks = head if game is Game.LONG_NARDY else bar + (behind if rules.koks_zone == "bar_or_home" else 0)
    match rules.scoring:
        case "remaining_checkers":
            return "checker", rules.grade("checker") * left
        case "oin_mars":
            name = "oin" if left < CHECKERS else "mars"
        case "single_gammon_backgammon":
            name = "single" if left < CHECKERS else "backgammon" if koks else "gammon"
        case "four_grade" if left < CHECKERS:
            name = "simple"
        case "four_grade":
            name = "koks" if koks else "home_mars" if home == CHECKERS else "mars"
    return name, rules.grade(name)


def _set_up(game: Game, side: Side, rng: random.Random) -> Position:
    """Five points in a row or a wall of six, the rest of the side behind, the enemy mostly on one point."""
    length = rng.choice((5, 5, 6))
    rows = [range(low, low + length) for low in range(2, 24 - length)]
    row = rng.choice([r for r in rows if game is Game.BACKGAMMON or 12 not in r])
    low, own = row[0], [*row] * (2 if game is Game.BACKGAMMON else 1)
    free = [p for p in range(1, 25) if p not in own]
    behind = [p for p in free if p > low and (game is Game.BACKGAMMON or p != 12)] or [24]
    own += [rng.choice(behind) for _ in range(CHECKERS - len(own))]
    free = [p for p in free if p not in own]
    base = 12 if game is Game.LONG_NARDY else rng.choice([p for p in free if p < low])
    enemy = [base if rng.random() < 0.9 else rng.choice(free) for _ in range(CHECKERS)]
    points = [0] * 24
    for points_of, sign in ((own, side.sign), (enemy, -side.sign)):
        for point in points_of:
            points[index_of(game, side, point)] += sign
    return Position(tuple(points))


def _longest_row(position: Position, game: Game, side: Side) -> int:
    """The most points in a row that the side has closed to the other."""
    closed = 2 if game is Game.BACKGAMMON else 1
    row = longest = 0
    for index in range(24):
        row = row + 1 if position.points[index] * side.sign >= closed else 0
        longest = max(longest, row)
    return longest


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


def _by_hand(before: Position, game: Game, side: Side, moves: Iterable[Move]) -> Position:
    for move in moves:
        before = _shift(before, game, side, move.from_point, move.to_point)
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
        inner = [s for s in steps if s[1] != OFF] if rng.random() < 0.9 else steps
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
        (ENEMY_MOVED, lambda: _put_elsewhere(play.after, game, side.other, rng)),
        (MISCOUNTED, lambda: _miscount(play.after, rng)),
        (CUT_SHORT, lambda: _cut_short(before, play, rng)),
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
    held = [i for i in range(24) if after.points[i]]
    if not held:
        return None
    index = rng.choice(held)
    sign = 1 if after.points[index] > 0 else -1
    points = list(after.points)
    points[index] += rng.choice((-sign, sign))
    return Position(tuple(points), after.bar, after.off)


def _cut_short(before: Position, play: Play, rng: random.Random) -> Position | None:
    if not play.moves:
        return None
    made = play.moves[: rng.randrange(len(play.moves))]
    return _by_hand(before, play.game, play.side, made)


def _other_roll(before: Position, play: Play, rules: RuleSet, rng: random.Random) -> Position:
    dice = (rng.randint(1, 6), rng.randint(1, 6))
    return rng.choice(legal_plays(before, play.side, dice, rules)).after


def _other_side(before: Position, play: Play, rules: RuleSet, rng: random.Random) -> Position:
    return rng.choice(legal_plays(before, play.side.other, play.dice, rules)).after


def rule_sets() -> tuple[str, ...]:
    """What is played: every shipped preset, and for either game options that are drawn anew for each game."""
    return (*preset_names(), *(f"{game.value}{DRAWN}" for game in Game))


def rules_of(name: str, seed: int) -> RuleSet:
    """The rule set of a game."""
    if not name.endswith(DRAWN):
        return preset(name)
    rng, rules = random.Random(seed), default_rules(Game(name.removesuffix(DRAWN)))
    scoring: Scoring = rng.choice(list(GRADES))
    drawn: dict[str, Any] = {"name": name, "scoring": scoring, "grades": GRADES[scoring]}
    drawn["head_exc"] = tuple(sorted(rng.sample(range(1, 7), rng.randint(0, 6))))
    for option in OPTIONS.values():
        if option.name not in (*drawn, "raccoon") and isinstance(option.allowed, tuple):
            drawn[option.name] = rng.choice(option.allowed)
    return replace(rules, **drawn)


def _batch(name: str, seeds: range) -> Tally:
    total = Tally()
    for seed in seeds:
        total += play_game(rules_of(name, seed), seed)
    return total


def games(quick: bool) -> dict[str, Tally]:
    """Random games of every rule set, on all cores."""
    count = QUICK_GAMES if quick else GAMES
    batches = [range(first, min(first + 100, count)) for first in range(0, count, 100)]
    total = {name: Tally() for name in rule_sets()}
    with processes(os.cpu_count() or 1) as pool:
        waiting = [(name, pool.submit(_batch, name, seeds)) for name in total for seeds in batches]
        for name, batch in waiting:
            total[name] += batch.result()
    head = ("rule set", "games", "turns", "plays judged legal", "made up", "of them legal")
    rows = [
        (name, *(getattr(tally, f.name) for f in fields(Tally)[:-1]), len(tally.failures))
        for name, tally in total.items()
    ]
    click.echo(table((*head, "corrupted", "illegal", "equal to a legal play", "failures"), rows))
    for tally in total.values():
        for failure in tally.failures[:20]:
            click.echo(f"\n    {failure}", err=True)
    return total


if __name__ == "__main__":
    played = play_game(rules_of(sys.argv[1], int(sys.argv[2])), int(sys.argv[2]))
    click.echo("\n".join(played.failures) or f"nothing is wrong in {played.turns} turns")
