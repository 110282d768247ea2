"""Values that functions read from outside of their arguments: globals, closures, attributes.

JAX compiles a function of the user once and finds the program again by the identity of the function. A gait that reads
a global `k` would keep the value that `k` had in its first run. A key with `values_read` changes with `k`.
"""

import functools
import types
from typing import Any

import equinox as eqx
import jax
import numpy as np

DEEPEST = 8  # levels of functions and objects that are followed
LARGEST = 1_000_000  # bytes of a NumPy array that is compared by content; a larger one is compared by identity
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_CONSTANT = (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc, np.dtype)


class ValuesRead:
    """Hashable values; equal to those of another time if each is equal, or is the same array or object."""

    def __init__(self, values: tuple):
        self.values = values

    def __hash__(self):
        return hash(self.values)

    def __eq__(self, other):
        return isinstance(other, ValuesRead) and self.values == other.values


class _Same:
    """An object that is equal to itself only."""

    def __init__(self, value: Any):
        self.value = value

    def __hash__(self):
        return id(self.value)

    def __eq__(self, other):
        return isinstance(other, _Same) and self.value is other.value


def values_read(tree: Any) -> ValuesRead | None:
    """The values that the functions in a pytree read now; None if there is no function in it.

    Followed are Python functions with their globals, closures and defaults, partial functions, methods and other
    callable objects with their attributes; other objects that they read count by identity.

    >>> k = 1.0
    >>> gait = lambda X, t: k * X
    >>> before = values_read(gait)
    >>> before == values_read(gait)
    True
    >>> k = 2.0
    >>> before == values_read(gait)
    False

    Args:
        tree: a pytree; functions may be leaves, or static parts of an `equinox.Module`.
    """
    return values_read_by(*jax.tree.flatten(tree))


def values_read_by(leaves: list[Any], structure: Any) -> ValuesRead | None:
    """`values_read` of a pytree that is given by its leaves and its structure."""
    found = [leaf for leaf in leaves if callable(leaf) and not isinstance(leaf, jax.Array | np.ndarray)]
    found += static_functions(structure)
    return ValuesRead(tuple(_value(function, 0, ()) for function in found)) if found else None


@functools.lru_cache(256)
def static_functions(structure: Any) -> list[Any]:
    """Functions and other callable objects among the static parts of a pytree's structure, without classes."""
    data = structure.node_data()
    found = [] if data is None else _callables(data[1])
    for child in structure.children():
        found += static_functions(child)
    return found


def _callables(part):
    if isinstance(part, tuple | list):
        return [found for inner in part for found in _callables(inner)]
    return [part] if callable(part) and not isinstance(part, _CONSTANT) else []


def _value(value: Any, depth: int, above: tuple[int, ...]) -> Any:
    """A hashable stand-in for a value."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value)  # 1, 1.0 and True are equal; NaN is not equal to itself
    if isinstance(value, _CONSTANT):
        return None
    if isinstance(value, jax.Array) or depth > DEEPEST:
        return _Same(value)
    if id(value) in above:
        return above.index(id(value))
    inside = functools.partial(_value, depth=depth + 1, above=(*above, id(value)))
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        large = array.dtype.hasobject or array.nbytes > LARGEST
        return _Same(value) if large else (array.shape, array.dtype.str, array.tobytes())
    if kind in (tuple, list):
        return kind, tuple(map(inside, value))
    if kind is dict:
        return kind, tuple((inside(key), inside(part)) for key, part in value.items())
    if isinstance(value, types.FunctionType):
        cells = [cell for cell in value.__closure__ or () if _filled(cell)]
        read = [value.__globals__[name] for name in _names(value.__code__) if name in value.__globals__]
        parts = (*read, *(cell.cell_contents for cell in cells), value.__defaults__, value.__kwdefaults__)
        return _Same(value.__code__), tuple(map(inside, parts))
    if isinstance(value, types.MethodType):
        return inside(value.__func__), inside(value.__self__)
    if isinstance(value, functools.partial):
        return inside(value.func), inside(value.args), inside(value.keywords)
    wrapped = getattr(value, "__wrapped__", None)
    if wrapped is not None:  # a jitted or cached function
        return _Same(value), inside(wrapped)
    if isinstance(value, eqx.Module) or callable(value):
        return _Same(kind), tuple((name, inside(part)) for name, part in getattr(value, "__dict__", {}).items())
    return _Same(value)


@functools.lru_cache(1024)
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Names that a function, or one defined in it, may look up among its globals."""
    inner = [name for part in code.co_consts if isinstance(part, types.CodeType) for name in _names(part)]
    return tuple(dict.fromkeys((*code.co_names, *inner)))


def _filled(cell):
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
