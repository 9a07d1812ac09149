"""Hold the events that were read against the events that happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.corrections import resolve
from engine.events import Desync, Doubt, Event, GameEnd, PlayMade, Resync, RollOff, Throw
from engine.position import Side

Item = RollOff | Throw | PlayMade | GameEnd
Pair = tuple[Item | None, Item | None]  #: what was true and what was read; ``None`` where there is none

NEAR = 5.0  #: seconds around a doubt in which a wrong reading counts as doubted
BEFORE = 12.0  #: ... and before a desync: a turn, whose end it may be that found no explanation


@dataclass(slots=True)
class Tally:
    """What was found in one or more games; ``misses`` names every difference in a line."""

    games: int = 0
    throws: int = 0  #: roll-offs among them
    throws_right: int = 0
    plays: int = 0
    plays_right: int = 0
    ends: int = 0
    ends_right: int = 0
    false_events: int = 0
    doubts: int = 0
    desyncs: int = 0
    wrong_undoubted: int = 0  #: missed, misread or made up, and no doubt or desync about that time
    invalid: int = 0
    invalid_caught: int = 0
    invalid_cause: int = 0
    illegal: int = 0
    illegal_caught: int = 0
    illegal_cause: int = 0
    illegal_as_legal: int = 0  #: illegal plays that were told as legal ones
    false_alarms: int = 0
    taken_back: int = 0  #: throws that were told again as the other side's, or as of the other validity
    misses: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        for name in Tally.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def perfect(self) -> bool:
        """Everything found and nothing else."""
        return not self.misses


def matches(true: Item, read: Item) -> bool:
    """Whether an event was read right; the values of a void throw do not count."""
    if isinstance(true, Throw) and isinstance(read, Throw):
        if (true.side, true.valid) != (read.side, read.valid):
            return False
        return sorted(true.dice) == sorted(read.dice) if true.valid else True
    if isinstance(true, RollOff) and isinstance(read, RollOff):
        return (true.white, true.black) == (read.white, read.black)
    if isinstance(true, PlayMade) and isinstance(read, PlayMade):
        return (true.side, true.position, true.legal) == (read.side, read.position, read.legal)
    if isinstance(true, GameEnd) and isinstance(read, GameEnd):
        return (true.winner, true.result) == (read.winner, read.result)
    return False


def align(true: Sequence[Item], read: Sequence[Item]) -> list[Pair]:
    """The cheapest pairing in order, so that one missed event costs one event."""
    rows, columns = len(true) + 1, len(read) + 1
    cost = [[0.0] * columns for _ in range(rows)]
    pair = [[0.0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            options = [cost[i - 1][j] + 1] if i else []
            if j:
                options.append(cost[i][j - 1] + 1)
            if i and j:
                same_type = type(true[i - 1]) is type(read[j - 1])
                pair[i][j] = 0 if matches(true[i - 1], read[j - 1]) else 1.2 if same_type else 9
                options.append(cost[i - 1][j - 1] + pair[i][j])
            cost[i][j] = min(options, default=0)
    pairs: list[Pair] = []
    i, j = len(true), len(read)
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + pair[i][j]:
            i, j = i - 1, j - 1
            pairs.append((true[i], read[j]))
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
            pairs.append((true[i], None))
        else:
            j -= 1
            pairs.append((None, read[j]))
    return pairs[::-1]


def paired(true: Iterable[Event], read: Iterable[Event]) -> list[Pair]:
    """Roll-offs, throws, plays and ends of games, what was read beside what was true, corrections made.

    A throw that was told again for the same moment, with more faults or as the other side's, counts once, as
    it was told last: that one of its dice was touched comes to light after the roll was told, and who threw
    it may by the play alone. :func:`count` counts how many were told otherwise before.
    """
    items: list[Item] = []
    for _, event in resolve(list(read)):
        if isinstance(event, Throw) and (place := _told_before(event, items)) is not None:
            items[place] = event
        elif isinstance(event, Item):
            items.append(event)
    return align([e for e in true if isinstance(e, Item)], items)


def _told_before(throw: Throw, items: Sequence[Item]) -> int | None:
    """Where a throw stands that is now told again, with more faults or as the other side's."""
    for place, item in enumerate(items):
        if not isinstance(item, Throw) or item.t != throw.t:
            continue
        if item.side is throw.side and set(item.faults) < set(throw.faults):
            return place
        if item.side is not throw.side and item.dice == throw.dice:
            return place
    return None


