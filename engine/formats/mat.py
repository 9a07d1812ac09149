"""Match text (``.mat``), the form in which backgammon programs exchange games.

There is no formal specification; Jellyfish began it, and every program since has a dialect of its
own. :func:`read_mat` takes all of them that are known here (Jellyfish, Snowie, GNU Backgammon, eXtreme
Gammon, GamesGrid, Backgammon Galaxy, OpenGammon), :func:`write_mat` writes one, which GNU Backgammon
reads without complaint.

White is the left column. What the form has no place for is left out in writing: times and clocks,
comments on turns, the rule set but for the Crawford, Jacoby and beaver headers, who began but did
nothing. What would make another game of it is refused: long nardy, half points, positions that lack
checkers. Everything else comes back as it was, with three things brought into one form:

* A play that was taken apart differently but is legal comes back one move a die; an order of moves is kept.
* The resignation that must have ended a game is not written, since programs conclude it from the
  points; it comes back as a turn. One that the points do not tell is written ``Resigns``.
* The take of a beaver is not written either (GNU Backgammon concludes it) and comes back.

A beaver that is not taken is written as a double, for the sake of GNU Backgammon; an answer to a double
can be nothing else. A game that is given up before anything was rolled or doubled in it has no result there.

A play that no rule allows and that stands all the same is written as eXtreme Gammon does it,
``31: Illegal play (...)`` with the position after it, followed here by the moves. GNU Backgammon
goes on from that position and reads over the moves (its own match text then has the roll alone).
Written as a plain play it would be left out by GNU Backgammon with a warning if a move of it is
blocked, and all that follows would be played on the wrong board.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from engine.events import Dice, MoveXY
from engine.formats.following import (
    MAX_CUBE,
    MAX_LENGTH,
    Following,
    crawford_games,
    refuse_what_has_no_form,
)
from engine.formats.moves import can_move, moved, read_moves, taken_apart, write_moves
from engine.legal import legal_plays
from engine.position import BAR, CHECKERS, Game, Position, Side
from engine.record import Action, FormatError, GameRecord, Record, Turn
from engine.rules import default_rules

MAX_TEXT, MAX_LINE, MAX_INFO, MAX_GAMES, MAX_TURNS = 2_000_000, 2_000, 1_000, 2_000, 10_000
START = Position.start(Game.BACKGAMMON)
LEFT, RIGHT = 5, 33  #: the columns that GNU Backgammon writes the two sides at

_LENGTH = re.compile(
    r"\s*(?:(-?\d+)\s+points?\s+match|match\s+(?:of|to)\s+(-?\d+)(?:\s+points?)?)\b", re.I | re.A
)
_UNLIMITED = re.compile(r"\s*(?:unlimited|money)\s+(?:match|game|session)", re.I | re.A)
_GAME = re.compile(r"\s*Game\s+\d+\s*:?\s*$", re.I | re.A)
_SET_POSITION = re.compile(r";\s*Set Pos\s*=\s*(\S+)", re.I | re.A)
_SCORE = re.compile(r":\s*(\d{1,6})(?=\s|$)", re.A)
_ROW = re.compile(r"\s*\d{1,5}[).]", re.A)
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_ENTRY = re.compile(
    r"(?<![\w/(])(?:([1-6])[-,]?([1-6])(?:\s?:|(?=\s+(?:bar|\d{1,2})/))|(double|redouble|take|accept|drop|pass(?:es)?|reject|decline|beaver|"
    r"raccoon|resign(?:ed)?|los[set]e?|forfeit|win)s?\b)",
    re.I | re.A,
)
_STAKE = re.compile(r"(?:=>|to|:)?\s*(\d+)\b", re.I | re.A)
_ACTIONS: dict[str, Action] = {
    "double": "double",
    "redouble": "double",
    "take": "take",
    "accept": "take",
    "drop": "drop",
    "pass": "drop",
    "passes": "drop",
    "reject": "drop",
    "decline": "drop",
    "beaver": "beaver",
    "raccoon": "raccoon",
}
_NO_MOVE = re.compile(r"\(?(?:cannot move|can't move|no moves?|no play|dances?|-+)\)?\.?$", re.I | re.A)
_GRADES = {"gammon": 2, "backgammon": 3}


@dataclass(slots=True)
class _Game:
    """A game while it is read."""

    score: tuple[int, int]
    line: int
    start: Position = START
    turns: list[Turn] = field(default_factory=list)
    now: Following = field(default_factory=lambda: Following(START))
    winner: Side | None = None
    points: int = 0

    def add(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.now.follow(turn)

    def closed(self) -> GameRecord:
        last = self.turns[-1] if self.turns else None
        if self.winner is not None:
            resigned = self.now.resignation(last, self.winner, self.points)
            if resigned is not None:
                last = replace(resigned, line=self.line)
                self.add(last)
        return GameRecord(
            start=self.start,
            turns=tuple(self.turns),
            score=self.score,
            winner=self.winner,
            points=self.points,
            result=self.now.result(last, self.winner),
            line=self.line,
        )


@dataclass(slots=True)
class _Match:
    """A match while it is read."""

    info: list[tuple[str, str]] = field(default_factory=list)
    names: tuple[str, str] | None = None
    length: int | None = None
    games: list[GameRecord] = field(default_factory=list)
    game: _Game | None = None
    awaits_names: bool = False
    turns: int = 0

    def close(self) -> None:
        if self.game is not None:
            self.games.append(self.game.closed())
            self.game = None


def read_mat(text: str) -> Record:
    """Match text of any known dialect.

    Raises ``FormatError``, with the line, for what cannot be understood: a record that was guessed at
    would be worse than none. Lines before the first game are passed over if they are no headers.
    """
    if len(text) > MAX_TEXT:
        raise FormatError(f"more than {MAX_TEXT:,} characters; a match is never so long")
    match = _Match()
    for number, line in enumerate(
        text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1
    ):
        if line.strip():
            _line(match, line.rstrip(), number)
    if match.awaits_names:
        raise FormatError("the text ends before the names of the players", number)
    match.close()
    if match.names is None:
        raise FormatError("no game is written here: there is no line 'Game 1'")
    return _record(match)


def _record(match: _Match) -> Record:
    assert match.names is not None
    info, names = list(match.info), list(match.names)
    without_crawford = False
    for name, value in match.info:
        if name == "Crawford" and match.length:
            without_crawford = value.strip().lower() in ("off", "no", "false")
            info.remove((name, value))
        if name in ("Player 1", "Player 2") and _column_name(value) == names[int(name[-1]) - 1]:
            names[int(name[-1]) - 1] = value
            info.remove((name, value))
    length = match.length or 0
    flags = crawford_games(match.games, length)
    games = tuple(
        replace(game, crawford=flag and not without_crawford)
        for game, flag in zip(match.games, flags, strict=True)
    )
    return Record(
        game=Game.BACKGAMMON, games=games, players=(names[0], names[1]), length=length, info=tuple(info)
    )


def _line(match: _Match, line: str, number: int) -> None:
    if line.lstrip()[0] in ";#":
        _comment(match, line, number)
        return
    if len(line) > MAX_LINE:
        if match.names is None:
            return
        raise FormatError(f"a line of {len(line):,} characters", number)
    if match.awaits_names and not _GAME.match(line):
        if not _names(match, line, number):
            _line(match, line, number)
    elif match.names is None and (header := _header(line)):
        _add_info(match, header, number)
    elif found := _LENGTH.match(line):
        length = found[1] or found[2]
        if match.names is not None:
            raise FormatError("a second match begins here; one file holds one match", number)
        if len(length) > 4 or not 0 <= int(length) <= MAX_LENGTH:
            what = f"a match to {length[:20]} points"
            raise FormatError(f"{what}; it may be 0 (unlimited) to {MAX_LENGTH}", number)
        match.length = int(length)
    elif match.names is None and _UNLIMITED.match(line):
        match.length = 0
    elif _GAME.match(line):
        if match.awaits_names:
            raise FormatError("a game begins, but the names of the one before are missing", number)
        match.close()
        if len(match.games) >= MAX_GAMES:
            raise FormatError(f"more than {MAX_GAMES:,} games", number)
        match.awaits_names = True
    elif match.game is not None:
        _row(match, match.game, line, number)


def _comment(match: _Match, line: str, number: int) -> None:
    if found := _SET_POSITION.match(line.strip()):
        if match.game is not None:
            if match.game.turns:
                raise FormatError("a position is set in the middle of a game", number)
            match.game.start = _read_set_position(found[1], number)
            match.game.now = Following(match.game.start)
    elif match.names is None:
        text = line.strip()[1:].strip()
        if text:
            _add_info(match, _header(text) or ("", text), number)


def _header(line: str) -> tuple[str, str] | None:
    """The name and text of ``[Name "text"]``."""
    line = line.strip()
    name, quote, _ = line[1:].partition('"')
    if not line.startswith("[") or not line.endswith('"]') or not quote or len(line) < len(name) + 4:
        return None
    return (name.strip(), line[len(name) + 2 : -2]) if name.strip() else None


def _add_info(match: _Match, header: tuple[str, str], number: int) -> None:
    if len(match.info) >= MAX_INFO:
        raise FormatError(f"more than {MAX_INFO:,} lines of comment", number)
    match.info.append(header)


def _names(match: _Match, line: str, number: int) -> bool:
    """Begin a game with the line of names and scores; ``False`` if there is none and the line is a row."""
    scores = list(_SCORE.finditer(line))
    numbered: re.Match[str] | None = None
    if len(scores) >= 2 and scores[-1].end() == len(line):
        # Of several " : 3" in a name the score is the one that a gap follows.
        left = next((s for s in scores[:-1] if re.match(r"\s\s|\t", line[s.end() : s.end() + 2])), scores[0])
        names = line[: left.start()].strip(), line[left.end() : scores[-1].start()].strip()
        score = int(left[1]), int(scores[-1][1])
    else:
        parts = [part for part in re.split(r"\s{2,}|\t", line.strip()) if part]
        told = dict(match.info)
        if numbered := _ROW.match(line):
            parts = [told.get("Player 1", "White"), told.get("Player 2", "Black")]
        if len(parts) != 2:
            raise FormatError(f"not the names and scores of two players: {line.strip()[:60]!r}", number)
        names, score = (_column_name(parts[0]), _column_name(parts[1])), _score_so_far(match)
    match.names = match.names or names
    match.awaits_names = False
    match.game = _Game(score, number)
    return numbered is None


def _score_so_far(match: _Match) -> tuple[int, int]:
    score = [0, 0]
    if match.games:
        score = [int(n) for n in match.games[-1].score]
        if match.games[-1].winner is not None:
            score[match.games[-1].winner.index] += int(match.games[-1].points)
    return score[0], score[1]


def _row(match: _Match, game: _Game, line: str, number: int) -> None:
    """One line of a game: up to one thing a side."""
    numbered = _ROW.match(line)
    begin = numbered.end() if numbered else 0
    # A position in brackets has semicolons, and may have anything in the names it carries.
    shown = _IN_BRACKETS.sub(
        lambda found: "(" + "_" * (len(found[0]) - 2) + ")" if ";" in found[0] else found[0], line
    )
    entries = list(_ENTRY.finditer(shown, begin))
    if not entries and numbered and not line[begin:].strip():
        return
    if not entries or line[begin : entries[0].start()].strip():
        raise FormatError(f"cannot be understood: {line.strip()[:60]!r}", number)
    if len(entries) > 2:
        raise FormatError("more than one entry a player in a row", number)
    if len(entries) == 2:
        sides = [Side.WHITE, Side.BLACK]
    else:
        column = len(line[: entries[0].start()].expandtabs())
        gap = column - len(line[:begin].expandtabs())
        sides = [Side.BLACK if gap >= (8 if numbered else 20) else Side.WHITE]
    ends = [entry.start() for entry in entries[1:]] + [len(line)]
    for side, entry, end in zip(sides, entries, ends, strict=True):
        match.turns += 1
        if match.turns > MAX_TURNS:
            raise FormatError(f"more than {MAX_TURNS:,} turns", number)
        if (entry[3] or "").lower().startswith(("los", "forfeit")):
            continue  # the other column says who won, and how much
        if game.winner is not None:
            raise FormatError("the game goes on after it was won", number)
        _entry(game, side, entry, line[entry.end() : end].strip(), number)


def _entry(game: _Game, side: Side, entry: re.Match[str], rest: str, number: int) -> None:
    if entry[1]:
        if game.now.offer is not None and game.now.offer.action != "double":
            game.add(Turn(side=game.now.offer.side.other, action="take", line=number))
        game.add(_play(game.now.position, side, (int(entry[1]), int(entry[2])), rest, number))
        return
    word = entry[3].lower()
    if word == "win":
        points = re.match(r"\D{0,20}(\d{1,6})\b", rest, re.A)
        if not points or not int(points[1]):
            raise FormatError(f"how many points were won? {rest[:40]!r}", number)
        game.winner, game.points = side, int(points[1])
    elif word.startswith("resign"):
        grades = [grade for name, grade in _GRADES.items() if re.search(rf"\b{name}\b", rest, re.I)]
        game.add(Turn(side=side, action="resign", value=max(grades, default=1), line=number))
    else:
        action = _ACTIONS[word]
        stake = _STAKE.match(rest)
        if stake and (len(stake[1]) > 8 or not 0 < int(stake[1]) <= MAX_CUBE):
            raise FormatError(f"a cube of {stake[1][:20]}", number)
        if rest and not stake:
            raise FormatError(f"cannot be understood: {entry[0]} {rest[:40]!r}", number)
        offer, value = game.now.offer, 0
        if action in ("double", "beaver", "raccoon"):
            value = int(stake[1]) if stake else game.now.next_stake
            # GNU Backgammon calls the answer to a beaver a beaver too, and an answer may be called a double.
            if action == "beaver" or (offer is not None and offer.side is not side):
                action = "raccoon" if offer is not None and offer.action == "beaver" else "beaver"
        game.add(Turn(side=side, action=action, value=value, line=number))


def _play(position: Position | None, side: Side, dice: Dice, text: str, number: int) -> Turn:
    turn = Turn(side=side, dice=dice, line=number)
    if _NO_MOVE.match(text):
        return replace(turn, moves=())
    if not text:  # nobody could move, or the play is not known
        return replace(
            turn, moves=() if position is not None and not can_move(position, side, dice) else None
        )
    if not text.strip("?"):
        return turn
    if text[:7].lower() == "illegal":
        return _illegal(turn, position, text, number)
    return replace(turn, moves=read_moves(text, number, dice=dice, position=position, side=side))


def _illegal(turn: Turn, before: Position | None, text: str, number: int) -> Turn:
    found = re.match(r"illegal(?:\s+(?:play|move))?\s*(\([^()]*\))?\s*", text, re.I)
    assert found is not None
    after = _read_snowie(found[1][1:-1], number) if found[1] else None
    rest = text[found.end() :]
    moves = read_moves(rest, number) if rest else None
    if after is not None and before is not None:
        if moves is None and after == before:
            moves = ()
        done = moved(before, Game.BACKGAMMON, turn.side, moves) if moves is not None else None
        if done is not None and done[0] == after:
            after = None
    return replace(turn, moves=moves, after=after)


def _read_snowie(text: str, number: int) -> Position:
    """A position in Snowie's text form, after a play: seen by the side that has just played."""
    fields = text.split(";")
    while fields and not fields[-1].strip():
        fields.pop()
    try:
        counts = [int(value) for value in fields[-28:-2]]
        turn = int(fields[4])
    except (ValueError, IndexError):
        counts, turn = [], 0
    if len(counts) != 26 or any(abs(count) > CHECKERS for count in counts):
        raise FormatError(f"not a position in Snowie's form: {text[:60]!r}", number)
    mover = Side.WHITE if turn else Side.BLACK
    bars = (abs(counts[25]), abs(counts[0]))
    return _board(counts[1:25], bars, mover, number)


