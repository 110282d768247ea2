"""Change of frame of twists and wrenches, and the Lie bracket of twists.

A pose is the pair (rotation, position) of a frame s seen from a frame h: columns of the rotation are the
axes of s in h, position is the origin of s in h [m].
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .vectors import angular, cross, hat, join, linear


def twist_from_head(
    rotation: Float[Array, "*batch 3 3"], position: Float[Array, "*batch 3"], twist: Float[Array, "*batch 6"]
) -> Float[Array, "*batch 6"]:
    """Twist of frame s, in s, when s is rigidly attached to h: eta_s = Ad(g_sh) eta_h.

    Args:
        rotation: axes of frame s in frame h, as columns.
        position: origin of frame s in frame h [m].
        twist: twist of h, in its own axes [m/s, rad/s].
    """
    velocity = linear(twist) + cross(angular(twist), position)
    return join(_unrotate(rotation, velocity), _unrotate(rotation, angular(twist)))


def wrench_to_head(
    rotation: Float[Array, "*batch 3 3"], position: Float[Array, "*batch 3"], wrench: Float[Array, "*batch 6"]
) -> Float[Array, "*batch 6"]:
    """Moves a wrench from frame s to frame h: f_h = Ad(g_sh)ᵀ f_s.

    Args:
        rotation: axes of frame s in frame h, as columns.
        position: origin of frame s in frame h [m].
        wrench: wrench about the origin of s, in the axes of s [N, N·m].
    """
    force = _rotate(rotation, linear(wrench))
    return join(force, _rotate(rotation, angular(wrench)) + cross(position, force))


@jax.jit
def Ad(rotation: Float[Array, "*batch 3 3"], position: Float[Array, "*batch 3"]) -> Float[Array, "*batch 6 6"]:
    """Matrix of `twist_from_head`: eta_s = Ad @ eta_h and f_h = Adᵀ @ f_s.

    Args:
        rotation: axes of frame s in frame h, as columns.
        position: origin of frame s in frame h [m].
    """
    unrotation = jnp.swapaxes(rotation, -1, -2)
    lever = cross(jnp.broadcast_to(position[..., None, :], unrotation.shape), unrotation)  # -Rᵀ p^, row by row
    top = jnp.concatenate([unrotation, lever], axis=-1)
    bottom = jnp.concatenate([jnp.zeros_like(unrotation), unrotation], axis=-1)
    return jnp.concatenate([top, bottom], axis=-2)


def bracket(x: Float[Array, "*batch 6"], y: Float[Array, "*batch 6"]) -> Float[Array, "*batch 6"]:
    """Lie bracket [x, y] = ad(x) y of two twists of one frame, in that frame [m/s, rad/s]."""
    return join(
        cross(angular(x), linear(y)) + cross(linear(x), angular(y)),
        cross(angular(x), angular(y)),
    )


@jax.jit
def coadjoint(x: Float[Array, "*batch 6"], p: Float[Array, "*batch 6"]) -> Float[Array, "*batch 6"]:
    """ad(x)ᵀ p: rate of the components of a conserved momentum p in a frame that moves with twist x.

    Args:
        x: twist of the frame, in its own axes [m/s, rad/s].
        p: momentum about the frame's origin, in its axes [kg·m/s, kg·m²/s].

    Returns:
        A wrench in that frame [N, N·m].
    """
    return join(
        cross(linear(p), angular(x)),
        cross(angular(p), angular(x)) + cross(linear(p), linear(x)),
    )


def ad(x: Float[Array, "*batch 6"]) -> Float[Array, "*batch 6 6"]:
    """Matrix of the bracket of two twists of one frame, in that frame [m/s, rad/s]: ad(x) @ y = [x, y]."""
    omega, velocity = hat(angular(x)), hat(linear(x))
    top = jnp.concatenate([omega, velocity], axis=-1)
    bottom = jnp.concatenate([jnp.zeros_like(omega), omega], axis=-1)
    return jnp.concatenate([top, bottom], axis=-2)


def _rotate(rotation, v):
    return jnp.sum(rotation * v[..., None, :], axis=-1)


def _unrotate(rotation, v):
    return jnp.sum(rotation * v[..., :, None], axis=-2)
