"""The stopwatch: variants run in turn, several rounds, the least time of each, and the spread."""

import time
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

ROUNDS = 7


class Work(NamedTuple):
    """Something to time.

    Attributes:
        run: does it, and waits for its end.
        count: how many times a run does it.
    """

    run: Callable[[], object]
    count: int = 1


class Time(NamedTuple):
    """How long it took.

    Attributes:
        least: of all rounds, for one of it [s].
        spread: greatest over least.
        first: the first run, which compiles [s].
    """

    least: float
    spread: float
    first: float

    @property
    def words(self) -> str:
        """With a unit that suits."""
        unit, size = next(((u, s) for u, s in (("s", 1.0), ("ms", 1e-3)) if self.least >= s), ("µs", 1e-6))
        return f"{self.least / size:.3g} {unit} (spread {self.spread:.2f})"


def interleaved(variants: dict[str, Work], rounds: int = ROUNDS) -> dict[str, Time]:
    """Times of variants that take turns: whatever else the machine does falls on all of them."""
    first, times = {}, {name: [] for name in variants}
    for name, work in variants.items():
        first[name] = seconds(work.run)
    for _ in range(rounds):
        for name, work in variants.items():
            times[name].append(seconds(work.run) / work.count)
    return {name: Time(min(t), max(t) / min(t), first[name]) for name, t in times.items()}


def seconds(run: Callable[[], object]) -> float:
    """Time of one run on one core [s]: processor time of all threads, or wall time where that is below 0.1 s.

    Processor time of XLA's threads is accounted for in slices: a run of some milliseconds may show a tenth of its time.
    The least wall time of several rounds is that of an undisturbed run.
    """
    processor, wall = time.process_time(), time.perf_counter()
    run()
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    return wall if wall < 0.1 else processor


def looped(f: Callable, count: int, *given) -> Work:
    """`count` evaluations of f(t, *given) in one compiled loop, each waiting for the one before.

    No call from Python in it; what is given is no constant of the program, as a body in a swim is none.
    """

    arrays, rest = eqx.partition(given, eqx.is_array)

    @jax.jit  # `eqx.filter_jit` would take longer to begin than some loops to end
    def loop(arrays):
        given = eqx.combine(arrays, rest)
        step = lambda k, carry: 1e-30 * jnp.sum(f(3.3 + 1e-30 * carry, *given)) + 1e-9 * k  # noqa: E731
        return jax.lax.fori_loop(0, count, step, 0.0)

    return Work(lambda: loop(arrays).block_until_ready(), count)


def called(f: Callable, *args, count: int = 1) -> Work:
    """A compiled function called from Python `count` times."""
    compiled = jax.jit(f)

    def run():
        for _ in range(count):
            out = compiled(*args)
        jax.block_until_ready(out)

    return Work(run, count)
