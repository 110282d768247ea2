"""NATRIX: its structure, how it floats, what it conserves, when it capsizes."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb
from anguilla.robots.natrix import model as natrix
from anguilla.robots.natrix.laws import natrix_bending, natrix_shape, natrix_undulation
from anguilla.robots.natrix.roll import RollResponse, initial_rolls, rest_states, roll_response, undulating
from anguilla.robots.natrix.tree import LENGTH, YAW_ABSCISSAE, natrix_solids
from multibody.floating_batch import floating_rate
from multibody.state import unchecked_state

pytestmark = pytest.mark.slow

SURFACE = hydro.FreeSurface()


@pytest.fixture(scope="module")
def tree():
    return natrix()


@pytest.fixture(scope="module")
def shapes(tree):
    """A held wave and its equilibrium."""
    q = natrix_shape(0.4)
    return q, mb.equilibrium(tree, q, SURFACE)


def test_table_one(tree):
    assert pytest.approx(1.24) == LENGTH
    assert len([name for name in tree.names if name != "pan"]) == 14 and len(tree.joint_names) == 14
    assert all(tree.actuated)
    configuration = jax.jit(mb.configuration)
    place = configuration(tree, jnp.zeros(14))
    np.testing.assert_allclose(place.position[8], [1.055, 0, 0], atol=1e-14)  # joint of the last module
    np.testing.assert_allclose(place.position[9:, 0], 0.29 + 0.17 * np.arange(6), atol=1e-14)  # middles of shells
    np.testing.assert_allclose(place.rotation[4:9], np.tile(np.eye(3), (5, 1, 1)), atol=1e-14)  # z up
    np.testing.assert_allclose(YAW_ABSCISSAE - 0.015, place.position[[1, 4, 5, 6, 7, 8], 0], atol=1e-14)
    # q1 and q2 pitch about the same axis: head up and back leaves the head level.
    tilted = configuration(tree, jnp.zeros(14).at[1].set(0.3).at[2].set(-0.3))
    np.testing.assert_allclose(tilted.rotation[5], np.eye(3), atol=1e-14)
    assert abs(float(tilted.position[8, 2])) > 0.02
    assert float(mb.mass(tree)) == pytest.approx(3.37, abs=0.01)  # the reconstruction
    assert float(mb.mass(tree) / (1000 * mb.displaced_volume(tree))) == pytest.approx(0.5, abs=0.02)


def test_equilibrium_of_a_wave(tree, shapes):
    q, rest = shapes
    assert bool(rest.converged) and bool(rest.stable) and float(rest.residual) < 1e-12
    np.testing.assert_allclose(rest.stiffness, rest.stiffness.T, atol=1e-8)
    # Archimedes, by the closed solids of the same robot: weight carried, no moment about the centre of mass.
    hulls = mb.hulls(tree, natrix_solids())
    load = jax.jit(lambda: hulls.frozen(tree, SURFACE, q).wrench(rest.state))()
    R, weight = rest.state.rotation, float(mb.mass(tree)) * 9.81
    force, centre = R @ load[:3], jax.jit(mb.centre_of_mass)(tree, rest.state, q)
    moment = R @ load[3:] - jnp.cross(centre - rest.state.position, force)
    np.testing.assert_allclose(force, [0, 0, weight], atol=1e-4 * weight)  # two sections for each body
    np.testing.assert_allclose(moment, 0, atol=1e-4 * weight)
    # A paddle of a wave rocks in some 0.4 s: the paper's Figure 4 tells 15 oscillations or more in 10 s.
    assert 1.5 < float(rest.frequencies[0]) < 2.5


def test_a_heavy_robot_sinks():
    heavy = natrix(fill=1.1)
    with pytest.raises(ValueError, match="the robot sinks: its mass"):
        mb.equilibrium(heavy, jnp.zeros(14), SURFACE)
    with pytest.raises(ValueError, match="the robot sinks"):
        mb.righting_curve(heavy, jnp.zeros(14), SURFACE, [0.0])


def test_a_righting_curve_does_not_depend_on_the_height_of_the_water(tree):
    q, angles = natrix_shape(0.3), np.linspace(-0.4, 0.4, 3)
    here, there = (mb.righting_curve(tree, q, hydro.FreeSurface(level=level), angles) for level in (0.0, 25.0))
    np.testing.assert_allclose(there.arm, here.arm, atol=1e-9)
    np.testing.assert_allclose(there.height - 25.0, here.height, atol=1e-9)
    assert bool(mb.equilibrium(tree, q, hydro.FreeSurface(level=25.0)).converged)


def test_reduced_dynamics_are_newton_euler(tree):
    """Momentum of the whole shape against the wrenches of every body: two derivations of one acceleration."""
    law, t = natrix_undulation(0.3, 1.4, start=0.1), jnp.asarray(0.37)
    twist = jnp.array([0.3, -0.2, 0.1, 1.1, -0.7, 0.5])
    state = mb.BaseState((0.1, 0.2, 0.003), np.array([0.9, 0.3, -0.2, 0.1]) / np.sqrt(0.95), twist)

    @jax.jit
    def both():
        q, dq, ddq = mb.law_motion(tree, law, t)
        found = mb.inverse_dynamics(tree, state, q, dq, ddq, fluid=SURFACE, gravity=jnp.asarray(hydro.EARTH))
        points, shape = tree.strips.points, mb.shape_motion(tree, law, t)
        y = (state.position, state.quaternion, state.twist)
        return found.base_acceleration, floating_rate(shape, SURFACE, points.section, points.weight, y)[2]

    np.testing.assert_allclose(*both(), atol=1e-10)


def test_centre_of_mass_in_free_bending(tree):
    """(17) with the integration begun anew at t_f: 1e-9 m (published: 1e-4 m)."""
    run = mb.rollout(tree, natrix_bending(), None, 20.0, samples=41, solver=diffrax.Dopri8(), rtol=1e-11, atol=1e-12)
    at = lambda p, a, w, q: mb.centre_of_mass(tree, unchecked_state(p, a, w), q)  # noqa: E731
    centre = jax.jit(jax.vmap(at))(run.position, run.quaternion, run.twist, run.joints)
    assert np.ptp(np.asarray(centre), axis=0).max() < 1e-9
    assert np.ptp(np.asarray(run.position), axis=0).max() > 0.1
    # By equal steps, one of which ends at t_f to the last bit: its last stage must not see the jump.
    steps = mb.march(tree, natrix_bending(), None, 20.0, dt=5e-3, every=400)
    centre = jax.jit(jax.vmap(at))(steps.position, steps.quaternion, steps.twist, steps.joints)
    assert np.ptp(np.asarray(centre), axis=0).max() < 1e-9


@pytest.fixture(scope="module")
def responses(tree):
    states = rest_states(tree, SURFACE, initial_rolls(16))
    return {F: roll_response(undulating(tree, SURFACE, states, 0.25, F)) for F in (1.0, 1.39)}


def test_capsizing_band(responses):
    """At Q = 0.25 rad some of 16 initial rolls capsize inside 1.33-1.41 Hz, none far below; beats around it."""
    assert float(responses[1.39].capsized) > 0 and float(responses[1.0].capsized) == 0
    assert np.median(responses[1.39].deviation) > 3 * np.median(responses[1.0].deviation)
    assert set(np.asarray(responses[1.0].regime)) == {0.0} and 1.0 in np.asarray(responses[1.39].regime)


def test_the_band_moves_up_with_the_amplitude(tree):
    """[XHLB23, Figure 6 right]: where Q = 0.2 rad capsizes 0.3 rad does not, and the reverse at a higher frequency."""
    states = rest_states(tree, SURFACE, initial_rolls(8))
    capsized = lambda Q, F: float(roll_response(undulating(tree, SURFACE, states, Q, F)).capsized)  # noqa: E731
    assert capsized(0.2, 1.2) > 0.0 and capsized(0.3, 1.2) == 0.0
    assert capsized(0.2, 1.55) == 0.0 and capsized(0.3, 1.55) > 0.0


def test_regimes_by_definition():
    found = RollResponse(jnp.array([3.1, 0.5, 0.5]), jnp.ones(3), jnp.array([0.0, 0.6, 0.1]))
    np.testing.assert_array_equal(found.regime, [2.0, 1.0, 0.0])
    assert float(found.capsized) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: mb.march(t, natrix_bending(), None, 1.0, dt=0.3), "whole multiple"),
        (
            lambda t: mb.float_march(t, natrix_bending(), hydro.FreeSurface(flow=hydro.Morison()), 1.0, mb.BaseState()),
            "flow",
        ),
        (lambda t: natrix(fill=0.0), "fill"),
        (lambda t: natrix(vertices=2), "vertices"),
        (lambda t: initial_rolls(0), "count"),
        (lambda t: natrix_undulation(frequency=0.0), "frequency"),
        (lambda t: mb.hulls(t, [(99, jnp.eye(3), natrix_solids()[0][2])]), "body number"),
    ],
)
def test_refusals(tree, call, message):
    with pytest.raises(ValueError, match=message):
        call(tree)
