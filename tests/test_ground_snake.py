"""The wheeled snake as a tree and as a beam: the same mass, the same wave, nearly the same speed; figures and film."""

from typing import Any

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.optimize import brentq

import cosserat
import multibody
from anguilla.robots import snake
from anguilla.robots.registry import ROBOTS
from anguilla.robots.robot import Settings
from anguilla.robots.snake import beach, best_gait, entry
from anguilla.robots.snake.film import snake_film
from anguilla.robots.snake.tree import DENSITY, LENGTH, LINK, PERIOD, RADIUS
from anguilla.view.power_identity import identity_residual
from gaits.search.optimisation import solve
from gaits.search.parameters import Parameters
from gaits.search.problem import Problem


@pytest.fixture(scope="module")
def run():
    """Two periods; without the map of speeds, which takes as long as all else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry, "speed_map", dict)
        return ROBOTS["snake"].run(Settings(t1=2 * PERIOD, samples=41, progress=False))


def test_tree_and_beam_are_the_same_body():
    tree, beam = snake.model(), snake.beam()
    assert abs(float(multibody.mass(tree)) - 10.0) < 1e-12
    assert abs(float(cosserat.mass(beam)) - 10.0) < 1e-9
    assert abs(float(beam.length) - LENGTH) < 1e-12
    # A joint turns by the curvature at its place times the length of a link.
    t, law, gait = jnp.asarray(3.1), snake.undulation(), snake.gait()
    curvature = np.array([float(gait(jnp.asarray((i + 1) * LINK), t)[5]) for i in range(9)])
    np.testing.assert_allclose(law(t), curvature * LINK, atol=1e-12)


def test_the_tree_goes_forward_and_its_power_balances(run):
    assert float(run["centre_of_mass"].sel(axis="x")[-1] - run["centre_of_mass"].sel(axis="x")[0]) < -0.6
    assert np.abs(identity_residual(run)).max() < 1e-8
    assert float(run["power_friction"].max()) <= 0.0
    assert np.abs(run["head_position"].sel(axis="z")).max() < 1e-12
    assert any("ideal wheels" in line for line in entry.lines(run))


@pytest.mark.slow
def test_from_the_beach_into_the_water(tmp_path):
    """It crawls down the sand, enters the water and swims on; afloat it displaces its weight."""
    dataset = ROBOTS["snake"].run(Settings(t1=24.0, samples=49, progress=False, terrain="beach"))
    body = entry.body(dataset)
    wet, gap = beach.wet_length(body), beach.clearance(body)
    assert wet[0] == 0.0 and wet[-1] > 0.99 * LENGTH
    assert gap[0] < 0.0 < gap[-1]
    x = dataset["centre_of_mass"].sel(axis="x").values
    assert np.all(np.diff(x[8:]) < 0.0)  # never backward after the start
    # Afloat: draught of a straight cylinder that displaces its weight, 0.909 of the section.
    height = float(body["position"][-1].sel(axis="z").mean()) - beach.LEVEL
    d: Any = brentq(lambda z: np.arccos(z) - z * np.sqrt(1 - z * z) - np.pi * DENSITY / 1000.0, -1.0, 1.0)
    assert abs(height - d * RADIUS) < 0.1 * RADIUS
    for name, figure in entry.figures(dataset).items():
        figure().savefig(tmp_path / f"{name}.png", dpi=40)
    film = snake_film(body, tmp_path / "beach.gif", fps=1.0, width=240, progress=False)
    assert film.stat().st_size > 1000 and any("off the sand" in line for line in entry.lines(dataset))
    plt.close("all")


@pytest.mark.slow
def test_gradients_improve_the_gait_within_its_bounds():
    """Derivatives of the speed by the six numbers are those of differences; a few steps make it faster."""
    problem = Problem(
        -best_gait.crawling_speed,
        Parameters(best_gait.first_gait(), best_gait.BOUNDS),
        best_gait.speed_model(),
        (),
    )
    x = problem.parameters.to_vector(problem.parameters.start) + 0.05
    slope = problem.derivatives(x[None])[1][0, 0]
    h = 1e-3
    steps = h * np.eye(len(x))
    ends = problem.values(np.concatenate([x + steps, x - steps]))[:, 0]
    difference = (ends[: len(x)] - ends[len(x) :]) / (2 * h)
    # Steps at rtol 1e-5 differ from run to run by 1e-5 of the speed: over 2h that is 2e-3.
    assert np.abs(slope - difference).max() < 5e-3 * max(1.0, np.abs(difference).max())
    found = solve(problem, max_iterations=4, progress=False)
    assert -found.value > -1.05 * found.before


def test_figures_and_film(run, tmp_path):
    for name, figure in entry.figures(run).items():
        figure().savefig(tmp_path / f"{name}.png", dpi=40)
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    film = snake_film(entry.body(run), tmp_path / "snake.gif", fps=1.0, width=240, progress=False)
    assert film.stat().st_size > 1000
    plt.close("all")
