"""Resolution of a panel of the smooth grid: decay of the expansions, and angle turned within the panel."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import cross, nodewise

from .orientation import MAX_SECOND_TURN, MAX_TURN, expansion_coefficients
from .quadrature import legendre_coefficients
from .sampled_body import SampledBody
from .section_motion import SectionMotion
from .strain import Gait

_cross = nodewise(nodewise(cross))
TOGETHER = 20  # times at which the turn is computed side by side: one by one takes four times as long


def decay(motion: SectionMotion, order: int) -> Float[Array, ""]:
    """Size of the last two Legendre coefficients of the motion in any panel, relative to the greatest of all [-].

    The loads are computed from twists and their rates, which have several times the bandwidth of the strains.

    Args:
        motion: motion at the smooth nodes.
        order: nodes in one panel.
    """
    fields = jnp.stack([motion.twist[:3], motion.twist[3:], motion.twist_rate[:3], motion.twist_rate[3:]])
    to_coefficients = legendre_coefficients(order).T
    coefficients = jnp.abs(fields.reshape(4, 3, -1, order) @ to_coefficients)
    greatest = jnp.max(coefficients, axis=(1, 2, 3))
    # If a body hardly deforms, its rates are small differences of terms like ω×v. Rates are therefore compared with
    # these terms, so that round-off does not count.
    linear, angular = greatest[0], greatest[1]
    greatest = jnp.maximum(greatest, jnp.stack([linear, angular, linear * angular, angular * angular]))
    last = jnp.max(coefficients[..., -2:], axis=(1, 2, 3))
    return jnp.max(last / jnp.where(greatest > 0, greatest, 1.0))


def expansion_tail(strain: Float[Array, "panels order 6"]) -> Float[Array, ""]:
    """Greatest of the last two Legendre coefficients of a strain in any panel, relative to the greatest of all [-].

    Args:
        strain: strain at the smooth nodes minus its value at rest, in the section frame [-, 1/m].
    """
    coefficients = jnp.abs(jnp.einsum("kn,pni->pki", legendre_coefficients(strain.shape[1]), strain))
    greatest = jnp.max(coefficients)
    return jnp.max(coefficients[:, -2:]) / jnp.where(greatest > 0, greatest, 1.0)


def panel_turns(gait: Gait, body: SampledBody, times: Float[Array, "times"]) -> Float[Array, "times 2"]:
    """Greatest angles of the first two factors of the orientation's expansion in any panel of the smooth grid [rad].

    The first is |∫K dX| from the start of the panel. The second is due to bending about changing axes; the first
    omitted factor grows as about its tenth power.
    """
    turns = lambda t: curvature_turns(jax.vmap(lambda x: gait(x, t)[3:])(body.X), body)  # noqa: E731
    return jax.lax.map(turns, times, batch_size=min(TOGETHER, times.shape[0]))


def curvature_turns(curvature: Float[Array, "nodes 3"], body: SampledBody) -> Float[Array, "2"]:
    """`panel_turns` of a curvature at the smooth nodes [rad]."""
    if body.stretch is not None:
        curvature = body.stretch[:, None] * curvature
    order = body.panel_integral.shape[0]
    K = curvature.T.reshape(3, -1, order)
    whole = K @ body.panel_integral
    first = whole[..., :-1]
    _, _, along, across = expansion_coefficients(0.25 * jnp.sum(first * first, axis=0))
    F_K = _cross(first, K)
    handed_on = along[None] * F_K + across[None] * _cross(first, F_K)
    second = handed_on @ body.panel_integral
    angle = lambda factor: jnp.sqrt(jnp.max(jnp.sum(factor * factor, axis=0)))  # noqa: E731
    return jnp.stack([angle(whole), angle(second)])


def relative_turn(turns: Float[Array, "times 2"]) -> Float[Array, "times"]:
    """Angles turned in a panel relative to the greatest that is resolved; above one the error exceeds 1e-4 [-]."""
    return jnp.max(turns / np.array([[MAX_TURN, MAX_SECOND_TURN]]), axis=1)
