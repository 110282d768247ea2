"""Warnings that also work inside compiled programs."""

import contextlib
import logging
from collections.abc import Iterator

import equinox.internal as eqxi
import jax
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float

from .user_warnings import warn


def warn_if(wrong: Bool[Array, ""] | np.ndarray | np.generic, message: str, *numbers: Float[Array, ""]) -> None:
    """Warns immediately if the condition is concrete, otherwise when the compiled program has evaluated it.

    Inside `jax.vmap` there is one warning for the whole batch, with the greatest of its numbers. A program that may
    warn calls back to Python, and JAX does not cache such programs between sessions.

    Args:
        wrong: whether to warn.
        message: text with a field `{}` for each number.
        numbers: numbers to insert, of any unit.
    """
    if not isinstance(wrong, Tracer):
        if wrong:
            warn(message.format(*(float(x) for x in numbers)))
        return

    def emit(*known):
        warn(message.format(*(float(np.asarray(x)) for x in known)))

    greatest = [eqxi.unvmap_max(jax.lax.stop_gradient(x)) for x in numbers]
    jax.lax.cond(eqxi.unvmap_any(wrong), lambda: jax.debug.callback(emit, *greatest), lambda: None)


def tell_rows(wrong: Bool[Array, ""], what: str) -> Bool[Array, ""]:
    """Returns `wrong`; if it is true in some rows of a compiled batch, a warning lists these rows.

    An error raised by a compiled program cannot list them: it ends the whole batch, with a message that is fixed before
    the program runs.

    Args:
        wrong: whether a row is wrong, traced.
        what: description of what is wrong, for the message.
    """

    def tell(found):
        rows = np.argwhere(np.asarray(found)).squeeze(-1) if np.ndim(found) == 1 else np.argwhere(found)
        if np.ndim(found):
            first = ", ".join(map(str, rows[:8].tolist())) + (", ..." if len(rows) > 8 else "")
            warn(f"{what} in {len(rows)} of {np.size(found)} rows of a batch: {first}")
        return np.asarray(found)

    like = jax.ShapeDtypeStruct((), bool)
    call = lambda: jax.pure_callback(tell, like, wrong, vmap_method="broadcast_all")  # noqa: E731
    return jax.lax.cond(eqxi.unvmap_any(wrong), call, lambda: wrong)


@contextlib.contextmanager
def without_log() -> Iterator[None]:
    """Context in which JAX does not log errors raised by compiled programs, because the caller handles them."""
    logger = logging.getLogger("jax._src.callback")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before
