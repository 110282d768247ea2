"""Inverse dynamics: base acceleration and joint torques from joint motion."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial import coadjoint, join, solve_inertia
from spatial.printing import Printed

from .arguments import instant
from .coordinates import displace, displacements
from .immersion import Immersion, fluid_wrenches, immerse, water_along
from .kinematics import (
    Configuration,
    configuration,
    own_twists,
    spread_accelerations,
    spread_twists,
    sums_beyond,
    wrenches_in_base,
)
from .small_matrices import apply, inertia_in_base
from .state import BaseState
from .tree import Tree


class Dynamics(Printed):
    """Accelerations and torques of a tree.

    Attributes:
        base_acceleration: d/dt of the base twist, in the base frame [m/s², rad/s²]; zero for a fixed base.
        acceleration: joint accelerations [rad/s²] or [m/s²].
        torque: motor torques [N·m] or [N], without springs, dampers and friction.
    """

    base_acceleration: Float[Array, "6"]
    acceleration: Float[Array, "freedoms"]
    torque: Float[Array, "freedoms"]


class Balance(eqx.Module):
    """Intermediate result: the wrench that the joints must exert on each body if the base does not accelerate.

    Attributes:
        place: poses of the bodies and joint axes.
        wrench: wrench on each body, about the base's origin, in base axes [N, N·m].
        inertia: inertia of each body including added inertia, about the base's origin, in base axes
            [kg, kg·m, kg·m²].
    """

    place: Configuration
    wrench: Float[Array, "bodies 6"]
    inertia: Float[Array, "bodies 6 6"]


def inverse_dynamics(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    ddq: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> Dynamics:
    """Base acceleration and joint torques of an imposed joint motion. [KR13, V.B]

        dV0/dt = -A11⁻¹ (h1 + A12 ddq),   Γ = A12ᵀ dV0/dt + A22 ddq + h2              [KR13, eqs. (18)-(19)]

    >>> import anguilla, hydro
    >>> import jax.numpy as jnp
    >>> import multibody as mb
    >>> hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge")
    >>> arm = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0))
    >>> tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
    >>> q = jnp.zeros(1)
    >>> gravity = jnp.array(hydro.EARTH)
    >>> held = mb.inverse_dynamics(tree, mb.BaseState(), q, q, q, gravity=gravity)
    >>> round(float(held.torque[0]), 3)  # -m g l about y holds the arm [N·m]
    -4.905

    Args:
        tree: the tree.
        state: pose and twist of the base.
        q: joint positions [rad] or [m]; a unit quaternion for each spherical joint.
        dq: joint velocities [rad/s] or [m/s].
        ddq: joint accelerations [rad/s²] or [m/s²].
        fluid: fluid around the tree; None for no fluid.
        wrench: other external wrenches on each body, in the body frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²]; None for weightless or neutrally buoyant bodies.

    Returns:
        The acceleration of the base, zero for a fixed base, and the torques.
    """
    parts = instant(tree, state, q=q, dq=dq, ddq=ddq, wrench=wrench, gravity=gravity)
    q, dq, ddq, wrench, gravity = parts
    balance = newton_euler(tree, state, q, dq, ddq, fluid=fluid, wrench=wrench, gravity=gravity)
    wrenches = balance.wrench
    if tree.floating:
        base = solve_inertia(jnp.sum(balance.inertia, axis=0), -jnp.sum(wrenches, axis=0))  # [KR13, eq. (27)]
        wrenches = wrenches + apply(balance.inertia, jnp.broadcast_to(base, wrenches.shape))
    else:
        base = jnp.zeros(6)
    return Dynamics(base, ddq, motor_torques(tree, balance.place, wrenches, q, dq, ddq))


def newton_euler(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    ddq: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> Balance:
    """Newton-Euler equations of every body, for a non-accelerating base. [KR13, eqs. (21)-(24)]"""
    place = configuration(tree, q)
    twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
    rate = own_twists(place, spread_accelerations(tree, place, state.twist, dq, ddq))
    inertia = tree.inertia
    needed = -coadjoint(twist, apply(inertia, twist))
    if fluid is not None:
        medium = fluid if isinstance(fluid, Immersion) else immerse(tree, fluid)
        for load in fluid_wrenches(tree, medium.fluid, state, place, twist).values():
            needed = needed - load
        # The gyroscopic term above is that of the bodies alone; that of the fluid is among the fluid loads.
        inertia = inertia + medium.added_inertia  # [KR13, eq. (42)]
        water = water_along(tree, medium, state, place, twist)
        if water is not None:
            inertia = inertia + water.added_inertia
            needed = needed - sum(water.loads.values(), jnp.zeros_like(needed))
    if gravity is not None:
        fall = jnp.broadcast_to(state.rotation.T @ gravity, place.position.shape)
        down = own_twists(place, join(fall, jnp.zeros_like(fall)))
        needed = needed - apply(tree.inertia, down)
    if wrench is not None:
        needed = needed - wrench
    needed = needed + apply(inertia, rate)
    return Balance(place, wrenches_in_base(place, needed), inertia_in_base(place.rotation, place.position, inertia))


def motor_torques(
    tree: Tree,
    place: Configuration,
    wrenches: Float[Array, "bodies 6"],
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    ddq: Float[Array, "freedoms"],
) -> Float[Array, "freedoms"]:
    """Motor torques from the wrenches on the bodies, the rotors and the joint resistance. [KR13, eqs. (30)-(31)]"""
    beyond = sums_beyond(tree, wrenches)
    return jnp.sum(place.screws * beyond, axis=-1) + tree.rotor_inertia * ddq + joint_resistance(tree, q, dq)


def joint_resistance(
    tree: Tree, q: Float[Array, "positions"], dq: Float[Array, "freedoms"]
) -> Float[Array, "freedoms"]:
    """Torques that the motors need against springs, dampers and smoothed Coulomb friction. [KR13, eq. (31)]"""
    pull = lambda stretch: tree.stiffness * (stretch - tree.rest)  # noqa: E731
    if "spherical" in tree.kinds:
        # The rate of a rotation vector is not the angular velocity, so the torque is the gradient of the spring energy.
        moved = lambda step: displacements(tree, displace(tree, q, step))  # noqa: E731
        stretch, gradient = jax.vjp(moved, jnp.zeros_like(dq))
        spring = gradient(pull(stretch))[0]
    else:
        spring = pull(displacements(tree, q))
    return spring + tree.damping * dq + tree.friction * jnp.tanh(dq / tree.friction_speed)
