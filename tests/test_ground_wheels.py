"""Ideal wheels: advance of a serpenoid, follow the leader, forces without work, a hand-written tree, refusals."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import j0

import cosserat
import gaits
import hydro
import multibody
from anguilla import ground
from anguilla.ground.axles import kinematic_twist
from anguilla.ground.rolling import roller_of
from cosserat.state import unchecked_state

ROD = cosserat.Beam(hydro.uniform_profile(1.0, 0.02, 0.02), load_panels=(6,))
MANY = ground.Wheels.everywhere(ROD, 9)


def _bend(X, t):
    return 5.0 * X


# Neither straight nor a circle: three axles never meet in one point.
BENT = gaits.planar_bending(gaits.TravellingWave(1.0, 1.0, 1.0) + gaits.Function(_bend))


@pytest.mark.parametrize("alpha", [np.pi / 6, 1.0])
def test_serpenoid_advances_by_bessel(alpha):
    """λ J0(α) per wave, whatever the wheels: seven digits and more."""
    run = ground.roll(ROD, gaits.serpenoid(alpha, 1.0), MANY, t1=1.0, samples=3)
    assert abs(np.linalg.norm(run.position[-1]) - j0(alpha)) < 1e-6
    assert np.abs(run.slip).max() < 1e-7  # nine wheels agree up to the nodes of the shape
    assert np.abs(run.wheel_power).max() < 1e-10


def test_follow_the_leader_passes_where_the_head_has_passed():
    """The head goes along the path of the given curvature, by quadrature of the heading; all wheels agree."""
    gait = gaits.follow_the_leader(lambda s: 3.0 * jnp.sin(2.0 * s) + 2.0 * s, lambda t: 0.3 * t + 0.2 * t * t)
    run = ground.roll(ROD, gait, MANY, t1=1.0, samples=3)
    heading = lambda s: 1.5 * (1.0 - np.cos(2.0 * s)) + s * s  # noqa: E731  ∫κ, from the first direction -t1
    length = 0.5
    # Curvature is positive about +z for a body that runs tailwards; headwards the path turns the other way.
    x = -quad(lambda s: np.cos(heading(s)), 0, length)[0]
    y = quad(lambda s: np.sin(heading(s)), 0, length)[0]
    np.testing.assert_allclose(run.position[-1, :2], [x, y], atol=1e-7)
    V = np.asarray(run.twist)
    speed = 0.3 + 0.4 * np.asarray(run.time)
    np.testing.assert_allclose(V[:, 0], -speed, atol=1e-9)
    kappa = 3.0 * np.sin(2.0 * (0.3 * run.time + 0.2 * run.time**2)) + 2.0 * (0.3 * run.time + 0.2 * run.time**2)
    np.testing.assert_allclose(V[:, 5], kappa * V[:, 0], atol=1e-8)  # Ω3 = K3 V1


@pytest.mark.slow
@pytest.mark.parametrize("wheels", [(0.2, 0.8), (0.1, 0.45, 0.9)])
def test_forces_close_the_tail_and_do_no_work(wheels):
    """n(L) = M(L) = 0 with the forces of the wheels; actuators = friction + rate of kinetic energy without them."""
    wheels, rough = ground.Wheels(wheels), ground.Friction(0.2, 0.3, width=0.05)
    run = ground.roll(ROD, BENT, wheels, rough, t1=0.5, samples=3, rtol=1e-7, atol=1e-9)
    assert np.abs(run.slip).max() < 1e-13
    assert np.abs(run.wheel_power).max() < 1e-10
    assert np.abs(run.force).max() > 0.1
    found = ground.rolling_wrench(ROD, BENT, wheels, run, 1, rough)
    assert np.abs(found.tail).max() < 1e-9
    gain, taken = _energy_rate(rough, run.state(1), run.twist_rate[1], run.time[1])
    assert abs(float(found.actuator_power - gain - taken)) < 1e-6  # Gauss nodes between the wheels


@eqx.filter_jit
def _energy_rate(rough, state, rate, t):
    def kinetic(twist, t):
        return cosserat.energetics(ROD, BENT, rough, unchecked_state(state.position, state.quaternion, twist), t)

    sums = kinetic(state.twist, t)
    gain = jax.jvp(lambda v, t: kinetic(v, t).kinetic, (state.twist, t), (rate, jnp.ones(())))[1]
    return gain, sums.dissipation


@pytest.mark.slow
def test_friction_tends_to_wheels_as_the_inverse_of_the_sideways_coefficient():
    """Slow serpenoid: the slip falls like forward over sideways, first order measured."""
    gait = gaits.serpenoid(0.6, 1.0, period=8.0)
    wheels = ground.roll(ROD, gait, MANY, t1=8.0, samples=2)
    ideal = np.linalg.norm(wheels.position[-1])
    start = cosserat.HeadState(twist=wheels.twist[0])
    errors = []
    for sideways in (4.0, 8.0, 16.0):
        rough = ground.Friction(0.05, sideways, width=1e-2)
        run = cosserat.rollout(ROD, gait, rough, 16.0, samples=3, state=start, rtol=1e-6, atol=1e-8)
        errors.append(ideal - np.linalg.norm(run.position[2] - run.position[1]))
    assert errors[-1] < 0.05
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(order - 1.0) < 0.15), (errors, order)


# --- trees -----------------------------------------------------------------------------------------------------------

LINK = 0.3


def three_links():
    """Three links with wheels at their middles, as by hand below."""
    joint = lambda name: multibody.revolute((0, 0, 1), position=(LINK, 0, 0), name=name)  # noqa: E731
    about = np.diag([1e-4, 2e-3, 2e-3])
    body = {"mass": 0.5, "centre": (LINK / 2, 0, 0), "about_centre": about}
    return multibody.from_links(
        [
            multibody.Link("a", **body),
            multibody.Link("b", "a", joint("first"), **body),
            multibody.Link("c", "b", joint("second"), **body),
        ]
    )


def joint_angles(t):
    return jnp.array([0.9 + 0.2 * jnp.sin(2 * t), -0.7 + 0.3 * jnp.cos(2 * t)])


def test_tree_on_wheels_against_a_hand_written_kinematic_model():
    """Three links by trigonometry alone, integrated by scipy; torques by the power balance."""
    tree, mid = three_links(), (LINK / 2, 0.0, 0.0)
    wheels = ground.TreeWheels(["a", "b", "c"], position=mid)
    run = ground.roll(tree, joint_angles, wheels, t1=2.0, samples=5)

    def head_rates(t, y):
        p1, p2 = 0.9 + 0.2 * np.sin(2 * t), -0.7 + 0.3 * np.cos(2 * t)
        d1, d2 = 0.4 * np.cos(2 * t), -0.6 * np.sin(2 * t)
        a = y[2]
        angles, lever = [a, a + p1, a + p1 + p2], LINK
        rows, right = [], []
        for k, angle in enumerate(angles):
            n = np.array([-np.sin(angle), np.cos(angle)])
            # Velocity of the middle of link k: head + Σ rates × arms, arms of earlier links whole, its own half.
            arms = [lever if j < k else lever / 2 for j in range(k + 1)]
            tangent = [arm * np.array([-np.sin(b), np.cos(b)]) for arm, b in zip(arms, angles, strict=False)]
            whole = sum(tangent)
            joint = d1 * sum(tangent[1:], np.zeros(2)) + d2 * sum(tangent[2:], np.zeros(2))
            rows.append([n[0], n[1], n @ whole])
            right.append(-n @ joint)
        return np.linalg.solve(rows, right)

    by_hand = solve_ivp(head_rates, (0, 2), [0, 0, 0], t_eval=run.time, rtol=1e-11, atol=1e-12).y
    np.testing.assert_allclose(run.position[:, :2], by_hand[:2].T, atol=1e-7)
    angle = 2 * np.arctan2(run.quaternion[:, 3], run.quaternion[:, 0])
    np.testing.assert_allclose(angle, by_hand[2], atol=1e-7)
    assert np.abs(run.wheel_power).max() < 1e-10

    # Power of the motors = rate of kinetic energy.
    def kinetic(twist, t):
        q, dq, _ = multibody.law_motion(tree, joint_angles, t)
        return multibody.kinetic_energy(tree, unchecked_state(run.position[2], run.quaternion[2], twist), q, dq)

    t = run.time[2]
    gain = jax.jvp(kinetic, (run.twist[2], t), (run.twist_rate[2], jnp.ones(())))[1]
    rates = jax.jacfwd(joint_angles)(t)
    assert abs(float(jnp.dot(run.torque[2], rates) - gain)) < 1e-10
    assert abs(float(gain)) > 1e-4


@eqx.filter_jit
def _kinematic(roller):
    return kinematic_twist(*roller.axles(jnp.asarray(0.3)).constraint())


def test_beam_against_chain_on_wheels_is_second_order():
    """Twist of the head on three wheels that sit at the same sections."""
    at = np.array([0.0, 0.5, 1.0])
    beam = _kinematic(roller_of(ROD, BENT, ground.Wheels(at), hydro.Void(), None))
    errors = []
    for links in (9, 17):
        tree, law = multibody.from_beam(ROD, links), multibody.strain_law(BENT, 1.0, links)
        pitch = 1.0 / (links - 1)
        names = [f"link{round(x / pitch)}" for x in at]
        # A link is centred on its section; its frame stands half a link ahead, but for the first.
        middle = [[0.0, 0, 0], [pitch / 2, 0, 0], [pitch / 2, 0, 0]]
        wheels = ground.TreeWheels(names, position=middle)
        chain = _kinematic(roller_of(tree, law, wheels, hydro.Void(), None))
        errors.append(np.abs(np.asarray(chain - beam)).max())
    order = np.log2(errors[0] / errors[1])
    assert abs(order - 2.0) < 0.3, (errors, order)


# --- refusals --------------------------------------------------------------------------------------------------------


def test_refusals():
    wave = gaits.serpenoid(0.5, 1.0)
    roll = lambda gait, X, **k: ground.roll(ROD, gait, ground.Wheels(X), t1=1.0, **k)  # noqa: E731
    with pytest.raises(ValueError, match="at least one wheel"):
        ground.Wheels([])
    with pytest.raises(ValueError, match="strictly increasing"):
        ground.Wheels([0.5, 0.5])
    with pytest.raises(ValueError, match="on the body"):
        roll(wave, [0.2, 0.5, 1.2])
    with pytest.raises(ValueError, match="nearer than the"):
        roll(wave, [0.2, 0.201, 0.9])
    with pytest.raises(ValueError, match="meet in one point"):
        roll(wave, [0.1, 0.4, 0.8])
    with pytest.raises(ValueError, match="need a slip of"):
        roll(BENT, [0.1, 0.4, 0.6, 0.8])
    with pytest.raises(ValueError, match="out of the plane"):
        roll(gaits.spiral(), [0.1, 0.4, 0.6])
    with pytest.raises(ValueError, match="must lie in the plane"):
        roll(BENT, [0.1], state=cosserat.HeadState(twist=(0, 0, 1.0, 0, 0, 0)))
    with pytest.raises(ValueError, match="is not a body"):
        ground.roll(three_links(), joint_angles, ground.TreeWheels(["z"]), t1=1.0)
    with pytest.raises(ValueError, match="takes ground.TreeWheels"):
        ground.roll(three_links(), joint_angles, ground.Wheels([0.1]), t1=1.0)
