"""Weight: gravity as a wrench on an inertia and as a load on a section.

For a tree, gravity is an argument (`multibody.rollout(..., gravity=hydro.EARTH)`), because its bodies have their own
inertias. For a beam, whose sections are homogeneous, `Weight` is one of the fluids (`hydro.Together`).
"""

from collections.abc import Callable
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, join, positive

from .fluid import AbstractFluid, Place, Terms
from .sections import AbstractSection

EARTH = (0.0, 0.0, -9.81)  # acceleration of gravity in a world whose z axis points up [m/s²]


def weight_wrench(
    inertia: Float[Array, "6 6"], rotation: Float[Array, "3 3"], gravity: Float[Array, "3"]
) -> Float[Array, "6"]:
    """Weight of a body, which acts at its centre of mass: M (Rᵀ g, 0).

    Args:
        inertia: inertia of the body about its frame, in its axes [kg, kg·m, kg·m²].
        rotation: axes of the frame in the world, as columns.
        gravity: acceleration of gravity in the world [m/s²].

    Returns:
        Wrench about the frame's origin, in its axes [N, N·m].
    """
    fall = rotation.T @ gravity
    return inertia @ join(fall, jnp.zeros_like(fall))


class Weight(AbstractFluid):
    """Weight of homogeneous sections: not a fluid, but a load per section with the same interface.

    Attributes:
        density: density of the body, a number or a function of X [kg/m³]; must be that of the beam.
        gravity: acceleration of gravity in the world [m/s²].
    """

    section_kind: ClassVar[type] = AbstractSection

    density: Float[Array, ""] | Callable[[Float[Array, ""]], Float[Array, ""]]
    gravity: Float[Array, "3"]

    def __init__(self, density: Numbers | Callable[[Float[Array, ""]], Float[Array, ""]], gravity: Numbers = EARTH):
        self.density = density if callable(density) else positive("Weight.density", density, "kg/m³", ())
        self.gravity = finite("Weight.gravity", gravity, (3,))

    def added_inertia(self, section: AbstractSection) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def terms(self, section: AbstractSection, place: Place, twist: Float[Array, "6"]) -> Terms:
        """`weight` per metre, in the section frame [N/m, N]."""
        return {"weight": weight_wrench(section.inertia(self._density(place)), place.rotation, self.gravity)}

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Empty: the nose belongs to the sections."""
        return {}

    def mass_terms(self, inertia: Float[Array, "6 6"], place: Place, twist: Float[Array, "6"]) -> Terms:
        """`weight` of a point mass, in the frame of its section [N, N·m]."""
        return {"weight": weight_wrench(inertia, place.rotation, self.gravity)}

    def mass_potential(self, inertia: Float[Array, "6 6"], place: Place) -> Float[Array, ""]:
        """Gravitational energy of a point mass [J]; zero at the world's origin."""
        lower = inertia[3:, :3]
        first = jnp.stack([lower[2, 1], lower[0, 2], lower[1, 0]])
        return -jnp.dot(self.gravity, inertia[0, 0] * place.position + place.rotation @ first)

    def potential(self, section: AbstractSection, place: Place) -> Float[Array, ""]:
        """Gravitational energy per metre [J/m]; zero at the world's origin."""
        return -self._density(place) * (
            section.area * jnp.dot(self.gravity, place.position) + self._moment(section, place)
        )

    def _density(self, place):
        if not callable(self.density):
            return self.density
        if place.abscissa is None:
            raise ValueError("Weight.density depends on the abscissa: hydro.Place(..., abscissa=X) must have it")
        return jnp.asarray(self.density(place.abscissa), float)

    def _moment(self, section, place):
        first = jnp.concatenate([jnp.zeros(1), section.first_moments])
        return jnp.dot(self.gravity, place.rotation @ first)
