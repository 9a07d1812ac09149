"""The judge of throws: does a throw count, and if not, why and what follows.

What the camera saw of a throw is a :class:`ThrowSeen`; what the rule set says of it a
:class:`ThrowVerdict`. Only what was seen is held against a thrower: where the camera could not tell
(``None``), nothing is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.events import Dice, Fault
from engine.layout import Orientation
from engine.legal import legal_plays
from engine.observation import DieReading, DieState, Half
from engine.position import BAR, Game, Position, Side
from engine.rules import RuleSet

#: Every fault of a throw in a few words, and the id in rules.md of the rule that makes it one.
FAULTS: dict[Fault, tuple[str, str]] = {
    "cocked": ("a die is cocked", "D7"),
    "on_checker": ("a die lies on a checker or touches one", "D8"),
    "on_frame": ("a die lies on the frame or the bar", "D9"),
    "off_board": ("a die left the board", "D5"),
    "two_halves": ("the dice lie in different halves", "D6"),
    "wrong_half": ("the dice lie in the wrong half", "D4"),
    "one_die": ("the dice were not thrown together", "D1"),
    "not_from_cup": ("the dice were not thrown from the cup", "D2"),
    "premature": ("the throw came too early", "D13"),
    "touched": ("a die was touched", "D11"),
    "wrong_dice": ("they are not the dice to be thrown", "D12"),
    "wrong_side": ("it was not his turn", "G10"),
}

#: The 21 rolls, the higher value first, and their probabilities.
THROWS: dict[Dice, float] = {(a, b): (1 if a == b else 2) / 36 for a in range(1, 7) for b in range(1, a + 1)}

#: What follows: both dice are thrown again (rules.md D10), or the roll is played as it lies.
Then = Literal["both_again", "roll_stands"]


@dataclass(frozen=True, slots=True)
class DieSeen:
    """Where and how one die came to rest. ``touches_checker``: it leans on or lies against one."""

    half: Half
    state: DieState = "flat"
    touches_checker: bool = False
    moving: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowSeen:
    """What was seen of a throw; ``None`` is what was not seen or is not known.

    ``dice``: those of this throw. ``thrower`` threw, ``to_move`` has the turn. ``together``: both dice
    left the cup or the hand at once. ``own_dice``: they are of the thrower's own pair, which matters
    where each player has one. ``cup_demanded``: the opponent has asked for the cup. ``moved_before``: a
    checker of this turn was moved before the dice lay still. ``other_finished``: the turn before had ended;
    ``forced`` and ``contact`` tell of that turn (see :func:`is_forced` and :func:`has_contact`).
    ``touched``: a die was turned, shifted or lifted after it had settled and before the turn ended.
    """

    dice: tuple[DieSeen, ...]
    thrower: Side | None = None
    to_move: Side | None = None
    together: bool | None = None
    own_dice: bool | None = None
    cup_used: bool | None = None
    cup_demanded: bool = False
    moved_before: bool = False
    other_finished: bool | None = None
    forced: bool = False
    contact: bool = True
    touched: bool = False


@dataclass(frozen=True, slots=True)
class ThrowFault:
    """One fault of a throw: its name, the rule of rules.md and a plain sentence.

    ``void``: it makes the throw void. A fault that does not is told and the roll stands.
    """

    fault: Fault
    rule: str
    reason: str
    void: bool = True


@dataclass(frozen=True, slots=True)
class ThrowVerdict:
    """What the referee says of a throw; ``then`` is what follows."""

    faults: tuple[ThrowFault, ...]
    settled: bool = True  #: false while a die still moves: nothing can be said yet

    @property
    def valid(self) -> bool:
        """Whether the roll counts."""
        return self.settled and not any(fault.void for fault in self.faults)

    @property
    def then(self) -> Then:
        """Both dice are thrown again, never one alone (rules.md D10), or the roll stands.

        Before the dice have settled only a fault in the manner of throwing is known.
        """
        return "both_again" if any(fault.void for fault in self.faults) else "roll_stands"


_LYING: dict[DieState, tuple[str, str]] = {
    "cocked": ("D7", "a die is cocked: it does not lie flat"),
    "on_checker": ("D8", "a die lies on a checker"),
    "on_frame": ("D9", "a die lies on the frame or the bar"),
    "off_board": ("D5", "a die left the board"),
}


def judge_throw(seen: ThrowSeen, rules: RuleSet, orientation: Orientation) -> ThrowVerdict:
    """Every fault of a throw under a rule set.

    ``orientation`` tells where the players sit, for the rule of the right half (D4). While a die is
    still moving nothing can be said of how the dice lie, and the verdict is not ``settled``.
    """
    settled = not any(die.moving for die in seen.dice)
    faults = _number(seen, rules)
    if settled:
        faults += _rest(seen.dice, seen.thrower, rules, orientation)
    faults += _cup(seen, rules)
    faults += _time(seen, rules)
    if settled and seen.touched:
        # The dice lie until the turn ends; who touches them before that cannot undo what was seen.
        text = "a die was touched before the turn had ended; the roll stands as it was seen"
        faults.append(ThrowFault("touched", "D11", text, void=False))
    return ThrowVerdict(tuple(faults), settled)


def _number(seen: ThrowSeen, rules: RuleSet) -> list[ThrowFault]:
    """How many dice, which, and whether together (rules.md D1, D12)."""
    faults = []
    number = len(seen.dice)
    if number < 2:
        text = "only one die was thrown" if number else "no die lies on the board"
        faults.append(ThrowFault("one_die", "D1", f"{text}; both are thrown"))
    elif number == 2 and seen.together is False:
        faults.append(ThrowFault("one_die", "D1", "the dice were thrown one after the other, not together"))
    if number > 2:
        faults.append(ThrowFault("wrong_dice", "D12", f"{number} dice were thrown; a roll is two"))
    elif seen.own_dice is False and rules.dice_pairs == 2:
        faults.append(ThrowFault("wrong_dice", "D12", "the dice are the opponent's, and each has his own"))
    return faults


def _rest(
    dice: Sequence[DieSeen], thrower: Side | None, rules: RuleSet, orientation: Orientation
) -> list[ThrowFault]:
    """How and where the dice lie (rules.md D3 to D9)."""
    faults: list[ThrowFault] = []
    for state in dict.fromkeys(die.state for die in dice):
        if state == "flat" or (state == "on_checker" and rules.die_on_checker == "valid_if_flat"):
            continue
        rule, text = _LYING[state]
        faults.append(ThrowFault(state, rule, text))
    touching = any(die.touches_checker and die.state == "flat" for die in dice)
    if touching and touching_matters(rules) and not any(f.rule == "D8" for f in faults):
        faults.append(ThrowFault("on_checker", "D8", "a die touches a checker"))
    halves = {die.half for die in dice if die.half != "off" and die.state not in ("on_frame", "off_board")}
    if rules.throw_half == "any_half":
        return faults
    if len(halves) > 1:
        faults.append(ThrowFault("two_halves", "D6", "the dice lie in different halves of the board"))
    elif (
        rules.throw_half == "right_half"
        and thrower is not None
        and halves
        and halves != {right_half(thrower, orientation)}
    ):
        faults.append(ThrowFault("wrong_half", "D4", "the dice lie in the half to the thrower's left"))
    return faults


def _cup(seen: ThrowSeen, rules: RuleSet) -> list[ThrowFault]:
    """What the dice were thrown from (rules.md D2)."""
    if seen.cup_used is not False:
        return []
    if rules.dice_from == "cup_required":
        return [ThrowFault("not_from_cup", "D2", "the dice were not thrown from a cup")]
    if rules.dice_from == "cup_on_demand" and seen.cup_demanded:
        return [ThrowFault("not_from_cup", "D2", "the opponent had asked for a cup, and none was used")]
    return []


def _time(seen: ThrowSeen, rules: RuleSet) -> list[ThrowFault]:
    """Whether the throw came in its turn and in its time (rules.md D1, D13, G10)."""
    if seen.other_finished is False:
        if not is_void_if_early(rules, forced=seen.forced, contact=seen.contact):
            return []
        return [
            ThrowFault("premature", "D13", "the dice were thrown before the opponent had finished his turn")
        ]
    if seen.thrower is not None and seen.to_move is not None and seen.thrower is not seen.to_move:
        text = f"{seen.thrower.value} threw, but it is {seen.to_move.value}'s turn"
        return [ThrowFault("wrong_side", "G10", text)]
    if seen.moved_before:
        return [ThrowFault("premature", "D1", "a checker was moved before the dice lay still")]
    return []


def right_half(side: Side, orientation: Orientation) -> Half:
    """The half of the picture to the right of a player, who sits where his home is."""
    white_at_bottom = orientation in (Orientation.BOTTOM_LEFT, Orientation.BOTTOM_RIGHT)
    return "right" if (side is Side.WHITE) == white_at_bottom else "left"


def throw_faults(
    dice: Sequence[DieReading],
    side: Side | None,
    rules: RuleSet,
    orientation: Orientation,
    *,
    cup_used: bool | None = None,
    cup_demanded: bool = False,
    together: bool | None = None,
    early: bool = False,
    to_move: Side | None = None,
) -> tuple[Fault, ...]:
    """The faults that a throw at rest shows by itself, by name; empty if it is valid.

    ``side`` may be unknown: then the half cannot be judged by the thrower's seat. ``cup_used`` and
    ``together`` are ``None`` when the camera did not see how the dice were thrown. ``early``: the turn before
    had not ended, and it was neither forced nor without contact. ``to_move``: whose turn it is, if that is
    sure.
    """
    seen = ThrowSeen(
        dice=tuple(DieSeen(die.half, die.state, die.touching > 0.5) for die in dice),
        thrower=side,
        to_move=to_move,
        cup_used=cup_used,
        cup_demanded=cup_demanded,
        together=together,
        other_finished=False if early else None,
    )
    return tuple(fault.fault for fault in judge_throw(seen, rules, orientation).faults)


def touching_matters(rules: RuleSet | None) -> bool:
    """Whether a flat die that touches a checker is void (rules.md D8); by the usual rules it is not."""
    return rules is not None and rules.die_touching_checker == "invalid"


def is_void_if_early(rules: RuleSet, *, forced: bool, contact: bool) -> bool:
    """Whether a throw is void that was made before the turn before it was over (rules.md D13).

    ``forced`` and ``contact`` tell of that turn: see :func:`is_forced` and :func:`has_contact`.
    """
    if rules.early_roll == "void_unless_forced_or_no_contact":
        return contact and not forced
    return rules.early_roll == "void"


def is_forced(position: Position, side: Side, dice: Dice, rules: RuleSet) -> bool:
    """Whether a roll leaves no choice: one legal play, or none at all (rules.md D13)."""
    return len(legal_plays(position, side, dice, rules)) == 1


@lru_cache(maxsize=64)
def chance_to_be_stuck(position: Position, side: Side, rules: RuleSet) -> float:
    """Probability that a roll leaves a side nothing to move; 1 for one that is shut out (rules.md M6).

    Who is shut out often does not throw at all, and the opponent goes on.
    """
    stuck = [dice for dice in THROWS if not legal_plays(position, side, dice, rules)[0].moves]
    return 1.0 if len(stuck) == len(THROWS) else sum(THROWS[dice] for dice in stuck)


def has_contact(position: Position, game: Game) -> bool:
    """Whether the sides can still get in each other's way (rules.md D13).

    In backgammon they can until every checker has passed every one of the opponent's. In long nardy
    the sides run after each other; they are apart once all checkers have the first twelve holes
    behind them, for only then does neither still have to go where the other stands or comes.
    """
    own, other = (
        [p for p in range(1, BAR + 1) if position.count(game, side, p)] for side in (Side.WHITE, Side.BLACK)
    )
    if not own or not other:
        return False
    if game is Game.LONG_NARDY:
        return max(own + other) > 12
    return max(own) + max(other) > 25
