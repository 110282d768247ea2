"""A hull in water: hydrostatics, radiation and resistance combined, for any floating body."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, angular, cross, finite, join, linear, positive
from spatial.checks import of_kind
from spatial.printing import Printed

from .hydrostatics import LinearHydrostatics
from .radiation import Radiation
from .resistance import Ittc57


class Fin(eqx.Module):
    """A fin under the hull: a lateral lift proportional to its small angle of incidence.

        Y = -½ ρ S C_Lα |u| v,   u, v the velocities of the fin along and across the boat

    It only dissipates energy (Y v ≤ 0); its drag is neglected.

    Attributes:
        position: centre of pressure in the frame of the hull [m].
        area: S [m²].
        slope: lift curve slope C_Lα [1/rad].
        density: density of the water [kg/m³].
    """

    position: Float[Array, "3"]
    area: Float[Array, ""]
    slope: Float[Array, ""]
    density: Float[Array, ""]

    def __init__(self, position: Numbers, area: Numbers, slope: Numbers = 2.5, density: Numbers = 1000.0):
        self.position = finite("Fin.position", position, (3,))
        self.area = positive("Fin.area", area, "m²", ())
        self.slope = positive("Fin.slope", slope, "1/rad", ())
        self.density = positive("Fin.density", density, "kg/m³", ())

    def wrench(self, twist: Float[Array, "6"]) -> Float[Array, "6"]:
        """Load on the hull about its origin, for its twist in its frame [N, N·m]."""
        u, v, _ = linear(twist) + cross(angular(twist), self.position)
        lift = -0.5 * self.density * self.area * self.slope * jnp.abs(u) * v
        force = jnp.zeros(3).at[1].set(lift)
        return join(force, cross(self.position, force))


class Hull(Printed):
    """Load of the water on a floating body. [KR13, eq. (45)]

    Radiated waves act on the hull with a memory: the states of `radiation` are integrated together with those of the
    body. Load = Σ terms - added_inertia @ d(twist)/dt, as for any fluid.

    Attributes:
        hydrostatics: buoyancy, linearised about equilibrium.
        radiation: added mass and fluid memory (radiated waves).
        resistance: resistance to forward motion; None for none.
        fin: a fin, whose load is part of the term "resistance"; None for none.
    """

    hydrostatics: LinearHydrostatics
    radiation: Radiation
    resistance: Ittc57 | None
    fin: Fin | None = None

    def __check_init__(self):
        of_kind("Hull.hydrostatics", self.hydrostatics, LinearHydrostatics, "a hydro.LinearHydrostatics")
        of_kind("Hull.radiation", self.radiation, Radiation, "a hydro.Radiation")
        for name, kind in (("resistance", Ittc57), ("fin", Fin)):
            if getattr(self, name) is not None:
                of_kind(f"Hull.{name}", getattr(self, name), kind, f"a hydro.{kind.__name__}, or None")

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
            rotation: axes of the body in the world, as columns.
            twist: twist of the body, in its frame [m/s, rad/s].
            memory: states of the radiation model.
        """
        out = {
            "hydrostatics": self.hydrostatics.wrench(position, rotation),
            "radiation": self.radiation.wrench(memory),
        }
        passive = [part.wrench(twist) for part in (self.resistance, self.fin) if part is not None]
        return out | {"resistance": sum(passive, jnp.zeros(6))} if passive else out
