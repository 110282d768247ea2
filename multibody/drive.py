"""Everything that acts on a tree, and the resulting rates of its state."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gaits.feedback.loop import Instant
from spatial import angular, linear, quaternion_rate
from spatial.checks import callable_as, of_kind
from stepping import listed_breaks

from .body_view import TreeView
from .cables import Cable, pull
from .coordinates import JointLaw, displace, law_motion, position_rates
from .hybrid import hybrid_dynamics
from .immersion import Immersion
from .loops import Loops, loop_dynamics
from .newton_euler import Dynamics
from .state import BaseState, unchecked_state
from .tree import Tree

Torque = Callable[[Float[Array, ""], Float[Array, "positions"], Float[Array, "freedoms"]], Float[Array, "freedoms"]]
Wrench = Callable[
    [Float[Array, ""], BaseState, Float[Array, "positions"], Float[Array, "freedoms"]],
    Float[Array, "bodies 6"],
]
# Position, quaternion and twist of the base; positions and velocities of the passive joints.
Point = tuple[
    Float[Array, "3"],
    Float[Array, "4"],
    Float[Array, "6"],
    Float[Array, "passive_positions"],
    Float[Array, "passive_freedoms"],
]


class Drive(eqx.Module):
    """Everything that acts on a tree.

    Attributes:
        law: t -> positions of the actuated joints; None if there are none.
        medium: the fluid and the added inertia of the bodies.
        torque: (t, q, dq) -> motor torques on passive joints; None for zero torques.
        wrench: (t, state, q, dq) -> other external wrenches on the bodies, in their frames; None if there are none.
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
        loops: closed loops of the mechanism; None if it has none.
        actuators: cables between the bodies.
        commanded: (t, q, dq, u) -> additional motor torques on passive joints, where u is the command of a controller;
            None if the torques do not depend on a command.
    """

    law: JointLaw | None
    medium: Immersion
    torque: Torque | None
    wrench: Wrench | None
    gravity: Float[Array, "3"] | None
    loops: Loops | None = None
    actuators: tuple[Cable, ...] = ()
    commanded: Callable | None = None

    @property
    def break_times(self) -> tuple[Float[ArrayLike, "..."], ...]:
        """Break times of torques, wrenches and tensions; those of the law are not among them [s]."""
        return listed_breaks(self.torque, self.wrench, self.commanded, *(cable.tension for cable in self.actuators))

    @property
    def commands(self) -> int:
        """Number of commands that the actuators read."""
        return sum(cable.commands for cable in self.actuators)

    def read(self, command: Float[Array, "m"] | None) -> Float[Array, "commands"] | None:
        """The commands of the actuators, in any unit: the last entries of the controller's command."""
        return None if command is None else command[command.shape[0] - self.commands :]

    def efforts(
        self,
        tree: Tree,
        t: Float[Array, ""],
        state: BaseState,
        q: Float[Array, "positions"],
        dq: Float[Array, "freedoms"],
        command: Float[Array, "m"] | None = None,
    ) -> tuple[Float[Array, "freedoms"], Float[Array, "bodies 6"] | None]:
        """Motor torques [N·m or N], and wrenches on the bodies other than fluid and gravity [N, N·m], or None.

        The actuators read the last entries of `command`, the command of a controller. They read zeros when it is None.
        """
        torque = jnp.zeros_like(dq) if self.torque is None else self.torque(t, q, dq)
        if self.commanded is not None:
            torque = torque + self.commanded(t, q, dq, command)
        wrench = None if self.wrench is None else self.wrench(t, state, q, dq)
        if self.actuators:
            pulled = pull(tree, self.actuators, t, state, q, dq, self.read(command)).wrench
            wrench = pulled if wrench is None else wrench + pulled
        return torque, wrench

    def __check_init__(self):
        for name, words in (("torque", "(t, q, dq) -> torques"), ("wrench", "(t, state, q, dq) -> wrenches")):
            if getattr(self, name) is not None:
                callable_as(name, getattr(self, name), words)
        if self.loops is not None:
            of_kind("loops", self.loops, Loops, "a multibody.Loops, from multibody.close_loops")

    def dynamics(
        self,
        tree: Tree,
        t: Float[Array, ""],
        state: BaseState,
        q: Float[Array, "positions"],
        dq: Float[Array, "freedoms"],
        ddq: Float[Array, "freedoms"],
        command: Float[Array, "m"] | None = None,
    ) -> Dynamics:
        """Accelerations and torques at one instant; `ddq` is used for actuated joints only."""
        torque, wrench = self.efforts(tree, t, state, q, dq, command)
        around = {"fluid": self.medium.at(t), "wrench": wrench, "gravity": self.gravity}
        if self.loops is not None:
            return loop_dynamics(tree, self.loops, state, q, dq, ddq, torque, **around).motion
        return hybrid_dynamics(tree, state, q, dq, ddq, torque, **around)

    def joints(
        self,
        tree: Tree,
        t: Float[Array, ""],
        passive_q: Float[Array, "passive_positions"],
        passive_dq: Float[Array, "passive_freedoms"],
        law: JointLaw | None = None,
    ) -> tuple[Float[Array, "positions"], Float[Array, "freedoms"], Float[Array, "freedoms"]]:
        """Positions, velocities and imposed accelerations of all joints; `law` replaces `self.law` when given."""
        q, dq, ddq = law_motion(tree, self.law if law is None else law, t)
        q = q.at[tree.passive_positions].set(passive_q)
        # A zero step normalises the quaternions of spherical joints.
        q = displace(tree, q, jnp.zeros(tree.layout.freedoms))
        dq = dq.at[tree.passive_freedoms].set(passive_dq)
        if self.loops is not None:
            # The integrated positions are only the initial guess of `close`: loops stay closed to round-off.
            q = self.loops.close(tree, q)
            dq = self.loops.consistent(tree, q, dq)
        return q, dq, ddq

    def view(
        self,
        tree: Tree,
        t: Float[Array, ""],
        point: Point,
        law: JointLaw | None,
        found: Dynamics | None = None,
        command: Float[Array, "m"] | None = None,
    ) -> TreeView:
        """The view that sensors read, at a time [s] and a state; with accelerations and command where known."""
        q, dq, _ = self.joints(tree, t, *point[3:], law)
        base, given = unchecked_state(*point[:3]), self.read(command)
        return TreeView(t, tree, base, q, dq, self.medium.fluid, found, self.actuators, given)

    def rates(
        self, tree: Tree, t: Float[Array, ""], point: Point, now: Instant | None = None
    ) -> tuple[Point, tuple[BaseState, Float[Array, "positions"], Float[Array, "freedoms"], Dynamics]]:
        """Rates of the state, with base, joints and dynamics; `now` holds the law and the command of a controller."""
        position, quaternion, twist, passive_q, passive_dq = point
        law, command = (None, None) if now is None else (now.law, now.command)
        base = unchecked_state(position, quaternion, twist)
        q, dq, ddq = self.joints(tree, t, passive_q, passive_dq, law)
        motion = self.dynamics(tree, t, base, q, dq, ddq, command)
        # The rate is linear in the integrated quaternions, so it preserves their norm.
        raw = q.at[tree.passive_positions].set(passive_q)
        moving = (
            base.rotation @ linear(twist),
            quaternion_rate(quaternion, angular(twist)),
            motion.base_acceleration,
            position_rates(tree, raw, dq)[tree.passive_positions],
            motion.acceleration[tree.passive_freedoms],
        )
        return moving, (base, q, dq, motion)
