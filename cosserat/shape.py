"""Shape of the body relative to its head: a function of time only.

Only the orientation needs an integrator; positions and all rates are then plain integrals. On few nodes the rates of
the orientation are instead those of its discrete map: position, velocity and acceleration of the nodes are then exact
derivatives of one another, and momentum is conserved on any grid. Arrays are (component, node).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import node_cross, node_rotation

from .node_arrays import apply
from .orientation import discrete_motion, orientation, resolved
from .quadrature import integral_from_head
from .strain import StrainRates


class Shape(eqx.Module):
    """Sections relative to the head, in the head's axes; rates are relative to the head.

    Attributes:
        quaternion: orientation of each section in the head frame.
        rotation: its axes in the head frame, as columns (R_e).
        position: position of its centre [m] (r_e).
        velocity: velocity of its centre [m/s].
        acceleration: acceleration of its centre [m/s²].
        spin: its angular velocity [rad/s].
        spin_rate: its angular acceleration [rad/s²].
    """

    quaternion: Float[Array, "4 nodes"]
    rotation: Float[Array, "3 3 nodes"]
    position: Float[Array, "3 nodes"]
    velocity: Float[Array, "3 nodes"]
    acceleration: Float[Array, "3 nodes"]
    spin: Float[Array, "3 nodes"]
    spin_rate: Float[Array, "3 nodes"]


class StillShape(eqx.Module):
    """Sections of a body at rest relative to its head, in the head's axes.

    Attributes:
        quaternion: orientation of each section in the head frame.
        rotation: its axes in the head frame, as columns (R_e).
        position: position of its centre [m] (r_e).
    """

    quaternion: Float[Array, "4 nodes"]
    rotation: Float[Array, "3 3 nodes"]
    position: Float[Array, "3 nodes"]


@jax.jit
def still_shape(strain: Float[Array, "nodes 6"], panel_integral: Float[Array, "order order_and_one"]) -> StillShape:
    """Integrates the strains of a body at rest. (17), (18)

    Args:
        strain: (Γ, K) at the smooth nodes [-, 1/m].
        panel_integral: maps values in one panel to integrals from its start to its nodes and end [m].
    """
    quaternion = orientation(strain[:, 3:].T, panel_integral)
    rotation = node_rotation(quaternion)
    tangent = apply(rotation, strain[:, :3].T)
    return StillShape(quaternion, rotation, integral_from_head(tangent, panel_integral))


@jax.jit  # one program for all callers, traced once
def shape_from_strain(
    strain: StrainRates,
    panel_integral: Float[Array, "order order_and_one"],
) -> Shape:
    """Integrates strains at the smooth nodes from the head to the tail.

    Args:
        strain: strain at the smooth nodes.
        panel_integral: maps values in one panel to integrals from its start to its nodes and end [m].
    """
    xi, dxi, ddxi = strain.xi.T, strain.dxi.T, strain.ddxi.T
    fine = resolved(panel_integral)
    if fine:
        quaternion = orientation(xi[3:], panel_integral)
    else:
        quaternion, spin, spin_rate = discrete_motion(xi[3:], dxi[3:], ddxi[3:], panel_integral)
    rotation = node_rotation(quaternion)
    turned = apply(rotation, jnp.stack([xi[:3], dxi[:3], ddxi[:3], dxi[3:], ddxi[3:]], axis=1))
    tangent, stretch_rate, stretch_rate2, bend_rate, bend_rate2 = (turned[:, k] for k in range(5))  # r' = R Γ, (18)

    if fine:
        spin = integral_from_head(bend_rate, panel_integral)  # ω' = R K̇, (22)
    slide = node_cross(spin, tangent) + stretch_rate  # (22)
    densities = [tangent, slide]
    if fine:
        densities.append(bend_rate2 + node_cross(spin, bend_rate))  # ω̇' = R K̈ + ω × R K̇, (24)
    integrals = integral_from_head(jnp.concatenate(densities), panel_integral)
    position, velocity = integrals[:3], integrals[3:6]
    if fine:
        spin_rate = integrals[6:]
    swept, turning = node_cross(spin_rate, tangent), node_cross(spin, slide + stretch_rate)
    swing = swept + turning + stretch_rate2  # (24)
    acceleration = integral_from_head(swing, panel_integral)
    return Shape(quaternion, rotation, position, velocity, acceleration, spin, spin_rate)
