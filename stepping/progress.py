"""What runs in time say to the one who waits for them: that they go on, and why they failed."""

import contextlib
import sys
from collections.abc import Iterator

import diffrax
import numpy as np
from jaxtyping import Array, Bool, Float, Int


class SimulationError(RuntimeError):
    """A run that did not reach its last time."""


def say_compiling(show: bool) -> None:
    """Says what the wait before the first step is for; what comes next is written over it."""
    if show:
        print("compiling ...", end="\r", file=sys.stderr, flush=True)


def bar(show: bool, foreseen: float) -> diffrax.AbstractProgressMeter | None:
    """A progress bar for a run that is foreseen to take so long [s]; None where it would be over at once.

    A bar calls back to Python, and JAX keeps no such program between sessions: it would cost a short run a
    compilation, many times what the run takes.
    """
    return diffrax.TqdmProgressMeter() if show and foreseen > 5.0 else None


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
    when = f"stopped after t = {float(time[good][-1]):g} s" if good.any() else "stopped at the first step"
    raise SimulationError(
        f"{when}{f' of {float(time[-1]):g} s' if np.isfinite(time[-1]) else ''}, "
        f"{int(steps[0])} steps accepted and {int(steps[1])} rejected: {causes}"
    )
