"""Where the dice of a throw come to rest on the simulated table, by rule or against it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.events import Dice, Fault
from engine.observation import Half
from engine.rules import RuleSet
from hardware.table import scene
from hardware.table.scene import BAR_WIDTH, DIE, FIELD_X, FIELD_Y, RADIUS, RIM_HEIGHT, THICK, Checker, Die

THROW_FAULTS: tuple[Fault, ...] = ("two_halves", "cocked", "on_checker", "on_frame", "off_board", "one_die")

#: Faults in the manner of throwing; ``one_by_one`` is told as ``one_die`` (rules.md D1), and ``double_turn``,
#: a throw out of turn that is played too, as ``wrong_side`` and a play against G10; of ``wrong_dice`` three
#: leave the cup (D12), and ``touching``, a flat die against a checker, is told as ``on_checker`` (D8). All
#: but ``touched`` make the throw void. See :func:`possible`.
MANNER_FAULTS = (
    "one_by_one",
    "premature",
    "touched",
    "not_from_cup",
    "wrong_half",
    "wrong_side",
    "double_turn",
    "wrong_dice",
    "touching",
)

XY = tuple[float, float]

_CLEAR = DIE * 0.72  #: a flat die lies within this distance of its centre


def possible(fault: str, rules: RuleSet) -> bool:
    """Whether something is a fault of a throw by a rule set, as far as that is a matter of its options."""
    match fault:
        case "not_from_cup":
            return rules.dice_from == "cup_required"
        case "wrong_half":
            return rules.throw_half == "right_half"
        case "two_halves":
            return rules.throw_half != "any_half"
        case "premature":
            return rules.early_roll != "allowed" and rules.dice_pairs == 2
        case "touching":
            return rules.die_touching_checker == "invalid"
        case _:
            return True


class NoRoom(Exception):
    """There is no place for a die of this kind on the board as it stands."""


@dataclass(frozen=True, slots=True)
class Lie:
    """A die at rest, and the half it lies in."""

    die: Die
    half: Half


def half_sign(half: Half) -> int:
    """-1 for the left half, +1 for the right."""
    return -1 if half == "left" else 1


def is_free(xy: XY, checkers: Iterable[Checker], others: Iterable[XY]) -> bool:
    """Whether a flat die has room there among checkers and the centres of other dice."""
    if any(math.hypot(c.x - xy[0], c.y - xy[1]) < RADIUS + _CLEAR + 0.15 for c in checkers):
        return False
    return all(math.hypot(x - xy[0], y - xy[1]) > 2 * _CLEAR + 0.2 for x, y in others)


def _flat(
    value: int, half: Half, checkers: Sequence[Checker], others: Sequence[XY], rng: np.random.Generator
) -> Lie:
    """A die that lies flat in a half and touches nothing."""
    margin = _CLEAR + 0.2
    for attempt in range(600):
        x = rng.uniform(BAR_WIDTH / 2 + margin, FIELD_X - margin) * half_sign(half)
        strip = attempt > 200 or rng.random() < 0.7
        y = (
            float(np.clip(rng.normal(0, 0.8), -2, 2))
            if strip
            else rng.uniform(margin - FIELD_Y, FIELD_Y - margin)
        )
        if is_free((x, y), checkers, others):
            return Lie(scene.die_at(x, y, 0, value, rng.uniform(0, 2 * math.pi)), half)
    raise NoRoom(f"no room for a die in the {half} half")


def _cocked(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> Lie:
    """A die that leans on the frame, the bar or a checker."""
    sign = half_sign(half)
    angle = math.radians(rng.uniform(22, 35))
    reach_out = DIE / 2 * (math.cos(angle) + math.sin(angle))
    yaw = math.pi / 2 * int(rng.integers(4)) + rng.normal(0, 0.06)
    lean = int(rng.choice([-1, 1]))

    def die(x: float, y: float, along: float) -> Lie:
        """A die at a place whose support lies in the direction ``along`` (radians)."""
        axis = (-math.sin(along), math.cos(along), 0.0)
        tilt = scene.turn_about(axis, lean * angle)
        return Lie(scene.die_at(x, y, 0, value, yaw + along, tilt), half)

    for _ in range(200):
        kind = rng.choice(["side", "bar", "end", "checker"])
        if kind in ("side", "bar"):
            outwards = sign if kind == "side" else -sign
            x = sign * (FIELD_X if kind == "side" else BAR_WIDTH / 2) - outwards * reach_out
            y = rng.uniform(-FIELD_Y + 2, FIELD_Y - 2)
            if is_free((x, y), checkers, ()):
                return die(x, y, 0.0 if outwards > 0 else math.pi)
        elif kind == "end":
            edge = int(rng.choice([-1, 1]))
            x = sign * rng.uniform(BAR_WIDTH / 2 + 2, FIELD_X - 2)
            y = edge * (FIELD_Y - reach_out)
            if is_free((x, y), checkers, ()):
                return die(x, y, edge * math.pi / 2)
        else:
            lying = [c for c in checkers if c.z < THICK / 2 and BAR_WIDTH / 2 < c.x * sign < FIELD_X]
            if not lying:
                continue
            leant = lying[int(rng.integers(len(lying)))]
            towards = -math.copysign(1, leant.y)
            y = leant.y + towards * (RADIUS + reach_out)
            if abs(y) < FIELD_Y - 2 and is_free((leant.x, y), [c for c in checkers if c != leant], ()):
                near = [c for c in checkers if c != leant and math.hypot(c.x - leant.x, c.y - leant.y) < 1.5]
                if not near:  # a stack would hold it otherwise
                    return die(leant.x, y, -towards * math.pi / 2)
    raise NoRoom("nothing to lean on")


def _on_checker(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> Lie:
    """A die that lies flat on top of a checker."""
    sign = half_sign(half)
    tops = [
        c
        for c in checkers
        if BAR_WIDTH / 2 < c.x * sign < FIELD_X
        and not any(o.z > c.z and math.hypot(o.x - c.x, o.y - c.y) < 2 * RADIUS for o in checkers)
    ]
    if not tops:
        raise NoRoom("no checker to lie on")
    c = tops[int(rng.integers(len(tops)))]
    x, y = c.x + rng.uniform(-0.4, 0.4), c.y + rng.uniform(-0.4, 0.4)
    return Lie(scene.die_at(x, y, c.z + THICK, value, rng.uniform(0, 6.28)), half)


def _touching(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> Lie:
    """A die that lies flat against the rim of a checker."""
    sign = half_sign(half)
    lying = [c for c in checkers if c.z < THICK / 2 and BAR_WIDTH / 2 < c.x * sign < FIELD_X]
    for _ in range(600 if lying else 0):
        touched = lying[int(rng.integers(len(lying)))]
        along, yaw = rng.uniform(0, 2 * math.pi, 2).tolist()
        away = _contact(along - yaw)
        x, y = touched.x + away * math.cos(along), touched.y + away * math.sin(along)
        inside = BAR_WIDTH / 2 + _CLEAR < x * sign < FIELD_X - _CLEAR and abs(y) < FIELD_Y - _CLEAR
        if inside and is_free((x, y), [c for c in checkers if c != touched], ()):
            return Lie(scene.die_at(x, y, 0, value, yaw), half)
    raise NoRoom("no checker that a die could touch")


def _contact(turned: float) -> float:
    """Distance from a checker's middle to that of a flat die at its rim, ``turned`` (radians) against it."""
    half, small, great = DIE / 2, *sorted((abs(math.sin(turned)), abs(math.cos(turned))))
    away = (RADIUS + half) / great
    if away * small <= half:  # with a side
        return away
    return half * (great + small) + math.sqrt(RADIUS**2 - (half * (great - small)) ** 2)  # with a corner


