"""Values that functions read from outside of their arguments: globals, closures, attributes.

JAX compiles a function of the user once and finds the program again by the identity of the function. A gait that reads
a global `k` would keep the value that `k` had in its first run. A key with `values_read` changes with `k`.
"""

import functools
import sys
import types
from typing import Any

import equinox as eqx
import jax
import numpy as np

DEEPEST = 8  # levels of functions and objects that are followed
LARGEST = 1_000_000  # bytes of a NumPy array that is compared by content; a larger one is compared by identity
OURS = ("spatial", "stepping", "hydro", "gaits", "cosserat", "multibody", "anguilla", "validation")
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_CONSTANT = (types.ModuleType, types.BuiltinFunctionType, np.ufunc, np.dtype)


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

    Followed are functions with the globals, closures, defaults and attributes of modules that they read, partial
    functions, methods, and the objects and classes of a user with their attributes. Installed packages count as
    constant. Other objects count by identity. So do functions compiled by `jax.jit`: JAX itself keeps the values that
    they read.

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
    if not found:
        return None
    seen: dict[int, Any] = {}
    return ValuesRead(tuple(_value(function, 0, seen) for function in found))


@functools.lru_cache(256)
def static_functions(structure: Any) -> list[Any]:
    """Functions and changeable objects among the static parts of a pytree's structure, and the user's classes in it."""
    data = structure.node_data()
    found = [] if data is None else _changeable(data[1])
    if data is not None and not _settled(data[0].__module__):
        found.append(data[0])
    for child in structure.children():
        found += static_functions(child)
    return found


def _changeable(part):
    if isinstance(part, tuple | list):
        return [found for inner in part for found in _changeable(inner)]
    if isinstance(part, (type, *_PLAIN, *_CONSTANT)):
        return []
    return [part] if callable(part) or _has_attributes(part) else []


def _value(value: Any, depth: int, seen: dict[int, Any]) -> Any:
    """A hashable stand-in for a value.

    Args:
        value: any object.
        depth: number of objects through which it was reached.
        seen: number and depth of the objects met before, by id. One met again is given by its number, unless it is
            nearer now: what it holds may have been too deep before.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value)  # 1, 1.0 and True are equal; NaN is not equal to itself
    if isinstance(value, _CONSTANT):
        return None
    if isinstance(value, jax.Array) or depth > DEEPEST:
        return _Same(value)
    if id(value) in seen and seen[id(value)][1] <= depth:
        return seen[id(value)][0]
    seen[id(value)] = len(seen), depth, value  # the reference keeps the id valid
    inside = functools.partial(_value, depth=depth + 1, seen=seen)
    if isinstance(value, type):
        return _Same(value), tuple((name, inside(part)) for name, part in _class_attributes(value))
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        large = array.dtype.hasobject or array.nbytes > LARGEST
        return _Same(value) if large else (array.shape, array.dtype.str, array.tobytes())
    if kind in (tuple, list):
        return kind, tuple(map(inside, value))
    if kind is dict:
        return kind, tuple((inside(key), inside(part)) for key, part in value.items())
    if isinstance(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if _filled(cell)]
        parts = (*_globals_read(value), *cells, value.__defaults__, value.__kwdefaults__)
        return _Same(value.__code__), tuple(map(inside, parts))
    if isinstance(value, types.MethodType):
        return inside(value.__func__), inside(value.__self__)
    if isinstance(value, functools.partial):
        return inside(value.func), inside(value.args), inside(value.keywords)
    if hasattr(value, "__wrapped__") and _settled(kind.__module__):  # compiled by `jax.jit`, or cached
        return _Same(value)
    if isinstance(value, eqx.Module) or callable(value) or _has_attributes(value):
        own = tuple((name, inside(part)) for name, part in getattr(value, "__dict__", {}).items())
        return inside(kind), own
    return _Same(value)


def _globals_read(function: types.FunctionType) -> list[Any]:
    """Globals that a user's function may read, with attributes of the user's own modules."""
    if _settled(function.__module__):
        return []
    names = _names(function.__code__)
    read = [function.__globals__[name] for name in names if name in function.__globals__]
    modules = [vars(part) for part in read if isinstance(part, types.ModuleType) and not _settled(part.__name__)]
    return read + [module[name] for module in modules for name in names if name in module]


def _class_attributes(cls: type) -> list[tuple[str, Any]]:
    """Functions and values in the body of a class and of those that it inherits from, without those of libraries."""
    bodies = [vars(base) for base in cls.__mro__ if not _settled(base.__module__)]
    return [
        (name, getattr(part, "method", None) or getattr(part, "__func__", None) or getattr(part, "fget", None) or part)
        for body in bodies
        for name, part in body.items()
        if name == "__call__" or not name.startswith("__") and name != "_abc_impl"
    ]


def _has_attributes(value: Any) -> bool:
    """Whether attributes may change: of an object of a user's class, a namespace or a dataclass that is not frozen."""
    kind = type(value)
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", True)
    return not _settled(kind.__module__) or isinstance(value, types.SimpleNamespace) or not frozen


@functools.lru_cache(1024)
def _settled(module: str | None) -> bool:
    """Whether a module belongs to an installed package, whose code and values stay the same in a session."""
    if module is None or module == "__main__":  # in a notebook, the file of `__main__` is that of an installed package
        return False
    first = module.split(".")[0]
    if first in sys.stdlib_module_names or first in OURS or first == "builtins":
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


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
