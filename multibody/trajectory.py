"""Time integration of a tree: the differentiable core of `simulate`."""

import dataclasses
from collections.abc import Callable, Sequence

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from gaits.feedback.loop import ClosedLoop, Instant, LoopMemory, OpenLoop, open_or_closed
from gaits.feedback.replay import LoopRecord, SteeredMotion
from gaits.feedback.steered import LOST, Steered
from hydro import AbstractFluid, Void
from spatial import Numbers, angular, finite, linear, quaternion_rate
from spatial.checks import callable_as, of_kind
from stepping import STORED_STEPS, Marcher, Span, integrate, program, unit_quaternions

from .body_view import TreeView
from .cables import Cable, check_cables, pull, refuse_commands
from .coordinates import JointLaw, check_law, displace, law_motion, position_rates
from .hybrid import hybrid_dynamics
from .immersion import Immersion, immerse
from .loops import Loops, loop_dynamics
from .newton_euler import Dynamics
from .state import BaseState, unchecked_state
from .tree import Tree

FAILED = (
    "the time integration did not reach t1. Likely causes: a joint law that is not twice differentiable in time "
    "or returns NaN, a controller that returns NaN, stiff springs or friction (an implicit solver or a greater "
    "friction_speed helps), a passive "
    "joint that moves almost no inertia, tolerances below round-off, or too few steps (max_steps; "
    f"in reverse mode {STORED_STEPS} unless an adjoint is given)."
)

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
Integrand = Callable[
    [Float[Array, ""], BaseState, Float[Array, "positions"], Float[Array, "freedoms"], Dynamics],
    Float[Array, "integrals"],
]


class Trajectory(SteeredMotion):
    """Motion of a tree.

    Attributes:
        time: output times [s].
        position: position of the base in the world [m].
        quaternion: orientation of the base in the world, (w, x, y, z), unit.
        twist: twist of the base, in its frame [m/s, rad/s].
        joints: positions of all joints [rad] or [m].
        joint_rates: velocities of all joints [rad/s] or [m/s].
        steps: numbers of accepted and rejected time steps.
        succeeded: whether the integration reached the last time.
        integrals: integrals of the integrand from t0 to each output time, of any unit (its own times seconds);
            empty without an integrand.
        feedback: memory, command and readings of a steered law; None for a law that nothing steers.
    """

    time: Float[Array, "times"]
    position: Float[Array, "times 3"]
    quaternion: Float[Array, "times 4"]
    twist: Float[Array, "times 6"]
    joints: Float[Array, "times positions"]
    joint_rates: Float[Array, "times freedoms"]
    steps: Int[Array, "2"]
    succeeded: Bool[Array, ""]
    integrals: Float[Array, "times integrals"]
    feedback: LoopRecord | None = None


class Drive(eqx.Module):
    """Everything that acts on a tree.

    Attributes:
        law: positions of the actuated joints at a time; None if there are none.
        medium: the fluid.
        torque: (t, q, dq) -> motor torques on passive joints; None for none.
        wrench: (t, state, q, dq) -> other external wrenches on the bodies, in their frames; or None.
        gravity: acceleration of gravity in the world [m/s²]; None for none.
        loops: closed loops of the mechanism; None for a tree.
        actuators: cables between the bodies.
        commanded: (t, q, dq, u) -> motor torques on passive joints under the command u of a controller; None for none.
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
    def commands(self) -> int:
        """Number of commands that the actuators read."""
        return sum(cable.commands for cable in self.actuators)

    def read(self, command: Float[Array, "m"] | None) -> Float[Array, "commands"] | None:
        """The commands of the actuators, of any unit: the last of those of a controller."""
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
        """Motor torques [N·m or N], and wrenches on the bodies besides fluid and gravity [N, N·m]; None for none.

        The command is that of a controller, of which the actuators read the last numbers; they read zero when None.
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
        """Positions, velocities and imposed accelerations of all joints; under another law where one is given."""
        q, dq, ddq = law_motion(tree, self.law if law is None else law, t)
        q = q.at[tree.passive_positions].set(passive_q)
        # A zero step normalises the quaternions of spherical joints.
        q = displace(tree, q, jnp.zeros(tree.layout.freedoms))
        dq = dq.at[tree.passive_freedoms].set(passive_dq)
        if self.loops is not None:
            # The integrated positions of dependent joints are only an initial guess: loops stay closed to round-off.
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
        """What sensors see at a time [s] and a point under a law; with accelerations and command where known."""
        q, dq, _ = self.joints(tree, t, *point[3:], law)
        base, given = unchecked_state(*point[:3]), self.read(command)
        return TreeView(t, tree, base, q, dq, self.medium.fluid, found, self.actuators, given)

    def rates(
        self, tree: Tree, t: Float[Array, ""], point: Point, now: Instant | None = None
    ) -> tuple[Point, tuple[BaseState, Float[Array, "positions"], Float[Array, "freedoms"], Dynamics]]:
        """Rates of the state, and the base, the joints and the dynamics there; steered at an instant `now`."""
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


