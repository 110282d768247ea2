"""Shape of a function's result, found by tracing."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from .values_read import static_functions, values_read_by

KEPT = 64  # functions whose result is kept


def result_shape(function: Callable, scalars: int) -> Any:
    """Shapes and types of what a function of some scalars returns, like `equinox.filter_eval_shape`.

    The results of the last few functions are kept: tracing a joint law of 40 joints takes 5 ms, as long as a second of
    its motion. Only instances of `equinox.Module` with JAX arrays and numbers are looked up. They count as the same
    if they have the same structure, the same static parts and arrays of the same shapes and types, and if their methods
    read the same values. Anything else, such as a plain function, a module with a function among its static parts or an
    object with a state of its own, is traced each time.

    >>> result_shape(lambda t: jnp.stack([t, 2.0 * t]), 1).shape
    (2,)

    Args:
        function: any callable.
        scalars: number of its arguments.
    """
    leaves, structure = jax.tree.flatten(function)
    if not isinstance(function, eqx.Module) or not all(map(_plain, leaves)):
        return _traced(function, scalars)
    try:
        if not all(isinstance(part, type) for part in static_functions(structure)):
            return _traced(function, scalars)
    except TypeError:  # a static part cannot be hashed
        return _traced(function, scalars)
    read = values_read_by(leaves, structure)
    return _kept(structure, tuple(map(_kind, leaves)), scalars, jnp.result_type(float), read)


# State at module level would be part of the cache key of every compiled program (`anguilla.program_cache`), were it not
# inside a function.
@functools.lru_cache(KEPT)
def _kept(structure, kinds, scalars, _default_type, _read):
    leaves = [jax.ShapeDtypeStruct(*kind) if _Array is tag else kind for tag, kind in kinds]
    return _traced(jax.tree.unflatten(structure, leaves), scalars)


class _Array:
    """Tag of an array's kind in a key; a number's tag is its type."""


def _kind(leaf: Any) -> tuple[type, Any]:
    """Tag and shape of an array; type and value of a number, since 1, 1.0 and True are equal."""
    if isinstance(leaf, jax.Array):
        return _Array, (leaf.shape, leaf.dtype)
    return type(leaf), leaf


def _plain(leaf: Any) -> bool:
    """Whether a leaf is an array or a number."""
    return isinstance(leaf, jax.Array | int | float | complex)


def _traced(function: Any, scalars: int) -> Any:
    return eqx.filter_eval_shape(function, *(jnp.zeros(()),) * scalars)
