"""Fixed steps that are implicit in the springs and dampers of passive joints and in contact with the ground.

Short links on stiff, damped joints relax to their equilibrium within microseconds. An explicit method needs steps of
that length to remain stable; here only the slow motion limits the step (`stepping.implicit`).
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid, Void
from spatial import Numbers, angular, finite, linear, matrix_from_quaternion, quaternion_rate, small_displacement
from spatial.checks import callable_as, integer, of_kind
from stepping import Span, break_times, unstored_program
from stepping.implicit import implicit_steps
from stepping.mechanism import AbstractMechanism, Equations, Point
from stepping.tableaus import ARK5, EULER2

from .cables import Cable, check_cables, refuse_commands
from .coordinates import JointLaw, check_law
from .drive import Drive
from .hybrid import composite_matrix, free_equations
from .immersion import immerse, stiff_matrices
from .kinematics import configuration, own_twists, spread_twists
from .law_in_time import check_in_time
from .small_matrices import inertia_in_base
from .state import BaseState, unchecked_state
from .trajectory import Integrand, Trajectory, recorded_points, unless_wrong
from .tree import Tree


def stiff_march(
    tree: Tree,
    law: JointLaw | None,
    fluid: AbstractFluid | None = None,
    *,
    dt: Numbers,
    steps: int | Array,
    records: int = 1,
    t0: Numbers = 0.0,
    state: BaseState | None = None,
    joints: Numbers | None = None,
    joint_rates: Numbers | None = None,
    actuators: Cable | Sequence[Cable] = (),
    gravity: Numbers | None = None,
    integrand: Integrand | None = None,
) -> Trajectory:
    """Integrates a tree with equal steps, implicit in joint springs and dampers. jit-, vmap- and grad-safe.

    Joint springs and dampers do not limit the time step. Nor does the stiffness of a ground (`anguilla.ground`), which
    is also treated implicitly; the method is then of second order.

    If the number of steps between records is traced, one compiled program serves any number of steps, and only
    forward-mode derivatives are available.

    Args:
        tree: the tree; passive joints must be revolute or prismatic, with or without springs and dampers.
        law: t -> positions of the actuated joints; None if all joints are passive.
        fluid: the fluid around the bodies; None for no fluid.
        dt: time step [s]; may be traced.
        steps: number of steps between two records; may be traced.
        records: number of records after the first.
        t0: first time [s].
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        actuators: cables between the bodies, see `Cable`. They are explicit: their stiffness limits the step.
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
        integrand: as in `rollout`.

    Returns:
        The trajectory; `succeeded` is True if it is finite.
    """
    check_law(tree, law)
    odd = {kind for kind, actuated in zip(tree.kinds, tree.actuated, strict=True) if not actuated} - {
        "revolute",
        "prismatic",
    }
    if odd or not tree.floating:
        what = f"{', '.join(sorted(odd))} joints that are passive" if odd else "a fixed base"
        raise ValueError(f"stiff_march: the tree has {what}: must float, its passive joints revolute or prismatic")
    state = BaseState() if state is None else state
    of_kind("state", state, BaseState, "a multibody.BaseState")
    if integrand is not None:
        callable_as("integrand", integrand, "(t, state, q, dq, dynamics) -> quantity")
    if not isinstance(steps, Array):
        steps = integer("steps", steps, 1)
    free = tree.passive_freedoms
    passive_q = tree.neutral()[tree.passive_positions] if joints is None else finite("joints", joints, free.shape)
    passive_dq = jnp.zeros(len(free)) if joint_rates is None else finite("joint_rates", joint_rates, free.shape)
    pull = None if gravity is None else finite("gravity", gravity, (3,))
    medium, cables = immerse(tree, Void() if fluid is None else fluid), check_cables(tree, actuators)
    refuse_commands(cables)
    drive = Drive(law, medium, None, None, pull, actuators=cables)
    pose = (state.position, state.quaternion)
    start = Point(pose, passive_q, jnp.concatenate([state.twist, passive_dq]), jnp.zeros(0))
    span = Span.counted(t0, dt, steps, records)
    wrong = check_in_time(tree, law, span.t0, span.t1)
    return unless_wrong(_march(TreeMechanism(tree, drive, integrand), start, span), wrong)


class TreeMechanism(AbstractMechanism):
    """A floating tree as a mechanism: its velocities are the base twist and the rates of the passive joints.

    Attributes:
        tree: the tree; passive joints are revolute or prismatic.
        drive: everything that acts on it.
        integrand: quantity integrated with the motion, or None.
    """

    tree: Tree
    drive: Drive
    integrand: Integrand | None

    @property
    def stiffness(self) -> Float[Array, "n n"]:
        """Stiffness of the passive joints [N·m/rad or N/m]."""
        return jnp.diag(self.tree.stiffness[self.tree.passive_freedoms])

    @property
    def damping(self) -> Float[Array, "n n"]:
        """Damping of the passive joints [N·m·s/rad or N·s/m]."""
        return jnp.diag(self.tree.damping[self.tree.passive_freedoms])

    def equations(self, t: Float[Array, ""], point: Point) -> Equations:
        """Equations of the base and the passive joints. [PBB13, III]"""
        tree, drive = self.tree, self.drive
        position, quaternion = point.pose
        base = unchecked_state(position, quaternion, point.velocity[:6])
        q, dq, ddq = drive.joints(tree, t, point.free, point.velocity[6:])
        torque, wrench = drive.efforts(tree, t, base, q, dq)
        medium = drive.medium.at(t)
        around = {"fluid": medium, "wrench": wrench, "gravity": drive.gravity}
        rows = free_equations(tree, base, q, dq, ddq, torque, tree.passive_freedoms, **around)
        contact = self._contact(medium.fluid, base, q, dq, np.array(rows.rows, int))
        return Equations(rows.inertia, rows.force, (base, q, dq, rows), contact)

    def _contact(self, fluid, base, q, dq, rows):
        """Stiffness and damping matrices of the ground, for the base and the passive joints; None without a ground."""
        place = configuration(self.tree, q)
        twist = own_twists(place, spread_twists(self.tree, place, base.twist, dq))
        found = stiff_matrices(self.tree, fluid, base, place, twist)
        if found is None:
            return None
        in_base = jax.tree.map(lambda each: inertia_in_base(place.rotation, place.position, each), found)
        whole = jax.tree.map(lambda each: composite_matrix(self.tree, place, each), in_base)
        return whole.stiffness[np.ix_(rows, rows)], whole.damping[np.ix_(rows, rows)]

    def displacement(self, pose: tuple[Array, Array], other: tuple[Array, Array]) -> Float[Array, "6"]:
        """Displacement of the base between two poses, in its frame, to first order [m, rad]."""
        return small_displacement(pose, other)

    def pose_rates(self, pose: tuple[Array, Array], velocity: Float[Array, "m"]) -> tuple[Array, Array]:
        """Rates of position and quaternion of the base [m/s, 1/s]."""
        _, quaternion = pose
        return matrix_from_quaternion(quaternion) @ linear(velocity[:6]), quaternion_rate(
            quaternion, angular(velocity[:6])
        )

    def memory_rates(
        self, t: Float[Array, ""], point: Point, acceleration: Float[Array, "m"], equations: Equations
    ) -> Float[Array, "integrals"]:
        """Value of the integrand, in its own unit."""
        if self.integrand is None:
            return jnp.zeros(0)
        base, q, dq, rows = equations.details
        return self.integrand(t, base, q, dq, rows.motion(self.tree, acceleration))


@unstored_program
def _march(mechanism, start, span):
    """The compiled part of `stiff_march`."""
    counted = jax.eval_shape(lambda point: mechanism.rates(span.t0, point).memory, start)
    start = Point(start.pose, start.free, start.velocity, jnp.zeros(counted.shape))
    tree, drive = mechanism.tree, mechanism.drive
    touching = jax.eval_shape(lambda point: mechanism.equations(span.t0, point).contact, start) is not None
    tableau = EULER2 if touching else ARK5
    run = implicit_steps(mechanism, start, span, tableau, breaks=break_times(drive.law, drive))
    points = (*run.pose, run.velocity[:, :6], run.free, run.velocity[:, 6:], run.memory)
    steps = jnp.stack([jnp.asarray(span.between * span.records), jnp.zeros((), int)])
    return recorded_points(tree, drive, span.times, points, steps)
