"""Long nardy as people write it down: books, forums, protocols (docs/notation.md says what is read).

There is no standard. The holes are numbered along each player's own way or from White's side, upwards
or downwards; moves are written 24-20, 24:20 or 24/20; Russian, Spanish, Hungarian, Indonesian and English
words stand for the head, bearing off and passing. Which numbering a game uses is found out by playing it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, get_args

from engine.events import Dice, MoveXY
from engine.formats.moves import MOST_MOVES, moved
from engine.formats.record_json import shown
from engine.position import BAR, OFF, Game, Position, Side, point_of
from engine.record import FormatError, GameRecord, Record, Turn

#: How the holes are numbered: along each player's own way or from White's side for both; and whether
#: White moves from 24 down or from 1 up.
Numbering = Literal["own_down", "own_up", "white_down", "white_up"]

_TEXTS: dict[Numbering, str] = {
    "own_down": "along each player's own way from 24 down",
    "own_up": "along each player's own way from 1 up",
    "white_down": "from White's side with the heads on 24 and 12",
    "white_up": "from White's side with the heads on 1 and 13",
}
_GAME = Game.LONG_NARDY
_START = Position.start(_GAME)
_HEAD, _AWAY = -1, -2  #: the head and off, where they are written as words
_MOST_TURNS = 2000  #: of one game; real ones have a few hundred at most
_MOST_HEADERS = 200

_DASHES = str.maketrans(dict.fromkeys("–—―−‐‑‒→➔", "-") | {"Ё": "Е", "ё": "е"})
_SPACE = r"[ \t]{0,3}"
_WHITE = r"бел(?:ые|ых|ыми|ый|ым)?|white|blanc[ao]s?|fehér|világos|putih"
_BLACK = r"черн(?:ые|ых|ыми|ый|ым)?|black|negr[ao]s?|fekete|sötét|hitam"
_SIDE = rf"(?P<white>(?:{_WHITE})\b[.:)]?|[бw][.:)])|(?P<black>(?:{_BLACK})\b[.:)]?|[чb][.:)])"
_HEAD_WORD = r"голов[ауые]\b|гол\.|head\b|cabeza\b|fej\b|kepala\b|г\b\.?"
_OFF_WORD = r"вых(?:од)?\b\.?|выбр(?:ос)?\b\.?|снять\b|сн\b\.?|off\b|out\b|fuera\b|ki\b|keluar\b"
_STOP = rf"(?:[0-9]{{1,2}}(?![0-9])|{_OFF_WORD})"
_TIMES = r"[xх×*]"
_GRADES = {"ойн": "oin", "оин": "oin", "марс": "mars", "кокс": "koks", "home mars": "home_mars"}
_POINTS = {"oin": 1, "mars": 2, "home_mars": 3, "koks": 4}  # rules.md P1 to P3

_GAME_LINE = re.compile(
    r"(?:партия|игра|game|partida|juego|játszma|játék|permainan)\s{0,9}(?:№|no\.?|nº)?\s{0,9}"
    r"(?:[0-9]{1,4}|[ivxlc]{1,7})?\s{0,9}[.:]?",
    re.IGNORECASE,
)
_PLAYER_LINE = re.compile(rf"(?:{_SIDE})\s{{0,9}}[:=-]?\s{{0,9}}(?P<name>\D.*)", re.IGNORECASE)
_DIE_WORDS = {
    1: "як йек ек yek hep",
    2: "ду дю du dü",
    3: "се si seh se",
    4: "чар чахар джахар дорт cahar çar dört",
    5: "беш бяш пандж пяндж besh beş penc",
    6: "шеш шаш şeş shesh sheş",
}
_DICE_OF_WORDS = {word: die for die, words in _DIE_WORDS.items() for word in words.split()}
_DIE_WORD = "|".join(sorted(_DICE_OF_WORDS, key=len, reverse=True))
_KUSH = r"куш|кош|kush|дубл[ья]?|double|doble|dupla|к\b|k\b"

_SKIP = re.compile(r"(?:[\s,;.|!?…]|/(?!\S))+")
_COMMENT = re.compile(r"\{([^{}]*)\}")
_MARKER = re.compile(r"(?:№\s?)?([0-9]{1,3}|[IVXLC]{1,7})(?:\.{1,3}|\))(?![0-9])")
_MARKER_AT_START = re.compile(r"(?:№\s?)?([0-9]{1,3}|[IVXLC]{1,7})(?:\.{1,3}|\))")
_ROLL_HERE = re.compile(
    rf"(?P<a>[1-6]){_SPACE}[-:/ ]{_SPACE}(?P<b>[1-6])(?![0-9]){_SPACE}:?"
    rf"|(?P<c>[1-6])(?P<d>[1-6])(?![0-9])(?!{_SPACE}[-/]{_SPACE}[0-9]){_SPACE}:?"
    rf"|(?P<k>[1-6]){_SPACE}-?{_SPACE}(?:{_KUSH}){_SPACE}:?|(?:{_KUSH}){_SPACE}(?P<l>[1-6])(?![0-9-]){_SPACE}:?"
    rf"|\b(?P<v>{_DIE_WORD})[- ](?P<w>{_DIE_WORD})\b{_SPACE}:?",
    re.IGNORECASE,
)
_ROLL_ANYWHERE = re.compile(
    rf"[(\[]{_SPACE}(?P<a>[1-6]){_SPACE}[-:,/ ]?{_SPACE}(?P<b>[1-6]){_SPACE}[)\]]{_SPACE}:?"
    rf"|(?P<k>[1-6])-?(?P<l>[1-6]):(?![0-9])"
    rf"|(?P<v>[1-6])(?P<w>[1-6])(?![0-9])(?!{_SPACE}[-/:])"
)
_CHAIN = re.compile(
    rf"(?:(?P<before>[2-4]){_SPACE}{_TIMES}{_SPACE})?(?P<start>{_HEAD_WORD}|[0-9]{{1,2}}(?![0-9]))"
    rf"(?P<rest>(?:(?:{_SPACE}-{_SPACE}|[/:]){_STOP}){{1,4}}|{_SPACE}(?:{_OFF_WORD}))"
    rf"(?:{_SPACE}\((?P<braced>[1-4])\)|{_SPACE}{_TIMES}{_SPACE}(?P<after>[1-4])(?![0-9]))?",
    re.IGNORECASE,
)
_NO_PLAY = re.compile(
    r"no (?:play|move)\b|cannot move|passz?\b|пас\b|пропуск\b|нет хода\b|нет ходов\b|хода? нет\b"
    r"|paso\b|pasa\b|nincs lépés\b|tidak bisa\b|-{1,3}(?![0-9])",
    re.IGNORECASE,
)
_SIDE_HERE = re.compile(_SIDE, re.IGNORECASE)
_RESULT = re.compile(
    r"(?P<home>домашний марс|home mars)\b|(?P<grade>ойн|оин|oin|марс|mars|кокс|koks)\w{0,3}\b"
    r"|(?P<draw>ничья|draw|tablas|empate|döntetlen|seri)\b"
    r"|(?P<lost>сдал(?:ся|ись|и)?|resigns?|проигр\w{0,6})\b"
    r"|(?P<won>выигр\w{0,6}|победил[аи]?|победа|wins?|won|gana[nr]?|ganó|nyert?|győzött?|menang)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Half:
    """One side's part of a turn, with points as they are written."""

    side: Side
    dice: Dice
    line: int
    moves: list[tuple[int, int]] = field(default_factory=list)
    passed: bool = False
    comment: str = ""

    @property
    def complete(self) -> bool:
        """Whether the dice are used up, so that a pair of small numbers is the next roll."""
        double = self.dice[0] == self.dice[1]
        pips = sum(min((a - b) % 24, (b - a) % 24) for a, b in self.moves if a > 0 and b > 0)
        return self.passed or len(self.moves) >= (4 if double else 2) or pips == sum(self.dice) * (1 + double)


