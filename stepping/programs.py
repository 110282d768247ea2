"""Compiled programs kept between sessions under a name that needs no tracing.

JAX's own cache knows a program by what tracing and lowering make of it, and in a new session these take most of the
time to the first swim. Here the name is that of the function, of all that it is told, and of the code that it may
run: ours as it is loaded now, other packages by their version. What a user has written himself has no such name, and is
traced anew each session. Programs lie in the directory of JAX's cache, and there are none where it is off.
"""

import contextlib
import functools
import hashlib
import inspect
import io
import os
import pickle
import platform
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax.core import Tracer
from jax.experimental import serialize_executable

SHARED = ("spatial", "stepping", "hydro", "gaits")  # what either engine may run, beside itself
OTHERS = ("jax", "jaxlib", "equinox", "diffrax", "optimistix", "lineax", "numpy")
LANGUAGE = ("builtins", "copyreg", "functools")
LOADED = 64  # programs of a function in memory at most


def kept_program(function: Callable) -> Callable:
    """Like `equinox.filter_jit`, but a program that another session has compiled is loaded, not traced.

    Args:
        function: of pytrees, positional; it must not call back to Python.
    """
    jitted = eqx.filter_jit(function)
    programs: dict[bytes, Callable] = {}
    ours = {*SHARED, function.__module__.split(".")[0]}

    @functools.wraps(function)
    def call(*args):
        directory = jax.config.jax_compilation_cache_dir  # pyright: ignore[reportAttributeAccessIssue]
        arrays, rest = eqx.partition(args, eqx.is_array)
        leaves = jax.tree.leaves(arrays)
        if not directory or any(isinstance(leaf, Tracer) for leaf in leaves) or not _on_first_device(leaves):
            return jitted(*args)
        try:
            told = _told(arrays, rest, ours)
        except _Unnamed:
            return jitted(*args)
        if told not in programs:
            own = repr(_content(function)).encode()
            whole = hashlib.sha256(told + own + _surroundings() + _code(ours)).hexdigest()[:40]
            file = Path(directory) / f"{function.__module__}.{function.__qualname__}-{whole}-program"
            if len(programs) == LOADED:
                programs.pop(next(iter(programs)))
            programs[told] = _read(file) or _compiled(function, arrays, rest, file)
        return programs[told](*leaves)

    return call


def _on_first_device(leaves):
    """Whether all is where a program is compiled for."""
    here = {jax.local_devices()[0]}
    elsewhere = jax.config.jax_default_device is not None  # pyright: ignore[reportAttributeAccessIssue]
    return not elsewhere and all(leaf.devices() == here for leaf in leaves)


class _Unnamed(Exception):
    """Something of which another session could not know whether it is the same."""


class _Place(int):
    """Stands in a result for the array of that number."""


def _compiled(function, arrays, rest, file):
    """Compiles a function of flat arrays, and keeps it."""
    structure = jax.tree.structure(arrays)
    skeleton: list[Any] = []

    def flat(*leaves):
        result = function(*eqx.combine(jax.tree.unflatten(structure, leaves), rest))
        found, other = eqx.partition(result, eqx.is_array)
        leaves, shape = jax.tree.flatten(found)
        skeleton[:] = [eqx.combine(jax.tree.unflatten(shape, [_Place(k) for k in range(len(leaves))]), other)]
        return leaves

    flat.__name__ = file.name.replace(".", "_")  # unlike any in JAX's cache: what is read from there cannot be kept
    lowered = jax.jit(flat).lower(*jax.tree.leaves(arrays))
    with _not_in_two_places():
        program = lowered.compile()
    if "callback" not in lowered.as_text():  # one that calls back to Python, such as a progress bar, dies with it
        _write(file, (serialize_executable.serialize(program), skeleton[0]))
    return _calling(program, skeleton[0])


@contextlib.contextmanager
def _not_in_two_places():
    """Keeps JAX's cache from writing what is kept here."""
    option = "jax_persistent_cache_min_compile_time_secs"
    least = getattr(jax.config, option)
    jax.config.update(option, float("inf"))
    try:
        yield
    finally:
        jax.config.update(option, least)


