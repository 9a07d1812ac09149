"""Legal plays as one would first write them: lists, recursion, a set of results.

A yardstick for :mod:`engine.legal` and a second opinion on it, under the default rules of both games.
It shares no code with it but :func:`engine.position.index_of`.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.events import Dice
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side, index_of

Counts = list[int]  #: checkers of one side on the mover's points, 0 off to 25 bar


def legal_positions(position: Position, side: Side, dice: Dice, game: Game) -> set[Position]:
    """Every position that a legal play of the roll leaves, the position itself if there is none."""
    own, enemy = [0] * 26, [0] * 26
    for point in range(1, 25):
        count = position.points[index_of(game, side, point)] * side.sign
        own[point], enemy[point] = max(count, 0), max(-count, 0)
    own[OFF], own[BAR] = position.off[side.index], position.bar[side.index]
    enemy[OFF], enemy[BAR] = position.off[side.other.index], position.bar[side.other.index]
    double = dice[0] == dice[1]
    two_leave = double and dice[0] in (3, 4, 6) and own[24] == CHECKERS
    head_floor = own[24] - (2 if two_leave else 1)
    old_walls = walls(own, enemy) if game is Game.LONG_NARDY else set()
    found: dict[tuple[int, ...], set[tuple[tuple[int, ...], tuple[int, ...]]]] = {}  # by the dice used

    def play(own: Counts, enemy: Counts, left: tuple[int, ...], used: tuple[int, ...]) -> None:
        if game is Game.BACKGAMMON or walls(own, enemy) <= old_walls:
            found.setdefault(used, set()).add((tuple(own), tuple(enemy)))
        if left:
            for source, target in moves(own, enemy, left[0], game, head_floor):
                play(*moved(own, enemy, source, target), left[1:], (*used, left[0]))

    for order in [dice * 2] if double else [dice, dice[::-1]]:
        play(own, enemy, order, ())
    most = max(map(len, found))
    if most == 1 and not double:
        boards = found.get((max(dice),)) or found[(min(dice),)]
    else:
        boards = {board for used, group in found.items() if len(used) == most for board in group}
    return {position_of(*board, game, side) for board in boards}


def moves(own: Counts, enemy: Counts, die: int, game: Game, head_floor: int) -> Iterator[tuple[int, int]]:
    """The single moves by one die."""
    for source in [BAR] if own[BAR] else range(24, 0, -1):
        if not own[source]:
            continue
        if game is Game.LONG_NARDY and source == 24 and own[24] <= head_floor:
            continue
        target = source - die
        if target > 0:
            if enemy[target] < (2 if game is Game.BACKGAMMON else 1):
                yield source, target
        elif not any(own[7:]) and (target == 0 or not any(own[source + 1 :])):
            yield source, OFF


def moved(own: Counts, enemy: Counts, source: int, target: int) -> tuple[Counts, Counts]:
    """Both sides after a single move."""
    own, enemy = own.copy(), enemy.copy()
    own[source] -= 1
    own[target] += 1
    if target != OFF and enemy[target]:
        enemy[target] -= 1
        enemy[BAR] += 1
    return own, enemy


def walls(own: Counts, enemy: Counts) -> set[int]:
    """The first holes, on the enemy's way, of rows of six with no enemy checker ahead of them."""
    way = [*range(12, 0, -1), *range(24, 12, -1)]  # the enemy's way in the mover's points
    furthest = max((hole for hole, point in enumerate(way) if enemy[point]), default=24)
    return {
        first
        for first in range(19)
        if furthest < first + 6 and all(own[point] for point in way[first : first + 6])
    }


def position_of(own: tuple[int, ...], enemy: tuple[int, ...], game: Game, side: Side) -> Position:
    """A board as a position."""
    points = [0] * 24
    for point in range(1, 25):
        points[index_of(game, side, point)] = side.sign * (own[point] - enemy[point])
    bar, off = (own[BAR], enemy[BAR]), (own[OFF], enemy[OFF])
    if side is Side.BLACK:
        bar, off = bar[::-1], off[::-1]
    return Position(tuple(points), bar, off)
