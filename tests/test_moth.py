"""The moth hovers: orbit, weight, energy, published numbers, multipliers, derivatives, pictures, refusals."""

import jax.numpy as jnp
import numpy as np
import pytest

from anguilla.cli import main
from anguilla.robots.moth import (
    TABLE,
    Figures,
    MothParameters,
    accounts,
    drifting_guess,
    entry as door,
    flight,
    floquet,
    hover,
    hover_figures,
    least_power,
    parameters_of,
    published_lines,
    sensitivity,
    stroke_map,
    table_of,
)
from anguilla.robots.moth.asymmetric_hover import _stroke
from anguilla.robots.moth.drawing import wing_surface
from anguilla.robots.moth.film import moth_film
from anguilla.robots.moth.stiffness_design import STIFFNESS
from anguilla.robots.registry import ROBOTS
from anguilla.robots.robot import Settings

pytestmark = pytest.mark.slow

COARSE = 100  # steps of a stroke, for what does not depend on their number

# Computed independently of this code, to the digits given.
TB8 = {
    "amplitude": (42.4, 0.05, np.pi / 180),
    "forward": (2.78, 0.005, 1e-3),
    "upward": (0.33, 0.005, 1e-3),
    "pitch": (6.4, 0.05, np.pi / 180),
    "twist": (55, 0.5, np.pi / 180),
    "twist_lag": (76, 0.5, np.pi / 180),
    "bend": (58, 0.5, np.pi / 180),
    "bend_lag": (70, 0.5, np.pi / 180),
    "torque": (15.5, 0.05, 1e-3),
    "power": (0.745, 0.0005, 1.0),
    "specific_power": (204, 0.5, 1.0),
}


@pytest.fixture(scope="module")
def found():
    """The hover of the default reading, from nothing but the machine itself; its stroke and its accounts."""
    hovering = hover(flight())
    return hovering, *accounts(hovering)


@pytest.fixture(scope="module")
def coarse(found):
    """The same hover with few steps, which the compiled programs of the first one serve as well."""
    return hover(flight(steps=COARSE), found[0].unknowns)


@pytest.fixture(scope="module")
def multipliers(coarse):
    return floquet(coarse)


def test_hover_repeats_carries_its_weight_and_spends_what_it_loses(found):
    hovering, means, run = found
    assert float(hovering.residual) < 1e-10
    assert abs(float(means.weight_defect)) < 1e-8
    assert abs(float(means.energy_defect)) < 1e-6
    assert abs(float(means.lift_power)) < 1e-12 and abs(float(means.convective_power)) < 1e-12
    # After a whole stroke it is where and as it was, though only half a stroke was solved for.
    assert np.abs(run.position[-1] - run.position[0]).max() < 1e-10
    assert np.abs(run.twist[-1] - run.twist[0]).max() < 1e-8
    free = hovering.flight.tree.passive_freedoms
    assert np.abs(run.joints[-1] - run.joints[0])[free].max() < 1e-10
    assert np.abs(run.position[:, 0]).max() < 1e-15  # the plane of symmetry is kept


@pytest.fixture(scope="module")
def ours(found):
    return hover_figures(*found)


@pytest.mark.parametrize("name", TB8)
def test_default_reading_gives_the_known_figures(ours, name):
    value, tolerance, unit = TB8[name]
    assert abs(float(getattr(ours, name)) / unit - value) <= tolerance, getattr(ours, name)


def test_published_table_hides_nothing(ours):
    lines = published_lines({"TB8": ours, "again": ours})
    assert len(lines) == 1 + len(Figures.__dataclass_fields__) + 2
    assert "12.1" in lines[9] and lines[9].count("15.5") == 2


def test_multipliers_are_those_of_the_differenced_stroke(coarse, multipliers):
    n, h = multipliers.monodromy.shape[0], 1e-6
    steps = h * np.concatenate([np.eye(n), -np.eye(n)])
    moved = np.stack([stroke_map(coarse, jnp.asarray(row)) for row in steps])
    differenced = np.asarray((moved[:n] - moved[n:]) / (2 * h)).T
    known, ours = np.linalg.eigvals(differenced), np.asarray(multipliers.multipliers)
    for value in ours:
        if abs(value - 1) > 1e-3:  # the double roots at one are known to the root of the precision only
            assert np.abs(known - value).min() < 1e-5
    for kind, value in (("sagittal", 0.930 + 0.262j), ("lateral", None)):
        decisive = complex(multipliers.decisive(kind))
        assert abs(abs(decisive) - (0.977 if value is None else abs(value))) < 5e-4
    assert multipliers.stable
    assert sum(abs(value - 1) < 1e-4 for value in ours) == 4


