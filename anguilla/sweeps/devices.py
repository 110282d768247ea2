"""Maps a function over the points of a block on every device of every host, with JAX's own sharding.

Each process holds one block at a time. The batch of a round is one array over all hosts; the rows of a process are
its block. `shard_map` lets each device run its rows independently, so that no loop waits for another device.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from stepping.program_identity import program_digest

from .store import Outputs

AXIS = "points"
LANES = 16  # points per core in one vectorised batch: fits its cache, and limits how many points wait for the slowest


class Machine:
    """Devices of one or more hosts that share a sweep.

    Attributes:
        processes: number of hosts (processes).
        process: index of this process.
        rows: number of points that one process computes at a time, including padding.
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
        self.processes = len(counts)
        self.process = list(counts).index(jax.process_index())
        per_process = len(chosen) // self.processes
        rows = -(-block_points // per_process)  # of one device
        in_lanes = rows > LANES and all(device.platform == "cpu" for device in chosen)
        self.rows = per_process * (-(-rows // LANES) * LANES if in_lanes else rows)
        mesh = Mesh(np.array(chosen), (AXIS,))
        self._sharding = NamedSharding(mesh, PartitionSpec(AXIS))
        spec = PartitionSpec(AXIS)
        one = lambda point: as_results(fn(**point))  # noqa: E731
        mapped = (lambda batch: jax.lax.map(one, batch, batch_size=LANES)) if in_lanes else jax.vmap(one)
        self._compiled = jax.jit(jax.shard_map(mapped, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))

    def start(self, parameters: dict[str, np.ndarray]) -> dict[str, jax.Array]:
        """Starts the computation of this process's rows; every process must call it the same number of times."""
        batch = {
            name: jax.make_array_from_process_local_data(self._sharding, rows) for name, rows in parameters.items()
        }
        return self._compiled(batch)

    def collect(self, results: dict[str, jax.Array]) -> dict[str, np.ndarray]:
        """Waits for this process's rows and returns them."""
        out = {}
        for name, values in results.items():
            shards = sorted(values.addressable_shards, key=lambda shard: shard.index[0].start or 0)
            out[name] = np.concatenate([np.asarray(shard.data) for shard in shards])
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
    """Names, shapes and types of what the function returns at a point, and the digest of its program.

    Args:
        fn: the function of a sweep.
        points: its parameters at one point or more, one row a point.
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
