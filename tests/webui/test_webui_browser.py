"""The live page in a real browser, over a match that the test moves on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.events import GameStart
from engine.position import Game, Side
from engine.rules import default_rules
from tests.browser import Page
from tests.webui.fake_feed import AFTER_31, START, FakeFeed, play, throw
from webui.app import create_app
from webui.feed import Health
from webui.server import Server, serve


@pytest.fixture
def server(feed: FakeFeed) -> Iterator[Server]:
    with serve(create_app(feed, max_streams=2), port=0, max_streams=2) as server:
        yield server
        feed.close()


def picture(blue: int) -> bytes:
    done, jpeg = cv2.imencode(".jpg", np.full((72, 128, 3), (blue, 0, 0), np.uint8))
    assert done
    return jpeg.tobytes()


def test_a_game_goes_on(driver: Any, server: Server, feed: FakeFeed) -> None:
    feed.tell(GameStart(t=0, rules=default_rules(Game.BACKGAMMON), position=START), "Game 1 begins.")
    feed.show(1, picture(250))
    page = Page(driver, server.url)
    page.wait(lambda: page.count("#log li") == 1)
    assert page.text("#headline") == "Nadia to throw"
    assert "to 7" in page.text(".score")
    assert page.count("#board g.checker") == 30
    assert page.count("#dice svg") == 0
    page.wait(lambda: page.run("document.querySelector('#picture').width") == 128)
    page.wait(lambda: page.blue() > 200)

    feed.tell(throw(Side.WHITE, (3, 1), t=75), "Nadia throws 3-1.")
    feed.change(dice=(3, 1), phase="moving")
    feed.show(2, picture(20))
    page.wait(lambda: page.text("#headline") == "Nadia to play 3-1")
    assert page.count("#dice .pip") == page.count("#board .pip") == 4
    page.wait(lambda: page.text("#log li time") == "01:15")
    assert page.text("#log li p") == page.text("#latest") == "Nadia throws 3-1."
    page.wait(lambda: page.blue() < 60)

    feed.tell(play(Side.WHITE, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", AFTER_31, t=80), "Nadia plays 8/5 6/5.")
    feed.change(
        position=AFTER_31, side_to_move=Side.BLACK, dice=None, phase="waiting for a throw", pips=(163, 167)
    )
    page.wait(lambda: page.text("#headline") == "Tom to throw")
    page.wait(lambda: page.count("#board .moved") == 2)
    assert "163 pips, leads by 4" in page.text("#white")
    assert "to move" in page.text("#black")
    assert page.text("#call") == ""
    rows = "[...document.querySelectorAll('#points tr')].map(r => [...r.cells].map(c => c.textContent))"
    assert page.run(rows)[:4] == [["24", "2", "2"], ["13", "5", "5"], ["8", "2", "3"], ["6", "4", "5"]]
    assert page.run("document.querySelector('#log').getAttribute('aria-live')") == "polite"
    feed.change(pips=(1, 2))
    page.wait(lambda: page.text("#white .pips span") == "1 pip, leads by 1")
    assert page.console() == []


def test_faults_stand_out_until_the_next_event(driver: Any, server: Server, feed: FakeFeed) -> None:
    page = Page(driver, server.url)
    said = "Invalid throw by Nadia (6-5): a die is cocked. Both dice are thrown again."
    feed.tell(throw(Side.WHITE, (6, 5), faults=("cocked",)), said, "fault")
    feed.change(dice=(6, 5), dice_valid=False)
    page.wait(lambda: page.text("[role=alert]") == said)
    colour = "getComputedStyle(document.querySelector('#now')).backgroundColor"
    page.wait(lambda: page.run(colour) == "rgb(168, 31, 25)")
    assert page.count("[role=alert] svg.icon") == 1, "an icon and words, not colour alone"
    page.wait(lambda: page.count("#board .dice.invalid") == 1)
    assert page.count("#log li[data-alert=fault] .label") == 1

    said = "Illegal play: Nadia plays 8/5 on 3-1. Rule M3: every die that can be played must be played."
    feed.tell(play(Side.WHITE, (3, 1), ((8, 5),), "8/5", START, rule="M3"), said, "illegal")
    page.wait(lambda: "Rule M3: every die" in page.text("[role=alert] p"))
    assert page.text("[role=alert] .rule") == "Rule M3"

    feed.tell(throw(Side.BLACK, (2, 1)), "<b>Tom</b> throws 2-1.")
    page.wait(lambda: page.text("#latest") == "<b>Tom</b> throws 2-1.")
    assert page.text("[role=alert]") == ""
    assert page.count("#log b") == 0, "names are text, never markup"
    assert page.console() == []


def test_trouble_is_said_plainly(driver: Any, server: Server, feed: FakeFeed) -> None:
    page = Page(driver, server.url)
    feed.change(health=(Health("camera", "failed", "unplugged; trying again"), Health("store", "ok")))
    page.wait(lambda: page.text("#blind") == "Camera: unplugged; trying again")
    assert page.text("#health li") == "camera: unplugged; trying again"
    feed.change(health=(Health("camera", "ok"), Health("store", "ok")))
    page.wait(lambda: page.text("#health li").startswith("camera"))
    page.wait(lambda: page.text("#blind") == "No picture yet")
    feed.change(position=None, game=None, phase="looking for the board")
    page.wait(lambda: page.text("#headline") == "Looking for the board")
    assert page.text("#board").startswith("The whole board must be in the camera’s picture")
    assert page.console() == []


def test_a_page_catches_up_after_a_restart(driver: Any, feed: FakeFeed) -> None:
    server = serve(create_app(feed), port=0)
    feed.tell(throw(Side.WHITE, (3, 1)), "first")
    page = Page(driver, server.url)
    page.wait(lambda: page.count("#log li") == 1)
    feed.close()
    server.close()
    page.wait(lambda: page.text("#link") == "Connection lost, trying again")
    again = FakeFeed()
    again.tell(throw(Side.WHITE, (3, 1)), "first")
    again.tell(throw(Side.BLACK, (4, 2)), "second")
    with serve(create_app(again), port=server.port):
        page.wait(lambda: page.text("#link") == "live")
        page.wait(lambda: page.count("#log li") == 2)
        assert page.text("#log").splitlines()[-1] == "first"
        again.tell(throw(Side.WHITE, (6, 6)), "third")
        page.wait(lambda: page.count("#log li") == 3)
        again.close()
    fresh = FakeFeed()  # another store: what the page knew is gone
    fresh.tell(throw(Side.WHITE, (5, 5)), "new match")
    with serve(create_app(fresh), port=server.port):
        page.wait(lambda: page.text("#log p") == "new match", seconds=12)
        assert page.count("#log li") == 1
        fresh.close()


def test_a_page_without_a_stream_still_follows(driver: Any, feed: FakeFeed) -> None:
    with serve(create_app(feed, max_streams=0), port=0, max_streams=0) as server:
        page = Page(driver, server.url)
        feed.tell(throw(Side.WHITE, (3, 1)), "Nadia throws 3-1.")
        page.wait(lambda: "refreshing" in page.text("#link"))
        page.wait(lambda: page.text("#log p") == "Nadia throws 3-1.")
        feed.close()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900), (1920, 1080)])
def test_it_fits_the_screen(driver: Any, server: Server, feed: FakeFeed, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page = Page(driver, server.url)
    page.wait(lambda: page.count("#board svg") == 1)
    assert page.run("document.documentElement.scrollWidth") == width, "nothing sticks out"
    if width > 600:
        assert page.run("document.documentElement.scrollHeight") == height, "all in view at once"
    board = page.run("document.querySelector('#board svg').getBoundingClientRect().width")
    assert board > (0.9 if width < 600 else 0.5) * width
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_files_of_the_page_are_in_the_package() -> None:
    package = Path(create_app.__code__.co_filename).parent
    files = {"live.js", "live.css", "page.js", "key.js", "referee.js", "referee.css", "photo.js", "photo.css"}
    files |= {"mark.svg", "evidence.js", "evidence.css"}
    assert {p.name for p in (package / "static").iterdir()} == files
    pages = {"base.html", "live.html", "referee.html", "photo.html"}
    assert {p.name for p in (package / "templates").iterdir()} == pages
