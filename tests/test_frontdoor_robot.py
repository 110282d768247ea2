"""`anguilla robot` end to end, its figures, and the study of beam against chain."""

import numpy as np
import pytest
import xarray as xr
from PIL import Image

import anguilla
import validation.beam_against_chain as study
from anguilla import view
from anguilla.cli import main
from anguilla.robots.eel.tree import EEL_TORQUE_LIMITS
from anguilla.robots.loop_record import loop_of, with_loop
from anguilla.robots.registry import ROBOTS
from anguilla.robots.robot import Settings
from anguilla.robots.summary_lines import mean_speed, power_lines, torque_lines

pytestmark = pytest.mark.slow

TINY = ["--t1", "0.4", "--samples", "9", "--rtol", "1e-4", "--fps", "10", "--width", "320"]
FIGURES = ("trajectory", "configurations", "head_velocity", "torques", "joints", "power")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One tiny run of the eel: its directory, what it printed, its dataset."""
    out = tmp_path_factory.mktemp("robot") / "new"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANGUILLA_CACHE", "off")
        lines = []
        patch.setattr("builtins.print", lambda *words, **_: lines.append(" ".join(map(str, words))))
        assert main(["robot", "eel", "--out", str(out), *TINY]) == 0
    return out, "\n".join(lines), anguilla.load(out / "eel.nc")


def labelled(figure):
    """Every axis system says what it shows and in what unit."""
    for ax in figure.axes:
        words = [ax.get_xlabel(), ax.get_ylabel()]
        assert any("[" in text and "]" in text for text in words), words
        assert all("[" in text for text in words if text), words


def test_files_and_summary(ran):
    out, printed, _ = ran
    expected = {"eel.nc", "eel.recipe", "eel.gif", *(f"eel_{name}.png" for name in FIGURES)}
    assert {path.name for path in out.iterdir()} == expected
    for words in ("mean speed", "distance", "peak torques", "limit", "power identity", "files", "wall time"):
        assert words in printed
    with Image.open(out / "eel.gif") as film:
        assert film.size[0] == 320 and getattr(film, "n_frames", 1) == 5


def test_the_dataset_tells_its_units_and_keeps_its_power_budget(ran):
    dataset = ran[2]
    assert dataset.attrs["robot"] == "eel" and dataset.sizes["time"] == 9
    np.testing.assert_array_equal(dataset["torque_limit"], EEL_TORQUE_LIMITS)
    assert all("units" in values.attrs for values in dataset.data_vars.values())
    size = np.abs(dataset["actuator_power"]).max()
    # Accelerations, torques and the rate of energy are found apart: round-off of 36 joints.
    assert np.abs(view.identity_residual(dataset)).max() < 1e-11 * size


def test_figures_are_labelled_and_space_is_not_distorted(ran):
    figures = ROBOTS["eel"].figures(ran[2])
    assert tuple(figures) == FIGURES
    for name, draw in figures.items():
        figure = draw()
        labelled(figure)
        if name in ("trajectory", "configurations"):
            assert figure.axes[0].get_aspect() == 1.0
    panels = figures["torques"]().axes[:3]
    dashed = [[line for line in ax.get_lines() if line.get_linestyle() == "--"] for ax in panels]
    drawn = [{float(np.abs(np.asarray(line.get_ydata())[0])) for line in lines} for lines in dashed]
    assert drawn == [{4.0}, {4.0}, {0.7}]


def test_the_skin_is_made_of_rigid_links(ran):
    """Straight links of the published lengths, continuous at the joints, backs all on one side."""
    body = ROBOTS["eel"].body(ran[2])
    X, place = body["X"].values, body["position"].values
    assert abs(X[-1] - 2.08) < 1e-5 and np.all(np.diff(X) > 0)
    assert float(body["semiaxis_b"].max()) == pytest.approx(0.065) and float(body["semiaxis_c"].max()) == 0.09
    steps = np.linalg.norm(np.diff(place, axis=1), axis=2)
    np.testing.assert_allclose(steps, np.broadcast_to(np.diff(X), steps.shape), atol=1e-6)
    turns = body["orientation"].values
    along = np.abs(np.sum(turns[:, 1:] * turns[:, :-1], axis=2))
    assert along.min() > 0.99  # no link is rolled against the next
    np.testing.assert_allclose(place[0, :, 0], X, atol=1e-6)
    np.testing.assert_allclose(place[:, 0], ran[2]["head_position"], atol=1e-6)


def test_numbers_in_words(ran):
    dataset = ran[2]
    time = np.linspace(0.0, 6.0, 61)
    steady = xr.Dataset({"centre_of_mass": (("time", "axis"), np.outer(time, [-0.3, 0.4, 0.0]))}, {"time": time})
    assert mean_speed(steady, 2.0) == (pytest.approx(0.5), 2.0)
    above = dataset.assign(torque=dataset["torque"] + 5.0)
    line = torque_lines(above, {"yaw": ["yaw1", "yaw2"]}, start=0.0)[0]
    assert line.startswith("peak torques    yaw") and "of 4 N m" in line and "within" not in line
    dry = dataset.drop_vars([name for name in dataset.data_vars if str(name).startswith("fluid_")])
    assert "momentum" in power_lines(dry, 2.0)[-1] and "momentum" not in power_lines(dataset, 2.0)[-1]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["cow"], "ROBOT"),
        (["eel", "--t1", "0"], "--t1"),
        (["eel", "--fluid", "void", "--added-mass", "paper"], "--added-mass"),
        (["eel", "--added-mass", "other"], "--added-mass"),
        (["eel", "--samples", "1"], "--samples"),
        (["eel", "--gaze"], "--gaze: only valid for natrix"),
        (["natrix", "--gaze", "--fluid", "void"], "--gaze: needs water"),
        (["moth", "--balance"], "--balance: only valid for rower"),
        (["rower", "--gust"], "--gust: only valid for moth"),
    ],
)
def test_bad_arguments_exit_with_2_and_are_named(arguments, named, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["robot", *arguments, "--out", str(tmp_path)])
    assert stop.value.code == 2
    assert f"argument {named}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_help_names_every_robot(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["robot", "--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "examples:" in printed and all(f"anguilla robot {name}" in printed for name in ROBOTS)


def test_a_loop_beside_the_record_is_stored_and_drawn():
    """Times of its own; found again as a record with readings and a command, of which the figure has a row each."""
    main_record = xr.Dataset({"height": ("time", np.zeros(3))}, {"time": np.arange(3.0)})
    t = np.linspace(0.0, 2.0, 11)
    sensed = {"roll": (np.exp(-t), "rad")}
    both = with_loop(main_record, "balance", t, sensed, np.stack([t, -t], axis=1), ("left", "right"), "rad")
    alone = loop_of(both, "balance")
    np.testing.assert_array_equal(alone["time"], t)
    np.testing.assert_array_equal(alone["sensed_roll"], np.exp(-t))
    assert alone["channel"].values.tolist() == ["left", "right"] and alone["sensed_roll"].units == "rad"
    assert both.sizes["time"] == 3 and "command" not in both
    figure = view.feedback_loop(alone, {"roll": 0.0})
    assert ["roll" in figure.axes[0].get_ylabel(), "command" in figure.axes[1].get_ylabel()] == [True, True]


def test_unknown_fluid_is_refused():
    with pytest.raises(ValueError, match="fluid = 'oil'"):
        Settings(t1=1.0, samples=2, fluid="oil").medium()


def test_beam_against_chain_is_computed_printed_and_drawn(monkeypatch):
    """One case with few links; the orders of all four are in the tests of the comparator."""
    monkeypatch.setattr(study, "GAITS", {"spiral": study.GAITS["spiral"]})
    monkeypatch.setattr(study, "FLUIDS", {"vacuum": study.FLUIDS["vacuum"]})
    found = study.beam_against_chain((13, 26), times=(0.7, 2.3))
    assert abs(float(found["order"].item()) - 2.0) < 0.1
    words = study.table(found)
    assert "N = 13" in words and "spiral gait, vacuum" in words
    figure = view.beam_against_chain(found)
    labelled(figure)
    assert figure.axes[0].get_xscale() == "log" and figure.axes[0].get_yscale() == "log"
    with pytest.raises(ValueError, match="at least two increasing numbers"):
        study.beam_against_chain((13,))
