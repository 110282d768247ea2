"""The labelled simulation: contents, units, failures, refusals."""

import diffrax
import jax
import jax.numpy as jnp
import jaxtyping
import numpy as np
import pytest
import xarray as xr

import cosserat
import gaits
import hydro

pytestmark = pytest.mark.slow

BEAM, FLUID, GAIT = cosserat.eel(), hydro.Morison(), gaits.spiral()


@pytest.fixture(scope="module")
def swim():
    return cosserat.simulate(BEAM, GAIT, FLUID, 1.0, samples=6, stations=21, progress=False)


def test_every_variable_has_a_unit_and_a_meaning(swim):
    for name, variable in swim.variables.items():
        if variable.dtype.kind == "f":
            assert variable.attrs["units"] and variable.attrs["long_name"], name
    for name in swim.data_vars:
        assert np.isfinite(swim[name]).all(), name


def test_the_dataset_agrees_with_the_functions_it_comes_from(swim):
    k = 4
    state = cosserat.HeadState(swim.head_position[k].values, swim.head_quaternion[k].values, swim.head_twist[k].values)
    fields = cosserat.internal_wrench(BEAM, GAIT, FLUID, state, float(swim.time[k]), stations=swim.X.values)
    for name, value in (
        ("internal_force", fields.force_w),
        ("internal_moment", fields.moment),
        ("position", fields.position_w),
        ("fluid_drag", fields.fluid["drag"]),
        ("fluid_added_mass", fields.fluid["added_mass"]),
        ("nose_drag", fields.nose["nose_drag"]),
    ):
        assert np.allclose(swim[name][k], value, rtol=1e-9, atol=1e-11), name


def test_quaternions_are_unit(swim):
    assert np.abs(np.linalg.norm(swim.head_quaternion, axis=-1) - 1).max() < 1e-15
    assert np.abs(np.linalg.norm(swim.orientation, axis=-1) - 1).max() < 1e-14


def test_netcdf_round_trip(swim, tmp_path):
    swim.to_netcdf(tmp_path / "swim.nc", engine="h5netcdf")
    back = xr.load_dataset(tmp_path / "swim.nc", engine="h5netcdf")
    xr.testing.assert_identical(back, swim)


def test_dense_output_passes_through_the_samples():
    run = cosserat.rollout(BEAM, GAIT, FLUID, 1.0, samples=6, dense=True)
    state = run.state_at(run.time[3])
    assert np.abs(state.twist - run.twist[3]).max() < 1e-12
    with pytest.raises(ValueError, match="dense=True"):
        cosserat.rollout(BEAM, GAIT, FLUID, 1.0, samples=6).state_at(0.5)


def test_new_numbers_do_not_compile_again(caplog):
    """Another time, gait, body or water of the same make runs the program that is there."""

    def run(x):
        beam, gait = cosserat.eel(radius=0.07 + 0.001 * x), gaits.spiral(offset2=0.1 * x)
        cosserat.head_acceleration(beam, gait, hydro.Morison(1000.0 + x), cosserat.HeadState(), 0.1 * x)
        cosserat.rollout(beam, gait, hydro.Morison(1000.0 + x), 0.05 + 0.01 * x, samples=3)

    run(1.0)
    with caplog.at_level("WARNING"), jax.log_compiles():
        run(2.0)
    assert not [r for r in caplog.records if "Compiling" in r.getMessage() and "_integrate" in r.getMessage()]
    assert not [r for r in caplog.records if "Compiling" in r.getMessage() and "head_" in r.getMessage()]


def test_constant_steps_converge_at_the_order_of_the_solver():
    exact = cosserat.rollout(BEAM, GAIT, FLUID, 0.5, samples=2, rtol=1e-12, atol=1e-13, solver=diffrax.Dopri8())
    errors = []
    for dt0 in (0.05, 0.025):
        run = cosserat.rollout(
            BEAM, GAIT, FLUID, 0.5, samples=2, controller=diffrax.ConstantStepSize(), dt0=dt0, solver=diffrax.Heun()
        )
        errors.append(np.abs(np.asarray(run.twist[-1] - exact.twist[-1])).max())
    assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.3


def test_a_run_that_fails_says_when_and_why():
    def spins(X, t):
        return jnp.stack([1.0, 0, 0, 0, 0, jnp.sin(1.0 / (1e-3 + (t - 0.5) ** 2))])

    with pytest.raises(cosserat.SimulationError, match=r"stopped after t = 0\.\d.* of 1 s.*max_steps"):
        cosserat.simulate(BEAM, spins, FLUID, 1.0, samples=11, max_steps=200, progress=False)
    with pytest.raises(Exception, match="did not reach t1"):
        cosserat.rollout(BEAM, GAIT, FLUID, 5.0, samples=3, max_steps=5).twist.block_until_ready()


