"""The pictures that events rest on, as files: what there is of an event, and each of them.

Whoever may see the pages may see these, since the live page shows the same camera. Only files that the
list of the match names are served, and only from its own folder.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

from flask import Blueprint, Response, abort, jsonify, send_file, url_for

from webui.feed import Evidence, Exhibit, ExhibitFile, Feed, Told

TYPES = {".jpg": "image/jpeg", ".webm": "video/webm"}


def evidence_files(feed: Feed, evidence: Evidence) -> Blueprint:
    """The interface under ``/evidence``."""
    blueprint = Blueprint("evidence", __name__)

    def told(event: int) -> Told:
        found = next(iter(feed.told(after=event - 1, limit=1 << 30)), None)
        if found is None or found.id != event:
            abort(404, f"there is no event {event}")
        return found

    @blueprint.get("/evidence/<int:event>")
    def exhibit(event: int) -> Response:
        found = evidence.find(told(event).event)
        return jsonify(exhibit_to_json(found, event, evidence.folder) if found else {"written": False})

    @blueprint.get("/evidence/<int:event>/<name>")
    def file(event: int, name: str) -> Response:
        found = evidence.find(told(event).event)
        one = next((one for one in found.files if one.name == name), None) if found else None
        path = _inside(evidence.folder, name) if one else None
        if path is None:
            abort(404, f"event {event} has no such evidence")
        return send_file(path, mimetype=TYPES.get(path.suffix), conditional=True)

    return blueprint


def exhibit_to_json(exhibit: Exhibit, event: int, folder: Path) -> dict[str, Any]:
    """The evidence of an event as the page reads it. Each file is compared with what was written."""
    return {
        "written": True,
        "sha256": exhibit.sha256,
        "at": exhibit.at,
        "notes": exhibit.notes,
        "kept": exhibit.kept,
        "removed": exhibit.removed,
        "files": [
            {
                "kind": one.kind,
                "shows": one.shows,
                "begin": one.begin,
                "end": one.end,
                "state": _state(folder, one),
                "url": url_for("evidence.file", event=event, name=one.name),
            }
            for one in (() if exhibit.removed else exhibit.files)
        ],
    }


def _state(folder: Path, one: ExhibitFile) -> Literal["whole", "changed", "missing"]:
    path = _inside(folder, one.name)
    try:
        data = path.read_bytes() if path else None
    except OSError:
        data = None
    if data is None:
        return "missing"
    return "whole" if hashlib.sha256(data).hexdigest() == one.sha256 else "changed"


def _inside(folder: Path, name: str) -> Path | None:
    """A file of the folder; ``None`` if there is none, or if the name or a link leads elsewhere."""
    path = (folder / name).resolve()
    return path if path.parent == folder.resolve() and path.is_file() else None
