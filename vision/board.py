"""Finding the board: where the playing field lies in a picture, and whether the board is set up.

A picture is searched on a copy with a long side of 800 pixels: rough guesses
(:mod:`vision.board_search`), each fitted to the sides of the points (:mod:`vision.board_fit`), the
best kept. On a set-up board the known places of the checkers also help to choose.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.layout import Orientation, start_layouts
from engine.position import Game
from hardware.camera import Image
from vision.board_fit import Fit, Gradients, fit_field, neighbours
from vision.board_search import guesses
from vision.geometry import FieldMap

Floats = NDArray[np.float64]
BGR = tuple[float, float, float]

_SIZE = 800
#: A fit below this is no board; from ``_SURE`` on there is no doubt left.
_NO_BOARD = 0.45
_SURE = 0.85
#: Share of checkers and empty points that must look as the layout says.
_SET_UP = 0.8


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
        start, confidence = find_start(small, picture, field), 1.0
        field = FieldMap(np.asarray(corners, np.float64), field.bar)
    else:
        found = _search(small)
        if found is None or found.confidence < 0.5:
            turned = _search(np.ascontiguousarray(np.rot90(small, -1)))
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


def _search(image: Image) -> FoundBoard | None:
    """The best field in a picture with a long side of at most 800 pixels."""
    picture = Gradients.of(image)
    rough = [fit_field(picture, FieldMap(g.corners, g.bar), rounds=6) for g in guesses(image)]
    rough = _distinct(sorted(rough, key=lambda fit: -fit.score))[:3]
    fits = [fit_field(picture, fit.field, rounds=5, reach=0.08) for fit in rough]
    shifted = [fit_field(picture, field, rounds=4, reach=0.12) for fit in fits for field in neighbours(fit)]
    fits = _distinct(sorted(fits + shifted, key=lambda fit: -fit.score))[:6]
    if not fits or fits[0].score < _NO_BOARD - 0.2:
        return None
    best, best_start, best_score = fits[0], None, -1.0
    for fit in fits:
        start = find_start(image, picture, fit.field)
        score = fit.score + (0.3 if start else 0.0)
        if score > best_score:
            best, best_start, best_score = fit, start, score
    confidence = float(np.clip((best_score - _NO_BOARD) / (_SURE - _NO_BOARD), 0, 1))
    if confidence == 0:
        return None
    return FoundBoard(best.field, confidence, best_start)


def _distinct(fits: list[Fit]) -> list[Fit]:
    kept: list[Fit] = []
    for fit in fits:
        if all(np.abs(fit.field.corners - other.field.corners).max() > 4 for other in kept):
            kept.append(fit)
    return kept


_FIVE = 5  #: checkers that are seen of a head of fifteen, which stands in layers


_COUNTED = (0, 1, 2)  #: places of an empty slot that must look empty


def find_start(image: Image, picture: Gradients, field: FieldMap) -> Start | None:
    """The starting position that stands on a field, if one does.

    ``image``: BGR, at the size of ``picture``. The middles of all checkers of a layout must be of
    two colours that differ from each other and from the empty points, the chinks between two
    checkers must not be of their colour (a strip of the frame has no chinks), nor the middle of the
    board.
    """
    columns = np.array([field.slot_x(slot) for slot in range(24)])
    bottom = np.arange(24) >= 12
    best: tuple[float, Start] | None = None
    for radius in (0.034, 0.038, 0.042, 0.046):
        depth = np.asarray((2 * np.arange(_FIVE) + 1) * radius, np.float64)
        places = _places(columns, bottom, depth)
        lab = _colours(picture.lab, field, places, 0.3)
        chinks = [
            _colours(
                picture.lab,
                field,
                _places(columns + side, bottom, np.asarray(depth[:-1] + radius, np.float64)),
                0.06,
            )
            for side in (-0.43 * field.point_width, 0.43 * field.point_width)
        ]
        middle = _colours(picture.lab, field, _places(columns, bottom, np.array([0.5])), 0.3)
        for game in Game:
            for orientation, layout in start_layouts(game).items():
                score = _fits_layout(lab, np.stack(chinks), middle[:, 0], layout)
                if score >= _SET_UP and (best is None or score > best[0]):
                    bgr = _colours(image, field, places, 0.3)
                    light, dark = _sides(layout)
                    start = Start(game, orientation, _mean(bgr[light]), _mean(bgr[dark]))
                    best = (score, start)
    return None if best is None else best[1]


def _places(columns: Floats, bottom: NDArray[np.bool_], depth: Floats) -> Floats:
    """Board units (24, depths, 2) of places at ``depth`` from the edge of each slot."""
    y = np.where(bottom[:, None], 1 - depth, depth)
    return np.stack([np.broadcast_to(columns[:, None], y.shape), y], axis=-1)


def _sides(layout: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the places (24, 5) a layout covers with light and with dark checkers."""
    counts = np.clip(np.array(layout), -_FIVE, _FIVE)[:, None]
    order = np.arange(_FIVE)[None]
    return counts > order, -counts > order


