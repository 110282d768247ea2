"""A hull in water: hydrostatics, radiation and resistance combined, for any floating body."""

import equinox as eqx
from jaxtyping import Array, Float

from .hydrostatics import LinearHydrostatics
from .radiation import Radiation
from .resistance import Ittc57


class Hull(eqx.Module):
    """Load of the water on a floating body. [KR13, eq. (45)]

    Radiated waves act back on the hull later: the states of `radiation` are integrated together with those of the
    body. Load = Σ terms - added_inertia @ d(twist)/dt,
    as for any fluid.

    Attributes:
        hydrostatics: buoyancy, linearised about equilibrium.
        radiation: added mass and fluid memory (radiated waves).
        resistance: resistance to forward motion; None for none.
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
        """Load at zero rate of twist, term by term, in the body's frame [N, N·m].

        Args:
            position: position of the body's origin in the world, z = 0 at equilibrium [m].
            rotation: its axes in the world, as columns.
            twist: twist in its frame [m/s, rad/s].
            memory: states of the radiation model.
        """
        out = {
            "hydrostatics": self.hydrostatics.wrench(position, rotation),
            "radiation": self.radiation.wrench(memory),
        }
        return out if self.resistance is None else out | {"resistance": self.resistance.wrench(twist)}
