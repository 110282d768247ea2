"""Buoyancy of sections and bodies against clipping, closed forms and the gradient of its potential."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cosserat
import gaits
import hydro
from hydro.buoyancy import wet_part
from spatial import matrix_from_quaternion, quaternion_exp

ROUND_OFF = 1e-13  # sizes are of order one


def clipped(corners, height, slope):
    """Area and first moments of the part of a polygon under water, by cutting its edges one after the other."""
    over, kept = height + corners @ slope, []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if over[i] < 0:
            kept.append(corners[i])
        if (over[i] < 0) != (over[j] < 0):
            kept.append(corners[i] + (corners[j] - corners[i]) * over[i] / (over[i] - over[j]))
    if len(kept) < 3:
        return 0.0, np.zeros(2)
    here, after = np.array(kept), np.roll(kept, -1, axis=0)
    doubled = here[:, 0] * after[:, 1] - after[:, 0] * here[:, 1]
    return doubled.sum() / 2, (doubled[:, None] * (here + after)).sum(axis=0) / 6


def random_section(rng, corners=24):
    """Star-shaped about a point that need not be the origin, and mostly not convex."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
    radius = rng.uniform(0.3, 1.0, corners)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1) + 0.4 * rng.normal(size=2)


@pytest.fixture(scope="module")
def wet():
    def both(corners, height, slope):
        section = hydro.PolygonSection(corners)
        potential = lambda h, a: hydro.wet_part(section, h, a).potential  # noqa: E731
        return hydro.wet_part(section, height, slope), jax.grad(potential, (0, 1))(height, slope)

    return jax.jit(jax.vmap(both))


def test_polygons_against_clipping_and_the_gradient_of_their_potential(wet):
    rng = np.random.default_rng(3)
    corners = np.stack([random_section(rng) for _ in range(400)])
    axis = rng.normal(size=(400, 3))
    slope = (axis / np.linalg.norm(axis, axis=1, keepdims=True))[:, 1:]
    slope[::5] *= 1e-9  # nearly vertical bodies
    height = 0.6 * rng.normal(size=400)
    height[::7] *= 1e-12  # the origin on the water
    found, gradient = wet(corners, height, slope)
    for k in range(400):
        area, moments = clipped(corners[k], height[k], slope[k])
        assert abs(found.area[k] - area) < ROUND_OFF
        assert np.abs(found.first_moments[k] - moments).max() < ROUND_OFF
    assert np.abs(gradient[0] + found.area).max() < 1e-11
    assert np.abs(gradient[1] + found.first_moments).max() < 1e-11
    assert np.ptp(found.area) > 0.5  # some are dry, some wet, most neither


def test_a_dry_and_a_drowned_section(wet):
    corners = np.tile(random_section(np.random.default_rng(4)), (2, 1, 1))
    section = hydro.PolygonSection(jnp.asarray(corners[0]))
    found, _ = wet(corners, np.array([5.0, -5.0]), np.array([[0.6, 0.8], [0.6, 0.8]]))
    assert found.area[0] == 0 and np.all(found.first_moments[0] == 0) and found.potential[0] == 0
    np.testing.assert_allclose(found.area[1], section.area, rtol=1e-15)
    np.testing.assert_allclose(found.first_moments[1], section.first_moments, rtol=1e-14)


@pytest.mark.parametrize("height", [0.0, 1e-33, -1e-33, 1e-17, -1e-17])
def test_vertices_on_the_water_line_have_the_derivatives_of_the_water_line(height):
    """Of a diamond afloat at its widest: dA/dh is minus the width 2a, and the first moment falls by (2a)³/12 with the
    slope. Quotients of heights that are round-off would give derivatives of 1e32.
    """
    a = 0.1
    diamond = hydro.polygon([(a, 0.0), (0.0, a), (-a, 0.0), (0.0, -a), (a, 0.0)])
    part = lambda h, s: wet_part(diamond, h, jnp.stack([s, jnp.ones(())]))  # noqa: E731
    at = jnp.asarray(height), jnp.asarray(1e-18)
    for derivative in (jax.jacfwd, jax.jacrev):
        np.testing.assert_allclose(derivative(lambda h, s: part(h, s).area)(*at), -2 * a, rtol=1e-12)
        moment = derivative(lambda h, s: part(h, s).first_moments[0], argnums=1)(*at)
        np.testing.assert_allclose(moment, -((2 * a) ** 3) / 12, rtol=1e-12)


