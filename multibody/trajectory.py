"""Time integration of a tree: the differentiable core of `simulate`."""

import dataclasses
from collections.abc import Callable, Sequence

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from gaits.feedback.loop import ClosedLoop, LoopMemory, OpenLoop, open_or_closed
from gaits.feedback.replay import LoopRecord, SteeredMotion
from gaits.feedback.steered import LOST, Steered
from hydro import AbstractFluid, Void
from spatial import Numbers, finite
from spatial.checks import callable_as, refuse_if
from stepping import STORED_STEPS, Marcher, Span, integrate, program, unit_quaternions

from .cables import Cable, check_cables, refuse_commands
from .coordinates import JointLaw, check_law
from .drive import Drive, Point, Torque, Wrench
from .immersion import immerse
from .law_in_time import WRONG, check_in_time
from .loops import Loops
from .newton_euler import Dynamics
from .state import BaseState
from .tree import Tree

FAILED = (
    "the time integration did not reach t1. Likely causes: a joint law that is not twice differentiable in time "
    "or returns NaN, a controller that returns NaN, stiff springs or friction (an implicit solver or a greater "
    "friction_speed helps), a passive "
    "joint that moves almost no inertia, tolerances below round-off, or too few steps (max_steps; "
    f"in reverse mode {STORED_STEPS} unless an adjoint is given)."
)

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
        integrals: integrals of the integrand from t0 to each output time, in any unit (that of the integrand times
            seconds); empty without an integrand.
        feedback: memory, command and sensor readings of a steered law; None for a law without feedback.
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
        law: t -> positions of the actuated joints, in order [rad] or [m] (a quaternion for a spherical joint); None if
            all joints are passive. A law that is not smooth in time gives a warning. If it has `break_times`, the
            integrator steps exactly to them. A `gaits.Steered` law closes a feedback loop, whose memory is integrated
            with the motion.
        fluid: the fluid around the bodies; None for no fluid.
        t1: last time [s].
        t0: first time [s].
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        memory: memory of a steered law at t0, to continue an earlier run from `run.feedback.memory_at(-1)`; its initial
            value when None.
        torque: (t, q, dq) -> motor torques [N·m]; only those of passive joints are used.
        wrench: (t, state, q, dq) -> other external wrenches on the bodies, each in its frame [N, N·m].
            Integrators step onto its `break_times` [s], if it has any, and onto those of a torque.
        actuators: cables between the bodies, see `Cable`.
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
        loops: closed loops of the mechanism, from `close_loops`; `joints` must then be near a closed position.
        integrand: (t, state, q, dq, dynamics) -> quantity to integrate with the motion, to the same accuracy; for
            example a power to obtain a work, or a force to obtain an impulse.
        samples: number of evenly spaced output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        solver: diffrax solver; `Dopri5()` when None. `Dopri8()` suits tolerances below 1e-8.
        rtol: relative tolerance of the adaptive step [-].
        atol: absolute tolerance of the adaptive step [m, rad, m/s, rad/s].
        controller: diffrax step size controller, instead of the tolerances; `ConstantStepSize()` needs dt0.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: maximum number of steps. Reverse mode stores the stages of each step, and is limited to
            `stepping.STORED_STEPS` steps unless an adjoint is given.
        adjoint: differentiation method: reverse mode when None; `diffrax.ForwardMode()` for `jax.jvp`.
        throw: whether to raise if the integration fails; if False, check `succeeded`.
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
    wrong = check_in_time(tree, loop.held(span.t0, states), span.t0, span.t1)
    run = _integrate(tree, drive, loop.timed(span), integrand, span, start, states, marcher)
    if not throw:
        return unless_wrong(run, wrong)
    run = refuse_if(run, wrong, WRONG)
    if run.feedback is not None:
        run = refuse_if(run, ~run.feedback.sound, LOST)
    return refuse_if(run, ~run.succeeded, FAILED)


def closed_loop(
    tree: Tree,
    drive: Drive,
    law: JointLaw | Steered | None,
    t0: Float[Array, ""],
    start: Point,
    memory: LoopMemory | None = None,
) -> tuple[OpenLoop | ClosedLoop, LoopMemory | tuple[()]]:
    """The loop of a law, open or closed, and its initial memory.

    Args:
        tree: the tree.
        drive: everything that acts on it.
        law: law of the actuated joints.
        t0: first time [s].
        start: position, quaternion and twist of the base; positions and velocities of the passive joints.
        memory: initial memory of the loop; that of the controller when None.

    Raises:
        ValueError: the law, the commands or the torques do not fit the tree and its actuators.
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
    """The joint law that a run followed, without feedback; for a steered law, exact at the recorded times."""
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

    march = integrate(field, begin, span, marcher, (loop, drive), memory=extra, tick=tick, ticks=loop.ticks)
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


def unless_wrong(run: Trajectory, wrong: Bool[Array, ""]) -> Trajectory:
    """The run, with `succeeded` False if its law is invalid; a concrete `wrong` is ignored, as it has been raised."""
    if not isinstance(wrong, Tracer):
        return run
    return eqx.tree_at(lambda r: r.succeeded, run, run.succeeded & ~wrong)


def recorded_points(
    tree: Tree,
    drive: Drive,
    time: Float[Array, "times"],
    points: tuple[Float[Array, "times _"], ...],
    steps: Int[Array, "2"],
) -> Trajectory:
    """Trajectory from the output of an integrator; `succeeded` is True if it is finite.

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
