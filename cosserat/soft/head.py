"""Boundary condition of the head of a soft beam: free, clamped, pinned, or moved along a given path."""

import abc
from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import join, matrix_from_quaternion, quaternion_conjugate, quaternion_multiply
from spatial.checks import shown
from spatial.printing import Printed

from ..state import HeadState, unchecked_state


class AbstractHead(Printed):
    """Boundary condition of the head.

    Attributes:
        free: components of the head twist, in its frame, that follow from the dynamics; the others are prescribed.
    """

    free: eqx.AbstractClassVar[tuple[int, ...]]

    @abc.abstractmethod
    def held(self, state: HeadState, t: Float[Array, ""]) -> tuple[HeadState, Float[Array, "6"]]:
        """The state with its prescribed parts, and the prescribed rates of the twist, zero if free [m/s², rad/s²]."""


class Free(AbstractHead):
    """A free head, as in swimming."""

    free: ClassVar[tuple[int, ...]] = (0, 1, 2, 3, 4, 5)

    def held(self, state: HeadState, t: Float[Array, ""]) -> tuple[HeadState, Float[Array, "6"]]:
        """The state itself."""
        return state, jnp.zeros(6)


class Clamped(AbstractHead):
    """A head held at its initial position and orientation."""

    free: ClassVar[tuple[int, ...]] = ()

    def held(self, state: HeadState, t: Float[Array, ""]) -> tuple[HeadState, Float[Array, "6"]]:
        """The head at rest."""
        return unchecked_state(state.position, state.quaternion, jnp.zeros(6)), jnp.zeros(6)


class Pinned(AbstractHead):
    """A nose held at its initial position by a ball joint; the head turns freely about it."""

    free: ClassVar[tuple[int, ...]] = (3, 4, 5)

    def held(self, state: HeadState, t: Float[Array, ""]) -> tuple[HeadState, Float[Array, "6"]]:
        """The nose at rest."""
        twist = join(jnp.zeros(3), state.twist[3:])
        return unchecked_state(state.position, state.quaternion, twist), jnp.zeros(6)


class Moved(AbstractHead):
    """A head that follows a given path, such as a fin that is shaken.

    Attributes:
        path: t -> (position [m], quaternion (w, x, y, z)) of the head in the world, twice differentiable, written
            with `jax.numpy`. The quaternion need not be unit.

    Example:
        >>> import cosserat, jax.numpy as jnp
        >>> upright = jnp.array([1.0, 0.0, 0.0, 0.0])
        >>> shaken = cosserat.Moved(lambda t: (jnp.array([0.0, 0.01, 0.0]) * jnp.sin(9.0 * t), upright))
    """

    path: Callable[[Float[Array, ""]], tuple[Float[Array, "3"], Float[Array, "4"]]]
    free: ClassVar[tuple[int, ...]] = ()

    def __check_init__(self):
        if not callable(self.path):
            raise ValueError(f"Moved.path = {shown(self.path)}: must be a callable t -> (position, quaternion)")

    def held(self, state: HeadState, t: Float[Array, ""]) -> tuple[HeadState, Float[Array, "6"]]:
        """Pose, twist and rate of the twist on the path."""

        def pose(t):
            position, quaternion = self.path(t)
            return jnp.asarray(position, float), quaternion / jnp.linalg.norm(quaternion)

        def twist(t):
            (_, q), (velocity, dq) = jax.jvp(pose, (t,), (jnp.ones_like(t),))
            spin = 2.0 * quaternion_multiply(quaternion_conjugate(q), dq)[1:]
            return join(matrix_from_quaternion(q).T @ velocity, spin)

        value, rate = jax.jvp(twist, (t,), (jnp.ones_like(t),))
        return unchecked_state(*pose(t), value), rate
