"""What happened in a turn: every explanation of the board that stands after it, scored.

Explanations are legal plays of the dice as read, legal plays of dice that may have been misread,
the throw having been void, the other side having moved, and the board simply as it is seen, which
is an illegal play. Each has its prior; the picture decides. The play is so a witness for the dice
and the dice for the play.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.events import Dice
from engine.judge import judge_play
from engine.legal import legal_plays
from engine.position import BAR, CHECKERS, Game, Position, Side
from engine.rules import RuleSet
from engine.throws import THROWS
from engine.tracker_picture import OFF_GAINED, Picture

ILLEGAL = -10.0  #: log prior of any one illegal play: about 2 turns in 100, of some 400 ways
SECOND_OFFENCE = -3.0  #: ... if it is illegal twice: the dice were not played, and the other's checkers moved
NOT_MOVED = -7.0  #: log prior of lifting valid dice unplayed
OTHER_SIDE = -6.0  #: log prior of the turn being the other side's
OUT_OF_TURN = -5.0  #: log prior of a throw by the side that is not to move: 1 in 150
NEGLIGIBLE = 7.0  #: readings that cannot come within this of the best (nats) are not tried
UNLIKELY_DICE = 1e-6  #: pairs of values less probable are not tried
MOST_MOVES = 4  #: of a turn
MOST_MOVED = 5  #: checkers of a side that one turn can move, and one more by mishap
#: Log prior of each checker that a bump leaves half-way between two points, seen on neither; and of one that
#: lies so where no bump was seen.
SLIPPED, ASTRAY = -5.0, -9.0
MOST_SLIPPED = 2
TRIED = 40  #: plays, the likeliest, that are tried with checkers that slipped
MISSED_TURN = -6.0  #: log prior of a turn of which nothing was seen
#: Log prior of each checker that a play bears off less than another play of the roll would: rarely meant.
KEPT_ON = -2.0
MISSED_FIT = -9.0  #: how well a play must fit to explain a turn whose throw was not seen


@dataclass(frozen=True, slots=True)
class Reading:
    """One explanation. ``score``: log of prior times likelihood; ``fit``: the likelihood alone."""

    kind: Literal["play", "illegal", "void"]
    side: Side
    dice: Dice
    after: Position
    score: float
    fit: float
    playable: bool = True  #: whether so many checkers can have moved in a turn at all
    slipped: int = 0  #: checkers that are seen nowhere, since a bump has left them between two points
    probability: float = 0.0  #: among all readings
    dice_probability: float = 1.0

    def same_as(self, other: Reading) -> bool:
        """Whether both come to the same record but for the dice."""
        return self.kind == other.kind and self.after == other.after and self.side is other.side

    def text(self, before: Position, rules: RuleSet) -> str:
        """The reading in words."""
        dice = f"{self.dice[0]}-{self.dice[1]}"
        if self.kind == "void":
            return f"{dice} does not count"
        play = judge_play(before, self.side, self.dice, self.after, rules)
        return f"{self.side.value} {dice}: {play.notation}{'' if play.legal else ' (illegal)'}"

    @staticmethod
    def could_be_play(before: Position, after: Position, side: Side | None) -> bool:
        """Whether a single turn, however wrong, may lead from one board to the other."""
        sides = [side] if side is not None else list(Side)
        return any(
            moved(before, after, s) <= MOST_MOVED and moved(before, after, s.other) <= 4 for s in sides
        )


def moved(before: Position, after: Position, side: Side) -> int:
    """How many checkers of ``side`` stand elsewhere (checkers that were hit included)."""
    left = sum(
        max(0, max(0, a * side.sign) - max(0, b * side.sign))
        for a, b in zip(before.points, after.points, strict=True)
    )
    return left + max(0, before.bar[side.index] - after.bar[side.index])


def explain(
    picture: Picture,
    before: Position,
    rules: RuleSet,
    sides: Sequence[Side],
    pairs: Mapping[Dice, float],
    valid: float,
    seats: Mapping[Side, float],
    *,
    told_valid: bool,
    out_of_turn: float | None = None,
    bumped: bool = False,
) -> list[Reading]:
    """All readings worth a thought, best first, with probabilities that sum to 1.

    ``pairs``: probability of each pair of values. ``valid``: that the throw counts. ``seats``: log likelihood
    of where the arm came from that threw, if it was a side's. ``told_valid``: the throw was already told as
    valid, so lifting it unplayed is an offence. ``out_of_turn``: log prior of its having been thrown by the
    side that is not in ``sides``, which may have played it as well (rules.md G10); ``None``: nothing says so.
    ``bumped``: the board was, and checkers may lie between two points since.
    """
    p_side = {side: seats[side] - math.log(len(sides)) for side in Side}
    log_valid, log_void = math.log(max(valid, 1e-9)), math.log(max(1 - valid, 1e-3))
    readings: list[Reading] = []
    top_pair = next(iter(pairs), (1, 1))
    best_play = -math.inf
    for dice, p in pairs.items():
        if p < UNLIKELY_DICE or math.log(p) < best_play - NEGLIGIBLE:
            break
        for side in sides:
            prior = p_side[side] + log_valid + math.log(p)
            readings += _plays(picture, before, rules, side, dice, prior)
        best_play = max((r.score for r in readings), default=-math.inf)
    if best_play < ILLEGAL:
        likeliest_plays = sorted(readings, key=lambda r: -r.score)[:TRIED]
        readings += [
            r
            for r in (
                _slipped(picture, before, rules, r, SLIPPED if bumped else ASTRAY) for r in likeliest_plays
            )
            if r is not None
        ]
        best_play = max((r.score for r in readings), default=-math.inf)
    can_pass = any(r.after == before and r.dice == top_pair for r in readings)
    if not told_valid:
        fit = picture.fit(before)
        likeliest = max(sides, key=seats.__getitem__)
        readings.append(Reading("void", likeliest, top_pair, before, log_void + seats[likeliest] + fit, fit))
    if out_of_turn is not None:
        other, fit = sides[0].other, picture.fit(before)
        readings.append(Reading("void", other, top_pair, before, out_of_turn + seats[other] + fit, fit))
        for dice, p in pairs.items():
            prior = out_of_turn + seats[other] + math.log(max(p, 1e-9))
            found = _plays(picture, before, rules, other, dice, prior) if p > 0.02 else []
            readings += [r for r in found if r.after != before]
    if pairs and best_play < ILLEGAL:
        if len(sides) == 1 and out_of_turn is None:
            other = sides[0].other
            readings += [
                r
                for dice, p in pairs.items()
                if p > 0.02
                for r in _plays(picture, before, rules, other, dice, OTHER_SIDE + seats[other] + math.log(p))
                if r.after != before
            ]
        after, fit = picture.reading(before)
        side = max(sides, key=lambda s: (moved(before, after, s), seats[s]))
        if not math.isfinite(fit):
            return normalised(readings)
        if after == before:
            if not can_pass:
                score = log_valid + seats[side] + NOT_MOVED + fit
                readings.append(Reading("illegal", side, top_pair, after, score, fit))
        else:
            prior = log_valid + p_side[side] + ILLEGAL
            legal = {r.after for r in readings if r.kind == "play" and r.side is side and r.dice == top_pair}
            readings += _illegal(picture, before, rules, side, top_pair, prior, (after, fit), legal)
    return normalised(readings)


def _plays(
    picture: Picture, before: Position, rules: RuleSet, side: Side, dice: Dice, prior: float
) -> list[Reading]:
    plays = legal_plays(before, side, dice, rules)
    most = max(play.after.off[side.index] for play in plays)
    liked = [KEPT_ON * (most - play.after.off[side.index]) for play in plays]
    prior -= math.log(sum(math.exp(value) for value in liked))
    result = []
    for play, value in zip(plays, liked, strict=True):
        fit = picture.fit(play.after)
        if fit > -60:
            result.append(Reading("play", side, dice, play.after, prior + value + fit, fit))
    return result


def _illegal(
    picture: Picture,
    before: Position,
    rules: RuleSet,
    side: Side,
    dice: Dice,
    prior: float,
    seen: tuple[Position, float],
    legal: Collection[Position],
) -> list[Reading]:
    """The board as it is ``seen``, with its fit, as an illegal play; and boards like it.

    How many checkers a high stack has, no camera tells, and so not whether one more or less of a side that
    bears off is off. ``legal``: what stands after the legal plays of these dice.
    """
    own, enemy = {_own(position, side) for position in legal}, side.other
    boards = [] if seen[0] in legal else [seen]
    if before.off[side.index] or _all_home(before, rules.game, side):
        points = [index for index, n in enumerate(seen[0].points) if n * side.sign > 0]
        ways = (1, -1) if seen[0].off[side.index] > before.off[side.index] else (1,)
        near = [_more_off(seen[0], side, index, n) for index in points for n in ways]
        boards += [(board, picture.fit(board)) for board in near if board not in legal]
    found = []
    for board, fit in boards:
        score = prior + _oddity(before, board, side, rules.game) + fit
        if _own(board, side) not in own:
            hits = max(0, board.bar[enemy.index] - before.bar[enemy.index])
            score += SECOND_OFFENCE if moved(before, board, enemy) > hits else 0.0
            score += OFF_GAINED if board is not seen[0] else 0.0
        if fit > seen[1] - NEGLIGIBLE:
            could = Reading.could_be_play(before, board, side)
            found.append(Reading("illegal", side, dice, board, score, fit, playable=could))
    return found


def _own(position: Position, side: Side) -> tuple[int, ...]:
    """Where the checkers of one side stand."""
    points = (max(0, n * side.sign) for n in position.points)
    return (*points, position.bar[side.index], position.off[side.index])


def _more_off(position: Position, side: Side, index: int, number: int) -> Position:
    """The same with so many checkers of ``side`` more off, taken from an index of ``Position.points``."""
    points, off = list(position.points), list(position.off)
    points[index] -= number * side.sign
    off[side.index] += number
    return replace(position, points=tuple(points), off=(off[0], off[1]))


def _slipped(
    picture: Picture, before: Position, rules: RuleSet, play: Reading, each: float
) -> Reading | None:
    """The same play, if the board was bumped after it; ``None`` if that explains nothing.

    ``each``: log prior of a checker that slipped.

    A checker that slipped half a point is seen on neither of two. On the next point altogether it may have
    been moved there, and that is an offence. Of a side that bears off, what is missing may as well be off.
    """
    best: list[float] = []
    for side in Side:
        lacking = CHECKERS - picture.shown(side, play.after, -each) - play.after.bar[side.index]
        if lacking > 0 and not before.off[side.index] and not _all_home(before, rules.game, side):
            there = [
                (row, n)
                for row, n in zip(picture.points, play.after.points, strict=True)
                if n * side.sign > 0
            ]
            gains = sorted((row[n - side.sign] - row[n] for row, n in there), reverse=True)
            best += [gain for gain in gains[:lacking] if gain > -each]
    best = sorted(best, reverse=True)[:MOST_SLIPPED]
    if not best:
        return None
    more = sum(best) + each * len(best)
    return replace(play, score=play.score + more, fit=play.fit + more, slipped=len(best))


def _all_home(position: Position, game: Game, side: Side) -> bool:
    """Whether a side may bear off."""
    return not any(position.count(game, side, point) for point in range(7, BAR + 1))


def _oddity(before: Position, after: Position, side: Side, game: Game) -> float:
    """How much less likely than a wrongly counted move a change of this kind is (log)."""
    cost = 0.0
    outside = sum(before.count(game, side, point) for point in range(7, BAR + 1))
    # More borne off than a turn can be: far rarer than a stack that is read as lower than it is.
    if after.off[side.index] - before.off[side.index] > max(0, MOST_MOVES - outside):
        cost -= 4.0
    enemy = side.other
    # Nobody takes the other's checkers off the board: one that is missing is overlooked.
    cost -= 8.0 * max(0, after.off[enemy.index] - before.off[enemy.index])
    hits = after.bar[enemy.index] - before.bar[enemy.index]
    cost -= 2.0 * max(0, moved(before, after, enemy) - max(0, hits))
    cost -= 2.0 * max(0, moved(before, after, side) - 4)
    if after.checkers(Side.WHITE) != CHECKERS or after.checkers(Side.BLACK) != CHECKERS:
        cost -= 5.0
    return cost


def missed_turn(picture: Picture, before: Position, rules: RuleSet, sides: Sequence[Side]) -> list[Reading]:
    """Plays of any dice that lead from ``before`` to what stands now, one a throw, best first.

    Empty if none explains the picture. Used when the throw was not seen.
    """
    after, _ = picture.reading(before)
    readings: list[Reading] = []
    for side in sides:
        pips = before.pips(rules.game, side) - after.pips(rules.game, side)
        for dice, p in THROWS.items():
            if not _may_cover(dice, pips):
                continue
            found = _plays(picture, before, rules, side, dice, math.log(p / len(sides)))
            fitting = [r for r in found if r.fit > MISSED_FIT and r.after != before]
            if fitting:
                readings.append(max(fitting, key=lambda r: r.score))
    if not readings:
        return []
    best_fit = max(r.fit for r in readings)
    return normalised([r for r in readings if r.fit > best_fit - 3])


def turn_before(
    picture: Picture, before: Position, rules: RuleSet, side: Side, pairs: Mapping[Dice, float]
) -> tuple[Reading, Reading] | None:
    """A turn of ``side`` of which nothing was seen, and the play of ``pairs`` by the other after it.

    The likeliest two that lead to what stands now, both legal, the second one scored as in
    :func:`explain`; ``None`` if there are none.
    """
    if not moved(before, picture.reading(before)[0], side):
        return None  # seen at once, where trying all throws takes seconds
    best: tuple[Reading, Reading] | None = None
    tried: set[Position] = set()
    for dice, p in THROWS.items():
        for play in legal_plays(before, side, dice, rules):
            if play.after in tried or play.after == before:
                continue
            tried.add(play.after)
            if _own_fit(picture, play.after, side, rules) < MISSED_FIT:
                continue
            prior = MISSED_TURN + math.log(p)
            first = Reading("play", side, dice, play.after, prior, 0.0, probability=0.5)
            for pair, q in pairs.items():
                if q < 0.02:
                    break
                for second in _plays(picture, play.after, rules, side.other, pair, prior + math.log(q)):
                    if best is None or second.score > best[1].score:
                        best = first, second
    return best if best is not None and best[1].fit > MISSED_FIT else None


def _own_fit(picture: Picture, position: Position, side: Side, rules: RuleSet) -> float:
    """How well the points of ``side`` fit that the other side cannot change (log likelihood)."""
    safe = 2 if rules.game is Game.BACKGAMMON else 1
    return sum(
        row[count]
        for row, count in zip(picture.points, position.points, strict=True)
        if count * side.sign >= safe
    )


def _may_cover(dice: Dice, pips: int) -> bool:
    """Whether a throw can come to about so many pips (bearing off wastes some)."""
    most = sum(dice) * (2 if dice[0] == dice[1] else 1)
    return 0 < pips <= most


def normalised(readings: Sequence[Reading]) -> list[Reading]:
    """Best first, with probabilities."""
    ranked = sorted(readings, key=lambda r: -r.score)
    if not ranked:
        return []
    weights = [math.exp(max(r.score - ranked[0].score, -50)) for r in ranked]
    total = sum(weights)
    by_dice: dict[tuple[Side, Position], float] = {}
    for r, w in zip(ranked, weights, strict=True):
        by_dice[r.side, r.after] = by_dice.get((r.side, r.after), 0.0) + w
    return [
        replace(r, probability=w / total, dice_probability=w / by_dice[r.side, r.after])
        for r, w in zip(ranked, weights, strict=True)
    ]
