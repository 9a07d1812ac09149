"""Frames in, observations out: the watching mode.

The board is looked for once and learnt from its starting position. From then on each frame passes a
cheap gate on a small copy (:mod:`vision.motion`, :mod:`vision.hands`), and slots and dice are read at
full size only where something has come to rest since they were last read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import SLOTS, start_layouts
from engine.observation import EMPTY_SLOT, Box, DieReading, Observation, PointXY, SlotReading
from engine.position import CHECKERS, Game
from hardware.camera import Frame, Image
from vision.appearance import MARGIN, ROW, Appearance, Stance, learn, on_canvas
from vision.bands import Bands
from vision.board import find_board, track_board
from vision.checkers import Witness, read_checkers
from vision.dice import DiceReader
from vision.geometry import FieldMap
from vision.hands import Cover, FieldMasks, Watch
from vision.motion import Mask, Motion, MotionGate, shrink, shrink_factor
from vision.scene import cups
from vision.slots import read_board
from vision.witness import together

_LOOK_EVERY = 1.0  # seconds between two looks for the board
_LOOK_SOON, _FIRST = 0.4, 2.0  # the same in the first seconds, since the first throw may come soon
#: Seconds without a set-up board after which any board will do, and of movement after which no rest is
#: waited for.
_ANY_AFTER = 6.0
#: How far a look is believed that was learnt from what was read, not from a set-up board.
_GUESS_TRUST = 0.2
_AT_REST = 0.995  # share of a picture in which nobody moves
_TRACK_EVERY = 1.0  # seconds between two looks whether the board is where it was
_LOST_AFTER = 3  # such looks in vain
_TRACK_AGAIN = 0.3  # seconds until a move of the board is looked at once more
_COVERED_WAIT = 3.0  # seconds that something must cover the board before a move is looked for all the same
_SCATTER = 2.5  # pixels by which two measurements of one move may differ
_LIKER = 0.04  # by which the picture must be more like the board where that is said to have moved to
_TELL = 2.0  # seconds for which a move is told
_SHAKE = 0.28  # share of the picture that moves at once when the camera or the board does (arms: 0.22)
_SHAKEN = 0.5  # seconds from that within which something that seems to cover the board is the shift itself
_DICE_REST = 0.09  # seconds without movement after which a die is read: one like pair, or three at thirty
_DICE_EVERY = 0.09  # seconds between two readings of dice that came to rest, though not all in one frame
_STRAY = 0.15  # share of a die's box in which movement is something beside it: a shadow's rim, noise
_CUP_EVERY = 0.09  # seconds between two looks of the network for a cup
_CUP_MOVES = 2.0  # checker areas: a cup over the board, and the hand that holds it, move at least so much
# Shares of a cup's box that must lie on the field, and differ from the board without it: of a black cup over
# black checkers 0.18 and 0.29 were measured, of one that stands there hardly anything.
_ON_FIELD, _NEW = 0.4, 0.1
_SLOTS_EVERY = 0.3  # the same for slots
_AGAIN = (0.6, 2.0)  # seconds of stillness after which a still board is read once more
_TOUCHED = 0.005  # share of a slot that has moved since it was read, from which it is read first
_UNSURE = 0.95  # confidence below which it is read first as well
#: Seconds between two frames up to which a board at rest is read in turns, so that no frame takes long.
_DENSE = 0.15
_TURN_CHANGES = 6  # slots that a turn may change, and a little more
_AT_ONCE = 12  # slots that are read in one turn
_REFRESH_EVERY = 3.0  # seconds between two adaptations of the learnt look
_REFRESH = 0.1  # weight of one
_SURE = 0.95  # least confidence of every slot that is not full, for the look to be adapted to what is seen
_CONTRADICTED = 0.02  # probability below which a slot contradicts the believed position
_COVERED_DIE = 0.15  # share of a die's box under a hand from which it is not read
_LIKELY_DIE = 0.55  # confidence of a die that has come to lie there
_SURE_DIE = 0.75  # confidence of a die that lies where nothing has changed
_GHOST_WAIT = 0.6  # seconds that a hand must rest before it may turn out to be none
_GHOST_SURE = 30.0  # seconds for which no living hand lies without the least movement
_KNOWN = 15.0  # spread, in roots, below which the learnt empty board is known well
_GHOST_LIKE = 0.4  # share that looks like the empty board: hands measured below 0.2, holes above 0.6
_UNREST = 0.02  # share of a slot that may move while it is read
_TWITCH = (0.5, 0.1)  # checker areas that a hand that rests may move, and those beside its blurred rim

#: Slots and bar, those of a column next to each other.
_BY_COLUMN = np.append(np.arange(SLOTS).reshape(2, -1).T.ravel(), SLOTS)
_UNKNOWN = SlotReading(((0, 1.0),), visible=False)
_CORE = np.ones((3, 3), np.uint8)  # the least of a die that is seen in the small picture
_T = TypeVar("_T", bound=np.generic)


class BoardReader:
    """Reads one camera. Feed it every frame in time order; it is not for several threads at once.

    ``corners``: the playing field in pixels, top-left first, clockwise, if given by hand. ``game``:
    which starting position to expect. ``expected``: 24 signed counts by slot, if the board is known
    not to stand at the start (a match resumed). ``touching``: measure whether dice touch checkers, which
    takes its time and matters under few rule sets (rules.md D8).
    """

    def __init__(
        self,
        *,
        corners: Sequence[PointXY] | None = None,
        game: Game | None = None,
        expected: Sequence[int] | None = None,
        touching: bool = False,
    ) -> None:
        self._touching = touching
        self._corners = None if corners is None else [(float(x), float(y)) for x, y in corners]
        self._game = game
        self._expected = None if expected is None else tuple(expected)
        self._bands = Bands()
        self._gate = MotionGate()
        self._dice_reader = DiceReader(learn=True)
        self._appearance: Appearance | None = None
        self._board: _Board | None = None
        self._began: float | None = None
        self._last = self._next_look = -np.inf
        self._rested = -np.inf  # when the whole picture was last at rest, while no board is known
        self._believed: tuple[int, ...] | None = None

    def read(self, frame: Frame) -> Observation:
        """What this frame shows. ``board`` is ``None`` and ``slots`` empty while none is found."""
        image, small = self._bands.steady(frame.image, shrink(frame.image), frame.t)
        frame = replace(frame, image=image)
        motion = self._gate.update(small, frame.t)
        if self._began is None or frame.t < self._last:
            # The first frame, or a camera that was opened anew and counts its time from there.
            self._began, self._next_look, self._board = frame.t, -np.inf, None
            self._rested = frame.t
        self._last = frame.t
        warnings: tuple[str, ...] = ()
        if self._board is not None and self._board.small_shape != small.shape:
            self._board = None
        if self._board is not None:
            warnings = self._track(frame, small, motion)
        if self._board is None and not self._look(frame, small, motion):
            return Observation(frame.t, frame.seq, None, warnings=warnings or ("no board is in view",))
        assert self._board is not None
        assert self._appearance is not None
        board = self._board
        look = self._appearance
        stance = look.stance if self._touching else None
        seen = board.read(frame, small, motion, look, self._dice_reader, self._believed, stance)
        if board.gone:
            self._board, self._began, self._rested = None, frame.t, frame.t
            self._next_look = frame.t + _LOOK_EVERY
            return Observation(frame.t, frame.seq, None, warnings=("the board is out of view",))
        self._adapt(frame, seen)
        guessed = () if board.learnt else ("the board was not seen set up: colours are guessed",)
        return replace(seen, warnings=(*warnings, *guessed))

    def believe(self, slots: Sequence[int] | None) -> None:
        """The position that is believed to stand on the board between two plays, or ``None``.

        24 signed counts by slot. Nothing seen is altered by it: it only says how high the stacks are
        with which later pictures are compared, and where the empty board may be learnt from.
        """
        self._believed = None if slots is None else tuple(slots)

    def _look(self, frame: Frame, small: Image, motion: Motion) -> bool:
        """Look for the board now and then; whether there is one."""
        at_rest = motion.quiet.mean() >= _AT_REST
        if at_rest:
            self._rested = frame.t
        if frame.t < self._next_look:
            return False
        assert self._began is not None
        patient = frame.t - self._began < _ANY_AFTER
        # An arm over the board, or a cloth that is drawn off it, would stay in the reference as a ghost.
        moving = not at_rest and frame.t < self._rested + _ANY_AFTER
        if moving and (self._appearance is not None or self._expected is not None):
            return False
        self._next_look = frame.t + (_LOOK_SOON if frame.t - self._began < _FIRST else _LOOK_EVERY)
        found = find_board(frame.image, corners=self._corners)
        if found is None:
            return False
        start = found.start
        if start is not None and self._game not in (None, start.game):
            start = None
        learnt = True
        if self._expected is not None:
            standing = _as_read(self._expected, found.slots)
            if standing is None:
                if patient:
                    return False  # something covers it, or it stands otherwise: look again
                standing = self._expected
            self._appearance = learn(frame.image, found.field, standing)
        elif start is not None:
            standing = start_layouts(start.game)[start.orientation]
            self._appearance = learn(frame.image, found.field, standing)
        elif self._appearance is None:
            if patient or moving or min(found.slots) >= 0 or max(found.slots) <= 0:
                self._next_look = min(self._next_look, frame.t + _LOOK_SOON)
                return False
            look, learnt = learn(frame.image, found.field, found.slots), False
            self._appearance = replace(look, trust=_GUESS_TRUST)
        self._expected = None
        self._board = _Board(found.field, found.confidence, small, frame, learnt)
        return True

    def _track(self, frame: Frame, small: Image, motion: Motion) -> tuple[str, ...]:
        """Follow a board or camera that was moved; the warnings of this frame."""
        board = self._board
        assert board is not None
        if motion.share() > _SHAKE:
            board.next_track, board.shaken = min(board.next_track, frame.t + motion.rest), frame.t
        told = ("the board has moved",) if frame.t < board.told_until else ()
        if frame.t < board.next_track or not board.at_rest(motion):
            return told
        if motion.share() <= _SHAKE and board.busy(frame.t):
            return told  # a look for a move that nothing hints at can wait until what came to rest is read
        since = board.covered_since
        shaken = since is not None and abs(since - board.shaken) < _SHAKEN
        if since is not None and frame.t - since < _COVERED_WAIT and not shaken:
            return told  # a hand takes the eye along with it; one that stays may be a shifted picture
        board.next_track = frame.t + _TRACK_EVERY
        now = track_board(board.field, board.picture, frame.image)
        if now is None:  # in the course of a game most of what was to be seen at first has moved
            now = track_board(board.field, board.recent, frame.image)
        if now is None:
            board.misses += 1
            if board.misses < _LOST_AFTER or self._likeness(frame.image, board.field) > _GHOST_LIKE:
                return told
            self._board, self._began, self._rested = None, frame.t, frame.t
            self._next_look = frame.t + _LOOK_EVERY
            return ("the board is out of view",)
        board.misses = 0
        if now is board.field:
            board.moved = None
            if board.covered_since is None:
                board.recent = frame.image.copy()
            return told
        if board.moved is None or np.abs(now.corners - board.moved.corners).max() > _SCATTER:
            board.moved = now  # believed when it is seen twice
            board.next_track = frame.t + (0.0 if shaken else _TRACK_AGAIN)
            return told
        board.moved = None
        if self._likeness(frame.image, now) < self._likeness(frame.image, board.field) + _LIKER:
            return told
        self._board = _Board(now, board.confidence, small, frame, board.learnt)
        self._board.told_until = frame.t + _TELL
        return ("the board has moved",)

    def _likeness(self, image: Image, field: FieldMap) -> float:
        """How much of the empty board the picture shows if the field lies there."""
        assert self._appearance is not None
        return likeness(image, field, self._appearance, np.ones(image.shape[:2], bool), 1)

    def _adapt(self, frame: Frame, seen: Observation) -> None:
        """Follow light and wear, and learn the points that checkers have left.

        The position is the one that was told by :meth:`believe`, if the picture does not contradict
        it, else what is seen, if it is sure and both sides have all their checkers in view.
        """
        board = self._board
        if board is None or self._appearance is None or not seen.still or seen.hands:
            return
        if frame.t < board.next_refresh or board.busy(frame.t):
            return
        if not all(slot.visible for slot in seen.slots):
            return
        slots = self._believed
        if slots is not None:
            if min(s.probability(n) for s, n in zip(seen.slots, slots, strict=True)) < _CONTRADICTED:
                return
        else:
            if min(s.confidence for s in seen.slots if s.count < ROW) < _SURE:
                return
            slots = tuple(slot.best for slot in seen.slots)
            light = seen.bar[0].count + sum(n for n in slots if n > 0)
            dark = seen.bar[1].count - sum(n for n in slots if n < 0)
            if (light, dark) != (CHECKERS, CHECKERS):
                return
        board.next_refresh = frame.t + _REFRESH_EVERY
        self._appearance = self._appearance.refresh(frame.image, board.field, slots, _REFRESH)


class _Board:
    """One place of the board in the picture, and what was last read there."""

    def __init__(self, field: FieldMap, confidence: float, small: Image, frame: Frame, learnt: bool) -> None:
        self.field = field
        # Pictures in which it lies there, the first and the last, to tell later whether it has moved.
        self.picture = self.recent = frame.image.copy()
        self.learnt = learnt
        self.small_shape = small.shape
        self.confidence = confidence
        self.covered_since: float | None = None
        self.misses = 0
        self.gone = False
        self.moved: FieldMap | None = None
        self.told_until = -np.inf
        self.shaken = -np.inf  # when the whole picture last moved at once
        self.next_track = frame.t + _TRACK_EVERY
        self.next_refresh = frame.t
        self._next_ghost = frame.t
        self._t = -np.inf  # of the frame before
        self._masks = FieldMasks(field, small.shape[:2], shrink_factor(frame.image.shape[1]))
        self._watch = Watch(self._masks, small)
        self.forget()

    def forget(self) -> None:
        """Read everything anew, since what is known of the board has changed."""
        self._slots = [_UNKNOWN] * SLOTS
        self._bar = (EMPTY_SLOT, EMPTY_SLOT)
        self._net: Witness | None = None  # how the network read the board, and when
        self._stale = np.ones(SLOTS + 1, np.bool_)  # what has changed since
        self._told: Witness = (tuple(self._slots), self._bar)  # what both say together
        self._slots_at = self._dice_at = self._net_at = self._cup_at = -np.inf
        self._read_at = np.full(SLOTS + 2, -np.inf)  # of the slots and the bar; the last is of no slot
        self._cup: Box | None = None  # what the network last saw in a hand
        self._dice: tuple[DieReading, ...] = ()
        # What of a board at rest is still to be read, and whether any of it has moved before.
        self._left = np.zeros(SLOTS + 1, np.bool_)
        self._dice_left = self._unread = False
        self._rolling = False  # whether a die that was read moves or has moved
        self._whole = True  # dice may lie on the board already, and then nothing has changed
        self._early = np.zeros(self.small_shape[:2], np.bool_)  # where they lay, if any did
        self._still_since: float | None = None
        self._due: list[float] = []

    def at_rest(self, motion: Motion) -> bool:
        """Whether nothing moves over the field."""
        return motion.still(self._masks.inside)

    def _twitches(self, cover: Cover, motion: Motion) -> bool:
        """Whether nothing moves over the field but a hand that rests, which is never quite at rest."""
        if not cover.hands:
            return False
        restless = self._masks.inside & ~motion.quiet
        few, fewer = (share * self._masks.checker for share in _TWITCH)
        beside = restless & ~cover.mask
        return bool(np.count_nonzero(restless) < few and np.count_nonzero(beside) < fewer)

    def busy(self, t: float) -> bool:
        """Whether the board comes to rest in this frame, or has and is still being read."""
        if self._still_since is None or t in (
            self._still_since,
            self._slots_at,
            self._dice_at,
            self._net_at,
        ):
            return True
        return self._dice_left or bool(self._left.any())

    def read(
        self,
        frame: Frame,
        small: Image,
        motion: Motion,
        appearance: Appearance,
        dice: DiceReader,
        believed: tuple[int, ...] | None,
        stance: Stance | None,
    ) -> Observation:
        """What this frame shows, reading at full size only what has come to rest."""
        t = frame.t
        cover = self._with_cup(frame, self._watch.cover(small, motion), motion)
        if cover.clear:
            self.covered_since = None
        elif self.covered_since is None:
            self.covered_since = t
        still = self.at_rest(motion) or self._twitches(cover, motion)
        if not still:
            self._still_since = None
        elif self._still_since is None:
            self._still_since, self._due = t, [t, *(t + wait for wait in _AGAIN)]
        due = still and bool(self._due) and t >= self._due[0]
        if due:
            self._due = [at for at in self._due if at > t]
        unrest = self._masks.shares(~motion.quiet)
        visible = np.array([not hidden for hidden in cover.slots]) & (unrest <= _UNREST)
        in_turns, self._t = t - self._t < _DENSE, t
        moved = self._masks.shares(motion.since > self._read_at[self._masks.slots])
        self._dice = self._lying(cover, motion)
        fresh = self._fresh(cover, motion)
        first = self._left & visible
        if still:
            if due:
                self._left[:] = self._dice_left = True
                self._unread |= self._still_since == t
            now = self._left & visible
            first = now & ((moved > _TOUCHED) | self._unsure())
            if in_turns:
                now = _some(first if first.any() or self._dice_left else now)
        else:
            self._left[:] = self._dice_left = self._unread = False
            now = visible & (moved > _UNREST) & (t - self._slots_at >= _SLOTS_EVERY)
        # The network is asked once whenever anything has changed; before all else, if what was read is odd.
        ask = still and self._unasked(motion)
        odd = ask and not first.any() and self._odd()
        if in_turns and (fresh or odd):
            now[:] = False  # dice may be lifted before long, checkers stay
        self._left = self._left & visible & ~now
        self._read_slots(frame.image, motion, appearance, now)
        busy = slots_busy = in_turns and bool(now.any())
        if fresh or (self._dice_left and not busy and not (in_turns and odd)):
            self._read_dice(frame.image, cover, motion, dice, believed, stance)
            busy = in_turns
        if ask and not busy and (odd or not in_turns or not self._left.any()):
            self._ask(frame.image, t, visible)
        if self._unread:
            waits = ask and self._net_at < t and self._odd()
            self._unread = self._whole or waits or bool((first & self._left).any())
        still = still and not self._unread
        if still and not self._dice_left and not slots_busy:
            if cover.hands and t >= self._next_ghost:
                self._dispel(frame.image, small, cover, motion, appearance)
            if self._watch.settle(small, cover, motion, [die.box for die in self._dice]):
                everywhere = np.ones(small.shape[:2], bool)
                like = likeness(frame.image, self.field, appearance, everywhere, self._masks.factor)
                self.gone = like < _GHOST_LIKE
            self._watch.follow(small, cover, motion)
        slots = tuple(
            reading if seen else replace(reading, visible=False)
            for reading, seen in zip(self._told[0], visible[:SLOTS], strict=True)
        )
        light, dark = self._told[1]
        if not visible[SLOTS]:
            light, dark = replace(light, visible=False), replace(dark, visible=False)
        return Observation(
            t=t,
            seq=frame.seq,
            board=self.field.view(self.confidence),
            slots=slots,
            bar=(light, dark),
            dice=self._dice,
            hands=cover.hands,
            cup=cover.cup,
            cup_over_board=cover.cup_over_board,
            still=still,
        )

    def _with_cup(self, frame: Frame, cover: Cover, motion: Motion) -> Cover:
        """What covers the board, with a cup only where the network sees one that has come over it.

        A hand need not be in view: with a dark sleeve it may pass for a shadow. Colours, where they were
        learnt, only say more exactly where the cup is: a sleeve or a checker may have the same. What the
        network saw holds until it looks again, which it does while anything large moves there, or until
        neither that nor a hand is there any more.
        """
        if frame.t - self._cup_at >= _CUP_EVERY:
            moving = np.count_nonzero(motion.moved & self._masks.inside)
            if moving > _CUP_MOVES * self._masks.checker:
                self._cup_at = frame.t
                found = cups(frame.image, self._masks.checker * self._masks.factor**2)
                self._cup = self._in_hand(found, cover)
            elif not cover.hands:
                self._cup = None
        if self._cup is not None:
            return replace(cover, cup=cover.cup if cover.cup_over_board else self._cup, cup_over_board=True)
        return replace(cover, cup=None, cup_over_board=False) if cover.cup_over_board else cover

    def _in_hand(self, found: Sequence[Box], cover: Cover) -> Box | None:
        """The largest cup over the board that did not stand there all the time."""
        new = cover.mask | cover.changed
        for cup in found:
            if self._share(self._masks.inside, cup) >= _ON_FIELD and self._share(new, cup) >= _NEW:
                return cup
        return None

    def _dispel(
        self, image: Image, small: Image, cover: Cover, motion: Motion, appearance: Appearance
    ) -> None:
        """Tell a resting hand from the hole that one leaves in a reference on which it lay.

        Where the hole is, the picture shows the empty board that was learnt.
        """
        resting = motion.t - motion.since[cover.mask & self._masks.inside].max(initial=-np.inf)
        if resting < _GHOST_WAIT:
            return
        self._next_ghost = motion.t + _GHOST_WAIT
        if (
            resting > _GHOST_SURE
            or likeness(image, self.field, appearance, cover.mask, self._masks.factor) > _GHOST_LIKE
        ):
            self._watch.accept(small, cover.mask)

    def _unsure(self) -> NDArray[np.bool_]:
        """Which slots, and the bar, were not read well or never, shape (25,)."""
        light, dark = self._bar
        return np.array(
            [not slot.visible or slot.confidence < _UNSURE for slot in self._slots]
            + [min(light.confidence, dark.confidence) < _UNSURE or not np.isfinite(self._read_at[SLOTS])]
        )

    def _read_slots(
        self, image: Image, motion: Motion, appearance: Appearance, now: NDArray[np.bool_]
    ) -> None:
        """Read the slots and the bar, (25,), that are to be read ``now``."""
        if not now.any():
            return
        self._slots_at = motion.t
        self._read_at[:-1][now] = motion.t
        slots, bar = read_board(image, self.field, appearance, visible=now)
        for slot in np.flatnonzero(now[:SLOTS]):
            self._slots[slot] = slots[slot]
        if now[SLOTS]:
            self._bar = bar
        self._stale |= now & (self._masks.shares(motion.since >= self._net_at) > _TOUCHED)
        self._tell()

    def _unasked(self, motion: Motion) -> bool:
        """Whether anything has changed on the board since the network was asked."""
        return bool((self._masks.shares(motion.since >= self._net_at) > _TOUCHED).any())

    def _odd(self) -> bool:
        """Whether what is told is unsure somewhere, or not all checkers are there."""
        slots, bar = self._told
        if min(slot.confidence for slot in slots if slot.count < ROW) < _UNSURE:
            return True
        totals = (sum(max(0, sign * one.best) for one in (*slots, *bar)) for sign in (1, -1))
        return any(total != CHECKERS for total in totals)

    def _ask(self, image: Image, t: float, visible: NDArray[np.bool_]) -> None:
        """Let the network, which knows nothing of this board, read all of it that is ``visible``, (25,)."""
        self._net_at = t
        self._stale[:] = ~visible
        seen = read_checkers(image, self.field)
        self._net = (seen.slots, seen.bar)
        self._tell()

    def _tell(self) -> None:
        """Hear both witnesses, where the second has seen what lies there now."""
        looked = (tuple(self._slots), self._bar)
        self._told = looked if self._net is None else together(looked, self._net, ~self._stale)

    def _lying(self, cover: Cover, motion: Motion) -> tuple[DieReading, ...]:
        """The dice that lie as they were read: in view, and nothing has moved there since."""
        clear = [die for die in self._dice if self._share(cover.mask, die.box) < _COVERED_DIE]
        lying = tuple(die for die in clear if self._share(motion.since >= self._dice_at, die.box) <= _STRAY)
        self._rolling |= len(lying) < len(clear)
        return lying

    def _fresh(self, cover: Cover, motion: Motion) -> bool:
        """Whether something has come to rest since dice were last read that may be a die."""
        if motion.t - self._dice_at < _DICE_EVERY:
            return False
        if self._rolling:
            return True
        fresh = self._changed(cover) & (motion.since >= self._dice_at)
        if not fresh.any():
            return False
        return bool(cv2.erode((fresh & motion.at_rest(_DICE_REST)).view(np.uint8), _CORE).any())

    def _read_dice(
        self,
        image: Image,
        cover: Cover,
        motion: Motion,
        dice: DiceReader,
        believed: tuple[int, ...] | None,
        stance: Stance | None,
    ) -> None:
        """Read dice where something has changed, is not covered and lies still."""
        self._dice_at, self._dice_left, self._rolling = motion.t, False, False
        quiet = motion.at_rest(_DICE_REST)
        resting = self._changed(cover) & quiet
        # Dice that lay there before the board was learnt are part of the reference, not a change.
        kept = tuple(die for die in self._dice if self._share(resting, die.box) < 0.2)
        if not resting.any() and not self._whole:
            self._dice = kept
            return
        changed: Mask | None = None
        if not self._whole:
            size = (image.shape[1], image.shape[0])
            full = cv2.resize(resting.view(np.uint8), size, interpolation=cv2.INTER_NEAREST)
            changed = np.asarray(full, np.uint8).view(np.bool_)
        whole, self._whole = self._whole, False
        slots = list(self._told[0])
        if (
            believed is not None
        ):  # a die hides the checker that it lies on, and so a slot may seem to lack one
            slots = [
                SlotReading(((stood, 1.0),))
                if abs(stood) > abs(seen.best) and stood * seen.best >= 0
                else seen
                for seen, stood in zip(slots, believed, strict=True)
            ]
        found = dice.read(image, self.field, slots=slots, changed=changed, stance=stance)
        least = _LIKELY_DIE if changed is not None else _SURE_DIE
        clear = [
            die
            for die in found
            if die.confidence >= least and self._share(cover.mask, die.box) < _COVERED_DIE
        ]
        lying = [die for die in clear if self._share(~quiet, die.box) <= _STRAY]
        self._rolling = len(lying) < len(clear)
        for die in lying if whole else ():
            self._part(self._early, die.box)[:] = True
        self._dice = _apart([replace(die, since=self._since(motion, die)) for die in lying], kept)

    def _changed(self, cover: Cover) -> Mask:
        """What differs from the board as it was found, and where dice lay then: they come into view again."""
        return cover.changed | (self._early & ~cover.mask)

    def _since(self, motion: Motion, die: DieReading) -> float:
        """When anything last moved at a die's place, seconds."""
        return float(np.quantile(self._part(motion.since, die.box), 1 - _STRAY, method="lower"))

    def _share(self, mask: Mask, box: Box) -> float:
        """The share of a box that lies in a mask of the small picture."""
        part = self._part(mask, box)
        return float(part.mean()) if part.size else 0.0

    def _part(self, plane: NDArray[_T], box: Box) -> NDArray[_T]:
        """What lies under a box in a plane of the small picture."""
        x0, y0, x1, y1 = (round(v / self._masks.factor) for v in box)
        return plane[max(0, y0) : max(0, y1) + 1, max(0, x0) : max(0, x1) + 1]


