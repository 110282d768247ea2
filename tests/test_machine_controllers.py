"""Controllers of the machines: gaze of NATRIX, balance of the rowing boat, hover of the moth in a gust."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb
from anguilla.robots import moth, natrix, rower
from anguilla.robots.moth.hover_control import CHANNELS, SteeredStroke
from anguilla.robots.natrix.gaze_control import GazeLaw, roll_inertia
from anguilla.robots.natrix.roll import initial_rolls, rest_states, undulating
from anguilla.robots.rower.balance import heeled, periodic_gain, rolling, sitting, upright_start
from hydro.hull import Fin
from multibody.coordinates import law_motion
from multibody.state import unchecked_state
from spatial import quaternion_rate

# NATRIX.

# Without damping, as published; a damping of zero shares its program with the damped water.
SURFACE, AMPLITUDE, BAND = hydro.FreeSurface(roll_damping=0.0), 0.25, 1.36  # [rad], [Hz]: some runs capsize there
DAMPING = 0.004  # of the synthetic water [N·s]
START, SETTLED, END = 2.0, 4.0, 22.0  # start of the undulation, from when on the roll counts, last time [s]


@pytest.fixture(scope="module")
def snake():
    return natrix.model()


def swim(tree, water, frequency, roll, t1=END):
    """NATRIX from rest with an initial roll [rad], shells and neck under control."""
    steered = natrix.gaze(tree, water, natrix.natrix_undulation(AMPLITUDE, frequency, start=START))
    state = jax.tree.map(lambda part: part[0], rest_states(tree, SURFACE, [roll]))
    fixed = {"controller": diffrax.ConstantStepSize(), "dt0": 0.005, "max_steps": 12500}
    return steered, mb.rollout(tree, steered, water, t1, state=state, gravity=hydro.EARTH, samples=301, **fixed)


def rms(time, values):
    return float(np.sqrt(np.mean(np.square(np.asarray(values)[np.asarray(time) > SETTLED]))))


def open_loop(tree, water, frequency, rolls):
    states = rest_states(tree, SURFACE, rolls)
    return undulating(tree, water, states, AMPLITUDE, frequency, t1=END, start=START)


@pytest.mark.slow
def test_the_roll_of_the_head_is_five_times_smaller_in_the_capsizing_band(snake):
    """At 1.36 Hz, with buoyancy only and with damping; a run at 1.38 Hz that capsizes without control stays upright.

    With buoyancy only for a minute, in which the shells make less than half a turn: nothing dissipates the heave, which
    resonates with twice the frequency of the undulation, so that the mean couple on the roll varies slowly.
    """
    rolls = [-0.08, 0.03]
    for water, k, t1 in ((SURFACE, 0, 60.0), (SURFACE, 1, 60.0), (hydro.FreeSurface(roll_damping=DAMPING), 0, END)):
        free = open_loop(snake, water, BAND, rolls)
        _, run = swim(snake, water, BAND, rolls[k], t1)
        least, most = rms(run.time, run.sensed["roll"]), rms(free.time, free.roll[:, k])
        assert most > 5.0 * least, (rolls[k], np.rad2deg(least), np.rad2deg(most))
        assert float(jnp.abs(run.command[:, 0]).max()) < np.pi
    # The neck keeps heading and pitch, which nothing asks for: the head yaws by some degrees with every beat else.
    assert rms(run.time, run.sensed["heading"]) < np.deg2rad(0.5) > rms(run.time, run.sensed["pitch"])
    tipping = float(initial_rolls(16)[4])
    assert float(jnp.abs(open_loop(snake, SURFACE, 1.38, [tipping, 0.0]).roll).max()) > np.pi / 2
    _, run = swim(snake, SURFACE, 1.38, tipping)
    assert float(jnp.abs(run.sensed["roll"]).max()) < np.deg2rad(8.0)  # it starts with 2.3 degrees


@pytest.mark.slow
def test_the_power_of_the_shells_and_the_neck_is_balanced(snake):
    """d/dt(kinetic + weight + buoyancy) along the states equals the power of the motors, at instants: 1e-8 W."""
    steered, run = swim(snake, SURFACE, BAND, 0.05)
    law, gravity = steered.replay(run.feedback), jnp.asarray(hydro.EARTH)

    @jax.jit
    def residual(k):
        q, dq, ddq = law_motion(snake, law, run.time[k])
        state = unchecked_state(run.position[k], run.quaternion[k], run.twist[k])
        found = mb.inverse_dynamics(snake, state, q, dq, ddq, fluid=SURFACE, gravity=gravity)

        def energy(position, quaternion, twist, q, dq):
            at = unchecked_state(position, quaternion, twist)
            still = mb.potential_energy(snake, at, q, gravity) + mb.fluid_potential(snake, SURFACE, at, q)
            return mb.kinetic_energy(snake, at, q, dq) + still

        twist = state.twist
        rates = (
            state.rotation @ twist[:3],
            quaternion_rate(state.quaternion, twist[3:]),
            found.base_acceleration,
            dq,
            ddq,
        )
        at = (state.position, state.quaternion, twist, q, dq)
        return jax.jvp(energy, at, rates)[1] - found.torque @ dq, found.torque @ dq

    for k in (80, 150, 290):
        left, power = residual(k)
        assert abs(float(left)) <= 1e-8 and abs(float(power)) > 1e-4


@pytest.mark.slow
def test_roll_damping_is_identified_from_a_decay_test(snake):
    """A synthetic record with 1 mrad of noise: found within three standard deviations, which are small."""
    water, guess = hydro.FreeSurface(roll_damping=DAMPING), hydro.FreeSurface(roll_damping=0.02)
    record = np.asarray(natrix.decay_record(snake, water))
    noisy = record + 1e-3 * np.random.default_rng(0).standard_normal(record.shape)
    found = natrix.identified_damping(snake, guess, noisy, noise=1e-3)
    deviation = 0.25 * float(np.diff(found.interval[0])[0])
    assert abs(found.estimate[0] - DAMPING) < 3.0 * deviation < 0.05 * DAMPING
    with pytest.raises(ValueError, match="give a first guess"):
        natrix.identified_damping(snake, hydro.FreeSurface(), record)


@pytest.mark.slow
def test_the_shells_are_designed_as_reaction_wheels(snake):
    """Inertia by hand; k and d give the bandwidth and the damping ratio that were asked for.

    A constant roll leaves the shells in their neutral position in the end.
    """
    about = roll_inertia(snake, hydro.FreeSurface(roll_damping=DAMPING))
    modules = float(jnp.sum(snake.inertia[3:, 3, 3]))  # modules and shells lie on the axis
    assert float(about.shells) == pytest.approx(float(jnp.sum(snake.inertia[9:, 3, 3])), rel=1e-12)
    assert modules < float(about.whole) < 1.5 * modules
    wave = natrix.natrix_undulation(AMPLITUDE, BAND)
    hold = natrix.gaze(snake, hydro.FreeSurface(roll_damping=DAMPING), wave, bandwidth=2.0, ratio=0.6).controller
    stiff = float(about.stiffness + about.shells * hold.gain[0])
    damped = float(about.damping + about.shells * hold.damping[0])
    omega = np.sqrt(stiff / float(about.whole))
    assert omega == pytest.approx(2 * np.pi * 2.0, rel=1e-12)
    assert damped / (2 * omega * float(about.whole)) == pytest.approx(0.6, rel=1e-12)
    sensed = {"roll": jnp.array(0.05), "heading": jnp.zeros(()), "pitch": jnp.zeros(()), "gyroscope": jnp.zeros(3)}
    neutral = jnp.zeros(3), jnp.zeros(3), jnp.array(0.05)
    assert all(float(jnp.abs(rate).max()) == 0.0 for rate in hold(jnp.zeros(()), sensed, neutral)[1])
    moved = GazeLaw(wave)(jnp.asarray(0.0), jnp.array([0.3, 0.2, 0.1]))
    np.testing.assert_allclose(moved, [0.2, 0.1, *[0.0] * 6, *[0.3] * 6], atol=1e-15)  # the wave begins at rest


# The moth.


@pytest.fixture(scope="module")
def hold():
    """A coarse moth (one blade a wing) that is unstable without control."""
    return moth.hover_hold(moth.hover(moth.flight(1, "BT9c", steps=100)))


@pytest.mark.slow
def test_hover_is_held_against_a_gust(hold):
    """Unstable without control; with it the multipliers are those of the simulated loop, and it returns."""
    regulator = hold.regulator
    assert float(np.abs(np.linalg.eigvals(regulator.A)).max()) > 1.01
    assert float(jnp.abs(regulator.multipliers[0])) < 0.97
    # Central differences of the closed loop along its slowest mode.
    values, vectors = np.linalg.eig(np.asarray(regulator.A - regulator.B @ regulator.gain))
    k = int(np.argmax(np.abs(values)))
    x, moved = vectors[:, k].real, (values[k] * vectors[:, k]).real
    e = 1e-5
    after = [hold.stroke(jnp.asarray(s * e * x), hold.command(jnp.asarray(s * e * x))) for s in (1.0, -1.0)]
    assert np.abs(np.asarray(after[0] - after[1]) / (2 * e) - moved).max() <= 1e-6 * np.abs(x).max()
    wind = np.zeros((40, 3))
    wind[2:10, :2] = 0.3, 0.5
    held, free = (moth.gust_response(hold, wind, closed=closed) for closed in (True, False))
    assert float(jnp.linalg.norm(held.position[10])) > 0.01  # the gust did move it
    assert float(jnp.linalg.norm(held.position[-1])) < 1e-3 < 0.1 < float(jnp.linalg.norm(free.position[-1]))
    assert float(jnp.abs(held.command).max()) < 0.2 and held.command.shape == (40, len(CHANNELS))


def test_a_steered_stroke_is_twice_differentiable_from_stroke_to_stroke():
    """At the end of a stroke with a command, angle and two rates are those at the start of the next one."""
    a, b = jnp.linspace(-0.1, 0.1, 6), jnp.linspace(0.05, -0.2, 6)
    frequency = jnp.asarray(2 * np.pi * 25.0)
    first = SteeredStroke(jnp.asarray(0.7), frequency, a, b)
    after = SteeredStroke(jnp.asarray(0.7), frequency, b, a)
    jets = lambda law, t: (law(t), jax.jacfwd(law)(t), jax.jacfwd(jax.jacfwd(law))(t))  # noqa: E731
    for order, (one, other) in enumerate(zip(jets(first, 0.04), jets(after, 0.0), strict=True)):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * 157.0**order)
    plain = SteeredStroke(jnp.asarray(0.7), frequency, jnp.zeros(6), jnp.zeros(6))
    np.testing.assert_allclose(plain(0.013), moth.StrokeLaw(jnp.asarray(0.7), frequency)(jnp.asarray(0.013)))
    with pytest.raises(ValueError, match="measured = 'wings'"):
        moth.hover_hold(None, measured="wings")


# The rowing boat.


@pytest.mark.slow
def test_the_hands_balance_the_boat():
    """Six freedoms: a roll grows ten thousandfold a stroke with still hands; with the controller every mode decays.

    Only the heading is neutral. The start is the steady stroke of the boat in surge, heave and pitch, to round-off.
    """
    stroke = rower.stroke()
    plane = rower.scull()
    cycle = eqx.filter_jit(rower.steady_stroke)(plane, stroke)
    boat = rower.scull(freedoms=range(6), handles=True, fin=0.012)
    start = upright_start(boat, plane, cycle)
    steered = rower.balanced(boat, stroke, start)
    find = eqx.filter_jit(rower.boat_multipliers)
    (held, defect), (free, _) = (find(boat, law, start, stroke.period) for law in (steered, sitting(stroke)))
    assert float(defect) < 1e-8
    assert rolling(free) > 1e3 and rolling(held) < 1.0
    march = eqx.filter_jit(boat.steered_march)
    states, record = march(steered, heeled(start, np.deg2rad(1.0)), jnp.zeros(()), 3 * stroke.period, 600)
    roll = np.abs(np.asarray(record.sensed["roll"]))
    assert roll.max() < np.deg2rad(2.0) and roll[-1] < np.deg2rad(0.2)
    assert float(jnp.abs(record.command).max()) < np.deg2rad(15.0)
    # Energy: what motors, blades, resistance and waves have given is the change, under feedback as without it.
    driven = steered.replay(record)
    now = [boat.rates(driven, record.time[k], jax.tree.map(lambda part, k=k: part[k], states))[1] for k in (0, 600)]
    work = states.work[600] - states.work[0]
    assert abs(float(jnp.sum(work) - (now[1].energy - now[0].energy))) < 1e-5 * abs(float(work[0]))


def test_periodic_gains_are_those_of_the_riccati_equation():
    """Of a constant map against scipy; a map that the input does not reach is refused."""
    from scipy.linalg import solve_discrete_are

    A, B = np.array([[1.1, 0.3], [0.0, 0.9]]), np.array([[0.0], [1.0]])
    Q, R = np.eye(2), np.array([[0.5]])
    P = solve_discrete_are(A, B, Q, R)
    expected = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    np.testing.assert_allclose(periodic_gain([(A, B)] * 3, Q, R), np.tile(expected, (3, 1)), rtol=1e-8)
    with pytest.raises(ValueError, match="cannot balance"):
        periodic_gain([(np.diag([1.2, 0.9]), B)] * 3, Q, R)


def test_a_fin_takes_energy_and_turns_the_bow_into_the_flow():
    fin, rng = Fin((-3.0, 0.0, -0.15), 0.012), np.random.default_rng(1)
    for twist in jnp.asarray(rng.normal(size=(20, 6))):
        assert float(fin.wrench(twist) @ twist) <= 0.0
    drifting = fin.wrench(jnp.array([4.0, 0.1, 0.0, 0.0, 0.0, 0.0]))
    assert float(drifting[1]) == pytest.approx(-0.5 * 1000 * 0.012 * 2.5 * 4.0 * 0.1)
    assert float(drifting[5]) == pytest.approx(-3.0 * float(drifting[1]))
    with pytest.raises(ValueError, match="Fin.area"):
        Fin((0.0, 0.0, 0.0), 0.0)


def test_a_boat_that_cannot_be_balanced_is_refused():
    boat = rower.scull(freedoms=range(6))
    with pytest.raises(ValueError, match="handles that can be raised, and all six"):
        rower.balanced(boat, rower.stroke(), boat.rest())
