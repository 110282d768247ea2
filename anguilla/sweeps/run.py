"""Evaluates any function over a labelled grid."""

import contextlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tqdm
import xarray as xr

from gaits.search.file_locks import claimed
from spatial.forked_process import refuse_forked
from spatial.user_warnings import warn
from stepping.program_identity import versions
from stepping.provenance import ATTRIBUTE, circumstances, describe, now

from . import store as stores
from .devices import Machine, trace_point
from .executors import Cluster
from .grid import Grid, build_grid
from .open import dataset_of
from .store import Labels, Outputs, Store

VERIFIED = 1e-6  # relative: a different number of devices may round differently
RECOMPUTED = 3  # number of stored blocks that are recomputed before a sweep is resumed


def sweep(
    fn: Callable[..., Any],
    grid: Mapping[str, Any],
    *,
    store: str | Path | None = None,
    chunk: int = 256,
    labels: Labels | None = None,
    dims: Mapping[str, Sequence[str]] | None = None,
    title: str = "a sweep",
    devices: Sequence[Any] | None = None,
    executor: Any = None,
    progress: bool = True,
) -> xr.Dataset:
    """Evaluates a function at every point of a grid: batched, on all devices of all hosts, resumable.

    Each block of at most `chunk` points is computed in one batch and written before the next, so that
    memory grows with the chunk and not with the grid. If the store already holds part of this sweep (an interrupted
    run), only the rest is computed, and the result is the same bit for bit on the same devices. The store identifies
    the function by its compiled program, and the versions of the packages: a sweep of another function, or of a body
    with other parameters, is rejected, and so is a store whose files were damaged.

    On a cluster, blocks are tasks of a scheduler (`executor`): if a worker dies, only the block it was computing is
    repeated; workers can be added at any time; this process writes all results. Without a scheduler, every process
    calls `jax.distributed.initialize()` first, then the same sweep with a store on a shared file system.

        def steady(amplitude, period): ...
        grid = {"amplitude": np.linspace(0.5, 1, 64), "period": np.linspace(0.5, 2, 64)}
        speeds = anguilla.sweep(steady, grid, store="speeds.zarr")

    >>> import anguilla
    >>> import numpy as np
    >>> def area(b, c):
    ...     return np.pi * b * c
    >>> grid = {"b": np.linspace(0.01, 0.03, 3), "c": np.linspace(0.02, 0.05, 4)}
    >>> result = anguilla.sweep(area, grid, store="areas.zarr", progress=False)
    >>> result["value"].dims
    ('b', 'c')

    Args:
        fn: takes the parameters by name, as scalars, and returns an array, or a mapping of arrays. It is compiled, so
            write it with jax.numpy. Where it raises, as `cosserat.rollout` does for a run that fails, the results are
            NaN, the other points are not affected, and a warning gives the number of failed points and the first error.
        grid: values of each axis by its name; a mapping of parameters instead of values makes them vary together
            along the axis, e.g. {"gait": {"amplitude": A, "period": T}} with A of shape (n, 3) and T of shape (n,).
        store: directory of the Zarr store; in memory when None (one process only).
        chunk: maximum number of points computed and written at a time by one process.
        labels: unit and meaning of axes and results, by name.
        dims: names of the dimensions of array results.
        title: title of the dataset.
        devices: JAX devices to use; all when None.
        executor: computes the blocks instead of this process: a `dask.distributed.Client`, or an executor of
            `concurrent.futures`, such as a `ProcessPoolExecutor` that spawns its processes. Every worker uses all
            devices it has.
        progress: show a progress bar.

    Returns:
        The results over the axes of the grid, read from the store on access.

    Raises:
        ValueError: an invalid grid, a store written by another sweep (nothing is overwritten), or a damaged one.
        FileExistsError: another run is writing to the store.
    """
    refuse_forked()
    if not callable(fn):
        raise ValueError(f"fn = {fn!r}: must be a function of the parameters {', '.join(map(str, grid))}")
    cut = build_grid(grid, chunk)
    outputs, program = trace_point(fn, cut.parameters((0,) * len(cut.axes), 1))
    _refuse_clashes(cut, outputs)
    if executor is None:
        machine = Machine(fn, cut.block_points, devices)
    elif devices is not None:
        raise ValueError("devices: those of an executor's workers are theirs; leave devices or executor out")
    else:
        machine = Cluster(executor, fn, cut, outputs, program)
    path = None if store is None else Path(store).expanduser()
    if path is None and machine.processes > 1:
        raise ValueError("store = None: several processes need a store on a shared file system")
    identity = {"program": program, "versions": versions()}
    with _alone(path, machine):
        named = _dimensions(outputs, dims or {})
        record = {"call": "anguilla.sweep", "function": describe(fn), "chunk": chunk, **circumstances()}
        made = {ATTRIBUTE: json.dumps(record), "date": now()}
        root = _prepare(path, cut, outputs, labels or {}, named, title, identity, made, machine)
        stored = Store(root, cut, outputs)
        _verify(stored, cut, machine)
        if isinstance(machine, Cluster):
            _gather(stored, cut, machine, progress)
        else:
            _fill(stored, cut, machine, progress)
        machine.wait_for_all("anguilla.sweep: done")
    _tell_failures(machine, cut)
    return dataset_of(root.store if path is None else path)