@dataclass(slots=True)
class _Game:
    line: int
    halves: list[_Half] = field(default_factory=list)
    words: list[tuple[str, int]] = field(default_factory=list)  #: of the result: what, and its line
    marker: int = 0


def read_print(text: str, numbering: Numbering | None = None) -> Record:
    """The match in a text.

    ``numbering``: how the holes are numbered; found out by playing the games where it is ``None``. Moves
    are kept as they are written, one by two dice too. Raises ``FormatError``, with the line where there
    is one.
    """
    if numbering is not None and numbering not in get_args(Numbering):
        raise FormatError(f"{shown(numbering)} is no numbering of the holes; there are {', '.join(_TEXTS)}")
    players = ["White", "Black"]
    info: list[tuple[str, str]] = []
    games: list[_Game] = []
    for number, raw in enumerate(_cyrillic(text).translate(_DASHES).split("\n"), 1):
        line = raw.strip().removeprefix("\ufeff")
        if not line:
            continue
        if _GAME_LINE.fullmatch(line):
            games.append(_Game(number))
        elif _is_play(line, games):
            if not games:
                games.append(_Game(number))
            _read_line(line, number, games[-1])
        elif games and games[-1].halves and not games[-1].words:
            _read_line(line, number, games[-1])  # neither roll nor number begins it: a turn that goes on
        elif found := _PLAYER_LINE.fullmatch(line):
            players[1 if found["black"] else 0] = found["name"].strip()
        elif len(info) < _MOST_HEADERS:
            info.append((f"Text{len(info) + 1}", line))
    games = [game for game in games if game.halves]
    if not games:
        raise FormatError("no turn that begins with a roll, such as 1. 6-5: 24-18 24-19")
    return Record(
        game=_GAME,
        games=_numbered(games, numbering),
        players=(players[0], players[1]),
        info=tuple(info),
    )


