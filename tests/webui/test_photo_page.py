"""The photo page: what it refuses, and what one does with it in a browser."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from engine.layout import Orientation, start_layouts
from engine.position import Game
from tests.browser import Page
from tests.webui.fake_feed import FakeFeed
from webui.app import create_app
from webui.photo import LONGEST_PICTURE, Unread
from webui.referee import KEY_HEADER
from webui.server import Server, serve

KEY = "a-key-that-nobody-guesses"
KEYED = {KEY_HEADER: KEY}
WIDTH, HEIGHT = 800, 600
FIELD = [[100.0, 80.0], [700.0, 80.0], [720.0, 540.0], [80.0, 540.0]]
START = start_layouts(Game.BACKGAMMON)[Orientation.BOTTOM_RIGHT]


def slot(count: int, confidence: float = 0.97) -> dict[str, Any]:
    colour = "light" if count > 0 else "dark" if count < 0 else "none"
    return {"colour": colour, "count": abs(count), "confidence": confidence}


class FakePhotos:
    """Says of every picture that it shows the start, one point of it not for certain."""

    def __init__(self) -> None:
        self.keeps: str | None = "/somewhere"
        self.asked: list[Sequence[Any] | None] = []
        self.kept: list[Mapping[str, Any]] = []
        self.refuse: Unread | None = None

    def read(self, picture: bytes, corners: Sequence[Any] | None) -> dict[str, Any]:
        self.asked.append(corners)
        if self.refuse and not corners:
            raise self.refuse
        slots = [slot(n) for n in START]
        others = [[reading, slot(0, 0.01)] for reading in slots]
        slots[4] = slot(3, 0.55)  # of which the right reading is the second
        others[4] = [slots[4], slot(-3, 0.4)]
        values = {"box": [300, 280, 330, 310], "half": "left", "state": "flat", "confidence": 0.95}
        return {
            "schema": "zarbiter.photo/1",
            "file": "picture",
            "size": [WIDTH, HEIGHT],
            "board": {"corners": [list(c) for c in corners or FIELD], "confidence": 0.9},
            "slots": {"top": slots[:12], "bottom": slots[12:]},
            "bar": {"light": 0, "dark": 0},
            "off": {"light": 0, "dark": 0},
            "dice": [values | {"value": 3}, values | {"value": 1, "box": [350, 280, 380, 310]}],
            "cube": None,
            "cup": None,
            "hands": False,
            "alternatives": {"top": others[:12], "bottom": others[12:], "bar": [[slot(0)], [slot(0)]]},
            "marks": {
                "slots": [[110 + 50 * (k % 12), 60 if k < 12 else 560] for k in range(24)],
                "bar": [[390, 80], [420, 80], [420, 540], [390, 540]],
            },
        }

    def keep(self, picture: bytes, labels: Mapping[str, Any]) -> str:
        self.kept.append(labels)
        return "Kept."


@pytest.fixture
def photos() -> FakePhotos:
    return FakePhotos()


@pytest.fixture
def client(feed: FakeFeed, photos: FakePhotos) -> FlaskClient:
    return create_app(feed, photos=photos, key=KEY).test_client()


@pytest.fixture
def server(feed: FakeFeed, photos: FakePhotos) -> Iterator[Server]:
    with serve(create_app(feed, photos=photos, key=KEY), port=0) as server:
        yield server
        feed.close()


@pytest.fixture(scope="session")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photo") / "board.png"
    cv2.imwrite(str(path), np.full((HEIGHT, WIDTH, 3), (60, 90, 60), np.uint8))
    return path


def form(data: bytes = b"picture", **fields: str) -> dict[str, Any]:
    return {"data": {"picture": (BytesIO(data), "a.jpg"), **fields}, "headers": KEYED}


BOARD: dict[str, Any] = {
    "slots": list(START),
    "bar": [0, 0],
    "dice": [3, 1],
    "home": "bottom-right",
    "turn": "light",
    "game": "backgammon",
    "cube": 1,
    "cube_owner": None,
}


class TestTheInterface:
    def test_a_key_is_needed_for_all_but_the_page(self, client: FlaskClient) -> None:
        assert client.get("/photo").status_code == 200
        for path in ("/api/photo", "/api/photo/keep", "/api/photo/position"):
            assert client.post(path).status_code == 403
            assert client.post(path, headers={KEY_HEADER: "wrong"}).status_code == 403
            other = KEYED | {"Origin": "http://elsewhere.example"}
            assert client.post(path, headers=other).status_code == 403
            assert client.post(path, headers=KEYED, data="x", content_type="text/plain").status_code == 415

    def test_no_page_without_photos_and_no_photos_without_a_key(
        self, feed: FakeFeed, photos: FakePhotos
    ) -> None:
        assert create_app(feed).test_client().get("/photo").status_code == 404
        with pytest.raises(ValueError, match="needs a key"):
            create_app(feed, photos=photos)

    def test_a_picture_is_read_with_and_without_corners(
        self, client: FlaskClient, photos: FakePhotos
    ) -> None:
        answer = client.post("/api/photo", **form())
        assert answer.status_code == 200
        assert answer.json is not None
        assert answer.json["schema"] == "zarbiter.photo/1"
        client.post("/api/photo", **form(corners=json.dumps(FIELD)))
        assert photos.asked == [None, tuple(map(tuple, FIELD))]

    @pytest.mark.parametrize(
        "corners",
        [
            "no",
            "[]",
            "[[1,2],[3,4],[5,6]]",
            '[[1,2],[3,4],[5,6],[7,"x"]]',
            "[[1,2],[3,4],[5,6],[7,NaN]]",
            "3",
        ],
    )
    def test_corners_that_are_none(self, client: FlaskClient, corners: str) -> None:
        answer = client.post("/api/photo", **form(corners=corners))
        assert answer.status_code == 400
        assert answer.json == {"error": "corners are four points, each [x, y]"}

    def test_what_cannot_be_read_is_told_in_one_line(self, client: FlaskClient, photos: FakePhotos) -> None:
        photos.refuse = Unread("not a picture")
        answer = client.post("/api/photo", **form())
        assert (answer.status_code, answer.json) == (422, {"error": "not a picture"})
        photos.refuse = Unread("busy", busy=True)
        assert client.post("/api/photo", **form()).status_code == 503
        assert (
            client.post(
                "/api/photo", headers=KEYED, data={"a": "b"}, content_type="multipart/form-data"
            ).status_code
            == 400
        )

    def test_too_large_a_picture(self, client: FlaskClient) -> None:
        head = b'--x\r\nContent-Disposition: form-data; name="picture"; filename="a.jpg"\r\n\r\n'
        for longer in (1, 1 << 20):
            body = head + bytes(LONGEST_PICTURE + longer) + b"\r\n--x--\r\n"
            kind = "multipart/form-data; boundary=x"
            answer = client.post("/api/photo", headers=KEYED, data=body, content_type=kind)
            assert answer.status_code == 413
        # Other requests stay short.
        answer = client.post("/api/photo/position", headers=KEYED, json={"a": "x" * (1 << 16)})
        assert answer.status_code in (400, 413)

    def test_a_board_in_all_forms(self, client: FlaskClient) -> None:
        answer = client.post("/api/photo/position", headers=KEYED, json=BOARD).json
        assert answer is not None
        assert answer["texts"]["xgid"] == {"text": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"}
        assert answer["texts"]["fibs"]["text"].startswith("board:You:Opponent:")
        assert answer["standing"] == {"light": 15, "dark": 15}
        assert answer["pips"] == {"light": 167, "dark": 167}
        assert answer["numbers"][23] == 1
        nardy = client.post("/api/photo/position", headers=KEYED, json=BOARD | {"game": "long-nardy"}).json
        assert nardy is not None
        assert "not for long nardy" in nardy["texts"]["xgid"]["why"]
        assert nardy["texts"]["position"]["text"].startswith("nardy:")
        many = client.post("/api/photo/position", headers=KEYED, json=BOARD | {"bar": [3, 0]}).json
        assert many is not None
        assert many["texts"]["xgid"] == {"why": "there are 18 light checkers, more than 15"}
        assert many["pips"] is None

    @pytest.mark.parametrize(
        "change",
        [
            {"slots": [0] * 23},
            {"slots": [0.5] * 24},
            {"slots": [99] * 24},
            {"bar": [-1, 0]},
            {"bar": [1]},
            {"dice": [7, 1]},
            {"dice": [1]},
            {"home": "middle"},
            {"turn": "white"},
            {"game": "chess"},
            {"cube": 3},
            {"cube": 0},
            {"cube": 2, "cube_owner": "me"},
        ],
    )
    def test_what_is_no_board(self, client: FlaskClient, change: dict[str, Any]) -> None:
        answer = client.post("/api/photo/position", headers=KEYED, json=BOARD | change)
        assert (answer.status_code, answer.json) == (400, {"error": "the request is not a board"})
        for text in ("[]", "{}", "null", "3", "no"):
            answer = client.post(
                "/api/photo/position", headers=KEYED, data=text, content_type="application/json"
            )
            assert answer.status_code == 400

    def test_labels_are_checked_before_they_are_kept(self, client: FlaskClient, photos: FakePhotos) -> None:
        die = {"value": 3, "state": "flat", "half": "left", "box": [1, 2, 3, 4]}
        labels = {"corners": FIELD, "slots": list(START), "bar": [0, 1], "dice": [die]}
        answer = client.post("/api/photo/keep", **form(labels=json.dumps(labels)))
        assert (answer.status_code, answer.json) == (200, {"said": "Kept."})
        assert photos.kept[0]["slots"] == START
        assert photos.kept[0]["dice"] == [die | {"box": (1.0, 2.0, 3.0, 4.0)}]
        for wrong in ("", "[]", "{}", json.dumps(labels | {"dice": [die | {"state": "up"}]})):
            assert client.post("/api/photo/keep", **form(labels=wrong)).status_code == 400
        assert len(photos.kept) == 1


def opened(driver: Any, server: Server, picture: Path | None) -> Page:
    page = Page(driver, f"{server.url}photo#key={KEY}")
    if picture:
        driver.find_element("id", "file").send_keys(str(picture))
        page.wait(lambda: page.text("#said").startswith(("Read;", "Read.")))
    return page


def value(page: Page, form: str) -> str:
    return str(page.run(f"document.querySelector('#form-{form}')?.value ?? ''"))


FOUND = "[...document.querySelectorAll('#wood button')].find(b => b.ariaLabel.includes(arguments[0]))"


def label(page: Page, place: str) -> str:
    """What a screen reader says of the point whose label has this in it."""
    return str(page.run(f"{FOUND}?.ariaLabel ?? ''", place))


def point(page: Page, place: str) -> Any:
    return page.run(FOUND, place)


def press(page: Page, text: str) -> None:
    # In one go: the page draws its buttons anew after an answer, and one that was found may be gone.
    page.run(
        "[...document.querySelectorAll('button')].find(b => b.innerText.includes(arguments[0])).click()", text
    )


class TestInABrowser:
    def test_a_picture_becomes_a_position_that_can_be_put_right(
        self, driver: Any, server: Server, picture: Path
    ) -> None:
        page = opened(driver, server, picture)
        assert page.run("location.href") == f"{server.url}photo", "the key is not left in the address"
        assert page.text("#said") == "Read; one point is doubtful and marked with a question mark."
        assert page.count("#overlay .tag") == 8
        assert page.count("#overlay .corner") == 4
        assert page.count("#wood .doubtful") == 1
        page.wait(lambda: "none of it" in value(page, "xgid") or "None" in page.text("#forms"))
        assert "18 light checkers" in page.text("#forms")
        assert "Light: 18, more than 15" in page.text("#totals")
        # The right reading is offered.
        point(page, "Point 17").click()
        assert "read: 3 light, 55 %" in page.text("#chosen-name")
        press(page, "3 dark (40 %)")
        page.wait(lambda: value(page, "xgid") == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
        assert label(page, "Point 17") == "Point 17, top row, 5 from the left: 3 dark, set by hand"
        assert value(page, "gnubg_id").startswith("4HPwATDgc/ABMA:")
        page.run("document.querySelector('#form-xgid').closest('div').querySelector('button')").click()
        page.wait(lambda: page.text("#said") == "XGID copied.")
        assert value(page, "position") == "backgammon:w=24:2,13:5,8:3,6:5/b=24:2,13:5,8:3,6:5/white/31"
        press(page, "Undo")
        page.wait(lambda: "3 light, doubtful" in label(page, "Point 17"))
        press(page, "That is right")
        page.wait(lambda: "3 light, set by hand" in label(page, "Point 17"))
        assert page.count("#wood .doubtful") == 0
        assert page.console() == []

    def test_clicks_add_and_take_away(self, driver: Any, server: Server, picture: Path) -> None:
        page = opened(driver, server, picture)
        page.wait(lambda: label(page, "Point 6"))
        box = "(b => { const r = b.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })"
        spot = "[...document.querySelectorAll('#wood button')].find(b => b.ariaLabel.includes(arguments[0]))"
        assert page.run(f"{box}({spot})", "Point 8,")[3] > 60
        point(page, "Point 8,").find_element("css selector", ".checker").click()
        page.wait(lambda: "2 light" in label(page, "Point 8,"))
        page.run("document.querySelector('#more')").click()
        page.wait(lambda: "3 light" in label(page, "Point 8,"))
        page.run("document.querySelector('[name=colour][value=dark]')").click()
        page.wait(lambda: "3 dark" in label(page, "Point 8,"))
        page.run(spot, "Point 9,").click()  # an empty one takes the colour that was chosen last
        page.wait(lambda: "1 dark" in label(page, "Point 9,"))
        assert page.console() == []

    def test_by_the_keyboard_alone(self, driver: Any, server: Server, picture: Path) -> None:
        from selenium.webdriver.common.keys import Keys

        page = opened(driver, server, picture)
        page.wait(lambda: label(page, "Point 13,"))
        page.run("document.querySelector('#wood button')").send_keys(Keys.ARROW_RIGHT)

        def at(*keys: str) -> str:
            driver.switch_to.active_element.send_keys(*keys)
            return str(page.run("document.activeElement.ariaLabel"))

        assert "Point 14" in at()
        assert "Point 14, top row, 2 from the left: 2 dark" in at("+", "c", "+")
        assert "7 dark" in at("7")
        assert "empty" in at(Keys.DELETE)
        assert "Point 11" in at(Keys.ARROW_DOWN)
        for _ in range(5):
            at(Keys.ARROW_RIGHT)
        assert "Light on the bar: 1 light" in at("+")
        assert "Dark on the bar" in at(Keys.ARROW_UP)
        page.wait(lambda: page.run("document.querySelectorAll('#wood button[tabindex=\"0\"]').length") == 1)
        # A corner by the arrow keys: read again once they rest.
        page.run("document.querySelector('.corner')").send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        page.wait(
            lambda: "98, 80" in page.run("document.querySelector('.corner').getAttribute('aria-label')")
        )
        page.wait(lambda: page.text("#said").startswith("Read;"))
        assert page.console() == []

    def test_a_corner_is_dragged_and_the_picture_read_again(
        self, driver: Any, server: Server, picture: Path, photos: FakePhotos
    ) -> None:
        from selenium.webdriver import ActionChains

        page = opened(driver, server, picture)
        handle = page.run("document.querySelectorAll('.corner')[2]")
        ActionChains(driver).drag_and_drop_by_offset(handle, -30, -20).perform()
        page.wait(lambda: len(photos.asked) == 2)
        scale = WIDTH / page.run("document.querySelector('#photo').clientWidth")
        corners = photos.asked[1]
        assert corners is not None
        assert np.allclose(corners[2], (720 - 30 * scale, 540 - 20 * scale), atol=2)
        assert np.allclose(corners[0], FIELD[0])
        page.wait(lambda: page.text("#said").startswith("Read;"))
        press(page, "Find the board")
        page.wait(lambda: len(photos.asked) == 3)
        assert photos.asked[2] is None

    def test_no_board_is_found_and_corners_are_set_by_hand(
        self, driver: Any, server: Server, picture: Path, photos: FakePhotos
    ) -> None:
        from selenium.webdriver import ActionChains

        photos.refuse = Unread("no backgammon board can be seen in it")
        page = Page(driver, f"{server.url}photo#key={KEY}")
        driver.find_element("id", "file").send_keys(str(picture))
        page.wait(
            lambda: page.text("#said").startswith("No backgammon board can be seen in it. Drag the four")
        )
        assert page.count("#overlay .corner") == 4
        ActionChains(driver).drag_and_drop_by_offset(
            page.run("document.querySelector('.corner')"), 9, 9
        ).perform()
        page.wait(lambda: page.text("#said").startswith("Read;"))
        assert page.count("#overlay .tag") == 8

    def test_wrong_and_large_files_lose_nothing(
        self, driver: Any, server: Server, picture: Path, photos: FakePhotos, tmp_path: Path
    ) -> None:
        page = opened(driver, server, picture)
        page.wait(lambda: "18 light" in page.text("#forms"))
        large, text = tmp_path / "large.jpg", tmp_path / "notes.jpg"
        with large.open("wb") as file:
            file.truncate(LONGEST_PICTURE + 1)
        driver.find_element("id", "file").send_keys(str(large))
        page.wait(lambda: page.text("#said").startswith("large.jpg is larger than 40 MB"))
        assert not page.run("document.querySelector('#stage').hidden"), "the last picture stays"
        text.write_text("no picture")
        photos.refuse = Unread("not a picture, or of a kind that cannot be read")
        driver.find_element("id", "file").send_keys(str(text))
        page.wait(lambda: page.text("#said") == "Not a picture, or of a kind that cannot be read.")
        assert page.count("#wood .checker") > 20, "the position stays"
        assert page.run("document.querySelector('#stage').hidden")

    def test_dice_and_the_game_change_what_is_told(self, driver: Any, server: Server, picture: Path) -> None:
        page = opened(driver, server, picture)
        point(page, "top row, 5 from").click()
        press(page, "3 dark (40 %)")
        choose(page, "Die 1: value", "6")
        page.wait(lambda: ":61:" in value(page, "xgid"))
        choose(page, "Die 2: how it lies", "cocked")
        page.wait(lambda: ":00:" in value(page, "xgid"))
        assert page.count("#overlay .thing.lying") == 1
        page.run("document.querySelector('[aria-label=\"Remove die 2\"]')").click()
        press(page, "Add a die")
        page.wait(lambda: ":66:" in value(page, "xgid"))
        for name, chosen in (("cube", "4"), ("owner", "dark"), ("turn", "dark")):
            driver.find_element(
                "css selector", f"#{name} option[value='{chosen}'], #{name} option:nth-child(3)"
            ).click()
        page.wait(lambda: ":2:-1:-1:66:" in value(page, "xgid"))
        driver.find_element("css selector", "#game option[value=long-nardy]").click()
        page.wait(lambda: value(page, "position").startswith("nardy:"))
        assert page.count("#forms dt") == 1
        assert not page.run("document.querySelector('#cube').checkVisibility()")

    def test_a_position_that_is_right_is_kept_once(
        self, driver: Any, server: Server, picture: Path, photos: FakePhotos
    ) -> None:
        page = opened(driver, server, picture)
        page.run("document.querySelector('#keep')").click()
        page.wait(lambda: page.text("#said") == "Kept.")
        assert photos.kept[0]["slots"] == (*START[:4], 3, *START[5:])
        assert len(photos.kept[0]["dice"]) == 2
        assert page.run("document.querySelector('#keep').disabled")
        point(page, "top row, 5 from").send_keys("-")
        page.wait(lambda: not page.run("document.querySelector('#keep').disabled"))

    def test_nothing_is_kept_unless_that_was_asked_for(
        self, driver: Any, server: Server, photos: FakePhotos
    ) -> None:
        photos.keeps = None
        page = opened(driver, server, None)
        assert page.count("#keep") == 0

    def test_without_the_key_the_page_may_only_look(self, driver: Any, server: Server) -> None:
        driver.get(f"{server.url}photo")
        driver.execute_script("sessionStorage.clear()")
        page = Page(driver, f"{server.url}photo")
        assert "may look but not read" in page.text("#said")
        assert page.console() == []

    @pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
    def test_it_fits_the_screen(
        self, driver: Any, server: Server, picture: Path, width: int, height: int
    ) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        try:
            page = opened(driver, server, picture)
            time.sleep(0.3)
            assert page.run("document.documentElement.scrollWidth <= innerWidth")
            small = """[...document.querySelectorAll('button, select, summary, .pick')].filter(node => {
                const box = node.getBoundingClientRect();
                return box.width && (box.height < 24 || box.width < 24);
            }).map(node => node.outerHTML.slice(0, 80))"""
            assert page.run(small) == [], "a finger needs 24 pixels (WCAG 2.2, 2.5.8)"
            nameless = """[...document.querySelectorAll('button, select, input, [tabindex], canvas')].filter(
                node => !(node.ariaLabel || node.innerText || node.labels?.length)
            ).map(node => node.outerHTML.slice(0, 80))"""
            assert page.run(nameless) == []
        finally:
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def choose(page: Page, label: str, chosen: str) -> None:
    script = """(() => {
        const control = document.querySelector(`[aria-label="${arguments[0]}"]`);
        control.value = arguments[1];
        control.dispatchEvent(new Event("change", { bubbles: true }));
    })()"""
    page.run(script, label, chosen)
