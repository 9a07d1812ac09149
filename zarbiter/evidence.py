"""The evidence of a running match or a recording: the pictures that each event rests on.

Pictures of the last minute and a half stay in memory, in a thread of their own that steps back behind
all others. For each throw, play, doubt and loss of step that thread chooses the deciding still pictures,
enlarges the dice and makes a clip, one picture of it at a time, so that new pictures never wait for it.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from engine.events import (
    Correction,
    Desync,
    Doubt,
    Event,
    GameStart,
    PlayMade,
    Resync,
    Ruling,
    SetUp,
    Throw,
)
from engine.observation import Observation
from hardware.camera import Frame
from zarbiter.beside import step_back
from zarbiter.collect import Full
from zarbiter.deciding import AFTER, Case, deciding, reason_to_keep, view_of
from zarbiter.exhibits import Archive, Made
from zarbiter.film import RATE, Film, clip, zoom

LEAD = 3.0  #: seconds of the clip before the first deciding picture
LONGEST = 9.0  #: seconds of a clip, the last ones of what it could show
BEFORE = 8.0  #: seconds that the clip begins before an event of which there is no still picture
AHEAD = 8  #: pictures that wait to be compressed; a live match drops what comes then
PAUSE = 1 / RATE - 0.001  #: seconds between two pictures, less what frames are irregular by
BUSY, WAITING = 2, 4  #: exhibits that are to be written at which clips are made at half the rate, and none

#: What a ruling is about; of a board that is put back there is evidence that is kept already.
RULED_ON: dict[str, type[Event] | None] = {
    "accept": PlayMade,
    "demand": PlayMade,
    "rethrow": Throw,
    "stand": Throw,
    "restore": None,
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Picture:
    """A frame that waits to be compressed; a still one in full size, with what was seen in it."""

    frame: Frame
    seen: Observation | None = None


class Evidence:
    """Watches a match beside the tracker and writes the evidence of its events to ``archive``.

    ``events``: those recorded before, if a match is resumed. With ``patient`` pictures wait, as for a
    recording; else they are dropped when they come too fast. ``on_health(ok, message)`` is called from
    the thread of this when writing begins to fail and when it succeeds again. ``film`` holds the pictures.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        patient: bool = False,
        on_health: Callable[[bool, str], None] = lambda ok, message: None,
        events: Sequence[Event] = (),
        film: Film | None = None,
    ) -> None:
        self.archive = archive
        self._patient, self._on_health = patient, on_health
        self._tasks: queue.SimpleQueue[_Picture | tuple[int, Event] | None] = queue.SimpleQueue()
        self._free = threading.BoundedSemaphore(AHEAD)
        self._closed = False
        # What the vision thread knows.
        self._shot = -math.inf
        self._held_at = -math.inf
        self._standing: object = None
        self._held: _Picture | None = None  #: the newest picture of what stands
        self._new = False  #: whether no picture of what stands has been handed on
        # What the thread of this knows.
        self._film = film or Film()
        self._failing = False
        self._cases: list[Case] = []
        self._writing: deque[tuple[Case, Generator[None, None, None]]] = deque()
        self._last: dict[type[Event] | None, int] = {}
        self._stood: tuple[int, ...] | None = None
        self._since = -math.inf
        for place, event in enumerate(events):
            self._remember(place, event)
        self._thread = threading.Thread(target=self._work, name="evidence", daemon=True)
        self._thread.start()

    # -- the threads of vision and of the web server ------------------------------------------------------

    def watch(self, frame: Frame, seen: Observation) -> None:
        """Take note of a picture. Called for each, in order, before what became known by it."""
        now = view_of(seen)
        if now != self._standing:
            if self._held is not None:  # the last picture before something changed
                self._hold(self._held)
            self._standing, self._held, self._new = now, None, now is not None
        if now is not None:
            picture = _Picture(frame, seen)
            if self._new and self._hold(picture):
                self._new = False
            else:
                self._held = picture
        if not 0 <= frame.t - self._shot < PAUSE and self._put(_Picture(frame)):
            self._shot = frame.t

    def note(self, place: int, event: Event) -> None:
        """An event has been recorded, at this place of the record. Called for each, in order."""
        if not self._closed:
            self._tasks.put((place, event))

    def close(self) -> None:
        """Write what waits; of a live match without clips, within a few seconds."""
        if not self._closed:
            self._closed = True
            self._tasks.put(None)
        self._thread.join(None if self._patient else 5.0)

    def _hold(self, picture: _Picture) -> bool:
        """Hand on a still picture, unless it comes too soon: readings that flicker may not flood the film."""
        if 0 <= picture.frame.t - self._held_at < PAUSE or not self._put(picture):
            return False
        self._held_at = picture.frame.t
        return True

    def _put(self, picture: _Picture) -> bool:
        if self._closed or not self._free.acquire(blocking=self._patient):
            return False
        self._tasks.put(picture)
        return True

    # -- the thread of this -------------------------------------------------------------------------------

    def _work(self) -> None:
        step_back()
        self._try(self.archive.open)
        while True:
            busy = bool(self._writing)
            try:
                task = self._tasks.get(block=not busy)
            except queue.Empty:
                self._step()
                continue
            match task:
                case _Picture():
                    self._take(task)
                case (place, event):
                    self._note(place, event)
                case None:
                    break
            while self._patient and self._writing:
                self._step()
        self._end()

    def _take(self, picture: _Picture) -> None:
        try:
            if picture.seen is None:
                self._film.shoot(picture.frame)
            else:
                self._film.hold(picture.frame, picture.seen)
        except Exception:  # one picture of many
            log.exception("a picture for the evidence")
        finally:
            self._free.release()
        now = picture.frame.t
        waiting, self._cases = self._cases, []
        for case in waiting:
            if case.event.t - LONGEST <= now < case.event.t + AFTER:
                self._cases.append(case)
            else:  # its time has come, or the camera has another clock since
                self._begin(case)

    def _note(self, place: int, event: Event) -> None:
        stood, since = self._stood, self._since
        self._remember(place, event)
        if isinstance(event, Throw | PlayMade | Doubt | Desync):
            self._cases.append(Case(place, event, since, stood, reason_to_keep(event)))

    def _remember(self, place: int, event: Event) -> None:
        match event:
            case Throw():
                self._last[Throw], self._since = place, event.t
            case PlayMade():
                self._last[PlayMade], self._since, self._stood = place, event.t, event.slots
            case GameStart() | SetUp() | Resync():
                self._stood = None
            case Correction():
                # One that corrects a correction is about an event that is kept already.
                self._keep(event.target, "corrected")
            case Ruling() if event.decision != "restore":
                if event.decision == "demand":
                    self._stood = None
                kind = RULED_ON.get(event.decision)
                if kind in self._last:
                    self._keep(self._last[kind], "the referee has ruled on it")

    def _keep(self, place: int, why: str) -> None:
        for case in (*self._cases, *(case for case, _ in self._writing)):
            if case.place == place:
                case.kept = case.kept or why
                return
        if place in self.archive.exhibits:
            self._try(lambda: self.archive.keep(place, why))

    def _begin(self, case: Case, *, with_clip: bool = True) -> None:
        """Choose what is to be shown, from what is in memory now; it is written bit by bit."""
        if with_clip and len(self._writing) >= WAITING:
            case.notes.append("no clip: the machine was too busy")
            with_clip = False
        self._writing.append((case, self._written(case, with_clip)))
        self._step(-1)

    def _written(self, case: Case, with_clip: bool) -> Generator[None, None, None]:
        """Write an exhibit, in steps of some milliseconds. In the first one all that it takes is chosen."""
        chosen = deciding(case, self._film.stills)
        times = [one.still.t for one in chosen] or [case.event.t]
        end = max(times) + AFTER
        moments = self._film.between(max(min(times) - (LEAD if chosen else BEFORE), end - LONGEST), end)
        yield
        made = [
            Made(f"{one.name}.jpg", "picture", one.shows, one.still.t, one.still.t, one.still.jpeg)
            for one in chosen
        ]
        with_dice = next((one.still for one in chosen if one.still.seen.dice), None)
        enlarged = zoom(with_dice) if with_dice is not None else None
        if with_dice is not None and enlarged is not None:
            made.append(Made("dice.jpg", "dice", "the dice, enlarged", with_dice.t, with_dice.t, enlarged))
        if not chosen:
            case.notes.append("no picture of it was left in memory")
        yield
        if with_clip and len(moments) > 1:
            first, last = moments[0].t, moments[-1].t
            film = yield from clip(moments, RATE if len(self._writing) < BUSY else RATE / 2)
            if film is None:
                case.notes.append("no clip: this build of OpenCV writes no VP8")
            else:
                made.append(Made("clip.webm", "clip", f"{last - first:.1f} seconds of it", first, last, film))
        elif with_clip:
            case.notes.append("no clip: no pictures of these seconds were left in memory")
        self._try(lambda: self.archive.add(case.place, case.event, made, case.notes, case.kept))

    def _step(self, index: int = 0) -> None:
        """The next step of one of the exhibits that are being written."""
        case, steps = self._writing[index]
        try:
            next(steps)
        except StopIteration:
            del self._writing[index]
        except Exception as error:  # whatever it is, the match goes on without this evidence
            del self._writing[index]
            log.exception("the evidence of event %d", case.place)
            self._report(False, f"the evidence of an event could not be made: {error!r}")

    def _end(self) -> None:
        """Write what waits; of a live match without the clips, which would take too long."""
        if not self._patient:
            for case, steps in self._writing:
                steps.close()
                self._cases.append(case)
            self._writing.clear()
            for case in self._cases:
                case.notes.append("no clip: the program was ended")
        for case in self._cases:
            self._begin(case, with_clip=self._patient)
        while self._writing:
            self._step()

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (OSError, Full) as error:
            self._report(False, f"no evidence can be kept: {error}")
        else:
            self._report(True, "")

    def _report(self, ok: bool, message: str) -> None:
        if not ok and not self._failing:
            log.warning("%s", message)
        if not ok or self._failing:
            self._on_health(ok, message)
        self._failing = not ok
