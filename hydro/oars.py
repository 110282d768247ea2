"""The blade of an oar: a one-sided force normal to the blade."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, angular, cross, finite, join, linear, positive
from spatial.printing import Printed


class OarBlade(Printed):
    """Blade at the end of a shaft, which is loaded only while it pushes the water in one direction.

    Oar frame: origin at the oarlock, x outboard along the shaft (seen from above), y normal to the blade, in the
    direction in which it pushes the water.

        F = -½ ρ S C_n v_n² y at I = (L_e cos φ, 0, h),  while v_n < 0 (the flow along y); zero otherwise
                                                                                           [KR13, eqs. (53)-(57)]

    v_n is the normal component of the water's velocity relative to the blade. The force and its derivative vanish at
    v_n = 0.

    Attributes:
        lever: L_e, distance from the oarlock to the middle of the blade [m].
        dip: φ, inclination of the shaft; positive if the blade is on the -z side of the oar's frame [rad].
        area: S, area of the blade [m²].
        coefficient: C_n [-].
        density: density of the water [kg/m³].
    """

    lever: Float[Array, ""]
    dip: Float[Array, ""]
    area: Float[Array, ""]
    coefficient: Float[Array, ""]
    density: Float[Array, ""]

    def __init__(
        self,
        lever: Numbers,
        dip: Numbers,
        *,
        area: Numbers = 0.082,
        coefficient: Numbers = 2.0,
        density: Numbers = 1000.0,
    ):
        self.lever = positive("OarBlade.lever", lever, "m", ())
        self.dip = finite("OarBlade.dip", dip, ())
        self.area = positive("OarBlade.area", area, "m²", ())
        self.coefficient = positive("OarBlade.coefficient", coefficient, shape=())
        self.density = positive("OarBlade.density", density, "kg/m³", ())

    @property
    def middle(self) -> Float[Array, "3"]:
        """I, the point of application of the force, in the oar's frame [m]. [KR13, eq. (54)]"""
        return self.lever * jnp.stack([jnp.cos(self.dip), jnp.zeros(()), -jnp.sin(self.dip)])

    def flow(self, twist: Float[Array, "6"]) -> Float[Array, ""]:
        """v_n: velocity of still water across the blade, for a twist of the oar in its frame [m/s]. [KR13, eq. (53)]"""
        return -(linear(twist) + cross(angular(twist), self.middle))[1]

    def wrench(self, twist: Float[Array, "6"]) -> Float[Array, "6"]:
        """Load of the water on the oar about its origin, in its frame [N, N·m]."""
        push = jnp.minimum(self.flow(twist), 0.0)
        force = jnp.zeros(3).at[1].set(-0.5 * self.density * self.area * self.coefficient * push**2)
        return join(force, cross(self.middle, force))
