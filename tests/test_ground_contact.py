"""Compliant contact: a body at rest, a bounce, a slope, work and energy on hills, refusals."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from anguilla import ground

ROD = cosserat.Beam(hydro.uniform_profile(1.0, 0.02, 0.02), load_panels=(2,))
G, K = 9.81, 1e4
LINE = 1000.0 * np.pi * 0.02**2  # kg/m
STRAIGHT = gaits.Strain()
SECTION = hydro.EllipticSection(jnp.array(0.03), jnp.array(0.02))


def hills(x, y):
    return 0.05 * jnp.sin(3.0 * x) * jnp.cos(2.0 * y)


def slope(x, y):
    return -0.3 * x


@pytest.mark.slow
def test_a_dropped_rod_bounces_back_to_its_height():
    """Free fall, half an oscillation of mass and spring under weight, free flight: the period has a closed form."""
    fall, omega = 0.05, np.sqrt(K / LINE)
    touch = 2.0 * (np.pi - np.arctan(np.sqrt(2 * G * fall) * omega / G)) / omega
    period = 2.0 * np.sqrt(2 * fall / G) + touch
    falls = hydro.Together(hydro.Weight(1000.0), ground.Contact(stiffness=K, damping=0.0))
    state = cosserat.HeadState(position=(0, 0, 0.02 + fall))
    options = {"samples": 3, "solver": diffrax.Dopri5(), "rtol": 1e-9, "atol": 1e-11, "path": cosserat.Panels(order=4)}
    run = cosserat.rollout(ROD, STRAIGHT, falls, period, state=state, **options)
    assert abs(float(run.position[-1, 2]) - 0.02 - fall) < 1e-6
    assert abs(float(run.twist[-1, 2])) < 1e-5
    deepest = (G + np.sqrt(G**2 + 2 * G * fall * omega**2)) / omega**2
    assert abs(0.02 - float(run.position[1, 2]) - deepest) < 1e-6  # half-way it is at its deepest


def test_on_a_slope_given_as_a_function_a_body_accelerates_as_on_a_plane():
    """V̇1 = g (sin θ - μ cos θ) while it slides at depth ρAg cos θ / k, and no acceleration along the normal."""
    theta, mu = np.arctan(0.3), 0.2
    depth = LINE * G * np.cos(theta) / K
    normal = np.array([np.sin(theta), 0.0, np.cos(theta)])
    state = cosserat.HeadState(
        (0.02 - depth) * normal, (np.cos(theta / 2), 0, np.sin(theta / 2), 0), (1, 0, 0, 0, 0, 0)
    )
    rough = ground.Contact(slope, mu, 0.9, mu, stiffness=K, width=1e-4)
    falls = hydro.Together(hydro.Weight(1000.0), rough)
    found = cosserat.head_dynamics(ROD, STRAIGHT, falls, state, 0.0)
    force = np.asarray(found.wrench[:3]) / LINE
    expected = [G * (np.sin(theta) - mu * np.cos(theta)), 0.0, 0.0]
    np.testing.assert_allclose(force, expected, atol=1e-6)  # the smoothing takes (ε/v)²/2


def test_on_hills_the_elastic_load_is_the_gradient_of_its_energy_and_the_rest_takes_power():
    rough = ground.Contact(hills, 0.1, 0.4, 0.2, stiffness=K, damping=2.0, viscous=0.5)
    random = np.random.default_rng(1)
    taken = []
    for _ in range(20):
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        axes *= np.linalg.det(axes)
        x, y = random.uniform(-1, 1, 2)
        place = hydro.Place(jnp.array([x, y, float(hills(x, y)) + random.uniform(-0.02, 0.03)]), jnp.asarray(axes))
        twist = jnp.asarray(random.normal(size=6))

        def energy(s, place=place, twist=twist):
            spin = jax.scipy.linalg.expm(s * jnp.asarray(_hat(np.asarray(twist[3:]))))
            moved = place.position + place.rotation @ (s * twist[:3])
            return rough.potential(SECTION, hydro.Place(moved, place.rotation @ spin))

        h = 1e-6
        rate = float(energy(h) - energy(-h)) / (2 * h)
        terms = rough.terms(SECTION, place, twist)
        assert abs(float(terms["contact"] @ twist) + rate) < 1e-5 * max(1.0, abs(rate))
        taken += [float(terms["contact_damping"] @ twist), float(terms["friction"] @ twist)]
    assert max(taken) <= 0.0 and min(taken) < -1.0


def _hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def test_nothing_is_felt_above_the_ground_and_gradients_are_finite():
    rough = ground.Contact(hills)
    above = hydro.Place(jnp.array([0.1, 0.2, 1.0]), jnp.eye(3))
    for load in rough.terms(SECTION, above, jnp.ones(6)).values():
        np.testing.assert_array_equal(load, 0.0)
    rest = hydro.Place(jnp.array([0.1, 0.2, 0.0]), jnp.eye(3))
    total = lambda v: sum(rough.terms(SECTION, rest, v).values())  # noqa: E731
    assert np.all(np.isfinite(jax.jacobian(total)(jnp.zeros(6))))


def test_refusals():
    with pytest.raises(ValueError, match="height = 0.0: must be a function"):
        ground.Contact(0.0)
    with pytest.raises(ValueError, match="stiffness.*positive"):
        ground.Contact(stiffness=0.0)
    with pytest.raises(ValueError, match="damping.*not negative"):
        ground.Contact(damping=-1.0)
