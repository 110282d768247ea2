"""Compiled functions of the engines, and the hook for a cache of compiled programs."""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import equinox as eqx

from spatial.forked_process import refuse_forked
from spatial.values_read import values_read

# The cache: a module with `run(function, jitted, args)`, `make_room(args)`, `ahead(function, args)` and `unchanged()`.
# It is looked up in `sys.modules`, never imported: there is no cache unless `anguilla` is imported, and `anguilla` can
# install one without importing the engines.
CACHE = "anguilla.program_cache"


LEVEL = "optimisation_level"  # attribute of a function that `short_program` compiles


def _traced_again(function: Callable) -> Callable:
    """Compiles a function like `equinox.filter_jit`, anew where a value has changed that a function argument reads."""

    def with_values(read, *args, **kwargs):
        del read
        return function(*args, **kwargs)

    with_values.__name__ = getattr(function, "__name__", "program")  # in profiles
    jitted = eqx.filter_jit(with_values)
    return lambda *args, **kwargs: jitted(values_read((args, kwargs)), *args, **kwargs)


def program(function: Callable) -> Callable:
    """Compiles a function like `equinox.filter_jit`; where the front door is imported, its cache may serve the program.

    A function among the arguments, such as a gait, may read globals and other values from outside: after a change of
    one of them the program is compiled again (`spatial.values_read`).

    Args:
        function: function of positional pytrees. A program that calls back to Python is not stored.
    """
    jitted = _traced_again(function)

    @functools.wraps(function)
    def call(*args):
        refuse_forked()
        cache = sys.modules.get(CACHE)
        return jitted(*args) if cache is None else cache.run(function, jitted, args)

    return call


def unstored_program(function: Callable) -> Callable:
    """A `program` that the cache does not store; it releases others in time.

    Args:
        function: function of pytrees.
    """
    jitted = _traced_again(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        refuse_forked()
        cache = sys.modules.get(CACHE)
        if cache is not None:
            cache.make_room((args, kwargs))
        return jitted(*args, **kwargs)

    return call


def short_program(function: Callable) -> Callable:
    """A `program` that the cache compiles without optimisation, for what runs once in a simulation, or less often.

    Measured for the record of the eel's swim: compiling takes 0.7 s of processor time instead of 2.4 s, running 52 ms
    instead of 17 ms. `simulate` is called once for most bodies and gaits, and rarely a hundred times.

    Args:
        function: function of positional pytrees.
    """
    setattr(function, LEVEL, 0)
    return program(function)


def compile_ahead(compiled: Callable, *args: Any) -> None:
    """Starts to load or compile a `program` in another thread, before it is called.

    This has an effect only if there is a cache, and only for the first program of a function. A later call uses the
    result if its arguments have the same types.

    Args:
        compiled: a function made by `program`.
        args: arguments of the same types, such as zeros in place of arrays that are not known yet.
    """
    cache = sys.modules.get(CACHE)
    if cache is not None:
        cache.ahead(getattr(compiled, "__wrapped__"), args)  # noqa: B009  set by functools.wraps


@contextlib.contextmanager
def one_simulation() -> Iterator[None]:
    """Context in which no module is edited, so that the cache checks the modules once instead of for each program."""
    cache = sys.modules.get(CACHE)
    with contextlib.nullcontext() if cache is None else cache.unchanged():
        yield