def _calling(program, skeleton):
    def call(*leaves):
        found = program(*leaves)
        return jax.tree.map(lambda leaf: found[leaf] if isinstance(leaf, _Place) else leaf, skeleton)

    return call


def _read(file):
    """The program in a file; None when there is none, or none that can be read any more."""
    try:
        program, skeleton = pickle.loads(file.read_bytes())
        here = jax.local_devices()[:1]
        return _calling(serialize_executable.deserialize_and_load(*program, execution_devices=here), skeleton)
    except Exception:  # a truncated file, another jaxlib: whatever it is, the program is compiled again
        return None


def _write(file, content):
    """Whole or not at all: two sessions may come to it at once."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
            pickle.dump(content, part)
        os.replace(part.name, file)
    except OSError as error:
        print(f"anguilla: a compiled program is not kept: {error}", file=sys.stderr)


def _told(arrays, rest, ours):
    """What distinguishes one program of a function from another: types of arrays, and all that is no array."""
    types = [(x.shape, str(x.dtype)) for x in jax.tree.leaves(arrays)]
    with io.BytesIO() as told:
        namer = _Namer(told)
        namer.known = {*ours, *OTHERS, *LANGUAGE}
        namer.fast = True  # the same bytes for equal things, one object or two
        namer.dump((types, jax.tree.map(lambda _: 0, arrays), rest))
        return told.getvalue()


class _Namer(pickle.Pickler):
    """Writes what a program was told; refuses functions, classes and arrays that are not known by their name."""

    known: set[str]

    def reducer_override(self, obj):
        if isinstance(obj, (type, FunctionType)) and obj.__module__.split(".")[0] not in self.known:
            raise _Unnamed
        if isinstance(obj, np.ndarray | jax.Array) or (isinstance(obj, FunctionType) and "<" in obj.__qualname__):
            raise _Unnamed
        return NotImplemented

    def dump(self, obj):
        try:
            super().dump(obj)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise _Unnamed from error


@functools.cache
def _surroundings():
    """Versions, the processor, and what the compiler and JAX are told from outside."""
    processor = Path("/proc/cpuinfo")
    lines = processor.read_text().splitlines() if processor.exists() else []
    features = next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())
    variables = {k: v for k, v in os.environ.items() if k.startswith(("JAX_", "XLA_")) and "CACHE" not in k}
    versions = [(name, version(name)) for name in OTHERS]
    return repr((sys.version, platform.machine(), features, sorted(variables.items()), versions)).encode()


def _code(ours):
    """Our files, and all in them as it is now, edited or replaced since it was loaded; and JAX's options."""
    options = {k: v for k, v in jax.config.values.items() if "cache" not in k}  # pyright: ignore
    digest = hashlib.sha256(repr(sorted(options.items())).encode())
    for name in sorted(name for name in sys.modules if name.split(".")[0] in ours):
        file = Path(getattr(sys.modules[name], "__file__", None) or "")
        digest.update(file.read_bytes() if file.is_file() else b"")
        for key, value in sorted(vars(sys.modules[name]).items()):
            home = getattr(value, "__module__", None)
            if home != name and str(home).split(".")[0] in {*ours, *OTHERS, *LANGUAGE}:
                content = home, getattr(value, "__qualname__", None)  # its code is known there
            elif isinstance(value, type):
                content = [(k, _content(v)) for k, v in vars(value).items() if k != "__slotnames__"]  # pickle adds that
            else:
                content = _content(value)
            digest.update(repr((name, key, content)).encode())
    return digest.digest()


def _content(value):
    """Of a function its code, of a constant its value, of anything else its kind: the same text in every session."""
    inner = inspect.unwrap(getattr(value, "fget", value)) if callable(value) or hasattr(value, "fget") else value
    code = getattr(inner, "__code__", inner)
    if isinstance(code, CodeType):
        return code.co_code, code.co_names, code.co_varnames, [_content(part) for part in code.co_consts]
    if isinstance(code, (tuple, list)):
        return [_content(part) for part in code]
    if isinstance(code, (set, frozenset, dict)):
        return sorted(repr(_content(part)) for part in (code.items() if isinstance(code, dict) else code))
    if isinstance(code, np.ndarray):
        return code.shape, code.tobytes()
    return code if isinstance(code, (bool, int, float, complex, str, bytes, type(None))) else type(code).__name__
