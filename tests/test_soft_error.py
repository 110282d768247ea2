"""Estimated space error of soft beams against runs with more modes, and against finer grids."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from cosserat.grid_error import SpaceError, instants
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_error import warn_if_coarse

pytestmark = pytest.mark.slow

EI, TAU = 0.15, 0.05


WAVE = gaits.planar_bending(gaits.TravellingWave(amplitude=3.0, wavelength=1.0, period=1.0))


def tailed(modes):
    tail = cosserat.FreeStrains(0.5, modes={"K3": modes})
    return cosserat.Soft(cosserat.rod(1.0, 0.02, 0.04), tail, cosserat.Springs(EI, damping_time=TAU))


def swum(soft):
    return cosserat.rollout(soft, WAVE, hydro.Morison(), 1.0, samples=31, method="implicit", dt0=1 / 60)


def stress(soft, run, X):
    """EI (K3 + τ dK3/dt) of the record at the instants that the estimate looks at."""
    phi = np.asarray(jax.vmap(soft.functions)(X))
    where = instants(31)
    return EI * np.asarray(run.q[where] + TAU * run.dq[where]) @ phi.T


def test_estimated_error_of_the_modes_is_that_of_runs_with_more_of_them():
    """Mean square of the stress of the tail: estimated over true error within a factor of three, and both fall.

    With 8 modes the error is below a hundredth of that with 4.
    """
    soft = tailed(8)
    fine = jax.jit(lambda: swum(soft))()
    assert fine.error is None  # inside a program nothing is estimated
    sampled = sample_soft(soft, hydro.Morison(), 32, 1)
    tail = np.asarray(sampled.body.load_X) > 0.5
    X, weight = jnp.asarray(sampled.body.load_X)[tail], np.asarray(sampled.body.load_weight)[tail]
    mean = lambda x: np.sqrt((x**2) @ weight).max()  # noqa: E731
    exact = stress(soft, fine, X)
    estimated, true = [], []
    for modes in (2, 4):
        coarse = tailed(modes)
        run = swum(coarse)
        estimated.append(float(run.error.modes))
        true.append(mean(stress(coarse, run, X) - exact) / mean(exact))
    ratio = np.asarray(estimated) / np.asarray(true)
    assert np.all(ratio > 1 / 3) and np.all(ratio < 3)
    assert 5.0 * estimated[1] < estimated[0]
    # Gauss nodes of one panel and one load panel a piece: the errors that kinks of the drag leave.
    assert float(run.error.force) < 1e-3 and float(run.error.moment) < 1e-3


def test_a_strain_that_hardly_moves_does_not_dominate_the_estimate():
    """Twist and bending out of the plane of a plane swim: their stress is round-off, and so is its residual.

    The estimate is that of a tail that bends in the plane alone, up to round-off of the weak strains.
    """
    how = {"samples": 5, "method": "implicit", "dt0": 1 / 20}
    estimates = []
    for modes in ({"K3": 3}, {"K1": 2, "K2": 2, "K3": 3}):
        tail = cosserat.FreeStrains(0.5, modes=modes)
        soft = cosserat.Soft(cosserat.rod(1.0, 0.02, 0.04), tail, cosserat.Springs(EI, damping_time=TAU))
        estimates.append(float(cosserat.rollout(soft, WAVE, hydro.Morison(), 0.5, **how).error.modes))
    assert estimates[1] == pytest.approx(estimates[0], rel=1e-6)


def test_a_body_without_stress_has_no_error_of_its_modes(recwarn):
    """A free uniform rod under a uniform load only moves: its stress is round-off, which is no reason for a warning."""
    push = cosserat.DistributedLoad([0.0, 0.3, 0.0, 0.0, 0.0, 0.0])
    free = cosserat.FreeStrains(modes={"K3": 1})
    soft = cosserat.Soft(cosserat.rod(1.0, 0.02, 0.04), free, cosserat.Springs(EI), loads=push)
    run = cosserat.rollout(soft, None, hydro.Void(), 0.2, samples=2, method="implicit", dt0=0.1)
    assert float(run.error.modes) == 0.0 and float(run.position[-1, 1]) > 1e-3
    assert not [w for w in recwarn if "modes of the soft beam" in str(w.message)]


def test_the_warning_lists_the_modes_and_how_many_to_try():
    pieces = cosserat.FreeStrains(0.5, 0.8, modes={"K2": 2, "K3": 4}), cosserat.FreeStrains(0.8, modes={"K3": 3})
    small, large = np.float64(0.0), np.float64(0.2)
    with pytest.warns(UserWarning, match=r"\(K2: 2, K3: 4; K3: 3\).* 20 % .*twice as many .*K3: 6\).* jump\.$") as told:
        warn_if_coarse(SpaceError(small, small, small, small, large), pieces)
    assert len(told) == 1
    with pytest.warns(UserWarning, match=r" 100 % .*jump; or the material is too soft for this load\.$") as told:
        warn_if_coarse(SpaceError(small, small, small, small, np.float64(1.0)), pieces)
    assert len(told) == 1


def test_error_of_one_state_of_a_soft_beam():
    """`cosserat.space_error` of the recorded states is the estimate of the run, inside `jax.jit` too."""
    soft = tailed(3)
    run = cosserat.rollout(soft, WAVE, hydro.Morison(), 0.5, samples=5, method="implicit", dt0=1 / 20)
    where = jnp.asarray(instants(5))
    states, times = jax.vmap(run.state)(where), run.time[where]
    estimate = jax.jit(lambda: cosserat.space_error(soft, WAVE, hydro.Morison(), states, times))()
    for a, b in zip(jax.tree.leaves(estimate), jax.tree.leaves(run.error), strict=True):
        assert float(a) == pytest.approx(float(b), rel=1e-6, abs=1e-12)
    alone = cosserat.space_error(soft, None, hydro.Morison(), run.state(4), run.time[4])
    assert float(alone.modes) > 0.0
    with pytest.raises(ValueError, match="state = .*: must be a cosserat.SoftState"):
        cosserat.space_error(soft, WAVE, hydro.Morison(), cosserat.HeadState(), 0.3)
