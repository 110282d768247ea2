"""Feedback in both engines: sensors, memory, servos, delays, and what they do to the motion."""

import os
import subprocess
import sys
from pathlib import Path

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import pade as scipy_pade

import cosserat
import gaits
import gaits.feedback as fb
import hydro
import multibody as mb
from cosserat.body_view import BeamView
from cosserat.energy import energetics, soft_energetics
from cosserat.soft.instant import soft_instant
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_beam import unchecked_soft_state
from cosserat.state import unchecked_state
from gaits.feedback.delay import pade
from gaits.feedback.replay import MotionAt
from spatial import matrix_from_quaternion, quaternion_rate

EEL, WATER, LAW = cosserat.eel(), hydro.Morison(), fb.Offset(gaits.planar(), "K3")
FINE = cosserat.Panels(panels=2, loads=4)  # the sums of both loops to round-off
ONE = cosserat.Panels(panels=1, loads=1)
STEPS = {"controller": diffrax.ConstantStepSize(), "dt0": 0.05, "samples": 5, "t1": 1.0}
SENSORS = (fb.Heading(), fb.Position(1.3, name="place"), fb.Velocity(1.3), fb.Strain((0.4, 1.3)))


class Integral(fb.AbstractController):
    """Proportional and integral action on the heading."""

    gain: jax.Array
    sensors: tuple = SENSORS

    def start(self):
        return jnp.zeros(1)

    def __call__(self, t, sensed, memory):
        error = 0.3 - sensed["heading"]
        return -self.gain * jnp.stack([error + memory[0]]), jnp.stack([error])


def steered(gain, frequency=2.0):
    return gaits.Steered(LAW, Integral(jnp.asarray(gain, float)), servo=fb.Servo(frequency))


def swim(gain, frequency=2.0, **more):
    return cosserat.rollout(EEL, steered(gain, frequency), WATER, **(STEPS | more))


@pytest.fixture(scope="module")
def run():
    return swim(0.5)


