"""Compiled programs stored under cache keys that need no tracing.

In a new session, tracing and lowering take most of the time to the first swim. The key (name) of a stored program is a
digest of everything that tracing depends on (see `fingerprint` and `surroundings`), so it is known before anything is
traced. A program without a key is compiled in every session.
"""

import contextlib
import hashlib
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
from jax.core import Tracer
from jax.experimental import serialize_executable

from anguilla.whole_files import write_whole
from spatial.values_read import values_read_by

from . import surroundings
from .directory import prune, read_own
from .fingerprint import Fingerprint, Unnamed
from .memory_maps import MemoryMaps

SHARED = ("spatial", "stepping", "hydro", "gaits")  # packages that any program may use
ENGINES = ("cosserat", "multibody")
MAGIC = b"anguilla program 2\n"
LOADED = 64  # maximum number of programs in memory, per function
SUFFIX = ".program"
LEVEL = "optimisation_level"  # as in `stepping.programs`, which is not imported here: it would import diffrax
# Digests computed inside the current `ProgramCache.unchanged` context; None outside of one.
_seen: ContextVar[dict[Any, bytes] | None] = ContextVar("_seen", default=None)


class ProgramCache:
    """Runs functions through programs of earlier sessions, or compiles and stores them.

    Args:
        directory: a private folder; without one, every session compiles again.
        maps: reports whether programs in memory should be released.
    """

    def __init__(self, directory: Path | None, maps: MemoryMaps):
        self._directory = directory
        self._maps = maps
        self._ready: dict[Callable, dict[Any, Callable | Future[Callable]]] = {}
        self._threads = ThreadPoolExecutor(thread_name_prefix="anguilla-compile")

    def ahead(self, function: Callable, args: tuple[Any, ...]) -> None:
        """Starts to load or compile a program in another thread, unless the function has been called before.

        XLA compiles without holding Python's global lock, so that several programs are compiled in parallel.

        Args:
            function: function of positional pytrees.
            args: arguments of the types that it will be called with.
        """
        leaves, structure = jax.tree.flatten(args)
        if self._ready.get(function) or self._directory is None or any(isinstance(leaf, Tracer) for leaf in leaves):
            return
        with contextlib.suppress(TypeError, ValueError):  # an argument that cannot be hashed or compared
            key = _session_key(leaves, structure)
            begun = self._threads.submit(copy_context().run, self._find, function, leaves, structure, args)
            self._ready.setdefault(function, {})[key] = begun

    def __call__(self, function: Callable, jitted: Callable, args: tuple[Any, ...]) -> Any:
        """Calls a function.

        Args:
            function: function of positional pytrees.
            jitted: the same function, compiled by JAX as usual.
            args: its arguments.
        """
        leaves, structure = jax.tree.flatten(args)
        arrays = [leaf for leaf in leaves if eqx.is_array(leaf)]
        if any(isinstance(leaf, Tracer) for leaf in arrays):
            return jitted(*args)
        try:
            key = _session_key(leaves, structure)
            known = self._ready.setdefault(function, {})
            run = known.get(key)
        except (TypeError, ValueError):  # an argument that cannot be hashed or compared
            return jitted(*args)
        if run is None:
            if self._maps.crowded:
                self._release()
                known = self._ready.setdefault(function, {})
            elif len(known) >= LOADED:
                known.pop(next(iter(known)))
            run = known[key] = self._find(function, leaves, structure, args)
        elif isinstance(run, Future):
            run = known[key] = run.result()
        return jitted(*args) if run is _COMPILED_BY_JAX else run(arrays)

    def make_room(self, args: Any) -> None:
        """Releases compiled programs if memory maps run low, unless called with traced arguments."""
        if self._maps.crowded and not any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(args)):
            self._release()

    def _release(self) -> None:
        self._ready.clear()
        self._maps.release()

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        """Context in which each module is fingerprinted once; modules imported later are added."""
        token = _seen.set({}) if _seen.get() is None else None
        try:
            yield
        finally:
            if token is not None:
                _seen.reset(token)

    def _find(self, function: Callable, leaves: list[Any], structure: Any, args: tuple[Any, ...]) -> Callable:
        """The program for arguments of these types: loaded, or compiled and stored."""
        if self._directory is None or _debugging() or not _on_first_device(leaves):
            return _COMPILED_BY_JAX
        try:
            name = program_name(function, leaves, args)
        except (Unnamed, RecursionError):
            return _COMPILED_BY_JAX
        file = self._directory / f"{function.__module__}.{function.__qualname__}-{name[:40]}{SUFFIX}"
        return _load(file, name) or _compile(function, leaves, structure, file, name)


def program_name(function: Callable, leaves: list[Any], args: tuple[Any, ...]) -> str:
    """The cache key of the program of a function for arguments of these types.

    Raises:
        Unnamed: it depends on an object without a fingerprint.
    """
    loaded = [name for name in (*SHARED, *ENGINES, "anguilla") if name in sys.modules]
    namer = Fingerprint(loaded, surroundings.DEPENDENCIES)
    types = [_kind(leaf) for leaf in leaves if eqx.is_array(leaf)]
    static = jax.tree.map(lambda leaf: jax.Array if eqx.is_array(leaf) else leaf, args)  # arrays count by type only
    description = namer.of(static)
    ours = {*SHARED, function.__module__.split(".")[0], *namer.met}
    if any(name.startswith("anguilla") for name in ours):
        ours |= {*ENGINES} & {*loaded}
    parts = (
        namer.of(function),
        repr(types).encode(),
        description,
        *_context_digests(namer, ours, loaded),
        surroundings.options(),
        surroundings.machine(),
    )
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts)).hexdigest()


