"""Small linear systems: values, derivatives of any order, and no batch that jaxlib would distribute over threads."""

import math
import re
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
import multibody as mb
from anguilla.robots import eel
from spatial import factor_spd, solve, solve_factored, solve_spd

N = 12
DISTRIBUTED = 200_000  # operations of a batch from which jaxlib 0.10 uses several threads


def systems(batch):
    rng = np.random.default_rng(batch)
    A = rng.normal(size=(batch, N, N))
    return jnp.asarray(A), jnp.asarray(A @ A.transpose(0, 2, 1) + np.eye(N)), jnp.asarray(rng.normal(size=(batch, N)))


@pytest.mark.parametrize("batch", [2, 300])  # 300 are divided
def test_solutions_are_numpys(batch):
    A, S, b = systems(batch)
    general, definite = np.linalg.solve(A, b[..., None])[..., 0], np.linalg.solve(S, b[..., None])[..., 0]
    # Rounding is amplified by the condition number.
    bound = 1e-15 * N * np.linalg.cond(A).max() * np.abs(general).max()
    np.testing.assert_allclose(jax.jit(jax.vmap(solve))(A, b), general, atol=bound)
    bound = 1e-15 * N * np.linalg.cond(S).max() * np.abs(definite).max()
    np.testing.assert_allclose(jax.jit(jax.vmap(solve_spd))(S, b), definite, atol=bound)
    both = jax.vmap(lambda S, b: solve_factored(factor_spd(S), S, b))(S, b)
    np.testing.assert_allclose(both, definite, atol=bound)


def test_nested_batches_and_columns():
    A, S, b = systems(300)
    for function, matrix in ((solve, A[:3]), (solve_spd, S[:3])):
        found = jax.jit(jax.vmap(jax.vmap(function, (None, 0)), (0, None)))(matrix, b)
        one = np.stack([[np.linalg.solve(m, x) for x in b] for m in matrix])
        np.testing.assert_allclose(found, one, atol=1e-14 * N * np.linalg.cond(matrix).max() * np.abs(one).max())
    np.testing.assert_allclose(solve(A[0], b[:4].T), np.linalg.solve(A[0], b[:4].T), rtol=1e-10)


@pytest.mark.parametrize("batch", [2, 300])
def test_derivatives_are_those_of_the_inverse(batch):
    A, S, b = systems(batch)
    for function, matrix in ((solve, A), (solve_spd, S)):
        loss = lambda m, x, f=function: jnp.sum(jnp.sin(f(m, x)))  # noqa: E731
        exact = lambda m, x: jnp.sum(jnp.sin(jnp.linalg.inv(m) @ x))  # noqa: E731
        found, expected = jax.vmap(jax.grad(loss))(matrix, b), jax.vmap(jax.grad(exact))(matrix, b)
        np.testing.assert_allclose(found, expected, atol=1e-9 * float(jnp.abs(expected).max()))
        found, expected = jax.vmap(jax.hessian(loss, 1))(matrix, b), jax.vmap(jax.hessian(exact, 1))(matrix, b)
        np.testing.assert_allclose(found, expected, atol=1e-9 * float(jnp.abs(expected).max()))


def test_empty_systems_and_mixed_types():
    assert solve(jnp.zeros((0, 0)), jnp.zeros(0)).shape == (0,)
    assert solve(jnp.eye(6), jnp.zeros((6, 0))).shape == (6, 0)
    assert jax.vmap(solve, (None, 0))(jnp.eye(6), jnp.zeros((0, 6))).shape == (0, 6)
    np.testing.assert_array_equal(solve(2 * jnp.eye(3), jnp.arange(3)), [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(solve(2j * jnp.eye(2), jnp.ones(2)), [-0.5j, -0.5j])


def soft_evaluation(amplitude):
    body = cosserat.rod(0.6, b=0.012, c=0.04)
    soft = cosserat.Soft(body, cosserat.FreeStrains(start=0.3, modes={"K3": 6}), cosserat.Elastic(1e5))
    gait, water = gaits.planar(amplitude=(amplitude, 0.0, 0.0)), hydro.Morison(added_mass="kirchhoff")
    return cosserat.energetics(soft, gait, water, cosserat.SoftState(jnp.zeros(6)), 0.3)


def tree_evaluation(rate):
    tree = eel.model()
    q = rate * jnp.ones(36)
    return mb.forward_dynamics(tree, mb.BaseState(), q, q, q, fluid=hydro.Morison())


def test_no_batch_is_distributed_over_threads():
    """Two batches that jaxlib distributes at the same time can wait for each other without end."""
    for evaluation in (soft_evaluation, tree_evaluation):
        text = jax.jit(jax.vmap(evaluation)).lower(jnp.linspace(0.5, 1.0, 4096)).as_text()
        calls = re.findall(r"custom_call @lapack_(\w+)\(.*: \((tensor<.*>)\) ->", text)
        assert calls
        for name, tensors in calls:
            shapes = [[int(n) for n in re.findall(r"(\d+)x", tensor)] for tensor in tensors.split(", ")]
            columns = shapes[-1][-1] if "trsm" in name else shapes[0][-1]
            operations = math.prod(shapes[0]) * columns // (3 if "potrf" in name else 1)
            assert len(shapes[0]) == 3 and operations < DISTRIBUTED, (name, tensors)


SHARDED = """
import jax
jax.config.update("jax_num_cpu_devices", 2)
jax.config.update("jax_enable_x64", True)
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from spatial import solve_spd
rng = np.random.default_rng(0)
A, b = rng.normal(size=(256, 14, 14)), rng.normal(size=(256, 14))
S = A @ A.transpose(0, 2, 1) + np.eye(14)
over_two = NamedSharding(Mesh(np.array(jax.devices()), ("rows",)), PartitionSpec("rows"))
program = jax.jit(jax.vmap(solve_spd)).lower(*jax.device_put((S, b), over_two)).compile()
assert "all-gather" not in program.as_text()
found = program(*jax.device_put((S, b), over_two))
assert len(found.sharding.device_set) == 2
np.testing.assert_allclose(found, np.linalg.solve(S, b[..., None])[..., 0], rtol=1e-6)
"""


@pytest.mark.slow
def test_each_device_solves_its_part_of_a_sharded_batch():
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", SHARDED], cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
