"""Actuation of every vertebra while the body moves: angles, rates, torques, power, feasibility."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Bool, Float

from spatial import angular, finite, increasing, matrix_from_quaternion, shaped

from .design import Wrist
from .inverse import posture
from .layout import Layout, to_vertebra, wrist_rotation
from .limits import Limits, margins
from .rates import condition_number, inverse_jacobian, jacobian, singularity_margin

_POINTS = 6  # points of the local interpolation along the body: fifth degree


class Actuation(eqx.Module):
    """Actuation of one vertebra or of many; the leading axes are times and vertebrae.

    Attributes:
        angles: motor angles (θ1, θ2, θ3) [rad].
        rates: motor rates [rad/s].
        torques: motor torques [N·m].
        power: power delivered by each motor [W].
        margins: margins of the limits, in the order of `MARGINS`; negative if violated.
        singularity: see `singularity_margin`.
        condition: condition number of the Jacobian [-].
        reachable: whether the legs close; if not, rates and torques of the leg that does not close are zero.
    """

    angles: Float[Array, "*n 3"]
    rates: Float[Array, "*n 3"]
    torques: Float[Array, "*n 3"]
    power: Float[Array, "*n 3"]
    margins: Float[Array, "*n 10"]
    singularity: Float[Array, "*n"]
    condition: Float[Array, "*n"]
    reachable: Bool[Array, "*n"]

    @property
    def feasible(self) -> Bool[Array, "*n"]:
        """Whether the vertebra is within reach and within every limit."""
        return self.reachable & jnp.all(self.margins >= 0.0, axis=-1)


@eqx.filter_jit
def actuate(
    wrist: Wrist,
    limits: Limits,
    relative: Float[Array, "3 3"],
    half: Float[Array, "3 3"],
    spin: Float[Array, "3"],
    moment: Float[Array, "3"],
) -> Actuation:
    """Computes the actuation of one vertebra.

        R_fm = T R(X)ᵀR(X+l) T R_z(home),   ω_v = T spin,   θ̇ = J⁻¹ω_v,   τ = Jᵀ T R(X)ᵀR(X+l/2) M(X+l/2)

    Args:
        wrist: the design.
        limits: limits of the wrist.
        relative: rotation R(X)ᵀR(X+l) of the tail-side section relative to the head-side one.
        half: rotation R(X)ᵀR(X+l/2) of the section at the centre O relative to the head-side one.
        spin: R(X)ᵀ[ω(X+l) - ω(X)], relative angular velocity in the head-side section's frame [rad/s].
        moment: internal moment M at the centre, head side on tail side, in the section's own frame [N·m].
    """
    pose = posture(wrist, wrist_rotation(wrist, relative))
    rates = inverse_jacobian(wrist, pose) @ to_vertebra(spin)
    torques = jacobian(wrist, pose).T @ to_vertebra(half @ moment)
    return Actuation(
        angles=pose.angles,
        rates=rates,
        torques=torques,
        power=torques * rates,
        margins=margins(wrist, limits, pose),
        singularity=singularity_margin(wrist, pose),
        condition=condition_number(wrist, pose),
        reachable=pose.reachable,
    )


@eqx.filter_jit
def actuate_body(
    wrist: Wrist,
    limits: Limits,
    quaternion: Float[Array, "stations 4"],
    spin: Float[Array, "stations 3"],
    moment: Float[Array, "stations 3"],
) -> Actuation:
    """Computes the actuation of all vertebrae at one instant, from the body at `Layout.stations`.

    Args:
        wrist: the design.
        limits: limits of the wrist.
        quaternion: orientations of the sections, in any frame.
        spin: angular velocity of the sections, each in its own frame [rad/s].
        moment: internal moment M, head side on tail side, in the section frames [N·m].
    """
    R = matrix_from_quaternion(quaternion)
    back = jnp.swapaxes(R[:-1:2], 1, 2)
    relative, half = back @ R[2::2], back @ R[1::2]
    turned = jnp.sum(relative * spin[2::2][:, None, :], axis=-1) - spin[:-1:2]
    return jax.vmap(actuate, in_axes=(None, None, 0, 0, 0, 0))(wrist, limits, relative, half, turned, moment[1::2])


def actuation(
    wrist: Wrist,
    layout: Layout,
    X: ArrayLike,
    quaternion: ArrayLike,
    twist: ArrayLike,
    moment: ArrayLike,
    limits: Limits | None = None,
) -> Actuation:
    """Computes the actuation of all vertebrae of a moving body, from a record along it.

    Args:
        wrist: the design.
        layout: positions of the vertebrae.
        X: increasing abscissae of the record [m].
        quaternion: orientations of the sections in the world, over (time, X).
        twist: twists of the sections, each in its own frame, over (time, X) [m/s, rad/s].
        moment: internal moment M, head side on tail side, in the section frames, over (time, X) [N·m].
        limits: limits of the wrist; `Limits()` by default.

    Returns:
        The actuation over (time, vertebra).

    Raises:
        ValueError: shapes disagree, or a vertebra lies outside the record.
    """
    X = increasing("X", X, "m")
    fields = []
    for name, value, size in (("quaternion", quaternion, 4), ("twist", twist, 6), ("moment", moment, 3)):
        array = finite(name, value)
        shaped(name, array, (None, X.shape[0], size))
        fields.append(array)
    outside = (layout.stations[0] < X[0] - 1e-9) | (layout.stations[-1] > X[-1] * (1.0 + 1e-9))
    if not isinstance(outside, Tracer) and bool(outside):
        raise ValueError(
            f"the vertebrae lie from X = {float(layout.stations[0]):g} to {float(layout.stations[-1]):g} m, "
            f"the record from {float(X[0]):g} to {float(X[-1]):g} m: they must lie within it"
        )
    return _actuation(wrist, Limits() if limits is None else limits, layout, X, *fields)


@eqx.filter_jit
def _actuation(wrist, limits, layout, X, quaternion, twist, moment):
    here = interpolation(X, layout.stations)

    def instant(fields):
        q, eta, M = fields
        # q and -q are the same rotation: signs are made consistent between neighbours before interpolation.
        flips = jnp.where(jnp.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0)
        q = q * jnp.concatenate([jnp.ones(1), jnp.cumprod(flips)])[:, None]
        return actuate_body(wrist, limits, here @ q, here @ angular(eta), here @ M)

    return jax.lax.map(instant, (quaternion, twist, moment))


def interpolation(X: Float[Array, "nodes"], stations: Float[Array, "stations"]) -> Float[Array, "stations nodes"]:
    """Matrix from values at nodes to values at stations: Lagrange polynomials through the six nearest nodes.

    It is exact at the nodes; elsewhere the error decreases with the sixth power of the node spacing.
    """
    points = min(_POINTS, X.shape[0])
    first = jnp.clip(jnp.searchsorted(X, stations) - points // 2, 0, X.shape[0] - points)
    chosen = first[:, None] + jnp.arange(points)[None, :]
    nodes = X[chosen]
    weights = jnp.ones_like(nodes)
    for k in range(points):
        others = [j for j in range(points) if j != k]
        for j in others:
            factor = (stations - nodes[:, j]) / (nodes[:, k] - nodes[:, j])
            weights = weights.at[:, k].multiply(factor)
    rows = jnp.broadcast_to(jnp.arange(stations.shape[0])[:, None], chosen.shape)
    return jnp.zeros((stations.shape[0], X.shape[0])).at[rows, chosen].set(weights)
