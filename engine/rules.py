"""Rule sets: the options under which a match is played (rules.md; ids in brackets)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.position import Game


class UnknownRules(ValueError):
    """A preset name that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Options of a game that the engine enforces today.

    ``head_doubles``: first-turn doubles that let two checkers leave the head [L3].
    ``throw_half``: both dice in one half, or in the half to the thrower's right [D3, D4].
    ``dice_from``: whether a throw without a cup is void [D2].
    """

    name: str
    game: Game
    head_doubles: tuple[int, ...] = (3, 4, 6)
    throw_half: Literal["same_half", "right_half"] = "same_half"
    dice_from: Literal["cup_required", "any"] = "any"


PRESETS: dict[str, RuleSet] = {
    rules.name: rules
    for rules in (
        RuleSet(name="short.default", game=Game.BACKGAMMON),
        RuleSet(name="short.right_half", game=Game.BACKGAMMON, throw_half="right_half"),
        RuleSet(name="long.default", game=Game.LONG_NARDY),
    )
}


def default_rules(game: Game) -> RuleSet:
    """The rule set that ``corpus/README.md`` calls default."""
    return PRESETS["long.default" if game is Game.LONG_NARDY else "short.default"]


def preset(name: str) -> RuleSet:
    """A preset by name. Raises ``UnknownRules`` with the names that exist."""
    if name not in PRESETS:
        raise UnknownRules(f"no rule set {name!r}; there are {', '.join(sorted(PRESETS))}")
    return PRESETS[name]
