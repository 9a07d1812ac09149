"""Records of matches made at random, and what is left of a record in a form that cannot hold everything."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from engine.events import MoveXY
from engine.formats.following import Following, crawford_games
from engine.formats.moves import moved, taken_apart
from engine.legal import legal_plays
from engine.position import BAR, CHECKERS, OFF, Game, Position, Side
from engine.record import GameRecord, Record, Turn
from engine.rules import RuleSet, default_rules
from engine.scoring import game_result, single, stake

BG = Game.BACKGAMMON
MOST_GAMES = 50  #: of one match


def plain(record: Record) -> Record:
    """A record without the lines it was read from."""
    games = (replace(g, line=0, turns=tuple(replace(t, line=0) for t in g.turns)) for g in record.games)
    return replace(record, games=tuple(games))


def random_match(seed: int, length: int = 5, *, illegal: float = 0.0, cube: float = 0.1) -> Record:
    """A match played at random with the cube by the rules of backgammon.

    ``illegal``: the share of plays that no rule allows and that stand. ``cube``: how often a side that
    may double does. Games end by bearing off, drops and now and then by a resignation; unlimited play
    (``length`` 0) has three games, with beavers and raccoons.
    """
    rng, rules = random.Random(seed), default_rules(BG)
    games: list[GameRecord] = []
    score = [0, 0]
    while len(games) < (MOST_GAMES if length else 3) and (not length or max(score) < length):
        game = GameRecord(start=Position.start(BG), score=(score[0], score[1]))
        flags = crawford_games([*games, game], length)
        game = _random_game(rng, rules, replace(game, crawford=flags[-1]), length, illegal, cube)
        games.append(game)
        assert game.winner is not None
        score[game.winner.index] += int(game.points)
    return Record(game=BG, games=tuple(games), players=("Anna", "Boris"), length=length)


def _random_game(
    rng: random.Random, rules: RuleSet, game: GameRecord, length: int, illegal: float, cube: float
) -> GameRecord:
    now, turns = Following(game.start), list[Turn]()
    side = rng.choice(list(Side))
    owner: Side | None = None

    def add(turn: Turn) -> None:
        turns.append(turn)
        now.follow(turn)

    def ended(winner: Side, result: str, points: float) -> GameRecord:
        doubled = any(turn.action == "take" for turn in turns)
        count = int(stake(points, rules, now.cube, doubled))
        return replace(game, turns=tuple(turns), winner=winner, points=count, result=result)

    while True:
        if turns and not game.crawford and owner in (None, side) and now.cube < 64 and rng.random() < cube:
            add(Turn(side=side, action="double", value=now.next_stake))
            answering = side.other
            if not length:
                for animal in ("beaver", "raccoon"):
                    if rng.random() < 0.4:
                        add(Turn(side=answering, action=animal, value=now.next_stake))
                        answering = answering.other
                    else:
                        break
            if rng.random() < 0.25:
                add(Turn(side=answering, action="drop"))
                return ended(answering.other, "drop", single(rules))
            add(Turn(side=answering, action="take"))
            owner = side.other  # whoever was doubled, also after a beaver and a raccoon
        if turns and rng.random() < 0.01:
            grade = rng.choice([1, 1, 2, 3])
            add(Turn(side=side, action="resign", value=grade))
            return ended(side.other, "resigned", grade)
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        assert now.position is not None
        if turns == [] and dice[0] == dice[1]:
            continue
        play = rng.choice(legal_plays(now.position, side, dice, rules))
        moves: tuple[MoveXY, ...] = tuple((m.from_point, m.to_point) for m in play.moves)
        if rng.random() < illegal:
            made = random_moves(rng, now.position, side)
            apart = taken_apart(made, dice, now.position, side)
            moves = made if moved(now.position, BG, side, apart) is None else apart
        add(Turn(side=side, dice=dice, moves=moves))
        found = game_result(now.position, rules)
        if found is not None and found.winner is not None:
            return ended(found.winner, found.result, found.points)
        side = side.other


def random_moves(rng: random.Random, position: Position, side: Side) -> tuple[MoveXY, ...]:
    """Up to four moves of a side's checkers from anywhere to anywhere that can stand on a board."""
    moves: list[MoveXY] = []
    for _ in range(rng.randint(0, 4)):
        sources = [p for p in range(1, BAR + 1) if position.count(BG, side, p)]
        move = (rng.choice(sources), rng.randint(OFF, 24)) if sources else (OFF, OFF)
        done = moved(position, BG, side, [*moves, move])
        if done is not None and move[0] != move[1] and done[0].off[side.index] < CHECKERS:
            moves.append(move)
    return tuple(moves)


def positions(game: GameRecord) -> Sequence[Position | None]:
    """What stands after each play of a game."""
    now, result = Following(game.start), list[Position | None]()
    for turn in game.turns:
        now.follow(turn)
        if turn.action == "play":
            result.append(now.position)
    return result
