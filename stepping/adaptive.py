"""Adaptive steps: `diffrax.diffeqsolve` with the settings of this library bound."""

import dataclasses
from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree

from spatial.checks import Numbers, integer, positive, shown

from .flat_state import Flattening
from .implicit_adaptive import FlatMechanism, SemiImplicit
from .mechanism import AbstractMechanism
from .span import Span, break_times
from .stored_stages import STORED_STEPS, StoredStages, stores_stages

STALLED = 1e-13  # fraction of a run's duration: a rejected step that would become shorter than this ends the run


class Marcher(eqx.Module):
    """Settings of an adaptive time integration.

    Attributes:
        solver: diffrax solver.
        controller: diffrax step size controller.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: maximum number of steps.
        adjoint: diffrax adjoint. None selects reverse mode: `StoredStages` for an explicit Runge-Kutta method,
            `diffrax.RecursiveCheckpointAdjoint` for any other solver.
        progress: diffrax progress meter; with any other than `NoProgressMeter` JAX cannot cache the compiled program.
    """

    solver: diffrax.AbstractSolver
    controller: diffrax.AbstractStepSizeController
    dt0: Float[Array, ""] | None
    max_steps: int = eqx.field(static=True)
    adjoint: diffrax.AbstractAdjoint | None
    progress: diffrax.AbstractProgressMeter

    def __init__(
        self,
        solver: diffrax.AbstractSolver | None,
        controller: diffrax.AbstractStepSizeController | None,
        rtol: Numbers,
        atol: Numbers,
        dt0: Numbers | None,
        max_steps: int,
        adjoint: diffrax.AbstractAdjoint | None,
        progress: diffrax.AbstractProgressMeter | None,
    ):
        """None selects the default: Dopri5 with a PI controller at the given tolerances, and reverse mode."""
        kinds = (
            ("solver", solver, diffrax.AbstractSolver, "a diffrax solver, such as diffrax.Dopri8()"),
            ("controller", controller, diffrax.AbstractStepSizeController, "a diffrax step size controller"),
            ("adjoint", adjoint, diffrax.AbstractAdjoint, "a diffrax adjoint, such as diffrax.ForwardMode()"),
            ("progress", progress, diffrax.AbstractProgressMeter, "a diffrax progress meter"),
        )
        for name, value, kind, words in kinds:
            if value is not None and not isinstance(value, kind):
                raise ValueError(f"{name} = {shown(value)}: must be {words}, or None for the default")
        self.solver = diffrax.Dopri5() if solver is None else solver
        if controller is None:
            # Drag has a kink. There the plain I controller rejects one step in six, a PI controller one in forty.
            tolerances = positive("rtol", rtol, shape=()), positive("atol", atol, shape=())
            controller = diffrax.PIDController(*tolerances, pcoeff=0.2, icoeff=0.3)
        self.controller = controller
        self.dt0 = None if dt0 is None else positive("dt0", dt0, "s", ())
        self.max_steps = integer("max_steps", max_steps, 1)
        self.adjoint = adjoint
        self.progress = diffrax.NoProgressMeter() if progress is None else progress


class Outcome(eqx.Module):
    """Result of an integration in time.

    Attributes:
        states: states at the output times.
        steps: numbers of accepted and rejected time steps.
        reached: whether the run reached its final time.
        dense: the continuous solution, if it was requested.
    """

    states: PyTree
    steps: Int[Array, "2"]
    reached: Bool[Array, ""]
    dense: Any


