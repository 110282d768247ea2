"""The motion of the head in time, as differentiable arrays."""

import dataclasses
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from gaits.feedback.loop import ClosedLoop, LoopMemory, open_or_closed
from gaits.feedback.replay import LoopRecord, SteeredMotion
from gaits.feedback.steered import LOST, Steered
from gaits.impulse_balance import WRONG, check_in_time
from gaits.refusals import check_gait
from hydro import AbstractFluid
from spatial import Numbers, one_of, quaternion_rate
from spatial.checks import refuse_if
from stepping import (
    STORED_STEPS,
    Marcher,
    Point,
    SemiImplicit,
    Span,
    break_times,
    compile_ahead,
    implicit_steps,
    integrate,
    one_simulation,
    program,
    unit_quaternions,
)
from stepping.tableaus import ARK5

from .beam import Beam
from .body_view import BeamView, straight
from .finer_grid import finer_grid, sampled_finer
from .grid_error import (
    COILED,
    INSTANTS,
    Limits,
    SpaceError,
    error_and_limits,
    fitted,
    instants,
    limits_over,
    warn_if_inexact,
    warn_if_unresolved,
)
from .head_equation import check_model, head_of
from .panel_limits import curvature_turns, relative_turn
from .soft.body_view import SoftView
from .soft.mechanism import SoftMechanism, states_of
from .soft.sampled_soft import sample_soft
from .soft.soft_beam import Soft, SoftState, start_of, unchecked_soft_state
from .soft.soft_error import examined
from .space_path import AbstractSpacePath
from .state import HeadState, unchecked_state
from .strain import Gait
from .surroundings import surroundings

FAILED = (
    "the time integration did not reach t1. Likely causes: a gait that is not twice differentiable in time or "
    "returns NaN, a controller that returns NaN, strains too large or too fast, tolerances below round-off, or too few "
    "steps (max_steps; "
    f"in reverse mode {STORED_STEPS} unless an adjoint is given)."
)


METHODS = ("adaptive", "implicit")
NOT_LOOKED_AT: Any = None  # placeholder for limits that are computed later


class Trajectory(SteeredMotion):
    """Motion of the head in time, and of the free modes of a soft beam.

    Attributes:
        time: output times [s].
        position: position of the nose in the world [m].
        quaternion: orientation of the head in the world as a unit quaternion (w, x, y, z).
        twist: twist of the head, in its frame [m/s, rad/s].
        steps: numbers of accepted and rejected time steps.
        succeeded: whether the integration reached the last time, with a gait whose strains are finite with Γ1 > 0.
        limits: limits of the space path: the decay of its expansions at a few of the times, and the greatest turn at up
            to forty of them.
        error: estimated error of the grid along X, and of the modes of a soft beam, at a few of the times [-]. None for
            a path that controls its own error, and inside `jax.jit`, where `cosserat.space_error` can be used.
        grid: number of panels used, and of panels that replace each load panel; None for a path without panels.
        dense: the continuous solution, if it was requested: see `state_at`.
        q: free modes of a soft beam [-, 1/m]; None for a beam.
        dq: rates of the free modes [1/s, 1/(m·s)]; None for a beam.
        feedback: memory, command and readings of a steered gait; None for other gaits.
    """

    time: Float[Array, "times"]
    position: Float[Array, "times 3"]
    quaternion: Float[Array, "times 4"]
    twist: Float[Array, "times 6"]
    steps: Int[Array, "2"]
    succeeded: Bool[Array, ""]
    limits: Limits
    error: SpaceError | None = None
    grid: tuple[int, int] | None = eqx.field(static=True, default=None)
    dense: diffrax.AbstractGlobalInterpolation | diffrax.DenseInterpolation | None = None
    q: Float[Array, "times modes"] | None = None
    dq: Float[Array, "times modes"] | None = None
    feedback: LoopRecord | None = None

    @property
    def coiled(self) -> Bool[Array, ""]:
        """Whether the gait coils the body within one panel more than the space path resolves."""
        turn: Any = self.limits.turn
        turn = turn if isinstance(turn, Tracer) else np.asarray(turn)  # with NumPy, nothing is compiled
        return ~(turn <= 1.0)

    def motion_alone(self) -> "Trajectory":
        """The times and states only, without solver statistics and error estimates."""
        nothing: Any = None
        unknown = {name: nothing for name in ("steps", "succeeded", "limits", "error", "grid", "dense")}
        return dataclasses.replace(self, **unknown)

    def state(self, k: int | Int[Array, ""]) -> HeadState | SoftState:
        """The state at the k-th output time."""
        head = super().state(k)
        return head if self.q is None or self.dq is None else unchecked_soft_state(head, self.q[k], self.dq[k])

    def state_at(self, t: Numbers) -> HeadState:
        """The state at any time between the first and the last [s]; needs `rollout(..., dense=True)`."""
        if self.dense is None:
            raise ValueError("state_at needs the dense output of a beam: call rollout(..., dense=True)")
        position, quaternion, twist = jnp.split(self.dense.evaluate(jnp.asarray(t, float))[:13], (3, 7))
        return unchecked_state(position, unit_quaternions(quaternion), twist)


