"""docs/rules.md has what the program has: its tables are made from the options and the presets.

``python -m tests.zarbiter.test_rules_page`` writes them anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.catalogue import CATALOGUE
from engine.position import Game
from engine.rules import OPTIONS, Option, RuleSet, default_rules
from zarbiter.cli import cli
from zarbiter.law import value_text
from zarbiter.presets import preset, preset_names

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
GAMES = {Game.BACKGAMMON: "Backgammon", Game.LONG_NARDY: "Long nardy"}


def options() -> str:
    """A table of every option."""
    rows = [row("option", "game", "what it decides", "values", "rows"), row(*["---"] * 5)]
    for option in OPTIONS.values():
        games = "both" if len(option.games) == 2 else GAMES[option.games[0]].lower()
        rows.append(row(f"`{option.name}`", games, option.text, values(option), " ".join(option.rows)))
    return "\n".join(rows)


def values(option: Option) -> str:
    """The allowed values, the usual one in bold, with its game where the two differ."""
    usual: dict[str, list[str]] = {}
    for game in option.games:
        usual.setdefault(value_text(getattr(default_rules(game), option.name)), []).append(
            GAMES[game].lower()
        )

    def marked(text: str) -> str:
        games = usual.get(text)
        if games is None:
            return text
        return f"**{text}**" if len(usual) == 1 else f"**{text}** ({', '.join(games)})"

    if isinstance(option.allowed, str):
        return f"{option.allowed}; {', '.join(map(marked, usual))}"
    return ", ".join(marked(value_text(value)) for value in option.allowed)


def rows() -> str:
    """A table of every rule; the sources are not the program's and stay as they are on the page."""
    sources = dict(
        re.findall(r"^\| ([A-Z]{1,2}[0-9]+) \|.*\| ([^|]*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    )
    lines = [row("rule", "game", "what it says", "options", "sources"), row(*["---"] * 5)]
    for rule in CATALOGUE.values():
        games = "both" if len(rule.games) == 2 else GAMES[rule.games[0]].lower()
        options = ", ".join(f"`{option.name}`" for option in OPTIONS.values() if rule.id in option.rows)
        text = rule.text if rule.judged else f"{rule.text} (the referee's to decide)"
        lines.append(row(rule.id, games, text, options, sources.get(rule.id, "?")))
    return "\n".join(lines)


def presets() -> str:
    """For each game a table of its rule sets and what they choose."""
    parts = []
    for game, title in GAMES.items():
        sets = of(game)
        differing = [name for name in OPTIONS if any(name in rules.differences() for rules in sets)]
        rows = [f"### {title}", "", row("option", *(f"`{rules.name}`" for rules in sets))]
        rows.append(row(*["---"] * (len(sets) + 1)))
        for name in differing:
            cells = [value_text(getattr(rules, name)) for rules in sets]
            marked = [
                f"**{cell}**" if name in rules.differences() else cell
                for cell, rules in zip(cells, sets, strict=True)
            ]
            rows.append(row(f"`{name}`", *marked))
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def of(game: Game) -> list[RuleSet]:
    """The rule sets of a game, the usual one first."""
    sets = [rules for rules in map(preset, preset_names()) if rules.game is game]
    return sorted(sets, key=lambda rules: rules.name != default_rules(game).name)


def sources() -> str:
    """Sources and open points of each rule set."""
    parts = []
    for name in preset_names():
        rules = preset(name)
        lines = [f"### `{name}`: {rules.title}", "", "Sources:", ""]
        lines += [f"- {text}" for text in rules.sources]
        lines += ["", "Unsettled:", "", *(f"- {text}" for text in rules.unsettled)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


PARTS: dict[str, Callable[[], str]] = {
    "rules": rows,
    "options": options,
    "presets": presets,
    "sources": sources,
}


def part(page: str, name: str) -> tuple[int, int]:
    """Where the part of the page lies that the program writes."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    return page.index(start) + len(start), page.index(end)


@pytest.mark.parametrize("name", PARTS)
def test_the_tables_are_those_of_the_program(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    start, end = part(page, name)
    assert page[start:end] == f"\n{PARTS[name]()}\n\n", "run python -m tests.zarbiter.test_rules_page"


def test_every_rule_has_its_sources() -> None:
    """L9 has a reading of another rule for its source; all others name a text."""
    for line in rows().splitlines()[2:]:
        source = line.split(" | ")[-1].rstrip("| ")
        assert re.match(r"S[0-3]\b|reading of L7", source), line


def test_its_commands_exist() -> None:
    """Every command of the page has the options that it is shown with."""
    commands = re.findall(r"^\$ zarbiter (\w+) ([^#\n]*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 7
    for command, arguments in commands:
        shown = CliRunner().invoke(cli, [command, "--help"]).output
        assert all(option in shown for option in re.findall(r"--\w+", arguments)), command


def test_its_example_of_a_file_is_read(tmp_path: Path) -> None:
    """The rule set of one's own that the page shows."""
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "club.toml"
    path.write_text(text, encoding="utf-8")
    assert preset(str(path)).title == "Our club"
    assert preset(str(path)).last_throw


def write() -> None:
    """Write the tables of the page anew."""
    page = PAGE.read_text(encoding="utf-8")
    for name, made in PARTS.items():
        start, end = part(page, name)
        page = f"{page[:start]}\n{made()}\n\n{page[end:]}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write()
