"""Warnings that point at the line of the user's code from which this toolkit was called."""

import sys
import warnings

# Packages whose frames are passed over: those of this project, and those through which they are called.
INNER = frozenset(
    "spatial stepping hydro gaits cosserat multibody validation anguilla "
    "equinox jax jaxlib jaxtyping beartype diffrax optimistix functools contextlib importlib".split()
)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns, and names the innermost line outside of this toolkit, equinox and JAX.

    `warnings.warn` takes a fixed number of frames instead; constructors of `eqx.Module` and `jax.jit` put frames of
    their own between. Where no frame is outside, as in a callback from a thread of the runtime, it names the caller.

    Args:
        message: text of the warning.
        category: class of the warning.
    """
    caller = frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INNER:
        frame = frame.f_back
    frame = frame or caller
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__", "<unknown>"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
