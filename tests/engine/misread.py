"""Games of which a camera misreads one thing, and what a referee does about it.

The same game is seen twice: once all right, and once with one thing read wrongly in one turn. Both go
through the tracker, so that what follows from a misreading is what really follows from it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.actions import Field, correctable, filled, offered
from engine.corrections import Corrected, correct
from engine.events import (
    BoardSeen,
    Correction,
    Doubt,
    Event,
    GameEnd,
    GameStart,
    PlayMade,
    RollOff,
    Throw,
    to_json,
)
from engine.formats.positions import format_position
from engine.layout import slot_of
from engine.legal import Play, legal_plays
from engine.match import Match
from engine.observation import DieReading, DieState, Observation, SlotReading
from engine.position import Position, Side
from engine.rules import RuleSet
from engine.scoring import game_result
from engine.throws import right_half
from engine.tracker import Tracker
from tests.engine.playing import late_position
from tests.engine.seen import Table

Misreading = Literal["die", "checker", "count", "cocked", "flat", "missed", "begins"]
LONG_EMPTY = 3.0  #: seconds after the turn that is misread, in which it is decided as it was misread
NAMES = ("Ann", "Bob")


class Misread(Table):
    """A table of which ``lie`` says what is seen instead; ``None`` is nothing at all."""

    lie: Callable[[Observation], Observation | None] | None = None

    def frame(self, **how: Any) -> None:
        super().frame(**how)
        if self.lie is not None:
            seen = self.lie(self.seen.pop())
            self.seen += [seen] if seen is not None else []


@dataclass(frozen=True)
class Story:
    """A game of ``turns`` random turns, in the ``nth`` of which something may be misread."""

    rules: RuleSet
    seed: int
    kind: Misreading
    turns: int = 5
    nth: int = 0
    late: bool = False  #: the game begins near its end

    @property
    def start(self) -> Match:
        return Match(self.rules, players=NAMES)

    def told(self, *, misread: bool) -> list[Event]:
        """What the tracker tells of it."""
        table = self._table(misread=misread)
        begins = Side.BLACK if misread and self.kind == "begins" else None
        tracker = Tracker(self.rules, position=self._begin(), side_to_move=begins)
        return [*(e for seen in table.seen for e in tracker.observe(seen)), *tracker.finish()]

    def _begin(self) -> Position:
        if not self.late:
            return Position.start(self.rules.game)
        rng = random.Random(self.seed)
        while game_result(position := late_position(rng, self.rules.game), self.rules) is not None:
            pass
        return position

    def _table(self, *, misread: bool) -> Misread:
        table = Misread(self.rules, seed=self.seed, fps=5)
        table.position = self._begin()
        rng = random.Random(f"{self.seed} {self.kind}")
        table.rest(1.0)
        side = Side.WHITE
        for nth in range(self.turns):
            if game_result(table.position, self.rules) is not None:
                break
            here = nth == self.nth
            self._turn(table, side, rng if here and misread else None, here=here)
            side = side.other
        table.rest(1.5)
        return table

    def _turn(self, table: Misread, side: Side, wrong: random.Random | None, *, here: bool) -> None:
        halves = (right_half(side, table.orientation),) * 2
        dice = table.roll()
        if here and self.kind == "flat":
            table.lie = _lying("flat") if wrong else None
            table.throw(side, dice, states=("flat", "cocked"), faults=("cocked",), halves=halves)
            table.lift()
            table.lie, dice = None, table.roll()
        plays = legal_plays(table.position, side, dice, self.rules)
        most = max(play.after.off[side.index] for play in plays)  # nobody leaves on what he can bear off
        play = table.random.choice([play for play in plays if play.after.off[side.index] == most])
        if wrong is not None:
            table.lie = self._lie(table, play, wrong)
        table.throw(side, dice, halves=halves, lie=2.0)
        table.play(play, lift=False)
        table.lift(empty=LONG_EMPTY if here else 0.8)
        table.lie = None

    def _lie(
        self, table: Misread, play: Play, rng: random.Random
    ) -> Callable[[Observation], Observation | None] | None:
        match self.kind:
            case "die":
                return _other_value(table, rng)
            case "cocked":
                return _lying("cocked")
            case "missed":
                return lambda seen: None
            case "checker" | "count":
                return _other_board(table, play, rng, both=self.kind == "checker")
            case _:
                return None


def _lying(state: DieState) -> Callable[[Observation], Observation]:
    """One die is surely read as lying so."""
    other: DieState = "cocked" if state == "flat" else "flat"

    def lie(seen: Observation) -> Observation:
        first, *rest = seen.dice or (None,)
        if first is None:
            return seen
        return replace(
            seen, dice=(first, *(replace(d, states=((state, 0.992), (other, 0.008))) for d in rest))
        )

    return lie


def _other_value(table: Table, rng: random.Random) -> Callable[[Observation], Observation]:
    """The value of one die is surely read as another."""
    chosen: list[int] = []

    def lie(seen: Observation) -> Observation:
        resting = len(table.dice) == 2 and table.dice[1].state == "flat"
        return replace(seen, dice=tuple(misread(d) if resting else d for d in seen.dice))

    def misread(die: DieReading) -> DieReading:
        true = table.dice[1]
        if abs(die.centre[0] - true.centre[0]) > 0.01 or abs(die.centre[1] - true.centre[1]) > 0.01:
            return die
        if not chosen:
            chosen.append(rng.choice([v for v in range(1, 7) if v != true.value]))
        a, b, c, d, e, f = (0.97 if v == chosen[0] else 0.006 for v in range(1, 7))
        return replace(die, values=(a, b, c, d, e, f))

    return lie


def _other_board(
    table: Table, play: Play, rng: random.Random, *, both: bool
) -> Callable[[Observation], Observation] | None:
    """Once ``play`` is made, one of its checkers is seen on a point beside, or beside that as well."""
    after, side = play.after, play.side
    moved = [i for i in range(24) if (after.points[i] - table.position.points[i]) * side.sign > 0]
    ways = [
        (i, j)
        for i in moved
        for j in (i - 2, i - 1, i + 1, i + 2)
        if 0 <= j < 24 and after.points[j] * side.sign >= 0
    ]
    if not ways:
        return None
    there, beside = (slot_of(table.orientation, i) for i in rng.choice(ways))

    def lie(seen: Observation) -> Observation:
        if table.position != after:
            return seen
        slots = list(seen.slots)
        for slot, change in ((there, -side.sign), (beside, side.sign)) if both else ((beside, side.sign),):
            if slots[slot].visible:
                slots[slot] = SlotReading(((slots[slot].best + change, 0.98),))
        return replace(seen, slots=tuple(slots))

    return lie


# -- records that say the same ----------------------------------------------------------------------


def of_the_game(event: Event) -> bool:
    """Whether an event says something of the game that the others do not: no doubt, and no end of it."""
    return not isinstance(event, BoardSeen | Doubt | GameEnd)


def told_plainly(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What events say of the game: all but times, confidences, and what was doubted on the way."""
    return [plainly(event) for event in events if of_the_game(event)]


