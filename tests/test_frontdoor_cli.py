"""The command line, end to end."""

import runpy
import subprocess
import sys
import warnings

import pytest
import xarray as xr

import anguilla
from anguilla import program_cache
from anguilla.cli import main
from anguilla.commands import VERBS, deferred
from anguilla.commands.outputs import Outputs, remove_pictures

TINY = ["--t1", "0.2", "--samples", "5", "--rtol", "1e-4", "--fps", "10", "--width", "320"]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    """The tests keep their own compiled programs."""
    monkeypatch.setenv("ANGUILLA_CACHE", "off")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--gait", "crawl"], "--gait"),
        (["--t1", "-1"], "--t1"),
        (["--t1", "nan"], "--t1"),
        (["--t1", "soon"], "--t1"),
        (["--samples", "1"], "--samples"),
        (["--samples", "2.5"], "--samples"),
        (["--rtol", "0"], "--rtol"),
        (["--period", "0"], "--period"),
        (["--fluid", "oil"], "--fluid"),
        (["--added-mass", "other"], "--added-mass"),
        (["--fluid", "void", "--added-mass", "paper"], "--added-mass"),
        (["--fps", "1000"], "--fps"),
        (["--width", "20"], "--width"),
        (["--width", "10000"], "--width"),
        (["--heading", "north"], "--heading"),
        (["--heading", "400"], "--heading"),
        (["--depth", "inf"], "--depth"),
        (["--gait", "turn", "--heading", "45"], "--heading"),
        (["--fluid", "void", "--depth", "1"], "--depth"),
        (["--colour", "speed"], "--colour: 'speed': must be one of internal_moment, internal_force, strain"),
        (["--colour", "strain:K4"], "--colour: component 'K4' of 'strain': must be one of G1, G2"),
        (["--colour", "fluid_drag", "--fluid", "void"], "--colour"),
        (["--colour", "elastic_density"], "--colour"),
        (["--colour", "elastic_density:x", "--tail-stiffness", "1e5"], "--colour: component 'x'"),
    ],
)
def test_bad_arguments_exit_with_2_and_are_named(arguments, named, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["swim", "--out", str(tmp_path), *arguments])
    assert stop.value.code == 2
    assert f"argument {named}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_out_is_required_and_must_be_a_directory(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["swim", "--gait", "planar"])
    assert stop.value.code == 2
    assert "--out" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as stop:
        main(["swim", "--out", str(tmp_path / "file" / "below")])
    assert stop.value.code == 2
    assert "argument --out" in capsys.readouterr().err


@pytest.mark.slow
def test_swim_with_feedback_records_and_draws_the_loop(tmp_path, capsys):
    words = ["swim", "--heading", "45", "--depth", "1", "--out", str(tmp_path), "--no-animation", *TINY]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "to hold 45.00 deg" in shown and "to hold 1.000 m" in shown
    assert (tmp_path / "planar_feedback_loop.png").stat().st_size > 10_000
    run = anguilla.load(tmp_path / "planar.nc")
    assert list(run["channel"].values) == ["offset_K3", "offset_K2", "roll_wave"]
    assert run["sensed_depth"].attrs["units"] == "m" and run["sensed_heading"].attrs["units"] == "rad"
    # The offset of K3 that turns left is negative, that of K2 which dives is positive.
    assert float(run["command"][-1, 0]) < 0.0 < float(run["command"][-1, 1])


def test_mp4_without_ffmpeg_is_refused_before_the_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as stop:
        main(["swim", "--out", str(tmp_path), "--film", "mp4"])
    assert stop.value.code == 2
    assert "argument --film" in capsys.readouterr().err


def test_vertebra_needs_a_swim(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["vertebra", str(tmp_path / "none.nc"), "--out", str(tmp_path)])
    assert stop.value.code == 2
    assert "argument SWIM.nc" in capsys.readouterr().err
    (tmp_path / "words.nc").write_text("no swim")
    assert main(["vertebra", str(tmp_path / "words.nc"), "--out", str(tmp_path)]) == 1
    assert "anguilla vertebra: failed" in capsys.readouterr().err


def test_vertebra_refuses_the_run_of_a_robot(tmp_path, capsys):
    run = xr.Dataset(coords={"time": [0.0, 1.0]}, attrs={"title": "anguilla: a robot"})
    anguilla.save(run, tmp_path / "eel.nc")
    assert main(["vertebra", str(tmp_path / "eel.nc"), "--out", str(tmp_path)]) == 1
    assert "eel.nc has no X: must be a record of `anguilla swim`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["swim", "--gate", "turn", "--out", "x"], "not understood: --gate turn; did you mean --gait?"),
        (["swim", "dive", "--out", "x"], "not understood: dive; did you mean --gait dive?"),
        (["robot", "eel", "--out=x", "--sample=9"], ""),  # the beginning of an option is enough
        (["robot", "moth", "--out", "x", "--section-count=9"], "did you mean --sections?"),
        (["sweep", "--out", "x", "fast"], "not understood: fast (`anguilla sweep --help` lists the options)"),
    ],
)
def test_misspelled_options_are_told_with_the_likely_one(words, hint, capsys, monkeypatch):
    monkeypatch.setattr("anguilla.commands.robot.run", lambda chosen: 0)
    if not hint:
        assert main(words) == 0
        return
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert hint in capsys.readouterr().err


