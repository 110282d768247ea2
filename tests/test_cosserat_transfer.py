"""The product whose transpose is kept beside it: what JAX does to it, against the plain product."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cosserat.node_arrays import Transfer

KEYS = jax.random.split(jax.random.key(0), 3)
VALUES, MATRIX = jax.random.normal(KEYS[0], (6, 4)), jax.random.normal(KEYS[1], (4, 5))


def ours(values, matrix):
    return jnp.sum(jnp.sin(values @ Transfer(matrix)))


def plain(values, matrix):
    return jnp.sum(jnp.sin(values @ matrix))


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
@pytest.mark.parametrize("derivative", [jax.jacfwd, jax.jacrev, jax.hessian])
def test_derivatives_by_values_and_matrix(derivative, transform):
    made = [transform(derivative(f, argnums=(0, 1)))(VALUES, MATRIX) for f in (ours, plain)]
    for mine, other in zip(*map(jax.tree.leaves, made), strict=True):
        assert np.abs(mine - other).max() < 1e-13


@pytest.mark.parametrize("axes", [(0, None), (2, None), (None, 1), (1, 0)])
def test_batches_of_either(axes):
    grown = lambda x, axis: x.shape if axis is None else (*x.shape[:axis], 3, *x.shape[axis:])  # noqa: E731
    shapes = grown(VALUES, axes[0]), grown(MATRIX, axes[1])
    values, matrix = (jax.random.normal(KEYS[2], shape) for shape in shapes)
    for f, g in ((ours, plain), (jax.grad(ours), jax.grad(plain)), (jax.grad(ours, 1), jax.grad(plain, 1))):
        mine, other = (jax.vmap(h, in_axes=axes)(values, matrix) for h in (f, g))
        assert np.abs(mine - other).max() < 1e-13


def test_the_way_back_transposes_nothing():
    back = str(jax.make_jaxpr(lambda m, v: jax.grad(lambda v: jnp.sum(v @ m))(v))(Transfer(MATRIX), VALUES))
    assert "transfer" in back and "transpose" not in back
