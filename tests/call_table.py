"""Good calls of public functions, and what else each argument may be."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np

import gaits
import hydro

ANY_NUMBER = {"negative", "zero", "one", "four", "fraction"}
ANY_ARRAY = {"vector", "matrix"}


@dataclass(frozen=True)
class Argument:
    """A good value, and the labels of BAD that are legal here too; each other one must be refused."""

    good: Any
    legal: frozenset[str] = frozenset()
    alike: tuple[Any, ...] = ()  # other spellings of the good value, which must be accepted


def _spellings(value):
    return () if isinstance(value, str) else (np.asarray(value, np.float32), jnp.asarray(value))


def real(value, *legal):
    """Any finite number, or numbers of one shape."""
    numbers = ANY_NUMBER if np.ndim(value) == 0 else set()
    return Argument(value, frozenset({*numbers, *legal}), _spellings(value))


def positive(value, *legal):
    return Argument(value, frozenset({"one", "four", "fraction", *legal}), _spellings(value))


def non_negative(value, *legal):
    return positive(value, "zero", *legal)


def spread(value, *legal):
    """Non-negative: one number for all, or one for each."""
    return non_negative(value, *legal)


def strict(value, *legal):
    """A number between bounds."""
    return Argument(value, frozenset(legal), _spellings(value))


def integer(value, *legal, least=1):
    more = {"zero_int"} if least <= 0 else set()
    more |= {"one_int"} if least <= 1 else set()
    return Argument(value, frozenset({"four", *more, *legal}), (np.int64(value),))


def thing(value, *legal):
    """An option, a function or an object: nothing in the table may stand for it."""
    return Argument(value, frozenset(legal))


def optional(argument):
    return Argument(argument.good, argument.legal | {"None"}, argument.alike)


@dataclass(frozen=True)
class Call:
    """A callable with good arguments. `heavy`: a good call takes long, so only refusals are tried."""

    function: Callable
    arguments: dict[str, Argument]
    heavy: bool = False
    untried: tuple[str, ...] = field(default=())  # flags, and what is not checked by value: with a reason beside

    def bound(self, name, value):
        given = {key: argument.good for key, argument in self.arguments.items()} | {name: value}
        return functools.partial(_called, self.function, given)


def _called(function, given):
    if function is gaits.quantity or function is hydro.Together:
        return function(*given.values())
    return function(**given)


def call(function, /, *, heavy=False, untried=(), **arguments):
    return Call(function, arguments, heavy, tuple(untried))
