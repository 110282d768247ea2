"""A gait from tracked points: curvature and speed of a known gait come back through noise and occlusion."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import cosserat
import gaits
import hydro

L, POINTS, RATE, NOISE = 2.0, 25, 60.0, 1.0 / 2000.0
START = 2.0  # s: past the start of the published gait
TRUTH = gaits.planar()


@jax.jit
def _bends(X, time):
    return jax.vmap(lambda t: jax.vmap(lambda x: TRUTH(x, t)[5])(X))(time)


def _table(seconds=5.0, noise=NOISE, seed=1):
    """(times, X, points) of the eel's gait while its head moves along a curved path: sums of midpoints, 2400 cells."""
    time = START + np.arange(int(seconds * RATE)) / RATE
    fine = np.linspace(0.0, L, 2401)
    h = fine[1]
    K = np.asarray(_bends(jnp.asarray(fine[1:] - 0.5 * h), jnp.asarray(time)))
    heading = np.cumsum(K, axis=1) * h - 0.5 * h * K + _heading(time)[:, None]
    path = np.stack([np.cumsum(f(heading), axis=1) * h for f in (np.cos, np.sin)], axis=-1)
    path = np.concatenate([np.zeros((len(time), 1, 2)), path], axis=1)
    each = 2400 // (POINTS - 1)
    points = path[:, ::each] + _nose(time)[:, None]
    return time, fine[::each], points + np.random.default_rng(seed).normal(size=points.shape) * noise * L


def _heading(time):
    return 0.3 + 0.2 * time + 0.1 * np.sin(7 * time)


def _nose(time):
    return np.stack([-0.5 * time, 0.1 * time], axis=-1)


def _curvature_error(law, begin=START, end=START + 4.98):
    """Relative root mean square over the whole body and the whole record, their ends included."""
    X, time = jnp.linspace(0.0, L, 41), jnp.linspace(begin, end, 50)
    expected = np.asarray(_bends(X, time))
    found = np.asarray(jax.jit(jax.vmap(lambda t: jax.vmap(lambda x: law(x, t))(X)))(time))
    return np.sqrt(np.mean((found - expected) ** 2) / np.mean(expected**2))


@pytest.fixture(scope="module")
def fit():
    return gaits.from_midline(_table(), length=L)


def test_curvature_comes_back_through_noise(fit):
    print(f"curvature through noise: {_curvature_error(fit.law):.3f}")
    assert _curvature_error(fit.law) < 0.05
    assert abs(fit.period - 1.0) < 1e-3
    # 15 000 coordinates tell their own standard deviation to 1/sqrt(2 · 15 000) = 0.6 %; four of them.
    assert abs(fit.noise / (NOISE * L) - 1.0) < 0.024
    assert "300 frames of 25 points, 0% not seen; period 1" in str(fit)


def test_place_and_heading_come_back(fit):
    # The first point itself is seen with the noise; the fit must not be worse than that.
    assert np.sqrt(np.mean((fit.nose - _nose(fit.times)) ** 2)) < NOISE * L
    assert np.sqrt(np.mean((fit.heading - _heading(fit.times)) ** 2)) < NOISE * L / (L / (POINTS - 1))


@pytest.mark.slow
def test_speed_of_the_swim(fit):
    beam, water = cosserat.eel(), hydro.Morison()
    swim = lambda gait: gaits.steady_speed(  # noqa: E731
        cosserat.steady_swim(beam, gait, water, t0=START, steps=16)
    )
    ratio = float(swim(fit.gait) / swim(TRUTH))
    print(f"speed of the fitted gait: {ratio - 1.0:+.4f}")
    assert abs(ratio - 1.0) < 0.03


def test_occluded_points_count_for_nothing():
    time, X, points = _table(seed=2)
    hidden = np.random.default_rng(3).random(points.shape[:2]) < 0.15
    hidden[50:60, 18:] = hidden[100] = True  # the tail for ten frames, and a frame without points
    points[hidden] = np.nan
    partly = gaits.from_midline((time, points), length=L)  # abscissae by the distances between points
    assert _curvature_error(partly.law) < 0.05
    assert np.isnan(partly.differences[hidden]).all() and np.isfinite(partly.differences[~hidden]).all()


@pytest.mark.slow
def test_a_motion_that_need_not_repeat():
    # Five times as many effective coefficients as with the average over beats: √5 times its few per cent.
    seconds = 2.5
    fitted = gaits.from_midline(_table(seconds), length=L, periodic=False)
    assert fitted.period is None
    assert _curvature_error(fitted.law, end=START + seconds - 0.02) < 0.08
    assert bool(jnp.isnan(fitted.law(0.5, START - 0.1)))


def test_without_noise_what_is_left_is_the_fit_of_the_polynomials():
    exact = gaits.from_midline(_table(seconds=2.0, noise=0.0), harmonics=1)
    # The table's midpoint sums err by h² K''/24 ~ 1e-6; a smooth law that fits to this has its curvature to 1e-3.
    assert exact.residual < 1e-5 * L and _curvature_error(exact.law, end=START + 1.9) < 1e-2


