"""The state of the head: all that the motion of a beam with imposed strains depends on."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, matrix_from_quaternion, unit


class HeadState(eqx.Module):
    """Pose and twist of the head frame (the section X = 0).

    Attributes:
        position: of the nose in the world [m].
        quaternion: of the head frame in the world, (w, x, y, z), unit.
        twist: velocity of the head (V, Ω) in the head frame [m/s, rad/s]; forward is V1 < 0.
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
        self.position = finite("HeadState.position", position, (3,))
        self.quaternion = unit("HeadState.quaternion", quaternion, 4)
        self.twist = finite("HeadState.twist", twist, (6,))

    @property
    def rotation(self) -> Float[Array, "3 3"]:
        """Axes t1, t2, t3 of the head in the world, as columns."""
        return matrix_from_quaternion(self.quaternion)


def unchecked_state(position: Float[Array, "3"], quaternion: Float[Array, "4"], twist: Float[Array, "6"]) -> HeadState:
    """A state made of arrays that are known to be good: no check stays in compiled loops."""
    state = object.__new__(HeadState)
    for name, value in (("position", position), ("quaternion", quaternion), ("twist", twist)):
        object.__setattr__(state, name, jnp.asarray(value))
    return state
