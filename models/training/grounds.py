"""Seeded pieces of tables and boards with no die on them: what dice lie on, and what is taken for them.

Everything is drawn with NumPy and OpenCV at a scale where a die's edge is about 24 pixels.
"""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardware.camera import Image
from models.training.cubes import Colour, Rng

_SHIFT = 4  # binary places of sub-pixel drawing
_SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def draw_table(rng: Rng, side: int = 512) -> Image:
    """A square piece of table at a scale where a die's edge is 24 px, with no die on it.

    Boards with points, checkers, ornaments, hinges and screws, coins, numerals, cloth, and loose groups
    of dots: whatever a network might take for a die.
    """
    ground = _material(rng, side, _earthy(rng))
    if rng.random() < 0.15:  # a sheet of paper, a bright table, a cloth with nothing on it
        b, g, r = np.clip(rng.uniform(150, 250) * (1 + rng.normal(0, 0.06, 3)), 0, 255)
        ground = _material(rng, side, (float(b), float(g), float(r)) if rng.random() < 0.7 else _earthy(rng))
        if rng.random() < 0.5:
            _patch(ground, rng)
        return _lit(ground, rng)
    if rng.random() < 0.7:
        _points(ground, rng)
    for act, chance, most in (
        (_ornament, 0.45, 4),
        (_plank, 0.5, 3),
        (_dots, 0.45, 6),
        (_screws, 0.4, 4),
        (_letters, 0.4, 5),
        (_patch, 0.4, 5),
        (_inlay, 0.3, 6),
        (_mosaic, 0.2, 3),
        (_mesh, 0.15, 2),
        (_checker, 0.85, 16),
        (_coin, 0.3, 4),
        (_hinge, 0.4, 4),
        (_display, 0.25, 2),
        (_ribbon, 0.3, 4),
        (_panel, 0.25, 3),
        (_fancy_checker, 0.5, 4),
        (_logo, 0.2, 2),
        (_keys, 0.3, 2),
        (_latch, 0.3, 3),
        (_cord, 0.2, 3),
    ):
        if rng.random() < chance:
            for _ in range(int(rng.integers(1, most + 1))):
                act(ground, rng)
    if rng.random() < 0.3:
        blend(ground, finger_mask(rng, side), skin(rng), rng)
    return _lit(ground, rng)


def _lit(ground: Image, rng: Rng) -> Image:
    """Unevenly lit, as a table is."""
    shade = cv2.resize(rng.uniform(0.75, 1.15, (3, 3)).astype(np.float32), ground.shape[1::-1])
    out: Image = np.clip(ground * np.asarray(shade)[..., None], 0, 255).astype(np.uint8)
    return out


