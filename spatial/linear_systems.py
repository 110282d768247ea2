"""Solutions of small linear systems, alone or in batches of any size.

On CPUs, jaxlib splits a large batch of factorisations over the threads of XLA's pool and waits for all of them on a
thread of the same pool. Two batches that are factorised at the same time can occupy every thread, each waiting for the
other: the program never ends (seen with jaxlib 0.10 on two cores; `jax::ParallelBatchMap` in `_lapack.so`). A batch
that is cheap enough, or a single matrix, is factorised by the calling thread. Here large batches are divided into
such cheap ones, where the default device of JAX is a CPU. Eigenvalues, singular values and orthogonal factors are left
to jaxlib: no program of this package computes two large batches of them at the same time.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_solve, lu_factor, lu_solve
from jaxtyping import Array, Float

# Above 200 000 operations jaxlib distributes a batch: n³/3 for each Cholesky factor of an n x n matrix, n³ for a
# factorisation LU, n² for each column of a right-hand side.
AT_ONCE = 100_000


def solve_spd(
    matrix: Float[Array, "n n"],
    vector: Float[Array, "n"],
    product: Callable[[Float[Array, "n"]], Float[Array, "n"]] | None = None,
) -> Float[Array, "n"]:
    """Solution of a symmetric positive definite system, of any unit.

    Its derivative reuses the factor instead of differentiating the factorisation. This makes Jacobians of the flow map
    of a model with many joints ten times faster.

    Args:
        matrix: symmetric positive definite matrix.
        vector: right-hand side.
        product: x -> matrix @ x, differentiated instead of the matrix where that is cheaper.
    """
    return solve_factored(factor_spd(matrix), matrix, vector, product)


def factor_spd(matrix: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """Lower Cholesky factor of a symmetric positive definite matrix; its derivative is zero (see `solve_factored`)."""
    return _cholesky(jax.lax.stop_gradient(matrix))


def solve_factored(
    factor: Float[Array, "n n"],
    matrix: Float[Array, "n n"],
    vector: Float[Array, "n"],
    product: Callable[[Float[Array, "n"]], Float[Array, "n"]] | None = None,
) -> Float[Array, "n"]:
    """Solution of a symmetric positive definite system whose factor is known; derivatives are those of the system.

    Args:
        factor: its Cholesky factor, by `factor_spd`.
        matrix: the matrix itself, which is differentiated.
        vector: right-hand side.
        product: x -> matrix @ x, differentiated instead of the matrix where that is cheaper.
    """
    with_factor = lambda _, right: _cholesky_solution(factor, right[:, None])[:, 0]  # noqa: E731
    times = product or (lambda x: matrix @ x)
    return jax.lax.custom_linear_solve(times, vector, with_factor, symmetric=True)


def solve(matrix: Float[Array, "n n"], right: Float[Array, "n *columns"]) -> Float[Array, "n *columns"]:
    """Solution of a system of linear equations, of any unit, like `jax.numpy.linalg.solve`.

    Args:
        matrix: square matrix.
        right: right-hand side, or one in each column.
    """
    kind = jnp.result_type(matrix, right, float)
    matrix, right = jnp.asarray(matrix, kind), jnp.asarray(right, kind)
    factors = _lu(jax.lax.stop_gradient(matrix))

    def by(solution):
        return lambda _, b: solution(*factors, b if b.ndim == 2 else b[:, None]).reshape(b.shape)

    return jax.lax.custom_linear_solve(lambda x: matrix @ x, right, by(_lu_solution), by(_lu_transposed_solution))


def in_cheap_batches(kernel: Callable, cost: Callable[..., int], right: int | None = None) -> Callable:
    """A function of arrays whose batches, by `jax.vmap`, are computed some at a time where the platform is a CPU.

    It cannot be differentiated: derivatives of a solution are solutions (`jax.lax.custom_linear_solve`).

    Args:
        kernel: the function; its arrays may have leading batch axes, the same for all.
        cost: number of operations of one call of given arrays.
        right: place of an argument whose columns are independent, if there is one. A batch of that argument alone
            becomes columns.
    """

    def call(ranks: tuple[int, ...], arrays: tuple[Array, ...]) -> Any:
        @jax.custom_batching.custom_vmap
        def run(*arrays):
            return _some_at_a_time(kernel, cost, ranks, arrays)

        @run.def_vmap
        def batched(size, moving, *arrays):
            if right is not None and [k for k, moves in enumerate(moving) if moves] == [right]:
                columns = jnp.moveaxis(arrays[right], 0, -2)  # (..., n, batch, columns)
                merged = columns.reshape(*columns.shape[:-2], columns.shape[-2] * columns.shape[-1])
                found = call(ranks, (*arrays[:right], merged, *arrays[right + 1 :]))
                return jnp.moveaxis(found.reshape(columns.shape), -2, 0), True
            full = [
                x if moves else jnp.broadcast_to(x, (size, *x.shape)) for x, moves in zip(arrays, moving, strict=True)
            ]
            found = call(ranks, tuple(full))
            return found, jax.tree.map(lambda _: True, found)

        return run(*arrays)

    return lambda *arrays: call(tuple(x.ndim for x in arrays), arrays)


def _some_at_a_time(kernel, cost, ranks, arrays):
    axes = arrays[0].ndim - ranks[0]
    batch, cores = arrays[0].shape[:axes], [x.shape[axes:] for x in arrays]
    rows, at_once = math.prod(batch), max(AT_ONCE // max(cost(*cores), 1), 1)
    if rows <= at_once or jax.default_backend() != "cpu":
        return kernel(*arrays)
    least = -(-rows // at_once)
    turns = next((n for n in range(least, 2 * least) if rows % n == 0), least)  # equal turns need no padding
    at_once = -(-rows // turns)

    def divided(x, core):
        """Each turn takes every n-th row: of a batch that is sharded over devices, each device takes its part."""
        x = x.reshape(rows, *core)
        x = jnp.concatenate([x, x[: turns * at_once - rows]])
        return jnp.moveaxis(x.reshape(at_once, turns, *core), 1, 0)

    some = tuple(divided(x, core) for x, core in zip(arrays, cores, strict=True))
    found = jax.lax.map(lambda now: kernel(*now), some)
    joined = lambda x: jnp.moveaxis(x, 0, 1).reshape(-1, *x.shape[2:])[:rows].reshape(*batch, *x.shape[2:])  # noqa: E731
    return jax.tree.map(joined, found)


def _cost_of_columns(*shapes):
    return shapes[0][0] ** 2 * shapes[-1][1]


_cholesky = in_cheap_batches(lambda a: jax.lax.linalg.cholesky(a, symmetrize_input=False), lambda a: a[0] ** 3 // 3)
_cholesky_solution = in_cheap_batches(lambda factor, b: cho_solve((factor, True), b), _cost_of_columns, right=1)
_lu = in_cheap_batches(lu_factor, lambda a: a[0] ** 3)
_lu_solution = in_cheap_batches(lambda lu, swaps, b: lu_solve((lu, swaps), b), _cost_of_columns, right=2)
_lu_transposed_solution = in_cheap_batches(
    lambda lu, swaps, b: lu_solve((lu, swaps), b, trans=1), _cost_of_columns, right=2
)