def _on_frame(value: int, half: Half, checkers: Sequence[Checker], rng: np.random.Generator) -> Lie:
    """A die that lies flat on the bar or on the frame."""
    sign = half_sign(half)
    yaw = rng.uniform(0, 6.28)
    for _ in range(100):
        if rng.random() < 0.5:
            x, y = sign * rng.uniform(0.1, 0.7), rng.uniform(-FIELD_Y + 2, FIELD_Y - 2)
        else:
            x, y = sign * (FIELD_X + scene.RIM / 2), rng.uniform(-FIELD_Y, FIELD_Y)
            yaw = math.pi / 2 * int(rng.integers(4)) + rng.normal(0, 0.12)
        if is_free((x, y), [c for c in checkers if c.z > THICK], ()):
            return Lie(scene.die_at(x, y, RIM_HEIGHT, value, yaw), half)
    raise NoRoom("the frame is full")


def _off_board(value: int, rng: np.random.Generator) -> Lie:
    """A die on the table, left of the board (the tray is on the right)."""
    x = -FIELD_X - scene.RIM - rng.uniform(2.6, 3.9)
    y = rng.uniform(-FIELD_Y + 4, FIELD_Y - 4)
    return Lie(scene.die_at(x, y, scene.TABLE, value, rng.uniform(0, 6.28)), "off")


def throw_dice(
    dice: Dice,
    fault: Fault | Literal["touching"] | None,
    half: Half,
    checkers: Sequence[Checker],
    rng: np.random.Generator,
    lying: Sequence[Die] = (),
) -> tuple[Lie, ...]:
    """Where both dice come to rest; a ``fault`` is committed with one of them.

    ``lying``: dice that lie there already, from which those of a flat throw keep away. Raises ``NoRoom``.
    """
    taken = [(die.centre[0], die.centre[1]) for die in lying]
    bad = int(rng.integers(2))
    other: Half = "left" if half == "right" else "right"
    first: Lie
    match fault:
        case None | "two_halves" | "one_die":
            first = _flat(dice[bad], half, checkers, taken, rng)
        case "cocked":
            first = _cocked(dice[bad], half, checkers, rng)
        case "on_checker":
            first = _on_checker(dice[bad], half, checkers, rng)
        case "touching":
            first = _touching(dice[bad], half, checkers, rng)
        case "on_frame":
            first = _on_frame(dice[bad], half, checkers, rng)
        case "off_board":
            first = _off_board(dice[bad], rng)
        case _:
            raise ValueError(f"the table cannot commit {fault!r}")
    if fault == "one_die":
        return (first,)
    taken.append((first.die.centre[0], first.die.centre[1]))
    second = _flat(dice[1 - bad], other if fault == "two_halves" else half, checkers, taken, rng)
    return (first, second) if bad == 0 else (second, first)


def one_more(
    value: int, lies: Sequence[Lie], checkers: Sequence[Checker], rng: np.random.Generator
) -> tuple[Lie, ...]:
    """The dice of a throw and a third one, flat in the half of the first. Raises ``NoRoom``."""
    taken = [(lie.die.centre[0], lie.die.centre[1]) for lie in lies]
    return (*lies, _flat(value, lies[0].half, checkers, taken, rng))
