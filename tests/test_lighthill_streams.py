"""Lighthill's water that moves by itself, and along chains of links."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
import multibody
from validation.lighthill_cases import frictionless

pytestmark = pytest.mark.slow

GRID = 1e-6  # what one panel of 32 nodes carries of this gait
TWIST = jnp.asarray([-0.4, 0.05, -0.02, 0.1, -0.2, 0.3])
QUATERNION = jnp.asarray([0.6, 0.0, 0.0, 0.8])
PLACE = jnp.asarray([0.1, -0.2, 0.3])


class Drift(eqx.Module):
    """A uniform stream that starts and gains speed."""

    velocity: jax.Array
    acceleration: jax.Array

    def __call__(self, x, t):
        return self.velocity + self.acceleration * t


def _acceleration(water, twist, path=None):
    return cosserat.head_acceleration(
        cosserat.eel(), gaits.spiral(), water, cosserat.HeadState(PLACE, QUATERNION, twist), 1.3, path
    )


def test_a_uniform_stream_is_a_change_of_frame():
    u = jnp.asarray([0.3, -0.1, 0.2])
    head = cosserat.HeadState(PLACE, QUATERNION, TWIST)
    inside = jnp.concatenate([head.rotation.T @ u, jnp.zeros(3)])
    still = _acceleration(hydro.Lighthill(edge=1.95), TWIST)
    # The stream turns in the head frame: d(Rᵀu)/dt = -Ω × Rᵀu.
    carried = still - jnp.concatenate([jnp.cross(TWIST[3:], inside[:3]), jnp.zeros(3)])
    moving = _acceleration(hydro.Lighthill(edge=1.95, current=u), TWIST + inside)
    np.testing.assert_allclose(moving, carried, atol=GRID)

    # A neutrally buoyant body in a stream that accelerates as a whole moves in it as in still water.
    a = jnp.asarray([0.2, 0.5, -0.3])
    gaining = hydro.Lighthill(edge=1.95, current=Drift(u - 1.3 * a, a))
    there = carried + jnp.concatenate([head.rotation.T @ a, jnp.zeros(3)])
    np.testing.assert_allclose(_acceleration(gaining, TWIST + inside), there, atol=GRID)


def test_a_circular_section_in_a_straining_stream():
    """F = (ρA + m) Du/Dt - m dv/dt for a circular cylinder in a plane potential stream (Taylor; Auton, Hunt)."""
    s, m = 0.7, 1000.0 * np.pi * 0.05**2
    stream = hydro.Shear([0.0, 0.1, -0.2], [[0.0, 0, 0], [0, s, 0.3], [0, 0.3, -s]])
    water = frictionless(current=stream)
    section = hydro.EllipticSection(jnp.asarray(0.05), jnp.asarray(0.05))
    place = hydro.Place(jnp.asarray([0.2, 0.4, -0.3]), jnp.eye(3))
    v, dv = jnp.asarray([0.0, 0.5, 0.2]), jnp.asarray([0.0, -0.4, 0.9])
    twist, rate = jnp.concatenate([v, jnp.zeros(3)]), jnp.concatenate([dv, jnp.zeros(3)])
    slices = water.carried(water.added_inertia(section), place, twist, jnp.eye(6)[0], jnp.zeros(6))
    load = sum(water.terms(section, place, twist).values()) + slices.load - slices.inertia @ rate
    u = stream(place.position, jnp.zeros(()))
    Du = stream.gradient @ u
    np.testing.assert_allclose(load[:3], 2.0 * m * Du - m * dv, rtol=1e-12)


def test_a_vortex_street_is_a_potential_flow_between_its_cores():
    street = hydro.VortexStreet(0.5, 0.2, 0.4, core=1e-6)
    for x in ([0.13, 0.02, 0.0], [0.4, -0.2, 0.1]):
        gradient = jax.jacfwd(lambda x: street(x, jnp.asarray(0.3)))(jnp.asarray(x))
        assert abs(jnp.trace(gradient)) < 1e-7 and abs(gradient[0, 1] - gradient[1, 0]) < 1e-7
    far = street(jnp.asarray([0.1, 5.0, 0.0]), jnp.zeros(()))
    np.testing.assert_allclose(far, [0.5, 0.0, 0.0], atol=1e-12)  # the two rows cancel far away
    middle = jnp.mean(
        jax.vmap(lambda x: street(jnp.stack([x, 0.0, 0.0]), jnp.zeros(())))(0.4 * jnp.arange(64) / 64), axis=0
    )
    np.testing.assert_allclose(middle[0], 0.5 - 0.2 / 0.4, atol=1e-9)  # circulation over spacing, slower


def test_both_paths_see_a_vortex_street_at_its_time():
    water = hydro.Lighthill(edge=1.95, current=hydro.VortexStreet(0.4, 0.2, 2.0, core=0.6, centre=0.1))
    fast, nested = (_acceleration(water, TWIST, path) for path in (cosserat.Panels(), cosserat.Nested()))
    np.testing.assert_allclose(fast, nested, rtol=1e-4, atol=1e-5)
    frozen = _acceleration(eqx.tree_at(lambda w: w.current.phase, water, water.current.phase + 0.25), TWIST)
    assert np.abs(frozen - fast).max() > 1e-2


class Twisting(eqx.Module):
    """The spiral gait with torsion besides."""

    gait: eqx.Module

    def __call__(self, X, t):
        return self.gait(X, t) + 1.5 * jnp.sin(2.0 * X - 3.0 * t) * jnp.eye(6)[3]


@jax.jit
def _chain(tree, law, water, t):
    q, dq, ddq = multibody.law_motion(tree, law, t)
    state = multibody.BaseState(PLACE, QUATERNION, TWIST)
    return multibody.inverse_dynamics(tree, state, q, dq, ddq, fluid=water).base_acceleration


def test_the_chain_tends_to_the_beam_at_second_order():
    """With both numbers of links the edge lies in the middle of a link: its place there changes the constant."""
    beam, gait = cosserat.eel(), Twisting(gaits.spiral())
    water = hydro.Lighthill(edge=1.95, mass_roll=20.0, current=[0.1, 0.05, 0.0])
    reference = _reference(beam, gait, water)
    errors = []
    for links in (41, 81):
        tree, law = multibody.from_beam(beam, links), multibody.strain_law(gait, beam.length, links)
        errors.append(
            np.linalg.norm(_chain(tree, law, water, jnp.asarray(1.6)) - reference) / np.linalg.norm(reference)
        )
    print(f"chain against beam: {errors[0]:.2e}, {errors[1]:.2e}, order {np.log2(errors[0] / errors[1]):.3f}")
    assert errors[1] < 3e-3
    assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.1


def _reference(beam, gait, water):
    return cosserat.head_acceleration(beam, gait, water, cosserat.HeadState(PLACE, QUATERNION, TWIST), 1.6)


def test_a_tree_without_a_path_for_the_water_is_refused():
    beam = cosserat.eel()
    tree = multibody.from_beam(beam, 5)
    bare = eqx.tree_at(lambda tree: tree.strips.path, tree, None)
    with pytest.raises(ValueError, match="does not say in which order"):
        multibody.immerse(bare, hydro.Lighthill(edge=1.95))
    with pytest.raises(ValueError, match="edge = 1.9: must be a break"):
        multibody.immerse(tree, hydro.Lighthill(edge=1.9))
