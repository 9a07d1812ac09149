"""A simulated table at which play goes on by the clock, whether anybody films it or not."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from engine.events import Event, GameEnd, GameStart, PlayMade, Throw
from engine.position import Game
from hardware.camera import Camera, CameraError, Frame
from hardware.device import Device
from hardware.table import PLAY_FAULTS, THROW_FAULTS, SimulatedTable

LINGER = 5.0  #: seconds


class RunningTable(Device):
    """A live camera above ``table``.

    The match goes on while the camera is stopped: started again it shows what then happens. ``t`` is
    seconds since the first start. After the match its last picture stays in view for ``LINGER`` seconds.
    """

    live = True

    def __init__(self, table: SimulatedTable) -> None:
        self.name, self.length = table.name, None
        self.warning: str | None = None  #: at the end: what to do now
        self._table = table
        self._ready: Callable[[], bool] = lambda: True
        self._switched_on = 0.0  #: ``t`` at the first start
        self._from = 0.0  #: seconds into the match at which it goes on once the players may
        self._going_since: float | None = None  #: ``t`` at which they did
        self._epoch: float | None = None
        self._last = -1
        self._running = False

    def hold(self, ready: Callable[[], bool]) -> None:
        """Let the players wait until ``ready`` says that they may go on."""
        self._ready = ready

    def go_on(self, events: Sequence[Event]) -> None:
        """Begin where this record of the match ends, and not at the start of the match."""
        self._switched_on = max((event.t for event in events), default=0.0)
        self._from = _end_of(events, self._table.truth())

    def truth(self) -> tuple[Event, ...]:
        """Every event of the match, with ``t`` in seconds into the match."""
        return self._table.truth()

    def start(self) -> None:
        self._table.start()
        if self._epoch is None:
            self._epoch = time.monotonic() - self._switched_on
        self._running = True

    def read(self, timeout: float = 1.0) -> Frame | None:
        if not self._running or self._epoch is None:
            raise self.not_started()
        fps, elapsed = self._table.fps, time.monotonic() - self._epoch
        first = math.floor(self._switched_on * fps)
        seq = max(self._last + 1, first, math.floor(elapsed * fps))
        time.sleep(max(0.0, seq / fps - elapsed))
        if self._going_since is None and self._ready():
            self._going_since = seq / fps
        gone = 0.0 if self._going_since is None else seq / fps - self._going_since
        shown = round((self._from + gone) * fps)
        if shown >= self._table.frames + LINGER * fps:
            self.warning = "the simulated match is over; another seed makes another one"
            return None
        self._last = seq
        return Frame(self._table.picture(min(shown, self._table.frames - 1)), seq / fps, seq - first)

    def stop(self) -> None:
        self._table.stop()
        self._running = False


def _end_of(events: Sequence[Event], truth: Sequence[Event]) -> float:
    """Seconds into the match at which a record of it ends.

    That is at its last play or the throw after that, or where the board is set up for a game.
    """
    record = [event for event in events if isinstance(event, GameStart | Throw | PlayMade | GameEnd)]
    starts = [i for i, event in enumerate(truth) if isinstance(event, GameStart)]
    games = sum(isinstance(event, GameStart) for event in record)
    if record and isinstance(record[-1], GameEnd) and games < len(starts):
        games += 1
    if not 0 < games <= len(starts):
        return 0.0
    rest = list(truth[starts[games - 1] : starts[games] if games < len(starts) else None])
    seconds = rest.pop(0).t
    for play in reversed(record):
        if isinstance(play, GameStart | GameEnd):
            break
        place = _place(play, rest)
        if place is not None:
            seconds, rest = rest[place].t, rest[place + 1 :]
            if rest:  # a quarter of the way to the next throw the hand has gone with the dice
                seconds += (rest[0].t - seconds) / 4
            break
    if record and isinstance(record[-1], Throw):
        dice = sorted(record[-1].dice)
        seconds = next((e.t for e in rest[:3] if isinstance(e, Throw) and sorted(e.dice) == dice), seconds)
    return seconds


def _place(made: Event, truth: Sequence[Event]) -> int | None:
    """Where in the truth a play of the record lies: the first that leaves the same board."""
    if not isinstance(made, PlayMade):
        return None
    plays = (i for i, e in enumerate(truth) if isinstance(e, PlayMade) and e.position == made.position)
    return next(plays, None)


def some_faults(game: Game) -> tuple[str, ...]:
    """Invalid throws and illegal plays of every kind, in turns."""
    plays = PLAY_FAULTS[game]
    pairs = zip(THROW_FAULTS, plays + plays, strict=False)
    return tuple(fault for pair in pairs for fault in pair)


def simulated(spec: str, fps: float | None = None) -> Camera:
    """The camera of ``sim:GAME?OPTION=VALUE&...``.

    Options: ``seed``, ``style``, ``pose``, ``fps``, ``length`` (points to win), ``turns`` (at most so
    many), ``pace``, ``faults`` (1 for some of every kind, or their names with commas), ``conditions``
    (their names with commas), ``realtime`` (0: every frame, as fast as it is asked for). Raises
    ``CameraError`` for one that does not exist.
    """
    name, _, query = spec.removeprefix("sim:").partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    try:
        game = Game(name or "backgammon")
        given = options.pop("faults", "")
        faults = {"": (), "0": (), "1": some_faults(game)}.get(given, tuple(given.split(",")))
        realtime = options.pop("realtime", "1") != "0"
        turns = options.pop("turns", None)
        conditions = [name for name in options.pop("conditions", "").split(",") if name]
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
            conditions=conditions,
        )
    except ValueError as error:
        raise CameraError(f"{spec}: {error}") from error
    if options:
        raise CameraError(f"{spec}: there is no option {next(iter(options))!r}")
    return RunningTable(table) if realtime else table