def _context_digests(namer: Fingerprint, ours: set[str], loaded: list[str]) -> tuple[bytes, ...]:
    """Digests of the current content of our modules, of their files, and of foreign functions in our dependencies."""
    seen = _seen.get()
    seen = {} if seen is None else seen
    guests = "guests", len(sys.modules)
    if guests not in seen:
        seen[guests] = surroundings.guests(loaded)
    files = surroundings.sources({name.split(".")[0] for name in ours})
    return namer.modules(ours, seen), files, seen[guests]


class _Place(int):
    """Placeholder for the array of that index in the skeleton of a result."""


def _COMPILED_BY_JAX(*_: Any) -> Any:
    raise AssertionError("stands for a function that JAX compiles as usual")


def _session_key(leaves: list[Any], structure: Any) -> Any:
    """Key of a program of a function within this session."""
    return structure, tuple(map(_kind, leaves)), surroundings.jax_options(), values_read_by(leaves, structure)


def _kind(leaf: Any) -> Any:
    """Key of a leaf: shape and dtype of an array, the exact value of anything else."""
    if isinstance(leaf, jax.Array):
        kind = leaf.aval  # read once: a key of 110 leaves takes 40 µs instead of 120
        return kind.shape, kind.dtype, kind.weak_type, True
    if eqx.is_array(leaf):
        return leaf.shape, leaf.dtype, bool(getattr(leaf, "weak_type", False)), isinstance(leaf, jax.Array)
    return type(leaf), repr(leaf) if isinstance(leaf, int | float | complex) else leaf


def _debugging() -> bool:
    """Whether JAX is configured to run or check operations one by one."""
    return any(getattr(jax.config, f"jax_{name}", False) for name in ("disable_jit", "debug_nans", "debug_infs"))


def _on_first_device(leaves: list[Any]) -> bool:
    """Whether all arrays are on the first device, for which programs are compiled."""
    here = {jax.local_devices()[0]}
    elsewhere = jax.config.jax_default_device is not None  # pyright: ignore[reportAttributeAccessIssue]
    return not elsewhere and all(leaf.devices() == here for leaf in leaves if isinstance(leaf, jax.Array))


def _compile(function: Callable, leaves: list[Any], structure: Any, file: Path, name: str) -> Callable:
    """Compiles a program of flat arrays and stores it."""
    skeleton: list[Any] = []

    def flat(*arrays):
        rest = iter(arrays)
        filled = [next(rest) if eqx.is_array(leaf) else leaf for leaf in leaves]
        result, shape = jax.tree.flatten(function(*jax.tree.unflatten(structure, filled)))
        dynamic = [leaf for leaf in result if eqx.is_array(leaf)]
        places = iter(range(len(dynamic)))
        skeleton[:] = [
            jax.tree.unflatten(shape, [_Place(next(places)) if eqx.is_array(leaf) else leaf for leaf in result])
        ]
        return dynamic

    # A unique name avoids hits in JAX's own cache: programs loaded from there cannot be serialised.
    flat.__name__ = file.name.replace(".", "_")
    lowered = jax.jit(flat).lower(*(leaf for leaf in leaves if eqx.is_array(leaf)))
    with _jax_cache_suspended:
        level = getattr(function, LEVEL, None)
        program = lowered.compile(None if level is None else {"xla_backend_optimization_level": level})
    if "callback" not in lowered.as_text():  # a callback to Python is valid in this session only
        _store(file, name, program, skeleton[0])
    return _calling(program, skeleton[0])


def _store(file: Path, name: str, program: Any, skeleton: Any) -> None:
    try:
        content = pickle.dumps((name, serialize_executable.serialize(program), skeleton))
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, NotImplementedError):
        return  # not serialisable
    try:
        write_whole(file, MAGIC + hashlib.sha256(content).digest() + content)
        file.chmod(0o600)
        prune(file.parent)
    except OSError as error:
        print(f"anguilla: a compiled program is not stored: {error}", file=sys.stderr)


def _load(file: Path, name: str) -> Callable | None:
    """The program in a file; None if the file is missing, damaged or belongs to another program."""
    content = read_own(file)
    if content is None or not content.startswith(MAGIC):
        return None
    start = len(MAGIC) + 32
    if hashlib.sha256(content[start:]).digest() != content[len(MAGIC) : start]:
        return None
    try:
        stored, program, skeleton = pickle.loads(content[start:])
        if stored != name:
            return None
        here = jax.local_devices()[:1]
        return _calling(serialize_executable.deserialize_and_load(*program, execution_devices=here), skeleton)
    except Exception:  # on any error the program is compiled again
        return None


def _calling(program: Callable, skeleton: Any) -> Callable:
    leaves, structure = jax.tree.flatten(skeleton)

    def call(arrays):
        found = program(*arrays)
        return jax.tree.unflatten(structure, [found[leaf] if type(leaf) is _Place else leaf for leaf in leaves])

    return call


class _JaxCacheSuspended:
    """Context that stops JAX's own cache from also writing the programs stored here; safe in several threads."""

    option = "jax_persistent_cache_min_compile_time_secs"

    def __init__(self):
        self._lock, self._within, self._least = threading.Lock(), 0, 0.0

    def __enter__(self):
        with self._lock:
            if self._within == 0:
                self._least = getattr(jax.config, self.option)
                jax.config.update(self.option, float("inf"))
            self._within += 1

    def __exit__(self, *_: Any):
        with self._lock:
            self._within -= 1
            if self._within == 0:
                jax.config.update(self.option, self._least)


_jax_cache_suspended = _JaxCacheSuspended()
