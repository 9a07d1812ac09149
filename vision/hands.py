"""Hands, arms and the cup: what stands between the camera and the board.

A small reference picture of the board as it was last believed still is kept. What differs from it
is either small and on the board (a checker, a die), or large and reaching in from outside: a hand
with its arm, with or without a cup. A shadow darkens all channels alike and is no hand, but what
lies in the shadow of a hand is not read either.

The cup has no look of its own. Where it stands beside the board it leaves a compact hole when it is
taken, and from that hole its colours and size are learnt; before that, colours show none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.observation import Box
from hardware.camera import Image
from vision.geometry import FieldMap
from vision.motion import Mask, Motion, distance, relit

_LEAST = 22  # grey levels from the reference: noise and resampled edges stay below
_REACH = 0.6  # a hand reaches this many checkers beyond the field
_HAND = 1.6  # checker areas: anything from outside and larger is a hand
_SLAB = 4.0  # checker areas: anything that moves on the board and is larger is in the way
_COVERED = 0.04  # share of a slot that must be covered for the slot to be hidden
_FOLLOW = 0.1  # share of a new frame by which the reference follows the light
_SMALL = 0.75  # checker areas: a die may be as small
_SMALL_WAIT = 1.5  # seconds of stillness for which a die that was overlooked may still be found
_LARGE_WAIT = 0.8  # seconds of stillness after which a large change of the board is believed
_RELIT, _RELIT_WAIT = 0.6, 1.0  # share of the picture, seconds: no hand covers so much for so long
_STUCK = 8.0  # seconds after which an unmoving thing beside the board is scenery


class FieldMasks:
    """The field on the small picture, computed once for a place of the board.

    ``inside``: the field with a narrow rim, on which dice may lie. ``reach``: the field with the
    rim that a checker or die on the frame may overlap. ``slots``: int8, the slot of each pixel, 24
    for the bar, -1 elsewhere. ``checker``: the area of a checker in pixels.
    """

    def __init__(self, field: FieldMap, shape: tuple[int, int], factor: int) -> None:
        height, width = shape
        grid = np.mgrid[0:height, 0:width].reshape(2, -1)[::-1].T + 0.5
        board = field.to_board(grid * factor)
        x, y = board[:, 0].reshape(shape), board[:, 1].reshape(shape)
        sides = np.linalg.norm(field.corners - np.roll(field.corners, -1, axis=0), axis=1) / factor
        # One point's width in board units of x, and the same length in board units of y.
        px, py = field.point_width, field.point_width * (sides[0] + sides[2]) / (sides[1] + sides[3])
        self.inside: Mask = _within(x, y, 0.4 * px, 0.4 * py)
        self.reach: Mask = _within(x, y, _REACH * px, _REACH * py)
        column = np.where(
            x < field.bar[0],
            np.floor(6 * x / max(field.bar[0], 1e-6)),
            6 + np.floor(6 * (x - field.bar[1]) / max(1 - field.bar[1], 1e-6)),
        )
        column = np.clip(column, 0, 11) + 12 * (y > 0.5)
        on_bar = (x > field.bar[0]) & (x < field.bar[1])
        slots = np.where(on_bar, 24, column)
        # Stacks lean a little over the rim and reach nine twentieths of the way across.
        used = _within(x, y, 0.0, 0.4 * py) & ((np.abs(y - 0.5) > 0.04) | on_bar)
        self.slots: NDArray[np.int8] = np.where(used, slots, -1).astype(np.int8)
        self.sizes = np.maximum(1, np.bincount(self.slots[used].ravel(), minlength=25))
        across = field.point_width * (sides[0] + sides[2]) / 2
        self.checker = float(np.pi / 4 * (0.92 * across) ** 2)
        self.factor = factor

    def shares(self, mask: Mask) -> NDArray[np.float64]:
        """The share of each of the 24 slots and the bar that lies in ``mask``, shape (25,)."""
        slots = self.slots[mask]
        return np.bincount(slots[slots >= 0], minlength=25) / self.sizes


def _within(x: NDArray[np.float64], y: NDArray[np.float64], mx: float, my: float) -> Mask:
    return (x >= -mx) & (x <= 1 + mx) & (y >= -my) & (y <= 1 + my)


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What stands before the board in one frame, on the small picture.

    ``mask``: pixels that hands, cup and their shadows cover. ``changed``: pixels that differ from
    the reference and are not covered: dice, checkers come or gone, things put beside the board.
    ``slots``: for the 24 slots and the bar, whether it is hidden. Boxes are in pixels of the full
    picture.
    """

    mask: Mask
    changed: Mask
    slots: tuple[bool, ...]
    hands: tuple[Box, ...] = ()
    cup: Box | None = None
    cup_over_board: bool = False

    @property
    def clear(self) -> bool:
        """Whether nothing covers any slot or the bar."""
        return not any(self.slots)


