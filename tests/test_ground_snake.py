"""The wheeled snake as a tree and as a beam: the same mass, the same wave, nearly the same speed; figures and film."""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import pytest

import cosserat
import multibody
from anguilla.robots import snake
from anguilla.robots.registry import ROBOTS
from anguilla.robots.robot import Settings
from anguilla.robots.snake import entry
from anguilla.robots.snake.film import snake_film
from anguilla.robots.snake.model import LENGTH, LINK, PERIOD
from anguilla.view.power_identity import identity_residual


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


def test_figures_and_film(run, tmp_path):
    for name, figure in entry.figures(run).items():
        figure().savefig(tmp_path / f"{name}.png", dpi=40)
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    film = snake_film(entry.body(run), tmp_path / "snake.gif", fps=1.0, width=240, progress=False)
    assert film.stat().st_size > 1000
    plt.close("all")
