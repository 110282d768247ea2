"""Motor motion required by a gait, from its strain law alone, without simulating the swim."""

import math
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import angular, cross, linear, matrix_from_quaternion, quaternion_exp, quaternion_multiply

from .design import Wrist
from .inverse import Posture, posture
from .layout import Layout, wrist_rotation
from .limits import Limits, margins

Gait = Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, "6"]]

_STEPS = 2  # steps of the sixth-order Magnus integrator per vertebra: 4e-9 rad for a rotation of 30° in space
_NODES = (-math.sqrt(0.15), 0.0, math.sqrt(0.15))  # Gauss points of a step, relative to its middle, in steps


def relative_quaternion(
    gait: Gait, X: Float[Array, ""], pitch: Float[Array, ""], t: Float[Array, ""]
) -> Float[Array, "4"]:
    """Quaternion of R(X)ᵀR(X + l), the tail side relative to the head side, from R' = R K^ over one vertebra.

    Args:
        gait: strain law (X, t) -> (Γ, K).
        X: abscissa of the head side [m].
        pitch: length l of the vertebra [m].
        t: time [s].
    """
    h = pitch / _STEPS
    middles = X + h * (jnp.arange(_STEPS) + 0.5)
    nodes = middles[:, None] + h * jnp.asarray(_NODES)[None, :]
    curvature = jax.vmap(jax.vmap(lambda x: angular(gait(x, t))))(nodes)
    K1, K2, K3 = curvature[:, 0], curvature[:, 1], curvature[:, 2]
    a1 = h * K2
    a2 = h * (math.sqrt(15.0) / 3.0) * (K3 - K1)
    a3 = h * (10.0 / 3.0) * (K3 - 2.0 * K2 + K1)
    # The commutators have the sign for R' = R K^, opposite to that of the usual Y' = A Y.
    c1 = -cross(a1, a2)
    c2 = cross(a1, 2.0 * a3 + c1) / 60.0
    turns = quaternion_exp(a1 + a3 / 12.0 - cross(-20.0 * a1 - a3 + c1, a2 + c2) / 240.0)
    q = turns[0]
    for step in range(1, _STEPS):
        q = quaternion_multiply(q, turns[step])
    return q


def gait_postures(wrist: Wrist, layout: Layout, gait: Gait, t: Float[Array, ""]) -> Posture:
    """Postures of all vertebrae at one time [s]; the leading axis is that of the vertebrae."""

    def one(X):
        relative = matrix_from_quaternion(relative_quaternion(gait, X, layout.pitch, t))
        return posture(wrist, wrist_rotation(wrist, relative))

    return jax.vmap(one)(layout.fore)


@eqx.filter_jit
def gait_angles(
    wrist: Wrist, layout: Layout, gait: Gait, t: Float[Array, ""]
) -> tuple[Float[Array, "vertebrae 3"], Float[Array, "vertebrae 3"]]:
    """Motor angles [rad] and rates [rad/s] of all vertebrae at one time [s]; rates by automatic differentiation."""
    angles = lambda time: gait_postures(wrist, layout, gait, time).angles  # noqa: E731
    return jax.jvp(angles, (t,), (jnp.ones_like(t),))


@eqx.filter_jit
def gait_margins(
    wrist: Wrist, limits: Limits, layout: Layout, gait: Gait, times: Float[Array, "times"]
) -> Float[Array, "times vertebrae 10"]:
    """Margins [-] of every vertebra at every time, in the order of `MARGINS`; differentiable in all arguments.

    Args:
        wrist: the design.
        limits: limits of the wrist.
        layout: positions of the vertebrae.
        gait: strain law (X, t) -> (Γ, K).
        times: times at which the margins are evaluated [s].
    """

    def instant(t):
        poses = gait_postures(wrist, layout, gait, t)
        return jax.vmap(margins, in_axes=(None, None, 0))(wrist, limits, poses)

    return jax.vmap(instant)(times)


@eqx.filter_jit
def gait_constraint(
    wrist: Wrist,
    limits: Limits,
    layout: Layout,
    gait: Gait,
    times: Float[Array, "times"],
    sharpness: float = 200.0,
) -> Float[Array, ""]:
    """A smooth scalar constraint for gait optimisation: if it is non-negative, every vertebra is within its limits.

        -log(Σ exp(-s m)) / s   over all n margins m; between min(m) - log(n)/s and min(m)

    Args:
        wrist: the design.
        limits: limits of the wrist.
        layout: positions of the vertebrae.
        gait: strain law (X, t) -> (Γ, K), the quantity to optimise.
        times: times at which the limits are checked [s]; one period is enough for a periodic gait.
        sharpness: s; a larger value is closer to the smallest margin but less smooth.
    """
    all_margins = gait_margins(wrist, limits, layout, gait, times)
    return -jax.nn.logsumexp(-sharpness * all_margins) / sharpness


def scaled(gait: Gait, gain: Float[Array, ""]) -> Gait:
    """The gait with its curvatures and torsion K multiplied by a gain [-]; Γ is unchanged."""
    return _Scaled(gait, gain)


class _Scaled(eqx.Module):
    gait: Gait
    gain: Float[Array, ""]

    def __call__(self, X, t):
        xi = self.gait(X, t)
        return jnp.concatenate([linear(xi), self.gain * angular(xi)])


def refuse_stretch(layout: Layout, gait: Gait, times: Float[Array, "times"]) -> None:
    """Raises if a gait stretches or shears: a spherical wrist can only rotate.

    Args:
        layout: positions of the vertebrae.
        gait: strain law (X, t) -> (Γ, K).
        times: times of the check [s].

    Raises:
        ValueError: Γ is not (1, 0, 0) at the ends and centres of the vertebrae. A traced law is not checked.
    """
    over_X = jax.vmap(gait, in_axes=(0, None))
    gamma = linear(jax.vmap(over_X, in_axes=(None, 0))(layout.stations, times))
    if isinstance(gamma, Tracer):
        return
    excess = float(np.max(np.abs(np.asarray(gamma) - np.array([1.0, 0.0, 0.0]))))
    if excess > 1e-9:
        raise ValueError(
            f"the gait stretches or shears (Γ differs from (1, 0, 0) by {excess:g}): a spherical wrist can only rotate"
        )