def test_ellipse_against_a_fine_polygon():
    b, c = 0.4, 0.9
    angle = 2 * np.pi * np.arange(4000) / 4000
    fine = hydro.PolygonSection(jnp.asarray(np.stack([b * np.cos(angle), c * np.sin(angle)], axis=-1)))
    ellipse = hydro.EllipticSection(jnp.asarray(b), jnp.asarray(c))
    part = jax.jit(hydro.wet_part)
    for height, slope in ((0.1, (0.6, 0.8)), (-0.3, (0.3, 0.1)), (2.0, (1.0, 0.0)), (-2.0, (0.0, 1.0))):
        ours, near = (part(s, jnp.asarray(height), jnp.asarray(slope)) for s in (ellipse, fine))
        # A polygon of n corners misses (2π²/3)/n² of the area.
        assert abs(ours.area - near.area) < 1e-5 and np.abs(ours.first_moments - near.first_moments).max() < 1e-5
        assert abs(ours.potential - near.potential) < 1e-5
    slope_of_area = jax.grad(lambda h: hydro.wet_part(ellipse, h, jnp.array([0.0, 1.0])).area)
    assert float(slope_of_area(0.0)) == pytest.approx(-2 * b) and float(slope_of_area(c)) == 0.0


@pytest.fixture(scope="module")
def pose_load():
    """Wrench of a prism about its origin and minus the gradient of its potential, for many poses at once."""
    body = hydro.prism(hydro.polygon(hydro.regular_outline(0.3, 24, 3, 0.1)), 1.1, -0.4)
    water = (jnp.asarray(1000.0), jnp.asarray(9.81), jnp.asarray(0.1))
    faces = body.triangles.shape[0]

    def place(position, rotation):
        return hydro.Place(jnp.broadcast_to(position, (faces, 3)), jnp.broadcast_to(rotation, (faces, 3, 3)))

    def potential(step, position, rotation):
        turned = rotation @ matrix_from_quaternion(quaternion_exp(step[3:]))
        return jnp.sum(hydro.face_potentials(body.triangles, place(position + rotation @ step[:3], turned), *water))

    def both(position, rotation):
        load = jnp.sum(hydro.face_loads(body.triangles, place(position, rotation), *water), axis=0)
        return load, -jax.grad(potential)(jnp.zeros(6), position, rotation)

    return body, jax.jit(jax.vmap(both))


def test_solids_lie_stand_float_and_drown(pose_load):
    body, both = pose_load
    rng = np.random.default_rng(5)
    rotation = Rotation.random(60, rng=np.random.default_rng(6)).as_matrix()
    upright = Rotation.from_euler("y", -90, degrees=True).as_matrix()
    rotation[:10] = upright  # t1 up: where sections alone would jump
    position = rng.normal(size=(60, 3)) * np.array([1.0, 1.0, 0.4])
    position[10], position[11] = (0, 0, 9.0), (0, 0, -9.0)
    load, gradient = both(position, rotation)
    weight = 1000 * 9.81 * float(body.volume)
    assert np.abs(load - gradient).max() < 1e-11 * weight
    assert np.all(load[10] == 0)
    lifted = rotation[11] @ np.asarray(load[11][:3])
    np.testing.assert_allclose(lifted, [0, 0, weight], atol=1e-10 * weight)
    np.testing.assert_allclose(
        load[11][3:], np.cross(np.asarray(body.centre), np.asarray(load[11][:3])), atol=1e-10 * weight
    )
    # An upright prism is wet up to the water line: area times depth, exactly.
    area = float(body.volume) / 1.1
    depth = np.clip(0.1 - (position[:10, 2] - 0.4), 0.0, 1.1)
    np.testing.assert_allclose(load[:10] @ np.eye(6)[0], 1000 * 9.81 * area * depth, atol=1e-11 * weight)
    assert np.ptp(depth) > 0.3


