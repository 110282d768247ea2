"""Poses, joint axes and twists of all bodies in the base frame, where twists add up along the path to the base."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import angular, bracket, cross, join, linear, matrix_from_quaternion

from .fixed_rows import rows_of
from .path_sums import path_sums
from .small_matrices import apply, compose, product, transpose
from .tree import Tree


class Configuration(eqx.Module):
    """Poses of the bodies and joint axes relative to the base.

    Attributes:
        rotation: axes of each body in the base frame, as columns.
        position: origin of each body in the base frame [m].
        screws: unit twist of each freedom, about the base's origin, in base axes.
    """

    rotation: Float[Array, "bodies 3 3"]
    position: Float[Array, "bodies 3"]
    screws: Float[Array, "freedoms 6"]


def configuration(tree: Tree, q: Float[Array, "positions"]) -> Configuration:
    """Poses of all bodies relative to the base. [KR13, eq. (1)], [PBB13, eq. (1)]

    Args:
        tree: the tree.
        q: joint positions [rad] or [m]; a unit quaternion for each spherical joint.
    """
    table = tree.layout
    rotation, slide, first_axis = _joint_motion(tree, q)
    position = tree.position if slide is None else tree.position + apply(tree.rotation, tree.axis * slide[:, None])
    pose = jnp.concatenate([jnp.eye(3, 4)[None], jnp.concatenate([rotation, position[..., None]], axis=-1)])
    # Bodies become the last axis: the compiler vectorises loops along it, not along axes of three or four entries.
    pose = jnp.moveaxis(pose, 0, -1)
    # Pointer doubling: each round doubles the length of the composed path, so log2(depth) rounds suffice for any tree.
    # The barrier prevents the compiler from fusing rounds, which would repeat a round for every entry of the next.
    for hop in table.hops:
        first = int(np.argmax(hop > 0))  # earlier bodies have already reached the base, whose pose is the identity
        near = rows_of(pose, hop[first:], axis=-1)
        longer = jnp.concatenate([pose[..., :first], compose(near, pose[..., first:])], axis=-1)
        pose = jax.lax.optimization_barrier(longer)
    pose = jnp.moveaxis(pose, -1, 0)
    rotation, position = pose[..., :3], pose[..., 3]

    spin, advance = _local_screws(tree, first_axis)
    turn = rows_of(rotation, table.freedom_body)
    spin_0 = apply(turn, spin)
    lever = cross(rows_of(position, table.freedom_body), spin_0)
    return Configuration(rotation, position, join(apply(turn, advance) + lever, spin_0))


def spread_twists(
    tree: Tree, place: Configuration, base: Float[Array, "6"], rates: Float[Array, "freedoms"]
) -> Float[Array, "bodies 6"]:
    """Twists of all bodies about the base's origin, in base axes. [KR13, eq. (7)], [PBB13, eq. (2)]

    Args:
        tree: the tree.
        place: poses and joint axes of the bodies.
        base: twist of the base [m/s, rad/s].
        rates: joint velocities [rad/s] or [m/s].
    """
    return base[None, :] + sums_to_bodies(tree, place.screws * rates[:, None])


def spread_accelerations(
    tree: Tree,
    place: Configuration,
    base: Float[Array, "6"],
    rates: Float[Array, "freedoms"],
    accelerations: Float[Array, "freedoms"],
) -> Float[Array, "bodies 6"]:
    """d(twist)/dt of each body in its own frame, transformed to the base frame, for a non-accelerating base.

    With V in the base frame, Ad d(twist)/dt = dV/dt + [V0, V] = dV0/dt + Σ (S ddq + [V_S, S dq]). The sum runs over the
    path from the base, and V_S is the twist of the body that carries the axis S. [PBB13, eqs. (4)-(5)]

    Args:
        tree: the tree.
        place: poses and joint axes of the bodies.
        base: twist of the base [m/s, rad/s].
        rates: joint velocities [rad/s] or [m/s].
        accelerations: joint accelerations [rad/s²] or [m/s²].
    """
    moving = place.screws * rates[:, None]
    carrier = rows_of(spread_twists(tree, place, base, rates), tree.layout.freedom_body)
    if "universal" in tree.kinds:
        carrier = carrier - rows_of(moving, tree.layout.not_carried_by)
    own = place.screws * accelerations[:, None] + bracket(carrier, moving)
    return sums_to_bodies(tree, own)


def sums_to_bodies(tree: Tree, values: Float[Array, "freedoms k"]) -> Float[Array, "bodies k"]:
    """For each body, the sum of the values of all freedoms that move it, in the unit of the values."""
    table = tree.layout
    if table.paths is None:
        return jnp.asarray(table.moves) @ values
    at_joints = functools.reduce(jnp.add, (rows_of(values, slot) for slot in table.joint_freedoms))
    return jnp.concatenate([jnp.zeros((1, values.shape[1])), path_sums(table.paths, at_joints)])


def sums_beyond(tree: Tree, values: Float[Array, "bodies k"]) -> Float[Array, "freedoms k"]:
    """For each freedom, the sum of the values of all bodies that it moves: the transpose of `sums_to_bodies`."""
    shape = jax.ShapeDtypeStruct((tree.layout.freedoms, values.shape[1]), values.dtype)
    return jax.linear_transpose(lambda x: sums_to_bodies(tree, x), shape)(values)[0]


def own_twists(place: Configuration, twists: Float[Array, "bodies 6"]) -> Float[Array, "bodies 6"]:
    """Twists of the bodies in their own frames, from twists about the base's origin in base axes [m/s, rad/s]."""
    velocity = linear(twists) + cross(angular(twists), place.position)
    back = transpose(place.rotation)
    return join(apply(back, velocity), apply(back, angular(twists)))


