"""One swim from the command line to its files, and what can be read from them."""

import contextlib
import io
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from PIL import Image

import anguilla
from anguilla.cli import main
from anguilla.commands.recipe import damage
from gaits.search.file_locks import claimed

FIGURES = (
    "configurations",
    "head_velocity",
    "internal_moment",
    "internal_wrench",
    "space_time",
    "power",
    "fluid_forces",
)
TINY = ["--t1", "0.2", "--samples", "5", "--rtol", "1e-4", "--fps", "10", "--width", "320"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> SimpleNamespace:
    """A very short swim in space through the command line: its files and its words."""
    out, words = tmp_path_factory.mktemp("swim") / "deep" / "out", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(words):
        patch.setenv("ANGUILLA_CACHE", "off")
        code = main(["swim", "--gait", "spiral", "--out", str(out), "--still", str(out / "still.png"), *TINY])
    return SimpleNamespace(code=code, out=out, words=words.getvalue())


@pytest.fixture(scope="module")
def swim(run) -> xr.Dataset:
    """What that swim recorded."""
    return anguilla.load(run.out / "spiral.nc")


def test_swim_writes_what_it_says(run, swim):
    assert run.code == 0
    names = {path.name for path in run.out.iterdir()}
    assert names == {
        "spiral.nc",
        "spiral.recipe",
        "spiral.gif",
        "still.png",
        *(f"spiral_{name}.png" for name in FIGURES),
    }
    for name in names:
        assert name in run.words
    for word in ("mean speed", "distance", "estimated error n ", "|n(L)|", "|M(L)|", "power identity", "wall time"):
        assert word in run.words
    assert swim.attrs["gait"] == "spiral"
    assert swim.sizes["time"] == 5
    assert float(swim["time"][-1]) == pytest.approx(0.2)
    with Image.open(run.out / "spiral.gif") as film:
        assert film.n_frames == 3


def test_recipe_makes_the_run_again_bit_for_bit(run, swim, tmp_path):
    """From the file alone; an option after it overrides. Pictures of the earlier run are removed."""
    shutil.copytree(run.out, tmp_path, dirs_exist_ok=True)
    (tmp_path / "spiral_mine.png").write_text("a file of the user's")
    (tmp_path / "spiral_power.png").write_text("a figure that the user has edited")
    words = [f"@{run.out / 'spiral.recipe'}", "--out", str(tmp_path), "--no-figures", "--no-animation", "--quiet"]
    assert main(words) == 0
    left = {"spiral.nc", "spiral.recipe", "still.png", "spiral_mine.png", "spiral_power.png"}
    assert {path.name for path in tmp_path.iterdir()} == left
    again, other = anguilla.load(tmp_path / "spiral.nc"), {"date": "", "recipe": ""}
    xr.testing.assert_identical(again.assign_attrs(other), swim.assign_attrs(other))
    before, after = ((out / "spiral.recipe").read_text().splitlines() for out in (run.out, tmp_path))
    options = lambda lines: {line for line in lines if not line.startswith("#")}  # noqa: E731
    assert options(after) - options(before) == {"--no-figures", "--no-animation"} and options(before) < options(after)
    assert again.attrs["recipe"].splitlines() == after[1:] and after[0].startswith("# sha256 ")


def test_recipe_writes_what_was_not_given(run):
    lines = (run.out / "spiral.recipe").read_text().splitlines()
    assert {"--added-mass paper", "--samples 5", "--rtol 0.0001", "--atol 1e-08", "--period 1.0"} <= set(lines)
    absent = next(line for line in lines if line.startswith("# off"))
    assert {"--no-figures", "--interactive", "--vtk"} <= set(absent.split())


def test_damaged_recipes_are_refused(run, tmp_path, capsys):
    """Cut anywhere after its first line, or edited; an edited recipe runs without its checksum. Flips: `bit_flips`."""
    whole, path = (run.out / "spiral.recipe").read_bytes(), tmp_path / "a.recipe"
    for end in range(whole.index(b"\n"), len(whole)):
        path.write_bytes(whole[:end])
        assert damage(path) is not None
    path.write_bytes(whole.replace(b"--period 1.0", b"--period 1.1"))
    with pytest.raises(SystemExit) as end:
        main([f"@{path}", "--out", str(tmp_path)])
    assert end.value.code == 2 and "changed since it was written" in capsys.readouterr().err
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[1:]))
    assert damage(path) is None


