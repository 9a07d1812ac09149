"""The live page in a real browser, as the tests see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Page:
    """What a test asks of the page."""

    def __init__(self, driver: Any, url: str) -> None:
        self.driver = driver
        driver.get("about:blank")  # ends the last page, which misses its server
        self.console()
        driver.get(url)
        self.wait(lambda: self.text("#link") not in ("", "connecting"))

    def wait(self, condition: Callable[[], object], seconds: float = 8.0) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, seconds, poll_frequency=0.05).until(lambda _: condition())

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(f"return {script}", *arguments)

    def text(self, selector: str) -> str:
        return str(self.run("document.querySelector(arguments[0])?.innerText ?? ''", selector)).strip()

    def count(self, selector: str) -> int:
        return int(self.run("document.querySelectorAll(arguments[0]).length", selector))

    def blue(self) -> int:
        """How blue the camera picture is. Read from a copy: browsers warn of reading a live canvas."""
        script = """(() => {
            const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
            copy.drawImage(document.querySelector("#picture"), 0, 0);
            return copy.getImageData(0, 0, 1, 1).data[2];
        })()"""
        return int(self.run(script))

    def console(self) -> list[Any]:
        return list(self.driver.get_log("browser"))
