"""Quasi-steady air on blades: directions and sizes of the loads, work, rest, and what it refuses."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb
from anguilla import robots
from anguilla.robots.moth import READINGS, MothParameters, flight, model as moth, wing_of
from multibody.blades import blade_strip

AIR = hydro.QuasiSteady()
PLACE = hydro.Place(jnp.zeros(3), jnp.eye(3))


def section(chord=0.03):
    return hydro.BladeSection(jnp.asarray(chord), jnp.asarray(1e-4), jnp.asarray(0.4))


def by_vectors(velocity, chord=0.03, rho=1.22, swing=1.55):
    """The loads written with angles and unit vectors, as a paper would: no formula shared with the code."""
    V = np.linalg.norm(velocity)
    v, t = velocity / V, np.array([0.0, 0.0, 1.0])
    beta = np.arctan2(-velocity[1], -velocity[2])
    u = np.cross(v, np.cross(t, v))
    u /= np.linalg.norm(u)
    lift = 0.5 * rho * chord * V**2 * 1.8 * abs(np.sin(2 * beta)) * np.sign(t @ v) * u
    return lift, -0.5 * rho * chord * V**2 * (1.92 - swing * np.cos(2 * beta)) * v


def test_loads_are_those_of_the_angles():
    rng = np.random.default_rng(1)
    terms = jax.jit(lambda v: AIR.terms(section(), PLACE, jnp.concatenate([v, jnp.zeros(3)])))
    for velocity in rng.normal(size=(40, 3)):
        found, (lift, drag) = terms(velocity), by_vectors(velocity)
        np.testing.assert_allclose(found["lift"][:3], lift, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found["drag"][:3], drag, rtol=1e-12, atol=1e-14)
        assert abs(np.asarray(found["lift"])[:3] @ velocity) < 1e-14  # lift does no work
        assert np.asarray(found["drag"])[:3] @ velocity < 0
        assert found["lift"][1] * velocity[1] <= 0  # it pushes against the side that meets the air


def test_a_plate_face_on_and_edge_on():
    face, edge = (hydro.blade_forces(jnp.array(v)) for v in ([0.0, 2.0, 0.0], [0.0, 0.0, 2.0]))
    for lift, _ in (face, edge):
        assert not np.any(lift)
    force = lambda d: 1.92 * d[0] - 1.55 * d[1]  # noqa: E731
    np.testing.assert_allclose(force(face[1]), [0.0, -4.0 * 3.47, 0.0], rtol=1e-14)
    np.testing.assert_allclose(force(edge[1]), [0.0, 0.0, -4.0 * 0.37], rtol=1e-14)


@pytest.mark.parametrize("velocity", [[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1e-20, 0], [1e-8, 0, -1e-8]])
def test_derivatives_are_finite_at_rest_and_along_the_axes(velocity):
    load = lambda v: sum(AIR.terms(section(), PLACE, jnp.concatenate([v, jnp.zeros(3)])).values())[:3]  # noqa: E731
    slope = np.asarray(jax.jacfwd(load)(jnp.asarray(velocity, float)))
    assert np.isfinite(slope).all()
    if not np.any(velocity):
        assert not slope.any() and not np.any(load(jnp.zeros(3)))


def test_carried_air_does_no_work_and_wind_is_motion():
    twist = jnp.array([0.3, -1.1, 0.7, 5.0, -3.0, 8.0])
    carried = AIR.terms(section(), PLACE, twist)["added_mass"]
    assert abs(float(carried @ twist)) < 1e-15 < float(jnp.abs(carried).max())
    moving = AIR.terms(section(), PLACE, jnp.array([0.2, -0.4, 0.6, 0.0, 0.0, 0.0]))
    blown = hydro.QuasiSteady(wind=[-0.2, 0.4, -0.6]).terms(section(), PLACE, jnp.zeros(6))
    for name in moving:
        np.testing.assert_allclose(moving[name], blown[name], atol=1e-16)
    expected = 0.25 * 1.22 * np.pi * 0.03**2
    np.testing.assert_allclose(np.diagonal(AIR.added_inertia(section())), [0, expected, 0, 0, 0, 0], rtol=1e-14)


def test_blades_take_any_chord_law_and_weigh_as_boxes():
    strip = blade_strip(0.07, lambda x: 0.03 - 3.0 * x**2, thickness=1e-4)
    assert abs(float(jnp.sum(strip.weight * strip.section.chord)) - (0.03 * 0.07 - 0.07**3)) < 1e-16
    length, c, e, rho = 0.0175, 0.0315, 1e-4, 1400.0
    box = np.asarray(mb.link_inertia(blade_strip(length, c, thickness=e), rho))
    m = rho * length * c * e
    about_centre = m / 12 * np.diag([c**2 + e**2, length**2 + c**2, length**2 + e**2])
    centre = np.array([length / 2, 0.0, -c / 2])
    moved = about_centre + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    np.testing.assert_allclose(box[3:, 3:], moved, atol=1e-20)
    np.testing.assert_allclose(box[:3, :3], m * np.eye(3), rtol=1e-14)


def test_the_moth_of_table_1():
    tree = moth()
    assert len(tree.names) == 17 and tree.joint_names[1:4] == ("right_bend1", "right_twist2", "right_bend2")
    assert len(moth(reading="BT9").names) == 19 and len(moth(sections=16).names) == 65
    np.testing.assert_allclose(
        tree.stiffness[:8], 1e-3 * np.array([0, 36, 4.5, 29.25, 6, 22.5, 7.5, 15.75]), rtol=1e-12
    )
    thorax = 800 * 4 / 3 * np.pi * 8.5e-3**2 * 28e-3
    area = 17.5e-3 * 31.5e-3 * np.sqrt(1 - np.array([0, 1, 2, 3]) ** 2 / 16).sum()
    assert abs(float(mb.mass(tree)) - thorax - 2 * 1400 * 1e-4 * area) < 1e-15
    place = jax.jit(mb.configuration)(tree, tree.neutral())
    np.testing.assert_allclose(place.position[np.array([2, 10])], [[0, 0, 0.65 * 28e-3]] * 2, atol=1e-18)
    np.testing.assert_allclose(place.position[np.array([8, 16]), 0], [52.5e-3, -52.5e-3], rtol=1e-14)
    # Joints in series: a refined wing is as compliant as that of the table.
    laws = [wing_of(MothParameters(), M, READINGS["BT9"]) for M in (4, 64)]
    compliance = [float(jnp.sum(1.0 / wing.bend)) for wing in laws]
    assert abs(compliance[1] / compliance[0] - 1) < 0.03
    assert flight(sections=1).wing_joints == 1


def test_refusals():
    with pytest.raises(ValueError, match=r"drag - \|drag_swing\| = -0\.5.*: must be finite and not negative"):
        hydro.QuasiSteady(drag=1.0, drag_swing=1.5)
    with pytest.raises(ValueError, match="QuasiSteady.density = -1.0"):
        hydro.QuasiSteady(-1.0)
    with pytest.raises(ValueError, match="acts on AbstractSection, but the links of this tree carry BladeSection"):
        mb.immerse(moth(), hydro.Morison())
    with pytest.raises(ValueError, match="acts on BladeSection"):
        mb.immerse(robots.eel.model(), AIR)
    with pytest.raises(ValueError, match="reading = 'XX': must be one of 'TB8'"):
        moth(reading="XX")
    with pytest.raises(ValueError, match="sections = 0"):
        moth(sections=0)
    with pytest.raises(ValueError, match=r"MothParameters.span = -0\.07"):
        MothParameters(span=-0.07)
    with pytest.raises(ValueError, match="chord"):
        blade_strip(0.1, lambda x: x - 0.05)
    with pytest.raises(ValueError, match="steps = 3"):
        flight(steps=3)
