"""Resistance of a hull in forward motion, after the ITTC 1957 correlation line."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, non_negative, positive, signed_square
from spatial.printing import Printed

from .friction import LEAST_REYNOLDS, ittc


class Ittc57(Printed):
    """Friction with a form factor, and wave resistance proportional to friction.

        F = -½ ρ S C_t |V| V,   C_t = (1 + k) C_f + c_w C_f,   C_f = 0.075/(log₁₀ Re - 2)²         [KR13, eq. (52)]

    Attributes:
        density: ρ [kg/m³].
        viscosity: kinematic viscosity ν of Re = V L/ν [m²/s].
        length: length L on the water line [m].
        wetted_surface: S [m²].
        form: k, form factor [-].
        waves: c_w = C_w/C_f [-].
    """

    density: Float[Array, ""]
    viscosity: Float[Array, ""]
    length: Float[Array, ""]
    wetted_surface: Float[Array, ""]
    form: Float[Array, ""]
    waves: Float[Array, ""]

    def __init__(
        self,
        length: Numbers,
        wetted_surface: Numbers,
        *,
        form: Numbers = 1.0,
        waves: Numbers = 0.1,
        density: Numbers = 1000.0,
        viscosity: Numbers = 1.14e-6,
    ):
        self.length = positive("Ittc57.length", length, "m", ())
        self.wetted_surface = positive("Ittc57.wetted_surface", wetted_surface, "m²", ())
        self.form = non_negative("Ittc57.form", form, shape=())
        self.waves = non_negative("Ittc57.waves", waves, shape=())
        self.density = positive("Ittc57.density", density, "kg/m³", ())
        self.viscosity = positive("Ittc57.viscosity", viscosity, "m²/s", ())

    def friction(self, speed: Float[Array, ""]) -> Float[Array, ""]:
        """Friction coefficient C_f at a speed of either sign [m/s]; a pure number [-]."""
        return ittc(jnp.sqrt((speed * self.length / self.viscosity) ** 2 + LEAST_REYNOLDS["ittc"] ** 2))

    def wrench(self, twist: Float[Array, "6"]) -> Float[Array, "6"]:
        """Load of the water on a hull with this twist, both in the hull's frame, x forward [N, N·m]."""
        speed = twist[0]
        total = (1.0 + self.form + self.waves) * self.friction(speed)
        drag = -0.5 * self.density * self.wetted_surface * total * signed_square(speed)
        return jnp.zeros(6).at[0].set(drag)
