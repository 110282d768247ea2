"""Poses, axes and twists of all bodies in the frame of the base, where they add up along the paths."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import (
    angular,
    bracket,
    cross,
    join,
    linear,
    matrix_from_quaternion,
    quaternion_multiply,
)

from .blocks import apply, product, transpose
from .tree import Tree


class Configuration(eqx.Module):
    """Where the bodies and the joint axes are, seen from the base.

    Attributes:
        rotation: axes of each body in the base frame, as columns.
        position: its origin there [m].
        screws: unit twist each freedom gives to the bodies it moves, about the base's origin, in its axes.
    """

    rotation: Float[Array, "bodies 3 3"]
    position: Float[Array, "bodies 3"]
    screws: Float[Array, "freedoms 6"]


def configuration(tree: Tree, q: Float[Array, "positions"]) -> Configuration:
    """Poses of all bodies relative to the base. [KR13, eq. (1)], [PBB13, eq. (1)]

    Args:
        tree: the bodies.
        q: joint positions [rad] or [m]; a unit quaternion for each spherical joint.
    """
    table = tree.layout
    joint_rotation, slide, first_axis = _joint_motion(tree, q)
    local = _poses(
        product(tree.rotation, joint_rotation),
        tree.position + apply(tree.rotation, tree.axis * slide[:, None]) if slide is not None else tree.position,
    )
    pose = jnp.concatenate([_poses(jnp.eye(3)[None], jnp.zeros((1, 3))), local])
    # Each round doubles the length of the path already composed: log2(depth) rounds for any tree.
    last = jnp.asarray([[[0.0, 0.0, 0.0, 1.0]]])
    for hop in table.hops:
        rows = np.flatnonzero(hop)  # the others have reached the base, whose pose is the identity
        near = rows_of(pose, hop[rows])
        pose = _replaced(pose, rows, product(near[..., :3], rows_of(pose, rows)) + last * near)
    rotation, position = pose[..., :3], pose[..., 3]

    spin, advance = _local_screws(tree, first_axis)
    turn = rows_of(rotation, table.freedom_body)
    spin_0 = apply(turn, spin)
    lever = cross(rows_of(position, table.freedom_body), spin_0)
    return Configuration(rotation, position, join(apply(turn, advance) + lever, spin_0))


def spread_twists(
    tree: Tree, place: Configuration, base: Float[Array, "6"], rates: Float[Array, "freedoms"]
) -> Float[Array, "bodies 6"]:
    """Twists of all bodies about the base's origin, in its axes. [KR13, eq. (7)], [PBB13, eq. (2)]

    Args:
        tree: the bodies.
        place: where they are.
        base: twist of the base [m/s, rad/s].
        rates: joint velocities [rad/s] or [m/s].
    """
    return base[None, :] + jnp.asarray(tree.layout.moves) @ (place.screws * rates[:, None])


def spread_accelerations(
    tree: Tree,
    place: Configuration,
    base: Float[Array, "6"],
    rates: Float[Array, "freedoms"],
    accelerations: Float[Array, "freedoms"],
) -> Float[Array, "bodies 6"]:
    """d(twist)/dt of each body in its own frame, carried to the base frame, for a base whose own is zero.

    With V in the base frame, Ad d(twist)/dt = dV/dt + [V0, V] = dV0/dt + Σ (S ddq + [V_S, S dq]) along the
    path, V_S being the twist of what carries the axis S. [PBB13, eqs. (4)-(5)]

    Args:
        tree: the bodies.
        place: where they are.
        base: twist of the base [m/s, rad/s].
        rates: joint velocities [rad/s] or [m/s].
        accelerations: joint accelerations [rad/s²] or [m/s²].
    """
    moving = place.screws * rates[:, None]
    carrier = base[None, :] + jnp.asarray(tree.layout.carries) @ moving
    own = place.screws * accelerations[:, None] + bracket(carrier, moving)
    return jnp.asarray(tree.layout.moves) @ own


def own_twists(place: Configuration, twists: Float[Array, "bodies 6"]) -> Float[Array, "bodies 6"]:
    """Twists of the bodies in their own frames, from twists about the base's origin in its axes [m/s, rad/s]."""
    velocity = linear(twists) + cross(angular(twists), place.position)
    back = transpose(place.rotation)
    return join(apply(back, velocity), apply(back, angular(twists)))


def wrenches_in_base(place: Configuration, wrenches: Float[Array, "bodies 6"]) -> Float[Array, "bodies 6"]:
    """Wrenches about the base's origin in its axes, from wrenches on the bodies in their own frames."""
    force = apply(place.rotation, linear(wrenches))
    return join(force, apply(place.rotation, angular(wrenches)) + cross(place.position, force))


def rows_of(array: Float[Array, "n *rest"], rows: np.ndarray) -> Float[Array, "m *rest"]:
    """Rows of an array, as a slice where they are consecutive: a gather costs more than what it feeds."""
    if len(rows) and np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows))):
        return array[int(rows[0]) : int(rows[0]) + len(rows)]
    return array[rows]


def _poses(rotation, position):
    """Rotations and positions side by side, 3x4: composed by one product."""
    return jnp.concatenate([rotation, position[..., None]], axis=-1)


def _replaced(array, rows, values):
    """The array with some rows replaced; by joining two pieces when they are the last ones, as in a chain."""
    if np.array_equal(rows, np.arange(array.shape[0] - len(rows), array.shape[0])):
        return jnp.concatenate([array[: array.shape[0] - len(rows)], values])
    return array.at[rows].set(values)


def _joint_motion(tree, q):
    """Rotation and slide of each joint, and the first axis of universal joints seen from the body."""
    table, kinds = tree.layout, tree.kinds
    padded = jnp.concatenate([q, jnp.zeros(1)])
    start = table.position_start[:-1]
    absent = table.positions
    turns = np.isin(kinds, ("revolute", "helical", "universal")) if kinds else np.zeros(0, bool)
    slides = np.isin(kinds, ("prismatic", "helical")) if kinds else np.zeros(0, bool)
    angle = rows_of(padded, np.where(turns, start, absent))
    slide = None
    if slides.any():
        slide = rows_of(padded, np.where(slides, start, absent))
        slide = jnp.where(jnp.asarray(np.isin(kinds, ("helical",))), tree.pitch * slide, slide)
    quaternion = _axis_angle(tree.axis, angle)
    first_axis = tree.axis
    if "universal" in kinds:
        second = _axis_angle(tree.second_axis, padded[np.where(np.isin(kinds, ("universal",)), start + 1, absent)])
        quaternion = quaternion_multiply(quaternion, second)
        first_axis = apply(transpose(matrix_from_quaternion(second)), tree.axis)
    if "spherical" in kinds:
        rows = table.of_kind(kinds, "spherical")
        values = padded[start[rows][:, None] + np.arange(4)[None, :]]
        quaternion = values if len(rows) == len(kinds) else quaternion.at[rows].set(values)
    return matrix_from_quaternion(quaternion), slide, first_axis


def _axis_angle(axis, angle):
    half = 0.5 * angle[:, None]
    return jnp.concatenate([jnp.cos(half), jnp.sin(half) * axis], axis=1)


def _local_screws(tree, first_axis):
    """Angular and linear part of each freedom's unit twist, in the frame of the body it carries."""
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
