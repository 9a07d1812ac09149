"""The live page in a real browser, over the program itself and a simulated match."""

from __future__ import annotations

from typing import Any

from tests.browser import Page
from tests.zarbiter.test_live import running


def test_a_simulated_match_moves_on_the_page(driver: Any) -> None:
    with running("demo", "--no-open", "--seed", "4", "--faults") as program:
        page = Page(driver, program.url)
        page.wait(lambda: page.count("#board g.checker") > 0, seconds=60)
        page.wait(lambda: page.count("#dice .pip") > 0, seconds=60)
        board, dice = page.run("document.querySelector('#board').innerHTML"), page.text("#latest")
        page.wait(lambda: page.count("#log li") >= 4, seconds=60)
        page.wait(lambda: page.run("document.querySelector('#board').innerHTML") != board)
        assert page.text("#latest") != dice
        assert page.run("document.querySelector('#picture').width") > 300
        assert page.text("#headline")
        assert page.console() == []
