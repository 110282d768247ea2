"""Positions of the vertebrae along the body, and the map between beam axes and vertebra axes."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from spatial import non_negative, positive
from spatial.printing import Printed

from .design import Wrist

# Matrix from section axes to vertebra axes: x_v = t3 (yaw), y_v = -t2 (pitch), z_v = t1 (roll).
# It is symmetric and orthogonal, and therefore its own inverse.
BEAM_TO_VERTEBRA = ((0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0))


class Layout(Printed):
    """A chain of equal vertebrae, each with its base on the head side and the centre O at its midpoint.

    Attributes:
        start: abscissa of the head side of the first vertebra [m].
        pitch: length of one vertebra along the body [m].
        count: number of vertebrae.
    """

    start: Float[Array, ""]
    pitch: Float[Array, ""]
    count: int = eqx.field(static=True)

    def __init__(self, count: int = 10, pitch: ArrayLike = 0.1, start: ArrayLike = 0.25):
        """By default the prototype: 10 vertebrae of 0.1 m on 1.5 m. [CHA08, Description]

        The paper does not say how the remaining 0.5 m is divided between head and tail; here each has half.
        """
        if not isinstance(count, int) or count < 1:
            raise ValueError(f"Layout.count = {count!r}: must be an integer of at least 1")
        self.count = count
        self.pitch = positive("Layout.pitch", pitch, "m")
        self.start = non_negative("Layout.start", start, "m")

    @classmethod
    def spanning(cls, length: ArrayLike, count: int) -> "Layout":
        """Vertebrae from the nose to the tail of a body of this length [m]."""
        length = positive("Layout.spanning: length", length, "m")
        if not isinstance(count, int) or count < 1:
            raise ValueError(f"Layout.count = {count!r}: must be an integer of at least 1")
        return cls(count, length / count, 0.0)

    @property
    def fore(self) -> Float[Array, "vertebrae"]:
        """Abscissae of the head sides, where the bases are [m]."""
        return self.start + self.pitch * jnp.arange(self.count)

    @property
    def centre(self) -> Float[Array, "vertebrae"]:
        """Abscissae of the centres O [m]."""
        return self.fore + 0.5 * self.pitch

    @property
    def aft(self) -> Float[Array, "vertebrae"]:
        """Abscissae of the tail sides, where the platforms are [m]."""
        return self.fore + self.pitch

    @property
    def stations(self) -> Float[Array, "stations"]:
        """All abscissae needed for the actuation, in order: fore, centre, fore, centre, ..., aft of the last [m]."""
        return self.start + 0.5 * self.pitch * jnp.arange(2 * self.count + 1)


def to_vertebra(vector: Float[Array, "3"]) -> Float[Array, "3"]:
    """Converts a vector of any unit from the axes (t1, t2, t3) of the base's section to the wrist's fixed frame."""
    return jnp.stack([vector[2], -vector[1], vector[0]])


def wrist_rotation(wrist: Wrist, relative: Float[Array, "3 3"]) -> Float[Array, "3 3"]:
    """Rotation from the mobile to the fixed frame that bends a vertebra like the beam.

    Args:
        wrist: the design.
        relative: rotation R(X)ᵀR(X + l) of the section at the tail side relative to the section at the head side.
    """
    T = jnp.array(BEAM_TO_VERTEBRA)
    return T @ relative @ T @ wrist.home_rotation
