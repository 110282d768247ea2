"""Compliant contact with uneven ground: a body is pushed out where it sinks in, damped, and rubs under that load."""

from collections.abc import Callable
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, EllipticSection, Place
from spatial import Numbers, angular, cross, hat, join, linear, non_negative, positive
from spatial.checks import shown

from .coulomb import Coulomb

Height = Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, ""]]

_POINT = 1e-24  # m²: a section seen end on has no lowest point


def level(x: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """Height of level ground [m]."""
    return jnp.zeros_like(x)


class Contact(AbstractFluid):
    """Unilateral contact with ground of any height z = h(x, y), and dry friction under its load. [HC75]

        N = k δ (1 + d dδ/dt) where positive,    δ = how deep the lowest point of the section is in the ground

    Only what sinks in is pushed, so weight must act too: `hydro.Together(hydro.Weight(density), Contact(...))` for a
    beam, `gravity=hydro.EARTH` for a tree. A body at rest sinks in by weight over stiffness. The ground should curve
    little over a section: its distance is measured along the normal below the centre.

    Attributes:
        height: h(x, y) [m], a function written with jax.numpy.
        coulomb: the friction.
        stiffness: k, force per metre of body and metre of depth [N/m²].
        damping: d [s/m]; a body that comes to rest in the ground wants 1/d near the speed at which it arrives.

    Example:
        >>> import cosserat, gaits, hydro, jax.numpy as jnp
        >>> from anguilla import ground
        >>> rod = cosserat.rod(1.0, b=0.02, c=0.02)
        >>> hills = ground.Contact(lambda x, y: 0.05 * jnp.sin(3.0 * x), stiffness=2e4)
        >>> falls = hydro.Together(hydro.Weight(1000.0), hills)
        >>> run = cosserat.rollout(rod, gaits.Strain(), falls, 0.2, state=cosserat.HeadState((0.0, 0.0, 0.2)))
        >>> bool(run.position[-1, 2] < 0.2)
        True
    """

    section_kind: ClassVar[type] = EllipticSection

    height: Height
    coulomb: Coulomb
    stiffness: Float[Array, ""]
    damping: Float[Array, ""]

    def __init__(
        self,
        height: Height = level,
        forward: Numbers = 0.1,
        sideways: Numbers = 0.2,
        backward: Numbers | None = None,
        *,
        stiffness: Numbers = 1e4,
        damping: Numbers = 1.0,
        width: Numbers = 1e-2,
        viscous: Numbers = 0.0,
    ):
        if not callable(height):
            raise ValueError(f"Contact.height = {shown(height)}: must be a function (x, y) -> height [m]")
        self.height = height
        self.coulomb = Coulomb(forward, forward if backward is None else backward, sideways, width, viscous)
        self.stiffness = positive("Contact.stiffness", stiffness, "N/m²", ())
        self.damping = non_negative("Contact.damping", damping, "s/m", ())

    def depth(self, section: EllipticSection, place: Place) -> Float[Array, ""]:
        """How deep the lowest point of a section is in the ground [m]; negative above it."""
        normal, n2, n3 = self._normal(place)
        x, y, z = place.position
        reach = jnp.sqrt((section.b * n2) ** 2 + (section.c * n3) ** 2 + _POINT)
        return reach - (z - self.height(x, y)) * normal[2]

    def potential(self, section: EllipticSection, place: Place) -> Float[Array, ""]:
        """Elastic energy per metre [J/m]."""
        return 0.5 * self.stiffness * jnp.maximum(self.depth(section, place), 0.0) ** 2

    def terms(self, section: EllipticSection, place: Place, twist: Float[Array, "6"]) -> dict[str, Float[Array, "6"]]:
        """`contact`, elastic, `contact_damping`, and `friction`, in the section frame [N/m, N]."""

        def moved(step):
            here = place.position + place.rotation @ linear(step)
            return self.depth(section, Place(here, place.rotation @ (jnp.eye(3) + hat(angular(step)))))

        deep, slope = jax.value_and_grad(moved)(jnp.zeros(6))
        elastic = self.stiffness * jnp.maximum(deep, 0.0)
        load = elastic * jnp.maximum(1.0 + self.damping * jnp.dot(slope, twist), 0.0)

        normal, n2, n3 = self._normal(place)
        reach = jnp.sqrt((section.b * n2) ** 2 + (section.c * n3) ** 2 + _POINT)
        lowest = -jnp.stack([jnp.zeros(()), section.b**2 * n2, section.c**2 * n3]) / reach
        velocity = linear(twist) + cross(angular(twist), lowest)
        sliding = jnp.where(deep > 0.0, velocity, 0.0)  # the viscous part needs contact too
        along = jnp.array([1.0, 0.0, 0.0])
        rub = self.coulomb.force(load, sliding, along, place.rotation.T @ normal)
        return {
            "contact": -elastic * slope,
            "contact_damping": -(load - elastic) * slope,
            "friction": join(rub, cross(lowest, rub)),
        }

    def added_inertia(self, section: EllipticSection) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def nose_terms(
        self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]
    ) -> dict[str, Float[Array, "6"]]:
        """No term: the nose is part of the sections."""
        return {}

    def _normal(self, place):
        """Unit normal of the ground below the centre, and its components along t2 and t3."""
        x, y, _ = place.position
        slope_x, slope_y = jax.grad(self.height, argnums=(0, 1))(x, y)
        up = jnp.stack([-slope_x, -slope_y, jnp.ones_like(slope_x)])
        normal = up / jnp.sqrt(jnp.dot(up, up))
        own = place.rotation.T @ normal
        return normal, own[1], own[2]
