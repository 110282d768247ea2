"""What the records of all motions share: a frame (nose, base or hull) in time."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from spatial import FrameState, linear, matrix_from_quaternion, unchecked_state


class AbstractMotion(eqx.Module):
    """A frame in time; several runs side by side have an axis of runs after that of times.

    Attributes:
        time: of the record [s].
        position: of the frame's origin in the world [m].
        quaternion: of the frame in the world, (w, x, y, z), unit.
        twist: of the frame, in its own axes [m/s, rad/s].
    """

    time: eqx.AbstractVar[Float[Array, "times"]]
    position: eqx.AbstractVar[Float[Array, "times *runs 3"]]
    quaternion: eqx.AbstractVar[Float[Array, "times *runs 4"]]
    twist: eqx.AbstractVar[Float[Array, "times *runs 6"]]

    def state(self, k: int | Int[Array, ""]) -> FrameState:
        """State of the frame at the k-th time of the record."""
        return unchecked_state(self.position[k], self.quaternion[k], self.twist[k])

    @property
    def velocity(self) -> Float[Array, "times *runs 3"]:
        """Of the frame's origin, in the world [m/s]."""
        return jnp.squeeze(matrix_from_quaternion(self.quaternion) @ linear(self.twist)[..., None], -1)

    @property
    def is_finite(self) -> Bool[Array, ""]:
        """Whether no velocity is NaN or infinite."""
        return jnp.all(jnp.isfinite(self.twist))


def unit_quaternions(quaternion: Float[Array, "*batch 4"]) -> Float[Array, "*batch 4"]:
    """Normalised quaternions, in any frame: integrators preserve the norm only to their tolerance."""
    return quaternion / jnp.linalg.norm(quaternion, axis=-1, keepdims=True)
