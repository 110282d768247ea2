"""Pose and twist of a frame: the state that both engines integrate in time."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from .checks import Numbers, finite, unit
from .printing import Printed
from .rotations import matrix_from_quaternion


class FrameState(Printed):
    """Pose and twist of a moving frame: the head of a beam, the base of a tree.

    Attributes:
        position: position of the frame's origin (the nose, for a beam) in the world [m].
        quaternion: orientation of the frame in the world as a unit quaternion (w, x, y, z).
        twist: velocity (V, Ω) of the frame in its own axes [m/s, rad/s]; a beam swims forward when V1 < 0.
    """

    position: Float[Array, "3"]
    quaternion: Float[Array, "4"]
    twist: Float[Array, "6"]

    def __init__(
        self,
        position: Numbers = (0.0, 0.0, 0.0),
        quaternion: Numbers = (1.0, 0.0, 0.0, 0.0),
        twist: Numbers = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ):
        self.position = finite("position", position, (3,))
        self.quaternion = unit("quaternion", quaternion, 4)
        self.twist = finite("twist", twist, (6,))

    @property
    def rotation(self) -> Float[Array, "3 3"]:
        """Axes of the frame in the world, as columns."""
        return matrix_from_quaternion(self.quaternion)


def unchecked_state(position: Float[Array, "3"], quaternion: Float[Array, "4"], twist: Float[Array, "6"]) -> FrameState:
    """Builds a `FrameState` without argument checks, for use inside compiled loops.

    Args:
        position: as in `FrameState`.
        quaternion: as in `FrameState`.
        twist: as in `FrameState`.
    """
    state = object.__new__(FrameState)
    for name, value in (("position", position), ("quaternion", quaternion), ("twist", twist)):
        object.__setattr__(state, name, jnp.asarray(value))
    return state
