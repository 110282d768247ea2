"""Small tools for arrays of (component, node)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxtyping import Array, Float

settle = jax.lax.optimization_barrier
"""Keeps the compiler from computing a shared array again in every fused loop that uses it."""


@jax.jit
def apply(matrix: Float[Array, "i j n"], vector: Float[Array, "j *k n"]) -> Float[Array, "i *k n"]:
    """Product of matrices and vectors, node by node."""
    spread = (slice(None), *(None,) * (vector.ndim - 2))
    return sum(
        (matrix[:, k][spread] * vector[k][None] for k in range(1, vector.shape[0])),
        matrix[:, 0][spread] * vector[0][None],
    )


class Transfer(eqx.Module):
    """A matrix from the values at some nodes to those at others: `values @ transfer`.

    It keeps its transpose beside it. Reverse mode multiplies by that one, and a product with a matrix that still has
    to be transposed costs a processor several times as much.

    Attributes:
        forth: the matrix.
        back: its transpose.
    """

    forth: Float[Array, "here there"]
    back: Float[Array, "there here"]

    def __init__(self, matrix: Float[Array, "here there"]):
        self.forth, self.back = matrix, matrix.T

    def __rmatmul__(self, values: Float[Array, "*k here"]) -> Float[Array, "*k there"]:
        """The values there."""
        return _product.bind(values, self.forth, self.back)


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


# JAX has no other operation that forward mode, reverse mode and `vmap` take alike and whose transpose is given.
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
