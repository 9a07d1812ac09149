"""The story of a match, made up from a seed: what lies on the table and who moves what, second by second.

The whole story is written before anything is painted, so the truth is known in full at once and
any frame can be painted on its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from engine.events import (
    Desync,
    Dice,
    Event,
    Fault,
    GameEnd,
    GameStart,
    PlayMade,
    Resync,
    RollOff,
    Throw,
)
from engine.layout import Orientation, colour_of, slot_of, to_slots
from engine.legal import legal_plays
from engine.notation import Move
from engine.observation import Half
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of
from engine.scoring import GameResult, game_result
from engine.throws import chance_to_be_stuck, has_contact, is_forced, is_void_if_early, right_half
from hardware.table import scene
from hardware.table.choices import Turn, choose, foul
from hardware.table.landing import (
    MANNER_FAULTS,
    THROW_FAULTS,
    XY,
    Lie,
    NoRoom,
    is_free,
    one_more,
    throw_dice,
)
from hardware.table.scene import BAR_WIDTH, FIELD_X, FIELD_Y, POINT, RADIUS, THICK, Checker, Die
from hardware.table.story import Cover, Leaning, Plan, Presence, Reach, Resting, Roll, Scene, Story, Sweep

_GIVEN_UP = 6  #: turns after which a game is given up
#: Where White's 1-point lies when the players have changed colours, but not seats.
TURNED = {
    Orientation.BOTTOM_RIGHT: Orientation.TOP_LEFT,
    Orientation.TOP_LEFT: Orientation.BOTTOM_RIGHT,
    Orientation.BOTTOM_LEFT: Orientation.TOP_RIGHT,
    Orientation.TOP_RIGHT: Orientation.BOTTOM_LEFT,
}
_USUAL_TURNS = 40  #: turns over which faults are spread where nothing bounds a match


def tell(plan: Plan, rng: np.random.Generator, odd: np.random.Generator) -> Story:
    """Make up a match; ``odd`` is drawn from for what ``plan.conditions`` ask for, and for nothing else."""
    return _Teller(plan, rng, odd).match()


@dataclass(slots=True)
class _Teller:
    plan: Plan
    rng: np.random.Generator
    odd: np.random.Generator
    now: float = 0.0
    scenes: list[Scene] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    stills: list[float] = field(default_factory=list)
    presences: list[Presence] = field(default_factory=list)
    jolt: float | None = None
    turned: bool = False  #: the players have changed colours since the first game
    next_cover: int = 2  #: the turn after which the board is covered next
    stacks: dict[tuple[Side, int], list[Checker]] = field(default_factory=dict)
    dice: tuple[Die, ...] = ()
    hand: XY | None = None
    due_throws: list[tuple[int, str]] = field(default_factory=list)  #: (turn, fault), in order
    due_plays: list[tuple[int, str]] = field(default_factory=list)  #: (turn, rule to break), in order
    turns: int = 0

    # Building blocks: each adds a scene and leaves the table as it is after it.

    @property
    def checkers(self) -> tuple[Checker, ...]:
        return tuple(c for stack in self.stacks.values() for c in stack)

    def add(self, seconds: float, action: Reach | Roll | Sweep | None = None) -> None:
        end = self.now + seconds * self.plan.pace * float(self.rng.uniform(0.92, 1.08))
        if action is not None:
            action = replace(action, side=self.player(action.side))
        self.scenes.append(Scene(self.now, end, self.checkers, self.dice, action))
        self.now = end

    def player(self, side: Side) -> Side:
        """Who has a side now, by the side that he had in the first game."""
        return side.other if self.turned else side

    def tell(self, event: Event) -> None:
        """An event that can be seen from now on."""
        self.events.append(event)
        self.stills.append(self.now)

    def put(self, side: Side, point: int) -> Checker:
        """Where the next checker of a side on a point will lie, laid a little carelessly."""
        nth = len(self.stacks.get((side, point), ()))
        x, y, z = self.plan.seats.place(side, point, nth)
        dx, dy = np.clip(self.rng.normal(0, (0.07, 0.04)), -0.12, 0.12)
        return Checker(x + float(dx), y + float(dy), z, side is Side.BLACK, int(self.rng.integers(100)))

    def set_up(self, position: Position) -> None:
        self.stacks = {}
        for (side, point), count in scene.stacks(position, self.plan.rules.game).items():
            for _ in range(count):
                self.stacks.setdefault((side, point), []).append(self.put(side, point))

    def reach(self, side: Side, to: XY | None, seconds: float) -> None:
        if self.hand == to:
            return
        self.add(seconds, Reach(side, self.hand, to))
        self.hand = to

    def carry(self, by: Side, owner: Side, start: int, end: int) -> None:
        """Move the top checker of a point to another."""
        stack = self.stacks[(owner, start)]
        self.reach(by, (stack[-1].x, stack[-1].y), 0.32)
        checker = stack.pop()
        landed = replace(self.put(owner, end), look=checker.look)
        self.add(0.42, Reach(by, self.hand, (landed.x, landed.y), checker, landed))
        self.hand = (landed.x, landed.y)
        self.stacks.setdefault((owner, end), []).append(landed)

    def lift_dice(self, side: Side, dice: Sequence[Die] | None = None) -> float:
        """The hand takes dice away, all if none are named; the moment at which the last one is lifted."""
        for die in sorted(
            self.dice if dice is None else dice, key=lambda d: -d.centre[1] * self.plan.seats.sign(side)
        ):
            self.reach(side, (die.centre[0], die.centre[1]), 0.3 if self.hand is None else 0.2)
            self.dice = tuple(d for d in self.dice if d != die)
        lifted = self.now
        self.reach(side, None, 0.3)
        return lifted

    # A match.

    def match(self) -> Story:
        game = self.plan.rules.game
        faults = self.plan.faults
        throws = (*THROW_FAULTS, *MANNER_FAULTS)
        self.due_throws = self._schedule([f for f in faults if f in throws])
        self.due_plays = self._schedule([f for f in faults if f not in throws])
        side = Side.WHITE if self.rng.random() < 0.5 else Side.BLACK
        score = {Side.WHITE: 0.0, Side.BLACK: 0.0}
        start = self.plan.position or Position.start(game)
        wrong = self._wrong_start() if "wrong_setup" in self.plan.conditions else None
        self.set_up(wrong or start)
        changing, turned_before, games = "colours_change" in self.plan.conditions, False, 0
        rolls_off = "roll_off" in self.plan.conditions
        while True:
            if wrong is not None:
                self._put_right(side, wrong)
            begins = None if rolls_off else side
            turned = self.turned != turned_before
            rules, turned_before = self.plan.rules, self.turned
            self.tell(GameStart(t=self.now, rules=rules, position=start, side_to_move=begins, turned=turned))
            self.add(1.6)
            turns = _GIVEN_UP if changing and games < 2 else None
            result = self._game(start, *(self._roll_off() if rolls_off else (side, None)), turns)
            games += 1
            start = Position.start(game)
            if result is None:
                break
            for winner in Side:
                if result.winner in (winner, None):  # a draw gives points to both (rules.md B8)
                    score[winner] += result.points
            if max(score.values()) >= self.plan.points:
                break
            side = result.winner or side  # the winner begins the next game (rules.md G9, S2-E)
            if changing:
                side, score = side.other, {winner: score[winner.other] for winner in Side}
                seats = replace(self.plan.seats, orientation=TURNED[self.plan.seats.orientation])
                self.plan, self.turned = replace(self.plan, seats=seats), not self.turned
            rolls_off = rolls_off and self.plan.rules.next_game_start == "roll_off"
            wrong = self._wrong_start() if wrong is not None else None
            self._next_game(side, wrong or start)
        self.add(1.0)
        if "resting_hand" in self.plan.conditions:
            self._rest_hands()
        return Story(
            tuple(self.scenes),
            tuple(self.events),
            tuple(self.stills),
            tuple(self.presences),
            self.jolt,
        )

    def _schedule(self, kinds: Sequence[str]) -> list[tuple[int, str]]:
        """At which turn each fault falls due: spread evenly, in the order given."""
        turns = self.plan.max_turns or _USUAL_TURNS
        return [
            (1 + int((i + self.rng.uniform(0.1, 0.7)) * (turns - 1) / len(kinds)), kind)
            for i, kind in enumerate(kinds)
        ]

    def _next_game(self, side: Side, position: Position) -> None:
        """Two arms sweep the board and leave it set up as ``position``."""
        self.add(0.8)
        old = self.stacks
        self.set_up(position)
        new, self.stacks = self.stacks, old
        self.add(1.6, Sweep(side, tuple(c for stack in new.values() for c in stack)))
        self.stacks = new

    def _wrong_start(self) -> Position:
        """A board set up wrong: a checker left out or on another point, or one side the wrong way round."""
        game = self.plan.rules.game
        start = Position.start(game)
        side = Side.WHITE if self.odd.random() < 0.5 else Side.BLACK
        counts = {p: start.count(game, side, p) for p in range(OFF, BAR)}
        point = int(self.odd.choice([p for p, n in counts.items() if n]))
        kinds = ["lacking", "beside", "mirrored"]  # in nardy a checker beside the head might have been played
        kind = self.odd.choice(kinds if game is Game.BACKGAMMON else kinds[2:])
        if kind == "mirrored":
            counts = {p: counts[13 - p if p <= 12 else 37 - p] if p else 0 for p in counts}
        else:
            counts[point] -= 1
            counts[OFF if kind == "lacking" else point - 1] += 1
        points = list(start.points)
        for p in range(1, BAR):
            own = index_of(game, side, p)
            if points[own] * side.sign >= 0:
                points[own] = side.sign * counts[p]
        off = (counts[OFF], 0) if side is Side.WHITE else (0, counts[OFF])
        return Position(tuple(points), (0, 0), off)

    def _put_right(self, side: Side, wrong: Position) -> None:
        """The board stands wrong for a while; then somebody sees it."""
        start, orientation = Position.start(self.plan.rules.game), self.plan.seats.orientation
        slots = zip(to_slots(wrong, orientation), to_slots(start, orientation), strict=True)
        differ = tuple(slot for slot, (is_there, should_be) in enumerate(slots) if is_there != should_be)
        self.tell(Desync(t=self.now, reason="the board is set up wrong", slots=differ))
        self.add(float(self.odd.uniform(11, 13)))
        self._next_game(side, start)

    def _game(
        self, position: Position, side: Side, rolled: Dice | None, turns: int | None
    ) -> GameResult | None:
        """Play a game from a position, the first turn with the dice that were ``rolled`` off, if any.

        It is given up after so many ``turns``, without points. Its result, or ``None`` if the story stops
        before its end.
        """
        rules = self.plan.rules
        first, taken, begun = side, False, self.turns
        while True:
            if self.plan.max_turns is not None and self.turns >= self.plan.max_turns:
                return None
            if turns is not None and self.turns >= begun + turns:
                return GameResult(side.other, "resigned", 0)
            position = self._turn(position, side, rolled)
            self.turns, rolled = self.turns + 1, None
            result = game_result(position, rules, first=first, last_throw_taken=taken)
            taken = CHECKERS in position.off
            if result is not None:
                self.tell(
                    GameEnd(t=self.now, winner=result.winner, result=result.result, points=result.points)
                )
                return result
            side = side.other

    def _turn(self, position: Position, side: Side, rolled: Dice | None) -> Position:
        conditions = self.plan.conditions
        if rolled is None:
            position = self._go_on_out_of_turn(position, side.other)
        dice = rolled or self._roll_values()
        turn = self._decide(position, side, dice)
        landings = self._landings(side, turn)
        if rolled is not None:
            self._throw_one_each(dice, landings)
        else:
            self._throw_badly_if_due(side, landings)
            touched = self._due("touched")
            self._throw(side, self._lies(side, dice, None, landings), ("touched",) if touched else ())
            if touched:
                self._touch_a_die(side, landings)
        if "leaning" in conditions and self.odd.random() < 0.2:
            self._lean(side)
        if "quick_lift" in conditions:
            t = self._move_and_lift(side, turn)
        else:
            self._move(side, turn)
            if self._may_throw_early(position, side, dice) and self._due("premature"):
                self._throw_early(side)
            t = self.lift_dice(side)
        self._tell_play(t, side, dice, turn)
        self.add(0.9 if "quick_lift" in conditions else 0.35)
        self._pass_the_turn(side, turn.after)
        return turn.after

    def _tell_play(self, t: float, side: Side, dice: Dice, turn: Turn) -> None:
        self.tell(
            PlayMade(
                t=t,
                side=side,
                colour=colour_of(side),
                dice=dice,
                moves=turn.told,
                notation=turn.notation,
                legal=turn.rule is None,
                rule=turn.rule,
                position=turn.after,
                slots=to_slots(turn.after, self.plan.seats.orientation),
                bar=turn.after.bar,
                off=turn.after.off,
            )
        )

    def _go_on_out_of_turn(self, position: Position, side: Side) -> Position:
        """Who has played last, ``side``, throws again, if that is due (rules.md G10); the position after it.

        He lifts his dice, or plays them too. Not against one who is shut out: nobody waits for him to throw.
        """
        rules = self.plan.rules
        plays = bool(self.due_throws) and self.due_throws[0][1] == "double_turn"
        due = plays or (bool(self.due_throws) and self.due_throws[0][1] == "wrong_side")
        if not due or self.due_throws[0][0] > self.turns or position == Position.start(rules.game):
            return position
        if chance_to_be_stuck(position, side.other, rules) == 1:
            return position
        dice = self._roll_values()
        play = choose(legal_plays(position, side, dice, rules), self.rng)
        told = tuple((m.from_point, m.to_point) for m in play.moves)
        turn = Turn(play.moves, play.after, told, play.notation, "G10")
        if plays and (not turn.moves or CHECKERS in turn.after.off):
            return position
        del self.due_throws[0]
        self._throw(side, self._lies(side, dice, None, self._landings(side, turn)), ("wrong_side",))
        if not plays:
            self.add(0.9)
            self.lift_dice(side)
            self.add(0.35)
            return position
        self._move(side, turn)
        self._tell_play(self.lift_dice(side), side, dice, turn)
        self.add(0.35)
        return turn.after

    def _roll_off(self) -> tuple[Side, Dice | None]:
        """Who begins, and White's and Black's die if those are the first roll (rules.md G7)."""
        while True:
            white, black = self.odd.integers(1, 7, 2).tolist()
            winner = Side.WHITE if white > black else Side.BLACK
            if white != black and self.plan.rules.opening_roll == "uses_rolloff":
                return winner, (white, black)
            self._throw_one_each((white, black), self.checkers)
            self.add(float(self.odd.uniform(0.6, 1.4)))
            self.lift_dice(winner)
            self.add(0.35)
            if white != black:
                return winner, None

    def _throw_one_each(self, dice: Dice, checkers: Sequence[Checker]) -> None:
        """White and Black throw a die each, one soon or a while after the other."""
        first = Side.WHITE if self.odd.random() < 0.5 else Side.BLACK
        for side in (first, first.other):
            value, half = dice[side.index], right_half(side, self.plan.seats.orientation)
            lies = throw_dice((value, value), "one_die", half, checkers, self.odd, self.dice)
            self._let_roll(side, lies)
            if side is first:
                self.add(float(self.odd.uniform(0.1, 2.5)))
        self.tell(RollOff(t=self.now, white=dice[0], black=dice[1]))

    def _pass_the_turn(self, side: Side, position: Position) -> None:
        """What may happen between two turns."""
        conditions = self.plan.conditions
        if "leaning" in conditions and self.odd.random() < 0.1:
            self._lean(side if self.odd.random() < 0.5 else side.other)
        if "bumped_board" in conditions and self.odd.random() < 0.15:
            self._bump(side)
        if "covered" in conditions and self.turns >= self.next_cover:
            self._cover(side, position)
            self.next_cover = self.turns + int(self.odd.integers(3, 8))
        if "bumped_camera" in conditions and self.jolt is None:
            turns = self.plan.max_turns or _USUAL_TURNS
            if self.turns >= turns * float(self.odd.uniform(0.3, 0.6)):
                self.jolt = self.now
                self.add(0.8)

    def _due(self, kind: str) -> bool:
        """Whether that fault of a throw is to be committed now; it is struck off the list."""
        if not self.due_throws or self.due_throws[0][1] != kind or self.due_throws[0][0] > self.turns:
            return False
        del self.due_throws[0]
        return True

    def _throw_badly_if_due(self, side: Side, landings: Sequence[Checker]) -> None:
        """Throw invalidly and lift the dice again; put off while the board has no place for that fault."""
        if not self.due_throws or self.due_throws[0][0] > self.turns:
            return
        fault = self.due_throws[0][1]
        if fault in ("premature", "touched", "wrong_side", "double_turn"):
            return
        lying = [kind for kind in THROW_FAULTS if kind == fault]
        try:
            if fault == "touching":  # a checker that lies there now
                lies = self._lies(side, self._roll_values(), "touching", self.checkers)
            else:
                lies = self._lies(side, self._roll_values(), lying[0] if lying else None, landings, fault)
            if fault == "wrong_dice":
                lies = one_more(self._roll_values()[0], lies, landings, self.rng)
        except NoRoom:
            return
        del self.due_throws[0]
        match fault:
            case "one_by_one":
                self._throw(side, lies, ("one_die",), one_by_one=True)
            case "not_from_cup":
                self._throw(side, lies, ("not_from_cup",), by_hand=True)
            case "touching":
                self._throw(side, lies, ("on_checker",))
            case "wrong_half" | "wrong_dice":
                self._throw(side, lies, (fault,))
            case _:
                self._throw(side, lies, (lying[0],))
        self.add(0.9)
        self.lift_dice(side)
        self.add(0.35)

    def _may_throw_early(self, position: Position, side: Side, dice: Dice) -> bool:
        """Whether a throw of the other side, while these dice still lie, is void (rules.md D13)."""
        rules = self.plan.rules
        if not self.due_throws or self.due_throws[0][1] != "premature":
            return False
        forced = is_forced(position, side, dice, rules)
        return is_void_if_early(rules, forced=forced, contact=has_contact(position, rules.game))

    def _throw_early(self, side: Side) -> None:
        """The other side throws its own dice before ``side`` lifts its own, and has to take them back."""
        mine, other = self.dice, side.other
        lies = self._lies(other, self._roll_values(), None, self.checkers)
        self._throw(other, lies, ("premature",))
        self.add(0.7)
        self.lift_dice(other, self.dice[len(mine) :])

    def _touch_a_die(self, side: Side, landings: Sequence[Checker]) -> None:
        """A finger shifts a die that had settled, or turns it to another number (rules.md D11)."""
        self.add(0.55)
        which = int(self.odd.integers(2))
        die, other = self.dice[which], self.dice[1 - which]
        self.reach(side, (die.centre[0], die.centre[1]), 0.35)
        value = scene.top_value(die)
        if self.odd.random() < 0.5:
            value = value % 6 + 1
        moved = die
        for _ in range(60):
            dx, dy = self.odd.uniform(-2.2, 2.2, 2).tolist()
            x, y = die.centre[0] + dx, die.centre[1] + dy
            inside = BAR_WIDTH / 2 + 1.6 < abs(x) < FIELD_X - 1.6 and abs(y) < FIELD_Y - 1.6
            if inside and is_free((x, y), landings, [(other.centre[0], other.centre[1])]):
                moved = scene.die_at(x, y, 0, value, float(self.odd.uniform(0, 6.28)))
                break
        self.dice = (moved, other) if which == 0 else (other, moved)
        self.add(0.15)
        self.reach(side, None, 0.3)

    def _move(self, side: Side, turn: Turn) -> None:
        """The hand moves the checkers one by one, hit ones first, and leaves."""
        self.add(0.75 if turn.moves else 1.3)
        for move in turn.moves:
            if "fidgety" in self.plan.conditions:
                self._fidget(side, move)
            self._carry_out(side, move)
        self._finish_moves(side, turn)
        if turn.moves:
            self.add(0.45)

    def _move_and_lift(self, side: Side, turn: Turn) -> float:
        """As ``_move``, but the dice are lifted first, or after the first checker; when the hand has gone."""
        moves = list(turn.moves)
        if moves and self.odd.random() < 0.5:
            self._carry_out(side, moves.pop(0))
        else:
            self.add(0.42)
        self.lift_dice(side)
        if moves:
            self.add(0.3)
        for move in moves:
            self._carry_out(side, move)
        self._finish_moves(side, turn)
        return self.now

    def _carry_out(self, side: Side, move: Move) -> None:
        if self._hits(side, move.to_point):
            self.carry(side, side.other, BAR - move.to_point, BAR)
        self.carry(side, side, move.from_point, move.to_point)

    def _finish_moves(self, side: Side, turn: Turn) -> None:
        if turn.foreign is not None:
            self.carry(side, side.other, turn.foreign.from_point, turn.foreign.to_point)
        self.reach(side, None, 0.3)
        counts = {key: len(stack) for key, stack in self.stacks.items() if stack}
        assert counts == scene.stacks(turn.after, self.plan.rules.game), turn.notation

    # Odd conduct: see hardware.table.conditions.

    def _fidget(self, side: Side, move: Move) -> None:
        """Before a move: take another back, straighten a checker, hold one over other points, or wait."""
        what = self.odd.choice(["nothing", "take back", "straighten", "hover", "wait"])
        open_points = [p for p in range(1, 25) if not self.stacks.get((side.other, self._theirs(p)))]
        elsewhere = [p for p in open_points if p not in (move.from_point, move.to_point)]
        if what == "take back" and elsewhere:
            point = int(self.odd.choice(elsewhere))
            self.carry(side, side, move.from_point, point)
            self.add(float(self.odd.uniform(0.4, 1.2)))
            self.carry(side, side, point, move.from_point)
        elif what == "straighten":
            self._straighten(side, int(self.odd.choice([p for s, p in self.stacks if s is side and p])))
        elif what == "hover":
            self._hover(side, move.from_point)
        elif what == "wait":
            self.reach(side, None, 0.3)
            self.add(float(self.odd.uniform(1.0, 2.5)))

    def _theirs(self, point: int) -> int:
        """A point of one side as the other counts it."""
        game = self.plan.rules.game
        return 25 - point if game is Game.BACKGAMMON else (point + 11) % 24 + 1

    def _straighten(self, side: Side, point: int) -> None:
        """Put the top checker of a point down again where it lies, a little off."""
        stack = self.stacks[(side, point)]
        if not stack:
            return
        self.reach(side, (stack[-1].x, stack[-1].y), 0.32)
        checker = stack.pop()
        landed = replace(self.put(side, point), look=checker.look)
        self.add(0.25, Reach(side, self.hand, (landed.x, landed.y), checker, landed))
        self.hand = (landed.x, landed.y)
        stack.append(landed)

    def _hover(self, side: Side, point: int) -> None:
        """Hold a checker over two other points, one after the other, and put it back."""
        stack = self.stacks[(side, point)]
        self.reach(side, (stack[-1].x, stack[-1].y), 0.32)
        held = stack.pop()
        stops = [held.at(*self._anywhere(), 2.2) for _ in range(2)]
        for now, then in pairwise([held, stops[0], stops[0], stops[1], stops[1], held]):
            seconds = 0.42 if now != then else float(self.odd.uniform(0.2, 0.6))
            self.add(seconds, Reach(side, (now.x, now.y), (then.x, then.y), now, then))
        self.hand = (held.x, held.y)
        stack.append(held)

    def _anywhere(self) -> XY:
        """The middle of a slot, two or three checkers from the edge."""
        slot = int(self.odd.integers(24))
        y = FIELD_Y - float(self.odd.uniform(6, 10))
        return scene.slot_x(slot), y if slot >= 12 else -y

    def _lean(self, side: Side) -> None:
        """A player looks closely, and is on his way back when play goes on."""
        seconds = float(self.odd.uniform(1.5, 3.5))
        lean = Leaning(
            self.player(side), self.now, self.now + seconds * self.plan.pace, float(self.odd.uniform(-14, 14))
        )
        self.presences.append(lean)
        self.add(0.8 * seconds)

    def _rest_hands(self) -> None:
        """Now White, now Black lays a hand on the frame, all through the match."""
        t = 2.0
        while t < self.now:
            side = Side.WHITE if self.odd.random() < 0.5 else Side.BLACK
            end = t + float(self.odd.uniform(15, 40))
            seat = self.plan.seats.sign(side)
            x = float(self.odd.uniform(5, FIELD_X - 3)) * (1 if self.odd.random() < 0.5 else -1)
            self.presences.append(Resting(self.player(side), t, end, (x, seat * (FIELD_Y - 0.8))))
            t = end + float(self.odd.uniform(3, 10))

    def _bump(self, side: Side) -> None:
        """All checkers slip by millimetres, one or two by half a point; a hand puts those right."""
        push = self.odd.normal(0, 0.15, 2)
        for key, stack in self.stacks.items():
            if key[1] not in (OFF, BAR):
                shifts = np.clip(push + self.odd.normal(0, 0.08, (len(stack), 2)), -0.3, 0.3)
                self.stacks[key] = [
                    c.at(c.x + float(dx), c.y + float(dy), c.z)
                    for c, (dx, dy) in zip(stack, shifts, strict=True)
                ]
        astray: list[tuple[Side, int]] = []
        ends = [key for key, stack in self.stacks.items() if stack and key[1] not in (OFF, BAR)]
        for i in self.odd.permutation(len(ends)).tolist():
            stack = self.stacks[ends[i]]
            top = stack[-1]
            x = top.x + POINT / 2 * float(self.odd.choice([-1, 1]))
            others = [c for c in self.checkers if c != top]
            room = all(math.hypot(c.x - x, c.y - top.y) > 2 * RADIUS for c in others)
            inside = BAR_WIDTH / 2 + RADIUS < abs(x) < FIELD_X - RADIUS
            if top.z < THICK / 2 and room and inside:
                stack[-1] = top.at(x, top.y, top.z)
                astray.append(ends[i])
            if len(astray) == 1 + (self.turns % 2):
                break
        self.add(float(self.odd.uniform(2.0, 5.0)))
        for owner, point in astray:
            self.carry(side, owner, point, point)
        self.reach(side, None, 0.3)
        self.add(0.5)

    def _cover(self, side: Side, position: Position) -> None:
        """A pause: the board is covered. The cloth may take a checker along, which is then put back."""
        cover = Cover(self.player(side), self.now, self.now + float(self.odd.uniform(9, 20)) * self.plan.pace)
        self.presences.append(cover)
        self.add((cover.end - cover.start) / 2 / self.plan.pace)
        ends = [
            (owner, p, q)
            for (owner, p), stack in self.stacks.items()
            for q in (p - 1, p + 1)
            if stack and {p, q} <= set(range(1, BAR)) and not self.stacks.get((owner.other, self._theirs(q)))
        ]
        slipped = ends[int(self.odd.integers(len(ends)))] if self.odd.random() < 0.4 else None
        if slipped is not None:
            owner, p, q = slipped
            self.stacks[owner, p].pop()
            self.stacks.setdefault((owner, q), []).append(self.put(owner, q))
        self.scenes.append(Scene(self.now, cover.end, self.checkers, self.dice))
        self.now = cover.end
        if slipped is not None:
            orientation = self.plan.seats.orientation
            slots = [slot_of(orientation, index_of(self.plan.rules.game, owner, n)) for n in (p, q)]
            reason = "the cloth has taken a checker along"
            self.tell(Desync(t=self.now, reason=reason, slots=tuple(sorted(slots))))
            self.add(float(self.odd.uniform(3.2, 4.2)))
            self.carry(side, owner, q, p)
            self.reach(side, None, 0.3)
            self.tell(Resync(t=self.now, reason="it was put back", slots=(), position=position))
        self.add(float(self.odd.uniform(1.0, 2.0)))

    def _roll_values(self) -> Dice:
        a, b = self.rng.integers(1, 7, 2).tolist()
        return a, b

    def _hits(self, side: Side, point: int) -> bool:
        short = self.plan.rules.game is Game.BACKGAMMON
        return short and 0 < point < BAR and bool(self.stacks.get((side.other, BAR - point)))

    def _decide(self, position: Position, side: Side, dice: Dice) -> Turn:
        """The play of a turn: a foul that is due and possible here, or a sensible legal play."""
        rules = self.plan.rules
        for place, (turn, kind) in enumerate(self.due_plays):
            wrong = foul(kind, position, side, dice, rules, self.rng) if turn <= self.turns else None
            if wrong is not None:
                del self.due_plays[place]
                return wrong
        play = choose(
            legal_plays(position, side, dice, rules), self.rng, "tall_stacks" in self.plan.conditions
        )
        told = tuple((m.from_point, m.to_point) for m in play.moves)
        return Turn(play.moves, play.after, told, play.notation)

    def _landings(self, side: Side, turn: Turn) -> list[Checker]:
        """Everywhere that a checker lies or will lie in this turn, so that no die lies in its way."""
        counts = {key: len(stack) for key, stack in self.stacks.items()}
        places = list(self.checkers)

        def land(owner: Side, point: int) -> None:
            nth = counts.get((owner, point), 0)
            x, y, z = self.plan.seats.place(owner, point, nth)
            places.append(Checker(x, y, z, owner is Side.BLACK, 0))
            counts[(owner, point)] = nth + 1

        for move in turn.moves:
            counts[(side, move.from_point)] -= 1
            land(side, move.to_point)
        if turn.foreign is not None:
            counts[(side.other, turn.foreign.from_point)] -= 1
            land(side.other, turn.foreign.to_point)
        return places

    def _lies(
        self,
        side: Side,
        dice: Dice,
        lying: Fault | Literal["touching"] | None,
        checkers: Sequence[Checker],
        fault: str = "",
    ) -> tuple[Lie, ...]:
        """Where the dice of a throw come to rest, rather in the half to the thrower's right.

        ``lying``: what is wrong with how they lie, if anything; ``fault`` the fault of the whole throw.
        Raises ``NoRoom`` if that is not possible in any half; a valid throw always is.
        """
        halves: tuple[Half, ...] = (right_half(side, self.plan.seats.orientation),)
        halves += ("left",) if halves[0] == "right" else ("right",)
        if self.plan.rules.throw_half == "right_half":
            halves = halves[1:] if fault == "wrong_half" else halves[:1]
        elif self.rng.random() < 0.25:
            halves = halves[::-1]
        try:
            return throw_dice(dice, lying, halves[0], checkers, self.rng, self.dice)
        except NoRoom:
            return throw_dice(dice, lying, halves[-1], checkers, self.rng, self.dice)

    def _throw(
        self,
        side: Side,
        lies: tuple[Lie, ...],
        faults: tuple[Fault, ...],
        *,
        by_hand: bool = False,
        one_by_one: bool = False,
    ) -> None:
        self._let_roll(side, lies, by_hand=by_hand, one_by_one=one_by_one)
        values = tuple(scene.top_value(lie.die) for lie in lies)
        if len(values) > 2:  # a throw is told as two values: see :class:`engine.events.Throw`
            values = tuple(sorted(values, reverse=True))
        self.tell(
            Throw(
                t=self.now,
                side=side,
                colour=colour_of(side),
                dice=(values[0], values[1] if len(values) > 1 else 0),
                valid=faults in ((), ("touched",)),
                faults=faults,
                halves=tuple(lie.half for lie in lies),
            )
        )

    def _let_roll(
        self, side: Side, lies: tuple[Lie, ...], *, by_hand: bool = False, one_by_one: bool = False
    ) -> None:
        """The dice leave the cup or the hand and come to rest."""
        finals = tuple(lie.die for lie in lies)
        spins = tuple(float(self.rng.uniform(7, 12)) for _ in lies)
        side_x = sum(lie.die.centre[0] for lie in lies if lie.half != "off")
        cup_x = math.copysign(FIELD_X / 2, side_x) + float(self.rng.uniform(-3, 3))
        seat = self.plan.seats.sign(side)
        cup = (cup_x, seat * (FIELD_Y - 7.0 + float(self.rng.uniform(-1, 2))))
        casts = zip(finals, spins, strict=True)
        for part in [[cast] for cast in casts] if one_by_one else [list(casts)]:
            dice, turns = zip(*part, strict=True)
            self.add(1.35, Roll(side, dice, turns, cup, by_hand))
            self.dice += dice
