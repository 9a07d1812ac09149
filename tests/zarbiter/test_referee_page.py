"""The referee's page in a real browser, over a real record, and once over a simulated table."""

from __future__ import annotations

import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.position import Side
from hardware.camera import Frame
from tests.browser import Page
from webui.app import create_app
from webui.referee import KEY_HEADER
from webui.server import Server, serve
from zarbiter.store import read_told

from .test_desk import AFTER_31, START, WRONG_31, Match, begun, played, threw
from .test_desk_at_a_table import BUMPED, Game, black_throws_and_the_board_is_bumped
from .test_live import Program

KEY = "a-key-that-nobody-guesses"


@pytest.fixture
def match(tmp_path: Path) -> Iterator[Match]:
    made = Match(tmp_path / "match.sqlite")
    begun(made)
    yield made
    made.close()


@pytest.fixture
def server(match: Match) -> Iterator[Server]:
    # A desk made anew would not be that of the server: the record is written through it alone.
    with serve(create_app(match.hub, desk=match.desk, key=KEY), port=0) as server:
        yield server
        match.hub.close()


def opened(driver: Any, address: str) -> Page:
    page = Page(driver, address)
    page.wait(lambda: page.count("#log li") > 0)
    return page


def press(page: Page, label: str, within: str = "#offers") -> None:
    """Press the button with this label, as a mouse would."""
    script = "[...document.querySelectorAll(arguments[0])].find(b => b.innerText.includes(arguments[1]))"
    selector = f"{within} button, {within} summary"
    page.wait(lambda: page.run(script, selector, label))
    page.run(script, selector, label).click()


def keyed(page: Page, label: str) -> None:
    """Press a button by the keyboard."""
    script = "[...document.querySelectorAll('#offers button')].find(b => b.innerText.includes(arguments[0]))"
    page.wait(lambda: page.run(script, label))
    page.run(script, label).send_keys("\ue007")


def choose(page: Page, scope: str, name: str, value: str) -> None:
    script = """(() => {
        const control = document.querySelector(arguments[0]).elements[arguments[1]];
        control.value = arguments[2];
        control.dispatchEvent(new Event("input", { bubbles: true }));
        control.dispatchEvent(new Event("change", { bubbles: true }));
    })()"""
    page.run(script, scope, name, value)


def test_a_double_and_a_take_show_at_once(driver: Any, match: Match) -> None:
    """C2, C3."""
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), AFTER_31, 2.0))
    app = create_app(match.hub, desk=match.desk, key=KEY)
    with serve(app, port=0) as server:
        page = opened(driver, f"{server.url}referee#key={KEY}")
        assert page.run("location.href") == f"{server.url}referee", "the key is not left in the address"
        keyed(page, "Bob doubles to 2")
        page.wait(lambda: page.text("#headline") == "A double waits for its answer")
        page.wait(lambda: page.text("#log li p").startswith("Bob doubles"))
        assert page.text("#said").startswith("Bob doubles")
        where = "document.querySelector('#actions').contains(document.activeElement)"
        page.wait(lambda: page.count("[data-offer='double.black']") == 0)
        assert page.run(where), "the keyboard is where the decisions are"
        page.run("location.reload()")
        page.wait(lambda: page.text("#log li p").startswith("Bob doubles"))
        press(page, "Ann takes")
        page.wait(lambda: page.text("#white .cube").endswith("2"))
        page.wait(lambda: page.text("#log li p").startswith("Ann takes"))
        assert page.console() == []
        live = opened(driver, server.url)
        live.wait(lambda: live.text("#white .cube").endswith("2"))
        assert live.run("document.documentElement.innerHTML.includes(arguments[0])", KEY) is False
        assert live.console() == []
        match.hub.close()


def test_a_correct_play_is_demanded(driver: Any, match: Match) -> None:
    """E5: every rule that was broken, the nearest legal plays, and the position before."""
    match.record(threw(Side.WHITE, (3, 1), 1.0), played(START, Side.WHITE, (3, 1), WRONG_31, 2.0))
    with serve(create_app(match.hub, desk=match.desk, key=KEY), port=0) as server:
        page = opened(driver, f"{server.url}referee#key={KEY}")
        page.wait(lambda: page.text("#finding").startswith("Illegal"))
        assert page.text("#breaches .rule") == "M1"
        assert "8/5 6/5" in page.text("#nearest")
        press(page, "Bob demands a correct play")
        page.wait(lambda: page.text("#headline") == "Ann to play 3-1")
        assert match.hub.state().position == START
        assert page.text("#finding").startswith("Illegal"), "what was wrong stays in view"
        assert page.console() == []
        match.hub.close()


