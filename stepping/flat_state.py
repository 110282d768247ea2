"""States as vectors: diffrax then needs one operation on a state instead of one for each of its leaves."""

from typing import Any

import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

FlatState = Float[Array, "n"] | tuple[Float[Array, "n"], Float[Array, "m"]]


class Flattening:
    """Maps states to a vector, or to two: the motion, and the memory that is integrated with it.

    The arithmetic of the motion, its rounding included, is then the same with any memory or none.

    Args:
        like: a state.
        memory: number of entries at the end of the state that are not part of the motion.
    """

    def __init__(self, like: PyTree, memory: int = 0):
        flat, self._unravel = ravel_pytree(like)
        self._motion = flat.shape[0] - memory
        self._memory = memory

    def flat(self, state: PyTree) -> FlatState:
        """The entries of a state, or of its rates."""
        entries, _ = ravel_pytree(state)
        return (entries[: self._motion], entries[self._motion :]) if self._memory else entries

    def state(self, flat: FlatState) -> Any:
        """The state with these entries."""
        return self._unravel(jnp.concatenate(flat) if isinstance(flat, tuple) else flat)
