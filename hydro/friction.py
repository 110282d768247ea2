"""Skin friction of a smooth surface as a function of the Reynolds number: laminar, turbulent, and ITTC 1957."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, one_of, positive
from spatial.printing import Printed

LEAST_REYNOLDS = {"laminar": 10.0, "turbulent": 1e4, "ittc": 1e5}  # C_f levels off below, so as to be smooth


def laminar(reynolds: Float[Array, ""]) -> Float[Array, ""]:
    """Mean coefficient of a flat plate with a laminar boundary layer, 1.328/√Re (Blasius) [-]."""
    return 1.328 / jnp.sqrt(reynolds)


def turbulent(reynolds: Float[Array, ""]) -> Float[Array, ""]:
    """Mean coefficient of a flat plate with a turbulent boundary layer, 0.074 Re^(-1/5) (Prandtl) [-]."""
    return 0.074 * reynolds ** (-0.2)


def ittc(reynolds: Float[Array, ""]) -> Float[Array, ""]:
    """ITTC 1957 correlation line, 0.075/(log₁₀ Re - 2)² [-]. [KR13, eq. (52)]"""
    return 0.075 / (jnp.log10(reynolds) - 2.0) ** 2


LINES: dict[str, Callable] = {"laminar": laminar, "turbulent": turbulent, "ittc": ittc}


class SkinFriction(Printed):
    """Skin friction coefficient C_f(Re), with Re = V L/ν; it applies to the true perimeter of the sections.

    >>> friction = SkinFriction("laminar", length=1.0, viscosity=1.4e-4)
    >>> round(float(friction(jnp.asarray(0.4))), 4)
    0.0248

    Attributes:
        line: "laminar", "turbulent" or "ittc".
        length: L of Re = V L/ν [m].
        viscosity: kinematic viscosity ν [m²/s].
        speed: constant V of the Reynolds number [m/s]; None for the instantaneous axial speed of each section.
    """

    line: str = eqx.field(static=True)
    length: Float[Array, ""]
    viscosity: Float[Array, ""]
    speed: Float[Array, ""] | None

    def __init__(self, line: str, length: Numbers, viscosity: Numbers = 1.0e-6, speed: Numbers | None = None):
        one_of("SkinFriction.line", line, tuple(LINES))
        self.line = line
        self.length = positive("SkinFriction.length", length, "m", ())
        self.viscosity = positive("SkinFriction.viscosity", viscosity, "m²/s", ())
        self.speed = None if speed is None else positive("SkinFriction.speed", speed, "m/s", ())

    def __call__(self, speed: Float[Array, ""]) -> Float[Array, ""]:
        """C_f at an axial speed of either sign [m/s]; at the constant `speed` if that is given."""
        speed = speed if self.speed is None else self.speed
        reynolds = jnp.sqrt((speed * self.length / self.viscosity) ** 2 + LEAST_REYNOLDS[self.line] ** 2)
        return LINES[self.line](reynolds)
