"""Laws, muscles, bases and small motions of soft beams against closed forms, and against each other."""

import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import hydro

STIFFNESS = np.array([1e4, 4e3, 4e3, 1.5, 4.0, 2.0])
REST = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.3])
pytestmark = pytest.mark.slow  # each compiles an equilibrium of its own

PATH = cosserat.Panels(order=12)
NEWTON = 1e-11  # residual of the equilibria, relative: what two ways to the same root may differ by


def clamped(law, modes, *, basis=None, rest=REST, **more):
    free = cosserat.FreeStrains(modes=modes, basis=basis)
    return cosserat.Soft(cosserat.rod(1.0, 0.01, 0.01), free, law, rest=rest, head=cosserat.Clamped(), **more)


def shape(soft):
    return np.asarray(cosserat.equilibrium(soft, path=PATH, tolerance=1e-12).q)


def test_quadratic_energy_is_the_linear_law():
    """The stress of ½ (ξ - ξ*)ᵀ H (ξ - ξ*) by differentiation, against the stiffness itself, to round-off."""
    load, modes = cosserat.EndLoad(force=[0.0, 1.0, 0.0], moment=[0.0, 0.0, 0.5]), {"G1": 2, "K3": 3}
    quadratic = cosserat.Hyperelastic(lambda X, xi: 0.5 * jnp.sum(STIFFNESS * (xi - REST) ** 2), rest=REST)
    linear, energy = (shape(clamped(law, modes, loads=load)) for law in (cosserat.Springs(STIFFNESS), quadratic))
    assert np.abs(linear).max() > 0.1
    assert np.abs(energy - linear).max() < NEWTON * np.abs(linear).max()


def test_hardening_spring_bends_to_a_circle():
    """U = ½ k κ² + ¼ a κ⁴ under a moment M: k κ + a κ³ = M all along, and the rod is an arc of that curvature."""
    k, a, moment = 2.0, 0.4, 5.0
    law = cosserat.Hyperelastic(lambda X, xi: 0.5 * k * xi[5] ** 2 + 0.25 * a * xi[5] ** 4)
    straight = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    soft = clamped(law, {"K3": 2}, rest=straight, loads=cosserat.EndLoad(moment=[0.0, 0.0, moment]))
    q = shape(soft)
    roots = np.roots([a, 0.0, k, -moment])
    curvature = float(roots[np.abs(roots.imag) < 1e-9].real[0])
    assert abs(curvature - moment / k) > 0.5  # the hardening is seen
    assert np.abs(q - [curvature, 0.0]).max() < NEWTON * curvature
    position, _ = cosserat.tail_pose(soft, q, path=PATH)
    arc = np.array([np.sin(curvature), 1.0 - np.cos(curvature), 0.0]) / curvature
    assert np.abs(np.asarray(position) - arc).max() < 1e-10


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_active_strain_shifts_the_rest_shape(scale):
    """Without loads the shape is ξ* + ξ_act, whatever the stiffness: 0.3 + 0.8 x in Legendre polynomials."""
    muscle = cosserat.ActiveStrain(lambda X, t: jnp.zeros(6).at[5].set(0.3 + 0.8 * X))
    q = shape(clamped(cosserat.Springs(scale * STIFFNESS), {"K3": 3}, actuators=muscle))
    assert np.abs(q - [0.7, 0.4 / np.sqrt(3.0), 0.0]).max() < NEWTON


def test_one_constant_strain_is_the_first_polynomial():
    """One part, one polynomial: the same equilibrium under a force that bends unevenly."""
    load, law = cosserat.EndLoad(force=[0.0, 1.5, 0.0]), cosserat.Springs(STIFFNESS)
    parts, polynomial = (
        shape(clamped(law, {"K3": 1}, basis=basis, loads=load))
        for basis in (cosserat.PiecewiseConstant(), cosserat.Legendre())
    )
    assert abs(polynomial[0]) > 0.1
    assert np.abs(parts - polynomial).max() < NEWTON


def test_each_part_of_a_constant_strain_takes_its_moment():
    """Under a moment all four parts bend alike: √4 q_k = M / EI."""
    soft = clamped(
        cosserat.Springs(STIFFNESS),
        {"K3": 4},
        basis=cosserat.PiecewiseConstant(),
        loads=cosserat.EndLoad(moment=[0.0, 0.0, 1.0]),
    )
    assert np.abs(2.0 * shape(soft) - 1.0 / STIFFNESS[5]).max() < NEWTON


def test_small_motions_grow_and_turn_as_natural_modes():
    """With damping τH each natural mode obeys λ² + τω²λ + ω² = 0, so that λ follows from ω alone."""
    tau = 2e-3
    soft = clamped(cosserat.Springs(STIFFNESS, damping_time=tau), {"K3": 3}, rest=(1.0, 0, 0, 0, 0, 0))
    omega = np.asarray(cosserat.natural_modes(soft, path=PATH).frequency)
    rates = np.asarray(cosserat.complex_modes(soft, None, hydro.Void(), path=PATH).rate)
    expected = np.concatenate([np.roots([1.0, tau * w**2, w**2]) for w in omega])
    order = lambda values: values[np.lexsort([np.round(values.imag, 6), np.round(values.real, 6)])]  # noqa: E731
    found, expected = order(rates), order(expected)
    assert found.shape == expected.shape == (6,)
    # Rates by differentiation of the motion, relative to the fastest: round-off times the condition of the inertia.
    assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max()