def integrate(
    field: Callable[[Float[Array, ""], PyTree], PyTree] | AbstractMechanism,
    start: PyTree,
    span: Span,
    marcher: Marcher,
    law: Any = (),
    dense: bool = False,
    land: bool = False,
    memory: int = 0,
    tick: Callable[[Float[Array, ""], PyTree], PyTree] | None = None,
    ticks: int = 0,
) -> Outcome:
    """Integrates dy/dt = field(t, y) over a span.

    Args:
        field: (t, y) -> dy/dt; or a mechanism, which the solver `SemiImplicit` needs.
        start: y at the first time; a `Point` if the field is a mechanism.
        span: times of the run.
        marcher: settings of the integration.
        law: object, or a tuple of objects, whose `break_times` [s], if they have any, the integrator steps onto.
        dense: return the continuous solution; its states are flat (`stepping.flat_state`).
        land: step onto the output times instead of interpolating between steps.
        memory: number of entries at the end of the state that are not part of the motion. They are kept in a vector of
            their own, and their error is measured separately; the greater of the two errors determines the step. A
            memory without error therefore changes neither the steps of the motion nor its rounding.
        tick: (t, y) -> y, a jump of the state at evenly spaced times, including the first and the last time. The
            recorded states are those after the jump.
        ticks: number of jumps from one output time to the next; 0 for none.
    """
    flattening = Flattening(start, memory)
    rates: Callable = field.rates if isinstance(field, AbstractMechanism) else field
    args = None
    if isinstance(field, AbstractMechanism) and isinstance(marcher.solver, SemiImplicit):
        args = FlatMechanism(field, flattening)
    flat_field = jax.jit(lambda t, y: flattening.flat(rates(t, flattening.state(y))))  # several calls, traced once
    controller = _stepping_onto(
        _with_memory_norm(marcher.controller, memory),
        break_times(*(law if isinstance(law, tuple) else (law,))),
        span.times if land else None,
    )
    # diffrax's own choice of the first step would compile the field once more.
    dt0 = 1e-3 * (span.t1 - span.t0) if marcher.dt0 is None else marcher.dt0
    adjoint = marcher.adjoint
    if adjoint is None:
        # Between two jumps there are few steps, but a full buffer of stages would be stored for each interval.
        stored = stores_stages(marcher.solver) and not dense and ticks == 0
        # One checkpoint for each step, up to STORED_STEPS: each step is then recomputed once on the backward pass.
        checkpoints = min(marcher.max_steps, STORED_STEPS) if isinstance(marcher.solver, SemiImplicit) else None
        adjoint = StoredStages() if stored else diffrax.RecursiveCheckpointAdjoint(checkpoints)

    def solve(t0, t1, y0, times, first, progress):
        how, dt0 = controller, first
        if isinstance(how, diffrax.AbstractAdaptiveStepSizeController):
            how, dt0 = _FirstStep(how, first, STALLED * (span.t1 - span.t0)), None
        return diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, _: flat_field(t, y)),
            marcher.solver,
            t0=t0,
            t1=t1,
            dt0=dt0,
            y0=y0,
            args=args,
            saveat=diffrax.SaveAt(t1=True, dense=dense),
            stepsize_controller=how,
            max_steps=marcher.max_steps,
            adjoint=_RecordAt(adjoint, times),
            throw=False,
            progress_meter=progress,
        )

    if tick is None or ticks == 0:
        solution = solve(span.t0, span.t1, flattening.flat(start), span.times, dt0, marcher.progress)
        assert solution.ys is not None
        reached = solution.result == diffrax.RESULTS.successful
        return Outcome(jax.vmap(flattening.state)(solution.ys), _steps(solution), reached, solution.interpolation)
    if dense:
        raise ValueError("dense: not where a sensor takes samples, since the memory jumps there")
    jump = lambda t, y: flattening.flat(tick(t, flattening.state(y)))  # noqa: E731
    pieces = ticks * span.records
    apart = (span.t1 - span.t0) / pieces
    first = apart if marcher.dt0 is None else jnp.minimum(apart, marcher.dt0)

    # Computed once: an output time that differed in the last bit from the end of its interval would lie outside of it.
    edges = jax.lax.optimization_barrier(span.t0 + apart * jnp.arange(pieces + 1))

    def piece(carry, ends):
        y, steps, reached = carry
        t, end = ends
        y = jump(t, y)
        solution = solve(t, end, y, end[None], first, diffrax.NoProgressMeter())
        assert solution.ys is not None
        ok = reached & (solution.result == diffrax.RESULTS.successful)
        return (jax.tree.map(lambda part: part[0], solution.ys), steps + _steps(solution), ok), y

    begin = (flattening.flat(start), jnp.zeros(2, int), jnp.asarray(True))
    (last, steps, reached), states = jax.lax.scan(piece, begin, (edges[:-1], edges[1:]))
    final = jump(span.t1, last)
    states = jax.tree.map(lambda early, late: jnp.concatenate([early[::ticks], late[None]]), states, final)
    return Outcome(jax.vmap(flattening.state)(states), steps, reached, None)


