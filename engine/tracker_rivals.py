"""Second thoughts: explanations of earlier plays that were nearly as good as those that were told.

How high a stack of ten is no camera tells from above, and of two plays that differ by one checker of it the
wrong one may be told. Four turns later four checkers stand there, and anybody can count them. So the rival of
a play is remembered with all that was told since; where what stands now is explained far better from its
board, the play, and what follows from it, is corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.events import Correction, Dice, PlayMade, Throw
from engine.judge import judge_play, play_event
from engine.layout import Orientation
from engine.position import CHECKERS, Position
from engine.rules import RuleSet
from engine.tracker_explain import Reading
from engine.tracker_picture import Picture

RIVALS, MOST_RIVALS = 4, 24  #: of one play, and of all
NEARLY = 7.0  #: nats by which a rival may be behind, to be remembered
COUNTED = 5  #: checkers of a point that the camera counts one by one
SETTLED, GIVEN_UP = -3.0, 8.0  #: log odds of what was told at which it is corrected, and the rival forgotten
WHY = "the checkers can be counted now"


@dataclass(slots=True)
class Rival:
    """Another explanation of a play that was told.

    ``before``: the position before the play. ``after``, ``dice``: what stood after it and what was played, by
    this explanation. ``odds``: log odds of what was told against it; pictures count where checkers could be
    counted. ``throw``: what was told of the throw, ``plays``: of the play and of all after it, each with its
    place in the record.
    """

    before: Position
    after: Position
    dice: Dice
    odds: float
    throw: tuple[int, Throw] | None
    plays: list[tuple[int, PlayMade]]
    heard: tuple[tuple[int, int, int], ...]  #: the counts that have told for or against it last

    def instead_of(self, position: Position) -> Position | None:
        """What stands now by this explanation, where ``position`` stands by what was told.

        ``None`` if that cannot be: a point would hold checkers of both sides, or fewer than none.
        """
        was = self.plays[0][1].position
        points = []
        for now, told, other in zip(position.points, was.points, self.after.points, strict=True):
            then = now + other - told
            if other != told and (then * other < 0 or now * told < 0):
                return None
            points.append(then)
        bar, off = (
            tuple(n + b - a for n, a, b in zip(now, told, other, strict=True))
            for now, told, other in (
                (position.bar, was.bar, self.after.bar),
                (position.off, was.off, self.after.off),
            )
        )
        if min(*bar, *off) < 0 or max(off) > CHECKERS:
            return None
        return Position(tuple(points), (bar[0], bar[1]), (off[0], off[1]))

    def hear(self, picture: Picture, position: Position) -> None:
        """Let a picture of ``position``, as told, speak for what was told, or for this."""
        now = self.instead_of(position)
        there = counted(position, now) if now is not None else ()
        hidden = any(i in picture.hidden for i, _, _ in there)
        if there and there != self.heard and not hidden:  # the same stack would only say the same again
            self.heard = there
            self.odds += sum(picture.points[i][told] - picture.points[i][other] for i, told, other in there)

    def given(self, right: Rival, made: Iterable[Correction]) -> Rival | None:
        """The same, now that another rival was ``right`` and these corrections were ``made``.

        ``None`` if it is of the same play, or cannot be any more.
        """
        first, corrected = self.plays[0][0], right.plays[0][0]
        if first == corrected:
            return None
        now = {one.target: one.event for one in made}
        plays = [(place, now.get(place, play)) for place, play in self.plays]
        before: Position | None = self.before
        after: Position | None = self.after
        if first > corrected:
            before, after = right.instead_of(self.before), right.instead_of(self.after)
        if before is None or after is None:
            return None
        return replace(
            self,
            before=before,
            after=after,
            plays=[(place, play) for place, play in plays if isinstance(play, PlayMade)],
        )


def rivals_of(
    told: tuple[int, PlayMade], throw: tuple[int, Throw] | None, before: Position, readings: Sequence[Reading]
) -> list[Rival]:
    """The explanations of a play worth remembering: of all ``readings``, best first, one was told.

    ``throw``: what was told of the throw; without it that is not corrected, and a play of other dice is none.
    """
    best = next(r for r in readings if r.after == told[1].position and r.side is told[1].side)
    rivals = []
    for r in readings:
        if r.kind == "void" or r.slipped or r.side is not best.side or r.after == best.after:
            continue
        if throw is None and sorted(r.dice) != sorted(told[1].dice):
            continue
        if r.score > best.score - NEARLY:
            heard = counted(best.after, r.after)
            odds = best.score - r.score if heard else (best.score - best.fit) - (r.score - r.fit)
            rivals.append(Rival(before, r.after, r.dice, odds, throw, [told], heard))
    return rivals[:RIVALS]


def counted(one: Position, other: Position) -> tuple[tuple[int, int, int], ...]:
    """The points on which two positions differ, and the count by either; none if they cannot be counted."""
    pairs = zip(one.points, other.points, strict=True)
    there = tuple((i, a, b) for i, (a, b) in enumerate(pairs) if a != b)
    return there if all(max(abs(a), abs(b)) <= COUNTED for _, a, b in there) else ()


def corrections(
    rival: Rival, t: float, rules: RuleSet, orientation: Orientation, *, white_is_light: bool
) -> list[Correction]:
    """What is told otherwise if a rival was right after all; nothing if a legal play would not be legal."""
    found: list[Correction] = []
    before = rival.before
    if rival.throw is not None and sorted(rival.throw[1].dice) != sorted(rival.dice):
        place, throw = rival.throw
        event = replace(throw, dice=rival.dice)
        found.append(Correction(t=t, target=place, action="replace", event=event, reason=WHY))
    for nth, (place, play) in enumerate(rival.plays):
        after, dice = rival.instead_of(play.position), play.dice if nth else rival.dice
        if after is None:
            return []
        verdict = judge_play(before, play.side, dice, after, rules)
        if play.legal and not verdict.legal:
            return []
        made = play_event(
            verdict, play.t, orientation, white_is_light=white_is_light, confidence=play.confidence
        )
        found.append(Correction(t=t, target=place, action="replace", event=made, reason=WHY))
        before = after
    return found
