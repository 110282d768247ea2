"""The fastest undulation of the snake on a given ground, by gradient and by CMA-ES."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from .model import beam
from .study import mean_speed

LOW, HIGH = np.deg2rad([5.0, 20.0]), np.deg2rad([60.0, 80.0])  # of amplitude and lag [rad]
FIRST = np.deg2rad([20.0, 30.0])


@dataclass(frozen=True)
class Best:
    """A gait that was found.

    Attributes:
        amplitude: α of the joints [rad].
        lag: δ between joints [rad].
        speed: its mean speed [m/s].
        rollouts: runs it took; one with its gradient counts as three.
        history: best speed after each run [m/s].
    """

    amplitude: float
    lag: float
    speed: float
    rollouts: int
    history: Float[np.ndarray, "runs"]


def best_by_gradient(ratio: float = 10.0, tolerance: float = 1e-4) -> Best:
    """L-BFGS-B with the gradient of the simulation.

    Args:
        ratio: sideways over forward coefficient [-].
        tolerance: relative gain of a step below which it stops [-].
    """
    snake = beam()
    slope = jax.jit(jax.value_and_grad(lambda u: mean_speed(snake, _gait(u)[0], ratio, _gait(u)[1])))
    seen = []

    def cost(u):
        value, gradient = slope(jnp.asarray(u))
        seen.extend([float(value)] * 3)
        return -float(value), -np.asarray(gradient)

    found = minimize(cost, _unit(FIRST), jac=True, method="L-BFGS-B", bounds=[(0, 1)] * 2, options={"ftol": tolerance})
    return _best(found.x, -float(found.fun), seen)


def best_by_cma(ratio: float = 10.0, seed: int = 1, tolerance: float = 1e-5) -> Best:
    """CMA-ES with its default population.

    Args:
        ratio: sideways over forward coefficient [-].
        seed: of its random numbers.
        tolerance: range of the speeds of a generation at which it stops [m/s].
    """
    import cma

    snake = beam()
    many = jax.jit(jax.vmap(lambda u: mean_speed(snake, _gait(u)[0], ratio, _gait(u)[1])))
    options = {"bounds": [0.0, 1.0], "seed": seed, "tolfun": tolerance, "verbose": -9}
    search = cma.CMAEvolutionStrategy(_unit(FIRST).tolist(), 0.25, options)
    seen = []
    while not search.stop():
        points = search.ask()
        speeds = np.asarray(many(jnp.asarray(np.stack(points))))
        search.tell(points, (-speeds).tolist())
        seen.extend(speeds.tolist())
    return _best(np.asarray(search.result.xbest), -float(search.result.fbest), seen)


def _gait(u):
    values = jnp.asarray(LOW) + u * jnp.asarray(HIGH - LOW)
    return values[0], values[1]


def _unit(gait):
    return (gait - LOW) / (HIGH - LOW)


def _best(u, speed, seen) -> Best:
    amplitude, lag = LOW + u * (HIGH - LOW)
    return Best(float(amplitude), float(lag), speed, len(seen), np.maximum.accumulate(np.array(seen)))
