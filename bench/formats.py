"""The readers of every text format, each with small files that it can read."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from engine.events import Event, GameStart, PlayMade, Throw, dumps
from engine.formats.fibs import board_of, format_fibs, parse_fibs, state_of
from engine.formats.gnubg_ids import format_gnubg_id, parse_gnubg_id
from engine.formats.state import MatchState
from engine.formats.xgid import format_xgid, parse_xgid
from engine.layout import Orientation, colour_of, to_slots
from engine.legal import Play, legal_plays
from engine.position import CHECKERS, Game, Position, Side
from engine.record import FormatError
from engine.rules import default_rules
from hardware.camera import UnreadableInput
from zarbiter.presets import PresetError, preset, preset_names, preset_toml
from zarbiter.store import read_events_file

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY


@dataclass(frozen=True, slots=True)
class Format:
    """``read`` takes the bytes of a file, and writes again what it read; ``errors`` are all it raises."""

    name: str
    samples: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    errors: tuple[type[Exception], ...] = (FormatError,)


def _game(game: Game, seed: int, turns: int) -> Iterator[tuple[Side, Play]]:
    """The first turns of a random game."""
    rng, position = random.Random(seed), Position.start(game)
    side = rng.choice(list(Side))
    for _ in range(turns):
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        play = rng.choice(legal_plays(position, side, dice, default_rules(game)))
        yield side, play
        if play.after.off[side.index] == CHECKERS:
            return
        position, side = play.after, side.other


def _events(game: Game, seed: int) -> Iterator[Event]:
    yield GameStart(t=0, rules=default_rules(game), position=Position.start(game))
    for t, (side, play) in enumerate(_game(game, seed, 12)):
        colour, after = colour_of(side), play.after
        yield Throw(t=t, side=side, colour=colour, dice=play.dice, valid=True, halves=("left", "left"))
        yield PlayMade(
            t=t + 0.5,
            side=side,
            colour=colour,
            dice=play.dice,
            moves=tuple((m.from_point, m.to_point) for m in play.moves),
            notation=play.notation,
            legal=True,
            rule=None,
            position=after,
            slots=to_slots(after, Orientation.BOTTOM_RIGHT),
            bar=after.bar,
            off=after.off,
        )


def _states() -> Iterator[MatchState]:
    for seed in range(20):
        side, play = list(_game(BG, seed, 5 + 4 * seed))[-1]
        state = MatchState(position=play.after, on_roll=side.other)
        yield state
        yield replace(state, dice=play.dice, length=7, score=(6, 3), crawford=seed % 2 == 0)
        yield replace(state, offer="double", cube=4, owner=side.other)


def _of_text(name: str, texts: Callable[[], Iterator[str]], again: Callable[[str], object]) -> Format:
    """A format whose files are plain text; undecodable bytes come as replacement characters."""

    @lru_cache(1)
    def samples() -> list[bytes]:
        return [text.encode() for text in texts()]

    return Format(name, samples, lambda data: again(data.decode("utf-8", "replace")))


def _of_file(
    name: str,
    ending: str,
    texts: Callable[[], Iterator[str]],
    read: Callable[[Path], object],
    error: type[Exception],
) -> Format:
    """A format that is read from a path; the message does not need to name it here."""

    @lru_cache(1)
    def samples() -> list[bytes]:
        return [text.encode() for text in texts()]

    def through_a_file(data: bytes) -> object:
        with tempfile.NamedTemporaryFile(suffix=ending) as file:
            file.write(data)
            file.flush()
            return read(Path(file.name))

    return Format(name, samples, through_a_file, (error,))


def _preset(path: Path) -> None:
    rules = preset(str(path))
    path.write_text(preset_toml(rules), encoding="utf-8")
    _same(rules, preset(str(path)))


def _same(read: object, again: object) -> None:
    if read != again:
        raise AssertionError(f"what was written again reads differently: {read} and {again}")


def _xgid(text: str) -> None:
    state = parse_xgid(text)
    _same(state, parse_xgid(format_xgid(state)))


def _gnubg_id(text: str) -> None:
    state = parse_gnubg_id(text)
    _same(state, parse_gnubg_id(format_gnubg_id(state)))


def _fibs(text: str) -> None:
    board = parse_fibs(text)
    _same(board, parse_fibs(format_fibs(board)))
    state_of(board)


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        _of_text("XGID", lambda: map(format_xgid, _states()), _xgid),
        _of_text("GNU Backgammon ids", lambda: map(format_gnubg_id, _states()), _gnubg_id),
        _of_text("FIBS board", lambda: (format_fibs(board_of(s)) for s in _states()), _fibs),
        _of_file(
            "events",
            ".jsonl",
            lambda: ("".join(f"{dumps(e)}\n" for e in _events(game, n)) for n in range(3) for game in Game),
            read_events_file,
            UnreadableInput,
        ),
        _of_file(
            "rule set",
            ".toml",
            lambda: (preset_toml(preset(n)) for n in preset_names()),
            _preset,
            PresetError,
        ),
    )
}
