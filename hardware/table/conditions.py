"""Hard conditions under which the simulated table can be watched, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Condition = Literal[
    "dim",
    "flicker",
    "arm_shadow",
    "glare",
    "quick_lift",
    "resting_hand",
    "tall_stacks",
    "one_colour",
    "bumped_board",
    "bumped_camera",
    "leaning",
    "fidgety",
    "extras",
    "roll_off",
    "wrong_setup",
    "covered",
    "colours_change",
]

#: What each condition means. Light: the first four; ``extras`` and ``one_colour`` are what lies there.
CONDITIONS: dict[Condition, str] = {
    "dim": "half of the light, and twice the noise",
    "flicker": "lamps on the mains: bands that wander over the picture, and all of it brighter and darker",
    "arm_shadow": "a large soft shadow of every arm that reaches over the board",
    "glare": "a lamp is mirrored in the board, white where it is brightest",
    "quick_lift": "dice are lifted 0.7 seconds after they settled, or after the first checker was moved",
    "resting_hand": "a hand lies on the frame for tens of seconds",
    "tall_stacks": "players who like to stack, so that more than five stand on a point",
    "one_colour": "dice of the colour of one side's checkers",
    "bumped_board": "now and then all checkers slip a little, one or two by half a point until put right",
    "bumped_camera": "once in the match the camera is knocked aside and stays so",
    "leaning": "now and then a player leans over his half of the board for some seconds",
    "fidgety": "moves taken back, checkers straightened, held over other points, pauses between moves",
    "extras": "a third die beside the board and a doubling cube on the frame, with which nobody plays",
    "roll_off": "each player throws a die to see who begins, and equal dice are thrown again",
    "wrong_setup": "the board is set up wrong, stands so for some seconds, and is put right",
    "covered": "a pause: a cloth is laid over the board, and may have shifted a checker when it is taken off",
    "colours_change": "the first two games are given up soon; players change colours, and keep their seats",
}


def conditions_of(names: Iterable[str]) -> frozenset[Condition]:
    """The conditions of these names. Raises ``ValueError`` for one that does not exist."""
    chosen = set(names)
    if wrong := sorted(chosen.difference(CONDITIONS)):
        raise ValueError(f"no condition {wrong[0]!r}; there are {', '.join(CONDITIONS)}")
    return frozenset(c for c in CONDITIONS if c in chosen)
