"""What the dashboard needs of the program behind it.

The program implements :class:`Feed`; the pages know nothing else of it. Messages carry ids that
grow by one and survive a restart, so a page that reconnects misses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from engine.actions import Field, Offer
from engine.disagreement import Disagreement
from engine.judge import Verdict
from engine.layout import Orientation
from engine.position import Game, Position, Side
from engine.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Told:
    """One event as the page shows it.

    ``id``: of the store, growing. ``event``: its JSON object (:func:`engine.events.to_json`).
    ``sentence``: the commentary. ``alert``: ``fault`` for an invalid throw, ``illegal`` for an illegal
    play, ``doubt`` and ``desync`` for what a person should look at, else ``none``.
    """

    id: int
    event: dict[str, Any]
    sentence: str
    alert: Literal["none", "fault", "illegal", "doubt", "desync"] = "none"


@dataclass(frozen=True, slots=True)
class Health:
    """How one part of the program does: ``ok``, ``waiting`` (not yet running) or ``failed``."""

    part: Literal["camera", "vision", "store", "evidence"]
    state: Literal["ok", "waiting", "failed"]
    message: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The believed state of the match, latest value only.

    ``version`` grows with every change. ``dice`` are those of the turn in progress or of the last
    throw (``None`` before any). ``phase`` is one of the tracker's words: ``looking for the board``,
    ``waiting for a throw``, ``rolling``, ``moving``, ``turn over``, ``game over``, ``out of step``;
    or it is ``match over``.
    ``score`` is (white, black), ``match_length`` 0 for unlimited. ``cube`` is its value, ``None`` where
    none is in use, and ``cube_owner`` ``None`` while it is in the middle. ``verdict`` is that on the
    last play; ``offers`` are what the referee may do now; ``rule_set`` is the whole of the rules.
    ``disagreement`` is where the board does not stand as recorded, while judging is paused for that.
    ``first_id`` is the id of the first event of the match, whose place in the record is 0,
    ``events`` how many there are.
    """

    version: int
    game: Game | None
    rules: str
    position: Position | None
    orientation: Orientation
    side_to_move: Side | None
    dice: tuple[int, int] | None
    dice_valid: bool
    phase: str
    pips: tuple[int, int]
    score: tuple[int, int]
    match_length: int
    players: tuple[str, str]
    white_is_light: bool
    health: tuple[Health, ...]
    frames_per_second: float = 0.0
    cube: int | None = None
    cube_owner: Side | None = None
    verdict: Verdict | None = None
    offers: tuple[Offer, ...] = ()
    rule_set: RuleSet | None = None
    disagreement: Disagreement | None = None
    first_id: int = 0
    events: int = 0


class Feed(Protocol):
    """The live match, read by many threads at once."""

    def state(self) -> State:
        """The latest state."""

    def told(self, after: int = 0, limit: int = 1000) -> list[Told]:
        """Events with an id above ``after``, oldest first, at most the newest ``limit`` of them."""

    def wait(self, version: int, after: int, timeout: float) -> bool:
        """Block until the state is newer than ``version`` or an event newer than ``after`` exists.

        Returns whether there is something new; false after ``timeout`` seconds or on shutdown.
        """

    def picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest annotated camera picture as JPEG with its number, if newer than ``after``.

        Waits up to ``timeout`` seconds for one; ``None`` if none came or on shutdown.
        """

    @property
    def closing(self) -> bool:
        """True once the program is shutting down: streams must end."""


class Refused(Exception):
    """What the referee asked for cannot be done; the message says why, in one sentence.

    ``unknown``: there is no such action or event.
    """

    def __init__(self, why: str, *, unknown: bool = False) -> None:
        super().__init__(why)
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a correction changes, or would change.

    ``was`` and ``now`` are the sentences of the event before and after it, ``now`` is ``None`` if it is
    taken out; ``consequences`` are what else comes out differently, each in a sentence.
    """

    was: str
    now: str | None
    consequences: tuple[str, ...]


class Desk(Protocol):
    """What the referee may change, called by many threads. All of it may raise :class:`Refused`."""

    def act(self, key: str, values: Mapping[str, str], seen: int | None) -> str:
        """Record the offered action ``key`` with the values of its fields; returns what was said of it.

        ``seen``: ``State.events`` when it was offered, if it is to be refused once the game has gone on.
        """

    def fields(self, event: int, change: str) -> tuple[Field, ...]:
        """What can be corrected in an event, by its id, as it stands now.

        The first field, ``change``, has the kinds of change as its choices; the rest belong to ``change``,
        or to the first of its choices if that is none of them.
        """

    def correct(self, event: int, values: Mapping[str, str], *, dry_run: bool) -> Outcome:
        """Correct an event, by its id, by values of its fields; with ``dry_run`` only say what follows."""


@dataclass(frozen=True, slots=True)
class ExhibitFile:
    """A file of the evidence of an event.

    ``name``: in the folder of its match. ``shows``: in words. ``begin`` and ``end``: seconds on the
    camera's clock, equal for a picture. ``sha256``: of its bytes, in hexadecimal digits; ``size``: how many
    bytes.
    """

    name: str
    kind: Literal["picture", "dice", "clip"]
    shows: str
    begin: float
    end: float
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Exhibit:
    """The evidence of one event.

    ``place``: of the event in the record of its match, from 0. ``type`` and ``t``: the event's own;
    ``sha256``: of the event (:func:`zarbiter.exhibits.digest`). ``at``: when it was written. ``notes``: what
    is missing, and why. ``kept``: why it goes last when room is needed, else empty. ``removed``: why its
    files are gone, else empty.
    """

    place: int
    type: str
    t: float
    sha256: str
    at: str
    files: tuple[ExhibitFile, ...]
    notes: tuple[str, ...] = ()
    kept: str = ""
    removed: str = ""


class Evidence(Protocol):
    """The evidence of a match, read by many threads."""

    @property
    def folder(self) -> Path:
        """Where its files are."""

    def find(self, event: Mapping[str, Any]) -> Exhibit | None:
        """The evidence of an event, by the event's JSON object; ``None`` if none has been written."""