def test_sections_tend_to_the_solid():
    """A tilted prism by 2, 8 sections: what is left of the exact buoyancy falls."""
    section = hydro.polygon(hydro.regular_outline(0.3, 24, 3, 0.1))
    body, surface = hydro.prism(section, 1.0), hydro.FreeSurface()
    rotation = jnp.asarray(Rotation.from_euler("yx", [20, 15], degrees=True).as_matrix())
    many = lambda value: jnp.broadcast_to(value, (body.triangles.shape[0], *value.shape))  # noqa: E731
    place = hydro.Place(many(jnp.array([0.0, 0.0, 0.1])), many(rotation))
    water = (surface.density, surface.gravity, surface.level)
    exact = jnp.sum(hydro.face_loads(body.triangles, place, *water), axis=0)
    left = []
    for points in (2, 8):
        node, weight = np.polynomial.legendre.leggauss(points)
        total = 0.0
        for x, w in zip((node + 1) / 2, weight / 2, strict=True):
            at = hydro.Place(jnp.array([0.0, 0.0, 0.1]) + rotation[:, 0] * x, rotation)
            f = surface.terms(section, at, jnp.zeros(6))["buoyancy"]
            total = total + w * np.r_[f[:3], np.asarray(f[3:]) + np.cross([x, 0, 0], f[:3])]
        left.append(np.abs(total - exact).max() / np.abs(exact).max())
    assert left[1] < 1e-3 and left[1] < 0.2 * left[0]


def test_a_floating_eel():
    """Weight and surface on a section and on a beam: their power is minus the rate of their potential."""
    fluid = hydro.Together(hydro.Weight(600.0), hydro.FreeSurface(level=0.02))
    twist = jnp.array([0.2, -0.1, 0.3, 0.4, 0.1, -0.3])
    turned = Rotation.from_euler("zyx", [20, 8, 30], degrees=True)
    section = hydro.EllipticSection(jnp.asarray(0.05), jnp.asarray(0.07))

    def potential(t):
        R = jnp.asarray(turned.as_matrix())
        turn = matrix_from_quaternion(quaternion_exp(t * twist[3:]))
        return fluid.potential(section, hydro.Place(jnp.array([0, 0, 0.03]) + R @ (t * twist[:3]), R @ turn))

    place = hydro.Place(jnp.array([0, 0, 0.03]), jnp.asarray(turned.as_matrix()))
    terms = fluid.terms(section, place, twist)
    assert set(terms) == {"weight", "buoyancy"}
    power = sum(float(jnp.dot(load, twist)) for load in terms.values())
    assert power == pytest.approx(-float(jax.grad(potential)(0.0)), rel=1e-12)
    # A straight rod that weighs 0.8 of the water it displaces: drowned, half wet, dry.
    rod = cosserat.rod(1.0, 0.05, 0.05, density=800.0)
    around = hydro.Together(hydro.Weight(800.0), hydro.FreeSurface())
    straight = lambda X, t: jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # noqa: E731
    for height, share in ((-5.0, 1.0), (0.0, 0.5), (5.0, 0.0)):
        rate = cosserat.head_acceleration(rod, straight, around, cosserat.HeadState((0, 0, height)), 0.0)
        np.testing.assert_allclose(rate, [0, 0, 9.81 * (share / 0.8 - 1), 0, 0, 0], atol=1e-10)


