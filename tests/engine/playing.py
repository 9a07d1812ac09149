"""Whole games as events, for tests of what follows from events."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.events import Event, GameEnd, GameStart, PlayMade, Throw
from engine.layout import Orientation, colour_of, to_slots
from engine.legal import legal_plays
from engine.scoring import game_result
from engine.position import Game, Position, Side
from engine.rules import default_rules


def random_game(game: Game, seed: int) -> Iterator[Event]:
    """A game of random legal plays, from the start to the end, a throw every ten seconds."""
    rng, rules = random.Random(seed), default_rules(game)
    position, side, t = Position.start(game), rng.choice(list(Side)), 0.0
    yield GameStart(t=t, rules=rules, position=position, side_to_move=side)
    while (result := game_result(position, rules)) is None:
        t += 10
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        colour = colour_of(side)
        yield Throw(t=t, side=side, colour=colour, dice=dice, valid=True)
        play = rng.choice(legal_plays(position, side, dice, rules))
        position = play.after
        yield PlayMade(
            t=t + 5,
            side=side,
            colour=colour,
            dice=dice,
            moves=tuple((m.from_point, m.to_point) for m in play.moves),
            notation=play.notation,
            legal=True,
            rule=None,
            position=position,
            slots=to_slots(position, Orientation.BOTTOM_RIGHT),
            bar=position.bar,
            off=position.off,
        )
        side = side.other
    yield GameEnd(t=t + 6, winner=result.winner, result=result.result, points=result.points)
