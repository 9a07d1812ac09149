"""What was seen of a match is kept, and told again."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import seen, simulated
from bench.simulated import Job
from engine.position import Game


def test_a_match_that_was_seen_is_told_again_alike(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(seen, "FOLDER", tmp_path)
    job = Job(Game.BACKGAMMON, 3, "wood", max_turns=2)
    assert simulated.tell(job) is None
    played = simulated.play(job)
    assert played.tally.throws == 2
    assert simulated.tell(job) == played
    assert simulated.tell(Job(Game.BACKGAMMON, 3, "felt", max_turns=2)) is None
    monkeypatch.setattr(simulated, "eyes", lambda: "others")
    again = simulated.tell(job)
    assert again is not None
    assert again.of_old
