"""Whole episodes: runs a policy or a sequence of actions in an environment, in one compiled loop."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from anguilla.sweeps.devices import over_devices
from spatial.printing import Printed

from .environment import Environment
from .state import State


class Episode(Printed):
    """Record of an episode.

    Attributes:
        states: states at the end of each control step; arrays with a leading axis of steps.
        actions: actions in each control step [-].
        rewards: reward of each control step, in the unit of the task; zero after the end of the episode.
        running: whether the episode was still running before each step.
    """

    states: State
    actions: Float[Array, "steps m"]
    rewards: Float[Array, "steps"]
    running: Bool[Array, "steps"]

    @property
    def total(self) -> Float[Array, ""]:
        """Return: the sum of the rewards, in the unit of the task."""
        return jnp.sum(self.rewards)


def unroll(
    environment: Environment,
    policy: Callable[[Float[Array, "n"]], Float[Array, "m"]] | Float[Array, "steps m"],
    key: Any,
    steps: int | None = None,
) -> Episode:
    """Runs one episode. jit-, vmap- and grad-safe; use `jax.vmap` for a batch of keys, policies or environments.

    >>> import jax, jax.numpy as jnp
    >>> from anguilla import learn
    >>> actions = jnp.tile(jnp.array([1.0, 0.0, 0.0, 0.0]), (10, 1))
    >>> episode = learn.unroll(learn.make("cruise"), actions, jax.random.key(0))
    >>> episode.rewards.shape
    (10,)

    Args:
        environment: the environment.
        policy: observation -> action [-], or the actions of all steps [-].
        key: random key of the initial state.
        steps: number of control steps; the length of an episode of the task when None.
    """
    given = None if callable(policy) else jnp.asarray(policy, float)
    if given is not None and (given.ndim != 2 or given.shape[1] != environment.action_size):
        raise ValueError(
            f"actions have shape {given.shape}: must be (steps, {environment.action_size}), one column for each of "
            f"{', '.join(environment.drive.channels)}"
        )
    count = environment.steps if steps is None else steps
    count = count if given is None else given.shape[0]

    def step(carry, action):
        state, running = carry
        action = policy(environment.observation(state)) if action is None else action  # pyright: ignore[reportCallIssue]
        following = environment.transition(state, action)
        reward = jnp.where(running, environment.reward(state, action, following), 0.0)
        carry = following, running & ~environment.terminal(following)
        return carry, Episode(following, action, reward, running)

    start = environment.initial(key)
    _, record = jax.lax.scan(step, (start, ~environment.terminal(start)), given, length=count)
    return record


def unroll_batch(
    environment: Environment,
    policy: Callable[[Float[Array, "n"]], Float[Array, "m"]] | Float[Array, "steps m"],
    keys: Any,
    steps: int | None = None,
) -> Episode:
    """Runs one episode for each key, on all devices; arrays of the record have a leading axis of keys.

    This is the fastest way to run many episodes: each device takes a few at a time, which fit in its cache. On a CPU,
    call `jax.config.update("jax_num_cpu_devices", 2)` right after importing JAX to use two cores as two devices.

    >>> import jax, jax.numpy as jnp
    >>> from anguilla import learn
    >>> keys = jax.random.split(jax.random.key(0), 3)
    >>> steady = lambda seen: jnp.array([1.0, 0.0, 0.0, 0.0])
    >>> learn.unroll_batch(learn.make("cruise"), steady, keys, steps=5).rewards.shape
    (3, 5)

    Args:
        environment: the environment.
        policy: observation -> action [-], or the actions of all steps [-].
        keys: random keys of the initial states.
        steps: number of control steps; the length of an episode of the task when None.
    """
    return over_devices(lambda shared, key: unroll(shared[0], shared[1], key, steps), (environment, policy), keys)
