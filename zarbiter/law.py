"""``zarbiter rules``, ``legal`` and ``check``: the law as a program that can be asked."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from engine.catalogue import Row
from engine.check import Finding, Report, WrongRules
from engine.events import Dice
from engine.formats.positions import format_position, parse_position
from engine.legal import Play, legal_plays, ways
from engine.notation import PLACE_NAMES, Move, notation, roll_text
from engine.position import CHECKERS, Game, Position, Side
from engine.record import FormatError, Record
from engine.rules import OPTIONS, Option, RuleSet, default_rules
from engine.scoring import CORPUS_SCHEMES, score_case
from hardware.camera import UnreadableInput
from zarbiter.matchfiles import check_file, read_bytes
from zarbiter.presets import preset, preset_names, preset_toml

#: Options that files of cases call by another name.
CORPUS_OPTIONS = {"timing": "block_timing", "wrap": "block_wrap"}


class QuestionError(ValueError):
    """A question that makes no sense; the message says why, in one line."""


# Rule sets


def list_rules(as_json: bool) -> None:
    """Print the presets that ship, with what each is."""
    sets = [preset(name) for name in preset_names()]
    if as_json:
        _print_json([{"name": r.name, "game": r.game.value, "title": r.title} for r in sets])
        return
    width = max(len(rules.name) for rules in sets)
    console = _console()
    for rules in sets:
        console.print(Text.assemble((f"{rules.name:<{width}}", "bold"), f"  {rules.title}"))
    if console.is_terminal:
        console.print(
            "\n`zarbiter rules NAME` shows one, `zarbiter rules NAME --toml` as a file to change.",
            style="dim",
        )


def show_rules(rules: RuleSet, as_json: bool, as_toml: bool) -> None:
    """Print a rule set: every option, its value, what it decides, where from, and what is unsettled."""
    if as_toml:
        print(preset_toml(rules), end="")
    elif as_json:
        _print_json(_rules_json(rules))
    else:
        _show_rules(_console(), rules)


def _rules_json(rules: RuleSet) -> dict[str, Any]:
    """The rule set as a match stores it, and beside it what is to be known of each option."""
    usual, values = default_rules(rules.game).to_json(), rules.to_json()
    options = {
        option.name: {
            "value": values[option.name],
            "default": usual[option.name],
            "allowed": list(option.allowed) if isinstance(option.allowed, tuple) else option.allowed,
            "rows": list(option.rows),
            "text": option.text,
        }
        for option in _options_of(rules.game)
    }
    return {"rule_set": values, "options": options}


def _options_of(game: Game) -> list[Option]:
    return [option for option in OPTIONS.values() if game in option.games]


def value_text(value: Any) -> str:
    """The value of an option as people read it: ``false``, ``3, 4, 6``, ``oin 1, mars 2``."""
    match value:
        case bool():
            return str(value).lower()
        case ():
            return "none"
        case ((str(), int()), *_):
            return ", ".join(f"{name} {points}" for name, points in value)
        case tuple():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _show_rules(console: Console, rules: RuleSet) -> None:
    changed = rules.differences()
    console.print(Text.assemble((rules.name, "bold"), f"  {rules.title} ({rules.game.value})"), end="\n\n")
    for option in _options_of(rules.game):
        is_changed = option.name in changed
        mark, style = ("*", "bold green") if is_changed else (" ", "bold")
        value, rows = value_text(getattr(rules, option.name)), f"[{' '.join(option.rows)}]"
        line = Text.assemble(mark, " ", (option.name, style), " = ", (value, style), "  ", (rows, "cyan"))
        if console.is_terminal:
            console.print(line)
            console.print(Padding(Text(option.text, "dim"), (0, 0, 0, 4)))
        else:  # whole lines are what grep wants
            console.print(line.append(f" {option.text}"))
    usual = default_rules(rules.game)
    what = (
        f"* not the default of {rules.game.value}"
        if changed
        else f"every option is the default of {rules.game.value}"
    )
    console.print(f"\n{what} ({usual.name})", style="dim", markup=False)
    for title, texts in (("Sources", rules.sources), ("Unsettled", rules.unsettled)):
        if texts:
            console.print(f"\n{title}", style="bold")
            for text in texts:
                console.print(Text.assemble("  - ", text))


def show_row(row: Row, as_json: bool) -> None:
    """Print one rule of the catalogue: what it says, who judges it, and what the rule sets choose there."""
    options = [option for option in OPTIONS.values() if row.id in option.rows]
    sets = [rules for rules in map(preset, preset_names()) if rules.game in row.games]
    choices = {
        option.name: {r.name: r.to_json()[option.name] for r in sets if r.game in option.games}
        for option in options
    }
    if as_json:
        games = [game.value for game in row.games]
        data = {"id": row.id, "games": games, "text": row.text, "judged": row.judged, "offered": row.offered}
        _print_json(data | {"options": choices})
        return
    console = _console()
    console.print(Text.assemble((row.id, "bold"), f"  {row.text}"))
    said = ["judged by what is seen"] if row.judged else []
    said += ["offered to the referee as an action"] if row.offered else []
    console.print(Text(f"{', '.join(game.value for game in row.games)}; {', '.join(said)}", "dim"))
    for option in options:
        console.print(Text.assemble("\n", (option.name, "bold"), f"  {option.text}"))
        values: dict[str, list[str]] = {}
        for rules in sets:
            if rules.game in option.games:
                values.setdefault(value_text(getattr(rules, option.name)), []).append(rules.name)
        for value, names in values.items():
            console.print(Text.assemble("  ", (value, "bold"), f": {', '.join(names)}"))


# Legal plays


@dataclass(frozen=True, slots=True)
class Question:
    """What ``zarbiter legal`` is asked: the legal plays of this side, with this roll, by these rules."""

    position: Position
    side: Side
    dice: Dice
    rules: RuleSet


def parse_dice(text: str) -> Dice:
    """A roll written 6-5, 65, 6,5 or "6 5". Raises ``QuestionError``."""
    found = re.fullmatch(r"\s*([1-6])\s*[-,: ]?\s*([1-6])\s*", text)
    if found is None:
        raise QuestionError(f"{text[:40]!r} is not a roll of two dice, as in 6-5")
    return int(found[1]), int(found[2])


def ask(position: str, dice: str | None, rules: RuleSet | None, side: Side | None) -> Question:
    """A question from what the command line has. Raises ``QuestionError``."""
    try:
        state, game = parse_position(position, rules.game if rules else Game.BACKGAMMON)
    except FormatError as error:
        raise QuestionError(str(error)) from error
    if rules is not None and rules.game is not game:
        raise QuestionError(f"the position is one of {game}, the rules are for {rules.game}")
    roll = parse_dice(dice) if dice else state.dice
    if roll is None:
        raise QuestionError("the position has no dice; give a roll, as in 6-5")
    for each in Side:
        if (count := state.position.checkers(each)) != CHECKERS:
            raise QuestionError(f"{each.value} has {count} checkers, not {CHECKERS}")
    return Question(state.position, side or state.on_roll, roll, rules or default_rules(game))


def show_legal(question: Question, all_ways: bool, as_json: bool) -> None:
    """Print the legal plays of a roll, each with the position that it leads to."""
    q = question
    plays = sorted(legal_plays(q.position, q.side, q.dice, q.rules), key=_from_the_back)
    orders = ways(q.position, q.side, q.dice, q.rules) if all_ways else {}
    if as_json:
        _print_json(
            {
                "rules": q.rules.name,
                "game": q.rules.game.value,
                "side": q.side.value,
                "dice": list(q.dice),
                "position": q.position.to_json(),
                "plays": [_play_json(play, orders.get(play.after) if all_ways else None) for play in plays],
            }
        )
        return
    console = _console()
    count = _count(len(plays), "play") if plays[0].moves else "no play"
    roll = roll_text(q.dice)
    console.print(
        f"{q.side.value.title()} to play {roll} by {q.rules.name}: {count}", style="bold", markup=False
    )
    width = max(len(play.notation) for play in plays)
    for play in plays if plays[0].moves else ():
        console.print(
            Text.assemble(f"  {play.notation:<{width}}  ", (format_position(play.after, play.game), "dim"))
        )
        for way in orders.get(play.after, ()):
            steps = ", ".join(notation([move]) for move in way)
            console.print(Text(f"      {steps}"))


def _from_the_back(play: Play) -> list[tuple[int, int]]:
    """Sorts plays as their notation is: those first that move the checkers furthest behind."""
    return sorted((-move.from_point, -move.to_point) for move in play.moves)


def _play_json(play: Play, orders: Sequence[Sequence[Move]] | None) -> dict[str, Any]:
    """A play with its moves as those of a ``play`` event are written."""

    def moves(way: Sequence[Move]) -> list[list[int | str]]:
        return [[PLACE_NAMES.get(p, p) for p in (move.from_point, move.to_point)] for move in way]

    data: dict[str, Any] = {
        "notation": play.notation,
        "moves": moves(play.moves),
        "position": play.after.to_json(),
    }
    if orders is not None:
        data["ways"] = [moves(way) for way in orders]
    return data


# Files of cases


@dataclass(frozen=True, slots=True)
class Difference:
    """A line of a file of cases of which this program thinks otherwise, or that makes no sense."""

    line: int
    name: str
    missing: tuple[str, ...] = ()
    too_much: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        parts = [self.reason] if self.reason else []
        for what, items in (("missing", self.missing), ("too much", self.too_much)):
            if items:
                more = f" and {len(items) - 3} more" if len(items) > 3 else ""
                parts.append(f"{what}: {'; '.join(item[:200] for item in items[:3])}{more}")
        return f"line {self.line}: {self.name}: {'; '.join(parts)}"


def check_cases(lines: Sequence[str]) -> Iterator[Difference | None]:
    """For each line with content whether it holds: ``None``, or what differs.

    The lines are in the form of the corpus: a position and a roll with all the positions ``after``, or
    some that it ``must_include`` or ``must_exclude``; or, ``"kind": "score"``, a result with its points. All
    of them under their ``options``.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _case(number, line)


