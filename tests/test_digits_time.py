"""Gaits that are not smooth in time, or impossible late in a run, are found before the run."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from gaits.impulse_balance import JUMP, impulse_balance

pytestmark = pytest.mark.slow

BEAM, LENGTH = cosserat.rod(1.0, 0.03, 0.05), jnp.asarray(1.0)
T = np.linspace(0.0, 2.0, 41)


class Law(eqx.Module):
    """One kind of time dependence on a standing bend."""

    kind: str = eqx.field(static=True)

    def __call__(self, X, t):
        bend = {
            "smooth": lambda: jnp.sin(2 * jnp.pi * t),
            "table": lambda: jnp.interp(t, T, np.sin(2 * np.pi * T)),
            "abs": lambda: jnp.abs(jnp.sin(2 * jnp.pi * t)),
            "jump": lambda: jnp.where(t < 0.777, 0.0, 0.5) + jnp.sin(2 * jnp.pi * t),
            "second rate jumps": lambda: jnp.where(t < 0.777, 0.0, (t - 0.777) ** 2) + jnp.sin(2 * jnp.pi * t),
            "fast": lambda: jnp.sin(2 * jnp.pi * 80.0 * t),
            "late nan": lambda: jnp.where(t < 1.9, 1.0, jnp.nan),
            "inside out": lambda: 0.0 * t,
        }[self.kind]()
        stretch = 1.0 - (0.6 * t if self.kind == "inside out" else 0.0)
        return jnp.stack([stretch + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, bend * (1.0 + X)])


def jump(law):
    return float(impulse_balance(law, LENGTH, jnp.asarray(0.0), jnp.asarray(2.0))[0].jump)


@pytest.mark.parametrize(
    "kind, kinked",
    [("smooth", False), ("second rate jumps", False), ("fast", False), ("table", True), ("abs", True), ("jump", True)],
)
def test_jumps_of_strain_and_rate_are_told_from_all_else(kind, kinked):
    found = jump(Law(kind))
    assert found > 10 * JUMP if kinked else found < 0.1 * JUMP


@pytest.mark.parametrize("width", [0.02, 0.03, 0.1])
@pytest.mark.parametrize("place", [0.13, 0.62, 0.85])
def test_a_kink_in_a_narrow_part_of_the_body_is_found(width, place):
    """Before: five fixed sections were sampled, and a kinked bend of 3 % of the length between them was lost."""

    def law(X, t):
        bump = 8.0 * jnp.exp(-(((X - place) / width) ** 2)) * jnp.abs(jnp.sin(2 * jnp.pi * t))
        return jnp.stack([1.0 + 0.0 * t, *[0.0 * t] * 4, jnp.sin(3 * X - 6 * t) + bump])

    assert jump(law) > 10 * JUMP


@pytest.mark.parametrize("place", [0.21, 0.4, 0.5, 0.77])
def test_a_small_kink_in_a_wave_is_found(place):
    """A tenth of the wave's greatest amplitude; the section that moves most in its third is another one."""

    def law(X, t):
        bump = 0.1 * jnp.exp(-(((X - place * LENGTH) / (0.03 * LENGTH)) ** 2)) * jnp.abs(jnp.sin(2 * jnp.pi * t))
        return jnp.stack([1.0 + 0.0 * t, *[0.0 * t] * 4, X * jnp.sin(3 * X - 6 * t) + bump])

    assert jump(law) > 10 * JUMP


def test_published_gaits_balance_their_impulse():
    for name in gaits.PUBLISHED:
        found, _ = impulse_balance(getattr(gaits, name)(), LENGTH, jnp.asarray(0.0), jnp.asarray(10.0))
        assert float(found.jump) < 0.1 * JUMP and bool(jnp.all(found.finite))


def drift(gait):
    """Greatest momentum of a body that starts at rest in vacuum, relative to that of its bending."""
    run = cosserat.rollout(BEAM, gait, hydro.Void(), 0.3, t0=0.05, samples=4, rtol=1e-8, atol=1e-10)
    momenta = jnp.stack([cosserat.momentum(BEAM, gait, run.state(k), run.time[k]) for k in range(4)])
    return float(jnp.abs(momenta - momenta[:1]).max())