def plainly(event: Event) -> dict[str, Any]:
    """What one event says of the game."""
    data = to_json(event)
    for aside in ("t", "confidence", "halves", "reason", "seen"):
        data.pop(aside, None)
    if isinstance(event, Throw | PlayMade):
        data["dice"] = sorted(event.dice)
    return data


# -- the referee -------------------------------------------------------------------------------------


@dataclass
class Referee:
    """Puts a record right by what is offered at the desk."""

    record: list[Event]
    start: Match

    def __post_init__(self) -> None:
        self.made = 0  #: corrections

    @property
    def now(self) -> Corrected:
        return correct(self.record, [], self.start)

    def before(self, place: int) -> Match:
        """The match before what stands at a place of the record now."""
        match = self.start
        for found, event in zip(self.now.places, self.now.events, strict=True):
            if found == place:
                break
            match = match.apply(event)
        return match

    def make(self, correction: Correction) -> Corrected:
        """Correct the record; what is changed by it must have been told before."""
        was = self.now
        found = correct(self.record, [correction], self.start)
        told_of = {consequence.index for consequence in found.consequences}
        old = dict(zip(was.places, was.events, strict=True))
        new = dict(zip(found.places, found.events, strict=True))
        for place in old.keys() | new.keys():
            if place in (correction.target, len(self.record)):
                continue
            a, b = old.get(place), new.get(place)
            same = a is not None and b is not None and _reads_alike(a, b)
            assert same or place in told_of, f"{a} becomes {b}, and nobody is told"
        self.record.append(correction)
        self.made += 1
        return found

    def replace(self, place: int, want: Event) -> Corrected:
        """What stands at a place was otherwise."""
        now = dict(zip(self.now.places, self.now.events, strict=True))[place]
        before = self.before(place)
        event = filled(now, before, values_of(correctable(now, before), want, before), now.t)
        assert plainly(event) == plainly(want)
        return self.make(Correction(t=999, target=place, action="replace", event=event))

    def strike(self, place: int) -> Corrected:
        """What stands at a place did not happen."""
        return self.make(Correction(t=999, target=place, action="strike"))

    def insert(self, after: int, want: Event) -> Corrected:
        """Something is missing after a place."""
        match = self.start
        for place, event in zip(self.now.places, self.now.events, strict=True):
            match = match.apply(event)
            if place == after:
                break
        key = {"throw": "throw", "play": "play"}[want.type]
        offer = next(offer for offer in offered(match) if offer.key == key)
        event = filled(
            offer.event, match, values_of(offer.fields, want, match), match_time(self.record, after)
        )
        assert plainly(event) == plainly(want)
        return self.make(Correction(t=999, target=after, action="insert", event=event))

    def put_right(self, truth: Sequence[Event], *, missing: bool) -> None:
        """Correct the first thing that is not as it was, until all of it is.

        ``missing``: there is a turn of which nothing was seen.
        """
        truth = [event for event in truth if of_the_game(event)]
        while (nth := _first_difference(self._told(), truth)) is not None:
            assert self.made < 6, "it cannot be put right"
            now, want = self._told()[nth:], truth[nth:]
            before = self._told()[nth - 1][0]
            if not want:
                self.strike(now[0][0])
                continue
            if now and isinstance(now[0][1], RollOff):  # no form makes a throw of it
                self.strike(now[0][0])
                self.insert(before, want[0])
                continue
            lacks = not now or now[0][1].type != want[0].type or _comes_next(now[0][1], want)
            if lacks or (missing and _next_board(event for _, event in now) != _next_board(want)):
                self.insert(before, want[0])
            else:
                self.replace(now[0][0], want[0])

    def _told(self) -> list[tuple[int, Event]]:
        now = self.now
        pairs = zip(now.places, now.events, strict=True)
        return [(place, event) for place, event in pairs if of_the_game(event)]