def compare(true: Iterable[Event], read: Iterable[Event]) -> Tally:
    """Count what was found, missed and made up."""
    read = list(read)
    return count(paired(true, read), read)


def count(pairs: Iterable[Pair], read: Sequence[Event]) -> Tally:
    """Count what was found, missed and made up; ``read`` is all that was read, with its doubts."""
    tally = Tally(
        games=1,
        taken_back=sum(_taken_back(read)),
        doubts=sum(isinstance(e, Doubt) for e in read),
        desyncs=sum(isinstance(e, Desync) for e in read),
    )
    spans = doubted(read)
    for want, got in pairs:
        if want is None or got is None or not matches(want, got):
            _miss(tally, want, got, spans)
        if want is None:
            continue
        right = got is not None and matches(want, got)
        if isinstance(want, GameEnd):
            tally.ends += 1
            tally.ends_right += right
        elif isinstance(want, RollOff):
            tally.throws += 1
            tally.throws_right += right
        elif isinstance(want, Throw):
            seen = got if isinstance(got, Throw) else None
            tally.throws += 1
            tally.throws_right += right
            tally.invalid += not want.valid
            tally.invalid_caught += not want.valid and seen is not None and not seen.valid
            tally.invalid_cause += (
                not want.valid and seen is not None and set(want.faults) <= set(seen.faults)
            )
            tally.false_alarms += want.valid and seen is not None and not seen.valid
        else:
            made = got if isinstance(got, PlayMade) else None
            tally.plays += 1
            tally.plays_right += right
            tally.illegal += not want.legal
            tally.illegal_caught += not want.legal and made is not None and not made.legal
            tally.illegal_cause += not want.legal and made is not None and made.rule == want.rule
            tally.illegal_as_legal += not want.legal and made is not None and made.legal
            tally.false_alarms += want.legal and made is not None and not made.legal
    return tally


def _taken_back(read: Iterable[Event]) -> Iterator[bool]:
    """Of each throw that was told, whether one was told for its moment before, in another way."""
    told: dict[tuple[float, tuple[int, int]], tuple[Side, bool]] = {}
    for event in read:
        if isinstance(event, Throw):
            now = event.side, event.valid
            yield told.setdefault((event.t, event.dice), now) != now
            told[event.t, event.dice] = now


def doubted(read: Iterable[Event]) -> list[tuple[float, float]]:
    """Spans of time, in seconds, in which what was read was said to be uncertain."""
    spans: list[tuple[float, float]] = []
    lost: float | None = None
    for event in read:
        if isinstance(event, Doubt):
            spans.append((event.t - NEAR, event.t + NEAR))
        elif isinstance(event, Desync):
            lost = event.t if lost is None else lost
        elif isinstance(event, Resync) and lost is not None:
            spans.append((lost - BEFORE, event.t + NEAR))
            lost = None
    return spans if lost is None else [*spans, (lost - BEFORE, float("inf"))]


def _miss(tally: Tally, want: Item | None, got: Item | None, spans: Iterable[tuple[float, float]]) -> None:
    times = [event.t for event in (want, got) if event is not None]
    known = any(low <= t <= high for low, high in spans for t in times)
    tally.wrong_undoubted += not known
    tally.false_events += want is None
    text = f"made up: {_brief(got)}" if want is None else f"true {_brief(want)}, read {_brief(got)}"
    tally.misses.append(text + (" (doubted)" if known else ""))


def _brief(event: Item | None) -> str:
    match event:
        case None:
            return "nothing"
        case RollOff():
            return f"{event.t:.1f}s roll-off white {event.white}, black {event.black}"
        case Throw():
            state = "valid" if event.valid else f"void {','.join(event.faults)}"
            return f"{event.t:.1f}s throw {event.side.value} {event.dice} {state}"
        case PlayMade():
            state = "legal" if event.legal else f"illegal {event.rule}"
            return f"{event.t:.1f}s play {event.side.value} {event.dice} {event.notation} {state}"
        case GameEnd():
            winner = event.winner.value if event.winner else "nobody"
            return f"{event.t:.1f}s end {winner} {event.result}"
