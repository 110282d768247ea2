"""Smooth functions of time that switch a gait on or off, or move it from one value to another."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, increasing, number, shaped

from .laws import AbstractLaw, Scalar


class Start(AbstractLaw):
    """Smooth step from 0 to 1 with two continuous derivatives: τ - sin(2πτ)/2π.

    After [BPK06, eq. (68)], which prints sin(τ); that form is discontinuous in value and velocity.

    Attributes:
        span: begin and end of the step [s].
    """

    span: Float[Array, "2"]

    def __init__(self, begin: Numbers = 0.0, end: Numbers = 1.0):
        self.span = increasing("Start: (begin, end)", [number("Start.begin", begin), number("Start.end", end)], "s")

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Value at time t [s]."""
        tau = _progress(t, self.span[0], self.span[1])
        return tau - jnp.sin(2.0 * jnp.pi * tau) / (2.0 * jnp.pi)

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Begin and end [s]."""
        return (self.span[0], self.span[1])


class Ramps(AbstractLaw):
    """Piecewise quintic polynomial through given values, with zero first and second derivatives at each time.

    Each piece is P(t_i, t_j, f_i, f_j) of [BPK06, IX.D]. The law is constant before the first time and after the last.

    Attributes:
        times: increasing times [s].
        values: value at each of these times, of any unit.
    """

    times: Float[Array, "knots"]
    values: Float[Array, "knots"]

    def __init__(self, times: Numbers, values: Numbers):
        self.times = increasing("Ramps.times", times, "s")
        self.values = finite("Ramps.values", values)
        shaped("Ramps.values", self.values, self.times.shape)

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Value at time t [s]."""
        tau = _progress(t, self.times[:-1], self.times[1:])
        rise = tau**3 * (10.0 + tau * (-15.0 + 6.0 * tau))
        return self.values[0] + jnp.sum(jnp.diff(self.values) * rise)

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """The knot times [s]."""
        return tuple(self.times[k] for k in range(self.times.shape[0]))


def _progress(t, begin, end):
    """Linear ramp from 0 at `begin` to 1 at `end`, constant outside; at both ends the derivative is that of the ramp.

    `jnp.clip` would return half that derivative, which changes the gradient of a run that starts at `begin`.
    """
    tau = (t - begin) / (end - begin)
    return jnp.where(t < begin, 0.0, jnp.where(t > end, 1.0, tau))
