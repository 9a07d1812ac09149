"""Which still pictures a verdict rests on: pure functions over what was seen in them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.events import Desync, Dice, Doubt, Event, PlayMade, Throw
from engine.observation import Observation
from zarbiter.collect import shown_in
from zarbiter.film import Still

AFTER = 1.0  #: seconds after an event that its evidence waits for
NEAR = 20.0  #: seconds around an event in which a still picture is looked for
EARLY = 2.0  #: seconds before its dice have settled in which a picture of a throw still counts
SLACK = 0.05  #: seconds by which times may differ by rounding

Shown = Throw | PlayMade | Doubt | Desync  #: events of which there is evidence


@dataclass(slots=True)
class Case:
    """An event whose evidence is to be written.

    ``since``: when the throw or play before it happened. ``stood``: the 24 slots before it, if known.
    ``kept``: why its evidence goes last when room is needed. ``notes``: what is missing, and why.
    """

    place: int
    event: Shown
    since: float = -math.inf
    stood: tuple[int, ...] | None = None
    kept: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A deciding picture: its name among those of its event, and what it shows, in words."""

    name: str
    shows: str
    still: Still


def reason_to_keep(event: Event) -> str:
    """Why the evidence of an event goes last when room is needed; empty if it does not."""
    match event:
        case Doubt():
            return "a doubt"
        case Desync():
            return "out of step"
        case Throw(valid=False):
            return "an invalid throw"
        case PlayMade(legal=False):
            return "an illegal play"
        case _:
            return ""


def view_of(seen: Observation) -> object:
    """What a picture shows, to tell views apart, if it may decide anything: still ones and those with dice.

    ``None`` for any other. Dice that nobody saw in a still picture were lifted at once, or a hand moved.
    """
    quiet = shown_in(seen)
    if quiet is not None:
        return quiet
    return tuple(die.value for die in seen.dice) if seen.dice and not seen.cup_over_board else None


def deciding(case: Case, pictures: Iterable[Still]) -> list[Chosen]:
    """The pictures that decide an event, in order of time; none if no picture near it is left.

    Of a throw the first still picture, once its dice had settled, in which they are read as it was told; if
    there is none, the first of any. Of a play the last still one before the hands and the first one after
    them. Where picture and record disagree, or a play is in doubt, the last still one that agreed and the
    newest.
    """
    event, t = case.event, case.event.t
    begin = case.since if case.since <= t else t
    near = [picture for picture in pictures if min(begin, t) - NEAR <= picture.t <= t + NEAR]
    still = [picture for picture in near if shown_in(picture.seen) is not None]
    match event:
        case Throw():
            return _thrown(event.dice, t, still, near)
        case Doubt(about="throw"):
            return _thrown((0, 0), t, still, near)
    until = [picture for picture in still if picture.t <= t + AFTER]
    if not until:
        return []
    if isinstance(event, PlayMade):
        after, words = _first_of_the_last(event.slots, until, begin), "the first still picture after the play"
    else:
        after, words = until[-1], "the board as it stands"
    before = _stood_before(case.stood, after, until)
    told = [] if before is None else [Chosen("before", "the last still picture before the hands", before)]
    return [*told, Chosen("after", words, after)]


def _thrown(dice: Dice, t: float, still: Sequence[Still], near: Sequence[Still]) -> list[Chosen]:
    ways = (("still", "the dice as they lie", still), ("moving", "the dice while something moved", near))
    for name, words, pool in ways:
        right = [picture for picture in pool if picture.t >= t - EARLY and _shows(picture.seen, dice)]
        if right:
            settled = [picture for picture in right if picture.t >= t - SLACK]
            return [Chosen(name, words, settled[0] if settled else right[-1])]
    some = [picture for picture in near if picture.seen.dice]
    words = "the nearest dice, read otherwise" if some else "the nearest still picture, without dice"
    nearest = min(some or near, key=lambda picture: abs(picture.t - t), default=None)
    return [] if nearest is None else [Chosen("still", words, nearest)]


def _shows(seen: Observation, dice: Dice) -> bool:
    """Whether these values are among those seen; 0 is a die that was not seen."""
    wanted = Counter(value for value in dice if value)
    return bool(seen.dice) and wanted <= Counter(die.value for die in seen.dice)


def _first_of_the_last(slots: Sequence[int], pool: Sequence[Still], begin: float) -> Still:
    """The first of the last run of pictures since ``begin`` that come as near to these slots as any does."""
    differences = [_differs(still.seen, slots) for still in pool]
    least = min(differences)
    index = max(n for n, difference in enumerate(differences) if difference == least)
    while index > 0 and differences[index - 1] == least and pool[index - 1].t >= begin - SLACK:
        index -= 1
    return pool[index]


def _stood_before(stood: Sequence[int] | None, after: Still, pool: Sequence[Still]) -> Still | None:
    """The last picture before ``after`` that comes nearest to what stood, or else shows another board."""
    earlier = [still for still in pool if still.t < after.t]
    if stood is not None and earlier:
        least = min(_differs(still.seen, stood) for still in earlier)
        return next(still for still in reversed(earlier) if _differs(still.seen, stood) == least)
    now = [slot.best for slot in after.seen.slots]
    others = (still for still in reversed(earlier) if _differs(still.seen, now))
    return next(others, earlier[-1] if earlier else None)


def _differs(seen: Observation, slots: Sequence[int]) -> int:
    """How many slots are read otherwise."""
    return sum(slot.best != count for slot, count in zip(seen.slots, slots, strict=True))