def wrenches_in_base(place: Configuration, wrenches: Float[Array, "bodies 6"]) -> Float[Array, "bodies 6"]:
    """Wrenches about the base's origin in base axes, from wrenches on the bodies in their own frames."""
    force = apply(place.rotation, linear(wrenches))
    return join(force, apply(place.rotation, angular(wrenches)) + cross(place.position, force))


def _joint_motion(tree, q):
    """Axes of each body in the parent frame, displacement along the joint, and first axis in the body frame."""
    table, kinds = tree.layout, tree.kinds
    start, kind = table.position_start[:-1], np.asarray(kinds, dtype=object)
    of = lambda *wanted, shift=0: rows_of(q, np.where(np.isin(kind, wanted), start + shift, -1))  # noqa: E731
    rotation, slide, first_axis = tree.rotation, None, tree.axis
    if {"revolute", "helical", "universal"} & set(kinds):
        rotation = _turned(rotation, tree.axis, of("revolute", "helical", "universal"))
    if {"prismatic", "helical"} & set(kinds):
        slide = of("prismatic", "helical") * jnp.where(jnp.asarray(kind == "helical"), tree.pitch, 1.0)
    if "universal" in kinds:
        angle = of("universal", shift=1)
        rotation = _turned(rotation, tree.second_axis, angle)
        back = _turned(jnp.broadcast_to(jnp.eye(3), rotation.shape), tree.second_axis, -angle)
        first_axis = apply(back, tree.axis)
    if "spherical" in kinds:
        rows = table.of_kind(kinds, "spherical")
        ball = product(tree.rotation[rows], matrix_from_quaternion(q[start[rows][:, None] + np.arange(4)[None, :]]))
        rotation = ball if len(rows) == len(kinds) else rotation.at[rows].set(ball)
    return rotation, slide, first_axis


def _turned(rotation, axis, angle):
    """Axes after a rotation about a body-fixed axis (Rodrigues' formula); only cosine and sine depend on the angle."""
    fixed = apply(rotation, axis)[:, :, None] * axis[:, None, :]
    across = cross(rotation, jnp.broadcast_to(axis[:, None, :], rotation.shape))
    return fixed + jnp.cos(angle)[:, None, None] * (rotation - fixed) + jnp.sin(angle)[:, None, None] * across


def _local_screws(tree, first_axis):
    """Angular and linear parts of the unit twist of each freedom, in the frame of the body it moves first."""
    table = tree.layout
    joint, slot = table.freedom_joint, table.freedom_slot
    kind = np.asarray(tree.kinds, dtype=object)[joint] if len(joint) else np.zeros(0, dtype=object)
    axis = rows_of(first_axis, joint)
    second = jnp.asarray((kind == "universal") & (slot == 1))[:, None]
    if "universal" in tree.kinds:
        axis = jnp.where(second, tree.second_axis[joint], axis)
    if "spherical" in tree.kinds:
        axis = jnp.where(jnp.asarray(kind == "spherical")[:, None], jnp.eye(3)[slot], axis)
    turns = jnp.asarray((kind != "prismatic").astype(float))[:, None]
    advance = jnp.asarray((kind == "prismatic").astype(float))
    if "helical" in tree.kinds:
        advance = advance + jnp.where(jnp.asarray(kind == "helical"), tree.pitch[joint], 0.0)
    return turns * axis, advance[:, None] * axis
