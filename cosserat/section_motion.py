"""The fast path's kinematics: the sections' motion at the smooth nodes, and at the load nodes.

Arrays are (component, node).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import Place
from spatial import cross, matrix_from_quaternion, nodewise

from .node_arrays import apply, settle
from .sampled_body import SampledBody
from .shape import Shape, StillShape, shape_from_strain
from .state import HeadState
from .strain import Gait, StrainRates, strain_rates

_cross = nodewise(cross)
_rotation = nodewise(matrix_from_quaternion)


class SectionMotion(eqx.Module):
    """Motion of the sections at the smooth nodes, each in its own frame.

    Attributes:
        shape: the body seen from its head.
        twist: [m/s, rad/s].
        twist_rate: d(twist)/dt, but for what the head's own d(twist)/dt adds [m/s², rad/s²].
    """

    shape: Shape
    twist: Float[Array, "6 nodes"]
    twist_rate: Float[Array, "6 nodes"]


def body_shape(body: SampledBody, gait: Gait, t: Float[Array, ""]) -> tuple[StrainRates, Shape]:
    """The strain at the smooth nodes at time t [s], and the body seen from its head."""
    strain = strain_rates(gait, body.X, t)
    return strain, strained_shape(body, strain)


def strained_shape(body: SampledBody, strain: StrainRates) -> Shape:
    """The body with given strains at the smooth nodes, seen from its head."""
    if body.stretch is not None:
        strain = jax.tree.map(lambda part: body.stretch[:, None] * part, strain)
    return shape_from_strain(strain, body.panel_integral)


def section_motion(shape: Shape, head_twist: Float[Array, "6"]) -> SectionMotion:
    """Kinematics of velocity and acceleration, at a head whose twist is steady. (50)-(53)"""
    spread = lambda v: jnp.broadcast_to(v[:, None], shape.position.shape)  # noqa: E731
    V0, omega0 = spread(head_twist[:3]), spread(head_twist[3:])
    velocity = V0 + _cross(omega0, shape.position) + shape.velocity
    omega = omega0 + shape.spin
    acceleration = _cross(omega0, velocity + shape.velocity) + shape.acceleration
    omega_rate = shape.spin_rate + _cross(omega0, shape.spin)
    # In the section frame: d/dt(Rᵀv) = Rᵀ(a - ω×v), and Rᵀω̇ is dΩ/dt.
    rate = acceleration - _cross(omega, velocity)
    columns = settle(jnp.stack([velocity, omega, rate, omega_rate], axis=1))
    local = settle(jnp.swapaxes(apply(jnp.swapaxes(shape.rotation, 0, 1), columns), 0, 1))
    return SectionMotion(shape, local[:2].reshape(6, -1), local[2:].reshape(6, -1))


def at_nodes(motion: SectionMotion, state: HeadState) -> Place:
    """Where the sections at the smooth nodes are in the world."""
    position = state.position[:, None] + state.rotation @ motion.shape.position
    rotation = jnp.einsum("ij,jkn->ikn", state.rotation, motion.shape.rotation)
    return Place(position.T, jnp.moveaxis(rotation, -1, 0))


class LoadMotion(eqx.Module):
    """Place and twist of the sections at the load nodes."""

    place: Place
    twist: Float[Array, "6 loads"]


def at_loads(body: SampledBody, motion: SectionMotion, state: HeadState) -> LoadMotion:
    """The sections' motion carried from the smooth to the load nodes."""
    # A fluid that does not ask where it is lets the compiler drop the place.
    return LoadMotion(load_place(body, motion.shape, state), motion.twist @ body.to_load)


def load_place(body: SampledBody, shape: Shape | StillShape, state: HeadState) -> Place:
    """Where the sections at the load nodes are."""
    position = state.position[:, None] + state.rotation @ (shape.position @ body.to_load)
    rotation = jnp.einsum("ij,jkn->ikn", state.rotation, _rotation(shape.quaternion @ body.to_load))
    return Place(position.T, jnp.moveaxis(rotation, -1, 0), body.load_X)
