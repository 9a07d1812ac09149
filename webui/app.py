"""The dashboard's web application: the pages, a small JSON interface, one stream of news.

Threads are the budget here: a server holds one for every open stream. So there is exactly one
stream a page, a fixed number of streams a server, and every other request answers at once.
"""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Response, abort, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from engine.disagreement import checkers
from engine.layout import colour_of
from engine.notation import PLACES
from engine.position import Side
from webui.board_svg import board_svg, dice_svg, occupied
from webui.evidence import evidence_files
from webui.feed import Desk, Evidence, Feed, State, Told
from webui.photo import Photos, photo_page
from webui.referee import referee_desk

MAX_STREAMS = 24
PING = 15.0  #: seconds of silence after which a stream says that it is alive
TICK = 1.0  #: seconds in which a stream notices that its reader has gone
RETRY = 5  #: seconds after which a refused reader may ask again
RECENT = 24  #: events looked through for the last play
CLEARS = ("game_start", "resync", "set_up", "ruling")  #: events after which no last play is marked
LONGEST_REQUEST = 1 << 15  #: bytes that a request may send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

#: The page is made of files of this server only: no inline script or style, no other address.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state as sent to pages: ``version`` and ``last_id`` say what it was made of."""

    version: int
    last_id: int
    text: str


