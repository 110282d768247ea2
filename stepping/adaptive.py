"""Motion in time, by diffrax: the same for whatever moves."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import diffrax
import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

from spatial.checks import Numbers, positive, shown

from .span import Span, break_times
from .stored_stages import Outcome, can_keep_stages, closed_field, solved


class Marcher(eqx.Module):
    """How a run is integrated in time.

    Attributes:
        solver: diffrax solver.
        controller: diffrax step size controller.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: greatest number of steps.
        adjoint: how derivatives go through time; None for reverse mode from the stages kept (`spatial.kept_stages`)
            where the solver is an explicit Runge-Kutta method, else from states kept by diffrax.
        progress: diffrax progress meter; any but `NoProgressMeter` keeps the program out of JAX's cache.
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
        """None stands for the default: Dopri5 under a PI controller with the tolerances, and reverse mode."""
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
            # Drag has a kink, and the plain I controller then rejects a step in six; a PI controller one in forty.
            tolerances = positive("rtol", rtol), positive("atol", atol)
            controller = diffrax.PIDController(*tolerances, pcoeff=0.2, icoeff=0.3)
        self.controller = controller
        self.dt0 = None if dt0 is None else positive("dt0", dt0, "s")
        self.max_steps = max_steps
        self.adjoint = adjoint
        self.progress = diffrax.NoProgressMeter() if progress is None else progress


def integrate(
    field: Callable[[Float[Array, ""], PyTree], PyTree],
    start: PyTree,
    span: Span,
    marcher: Marcher,
    law: Any = None,
    dense: bool = False,
    land: bool = False,
) -> Outcome:
    """Integrates dy/dt = field(t, y) over a span.

    Args:
        field: (t, y) -> dy/dt.
        start: y at the first time.
        span: when.
        marcher: how.
        law: where it has `break_times` [s], the integrator steps onto them.
        dense: keep the continuous solution; its states are flat arrays.
        land: step onto the times of the record, instead of interpolating between steps.
    """
    flat_start, unravel = ravel_pytree(start)  # one array: an operation each for diffrax, instead of one for each part
    flat_field = jax.jit(lambda t, y: ravel_pytree(field(t, unravel(y)))[0])  # called several times, traced once
    jumps = break_times(law)
    controller = _stopping(marcher.controller, jumps, span.times if land else None)
    # Given, since diffrax's own first guess would compile the field once more.
    dt0 = 1e-3 * (span.t1 - span.t0) if marcher.dt0 is None else marcher.dt0
    march = _March(marcher.solver, controller, span.t1, dt0, marcher.max_steps, marcher.progress)
    if marcher.adjoint is None and can_keep_stages(marcher.solver) and not dense:
        closed = closed_field(flat_field, span.t0, flat_start)
        arrays, rest = eqx.partition(march, eqx.is_array)
        march = eqx.combine(jax.lax.stop_gradient(arrays), rest)
        found = solved((closed, flat_start, span.t0, span.times), march, jumps)
    else:
        adjoint = diffrax.RecursiveCheckpointAdjoint() if marcher.adjoint is None else marcher.adjoint
        found = march(flat_field, flat_start, span.t0, span.times, dense, adjoint=adjoint)
    return eqx.tree_at(lambda o: o.states, found, jax.vmap(unravel)(found.states))


class _March(eqx.Module):
    """diffrax, told all but what to integrate."""

    solver: diffrax.AbstractSolver
    controller: diffrax.AbstractStepSizeController
    t1: Float[Array, ""]
    dt0: Float[Array, ""]
    max_steps: int = eqx.field(static=True)
    progress: diffrax.AbstractProgressMeter

    def __call__(self, field, start, t0, times, dense=False, max_steps=None, adjoint=None) -> Outcome:
        with _lean_diffrax():
            solution = diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, _: field(t, y)),
                self.solver,
                t0=t0,
                t1=self.t1,
                dt0=self.dt0,
                y0=start,
                saveat=diffrax.SaveAt(ts=times, dense=dense),
                stepsize_controller=self.controller,
                max_steps=self.max_steps if max_steps is None else min(max_steps, self.max_steps),
                adjoint=diffrax.ForwardMode() if adjoint is None else adjoint,
                throw=False,
                progress_meter=self.progress,
            )
        steps = jnp.stack([solution.stats["num_accepted_steps"], solution.stats["num_rejected_steps"]])
        reached = solution.result == diffrax.RESULTS.successful
        return Outcome(solution.ys, steps, reached, solution.interpolation)


@contextlib.contextmanager
def _lean_diffrax() -> Iterator[None]:
    """Leaves out diffrax's checks of times, which `Span` has made, and traces its hundred steps of a digit once.

    The checks would call back to Python from the compiled program, and JAX keeps no such program between sessions:
    every first swim would be compiled again.
    """
    check, before = eqxi.error_if, eqxi.prevbefore
    eqxi.error_if, eqxi.prevbefore = lambda x, *_, **__: x, _prevbefore
    try:
        yield
    finally:
        eqxi.error_if, eqxi.prevbefore = check, before


_prevbefore = jax.jit(eqxi.prevbefore)


def _stopping(controller, jumps, landings):
    """The controller, made to step onto the jumps and onto landings."""
    adaptive = isinstance(controller, diffrax.AbstractAdaptiveStepSizeController)
    if not adaptive or (jumps.size == 0 and landings is None):
        return controller
    # Jumps, not mere steps: past a break the first stage is evaluated anew, on the right side of it.
    return diffrax.ClipStepSizeController(controller, step_ts=landings, jump_ts=jumps if jumps.size else None)