def _read_set_position(text: str, number: int) -> Position:
    """A position as eXtreme Gammon sets one: 26 letters, seen by the left player, capitals his."""
    letters = text.split("/")[0]
    if len(letters) != 26 or not re.fullmatch(r"[-A-Oa-o]{26}", letters):
        raise FormatError(f"not a position: {text[:60]!r}", number)
    counts = [0 if c == "-" else ord(c) - 64 if c.isupper() else 96 - ord(c) for c in letters]
    return _board(counts[1:25], (abs(counts[25]), abs(counts[0])), Side.WHITE, number)


def _board(counts: list[int], bars: tuple[int, int], side: Side, number: int) -> Position:
    """A position from the counts on a side's points 1 to 24, its own positive, and the bars, own first."""
    off = (
        CHECKERS - bars[0] - sum(count for count in counts if count > 0),
        CHECKERS - bars[1] + sum(count for count in counts if count < 0),
    )
    if min(off) < 0:
        raise FormatError("a side has more than fifteen checkers", number)
    if side is Side.WHITE:
        return Position(tuple(counts), bars, off)
    return Position(tuple(-count for count in reversed(counts)), bars[::-1], off[::-1])


def write_mat(record: Record) -> str:
    """A record as match text. Raises ``FormatError`` for what it has no form for (see the module)."""
    refuse_what_has_no_form(record, "match text (.mat)")
    lines = [*_headers(record), f" {record.length} point match", ""]
    for number, game in enumerate(record.games, 1):
        lines += _game_lines(record, number, game)
    return "\n".join(lines)


