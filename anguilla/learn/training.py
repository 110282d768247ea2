"""Learning to cruise from observations: an evolution strategy of evosax beside exact policy gradients.

    python -m anguilla.learn.training

A small network maps what the eel observes to its next action, 50 times a second. evosax's strategies see returns alone;
the policy gradient goes through the swim itself, in reverse mode, into optax's Adam. The same two learners train a
steady action, which observes nothing: its optimum by gradients is what the network must beat. Needs the extra `learn`.
"""

import time
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from anguilla.sweeps.devices import over_devices
from spatial.checks import integer

from .environment import Environment, make
from .episodes import unroll

STEPS = 100  # control steps in an episode: two seconds
STARTS, UNSEEN = 4, 16  # episodes behind each return: those trained on, and those judged on


class SteadyPolicy(eqx.Module):
    """One action for all observations: tanh of its parameters, zero at first.

    Attributes:
        parameters: one for each channel [-].
    """

    parameters: Float[Array, "m"]

    def __init__(self, environment: Environment):
        self.parameters = jnp.zeros(environment.action_size)

    def __call__(self, seen: Float[Array, "n"]) -> Float[Array, "m"]:
        """The action [-], whatever is seen, of any unit."""
        return jnp.tanh(self.parameters)


class NeuralPolicy(eqx.Module):
    """A network with one hidden layer from observations to actions, the zero action at first.

    >>> import jax
    >>> from anguilla import learn
    >>> environment = learn.make("cruise")
    >>> policy = learn.NeuralPolicy(environment, jax.random.key(0))
    >>> policy(environment.observation(environment.initial(jax.random.key(1)))).tolist()
    [0.0, 0.0, 0.0, 0.0]

    Attributes:
        network: of compressed observations, to values whose tanh is the action.
    """

    network: eqx.nn.MLP

    def __init__(self, environment: Environment, key: Any, width: int = 16):
        size = jax.eval_shape(lambda: environment.observation(environment.initial(jax.random.key(0)))).shape[0]
        width = integer("NeuralPolicy.width", width, 1)
        network = eqx.nn.MLP(size, environment.action_size, width, 1, jnp.tanh, dtype=float, key=key)
        last = lambda n: (n.layers[-1].weight, n.layers[-1].bias)  # noqa: E731
        self.network = eqx.tree_at(last, network, tuple(map(jnp.zeros_like, last(network))))

    def __call__(self, seen: Float[Array, "n"]) -> Float[Array, "m"]:
        """The action [-] for what is seen, of any unit; arsinh compresses what is large."""
        return jnp.tanh(self.network(jnp.arcsinh(seen)))


class Learned(eqx.Module):
    """How a learner got on.

    Attributes:
        policy: the best found.
        returns: best mean return of an episode so far after each iteration, of the task's unit.
        seconds: of computing, compilation included [s].
        steps: control steps that were simulated, those of reverse mode counted once.
    """

    policy: Callable[[Float[Array, "n"]], Float[Array, "m"]]
    returns: Float[np.ndarray, "iterations"]
    seconds: float = eqx.field(static=True)
    steps: int = eqx.field(static=True)


def mean_return(
    environment: Environment, policy: Callable[..., Any], keys: Any, steps: int = STEPS
) -> Float[Array, ""]:
    """Mean return of the episodes of some starts, of the task's unit.

    Args:
        environment: to swim in.
        policy: observation -> action [-].
        keys: of the starts.
        steps: control steps in an episode.
    """
    return jnp.mean(jax.vmap(lambda key: unroll(environment, policy, key, steps).total)(keys))


def by_evolution(
    environment: Environment,
    policy: Any,
    key: Any,
    generations: int = 80,
    population: int = 32,
    spread: float = 0.3,
    steps: int = STEPS,
) -> Learned:
    """CMA-ES of evosax, on the parameters of any policy.

    Args:
        environment: to swim in.
        policy: to begin with.
        key: of starts and search.
        generations: number of batches of returns.
        population: policies in each batch.
        spread: standard deviation of the parameters in the first batch [-].
        steps: control steps in an episode.
    """
    from evosax.algorithms import CMA_ES  # the extra `learn`

    begin, (flat, back) = time.perf_counter(), _unknowns(policy)
    starts, key = jax.random.split(jax.random.fold_in(key, 0), STARTS), jax.random.fold_in(key, 1)
    search = CMA_ES(population_size=population, solution=flat)
    settings = search.default_params.replace(std_init=spread)
    state = search.init(key, flat, settings)

    @eqx.filter_jit
    def returns(environment, many):
        one = lambda environment, unknowns: mean_return(environment, back(unknowns), starts, steps)  # noqa: E731
        return over_devices(one, environment, many)

    best = []
    for turn in jax.random.split(key, generations):
        asking, telling = jax.random.split(turn)
        many, state = search.ask(asking, state, settings)
        state, _ = search.tell(telling, many, -returns(environment, many), state, settings)
        best.append(-float(state.best_fitness))
    used = generations * population * STARTS * steps
    return Learned(back(state.best_solution), np.asarray(best), time.perf_counter() - begin, used)


def by_gradients(
    environment: Environment, policy: Any, key: Any, ascents: int = 60, rate: float = 0.02, steps: int = STEPS
) -> Learned:
    """Adam of optax, along exact derivatives of the mean return: the analytic policy gradient.

    Args:
        environment: to swim in.
        policy: to begin with.
        key: of the starts.
        ascents: number of iterations.
        rate: learning rate [-].
        steps: control steps in an episode.
    """
    begin, (flat, back) = time.perf_counter(), _unknowns(policy)
    starts = jax.random.split(jax.random.fold_in(key, 0), STARTS)
    adam = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))

    @eqx.filter_jit
    def ascend(environment, unknowns, memory):
        loss = lambda unknowns: -mean_return(environment, back(unknowns), starts, steps)  # noqa: E731
        value, slope = jax.value_and_grad(loss)(unknowns)
        change, memory = adam.update(slope, memory)
        return -value, optax.apply_updates(unknowns, change), memory

    unknowns, memory, values, best = flat, adam.init(flat), [], flat
    for _ in range(ascents):
        value, following, memory = ascend(environment, unknowns, memory)
        best = unknowns if not values or float(value) > max(values) else best
        values.append(float(value))
        unknowns = following
    used = ascents * STARTS * steps
    return Learned(back(best), np.maximum.accumulate(values), time.perf_counter() - begin, used)


def _unknowns(policy):
    """Parameters of a policy as one vector, and the policy of such a vector."""
    arrays, rest = eqx.partition(policy, eqx.is_inexact_array)
    flat, unravel = ravel_pytree(arrays)
    return flat, lambda vector: eqx.combine(unravel(vector), rest)


def main() -> None:
    """Trains all, and judges them on starts that none has seen."""
    environment, key = make("cruise"), jax.random.key(0)
    steady, network = SteadyPolicy(environment), NeuralPolicy(environment, key)
    judged = eqx.filter_jit(mean_return)
    unseen = jax.random.split(jax.random.key(1), UNSEEN)
    for name, learned in (
        ("steady action, gradients", by_gradients(environment, steady, key, rate=0.1)),
        ("network, policy gradient", by_gradients(environment, network, key)),
        ("network, evosax CMA-ES", by_evolution(environment, network, key)),
    ):
        judgement = float(judged(environment, learned.policy, unseen))
        print(
            f"{name:26} {learned.returns[-1]:.4f} m trained, {judgement:.4f} m on unseen starts; "
            f"{learned.steps} control steps, {learned.seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
