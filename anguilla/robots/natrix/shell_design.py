"""What the shells of NATRIX can do against roll: a law for their angles, found by gradient.

Shells that roll change the wet section of their module: six couples about the long axis that the undulation does not
touch. The law has a constant and one harmonic of the gait for each shell; gradients of the roll of the head go through
the whole run.
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
    """A law for the shells and what it is worth.

    Attributes:
        law: the law.
        before: root mean square of the head's roll with the shells held, for each run [rad].
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
    """A shell law that makes the head roll less while the robot undulates, by L-BFGS with exact gradients.

    Args:
        tree: the robot.
        surface: the water.
        states: of the base at the start, a leading axis of runs; the law is found for all of them at once.
        amplitude: Q of the undulation [rad].
        frequency: F [Hz].
        t1: length of the runs [s].
        dt: step [s].
        limit: greatest constant and greatest harmonic of each shell [rad].
        iterations: greatest number of iterations.
    """

    @jax.jit
    def squares(parameters):
        shells = ShellLaw(*parameters.reshape(3, 6))
        run = undulating(
            tree, surface, states, amplitude, frequency, t1=t1, dt=dt, every=8, shells=shells, remember=False
        )
        # sin² of half the roll: near the roll's square when small, and without a jump where the robot turns over.
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
