"""Small tools for arrays of (component, node)."""

import jax
from jaxtyping import Array, Float

settle = jax.lax.optimization_barrier
"""Keeps the compiler from computing a shared array again in every fused loop that uses it."""


def apply(matrix: Float[Array, "i j n"], vector: Float[Array, "j *k n"]) -> Float[Array, "i *k n"]:
    """Product of matrices and vectors, node by node."""
    spread = (slice(None), *(None,) * (vector.ndim - 2))
    return sum(
        (matrix[:, k][spread] * vector[k][None] for k in range(1, vector.shape[0])),
        matrix[:, 0][spread] * vector[0][None],
    )