def test_what_warns_loses_momentum_and_the_spline_of_the_same_samples_does_not():
    """Before: a table read by `jnp.interp` swam without a word, its momentum off by a thousand times and more."""
    with pytest.warns(UserWarning, match="not smooth in time.*from_table"):
        kinked = drift(Law("table"))
    X = np.linspace(0.0, 1.0, 6)
    spline = gaits.planar_bending(gaits.from_table(X, T, (1 + X[:, None]) * np.sin(2 * np.pi * T), periodic=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smooth = drift(spline)
    assert kinked > 1e-2 and smooth < 1e-5 * kinked


def test_impossible_strains_late_in_a_run_are_found_before_it():
    """Before: 100,000 steps, or arrays of NaN."""
    for kind, rule in (("late nan", "t = 1.9.*must be finite"), ("inside out", "Γ1 must be positive")):
        with pytest.raises(ValueError, match=rule):
            cosserat.rollout(BEAM, Law(kind), hydro.Void(), 2.0)


def test_compiled_runs_warn_and_refuse_too():
    @jax.jit
    def swim(scale, late):
        gait = gaits.planar_bending(
            lambda X, t: scale * jnp.abs(jnp.sin(7.0 * t)) + jnp.sin(t) + jnp.where(t > late, jnp.nan, 0.0)
        )
        return cosserat.rollout(BEAM, gait, hydro.Void(), 1.0, samples=3, max_steps=2000).twist

    with pytest.warns(UserWarning, match="not smooth in time"):
        swim(1.0, 9.0).block_until_ready()
        jax.effects_barrier()
    with pytest.raises(Exception, match="finite with Γ1 > 0"):
        swim(0.0, 0.5).block_until_ready()


def test_a_table_meets_its_samples_and_refuses_what_is_none():
    X, values = np.linspace(0.0, 2.0, 9), np.random.default_rng(3).normal(size=(9, 41))
    law = gaits.from_table(X, T, values)
    found = jax.vmap(lambda x: jax.vmap(lambda t: law(x, t))(jnp.asarray(T)))(jnp.asarray(X))
    assert np.abs(found - values).max() < 1e-12
    second = jax.grad(jax.grad(lambda t: law(0.7, t)))
    assert abs(float(second(T[7] - 1e-9) - second(T[7] + 1e-9))) < 1e-3 * abs(float(second(T[7])))
    assert np.isnan(law(1.0, 2.1))
    assert str(law) == "Table(X 9 from 0 to 2 m, t 41 from 0 to 2 s)"
    for call, message in (
        (lambda: gaits.from_table(X, T, values[:, :3]), "values"),
        (lambda: gaits.from_table(X[:3], T, values[:3]), "four at least"),
        (lambda: gaits.from_table(X, T, values, periodic=True), "last column must equal the first"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_bad_row_of_a_batch_is_marked_and_leaves_the_others_alone():
    """NaN late in time, Γ1 ≤ 0, a coil: each fails by itself, soon, and the good row keeps the digits it has alone."""
    path = cosserat.Panels(order=16, panels=1, loads=1, tolerance=1.0)

    def run(late, stretch, bend):
        law = lambda X, t: jnp.stack(  # noqa: E731
            [
                1.0 - stretch * t,
                *[0.0 * t] * 4,
                bend * jnp.sin(3.0 * X - 6.0 * t) + jnp.where(t > late, jnp.nan, 0.0),
            ]
        )
        run = cosserat.rollout(BEAM, law, hydro.Morison(), 1.0, samples=3, path=path, throw=False)
        return run.twist, run.succeeded & ~run.coiled, run.steps

    rows = (jnp.array([9.0, 0.4, 9.0, 9.0]), jnp.array([0.0, 0.0, 1.5, 0.0]), jnp.array([1.0, 1.0, 1.0, 400.0]))
    twist, sound, steps = jax.jit(jax.vmap(run))(*rows)
    alone = jax.jit(jax.vmap(run))(*(row[:1] for row in rows))[0]
    assert sound.tolist() == [True, False, False, False]
    # Batches of other sizes sum in another order, which moves the adaptive steps: a hundredth of their tolerance, 1e-6.
    np.testing.assert_allclose(twist[0], alone[0], rtol=1e-8, atol=1e-10)
    assert int(steps.sum(axis=1).max()) < 2000  # a row that cannot go on ends, instead of rejecting 100,000 steps


def test_gaits_of_soft_beams_are_looked_at_too():
    tail = cosserat.FreeStrains(start=0.7, modes={"K3": 1})
    soft = cosserat.Soft(BEAM, tail, cosserat.Elastic(young=1e6, damping_time=0.05))
    with pytest.raises(ValueError, match="t = 1.9.*must be finite"):
        cosserat.rollout(soft, Law("late nan"), hydro.Void(), 2.0)
    with pytest.warns(UserWarning, match="not smooth in time"):
        cosserat.rollout(soft, Law("abs"), hydro.Void(), 0.6, t0=0.4, samples=3)
