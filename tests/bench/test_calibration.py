from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.calibration import plot, reliability, wilson


def test_errors_of_what_was_said() -> None:
    said = [(0.96, True)] * 3 + [(0.96, False)] + [(0.25, True), (0.25, False)]
    found = reliability([said[:3], said[3:]])
    assert [(b.low, b.count, b.right) for b in found.bins] == [(0.0, 2, 1), (0.95, 4, 3)]
    assert found.error == pytest.approx((4 * 0.21 + 2 * 0.25) / 6)
    assert found.brier == pytest.approx((3 * 0.04**2 + 0.96**2 + 0.75**2 + 0.25**2) / 6)
    assert (found.sure, found.sure_right) == (4, 3)


def test_errors_of_one_board_go_together() -> None:
    good, bad = [(0.99, True)] * 4, [(0.99, False)] * 4
    clustered, spread = reliability([good] * 9 + [bad]), reliability([[r] for r in good * 9 + bad])
    assert (clustered.sure, clustered.sure_right) == (spread.sure, spread.sure_right) == (40, 36)
    assert clustered.interval is not None
    assert spread.interval is not None
    assert clustered.interval[0] < spread.interval[0] < 0.9 < spread.interval[1]


def test_certainty_belongs_to_the_last_bin() -> None:
    assert [(b.high, b.count) for b in reliability([[(1.0, True)]]).bins] == [(1.0, 1)]


def test_nothing_said() -> None:
    found = reliability([[]])
    assert (found.bins, found.interval) == ((), None)


def test_an_interval_of_few() -> None:
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)
    assert wilson(5, 5) == pytest.approx((0.566, 1.0), abs=0.001)


def test_the_plot_is_well_formed(tmp_path: Path) -> None:
    found = reliability([[(0.9, True), (0.4, False)]])
    plot({"a set": {"with checkers": found, "all": found}}, tmp_path)
    root = ElementTree.parse(tmp_path / "calibration.svg").getroot()
    assert len(root.findall(".//{*}circle")) == 4
