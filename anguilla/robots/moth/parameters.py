"""Parameters of the moth, and the possible interpretations of the paper that gives them."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import QuasiSteady
from spatial import Numbers, finite, non_negative, positive
from spatial.printing import Printed

TABLE_SECTIONS = 4  # number of sections for which Table I gives the stiffness and damping of a joint


class MothParameters(Printed):
    """Table I of [PBB13], in SI units; all values are differentiable.

    Attributes:
        span: span of a wing, S [m].
        chord: chord of a wing at its root, C [m].
        thickness: thickness of the blades, e [m].
        thorax: semi-axes a, b, c of the ellipsoid along s (lateral), n (forward), a (up) [m].
        root: height of the wing roots above the centre of the thorax, relative to c (α) [-].
        thorax_density: ρ_t [kg/m³].
        wing_density: ρ_w [kg/m³].
        air_density: density of the air [kg/m³].
        amplitude: stroke amplitude, A [rad]; `hover` does not use it, but solves for the amplitude.
        frequency: angular frequency of the stroke, ω [rad/s].
        twist_stiffness: stiffness of the twist joints at root and tip, for four sections [N·m/rad] (k_t1, k_t2).
        bend_stiffness: stiffness of the bend joints at root and tip, for four sections [N·m/rad] (k_b1, k_b2).
        damping: damping of every passive joint, for four sections, μ [N·m·s/rad].
        wing_factors: factors on all stiffnesses of the right and the left wing; not in the paper [-].
    """

    span: Float[Array, ""]
    chord: Float[Array, ""]
    thickness: Float[Array, ""]
    thorax: Float[Array, "3"]
    root: Float[Array, ""]
    thorax_density: Float[Array, ""]
    wing_density: Float[Array, ""]
    air_density: Float[Array, ""]
    amplitude: Float[Array, ""]
    frequency: Float[Array, ""]
    twist_stiffness: Float[Array, "2"]
    bend_stiffness: Float[Array, "2"]
    damping: Float[Array, ""]
    wing_factors: Float[Array, "2"]

    def __init__(
        self,
        span: Numbers = 70e-3,
        chord: Numbers = 31.5e-3,
        thickness: Numbers = 0.1e-3,
        thorax: Numbers = (8.5e-3, 8.5e-3, 28e-3),
        root: Numbers = 0.65,
        thorax_density: Numbers = 800.0,
        wing_density: Numbers = 1400.0,
        air_density: Numbers = 1.22,
        amplitude: Numbers = 41.3 * jnp.pi / 180.0,
        frequency: Numbers = 50.0 * jnp.pi,
        twist_stiffness: Numbers = (3e-3, 9e-3),
        bend_stiffness: Numbers = (36e-3, 9e-3),
        damping: Numbers = 1e-5,
        wing_factors: Numbers = (1.0, 1.0),
    ):
        self.span = positive("MothParameters.span", span, "m")
        self.chord = positive("MothParameters.chord", chord, "m")
        self.thickness = positive("MothParameters.thickness", thickness, "m")
        self.thorax = positive("MothParameters.thorax", finite("MothParameters.thorax", thorax, (3,)), "m")
        self.root = finite("MothParameters.root", root, ())
        self.thorax_density = positive("MothParameters.thorax_density", thorax_density, "kg/m³")
        self.wing_density = positive("MothParameters.wing_density", wing_density, "kg/m³")
        self.air_density = non_negative("MothParameters.air_density", air_density, "kg/m³")
        self.amplitude = finite("MothParameters.amplitude", amplitude, ())
        self.frequency = positive("MothParameters.frequency", frequency, "rad/s")
        two = lambda name, value: positive(f"MothParameters.{name}", finite(name, value, (2,)))  # noqa: E731
        self.twist_stiffness = two("twist_stiffness", twist_stiffness)
        self.bend_stiffness = two("bend_stiffness", bend_stiffness)
        self.damping = non_negative("MothParameters.damping", damping, "N·m·s/rad")
        self.wing_factors = two("wing_factors", wing_factors)

    @property
    def period(self) -> Float[Array, ""]:
        """Period of a stroke [s]."""
        return 2.0 * jnp.pi / self.frequency


@dataclass(frozen=True)
class Reading:
    """One interpretation of [PBB13], whose text, figures and results are not consistent with each other.

    Attributes:
        words: one-line description.
        root_twist: if True, every section has a bend joint, then a twist joint (9 joints on a wing of four sections,
            with the stroke). If False, every section has a twist joint, then a bend joint, except that the stroke joint
            replaces the twist joint of the first section (8 joints).
        middle: whether chord and stiffness of a section are taken at its midpoint instead of its root end.
        drag_swing: coefficient of -cos 2β in the drag coefficient [-].
        added_mass: added mass relative to ρ π c² [-].
    """

    words: str
    root_twist: bool
    middle: bool
    drag_swing: float = 1.55
    added_mass: float = 0.25

    def air(self, density: Numbers = 1.22) -> QuasiSteady:
        """The air of this reading, with a given density [kg/m³]."""
        return QuasiSteady(density, drag_swing=self.drag_swing, added_mass=self.added_mass)


# Interpretations of the paper, by name.
READINGS: dict[str, Reading] = {
    "TB8": Reading("stroke, bend, then (twist, bend) x 3; values at the root end of a section", False, False),
    "TB8m": Reading("TB8 with the added mass as printed, ρπc²", False, False, added_mass=1.0),
    "BT9": Reading("stroke, then (bend, twist) x 4; values in the middle of a section", True, True),
    "BT9c": Reading("BT9 with C_D = 1.92 + 1.55 cos 2β (arguments of atan2 exchanged)", True, True, drag_swing=-1.55),
}
