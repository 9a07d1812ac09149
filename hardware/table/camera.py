"""The simulated table as a camera, and its pictures and truth as files."""

from __future__ import annotations

import bisect
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from engine.events import BoardSeen, Event, dumps
from engine.layout import Orientation
from engine.position import Game, Side
from engine.rules import default_rules
from hardware.camera import CameraError, Frame, Image
from hardware.table import scene
from hardware.table.render import CheckerPainter, CupPainter, DicePainter, HandPainter, bare_table
from hardware.table.scene import DIE, POSES, Checker, Die, Lens, Pose, Seats
from hardware.table.script import PLAY_FAULTS, THROW_FAULTS, Plan, Reach, Roll, Scene, Sweep, tell
from hardware.table.styles import BGR, STYLES, Style

_SHUTTER = 1 / 60  #: seconds of exposure, for the blur of what moves
_SHIFT = 128  #: the one picture of camera noise is laid over frames at random shifts below this

_SKINS: tuple[BGR, ...] = ((150, 176, 226), (120, 150, 205), (82, 112, 165), (60, 78, 116))
_SLEEVES: tuple[BGR, ...] = ((84, 58, 40), (52, 50, 52), (58, 44, 110), (70, 92, 70), (170, 160, 150))
_CUPS: tuple[BGR, ...] = ((34, 52, 96), (40, 40, 44), (38, 34, 120))


