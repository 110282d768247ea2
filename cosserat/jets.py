"""Functions of time carried with their first two derivatives, through products and power series.

A jet is an array (3, ..., nodes): value, rate, second rate. Written out rather than left to nested `jax.jvp`,
because shared subexpressions then stay shared; `settle` keeps the compiler from computing them again in every
fused loop that uses them. Together: twenty times faster.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

settle = jax.lax.optimization_barrier


def product(
    bilinear: Callable, a: Float[Array, "3 *a nodes"], b: Float[Array, "3 *b nodes"]
) -> Float[Array, "3 *ab nodes"]:
    """Jet of bilinear(a, b), by the rule of Leibniz."""
    return settle(
        jnp.stack(
            [
                bilinear(a[0], b[0]),
                bilinear(a[1], b[0]) + bilinear(a[0], b[1]),
                bilinear(a[2], b[0]) + 2.0 * bilinear(a[1], b[1]) + bilinear(a[0], b[2]),
            ]
        )
    )


def apply(matrix: Float[Array, "i j n"], vector: Float[Array, "j *k n"]) -> Float[Array, "i *k n"]:
    """Product of matrices and vectors, node by node."""
    spread = (slice(None), *(None,) * (vector.ndim - 2))
    return sum(
        (matrix[:, k][spread] * vector[k][None] for k in range(1, vector.shape[0])),
        matrix[:, 0][spread] * vector[0][None],
    )


def power_series(coefficients: np.ndarray) -> Callable[[Float[Array, "nodes"]], Float[Array, "functions nodes"]]:
    """Functions given by their power series, evaluated together by Horner's rule.

    Their derivatives are series as well, and derivatives of any order are taken so: differentiating Horner's rule
    step by step would cost as much again for every term.

    Args:
        coefficients: (functions, terms), lowest power first.
    """

    @jax.custom_jvp
    def evaluate(u):
        values = jnp.broadcast_to(coefficients[:, -1:], (coefficients.shape[0], u.shape[-1]))
        for k in range(coefficients.shape[1] - 2, -1, -1):
            values = values * u[None] + coefficients[:, k : k + 1]
        return values

    @evaluate.defjvp
    def _(primals, tangents):
        (u,), (du,) = primals, tangents
        return evaluate(u), power_series(_derivative(coefficients))(u) * du[None]

    return evaluate


def compose(series: np.ndarray, u: Float[Array, "3 nodes"]) -> Float[Array, "functions 3 nodes"]:
    """Jets of power series of the jet u.

    Args:
        series: coefficients (functions, terms), lowest power first.
        u: jet.
    """
    functions = series.shape[0]
    first = _derivative(series)
    values = power_series(np.concatenate([series, first, _derivative(first)]))(u[0])
    f, df, ddf = jnp.unstack(settle(values.reshape(3, functions, -1)), axis=0)
    return settle(jnp.stack([f, df * u[1][None], ddf * (u[1] * u[1])[None] + df * u[2][None]], axis=1))


def _derivative(series):
    return np.roll(series * np.arange(series.shape[1]), -1, axis=1)
