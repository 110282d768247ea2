"""Sum of several loads on the same sections: fluids, weight, a free surface."""

import itertools
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial.checks import shown

from .fluid import AbstractFluid, Carried, Place, StiffMatrices, Terms
from .sections import AbstractSection, EllipticSection
from .shedding import Shedding


class Together(AbstractFluid):
    """Sum of several fluids; the names of their terms must differ.

    >>> import anguilla, hydro
    >>> import jax.numpy as jnp
    >>> loads = hydro.Together(hydro.Morison(), hydro.Weight(density=1100.0))
    >>> section = hydro.uniform_profile(1.0, 0.03, 0.05)(0.5)
    >>> sorted(loads.terms(section, hydro.Place(jnp.zeros(3), jnp.eye(3)), jnp.zeros(6)))
    ['added_mass', 'drag', 'weight']

    Attributes:
        parts: the fluids that act together.
    """

    section_kind: ClassVar[type] = AbstractSection

    parts: tuple[AbstractFluid, ...]

    def __init__(self, *parts: AbstractFluid):
        for part in parts:
            if not isinstance(part, AbstractFluid):
                raise ValueError(f"Together: parts has {shown(part)}: must be a hydro.AbstractFluid")
        if not parts:
            raise ValueError("Together(): needs at least one fluid; use hydro.Void() for none")
        if sum(part.shedding is not None for part in parts) > 1:
            raise ValueError("Together: two fluids carry water along the body (hydro.Lighthill): at most one may")
        for part in parts if any(part.shedding is not None for part in parts) else ():
            if part.shedding is None and _has_added_inertia(part):
                raise ValueError(
                    f"Together: {type(part).__name__} has an added inertia, like the fluid that carries water "
                    "along the body: only one of them may have one"
                )
        self.parts = parts

    def acts_on(self, kind: type) -> bool:
        """Whether all parts support sections of a class."""
        return all(part.acts_on(kind) for part in self.parts)

    def added_inertia(self, section: Any) -> Float[Array, "6 6"]:
        """Sum over the parts [kg/m, kg, kg·m]."""
        return sum((part.added_inertia(section) for part in self.parts), jnp.zeros((6, 6)))

    def terms(self, section: Any, place: Place, twist: Float[Array, "6"]) -> Terms:
        """Terms of all parts [N/m, N]."""
        return _merged([part.terms(section, place, twist) for part in self.parts])

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Sum over the parts [kg, kg·m, kg·m²]."""
        return sum((part.nose_added_inertia(radius) for part in self.parts), jnp.zeros((6, 6)))

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Terms of all parts [N, N·m]."""
        return _merged([part.nose_terms(radius, place, twist) for part in self.parts])

    def mass_terms(self, inertia: Float[Array, "6 6"], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Terms of all parts [N, N·m]."""
        return _merged([part.mass_terms(inertia, place, twist) for part in self.parts])

    def mass_potential(self, inertia: Float[Array, "6 6"], place: Place) -> Float[Array, ""]:
        """Sum over the parts [J]."""
        return sum((part.mass_potential(inertia, place) for part in self.parts), jnp.zeros(()))

    def potential(self, section: Any, place: Place) -> Float[Array, ""]:
        """Sum over the parts [J/m]."""
        return sum((part.potential(section, place) for part in self.parts), jnp.zeros(()))

    def stiff_matrices(self, section: Any, place: Place, twist: Float[Array, "6"]) -> StiffMatrices | None:
        """Sum over the parts that have stiff matrices; None if no part has."""
        each = [part.stiff_matrices(section, place, twist) for part in self.parts]
        found = [matrices for matrices in each if matrices is not None]
        return jax.tree.map(lambda *same: sum(same[1:], same[0]), *found) if found else None

    @property
    def shedding(self) -> Shedding | None:
        """Shedding of the part whose water passes along the body; None if there is none."""
        return next((part.shedding for part in self.parts if part.shedding is not None), None)

    def carried(
        self,
        added: Float[Array, "6 6"],
        place: Place,
        twist: Float[Array, "6"],
        strain: Float[Array, "6"],
        strain_rate: Float[Array, "6"],
    ) -> Carried:
        """`carried` of the part whose water passes along the body; no other part has added inertia."""
        carrier = next(part for part in self.parts if part.shedding is not None)
        return carrier.carried(added, place, twist, strain, strain_rate)

    def at(self, t: Float[Array, ""]) -> "Together":
        """All parts at time t [s]."""
        return eqx.tree_at(lambda both: both.parts, self, tuple(part.at(t) for part in self.parts))


def _has_added_inertia(fluid: AbstractFluid) -> bool:
    """Whether a fluid has a known non-zero added inertia, tested on an elliptic section."""
    if not fluid.acts_on(EllipticSection):
        return True
    inertia = fluid.added_inertia(EllipticSection(jnp.asarray(0.1), jnp.asarray(0.2)))
    return not isinstance(inertia, Tracer) and bool(jnp.any(inertia != 0.0))


def _merged(parts: list[Terms]) -> Terms:
    for one, other in itertools.combinations(parts, 2):
        if both := set(one) & set(other):
            raise ValueError(f"Together: two fluids have a term {sorted(both)[0]!r}: the names must differ")
    return {name: load for terms in parts for name, load in terms.items()}
