"""Periodic orbits: a map with a known orbit, and the steady swim of the eel."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from validation.reference import eel_reference


def test_an_orbit_known_in_closed_form():
    """The fixed point of x -> A x + b, and its derivative by b."""
    A = jnp.array([[0.3, 0.4], [-0.4, 0.3]])
    flow = lambda x, b: A @ x + b  # noqa: E731
    b = jnp.array([1.0, -2.0])
    orbit = gaits.periodic_orbit(flow, [0.0, 0.0], b)
    assert np.abs(np.asarray(orbit.start) - np.linalg.solve(np.eye(2) - A, b)).max() < 1e-13
    assert np.allclose(np.abs(orbit.multipliers), 0.5, rtol=1e-13) and orbit.stable
    derivative = jax.jacfwd(lambda b: gaits.periodic_orbit(flow, jnp.zeros(2), b).start)(b)
    assert np.abs(derivative - np.linalg.inv(np.eye(2) - A)).max() < 1e-12


def test_a_map_without_orbit_says_so():
    with pytest.raises(Exception, match="no periodic orbit"):
        gaits.periodic_orbit(lambda x, _: x + 1.0, [0.0]).start.block_until_ready()
    with pytest.raises(ValueError, match=r"guess = \[nan\]: must be finite"):
        gaits.periodic_orbit(lambda x, _: x, [np.nan])


BEAM, FLUID = cosserat.eel(), hydro.Morison()


def period(twist, amplitude):
    """One period of the planar gait, in full swing."""
    return cosserat.rollout(
        BEAM,
        gaits.planar(amplitude=amplitude),
        FLUID,
        3.0,
        t0=2.0,
        state=cosserat.HeadState(twist=twist),
        samples=2,
        # Constant steps make the flow a smooth map, of which Newton finds the fixed point to round-off.
        controller=diffrax.ConstantStepSize(),
        dt0=0.01,
        solver=diffrax.Tsit5(),
        adjoint=diffrax.ForwardMode(),
        throw=False,
    )


def steady(amplitude):
    """The orbit and its mean speed [m/s]."""
    orbit = gaits.periodic_orbit(
        lambda twist, a: period(twist, a).twist[-1], jnp.array([-0.4, 0, 0, 0, 0, 0]), amplitude, tolerance=1e-10
    )
    return orbit, jnp.linalg.norm(period(orbit.start, amplitude).position[-1, :2])


def test_steady_planar_swim():
    amplitude = jnp.array([1.0, -0.75, 1.0])
    orbit, speed = jax.jit(steady)(amplitude)
    assert orbit.residual < 1e-10
    assert abs(speed - eel_reference()["planar_speed_variants"]["perimeter pi(b+c), Cd_head=0.2"]["speed_39_40"]) < 1e-4
    flow = jax.jit(lambda twist: period(twist, amplitude).twist[-1])
    differenced = np.stack([(flow(orbit.start + h) - flow(orbit.start - h)) / 2e-5 for h in 1e-5 * jnp.eye(6)], axis=1)
    multipliers = np.linalg.eigvals(differenced)
    multipliers = multipliers[np.argsort(-np.abs(multipliers))]
    assert np.abs(np.sort(np.abs(multipliers)) - np.sort(np.abs(orbit.multipliers))).max() < 1e-5
    gradient = jax.jit(jax.jacfwd(lambda a: steady(a)[1]))(amplitude)
    step = jnp.array([1e-4, 0.0, 0.0])
    speed_of = jax.jit(lambda a: steady(a)[1])
    central = (speed_of(amplitude + step) - speed_of(amplitude - step)) / 2e-4
    assert abs(gradient[0] - central) < 1e-5 * abs(central)
