"""Morison's model of one section: drag and added mass, slice by slice. [BPK06, IV and IX.A]"""

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, join, linear, non_negative, one_of, signed_square

from .added_mass import FORMS, convective_wrench, section_added_inertia
from .drag import drag_wrench
from .fluid import AbstractFluid, Place, Terms
from .sections import AbstractSection


class Morison(AbstractFluid):
    """Water as modelled in [BPK06]: quadratic drag and added mass; all coefficients are differentiable.

    >>> import anguilla, hydro
    >>> water = hydro.Morison(added_mass="kirchhoff", current=(0.1, 0.0, 0.0))
    >>> section = hydro.uniform_profile(1.0, 0.03, 0.05)(0.5)
    >>> [round(float(m), 2) for m in water.added_inertia(section).diagonal()]  # along t1, t2, t3; about t1, t2, t3
    [0.0, 7.85, 2.83, 0.0, 0.0, 0.0]

    Attributes:
        density: density of the water [kg/m³].
        drag_axial: C1, friction coefficient along the body, on the perimeter [-].
        drag_lateral: C2, drag coefficient for motion along t2, on the diameter 2c [-].
        drag_dorsal: C3, drag coefficient for motion along t3, on the diameter 2b [-].
        drag_roll: C4, drag coefficient for rotation about t1 [-].
        mass_lateral: C5, added mass along t2 over ρπc² [-].
        mass_dorsal: C6, added mass along t3 over ρπb² [-].
        mass_roll: C7, added inertia about t1 over ρ(π/8)(c²-b²)² [-].
            These reference values are those of an ellipse; a `GeneralSection` has its own.
        nose_drag: drag coefficient of the nose, on the frontal area πR² [-]. Not in the paper.
        nose_mass: added mass of the nose over ρπR³/3, half the water displaced by a hemisphere [-]. Not in the paper.
        current: velocity of the water in the world [m/s]; None for still water.
        added_mass: "paper" (force -M times acceleration [BPK06, eq. (9)]) or "kirchhoff" (the added momentum moves
            with the section; conserves energy, and should be used if energy is reported).
    """

    section_kind: ClassVar[type] = AbstractSection

    density: Float[Array, ""]
    drag_axial: Float[Array, ""]
    drag_lateral: Float[Array, ""]
    drag_dorsal: Float[Array, ""]
    drag_roll: Float[Array, ""]
    mass_lateral: Float[Array, ""]
    mass_dorsal: Float[Array, ""]
    mass_roll: Float[Array, ""]
    nose_drag: Float[Array, ""]
    nose_mass: Float[Array, ""]
    current: Float[Array, "3"] | None
    added_mass: str = eqx.field(static=True)

    def __init__(
        self,
        density: Numbers = 1000.0,
        *,
        drag_axial: Numbers = 0.01,
        drag_lateral: Numbers = 1.0,
        drag_dorsal: Numbers = 1.0,
        drag_roll: Numbers = 1.0,
        mass_lateral: Numbers = 1.0,
        mass_dorsal: Numbers = 1.0,
        mass_roll: Numbers = 1.0,
        nose_drag: Numbers = 0.2,
        nose_mass: Numbers = 1.0,
        current: Numbers | None = None,
        added_mass: str = "paper",
    ):
        one_of("Morison.added_mass", added_mass, FORMS)
        self.density = non_negative("Morison.density", density, "kg/m³", ())
        self.drag_axial = non_negative("Morison.drag_axial", drag_axial, shape=())
        self.drag_lateral = non_negative("Morison.drag_lateral", drag_lateral, shape=())
        self.drag_dorsal = non_negative("Morison.drag_dorsal", drag_dorsal, shape=())
        self.drag_roll = non_negative("Morison.drag_roll", drag_roll, shape=())
        self.mass_lateral = non_negative("Morison.mass_lateral", mass_lateral, shape=())
        self.mass_dorsal = non_negative("Morison.mass_dorsal", mass_dorsal, shape=())
        self.mass_roll = non_negative("Morison.mass_roll", mass_roll, shape=())
        self.nose_drag = non_negative("Morison.nose_drag", nose_drag, shape=())
        self.nose_mass = non_negative("Morison.nose_mass", nose_mass, shape=())
        self.current = None if current is None else finite("Morison.current", current, (3,))
        self.added_mass = added_mass

    def added_inertia(self, section: AbstractSection) -> Float[Array, "6 6"]:
        """Added inertia per metre in the section frame [kg/m, kg·m]. [BPK06, eq. (15), IX.A]"""
        rho = self.density
        normal = rho * jnp.stack([self.mass_lateral * section.lateral_mass, self.mass_dorsal * section.dorsal_mass])
        return section_added_inertia(normal, rho * self.mass_roll * section.roll_mass)

    def terms(self, section: AbstractSection, place: Place, twist: Float[Array, "6"]) -> Terms:
        """`drag` and `added_mass` (its convective part) per metre, in the section frame [N/m, N]."""
        half_rho = 0.5 * self.density
        current, relative = self._flow(place, twist)
        drag = drag_wrench(
            # The perimeter, as in the Appendix; section IX.A prints half of it.
            half_rho * self.drag_axial * section.perimeter,
            half_rho * jnp.stack([self.drag_lateral * section.lateral_width, self.drag_dorsal * section.dorsal_width]),
            half_rho * self.drag_roll * section.roll_drag,
            relative,
        )
        inertia = jnp.diagonal(self.added_inertia(section))
        return {
            "drag": drag,
            "added_mass": convective_wrench(self.added_mass, inertia, twist, current),
        }

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Added mass C_m,head of the nose along t1, in the head frame [kg]. [BPK06, eq. (16)]"""
        mass = self.nose_mass * jnp.pi * self.density * radius**3 / 3.0
        return jnp.zeros((6, 6)).at[0, 0].set(mass)

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """`nose_drag` and `nose_added_mass` (its convective part), in the head frame [N, N·m]. [BPK06, eq. (16)]"""
        current, relative = self._flow(place, twist)
        coefficient = 0.5 * self.density * self.nose_drag * jnp.pi * radius**2
        drag = jnp.zeros(6).at[0].set(-coefficient * signed_square(linear(relative)[0]))
        inertia = jnp.diagonal(self.nose_added_inertia(radius))
        return {
            "nose_drag": drag,
            "nose_added_mass": convective_wrench(self.added_mass, inertia, twist, current),
        }

    def _flow(self, place, twist):
        """The current in the section frame, and the twist relative to it."""
        if self.current is None:
            return None, twist
        current = place.rotation.T @ self.current
        return current, twist - join(current, jnp.zeros_like(current))
