"""The referee's desk over HTTP: who may change something, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.actions import Field, Offer
from engine.disagreement import Disagreement
from engine.events import CubeAction, RollOff
from engine.judge import judge_play
from engine.position import Game, Position, Side
from engine.rules import default_rules
from tests.webui.fake_feed import START, FakeFeed
from webui.app import create_app
from webui.feed import Outcome, Refused
from webui.referee import KEY_HEADER

KEY = "s3cret-key"
WRONG_31 = Position((-2, 0, 0, 0, 2, 3, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))
DICE = Field("white", "Nadia’s die", "2", (("1", "1"), ("2", "2")))
OFFERS = (
    Offer(
        "double.white",
        "cube",
        "Nadia doubles to 2",
        ("C2",),
        CubeAction(t=0, side=Side.WHITE, action="double", value=2),
        Side.WHITE,
    ),
    Offer("roll_off", "start", "The roll-off", ("G7",), RollOff(t=0, white=2, black=1), None, (DICE,)),
)


class FakeDesk:
    """A :class:`webui.feed.Desk` that remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def act(self, key: str, values: Mapping[str, str], seen: int | None) -> str:
        self.asked.append((key, dict(values), seen))
        if key == "take.white":
            raise Refused("nothing was offered (C3)")
        if key == "fly":
            raise Refused("there is nothing to decide now that is called 'fly'", unknown=True)
        return "Nadia doubles to 2."

    def fields(self, event: int, change: str) -> tuple[Field, ...]:
        self.asked.append((event, change))
        if event > 9:
            raise Refused(f"there is no event {event} in this match", unknown=True)
        return (Field("change", "What is wrong", "replace", (("replace", "it was otherwise"),)), DICE)

    def correct(self, event: int, values: Mapping[str, str], *, dry_run: bool) -> Outcome:
        self.asked.append((event, dict(values), dry_run))
        return Outcome("was", None, ("A play is illegal now.",))


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


@pytest.fixture
def client(feed: FakeFeed, desk: FakeDesk) -> FlaskClient:
    return create_app(feed, desk=desk, key=KEY).test_client()


