"""The body's shape seen from its head: a function of time alone, whatever the head does.

Only the orientation needs an integrator; the rest are quadratures of it. The orientation is a product of
exponentials (Fer's expansion), and its time derivatives are those of the discrete map: position, velocity and
acceleration of the nodes are then exact derivatives of one another, and momentum is conserved at any number
of nodes. Arrays are (component, node).
"""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from spatial import cross, matrix_from_quaternion, nodewise, quaternion_conjugate, quaternion_multiply

from .jets import apply, compose, product, settle
from .strain import StrainRates

FER_STAGES = 4  # the error falls as the 1st, 3rd, 7th, 15th power of the angle turned in a panel
MAX_TURN = 6.0  # rad in one panel: where the series below still give all digits
MAX_SECOND_TURN = 2.0  # rad, of the second factor: where the first one left out is 1e-4 (at 1.2 rad 1e-6, at 0.6 1e-9)
RESOLVED = 24  # nodes in a panel from which derivatives of the orientation are those of its equation
_TERMS = 22

_cross = nodewise(cross)
_multiply = nodewise(quaternion_multiply)


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

    quaternion: Float[Array, "4 nodes"]
    rotation: Float[Array, "3 3 nodes"]
    position: Float[Array, "3 nodes"]
    velocity: Float[Array, "3 nodes"]
    acceleration: Float[Array, "3 nodes"]
    spin: Float[Array, "3 nodes"]
    spin_rate: Float[Array, "3 nodes"]


@jax.jit  # in all that follows the body it is the same program, traced once
def shape_from_strain(
    strain: StrainRates,
    panel_cumulative: Float[Array, "order_and_one order"],
) -> Shape:
    """Integrates strains at the smooth nodes from the head to the tail.

    Args:
        strain: at the smooth nodes.
        panel_cumulative: from values in one panel to integrals from its start to its nodes and end [m].
    """
    jet = settle(jnp.stack([strain.xi.T, strain.dxi.T, strain.ddxi.T]))
    stretch, curvature = jet[:, :3], jet[:, 3:]
    resolved = panel_cumulative.shape[1] >= RESOLVED
    q = (_resolved_orientation if resolved else orientation)(curvature, panel_cumulative)
    spin, spin_rate, rotation = _turning(q)

    tangent, stretch_rate, stretch_rate2 = (settle(apply(rotation, part)) for part in stretch)  # r' = R Γ, (18)
    slide = _cross(spin, tangent) + stretch_rate  # (22)
    bend = _cross(spin_rate, tangent) + _cross(spin, slide + stretch_rate) + stretch_rate2  # (24)
    integrals = _from_head(settle(jnp.concatenate([tangent, slide, bend])), panel_cumulative)
    return Shape(q[0], rotation, integrals[:3], integrals[3:6], integrals[6:], spin, spin_rate)


def _from_head(density, panel_cumulative):
    """Integrals from the head to the nodes, panel by panel: the cost grows as the number of panels."""
    inside = density.reshape(density.shape[0], -1, panel_cumulative.shape[1]) @ panel_cumulative.T
    if inside.shape[1] == 1:
        return inside[:, 0, :-1]
    total = inside[..., -1]
    return (inside[..., :-1] + (jnp.cumsum(total, axis=1) - total)[..., None]).reshape(density.shape)


def orientation(
    curvature: Float[Array, "3 3 nodes"], panel_cumulative: Float[Array, "order_and_one order"]
) -> Float[Array, "3 4 nodes"]:
    """Jet of the quaternions that solve R' = R K^ from the identity at the head, panel after panel. (17)

    Args:
        curvature: jet of K at the smooth nodes [1/m].
        panel_cumulative: as in `shape_from_strain`.
    """
    order = panel_cumulative.shape[1]
    panels = curvature.shape[-1] // order
    start, out = None, []
    for k in range(panels):
        to = panel_cumulative if k + 1 < panels else panel_cumulative[:-1]  # the end only starts the next panel
        local = _panel_orientation(curvature[..., k * order : (k + 1) * order], to)
        if start is not None:
            local = product(_multiply, jnp.broadcast_to(start, local.shape), local)
        out.append(local[..., :order])
        start = local[..., -1:]
    return jnp.concatenate(out, axis=-1)


