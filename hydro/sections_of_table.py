"""Profiles from tables of semi-axes along the body."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, increasing, non_negative, safe_sqrt, shaped
from spatial.tables import monotone

from .profiles import Profile, Semiaxes


class TablePiece(eqx.Module):
    """Semi-axes by smooth monotone interpolation of a table.

    Attributes:
        X: increasing abscissae [m].
        b: semi-axis along t2 there [m].
        c: semi-axis along t3 there [m].
        round_ends: whether the squares of the semi-axes are interpolated. An end with zero semi-axes is then rounded
            like an ellipsoid, otherwise pointed like a cone.
    """

    X: Float[Array, "rows"]
    b: Float[Array, "rows"]
    c: Float[Array, "rows"]
    round_ends: bool = eqx.field(static=True)

    def __call__(self, X: Float[Array, ""]) -> Semiaxes:
        """Semi-axes (b, c) at the abscissa X [m]."""
        if not self.round_ends:
            return monotone(X, self.X, self.b), monotone(X, self.X, self.c)
        return safe_sqrt(monotone(X, self.X, self.b**2)), safe_sqrt(monotone(X, self.X, self.c**2))


def table_profile(X: Numbers, b: Numbers, c: Numbers, round_ends: bool = True) -> Profile:
    """A profile through given sections.

    >>> import hydro
    >>> fish = hydro.table_profile([0.0, 0.1, 0.3, 0.5], [0.0, 0.02, 0.015, 0.002], [0.0, 0.03, 0.02, 0.01])
    >>> [round(float(x), 4) for x in (fish.length, fish(0.1).b, fish(0.1).c)]
    [0.5, 0.02, 0.03]

    Args:
        X: increasing abscissae from 0 at the nose to L at the tail [m].
        b: semi-axis along t2 at each abscissa [m]; positive, except that zero at an end closes the body.
        c: semi-axis along t3 at each abscissa [m], with the same rule.
        round_ends: interpolate the squares of the semi-axes, so that an end with zero semi-axes is rounded like an
            ellipsoid. False interpolates the semi-axes themselves: straight tapers stay straight, and such an end is
            pointed like a cone.
    """
    X = increasing("table_profile: X", X, "m")
    b, c = non_negative("table_profile: b", b, "m"), non_negative("table_profile: c", c, "m")
    for name, column in (("b", b), ("c", c)):
        shaped(f"table_profile: {name}", column, X.shape)
    if X.shape[0] < 2:
        raise ValueError(f"table_profile: X has {X.shape[0]} rows: must have two at least")
    ends = jnp.stack([X[0], X[-1]]) if isinstance(X, Tracer) else np.asarray(X)[[0, -1]]
    return Profile(ends, (TablePiece(X, b, c, bool(round_ends)),))
