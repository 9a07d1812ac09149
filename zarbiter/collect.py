"""Pictures for training, kept from one's own matches where that was switched on (docs/collect.md).

Kept are views that were doubtful, views on which the referee has corrected the record, and photographs
whose position was put right on the photo page. A folder of them looks so:

    images/1f0c9a….jpg      the picture alone: no place, no name, no camera
    labels/1f0c9a….json     what it shows, in the form of labelled photographs, and why it was kept

Every file is written whole before it gets its name, the picture before its labels, so that a power cut
leaves at most a picture that nothing is known of. The name is the picture's own hash.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import queue
import shutil
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import simplejpeg

from engine.events import Correction, Desync, Doubt, Event, PlayMade, SetUp, Throw
from engine.layout import Orientation, to_slots
from engine.observation import Observation
from engine.position import CHECKERS
from hardware.camera import Frame, Image, UnreadableInput
from zarbiter.beside import write_whole

SCHEMA = "zarbiter.collect/1"
LEAVE_FREE = 500  #: megabytes of the disk that are left to others
QUALITY = 95
VIEWS = 96  #: still views that are remembered, since a correction comes after the play
AHEAD = 6  #: things to do that may wait; a live match drops what comes then
WINDOW = (20.0, 5.0)  #: seconds before and after an event in which the view of it is looked for
ALIKE = 6  #: slots in which the right position may differ from what was seen in its view
SAME = 8  #: bits of 256 in which two pictures of one position may differ and count as the same
MARGIN = 0.12  #: of the field's size, left around it in pictures that are made anonymous

By = Literal["camera", "person"]

log = logging.getLogger(__name__)


# -- what a picture shows ---------------------------------------------------------------------------------


def labels_of(
    size: tuple[int, int],
    corners: Sequence[Sequence[float]],
    slots: Sequence[int],
    bar: Sequence[int],
    dice: Sequence[Mapping[str, Any]],
    *,
    by: By,
    why: str,
    bar_frac: Sequence[float] | None = None,
    dice_sure: bool = True,
) -> dict[str, Any]:
    """Labels in the form of labelled photographs; what no person has looked at is not ``sure``.

    ``slots``: 24 signed counts. ``bar``: light and dark. ``dice``: ``value``, ``state``, ``half`` and
    ``box``; those without a box are left out, and then the dice are not complete.
    """
    sure = by == "person"

    def slot(count: int) -> dict[str, Any]:
        colour = "light" if count > 0 else "dark" if count < 0 else "none"
        return {"colour": colour, "count": abs(count), "sure": sure}

    shown = [die for die in dice if die["box"] is not None]
    return {
        "schema": SCHEMA,
        "size": list(size),
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in corners],
        "bar": bar_frac is None or bar_frac[1] > bar_frac[0],
        "bar_frac": None if bar_frac is None else [round(float(x), 4) for x in bar_frac],
        "slots": {"top": [slot(n) for n in slots[:12]], "bottom": [slot(n) for n in slots[12:]]},
        "on_bar": {"light": bar[0], "dark": bar[1], "sure": sure},
        "dice": [
            {
                "value": die["value"],
                "box": [round(float(v), 1) for v in die["box"]],
                "half": die["half"],
                "state": die["state"],
                "cocked": die["state"] == "cocked",
                "sure": sure and dice_sure,
            }
            for die in shown
        ],
        "dice_complete": sure and dice_sure and len(shown) == len(dice),
        "ignore": [],
        "light_is": "",
        "dark_is": "",
        "by": by,
        "why": why,
    }


def problems(labels: Mapping[str, Any]) -> list[str]:
    """What is wrong with labels, in words; nothing if they can be used."""
    found = []
    try:
        width, height = labels["size"]
        inside = [-width <= x <= 2 * width and -height <= y <= 2 * height for x, y in labels["corners"]]
        if len(inside) != 4 or not all(inside):
            found.append("the corners are not four points of the picture")
        slots = [slot for row in ("top", "bottom") for slot in labels["slots"][row]]
        if len(slots) != 24 or any(s["colour"] not in ("light", "dark", "none") for s in slots):
            found.append("there are not 24 slots")
        for colour in ("light", "dark"):
            total = sum(s["count"] for s in slots if s["colour"] == colour) + labels["on_bar"][colour]
            if labels["by"] == "person" and total > CHECKERS:
                found.append(f"there are {total} {colour} checkers")
        if any(die["value"] not in range(1, 7) or len(die["box"]) != 4 for die in labels["dice"]):
            found.append("a die has no value from 1 to 6, or no box")
        if labels["by"] not in ("camera", "person") or not isinstance(labels["why"], str):
            found.append("it is not told by whom and why it was kept")
    except (KeyError, TypeError, ValueError) as error:
        found.append(f"something is missing or of another kind ({error!r})")
    return found


# -- the folder -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """A picture of a folder, by its name, with its labels."""

    name: str
    labels: dict[str, Any]


class Folder:
    """Pictures with labels on the disk, at most ``limit`` megabytes of them. For one thread at a time."""

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self.path = path
        self._limit = math.inf if limit is None else limit * 1e6
        self._known: dict[str, dict[str, Any]] = {}
        self._bytes = 0

    def open(self) -> None:
        """Make the folder if need be, and see what it holds. Raises ``OSError``."""
        for part in ("images", "labels"):
            (self.path / part).mkdir(parents=True, exist_ok=True)
            for left in (self.path / part).glob("*.part"):  # of a program that ended in the middle
                left.unlink()
        self._bytes = sum(file.stat().st_size for part in ("images", "labels") for file in self._in(part))
        self._known = {kept.name: kept.labels for kept in self.read()[0]}

    def keep(self, jpeg: bytes, labels: dict[str, Any], print_of: int) -> str | None:
        """Keep a picture; returns its name, or ``None`` if there is one like it with as good labels.

        What a person says takes the place of what the camera saw. Raises ``Full`` and ``OSError``.
        """
        name = hashlib.sha256(jpeg).hexdigest()[:16]
        labels = labels | {"print": f"{print_of:064x}"}
        same = name if name in self._known else self._like(labels, print_of)
        if same is not None:
            return same if self.relabel(same, labels) else None
        if self._bytes + len(jpeg) > self._limit:
            raise Full(f"{self.path} holds {self._bytes // 1_000_000} MB, and more were not asked for")
        if shutil.disk_usage(self.path).free < LEAVE_FREE * 1_000_000:
            raise Full(f"less than {LEAVE_FREE} MB are left on the disk of {self.path}")
        self._write(self.path / "images" / f"{name}.jpg", jpeg)
        self._label(name, labels)
        return name

    def relabel(self, name: str, labels: dict[str, Any]) -> bool:
        """Put what a person says into the labels of a kept picture; whether that changes anything."""
        known = self._known[name]
        size = known["size"]
        if list(labels["size"]) != size:  # the same picture in another size
            labels = scaled(labels, size[0] / labels["size"][0], (size[0], size[1]))
        changed = dict(known)
        if labels["on_bar"]["sure"]:
            changed |= {key: labels[key] for key in ("corners", "slots", "on_bar", "by", "why")}
        if labels["dice_complete"] or any(die["sure"] for die in labels["dice"]):
            changed |= {key: labels[key] for key in ("dice", "dice_complete", "why")}
        if changed | {"why": ""} == known | {"why": ""}:
            return False
        self._label(name, changed)
        return True

    def named_by(self, data: bytes) -> str | None:
        """The name of the picture that these bytes are, if it is kept here."""
        name = hashlib.sha256(data).hexdigest()[:16]
        return name if name in self._known else None

    def read(self) -> tuple[list[Kept], list[str]]:
        """All that can be used, by name, and what cannot, in words."""
        kept, wrong = [], []
        labelled = {file.stem for file in self._in("labels", ".json")}
        for file in self._in("labels", ".json"):
            try:
                labels = json.loads(file.read_text(encoding="utf-8"))
                bad = problems(labels) if isinstance(labels, dict) else ["not an object"]
            except ValueError:
                bad = ["not JSON"]
            if not (self.path / "images" / f"{file.stem}.jpg").exists():
                bad.append("there is no such picture")
            if bad:
                wrong.append(f"labels/{file.name}: {'; '.join(bad)}")
            else:
                kept.append(Kept(file.stem, labels))
        for file in self._in("images", ".jpg"):
            if file.stem not in labelled:
                wrong.append(f"images/{file.name}: there are no labels for it")
        return kept, wrong

    def picture(self, name: str) -> Image:
        """A kept picture. Raises ``UnreadableInput``."""
        path = self.path / "images" / f"{name}.jpg"
        image = cv2.imread(str(path))
        if image is None:
            raise UnreadableInput(f"{path}: cannot be read")
        return np.asarray(image, np.uint8)

    def _like(self, labels: Mapping[str, Any], print_of: int) -> str | None:
        """The picture that shows the same and looks the same, if there is one."""
        shown = _shown(labels)
        for name, known in self._known.items():
            near = (int(known.get("print", "0"), 16) ^ print_of).bit_count() <= SAME
            if near and known["size"] == list(labels["size"]) and _shown(known) == shown:
                return name
        return None

    def _in(self, part: str, suffix: str = "") -> Iterator[Path]:
        folder = self.path / part
        return iter(sorted(f for f in folder.iterdir() if f.name.endswith(suffix)) if folder.is_dir() else ())

    def _label(self, name: str, labels: dict[str, Any]) -> None:
        text = json.dumps(labels, indent=1).encode()
        self._write(self.path / "labels" / f"{name}.json", text)
        self._known[name] = labels

    def _write(self, path: Path, data: bytes) -> None:
        write_whole(path, data)
        self._bytes += len(data)


class Full(Exception):
    """No more pictures are kept; the message says why."""


def _shown(labels: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a picture shows, to compare."""
    slots = [(s["colour"], s["count"]) for row in ("top", "bottom") for s in labels["slots"][row]]
    dice = sorted((die["value"], die["state"]) for die in labels["dice"])
    return slots, labels["on_bar"]["light"], labels["on_bar"]["dark"], dice


