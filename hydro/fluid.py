"""The contract between a fluid and a body, and the empty fluid that keeps it most simply.

1. A fluid sees one section at a time: its shape, where it is, and its twist, in the section's own frame.
2. Load per metre = Σ terms − added_inertia @ d(twist)/dt. Whatever is proportional to the rate of the twist
   belongs to `added_inertia`, which depends on the shape only; everything else is a named term.
3. A wrench is what the fluid does to the body: `wrench @ twist` is the power the body receives.
4. The same for the nose, a point at X = 0, in newtons rather than per metre.
5. A term that depends on the place alone is minus the gradient of `potential`, so that energy can be counted.
6. The terms named in `CONVECTIVE` belong to the added inertia: what it does besides -added_inertia @ d(twist)/dt.
"""

import abc
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial.printing import as_html, summary

from .sections import EllipticSection

Terms = dict[str, Float[Array, "6"]]

CONVECTIVE = ("added_mass", "nose_added_mass")  # terms that belong to the added inertia: the contract, 6


class Place(eqx.Module):
    """Where a section is.

    Attributes:
        position: its centre in the world [m].
        rotation: its axes t1, t2, t3 in the world, as columns.
    """

    position: Float[Array, "*batch 3"]
    rotation: Float[Array, "*batch 3 3"]


class AbstractFluid(eqx.Module):
    """A fluid: subclass it, or use `Morison`, `QuasiSteady` or `Void`.

    Attributes:
        section_kind: the shapes it knows; a body is refused whose sections are of another kind.
    """

    section_kind: ClassVar[type] = EllipticSection

    __str__, _repr_html_ = summary, as_html

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

    def potential(self, section: Any, place: Place) -> Float[Array, ""]:
        """Potential energy per metre of the terms that depend on the place alone [J/m]; zero unless it says so."""
        return jnp.zeros(())


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
