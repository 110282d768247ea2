"""Integration of the equations of motion in time: `rollout`."""

import dataclasses
from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool

from gaits.feedback.loop import ClosedLoop, LoopMemory, open_or_closed
from gaits.feedback.steered import LOST, Steered
from gaits.impulse_balance import WRONG, check_in_time
from gaits.refusals import check_gait
from hydro import AbstractFluid
from spatial import Numbers, one_of, quaternion_rate
from spatial.checks import refuse_if
from stepping import (
    STORED_STEPS,
    Marcher,
    SemiImplicit,
    Span,
    compile_ahead,
    integrate,
    one_simulation,
    program,
    unit_quaternions,
)

from .beam import Beam
from .body_view import BeamView, straight
from .grid_error import (
    COILED,
    error_and_limits,
    fitted,
    instants,
    limits_over,
    warn_if_inexact,
    warn_if_unresolved,
)
from .head_equation import check_model, head_of
from .soft.soft_beam import Soft, SoftState
from .soft.time_integration import even_steps, soft_motion
from .space_path import AbstractSpacePath
from .state import HeadState, unchecked_state
from .strain import Gait
from .surroundings import surroundings
from .trajectory import Trajectory, driven_gait, still_motion
from .two_grids import sampled_twice, two_grids

FAILED = (
    "the time integration did not reach t1. Likely causes: a gait that is not twice differentiable in time or "
    "returns NaN, a controller that returns NaN, strains too large or too fast, tolerances below round-off, or too few "
    "steps (max_steps; "
    f"in reverse mode {STORED_STEPS} unless an adjoint is given)."
)


METHODS = ("adaptive", "implicit")


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
    span = Span(t0, t1, samples, times)
    steps = Steps(solver, controller, rtol, atol, dt0, max_steps, adjoint, progress, method, times)
    run, wrong = motion(beam, gait, fluid, span, state, memory, path, steps, error_and_limits, dense, land, throw)
    if not throw:
        # For a concrete gait that is wrong, an error has already been raised.
        return eqx.tree_at(lambda r: r.succeeded, run, run.succeeded & ~wrong) if isinstance(wrong, Tracer) else run
    run = refuse_if(refuse_if(run, wrong, WRONG), run.coiled, COILED)
    if run.feedback is not None:
        run = refuse_if(run, ~run.feedback.sound, LOST)
    return refuse_if(run, ~run.succeeded, FAILED)


@dataclasses.dataclass(frozen=True)
class Steps:
    """Options of the time steps, as given to `rollout`."""

    solver: diffrax.AbstractSolver | None
    controller: diffrax.AbstractStepSizeController | None
    rtol: Numbers
    atol: Numbers
    dt0: Numbers | None
    max_steps: int
    adjoint: diffrax.AbstractAdjoint | None
    progress: diffrax.AbstractProgressMeter | None
    method: str | None
    times: Numbers | None

    def marcher(self, solver: diffrax.AbstractSolver | None) -> Marcher:
        """Settings of steps with error control by this solver."""
        return Marcher(
            solver, self.controller, self.rtol, self.atol, self.dt0, self.max_steps, self.adjoint, self.progress
        )

    @property
    def implicit(self) -> bool:
        """Whether the steps of a soft beam are implicit in its stiffness and damping."""
        own = self.solver is not None or self.controller is not None
        return self.method == "implicit" or (self.method is None and not own)


def motion(
    beam: Beam | Soft,
    gait: Gait | Steered | None,
    fluid: AbstractFluid,
    span: Span,
    state: HeadState | SoftState | None,
    memory: LoopMemory | None,
    path: AbstractSpacePath,
    steps: Steps,
    estimate: Callable,
    dense: bool = False,
    land: bool = False,
    throw: bool = False,
) -> tuple[Trajectory, Bool[Array | np.ndarray, ""]]:
    """The motion of a checked model, and whether its gait is wrong at some time; arguments as those of `rollout`.

    Args:
        beam: the body.
        gait: imposed strains; None for none.
        fluid: the fluid around it.
        span: times of the run.
        state: state at the first time; at rest when None.
        memory: memory of a steered gait at the first time; its initial memory when None.
        path: a space path.
        steps: options of the time steps.
        estimate: `error_and_limits`, or `error_and_limits_once` for a run that is not repeated.
        dense: store the continuous solution of a beam.
        land: step onto the output times.
        throw: warn inside `jax.jit` too.
    """
    one_of("method", steps.method, (*METHODS, None))
    marcher = steps.marcher(steps.solver)
    if isinstance(beam, Soft) and beam.is_beam:
        beam = beam.beam
    if isinstance(beam, Soft):
        if dense:
            raise ValueError("dense: a soft beam has no continuous output: give the times of interest (times=...)")
        soft_marcher: Marcher | None = steps.marcher(SemiImplicit()) if steps.implicit else marcher
        if steps.implicit and steps.dt0 is not None:
            soft_marcher, span = None, even_steps(span, steps.times, steps.dt0)
        return soft_motion(beam, gait, fluid, span, state, memory, path.on_panels(), soft_marcher, land)
    if steps.method == "implicit":
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
        return _on_fitted_path(march, beam, gait, fluid, state, path, span, throw, estimate), wrong