def scaled(
    labels: Mapping[str, Any], by: float, size: tuple[int, int], shift: tuple[float, float] = (0.0, 0.0)
) -> dict[str, Any]:
    """The labels of a picture that was cut (by ``shift`` at its left and top) and then scaled to ``size``."""
    sx, sy = shift

    def box(values: Sequence[float]) -> list[float]:
        x0, y0, x1, y1 = values
        return [round(v, 1) for v in ((x0 - sx) * by, (y0 - sy) * by, (x1 - sx) * by, (y1 - sy) * by)]

    return {
        **labels,
        "size": list(size),
        "corners": [[round((x - sx) * by, 1), round((y - sy) * by, 1)] for x, y in labels["corners"]],
        "dice": [{**die, "box": box(die["box"])} for die in labels["dice"]],
    }


def fingerprint(image: Image) -> int:
    """256 bits that hardly change with noise and compression: where brightness falls to the right.

    The difference hash of N. Krawetz ("Kind of Like That", 2013), on 16 rows of 17 grey values.
    """
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, (17, 16), interpolation=cv2.INTER_AREA)
    falls = small[:, 1:] < small[:, :-1]
    return int.from_bytes(np.packbits(falls).tobytes(), "big")


def encode(image: Image, quality: int = QUALITY) -> bytes:
    """A picture as JPEG in full colour resolution, with nothing but its pixels."""
    jpeg: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(image), quality=quality, colorspace="BGR", colorsubsampling="444"
    )
    return jpeg


