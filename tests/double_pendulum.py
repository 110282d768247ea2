"""A driven double pendulum on springs and dampers: the smallest mechanism whose inertia moves with it."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from stepping.mechanism import AbstractMechanism, Equations, Point


class DoublePendulum(AbstractMechanism):
    """Two point masses on massless rods of length `length`; angles from the vertical and between the rods.

    The pivot is shaken sideways, x = shake sin(rate t). The memory is the work of the dampers.
    """

    spring: Float[Array, "2"]
    damper: Float[Array, "2"]
    masses: Float[Array, "2"]
    shake: float = 0.1
    rate: float = 6.0
    length: float = 0.5
    gravity: float = 9.81

    @property
    def stiffness(self):
        return jnp.diag(self.spring)

    @property
    def damping(self):
        return jnp.diag(self.damper)

    def equations(self, t, point):
        (q1, q2), (w1, w2) = point.free, point.velocity
        (m1, m2), r, g = self.masses, self.length, self.gravity
        both, pivot = q1 + q2, -self.shake * self.rate**2 * jnp.sin(self.rate * t)
        # In the absolute angles (q1, q1 + q2), then carried to (q1, q2) by the constant map T.
        cross = m2 * r * r * jnp.cos(q2)
        A = jnp.array([[(m1 + m2) * r * r, cross], [cross, m2 * r * r]])
        turning = m2 * r * r * jnp.sin(q2)
        F = jnp.stack(
            [
                turning * (w1 + w2) ** 2 - (m1 + m2) * r * (g * jnp.sin(q1) + pivot * jnp.cos(q1)),
                -turning * w1**2 - m2 * r * (g * jnp.sin(both) + pivot * jnp.cos(both)),
            ]
        )
        T = jnp.array([[1.0, 0.0], [1.0, 1.0]])
        return Equations(T.T @ A @ T, T.T @ F - self.spring * point.free - self.damper * point.velocity)

    def memory_rates(self, t, point, acceleration, equations):
        return jnp.sum(self.damper * point.velocity**2)

    def energy(self, point):
        """Kinetic, of height and of the springs; for a pivot at rest [J]."""
        (q1, q2), (w1, w2) = point.free, point.velocity
        (m1, m2), r, g = self.masses, self.length, self.gravity
        kinetic = 0.5 * (m1 + m2) * (r * w1) ** 2 + 0.5 * m2 * (r * (w1 + w2)) ** 2
        kinetic = kinetic + m2 * r * r * w1 * (w1 + w2) * jnp.cos(q2)
        height = -(m1 + m2) * r * jnp.cos(q1) - m2 * r * jnp.cos(q1 + q2)
        return kinetic + g * height + 0.5 * jnp.sum(self.spring * point.free**2)


def at_rest(q=(0.0, 0.0)):
    return Point((), jnp.array(q), jnp.zeros(2), jnp.zeros(()))


def pendulum(spring=20.0, damper=0.05, masses=(1.0, 0.2), **others):
    return DoublePendulum(jnp.full(2, spring), jnp.full(2, damper), jnp.array(masses), **others)
