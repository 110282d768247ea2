"""The fast space path: everything along X but the orientation is a matrix product. [BPK06, VIII, head frame]

Arrays are (component, node).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from spatial import Ad, coadjoint, cross, matrix_from_quaternion, nodewise, quaternion_multiply

from .beam import Beam
from .jets import apply, settle
from .sampled_body import SampledBody, sample_body
from .shape import Shape, shape_from_strain
from .space_path import AbstractSpacePath, BothLoops, HeadDynamics
from .state import HeadState
from .strain import Gait, strain_rates

_cross = nodewise(cross)
_coadjoint = nodewise(coadjoint)
_rotation = nodewise(matrix_from_quaternion)


class Panels(AbstractSpacePath):
    """Gauss panels along the body: the default path, and the fast one.

    Attributes:
        order: Gauss nodes in one panel of the smooth grid.
        panels: panels of the smooth grid; raise it for waves shorter than about a third of the body, for
            bodies that coil up in space, and for gaits that are smooth in X only piece by piece.
    """

    order: int = eqx.field(static=True)
    panels: int = eqx.field(static=True)

    def __init__(self, order: int = 32, panels: int = 1):
        for name, value, least in (("order", order, 2), ("panels", panels, 1)):
            if not isinstance(value, int) or value < least:
                raise ValueError(f"Panels.{name} = {value!r}: must be an integer of at least {least}")
        self.order = order
        self.panels = panels

    def sample(self, beam: Beam, fluid: AbstractFluid) -> SampledBody:
        """Grids, matrices and lumped inertias."""
        return sample_body(beam, fluid, self.order, self.panels)

    def head_dynamics(
        self, body: SampledBody, gait: Gait, fluid: AbstractFluid, state: HeadState, t: Float[Array, ""]
    ) -> HeadDynamics:
        """First space loop, (48)-(58)."""
        return _first_loop(body, fluid, state, body_shape(body, gait, t))[0]

    def both_loops(
        self,
        body: SampledBody,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Float[Array, "stations"],
    ) -> BothLoops:
        """Both space loops; the second one, (61)-(66), in the head's axes, where n and R M are plain integrals."""
        shape = body_shape(body, gait, t)
        dynamics, loads, fluid_wrench = _first_loop(body, fluid, state, shape)
        twist_rate = dynamics.twist_rate
        motion = section_motion(shape, state.twist, twist_rate)
        gyroscopic = _coadjoint(loads.twist, apply(body.load_inertia, loads.twist))
        inertial = apply(body.load_inertia + body.load_added, motion.twist_rate @ body.to_load.T)
        wrench = settle(fluid_wrench + gyroscopic - inertial)
        rotation = settle(_rotation(motion.shape.quaternion @ body.to_load.T))
        force, couple = settle((apply(rotation, wrench[:3]), apply(rotation, wrench[3:])))

        nose = _nose_wrench(body, fluid, state) - body.nose_added @ twist_rate  # (44)
        tangent = apply(rotation, strain_rates(gait, body.load_X, t).xi[:, :3].T)
        n_at_loads = nose[:3, None] + body.integral_at_loads(force)
        lever = settle(couple - _cross(tangent, n_at_loads))
        n = nose[:3, None] + body.integral_at(stations, force)  # (63)
        m = nose[3:, None] + body.integral_at(stations, lever)  # (64)

        here = body.interpolation(stations).T
        quaternion = motion.shape.quaternion @ here
        quaternion = quaternion / jnp.linalg.norm(quaternion, axis=0, keepdims=True)
        head = jnp.broadcast_to(state.quaternion[:, None], quaternion.shape)
        moment = apply(jnp.swapaxes(_rotation(quaternion), 0, 1), m)
        return BothLoops(
            head_twist_rate=twist_rate,
            position_w=(state.position[:, None] + state.rotation @ (motion.shape.position @ here)).T,
            quaternion=nodewise(quaternion_multiply)(head, quaternion).T,
            twist=(motion.twist @ here).T,
            twist_rate=(motion.twist_rate @ here).T,
            force_w=(state.rotation @ n).T,
            moment=moment.T,
        )


