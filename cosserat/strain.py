"""The strain a gait imposes at a set of abscissae, and its two rates."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import require_float64

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
    """Samples a gait and its first two time derivatives, by forward differentiation of the law alone."""

    def law(time):
        sample = lambda x: gait(x, time)  # noqa: E731
        for _ in X.shape:
            sample = jax.vmap(sample)
        return sample(X)

    def law_and_rate(time):
        return jax.jvp(law, (time,), (jnp.ones_like(time),))

    (xi, dxi), (_, ddxi) = jax.jvp(law_and_rate, (t,), (jnp.ones_like(t),))
    return StrainRates(xi, dxi, ddxi)


def check_gait(gait: Gait) -> None:
    """Refuses what is not a law (X, t) -> strain (6,) of two scalars."""
    require_float64()
    if not callable(gait):
        raise ValueError(f"gait = {gait!r}: must be a callable (X, t) -> strain (6,)")
    scalar = jax.ShapeDtypeStruct((), jnp.result_type(float))
    try:
        strain = eqx.filter_eval_shape(gait, scalar, scalar)
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError, TypeError) as error:
        raise ValueError(
            "gait could not be evaluated at one (X, t) of traced scalars. Write it with jax.numpy (jnp.sin, "
            f"jnp.where), not with numpy, math or if, and let it take (X, t): {str(error).splitlines()[0]}"
        ) from error
    if not isinstance(strain, jax.ShapeDtypeStruct):
        hint = ": did you forget the parentheses, as in gaits.planar()?" if callable(strain) else ""
        raise ValueError(f"gait returns a {type(strain).__name__}, not an array (6,), the strain (Γ, K){hint}")
    if strain.shape != (6,):
        raise ValueError(f"gait returns shape {strain.shape} at one (X, t): must be (6,), the strain (Γ, K)")