def _hsv(hue: float, saturation: float, value: float) -> Colour:
    b, g, r = cv2.cvtColor(np.array([[[hue, saturation, value]]]).astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    return float(b), float(g), float(r)


def _earthy(rng: Rng) -> Colour:
    """A colour of boards: wood, felt, leather, grey, now and then white or black."""
    kind = rng.random()
    if kind < 0.4:
        hue, saturation, value = rng.uniform(4, 22), rng.uniform(40, 200), rng.uniform(40, 230)
    elif kind < 0.75:
        hue, saturation, value = rng.uniform(0, 180), rng.uniform(60, 230), rng.uniform(30, 190)
    else:
        hue, saturation, value = rng.uniform(0, 180), rng.uniform(0, 40), rng.uniform(10, 250)
    return _hsv(hue, saturation, value)


def _scaled(points: ArrayLike) -> NDArray[np.int32]:
    return np.rint(np.asarray(points, np.float64) * (1 << _SHIFT)).astype(np.int32)


def _fill(canvas: Image | NDArray[np.uint8], polygon: ArrayLike, colour: ArrayLike) -> None:
    paint = [float(v) for v in np.clip(np.asarray(colour, np.float64), 0, 255)]
    cv2.fillConvexPoly(canvas, _scaled(polygon), paint, cv2.LINE_AA, _SHIFT)


def _disc(canvas: Image, centre: ArrayLike, radius: float, colour: ArrayLike, line: int = -1) -> None:
    x, y = (round(float(v) * (1 << _SHIFT)) for v in np.asarray(centre))
    paint = [float(v) for v in np.clip(np.asarray(colour, np.float64), 0, 255)]
    cv2.circle(canvas, (x, y), max(1, round(radius * (1 << _SHIFT))), paint, line, cv2.LINE_AA, _SHIFT)


def _material(rng: Rng, side: int, colour: Colour) -> Image:
    kind = rng.random()
    base = np.empty((side, side, 3), np.float32)
    base[:] = colour
    if kind < 0.4:  # wood: long fibres, slowly bent
        coarse = cv2.resize(rng.normal(0, 1, (side // 4, 6)).astype(np.float32), (side, side))
        fine = cv2.resize(rng.normal(0, 1, (side, 24)).astype(np.float32), (side, side))
        grain = coarse * rng.uniform(0.03, 0.16) + fine * rng.uniform(0.02, 0.1)
    elif kind < 0.65:  # felt and cloth
        grain = rng.normal(0, rng.uniform(0.01, 0.12), (side, side)).astype(np.float32)
        grain = cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.4, 1.2))
    elif kind < 0.85:  # leather, cork, stone
        cells = int(rng.integers(16, 128))
        grain = cv2.resize(
            rng.normal(0, rng.uniform(0.03, 0.15), (cells, cells)).astype(np.float32), (side, side)
        )
    else:
        grain = np.zeros((side, side), np.float32)
    base *= 1 + grain[..., None]
    if rng.random() < 0.25:  # embossed leather or hammered metal: lit bumps with sparks on their crests
        bumps = cv2.GaussianBlur(
            rng.normal(0, 1, (side, side)).astype(np.float32), (0, 0), rng.uniform(1.2, 3.5)
        )
        slope = (bumps - np.roll(bumps, (1, 1), (0, 1))) / bumps.std()
        base *= 1 + rng.uniform(0.1, 0.5) * slope[..., None]
        base += rng.uniform(50, 400) * np.maximum(0, slope - rng.uniform(0.6, 1.3))[..., None]
    return np.clip(base, 0, 255).astype(np.uint8)


def _points(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    width, length = rng.uniform(34, 66), rng.uniform(150, 300)
    colours = _earthy(rng), _earthy(rng)
    trim = _earthy(rng) if rng.random() < 0.5 else None
    foot = rng.uniform(-20, 60)
    middle = foot + 2 * length + rng.uniform(20, 160)
    for k, x in enumerate(np.arange(rng.uniform(-40, 0), side, width)):
        for base, tip, other in ((foot, foot + length, 0), (middle, middle - length, 1)):
            triangle = np.array([[x + 2, base], [x + width - 2, base], [x + width / 2, tip]])
            _fill(canvas, triangle, colours[(k + other) % 2])
            if trim is not None:
                cv2.polylines(
                    canvas, [_scaled(triangle)], True, trim, int(rng.integers(1, 3)), cv2.LINE_AA, _SHIFT
                )


def _ornament(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    centre, reach = rng.uniform(0, side, 2), rng.uniform(25, 80)
    colour, line = _earthy(rng), int(rng.integers(1, 4))
    petals = int(rng.integers(4, 13))
    if rng.random() < 0.7:
        _disc(canvas, centre, reach, colour, line)
    for k in range(petals):
        angle = 2 * np.pi * k / petals
        away = centre + reach * rng.choice([0.6, 1.0]) * np.array([np.cos(angle), np.sin(angle)])
        if rng.random() < 0.5:
            _disc(canvas, away, reach * 0.28, colour, line)
        if rng.random() < 0.4:
            _disc(canvas, away, rng.uniform(1.5, 5), colour)
        axes = (round(reach * 0.4), max(2, round(reach * 0.12)))
        if rng.random() < 0.4:
            cv2.ellipse(
                canvas, away.astype(int).tolist(), axes, np.degrees(angle), 0, 360, colour, line, cv2.LINE_AA
            )


def _plank(canvas: Image, rng: Rng) -> None:
    """A strip of frame or bar, with bevels."""
    side = canvas.shape[0]
    start, width = int(rng.integers(0, side)), int(rng.integers(16, 60))
    strip = _material(rng, side, _earthy(rng))[:, :width]
    upright = rng.random() < 0.5
    room = min(width, side - start)
    strip = strip[:, :room]
    strip[:, : max(1, width // 12)] = (strip[:, : max(1, width // 12)] * 0.5).astype(np.uint8)
    if upright:
        canvas[:, start : start + room] = strip
    else:
        canvas[start : start + room] = strip.transpose(1, 0, 2)


def _dots(canvas: Image, rng: Rng) -> None:
    """Round spots in rows, rings or loose groups, on the flat ground: pips without a die."""
    side = canvas.shape[0]
    place, gap = rng.uniform(0, side, 2), rng.uniform(5, 22)
    colour, radius = _earthy(rng), rng.uniform(1.2, 4.5)
    layout = rng.integers(3)
    count = int(rng.integers(1, 8))
    for k in range(count):
        if layout == 0:
            spot = place + gap * k * np.array([1.0, 0.3])
        elif layout == 1:
            angle = 2 * np.pi * k / count
            spot = place + gap * np.array([np.cos(angle), np.sin(angle)])
        else:
            spot = place + rng.normal(0, gap, 2)
        _disc(canvas, spot, radius, colour)


def _hinge(canvas: Image, rng: Rng) -> None:
    """Two plates, a knuckle between them and two to four screws in each: steel, brass or black."""
    side = canvas.shape[0]
    metal = np.array(
        rng.choice([[170, 175, 180], [90, 160, 200], [40, 190, 230], [30, 30, 32], [70, 70, 75]])
    )
    metal = metal * rng.uniform(0.6, 1.25)
    wide, high = rng.uniform(12, 30), rng.uniform(14, 40)
    turn = rng.uniform(0, np.pi) if rng.random() < 0.5 else float(rng.integers(2)) * np.pi / 2
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-along[1], along[0]])
    centre = rng.uniform(0, side, 2)
    screws = (
        [(0.0, -0.3), (0.0, 0.3)]
        if rng.random() < 0.5
        else [(-0.28, -0.3), (-0.28, 0.3), (0.28, -0.3), (0.28, 0.3)]
    )
    shine = rng.choice([0.4, 0.6, 1.5])
    shift = rng.uniform(-0.25, 0.25)
    radius = rng.uniform(1.2, 3.2)
    for one in (-1, 1):
        middle = centre + one * along * (wide / 2 + 1)
        corners = np.array(
            [
                middle + along * a * wide / 2 + across * b * high / 2
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
        )
        _fill(canvas, corners + 2, metal * 0.25)
        _fill(canvas, corners, metal * (1 + 0.12 * one))
        cv2.polylines(canvas, [_scaled(corners)], True, (metal * 0.6).tolist(), 1, cv2.LINE_AA, _SHIFT)
        for a, b in screws:
            spot = middle + along * (a + one * shift) * wide + across * b * high
            _disc(canvas, spot, radius, np.minimum(255, metal * shine + (60 if shine > 1 else 0)))
            if rng.random() < 0.3:
                _disc(canvas, spot, radius * 0.5, metal * 0.4)
    knuckle = np.array(
        [centre + along * a * 2.2 + across * b * high / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
    _fill(canvas, knuckle, np.minimum(255, metal * 1.3))
    _fill(canvas, (knuckle + centre + along * 2) / 2, metal * 0.6)


_SEGMENTS = ((0, 0, 1, 0), (1, 0, 1, 1), (1, 1, 1, 2), (0, 2, 1, 2), (0, 1, 0, 2), (0, 0, 0, 1), (0, 1, 1, 1))
_DIGITS = (63, 6, 91, 79, 102, 109, 125, 7, 127, 111)


def _display(canvas: Image, rng: Rng) -> None:
    """A clock: a case, digits of seven segments on it, buttons beside."""
    high = rng.uniform(8, 34)
    wide, count = high * rng.uniform(0.45, 0.65), int(rng.integers(1, 5))
    lcd = rng.random() < 0.6
    back = (
        np.array([rng.uniform(90, 170), rng.uniform(130, 190), rng.uniform(120, 180)])
        if lcd
        else np.array([20, 20, 25])
    )
    ink = back * 0.25 if lcd else np.array(rng.choice([[40, 40, 235], [60, 220, 60], [230, 180, 60]]))
    size = (round(count * wide * 1.35 + high * 0.8), round(high * 1.7))
    case = np.empty((size[1] + 24, size[0] + 60, 3), np.uint8)
    case[:] = _earthy(rng) if rng.random() < 0.5 else (25, 25, 28)
    cv2.rectangle(case, (10, 10), (10 + size[0], 10 + size[1]), back.tolist(), -1)
    line = max(1, round(high * rng.uniform(0.08, 0.16)))
    for k in range(count):
        left, top = 10 + high * 0.4 + k * wide * 1.35, 10 + high * 0.35
        digit = _DIGITS[int(rng.integers(10))]
        for bit, (a, b, c, d) in enumerate(_SEGMENTS):
            if digit >> bit & 1:
                one, two = (left + a * wide, top + b * high / 2), (left + c * wide, top + d * high / 2)
                cv2.line(
                    case, [round(v) for v in one], [round(v) for v in two], ink.tolist(), line, cv2.LINE_AA
                )
    for k in range(int(rng.integers(0, 3))):
        spot = (28 + size[0], 18 + k * 20)
        if rng.random() < 0.5:
            _disc(case, spot, rng.uniform(3, 8), _earthy(rng))
        else:
            cv2.rectangle(case, (spot[0] - 6, spot[1] - 5), (spot[0] + 6, spot[1] + 6), _earthy(rng), -1)
    _paste(canvas, np.ascontiguousarray(np.rot90(case, int(rng.integers(4)))), rng)


def _paste(canvas: Image, piece: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    x, y = (int(v) for v in rng.integers(-20, side - 10, 2))
    room = canvas[max(0, y) : y + piece.shape[0], max(0, x) : x + piece.shape[1]]
    room[:] = piece[max(0, -y) :, max(0, -x) :][: room.shape[0], : room.shape[1]]


def _ribbon(canvas: Image, rng: Rng) -> None:
    """A strip of inlay between two fine lines, laid in a zigzag around points or around a panel."""
    side = canvas.shape[0]
    thick, step = rng.uniform(3, 13), rng.uniform(2.5, 12)
    palette = [
        (225, 230, 235),
        (30, 30, 35),
        _earthy(rng),
        _earthy(rng),
        (150, 150, 60),
        (150, 140, 210),
        (40, 60, 150),
    ]
    few = [palette[int(k)] for k in rng.choice(len(palette), int(rng.integers(2, 6)), replace=False)]
    start = rng.uniform(-40, side, 2)
    if rng.random() < 0.5:
        wide, long = rng.uniform(18, 50), rng.uniform(100, 260)
        knees = [start + np.array([k * wide, long * (k % 2)]) for k in range(int(rng.integers(3, 12)))]
    else:
        turn, reach = rng.uniform(0, 0.3), rng.uniform(30, 300)
        corner = [np.array([np.cos(a), np.sin(a)]) * reach for a in turn + np.arange(5) * np.pi / 2]
        knees = [start + c for c in corner[: int(rng.integers(2, 6))]]
    for a, b in pairwise(knees):
        length = float(np.hypot(*(b - a)))
        along = (b - a) / length
        across = np.array([-along[1], along[0]]) * thick / 2
        rim = np.array([a - across * 1.4, b - across * 1.4, b + across * 1.4, a + across * 1.4])
        _fill(canvas, rim, (220, 228, 232) if few[0][0] < 200 else (40, 45, 50))
        for k in range(int(length / step)):
            p, q = a + along * step * k, a + along * step * (k + rng.uniform(0.6, 1.0))
            _fill(
                canvas,
                np.array([p - across, q - across, q + across, p + across]),
                few[int(rng.integers(len(few)))],
            )


def _panel(canvas: Image, rng: Rng) -> None:
    """A marquetry panel: frames of triangles around a diamond and a star in the middle."""
    side = canvas.shape[0]
    centre, reach = rng.uniform(0, side, 2), rng.uniform(20, 120)
    turn = (
        np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        if (a := rng.uniform(0, 0.2))
        else np.eye(2)
    )
    paint = [_earthy(rng), (215, 228, 235), (28, 30, 35), _earthy(rng)]
    layers = int(rng.integers(3, 7))
    for k in range(layers):
        size = reach * (1 - k / layers)
        spin = np.pi / 4 * (k % 2)
        angles = spin + np.pi / 4 + np.arange(4) * np.pi / 2
        square = np.column_stack([np.cos(angles), np.sin(angles)]) * size * (1.41 if k % 2 == 0 else 1.0)
        _fill(canvas, centre + square @ turn, paint[k % len(paint)])
        teeth = int(rng.integers(4, 14))
        for one, two in zip(square, np.roll(square, -1, 0), strict=True):
            for j in range(teeth):
                p, q = one + (two - one) * j / teeth, one + (two - one) * (j + 1) / teeth
                _fill(
                    canvas,
                    centre + np.array([p, q, (p + q) / 2 * 0.82]) @ turn,
                    paint[(k + 1 + j % 2) % len(paint)],
                )
    _star(
        canvas, centre, reach / layers * rng.uniform(0.6, 1.2), int(rng.choice([4, 6, 8])), paint[1], paint[0]
    )


def _star(
    canvas: Image, centre: ArrayLike, reach: float, tips: int, one: ArrayLike, other: ArrayLike
) -> None:
    for k in range(tips):
        angles = 2 * np.pi * (np.array([k - 0.5, k, k + 0.5]) / tips)
        far = reach * np.array([0.5, 1.0, 0.5])
        ring = np.asarray(centre) + np.column_stack([np.cos(angles) * far, np.sin(angles) * far])
        _fill(canvas, np.vstack([ring[:2], [centre]]), one)
        _fill(canvas, np.vstack([ring[1:], [centre]]), other)


def _fancy_checker(canvas: Image, rng: Rng) -> None:
    """Checkers with a star, a flower of spots, a knob or veins, in a row that touches."""
    side = canvas.shape[0]
    centre, radius = rng.uniform(0, side, 2), rng.uniform(16, 36)
    colour, second = np.array(_earthy(rng)), np.array(_earthy(rng))
    kind = int(rng.integers(5))
    line = np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)]) * radius * rng.uniform(1.95, 2.1)
    for _ in range(int(rng.integers(1, 6))):
        _disc(canvas, centre + rng.uniform(1, 4, 2), radius * 1.02, colour * 0.3)
        _disc(canvas, centre, radius, colour * 0.8)
        _disc(canvas, centre, radius * 0.93, colour)
        if kind == 0:
            _disc(canvas, centre, radius * 0.62, second)
            _star(canvas, centre, radius * 0.55, int(rng.choice([4, 5, 6, 8])), colour * 0.7, colour * 0.5)
        elif kind == 1:
            spots, ring = int(rng.integers(3, 9)), radius * rng.uniform(0.3, 0.7)
            for k in range(spots):
                turn = 2 * np.pi * k / spots
                _disc(
                    canvas,
                    centre + ring * np.array([np.cos(turn), np.sin(turn)]),
                    radius * rng.uniform(0.06, 0.2),
                    second,
                )
        elif kind == 2:
            for share in sorted(rng.uniform(0.1, 0.9, int(rng.integers(1, 5))), reverse=True):
                _disc(
                    canvas,
                    centre,
                    radius * share,
                    colour * rng.uniform(0.5, 1.5),
                    int(rng.choice([-1, 1, 2])),
                )
        elif kind == 3:
            for _ in range(int(rng.integers(3, 12))):  # veins
                walk = centre + np.cumsum(rng.normal(0, radius * 0.22, (7, 2)), 0)
                walk = walk[np.hypot(*(walk - centre).T) < radius * 0.9]
                if len(walk) > 1:
                    cv2.polylines(canvas, [_scaled(walk)], False, second.tolist(), 1, cv2.LINE_AA, _SHIFT)
        else:
            _disc(canvas, centre, radius * 0.75, colour * 0.85)
            _disc(canvas, centre - radius * 0.05, radius * 0.7, colour * 1.08)
        if rng.random() < 0.5:  # a lamp or a window mirrored
            spot = centre + rng.normal(0, radius * 0.4, 2)
            axes = (max(1, round(rng.uniform(1, 9))), max(1, round(rng.uniform(1, 5))))
            cv2.ellipse(
                canvas,
                spot.astype(int).tolist(),
                axes,
                rng.uniform(0, 180),
                0,
                360,
                (250, 250, 250),
                -1,
                cv2.LINE_AA,
            )
        centre = centre + line


def _logo(canvas: Image, rng: Rng) -> None:
    """Print as on boxes: two by two squares, a rounded badge, a word."""
    side = canvas.shape[0]
    x, y = rng.uniform(0, side, 2)
    cell, gap, ink = rng.uniform(5, 26), rng.uniform(0.5, 3), _earthy(rng)
    if rng.random() < 0.6:
        ink = (235.0, 238.0, 240.0)
    ground = np.array(_earthy(rng)) * rng.uniform(0.1, 1)
    if rng.random() < 0.6:
        cv2.rectangle(canvas, (int(x - 60), int(y - 60)), (int(x + 90), int(y + 90)), ground.tolist(), -1)
    missing = int(rng.integers(0, 6))
    for k in range(4):
        if k != missing:
            left, top = x + (k % 2) * (cell + gap), y + (k // 2) * (cell + gap)
            _fill(
                canvas,
                np.array([[left, top], [left + cell, top], [left + cell, top + cell], [left, top + cell]]),
                ink,
            )
    if rng.random() < 0.6:
        cv2.putText(
            canvas,
            "TABLO"[: int(rng.integers(2, 6))],
            (int(x), int(y - 4)),
            cv2.FONT_HERSHEY_SIMPLEX,
            cell / 18,
            ink,
            max(1, round(cell / 8)),
            cv2.LINE_AA,
        )


def _keys(canvas: Image, rng: Rng) -> None:
    """Keys or buttons in rows, most with a letter or a dot."""
    side = canvas.shape[0]
    size, gap = rng.uniform(10, 34), rng.uniform(1, 8)
    start = rng.uniform(-20, side - 20, 2)
    cap, ink = np.array(_earthy(rng)), _earthy(rng)
    if rng.random() < 0.5:
        cap, ink = rng.uniform(10, 45, 3), (225.0, 225.0, 220.0)
    for i in range(int(rng.integers(1, 6))):
        for j in range(int(rng.integers(1, 6))):
            x, y = start + (size + gap) * np.array([j, i])
            box = np.array([[x, y], [x + size, y], [x + size, y + size], [x, y + size]])
            _fill(canvas, box, cap * 0.6)
            _fill(canvas, box * 0.84 + 0.16 * box.mean(0), cap)
            if rng.random() < 0.6:
                text = str(rng.choice(list("QWERTYASDFZXCV1234567890:.o")))
                cv2.putText(
                    canvas,
                    text,
                    (int(x + size * 0.25), int(y + size * 0.75)),
                    cv2.FONT_HERSHEY_SIMPLEX,
                    size / 34,
                    ink,
                    1,
                    cv2.LINE_AA,
                )
            elif rng.random() < 0.4:
                _disc(canvas, (x + size / 2, y + size / 2), size * rng.uniform(0.06, 0.3), ink)


def _screws(canvas: Image, rng: Rng) -> None:
    """A hinge plate or lock with its screws."""
    side = canvas.shape[0]
    x, y = (int(v) for v in rng.integers(0, side, 2))
    w, h = int(rng.integers(14, 50)), int(rng.integers(18, 56))
    metal = np.array(rng.choice([[170, 175, 180], [90, 160, 200], [60, 60, 65]])) * rng.uniform(0.6, 1.2)
    cv2.rectangle(canvas, (x, y), (x + w, y + h), metal.clip(0, 255).tolist(), -1)
    cv2.rectangle(canvas, (x, y), (x + w, y + h), (metal * 0.6).tolist(), 1)
    across, down = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    for i in range(across):
        for j in range(down):
            spot = (x + w * (i + 0.5) / across, y + h * (j + 0.5) / down)
            radius = rng.uniform(2, 5)
            _disc(canvas, spot, radius, metal * rng.choice([0.5, 1.25]))
            if rng.random() < 0.5:
                _disc(canvas, spot, radius * 0.5, metal * 0.4)
    if rng.random() < 0.5:
        cv2.line(canvas, (x + w // 2, y), (x + w // 2, y + h), (metal * 0.5).tolist(), 1, cv2.LINE_AA)


def _latch(canvas: Image, rng: Rng) -> None:
    """A dark lock or handle with bright screws sunk into it."""
    middle = rng.uniform(0, canvas.shape[0], 2)
    turn = float(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.2)
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-along[1], along[0]])
    long, wide = rng.uniform(16, 60), rng.uniform(10, 24)
    paint = rng.uniform(8, 60) * (1 + rng.normal(0, 0.06, 3))
    for shift, tone in ((2.0, 0.4), (0.0, 1.0), (-0.15 * wide, 1.25)):
        corners = [middle + along * a * long / 2 + across * (b * wide / 2 + shift) for a, b in _SQUARE]
        _fill(canvas, corners, paint * tone)
        wide *= 0.8
    screws, radius = int(rng.integers(1, 4)), rng.uniform(1.5, 4)
    gap = rng.uniform(2.6, 5) * radius
    for k in range(screws):
        spot = middle + along * (k - (screws - 1) / 2) * gap + across * rng.normal(0, 0.5)
        _disc(canvas, spot, radius * 1.35, paint * 0.3)
        _disc(canvas, spot, radius, np.full(3, rng.uniform(130, 250)))
        if rng.random() < 0.7:
            _disc(canvas, spot + rng.normal(0, 0.3, 2), radius * 0.45, np.full(3, rng.uniform(20, 160)))


def _cord(canvas: Image, rng: Rng) -> None:
    """A cord with a plug or a thick piece on it, dark or pale and with nothing on it."""
    side = canvas.shape[0]
    paint = rng.uniform(10, 50, 3) if rng.random() < 0.7 else rng.uniform(170, 240, 3)
    middle, turn = rng.uniform(0, side, 2), rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-along[1], along[0]])
    bend = rng.normal(0, 30) * np.linspace(-1, 1, 16)[:, None] ** 2 * across
    way = middle + along * np.linspace(-0.6, 0.6, 16)[:, None] * side + bend
    thin = max(2, int(rng.uniform(3, 12)))
    cv2.polylines(canvas, [_scaled(way)], False, (paint * 0.8).tolist(), thin, cv2.LINE_AA, _SHIFT)
    wide, long = rng.uniform(12, 34), rng.uniform(14, 60)
    for share, tone in ((1.0, 0.7), (0.75, 1.0), (0.3, 1.3)):
        corners = [middle + along * a * long / 2 + across * b * share * wide / 2 for a, b in _SQUARE]
        _fill(canvas, corners, np.minimum(255, paint * tone))


def _letters(canvas: Image, rng: Rng) -> None:
    """A line of print, now and then on a label or a display."""
    side = canvas.shape[0]
    text = "".join(rng.choice(list("0123456789:.ABDEGOQRSXWNTLOaegmopsw8&"), int(rng.integers(1, 9))))
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX]))
    size, thick = rng.uniform(0.3, 1.8), int(rng.integers(1, 6))
    (w, h), _ = cv2.getTextSize(text, font, size, thick)
    label = np.zeros((h + 20, w + 20, 3), np.uint8)
    label[:] = _earthy(rng)
    cv2.putText(label, text, (10, h + 8), font, size, _earthy(rng), thick, cv2.LINE_AA)
    if rng.random() < 0.5:
        label = np.ascontiguousarray(label.transpose(1, 0, 2))
    x, y = (int(v) for v in rng.integers(0, side, 2))
    room = canvas[y : y + label.shape[0], x : x + label.shape[1]]
    part = label[: room.shape[0], : room.shape[1]]
    if rng.random() < 0.4:
        room[:] = part
    else:  # print straight on the ground
        ink = np.abs(part.astype(int) - label[0, 0]).max(axis=2) > 20
        room[ink] = part[ink]


def _inlay(canvas: Image, rng: Rng) -> None:
    """A thin strip of wood or shell in alternating colours, as around the points of eastern boards."""
    side = canvas.shape[0]
    start, heading = rng.uniform(0, side, 2), rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(heading), np.sin(heading)])
    across = np.array([-along[1], along[0]]) * rng.uniform(1.5, 7)
    step = rng.uniform(3, 11)
    colours = [_earthy(rng) for _ in range(int(rng.integers(2, 5)))]
    for k in range(int(rng.integers(8, 60))):
        a, b = start + along * step * k, start + along * step * (k + rng.uniform(0.6, 1.0))
        _fill(canvas, np.array([a - across, b - across, b + across, a + across]), colours[k % len(colours)])


