"""Motion in time, by diffrax: the same for whatever moves."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import diffrax
import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int, PyTree

from .checks import Numbers, increasing, number, positive, shown

KEPT_STEPS = 1024  # states kept for reverse mode


class Span(eqx.Module):
    """From when to when a run goes, and the times at which it is recorded.

    Attributes:
        t0: first time [s].
        t1: last time [s].
        times: of the record [s].
    """

    t0: Float[Array, ""]
    t1: Float[Array, ""]
    times: Float[Array, "times"]

    def __init__(self, t0: Numbers, t1: Numbers, samples: int, times: Numbers | None = None):
        """Even times, both ends included, or those given; refuses what does not increase from t0 to t1."""
        self.t0, self.t1 = increasing("(t0, t1)", jnp.stack([number("t0", t0), number("t1", t1)]), "s")
        if times is None:
            if not isinstance(samples, int) or samples < 2:
                raise ValueError(f"samples = {samples!r}: must be an integer of at least 2")
            self.times = self.t0 + (self.t1 - self.t0) * jnp.linspace(0.0, 1.0, samples)
            return
        times = increasing("times", times, "s")
        outside = (times[0] < self.t0) | (times[-1] > self.t1)
        if not isinstance(outside, Tracer) and outside:
            raise ValueError(f"times run from {times[0]} to {times[-1]}: must lie between t0 = {t0} and t1 = {t1} [s]")
        self.times = eqx.error_if(times, outside, "times must lie between t0 and t1 [s]")


class Marcher(eqx.Module):
    """How a run is integrated in time.

    Attributes:
        solver: diffrax solver.
        controller: diffrax step size controller.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: greatest number of steps.
        adjoint: how derivatives go through time.
        progress: diffrax progress meter; any but `NoProgressMeter` keeps the program out of JAX's cache.
    """

    solver: diffrax.AbstractSolver
    controller: diffrax.AbstractStepSizeController
    dt0: Float[Array, ""] | None
    max_steps: int = eqx.field(static=True)
    adjoint: diffrax.AbstractAdjoint
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
        # A state is small, and one kept is a step that the way back need not take again.
        kept = diffrax.RecursiveCheckpointAdjoint(checkpoints=min(max_steps, KEPT_STEPS))
        self.adjoint = kept if adjoint is None else adjoint
        self.progress = diffrax.NoProgressMeter() if progress is None else progress


class March(eqx.Module):
    """What an integration in time has found.

    Attributes:
        states: at the times of the record.
        steps: accepted and rejected time steps.
        reached: whether it came to the last time.
        dense: the continuous solution, when it was asked for.
    """

    states: PyTree
    steps: Int[Array, "2"]
    reached: Bool[Array, ""]
    dense: diffrax.AbstractGlobalInterpolation | diffrax.DenseInterpolation | None


def integrate(
    field: Callable[[Float[Array, ""], PyTree], PyTree],
    start: PyTree,
    span: Span,
    marcher: Marcher,
    law: Any = None,
    dense: bool = False,
    land: bool = False,
) -> March:
    """Integrates dy/dt = field(t, y) over a span.

    Args:
        field: (t, y) -> dy/dt.
        start: y at the first time.
        span: when.
        marcher: how.
        law: where it has `break_times` [s], the integrator steps onto them.
        dense: keep the continuous solution.
        land: step onto the times of the record, instead of interpolating between steps.
    """
    field = jax.jit(field)  # diffrax calls it several times: traced once
    with _already_checked():
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, _: field(t, y)),
            marcher.solver,
            t0=span.t0,
            t1=span.t1,
            # Given, since diffrax's own first guess would compile the field once more.
            dt0=1e-3 * (span.t1 - span.t0) if marcher.dt0 is None else marcher.dt0,
            y0=start,
            saveat=diffrax.SaveAt(ts=span.times, dense=dense),
            stepsize_controller=_stopping(marcher.controller, law, span.times if land else None),
            max_steps=marcher.max_steps,
            adjoint=marcher.adjoint,
            throw=False,
            progress_meter=marcher.progress,
        )
    steps = jnp.stack([solution.stats["num_accepted_steps"], solution.stats["num_rejected_steps"]])
    return March(solution.ys, steps, solution.result == diffrax.RESULTS.successful, solution.interpolation)


@contextlib.contextmanager
def _already_checked() -> Iterator[None]:
    """Leaves out diffrax's checks of times, which `Span` has made.

    They would call back to Python from the compiled program, and JAX keeps no such program between sessions: every
    first swim would be compiled again.
    """
    check, eqxi.error_if = eqxi.error_if, lambda x, *_, **__: x
    try:
        yield
    finally:
        eqxi.error_if = check


def _stopping(controller, law, landings):
    """The controller, made to step onto the times at which a law breaks (its `break_times`), and onto landings."""
    breaks = getattr(law, "break_times", ())
    if not isinstance(controller, diffrax.AbstractAdaptiveStepSizeController) or not (breaks or landings is not None):
        return controller
    # Jumps, not mere steps: past a break the first stage is evaluated anew, on the right side of it.
    jumps = jnp.unique(jax.lax.stop_gradient(jnp.stack(list(breaks))), size=len(breaks)) if breaks else None
    return diffrax.ClipStepSizeController(controller, step_ts=landings, jump_ts=jumps)
