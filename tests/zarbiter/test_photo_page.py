"""The photo page of the running program: a picture is read and kept while a match goes on."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path
from typing import Any

import cv2

from hardware.table import SimulatedTable
from tests.browser import Page
from zarbiter.collect import Folder

from .test_live import CAMERA, running


def test_a_picture_is_read_and_kept_while_a_match_goes_on(driver: Any, tmp_path: Path) -> None:
    picture, folder, store = tmp_path / "board.png", tmp_path / "kept", tmp_path / "match.sqlite"
    with SimulatedTable(seed=1, max_turns=1) as table:
        cv2.imwrite(str(picture), table.picture(0))
    arguments = ("run", "--camera", CAMERA, "--store", str(store), "--collect", str(folder))
    with running(*arguments) as program:
        program.wait_for_events(1)
        assert program.process.stderr is not None
        told = (program.process.stderr.readline() for _ in range(9))
        referee = next(found[0] for line in told if (found := re.search(r"http\S+#key=\S+", line)))
        page = Page(driver, referee)
        page.wait(lambda: page.count("#log li") > 0, seconds=30)
        link = page.run("document.querySelector('a.keyed')")
        assert "#key=" in link.get_attribute("href"), "it works in another tab as well"
        link.click()
        page.wait(lambda: page.count("#wood button") == 26, seconds=30)
        driver.find_element("id", "file").send_keys(str(picture))
        page.wait(lambda: page.text("#said").startswith("Read"), seconds=30)
        began = time.monotonic()
        program.get("healthz")
        assert time.monotonic() - began < 2.0, "nobody waits for a photograph"
        page.wait(lambda: page.text("#said").startswith(("Read;", "Read.")), seconds=60)
        assert page.count("#wood .checker") == 30
        page.run("document.querySelector('#keep')").click()
        page.wait(lambda: page.text("#said") == "Kept for training.", seconds=30)
        status, _ = program.end(signal.SIGTERM)
    assert status == 0
    kept, wrong = Folder(folder).read()
    assert wrong == []
    assert [one.labels["by"] for one in kept if "photo page" in one.labels["why"]] == ["person"]
