"""Lighthill's large-amplitude elongated-body theory: slices of water that pass along the body and leave at an edge.

A slice of water passes along the sections at the rate dX/dt = -V1/Γ1. Following the slice, the frame of the section at
the slice has the twist ζ = η - (V1/Γ1) ξ, whose first component is zero. With the added inertia M of the section,
energy ℓ, momentum Π, transported wrench W and load are

    ℓ = ½ Γ1 ζᵀ M ζ       Π = ∂ℓ/∂η = Γ1 M ζ - (ξ·Mζ) e1       W = -∂ℓ/∂ξ = (V1/Γ1) Π - (ℓ/Γ1) e1
    load per metre = -(dΠ/dt - ad(η)ᵀ Π) + (∂/∂X - ad(ξ)ᵀ) W

This extends [LIG71] to three dimensions, with torsion, stretch and shear. The energy flux -V1 ℓ/Γ1 at the edge is the
power of the wake. It is negative if the edge moves tail first (V1 > 0), which is outside the theory and not clamped.
"""

from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import Numbers, coadjoint, finite, join, linear, non_negative, signed_square

from .added_mass import section_added_inertia
from .drag import drag_wrench
from .fluid import AbstractFluid, Carried, Place, Terms
from .friction import SkinFriction
from .sections import AbstractSection
from .shedding import Shedding
from .streams import checked_current, local_flow

FIRST = np.eye(6)[0]  # e1
SEEN = slice(1, 4)  # components in which a slice has inertia: along t2, along t3, about t1


