"""Corrections: any event of a record, however early, is put right, and the rest is replayed.

Nothing is hidden: what follows differently from a correction (a play that is illegal now, a game that ends
otherwise, another score) is told as a list of consequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.events import Correction, Event, GameEnd, PlayMade
from engine.judge import judge_play
from engine.match import Match, MatchError, dashed, ending, moment, two_dice
from engine.rules import RuleSet

ConsequenceKind = Literal[
    "illegal",
    "legal",
    "rule",
    "dice",
    "moves",
    "cannot_follow",
    "follows",
    "contradiction",
    "agrees",
    "end",
    "score",
    "position",
]


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a correction changed of the rest of a record, in one plain sentence.

    ``index``: the event's place in the record. ``kind``: a play is now ``illegal``, ``legal``, or illegal by
    another ``rule``; it was made with other ``dice``, or by other ``moves``; an event ``cannot_follow`` what
    went before any more, or ``follows`` now; the ``end`` of a game is now another; a game end that is told
    is now in ``contradiction`` to the board, or ``agrees``
    with it; the ``score``, or the ``position``, is now another.
    """

    index: int
    kind: ConsequenceKind
    text: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """A record after corrections. ``events``: those that make up ``match``, judged anew, as if recorded so.

    Events that cannot follow are not among them; ``consequences`` names those.
    """

    match: Match
    events: tuple[Event, ...]
    consequences: tuple[Consequence, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One event of a replay; ``refusal`` says why it cannot follow, and then changes nothing."""

    index: int
    event: Event
    before: Match
    after: Match
    refusal: str | None

    @property
    def ends_game(self) -> bool:
        over = ("game_over", "match_over")
        return self.after.phase in over and self.before.phase not in over


def replay(events: Iterable[Event], rules: RuleSet, players: tuple[str, str] = ("White", "Black")) -> Match:
    """The match after all these events, corrections among them made.

    Raises ``MatchError`` at one that cannot follow.
    """
    record = tuple(events)
    start = Match(rules, players=players)
    steps = _fold(resolve(record), start, _as_recorded(record, start))
    for step in steps:
        if step.refusal is not None:
            raise MatchError(step.refusal)
    return steps[-1].after if steps else start


def correct(record: Iterable[Event], corrections: Iterable[Correction], start: Match) -> Corrected:
    """Correct a record and replay it from ``start``, and tell what the corrections changed.

    The board is taken as it was seen: a play that comes after a corrected one is judged by the position it
    left, from the position before it as corrected. A play that was made with the dice of a throw follows
    the throw if its dice are corrected. Raises ``MatchError`` if a correction has no target in the record.
    """
    record = tuple(record)
    recorded = _as_recorded(record, start)
    before = _fold(resolve(record), start, recorded)
    after = _fold(resolve((*record, *corrections)), start, recorded)
    events = tuple(step.event for step in after if step.refusal is None)
    return Corrected(after[-1].after if after else start, events, tuple(_consequences(before, after, start)))


def resolve(record: Sequence[Event]) -> list[tuple[int, Event]]:
    """The events of a record with the corrections in it made, each with its place in the record.

    An event that was put in has the place of the correction that did so. Raises ``MatchError`` if a
    correction has no target before it.
    """
    about: dict[int, list[int]] = {}
    for index, event in enumerate(record):
        if isinstance(event, Correction):
            if not -1 <= event.target < index or (event.target == -1 and event.action != "insert"):
                raise MatchError(
                    f"{moment(event)}: there is no event {event.target} before it to {event.action}"
                )
            about.setdefault(event.target, []).append(index)

    # A correction comes after its target, so that from the end on each is known before it is needed.
    stands = [True] * len(record)  # not undone by a later one
    content: list[Event | None] = [None] * len(record)
    for index in range(len(record) - 1, -1, -1):
        event = record[index]
        content[index] = event.event if isinstance(event, Correction) else event
        for later in about.get(index, ()):
            action = _correction(record, later).action
            if stands[later] and action != "insert":
                content[index] = content[later] if action == "replace" else None
            stands[index] &= not (stands[later] and action == "strike")

    found: list[tuple[int, Event]] = []

    def tell(first: int) -> None:
        """An event, and after it those that were put in after it."""
        waiting = [first]
        while waiting:
            index = waiting.pop()
            if index >= 0 and (event := content[index]) is not None:
                found.append((index, event))
            inserted = [i for i in about.get(index, ()) if _correction(record, i).action == "insert"]
            waiting += reversed(inserted)

    tell(-1)
    for index, event in enumerate(record):
        if not isinstance(event, Correction):
            tell(index)
    return found


def _correction(record: Sequence[Event], index: int) -> Correction:
    event = record[index]
    assert isinstance(event, Correction)
    return event


def _as_recorded(record: Sequence[Event], start: Match) -> dict[int, _Step]:
    """The replay of a record as it was told, its corrections aside."""
    plain = [(index, e) for index, e in enumerate(record) if not isinstance(e, Correction)]
    return {step.index: step for step in _fold(plain, start, None)}


def _fold(
    entries: Iterable[tuple[int, Event]], start: Match, recorded: Mapping[int, _Step] | None
) -> list[_Step]:
    """Replay events; where what went before is not as ``recorded``, plays and ends are judged anew."""
    match, steps = start, []
    for index, event in entries:
        now = event if recorded is None else _anew(event, match, recorded.get(index))
        refusal = None
        after = match
        try:
            after = match.apply(now)
        except MatchError as error:
            refusal = str(error)
        steps.append(_Step(index, now, match, after, refusal))
        match = after
    return steps


def _anew(event: Event, match: Match, was: _Step | None) -> Event:
    if isinstance(event, PlayMade):
        return _judged_anew(event, match, was)
    if isinstance(event, GameEnd) and was is not None and event == was.event:
        sound = was.before.contradiction(event) is None
        if sound and match.result is not None and match.contradiction(event) is not None:
            end = match.result
            return replace(event, winner=end.winner, result=end.result, points=end.points)
    return event


def _judged_anew(event: PlayMade, match: Match, was: _Step | None) -> PlayMade:
    """A play with the verdict it has from the position, and with the throw, that now go before it."""
    origin = match.origin(event)
    then = was.before.origin(was.event) if was is not None and isinstance(was.event, PlayMade) else None
    dice = event.dice
    if then is not None and was is not None and event == was.event:
        as_thrown = then.dice is not None and sorted(then.dice) == sorted(dice)
        if as_thrown and origin.dice is not None and sorted(origin.dice) != sorted(dice):
            dice = origin.dice
        same = (then.position, then.dice_valid) == (origin.position, origin.dice_valid)
        if same and dice == event.dice:
            return event
    if origin.position is None or not two_dice(dice):
        return event
    verdict = judge_play(origin.position, event.side, dice, event.position, match.rules)
    # A throw that was void already, but was played as if it counted, goes on counting.
    void = not origin.dice_valid and ((then is not None and then.dice_valid) or not event.legal)
    legal, rule = (False, "D10") if void and verdict.legal else (verdict.legal, verdict.rule)
    return replace(event, dice=dice, moves=verdict.moves, notation=verdict.notation, legal=legal, rule=rule)


def _consequences(before: Sequence[_Step], after: Sequence[_Step], start: Match) -> Iterator[Consequence]:
    was = {step.index: step for step in before}
    for step in after:
        yield from _changes(was.pop(step.index, None), step)
    for gone in was.values():
        if gone.ends_game:
            yield Consequence(gone.index, "end", f"{moment(gone.event)}: no game ends here any more")
    old = before[-1].after if before else start
    new = after[-1].after if after else start
    last = after[-1].index if after else 0
    if old.by_seat(old.score) != new.by_seat(new.score) or old.winner != new.winner:
        names = "-".join(new.name(seat) for seat in new.seats)
        won = f"; {new.name(new.winner)} has won the match" if new.winner else ""
        now, then = dashed(new.by_seat(new.score)), dashed(old.by_seat(old.score))
        yield Consequence(last, "score", f"the score is now {now} ({names}), it was {then}{won}")
    if old.position != new.position:
        yield Consequence(last, "position", "the position at the end of the record is now another")


def _changes(old: _Step | None, new: _Step) -> Iterator[Consequence]:
    """What is different about one event."""

    def told(kind: ConsequenceKind, text: str) -> Consequence:
        return Consequence(new.index, kind, f"{moment(new.event)}: {text}")

    if new.refusal is not None:
        if old is None or old.refusal is None:
            yield Consequence(new.index, "cannot_follow", new.refusal)
        return
    if old is not None and old.refusal is not None:
        yield told("follows", "it can follow now")
    made, made_before = new.event, old.event if old is not None else None
    if isinstance(made, PlayMade):
        yield from (told(kind, text) for kind, text in _play_changes(made_before, made))
    if isinstance(made, GameEnd):
        against = new.before.contradiction(made)
        known = old.before.contradiction(old.event) if old and isinstance(old.event, GameEnd) else None
        if against is not None and against != known:
            yield told("contradiction", against)
        elif known is not None and against is None:
            yield told("agrees", "it agrees with the board and the rules")
    ended = (new.after.result, new.after.gained) if new.ends_game else None
    ended_before = (old.after.result, old.after.gained) if old is not None and old.ends_game else None
    if ended != ended_before:
        result = new.after.result
        if ended is None or result is None:
            yield told("end", "no game ends here any more")
        else:
            points = dashed(new.after.gained)
            yield told("end", f"the game now ends here: {ending(result, new.after)} (score {points})")


def _play_changes(old: Event | None, new: PlayMade) -> Iterator[tuple[ConsequenceKind, str]]:
    was = old if isinstance(old, PlayMade) else None
    if was is not None and sorted(was.dice) != sorted(new.dice):
        yield "dice", f"it was made with {dashed(new.dice)}, not with {dashed(was.dice)}"
    if not new.legal and (was is None or was.legal):
        yield "illegal", f"it is illegal by {new.rule}"
    elif was is not None and new.legal and not was.legal:
        yield "legal", "it is legal"
    elif was is not None and was.rule != new.rule:
        yield "rule", f"it is illegal by {new.rule}, not by {was.rule}"
    elif was is not None and was.moves != new.moves:
        yield "moves", f"it was {new.notation}, not {was.notation}"
