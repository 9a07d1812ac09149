"""The desk of a running match, where camera and referee meet: one tracker, one record, one at a time.

The vision thread brings observations, threads of the web server what the referee decides. Either
holds the lock while it changes anything, and neither while it looks at pictures or waits for the store.
A decision goes to the record like any other event; where it moves the game, the tracker is made anew
from the record, so that it believes what was ruled.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeGuard

from engine.actions import Field, Offer, ValueRefused, correctable, filled, offered
from engine.commentary import sentence
from engine.disagreement import Disagreement
from engine.events import Call, Correction, CubeAction, Desync, Event, Resignation, Resync, Ruling, TurnEnd
from engine.layout import Orientation
from engine.match import Match, MatchError, clock
from engine.observation import Observation
from engine.position import Position, Side
from engine.tracker import Tracker
from webui.feed import Outcome, Refused, Told
from zarbiter.hub import Hub
from zarbiter.recorder import Recorder, follow
from zarbiter.store import StoreError

LOOK_SECONDS = 0.5  #: between two looks at how a board stands that is out of step
STORE_SECONDS = 2.0  #: how long a decision waits to be stored before the page is answered
CHANGE, REPLACE, STRIKE, INSERT = "change", "replace", "strike", "insert:"


class RefereeDesk:
    """The :class:`webui.feed.Desk` of a running match.

    ``decided`` is told what the referee has put into the record, and how the board lies in the picture.
    """

    def __init__(
        self,
        recorder: Recorder,
        hub: Hub,
        decided: Callable[[Event, Orientation], None] = lambda event, orientation: None,
    ) -> None:
        self._recorder, self._hub, self._decided = recorder, hub, decided
        self._lock = threading.Lock()
        self._offers: tuple[Match, Position | None, tuple[Offer, ...]] | None = None
        self._stands: Position | None = None  #: the board, where it is out of step and was last seen whole
        self._looked = -math.inf
        self._t = max((event.t for event in recorder.events), default=0.0)
        self.tracker = self._resumed(recorder.effective)
        self._show()

    # -- the vision thread --------------------------------------------------------------------

    def observe(self, seen: Observation) -> Sequence[Event]:
        """Take in what one picture shows, record what it makes known, and return that."""
        with self._lock:
            self._t = seen.t
            self.tracker.recorded = len(self._recorder.events)
            events = self.tracker.observe(seen)
            for event in events:
                self._recorder.record(event)
            if events and events[-1] is self._recorder.match.rejected:
                why = "under these rules an illegal play must be put right (E5)"
                self._record(Ruling(t=self._t, decision="demand", reason=why))
            self._look(events)
            self._show()
        return events

    def finish(self) -> None:
        """The recording has ended: decide what is still open."""
        with self._lock:
            self.tracker.recorded = len(self._recorder.events)
            for event in self.tracker.finish():
                self._recorder.record(event)
            self._show()

    # -- threads of the web server ------------------------------------------------------------

    def act(self, key: str, values: Mapping[str, str], seen: int | None = None) -> str:
        """Record an offered decision; see :class:`webui.feed.Desk`."""
        with self._lock:
            match = self._recorder.match
            if seen not in (None, len(self._recorder.events)):
                raise Refused("the game has gone on in the meantime; look again")
            offer = next((offer for offer in self._offered(match) if offer.key == key), None)
            if offer is None:
                raise Refused(f"there is nothing to decide now that is called {key!r}", unknown=True)
            try:
                event = filled(offer.event, match, values, self._t)
                match.apply(event)
            except (ValueRefused, MatchError) as error:
                raise Refused(str(error)) from error
            said, done = self._record(event)
            self._look(())
            self._decided(event, self._recorder.match.orientation)
        return said + _stored(done)

    def fields(self, event: int, change: str = REPLACE) -> tuple[Field, ...]:
        """What can be corrected in an event, and how; see :class:`webui.feed.Desk`."""
        with self._lock:
            now, before, changes = self._changes(self._place(event))
            if change not in changes:
                change = next(iter(changes))
            choice = Field(CHANGE, "What is wrong", change, tuple(changes.items()))
            if change == REPLACE and now is not None:
                return (choice, *correctable(now, before))
            if change.startswith(INSERT) and now is not None:
                return (choice, *self._offer_after(now, before, change).fields)
            return (choice,)

    def correct(self, event: int, values: Mapping[str, str], *, dry_run: bool) -> Outcome:
        """Correct an event, or only say what would follow; see :class:`webui.feed.Desk`."""
        with self._lock:
            place = self._place(event)
            now, before, changes = self._changes(place)
            given = dict(values)
            change = given.pop(CHANGE, REPLACE)
            if change not in changes:
                raise Refused(f"{change!r} is none of the changes that can be made to this event")
            was = sentence(now, before) if now is not None else ""
            try:
                correction, becomes = self._correction(place, now, before, change, given)
                corrected = self._recorder.corrected(correction)
            except (ValueRefused, MatchError) as error:
                raise Refused(str(error)) from error
            follows = tuple(_sentence(consequence.text) for consequence in corrected.consequences)
            if dry_run:
                return Outcome(was, becomes, follows)
            _, done = self._record(correction, corrected.events)
            self._decided(correction, self._recorder.match.orientation)
        _stored(done)
        return Outcome(was, becomes, follows)

    # -- inside the lock ----------------------------------------------------------------------

    def _record(self, event: Event, effective: Sequence[Event] | None = None) -> tuple[str, Future[Told]]:
        """Record what the referee has decided; the tracker goes on from there.

        ``effective``: the events that then stand, where those are not simply one more.
        """
        tracker = self.tracker
        if _goes_on(event):
            tracker.ruled(event)
        elif _moves_the_game(event):
            try:
                if effective is None:
                    effective = [*self._recorder.effective, event]
                tracker = self._resumed(effective)
            except ValueError as error:
                raise Refused(f"the game cannot be followed from there: {error}") from error
        said = sentence(event, self._recorder.match)
        done = self._recorder.record(event)
        self.tracker = tracker
        self._show()
        return said, done

    def _resumed(self, events: Sequence[Event]) -> Tracker:
        """A tracker that goes on where events end, and asks before it takes a board as it stands."""
        return Tracker.resume(events, self._recorder.rules, adopt=False)

    def _look(self, events: Sequence[Event]) -> None:
        """See how a board stands that is out of step."""
        if self.tracker.believed.phase != "out of step":
            self._stands, self._looked = None, -math.inf
            return
        for event in events:
            if isinstance(event, Desync):
                self._stands, self._looked = event.position, self._t
        if not 0 <= self._t - self._looked < LOOK_SECONDS:
            self._stands, self._looked = self.tracker.shown or self._stands, self._t

    def _show(self) -> None:
        offers, disagreement = self._offered(self._recorder.match), self._disagreement()
        self._hub.update(**believed(self.tracker, self._recorder, offers), disagreement=disagreement)

    def _disagreement(self) -> Disagreement | None:
        now, match = self.tracker.believed, self._recorder.match
        if now.phase != "out of step" or now.game is None or now.position is None:
            return None
        side = now.side_to_move or Side.WHITE
        return Disagreement(now.game, now.position, self._stands, side, match.restoring)

    def _offered(self, match: Match) -> tuple[Offer, ...]:
        if match.game_number == 0 and self._recorder.rules is None:
            return ()  # the board has yet to tell which game it is
        stands = self._stands
        if self._offers is None or self._offers[0] is not match or self._offers[1] != stands:
            self._offers = match, stands, offered(match, stands)
        return self._offers[2]

    def _place(self, event: int) -> int:
        """The place in the record of an event that has been told, by its id."""
        ids = [told.id for told in self._hub.told(limit=len(self._recorder.events))]
        if event not in ids:
            raise Refused(f"there is no event {event} in this match", unknown=True)
        return ids.index(event)

    def _changes(self, place: int) -> tuple[Event | None, Match, dict[str, str]]:
        """What stands at a place of the record, the match before it, and what can be changed about it."""
        now, before = self._recorder.entry(place)
        told = self._recorder.events[place]
        if now is None:
            if isinstance(told, Correction):
                return None, before, {STRIKE: "this correction was wrong: undo it"}
            raise Refused("this was taken out of the record already")
        changes = {}
        try:
            if correctable(now, before):
                changes[REPLACE] = "it was otherwise, as follows"
            changes[STRIKE] = "it did not happen"
        except ValueRefused:
            pass  # what was seen stays as it was seen, but something may be missing after it
        for offer in offered(follow(before, now, quiet=True)):
            changes[f"{INSERT}{offer.key}"] = f"missing after it: {offer.label}"
        if not changes:
            raise Refused("there is nothing to correct in this")
        return now, before, changes

    def _offer_after(self, now: Event, before: Match, change: str) -> Offer:
        key = change.removeprefix(INSERT)
        return next(offer for offer in offered(follow(before, now, quiet=True)) if offer.key == key)

    def _correction(
        self, place: int, now: Event | None, before: Match, change: str, given: Mapping[str, str]
    ) -> tuple[Correction, str | None]:
        """The correction, and the sentence of the event that it puts in."""
        if now is None:
            why = "a correction that was wrong"
            return Correction(t=self._t, target=place, action="strike", reason=why), None
        if change == STRIKE:
            why = f"{clock(now.t)}: {sentence(now, before).split('. ')[0].rstrip('.')}"
            return Correction(t=self._t, target=place, action="strike", reason=why), None
        if change == REPLACE:
            event = filled(now, before, given, now.t)
            if event == now:
                raise ValueRefused("that is what the record says already")
            said = sentence(event, before)
            return Correction(t=self._t, target=place, action="replace", event=event), said
        match = follow(before, now, quiet=True)
        event = filled(self._offer_after(now, before, change).event, match, given, now.t)
        said = sentence(event, match)
        return Correction(t=self._t, target=place, action="insert", event=event), said


def believed(tracker: Tracker, recorder: Recorder, offers: tuple[Offer, ...]) -> dict[str, Any]:
    """The fields of the page's state that come from tracker and record."""
    now, match = tracker.believed, recorder.match
    pips = (0, 0)
    if now.position is not None and now.game is not None:
        pips = (now.position.pips(now.game, Side.WHITE), now.position.pips(now.game, Side.BLACK))
    phase: str = now.phase
    if match.phase == "cube_offered":
        phase = "cube offered"
    if match.winner is not None:
        phase = "match over"
    return {
        "game": now.game or match.rules.game,
        "rules": match.rules.name,
        "position": now.position,
        "orientation": now.orientation or match.orientation,
        "side_to_move": now.side_to_move,
        "dice": now.dice,
        "dice_valid": now.dice_valid,
        "phase": phase,
        "pips": pips,
        "score": match.score,
        "players": match.players,
        "match_length": match.length,
        "cube": match.cube if match.rules.cube else None,
        "cube_owner": match.cube_owner,
        "verdict": recorder.verdict,
        "offers": offers,
        "rule_set": match.rules,
        "events": len(recorder.events),
    }


def _goes_on(event: Event) -> TypeGuard[Ruling | Resync | TurnEnd | CubeAction]:
    """Whether the tracker takes in a decision as it is, and nothing that it has seen is forgotten."""
    match event:
        case Resync() | TurnEnd() | CubeAction(action="double") | Ruling(decision="restore"):
            return True
        case _:
            return False


def _moves_the_game(event: Event) -> bool:
    """Whether a decision changes what the tracker must believe."""
    match event:
        case Call():
            return event.what == "cup"
        case Ruling(decision="accept"):
            return False
        case CubeAction():
            return event.action == "drop"
        case Resignation():
            return event.action == "accept"
        case _:
            return True


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def _stored(done: Future[Told]) -> str:
    """Wait until a decision is stored; what is to be said if that takes its time."""
    try:
        done.result(STORE_SECONDS)
    except NotYet:
        return " It waits to be stored."
    except StoreError as error:
        raise Refused(f"it could not be stored: {error}") from error
    return ""
