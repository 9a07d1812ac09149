"""Corrections: any event of a record, however early, is put right, and the rest is replayed.

What was *seen* stays: the dice and where they lay, the board after each play, the board that stood where
picture and record disagreed. What was *concluded* from it is concluded anew: whose throw and whose play it
was, what is legal, whether a board still disagrees, how a game ended.

Nothing is hidden: what follows differently from a correction (a play that is illegal now, a throw of the
other side, a game that ends otherwise, another score) is told as a list of consequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from engine.events import (
    Correction,
    Desync,
    Dice,
    Event,
    Fault,
    GameEnd,
    GameStart,
    PlayMade,
    Resync,
    SetUp,
    Throw,
)
from engine.judge import judge_play
from engine.layout import colour_of, index_at, to_slots
from engine.match import Match, MatchError, dashed, ending, moment, two_dice
from engine.position import Position, Side
from engine.rules import RuleSet
from engine.throws import right_half
from engine.tracker_explain import moved

ConsequenceKind = Literal[
    "illegal",
    "legal",
    "rule",
    "dice",
    "moves",
    "side",
    "validity",
    "nothing",
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
    another ``rule``; it was made with other ``dice``, or by other ``moves``; a throw or play is now the other
    ``side``'s; a throw is now of another ``validity``; a play is now ``nothing``, since no checker moved; an
    event ``cannot_follow`` what went before any more, or ``follows`` now; the ``end`` of a game is now
    another; a game end that is told is now in ``contradiction`` to the board, or ``agrees`` with it; a board
    that was out of step ``agrees`` with the record now; the ``score``, or the ``position``, is now another.
    """

    index: int
    kind: ConsequenceKind
    text: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """A record after corrections. ``events``: those that make up ``match``, judged anew, as if recorded so.

    ``places``: the place in the record of each of them; of one that was put in, that of the correction which
    did so. Events that cannot follow are not among them; ``consequences`` names those.
    """

    match: Match
    events: tuple[Event, ...]
    places: tuple[int, ...]
    consequences: tuple[Consequence, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One event of a replay: as it was ``told``, and as it is believed now.

    ``refusal`` says why it is left out, and then it changes nothing; ``kind`` is what that is called.
    """

    index: int
    told: Event
    event: Event
    before: Match
    after: Match
    refusal: str | None
    kind: ConsequenceKind = "cannot_follow"

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
        if step.refusal is not None and step.kind == "cannot_follow":
            raise MatchError(step.refusal)
    return steps[-1].after if steps else start


def correct(record: Iterable[Event], corrections: Iterable[Correction], start: Match) -> Corrected:
    """Correct a record and replay it from ``start``, and tell what the corrections changed.

    The board is taken as it was seen: a play that comes after a corrected one is judged by the position it
    left, from the position before it as corrected. A play that was made with the dice of a throw follows
    the throw if its dice are corrected. Dice do not show who threw them: a throw that cannot have been one
    side's is the other's, if the play after it does not speak against that. Where picture and record
    disagreed, but would not have disagreed with the record as corrected, they did not.

    Raises ``MatchError`` if a correction has no target in the record.
    """
    record = tuple(record)
    recorded = _as_recorded(record, start)
    before = _fold(resolve(record), start, recorded)
    after = _fold(resolve((*record, *corrections)), start, recorded)
    stand = [step for step in after if step.refusal is None]
    stand = [step for step, told in zip(stand, _told_again(stand), strict=True) if not told]
    return Corrected(
        after[-1].after if after else start,
        tuple(step.event for step in stand),
        tuple(step.index for step in stand),
        tuple(_consequences(before, after, start)),
    )


def _told_again(steps: Sequence[_Step]) -> list[bool]:
    """Of each step, whether it is a throw that is told once more after it, with what was seen of it later."""
    again, later = [False] * len(steps), set[tuple[float, Dice]]()
    for place in range(len(steps) - 1, -1, -1):
        event = steps[place].event
        if isinstance(event, Throw):
            again[place] = (event.t, event.dice) in later
            later.add((event.t, event.dice))
        elif isinstance(event, PlayMade | GameStart | SetUp):
            later.clear()
    return again


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
    entries: Sequence[tuple[int, Event]], start: Match, recorded: Mapping[int, _Step] | None
) -> list[_Step]:
    """Replay events; where what went before is not as ``recorded``, what was concluded is concluded anew."""
    match, steps = start, []
    for nth, (index, event) in enumerate(entries):
        was = recorded.get(index) if recorded is not None else None
        now: Event | _LeftOut = event
        if recorded is not None:
            now = _anew(event, match, was, (later for _, later in islice(entries, nth + 1, None)))
        if isinstance(now, _LeftOut):
            steps.append(_Step(index, event, event, match, match, f"{moment(event)}: {now.why}", now.kind))
            continue
        refusal = None
        after = match
        try:
            after = match.apply(now)
        except MatchError as error:
            refusal = str(error)
        steps.append(_Step(index, event, now, match, after, refusal))
        match = after
    return steps


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Why an event that was told is none any more."""

    kind: ConsequenceKind
    why: str


def _anew(event: Event, match: Match, was: _Step | None, later: Iterable[Event]) -> Event | _LeftOut:
    """What is believed of an event that was told, now that ``match`` goes before it.

    ``was``: its step in the record as it was told; ``later``: what comes after it.
    """
    told = was if was is not None and was.event == event else None  # else somebody has said it is so
    moved_on = told is None or told.before != match
    match event:
        case PlayMade():
            return _judged_anew(event, match, told, was)
        case Throw() if told is not None and moved_on:
            return _thrown_anew(event, match, told, later)
        case GameEnd() if told is not None:
            return _ended_anew(event, match, told)
        case Desync() if told is not None and moved_on and _agrees(event, match, told):
            return _LeftOut("agrees", "the board stood as the record says now")
        case Resync() if told is not None and moved_on and match.position is not None:
            if event.position is None:
                return event if not match.in_step else _LeftOut("agrees", "nothing was out of step")
            if event.position == match.position and event.side_to_move is None:
                stood = "the board stood as the record says now"
                return replace(event, slots=()) if not match.in_step else _LeftOut("agrees", stood)
    return event


def _agrees(event: Desync, match: Match, was: _Step) -> bool:
    """Whether the board that was out of step with the record is not with the record as it is now.

    Where the picture did not disagree, the board stood as the record said then.
    """
    then, now, seen = was.before.position, match.position, event.position
    if then is None or now is None or seen is None:
        return False
    differ = {index_at(match.orientation, slot) for slot in event.slots}
    stood = tuple(seen.points[i] if i in differ else then.points[i] for i in range(24))
    return now.points == stood


def _thrown_anew(event: Throw, match: Match, was: _Step, later: Iterable[Event]) -> Event | _LeftOut:
    """A throw by the side that can have made it: that which is to throw, or, if unknown, which played."""
    before = was.before.throw
    if before is not None and match.throw is not None and _same_throw(before, event):
        valid = match.throw.valid if event.valid is before.valid else event.valid
        again = replace(match.throw, valid=valid, faults=event.faults)  # with what was seen of it later
        return again if event.side is before.side else replace(again, side=event.side, colour=event.colour)
    play = _play_of(event, later)
    if play is not None and _unseen(event) and match.position == play.position != was.before.position:
        return _LeftOut("nothing", "its dice were not seen, and no checker has moved")
    to_throw = match.side_to_move
    if match.position is None or (event.valid and to_throw is event.side and match.refusal(event) is None):
        return event
    mover = _mover(match.position, play, match.rules) if play is not None else None
    side = to_throw or mover or event.side
    if not event.valid:
        by_turn = was.before.side_to_move in (None, event.side)
        return _by(side, event, match) if by_turn else event
    if mover not in (None, side):
        return event
    other = _by(side, event, match)
    return other if match.refusal(other) is None else event


def _unseen(throw: Throw) -> bool:
    """Whether a throw was told of only because the board showed a play."""
    return not throw.halves and throw.confidence <= 0.5


def _same_throw(one: Throw, other: Throw) -> bool:
    """Whether a throw is told once more, be it as the other side's."""
    return (one.t, one.dice) == (other.t, other.dice)


def _play_of(throw: Throw, later: Iterable[Event]) -> PlayMade | None:
    """The play that was made with a throw, from what comes after the throw."""
    for event in later:
        if isinstance(event, PlayMade):
            return event
        again = isinstance(event, Throw) and _same_throw(throw, event)
        if isinstance(event, Throw | GameStart | SetUp) and not again:
            return None
    return None


def _mover(before: Position, play: PlayMade, rules: RuleSet) -> Side | None:
    """Whose play leads from a position to what was seen after it; ``None`` if no checker has moved."""
    if before == play.position:
        return None
    sides = (play.side, play.side.other)
    for side in sides:
        if two_dice(play.dice) and judge_play(before, side, play.dice, play.position, rules).legal:
            return side
    return next((side for side in sides if moved(before, play.position, side)), play.side)


def _by(side: Side, throw: Throw, match: Match) -> Throw:
    """The same dice thrown by ``side``. Whether they lie in the right half depends on who threw (D4)."""
    if side is throw.side:
        return throw
    faults: tuple[Fault, ...] = tuple(f for f in throw.faults if f not in ("wrong_half", "wrong_side"))
    halves = set(throw.halves) - {"off"}
    wrong = len(halves) == 1 and halves != {right_half(side, match.orientation)}
    if wrong and match.rules.throw_half == "right_half":
        faults = (*faults, "wrong_half")
    valid = throw.valid if set(faults) == set(throw.faults) else not faults
    white_is_light = (throw.side is Side.WHITE) == (throw.colour == "light")
    return replace(throw, side=side, colour=colour_of(side, white_is_light), valid=valid, faults=faults)


def _ended_anew(event: GameEnd, match: Match, was: _Step) -> Event | _LeftOut:
    """An end that followed from the board follows from the board as it is now."""
    against = match.contradiction(event)
    if against is None or was.before.contradiction(event) is not None:
        return event
    if match.phase in ("game_over", "match_over") and match.result is not None:
        end = match.result
        return replace(event, winner=end.winner, result=end.result, points=end.points)
    return _LeftOut("contradiction", against)


def _judged_anew(event: PlayMade, match: Match, told: _Step | None, was: _Step | None) -> Event | _LeftOut:
    """A play with the verdict it has from the position, and with the throw, that now go before it."""
    then = was.before.origin(was.event) if was is not None and isinstance(was.event, PlayMade) else None
    before = then if told is not None else None
    now = _judged(event, match, before, then)
    if told is None or then is None or told.before == match or match.position is None:
        return now
    if event.seen is not None and not now.legal:
        # By what was believed to go before, something else was the likelier play than what was seen.
        shown = _judged(_standing(event, event.seen, match), match, before, then)
        event, now = (shown, shown) if shown.legal else (event, now)
    stood = match.position == event.position
    if stood and then.position == event.position and then.dice_valid and not match.dice_valid:
        return _LeftOut("nothing", "no checker has moved, and the throw does not count")
    its_turn = match.phase == "to_play" and match.side_to_move is event.side
    if stood and then.position != event.position and not its_turn:
        return _LeftOut("nothing", "no checker has moved")
    if match.refusal(now) is None:
        return now
    mover = _mover(match.position, event, match.rules)
    if mover is event.side or (mover is None and then.position != event.position):
        return now
    side = event.side.other
    white_is_light = (event.side is Side.WHITE) == (event.colour == "light")
    other = _judged(replace(event, side=side, colour=colour_of(side, white_is_light)), match, then, then)
    return other if match.refusal(other) is None else now


def _standing(event: PlayMade, position: Position, match: Match) -> PlayMade:
    """The same play with another board after it."""
    white_is_light = (event.side is Side.WHITE) == (event.colour == "light")
    light, dark = (0, 1) if white_is_light else (1, 0)
    return replace(
        event,
        position=position,
        slots=to_slots(position, match.orientation, white_is_light),
        bar=(position.bar[light], position.bar[dark]),
        off=(position.off[light], position.off[dark]),
    )


def _judged(event: PlayMade, match: Match, told: Match | None, then: Match | None) -> PlayMade:
    """A play by a side, judged by ``match``.

    ``then``: the match before what was told in its place; the same is ``told`` if it was this very play.
    """
    origin = match.origin(event)
    dice = event.dice
    if told is not None:
        thrown = origin.phase == "to_play" or not origin.dice_valid
        if thrown and origin.dice is not None and origin.dice != told.dice:
            dice = origin.dice  # what was thrown is not as it was told, nor is what was played
        same = (told.position, told.dice_valid, told.side_to_move) == (
            origin.position,
            origin.dice_valid,
            origin.side_to_move,
        )
        if same and dice == event.dice:
            return event
    if origin.position is None or not two_dice(dice):
        return event
    verdict = judge_play(origin.position, event.side, dice, event.position, match.rules)
    # A throw that was void already, but was played as if it counted, goes on counting.
    void = not origin.dice_valid and ((then is not None and then.dice_valid) or not event.legal)
    legal, rule = (False, "D10") if void and verdict.legal else (verdict.legal, verdict.rule)
    if (event.legal, event.rule) == (False, "G10") and origin.side_to_move is event.side.other:
        legal, rule = False, "G10"  # it was out of turn, whatever it was
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
        return Consequence(new.index, kind, f"{_subject(new.event, new.before)}: {text}")

    if new.refusal is not None:
        if old is None or old.refusal is None:
            yield told(new.kind, f"{new.refusal.removeprefix(f'{moment(new.event)}: ')}; it is left out")
        return
    if old is not None and old.refusal is not None:
        yield told("follows", "it can follow now")
        old = None  # what it would have been does not matter
    if old is not None and old.told == new.told:
        yield from (told(kind, text) for kind, text in _told_otherwise(old.event, new.event, new.before))
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


def _subject(event: Event, match: Match) -> str:
    """An event as the subject of a sentence: ``Ann's throw at 01:12``."""
    words = moment(event)
    if isinstance(event, Throw | PlayMade):
        return f"{match.name(event.side)}'s {words.removeprefix('a ')}"
    return words


def _told_otherwise(old: Event, new: Event, match: Match) -> Iterator[tuple[ConsequenceKind, str]]:
    """What is believed otherwise of an event that nobody corrected, the plays' verdicts aside."""
    if isinstance(old, Throw | PlayMade) and isinstance(new, Throw | PlayMade) and old.side is not new.side:
        yield "side", f"it was taken for {match.name(old.side)}'s"
    if isinstance(old, Throw) and isinstance(new, Throw) and old.valid is not new.valid:
        yield "validity", "it counts" if new.valid else "it does not count"
    if isinstance(old, PlayMade) and isinstance(new, PlayMade) and old.position != new.position:
        yield "position", "the board after it was another"
    if isinstance(old, Resync) and old != new:
        yield "agrees", "the board stands as the record says now"


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
    elif was is not None and was.notation != new.notation:
        yield "moves", f"it was {new.notation}, not {was.notation}"
