"""Kinetic energy, momentum, centre of mass and power of a moving tree."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial import Numbers, angular, cross, join, linear

from .arguments import check_tree, instant
from .coordinates import displacements
from .immersion import Immersion, fluid_wrenches, immerse, water_along
from .kinematics import configuration, own_twists, spread_twists, wrenches_in_base
from .small_matrices import apply
from .state import BaseState
from .tree import Tree


def kinetic_energy(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
) -> Float[Array, ""]:
    """Kinetic energy ½ Σ ηᵀ M η + ½ Σ I_a dq² [J]; with a fluid, it includes that of the added inertia."""
    q, dq = instant(tree, state, q=q, dq=dq)
    place = configuration(tree, q)
    twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
    inertia, slices = tree.inertia, jnp.zeros(())
    if fluid is not None:
        medium = fluid if isinstance(fluid, Immersion) else immerse(tree, fluid)
        inertia = inertia + medium.added_inertia
        water = water_along(tree, medium, state, place, twist)
        slices = slices if water is None else water.energy
    return slices + 0.5 * (jnp.sum(twist * apply(inertia, twist)) + jnp.sum(tree.rotor_inertia * dq * dq))


def momentum(
    tree: Tree, state: BaseState, q: Float[Array, "positions"], dq: Float[Array, "freedoms"]
) -> Float[Array, "6"]:
    """Linear and angular momentum of the bodies about the world's origin, in world axes [kg·m/s, kg·m²/s]."""
    q, dq = instant(tree, state, q=q, dq=dq)
    place = configuration(tree, q)
    twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
    about_base = jnp.sum(wrenches_in_base(place, apply(tree.inertia, twist)), axis=0)
    R = state.rotation
    force = R @ linear(about_base)
    return join(force, R @ angular(about_base) + cross(state.position, force))


def mass(tree: Tree) -> Float[Array, ""]:
    """Mass of all bodies [kg]."""
    check_tree(tree)
    return jnp.sum(tree.inertia[:, 0, 0])


def centre_of_mass(tree: Tree, state: BaseState, q: Float[Array, "positions"]) -> Float[Array, "3"]:
    """Centre of mass of all bodies in the world [m]."""
    (q,) = instant(tree, state, q=q)
    place = configuration(tree, q)
    masses = tree.inertia[:, 0, 0]
    # The first moments are in the lower left block, m c^.
    lower = tree.inertia[:, 3:, :3]
    moment = jnp.stack([lower[:, 2, 1], lower[:, 0, 2], lower[:, 1, 0]], axis=-1)
    in_base = jnp.sum(masses[:, None] * place.position + apply(place.rotation, moment), axis=0)
    return state.position + state.rotation @ in_base / jnp.sum(masses)


def potential_energy(
    tree: Tree, state: BaseState, q: Float[Array, "positions"], gravity: Numbers | None = None
) -> Float[Array, ""]:
    """Energy of the joint springs and, if gravity is given, gravitational energy [J].

    Args:
        tree: the tree.
        state: pose of the base.
        q: joint positions [rad or m].
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
    """
    q, pull = instant(tree, state, q=q, gravity=gravity)
    stretch = displacements(tree, q) - tree.rest
    energy = 0.5 * jnp.sum(tree.stiffness * stretch * stretch)
    if pull is not None:
        energy = energy - mass(tree) * jnp.dot(pull, centre_of_mass(tree, state, q))
    return energy


class Power(eqx.Module):
    """Power received by the bodies [W].

    Attributes:
        motors: power of each joint's motor.
        dampers: power of dampers and Coulomb friction; never positive.
        fluid: power of each fluid load, without that of the added inertia.
    """

    motors: Float[Array, "freedoms"]
    dampers: Float[Array, "freedoms"]
    fluid: dict[str, Float[Array, ""]]


def power(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    torque: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
) -> Power:
    """Power received by the bodies at one instant, by source.

    Args:
        tree: the tree.
        state: pose and twist of the base.
        q: joint positions [rad or m].
        dq: joint velocities [rad/s or m/s].
        torque: motor torques, one per freedom [N·m or N].
        fluid: the fluid around the bodies; None for no fluid.
    """
    q, dq, torque = instant(tree, state, q=q, dq=dq, torque=torque)
    loads = {}
    if fluid is not None:
        medium = fluid if isinstance(fluid, Immersion) else immerse(tree, fluid)
        place = configuration(tree, q)
        twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
        terms = fluid_wrenches(tree, medium.fluid, state, place, twist)
        water = water_along(tree, medium, state, place, twist)
        terms = terms if water is None else terms | water.loads
        loads = {name: jnp.sum(load * twist) for name, load in terms.items()}
    resisting = tree.damping * dq + tree.friction * jnp.tanh(dq / tree.friction_speed)
    return Power(torque * dq, -resisting * dq, loads)