def _headers(record: Record) -> list[str]:
    info = list(record.info)
    for number, name in enumerate(record.players, 1):
        if _column_name(name) != name:
            info.append((f"Player {number}", name))
    if record.rules is not None:
        for header, on in (("Jacoby", record.rules.jacoby), ("Beaver", record.rules.beaver)):
            if on and not record.length and header not in dict(info):
                info.append((header, "On"))
    flags, by_score = [g.crawford for g in record.games], crawford_games(record.games, record.length)
    if flags != by_score:
        if any(flags):
            raise FormatError("the game marked as the Crawford game is not the one that its score makes it")
        info.append(("Crawford", "Off"))
    for name, text in info:
        read = _header(f'[{name} "{text}"]') if name else _header(text) or ("", text.strip())
        if read != (name, text) or re.search(r"[\r\n]", name + text) or not name + text:
            raise FormatError(f"a header that cannot be written: {name!r}, {text[:60]!r}")
    written = [f'; [{name} "{text}"]' if name else f"; {text}" for name, text in info]
    return [*written, ""] if written else []


def _column_name(name: str) -> str:
    """A name as it can stand in its column: no colon, no gap, no rating, not empty."""
    plain = re.sub(r",(?=\s*\d)", "", name.replace(":", " ")).lstrip("; #")
    return " ".join(plain.split())[:60].strip() or "-"


