"""A live match, put together: store, tracker, pipeline, hub and web server."""

from __future__ import annotations

import logging
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.events import BoardSeen, Event
from engine.layout import Orientation, to_slots
from engine.observation import Observation
from engine.rules import RuleSet
from engine.throws import touching_matters
from engine.tracker import Tracker
from hardware import open_camera
from hardware.camera import Camera, Image
from hardware.running_table import RunningTable
from vision.draw import annotate
from vision.ghost import ghost
from vision.reader import BoardReader
from webui.app import create_app
from webui.feed import State
from webui.server import serve
from zarbiter.booth import PhotoBooth
from zarbiter.collect import Collector
from zarbiter.desk import RefereeDesk
from zarbiter.evidence import Evidence
from zarbiter.exhibits import Archive, match_folder
from zarbiter.hub import Hub
from zarbiter.pipeline import Pipeline
from zarbiter.recorder import Recorder
from zarbiter.store import MatchRow, Store, events_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a match is set up. ``rules`` of ``None``: the board tells the game."""

    rules: RuleSet | None
    length: int
    players: tuple[str, str]
    camera: str
    corners: tuple[tuple[float, float], ...] | None
    store: Path
    host: str
    port: int
    new: bool  #: begin a new match also if one is unfinished
    collector: Collector | None = None  #: what keeps pictures for training, if that was asked for
    evidence: Path | None = None  #: folder for the evidence of all matches, if any is to be kept
    evidence_limit: float = 2000  #: megabytes that it may take
    recording: bool = False  #: whether the camera is one, which waits until its evidence is written


@dataclass(frozen=True, slots=True)
class Pages:
    """Addresses of a running match.

    ``live`` is for everybody. ``referee`` holds the key of those who decide: it is made anew at every
    start, is kept nowhere and belongs into no log. ``elsewhere`` is the same page for another machine of
    the network, such as the referee's phone, where one may look on.
    """

    live: str
    referee: str
    elsewhere: str | None


def referee(setup: Setup, ready: Callable[[Pages, MatchRow, bool], None]) -> None:
    """Referee a match until SIGINT or SIGTERM.

    ``ready`` is called with the addresses of the pages, the match, and whether that is being resumed.
    Raises ``StoreError`` and ``CannotListen``.
    """
    store = Store(setup.store)
    try:
        row = None if setup.new else store.unfinished()
        resumed = row is not None
        if row is None:
            row = store.new_match(
                rules=setup.rules,
                length=setup.length,
                players=setup.players,
                camera=setup.camera,
                corners=setup.corners,
            )
        _referee(setup, store, row, lambda pages: ready(pages, row, resumed))
    finally:
        store.close()


def _referee(setup: Setup, store: Store, row: MatchRow, ready: Callable[[Pages], None]) -> None:
    told = store.told(row.id)
    events = events_of(told)
    hub = Hub(_first_state(row), told, draw)
    collector = setup.collector
    evidence = _evidence(setup, row, hub, events)
    noted = evidence.note if evidence else lambda place, event: None
    recorder = Recorder(store, row, hub, events, noted)
    desk = RefereeDesk(recorder, hub, collector.decided) if collector else RefereeDesk(recorder, hub)
    store.on_health = lambda ok, message: hub.report("store", "ok" if ok else "failed", message)
    pipeline = Pipeline(
        open_camera=_opener(setup.camera, events, hub),
        reader=BoardReader(
            corners=setup.corners or row.corners or _last_corners(events),
            game=row.rules.game if row.rules else None,
            expected=_expected(desk.tracker),
            touching=touching_matters(row.rules),
        ),
        desk=desk,
        hub=hub,
        collector=collector,
        evidence=evidence,
    )
    stopping = threading.Event()
    previous = {s: signal.signal(s, lambda *_: stopping.set()) for s in (signal.SIGINT, signal.SIGTERM)}
    key = secrets.token_urlsafe(16)
    photos = PhotoBooth(collector)
    app = create_app(
        hub,
        hosts=names_of(setup.host),
        desk=desk,
        photos=photos,
        evidence=evidence.archive if evidence else None,
        key=key,
    )
    try:
        with serve(app, setup.host, setup.port) as server:
            try:
                pipeline.start()
                ready(pages_of(server.url, key, setup.host, server.port))
                stopping.wait()
            finally:
                photos.close()
                hub.close()  # before the pipeline, so that the streams end and the server can close
                pipeline.stop()
                if collector is not None:
                    collector.close()
                if evidence is not None:
                    evidence.close()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _evidence(setup: Setup, row: MatchRow, hub: Hub, events: Sequence[Event]) -> Evidence | None:
    if setup.evidence is None:
        return None
    archive = Archive(
        match_folder(setup.evidence, row.id, row.created),
        setup.evidence_limit,
        root=setup.evidence,
        about={"match": row.id, "created": row.created, "players": row.players},
    )
    return Evidence(
        archive,
        patient=setup.recording,
        on_health=lambda ok, message: hub.report("evidence", "ok" if ok else "failed", message),
        events=events,
    )


def pages_of(url: str, key: str, host: str, port: int) -> Pages:
    """The addresses of a server at ``url`` that listens on ``host``."""
    path = f"referee#key={key}"
    local = next((name for name in names_of(host) if name.endswith(".local")), None)
    return Pages(url, f"{url}{path}", f"http://{local}:{port}/{path}" if local else None)


def names_of(host: str) -> list[str]:
    """What the page may be called by: on every address of a machine, also by the machine's name."""
    if host not in ("0.0.0.0", "::"):
        return [host]
    name = socket.gethostname()
    return [name, f"{name}.local"]


