"""Fingerprints of Python objects: equal in two sessions only if the objects compute the same.

The fingerprint of a function covers its code, defaults, closure and the names it looks up; that of an object covers its
class and state. Objects of our own packages are fingerprinted by content, those of dependencies by name and version.
Anything else, such as a function written by a user, has no fingerprint, because its dependencies are unknown.
"""

import enum
import functools
import hashlib
import re
import struct
import sys
import types
import typing
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax.core import Tracer

# Immutable functions: a reference that keeps their ids valid, their digest, and their packages.
_unchanging: dict[tuple[int, ...], tuple[Any, bytes, frozenset[str]]] = {}


class Unnamed(Exception):
    """Raised for an object that has no fingerprint."""


_SCALARS = (type(None), bool, int, str, bytes, complex, type(Ellipsis), type(NotImplemented))
_FIXED = (types.CodeType, type, float, *_SCALARS)
_ANNOTATIONS = (types.GenericAlias, types.UnionType, typing.TypeVar, typing.ForwardRef, typing.ParamSpec)
_DESCRIPTORS = (
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.MethodWrapperType,
)
# The options of `jax.jit` and `eqx.filter_jit` need no digest of their own, because they are part of our sources.
_WRAPPERS = (type(jax.jit(lambda: None)), type(eqx.filter_jit(lambda: None)), functools._lru_cache_wrapper)
# Classes of the interpreter and of JAX that cannot be looked up by their names.
_NAMELESS = {jax.Array, *(value for value in vars(types).values() if isinstance(value, type))}
_UNUSED = {  # attributes of modules and classes on which no result depends
    *("__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__path__", "__spec__", "__warningregistry__"),
    *("__annotations__", "__abstractmethods__", "__dict__", "__weakref__", "__slotnames__", "__firstlineno__"),
    *("__dataclass_fields__", "__dataclass_params__", "__match_args__"),  # all in the methods made from them
    *("_jit_info", "__static_attributes__", "__annotate__", "__annotate_func__", "__annotations_cache__", "_abc_impl"),
}


