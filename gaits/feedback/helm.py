"""Law of a beam that is steered in space: curvature offsets for yaw and pitch, and a wave for roll."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, positive
from spatial.checks import callable_as
from spatial.printing import Printed

CHANNELS = ("offset_K3", "offset_K2", "roll_wave")


class Helm(Printed):
    """A planar gait with three channels: offsets of K3 and K2 that yaw and pitch the body, and a wave that rolls it.

        K3 = k(X, t) + y_1,   K2 = y_2 + y_3 k(X, t - T/4),   k = K3 of the gait

    The wave of K2 lags that of K3 by a quarter period, so that the bending plane rotates once per period and the body
    rolls in the opposite sense. A positive y_3 gives a positive roll rate.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> law = fb.Helm(gaits.planar(), period=1.0)
    >>> law(0.0, 3.25, jnp.array([0.2, 0.1, 0.0]))[4:].round(6).tolist()  # K2, K3 at the nose
    [0.1, -0.8]

    Attributes:
        gait: strain law (X, t) -> (Γ, K) that bends in the plane.
        period: T [s].
    """

    gait: Callable[..., Float[Array, "6"]]
    period: Float[Array, ""]

    def __init__(self, gait: Any, period: Numbers = 1.0):
        callable_as("Helm.gait", gait, "(X, t) -> (6,), a strain law")
        self.gait = gait
        self.period = positive("Helm.period", period, "s", ())

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""], y: Float[Array, "3"]) -> Float[Array, "6"]:
        """Strain (Γ, K) [-, 1/m] at the abscissa X [m] and time t [s], for two offsets [1/m] and the wave share [-]."""
        if y.shape != (3,):
            raise ValueError(f"Helm needs the 3 channels {CHANNELS}: the command has {y.shape[0]}")
        behind = self.gait(X, t - 0.25 * self.period)[5]
        return self.gait(X, t) + jnp.zeros(6).at[5].set(y[0]).at[4].set(y[1] + y[2] * behind)

    @property
    def break_times(self) -> tuple:
        """Break times of the gait, and the same a quarter period later [s]."""
        times = tuple(getattr(self.gait, "break_times", ()))
        return times + tuple(time + 0.25 * self.period for time in times)
