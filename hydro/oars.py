"""The blade of an oar: a force across it, as long as it pushes the water."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, angular, cross, finite, join, linear, positive


class OarBlade(eqx.Module):
    """A blade at the end of a shaft; it bites while it pushes the water one way, and lets go when the flow turns.

    Frame of the oar: origin at the oarlock, x along the shaft outboard (seen from above), y across the blade, the
    way it pushes the water.

        F = -½ ρ S C_n v_n² y at I = (L_e cos φ, 0, h),  while v_n < 0 (the flow along y); nothing otherwise
                                                                                           [KR13, eqs. (53)-(57)]

    v_n is the normal component of the water's velocity seen by the blade. The force and its slope vanish where it
    turns.

    Attributes:
        lever: L_e, from the oarlock to the middle of the blade [m].
        dip: φ, inclination of the shaft; positive when the blade lies towards -z of the oar's frame [rad].
        area: S [m²].
        coefficient: C_n [-].
        density: of the water [kg/m³].
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
        self.lever = positive("OarBlade.lever", lever, "m")
        self.dip = finite("OarBlade.dip", dip, ())
        self.area = positive("OarBlade.area", area, "m²")
        self.coefficient = positive("OarBlade.coefficient", coefficient)
        self.density = positive("OarBlade.density", density, "kg/m³")

    @property
    def middle(self) -> Float[Array, "3"]:
        """I, where the force acts, in the oar's frame [m]. [KR13, eq. (54)]"""
        return self.lever * jnp.stack([jnp.cos(self.dip), jnp.zeros(()), -jnp.sin(self.dip)])

    def flow(self, twist: Float[Array, "6"]) -> Float[Array, ""]:
        """v_n: velocity of still water across the blade, for a twist of the oar in its frame [m/s]. [KR13, eq. (53)]"""
        return -(linear(twist) + cross(angular(twist), self.middle))[1]

    def wrench(self, twist: Float[Array, "6"]) -> Float[Array, "6"]:
        """What the water does to the oar, about its origin, in its frame [N, N·m]."""
        push = jnp.minimum(self.flow(twist), 0.0)
        force = jnp.zeros(3).at[1].set(-0.5 * self.density * self.area * self.coefficient * push**2)
        return join(force, cross(self.middle, force))
