"""The traced pictures: known bodies give known pixels, shadows fall where geometry says, and seeds repeat."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="numba belongs to the train extra")

from models.training import shade, trace
from models.training.world import (
    Body,
    Buffers,
    Camera,
    Lamp,
    Look,
    Material,
    Scene,
    Shape,
    Sky,
    Truth,
)

GREY = Material(Look.PLAIN, (0.5, 0.5, 0.5))
ABOVE = Camera(
    eye=np.array([0.5, 0.5, 2.0], np.float32),
    turn=np.diag([1, 1, -1]).astype(np.float32),
    focal=200.0,
    middle=(100.0, 80.0),
    size=(201, 161),
)


def body(
    shape: Shape,
    size: tuple[float, ...],
    centre: tuple[float, float, float],
    kind: str = "clutter",
    owner: int = -1,
) -> Body:
    return Body(shape, size, np.array(centre, np.float32), np.eye(3, dtype=np.float32), GREY, kind, owner)


FLOOR = body(Shape.BOX, (2, 2, 0.05, 0), (0.5, 0.5, -0.05), "table")
DISC = body(Shape.DISC, (0.1, 0.05, 0.01, 0.02), (0.5, 0.5, 0.05), "checker", 0)
BALL = body(Shape.BALL, (0.1, 0.05, 0.08), (0.8, 0.3, 0.2), "clutter", 1)


def scene(*bodies: Body, lamp: tuple[float, float, float] = (0.5, 0.5, 5.0)) -> Scene:
    return Scene(
        bodies,
        ABOVE,
        (Lamp(np.array(lamp, np.float32), 0.01, (0.8, 0.8, 0.8)),),
        Sky((0.2, 0.2, 0.2), (0.2, 0.2, 0.2), (0.1, 0.1, 0.1)),
        1.0,
        Truth(1.0, (0.46, 0.54), (0,) * 24, (0, 0), (0, 0), True),
    )


def area(seen: Buffers, index: int) -> int:
    return int((seen.body == index).sum())


def test_a_plane_is_hit_where_it_lies() -> None:
    seen = trace.trace((FLOOR,), ABOVE)
    assert (seen.body == 0).all()
    assert seen.depth[80, 100] == pytest.approx(2.0, abs=1e-6)
    # a pixel is 2 / 200 field widths wide down there
    assert seen.place[20, 160] == pytest.approx([0.5 + 0.6, 0.5 - 0.6, 0.0], abs=1e-6)
    assert seen.local[20, 160] == pytest.approx([0.6, -0.6, 0.05], abs=1e-6)
    assert np.allclose(seen.normal, [0, 0, 1])
    assert shade.project(ABOVE, seen.place[20, 160]) == pytest.approx(np.array([[160.0, 20.0]]), abs=1e-4)


def test_a_dished_disc_has_a_rim_and_a_hollow() -> None:
    seen = trace.trace((FLOOR, DISC), ABOVE)
    assert seen.depth[80, 100] == pytest.approx(2 - 0.08, abs=1e-3)  # 0.1 high, less a dish of 0.02
    assert area(seen, 1) == pytest.approx(np.pi * (0.1 * 200 / 1.9) ** 2, rel=0.04)
    hollow = seen.normal[80, 104]
    assert hollow[2] > 0.9
    assert hollow[0] < -0.05  # the dish falls towards the middle
    assert np.linalg.norm(seen.normal, axis=-1) == pytest.approx(np.ones(seen.body.shape), abs=1e-5)


def test_a_ball_is_an_ellipse_with_outward_normals() -> None:
    seen = trace.trace((FLOOR, BALL), ABOVE)
    u, v = np.round(shade.project(ABOVE, BALL.centre)[0]).astype(int)
    assert seen.depth[v, u] == pytest.approx(np.linalg.norm(ABOVE.eye - BALL.centre) - 0.08, abs=2e-3)
    box = shade.box_of(shade.mask_of(seen, (FLOOR, BALL), 1))
    assert box is not None
    assert box[2] - box[0] == pytest.approx(2 * 0.1 * 200 / 1.8, abs=2)
    assert box[3] - box[1] == pytest.approx(2 * 0.05 * 200 / 1.8, abs=2)


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        (Shape.BOX, (0.1, 0.08, 0.06, 0.0)),
        (Shape.BOX, (0.1, 0.08, 0.06, 0.02)),
        (Shape.DISC, (0.1, 0.05, 0.01, 0.02)),
        (Shape.CONE, (0.05, 0.08, 0.1)),
        (Shape.BALL, (0.1, 0.08, 0.06)),
        (Shape.CUP, (0.07, 0.09, 0.1, 0.01)),
        (Shape.RING, (0.08, 0.02)),
    ],
)
def test_hits_lie_on_the_surface_and_face_the_eye(shape: Shape, size: tuple[float, ...]) -> None:
    angle = 0.7
    turn = np.array(
        [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]], np.float32
    )
    thing = Body(shape, size, np.array([0.5, 0.5, 0.3], np.float32), turn, GREY, "clutter")
    seen = trace.trace((thing,), ABOVE)
    hit = seen.body == 0
    assert hit.sum() > 100
    a, b, c, d = (*size, 0.0, 0.0)[:4]
    away = [abs(trace._distance(int(shape), a, b, c, d, *place)) for place in seen.local[hit].astype(float)]
    assert max(away) < 3e-4
    towards = ABOVE.eye - seen.place[hit]
    facing = (seen.normal[hit] * towards).sum(axis=1) / np.linalg.norm(towards, axis=1)
    assert (facing > -0.05).mean() > 0.99
    # the box around it on the picture holds all of it
    left, top, right, bottom = trace.screen_boxes(trace.pack((thing,)), ABOVE)[0]
    box = shade.box_of(hit)
    assert box is not None
    assert left <= box[0]
    assert top <= box[1]
    assert right >= box[2]
    assert bottom >= box[3]


def test_a_shadow_falls_where_the_lamp_says() -> None:
    block = body(Shape.BOX, (0.05, 0.05, 0.1, 0.0), (0.5, 0.5, 0.1))
    packed = trace.pack((FLOOR, block))
    seen = trace.trace(packed, ABOVE)
    share = trace.lamp_light(packed, seen, np.array([-99.5, 0.5, 100.0], np.float32), 0.01)
    # at 45 degrees from the left, what is 0.2 high throws a shadow 0.2 long to the right
    row = share[80, seen.body[80] == 0]
    x = seen.place[80, seen.body[80] == 0, 0]
    assert row[(x > 0.57) & (x < 0.74)].max() == 0.0
    assert row[x > 0.77].min() == 1.0
    assert row[x < 0.44].min() == 1.0


def test_the_sky_is_dimmer_in_a_corner() -> None:
    packed = trace.pack((FLOOR, body(Shape.BOX, (0.05, 0.4, 0.15, 0.0), (0.5, 0.5, 0.15))))
    seen = trace.trace(packed, ABOVE)
    light = trace.sky_light(packed, seen, np.ones((3, 3)), np.zeros((2, 3)))
    by_wall = shade.project(ABOVE, np.array([[0.57, 0.5, 0.0]]))[0]
    far_off = shade.project(ABOVE, np.array([[1.2, 0.5, 0.0]]))[0]
    near, far = (light[round(v), round(u)] for u, v in (by_wall, far_off))
    assert near[0] < 0.75
    assert far[0] > 0.9
    assert near[3] == pytest.approx(near[0], abs=1e-6)  # black bodies give back nothing


def test_how_much_of_a_thing_is_seen() -> None:
    lid = body(Shape.BOX, (0.1, 0.2, 0.01, 0.0), (0.6, 0.5, 0.15))
    covered = scene(FLOOR, DISC, lid)
    assert shade.seen_share(trace.trace(covered.bodies, ABOVE), covered, 0) == pytest.approx(0.5, abs=0.06)
    free = scene(FLOOR, DISC)
    assert shade.seen_share(trace.trace(free.bodies, ABOVE), free, 0) == 1.0
    assert shade.seen_share(trace.trace(free.bodies, ABOVE), free, 7) == 0.0
    cut = scene(FLOOR, body(Shape.DISC, (0.1, 0.05, 0.01, 0.0), (1.5, 0.5, 0.05), "checker", 0))
    assert 0.3 < shade.seen_share(trace.trace(cut.bodies, ABOVE), cut, 0) < 0.6


def test_a_seed_gives_the_same_picture() -> None:
    there = scene(FLOOR, DISC, BALL, lamp=(-1.0, 0.0, 2.0))
    first, second = (shade.take(there, np.random.default_rng(3)) for _ in range(2))
    assert first.image.shape == (161, 201, 3)
    assert first.image.dtype == np.uint8
    assert np.array_equal(first.image, second.image)
    assert first.buffers.body.shape == (161, 201)
    assert set(np.unique(first.buffers.body)) == {0, 1, 2}


def test_edges_are_mixed_of_what_meets_there() -> None:
    packed = trace.pack((FLOOR, BALL))
    seen = trace.trace(packed, ABOVE)
    light = np.repeat((seen.body == 1).astype(np.float32)[..., None], 3, axis=2)
    soft = trace.softened(packed, ABOVE, seen, light)[..., 0]
    assert set(np.unique(soft)) == {0.0, 0.25, 0.5, 0.75, 1.0}
    inside = light[..., 0] == 1
    assert soft.sum() == pytest.approx(inside.sum(), rel=0.02)


def test_a_varnished_floor_mirrors_what_stands_on_it() -> None:
    block = body(Shape.BOX, (0.05, 0.05, 0.2, 0.0), (1.0, 0.5, 0.2))
    packed = trace.pack((FLOOR, block))
    seen = trace.trace(packed, ABOVE)
    shape = seen.body.shape
    shine = np.full(shape, 0.04, np.float32)
    met, share = trace.mirrored(packed, seen, ABOVE.eye, np.full(shape, 0.05, np.float32), shine)
    # the eye is 2 high, 0.43 to the left of this place: the ray meets the block 0.09 above its foot
    u, v = np.round(shade.project(ABOVE, np.array([[0.93, 0.5, 0.0]]))[0]).astype(int)
    assert met[v, u] == 1
    assert share[v, u] > 0.95
    assert met[v, u - 60] == -1
    assert share[v, u - 60] == 0.0
    _, dull = trace.mirrored(packed, seen, ABOVE.eye, np.full(shape, 0.9, np.float32), shine)
    assert (dull == -1.0).all()
