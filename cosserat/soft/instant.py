"""A soft beam at one instant, described as a beam under imposed strains, so that both have the same output."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid

from ..panel_loops import FirstLoop, first_loop
from ..state import HeadState
from ..strain import Gait
from .sampled_soft import SampledSoft
from .soft_beam import SoftState, StrainAt
from .soft_loop import SoftLoop, soft_loop, tail_place
from .threads import ThreadState


class SoftInstant(eqx.Module):
    """A soft beam at one instant.

    Attributes:
        head: pose and twist of the head, with its prescribed parts.
        law: total strain about this instant, a law (X, t) like a gait.
        first: the first space loop for this law, with the actual rate of the head's twist and all loads.
        rates: (dη0/dt, d²q/dt²), in the head frame [m/s², rad/s², 1/s², 1/(m·s²)].
        at_nose: loads and reaction on the nose, in the head frame [N, N·m].
        at_tail: load on the tail: force in the world, moment in the section frame [N, N·m].
        reaction: reaction on the head, in its frame [N, N·m].
        elastic: elastic energy of the free strains [J].
        viscous: power dissipated by the damping of the free strains [W].
        active: power that each actuator delivers to the free strains [W].
        loads: power that the loads deliver [W].
        threads: lengths, rates and tensions of its threads.
    """

    head: HeadState
    law: StrainAt
    first: FirstLoop
    rates: Float[Array, "m"]
    at_nose: Float[Array, "6"]
    at_tail: Float[Array, "6"]
    reaction: Float[Array, "6"]
    elastic: Float[Array, ""]
    viscous: Float[Array, ""]
    active: Float[Array, "actuators"]
    loads: Float[Array, ""]
    threads: ThreadState


def soft_instant(
    sampled: SampledSoft,
    gait: Gait | None,
    fluid: AbstractFluid,
    state: SoftState,
    t: Float[Array, ""],
    command: Float[Array, "commands"] | None = None,
) -> SoftInstant:
    """Accelerations, loads and powers of a soft beam.

    Args:
        sampled: the body on its grids.
        gait: imposed strains; None for the rest shape.
        fluid: the fluid around it.
        state: state of head and modes.
        t: time [s].
        command: commands of its actuators, of any unit; zero when None.
    """
    loop = soft_loop(sampled, gait, fluid, state.head, state.q, state.dq, t, command=command)
    rates = loop.rates()
    law = sampled.soft.strain(gait, t, state.q, state.dq, rates[6:])
    first = first_loop(sampled.body, law, fluid, loop.head, t)
    first = eqx.tree_at(
        lambda f: (f.dynamics.twist_rate, f.fluid_wrench), first, (rates[:6], loop.sections.fluid_wrench)
    )
    reaction = loop.reaction(rates)
    pushed = loop.parts.nose - loop.sections.nose  # loads on the nose
    at_tail, tail_power = _at_tail(sampled, loop, state)
    load = loop.sections.terms.get("load")
    power = pushed @ loop.head.twist + tail_power
    if load is not None:
        power = power + jnp.sum(sampled.body.load_weight * jnp.sum(load * loop.sections.loads.twist, axis=0))
    return SoftInstant(
        head=loop.head,
        law=law,
        first=first,
        rates=rates,
        at_nose=pushed + reaction,
        at_tail=at_tail,
        reaction=reaction,
        elastic=sampled.elastic_energy(state.q),
        viscous=state.dq @ sampled.damping @ state.dq,
        active=sampled.active_powers(gait, state.q, state.dq, t, command),
        loads=power,
        threads=sampled.threads(gait, state.q, state.dq, t, command),
    )


def _at_tail(sampled: SampledSoft, loop: SoftLoop, state: SoftState):
    """Load on the tail as force in the world and moment in the section frame, and its power."""
    if loop.parts.tail is None:
        return jnp.zeros(6), jnp.zeros(())
    position, rotation = tail_place(sampled, loop.sections.motion.shape)
    force, couple = loop.parts.tail[:3], loop.parts.tail[3:]
    moment = rotation.T @ (couple - jnp.cross(position, force))
    twist = loop.sections.motion.twist @ sampled.at_tail
    power = (rotation.T @ force) @ twist[:3] + moment @ twist[3:]
    return jnp.concatenate([loop.head.rotation @ force, moment]), power