def _mosaic(canvas: Image, rng: Rng) -> None:
    """A panel of squares or an eight-pointed star."""
    side = canvas.shape[0]
    x, y = rng.uniform(0, side, 2)
    colours = [_earthy(rng) for _ in range(int(rng.integers(2, 4)))]
    if rng.random() < 0.5:
        cell, count = rng.uniform(4, 14), int(rng.integers(2, 9))
        for i in range(count):
            for j in range(count):
                corner = np.array([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]) * cell + (x, y)
                _fill(canvas, corner, colours[(i + j) % len(colours)])
        return
    reach = rng.uniform(8, 40)
    for k in range(16):
        angles = np.array([k, k + 1]) * np.pi / 8 + rng.uniform(0, 0.02)
        far = reach * np.array([1.0, 0.5] if k % 2 else [0.5, 1.0])
        tips = np.column_stack([x + np.cos(angles) * far, y + np.sin(angles) * far])
        _fill(canvas, np.vstack([tips, [[x, y]]]), colours[k % len(colours)])


def _mesh(canvas: Image, rng: Rng) -> None:
    """Round holes or studs in a regular grid: cloth, a loudspeaker, a keyboard."""
    side = canvas.shape[0]
    x, y = rng.uniform(0, side, 2)
    gap, radius, colour = rng.uniform(4, 14), rng.uniform(0.2, 0.45), _earthy(rng)
    shear = rng.uniform(-0.5, 0.5)
    for i in range(int(rng.integers(4, 16))):
        for j in range(int(rng.integers(4, 16))):
            _disc(canvas, (x + gap * (i + shear * j), y + gap * j), gap * radius, colour)


