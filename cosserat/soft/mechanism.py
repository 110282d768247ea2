"""A soft beam as a mechanism: the interface between its equations and the time steps of `stepping`."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, PyTree

from gaits.feedback.loop import ClosedLoop, Instant
from hydro import AbstractFluid
from spatial import matrix_from_quaternion, quaternion_rate, small_displacement
from stepping import listed_breaks
from stepping.mechanism import AbstractMechanism, Equations, Point
from stepping.tableaus import EULER2, SemiImplicitTableau

from ..state import HeadState, unchecked_state
from ..strain import Gait
from .body_view import SoftView, last_commands
from .equations import picked, placed
from .sampled_soft import SampledSoft
from .soft_beam import SoftState, unchecked_soft_state
from .soft_loop import SoftLoop, contact_matrices, soft_loop, touches


class SoftMechanism(AbstractMechanism):
    """A soft beam under a gait in a fluid.

    The pose is that of the head, the free coordinates are the modes q, and the velocities are the free components of
    the head's twist followed by dq/dt.

    Attributes:
        sampled: the body on its grids.
        gait: imposed strains; None for the rest shape.
        fluid: the fluid around it.
        command: commands of its actuators, of any unit; zero when None.
        closed: feedback loop that steers the gait and commands the actuators; its states are the memory of the points.
    """

    sampled: SampledSoft
    gait: Gait | None
    fluid: AbstractFluid
    command: Float[Array, "commands"] | None = None
    closed: ClosedLoop | None = None

    @property
    def held(self) -> tuple[int, ...]:
        """Components of the head's twist that are free."""
        return self.sampled.soft.head.free

    @property
    def stiffness(self) -> Float[Array, "n n"]:
        """Stiffness matrix K_ε of the modes [J]."""
        return self.sampled.stiffness

    @property
    def damping(self) -> Float[Array, "n n"]:
        """Damping matrix D_ε of the modes [J·s]."""
        return self.sampled.damping

    @property
    def break_times(self) -> tuple[Float[ArrayLike, "..."], ...]:
        """Times at which the gait, a load or one of their derivatives jumps [s]."""
        law = self.gait if self.closed is None else self.closed
        return listed_breaks(law, self.sampled.soft)

    def tableau(self, smooth: SemiImplicitTableau) -> SemiImplicitTableau:
        """Tableau for equal steps: the given one for smooth loads, `EULER2` for contact with the ground."""
        return EULER2 if touches(self.sampled, self.fluid) else smooth

    def start(self, state: SoftState, memory: PyTree = ()) -> Point:
        """The `Point` of a state and a memory."""
        velocity = jnp.concatenate([picked(state.twist, self.held), state.dq])
        return Point((state.position, state.quaternion), state.q, velocity, memory)

    def state(self, t: Float[Array, ""], point: Point) -> SoftState:
        """Head and modes at a point, with the prescribed parts of the head's motion."""
        h = len(self.held)
        twist = placed(point.velocity[:h], self.held, 6)
        position, quaternion = point.pose
        head, _ = self.sampled.soft.head.held(unchecked_state(position, quaternion, twist), t)
        return unchecked_soft_state(head, point.free, point.velocity[h:])

    def now(self, t: Float[Array, ""], point: Point, state: SoftState) -> Instant:
        """Gait and command at a time [s] and a point, from the feedback loop if there is one."""
        if self.closed is None:
            return Instant(self.gait, self.command)
        return self.closed.react(t, point.memory, lambda gait: SoftView.of(self.sampled, gait, self.fluid, t, state))

    def loop(self, t: Float[Array, ""], state: SoftState, now: Instant | None = None) -> SoftLoop:
        """One evaluation of the beam, with the gait and the commands of the mechanism itself when `now` is None."""
        now = Instant(self.gait, self.command) if now is None else now
        given = now.command
        if self.closed is not None and given is not None:
            given = last_commands(self.sampled.soft, given)
        return soft_loop(self.sampled, now.law, self.fluid, state.head, state.q, state.dq, t, command=given)

    def equations(self, t: Float[Array, ""], point: Point) -> Equations:
        """Inertia and force of the free components of the head and of the modes."""
        state = self.state(t, point)
        now = self.now(t, point, state)
        loop = self.loop(t, state, now)
        matrix, force = loop.inertia(), loop.force()
        size = matrix.shape[0]
        moving = (*self.held, *range(6, size))
        block = lambda matrix: picked(picked(matrix, moving).T, moving)  # noqa: E731  of a symmetric matrix
        if len(self.held) < 6:
            force = force - matrix[:, :6] @ loop.given
        contact = contact_matrices(self.sampled, self.fluid.at(t), loop)
        if contact is not None:
            contact = block(contact[0]), block(contact[1])

        def product(rates):
            return picked(loop.inertia_product(placed(rates, moving, size)), moving)

        return Equations(block(matrix), picked(force, moving), (now, loop.given), contact, product)

    def memory_rates(
        self, t: Float[Array, ""], point: Point, acceleration: Float[Array, "m"], equations: Equations
    ) -> PyTree:
        """Rates of the states of the feedback loop; () without one."""
        now, given = equations.details
        if self.closed is None:
            return ()
        h, state = len(self.held), self.state(t, point)
        rate = given + placed(acceleration[:h], self.held, 6)  # what is given is zero where the head is free

        def after():
            return SoftView.of(self.sampled, now.law, self.fluid, t, state, rate, acceleration[h:], now.command)

        return now.memory_rates(after)

    def pose_rates(self, pose: PyTree, velocity: Float[Array, "m"]) -> PyTree:
        """Rates of position and quaternion; zero for a head that follows a given path."""
        position, quaternion = pose
        twist = placed(velocity[: len(self.held)], self.held, 6)
        return matrix_from_quaternion(quaternion) @ twist[:3], quaternion_rate(quaternion, twist[3:])

    def displacement(self, pose: PyTree, other: PyTree) -> Float[Array, "held"]:
        """Displacement of the head, in its frame, to first order [m, rad]."""
        return picked(small_displacement(pose, other), self.held)

    def rates(self, t: Float[Array, ""], point: Point) -> Point:
        """Rates of all states, for explicit steps; cheaper to differentiate than `equations`."""
        state = self.state(t, point)
        now = self.now(t, point, state)
        loop = self.loop(t, state, now)
        rates = picked(loop.rates(), (*self.held, *range(6, 6 + point.free.shape[0])))
        found = Equations(jnp.zeros((0, 0)), jnp.zeros(0), (now, loop.given))
        memory = self.memory_rates(t, point, rates, found)
        return Point(self.pose_rates(point.pose, point.velocity), point.velocity[len(self.held) :], rates, memory)


def states_of(
    mechanism: SoftMechanism, times: Float[Array, "times"], points: Point
) -> tuple[HeadState, Float[Array, "times modes"], Float[Array, "times modes"]]:
    """States of the head, with unit quaternions, modes and their rates at the recorded points."""
    position, quaternion = points.pose
    # The steps preserve the norm of the quaternion only to their tolerance.
    unit = quaternion / jnp.linalg.norm(quaternion, axis=1, keepdims=True)
    clean = Point((position, unit), points.free, points.velocity)
    states = jax.vmap(mechanism.state)(times, clean)
    return states.head, states.q, states.dq