def rollout(
    tree: Tree,
    law: JointLaw | Steered | None,
    fluid: AbstractFluid | None = None,
    t1: Numbers = 10.0,
    *,
    t0: Numbers = 0.0,
    state: BaseState | None = None,
    joints: Numbers | None = None,
    joint_rates: Numbers | None = None,
    memory: LoopMemory | None = None,
    torque: Torque | None = None,
    wrench: Wrench | None = None,
    actuators: Cable | Sequence[Cable] = (),
    gravity: Numbers | None = None,
    loops: Loops | None = None,
    integrand: Integrand | None = None,
    samples: int = 201,
    times: Numbers | None = None,
    solver: diffrax.AbstractSolver | None = None,
    rtol: Numbers = 1e-6,
    atol: Numbers = 1e-8,
    controller: diffrax.AbstractStepSizeController | None = None,
    dt0: float | Float[Array, ""] | None = None,
    max_steps: int = 100_000,
    adjoint: diffrax.AbstractAdjoint | None = None,
    throw: bool = True,
    progress: diffrax.AbstractProgressMeter | None = None,
) -> Trajectory:
    """Integrates a tree in time. jit-, vmap- and grad-safe.

    Actuated joints follow `law`; passive joints and the base are integrated.

    >>> import anguilla, hydro
    >>> import multibody as mb
    >>> hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge", actuated=False)
    >>> arm = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0))
    >>> tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
    >>> fall = mb.rollout(tree, None, t1=0.1, samples=3, gravity=hydro.EARTH)
    >>> round(float(fall.joints[-1, 0]), 3)  # about g t²/(2 l) [rad]
    0.098

    Args:
        tree: the tree.
        law: t -> positions of the actuated joints, in order [rad] or [m] (a quaternion if spherical);
            None if all joints are passive. If it has `break_times`, the integrator steps onto them. A `gaits.Steered`
            closes a feedback loop: its memory is integrated with the motion.
        fluid: the fluid around the bodies; None for none.
        t1: last time [s].
        t0: first time [s].
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        memory: of a steered law at t0, as `run.feedback.memory_at(-1)`, to go on with an earlier run; its start when
            None.
        torque: (t, q, dq) -> motor torques [N·m]; only those of passive joints are used.
        wrench: (t, state, q, dq) -> other external wrenches on the bodies, each in its frame [N, N·m].
        actuators: cables between the bodies, see `Cable`.
        gravity: acceleration of gravity in the world [m/s²]; None for none.
        loops: closed loops of the mechanism, from `close_loops`; `joints` must then be near a closed position.
        integrand: (t, state, q, dq, dynamics) -> quantity to integrate with the motion, to the
            same accuracy: powers for works, forces for impulses.
        samples: number of evenly spaced output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        solver: diffrax solver; `Dopri5()` when None. `Dopri8()` suits tolerances below 1e-8.
        rtol: relative tolerance of the adaptive step [-].
        atol: absolute tolerance of the adaptive step [m, rad, m/s, rad/s].
        controller: diffrax step size controller, instead of the tolerances; `ConstantStepSize()` needs dt0.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: maximum number of steps; in reverse mode at most `stepping.STORED_STEPS`, whose stages are
            stored, unless an adjoint is given.
        adjoint: differentiation method: reverse mode when None; `diffrax.ForwardMode()` for `jax.jvp`.
        throw: raise if the integration fails; otherwise see `succeeded`.
        progress: a diffrax progress meter.
    """
    if not isinstance(law, Steered):
        check_law(tree, law)
    state = BaseState() if state is None else state
    if not isinstance(state, BaseState):
        raise ValueError(f"state = {state!r}: must be a multibody.BaseState")
    if integrand is not None:
        callable_as("integrand", integrand, "(t, state, q, dq, dynamics) -> quantity")
    drive = Drive(
        None if isinstance(law, Steered) else law,
        immerse(tree, Void() if fluid is None else fluid),
        torque,
        wrench,
        None if gravity is None else finite("gravity", gravity, (3,)),
        loops,
        check_cables(tree, actuators),
        law.torque if isinstance(law, Steered) else None,
    )
    span = Span(t0, t1, samples, times)
    marcher = Marcher(solver, controller, rtol, atol, dt0, max_steps, adjoint, progress)
    free_q, free_dq = tree.passive_positions, tree.passive_freedoms
    passive_q = tree.neutral()[free_q] if joints is None else finite("joints", joints, free_q.shape)
    passive_dq = jnp.zeros(len(free_dq)) if joint_rates is None else finite("joint_rates", joint_rates, free_dq.shape)

    start = (state.position, state.quaternion, state.twist, passive_q, passive_dq)
    loop, states = closed_loop(tree, drive, law, span.t0, start, memory)
    run = _integrate(tree, drive, loop.timed(span), integrand, span, start, states, marcher)
    if not throw:
        return run
    twist = run.twist
    if run.feedback is not None:
        twist = eqx.error_if(twist, ~run.feedback.sound, LOST)
    return eqx.tree_at(lambda r: r.twist, run, eqx.error_if(twist, ~run.succeeded, FAILED))