def rollout(
    beam: Beam | Soft,
    gait: Gait | Steered | None,
    fluid: AbstractFluid | None = None,
    t1: Numbers = 10.0,
    *,
    t0: Numbers = 0.0,
    state: HeadState | SoftState | None = None,
    memory: LoopMemory | None = None,
    gravity: Numbers | None = None,
    samples: int = 201,
    times: Numbers | None = None,
    path: AbstractSpacePath | None = None,
    solver: diffrax.AbstractSolver | None = None,
    rtol: Numbers = 1e-6,
    atol: Numbers = 1e-8,
    controller: diffrax.AbstractStepSizeController | None = None,
    dt0: Numbers | None = None,
    max_steps: int = 100_000,
    adjoint: diffrax.AbstractAdjoint | None = None,
    dense: bool = False,
    land: bool = False,
    throw: bool = True,
    progress: diffrax.AbstractProgressMeter | None = None,
    method: str | None = None,
) -> Trajectory:
    """Integrates the dynamics of the head in time. jit-, vmap- and grad-safe.

    >>> import anguilla, cosserat, gaits, hydro
    >>> run = cosserat.rollout(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3)
    >>> run.time.tolist(), run.position.shape
    ([0.0, 0.25, 0.5], (3, 3))

    Args:
        beam: the body. A `Soft` beam is integrated with its free modes.
        gait: strain law (X, t) -> (Γ, K); None for a soft beam without imposed strains. The integrator steps onto its
            `break_times`, if it has any, and onto those of the loads of a soft beam. A `gaits.Steered` closes a
            feedback loop, and its memory is integrated with the motion.
        fluid: fluid around it; None for none.
        t1: last time [s].
        t0: first time [s].
        state: state of the head at t0; for a soft beam, state of head and modes. At rest at the world's origin when
            None.
        memory: memory of a steered gait at t0, such as `run.feedback.memory_at(-1)` to continue an earlier run; its
            initial memory when None.
        gravity: acceleration of gravity in the world [m/s²], such as `hydro.EARTH`; None for none, as for a neutrally
            buoyant body.
        samples: number of evenly spaced output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        path: space path; `Panels()` when None. It starts with one panel; if the estimated error at a few of the times
            is above its tolerance, the run is repeated with as many panels as required. If gait or body is traced, it
            keeps one panel, and warns about a motion that one panel does not resolve.
        solver: diffrax solver; `Dopri5()` when None. `Dopri8()` suits tolerances below 1e-8.
        rtol: relative tolerance of the adaptive step [-].
        atol: absolute tolerance of the adaptive step [m, -, m/s, rad/s].
        controller: diffrax step size controller, instead of the tolerances; `diffrax.ConstantStepSize()` needs dt0.
        dt0: first (or constant) step [s]; a thousandth of the run when None. With method = "implicit" all steps have
            this length; None adapts them to the tolerances.
        max_steps: maximum number of steps. In reverse mode it is at most `stepping.STORED_STEPS`, unless an adjoint is
            given, because all stages are stored.
        adjoint: diffrax adjoint; reverse mode when None, `diffrax.ForwardMode()` for `jax.jvp` and `jax.jacfwd`.
        dense: store the continuous solution of a beam, for `Trajectory.state_at`.
        land: step onto the output times instead of interpolating between steps, for highest accuracy: the interpolation
            is less accurate than the steps.
        throw: raise if the integration fails; otherwise check `succeeded` and `coiled`. Arrays are infinite after a
            failure.
        progress: a diffrax progress meter.
        method: "adaptive" for explicit steps with error control, the default for a beam; "implicit" for steps that are
            implicit in the stiffness and damping of a soft beam, which then do not limit the step. None selects
            "implicit" for a soft beam, unless a solver or a controller is given.
    """
    fluid = surroundings(beam, fluid, gravity)
    path = check_model(beam, gait, fluid, path, steered=True)
    one_of("method", method, (*METHODS, None))
    span = Span(t0, t1, samples, times)
    marcher = Marcher(solver, controller, rtol, atol, dt0, max_steps, adjoint, progress)
    if isinstance(beam, Soft) and beam.is_beam:
        beam = beam.beam
    wrong = np.zeros((), bool)
    if isinstance(beam, Soft):
        if dense:
            raise ValueError("dense: a soft beam has no continuous output: give the times of interest (times=...)")
        panels = path.on_panels()
        sampled = sample_soft(beam, fluid, panels.order, panels.panels)
        begin = start_of(beam, state)
        loop, states = _closed_soft(sampled, gait, fluid, span.t0, begin, memory)
        begin, law = (begin, states), loop.held(span.t0, states)
        if law is not None:
            wrong = check_in_time(law, beam.length, span.t0, span.t1)
        implicit = solver is None and controller is None if method is None else method == "implicit"
        if implicit and dt0 is not None:
            run = _stepped_soft(sampled, loop, fluid, _even_steps(span, times, dt0), begin)
        else:
            if implicit:
                marcher = Marcher(SemiImplicit(), controller, rtol, atol, dt0, max_steps, adjoint, progress)
            run = _integrate_soft(sampled, loop, fluid, span, begin, marcher, land)
        run = examined(sampled, driven_gait(gait, run), fluid, panels, run)
    else:
        if method == "implicit":
            raise ValueError("method = 'implicit': a beam without free strains has no stiffness to be implicit in")
        state = HeadState() if state is None else head_of(state)
        assert gait is not None  # checked by check_model
        loop, states = _closed(beam, gait, fluid, span.t0, state, path, memory)
        loop = loop.timed(span)
        march = lambda path, body: _integrate(  # noqa: E731
            body, beam, loop, fluid, span, (state, states), path, marcher, dense, land
        )
        with one_simulation():
            wrong = check_in_time(loop.held(span.t0, states), beam.length, span.t0, span.t1)
            run = _on_fitted_path(march, beam, gait, fluid, state, path, span, throw)
    if not throw:
        # For a concrete gait that is wrong, an error has already been raised.
        return eqx.tree_at(lambda r: r.succeeded, run, run.succeeded & ~wrong) if isinstance(wrong, Tracer) else run
    run = refuse_if(refuse_if(run, wrong, WRONG), run.coiled, COILED)
    if run.feedback is not None:
        run = refuse_if(run, ~run.feedback.sound, LOST)
    return refuse_if(run, ~run.succeeded, FAILED)


