"""Water that passes along the body, on the nodes of the fast path: slices at the nodes, and shedding at the edge.

This applies only to fluids that carry water along the body (`AbstractFluid.shedding`); for others nothing is computed.
Arrays are (component, node). See the contract of `hydro.AbstractFluid`, 7.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Carried, Place
from spatial import matrix_from_quaternion, node_cross, node_rotation, wrench_to_head

from .node_arrays import apply
from .sampled_body import Leaving, SampledBody, Stations, slices_added
from .section_motion import SectionMotion, at_nodes
from .state import HeadState
from .strain import Gait, StrainRates, strain_rates


class PassingWater(eqx.Module):
    """The water along the whole body at one instant.

    Attributes:
        slices: slices lumped at the smooth nodes, each in its section's frame [kg, N, J].
        wrench: wrench of the leaving water about the nose, in the head frame [N, N·m].
        power: power lost to the wake [W].
    """

    slices: Carried
    wrench: Float[Array, "6"]
    power: Float[Array, ""]


def passing_water(
    body: SampledBody, fluid: AbstractFluid, strain: StrainRates, motion: SectionMotion, state: HeadState
) -> PassingWater | None:
    """The water that passes along a body; None, decided at trace time, for a fluid that carries none.

    Args:
        body: body sampled in the fluid.
        fluid: the fluid.
        strain: strain at the smooth nodes.
        motion: motion of the sections at the smooth nodes.
        state: state of the head.
    """
    if body.leaving is None:
        return None
    slices = carried_at(fluid, body.added, at_nodes(motion, state), motion.twist, strain.xi, strain.dxi)
    rotation, position, twist, xi = _at_the_edge(body.leaving, strain, motion)
    place = Place(state.position + state.rotation @ position, state.rotation @ rotation)
    # The strain rate is set to zero because it only enters the load, which is not used here.
    last = fluid.carried(body.leaving.added, place, twist, xi, jnp.zeros_like(xi))
    return PassingWater(slices, wrench_to_head(rotation, position, last.wrench), last.energy_flux)


def carried_at(
    fluid: AbstractFluid,
    added: Float[Array, "6 6 nodes"],
    place: Place,
    twist: Float[Array, "6 nodes"],
    strain: Float[Array, "nodes 6"],
    strain_rate: Float[Array, "nodes 6"],
) -> Carried:
    """`AbstractFluid.carried` at many nodes."""
    return jax.vmap(fluid.carried, in_axes=(-1, 0, -1, 0, 0), out_axes=-1)(added, place, twist, strain, strain_rate)


def wrench_of_passing_water(
    body: SampledBody,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, ""],
    water: PassingWater,
    motion: SectionMotion,
    stations: Stations,
) -> Float[Array, "6 points"]:
    """Contribution of the passing water to the internal wrench at stations, in the head's axes [N, N·m].

    With N the integral of body and slices, Λ = N - W before the edge; at the edge N jumps by the wrench of the leaving
    water. The result has the sign of n and M, which are -Λ.
    """
    assert body.leaving is not None
    here = stations.from_smooth
    shape = motion.shape
    rotation = node_rotation(shape.quaternion @ here)
    position = shape.position @ here
    place = Place(
        (state.position[:, None] + state.rotation @ position).T,
        jnp.moveaxis(jnp.einsum("ij,jkn->ikn", state.rotation, rotation), -1, 0),
    )
    added = slices_added(fluid, body.beam, stations.X, stations.section)
    strain = strain_rates(gait, stations.X, t)
    W = carried_at(fluid, added, place, motion.twist @ here, strain.xi, strain.dxi).wrench
    behind = jnp.where(stations.X > body.leaving.X, 1.0, 0.0)[None, :]
    gone = jnp.broadcast_to(water.wrench[:, None], W.shape)
    force = behind * gone[:3] + (1.0 - behind) * apply(rotation, W[:3])
    couple = behind * (gone[3:] - node_cross(position, gone[:3])) + (1.0 - behind) * apply(rotation, W[3:])
    return jnp.concatenate([force, couple])


def _at_the_edge(leaving: Leaving, strain: StrainRates, motion: SectionMotion):
    """Axes, position, twist and strain at the edge, by one product, because four take several times longer."""
    shape = motion.shape
    fields = jnp.concatenate([shape.quaternion, shape.position, motion.twist, strain.xi.T])
    quaternion, position, twist, xi = jnp.split(fields @ leaving.from_smooth, (4, 7, 13))
    return matrix_from_quaternion(quaternion / jnp.linalg.norm(quaternion)), position, twist, xi