def test_an_early_event_is_corrected_after_its_consequences_were_shown(driver: Any, match: Match) -> None:
    match.record(
        threw(Side.WHITE, (3, 1), 1.0),
        played(START, Side.WHITE, (3, 1), AFTER_31, 2.0),
        threw(Side.BLACK, (6, 5), 3.0),
    )
    with serve(create_app(match.hub, desk=match.desk, key=KEY), port=0) as server:
        page = opened(driver, f"{server.url}referee#key={KEY}")
        page.wait(lambda: page.count("#log li") == 5)
        press(page, "throws 3-1", within="#log")
        page.wait(lambda: page.run("document.querySelector('#correction').open"))
        choose(page, "#correction-form", "first", "4")
        press(page, "What follows?", within="#correction")
        page.wait(lambda: page.count("#outcome li") > 0)
        assert "illegal" in page.text("#outcome")
        assert len(match.said()) == 5, "nothing is changed before it is confirmed"
        press(page, "Correct it", within="#correction")
        page.wait(lambda: page.count("#log li") == 6)
        page.wait(lambda: page.count("#log li.corrected") == 1)
        assert page.text("#log li.corrected p").endswith("corrected")
        page.wait(lambda: page.text("#finding").startswith("Illegal"))
        assert not page.run("document.querySelector('#correction').open")
        assert page.console() == []
        match.hub.close()


def test_a_position_is_set_up_and_a_slip_is_told(driver: Any, server: Server, match: Match) -> None:
    page = opened(driver, f"{server.url}referee#key={KEY}")
    press(page, "Go on from another position")
    choose(page, "[data-offer=set_up] form", "position", "backgammon:w=6:5,5:5,4:4/b=bar:1,6:2,5:2")
    press(page, "Record", within="[data-offer=set_up]")
    page.wait(lambda: "4 on point 4" in page.run("document.querySelector('#board').textContent"))
    press(page, "Go on from another position")
    choose(page, "[data-offer=set_up] form", "position", "backgammon:w=6:5/b=24:14,off:0")
    press(page, "Record", within="[data-offer=set_up]")
    page.wait(lambda: page.run("document.querySelector('#said').dataset.kind") == "refused")
    assert "14" in page.text("#said")
    # On a phone the form is longer than the screen: the answer is scrolled to.
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    page.run("document.querySelector('[data-offer=set_up] form button').scrollIntoView()")
    box = "document.querySelector('#said').getBoundingClientRect()"
    shown = f"(box => box.top >= 0 && box.bottom <= innerHeight)({box})"
    assert not page.run(shown)
    press(page, "Record", within="[data-offer=set_up]")
    page.wait(lambda: page.run(shown))
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    # A refusal is an answer with a status that the browser writes down by itself.
    assert all("409" in entry["message"] for entry in page.console())


def test_a_board_out_of_step_is_shown_put_back_and_judged_again(driver: Any, tmp_path: Path) -> None:
    """Both pages say where it differs; once it stands as recorded the game goes on by itself."""
    game = Game(tmp_path / "bumped.sqlite")
    black_throws_and_the_board_is_bumped(game)
    game.match.hub.show(Frame(np.zeros((90, 160, 3), np.uint8), 1.0, 1), game.table.seen[-1])
    with serve(create_app(game.match.hub, desk=game.match.desk, key=KEY), port=0) as server:
        live = opened(driver, server.url)
        live.wait(lambda: "point 11 (record none, board 5 white)" in live.text("#call"))
        page = opened(driver, f"{server.url}referee#key={KEY}")
        page.wait(lambda: page.count("#step-offers [data-offer]") == 2)
        assert "Judging is paused" in page.text("#step-say")
        rows = page.run(
            "[...document.querySelectorAll('#step-places tr')].map(r => r.innerText.split(/\\s*\\t/))"
        )
        assert rows == [["Point 11", "none", "5 white"], ["Point 12", "5 white", "none"]]
        assert page.text("#step-whose") == "Points as Bob counts them"
        page.wait(lambda: page.run("document.querySelector('#ghost').width") == 160)
        press(page, "Put it back as shown", within="#step-offers")
        page.wait(lambda: "goes on by itself" in page.text("#step-say"))
        page.wait(lambda: page.text("#headline") == "The board is being put back")
        game.table.put(AFTER_31)
        game.table.rest(1.5)
        game.look()
        page.wait(lambda: page.run("document.querySelector('#step').hidden"))
        page.wait(lambda: page.text("#headline") == "Bob to play 6-5")
        page.wait(lambda: page.text("#log li p").startswith("Board and record agree again"))
        assert page.console() == []
        game.match.hub.close()
    game.close()