def _as_read(expected: tuple[int, ...], read: Sequence[int]) -> tuple[int, ...] | None:
    """What stands on a board of which it is known how it stood: amid a turn it differs a little.

    ``None`` if it differs by more than a turn can change. Of stacks in layers the number is not read well.
    """
    taller = [
        was * now > 0 and min(abs(was), abs(now)) >= ROW for was, now in zip(expected, read, strict=True)
    ]
    merged = [was if tall else now for was, now, tall in zip(expected, read, taller, strict=True)]
    if sum(was != now for was, now in zip(expected, merged, strict=True)) > _TURN_CHANGES:
        return None
    return tuple(merged)


def _some(wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """As many of what is wanted as are read in one turn, column by column, which have much in common."""
    some = np.zeros_like(wanted)
    order = _BY_COLUMN[wanted[_BY_COLUMN]]
    some[order[:_AT_ONCE]] = True
    return some


def likeness(image: Image, field: FieldMap, appearance: Appearance, mask: Mask, factor: int) -> float:
    """The share of a mask of the small picture, within the field, that shows the empty board.

    Only pixels of which the empty board is known count; 0 where there are too few.
    """
    canvas = on_canvas(image, field)
    height, width = canvas.shape[:2]
    to_small = np.diag([factor, factor, 1.0])
    where = cv2.warpPerspective(
        mask.astype(np.uint8),
        field.rectifier(width, height, MARGIN) @ to_small,
        (width, height),
        flags=cv2.INTER_NEAREST,
    )
    known = (where > 0) & (appearance.spread < _KNOWN)
    if known.sum() < 200:
        return 0.0
    seen, empty = canvas[known], appearance.empty[known]
    gain = np.median(canvas[::5, ::5] / np.maximum(appearance.empty[::5, ::5], 20), axis=(0, 1))
    apart = np.abs(seen / gain - empty).max(axis=1)
    return float((apart < 3 * appearance.spread[known] + 6).mean())


def _apart(found: Sequence[DieReading], kept: Sequence[DieReading]) -> tuple[DieReading, ...]:
    """All dice, the newly found ones first, without those that cannot lie where a surer one does."""
    dice: list[DieReading] = []
    for die in [*sorted(found, key=lambda d: -d.confidence), *kept]:
        size = max(die.box[2] - die.box[0], die.box[3] - die.box[1])
        # Two dice that touch are an edge apart, and a die turned by 45 degrees has a box of 1.4 edges.
        if all(_distance(die, other) > 0.6 * size for other in dice):
            dice.append(die)
    return tuple(dice)


def _distance(a: DieReading, b: DieReading) -> float:
    dx, dy = a.box[0] + a.box[2] - b.box[0] - b.box[2], a.box[1] + a.box[3] - b.box[1] - b.box[3]
    return float(np.hypot(dx, dy)) / 2
