"""The gait vocabulary: smoothness, the paper's formulas, composition, refusals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gaits
from validation.reference import eel_reference, gait_from_reference


def derivatives(law, t, order=2):
    f = lambda time: law(jnp.zeros(()), time)  # noqa: E731
    out = [f]
    for _ in range(order):
        out.append(jax.grad(out[-1]))
    return np.array([g(jnp.asarray(t)) for g in out])


@pytest.mark.parametrize("t, value", [(-1.0, 0.0), (0.2, 0.0), (1.7, 1.0), (3.0, 1.0)])
def test_start_joins_rest_and_full_swing_with_two_derivatives(t, value):
    start = gaits.Start(0.2, 1.7)
    assert np.abs(derivatives(start, t) - [value, 0.0, 0.0]).max() < 1e-14
    inside = derivatives(start, t + 1e-6 if t == 0.2 else t - 1e-6)
    assert (
        np.abs(inside - [value, 0.0, 0.0]).max() < 3e-5
    )  # the second derivative grows linearly: 4π·1e-6/1.5³... × 1/s²


def test_ramps_are_the_quintics_of_the_dive():
    ramps = gaits.Ramps((2.0, 3.0, 5.0), (0.0, 0.5, -0.25))
    for t, value in ((1.0, 0.0), (2.0, 0.0), (3.0, 0.5), (5.0, -0.25), (9.0, -0.25)):
        assert np.abs(derivatives(ramps, t) - [value, 0.0, 0.0]).max() < 1e-14
    s = (3.7 - 3.0) / 2.0
    assert np.isclose(ramps(0.0, 3.7), 0.5 - 0.75 * (10 * s**3 - 15 * s**4 + 6 * s**5), rtol=1e-14)
    sixth = ramps
    f = lambda t: sixth(0.0, t)  # noqa: E731
    for _ in range(6):
        f = jax.grad(f)
    assert abs(f(3.7)) < 1e-9  # of fifth order


def test_published_gaits_at_one_point():
    X, t = 1.3, 4.1
    alpha = X**2 - 0.75 * X + 1.0
    wave = alpha * np.sin(2 * np.pi * (X - t))
    rest = [1.0, 0.0, 0.0, 0.0]
    assert np.allclose(gaits.planar()(X, t), [*rest, 0.0, wave], rtol=1e-13)
    assert np.allclose(gaits.turn()(X, t), [*rest, 0.0, wave + 0.5], rtol=1e-13)
    assert np.allclose(gaits.spiral()(X, t), [*rest, 0.5, wave + 0.5], rtol=1e-13)
    assert np.allclose(gaits.dive()(X, 3.0), [*rest, 0.5, alpha * np.sin(2 * np.pi * (X - 3.0))], rtol=1e-13)
    assert np.allclose(gaits.dive()(X, 6.0)[4], -0.5, rtol=1e-13)


def test_strains_and_their_rates_against_the_reference():
    from cosserat.strain import strain_rates

    file = eel_reference()
    for row in file["states"] + file["strain_states"]:
        rates = strain_rates(
            gait_from_reference(row["inputs"]["gait"]), jnp.array([1.0]), jnp.asarray(row["inputs"]["t"])
        )
        expected = row["strains_at_X1m"]
        for array, names in ((rates.xi, "GK"), (rates.dxi, ("Gdot", "Kdot")), (rates.ddxi, ("Gddot", "Kddot"))):
            assert np.allclose(array[0], expected[names[0]] + expected[names[1]], rtol=1e-12, atol=1e-12)


def test_the_five_kinematics_free_the_right_strains():
    one = gaits.Constant(0.3)
    free = lambda gait: np.flatnonzero(np.asarray(gait(0.1, 0.2)) != [1, 0, 0, 0, 0, 0]).tolist()  # noqa: E731
    assert free(gaits.planar_bending(one)) == [5]
    assert free(gaits.universal(one, one)) == [4, 5]
    assert free(gaits.inextensible_kirchhoff(one, one, one)) == [3, 4, 5]
    assert free(gaits.extensible_kirchhoff(one, one, one, one)) == [0, 3, 4, 5]
    assert free(gaits.timoshenko_reissner(one, one, one, one, one, one)) == [0, 1, 2, 3, 4, 5]


def test_laws_add_and_multiply_and_know_their_break_times():
    law = 2.0 * gaits.Start(0.0, 1.0) * (gaits.TravellingWave(1.0, 2.0, 3.0) + 0.25) + 1.0
    expected = 2.0 * (np.sin(2 * np.pi * (0.4 / 2.0 - 5.0 / 3.0)) + 0.25) + 1.0
    assert np.isclose(law(0.4, 5.0), expected, rtol=1e-14)
    assert [float(t) for t in law.break_times] == [0.0, 1.0]
    assert np.isclose((1.0 - law / 2.0)(0.4, 5.0), 1.0 - expected / 2.0, rtol=1e-14)
    assert np.isclose((-law - 0.5)(0.4, 5.0), -expected - 0.5, rtol=1e-14)
    mixed = gaits.Start(0.0, 1.0) * (lambda X, t: jnp.sin(X - t))
    assert np.isclose(gaits.planar_bending(mixed)(0.4, 5.0)[5], np.sin(0.4 - 5.0), rtol=1e-14)
    assert sorted(float(t) for t in gaits.dive().break_times) == [0, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: gaits.Start(1.0, 1.0), r"Start: \(begin, end\) = \[1\.0, 1\.0\]: must be strictly increasing"),
        (lambda: gaits.Ramps((0.0, 1.0), (1.0,)), r"Ramps\.values has shape \(1,\)"),
        (lambda: gaits.TravellingWave(1.0, 0.0, 1.0), r"TravellingWave\.wavelength = 0\.0"),
        (lambda: gaits.TravellingWave(1.0, 1.0, -1.0), r"TravellingWave\.period = -1\.0"),
        (lambda: gaits.planar(amplitude=(1.0, np.nan)), r"TravellingWave\.amplitude = \[1\.0, nan\]"),
        (
            lambda: gaits.planar_bending(lambda t, X: jnp.sin(X - t)),
            r"takes \(t, X\): must take \(X, t\)",
        ),
        (lambda: gaits.Constant([1.0, 2.0]), r"Constant\.value has shape \(2,\)"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_a_table_in_millimetres_is_noticed():
    X, t = np.linspace(0.0, 420.0, 5), np.linspace(0.0, 1.0, 5)
    with pytest.warns(UserWarning, match="X reaches 420 m: abscissae are in metres"):
        gaits.from_table(X, t, np.ones((5, 5)))


def test_a_periodic_table_has_a_value_at_every_time():
    """Whole periods whose remainder is rounded to just outside the table: 0.8 - 1e-16 and the like."""
    X, t = np.linspace(0.0, 0.5, 5), np.linspace(0.0, 0.8, 17)
    law = gaits.from_table(X, t, (1.0 + X[:, None]) * np.sin(2.5 * np.pi * t), periodic=True)
    when = np.concatenate([np.linspace(0.0, 40.0, 4001), 0.8 * np.arange(-50, 200)])
    found = jax.vmap(lambda s: law(0.2, s))(jnp.asarray(when))
    assert np.abs(found - 1.2 * np.sin(2.5 * np.pi * when)).max() < 1e-3  # (π/8)⁴ / 384 of a cubic spline, thrice