def _patch(canvas: Image, rng: Rng) -> None:
    """A plain square thing: a card, a chip, a shadow's edge, the side of something."""
    side = canvas.shape[0]
    size = (float(rng.uniform(12, 70)), float(rng.uniform(12, 70)))
    x, y = rng.uniform(0, side, 2)
    quad = cv2.boxPoints(((float(x), float(y)), size, float(rng.uniform(0, 90))))
    _fill(canvas, quad, _earthy(rng))
    if rng.random() < 0.1:
        _disc(canvas, (float(x), float(y)), rng.uniform(2, 6), _earthy(rng))


def _checker(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    centre, radius = rng.uniform(0, side, 2), rng.uniform(17, 34)
    kind = rng.random()
    colour = np.array(
        _earthy(rng) if kind < 0.5 else (235, 238, 240) if kind < 0.75 else (28, 26, 26), np.float64
    )
    angle, height = rng.uniform(0, 2 * np.pi), rng.uniform(0, 10)
    lean = np.array([np.cos(angle), np.sin(angle)])
    for _ in range(int(rng.integers(1, 4))):
        shadow = centre + lean * (height + 3)
        _disc(canvas, shadow, radius * 1.04, colour * 0.25)
        _disc(canvas, centre + lean * height * 0.6, radius, colour * 0.6)
        _disc(canvas, centre, radius, colour)
        for _ in range(int(rng.integers(0, 5))):
            line = int(rng.integers(1, 4))
            _disc(canvas, centre, radius * rng.uniform(0.1, 0.97), colour * rng.uniform(0.6, 1.4), line)
        if rng.random() < 0.3:
            _disc(canvas, centre, radius * rng.uniform(0.08, 0.5), _earthy(rng))
        if rng.random() < 0.15:
            spots = int(rng.integers(3, 9))
            for k in range(spots):
                turn = 2 * np.pi * k / spots
                ring = radius * 0.6 * np.array([np.cos(turn), np.sin(turn)])
                _disc(canvas, centre + ring, rng.uniform(1.5, 4), colour * rng.choice([0.5, 1.6]))
        if rng.random() < 0.4:  # a spot of gloss
            _disc(canvas, centre + rng.normal(0, radius * 0.3, 2), rng.uniform(1, 7), (250, 250, 250))
        centre = centre + (lean * height if rng.random() < 0.3 else rng.normal(0, radius * 1.2, 2))


def _coin(canvas: Image, rng: Rng) -> None:
    side = canvas.shape[0]
    centre, radius = rng.uniform(0, side, 2), rng.uniform(6, 16)
    metal = np.array(rng.choice([[170, 175, 180], [80, 150, 200], [60, 90, 150]])) * rng.uniform(0.7, 1.2)
    _disc(canvas, centre, radius, metal)
    _disc(canvas, centre, radius * 0.85, metal * 0.8, 1)
    _disc(canvas, centre + rng.normal(0, 1, 2), radius * 0.4, metal * rng.choice([0.7, 1.3]))


def skin(rng: Rng) -> Colour:
    tone = rng.uniform(0.25, 1.1)
    b, g, r = np.clip(np.array([140, 165, 215]) * tone + rng.normal(0, 8, 3), 0, 255)
    return float(b), float(g), float(r)


def finger_mask(rng: Rng, side: int) -> NDArray[np.uint8]:
    mask = np.zeros((side, side), np.uint8)
    root, heading = rng.uniform(0, side, 2), rng.uniform(0, 2 * np.pi)
    away = root + side * np.array([np.cos(heading), np.sin(heading)])
    for k in range(int(rng.integers(1, 5))):
        shift = np.array([-np.sin(heading), np.cos(heading)]) * k * rng.uniform(16, 30) * side / 256
        start, end = (root + shift).astype(int).tolist(), (away + shift).astype(int).tolist()
        cv2.line(mask, start, end, 255, int(side / 256 * rng.uniform(18, 36)), cv2.LINE_AA)
    return mask


def blend(canvas: Image, mask: NDArray[np.uint8], colour: Colour, rng: Rng) -> None:
    """Lay a rounded, softly lit body of one colour over the canvas, in place."""
    round_ = cv2.GaussianBlur(mask, (0, 0), canvas.shape[0] * 0.02).astype(np.float32)[..., None] / 255
    alpha = mask.astype(np.float32)[..., None] / 255
    body = np.array(colour, np.float32) * (0.35 + 0.75 * round_**2)
    canvas[:] = np.clip(canvas * (1 - alpha) + body * alpha, 0, 255).astype(np.uint8)
