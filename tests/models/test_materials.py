"""The made-up looks of checkers, dice, cubes and skin."""

from __future__ import annotations

from dataclasses import astuple

import cv2
import numpy as np
import pytest

from models.training import materials
from models.training.materials import CUBE_FACES, CheckerLook, DieLook, die_faces, surface
from models.training.textures import linear, wood
from models.training.world import Array, Body, Look, Material, Shape

_ORIGIN, _UPRIGHT = np.zeros(3, np.float32), np.eye(3, dtype=np.float32)
_SIDE = 96


def _body(
    material: Material, shape: Shape = Shape.BOX, size: tuple[float, ...] = (0.01, 0.01, 0.01, 0.001)
) -> Body:
    return Body(shape, size, _ORIGIN, _UPRIGHT, material, "die")


def _face(material: Material, outward: tuple[int, int, int]) -> Array:
    """A face of a die or cube of half edge 0.01 as albedo (_SIDE, _SIDE, 3), as seen or mirrored."""
    k = int(np.abs(outward).argmax())
    a, b = (j for j in range(3) if j != k)
    grid = ((np.arange(_SIDE) + 0.5) / _SIDE * 2 - 1) * 0.0099
    local, normal = np.zeros((_SIDE * _SIDE, 3), np.float32), np.zeros((_SIDE * _SIDE, 3), np.float32)
    local[:, k], normal[:, k] = 0.01 * outward[k], outward[k]
    local[:, a], local[:, b] = (axis.ravel() for axis in np.meshgrid(grid, grid))
    return surface(material, _body(material), local, normal)[0].reshape(_SIDE, _SIDE, 3)


def _blobs(dark: Array) -> int:
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark.astype(np.uint8))
    return sum(int(stats[k, cv2.CC_STAT_AREA]) > 20 for k in range(1, count))


@pytest.mark.parametrize("mirrored", [0.0, 1.0])
@pytest.mark.parametrize("turned", [0.0, 5.0, 7.0])
def test_each_face_of_a_die_shows_its_pips(mirrored: float, turned: float) -> None:
    look = DieLook(mirrored=mirrored, turned=turned)
    material = Material(Look.DIE, (0.9, 0.9, 0.9), second=(0.02, 0.02, 0.02), parameters=astuple(look))
    faces = die_faces(mirrored > 0)
    for value, outward in faces.items():
        assert _blobs(_face(material, outward).mean(axis=2) < 0.3) == value
        assert faces[7 - value] == tuple(-x for x in outward)


def test_drawn_dice_show_their_pips_too() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        make, style = materials.random_die_style(rng)
        material = make(rng)
        look = DieLook(*material.parameters)
        if style["clear"] or look.figure or look.hollow:
            continue
        for value, outward in die_faces(bool(style["mirrored"])).items():
            face = _face(material, outward)
            off = np.abs(face - np.asarray(material.colour, np.float32)).max(axis=2)
            margin = _SIDE // 16
            pip = off[margin:-margin, margin:-margin] > 0.5 * off.max()
            assert _blobs(pip) == value, (seed, value)


def test_a_cube_has_six_faces_that_differ() -> None:
    rng = np.random.default_rng(3)
    make, _ = materials.random_cube_style(rng)
    material = make(rng)
    faces = [_face(material, outward) for outward in CUBE_FACES.values()]
    for k, face in enumerate(faces):
        assert face.std() > 0.02
        assert all(np.abs(face - other).max() > 0.2 for other in faces[:k])


def _disc(count: int = 4000) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    local = np.column_stack([rng.uniform(-0.02, 0.02, (count, 2)), np.full(count, 0.008)]).astype(np.float32)
    normal = np.zeros_like(local)
    normal[:, 2] = 1
    return local, normal


@pytest.mark.parametrize("seed", range(40))
def test_the_light_side_is_the_brighter_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    light, dark, style = materials.random_checker_pair(rng)
    local, normal = _disc()
    brightness = []
    for make in (light, dark):
        material = make(np.random.default_rng(7))
        assert material.look is Look.CHECKER
        albedo, rough, shine = surface(
            material, _body(material, Shape.DISC, (0.02, 0.008, 0.002, 0)), local, normal
        )
        for array, shape in ((albedo, (4000, 3)), (rough, (4000,)), (shine, (4000,))):
            assert array.shape == shape
            assert array.dtype == np.float32
            assert array.min() >= 0
            assert array.max() <= 1
        inside = np.hypot(local[:, 0], local[:, 1]) < 0.02
        brightness.append(float(np.dot(albedo[inside].mean(axis=0), (0.2126, 0.7152, 0.0722))))
    assert brightness[0] > brightness[1]
    assert float(style["light"]) > float(style["dark"])


