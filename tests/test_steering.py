"""Heading, depth and path of the swimming eel: laws and guidance by themselves, and the closed loop in a current."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cosserat
import gaits
import gaits.feedback as fb
import hydro
from anguilla.view.loop_figures import mean_over

PERIOD = 1.0
MIDDLE = 1.0  # half of the length of the eel [m]
SERVO = (0.4, 0.4, 1.0)  # [Hz]
SPEED = 0.405  # steady swimming speed of the eel with the planar gait, rounded up [m/s]
HEADING, DEPTH, PATH = 2.0, 0.02, 0.03  # what must be held: ± degrees, ± m, RMS over the length of the body


def test_helm_adds_offsets_and_a_wave_a_quarter_of_a_period_behind():
    gait = gaits.planar()
    law, y = fb.Helm(gait, PERIOD), jnp.array([0.2, -0.1, 0.3])
    for X, t in ((0.1, 2.3), (1.4, 5.05)):
        difference = law(X, t, y) - gait(X, t)
        expected = [0, 0, 0, 0, -0.1 + 0.3 * float(gait(X, t - 0.25)[5]), 0.2]
        np.testing.assert_allclose(difference, expected, atol=1e-14)  # round-off
    assert sorted(float(time) for time in law.break_times) == [0.0, 0.25, 1.0, 1.25]
    with pytest.raises(ValueError, match="3 channels"):
        law(0.1, 1.0, jnp.zeros(2))
    with pytest.raises(ValueError, match="Helm.gait"):
        fb.Helm(3.0)


@pytest.mark.parametrize("roll", [0.0, 0.7, -2.0])
def test_offsets_bend_about_the_vertical_and_the_horizontal_whatever_the_roll(roll):
    """The bending vector in the world: by scipy's rotations, which share nothing with the controller."""
    attitude = fb.Attitude(gain=(2.0, 3.0), limit=1e6, roll_gain=0.0, roll_damping=0.0)
    sensed = {"heading": jnp.zeros(()), "pitch": jnp.zeros(()), "roll": jnp.asarray(roll), "gyroscope": jnp.zeros(3)}
    command, _ = attitude(jnp.zeros(2), sensed, jnp.array([0.1, 0.2]))
    K3, K2, _ = np.asarray(command)
    world = Rotation.from_rotvec([roll, 0.0, 0.0]).apply([0.0, K2, K3])
    # The body frame at zero heading and pitch is that of the world: y horizontal, z vertical; limit 1e6 is linear.
    np.testing.assert_allclose(world, [0.0, -3.0 * 0.2, -2.0 * 0.1], atol=1e-10)


def test_rates_of_heading_and_pitch_are_those_of_euler_angles():
    """damping counts d(heading)/dt cos(pitch) and d(pitch)/dt: by differences of scipy's Euler angles."""
    roll, step = 0.6, 1e-6
    turn = np.array([0.3, -0.5, 0.8])  # angular velocity in the body [rad/s]
    start = Rotation.from_euler("x", roll)
    after = (start * Rotation.from_rotvec(step * turn)).as_matrix()
    heading, pitch = np.arctan2(after[1, 0], after[0, 0]) / step, np.arcsin(-after[2, 0]) / step
    attitude = fb.Attitude(damping=(1.0, 1.0), low_pass=1.0)
    sensed = {"heading": jnp.zeros(()), "pitch": jnp.zeros(()), "roll": jnp.asarray(roll), "gyroscope": turn}
    _, rate = attitude(jnp.zeros(2), sensed, jnp.zeros(2))
    np.testing.assert_allclose(rate, [-heading, -pitch], atol=1e-5)  # one-sided differences of 1e-6