def _alone(path: Path | None, machine: Machine | Cluster) -> contextlib.AbstractContextManager[None]:
    """Locks the store against other runs; the first process of a run does it for all."""
    return contextlib.nullcontext() if path is None or machine.process != 0 else claimed(path)


def _prepare(path, grid, outputs, labels, dims, title, identity, made, machine: Machine | Cluster):
    """The store, created by the first process if there is none."""
    if path is None:
        return stores.create(None, grid, outputs, labels, dims, title, identity, made)
    if not (path.is_dir() and stores.is_sweep(path)):
        machine.wait_for_all("anguilla.sweep: no store yet")
        _refuse_foreign(path)
        machine.wait_for_all("anguilla.sweep: the place is free")
        if machine.process == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            stores.create(path, grid, outputs, labels, dims, title, identity, made)
    machine.wait_for_all("anguilla.sweep: store made")
    return stores.refuse_another(path, stores.describe(grid, outputs, identity))


def _refuse_foreign(path: Path) -> None:
    """Rejects a directory with other contents."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"store {path}: is a file, must be a directory; nothing was changed")
    if path.is_dir() and any(path.iterdir()) and not stores.is_half_made(path):
        raise ValueError(f"store {path}: holds something that is not a sweep; nothing was changed")


def _verify(stored: Store, grid: Grid, machine: Machine | Cluster) -> None:
    """Reads every block of an earlier run, and recomputes some of them."""
    done = machine.agree(stored.complete())
    for index in done:
        stored.read(index)
    places = sorted({round(k) for k in np.linspace(0, len(done) - 1, min(RECOMPUTED, len(done)))})
    for index, again in _computed([done[place] for place in places], grid, machine):
        for name, before in stored.read(index).items():
            rows = again[name][: grid.block_points]
            now = rows.reshape(grid.block + rows.shape[1:])[grid.inside(index)]
            if not np.allclose(now, before, rtol=VERIFIED, atol=VERIFIED * _scale(before), equal_nan=True):
                raise ValueError(
                    f"store: {name!r} at the points computed before differs from what the function gives now; it was "
                    "written by another function, and nothing was changed: give another store"
                )


def _computed(blocks, grid: Grid, machine: Machine | Cluster):
    """Blocks with their values."""
    if isinstance(machine, Cluster):
        yield from machine.compute(blocks)
        return
    for index in blocks:
        yield index, machine.collect(machine.start(grid.parameters(index, machine.rows)))


def _scale(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


def _fill(stored: Store, grid: Grid, machine: Machine, progress: bool) -> None:
    """Computes the missing blocks; a block is written while the next one is computed."""
    missing = machine.agree(stored.missing())
    size, bar = grid.size, _bar(grid, missing, progress and machine.process == 0)
    waiting = None
    with bar:
        for first in range(0, len(missing), machine.processes):
            together = missing[first : first + machine.processes]
            # A process without a block in the last round takes part in the computation but writes nothing.
            index = together[min(machine.process, len(together) - 1)]
            results = machine.start(grid.parameters(index, machine.rows))
            if waiting is not None:
                stored.write(waiting[0], machine.collect(waiting[1]))
                bar.update(waiting[2])
            waiting = (index, results, sum(map(size, together))) if machine.process < len(together) else None
        if waiting is not None:
            stored.write(waiting[0], machine.collect(waiting[1]))
            bar.update(waiting[2])


def _gather(stored: Store, grid: Grid, cluster: Cluster, progress: bool) -> None:
    """Writes the missing blocks as they come from the workers."""
    missing = stored.missing()
    with _bar(grid, missing, progress) as bar:
        for index, values in cluster.compute(missing):
            stored.write(index, values)
            bar.update(grid.size(index))
    advice = cluster.advice()
    if progress and advice is not None:
        print(f"sweep: {advice}", file=sys.stderr)


def _tell_failures(machine: Machine | Cluster, grid: Grid) -> None:
    if machine.failures:
        where, why = next(iter(machine.failures.items()))
        warn(
            f"sweep: the function raised at {len(machine.failures)} of {grid.points} points; their results are NaN. "
            f"At {where}: {why}",
        )


def _bar(grid: Grid, missing: list[tuple[int, ...]], shown: bool) -> tqdm.tqdm:
    done = grid.points - sum(map(grid.size, missing))
    return tqdm.tqdm(total=grid.points, initial=done, unit="point", desc="sweep", disable=not shown)


def _refuse_clashes(grid: Grid, outputs: Outputs) -> None:
    taken = {name for axis in grid.axes for name in (axis.name, *axis.parameters)} | {stores.MARKS}
    for name in outputs:
        if name in taken:
            raise ValueError(f"the function returns {name!r}, which is also an axis or a parameter: rename one")


def _dimensions(outputs: Outputs, dims: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    unknown = sorted(set(dims) - set(outputs))
    if unknown:
        raise ValueError(f"dims: the function returns no {unknown[0]!r}; it returns {', '.join(outputs)}")
    named = {}
    for name, (shape, _) in outputs.items():
        given = tuple(dims.get(name, (f"{name}_{k}" for k in range(len(shape)))))
        if len(given) != len(shape):
            raise ValueError(f"dims[{name!r}] = {given!r}: must name {len(shape)} dimensions, of sizes {shape}")
        named[name] = given
    return named
