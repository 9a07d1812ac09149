"""A simulated table at which play goes on by the clock, whether anybody films it or not."""

from __future__ import annotations

import math
import time
from urllib.parse import parse_qsl

from engine.position import Game
from hardware.camera import Camera, CameraError, Frame
from hardware.device import Device
from hardware.table import PLAY_FAULTS, THROW_FAULTS, SimulatedTable


class RunningTable(Device):
    """A live camera above ``table``, switched on ``at`` seconds into the match.

    The match goes on while the camera is stopped: started again it shows what then happens. ``t`` is
    the time of the match. After the match its last picture stays in view for ``linger`` seconds.
    """

    live = True

    def __init__(self, table: SimulatedTable, at: float = 0.0, linger: float = 5.0) -> None:
        self.name, self.length = table.name, None
        self._table, self._at, self._linger = table, at, linger
        self._epoch: float | None = None
        self._first = math.floor(at * table.fps)
        self._next: int | None = None

    def start(self) -> None:
        self._table.start()
        if self._epoch is None:
            self._epoch = time.monotonic() - self._at
        self._next = math.floor((time.monotonic() - self._epoch) * self._table.fps)

    def read(self, timeout: float = 1.0) -> Frame | None:
        if self._next is None or self._epoch is None:
            raise self.not_started()
        fps, elapsed = self._table.fps, time.monotonic() - self._epoch
        seq = max(self._next, math.floor(elapsed * fps))
        if seq >= self._table.frames + self._linger * fps:
            return None
        time.sleep(max(0.0, seq / fps - elapsed))
        self._next = seq + 1
        image = self._table.picture(min(seq, self._table.frames - 1))
        return Frame(image, seq / fps, seq - self._first)

    def stop(self) -> None:
        self._table.stop()
        self._next = None


def some_faults(game: Game) -> tuple[str, ...]:
    """Invalid throws and illegal plays of every kind, in turns."""
    plays = PLAY_FAULTS[game]
    pairs = zip(THROW_FAULTS, plays + plays, strict=False)
    return tuple(fault for pair in pairs for fault in pair)


def simulated(spec: str, fps: float | None = None) -> Camera:
    """The camera of ``sim:GAME?OPTION=VALUE&...``.

    Options: ``seed``, ``style``, ``pose``, ``fps``, ``length`` (points to win), ``turns`` (at most so
    many), ``pace``, ``faults`` (1 for some of every kind, or their names with commas), ``at`` (seconds
    into the match at which the camera is switched on), ``realtime`` (0: every frame, as fast as it is
    asked for). Raises ``CameraError`` for one that does not exist.
    """
    name, _, query = spec.removeprefix("sim:").partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    try:
        game = Game(name or "backgammon")
        given = options.pop("faults", "")
        faults = {"": (), "0": (), "1": some_faults(game)}.get(given, tuple(given.split(",")))
        at, realtime = float(options.pop("at", "0")), options.pop("realtime", "1") != "0"
        turns = options.pop("turns", None)
        table = SimulatedTable(
            game=game,
            seed=int(options.pop("seed", "1")),
            style=options.pop("style", "wood"),
            pose=options.pop("pose", "overhead"),  # type: ignore[arg-type]  # it checks the name
            fps=float(options.pop("fps", fps or 10.0)),
            match_length=int(options.pop("length", "1")),
            max_turns=int(turns) if turns else None,
            pace=float(options.pop("pace", "1")),
            faults=faults,
        )
    except ValueError as error:
        raise CameraError(f"{spec}: {error}") from error
    if options:
        raise CameraError(f"{spec}: there is no option {next(iter(options))!r}")
    return RunningTable(table, at) if realtime else table
