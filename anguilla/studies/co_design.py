"""Co-design of body and gait: the dimensions of the eel as parameters next to those of its wave."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

import cosserat
import gaits
from hydro import AbstractFluid, eel_profile
from spatial import Numbers, positive

from .gait_search import PATH, STATIONS, STEPS, coarse

SHOULDER, TAIL = 0.148, 0.975  # start and end of the taper relative to the length, as in the published body
BODY_BOUNDS: dict[str, tuple[float, float]] = {
    "radius": (0.05, 0.1),
    "tail_b": (0.015, 0.05),
    "tail_c": (0.03, 0.1),
    "length": (1.6, 2.4),
}
body_mass = gaits.quantity("mass", "kg", lambda mass: mass, "mass")


class EelBody(eqx.Module):
    """Dimensions of an eel-like body: hemisphere, cylinder, taper, half ellipsoid.

    Attributes:
        radius: radius of the head [m].
        tail_b: semi-axis along t2 where the taper ends [m].
        tail_c: semi-axis along t3 there [m].
        length: length of the body [m].
    """

    radius: Float[Array, ""]
    tail_b: Float[Array, ""]
    tail_c: Float[Array, ""]
    length: Float[Array, ""]

    def __init__(self, radius: Numbers = 0.075, tail_b: Numbers = 0.025, tail_c: Numbers = 0.05, length: Numbers = 2.0):
        self.radius = positive("EelBody.radius", radius, "m")
        self.tail_b = positive("EelBody.tail_b", tail_b, "m")
        self.tail_c = positive("EelBody.tail_c", tail_c, "m")
        self.length = positive("EelBody.length", length, "m")

    def beam(self, like: cosserat.Beam) -> cosserat.Beam:
        """The beam with these dimensions, which may be traced.

        Args:
            like: an eel that supplies density and panels.
        """
        # Bypasses the constructors, whose checks would call back to Python from every evaluation.
        r, L = self.radius, self.length
        shoulder, tail = SHOULDER * L, TAIL * L
        ends = lambda first, last: jnp.stack([first, last])  # noqa: E731
        profile = like.profile
        leaves = lambda p: (  # noqa: E731
            p.breaks,
            *(getattr(p.pieces[0], name) for name in ("base", "height", "b", "c")),
            *(getattr(p.pieces[1], name) for name in ("span", "b", "c")),
            *(getattr(p.pieces[2], name) for name in ("span", "b", "c")),
            *(getattr(p.pieces[3], name) for name in ("base", "height", "b", "c")),
        )
        values = (
            jnp.stack([jnp.zeros(()), r, shoulder, tail, L]),
            *(r, -r, r, r),
            *(ends(r, shoulder), ends(r, r), ends(r, r)),
            *(ends(shoulder, tail), ends(r, self.tail_b), ends(r, self.tail_c)),
            *(tail, L - tail, self.tail_b, self.tail_c),
        )
        return eqx.tree_at(
            lambda beam: (beam.profile, beam.nose_radius), like, (eqx.tree_at(leaves, profile, values), r)
        )

    def checked_beam(self, density: Numbers = 1000.0) -> cosserat.Beam:
        """The same beam, built by the constructors with their checks, at full resolution."""
        profile = eel_profile(
            self.radius, SHOULDER * self.length, TAIL * self.length, self.tail_b, self.tail_c, self.length
        )
        return cosserat.Beam(profile, density, nose_radius=self.radius, load_panels=cosserat.eel().load_panels)


class Design(eqx.Module):
    """A gait and a body: the variables of a co-design.

    Attributes:
        gait: strain law.
        body: dimensions.
    """

    gait: Any
    body: EelBody


def design_model(fluid: AbstractFluid) -> Callable[[Design], gaits.Cycle]:
    """Steady swim of a design, on the optimiser's coarse grid."""
    like = coarse(cosserat.eel())
    return lambda design: cosserat.steady_swim(
        design.body.beam(like), design.gait, fluid, path=PATH, steps=STEPS, stations=STATIONS, throw=False
    )
