"""``zarbiter evidence``: what there is of a match, and whether it is still what was written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hardware.camera import UnreadableInput
from webui.feed import Exhibit
from zarbiter.exhibits import FILE_NAME, MANIFEST, Manifest, digest, read_manifest, sha256

EVIDENT = ("throw", "play", "doubt", "desync")  #: types of the events of which there is evidence

Told = Sequence[Mapping[str, Any]]  #: events as JSON objects, in the order of the record


def check_evidence(folder: Path, events: Told | None = None) -> bool:
    """Print each problem on a line, and a summary; whether there is none. Raises ``UnreadableInput``."""
    manifest = _read(folder)
    found = list(problems(folder, manifest, events))
    for problem in found:
        print(problem)
    here = [exhibit for exhibit in manifest.exhibits.values() if not exhibit.removed]
    gone = len(manifest.exhibits) - len(here)
    files = sum(len(exhibit.files) for exhibit in here)
    print(
        f"{folder}: {len(here)} events with {files} files"
        + (f", {gone} more whose files were removed for want of room" if gone else "")
        + f"; the list ends with {manifest.link}: "
        + (f"{len(found)} problems" if found else "all as it was written")
    )
    return not found


def problems(folder: Path, manifest: Manifest, events: Told | None = None) -> Iterator[str]:
    """What was changed, is missing or left over, each in a line."""
    yield from manifest.problems
    listed = {MANIFEST}
    for exhibit in sorted(manifest.exhibits.values(), key=lambda one: one.place):
        if exhibit.removed:
            continue
        for one in exhibit.files:
            listed.add(one.name)
            try:
                data = (folder / one.name).read_bytes()
            except FileNotFoundError:
                yield f"{one.name}: missing"
                continue
            except OSError as error:
                yield f"{one.name}: cannot be read: {(error.strerror or str(error)).lower()}"
                continue
            if sha256(data) != one.sha256:
                yield f"{one.name}: changed since it was written"
    for path in sorted(folder.iterdir()):
        if path.name not in listed:
            what = "removed, says the list, but it is there" if FILE_NAME.fullmatch(path.name) else "not ours"
            yield f"{path.name}: left over ({what})"
    if events is not None:
        yield from _bound(manifest.exhibits, events)


def _bound(exhibits: Mapping[int, Exhibit], events: Told) -> Iterator[str]:
    """Where the events are not those that the evidence was bound to."""
    for place, exhibit in sorted(exhibits.items()):
        what = f"event {place}, a {exhibit.type} at {exhibit.t:.1f} s"
        if place >= len(events):
            yield f"{what}: the record has no such event"
        elif digest(events[place]) != exhibit.sha256:
            yield f"{what}: the record has another event there now"
    for place, event in enumerate(events):
        if event["type"] in EVIDENT and place not in exhibits:
            yield f"event {place}, a {event['type']} at {event['t']:.1f} s: there is no evidence of it"


def events_in(path: Path) -> list[dict[str, Any]]:
    """The events of a file that ``zarbiter digitize --events`` wrote. Raises ``UnreadableInput``."""
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        for line in lines:
            event = json.loads(line)
            if not isinstance(event, dict) or not {"type", "t"} <= event.keys():
                raise ValueError("a line is no event")
            found.append(event)
    except OSError as error:
        raise UnreadableInput(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableInput(f"{path}: holds no events: {error}") from error
    return found


def list_evidence(folder: Path, as_json: bool) -> None:
    """Print what there is, a line an event. Raises ``UnreadableInput``."""
    manifest = _read(folder)
    for exhibit in sorted(manifest.exhibits.values(), key=lambda one: one.place):
        if as_json:
            print(json.dumps(asdict(exhibit)))
            continue
        size = sum(one.size for one in exhibit.files) / 1e6
        names = ", ".join(one.name.split("-", 2)[2] for one in exhibit.files)
        state = f"removed, {exhibit.removed}" if exhibit.removed else f"{size:.1f} MB: {names}"
        reasons = [*exhibit.notes, *([f"goes last: {exhibit.kept}"] if exhibit.kept else [])]
        print("  ".join([f"{exhibit.place:5} {exhibit.t:8.1f} s  {exhibit.type:6} {state}", *reasons]))


def _read(folder: Path) -> Manifest:
    try:
        if not (folder / MANIFEST).is_file():
            raise UnreadableInput(f"{folder}: holds no evidence")
        return read_manifest(folder)
    except OSError as error:
        raise UnreadableInput(f"{folder}: {(error.strerror or str(error)).lower()}") from error
