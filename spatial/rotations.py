"""Exponential of rotation vectors and its derivative, smooth and free of NaN at zero rotation.

Quaternions are (w, x, y, z). These functions stay exact under two nested time derivatives at zero rotation, where
simulations start; jaxlie's group operations do not guarantee that.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .vectors import cross

_SERIES_TERMS = 10  # 1/(2·10)! = 4e-19: below round-off for every argument up to one

# Left multiplication by i, j, k as swaps and signs: i swaps within the pairs (w, x) and (y, z), j swaps the two pairs,
# k does both.
_UNITS = tuple(
    (k, swap, np.array(sign, float))
    for k, swap, sign in (
        (1, (-1,), (-1, 1, -1, 1)),
        (2, (-2,), (-1, 1, 1, -1)),
        (3, (-2, -1), (-1, -1, 1, 1)),
    )
)


@jax.jit
def stumpff(u: Float[Array, "*batch"]) -> tuple[Float[Array, "*batch"], ...]:
    """Stumpff functions c0..c3 [-] of u = θ²: cos θ, sin θ/θ, (1 - cos θ)/θ², (θ - sin θ)/θ³.

    They are entire in u. Below u = 1 the Taylor series is summed, so that derivatives of any order at u = 0 are exact;
    above it the closed forms are well conditioned.
    """
    small = u < 1.0
    u_series = jnp.where(small, u, 0.0)
    u_closed = jnp.where(small, 1.0, u)
    theta = jnp.sqrt(u_closed)
    cos, sin = jnp.cos(theta), jnp.sin(theta)
    closed = (cos, sin / theta, (1.0 - cos) / u_closed, (theta - sin) / (theta * u_closed))

    def series(k):
        total = jnp.zeros_like(u)
        for n in reversed(range(_SERIES_TERMS)):
            total = (-1) ** n / math.factorial(2 * n + k) + total * u_series
        return total

    return tuple(jnp.where(small, series(k), closed[k]) for k in range(4))


def dexp(f: Float[Array, "*batch 3"], v: Float[Array, "*batch 3"]) -> Float[Array, "*batch 3"]:
    """Left derivative of the exponential: d/dt exp(f^) = (dexp(f, df/dt))^ exp(f^).

    Args:
        f: rotation vector [rad]; its components are the same in the fixed and in the turned frame.
        v: rate of f, in the same axes [rad/s].

    Returns:
        Angular velocity in the fixed frame [rad/s].
    """
    _, _, c2, c3 = stumpff(jnp.sum(f * f, axis=-1))
    f_v = cross(f, v)
    return v + c2[..., None] * f_v + c3[..., None] * cross(f, f_v)


def quaternion_exp(f: Float[Array, "*batch 3"]) -> Float[Array, "*batch 4"]:
    """Unit quaternion of the rotation vector f [rad]: the rotated axes seen from the fixed ones."""
    c0, c1, _, _ = stumpff(0.25 * jnp.sum(f * f, axis=-1))
    return jnp.concatenate([c0[..., None], 0.5 * c1[..., None] * f], axis=-1)


@jax.jit
def quaternion_multiply(p: Float[Array, "*batch 4"], q: Float[Array, "*batch 4"]) -> Float[Array, "*batch 4"]:
    """Hamilton product of quaternions: the rotation q followed, in the outer frame, by p."""
    # Computed as the sum of p_k (e_k q): whole-quaternion operations compile to plain loops, forward and backward.
    pairs = q.reshape(*q.shape[:-1], 2, 2)
    product = p[..., :1] * q
    for k, swap, sign in _UNITS:
        signs = np.broadcast_to(sign, q.shape)  # the tests forbid implicit rank promotion
        product = product + p[..., k : k + 1] * (signs * jnp.flip(pairs, swap).reshape(q.shape))
    return product


def quaternion_conjugate(q: Float[Array, "*batch 4"]) -> Float[Array, "*batch 4"]:
    """Inverse of a unit quaternion: the fixed frame seen from the rotated one."""
    return jnp.concatenate([q[..., :1], -q[..., 1:]], axis=-1)


def quaternion_rate(q: Float[Array, "*batch 4"], omega: Float[Array, "*batch 3"]) -> Float[Array, "*batch 4"]:
    """dq/dt for the angular velocity omega [rad/s] in the moving frame. Linear in q, so it preserves any norm."""
    return 0.5 * quaternion_multiply(q, jnp.concatenate([jnp.zeros_like(omega[..., :1]), omega], axis=-1))


@jax.jit
def matrix_from_quaternion(q: Float[Array, "*batch 4"]) -> Float[Array, "*batch 3 3"]:
    """Rotation matrix of the unit quaternion q / |q|; its columns are the moving axes seen from the fixed frame."""
    # Written entry by entry, because XLA on CPU is slow on batches of small matrix products, and joined row by row,
    # because stacking nine entries at once makes a simulation 10 % slower.
    w, x, y, z = (q[..., k] for k in range(4))
    scale = 2.0 / (w * w + x * x + y * y + z * z)
    rows = (
        (1.0 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y)),
        (scale * (x * y + w * z), 1.0 - scale * (x * x + z * z), scale * (y * z - w * x)),
        (scale * (x * z - w * y), scale * (y * z + w * x), 1.0 - scale * (x * x + y * y)),
    )
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def small_displacement(
    pose: tuple[Float[Array, "3"], Float[Array, "4"]], other: tuple[Float[Array, "3"], Float[Array, "4"]]
) -> Float[Array, "6"]:
    """Displacement from one pose (position, quaternion) to a nearby one, in the axes of the first [m, rad].

    It consists of Rᵀ(r' - r) and, to first order, 2 vec(q⁻¹ q').
    """
    (position, quaternion), (there, turned) = pose, other
    shift = matrix_from_quaternion(quaternion).T @ (there - position)
    turn = 2.0 * quaternion_multiply(quaternion_conjugate(quaternion), turned)[1:]
    return jnp.concatenate([shift, turn])
