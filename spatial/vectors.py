"""The 6-vector convention (linear part first), the only place where 6-vectors are sliced."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

LEAST_SQUARE = 1e-100  # below it a square root is constant: its first three derivatives are finite in double precision


def linear(x: Float[Array, "*batch 6"]) -> Float[Array, "*batch 3"]:
    """Linear part of a 6-vector, in its frame: V of a twist [m/s], f of a wrench [N], Γ of a strain [-]."""
    return x[..., :3]


def angular(x: Float[Array, "*batch 6"]) -> Float[Array, "*batch 3"]:
    """Angular part of a 6-vector, in its frame: Ω of a twist [rad/s], c of a wrench [N·m], K of a strain [1/m]."""
    return x[..., 3:]


def join(lin: Float[Array, "*batch 3"], ang: Float[Array, "*batch 3"]) -> Float[Array, "*batch 6"]:
    """The 6-vector made of a linear and an angular part, both in one frame: [m/s] and [rad/s], [N] and [N·m], ..."""
    return jnp.concatenate([lin, ang], axis=-1)


def components(v: Float[Array, "*batch n"]) -> Sequence[Float[Array, "*batch 1"]]:
    """Splits a vector of any unit into its components by one operation, so that the transpose is one operation too."""
    return jax.lax.split(v, (1,) * v.shape[-1], axis=v.ndim - 1)


@jax.jit
def cross(a: Float[Array, "*batch 3"], b: Float[Array, "*batch 3"]) -> Float[Array, "*batch 3"]:
    """Vector product a × b of vectors of any unit in one frame.

    Written out so that XLA fuses it; `jnp.cross` transposes axes.
    """
    (a1, a2, a3), (b1, b2, b3) = components(a), components(b)
    return jnp.concatenate([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=-1)


@jax.jit
def hat(v: Float[Array, "*batch 3"]) -> Float[Array, "*batch 3 3"]:
    """Skew-symmetric matrix with hat(v) @ u = v × u, for vectors of any unit in one frame."""
    v1, v2, v3 = v[..., 0], v[..., 1], v[..., 2]
    zero = jnp.zeros_like(v1)
    rows = [[zero, -v3, v2], [v3, zero, -v1], [-v2, v1, zero]]
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def safe_norm(v: Float[Array, "*batch n"]) -> Float[Array, "*batch"]:
    """Euclidean norm of a vector of any unit; its gradient at zero is zero instead of NaN."""
    return safe_sqrt(jnp.sum(v * v, axis=-1))


def safe_sqrt(square: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """Square root of a number of any unit; value and derivatives are zero where it is not positive.

    The argument of the square root is bounded from below, not replaced by one where it is not positive: a compiler may
    evaluate a difference twice and round it differently, so that its sign need not be the same in two places.
    """
    return jnp.where(square > 0, jnp.sqrt(jnp.maximum(square, LEAST_SQUARE)), 0.0)


def signed_square(x: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """|x| x of a number of any unit, once differentiable at zero."""
    return jnp.abs(x) * x


def nodewise(f: Callable) -> Callable:
    """Maps f, a function of single vectors and matrices, over a last axis of nodes: (3, nodes), (6, 6, nodes), ...

    Components first and nodes last is the memory layout that compiles to contiguous loops.
    """
    return jax.vmap(f, in_axes=-1, out_axes=-1)
