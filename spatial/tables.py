"""Smooth monotone interpolation of tables."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def monotone(X: Float[Array, ""], nodes: Float[Array, "rows"], values: Float[Array, "rows"]) -> Float[Array, ""]:
    """Value at X [m], in the unit of the values: monotone cubic interpolation, constant beyond the ends."""
    import interpax  # slow to import, and rarely needed

    inside = jnp.clip(X, nodes[0], nodes[-1])
    with jax.numpy_rank_promotion("allow"):  # interpax relies on it
        return interpax.interp1d(inside, nodes, values, method="monotonic")