def test_options_act_on_the_wet_part():
    section = hydro.polygon(hydro.regular_outline(0.05, 24))
    surface = hydro.FreeSurface(roll_damping=0.1, heave_damping=3.0, flow=hydro.Morison(), added_share=0.5)
    twist = jnp.array([0.1, 0.2, -0.3, 0.5, 0.0, 0.0])
    wholly = hydro.Morison().terms(section, hydro.Place(jnp.zeros(3), jnp.eye(3)), twist)["drag"]
    for height, share in ((-1.0, 1.0), (0.0, 0.5), (1.0, 0.0)):
        terms = surface.terms(section, hydro.Place(jnp.array([0.0, 0.0, height]), jnp.eye(3)), twist)
        np.testing.assert_allclose(terms["drag"], share * wholly, atol=1e-12)
        np.testing.assert_allclose(terms["damping"], share * np.array([0, 0, 0.9, -0.05, 0, 0]), atol=1e-12)
        assert float(jnp.dot(terms["damping"], twist)) <= 0
    np.testing.assert_allclose(surface.added_inertia(section), 0.5 * hydro.Morison().added_inertia(section))
    plain = hydro.FreeSurface()
    assert set(plain.terms(section, hydro.Place(jnp.zeros(3), jnp.eye(3)), twist)) == {"buoyancy"}


SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], float)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: hydro.polygon(SQUARE[:-1]), "open outline"),
        (lambda: hydro.polygon(SQUARE[::-1]), "wrong way"),
        (lambda: hydro.polygon(SQUARE * [1, 0]), "without volume"),
        (lambda: hydro.polygon([[0, 0], [4, 0], [4, 3], [1, -1], [0, 3], [0, 0]]), "cross"),
        (lambda: hydro.polygon(SQUARE[:3]), "3 vertices"),
        (lambda: hydro.polygon(SQUARE * np.nan), "finite"),
        (lambda: hydro.solid([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3]]), "open"),
        (
            lambda: hydro.solid(
                [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
            ),
            "inside out",
        ),
        (
            lambda: hydro.solid(
                [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
            ),
            "without volume",
        ),
        (lambda: hydro.prism(hydro.polygon(SQUARE), 0.0), "positive"),
        (lambda: hydro.FreeSurface(density=-1.0), "FreeSurface.density"),
        (lambda: hydro.Together(), "at least one"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_two_fluids_may_not_share_a_term():
    section, place = hydro.polygon(SQUARE), hydro.Place(jnp.zeros(3), jnp.eye(3))
    with pytest.raises(ValueError, match="'weight'"):
        hydro.Together(hydro.Weight(1.0), hydro.Weight(2.0)).terms(section, place, jnp.zeros(6))


def test_polygon_inertia_is_that_of_a_rectangle():
    a, b = 0.3, 0.2  # along t2, t3
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * [a / 2, b / 2] + [0.1, 0.05]
    M = hydro.polygon(corners).inertia(jnp.asarray(500.0))
    m = 500 * a * b
    lever = np.array([0.0, 0.1, 0.05])
    own = np.diag([(a * a + b * b) / 12, b * b / 12, a * a / 12])
    about = m * (own + np.dot(lever, lever) * np.eye(3) - np.outer(lever, lever))
    np.testing.assert_allclose(M[3:, 3:], about, atol=1e-14)
    np.testing.assert_allclose(M[0, 0], m)


@pytest.mark.slow
def test_the_published_eel_is_neutrally_buoyant_in_any_attitude():
    """[BPK06, III.B] assumes it: weight and buoyancy leave the head's acceleration as it is, bent and rolled.

    9.81 m/s² cancel to round-off, summed over some hundred nodes; one per cent of the density does not.
    """
    eel, gait = cosserat.eel(), gaits.spiral()
    turned = np.array([0.7, 0.5, -0.3, 0.4]) / np.linalg.norm([0.7, 0.5, -0.3, 0.4])
    state = cosserat.HeadState([0.3, -0.2, 0.1], turned, [-0.4, 0.1, 0.05, 0.2, -0.1, 0.3])

    @jax.jit
    def acceleration(density):
        heavy = hydro.Together(hydro.Morison(), hydro.FreeSurface(level=50.0), hydro.Weight(density))
        return cosserat.head_acceleration(eel, gait, heavy, state, 2.3)

    weightless = jax.jit(lambda: cosserat.head_acceleration(eel, gait, hydro.Morison(), state, 2.3))()
    assert np.abs(acceleration(1000.0) - weightless).max() < 1e-9
    assert np.abs(acceleration(1010.0) - weightless).max() > 1e-2
