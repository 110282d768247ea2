"""Helpers for arrays of (component, node)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxtyping import Array, Float

computed_once = jax.lax.optimization_barrier
"""Keeps the compiler from fusing the computation of an array into every loop that reads it.

It is needed where the computation is long and its result is read many times: for the loads of the fluid before a change
of grid, and for the series of the rotation. Without these two, an evaluation takes 14 % longer and reverse mode 7 %
longer; further barriers change no time by more than 5 %.
"""


@jax.jit
def apply(matrix: Float[Array, "i j n"], vector: Float[Array, "j *k n"]) -> Float[Array, "i *k n"]:
    """Matrix-vector product at every node."""
    spread = (slice(None), *(None,) * (vector.ndim - 2))
    return sum(
        (matrix[:, k][spread] * vector[k][None] for k in range(1, vector.shape[0])),
        matrix[:, 0][spread] * vector[0][None],
    )


def components_first(vectors: Float[Array, "*nodes k"], k: int) -> Float[Array, "k *nodes"]:
    """The components of vectors as rows.

    Unlike a transpose, which leaves the layout of `vectors` in memory, this compiles to loops along the nodes: strains
    and fluid loads, which `jax.vmap` stacks node by node, then take a tenth off an evaluation.
    """
    return jnp.stack([vectors[..., i] for i in range(k)])


class Transfer(eqx.Module):
    """A matrix that maps values at some nodes to values at others: `values @ transfer`.

    It stores its transpose for reverse mode, because multiplying by a matrix that must first be transposed is several
    times slower on a CPU.

    Attributes:
        forth: the matrix.
        back: its transpose.
    """

    forth: Float[Array, "here there"]
    back: Float[Array, "there here"]

    def __init__(self, matrix: Float[Array, "here there"]):
        self.forth, self.back = matrix, matrix.T

    def __rmatmul__(self, values: Float[Array, "*k here"]) -> Float[Array, "*k there"]:
        """The mapped values."""
        return _product.bind(computed_once(values), self.forth, self.back)


def _plain(values, forth, back):
    return values @ forth


def _shape(values, forth, back):
    return ShapedArray((*values.shape[:-1], forth.shape[1]), values.dtype)


def _transposed(change, values, forth, back):
    return _product.bind(change, back, forth), None, None


def _batched(args, axes):
    if axes[1] is None and axes[2] is None:
        return _product.bind(jnp.moveaxis(args[0], axes[0], 0), *args[1:]), 0
    return jax.vmap(_plain, in_axes=axes)(*args), 0


# The only JAX operation with a user-defined transpose that supports forward mode, reverse mode and `vmap`.
_product = Primitive("transfer")
_product.def_impl(_plain)
_product.def_abstract_eval(_shape)
mlir.register_lowering(_product, mlir.lower_fun(_plain, multiple_results=False))
ad.defjvp(
    _product,
    lambda change, values, forth, back: _product.bind(change, forth, back),
    lambda change, values, forth, back: values @ change,
    None,
)
ad.primitive_transposes[_product] = _transposed
batching.primitive_batchers[_product] = _batched
