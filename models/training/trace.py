"""What a camera sees of a scene: rays against signed distances, and what light reaches the places they hit.

Every body is a distance function in a frame of its own. A pixel's ray is clipped by the body's box first,
so that boxes without rounding and ellipsoids are hit exactly and all else is sphere traced (J. C. Hart,
"Sphere tracing", The Visual Computer 12, 1996) over a short way. Round cone: I. Quilez, "Distance functions".
Pixels are as OpenCV counts them: whole numbers are the middles of pixels. All kernels are in this one module,
as numba's store on disk notices changes only in the module of the kernel that is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from models.training.world import Array, Body, Buffers, Camera, Shape

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])

NEAR = 0.02  #: field widths before the eye in which nothing is drawn
SMOOTH = 0.4  #: differences of a lamp's light between neighbours that may be interpolated
GLOSSY = 0.4  #: roughness up to which a place mirrors its neighbours
BLEND = 0.012  #: field widths over which the normals of one hand's parts run into each other
CELL = 0.05  #: field widths, of the grid that shadow rays walk through
REACH = 1.2  #: field widths beyond the middle of things that the grid spans at most
WIDE = 0.2  #: half lengths from which a body is tested for every ray instead of lying in the grid
GOLDEN_X, GOLDEN_Y = (
    math.cos(2.399963),
    math.sin(2.399963),
)  #: the golden angle, by which samples spread evenly
LIFT = 6e-4  #: field widths that a secondary ray starts off its surface

BOX, DISC, CONE, BALL, CUP, RING = (int(shape) for shape in Shape)
SIZE, HALF, CENTRE, TURN, RADIUS, HIGHEST, THING = 1, 5, 8, 11, 20, 21, 22  #: columns of ``Packed.table``


def compiled(function: F) -> F:
    """The function compiled by numba, kept on disk, with its type."""
    return cast(F, numba.njit(cache=True, fastmath=True, error_model="numpy")(function))


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Bodies as arrays for the kernels, and a grid over x and y that says which lie where.

    ``table``: float64 (n, 23), a row for a body: shape, size (4), half lengths (3), centre (3), turn (9, by
    rows), the radius around its centre that holds all of it, its highest z, and a number that the parts of
    one smooth thing share, or -1. ``grid``: x0, y0, lowest z, highest z, columns, rows. The bodies of cell
    (i, j) are ``members[start[k]:start[k + 1]]`` with k = j * columns + i, and nothing in it is higher than
    ``top[k]``; those in no cell, as they are wide, follow the last cell's.
    """

    table: Doubles
    grid: Doubles
    start: Ints
    members: Ints
    top: Doubles

    def arrays(self) -> tuple[Doubles, Doubles, Ints, Ints, Doubles]:
        """Everything, in the order in which the kernels take it."""
        return self.table, self.grid, self.start, self.members, self.top


def half_lengths(body: Body) -> tuple[float, float, float]:
    """Half lengths of the box around a body in its own frame."""
    size = body.size
    match body.shape:
        case Shape.BOX | Shape.BALL:
            return size[0], size[1], size[2]
        case Shape.DISC:
            return size[0], size[0], size[1]
        case Shape.CONE:
            thick = max(size[0], size[1])
            return thick, thick, size[2] + thick
        case Shape.CUP:
            wide = max(size[0], size[1])
            return wide, wide, size[2]
        case Shape.RING:
            return size[0] + size[1], size[0] + size[1], size[1]