class Watch:
    """Compares small frames with the reference picture of the still board."""

    def __init__(self, masks: FieldMasks, small: Image) -> None:
        self._masks = masks
        self._reference = small.copy()
        self._cup = _CupMemory(masks)
        height, width = small.shape[:2]
        self._edge = np.zeros((height, width), bool)
        self._edge[:2] = self._edge[-2:] = self._edge[:, :2] = self._edge[:, -2:] = True

    @property
    def reference(self) -> Image:
        """The small picture of the board as it was last believed still."""
        return self._reference

    def cover(self, small: Image, motion: Motion) -> Cover:
        """What covers the board in this frame, of which ``motion`` tells what moves."""
        masks = self._masks
        lit = relit(self._reference, small)
        different = _open(distance(small, lit) > _LEAST, 2)
        if not different.any():
            return Cover(different, different, (False,) * 25, cup=self._cup.at_home(different))
        shadow = _shadow(small, lit) & different
        solid = _close(different & ~shadow, 3)
        labels, stats = components(solid)
        number = len(stats)
        # A sleeve on a dark table can pass for its own shadow, so what reaches out is either of both.
        wider, _ = components(different)
        reaching = np.bincount(wider[~masks.reach], minlength=int(wider.max()) + 1)
        reaching[0] = 0
        beyond = np.zeros(number, np.int64)
        np.maximum.at(beyond, labels[solid], reaching[wider[solid]])
        inside = np.bincount(labels[masks.inside], minlength=number)
        at_edge = np.bincount(labels[self._edge], minlength=number)
        areas = stats[:, cv2.CC_STAT_AREA] / masks.checker
        enters = (beyond > 0.3 * masks.checker) | (at_edge > 2)
        moving = np.bincount(labels[~motion.quiet & masks.inside], minlength=number) > 0.3 * masks.checker
        # A part of an arm that comes in is none that lies there.
        lying = (at_edge == 0) & (np.bincount(labels[~motion.quiet], minlength=number) == 0)
        # What lies wholly on the board and no longer moves is checkers that were moved, not a hand. A die on
        # the frame with a checker beside it in the tray reaches out as fingers do, but has no arm.
        least = np.where(lying, _SLAB, _HAND)
        hand = (inside > 0.1 * masks.checker) & ((enters & (areas > least)) | (moving & (areas > _SLAB)))
        hand[0] = False
        over = hand[labels]
        beside = ~hand & (inside == 0)
        beside[0] = False
        self._cup.learn(labels, stats, beside & lying & (areas > 1) & (areas < 15), small, self._reference)
        cup, cup_over = self._cup.find(small, over, beside[labels], different)
        covered = _with_shadow(over, shadow)
        return Cover(
            mask=covered,
            changed=different & ~covered,
            slots=tuple(bool(share > _COVERED) for share in masks.shares(covered)),
            hands=tuple(_box(stats[i], masks.factor) for i in np.flatnonzero(hand)),
            cup=cup,
            cup_over_board=cup_over,
        )

    def settle(self, small: Image, cover: Cover, motion: Motion, dice: Sequence[Box] = ()) -> bool:
        """Take what has changed and lies still into the reference, once it was read.

        ``dice`` stay out of it, so that they differ from it for as long as they lie there. Nothing on
        the board is taken while a hand is in view, for a finger may have been split off; large changes
        must have been still for longer, and so must what is as small as a die that was overlooked.
        Beside the board, what has not moved for long is scenery, whatever it is. Returns whether the
        whole picture was taken, since nearly all of it has changed.
        """
        resting = motion.t - motion.since
        if (cover.changed | cover.mask).mean() > _RELIT and resting[self._masks.inside].min() > _RELIT_WAIT:
            self._reference = small.copy()  # a lamp was switched, or the camera has changed its mind
            return True
        free = cover.changed & ~self._boxes(dice)
        stuck = free & ~self._masks.inside & (resting > _STUCK)
        if stuck.any():
            self._reference[stuck] = small[stuck]
            self._cup.resettle(small, stuck)
        free &= self._masks.inside
        if cover.hands or not free.any():
            return False
        labels, stats = components(_grow(free, 3))
        youngest = np.zeros(len(stats))
        np.maximum.at(youngest, labels.ravel(), motion.since.ravel())
        areas = stats[:, cv2.CC_STAT_AREA] / self._masks.checker
        wait = np.where(areas > _SLAB, _LARGE_WAIT, np.where(areas < _SMALL, _SMALL_WAIT, motion.rest))
        take = motion.t - youngest >= wait
        take[0] = False
        where = take[labels]
        self._reference[where] = small[where]
        return False

    def accept(self, small: Image, where: Mask) -> None:
        """Take ``where`` into the reference: what seemed to cover the board there does not."""
        grown = _grow(where, 5)
        self._reference[grown] = small[grown]

    def _boxes(self, boxes: Sequence[Box]) -> Mask:
        """Pixels of the small picture under boxes of the full one, with a rim of two."""
        mask = np.zeros(self._reference.shape[:2], bool)
        for box in boxes:
            x0, y0, x1, y1 = (round(v / self._masks.factor) for v in box)
            mask[max(0, y0 - 2) : y1 + 3, max(0, x0 - 2) : x1 + 3] = True
        return mask

    def follow(self, small: Image, cover: Cover, motion: Motion) -> None:
        """Follow slow changes of light where nothing moves, has changed or is covered."""
        same = motion.quiet & ~cover.changed & ~cover.mask
        mixed = cv2.addWeighted(self._reference, 1 - _FOLLOW, small, _FOLLOW, 0)
        cv2.copyTo(mixed, same.view(np.uint8), self._reference)


