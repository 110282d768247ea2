"""Blocks of a sweep as tasks of a scheduler: of a dask cluster, or of any executor of `concurrent.futures`.

A task is a pure function of its block, so a block that was lost with its worker is computed again by another. Workers
write nothing: the process that submits the blocks also writes them, and the workers need no shared file system.
"""

import concurrent.futures as futures
import math
import pickle
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from spatial.checks import shown
from stepping.program_identity import versions

from .devices import Machine, trace_point
from .grid import Grid
from .store import Outputs

Index = tuple[int, ...]
Values = dict[str, np.ndarray]

AHEAD_BYTES = 256_000_000  # results of tasks that are submitted and not yet written
FEWEST, MOST = 4, 1024  # blocks ahead
PROBES = 16  # empty tasks, to measure what the scheduler takes for each
KEPT = 8  # functions that a worker keeps compiled
SHARE = 0.02  # of a block's computing time that the scheduler may take


class Job(NamedTuple):
    """What the blocks of a sweep have in common.

    Attributes:
        function: of the sweep, pickled.
        block_points: number of points of a block.
        program: digest of the function's program, which every worker compares with its own.
        versions: of the packages that made it.
    """

    function: bytes
    block_points: int
    program: str
    versions: tuple[tuple[str, str], ...]


class Cluster:
    """Computes blocks of a sweep on an executor.

    Args:
        executor: with `submit(function, *arguments)` that returns a future, or a dask client.
        fn: the function of the sweep.
        grid: the grid.
        outputs: what the function returns at a point.
        program: digest of the function's program.

    Attributes:
        overhead: what the scheduler takes for one block [s].
        seconds: computing time of the last block, compilation apart [s]; NaN before there is one.
        failures: points at which the function raised, and its message; their results are NaN.
    """

    def __init__(self, executor: Any, fn: Callable, grid: Grid, outputs: Outputs, program: str):
        self._submit = _submission(executor)
        self._grid = grid
        self._job = Job(_pickled(fn), grid.block_points, program, tuple(versions().items()))
        size = sum(math.prod(shape) * dtype.itemsize for shape, dtype in outputs.values()) * grid.block_points
        self._ahead = min(max(AHEAD_BYTES // max(size, 1), FEWEST), MOST)
        self.overhead = _overhead(self._submit)
        self.seconds = math.nan
        self.failures: dict[str, str] = {}

    processes, process = 1, 0  # this process alone writes

    def agree(self, blocks: list[Index]) -> list[Index]:
        """The blocks, as in `Machine`."""
        return blocks

    def wait_for_all(self, name: str) -> None:
        """Returns at once: there is one process."""
        del name

    def compute(self, blocks: Iterable[Index]) -> Iterator[tuple[Index, Values]]:
        """Blocks with their values, one row per point, as they are finished.

        Raises:
            Exception: of the function, or of a worker whose program differs; the other tasks are cancelled.
        """
        rest, running = iter(blocks), {}
        try:
            while True:
                while len(running) < self._ahead and (index := next(rest, None)) is not None:
                    points = self._grid.parameters(index, self._grid.block_points)
                    running[self._submit(compute_block, self._job, points)] = index
                if not running:
                    return
                for future in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                    index = running.pop(future)
                    values, seconds, failures = _result(future, index)
                    self.failures |= failures
                    self.seconds = self.seconds if math.isnan(seconds) else seconds
                    yield index, values
        finally:
            for future in running:
                future.cancel()

    def advice(self) -> str | None:
        """A sentence where the scheduler takes too large a share of the time, with a better chunk."""
        if not self.overhead > SHARE * self.seconds:  # nor where it is not known
            return None
        better = math.ceil(self._grid.block_points * self.overhead / (SHARE * self.seconds))
        return (
            f"the scheduler takes {1e3 * self.overhead:.1f} ms for a block of {self._grid.block_points} points that is "
            f"computed in {1e3 * self.seconds:.1f} ms; chunk={better} would lower that to {SHARE:.0%}"
        )


def compute_block(job: Job, points: Values) -> tuple[Values, float, dict[str, str]]:
    """Computes a block, in a worker.

    Args:
        job: what the blocks of a sweep have in common.
        points: parameters, one row per point.

    Returns:
        The values, one row per point; how long they took [s], NaN where that includes the compilation; and the points
        at which the function raised, with its message.

    Raises:
        ValueError: the function is another program in this worker.
    """
    begin, known = time.perf_counter(), job in _machines
    if not known:
        fn = pickle.loads(job.function)
        _refuse_another(job, trace_point(fn, points)[1])
        while len(_machines) >= KEPT:
            _machines.pop(next(iter(_machines)))
        _machines[job] = Machine(fn, job.block_points, None)
    machine = _machines[job]
    rows = np.minimum(np.arange(machine.rows), job.block_points - 1)  # the last point again, as in `Grid.parameters`
    found = machine.collect(machine.start({name: values[rows] for name, values in points.items()}))
    seconds = time.perf_counter() - begin if known else math.nan
    failures, machine.failures = machine.failures, {}
    return {name: values[: job.block_points] for name, values in found.items()}, seconds, failures


_machines: dict[Job, Machine] = {}  # of this worker


def _refuse_another(job: Job, program: str) -> None:
    if program == job.program:
        return
    here = versions()
    other = [
        f"{name} {here.get(name)} instead of {number}" for name, number in job.versions if here.get(name) != number
    ]
    why = ", ".join(other) or "the versions are the same: does it depend on the machine?"
    raise ValueError(f"a worker on {platform.node()} would compute another program ({why}); nothing was computed")


def _result(future: futures.Future, index: Index) -> tuple[Values, float, dict[str, str]]:
    try:
        return future.result()
    except Exception as error:
        error.add_note(f"in block {index} of the sweep; what was finished before is in its store")
        raise


def _submission(executor: Any) -> Callable[..., futures.Future]:
    """`submit` of an executor, with futures of `concurrent.futures`."""
    if hasattr(executor, "get_executor"):  # a dask client
        executor = executor.get_executor(pure=False)  # equal blocks are not one task
    if not callable(getattr(executor, "submit", None)):
        rule = "must be a dask client or an executor of concurrent.futures"
        raise ValueError(f"executor = {shown(executor)}: {rule}")
    return executor.submit


def _pickled(fn: Callable) -> bytes:
    """The function for another process; by its content where cloudpickle is installed, as with dask."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return dumps(fn)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"fn = {shown(fn)}: could not be sent to another process ({error}); define it in a module, or install "
            "cloudpickle: pip install 'anguilla[cluster]'"
        ) from error


def _overhead(submit: Callable[..., futures.Future]) -> float:
    """Time of the scheduler for one of many tasks that do nothing [s]."""
    submit(_nothing, -1).result()  # starts the workers of a pool
    begin = time.perf_counter()
    for future in [submit(_nothing, k) for k in range(PROBES)]:
        future.result()
    return (time.perf_counter() - begin) / PROBES


def _nothing(k: int) -> int:
    return k
