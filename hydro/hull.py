"""A hull in the water: hydrostatics, radiation and resistance together, for any body that floats."""

import equinox as eqx
from jaxtyping import Array, Float

from .hydrostatics import LinearHydrostatics
from .radiation import Radiation
from .resistance import Ittc57


class Hull(eqx.Module):
    """What water does to a floating body. [KR13, eq. (45)]

    The water remembers: states of the radiation join those of the body. Load = Σ terms - added_inertia @ d(twist)/dt,
    as with any fluid.

    Attributes:
        hydrostatics: buoyancy, linear about rest.
        radiation: added mass and memory of waves.
        resistance: to going ahead; None for none.
    """

    hydrostatics: LinearHydrostatics
    radiation: Radiation
    resistance: Ittc57 | None

    @property
    def added_inertia(self) -> Float[Array, "6 6"]:
        """A∞ about the body's origin, in its axes [kg, kg·m, kg·m²]."""
        return self.radiation.added_mass

    def terms(
        self,
        position: Float[Array, "3"],
        rotation: Float[Array, "3 3"],
        twist: Float[Array, "6"],
        memory: Float[Array, "n"],
    ) -> dict[str, Float[Array, "6"]]:
        """Load at zero rate of the twist, term by term, in the body's frame [N, N·m].

        Args:
            position: of the body's origin in the world, z = 0 at rest [m].
            rotation: its axes in the world, as columns.
            twist: in its frame [m/s, rad/s].
            memory: states of the radiation.
        """
        out = {
            "hydrostatics": self.hydrostatics.wrench(position, rotation),
            "radiation": self.radiation.wrench(memory),
        }
        return out if self.resistance is None else out | {"resistance": self.resistance.wrench(twist)}
