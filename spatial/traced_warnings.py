"""Warnings that also come out of compiled programs."""

import contextlib
import logging
import warnings
from collections.abc import Iterator

import equinox.internal as eqxi
import jax
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float


def warn_if(wrong: Bool[Array, ""] | np.ndarray | np.generic, message: str, *numbers: Float[Array, ""]) -> None:
    """Warns at once where the numbers are known, else when the compiled program has computed them.

    Inside `jax.vmap` there is one warning for the whole batch, with the greatest of its numbers. A program that may
    warn calls back to Python, and JAX does not cache such programs between sessions.

    Args:
        wrong: whether to warn.
        message: with a field `{}` for each number.
        numbers: to put in, of any unit.
    """
    if not isinstance(wrong, Tracer):
        if wrong:
            warnings.warn(message.format(*(float(x) for x in numbers)), stacklevel=4)
        return

    def emit(*known):
        warnings.warn(message.format(*(float(np.asarray(x)) for x in known)), stacklevel=2)

    greatest = [eqxi.unvmap_max(jax.lax.stop_gradient(x)) for x in numbers]
    jax.lax.cond(eqxi.unvmap_any(wrong), lambda: jax.debug.callback(emit, *greatest), lambda: None)


def tell_rows(wrong: Bool[Array, ""], what: str) -> Bool[Array, ""]:
    """Returns the truth value; when a compiled batch has run and holds true ones, a warning says which rows they are.

    An error that a compiled program raises ends the whole batch, and its words are known before the program runs.

    Args:
        wrong: in each row, traced.
        what: is wrong there.
    """

    def tell(found):
        rows = np.argwhere(np.asarray(found)).squeeze(-1) if np.ndim(found) == 1 else np.argwhere(found)
        if np.ndim(found):
            first = ", ".join(map(str, rows[:8].tolist())) + (", ..." if len(rows) > 8 else "")
            warnings.warn(f"{what} in {len(rows)} of {np.size(found)} rows of a batch: {first}", stacklevel=2)
        return np.asarray(found)

    like = jax.ShapeDtypeStruct((), bool)
    call = lambda: jax.pure_callback(tell, like, wrong, vmap_method="broadcast_all")  # noqa: E731
    return jax.lax.cond(eqxi.unvmap_any(wrong), call, lambda: wrong)


@contextlib.contextmanager
def without_log() -> Iterator[None]:
    """Within it JAX does not log, with a traceback, what a compiled program raises: the caller handles the error."""
    logger = logging.getLogger("jax._src.callback")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before
