"""Painting any moment of a story."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import cv2
import numpy as np

from engine.position import Side
from hardware.camera import Image
from hardware.table import scene
from hardware.table.board import bare_table
from hardware.table.conditions import Condition
from hardware.table.hands import ClothPainter, CupPainter, HandPainter, HeadPainter
from hardware.table.light import Light
from hardware.table.pieces import CheckerPainter, DicePainter, cube_painter
from hardware.table.scene import DIE, Checker, Die, Lens, Seats
from hardware.table.story import Cover, Leaning, Presence, Reach, Resting, Roll, Scene, Sweep
from hardware.table.styles import BGR, Style

_SHUTTER = 1 / 60  #: seconds of exposure, for the blur of what moves
_SHIFT = 128  #: the one picture of camera noise is laid over frames at random shifts below this

_SKINS: tuple[BGR, ...] = ((150, 176, 226), (120, 150, 205), (82, 112, 165), (60, 78, 116))
_SLEEVES: tuple[BGR, ...] = ((84, 58, 40), (52, 50, 52), (58, 44, 110), (70, 92, 70), (170, 160, 150))
_CUPS: tuple[BGR, ...] = ((34, 52, 96), (40, 40, 44), (38, 34, 120))
_HAIRS: tuple[BGR, ...] = ((30, 34, 40), (44, 66, 96), (120, 124, 128), (90, 140, 178))
_CLOTHS: tuple[BGR, ...] = ((196, 206, 214), (70, 60, 150), (120, 96, 60), (64, 104, 70))
_CUBE = 2.3  #: edge of the doubling cube, centimetres


def _smooth(u: float) -> float:
    u = min(1.0, max(0.0, u))
    return u * u * (3 - 2 * u)


class Painter:
    """Paints any moment of a story. What lies still is kept from one frame to the next."""

    def __init__(
        self,
        lens: Lens,
        style: Style,
        seats: Seats,
        seed: int,
        conditions: frozenset[Condition] = frozenset(),
    ) -> None:
        rng = np.random.default_rng([seed, 3])
        self._lens, self._seats, self._seed = lens, seats, seed
        self._bare, cover = bare_table(lens, style, rng)
        pairs, dice = style.checkers, style.dice
        colours = pairs[int(rng.integers(len(pairs)))]
        self._checkers = CheckerPainter(lens, colours, cover, rng)
        pair = dice[int(rng.integers(len(dice)))]
        skins, sleeves = rng.permutation(len(_SKINS)), rng.permutation(len(_SLEEVES))
        self._hands = {
            side: HandPainter(lens, _SKINS[skins[side.index]], _SLEEVES[sleeves[side.index]], rng)
            for side in Side
        }
        self._cup = CupPainter(lens, _CUPS[int(rng.integers(len(_CUPS)))])
        width, height = lens.size
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        far = np.hypot((x - width / 2) / width, (y - height / 2) / height)
        fall = np.clip(255 * (1 - 0.35 * far**2), 0, 255).astype(np.uint8)
        self._vignette: Image = np.dstack([fall] * 3)
        grain = 2.6 * rng.standard_normal((height + _SHIFT, width + _SHIFT, 3), np.float32)
        self._noise: Image = np.clip(np.round(128 + grain), 0, 255).astype(np.uint8)
        self._lying: tuple[tuple[Checker, ...], tuple[Die, ...]] | None = None
        self._still: Image = self._bare
        self._reach = lens.reach(4.0)[1] + 4.0
        odd = np.random.default_rng([seed, 7])  # drawn from for conditions, and for nothing else
        self._light = Light(lens, conditions, odd)
        if "one_colour" in conditions:
            body = colours[int(odd.integers(2))]
            pair = body, (24, 22, 22) if max(body) > 150 else (236, 242, 244)
        self._dice = DicePainter(lens, *pair)
        if "extras" in conditions:
            self._lay_extras(lens, dice[int(odd.integers(len(dice)))], odd)
        self._heads: dict[Side, HeadPainter] = {}
        if "leaning" in conditions:
            hairs = odd.permutation(len(_HAIRS))
            for side in Side:
                hair, sleeve = _HAIRS[hairs[side.index]], _SLEEVES[sleeves[side.index]]
                self._heads[side] = HeadPainter(lens, hair, sleeve, odd)
        if "covered" in conditions:
            self._cloth = ClothPainter(lens, _CLOTHS[int(odd.integers(len(_CLOTHS)))], odd)

    def _lay_extras(self, lens: Lens, colours: tuple[BGR, BGR], rng: np.random.Generator) -> None:
        """A doubling cube on the left of the frame and a die on the cloth beside it, once and for all."""
        x, y = -scene.FIELD_X - scene.RIM / 2, float(rng.uniform(-4, 4))
        cube = Die((x, y, scene.RIM_HEIGHT + _CUBE / 2), tuple(np.eye(3).ravel().tolist()), scene.RIM_HEIGHT)
        value, yaw = int(rng.integers(1, 7)), float(rng.uniform(0, 6.28))
        x, y = x - scene.RIM / 2 - 2.6, float(rng.choice([-1, 1]) * (scene.FIELD_Y - 0.5))
        die = scene.die_at(x, y, scene.TABLE, value, yaw)
        for painter, thing in ((cube_painter(lens, _CUBE), cube), (DicePainter(lens, *colours), die)):
            painter.shadow(thing).paint(self._bare)
            painter.body([thing], 4).paint(self._bare)

    def picture(
        self,
        at: Scene,
        t: float,
        seq: int,
        there: Iterable[Presence] = (),
        moved: scene.Vector | None = None,
    ) -> Image:
        """The picture of a moment ``t`` within the scene ``at``, with people and cloths that are ``there``.

        ``moved``: the 3x3 matrix from pixels to those of the camera as it stands now.
        """
        u = (t - at.start) / (at.end - at.start)
        checkers = at.checkers
        if isinstance(at.action, Sweep) and u > 0.5:
            checkers = at.action.then
        image = self._table(checkers, at.dice).copy()
        span = at.end - at.start
        there = list(there)
        for one in there:
            if isinstance(one, Resting):
                self._paint_resting(image, one, t)
        match at.action:
            case Reach():
                self._paint_reach(image, at.action, u, span)
            case Roll():
                self._paint_roll(image, at.action, u, span)
            case Sweep():
                self._paint_sweep(image, at.action, u)
            case None:
                pass
        for one in there:
            if isinstance(one, Leaning):
                self._paint_leaning(image, one, t)
            elif isinstance(one, Cover):
                self._paint_cover(image, one, t)
        if moved is not None:
            border = cv2.BORDER_REPLICATE
            image = cv2.warpPerspective(image, moved, self._lens.size, borderMode=border)  # type: ignore[assignment]
        return self._expose(image, seq)

    def _table(self, checkers: tuple[Checker, ...], dice: tuple[Die, ...]) -> Image:
        if self._lying != (checkers, dice):
            image = self._bare.copy()
            self._checkers.paint(image, checkers)
            for die in dice:
                self._dice.shadow(die).paint(image)
            for die in dice:
                self._dice.body([die], 4).paint(image)
            self._light.mirror(image)
            self._still, self._lying = image, (checkers, dice)
        return self._still

    def _expose(self, image: Image, seq: int) -> Image:
        """Lens and sensor: dark corners, a flickering exposure, noise."""
        rng = np.random.default_rng([self._seed, 4, seq])
        exposure = self._light.gain * float(rng.normal(1, 0.006))
        cv2.multiply(image, self._vignette, dst=image, scale=1 / 255 * exposure)
        self._light.flicker(image, seq)
        y, x = rng.integers(0, _SHIFT, 2).tolist()
        grain = self._noise[y : y + image.shape[0], x : x + image.shape[1]]
        times = float(self._light.grain)
        return cv2.addWeighted(image, 1.0, grain, times, -128.0 * times)  # type: ignore[return-value]

    def _shoulder(self, side: Side) -> tuple[float, float]:
        seat = self._seats.sign(side)
        return 7.0 * seat, seat * (self._reach + 12)

    def _home(self, side: Side) -> tuple[float, float]:
        return 5.0 * self._seats.sign(side), self._seats.sign(side) * self._reach

    def _paint_reach(self, image: Image, action: Reach, u: float, span: float) -> None:
        start = action.start or self._home(action.side)
        end = action.end or self._home(action.side)

        def place(v: float) -> tuple[float, float]:
            s = _smooth(v)
            return start[0] + (end[0] - start[0]) * s, start[1] + (end[1] - start[1]) * s

        tip = place(u)
        lift = 2.6 * math.sin(math.pi * _smooth(u))
        ground = 0.0
        if action.carried is not None and action.lands is not None:
            s = _smooth(u)
            ground = action.carried.z + (action.lands.z - action.carried.z) * s
            x = action.carried.x + (action.lands.x - action.carried.x) * s
            y = action.carried.y + (action.lands.y - action.carried.y) * s
            held = action.carried.at(x, y, ground + lift)
            self._checkers.shadow(held, 0.0).paint(image)
            self._checkers.body(held).paint(image)
        smear = self._smear(place, u, span)
        self._light.shadow(image, tip, self._shoulder(action.side))
        self._hands[action.side].paint(
            image, "pinch", tip, self._shoulder(action.side), 2.6 + ground + lift, smear
        )

    def _smear(
        self, place: Callable[[float], tuple[float, float]], u: float, span: float
    ) -> tuple[float, float]:
        """How far a place moves in the picture while the shutter is open, in pixels."""
        a, b = (place(min(1.0, max(0.0, u + d * _SHUTTER / span / 2))) for d in (-1, 1))
        return (b[0] - a[0]) * self._lens.scale, (b[1] - a[1]) * self._lens.scale

    def _paint_roll(self, image: Image, action: Roll, u: float, span: float) -> None:
        seat = self._seats.sign(action.side)
        tipped = _smooth((u - 0.3) / 0.14)
        out = (action.cup[0], seat * (self._reach + 10))
        way = _smooth(u / 0.28) if u < 0.5 else 1 - _smooth((u - 0.52) / 0.3)
        x, y = (a + (b - a) * way for a, b in zip(out, action.cup, strict=True))
        shake = 0.8 * math.sin(u * 60) * (0.2 < u < 0.36)
        elevation = math.radians(48 - 66 * tipped)
        axis = np.array([0.05, -seat * math.cos(elevation), math.sin(elevation)])
        axis /= np.linalg.norm(axis)
        rest = 0.44
        if u > rest:
            mouth = np.array([*action.cup, 8.0]) + axis * 5
            for die, spin in zip(action.dice, action.spins, strict=True):
                self._paint_rolling(image, die, spin, mouth, (u - rest) / (0.97 - rest), span * (0.97 - rest))
        if way > 0.001:
            back = 3.2 * math.cos(elevation) + 0.5 if not action.by_hand else -2.0
            hand, shoulder = (x + shake, y + seat * back), (x * 0.3 + 7 * seat, seat * (self._reach + 20))
            self._light.shadow(image, hand, shoulder)
            if not action.by_hand:
                self._cup.paint(image, (x + shake, y, 8.0), axis)
            self._hands[action.side].paint(image, "fist", hand, shoulder, 10.0)

    def _paint_rolling(
        self, image: Image, die: Die, spin: float, mouth: scene.Vector, v: float, span: float
    ) -> None:
        final = np.array(die.centre)
        way = final - mouth
        axis = np.array([way[1], -way[0], 0.0])
        axis /= np.linalg.norm(axis)

        def pose(at: float) -> Die:
            left = 1 - min(1.0, max(0.0, at))
            s = 1 - left**2
            fall = (mouth[2] - final[2]) * max(0.0, 1 - at / 0.3) ** 2
            hop = 2.2 * abs(math.sin(3.2 * math.pi * at)) * left**1.5 if at > 0.2 else 0.0
            centre = (*(mouth[:2] + way[:2] * s).tolist(), float(final[2] + fall + hop))
            rotation = scene.turn_about(axis, -spin * left**2) @ die.matrix
            # A die that stands on a corner needs more room below its centre.
            room = max(0.0, float(np.abs(rotation[2]).sum()) * DIE / 2 + die.ground - centre[2])
            lifted = (centre[0], centre[1], centre[2] + room)
            return Die(lifted, tuple(rotation.ravel().tolist()), die.ground)

        if v >= 1:
            self._dice.shadow(die).paint(image)
            self._dice.body([die], 4).paint(image)
            return
        step = _SHUTTER / span
        poses = [pose(v + (k - 1.5) / 4 * step) for k in range(4)]
        self._dice.shadow(pose(v)).paint(image)
        self._dice.body(poses, 2).paint(image)

    def _paint_resting(self, image: Image, hand: Resting, t: float) -> None:
        """A hand that comes, lies there hardly moving, and goes."""
        seat = self._seats.sign(hand.side)
        into = _smooth((t - hand.start) / 0.5) * _smooth((hand.end - t) / 0.5)
        x = hand.tip[0] + 0.06 * math.sin(2.1 * t)
        y = seat * self._reach + (hand.tip[1] - seat * self._reach) * into
        shoulder = (hand.tip[0] * 0.8, seat * (self._reach + 12))
        self._light.shadow(image, (x, y), shoulder)
        self._hands[hand.side].paint(image, "pinch", (x, y), shoulder, scene.RIM_HEIGHT)

    def _paint_leaning(self, image: Image, lean: Leaning, t: float) -> None:
        """Head and shoulders that come over the board, sway a little, and go."""
        seat = self._seats.sign(lean.side)
        into = _smooth((t - lean.start) / 0.7) * _smooth((lean.end - t) / 0.7)
        out = self._reach + 26
        x, y = lean.x + 0.5 * math.sin(1.7 * t), seat * (out + (5.0 - out) * into)
        self._heads[lean.side].paint(image, (x, y), seat)

    def _paint_cover(self, image: Image, cover: Cover, t: float) -> None:
        """A cloth that is drawn over the board from a player's side with both hands, lies there, and goes."""
        seat = self._seats.sign(cover.side)
        into = _smooth((t - cover.start) / 1.4) * _smooth((cover.end - t) / 1.4)
        away = seat * (self._reach + self._cloth.half + 4) * (1 - into)
        self._cloth.paint(image, away)
        if into < 1:
            for x in (-14.0, 14.0):
                tip = x, away - seat * (self._cloth.half - 3)
                shoulder = (x * 0.4, seat * (self._reach + 20))
                self._hands[cover.side].paint(image, "fist", tip, shoulder, 5.0)

    def _paint_sweep(self, image: Image, action: Sweep, u: float) -> None:
        """Two forearms go back and forth over the board while the checkers are set up."""
        for k, side in enumerate(Side):
            seat = self._seats.sign(side)
            into = _smooth(u / 0.3) - _smooth((u - 0.7) / 0.3)
            x = 17 * math.sin(2 * math.pi * u + k) * seat
            y = seat * (self._reach + (2.0 - self._reach) * into)
            self._hands[side].paint(image, "pinch", (x, y), (x * 0.4, seat * (self._reach + 20)), 4.0)