def closed_loop(
    tree: Tree,
    drive: Drive,
    law: JointLaw | Steered | None,
    t0: Float[Array, ""],
    start: Point,
    memory: LoopMemory | None = None,
) -> tuple[OpenLoop | ClosedLoop, LoopMemory | tuple[()]]:
    """The loop of a law, open or closed, and its memory at the start; refuses what does not fit this tree.

    Args:
        tree: the tree.
        drive: everything that acts on it.
        law: of the actuated joints.
        t0: first time [s].
        start: position, quaternion and twist of the base; positions and velocities of the passive joints.
        memory: to start from; None for that of the controller.
    """
    view = lambda law: drive.view(tree, t0, start, law)  # noqa: E731
    loop, states = open_or_closed(law, t0, view, memory, lambda law: check_law(tree, law))
    if isinstance(loop, ClosedLoop):
        if loop.size < drive.commands:
            raise ValueError(
                f"the actuators read {drive.commands} commands: the controller gives {loop.size}; they read its last"
            )
        _check_torque(tree, drive, loop)
    else:
        refuse_commands(drive.actuators)
    return loop, states


def _check_torque(tree, drive, loop):
    if drive.commanded is None:
        return
    scalar, count = jnp.zeros(()), tree.layout.freedoms
    given = (scalar, tree.neutral(), jnp.zeros(count), jnp.zeros(loop.size))
    found = eqx.filter_eval_shape(drive.commanded, *given)
    if getattr(found, "shape", None) != (count,):
        raise ValueError(
            f"Steered.torque returns shape {getattr(found, 'shape', None)}: must be ({count},), one for each freedom"
        )


def driven_law(law: JointLaw | Steered | None, run: Trajectory) -> JointLaw | None:
    """The law as it was driven in a run: a plain joint law, exact at the recorded times."""
    if not isinstance(law, Steered):
        return law
    assert run.feedback is not None
    return law.replay(run.feedback)


@program
def _integrate(tree, drive, loop, integrand, span, start, memory, marcher):
    """The compiled part of `rollout`."""
    closed = isinstance(loop, ClosedLoop)

    def react(t, point, memory):
        return loop.react(t, memory, lambda law: drive.view(tree, t, point, law))

    def field(t, y):
        *point, _, memory = y
        now = react(t, point, memory)
        rates, (base, q, dq, motion) = drive.rates(tree, t, point, now)
        more = jnp.zeros(0) if integrand is None else integrand(t, base, q, dq, motion)
        memory_rates = now.memory_rates(lambda: drive.view(tree, t, point, now.law, motion, now.command))
        return *rates, more, memory_rates

    counted = jax.eval_shape(lambda y: field(span.t0, (*y, jnp.zeros(0), memory))[-2], start)
    extra = sum(jnp.size(part) for part in jax.tree.leaves(memory))
    begin = (*start, jnp.zeros(counted.shape), memory)

    def tick(t, y):
        *point, integrals, memory = y
        return *point, integrals, loop.tick(t, memory, lambda law: drive.view(tree, t, tuple(point), law))

    march = integrate(field, begin, span, marcher, loop, memory=extra, tick=tick, ticks=loop.ticks)
    *points, memories = march.states
    law, record = drive.law, None
    if closed:
        states = (points[0], unit_quaternions(points[1]), *points[2:5])
        record = loop.recorded(
            lambda x: react(x[0], x[1:6], x[6]), span.times, states, memories, (span.t0, *start, memory)
        )
        law = loop.steered.replay(record)
    driven = eqx.tree_at(lambda d: d.law, drive, law, is_leaf=lambda x: x is None)
    run = recorded_points(tree, driven, span.times, tuple(points), march.steps)
    run = dataclasses.replace(run, feedback=record)
    return eqx.tree_at(lambda r: r.succeeded, run, run.succeeded & march.reached)


def recorded_points(
    tree: Tree,
    drive: Drive,
    time: Float[Array, "times"],
    points: tuple[Float[Array, "times _"], ...],
    steps: Int[Array, "2"],
) -> Trajectory:
    """Trajectory from the output of an integrator; it succeeded if it is finite.

    Args:
        tree: the tree.
        drive: everything that acted on it.
        time: output times [s].
        points: values of `Point` at these times, and the integrals.
        steps: numbers of accepted and rejected steps.
    """
    position, quaternion, twist, passive_q, passive_dq, integrals = points
    q, dq, _ = jax.vmap(lambda t, a, b: drive.joints(tree, t, a, b))(time, passive_q, passive_dq)
    return Trajectory(
        time=time,
        position=position,
        quaternion=unit_quaternions(quaternion),
        twist=twist,
        joints=q,
        joint_rates=dq,
        steps=steps,
        succeeded=jnp.all(jnp.isfinite(twist)) & jnp.all(jnp.isfinite(passive_dq)),
        integrals=integrals,
    )
