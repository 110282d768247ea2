"""Progress and failure messages."""

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import diffrax
import numpy as np
from jaxtyping import Array, Bool, Float, Int


class SimulationError(RuntimeError):
    """A run that did not reach its final time."""


def say_compiling(show: bool) -> None:
    """Prints a message while the program compiles; on a terminal the next output overwrites it."""
    if show:
        _print_transient("compiling ...")


def _print_transient(text: str) -> None:
    """Prints a line that the next one overwrites, or, in a file, a line of its own."""
    print(text, end="\r" if _overwrites() else "\n", file=sys.stderr, flush=True)


def _overwrites() -> bool:
    """Whether a carriage return leads to the beginning of the line: on a terminal and in a notebook."""
    return getattr(sys.stderr, "isatty", lambda: False)() or "ipykernel" in sys.modules


def bar(show: bool, foreseen: float) -> diffrax.AbstractProgressMeter | None:
    """A progress bar for a run with the given estimated duration [s]; None for a short run.

    A progress bar calls back to Python, and JAX does not cache such programs between sessions; a short run would
    spend far more time compiling than running.
    """
    return diffrax.TqdmProgressMeter() if show and foreseen > 5.0 else None


@contextlib.contextmanager
def waiting(text: str, show: bool) -> Iterator[None]:
    """Prints a message during a block of code; on a terminal it is erased afterwards."""
    if show:
        _print_transient(text)
    try:
        yield
    finally:
        if show and _overwrites():
            print(" " * len(text), end="\r", file=sys.stderr, flush=True)


def raise_if_failed(
    succeeded: Bool[Array, ""],
    time: Float[Array, "times"],
    velocities: Float[Array, "times n"],
    steps: Int[Array, "2"],
    causes: str,
) -> None:
    """Raises a `SimulationError` with the time at which a run stopped and the likely causes.

    Args:
        succeeded: whether the run reached its final time.
        time: output times [s].
        velocities: velocities at those times, not finite after a run has stopped [m/s or rad/s].
        steps: numbers of accepted and rejected steps.
        causes: likely causes, appended to the message.
    """
    if bool(succeeded):
        return
    good = np.isfinite(np.asarray(velocities)).all(axis=1)
    when = f"stopped after t = {float(time[good][-1]):g} s" if good.any() else "stopped at the first step"
    raise SimulationError(
        f"{when}{f' of {float(time[-1]):g} s' if np.isfinite(time[-1]) else ''}, "
        f"{int(steps[0])} steps accepted and {int(steps[1])} rejected: {causes}"
    )


def raise_if_not_finite(fields: Mapping[str, Any], time: Float[Array, "times"]) -> None:
    """Raises a `SimulationError` if a recorded quantity is not finite at an output time.

    The motion may be finite nevertheless: no step of the integrator needs to fall on an output time.

    Args:
        fields: recorded quantities; the first axis of those that vary in time is time, others are not checked.
        time: output times [s].
    """
    for name, values in fields.items():
        if values.shape[:1] != time.shape:
            continue
        good = np.isfinite(np.asarray(values)).reshape(len(time), -1).all(axis=1)
        if not good.all():
            raise SimulationError(
                f"{name} is not finite at t = {float(time[np.argmin(good)]):g} s: the gait, the law of the joints or "
                "the fluid gives no finite number there"
            )