def _steps(solution):
    return jnp.stack([solution.stats["num_accepted_steps"], solution.stats["num_rejected_steps"]])


# `diffeqsolve` checks traced times by Python callbacks, and JAX does not cache programs with callbacks: the first
# simulation of each session would be compiled again. `Span` has already made these checks, so the two classes below
# pass the output times and the first step to diffrax after its checks. `_FirstStep` also ends a run that stalls, for
# instance at a NaN of the field; otherwise all rows of a batch would wait for one that rejects `max_steps` steps.


class _RecordAt(diffrax.AbstractAdjoint):
    """An adjoint that records the state at given times."""

    adjoint: diffrax.AbstractAdjoint
    times: Float[Array, "times"]

    def loop(self, *, saveat, init_state, **kwargs):
        """Called by diffrax.

        Args:
            saveat: only its dense output is read.
            init_state: initial state of the loop, with a buffer for one record.
            kwargs: passed on.
        """
        room = lambda *shape: jnp.full((*self.times.shape, *shape), jnp.inf, float)  # noqa: E731
        records = room(), jax.tree.map(lambda part: room(*part.shape), init_state.y)
        init_state = eqx.tree_at(lambda s: (s.save_state.ts, s.save_state.ys), init_state, records)
        return self.adjoint.loop(
            saveat=diffrax.SaveAt(ts=self.times, dense=saveat.dense), init_state=init_state, **kwargs
        )


class _FirstStep(diffrax.AbstractAdaptiveStepSizeController):
    """A controller with a given first step and a shortest step that it may retry [s]."""

    controller: diffrax.AbstractAdaptiveStepSizeController
    dt0: Float[Array, ""]
    shortest: Float[Array, ""]

    rtol: Any
    atol: Any
    norm: Any
    jump_ts: Float[Array, "jumps"] | None

    def __init__(
        self, controller: diffrax.AbstractAdaptiveStepSizeController, dt0: Float[Array, ""], shortest: Float[Array, ""]
    ):
        self.controller, self.dt0, self.shortest = controller, dt0, shortest
        self.rtol, self.atol, self.norm = controller.rtol, controller.atol, controller.norm
        self.jump_ts = getattr(controller, "jump_ts", None)

    def wrap(self, direction):
        wrapped = self.controller.wrap(direction)
        assert isinstance(wrapped, diffrax.AbstractAdaptiveStepSizeController)
        return _FirstStep(wrapped, self.dt0, self.shortest)

    def init(self, terms, t0, t1, y0, dt0, args, func, error_order):
        return self.controller.init(terms, t0, t1, y0, self.dt0, args, func, error_order)

    def adapt_step_size(self, *args):
        keep, next_t0, next_t1, jumped, state, result = self.controller.adapt_step_size(*args)
        stalled = ~keep & ~(next_t1 - next_t0 > self.shortest)
        result = diffrax.RESULTS.where(stalled, diffrax.RESULTS.dt_min_reached, result)
        return keep, next_t0, next_t1, jumped, state, result


_RMS = diffrax.PIDController(rtol=1.0, atol=1.0).norm  # diffrax's default


def _with_memory_norm(controller, memory):
    """The controller, with the error of the memory measured separately from that of the motion."""
    if not memory or not isinstance(controller, diffrax.PIDController) or controller.norm is not _RMS:
        return controller

    def norm(y):
        return jnp.maximum(*map(_RMS, y)) if isinstance(y, tuple) else _RMS(y)

    return dataclasses.replace(controller, norm=norm)


def _stepping_onto(controller, jumps, landings):
    """The controller, extended to step onto jumps and output times."""
    adaptive = isinstance(controller, diffrax.AbstractAdaptiveStepSizeController)
    if not adaptive or (jumps.size == 0 and landings is None):
        return controller
    # Passed as jumps, not as step times: diffrax then evaluates the first stage again, on the later side of the break.
    return diffrax.ClipStepSizeController(controller, step_ts=landings, jump_ts=jumps if jumps.size else None)
