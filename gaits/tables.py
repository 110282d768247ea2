"""Smooth laws from sampled data: cubic splines in X and t, twice differentiable."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import Numbers, finite, increasing
from spatial.plausible import LONGEST
from spatial.printing import value_text
from spatial.user_warnings import warn

from .laws import AbstractLaw, Scalar

ROUNDING = 1e-9  # allowed excess of X [m] and t [s] over the ends of a table


class Table(AbstractLaw):
    """Piecewise cubic in X and t; constructed by `from_table`.

    Attributes:
        X: knots along the body [m].
        times: knots in time [s].
        coefficients: coefficients of (t - t_j)^p (X - X_i)^q, highest powers first, in the unit of the values.
        periodic: whether the table repeats in time.
    """

    X: Float[Array, "sections"]
    times: Float[Array, "times"]
    coefficients: Float[Array, "4 times_less_one 4 sections_less_one"]
    periodic: bool = eqx.field(static=True)

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Value at (X, t); NaN outside the table."""
        X, t = jnp.asarray(X, float), jnp.asarray(t, float)
        begin, end = self.times[0], self.times[-1]
        inside = (X >= self.X[0] - ROUNDING) & (X <= self.X[-1] + ROUNDING)
        if self.periodic:
            t = t - jnp.floor((t - begin) / (end - begin)) * (end - begin)  # rounding may leave it just outside
        else:
            inside = inside & (t >= begin - ROUNDING) & (t <= end + ROUNDING)
        i = jnp.clip(jnp.searchsorted(self.X, X, side="right") - 1, 0, self.X.shape[0] - 2)
        j = jnp.clip(jnp.searchsorted(self.times, t, side="right") - 1, 0, self.times.shape[0] - 2)
        cell = self.coefficients[:, j, :, i]
        along = _polynomial(cell.T, X - self.X[i])  # one value for each power of t
        return jnp.where(inside, _polynomial(along, t - self.times[j]), jnp.nan)

    def __str__(self) -> str:
        knots = (
            f"{name} {_range(values)} {unit}" for name, values, unit in (("X", self.X, "m"), ("t", self.times, "s"))
        )
        return f"Table({', '.join(knots)}{', repeated' if self.periodic else ''})"


def _range(values):
    """Number, first and last of the knots."""
    return f"{values.shape[0]} from {value_text(values[0])} to {value_text(values[-1])}"


def _polynomial(coefficients, x):
    """Horner's rule, highest power first."""
    a, b, c, d = coefficients
    return ((a * x + b) * x + c) * x + d


def from_table(X: Numbers, times: Numbers, values: Numbers, *, periodic: bool = False) -> Table:
    """Interpolates samples, such as a measured curvature, by a twice differentiable law.

    Linear interpolation (`jnp.interp`) has a kink at every sample. Automatic differentiation does not see these kinks,
    so the momentum of a body that follows such a law is not balanced. A cubic spline is twice differentiable.

    >>> import numpy as np, gaits
    >>> X, t = np.linspace(0, 2, 21), np.linspace(0, 1, 21)
    >>> bending = gaits.from_table(X, t, np.sin(4 * X[:, None] - 2 * np.pi * t), periodic=True)
    >>> gait = gaits.planar_bending(bending)
    >>> bool(abs(bending(1.03, 0.52) - np.sin(4 * 1.03 - 2 * np.pi * 0.52)) < 1e-4)
    True

    Args:
        X: increasing abscissae of the samples, at least four, from the nose to the tail [m].
        times: increasing times of the samples, at least four [s].
        values: value at each abscissa and time, in any unit.
        periodic: whether the law repeats in time; if so, the last column must equal the first.
    """
    from scipy.interpolate import CubicSpline  # slow to import

    X, times = (np.asarray(increasing(name, v, unit)) for name, v, unit in (("X", X, "m"), ("times", times, "s")))
    values = np.asarray(finite("values", values, (X.size, times.size)))
    for name, knots in (("X", X), ("times", times)):
        if knots.size < 4:
            raise ValueError(f"{name} has {knots.size} samples: a cubic spline needs four at least")
    if X[-1] > LONGEST:
        warn(
            f"X reaches {X[-1]:g} m: abscissae are in metres. If you meant millimetres, divide X by 1000 and multiply "
            "curvatures [1/m] by 1000.",
        )
    if periodic:
        if not np.allclose(values[:, 0], values[:, -1], rtol=1e-9, atol=1e-12 * np.abs(values).max()):
            raise ValueError("values: the last column must equal the first for periodic=True")
        values = np.concatenate([values[:, :-1], values[:, :1]], axis=1)
    in_X = CubicSpline(X, values, axis=0).c  # (4, sections - 1, times)
    in_both = CubicSpline(
        times, in_X, axis=2, bc_type="periodic" if periodic else "not-a-knot"
    ).c  # (4, times - 1, 4, ...)
    return Table(jnp.asarray(X), jnp.asarray(times), jnp.asarray(in_both), periodic)
