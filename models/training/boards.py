"""The boards of the made-up pictures: cases of wood, leather and aluminium, mats, trays, bars, tables.

A board is drawn as a handful of measures (:class:`Plan`) of some family, then built from rounded boxes.
Lengths are field widths in the world of :mod:`models.training.world`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from models.training import textures
from models.training.materials import Maker, random_checker_pair
from models.training.textures import Rgb, linear, mix, random_colour, vary
from models.training.things import Bounds, Ground
from models.training.world import Array, Body, Image, Look, Material, Shape

Rng = np.random.Generator
Family = Literal["tournament", "folding", "club", "mat", "framed"]
BarKind = Literal["none", "painted", "flat", "beam", "halves"]

FAMILIES: tuple[Family, ...] = ("tournament", "folding", "club", "mat", "framed")
_SHARES = (0.33, 0.29, 0.13, 0.15, 0.10)
_UPRIGHT: Array = np.eye(3, dtype=np.float32)
#: Seeds by which ``materials.surface`` begins a repeated texture near its middle, far from its ends.
_CUTS = [seed for seed in range(400) if 0.45 < seed * 0.6180339887 % 1 < 0.55]
_REACH = 6.0  #: how far tables and floors go


@dataclass(frozen=True, slots=True)
class Plan:
    """The measures of a board, in field widths."""

    family: Family
    height: float  #: of the field
    bar: tuple[float, float]
    bar_kind: BarKind
    bar_top: float
    wall: float  #: height of the frame above the field, 0 without one
    rim: float  #: width of the frame as seen from above
    margin: tuple[float, float]  #: floor beyond the field, to the sides and above and below
    trays: tuple[float, float]  #: inner width of the trays on the left and right, 0 without
    divider: float  #: thickness of the walls of the trays
    bottom: float  #: thickness of what lies under the field
    rounding: float
    folds: bool  #: the case is made of two halves


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A board without anything on it. ``light`` and ``dark`` make the material of one checker."""

    ground: Ground
    bodies: tuple[Body, ...]
    radius: float  #: of its checkers
    thickness: float
    rounding: float  #: of a checker's rim, over half its thickness
    dish: float  #: how deep a checker's face is hollowed, over half its thickness
    light: Maker
    dark: Maker
    style: dict[str, str | float] = field(default_factory=dict)


