"""Two witnesses of one board: the look that was learnt from it, and the network that knows none.

Each errs where the other does not: the look where light has changed, where checkers look like the points
below them or a die lies on one; the network in how many lie in a row. What both say is as good as sure. Where
they differ neither is believed, and whether all checkers are there may tip the scales.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.layout import SLOTS
from engine.observation import SlotReading
from engine.position import CHECKERS
from vision.appearance import ROW
from vision.checkers import Witness, at_most_fifteen

_ERRS = 0.02  #: how often each of them is wrong, however sure it is
_SURE = 0.95  #: probability from which what both say stands whatever the totals are
_ALL = 0.3  #: chance of a side to have all of its checkers on the board: some are borne off, or in a hand
_KEEP = 0.002  #: a count less probable than this is left out of a reading
_MOST_ON_BAR = 7

Array = NDArray[np.float64]

_COUNTS = np.arange(-CHECKERS, CHECKERS + 1)
_ON_BAR = np.arange(_MOST_ON_BAR + 1)
#: How often any slot holds each count, and either side each number on the bar. A full row is one count: its
#: height is told from how it was before, which only the look knows.
_SLOT = np.full(2 * ROW + 1, 0.05)
_SLOT[ROW] = 0.5
_BAR = np.array([0.9, *[0.1 / ROW] * ROW])


def together(look: Witness, network: Witness, fresh: NDArray[np.bool_]) -> Witness:
    """What both say of 24 slots and the bar.

    ``fresh``: bool (25,), of slots and bar, whether the network has seen what lies there now; of others the
    look alone is heard.
    """
    looked, seen = (np.stack([_chances(slot, _COUNTS) for slot in one[0]]) for one in (look, network))
    slots = looked.copy()
    for slot in np.flatnonzero(fresh[:SLOTS]):
        slots[slot] = _both(looked[slot], seen[slot], _COUNTS, _SLOT)
    bar = np.stack([_chances(one, sign * _ON_BAR) for one, sign in zip(look[1], (1, -1), strict=True)])
    if fresh[SLOTS]:
        also = (_chances(one, sign * _ON_BAR) for one, sign in zip(network[1], (1, -1), strict=True))
        bar = np.stack([_both(one, other, _ON_BAR, _BAR) for one, other in zip(bar, also, strict=True)])
    if fresh.all():
        doubtful = _row(looked.argmax(axis=1) - CHECKERS) != _row(seen.argmax(axis=1) - CHECKERS)
        doubtful |= (slots.max(axis=1) < _SURE) & (np.abs(slots.argmax(axis=1) - CHECKERS) < ROW)
        if doubtful.any():
            slots[doubtful] = at_most_fifteen(slots, bar, (_ALL, _ALL))[0][doubtful]
    told = [
        _reading(slots[slot], _COUNTS) if now else look[0][slot] for slot, now in enumerate(fresh[:SLOTS])
    ]
    light, dark = (_reading(one, sign * _ON_BAR) for one, sign in zip(bar, (1, -1), strict=True))
    return tuple(told), (light, dark) if fresh[SLOTS] else look[1]


def _row(counts: NDArray[np.int_]) -> NDArray[np.int_]:
    """Counts of which all full rows are one."""
    return np.clip(counts, -ROW, ROW)


def _both(look: Array, network: Array, counts: NDArray[np.int_], usual: Array) -> Array:
    """Chances of ``counts`` by two that err independently; ``usual``: of the rows, before either is heard."""
    row = _row(counts) - _row(counts).min()
    by_look, by_network = (np.bincount(row, one, len(usual)) for one in (look, network))
    heard = [(1 - _ERRS) * one + _ERRS * usual for one in (by_look, by_network)]
    rows = heard[0] * heard[1] / usual
    within = np.where(by_look[row] > _KEEP, look / by_look[row], network / by_network[row])
    both = rows[row] * within
    return np.asarray(both / both.sum(), np.float64)


def _chances(reading: SlotReading, counts: NDArray[np.int_]) -> Array:
    chances = np.array([reading.probability(int(n)) for n in counts])
    return np.asarray(chances / chances.sum(), np.float64)


def _reading(chances: Array, counts: NDArray[np.int_]) -> SlotReading:
    order = np.argsort(-chances, kind="stable")
    kept = [(int(counts[i]), round(float(chances[i]), 4)) for i in order if chances[i] >= _KEEP]
    return SlotReading(tuple(kept))