def still_motion(span: Span) -> Trajectory:
    """The motion of a head at rest at the output times of a span: arrays of the same types as in a simulation."""
    nothing: Any = None
    n = span.times.shape[0]
    position, quaternion, twist = (jax.device_put(np.zeros((n, size))) for size in (3, 4, 6))
    return Trajectory(span.times, position, quaternion, twist, nothing, nothing, nothing)


def driven_gait(gait: Gait | Steered | None, run: Trajectory) -> Any:
    """The gait as it was steered in a run: a plain strain law (X, t), exact at the output times."""
    if not isinstance(gait, Steered):
        return gait
    assert run.feedback is not None
    return gait.replay(run.feedback)


def _closed(beam, gait, fluid, t0, state, path, memory):
    """The feedback loop of a gait and its initial memory; raises if the steered law is not a gait."""
    if not isinstance(gait, Steered):
        return open_or_closed(gait, t0, lambda law: None, memory)
    grid = path.grid(beam, fluid, path.sample(beam, fluid))
    view = lambda law: BeamView(t0, state, law or straight, grid, fluid)  # noqa: E731
    return open_or_closed(gait, t0, view, memory, check_gait)


def _closed_soft(sampled, gait, fluid, t0, state, memory):
    """The feedback loop of a gait on a soft beam, and its initial memory."""
    view = lambda law: SoftView.of(sampled, law, fluid, t0, state)  # noqa: E731
    loop, states = open_or_closed(gait, t0, view, memory, lambda law: None if law is None else check_gait(law))
    if isinstance(loop, ClosedLoop) and loop.size < sampled.soft.commands:
        raise ValueError(
            f"the actuators read {sampled.soft.commands} commands: the controller gives {loop.size}; they read its last"
        )
    if isinstance(loop, ClosedLoop) and loop.sampling is not None:
        raise ValueError("a soft beam takes no ShiftRegister: give its sensors a gaits.feedback.Delay")
    return loop, states


