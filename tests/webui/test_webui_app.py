"""The web application, by Flask's test client, over a match that the test moves on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from engine.events import Correction, Desync, GameStart, Resync, Ruling
from engine.judge import judge_play
from engine.position import Game, Side
from engine.rules import default_rules
from tests.webui.fake_feed import AFTER_31, START, FakeFeed, play, throw
from webui import app as webapp
from webui.app import create_app
from webui.feed import Health


@pytest.fixture
def client(feed: FakeFeed) -> FlaskClient:
    return create_app(feed, max_streams=2, hosts=["board7.club.example"]).test_client()


def messages(chunks: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    """The events of a stream as (event, id, data); pings as ("ping", "", None)."""
    for chunk in chunks:
        for block in chunk.decode().strip().split("\n\n"):
            if block == ": ping":
                yield "ping", "", None
                continue
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if "event" in fields:
                yield fields["event"], fields.get("id", ""), json.loads(fields["data"])


def opened(client: FlaskClient, path: str = "/stream", **headers: str) -> tuple[Any, Iterator[Any]]:
    response = client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert response.status_code == 200
    return response, messages(response.response)


def test_the_page_is_whole_and_asks_nobody_else(client: FlaskClient) -> None:
    response = client.get("/")
    assert response.status_code == 200
    text = response.text
    assert "//" not in text.replace("<!doctype", ""), "no other address"
    assert " style=" not in text
    assert "onclick" not in text
    for name in ("live.js", "live.css", "mark.svg"):
        file = client.get(f"/static/{name}", buffered=True)
        assert file.status_code == 200
        assert f"/static/{name}" in text
        if name != "mark.svg":
            assert "http" not in file.text.replace("http://www.w3.org/2000/svg", "")


def test_state_holds_all_that_the_page_shows(client: FlaskClient, feed: FakeFeed) -> None:
    feed.tell(throw(Side.WHITE, (3, 1)), "Nadia throws 3-1.")
    feed.change(dice=(3, 1), phase="moving")
    state = client.get("/api/state").get_json()
    assert state["players"] == {"white": "Nadia", "black": "Tom"}
    assert state["position"] == START.to_json()
    assert state["points"]["white"] == [[24, 2], [13, 5], [8, 3], [6, 5]]
    assert (state["dice"], state["phase"], state["side_to_move"]) == ([3, 1], "moving", "white")
    assert state["pips"] == {"white": 167, "black": 167}
    assert state["last_id"] == 1
    assert (state["cube"], state["first_id"], state["events"]) == (None, 0, 0)
    for picture in ("board_svg", "dice_svg"):
        assert ElementTree.fromstring(state[picture]).tag.endswith("svg")


def test_a_state_without_a_board(client: FlaskClient, feed: FakeFeed) -> None:
    feed.change(game=None, position=None, side_to_move=None, players=("", ""), phase="looking for the board")
    state = client.get("/api/state").get_json()
    assert state["board_svg"] is state["dice_svg"] is state["position"] is None
    assert state["players"] == {"white": "White", "black": "Black"}


def test_the_board_marks_the_last_play_and_a_disagreement(client: FlaskClient, feed: FakeFeed) -> None:
    def board() -> str:
        return str(client.get("/api/state").get_json()["board_svg"])

    feed.tell(
        GameStart(t=0, rules=default_rules(Game.BACKGAMMON), position=START, side_to_move=Side.WHITE),
        "Game 1 begins.",
    )
    assert "moved" not in board()
    feed.tell(
        play(Side.WHITE, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", AFTER_31, rule="M3"), "Illegal.", "illegal"
    )
    feed.change(position=AFTER_31, side_to_move=Side.BLACK)
    assert board().count("moved illegal") == 2
    feed.tell(
        Desync(t=3, reason="a checker is missing", slots=(4, 17)), "Board and record disagree.", "desync"
    )
    assert board().count('class="highlight"') == 2
    feed.tell(Resync(t=4, reason="it is back"), "They agree again.")
    assert "highlight" not in board()
    assert "moved" not in board()


def test_the_board_shows_what_the_referee_decided(client: FlaskClient, feed: FakeFeed) -> None:
    def board() -> str:
        return str(client.get("/api/state").get_json()["board_svg"])

    wrong = play(Side.WHITE, (3, 1), ((6, 5), (6, 5)), "6/5(2)", START, rule="M1")
    feed.tell(throw(Side.WHITE, (3, 1)), "Nadia throws 3-1.")
    feed.tell(wrong, "Illegal play", "illegal")
    feed.change(position=AFTER_31, side_to_move=Side.BLACK)
    assert "moved illegal" in board()
    rules = default_rules(Game.BACKGAMMON)
    right = judge_play(START, Side.WHITE, (3, 1), AFTER_31, rules)
    feed.tell(Correction(t=3, target=1, action="replace", event=wrong), "Event 2 is corrected.")
    feed.change(verdict=right)
    assert "illegal" not in board()
    assert board().count("moved") == 2
    feed.tell(Ruling(t=4, decision="demand"), "A correct play is demanded.")
    feed.change(position=START, side_to_move=Side.BLACK, dice=(6, 5))
    assert "moved" not in board()
    assert "die dark" in board(), "the dice are those of the side to move"


def test_the_state_is_rendered_once_for_all_pages(
    client: FlaskClient, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def drawn(*_: object, **marks: object) -> str:
        calls.append(marks)
        return "<svg/>"

    monkeypatch.setattr(webapp, "board_svg", drawn)
    for _ in range(5):
        client.get("/api/state")
    feed.change(phase="rolling")
    client.get("/api/state")
    assert len(calls) == 2


def test_events_after_an_id(client: FlaskClient, feed: FakeFeed) -> None:
    for n in range(1, 6):
        feed.tell(throw(Side.WHITE, (n, 1)), f"sentence {n}")
    got = client.get("/api/events?after=3").get_json()["events"]
    assert [(e["id"], e["sentence"], e["alert"]) for e in got] == [
        (4, "sentence 4", "none"),
        (5, "sentence 5", "none"),
    ]
    assert got[0]["event"]["type"] == "throw"
    assert [e["id"] for e in client.get("/api/events?limit=2").get_json()["events"]] == [4, 5]


@pytest.mark.parametrize("path", ["/api/events?after=-1", "/api/events?after=x", "/frame.jpg?after=1e9"])
def test_a_bad_number_is_refused_in_one_line(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 400
    assert "whole number" in response.get_json()["error"]
    assert response.text.count("\n") <= 1


def test_errors_are_json(client: FlaskClient, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "error" in client.get("/nothing").get_json()
    assert client.post("/api/state").status_code == 405

    def broken() -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(feed, "state", broken)
    response = client.get("/api/state")
    assert response.status_code == 500
    assert "error" in response.get_json()
    assert "disk" not in response.text, "the inside of the program is for the log"


def test_pictures_come_once(client: FlaskClient, feed: FakeFeed) -> None:
    assert client.get("/frame.jpg").status_code == 204
    feed.show(7, b"\xff\xd8 jpeg")
    response = client.get("/frame.jpg?after=6")
    assert (response.status_code, response.data) == (200, b"\xff\xd8 jpeg")
    assert response.mimetype == "image/jpeg"
    assert response.headers["X-Frame"] == "7"
    assert response.headers["ETag"] == '"7"'
    assert client.get("/frame.jpg?after=7").status_code == 204


def test_health(client: FlaskClient, feed: FakeFeed) -> None:
    assert client.get("/healthz").get_json()["ok"] is True
    feed.change(health=(Health("camera", "failed", "unplugged; trying again"),))
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.get_json()["parts"] == [
        {"part": "camera", "state": "failed", "message": "unplugged; trying again"}
    ]


@pytest.mark.parametrize("path", ["/", "/api/state", "/nothing", "/static/live.js", "/frame.jpg"])
def test_security_headers(client: FlaskClient, path: str) -> None:
    headers = client.get(path, buffered=True).headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8000", True),
        ("127.0.0.1", True),
        ("[::1]:8000", True),
        ("192.168.1.20:8000", True),  # rebinding needs a name
        ("Board7.club.example:8000", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example:8000", False),
        ("[::1", False),
    ],
)
def test_only_its_own_names_are_answered(client: FlaskClient, host: str, allowed: bool) -> None:
    for path in ("/", "/api/state", "/stream", "/static/live.js"):
        response = client.get(path, headers={"Host": host})
        assert (response.status_code == 200) == allowed, path
        response.close()


def test_a_stream_brings_the_state_and_what_was_told(client: FlaskClient, feed: FakeFeed) -> None:
    feed.tell(throw(Side.WHITE, (3, 1)), "Nadia throws 3-1.")
    response, news = opened(client)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["X-Accel-Buffering"] == "no"
    kind, number, state = next(news)
    assert (kind, number, state["last_id"]) == ("state", "", 1)
    assert next(news)[:2] == ("told", "1")
    feed.change(dice=(3, 1))
    feed.tell(play(Side.WHITE, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", AFTER_31), "Nadia plays 8/5 6/5.")
    kind, _, state = next(news)
    assert (kind, state["dice"], state["last_id"]) == ("state", [3, 1], 2)
    kind, number, told = next(news)
    assert (kind, number, told["sentence"]) == ("told", "2", "Nadia plays 8/5 6/5.")
    response.close()


def test_a_stream_goes_on_where_the_reader_was(client: FlaskClient, feed: FakeFeed) -> None:
    for n in range(1, 6):
        feed.tell(throw(Side.WHITE, (n, 1)), f"sentence {n}")
    for path, headers, expected in (
        ("/stream?after=3", {}, ["4", "5"]),
        ("/stream?after=1", {"Last_Event_ID": "4"}, ["5"]),
        ("/stream", {"Last_Event_ID": "what"}, ["1", "2", "3", "4", "5"]),
        ("/stream?after=900", {}, ["1", "2", "3", "4", "5"]),  # the store began anew
    ):
        response, news = opened(client, path, **headers)
        assert next(news)[0] == "state"
        assert [next(news)[1] for _ in expected] == expected
        response.close()


def test_a_quiet_stream_pings(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webapp, "PING", 0.05)
    monkeypatch.setattr(webapp, "TICK", 0.02)
    response, news = opened(client)
    assert [next(news)[0] for _ in range(3)] == ["state", "ping", "ping"]
    response.close()


def test_streams_end_with_the_program(client: FlaskClient, feed: FakeFeed) -> None:
    response, news = opened(client)
    next(news)
    feed.close()
    assert list(news) == []
    response.close()
    assert client.get("/stream").status_code == 503


def test_too_many_streams_are_refused_and_the_rest_answers(client: FlaskClient) -> None:
    first, second = (client.get("/stream") for _ in range(2))
    refused = client.get("/stream")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert "taken" in refused.get_json()["error"]
    assert client.get("/api/state").status_code == 200
    first.close()
    assert client.head("/stream").status_code == 200, "asking for the head keeps no stream"
    third = client.get("/stream")
    assert third.status_code == 200
    second.close()
    third.close()
