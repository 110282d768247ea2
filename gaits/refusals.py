"""Checks, before any computation, that a gait is callable and returns an array of the right shape and type."""

import jax
import jax.numpy as jnp

from spatial import require_float64
from spatial.checks import in_order, shown
from spatial.traced_shapes import result_shape

from .feedback.steered import plain
from .published import PUBLISHED

WANTED = "the strain (Γ, K): six numbers, Γ = (1, 0, 0) for a body that neither stretches nor shears, then K [1/m]"


def check_gait(gait: object) -> None:
    """Raises ValueError unless the gait is a function (X, t) -> strain (6,) of two scalars; traces it only."""
    require_float64()
    gait = plain(gait)
    if not callable(gait):
        hint = f"; the published one is gaits.{gait}()" if isinstance(gait, str) and gait in PUBLISHED else ""
        raise ValueError(f"gait = {shown(gait)}: must be a callable (X, t) -> strain (6,){hint}")
    in_order("gait", gait, "X", "t")
    try:
        strain = result_shape(gait, 2)
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError, TypeError) as error:
        raise ValueError(
            "gait could not be evaluated at one (X, t) of traced scalars. Write it with jax.numpy (jnp.sin, "
            f"jnp.where), not with numpy, math or if, and make it accept (X, t): {str(error).splitlines()[0]}"
        ) from error
    if isinstance(strain, list | tuple):
        kind = type(strain).__name__
        raise ValueError(f"gait returns a {kind}, not an array: wrap it in jnp.array([...]), {WANTED}")
    if not isinstance(strain, jax.ShapeDtypeStruct):
        hint = ": did you forget the parentheses, as in gaits.planar()?" if callable(strain) else ""
        raise ValueError(f"gait returns a {type(strain).__name__}, not an array (6,), the strain (Γ, K){hint}")
    if strain.shape != (6,):
        raise ValueError(f"gait returns shape {strain.shape} at one (X, t): must be (6,), {WANTED}")
    if not jnp.issubdtype(strain.dtype, jnp.floating):
        raise ValueError(f"gait returns {strain.dtype} numbers: must be floats; write 1.0, not 1")
    wanted = jnp.result_type(float)
    if strain.dtype != wanted:
        raise ValueError(
            f"gait returns {strain.dtype} numbers: must be {wanted}, because its second time derivative and the "
            f"dynamics lose their digits otherwise; leave out dtype=jnp.{strain.dtype}, or return strain.astype(float)"
        )