def test_way_points_by_arc_length():
    points = np.array([[0.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [-3.0, 4.0, 0.0]])
    path = fb.Waypoints(points)
    assert float(path.length) == 7.0
    for s, expected in ((-1.0, (1, 0, 0)), (3.0, (-3, 0, 0)), (5.0, (-3, 2, 0)), (8.0, (-3, 5, 0))):
        np.testing.assert_allclose(path.point(jnp.asarray(s)), expected, atol=1e-14)
    assert float(path.distance([-2.0, 1.0, 0.5])) == pytest.approx(np.sqrt(1.25), abs=1e-12)
    smooth = fb.Waypoints(points, smooth=True)
    for point in points:  # a Catmull-Rom curve goes through its points
        assert float(smooth.distance(point)) < 1e-12
    turns = jnp.diff(jax.vmap(smooth.tangent)(0.5 * (smooth.arc[1:] + smooth.arc[:-1])), axis=0)
    assert float(jnp.max(jnp.linalg.norm(turns, axis=1))) < 0.2  # 90 degrees over two times 24 chords
    with pytest.raises(ValueError, match="at least two"):
        fb.Waypoints([[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="LineOfSight.path"):
        fb.LineOfSight([[0, 0, 0], [1, 0, 0]])
    with pytest.raises(ValueError, match="DepthHold.lookahead"):
        fb.DepthHold(1.0, lookahead=-1.0)


def sensed_at(position, heading=0.0, pitch=0.0):
    scalars = {"heading": heading, "pitch": pitch, "roll": 0.0, "depth": -position[2]}
    vectors = {"position": position, "velocity": (-0.3, 0.0, 0.0), "gyroscope": (0.0, 0.0, 0.0)}
    return {name: jnp.asarray(value, float) for name, value in (scalars | vectors).items()}


def test_line_of_sight_aims_ahead_on_the_path():
    follow = fb.LineOfSight(fb.Waypoints([[0, 0, 0], [-20, 0, 0]]), lookahead=2.0, pitch_limit=1e6)
    memory = follow.start() | {"arc": jnp.array([5.0])}
    _, on_path = follow(0.0, sensed_at((-5.0, 0.0, 0.0)), memory)
    np.testing.assert_allclose(on_path["errors"], 0.0, atol=1e-12)
    assert float(on_path["arc"][0]) == pytest.approx(0.3)
    _, beside = follow(0.0, sensed_at((-5.0, 0.5, -0.25)), memory)
    # Swimming along -x, 0.5 m beside the path at +y: the heading to take is +atan(0.5/2), the pitch upwards.
    expected = np.arctan2(0.5, 2.0), np.arctan2(0.25, np.hypot(2.0, 0.5))
    np.testing.assert_allclose(beside["errors"] * follow.attitude.low_pass, expected, atol=1e-9)
    away = np.array([0.0, 0.5, -0.25])
    np.testing.assert_allclose(beside["integral"], away / 15.0 * 4.0 / (4.0 + away @ away), atol=1e-12)


def test_depth_below_asks_for_a_pitch_down_and_a_positive_offset():
    hold = fb.DepthHold(1.0)
    _, rate = hold(0.0, sensed_at((0.0, 0.0, 0.0)), hold.start())
    assert float(rate[0]) < 0.0
    command, _ = hold(0.0, sensed_at((0.0, 0.0, 0.0)), jnp.array([-0.1, 0.0]))
    assert float(command[0]) > 0.0
    both = fb.HeadingDepthHold(heading=np.pi - 0.1, depth=0.0)
    _, rate = both(0.0, sensed_at((0.0, 0.0, 0.0), heading=-np.pi + 0.1), both.start())
    assert float(rate[0]) * float(both.attitude.low_pass) == pytest.approx(-0.2)  # the short way round


def swim(controller, t1, current):
    steered = gaits.Steered(fb.Helm(gaits.planar(), PERIOD), controller, servo=fb.Servo(SERVO))
    water = hydro.Morison(current=current)
    run = cosserat.rollout(cosserat.eel(), steered, water, t1=t1, samples=round(20 * t1) + 1)
    assert bool(run.succeeded)
    return run


def cycle_mean(run, values):
    return mean_over(np.asarray(run.time), np.asarray(values), PERIOD)


@pytest.mark.slow
def test_heading_and_depth_are_held_in_a_cross_current():
    """From rest, 45 degrees to the left and 0.5 m deeper, in a current across of 0.3 of the swimming speed."""
    hold = fb.HeadingDepthHold(heading=np.pi / 4, depth=0.5, at=MIDDLE)
    run = swim(hold, 80.0, (0.0, 0.3 * SPEED, 0.0))
    t, heading = cycle_mean(run, np.unwrap(np.asarray(run.sensed["heading"])))
    _, depth = cycle_mean(run, run.sensed["depth"])
    _, roll = cycle_mean(run, np.unwrap(np.asarray(run.sensed["roll"])))
    late = t > 50.0  # the heading is held after 16 s; heave is slow: it decays in 13 s by itself
    assert np.abs(np.rad2deg(heading[late]) - 45.0).max() < HEADING
    assert np.abs(depth[late] - 0.5).max() < DEPTH
    assert np.abs(np.rad2deg(roll)).max() < 45.0  # it stays upright all the time


@pytest.mark.slow
def test_path_is_followed_in_a_cross_current():
    """A straight part, then a wide bend to the right; the middle of the body, mean over a period, after 60 s."""
    path = fb.Waypoints([[1, 0, 0], [-9, 0, 0], [-19, 0, 0], [-29, 3, 0], [-39, 9, 0]], smooth=True)
    run = swim(fb.LineOfSight(path, at=MIDDLE), 100.0, (0.0, 0.3 * SPEED, 0.0))
    means = [cycle_mean(run, run.sensed["position"][:, k]) for k in range(3)]
    t, centre = means[0][0], np.stack([mean for _, mean in means], axis=1)
    away = np.asarray(jax.vmap(path.distance)(jnp.asarray(centre[t > 60.0])))
    assert np.sqrt(np.mean(away**2)) < PATH * float(cosserat.eel().length)
