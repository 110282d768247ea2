"""Compiled programs stored under names that need no tracing.

In a new session, tracing and lowering take most of the time to the first swim. The name of a stored program is a digest
of everything that tracing depends on (see `fingerprint` and `surroundings`), so it is known before anything is
traced. A program without a name is compiled in every session.
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

from . import surroundings
from .directory import prune, read_own
from .fingerprint import Fingerprint, Unnamed
from .memory_maps import MemoryMaps

SHARED = ("spatial", "stepping", "hydro", "gaits")  # packages that any program may use
ENGINES = ("cosserat", "multibody")
MAGIC = b"anguilla program 2\n"
LOADED = 64  # maximum number of programs in memory, per function
SUFFIX = ".program"
# What was found in the modules since the last `ProgramCache.unchanged` began; None outside of one.
_seen: ContextVar[dict[Any, bytes] | None] = ContextVar("_seen", default=None)


class ProgramCache:
    """Runs functions through programs of earlier sessions, or compiles and stores them.

    Args:
        directory: a private folder; without one, every session compiles again.
        maps: reports when programs in memory should be released.
    """

    def __init__(self, directory: Path | None, maps: MemoryMaps):
        self._directory = directory
        self._maps = maps
        self._ready: dict[Callable, dict[Any, Callable | Future[Callable]]] = {}
        self._threads = ThreadPoolExecutor(thread_name_prefix="anguilla-compile")

    def ahead(self, function: Callable, args: tuple[Any, ...]) -> None:
        """Begins to find the program of a function in another thread, unless the function has been called before.

        XLA compiles without Python's lock, so that the programs of a first simulation share the cores.

        Args:
            function: function of positional pytrees.
            args: arguments of the types that it will be called with.
        """
        leaves, structure = jax.tree.flatten(args)
        if self._ready.get(function) or self._directory is None or any(isinstance(leaf, Tracer) for leaf in leaves):
            return
        with contextlib.suppress(TypeError, ValueError):  # something that cannot be compared
            place = _place(leaves, structure)
            begun = self._threads.submit(copy_context().run, self._find, function, leaves, structure, args)
            self._ready.setdefault(function, {})[place] = begun

    def __call__(self, function: Callable, jitted: Callable, args: tuple[Any, ...]) -> Any:
        """Calls a function.

        Args:
            function: function of positional pytrees.
            jitted: the same function, compiled by JAX as usual.
            args: its arguments.
        """
        leaves, structure = jax.tree.flatten(args)
        if any(isinstance(leaf, Tracer) for leaf in leaves):
            return jitted(*args)
        arrays = [leaf for leaf in leaves if eqx.is_array(leaf)]
        try:
            place = _place(leaves, structure)
            known = self._ready.setdefault(function, {})
            run = known.get(place)
        except (TypeError, ValueError):  # something that cannot be compared
            return jitted(*args)
        if run is None:
            if self._maps.crowded:
                self._ready.clear()
                self._maps.release()
                known = self._ready.setdefault(function, {})
            elif len(known) >= LOADED:
                known.pop(next(iter(known)))
            run = known[place] = self._find(function, leaves, structure, args)
        elif isinstance(run, Future):
            run = known[place] = run.result()
        return jitted(*args) if run is _AS_USUAL else run(arrays)

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        """Within it the modules are looked through once, by its first program, and again when more are imported."""
        token = _seen.set({}) if _seen.get() is None else None
        try:
            yield
        finally:
            if token is not None:
                _seen.reset(token)

    def _find(self, function: Callable, leaves: list[Any], structure: Any, args: tuple[Any, ...]) -> Callable:
        """The program for arguments like these: loaded, or compiled and stored."""
        if self._directory is None or _debugging() or not _on_first_device(leaves):
            return _AS_USUAL
        try:
            name = program_name(function, leaves, args)
        except (Unnamed, RecursionError):
            return _AS_USUAL
        file = self._directory / f"{function.__module__}.{function.__qualname__}-{name[:40]}{SUFFIX}"
        return _load(file, name) or _compile(function, leaves, structure, file, name)


def program_name(function: Callable, leaves: list[Any], args: tuple[Any, ...]) -> str:
    """The name of the program of a function for arguments like these.

    Raises:
        Unnamed: it depends on something that another session could not recognise.
    """
    loaded = [name for name in (*SHARED, *ENGINES, "anguilla") if name in sys.modules]
    namer = Fingerprint(loaded, surroundings.DEPENDENCIES)
    types = [_kind(leaf) for leaf in leaves if eqx.is_array(leaf)]
    static = jax.tree.map(lambda leaf: jax.Array if eqx.is_array(leaf) else leaf, args)  # of arrays only the types
    description = namer.of(static)
    ours = {*SHARED, function.__module__.split(".")[0], *namer.met}
    if any(name.startswith("anguilla") for name in ours):
        ours |= {*ENGINES} & {*loaded}
    parts = (
        namer.of(function),
        repr(types).encode(),
        description,
        *_around(namer, ours, loaded),
        surroundings.options(),
        surroundings.machine(),
    )
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts)).hexdigest()


def _around(namer: Fingerprint, ours: set[str], loaded: list[str]) -> tuple[bytes, ...]:
    """Digests of our modules as they are now, of their files, and of what others have put into our dependencies."""
    seen = _seen.get()
    seen = {} if seen is None else seen
    guests = "guests", len(sys.modules)
    if guests not in seen:
        seen[guests] = surroundings.guests(loaded)
    files = surroundings.sources({name.split(".")[0] for name in ours})
    return namer.modules(ours, seen), files, seen[guests]


class _Place(int):
    """Stands in a result for the array of that number."""


def _AS_USUAL(*_: Any) -> Any:
    raise AssertionError("stands for a function that JAX compiles as usual")


def _place(leaves: list[Any], structure: Any) -> Any:
    """What distinguishes one program of a function from another, in this session."""
    return structure, tuple(map(_kind, leaves)), surroundings.jax_options()


def _kind(leaf: Any) -> Any:
    """What distinguishes one leaf from another: the type of an array, the exact value of anything else."""
    if eqx.is_array(leaf):
        return leaf.shape, leaf.dtype, bool(getattr(leaf, "weak_type", False)), isinstance(leaf, jax.Array)
    return type(leaf), repr(leaf) if isinstance(leaf, int | float | complex) else leaf


def _debugging() -> bool:
    """Whether JAX is asked to run or check operations one by one."""
    return any(getattr(jax.config, f"jax_{name}", False) for name in ("disable_jit", "debug_nans", "debug_infs"))


def _on_first_device(leaves: list[Any]) -> bool:
    """Whether all is where a program is compiled for."""
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

    flat.__name__ = file.name.replace(".", "_")  # unlike any in JAX's cache: what is read from there is not storable
    lowered = jax.jit(flat).lower(*(leaf for leaf in leaves if eqx.is_array(leaf)))
    with _not_in_two_places:
        program = lowered.compile()
    if "callback" not in lowered.as_text():  # one that calls back to Python ends with this session
        _store(file, name, program, skeleton[0])
    return _calling(program, skeleton[0])


def _store(file: Path, name: str, program: Any, skeleton: Any) -> None:
    try:
        content = pickle.dumps((name, serialize_executable.serialize(program), skeleton))
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, NotImplementedError):
        return  # a result that cannot be written down
    try:
        write_whole(file, MAGIC + hashlib.sha256(content).digest() + content)
        file.chmod(0o600)
        prune(file.parent)
    except OSError as error:
        print(f"anguilla: a compiled program is not stored: {error}", file=sys.stderr)


def _load(file: Path, name: str) -> Callable | None:
    """The program in a file; None when there is none, or not the one that was written there."""
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
    except Exception:  # whatever is wrong with a whole file of our own, the program is compiled again
        return None


def _calling(program: Callable, skeleton: Any) -> Callable:
    leaves, structure = jax.tree.flatten(skeleton)

    def call(arrays):
        found = program(*arrays)
        return jax.tree.unflatten(structure, [found[leaf] if type(leaf) is _Place else leaf for leaf in leaves])

    return call


class _NotInTwoPlaces:
    """Stops JAX's own cache from writing what is stored here, while any thread compiles."""

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


_not_in_two_places = _NotInTwoPlaces()