class Snapshots:
    """Renders the newest state once, however many pages ask for it."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._last = Snapshot(-1, -1, "")

    def latest(self) -> Snapshot:
        """The newest state. Two threads may render the same one; that costs time, not truth."""
        state, recent = self._feed.state(), self._feed.told(limit=RECENT)
        last_id = recent[-1].id if recent else 0
        last = self._last
        if (last.version, last.last_id) != (state.version, last_id):
            text = json.dumps(state_to_json(state, recent), ensure_ascii=False, separators=(",", ":"))
            self._last = last = Snapshot(state.version, last_id, text)
        return last


def state_to_json(state: State, recent: list[Told]) -> dict[str, Any]:
    """A state as the page reads it, pictures of the board and the dice included.

    ``recent`` are the newest events, oldest first: the last play is marked on the board, and so
    are the slots of a disagreement that still stands.
    """
    thrown = _thrown(recent)
    thrower = Side(thrown["side"]) if thrown else state.side_to_move or Side.WHITE
    face = colour_of(thrower, state.white_is_light)
    return {
        "version": state.version,
        "last_id": recent[-1].id if recent else 0,
        "first_id": state.first_id,
        "events": state.events,
        "game": state.game.value if state.game else None,
        "rules": state.rules,
        "position": state.position.to_json() if state.position else None,
        "points": {
            side.value: occupied(state.position, state.game, side) if state.position and state.game else []
            for side in Side
        },
        "orientation": state.orientation.value,
        "side_to_move": state.side_to_move.value if state.side_to_move else None,
        "dice": state.dice,
        "dice_valid": state.dice_valid,
        "phase": state.phase,
        "pips": {side.value: state.pips[side.index] for side in Side},
        "score": {side.value: state.score[side.index] for side in Side},
        "match_length": state.match_length,
        "cube": _cube(state),
        "players": {side.value: state.players[side.index] or side.name.title() for side in Side},
        "colours": {side.value: colour_of(side, state.white_is_light) for side in Side},
        "disagreement": _disagreement(state),
        "health": [asdict(health) for health in state.health],
        "frames_per_second": round(state.frames_per_second, 1),
        "board_svg": _board(state, recent),
        "dice_svg": dice_svg(state.dice, face=face, valid=state.dice_valid) if state.dice else None,
    }


def _thrown(recent: list[Told]) -> dict[str, Any] | None:
    """The throw whose dice lie on the board, unless somebody has ruled on it or named other dice since."""
    ruled = ("throw", "correction", "roll_off", "ruling", "set_up")
    last = next((told.event for told in reversed(recent) if told.event["type"] in ruled), None)
    return last if last and last["type"] == "throw" else None


def _cube(state: State) -> dict[str, Any] | None:
    if state.cube is None:
        return None
    return {"value": state.cube, "owner": state.cube_owner.value if state.cube_owner else None}


def _disagreement(state: State) -> dict[str, Any] | None:
    """Where the board does not stand as recorded, in words."""
    found = state.disagreement
    if found is None:
        return None
    places = [
        {"place": place.place, "record": checkers(place.recorded), "board": checkers(place.seen)}
        for place in found.differences
    ]
    player = state.players[found.side.index] or found.side.name.title()
    return {
        "places": places,
        "player": player,
        "readable": found.seen is not None,
        "restoring": found.restoring,
        "sentence": found.sentence(player),
    }


def _board(state: State, recent: list[Told]) -> str | None:
    if state.position is None or state.game is None:
        return None
    events = [told.event for told in reversed(recent)]
    last = next((e for e in events if e["type"] in ("play", "correction", *CLEARS)), None)
    trouble = next((e for e in events if e["type"] in ("desync", "resync", "game_start", "set_up")), None)
    marks: dict[str, Any] = {}
    if last and last["type"] == "play":
        marks = {
            "last_move": [(PLACES.get(a, a), PLACES.get(b, b)) for a, b in last["moves"]],
            "last_side": Side(last["side"]),
            "last_legal": last["legal"],
        }
    elif last and last["type"] == "correction" and state.verdict:
        verdict = state.verdict
        marks = {"last_move": verdict.moves, "last_side": verdict.side, "last_legal": verdict.legal}
    thrown = _thrown(recent)
    if thrown:
        marks |= {"dice_side": Side(thrown["side"]), "dice_halves": thrown.get("halves", ())}
    return board_svg(
        state.position,
        game=state.game,
        orientation=state.orientation,
        side_to_move=state.side_to_move,
        dice=state.dice,
        dice_valid=state.dice_valid,
        white_is_light=state.white_is_light,
        highlight_slots=trouble["slots"] if trouble and trouble["type"] == "desync" else (),
        **marks,
    )


def told_to_json(told: Told) -> dict[str, Any]:
    """An event as the page reads it."""
    return {"id": told.id, "event": told.event, "sentence": told.sentence, "alert": told.alert}


def create_app(
    feed: Feed,
    *,
    max_streams: int = MAX_STREAMS,
    hosts: Iterable[str] = (),
    desk: Desk | None = None,
    photos: Photos | None = None,
    evidence: Evidence | None = None,
    key: str = "",
) -> Flask:
    """The dashboard over ``feed``.

    Args:
        feed: the live match; everything shown comes from it.
        max_streams: how many pages may listen at once; the next one is refused with 503 and polls.
            The server needs more threads than this (:func:`webui.server.serve` sees to it).
        hosts: names by which this server may be called, besides the loopback names and plain IP
            addresses. A page of another site that points its own name here (DNS rebinding) is refused.
        desk: what the referee may change, if there is to be a page for it; it needs the ``key``.
        photos: what reads photographs, if there is to be a page for it; it needs the ``key`` as well.
        evidence: the pictures that events rest on, if they are to be shown, to all who see the pages.

    Raises:
        ValueError: a desk or photos without a key, which would be open to everybody.
    """
    if desk is not None and not key:
        raise ValueError("the referee's desk needs a key")
    if photos is not None and not key:
        raise ValueError("the photo page needs a key")
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST
    snapshots = Snapshots(feed)
    free_streams = BoundedSemaphore(max_streams)
    names = LOOPBACK | {host.lower() for host in hosts}

    @app.before_request
    def check_host() -> None:
        if not _is_ours(request.host, names):
            abort(403, f"this server is not called {request.host!r}; start it with that host name allowed")

    @app.after_request
    def secure(response: Response) -> Response:
        response.headers.update(HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        response = jsonify(error=error.description or error.name)
        response.status_code = error.code or 500
        if response.status_code == 503:
            response.headers["Retry-After"] = str(RETRY)
        return response

    if desk is not None:
        app.register_blueprint(referee_desk(feed, desk, key))
    if photos is not None:
        app.register_blueprint(photo_page(photos, key))
    if evidence is not None:
        app.register_blueprint(evidence_files(feed, evidence))
    app.jinja_env.globals.update(
        has_desk=desk is not None, has_photos=photos is not None, has_evidence=evidence is not None
    )

    @app.get("/")
    def page() -> str:
        return render_template("live.html")

    @app.get("/api/state")
    def state() -> Response:
        return Response(snapshots.latest().text, mimetype="application/json")

    @app.get("/api/events")
    def events() -> Response:
        told = feed.told(_number("after"), min(1000, _number("limit", 1000)))
        return jsonify(events=[told_to_json(item) for item in told])

    @app.get("/frame.jpg")
    def frame() -> Response:
        picture = feed.picture(_number("after"), 0.0)
        if picture is None:
            return Response(status=204)
        number, jpeg = picture
        response = Response(jpeg, mimetype="image/jpeg")
        response.headers["X-Frame"] = str(number)
        response.set_etag(str(number))
        return response

    @app.get("/healthz")
    def healthz() -> Response:
        parts = feed.state().health
        ok = all(part.state != "failed" for part in parts)
        response = jsonify(ok=ok, parts=[asdict(part) for part in parts])
        response.status_code = 200 if ok else 503
        return response

    @app.get("/stream")
    def stream() -> Response:
        # The page's own address carries the id it started from; a reconnecting browser knows better.
        cursor = request.headers.get("Last-Event-ID", "")
        after = max(_number("after"), int(cursor) if cursor.isdecimal() else 0)
        if feed.closing:
            abort(503, "shutting down")
        if not free_streams.acquire(blocking=False):
            abort(503, f"all {max_streams} live streams are taken")
        gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
        response = Response(_news(feed, snapshots, after, gone), mimetype="text/event-stream")
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Accel-Buffering"] = "no"
        response.call_on_close(free_streams.release)
        if request.method == "HEAD":  # its body is never iterated, and so never closed
            response.close()
        return response

    return app


def _news(feed: Feed, snapshots: Snapshots, after: int, gone: Callable[[], bool]) -> Iterator[str]:
    """Server-sent events: ``state`` whenever it changed (the latest only), ``told`` for every event."""
    yield "retry: 2000\n\n"
    sent, spoke = None, time.monotonic()
    while not (feed.closing or gone()):
        snapshot = snapshots.latest()
        if after > snapshot.last_id:  # the page knows a store that is no more
            after = 0
        if snapshot != sent:
            sent, spoke = snapshot, time.monotonic()
            yield f"event: state\ndata: {snapshot.text}\n\n"
        for told in feed.told(after):
            after, spoke = told.id, time.monotonic()
            text = json.dumps(told_to_json(told), ensure_ascii=False, separators=(",", ":"))
            yield f"id: {told.id}\nevent: told\ndata: {text}\n\n"
        if time.monotonic() - spoke > PING:
            spoke = time.monotonic()
            yield ": ping\n\n"
        feed.wait(snapshot.version, after, TICK)


def _number(name: str, default: int = 0) -> int:
    """A query argument that must be a whole number, 0 or more."""
    text = request.args.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        abort(400, f"{name} must be a whole number, not {text[:40]!r}")
    return int(text)


def _is_ours(host: str, names: frozenset[str]) -> bool:
    """Whether a Host header names this server. Addresses pass: rebinding needs a name."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
