"""The two space loops of the fast path, in the head frame. [BPK06, VIII]

All operations along X but the orientation are matrix products. Arrays are (component, node).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from spatial import node_coadjoint, node_cross, node_rotation, nodewise, quaternion_multiply

from .node_arrays import apply
from .passing_water import PassingWater, carried_at, passing_water, wrench_of_passing_water
from .reduction import carried, reduced_to_head
from .sampled_body import SampledBody, Stations
from .section_motion import LoadMotion, SectionMotion, at_loads, body_shape, section_motion
from .shape import Shape
from .space_path import BothLoops, HeadDynamics
from .state import HeadState
from .strain import Gait, StrainRates, strain_rates


class FirstLoop(eqx.Module):
    """Results of the first loop.

    Attributes:
        motion: motion of the sections at the smooth nodes, for a head with steady twist.
        loads: pose and twist at the load nodes.
        terms: load of the fluid per metre at the load nodes, term by term [N/m, N].
        fluid_wrench: sum of `terms` [N/m, N].
        water: water that passes along the body; None for a fluid that carries none.
        mass_terms: load on the point masses, such as weight, term by term [N, N·m].
        dynamics: dynamics of the head.
    """

    motion: SectionMotion
    loads: LoadMotion
    terms: dict[str, Float[Array, "6 loads"]]
    fluid_wrench: Float[Array, "6 loads"]
    water: PassingWater | None
    mass_terms: dict[str, Float[Array, "masses 6"]]
    dynamics: HeadDynamics


class SectionLoads(eqx.Module):
    """Motion of the sections and loads on them, before the head's acceleration is known.

    Attributes:
        motion: motion of the sections at the smooth nodes, for a head with steady twist.
        loads: pose and twist at the load nodes.
        terms: load of the fluid per metre at the load nodes, term by term [N/m, N].
        fluid_wrench: sum of `terms` [N/m, N].
        inertia: inertia of body and water, lumped at the smooth nodes [kg, kg·m²].
        wrench: wrench on the smooth nodes minus their inertial wrench for a head with steady twist [N, N·m].
        nose: wrench on the nose, in the head frame [N, N·m].
        water: water that passes along the body; None for a fluid that carries none.
        mass_terms: load on the point masses, such as weight, term by term [N, N·m].
    """

    motion: SectionMotion
    loads: LoadMotion
    terms: dict[str, Float[Array, "6 loads"]]
    fluid_wrench: Float[Array, "6 loads"]
    inertia: Float[Array, "6 6 nodes"]
    wrench: Float[Array, "6 nodes"]
    nose: Float[Array, "6"]
    water: PassingWater | None
    mass_terms: dict[str, Float[Array, "masses 6"]]


def section_loads(
    body: SampledBody, strain: StrainRates, shape: Shape, fluid: AbstractFluid, state: HeadState
) -> SectionLoads:
    """Loads on the sections of a body of given shape. (48)-(53), (56)"""
    motion = section_motion(shape, state.twist)
    loads = at_loads(body, motion, state)
    terms = jax.vmap(fluid.terms, in_axes=(0, 0, -1), out_axes=-1)(body.load_section, loads.place, loads.twist)
    fluid_wrench = sum(terms.values(), jnp.zeros_like(loads.twist))
    gathered = fluid_wrench @ body.from_load
    mass_terms = {}
    if body.masses is not None:
        mass_terms = body.masses.loads(fluid, motion.shape, motion.twist, state)
        gathered = gathered + body.masses.gathered(mass_terms)
    gyroscopic = node_coadjoint(motion.twist, apply(body.inertia, motion.twist))
    water, inertia = passing_water(body, fluid, strain, motion, state), body.inertia + body.added
    if water is not None:
        inertia = body.inertia + water.slices.inertia
        gathered = gathered + water.slices.load
    wrench = gathered + gyroscopic - apply(inertia, motion.twist_rate)
    nose = _nose_wrench(body, fluid, state)
    return SectionLoads(motion, loads, terms, fluid_wrench, inertia, wrench, nose, water, mass_terms)


def first_loop(body: SampledBody, gait: Gait, fluid: AbstractFluid, state: HeadState, t: Float[Array, ""]) -> FirstLoop:
    """First loop: motion, loads, and the dynamics of the head. (48)-(58)"""
    found = section_loads(body, *body_shape(body, gait, t), fluid.at(t), state)
    # The wrench of the leaving water is already about the nose.
    nose = found.nose if found.water is None else found.nose + found.water.wrench
    shape = found.motion.shape
    parts = (shape.rotation, shape.position, found.inertia, found.wrench, body.nose_added, nose)
    dynamics = reduced_to_head(*parts)
    on_sections = (found.motion, found.loads, found.terms, found.fluid_wrench, found.water, found.mass_terms)
    return FirstLoop(*on_sections, dynamics)


def second_loop(
    body: SampledBody,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, ""],
    first: FirstLoop,
    stations: Stations,
    at_nose: Float[Array, "6"] | None = None,
) -> BothLoops:
    """Second loop: accelerations and internal wrench. (61)-(66)

    In the head's axes, n and R M are plain integrals. `at_nose` is a wrench on the nose in addition to that of the
    fluid, in the head frame [N, N·m]: a load, or the reaction that holds the head.
    """
    fluid = fluid.at(t)
    motion, shape, twist_rate = first.motion, first.motion.shape, first.dynamics.twist_rate
    twist_rates = motion.twist_rate + carried(shape.rotation, shape.position, twist_rate)  # (61)-(62)
    gyroscopic = node_coadjoint(first.loads.twist, apply(body.load_inertia, first.loads.twist))
    strain = strain_rates(gait, body.load_X, t)
    inertia, load = body.load_inertia + body.load_added, first.fluid_wrench
    if first.water is not None:
        slices = carried_at(fluid, body.load_added, first.loads.place, first.loads.twist, strain.xi, strain.dxi)
        inertia, load = body.load_inertia + slices.inertia, load + slices.load
    inertial = apply(inertia, twist_rates @ body.to_load)
    wrench = load + gyroscopic - inertial
    rotation = node_rotation(shape.quaternion @ body.to_load)
    force, couple = apply(rotation, wrench[:3]), apply(rotation, wrench[3:])

    nose = _nose_wrench(body, fluid, state) - body.nose_added @ twist_rate  # (44)
    nose = nose if at_nose is None else nose + at_nose
    tangent = apply(rotation, strain.xi.T[:3])
    n_at_loads = nose[:3, None] + body.integral_at_loads(force)
    lever = couple - node_cross(tangent, n_at_loads)
    n = nose[:3, None] + force @ stations.from_loads  # (63)
    m = nose[3:, None] + lever @ stations.from_loads  # (64)

    here = stations.from_smooth
    if body.masses is not None:
        moving = shape, motion.twist, twist_rates
        inside = body.masses.internal_wrench(*moving, first.mass_terms, stations.X, shape.position @ here)
        n, m = n + inside[:3], m + inside[3:]
    quaternion = shape.quaternion @ here
    quaternion = quaternion / jnp.linalg.norm(quaternion, axis=0, keepdims=True)
    head = jnp.broadcast_to(state.quaternion[:, None], quaternion.shape)
    if first.water is not None:
        through = wrench_of_passing_water(body, gait, fluid, state, t, first.water, motion, stations)
        n, m = n + through[:3], m + through[3:]
    moment = apply(jnp.swapaxes(node_rotation(quaternion), 0, 1), m)
    return BothLoops(
        head_twist_rate=twist_rate,
        position_w=(state.position[:, None] + state.rotation @ (shape.position @ here)).T,
        quaternion=nodewise(quaternion_multiply)(head, quaternion).T,
        twist=(motion.twist @ here).T,
        twist_rate=(twist_rates @ here).T,
        force_w=(state.rotation @ n).T,
        moment=moment.T,
        wake_power=None if first.water is None else first.water.power,
    )


def _nose_wrench(body, fluid, state):
    terms = fluid.nose_terms(body.beam.nose_radius, Place(state.position, state.rotation), state.twist)
    return sum(terms.values(), jnp.zeros_like(state.twist))