@pytest.mark.slow
def test_a_controller_that_ignores_its_sensors_is_the_open_loop():
    """A gain of zero, with servo, sensors and memory, is the swim of the plain gait to the bit.

    In a process that compiles as users do: without optimisation, the rounding of equal formulas depends on the program.
    """
    program = "import anguilla; from tests.test_feedback import compare_with_open_loop; compare_with_open_loop()"
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    root = Path(__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def compare_with_open_loop():
    adaptive = {"t1": 1.0, "samples": 5}
    tail = cosserat.FreeStrains(start=1.2, modes={"K3": 4})
    soft = cosserat.Soft(EEL, tail, cosserat.Elastic(young=1e5, damping_time=0.02))
    for beam, parts in ((EEL, ()), (soft, ("q", "dq"))):
        ignoring, plain = (cosserat.rollout(beam, gait, WATER, **adaptive) for gait in (steered(0.0), gaits.planar()))
        for name in ("position", "quaternion", "twist", "steps", *parts):
            np.testing.assert_array_equal(getattr(ignoring, name), getattr(plain, name), err_msg=name)


def test_the_sensors_read_what_the_second_loop_finds(run):
    """Places, velocities and strains along the body against the record of `internal_wrench` under the driven gait."""
    gait = steered(0.5).replay(run.feedback)
    fields = cosserat.internal_wrench(EEL, gait, WATER, run.state(3), run.time[3], stations=[0.4, 1.3])
    velocity = np.asarray(fields.twist[1, :3])
    w, x, y, z = np.asarray(fields.quaternion[1])
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    np.testing.assert_allclose(run.sensed["place"][3], fields.position_w[1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.sensed["velocity"][3], rotation @ velocity, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.sensed["strain"][3], fields.strain[:, 5], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_the_power_of_a_steered_body_is_balanced(run):
    """∫(M·dK/dt + Rᵀn·dΓ/dt) dX = d/dt(T + T_a) + D - P_conv, the rate by differentiating along all states."""
    law, t, k = LAW, run.time[3], 3
    y, dy, ddy = run.feedback.motion[k]
    head = run.state(k)
    gait = steered(0.5).replay(run.feedback)
    fields = cosserat.internal_wrench(EEL, gait, WATER, head, t, FINE)

    def energy(t, quaternion, twist, y, dy):
        still = MotionAt(law, t, jnp.stack([y, dy, jnp.zeros_like(y)]))
        state = cosserat.state.unchecked_state(head.position, quaternion, twist)
        sums = energetics(EEL, still, WATER, state, t, FINE)
        return sums.kinetic + sums.added, sums

    turning = quaternion_rate(head.quaternion, head.twist[3:])
    (_, sums), (rate, _) = jax.jvp(
        energy, (t, head.quaternion, head.twist, y, dy), (jnp.ones(()), turning, fields.head_twist_rate, dy, ddy)
    )
    assert abs(float(jnp.max(jnp.abs(run.command)))) > 0.05  # something is steered
    assert float(fields.actuator_power - rate - sums.dissipation + sums.convective) == pytest.approx(0.0, abs=1e-8)


def test_flow_pressure_and_internal_moment_are_those_of_the_body(run):
    """Against the current by hand, and the second loop at an instant."""
    current = np.array([0.3, 0.2, 0.0])
    moving, k = hydro.Morison(current=current), 3
    gait, head = steered(0.5).replay(run.feedback), run.state(k)
    fields = cosserat.internal_wrench(EEL, gait, moving, head, run.time[k], ONE, stations=[0.4, 1.3])
    body = ONE.sample(EEL, moving)

    @jax.jit
    def readings():
        view = BeamView(run.time[k], head, gait, body, moving, fields.head_twist_rate)
        moment = fb.InternalMoment(1.3).quantity(view)
        specific = fb.Accelerometer(1.3, gravity=0.0).quantity(view)
        return fb.Flow()(view, ()), fb.Pressure((0.4, 1.3))(view, ()), moment, specific

    flow, pressure, moment, specific = readings()
    np.testing.assert_allclose(flow, head.rotation.T @ current - head.twist[:3], atol=1e-14)
    rotation = matrix_from_quaternion(fields.quaternion)
    across = np.einsum("sji,j->si", rotation, current)[:, 1] - fields.twist[:, 1]
    np.testing.assert_allclose(pressure, 500.0 * across * np.abs(across), rtol=0, atol=1e-9)
    np.testing.assert_allclose(moment, fields.moment[1], rtol=0, atol=1e-10)
    V, W = fields.twist[1, :3], fields.twist[1, 3:]
    np.testing.assert_allclose(specific, fields.twist_rate[1, :3] + np.cross(W, V), rtol=0, atol=1e-10)


@pytest.mark.slow
def test_gradients_through_the_loop_are_central_differences():
    """Reverse mode by gain and servo, on equal steps, where the swim is a smooth function of both."""

    def far(parameters):
        end = swim(*parameters, t1=0.5, samples=2)
        return jnp.sum(end.position[-1] ** 2) + end.twist[-1, 5]

    far = jax.jit(far)
    at, h = jnp.array([0.5, 2.0]), 1e-4
    found = jax.grad(far)(at)
    for k in range(2):
        step = h * jnp.eye(2)[k]
        central = (far(at + step) - far(at - step)) / (2 * h)
        assert abs(float(found[k] - central)) <= 1e-6 * max(1.0, abs(float(central)))


@pytest.mark.slow
def test_a_batch_of_controllers(run):
    twists = jax.vmap(lambda gain: swim(gain).twist)(jnp.array([0.2, 0.5]))
    np.testing.assert_allclose(twists[1], run.twist, rtol=0, atol=1e-11)
    assert float(jnp.max(jnp.abs(twists[0] - twists[1]))) > 1e-4


@pytest.mark.slow
def test_a_run_goes_on_with_its_memory(run):
    half = swim(0.5, t1=0.5, samples=3)
    rest = swim(0.5, t0=0.5, samples=3, state=half.state(-1), memory=half.feedback.memory_at(-1))
    np.testing.assert_allclose(rest.twist[-1], run.twist[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rest.command[-1], run.command[-1], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_the_heading_is_held_and_labelled():
    """The shipped controller turns the eel to its reference; the record has names and units."""
    hold = fb.HeadingHold(0.4, gain=2.0, integral_time=8.0)
    swim = cosserat.simulate(
        EEL, gaits.Steered(LAW, hold, servo=fb.Servo(1.0)), WATER, t1=40.0, samples=401, progress=False
    )
    last = swim.sensed_heading.sel(time=slice(36.0, 40.0))
    assert abs(float(last.mean()) - 0.4) < np.deg2rad(2.0)
    assert swim.command.dims == ("time", "channel") and swim.command.units == "1/m"
    assert swim.channel.values.tolist() == ["curvature_offset"] and swim.sensed_heading.units == "rad"


# Trees.


def arm(actuated, stiffness=0.0, damping=0.0):
    hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge", actuated=actuated, stiffness=stiffness, damping=damping)
    link = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0), about_centre=0.01 * np.eye(3))
    return mb.from_links([mb.Link("wall"), link], base="fixed")


ANGLE = (fb.JointPosition("hinge", name="q"), fb.JointVelocity("hinge", name="dq"))


def test_torque_by_feedback_is_a_spring_and_a_damper():
    """u = -k q - c dq through sensors against stiffness and damping of the joint itself."""
    spring = fb.Reflex(lambda t, sensed: -3.0 * sensed["q"] - 0.4 * sensed["dq"], *ANGLE)
    law = gaits.Steered(None, spring, torque=lambda t, q, dq, u: u)
    how = {"t1": 1.0, "samples": 6, "joints": [0.3], "rtol": 1e-10, "atol": 1e-12}
    driven = mb.rollout(arm(False), law, **how)
    built = mb.rollout(arm(False, 3.0, 0.4), None, **how)
    np.testing.assert_allclose(driven.joints, built.joints, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        driven.command[:, 0], -3.0 * built.joints[:, 0] - 0.4 * built.joint_rates[:, 0], atol=1e-8
    )


def test_a_servo_answers_as_its_equation_and_its_power_is_counted():
    """y = 1 - (1 + ωt) e^(-ωt) at ζ = 1; the motor's work is the change of kinetic energy in the void."""
    omega = 2 * np.pi * 0.7
    law = gaits.Steered(lambda t, y: y, fb.Hold([1.0], *ANGLE, fb.JointTorque("hinge")), servo=fb.Servo(0.7))
    work = lambda t, state, q, dq, found: found.torque * dq  # noqa: E731
    run = mb.rollout(arm(True), law, t1=1.0, samples=6, rtol=1e-10, atol=1e-12, integrand=work)
    t = np.asarray(run.time)
    np.testing.assert_allclose(run.joints[:, 0], 1 - (1 + omega * t) * np.exp(-omega * t), rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.joint_rates[:, 0], omega**2 * t * np.exp(-omega * t), rtol=0, atol=1e-8)
    inertia = 0.01 + 0.25
    np.testing.assert_allclose(run.integrals[:, 0], 0.5 * inertia * run.joint_rates[:, 0] ** 2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.sensed["q"][:, 0], run.joints[:, 0], rtol=0, atol=1e-13)


def test_the_record_of_a_tree_has_the_torque_of_the_loop():
    spring = fb.Reflex(lambda t, sensed: -3.0 * sensed["q"], *ANGLE, channels=("torque",), unit="N m")
    law = gaits.Steered(None, spring, torque=lambda t, q, dq, u: u)
    record = mb.simulate(arm(False), law, t1=0.5, samples=3, joints=[0.3], progress=False)
    np.testing.assert_allclose(record.torque[:, 0], -3.0 * record.joint_position[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(record.actuator_power, record.torque[:, 0] * record.joint_velocity[:, 0], atol=1e-12)
    assert record.command.units == "N m" and record.channel.values.tolist() == ["torque"]


def test_an_accelerometer_in_free_fall_forgets_gravity():
    """The filtered specific force of a falling body is g e^(-t/τ), and its vertical stays upright."""
    ball = mb.from_links([mb.Link("ball", mass=1.0, about_centre=0.01 * np.eye(3))])
    falling = fb.Hold([0.0], fb.Accelerometer(time_constant=0.2), fb.Vertical(), fb.Depth())
    run = mb.rollout(ball, gaits.Steered(None, falling), t1=0.6, samples=4, gravity=hydro.EARTH, rtol=1e-9, atol=1e-11)
    expected = 9.81 * np.exp(-np.asarray(run.time) / 0.2)
    np.testing.assert_allclose(run.sensed["accelerometer"][:, 2], expected, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.sensed["vertical"], np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-14)
    np.testing.assert_allclose(run.sensed["depth"], 0.5 * 9.81 * np.asarray(run.time) ** 2, atol=1e-9)


# Delays.


@pytest.mark.parametrize("order", [1, 3, 5])
def test_the_pade_chain_is_that_of_scipy(order):
    taylor = [(-1.0) ** k / np.prod(np.arange(1, k + 1), dtype=float) for k in range(2 * order)]
    above, below = scipy_pade(taylor, order, order - 1)
    mine = pade(order)
    np.testing.assert_allclose(mine[0] / mine[1][0], above.coeffs[::-1] / below.coeffs[-1], rtol=1e-9)
    np.testing.assert_allclose(mine[1] / mine[1][0], below.coeffs[::-1] / below.coeffs[-1], rtol=1e-9)


@pytest.mark.parametrize(("kind", "order", "error"), [("pade", 5, 2e-6), ("lags", 50, 0.06)])
def test_a_delayed_wave_is_late(kind, order, error):
    """exp(iωt) through the chain is exp(iω(t - τ)): ωτ = 1 here."""
    delay, omega = fb.Delay(0.25, order, kind), 4.0
    zero = jnp.zeros(order)
    A = jax.jacfwd(lambda x: delay.rates(jnp.array(0.0), x))(zero)
    b = delay.rates(jnp.array(1.0), zero)
    c = jax.jacfwd(delay.read)(zero)
    response = np.asarray(c) @ np.linalg.solve(1j * omega * np.eye(order) - np.asarray(A), np.asarray(b))
    assert abs(response - np.exp(-1j)) < error
    assert np.linalg.eigvals(A).real.max() < 0.0


LATE = fb.ShiftRegister(time=0.1, sampling=0.05)


@pytest.mark.slow
def test_a_register_reads_the_past_exactly_and_a_held_torque_is_that_of_the_recursion():
    """u = -k q(t - τ) held over each interval on J d²q/dt² = u, against the exact map from sample to sample."""
    late = fb.Delayed(fb.JointPosition("hinge", name="late"), LATE)
    spring = fb.Reflex(lambda t, sensed: -2.0 * sensed["late"], late, *ANGLE)
    law = gaits.Steered(None, spring, torque=lambda t, q, dq, u: u)
    run = mb.rollout(arm(False), law, t1=1.0, samples=11, joints=[0.3], rtol=1e-10, atol=1e-12)
    h, J, q, dq, past, found = 0.05, 0.26, 0.3, 0.0, [0.3, 0.3, 0.3], []
    for k in range(21):
        past = [q, *past[:2]] if k else past
        u = -2.0 * past[2]
        if k % 2 == 0:
            found.append((q, dq, u))
        q, dq = q + h * dq + 0.5 * h**2 * u / J, dq + h * u / J
    expected = np.array(found)
    np.testing.assert_allclose(run.joints[:, 0], expected[:, 0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.joint_rates[:, 0], expected[:, 1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.command[:, 0], expected[:, 2], rtol=0, atol=1e-10)
    # Records are 0.1 s apart, the delay: what is read late is the reading of the record before.
    np.testing.assert_allclose(run.sensed["late"][1:], run.sensed["q"][:-1], rtol=0, atol=1e-15)

    def end(gain):
        spring = fb.Reflex(lambda t, sensed: -gain * sensed["late"], late)
        law = gaits.Steered(None, spring, torque=lambda t, q, dq, u: u)
        fixed = {"controller": diffrax.ConstantStepSize(), "dt0": 0.025}
        return mb.rollout(arm(False), law, t1=0.4, samples=3, joints=[0.3], **fixed).joints[-1, 0]

    end = jax.jit(end)
    slope, central = float(jax.grad(end)(2.0)), float((end(2.0 + 1e-4) - end(2.0 - 1e-4)) / 2e-4)
    assert abs(slope - central) <= 1e-6 * max(1.0, abs(central)) and abs(slope) > 1e-3


@pytest.mark.slow
def test_a_register_on_a_beam():
    """The late heading of a swim is that of the record before, which is the delay apart."""
    late = fb.Delayed(fb.Heading(name="late"), LATE)
    turn = fb.Reflex(lambda t, sensed: jnp.stack([0.5 * sensed["late"]]), late, fb.Heading())
    run = cosserat.rollout(EEL, gaits.Steered(LAW, turn, servo=fb.Servo(1.0)), WATER, t1=0.4, samples=5)
    np.testing.assert_allclose(run.sensed["late"][1:], run.sensed["heading"][:-1], rtol=0, atol=1e-15)
    assert float(jnp.max(jnp.abs(run.sensed["late"]))) > 1e-3


def test_what_a_register_cannot_do_is_refused():
    for parts, words in (
        ((-0.1, 0.05), r"ShiftRegister.time = -0.1: must be finite and not negative \[s\]"),
        ((0.1, 0.0), r"ShiftRegister.sampling = 0.0: must be finite and positive \[s\]"),
        ((0.12, 0.05), "must be a whole multiple of sampling = 0.05 s"),
    ):
        with pytest.raises(ValueError, match=words):
            fb.ShiftRegister(*parts)
    held = lambda *sensors: gaits.Steered(None, fb.Hold([0.0], *sensors), torque=lambda t, q, dq, u: u)  # noqa: E731
    late = fb.Delayed(ANGLE[0], LATE)
    with pytest.raises(ValueError, match=r"samples every 0.05 s.*0.3 s apart|samples every 0.05 s.*0.333"):
        mb.rollout(arm(False), held(late), t1=1.0, samples=4)
    with pytest.raises(ValueError, match=r"every \[0.05, 0.1\] s: must be the same"):
        mb.rollout(arm(False), held(late, fb.Delayed(ANGLE[1], fb.ShiftRegister(0.1, 0.1))), t1=1.0, samples=11)
    with pytest.raises(ValueError, match="a soft beam takes no ShiftRegister"):
        thread = cosserat.Thread((0.006, 0.0), gaits.Commanded())
        pulled = fb.Hold([0.0], fb.Delayed(fb.ThreadLength(0), LATE))
        cosserat.rollout(rod(thread), gaits.Steered(None, pulled), t1=0.5, samples=6)


# Refusals, all before anything is compiled for a run.


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        (fb.Hold([0.0], fb.JointPosition("knee")), "sensor 'joint_knee'.*has no joints"),
        (fb.Hold([0.0], fb.Heading(2.5)), "sensor 'heading'.*between the nose"),
        (fb.Hold([0.0], fb.Strain((0.1, -0.2))), "sensor 'strain'.*between the nose"),
        (fb.Hold([0.0], fb.Depth("head")), "sensor 'depth'.*abscissa"),
        (fb.Hold([0.0], fb.ThreadLength(0)), "sensor 'length_0'.*no threads"),
        (fb.Reflex(lambda t, sensed: sensed["heading"], fb.Heading()), r"command of shape \(\).*\(m,\)"),
        (fb.Reflex(lambda t, sensed: sensed["depth"], fb.Heading()), "asks for sensed.*heading"),
        (fb.Hold([0.0, 1.0]), r"Offset of \('K3',\) needs 1"),
    ],
)
def test_what_does_not_fit_a_beam_is_refused(controller, words):
    with pytest.raises(ValueError, match=words):
        cosserat.rollout(EEL, gaits.Steered(LAW, controller, servo=fb.Servo(1.0)), WATER)


class WrongRate(fb.AbstractController):
    sensors: tuple = ()

    def start(self):
        return jnp.zeros(2)

    def __call__(self, t, sensed, memory):
        return jnp.zeros(1), jnp.zeros(3)


def test_what_does_not_fit_a_tree_is_refused():
    tree = arm(True)
    moved = lambda controller, **more: gaits.Steered(lambda t, y: y, controller, servo=fb.Servo(1.0), **more)  # noqa: E731
    for controller, words in (
        (fb.Hold([0.0], fb.JointPosition("knee")), "sensor 'joint_knee'.*one of hinge"),
        (fb.Hold([0.0], fb.Position("leg")), "sensor 'position'.*one of wall, arm"),
        (fb.Hold([0.0], fb.Strain(0.2)), "sensor 'strain'.*no strain"),
        (fb.Hold([0.0, 1.0]), r"law returns shape \(2,\)"),
        (WrongRate(), r"memory_rate of shape \(3,\).*shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=words):
            mb.rollout(tree, moved(controller))
    with pytest.raises(ValueError, match=r"torque returns shape \(2,\): must be \(1,\)"):
        mb.rollout(tree, moved(fb.Hold([0.0]), torque=lambda t, q, dq, u: jnp.zeros(2)))


def test_bad_parts_are_refused():
    with pytest.raises(ValueError, match=r"Delay.time = -0.1: must be finite and positive \[s\]"):
        fb.Delay(-0.1)
    with pytest.raises(ValueError, match="two are named 'heading'"):
        gaits.Steered(LAW, fb.Hold([0.0], fb.Heading(), fb.Heading(1.0)), servo=fb.Servo(1.0))
    with pytest.raises(ValueError, match="Reflex makes one of a function"):
        gaits.Steered(LAW, lambda t, sensed: sensed, servo=fb.Servo(1.0))
    with pytest.raises(ValueError, match="replay"):
        cosserat.internal_wrench(EEL, steered(0.1), WATER, cosserat.HeadState(), 0.0)
    follows = fb.Reflex(lambda t, sensed: sensed["heading"][None], fb.Heading())
    with pytest.raises(ValueError, match="follows the sensors at once"):
        cosserat.rollout(EEL, gaits.Steered(LAW, follows, servo=fb.Smooth()), WATER)


def test_a_controller_that_returns_nan_is_named():
    broken = fb.Reflex(lambda t, sensed: jnp.sqrt(-1.0 - sensed["q"]), *ANGLE)
    law = gaits.Steered(None, broken, torque=lambda t, q, dq, u: u)
    with pytest.raises(Exception, match="controller returned a command that is NaN"):
        mb.rollout(arm(False), law, t1=0.1, samples=2, max_steps=50)


# Soft beams.


def rod(actuators=(), head=None):
    """A short soft rod that bends, damped."""
    body = cosserat.rod(length=0.4, b=0.01, c=0.012)
    law = cosserat.Elastic(young=2e5, damping_time=0.05)
    return cosserat.Soft(
        body,
        cosserat.FreeStrains(modes={"K3": 2}),
        law,
        actuators=actuators,
        head=cosserat.Clamped() if head is None else head,
    )


@pytest.mark.slow
def test_the_tension_of_a_thread_by_feedback_is_that_of_its_own_law():
    """T = 3 + 40 (ℓ - 0.4) by a sensor of the length and a command, against the same law inside the thread."""
    pull = fb.Reflex(
        lambda t, sensed: jnp.stack([3.0 + 40.0 * (sensed["length_0"] - 0.4)]), fb.ThreadLength(0), fb.ThreadTension(0)
    )
    commanded = rod(cosserat.Thread((0.006, 0.0), gaits.Commanded()))
    own = rod(cosserat.Thread((0.006, 0.0), gaits.StateTension(lambda t, length, rate, u: 3.0 + 40.0 * (length - 0.4))))
    how = {"t1": 0.5, "samples": 6, "dt0": 0.02}
    driven = cosserat.rollout(commanded, gaits.Steered(None, pull), **how)
    built = cosserat.rollout(own, None, **how)
    assert float(jnp.max(jnp.abs(built.q))) > 0.1
    np.testing.assert_allclose(driven.q, built.q, rtol=0, atol=1e-11)
    # The filtered tension has settled on the command: both are slow against 10 ms.
    np.testing.assert_allclose(driven.sensed["tension_0"][-1], driven.command[-1, 0], rtol=2e-2)


@pytest.mark.slow
def test_the_power_of_a_steered_soft_body_is_balanced():
    """Imposed strains + threads = d/dt(T + U) + viscous loss at recorded instants, both steered: 1e-8 W.

    The powers are those of the record; the rate is the derivative of the energy along its own rates of all states.
    """
    body = cosserat.rod(length=0.4, b=0.01, c=0.012)
    thread = cosserat.Thread((0.006, 0.0), gaits.Commanded())
    law = cosserat.Elastic(young=2e5, damping_time=0.05)
    soft = cosserat.Soft(body, cosserat.FreeStrains(start=0.2, modes={"K3": 2}), law, actuators=thread)
    bent = lambda X, t, y: jnp.array([1.0, 0, 0, 0, 0, 0]).at[5].add(y[0])  # noqa: E731
    both = fb.Reflex(
        lambda t, sensed: jnp.stack([2.0 - sensed["strain"], 3.0 + sensed["heading"]]), fb.Strain(0.35), fb.Heading()
    )
    gait = gaits.Steered(bent, both, servo=fb.Servo(2.0))
    run = cosserat.simulate(soft, gait, t1=0.2, samples=5, progress=False)
    sampled, void = sample_soft(soft, hydro.Void(), 16, 2), hydro.Void()

    def energy(t, quaternion, twist, q, dq, y, dy):
        still = MotionAt(bent, t, jnp.stack([y, dy, jnp.zeros_like(y)]))
        state = unchecked_soft_state(unchecked_state(jnp.zeros(3), quaternion, twist), q, dq)
        sums = soft_energetics(sampled, void, soft_instant(sampled, still, void, state, t, jnp.zeros(1)))
        return sums.kinetic + sums.elastic

    @jax.jit
    def rate(t, quaternion, twist, twist_rate, q, dq, ddq, y, dy, ddy):
        turning = quaternion_rate(quaternion, twist[3:])
        states, rates = (t, quaternion, twist, q, dq, y, dy), (jnp.ones(()), turning, twist_rate, dq, ddq, dy, ddy)
        return jax.jvp(energy, states, rates)[1]

    names = ("time", "head_quaternion", "head_twist", "head_twist_rate", "modes", "mode_rates", "mode_accelerations")
    names = (*names, "servo_output", "servo_rate", "servo_acceleration")
    for k in range(1, 5):
        found = float(rate(*(jnp.asarray(run[name].values[k]) for name in names)))
        given = float((run.actuator_power + run.muscle_power - run.viscous_loss)[k])
        assert abs(given - found) <= 1e-8, (k, given - found)
    assert float(abs(run.muscle_power).max()) > 1e-2 and float(abs(run.actuator_power).max()) > 1e-3
