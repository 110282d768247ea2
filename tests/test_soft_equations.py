"""The soft beam at one instant: two forms of the inertia, the other space path, the balance of stress."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from cosserat.soft.equations import imbalance
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_loop import soft_loop

pytestmark = pytest.mark.slow

SIX = ("G1", "G2", "G3", "K1", "K2", "K3")
T = jnp.asarray(2.3)


@pytest.fixture(scope="module", params=["morison", "lighthill"])
def instant(request):
    """A body with free strains of all kinds, front and back, swimming in space: state and reduced equations."""
    front = cosserat.FreeStrains(0.0, 0.7, modes={"G1": 2, "G2": 2, "K3": 3})
    back = cosserat.FreeStrains(0.7, modes=dict.fromkeys(SIX, 2), in_series=True)
    soft = cosserat.Soft(cosserat.eel(), [front, back], cosserat.Elastic(1e5, damping_time=0.02))
    fluid = hydro.Morison(added_mass="kirchhoff") if request.param == "morison" else hydro.Lighthill()
    gait = gaits.spiral()
    rng = np.random.default_rng(0)
    size = np.where(np.asarray(soft.components) < 3, 0.02, 0.3)
    q, dq = size * rng.normal(size=(2, soft.modes))
    head = cosserat.HeadState(twist=[-0.3, 0.02, 0.01, 0.1, 0.05, -0.04])
    loop = eqx.filter_jit(soft_loop)(
        sample_soft(soft, fluid, 32, 1), gait, fluid, head, jnp.asarray(q), jnp.asarray(dq), T
    )
    return soft, gait, fluid, head, q, dq, loop


def test_inertia_by_columns_is_the_one_by_unit_accelerations(instant):
    """∫Jᵀ(M + M_a)J against the force that unit accelerations cost in the inverse dynamics."""
    loop = instant[-1]
    matrix, force = np.asarray(loop.inertia()), np.asarray(loop.force())
    left = jax.jit(jax.vmap(lambda rates: imbalance(loop.parts, loop.components, rates)))
    columns = (force[None, :] - np.asarray(left(jnp.eye(len(force))))).T
    # Each entry relative to its row's and its column's own inertia: no large entry hides a small one. The difference
    # of two forces of about a thousand units loses three digits of round-off.
    scale = np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
    assert np.abs((columns - matrix) / scale).max() < 1e-11
    products = np.asarray(jax.jit(jax.vmap(loop.inertia_product))(jnp.eye(len(force)))).T
    assert np.abs((products - matrix) / scale).max() < 1e-12  # no force to subtract
    assert np.linalg.eigvalsh(matrix).min() > 0


def test_head_acceleration_is_that_of_the_path_without_panels(instant):
    """With the strains and their second rates given, the nested path finds the head's acceleration by itself."""
    soft, gait, fluid, head, q, dq, loop = instant
    rates = np.asarray(loop.rates())
    law = soft.strain(gait, T, q, dq, rates[6:])
    other = np.asarray(cosserat.head_acceleration(soft.beam, law, fluid, head, T, cosserat.Nested()))
    # Fixed panels across the kinks of drag: 1e-6 at worst, of accelerations of about a hundred.
    assert np.abs(rates[:6] - other).max() < 1e-6 * max(1.0, np.abs(rates[:6]).max())


def test_stress_of_the_inverse_dynamics_is_that_of_the_law(instant):
    """∫ΦᵀBᵀΛ of the path without panels, Λ = -(Rᵀn, M), equals K q + D dq: the equation of the modes."""
    soft, gait, fluid, head, q, dq, loop = instant
    law = soft.strain(gait, T, q, dq, np.asarray(loop.rates())[6:])
    sampled = sample_soft(soft, fluid, 32, 1)
    X = np.asarray(sampled.body.load_X)
    body = cosserat.internal_wrench(soft.beam, law, fluid, head, T, cosserat.Nested(), X)
    stress = -np.concatenate([np.asarray(body.force), np.asarray(body.moment)], axis=1)
    elastic = np.asarray(sampled.stiffness @ q + sampled.damping @ dq)
    # 1e-6 for fixed panels across the kinks of drag.
    assert np.abs(np.asarray(sampled.projected(stress.T)) - elastic).max() < 1e-6 * np.abs(elastic).max()
    assert np.abs(np.asarray(body.tail)).max() < 1e-8


def test_acceleration_differentiates_without_the_matrix():
    """The derivative that never differentiates the inertia matrix against central differences."""
    soft = cosserat.Soft(
        cosserat.rod(1.0, 0.02, 0.04), cosserat.FreeStrains(0.5, modes={"K2": 2, "K3": 2}), cosserat.Elastic(1e5)
    )
    fluid, head = hydro.Morison(), cosserat.HeadState(twist=[-0.3, 0.1, 0.05, 0.2, 0.1, -0.2])
    sampled = sample_soft(soft, fluid, 32, 1)

    @jax.jit
    def rates(x):
        return soft_loop(sampled, gaits.planar(), fluid, head, x[:4], x[4:], T).rates()

    x = jnp.asarray([0.4, -0.2, 0.3, 0.1, 1.0, 2.0, -1.0, 0.5])
    along = jnp.asarray(np.random.default_rng(1).normal(size=8))
    h = 1e-5  # central differences: h² of the third derivative, and round-off over h
    differences = (rates(x + h * along) - rates(x - h * along)) / (2 * h)
    scale = np.abs(np.asarray(differences)).max()
    _, forward = jax.jvp(rates, (x,), (along,))
    assert np.abs(np.asarray(forward - differences)).max() < 1e-7 * scale
    weights = jnp.asarray(np.random.default_rng(2).normal(size=10))
    reverse = jax.grad(lambda x: weights @ rates(x))(x) @ along
    assert abs(float(reverse - weights @ forward)) < 1e-10 * scale