def random_plan(rng: Rng) -> Plan:
    """Draw the measures of a board."""
    family: Family = FAMILIES[int(rng.choice(len(FAMILIES), p=_SHARES))]
    kind: BarKind
    trays, divider, margin = (0.0, 0.0), float(rng.uniform(0.008, 0.03)), (0.0, 0.0)
    if rng.random() < 0.4:
        margin = (float(rng.uniform(0, 0.015)), float(rng.uniform(0, 0.02)))
    if family == "tournament":
        height, width = rng.uniform(0.74, 1.0), rng.uniform(0.03, 0.1)
        kind = _pick(rng, ("halves", "beam", "flat"), (0.7, 0.22, 0.08))
        wall, rim, bottom = rng.uniform(0.022, 0.06), rng.uniform(0.015, 0.06), rng.uniform(0.01, 0.05)
        trays = _random_trays(rng, 0.82)
        folds = kind != "beam" or rng.random() < 0.5
    elif family == "folding":
        height, width = rng.uniform(0.84, 1.12), rng.uniform(0.05, 0.17)
        kind = _pick(rng, ("halves", "beam"), (0.8, 0.2))
        wall, rim, bottom = rng.uniform(0.02, 0.085), rng.uniform(0.02, 0.06), rng.uniform(0.01, 0.04)
        trays = _random_trays(rng, 0.1)
        folds = True
    elif family == "club":
        height, width = rng.uniform(0.74, 1.0), rng.uniform(0.05, 0.14)
        kind = _pick(rng, ("beam", "flat"), (0.75, 0.25))
        wall, rim, bottom = rng.uniform(0.015, 0.055), rng.uniform(0.015, 0.05), rng.uniform(0.01, 0.06)
        trays = _random_trays(rng, 0.85)
        folds = False
    elif family == "mat":
        height, width = rng.uniform(0.62, 0.95), rng.uniform(0.03, 0.1)
        kind = _pick(rng, ("none", "painted"), (0.5, 0.5))
        wall, rim, bottom = 0.0, 0.0, rng.uniform(0.001, 0.012)
        margin = (float(rng.uniform(0.0, 0.09)), float(rng.uniform(0.0, 0.09)))
        folds = False
    else:
        height, width = rng.uniform(0.64, 1.1), rng.uniform(0.025, 0.12)
        kind = _pick(rng, ("none", "painted", "flat", "beam"), (0.2, 0.25, 0.3, 0.25))
        wall, rim, bottom = rng.uniform(0.002, 0.03), rng.uniform(0.008, 0.05), rng.uniform(0.004, 0.03)
        folds = bool(rng.random() < 0.4)
    shift = float(rng.normal(0, 0.004)) if rng.random() < 0.3 else 0.0
    bar = (0.5, 0.5) if kind == "none" else (0.5 + shift - width / 2, 0.5 + shift + width / 2)
    top = {"none": 0.0, "painted": 0.0, "flat": rng.uniform(0.0008, 0.006)}.get(
        kind, wall * (1.0 if rng.random() < 0.7 else rng.uniform(0.4, 1.05))
    )
    return Plan(
        family, float(height), (float(bar[0]), float(bar[1])), kind, float(top), float(wall), float(rim),
        margin, trays, divider, float(bottom), float(rng.choice([0.0005, 0.002, 0.005, 0.01])), bool(folds),
    )  # fmt: skip


def _pick(rng: Rng, kinds: tuple[BarKind, ...], shares: tuple[float, ...]) -> BarKind:
    return kinds[int(rng.choice(len(kinds), p=shares))]


def _random_trays(rng: Rng, chance: float) -> tuple[float, float]:
    if rng.random() > chance:
        return 0.0, 0.0
    width = float(rng.uniform(0.085, 0.17))
    sides = rng.choice(["both", "left", "right"], p=[0.76, 0.08, 0.16])
    return (width if sides != "right" else 0.0), (width if sides != "left" else 0.0)


def random_board(rng: Rng, pixels: int = 700) -> Board:
    """A board of any kind on a table of any kind; its field is painted ``pixels`` wide."""
    plan = random_plan(rng)
    picture, style = textures.field_picture(rng, plan.height, plan.bar, pixels)
    rows = picture.shape[0]
    ground_colour = _middle_colour(picture[int(0.44 * rows) : int(0.56 * rows)])
    floor = Material(
        Look.PICTURE, linear(ground_colour), float(style["rough"]), float(style["shine"]), texture=picture
    )
    builder = _Builder(rng, plan, ground_colour)
    builder.table()
    builder.field(floor)
    if plan.family == "mat":
        builder.mat()
    else:
        builder.case()
    builder.bar()
    light, dark, looks = random_checker_pair(rng)
    pitch = (1 - (plan.bar[1] - plan.bar[0])) / 12
    radius = pitch * (rng.uniform(0.40, 0.497) if rng.random() < 0.92 else rng.uniform(0.33, 0.4))
    radius = float(min(radius, plan.height / 20.4 * rng.uniform(0.98, 1.1)))
    thickness = radius * rng.uniform(0.3, 0.55) if rng.random() < 0.85 else radius * rng.uniform(0.5, 0.8)
    if looks["kind"] == "card":
        thickness = radius * rng.uniform(0.06, 0.2)
    rounding = float(rng.uniform(0.1, 0.95))
    dish = float(rng.uniform(0.1, 0.6)) if rng.random() < 0.35 and looks["kind"] != "card" else 0.0
    told: dict[str, str | float] = {
        "family": plan.family,
        "bar_kind": plan.bar_kind,
        **{f"field_{name}": value for name, value in style.items()},
        **{f"checkers_{name}": value for name, value in looks.items()},
        **builder.style,
    }
    return Board(
        builder.ground(), tuple(builder.bodies), radius, float(thickness), rounding, dish, light, dark, told
    )


