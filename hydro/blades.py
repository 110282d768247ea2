"""Quasi-steady aerodynamics of a flapping blade: lift, drag and added mass, section by section. [PBB13, IV.B]"""

from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, body_inertia, finite, join, linear, non_negative, safe_norm
from spatial.printing import Printed

from .added_mass import convective_wrench, section_added_inertia
from .fluid import AbstractFluid, Place, Terms

SLOW = 1e-30  # squared speed below which velocity ratios are not formed [m²/s²]


class BladeSection(Printed):
    """One or many sections of a thin blade, located at their centres of pressure.

    The origin of the section frame is the centre of pressure: t1 along the span, t2 normal to the blade (w), t3 in
    its plane, from the trailing to the leading edge (t).

    Attributes:
        chord: distance between the edges [m].
        thickness: thickness of the blade [m].
        pressure_point: distance from the leading edge to the centre of pressure, over the chord [-].
    """

    chord: Float[Array, "*batch"]
    thickness: Float[Array, "*batch"]
    pressure_point: Float[Array, "*batch"]

    def inertia(self, density: Float[Array, "*batch"]) -> Float[Array, "*batch 6 6"]:
        """Inertia per metre of the homogeneous rectangular section, in its frame [kg/m, kg, kg·m]."""
        mass = density * self.chord * self.thickness
        zero = jnp.zeros_like(mass)
        about_normal, about_chord = mass * self.chord**2 / 12.0, mass * self.thickness**2 / 12.0
        moments = jnp.stack([about_normal + about_chord, about_normal, about_chord], axis=-1)
        # Position of mid-chord along t3, relative to the origin at the centre of pressure.
        middle = jnp.stack([zero, zero, (self.pressure_point - 0.5) * self.chord], axis=-1)
        identity = jnp.eye(3, dtype=mass.dtype)[(None,) * mass.ndim]
        return body_inertia(mass, middle, moments[..., None] * identity)


class QuasiSteady(AbstractFluid):
    """Quasi-steady air: loads on flapping blades that depend on the instantaneous motion only.

    The angle of incidence β between the blade and its velocity V is measured in the plane of the section:

        lift  ½ρ c |V|² C_L |sin 2β| sign(t·V) û,   û the unit vector normal to V in the plane of t and V
        drag -½ρ c |V|² (C_D0 - C_D2 cos 2β) V/|V|
        added mass m_a ρ π c² normal to the blade; its momentum moves with the section

    The model follows [PBB13, IV.B], except that the paper swaps the directions of lift and drag, does not normalise û,
    and gives an added mass without the factor 1/4 of a plate. All three loads act at the centre of pressure. They are
    once differentiable in V, including at rest, except where |V2| is not.

    Attributes:
        density: density of the air [kg/m³].
        lift: C_L, coefficient of sin 2β [-].
        drag: C_D0, drag coefficient averaged over all incidences [-].
        drag_swing: C_D2, coefficient of -cos 2β [-]; negative for a blade whose drag is largest edge-on.
        added_mass: m_a, added mass of a section divided by ρ π c² [-].
        wind: velocity of the air in the world [m/s]; None for still air.
    """

    section_kind: ClassVar[type] = BladeSection

    density: Float[Array, ""]
    lift: Float[Array, ""]
    drag: Float[Array, ""]
    drag_swing: Float[Array, ""]
    added_mass: Float[Array, ""]
    wind: Float[Array, "3"] | None

    def __init__(
        self,
        density: Numbers = 1.22,
        *,
        lift: Numbers = 1.8,
        drag: Numbers = 1.92,
        drag_swing: Numbers = 1.55,
        added_mass: Numbers = 0.25,
        wind: Numbers | None = None,
    ):
        self.density = non_negative("QuasiSteady.density", density, "kg/m³", ())
        self.lift = non_negative("QuasiSteady.lift", lift, shape=())
        self.drag = non_negative("QuasiSteady.drag", drag, shape=())
        swing = finite("QuasiSteady.drag_swing", drag_swing, ())
        # A drag coefficient that is negative at some incidence would propel the blade. The comparison uses `margin`, so
        # that the run-time check of a traced value is not removed from the compiled program.
        margin = non_negative("QuasiSteady.drag - |drag_swing|", self.drag - jnp.abs(swing))
        self.drag_swing = jnp.where(margin >= 0, swing, jnp.nan)
        self.added_mass = non_negative("QuasiSteady.added_mass", added_mass, shape=())
        self.wind = None if wind is None else finite("QuasiSteady.wind", wind, (3,))

    def added_inertia(self, section: BladeSection) -> Float[Array, "6 6"]:
        """m_a ρ π c² w⊗w per metre, in the section frame [kg/m]. [PBB13, IV.B]"""
        mass = self.added_mass * self.density * jnp.pi * section.chord**2
        zero = jnp.zeros_like(mass)
        return section_added_inertia(jnp.stack([mass, zero]), zero)

    def terms(self, section: BladeSection, place: Place, twist: Float[Array, "6"]) -> Terms:
        """`lift`, `drag` and `added_mass` (its convective part) per metre, in the section frame [N/m, N]."""
        current = None if self.wind is None else place.rotation.T @ self.wind
        velocity = linear(twist) if current is None else linear(twist) - current
        lift, drag = blade_forces(velocity)
        pressure = 0.5 * self.density * section.chord
        still = jnp.zeros(3)
        inertia = jnp.diagonal(self.added_inertia(section))
        return {
            "lift": join(pressure * self.lift * lift, still),
            "drag": join(pressure * (self.drag * drag[0] - self.drag_swing * drag[1]), still),
            "added_mass": convective_wrench("kirchhoff", inertia, twist, current),
        }

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero: a blade has no nose."""
        return jnp.zeros((6, 6))

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Empty: a blade has no nose."""
        return {}


def blade_forces(velocity: Float[Array, "3"]) -> tuple[Float[Array, "3"], tuple[Float[Array, "3"], Float[Array, "3"]]]:
    """Lift and the two parts of the drag of a blade, divided by ½ρc and by their coefficients.

    Written in the components V1 (span), V2 (normal), V3 (towards the leading edge), so that no angle or unit
    vector is needed at rest: sin 2β = 2 V2 V3/(V2² + V3²), û = (t |V|² - V V3)/(|V| √(V1² + V2²)).

    Args:
        velocity: velocity of the section relative to the air, in the section frame [m/s].

    Returns:
        |V|² |sin 2β| sign(t·V) û, and the pair -|V| V, -|V| V cos 2β [m²/s²].
    """
    v1, v2, v3 = velocity[0], velocity[1], velocity[2]
    across, chordwise = v1**2 + v2**2, v2**2 + v3**2
    speed = safe_norm(velocity)
    direction = jnp.stack([-v1 * v3, -v2 * v3, across])
    lift = 2.0 * jnp.abs(v2) * v3 * speed / (_not_slow(chordwise) * jnp.sqrt(_not_slow(across))) * direction
    drag = -speed * velocity
    return lift, (drag, (v3**2 - v2**2) / _not_slow(chordwise) * drag)


def _not_slow(square):
    """Replaces a square that is too small for a division by one; the numerator vanishes in that case."""
    return jnp.where(square > SLOW, square, 1.0)