def _on_fitted_path(march, beam, gait, fluid, state, path, span, throw):
    """The run on the given path, repeated with more panels if its error is above the tolerance."""
    traced = any(isinstance(x, Tracer) for x in jax.tree.leaves((beam, gait, fluid, state, span)))
    estimates = path.finer() is not None and not traced
    if estimates:
        compile_ahead(sampled_finer, path, beam, fluid)
    body = path.sample(beam, fluid)
    if not traced and not isinstance(gait, Steered):
        n = len(INSTANTS)
        parts = [np.zeros((n, 3)), np.zeros((n, 4)), np.zeros((n, 6)), np.zeros(n)]
        finer = finer_grid(path, beam, fluid) if estimates else None
        compile_ahead(error_and_limits, body, finer, gait, fluid, path, parts, span.times)
    run = march(path, body)
    # The states may be traced even if the gait is not: derivatives and batches over initial states.
    if any(isinstance(x, Tracer) for x in jax.tree.leaves((run.twist, body, gait))):
        where = instants(run.time.shape[0])
        parts = run.position[where], run.quaternion[where], run.twist[where], run.time[where]
        run = dataclasses.replace(run, limits=limits_over(path, body, driven_gait(gait, run), parts, run.time))
        if throw:
            warn_if_unresolved(path, run.limits)
        return run
    run = _examined(body, beam, driven_gait(gait, run), fluid, path, run)
    if bool(run.coiled) or (run.error is not None and float(run.error.worst) > path.tolerance):
        better = fitted(path, beam, driven_gait(gait, run), fluid, *_states_for_estimate(run, state))
        if better is not path:
            path, body = better, better.sample(beam, fluid)
            run = march(path, body)
            run = _examined(body, beam, driven_gait(gait, run), fluid, path, run)
    if not bool(run.coiled):
        warn_if_inexact(path, run.error)
    return run


def _states_for_estimate(run, start) -> tuple[HeadState, Any]:
    """States and times at which the error is estimated; if the run has failed, all states are the initial state."""
    *parts, times = _parts(run)
    if not bool(run.succeeded):
        parts = [np.broadcast_to(x, (len(times), *x.shape)) for x in (start.position, start.quaternion, start.twist)]
    return unchecked_state(*map(jax.device_put, parts)), times


def _parts(run):
    """Pose, twist and time at which the error is estimated.

    Indexed with NumPy, because JAX would compile a separate program for each array.
    """
    where = instants(run.time.shape[0])
    return [np.asarray(part)[where] for part in (run.position, run.quaternion, run.twist, run.time)]


def _examined(body, beam, gait, fluid, path, run):
    """The run with the limits, the error and the numbers of panels of its grid."""
    finer = None if path.finer() is None else finer_grid(path, beam, fluid)
    error, limits = error_and_limits(body, finer, gait, fluid, path, _parts(run), run.time)
    error = error if bool(run.succeeded) else None
    return dataclasses.replace(run, error=error, limits=limits, grid=path.counts)


