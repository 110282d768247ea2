"""The computed eel of Kern and Koumoutsakos (2006): body and two motions, with unit length and period."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

import cosserat
import hydro

from .swimmer import Figure, Swimmer

SOURCE = "S. Kern, P. Koumoutsakos, Simulations of optimized anguilliform swimming, J. Exp. Biol. 209, 2006"
_HEAD, _TAIL, _HEAD_WIDTH, _TAIL_WIDTH = 0.04, 0.95, 0.04, 0.01


def height(s: Float[Array, ""]) -> Float[Array, ""]:
    """Half height of the body at an abscissa [m]."""
    inside = 1.0 - ((s - 0.51) / 0.51) ** 2
    return 0.08 * jnp.where(inside > 0, jnp.sqrt(jnp.where(inside > 0, inside, 1.0)), 0.0)


def _head(s):
    square = 2.0 * _HEAD_WIDTH * s - s * s
    return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0), height(s)


def _trunk(s):
    share = (s - _HEAD) / (_TAIL - _HEAD)
    return _HEAD_WIDTH - (_HEAD_WIDTH - _TAIL_WIDTH) * share**2, height(s)


def _tail(s):
    return _TAIL_WIDTH * (1.0 - s) / (1.0 - _TAIL), height(s)


def body() -> cosserat.Beam:
    """The body with the half widths and half heights of the paper and the density of water."""
    return cosserat.Beam(hydro.Profile([0.0, _HEAD, _TAIL, 1.0], (_head, _trunk, _tail)), 1.0, load_panels=(2, 16, 2))


class MidlineWave(eqx.Module):
    """Bending that gives the lateral displacement y(s, t) = scale (s + lead) sin 2π(s - t), s the arc length.

    Attributes:
        scale: growth of the amplitude along the body [-].
        lead: distance ahead of the nose at which the amplitude vanishes [m].
    """

    scale: Float[Array, ""]
    lead: Float[Array, ""]

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain at an abscissa [m] and a time [s]: K3 = d/ds arcsin(dy/ds)."""
        place = lambda s: self.scale * (s + self.lead) * jnp.sin(2.0 * jnp.pi * (s - t))  # noqa: E731
        slope = jax.grad(place)
        bend = jax.grad(lambda s: jnp.arcsin(slope(s)))(X)
        return jnp.eye(6)[0] + bend * jnp.eye(6)[5]


class CurvatureWave(eqx.Module):
    """K3 = (a0 + a1 s + a2 s² + a3 s³) sin 2π(t - lag s).

    Attributes:
        envelope: coefficients, lowest power first [1/m, 1/m², ...].
        lag: phase lag along the body, in periods per length [1/m].
    """

    envelope: Float[Array, "4"]
    lag: Float[Array, ""]

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain at an abscissa [m] and a time [s]."""
        powers = jnp.stack([jnp.ones_like(X), X, X**2, X**3])
        return jnp.eye(6)[0] + (self.envelope @ powers) * jnp.sin(2.0 * jnp.pi * (t - self.lag * X)) * jnp.eye(6)[5]


def _swimmer(name, title, gait, speed, independent) -> Swimmer:
    return Swimmer(
        name=name,
        title=title,
        source=SOURCE,
        body=body,
        gait=gait,
        period=1.0,
        density=1.0,
        viscosity=1.4e-4,
        edge=_TAIL,
        speed=Figure(speed, "L/T", SOURCE, from_memory=True),
        independent=independent,
        chosen="the shedding rule, the cross-flow drag and laminar friction of a plate at its own Reynolds number; "
        "the wave by arc length; that the public curvature set is the fast motion",
    )


REFERENCE = _swimmer(
    "kern-reference",
    "computed eel, reference motion",
    lambda: MidlineWave(jnp.asarray(4.0 / 33.0), jnp.asarray(0.03125)),
    0.40,
    {"tail": 0.306, "truncate": 0.412, "hold": 0.459},
)
FAST = _swimmer(
    "kern-fast",
    "computed eel, fast motion",
    lambda: CurvatureWave(jnp.asarray([1.29, -22.57, 78.39, -52.83]), jnp.asarray(1.52)),
    0.47,
    {"tail": 0.304, "truncate": 0.418, "hold": 0.468},
)
