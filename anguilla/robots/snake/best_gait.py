"""The fastest undulation of the snake on a given ground: a test problem to compare gradients with CMA-ES."""

from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import cosserat
import gaits
from gaits import Start

from .tree import FORWARD, LENGTH, PERIOD, START, beam, terrain

WIDTH = 2e-2  # smoothing of the friction, for which the speed is a differentiable function of the gait [m/s]
ORDER = 16  # Gauss nodes per panel of the beam


class LiftedWave(eqx.Module):
    """A curvature wave of varying amplitude with sinus lifting; six parameters.

    Attributes:
        amplitude: amplitude of the curvature at the head, in the middle and at the tail [1/m]; a parabola in between.
        wavelength: λ [m].
        depth: depth of the lifting, from -1 to 1; at ±1 the load on the ground falls to zero [-].
        phase: phase of the lifting [rad].
    """

    amplitude: Float[Array, "3"]
    wavelength: Float[Array, ""]
    depth: Float[Array, ""]
    phase: Float[Array, ""]

    def crawl(self) -> gaits.Crawl:
        """The gait, which starts from a straight body."""
        wave = gaits.TravellingWave(_parabola(self.amplitude), self.wavelength, PERIOD)
        lifting = gaits.SinusLifting(self.depth, self.wavelength, PERIOD, LENGTH, self.phase)
        return gaits.Crawl(gaits.planar_bending(Start(0.0, START) * wave), lifting)


BOUNDS: dict[str, tuple[float, float]] = {
    "amplitude": (0.5, 8.0),
    "wavelength": (0.6, 2.0),
    "depth": (-0.9, 0.9),
    "phase": (-np.pi, np.pi),
}
crawling_speed = gaits.quantity("crawling speed", "m/s", lambda speed: speed, "speed")


def first_gait() -> LiftedWave:
    """Initial gait of a search: a wave of constant amplitude, without lifting."""
    return LiftedWave(jnp.full(3, 3.0), jnp.asarray(1.2), jnp.asarray(0.0), jnp.asarray(0.0))


def speed_model(ratio: float = 10.0) -> Callable[[LiftedWave], dict[str, Any]]:
    """Function from a gait to its mean speed over the second period from rest [m/s]; for forward-mode derivatives.

    Args:
        ratio: sideways over forward friction coefficient [-].
    """
    snake = beam()

    def model(wave):
        gait = wave.crawl()
        rough = terrain(FORWARD, FORWARD * ratio, width=WIDTH, lifting=gait.lifting)
        run = cosserat.rollout(
            snake,
            gait,
            rough,
            2 * PERIOD,
            times=jnp.array([0.0, PERIOD, 2 * PERIOD]),
            path=cosserat.Panels(order=ORDER),
            rtol=1e-5,
            atol=1e-7,
            adjoint=diffrax.ForwardMode(),
            throw=False,
        )
        step = run.position[2] - run.position[1]
        return {"speed": jnp.sqrt(jnp.sum(step * step)) / PERIOD}

    return model


def _parabola(values):
    """Coefficients, highest power first, of the parabola in X through given values at 0, L/2 and L."""
    a, b, c = values
    return jnp.stack([(2 * a - 4 * b + 2 * c) / LENGTH**2, (-3 * a + 4 * b - c) / LENGTH, a])