def _mean(colours: Floats) -> BGR:
    b, g, r = (float(v) for v in np.median(colours, axis=0))
    return b, g, r


def _fits_layout(lab: Floats, chinks: Floats, middle: Floats, layout: tuple[int, ...]) -> float:
    """The lowest of the shares of places that look as the layout says, 0-1.

    Colours: ``lab`` (24, 5, 3) at the places of checkers, ``chinks`` (2, 24, 4, 3) left and right
    between each two, ``middle`` (24, 3) of the middle of the board.
    """
    light_at, dark_at = _sides(layout)
    light, dark = np.median(lab[light_at], axis=0), np.median(lab[dark_at], axis=0)
    if light[0] <= dark[0] or np.linalg.norm(light - dark) < 20:
        return 0.0
    empty = np.array(layout) == 0
    parity = (np.arange(24) + np.arange(24) // 12) % 2
    seen = lab[:, _COUNTED]
    grounds = [np.median(seen[empty & (parity == odd)].reshape(-1, 3), axis=0) for odd in (0, 1)]
    ground = np.stack(grounds)[parity]  # (24, 3): what an empty slot looks like
    open_middle = np.median(middle[empty], axis=0)

    def nearest(of: Floats, free: Floats) -> NDArray[np.intp]:
        """0 light, 1 dark, 2 neither, of (24, n, 3) where ``free`` (24, 3) lies open."""
        rivals = [np.linalg.norm(of - colour, axis=-1) for colour in (light, dark, free[:, None])]
        return np.asarray(np.stack(rivals).argmin(0), np.intp)

    which = nearest(lab, ground)
    checkers = np.concatenate([which[light_at] == 0, which[dark_at] == 1]).mean()
    unlike = min(
        float(np.linalg.norm(own - other))
        for own, of in ((light, light_at), (dark, dark_at))
        for other in [*np.unique(ground[of.any(1)], axis=0), open_middle]
    )
    # dark checkers may look like dark points: what looks like its ground is empty all the same
    looks_empty = np.linalg.norm(seen - ground[:, None], axis=-1) < 14
    looks_empty |= nearest(seen, ground) == 2
    own_colour = np.where(np.array(layout)[:, None, None] > 0, light, dark)
    between = (light_at | dark_at)[:, 1:]
    open_chinks = (np.linalg.norm(chinks - own_colour, axis=-1) > 0.5 * max(unlike, 16.0))[:, between].mean()
    return float(
        min(
            checkers,
            looks_empty[empty].mean(),
            (nearest(middle[:, None], np.tile(open_middle, (24, 1))) == 2).mean() if unlike > 10 else 0.0,
            open_chinks + 0.3,
        )
    )


def _colours(image: NDArray[np.generic], field: FieldMap, places: Floats, size: float) -> Floats:
    """Median colours around places in board units; ``size``: how far around, in widths of a point."""
    spread = np.array([-1, -0.5, 0, 0.5, 1]) * size * field.point_width
    grid = np.stack(np.meshgrid(spread, spread), axis=-1).reshape(-1, 2)
    pixels = field.to_pixels((places[..., None, :] + grid).reshape(-1, 2))
    height, width = image.shape[:2]
    x = np.clip(np.rint(pixels[:, 0]), 0, width - 1).astype(int)
    y = np.clip(np.rint(pixels[:, 1]), 0, height - 1).astype(int)
    return np.asarray(np.median(image[y, x].reshape(*places.shape[:-1], -1, 3), axis=-2), np.float64)


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
