"""Joint positions, their rates, and joint laws."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits.feedback.steered import plain
from spatial import quaternion_conjugate, quaternion_exp, quaternion_multiply, quaternion_rate, require_float64
from spatial.checks import shown
from spatial.traced_shapes import result_shape

from .tree import Tree

# Law of the actuated joints: t [s] -> their positions [rad or m], quaternions for spherical joints.
JointLaw = Callable[[Float[Array, ""]], Float[Array, "positions"]]


def joint_rates(
    tree: Tree, q: Float[Array, "positions"], q_rate: Float[Array, "positions"]
) -> Float[Array, "freedoms"]:
    """Joint velocities [rad/s or m/s] from the time derivative of joint positions.

    The same map gives the joint accelerations from the second time derivative of the positions: for a unit quaternion,
    the extra term conj(dq) dq is real and does not affect the vector part.
    """
    plain, freedom, first = _tables(tree)
    if len(first) == 0:
        return q_rate
    rates = jnp.zeros(tree.layout.freedoms).at[freedom[0]].set(q_rate[plain])
    rows = first[:, None] + np.arange(4)[None, :]
    spin = 2.0 * quaternion_multiply(quaternion_conjugate(q[rows]), q_rate[rows])[:, 1:]
    return rates.at[freedom[1]].set(spin)


def position_rates(tree: Tree, q: Float[Array, "positions"], dq: Float[Array, "freedoms"]) -> Float[Array, "positions"]:
    """Time derivative of joint positions from joint velocities.

    Args:
        tree: the tree.
        q: joint positions [rad or m]; four numbers, a unit quaternion, for a spherical joint.
        dq: joint velocities [rad/s or m/s].
    """
    plain, freedom, first = _tables(tree)
    if len(first) == 0:
        return dq
    rows = first[:, None] + np.arange(4)[None, :]
    out = jnp.zeros(tree.layout.positions).at[plain].set(dq[freedom[0]])
    return out.at[rows].set(quaternion_rate(q[rows], dq[freedom[1]]))


def displace(tree: Tree, q: Float[Array, "positions"], step: Float[Array, "freedoms"]) -> Float[Array, "positions"]:
    """Joint positions after a small step of the freedoms; quaternions are normalised."""
    plain, freedom, first = _tables(tree)
    if len(first) == 0:
        return q + step
    rows = first[:, None] + np.arange(4)[None, :]
    moved = quaternion_multiply(q[rows], quaternion_exp(step[freedom[1]]))
    moved = moved / jnp.sqrt(jnp.sum(moved * moved, axis=-1, keepdims=True))
    return q.at[plain].add(step[freedom[0]]).at[rows].set(moved)


def displacements(tree: Tree, q: Float[Array, "positions"]) -> Float[Array, "freedoms"]:
    """Deflection of the joint springs: the position [rad] or [m]; for a spherical joint a rotation vector."""
    plain, freedom, first = _tables(tree)
    if len(first) == 0:
        return q
    out = jnp.zeros(tree.layout.freedoms).at[freedom[0]].set(q[plain])
    return out.at[freedom[1]].set(_rotation_vector(q[first[:, None] + np.arange(4)[None, :]]))


def law_motion(
    tree: Tree, law: JointLaw | None, t: Float[Array, ""]
) -> tuple[Float[Array, "positions"], Float[Array, "freedoms"], Float[Array, "freedoms"]]:
    """Joint positions, velocities and accelerations under a law, by forward-mode differentiation.

    Args:
        tree: the tree.
        law: function of the time [s] that gives the positions of the actuated joints, in order; None if there are none.
        t: time [s].

    Returns:
        Arrays for all joints; passive joints are at their neutral position and at rest.
    """
    neutral, actuated = tree.neutral(), tree.actuated_positions
    if law is None or len(actuated) == 0:
        still = jnp.zeros(tree.layout.freedoms)
        return neutral, still, still

    def positions(time):
        return neutral.at[actuated].set(law(time))

    def positions_and_rates(time):
        return jax.jvp(positions, (time,), (jnp.ones_like(time),))

    (q, q_rate), (_, q_second) = jax.jvp(positions_and_rates, (t,), (jnp.ones_like(t),))
    return q, joint_rates(tree, q, q_rate), joint_rates(tree, q, q_second)


def check_law(tree: Tree, law: JointLaw | None) -> None:
    """Raises unless `law` is a function t -> positions of the actuated joints."""
    require_float64()
    if not isinstance(tree, Tree):
        raise ValueError(f"tree = {shown(tree)}: must be a multibody.Tree; multibody.from_beam converts a beam")
    count = len(tree.actuated_positions)
    if law is None and count == 0:
        return
    law = plain(law)
    if not callable(law):
        raise ValueError(f"law = {shown(law)}: must be a callable t -> positions ({count},) of the actuated joints")
    try:
        positions = result_shape(law, 1)
    except TypeError as error:
        raise ValueError(
            f"law could not be evaluated at a time t: must be t -> positions ({count},), written with jax.numpy. "
            f"multibody.strain_law converts a strain law (X, t): {str(error).splitlines()[0]}"
        ) from error
    if not hasattr(positions, "shape"):
        raise ValueError(f"law returns a {type(positions).__name__}: must be an array ({count},); use jnp.array([...])")
    if positions.shape != (count,):
        raise ValueError(
            f"law returns shape {positions.shape}: must be ({count},), the positions of the actuated joints"
        )
    if positions.dtype != jnp.result_type(float):
        raise ValueError(
            f"law returns {positions.dtype} numbers: must be {jnp.result_type(float)}; write 1.0, not 1, and leave out "
            "dtypes, because its second time derivative loses its digits in single precision"
        )


def _tables(tree):
    """Positions and freedoms of scalar joints, and first positions of spherical joints with their freedoms."""
    table = tree.layout
    spherical = table.of_kind(tree.kinds, "spherical")
    first = table.position_start[spherical]
    plain = np.setdiff1d(np.arange(table.positions), (first[:, None] + np.arange(4)[None, :]).ravel())
    turning = table.freedom_start[spherical][:, None] + np.arange(3)[None, :]
    freedom = np.setdiff1d(np.arange(table.freedoms), turning.ravel())
    return plain, (freedom, turning), first


def _rotation_vector(quaternion):
    """Logarithm of a quaternion, with an angle of at most π; its derivatives are exact at the identity."""
    sign = jnp.where(quaternion[..., :1] < 0, -1.0, 1.0)
    w, v = sign[..., 0] * quaternion[..., 0], sign * quaternion[..., 1:]
    square = jnp.sum(v * v, axis=-1)
    small = square < 1e-8
    sine = jnp.sqrt(jnp.where(small, 1.0, square))
    # Below 1e-4 rad, asin(s)/s = 1 + s²/6 + 3s⁴/40 holds to round-off.
    series = 2.0 * (1.0 + square / 6.0 + 3.0 * square**2 / 40.0)
    factor = jnp.where(small, series, 2.0 * jnp.arctan2(sine, w) / sine)
    return factor[..., None] * v
