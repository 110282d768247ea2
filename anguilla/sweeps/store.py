"""The Zarr store of a sweep: one chunk per block and variable, and a mark for each complete block.

A block's mark is written after its data, so that an incomplete block is never taken for a complete one. All content is
verified: every chunk has a checksum that Zarr verifies on reading, the mark is a digest of the block's values, and the
seal is a digest of everything that is written once (metadata and coordinates).
"""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr
import zarr.storage
from zarr.codecs import Crc32cCodec, ZstdCodec

from anguilla.whole_files import write_whole

from .grid import Grid

KEY = "anguilla_sweep"
DONE = "done"  # in a separate group, which is not part of the dataset
MARKS = "blocks"
SEAL = f"{MARKS}/sha256"
FORMAT = 2
MAKING = {"making": True}
CHECKED = (ZstdCodec(level=3), Crc32cCodec())  # every array is compressed, then given a checksum
DIGEST = 32  # bytes of a mark; all zero if the block is not complete

# variable: (shape, dtype)
Outputs = Mapping[str, tuple[tuple[int, ...], np.dtype]]
# name: (unit, meaning)
Labels = Mapping[str, tuple[str, str]]


class Store:
    """Arrays of a sweep on disk, or in memory if there is no path."""

    def __init__(self, root: zarr.Group, grid: Grid, outputs: Outputs):
        self._root = root
        self._grid = grid
        self._outputs = outputs
        self._marks = _array(root, f"{MARKS}/{DONE}")

    def missing(self) -> list[tuple[int, ...]]:
        """Incomplete blocks, in order."""
        return [index for index, done in zip(np.ndindex(self._grid.blocks), self._done(), strict=True) if not done]

    def complete(self) -> list[tuple[int, ...]]:
        """Complete blocks, in order."""
        return [index for index, done in zip(np.ndindex(self._grid.blocks), self._done(), strict=True) if done]

    def write(self, index: tuple[int, ...], values: Mapping[str, np.ndarray]) -> None:
        """Writes a block, one row per point, then its mark."""
        region, inside = self._grid.region(index), self._grid.inside(index)
        block = {}
        for name in self._outputs:
            rows = values[name][: self._grid.block_points]
            block[name] = rows.reshape(self._grid.block + rows.shape[1:])[inside]
            # A chunk that is entirely NaN is also a result and must be written.
            _array(self._root, name).with_config({"write_empty_chunks": True})[region] = block[name]
        self._marks[index] = _digest(index, block)

    def read(self, index: tuple[int, ...]) -> dict[str, np.ndarray]:
        """A complete block as written, in the shape of its part of the grid.

        Raises:
            ValueError: it differs from what was written.
        """
        region, mark = self._grid.region(index), mark_file(self._root, index)
        again = f"delete {mark} and call the sweep again to recompute the block"
        try:
            block = {name: np.asarray(_array(self._root, name)[region]) for name in self._outputs}
            whole = (self._marks[index] == _digest(index, block)).all()
        except (ValueError, RuntimeError, OSError) as error:
            raise ValueError(f"store: block {index} is damaged ({error}); nothing was changed: {again}") from error
        if not whole:
            raise ValueError(f"store: block {index} is not what was written; nothing was changed: {again}")
        return block

    def _done(self) -> np.ndarray:
        return read_marks(self._root).ravel()


def read_marks(root: zarr.Group) -> np.ndarray:
    """Mask of the complete blocks."""
    try:
        return (np.asarray(_array(root, f"{MARKS}/{DONE}")[...]) != 0).any(-1)
    except (ValueError, RuntimeError, OSError) as error:
        raise ValueError(f"store {root.store_path}: a mark of a complete block is damaged ({error})") from error


def mark_file(root: zarr.Group, index: tuple[int, ...]) -> str:
    """Path of the mark of a block."""
    key = _array(root, f"{MARKS}/{DONE}").metadata.encode_chunk_key((*index, 0))
    return f"{root.store_path}/{MARKS}/{DONE}/{key}".removeprefix("file://")


def refuse_incomplete(root: zarr.Group, path: Path) -> None:
    """Rejects a store that lacks a chunk of a complete block: Zarr would read it as NaN."""
    done = np.argwhere(read_marks(root))
    for name, array in root.arrays():
        if name not in root.attrs[KEY]["outputs"]:  # pyright: ignore
            continue
        tail = (0,) * (array.ndim - done.shape[1])
        for index in done.tolist():
            file = path / name / array.metadata.encode_chunk_key((*index, *tail))
            if not file.is_file():
                raise ValueError(
                    f"store {path}: {file} is missing, of a block that was complete; nothing was changed: delete "
                    f"{mark_file(root, tuple(index))} and call the sweep again to recompute the block"
                )


