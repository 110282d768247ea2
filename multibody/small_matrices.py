"""Products of batches of small matrices, written as sums that the compiler fuses into one loop."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import hat


def product(a: Float[Array, "*batch i k"], b: Float[Array, "*batch k j"]) -> Float[Array, "*batch i j"]:
    """a @ b as a sum of outer products; for 3x3 and 6x6 on a CPU, much faster than a batched dot product."""
    total = a[..., :, :1] * b[..., :1, :]
    for k in range(1, a.shape[-1]):
        total = total + a[..., :, k : k + 1] * b[..., k : k + 1, :]
    return total


def apply(a: Float[Array, "*batch i k"], x: Float[Array, "*batch k"]) -> Float[Array, "*batch i"]:
    """a @ x for batches of matrices."""
    total = a[..., :, 0] * x[..., :1]
    for k in range(1, a.shape[-1]):
        total = total + a[..., :, k] * x[..., k : k + 1]
    return total


def compose(near: Float[Array, "3 4 n"], far: Float[Array, "3 4 n"]) -> Float[Array, "3 4 n"]:
    """Composes poses [R p]: `near` are frames in an outer frame, and `far` are poses in those frames."""
    turned = near[:, 0:1] * far[0:1] + near[:, 1:2] * far[1:2] + near[:, 2:3] * far[2:3]
    return jnp.concatenate([turned[:, :3], turned[:, 3:] + near[:, 3:]], axis=1)


def transpose(a: Float[Array, "*batch i j"]) -> Float[Array, "*batch j i"]:
    """Transpose of each matrix."""
    return jnp.swapaxes(a, -1, -2)


def inertia_in_base(
    rotation: Float[Array, "*batch 3 3"],
    position: Float[Array, "*batch 3"],
    inertia: Float[Array, "*batch 6 6"],
) -> Float[Array, "*batch 6 6"]:
    """Inertia Adᵀ M Ad about a common frame, computed block by block from the poses of the body frames in it.

    Args:
        rotation: axes of the body frame in the common frame, as columns.
        position: origin of the body frame in the common frame [m].
        inertia: inertia about the body frame, any symmetric 6x6 matrix, such as an added inertia [kg].
    """
    back = transpose(rotation)
    turn = lambda block: product(product(rotation, block), back)  # noqa: E731
    A, B, D = turn(inertia[..., :3, :3]), turn(inertia[..., :3, 3:]), turn(inertia[..., 3:, 3:])
    p_hat = hat(position)
    p_B = product(p_hat, B)
    p_A = product(p_hat, A)
    B_new = B + transpose(p_A)  # B - A p^, A being symmetric
    D_new = D - product(p_A, p_hat) + p_B + transpose(p_B)
    top = jnp.concatenate([A, B_new], axis=-1)
    return jnp.concatenate([top, jnp.concatenate([transpose(B_new), D_new], axis=-1)], axis=-2)
