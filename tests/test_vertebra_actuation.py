"""From the beam to the motors: figures, power, convergence, and what a gait may ask."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.optimize import minimize_scalar

import cosserat
import gaits
import hydro
import spatial
from anguilla.robots import vertebra

pytestmark = pytest.mark.slow

POWER = 1e-8  # eighth-order differences with a step of 1e-2 in the rotation vector: 1e-12, round-off included
PERIOD = np.linspace(1.0, 2.0, 41)  # one period after the start [s]


def turn(vector):
    return spatial.matrix_from_quaternion(spatial.quaternion_exp(vector))


def test_case():
    """Rotation vector (roll, pitch, yaw) = (3, 10, 20)°, its rate, and a moment at mid-vertebra."""
    f = jnp.radians(jnp.array([3.0, 10.0, 20.0]))
    rate, moment = jnp.array([0.2, -0.5, 1.5]), jnp.array([0.1, 0.4, 1.2])
    wrist, limits = vertebra.prototype(), vertebra.Limits()
    a = vertebra.actuate(wrist, limits, turn(f), turn(0.5 * f), spatial.dexp(f, rate), moment)
    close = lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-10, atol=0)  # noqa: E731
    close(a.angles, [0.549283122613, 0.160409365136, 0.815963253686])
    close(a.rates, [1.16569031813, 1.90302712994, -0.112215499175])
    close(a.torques, [0.719360399999, 0.408663116484, -0.0221315278947])
    close(jnp.sum(a.power), 1.61873195165)
    assert a.reachable and not a.feasible  # its first crank is within 38°, its rod leans too far


def test_home_correspondence():
    """At home θ̇1,2 = yaw ± pitch, τ1,2 = (M3 ± M2)/2, τ3 = M1."""
    wrist, limits = vertebra.prototype(), vertebra.Limits()
    roll, pitch, yaw = 0.3, 0.5, 0.7
    M = jnp.array([0.11, 0.23, 0.37])
    a = vertebra.actuate(wrist, limits, jnp.eye(3), jnp.eye(3), jnp.array([roll, pitch, yaw]), M)
    np.testing.assert_allclose(a.rates, [yaw + pitch, yaw - pitch, roll], rtol=0, atol=1e-14)
    np.testing.assert_allclose(a.torques, [(M[2] + M[1]) / 2, (M[2] - M[1]) / 2, M[0]], rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", sorted(vertebra.DESIGNS))
def test_power_identity_with_differenced_rates(name):
    """Στ·θ̇ is the moment's power, the rates being differences of the inverse kinematics: J takes no part in them."""
    wrist, limits = vertebra.DESIGNS[name](), vertebra.Limits()
    h = 1e-2
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    rng = np.random.default_rng(2)
    f, rate = jnp.asarray(rng.uniform(-0.2, 0.2, (40, 3))), jnp.asarray(rng.uniform(-1.0, 1.0, (40, 3)))
    M = jnp.asarray(rng.uniform(-2.0, 2.0, (40, 3)))

    @jax.jit
    @jax.vmap
    def both(f, rate, M):
        times = h * jnp.arange(-4.0, 5.0)
        pose = lambda t: vertebra.posture(wrist, vertebra.wrist_rotation(wrist, turn(f + t * rate)))  # noqa: E731
        rates = jnp.asarray(weights) @ jax.vmap(pose)(times).angles
        spin = spatial.dexp(f, rate)
        a = vertebra.actuate(wrist, limits, turn(f), turn(0.5 * f), spin, M)
        return a.torques @ rates, (turn(0.5 * f) @ M) @ spin, a.rates - rates, a.reachable

    motors, moment, slip, reachable = both(f, rate, M)
    assert np.all(reachable)
    assert np.max(np.abs(motors - moment)) <= POWER
    assert np.max(np.abs(slip)) <= POWER


def reference_state():
    """The swimming state S1 of the continuous eel's reference figures: planar gait at 0.63 s, head under way."""
    head = np.array([1.0, 0.0, 0.0, -0.21])
    head = jnp.asarray(head / np.linalg.norm(head))
    R = spatial.matrix_from_quaternion(head)
    twist = jnp.concatenate([R.T @ jnp.array([-0.42, 0.17, 0.0]), R.T @ jnp.array([0.0, 0.0, 0.35])])
    return cosserat.HeadState(jnp.array([0.3, -0.2, 0.0]), head, twist)


