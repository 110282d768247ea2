"""Objectives: closed forms of circles and helices, peaks between samples, units, refusals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gaits
from gaits.search.objectives import distance_to_path, radius_of_turn, speed_along_screw
from gaits.search.peaks import peak_over_period


def screw(radius, pitch, angle):
    """Displacement and turn, in the first frame, of a point that winds by an angle on a helix about its z axis."""
    displacement = jnp.array([radius * jnp.sin(angle), radius * (1.0 - jnp.cos(angle)), pitch * angle])
    return displacement, jnp.array([jnp.cos(angle / 2), 0.0, 0.0, jnp.sin(angle / 2)])


@pytest.mark.parametrize("angle", [1e-8, 1e-4, 1.9e-3, 2.1e-3, 0.3, 2.5])
def test_helix(angle):
    """Radius 2 m, pitch 0.5 m a radian: the arc length is known."""
    displacement, turn = screw(2.0, 0.5, angle)
    arc = angle * np.hypot(2.0, 0.5)
    assert abs(speed_along_screw(displacement, turn, jnp.asarray(0.7)) * 0.7 / arc - 1.0) < 1e-9
    assert abs(radius_of_turn(displacement, turn) - 2.0) < 1e-6


def test_straight_ahead():
    still = (jnp.array([0.3, 0.0, 0.4]), jnp.array([1.0, 0.0, 0.0, 0.0]), jnp.asarray(2.0))
    assert abs(gaits.steady_speed(displacement=still[0], turn=still[1], period=still[2]) - 0.25) < 1e-15
    assert gaits.turning_radius(displacement=still[0], turn=still[1]) == jnp.inf
    gradient = jax.grad(speed_along_screw, argnums=(0, 1))(*still)
    assert all(np.isfinite(part).all() for part in gradient)
    assert np.abs(gradient[0] - still[0] / 0.5 / 2.0).max() < 1e-15
    assert (jax.grad(speed_along_screw)(jnp.zeros(3), *still[1:]) == 0).all()
    assert abs(gaits.depth_rate()(displacement=still[0], period=still[2]) + 0.2) < 1e-15


def test_peak_between_samples():
    """A function of three harmonics, known at 17 and at 24 times, against its top on a grid of 2 million."""
    f = lambda t: np.sin(t) + 0.5 * np.cos(2 * t + 0.3) - 0.2 * np.sin(3 * t + 1.0)  # noqa: E731
    top = f(np.linspace(0, 2 * np.pi, 2_000_001)).max()
    for count in (17, 24):
        samples = jnp.asarray(f(2 * np.pi * np.arange(count) / count))
        assert abs(peak_over_period(samples) - top) < 1e-6
        assert samples.max() < top - 1e-4
    assert peak_over_period(jnp.full(8, 3.0)) == pytest.approx(3.0, abs=1e-14)


def test_peaks_of_a_motion():
    time = 2 * np.pi * np.arange(32) / 32
    torque = jnp.asarray(np.stack([0 * time, np.cos(time), np.sin(time + 0.1)], -1)[:, None] * [[[1.0], [3.0]]])
    assert np.abs(gaits.section_torque(torque=torque) - np.array([1.0, 3.0]) * np.sqrt(1 + np.sin(0.1))).max() < 1e-6
    assert gaits.peak_torque(torque=torque) == gaits.section_torque(torque=torque).max()
    gradient = jax.grad(lambda t: jnp.sum(gaits.section_torque(torque=t)))(torque.at[:, 0].set(0.0))
    assert np.isfinite(gradient).all()


def test_distance_to_a_path():
    corner = jnp.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]])
    position = jnp.array([[0.5, 0.3, 0.0], [1.4, 1.0, 0.0], [1.0, 2.0, 0.5]])
    expected = np.sqrt((0.3**2 + 0.4**2 + 0.5**2) / 3)
    assert abs(distance_to_path(position, corner) - expected) < 1e-15
    assert abs(gaits.path_distance(corner)(position=position) - expected) < 1e-15


def test_they_combine():
    motion = {
        "power": jnp.array([1.0, 3.0]),
        "mass": jnp.asarray(2.0),
        "displacement": jnp.array([0.0, -0.5, 0.0]),
        "turn": jnp.array([1.0, 0.0, 0.0, 0.0]),
        "period": jnp.asarray(0.5),
    }
    energy = gaits.mean_power / gaits.steady_speed
    assert energy.unit == "W/(m/s)" and energy(motion) == 2.0
    assert abs(gaits.cost_of_transport(motion) - 2.0 / (2.0 * 9.81)) < 1e-15
    both = 2.0 * gaits.mean_power.relative_to(4.0) - gaits.steady_speed.relative_to(2.0)
    assert both.unit == "1" and both(motion) == 0.5
    assert (-gaits.mean_power)(motion) == -2.0 and (gaits.mean_power * gaits.mean_power).unit == "W W"
    with pytest.raises(ValueError, match=r"mean power \[W\] and steady speed \[m/s\] cannot be added"):
        gaits.mean_power + gaits.steady_speed
    with pytest.raises(ValueError, match="'mass' is missing"):
        gaits.cost_of_transport({"power": jnp.ones(2)})
    with pytest.raises(ValueError, match="at least 2 points"):
        gaits.path_distance([[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="must name at least one array"):
        gaits.quantity("nothing", "1", lambda: 0.0)
    with pytest.raises(ValueError, match="must be finite"):
        gaits.mean_power.at_most(np.nan)