class SimulatedTable:
    """A camera above a table at which a whole match is played, made up from ``seed``.

    ``game``: backgammon (no cube) or long nardy. ``style``: a board of ``styles.STYLES``. ``pose``:
    ``overhead``, ``off`` (a little beside the middle) or ``oblique`` (about 30 degrees from the vertical).
    ``size``: width and height in pixels. ``match_length``: points to win; 1 is a single game.
    ``realtime``: paced by the clock, dropping frames that are asked for too late (``live`` is then
    true); otherwise every frame, as fast as it is asked for. ``faults``: throw faults
    (``THROW_FAULTS``) and rules to break (``PLAY_FAULTS``), in the order in which they are to be
    committed, spread over the first 40 turns (or over ``max_turns``); a play that breaks a rule waits for
    a position in which that rule can be broken. ``max_turns``: stop after so many turns. ``pace``:
    above 1 is slower. ``orientation``: as in :mod:`engine.layout`, drawn from the seed if not given.

    Same arguments, same pictures, bit for bit. Raises ``ValueError`` for a name that does not exist.
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
    ) -> None:
        if style not in STYLES:
            raise ValueError(f"no board style {style!r}; there are {', '.join(STYLES)}")
        if pose not in POSES:
            raise ValueError(f"no camera pose {pose!r}; there are {', '.join(POSES)}")
        known = (*THROW_FAULTS, *PLAY_FAULTS[game])
        if wrong := [f for f in faults if f not in known]:
            raise ValueError(f"{game.value} has no fault {wrong[0]!r}; there are {', '.join(known)}")
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
        self._seed = seed
        self._style = STYLES[style]
        self._lens = Lens.fit(pose, size, rng)
        self._seats = Seats(game, self.orientation)
        plan = Plan(default_rules(game), self._seats, match_length, tuple(faults), max_turns, pace)
        self._story = tell(plan, np.random.default_rng([seed, 2]))
        self._starts = [s.start for s in self._story.scenes]
        frames = math.floor(self._story.seconds * fps)
        self.length: int | None = None if realtime else frames
        self.frames = frames
        self._painter: _Painter | None = None
        self._next = 0
        self._began: float | None = None

    def truth(self) -> tuple[Event, ...]:
        """Every event of the match, known before anything is painted."""
        corners = scene.field_corners(self._lens)
        board = BoardSeen(t=0.0, corners=corners, orientation=self.orientation, confidence=1.0)
        return (board, *self._story.events)

    def start(self) -> None:
        """Set up the table; the first call paints the bare board, which takes a second or two."""
        if self._painter is None:
            self._painter = _Painter(self._lens, self._style, self._seats, self._seed)
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

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def picture(self, seq: int) -> Image:
        """The picture of any frame, in any order; the camera must have been started once."""
        if self._painter is None:
            raise CameraError(f"{self.name}: not started")
        t = seq / self.fps
        index = bisect.bisect_right(self._starts, t) - 1
        return self._painter.picture(self._story.scenes[index], t, seq)


def _smooth(u: float) -> float:
    u = min(1.0, max(0.0, u))
    return u * u * (3 - 2 * u)


class _Painter:
    """Paints any moment of a story. What lies still is kept from one frame to the next."""

    def __init__(self, lens: Lens, style: Style, seats: Seats, seed: int) -> None:
        rng = np.random.default_rng([seed, 3])
        self._lens, self._seats, self._seed = lens, seats, seed
        self._bare, cover = bare_table(lens, style, rng)
        pairs, dice = style.checkers, style.dice
        self._checkers = CheckerPainter(lens, pairs[int(rng.integers(len(pairs)))], cover, rng)
        self._dice = DicePainter(lens, *dice[int(rng.integers(len(dice)))])
        skins, sleeves = rng.permutation(len(_SKINS)), rng.permutation(len(_SLEEVES))
        self._hands = {
            side: HandPainter(lens, _SKINS[skins[side.index]], _SLEEVES[sleeves[side.index]], rng)
            for side in Side
        }
        self._cup = CupPainter(lens, _CUPS[int(rng.integers(len(_CUPS)))])
        width, height = lens.size
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        far = np.hypot((x - width / 2) / width, (y - height / 2) / height)
        fall = np.clip(255 * (1 - 0.35 * far**2), 0, 255).astype(np.uint8)
        self._vignette: Image = np.dstack([fall] * 3)
        grain = 2.6 * rng.standard_normal((height + _SHIFT, width + _SHIFT, 3), np.float32)
        self._noise: Image = np.clip(np.round(128 + grain), 0, 255).astype(np.uint8)
        self._lying: tuple[tuple[Checker, ...], tuple[Die, ...]] | None = None
        self._still: Image = self._bare
        self._reach = lens.reach(4.0)[1] + 4.0

    def picture(self, at: Scene, t: float, seq: int) -> Image:
        """The picture of a moment ``t`` within the scene ``at``."""
        u = (t - at.start) / (at.end - at.start)
        checkers = at.checkers
        if isinstance(at.action, Sweep) and u > 0.5:
            checkers = at.action.then
        image = self._table(checkers, at.dice).copy()
        span = at.end - at.start
        match at.action:
            case Reach():
                self._paint_reach(image, at.action, u, span)
            case Roll():
                self._paint_roll(image, at.action, u, span)
            case Sweep():
                self._paint_sweep(image, at.action, u)
            case None:
                pass
        return self._expose(image, seq)

    def _table(self, checkers: tuple[Checker, ...], dice: tuple[Die, ...]) -> Image:
        if self._lying != (checkers, dice):
            image = self._bare.copy()
            self._checkers.paint(image, checkers)
            for die in dice:
                self._dice.shadow(die).paint(image)
            for die in dice:
                self._dice.body([die], 4).paint(image)
            self._still, self._lying = image, (checkers, dice)
        return self._still

    def _expose(self, image: Image, seq: int) -> Image:
        """Lens and sensor: dark corners, a flickering exposure, noise."""
        rng = np.random.default_rng([self._seed, 4, seq])
        cv2.multiply(image, self._vignette, dst=image, scale=1 / 255 * float(rng.normal(1, 0.006)))
        y, x = rng.integers(0, _SHIFT, 2).tolist()
        grain = self._noise[y : y + image.shape[0], x : x + image.shape[1]]
        return cv2.addWeighted(image, 1.0, grain, 1.0, -128.0)  # type: ignore[return-value]

    def _shoulder(self, side: Side) -> tuple[float, float]:
        seat = self._seats.sign(side)
        return 7.0 * seat, seat * (self._reach + 12)

    def _home(self, side: Side) -> tuple[float, float]:
        return 5.0 * self._seats.sign(side), self._seats.sign(side) * self._reach

    def _paint_reach(self, image: Image, action: Reach, u: float, span: float) -> None:
        start = action.start or self._home(action.side)
        end = action.end or self._home(action.side)

        def place(v: float) -> tuple[float, float]:
            s = _smooth(v)
            return start[0] + (end[0] - start[0]) * s, start[1] + (end[1] - start[1]) * s

        tip = place(u)
        lift = 2.6 * math.sin(math.pi * _smooth(u))
        ground = 0.0
        if action.carried is not None and action.lands is not None:
            s = _smooth(u)
            ground = action.carried.z + (action.lands.z - action.carried.z) * s
            x = action.carried.x + (action.lands.x - action.carried.x) * s
            y = action.carried.y + (action.lands.y - action.carried.y) * s
            held = action.carried.at(x, y, ground + lift)
            self._checkers.shadow(held, 0.0).paint(image)
            self._checkers.body(held).paint(image)
        smear = self._smear(place, u, span)
        self._hands[action.side].paint(
            image, "pinch", tip, self._shoulder(action.side), 2.6 + ground + lift, smear
        )

    def _smear(
        self, place: Callable[[float], tuple[float, float]], u: float, span: float
    ) -> tuple[float, float]:
        """How far a place moves in the picture while the shutter is open, in pixels."""
        a, b = (place(min(1.0, max(0.0, u + d * _SHUTTER / span / 2))) for d in (-1, 1))
        return (b[0] - a[0]) * self._lens.scale, (b[1] - a[1]) * self._lens.scale

    def _paint_roll(self, image: Image, action: Roll, u: float, span: float) -> None:
        seat = self._seats.sign(action.side)
        tipped = _smooth((u - 0.3) / 0.14)
        out = (action.cup[0], seat * (self._reach + 10))
        way = _smooth(u / 0.28) if u < 0.5 else 1 - _smooth((u - 0.52) / 0.3)
        x, y = (a + (b - a) * way for a, b in zip(out, action.cup, strict=True))
        shake = 0.8 * math.sin(u * 60) * (0.2 < u < 0.36)
        elevation = math.radians(48 - 66 * tipped)
        axis = np.array([0.05, -seat * math.cos(elevation), math.sin(elevation)])
        axis /= np.linalg.norm(axis)
        rest = 0.44
        if u > rest:
            mouth = np.array([*action.cup, 8.0]) + axis * 5
            for die, spin in zip(action.dice, action.spins, strict=True):
                self._paint_rolling(image, die, spin, mouth, (u - rest) / (0.97 - rest), span * (0.97 - rest))
        if way > 0.001:
            self._cup.paint(image, (x + shake, y, 8.0), axis)
            back = 3.2 * math.cos(elevation) + 0.5
            hand, shoulder = (x + shake, y + seat * back), (x * 0.3 + 7 * seat, seat * (self._reach + 20))
            self._hands[action.side].paint(image, "fist", hand, shoulder, 10.0)

    def _paint_rolling(
        self, image: Image, die: Die, spin: float, mouth: scene.Vector, v: float, span: float
    ) -> None:
        final = np.array(die.centre)
        way = final - mouth
        axis = np.array([way[1], -way[0], 0.0])
        axis /= np.linalg.norm(axis)

        def pose(at: float) -> Die:
            left = 1 - min(1.0, max(0.0, at))
            s = 1 - left**2
            fall = (mouth[2] - final[2]) * max(0.0, 1 - at / 0.3) ** 2
            hop = 2.2 * abs(math.sin(3.2 * math.pi * at)) * left**1.5 if at > 0.2 else 0.0
            centre = (*(mouth[:2] + way[:2] * s).tolist(), float(final[2] + fall + hop))
            rotation = scene.turn_about(axis, -spin * left**2) @ die.matrix
            # A die that stands on a corner needs more room below its centre.
            room = max(0.0, float(np.abs(rotation[2]).sum()) * DIE / 2 + die.ground - centre[2])
            lifted = (centre[0], centre[1], centre[2] + room)
            return Die(lifted, tuple(rotation.ravel().tolist()), die.ground)

        if v >= 1:
            self._dice.shadow(die).paint(image)
            self._dice.body([die], 4).paint(image)
            return
        step = _SHUTTER / span
        poses = [pose(v + (k - 1.5) / 4 * step) for k in range(4)]
        self._dice.shadow(pose(v)).paint(image)
        self._dice.body(poses, 2).paint(image)

    def _paint_sweep(self, image: Image, action: Sweep, u: float) -> None:
        """Two forearms go back and forth over the board while the checkers are set up."""
        for k, side in enumerate(Side):
            seat = self._seats.sign(side)
            into = _smooth(u / 0.3) - _smooth((u - 0.7) / 0.3)
            x = 17 * math.sin(2 * math.pi * u + k) * seat
            y = seat * (self._reach + (2.0 - self._reach) * into)
            self._hands[side].paint(image, "pinch", (x, y), (x * 0.4, seat * (self._reach + 20)), 4.0)


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