def components(mask: Mask) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Connected parts of a mask: their labels, 0 for none, and OpenCV's statistics a label."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return np.asarray(labels, np.int32), np.asarray(stats, np.int32)


def _open(mask: Mask, size: int) -> Mask:
    """Without specks narrower than ``size`` pixels."""
    kernel = np.ones((size, size), np.uint8)
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, kernel) > 0)


def _close(mask: Mask, size: int) -> Mask:
    """Without gaps narrower than ``size`` pixels."""
    kernel = np.ones((size, size), np.uint8)
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, kernel) > 0)


def _grow(mask: Mask, size: int) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)) > 0)


def _shadow(now: Image, lit: Image) -> Mask:
    """Pixels darker by nearly one factor in all channels than ``lit``, as a shadow makes them."""
    ratio = cv2.divide((now.astype(np.float32) + 4), (lit.astype(np.float32) + 4))
    blue, green, red = cv2.split(cv2.blur(ratio, (3, 3)))
    low, high = cv2.min(cv2.min(blue, green), red), cv2.max(cv2.max(blue, green), red)
    return np.asarray((high < 0.93) & (low > 0.3) & (high - low < 0.13))


def _with_shadow(over: Mask, shadow: Mask) -> Mask:
    """Hands with a rim of a pixel, and the shadows that touch them."""
    grown = _grow(_close(over, 7), 3)
    if not over.any() or not shadow.any():
        return grown
    labels, stats = components(shadow)
    touching = np.zeros(len(stats), bool)
    touching[np.unique(labels[grown])] = True
    touching[0] = False
    return np.asarray(grown | touching[labels])


def _box(stat: NDArray[np.int32], factor: int) -> Box:
    x, y, w, h = (float(v) * factor for v in stat[:4])
    return (x, y, x + w, y + h)


