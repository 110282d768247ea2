"""Wheels without side slip, as linear constraints on the planar twist of the head.

A wheel at r with axle direction n, both in the head frame, requires n · (V + Ω × r + dr/dt) = 0:

    J (V1, V2, Ω3) + b = 0,    J = (n1, n2, r1 n2 - r2 n1),    b = n · dr/dt

J and b depend on the shape alone, hence on time alone.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import solve

PLANAR = (0, 1, 5)  # V1, V2, Ω3 among the six components of a twist
FULL = 3  # number of independent wheels that determine the motion of the head


class Axles(eqx.Module):
    """Wheels of a deforming body, in the axes of its head; third components are zero.

    Attributes:
        normal: n, unit vectors along the axles.
        position: r of the points of contact [m].
        normal_rate: dn/dt for a head at rest [1/s].
        velocity: dr/dt for a head at rest [m/s].
        acceleration: d²r/dt² for a head at rest [m/s²].
    """

    normal: Float[Array, "wheels 3"]
    position: Float[Array, "wheels 3"]
    normal_rate: Float[Array, "wheels 3"]
    velocity: Float[Array, "wheels 3"]
    acceleration: Float[Array, "wheels 3"]

    def constraint(self) -> tuple[Float[Array, "wheels 3"], Float[Array, "wheels"]]:
        """J [-, m] and b [m/s]."""
        return _rows(self.normal, self.position), jnp.sum(self.normal * self.velocity, axis=1)

    def bias(self, twist: Float[Array, "3"]) -> Float[Array, "wheels"]:
        """dJ/dt (V1, V2, Ω3) + db/dt [m/s²]: the time derivative of the constraint without J d(twist)/dt."""
        rate = _rows(self.normal_rate, self.position) + _lever(self.normal, self.velocity)
        turned = jnp.sum(self.normal_rate * self.velocity + self.normal * self.acceleration, axis=1)
        return rate @ twist + turned


def kinematic_twist(J: Float[Array, "wheels 3"], b: Float[Array, "wheels"]) -> Float[Array, "3"]:
    """The twist that minimises the slip in the least-squares sense [m/s, rad/s]; zero slip for compatible wheels.

    Args:
        J: matrix of the constraint [-, m].
        b: offset of the constraint [m/s], or the bias of its derivative [m/s²].
    """
    Q, R = jnp.linalg.qr(J)
    return -solve(R, Q.T @ b)


def independence(J: Float[Array, "wheels 3"], length: Float[Array, ""]) -> Float[Array, ""]:
    """Smallest singular value of J over the root of the number of wheels, lengths in units of the body's [-].

    Zero if all axles are parallel or meet in one point, about which the body can then rotate.

    Args:
        J: matrix of the constraint [-, m].
        length: length of the body [m].
    """
    scaled = J / jnp.stack([jnp.ones(()), jnp.ones(()), length])[None, :]
    return jnp.linalg.svd(scaled, compute_uv=False)[-1] / jnp.sqrt(J.shape[0])


def least_forces(J: Float[Array, "wheels 3"], needed: Float[Array, "3"]) -> Float[Array, "wheels"]:
    """Forces along the axles with a given planar resultant; the least-norm solution if wheels are redundant [N].

    Args:
        J: matrix of the constraint, with three independent rows or more [-, m].
        needed: resultant force and moment about the head, in its axes [N, N·m].
    """
    Q, R = jnp.linalg.qr(J)
    return Q @ solve(R.T, needed)


def constrained(
    inertia: Float[Array, "3 3"],
    wrench: Float[Array, "3"],
    J: Float[Array, "wheels 3"],
    bias: Float[Array, "wheels"],
) -> tuple[Float[Array, "3"], Float[Array, "wheels"]]:
    """Acceleration and forces along the axles: M a = w + Jᵀ f, J a + bias = 0; fewer than three wheels.

    Args:
        inertia: M of the body about its head, planar part [kg, kg·m, kg·m²].
        wrench: w, all other loads [N, N·m].
        J: matrix of the constraint [-, m].
        bias: see `Axles.bias` [m/s²].

    Returns:
        d(V1, V2, Ω3)/dt [m/s², rad/s²] and f [N].
    """
    free = solve(inertia, wrench)
    if J.shape[0] == 0:
        return free, jnp.zeros(0)
    yielding = solve(inertia, J.T)
    force = -solve(J @ yielding, J @ free + bias)
    return free + yielding @ force, force


def nearest(
    inertia: Float[Array, "3 3"], twist: Float[Array, "3"], J: Float[Array, "wheels 3"], b: Float[Array, "wheels"]
) -> Float[Array, "3"]:
    """Twist after an impulse of the wheels that removes the slip [m/s, rad/s]; fewer than three wheels.

    Args:
        inertia: inertia of the body about its head, planar part [kg, kg·m, kg·m²].
        twist: before the impulse [m/s, rad/s].
        J: matrix of the constraint [-, m].
        b: offset of the constraint [m/s].
    """
    if J.shape[0] == 0:
        return twist
    yielding = solve(inertia, J.T)
    return twist - yielding @ solve(J @ yielding, J @ twist + b)


def _rows(normal, position):
    return jnp.stack([normal[:, 0], normal[:, 1], _moment(position, normal)], axis=1)


def _lever(normal, velocity):
    """Contribution of the moving contact points to the rate of the rows."""
    zero = jnp.zeros_like(normal[:, 0])
    return jnp.stack([zero, zero, _moment(velocity, normal)], axis=1)


def _moment(position, force):
    return position[:, 0] * force[:, 1] - position[:, 1] * force[:, 0]
