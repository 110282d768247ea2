"""Base class of all recorded motions: a frame (nose, base or hull) in time."""

import equinox as eqx
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from spatial import FrameState, linear, matrix_from_quaternion, unchecked_state
from spatial.printing import Printed, summary, value_text


class AbstractMotion(Printed):
    """Recorded motion of a frame. In a batch of runs, an axis of runs follows the axis of times.

    Attributes:
        time: output times [s].
        position: position of the frame's origin in the world [m].
        quaternion: orientation of the frame in the world as a unit quaternion (w, x, y, z).
        twist: twist of the frame, in its own axes [m/s, rad/s].
    """

    time: eqx.AbstractVar[Float[Array, "times"]]
    position: eqx.AbstractVar[Float[Array, "times *runs 3"]]
    quaternion: eqx.AbstractVar[Float[Array, "times *runs 4"]]
    twist: eqx.AbstractVar[Float[Array, "times *runs 6"]]

    def __str__(self) -> str:
        ends = self.time, self.position
        if any(isinstance(part, Tracer) for part in ends) or self.position.ndim != 2:
            return summary(self)
        first, last = (f"{value_text(self.position[k])} m at {value_text(self.time[k])} s" for k in (0, -1))
        return f"{type(self).__name__}({self.time.shape[0]} instants, from {first} to {last})"

    def state(self, k: int | Int[Array, ""]) -> FrameState:
        """State of the frame at the k-th output time."""
        return unchecked_state(self.position[k], self.quaternion[k], self.twist[k])

    @property
    def velocity(self) -> Float[Array, "times *runs 3"]:
        """Velocity of the frame's origin in the world [m/s]."""
        return jnp.squeeze(matrix_from_quaternion(self.quaternion) @ linear(self.twist)[..., None], -1)

    @property
    def is_finite(self) -> Bool[Array, ""]:
        """Whether all velocities are finite."""
        return jnp.all(jnp.isfinite(self.twist))


def unit_quaternions(quaternion: Float[Array, "*batch 4"]) -> Float[Array, "*batch 4"]:
    """Normalised quaternions, in any frame: integrators preserve the norm only to their tolerance."""
    return quaternion / jnp.linalg.norm(quaternion, axis=-1, keepdims=True)
