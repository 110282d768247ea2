"""The whole body reduced to its head: inertia and wrench there, and the rate of twist that balances them. (34)

Arrays are (component, node).
"""

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from spatial import Ad, cross, join, nodewise, solve_inertia

from .node_arrays import apply
from .space_path import HeadDynamics

_Ad = nodewise(Ad)
_cross = nodewise(cross)


def reduced_to_head(
    rotation: Float[Array, "3 3 nodes"],
    position: Float[Array, "3 nodes"],
    inertia: Float[Array, "6 6 nodes"],
    wrench: Float[Array, "6 nodes"],
    nose_inertia: Float[Array, "6 6"],
    nose_wrench: Float[Array, "6"],
) -> HeadDynamics:
    """Sums inertia and wrench of the sections at the head. (54)-(57)

    Args:
        rotation: axes of each section in the head frame, as columns.
        position: centre of each section in the head frame [m].
        inertia: inertia of body and water lumped at each node, in the section frame [kg, kg·m²].
        wrench: wrench on each node minus its inertial wrench for a head with steady twist, in the section frame
            [N, N·m].
        nose_inertia: added inertia of the nose, in the head frame [kg, kg·m²].
        nose_wrench: wrench on the nose, in the head frame [N, N·m].
    """
    parts = rotation, position, inertia, wrench, nose_inertia, nose_wrench
    return HeadDynamics(*_gathered(*parts), _rate(*parts))


def carried(
    rotation: Float[Array, "3 3 nodes"], position: Float[Array, "3 nodes"], twist: Float[Array, "6"]
) -> Float[Array, "6 nodes"]:
    """Twist of the head, or its rate, transformed to each section as for a rigid body, in the section frame."""
    spread = jnp.broadcast_to(twist[:, None], (6, position.shape[1]))
    back = jnp.swapaxes(rotation, 0, 1)
    linear, angular = apply(back, spread[:3] + _cross(spread[3:], position)), apply(back, spread[3:])
    return jnp.concatenate([linear, angular])


def _gathered(rotation, position, inertia, wrench, nose_inertia, nose_wrench):
    shift = _Ad(rotation, position)
    shifted = sum(inertia[:, k, None] * shift[None, k] for k in range(6))
    return (
        jnp.einsum("ian,ibn->ab", shift, shifted) + nose_inertia,  # (54), (57)
        jnp.einsum("ian,in->a", shift, wrench) + nose_wrench,  # (55)-(57)
    )


@jax.custom_jvp
def _rate(*parts):
    return solve_inertia(*_gathered(*parts))


def _derivative(parts, changes):
    """H δa = δ(b - H a) at fixed a: a sum of wrenches, so that the 6x6 matrix H is never differentiated."""
    inertia, wrench = _gathered(*parts)
    rate = solve_inertia(inertia, wrench)
    moving = [k for k, change in enumerate(changes) if not isinstance(change, SymbolicZero)]

    def unbalanced(*moved):
        now = dict(enumerate(parts)) | dict(zip(moving, moved, strict=True))
        rotation, position, inertia, wrench, nose_inertia, nose_wrench = now.values()
        left = wrench - apply(inertia, carried(rotation, position, rate))
        force, couple = apply(rotation, left[:3]), apply(rotation, left[3:])
        couple = couple + _cross(position, force)
        return join(jnp.sum(force, axis=1), jnp.sum(couple, axis=1)) + nose_wrench - nose_inertia @ rate

    _, change = jax.jvp(unbalanced, tuple(parts[k] for k in moving), tuple(changes[k] for k in moving))
    return rate, solve_inertia(inertia, change)


_rate.defjvp(_derivative, symbolic_zeros=True)