def _case(number: int, line: str) -> Difference | None:
    name = "?"
    try:
        case = json.loads(line)
        if not isinstance(case, dict):
            raise ValueError("not a JSON object")
        name = str(case.get("id", "?"))
        rules = _case_rules(case)
        if case.get("kind", "moves") == "score":
            return _score_differs(number, name, case, score_case(case, rules))
        if case.get("kind", "moves") != "moves":
            raise ValueError(f"a line of kind {case['kind']!r}, which is neither moves nor score")
        return _moves_differ(number, name, case, rules)
    except KeyError as error:
        reason = f"the line has no {error.args[0]}"
    except RecursionError:
        reason = "too many brackets within brackets"
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        reason = f"cannot be read: {error}"
    return Difference(number, name[:80], reason=" ".join(reason.split())[:300])


def _case_rules(case: Mapping[str, Any]) -> RuleSet:
    given = {CORPUS_OPTIONS.get(key, key): value for key, value in case.get("options", {}).items()}
    if "scoring" in given:
        given["scoring"] = CORPUS_SCHEMES.get(given["scoring"], given["scoring"])
    return RuleSet.from_mapping(given | {"game": str(case["game"]).replace("_", "-")}, "corpus")


def _moves_differ(number: int, name: str, case: Mapping[str, Any], rules: RuleSet) -> Difference | None:
    position = Position.from_json({"points": case["board"], "bar": case["bar"], "off": case["off"]})
    side, (first, second) = Side(case["turn"]), case["dice"]
    for each in Side:
        if position.checkers(each) != CHECKERS:
            raise ValueError(f"{each.value} has {position.checkers(each)} checkers, not {CHECKERS}")
    found = {play.after for play in legal_plays(position, side, parse_dice(f"{first}{second}"), rules)}
    missing, too_much = _positions(case, "must_include") - found, _positions(case, "must_exclude") & found
    if "after" in case:
        wanted = _positions(case, "after")
        missing, too_much = missing | (wanted - found), too_much | (found - wanted)
    elif not {"must_include", "must_exclude"} & case.keys():
        raise KeyError("after")
    if not missing and not too_much:
        return None
    return Difference(number, name, _sorted(missing, rules.game), _sorted(too_much, rules.game))


