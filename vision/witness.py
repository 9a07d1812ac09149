"""Two witnesses of one board: the look that was learnt from it, and the network that knows none.

Each errs where the other does not: the look where light has changed, where checkers look like the points
below them or a die lies on one; the network in how many lie in a row. What both say is as good as sure. Where
they differ neither is believed, and whether all checkers are there may tip the scales.
"""

from __future__ import annotations

from functools import lru_cache

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
#: Which row each count, or number on the bar, makes: (31, 11) and (8, 6), 1 where it does. A full row is
#: one of them: its height is told from how it was before, which only the look knows.
_ROW_OF = np.eye(2 * ROW + 1)[np.clip(_COUNTS, -ROW, ROW) + ROW]
_BAR_ROW_OF = np.eye(ROW + 1)[np.minimum(_ON_BAR, ROW)]
#: How often any slot holds each row, and either side's part of the bar.
_SLOT = np.full(2 * ROW + 1, 0.05)
_SLOT[ROW] = 0.5
_BAR = np.array([0.9, *[0.1 / ROW] * ROW])


def together(look: Witness, network: Witness, fresh: NDArray[np.bool_]) -> Witness:
    """What both say of 24 slots and the bar.

    ``fresh``: bool (25,), of slots and bar, whether the network has seen what lies there now; of others the
    look alone is heard.
    """
    looked, seen = (np.stack([_chances(slot) for slot in slots]) for slots, _ in (look, network))
    slots = np.where(fresh[:SLOTS, None], _both(looked, seen, _ROW_OF, _SLOT), looked)
    bar_looked, bar_seen = (
        np.stack([_chances(one)[CHECKERS + sign * _ON_BAR] for one, sign in zip(bar, (1, -1), strict=True)])
        for _, bar in (look, network)
    )
    bar = _both(bar_looked, bar_seen, _BAR_ROW_OF, _BAR) if fresh[SLOTS] else bar_looked
    if fresh.all():
        doubtful = (looked @ _ROW_OF).argmax(axis=1) != (seen @ _ROW_OF).argmax(axis=1)
        doubtful |= (slots @ _ROW_OF).max(axis=1) < _SURE
        if doubtful.any():
            slots[doubtful] = at_most_fifteen(slots, bar, (_ALL, _ALL))[0][doubtful]
    told = [
        _reading(slots[slot], _COUNTS) if now else look[0][slot] for slot, now in enumerate(fresh[:SLOTS])
    ]
    light, dark = (_reading(one, sign * _ON_BAR) for one, sign in zip(bar, (1, -1), strict=True))
    return tuple(told), (light, dark) if fresh[SLOTS] else look[1]


def _both(look: Array, network: Array, row_of: Array, usual: Array) -> Array:
    """Chances (n, counts) by two that err independently; ``usual``: of the rows, before either is heard."""
    by_look, by_network = look @ row_of, network @ row_of
    heard = [(1 - _ERRS) * one + _ERRS * usual for one in (by_look, by_network)]
    rows = heard[0] * heard[1] / usual
    rows /= rows.sum(axis=1, keepdims=True)
    known = by_look > _KEEP  # else the network tells the heights as well
    by_look, by_network = (
        np.where(use, rows / np.maximum(one, 1e-300), 0)
        for use, one in ((known, by_look), (~known, by_network))
    )
    return np.asarray(look * (by_look @ row_of.T) + network * (by_network @ row_of.T), np.float64)


@lru_cache(maxsize=256)
def _chances(reading: SlotReading) -> Array:
    """Chances of -15 to 15, none of them 0, that add up to 1."""
    chances = np.array([reading.probability(count) for count in _COUNTS.tolist()])
    return np.asarray(chances / chances.sum(), np.float64)


def _reading(chances: Array, counts: NDArray[np.int_]) -> SlotReading:
    kept = np.flatnonzero(chances >= _KEEP)
    order = kept[np.argsort(-chances[kept], kind="stable")]
    return SlotReading(tuple((int(counts[i]), round(float(chances[i]), 4)) for i in order))
