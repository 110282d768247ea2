"""Dry friction of a body that slides one way more easily than another, smoothed near rest."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, cross, non_negative, positive


class Coulomb(eqx.Module):
    """Anisotropic Coulomb friction. [HNSS09, eq. (2)], smoothed

        f = -w [μ_s û_s s + (μ_f or μ_b) û_l l] - viscous v,    û = v / √(|v|² + ε²)

    l is the body's direction on the ground, from head to tail, and s is at right angles to it. The coefficient along l
    is μ_f while the section slides forward (û_l < 0) and μ_b while it slides backward. The power f · v is never
    positive. A section that should stick creeps instead: under a force F < μ w its speed is about ε F / (μ w).

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
        """Friction per metre on a section, in the axes its arguments are given in [N/m].

        Args:
            load: w, with which the section presses on the ground [N/m].
            velocity: of the section [m/s]; only the part along the ground counts.
            along: t1 of the section.
            normal: unit normal of the ground.
        """
        on_ground = lambda v: v - jnp.dot(v, normal) * normal  # noqa: E731
        v, heading = on_ground(velocity), on_ground(along)
        heading = heading / jnp.sqrt(jnp.dot(heading, heading) + _UPRIGHT)
        side = cross(normal, heading)
        slip = 1.0 / jnp.sqrt(jnp.dot(v, v) + self.width**2)
        v_l, v_s = jnp.dot(v, heading), jnp.dot(v, side)
        mu_l = jnp.where(v_l < 0.0, self.forward, self.backward)
        dry = -load * slip * (mu_l * v_l * heading + self.sideways * v_s * side)
        return dry - self.viscous * v


_UPRIGHT = 1e-24  # of a section that stands on its end, which has no direction on the ground
