"""Exact invariances of the continuous eel: what must hold whatever the gait."""

import diffrax
import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cosserat
import gaits
import hydro
import spatial
from validation.reference import eel_cases, eel_reference

pytestmark = pytest.mark.slow

BEAM, FLUID = cosserat.eel(), hydro.Morison()
CASES = {case.name: case for case in eel_cases()}
CASE = CASES["B1_TimoshenkoReissner"]
ROUND_OFF = 1e-11  # relative: sums over 150 nodes of numbers of order 1e2, then a 6x6 solve
vectors = st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3).map(jnp.asarray)
examples = settings(max_examples=10, deadline=None)


def close(value, expected, tolerance=ROUND_OFF):
    value, expected = np.asarray(value), np.asarray(expected)
    return np.abs(value - expected).max() <= tolerance * np.abs(expected).max()


@examples
@given(vectors, vectors)
def test_equivariance_under_rigid_displacements(turn, shift):
    q = spatial.quaternion_multiply(spatial.quaternion_exp(turn), CASE.state.quaternion)
    moved = cosserat.HeadState(CASE.state.position + shift, q, CASE.state.twist)
    here = cosserat.internal_wrench(BEAM, CASE.gait, FLUID, CASE.state, CASE.t)
    there = cosserat.internal_wrench(BEAM, CASE.gait, FLUID, moved, CASE.t)
    R = np.asarray(spatial.matrix_from_quaternion(spatial.quaternion_exp(turn)))
    assert close(there.head_twist_rate, here.head_twist_rate)
    assert close(there.moment, here.moment)
    assert close(there.force_w, np.asarray(here.force_w) @ R.T)


def mirrored(gait):
    """Reflection in the plane (t1, t3): y -> -y; strains and twists change as polar and axial vectors do."""
    sign = jnp.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    return sign, lambda X, t: sign * gait(X, t)


@pytest.mark.parametrize("name", CASES)
def test_mirror(name):
    case = CASES[name]
    sign, gait = mirrored(case.gait)
    state = cosserat.HeadState(twist=case.state.twist)
    image = cosserat.HeadState(twist=sign * case.state.twist)
    rate = cosserat.head_acceleration(BEAM, case.gait, FLUID, state, case.t)
    assert close(cosserat.head_acceleration(BEAM, gait, FLUID, image, case.t), sign * rate)


def test_density_scaling():
    """Both densities times k: the same motion, internal wrench times k."""
    k = 1.7
    heavy, dense = cosserat.eel(density=1000.0 * k), hydro.Morison(1000.0 * k)
    light = cosserat.internal_wrench(BEAM, CASE.gait, FLUID, CASE.state, CASE.t)
    fields = cosserat.internal_wrench(heavy, CASE.gait, dense, CASE.state, CASE.t)
    assert close(fields.head_twist_rate, light.head_twist_rate)
    assert close(fields.force_w, k * light.force_w) and close(fields.moment, k * light.moment)


def test_length_scaling():
    """All lengths times k, curvatures over k, velocities times k: accelerations times k, forces k⁴, moments k⁵."""
    k = 1.3
    sizes = {"radius": 0.075, "shoulder": 0.296, "tail": 1.95, "tail_b": 0.025, "tail_c": 0.05, "length": 2.0}
    large = cosserat.eel(**{name: k * size for name, size in sizes.items()})
    scale = jnp.array([1.0, 1, 1, 1 / k, 1 / k, 1 / k])
    gait = lambda X, t: scale * CASE.gait(X / k, t)  # noqa: E731
    six = np.array([k, k, k, 1, 1, 1])
    state = cosserat.HeadState(k * CASE.state.position, CASE.state.quaternion, jnp.asarray(six) * CASE.state.twist)
    small = cosserat.internal_wrench(BEAM, CASE.gait, FLUID, CASE.state, CASE.t)
    fields = cosserat.internal_wrench(large, gait, FLUID, state, CASE.t)
    assert close(fields.head_twist_rate, six * np.asarray(small.head_twist_rate))
    assert close(fields.force_w, k**4 * small.force_w) and close(fields.moment, k**5 * small.moment)


def test_time_scaling():
    """K(X, s t), s V, s Ω: accelerations, n and M times s²."""
    s = 1.4
    gait = lambda X, t: CASE.gait(X, s * t)  # noqa: E731
    state = cosserat.HeadState(CASE.state.position, CASE.state.quaternion, s * CASE.state.twist)
    slow = cosserat.internal_wrench(BEAM, CASE.gait, FLUID, CASE.state, CASE.t)
    fields = cosserat.internal_wrench(BEAM, gait, FLUID, state, CASE.t / s)
    assert close(fields.head_twist_rate, s**2 * slow.head_twist_rate)
    assert close(fields.force_w, s**2 * slow.force_w) and close(fields.moment, s**2 * slow.moment)


def test_straight_coasting():
    """V = V0 / (1 + k V0 t), with k from the drag of the straight body and its axial inertia."""
    k, V0 = 0.2437004741146085, 0.8
    run = cosserat.rollout(
        BEAM,
        lambda X, t: jnp.array([1.0, 0, 0, 0, 0, 0]),
        FLUID,
        10.0,
        state=cosserat.HeadState(twist=[-V0, 0, 0, 0, 0, 0]),
        samples=11,
        rtol=1e-12,
        atol=1e-14,
        solver=diffrax.Dopri8(),
    )
    t = np.asarray(run.time)
    assert np.abs(np.asarray(run.twist[:, 0]) + V0 / (1 + k * V0 * t)).max() < 1e-9
    assert np.abs(np.asarray(run.position[:, 0]) + np.log(1 + k * V0 * t) / k).max() < 1e-9
    assert abs(float(run.twist[-1, 0]) - eel_reference()["checks"]["coast"]["V10"]) < 1e-9


def test_a_uniform_current_carries_the_swimmer():
    """Swimming in a stream is swimming in still water plus the drift."""
    U = jnp.array([0.2, -0.1, 0.05])
    gait = gaits.spiral()
    still = cosserat.rollout(BEAM, gait, FLUID, 2.0, samples=5, rtol=1e-9, atol=1e-11, solver=diffrax.Dopri8())
    start = cosserat.HeadState(twist=[*U, 0.0, 0.0, 0.0])
    stream = hydro.Morison(current=U)
    carried = cosserat.rollout(
        BEAM, gait, stream, 2.0, state=start, samples=5, rtol=1e-9, atol=1e-11, solver=diffrax.Dopri8()
    )
    drift = np.asarray(still.time)[:, None] * np.asarray(U)[None, :]
    assert np.abs(np.asarray(carried.position - still.position) - drift).max() < 1e-7
    assert np.abs(np.asarray(carried.quaternion - still.quaternion)).max() < 1e-7


def test_vmap_over_gaits_and_beams_is_a_loop():
    amplitudes = jnp.array([[1.0, -0.75, 1.0], [0.5, -0.2, 0.8], [0.0, 0.0, 0.0]])
    radii = jnp.array([0.07, 0.075, 0.08])
    state = cosserat.HeadState(twist=[-0.3, 0.1, 0.0, 0.0, 0.0, 0.2])

    def one(amplitude, radius):
        beam, gait = cosserat.eel(radius=radius), gaits.planar(amplitude=amplitude)
        return cosserat.head_acceleration(beam, gait, FLUID, state, 0.7)

    batch = eqx.filter_jit(eqx.filter_vmap(one))(amplitudes, radii)
    loop = jnp.stack([one(a, r) for a, r in zip(amplitudes, radii, strict=True)])
    assert close(batch, loop, 1e-12)
