"""Resistance of the water to the motion of one section."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import angular, linear, safe_norm, signed_square


def drag_wrench(
    axial: Float[Array, ""],
    normal: Float[Array, "2"],
    roll: Float[Array, ""],
    twist: Float[Array, "6"],
) -> Float[Array, "6"]:
    """Drag of still water.

        f1 = -axial |V1| V1,   f2,3 = -normal2,3 ‖(V2, V3)‖ V2,3,   c1 = -roll |Ω1| Ω1      [BPK06, eq. (14)]

    Args:
        axial: drag coefficient along t1 [kg/m²] (C_ld1).
        normal: drag coefficients along t2 and t3 [kg/m²] (C_ld2, C_ld3).
        roll: drag coefficient about t1 [kg] (C_ad1).
        twist: velocity relative to the water, in the section frame [m/s, rad/s].

    Returns:
        Load per metre in the section frame [N/m, N]; its power is never positive.
    """
    velocity, roll_rate = linear(twist), angular(twist)[0]
    across = velocity[1:]
    zero = jnp.zeros_like(roll_rate)
    f1 = -axial * signed_square(velocity[0])
    f23 = -normal * (safe_norm(across) * across)
    c1 = -roll * signed_square(roll_rate)
    return jnp.stack([f1, f23[0], f23[1], c1, zero, zero])