class Lighthill(AbstractFluid):
    """Water that transports momentum along the body and into a wake, with friction and cross-flow drag.

    A body that tapers to a point and sheds at its tail has no mean thrust; choose another edge. See `Shedding`.

    >>> water = Lighthill(edge=1.95, drag_lateral=0.5)      # the eel of `cosserat.eel()`, up to its tail cap
    >>> water.shedding.aft
    'truncate'

    Attributes:
        density: density of the water [kg/m³].
        friction: axial friction: a coefficient on the perimeter π(b + c) of [BPK06] [-], or a `SkinFriction` on the
            true perimeter; 0 for none.
        drag_lateral: cross-flow drag coefficient for motion along t2, on the diameter 2c [-]; 0 for none.
        drag_dorsal: cross-flow drag coefficient for motion along t3, on the diameter 2b [-]; 0 for none.
        drag_roll: drag coefficient for rotation about t1, on ρ(c²-b²)²/2 [-]; 0 for none.
        nose_drag: drag coefficient of the nose, on its frontal area πR² [-].
        mass_lateral: added mass along t2 over ρπc² [-].
        mass_dorsal: added mass along t3 over ρπb² [-].
        mass_roll: added inertia about t1 over ρ(π/8)(c²-b²)² [-].
        current: velocity of the water in the world [m/s], a function u(x, t) of position [m] and time [s], or None.
        edge: where the water leaves the body.
        time: time at which the current is evaluated, set by `at` [s].
    """

    section_kind: ClassVar[type] = AbstractSection

    density: Float[Array, ""]
    friction: Float[Array, ""] | SkinFriction
    drag_lateral: Float[Array, ""]
    drag_dorsal: Float[Array, ""]
    drag_roll: Float[Array, ""]
    nose_drag: Float[Array, ""]
    mass_lateral: Float[Array, ""]
    mass_dorsal: Float[Array, ""]
    mass_roll: Float[Array, ""]
    current: Any
    edge: Shedding
    time: Float[Array, ""]

    def __init__(
        self,
        density: Numbers = 1000.0,
        *,
        edge: Numbers | str = "tail",
        aft: str = "truncate",
        friction: Numbers | SkinFriction = 0.01,
        drag_lateral: Numbers = 1.0,
        drag_dorsal: Numbers = 1.0,
        drag_roll: Numbers = 1.0,
        nose_drag: Numbers = 0.0,
        mass_lateral: Numbers = 1.0,
        mass_dorsal: Numbers = 1.0,
        mass_roll: Numbers = 1.0,
        current: Any = None,
    ):
        self.density = non_negative("Lighthill.density", density, "kg/m³", ())
        by_reynolds = isinstance(friction, SkinFriction)
        self.friction = friction if by_reynolds else non_negative("Lighthill.friction", friction, shape=())
        self.drag_lateral = non_negative("Lighthill.drag_lateral", drag_lateral, shape=())
        self.drag_dorsal = non_negative("Lighthill.drag_dorsal", drag_dorsal, shape=())
        self.drag_roll = non_negative("Lighthill.drag_roll", drag_roll, shape=())
        self.nose_drag = non_negative("Lighthill.nose_drag", nose_drag, shape=())
        self.mass_lateral = non_negative("Lighthill.mass_lateral", mass_lateral, shape=())
        self.mass_dorsal = non_negative("Lighthill.mass_dorsal", mass_dorsal, shape=())
        self.mass_roll = non_negative("Lighthill.mass_roll", mass_roll, shape=())
        self.current = checked_current("Lighthill.current", current)
        self.edge = Shedding(edge, aft)
        self.time = finite("Lighthill.time", 0.0)

    @property
    def shedding(self) -> Shedding:
        """Where the water leaves the body."""
        return self.edge

    def at(self, t: Float[Array, ""]) -> "Lighthill":
        """The water with its current evaluated at time t [s]."""
        return eqx.tree_at(lambda fluid: fluid.time, self, t) if callable(self.current) else self

    def added_inertia(self, section: AbstractSection) -> Float[Array, "6 6"]:
        """Added inertia per metre of a straight, unstretched body, in the section frame [kg/m, kg·m]."""
        rho = self.density
        normal = rho * jnp.stack([self.mass_lateral * section.lateral_mass, self.mass_dorsal * section.dorsal_mass])
        return section_added_inertia(normal, rho * self.mass_roll * section.roll_mass)

    def terms(self, section: AbstractSection, place: Place, twist: Float[Array, "6"]) -> Terms:
        """`skin_friction` and `drag` (of the cross flow) per metre, in the section frame [N/m, N].

        In a non-uniform or unsteady stream also `stream`, the load of the pressure gradient of the stream: ρA times the
        acceleration of the water.
        """
        half_rho = 0.5 * self.density
        flow, relative = self._flow(place, twist)
        speed = linear(relative)[0]
        if isinstance(self.friction, SkinFriction):
            skin = self.friction(speed) * section.true_perimeter
        else:
            skin = self.friction * section.perimeter
        along = -half_rho * skin * signed_square(speed)
        across = drag_wrench(
            jnp.zeros_like(speed),
            half_rho * jnp.stack([self.drag_lateral * section.lateral_width, self.drag_dorsal * section.dorsal_width]),
            half_rho * self.drag_roll * section.roll_drag,
            relative,
        )
        loads = {"skin_friction": along * FIRST, "drag": across}
        if flow is not None and flow.acceleration is not None:
            pressure = self.density * section.area * flow.acceleration
            loads["stream"] = join(pressure, jnp.zeros_like(pressure))
        return loads

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero: the slice model has no end effects."""
        return jnp.zeros((6, 6))

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """`nose_drag` in the head frame [N, N·m]."""
        _, relative = self._flow(place, twist)
        coefficient = 0.5 * self.density * self.nose_drag * jnp.pi * radius**2
        return {"nose_drag": -coefficient * signed_square(linear(relative)[0]) * FIRST}

    def carried(
        self,
        added: Float[Array, "6 6"],
        place: Place,
        twist: Float[Array, "6"],
        strain: Float[Array, "6"],
        strain_rate: Float[Array, "6"],
    ) -> Carried:
        """Effect of the slices at one section; see `AbstractFluid.carried`."""
        mass = jnp.stack([added[k, k] for k in (1, 2, 3)])
        flow, relative = self._flow(place, twist)
        inertia = slice_inertia(mass, strain)
        momentum = slice_momentum(mass, relative, strain)
        load = coadjoint(relative, momentum) - momentum_by_strain(mass, relative, strain, strain_rate)
        if flow is not None:
            load = load + inertia @ join(flow.rate, jnp.zeros(3))
            if flow.gradient is not None:
                # The energy of a slice depends on its position through the stream: ∂ℓ/∂r = -(∇u)ᵀ Π.
                pull = -flow.gradient.T @ linear(momentum)
                load = load + join(pull, jnp.zeros_like(pull))
        energy = 0.5 * momentum @ relative
        passing = relative[0] / strain[0]
        wrench = passing * momentum - (energy / strain[0]) * FIRST
        return Carried(inertia, momentum, load, wrench, energy, -passing * energy)

    def _flow(self, place, twist):
        """The stream at the section, and the twist relative to it."""
        if self.current is None:
            return None, twist
        flow = local_flow(self.current, self.time, place.rotation, place.position, twist)
        return flow, twist - join(flow.velocity, jnp.zeros(3))


def slice_twist(twist: Float[Array, "6"], strain: Float[Array, "6"]) -> Float[Array, "3"]:
    """Twist ζ = η - (V1/Γ1) ξ of the section at a slice, following the slice: along t2, t3, about t1 [m/s, rad/s]."""
    return twist[SEEN] - (twist[0] / strain[0]) * strain[SEEN]


def slice_momentum(mass: Float[Array, "3"], twist: Float[Array, "6"], strain: Float[Array, "6"]) -> Float[Array, "6"]:
    """Π = Γ1 M ζ - (ξ·Mζ) e1, in the section frame [kg/s, kg·m/s].

    Args:
        mass: m2, m3, i1 of M = diag(0, m2, m3, i1, 0, 0) [kg/m, kg·m].
        twist: twist relative to the water, in the section frame [m/s, rad/s].
        strain: strain (Γ, K), in the section frame [-, 1/m].
    """
    moved = mass * slice_twist(twist, strain)
    return _along_and_seen(-strain[SEEN] @ moved, strain[0] * moved)


def momentum_by_strain(
    mass: Float[Array, "3"], twist: Float[Array, "6"], strain: Float[Array, "6"], strain_rate: Float[Array, "6"]
) -> Float[Array, "6"]:
    """(∂Π/∂ξ) dξ/dt: rate of the slices' momentum at constant twist, in the section frame [kg/s², kg·m/s²]."""
    passing, stretching = twist[0] / strain[0], strain_rate[0] / strain[0]
    xi, xi_rate = strain[SEEN], strain_rate[SEEN]
    moved = mass * slice_twist(twist, strain)
    moved_rate = mass * passing * (stretching * xi - xi_rate)  # M dζ/dt
    return _along_and_seen(-(xi_rate @ moved + xi @ moved_rate), strain_rate[0] * moved + strain[0] * moved_rate)


def slice_inertia(mass: Float[Array, "3"], strain: Float[Array, "6"]) -> Float[Array, "6 6"]:
    """Added inertia at a strain, ∂Π/∂η = Γ1 Pᵀ M P with ζ = P η, in the section frame [kg/m, kg, kg·m]."""
    pulled, own, zero = mass * strain[SEEN], strain[0] * mass, jnp.zeros_like(strain[0])
    rows = [_along_and_seen(strain[SEEN] @ pulled / strain[0], -pulled)]
    rows += [jnp.stack([-pulled[k], *(own[k] if j == k else zero for j in range(3)), zero, zero]) for k in range(3)]
    return jnp.stack([*rows, jnp.zeros(6), jnp.zeros(6)])


def _along_and_seen(along: Float[Array, ""], seen: Float[Array, "3"]) -> Float[Array, "6"]:
    """6-vector with the given component along t1, the three components in `SEEN`, and zeros."""
    return jnp.concatenate([along[None], seen, jnp.zeros(2)])