def test_vertebra_reports_on_a_swim(tmp_path, capsys, monkeypatch):
    swim = xr.Dataset(coords={"time": [0.0, 1.0], "X": [0.0, 2.0]})
    swim.attrs = {"title": "anguilla: a test", "gait": "turn", "period": 0.5, "wavelength": 1.5}
    anguilla.save(swim, tmp_path / "turn.nc")
    asked = {}

    def report(dataset, out, *, layout, gait, attributes):
        asked.update(layout=layout, gait=gait, attributes=attributes)
        return {"feasible": True, "peak_torque_N_m": [1.0, 2.5]}

    monkeypatch.setattr("anguilla.robots.vertebra.figures.report", report)
    assert main(["vertebra", str(tmp_path / "turn.nc"), "--out", str(tmp_path), "--vertebrae", "8"]) == 0
    assert asked["layout"].count == 8 and float(asked["layout"].pitch) == 0.25
    assert asked["gait"](0.3, 0.2).shape == (6,)
    assert "--vertebrae 8" in asked["attributes"]["recipe"] and "versions" in asked["attributes"]["provenance"]
    printed = capsys.readouterr().out
    assert "feasible" in printed and "(1, 2.5)" in printed
    first = asked.pop("layout")
    assert main([f"@{tmp_path / 'vertebra.recipe'}", "--out", str(tmp_path / "again"), "--quiet"]) == 0
    assert asked["layout"].count == first.count


def test_warnings_show_their_text_only(tmp_path, capsys, monkeypatch):
    """No path and no line of source; one about modes names the option that sets them."""

    def warn_and_fail(*_, **__):
        with warnings.catch_warnings():  # pytest records warnings instead of showing them
            warnings.showwarning = lambda *about: print(warnings.formatwarning(*about[:4]), end="", file=sys.stderr)
            warnings.warn("the modes of the soft beam are few.", stacklevel=1)
            warnings.warn("something else.", stacklevel=1)
        raise RuntimeError("enough")

    before = warnings.formatwarning
    monkeypatch.setattr("cosserat.simulate", warn_and_fail)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["swim", "--out", str(tmp_path), "--quiet", *TINY]) == 1
    first, second, _ = capsys.readouterr().err.splitlines()
    assert first.startswith("warning: the modes of the soft beam are few. ") and "--tail-modes" in first
    assert second == "warning: something else." and warnings.formatwarning is before


