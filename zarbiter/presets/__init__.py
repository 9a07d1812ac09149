"""Rule sets that ship with the program, one TOML file each, and those of a user's own.

A file of one's own may name a preset as its ``base`` and change only a few options of it::

    base = "long.classic"
    title = "Our club"
    last_throw = true
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import Any

from engine.rules import OPTIONS, RuleError, RuleSet

#: Keys of a preset file that are no options.
ABOUT = ("title", "game", "base", "sources", "unsettled")
LARGEST = 64 * 1024  #: bytes that a preset file may have; the largest that ships has four thousand


class PresetError(ValueError):
    """A preset that does not exist or makes no sense; the message names it and says why, in one line."""


def preset_names() -> tuple[str, ...]:
    """The names of all that ship, sorted."""
    here = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in here if name.endswith(".toml")))


def preset(name: str) -> RuleSet:
    """A preset by its name, or a user's own by the path of its ``.toml`` file. Raises ``PresetError``."""
    if name.endswith(".toml"):
        return _parse(_own(Path(name)), name, Path(name).stem)
    return _shipped(name)


def _shipped(name: str) -> RuleSet:
    names = preset_names()
    if name in names:
        return _parse(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"), name, name)
    if "/" in name or "\\" in name or "\0" in name:
        raise PresetError(f"{name!r} is no rule set; the file of one's own has a name that ends in .toml")
    meant = get_close_matches(name, names, 1)
    hint = f"do you mean {meant[0]}" if meant else f"there are {', '.join(names)}"
    raise PresetError(f"no rule set {_short(repr(name))}; {hint}; or give the path of a .toml file")


def preset_toml(rules: RuleSet) -> str:
    """A rule set as the text of a preset file: every option, with what it decides and may be.

    What :func:`preset` reads from it is the same rule set, under the name of the file.
    """
    lines = [f"title = {_toml(rules.title)}", f"game = {_toml(rules.game.value)}"]
    for key, texts in (("sources", rules.sources), ("unsettled", rules.unsettled)):
        lines += [f"{key} = [", *(f"    {_toml(text)}," for text in texts), "]"]
    lines.append("")
    for option in OPTIONS.values():
        if rules.game in option.games:
            allowed = option.allowed
            words = allowed if isinstance(allowed, str) else " | ".join(map(_toml, allowed))
            for comment in (f"{', '.join(option.rows)}: {option.text}", words):
                lines += wrap(comment, 100, initial_indent="# ", subsequent_indent="#   ")
            lines += [f"{option.name} = {_toml(getattr(rules, option.name))}", ""]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    """A value as TOML writes it; the grades become a table."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            # JSON's escapes are TOML's too; TOML wants this control character escaped as well.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case ((str(), int()), *_):
            return f"{{ {', '.join(f'{name} = {points}' for name, points in value)} }}"
        case tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case _:
            return str(value)


def _own(path: Path) -> str:
    """The text of a user's file."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise PresetError(f"{path}: is not a file")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, PresetError):
            raise
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PresetError(f"{_short(str(path))}: {reason}") from error
    if len(data) > LARGEST:
        raise PresetError(f"{path}: is no rule set; it is larger than {LARGEST // 1024} KiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PresetError(f"{path}: is not UTF-8 text (byte {error.start})") from error


def _parse(text: str, where: str, name: str) -> RuleSet:
    """A rule set from the text of a file; ``where`` names it in messages."""
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise PresetError(f"{where}: is not TOML: too many brackets within brackets") from error
    except ValueError as error:  # TOMLDecodeError, or a number with thousands of digits
        raise PresetError(f"{where}: is not TOML: {_short(str(error))}") from error
    try:
        return RuleSet.from_mapping(_complete(data, name), name)
    except (RuleError, PresetError) as error:
        raise PresetError(f"{where}: {_short(str(error))}") from error


def _complete(data: dict[str, Any], name: str) -> dict[str, Any]:
    """What the file says, on top of what its base says."""
    for key, value in data.items():
        if key not in OPTIONS and key not in ABOUT:
            meant = get_close_matches(key, [*OPTIONS, *ABOUT], 1)
            hint = f"do you mean {meant[0]}?" if meant else "`zarbiter rules long.default` lists them"
            raise PresetError(f"there is no option {_short(repr(key))}; {hint}")
        if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
            allowed = OPTIONS[key].allowed_text if key in OPTIONS else "a text, or a list of texts"
            raise PresetError(f"{key} = {_short(repr(value))} is not allowed; it may be: {allowed}")
    if "base" not in data:
        return data
    base_name = data.pop("base")
    if not isinstance(base_name, str):
        raise PresetError(f"base = {_short(repr(base_name))} is not the name of a rule set")
    base = _shipped(base_name)
    if "game" in data and data["game"] != base.game.value:
        raise PresetError(f"game = {_short(repr(data['game']))}, but its base {base.name} is for {base.game}")
    return _on_top(base, data, name)


def _on_top(base: RuleSet, data: Mapping[str, Any], name: str) -> dict[str, Any]:
    inherited = base.to_json()
    if "scoring" in data:
        del inherited["grades"]  # they are those of the other scheme
    changed = [key for key in data if key in OPTIONS]
    about = {
        "name": name,
        "title": f"{base.title}, changed: {', '.join(changed)}" if changed else base.title,
        "sources": [f"{base.name}, changed: {', '.join(changed)}" if changed else base.name, *base.sources],
    }
    return inherited | about | dict(data)


def _short(text: str) -> str:
    """One line of a length that can be read."""
    line = " ".join(text.split())
    return line if len(line) <= 240 else f"{line[:120]} ... {line[-110:]}"
