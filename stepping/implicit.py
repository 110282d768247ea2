"""Steps that are implicit in stiffness and damping, for any model with an inertia (`AbstractMechanism`).

Stiff, damped coordinates relax to their equilibrium much faster than anything else moves. Explicit steps must
resolve this relaxation or become unstable; here only the slow motion determines the step.

The equations A(t, y) dv/dt = F(t, y) are read as a function of two arguments, dy/dt = H(t, y*, y): inertia and loads
are taken at y*, the springs and dampers at y,

    A(y*) dv/dt = F(y*) - K (q - q*) - D (dq - dq*).

Loads that are temporarily stiff, such as contact with the ground, add a stiffness K(y*) and a damping D(y*) over all
velocities, evaluated at each stage; q - q* then includes the displacement of the base (`Equations.contact`).

A pair of Runge-Kutta methods with the same weights moves y* explicitly and y implicitly (semi-implicit Runge-Kutta,
[BFR16]). A stage evaluates the model once and solves one symmetric positive definite system with A + hγ D + (hγ)² K.
Because the inertia is that of the stage and the implicit method is stiffly accurate, the end of the step satisfies
the stiff balance: an inertia frozen over the step leaves (A(q) - A₀) D v in the explicit part, which grows without
bound for stiff, strongly damped coordinates.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from spatial import solve_spd

from .fixed import walk
from .mechanism import AbstractMechanism, Point, pad
from .span import Span
from .tableaus import ARK4, ARK5, SemiImplicitTableau

_EVENT = 0.1  # relative change of the contact stiffness within a step at which `_changed` is one half


def implicit_step(
    mechanism: AbstractMechanism,
    t: Float[Array, ""],
    point: Point,
    h: Float[Array, ""],
    tableau: SemiImplicitTableau = ARK5,
) -> Point:
    """The point one step later. jit-, vmap- and grad-safe; derivatives are those of the discrete map.

    Args:
        mechanism: the model.
        t: time at the start of the step [s].
        point: state at the start of the step.
        h: step [s].
        tableau: the pair of Runge-Kutta methods; `ARK3`, `ARK4`, `ARK5` or `EULER2` of `stepping.tableaus`.
    """
    return _Stages(mechanism, point, h, tableau).run(t, jax.lax.stop_gradient)[0]  # the system is not used


def implicit_step_with_error(
    mechanism: AbstractMechanism,
    t: Float[Array, ""],
    point: Point,
    h: Float[Array, ""],
    tableau: SemiImplicitTableau = ARK4,
) -> tuple[Point, Point, tuple[Point, Point]]:
    """The point one step later, an estimate of its error, and the rates at both ends of the step.

    The estimate is the difference to the embedded method, multiplied by (1 - hγJ)⁻¹: without that filter stiff
    coordinates, which the step itself has damped, would dominate it and keep the steps short.

    Args:
        mechanism: the model.
        t: time at the start of the step [s].
        point: state at the start of the step.
        h: step [s].
        tableau: the pair of Runge-Kutta methods; the embedded method of `ARK5` underestimates its error.
    """
    stages = _Stages(mechanism, point, h, tableau)
    end, slopes, inertia = stages.run(t)
    return end, stages.error(slopes, inertia), stages.end_rates(slopes)


def implicit_steps(
    mechanism: AbstractMechanism,
    start: Point,
    span: Span,
    tableau: SemiImplicitTableau = ARK5,
    *,
    breaks: Float[Array, "breaks"] | None = None,
    remember: bool = True,
) -> Point:
    """Moves a mechanism by equal steps. jit-, vmap- and grad-safe.

    A mass of 2 kg on a damper of 1e4 N·s/m and a spring of 5e3 N/m, whose fastest rate is 5e3 1/s, by steps of 0.1 s:

    >>> import jax.numpy as jnp
    >>> from stepping import AbstractMechanism, Equations, Point, Span, implicit_steps
    >>> class Mass(AbstractMechanism):
    ...     stiffness = property(lambda self: jnp.array([[5e3]]))
    ...     damping = property(lambda self: jnp.array([[1e4]]))
    ...     def equations(self, t, point):
    ...         return Equations(jnp.array([[2.0]]), -5e3 * point.free - 1e4 * point.velocity)
    >>> start = Point((), jnp.array([1.0]), jnp.array([-0.5]))
    >>> run = implicit_steps(Mass(), start, Span.every(0.0, 2.0, dt=0.1, every=20))
    >>> print(round(float(run.free[-1, 0]), 3))  # exp(-0.5 t)
    0.368

    Args:
        mechanism: the model.
        start: state at the first time.
        span: times of the run, with a fixed step.
        tableau: the pair of Runge-Kutta methods.
        breaks: increasing times to step onto [s].
        remember: store what reverse mode needs; False recomputes each step, for long runs.

    Returns:
        States at the output times.
    """
    step = lambda t, h, point: implicit_step(mechanism, t, point, h, tableau)  # noqa: E731
    return walk(step, start, span, breaks=breaks, remember=remember)


class _Stages:
    """One step: the state as three flat arrays (explicit part, free coordinates, velocities) and the stages."""

    def __init__(self, mechanism: AbstractMechanism, point: Point, h: Float[Array, ""], tableau: SemiImplicitTableau):
        self.mechanism, self.h, self.tableau = mechanism, h, tableau
        carried, self.unravel = ravel_pytree((point.pose, point.memory))
        self.start = carried, point.free, point.velocity
        self.size, self.base = point.velocity.shape[0], point.velocity.shape[0] - point.free.shape[0]
        self.K, self.D = pad(mechanism.stiffness, self.size), pad(mechanism.damping, self.size)
        self.touching = False  # known once a stage is traced

    def point(self, parts: tuple[Array, Array, Array]) -> Point:
        pose, memory = self.unravel(parts[0])
        return Point(pose, parts[1], parts[2], memory)

    def run(self, t: Float[Array, ""], keep: Callable = lambda x: x) -> tuple[Point, Any, Any]:
        """End of the step, slopes of all stages, and `keep` of the last system: inertia, stiffness and damping."""
        stages, add = len(self.tableau.b), self.moved

        # With a loop over the stages, the model is compiled once. The backward pass evaluates each stage again, which
        # is faster than storing all of its intermediate arrays.
        @functools.partial(jax.checkpoint, prevent_cse=False)
        def stage(carry, row):
            slopes, _ = carry
            k, share, explicit, implicit, diagonal = row
            predicted, known = add(explicit, slopes), add(implicit, slopes)
            slope, system = self.slope(t + share * self.h, predicted, known, diagonal * self.h)
            stiffness = system[1] if self.touching else None
            return (jax.tree.map(lambda all, one: all.at[k].set(one), slopes, slope), keep(system)), stiffness

        tab = self.tableau
        rows = (np.arange(stages), tab.c, tab.explicit, tab.implicit, tab.diagonal)
        slopes = tuple(jnp.zeros((stages, *part.shape)) for part in self.start)
        none = slopes, keep((jnp.eye(self.size), self.K, self.D))
        (slopes, system), stiffness = jax.lax.scan(stage, none, jax.tree.map(jnp.asarray, rows))
        weights = jnp.asarray(tab.b)
        if stiffness is not None and not tab.at_ends:
            # Extrapolation would overshoot an impact: in that case the shortest Euler steps are used alone.
            weights = weights - _changed(stiffness[0], stiffness[-1]) * jnp.asarray(tab.b_error)
        return self.point(add(weights, slopes)), slopes, system

    def moved(self, weights: Float[Array, "stages"], slopes: Any) -> tuple[Array, Array, Array]:
        return jax.tree.map(lambda y, k: y + self.h * (weights @ k), self.start, slopes)

    def slope(self, t, predicted, known, step):
        """Slope dy/dt = H(t, y*, y) of one stage, y = known + step · slope."""
        point = self.point(predicted)
        found = self.mechanism.equations(t, point)
        K, D, touching = self.K, self.D, found.contact is not None
        if found.contact is not None:
            K, D = K + found.contact[0], D + found.contact[1]
        stretch = self.between(point.pose, predicted[1], known, touching) + step * known[2]
        right = found.force - K @ stretch - D @ (known[2] - point.velocity)
        acceleration = found.solve(_damped(K, D, step), right)
        velocity = known[2] + step * acceleration
        pose_rates = self.mechanism.pose_rates(point.pose, velocity)
        memory_rates = self.mechanism.memory_rates(t, point, acceleration, found)
        carried, _ = ravel_pytree((pose_rates, memory_rates))
        self.touching = touching
        return (carried, velocity[self.base :], acceleration), (found.inertia, K, D)

    def between(self, pose, free, other, touching):
        """Displacement from one configuration to another, as a vector of all velocities."""
        if touching and self.base:
            moved = self.mechanism.displacement(pose, self.unravel(other[0])[0])
        else:
            moved = jnp.zeros(self.base)
        return jnp.concatenate([moved, other[1] - free])

    def error(self, slopes, system) -> Point:
        """Difference to the embedded method, filtered by (1 - hγJ)⁻¹."""
        inertia, K, D = system
        carried, free, velocity = (self.h * (jnp.asarray(self.tableau.b_error) @ k) for k in slopes)
        step = self.tableau.diagonal[-1] * self.h
        pose, memory = self.unravel(self.start[0])
        moved = self.start[0] + carried, self.start[1] + free
        right = inertia @ velocity - step * (K @ self.between(pose, self.start[1], moved, self.touching))
        velocity = solve_spd(inertia + _damped(K, D, step), right)
        if self.touching and self.base:
            still = jax.tree.map(jnp.zeros_like, memory)
            carried = carried + step * ravel_pytree((self.mechanism.pose_rates(pose, velocity), still))[0]
        return self.point((carried, free + step * velocity[self.base :], velocity))

    def end_rates(self, slopes) -> tuple[Point, Point]:
        """Rates at both ends of the step: of the first and last stage if these are the ends, else the mean rate."""
        if not self.tableau.at_ends:
            mean = self.point(tuple(jnp.asarray(self.tableau.b) @ k for k in slopes))
            return mean, mean
        return self.point(tuple(k[0] for k in slopes)), self.point(tuple(k[-1] for k in slopes))


def _damped(K, D, step):
    """hγ D + (hγ)² K, which the implicit method adds to the inertia."""
    return step * D + step**2 * K


def _changed(before, after):
    """Indicator of contact that begins or ends within a step: from 0 for equal stiffness matrices to 1.

    A smooth relative change of the stiffness is of order h, so the result is of order h² and costs no accuracy.
    """
    size = jnp.sum(before * before) + jnp.sum(after * after)
    change = jnp.sum((after - before) ** 2) / jnp.where(size > 0.0, size, 1.0)
    return change / (change + _EVENT**2)
