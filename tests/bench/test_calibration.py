from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.calibration import plot, reliability


def test_errors_of_what_was_said() -> None:
    said = [(0.95, True)] * 3 + [(0.95, False)] + [(0.25, True), (0.25, False)]
    found = reliability(said)
    assert [(b.low, b.count, b.right) for b in found.bins] == [(0.2, 2, 1), (0.9, 4, 3)]
    assert found.error == pytest.approx((4 * 0.2 + 2 * 0.25) / 6)
    assert found.brier == pytest.approx((3 * 0.05**2 + 0.95**2 + 0.75**2 + 0.25**2) / 6)
    assert (found.sure, found.sure_right) == (4, 3)


def test_certainty_belongs_to_the_last_bin() -> None:
    assert [(b.high, b.count) for b in reliability([(1.0, True)]).bins] == [(1.0, 1)]


def test_nothing_said() -> None:
    assert reliability([]).bins == ()


def test_the_plot_is_well_formed(tmp_path: Path) -> None:
    found = reliability([(0.9, True), (0.4, False)])
    plot({"a set": {"with checkers": found, "all": found}}, tmp_path)
    root = ElementTree.parse(tmp_path / "calibration.svg").getroot()
    assert len(root.findall(".//{*}circle")) == 4
