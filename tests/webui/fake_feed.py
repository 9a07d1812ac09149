"""A match that a test moves on by hand."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from engine import events
from engine.layout import Orientation, to_slots
from engine.position import Game, Position, Side
from webui.feed import Health, State, Told

START = Position.start(Game.BACKGAMMON)
AFTER_31 = Position((-2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))

FIRST = State(
    version=1,
    game=Game.BACKGAMMON,
    rules="short.default",
    position=START,
    orientation=Orientation.BOTTOM_RIGHT,
    side_to_move=Side.WHITE,
    dice=None,
    dice_valid=True,
    phase="waiting for a throw",
    pips=(167, 167),
    score=(0, 0),
    match_length=7,
    players=("Nadia", "Tom"),
    white_is_light=True,
    health=(Health("camera", "ok"), Health("vision", "ok"), Health("store", "ok")),
    frames_per_second=10.0,
)


class FakeFeed:
    """A :class:`webui.feed.Feed` in memory."""

    def __init__(self, state: State = FIRST) -> None:
        self._news = threading.Condition()
        self._state = state
        self._told: list[Told] = []
        self._picture: tuple[int, bytes] | None = None
        self._closing = False

    def state(self) -> State:
        return self._state

    def told(self, after: int = 0, limit: int = 1000) -> list[Told]:
        return [item for item in self._told if item.id > after][-limit:]

    def wait(self, version: int, after: int, timeout: float) -> bool:
        with self._news:
            self._news.wait_for(lambda: self._closing or self._newer(version, after), timeout)
            return self._newer(version, after) and not self._closing

    def _newer(self, version: int, after: int) -> bool:
        return self._state.version > version or bool(self._told and self._told[-1].id > after)

    def picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        return self._picture if self._picture and self._picture[0] > after else None

    @property
    def closing(self) -> bool:
        return self._closing

    def change(self, **fields: Any) -> None:
        """A newer state with other fields."""
        with self._news:
            self._state = replace(self._state, version=self._state.version + 1, **fields)
            self._news.notify_all()

    def tell(self, event: events.Event, sentence: str, alert: Any = "none") -> int:
        """One more event; returns its id."""
        with self._news:
            number = len(self._told) + 1
            self._told.append(Told(number, events.to_json(event), sentence, alert))
            self._news.notify_all()
            return number

    def show(self, number: int, jpeg: bytes) -> None:
        """A newer camera picture."""
        self._picture = number, jpeg

    def close(self) -> None:
        with self._news:
            self._closing = True
            self._news.notify_all()


def throw(side: Side, dice: tuple[int, int], t: float = 1.0, faults: tuple[Any, ...] = ()) -> events.Throw:
    colour = "light" if side is Side.WHITE else "dark"
    return events.Throw(t=t, side=side, colour=colour, dice=dice, valid=not faults, faults=faults)


def play(
    side: Side,
    dice: tuple[int, int],
    moves: tuple[tuple[int, int], ...],
    notation: str,
    position: Position,
    t: float = 2.0,
    rule: str | None = None,
) -> events.PlayMade:
    return events.PlayMade(
        t=t,
        side=side,
        colour="light" if side is Side.WHITE else "dark",
        dice=dice,
        moves=moves,
        notation=notation,
        legal=rule is None,
        rule=rule,
        position=position,
        slots=to_slots(position, Orientation.BOTTOM_RIGHT),
        bar=position.bar,
        off=position.off,
    )
