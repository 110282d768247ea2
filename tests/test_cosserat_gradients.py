"""Derivatives of the distance swum: finite from rest, equal to central differences, in both modes."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro

pytestmark = pytest.mark.slow

NAMES = ("α1", "α2", "α3", "λ", "T", "K2 offset", "K3 offset", "begin", "end")
START = jnp.array([1.0, -0.75, 1.0, 1.0, 1.0, 0.2, 0.3, 0.1, 1.0])
SETTINGS = {"samples": 2, "rtol": 1e-10, "atol": 1e-12, "solver": diffrax.Dopri8()}


def gait_of(p):
    return gaits.spiral(offset2=p[5], offset3=p[6], amplitude=p[:3], wavelength=p[3], period=p[4], begin=p[7], end=p[8])


def distance(p, adjoint=None):
    """Forward advance of the nose in 1.2 s from rest [m]."""
    run = cosserat.rollout(cosserat.eel(), gait_of(p), hydro.Morison(), 1.2, adjoint=adjoint, **SETTINGS)
    return -run.position[-1, 0]


@pytest.fixture(scope="module")
def central():
    f = eqx.filter_jit(distance)
    steps = 1e-4 * np.eye(len(START))
    return np.array([(f(START + h) - f(START - h)) / 2e-4 for h in jnp.asarray(steps)])


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_gradient_of_the_distance_from_rest(mode, central):
    if mode == "reverse":
        gradient = jax.jit(jax.grad(distance))(START)
    else:
        gradient = jax.jit(jax.jacfwd(lambda p: distance(p, diffrax.ForwardMode())))(START)
    assert np.isfinite(gradient).all()
    assert np.abs(np.asarray(gradient) - central).max() < 1e-5 * np.abs(central).max()
    assert (np.abs(central) > 1e-4).all()  # each parameter matters


def test_gradients_at_rest_straight_and_still():
    """Zero velocity, zero curvature, zero time: nothing is NaN, whatever one differentiates by."""

    def acceleration(p, twist, radius, density, friction):
        state = cosserat.HeadState(twist=twist)
        fluid = hydro.Morison(density, drag_axial=friction, added_mass="kirchhoff")
        return cosserat.head_acceleration(cosserat.eel(radius=radius), gait_of(p), fluid, state, 0.0)

    still = jnp.concatenate([jnp.zeros(3), START[3:5], jnp.zeros(2), START[7:]])
    where = (still, jnp.zeros(6), jnp.asarray(0.075), jnp.asarray(1000.0), jnp.asarray(0.01))
    for transform in (jax.jacfwd, jax.jacrev):
        for derivative in jax.jit(transform(acceleration, argnums=(0, 1, 2, 3, 4)))(*where):
            assert np.isfinite(derivative).all()


def test_gradient_by_the_body_and_the_water():
    """Co-design: the head's acceleration by a size of the body and by a coefficient of the fluid."""
    state = cosserat.HeadState(twist=[-0.3, 0.1, 0.05, 0.2, -0.1, 0.3])

    def axial(p):
        beam = cosserat.eel(radius=p[0], tail_c=p[1], density=p[2])
        fluid = hydro.Morison(drag_lateral=p[3], nose_drag=p[4])
        return cosserat.head_acceleration(beam, gaits.spiral(), fluid, state, 1.7)[0]

    p = jnp.array([0.075, 0.05, 1000.0, 1.0, 0.2])
    gradient = np.asarray(jax.jit(jax.grad(axial))(p))
    for k in range(len(p)):
        h = jnp.zeros(len(p)).at[k].set(1e-5 * p[k])
        central = (axial(p + h) - axial(p - h)) / (2 * h[k])
        assert abs(gradient[k] - central) < 1e-6 * abs(central)


def test_second_derivatives_of_the_acceleration():
    """Its first derivatives have a rule of their own; what is differentiated again is that rule."""
    state, weights = (
        cosserat.HeadState(twist=[-0.3, 0.1, 0.05, 0.2, -0.1, 0.3]),
        jnp.array([1.0, 0.5, 0.2, 0.1, 0.3, 0.7]),
    )

    def scalar(p):
        beam = cosserat.eel(density=1000.0 * p[-1])  # its inertia varies as well
        gait = gaits.spiral(p[3], 0.5, p[:3])
        return weights @ cosserat.head_acceleration(beam, gait, hydro.Morison(), state, 1.7)

    p = jnp.array([1.0, -0.75, 1.0, 0.5, 1.1])
    gradient = jax.jit(jax.grad(scalar))
    central = [(gradient(p + h) - gradient(p - h)) / 2e-5 for h in 1e-5 * jnp.eye(len(p))]
    hessian = jax.jit(jax.jacfwd(jax.grad(scalar)))(p)
    assert np.abs(hessian - np.stack(central)).max() < 1e-6 * np.abs(hessian).max()
    assert np.abs(hessian - hessian.T).max() < 1e-10 * np.abs(hessian).max()