def _first_difference(now: Sequence[tuple[int, Event]], truth: Sequence[Event]) -> int | None:
    for nth, ((_, event), want) in enumerate(zip(now, truth, strict=False)):
        if plainly(event) != plainly(want):
            return nth
    return None if len(now) == len(truth) else min(len(now), len(truth))


def _comes_next(event: Event, want: Sequence[Event]) -> bool:
    """Whether an event stands where one is missing before it, and is not that one misread."""
    same_dice = isinstance(event, Throw) and isinstance(want[0], Throw) and event.dice == want[0].dice
    return len(want) > 1 and plainly(event) == plainly(want[1]) and not same_dice


def _next_board(events: Iterable[Event]) -> Position | None:
    return next((event.position for event in events if isinstance(event, PlayMade)), None)


def match_time(record: Sequence[Event], place: int) -> float:
    event = record[place]
    return event.event.t if isinstance(event, Correction) and event.event is not None else event.t


def _reads_alike(a: Event, b: Event) -> bool:
    """Whether two events are the same in words: of a play, the way of its checkers does not count."""
    a, b = (replace(e, moves=()) if isinstance(e, PlayMade) else e for e in (a, b))
    return plainly(a) == plainly(b)


def values_of(fields: Iterable[Field], want: Event, before: Match) -> dict[str, str]:
    """How a form is filled in so that it says what ``want`` says."""
    values = {field.name: field.value for field in fields}
    match want:
        case Throw():
            values |= {"side": want.side.value, "first": str(want.dice[0]), "second": str(want.dice[1])}
            values["fault"] = want.faults[0] if want.faults else ""
        case PlayMade():
            choices = dict(next(field.choices for field in fields if field.name == "play"))
            if want.notation in choices and want.legal:
                values["play"] = want.notation
            else:
                values["after"] = format_position(want.position, before.rules.game)
        case GameStart():
            values["side"] = want.side_to_move.value if want.side_to_move else ""
        case _:
            raise AssertionError(f"no form for {want}")
    return values