def _digest(index: tuple[int, ...], block: Mapping[str, np.ndarray]) -> np.ndarray:
    """Digest of a block's position and exact values; never all zero."""
    digest = hashlib.sha256(repr(index).encode())
    for name, values in block.items():
        digest.update(f"{name}{values.shape}{values.dtype.str}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return np.frombuffer(digest.digest(), np.uint8)


def is_sweep(path: Path) -> bool:
    """Whether the directory contains a sweep."""
    return _description(path) not in (None, MAKING) and not is_half_made(path)


def is_half_made(path: Path) -> bool:
    """Whether a sweep was interrupted while creating its store: it contains no result."""
    found = _description(path)
    return found == MAKING or (found is not None and not (path / SEAL).exists() and not _has_marks(path))


def _has_marks(path: Path) -> bool:
    return any(file.name != "zarr.json" for file in (path / MARKS / DONE).rglob("*") if file.is_file())


def _description(path: Path) -> Any:
    file = path / "zarr.json"
    if not file.is_file():
        return None
    try:
        attributes = json.loads(file.read_bytes()).get("attributes", {})
        return attributes.get(KEY)
    except (ValueError, AttributeError) as error:
        raise ValueError(f"store {path}: zarr.json is damaged ({error}); nothing was changed") from error


def create(
    path: Path | None,
    grid: Grid,
    outputs: Outputs,
    labels: Labels,
    dims: Mapping[str, tuple[str, ...]],
    title: str,
    identity: Mapping[str, Any],
    provenance: Mapping[str, str],
) -> zarr.Group:
    """Creates an empty store if there is none, or only a partial one. Its description and its seal are written last."""
    place = zarr.storage.MemoryStore() if path is None else path
    root = zarr.create_group(place, overwrite=path is not None, attributes={KEY: MAKING})
    names = tuple(axis.name for axis in grid.axes)
    for axis in grid.axes:
        for name, values in axis.parameters.items():
            own = (axis.name,) + tuple(f"{name}_{k}" for k in range(1, values.ndim))
            array = root.create_array(name, data=values, dimension_names=own, compressors=CHECKED)
            array.attrs.update(_attributes(labels, name))
        if axis.name not in axis.parameters:
            root.create_array(axis.name, data=np.arange(axis.size), dimension_names=(axis.name,), compressors=CHECKED)
    for name, (shape, dtype) in outputs.items():
        array = root.create_array(
            name,
            shape=grid.shape + shape,
            chunks=grid.block + tuple(max(1, size) for size in shape),
            dtype=dtype,
            fill_value=math.nan if dtype.kind in "fc" else 0,
            dimension_names=names + dims[name],
            compressors=CHECKED,
        )
        array.attrs.update(_attributes(labels, name))
    root.create_group(MARKS).create_array(
        DONE,
        shape=(*grid.blocks, DIGEST),
        chunks=(*(1,) * len(grid.blocks), DIGEST),
        dtype=np.uint8,
        fill_value=0,
        compressors=CHECKED,
    )
    coordinates = [name for axis in grid.axes for name in axis.parameters if name != axis.name]
    root.attrs.update({"title": f"anguilla: {title}", "coordinates": " ".join(coordinates), **provenance})
    root.attrs[KEY] = describe(grid, outputs, identity)
    if path is not None:
        write_whole(path / SEAL, _sealed(path, outputs).encode() + b"\n")
    return root


def _sealed(path: Path, outputs: Any) -> str:
    """Digest of all files that are written once: metadata and coordinates."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        place = file.relative_to(path)
        changes = place.parts[0] in (*outputs, MARKS) and place.name != "zarr.json"
        if file.is_file() and not changes:
            digest.update(place.as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def verify_seal(path: Path) -> None:
    """Rejects a store whose metadata or coordinates differ from what was written."""
    outputs = _description(path).get("outputs", {})
    seal = path / SEAL
    if not seal.is_file():
        raise ValueError(f"store {path}: its checksum ({SEAL}) is missing, or an older version wrote it")
    if seal.read_bytes() != _sealed(path, outputs).encode() + b"\n":
        raise ValueError(f"store {path}: damaged: metadata or coordinates do not match their checksum ({SEAL})")


def describe(grid: Grid, outputs: Outputs, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that must match for a sweep to be resumed from a store."""
    description = {
        "format": FORMAT,
        "axes": {
            axis.name: {"size": axis.size, "parameters": list(axis.parameters), "sha256": axis.digest}
            for axis in grid.axes
        },
        "block": list(grid.block),
        "outputs": {name: [list(shape), dtype.str] for name, (shape, dtype) in outputs.items()},
        **identity,
    }
    return json.loads(json.dumps(description))


def refuse_another(path: Path, wanted: dict[str, Any]) -> zarr.Group:
    """Opens the store of an earlier run of the same sweep; rejects any other without modifying it."""
    found: Any = _description(path)
    if found.get("format") == wanted["format"]:
        verify_seal(path)
    if found == wanted:
        return zarr.open_group(path, mode="r+")
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
    if found["block"] != wanted["block"]:
        return f"its blocks had {found['block']} points, now {wanted['block']}: give the same chunk"
    for name, number in wanted["versions"].items():
        if found["versions"].get(name) != number:
            return f"{name} was {found['versions'].get(name)}, now {number}"
    return "the function, or a number it uses, was another"


def _attributes(labels: Labels, name: str) -> dict[str, str]:
    unit, meaning = labels.get(name, ("", ""))
    return ({"units": unit} if unit else {}) | {"long_name": meaning or name.replace("_", " ")}


def _array(root: zarr.Group, name: str) -> Any:
    return root[name]
