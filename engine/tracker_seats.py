"""Where arms reach in from: a witness for who throws and who moves.

Players sit at the two long sides of the board, and reach over their own. A player is taken to sit where his
home is at first, and then it is learnt from the turns that were decided whether that is so. It holds for the
next game too, also where the colours are swapped, or the board is set up the other way round.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

from engine.layout import Orientation
from engine.observation import Observation
from engine.position import Side

Seat = Literal["top", "bottom"]

#: How players sit: each where his home is, each where the other's is, or nobody can tell (both at one side,
#: one person for both). Probability before any turn is seen, and that a throw then comes from its own home.
SEATINGS = {"home": (0.84, 0.98), "away": (0.08, 0.02), "any": (0.08, 0.5)}
CHANGE, NEW_GAME = 0.02, 0.2  #: probability that they sit otherwise after a turn, and after a game
ACROSS = 20  #: turns for which an arm that reached across is held against all that come after it
SURE_SEAT = 1.5  #: nats by which an arm must be rather that of one side, to go by it
BEFORE, UNTIL = 1.6, 0.1  #: seconds before dice lie still within which an arm threw them
TAKING = 0.4  #: seconds before and after dice are last seen within which an arm took them
MOSTLY = 0.6  #: share of the arms seen then that must have come from one side
PAST = 0.03  #: heights of the field by which an arm must reach past a side of it, or may end short of it


def seats_of(seen: Observation) -> frozenset[Seat]:
    """The long sides of the board over which arms reach in."""
    if seen.board is None:
        return frozenset()
    (a, ya), (b, yb), (c, yc), (d, yd) = seen.board.corners
    left, right, top, bottom = (a + d) / 2, (b + c) / 2, (ya + yb) / 2, (yc + yd) / 2
    margin = PAST * (bottom - top)
    seats = set[Seat]()
    for x0, y0, x1, y1 in seen.hands:
        over = x0 < right and x1 > left
        if over and y0 < top + margin < y1 < bottom - margin:
            seats.add("top")
        elif over and y1 > bottom - margin > y0 > top + margin:
            seats.add("bottom")
    return frozenset(seats)


def home_of(side: Side, orientation: Orientation) -> Seat:
    """The long side of the board at which a side has its home, and where its player sits as a rule."""
    white_below = orientation in (Orientation.BOTTOM_LEFT, Orientation.BOTTOM_RIGHT)
    return "bottom" if (side is Side.WHITE) is white_below else "top"


class SeatWatch:
    """Remembers where arms came from, and learns who sits there."""

    def __init__(self) -> None:
        self._arms: deque[tuple[float, frozenset[Seat]]] = deque(maxlen=240)
        self._seatings = {name: before for name, (before, _) in SEATINGS.items()}
        #: Turns of which each came from where it was to, less ``ACROSS`` for any that did not.
        self.steady = 0

    def see(self, seen: Observation) -> None:
        """Take in one frame."""
        self._arms.append((seen.t, seats_of(seen)))

    def forget_arms(self) -> None:
        """The clock of the frames begins anew."""
        self._arms.clear()

    def new_game(self) -> None:
        """A game begins: somebody may have sat down elsewhere."""
        self._mix(NEW_GAME)

    def arms(self, t: float) -> list[Seat]:
        """Where arms came from in each frame of the throw of dice that lay still at ``t`` seconds.

        An arm that rested over the board all the while did not throw them.
        """
        lately = [(at, seats) for at, seats in self._arms if t - 2 * BEFORE <= at <= t - UNTIL]
        return [
            seat
            for at, seats in lately
            for seat in seats
            if at >= t - BEFORE and any(seat not in others for _, others in lately)
        ]

    def seen_since(self, seat: Seat, since: float, until: float) -> bool:
        """Whether an arm reached in from ``seat`` between two moments."""
        return any(seat in seats for at, seats in self._arms if since < at <= until)

    def thrower(self, t: float) -> Seat | None:
        """Where the arm came from that threw dice which lay still at ``t`` seconds, if that is plain."""
        there = self.arms(t)
        seats: tuple[Seat, Seat] = ("top", "bottom")
        return next((seat for seat in seats if there.count(seat) > MOSTLY * len(there)), None)

    def taker(self, t: float) -> Seat | None:
        """Where the arm came from that took dice which were last seen at ``t`` seconds, if that is plain."""
        there = {seat for at, seats in self._arms if t - TAKING <= at <= t + TAKING for seat in seats}
        return there.pop() if len(there) == 1 else None

    def learn(self, seat: Seat | None, side: Side, orientation: Orientation) -> None:
        """A turn of ``side``, whose dice came from ``seat``, has been decided."""
        if seat is None:
            return
        seats = self.evidence(seat, orientation)
        self.steady += -ACROSS if seats[side.other] - seats[side] >= SURE_SEAT else 1
        for name, (_, at_home) in SEATINGS.items():
            self._seatings[name] *= at_home if seat == home_of(side, orientation) else 1 - at_home
        self._mix(CHANGE)

    def _mix(self, change: float) -> None:
        total = sum(self._seatings.values())
        for name, (before, _) in SEATINGS.items():
            self._seatings[name] = (1 - change) * self._seatings[name] / total + change * before

    def seat(self, side: Side, orientation: Orientation) -> Seat:
        """Where a side sits, most likely."""
        home = home_of(side, orientation)
        other: Seat = "top" if home == "bottom" else "bottom"
        seats = self.evidence(home, orientation)
        return home if seats[side] >= seats[side.other] else other

    def evidence(self, seat: Seat | None, orientation: Orientation) -> dict[Side, float]:
        """Log likelihood of an arm from ``seat``, if it is that of either side."""
        if seat is None:
            return dict.fromkeys(Side, 0.0)
        at_home = sum(p * SEATINGS[name][1] for name, p in self._seatings.items())
        return {
            side: math.log(at_home if seat == home_of(side, orientation) else 1 - at_home) for side in Side
        }
