"""Where the base is and how it moves: what a tree with imposed joints depends on besides time."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, matrix_from_quaternion, unit


class BaseState(eqx.Module):
    """Pose and twist of the frame of body 0.

    Attributes:
        position: of its origin in the world [m].
        quaternion: of the frame in the world, (w, x, y, z), unit.
        twist: its velocity (V, Ω) in its own axes [m/s, rad/s].
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
        self.position = finite("BaseState.position", position, (3,))
        self.quaternion = unit("BaseState.quaternion", quaternion, 4)
        self.twist = finite("BaseState.twist", twist, (6,))

    @property
    def rotation(self) -> Float[Array, "3 3"]:
        """Axes of the base in the world, as columns."""
        return matrix_from_quaternion(self.quaternion)


def unchecked_state(position: Float[Array, "3"], quaternion: Float[Array, "4"], twist: Float[Array, "6"]) -> BaseState:
    """A state made of arrays that are known to be good: no check stays in compiled loops."""
    state = object.__new__(BaseState)
    for name, value in (("position", position), ("quaternion", quaternion), ("twist", twist)):
        object.__setattr__(state, name, jnp.asarray(value))
    return state
