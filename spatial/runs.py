"""What runs in time share, whatever moves: output times, steps onto the breaks of a law, failures."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from .checks import Numbers, increasing


class SimulationError(RuntimeError):
    """A run that did not reach its last time."""


def output_times(
    t0: Float[Array, ""], t1: Float[Array, ""], samples: int, times: Numbers | None
) -> Float[Array, "times"]:
    """The times at which a run is recorded; refuses those that do not increase from t0 to t1 [s]."""
    span = increasing("(t0, t1)", jnp.stack([t0, t1]), "s")
    if times is None:
        if not isinstance(samples, int) or samples < 2:
            raise ValueError(f"samples = {samples!r}: must be an integer of at least 2")
        return span[0] + (span[1] - span[0]) * jnp.linspace(0.0, 1.0, samples)
    times = increasing("times", times, "s")
    outside = (times[0] < span[0]) | (times[-1] > span[1])
    if not isinstance(outside, Tracer) and outside:
        raise ValueError(f"times run from {times[0]} to {times[-1]}: must lie between t0 = {t0} and t1 = {t1} [s]")
    return eqx.error_if(times, outside, "times must lie between t0 and t1 [s]")


def stopping_at_breaks(
    controller: diffrax.AbstractStepSizeController, law: Any, landings: Float[Array, "times"] | None = None
) -> diffrax.AbstractStepSizeController:
    """The controller, made to step onto the times at which a law breaks (its `break_times`), and onto landings [s]."""
    breaks = getattr(law, "break_times", ())
    if not isinstance(controller, diffrax.AbstractAdaptiveStepSizeController) or not (breaks or landings is not None):
        return controller
    # Jumps, not mere steps: past a break the first stage is evaluated anew, on the right side of it.
    jumps = jnp.unique(jax.lax.stop_gradient(jnp.stack(list(breaks))), size=len(breaks)) if breaks else None
    return diffrax.ClipStepSizeController(controller, step_ts=landings, jump_ts=jumps)


def say_compiling(show: bool) -> None:
    """Says what the wait before the first step is for; the progress bar is written over it."""
    if show:
        print("compiling ...", end="\r", file=sys.stderr, flush=True)


@contextlib.contextmanager
def waiting(text: str, show: bool) -> Iterator[None]:
    """Says what goes on while it does, on a line that is wiped afterwards."""
    if show:
        print(text, end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if show:
            print(" " * len(text), end="\r", file=sys.stderr, flush=True)


def raise_if_failed(
    succeeded: Bool[Array, ""],
    time: Float[Array, "times"],
    velocities: Float[Array, "times n"],
    steps: Int[Array, "2"],
    causes: str,
) -> None:
    """Raises a `SimulationError` that tells when a run stopped and the likely causes.

    Args:
        succeeded: whether the run reached its last time.
        time: output times [s].
        velocities: at those times, any that are not finite once a run has stopped [m/s or rad/s].
        steps: accepted and rejected ones.
        causes: what the message goes on with.
    """
    if bool(succeeded):
        return
    good = np.isfinite(np.asarray(velocities)).all(axis=1)
    last = time[good][-1] if good.any() else time[0]
    raise SimulationError(
        f"stopped after t = {float(last):g} s of {float(time[-1]):g} s, "
        f"{int(steps[0])} steps accepted and {int(steps[1])} rejected: {causes}"
    )
