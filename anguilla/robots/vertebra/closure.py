"""Closure equation of the loops of the wrist: E cos x + F sin x = G."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import safe_sqrt

from .orientation import safe_arctan2


class Roots(eqx.Module):
    """Both solutions x of E cos x + F sin x = G.

    Attributes:
        rising: the root at which E cos x + F sin x increases with x [rad].
        falling: the root at which it decreases [rad].
        slope: derivative of E cos x + F sin x at the rising root, opposite at the other; zero if there is no root.
        discriminant: E² + F² - G², the square of the slope; negative if there is no root.
    """

    rising: Float[Array, "*n"]
    falling: Float[Array, "*n"]
    slope: Float[Array, "*n"]
    discriminant: Float[Array, "*n"]


def roots(E: Float[Array, "*n"], F: Float[Array, "*n"], G: Float[Array, "*n"]) -> Roots:
    """Solves E cos x + F sin x = G: x = atan2(F, E) ∓ atan2(√(E² + F² - G²), G).

    If the discriminant is not positive, both roots are the x of closest approach. All gradients are finite, because the
    square root and atan2 are never evaluated at their singular points.
    """
    discriminant = E * E + F * F - G * G
    exists = discriminant > 0.0
    slope = safe_sqrt(discriminant)
    middle = safe_arctan2(F, E)
    half = jnp.where(
        exists,
        jnp.arctan2(slope, jnp.where(exists, G, 1.0)),
        jnp.where(G < 0.0, jnp.pi, 0.0),
    )
    return Roots(wrap(middle - half), wrap(middle + half), slope, discriminant)


def wrap(angle: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """The angle wrapped into [-π, π) [rad]."""
    return angle - 2.0 * jnp.pi * jnp.floor((angle + jnp.pi) / (2.0 * jnp.pi))
