"""Relative periodic orbits: steady swimming without simulating the transient.

A flow map advances the part of the state that repeats (the head's twist, passive joints) by one period; the pose,
which does not repeat, is excluded. The orbit is a fixed point of the flow.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Complex, Float

from spatial import Numbers, finite, solve
from spatial.checks import callable_as, integer, positive
from spatial.printing import Printed, summary, value_text

FAILED = (
    "no periodic orbit was found from this guess. Likely causes: the flow does not cover one period of the gait, the "
    "guess is too far away (raise `transient`, set `step_limit`), or the orbit does not exist."
)


class Orbit(Printed):
    """A periodic orbit.

    Attributes:
        start: state that repeats after one period, in the unit of the guess.
        residual: maximum component of flow(start) - start, in the unit of the guess.
        monodromy: derivative of the flow at the start; each entry has the unit of its row over that of its column.
        multipliers: Floquet multipliers, the eigenvalues of the monodromy matrix, largest modulus first.
        converged: whether the residual is within the tolerance.
    """

    start: Float[Array, "states"]
    residual: Float[Array, ""]
    monodromy: Float[Array, "states states"]
    multipliers: Complex[Array, "states"]
    converged: Bool[Array, ""]

    def __str__(self) -> str:
        if isinstance(self.residual, Tracer) or self.residual.ndim:
            return summary(self)
        ended = "stable" if bool(self.stable) else "unstable"
        return (
            f"Orbit({self.start.shape[0]} states, {ended if bool(self.converged) else 'not converged'}, residual "
            f"{value_text(self.residual)}, largest multiplier {value_text(jnp.max(jnp.abs(self.multipliers)))})"
        )

    @property
    def stable(self) -> Bool[Array, ""]:
        """Whether small disturbances decay: all multipliers inside the unit circle."""
        return jnp.all(jnp.abs(self.multipliers) < 1.0)


def periodic_orbit(
    flow: Callable[[Float[Array, "states"], Any], Float[Array, "states"]],
    guess: Numbers,
    args: Any = None,
    *,
    transient: int = 3,
    tolerance: float = 1e-11,
    max_iterations: int = 30,
    step_limit: float = float("inf"),
    throw: bool = True,
) -> Orbit:
    """Finds the fixed point of a flow over one period by Newton's method with exact Jacobians and backtracking.

    The start is differentiated implicitly with respect to `args`, in forward mode (`jax.jacfwd`): the gradient
    of a steady speed costs one additional linear solve. The monodromy is not differentiated.

    Args:
        flow: map (state, args) -> state one period later. It is differentiated in forward mode: a rollout inside it
            needs `adjoint=diffrax.ForwardMode()` and constant steps (or a tolerance well below this one), because
            adaptive steps make the flow slightly discontinuous.
        guess: initial state, of any unit.
        args: parameters of the flow, differentiable.
        transient: number of periods to simulate from the guess before Newton's method starts.
        tolerance: largest accepted residual.
        max_iterations: maximum number of Newton iterations.
        step_limit: maximum change of any component of the state in one iteration; scale the state so that one
            number suits all of them.
        throw: raise if no orbit is found; otherwise see `converged`.

    Raises:
        A run-time error if the residual stays above the tolerance.
    """
    x = finite("guess", guess, (None,))
    if x.shape == (0,):
        raise ValueError("guess = []: must not be empty")
    callable_as("flow", flow, "(state, args) -> state one period later")
    tolerance = float(positive("tolerance", tolerance, shape=()))
    if not (isinstance(step_limit, float) and step_limit == float("inf")):
        step_limit = float(positive("step_limit", step_limit, shape=()))
    transient, max_iterations = integer("transient", transient, 0), integer("max_iterations", max_iterations, 1)
    fixed = jax.tree.map(lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else leaf, args)
    if transient:
        x = jax.lax.fori_loop(0, transient, lambda _, y: flow(y, fixed), x)
    # The iterations are not differentiated, including anything that the flow closes over.
    start, defect, slope = jax.lax.stop_gradient(
        _newton(lambda y: flow(y, fixed) - y, jax.lax.stop_gradient(x), tolerance, max_iterations, step_limit)
    )
    residual = jnp.max(jnp.abs(defect))
    converged = residual <= tolerance
    if throw:
        start = eqx.error_if(start, ~converged, FAILED)
    # Implicit function theorem: keeps the value and takes the derivative of one more Newton step.
    correction = solve(slope, flow(start, args) - start)
    start = start - (correction - jax.lax.stop_gradient(correction))
    monodromy = slope + jnp.eye(x.shape[0])
    multipliers = jnp.linalg.eigvals(monodromy)
    order = jnp.argsort(-jnp.abs(multipliers))
    return Orbit(start, residual, monodromy, multipliers[order], converged)


def _newton(
    defect: Callable[[Float[Array, "n"]], Float[Array, "n"]],
    x: Float[Array, "n"],
    tolerance: float,
    max_iterations: int,
    step_limit: float,
) -> tuple[Float[Array, "n"], Float[Array, "n"], Float[Array, "n n"]]:
    """Root, defect and Jacobian. The flow appears once in the loop, because compiling it dominates the cost.

    A step that does not reduce the defect is retried at a quarter of its length; after success the length doubles.
    """

    def with_slope(y):
        def twice(z):
            value = defect(z)
            return value, value

        slope, value = jax.jacfwd(twice, has_aux=True)(y)
        return value, slope

    def unfinished(carry):
        _, value, _, _, share, count = carry
        size = jnp.max(jnp.abs(value))
        stuck = (share < 1e-4) | ((size <= tolerance) & (share < 1.0))  # the second case is round-off
        return (count < max_iterations) & ~(size <= 1e-2 * tolerance) & ~stuck

    def evaluate(carry):
        best, value, slope, trial, share, count = carry
        trial_value, trial_slope = with_slope(trial)
        better = jnp.linalg.norm(trial_value) < jnp.linalg.norm(value)  # False if the trial is not finite
        best, value, slope = (
            jnp.where(better, new, old) for new, old in ((trial, best), (trial_value, value), (trial_slope, slope))
        )
        share = jnp.where(better, jnp.minimum(1.0, 2.0 * share), 0.25 * share)
        newton = -solve(slope, value)
        length = jnp.minimum(1.0, step_limit / jnp.maximum(jnp.max(jnp.abs(newton)), 1e-300))
        return best, value, slope, best + share * length * newton, share, count + 1

    n = x.shape[0]
    ready = (x, jnp.full(n, jnp.inf), jnp.eye(n), x, jnp.asarray(1.0), jnp.asarray(0))
    return jax.lax.while_loop(unfinished, evaluate, ready)[:3]
