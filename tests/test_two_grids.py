"""The two grids of an estimate are kept for a body, and only for that body."""

import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from cosserat import two_grids as module
from cosserat.two_grids import KEPT, two_grids

PATH = cosserat.Panels(order=4)


def rod(b):
    return cosserat.Beam(cosserat.rod(1.0, b, 0.05).profile, load_panels=(1,))


def test_it_is_sampled_once_for_a_body_and_anew_for_another(monkeypatch):
    calls = []
    sampled = module.sampled_twice
    monkeypatch.setattr(module, "sampled_twice", lambda *args: calls.append(args) or sampled(*args))
    beam, water = rod(0.03), hydro.Morison()
    first = two_grids(PATH, beam, water)
    assert two_grids(PATH, beam, water) is first and len(calls) == 1
    for other in (
        (PATH, rod(0.03), water),
        (PATH, beam, hydro.Morison(density=900.0)),
        (cosserat.Panels(5), beam, water),
    ):
        assert two_grids(*other) is not first
    assert len(calls) == 4 and float(two_grids(PATH, rod(0.06), water).mass) == 2 * float(first.mass)
    for k in range(KEPT):
        two_grids(PATH, rod(0.01 + 0.01 * k), water)
    assert module._kept.cache_info().currsize <= KEPT


def test_a_traced_grid_is_not_kept():
    """Kept, it would leak out of the program that made it."""
    beam, water = rod(0.04), hydro.Morison()
    inside = jax.jit(lambda: two_grids(PATH, beam, water).mass)()
    by_density = jax.jit(lambda rho: two_grids(PATH, beam, hydro.Morison(density=rho)).mass)(900.0)
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(two_grids(PATH, beam, water)))
    np.testing.assert_allclose([inside, by_density], float(cosserat.mass(beam)), rtol=1e-14)


def test_arrays_that_may_change_are_not_kept():
    """A density in a NumPy array, changed in place."""
    import equinox as eqx

    beam, water = rod(0.03), hydro.Morison()
    density = np.array(1000.0)
    own = eqx.tree_at(lambda b: b.density, beam, density)
    before = float(two_grids(PATH, own, water).mass)
    density[...] = 500.0
    assert float(two_grids(PATH, own, water).mass) == before / 2


def test_a_gait_is_no_part_of_it():
    beam, water, state = rod(0.03), hydro.Morison(), cosserat.HeadState()
    error = lambda waves: cosserat.space_error(beam, gaits.planar(wavelength=1 / waves), water, state, 2.3, PATH)  # noqa: E731
    assert float(error(3.0).force) > 2 * float(error(1.0).force) > 0.0
    assert jnp.isfinite(error(3.0).worst)


def test_integrals_to_the_own_nodes_are_exact_for_polynomials():
    """Of X³ they are X⁴/4: X is quadratic in u along a load panel, and eight Gauss nodes integrate u⁷ exactly."""
    beam = cosserat.eel()
    for loads in (1, 2, 4):
        body = cosserat.Panels(order=4, panels=1, loads=loads).sample(beam, hydro.Void())
        nodes = body.own_nodes()
        assert nodes.X.shape[0] == body.load_X.shape[0] // loads + 1 and nodes.X[-1] == beam.length
        np.testing.assert_allclose(
            body.load_X[None] ** 3 @ nodes.from_loads, nodes.X[None] ** 4 / 4, rtol=0, atol=1e-13
        )


def test_empty_panels_change_nothing():
    """The path's own grid has as many panels as the finer one, half of them of no width: n and M are the same."""
    from cosserat.grid_error import _evaluated, _found

    state = (jnp.zeros((1, 3)), jnp.array([[1.0, 0.0, 0.0, 0.0]]), jnp.array([[-0.3, 0.1, 0.0, 0.2, 0.1, 0.3]]))
    parts, loaded = (*state, jnp.array([2.3])), cosserat.eel(masses=[(0.3, 0.5), (1.7, 0.2)])
    for counts, beam, gait, water in (
        ((1, 1), cosserat.eel(), gaits.spiral(), hydro.Morison()),
        ((2, 3), loaded, gaits.planar(), hydro.Lighthill(edge=1.95)),
    ):
        path = cosserat.Panels().with_counts(*counts)
        grids = two_grids(path, beam, water)
        both = grids.evaluated(beam, lambda b, s: _evaluated(b, s, grids.along, gait, water, path, parts))  # noqa: B023
        for k in (0, 1):
            alone = _found(beam, gait, water, path.with_counts(*((k + 1) * n for n in counts)), parts)
            for ours, theirs in zip(jax.tree.leaves(both), jax.tree.leaves(alone), strict=True):
                np.testing.assert_allclose(ours[k], theirs, rtol=0, atol=1e-11 * float(jnp.abs(theirs).max()))