# -- beside a running match -------------------------------------------------------------------------------


def shown_in(seen: Observation) -> tuple[Any, ...] | None:
    """What a still picture without hands shows, to compare; ``None`` for any other picture."""
    if seen.board is None or not seen.still or seen.hands or not seen.slots:
        return None
    return (
        tuple(slot.best for slot in seen.slots),
        tuple(slot.best for slot in seen.bar),
        tuple((die.value, die.state) for die in seen.dice),
    )


@dataclass(frozen=True, slots=True)
class _View:
    t: float
    jpeg: bytes
    print_of: int
    seen: Observation
    size: tuple[int, int]


class Collector:
    """Keeps pictures of a match in a thread of its own, and never holds the match up.

    With ``patient`` what comes too fast waits, as for a recording; else it is dropped. What cannot be
    written is said once, and then no more is kept.
    """

    def __init__(self, folder: Folder, *, patient: bool = False) -> None:
        self.folder = folder
        folder.open()
        self._patient = patient
        self._todo: queue.Queue[_Task] = queue.Queue(AHEAD)
        self._views: deque[_View] = deque(maxlen=VIEWS)
        self._last: tuple[Any, ...] | None = None
        self._closed = self._failed = False
        self._thread = threading.Thread(target=self._work, name="collect", daemon=True)
        self._thread.start()

    def watch(self, frame: Frame, seen: Observation, events: Iterable[Event]) -> None:
        """Take note of a picture, and of what became known by it. Called for each, in order."""
        now = shown_in(seen)
        if now is not None and now != self._last:
            self._last = now
            self._put(_Task("view", frame=frame, seen=seen))
        for event in events:
            if isinstance(event, Doubt | Desync):
                self._put(_Task("doubt", event=event))

    def decided(self, event: Event, orientation: Orientation) -> None:
        """The referee says that this happened, at the event's own time, with the board lying so."""
        if isinstance(event, Correction):
            if event.event is None:
                return
            event = event.event
        if isinstance(event, PlayMade | Throw | SetUp):
            self._put(_Task("correction", event=event, orientation=orientation))

    def photo(self, data: bytes, image: Image, labels: dict[str, Any]) -> Future[str | None]:
        """Keep a photograph: the bytes of its file, its pixels, and what a person says it shows.

        The future tells as :meth:`Folder.keep` does.
        """
        task = _Task("photo", data=data, image=image, labels=labels)
        if self._closed:
            task.done.set_exception(Full("the program is ending"))
        else:
            try:
                self._todo.put(task, timeout=2.0)
            except queue.Full:
                task.done.set_exception(Full("the disk is too slow just now"))
        return task.done

    def close(self) -> None:
        """Finish what waits, within a few seconds."""
        self._closed = True
        try:
            self._todo.put(_Task("end"), timeout=5.0)
        except queue.Full:
            return
        self._thread.join(5.0)

    # -- any thread -----------------------------------------------------------------------------------

    def _put(self, task: _Task) -> None:
        if self._closed or self._failed:
            return
        try:
            if self._patient:
                self._todo.put(task)
            else:
                self._todo.put_nowait(task)
        except queue.Full:
            log.debug("a picture for training was dropped")
            self._last = None  # the view is taken note of again

    # -- the collector's own thread -------------------------------------------------------------------

    def _work(self) -> None:
        while (task := self._todo.get()).what != "end":
            try:
                task.done.set_result(self._do(task))
            except Exception as error:  # whatever it is, the match goes on without pictures
                task.done.set_exception(error)
                if task.what != "photo" and not self._failed:
                    self._failed = True
                    why = error if isinstance(error, Full | OSError) else repr(error)
                    log.warning("no more pictures are kept for training: %s", why)

    def _do(self, task: _Task) -> str | None:
        match task:
            case _Task(what="view", frame=Frame() as frame, seen=Observation() as seen):
                height, width = frame.image.shape[:2]
                view = _View(frame.t, encode(frame.image), fingerprint(frame.image), seen, (width, height))
                self._views.append(view)
            case _Task(what="doubt", event=event) if event is not None:
                return self._doubtful(event)
            case _Task(what="correction", event=event, orientation=orientation) if event is not None:
                return self._corrected(event, orientation)
            case _Task(what="photo", image=image, labels=labels) if image is not None and labels is not None:
                name = self.folder.named_by(task.data)
                if name is not None:
                    return name if self.folder.relabel(name, labels) else None
                return self.folder.keep(encode(image), labels, fingerprint(image))
        return None

    def _doubtful(self, event: Event) -> str | None:
        if not self._views:
            return None
        why = f"doubt about a {event.about}" if isinstance(event, Doubt) else "out of step"
        before = [view for view in self._views if view.t <= event.t]
        chosen = {id(view): view for view in (*before[-1:], self._views[-1])}
        kept = None
        for view in chosen.values():
            kept = self._keep(view, _labels_seen(view, why)) or kept
        return kept

    def _corrected(self, event: Event, orientation: Orientation) -> str | None:
        before, after = WINDOW
        near = [view for view in self._views if event.t - before <= view.t <= event.t + after]
        match event:
            case PlayMade():
                slots, bar = event.slots, event.bar
            case SetUp():
                slots, bar = to_slots(event.position, orientation), event.position.bar
            case Throw():
                return self._thrown(event, near)
            case _:
                return None
        if not near:
            return None

        def differs(view: _View) -> int:
            return sum(a != slot.best for a, slot in zip(slots, view.seen.slots, strict=True))

        view = min(near, key=lambda view: (differs(view), abs(view.t - event.t)))
        if differs(view) > ALIKE:  # the picture is of another moment
            return None
        labels = _labels_seen(view, "corrected by the referee", by="person", slots=slots, bar=bar)
        return self._keep(view, labels)

    def _thrown(self, event: Throw, near: Sequence[_View]) -> str | None:
        """The nearest view with two dice, of which the likelier way round is taken."""
        pairs = [view for view in near if len(view.seen.dice) == 2]
        if not pairs or 0 in event.dice:
            return None
        view = min(pairs, key=lambda view: abs(view.t - event.t))
        one, two = view.seen.dice

        def likelihood(values: tuple[int, int]) -> float:
            return one.values[values[0] - 1] * two.values[values[1] - 1]

        dice = max((event.dice, event.dice[::-1]), key=likelihood)
        return self._keep(view, _labels_seen(view, "the referee named the dice", dice=dice))

    def _keep(self, view: _View, labels: dict[str, Any]) -> str | None:
        return self.folder.keep(view.jpeg, labels, view.print_of)


