"""Where arms reach in from: a witness for who throws and who moves.

Players sit at the two long sides of the board, and reach over their own. Who sits where is taken from the
board at first, a player sitting where his home is, and then learnt from the turns that were decided.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

from engine.layout import Orientation
from engine.observation import Observation
from engine.position import Side

Seat = Literal["top", "bottom"]

#: Turns that count, before any is seen, for a player to sit at his home, and for him not to.
AT_HOME, AWAY = 1.5, 0.5
MOST_TURNS = 20.0  #: seen turns count as no more than these: anybody reaches across now and then
BEFORE, UNTIL = 1.6, 0.1  #: seconds before dice lie still within which an arm threw them
MOSTLY = 0.6  #: share of the arms seen then that must have come from one side
PAST = 0.03  #: heights of the field by which an arm must reach past a side of it, or may end short of it


def seat_of(seen: Observation) -> Seat | None:
    """The long side of the board over which an arm reaches in; ``None`` for no arm, and for both."""
    if seen.board is None:
        return None
    (a, ya), (b, yb), (c, yc), (d, yd) = seen.board.corners
    left, right, top, bottom = (a + d) / 2, (b + c) / 2, (ya + yb) / 2, (yc + yd) / 2
    margin = PAST * (bottom - top)
    seats: set[Seat] = set()
    for x0, y0, x1, y1 in seen.hands:
        over = x0 < right and x1 > left
        if over and y0 < top + margin < y1 < bottom - margin:
            seats.add("top")
        elif over and y1 > bottom - margin > y0 > top + margin:
            seats.add("bottom")
    return seats.pop() if len(seats) == 1 else None


class SeatWatch:
    """Remembers where arms came from, and learns who sits there."""

    def __init__(self) -> None:
        self._arms: deque[tuple[float, Seat]] = deque(maxlen=240)
        self._turns: dict[tuple[Side, Seat], float] = {}

    def see(self, seen: Observation) -> None:
        """Take in one frame."""
        seat = seat_of(seen)
        if seat is not None:
            self._arms.append((seen.t, seat))

    def forget_arms(self) -> None:
        """The clock of the frames begins anew."""
        self._arms.clear()

    def forget_sides(self) -> None:
        """Anybody may sit anywhere: a new game begins."""
        self._turns.clear()

    def thrower(self, t: float) -> Seat | None:
        """Where the arm came from that threw dice which lay still at ``t`` seconds, if that is plain."""
        there = [seat for at, seat in self._arms if t - BEFORE <= at <= t - UNTIL]
        seats: tuple[Seat, Seat] = ("top", "bottom")
        return next((seat for seat in seats if there.count(seat) > MOSTLY * len(there)), None)

    def learn(self, seat: Seat | None, side: Side) -> None:
        """A turn of ``side``, whose dice came from ``seat``, has been decided."""
        if seat is not None:
            self._turns[side, seat] = self._turns.get((side, seat), 0.0) + 1

    def evidence(self, seat: Seat | None, orientation: Orientation) -> dict[Side, float]:
        """Log likelihood of an arm from ``seat``, if it is that of either side."""
        if seat is None:
            return dict.fromkeys(Side, 0.0)
        return {side: math.log(self._chance(side, seat, orientation)) for side in Side}

    def _chance(self, side: Side, seat: Seat, orientation: Orientation) -> float:
        white_below = orientation in (Orientation.BOTTOM_LEFT, Orientation.BOTTOM_RIGHT)
        home = "bottom" if (side is Side.WHITE) is white_below else "top"
        weights = {
            place: (AT_HOME if place == home else AWAY) + self._turns.get((side, place), 0.0)
            for place in ("top", "bottom")
        }
        seen = sum(weights.values())
        share = min(1.0, MOST_TURNS / seen)
        # A little of either stays possible, however many turns were seen.
        return (share * weights[seat] + 0.5) / (share * seen + 1.0)
