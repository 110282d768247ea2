"""Sums along the paths of a tree and over its branches, in time proportional to its size."""

import functools
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .fixed_rows import rows_of

DENSE = 24  # number of nodes up to which one product with a 0/1 matrix is faster
LENGTHS = (12, 6, 4, 2)  # candidate run lengths: long for chains, short for bushy trees, where slots would be empty


@dataclass(frozen=True, eq=False)
class Runs:
    """The nodes of a forest divided into runs of equal length along its paths.

    Sums within all runs are one product with a triangular matrix. Each run continues from a node of another run, its
    hub: hubs are where paths fork, and at the end of each full run. The hubs form a smaller forest, with at most three
    quarters of the nodes, which is divided into runs in turn.

    Attributes:
        length: number of slots of a run.
        slot_node: node in each slot, run by run; -1 after the end of a shorter run.
        node_slot: slot of each node.
        hub_slot: slot of each hub.
        run_hub: hub of each run; -1 for a run that starts at a root.
        hubs: table of the forest of the hubs; None if there are no hubs.
    """

    length: int
    slot_node: np.ndarray
    node_slot: np.ndarray
    hub_slot: np.ndarray
    run_hub: np.ndarray
    hubs: "Runs | np.ndarray | None"


@functools.lru_cache(maxsize=256)
def path_table(parents: tuple[int, ...]) -> Runs | np.ndarray:
    """Table for `path_sums` over a forest; node k has the parent parents[k] < k, or is a root if that is -1."""
    return ancestry(parents) if len(parents) <= DENSE else _runs(parents)


def ancestry(parents: tuple[int, ...]) -> Float[np.ndarray, "nodes nodes"]:
    """Matrix whose entry [i, k] is 1 if node k is node i or one of its ancestors, else 0."""
    matrix = np.eye(len(parents))
    for k, parent in enumerate(parents):
        if parent >= 0:
            matrix[k] += matrix[parent]
    return matrix


def path_sums(table: Runs | np.ndarray, values: Float[Array, "nodes k"]) -> Float[Array, "nodes k"]:
    """For each node, the sum of its value and those of all its ancestors, in the unit of the values."""
    if isinstance(table, np.ndarray):
        return jnp.asarray(table) @ values
    triangle = np.tril(np.ones((table.length, table.length)))
    inside = rows_of(values, table.slot_node).reshape(-1, table.length, values.shape[1])
    inside = jnp.einsum("ij,rjk->rik", triangle, inside)
    if table.hubs is not None:
        at_hubs = path_sums(table.hubs, rows_of(inside.reshape(-1, values.shape[1]), table.hub_slot))
        inside = inside + rows_of(at_hubs, table.run_hub)[:, None, :]
    return rows_of(inside.reshape(-1, values.shape[1]), table.node_slot)


def _runs(parents):
    """Cuts the heavy paths into runs, of the longest candidate length that needs at most 1.5 slots per node."""
    paths = _heavy_paths(parents)
    slots = lambda length: sum(-(-len(path) // length) for path in paths) * length  # noqa: E731
    length = next((n for n in LENGTHS if slots(n) <= 1.5 * len(parents)), LENGTHS[-1])
    runs = [path[k : k + length] for path in paths for k in range(0, len(path), length)]
    slot_node = np.array([run + [-1] * (length - len(run)) for run in runs]).ravel()
    node_slot = np.empty(len(parents), int)
    node_slot[slot_node[slot_node >= 0]] = np.flatnonzero(slot_node >= 0)
    above = [parents[run[0]] for run in runs]
    hubs = sorted({k for k in above if k >= 0})
    index = {-1: -1} | {k: h for h, k in enumerate(hubs)}
    run_hub = np.array([index[k] for k in above])
    hub_parents = tuple(int(run_hub[node_slot[k] // length]) for k in hubs)
    return Runs(
        length=length,
        slot_node=slot_node,
        node_slot=node_slot,
        hub_slot=node_slot[hubs],
        run_hub=run_hub,
        hubs=path_table(hub_parents) if hubs else None,
    )


def _heavy_paths(parents):
    """Paths that continue at each node to the child with the most descendants; they cover every node once."""
    size, heavy = np.ones(len(parents), int), np.full(len(parents), -1)
    for k in range(len(parents) - 1, -1, -1):
        if parents[k] >= 0:
            size[parents[k]] += size[k]
            if heavy[parents[k]] < 0 or size[k] >= size[heavy[parents[k]]]:
                heavy[parents[k]] = k
    paths = []
    for first in (k for k in range(len(parents)) if parents[k] < 0 or heavy[parents[k]] != k):
        path = [first]
        while heavy[path[-1]] >= 0:
            path.append(int(heavy[path[-1]]))
        paths.append(path)
    return paths