def test_a_coiled_body_gets_the_panels_it_needs():
    coil = gaits.planar_bending(gaits.Start(0.0, 0.1) * 9.0)  # 18 rad along 2 m
    with pytest.raises(cosserat.SimulationError, match="coils the body within one panel"):
        cosserat.simulate(BEAM, coil, FLUID, 0.2, samples=3, stations=5, path=cosserat.Panels(panels=1), progress=False)
    for path in (None, cosserat.Panels(panels=6, order=12)):
        fields = cosserat.internal_wrench(BEAM, coil, FLUID, cosserat.HeadState(), 0.2, path, [0.5, 1.0, 2.0])
        s = np.array([0.5, 1.0, 2.0])
        circle = np.stack([np.sin(9 * s), 1 - np.cos(9 * s), 0 * s], axis=1) / 9
        assert np.abs(fields.position_w - circle).max() < 1e-10


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: cosserat.eel(length=-2.0), "strictly increasing"),
        (lambda: cosserat.eel(density=-5.0), r"Beam\.density = -5\.0"),
        (lambda: cosserat.eel(radius=np.nan), "radius = nan"),
        (lambda: cosserat.rod(1.0, 0.1, 0.0), "c = 0.0: must be finite and positive"),
        (lambda: cosserat.Beam(BEAM.profile, load_panels=(1, 2)), "Beam.load_panels = .* 4 positive integers"),
        (lambda: cosserat.HeadState(quaternion=[1.0, 1.0, 0.0, 0.0]), r"quaternion = \[1\.0, 1\.0.*unit norm"),
        (lambda: cosserat.HeadState(position=[0.0, np.nan, 0.0]), "position = .*finite"),
        (
            lambda: cosserat.HeadState(twist=[0.0, 0.0, 0.0]),
            r"twist has shape \(3,\): must have shape \(6,\)",
        ),
        (lambda: cosserat.rollout(BEAM, GAIT, FLUID, 0.0), r"\(t0, t1\) = \[0\.0, 0\.0\]: must be strictly increasing"),
        (lambda: cosserat.rollout(BEAM, GAIT, FLUID, 1.0, samples=1), "samples = 1: must be an integer of at least 2"),
        (lambda: cosserat.rollout(BEAM, GAIT, FLUID, 1.0, rtol=-1e-6), r"rtol = -1e-06: must be finite and positive"),
        (lambda: cosserat.Panels(order=1), "Panels.order = 1"),
        (lambda: cosserat.simulate(BEAM, GAIT, FLUID, 1.0, stations=1, progress=False), "stations = 1"),
        (
            lambda: cosserat.head_acceleration(BEAM, lambda X, t: jnp.zeros(3), FLUID, cosserat.HeadState(), 0.0),
            r"gait returns shape \(3,\) at one \(X, t\): must be \(6,\)",
        ),
        (
            lambda: cosserat.head_acceleration(BEAM, gaits.planar, FLUID, cosserat.HeadState(), 0.0),
            "gait returns a Strain, not an array.*forget the parentheses",
        ),
        (
            lambda: cosserat.head_acceleration(BEAM, lambda X, t: [1.0] * 6, FLUID, cosserat.HeadState(), 0.0),
            "gait returns a list, not an array",
        ),
        (
            lambda: cosserat.head_acceleration(
                BEAM, lambda X, t: jnp.ones(6) * np.sin(X), FLUID, cosserat.HeadState(), 0.0
            ),
            "Write it with jax.numpy",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(Exception, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: cosserat.head_acceleration(BEAM, GAIT, "water", cosserat.HeadState(), 0.0),
        lambda: cosserat.head_acceleration(BEAM, "swim", FLUID, cosserat.HeadState(), 0.0),
        lambda: cosserat.rollout(BEAM, GAIT, FLUID, 1.0, state=[0.0, 0.0, 0.0]),
        lambda: cosserat.rollout(BEAM, GAIT, FLUID, 1.0, path="fast"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(call):
    with pytest.raises((ValueError, jaxtyping.TypeCheckError), match="must be|parameter"):
        call()


@pytest.mark.parametrize("times", [[0.5, 0.2], [0.5, 2.0], [-1.0, 0.5]])
def test_output_times_outside_the_run_are_refused(times):
    with pytest.raises(Exception, match="times"):
        cosserat.rollout(BEAM, GAIT, FLUID, 1.0, times=times).twist.block_until_ready()


SPEED = 1.0


def test_a_gait_that_reads_a_changed_global_is_compiled_anew(monkeypatch):
    """JAX keeps programs by the identity of the function: the second run would show the first one's motion."""
    gait = lambda X, t: jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, SPEED * jnp.sin(4.0 * X - 6.0 * t)])  # noqa: E731
    given = lambda k: lambda X, t: jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, k * jnp.sin(4.0 * X - 6.0 * t)])  # noqa: E731
    beam = cosserat.eel()
    found = []
    for speed in (1.0, 2.0):
        monkeypatch.setitem(globals(), "SPEED", speed)
        runs = [cosserat.rollout(beam, one, hydro.Void(), 0.1, samples=2) for one in (gait, given(speed))]
        places = [cosserat.markers(beam, one, run, [2.0]) for one, run in zip((gait, given(speed)), runs, strict=True)]
        np.testing.assert_array_equal(runs[0].position, runs[1].position)
        np.testing.assert_array_equal(*places)
        found.append(places[0])
    assert np.max(np.abs(found[0] - found[1])) > 0.1
