"""What a board looks like: learnt from one picture of a known position, in practice the start.

All of it lives in the rectified picture (the *canvas*): the field of ``FIELD`` pixels with
``MARGIN`` board units around it. Values are square roots of the camera's (scaled to 0-255), since
there the noise of a sensor is even over dark and bright, and a shadow is still a factor.

Three looks are compared at each pixel: that of the empty board *at this very place*, that of light
and that of dark checkers. A colour that is none of the three (a hand, a die) speaks for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import SLOTS
from hardware.camera import Image
from vision.geometry import FieldMap

Plane = NDArray[np.float32]
Mask = NDArray[np.bool_]

FIELD = (384, 320)  #: width and height of the field on the canvas, in pixels
MARGIN = 0.08  #: board units shown around the field
CANVAS = (round(FIELD[0] * (1 + 2 * MARGIN)), round(FIELD[1] * (1 + 2 * MARGIN)))
ROW = 5  #: checkers that a row holds before the next layer begins

_ROOT = np.sqrt(np.arange(256) * 255.0).round().astype(np.uint8)
_BINS = 32  # a side of the colour cube
_CUBE = 256 // _BINS
_UNSEEN = 0.03  # share of pixels of any look that may have any colour: glints, dirt, hands
_BLINDING = 247.0  # roots from which in all channels a pixel shows a lamp, not what lies there (values: 240)
_GLINT = np.ones((5, 5), np.uint8)  # what is smaller is gloss
_CAP = 3.0  # no single pixel says more than this, in nats
_LARGEST_OF_THREE = 1.33  # mean of the largest of three normal deviates, signs apart
_BLUR = 1.5  # pixels of the canvas by which a picture may be displaced against the learnt one


@dataclass(frozen=True, slots=True)
class Stance:
    """How checkers stand on the points, in board units.

    ``dx``, ``dy``: diameter of a checker. ``gap``: from the edge of the field to the first checker.
    ``step``: from one centre of a row to the next. ``lean``: a tilted camera sees the top face of a
    checker displaced, per layer by ``lean + zoom * (place - 0.5)``: away from the point above which
    the camera hangs, in proportion to the height over the field. ``stagger``: how much further
    from the edge each further layer of a stack is laid.
    """

    dx: float
    dy: float
    gap: float
    step: float
    lean: tuple[float, float]
    zoom: float
    stagger: float = 0.0

    def top_face(self, x: float, place: float, bottom: bool, layer: float = 1) -> tuple[float, float]:
        """Centre of the top face of a checker in ``place`` (0 at the edge) of the column at ``x``."""
        inward = self.gap + self.dy / 2 + place * self.step + max(0.0, layer - 1) * self.stagger
        y = 1 - inward if bottom else inward
        return (
            x + layer * (self.lean[0] + self.zoom * (x - 0.5)),
            y + layer * (self.lean[1] + self.zoom * (y - 0.5)),
        )


def layers(count: int) -> tuple[int, ...]:
    """Heights of the places of a row that holds ``count`` checkers, from the edge inwards.

    The second layer begins when five lie in the row, and the third when ten do.
    """
    return tuple(-(-(count - place) // ROW) for place in range(min(count, ROW)))


@dataclass(frozen=True, eq=False)
class Appearance:
    """The learnt look of a board.

    ``empty``: float32 (height, width, 3), the empty board on the canvas, in roots. ``spread``:
    float32 (height, width), standard deviation of a channel about it. ``borrowed``: bool (height,
    width), where it was taken from like points. ``colours``: float32 (2, 32768), how often light and
    dark checkers show each colour, each row of sum 1. ``stance``: see there. ``noise``: standard
    deviation of an empty pixel in roots. ``last`` and ``counts``: the latest canvas of which the
    slots were known, and those; the upper layers of a stack are known only from there. ``trust``: how far the
    looks are to be believed, 1 where they were learnt; it scales what a reading concludes from them.
    """

    empty: Plane
    spread: Plane
    borrowed: Mask
    colours: Plane
    stance: Stance
    noise: float
    last: Plane
    counts: tuple[int, ...]
    trust: float = 1.0
    _log_colours: Plane = field(init=False, repr=False)
    _edge: Plane = field(init=False, repr=False)
    _still_law: tuple[Plane, Plane] = field(init=False, repr=False)
    _moved_law: tuple[Plane, Plane] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mixed = (1 - _UNSEEN) * self.colours + _UNSEEN / _BINS**3
        object.__setattr__(self, "_log_colours", np.log(mixed).astype(np.float32))
        object.__setattr__(self, "_edge", _variance(self.empty, self.spread))
        object.__setattr__(self, "_still_law", _law(np.asarray(self.spread**2 + 1, np.float32)))
        object.__setattr__(self, "_moved_law", _law(self._edge))

    def refresh(self, image: Image, field: FieldMap, slots: Sequence[int], weight: float) -> Appearance:
        """The appearance adapted to a still picture whose ``slots`` are believed.

        Empty board moves by ``weight`` (0 to 1) towards the picture; a borrowed pixel takes the
        picture at once. Colours of checkers move by ``weight`` where checkers lie. The picture becomes
        the one against which stacks are compared.
        """
        canvas = on_canvas(image, field)
        canvas /= _gain(canvas, self.empty)
        covered = _covered(field, slots, self.stance)
        free = ~covered & _inside(field)
        blue, green, red = cv2.split(cv2.absdiff(canvas, self.empty))
        change = cv2.max(cv2.max(blue, green), red)
        # What does not look at all like the board there (a die, a hand) is not learnt from.
        like = free & (self.borrowed | (change < 6 * np.sqrt(self._edge)))
        share = np.where(self.borrowed, 1.0, weight).astype(np.float32) * like
        empty = self.empty + share[..., None] * (canvas - self.empty)
        spread = np.where(like & self.borrowed, np.float32(self.noise), self.spread)
        colours = self.colours.copy()
        for side, seen in enumerate(disc_colours(canvas, field, slots, self.stance)):
            if seen is not None:
                colours[side] += weight * (seen - colours[side])
        return replace(
            self,
            empty=empty,
            spread=spread,
            borrowed=self.borrowed & ~like,
            colours=colours,
            last=canvas,
            counts=tuple(slots),
        )


def learn(image: Image, field: FieldMap, slots: Sequence[int], bar: tuple[int, int] = (0, 0)) -> Appearance:
    """The look of a board from a picture of a known position, with at least one checker a side.

    ``slots``: 24 signed counts, as :mod:`engine.layout` has them. ``bar``: light and dark checkers
    on the bar. Raises ``ValueError`` if a side has no checker on a point.
    """
    if len(slots) != SLOTS or not (any(n > 0 for n in slots) and any(n < 0 for n in slots)):
        raise ValueError("a board is learnt from 24 slots on which both sides have checkers")
    canvas = on_canvas(image, field)
    stance = prior = first_guess(image, field)
    noise = noise_of(canvas)
    generous = replace(stance, dx=field.point_width * 1.1, dy=stance.dy * 1.1, step=stance.step * 1.08)
    covered = _covered(field, slots, generous, bar)
    # The first place is covered whatever the size of a checker: colours are first taken there.
    colours = disc_colours(canvas, field, slots, stance, 0.5, places=1)
    look = _look(canvas, field, slots, covered, colours, stance, noise)
    for _ in range(3):
        stance = fit_stance(evidence(canvas, look), field, slots, prior)
        covered = _covered(field, slots, stance, bar)
        colours = disc_colours(canvas, field, slots, stance)
        look = _look(canvas, field, slots, covered, colours, stance, noise)
    return look


def on_canvas(image: Image, field: FieldMap) -> Plane:
    """The rectified picture in roots: float32 (height, width, 3) of ``CANVAS``."""
    flat = field.rectify(image, *CANVAS, margin=MARGIN)
    return cv2.LUT(flat, _ROOT).astype(np.float32)


def to_canvas(x: float, y: float) -> tuple[float, float]:
    """Pixel of the canvas that shows a place in board units."""
    return (x + MARGIN) * FIELD[0], (y + MARGIN) * FIELD[1]


def evidence(canvas: Plane, look: Appearance, columns: slice = slice(None)) -> Plane:
    """How much each pixel speaks for a light and for a dark checker, against the empty board.

    float32 (2, height, width), logarithms of likelihood ratios, within +-3. ``columns``: those of the
    canvas that are asked for.
    """
    level = canvas[:, columns] / _gain(canvas, look.empty)
    cells = np.clip(level, 0, 255).astype(np.uint8) >> 3
    index = (cells[..., 0].astype(np.int32) << 10) | (cells[..., 1].astype(np.int32) << 5) | cells[..., 2]
    # Shade multiplies: the factor that fits best is taken out, at a price.
    b, g, r = cv2.split(level)
    eb, eg, er = cv2.split(look.empty[:, columns])
    power = eb * eb + eg * eg + er * er
    factor = np.clip((b * eb + g * eg + r * er) / (power + 1), 0.65, 1.03)
    rest = (b - factor * eb) ** 2 + (g - factor * eg) ** 2 + (r - factor * er) ** 2
    # Either the board did not move against the learnt picture, or it did by a pixel or so.
    still, moved = (
        height[:, columns] - rest * slope[:, columns] for height, slope in (look._still_law, look._moved_law)
    )
    empty = (
        np.float32(3 * np.log(_CUBE) - 1.5 * np.log(2 * np.pi) - np.log(2))
        + np.maximum(still, moved)
        - 1.5 * np.log1p(((factor - 1) / 0.05) ** 2)
    )
    empty = np.maximum(empty, np.float32(np.log(_UNSEEN) - 3 * np.log(_BINS)))
    ratio = np.empty((2, *index.shape), np.float32)
    light, dark = (colours.take(index) for colours in look._log_colours)
    # A pixel of the other side's checkers is no witness, whatever lies below it.
    np.subtract(light, np.maximum(empty, dark - 1.5), out=ratio[0])
    np.subtract(dark, np.maximum(empty, light - 1.5), out=ratio[1])
    # Neighbours are heard together: where colours are alike, the grain of the board is what tells.
    np.clip(ratio, -2 * _CAP, 2 * _CAP, out=ratio)
    for side in (0, 1):
        ratio[side] = cv2.blur(ratio[side], (3, 3))
    return np.clip(ratio, -_CAP, _CAP, out=ratio)


def glare(canvas: Plane, stance: Stance) -> Mask:
    """Pixels of the canvas on which a lamp is mirrored, and those within a checker's radius around them.

    White tells nothing, and around it all colours are paler than they were learnt.
    """
    spot = cv2.inRange(canvas, (_BLINDING,) * 3, (np.inf,) * 3)
    if spot.any():
        spot = cv2.morphologyEx(spot, cv2.MORPH_OPEN, _GLINT)
        size = (2 * round(stance.dx * FIELD[0] / 2) + 1, 2 * round(stance.dy * FIELD[1] / 2) + 1)
        spot = cv2.dilate(spot, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size))
    return np.asarray(spot > 0)


def change(canvas: Plane, look: Appearance, centre: tuple[float, float]) -> float:
    """How much a checker at ``centre`` (board units) looks otherwise than on the last known canvas.

    Mean over its disc of the largest change of a channel, in roots, apart from a change of light and from
    what the noise of two pictures, greater in the dark, would make of no change at all.
    """
    stance = look.stance
    x, y = to_canvas(*centre)
    rx, ry = stance.dx * FIELD[0] / 2, stance.dy * FIELD[1] / 2
    x0, x1 = max(0, round(x - rx)), min(CANVAS[0], round(x + rx) + 1)
    y0, y1 = max(0, round(y - ry)), min(CANVAS[1], round(y + ry) + 1)
    across, down = (np.arange(x0, x1) - x) / rx, (np.arange(y0, y1) - y) / ry
    disc = across**2 + down[:, None] ** 2 <= 1
    now, then = canvas[y0:y1, x0:x1], look.last[y0:y1, x0:x1]
    smooth_now, smooth_then = (cv2.blur(picture, (3, 3))[disc] for picture in (now, then))
    light = np.median(smooth_now, axis=0) / np.maximum(np.median(smooth_then, axis=0), 10)
    light = np.clip(light, 0.85, 1.18).astype(np.float32)
    smooth = smooth_now / light - smooth_then
    rough = now[disc] / light - then[disc] - smooth
    # What the blur takes away is noise, of which a third stays: the deviation, from that of normal noise.
    noise = np.abs(rough).mean(axis=0) * np.sqrt(np.pi / 2 * 9 / 8) / 3
    seen = float(np.abs(smooth).max(axis=1).mean())
    return float(np.sqrt(max(0.0, seen**2 - _LARGEST_OF_THREE**2 * float((noise**2).mean()))))


def _gain(canvas: Plane, empty: Plane) -> Plane:
    """Exposure and white balance against the learnt picture: float32 (3,), the median ratio."""
    ratio = canvas[::6, ::6].reshape(-1, 3) / np.maximum(empty[::6, ::6].reshape(-1, 3), 20)
    return np.clip(np.median(ratio, axis=0), 0.7, 1.4).astype(np.float32)


def _law(variance: Plane) -> tuple[Plane, Plane]:
    """Logarithm of a normal law of three channels: its height, and how it falls with the squared distance."""
    return np.asarray(-1.5 * np.log(variance), np.float32), np.asarray(0.5 / variance, np.float32)


def _variance(empty: Plane, spread: Plane) -> Plane:
    """Variance of an empty pixel: its own spread and what a small displacement does at edges."""
    blue, green, red = cv2.split(empty)
    grey = (blue + green + red) / 3
    low = cv2.erode(grey, np.ones((3, 3), np.uint8))
    high = cv2.dilate(grey, np.ones((3, 3), np.uint8))
    return np.asarray(spread**2 + ((high - low) / 3 * _BLUR) ** 2 + 1, np.float32)


def noise_of(canvas: Plane) -> float:
    """Standard deviation of a pixel's noise, from second differences where the board is plain."""
    grey = canvas.mean(axis=2)
    second = np.abs(grey[:, 2:] - 2 * grey[:, 1:-1] + grey[:, :-2])
    blocks = second[: second.shape[0] // 16 * 16, : second.shape[1] // 16 * 16]
    medians = np.median(blocks.reshape(blocks.shape[0] // 16, 16, -1, 16), axis=(1, 3))
    # The mean of three channels has less noise than each; six is the sum of the squared weights.
    return float(np.clip(np.quantile(medians, 0.2) / 0.6745 / np.sqrt(6) * np.sqrt(3), 2.5, 8))


def first_guess(image: Image, field: FieldMap) -> Stance:
    """Checkers a little narrower than a point, seen by a camera of ordinary focal length.

    The pose follows from the homography (columns r1, r2, t of ``K^-1 H``), with the principal point
    in the middle of the picture. Its focal length is the one that makes the field most likely:
    ``_PROPORTION`` times as wide as high, with square corners.
    """
    height, width = image.shape[:2]
    corners = field.to_pixels(_SQUARE).astype(np.float32)
    best, pose = np.inf, np.asarray(np.eye(3), np.float64)
    for focal in np.geomspace(0.7, 2.2, 9):
        lens = np.array([[0.0, 0, width / 2], [0, 0, height / 2], [0, 0, 1]])
        lens[0, 0] = lens[1, 1] = focal * max(width, height)
        trial = np.linalg.inv(lens) @ cv2.getPerspectiveTransform(_SQUARE, corners)
        across, along = np.linalg.norm(trial[:, 0]), np.linalg.norm(trial[:, 1])
        skew = trial[:, 0] @ trial[:, 1] / (across * along)
        odd = (
            (np.log(across / along / _PROPORTION) / 0.08) ** 2
            + (skew / 0.04) ** 2
            + (np.log(focal) / 0.35) ** 2
        )
        if odd < best:
            best, pose = float(odd), np.asarray(trial, np.float64)
    length = np.linalg.norm(pose[:, 0])
    up = np.cross(pose[:, 1], pose[:, 0])
    up *= length / np.linalg.norm(up)
    dx = 0.9 * field.point_width
    dy = dx * float(length / np.linalg.norm(pose[:, 1]))
    thickness = 0.28 * dx

    def lean(x: float, y: float) -> NDArray[np.float64]:
        seen = np.linalg.inv(pose) @ (pose @ (x, y, 1) + thickness * up)
        return np.asarray(seen[:2] / seen[2] - (x, y))

    middle = lean(0.5, 0.5)
    zoom = float(lean(1, 0.5)[0] - lean(0, 0.5)[0])
    return Stance(dx, dy, 0.004, dy * 1.01, (float(middle[0]), float(middle[1])), zoom)


_PROPORTION = 1.2  # a field's width to its height: 54.4 to 46 cm on a tournament board
_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)


def _inside(field: FieldMap) -> Mask:
    """Where the canvas shows the field itself and the bar, not the rim."""
    inside = np.zeros((CANVAS[1], CANVAS[0]), np.bool_)
    (x0, y0), (x1, y1) = to_canvas(0, 0), to_canvas(1, 1)
    inside[round(y0) : round(y1), round(x0) : round(x1)] = True
    return inside


def _faces(field: FieldMap, slots: Sequence[int]) -> list[tuple[float, int, bool, int, int]]:
    """The visible checkers of a position: column's x, place, bottom row?, layer, side (0 light)."""
    faces = []
    for slot, count in enumerate(slots):
        for place, layer in enumerate(layers(abs(count))):
            faces.append((field.slot_x(slot), place, slot >= 12, layer, 0 if count > 0 else 1))
    return faces


def _ellipse(plane: NDArray[np.uint8], centre: tuple[float, float], stance: Stance, scale: float) -> None:
    x, y = to_canvas(*centre)
    axes = (scale * stance.dx / 2 * FIELD[0] * 16, scale * stance.dy / 2 * FIELD[1] * 16)
    cv2.ellipse(
        plane, (round(x * 16), round(y * 16)), (round(axes[0]), round(axes[1])), 0, 0, 360, 1, -1, shift=4
    )


def _covered(field: FieldMap, slots: Sequence[int], stance: Stance, bar: tuple[int, int] = (0, 0)) -> Mask:
    """Pixels of the canvas that checkers hide or shade closely."""
    plane = np.zeros((CANVAS[1], CANVAS[0]), np.uint8)
    for x, place, bottom, layer, _ in _faces(field, slots):
        for half in range(2 * layer + 1):
            _ellipse(plane, stance.top_face(x, place, bottom, half / 2), stance, 1.12)
    if any(bar):
        (x0, _), (x1, _) = to_canvas(field.bar[0], 0), to_canvas(field.bar[1], 0)
        plane[:, round(x0) : round(x1)] = 1
    return plane > 0


def disc_colours(
    canvas: Plane,
    field: FieldMap,
    slots: Sequence[int],
    stance: Stance,
    scale: float = 0.9,
    places: int = ROW,
) -> list[Plane | None]:
    """Smoothed colour histograms of the light and dark top faces, ``None`` for a side unseen.

    ``scale``: how much of a face's diameter is taken. ``places``: how many places of a row.
    """
    found: list[Plane | None] = []
    for side in (0, 1):
        plane = np.zeros((CANVAS[1], CANVAS[0]), np.uint8)
        for x, place, bottom, layer, owner in _faces(field, slots):
            if owner == side and place < places:
                # Where the upper layers of a stack lie is known less well.
                part = scale if layer == 1 else 0.7 * scale
                _ellipse(plane, stance.top_face(x, place, bottom, layer), stance, part)
        pixels = canvas[plane > 0]
        found.append(_histogram(pixels) if len(pixels) else None)
    return found


def _histogram(pixels: Plane) -> Plane:
    """How often each cell of the colour cube occurs, under somewhat less and more light as well."""
    total = np.zeros(_BINS**3, np.float32)
    for gain, part in ((0.86, 0.15), (0.93, 0.25), (1.0, 0.4), (1.05, 0.2)):
        cells = (np.clip(pixels * gain, 0, 255) / _CUBE).astype(np.int32)
        index = (cells[:, 0] * _BINS + cells[:, 1]) * _BINS + cells[:, 2]
        total += part * np.bincount(index, minlength=_BINS**3).astype(np.float32)
    cube = total.reshape(_BINS, _BINS, _BINS)
    for _ in range(3):  # along one axis after the other
        cube = (_SMOOTH @ cube.reshape(_BINS, -1)).reshape(_BINS, _BINS, _BINS).transpose(1, 2, 0)
    flat = cube.reshape(-1)
    return np.asarray(flat / flat.sum(), np.float32)


#: Each cell's colour as the mean of five neighbours in a row.
_SMOOTH = np.zeros((_BINS, _BINS), np.float32)
for _by, _share in zip(range(-2, 3), (0.06, 0.24, 0.4, 0.24, 0.06), strict=True):
    _SMOOTH += _share * np.eye(_BINS, k=_by, dtype=np.float32)


def _look(
    canvas: Plane,
    field: FieldMap,
    slots: Sequence[int],
    covered: Mask,
    colours: Iterable[Plane | None],
    stance: Stance,
    noise: float,
) -> Appearance:
    """Empty board from the picture, with what is covered borrowed from like points of the row."""
    empty, spread = canvas.copy(), np.full(canvas.shape[:2], noise, np.float32)
    height, width = covered.shape
    pitch = field.point_width * FIELD[0]
    (_, top), (_, end) = to_canvas(0, 0), to_canvas(0, 1)
    (bar_left, _), (bar_right, _) = to_canvas(field.bar[0], 0), to_canvas(field.bar[1], 0)
    for slot in range(12):
        x0 = to_canvas(field.slot_x(slot) - field.point_width / 2, 0)[0]
        x1 = x0 + pitch
        left, right = (
            round(x0) - (slot in (0, 6)) * round(pitch / 6),
            round(x1) + (slot in (5, 11)) * round(pitch / 6),
        )
        left, right = max(left, 0), min(right, width)
        for lo, hi in ((0, height // 2), (height // 2, height)):
            need = covered[lo:hi, left:right]
            if not need.any():
                continue
            total = np.zeros((*need.shape, 3), np.float32)
            square = np.zeros_like(total)
            weight = np.zeros(need.shape, np.float32)
            for other in range(slot % 2, 12, 2):
                shift = round((field.slot_x(other) - field.slot_x(slot)) * FIELD[0])
                a, b = left + shift, right + shift
                if shift == 0 or a < 0 or b > width:
                    continue
                patch, free = canvas[lo:hi, a:b], ~covered[lo:hi, a:b]
                total += patch * free[..., None]
                square += patch**2 * free[..., None]
                weight += free
            known = need & (weight > 0)
            many = np.maximum(weight, 1)[..., None]
            mean = total / many
            deviation = np.sqrt(np.maximum((square / many - mean**2).mean(axis=2), 0))
            area = empty[lo:hi, left:right]
            area[known] = mean[known]
            loose = np.where(weight > 1, deviation, 20.0)
            spread[lo:hi, left:right][known] = np.maximum(loose, 1.5 * noise + 3)[known]
            spread[lo:hi, left:right][need & ~known] = 60.0
    spread[:, round(bar_left) : round(bar_right)][covered[:, round(bar_left) : round(bar_right)]] = 60.0
    rim = np.ones_like(covered)
    (x0, _), (x1, _) = to_canvas(0, 0), to_canvas(1, 1)
    rim[round(top) : round(end), round(x0) : round(x1)] = False
    spread[covered & rim] = np.maximum(spread[covered & rim], 30.0)
    uniform = np.full(_BINS**3, 1 / _BINS**3, np.float32)
    pair = np.stack([uniform if seen is None else seen for seen in colours])
    return Appearance(empty, spread, covered, pair, stance, noise, canvas, tuple(slots))


_UNIT = np.array(
    [(x, y) for x in np.linspace(-1, 1, 15) for y in np.linspace(-1, 1, 15) if x * x + y * y <= 1]
)


def fit_stance(speaks: Plane, field: FieldMap, slots: Sequence[int], prior: Stance) -> Stance:
    """The stance under which the known checkers cover most of what looks like them."""
    faces = _faces(field, slots)
    x = np.array([f[0] for f in faces])
    place = np.array([f[1] for f in faces], float)
    bottom = np.array([f[2] for f in faces])
    layer = np.array([f[3] for f in faces])
    side = np.array([f[4] for f in faces])
    height, width = speaks.shape[1:]
    guess = np.array([prior.dx, prior.dy, prior.gap, prior.step / prior.dy, *prior.lean, prior.zoom, 0.0])
    doubt = np.array([0.08 * prior.dx, 0.1 * prior.dy, 0.006, 0.04, 0.006, 0.006, 0.006, 0.008])

    def score(p: NDArray[np.float64]) -> float:
        dx, dy, gap, loose, lean_x, lean_y, zoom, stagger = p
        inward = gap + dy / 2 + place * dy * loose + (layer - 1) * stagger
        y = np.where(bottom, 1 - inward, inward)
        cx = x + layer * (lean_x + zoom * (x - 0.5))
        cy = y + layer * (lean_y + zoom * (y - 0.5))
        px = ((cx[:, None] + dx / 2 * _UNIT[:, 0] + MARGIN) * FIELD[0]).astype(int)
        py = ((cy[:, None] + dy / 2 * _UNIT[:, 1] + MARGIN) * FIELD[1]).astype(int)
        seen = speaks[side[:, None], np.clip(py, 0, height - 1), np.clip(px, 0, width - 1)]
        # Discs that run over each other would count what they share twice.
        cost = (
            30 * max(0.0, 1 - loose)
            + 100 * max(0.0, dx / field.point_width - 1)
            + 0.05 * float((((p - guess) / doubt) ** 2).sum())
        )
        return float(seen.mean() * dx * dy / (prior.dx * prior.dy) - cost)

    best = guess.copy()
    reach = np.array([0.06 * best[0], 0.06 * best[1], 0.01, 0.03, 0.008, 0.008, 0.008, 0.006])
    value = score(best)
    for _ in range(7):
        moved = False
        for i in range(len(best)):
            for sign in (-1, 1):
                trial = best.copy()
                trial[i] += sign * reach[i]
                gain = score(trial)
                while gain > value + 1e-6:
                    best, value, moved = trial, gain, True
                    trial = best.copy()
                    trial[i] += sign * reach[i]
                    gain = score(trial)
        if not moved:
            reach /= 2
    dx, dy, gap, loose, lean_x, lean_y, zoom, stagger = (float(v) for v in best)
    return Stance(dx, dy, gap, dy * loose, (lean_x, lean_y), zoom, stagger)
