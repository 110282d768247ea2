"""The Zarr store of a sweep: one chunk for each block and variable, and a mark for each block that is complete.

A block's mark is written after its data, so a killed sweep never takes half a block for a whole one.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr
import zarr.storage

from .grid import Grid

KEY = "anguilla_sweep"
DONE = "done"  # in a group of its own, which is no part of the dataset
MARKS = "blocks"
FORMAT = 1
MAKING = {"making": True}

# variable: (shape, dtype)
Outputs = Mapping[str, tuple[tuple[int, ...], np.dtype]]
# name: (unit, meaning)
Labels = Mapping[str, tuple[str, str]]


class Store:
    """A sweep's arrays on disk, or in memory when there is no path."""

    def __init__(self, root: zarr.Group, grid: Grid, outputs: Outputs):
        self._root = root
        self._grid = grid
        self._outputs = outputs
        self._marks = _array(root, f"{MARKS}/{DONE}")

    def missing(self) -> list[tuple[int, ...]]:
        """Blocks that are not complete, in order."""
        return [index for index, done in zip(np.ndindex(self._grid.blocks), self._done(), strict=True) if not done]

    def complete(self) -> list[tuple[int, ...]]:
        """Blocks that are, in order."""
        return [index for index, done in zip(np.ndindex(self._grid.blocks), self._done(), strict=True) if done]

    def write(self, index: tuple[int, ...], values: Mapping[str, np.ndarray]) -> None:
        """Writes a block, one row a point, then marks it."""
        region, inside = self._grid.region(index), self._grid.inside(index)
        for name in self._outputs:
            rows = values[name][: self._grid.block_points]
            _array(self._root, name)[region] = rows.reshape(self._grid.block + rows.shape[1:])[inside]
        self._marks[index] = True

    def read(self, index: tuple[int, ...]) -> dict[str, np.ndarray]:
        """A block as it was written, in the shape of its part of the grid."""
        region = self._grid.region(index)
        return {name: np.asarray(_array(self._root, name)[region]) for name in self._outputs}

    def _done(self) -> np.ndarray:
        return np.asarray(self._marks[...]).ravel()


def is_sweep(path: Path) -> bool:
    """Whether there is a sweep at this place."""
    return _description(path) not in (None, MAKING)


def is_half_made(path: Path) -> bool:
    """Whether a sweep was killed here while it made its store: there is no result in it."""
    return _description(path) == MAKING


def _description(path: Path) -> Any:
    if not (path / "zarr.json").is_file():
        return None
    return zarr.open_group(path, mode="r").attrs.get(KEY)


def create(
    path: Path | None,
    grid: Grid,
    outputs: Outputs,
    labels: Labels,
    dims: Mapping[str, tuple[str, ...]],
    title: str,
) -> zarr.Group:
    """Makes an empty store where there is none, or one that is half made. Its description comes last."""
    place = zarr.storage.MemoryStore() if path is None else path
    root = zarr.create_group(place, overwrite=path is not None, attributes={KEY: MAKING})
    names = tuple(axis.name for axis in grid.axes)
    for axis in grid.axes:
        for name, values in axis.parameters.items():
            own = (axis.name,) + tuple(f"{name}_{k}" for k in range(1, values.ndim))
            array = root.create_array(name, data=values, dimension_names=own)
            array.attrs.update(_attributes(labels, name))
        if axis.name not in axis.parameters:
            root.create_array(axis.name, data=np.arange(axis.size), dimension_names=(axis.name,))
    for name, (shape, dtype) in outputs.items():
        array = root.create_array(
            name,
            shape=grid.shape + shape,
            chunks=grid.block + tuple(max(1, size) for size in shape),
            dtype=dtype,
            fill_value=math.nan if dtype.kind in "fc" else 0,
            dimension_names=names + dims[name],
        )
        array.attrs.update(_attributes(labels, name))
    root.create_group(MARKS).create_array(
        DONE, shape=grid.blocks, chunks=(1,) * len(grid.blocks), dtype=bool, fill_value=False
    )
    coordinates = [name for axis in grid.axes for name in axis.parameters if name != axis.name]
    root.attrs.update({"title": f"anguilla: {title}", "coordinates": " ".join(coordinates)})
    root.attrs[KEY] = describe(grid, outputs)
    return root


def describe(grid: Grid, outputs: Outputs) -> dict[str, Any]:
    """What must be the same for a sweep to go on in a store."""
    description = {
        "format": FORMAT,
        "axes": {
            axis.name: {"size": axis.size, "parameters": list(axis.parameters), "sha256": axis.digest}
            for axis in grid.axes
        },
        "block": list(grid.block),
        "outputs": {name: [list(shape), dtype.str] for name, (shape, dtype) in outputs.items()},
    }
    return json.loads(json.dumps(description))


def refuse_another(path: Path, wanted: dict[str, Any]) -> zarr.Group:
    """Opens the store of an earlier run of the same sweep; refuses any other, and touches nothing."""
    root = zarr.open_group(path, mode="r+")
    found: Any = root.attrs[KEY]
    if found == wanted:
        return root
    raise ValueError(
        f"store {path}: was written by another sweep ({_difference(found, wanted)}); "
        "nothing was changed: give another store, or delete this one yourself"
    )


def _difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    if found.get("format") != wanted["format"]:
        return f"of format {found.get('format')}, this program writes {wanted['format']}"
    if list(found["axes"]) != list(wanted["axes"]):
        return f"its axes are {', '.join(found['axes'])}, now {', '.join(wanted['axes'])}"
    for name, axis in wanted["axes"].items():
        if found["axes"][name] != axis:
            before = found["axes"][name]["size"]
            return (
                f"axis {name!r} had {before} values, now {axis['size']}"
                if before != axis["size"]
                else (f"axis {name!r} had other values or parameters")
            )
    if found["outputs"] != wanted["outputs"]:
        return f"its results were {found['outputs']}, now {wanted['outputs']}"
    return f"its blocks had {found['block']} points, now {wanted['block']}: give the same chunk"


def _attributes(labels: Labels, name: str) -> dict[str, str]:
    unit, meaning = labels.get(name, ("", ""))
    return ({"units": unit} if unit else {}) | {"long_name": meaning or name.replace("_", " ")}


def _array(root: zarr.Group, name: str) -> Any:
    return root[name]
