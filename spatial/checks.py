"""Argument checks shared by every package: each error names the argument, its value and the rule.

A concrete value is rejected at once with a ValueError. A traced one (inside jit, vmap, grad) is guarded by
`eqx.error_if`, so callers must use the returned array.
"""

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from types import UnionType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike
from typing_extensions import TypeAliasType

from .forked_process import refuse_forked

# Anything from which a constructor makes an array of numbers. Named, so that `help` shows the name, not the union.
Numbers = TypeAliasType("Numbers", ArrayLike | Sequence[Any])
Shape = tuple[int | None, ...]  # None stands for any length


def require_float64() -> None:
    """Raises if JAX runs in single precision, or in a process that was forked after JAX had started."""
    refuse_forked()
    if not jax.config.jax_enable_x64:  # pyright: ignore[reportAttributeAccessIssue]
        raise RuntimeError(
            "JAX is in single precision, in which these dynamics lose most of their digits. "
            "Import `anguilla` first, or call jax.config.update('jax_enable_x64', True)."
        )


def shown(value: object, most: int = 80) -> str:
    """Formats a value for a message: its repr if that is short, otherwise its type, as for every model."""
    if isinstance(value, eqx.Module):
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= most and "\n" not in text else f"a {type(value).__name__}"


def _as_array(name: str, value: Numbers, shape: Shape | None) -> Array:
    # Concrete values stay concrete during tracing and are checked immediately. A check inside a compiled program would
    # be a Python callback, and JAX does not cache programs with callbacks between sessions.
    known = not any(isinstance(part, Tracer) for part in jax.tree.leaves(value))
    try:
        array = np.asarray(value) if known else jnp.asarray(value)
        if array.dtype.kind in "USO":
            raise TypeError("text or objects")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} = {shown(value)}: must be a number or an array of numbers") from error
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
        raise ValueError(f"{name} = {shown(value)}: must be real numbers, not {array.dtype}")
    array = array.astype(jnp.result_type(float))
    if shape is not None:
        shaped(name, array, shape)
    elif array.size == 0:
        raise ValueError(f"{name} = {shown(value)}: must not be empty")
    return constant(array) if isinstance(array, np.ndarray) else array


def constant(array: np.ndarray | np.generic) -> Array:
    """Makes a JAX constant from a concrete array of any unit, without dispatching an operation, even during tracing."""
    refuse_forked()
    with jax.ensure_compile_time_eval():
        return jax.device_put(array)


def _guard(name: str, array: Array, bad: Callable, rule: str) -> Array:
    if isinstance(array, Tracer):
        return eqx.error_if(array, bad(array, jnp), f"{name} {rule}")
    known = np.asarray(array)
    wrong = np.asarray(bad(known, np))
    if wrong.any():
        if known.size > 8 and wrong.shape == known.shape:
            first = tuple(int(k) for k in np.argwhere(wrong)[0])
            raise ValueError(f"{name}{list(first)} = {known[first]}: {rule}")
        raise ValueError(f"{name} = {known.tolist()}: {rule}")
    return array


def refuse_if(found: Any, wrong: Any, words: str) -> Any:
    """Returns `found`, or raises. A compiled program raises when it uses any array of the returned value.

    Args:
        found: pytree of arrays.
        wrong: whether to raise.
        words: the message.
    """
    if not isinstance(wrong, Tracer) and not np.any(np.asarray(wrong)):
        return found  # known to be valid: no check needs to be compiled
    return eqx.error_if(found, wrong, words)


def real(name: str, value: Numbers) -> Array:
    """Returns the value, of any unit, as a float array that is not empty; infinities and NaN are allowed."""
    return _as_array(name, value, None)


def finite(name: str, value: Numbers, shape: Shape | None = None) -> Array:
    """Returns the value, of any unit, as a float array; raises on NaN, infinity or a shape other than `shape`."""
    array = _as_array(name, value, shape)
    return _guard(name, array, lambda x, xp: ~xp.isfinite(x), "must be finite")


def number(name: str, value: Numbers) -> Array:
    """Returns one finite number of any unit. A traced number is not checked: a guard in the program would be slow."""
    if isinstance(value, Tracer):
        return jnp.asarray(value, float)
    return finite(name, value, ())


def given(name: str, value: Numbers, shape: Shape) -> Array:
    """Returns numbers of any unit and of a given shape; concrete numbers must be finite.

    For traced numbers only the shape is checked: a guard in the program would be slow.
    """
    array = _as_array(name, value, shape)
    return array if isinstance(array, Tracer) else finite(name, array, shape)


def positive(name: str, value: Numbers, unit: str = "", shape: Shape | None = None) -> Array:
    """Returns the value, of any unit, as a float array; raises unless it is finite, positive and of the given shape."""
    rule = f"must be finite and positive{_in(unit)}"
    array = _as_array(name, value, shape)
    return _guard(name, array, lambda x, xp: ~(xp.isfinite(x) & (x > 0)), rule)


