"""Whole episodes: a policy or a sequence of actions, run through an environment in one compiled loop."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from anguilla.sweeps.devices import over_devices

from .environment import Environment
from .state import State


class Episode(eqx.Module):
    """Record of an episode.

    Attributes:
        states: at the end of each control step; arrays with a leading axis of steps.
        actions: in each control step [-].
        rewards: of each control step, of the unit that the task gives them; zero after the end.
        running: whether the episode had not ended before each step.
    """

    states: State
    actions: Float[Array, "steps m"]
    rewards: Float[Array, "steps"]
    running: Bool[Array, "steps"]

    @property
    def total(self) -> Float[Array, ""]:
        """Return: sum of the rewards, of the unit that the task gives it."""
        return jnp.sum(self.rewards)


def unroll(
    environment: Environment,
    policy: Callable[[Float[Array, "n"]], Float[Array, "m"]] | Float[Array, "steps m"],
    key: Any,
    steps: int | None = None,
) -> Episode:
    """Runs one episode. jit-, vmap- and grad-safe; a batch of keys, policies or environments by `jax.vmap`.

    >>> import jax, jax.numpy as jnp
    >>> from anguilla import learn
    >>> actions = jnp.tile(jnp.array([1.0, 0.0, 0.0, 0.0]), (10, 1))
    >>> episode = learn.unroll(learn.make("cruise"), actions, jax.random.key(0))
    >>> episode.rewards.shape
    (10,)

    Args:
        environment: to run it in.
        policy: observation -> action [-], or the actions of all steps [-].
        key: of the start.
        steps: number of control steps; an episode of the task when None.
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

    It is the fast way to run many: each device takes a few episodes at a time, which stay in its cache. On a CPU,
    `jax.config.update("jax_num_cpu_devices", 2)` right after the import of JAX makes two devices of two cores.

    >>> import jax, jax.numpy as jnp
    >>> from anguilla import learn
    >>> keys = jax.random.split(jax.random.key(0), 3)
    >>> steady = lambda seen: jnp.array([1.0, 0.0, 0.0, 0.0])
    >>> learn.unroll_batch(learn.make("cruise"), steady, keys, steps=5).rewards.shape
    (3, 5)

    Args:
        environment: to run them in.
        policy: observation -> action [-], or the actions of all steps [-].
        keys: of the starts.
        steps: number of control steps; an episode of the task when None.
    """
    return over_devices(lambda shared, key: unroll(shared[0], shared[1], key, steps), (environment, policy), keys)
