"""Runs checks, sequentially or in several processes, and prints each as a row of a table."""

import itertools
import math
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

import jax
import numpy as np

from .report import Check, CheckFunction, taken_exhibits

# Settings that a worker process inherits from its parent.
SETTINGS = (
    "jax_enable_x64",
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


class Made(NamedTuple):
    """Result of one check.

    Attributes:
        check: the numbers.
        seconds: wall time [s].
        processor: processor time [s].
        exhibits: arrays recorded for figures.
    """

    check: Check
    seconds: float
    processor: float
    exhibits: dict[str, dict[str, np.ndarray]]


class Outcome(NamedTuple):
    """Results of checks, in the requested order.

    Attributes:
        checks: the numbers.
        seconds: wall time of each [s].
        processor: processor time of each [s].
        wall: total wall time [s].
        jobs: number of processes.
        exhibits: arrays recorded for figures.
    """

    checks: tuple[Check, ...]
    seconds: tuple[float, ...]
    processor: tuple[float, ...]
    wall: float
    jobs: int
    exhibits: dict[str, dict[str, np.ndarray]]

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)


def attempt(function: CheckFunction) -> Check:
    """Runs one check; an exception becomes a failed check with its traceback."""
    try:
        return function()
    except Exception as error:  # any exception is reported, and the check counts as failed
        kind = "".join(traceback.format_exception_only(error)).strip()
        return _not_made(function, kind.splitlines()[0], traceback.format_exc())


def run(functions: Sequence[CheckFunction], jobs: int = 1) -> Outcome:
    """Runs checks and prints each as a row of a table as soon as it is finished.

    Args:
        functions: the checks.
        jobs: number of processes. Checks that share runs or programs stay together.
    """
    begin = time.perf_counter()
    package = __name__.split(".")[0]
    shared = [function for function in functions if function.__module__.split(".")[0] == package]
    bundles = bundled(shared)
    jobs = max(1, min(jobs, len(bundles)))
    # Worker processes only know the checks of this package; others are run here.
    here = functions if jobs == 1 else [function for function in functions if function not in shared]
    width = max((len(function.__name__) for function in functions), default=4)
    names = ("group", "check", "measured", "reference", "tolerance", "unit", "verdict", "time", "processor")
    print(_row(width, names))
    print(_row(width, tuple("-" * k for k in (12, width, 12, 12, 9, 6, 7, 7, 9))), flush=True)
    made = {}
    for one in itertools.chain(map(_make, here), in_processes(bundles, jobs) if jobs > 1 else ()):
        made[one.check.name] = one
        times = f"{one.seconds:.1f} s", f"{one.processor:.1f} s"
        print(_row(width, (one.check.group, *cells(one.check), *times)), flush=True)
    ordered = [made[function.__name__] for function in functions]
    exhibits = {name: arrays for one in ordered for name, arrays in one.exhibits.items()}
    outcome = Outcome(
        tuple(one.check for one in ordered),
        tuple(one.seconds for one in ordered),
        tuple(one.processor for one in ordered),
        time.perf_counter() - begin,
        jobs,
        exhibits,
    )
    print(summary(outcome))
    for failed in outcome.failed:
        print(f"FAILED {failed.group}/{failed.name}: {failed.meaning}")
        if failed.error:
            print(failed.error)
    return outcome


def summary(outcome: Outcome) -> str:
    """Number of passed checks, and the time taken."""
    count = len(outcome.checks)
    processes = "one process" if outcome.jobs == 1 else f"{outcome.jobs} processes"
    spent = f"{outcome.wall:.0f} s ({sum(outcome.processor):.0f} s of processor time, {processes})"
    return f"{count - len(outcome.failed)} of {count} checks passed in {spent}"


def bundled(functions: Sequence[CheckFunction]) -> list[tuple[CheckFunction, ...]]:
    """The checks in bundles that share runs or programs, largest first, so that the last ones are short."""
    bundles: dict[str, list[CheckFunction]] = {}
    for function in functions:
        bundles.setdefault(function.shares, []).append(function)
    return [tuple(bundle) for bundle in sorted(bundles.values(), key=len, reverse=True)]


def in_processes(bundles: Sequence[tuple[CheckFunction, ...]], jobs: int) -> Iterator[Made]:
    """Results from worker processes as they arrive; checks of a process that dies count as failed."""
    settings = {name: getattr(jax.config, name) for name in SETTINGS}
    context = multiprocessing.get_context("spawn")  # forking a process in which JAX runs would deadlock
    with ProcessPoolExecutor(jobs, context, _prepare, (settings,)) as pool:
        waiting = {pool.submit(_make_all, [function.__name__ for function in b]): b for b in bundles}
        for future in as_completed(waiting):
            try:
                yield from future.result()
            except BrokenProcessPool:
                for function in waiting[future]:
                    yield Made(_not_made(function, "its process ended", traceback.format_exc()), 0.0, 0.0, {})


def processors() -> int:
    """Number of processors available to this process."""
    count: Callable[[], int | None] = getattr(os, "process_cpu_count", os.cpu_count)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else count()
    return allowed or 1


def cells(made: Check) -> tuple[str, str, str, str, str, str]:
    """Name, measured value, reference, tolerance, unit and verdict as text."""
    verdict = "error" if made.error else ("pass" if made.passed else "FAIL")
    return (
        made.name,
        number(made.measured),
        number(made.reference),
        "nan" if math.isnan(made.tolerance) else f"{made.tolerance:.1g}",
        made.unit,
        verdict,
    )


def number(value: float) -> str:
    """Six digits; scientific notation only if it helps."""
    return f"{value:.2e}" if 0.0 < abs(value) < 1e-4 else f"{value:.6g}"


def _make(function):
    begin, spent = time.perf_counter(), time.process_time()
    made = attempt(function)
    return Made(made, time.perf_counter() - begin, time.process_time() - spent, taken_exhibits())


def _make_all(names):
    from .catalogue import all_checks  # imported in the worker, with everything that the checks need

    known = {function.__name__: function for function in all_checks()}
    return [_make(known[name]) for name in names]


def _prepare(settings):
    for name, value in settings.items():
        jax.config.update(name, value)


def _not_made(function, kind, trace):
    return Check(
        name=function.__name__,
        group=function.group,
        measured=math.nan,
        reference=math.nan,
        tolerance=math.nan,
        unit="-",
        source="-",
        meaning=f"the check itself could not be made: {kind}",
        error=trace,
    )


def _row(width, columns):
    group, name, measured, reference, tolerance, unit, verdict, seconds, processor = columns
    numbers = f"{measured:>12}  {reference:>12}  {tolerance:>9}"
    return f"{group:12}  {name:{width}}  {numbers}  {unit:6}  {verdict:7}  {seconds:>7}  {processor:>9}".rstrip()
