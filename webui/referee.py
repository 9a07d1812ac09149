"""The referee's desk: what the page of the referee shows and what it may change.

Everybody in the network may watch a public page, so that whatever changes the match needs a key. It is
made when the program starts, stands in the fragment of the referee's address, which no browser sends,
and comes back in a header of its own. A page of another site can read neither, and cannot send such a
header or JSON without this server's leave, which it never gives.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, abort, jsonify, render_template, request

from engine.actions import Field, Offer
from engine.judge import Verdict
from engine.rules import OPTIONS, RuleSet
from webui.feed import Desk, Feed, Refused, State

KEY_HEADER = "X-Referee-Key"
LONGEST_VALUE = 500  #: characters of one field


def offers_to_json(state: State) -> dict[str, Any]:
    """What the referee may do now, the verdict on the last play, and the rules of the match."""
    return {
        "version": state.version,
        "events": state.events,
        "offers": [offer_to_json(offer) for offer in state.offers],
        "verdict": verdict_to_json(state.verdict) if state.verdict else None,
        "rules": rules_to_json(state.rule_set) if state.rule_set else None,
    }


def offer_to_json(offer: Offer) -> dict[str, Any]:
    """An offer as the page reads it."""
    return {
        "key": offer.key,
        "group": offer.group,
        "label": offer.label,
        "rows": offer.rows,
        "side": offer.side.value if offer.side else None,
        "fields": [field_to_json(field) for field in offer.fields],
    }


def field_to_json(field: Field) -> dict[str, Any]:
    """A field of a form as the page reads it. Without choices it takes any text."""
    return {
        "name": field.name,
        "label": field.label,
        "value": field.value,
        "choices": [{"value": value, "label": label} for value, label in field.choices],
    }


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict with every breach and the nearest legal plays."""
    return {
        "legal": verdict.legal,
        "unfinished": verdict.unfinished,
        "notation": verdict.notation,
        "breaches": [
            {"rule": breach.rule, "reason": breach.reason, "points": list(breach.points)}
            for breach in verdict.breaches
        ],
        "nearest": [play.notation for play in verdict.nearest],
    }


def rules_to_json(rules: RuleSet) -> dict[str, Any]:
    """A rule set with what each of its options decides and the rows of the catalogue it comes from."""
    values = rules.to_json()
    return {
        "name": rules.name,
        "title": rules.title or rules.name,
        "sources": rules.sources,
        "unsettled": rules.unsettled,
        "options": [
            {"name": option.name, "value": values[option.name], "text": option.text, "rows": option.rows}
            for option in OPTIONS.values()
            if rules.game in option.games
        ],
    }


def referee_desk(feed: Feed, desk: Desk, key: str) -> Blueprint:
    """The page ``/referee`` and its interface. All but the page and the offers needs ``key``."""
    blueprint = Blueprint("referee", __name__)

    @blueprint.before_request
    def check_request() -> None:
        if request.endpoint in (f"{blueprint.name}.page", f"{blueprint.name}.offers"):
            return
        demand_key(key)
        if request.method == "POST":
            demand_type("application/json", "JSON")

    @blueprint.get("/referee")
    def page() -> str:
        return render_template("referee.html")

    @blueprint.get("/api/offers")
    def offers() -> Response:
        return jsonify(offers_to_json(feed.state()))

    @blueprint.post("/api/actions")
    def act() -> Response:
        data = _body()
        seen = data.get("seen")
        if seen is not None and type(seen) is not int:
            abort(400, "seen must be the number of events that the offer was made after")
        try:
            said = desk.act(_text(data, "key"), _values(data), seen)
        except Refused as error:
            abort(404 if error.unknown else 409, str(error))
        return jsonify(said=said)

    @blueprint.get("/api/events/<int:event>/fields")
    def fields(event: int) -> Response:
        try:
            found = desk.fields(event, _text(request.args, "change", "replace"))
        except Refused as error:
            abort(404 if error.unknown else 409, str(error))
        return jsonify(fields=[field_to_json(field) for field in found])

    @blueprint.post("/api/corrections")
    def correct() -> Response:
        data = _body()
        event, dry_run = data.get("event"), data.get("dry_run", True)
        if type(event) is not int or type(dry_run) is not bool:
            abort(400, "event must be the id of an event, and dry_run true or false")
        try:
            done = desk.correct(event, _values(data), dry_run=dry_run)
        except Refused as error:
            abort(404 if error.unknown else 409, str(error))
        return jsonify(was=done.was, now=done.now, consequences=done.consequences, dry_run=dry_run)

    return blueprint


def demand_key(key: str) -> None:
    """Refuse a request without the key, and any from a page of another site."""
    origin = request.headers.get("Origin")
    if origin not in (None, f"http://{request.host}", f"https://{request.host}"):
        abort(403, "this request comes from another site")
    if not secrets.compare_digest(request.headers.get(KEY_HEADER, "").encode(), key.encode()):
        abort(403, "only the referee may do that: open the page by the address with the key")


def demand_type(mimetype: str, name: str) -> None:
    """Refuse a request whose body is of another type."""
    if request.mimetype != mimetype:
        abort(415, f"the request must be {name}")


def _body() -> dict[str, Any]:
    data = request.get_json(silent=True)
    if not isinstance(data, dict):
        abort(400, "the request must be a JSON object")
    return data


def _text(data: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    value = data.get(name, otherwise)
    if not isinstance(value, str) or len(value) > LONGEST_VALUE:
        abort(400, f"{name} must be a text")
    return value


def _values(data: Mapping[str, Any]) -> dict[str, str]:
    values = data.get("values", {})
    if not isinstance(values, dict):
        abort(400, "values must be an object of texts")
    return {name: _text(values, name) for name in values}
