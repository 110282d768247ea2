"""Blocks of a sweep as tasks of a scheduler: of a dask cluster, or of any executor of `concurrent.futures`.

A task is a pure function of its block, so that another worker can recompute a block whose worker has died. Workers
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
PROBES = 16  # number of empty tasks that measure the scheduler's time per task
KEPT = 8  # functions that a worker keeps compiled
SHARE = 0.02  # largest acceptable ratio of the scheduler's time to the computing time of a block


class Job(NamedTuple):
    """Data common to all blocks of a sweep.

    Attributes:
        function: function of the sweep, pickled.
        block_points: number of points of a block.
        program: digest of the function's program, which every worker compares with its own.
        versions: versions of the packages with which the program was traced.
    """

    function: bytes
    block_points: int
    program: str
    versions: tuple[tuple[str, str], ...]


class Cluster:
    """Computes blocks of a sweep on an executor.

    Args:
        executor: object with a method `submit(function, *arguments)` that returns a future, or a dask client.
        fn: the function of the sweep.
        grid: the grid.
        outputs: shapes and types of the function's results at a point.
        program: digest of the function's program.

    Attributes:
        overhead: time of the scheduler for one block [s].
        seconds: computing time of the last block without compilation [s]; NaN before the first one.
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

    processes, process = 1, 0  # only this process writes

    def agree(self, blocks: list[Index]) -> list[Index]:
        """The blocks, as in `Machine`."""
        return blocks

    def wait_for_all(self, name: str) -> None:
        """Returns immediately: there is only one process."""
        del name

    def compute(self, blocks: Iterable[Index]) -> Iterator[tuple[Index, Values]]:
        """Yields blocks with their values, one row per point, as they are finished.

        Raises:
            Exception: raised by the function, or by a worker whose program differs; the other tasks are cancelled.
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
        """A message with a better chunk if the scheduler takes too much of the time, otherwise None."""
        if not self.overhead > SHARE * self.seconds:  # also if `seconds` is NaN
            return None
        better = math.ceil(self._grid.block_points * self.overhead / (SHARE * self.seconds))
        return (
            f"the scheduler takes {1e3 * self.overhead:.1f} ms for a block of {self._grid.block_points} points that is "
            f"computed in {1e3 * self.seconds:.1f} ms; chunk={better} would lower that to {SHARE:.0%}"
        )


def compute_block(job: Job, points: Values) -> tuple[Values, float, dict[str, str]]:
    """Computes a block, in a worker.

    Args:
        job: data common to all blocks of a sweep.
        points: parameters, one row per point.

    Returns:
        The values, one row per point; the computing time [s], NaN if it includes the compilation; and the points at
        which the function raised, with its message.

    Raises:
        ValueError: the program of the function differs in this worker.
    """
    begin, known = time.perf_counter(), job in _machines
    if not known:
        fn = pickle.loads(job.function)
        _refuse_another(job, trace_point(fn, points)[1])
        while len(_machines) >= KEPT:
            _machines.pop(next(iter(_machines)))
        _machines[job] = Machine(fn, job.block_points, None)
    machine = _machines[job]
    rows = np.minimum(np.arange(machine.rows), job.block_points - 1)  # pads with the last point, as `Grid.parameters`
    found = machine.collect(machine.start({name: values[rows] for name, values in points.items()}))
    seconds = time.perf_counter() - begin if known else math.nan
    failures, machine.failures = machine.failures, {}
    return {name: values[: job.block_points] for name, values in found.items()}, seconds, failures


_machines: dict[Job, Machine] = {}  # compiled functions of this worker


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
    """The method `submit` of an executor, which returns futures of `concurrent.futures`."""
    if hasattr(executor, "get_executor"):  # a dask client
        executor = executor.get_executor(pure=False)  # dask must not merge tasks with equal arguments
    if not callable(getattr(executor, "submit", None)):
        rule = "must be a dask client or an executor of concurrent.futures"
        raise ValueError(f"executor = {shown(executor)}: {rule}")
    return executor.submit


def _pickled(fn: Callable) -> bytes:
    """The pickled function; pickled by value if cloudpickle is installed, as it is with dask."""
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
    """Time of the scheduler per task, measured with empty tasks [s]."""
    submit(_nothing, -1).result()  # starts the workers of a pool
    begin = time.perf_counter()
    for future in [submit(_nothing, k) for k in range(PROBES)]:
        future.result()
    return (time.perf_counter() - begin) / PROBES


def _nothing(k: int) -> int:
    return k
