"""The referee: is a throw valid, is a play legal, and if not, which rule does it break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from engine.events import Dice, Fault, MoveXY
from engine.layout import Orientation
from engine.legal import HOME, Leave, Play, Reach, View, illegal_walls, legal_plays, reach, view_of
from engine.notation import Move, notation
from engine.observation import DieReading, Half
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side
from engine.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says of a play.

    ``moves`` and ``notation`` tell what was done, as far as the two positions show it. ``rule`` is
    the id of rules.md that an illegal play breaks, ``reason`` one sentence in plain words.
    ``plays``: the legal plays of the roll.
    """

    legal: bool
    moves: tuple[MoveXY, ...]
    notation: str
    rule: str | None
    reason: str
    plays: tuple[Play, ...]


#: Each rule that can be left out, what its breach is called, in the order in which they are tried.
_LEAVES: tuple[tuple[Leave, str, str], ...] = (
    (Leave.BAR_FIRST, "K2", "a checker was moved while another waits on the bar"),
    (Leave.HEAD, "L2", "more checkers left the head than may leave it in one turn"),
    (Leave.WALL, "L7", "a wall of six was built with no enemy checker ahead of it"),
    (Leave.ALL_HOME, "B1", "a checker was borne off before all fifteen were home"),
    (Leave.HIGHEST, "B3", "a checker was borne off with a higher number while others stand behind it"),
    (Leave.FORWARD, "G4", "a checker was moved backwards"),
)


def judge_play(before: Position, side: Side, dice: Dice, after: Position, rules: RuleSet) -> Verdict:
    """Compare what stands after a turn with what the roll allowed.

    ``before`` and ``after`` are the whole board; the verdict on an illegal play names the first rule
    that, left out, would have made it legal, and E8 (not moved by the dice) when there is none.
    """
    game = rules.game
    plays = legal_plays(before, side, dice, rules)
    for play in plays:
        if play.after == after:
            return _verdict(True, play.moves, None, "legal", plays)

    start, end = view_of(before, game, side), view_of(after, game, side)
    if (reason := _strange(start, end)) is not None:
        return _verdict(False, _guess_moves(start, end, dice), *reason, plays)

    found = reach(start, game, dice, rules)
    unfinished = _moves_to(found, end)
    if unfinished is not None:
        return _verdict(False, unfinished, *_unfinished(found, end), plays)
    for leave, rule, reason_text in _LEAVES:
        moves = _moves_to(reach(start, game, dice, rules, leave), end)
        if moves is not None:
            name = "G5" if rule == "G4" and game is Game.BACKGAMMON else rule
            return _verdict(False, moves, name, reason_text, plays)
    moves = _guess_moves(start, end, dice)
    return _verdict(False, moves, *_by_moves(moves, start, end, dice, game), plays)


def _verdict(
    legal: bool, moves: Sequence[Move], rule: str | None, reason: str, plays: tuple[Play, ...]
) -> Verdict:
    pairs = tuple((m.from_point, m.to_point) for m in moves)
    return Verdict(legal, pairs, notation(moves), rule, reason, plays)


def _moves_to(found: Reach, end: View) -> tuple[Move, ...] | None:
    return next((reached[end] for reached in found.by_count if end in reached), None)


def _unfinished(found: Reach, end: View) -> tuple[str, str]:
    """A turn that stopped short although every move in it was right."""
    used = next(count for count, reached in enumerate(found.by_count) if end in reached)
    most = max(count for count, reached in enumerate(found.by_count) if reached)
    if used == most:
        return "M4", "only one die could be played, and it had to be the larger"
    if used == 0:
        return "M3", "nothing was moved although the roll could be played"
    return "M3", f"{used} of {most} dice were played although {most} could be"


def _strange(start: View, end: View) -> tuple[str, str] | None:
    """What no move of the mover's own checkers can explain."""
    if sum(end.own) != CHECKERS or sum(end.enemy) != CHECKERS:
        return "G1", "a side no longer has fifteen checkers"
    enemy_moved = [
        p
        for p in range(1, 25)
        if end.enemy[p] > start.enemy[p] or (end.enemy[p] < start.enemy[p] and not end.own[p])
    ]
    # A checker that was hit in passing leaves its point empty; each of those shows on the bar.
    lost = sum(start.enemy[p] - end.enemy[p] for p in range(1, 25) if end.enemy[p] < start.enemy[p])
    gained = any(end.enemy[p] > start.enemy[p] for p in range(1, 25))
    if gained or end.enemy[OFF] != start.enemy[OFF] or lost != end.enemy[BAR] - start.enemy[BAR]:
        where = ", ".join(str(p) for p in enemy_moved)
        return "G11", "an opponent's checker was moved" + (f" (mover's points {where})" if where else "")
    return None


