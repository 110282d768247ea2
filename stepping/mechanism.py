"""Interface of a model for implicit steps: inertia, force, stiffness and damping."""

import abc
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from spatial import solve_spd


class Point(eqx.Module):
    """State of a mechanism.

    Attributes:
        pose: configuration other than the free coordinates: position [m] and quaternion of a base; () for none.
        free: coordinates that springs and dampers act on [rad], [m] or of any unit.
        velocity: base twist (if the base is free) followed by the rates of `free` [m/s, rad/s, 1/s].
        memory: further states, such as integrals or states of a controller, of any unit; () for none.
    """

    pose: PyTree[Float[Array, "..."]]
    free: Float[Array, "n"]
    velocity: Float[Array, "m"]
    memory: PyTree[Float[Array, "..."]] = ()


class Equations(eqx.Module):
    """Equations of motion A dv/dt = F of a mechanism at one instant.

    Attributes:
        inertia: A, symmetric positive definite [kg, kg·m, kg·m²].
        force: F, including all springs and dampers [N, N·m].
        details: whatever `AbstractMechanism.memory_rates` needs from this evaluation.
        contact: stiffness [N/m, N·m/rad] and damping [N·s/m, N·m·s/rad] over all velocities of loads that are stiff at
            this instant, such as contact with the ground, besides `stiffness` and `damping` of the mechanism; symmetric
            positive semidefinite. None for none; a mechanism must return None either always or never.
        product: v -> A v without forming A, used for derivatives; None to differentiate the matrix.
    """

    inertia: Float[Array, "m m"]
    force: Float[Array, "m"]
    details: Any = None
    contact: tuple[Float[Array, "m m"], Float[Array, "m m"]] | None = None
    product: Callable[[Float[Array, "m"]], Float[Array, "m"]] | None = None

    def solve(self, more: Float[Array, "m m"], right: Float[Array, "m"]) -> Float[Array, "m"]:
        """(A + more)⁻¹ right, for a symmetric positive semidefinite `more` [kg, kg·m, kg·m²; N, N·m]."""
        if self.product is None:
            return solve_spd(self.inertia + more, right)
        product = self.product
        return solve_spd(self.inertia + more, right, lambda x: product(x) + more @ x)


class AbstractMechanism(eqx.Module):
    """A model with an inertia, a stiffness and a damping.

    Its velocities are v = (base twist, rates of n free coordinates q); its equations are

        A(t, y) dv/dt = F(t, y),   dq/dt = v[-n:],   d(pose)/dt = pose_rates(pose, v).

    `stiffness` K and `damping` D define the linearisation of the implicit method: F should contain -K q - D dq. They
    need not be exact (a nonlinear spring, a further force); that affects stability, not accuracy. The arrays of a
    mechanism are differentiable.
    """

    @property
    @abc.abstractmethod
    def stiffness(self) -> Float[Array, "n n"]:
        """K, symmetric positive semidefinite [N·m/rad or N/m]."""

    @property
    @abc.abstractmethod
    def damping(self) -> Float[Array, "n n"]:
        """D, symmetric positive semidefinite [N·m·s/rad or N·s/m]."""

    @abc.abstractmethod
    def equations(self, t: Float[Array, ""], point: Point) -> Equations:
        """Inertia and force at a time [s] and a point."""

    def pose_rates(self, pose: PyTree, velocity: Float[Array, "m"]) -> PyTree:
        """Rates of the pose at a velocity; () for a mechanism that has none."""
        return ()

    def displacement(self, pose: PyTree, other: PyTree) -> Float[Array, "base"]:
        """Small displacement from one pose to another, in the components of the base twist; needed with `contact`."""
        raise NotImplementedError(f"{type(self).__name__}: contact loads need the displacement of the base")

    def memory_rates(
        self, t: Float[Array, ""], point: Point, acceleration: Float[Array, "m"], equations: Equations
    ) -> PyTree:
        """Rates of the memory at a time [s], a point and the acceleration found there; () for none."""
        return ()

    def rates(self, t: Float[Array, ""], point: Point) -> Point:
        """Rates of all states: the vector field that explicit methods integrate."""
        found = self.equations(t, point)
        acceleration = solve_spd(found.inertia, found.force)
        n = point.free.shape[0]
        return Point(
            self.pose_rates(point.pose, point.velocity),
            point.velocity[point.velocity.shape[0] - n :],
            acceleration,
            self.memory_rates(t, point, acceleration, found),
        )


def pad(matrix: Float[Array, "n n"], size: int) -> Float[Array, "m m"]:
    """Pads a matrix over the free coordinates to one over all velocities, where the free coordinates come last."""
    base = size - matrix.shape[0]
    return jnp.pad(matrix, ((base, 0), (base, 0)))
