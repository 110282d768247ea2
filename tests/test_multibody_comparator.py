"""The chain of rigid links tends to the beam at second order; the two engines share neither code nor nodes."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
import multibody as mb

pytestmark = pytest.mark.slow

TWIST = np.array([-0.3, 0.05, -0.02, 0.1, -0.2, 0.3])
TIMES = jnp.asarray([0.7, 1.1, 1.6, 2.3])  # in the start and after it, at four phases [s]
LINKS = (13, 40, 160)
# The planar gait is the spiral without its offsets: written so, one compiled program serves both.
GAITS = {"planar": lambda: gaits.spiral(0.0, 0.0), "spiral": gaits.spiral}
FLUIDS = {"vacuum": hydro.Void, "water": hydro.Morison}


@jax.jit
def chain_acceleration(tree, law, fluid, t):
    q, dq, ddq = mb.law_motion(tree, law, t)
    return mb.inverse_dynamics(tree, mb.BaseState(twist=TWIST), q, dq, ddq, fluid=fluid).base_acceleration


@pytest.mark.parametrize("gait", GAITS)
@pytest.mark.parametrize("fluid", FLUIDS)
def test_second_order_convergence_to_the_beam(gait, fluid):
    beam, strain, medium = cosserat.eel(), GAITS[gait](), FLUIDS[fluid]()
    head = cosserat.HeadState(twist=TWIST)
    reference = np.stack([cosserat.head_acceleration(beam, strain, medium, head, t) for t in TIMES])
    errors = []
    for links in LINKS:
        tree, law = mb.from_beam(beam, links), mb.strain_law(strain, beam.length, links)
        found = np.stack([chain_acceleration(tree, law, medium, t) for t in TIMES])
        relative = np.linalg.norm(found - reference, axis=1) / np.linalg.norm(reference, axis=1)
        errors.append(np.sqrt(np.mean(relative**2)))
    slope = np.polyfit(np.log([1.0 / (n - 1) for n in LINKS]), np.log(errors), 1)[0]
    print(f"{gait} {fluid}: " + ", ".join(f"N={n} {e:.2e}" for n, e in zip(LINKS, errors, strict=True)), slope)
    assert abs(slope - 2.0) < 0.1
    assert errors[-1] < 1e-3


def test_the_chain_has_the_body_of_the_beam():
    """21.6992 kg and the added masses 25.619, 18.927 kg of the straight eel, whatever the number of links."""
    tree = mb.from_beam(cosserat.eel(), 7)
    assert abs(mb.mass(tree) - 21.6992) < 1e-3
    added = np.einsum("bii->i", mb.immerse(tree, hydro.Morison()).added_inertia)[:3]
    np.testing.assert_allclose(added, [0.4418, 25.619, 18.927], rtol=1e-3)


def test_refusals():
    beam = cosserat.eel()
    with pytest.raises(ValueError, match="links = 1: must be an integer of at least 2"):
        mb.from_beam(beam, 1)
    with pytest.raises(ValueError, match="gait stretches or shears by 0.1"):
        mb.strain_law(gaits.Strain(stretch=1.1), 2.0, 5)


def test_a_chain_whose_points_miss_a_fin_warns():
    """Before: the mass of a chain of twelve links was off by 1 % without a word.

    All of the fin is missed: ∫c² dX without it is smaller by
    (2 · 0.05 · 0.06 √π + 0.06² √(π/2)) 0.01 / (2 · 0.05² + the same) = 2.9 %.
    """
    with_fin = lambda X: (0.03 + 0.0 * X, 0.05 + 0.06 * jnp.exp(-(((X - 1.234) / 0.01) ** 2)))  # noqa: E731
    beam = cosserat.Beam(hydro.Profile((0.0, 2.0), (with_fin,)))
    exact = 1000 * np.pi * 0.03 * (0.1 + 0.06 * np.sqrt(np.pi) * 0.01)
    with pytest.warns(UserWarning, match="points of the links miss parts of the profile.*off by 2.9e-02"):
        chain = mb.from_beam(beam, links=12)
    assert abs(float(mb.mass(chain)) / exact - 1.0) > 5e-3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chain = mb.from_beam(beam, links=12, points=40)
        mb.from_beam(cosserat.eel(), links=2)
    assert abs(float(mb.mass(chain)) / exact - 1.0) < 1e-3
