"""How well the smooth grid carries a gait: the tail of its expansion, and the angle turned in a panel."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .quadrature import gauss, legendre_coefficients
from .sampled_body import SampledBody
from .strain import Gait


@eqx.filter_jit
def strain_tail(
    gait: Gait, length: Float[Array, ""], times: Float[Array, "times"], order: int, panels: int
) -> Float[Array, "times"]:
    """Greatest of the last two Legendre coefficients of any strain in any panel, relative to the greatest of all.

    Args:
        gait: strain law (X, t) -> (Γ, K).
        length: length of the body [m].
        times: when to look [s].
        order: Gauss nodes in one panel.
        panels: panels along the body.
    """
    node = gauss(order)[0]
    X = length * (jnp.arange(panels)[:, None] + node[None, :]) / panels
    rest = jnp.array([1.0, 0, 0, 0, 0, 0])  # the unit stretch would hide the tail of small strains

    def tail(t):
        strain = jax.vmap(jax.vmap(lambda x: gait(x, t) - rest))(X)
        coefficients = jnp.abs(jnp.einsum("kn,pni->pki", legendre_coefficients(order), strain))
        greatest = jnp.max(coefficients)
        return jnp.max(coefficients[:, -2:]) / jnp.where(greatest > 0, greatest, 1.0)

    return jax.lax.map(tail, times)


def panel_turn(gait: Gait, body: SampledBody, times: Float[Array, "times"]) -> Float[Array, "times"]:
    """Greatest angle |∫K dX| that the body turns from the start of any panel of the smooth grid [rad]."""
    order = body.panel_cumulative.shape[1]

    def turn(t):
        curvature = jax.vmap(lambda x: gait(x, t)[3:])(body.X).reshape(-1, order, 3)
        return jnp.max(jnp.linalg.norm(body.panel_cumulative @ curvature, axis=-1))

    return jax.lax.map(turn, times)
