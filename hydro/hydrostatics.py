"""Hydrostatics of a floating body, linearised about equilibrium."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, join, non_negative
from spatial.printing import Printed


class LinearHydrostatics(Printed):
    """Linear buoyancy of a hull: the force at equilibrium and the stiffness in heave, roll and pitch.

        U = ½ ηᵀ G η - F₀ z,   wrench = -dU   with η = (x, y, z, φ, θ, ψ)                    after [KR13, eq. (46)]

    [KR13] omits the minus sign and rotates Gη into the frame of the boat as if moments were forces. Here the moments
    are derived from the potential; they differ in second order and conserve energy.

    Attributes:
        stiffness: G, symmetric, about the body's origin; non-zero in heave, roll and pitch only [N/m, N, N·m].
        buoyancy: F₀, weight of the water displaced at equilibrium, along the vertical through the origin [N].
    """

    stiffness: Float[Array, "6 6"]
    buoyancy: Float[Array, ""]

    def __init__(self, stiffness: Numbers, buoyancy: Numbers):
        self.stiffness = finite("LinearHydrostatics.stiffness", stiffness, (6, 6))
        self.buoyancy = non_negative("LinearHydrostatics.buoyancy", buoyancy, "N", ())

    def potential(self, position: Float[Array, "3"], rotation: Float[Array, "3 3"]) -> Float[Array, ""]:
        """U at a pose of the body in the world, with z = 0 at equilibrium [J]."""
        eta = join(position, cardan_angles(rotation))
        return 0.5 * eta @ self.stiffness @ eta - self.buoyancy * position[2]

    def wrench(self, position: Float[Array, "3"], rotation: Float[Array, "3 3"]) -> Float[Array, "6"]:
        """Load of the water on the body in this pose, in its frame [N, N·m]."""
        angles = cardan_angles(rotation)
        pull = -self.stiffness @ join(position, angles)
        force = pull[:3].at[2].add(self.buoyancy)
        return join(rotation.T @ force, cardan_rates(angles).T @ pull[3:])


def cardan_angles(rotation: Float[Array, "3 3"]) -> Float[Array, "3"]:
    """Roll φ, pitch θ and yaw ψ of R = Rz(ψ) Ry(θ) Rx(φ) [rad], axes of the body seen from the world."""
    roll = jnp.arctan2(rotation[2, 1], rotation[2, 2])
    pitch = jnp.arctan2(-rotation[2, 0], jnp.sqrt(rotation[2, 1] ** 2 + rotation[2, 2] ** 2))
    return jnp.stack([roll, pitch, jnp.arctan2(rotation[1, 0], rotation[0, 0])])


def cardan_rates(angles: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Matrix from angular velocity in the body frame to the rates of (φ, θ, ψ) [-]. [KR13, eq. (48)]

    Singular at θ = ±π/2.
    """
    s, c = jnp.sin(angles), jnp.cos(angles)
    tangent = s[1] / c[1]
    one, zero = jnp.ones(()), jnp.zeros(())
    rows = (
        [one, s[0] * tangent, c[0] * tangent],
        [zero, c[0], -s[0]],
        [zero, s[0] / c[1], c[0] / c[1]],
    )
    return jnp.stack([jnp.stack(row) for row in rows])
