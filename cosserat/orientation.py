"""Orientation of the sections from their curvature: the only field along the body that is not a plain integral.

It is a product of exponentials (Fer's expansion) on each panel of the smooth grid. Arrays are (component, node).
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from spatial import node_cross, node_rotation, nodewise, quaternion_conjugate, quaternion_multiply

from .node_arrays import apply, computed_once
from .quadrature import integral_from_head

FER_STAGES = 4  # the error decreases as the 1st, 3rd, 7th, 15th power of the angle of a panel
MAX_TURN = 6.0  # rad per panel: limit of full accuracy of the series below
MAX_SECOND_TURN = 2.0  # rad, second factor: the first omitted factor is then 1e-4 (1e-6 at 1.2 rad, 1e-9 at 0.6)
FEW_PANELS = 4  # up to this number a plain sequence is faster than a loop
RESOLVED = 32  # least nodes per panel for which rates and derivatives are those of the differential equation

_multiply = nodewise(quaternion_multiply)


def orientation(
    curvature: Float[Array, "3 nodes"], panel_integral: Float[Array, "order order_and_one"]
) -> Float[Array, "4 nodes"]:
    """Quaternions that solve R' = R K^ from the identity at the head. (17)

    Args:
        curvature: K at the smooth nodes [1/m].
        panel_integral: maps values in one panel to integrals from its start to its nodes and end [m].
    """
    if resolved(panel_integral):
        return _resolved(curvature, panel_integral)
    return _expanded((curvature,), panel_integral)[0]


def resolved(panel_integral: Float[Array, "order order_and_one"]) -> bool:
    """Whether a panel has enough nodes for the differential equation and its discrete map to agree.

    The angular velocity can then be found by integrating R K̇.
    """
    return panel_integral.shape[0] >= RESOLVED


def discrete_motion(
    curvature: Float[Array, "3 nodes"],
    rate: Float[Array, "3 nodes"],
    rate2: Float[Array, "3 nodes"],
    panel_integral: Float[Array, "order order_and_one"],
) -> tuple[Float[Array, "4 nodes"], Float[Array, "3 nodes"], Float[Array, "3 nodes"]]:
    """Quaternions of the discrete map, and the angular velocities and accelerations that it implies [rad/s, rad/s²].

    Args:
        curvature: K at the smooth nodes [1/m].
        rate: dK/dt [1/(m·s)].
        rate2: d²K/dt² [1/(m·s²)].
        panel_integral: maps values in one panel to integrals from its start to its nodes and end [m].
    """
    q, dq, ddq = _expanded((curvature, rate, rate2), panel_integral)  # pyright: ignore[reportAssignmentType]
    back = 2.0 * nodewise(quaternion_conjugate)(q)
    return q, _multiply(dq, back)[1:], _multiply(ddq, back)[1:]


def _expanded(curvature, panel_integral) -> tuple[Array, ...]:
    """Quaternions (4, nodes) from curvatures (3, nodes): a tuple of values alone, or with two time derivatives."""
    order = panel_integral.shape[0]
    panels = curvature[0].shape[1] // order
    if panels == 1:
        return _in_panels(curvature, panel_integral[:, :-1])
    local = tuple(q.reshape(4, panels, order + 1) for q in _in_panels(curvature, panel_integral))
    follow = lambda start, end: (_product(quaternion_multiply, start, end), start)  # noqa: E731
    ends = tuple(q[..., -1].T for q in local)
    _, starts = jax.lax.scan(follow, _constant(jnp.eye(4)[0], local), ends, unroll=panels <= FEW_PANELS)
    starts = tuple(jnp.repeat(start.T, order, axis=1) for start in starts)
    return _product(_multiply, starts, tuple(q[..., :-1].reshape(4, -1) for q in local))


@jax.custom_jvp
def _resolved(curvature, panel_integral):
    """`_expanded` with the derivative of the differential equation, which is much cheaper than that of the expansion.

    The two derivatives differ by the quadrature error. On few nodes this error is not small, and the gradient would be
    inconsistent with the objective of an optimiser.
    """
    return _expanded((curvature,), panel_integral)[0]


def _derivative(primals, tangents):
    """δR = θ^ R with θ' = R δK. `panel_integral` has a tangent too, because it scales with the length of the body."""
    curvature, panel_integral = primals
    q = _resolved(*primals)
    rotation = node_rotation(q)
    theta = jnp.zeros_like(curvature)
    for density, matrix in ((tangents[0], panel_integral), (curvature, tangents[1])):
        if not isinstance(density, SymbolicZero) and not isinstance(matrix, SymbolicZero):
            theta = theta + integral_from_head(apply(rotation, density), matrix)
    return q, _multiply(jnp.concatenate([jnp.zeros_like(theta[:1]), 0.5 * theta]), q)