def _game_lines(record: Record, number: int, game: GameRecord) -> list[str]:
    names = [_column_name(name) for name in record.players]
    score = [int(points) for points in game.score]
    left, right = (f"{name} : {points}" for name, points in zip(names, score, strict=True))
    lines = [f" Game {number}", f" {left:<31}{right}" if len(left) < 30 else f" {left}  {right}"]
    if game.start != START:
        lines.append(f"; Set Pos={_set_position(game.start)}/0")
    now = Following(game.start)
    rows: list[list[str]] = []
    for place, turn in enumerate(game.turns):
        text = _turn_text(turn, now, game, place)
        now.follow(turn)
        if not text:
            continue
        if turn.side is Side.WHITE or not rows or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][turn.side.index] = text
    for count, (white, black) in enumerate(rows, 1):
        gap = max(RIGHT - LEFT, len(white) + 3)
        # The padding stays where the right column is empty: GNU Backgammon 1.07 looks for that column
        # in what the line before left behind when a line is shorter than 15 characters.
        lines.append(f"{count:3d}) {white:<{gap}}{black}")
    if game.winner is not None:
        points = int(game.points)
        won = record.length and score[game.winner.index] + points >= record.length
        indent = " " * (6 if game.winner is Side.WHITE else 34)
        lines.append(
            f"{indent}Wins {points} point{'' if points == 1 else 's'}{' and the match' if won else ''}"
        )
    lines.append("")
    return lines


