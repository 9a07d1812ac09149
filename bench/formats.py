"""The readers of every text format, each with small files that it can read."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

from engine.check import check_record
from engine.commentary import sentence
from engine.events import CubeAction, Event, GameStart, MatchStart, PlayMade, Throw, dumps
from engine.formats import decode
from engine.formats.convert import events_of, record_of
from engine.formats.fibs import board_of, format_fibs, parse_fibs, state_of
from engine.formats.gnubg_ids import format_gnubg_id, parse_gnubg_id
from engine.formats.mat import read_mat, write_mat
from engine.formats.nardy import read_nardy, write_nardy
from engine.formats.nardy_print import read_print
from engine.formats.positions import format_position, parse_position
from engine.formats.record_json import read_json, write_json
from engine.formats.sgf import read_sgf, write_sgf
from engine.formats.state import MatchState
from engine.formats.xgid import format_xgid, parse_xgid
from engine.layout import Orientation, colour_of, to_slots
from engine.legal import Play, legal_plays
from engine.match import Match, MatchError
from engine.position import CHECKERS, Game, Position, Side
from engine.record import FormatError, Record
from engine.rules import default_rules
from hardware.camera import UnreadableInput
from zarbiter.law import check_cases, check_match
from zarbiter.matchfiles import events_in
from zarbiter.ogxm import read_ogxm, write_ogxm
from zarbiter.presets import PresetError, preset, preset_names, preset_toml

BG, LN = Game.BACKGAMMON, Game.LONG_NARDY


@dataclass(frozen=True, slots=True)
class Format:
    """``read`` takes the bytes of a file, and writes again what it read; ``errors`` are all it raises."""

    name: str
    samples: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    errors: tuple[type[Exception], ...] = (FormatError,)
    cost: int = 1  #: times what other readers take, since it starts a process


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
    """The first turns of two games, each dropped at a double where there is a cube."""
    rules = replace(default_rules(game), match_length=5)
    yield MatchStart(t=0, rules=rules, players=("Anna", "Borís"))
    for number in range(2):
        yield GameStart(t=100 * number, rules=rules, position=Position.start(game))
        side = Side.WHITE
        for t, (side, play) in enumerate(_game(game, seed + number, 10), 100 * number + 1):
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
        if rules.cube:
            yield CubeAction(t=100 * number + 50, side=side.other, action="double", value=2)
            yield CubeAction(t=100 * number + 51, side=side, action="drop", value=1)


def _records(*games: Game) -> Iterator[Record]:
    yield from (record_of(_events(game, seed)) for seed in range(6) for game in games)


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


def _event_files() -> Iterator[str]:
    return ("".join(f"{dumps(e)}\n" for e in _events(game, seed)) for seed in range(2) for game in Game)


def _event_lines(text: str) -> None:
    written = "\n".join(map(dumps, events_in(text)))
    _same(written, "\n".join(map(dumps, events_in(written))))


def _matches() -> Iterator[str]:
    """A match in every form that can be told by how it begins."""
    record, nardy = next(_records(BG)), next(_records(LN))
    yield from (
        write_mat(record),
        write_sgf(record),
        write_json(record),
        write_nardy(nardy),
        write_json(nardy),
    )
    yield from _event_files()


def _positions() -> Iterator[str]:
    yield from ("start", "nardy:start", "nardy:start/black/61")
    for game in Game:
        for seed in range(5):
            side, play = list(_game(game, seed, 8))[-1]
            yield format_position(play.after, game, side.other, (6, 2))
            yield json.dumps(play.after.to_json() | {"game": game.value})


def _printed() -> Iterator[str]:
    """Games of nardy as they stand in books, the holes along each player's own way."""
    for seed in range(4):
        halves = []
        for _, play in _game(LN, seed, 14):
            moves = ", ".join(f"{m.from_point}-{m.to_point}" for m in play.moves)
            halves.append(f"{play.dice[0]}-{play.dice[1]}: {moves or 'пропуск'}")
        rows = zip(halves[::2], halves[1::2], strict=True)
        yield "\n".join(f"{n}. {white}   {black}" for n, (white, black) in enumerate(rows, 1)) + "\n"


