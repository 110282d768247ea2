"""Joint laws over a whole run: refused where they are no motion, with a warning where they are not smooth in time."""

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

UNIT = 1e-6  # of the squared norm of a quaternion: rates of the joint would be wrong by as much

KINKED = (
    "law: it is not smooth in time. At t = {:.6g} s a joint position or its rate jumps by {:.0e} of the greatest, of "
    "which the next derivative knows nothing: the equations of motion lose the impulse of that jump, and momentum is "
    "not balanced. Likely causes: a table read by jnp.interp, abs, sign, a jump in jnp.where. A cubic spline through "
    "the samples is smooth."
)
WRONG = "law: positions of the joints must be finite at all times of the run, quaternions of unit norm"


class JointsInTime(eqx.Module):
    """Displacements of the actuated joints: numbers that jump only where bodies do, not with the sign of a quaternion
    or by a whole turn of an angle.

    Attributes:
        law: positions of the actuated joints at a time.
        kinds: kind of each actuated joint.
    """

    law: JointLaw
    kinds: tuple[str, ...] = eqx.field(static=True)

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "1 n"]:
        """At the time t [s]: R - 1 and the squared norm less one of quaternions, sine and 1 - cosine of angles [-];
        lengths [m]; angles of screws [rad]."""
        q = self.law(t)
        quaternion = q[self.rows("spherical")].reshape(-1, 4)
        turn = matrix_from_quaternion(quaternion) - np.broadcast_to(np.eye(3), (quaternion.shape[0], 3, 3))
        norm = jnp.sum(quaternion * quaternion, axis=-1) - 1.0
        angle, length, screw = q[self.rows("revolute", "universal")], q[self.rows("prismatic")], q[self.rows("helical")]
        return jnp.concatenate([turn.ravel(), norm, jnp.sin(angle), 1.0 - jnp.cos(angle), length, screw])[None]

    @property
    def groups(self) -> tuple[int, ...]:
        """Which of these numbers are compared with each other: those of turns, lengths and screws."""
        turns = 10 * len(self.rows("spherical")) // 4 + 2 * len(self.rows("revolute", "universal"))
        sizes = [turns, len(self.rows("prismatic")), len(self.rows("helical"))]
        groups = [n for n in sizes if n]
        return tuple(np.repeat(np.arange(len(groups)), groups).tolist())

    @property
    def norms(self) -> Int[np.ndarray, "spherical"]:
        """Which of the numbers are the norms of quaternions."""
        count = len(self.rows("spherical")) // 4
        return 9 * count + np.arange(count)

    def rows(self, *kinds: str) -> Int[np.ndarray, "positions"]:
        """Which positions belong to joints of these kinds."""
        owner = np.repeat(np.array(self.kinds), [POSITIONS[kind] for kind in self.kinds])
        return np.flatnonzero(np.isin(owner, kinds))


def check_in_time(tree: Tree, law: JointLaw | None, t0: Any, t1: Any) -> Bool[Array, ""]:
    """Refuses positions that are none anywhere in a run before it begins, and warns of a law that is not smooth.

    Args:
        tree: the tree.
        law: a law accepted by `check_law`.
        t0: first time [s].
        t1: last time [s].

    Returns:
        Whether the law is wrong: only inside `jax.jit`, for the caller to raise `WRONG`; else False.

    Raises:
        ValueError: a position is not finite, or no orientation for a spherical joint.
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
