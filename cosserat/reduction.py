"""The whole body reduced to its head: inertia and wrench there, and the rate of twist that balances them. (34)

Arrays are (component, node).
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from spatial import join, node_cross, solve_inertia

from .node_arrays import apply
from .space_path import HeadDynamics


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
    linear, angular = apply(back, spread[:3] + node_cross(spread[3:], position)), apply(back, spread[3:])
    return jnp.concatenate([linear, angular])


def _gathered(rotation, position, inertia, wrench, nose_inertia, nose_wrench):
    # In the head's axes, block by block: a product of 6x6 matrices at every node takes longer.
    turned = lambda block: apply(rotation, jnp.swapaxes(apply(rotation, jnp.swapaxes(block, 0, 1)), 0, 1))  # noqa: E731
    mass, mixed, angular = (turned(block) for block in (inertia[:3, :3], inertia[:3, 3:], inertia[3:, 3:]))
    force, couple = apply(rotation, wrench[:3]), apply(rotation, wrench[3:])
    # About the nose: momentum p and angular momentum l + r × p of unit velocities, and of unit rotations.
    lower = jnp.swapaxes(mixed, 0, 1) + _lever(position, mass)
    spin = angular + _lever(position, mixed) + jnp.swapaxes(_lever(position, jnp.swapaxes(lower, 0, 1)), 0, 1)
    couple = couple + node_cross(position, force)
    mass, lower, spin, force, couple = _sums(mass, lower, spin, force, couple)
    whole = jnp.concatenate([jnp.concatenate([mass, lower.T], axis=1), jnp.concatenate([lower, spin], axis=1)])
    return whole + nose_inertia, join(force, couple) + nose_wrench  # (54)-(57)


def _lever(position, matrix):
    """r × each column of a matrix, at every node."""
    return node_cross(jnp.broadcast_to(position[:, None], matrix.shape), matrix)


def _sums(*parts):
    """Sums over the nodes, all by one matrix product."""
    rows = [part.reshape(-1, part.shape[-1]) for part in parts]
    sums = jnp.concatenate(rows) @ np.ones(parts[0].shape[-1])
    ends = np.cumsum([len(row) for row in rows])[:-1]
    return [total.reshape(part.shape[:-1]) for total, part in zip(jnp.split(sums, ends), parts, strict=True)]


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
        couple = couple + node_cross(position, force)
        return join(jnp.sum(force, axis=1), jnp.sum(couple, axis=1)) + nose_wrench - nose_inertia @ rate

    _, change = jax.jvp(unbalanced, tuple(parts[k] for k in moving), tuple(changes[k] for k in moving))
    return rate, solve_inertia(inertia, change)


_rate.defjvp(_derivative, symbolic_zeros=True)