def post(client: FlaskClient, path: str, data: Any, **headers: str) -> TestResponse:
    given = {KEY_HEADER: KEY} | {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(path, json=data, headers=given)


ACTION = {"key": "double.white", "values": {}}


def test_a_decision_is_passed_on_and_its_sentence_comes_back(client: FlaskClient, desk: FakeDesk) -> None:
    answer = post(client, "/api/actions", {"key": "roll_off", "values": {"white": "3"}, "seen": 4})
    assert (answer.status_code, answer.get_json()) == (200, {"said": "Nadia doubles to 2."})
    assert desk.asked == [("roll_off", {"white": "3"}, 4)]


@pytest.mark.parametrize("key", ["", "s3cret", KEY + "x", "ключ"])
def test_without_the_key_nothing_is_changed(client: FlaskClient, desk: FakeDesk, key: str) -> None:
    headers = {KEY_HEADER: key.encode().decode("latin-1")}
    for path, data in (("/api/actions", ACTION), ("/api/corrections", {"event": 1, "dry_run": True})):
        answer = client.post(path, json=data, headers=headers)
        assert answer.status_code == 403
        assert "only the referee" in answer.get_json()["error"]
    assert client.get("/api/events/1/fields", headers=headers).status_code == 403
    assert client.post("/api/actions", json=ACTION).status_code == 403
    assert client.post(f"/api/actions?key={KEY}", json=ACTION).status_code == 403, "addresses are logged"
    assert desk.asked == []


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost:81", "http://["])
def test_other_sites_are_refused_even_with_the_key(client: FlaskClient, desk: FakeDesk, origin: str) -> None:
    answer = post(client, "/api/actions", ACTION, Origin=origin)
    assert answer.status_code == 403
    assert desk.asked == []
    assert post(client, "/api/actions", ACTION, Origin="http://localhost").status_code == 200


def test_a_form_of_another_site_cannot_be_sent_here(client: FlaskClient, desk: FakeDesk) -> None:
    """Without leave of this server a page may only send these types, and only JSON is taken."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.post(
            "/api/actions", data='{"key": "double.white"}', content_type=kind, headers={KEY_HEADER: KEY}
        )
        assert answer.status_code == 415
        assert answer.get_json() == {"error": "the request must be JSON"}
    assert desk.asked == []
    assert "Access-Control-Allow-Origin" not in client.options("/api/actions").headers


@pytest.mark.parametrize(
    "data",
    [
        [],
        "double",
        {},
        {"key": 7},
        {"key": "a" * 501},
        {"key": "double.white", "values": []},
        {"key": "double.white", "values": {"white": 3}},
        {"key": "double.white", "seen": "4"},
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_one_line(
    client: FlaskClient, desk: FakeDesk, data: Any
) -> None:
    answer = post(client, "/api/actions", data)
    assert answer.status_code == 400
    assert answer.text.count("\n") <= 1
    assert desk.asked == []


@pytest.mark.parametrize("data", [{}, {"event": "1"}, {"event": True}, {"event": 1, "dry_run": 0}])
def test_a_correction_that_makes_no_sense_is_refused(client: FlaskClient, desk: FakeDesk, data: Any) -> None:
    assert post(client, "/api/corrections", data).status_code == 400
    assert desk.asked == []


def test_what_is_not_json_and_what_is_too_long_is_refused(client: FlaskClient, desk: FakeDesk) -> None:
    headers = {KEY_HEADER: KEY, "Content-Type": "application/json"}
    assert client.post("/api/actions", data=b"{", headers=headers).status_code == 400
    assert client.post("/api/actions", data=b" " * 10**6, headers=headers).status_code == 413
    assert desk.asked == []


def test_what_cannot_be_decided_is_answered_with_a_sentence(client: FlaskClient) -> None:
    refused = post(client, "/api/actions", {"key": "take.white"})
    assert (refused.status_code, refused.get_json()) == (409, {"error": "nothing was offered (C3)"})
    unknown = post(client, "/api/actions", {"key": "fly"})
    assert unknown.status_code == 404
    assert "'fly'" in unknown.get_json()["error"]


def test_a_correction_is_tried_unless_it_is_said_to_be_made(client: FlaskClient, desk: FakeDesk) -> None:
    answer = post(client, "/api/corrections", {"event": 3, "values": {"white": "1"}})
    assert answer.get_json() == {
        "was": "was",
        "now": None,
        "consequences": ["A play is illegal now."],
        "dry_run": True,
    }
    post(client, "/api/corrections", {"event": 3, "values": {"white": "1"}, "dry_run": False})
    assert desk.asked == [(3, {"white": "1"}, True), (3, {"white": "1"}, False)]


def test_the_fields_of_an_event(client: FlaskClient, desk: FakeDesk) -> None:
    answer = client.get("/api/events/3/fields?change=strike", headers={KEY_HEADER: KEY})
    assert [field["name"] for field in answer.get_json()["fields"]] == ["change", "white"]
    assert answer.get_json()["fields"][1]["choices"][0] == {"value": "1", "label": "1"}
    assert desk.asked == [(3, "strike")]
    assert client.get("/api/events/12/fields", headers={KEY_HEADER: KEY}).status_code == 404


def test_offers_verdict_and_rules_are_there_to_read(client: FlaskClient, feed: FakeFeed) -> None:
    """E5: the verdict is announced with every breach and the plays that would have been right."""
    rules = default_rules(Game.BACKGAMMON)
    verdict = judge_play(START, Side.WHITE, (3, 1), WRONG_31, rules)
    feed.change(offers=OFFERS, verdict=verdict, rule_set=rules, cube=2, cube_owner=Side.BLACK)
    data = client.get("/api/offers").get_json()
    assert [(offer["key"], offer["rows"]) for offer in data["offers"]] == [
        ("double.white", ["C2"]),
        ("roll_off", ["G7"]),
    ]
    assert data["offers"][0]["side"] == "white"
    assert not data["verdict"]["legal"]
    assert data["verdict"]["breaches"][0]["rule"] == "M1"
    assert data["verdict"]["nearest"]
    options = {option["name"]: option for option in data["rules"]["options"]}
    assert options["crawford"]["value"] is True
    assert options["crawford"]["rows"] == ["C9"]
    assert "head_exc" not in options
    state = client.get("/api/state").get_json()
    assert state["cube"] == {"value": 2, "owner": "black"}
    assert "offers" not in state, "those who look on need not carry them"


def test_a_board_that_is_out_of_step_is_told_place_by_place(client: FlaskClient, feed: FakeFeed) -> None:
    assert client.get("/api/state").get_json()["disagreement"] is None
    feed.change(
        phase="out of step",
        disagreement=Disagreement(Game.BACKGAMMON, START, WRONG_31, Side.BLACK, restoring=True),
    )
    found = client.get("/api/state").get_json()["disagreement"]
    assert found["places"] == [
        {"place": "point 19", "record": "5 white", "board": "3 white"},
        {"place": "point 20", "record": "none", "board": "2 white"},
    ]
    assert (found["player"], found["restoring"], found["readable"]) == ("Tom", True, True)
    assert found["sentence"].startswith(
        "Board and record disagree, in Tom’s points: point 19 (record 5 white"
    )
    feed.change(disagreement=Disagreement(Game.BACKGAMMON, START, None, Side.BLACK))
    found = client.get("/api/state").get_json()["disagreement"]
    assert (found["places"], found["readable"]) == ([], False)


def test_the_key_is_in_no_page_and_no_answer(client: FlaskClient) -> None:
    for path in ("/", "/referee", "/api/state", "/api/offers", "/api/events", "/healthz"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert KEY not in answer.text
        assert KEY not in str(answer.headers)


def test_the_page_is_whole_and_asks_nobody_else(client: FlaskClient) -> None:
    text = client.get("/referee").text
    assert "//" not in text.replace("<!doctype", "")
    assert " style=" not in text
    assert "onclick" not in text
    for name in ("page.js", "referee.js", "live.css", "referee.css"):
        file = client.get(f"/static/{name}", buffered=True)
        assert file.status_code == 200
        assert "http" not in file.text.replace("http://www.w3.org/2000/svg", "")


def test_there_is_no_desk_unless_one_is_given(feed: FakeFeed, desk: FakeDesk) -> None:
    client = create_app(feed).test_client()
    assert client.get("/referee").status_code == 404
    assert client.post("/api/actions", json=ACTION, headers={KEY_HEADER: KEY}).status_code == 404
    with pytest.raises(ValueError, match="needs a key"):
        create_app(feed, desk=desk)
