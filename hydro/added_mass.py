"""Added inertia of one section, and two forms of the convective wrench due to its rotation."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import angular, coadjoint, cross, join, linear

FORMS = ("paper", "kirchhoff")  # names of the two forms of the added mass; see `convective_wrench`


def section_added_inertia(normal: Float[Array, "2"], roll: Float[Array, ""]) -> Float[Array, "6 6"]:
    """diag(0, C_lm2, C_lm3, C_am1, 0, 0) in the section frame. [BPK06, eq. (15)]

    Args:
        normal: added mass per metre along t2 and t3 [kg/m] (C_lm2, C_lm3).
        roll: added inertia per metre about t1 [kg·m] (C_am1).
    """
    zero = jnp.zeros_like(roll)
    return jnp.diag(jnp.stack([zero, normal[0], normal[1], roll, zero, zero]))


def convective_wrench(
    form: str,
    added_inertia: Float[Array, "6"],
    twist: Float[Array, "6"],
    current: Float[Array, "3"] | None = None,
) -> Float[Array, "6"]:
    """The part of the added-mass load that is not -M d(twist)/dt.

    `paper`: the force is -M times the section components of the acceleration [BPK06, eq. (9)]. The
    acceleration is dV/dt + Ω×V, so the convective part is -M (Ω×V, 0). It does work, so energy is not conserved.

    `kirchhoff`: the added momentum M η moves with the section, so the convective part is ad(η)ᵀ M η, with η the twist
    relative to the water. It does no work, and the total impulse of body and water is conserved.

    Args:
        form: "paper" or "kirchhoff".
        added_inertia: diagonal of M, in the section frame [kg/m, kg·m] (or [kg, kg·m²] for a point).
        twist: velocity of the section in its frame [m/s, rad/s].
        current: velocity of the water in the section frame [m/s]; None for still water.

    Returns:
        Load in the section frame [N/m, N] (or [N, N·m]).
    """
    omega = angular(twist)
    zero = jnp.zeros_like(omega)
    if form == "paper":
        return -added_inertia * join(cross(omega, linear(twist)), zero)
    if current is None:
        return coadjoint(twist, added_inertia * twist)
    relative = twist - join(current, zero)
    # A steady current rotates in the section frame: d/dt(current) = -Ω × current.
    return coadjoint(relative, added_inertia * relative) - added_inertia * join(cross(omega, current), zero)