def _cyrillic(text: str) -> str:
    """The text, put right where Windows-1251 was read as Windows-1252."""
    strange = sum("À" <= letter <= "ÿ" for letter in text)
    if strange < 6 or strange * 4 < len(text) - sum(map(str.isspace, text)) - sum(map(str.isdigit, text)):
        return text
    try:
        return text.encode("cp1252").decode("cp1251")
    except UnicodeError:
        return text


def _is_play(line: str, games: Sequence[_Game]) -> bool:
    """Whether a line begins with a roll, after a number or a side if there is one."""
    place = 0
    for part in (_MARKER_AT_START, _SIDE_HERE):
        if found := part.match(line, place):
            place = found.end()
            place = skip.end() if (skip := _SKIP.match(line, place)) else place
    open_half = bool(games and games[-1].halves and not games[-1].halves[-1].complete)
    here = None if open_half and not place else _ROLL_HERE.match(line, place)
    return bool(here or _ROLL_ANYWHERE.match(line, place))


def _read_line(line: str, number: int, game: _Game) -> None:
    place, side, side_word = 0, None, False
    if found := _MARKER_AT_START.match(line):
        game.marker = int(found[1]) if found[1].isdigit() else game.marker + 1
        place = found.end()
    fresh = place > 0  # whether only a roll can come
    while place < len(line):
        if (found := _SKIP.match(line, place)) is not None:
            pass
        elif found := _COMMENT.match(line, place):
            if game.halves:
                game.halves[-1].comment = " ".join(filter(None, (game.halves[-1].comment, found[1].strip())))
        elif (found := _MARKER.match(line, place)) and found[1] == str(game.marker + 1):
            game.marker, fresh = game.marker + 1, True
        elif found := _roll(line, place, fresh or side_word or not game.halves or game.halves[-1].complete):
            if game.words:
                raise FormatError("a turn after the end of the game", number)
            if len(game.halves) >= _MOST_TURNS:
                raise FormatError("more turns in one game than there can be", number)
            last = game.halves[-1].side.other if game.halves else Side.WHITE
            game.halves.append(_Half(side or last, _dice(found, number), number))
            side, fresh, side_word = None, False, False
        elif (found := _CHAIN.match(line, place)) and game.halves and not game.words:
            _add(game.halves[-1], found, number)
        elif found := _RESULT.match(line, place):
            game.words.append((found.lastgroup or "", number))
            if found["grade"]:
                name = found["grade"].lower()
                game.words[-1] = _GRADES.get(name, name), number
        elif (found := _NO_PLAY.match(line, place)) and game.halves:
            game.halves[-1].passed = True
        elif found := _SIDE_HERE.match(line, place):
            side, side_word = Side.BLACK if found["black"] else Side.WHITE, True
        else:
            raise FormatError(f"cannot read {shown(line[place:].split()[0])}", number)
        place = found.end()
    if side is not None:
        game.words.append((side.value, number))


def _roll(line: str, place: int, expected: bool) -> re.Match[str] | None:
    return (_ROLL_HERE.match(line, place) if expected else None) or _ROLL_ANYWHERE.match(line, place)


def _dice(found: re.Match[str], line: int) -> Dice:
    parts = [part.lower() for part in found.groups() if part]
    dice = [int(part) if part.isdigit() else _DICE_OF_WORDS[part] for part in parts]
    # Of two words the larger comes first; "du shesh" is two sixes.
    if len(dice) == 1 or (dice[0] == 2 < dice[1] and not parts[0].isdigit()):
        return dice[-1], dice[-1]
    return dice[0], dice[1]


