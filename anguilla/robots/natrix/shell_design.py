"""Roll reduction with the shells of NATRIX: a law for their angles, found by gradients.

Rolling a shell changes the wet section of its module: six couples about the long axis that the undulation does not
affect. The law has a constant and one harmonic of the gait for each shell; the gradient of the head's roll is
taken through the whole run.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.optimize import minimize

from hydro import FreeSurface
from multibody.state import BaseState
from multibody.tree import Tree
from spatial import Numbers

from .laws import ShellLaw
from .roll import undulating


class ShellStudy(eqx.Module):
    """A shell law and its effect.

    Attributes:
        law: the law.
        before: root-mean-square roll of the head with the shells at rest, for each run [rad].
        after: the same with the law [rad].
        history: mean square of the roll at each iteration [rad²].
    """

    law: ShellLaw
    before: Float[Array, "runs"]
    after: Float[Array, "runs"]
    history: Float[Array, "iterations"]


def calm_shells(
    tree: Tree,
    surface: FreeSurface,
    states: BaseState,
    amplitude: Numbers,
    frequency: Numbers,
    *,
    t1: float = 6.0,
    dt: float = 0.005,
    limit: float = 0.35,
    iterations: int = 15,
) -> ShellStudy:
    """Finds a shell law that reduces the roll of the head during undulation, by L-BFGS with exact gradients.

    Args:
        tree: the robot.
        surface: the water.
        states: states of the base at the start, with a leading axis of runs; one law is found for all of them.
        amplitude: Q of the undulation [rad].
        frequency: F [Hz].
        t1: duration of the runs [s].
        dt: time step [s].
        limit: maximum constant and maximum harmonic of each shell [rad].
        iterations: maximum number of iterations.
    """

    @jax.jit
    def squares(parameters):
        shells = ShellLaw(*parameters.reshape(3, 6))
        run = undulating(
            tree, surface, states, amplitude, frequency, t1=t1, dt=dt, every=8, shells=shells, remember=False
        )
        # sin² of half the roll: proportional to its square when small, and continuous when the robot capsizes.
        return jnp.mean(4.0 * jnp.sin(0.5 * run.roll) ** 2, axis=0), jnp.sqrt(jnp.mean(run.roll**2, axis=0))

    slope = jax.jit(jax.value_and_grad(lambda parameters: jnp.mean(squares(parameters)[0])))
    history: list[float] = []

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = slope(jnp.asarray(x))
        history.append(float(value))
        return float(value), np.asarray(gradient, float)

    found = minimize(
        objective,
        np.zeros(18),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-limit, limit)] * 18,
        options={"maxiter": iterations, "maxfun": 2 * iterations},
    )
    best = jnp.asarray(found.x)
    return ShellStudy(
        ShellLaw(*best.reshape(3, 6)),
        squares(jnp.zeros(18))[1],
        squares(best)[1],
        jnp.asarray(np.minimum.accumulate(history)),
    )
