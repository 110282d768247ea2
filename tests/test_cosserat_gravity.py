"""Gravity and the absence of a fluid are arguments of the beam as they are of the tree."""

import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
import multibody as mb

pytestmark = pytest.mark.slow

T1 = 0.2  # s
ROUND_OFF = 1e-10  # relative: free fall is quadratic in time, which Dopri5 integrates exactly
ROD = cosserat.rod(1.0, 0.03, 0.05, density=1100.0)
STRAIGHT = gaits.Strain()


def test_beam_and_tree_fall_freely():
    fall = np.array([0.0, 0.0, -0.5 * 9.81 * T1**2])
    beam = cosserat.rollout(ROD, STRAIGHT, t1=T1, gravity=hydro.EARTH, samples=2)
    assert np.abs(beam.position[-1] - fall).max() < ROUND_OFF
    tree = mb.rollout(mb.from_beam(ROD, links=2), lambda t: jnp.array([1.0, 0.0, 0.0, 0.0]), t1=T1, gravity=hydro.EARTH)
    assert np.abs(tree.position[-1] - fall).max() < ROUND_OFF


def test_gravity_is_the_weight_among_the_loads():
    gait, water = gaits.planar(), hydro.Morison()
    by_argument = cosserat.rollout(ROD, gait, water, t1=T1, gravity=hydro.EARTH, samples=2)
    loads = hydro.Together(water, hydro.Weight(1100.0))
    by_hand = cosserat.rollout(ROD, gait, loads, t1=T1, samples=2)
    assert np.array_equal(by_argument.position, by_hand.position)
    assert by_argument.position[-1, 2] < -0.01


def test_no_fluid_is_the_void():
    state = cosserat.HeadState(twist=(-0.3, 0.1, 0.0, 0.0, 0.2, 0.1))
    without, void = (
        cosserat.head_acceleration(ROD, gaits.planar(), fluid, state, 0.7) for fluid in (None, hydro.Void())
    )
    assert np.array_equal(without, void)


def test_stations_are_a_number_or_abscissae():
    state = cosserat.HeadState()
    by_number = cosserat.internal_wrench(ROD, gaits.planar(), None, state, 0.7, stations=5)
    by_hand = cosserat.internal_wrench(ROD, gaits.planar(), None, state, 0.7, stations=jnp.linspace(0.0, 1.0, 5))
    assert np.array_equal(by_number.moment, by_hand.moment)
    with pytest.raises(ValueError, match="stations = 1: must be an integer of at least 2"):
        cosserat.internal_wrench(ROD, gaits.planar(), None, state, 0.7, stations=1)


def test_a_wrong_fluid_is_still_refused():
    with pytest.raises(ValueError, match="fluid = 'water': must be a hydro fluid"):
        cosserat.rollout(ROD, STRAIGHT, "water", t1=T1)  # pyright: ignore
    with pytest.raises(ValueError, match="gravity"):
        cosserat.rollout(ROD, STRAIGHT, t1=T1, gravity=(0.0, 9.81))