def _first_state(row: MatchRow) -> State:
    return State(
        version=0,
        game=None,
        rules=row.rules.name if row.rules else "",
        position=None,
        orientation=Orientation.BOTTOM_RIGHT,
        side_to_move=None,
        dice=None,
        dice_valid=True,
        phase="looking for the board",
        pips=(0, 0),
        score=(0, 0),
        match_length=row.length,
        players=row.players,
        white_is_light=True,
        health=(),
    )


def draw(image: Image, seen: Observation, state: State) -> Image:
    """A picture with what is seen in it; where it and the record disagree, how the board was."""
    if state.disagreement is None:
        return annotate(image, seen)
    orientation, light = state.orientation, state.white_is_light
    marked = annotate(image, seen, believed=to_slots(state.disagreement.recorded, orientation, light))
    return ghost(marked, seen.board, state.disagreement, orientation, light) if seen.board else marked


def _expected(tracker: Tracker) -> tuple[int, ...] | None:
    """The 24 slots of a match that is resumed: its board is not set up, and its look must be learnt."""
    now = tracker.believed
    if now.position is None or now.orientation is None or now.phase == "game over":
        return None
    slots = to_slots(now.position, now.orientation)
    # Late in a game a side may have no checkers left of which the look could be learnt.
    return slots if min(slots) < 0 < max(slots) else None


def _opener(spec: str, events: Sequence[Event], hub: Hub) -> Callable[[], Camera]:
    """What opens the camera, the first time and after each failure.

    The players at a simulated table wait until the board has been found, as real ones do. The table is
    one and the same throughout, and play goes on from where the record ends.
    """
    if not spec.startswith("sim:"):
        return lambda: open_camera(spec)
    camera = open_camera(spec)
    if isinstance(camera, RunningTable):
        camera.hold(lambda: hub.state().position is not None and hub.sees_a_board())
        camera.go_on(events)
    return lambda: camera


def _last_corners(events: Sequence[Event]) -> tuple[tuple[float, float], ...] | None:
    """Where the board was: one that is not set up, as after a restart, may not be found anew."""
    return next((e.corners for e in reversed(events) if isinstance(e, BoardSeen)), None)