@program
def _integrate(body, beam, loop, fluid, span, start, path, marcher, dense, land):
    """The compiled part for a beam. It has no Python callbacks, so that it can be cached between sessions."""
    closed = isinstance(loop, ClosedLoop)
    grid: Any = path.grid(beam, fluid, body) if closed else None

    def instant(t, head, memory):
        view = lambda law, rate=None: BeamView(t, head, law, grid, fluid, rate)  # noqa: E731
        return loop.react(t, memory, view), view

    def field(t, y):
        *frame, memory = y
        head = unchecked_state(*frame)
        now, view = instant(t, head, memory)
        twist_rate = path.head_dynamics(body, now.law, fluid, head, t).twist_rate
        memory_rates = now.memory_rates(lambda: view(now.law, twist_rate))
        return (
            head.rotation @ head.twist[:3],
            quaternion_rate(head.quaternion, head.twist[3:]),
            twist_rate,
            memory_rates,
        )

    state, memory = start
    begin = state.position, state.quaternion, state.twist, memory
    extra = sum(jnp.size(part) for part in jax.tree.leaves(memory))

    def tick(t, y):
        *frame, memory = y
        head = unchecked_state(*frame)
        return *frame, loop.tick(t, memory, lambda law: BeamView(t, head, law, grid, fluid))

    march = integrate(field, begin, span, marcher, loop, dense, land, extra, tick, loop.ticks)
    position, quaternion, twist, memory = march.states
    succeeded = march.reached & jnp.all(jnp.isfinite(twist))
    quaternion = unit_quaternions(quaternion)
    record = None
    if closed:
        at = lambda x: instant(x[0], unchecked_state(*x[1:4]), x[4])[0]  # noqa: E731
        record = loop.recorded(at, span.times, (position, quaternion, twist), memory, (span.t0, *begin))
    # The program that estimates the error also computes the limits, because it needs most of them anyway.
    parts = (span.times, position, quaternion, twist, march.steps, succeeded, NOT_LOOKED_AT)
    return Trajectory(*parts, dense=march.dense, feedback=record)


def _soft_mechanism(sampled, loop, fluid):
    if isinstance(loop, ClosedLoop):
        return SoftMechanism(sampled, None, fluid, closed=loop)
    return SoftMechanism(sampled, loop.law, fluid)


@program
def _integrate_soft(sampled, loop, fluid, span, start, marcher, land):
    """The compiled part for a soft beam and steps with error control."""
    mechanism = _soft_mechanism(sampled, loop, fluid)
    begin = mechanism.start(*start)
    extra = sum(jnp.size(part) for part in jax.tree.leaves(begin.memory))
    march = integrate(mechanism, begin, span, marcher, mechanism, False, land, extra)
    return _soft_trajectory(mechanism, span, march.states, march.steps, march.reached, begin)


@program
def _stepped_soft(sampled, loop, fluid, span, start):
    """The compiled part for a soft beam and equal implicit steps."""
    mechanism = _soft_mechanism(sampled, loop, fluid)
    begin = mechanism.start(*start)
    points = implicit_steps(mechanism, begin, span, mechanism.tableau(ARK5), breaks=break_times(mechanism))
    steps = jnp.asarray([span.between * span.records, 0])
    return _soft_trajectory(mechanism, span, points, steps, jnp.asarray(True), begin)


def _soft_trajectory(mechanism, span, points, steps, reached, begin):
    sampled, gait, record = mechanism.sampled, mechanism.gait, None
    head, q, dq = states_of(mechanism, span.times, points)
    if mechanism.closed is not None:
        loop = mechanism.closed

        def at(parts):
            t, position, quaternion, free, velocity, memory = parts
            point = Point((position, quaternion), free, velocity, memory)
            return mechanism.now(t, point, mechanism.state(t, point))

        states = points.pose[0], unit_quaternions(points.pose[1]), points.free, points.velocity
        first = (span.t0, *begin.pose, begin.free, begin.velocity, begin.memory)
        record = loop.recorded(at, span.times, states, points.memory, first)
        gait = loop.steered.replay(record)

    def turns(at):
        t, q = at
        return curvature_turns(sampled.strains(gait, q, jnp.zeros_like(q), t).xi[:, 3:], sampled.body)

    turn = jnp.max(relative_turn(jax.lax.map(turns, (span.times, q))))
    succeeded = reached & jnp.all(jnp.isfinite(head.twist)) & jnp.all(jnp.isfinite(dq))
    parts = (span.times, head.position, head.quaternion, head.twist, steps, succeeded, Limits(None, turn))
    return Trajectory(*parts, q=q, dq=dq, feedback=record)


def _even_steps(span, times, dt0):
    """The span with equal steps of at most dt0 between its evenly spaced output times."""
    if times is not None:
        raise ValueError("times: equal implicit steps (dt0) end at even output times: give samples, or leave out dt0")
    return span.with_steps(dt0)
