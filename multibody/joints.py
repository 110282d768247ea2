"""Joints: the kinds of motion of a body relative to its parent."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, one_of
from spatial.checks import non_negative, of_kind, positive
from spatial.printing import Printed

POSITIONS = {"revolute": 1, "prismatic": 1, "helical": 1, "universal": 2, "spherical": 4, "fixed": 0}
FREEDOMS = {"revolute": 1, "prismatic": 1, "helical": 1, "universal": 2, "spherical": 3, "fixed": 0}
KINDS = tuple(POSITIONS)  # names of the kinds of joints

Z_AXIS = (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)


class Joint(Printed):
    """Joint between a body and its parent; built by `revolute`, `spherical` and similar functions.

    The body frame is located at the joint; at zero joint position it coincides with the joint frame, which is fixed to
    the parent. Attributes per freedom may be given as one number for all freedoms.

    Attributes:
        kind: one of `KINDS`.
        actuated: True if the motion is imposed and the torque is computed; False for the reverse.
        name: name of the joint; None to use the name of its body.
        rotation: axes of the joint frame in the parent frame, as columns.
        position: origin of the joint frame in the parent frame [m].
        axis: unit axis, with the same components in the joint frame and in the body frame.
        second_axis: unit axis of the second freedom of a universal joint, in the body frame.
        pitch: advance of a helical joint [m/rad].
        stiffness: stiffness of the spring [N·m/rad] or [N/m].
        rest: joint position of the relaxed spring [rad] or [m]; a rotation vector for a spherical joint.
        damping: viscous friction [N·m·s/rad] or [N·s/m] (F_v of [KR13, eq. (31)]).
        friction: Coulomb friction [N·m] or [N] (F_s of [KR13, eq. (31)]).
        friction_speed: rate at which the smoothed Coulomb friction reaches 76 % of its limit [rad/s] or [m/s].
        rotor_inertia: inertia of motor and gear reflected to the joint [kg·m²] or [kg] (I_a of [KR13, eq. (31)]).
    """

    kind: str = eqx.field(static=True)
    actuated: bool = eqx.field(static=True)
    name: str | None = eqx.field(static=True)
    rotation: Float[Array, "3 3"]
    position: Float[Array, "3"]
    axis: Float[Array, "3"]
    second_axis: Float[Array, "3"]
    pitch: Float[Array, ""]
    stiffness: Float[Array, "freedoms"]
    rest: Float[Array, "freedoms"]
    damping: Float[Array, "freedoms"]
    friction: Float[Array, "freedoms"]
    friction_speed: Float[Array, "freedoms"]
    rotor_inertia: Float[Array, "freedoms"]

    def __init__(
        self,
        kind: str,
        axis: Numbers = Z_AXIS,
        second_axis: Numbers = Z_AXIS,
        pitch: Numbers = 0.0,
        *,
        rotation: Numbers | None = None,
        position: Numbers = ORIGIN,
        actuated: bool = True,
        name: str | None = None,
        stiffness: Numbers = 0.0,
        rest: Numbers = 0.0,
        damping: Numbers = 0.0,
        friction: Numbers = 0.0,
        friction_speed: Numbers = 0.01,
        rotor_inertia: Numbers = 0.0,
    ):
        if name is not None:
            of_kind("Joint.name", name, str, "text, or None")
        label = f"joint {name!r}" if name is not None else "joint"
        one_of(f"{label}: kind", kind, KINDS)
        self.kind, self.actuated, self.name = kind, bool(actuated), name
        self.rotation = finite(f"{label}: rotation", jnp.eye(3) if rotation is None else rotation, (3, 3))
        self.position = finite(f"{label}: position", position, (3,))
        self.axis = finite(f"{label}: axis", axis, (3,))
        self.second_axis = finite(f"{label}: second_axis", second_axis, (3,))
        self.pitch = finite(f"{label}: pitch", pitch, ())
        freedoms = FREEDOMS[kind]

        def spread(field: str, value: Numbers, check: Callable[..., Array] = finite) -> Float[Array, "freedoms"]:
            array = check(f"{label}: {field}", value)
            if array.shape not in ((), (freedoms,)):
                raise ValueError(
                    f"{label}: {field} has shape {array.shape}: must be one number or {freedoms}, "
                    f"one for each freedom of a {kind} joint"
                )
            return jnp.broadcast_to(array, (freedoms,))

        self.stiffness = spread("stiffness", stiffness)
        self.rest = spread("rest", rest)
        self.damping = spread("damping", damping, non_negative)
        self.friction = spread("friction", friction, non_negative)
        self.friction_speed = spread("friction_speed", friction_speed, positive)
        self.rotor_inertia = spread("rotor_inertia", rotor_inertia, non_negative)


def revolute(axis: Numbers = Z_AXIS, **options) -> Joint:
    """Revolute joint: one angle [rad] about an axis. Options: the other fields of `Joint`."""
    return Joint("revolute", axis, **options)


def prismatic(axis: Numbers = Z_AXIS, **options) -> Joint:
    """Prismatic joint: one length [m] along an axis. Options: the other fields of `Joint`."""
    return Joint("prismatic", axis, **options)


def helical(axis: Numbers = Z_AXIS, *, pitch: Numbers, **options) -> Joint:
    """Helical joint: one angle [rad] about an axis, with an advance of `pitch` along it [m/rad]."""
    return Joint("helical", axis, pitch=pitch, **options)


def universal(axis: Numbers = (1.0, 0.0, 0.0), second_axis: Numbers = (0.0, 1.0, 0.0), **options) -> Joint:
    """Universal joint: two angles [rad], about `axis`, fixed to the parent, then `second_axis`, fixed to the body."""
    return Joint("universal", axis, second_axis, **options)


def spherical(**options) -> Joint:
    """Spherical joint: a quaternion (w, x, y, z); its rate is the angular velocity, in the body frame [rad/s]."""
    return Joint("spherical", **options)


def fixed(**options) -> Joint:
    """Rigid connection. Options: the other fields of `Joint`."""
    return Joint("fixed", **options)
