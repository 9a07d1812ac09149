"""Random games under every rule set; ``python -m bench law`` plays two thousand of each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import law
from engine.judge import Verdict, judge_play
from engine.legal import Play, legal_plays
from engine.position import CHECKERS, Position, Side
from engine.rules import RuleSet
from zarbiter.presets import preset


@pytest.mark.parametrize("name", law.rule_sets())
@given(st.integers(0, 2**32))
@settings(max_examples=3, deadline=None)
def test_a_random_game_holds_together(name: str, seed: int) -> None:
    """G1, G10, M1, M3, B7: generator, judge and score agree at every turn, whichever of them leads."""
    tally = law.play_game(law.rules_of(name, seed), seed)
    assert tally.failures == []
    assert tally.turns > 20
    assert tally.illegal + tally.equal == tally.corruptions == law.CORRUPTIONS * law.CORRUPTED
    assert tally.illegal > tally.equal


def test_a_judge_that_lets_everything_pass_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def lenient(
        before: Position, side: Side, dice: tuple[int, int], after: Position, rules: RuleSet
    ) -> Verdict:
        return replace(judge_play(before, side, dice, after, rules), breaches=())

    monkeypatch.setattr(law, "judge_play", lenient)
    for seed in (0, 1):
        failures = law.play_game(preset("short.default"), seed).failures
        assert any("is judged legal: True" in failure for failure in failures)


def test_a_generator_that_breaks_a_rule_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """L2: the generator lets two leave the head at any time; the judge is the one of the preset."""

    def lax(position: Position, side: Side, dice: tuple[int, int], rules: RuleSet) -> tuple[Play, ...]:
        plays = legal_plays(position, side, dice, rules)
        head = position.count(rules.game, side, 24)
        if head < CHECKERS:
            return plays
        away = law._shift(law._shift(position, rules.game, side, 24, 18), rules.game, side, 24, 18)
        return (replace(plays[0], after=away),)

    monkeypatch.setattr(law, "legal_plays", lax)
    failures = law.play_game(preset("long.default"), 2).failures
    assert any("judged illegal" in failure for failure in failures)
    assert any("do not lead to the position" in failure for failure in failures)