def _first_loop(body, fluid, state, shape):
    """The dynamics of the head, and what the second loop needs again: motion and fluid wrench at the load nodes."""
    motion = section_motion(shape, state.twist)
    loads = at_loads(body, motion, state)
    fluid_wrench = settle(_fluid_wrench(body, fluid, loads))
    gathered = settle(body.load_weight[None, :] * fluid_wrench) @ body.to_load
    gyroscopic = _coadjoint(motion.twist, settle(apply(body.inertia, motion.twist)))
    inertia = body.inertia + body.added
    wrench = settle(gathered + gyroscopic - apply(inertia, motion.twist_rate))
    shift = settle(nodewise(Ad)(motion.shape.rotation, motion.shape.position))
    shifted = settle(sum(inertia[:, k, None] * shift[None, k] for k in range(6)))
    dynamics = HeadDynamics(
        jnp.einsum("ian,ibn->ab", shift, shifted) + body.nose_added,  # (54), (57)
        jnp.einsum("ian,in->a", shift, wrench) + _nose_wrench(body, fluid, state),  # (55)-(57)
    )
    return dynamics, loads, fluid_wrench


class SectionMotion(eqx.Module):
    """Motion of the sections at the smooth nodes, each in its own frame.

    Attributes:
        shape: the body seen from its head.
        twist: [m/s, rad/s].
        twist_rate: d(twist)/dt [m/s², rad/s²].
    """

    shape: Shape
    twist: Float[Array, "6 nodes"]
    twist_rate: Float[Array, "6 nodes"]


def body_shape(body: SampledBody, gait: Gait, t: Float[Array, ""]) -> Shape:
    """The body at time t [s], seen from its head."""
    return shape_from_strain(strain_rates(gait, body.X, t), body.panel_cumulative)


def section_motion(
    shape: Shape, head_twist: Float[Array, "6"], head_twist_rate: Float[Array, "6"] | None = None
) -> SectionMotion:
    """Kinematics of velocity and acceleration, (50)-(53) or, with the head's acceleration, (61)-(62)."""
    spread = lambda v: jnp.broadcast_to(v[:, None], shape.position.shape)  # noqa: E731
    V0, omega0 = spread(head_twist[:3]), spread(head_twist[3:])
    velocity = V0 + _cross(omega0, shape.position) + shape.velocity
    omega = omega0 + shape.spin
    # Acceleration at a head whose twist, in its frame, is steady; dV0/dt and dΩ0/dt come on top.
    acceleration = _cross(omega0, velocity + shape.velocity) + shape.acceleration
    omega_rate = shape.spin_rate + _cross(omega0, shape.spin)
    if head_twist_rate is not None:
        V0_rate, omega0_rate = spread(head_twist_rate[:3]), spread(head_twist_rate[3:])
        acceleration = acceleration + V0_rate + _cross(omega0_rate, shape.position)
        omega_rate = omega_rate + omega0_rate
    # In the section frame: d/dt(Rᵀv) = Rᵀ(a - ω×v), and Rᵀω̇ is dΩ/dt.
    rate = acceleration - _cross(omega, velocity)
    columns = settle(jnp.stack([velocity, omega, rate, omega_rate], axis=1))
    local = settle(jnp.swapaxes(apply(jnp.swapaxes(shape.rotation, 0, 1), columns), 0, 1))
    return SectionMotion(shape, local[:2].reshape(6, -1), local[2:].reshape(6, -1))


class LoadMotion(eqx.Module):
    """Place and twist of the sections at the load nodes."""

    place: Place
    twist: Float[Array, "6 loads"]


def at_loads(body: SampledBody, motion: SectionMotion, state: HeadState) -> LoadMotion:
    """The sections' motion carried from the smooth to the load nodes."""
    # A fluid that does not ask where it is lets the compiler drop the place.
    to_load = body.to_load.T
    position = state.position[:, None] + state.rotation @ (motion.shape.position @ to_load)
    rotation = jnp.einsum("ij,jkn->ikn", state.rotation, _rotation(motion.shape.quaternion @ to_load))
    return LoadMotion(Place(position.T, jnp.moveaxis(rotation, -1, 0)), motion.twist @ to_load)


def load_terms(body: SampledBody, fluid: AbstractFluid, loads: LoadMotion) -> dict[str, Float[Array, "6 loads"]]:
    """Load of the fluid per metre at the load nodes, term by term."""
    terms = jax.vmap(fluid.terms, in_axes=(0, 0, -1), out_axes=-1)
    return terms(body.load_section, loads.place, loads.twist)


def _fluid_wrench(body, fluid, loads):
    return sum(load_terms(body, fluid, loads).values(), jnp.zeros_like(loads.twist))


def _nose_wrench(body, fluid, state):
    place = Place(state.position, state.rotation)
    terms = fluid.nose_terms(body.beam.nose_radius, place, state.twist)
    return sum(terms.values(), jnp.zeros_like(state.twist))
