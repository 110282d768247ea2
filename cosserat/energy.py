"""Momentum, energy and power of the swimming beam."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import CONVECTIVE, AbstractFluid, Place, Void
from spatial import Numbers, angular, cross, hat, join, linear, nodewise, wrench_to_head
from spatial.printing import Printed

from .beam import Beam
from .grid_error import Limits, limits_of
from .head_equation import compiled
from .node_arrays import apply
from .output_stations import Along
from .panel_loops import FirstLoop, first_loop
from .quadrature import mass as mass, volume as volume
from .sampled_body import SampledBody
from .soft.instant import SoftInstant, soft_instant
from .soft.sampled_soft import SampledSoft, sample_soft
from .soft.soft_beam import Soft, SoftState, start_of
from .space_path import AbstractSpacePath
from .state import HeadState
from .strain import Gait


class Energetics(Printed):
    """Momenta, energies and powers of the whole body at one instant.

    Attributes:
        centre_w: centre of mass of the body, in the world [m].
        centre_velocity_w: velocity of the centre of mass, in the world [m/s].
        momentum_w: linear momentum of the body [kg·m/s] and angular momentum about the world's origin [kg·m²/s].
        impulse_w: momentum of body and added mass, in the world [kg·m/s, kg·m²/s].
        kinetic: kinetic energy of the body T [J].
        added: kinetic energy of the added inertia T_a [J].
        potential: potential energy U of weight and buoyancy [J]; zero if the fluid has none.
        dissipation: power dissipated by the fluid, D [W]; never negative in still water or on the ground. Loads that
            depend on the position alone are part of dU/dt instead.
        convective: power that the added inertia delivers beyond -dT_a/dt, P_conv [W]; zero in the kirchhoff form.
        wake: power that water leaving the body carries into the wake, P_wake [W]; zero for fluids without a wake.
        elastic: elastic energy of a soft beam's free strains [J].
        viscous: power dissipated by the damping of the free strains [W].
        active: power that muscles deliver to the free strains [W].
        loads: power that a soft beam's loads deliver [W].
    """

    centre_w: Float[Array, "3"]
    centre_velocity_w: Float[Array, "3"]
    momentum_w: Float[Array, "6"]
    impulse_w: Float[Array, "6"]
    kinetic: Float[Array, ""]
    added: Float[Array, ""]
    potential: Float[Array, ""]
    dissipation: Float[Array, ""]
    convective: Float[Array, ""]
    wake: Float[Array, ""]
    elastic: Float[Array, ""]
    viscous: Float[Array, ""]
    active: Float[Array, ""]
    loads: Float[Array, ""]


@compiled
def energetics(
    beam: Beam | Soft,
    gait: Gait | None,
    fluid: AbstractFluid,
    state: HeadState | SoftState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
) -> tuple[Energetics, Limits | None]:
    """Momentum, energies and powers at one instant, by the quadrature of the fast path.

    In still water ∫(M·dK/dt + Rᵀn·dΓ/dt) dX = d/dt(T + T_a + U) + D - P_conv + P_wake. For a soft beam with a free head
    the integral is over the imposed strains; the power of muscles and loads is added to the left-hand side, the rate of
    elastic energy and the viscous dissipation to the right-hand side.

    >>> import anguilla, cosserat, gaits, hydro
    >>> beam, gait, state = cosserat.eel(), gaits.planar(), cosserat.HeadState()
    >>> sums = cosserat.energetics(beam, gait, hydro.Morison(), state, t=2.0)
    >>> bool(sums.kinetic > 0.0), bool(sums.dissipation > 0.0)  # J, W
    (True, True)

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head; for a soft beam, state of head and modes.
        t: time [s].
        path: space path; `Panels()` when None.
    """
    assert path is not None
    now = jnp.asarray(t)
    if isinstance(beam, Soft):
        panels = path.on_panels()
        sampled = sample_soft(beam, fluid, panels.order, panels.panels)
        return soft_energetics(sampled, fluid, soft_instant(sampled, gait, fluid, start_of(beam, state), now)), None
    assert gait is not None and isinstance(state, HeadState)  # checked before
    body = path.grid(beam, fluid, path.sample(beam, fluid))
    first = first_loop(body, gait, fluid, state, now)
    return sampled_energetics(body, fluid, state, first), limits_of(path, body, gait, state, now)


def sampled_energetics(body: SampledBody, fluid: AbstractFluid, state: HeadState, first: FirstLoop) -> Energetics:
    """`energetics` of a sampled body, from the result of the first space loop."""
    motion, water, zero = first.motion, first.water, jnp.zeros(())
    momentum = apply(body.inertia, motion.twist)
    nose_momentum = body.nose_added @ state.twist
    if water is None:
        added_momentum, wake = apply(body.added, motion.twist), zero
        added = 0.5 * jnp.sum(added_momentum * motion.twist)
    else:
        added_momentum, wake = water.slices.momentum, water.power
        added = jnp.sum(water.slices.energy)

    powers = {
        name: jnp.sum(body.load_weight * jnp.sum(term * first.loads.twist, axis=0))
        for name, term in first.terms.items()
    }
    nose = fluid.nose_terms(body.beam.nose_radius, Place(state.position, state.rotation), state.twist)
    powers |= {name: term @ state.twist for name, term in nose.items()}
    potential, potential_rate = _potential(body, fluid, first)
    if body.masses is not None:  # only their weight acts on point masses
        potential = potential + body.masses.potential(fluid, motion.shape, state)
    node_mass = body.inertia[0, 0]
    total = jnp.sum(node_mass)
    momentum_w = _to_world(state, motion, momentum)
    centre_h = motion.shape.position @ node_mass / total
    if body.masses is not None:
        centre_h = centre_h + body.masses.offset_moment(motion.shape) / total
    return Energetics(
        centre_w=state.position + state.rotation @ centre_h,
        centre_velocity_w=linear(momentum_w) / total,
        momentum_w=momentum_w,
        impulse_w=_to_world(state, motion, momentum + added_momentum, nose_momentum),
        kinetic=0.5 * jnp.sum(momentum * motion.twist),
        added=added + 0.5 * nose_momentum @ state.twist,
        potential=potential,
        dissipation=-sum((power for name, power in powers.items() if name not in CONVECTIVE), zero) - potential_rate,
        convective=sum((power for name, power in powers.items() if name in CONVECTIVE), zero),
        wake=wake,
        elastic=zero,
        viscous=zero,
        active=zero,
        loads=zero,
    )


def soft_energetics(sampled: SampledSoft, fluid: AbstractFluid, now: SoftInstant) -> Energetics:
    """`energetics` of a soft beam at one instant."""
    sums = sampled_energetics(sampled.body, fluid, now.head, now.first)
    more = now.elastic, now.viscous, jnp.sum(now.active), now.loads
    return eqx.tree_at(lambda e: (e.elastic, e.viscous, e.active, e.loads), sums, more)


def momentum(
    beam: Beam, gait: Gait, state: HeadState, t: Numbers, path: AbstractSpacePath | None = None
) -> Float[Array, "6"]:
    """Linear momentum of the body [kg·m/s] and its angular momentum about the world's origin [kg·m²/s], in the world.

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        state: pose and twist of the head.
        t: time [s].
        path: space path; `Panels()` when None.
    """
    return energetics(beam, gait, Void(), state, t, path).momentum_w


@compiled
def actuator_power(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
) -> tuple[Float[Array, ""], Limits]:
    """Power that the actuators deliver to the body, ∫(M·dK/dt + Rᵀn·dΓ/dt) dX [W].

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head.
        t: time [s].
        path: space path; `Panels()` when None.
    """
    assert path is not None
    body, along, now = path.sample(beam, fluid), Along(beam, jnp.zeros(0)), jnp.asarray(t)
    loops = path.both_loops(body, gait, fluid, state, now, path.stations(body, along.X))
    return along.power(loops, gait, now), limits_of(path, body, gait, state, now)


def _potential(body, fluid, first):
    """Potential energy U and its rate [J, W]: loads that depend on the position alone deliver the power -dU/dt."""
    place, twist = first.loads.place, first.loads.twist.T

    def energy(position, rotation):
        there = Place(position, rotation, place.abscissa)
        return jnp.sum(body.load_weight * jax.vmap(fluid.potential)(body.load_section, there))

    velocity = jnp.einsum("nij,nj->ni", place.rotation, linear(twist))
    turning = place.rotation @ jax.vmap(hat)(angular(twist))
    return jax.jvp(energy, (place.position, place.rotation), (velocity, turning))


def _to_world(state, motion, momentum, at_head=None):
    """Sum of the section momenta about the head, transformed to the world's origin and axes."""
    total = jnp.sum(nodewise(wrench_to_head)(motion.shape.rotation, motion.shape.position, momentum), axis=-1)
    total = total if at_head is None else total + at_head
    p = state.rotation @ linear(total)
    return join(p, state.rotation @ angular(total) + cross(state.position, p))
