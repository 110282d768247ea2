"""Checks of a joint law over a whole run: its values must be valid; a law that is not smooth in time warns."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from gaits.impulse_balance import balance_of, still, warn_if_kinked
from spatial import matrix_from_quaternion
from spatial.checks import shown

from .coordinates import JointLaw
from .joints import POSITIONS
from .tree import Tree

UNIT = 1e-6  # tolerance on the squared norm of a quaternion; joint rates have a relative error of this size

KINKED = (
    "law: it is not smooth in time. At t = {:.6g} s a joint position or its rate jumps by {:.0e} of the greatest, of "
    "which the next derivative knows nothing: the equations of motion lose the impulse of that jump, and momentum is "
    "not balanced. Likely causes: a table read by jnp.interp, abs, sign, a jump in jnp.where. A cubic spline through "
    "the samples is smooth."
)
WRONG = "law: positions of the joints must be finite at all times of the run, quaternions of unit norm"


class JointsInTime(eqx.Module):
    """Displacements of the actuated joints, as numbers that are continuous where the motion of the bodies is.

    They do not change with the sign of a quaternion, or if the angle of a revolute or universal joint jumps by 2π.

    Attributes:
        law: t -> positions of the actuated joints.
        kinds: kind of each actuated joint.
    """

    law: JointLaw
    kinds: tuple[str, ...] = eqx.field(static=True)

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "1 n"]:
        """Displacements at the time t [s].

        R - 1 and the squared norm minus one for each quaternion, sine and 1 - cosine of each angle [-], lengths of
        prismatic joints [m], and angles of helical joints [rad].
        """
        q = self.law(t)
        quaternion = q[self.rows("spherical")].reshape(-1, 4)
        turn = matrix_from_quaternion(quaternion) - np.broadcast_to(np.eye(3), (quaternion.shape[0], 3, 3))
        norm = jnp.sum(quaternion * quaternion, axis=-1) - 1.0
        angle, length, screw = q[self.rows("revolute", "universal")], q[self.rows("prismatic")], q[self.rows("helical")]
        return jnp.concatenate([turn.ravel(), norm, jnp.sin(angle), 1.0 - jnp.cos(angle), length, screw])[None]

    @property
    def groups(self) -> tuple[int, ...]:
        """Group of each number (rotations, lengths, helical angles); only numbers of one group are compared."""
        turns = 10 * len(self.rows("spherical")) // 4 + 2 * len(self.rows("revolute", "universal"))
        sizes = [turns, len(self.rows("prismatic")), len(self.rows("helical"))]
        groups = [n for n in sizes if n]
        return tuple(np.repeat(np.arange(len(groups)), groups).tolist())

    @property
    def norms(self) -> Int[np.ndarray, "spherical"]:
        """Indices of the numbers that are norms of quaternions."""
        count = len(self.rows("spherical")) // 4
        return 9 * count + np.arange(count)

    def rows(self, *kinds: str) -> Int[np.ndarray, "positions"]:
        """Indices of the positions of joints of the given kinds."""
        owner = np.repeat(np.array(self.kinds), [POSITIONS[kind] for kind in self.kinds])
        return np.flatnonzero(np.isin(owner, kinds))


def check_in_time(tree: Tree, law: JointLaw | None, t0: Any, t1: Any) -> Bool[Array, ""]:
    """Checks a law over the whole time span before a run; warns if it is not smooth.

    Args:
        tree: the tree.
        law: a law accepted by `check_law`.
        t0: first time [s].
        t1: last time [s].

    Returns:
        Whether the law is invalid; the caller then raises `WRONG`. It can be True only inside `jax.jit`: otherwise an
        invalid law raises here.

    Raises:
        ValueError: a position or its rate is not finite, or a quaternion does not have unit norm.
    """
    wrong: Any = np.zeros((), bool)
    moved = [k for k, kind in enumerate(tree.kinds) if tree.actuated[k] and POSITIONS[kind]]
    if law is None or not moved:
        return wrong
    known, t0, t1 = still((law, t0, t1))
    motion = JointsInTime(known, tuple(tree.kinds[k] for k in moved))
    found = balance_of(motion, motion.groups, t0, t1)
    if isinstance(found.jump, Tracer):
        off = jnp.abs(found.numbers[..., motion.norms]) > UNIT
        wrong = ~jnp.all(found.finite) | jnp.any(off)
    else:
        _refuse([tree.joint_names[k] for k in moved], motion, found)
    warn_if_kinked(found, KINKED)
    return wrong


def _refuse(names, motion, found):
    times = np.asarray(found.times)
    off = np.abs(np.asarray(found.numbers)[:, 0, motion.norms]) > UNIT
    if off.any():
        k, joint = np.argwhere(off)[0]
        rows = motion.rows("spherical")[4 * joint : 4 * joint + 4]
        given = np.asarray(motion.law(jnp.asarray(times[k])))[rows].tolist()
        name = [name for name, kind in zip(names, motion.kinds, strict=True) if kind == "spherical"][joint]
        raise ValueError(
            f"law at t = {times[k]:g} s gives joint {name!r} the quaternion {given}: a spherical joint needs one of "
            "unit norm, such as (1, 0, 0, 0)"
        )
    finite = np.asarray(found.finite)[:, 0]
    if not finite.all():
        t = times[~finite][0]
        given = np.asarray(motion.law(jnp.asarray(t)))
        rule = "its rates must be finite" if np.isfinite(given).all() else "must be finite"
        raise ValueError(f"law at t = {t:g} s gives {shown(given.tolist())}: {rule}")
