"""The hub between the pipeline, which writes, and the pages, which read.

Only the newest state and the newest picture are kept: a slow page misses some, and holds nobody up.
Events are all kept, since a page that reconnects asks for those it missed.
"""

from __future__ import annotations

import bisect
import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.observation import Observation
from hardware.camera import Frame, Image
from webui.feed import Health, State, Told
from zarbiter.beside import small_jpeg

PICTURES_PER_SECOND = 8
QUALITY = 75

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _View:
    number: int
    frame: Frame
    observation: Observation | None


class Hub:
    """The :class:`webui.feed.Feed` of a running match.

    ``draw`` gives a picture with what is seen drawn over it, in the present state. It runs in the
    thread of a page that looks, so that nothing is drawn and compressed while nobody does.
    """

    def __init__(
        self, state: State, told: Iterable[Told], draw: Callable[[Image, Observation, State], Image]
    ) -> None:
        # Versions and numbers start at the clock's milliseconds, so that they grow over a restart.
        self._told = list(told)
        first = self._told[0].id if self._told else 0
        self._state = replace(state, version=_milliseconds(), first_id=first)
        self._news = threading.Condition()
        self._draw = draw
        self._pictures = threading.Condition()
        self._view: _View | None = None
        self._jpeg: tuple[int, bytes] | None = None
        self._encoded_at = 0.0
        self._encoding = False
        self._closing = False

    def update(self, **changes: Any) -> None:
        """Change fields of the state; pages hear of it only if something differs."""
        with self._news:
            changed = replace(self._state, **changes)
            if changed != self._state:
                self._state = replace(changed, version=self._state.version + 1)
                self._news.notify_all()

    def report(
        self,
        part: Literal["camera", "vision", "store", "evidence"],
        state: Literal["ok", "waiting", "failed"],
        message: str = "",
    ) -> None:
        """Say how one part of the program does."""
        with self._news:
            others = [h for h in self._state.health if h.part != part]
            health = sorted([*others, Health(part, state, message)], key=lambda h: h.part)
            self.update(health=tuple(health))

    def tell(self, told: Told) -> None:
        """Publish an event that is safely stored."""
        with self._news:
            self._told.append(told)
            self.update(first_id=self._told[0].id)
            self._news.notify_all()

    def show(self, frame: Frame, observation: Observation | None) -> None:
        """Make a frame the newest picture. It must not be written to afterwards."""
        with self._pictures:
            number = self._view.number + 1 if self._view else _milliseconds()
            self._view = _View(number, frame, observation)
            self._pictures.notify_all()

    def sees_a_board(self) -> bool:
        """Whether there is a board in the newest picture."""
        with self._pictures:
            seen = self._view.observation if self._view else None
        return seen is not None and seen.board is not None

    def close(self) -> None:
        """Wake everybody up and let the streams end."""
        with self._news, self._pictures:
            self._closing = True
            self._news.notify_all()
            self._pictures.notify_all()

    @property
    def closing(self) -> bool:
        return self._closing

    def state(self) -> State:
        with self._news:
            return self._state

    def told(self, after: int = 0, limit: int = 1000) -> list[Told]:
        with self._news:
            new = self._told[bisect.bisect_right(self._told, after, key=lambda t: t.id) :]
        return new[-limit:] if limit > 0 else []

    def wait(self, version: int, after: int, timeout: float) -> bool:
        def news() -> bool:
            return self._state.version > version or bool(self._told and self._told[-1].id > after)

        with self._news:
            self._news.wait_for(lambda: self._closing or news(), timeout)
            return not self._closing and news()

    def picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        deadline = time.monotonic() + timeout
        with self._pictures:
            while True:
                now = time.monotonic()
                view, jpeg, due = self._view, self._jpeg, self._encoded_at + 1 / PICTURES_PER_SECOND
                if self._closing:
                    return None
                stale = view is not None and (jpeg is None or view.number > jpeg[0])
                if jpeg is not None and jpeg[0] > after and (not stale or now < due):
                    return jpeg
                may_encode = stale and view is not None and view.number > after and not self._encoding
                if may_encode and now >= due:
                    break
                if now >= deadline:
                    return None
                self._pictures.wait(min(deadline, due if may_encode else deadline) - now)
            self._encoding = True
        assert view is not None
        done: tuple[int, bytes] | None = None
        try:
            done = view.number, self._compress(view)
        finally:
            with self._pictures:
                self._encoding = False
                self._encoded_at = time.monotonic()
                self._jpeg = done or self._jpeg
                self._pictures.notify_all()
        return done

    def _compress(self, view: _View) -> bytes:
        image = view.frame.image
        if view.observation is not None:
            try:
                image = self._draw(image, view.observation, self.state())
            except Exception:  # a page without marks is better than a page without picture
                log.exception("drawing over picture %d", view.frame.seq)
        return small_jpeg(image, QUALITY)


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
