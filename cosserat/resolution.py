"""How well the smooth grid carries a gait: the tail of its expansion, and the angle turned in a panel."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from spatial import cross, stumpff

from .orientation import MAX_SECOND_TURN, MAX_TURN
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
        return expansion_tail(jax.vmap(jax.vmap(lambda x: gait(x, t) - rest))(X))

    return jax.lax.map(tail, times)


def expansion_tail(strain: Float[Array, "panels order 6"]) -> Float[Array, ""]:
    """`strain_tail` of one strain at the smooth nodes, less its value at rest [-, 1/m], in the section frame."""
    coefficients = jnp.abs(jnp.einsum("kn,pni->pki", legendre_coefficients(strain.shape[1]), strain))
    greatest = jnp.max(coefficients)
    return jnp.max(coefficients[:, -2:]) / jnp.where(greatest > 0, greatest, 1.0)


def panel_turns(gait: Gait, body: SampledBody, times: Float[Array, "times"]) -> Float[Array, "times 2"]:
    """Greatest angles of the first two factors of the orientation's expansion in any panel of the smooth grid [rad].

    The first is |∫K dX| from the start of the panel. The second is what bending about changing axes adds to it; the
    factor that is left out grows as about its tenth power.
    """
    return jax.lax.map(lambda t: curvature_turns(jax.vmap(lambda x: gait(x, t)[3:])(body.X), body), times)


def curvature_turns(curvature: Float[Array, "nodes 3"], body: SampledBody) -> Float[Array, "2"]:
    """`panel_turns` of a curvature at the smooth nodes [rad]."""
    if body.stretch is not None:
        curvature = body.stretch[:, None] * curvature
    curvature = curvature.reshape(-1, body.panel_integral.shape[0], 3)
    whole = jnp.einsum("ji,pjk->pik", body.panel_integral, curvature)
    first = whole[:, :-1]
    _, c1, c2, c3 = (c[..., None] for c in stumpff(jnp.sum(first * first, axis=-1)))
    across = cross(first, curvature)
    handed_on = (c1 - c2) * across + (c2 - c3) * cross(first, across)
    second = jnp.einsum("ji,pjk->pik", body.panel_integral, handed_on)
    angle = lambda factor: jnp.max(jnp.linalg.norm(factor, axis=-1))  # noqa: E731
    return jnp.stack([angle(whole), angle(second)])


def coiled(turns: Float[Array, "times 2"]) -> Bool[Array, "times"]:
    """Whether a panel turns too much for the expansion: its error may pass 1e-4 rad."""
    return (turns[:, 0] > MAX_TURN) | (turns[:, 1] > MAX_SECOND_TURN)
