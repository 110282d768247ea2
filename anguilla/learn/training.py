"""Learning to cruise from observations: an evolution strategy of evosax compared with exact policy gradients.

    python -m anguilla.learn.training

A small network maps the observation of the eel to its next action, 50 times a second. The evolution strategy uses only
returns; the policy gradient is the reverse-mode derivative through the simulation, used by optax's Adam. A constant
action, optimised by gradients, is the baseline for the network. Needs the extra `learn`.
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
from spatial.printing import Printed

from .environment import Environment, make
from .episodes import unroll

STEPS = 100  # control steps in an episode: two seconds
STARTS, UNSEEN = 4, 16  # number of episodes averaged in training, and in the final evaluation


class SteadyPolicy(eqx.Module):
    """A constant action: tanh of its parameters, which are zero initially.

    Attributes:
        parameters: one number for each channel [-].
    """

    parameters: Float[Array, "m"]

    def __init__(self, environment: Environment):
        self.parameters = jnp.zeros(environment.action_size)

    def __call__(self, seen: Float[Array, "n"]) -> Float[Array, "m"]:
        """The action [-]; the observation, of any unit, is not used."""
        return jnp.tanh(self.parameters)


class NeuralPolicy(Printed):
    """A network with one hidden layer from observations to actions; initially the action is zero.

    >>> import jax
    >>> from anguilla import learn
    >>> environment = learn.make("cruise")
    >>> policy = learn.NeuralPolicy(environment, jax.random.key(0))
    >>> policy(environment.observation(environment.initial(jax.random.key(1)))).tolist()
    [0.0, 0.0, 0.0, 0.0]

    Attributes:
        network: network from compressed observations to values whose tanh is the action.
    """

    network: eqx.nn.MLP

    def __init__(self, environment: Environment, key: Any, width: int = 16):
        size = jax.eval_shape(lambda: environment.observation(environment.initial(jax.random.key(0)))).shape[0]
        width = integer("NeuralPolicy.width", width, 1)
        network = eqx.nn.MLP(size, environment.action_size, width, 1, jnp.tanh, dtype=float, key=key)
        last = lambda n: (n.layers[-1].weight, n.layers[-1].bias)  # noqa: E731
        self.network = eqx.tree_at(last, network, tuple(map(jnp.zeros_like, last(network))))

    def __call__(self, seen: Float[Array, "n"]) -> Float[Array, "m"]:
        """The action [-] for an observation, of any unit; arsinh compresses large values."""
        return jnp.tanh(self.network(jnp.arcsinh(seen)))


class Learned(eqx.Module):
    """Result of a training run.

    Attributes:
        policy: best policy found.
        returns: best mean return of an episode so far, after each iteration, in the unit of the task.
        seconds: computing time including compilation [s].
        steps: number of simulated control steps, without those of the reverse pass.
    """

    policy: Callable[[Float[Array, "n"]], Float[Array, "m"]]
    returns: Float[np.ndarray, "iterations"]
    seconds: float = eqx.field(static=True)
    steps: int = eqx.field(static=True)


def mean_return(
    environment: Environment, policy: Callable[..., Any], keys: Any, steps: int = STEPS
) -> Float[Array, ""]:
    """Mean return of episodes with different initial states, in the unit of the task.

    Args:
        environment: the environment.
        policy: observation -> action [-].
        keys: random keys of the initial states.
        steps: number of control steps in an episode.
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
    """Trains the parameters of any policy by the CMA-ES of evosax.

    Args:
        environment: the environment.
        policy: initial policy.
        key: random key of initial states and search.
        generations: number of generations.
        population: number of policies in each generation.
        spread: initial standard deviation of the parameters [-].
        steps: number of control steps in an episode.
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
    """Trains any policy by optax's Adam with exact derivatives of the mean return (analytic policy gradient).

    Args:
        environment: the environment.
        policy: initial policy.
        key: random key of the initial states.
        ascents: number of iterations.
        rate: learning rate [-].
        steps: number of control steps in an episode.
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
    """The parameters of a policy as one vector, and a function from such a vector to a policy."""
    arrays, rest = eqx.partition(policy, eqx.is_inexact_array)
    flat, unravel = ravel_pytree(arrays)
    return flat, lambda vector: eqx.combine(unravel(vector), rest)


def main() -> None:
    """Trains all policies and evaluates them on initial states not used in training."""
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