@jax.custom_jvp
def _resolved_orientation(curvature, panel_cumulative):
    """`orientation` with the derivative of its equation, less than half the price of that of the expansion.

    Apart by the error of the nodes. On few nodes that is not small, and an optimiser feels
    that its gradient is not that of what it descends.
    """
    return orientation(curvature, panel_cumulative)


def _derivative(primals, tangents):
    """δR = θ^ R with θ' = R δK. The matrix scales with the body."""
    curvature, panel_cumulative = primals
    q = _resolved_orientation(*primals)
    spin, spin_rate, rotation = _turning(q)

    def turned(v):
        """Jet of R v of a jet v."""
        value, rate, second = (settle(apply(rotation, part)) for part in v)
        swept = settle(_cross(spin, value))
        rest = _cross(spin_rate, value) + _cross(spin, 2.0 * rate + swept)
        return settle(jnp.concatenate([value, rate + swept, second + rest]))

    theta = jnp.zeros((9, q.shape[-1]))
    for jet, matrix in ((tangents[0], panel_cumulative), (curvature, tangents[1])):
        if not isinstance(jet, SymbolicZero) and not isinstance(matrix, SymbolicZero):
            theta = theta + _from_head(turned(jet), matrix)
    theta = jnp.concatenate([jnp.zeros((3, 1, q.shape[-1])), 0.5 * theta.reshape(3, 3, -1)], axis=1)
    return q, product(_multiply, theta, q)


_resolved_orientation.defjvp(_derivative, symbolic_zeros=True)


def _turning(q):
    """Angular velocity, its rate, and the rotation, of a jet of quaternions, in the head's axes."""
    back = 2.0 * nodewise(quaternion_conjugate)(q[0])
    spin, spin_rate = _multiply(q[1], back)[1:], _multiply(q[2], back)[1:]
    return settle((spin, spin_rate, nodewise(matrix_from_quaternion)(q[0])))


def _panel_orientation(K, to):
    """R = ... exp(F3) exp(F2) exp(F1) with F' = K at each stage and K handed on as (exp(F) - dexp(F)) K."""

    def stage(carry, _):
        K, out = carry
        F = settle((K.reshape(9, -1) @ to.T).reshape(3, 3, -1))
        cos, sin, along, across = compose(_SERIES, product(_dot, F, F))
        factor = jnp.concatenate([cos[:, None], product(_scale, sin, F)], axis=1)
        out = product(_multiply, factor, out)
        F, along, across = (part[..., : K.shape[-1]] for part in (F, along, across))
        F_K = product(_cross, F, K)
        F_F_K = product(_cross, F, F_K)
        return (product(_scale, along, F_K) + product(_scale, across, F_F_K), out), None

    identity = jnp.zeros((3, 4, to.shape[0])).at[0, 0].set(1.0)
    (_, out), _ = jax.lax.scan(stage, (K, identity), length=FER_STAGES)
    return out


def _dot(a, b):
    return jnp.sum(a * b, axis=0)


def _scale(s, v):
    return s[None] * v


def _series():
    """In u = θ²: cos(θ/2) and sin(θ/2)/θ of the quaternion; c1 - c2 and c2 - c3 of exp - dexp (Stumpff's c_k)."""
    c = np.array([[(-1.0) ** n / math.factorial(2 * n + k) for n in range(_TERMS)] for k in range(4)])
    half = 0.25 ** np.arange(_TERMS)
    return np.stack([c[0] * half, 0.5 * c[1] * half, c[1] - c[2], c[2] - c[3]])


_SERIES = _series()