def _positions(case: Mapping[str, Any], key: str) -> set[Position]:
    positions = (zip(("points", "bar", "off"), after, strict=True) for after in case.get(key, ()))
    return {Position.from_json(dict(parts)) for parts in positions}


def _sorted(positions: set[Position], game: Game) -> tuple[str, ...]:
    return tuple(sorted(format_position(position, game) for position in positions))


def _score_differs(
    number: int, name: str, case: Mapping[str, Any], found: Mapping[str, Any]
) -> Difference | None:
    wanted = {key: case[key] for key in found}
    if wanted == found:
        return None
    said, is_so = (", ".join(f"{key} {value}" for key, value in d.items()) for d in (wanted, found))
    return Difference(number, name, reason=f"the line says {said}; by the rules it is {is_so}")


def check_case_file(path: Path, as_json: bool) -> bool:
    """Print which lines of a file of cases differ, and how many; returns whether none does.

    Raises ``UnreadableInput`` if the file cannot be read at all.
    """
    text = _text(path)
    count, differing = 0, []
    for difference in check_cases(text.split("\n")):
        count += 1
        if difference is not None:
            differing.append(difference)
            if not as_json:
                print(f"{path}: {difference}", flush=True)
    if not count:
        raise UnreadableInput(f"{path}: there is no line in it")
    if as_json:
        lines = [
            {
                "line": d.line,
                "id": d.name,
                "missing": list(d.missing),
                "too_much": list(d.too_much),
                "reason": d.reason,
            }
            for d in differing
        ]
        _print_json({"file": str(path), "lines": count, "differ": lines})
    else:
        same = count - len(differing)
        print(f"{path}: {count} lines, {same} as expected, {len(differing)} differ")
    return not differing


