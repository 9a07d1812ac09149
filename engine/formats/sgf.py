"""GNU Backgammon's ``.sgf``: the Smart Game Format for game 6, one game tree a game, in one file a match.

White is ``W`` (GNU Backgammon's player 0). A point is a letter, ``a`` to ``x`` for White's 1 to 24 whoever
moves, ``y`` the bar, ``z`` off. GNU Backgammon makes the moves of a play as they are written, legal or not
(they come back from it as they were), so a play that no rule allows needs no form of its own here; a
set-up (``AE``, ``AW``, ``AB``) that follows a play is what stood after it, where the moves do not tell. It
reads four moves of a play at most. Its own way with an illegal play out of match text, a roll (``DI``) and a
set-up, is read as a play whose moves are not known. After a set-up it exports match text with a warning.

:func:`read_sgf` reads what GNU Backgammon writes, analyses and all, of which only the game is kept: the
first variation of each tree. :func:`write_sgf` leaves out times and clocks, comments on offers to resign,
the offers that were refused, and who began but did nothing; it refuses long nardy, half points and
positions that lack checkers. As in match text (:mod:`engine.formats.mat`), the resignation that ended a
game is told by the result alone (``RE[W+2R]``), and comes back as a turn.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count as count_from

from engine.events import MoveXY
from engine.formats.following import MAX_CUBE, MAX_LENGTH, Following, refuse_what_has_no_form
from engine.formats.moves import moved
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn

MAX_TEXT, MAX_TREES, MAX_NODES, MAX_TOKENS = 8_000_000, 2_000, 10_000, 200_000
START = Position.start(Game.BACKGAMMON)

#: Headers: the property, and the name that match text has for it.
HEADERS = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "DT": "EventDate",
    "AN": "Transcriber",
    "WR": "Player 1 Elo",
    "BR": "Player 2 Elo",
}

_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|(\S))", re.S)
_VALUE = re.compile(r"([^\]\\]*(?:\\.[^\]\\]*)*)\]", re.S)  #: behind its '['
_ESCAPE = re.compile(r"\\(.)", re.S)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)$", re.A)
_PLAY = re.compile(r"([1-6])([1-6])((?:[a-z][a-z]){0,8})$")
_RESULT = re.compile(r"([WB])\+(\d{1,6})(R?)", re.A)


@dataclass(slots=True)
class _Node:
    line: int
    properties: list[tuple[str, list[str]]] = field(default_factory=list)

    def first(self, name: str) -> str | None:
        """The first value of a property, ``None`` if the node has it not."""
        return next((values[0] if values else "" for key, values in self.properties if key == name), None)

    def all(self, name: str) -> list[str]:
        return [value for key, values in self.properties if key == name for value in values]


def _trees(text: str) -> Iterator[list[_Node]]:
    """The main line of each game tree: at a fork, its first branch."""
    begin = re.search(r"\(\s*;", text)
    if begin is None:
        raise FormatError("no game tree begins here: there is no '(;'")
    breaks = [found.start() for found in re.finditer("\n", text)]
    place, here = begin.start(), begin.start()

    def wrong(what: str) -> FormatError:
        return FormatError(what, bisect_right(breaks, here) + 1)

    depth, main, closed, nodes = 0, 0, False, 0
    tree: list[_Node] = []
    name = ""
    for count in count_from(1):
        token = _TOKEN.match(text, place)
        if token is None:
            break
        here, place, sort = token.start(token.lastindex or 0), token.end(), token[token.lastindex or 0][0]
        if count > MAX_TOKENS:
            raise wrong(f"more than {MAX_TOKENS:,} properties and values")
        value = _VALUE.match(text, place) if sort == "[" else None
        if token[3] and value is None:
            what = "a value that does not end" if sort == "[" else f"{sort!r} where a property should be"
            raise wrong(what if depth else f"{sort!r} after the last game")
        place = value.end() if value else place
        reading = depth == main and not closed  # else a branch that is passed over
        if sort == "(":
            depth += 1
            if depth == 1:
                tree, main, closed = [], 1, False
            elif reading:
                main = depth
            name = ""
        elif sort == ")":
            if not depth:
                raise wrong("')' without its '('")
            # Once a branch is closed, its sisters are passed over, and so is all behind it.
            closed, depth, name = True, depth - 1, ""
            if not depth:
                yield tree
        elif not depth:
            raise wrong("text between two games")
        elif not reading:
            continue
        elif sort == ";":
            nodes += 1
            if nodes > MAX_NODES:
                raise wrong(f"more than {MAX_NODES:,} turns")
            tree.append(_Node(bisect_right(breaks, here) + 1))
            name = ""
        elif value is not None:
            if not name:
                raise wrong("a value without a property")
            tree[-1].properties[-1][1].append(_plain(value[1]))
        else:
            if not tree:
                raise wrong("a property before the first ';'")
            name = "".join(c for c in token[2] if c.isupper())  # old files have small letters in between
            tree[-1].properties.append((name, []))
    if depth:
        here = place
        raise wrong("the file ends in the middle of a game")


def _plain(value: str) -> str:
    """A value without its escapes; a line break behind one is none."""
    if "\\" not in value:
        return value
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], value)


def read_sgf(text: str) -> Record:
    """A match of backgammon in the form of GNU Backgammon. Raises ``FormatError`` with the line."""
    if len(text) > MAX_TEXT:
        raise FormatError(f"more than {MAX_TEXT:,} characters; a match is never so long")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    record: Record | None = None
    games: list[GameRecord] = []
    others: tuple[str, int] | None = None
    for tree in _trees(text):
        if not tree:
            continue
        root = tree[0]
        if (root.first("GM") or "1").strip() != "6":
            others = others or (root.first("GM") or "1", root.line)
            continue
        if len(games) >= MAX_TREES:
            raise FormatError(f"more than {MAX_TREES:,} games", root.line)
        record = record or _head(root)
        games.append(_game(tree))
    if record is None:
        which = f"; it holds game {others[0][:10]} of the Smart Game Format" if others else ""
        raise FormatError(f"no game of backgammon (GM[6]) in it{which}", others[1] if others else 0)
    return replace(record, games=tuple(games))


def _head(root: _Node) -> Record:
    info: list[tuple[str, str]] = []
    for name, values in root.properties:
        value = values[0] if values else ""
        if name in HEADERS and value:
            info.append((HEADERS[name], _DATE.sub(r"\1.\2.\3", value) if name == "DT" else value))
        elif name == "GC":
            info += [_comment_line(line) for line in value.split("\n") if line.strip()]
    if "Jacoby" in (root.first("RU") or "").split(":"):
        info.append(("Jacoby", "On"))
    players = (root.first("PW") or "White", root.first("PB") or "Black")
    return Record(
        game=Game.BACKGAMMON,
        games=(),
        players=players,
        length=_match_info(root).get("length", 0),
        info=tuple(info),
    )


def _comment_line(line: str) -> tuple[str, str]:
    """GNU Backgammon puts headers that it does not know among the comments on a match."""
    found = re.match(r"\[([^\"\]\s][^\"\]]*?) \"(.*)\"\]$", line[:2000])
    return (found[1], found[2]) if found else ("", line)


def _match_info(root: _Node) -> dict[str, int]:
    info = {}
    for value in root.all("MI"):
        name, _, number = value.partition(":")
        if re.fullmatch(r"\d{1,6}", number, re.A):
            info[name] = int(number)
        elif name in ("length", "ws", "bs"):
            raise FormatError(f"{name} is {number[:20]!r}, which is no number of points", root.line)
    if info.get("length", 0) > MAX_LENGTH:
        what = f"a match to {info['length']} points"
        raise FormatError(f"{what}; it may be 0 (unlimited) to {MAX_LENGTH}", root.line)
    return info


def _game(tree: list[_Node]) -> GameRecord:
    root = tree[0]
    info = _match_info(root)
    now = Following(START, cube=_number(root.first("CV") or "1", root))
    start, turns = START, list[Turn]()

    def add(turn: Turn) -> None:
        turns.append(turn)
        now.follow(turn)

    for node in tree:
        if (stands := _set_up(node, now.position)) is not None:
            if not turns:
                start = stands
            else:
                _stands(turns, stands, now)
            now.position = stands
        if node is not root and (value := node.first("CV")) is not None:
            now.cube = _number(value, node)
        turn = _turn(node, now)
        if turn is None:
            continue
        last = turns[-1] if turns else None
        again = last is not None and last.action == turn.action == "play" and last.side is turn.side
        if again and last is not None and last.moves is None:
            # The same side rolls anew: the roll before was given up, and the position was edited.
            turns.pop()
            if last.after is not None and not turns:
                start = last.after
        add(turn)
    winner, points = None, 0
    if found := _RESULT.match((root.first("RE") or "").strip().upper()):
        winner, points = Side.WHITE if found[1] == "W" else Side.BLACK, max(1, int(found[2]))
        last = turns[-1] if turns else None
        resigned = now.resignation(last, winner, points) if found[3] else None
        if resigned is not None:
            add(replace(resigned, line=root.line))
    return GameRecord(
        start=start,
        turns=tuple(turns),
        score=(info.get("ws", 0), info.get("bs", 0)),
        crawford="CrawfordGame" in (root.first("RU") or "").split(":"),
        winner=winner,
        points=points,
        result=now.result(turns[-1] if turns else None, winner),
        line=root.line,
    )


def _number(text: str, node: _Node) -> int:
    if not re.fullmatch(r"\s*\d{1,8}\s*", text, re.A) or not 0 < int(text) <= MAX_CUBE:
        raise FormatError(f"a cube of {text[:20]!r}", node.line)
    return int(text)


def _stands(turns: list[Turn], after: Position, now: Following) -> None:
    """What stands after the last turn, where its moves do not lead there."""
    last = turns[-1]
    before = now.before_last
    done = (
        moved(before, Game.BACKGAMMON, last.side, last.moves) if before and last.moves is not None else None
    )
    if last.action == "play" and last.moves is None and after == before:
        turns[-1] = replace(last, moves=(), after=None)
    elif done is None or done[0] != after:
        turns[-1] = replace(last, after=after)


def _turn(node: _Node, now: Following) -> Turn | None:
    for name, values in node.properties:
        if name in ("W", "B"):
            side = Side.WHITE if name == "W" else Side.BLACK
            return _move(node, side, (values[0] if values else "").strip(), now)
        if name == "DI" and values:
            dice = re.fullmatch(r"([1-6])([1-6])", values[0].strip())
            if dice is None:
                raise FormatError(f"not a roll: {values[0][:20]!r}", node.line)
            side = Side.BLACK if (node.first("PL") or "").strip().upper()[:1] == "B" else Side.WHITE
            comment = (node.first("C") or "").strip("\n")
            return Turn(side=side, dice=(int(dice[1]), int(dice[2])), comment=comment, line=node.line)
    return None


def _move(node: _Node, side: Side, value: str, now: Following) -> Turn:
    turn = Turn(side=side, comment=(node.first("C") or "").strip("\n"), line=node.line)
    if value == "double":
        offer = now.offer
        if offer is None or offer.side is side:
            return replace(turn, action="double", value=now.next_stake)
        return replace(turn, action="beaver" if offer.action == "double" else "raccoon", value=now.next_stake)
    if value == "take":
        return replace(turn, action="take")
    if value == "drop":
        return replace(turn, action="drop")
    found = _PLAY.match(value)
    if found is None:
        raise FormatError(f"not a play: {value[:40]!r}", node.line)
    points = [_point(letter, side) for letter in found[3]]
    moves: list[MoveXY] = list(zip(points[::2], points[1::2], strict=True))
    return replace(turn, dice=(int(found[1]), int(found[2])), moves=tuple(moves))


def _point(letter: str, side: Side) -> int:
    """The point of a letter as its mover counts it."""
    if letter in "yz":
        return BAR if letter == "y" else OFF
    index = ord(letter) - ord("a")
    return index + 1 if side is Side.WHITE else 24 - index


def _letter(point: int, side: Side) -> str:
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(ord("a") + (point - 1 if side is Side.WHITE else 24 - point))


def _set_up(node: _Node, before: Position | None) -> Position | None:
    """The position that a node sets up, ``None`` if it sets up none."""
    if not any(name in ("AE", "AW", "AB") for name, _ in node.properties):
        return None
    points, bar = list((before or START).points), list((before or START).bar)
    for letter in _letters(node, "AE"):
        if letter == "y":
            bar = [0, 0]
        else:
            points[ord(letter) - ord("a")] = 0
    for name, side in (("AW", Side.WHITE), ("AB", Side.BLACK)):
        for letter, count in Counter(_letters(node, name)).items():
            if letter == "y":
                bar[side.index] += count
                continue
            index = ord(letter) - ord("a")
            if points[index] * side.sign < 0:
                raise FormatError(f"checkers of both sides on point {letter!r}", node.line)
            points[index] += count * side.sign
    here = Position(tuple(points), (bar[0], bar[1]))
    off = [CHECKERS - here.checkers(side) for side in Side]
    if min(off) < 0:
        raise FormatError("a side has more than fifteen checkers", node.line)
    return replace(here, off=(off[0], off[1]))


def _letters(node: _Node, name: str) -> list[str]:
    """The points of a set-up: single letters, and ranges such as ``a:y``."""
    letters: list[str] = []
    for value in node.all(name):
        found = re.fullmatch(r"\s*([a-y])(?::([a-y]))?\s*", value)
        if found is None or len(letters) > 100:
            raise FormatError(f"not a point: {value[:20]!r}", node.line)
        first, last = sorted((found[1], found[2] or found[1]))
        letters += map(chr, range(ord(first), ord(last) + 1))
    return letters


# ---- writing -----------------------------------------------------------------------------------


def write_sgf(record: Record) -> str:
    """A record in GNU Backgammon's form. Raises ``FormatError`` for what it cannot hold (see the module)."""
    refuse_what_has_no_form(record, "GNU Backgammon's .sgf")
    return "".join(_tree(record, number, game) for number, game in enumerate(record.games))


