"""Kinematics of the fast path: motion of the sections at the smooth nodes and at the load nodes.

Arrays are (component, node).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import Place
from spatial import node_cross, node_rotation

from .node_arrays import apply
from .sampled_body import SampledBody
from .shape import Shape, StillShape, shape_from_strain
from .state import HeadState
from .strain import Gait, StrainRates, strain_rates


class SectionMotion(eqx.Module):
    """Motion of the sections at the smooth nodes, each in its own frame.

    Attributes:
        shape: the body relative to its head.
        twist: twist of each section [m/s, rad/s].
        twist_rate: d(twist)/dt, without the contribution of the head's d(twist)/dt [m/s², rad/s²].
    """

    shape: Shape
    twist: Float[Array, "6 nodes"]
    twist_rate: Float[Array, "6 nodes"]


def body_shape(body: SampledBody, gait: Gait, t: Float[Array, ""]) -> tuple[StrainRates, Shape]:
    """Strain at the smooth nodes at time t [s], and the body relative to its head."""
    strain = strain_rates(gait, body.X, t)
    return strain, strained_shape(body, strain)


def strained_shape(body: SampledBody, strain: StrainRates) -> Shape:
    """The body with given strains at the smooth nodes, relative to its head."""
    stretch = body.stretch
    if stretch is not None:
        strain = jax.tree.map(lambda part: stretch[:, None] * part, strain)
    return shape_from_strain(strain, body.panel_integral)


def section_motion(shape: Shape, head_twist: Float[Array, "6"]) -> SectionMotion:
    """Velocity and acceleration of the sections, for a head with steady twist. (50)-(53)"""
    spread = lambda v: jnp.broadcast_to(v[:, None], shape.position.shape)  # noqa: E731
    V0, omega0 = spread(head_twist[:3]), spread(head_twist[3:])
    velocity = V0 + node_cross(omega0, shape.position) + shape.velocity
    omega = omega0 + shape.spin
    acceleration = node_cross(omega0, velocity + shape.velocity) + shape.acceleration
    omega_rate = shape.spin_rate + node_cross(omega0, shape.spin)
    # In the section frame: d/dt(Rᵀv) = Rᵀ(a - ω×v), and Rᵀω̇ is dΩ/dt.
    rate = acceleration - node_cross(omega, velocity)
    columns = jnp.stack([velocity, omega, rate, omega_rate], axis=1)
    local = jnp.swapaxes(apply(jnp.swapaxes(shape.rotation, 0, 1), columns), 0, 1)
    return SectionMotion(shape, local[:2].reshape(6, -1), local[2:].reshape(6, -1))


def at_nodes(motion: SectionMotion, state: HeadState) -> Place:
    """Poses of the sections at the smooth nodes in the world."""
    position = state.position[:, None] + state.rotation @ motion.shape.position
    rotation = jnp.einsum("ij,jkn->ikn", state.rotation, motion.shape.rotation)
    return Place(position.T, jnp.moveaxis(rotation, -1, 0))


class LoadMotion(eqx.Module):
    """Pose and twist of the sections at the load nodes."""

    place: Place
    twist: Float[Array, "6 loads"]


def at_loads(body: SampledBody, motion: SectionMotion, state: HeadState) -> LoadMotion:
    """Motion of the sections, interpolated from the smooth to the load nodes."""
    # If the fluid does not use the position, the compiler removes its computation.
    return LoadMotion(load_place(body, motion.shape, state), motion.twist @ body.to_load)


def load_place(body: SampledBody, shape: Shape | StillShape, state: HeadState) -> Place:
    """Poses of the sections at the load nodes."""
    position = state.position[:, None] + state.rotation @ (shape.position @ body.to_load)
    rotation = jnp.einsum("ij,jkn->ikn", state.rotation, node_rotation(shape.quaternion @ body.to_load))
    return Place(position.T, jnp.moveaxis(rotation, -1, 0), body.load_X)
