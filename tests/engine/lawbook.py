"""The rules of moving once more, by brute force, as a second opinion on :mod:`engine.legal`.

Every checker is an individual here, which knows whether it moved and whether it hit in this turn, and
each rule is written out as the catalogue words it. Nothing is fast and nothing is shared with the
engine but its value types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from engine.events import Dice
from engine.notation import Move
from engine.position import BAR, OFF, Game, Position, Side, index_of
from engine.rules import RuleSet

#: The enemy's way in long nardy, from his head to his last hole, in the mover's points.
ENEMY_WAY = (*range(12, 0, -1), *range(24, 12, -1))


class Checker(NamedTuple):
    """One of the mover's checkers."""

    point: int
    moved: bool = False
    hit: bool = False


@dataclass(frozen=True)
class Board:
    """The mover's checkers, sorted, and the enemy's by the mover's points, 0 off to 25 bar."""

    own: tuple[Checker, ...]
    enemy: tuple[int, ...]

    def count(self, point: int) -> int:
        """The mover's checkers on a point."""
        return sum(checker.point == point for checker in self.own)


class Law:
    """What the rules say of one turn."""

    def __init__(self, position: Position, side: Side, dice: Dice, rules: RuleSet) -> None:
        self.game, self.side, self.dice, self.rules = rules.game, side, dice, rules
        self.nardy = self.game is Game.LONG_NARDY
        own = [(p, position.count(self.game, side, p)) for p in range(26)]
        enemy = [0] * 26
        for point in range(1, 25):
            enemy[point] = max(0, -side.sign * position.points[index_of(self.game, side, point)])
        enemy[OFF], enemy[BAR] = position.off[side.other.index], position.bar[side.other.index]
        self.start = Board(tuple(Checker(p) for p, n in own for _ in range(n)), tuple(enemy))
        self.double = dice[0] == dice[1]
        self.numbers = dice * 2 if self.double else dice
        first_turn = self.start.count(24) == 15
        noted = (
            rules.note_55_44 and first_turn and dice == (4, 4) and enemy[12] == 14 and enemy[16] == 1
        )  # L5
        self.exception = self.double and first_turn and dice[0] in rules.head_exc and not noted  # L3
        self.head_limit = 2 if self.exception else 1  # L2
        relief = self.nardy and not self.exception and not noted and rules.head_relief == "any_blocked_roll"
        if relief and not self.by_count().get(len(self.numbers)):
            self.head_limit = 2  # L6

    def may_move(self, board: Board, checker: Checker, die: int) -> bool:
        """Whether a checker may be moved by a die (walls aside)."""
        if any(c.point == BAR for c in board.own) and checker.point != BAR:
            return False  # K2
        if checker.moved and not self.rules.allow_same_checker:
            return False  # M1
        if self.nardy and checker.point == 24:
            left = self.start.count(24) - board.count(24)
            if left >= self.head_limit:
                return False  # L2
            others = [c for c in board.own if c.point not in (24, OFF)]
            if (
                left == 1
                and self.exception
                and self.rules.head_mode == "if_stuck"
                and any(self.may_move(board, c, die) for c in others)
            ):
                return False  # L4
        target = checker.point - die
        if target > 0:
            return board.enemy[target] < (1 if self.nardy else 2)  # K1, L1
        if any(c.point > 6 for c in board.own):
            return False  # B1
        if self.nardy and not self.rules.off_same_turn and any(c.point > 6 for c in self.start.own):
            return False  # B5
        return target == 0 or all(c.point <= checker.point for c in board.own)  # B2 to B4

    def steps(self, board: Board, die: int) -> Iterator[tuple[Board, Move]]:
        """Every single move by a die."""
        for checker in sorted(set(board.own)):
            if checker.point == OFF or not self.may_move(board, checker, die):
                continue
            target = max(checker.point - die, OFF)
            enemy = list(board.enemy)
            hit = target != OFF and enemy[target] > 0
            if hit:
                enemy[target] -= 1
                enemy[BAR] += 1
            own = list(board.own)
            own.remove(checker)
            own.append(Checker(target, True, hit or checker.hit) if target != OFF else Checker(OFF))
            after = Board(tuple(sorted(own)), tuple(enemy))
            if self.rules.block_timing == "step" and self.has_new_wall(after):
                continue  # L10
            yield after, Move(checker.point, target, hit)

    def by_count(self) -> dict[int, set[tuple[int, Board]]]:
        """The boards on which a turn may end, by the number of dice used, each with the last die used."""
        found: dict[int, set[tuple[int, Board]]] = {0: {(0, self.start)}}
        for order in {self.numbers, self.numbers[::-1]}:
            level = {self.start}
            for count, die in enumerate(order, 1):
                level = {after for board in level for after, _ in self.steps(board, die)}
                found.setdefault(count, set()).update((die, b) for b in level if self.may_end(b))
        return found

    def results(self) -> set[Position]:
        """Every position that a legal play leaves (M3 to M7)."""
        found = self.by_count()
        used = max(count for count, boards in found.items() if boards)
        boards = found[used]
        if used == 1 and not self.double:
            die = max(die for die, _ in boards)
            boards = {item for item in boards if item[0] == die}  # M4
        return {self.position_of(board) for _, board in boards}

    def ways(self) -> dict[Position, set[tuple[Move, ...]]]:
        """Every row of single moves that leads to each of the results."""
        found: dict[Position, set[tuple[Move, ...]]] = {position: set() for position in self.results()}

        def go(board: Board, left: tuple[int, ...], moves: tuple[Move, ...]) -> None:
            if self.may_end(board) and self.position_of(board) in found:
                found[self.position_of(board)].add(moves)
            if left:
                for after, move in self.steps(board, left[0]):
                    go(after, left[1:], (*moves, move))

        for order in {self.numbers, self.numbers[::-1]}:
            go(self.start, order, ())
        return found

    def may_end(self, board: Board) -> bool:
        """Whether a turn may end so, as far as walls and hitters go."""
        hidden = any(c.hit and board.count(c.point) > 1 for c in board.own)
        if hidden and self.rules.hit_and_hide == "forbidden":
            return False  # K4
        return not self.has_new_wall(board)

    def has_new_wall(self, board: Board) -> bool:
        """Whether a row of six stands that is not allowed and did not stand before the turn (L7 to L9)."""
        return bool(self.walls(board) - self.walls(self.start))

    def walls(self, board: Board) -> set[int]:
        """The first holes of rows of six that are not allowed."""
        if not self.nardy or self.rules.block == "none":
            return set()
        on_board = [hole for hole, point in enumerate(ENEMY_WAY) if board.enemy[point]]
        if self.rules.block == "home" and (board.enemy[OFF] or any(hole >= 18 for hole in on_board)):
            return set()
        found = set()
        for first in range(24 if self.rules.block_wrap == "circle" else 19):
            row = range(first, first + 6)
            if not all(board.count(ENEMY_WAY[hole % 24]) for hole in row):
                continue
            ahead = not on_board or any(hole > row[-1] for hole in on_board)
            if self.rules.block == "home" or not ahead:
                found.add(first)
        return found

    def position_of(self, board: Board) -> Position:
        """A board as a position."""
        points = [0] * 24
        for point in range(1, 25):
            points[index_of(self.game, self.side, point)] = self.side.sign * (
                board.count(point) - board.enemy[point]
            )
        bar, off = (board.count(BAR), board.enemy[BAR]), (board.count(OFF), board.enemy[OFF])
        if self.side is Side.BLACK:
            bar, off = bar[::-1], off[::-1]
        return Position(tuple(points), bar, off)