def _guess_moves(start: View, end: View, dice: Dice) -> tuple[Move, ...]:
    """Pair the places that lost checkers with those that gained, fitting the dice as well as possible."""
    sources = [p for p in range(BAR, 0, -1) for _ in range(start.own[p] - end.own[p])]
    targets = [p for p in range(24, -1, -1) for _ in range(end.own[p] - start.own[p])]
    if not sources or len(sources) != len(targets):
        return ()
    if len(targets) <= 6:
        orders: Sequence[Sequence[int]] = list(dict.fromkeys(permutations(targets)))
    else:
        orders = [targets]

    def misfit(order: Sequence[int]) -> tuple[int, int]:
        gaps = [source - target for source, target in zip(sources, order, strict=True)]
        return _unexplained(gaps, dice), sum(g < 0 for g in gaps)

    best = min(orders, key=misfit)
    return tuple(
        Move(s, t, t != OFF and start.enemy[t] > 0 and end.enemy[t] < start.enemy[t])
        for s, t in zip(sources, best, strict=True)
    )


def _unexplained(gaps: Sequence[int], dice: Dice) -> int:
    """How many of these distances the dice, each used once, do not give; one checker may use several."""
    left = list(dice) * (2 if dice[0] == dice[1] else 1)
    wrong = 0
    for gap in sorted(gaps):
        uses = next((n for n in range(1, len(left) + 1) if _sum_to(left, n, gap)), 0)
        wrong += not uses
        for die in _sum_to(left, uses, gap) if uses else ():
            left.remove(die)
    return wrong


def _sum_to(dice: Sequence[int], count: int, total: int) -> tuple[int, ...]:
    return next((c for c in combinations(dice, count) if sum(c) == total), ())


def _by_moves(moves: Sequence[Move], start: View, end: View, dice: Dice, game: Game) -> tuple[str, str]:
    """The likeliest cause of a play that breaks more than one rule, or the dice themselves."""
    if any(m.to_point > m.from_point for m in moves):
        return ("G5" if game is Game.BACKGAMMON else "G4"), "a checker was moved backwards"
    if end.own[BAR] and any(m.from_point != BAR for m in moves):
        return "K2", "a checker was moved while another waits on the bar"
    if any(m.to_point == OFF for m in moves) and any(end.own[p] for p in range(HOME + 1, 26)):
        return "B1", "a checker was borne off before all fifteen were home"
    if game is Game.LONG_NARDY and illegal_walls(end) - illegal_walls(start):
        return "L7", "a wall of six was built with no enemy checker ahead of it"
    rolled = f"{dice[0]}-{dice[1]}"
    wrong = next((m for m in moves if m.from_point - m.to_point not in dice and m.to_point != OFF), None)
    if wrong is None:
        return "E8", f"the checkers were not moved as {rolled} says"
    return "E8", f"a checker was moved {wrong.from_point - wrong.to_point} pips on a roll of {rolled}"


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
) -> tuple[Fault, ...]:
    """Every fault of a throw at rest (rules.md D1 to D9); empty if it is valid.

    ``side`` may be unknown: then the half cannot be judged by the thrower's seat. ``cup_used`` is
    ``None`` when the camera did not see how the dice were thrown.
    """
    faults: list[Fault] = []
    if len(dice) < 2:
        faults.append("one_die")
    for die in dice:
        if die.state != "flat" and die.state not in faults:
            faults.append(die.state)
    lying = [d.half for d in dice if d.half != "off" and d.state not in ("on_frame", "off_board")]
    if len(set(lying)) > 1:
        faults.append("two_halves")
    elif (
        rules.throw_half == "right_half"
        and side is not None
        and any(half != right_half(side, orientation) for half in lying)
    ):
        faults.append("wrong_half")
    if rules.dice_from == "cup_required" and cup_used is False:
        faults.append("not_from_cup")
    return tuple(faults)
