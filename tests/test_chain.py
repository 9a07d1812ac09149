"""The whole chain, from painted pictures to events, held against the truth of the simulated table."""

from __future__ import annotations

import pytest

from bench.simulated import Job, play
from engine.position import Game
from hardware.table import PLAY_FAULTS, THROW_FAULTS


@pytest.mark.slow
@pytest.mark.parametrize("job", [Job(Game.BACKGAMMON, 4, "wood"), Job(Game.LONG_NARDY, 1, "felt")])
def test_a_simulated_game_is_read_without_a_mistake(job: Job) -> None:
    tally = play(job).tally
    assert tally.perfect, "\n".join(tally.misses)
    assert tally.throws >= 40
    assert tally.doubts <= 1


@pytest.mark.slow
@pytest.mark.parametrize("game", list(Game))
def test_simulated_faults_are_caught(game: Game) -> None:
    kinds = (*THROW_FAULTS[:4], *PLAY_FAULTS[game][:4])
    result = play(Job(game, 21, "wood", faults=kinds, max_turns=16))
    tally = result.tally
    assert tally.invalid >= 4
    assert tally.illegal >= 2
    assert tally.invalid_caught == tally.invalid, "\n".join(tally.misses)
    assert tally.illegal_caught == tally.illegal, "\n".join(tally.misses)
    assert tally.invalid_cause + tally.illegal_cause >= 0.8 * (tally.invalid + tally.illegal)
    assert tally.false_alarms == 0, "\n".join(tally.misses)
