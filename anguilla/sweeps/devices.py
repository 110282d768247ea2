"""Maps a function over the points of a block on every device of every host, with JAX's own sharding.

Each process holds one block at a time. The batch of a round is one array over all hosts; the rows of a process are
its block. `shard_map` lets each device run its rows independently, so that no loop waits for another device.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from spatial.traced_warnings import without_log
from stepping.program_identity import program_digest

from .store import Outputs

Failure = RuntimeError | ValueError  # errors that JAX raises from a compiled program
AXIS = "points"
LANES = 16  # points per core in one vectorised batch: fits the cache, and limits how many wait for the slowest point


RAISED = re.compile(r"EquinoxRuntimeError: (.+)")  # message of `equinox.error_if`, inside and outside of `jax.jit`


class Started(NamedTuple):
    """A block whose computation has started.

    Attributes:
        parameters: its points, one row each.
        results: arrays that are being computed, or the error of a program that failed immediately.
    """

    parameters: dict[str, np.ndarray]
    results: dict[str, jax.Array] | Failure


class Machine:
    """Devices of one or more hosts that share a sweep.

    Attributes:
        processes: number of hosts (processes).
        process: index of this process.
        rows: number of points that one process computes at a time, including padding.
        failures: points at which the function raised, and its message; their results are NaN.
    """

    def __init__(self, fn: Callable, block_points: int, devices: Sequence[Any] | None):
        chosen = sorted(jax.devices() if devices is None else devices, key=lambda d: (d.process_index, d.id))
        if not chosen:
            raise ValueError("devices = []: must name at least one device")
        owners = [device.process_index for device in chosen]
        counts = {owner: owners.count(owner) for owner in sorted(set(owners))}
        if len(set(counts.values())) > 1:
            raise ValueError(f"devices: every process must bring equally many, not {counts} (process: devices)")
        if jax.process_index() not in counts:
            raise ValueError(f"devices: none belongs to this process ({jax.process_index()})")
        self.failures: dict[str, str] = {}
        self._points = block_points
        self.processes = len(counts)
        self.process = list(counts).index(jax.process_index())
        per_process = len(chosen) // self.processes
        rows = -(-block_points // per_process)  # of one device
        in_lanes = _in_lanes(rows, chosen)
        self.rows = per_process * (-(-rows // LANES) * LANES if in_lanes else rows)
        mesh = Mesh(np.array(chosen), (AXIS,))
        self._sharding = NamedSharding(mesh, PartitionSpec(AXIS))
        mapped = _mapped(lambda point: as_results(fn(**point)), in_lanes)
        self._compiled = jax.jit(_sharded(mapped, mesh, PartitionSpec(AXIS)))

    def start(self, parameters: dict[str, np.ndarray]) -> Started:
        """Starts the computation of this process's rows; every process must call it the same number of times."""
        batch = {
            name: jax.make_array_from_process_local_data(self._sharding, rows) for name, rows in parameters.items()
        }
        with without_log():
            try:
                return Started(parameters, self._compiled(batch))
            except (RuntimeError, ValueError) as error:
                return Started(parameters, error)

    def collect(self, started: Started) -> dict[str, np.ndarray]:
        """Waits for this process's rows and returns them; NaN at points where the function raised.

        Raises:
            RuntimeError: the function raised, and there are several processes, or a result is not a float.
        """
        found = self._waited(started)
        if not isinstance(found, Failure):
            return found
        if self.processes > 1 or RAISED.search(str(found)) is None:
            raise found
        return self._without_bad_rows(started.parameters, found)

    def _waited(self, started: Started) -> dict[str, np.ndarray] | Failure:
        if isinstance(started.results, Failure):
            return started.results
        out = {}
        try:
            with without_log():
                jax.block_until_ready(started.results)
            for name, values in started.results.items():
                shards = sorted(values.addressable_shards, key=lambda shard: shard.index[0].start or 0)
                out[name] = np.concatenate([np.asarray(shard.data) for shard in shards])
        except (RuntimeError, ValueError) as error:
            return error
        return out

    def _without_bad_rows(self, parameters: dict[str, np.ndarray], error: Failure) -> dict[str, np.ndarray]:
        """Results of a batch that raised: it is bisected with the same program until the failing rows are isolated."""
        shapes = jax.eval_shape(self._compiled, parameters)
        if not all(jnp.issubdtype(shape.dtype, jnp.inexact) for shape in shapes.values()):
            raise error  # integers cannot be NaN
        out = {name: np.full(shape.shape, np.nan, shape.dtype) for name, shape in shapes.items()}
        bad: dict[int, Failure] = {}
        failing = [(np.arange(self._points), error)]
        while failing:
            rows, raised = failing.pop()
            if len(rows) == 1:
                bad[int(rows[0])] = raised
                continue
            for half in np.array_split(rows, 2):
                again = np.resize(half, self.rows)  # padded by repetition: the program has a fixed number of rows
                found = self._waited(self.start({name: values[again] for name, values in parameters.items()}))
                if isinstance(found, Failure):
                    failing.append((half, found))
                    continue
                for name, values in found.items():
                    out[name][half] = values[: len(half)]
        for row, raised in bad.items():
            where = ", ".join(f"{name} = {np.asarray(values[row]).tolist()}" for name, values in parameters.items())
            said = RAISED.search(str(raised))
            self.failures[where] = said.group(1) if said else str(raised)
        return out

    def agree(self, blocks: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The first process's list of blocks, on every process."""
        if self.processes == 1 or not blocks:
            return blocks
        agreed = np.asarray(multihost_utils.broadcast_one_to_all(np.array(blocks)))
        return [tuple(int(k) for k in index) for index in agreed]

    def wait_for_all(self, name: str) -> None:
        """Barrier: returns when every process has reached it."""
        if self.processes > 1:
            multihost_utils.sync_global_devices(name)


def over_devices(fn: Callable[[Any, Any], Any], shared: Any, batch: Any, devices: Sequence[Any] | None = None) -> Any:
    """Evaluates fn(shared, row) for every row of a batch on the devices of this process. jit- and grad-safe.

    On CPUs a device takes `LANES` rows at a time, which fit in its cache.

    Args:
        fn: function (shared, row) -> pytree of arrays.
        shared: any pytree, the same for all rows.
        batch: arrays with one row along their first axis.
        devices: JAX devices to use; those of this process when None.
    """
    chosen = list(jax.local_devices() if devices is None else devices)
    count = jax.tree.leaves(batch)[0].shape[0]
    rows = -(-count // len(chosen))
    arrays, rest = eqx.partition(shared, eqx.is_array)
    more = lambda x: jnp.concatenate([x, jnp.repeat(x[-1:], rows * len(chosen) - count, axis=0)])  # noqa: E731
    filled = batch if rows * len(chosen) == count else jax.tree.map(more, batch)

    def part(arrays, batch):
        return _mapped(lambda row: fn(eqx.combine(arrays, rest), row), _in_lanes(rows, chosen))(batch)

    sharded = _sharded(part, Mesh(np.array(chosen), (AXIS,)), (PartitionSpec(), PartitionSpec(AXIS)))
    return jax.tree.map(lambda x: x[:count], sharded(arrays, filled))


def _in_lanes(rows, devices):
    return rows > LANES and all(device.platform == "cpu" for device in devices)


def _mapped(one, in_lanes):
    return (lambda batch: jax.lax.map(one, batch, batch_size=LANES)) if in_lanes else jax.vmap(one)


def _sharded(mapped, mesh, specs):
    return jax.shard_map(mapped, mesh=mesh, in_specs=specs, out_specs=PartitionSpec(AXIS), check_vma=False)


def as_results(value: object) -> dict[str, jax.Array]:
    """Results by name: a mapping is returned unchanged, a single array becomes `value`."""
    named = value if isinstance(value, dict) else {"value": value}
    if not named:
        raise ValueError("the function returned an empty mapping: must return arrays by name, or one array")
    out = {}
    for name, array in named.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"the function returned a result named {name!r}: must be an identifier")
        try:
            out[name] = jnp.asarray(array)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the function returned {name!r} = {array!r}: must be an array") from error
    return out


def trace_point(fn: Callable, points: dict[str, np.ndarray]) -> tuple[Outputs, str]:
    """Names, shapes and types of the function's results at a point, and the digest of its program.

    Args:
        fn: the function of a sweep.
        points: its parameters at one point or more, one row per point.
    """
    try:
        inspect.signature(fn).bind(**points)
    except TypeError as error:
        names = ", ".join(points)
        raise ValueError(f"fn and grid: {error}; fn takes the parameters of the grid by name: {names}") from error
    try:
        traced = jax.jit(lambda point: as_results(fn(**point))).trace({name: rows[0] for name, rows in points.items()})
    except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError) as error:
        raise ValueError(
            "fn could not be traced: it is compiled, so write it with jax.numpy (jnp.sin, jnp.where), not with numpy, "
            f"math, float() or if: {str(error).splitlines()[0]}"
        ) from error
    shapes = traced.out_info
    outputs = {name: (tuple(shape.shape), np.dtype(shape.dtype)) for name, shape in sorted(shapes.items())}
    return outputs, program_digest(traced)
