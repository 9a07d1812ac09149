"""Finding the board: where the playing field lies in a picture, and whether the board is set up.

A picture is searched on a copy with a long side of 800 pixels: rough guesses
(:mod:`vision.board_search`), each fitted to the sides of the points (:mod:`vision.board_fit`), the
best kept. On a set-up board the known places of the checkers also help to choose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.layout import Orientation, start_layouts
from engine.position import Game
from hardware.camera import Image
from vision.board_fit import Fit, Gradients, fit_field, neighbours, settle_rows
from vision.board_search import guesses
from vision.geometry import FieldMap

Floats = NDArray[np.float64]
BGR = tuple[float, float, float]

_SIZE = 800
#: A fit below this is no board: pictures of other things reach 0.2, boards seen in part 0.35.
_NO_BOARD = 0.3
#: Score at which a field is right as often as not, and how fast that changes, as seen on photographs
#: of boards in use (40 stills, 20 real ones).
_EVEN, _SPREAD = 0.6, 0.08
_FAINT = 0.6  #: a guess of which the rhythm is weaker than this share of the best is not fitted
_PROMISING = 0.66  #: a first fit from which on no other guesses are sought
#: Share of what is seen of a start's checkers that must have their colours: of the worst stack, and of all.
_LEAST, _SET_UP = 0.6, 0.8


@dataclass(frozen=True, slots=True)
class Start:
    """A set-up board: which game, which way round, and the mean BGR colours of both sides' checkers
    (0-255), White taken to be the lighter one."""

    game: Game
    orientation: Orientation
    light: BGR
    dark: BGR


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board in a picture. ``confidence``: 0-1, that the field lies there within a few pixels."""

    field: FieldMap
    confidence: float
    start: Start | None


