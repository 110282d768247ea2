"""Compiled programs stored between sessions, so that later sessions start quickly.

Enabled when `anguilla` is imported, in a private folder of the user's cache directory. The environment
variable `ANGUILLA_CACHE` names another folder, or disables the cache (`ANGUILLA_CACHE=off`). The folder can be deleted
at any time. Programs of the engines have their own cache keys (`stored_programs`); all others are stored by JAX, which
detects a damaged file by the checksum of zlib. Where JAX would compress with zstd, which has none, it stores nothing.
"""

import contextlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from .directory import VARIABLE, cache_directory as cache_directory, make_private

_directory: Path | None = None
_cache: Any = None


def switch_on() -> Path | None:
    """Makes JAX and the engines store compiled programs; returns the folder, or None if the cache is disabled.

    A folder that cannot be used disables the cache with a message on the error output; the run continues.
    """
    global _directory, _cache
    _directory, _cache = cache_directory(), None
    if _directory is None:
        return None
    try:
        make_private(_directory)
    except OSError as error:
        print(f"anguilla: no compilation cache: {error}; set {VARIABLE} to a directory or to off", file=sys.stderr)
        _directory = None
        return None
    chosen = jax.config.jax_compilation_cache_dir  # pyright: ignore[reportAttributeAccessIssue]
    if not chosen and _jax_writes_checksums():  # the user's choice stays
        jax.config.update("jax_compilation_cache_dir", str(_directory))
        # Store small programs too: a session compiles dozens of them, which together take as long as a large one.
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    return _directory


def _jax_writes_checksums() -> bool:
    """Whether JAX compresses with zlib: it prefers zstd where that is installed (`jax._src.compilation_cache`)."""
    return sys.version_info < (3, 14) and importlib.util.find_spec("zstandard") is None


def run(function: Callable, jitted: Callable, args: tuple[Any, ...]) -> Any:
    """Calls a function of the engines through a stored program, or compiles it (see `stepping.programs`).

    Args:
        function: function of positional pytrees.
        jitted: the same function, compiled by JAX as usual.
        args: its arguments.
    """
    return _programs()(function, jitted, args)


def make_room(args: Any) -> None:
    """Releases compiled programs if memory maps run low (see `stepping.programs.unstored_program`).

    Args:
        args: arguments of the function that is called next.
    """
    _programs().make_room(args)


def ahead(function: Callable, args: tuple[Any, ...]) -> None:
    """Starts to load or compile a program in another thread (see `stepping.programs.compile_ahead`).

    Args:
        function: function of positional pytrees.
        args: arguments of the types that it will be called with.
    """
    _programs().ahead(function, args)


def unchanged() -> contextlib.AbstractContextManager[None]:
    """Context in which the modules are fingerprinted only once (see `stepping.programs.one_simulation`)."""
    return _programs().unchanged()


def _programs() -> Any:
    global _cache
    if _cache is None:
        from .memory_maps import MemoryMaps
        from .stored_programs import ProgramCache

        _cache = ProgramCache(_directory, MemoryMaps())
    return _cache