def _middle_colour(picture: Image) -> Rgb:
    r, g, b = np.median(picture.reshape(-1, 3)[::17], axis=0)
    return float(r), float(g), float(b)


class _Builder:
    """Builds one board; ``bodies`` and ``trays`` grow."""

    def __init__(self, rng: Rng, plan: Plan, ground_colour: Rgb) -> None:
        self.rng, self.plan, self.ground_colour = rng, plan, ground_colour
        self.bodies: list[Body] = []
        self.trays: list[tuple[Bounds, float]] = []
        self.style: dict[str, str | float] = {}
        if plan.family == "mat":
            self.style["frame"] = "none"
        wooden = {"folding": 0.95, "club": 0.85, "framed": 0.6, "tournament": 0.12, "mat": 0.0}[plan.family]
        self.frame = self._frame_material(rng.random() < wooden)

    # The measures that follow from the plan.

    @property
    def inside(self) -> Bounds:
        x, y = self.plan.margin if self.plan.wall else (0.0, 0.0)
        return (-x, -y, 1 + x, self.plan.height + y)

    @property
    def outside(self) -> Bounds:
        plan = self.plan
        if not plan.wall:
            x, y = plan.margin
            return (-x, -y, 1 + x, plan.height + y)
        x0, y0, x1, y1 = self.inside
        left, right = (t + plan.divider if t else 0.0 for t in plan.trays)
        return (x0 - left - plan.rim, y0 - plan.rim, x1 + right + plan.rim, y1 + plan.rim)

    def ground(self) -> Ground:
        plan = self.plan
        return Ground(
            field_height=plan.height,
            bar=plan.bar,
            bar_top=plan.bar_top,
            inside=self.inside,
            outside=self.outside,
            rim_width=plan.rim,
            rim_top=plan.wall,
            table=-plan.bottom,
            trays=tuple(self.trays),
        )

    def _frame_material(self, wooden: bool) -> Material:
        """What the frame is made of."""
        rng = self.rng
        if wooden:
            kind = str(rng.choice(list(textures.WOODS)))
            # One length of wood is longer than any part of the frame, so that no seam shows.
            picture = textures.wood(rng, 192, 768, kind)
            rough, scale = float(rng.uniform(0.15, 0.7)), float(rng.uniform(1.6, 2.0))
            self.style.setdefault("frame", "wood")
            return Material(Look.TILED, (0.4, 0.3, 0.2), rough, 0.04, texture=picture, scale=scale)
        colour = vary(rng, (24, 24, 26), 6) if rng.random() < 0.6 else random_colour(rng, 15, 160)
        kind = str(rng.choice(["leather", "plastic", "metal", "cloth"], p=[0.5, 0.25, 0.17, 0.08]))
        self.style.setdefault("frame", kind)
        if kind in ("leather", "cloth"):
            make: Callable[[Rng, int, int, Rgb], Image] = (
                textures.leather if kind == "leather" else textures.cloth
            )
            skin = make(rng, 192, 192, colour)
            rough = float(rng.uniform(0.35, 0.75))
            return Material(
                Look.TILED, linear(colour), rough, 0.04, texture=skin, scale=float(rng.uniform(0.25, 0.6))
            )
        shine = float(rng.uniform(0.08, 0.25)) if kind == "metal" else 0.04
        if kind == "metal" and rng.random() < 0.4:
            colour = vary(rng, (150, 150, 155), 15)
        return Material(Look.PLAIN, linear(colour), float(rng.uniform(0.2, 0.6)), shine)

    def _box(
        self, bounds: Bounds, low: float, high: float, material: Material, kind: str, rounding: float = 0.0
    ) -> None:
        x0, y0, x1, y1 = bounds
        half = ((x1 - x0) / 2, (y1 - y0) / 2, (high - low) / 2)
        if min(half) <= 0:
            return
        centre = np.array([(x0 + x1) / 2, (y0 + y1) / 2, (low + high) / 2], np.float32)
        size = (*half, min(rounding, 0.9 * min(half)))
        if material is self.frame:
            material = replace(material, seed=int(self.rng.choice(_CUTS)))
        self.bodies.append(Body(Shape.BOX, size, centre, _UPRIGHT, material, kind))

    def table(self) -> None:
        """What the board lies on; now and then its edge shows, and the floor below."""
        rng, x0, y0, x1, y1 = self.rng, *self.outside
        top = -self.plan.bottom
        far: Bounds = (0.5 - _REACH, 0.5 - _REACH, 0.5 + _REACH, 0.5 + _REACH)
        if rng.random() < 0.3:
            gaps = rng.uniform(0.03, 1.2, 4)
            gaps[rng.random(4) < 0.4] = _REACH
            edge: Bounds = (x0 - gaps[0], y0 - gaps[1], x1 + gaps[2], y1 + gaps[3])
            self._box(edge, top - 0.08, top, self._table_material(), "table", 0.004)
            self._box(far, top - 2, top - rng.uniform(0.8, 1.8), self._table_material(), "table")
        else:
            self._box(far, top - 0.5, top, self._table_material(), "table")
        if rng.random() < 0.4:  # a wall or a sofa's back, behind all lamps
            wall: Bounds = (0.5 - _REACH, -5.2, 0.5 + _REACH, -5)
            self._box(wall, top - 2, top + float(rng.uniform(0.3, 4)), self._table_material(), "table", 0.05)

    def _table_material(self) -> Material:
        rng = self.rng
        if rng.random() < 0.1:  # cut out of its background
            tone = float(rng.choice([0.005, 0.02, 0.7, 0.9]))
            self.style.setdefault("table", "blank")
            return Material(Look.PLAIN, (tone, tone, tone), 0.9, 0.02)
        picture, style = textures.table_picture(rng, 512, 512)
        self.style.setdefault("table", style["kind"])
        picture = np.concatenate([picture, picture[::-1]])  # joined to its mirror image it has no seams
        picture = np.concatenate([picture, picture[:, ::-1]], axis=1)
        return Material(
            Look.TILED, (0.5, 0.5, 0.5), float(style["rough"]), float(style["shine"]),
            texture=picture, scale=float(rng.uniform(2.4, 7.0)), seed=int(rng.integers(1 << 20)),
        )  # fmt: skip

    def field(self, floor: Material) -> None:
        """The painted field, its top at z = 0."""
        self._box((0, 0, 1, self.plan.height), -min(0.004, self.plan.bottom), 0, floor, "field")

    def _felt(self, colour: Rgb) -> Material:
        rng = self.rng
        make: Callable[[Rng, int, int, Rgb], Image] = (
            textures.felt if rng.random() < 0.7 else textures.leather
        )
        return Material(
            Look.TILED, linear(colour), 0.9, 0.03, texture=make(rng, 128, 128, colour),
            scale=float(rng.uniform(0.15, 0.4)),
        )  # fmt: skip

    def mat(self) -> None:
        """The border of a printed sheet, a cloth or a leather roll; a line around the field at times."""
        rng, plan, (x0, y0, x1, y1) = self.rng, self.plan, self.outside
        choice = rng.random()
        if choice < 0.45:
            colour = self.ground_colour
        elif choice < 0.75:
            colour = vary(rng, (238, 236, 230), 8)
        else:
            colour = random_colour(rng)
        self._box((x0, y0, x1, y1), -plan.bottom, -0.0003, self._felt(colour), "frame", 0.0004)
        ink = Material(Look.PLAIN, linear(vary(rng, (25, 25, 28), 10)), 0.9, 0.02)
        if rng.random() < 0.5 and min(plan.margin) > 0.01:
            self._outline((0, 0, 1, plan.height), float(rng.uniform(0.003, min(plan.margin))), 0.0002, ink)

    def _outline(self, bounds: Bounds, width: float, top: float, material: Material) -> None:
        """A frame of four flat strips around ``bounds``."""
        x0, y0, x1, y1 = bounds
        low = top - 0.001
        self._box((x0 - width, y0 - width, x1 + width, y0), low, top, material, "frame")
        self._box((x0 - width, y1, x1 + width, y1 + width), low, top, material, "frame")
        self._box((x0 - width, y0, x0, y1), low, top, material, "frame")
        self._box((x1, y0, x1 + width, y1), low, top, material, "frame")

    def case(self) -> None:
        """Frame, floor, trays, and what is fixed to them."""
        rng, plan = self.rng, self.plan
        (x0, y0, x1, y1), (a0, b0, a1, b1) = self.inside, self.outside
        low, top = -plan.bottom, plan.wall
        lining = self._felt(self.ground_colour)
        self._box((x0, y0, x1, y1), low, -0.0003, lining, "field")
        middle = sum(plan.bar) / 2
        gap = float(rng.uniform(0.0008, 0.004)) if plan.folds else 0.0
        for left, right in ((a0, middle - gap), (middle + gap, a1)):
            self._box((left, b0, right, y0), low, top, self.frame, "frame", plan.rounding)
            self._box((left, y1, right, b1), low, top, self.frame, "frame", plan.rounding)
        self._box((a0, b0, a0 + plan.rim, b1), low, top, self.frame, "frame", plan.rounding)
        self._box((a1 - plan.rim, b0, a1, b1), low, top, self.frame, "frame", plan.rounding)
        wall = top * float(rng.uniform(0.55, 1.0)) if rng.random() < 0.3 else top
        sections = sorted(float(v) for v in rng.uniform(0.12, 0.88, rng.integers(0, 3)))
        if rng.random() < 0.6:  # a dice box in the middle
            sections = [0.5 - (half := float(rng.uniform(0.04, 0.14))), 0.5 + half]
            if rng.random() < 0.4:
                sections = [0.18, *sections, 0.82]
        if plan.trays[0]:
            self._tray(
                (a0 + plan.rim, y0, x0 - plan.divider, y1), (x0 - plan.divider, x0), wall, sections, lining
            )
        if plan.trays[1]:
            self._tray(
                (x1 + plan.divider, y0, a1 - plan.rim, y1), (x1, x1 + plan.divider), wall, sections, lining
            )
        if self.style["frame"] == "wood" and rng.random() < 0.35:
            self._inlay_lines()
        if rng.random() < 0.35:
            self._latches()

    def _tray(
        self, room: Bounds, wall_x: tuple[float, float], wall: float, sections: list[float], lining: Material
    ) -> None:
        rng, (x0, y0, x1, y1) = self.rng, room
        floor = 0.0 if rng.random() < 0.8 else -self.plan.bottom * 0.7
        material = lining if rng.random() < 0.65 else self.frame
        self._box(room, -self.plan.bottom, floor, material, "tray")
        self._box((wall_x[0], y0, wall_x[1], y1), -self.plan.bottom, wall, self.frame, "tray", 0.002)
        cross = float(rng.uniform(0.006, 0.025))
        lower = wall * float(rng.choice([1.0, rng.uniform(0.4, 1)]))
        marks = [y0 - cross / 2, *(y0 + share * (y1 - y0) for share in sections), y1 + cross / 2]
        for at in marks[1:-1]:
            self._box((x0, at - cross / 2, x1, at + cross / 2), floor, lower, self.frame, "tray", 0.0015)
        for first, second in pairwise(marks):
            room_y = (first + cross / 2, second - cross / 2)
            box = len(marks) == 4 and first == marks[1] and rng.random() < 0.35
            if box:  # a cushion or a closed lid
                self._box((x0, room_y[0], x1, room_y[1]), floor, lower * 0.95, self.frame, "tray", 0.006)
            elif room_y[1] - room_y[0] > 0.12:
                self.trays.append(((x0, room_y[0], x1, room_y[1]), floor))

    def _inlay_lines(self) -> None:
        """Lines of pale or dark wood let into the frame."""
        rng, plan, (x0, y0, x1, y1) = self.rng, self.plan, self.outside
        tone = vary(rng, (232, 210, 165), 12) if rng.random() < 0.7 else vary(rng, (40, 26, 18), 6)
        line = Material(Look.PLAIN, linear(tone), 0.4, 0.04)
        inset = plan.rim * float(rng.uniform(0.2, 0.7))
        width = float(rng.uniform(0.002, 0.006))
        self._outline((x0 + inset, y0 + inset, x1 - inset, y1 - inset), width, plan.wall + 0.0003, line)

    def _metal(self) -> Material:
        rng = self.rng
        tone = vary(rng, (150, 116, 62), 14) if rng.random() < 0.45 else vary(rng, (104, 104, 108), 20)
        if rng.random() < 0.2:
            tone = vary(rng, (40, 40, 42), 6)
        return Material(Look.PLAIN, linear(tone), float(rng.uniform(0.3, 0.55)), 0.2)

    def _latches(self) -> None:
        rng, plan, (x0, y0, x1, y1) = self.rng, self.plan, self.outside
        metal = self._metal()
        deep, wide = float(rng.uniform(0.006, 0.02)), float(rng.uniform(0.02, 0.06))
        for side in (x0 - deep, x1):
            for share in (0.22, 0.78) if rng.random() < 0.6 else (0.5,):
                at = y0 + share * (y1 - y0)
                self._box(
                    (side, at - wide / 2, side + deep, at + wide / 2),
                    -0.3 * plan.bottom, plan.wall * 0.8, metal, "frame", 0.002,
                )  # fmt: skip
        if rng.random() < 0.4:  # a handle
            at, reach = (y0 + y1) / 2, float(rng.uniform(0.05, 0.1))
            x = x0 - reach if rng.random() < 0.5 else x1 + reach
            base = x0 if x < x0 else x1
            grip = Material(Look.PLAIN, linear(vary(rng, (28, 28, 30), 8)), 0.6, 0.04)
            self._box((x - 0.008, at - 0.12, x + 0.008, at + 0.12), -plan.bottom, 0.008, grip, "frame", 0.006)
            for end in (at - 0.12, at + 0.106):
                self._box(
                    (min(x, base), end, max(x, base), end + 0.014), -plan.bottom, 0.004, grip, "frame", 0.004
                )

    def bar(self) -> None:
        """The bar, with its gap, hinges and straps."""
        rng, plan = self.rng, self.plan
        left, right = plan.bar
        _, y0, _, y1 = self.inside
        top, low = plan.bar_top, -plan.bottom
        middle = (left + right) / 2
        strapped = plan.bar_kind in ("beam", "halves") and rng.random() < 0.09
        if plan.bar_kind == "painted":
            if rng.random() < 0.7:
                tone = mix(self.ground_colour, (0, 0, 0), 0.5) if rng.random() < 0.5 else random_colour(rng)
                paint = Material(Look.PLAIN, linear(tone), 0.85, 0.03)
                self._box((left, y0, right, y1), low, 0.0002, paint, "bar")
        elif plan.bar_kind in ("flat", "beam"):
            self._box((left, y0, right, y1), low, top, self.frame, "bar", min(plan.rounding, 0.003))
            if not strapped and rng.random() < 0.25:
                self._hinges(middle, right - left)
        elif plan.bar_kind == "halves":
            gap = float(rng.choice([0.0006, 0.002, 0.005]))
            self._box((left, y0, middle - gap, y1), low, top, self.frame, "bar", plan.rounding)
            self._box((middle + gap, y0, right, y1), low, top, self.frame, "bar", plan.rounding)
            if not strapped and rng.random() < 0.75:
                self._hinges(middle, right - left)
        if strapped:
            self._straps()
        if plan.bar_kind not in ("none", "painted") and self.style["frame"] == "wood" and rng.random() < 0.22:
            self._cross_beam()
        if plan.bar_kind in ("none", "painted") and rng.random() < 0.5:  # the fold
            dark = Material(Look.PLAIN, linear(mix(self.ground_colour, (0, 0, 0), 0.6)), 0.9, 0.02)
            wide = float(rng.uniform(0.0005, 0.0025))
            self._box((middle - wide, y0, middle + wide, y1), low, 0.0003, dark, "field")

    def _hinges(self, middle: float, width: float) -> None:
        rng, plan = self.rng, self.plan
        metal = self._metal()
        length, share = float(rng.uniform(0.04, 0.11)), float(rng.uniform(0.1, 0.26))
        wide = width * float(rng.uniform(0.2, 0.85)) / 2
        barrel = float(rng.uniform(0.002, 0.006))
        plates, screws = rng.random() < 0.75, rng.random() < 0.6
        lying: Array = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], np.float32)
        for part in (share, 1 - share) if rng.random() < 0.9 else (0.5,):
            at = part * plan.height
            box: Bounds = (middle - wide, at - length / 2, middle + wide, at + length / 2)
            if plates:
                self._box(box, plan.bar_top - 0.002, plan.bar_top + 0.0012, metal, "bar", 0.0006)
            centre = np.array([middle, at, plan.bar_top], np.float32)
            size = (barrel, barrel, length / 2 * 0.95)
            self.bodies.append(Body(Shape.CONE, size, centre, lying, metal, "bar"))
            if plates and screws:
                dark = Material(Look.PLAIN, (0.05, 0.05, 0.05), 0.5, 0.08)
                for dx in (-0.6, 0.6):
                    for dy in (-0.32, 0.32):
                        place = np.array(
                            [middle + dx * wide, at + dy * length, plan.bar_top + 0.0012], np.float32
                        )
                        screw = (0.12 * wide + 0.001, 0.0006, 0.0002, 0.0)
                        self.bodies.append(Body(Shape.DISC, screw, place, _UPRIGHT, dark, "bar"))

    def _straps(self) -> None:
        """Two patches of felt over the bar."""
        rng, plan = self.rng, self.plan
        colour = vary(rng, (14, 62, 40), 12) if rng.random() < 0.6 else random_colour(rng, 20, 150)
        cloth = Material(
            Look.TILED, linear(colour), 0.95, 0.02, texture=textures.felt(rng, 128, 128, colour), scale=0.2
        )
        over = float(rng.uniform(-0.003, 0.008))
        start, length = float(rng.uniform(0.04, 0.14)), float(rng.uniform(0.12, 0.22))
        top = plan.bar_top + float(rng.uniform(0.0015, 0.006))
        for share in (start, 1 - start - length):
            box: Bounds = (
                plan.bar[0] - over, share * plan.height, plan.bar[1] + over, (share + length) * plan.height
            )  # fmt: skip
            self._box(box, plan.bar_top - 0.004, top, cloth, "bar", 0.0015)

    def _cross_beam(self) -> None:
        """A wooden strip across both halves between the rows, edged with pale lines."""
        rng, plan = self.rng, self.plan
        half = plan.height * float(rng.uniform(0.03, 0.08))
        middle = plan.height / 2
        top = float(rng.choice([0.0006, rng.uniform(0.001, 0.004)]))
        pale = Material(Look.PLAIN, linear(vary(rng, (228, 205, 155), 10)), 0.5, 0.04)
        line = float(rng.uniform(0.003, 0.009))
        for left, right in ((0.0, plan.bar[0]), (plan.bar[1], 1.0)):
            self._box((left, middle - half, right, middle + half), -0.002, top, self.frame, "field")
            if rng.random() < 0.85:
                for y in (middle - half - line, middle + half):
                    self._box((left, y, right, y + line), -0.002, top + 0.0002, pale, "field")
