"""Adaptive steps: `diffrax.diffeqsolve` with the settings of this library bound."""

import dataclasses
from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, Int, PyTree

from spatial.checks import Numbers, integer, positive, shown

from .implicit_adaptive import FlatMechanism, SemiImplicit
from .mechanism import AbstractMechanism
from .span import Span, break_times
from .stored_stages import STORED_STEPS, StoredStages, stores_stages

STALLED = 1e-13  # of a run: a step that is rejected and would become shorter ends it


class Marcher(eqx.Module):
    """Settings of an adaptive time integration.

    Attributes:
        solver: diffrax solver.
        controller: diffrax step size controller.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: maximum number of steps.
        adjoint: how derivatives go through time; None for reverse mode by `StoredStages` where the solver is an
            explicit Runge-Kutta method, else by `diffrax.RecursiveCheckpointAdjoint`.
        progress: diffrax progress meter; with any but `NoProgressMeter` JAX cannot store the compiled program.
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
            # Drag has a kink, at which the plain I controller rejects one step in six and a PI controller one in forty.
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
        states: at the times of the record.
        steps: accepted and rejected time steps.
        reached: whether it came to the last time.
        dense: the continuous solution, when it was requested.
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
    law: Any = None,
    dense: bool = False,
    land: bool = False,
    memory: int = 0,
    tick: Callable[[Float[Array, ""], PyTree], PyTree] | None = None,
    ticks: int = 0,
) -> Outcome:
    """Integrates dy/dt = field(t, y) over a span.

    Args:
        field: (t, y) -> dy/dt; or a mechanism, which the solver `SemiImplicit` needs.
        start: y at the first time; of a mechanism, a `Point`.
        span: when.
        marcher: how.
        law: where it has `break_times` [s], the integrator steps onto them.
        dense: keep the continuous solution; its states are flat arrays.
        land: step onto the times of the record, instead of interpolating between steps.
        memory: how many of the last numbers of the state are no motion. Their error is weighed apart, and the greater
            of both decides on the step: a memory without error leaves the steps of the motion as they are.
        tick: (t, y) -> y, a jump of the state at evenly spaced instants, the first and the last time among them. The
            states of the record are those after the jump.
        ticks: number of these instants from one output time to the next; 0 for none.
    """
    flat_start, unravel = ravel_pytree(start)  # one array: one operation for diffrax, instead of one for each part
    rates: Callable = field.rates if isinstance(field, AbstractMechanism) else field
    args = None
    if isinstance(field, AbstractMechanism) and isinstance(marcher.solver, SemiImplicit):
        args = FlatMechanism(field, unravel)
    flat_field = jax.jit(lambda t, y: ravel_pytree(rates(t, unravel(y)))[0])  # called several times, traced once
    controller = _stopping(_weighing_apart(marcher.controller, memory), break_times(law), span.times if land else None)
    # Given, since diffrax's own first guess would compile the field once more.
    dt0 = 1e-3 * (span.t1 - span.t0) if marcher.dt0 is None else marcher.dt0
    adjoint = marcher.adjoint
    if adjoint is None:
        # Between jumps the steps are few, and room for the stages of every piece would be kept.
        stored = stores_stages(marcher.solver) and not dense and ticks == 0
        # A state for each step where there is room: then every step is repeated once on the backward pass.
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
        solution = solve(span.t0, span.t1, flat_start, span.times, dt0, marcher.progress)
        assert solution.ys is not None
        reached = solution.result == diffrax.RESULTS.successful
        return Outcome(jax.vmap(unravel)(solution.ys), _steps(solution), reached, solution.interpolation)
    if dense:
        raise ValueError("dense: not where a sensor takes samples, since the memory jumps there")
    jump = lambda t, y: ravel_pytree(tick(t, unravel(y)))[0]  # noqa: E731
    pieces = ticks * span.records
    apart = (span.t1 - span.t0) / pieces
    first = apart if marcher.dt0 is None else jnp.minimum(apart, marcher.dt0)

    # Computed once: an end that differed in its last bit from the time of its record would lie outside of the piece.
    edges = jax.lax.optimization_barrier(span.t0 + apart * jnp.arange(pieces + 1))

    def piece(carry, ends):
        y, steps, reached = carry
        t, end = ends
        y = jump(t, y)
        solution = solve(t, end, y, end[None], first, diffrax.NoProgressMeter())
        assert solution.ys is not None
        ok = reached & (solution.result == diffrax.RESULTS.successful)
        return (solution.ys[0], steps + _steps(solution), ok), y

    begin = (flat_start, jnp.zeros(2, int), jnp.asarray(True))
    (last, steps, reached), states = jax.lax.scan(piece, begin, (edges[:-1], edges[1:]))
    states = jnp.concatenate([states[::ticks], jump(span.t1, last)[None]])
    return Outcome(jax.vmap(unravel)(states), steps, reached, None)


def _steps(solution):
    return jnp.stack([solution.stats["num_accepted_steps"], solution.stats["num_rejected_steps"]])


# `diffeqsolve` checks times that are traced by calls back to Python, and JAX stores no such program between sessions:
# every first swim would be compiled again. `Span` has made these checks, so the two classes below bring in the times of
# the record and the first step behind them. The second also ends a run that stalls, as at a NaN of the field: all rows
# of a batch would wait for one that rejects its step `max_steps` times.


class _RecordAt(diffrax.AbstractAdjoint):
    """An adjoint, with the times at which to record."""

    adjoint: diffrax.AbstractAdjoint
    times: Float[Array, "times"]

    def loop(self, *, saveat, init_state, **kwargs):
        """Called by diffrax.

        Args:
            saveat: only its dense output is read.
            init_state: of the loop, with room for one record.
            kwargs: passed on.
        """
        count, size = self.times.shape[0], init_state.y.shape[0]
        room = (jnp.full(count, jnp.inf, float), jnp.full((count, size), jnp.inf, float))
        init_state = eqx.tree_at(lambda s: (s.save_state.ts, s.save_state.ys), init_state, room)
        return self.adjoint.loop(
            saveat=diffrax.SaveAt(ts=self.times, dense=saveat.dense), init_state=init_state, **kwargs
        )


class _FirstStep(diffrax.AbstractAdaptiveStepSizeController):
    """A controller, with its first step and the shortest step that it may retry [s]."""

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


_RMS = diffrax.PIDController(rtol=1.0, atol=1.0).norm  # diffrax's own


def _weighing_apart(controller, memory):
    """The controller, with the error of the last numbers apart from that of the others."""
    if memory == 0 or not isinstance(controller, diffrax.PIDController) or controller.norm is not _RMS:
        return controller

    def norm(y):
        if jnp.ndim(y) != 1:
            return _RMS(y)
        return jnp.maximum(_RMS(y[:-memory]), _RMS(y[-memory:]))

    return dataclasses.replace(controller, norm=norm)


def _stopping(controller, jumps, landings):
    """The controller, extended to step onto jumps and output times."""
    adaptive = isinstance(controller, diffrax.AbstractAdaptiveStepSizeController)
    if not adaptive or (jumps.size == 0 and landings is None):
        return controller
    # Jumps, not plain step locations: after a break the first stage is evaluated again, on its right side.
    return diffrax.ClipStepSizeController(controller, step_ts=landings, jump_ts=jumps if jumps.size else None)