def _print(text: str) -> None:
    record = read_print(text)
    check_record(record)
    again = write_nardy(record)
    _same(again, write_nardy(read_nardy(again)))


def _told(record: Record) -> None:
    """Go through a record as a match is gone through, up to what cannot be followed."""
    match = Match(record.rules or default_rules(record.game))
    try:
        for event in events_of(record):
            sentence(event, match)
            match = match.apply(event)
    except (FormatError, MatchError):
        return


def _of_records(
    name: str, read: Callable[[str], Record], write: Callable[[Record], str], *games: Game
) -> Format:
    """A format of matches: what is read is judged and, if it can be, written and read again."""

    @lru_cache(1)
    def samples() -> list[bytes]:
        return [write(record).encode() for record in _records(*games)]

    def through(data: bytes) -> None:
        record = read(decode(data))
        check_record(record)
        _told(record)
        try:
            text = write(record)
        except FormatError:
            return  # a reader is tolerant, a writer strict
        _same(text, write(read(text)))

    return Format(name, samples, through)


def _position(text: str) -> None:
    state, game = parse_position(text)
    _same((state.position, game), (parse_position(format_position(state.position, game))[0].position, game))


def _cases() -> Iterator[str]:
    """Lines in the form of the corpus: legal plays and scores."""
    for game in Game:
        lines = []
        for seed in range(3):
            side, play = list(_game(game, seed, 8))[-1]
            rules, position = default_rules(game), play.after
            after = legal_plays(position, side.other, (6, 4), rules)
            case = {
                "id": f"{game.value}{seed}",
                "kind": "moves",
                "game": game.value,
                "turn": side.other.value,
                "board": position.points,
                "bar": position.bar,
                "off": position.off,
                "dice": [6, 4],
                "options": {"head_exc": [3], "timing": "step"} if game is LN else {},
                "after": [[p.after.points, p.after.bar, p.after.off] for p in after],
            }
            lines.append(json.dumps(case))
        yield "\n".join(lines)
    score = {"id": "S", "kind": "score", "game": "long_nardy", "winner": "white", "loser_off": 0}
    facts = {"loser_all_home": True, "loser_on_head": 0, "options": {"scoring": "four_grade"}, "points": 3}
    yield json.dumps(score | facts)


def _check_cases(text: str) -> None:
    """Every line is told right or wrong; the first that cannot be read is what is raised here."""
    for difference in check_cases(text.split("\n")):
        if difference is not None:
            raise FormatError(str(difference))


def _any_match(path: Path) -> None:
    """``zarbiter check FILE``, for people and for programs."""
    with redirect_stdout(StringIO()):
        check_match(path, None, as_json=False)
        check_match(path, None, as_json=True)


def _through_ogxm(data: bytes) -> None:
    record = read_ogxm(data)
    check_record(record)
    try:
        written = write_ogxm(record)
    except FormatError:
        return
    _same(written, write_ogxm(read_ogxm(written)))


@lru_cache(1)
def _ogxm_samples() -> list[bytes]:
    return [write_ogxm(record) for record in _records(BG)]


#: OGXM is read where its library is installed.
OGXM = [Format("OGXM", _ogxm_samples, _through_ogxm, cost=200)] if find_spec("ogxm") else []

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        _of_records("mat", read_mat, write_mat, BG),
        _of_records("sgf", read_sgf, write_sgf, BG),
        _of_records("nardy", read_nardy, write_nardy, LN),
        _of_text("nardy in print", _printed, _print),
        _of_records("record JSON", read_json, write_json, BG, LN),
        _of_file("match of any form", ".txt", _matches, _any_match, UnreadableInput),
        _of_text("events", _event_files, _event_lines),
        _of_text("positions", _positions, _position),
        _of_text("XGID", lambda: map(format_xgid, _states()), _xgid),
        _of_text("GNU Backgammon ids", lambda: map(format_gnubg_id, _states()), _gnubg_id),
        _of_text("FIBS board", lambda: (format_fibs(board_of(s)) for s in _states()), _fibs),
        _of_file(
            "rule set", ".toml", lambda: map(preset_toml, map(preset, preset_names())), _preset, PresetError
        ),
        _of_text("cases", _cases, _check_cases),
        *OGXM,
    )
}