def _add(half: _Half, found: re.Match[str], line: int) -> None:
    names = [found["start"], *re.split(r"[-/:]", found["rest"].strip().lstrip("-/: \t"))]
    stops = []
    for place, name in enumerate(name.strip() for name in names):
        stops.append(int(name) if name.isdigit() else _AWAY if place else _HEAD)
    times = int(found["before"] or found["braced"] or found["after"] or 1)
    half.moves += list(pairwise(stops)) * times
    if len(half.moves) > MOST_MOVES:
        raise FormatError("more moves in one play than there can be", line)
    if max(stops) > BAR:
        raise FormatError(f"there is no hole {max(stops)}", line)


# Which numbering


def _numbered(games: Sequence[_Game], told: Numbering | None) -> tuple[GameRecord, ...]:
    if told is not None:
        return tuple(_record(game, told)[0] for game in games)
    best: dict[Numbering, tuple[GameRecord, ...]] = {}
    fewest, where = 1 << 30, 0
    for numbering in get_args(Numbering):
        try:
            read = [_record(game, numbering) for game in games]
        except FormatError:
            continue  # a hole that this numbering does not have
        wrong = [line for _, lines in read for line in lines]
        if len(wrong) < fewest:
            best, fewest, where = {}, len(wrong), wrong[0] if wrong else 0
        if len(wrong) == fewest:
            best[numbering] = tuple(record for record, _ in read)
    plays = sum(len(game.halves) for game in games)
    if not best or fewest * 4 > plays:
        ways = "; ".join(_TEXTS.values())
        raise FormatError(f"the moves fit no numbering of the holes ({ways})", where)
    if len(set(best.values())) > 1:
        ways = " or ".join(f"{name} ({_TEXTS[name]})" for name in best)
        raise FormatError(f"the holes may be numbered in several ways; say which: {ways}")
    return next(iter(best.values()))


def _record(game: _Game, numbering: Numbering) -> tuple[GameRecord, list[int]]:
    """The game, and the lines of the plays that cannot have been made."""
    position, turns, wrong = _START, [], []
    started = set()
    for half in game.halves:
        moves = tuple(_move(move, half, numbering) for move in half.moves)
        done = moved(position, _GAME, half.side, moves)
        # Under the right numbering everyone begins from his head (rules.md G2).
        begins = half.side in started or not moves or moves[0][0] == 24
        if moves:
            started.add(half.side)
        if done is None or not begins or not _by_dice(moves, half.dice):
            wrong.append(half.line)
        position = done[0] if done else position
        played = bool(moves or half.passed)
        turn = Turn(side=half.side, dice=half.dice, comment=half.comment, line=half.line)
        turns.append(replace(turn, moves=moves) if played else turn)
    record = GameRecord(start=_START, turns=tuple(turns), line=game.line)
    return _with_result(record, [word for word, _ in game.words], position), wrong


def _by_dice(moves: Sequence[MoveXY], dice: Dice) -> bool:
    """Whether each move is as long as one die or several, and all together no longer than the roll."""
    steps = [dice[0] * n for n in range(1, 5)] if dice[0] == dice[1] else [*dice, sum(dice)]
    if any(start - end not in steps for start, end in moves if end != OFF):
        return False
    return sum(start - end for start, end in moves if end != OFF) <= max(steps)


def _move(move: tuple[int, int], half: _Half, numbering: Numbering) -> MoveXY:
    return _own(move[0], half, numbering), _own(move[1], half, numbering)


def _own(hole: int, half: _Half, numbering: Numbering) -> int:
    """The point of the mover, 24 for the head, of a hole as it is numbered in the text."""
    up = numbering in ("own_up", "white_up")
    if hole == _HEAD:
        return 24
    if hole in (_AWAY, 0) or (up and hole == BAR):
        return OFF
    if hole >= BAR:
        raise FormatError(f"there is no hole {hole}", half.line)
    point = BAR - hole if up else hole
    # White's holes are Black's, half a way round.
    return point_of(_GAME, half.side, point - 1) if numbering in ("white_down", "white_up") else point


def _with_result(game: GameRecord, words: Sequence[str], position: Position) -> GameRecord:
    named = [side for side in Side if side.value in words]
    winner = named[0] if len(named) == 1 else None
    if winner and "lost" in words:
        winner = winner.other
    if winner is None and "draw" not in words:
        winner = next((side for side in Side if position.off[side.index] == 15), None)
    if "draw" in words:
        return replace(game, result="draw")
    grade = next((word for word in ("home_mars", "mars", "koks", "oin") if word in words), "")
    grade = "home_mars" if "home" in words else grade
    grade = grade or ("resigned" if "lost" in words else "")
    if winner is None and not grade:
        return game
    return replace(game, winner=winner, result=grade, points=_POINTS.get(grade, 0))
