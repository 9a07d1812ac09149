"""How a game may begin that does not begin from a set-up board as the tracker knows it.

A board that is set up almost right is told apart from one on which a game is under way, and of such a one
it is weighed which way round it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from engine.disagreement import NAMED, checkers
from engine.layout import SLOTS, Orientation, from_slots, index_at, to_slots
from engine.legal import legal_plays
from engine.observation import Observation
from engine.position import CHECKERS, Game, Position, Side
from engine.rules import RuleSet
from engine.throws import THROWS

TALL = 5  #: a stack of so many may be read as any that is as tall
SURE = 0.8  #: how surely every point must be read that is not as in a set-up board
FEW = 4  #: points that may stand wrong on a board that is meant to be set up
MANY = 8  #: the same if one side stands right: the other is set up the wrong way round
LACKING = 2  #: checkers that such a board may lack, or have too many
AT_PLACE = 0.3  #: nats for a checker on a point of the start or in its home, that it is its own


@dataclass(frozen=True, slots=True)
class WrongStart:
    """A board that is set up, but not right.

    ``slots``: where it stands wrong. ``position``: what stands there; ``None`` where a side has more than
    fifteen checkers.
    """

    rules: RuleSet
    orientation: Orientation
    slots: tuple[int, ...]
    reason: str
    position: Position | None


def wrong_start(
    frames: Sequence[Observation], rule_sets: Iterable[RuleSet], ways: Sequence[Orientation], light: bool
) -> WrongStart | None:
    """What is wrong with a set-up board, in the game and the way round in which it is least wrong.

    ``None`` if it is right, if any point of it is read unsurely, if too much is otherwise, or if a play of
    either side may have led to it: then a game is under way. ``light``: White's checkers are the light ones.
    """
    seen = _counts(frames)
    if seen is None or any(bar.best for bar in frames[-1].bar):
        return None
    best: tuple[int, RuleSet, Orientation, tuple[int, ...]] | None = None
    for rules in rule_sets:
        for way in ways:
            start = to_slots(Position.start(rules.game), way, light)
            wrong = tuple(s for s in range(SLOTS) if not _alike(seen[s], start[s]))
            if _is_near(seen, start, wrong) and (best is None or len(wrong) < best[0]):
                best = len(wrong), rules, way, wrong
    if best is None or not best[0]:
        return None
    _, rules, way, wrong = best
    start = to_slots(Position.start(rules.game), way, light)
    if rules.game is Game.LONG_NARDY and (len(wrong) > 2 or not any(start[s] for s in wrong)):
        return None  # checkers that lie about have been played; only a head may stand in the wrong corner
    whole = {sign: sum(max(0, sign * n) for n in seen) == CHECKERS for sign in (1, -1)}
    # The height of a tall stack is believed only where all checkers of its colour are there.
    stands = [seen[s] if s in wrong or whole[1 if seen[s] > 0 else -1] else start[s] for s in range(SLOTS)]
    points = _levelled(from_slots(stands, way, light), Position.start(rules.game))
    if all(_of(side, points) in _after_one_play(rules, side) for side in Side):
        return None
    off = tuple(CHECKERS - sum(max(0, n * side.sign) for n in points) for side in Side)
    position = Position(points, (0, 0), (off[0], off[1])) if min(off) >= 0 else None
    right = Position.start(rules.game).points
    texts = [
        f"point {i + 1} has {checkers(points[i])} instead of {checkers(right[i])}"
        for i in sorted(index_at(way, slot) for slot in wrong)
    ]
    if len(texts) > NAMED:
        texts[NAMED:] = [f"{len(texts) - NAMED} more are wrong"]
    listed = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
    return WrongStart(
        rules, way, wrong, f"the board is not set up right: of White’s points, {listed}", position
    )


def _counts(frames: Sequence[Observation]) -> tuple[int, ...] | None:
    """The signed count of every slot; ``None`` if one is hidden or not sure."""
    counts = []
    for slot in range(SLOTS):
        readings = [f.slots[slot] for f in frames if f.slots[slot].visible]
        if not readings:
            return None
        best = readings[-1].best
        near = range(TALL, CHECKERS + 1) if abs(best) >= TALL else (abs(best),)
        sign = 1 if best > 0 else -1
        if sum(r.probability(sign * n) for r in readings for n in near) < SURE * len(readings):
            return None
        counts.append(best)
    return tuple(counts)


def _alike(seen: int, start: int) -> bool:
    return seen == start or (seen * start > 0 and min(abs(seen), abs(start)) >= TALL)


def _levelled(points: Sequence[int], start: Position) -> tuple[int, ...]:
    """The points, the one tall stack of a side as tall as leaves it fifteen checkers (in nardy, its head)."""
    levelled = list(points)
    for side in Side:
        tall = [i for i, n in enumerate(start.points) if n * side.sign > TALL]
        if len(tall) == 1 and levelled[tall[0]] * side.sign >= TALL:
            others = sum(_of(side, points)) - points[tall[0]] * side.sign
            levelled[tall[0]] = side.sign * max(TALL, CHECKERS - others)
    return tuple(levelled)


def _of(side: Side, points: Sequence[int]) -> tuple[int, ...]:
    """The checkers of a side on each point."""
    return tuple(max(0, n * side.sign) for n in points)


def _is_near(seen: Sequence[int], start: Sequence[int], wrong: Sequence[int]) -> bool:
    """Whether a board is meant to be set up so, although some slots of it are ``wrong``."""
    right = [s for s in range(SLOTS) if s not in wrong]
    for sign in (1, -1):
        there = sum(max(0, sign * start[s]) for s in right) + sum(max(0, sign * seen[s]) for s in wrong)
        if abs(there - CHECKERS) > LACKING:
            return False
    whole = any(sum(max(0, sign * start[s]) for s in right) == CHECKERS for sign in (1, -1))
    return len(wrong) <= (MANY if whole else FEW)


@cache
def _after_one_play(rules: RuleSet, side: Side) -> frozenset[tuple[int, ...]]:
    """How the checkers of a side may stand that has played at most once."""
    start = Position.start(rules.game)
    plays = [play for dice in THROWS for play in legal_plays(start, side, dice, rules)]
    return frozenset([_of(side, start.points), *(_of(side, play.after.points) for play in plays)])


def at_home(position: Position, rules: RuleSet) -> float:
    """How well a position suits a game under way, in nats: most checkers wait at the start or are home."""
    start = Position.start(rules.game)
    total = 0
    for side in Side:
        for point in range(1, 25):
            n = position.count(rules.game, side, point)
            total += min(n, start.count(rules.game, side, point)) + (n if point <= 6 else 0)
    return AT_PLACE * total
