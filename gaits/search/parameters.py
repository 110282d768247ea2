"""Free parameters of a gait, a body or both: names, bounds, scales."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


class Parameters:
    """Selected float leaves of a pytree as one vector of scaled numbers of order one.

    A leaf is named by its path, such as `bending3.laws[1].wavelength`; any unambiguous end of the path
    (`wavelength`) is accepted, and one element of an array is named by its index (`amplitude[0]`).

    Attributes:
        names: one name per number.
        low: lower bounds, in the units of the leaves.
        high: upper bounds.
        scale: change of each parameter that corresponds to a change of one in the vector.
        start: values in the given tree.
    """

    def __init__(self, tree: Any, bounds: Mapping[str, Sequence[Any]]):
        """Selects leaves and checks that the tree lies within the bounds.

        Args:
            tree: a gait, a beam, a tuple of both: any pytree.
            bounds: (low, high) or (low, high, scale) for each name; the default scale is high - low.
        """
        if not isinstance(bounds, Mapping) or not bounds:
            raise ValueError(f"parameters = {bounds!r}: must be a mapping of at least one name -> (low, high)")
        self._leaves, self._structure = jax.tree.flatten(tree)
        available = float_leaves(tree)
        self._places: list[tuple[int, tuple[int, ...]]] = []
        self.names: list[str] = []
        rows = []
        for name, given in bounds.items():
            leaf, index = _resolve(name, available)
            shape = np.shape(self._leaves[leaf])
            entries = [index] if index is not None else list(np.ndindex(shape))
            low, high, scale = _bounds(name, given, shape if index is None else ())
            for entry in entries:
                if (leaf, entry) in self._places:
                    raise ValueError(f"parameters: {name!r} is chosen twice")
                self._places.append((leaf, entry))
                self.names.append(name if index is not None or not shape else f"{name}[{','.join(map(str, entry))}]")
                rows.append([array[entry if index is None else ()] for array in (low, high, scale)])
        self.low, self.high, self.scale = np.array(rows, dtype=float).T
        self._shift = np.where(np.isfinite(self.low), self.low, 0.0)
        self.start = self.values(tree)
        self._refuse_outside(self.start)

    def values(self, tree: Any) -> np.ndarray:
        """The selected parameters of a tree, in their own units."""
        leaves = jax.tree.leaves(tree)
        return np.array([float(np.asarray(leaves[leaf])[entry]) for leaf, entry in self._places])

    def to_vector(self, values: np.ndarray) -> np.ndarray:
        """Converts parameters in their own units to the scaled vector."""
        return (np.asarray(values) - self._shift) / self.scale

    def from_vector(self, x: np.ndarray) -> np.ndarray:
        """Converts the scaled vector to parameters in their own units, clipped to the bounds."""
        return np.clip(self._shift + self.scale * np.asarray(x), self.low, self.high)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of the scaled vector."""
        return self.to_vector(self.low), self.to_vector(self.high)

    def tree(self, x: Float[Array, "n"]) -> Any:
        """The pytree with the selected parameters taken from a scaled vector; traceable."""
        values = jnp.asarray(self._shift) + jnp.asarray(self.scale) * x
        leaves = list(self._leaves)
        for k, (leaf, entry) in enumerate(self._places):
            leaves[leaf] = jnp.asarray(leaves[leaf], float).at[entry].set(values[k])
        return jax.tree.unflatten(self._structure, leaves)

    def _refuse_outside(self, values: np.ndarray) -> None:
        for name, value, low, high in zip(self.names, values, self.low, self.high, strict=True):
            if not low <= value <= high:
                raise ValueError(f"infeasible start: {name} = {value:g}: must lie between {low:g} and {high:g}")


def float_leaves(tree: Any) -> dict[str, int]:
    """Names of the real-valued leaves and their positions among all leaves."""
    paths = jax.tree_util.tree_flatten_with_path(tree)[0]
    named = {}
    for place, (path, leaf) in enumerate(paths):
        if eqx.is_inexact_array_like(leaf):
            named[jax.tree_util.keystr(path).lstrip(".")] = place
    return named


def _resolve(name: Any, available: Mapping[str, int]) -> tuple[int, tuple[int, ...] | None]:
    """Position of a leaf, and the index of one of its elements, or None for the whole leaf."""
    fits = [path for path in available if _ends_with(path, str(name))]
    if len(fits) == 1:
        return available[fits[0]], None
    element = re.fullmatch(r"(.*[^\]])\[(\d+(?:,\d+)*)\]", str(name))
    if not fits and element is not None:
        place, none = _resolve(element[1], available)
        assert none is None
        return place, tuple(map(int, element[2].split(",")))
    if fits:
        raise ValueError(f"parameters: {name!r} is ambiguous: {', '.join(fits)}: give more of the path")
    raise ValueError(f"parameters: unknown parameter {name!r}; available: {', '.join(available)}")


def _ends_with(path: str, end: str) -> bool:
    ends = ("." + end, f"['{end}']", *([end] if end.startswith("[") else []))  # an attribute, a key, or an index
    return path == end or path.endswith(ends)


def _bounds(name: str, given: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        low, high, *more = (np.broadcast_to(np.asarray(part, dtype=float), shape) for part in given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"parameters[{name!r}] = {given!r}: must be (low, high) or (low, high, scale)") from error
    if len(more) > 1 or np.isnan(low).any() or np.isnan(high).any() or not (low < high).all():
        raise ValueError(f"parameters[{name!r}] = {given!r}: must be (low, high) or (low, high, scale), low < high")
    if more:
        scale = more[0]
    elif np.isfinite(high - low).all():
        scale = np.asarray(high - low)
    else:
        raise ValueError(f"parameters[{name!r}] = {given!r}: an unbounded parameter needs a scale: (low, high, scale)")
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise ValueError(f"parameters[{name!r}]: scale = {scale.tolist()}: must be finite and positive")
    return low, high, scale


def spread(low: np.ndarray, high: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Points that cover a box evenly (Sobol sequence)."""
    from scipy.stats import qmc

    if not np.isfinite(high - low).all():
        raise ValueError("starts: more than one start needs bounds on every parameter")
    sampler = qmc.Sobol(len(low), rng=seed)
    return low + (high - low) * sampler.random_base2(math.ceil(math.log2(max(count, 1))))[:count]
