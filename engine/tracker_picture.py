"""Several still frames as one picture, and how well a position explains it.

Frames of one still board err alike, so their probabilities are averaged, not multiplied: ten frames
that say the same count as little more than two looks, and one that misreads a slot spoils nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.layout import SLOTS, Orientation, slot_of
from engine.observation import Observation, SlotReading
from engine.position import CHECKERS, Game, Position, Side

OVERLOOKED = 0.02  #: chance that a checker on the bar is not seen, dark on dark, in all the frames alike
FLOOR = 2e-4  #: probability left to every count, whatever the frames say
NEIGHBOUR = 0.02  #: share of a reading of a full row or more that may be one checker more or less
FULL = 5  #: checkers of a full row
TALL = 3  #: of more than so many the camera may always count another number
LOOKS = 1.8  #: how many independent looks ``LOOKS_FRAMES`` or more frames of one still board are worth
LOOKS_FRAMES = 5
ANCHORED = -0.7  #: log probability that a stack misread before and read alike now is unchanged
OFF_GAINED = -2.0  #: log prior, a side has more checkers off than before
OFF_LOST = -8.0  #: log prior, a side has fewer checkers off than before
CANDIDATE = 11.0  #: counts of a slot less likely than the best by this (nats) are not considered

Row = list[float]  #: log probability of the signed counts: index n for n >= 0, and n (from the end) for n < 0


def _row(readings: Iterable[SlotReading], overlooked: float = 0.0) -> Row | None:
    """Log probabilities of one slot over frames; ``None`` if no frame shows it.

    ``overlooked``: the chance that one checker lies there of which no frame shows anything.
    """
    mean = [0.0] * 31
    frames = 0
    for reading in readings:
        if not reading.visible:
            continue
        frames += 1
        spare = 1.0
        for count, p in reading.counts:
            if -15 <= count <= 15:
                mean[count] += p
            spare -= p
        if spare > 0:
            for index in range(31):
                mean[index] += spare / 31
    if not frames:
        return None
    mean = [p / frames for p in mean]
    for one in (1, -1):
        mean[one] += overlooked * mean[0]
    wide = list(mean)
    for count in range(-15, 16):
        if abs(count) >= FULL:
            for other in (count - 1, count + 1):
                if abs(other) <= 15:
                    wide[other] += NEIGHBOUR * mean[count]
    looks = 1 + (LOOKS - 1) * min(1.0, (frames - 1) / (LOOKS_FRAMES - 1))
    return [looks * math.log(p + FLOOR) for p in wide]


def _flat(row: Row | None) -> Row:
    """A row that prefers nothing where nothing was seen; the best entry of every row is 0."""
    if row is None:
        return [0.0] * 31
    top = max(row)
    return [v - top for v in row]


@dataclass(frozen=True, slots=True)
class Picture:
    """What some frames show together, in the terms of a position.

    ``points``: a row an index of ``Position.points``, ``bar`` and ``off``: a row a side (white,
    black), whose counts are not signed. Rows hold log probabilities, the best of each row being 0,
    so that 0 is a perfect fit.
    """

    frames: int
    hidden: frozenset[int]  #: indices of points that no frame shows
    points: tuple[Row, ...]
    bar: tuple[Row, Row]
    off: tuple[Row, Row]

    @classmethod
    def of(
        cls, frames: Sequence[Observation], orientation: Orientation, white_is_light: bool, game: Game
    ) -> Picture:
        """Put frames of one still board together. Frames without slots must have been left out."""
        rows: list[Row] = []
        hidden = set()
        for index in range(SLOTS):
            slot = slot_of(orientation, index)
            row = _row(frame.slots[slot] for frame in frames)
            if row is None:
                hidden.add(index)
            flat = _flat(row)
            rows.append(flat if white_is_light else _negated(flat))
        sides = (0, 1) if white_is_light else (1, 0)
        bar = [_flat(_row((frame.bar[side] for frame in frames), OVERLOOKED)) for side in sides]
        off = [_flat(_row(frame.off[side] for frame in frames)) for side in sides]
        # Dark counts are negative in a reading; on the bar and off a side's count is plain.
        dark = 1 if white_is_light else 0
        bar[dark], off[dark] = _negated(bar[dark]), _negated(off[dark])
        if game is Game.LONG_NARDY:
            bar = [[0.0] + [-20.0] * 30] * 2  # nothing is ever hit (rules.md L1)
        return cls(len(frames), frozenset(hidden), tuple(rows), (bar[0], bar[1]), (off[0], off[1]))

    def fit(self, position: Position) -> float:
        """Log likelihood of a position, 0 at best."""
        total = 0.0
        for row, count in zip(self.points, position.points, strict=True):
            total += row[count]
        return (
            total
            + self.bar[0][position.bar[0]]
            + self.bar[1][position.bar[1]]
            + self.off[0][position.off[0]]
            + self.off[1][position.off[1]]
        )

    def anchored(self, reference: Picture, position: Position) -> Picture:
        """Allow for stacks that are miscounted all the time.

        ``position`` stood when ``reference`` was seen. A tall stack that was read as some other number
        then and is read as the same number now has most likely not changed.
        """
        rows = list(self.points)
        for i, count in enumerate(position.points):
            if abs(count) <= TALL or i in self.hidden or i in reference.hidden:
                continue
            best = _best(rows[i])
            if best * count <= 0 or best == count or best != _best(reference.points[i]):
                continue
            row = rows[i] = list(rows[i])
            row[count] = max(row[count], ANCHORED)
            if abs(best - count) > 2:  # the number of checkers is lost on this camera; the colour is not
                sign = 1 if count > 0 else -1
                for n in range(max(1, abs(count) - 4), min(15, abs(count) + 4) + 1):
                    row[sign * n] = max(row[sign * n], ANCHORED - 0.4 * abs(abs(count) - n))
        return replace(self, points=tuple(rows))

    def shown(self, side: Side, position: Position, nats: float) -> int:
        """The checkers of a side on all points: a position's, but where another number is clearly seen, that.

        ``nats``: by how much a point's count must be less likely than the best one there to be clearly
        another. The likeliest counts alone would not do: of a high stack that is any number.
        """
        wrong = self.disagrees(position, nats)
        counts = (
            _best(row) if i in wrong else count
            for i, (row, count) in enumerate(zip(self.points, position.points, strict=True))
        )
        return sum(max(0, side.sign * count) for count in counts)

    def disagrees(self, position: Position, nats: float = 2.0) -> tuple[int, ...]:
        """The indices of points at which a position is clearly not what the picture shows."""
        return tuple(
            i
            for i, (row, count) in enumerate(zip(self.points, position.points, strict=True))
            if row[count] < -nats
        )

    def reading(self, before: Position) -> tuple[Position, float]:
        """The likeliest board of fifteen checkers a side, by no rule of the game, and its score.

        ``before`` gives the checkers off the board so far, which are the one thing the picture need
        not show: a change of them costs ``OFF_GAINED`` or ``OFF_LOST``. Where more checkers of a side
        are surely seen than it has, no such board exists: then ``before`` is returned, scored ``-inf``.
        """
        rows: list[tuple[Row, int]] = [(row, 0) for row in self.points]
        rows += [(self.bar[0], 1), (self.bar[1], -1)]
        choices = [_candidates(row, sign) for row, sign in rows]
        # Most boards are near what every row prefers: look there first, and further away only in need.
        least = -4.0
        while least > -1e3:
            found = self._best_board(choices, before, least)
            if found is not None:
                return found
            least *= 2
        return before, -math.inf

    def _best_board(
        self, choices: Sequence[Sequence[tuple[int, float]]], before: Position, least: float
    ) -> tuple[Position, float] | None:
        """The likeliest board and its score, if that is above ``least``."""
        # Counts are chosen row by row; a state is how many checkers of each side stand so far.
        best: dict[tuple[int, int], float] = {(0, 0): 0.0}
        steps: list[dict[tuple[int, int], int]] = []
        for counts in choices:
            reached: dict[tuple[int, int], float] = {}
            step: dict[tuple[int, int], int] = {}
            for (white, black), score in best.items():
                for n, value in counts:
                    total = score + value
                    if total < least:
                        break
                    state = (white + n, black) if n >= 0 else (white, black - n)
                    if max(state) <= CHECKERS and total > reached.get(state, -math.inf):
                        reached[state], step[state] = total, n
            best = reached
            steps.append(step)
        final = {state: score + self._off_cost(state, before) for state, score in best.items()}
        state = max(final, key=final.__getitem__, default=(0, 0))
        if not final or final[state] < least:
            return None
        score, off = final[state], (CHECKERS - state[0], CHECKERS - state[1])
        found: list[int] = []
        for step in reversed(steps):
            n = step[state]
            state = (state[0] - max(n, 0), state[1] - max(-n, 0))
            found.append(n)
        found.reverse()
        return Position(tuple(found[:24]), (found[24], -found[25]), off), score

    def _off_cost(self, on_board: tuple[int, int], before: Position) -> float:
        """What it costs that all but these checkers of White and Black are off."""
        cost = 0.0
        for side, count in enumerate(on_board):
            off = CHECKERS - count
            change = off - before.off[side]
            cost += self.off[side][off] + (OFF_GAINED if change > 0 else OFF_LOST if change < 0 else 0.0)
        return cost


def _best(row: Row) -> int:
    return max(range(-15, 16), key=row.__getitem__)


def _candidates(row: Row, sign: int) -> list[tuple[int, float]]:
    """Signed counts that are worth considering with their log probabilities, likeliest first.

    ``sign`` is 0 for a point; a row of the bar holds the plain counts of the side with that sign.
    """
    pairs = [(sign * n, row[n]) for n in range(16)] if sign else [(n, row[n]) for n in range(-15, 16)]
    return sorted((p for p in pairs if p[1] > -CANDIDATE), key=lambda p: -p[1])


def _negated(row: Row) -> Row:
    """The row of the same counts with the colours exchanged."""
    return [row[-count] if count else row[0] for count in range(16)] + [row[-c] for c in range(-15, 0)]
