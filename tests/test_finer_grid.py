"""The finer grid of an estimate is kept for a body, and only for that body."""

import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from cosserat import finer_grid as module
from cosserat.finer_grid import KEPT, finer_grid

PATH = cosserat.Panels(order=4)


def rod(b):
    return cosserat.Beam(cosserat.rod(1.0, b, 0.05).profile, load_panels=(1,))


def test_it_is_sampled_once_for_a_body_and_anew_for_another(monkeypatch):
    calls = []
    sampled = module.sampled_finer
    monkeypatch.setattr(module, "sampled_finer", lambda *args: calls.append(args) or sampled(*args))
    beam, water = rod(0.03), hydro.Morison()
    first = finer_grid(PATH, beam, water)
    assert finer_grid(PATH, beam, water) is first and len(calls) == 1
    for other in (
        (PATH, rod(0.03), water),
        (PATH, beam, hydro.Morison(density=900.0)),
        (cosserat.Panels(5), beam, water),
    ):
        assert finer_grid(*other) is not first
    assert len(calls) == 4 and float(finer_grid(PATH, rod(0.06), water).mass) == 2 * float(first.mass)
    for k in range(KEPT):
        finer_grid(PATH, rod(0.01 + 0.01 * k), water)
    assert module._kept.cache_info().currsize <= KEPT


def test_a_traced_grid_is_not_kept():
    """Kept, it would leak out of the program that made it."""
    beam, water = rod(0.04), hydro.Morison()
    inside = jax.jit(lambda: finer_grid(PATH, beam, water).mass)()
    by_density = jax.jit(lambda rho: finer_grid(PATH, beam, hydro.Morison(density=rho)).mass)(900.0)
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(finer_grid(PATH, beam, water)))
    np.testing.assert_allclose([inside, by_density], float(cosserat.mass(beam)), rtol=1e-14)


def test_arrays_that_may_change_are_not_kept():
    """A density in a NumPy array, changed in place."""
    import equinox as eqx

    beam, water = rod(0.03), hydro.Morison()
    density = np.array(1000.0)
    own = eqx.tree_at(lambda b: b.density, beam, density)
    before = float(finer_grid(PATH, own, water).mass)
    density[...] = 500.0
    assert float(finer_grid(PATH, own, water).mass) == before / 2


def test_a_gait_is_no_part_of_it():
    beam, water, state = rod(0.03), hydro.Morison(), cosserat.HeadState()
    error = lambda waves: cosserat.space_error(beam, gaits.planar(wavelength=1 / waves), water, state, 2.3, PATH)  # noqa: E731
    assert float(error(3.0).force) > 2 * float(error(1.0).force) > 0.0
    assert jnp.isfinite(error(3.0).worst)
