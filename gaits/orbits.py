"""Relative periodic orbits: steady swimming without simulating the transient that leads to it.

A flow takes the part of the state that repeats (the head's twist, passive joints) over one period; the pose
advances and is left out. The orbit is the fixed point of the flow.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx
from jaxtyping import Array, Bool, Complex, Float

from spatial import Numbers, finite, positive

FAILED = (
    "no periodic orbit was found from this guess. Likely causes: the flow is not over one period of the gait, the "
    "guess is too far (raise `transient`), or the orbit does not exist."
)


class Orbit(eqx.Module):
    """A periodic orbit.

    Attributes:
        start: the state that returns to itself after one period.
        residual: greatest component of flow(start) - start.
        monodromy: derivative of the flow at the start.
        multipliers: Floquet multipliers, its eigenvalues, greatest modulus first.
    """

    start: Float[Array, "states"]
    residual: Float[Array, ""]
    monodromy: Float[Array, "states states"]
    multipliers: Complex[Array, "states"]

    @property
    def stable(self) -> Bool[Array, ""]:
        """Whether small disturbances die out: all multipliers inside the unit circle."""
        return jnp.all(jnp.abs(self.multipliers) < 1.0)


def periodic_orbit(
    flow: Callable[[Float[Array, "states"], Any], Float[Array, "states"]],
    guess: Numbers,
    args: Any = None,
    *,
    transient: int = 3,
    tolerance: float = 1e-11,
    max_iterations: int = 30,
) -> Orbit:
    """Finds the fixed point of a flow over one period, by Newton with exact Jacobians.

    The result is differentiated implicitly with respect to `args`, in forward mode (`jax.jacfwd`): the gradient
    of a steady speed costs one more linear solve, not a long simulation.

    Args:
        flow: (state, args) -> state one period later. It is differentiated in forward mode: a rollout inside it
            needs `adjoint=diffrax.ForwardMode()`, and constant steps (or a tolerance well below this one), since
            adaptive steps make the flow a map with small jumps.
        guess: a state to start from.
        args: parameters that the flow depends on and gradients may reach.
        transient: periods to follow from the guess before Newton begins.
        tolerance: greatest residual accepted.
        max_iterations: greatest number of Newton iterations.

    Raises:
        An error at run time when the residual stays above the tolerance.
    """
    x = finite("guess", guess, (None,))
    positive("tolerance", tolerance)
    if transient < 0 or max_iterations < 1:
        raise ValueError(
            f"transient = {transient}, max_iterations = {max_iterations}: must be at least 0 and at least 1"
        )
    x = jax.lax.fori_loop(0, transient, lambda _, y: flow(y, args), x)
    x = jax.lax.stop_gradient(x)
    solution = optx.root_find(
        lambda y, parameters: flow(y, parameters) - y,
        optx.Newton(rtol=1e-2 * tolerance, atol=1e-2 * tolerance),
        x,
        args=args,
        options={"jac": "fwd"},
        max_steps=max_iterations,
        throw=False,
    )
    start = solution.value
    monodromy = jax.jacfwd(lambda y: flow(y, args))(start)
    residual = jnp.max(jnp.abs(flow(start, args) - start))
    start = eqx.error_if(start, ~(residual <= tolerance), FAILED)
    multipliers = jnp.linalg.eigvals(jax.lax.stop_gradient(monodromy))
    order = jnp.argsort(-jnp.abs(multipliers))
    return Orbit(start, residual, monodromy, multipliers[order])
