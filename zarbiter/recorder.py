"""From events to what is kept and told: commentary, the match's fold, the store, the pages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace

from engine.commentary import sentence
from engine.corrections import Corrected, correct, resolve
from engine.events import Correction, CubeAction, Desync, Doubt, Event, GameStart, PlayMade, Throw
from engine.judge import Verdict, judge_play
from engine.match import Match, MatchError
from engine.position import Game
from engine.rules import default_rules
from webui.feed import Told
from zarbiter.hub import Hub
from zarbiter.store import Alert, MatchRow, Store, StoreError

log = logging.getLogger(__name__)


class Recorder:
    """Keeps the record of one match: stores every event, and shows it once it is stored.

    ``events`` is all that was recorded, corrections among it; ``effective`` the events that stand, those
    corrections made; ``match`` what it comes to; ``verdict`` that on the last play. It begins with what
    was stored of the match. ``noted`` is told each event that is recorded, with its place in the record. For
    one thread at a time.
    """

    def __init__(
        self,
        store: Store,
        row: MatchRow,
        hub: Hub,
        events: Iterable[Event] = (),
        noted: Callable[[int, Event], None] = lambda place, event: None,
    ) -> None:
        self._store, self._row, self._hub, self._noted = store, row, hub, noted
        self.rules = row.rules  #: ``None`` if the board is to tell the game
        self._start = Match(row.rules or default_rules(Game.BACKGAMMON), row.length, row.players)
        self._judged: tuple[Match, PlayMade] | None = None  #: the last play, and the match before it
        self.match = self._start
        self.events: list[Event] = []
        self.effective: list[Event] = []
        self.verdict: Verdict | None = None
        for event in events:
            self._take(event)
        self._judge()
        self._over = row.finished is not None

    def record(self, event: Event) -> Future[Told]:
        """Take one event; what is told of it comes once it is stored. Never raises for what it says."""
        text = sentence(event, self.match)
        self._take(event)
        self._judge()
        self._noted(len(self.events) - 1, event)
        done = self._store.append(self._row.id, event, text, alert_of(event))
        done.add_done_callback(self._publish)
        over = self.match.winner is not None
        if over != self._over:
            (self._store.finish if over else self._store.reopen)(self._row.id)
        self._over = over
        return done

    def corrected(self, *corrections: Correction) -> Corrected:
        """The match as it would be after further corrections. Raises ``MatchError``."""
        return correct(self.events, corrections, self._start)

    def entry(self, place: int) -> tuple[Event | None, Match]:
        """What stands at a place in the record, corrections made, and the match before it.

        ``None`` where nothing stands there any more. What is left out, since it cannot follow, is given as
        it was told.
        """
        corrected = self.corrected()
        stands = dict(zip(corrected.places, corrected.events, strict=True))
        match = self._start
        for index, event in resolve(self.events):
            if index == place:
                return stands.get(index, event), match
            if index in stands:
                match = follow(match, stands[index], quiet=True)
        return None, match

    def _take(self, event: Event) -> None:
        if isinstance(event, GameStart) and self.match.game_number == 0:
            self._start = replace(self._start, rules=event.rules)
        self.events.append(event)
        if isinstance(event, Correction):
            corrected = self.corrected()
            self.match, self.effective = corrected.match, list(corrected.events)
            self._judged = self._last_play()
        else:
            self.effective.append(event)
            if isinstance(event, PlayMade):
                self._judged = self.match.origin(event), event
            self.match = follow(self.match, event)

    def _last_play(self) -> tuple[Match, PlayMade] | None:
        match, found = self._start, None
        for event in self.effective:
            if isinstance(event, PlayMade):
                found = match.origin(event), event
            match = follow(match, event, quiet=True)
        return found

    def _judge(self) -> None:
        before, play = self._judged or (None, None)
        if before is None or play is None or before.position is None:
            self.verdict = None
            return
        now = self.verdict
        if now is None or (now.before, now.after, now.dice) != (before.position, play.position, play.dice):
            self.verdict = judge_play(before.position, play.side, play.dice, play.position, before.rules)

    def _publish(self, done: Future[Told]) -> None:
        error = done.exception()
        if error is None:
            self._hub.tell(done.result())
        elif not isinstance(error, StoreError):  # the store has already said what it lost
            raise error


def follow(match: Match, event: Event, *, quiet: bool = False) -> Match:
    """The match after ``event``; unchanged if the event cannot follow, which is logged unless ``quiet``.

    Then what the camera shows and what the match believes differ. The event is kept all the same: the
    record says what was seen. The first game tells the rules of a match whose board was to tell them.
    """
    if isinstance(event, GameStart) and match.game_number == 0:
        match = replace(match, rules=event.rules)
    try:
        return match.apply(event)
    except MatchError as error:
        if not quiet:
            log.warning("%s", error)
        return match


def alert_of(event: Event) -> Alert:
    """Whether a person should look at an event, and as what."""
    match event:
        case Throw(valid=False):
            return "fault"
        case PlayMade(legal=False) | CubeAction(rule=str()):
            return "illegal"
        case Doubt():
            return "doubt"
        case Desync():
            return "desync"
        case _:
            return "none"