def find_board(
    image: Image, *, corners: ArrayLike | None = None, start_only: bool = False
) -> FoundBoard | None:
    """Find the playing field in a BGR picture of shape (height, width, 3); ``None`` if there is none.

    ``corners``: (4, 2) pixels, top-left first, clockwise; where given they are the answer, and only
    the bar and the starting position are looked for. ``start_only``: a board that is not set up for
    a game counts as none.
    """
    height, width = image.shape[:2]
    if min(height, width) < 64:
        return None
    scale = min(1.0, _SIZE / max(height, width))
    small = image
    if scale < 1:
        size = (round(width * scale), round(height * scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    if corners is not None:
        field = FieldMap(np.asarray(corners, np.float64).reshape(4, 2) * scale)
        picture = Gradients.of(small)
        field = _fit_bar(picture, field)
        start, confidence = find_start(small, field), 1.0
        field = FieldMap(np.asarray(corners, np.float64), field.bar)
    else:
        found = _search(small)
        if found is None or found.confidence < 0.5:
            turned = _search(np.ascontiguousarray(np.rot90(small, -1)), pairs=1)
            if turned is not None and (found is None or turned.confidence > found.confidence):
                found = FoundBoard(
                    _turned_back(turned.field, small.shape[0]), turned.confidence, turned.start
                )
        if found is None:
            return None
        field, confidence, start = found.field, found.confidence, found.start
        field = FieldMap(field.corners / scale, field.bar)
    if start_only and start is None:
        return None
    return FoundBoard(field, confidence, start)


def _turned_back(field: FieldMap, height: int) -> FieldMap:
    """A field found in a picture turned clockwise by a quarter, in the picture of ``height`` itself."""
    return FieldMap(np.column_stack([field.corners[:, 1], height - 1 - field.corners[:, 0]]), field.bar)


def _fit_bar(picture: Gradients, field: FieldMap) -> FieldMap:
    """The bar of a field whose corners are known."""
    bars = ((0.5, 0.5), (0.48, 0.52), (0.4635, 0.5365), (0.44, 0.56))
    fits = [fit_field(picture, FieldMap(field.corners, bar), move_corners=False) for bar in bars]
    return FieldMap(field.corners, max(fits, key=lambda fit: fit.score).field.bar)


def _search(image: Image, pairs: int = 4) -> FoundBoard | None:
    """The best field in a picture with a long side of at most 800 pixels."""
    picture = Gradients.of(image)
    rough: list[Fit] = []
    rhythm = 0.0
    for some in guesses(image, pairs=pairs):
        rhythm = max([rhythm, *(g.rhythm for g in some)])
        likely = [g for g in some if g.rhythm > _FAINT * rhythm]
        rough += [fit_field(picture, FieldMap(g.corners, g.bar), rounds=5) for g in likely]
        rough.sort(key=lambda fit: -fit.score)
        if rough and (rough[0].score > _PROMISING or _shows_start(image, picture, rough[0])):
            break
    rough = _distinct(rough)[:3]
    fits = [_refined(picture, fit.field, 0.08) for fit in rough if fit.score > 0.15]
    tried: list[Fit] = []
    best: tuple[float, Fit, Start | None] | None = None
    while fits:
        for fit in _distinct(sorted(fits, key=lambda fit: -fit.score))[:6]:
            start = find_start(image, fit.field)
            score = fit.score + (0.3 if start else 0.0)
            if best is None or score > best[0]:
                best = score, fit, start
        if tried or (best is not None and best[2] is not None):
            break
        tried = sorted(fits, key=lambda fit: -fit.score)[:2]
        fits = [_refined(picture, field, 0.12) for fit in tried for field in neighbours(fit)]
    if best is None:
        return None
    score, fit, start = best
    if score < _NO_BOARD:
        return None
    return FoundBoard(fit.field, float(1 / (1 + np.exp(-(score - _EVEN) / _SPREAD))), start)


def _shows_start(image: Image, picture: Gradients, fit: Fit) -> bool:
    return fit.score > _NO_BOARD and find_start(image, settle_rows(picture, fit.field)) is not None


def _refined(picture: Gradients, field: FieldMap, reach: float) -> Fit:
    fit = fit_field(picture, field, rounds=4, reach=reach)
    return replace(fit, field=settle_rows(picture, fit.field))


def _distinct(fits: list[Fit]) -> list[Fit]:
    kept: list[Fit] = []
    for fit in fits:
        if all(np.abs(fit.field.corners - other.field.corners).max() > 4 for other in kept):
            kept.append(fit)
    return kept


_FIVE = 5  #: checkers that are seen of a head of fifteen, which stands in layers
_RADII = (0.034, 0.038, 0.042, 0.046, 0.05)  #: of a checker, in heights of the field
_PITCH = 12  #: pixels a point on the small canvas on which a start is sought
_AROUND = np.array([(0, 0), (-0.3, 0), (0.3, 0), (0, -0.3), (0, 0.3)])  #: looked at of a place, in points
_WEIGHTS = np.array([0.6, 1, 1])  #: of L, a and b: checkers of a side differ in brightness by their gloss
_DIFFER = 13.0  #: Lab units from which two colours are told apart for sure


@dataclass(frozen=True, eq=False)
class _Places:
    """Colours in CIE Lab of one column of places a slot, for one radius of checkers.

    ``at``: (24, 7, 5, 3), five samples around the middle of each place from the edge inwards, the last
    beyond a row of five and in the middle of the board. ``chinks``: (24, 4, 2, 3), left and right
    between two checkers. ``bgr``: as ``at``.
    """

    at: Floats
    chinks: Floats
    bgr: Floats


def find_start(image: Image, field: FieldMap) -> Start | None:
    """The starting position that stands on a field of a BGR picture, if one does.

    Nothing less than the whole of it counts: each place of a stack shows its side's colour and not
    what lies there on points of the same kind in the same row, the place beyond each stack and the
    first two of every other slot show nothing, and rows of checkers have chinks, which a strip of
    the frame has not.
    """
    size = (13 * _PITCH, 11 * _PITCH)
    flat = np.asarray(cv2.medianBlur(field.rectify(image, *size, margin=0.02), 3), np.uint8)
    lab = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB) * _WEIGHTS
    best: tuple[float, Start] | None = None
    for radius in _RADII:
        places = _look_at(lab, flat, field, radius)
        for game in Game:
            for orientation, layout in start_layouts(game).items():
                quality = _stands(places, layout)
                if quality > 0 and (best is None or quality > best[0]):
                    light, dark = (side[:, :, None] for side in _sides(layout))
                    seen = places.bgr[:, :_FIVE]
                    colours = [_mean(seen[np.broadcast_to(s, seen.shape[:3])]) for s in (light, dark)]
                    best = quality, Start(game, orientation, colours[0], colours[1])
    return None if best is None else best[1]


def _look_at(lab: Floats, flat: Image, field: FieldMap, radius: float) -> _Places:
    columns = np.array([field.slot_x(slot) for slot in range(24)])
    bottom = np.arange(24) >= 12
    depth = np.append((2 * np.arange(_FIVE + 1) + 1) * radius, 0.5)
    wide, high = field.point_width, 2 * radius

    def cells(x: Floats, inward: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        y = np.where(bottom.reshape(-1, *[1] * (inward.ndim - 1)), 1 - inward, inward)
        rows, cols = flat.shape[:2]
        col = np.clip(((x + 0.02) / 1.04 * cols).astype(int), 0, cols - 1)
        row = np.clip(((y + 0.02) / 1.04 * rows).astype(int), 0, rows - 1)
        return row, col

    at = cells(
        columns[:, None, None] + _AROUND[:, 0] * wide + 0 * depth[:, None],
        depth[None, :, None] + _AROUND[:, 1] * high + 0 * columns[:, None, None],
    )
    chinks = cells(
        columns[:, None, None] + np.array([-0.43, 0.43]) * wide + 0 * depth[: _FIVE - 1, None],
        np.broadcast_to((depth[: _FIVE - 1] + radius)[None, :, None], (24, _FIVE - 1, 2)),
    )
    return _Places(lab[at], lab[chinks], np.asarray(flat[at], np.float64))


def _sides(layout: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the places (24, 5) a layout covers with light and with dark checkers."""
    counts = np.clip(np.array(layout), -_FIVE, _FIVE)[:, None]
    order = np.arange(_FIVE)[None]
    return counts > order, -counts > order


def _mean(colours: Floats) -> BGR:
    b, g, r = (float(v) for v in np.median(colours, axis=0))
    return b, g, r


_KIND = (np.arange(24) + np.arange(24) // 12) % 2  #: of two kinds of points, which a slot is


def _stands(places: _Places, layout: tuple[int, ...]) -> float:
    """How clearly a layout stands there, 0-1; 0 if any of it does not."""
    light_at, dark_at = _sides(layout)
    light, dark = (np.median(places.at[:, :_FIVE][at].reshape(-1, 3), axis=0) for at in (light_at, dark_at))
    if light[0] <= dark[0] + 5 or np.linalg.norm(light - dark) < 25:
        return 0.0
    empty = np.array(layout) == 0
    row = np.arange(24) // 12
    ground = np.empty_like(places.at)
    for kind in (0, 1):
        for which in (0, 1):
            alike = (kind == _KIND) & (row == which)
            ground[alike] = np.median(places.at[alike & empty], axis=0)
    own = np.where(np.array(layout)[:, None, None, None] > 0, light, dark)
    other = np.where(np.array(layout)[:, None, None, None] > 0, dark, light)

    def far(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.linalg.norm(a - b, axis=-1), np.float64)

    # where a checker is to be seen at all, on ground that is not of its colour
    telling = far(own, ground) > _DIFFER
    is_own = (far(places.at, own) < far(places.at, ground)) & (far(places.at, own) < far(places.at, other))
    shares = []
    for slot in np.flatnonzero(~empty):
        count = min(_FIVE, abs(layout[slot]))
        told, right = telling[slot, :count], is_own[slot, :count]
        if told.mean() < 0.25:
            return 0.0
        missing = (told.sum(1) >= 3) & ((right & told).sum(1) < 0.4 * told.sum(1))
        if missing[-1] or missing.sum() > count // _FIVE:  # the lean of a stack may hide one place
            return 0.0
        shares.append(float(right[told].mean()))
        # nothing beyond the stack
        beyond = np.s_[slot, count]
        if count < _FIVE and (telling[beyond] & is_own[beyond]).sum() > 3:
            return 0.0
    middle = places.at[:, -1]
    if min(far(np.median(middle.reshape(-1, 3), axis=0), c) for c in (light, dark)) < 8:
        return 0.0
    for slot in np.flatnonzero(empty):
        for place in (0, 1):
            seen = places.at[slot, place]
            stray = far(seen, ground[slot, place])
            for colour in (light, dark):
                tell = far(ground[slot, place], colour) > _DIFFER
                like = (far(seen, colour) < stray) & (stray > 0.5 * _DIFFER)
                if tell.sum() >= 3 and like[tell].mean() > 0.6:
                    return 0.0
    between = (light_at | dark_at)[:, 1:]
    clear = np.minimum(far(own, ground).max(axis=(1, 2)), 40)[:, None, None]
    open_chinks = (far(places.chinks, own) > 0.4 * clear)[between].mean()
    if min(shares) < _LEAST or np.mean(shares) < _SET_UP or open_chinks < 0.3:
        return 0.0
    return float(np.mean(shares))


_TRACK_SIZE = 480
_STANDS = 1.0  #: pixels of the full picture below which nothing has moved


def track_board(previous: FieldMap, reference: Image, image: Image) -> FieldMap | None:
    """Where the field lies now, if it lay at ``previous`` in the picture ``reference``.

    The very map ``previous`` where nothing has moved by more than a pixel, a new one where camera or
    board has moved, ``None`` where too little of the board is seen to tell. Both pictures are BGR
    of one size.
    """
    scale = min(1.0, _TRACK_SIZE / max(image.shape[:2]))
    before, now = (
        cv2.resize(
            cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA
        )
        for p in (reference, image)
    )
    mask = np.zeros(before.shape, np.uint8)
    outline = previous.to_pixels([[-0.04, -0.05], [1.04, -0.05], [1.04, 1.05], [-0.04, 1.05]]) * scale
    cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), 255)
    points = cv2.goodFeaturesToTrack(before, 120, 0.02, 6, mask=mask)
    if points is None or len(points) < 20:
        return None
    moved, there, _ = cv2.calcOpticalFlowPyrLK(before, now, points, None, winSize=(15, 15), maxLevel=3)  # type: ignore[call-overload]
    back, here, _ = cv2.calcOpticalFlowPyrLK(now, before, moved, None, winSize=(15, 15), maxLevel=3)  # type: ignore[call-overload]
    old, new = points.reshape(-1, 2), moved.reshape(-1, 2)
    sure = (there.ravel() == 1) & (here.ravel() == 1)
    sure &= np.linalg.norm(back.reshape(-1, 2) - old, axis=1) < 0.7
    if sure.sum() < 20:
        return None
    matrix, inliers = cv2.findHomography(old[sure], new[sure], cv2.RANSAC, 1.5)
    if matrix is None or inliers.sum() < max(16, 0.3 * len(old)):
        return None
    corners = cv2.perspectiveTransform((previous.corners * scale)[None], matrix)[0] / scale
    if np.abs(corners - previous.corners).max() <= max(_STANDS, 0.6 / scale):
        return previous
    return FieldMap(corners, previous.bar)
