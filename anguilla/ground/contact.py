"""Compliant contact with uneven ground: a normal force where the body penetrates, damping, and dry friction."""

from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits.laws import AbstractLaw, as_law
from gaits.strain import Law
from hydro import AbstractFluid, EllipticSection, Place, StiffMatrices
from spatial import Numbers, angular, cross, hat, join, linear, non_negative, number, positive
from spatial.checks import shown

from .coulomb import Coulomb

Height = Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, ""]]

_ALONG = np.array([1.0, 0.0, 0.0])  # t1 in the section frame
_POINT = 1e-24  # m²: avoids a division by zero for a section parallel to the ground, which has no lowest point


def level(x: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """Height of level ground [m]."""
    return jnp.zeros_like(x)


class _Touch(eqx.Module):
    """Contact of one section, in its frame.

    Attributes:
        slope: derivative of the penetration with respect to a displacement of the section [-, m].
        elastic: elastic load [N/m].
        factor: factor 1 + d dδ/dt of the damping, not negative [-].
        load: normal load [N/m].
        lowest: lowest point of the section [m].
        velocity: velocity of the lowest point [m/s]; zero without contact.
        normal: unit normal of the ground.
        grip: factor of the friction coefficients [-].
    """

    slope: Float[Array, "6"]
    elastic: Float[Array, ""]
    factor: Float[Array, ""]
    load: Float[Array, ""]
    lowest: Float[Array, "3"]
    velocity: Float[Array, "3"]
    normal: Float[Array, "3"]
    grip: Float[Array, ""]


class Contact(AbstractFluid):
    """Unilateral contact with ground of any height z = h(x, y), and dry friction under its load. [HC75]

        N = k δ (1 + d dδ/dt) where positive,    δ = penetration of the lowest point of the section

    The weight must be added separately: `hydro.Together(hydro.Weight(density), Contact(...))` for a beam,
    `gravity=hydro.EARTH` for a tree. A body at rest penetrates by weight over stiffness. The radius of curvature of the
    ground should be large compared with a section: the distance is measured along the normal below the centre.

    The time steps of a soft beam are implicit, with the stiffness of the ground in the linear system: k and the
    smoothing width of the friction do not limit the time step. Explicit steps must resolve the period 2π √(m/k).

    Attributes:
        height: h(x, y) [m], a function written with jax.numpy.
        coulomb: the friction.
        stiffness: k, force per metre of body and metre of depth [N/m²].
        damping: d [s/m]; with 1/d close to the impact speed, a body comes to rest within a few bounces.
        grip: factor of the friction coefficients [-], a law of (X, t), for example for the bristles of an earthworm or
            the feet of a caterpillar; None means one everywhere.
        time: time at which the grip is evaluated [s]; see `at`.

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
    grip: AbstractLaw | None
    time: Float[Array, ""]

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
        grip: Law | None = None,
    ):
        if not callable(height):
            raise ValueError(f"Contact.height = {shown(height)}: must be a function (x, y) -> height [m]")
        self.height = height
        self.coulomb = Coulomb(forward, forward if backward is None else backward, sideways, width, viscous)
        self.stiffness = positive("Contact.stiffness", stiffness, "N/m²", ())
        self.damping = non_negative("Contact.damping", damping, "s/m", ())

        if grip is not None and not callable(grip):
            grip = number("Contact.grip", grip)
        self.grip = None if grip is None else as_law(grip)
        self.time = jnp.zeros(())

    def at(self, t: Float[Array, ""]) -> "Contact":
        """The same ground with the grip of time t [s]."""
        return eqx.tree_at(lambda ground: ground.time, self, jnp.asarray(t, float))

    def depth(self, section: EllipticSection, place: Place) -> Float[Array, ""]:
        """Penetration of the lowest point of a section [m]; negative above the ground."""
        normal, n2, n3 = self._normal(place)
        x, y, z = place.position
        reach = jnp.sqrt((section.b * n2) ** 2 + (section.c * n3) ** 2 + _POINT)
        return reach - (z - self.height(x, y)) * normal[2]

    def potential(self, section: EllipticSection, place: Place) -> Float[Array, ""]:
        """Elastic energy per metre [J/m]."""
        return 0.5 * self.stiffness * jnp.maximum(self.depth(section, place), 0.0) ** 2

    def terms(self, section: EllipticSection, place: Place, twist: Float[Array, "6"]) -> dict[str, Float[Array, "6"]]:
        """`contact` (the elastic part), `contact_damping` and `friction`, in the section frame [N/m, N]."""
        touch = self._touch(section, place, twist)
        rub = self.coulomb.force(touch.grip * touch.load, touch.velocity, jnp.asarray(_ALONG), touch.normal)
        return {
            "contact": -touch.elastic * touch.slope,
            "contact_damping": -(touch.load - touch.elastic) * touch.slope,
            "friction": join(rub, cross(touch.lowest, rub)),
        }

    def stiff_matrices(self, section: EllipticSection, place: Place, twist: Float[Array, "6"]) -> StiffMatrices:
        """Stiffness and damping of the contact, and damping of the friction, where the section penetrates."""
        touch = self._touch(section, place, twist)
        push = jnp.outer(touch.slope, touch.slope)
        # d/dδ and d/d(dδ/dt) of k δ (1 + d dδ/dt), where the ground pushes.
        stiff = jnp.where(touch.load > 0.0, self.stiffness * touch.factor, 0.0)
        damp = jnp.where(touch.load > 0.0, touch.elastic * self.damping, 0.0)
        rub = self.coulomb.resistance(touch.grip * touch.load, touch.velocity, jnp.asarray(_ALONG), touch.normal)
        rub = jnp.where(touch.elastic > 0.0, rub, 0.0)
        to_lowest = jnp.concatenate([jnp.eye(3), -hat(touch.lowest)], axis=1)  # velocity of the lowest point
        return StiffMatrices(stiff * push, damp * push + to_lowest.T @ rub @ to_lowest)

    def _touch(self, section, place, twist):
        def moved(step):
            here = place.position + place.rotation @ linear(step)
            return self.depth(section, Place(here, place.rotation @ (jnp.eye(3) + hat(angular(step)))))

        deep, slope = jax.value_and_grad(moved)(jnp.zeros(6))
        elastic = self.stiffness * jnp.maximum(deep, 0.0)
        factor = jnp.maximum(1.0 + self.damping * jnp.dot(slope, twist), 0.0)
        normal, n2, n3 = self._normal(place)
        reach = jnp.sqrt((section.b * n2) ** 2 + (section.c * n3) ** 2 + _POINT)
        lowest = -jnp.stack([jnp.zeros(()), section.b**2 * n2, section.c**2 * n3]) / reach
        velocity = linear(twist) + cross(angular(twist), lowest)
        sliding = jnp.where(deep > 0.0, velocity, 0.0)  # no viscous friction without contact
        own = place.rotation.T @ normal
        return _Touch(slope, elastic, factor, elastic * factor, lowest, sliding, own, self._grip(place))

    def _grip(self, place):
        if self.grip is None:
            return jnp.ones(())
        if place.abscissa is None:
            raise ValueError("Contact.grip depends on the abscissa: hydro.Place(..., abscissa=X) must have it")
        return jnp.asarray(self.grip(place.abscissa, self.time), float)

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
