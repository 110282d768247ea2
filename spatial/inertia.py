"""6x6 inertia of a rigid body and its shift from frame to frame."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from .twists import Ad
from .vectors import hat


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


def shift_inertia(
    rotation: Float[Array, "*batch 3 3"], position: Float[Array, "*batch 3"], inertia: Float[Array, "*batch 6 6"]
) -> Float[Array, "*batch 6 6"]:
    """Inertia about h, in h, of a body whose inertia about s, in s, is known; (rotation, position) of s in h."""
    shift = Ad(rotation, position)
    return jnp.swapaxes(shift, -1, -2) @ inertia @ shift