def _tree(record: Record, number: int, game: GameRecord) -> str:
    white, black = map(int, game.score)
    root = "(;FF[4]GM[6]CA[UTF-8]AP[Zarbiter]"
    root += f"MI[length:{record.length}][game:{number}][ws:{white}][bs:{black}]"
    root += f"PW[{_escaped(record.players[0])}]PB[{_escaped(record.players[1])}]"
    info = dict(record.info)
    if not number:
        root += _header_properties(record)
    rules = ["Crawford"] if record.length and info.get("Crawford") != "Off" else []
    rules += ["CrawfordGame"] if game.crawford else []
    unlimited = not record.length and record.rules is not None and record.rules.jacoby
    rules += ["Jacoby"] if unlimited or info.get("Jacoby") == "On" else []
    root += f"RU[{':'.join(rules)}]" if rules else ""
    first = next((turn.value for turn in game.turns if turn.action == "double"), 2)
    root += f"CV[{first // 2}]" if first > 2 else ""
    nodes, last = _nodes(game, Following(game.start, cube=max(1, first // 2)))
    if game.winner is not None:
        resigned = "R" if last is not None and last.action == "resign" else ""
        root += f"RE[{'W' if game.winner is Side.WHITE else 'B'}+{int(game.points)}{resigned}]"
    return "\n;".join([root, *nodes]) + ")\n"


def _header_properties(record: Record) -> str:
    known = {name: key for key, name in HEADERS.items()}
    text, comments = "", list[str]()
    for name, value in record.info:
        if name in ("Jacoby", "Crawford"):
            continue
        if name in known and f"{known[name]}[" not in text and value:
            shown = (
                value.replace(".", "-")
                if name == "EventDate" and _DATE.match(value.replace(".", "-"))
                else value
            )
            text += f"{known[name]}[{_escaped(shown)}]"
        else:
            comments.append(f'[{name} "{value}"]' if name else value)
    return text + (f"GC[{_escaped(chr(10).join(comments))}]" if comments else "")


def _nodes(game: GameRecord, now: Following) -> tuple[list[str], Turn | None]:
    nodes = [_set_up_text(game.start)] if game.start != START else []
    for turn in game.turns:
        letter = "W" if turn.side is Side.WHITE else "B"
        comment = f"C[{_escaped(turn.comment)}]" if turn.comment else ""
        before = now.position
        now.follow(turn)
        if turn.action == "resign":
            continue
        if turn.action != "play":
            word = {"take": "take", "drop": "drop"}.get(turn.action, "double")
            nodes.append(f"{letter}[{word}]{comment}")
            continue
        assert turn.dice is not None
        roll = f"{turn.dice[0]}{turn.dice[1]}"
        if turn.moves is None:
            nodes.append(f"PL[{letter}]DI[{roll}]{comment}")
        else:
            text = "".join(_letter(p, turn.side) for move in turn.moves for p in move)
            nodes.append(f"{letter}[{roll}{text}]{comment}")
        done = (
            moved(before, Game.BACKGAMMON, turn.side, turn.moves)
            if before and turn.moves is not None
            else None
        )
        after = turn.after or (done[0] if done is not None and len(turn.moves or ()) > 4 else None)
        if after is not None and (done is None or after != done[0] or len(turn.moves or ()) > 4):
            nodes.append(_set_up_text(after))
    return nodes, game.turns[-1] if game.turns else None


def _set_up_text(position: Position) -> str:
    # GNU Backgammon takes the points of W and B as they are only while White is to play.
    text = "PL[W]AE[a:y]"
    for name, side in (("AW", Side.WHITE), ("AB", Side.BLACK)):
        letters = [chr(ord("a") + i) * max(0, n * side.sign) for i, n in enumerate(position.points)]
        letters.append("y" * position.bar[side.index])
        text += name + "".join(f"[{c}]" for c in "".join(letters)) if any(letters) else ""
    return text


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)