def pack(bodies: Sequence[Body]) -> Packed:
    """Bodies made ready for the kernels."""
    count = len(bodies)
    size = np.zeros((count, 4))
    for row, body in zip(size, bodies, strict=True):
        row[: len(body.size)] = body.size
    half = np.array([half_lengths(body) for body in bodies], np.float64).reshape(count, 3)
    centre = np.array([body.centre for body in bodies], np.float64).reshape(count, 3)
    turn = np.array([body.turn for body in bodies], np.float64).reshape(count, 3, 3)
    extent = np.einsum("nij,ni->nj", np.abs(turn), half)
    low, high = centre - extent, centre + extent
    is_wide = (extent[:, :2] > WIDE).all(axis=1)
    small = np.flatnonzero(~is_wide)
    if small.size:
        middle = np.median(centre[small], axis=0)
        grid_low = np.maximum(low[small].min(axis=0), middle - REACH)
        grid_high = np.minimum(high[small].max(axis=0), middle + REACH)
    else:
        grid_low, grid_high = np.zeros(3), np.full(3, CELL)
    cells = tuple(max(1, int(np.ceil((grid_high[k] - grid_low[k]) / CELL))) for k in range(2))
    lists: list[list[int]] = [[] for _ in range(cells[0] * cells[1])]
    top = np.full(len(lists), -1e9)
    for k in small:
        first = np.clip(((low[k] - grid_low)[:2] // CELL).astype(int), 0, None)
        last = np.minimum(((high[k] - grid_low)[:2] // CELL).astype(int), np.subtract(cells, 1))
        for j in range(first[1], last[1] + 1):
            for i in range(first[0], last[0] + 1):
                lists[j * cells[0] + i].append(int(k))
                top[j * cells[0] + i] = max(top[j * cells[0] + i], high[k, 2])
    lists.append([int(k) for k in np.flatnonzero(is_wide)])
    shape = np.array([int(body.shape) for body in bodies], np.float64).reshape(count, 1)
    radius = np.linalg.norm(half, axis=1)[:, None]
    # limbs of one owner and stuff are one skin or sleeve
    skins: dict[tuple[int, int], int] = {}
    thing = np.full((count, 1), -1.0)
    for row, body in zip(thing, bodies, strict=True):
        if body.kind == "hand" and body.shape in (Shape.CONE, Shape.BALL):
            row[0] = skins.setdefault((body.owner, id(body.material)), len(skins))
    return Packed(
        table=np.hstack([shape, size, half, centre, turn.reshape(count, 9), radius, high[:, 2:], thing]),
        grid=np.array([*grid_low, grid_high[2], *cells], np.float64),
        start=np.concatenate([[0], np.cumsum([len(members) for members in lists])]).astype(np.int64),
        members=np.array([k for members in lists for k in members], np.int64),
        top=top,
    )


def scaled(camera: Camera, factor: float) -> Camera:
    """The same view on ``factor`` times as many pixels along each side."""
    middle = tuple((value + 0.5) * factor - 0.5 for value in camera.middle)
    size = tuple(max(1, round(value * factor)) for value in camera.size)
    return Camera(
        camera.eye,
        camera.turn,
        camera.focal * factor,
        (middle[0], middle[1]),
        (size[0], size[1]),
        camera.bend,
    )


def screen_boxes(packed: Packed, camera: Camera) -> Ints:
    """Pixels that each body may cover, int64 (n, 4): left, top, right, bottom, the last two not included."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], np.float64)
    half, centre = packed.table[:, None, HALF:CENTRE], packed.table[:, None, CENTRE:TURN]
    corners = centre + np.einsum("nck,nkj->ncj", signs * half, packed.table[:, TURN:RADIUS].reshape(-1, 3, 3))
    seen = (corners - camera.eye) @ np.asarray(camera.turn, np.float64).T
    z = seen[..., 2]
    xy = camera.focal * seen[..., :2] / np.maximum(z, NEAR)[..., None] + camera.middle
    limit = np.array(camera.size, np.float64)
    low = np.clip(np.floor(xy.min(axis=1)), 0, limit)
    high = np.clip(np.ceil(xy.max(axis=1)) + 1, 0, limit)
    crossing = (z.min(axis=1) < NEAR)[:, None]
    low = np.where(crossing, 0, low)
    high = np.where(crossing, limit, high)
    high = np.where((z.max(axis=1) < NEAR)[:, None], low, high)
    return np.concatenate([low, high], axis=1).astype(np.int64)


def trace(bodies: Sequence[Body] | Packed, camera: Camera) -> Buffers:
    """What is seen at each pixel of a pinhole camera (its bend is left to the lens)."""
    packed = bodies if isinstance(bodies, Packed) else pack(bodies)
    width, height = camera.size
    body = np.full((height, width), -1, np.int32)
    depth = np.full((height, width), 1e9, np.float32)
    local, normal, place = (np.zeros((height, width, 3), np.float32) for _ in range(3))
    # small things first: what is behind them is then dropped early
    order = np.argsort(packed.table[:, HALF:CENTRE].max(axis=1), kind="stable")
    eye, view = np.asarray(camera.eye, np.float64), np.asarray(camera.turn, np.float64)
    lens = (float(camera.focal), float(camera.middle[0]), float(camera.middle[1]))
    boxes = screen_boxes(packed, camera)
    _trace(*packed.arrays(), order, boxes, eye, view, *lens, body, depth, local, normal, place)
    return Buffers(body, depth, local, normal, place)


@compiled
def _distance(shape: int, a: float, b: float, c: float, d: float, x: float, y: float, z: float) -> float:
    """Signed distance from (x, y, z) in a body's own frame to its surface."""
    if shape == BOX:
        qx, qy, qz = abs(x) - (a - d), abs(y) - (b - d), abs(z) - (c - d)
        out = math.sqrt(max(qx, 0.0) ** 2 + max(qy, 0.0) ** 2 + max(qz, 0.0) ** 2)
        return out + min(max(qx, max(qy, qz)), 0.0) - d
    rho = math.sqrt(x * x + y * y)
    if shape == DISC:
        qx, qz = rho - (a - c), abs(z) - (b - c)
        if d > 0.0:
            inside = 1.0 - (rho / (0.82 * a)) ** 2
            if inside > 0.0:
                qz += d * inside
        out = math.sqrt(max(qx, 0.0) ** 2 + max(qz, 0.0) ** 2)
        return out + min(max(qx, qz), 0.0) - c
    if shape == CONE:
        length = 2.0 * c
        slope = (a - b) / length
        up = z + c
        if abs(slope) >= 1.0:  # one ball swallows the other
            if a > b:
                return math.sqrt(rho * rho + up * up) - a
            return math.sqrt(rho * rho + (up - length) ** 2) - b
        side = math.sqrt(1.0 - slope * slope)
        k = -slope * rho + side * up
        if k < 0.0:
            return math.sqrt(rho * rho + up * up) - a
        if k > side * length:
            return math.sqrt(rho * rho + (up - length) ** 2) - b
        return rho * side + up * slope - a
    if shape == BALL:
        k0 = math.sqrt((x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2)
        k1 = math.sqrt((x / (a * a)) ** 2 + (y / (b * b)) ** 2 + (z / (c * c)) ** 2)
        return k0 * (k0 - 1.0) / max(k1, 1e-9)
    if shape == CUP:
        r = 0.5 * d
        # the wall is a thick line from foot to lip, the floor another one
        fx, fz = a - r, -c + r
        wx, wz = b - a, 2.0 * (c - r)
        px, pz = rho - fx, z - fz
        t = min(1.0, max(0.0, (px * wx + pz * wz) / (wx * wx + wz * wz)))
        wall = math.sqrt((px - t * wx) ** 2 + (pz - t * wz) ** 2)
        floor = math.sqrt(max(rho - fx, 0.0) ** 2 + (z - fz) ** 2)
        return min(wall, floor) - r
    return math.sqrt((rho - a) ** 2 + z * z) - b


@compiled
def _hit(
    table: Doubles,
    n: int,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    low: float,
    high: float,
) -> float:
    """How far along a ray of unit direction, in body n's frame, it is hit between low and high; else -1."""
    kind = int(table[n, 0])
    a, b, c, e = table[n, SIZE], table[n, SIZE + 1], table[n, SIZE + 2], table[n, SIZE + 3]
    near, far = low, high
    for axis in range(3):
        if axis == 0:
            o, d = ox, dx
        elif axis == 1:
            o, d = oy, dy
        else:
            o, d = oz, dz
        if abs(d) < 1e-9:
            if abs(o) > table[n, HALF + axis]:
                return -1.0
            continue
        inverse = 1.0 / d
        t0, t1 = (-table[n, HALF + axis] - o) * inverse, (table[n, HALF + axis] - o) * inverse
        if t0 > t1:
            t0, t1 = t1, t0
        near, far = max(near, t0), min(far, t1)
        if near > far:
            return -1.0
    if kind == BOX and e < 1e-5:
        return near if near > low else -1.0
    if kind == BALL:
        ax, ay, az = 1.0 / a, 1.0 / b, 1.0 / c
        ex, ey, ez = dx * ax, dy * ay, dz * az
        px, py, pz = ox * ax, oy * ay, oz * az
        aa = ex * ex + ey * ey + ez * ez
        bb = ex * px + ey * py + ez * pz
        inside = bb * bb - aa * (px * px + py * py + pz * pz - 1.0)
        if inside < 0.0:
            return -1.0
        t = (-bb - math.sqrt(inside)) / aa
        return t if low < t < high else -1.0
    stride = 0.85 if kind == DISC and e > 0.0 else 1.0
    t = near
    away = 1.0
    for _ in range(72):
        away = _distance(kind, a, b, c, e, ox + dx * t, oy + dy * t, oz + dz * t)
        if away < 1e-5:
            return t
        t += away * stride
        if t > far:
            return -1.0
    return t if away < 2e-4 else -1.0


@compiled
def _local_normal(table: Doubles, n: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Unit normal in the body's own frame at a place on its surface."""
    shape = int(table[n, 0])
    a, b, c, d = table[n, SIZE], table[n, SIZE + 1], table[n, SIZE + 2], table[n, SIZE + 3]
    if shape == BOX and d < 1e-5:
        rx, ry, rz = a - abs(x), b - abs(y), c - abs(z)
        if rz <= rx and rz <= ry:
            return 0.0, 0.0, np.sign(z)
        if rx <= ry:
            return np.sign(x), 0.0, 0.0
        return 0.0, np.sign(y), 0.0
    if shape == BALL:
        nx, ny, nz = x / (a * a), y / (b * b), z / (c * c)
    else:
        e = 1e-4
        nx = _distance(shape, a, b, c, d, x + e, y, z) - _distance(shape, a, b, c, d, x - e, y, z)
        ny = _distance(shape, a, b, c, d, x, y + e, z) - _distance(shape, a, b, c, d, x, y - e, z)
        nz = _distance(shape, a, b, c, d, x, y, z + e) - _distance(shape, a, b, c, d, x, y, z - e)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length < 1e-12:
        return 0.0, 0.0, 1.0
    return nx / length, ny / length, nz / length


@compiled
def _world(table: Doubles, n: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A direction in body n's frame, in the world."""
    return (
        table[n, TURN] * x + table[n, TURN + 3] * y + table[n, TURN + 6] * z,
        table[n, TURN + 1] * x + table[n, TURN + 4] * y + table[n, TURN + 7] * z,
        table[n, TURN + 2] * x + table[n, TURN + 5] * y + table[n, TURN + 8] * z,
    )


@compiled
def _blended_normal(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    n: int,
    px: float,
    py: float,
    pz: float,
    nx: float,
    ny: float,
    nz: float,
) -> tuple[float, float, float]:
    """The normal (nx, ny, nz) of body n mixed with those of the parts of the same thing close by."""
    columns, rows = int(grid[4]), int(grid[5])
    i = min(columns - 1, max(0, int((px - grid[0]) / CELL)))
    j = min(rows - 1, max(0, int((py - grid[1]) / CELL)))
    for k in (j * columns + i, columns * rows):
        for q in range(start[k], start[k + 1]):
            m = members[q]
            if m == n or table[m, THING] != table[n, THING]:
                continue
            x, y, z = px - table[m, CENTRE], py - table[m, CENTRE + 1], pz - table[m, CENTRE + 2]
            lx = table[m, TURN] * x + table[m, TURN + 1] * y + table[m, TURN + 2] * z
            ly = table[m, TURN + 3] * x + table[m, TURN + 4] * y + table[m, TURN + 5] * z
            lz = table[m, TURN + 6] * x + table[m, TURN + 7] * y + table[m, TURN + 8] * z
            shape = int(table[m, 0])
            a, b, c, d = table[m, SIZE], table[m, SIZE + 1], table[m, SIZE + 2], table[m, SIZE + 3]
            away = abs(_distance(shape, a, b, c, d, lx, ly, lz))
            if away < BLEND:
                w = (1.0 - away / BLEND) ** 2
                lx, ly, lz = _local_normal(table, m, lx, ly, lz)
                lx, ly, lz = _world(table, m, lx, ly, lz)
                nx, ny, nz = nx + w * lx, ny + w * ly, nz + w * lz
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    return nx / length, ny / length, nz / length


@compiled
def _trace(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    order: Ints,
    boxes: Ints,
    eye: Doubles,
    view: Doubles,
    focal: float,
    mx: float,
    my: float,
    body: NDArray[np.int32],
    depth: Array,
    local: Array,
    normal: Array,
    place: Array,
) -> None:
    height, width = body.shape
    for n in order:
        left, above, right, below = boxes[n, 0], boxes[n, 1], boxes[n, 2], boxes[n, 3]
        if left >= right or above >= below:
            continue
        m = np.zeros((3, 3))
        o = np.zeros(3)
        for i in range(3):
            for k in range(3):
                o[i] += table[n, TURN + 3 * i + k] * (eye[k] - table[n, CENTRE + k])
                for j in range(3):
                    m[i, j] += table[n, TURN + 3 * i + k] * view[j, k]
        for v in range(above, below):
            cy = (v - my) / focal
            for u in range(left, right):
                cx = (u - mx) / focal
                s = 1.0 / math.sqrt(cx * cx + cy * cy + 1.0)
                dx = (m[0, 0] * cx + m[0, 1] * cy + m[0, 2]) * s
                dy = (m[1, 0] * cx + m[1, 1] * cy + m[1, 2]) * s
                dz = (m[2, 0] * cx + m[2, 1] * cy + m[2, 2]) * s
                t = _hit(table, n, o[0], o[1], o[2], dx, dy, dz, NEAR, float(depth[v, u]))
                if t > 0.0:
                    depth[v, u] = t
                    body[v, u] = n
    for v in range(height):
        cy = (v - my) / focal
        for u in range(width):
            n = body[v, u]
            if n < 0:
                continue
            cx = (u - mx) / focal
            s = depth[v, u] / math.sqrt(cx * cx + cy * cy + 1.0)
            x = eye[0] + s * (view[0, 0] * cx + view[1, 0] * cy + view[2, 0])
            y = eye[1] + s * (view[0, 1] * cx + view[1, 1] * cy + view[2, 1])
            z = eye[2] + s * (view[0, 2] * cx + view[1, 2] * cy + view[2, 2])
            place[v, u, 0], place[v, u, 1], place[v, u, 2] = x, y, z
            x, y, z = x - table[n, CENTRE + 0], y - table[n, CENTRE + 1], z - table[n, CENTRE + 2]
            lx = table[n, TURN + 0] * x + table[n, TURN + 1] * y + table[n, TURN + 2] * z
            ly = table[n, TURN + 3] * x + table[n, TURN + 4] * y + table[n, TURN + 5] * z
            lz = table[n, TURN + 6] * x + table[n, TURN + 7] * y + table[n, TURN + 8] * z
            local[v, u, 0], local[v, u, 1], local[v, u, 2] = lx, ly, lz
            nx, ny, nz = _local_normal(table, n, lx, ly, lz)
            nx, ny, nz = _world(table, n, nx, ny, nz)
            if table[n, THING] >= 0.0:
                px, py, pz = place[v, u, 0], place[v, u, 1], place[v, u, 2]
                nx, ny, nz = _blended_normal(table, grid, start, members, n, px, py, pz, nx, ny, nz)
            normal[v, u, 0], normal[v, u, 1], normal[v, u, 2] = nx, ny, nz


@compiled
def _leaves(table: Doubles, n: int) -> int:
    """The body that rays from the surface of n cannot meet: itself, if it is convex, or -1."""
    shape = int(table[n, 0])
    convex = shape in (BOX, CONE, BALL) or (shape == DISC and table[n, SIZE + 3] <= 0.0)
    return n if convex else -1


@compiled
def _meet(
    table: Doubles, n: int, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, high: float
) -> float:
    """Where a ray of unit direction hits body n before ``high``; else -1."""
    if dz >= 0.0 and oz > table[n, HIGHEST]:
        return -1.0
    x, y, z = ox - table[n, CENTRE], oy - table[n, CENTRE + 1], oz - table[n, CENTRE + 2]
    along = x * dx + y * dy + z * dz
    radius = table[n, RADIUS]
    if x * x + y * y + z * z - along * along > radius * radius or along > radius:
        return -1.0
    lx = table[n, TURN] * x + table[n, TURN + 1] * y + table[n, TURN + 2] * z
    ly = table[n, TURN + 3] * x + table[n, TURN + 4] * y + table[n, TURN + 5] * z
    lz = table[n, TURN + 6] * x + table[n, TURN + 7] * y + table[n, TURN + 8] * z
    ex = table[n, TURN] * dx + table[n, TURN + 1] * dy + table[n, TURN + 2] * dz
    ey = table[n, TURN + 3] * dx + table[n, TURN + 4] * dy + table[n, TURN + 5] * dz
    ez = table[n, TURN + 6] * dx + table[n, TURN + 7] * dy + table[n, TURN + 8] * dz
    return _hit(table, n, lx, ly, lz, ex, ey, ez, 0.0, high)


@compiled
def first_hit(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    high: float,
    skip: int,
    any_hit: bool,
) -> tuple[int, float]:
    """Which body a ray of unit direction meets before ``high``, and where; (-1, high) for none.

    The first five are ``Packed.arrays()``. ``skip``: a body not looked at (the convex one that the ray
    leaves), or -1. ``any_hit``: the first one found will do, which need not be the nearest.
    """
    columns, rows = int(grid[4]), int(grid[5])
    found, best = -1, high
    x1, y1 = grid[0] + columns * CELL, grid[1] + rows * CELL
    near, far = 0.0, high
    inside = True
    for axis in range(3):
        if axis == 0:
            o, d, a, b = ox, dx, grid[0], x1
        elif axis == 1:
            o, d, a, b = oy, dy, grid[1], y1
        else:
            o, d, a, b = oz, dz, grid[2], grid[3]
        if abs(d) < 1e-9:
            if o < a or o > b:
                inside = False
            continue
        t0, t1 = (a - o) / d, (b - o) / d
        if t0 > t1:
            t0, t1 = t1, t0
        near, far = max(near, t0), min(far, t1)
    if inside and near < far:
        i = min(columns - 1, max(0, int((ox + dx * near - grid[0]) / CELL)))
        j = min(rows - 1, max(0, int((oy + dy * near - grid[1]) / CELL)))
        si, sj = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
        ti, tj, di, dj = 1e9, 1e9, 1e9, 1e9
        if abs(dx) > 1e-9:
            ti = (grid[0] + (i + (1 if dx > 0 else 0)) * CELL - ox) / dx
            di = CELL / abs(dx)
        if abs(dy) > 1e-9:
            tj = (grid[1] + (j + (1 if dy > 0 else 0)) * CELL - oy) / dy
            dj = CELL / abs(dy)
        t = near
        last = -1
        while t < far and t < best:
            leave = min(ti, tj)
            k = j * columns + i
            if start[k + 1] > start[k] and min(oz + dz * t, oz + dz * min(leave, far)) <= top[k]:
                for q in range(start[k], start[k + 1]):
                    n = members[q]
                    if n in (skip, last):
                        continue
                    hit = _meet(table, n, ox, oy, oz, dx, dy, dz, best)
                    if hit > 0.0:
                        if any_hit:
                            return n, hit
                        found, best = n, hit
                if start[k + 1] == start[k] + 1:
                    last = members[start[k]]
            t = leave
            if ti < tj:
                ti += di
                i += si
                if i < 0 or i >= columns:
                    break
            else:
                tj += dj
                j += sj
                if j < 0 or j >= rows:
                    break
    for q in range(start[columns * rows], start[columns * rows + 1]):
        n = members[q]
        if n != skip:
            hit = _meet(table, n, ox, oy, oz, dx, dy, dz, best)
            if hit > 0.0:
                found, best = n, hit
                if any_hit:
                    break
    return found, best


@compiled
def _noise(u: int, v: int, phase: float) -> float:
    """Interleaved gradient noise, 0-1 (J. Jimenez, SIGGRAPH 2014 course on real-time rendering)."""
    return (52.9829189 * ((0.06711056 * u + 0.00583715 * v + phase) % 1.0)) % 1.0


@compiled
def _basis(x: float, y: float, z: float) -> tuple[float, float, float, float, float, float]:
    """Two unit vectors at right angles to a unit vector and to each other."""
    if abs(z) < 0.9:
        s = 1.0 / math.sqrt(x * x + y * y)
        ax, ay, az = -y * s, x * s, 0.0
    else:
        s = 1.0 / math.sqrt(y * y + z * z)
        ax, ay, az = 0.0, z * s, -y * s
    return ax, ay, az, y * az - z * ay, z * ax - x * az, x * ay - y * ax


@compiled
def _share_of_lamp(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    n: int,
    place: Array,
    normal: Array,
    lamp: Doubles,
    radius: float,
    rays: int,
    turn: float,
) -> float:
    """How much of a lamp a place sees, 0-1, by ``rays`` rays over its disc."""
    ox, oy, oz = place[0] + LIFT * normal[0], place[1] + LIFT * normal[1], place[2] + LIFT * normal[2]
    lx, ly, lz = lamp[0] - ox, lamp[1] - oy, lamp[2] - oz
    away = math.sqrt(lx * lx + ly * ly + lz * lz)
    ax, ay, az, bx, by, bz = _basis(lx / away, ly / away, lz / away)
    skip = _leaves(table, n)
    cosine, sine = math.cos(6.283185 * turn), math.sin(6.283185 * turn)
    seen = 0
    for k in range(rays):
        r = radius * math.sqrt((k + 0.5) / rays)
        c, s = r * cosine, r * sine
        cosine, sine = cosine * GOLDEN_X - sine * GOLDEN_Y, sine * GOLDEN_X + cosine * GOLDEN_Y
        dx, dy, dz = lx + c * ax + s * bx, ly + c * ay + s * by, lz + c * az + s * bz
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        body, _ = first_hit(
            table,
            grid,
            start,
            members,
            top,
            ox,
            oy,
            oz,
            dx / length,
            dy / length,
            dz / length,
            length,
            skip,
            True,
        )
        if body < 0:
            seen += 1
    return seen / rays


@compiled
def _lamp_light(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    body: NDArray[np.int32],
    normal: Array,
    place: Array,
    lamp: Doubles,
    radius: float,
    step: int,
    rays: int,
    phase: float,
    out: Array,
) -> None:
    height, width = body.shape
    rows, columns = (height - 1) // step + 2, (width - 1) // step + 2
    coarse = np.full((rows, columns), -1.0)
    for j in range(rows):
        v = min(height - 1, j * step)
        for i in range(columns):
            u = min(width - 1, i * step)
            n = body[v, u]
            if n < 0:
                continue
            facing = 0.0
            for k in range(3):
                facing += normal[v, u, k] * (lamp[k] - place[v, u, k])
            if facing > 0.0:
                coarse[j, i] = _share_of_lamp(
                    table,
                    grid,
                    start,
                    members,
                    top,
                    n,
                    place[v, u],
                    normal[v, u],
                    lamp,
                    radius,
                    rays,
                    _noise(u, v, phase),
                )
    for v in range(height):
        j = v // step
        for u in range(width):
            n = body[v, u]
            if n < 0:
                out[v, u] = 1.0
                continue
            facing = 0.0
            for k in range(3):
                facing += normal[v, u, k] * (lamp[k] - place[v, u, k])
            if facing <= 0.0:
                out[v, u] = 0.0
                continue
            i = u // step
            c00, c01, c10, c11 = coarse[j, i], coarse[j, i + 1], coarse[j + 1, i], coarse[j + 1, i + 1]
            least, most = min(min(c00, c01), min(c10, c11)), max(max(c00, c01), max(c10, c11))
            v0, u0, v1, u1 = (
                j * step,
                i * step,
                min(height - 1, (j + 1) * step),
                min(width - 1, (i + 1) * step),
            )
            b00, b01, b10, b11 = body[v0, u0] == n, body[v0, u1] == n, body[v1, u0] == n, body[v1, u1] == n
            plain = least == most and least >= 0.0 and (b00 or b01 or b10 or b11)
            smooth = least >= 0.0 and most - least < SMOOTH and b00 and b01 and b10 and b11
            if plain or smooth:
                x, y = (u - u0) / step, (v - v0) / step
                out[v, u] = (1.0 - y) * ((1.0 - x) * c00 + x * c01) + y * ((1.0 - x) * c10 + x * c11)
            else:
                out[v, u] = _share_of_lamp(
                    table,
                    grid,
                    start,
                    members,
                    top,
                    n,
                    place[v, u],
                    normal[v, u],
                    lamp,
                    radius,
                    rays,
                    _noise(u, v, phase),
                )


@compiled
def _sky(sky: Doubles, z: float, k: int) -> float:
    """Radiance of the sky in colour k for a direction's z: rows of ``sky`` are above, around, below."""
    t = math.sqrt(z) if z > 0.0 else min(1.0, -3.0 * z)
    end = sky[0, k] if z > 0.0 else sky[2, k]
    return float((1.0 - t) * sky[1, k] + t * end)


@compiled
def _gather(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    n: int,
    place: Array,
    normal: Array,
    sky: Doubles,
    bounce: Doubles,
    reach: float,
    rays: int,
    turn: float,
) -> tuple[float, float, float, float]:
    """Light from all around on a place: red, green, blue, and the share of the sky that is open to it."""
    nx, ny, nz = float(normal[0]), float(normal[1]), float(normal[2])
    ox, oy, oz = place[0] + LIFT * nx, place[1] + LIFT * ny, place[2] + LIFT * nz
    ax, ay, az, bx, by, bz = _basis(nx, ny, nz)
    skip = _leaves(table, n)
    cosine, sine = math.cos(6.283185 * turn), math.sin(6.283185 * turn)
    red, green, blue, clear = 0.0, 0.0, 0.0, 0
    for k in range(rays):
        rr = (k + 0.5) / rays
        r, up = math.sqrt(rr), math.sqrt(1.0 - rr)
        c, s = r * cosine, r * sine
        cosine, sine = cosine * GOLDEN_X - sine * GOLDEN_Y, sine * GOLDEN_X + cosine * GOLDEN_Y
        dx, dy, dz = c * ax + s * bx + up * nx, c * ay + s * by + up * ny, c * az + s * bz + up * nz
        body, away = first_hit(table, grid, start, members, top, ox, oy, oz, dx, dy, dz, reach, skip, False)
        if body < 0:
            clear += 1
            red += _sky(sky, dz, 0)
            green += _sky(sky, dz, 1)
            blue += _sky(sky, dz, 2)
        else:
            # what is close by lies in the same shade
            t = 0.25 + 0.75 * min(1.0, away / 0.08)
            red += t * bounce[body, 0]
            green += t * bounce[body, 1]
            blue += t * bounce[body, 2]
    return red / rays, green / rays, blue / rays, clear / rays


@compiled
def _sky_light(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    body: NDArray[np.int32],
    normal: Array,
    place: Array,
    sky: Doubles,
    bounce: Doubles,
    reach: float,
    step: int,
    rays: int,
    phase: float,
    out: Array,
) -> None:
    height, width = body.shape
    rows, columns = (height - 1) // step + 2, (width - 1) // step + 2
    # light (4), normal, place; the normal of nothing is 0 and agrees with none
    coarse = np.zeros((rows, columns, 10), np.float32)
    for j in range(rows):
        v = min(height - 1, j * step)
        for i in range(columns):
            u = min(width - 1, i * step)
            n = body[v, u]
            if n >= 0:
                r, g, b, clear = _gather(
                    table,
                    grid,
                    start,
                    members,
                    top,
                    n,
                    place[v, u],
                    normal[v, u],
                    sky,
                    bounce,
                    reach,
                    rays,
                    _noise(i, j, phase),
                )
                coarse[j, i, 0], coarse[j, i, 1], coarse[j, i, 2], coarse[j, i, 3] = r, g, b, clear
                for k in range(3):
                    coarse[j, i, 4 + k], coarse[j, i, 7 + k] = normal[v, u, k], place[v, u, k]
    narrow = 1.0 / (1.5 * step)
    for v in range(height):
        j0, j1 = max(0, int(v / step - 0.5)), min(rows, int(v / step + 1.5) + 1)
        for u in range(width):
            n = body[v, u]
            if n < 0:
                out[v, u, 3] = 1.0
                continue
            px, py, pz = place[v, u, 0], place[v, u, 1], place[v, u, 2]
            nx, ny, nz = normal[v, u, 0], normal[v, u, 1], normal[v, u, 2]
            total, r, g, b, clear = 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(j0, j1):
                across = 1.0 - abs(v - j * step) * narrow
                for i in range(max(0, int(u / step - 0.5)), min(columns, int(u / step + 1.5) + 1)):
                    w = across * (1.0 - abs(u - i * step) * narrow)
                    same = nx * coarse[j, i, 4] + ny * coarse[j, i, 5] + nz * coarse[j, i, 6]
                    if same < 0.9 or w <= 0.0:
                        continue
                    off = (
                        nx * (coarse[j, i, 7] - px)
                        + ny * (coarse[j, i, 8] - py)
                        + nz * (coarse[j, i, 9] - pz)
                    )
                    if abs(off) > 0.004:
                        continue
                    w *= 10.0 * (same - 0.9) + 0.01
                    total += w
                    r += w * coarse[j, i, 0]
                    g += w * coarse[j, i, 1]
                    b += w * coarse[j, i, 2]
                    clear += w * coarse[j, i, 3]
            if total > 0.05:
                r, g, b, clear = r / total, g / total, b / total, clear / total
            else:
                r, g, b, clear = _gather(
                    table,
                    grid,
                    start,
                    members,
                    top,
                    n,
                    place[v, u],
                    normal[v, u],
                    sky,
                    bounce,
                    reach,
                    rays,
                    phase,
                )
            out[v, u, 0], out[v, u, 1], out[v, u, 2], out[v, u, 3] = r, g, b, clear


@compiled
def _mirrored(
    table: Doubles,
    grid: Doubles,
    start: Ints,
    members: Ints,
    top: Doubles,
    body: NDArray[np.int32],
    normal: Array,
    place: Array,
    eye: Doubles,
    rough: Array,
    shine: Array,
    reach: float,
    out: NDArray[np.int32],
    share: Array,
) -> None:
    height, width = body.shape
    for v in range(height):
        for u in range(width):
            n = body[v, u]
            if n < 0 or rough[v, u] > GLOSSY or shine[v, u] < 0.02:
                continue
            nx, ny, nz = normal[v, u, 0], normal[v, u, 1], normal[v, u, 2]
            px, py, pz = place[v, u, 0], place[v, u, 1], place[v, u, 2]
            dx, dy, dz = px - eye[0], py - eye[1], pz - eye[2]
            s = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz = dx * s, dy * s, dz * s
            t = -2.0 * min(0.0, dx * nx + dy * ny + dz * nz)
            dx, dy, dz = dx + t * nx, dy + t * ny, dz + t * nz
            ox, oy, oz = px + LIFT * nx, py + LIFT * ny, pz + LIFT * nz
            hit, away = first_hit(
                table, grid, start, members, top, ox, oy, oz, dx, dy, dz, reach, _leaves(table, n), False
            )
            out[v, u] = hit
            share[v, u] = 0.0
            if hit >= 0:
                share[v, u] = 1.0 / (1.0 + (60.0 * away * rough[v, u] * rough[v, u]) ** 2)


def mirrored(
    packed: Packed, seen: Buffers, eye: Array, rough: Array, shine: Array, *, reach: float = 0.7
) -> tuple[NDArray[np.int32], Array]:
    """What glossy places mirror: the body met, int32 (height, width), -1 for none; and how clearly, 0-1.

    The share is -1 where nothing was looked for as the place is too dull, 0 where only sky is mirrored, and
    the less the rougher the place and the further away the body is. ``rough``, ``shine``: (height, width).
    """
    body = np.full(seen.body.shape, -1, np.int32)
    share = np.full(seen.body.shape, -1.0, np.float32)
    towards = np.asarray(eye, np.float64)
    _mirrored(*packed.arrays(), seen.body, seen.normal, seen.place, towards, rough, shine, reach, body, share)
    return body, share


@compiled
def _softened(
    table: Doubles,
    body: NDArray[np.int32],
    eye: Doubles,
    view: Doubles,
    focal: float,
    mx: float,
    my: float,
    light: Array,
    out: Array,
) -> None:
    height, width = body.shape
    near = np.zeros((5, 3), np.int64)
    for v in range(1, height - 1):
        for u in range(1, width - 1):
            n = body[v, u]
            if body[v - 1, u] == n and body[v + 1, u] == n and body[v, u - 1] == n and body[v, u + 1] == n:
                continue
            count = 0
            for k in range(5):
                vv, uu = v + (k == 1) - (k == 2), u + (k == 3) - (k == 4)
                other = body[vv, uu]
                known = other < 0
                for q in range(count):
                    known = known or near[q, 0] == other
                if not known:
                    near[count, 0], near[count, 1], near[count, 2] = other, vv, uu
                    count += 1
            r, g, b = 0.0, 0.0, 0.0
            for k in range(4):
                # a square turned by 27 degrees: each ray in a row and a column of its own
                du, dv = (0.125, -0.375, 0.375, -0.125)[k], (-0.375, -0.125, 0.125, 0.375)[k]
                cx, cy = (u + du - mx) / focal, (v + dv - my) / focal
                s = 1.0 / math.sqrt(cx * cx + cy * cy + 1.0)
                dx = s * (view[0, 0] * cx + view[1, 0] * cy + view[2, 0])
                dy = s * (view[0, 1] * cx + view[1, 1] * cy + view[2, 1])
                dz = s * (view[0, 2] * cx + view[1, 2] * cy + view[2, 2])
                vv, uu, best = v, u, 1e9
                for q in range(count):
                    hit = _meet(table, near[q, 0], eye[0], eye[1], eye[2], dx, dy, dz, best)
                    if hit > 0.0:
                        vv, uu, best = near[q, 1], near[q, 2], hit
                r += light[vv, uu, 0]
                g += light[vv, uu, 1]
                b += light[vv, uu, 2]
            out[v, u, 0], out[v, u, 1], out[v, u, 2] = 0.25 * r, 0.25 * g, 0.25 * b


def softened(packed: Packed, camera: Camera, seen: Buffers, light: Array) -> Array:
    """The light of each pixel with the edges of bodies smoothed, float32 (height, width, 3).

    At the edges four rays say how much of a pixel belongs to which of the bodies in it and next to it; each
    body gives the light of the pixel in whose middle it is.
    """
    out = light.copy()
    eye, view = np.asarray(camera.eye, np.float64), np.asarray(camera.turn, np.float64)
    lens = (float(camera.focal), float(camera.middle[0]), float(camera.middle[1]))
    _softened(packed.table, seen.body, eye, view, *lens, light, out)
    return out


def lamp_light(
    packed: Packed,
    seen: Buffers,
    place: Array,
    radius: float,
    *,
    step: int = 4,
    rays: int = 6,
    phase: float = 0.0,
) -> Array:
    """The share of a lamp that each pixel's place sees, float32 (height, width), 0-1.

    Rays are shot at every ``step``-th pixel, and at all pixels between those that do not agree. ``phase``:
    what is random about the rays' directions, 0-1.
    """
    out = np.zeros(seen.body.shape, np.float32)
    lamp = np.asarray(place, np.float64)
    _lamp_light(
        *packed.arrays(), seen.body, seen.normal, seen.place, lamp, float(radius), step, rays, phase, out
    )
    return out


def sky_light(
    packed: Packed,
    seen: Buffers,
    sky: Doubles,
    bounce: Doubles,
    *,
    reach: float = 0.7,
    step: int = 6,
    rays: int = 16,
    phase: float = 0.0,
) -> Array:
    """Light from all around on each pixel's place: float32 (height, width, 4), RGB and share of open sky.

    ``sky``: float64 (3, 3), colours from above, around, below. ``bounce``: float64 (n, 3), the light that
    each body gives back to others. Rays end after ``reach`` field widths; they are shot at every ``step``-th
    pixel and mixed between places of like position and normal.
    """
    out = np.zeros((*seen.body.shape, 4), np.float32)
    _sky_light(
        *packed.arrays(), seen.body, seen.normal, seen.place, sky, bounce, reach, step, rays, phase, out
    )
    return out
