"""Times of a run: first and last time, and output times."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, Int

from spatial import Numbers
from spatial.checks import constant, increasing, integer, number, positive


class Span(eqx.Module):
    """First and last time of a run, and its output times.

    There are three ways to build one: `Span(t0, t1, samples)` has evenly spaced output times, both ends included;
    `Span(t0, t1, times=...)` has the given output times; `Span.every(...)` and `Span.counted(...)` make equal steps and
    output every k-th of them. Methods with fixed steps need the last kind; adaptive methods accept any.

    >>> from stepping import Span
    >>> Span(0.0, 1.0, 3).times.tolist()
    [0.0, 0.5, 1.0]
    >>> Span.every(0.0, 1.0, dt=0.125, every=4).times.tolist()
    [0.0, 0.5, 1.0]

    Attributes:
        t0: first time [s].
        t1: last time [s].
        times: output times [s].
        dt: fixed step [s]; None if the method chooses its steps.
        between: number of steps between two output times; may be traced.
    """

    t0: Float[Array, ""]
    t1: Float[Array, ""]
    times: Float[Array, "times"]
    dt: Float[Array, ""] | None
    between: int | Int[Array, ""]

    def __init__(self, t0: Numbers, t1: Numbers, samples: int = 201, times: Numbers | None = None):
        """Evenly spaced times, both ends included, or given times; raises unless they increase from t0 to t1."""
        ends = increasing("(t0, t1)", [number("t0", t0), number("t1", t1)], "s")
        known = not isinstance(ends, Tracer)
        begin, end = np.asarray(ends) if known else ends
        put = constant if known else jnp.asarray
        self.t0, self.t1 = put(begin), put(end)
        self.dt, self.between = None, 1
        if times is None:
            samples = integer("samples", samples, 2)
            self.times = put(begin + (end - begin) * np.linspace(0.0, 1.0, samples))
            return
        times = increasing("times", times, "s")
        outside = (times[0] < self.t0) | (times[-1] > self.t1)
        if not isinstance(outside, Tracer) and outside:
            raise ValueError(f"times run from {times[0]} to {times[-1]}: must lie between t0 = {t0} and t1 = {t1} [s]")
        self.times = eqx.error_if(times, outside, "times must lie between t0 and t1 [s]")

    @staticmethod
    def every(t0: float, t1: float, dt: float, every: int = 1) -> "Span":
        """Equal steps from t0 to t1, of which every k-th is recorded; raises unless they fit exactly.

        Args:
            t0: first time, a concrete number [s].
            t1: last time, a concrete number [s].
            dt: step [s].
            every: number of steps between two output times.
        """
        every = integer("every", every, 1)
        t0, t1, dt = (float(number(name, value)) for name, value in (("t0", t0), ("t1", t1), ("dt", dt)))
        if not (dt > 0 and t1 > t0):
            raise ValueError(f"t0 = {t0}, t1 = {t1}, dt = {dt}: t1 must come after t0, and dt be positive [s]")
        steps = round((t1 - t0) / dt)
        if steps < 1 or abs(steps * dt - (t1 - t0)) > 1e-6 * dt * max(steps, 1) or steps % every:
            raise ValueError(
                f"(t1 - t0)/dt = {(t1 - t0) / dt:g} steps with every = {every}: must be a whole multiple of `every`"
            )
        return Span.counted(t0, (t1 - t0) / steps, every, steps // every)

    @staticmethod
    def counted(t0: Numbers, dt: Numbers, between: int | Int[Array, ""], records: int = 1) -> "Span":
        """A given number of equal steps; everything but the number of records may be traced.

        Args:
            t0: first time [s].
            dt: step [s].
            between: number of steps between two output times. A concrete number allows reverse-mode derivatives.
            records: number of output times after the first.
        """
        records = integer("records", records, 1)
        if not isinstance(between, jax.Array):
            between = integer("between", between, 1)
        begin = number("t0", t0)
        step = jnp.asarray(dt, float) if isinstance(dt, Tracer) else positive("dt", dt, "s", ())
        times = begin + step * between * jnp.arange(records + 1)
        span = object.__new__(Span)
        parts = {"t0": begin, "t1": times[-1], "times": times, "dt": step, "between": between}
        for name, value in parts.items():
            object.__setattr__(span, name, value)
        return span

    def with_steps(self, longest: float) -> "Span":
        """The same evenly spaced output times, with the longest equal steps that do not exceed `longest` [s].

        >>> Span(0.0, 1.0, 3).with_steps(0.2).between
        3

        Args:
            longest: greatest step [s]. It must be a concrete number, and so must both ends of the span.
        """
        if any(isinstance(part, Tracer) for part in (self.t0, self.t1, longest)):
            raise ValueError("t0, t1 and the step must be known numbers: the number of fixed steps follows from them")
        step = float(positive("dt0", longest, "s", ()))
        apart = (float(np.asarray(self.t1)) - float(np.asarray(self.t0))) / self.records
        between = max(1, math.ceil(apart / step - 1e-9))
        return Span.counted(self.t0, apart / between, between, self.records)

    @property
    def records(self) -> int:
        """Number of output times after the first."""
        return self.times.shape[0] - 1


def break_times(*laws: object) -> Float[Array, "breaks"]:
    """Increasing break times of laws and loads (their `break_times`) [s]; integrators step onto them."""
    breaks = [jnp.ravel(jnp.asarray(time, float)) for time in listed_breaks(*laws)]
    if not breaks:
        return jnp.zeros(0)
    every = jnp.concatenate(breaks)
    return jnp.unique(jax.lax.stop_gradient(every), size=every.size)


def listed_breaks(*laws: object) -> tuple[Any, ...]:
    """Break times of laws and loads in any order [s], for the `break_times` of what is composed of them."""
    given = [getattr(law, "break_times", ()) for law in laws]
    return tuple(time for times in given for time in (times if isinstance(times, tuple | list) else (times,)))