def non_negative(name: str, value: Numbers, unit: str = "", shape: Shape | None = None) -> Array:
    """Like `positive`, for values of any unit, but zero is allowed."""
    rule = f"must be finite and not negative{_in(unit)}"
    return _guard(name, _as_array(name, value, shape), lambda x, xp: ~(xp.isfinite(x) & (x >= 0)), rule)


def within(name: str, value: Numbers, low: float, high: float, unit: str = "") -> Array:
    """Returns one number of any unit as a float array; raises unless it lies between two bounds, both included."""
    rule = f"must lie between {low:g} and {high:g}{_in(unit)}"
    array = _as_array(name, value, ())
    return _guard(name, array, lambda x, xp: ~((x >= low) & (x <= high)), rule)


def increasing(name: str, value: Numbers, unit: str = "") -> Array:
    """Returns the value, of any unit, as a float vector; raises unless it is strictly increasing."""
    array = finite(name, value, (None,))
    if array.shape == (0,):
        raise ValueError(f"{name} = []: must not be empty")
    return _guard(name, array, lambda x, xp: xp.diff(x) <= 0, f"must be strictly increasing{_in(unit)}")


def unit(name: str, value: Numbers, size: int, tolerance: float = 1e-6) -> Array:
    """Returns the value normalised to a unit vector; raises if its norm differs from one by more than `tolerance`."""
    array = finite(name, value, (size,))
    rule = f"must have unit norm (within {tolerance:g})"
    array = _guard(name, array, lambda x, xp: xp.abs(xp.sqrt(xp.sum(x * x)) - 1.0) > tolerance, rule)
    if isinstance(array, Tracer):
        return array / jnp.sqrt(jnp.sum(array * array))
    return constant(np.asarray(array) / np.linalg.norm(array))


def spread(name: str, array: Array, count: int) -> Array:
    """Returns one number, or `count` numbers, of any unit as a vector of length `count`; raises on other shapes."""
    if array.shape not in ((), (count,)):
        raise ValueError(f"{name} has shape {array.shape}: must be one number, or {count} numbers")
    return jnp.broadcast_to(array, (count,))


def shaped(name: str, array: Array | np.ndarray, shape: Shape) -> None:
    """Raises unless the array has the given shape; None stands for any length."""
    fits = len(array.shape) == len(shape) and all(
        want is None or have == want for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = "(" + ", ".join("n" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
        one = ", one number" if shape == () else ""
        raise ValueError(f"{name} has shape {array.shape}: must have shape {wanted}{one}")


def integer(name: str, value: object, least: int) -> int:
    """Returns an integer of Python or NumPy as an int; raises unless it is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} = {shown(value)}: must be an integer of at least {least}")
    return int(value)


def callable_as(name: str, value: object, words: str) -> None:
    """Raises unless the value is callable; `words` describe its arguments and its result."""
    if not callable(value):
        raise ValueError(f"{name} = {shown(value)}: must be a callable {words}")


def in_order(name: str, function: Callable, *order: str) -> None:
    """Raises if the first parameters of a function have these names in another order; other names are accepted."""
    try:
        given = tuple(inspect.signature(function).parameters)[: len(order)]
    except (TypeError, ValueError):  # some built-in functions have no signature
        return
    if given != order and set(given) == set(order):
        raise ValueError(f"{name} takes ({', '.join(given)}): must take ({', '.join(order)}), in this order")


def refuse_unknown(name: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raises TypeError, as Python does, if an argument is unknown, and suggests the closest known name.

    Args:
        name: name of the function or class.
        given: names of the arguments given by keyword.
        known: names of all arguments.
    """
    for unknown in given:
        if unknown not in known:
            close = difflib.get_close_matches(unknown, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{name}() has no argument {unknown!r}{hint}")


def of_kind(name: str, value: object, wanted: type | UnionType, words: str) -> None:
    """Raises unless the value is an instance of a class; `words` describe what is expected."""
    if not isinstance(value, wanted):
        raise ValueError(f"{name} = {shown(value)}: must be {words}")


def sequence(name: str, value: object, words: str) -> tuple:
    """Returns an iterable as a tuple; raises on text, dictionaries and anything that is not iterable."""
    if isinstance(value, str | bytes | dict) or not isinstance(value, Iterable):
        raise ValueError(f"{name} = {shown(value)}: must be {words}")
    return tuple(value)


def names_of(name: str, value: object) -> tuple[str, ...]:
    """A collection of names, or raises ValueError; a single name is refused, because its letters would be read."""
    if isinstance(value, str) or not isinstance(value, Collection) or not all(isinstance(part, str) for part in value):
        raise ValueError(f"{name} = {shown(value)}: must be a collection of names, such as ('elbow',)")
    return tuple(value)


def one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    """Raises unless the option is in the list of allowed ones."""
    if not any(value is option or (isinstance(value, type(option)) and value == option) for option in allowed):
        raise ValueError(f"{name} = {value!r}: must be one of {', '.join(map(repr, allowed))}")


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""
