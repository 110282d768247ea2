"""The body's shape seen from its head: a function of time alone, whatever the head does.

Only the orientation needs an integrator; the rest are quadratures of it. The orientation is a product of
exponentials (Fer's expansion), and its time derivatives are those of the discrete map: position, velocity and
acceleration of the nodes are then exact derivatives of one another, and momentum is conserved at any number
of nodes.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import (
    angular,
    cross,
    linear,
    matrix_from_quaternion,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_multiply,
    stumpff,
)

from .strain import StrainRates

FER_STAGES = 4  # each one squares the error, roughly: 1, 3, 7, 15 powers of the angle turned in a panel


class Shape(eqx.Module):
    """Sections relative to the head, in the head's axes; rates are those seen by an observer in the head.

    Attributes:
        quaternion: of each section in the head frame.
        rotation: its axes in the head frame, as columns (R_e).
        position: of its centre [m] (r_e).
        velocity: of its centre [m/s].
        acceleration: of its centre [m/s²].
        spin: its angular velocity [rad/s].
        spin_rate: its angular acceleration [rad/s²].
    """

    quaternion: Float[Array, "nodes 4"]
    rotation: Float[Array, "nodes 3 3"]
    position: Float[Array, "nodes 3"]
    velocity: Float[Array, "nodes 3"]
    acceleration: Float[Array, "nodes 3"]
    spin: Float[Array, "nodes 3"]
    spin_rate: Float[Array, "nodes 3"]


def shape_from_strain(
    strain: StrainRates,
    panel_cumulative: Float[Array, "order_and_one order"],
    cumulative: Float[Array, "nodes nodes"],
) -> Shape:
    """Integrates strains at the smooth nodes from the head to the tail.

    Args:
        strain: at the smooth nodes.
        panel_cumulative: from values in one panel to integrals from its start to its nodes and end [m].
        cumulative: from values at all nodes to integrals from the head to all nodes [m].
    """
    orient = lambda curvature: orientation(curvature, panel_cumulative)  # noqa: E731
    first = lambda K, dK: jax.jvp(orient, (K,), (dK,))  # noqa: E731
    K, dK, ddK = angular(strain.xi), angular(strain.dxi), angular(strain.ddxi)
    (q, dq), (_, ddq) = jax.jvp(first, (K, dK), (dK, ddK))

    rotation = matrix_from_quaternion(q)
    back = 2.0 * quaternion_conjugate(q)
    spin = quaternion_multiply(dq, back)[:, 1:]
    spin_rate = quaternion_multiply(ddq, back)[:, 1:]

    turn = lambda v: jnp.sum(rotation * v[:, None, :], axis=-1)  # noqa: E731
    tangent = turn(linear(strain.xi))  # r' = R Γ, (18)
    stretch_rate = turn(linear(strain.dxi))
    slide = cross(spin, tangent) + stretch_rate  # (22)
    bend = cross(spin_rate, tangent) + cross(spin, slide + stretch_rate) + turn(linear(strain.ddxi))  # (24)
    return Shape(q, rotation, cumulative @ tangent, cumulative @ slide, cumulative @ bend, spin, spin_rate)


def orientation(
    curvature: Float[Array, "nodes 3"], panel_cumulative: Float[Array, "order_and_one order"]
) -> Float[Array, "nodes 4"]:
    """Quaternions that solve R' = R K^ from the identity at the head, panel after panel. (17)"""
    order = panel_cumulative.shape[1]
    start, out = None, []
    for panel in curvature.reshape(-1, order, 3):
        local = _panel_orientation(panel, panel_cumulative)
        if start is not None:
            local = quaternion_multiply(jnp.broadcast_to(start, local.shape), local)
        out.append(local[:-1])
        start = local[-1]
    return jnp.concatenate(out)


def _panel_orientation(curvature, panel_cumulative):
    """R = ... exp(F3) exp(F2) exp(F1) with F' = K at each stage and K handed on as (exp(F) - dexp(F)) K."""
    out = None
    for stage in range(FER_STAGES):
        F = panel_cumulative @ curvature
        factor = quaternion_exp(F)
        out = factor if out is None else quaternion_multiply(factor, out)
        if stage < FER_STAGES - 1:
            F = F[:-1]
            _, c1, c2, c3 = stumpff(jnp.sum(F * F, axis=-1))
            F_K = cross(F, curvature)
            curvature = (c1 - c2)[:, None] * F_K + (c2 - c3)[:, None] * cross(F, F_K)
    return out