STATIONS = 321  # both ends and the middle of 160 vertebrae on 2 m


@pytest.fixture(scope="module")
def swim():
    """The beam at the reference state, at even stations."""
    return cosserat.internal_wrench(
        cosserat.eel(),
        gaits.planar(),
        hydro.Morison(),
        reference_state(),
        0.63,
        stations=vertebra.Layout.spanning(2.0, 160).stations,
    )


def motors_of(swim, rows):
    return vertebra.actuate_body(
        vertebra.prototype(),
        vertebra.Limits(),
        swim.quaternion[rows],
        spatial.angular(swim.twist)[rows],
        swim.moment[rows],
    )


def test_sum_over_vertebrae_converges_to_the_beams_power(swim):
    """Στ·θ̇ over 20 to 160 vertebrae against ∫M·dK/dt dX: second order, and the limit is the beam's power."""
    density = np.sum(np.asarray(swim.moment * spatial.angular(swim.strain_rate)), axis=1)
    exact = simpson(density, x=np.asarray(swim.X))

    def power(count):
        motors = motors_of(swim, slice(None, None, 160 // count))
        assert np.all(motors.reachable)
        return float(jnp.sum(motors.power))

    found = np.array([power(count) for count in (20, 40, 80, 160)])
    error = found / exact - 1.0
    order = np.log2(error[:-1] / error[1:])
    np.testing.assert_allclose(order, 2.0, atol=0.06)
    # per cent; they belong to this state, in which much of the beam's power cancels along the body
    np.testing.assert_allclose(100.0 * error[:2], [-3.22, -0.81], atol=0.01)
    assert abs((4.0 * found[3] - found[2]) / 3.0 / exact - 1.0) < 1e-4


def test_interpolated_record_gives_the_same_motors(swim):
    """Motors from 81 recorded stations against motors from fields at the vertebrae themselves."""
    layout = vertebra.Layout(15, 18 / 160, 26 / 160)
    rows = slice(26, 26 + 30 * 9 + 1, 9)
    np.testing.assert_allclose(layout.stations, swim.X[rows], rtol=0, atol=1e-12)
    X, signs = swim.X[::4], jnp.asarray(np.where(np.arange(81) % 3 == 0, -1.0, 1.0))
    record = (signs[:, None] * swim.quaternion[::4], swim.twist[::4], swim.moment[::4])
    a = vertebra.actuation(vertebra.prototype(), layout, X, *(field[None] for field in record))
    b = motors_of(swim, rows)
    np.testing.assert_allclose(a.angles[0], b.angles, rtol=0, atol=1e-7)
    np.testing.assert_allclose(a.rates[0], b.rates, rtol=0, atol=1e-6)
    np.testing.assert_allclose(a.torques[0], b.torques, rtol=0, atol=1e-4)


def test_shape_alone_gives_the_beams_motors(swim):
    """Angles and rates from the strain law alone are those of the swimming beam."""
    layout = vertebra.Layout(20, 0.1, 0.0)
    b = motors_of(swim, slice(None, None, 8))
    angles, rates = vertebra.gait_angles(vertebra.prototype(), layout, gaits.planar(), jnp.asarray(0.63))
    # the beam's fast path interpolates at nose and tail to a few 1e-8
    np.testing.assert_allclose(angles, b.angles, rtol=0, atol=5e-8)
    np.testing.assert_allclose(rates, b.rates, rtol=0, atol=5e-7)


def test_rotation_over_a_vertebra_in_space():
    """R' = R K^ over one vertebra of a spiral with torsion, against an adaptive integrator."""
    wave = gaits.TravellingWave(jnp.array([1.0, -0.75, 1.0]), 1.0, 1.0)
    gait = gaits.inextensible_kirchhoff(wave * 0.7, wave + 1.5, wave * 2.0 + 0.5)
    t, start, pitch = jnp.asarray(1.3), 1.4, 0.1
    strain = jax.jit(lambda X: gait(X, t))

    def slope(X, R):
        K = np.asarray(strain(jnp.asarray(X)))[3:]
        return (R.reshape(3, 3) @ np.cross(np.eye(3), K)).ravel()

    exact = solve_ivp(slope, (start, start + pitch), np.eye(3).ravel(), rtol=1e-11, atol=1e-13).y[:, -1]
    found = vertebra.relative_quaternion(gait, jnp.asarray(start), jnp.asarray(pitch), t)
    np.testing.assert_allclose(spatial.matrix_from_quaternion(found), exact.reshape(3, 3), rtol=0, atol=1e-8)


def greatest_yaw(layout):
    wrist, gait = vertebra.prototype(), gaits.planar()
    angles = jax.vmap(lambda t: vertebra.gait_angles(wrist, layout, gait, t)[0])(jnp.asarray(PERIOD))
    return float(np.degrees(np.max(np.abs(angles[..., 0]))))


def test_feasibility_of_the_planar_gait():
    """The prototype (10 of 0.1 m on 1.5 m) can swim it, up to a gain of 1.96; 20 vertebrae on 2 m cannot."""
    wrist = vertebra.prototype()
    short = vertebra.Layout()
    tail = vertebra.Layout(10, 0.1, 1.0)  # the second half of 20 vertebrae on 2 m
    assert abs(greatest_yaw(short) - 8.7) < 0.05
    assert abs(greatest_yaw(tail) - 18.8) < 0.05
    can, cannot = (vertebra.largest_amplitude(wrist, row, gaits.planar(), PERIOD) for row in (short, tail))
    assert abs(float(can.gain) - 1.96) < 0.005 and can.margin > 0 and int(can.vertebra) == 9
    assert "on base" in can.limit_name
    assert float(cannot.gain) < 1.0 and cannot.margin < 0
    # yaw is proportional to the gain, so the gains are -17° over the greatest yaw
    limit = np.degrees(np.arcsin(0.2067 * np.sqrt(2.0)))
    assert abs(float(can.gain) - limit / greatest_yaw(short)) < 1e-6
    assert abs(float(cannot.gain) - limit / greatest_yaw(tail)) < 1e-6


def test_constraint_for_an_optimiser():
    """The smooth constraint stays below the least margin, differentiates, and stops an optimiser at the limit."""
    wrist, limits, layout = vertebra.prototype(), vertebra.Limits(), vertebra.Layout()
    times = jnp.asarray(PERIOD)

    @jax.jit
    @jax.value_and_grad
    def constraint(gain):
        return vertebra.gait_constraint(wrist, limits, layout, vertebra.scaled(gaits.planar(), gain), times)

    least = jnp.min(
        vertebra.gait_margins(wrist, limits, layout, vertebra.scaled(gaits.planar(), jnp.array(1.5)), times)
    )
    value, slope = constraint(jnp.array(1.5))
    assert least - np.log(times.size * 10 * 10) / 200.0 <= value <= least
    numeric = (constraint(jnp.array(1.5 + 1e-5))[0] - constraint(jnp.array(1.5 - 1e-5))[0]) / 2e-5
    np.testing.assert_allclose(slope, numeric, rtol=1e-6)
    # far out of reach it is still finite, and points back
    value, slope = constraint(jnp.array(20.0))
    assert np.isfinite(value) and np.isfinite(slope) and value < 0
    found = minimize_scalar(
        lambda gain: -gain + 1e3 * min(0.0, float(constraint(jnp.array(gain))[0])) ** 2,
        bounds=(0.5, 4.0),
        method="bounded",
        options={"xatol": 1e-4},
    )
    gain = vertebra.largest_amplitude(wrist, layout, gaits.planar(), times, limits).gain
    assert 0.8 * float(gain) < found.x < 1.01 * float(gain)


def test_amplitude_under_vmap():
    """Largest amplitudes of several gaits at once, and of a still body that nothing stops."""
    wrist, layout = vertebra.prototype(), vertebra.Layout()
    times = jnp.asarray(PERIOD)

    @eqx.filter_jit
    @jax.vmap
    def gains(wavelength):
        gait = gaits.planar(wavelength=wavelength)
        return vertebra.largest_amplitude(wrist, layout, gait, times).gain

    several = gains(jnp.array([1.0, 2.0]))
    alone = vertebra.largest_amplitude(wrist, layout, gaits.planar(), times).gain
    np.testing.assert_allclose(several[0], alone, atol=1e-12)
    nothing = gaits.planar(amplitude=jnp.zeros(3))
    assert float(vertebra.largest_amplitude(wrist, layout, nothing, times).gain) == 8.0
