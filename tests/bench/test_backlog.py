"""What waits where frames come faster than they are read."""

import pytest

from bench.backlog import behind


def test_what_is_read_in_time_keeps_nothing_waiting() -> None:
    assert behind([0.02, 0.1, 0.0], fps=10) == [0, 0, 0]


def test_one_slow_frame_is_caught_up_with() -> None:
    assert behind([0.25, 0.05, 0.05, 0.05, 0.05], fps=10) == pytest.approx([0.15, 0.1, 0.05, 0, 0])


def test_what_is_always_too_slow_falls_behind_without_end() -> None:
    assert behind([0.2] * 5, fps=10) == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