@dataclass(eq=False)
class _Task:
    what: Literal["view", "doubt", "correction", "photo", "end"]
    frame: Frame | None = None
    seen: Observation | None = None
    event: Event | None = None
    orientation: Orientation = Orientation.BOTTOM_RIGHT
    data: bytes = b""
    image: Image | None = None
    labels: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.done: Future[str | None] = Future()


def _labels_seen(
    view: _View,
    why: str,
    *,
    by: By = "camera",
    slots: Sequence[int] | None = None,
    bar: Sequence[int] | None = None,
    dice: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """What the camera saw in a view, with what the referee has said about it instead."""
    seen = view.seen
    assert seen.board is not None
    values = dice or [die.value for die in seen.dice]
    labels = labels_of(
        view.size,
        seen.board.corners,
        [slot.best for slot in seen.slots] if slots is None else slots,
        (seen.bar[0].count, seen.bar[1].count) if bar is None else bar,
        [
            {"value": value, "state": die.state, "half": die.half, "box": die.box}
            for value, die in zip(values, seen.dice, strict=True)
        ],
        by=by,
        why=why,
        bar_frac=seen.board.bar,
        dice_sure=False,
    )
    if dice is not None:
        labels["dice"] = [die | {"sure": True} for die in labels["dice"]]
        labels["dice_complete"] = True
    return labels | {"kept": time.strftime("%Y-%m-%d")}


# -- zarbiter collect -------------------------------------------------------------------------------------


def export(folder: Folder, out: Path, *, sure_only: bool = False, anonymise: bool = False) -> int:
    """Write ``labels.json`` and ``images/`` as sets of labelled photographs are; returns how many pictures.

    ``sure_only``: leave out what no person has looked at. ``anonymise``: cut the pictures to the board
    and a little around it, number them, and leave out when and why they were kept. Raises
    ``UnreadableInput`` for a picture that cannot be read, and if ``out`` holds labels already.
    """
    if (out / "labels.json").exists():
        raise UnreadableInput(f"{out}: there are labels already; name another folder")
    (out / "images").mkdir(parents=True, exist_ok=True)
    kept, _ = folder.read()
    chosen = [one for one in kept if one.labels["by"] == "person" or not sure_only]
    labels = []
    for number, one in enumerate(chosen, 1):
        shown = {key: value for key, value in one.labels.items() if key != "print"}
        name = f"{number:05}.jpg" if anonymise else f"{one.name}.jpg"
        if anonymise:
            image, shown = _cut(folder.picture(one.name), shown)
            (out / "images" / name).write_bytes(encode(image))
            shown = {key: value for key, value in shown.items() if key not in ("why", "kept")}
        else:
            shutil.copyfile(folder.path / "images" / name, out / "images" / name)
        labels.append({"file": name, **shown})
    part = out / "labels.part"
    part.write_text(json.dumps(labels, indent=1), encoding="utf-8")
    part.replace(out / "labels.json")
    return len(labels)


def _cut(image: Image, labels: Mapping[str, Any]) -> tuple[Image, dict[str, Any]]:
    """The board with a little around it, and the labels of that."""
    height, width = image.shape[:2]
    corners = np.array(labels["corners"])
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = MARGIN * (high - low)
    x0, y0 = (max(0, math.floor(v)) for v in low - margin)
    x1, y1 = min(width, math.ceil(high[0] + margin[0])), min(height, math.ceil(high[1] + margin[1]))
    inside = [
        die
        for die in labels["dice"]
        if die["box"][0] >= x0 and die["box"][1] >= y0 and die["box"][2] <= x1 and die["box"][3] <= y1
    ]
    cut = scaled({**labels, "dice": inside}, 1.0, (x1 - x0, y1 - y0), (x0, y0))
    return np.ascontiguousarray(image[y0:y1, x0:x1]), cut


def list_folder(path: Path, as_json: bool, out: Path | None, sure_only: bool, anonymise: bool) -> bool:
    """Print what a folder holds, and export it; whether all of it can be used. Raises ``UnreadableInput``."""
    if not (path / "labels").is_dir():
        raise UnreadableInput(f"{path}: holds no pictures that were kept for training")
    folder = Folder(path)
    kept, wrong = folder.read()
    for one in kept:
        try:
            height, width = folder.picture(one.name).shape[:2]
        except UnreadableInput as error:
            wrong.append(str(error))
            continue
        if [width, height] != one.labels["size"]:
            wrong.append(f"images/{one.name}.jpg: is not of the size that its labels tell")
    if as_json:
        for one in kept:
            print(json.dumps({"file": f"images/{one.name}.jpg"} | one.labels))
    else:
        reasons = Counter((one.labels["by"], one.labels["why"]) for one in kept)
        by_person = sum(one.labels["by"] == "person" for one in kept)
        megabytes = sum(f.stat().st_size for part in ("images", "labels") for f in (path / part).iterdir())
        print(f"{path}: {len(kept)} pictures, {by_person} labelled by a person, {megabytes / 1e6:.1f} MB")
        for (by, why), count in sorted(reasons.items()):
            print(f"  {count:5}  {why}{'' if by == 'person' else ', not yet looked at'}")
    for problem in wrong:
        print(f"zarbiter: {problem}", file=sys.stderr)
    if out is not None:
        count = export(folder, out, sure_only=sure_only, anonymise=anonymise)
        print(f"{count} pictures written to {out}", file=sys.stderr)
    return not wrong