def test_pieces_of_a_set_are_alike_but_not_the_same() -> None:
    light, _, _ = materials.random_checker_pair(np.random.default_rng(5))
    rng = np.random.default_rng(6)
    first, second = light(rng), light(rng)
    again = light(np.random.default_rng(6))
    assert first.seed != second.seed
    assert (first.colour, first.seed, first.parameters) == (again.colour, again.seed, again.parameters)
    assert np.allclose(first.colour, second.colour, atol=0.35)


@pytest.mark.parametrize("figure", [0, 1, 2, 3])
@pytest.mark.parametrize("rings", range(7))
def test_every_checker_look_is_drawn(figure: int, rings: int) -> None:
    look = CheckerLook(figure, 0.5, rings, 0.3, 0.7, 4, 0.05, 0.5)
    material = Material(
        Look.CHECKER, (0.5, 0.3, 0.2), second=(0.9, 0.9, 0.8), seed=4, parameters=astuple(look)
    )
    local, normal = _disc()
    albedo, _, _ = surface(material, _body(material, Shape.DISC, (0.02, 0.008, 0.002, 0)), local, normal)
    assert np.isfinite(albedo).all()
    assert albedo.std(axis=0).max() > (0 if figure == rings == 0 else 0.005)


def test_a_picture_lies_on_a_box_as_it_is() -> None:
    picture = np.zeros((40, 60, 3), np.uint8)
    picture[:20, :30] = (255, 0, 0)
    picture[20:, 30:] = (0, 255, 0)
    material = Material(Look.PICTURE, (0, 0, 0), texture=picture)
    body = _body(material, size=(0.6, 0.4, 0.01, 0))
    local = np.array([[-0.3, -0.2, 0.01], [0.3, 0.2, 0.01], [0.3, -0.2, 0.01]], np.float32)
    normal = np.tile(np.array([[0, 0, 1]], np.float32), (3, 1))
    albedo, _, _ = surface(material, body, local, normal)
    assert np.allclose(albedo, [[1, 0, 0], [0, 1, 0], [0, 0, 0]], atol=1e-4)


@pytest.mark.parametrize("shape", list(Shape))
def test_tiles_repeat_on_every_shape(shape: Shape) -> None:
    texture = wood(np.random.default_rng(1), 64, 64)
    material = Material(Look.TILED, (0.5, 0.5, 0.5), texture=texture, scale=0.1, seed=3)
    rng = np.random.default_rng(2)
    normal = rng.normal(size=(500, 3)).astype(np.float32)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    albedo, _, _ = surface(material, _body(material, shape, (0.1, 0.3, 0.05, 0.01)), normal * 0.1, normal)
    assert albedo.shape == (500, 3)
    assert albedo.std() > 0.001
    flat = np.tile(np.array([[0, 0, 1]], np.float32), (50, 1))
    local = rng.uniform(-0.05, 0.05, (50, 3)).astype(np.float32)
    if shape is Shape.DISC:
        shifted = local + np.array([0.1, 0, 0], np.float32)
        body = _body(material, shape, (0.2, 0.01, 0, 0))
        assert np.allclose(
            surface(material, body, local, flat)[0], surface(material, body, shifted, flat)[0], atol=0.02
        )


@pytest.mark.parametrize("look", [Look.PICTURE, Look.TILED, Look.CUBE])
def test_looks_of_pictures_need_one(look: Look) -> None:
    material = Material(look, (0, 0, 0))
    with pytest.raises(ValueError, match="texture"):
        surface(material, _body(material), np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))


def test_many_places_and_few_give_the_same() -> None:
    rng = np.random.default_rng(1)
    material = materials.random_skin(rng)
    local = rng.uniform(-0.1, 0.1, (70000, 3)).astype(np.float32)
    normal = np.tile(np.array([[0, 0, 1]], np.float32), (len(local), 1))
    body = _body(material, Shape.BALL, (0.1, 0.1, 0.1))
    whole = surface(material, body, local, normal)[0]
    part = surface(material, body, local[66000:66010], normal[:10])[0]
    assert np.allclose(whole[66000:66010], part, atol=1e-4)
    assert np.allclose(whole.mean(axis=0), material.colour, atol=0.1)


def test_plain_is_one_colour() -> None:
    material = Material(Look.PLAIN, linear((200, 30, 30)), 0.3, 0.05)
    albedo, rough, shine = surface(material, _body(material), *_disc(10))
    assert np.allclose(albedo, material.colour)
    assert np.allclose(rough, 0.3)
    assert np.allclose(shine, 0.05)
