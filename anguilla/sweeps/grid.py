"""The labelled grid of a sweep, divided into blocks of points that are computed and stored together."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Axis:
    """One dimension of the grid.

    Attributes:
        name: label of the axis.
        parameters: the parameters that vary along it, each with the axis first; most axes have one, of the same name.
    """

    name: str
    parameters: dict[str, np.ndarray]

    @property
    def size(self) -> int:
        """Number of points along the axis."""
        return next(iter(self.parameters.values())).shape[0]

    @property
    def digest(self) -> str:
        """Digest of the names and exact values."""
        summary = hashlib.sha256()
        for name, values in self.parameters.items():
            summary.update(f"{name}{values.shape}{values.dtype.str}".encode())
            summary.update(np.ascontiguousarray(values).tobytes())
        return summary.hexdigest()


@dataclass(frozen=True)
class Grid:
    """The product of axes, in blocks.

    Attributes:
        axes: the axes, slowest first.
        block: number of points per block along each axis; blocks at the far edges are truncated.
    """

    axes: tuple[Axis, ...]
    block: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each axis."""
        return tuple(axis.size for axis in self.axes)

    @property
    def points(self) -> int:
        """Total number of points."""
        return math.prod(self.shape)

    @property
    def block_points(self) -> int:
        """Number of points of a full block."""
        return math.prod(self.block)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Number of blocks along each axis."""
        return tuple(-(-size // width) for size, width in zip(self.shape, self.block, strict=True))

    def size(self, index: tuple[int, ...]) -> int:
        """Number of points of a block."""
        return math.prod(s.stop - s.start for s in self.region(index))

    def region(self, index: tuple[int, ...]) -> tuple[slice, ...]:
        """Slices of a block in the grid."""
        return tuple(
            slice(k * width, min((k + 1) * width, size))
            for k, width, size in zip(index, self.block, self.shape, strict=True)
        )

    def inside(self, index: tuple[int, ...]) -> tuple[slice, ...]:
        """The part of a full block that lies in the grid."""
        return tuple(slice(0, s.stop - s.start) for s in self.region(index))

    def parameters(self, index: tuple[int, ...], rows: int) -> dict[str, np.ndarray]:
        """Parameters at the points of a block, one row per point; padded by repetition beyond the edge."""
        local = np.unravel_index(np.minimum(np.arange(rows), self.block_points - 1), self.block)
        out = {}
        for axis, k, width, along in zip(self.axes, index, self.block, local, strict=True):
            rows_of_axis = np.minimum(k * width + along, axis.size - 1)
            out |= {name: values[rows_of_axis] for name, values in axis.parameters.items()}
        return out


def build_grid(grid: Mapping[str, Any], chunk: int) -> Grid:
    """Validates a grid given as a mapping, and divides it into blocks of at most `chunk` points.

    Args:
        grid: values along each axis, or a mapping of parameters that vary together along it.
        chunk: maximum number of points in a block.
    """
    if not isinstance(grid, Mapping) or not grid:
        raise ValueError(f"grid = {grid!r}: must be a mapping of at least one axis, name -> values")
    if not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 1:
        raise ValueError(f"chunk = {chunk!r}: must be a whole number of at least 1")
    axes = tuple(_axis(name, values) for name, values in grid.items())
    names = [name for axis in axes for name in axis.parameters]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"grid: the parameter {twice[0]!r} is on more than one axis")
    return Grid(axes, _block(tuple(axis.size for axis in axes), chunk))


def _axis(name: Any, values: Any) -> Axis:
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"grid: the axis name {name!r} must be an identifier, since the function takes it by name")
    together = values if isinstance(values, Mapping) else {name: values}
    if not together:
        raise ValueError(f"grid[{name!r}] is empty: must name at least one parameter")
    parameters = {
        key: _values(f"grid[{name!r}]" if key == name else f"grid[{name!r}][{key!r}]", value)
        for key, value in together.items()
    }
    sizes = {key: value.shape[0] for key, value in parameters.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"grid[{name!r}]: parameters that move together must be equally long, not {sizes}")
    if not isinstance(values, Mapping) and parameters[name].ndim != 1:
        raise ValueError(f"grid[{name!r}] has shape {parameters[name].shape}: must be a list of numbers")
    for key in parameters:
        if not isinstance(key, str) or not key.isidentifier():
            raise ValueError(f"grid[{name!r}]: the parameter name {key!r} must be an identifier")
    return Axis(name, parameters)


def _values(name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} = {value!r}: must be numbers") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} = {value!r}: must be numbers")
    if array.ndim < 1 or array.shape[0] < 1:
        raise ValueError(f"{name} has shape {array.shape}: must hold at least one value")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name}: must be finite, {np.count_nonzero(~np.isfinite(array))} of its values are not")
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _block(shape: tuple[int, ...], chunk: int) -> tuple[int, ...]:
    """Full rows of the fastest axes first, in equal parts along each axis, to minimise padding."""
    block: list[int] = []
    left = chunk
    for size in reversed(shape):
        width = min(size, max(left, 1))
        width = -(-size // -(-size // width))
        block.append(width)
        left //= width
    return tuple(reversed(block))
