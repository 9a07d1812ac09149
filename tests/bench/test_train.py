"""The short recipe takes minutes and is run by the bench; here is what it tells."""

from __future__ import annotations

from bench.train import minutes_of_steps


def test_minutes_of_the_steps() -> None:
    output = "199: 1.29 s a view\nviews of boards: 2.3 minutes\n| all | 2 |\nboard: 0.4 minutes\n"
    assert minutes_of_steps(output) == {"views of boards": 2.3, "board": 0.4}
