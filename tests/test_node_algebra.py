"""Products at many nodes, and the reduction of a body to its head, against functions of one vector or matrix."""

import jax.numpy as jnp
import numpy as np
import pytest

from cosserat.node_arrays import components_first
from cosserat.reduction import reduced_to_head
from spatial import (
    Ad,
    coadjoint,
    cross,
    matrix_from_quaternion,
    node_coadjoint,
    node_cross,
    node_rotation,
    nodewise,
)

NODES = 5
ROUND_OFF = 1e-13  # sums of at most a hundred products of numbers of size one


def random(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=(*shape, NODES)))


@pytest.mark.parametrize(
    "fast, one, arguments",
    [
        (node_cross, cross, (random(3), random(3, seed=1))),
        (node_coadjoint, coadjoint, (random(6), random(6, seed=1))),
        (node_rotation, matrix_from_quaternion, (random(4),)),
    ],
)
def test_at_every_node_the_product_of_one(fast, one, arguments):
    np.testing.assert_allclose(fast(*arguments), nodewise(one)(*arguments), rtol=0, atol=ROUND_OFF)


def test_vectors_as_rows():
    vectors = random(6).T
    assert (components_first(vectors, 6) == vectors.T).all()


def test_reduction_of_coupled_inertias():
    """Σ Adᵀ M Ad with inertias that couple velocity and rotation, as those of eccentric masses do."""
    rotation, position, wrench = node_rotation(random(4)), random(3, seed=1), random(6, seed=2)
    half = np.asarray(random(6, 6, seed=3))
    inertia = np.einsum("ikn,jkn->ijn", half, half)  # symmetric positive definite
    nose_inertia, nose_wrench = np.diag(np.arange(1.0, 7.0)), np.arange(6.0)
    found = reduced_to_head(rotation, position, jnp.asarray(inertia), wrench, nose_inertia, nose_wrench)
    shifts = [np.asarray(Ad(rotation[..., n], position[:, n])) for n in range(NODES)]
    whole = nose_inertia + sum(shift.T @ inertia[..., n] @ shift for n, shift in enumerate(shifts))
    load = nose_wrench + sum(shift.T @ np.asarray(wrench[:, n]) for n, shift in enumerate(shifts))
    size = np.abs(whole).max()
    np.testing.assert_allclose(found.inertia, whole, rtol=0, atol=ROUND_OFF * size)
    np.testing.assert_allclose(found.wrench, load, rtol=0, atol=ROUND_OFF * np.abs(load).max())
    # The solution is checked by its residual, which does not grow with the condition of the matrix.
    rate = np.asarray(found.twist_rate)
    assert np.abs(whole @ rate - load).max() < 1e-11 * size * np.abs(rate).max()