def test_sensitivities_are_those_of_hovers_found_anew(found, coarse):
    hovering, means, _ = found
    parameters = MothParameters()
    assert abs(float(sensitivity(parameters, hovering).power) - float(means.motor_power[0])) < 1e-9
    slope = sensitivity(parameters, coarse)
    # A small difference: the loads have kinks, which a greater one steps over.
    k, h = TABLE.index("span"), 1e-6
    both = []
    for sign in (1, -1):
        numbers = parameters_of(table_of(parameters).at[k].multiply(1 + sign * h))
        near = hover(flight(parameters=numbers, steps=COARSE), coarse.unknowns)
        both.append((float(sensitivity(numbers, near).power), float(near.amplitude)))
    power, amplitude = (np.log(both[0][i] / both[1][i]) / (2 * h) for i in (0, 1))
    assert abs(float(slope.relative("hover_power")[k]) - power) < 1e-5
    assert abs(float(slope.relative("hover_amplitude")[k]) - amplitude) < 1e-5
    # A stroke that grows alone carries more, and the hover that finds its own amplitude has no slope by it.
    assert float(slope.lift_at_stroke[-1]) > 0 and float(slope.hover_power[-1]) == 0


def test_stiffness_for_least_power_goes_downhill_and_keeps_to_its_bounds(coarse):
    messages = []
    best = least_power(range=1.05, steps=COARSE, iterations=2, guess=coarse.unknowns, tell=messages.append)
    assert len(messages) == len(best.power) == len(best.stiffness) >= 2
    table = np.array([3e-3, 9e-3, 36e-3, 9e-3])
    np.testing.assert_allclose(best.stiffness[0], table, rtol=1e-12)
    assert best.power.min() < best.power[0]
    moved = np.log(best.stiffness / table)
    assert np.abs(moved).max() <= np.log(1.05) + 1e-12
    chosen = np.concatenate([best.parameters.twist_stiffness, best.parameters.bend_stiffness])
    np.testing.assert_allclose(chosen, best.stiffness[np.argmin(best.power)], rtol=1e-12)
    # What is gained is what the gradient at the table promised, to second order in a change of five per cent.
    promised = np.asarray(sensitivity(MothParameters(), coarse).relative("hover_power"))[list(STIFFNESS)]
    gain, step = np.log(best.power.min() / best.power[0]), moved[np.argmin(best.power)]
    assert gain == pytest.approx(promised @ step, rel=0.2)
    # At a bound the power still falls outwards.
    for slope, factor, bound in zip(best.gradient, step, best.at_bound, strict=True):
        assert not bound or slope * factor < 0
    # The chosen moth hovers, and takes the power that was reported.
    again = hover(flight(parameters=best.parameters, steps=COARSE), best.hover.unknowns)
    assert float(sensitivity(best.parameters, again).power) == pytest.approx(best.power.min(), rel=1e-9)
    with pytest.raises(ValueError, match="range = 1.0: must be greater than 1"):
        least_power(range=1.0)


def test_symmetric_hover_is_a_drifting_one_that_does_not_drift(found):
    guess = drifting_guess(found[0])
    after = _stroke(guess, found[0].flight)
    assert np.abs(after - guess).max() < 1e-9


@pytest.fixture(scope="module")
def dataset(found, multipliers, ours):
    hovering, means, _ = found
    recorded = door._recorded(hovering, Settings(t1=0.04, samples=41, progress=False))
    return door._labelled(recorded, hovering, means, ours, multipliers, "TB8", MothParameters())


def test_figures_film_and_words(dataset, tmp_path):
    figures = ROBOTS["moth"].figures(dataset)
    for name, draw in figures.items():
        figure = draw()
        assert figure.axes
        if name != "snapshots":
            assert all("[" in ax.get_ylabel() for ax in figure.axes), name
    mean = dataset["air_force"].values[:-1].mean(axis=0)
    assert abs(mean[2] / dataset.attrs["weight"] - 1) < 1e-3  # forty samples of a stroke
    # The air lifts most while the wings pass the thorax [PBB13, Figure 8].
    stroke, peak = dataset["joint_position"].sel(coordinate="right_stroke").values, dataset["air_force"][:, 2].argmax()
    assert abs(stroke[int(peak)]) < 0.5 * np.abs(stroke).max()
    few = dataset.isel(time=slice(0, 4))
    path = moth_film(few, tmp_path / "moth.gif", width=200, progress=False)
    assert path.stat().st_size > 1000
    printed = "\n".join(ROBOTS["moth"].lines(dataset))
    for words in ("published", "12.1", "residual", "stability", "disturbances decay"):
        assert words in printed
    wing = wing_surface(dataset, 7, "right")
    edge = np.linalg.norm(np.diff(wing[:, 0], axis=0), axis=1).sum()
    assert abs(edge - 0.07) < 1e-3  # the leading edge keeps its length, but for corners that are cut


def test_what_cannot_hover_says_why(capsys, tmp_path):
    with pytest.raises(ValueError, match="no joint of this wing twists"):
        hover(flight(sections=1))
    with pytest.raises(ValueError, match="air density = 0: no lift"):
        hover(flight(parameters=MothParameters(air_density=0.0)))
    assert main(["robot", "moth", "--fluid", "void", "--out", str(tmp_path)]) == 1
    assert "cannot hover" in capsys.readouterr().err
    for words in (["eel", "--reading", "TB8"], ["moth", "--added-mass", "paper"]):
        with pytest.raises(SystemExit):
            main(["robot", *words, "--out", str(tmp_path)])
