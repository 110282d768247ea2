"""Sum of several loads on the same sections: fluids, weight, a free surface."""

import itertools
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float

from .fluid import AbstractFluid, Place, Terms
from .sections import AbstractSection


class Together(AbstractFluid):
    """Sum of several fluids; the names of their terms must differ.

    Attributes:
        parts: the fluids that act together.
    """

    section_kind: ClassVar[type] = AbstractSection

    parts: tuple[AbstractFluid, ...]

    def __init__(self, *parts: AbstractFluid):
        for part in parts:
            if not isinstance(part, AbstractFluid):
                raise ValueError(f"Together: {part!r}: must be a hydro.AbstractFluid")
        if not parts:
            raise ValueError("Together(): needs at least one fluid; use hydro.Void() for none")
        self.parts = parts

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

    def potential(self, section: Any, place: Place) -> Float[Array, ""]:
        """Sum over the parts [J/m]."""
        return sum((part.potential(section, place) for part in self.parts), jnp.zeros(()))


def _merged(parts: list[Terms]) -> Terms:
    for one, other in itertools.combinations(parts, 2):
        if both := set(one) & set(other):
            raise ValueError(f"Together: two fluids have a term {sorted(both)[0]!r}: the names must differ")
    return {name: load for terms in parts for name, load in terms.items()}
