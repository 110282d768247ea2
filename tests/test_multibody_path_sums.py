"""Sums along paths and over branches, against plain loops over the parents."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import multibody as mb
from multibody.fixed_rows import rows_of
from multibody.kinematics import sums_beyond, sums_to_bodies

KINDS = (mb.revolute, mb.universal, mb.fixed, mb.spherical, mb.prismatic)


def grown(parents, kinds=(mb.revolute,)):
    """A tree of equal bodies."""
    links = [mb.Link("0", None, None, mass=1.0, about_centre=np.eye(3))]
    for k, parent in enumerate(parents):
        joint = kinds[k % len(kinds)]()
        links.append(mb.Link(str(k + 1), str(parent), joint, mass=1.0, about_centre=np.eye(3)))
    return mb.from_links(links)


def bush(joints, reach, seed=0):
    """Parents chosen at random among the last bodies."""
    rng = np.random.default_rng(seed)
    return [int(rng.integers(max(0, k - reach), k + 1)) for k in range(joints)]


TREES = {
    "small": grown(bush(9, 3)),
    "chain": grown(range(61)),
    "two chains": grown([*range(30), 0, *range(31, 60)]),
    "bush": grown(bush(100, 8)),
    "star": grown([0] * 70),
    "binary": grown([k // 2 for k in range(90)]),
    "spine with ribs": grown([k if k % 2 == 0 else k - 1 for k in range(80)]),
    "bush of all kinds": grown(bush(60, 5), KINDS),
}


@pytest.mark.parametrize("name", TREES)
def test_sums_against_loops(name):
    """Within a few units in the last place of the largest sum of absolute values along the path."""
    tree, table = TREES[name], TREES[name].layout
    rng = np.random.default_rng(1)
    at_freedoms, at_bodies = rng.normal(size=(table.freedoms, 3)), rng.normal(size=(table.bodies, 3))

    def loops(at_freedoms, at_bodies):
        along, beyond = np.zeros((table.bodies, 3)), at_bodies.copy()
        for k, parent in enumerate(tree.parents):
            own = at_freedoms[table.freedom_start[k] : table.freedom_start[k + 1]]
            along[k + 1] = along[parent] + own.sum(axis=0)
        for k in reversed(range(table.joints)):
            beyond[tree.parents[k]] += beyond[k + 1]
        return along, beyond[table.freedom_body]

    for found, exact, size in zip(
        (jax.jit(lambda x: sums_to_bodies(tree, x))(at_freedoms), jax.jit(lambda x: sums_beyond(tree, x))(at_bodies)),
        loops(at_freedoms, at_bodies),
        loops(np.abs(at_freedoms), np.abs(at_bodies)),
        strict=True,
    ):
        assert np.all(np.abs(found - exact) <= 1e-14 * size)


def test_small_values_beside_a_large_branch():
    """A branch with huge values leaves no trace in the sums of another."""
    tree = TREES["two chains"]
    values = np.where(np.arange(60) < 30, 1e20, 1e-3)[:, None]
    found = np.asarray(sums_to_bodies(tree, jnp.asarray(values)))
    np.testing.assert_allclose(found[31:, 0], 1e-3 * np.arange(1, 31), rtol=1e-14)


@pytest.mark.parametrize("rows", [[2, 3, 4], [1, 3, 5], [-1, 0, 1, -1, -1], [5, 0, 4, 1, 3, 2, 0, -1, 5], []])
@pytest.mark.parametrize("axis", [0, -1])
def test_rows(rows, axis):
    """By slices, by steps, by a gather; in both directions of differentiation."""
    rows, values = np.array(rows, dtype=int), np.random.default_rng(2).normal(size=(6, 6))
    matrix = np.where(rows[:, None] < 0, 0.0, np.eye(6)[rows])
    expected = matrix @ values if axis == 0 else values @ matrix.T
    pick = lambda x: rows_of(x, rows, axis=axis)  # noqa: E731
    np.testing.assert_array_equal(pick(jnp.asarray(values)), expected)
    np.testing.assert_array_equal(jax.jacfwd(pick)(jnp.asarray(values)), jax.jacrev(pick)(jnp.asarray(values)))


@pytest.mark.parametrize("name", ["two chains", "bush of all kinds"])
def test_derivatives_of_the_dynamics(name):
    """Forward and reverse agree, at rest and in a batch, through runs and gathers."""
    tree = TREES[name]
    still = jnp.zeros(tree.layout.freedoms)
    torque = lambda dq: mb.inverse_dynamics(tree, mb.BaseState(), tree.neutral(), dq, still + 1.0).torque  # noqa: E731
    at = jnp.stack([still, still + 0.3])
    forward = jax.jit(jax.vmap(lambda dq: jax.jvp(torque, (dq,), (still + 1.0,))[1]))(at)
    reverse = jax.jit(jax.vmap(lambda dq: jax.vjp(torque, dq)[1](jnp.ones_like(dq))[0]))(at)
    assert np.all(np.isfinite(forward)) and np.all(np.isfinite(reverse))
    np.testing.assert_allclose(forward.sum(axis=1), reverse.sum(axis=1), rtol=1e-11, atol=1e-11)
