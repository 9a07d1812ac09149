"""Rule sets that ship with the program, one TOML file each, and those of a user's own."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

from engine.rules import RuleError, RuleSet


class PresetError(ValueError):
    """A preset that does not exist or makes no sense; the message names it and says why."""


def preset_names() -> tuple[str, ...]:
    """The names of all that ship, sorted."""
    here = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in here if name.endswith(".toml")))


def preset(name: str) -> RuleSet:
    """A preset by its name, or a user's own by the path of its ``.toml`` file. Raises ``PresetError``."""
    if name.endswith(".toml"):
        return _parse(_own(Path(name)), name, Path(name).stem)
    if name not in preset_names():
        raise PresetError(
            f"no rule set {name!r}; there are {', '.join(preset_names())}, or the path of a .toml file"
        )
    return _parse(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"), name, name)


def _own(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PresetError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise PresetError(f"{path}: is not UTF-8 text (byte {error.start})") from error


def _parse(text: str, where: str, name: str) -> RuleSet:
    try:
        return RuleSet.from_mapping(tomllib.loads(text), name)
    except tomllib.TOMLDecodeError as error:
        raise PresetError(f"{where}: is not TOML: {error}") from error
    except RuleError as error:
        raise PresetError(f"{where}: {error}") from error