def test_two_runs_of_one_name_do_not_mix(tmp_path, capsys):
    with claimed(tmp_path / "spiral"):
        assert main(["swim", "--gait", "spiral", "--out", str(tmp_path), *TINY]) == 1
    assert "another run is writing it" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_quiet_run_in_the_void_says_nothing(swim, tmp_path, capsys, monkeypatch):
    dry = swim.drop_vars([name for name in swim if name.startswith(("fluid_", "nose_"))])
    monkeypatch.setenv("ANGUILLA_CACHE", "off")
    monkeypatch.setattr("cosserat.simulate", lambda *_, **__: dry)
    monkeypatch.setattr("anguilla.view.energy_rate.with_energy_rate", lambda dataset, *_: dataset)
    assert main(["swim", "--fluid", "void", "--quiet", "--no-animation", "--out", str(tmp_path), *TINY]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == ""
    assert (tmp_path / "planar.nc").exists()
    assert not (tmp_path / "planar.gif").exists()
    assert not (tmp_path / "planar_fluid_forces.png").exists()


def test_round_trip_keeps_values_units_and_types(swim, tmp_path):
    back = anguilla.load(anguilla.save(swim, tmp_path / "deep" / "swim.nc"))
    xr.testing.assert_identical(back, swim)
    for name in (*swim.data_vars, *swim.coords):
        assert back[name].dtype.kind == swim[name].dtype.kind, name
        assert back[name].attrs == swim[name].attrs, name
    assert back["position"].dtype == np.float64
    assert back["time"].dtype == np.float64 and back["time"].attrs["units"] == "s"
    assert {key: type(value) for key, value in back.attrs.items()}.keys() == swim.attrs.keys()
    assert list((tmp_path / "deep").iterdir()) == [tmp_path / "deep" / "swim.nc"]


def test_save_replaces_an_older_file(swim, tmp_path):
    path = tmp_path / "swim.nc"
    anguilla.save(swim, path)
    anguilla.save(swim.isel(time=slice(0, 3)), path)
    assert anguilla.load(path).sizes["time"] == 3


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.nc: no such file"):
        anguilla.load(tmp_path / "nothing.nc")


def test_file_that_is_not_netcdf_is_refused(tmp_path):
    (tmp_path / "words.nc").write_text("not a result")
    with pytest.raises(ValueError, match="words.nc: not a readable NetCDF-4 file"):
        anguilla.load(tmp_path / "words.nc")


def test_file_of_someone_else_is_refused(tmp_path):
    xr.Dataset({"a": ("b", [1.0, 2.0])}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(ValueError, match="other.nc: has no checksum"):
        anguilla.load(tmp_path / "other.nc")
    with pytest.raises(ValueError, match="other.nc: not a result of this toolkit"):
        anguilla.load(tmp_path / "other.nc", verify=False)
    with pytest.raises(ValueError, match="not a result"):
        anguilla.save(xr.Dataset(), tmp_path / "empty.nc")


POWER_TOLERANCE = 1e-5  # W: quadrature of |V|V over panels that do not split at its kinks


def test_power_identity_with_the_exact_rate(swim):
    summary = anguilla.summarise(swim)
    assert summary.identity_exact
    assert summary.identity < POWER_TOLERANCE
    assert float(swim["actuator_power"].max()) > 1e3 * POWER_TOLERANCE


def test_summary_says_what_surrounds_the_body(swim):
    assert anguilla.summarise(swim).lines()[0] == "surroundings    Morison, added mass of the paper"
    energy = swim.assign_attrs(added_mass="kirchhoff")
    assert anguilla.summarise(energy).lines()[0] == "surroundings    Morison, added mass of Kirchhoff"
    for fluid, words in (("Void", "in vacuum"), ("Weight", "in vacuum, with weight")):
        bare = swim.assign_attrs(fluid=fluid, added_mass="none")
        assert f"surroundings    {words}" in anguilla.summarise(bare).lines()


def test_summary_says_whether_the_speed_still_changes(swim):
    time = swim["time"].values[:, None]
    faster = swim.assign(centre_of_mass=(("time", "axis"), np.array([-1.0, 0.0, 0.0]) * time**2))
    summary = anguilla.summarise(faster, period=0.1)  # mean speeds 0.3 and 0.1 m/s in [0.1, 0.2] and [0, 0.1] s
    assert summary.speed == pytest.approx(0.3) and summary.speed_before == pytest.approx(0.1)
    assert "still changing: 0.1000 m/s in the 0.1 s before" in str(summary)
    assert anguilla.summarise(faster, period=0.15).speed_before is None
    steady = swim.assign(centre_of_mass=(("time", "axis"), np.array([-1.0, 0.0, 0.0]) * time))
    assert "still changing" not in str(anguilla.summarise(steady, period=0.1))
    still = swim.assign(centre_of_mass=(("time", "axis"), 1e-16 * np.array([-1.0, 0.0, 0.0]) * time**2))
    assert "still changing" not in str(anguilla.summarise(still, period=0.1))


def test_summary_gives_the_estimated_errors(swim):
    """Those of the second grid, not the tail residual, which shares the quadrature of n and M."""
    summary = anguilla.summarise(swim)
    assert summary.force_error == swim.attrs["space_error_force"]
    line = next(line for line in summary.lines() if line.startswith("estimated error"))
    assert f"n {summary.force_error:.0e}, M {summary.moment_error:.0e}, power {summary.power_error:.0e}" in line
    bare = swim.copy()
    bare.attrs = {k: v for k, v in swim.attrs.items() if not k.startswith("space_error")}
    assert any("not estimated for this space path" in line for line in anguilla.summarise(bare).lines())


def test_summary_without_the_exact_rate_says_so(swim):
    summary = anguilla.summarise(swim.drop_vars("energy_rate"))
    assert not summary.identity_exact
    share = summary.identity / float(abs(swim["actuator_power"]).max())
    words = (
        f"residual <= {summary.identity:.1e} W, {share:.0e} of the peak power (energy differenced between output times"
    )
    assert words in summary.lines()[-1] and "more samples" in summary.lines()[-1]
    assert any("differenced" in line for line in summary.lines())


def test_summary_of_a_steady_translation(swim):
    velocity = np.array([-0.3, 0.4, 0.0])
    centre = swim["time"].values[:, None] * velocity
    moved = swim.assign(centre_of_mass=(("time", "axis"), centre))
    summary = anguilla.summarise(moved, period=0.1)
    assert summary.speed == pytest.approx(0.5, rel=1e-12)
    assert summary.distance == pytest.approx(0.5 * 0.2, rel=1e-12)
    assert summary.window == 0.1
    assert anguilla.summarise(moved, period=7.0).window == pytest.approx(0.2)
    with pytest.raises(ValueError, match="period = -1"):
        anguilla.summarise(moved, period=-1.0)


IMPORTS = """
import sys, jax
import {package}
import matplotlib
assert jax.config.jax_enable_x64 is {x64}, jax.config.jax_enable_x64
assert "matplotlib.pyplot" not in sys.modules
assert matplotlib.rcParams._get_backend_or_none() is None
"""


@pytest.mark.parametrize(("package", "x64"), [("anguilla", True), ("cosserat", False)])
def test_only_the_front_door_switches_precision(package, x64):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS.format(package=package, x64=x64)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_version_is_that_of_the_distribution():
    assert anguilla.__version__.count(".") >= 2
