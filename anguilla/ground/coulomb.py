"""Anisotropic dry friction, smoothed near rest."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, cross, non_negative, positive
from spatial.printing import Printed


class Coulomb(Printed):
    """Anisotropic Coulomb friction. [HNSS09, eq. (2)], smoothed

        f = -w [μ_s û_s s + (μ_f or μ_b) û_l l] - viscous v,    û = v / √(|v|² + ε²)

    l is the body's direction on the ground, from head to tail, and s is perpendicular to it. The coefficient along l
    is μ_f while the section slides forward (û_l < 0) and μ_b while it slides backward. The power f · v is never
    positive. The smoothing replaces sticking by creep: under a force F < μ w the speed is about ε F / (μ w).

    Attributes:
        forward: μ_f [-].
        backward: μ_b [-].
        sideways: μ_s [-].
        width: ε, the speed over which the force changes sign [m/s].
        viscous: force per speed, the same in all directions [N·s/m²].
    """

    forward: Float[Array, ""]
    backward: Float[Array, ""]
    sideways: Float[Array, ""]
    width: Float[Array, ""]
    viscous: Float[Array, ""]

    def __init__(self, forward: Numbers, backward: Numbers, sideways: Numbers, width: Numbers, viscous: Numbers):
        self.forward = non_negative("forward", forward, shape=())
        self.backward = non_negative("backward", backward, shape=())
        self.sideways = non_negative("sideways", sideways, shape=())
        self.width = positive("width", width, "m/s", ())
        self.viscous = non_negative("viscous", viscous, "N·s/m²", ())

    def force(
        self,
        load: Float[Array, ""],
        velocity: Float[Array, "3"],
        along: Float[Array, "3"],
        normal: Float[Array, "3"],
    ) -> Float[Array, "3"]:
        """Friction per metre on a section, in the axes of the arguments [N/m].

        Args:
            load: w, normal load [N/m].
            velocity: velocity of the section [m/s]; only its component along the ground is used.
            along: t1 of the section.
            normal: unit normal of the ground.
        """
        v, heading, side, along_it, across = self._directions(load, velocity, along, normal)
        dry = -along_it * jnp.dot(v, heading) * heading - across * jnp.dot(v, side) * side
        return dry - self.viscous * v

    def resistance(
        self,
        load: Float[Array, ""],
        velocity: Float[Array, "3"],
        along: Float[Array, "3"],
        normal: Float[Array, "3"],
    ) -> Float[Array, "3 3"]:
        """B of `force` = -B v, symmetric and positive semidefinite [N·s/m²]. Arguments as in `force`."""
        _, heading, side, along_it, across = self._directions(load, velocity, along, normal)
        dry = along_it * jnp.outer(heading, heading) + across * jnp.outer(side, side)
        return dry + self.viscous * (jnp.eye(3) - jnp.outer(normal, normal))

    def _directions(self, load, velocity, along, normal):
        """Velocity along the ground, unit vectors along and across the body, and w μ / √(|v|² + ε²) of each."""
        on_ground = lambda v: v - jnp.dot(v, normal) * normal  # noqa: E731
        v, heading = on_ground(velocity), on_ground(along)
        heading = heading / jnp.sqrt(jnp.dot(heading, heading) + _UPRIGHT)
        slip = load / jnp.sqrt(jnp.dot(v, v) + self.width**2)
        mu_l = jnp.where(jnp.dot(v, heading) < 0.0, self.forward, self.backward)
        return v, heading, cross(normal, heading), slip * mu_l, slip * self.sideways


_UPRIGHT = 1e-24  # avoids a division by zero for a body that is normal to the ground
