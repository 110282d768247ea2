"""The 36-joint eel robot of [KR13, VI] and the claims made for it."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb
from anguilla import robots
from spatial import quaternion_rate

pytestmark = pytest.mark.slow

ROUND_TRIP = 1e-10  # inverse then direct dynamics, relative
SETTLED = 0.02  # gain of speed in four seconds below which the final one would be reached
SPEED = (0.33, 0.135)  # independent computation with other masses; paper's and Kirchhoff's added mass [m/s]
MASSES = 0.15  # relative: masses of the links are not published, and speed follows them


@pytest.fixture(scope="module")
def eel():
    return robots.eel.model()


@pytest.fixture(scope="module")
def swims(eel):
    law = robots.eel.eel_law()
    return {
        form: mb.simulate(eel, law, hydro.Morison(added_mass=form), 30.0, samples=301, progress=False)
        for form in ("paper", "kirchhoff")
    }


def test_table_1_stretches_to_the_published_length(eel):
    place = jax.jit(mb.configuration)(eel, eel.neutral())
    np.testing.assert_allclose(place.position[-1], [2.08, 0, 0], atol=1e-12)
    assert len(eel.kinds) == 36 and set(eel.kinds) == {"revolute"}
    x_head = place.rotation[3::3, :, 2]  # z of the links along x of the head
    np.testing.assert_allclose(x_head, np.tile([1.0, 0, 0], (12, 1)), atol=1e-12)
    massless = [i for i, name in enumerate(eel.names) if "frame" in name]
    assert len(massless) == 24
    np.testing.assert_array_equal(eel.inertia[np.array(massless)], 0.0)


def grouped_eel(eel):
    """The same robot with one spherical joint for each three revolutes; link frames moved back to their joint."""
    start = jax.jit(mb.configuration)(eel, eel.neutral())
    back = np.array([0.0, 0.0, 0.14])
    links = [mb.Link("l0", inertia=eel.inertia[0])]
    for j in range(1, 13):
        R0, p0 = start.rotation[3 * (j - 1)], start.position[3 * (j - 1)]
        R1, p1 = start.rotation[3 * j], start.position[3 * j]
        position = R0.T @ (p1 - R1 @ back - p0) + (back if j > 1 else 0.0 * back)
        shift = np.eye(6)
        shift[:3, 3:] = -np.array([[0, -0.14, 0], [0.14, 0, 0], [0, 0, 0]])  # V_link = V_joint + Ω × 0.14 z
        inertia = shift.T @ np.asarray(eel.inertia[3 * j]) @ shift
        joint = mb.spherical(rotation=R0.T @ R1, position=position)
        links.append(mb.Link(f"l{j}", f"l{j - 1}", joint, inertia=inertia))
    return mb.from_links(links)


def quaternion(R):
    w = 0.5 * jnp.sqrt(1.0 + R[0, 0] + R[1, 1] + R[2, 2])
    v = jnp.stack([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w)
    return jnp.concatenate([w[None], v])


def test_virtual_links_equal_spherical_joints(eel):
    """Three revolutes through massless links against one spherical joint: same head acceleration, same power."""
    rng = np.random.default_rng(2)
    q, dq, ddq = (jnp.asarray(rng.normal(size=36) * 0.3) for _ in range(3))
    state = mb.BaseState(twist=rng.normal(size=6))
    spheres = grouped_eel(eel)

    def same_motion(t):
        turn = mb.configuration(eel, q + t * dq + 0.5 * t**2 * ddq).rotation[::3]
        relative = [spheres.rotation[j].T @ turn[j].T @ turn[j + 1] for j in range(12)]
        return jnp.concatenate([quaternion(R) for R in relative])

    serial = jax.jit(mb.inverse_dynamics)(eel, state, q, dq, ddq)
    motion = jax.jit(lambda t: mb.law_motion(spheres, same_motion, t))(jnp.zeros(()))
    grouped = jax.jit(mb.inverse_dynamics)(spheres, state, *motion)
    np.testing.assert_allclose(grouped.base_acceleration, serial.base_acceleration, rtol=1e-9, atol=1e-9)
    power = lambda torque, rate: np.sum(np.reshape(torque * rate, (12, 3)), axis=1)  # noqa: E731
    np.testing.assert_allclose(power(grouped.torque, motion[1]), power(serial.torque, dq), rtol=1e-8, atol=1e-9)


def test_it_swims_straight_and_forward(swims):
    for form, speed in zip(("paper", "kirchhoff"), SPEED, strict=True):
        swim = swims[form]
        x, y, z = swim.centre_of_mass.values[-1] - swim.centre_of_mass.values[-41]
        assert abs(-x / 4.0 - speed) < MASSES * speed
        assert abs(y) < 0.05 * abs(x) and abs(z) < 1e-9
        assert abs(swim.head_position.values[:, 1]).max() < 0.5
    # It is still gaining speed after ten seconds, as published; but thirty do not suffice for a final one.
    x = swims["paper"].centre_of_mass.values[:, 0]
    assert (x[80] - x[120]) < 0.9 * (x[260] - x[300])
    assert (x[260] - x[300]) / (x[220] - x[260]) > 1.0 + SETTLED


def test_torques_against_the_actuators(swims):
    """Published: within ±4 N·m (yaw, pitch), ±0.7 N·m (roll). Reached: yaw 4.6 in the start, then 4.2; else zero."""
    torque = np.abs(swims["paper"].torque.values).reshape(301, 12, 3)
    limits = robots.eel.EEL_TORQUE_LIMITS.reshape(12, 3)
    assert np.all(torque[:, :, 1:] < limits[None, :, 1:])
    whole, late = np.max(torque[:, :, 0]), np.max(torque[100:, :, 0])
    assert 1.1 * limits[0, 0] < whole < 1.2 * limits[0, 0]  # which is not "within"
    assert 1.0 * limits[0, 0] < late < 1.1 * limits[0, 0]


def test_inverse_then_direct_along_ten_seconds(eel, swims):
    """At every output the torques found give back the very accelerations, as [KR13, VI.A] claims."""
    swim = swims["paper"].isel(time=slice(0, 101))
    medium = mb.immerse(eel, hydro.Morison())

    @jax.jit
    def back(k):
        q, dq, ddq, tau = (
            jnp.asarray(swim[name].values)[k]
            for name in ("joint_position", "joint_velocity", "joint_acceleration", "torque")
        )
        state = mb.state.unchecked_state(
            *(jnp.asarray(swim[name].values)[k] for name in ("head_position", "head_quaternion", "head_twist"))
        )
        found = mb.forward_dynamics(eel, state, q, dq, tau, fluid=medium)
        return found.base_acceleration - jnp.asarray(swim.head_twist_rate.values)[k], found.acceleration - ddq

    base, joints = jax.lax.map(back, jnp.arange(101))
    assert np.max(np.abs(base)) < ROUND_TRIP * np.max(np.abs(swim.head_twist_rate.values))
    assert np.max(np.abs(joints)) < ROUND_TRIP * np.max(np.abs(swim.joint_acceleration.values))


PIECE, STEP = 0.5, 0.01  # torques are fed back for half a second at a time, by steps of order eight [s]


@pytest.fixture(scope="module")
def twin(eel):
    """A function (restart, push) -> deviations, at the end of each half second, of a twin driven by torques alone.

    The law moves the eel and gives the torques; the twin, in the same integration, has nothing but these
    torques. It is put back on the eel, plus a push of its joints, at the beginning of the pieces marked.
    """
    law, medium = robots.eel.eel_law(), mb.immerse(eel, hydro.Morison())
    still = (jnp.zeros(3), jnp.asarray([1.0, 0, 0, 0]), jnp.zeros(6))

    def rates(base, motion):
        state = mb.state.unchecked_state(*base)
        return (state.rotation @ base[2][:3], quaternion_rate(base[1], base[2][3:]), motion.base_acceleration)

    def field(t, y, _):
        led, free, q, dq = y
        prescribed = mb.inverse_dynamics(eel, mb.state.unchecked_state(*led), *mb.law_motion(eel, law, t), fluid=medium)
        answer = mb.forward_dynamics(eel, mb.state.unchecked_state(*free), q, dq, prescribed.torque, fluid=medium)
        return rates(led, prescribed), rates(free, answer), dq, answer.acceleration

    @jax.jit
    def deviations(restart, push):
        def piece(y, at):
            t, again = at
            q, dq, _ = mb.law_motion(eel, law, t)
            y = jax.tree.map(lambda new, old: jnp.where(again, new, old), (y[0], y[0], q + push, dq), y)
            end = diffrax.diffeqsolve(
                diffrax.ODETerm(field), diffrax.Dopri8(), t, t + PIECE, STEP, y, max_steps=128,
                stepsize_controller=diffrax.ConstantStepSize(),
            ).ys  # fmt: skip
            led, free, q, dq = y = jax.tree.map(lambda x: x[-1], end)
            wanted = mb.law_motion(eel, law, t + PIECE)
            apart = [q - wanted[0], dq - wanted[1], *jax.tree.map(jnp.subtract, free, led)]
            return y, jnp.max(jnp.abs(jnp.concatenate(apart)))

        times = PIECE * jnp.arange(restart.shape[0])
        return jax.lax.scan(piece, (still, still, jnp.zeros(36), jnp.zeros(36)), (times, restart))[1]

    return deviations


def test_torques_fed_back_give_the_same_swim(twin):
    """Ten seconds of [KR13, VI.A]'s claim, open loop: half a second each, for the posture is unstable (see below)."""
    assert np.max(twin(jnp.ones(20, bool), jnp.zeros(36))) < ROUND_TRIP


def test_torques_alone_cannot_hold_the_posture(twin):
    """Why the pieces are short: a push of 1e-10 rad grows a thousandfold in half a second of swimming.

    Left alone from rest, the twin keeps 1e-10 for two and a half seconds and is lost after five.
    """
    pushed = twin(jnp.ones(20, bool), 1e-10 * jnp.asarray(np.random.default_rng(0).normal(size=36)))
    assert np.max(pushed[4:]) > 1e3 * 1e-10
    alone = twin(jnp.zeros(20, bool).at[0].set(True), jnp.zeros(36))
    assert np.max(alone[:5]) < ROUND_TRIP
    assert not np.max(alone[8:10]) < 1e-3