_resolved.defjvp(_derivative, symbolic_zeros=True)


def _in_panels(K, to):
    """R = ... exp(F3) exp(F2) exp(F1), where F' = K at each stage, and the next K is (exp(F) - dexp(F)) K."""
    order, targets = to.shape
    at_nodes = lambda part: part.reshape(-1, targets)[:, :order].reshape(*part.shape[:-1], -1)  # noqa: E731
    scaled = lambda factor, vector: factor[None] * vector  # noqa: E731
    joined = lambda parts: parts[0] if len(parts) == 1 else jnp.stack(parts)  # noqa: E731  few, larger arrays
    split = lambda whole: (whole,) if len(K) == 1 else tuple(whole)  # noqa: E731

    def stage(carry, _):
        K, out = carry
        F = split((K.reshape(-1, order) @ to).reshape(*K.shape[:-1], -1))
        cos, sin, along, across = _coefficients(tuple(0.25 * jnp.sum(x, axis=0) for x in _product(jnp.multiply, F, F)))
        turn = tuple(jnp.concatenate([w[None], v]) for w, v in zip(cos, _product(scaled, sin, F), strict=True))
        out = joined(_product(_multiply, turn, split(out)))
        F, along, across = jax.tree.map(at_nodes, (F, along, across))
        F_K = _product(node_cross, F, split(K))
        F_F_K = _product(node_cross, F, F_K)
        return (joined(_product(scaled, along, F_K)) + joined(_product(scaled, across, F_F_K)), out), None

    identity = jnp.zeros((4, K[0].shape[1] // order * targets)).at[0].set(1.0)
    (_, out), _ = jax.lax.scan(stage, (joined(K), joined(_constant(identity, K))), length=FER_STAGES)
    return split(out)


def _constant(value, like):
    """A constant function of time, with as many derivatives as another."""
    return (value, *(jnp.zeros_like(value) for _ in like[1:]))


def _product(product, a, b):
    """A bilinear product of two functions of time: tuples of values, or of values and two derivatives (Leibniz)."""
    value = product(a[0], b[0])
    if len(a) == 1:
        return (value,)
    rate = product(a[1], b[0]) + product(a[0], b[1])
    return value, rate, product(a[2], b[0]) + 2.0 * product(a[1], b[1]) + product(a[0], b[2])


def _coefficients(h):
    """cos(θ/2) and sin(θ/2)/θ of the quaternion, c1 - c2 and c2 - c3 of exp - dexp (Stumpff's c_k), of h = θ²/4.

    Each is a tuple of values, or of values and two time derivatives, as h is.
    """
    if len(h) == 1:
        found = expansion_coefficients(h[0])[None]
    else:
        along = lambda h, dh: jax.jvp(expansion_coefficients, (h,), (dh,))  # noqa: E731
        (value, rate), (_, rate2) = jax.jvp(along, (h[0], h[1]), (h[1], h[2]))
        found = jnp.stack([value, rate, rate2])
    found = computed_once(found)
    return tuple(tuple(found[:, k]) for k in range(4))


def expansion_coefficients(h: Float[Array, "..."]) -> Float[Array, "4 ..."]:
    """cos(θ/2) and sin(θ/2)/θ, c1 - c2 and c2 - c3 (Stumpff's c_k of θ²) of h = θ²/4 [-], for θ up to `MAX_TURN`."""
    c2, c3 = jnp.zeros_like(h), jnp.zeros_like(h)
    for a2, a3 in _SERIES[::-1]:
        c2, c3 = c2 * h + a2, c3 * h + a3
    c0, c1 = 1.0 - h * c2, 1.0 - h * c3
    # Values for the whole angle from those for half of it.
    whole_c1, whole_c2, whole_c3 = c0 * c1, 0.5 * c1 * c1, 0.25 * (c2 + c0 * c3)
    return jnp.stack([c0, 0.5 * c1, whole_c1 - whole_c2, whole_c2 - whole_c3])


# Taylor coefficients of c2 and c3, lowest power first; accurate to round-off up to half of `MAX_TURN`.
_SERIES = np.array([[(-1.0) ** n / math.factorial(2 * n + k) for k in (2, 3)] for n in range(14)])