def test_failed_run_exits_with_1(tmp_path, capsys, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("stopped after t = 0.1 s")

    monkeypatch.setattr("cosserat.simulate", fail)
    assert main(["swim", "--out", str(tmp_path), "--quiet", *TINY]) == 1
    assert "anguilla swim: failed: stopped after t = 0.1 s" in capsys.readouterr().err


def test_pictures_of_an_earlier_run_are_removed_and_nothing_else(tmp_path):
    """Also those of a run that failed while it drew; a changed recipe removes nothing."""
    data = xr.Dataset(coords={"time": [0.0, 1.0]}, attrs={"title": "anguilla: a test"})
    first = Outputs(tmp_path, "planar", ["swim"])
    first.start(data)
    for name in ("planar.gif", "planar_power.png", "planar_0000.vtp", "planar.pvd"):
        (tmp_path / name).write_text(f'file="planar_0000.vtp" of {name}')
    for name in ("planar.gif", "planar_power.png", "planar.pvd"):
        first.add(tmp_path / name)
    (tmp_path / "planar_power.png").write_text("edited")
    (tmp_path / "planar_0001.vtp").write_text("not of the run")
    second = Outputs(tmp_path, "planar", ["swim"])
    second.start(data)
    names = {"planar.nc", "planar.recipe", "planar_power.png", "planar_0001.vtp"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert second.lines()[-1].endswith("planar_power.png: of an earlier run, changed since")
    second.add(tmp_path / "planar_0001.vtp")
    (tmp_path / "planar.recipe").write_text((tmp_path / "planar.recipe").read_text() + "# by hand\n")
    assert remove_pictures(tmp_path / "planar.recipe") == [] and (tmp_path / "planar_0001.vtp").exists()


@pytest.mark.parametrize("arguments", [["--help"], *([verb, "--help"] for verb in VERBS)])
def test_help_teaches_with_examples(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "anguilla swim --gait planar --t1 10 --out out" in printed or arguments[0] != "swim"
    assert "exit codes" in printed


def test_recipe_that_is_not_there_or_not_understood(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main([f"@{tmp_path / 'none.recipe'}", "--out", str(tmp_path)])
    assert end.value.code == 2 and "none.recipe" in capsys.readouterr().err
    (tmp_path / "old.recipe").write_text("# by hand\nswim\n--gait planar --tail 3\n")
    with pytest.raises(SystemExit) as end:
        main([f"@{tmp_path / 'old.recipe'}", "--out", str(tmp_path)])
    assert end.value.code == 2 and "--tail" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert anguilla.__version__ in capsys.readouterr().out


def test_cache_directory_follows_the_environment(monkeypatch, tmp_path):
    assert program_cache.cache_directory() is None
    monkeypatch.setenv("ANGUILLA_CACHE", str(tmp_path / "mine"))
    assert program_cache.cache_directory() == tmp_path / "mine"
    monkeypatch.delenv("ANGUILLA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert program_cache.cache_directory() == tmp_path / "anguilla"


def test_cache_that_cannot_be_made_is_told(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ANGUILLA_CACHE", str(tmp_path / "file" / "cache"))
    assert program_cache.switch_on() is None
    assert "no compilation cache" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("module", ["anguilla", "anguilla.cli"])
def test_both_modules_run_the_command_line(module, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["anguilla", "--version"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module(module, run_name="__main__", alter_sys=False)
    assert stop.value.code == 0
    assert anguilla.__version__ in capsys.readouterr().out


@pytest.mark.slow
def test_swim_with_a_passive_tail(tmp_path, capsys):
    """The tail's modes move and store energy, and the recipe says how soft it was."""
    words = ["--tail-stiffness", "1e5", "--tail-start", "1.4", "--tail-modes", "2"]
    assert main(["swim", "--gait", "planar", "--out", str(tmp_path), *TINY, *words]) == 0
    swim = anguilla.load(tmp_path / "planar.nc")
    assert swim.sizes["mode"] == 4 and abs(swim.modes).max() > 0.0
    assert swim.elastic_energy.isel(time=-1) > 0.0
    assert _fields(swim) == deferred.COLOURS | deferred.WATER_COLOURS | deferred.SOFT_COLOURS
    assert ", free strains " in capsys.readouterr().out  # their estimated error
    assert "--tail-stiffness" in (tmp_path / "planar.recipe").read_text()


def _fields(swim):
    """Fields along a beam that can colour a film, with the names of their components."""
    found = {str(name): v for name, v in swim.data_vars.items() if v.dims[:2] == ("time", "X") and v.ndim <= 3}
    return {name: tuple(map(str, v[v.dims[2]].values)) if v.ndim == 3 else () for name, v in found.items()}


def test_choices_of_the_options_are_those_of_the_engines():
    import cosserat
    import gaits
    import hydro
    from anguilla.commands import swim
    from anguilla.robots import moth, registry, robot
    from anguilla.studies import gait_search

    assert tuple(gaits.PUBLISHED) == deferred.GAITS
    assert hydro.FORMS == deferred.FORMS
    assert robot.FLUIDS == deferred.FLUIDS
    assert robot.TERRAINS == deferred.TERRAINS
    assert gait_search.GOALS == deferred.GOALS
    assert tuple(moth.READINGS) == deferred.READINGS
    assert {name: machine.help for name, machine in registry.ROBOTS.items()} == deferred.ROBOTS
    assert float(cosserat.eel().length) == swim.LENGTH
    for fluid, more in ((hydro.Void(), {}), (hydro.Morison(), deferred.WATER_COLOURS)):
        run = cosserat.simulate(cosserat.eel(), gaits.planar(), fluid, t1=0.05, samples=2, rtol=1e-3, progress=False)
        assert _fields(run) == deferred.COLOURS | more


@pytest.mark.parametrize(
    "words",
    [["--version"], ["--help"], *([verb, "--help"] for verb in VERBS), ["swim", "--gait", "fly"], ["robot", "x"]],
    ids=" ".join,
)
def test_help_and_bad_arguments_import_no_engine(words):
    """JAX alone takes longer to import than the 0.5 s in which they must answer."""
    script = (
        "import sys; from anguilla.cli import main\n"
        f"try: main({words!r})\n"
        "except SystemExit: pass\n"
        "print(sorted({'jax', 'numpy', 'matplotlib', 'xarray'} & set(sys.modules)), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stderr.splitlines()[-1] == "[]"
