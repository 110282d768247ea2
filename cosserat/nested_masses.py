"""Point masses on the reference space path: Newton-Euler equations of each, in the world frame."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from spatial import angular, cross, join, linear, matrix_from_quaternion, shift_inertia

from .point_masses import PointMasses
from .state import HeadState

_cross = jax.vmap(cross)


class Carried(eqx.Module):
    """Configuration and velocities of sections in the world: (48)-(51)."""

    position: Float[Array, "*n 3"]
    quaternion: Float[Array, "*n 4"]
    velocity: Float[Array, "*n 3"]
    omega: Float[Array, "*n 3"]

    @classmethod
    def of(cls, state: HeadState) -> "Carried":
        """Configuration and velocities of the head."""
        R = state.rotation
        return cls(state.position, state.quaternion, R @ linear(state.twist), R @ angular(state.twist))


class Motion(eqx.Module):
    """Configuration, velocities and accelerations of sections in the world: (48)-(53)."""

    carried: Carried
    acceleration: Float[Array, "*n 3"]
    omega_rate: Float[Array, "*n 3"]


def mass_wrenches(masses: PointMasses, fluid: AbstractFluid, y: Motion) -> Float[Array, "masses 6"]:
    """Load minus inertial wrench of each mass, about its section's centre, in the world [N, N·m].

        f = f_ext - m a - dω×mc - ω×(ω×mc),   c = c_ext - mc×a - J dω - ω×Jω

    with c the centre of mass seen from the section's centre, and J about the latter.
    """
    R = jax.vmap(matrix_from_quaternion)(y.carried.quaternion)
    turn = lambda v: jnp.einsum("kij,kj->ki", R, v)  # noqa: E731
    unturn = lambda v: jnp.einsum("kji,kj->ki", R, v)  # noqa: E731
    a, omega, domega = y.acceleration, y.carried.omega, y.omega_rate
    twist = join(unturn(y.carried.velocity), unturn(omega))
    terms = masses.loads(fluid, Place(y.carried.position, R, masses.X), twist)
    load = sum(terms.values(), jnp.zeros_like(twist))
    mc = turn(masses.first_moment)
    J = lambda v: turn(jnp.einsum("kij,kj->ki", masses.inertia[:, 3:, 3:], unturn(v)))  # noqa: E731
    force = turn(load[:, :3]) - masses.mass[:, None] * a - _cross(domega, mc) - _cross(omega, _cross(omega, mc))
    couple = turn(load[:, 3:]) - _cross(mc, a) - J(domega) - _cross(omega, J(omega))
    return join(force, couple)


def masses_at_nose(
    masses: PointMasses, fluid: AbstractFluid, nose: Float[Array, "3"], y: Motion
) -> tuple[Float[Array, "6 6"], Float[Array, "6"]]:
    """Contribution of the masses to (54)-(56): inertia and wrench about the nose, in the world's axes.

    Args:
        masses: the masses.
        fluid: the surroundings.
        nose: position of the nose in the world [m].
        y: motion of their sections for a non-accelerating head.
    """
    rotation = jax.vmap(matrix_from_quaternion)(y.carried.quaternion)
    arm = y.carried.position - nose[None]
    wrench = mass_wrenches(masses, fluid, y)
    about_nose = join(wrench[:, :3], wrench[:, 3:] + _cross(arm, wrench[:, :3]))
    return jnp.sum(shift_inertia(rotation, arm, masses.inertia), axis=0), jnp.sum(about_nose, axis=0)


def with_masses(y: Any, stations: Float[Array, "stations"], masses: PointMasses, fluid: AbstractFluid, at: Motion):
    """States of the second loop with the jumps of n and M at the masses; (63)-(64) are linear, so jumps can be added.

    Args:
        y: states at the stations, without the masses.
        stations: abscissae [m].
        masses: the masses.
        fluid: the surroundings.
        at: motion of the masses' sections.
    """
    wrench = mass_wrenches(masses, fluid, at)

    def complete(X, y):
        aft = jnp.where(X >= masses.X, 1.0, 0.0)[:, None]
        arm = y.carried.position[None] - at.carried.position
        couple = jnp.sum(aft * (wrench[:, 3:] - _cross(arm, wrench[:, :3])), axis=0)
        turn = matrix_from_quaternion(y.carried.quaternion).T
        return y.force + jnp.sum(aft * wrench[:, :3], axis=0), y.moment + turn @ couple

    force, moment = jax.vmap(complete)(stations, y)
    return eqx.tree_at(lambda y: (y.force, y.moment), y, (force, moment))