def _closed(beam, gait, fluid, t0, state, path, memory):
    """The feedback loop of a gait and its initial memory; raises if the steered law is not a gait."""
    if not isinstance(gait, Steered):
        return open_or_closed(gait, t0, lambda law: None, memory)
    grid = path.grid(beam, fluid, path.sample(beam, fluid))
    view = lambda law: BeamView(t0, state, law or straight, grid, fluid)  # noqa: E731
    return open_or_closed(gait, t0, view, memory, check_gait)


def compile_estimate_ahead(
    beam: Beam, gait: Gait | Steered, fluid: AbstractFluid, path: AbstractSpacePath, span: Span, estimate: Callable
):
    """Starts to compile the estimate of the grid's error, one of the long programs of a run; nothing may be traced.

    Returns:
        The body sampled by the path.
    """
    estimates = path.counts is not None
    if estimates:
        compile_ahead(sampled_twice, path, beam, fluid)
    body = path.sample(beam, fluid)
    if not isinstance(gait, Steered):
        sampled = two_grids(path, beam, fluid) if estimates else body
        compile_ahead(estimate, beam, sampled, gait, fluid, path, _motion(still_motion(span)))
    return body


def _on_fitted_path(march, beam, gait, fluid, state, path, span, throw, estimate):
    """The run on the given path, repeated with more panels if its error is above the tolerance."""
    traced = any(isinstance(x, Tracer) for x in jax.tree.leaves((beam, gait, fluid, state, span)))
    body = path.sample(beam, fluid) if traced else compile_estimate_ahead(beam, gait, fluid, path, span, estimate)
    run = march(path, body)
    # The states may be traced even if the gait is not: derivatives and batches over initial states.
    if any(isinstance(x, Tracer) for x in jax.tree.leaves((run.twist, body, gait))):
        where = instants(run.time.shape[0])
        parts = tuple(part[where] for part in _motion(run))
        run = dataclasses.replace(run, limits=limits_over(path, body, driven_gait(gait, run), parts, run.time))
        if throw:
            warn_if_unresolved(path, run.limits)
        return run
    run = _examined(body, beam, driven_gait(gait, run), fluid, path, run, estimate)
    if bool(run.coiled) or (run.error is not None and float(run.error.worst) > path.tolerance):
        better = fitted(path, beam, driven_gait(gait, run), fluid, *_states_for_estimate(run, state))
        if better is not path:
            path, body = better, better.sample(beam, fluid)
            run = march(path, body)
            run = _examined(body, beam, driven_gait(gait, run), fluid, path, run, estimate)
    if not bool(run.coiled):
        warn_if_inexact(path, run.error)
    return run


def _states_for_estimate(run, start) -> tuple[HeadState, Any]:
    """States and times at which the error is estimated; if the run has failed, all states are the initial state."""
    where = instants(run.time.shape[0])
    *parts, times = (np.asarray(part)[where] for part in _motion(run))  # with NumPy, nothing is compiled
    if not bool(run.succeeded):
        parts = [np.broadcast_to(x, (len(times), *x.shape)) for x in (start.position, start.quaternion, start.twist)]
    return unchecked_state(*map(jax.device_put, parts)), times


def _motion(run):
    """Pose, twist and time at all output times."""
    return run.position, run.quaternion, run.twist, run.time


def _examined(body, beam, gait, fluid, path, run, estimate):
    """The run with the limits, the error and the numbers of panels of its grid."""
    sampled = body if path.counts is None else two_grids(path, beam, fluid)
    error, limits = estimate(beam, sampled, gait, fluid, path, _motion(run))
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
    unknown: Any = None
    # The program that estimates the error also computes the limits.
    parts = (span.times, position, quaternion, twist, march.steps, succeeded, unknown)
    return Trajectory(*parts, dense=march.dense, feedback=record)
