"""The interface between a fluid and a body, and the void.

1. A fluid sees one section at a time: its shape, where it is, and its twist, in the section's own frame.
2. Load per metre = Σ terms − added_inertia @ d(twist)/dt. Whatever is proportional to the rate of the twist
   belongs to `added_inertia`, which depends on the shape only; everything else is a named term.
3. A wrench is what the fluid does to the body: `wrench @ twist` is the power the body receives.
4. The same for the nose, a point at X = 0, in newtons rather than per metre.
   A point mass has no size: nothing but weight (`mass_terms`) acts on it, in newtons as well.
5. A term that depends on the place alone is minus the gradient of `potential`, so that energy can be counted.
6. The terms named in `CONVECTIVE` belong to the added inertia: the part that is not -added_inertia @ d(twist)/dt.
7. A fluid whose slices pass along the body (`shedding` is not None) also has `carried`: a wrench that goes through
   each section, and an added inertia that depends on the strain. Its load per metre is then
   Σ terms + carried.load - carried.inertia @ d(twist)/dt + (∂/∂X - ad(ξ)ᵀ) carried.wrench,
   of which an engine needs only the wrench at the edge and at the sections it shows: no derivative along X.
8. A fluid that changes in time is taken at an instant by `at(t)`, once for each evaluation.
9. A load that changes fast with place or velocity (a hard ground, dry friction near rest) has `stiff_matrices`:
   implicit steps linearise it with them, so that it does not bound the time step.
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

CONVECTIVE = ("added_mass", "nose_added_mass")  # terms that belong to the added inertia: the contract, 6


class Place(eqx.Module):
    """Where a section is.

    Attributes:
        position: its centre in the world [m].
        rotation: its axes t1, t2, t3 in the world, as columns.
        abscissa: X along the body [m]; None where nobody needs it.
    """

    position: Float[Array, "*batch 3"]
    rotation: Float[Array, "*batch 3 3"]
    abscissa: Float[Array, "*batch"] | None = None


class Carried(eqx.Module):
    """What slices of water that pass along the body do at one section, in its frame.

    All of it is proportional to the added inertia given to `AbstractFluid.carried`: per metre for an inertia per metre
    (the units below), of one lump for a lumped inertia.

    Attributes:
        inertia: A, added inertia at this strain [kg/m, kg, kg·m].
        momentum: Π, of the slices [kg/s, kg·m/s].
        load: load at zero rate of twist, without what `wrench` does [N/m, N].
        wrench: W, that the water carries through the section from head to tail [N, N·m].
        energy: ℓ, kinetic energy of the slices [J/m].
        energy_flux: -V1 ℓ/Γ1, energy that the water carries through the section towards the tail [W].
    """

    inertia: Float[Array, "6 6"]
    momentum: Float[Array, "6"]
    load: Float[Array, "6"]
    wrench: Float[Array, "6"]
    energy: Float[Array, ""]
    energy_flux: Float[Array, ""]


class StiffMatrices(eqx.Module):
    """Linearisation of a stiff load on one section, in its frame; both matrices symmetric positive semidefinite.

    They need not be exact: they affect the stability of implicit steps, not what the steps converge to.

    Attributes:
        stiffness: minus the derivative of the load by a small displacement (linear, angular) [N/m², N/m, N].
        damping: minus the derivative of the load by the twist [N·s/m², N·s/m, N·s].
    """

    stiffness: Float[Array, "6 6"]
    damping: Float[Array, "6 6"]


class AbstractFluid(Printed):
    """A fluid: subclass it, or use `Morison`, `Lighthill`, `QuasiSteady` or `Void`.

    Attributes:
        section_kind: the shapes it knows; a body is refused whose sections are of another kind.
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
        """Load on a point mass inside the body, in the frame of its section [N, N·m]; none unless it says so.

        Args:
            inertia: about the centre of the section, in its frame [kg, kg·m, kg·m²].
            place: of the section.
            twist: of the section [m/s, rad/s].
        """
        return {}

    def mass_potential(self, inertia: Float[Array, "6 6"], place: Place) -> Float[Array, ""]:
        """Potential energy of a point mass, of which its `mass_terms` are the gradient [J]; zero unless it says so."""
        return jnp.zeros(())

    def potential(self, section: Any, place: Place) -> Float[Array, ""]:
        """Potential energy per metre of the terms that depend on the place alone [J/m]; zero unless it says so."""
        return jnp.zeros(())

    @property
    def shedding(self) -> Shedding | None:
        """Where the water leaves a body along which it passes; None for a fluid that carries nothing along."""
        return None

    def carried(
        self,
        added: Float[Array, "6 6"],
        place: Place,
        twist: Float[Array, "6"],
        strain: Float[Array, "6"],
        strain_rate: Float[Array, "6"],
    ) -> Carried:
        """What slices that pass along the body do at one section: by default nothing passes.

        Args:
            added: `added_inertia` of the section that the water sees there, per metre or lumped.
            place: where the section is.
            twist: of the section, in its frame [m/s, rad/s].
            strain: (Γ, K) there [-, 1/m].
            strain_rate: its rate [1/s, 1/(m·s)].
        """
        zero, none = jnp.zeros(()), jnp.zeros(6)
        return Carried(added, none, none, none, zero, zero)

    def acts_on(self, kind: type) -> bool:
        """Whether it knows sections of a class."""
        return issubclass(kind, self.section_kind)

    def stiff_matrices(self, section: Any, place: Place, twist: Float[Array, "6"]) -> StiffMatrices | None:
        """Stiffness and damping per metre of a load that would bound explicit time steps; None for none."""
        return None

    def at(self, t: Float[Array, ""]) -> "AbstractFluid":
        """The fluid at time t [s]; itself, unless it changes in time."""
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