class _CupMemory:
    """What is known of the cup: its colours, its size, and where it stood beside the board."""

    def __init__(self, masks: FieldMasks) -> None:
        self._masks = masks
        self._colours: NDArray[np.float64] | None = None
        self._home: NDArray[np.intp] | None = None  # flat pixels of its place beside the board
        self._home_box: Box | None = None
        self._area = 0.0

    def learn(
        self,
        labels: NDArray[np.int32],
        stats: NDArray[np.int32],
        candidates: Mask,
        small: Image,
        reference: Image,
    ) -> None:
        """A compact thing beside the board that has gone is the cup, taken to throw: its place is bare."""
        if self._colours is not None:
            return
        for i in np.flatnonzero(candidates):
            x, y, w, h, area = stats[i]
            if area < 0.5 * w * h or max(w, h) > 3 * min(w, h):
                continue
            window = (slice(y, y + h), slice(x, x + w))
            mask = labels[window] == i
            # The table shows where the cup was: plainer now than the cup in the reference was.
            if _spread(small[window][mask]) > _spread(reference[window][mask]):
                continue
            counts = np.bincount(_codes(reference[window])[mask], minlength=_BINS)
            self._colours = counts / counts.max()
            self._area = float(area)
            self._settle(labels == i)
            return

    def at_home(self, different: Mask) -> Box | None:
        """The box of the cup beside the board, if it is known to stand there."""
        if self._home is None or different.ravel()[self._home].mean() > 0.4:
            return None
        return self._home_box

    def find(self, small: Image, over: Mask, beside: Mask, different: Mask) -> tuple[Box | None, bool]:
        """The cup's box in this frame, and whether it is over the field.

        ``over``: hands over the board. ``beside``: what else has changed beside it.
        """
        home = self.at_home(different)
        if home is not None:
            return home, False
        part = _largest(self._like_cup(small, over | beside), 0.3 * self._area)
        if part is None:
            return None, False
        return _bounds(part, self._masks.factor), bool((self._masks.inside & part).any())

    def resettle(self, small: Image, taken: Mask) -> None:
        """``taken`` has become scenery: the cup may stand there now, or no longer."""
        if self._home is not None and taken.ravel()[self._home].mean() > 0.4:
            self._home = self._home_box = None
        if self._colours is not None and self._home is None:
            part = _largest(self._like_cup(small, taken), 0.3 * self._area)
            if part is not None:
                self._settle(part)

    def _settle(self, place: Mask) -> None:
        self._home = np.flatnonzero(place.ravel())
        self._home_box = _bounds(place, self._masks.factor)

    def _like_cup(self, small: Image, where: Mask) -> Mask:
        if self._colours is None:
            return np.zeros_like(where)
        return np.asarray(where & (self._colours[_codes(small)] > _LIKE))


_BINS = 512
_LIKE = 0.1  # how common a colour is on the cup, against its commonest, to speak for it


def _largest(mask: Mask, least: float) -> Mask | None:
    """The largest compact part of ``mask``, or ``None`` if it has fewer than ``least`` pixels."""
    labels, stats = components(_close(_open(mask, 3), 5))
    if len(stats) < 2:
        return None
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    return labels == best if stats[best, cv2.CC_STAT_AREA] >= least else None


def _bounds(mask: Mask, factor: int) -> Box:
    x, y, w, h = cv2.boundingRect(mask.astype(np.uint8))
    return (float(x * factor), float(y * factor), float((x + w) * factor), float((y + h) * factor))


def _codes(image: Image) -> NDArray[np.intp]:
    """Each pixel's colour as one of 512 bins of Lab: coarse in lightness, fine in hue."""
    lab = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.intp)
    light = lab[..., 0] // 64
    a = np.clip((lab[..., 1] - 96) // 6, 0, 10)
    b = np.clip((lab[..., 2] - 96) // 6, 0, 10)
    return light * 121 + a * 11 + b


def _spread(pixels: Image) -> float:
    return float(pixels.astype(np.float32).std(axis=0).sum())
