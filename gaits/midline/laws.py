"""Bending laws: Legendre polynomials along the body, and a Fourier series or a spline in time."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from ..laws import AbstractLaw, Scalar
from ..tables import ROUNDING


class PeriodicBending(AbstractLaw):
    """K(X, t) = Σ_i Σ_j c_ij P_i(2X/L - 1) w_j(t), with w = (1, cos ωτ, sin ωτ, cos 2ωτ, ...), τ = t - origin.

    Attributes:
        coefficients: c [1/m].
        period: 2π/ω [s].
        length: L of the body [m].
        origin: time at which the phase is zero [s].
    """

    coefficients: Float[Array, "modes waves"]
    period: Float[Array, ""]
    length: Float[Array, ""]
    origin: Float[Array, ""]

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Curvature at (X, t) [1/m]."""
        modes, waves = self.coefficients.shape
        turns = jnp.arange(1, waves // 2 + 1) * (t - self.origin) / self.period
        w = jnp.stack([jnp.cos(2.0 * jnp.pi * turns), jnp.sin(2.0 * jnp.pi * turns)], axis=1).ravel()
        return legendre(2.0 * X / self.length - 1.0, modes) @ (self.coefficients[:, 0] + self.coefficients[:, 1:] @ w)


class SplineBending(AbstractLaw):
    """K(X, t) = Σ_i P_i(2X/L - 1) q_i(t), with quintic splines q_i, four times differentiable.

    Attributes:
        times: knots [s].
        coefficients: coefficients of (t - t_j)^p, highest power first [1/m, 1/(m·s), ...].
        length: length L of the body [m].
    """

    times: Float[Array, "knots"]
    coefficients: Float[Array, "powers knots_less_one modes"]
    length: Float[Array, ""]

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Curvature at (X, t) [1/m]; NaN outside the times of the table."""
        t = jnp.asarray(t, float)
        j = jnp.clip(jnp.searchsorted(self.times, t, side="right") - 1, 0, self.times.shape[0] - 2)
        q = jnp.zeros_like(self.coefficients[0, 0])
        for power in self.coefficients[:, j]:  # Horner's rule
            q = q * (t - self.times[j]) + power
        inside = (t >= self.times[0] - ROUNDING) & (t <= self.times[-1] + ROUNDING)
        return jnp.where(inside, legendre(2.0 * X / self.length - 1.0, q.shape[0]) @ q, jnp.nan)


def legendre(z: Scalar, count: int) -> Float[Array, "count"]:
    """Legendre polynomials P_0(z) ... P_{count-1}(z) by their recurrence [-]."""
    z = jnp.asarray(z, float)
    values = [jnp.ones_like(z), z]
    for n in range(1, count - 1):
        values.append(((2 * n + 1) * z * values[n] - n * values[n - 1]) / (n + 1))
    return jnp.stack(values[:count])
