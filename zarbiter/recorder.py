"""From events to what is kept and told: commentary, the match's fold, the store, the pages."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace

from engine.commentary import sentence
from engine.events import Desync, Doubt, Event, GameStart, PlayMade, Throw
from engine.match import Match, MatchError
from engine.position import Game
from engine.rules import default_rules
from webui.feed import Told
from zarbiter.hub import Hub
from zarbiter.store import Alert, MatchRow, Store, StoreError

log = logging.getLogger(__name__)


class Recorder:
    """Keeps the record of one match: stores every event, and shows it once it is stored."""

    def __init__(self, store: Store, row: MatchRow, match: Match, hub: Hub) -> None:
        self.match = match
        self._store, self._row, self._hub = store, row, hub

    def record(self, event: Event) -> None:
        """Take one event. Never raises for what the event says."""
        text = sentence(event, self.match)
        self.match = follow(self.match, event)
        self._store.append(self._row.id, event, text, alert_of(event)).add_done_callback(self._publish)
        if self.match.winner is not None:
            self._store.finish(self._row.id)

    def _publish(self, done: Future[Told]) -> None:
        error = done.exception()
        if error is None:
            self._hub.tell(done.result())
        elif not isinstance(error, StoreError):  # the store has already said what it lost
            raise error


def follow(match: Match, event: Event) -> Match:
    """The match after ``event``; unchanged if the event cannot follow.

    Then what the camera shows and what the match believes differ. The event is kept all the same: the
    record says what was seen. The first game tells the rules of a match whose board was to tell them.
    """
    if isinstance(event, GameStart) and match.game_number == 0:
        match = replace(match, rules=event.rules)
    try:
        return match.apply(event)
    except MatchError as error:
        log.warning("%s", error)
        return match


def replay(row: MatchRow, events: Iterable[Event]) -> Match:
    """The match after all that was stored of it."""
    match = Match(row.rules or default_rules(Game.BACKGAMMON), row.length, row.players)
    for event in events:
        match = follow(match, event)
    return match


def alert_of(event: Event) -> Alert:
    """Whether a person should look at an event, and as what."""
    match event:
        case Throw(valid=False):
            return "fault"
        case PlayMade(legal=False):
            return "illegal"
        case Doubt():
            return "doubt"
        case Desync():
            return "desync"
        case _:
            return "none"
