"""The simulated table as a camera, and its pictures and truth as files."""

from __future__ import annotations

import bisect
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from engine.events import BoardSeen, Event, GameStart, dumps
from engine.layout import Orientation
from engine.position import CHECKERS, Game, Position, Side
from engine.rules import RuleSet, default_rules
from hardware.camera import CameraError, Frame, Image
from hardware.device import Device
from hardware.table import scene
from hardware.table.choices import PLAY_FAULTS
from hardware.table.conditions import conditions_of
from hardware.table.landing import MANNER_FAULTS, THROW_FAULTS, possible
from hardware.table.painter import Painter
from hardware.table.scene import POSES, Lens, Pose, Seats
from hardware.table.script import TURNED, tell
from hardware.table.story import Plan
from hardware.table.styles import STYLES


class SimulatedTable(Device):
    """A camera above a table at which a whole match is played, made up from ``seed``.

    ``game``: backgammon (no cube) or long nardy. ``style``: a board of ``styles.STYLES``. ``pose``:
    ``overhead``, ``off`` (a little beside the middle) or ``oblique`` (about 30 degrees from the vertical).
    ``size``: width and height in pixels. ``match_length``: points to win; 1 is a single game.
    ``realtime``: paced by the clock, dropping frames that are asked for too late (``live`` is then
    true); otherwise every frame, as fast as it is asked for. ``faults``: throw faults
    (``THROW_FAULTS``, ``MANNER_FAULTS``) and rules to break (``PLAY_FAULTS``), in the order in which they
    are to be committed, spread over the first 40 turns (or over ``max_turns``); a play that breaks a rule
    waits for a position in which that rule can be broken. ``max_turns``: stop after so many turns. ``pace``:
    above 1 is slower. ``orientation``: as in :mod:`engine.layout`, drawn from the seed if not given.
    ``rules``: what is played by, the defaults of the game if not given. ``conditions``: of ``CONDITIONS``.
    ``position``: what stands on the board at first, if the camera comes in the middle of a game.

    Same arguments, same pictures, bit for bit. Raises ``ValueError`` for a name that does not exist, for
    rules of another game, for a throw that is no fault by the rules and for a position that lacks checkers.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        game: Game = Game.BACKGAMMON,
        style: str = "wood",
        pose: Pose = "overhead",
        size: tuple[int, int] = (1280, 720),
        fps: float = 10.0,
        match_length: int = 1,
        realtime: bool = False,
        faults: Sequence[str] = (),
        max_turns: int | None = None,
        pace: float = 1.0,
        orientation: Orientation | None = None,
        rules: RuleSet | None = None,
        conditions: Iterable[str] = (),
        position: Position | None = None,
    ) -> None:
        rules = rules or default_rules(game)
        if rules.game is not game:
            raise ValueError(f"rules of {rules.game.value} are none of {game.value}")
        if style not in STYLES:
            raise ValueError(f"no board style {style!r}; there are {', '.join(STYLES)}")
        if pose not in POSES:
            raise ValueError(f"no camera pose {pose!r}; there are {', '.join(POSES)}")
        known = (*THROW_FAULTS, *MANNER_FAULTS, *PLAY_FAULTS[game])
        if wrong := [f for f in faults if f not in known]:
            raise ValueError(f"{game.value} has no fault {wrong[0]!r}; there are {', '.join(known)}")
        if wrong := [f for f in faults if not possible(f, rules)]:
            raise ValueError(f"by these rules no throw is {wrong[0]!r}")
        if position is not None and {position.checkers(side) for side in Side} != {CHECKERS}:
            raise ValueError(f"each side has {CHECKERS} checkers")
        if min(size) < 16 or fps <= 0 or pace <= 0 or match_length < 1:
            raise ValueError("size, fps, pace and match_length must be positive")
        self.name = f"simulated table (seed {seed}, {game.value}, {style}, {pose})"
        self.live = realtime
        self.fps = fps
        self.size = size
        rng = np.random.default_rng([seed, 1])
        # Nardy is played anticlockwise (rules.md G4), which leaves two of the four ways round.
        ways = [Orientation.BOTTOM_RIGHT, Orientation.TOP_LEFT]
        if game is Game.BACKGAMMON:
            ways = list(Orientation)
        drawn = ways[int(rng.integers(len(ways)))]
        self.orientation = orientation or drawn
        self.game = game
        self.rules = rules
        self.conditions = conditions_of(conditions)
        self._seed = seed
        self._style = STYLES[style]
        self._lens = Lens.fit(pose, size, rng)
        self._knocked = self._lens.knocked(np.random.default_rng([seed, 6]))  #: how it stands after a jolt
        self._seats = Seats(game, self.orientation)
        plan = Plan(
            rules, self._seats, match_length, tuple(faults), max_turns, pace, self.conditions, position
        )
        self._story = tell(plan, np.random.default_rng([seed, 2]), np.random.default_rng([seed, 5]))
        self._starts = [s.start for s in self._story.scenes]
        frames = math.floor(self._story.seconds * fps)
        self.length = None if realtime else frames
        self.frames = frames
        self._painter: Painter | None = None
        self._next = 0
        self._began: float | None = None

    def truth(self) -> tuple[Event, ...]:
        """Every event of the match, known before anything is painted."""
        return tuple(event for event, _ in self._told())

    def stills(self) -> tuple[float, ...]:
        """For each event of ``truth``, the second from which all that it rests on lay still in plain view.

        Of a throw: its dice at rest. Of a play and of the end of a game: the dice lifted and the hand that
        took them out of the picture, which comes last.
        """
        return tuple(still for _, still in self._told())

    def _told(self) -> list[tuple[Event, float]]:
        story, way = self._story, self.orientation
        told: list[tuple[Event, float]] = [(self._board_at(0.0, self._lens, way), 0.0)]
        for event, still in zip(story.events, story.stills, strict=True):
            if isinstance(event, GameStart) and event.turned:
                way = TURNED[way]
                told.append((self._board_at(event.t, self._lens, way), event.t))
            told.append((event, still))
        if story.jolt is not None:
            before = sum(event.t <= story.jolt for event, _ in told)
            told.insert(before, (self._board_at(story.jolt, self._knocked, self.orientation), story.jolt))
        return told

    def _board_at(self, t: float, lens: Lens, orientation: Orientation) -> Event:
        corners = scene.field_corners(lens)
        return BoardSeen(t=t, corners=corners, orientation=orientation, confidence=1.0)

    def start(self) -> None:
        """Set up the table; the first call paints the bare board, which takes a second or two."""
        if self._painter is None:
            self._painter = Painter(self._lens, self._style, self._seats, self._seed, self.conditions)
        self._next = 0
        self._began = time.monotonic()

    def read(self, timeout: float = 1.0) -> Frame | None:
        """The next frame, ``None`` after the last. Raises ``CameraError`` if it was not started."""
        if self._began is None:
            raise CameraError(f"{self.name}: not started")
        seq = self._next
        if self.live:
            elapsed = time.monotonic() - self._began
            seq = max(seq, math.floor(elapsed * self.fps))
            time.sleep(max(0.0, seq / self.fps - elapsed))
        if seq >= self.frames:
            return None
        self._next = seq + 1
        return Frame(self.picture(seq), seq / self.fps, seq)

    def stop(self) -> None:
        """Leave the table."""
        self._began = None

    def picture(self, seq: int) -> Image:
        """The picture of any frame, in any order; the camera must have been started once."""
        if self._painter is None:
            raise CameraError(f"{self.name}: not started")
        t, story = seq / self.fps, self._story
        index = bisect.bisect_right(self._starts, t) - 1
        moved = self._lens.onto(self._knocked) if story.jolt is not None and t >= story.jolt else None
        there = [p for p in story.presences if p.start <= t < p.end]
        return self._painter.picture(story.scenes[index], t, seq, there, moved)


def write_truth(table: SimulatedTable, path: Path) -> None:
    """The truth as JSON lines, one event a line."""
    path.write_text("".join(dumps(event) + "\n" for event in table.truth()), encoding="utf-8")


def record(
    table: SimulatedTable,
    video: Path | str,
    truth: Path | str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write the whole match as an .mp4 and its truth beside it (``NAME.truth.jsonl`` if not named).

    ``progress`` is called with (frames done, frames in all). Raises ``CameraError`` if the file
    cannot be written.
    """
    video = Path(video)
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"mp4v"), table.fps, table.size)
    if not writer.isOpened():
        raise CameraError(f"{video}: cannot be written as a video")
    try:
        with table:
            for done in range(table.frames):
                writer.write(table.picture(done))
                if progress is not None:
                    progress(done + 1, table.frames)
    finally:
        writer.release()
    write_truth(table, Path(truth) if truth is not None else video.with_suffix(".truth.jsonl"))


def write_pictures(table: SimulatedTable, folder: Path | str, every: int = 1) -> int:
    """Write every ``every``-th frame as ``000000.png`` (its number) with ``truth.jsonl``; how many."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with table:
        for seq in range(0, table.frames, every):
            name = folder / f"{seq:06d}.png"
            if not cv2.imwrite(str(name), table.picture(seq)):
                raise CameraError(f"{name}: cannot be written")
    about = {"fps": table.fps, "size": table.size, "game": table.game.value, "every": every}
    (folder / "table.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
    write_truth(table, folder / "truth.jsonl")
    return len(range(0, table.frames, every))