def test_a_given_period_is_kept_and_an_image_is_mirrored():
    time, X, points = _table(seconds=1.2)
    up = gaits.from_midline((time, X, points), period=1.0, harmonics=1)
    down = gaits.from_midline((time, X, points * [1.0, -1.0]), period=1.0, harmonics=1, y_down=True)
    mirrored = gaits.from_midline((time, X, points * [1.0, -1.0]), period=1.0, harmonics=1)
    K = [float(fit.law(1.0, START + 0.3)) for fit in (up, down, mirrored)]
    assert up.period == 1.0
    assert abs(K[1] / K[0] - 1.0) < 1e-6 and abs(K[2] / K[0] + 1.0) < 1e-6  # shape alone does not tell a mirror


def test_files_and_datasets_hold_the_same(tmp_path):
    time, X, points = _table(seconds=1.2)
    keep = {"period": 1.0, "harmonics": 1}
    expected = gaits.from_midline((time, X, points), **keep).law.coefficients
    data = xr.Dataset({"position": (("time", "X", "axis"), points)}, coords={"time": time, "X": X, "axis": ["x", "y"]})
    data.to_netcdf(tmp_path / "eel.nc")
    rows = [(t, x, *xy) for t, frame in zip(time, points, strict=True) for x, xy in zip(X, frame, strict=True)]
    np.savetxt(tmp_path / "eel.csv", rows, delimiter=",", header="time,X,x,y", comments="", fmt="%.17g")
    other = np.array(rows) * [1000.0, 100.0, 100.0, 1000.0]
    header = "time [ms],X [cm],x (cm),y [mm]"
    np.savetxt(tmp_path / "units.csv", other, delimiter=",", header=header, comments="", fmt="%.17g")
    for table in (data, tmp_path / "eel.nc", tmp_path / "eel.csv", tmp_path / "units.csv"):
        assert np.allclose(gaits.from_midline(table, **keep).law.coefficients, expected, rtol=0, atol=1e-10)


def test_a_motion_that_does_not_repeat_warns():
    time, X, points = _table(seconds=2.0)
    slower = np.concatenate([points[:60], np.repeat(points[60:90], 2, axis=0)])  # the second beat takes twice as long
    with pytest.warns(UserWarning, match="the motion does not repeat"):
        gaits.from_midline((np.arange(len(slower)) / RATE, X, slower), period=1.0)


def test_refusals(tmp_path):
    time, X, points = _table(seconds=1.5)
    data = xr.Dataset({"position": (("time", "X", "axis"), points)}, coords={"time": time, "X": X})
    hidden = points.copy()
    hidden[:, 4] = np.nan
    deep = np.concatenate([points, 0.1 * time[:, None, None] * np.ones((1, POINTS, 1))], axis=-1)
    cases = (
        ((time[::-1], X, points), "time.*strictly increasing"),
        ((time, X[::-1], points), "X.*strictly increasing"),
        ((time, X, hidden), "point 4 is seen in no frame"),
        ((time, X, 1000.0 * points), "not in pixels or millimetres"),
        ((time, X[:4], points[:, :4]), "at least 5 points"),
        ((time, X, points[..., :1]), "must be .90 times, points, 2 or 3."),
        ((time, X, points[:, ::-1] - 1.5 * time[:, None, None]), "travels with its last point ahead"),
        ((time, X, deep), "leave the plane"),
        ((time[:60], X, points[:60]), "one and a half beats"),
        (data.drop_vars("position"), "needs the variable `position`"),
        (data.assign_coords(axis=["y", "x"]), "exchanged axes mirror the motion"),
        (tmp_path / "none.csv", "no such file"),
        (7.0, "must be a CSV or NetCDF file"),
    )
    for bad, words in cases:
        with pytest.raises(ValueError, match=words):
            gaits.from_midline(bad)
    for arguments, words in (
        ({"length": 1.0}, "between 0 and 1 m"),
        ({"modes": 0}, "modes = 0"),
        ({"period": 1.0, "periodic": False}, "has none"),
    ):
        with pytest.raises(ValueError, match=words):
            gaits.from_midline((time, X, points), **arguments)
    for text, words in (
        ("time,X,x,y\n0,0,0,0\n0,1,1,0\n1,0,0,0\n", "3 rows for 2 times and 2 points: the table has gaps"),
        ("time,x,y\n0,0,0\n", "column 'X' is missing"),
        ("time,X,x [px],y\n0,0,0,0\n", "column 'x' has the unit 'px': must be in m or cm or mm"),
        ("time,X,x,x [cm],y\n0,0,0,0,0\n", "column 'x' appears twice"),
        ("time;X;x;y\n0;0;0;0\n", "separate columns by commas"),
        ("0,0,0,0\n1,0,0,0\n", "the first line must name the columns"),
        ("time,X,x,y\n1,0,0,0\n0,0,0,0\n", "row 3: time must not decrease"),
        ("time,X,x,y\n0,00,0,00,0,10,0,02\n", "row 2 has 8 values, and the first line names 4 columns"),
        ("time,X,x,y\n0,0,0,0\n\n# a note\n0,1,0\n", "row 5 has 3 values"),
    ):
        file = tmp_path / "bad.csv"
        file.write_text(text)
        with pytest.raises(ValueError, match=words):
            gaits.from_midline(file)
