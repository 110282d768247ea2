"""Compiled functions of the engines, and the hook by which a cache of compiled programs serves them."""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import equinox as eqx

from spatial.forked_process import refuse_forked

# A module with `run(function, jitted, args)`, `ahead(function, args)` and `unchanged()`. It is looked up, never
# imported: without the front door there is no cache, and the front door need not import the engines to install one.
CACHE = "anguilla.program_cache"


def program(function: Callable) -> Callable:
    """Compiles a function like `equinox.filter_jit`; where the front door is imported, its cache may serve the program.

    Args:
        function: of positional pytrees. A program that calls back to Python is not stored.
    """
    jitted = eqx.filter_jit(function)

    @functools.wraps(function)
    def call(*args):
        refuse_forked()
        cache = sys.modules.get(CACHE)
        return jitted(*args) if cache is None else cache.run(function, jitted, args)

    return call


def compile_ahead(compiled: Callable, *args: Any) -> None:
    """Begins to load or compile a `program` in another thread, for arguments that it will be called with later.

    Only where there is a cache, and for the first program of a function; a call finds what was begun here if its
    arguments are of the same types.

    Args:
        compiled: a function made by `program`.
        args: arguments of the same types, such as zeros in place of arrays that are not known yet.
    """
    cache = sys.modules.get(CACHE)
    if cache is not None:
        cache.ahead(getattr(compiled, "__wrapped__"), args)  # noqa: B009  set by functools.wraps


@contextlib.contextmanager
def one_simulation() -> Iterator[None]:
    """Within it no module is edited, so that the cache looks through all of them once, not for each program."""
    cache = sys.modules.get(CACHE)
    with contextlib.nullcontext() if cache is None else cache.unchanged():
        yield
