"""Dimensions of the spherical parallel wrist that is the eel's vertebra, and its three published designs.

Two legs, each with a motor, a crank A_iB_i and a rod B_iC_i between ball joints, move a platform. A third, central leg
of three revolute joints, whose axes meet in O and of which the first is actuated, constrains the platform to rotate
about O. Lengths may be in any unit: angles, rates and torques do not depend on it.

Frames: `fixed` on the base, z along the backbone; `mobile` on the platform, x_m from O to C1 and y_m from O to C2. The
motor angles are θ1, θ2 (cranks) and θ3 (the platform's first rotation, about z).
"""

import math

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from spatial import cross, finite, positive, require_float64, shaped
from spatial.printing import Printed

from .orientation import rotation_z

HOME = math.pi / 4.0  # θ3 at which the x axis, from A2 to A1, is parallel to the line from C2 to C1 [rad]
_HALF_DIAGONAL = math.sqrt(0.5)


class Wrist(Printed):
    """A spherical wrist with two crank-and-rod legs and a central three-revolute leg. [CHA08, fig. 5]

    Attributes:
        motor: A_i, the point on each motor's axis about which the crank rotates, in the fixed frame [length].
        axis: i_i, the direction of each motor's axis, in the fixed frame.
        crank_zero: direction of each crank A_iB_i at θ_i = 0, in the fixed frame; normal to the axis.
        crank: length of each crank |A_iB_i| [length].
        rod: length of each rod |B_iC_i| [length].
        platform: lengths |OC1| along x_m and |OC2| along y_m [length].
        home: θ3 of the straight backbone [rad].
    """

    motor: Float[Array, "2 3"]
    axis: Float[Array, "2 3"]
    crank_zero: Float[Array, "2 3"]
    crank: Float[Array, "2"]
    rod: Float[Array, "2"]
    platform: Float[Array, "2"]
    home: Float[Array, ""]

    def __init__(
        self,
        motor: ArrayLike,
        axis: ArrayLike,
        crank_zero: ArrayLike,
        crank: ArrayLike,
        rod: ArrayLike,
        platform: ArrayLike,
        home: ArrayLike = HOME,
    ):
        require_float64()
        self.motor = finite("Wrist.motor", motor, (2, 3))
        self.axis = _unit_rows("Wrist.axis", axis)
        self.crank_zero = _unit_rows("Wrist.crank_zero", crank_zero)
        if not isinstance(self.axis, Tracer) and not isinstance(self.crank_zero, Tracer):
            slant = np.max(np.abs(np.sum(np.asarray(self.axis) * np.asarray(self.crank_zero), axis=1)))
            if slant > 1e-9:
                raise ValueError(f"Wrist.crank_zero: must be normal to Wrist.axis; cosine of the angle = {slant}")
        self.crank = _pair("Wrist.crank", crank)
        self.rod = _pair("Wrist.rod", rod)
        self.platform = _pair("Wrist.platform", platform)
        self.home = finite("Wrist.home", home, ())

    @property
    def home_rotation(self) -> Float[Array, "3 3"]:
        """Rotation from the mobile to the fixed frame when the backbone is straight."""
        return rotation_z(self.home)

    def crank_vectors(self, angles: Float[Array, "2"]) -> Float[Array, "2 3"]:
        """l_i = A_iB_i of both legs at the crank angles θ1, θ2 [rad], in the fixed frame [length]."""
        raised = cross(self.axis, self.crank_zero)
        turned = jnp.cos(angles)[:, None] * self.crank_zero + jnp.sin(angles)[:, None] * raised
        return self.crank[:, None] * turned

    def platform_points(self, rotation: Float[Array, "3 3"]) -> Float[Array, "2 3"]:
        """p_i = OC_i of both legs, in the fixed frame [length], for a rotation from mobile to fixed frame."""
        return self.platform[:, None] * rotation[:, :2].T


def parallel_axes(platform: ArrayLike = 1.0, rod: ArrayLike = 1.0, crank: ArrayLike | None = None) -> Wrist:
    """Two motors along x, side by side: the first design of [CHA08], isotropic at home.

    At home the cranks point along y and the rods along z. With |OC| = 1 the motors are at
    (±√2/2, √2/2 - |AB|, -|BC|).

    Args:
        platform: |OC1| = |OC2| [length].
        rod: |B1C1| = |B2C2| [length].
        crank: |A1B1| = |A2B2| [length]; the platform's length by default.
    """
    platform = positive("parallel_axes: platform", platform)
    crank = platform if crank is None else positive("parallel_axes: crank", crank)
    forward = jnp.broadcast_to(jnp.array([0.0, 1.0, 0.0]), (2, 3))
    sideways = jnp.broadcast_to(jnp.array([1.0, 0.0, 0.0]), (2, 3))
    return _upright(sideways, forward, crank, positive("parallel_axes: rod", rod), platform)


def orthogonal_axes(platform: ArrayLike = 1.0, rod: ArrayLike = 1.0, crank: ArrayLike | None = None) -> Wrist:
    """Two motors at right angles, each crank below the arm OC_i of its leg: the second design of [CHA08].

    At home the rods point along z. With |AB| = |OC| the motor axes cross at (0, 0, -|BC|). [CHA08] prints A_i = O,
    which contradicts the conditions of isotropy l_i ⊥ r_i and p_i ⊥ r_i of the paper.

    Args:
        platform: |OC1| = |OC2| [length].
        rod: |B1C1| = |B2C2| [length].
        crank: |A1B1| = |A2B2| [length]; the platform's length by default.
    """
    platform = positive("orthogonal_axes: platform", platform)
    crank = platform if crank is None else positive("orthogonal_axes: crank", crank)
    s = _HALF_DIAGONAL
    axis = jnp.array([[s, -s, 0.0], [s, s, 0.0]])
    outward = jnp.array([[s, s, 0.0], [-s, s, 0.0]])
    return _upright(axis, outward, crank, positive("orthogonal_axes: rod", rod), platform)


def prototype(platform: ArrayLike = 1.0, rod: ArrayLike = 1.0) -> Wrist:
    """The vertebra that was built, with parallel motors whose axes intersect the z axis. [CHA08, fig. 11]

    The cranks are |OC|/√2 long, so that a pure yaw rotates both by the same angle as the platform.

    Args:
        platform: |OC1| = |OC2| [length].
        rod: |B1C1| = |B2C2| [length].
    """
    return parallel_axes(platform, rod, _HALF_DIAGONAL * positive("prototype: platform", platform))


# The published designs by name.
DESIGNS = {"parallel": parallel_axes, "orthogonal": orthogonal_axes, "prototype": prototype}


def _upright(axis, crank_zero, crank, rod, platform):
    """A wrist with rods along z and zero crank angles at home."""
    s = _HALF_DIAGONAL
    top = platform * jnp.array([[s, s, 0.0], [-s, s, 0.0]])
    motor = top - rod * jnp.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]) - crank * crank_zero
    return Wrist(motor, axis, crank_zero, crank, rod, platform)


def _pair(name, value):
    array = positive(name, value)
    if array.shape not in ((), (2,)):
        shaped(name, array, (2,))
    return jnp.broadcast_to(array, (2,))


def _unit_rows(name, value):
    array = finite(name, value, (2, 3))
    norm = jnp.sqrt(jnp.sum(array * array, axis=1, keepdims=True))
    return array / positive(f"|{name}|", norm)