def test_a_board_out_of_step_stays_as_it_is(driver: Any, tmp_path: Path) -> None:
    """Whose turn it is and which dice are to be played is asked for, and nothing else need be."""
    game = Game(tmp_path / "bumped.sqlite")
    black_throws_and_the_board_is_bumped(game)
    with serve(create_app(game.match.hub, desk=game.match.desk, key=KEY), port=0) as server:
        page = opened(driver, f"{server.url}referee#key={KEY}")
        press(page, "The board stays as it is", within="#step-offers")
        choose(page, "[data-offer=keep] form", "side", "white")
        choose(page, "[data-offer=keep] form", "dice", "")
        press(page, "Record", within="[data-offer=keep]")
        page.wait(lambda: page.text("#headline") == "Ann to throw")
        page.wait(lambda: page.run("document.querySelector('#step').hidden"))
        page.wait(lambda: page.text("#said") == "The game goes on from the board as it stands: Ann to throw.")
        assert game.match.hub.state().position == BUMPED
        assert page.console() == []
        game.match.hub.close()
    game.close()


def test_what_is_being_typed_is_not_lost_when_the_game_goes_on(
    driver: Any, server: Server, match: Match
) -> None:
    page = opened(driver, f"{server.url}referee#key={KEY}")
    press(page, "Go on from another position")
    choose(page, "[data-offer=set_up] form", "position", "backgammon:w=6:5")
    match.desk.act("roll_off", {"white": "2", "black": "5"})
    page.wait(lambda: page.count("#log li") == 3)
    page.wait(lambda: page.count("[data-offer=roll_off]") == 0)
    typed = "document.querySelector('[data-offer=set_up] form').elements.position.value"
    assert page.run(typed) == "backgammon:w=6:5"


def test_without_the_key_the_page_may_only_look(driver: Any, server: Server, match: Match) -> None:
    page = opened(driver, f"{server.url}referee")
    page.run("sessionStorage.clear()")
    page = opened(driver, f"{server.url}referee")
    assert "may look but not decide" in page.text("#said")
    press(page, "Ann resigns")
    press(page, "Record", within="[data-offer='resign.white']")
    page.wait(lambda: "Only the referee" in page.text("#said"))
    assert len(match.said()) == 2


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_it_fits_the_screen(driver: Any, server: Server, match: Match, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page = opened(driver, f"{server.url}referee#key={KEY}")
    page.wait(lambda: page.count("#offers button") > 0)
    for summary in range(page.count("summary")):
        page.run("document.querySelectorAll('summary')[arguments[0]].click()", summary)
    assert page.run("document.documentElement.scrollWidth") <= width, "nothing sticks out"
    small = (
        "[...document.querySelectorAll('#offers button, #offers summary')].filter(b => b.offsetHeight < 40)"
    )
    assert page.run(f"{small}.length") == 0, "a thumb hits every button"
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_every_control_has_a_name(driver: Any, server: Server, match: Match) -> None:
    page = opened(driver, f"{server.url}referee#key={KEY}")
    page.wait(lambda: page.count("#offers button") > 0)
    nameless = """[...document.querySelectorAll("button, summary, input, select, textarea")].filter(
        c => !(c.textContent || "").trim() && !(c.labels && [...c.labels].some(l => l.textContent.trim())))"""
    assert page.run(f"{nameless}.length") == 0
    assert page.run("document.querySelector('#said').getAttribute('role')") == "status"
    assert page.run("document.querySelector('#log').getAttribute('aria-live')") == "polite"


def test_a_decision_reaches_the_tracker_of_a_running_match(tmp_path: Path) -> None:
    """From the printed address to the store: White resigns at a simulated table, and the game is over."""
    store = tmp_path / "match.sqlite"
    program = Program("run", "--camera", "sim:backgammon?seed=2&pace=0.6", "--store", str(store))
    try:
        assert program.process.stderr is not None
        lines = (line.strip() for line in program.process.stderr)
        address = next(line.rpartition(" ")[2] for line in lines if "referee#key=" in line)
        page, _, key = address.partition("#key=")
        assert page == f"{program.url}referee"
        assert key not in program.url

        def post(path: str, data: dict[str, Any], key: str) -> Any:
            headers = {"Content-Type": "application/json", KEY_HEADER: key}
            body = json.dumps(data).encode()
            with urllib.request.urlopen(
                urllib.request.Request(program.url + path, body, headers), timeout=10
            ) as answer:
                return json.load(answer)

        program.wait_for_events(2)
        resigned = {"key": "resign.white", "values": {"grade": "gammon"}}
        with pytest.raises(urllib.error.HTTPError, match="403"):
            post("api/actions", resigned, key[:-1])
        post("api/actions", resigned, key)
        said = post("api/actions", {"key": "accept_resignation.black"}, key)["said"]
        state = program.get("api/state")
        assert (state["score"], state["phase"]) == ({"white": 0, "black": 2}, "game over")
        assert "next_game" in [offer["key"] for offer in program.get("api/offers")["offers"]]
        shown = program.events()
        assert said in shown.values()
        status, err = program.end(signal.SIGINT)
        assert (status, key in err) == (0, False), "the key is printed once and logged never"
        assert {told.id: told.sentence for told in read_told(store, 1)} == shown
    finally:
        if program.process.poll() is None:
            program.end(signal.SIGKILL)
