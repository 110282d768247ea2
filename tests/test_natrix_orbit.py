"""The periodic swim of NATRIX: a system without losses, whose multipliers come in pairs."""

import numpy as np
import pytest

import hydro
from anguilla.robots.natrix import model as natrix
from anguilla.robots.natrix.orbit import natrix_orbit


@pytest.mark.slow
def test_multipliers_are_reciprocal():
    """Above the band the swim is neutrally stable: six multipliers on the unit circle, λ with 1/λ."""
    orbit = natrix_orbit(natrix(), hydro.FreeSurface(), 0.25, 2.5, steps=64)
    assert bool(orbit.converged)
    multipliers = np.asarray(orbit.multipliers)
    # RK4 with 64 steps of a period keeps the volume of phase space to 1e-4 or better.
    assert abs(np.prod(multipliers) - 1) < 1e-4
    for value in multipliers:
        assert np.abs(multipliers - 1 / value).min() < 1e-4
    assert np.abs(np.abs(multipliers) - 1).max() < 1e-4
    assert np.abs(np.asarray(orbit.start)).max() > 1e-3  # it does move
