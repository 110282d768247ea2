"""Learning to cruise: an evolution strategy of evosax beside gradient ascent on the same policy.

    python -m anguilla.learn.training

The policy is one steady action. Both learners maximise the return of the same episode: evosax's CMA-ES sees returns
alone, a batch of them in each generation; gradient ascent (optax's Adam) has exact derivatives through the swim, in
forward mode, since there are few parameters. Needs the extra `learn`.
"""

import time
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float

from .environment import Environment, make
from .episodes import unroll

POPULATION, GENERATIONS, ASCENTS, RATE = 12, 20, 20, 0.2
STEPS = 100  # control steps in an episode: two seconds


class Curve(eqx.Module):
    """How a learner got on.

    Attributes:
        action: the best steady action found [-].
        returns: best return so far after each iteration, of the task's unit.
        seconds: of computing, compilation included [s].
    """

    action: Float[Array, "m"]
    returns: Float[np.ndarray, "iterations"]
    seconds: float = eqx.field(static=True)


def steady_return(environment: Environment, parameters: Float[Array, "m"], key: Any) -> Float[Array, ""]:
    """Return of an episode with one action, tanh of the parameters [-], of the task's unit.

    Args:
        environment: to swim in.
        parameters: one for each channel, unbounded [-].
        key: of the start.
    """
    return unroll(environment, lambda seen: jnp.tanh(parameters), key, STEPS).total


def by_evolution(environment: Environment, key: Any, generations: int = GENERATIONS) -> Curve:
    """CMA-ES of evosax.

    Args:
        environment: to swim in.
        key: of start and search.
        generations: number of batches of returns.
    """
    from evosax.algorithms import CMA_ES  # the extra `learn`

    begin, size = time.perf_counter(), environment.action_size
    search = CMA_ES(population_size=POPULATION, solution=jnp.zeros(size))
    settings = search.default_params
    state = search.init(key, jnp.zeros(size), settings)
    returns = eqx.filter_jit(lambda e, many, k: jax.vmap(lambda one: steady_return(e, one, k))(many))
    best = []
    for turn in jax.random.split(key, generations):
        asking, telling = jax.random.split(turn)
        many, state = search.ask(asking, state, settings)
        state, _ = search.tell(telling, many, -returns(environment, many, key), state, settings)
        best.append(-float(state.best_fitness))
    return Curve(jnp.tanh(state.best_solution), np.asarray(best), time.perf_counter() - begin)


def by_gradients(environment: Environment, key: Any, ascents: int = ASCENTS) -> Curve:
    """Adam of optax, along exact derivatives.

    Args:
        environment: to swim in.
        key: of the start.
        ascents: number of iterations.
    """
    begin, adam = time.perf_counter(), optax.adam(RATE)
    parameters = jnp.zeros(environment.action_size)
    memory = adam.init(parameters)

    @eqx.filter_jit
    def ascend(environment, parameters, memory):
        both = lambda p: (steady_return(environment, p, key),) * 2  # noqa: E731
        slope, value = jax.jacfwd(both, has_aux=True)(parameters)
        change, memory = adam.update(-slope, memory)
        return value, optax.apply_updates(parameters, change), memory

    values, tried = [], []
    for _ in range(ascents):
        tried.append(parameters)
        value, parameters, memory = ascend(environment, parameters, memory)
        values.append(float(value))
    best = tried[int(np.argmax(values))]
    return Curve(jnp.tanh(best), np.maximum.accumulate(values), time.perf_counter() - begin)


def main() -> None:
    """Prints both learners' results."""
    environment, key = make("cruise"), jax.random.key(0)
    for name, learn in (("evosax CMA-ES", by_evolution), ("gradient ascent", by_gradients)):
        curve = learn(environment, key)
        end = unroll(environment, jnp.tile(curve.action, (STEPS, 1)), key).states
        speed = -float(end.centre[-1, 0] - end.centre[0, 0]) / ((STEPS - 1) * environment.period)
        print(
            f"{name:16} return {curve.returns[-1]:.4f} m, mean speed {speed:.4f} m/s, {curve.seconds:.0f} s; action "
            f"{np.round(np.asarray(curve.action), 3).tolist()}",
            flush=True,
        )


if __name__ == "__main__":
    main()
