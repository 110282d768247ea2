"""6x6 spatial inertia of a rigid body and its change of frame."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .twists import Ad
from .vectors import angular, cross, hat, join, linear


def body_inertia(
    mass: Float[Array, "*batch"], centre: Float[Array, "*batch 3"], about_centre: Float[Array, "*batch 3 3"]
) -> Float[Array, "*batch 6 6"]:
    """Inertia about a frame's origin, for twists with the linear part first.

    Args:
        mass: mass [kg] (or mass per metre [kg/m]).
        centre: centre of mass in the frame [m].
        about_centre: rotational inertia about the centre of mass, in the frame's axes [kg·m²].

    Returns:
        M with kinetic energy ½ ηᵀ M η [kg, kg·m, kg·m²].
    """
    m = mass[..., None, None]
    c = hat(centre)
    identity = jnp.broadcast_to(jnp.eye(3, dtype=c.dtype), c.shape)
    top = jnp.concatenate([m * identity, -m * c], axis=-1)
    bottom = jnp.concatenate([m * c, about_centre - m * (c @ c)], axis=-1)
    return jnp.concatenate([top, bottom], axis=-2)


def split_inertia(
    inertia: Float[Array, "*batch 6 6"],
) -> tuple[Float[Array, "*batch"], Float[Array, "*batch 3"], Float[Array, "*batch 3 3"]]:
    """The inverse of `body_inertia`: mass [kg], centre [m] and rotational inertia about the centre [kg·m²].

    Args:
        inertia: inertia of a body of positive mass about its frame's origin [kg, kg·m, kg·m²].
    """
    mass = inertia[..., 0, 0]
    centre = jnp.stack([inertia[..., 5, 1], inertia[..., 3, 2], inertia[..., 4, 0]], axis=-1) / mass[..., None]
    c = hat(centre)
    return mass, centre, inertia[..., 3:, 3:] + mass[..., None, None] * (c @ c)


def shift_inertia(
    rotation: Float[Array, "*batch 3 3"],
    position: Float[Array, "*batch 3"],
    inertia: Float[Array, "*batch 6 6"],
) -> Float[Array, "*batch 6 6"]:
    """Inertia about frame h, in h, of a body whose inertia about frame s, in s, is known [kg, kg·m, kg·m²].

    Args:
        rotation: axes of s in h, as columns.
        position: origin of s in h [m].
        inertia: inertia about s, in the axes of s [kg, kg·m, kg·m²].
    """
    shift = Ad(rotation, position)
    return jnp.swapaxes(shift, -1, -2) @ inertia @ shift


@jax.jit
def solve_inertia(inertia: Float[Array, "6 6"], wrench: Float[Array, "6"]) -> Float[Array, "6"]:
    """Solves inertia @ rate = wrench for a symmetric positive definite 6x6 inertia.

    Uses closed-form 3x3 blocks, which is faster than a LAPACK call at this size.

    Args:
        inertia: inertia about a frame's origin, in its axes [kg, kg·m, kg·m²].
        wrench: wrench in the same frame [N, N·m].

    Returns:
        Rate of twist in that frame [m/s², rad/s²].
    """
    A, B, C = inertia[:3, :3], inertia[:3, 3:], inertia[3:, 3:]
    f, c = linear(wrench), angular(wrench)
    A_inverse = _inverse3(A)
    to_linear = A_inverse @ B
    omega_rate = _inverse3(C - B.T @ to_linear) @ (c - to_linear.T @ f)
    return join(A_inverse @ f - to_linear @ omega_rate, omega_rate)


def _inverse3(m):
    rows = jnp.stack([cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])])
    return rows.T / jnp.sum(m[0] * rows[0])
