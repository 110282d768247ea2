"""Moths out of the ordinary: one section, sixteen, no air, unequal wings; a coarse hover as a guess for a finer."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import multibody as mb
from anguilla.robots.moth import MothParameters, drifting_guess, drifting_hover, flight, hover, refined_guess

pytestmark = pytest.mark.slow

STEPS = 100  # of a stroke: nothing here depends on how fine they are


@pytest.fixture(scope="module")
def single():
    """The hover of wings of one section, which twists in the reading BT9."""
    return hover(flight(1, "BT9", steps=STEPS))


@pytest.fixture(scope="module")
def double():
    """The hover of wings of two sections, found from rest."""
    return hover(flight(2, "BT9", steps=STEPS))


def test_one_section_hovers_where_it_can_twist(single):
    assert float(single.residual) < 1e-10
    run = single.flight.fly(single.amplitude, single.start.thorax, *single.start.both_wings)
    np.testing.assert_allclose(run.position[-1], run.position[0], atol=1e-10)
    np.testing.assert_allclose(run.joints[-1], run.joints[0], atol=1e-9)
    # One joint for the whole wing is a poor wing: it must flap further than wings can.
    assert float(single.amplitude) > np.pi / 2


def test_a_coarse_hover_leads_to_that_of_finer_wings(single, double):
    guess = refined_guess(single, double.flight)
    np.testing.assert_allclose(hover(double.flight, guess).unknowns, double.unknowns, atol=1e-9)
    # The finer wing begins with the shape of the coarse one: half its bend and half its twist in each section.
    angles, rates = guess[4:8].reshape(2, 2), guess[8:12].reshape(2, 2)
    for section in (0, 1):
        np.testing.assert_allclose(angles[section], 0.5 * single.start.joints, rtol=1e-12)
        np.testing.assert_allclose(rates[section] * single.flight.frequency, 0.5 * single.start.joint_rates, rtol=1e-12)
    np.testing.assert_allclose(refined_guess(double, double.flight), double.unknowns, rtol=1e-12)


def test_a_stiffer_wing_makes_it_slip_sideways(double):
    found = {}
    for side, factors in {"right": (1.1, 1.0), "left": (1.0, 1.1)}.items():
        odd = flight(2, "BT9", MothParameters(wing_factors=factors), steps=STEPS)
        found[side] = drifting_hover(odd, drifting_guess(double))
    right, left = found["right"], found["left"]
    assert float(right.residual) < 1e-10
    # It keeps its height and, since the halves of its stroke are alike front to back, its heading: it slips sideways.
    assert abs(float(right.drift[2])) < 1e-10 and abs(float(right.yaw_rate)) < 1e-10
    assert abs(float(right.drift[0])) > 1e-3, right.drift
    # The moth whose other wing is stiffer flies the mirror image.
    np.testing.assert_allclose(left.drift, right.drift * jnp.array([-1.0, 1.0, 1.0]), atol=1e-9)
    assert float(left.amplitude) == pytest.approx(float(right.amplitude), rel=1e-9)


@pytest.mark.parametrize("density", [0.0, 1.22], ids=["no air", "air"])
def test_sixteen_sections_fly_and_fall_freely_where_there_is_no_air(density):
    machine = flight(16, parameters=MothParameters(air_density=density))
    still = jnp.zeros(2 * machine.wing_joints)
    # From rest, a twentieth of a stroke.
    run = machine.fly(jnp.asarray(0.7), mb.BaseState(), still, still, 0.05)
    assert bool(run.succeeded) and int(run.steps[0]) >= 40
    centre = eqx.filter_jit(lambda k: mb.centre_of_mass(machine.tree, run.state(k), run.joints[k]))
    moved, time = np.asarray(centre(jnp.asarray(1)) - centre(jnp.asarray(0))), float(run.time[1])
    off = np.abs(moved - np.array([0.0, 0.0, -0.5 * 9.81 * time**2])).max()
    # Whatever wings and thorax do to each other, what they make up falls as a stone does.
    assert np.abs(run.position[1, 1]) > 1e-6
    assert off > 1e-8 if density else off < 1e-11, off