def _turn_text(turn: Turn, now: Following, game: GameRecord, place: int) -> str:
    previous = game.turns[place - 1].action if place else ""
    match turn.action:
        case "play":
            return _play_text(turn, now.position)
        case "double" | "raccoon":
            return f" {turn.action.capitalize()}s => {turn.value}"
        case "beaver":
            answer = game.turns[place + 1].action if place + 1 < len(game.turns) else ""
            # GNU Backgammon would look for the take of a beaver at the next roll, be it in the next game.
            return f" {'Beavers' if answer in ('take', 'raccoon') else 'Doubles'} => {turn.value}"
        case "take":
            follows = place + 1 < len(game.turns) and game.turns[place + 1].action == "play"
            return "" if previous == "beaver" and follows else " Takes"
        case "drop":
            return " Drops"
        case "resign":
            before = game.turns[place - 1] if place else None
            told = now.resignation(before, game.winner, game.points) if game.winner is not None else None
            if (
                place == len(game.turns) - 1
                and told is not None
                and (told.side, told.value) == (turn.side, turn.value)
            ):
                return ""
            return " Resigns" + {2: " gammon", 3: " backgammon"}.get(turn.value, "")


def _play_text(turn: Turn, before: Position | None) -> str:
    assert turn.dice is not None
    roll = f"{turn.dice[0]}{turn.dice[1]}:"
    if turn.moves is None and turn.after is None:
        return f"{roll} ???"
    done = _done(before, turn.side, turn.moves)
    after = turn.after or (done[0] if done else None)
    if before is not None and turn.moves is not None and done is not None and after == done[0]:
        plays = legal_plays(before, turn.side, turn.dice, default_rules(Game.BACKGAMMON))
        single = taken_apart(turn.moves, turn.dice, before, turn.side)
        written = _done(before, turn.side, single)
        if written is not None and any(play.after == after == written[0] for play in plays):
            return f"{roll} {write_moves(single, written[1]) or 'Cannot Move'}"
    moves = turn.moves or ()
    shown = write_moves(moves, done[1] if done else (False,) * len(moves))
    board = f" ({_snowie(after, turn)})" if after is not None else ""
    return f"{roll} Illegal play{board} {shown}".rstrip()


def _done(
    before: Position | None, side: Side, moves: tuple[MoveXY, ...] | None
) -> tuple[Position, tuple[bool, ...]] | None:
    return moved(before, Game.BACKGAMMON, side, moves) if before is not None and moves is not None else None


def _snowie(after: Position, turn: Turn) -> str:
    """The twin of :func:`_read_snowie`, with a bare score: it stands in a match that tells it."""
    side = turn.side
    counts = [
        after.count(Game.BACKGAMMON, side, p) - after.count(Game.BACKGAMMON, side.other, BAR - p)
        for p in range(26)
    ]
    counts[0], counts[25] = -after.bar[side.other.index], after.bar[side.index]
    turn_field = 1 if side is Side.WHITE else 0
    dice = turn.dice or (0, 0)
    return f"0;0;0;0;{turn_field};White;Black;0;0;0;1;0;{';'.join(map(str, counts))};{dice[0]};{dice[1]};"


def _set_position(position: Position) -> str:
    """The twin of :func:`_read_set_position`."""
    counts = [-position.bar[1], *position.points, position.bar[0]]
    return "".join("-" if not n else chr(64 + n) if n > 0 else chr(96 - n) for n in counts)
