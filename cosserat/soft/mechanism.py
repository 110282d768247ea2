"""A soft beam as something that moves in time: the interface between its equations and the steps of `stepping`."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from hydro import AbstractFluid
from spatial import matrix_from_quaternion, quaternion_rate
from stepping.mechanism import AbstractMechanism, Equations, Point

from ..state import HeadState, unchecked_state
from ..strain import Gait
from .sampled_soft import SampledSoft
from .soft_beam import SoftState, unchecked_soft_state
from .soft_loop import SoftLoop, soft_loop


class SoftMechanism(AbstractMechanism):
    """A soft beam under a gait in a fluid.

    The pose is that of the head, the free coordinates are the modes q, and the velocities are the components of the
    head's twist that nothing holds, then dq/dt.

    Attributes:
        sampled: the body on its grids.
        gait: what imposes strains; None for the rest shape.
        fluid: the fluid around it.
        command: commands of its actuators, of any unit; zero when None.
    """

    sampled: SampledSoft
    gait: Gait | None
    fluid: AbstractFluid
    command: Float[Array, "commands"] | None = None

    @property
    def held(self) -> tuple[int, ...]:
        """Components of the head's twist that are free."""
        return self.sampled.soft.head.free

    @property
    def stiffness(self) -> Float[Array, "n n"]:
        """K_ε [J]."""
        return self.sampled.stiffness

    @property
    def damping(self) -> Float[Array, "n n"]:
        """D_ε [J·s]."""
        return self.sampled.damping

    def start(self, state: SoftState) -> Point:
        """The point that a state is."""
        return Point(
            (state.position, state.quaternion),
            state.q,
            jnp.concatenate([state.twist[np.asarray(self.held, int)], state.dq]),
        )

    def state(self, t: Float[Array, ""], point: Point) -> SoftState:
        """Head and modes at a point, with what the holder of the head gives."""
        h = len(self.held)
        twist = jnp.zeros(6).at[np.asarray(self.held, int)].set(point.velocity[:h], unique_indices=True)
        position, quaternion = point.pose
        head, _ = self.sampled.soft.head.held(unchecked_state(position, quaternion, twist), t)
        return unchecked_soft_state(head, point.free, point.velocity[h:])

    def loop(self, t: Float[Array, ""], state: SoftState) -> SoftLoop:
        """One evaluation."""
        head, q, dq = state.head, state.q, state.dq
        return soft_loop(self.sampled, self.gait, self.fluid, head, q, dq, t, command=self.command)

    def equations(self, t: Float[Array, ""], point: Point) -> Equations:
        """Inertia and force of what moves freely."""
        loop = self.loop(t, self.state(t, point))
        matrix, force = loop.inertia(), loop.force()
        moving = np.concatenate([self.held, 6 + np.arange(point.free.shape[0])]).astype(int)
        if len(self.held) < 6:
            force = force - matrix[:, :6] @ loop.given
        return Equations(matrix[np.ix_(moving, moving)], force[moving])

    def pose_rates(self, pose: PyTree, velocity: Float[Array, "m"]) -> PyTree:
        """Of position and quaternion; zero for a head on a given path, whose pose is that of the path."""
        position, quaternion = pose
        twist = jnp.zeros(6).at[np.asarray(self.held, int)].set(velocity[: len(self.held)], unique_indices=True)
        return matrix_from_quaternion(quaternion) @ twist[:3], quaternion_rate(quaternion, twist[3:])

    def rates(self, t: Float[Array, ""], point: Point) -> Point:
        """Rates of all states, for explicit steps; cheaper to differentiate than through `equations`."""
        loop = self.loop(t, self.state(t, point))
        moving = np.concatenate([self.held, 6 + np.arange(point.free.shape[0])]).astype(int)
        rates = loop.rates()[moving]
        return Point(self.pose_rates(point.pose, point.velocity), point.velocity[len(self.held) :], rates)


def states_of(
    mechanism: SoftMechanism, times: Float[Array, "times"], points: Point
) -> tuple[HeadState, Float[Array, "times modes"], Float[Array, "times modes"]]:
    """Heads (unit quaternions) and modes at the recorded points."""
    position, quaternion = points.pose
    # The flow keeps the norm of the quaternion; the steps only to their tolerance.
    unit = quaternion / jnp.linalg.norm(quaternion, axis=1, keepdims=True)
    clean = Point((position, unit), points.free, points.velocity)
    states = jax.vmap(mechanism.state)(times, clean)
    return states.head, states.q, states.dq