# Match files


def check_match(path: Path, rules: str | None, as_json: bool) -> bool:
    """Print what is illegal in a match file; returns whether nothing is.

    ``rules``: the name or path of a rule set; without it the match's own, or the usual one of its game.
    Raises ``UnreadableInput``, ``PresetError``, and ``QuestionError`` if the rule set is for the other game.
    """
    chosen = preset(rules) if rules else None
    try:
        record, report = check_file(path, chosen)
    except WrongRules as error:
        raise QuestionError(f"{path}: {error}") from error
    used = chosen or record.rules or default_rules(record.game)
    if as_json:
        _print_json(_report_json(path, used, record, report))
        return report.legal
    console = _console()
    for finding in report.findings:
        console.print(Text(f"{path}: {finding_text(finding, record)}"))
    console.print(Text(f"{path}: {_totals(report)}, by {used.name}", "bold" if console.is_terminal else ""))
    return report.legal


def finding_text(finding: Finding, record: Record) -> str:
    """One line: where, who, what, the rules that are broken, and the legal plays that come nearest."""
    where = f"game {finding.game}"
    if finding.move:
        where += f", move {finding.move}"
    if finding.line:
        where += f" (line {finding.line})"
    what = []
    if finding.side is not None:
        name, side = record.players[finding.side.index], finding.side.value
        what.append(name if name.lower() == side else f"{name} ({side})")
    if finding.dice is not None:
        what.append(roll_text(finding.dice))
    if finding.action not in ("", "play"):
        what.append(finding.action)
    if finding.play:
        what.append(finding.play)
    who = f"{' '.join(what)}: " if what else ""
    broken = "; ".join(f"{rule} {text}" for rule, text in finding.breaches)
    nearest = f"; legal: {', '.join(finding.nearest)}" if finding.nearest else ""
    return f"{where}: {who}{broken}{nearest}"


def _totals(report: Report) -> str:
    found = _count(len(report.findings), "finding") if report.findings else "all legal"
    unjudged = f", {_count(report.unjudged, 'play')} not judged" if report.unjudged else ""
    counts = ((report.games, "game"), (report.rolls, "roll"), (report.plays, "play"))
    return f"{', '.join(_count(number, what) for number, what in counts)}: {found}{unjudged}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _report_json(path: Path, rules: RuleSet, record: Record, report: Report) -> dict[str, Any]:
    return {
        "file": str(path),
        "game": record.game.value,
        "rules": rules.name,
        "legal": report.legal,
        "games": report.games,
        "rolls": report.rolls,
        "plays": report.plays,
        "unjudged": report.unjudged,
        "findings": [
            {
                "game": f.game,
                "turn": f.turn,
                "move": f.move,
                "line": f.line,
                "side": f.side.value if f.side else None,
                "action": f.action,
                "dice": list(f.dice) if f.dice else None,
                "play": f.play,
                "breaches": [{"rule": rule, "reason": reason} for rule, reason in f.breaches],
                "nearest": list(f.nearest),
            }
            for f in report.findings
        ],
    }


# Reading and printing


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path}: is not UTF-8 text (byte {error.start})") from error


def _console() -> Console:
    """Standard output: coloured and fitted on a terminal, whole lines otherwise."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, soft_wrap=True)


def _print_json(data: Any) -> None:
    json.dump(data, sys.stdout, ensure_ascii=False, indent=2)
    print()