class Fingerprint:
    """Computes digests of objects, by content for our packages and by version for others.

    Args:
        ours: packages whose modules are digested by content (see `modules`).
        known: packages that are named by version elsewhere; the standard library always is.

    Attributes:
        met: our packages to which the objects digested so far belong; for "anguilla", the subpackages.
    """

    def __init__(self, ours: Iterable[str], known: Iterable[str]):
        self._ours = frozenset(ours)
        self._known = frozenset(known) | sys.stdlib_module_names | {"builtins", "__future__"}
        self.met: set[str] = set()

    def of(self, value: Any) -> bytes:
        """The digest of an object.

        Raises:
            Unnamed: the object, or something it refers to, has no fingerprint.
        """
        return self._digest(value, ())

    def modules(self, packages: Iterable[str], seen: dict[Any, bytes] | None = None) -> bytes:
        """The digest of the current content of all loaded modules of some of our packages.

        Args:
            packages: names such as "hydro", or of subpackages such as "anguilla.ground".
            seen: known digests by module name; those computed here are added.
        """
        digest = hashlib.sha256()
        chosen, seen = tuple(packages), {} if seen is None else seen
        for name in sorted(sys.modules):
            if any(name == part or name.startswith(part + ".") for part in chosen):
                if name not in seen:
                    seen[name] = self._names(vars(sys.modules[name]), name, ())
                digest.update(name.encode() + b"\0" + seen[name])
        return digest.digest()

    def _names(self, names: dict[str, Any], home: str, above: tuple[int, ...]) -> bytes:
        """Digest of a namespace: definitions of the module `home` by content, imported objects by name."""
        parts = []
        for key in sorted(names):
            if key in _UNUSED:
                continue
            value = names[key]
            if isinstance(value, type) and value.__module__ == home and _resolves(value):
                content = self._class_content(value, above)
            elif isinstance(value, types.FunctionType) and value.__module__ == home:
                content = self._function_content(value, above)
            else:
                content = self._digest(value, above)
            parts += [key.encode(), content]
        return _join("names", *parts)

    def _digest(self, value: Any, above: tuple[int, ...]) -> bytes:
        """Dispatches on the type of a value; `above` holds the ids of the enclosing objects."""
        if isinstance(value, enum.Enum):
            return _join("enum", self._digest(type(value), above), value.name.encode())
        if type(value) in _SCALARS:
            return _join(type(value).__name__, repr(value).encode())
        if type(value) is float:
            return _join("float", struct.pack("<d", value))
        if isinstance(value, Tracer):
            raise Unnamed("a traced value")
        if id(value) in above:
            return _join("cycle", str(len(above) - above.index(id(value))).encode())
        above = (*above, id(value))
        if isinstance(value, type):
            return self._class_name(value)
        if isinstance(value, types.ModuleType):
            return self._module_name(value.__name__)
        if isinstance(value, types.FunctionType):
            return self._function(value, above)
        if isinstance(value, types.CodeType):
            return self._code(value, above)
        if isinstance(value, types.BuiltinFunctionType):
            owner = value.__self__ if not isinstance(value.__self__, types.ModuleType | None) else value.__module__
            return _join("builtin", self._digest(owner, above), value.__qualname__.encode())
        if isinstance(value, types.MethodType):
            return _join("method", self._digest(value.__func__, above), self._digest(value.__self__, above))
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            array = np.asarray(value)
            if array.dtype.hasobject:
                raise Unnamed("an array of objects")
            return _join("array", repr((array.shape, array.dtype.str)).encode(), array.tobytes())
        if type(value) in (tuple, list):
            return _join(type(value).__name__, *(self._digest(part, above) for part in value))
        if type(value) in (set, frozenset):
            return _join(type(value).__name__, *sorted(self._digest(part, above) for part in value))
        if type(value) in (dict, types.MappingProxyType):
            return _join("dict", *(self._digest(part, above) for item in value.items() for part in item))
        if isinstance(value, slice | range):
            return _join(type(value).__name__, repr(value).encode())
        return self._other(value, above)

    def _other(self, value: Any, above: tuple[int, ...]) -> bytes:
        """Digest of wrapped functions, objects of the standard library, and other objects by class and state."""
        kind = type(value)
        if isinstance(value, functools.partial):
            return self._object("partial", kind, (value.func, value.args, value.keywords), above)
        if isinstance(value, property):
            return self._object("property", kind, (value.fget, value.fset), above)
        if isinstance(value, staticmethod | classmethod):
            return self._object("static", kind, value.__func__, above)
        if isinstance(value, _ANNOTATIONS) or kind.__module__ in ("typing", "jaxtyping"):
            return _join("annotation", repr(value).encode())
        if isinstance(value, _DESCRIPTORS):
            return _join("descriptor", value.__qualname__.encode())
        if isinstance(value, np.dtype | np.ufunc | PurePath | re.Pattern):
            return _join(kind.__name__, repr(value).encode())
        if isinstance(value, BaseException | types.GeneratorType | types.CoroutineType):
            raise Unnamed(f"a {kind.__name__}")
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None and kind in _WRAPPERS:
            return self._object("wrapper", kind, wrapped, above)
        slots = [name for base in kind.__mro__ for name in _slots(base)]
        if not hasattr(value, "__dict__") and not slots and kind is not object:
            raise Unnamed(f"a {kind.__module__}.{kind.__qualname__}")
        state = {**getattr(value, "__dict__", {}), **{name: getattr(value, name, None) for name in slots}}
        if isinstance(value, tuple | list | dict | str | bytes | int | float | complex):
            base: Any = next(b for b in (tuple, list, dict, str, bytes, int, float, complex) if isinstance(value, b))
            state[""] = base(value)  # a NamedTuple, a subclass of dict
        return self._object("object", kind, {key: state[key] for key in sorted(state)}, above)

    def _object(self, tag: str, kind: type, state: Any, above: tuple[int, ...]) -> bytes:
        return _join(tag, self._class_name(kind), self._digest(state, above))

    def _class_name(self, cls: type) -> bytes:
        """Digest of a class by its importable name; the digest of its module, or a version, covers its content."""
        if cls.__module__.split(".")[0] == "jaxtyping":
            return _join("annotation", repr(cls).encode())
        if cls not in _NAMELESS and not _resolves(cls):
            raise Unnamed(f"class {cls.__module__}.{cls.__qualname__}")
        return _join("class", self._module_name(cls.__module__), cls.__qualname__.encode())

    def _class_content(self, cls: type, above: tuple[int, ...]) -> bytes:
        bases = [self._class_name(base) for base in cls.__bases__]
        return _join("class body", *bases, self._names(dict(vars(cls)), cls.__module__, (*above, id(cls))))

    def _module_name(self, name: str) -> bytes:
        first, *others = name.split(".")
        if first in self._ours:
            self.met.add(".".join([first, *others[:1]]) if first == "anguilla" else first)
        elif first not in self._known:
            raise Unnamed(f"module {name}")
        return _join("module", name.encode())

    def _function(self, function: types.FunctionType, above: tuple[int, ...]) -> bytes:
        """Digest of a function by its importable name if it has one, otherwise by its content."""
        if _resolves(function) and _is_home(function):
            return _join("function", self._module_name(function.__module__), function.__qualname__.encode())
        return self._function_content(function, above)

    def _function_content(self, function: types.FunctionType, above: tuple[int, ...]) -> bytes:
        home = str(function.__globals__.get("__name__"))
        if not home.startswith("namedtuple_"):  # the standard library creates these functions in a separate namespace
            self._module_name(home)
            if vars(sys.modules.get(home, types)) is not function.__globals__:
                raise Unnamed(f"function {function.__qualname__} with globals of its own")
        above = (*above, id(function))
        cells = [_cell(cell) for cell in function.__closure__ or ()]
        held = (function.__code__, *(function.__defaults__ or ()), *cells)
        place = (id(function.__globals__), len(function.__defaults__ or ()), *map(id, held))
        bare = not (function.__kwdefaults__ or function.__dict__)
        fixed = bare and all(isinstance(part, _FIXED) for part in held)
        if fixed and place in _unchanging:
            self.met |= _unchanging[place][2]
            return _unchanging[place][1]
        before, self.met = self.met, set()
        extra = {key: value for key, value in sorted(function.__dict__.items()) if key not in _UNUSED}
        parts = (function.__defaults__, function.__kwdefaults__, cells, extra)
        digest = _join("body", home.encode(), self._code(function.__code__, above), self._digest(parts, above))
        if fixed:
            _unchanging[place] = ((held, function.__globals__), digest, frozenset(self.met))
        self.met |= before
        return digest

    def _code(self, code: types.CodeType, above: tuple[int, ...]) -> bytes:
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        table = getattr(code, "co_exceptiontable", b"")
        consts = [self._digest(part, above) for part in code.co_consts]
        return _join("code", code.co_code, table, repr((names, counts)).encode(), *consts)


class _Empty:
    """Marks an empty closure cell."""


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _Empty


def _slots(cls: type) -> list[str]:
    slots = cls.__dict__.get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _resolves(value: Any) -> bool:
    """Whether looking up the qualified name of a class or function gives the object itself."""
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _is_home(function: types.FunctionType) -> bool:
    """Whether the function was defined in the module that its `__module__` names."""
    return function.__globals__.get("__name__") == function.__module__


def _join(tag: str, *parts: bytes) -> bytes:
    """Digest of a sequence; each part is prefixed by its length, so that different sequences differ."""
    digest = hashlib.sha256(tag.encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()
