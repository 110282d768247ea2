"""The fast space path: everything along X but the orientation is a matrix product. [BPK06, VIII, head frame]"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from spatial import (
    angular,
    coadjoint,
    cross,
    join,
    linear,
    matrix_from_quaternion,
    quaternion_multiply,
    shift_inertia,
    wrench_to_head,
)

from .beam import Beam
from .sampled_body import SampledBody, sample_body
from .shape import Shape, shape_from_strain
from .space_path import AbstractSpacePath, HeadDynamics, SecondLoop
from .state import HeadState
from .strain import Gait, strain_rates


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
        motion = section_motion(body, gait, state.twist, t)
        loads = at_loads(body, motion, state)
        fluid_wrench = body.to_load.T @ (body.load_weight[:, None] * _fluid_wrench(body, fluid, loads))
        gyroscopic = coadjoint(motion.twist, apply(body.inertia, motion.twist))
        inertia = body.inertia + body.added
        wrench = fluid_wrench + gyroscopic - apply(inertia, motion.twist_rate)
        rotation, position = motion.shape.rotation, motion.shape.position
        return HeadDynamics(
            jnp.sum(shift_inertia(rotation, position, inertia), axis=0) + body.nose_added,  # (54), (57)
            jnp.sum(wrench_to_head(rotation, position, wrench), axis=0)  # (55), (56)
            + _nose_wrench(body, fluid, state),  # (57)
        )

    def second_loop(
        self,
        body: SampledBody,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        twist_rate: Float[Array, "6"],
        stations: Float[Array, "stations"],
    ) -> SecondLoop:
        """Second space loop, (61)-(66), with n and R M in the head's axes, where both are plain integrals."""
        motion = section_motion(body, gait, state.twist, t, twist_rate)
        loads = at_loads(body, motion, state)
        wrench = _fluid_wrench(body, fluid, loads)
        wrench = wrench + coadjoint(loads.twist, apply(body.load_inertia, loads.twist))
        wrench = wrench - apply(body.load_inertia + body.load_added, body.to_load @ motion.twist_rate)
        rotation = matrix_from_quaternion(body.to_load @ motion.shape.quaternion)
        force, couple = apply(rotation, linear(wrench)), apply(rotation, angular(wrench))

        nose = _nose_wrench(body, fluid, state) - body.nose_added @ twist_rate  # (44)
        n_at_loads = linear(nose)[None, :] + body.integral_at_loads(force)
        tangent = apply(rotation, linear(strain_rates(gait, body.load_X, t).xi))
        lever = couple - cross(tangent, n_at_loads)
        n = linear(nose)[None, :] + body.integral_at(stations, force)  # (63)
        m = angular(nose)[None, :] + body.integral_at(stations, lever)  # (64)

        here = body.interpolation(stations)
        quaternion = here @ motion.shape.quaternion
        quaternion = quaternion / jnp.linalg.norm(quaternion, axis=1, keepdims=True)
        head = jnp.broadcast_to(state.quaternion, quaternion.shape)
        return SecondLoop(
            position_w=state.position[None, :] + here @ motion.shape.position @ state.rotation.T,
            quaternion=quaternion_multiply(head, quaternion),
            twist=here @ motion.twist,
            twist_rate=here @ motion.twist_rate,
            force_w=n @ state.rotation.T,
            moment=apply(jnp.swapaxes(matrix_from_quaternion(quaternion), -1, -2), m),
        )


class SectionMotion(eqx.Module):
    """Motion of the sections at the smooth nodes, each in its own frame.

    Attributes:
        shape: the body seen from its head.
        twist: [m/s, rad/s].
        twist_rate: d(twist)/dt [m/s², rad/s²].
    """

    shape: Shape
    twist: Float[Array, "nodes 6"]
    twist_rate: Float[Array, "nodes 6"]


def section_motion(
    body: SampledBody,
    gait: Gait,
    head_twist: Float[Array, "6"],
    t: Float[Array, ""],
    head_twist_rate: Float[Array, "6"] | None = None,
) -> SectionMotion:
    """Kinematics of velocity and acceleration, (50)-(53) or, with the head's acceleration, (61)-(62)."""
    strain = strain_rates(gait, body.X, t)
    shape = shape_from_strain(strain, body.panel_cumulative, body.cumulative)
    spread = lambda v: jnp.broadcast_to(v, shape.position.shape)  # noqa: E731
    V0, omega0 = spread(linear(head_twist)), spread(angular(head_twist))
    velocity = V0 + cross(omega0, shape.position) + shape.velocity
    omega = omega0 + shape.spin
    # Acceleration at a head whose twist, in its frame, is steady; dV0/dt and dΩ0/dt come on top.
    acceleration = cross(omega0, velocity + shape.velocity) + shape.acceleration
    omega_rate = shape.spin_rate + cross(omega0, shape.spin)
    if head_twist_rate is not None:
        V0_rate, omega0_rate = spread(linear(head_twist_rate)), spread(angular(head_twist_rate))
        acceleration = acceleration + V0_rate + cross(omega0_rate, shape.position)
        omega_rate = omega_rate + omega0_rate
    # In the section frame: d/dt(Rᵀv) = Rᵀ(a - ω×v), and Rᵀω̇ is dΩ/dt.
    unrotation = jnp.swapaxes(shape.rotation, -1, -2)
    return SectionMotion(
        shape,
        join(apply(unrotation, velocity), apply(unrotation, omega)),
        join(apply(unrotation, acceleration - cross(omega, velocity)), apply(unrotation, omega_rate)),
    )


class LoadMotion(eqx.Module):
    """Place and twist of the sections at the load nodes."""

    place: Place
    twist: Float[Array, "loads 6"]


def at_loads(body: SampledBody, motion: SectionMotion, state: HeadState) -> LoadMotion:
    """The sections' motion carried from the smooth to the load nodes."""
    # A fluid that does not ask where it is lets the compiler drop the place.
    position = state.position[None, :] + body.to_load @ motion.shape.position @ state.rotation.T
    rotation = state.rotation[None] @ matrix_from_quaternion(body.to_load @ motion.shape.quaternion)
    return LoadMotion(Place(position, rotation), body.to_load @ motion.twist)


def _fluid_wrench(body, fluid, loads):
    terms = jax.vmap(fluid.terms)(body.load_section, loads.place, loads.twist)
    return sum(terms.values(), jnp.zeros_like(loads.twist))


def _nose_wrench(body, fluid, state):
    place = Place(state.position, state.rotation)
    terms = fluid.nose_terms(body.beam.nose_radius, place, state.twist)
    return sum(terms.values(), jnp.zeros_like(state.twist))


def apply(matrix: Float[Array, "n i j"], vector: Float[Array, "n j"]) -> Float[Array, "n i"]:
    """Row by row product of matrices and vectors."""
    return jnp.sum(matrix * vector[:, None, :], axis=-1)
