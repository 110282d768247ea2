"""Strain imposed by a gait at a set of abscissae, and its first two rates."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .node_arrays import components_first

Gait = Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, "6"]]


class StrainRates(eqx.Module):
    """Strain ξ = (Γ, K) and its time derivatives, in the section frame.

    Attributes:
        xi: strain [-, 1/m].
        dxi: its rate [1/s, 1/(m·s)].
        ddxi: its second rate [1/s², 1/(m·s²)].
    """

    xi: Float[Array, "*nodes 6"]
    dxi: Float[Array, "*nodes 6"]
    ddxi: Float[Array, "*nodes 6"]


def strain_rates(gait: Gait, X: Float[Array, "*nodes"], t: Float[Array, ""]) -> StrainRates:
    """Samples a gait and its first two time derivatives, by forward-mode differentiation of the law."""

    def law(time):
        sample = lambda x: gait(x, time)  # noqa: E731
        for _ in X.shape:
            sample = jax.vmap(sample)
        return components_first(sample(X), 6)

    def law_and_rate(time):
        return jax.jvp(law, (time,), (jnp.ones_like(time),))

    (xi, dxi), (_, ddxi) = jax.jvp(law_and_rate, (t,), (jnp.ones_like(t),))
    return StrainRates(*(jnp.moveaxis(part, 0, -1) for part in (xi, dxi, ddxi)))
