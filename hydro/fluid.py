"""The interface between a fluid and a body, and the void.

1. A fluid acts on one section at a time. Its load depends on the shape of the section, its pose and its twist in the
   section frame.
2. Load per metre = Σ terms − added_inertia @ d(twist)/dt. The part proportional to the rate of the twist is given by
   `added_inertia`, which depends on the shape only; all other parts are named terms.
3. A wrench is exerted by the fluid on the body: `wrench @ twist` is the power that the body receives.
4. The same holds for the nose, a point at X = 0, in newtons instead of newtons per metre. On a point mass, which has
   no size, only weight (`mass_terms`) acts, also in newtons.
5. A term that depends on the pose only is minus the gradient of `potential`, so that energy balances can be computed.
6. The terms named in `CONVECTIVE` are part of the added-mass load: the part that is not -added_inertia @ d(twist)/dt.
7. A fluid whose slices pass along the body (`shedding` is not None) also has `carried`: a wrench that is transported
   through each section, and an added inertia that depends on the strain. Its load per metre is then
   Σ terms + carried.load - carried.inertia @ d(twist)/dt + (∂/∂X - ad(ξ)ᵀ) carried.wrench.
   An engine needs the wrench only at the edge and at output sections, and no derivative along X.
8. A time-dependent fluid is evaluated at an instant by `at(t)`, once for each evaluation of the equations of motion.
9. A load that varies rapidly with position or velocity (hard ground, dry friction near rest) provides
   `stiff_matrices`. Implicit steps use them to linearise the load, so that it does not limit the time step.
"""

import abc
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial.printing import Printed

from .sections import EllipticSection
from .shedding import Shedding

Terms = dict[str, Float[Array, "6"]]

CONVECTIVE = ("added_mass", "nose_added_mass")  # terms that are part of the added-mass load; see item 6 above


class Place(eqx.Module):
    """Pose of a section.

    Attributes:
        position: centre of the section in the world [m].
        rotation: axes t1, t2, t3 of the section in the world, as columns.
        abscissa: X along the body [m]; None if no load depends on it.
    """

    position: Float[Array, "*batch 3"]
    rotation: Float[Array, "*batch 3 3"]
    abscissa: Float[Array, "*batch"] | None = None


class Carried(eqx.Module):
    """Effect of slices of water that pass along the body at one section, in its frame.

    All quantities are proportional to the added inertia given to `AbstractFluid.carried`: per metre for an inertia per
    metre (the units below), or for a whole element if the inertia is lumped.

    Attributes:
        inertia: A, added inertia at this strain [kg/m, kg, kg·m].
        momentum: Π, momentum of the slices [kg/s, kg·m/s].
        load: load at zero rate of twist, without the contribution of `wrench` [N/m, N].
        wrench: W, wrench that the water transports through the section from head to tail [N, N·m].
        energy: ℓ, kinetic energy of the slices [J/m].
        energy_flux: -V1 ℓ/Γ1, energy that the water transports through the section towards the tail [W].
    """

    inertia: Float[Array, "6 6"]
    momentum: Float[Array, "6"]
    load: Float[Array, "6"]
    wrench: Float[Array, "6"]
    energy: Float[Array, ""]
    energy_flux: Float[Array, ""]


class StiffMatrices(eqx.Module):
    """Linearisation of a stiff load on one section, in its frame; both matrices symmetric positive semidefinite.

    They need not be exact: they affect the stability of implicit steps, not the limit to which the steps converge.

    Attributes:
        stiffness: minus the derivative of the load with respect to a small displacement (linear, angular)
            [N/m², N/m, N].
        damping: minus the derivative of the load with respect to the twist [N·s/m², N·s/m, N·s].
    """

    stiffness: Float[Array, "6 6"]
    damping: Float[Array, "6 6"]


class AbstractFluid(Printed):
    """Base class of fluids; implementations are `Morison`, `Lighthill`, `QuasiSteady` and `Void`.

    Attributes:
        section_kind: class of the sections that the fluid supports; a body with other sections raises an error.
    """

    section_kind: ClassVar[type] = EllipticSection

    @abc.abstractmethod
    def added_inertia(self, section: Any) -> Float[Array, "6 6"]:
        """Added inertia per metre in the section frame [kg/m, kg, kg·m]; symmetric."""

    @abc.abstractmethod
    def terms(self, section: Any, place: Place, twist: Float[Array, "6"]) -> Terms:
        """Load per metre at zero rate of twist, term by term, in the section frame [N/m, N]."""

    @abc.abstractmethod
    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Added inertia of a nose of this radius [m], in the head frame [kg, kg·m, kg·m²]."""

    @abc.abstractmethod
    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Load on a nose of this radius [m] at zero rate of twist, term by term, in the head frame [N, N·m]."""

    def mass_terms(self, inertia: Float[Array, "6 6"], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Load on a point mass inside the body, in the frame of its section [N, N·m]; none by default.

        Args:
            inertia: inertia about the centre of the section, in its frame [kg, kg·m, kg·m²].
            place: pose of the section.
            twist: twist of the section, in its frame [m/s, rad/s].
        """
        return {}

    def mass_potential(self, inertia: Float[Array, "6 6"], place: Place) -> Float[Array, ""]:
        """Potential energy of a point mass, whose negative gradient is `mass_terms` [J]; zero by default."""
        return jnp.zeros(())

    def potential(self, section: Any, place: Place) -> Float[Array, ""]:
        """Potential energy per metre of the terms that depend on the pose only [J/m]; zero by default."""
        return jnp.zeros(())

    @property
    def shedding(self) -> Shedding | None:
        """Where water that passes along the body leaves it; None for a fluid without such transport."""
        return None

    def carried(
        self,
        added: Float[Array, "6 6"],
        place: Place,
        twist: Float[Array, "6"],
        strain: Float[Array, "6"],
        strain_rate: Float[Array, "6"],
    ) -> Carried:
        """Effect of slices that pass along the body at one section; by default there are none.

        Args:
            added: `added_inertia` of the section as the water sees it (`Shedding.water_section`), per metre or lumped.
            place: pose of the section.
            twist: twist of the section, in its frame [m/s, rad/s].
            strain: strain (Γ, K) of the section, in its frame [-, 1/m].
            strain_rate: rate of the strain [1/s, 1/(m·s)].
        """
        zero, none = jnp.zeros(()), jnp.zeros(6)
        return Carried(added, none, none, none, zero, zero)

    def acts_on(self, kind: type) -> bool:
        """Whether the fluid supports sections of a class."""
        return issubclass(kind, self.section_kind)

    def stiff_matrices(self, section: Any, place: Place, twist: Float[Array, "6"]) -> StiffMatrices | None:
        """Stiffness and damping per metre of a load that would limit explicit time steps; None for none."""
        return None

    def at(self, t: Float[Array, ""]) -> "AbstractFluid":
        """The fluid at time t [s]; by default unchanged."""
        return self


class Void(AbstractFluid):
    """No fluid at all: momentum and, without actuation, energy are conserved."""

    section_kind: ClassVar[type] = object

    def added_inertia(self, section: Any) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def terms(self, section: Any, place: Place, twist: Float[Array, "6"]) -> Terms:
        """No term."""
        return {}

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """No term."""
        return {}
