"""Threads on soft beams: shapes, lengths, powers and slack against closed forms and programs of their own.

`validation/data/soft_reference.json` holds rods under tendons by shooting and by collocation; the helical pair is shot
here, from the equations of one section and scipy alone. Eight Legendre modes a strain leave 1e-11 m of smooth shapes.
"""

import functools
import json
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.optimize import root

import cosserat
import gaits
import hydro
from cosserat.energy import soft_energetics
from cosserat.soft.actuators import StrainedBody
from cosserat.soft.instant import soft_instant
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_beam import unchecked_soft_state
from cosserat.state import unchecked_state
from spatial import quaternion_rate

REFERENCE = json.loads((Path(__file__).parents[1] / "validation/data/soft_reference.json").read_text())
SIX = ("G1", "G2", "G3", "K1", "K2", "K3")
ROD = cosserat.rod(0.5, 0.01, 0.015)
LAW = cosserat.Elastic(1e6, poisson=0.45, shear_correction=0.9)
STIFFNESS = np.array([471.238898038469, 146.24655456366284, 146.24655456366284, 0.011249734966435599] + [0.0] * 2)
STIFFNESS[4:] = 0.026507188014663875, 0.011780972450961725  # as the reference states them


def arm(threads, modes, force=(0.0, 0.0, 0.0)):
    loads = cosserat.EndLoad(force=force)
    return cosserat.Soft(
        ROD, cosserat.FreeStrains(modes=modes), LAW, actuators=threads, loads=loads, head=cosserat.Clamped()
    )


@eqx.filter_jit
def resting(threads, force, modes):
    """Tip of the arm: one program for all pairs of threads of the same kind."""
    soft = arm(threads, dict(modes), force)
    position, rotation = cosserat.tail_pose(soft, cosserat.equilibrium(soft, throw=False).q)
    return position, rotation


def oblique(first, last):
    return cosserat.Oblique(first, last, 0.0, 0.5)


# offsets at head and tail and tension of two threads, strains that are free, force on the tip
CASES = {
    "tendon_straight_ext": (((0.006, 0.004),) * 2, 8.0, 0.0, SIX, (0.0, 0.0, 0.0)),
    "tendon_straight_inext": (((0.006, 0.004),) * 2, 8.0, 0.0, SIX[3:], (0.0, 0.0, 0.0)),
    "tendon_oblique_ext": (((0.007, -0.005), (-0.003, 0.007)), 10.0, 3.0, SIX, (0.0, 0.02, -0.03)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_rods_under_tendons_as_computed_independently(name):
    """Tip under straight and oblique tendons: 1e-8; the other thread of the straight ones is slack."""
    (first, last), one, other, free, force = CASES[name]
    pair = [
        cosserat.Thread(oblique(first, last), jnp.asarray(one)),
        cosserat.Thread(oblique(-np.asarray(first), -np.asarray(last)), jnp.asarray(other)),
    ]
    position, rotation = resting(pair, jnp.asarray(force), tuple((strain, 8) for strain in free))
    assert np.abs(np.asarray(position) - np.asarray(REFERENCE[name]["tip_position"])).max() < 1e-8
    assert np.abs(np.asarray(rotation) - np.asarray(REFERENCE[name]["tip_rotation"])).max() < 1e-8


# An own statement of the statics: strains of one section by Newton, sections by DOP853, the clamp by shooting.


def helix(radius, pitch, phase, X):
    angle = 2 * np.pi * X / pitch + phase
    D = radius * np.array([0.0, np.cos(angle), np.sin(angle)])
    return D, 2 * np.pi / pitch * radius * np.array([0.0, -np.sin(angle), np.cos(angle)])


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def section_strain(X, stress, threads, xi):
    """ξ with E (ξ - ξ0) + Σ T (t; D × t) = stress, by Newton from a guess."""
    straight = np.array([1.0, 0, 0, 0, 0, 0])
    for _ in range(30):
        value, slope = STIFFNESS * (xi - straight) - stress, np.diag(STIFFNESS)
        for T, shape in threads:
            D, dD = helix(*shape, X)
            u = xi[:3] + np.cross(xi[3:], D) + dD
            size = np.linalg.norm(u)
            t = u / size
            lever = np.vstack([np.eye(3), hat(D)])
            value = value + T * lever @ t
            slope = slope + T / size * lever @ (np.eye(3) - np.outer(t, t)) @ lever.T
        step = np.linalg.solve(slope, value)
        xi = xi - step
        if np.abs(step).max() < 1e-13:
            return xi
    raise AssertionError("no strain found")


def shot_tip(threads, force, length):
    last = {"xi": np.array([1.0, 0, 0, 0, 0, 0])}

    def rates(X, y):
        R, m = y[3:12].reshape(3, 3), y[12:]
        xi = section_strain(X, np.concatenate([R.T @ force, R.T @ m]), threads, last["xi"])
        last["xi"] = xi
        dr = R @ xi[:3]
        return np.concatenate([dr, (R @ hat(xi[3:])).ravel(), -np.cross(dr, force)])

    def end(moment):
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        last["xi"] = np.array([1.0, 0, 0, 0, 0, 0])
        return solve_ivp(rates, (0.0, length), start, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]

    found = root(lambda m: end(m)[12:], np.zeros(3), tol=1e-13)
    assert np.abs(end(found.x)[12:]).max() < 1e-11
    return end(found.x)


@pytest.mark.slow
def test_a_helical_pair_as_by_own_shooting():
    """Two helices of opposite hands, which twist and bend the rod, and a dead force on the tip: 1e-8."""
    shapes = [(0.008, 0.4, 0.3), (0.006, -0.5, 1.1)]
    pulls, force = (6.0, 4.0), np.array([0.0, 0.02, -0.03])
    pair = [cosserat.Thread(cosserat.Helix(*shape), T) for T, shape in zip(pulls, shapes, strict=True)]
    position, rotation = resting(pair, jnp.asarray(force), tuple((strain, 14) for strain in SIX))
    expected = shot_tip(list(zip(pulls, shapes, strict=True)), force, 0.5)
    assert np.abs(np.asarray(position) - expected[:3]).max() < 1e-8
    assert np.abs(np.asarray(rotation).ravel() - expected[3:12]).max() < 1e-8
    assert np.abs(expected[:3] - [0.5, 0, 0]).max() > 0.05  # it moves


# One body with threads of every kind, under a gait, for what holds at any instant.

PULLS = (2.0, 3.0, 1.5, 0.7)
GAIT = gaits.spiral()


def routed(make):
    """Four routes, two of them ending inside the body; `make(routing, pull, start, stop)` is an actuator."""
    twisted = lambda X: jnp.stack([0.001 * X, 0.01 + 0.01 * jnp.sin(5.0 * X), 0.015 * X])  # noqa: E731
    routes = (
        ((0.02, 0.01), 0.0, None),
        (cosserat.Oblique((0.02, -0.02), (-0.01, 0.02), 0.3, 1.7), 0.3, 1.7),
        (cosserat.Helix((0.02, 0.04), 0.9, 0.4), 0.0, 1.1),
        (twisted, 0.55, 1.9),
    )
    return [make(routing, pull, start, stop) for pull, (routing, start, stop) in zip(PULLS, routes, strict=True)]


def fish(actuators):
    tail = cosserat.FreeStrains(0.8, modes={"G1": 2, "G2": 2, "K1": 2, "K2": 3, "K3": 3})
    return cosserat.Soft(cosserat.eel(), tail, cosserat.Elastic(1e5, damping_time=0.02), actuators=actuators)


@functools.cache
def at_an_instant():
    soft = fish(routed(cosserat.Thread))
    q, dq = jnp.asarray(0.2 * np.random.default_rng(1).normal(size=(2, soft.modes)))
    return sample_soft(soft, hydro.Void(), 32, 1), q, dq, jnp.asarray(2.3)


def test_derivative_of_lengths_is_minus_the_actuation_matrix():
    """∂l/∂q = ∫ΦᵀBᵀ(t; D × t) to round-off, for all routes and where they end inside the body."""
    sampled, q, dq, t = at_an_instant()

    @jax.jit
    def both(q):
        matrix = jax.jacrev(lambda q: sampled.threads(GAIT, q, dq, t).length)(q)
        along = sampled.strained(GAIT, q, dq, t)
        force = [-sampled.projected(thread.stress(along, jnp.zeros(0)).T) for thread in sampled.soft.actuators]
        return matrix, jnp.stack(force) / jnp.asarray(PULLS)[:, None]

    matrix, actuation = both(q)
    assert np.abs(np.asarray(matrix + actuation)).max() < 1e-12
    assert np.abs(np.asarray(matrix)).max(axis=1).min() > 1e-3


def test_rate_of_length_is_its_derivative_in_time():
    """By q, dq and the imposed strain, against the derivative of the length along the motion: round-off."""
    sampled, q, dq, t = at_an_instant()
    length = lambda s: sampled.threads(GAIT, q + (s - t) * dq, dq, s).length  # noqa: E731
    rate = jax.jit(lambda: jax.jvp(length, (t,), (jnp.ones(()),))[1])()
    found = jax.jit(lambda: sampled.threads(GAIT, q, dq, t).rate)()
    assert np.abs(np.asarray(rate - found)).max() < 1e-13 and np.abs(np.asarray(found)).min() > 1e-3


def test_a_thread_that_ends_inside_is_integrated_exactly():
    """K3 is a polynomial over the whole body: l = ∫(1 - K3 d2) dX from 0.13 to 0.31 m, in closed form."""
    soft = arm(cosserat.Thread((0.006, 0.0), 1.0, 0.13, 0.31), {"K3": 4})
    q = np.array([2.0, -1.0, 0.7, 0.4])
    length, _ = cosserat.thread_length(soft, q)
    series = np.polynomial.legendre.Legendre(q * np.sqrt(2 * np.arange(4) + 1), domain=[0.0, 0.5]).integ()
    assert float(length[0]) == pytest.approx(0.18 - 0.006 * (series(0.31) - series(0.13)), abs=1e-14)


def test_a_chamber_is_a_thread_that_pushes():
    """Λ of a pressure p on an area A is minus that of a tension p A, and its length the same."""
    sampled, q, dq, t = at_an_instant()
    along, none = sampled.strained(GAIT, q, dq, t), jnp.zeros(0)
    for thread, chamber in zip(
        sampled.soft.actuators, routed(lambda r, pull, a, b: cosserat.Chamber(r, 1e4 * pull, 1e-4, a, b)), strict=True
    ):
        pulled, pushed = thread.stress(along, none), chamber.stress(along, none)
        assert np.abs(np.asarray(pulled + pushed)).max() < 1e-14
        assert float(chamber.state(along, none).tension) == pytest.approx(-float(thread.state(along, none).tension))


def test_friction_as_over_a_capstan():
    """A straight tendon on a circular arc turns by K3 X, a helix on a straight body by r k² X / √(1 + r²k²)."""
    mu, r, k = 0.3, 0.02, 2 * np.pi / 0.7
    body, t = at_an_instant()[0].body, jnp.zeros(())  # whose grid is cut at 0.3 and 1.7 m
    X = np.asarray(body.load_X)

    def tensions(thread, curvature):
        strain = jnp.asarray([1.0, 0.0, 0.0, 0.0, 0.0, curvature])
        everywhere = jnp.broadcast_to(strain, (X.size, 6))
        along = StrainedBody(body, lambda X, t: strain, t, everywhere, 0 * everywhere, 0 * everywhere)
        return np.linalg.norm(np.asarray(thread.stress(along, jnp.zeros(0)))[:, :3], axis=1)

    T = tensions(cosserat.Thread((0.006, 0.0), 5.0, 0.3, 1.7, friction=mu), 3.0)
    inside = (X > 0.3) & (X < 1.7)
    assert np.abs(T[inside] - 5.0 * np.exp(-mu * 3.0 * (X[inside] - 0.3))).max() < 1e-12
    assert np.all(T[~inside] == 0)
    T = tensions(cosserat.Thread(cosserat.Helix(r, 0.7), 5.0, 0.0, 1.7, friction=mu, pulled_from="stop"), 0.0)[X < 1.7]
    turn = r * k**2 / np.sqrt(1 + (r * k) ** 2)
    assert np.abs(T - 5.0 * np.exp(-mu * turn * (1.7 - X[X < 1.7]))).max() < 1e-10


# Tensions: commands, slack, muscles.


def test_commands_reach_their_threads():
    """Commands of several actuators keep their order; a commanded tension bends as a given one, T d2 / EI3."""
    winch = gaits.Commanded(gain=2.0, highest=9.0)
    soft = arm([cosserat.Thread((0.006, 0.0), T) for T in (winch, 1.0, winch)], {"K3": 1})
    assert soft.commands == 2 and [c.tolist() for c in soft.actuator_commands([4.0, 1.0])] == [[4.0], [], [1.0]]
    for command, total in (([4.0, 0.5], 10.0), ([-1.0, 4.0], 9.0), ([3.0, 8.0], 16.0), (None, 1.0)):
        found = cosserat.equilibrium(soft, command=command).q[0]
        assert float(found) == pytest.approx(total * 0.006 / STIFFNESS[5], rel=1e-9)
    with pytest.raises(ValueError, match=r"command has shape \(3,\): must have shape \(2,\)"):
        cosserat.equilibrium(soft, command=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="read 2 commands and nothing gives them"):
        cosserat.rollout(soft, None, None, 0.1)


def test_slack_without_nan_in_value_and_gradient():
    """A thread that would push does nothing; derivatives are finite while slack, taut, and where it changes."""

    @jax.jit
    @jax.value_and_grad
    def bend(pull):
        law = gaits.StateTension(lambda t, length, rate, command: pull + 10.0 * (length - 0.5) + rate)
        return cosserat.equilibrium(arm(cosserat.Thread((0.006, 0.0), law), {"K3": 2}), throw=False).q[0]

    for pull, slack in ((-3.0, True), (0.0, True), (4.0, False)):
        value, slope = bend(pull)
        assert np.isfinite(float(value)) and np.isfinite(float(slope))
        assert (abs(float(value)) < 1e-15) == slack
    taut, slope = jax.vmap(jax.value_and_grad(gaits.taut))(jnp.asarray([-1.0, 0.0, 1.0]))
    assert taut.tolist() == [0.0, 0.0, 1.0] and slope.tolist() == [0.0, 0.5, 1.0]
    assert np.isnan(float(gaits.taut(jnp.nan)))  # what is not a number is not hidden


@pytest.mark.slow
def test_gradients_of_the_tip_equal_central_differences():
    """By tension, both offsets, radius, pitch and friction of a helical thread: 1e-6 of the greatest."""

    @jax.jit
    def tip(p):
        helical = cosserat.Thread(cosserat.Helix(p[1], p[2]), p[0], friction=p[3])
        pair = [helical, cosserat.Thread(p[4:6], 2.0, 0.1, 0.4)]
        soft = arm(pair, {"K1": 3, "K2": 3, "K3": 3})
        return cosserat.tail_pose(soft, cosserat.equilibrium(soft, throw=False).q)[0]

    p = np.array([5.0, 0.007, 0.45, 0.2, 0.004, -0.003])
    slope = np.asarray(jax.jit(jax.jacfwd(tip))(p))
    scale = np.maximum(np.abs(p), 1e-3) * 1e-4
    for k in range(len(p)):
        step = scale[k] * np.eye(len(p))[k]
        numeric = np.asarray(tip(p + step) - tip(p - step)) / (2 * scale[k])
        assert np.abs(numeric - slope[:, k]).max() < 1e-6 * np.abs(slope[:, k]).max()


@pytest.mark.slow
def test_gradients_through_a_swim_equal_central_differences():
    """Of where the head is after 0.2 s, by force, offset and phase of two Hill muscles, each slack at times."""
    fluid = hydro.Morison(added_mass="kirchhoff")

    @jax.jit
    def head(p):
        def side(sign):
            beat = lambda t: jnp.sin(20.0 * t + p[2] * sign)  # noqa: E731
            hill = gaits.HillMuscle(p[0], 0.4, beat)
            pulled = gaits.StateTension(lambda *given: hill(*given) - 2.0)
            return cosserat.Thread(jnp.stack([sign * p[1], 0.0 * p[1]]), pulled, 0.1)

        soft = cosserat.Soft(
            ROD, cosserat.FreeStrains(modes={"K3": 2}), cosserat.Elastic(1e6, damping_time=0.02),
            actuators=[side(1.0), side(-1.0)],
        )  # fmt: skip
        return cosserat.rollout(soft, None, fluid, 0.2, samples=2, method="implicit", dt0=0.01, throw=False).position[
            -1
        ]

    p = np.array([30.0, 0.006, 0.4])
    slope = np.asarray(jax.jit(jax.jacrev(head))(p))[:2]
    for k in range(3):
        step = 1e-5 * p[k] * np.eye(3)[k]
        numeric = np.asarray(head(p + step) - head(p - step))[:2] / (2 * step[k])
        assert np.abs(numeric - slope[:, k]).max() < 1e-6 * np.abs(slope[:, k]).max()


def test_hill_muscle():
    """Hill's hyperbola (F + a)(v + b) = (F0 + a) b, its ends, the smooth passage to lengthening, the passive spring."""
    muscle = gaits.HillMuscle(80.0, 0.2, activation=1.0, speed=8.0, curvature=0.3, lengthening=1.5)
    force = jax.jit(lambda length, rate: muscle(jnp.zeros(()), length, rate, jnp.zeros(0)))
    F0, v_max = 80.0, 8.0 * 0.2
    a, b = 0.3 * F0, 0.3 * v_max
    for v in np.linspace(0.0, v_max, 7):
        assert (float(force(0.2, -v)) + a) * (v + b) == pytest.approx((F0 + a) * b, rel=1e-12)
    assert abs(float(force(0.2, -2 * v_max))) < 1e-12
    assert float(force(0.2, 1e6)) == pytest.approx(1.5 * F0, rel=1e-4)
    slopes = [float(jax.grad(force, argnums=1)(0.2, v)) for v in (-1e-9, 0.0, 1e-9)]
    assert slopes == pytest.approx([slopes[1]] * 3, rel=1e-6) and slopes[1] > 0
    passive = gaits.HillMuscle(80.0, 0.2, activation=0.0)
    pull = lambda length: float(passive(jnp.zeros(()), jnp.asarray(length), jnp.zeros(()), jnp.zeros(0)))  # noqa: E731
    assert abs(pull(0.2)) < 1e-12 and pull(0.15) == 0.0 and pull(0.2 * 1.6) == pytest.approx(80.0)
    half = gaits.HillMuscle(80.0, 0.2, activation=gaits.Commanded())
    for command, share in ((0.5, 0.5), (2.0, 1.0), (-1.0, 0.0)):
        found = half(jnp.zeros(()), jnp.asarray(0.2), jnp.zeros(()), jnp.asarray([command]))
        assert float(found) == pytest.approx(80.0 * share)


# Power and energy of a body that moves.


def muscles(routing, pull, start, stop):
    hill = gaits.HillMuscle(
        20.0 * pull, (2.0 if stop is None else stop) - start, lambda t: 0.5 + 0.3 * jnp.sin(7.0 * t)
    )
    return cosserat.Thread(routing, hill, start, stop, friction=0.1 if start == 0.3 else None)


@pytest.mark.slow
def test_power_identity_with_muscles_in_water():
    """Imposed strains + muscles = d/dt(T + T_a + U) + viscous loss + what the water takes, by the chain rule: 1e-8."""
    soft, fluid, t = fish(routed(muscles)), hydro.Morison(added_mass="kirchhoff"), jnp.asarray(2.3)
    sampled = sample_soft(soft, fluid, 32, 1)
    q, dq = jnp.asarray(0.2 * np.random.default_rng(3).normal(size=(2, soft.modes)))
    state = unchecked_soft_state(cosserat.HeadState(twist=[-0.3, 0.02, 0.01, 0.1, 0.05, -0.04]), q, dq)

    @eqx.filter_jit
    def instant():
        now = soft_instant(sampled, GAIT, fluid, state, t)
        head = state.head
        moving = unchecked_soft_state(
            unchecked_state(
                head.rotation @ head.twist[:3], quaternion_rate(head.quaternion, head.twist[3:]), now.rates[:6]
            ),
            dq,
            now.rates[6:],
        )

        def energy(state, t):
            sums = soft_energetics(sampled, fluid, soft_instant(sampled, GAIT, fluid, state, t))
            return sums.kinetic + sums.added + sums.elastic

        _, rate = jax.jvp(energy, (state, t), (moving, jnp.ones(())))
        return now, soft_energetics(sampled, fluid, now), rate

    now, sums, rate = instant()
    imposed = cosserat.internal_wrench(soft, GAIT, fluid, state, t).actuator_power
    left = float(imposed + sums.active)
    right = float(rate + sums.viscous + sums.dissipation - sums.convective)
    assert abs(left - right) < 1e-8, left - right
    assert abs(float(sums.active)) > 0.1 and np.all(np.asarray(now.threads.tension) > 0)


@pytest.mark.slow
def test_a_constant_tension_is_a_potential():
    """Kinetic and elastic energy and Σ T l are kept by a released body; simulate records tension, length and rate."""
    pair = [cosserat.Thread((0.006, 0.0), 4.0), cosserat.Thread(cosserat.Helix(0.008, 0.3), 3.0, 0.1, 0.4)]
    soft = cosserat.Soft(ROD, cosserat.FreeStrains(modes={"K1": 2, "K2": 2, "K3": 2}), LAW, actuators=pair)
    run = cosserat.simulate(
        soft, None, None, 0.2, samples=21, method="adaptive", rtol=1e-10, atol=1e-12, progress=False
    )
    assert run.tension.dims == run.thread_length.dims == ("time", "thread") and run.tension.units == "N"
    energy = run.kinetic_energy + run.elastic_energy + (run.tension * run.thread_length).sum("thread")
    assert np.abs(np.asarray(energy - energy[0])).max() < 1e-8
    assert float(run.kinetic_energy.max()) > 1e-3
    delivered = -(run.tension * run.thread_rate)
    assert np.abs(np.asarray(delivered.sum("thread") - run.muscle_power)).max() < 1e-12
    assert run.muscle_powers.dims == ("time", "muscle")
    assert np.abs(np.asarray(delivered) - np.asarray(run.muscle_powers)).max() < 1e-12
    # The modes are linear in X: the density is a quadratic, which Simpson's rule over the stations integrates.
    stored = simpson(np.asarray(run.elastic_density), x=np.asarray(run.X), axis=1)
    assert np.abs(stored - np.asarray(run.elastic_energy)).max() < 1e-9 * float(run.elastic_energy.max())
    assert float(abs(run.imposed_power.sum("strain_component") - run.actuator_power).max()) < 1e-12


# Refusals.

K3 = cosserat.FreeStrains(modes={"K3": 1})


@pytest.mark.parametrize(
    "build, words",
    [
        (lambda: cosserat.Thread((0.0, 0.0), 1.0, 0.2, -0.1), "must run towards the tail"),
        (lambda: cosserat.Thread((0.0, 0.0), 1.0, -0.2), "must not be negative"),
        (lambda: cosserat.Thread((0.0, np.nan), 1.0), "must be finite"),
        (lambda: cosserat.Thread((0.0,), 1.0), r"must be \(2,\), the offset"),
        (lambda: cosserat.Thread("left", 1.0), "must be an offset"),
        (lambda: cosserat.Thread(lambda X: X, 1.0), r"returns shape \(\)"),
        (lambda: cosserat.Thread((0.0, 0.0), -1.0), "Thread.tension = -1.0: must be finite and not negative"),
        (lambda: cosserat.Thread((0.0, 0.0), [1.0, 2.0]), "Thread.tension has shape"),
        (lambda: cosserat.Thread((0.0, 0.0), lambda t: jnp.ones(2)), r"returns shape \(2,\): must be one number"),
        (lambda: cosserat.Thread((0.0, 0.0), lambda t, x: t), "must be a callable"),
        (lambda: cosserat.Thread((0.0, 0.0), 1.0, friction=-0.1), "Thread.friction = -0.1"),
        (lambda: cosserat.Thread((0.0, 0.0), 1.0, pulled_from="middle"), "pulled_from"),
        (lambda: cosserat.Chamber((0.0, 0.0), 1e4, 0.0), "Chamber.area"),
        (lambda: cosserat.Helix(0.01, 0.0), "pitch"),
        (lambda: cosserat.Oblique((0, 0), (0, 0), 0.5, 0.2), "stop"),
        (lambda: gaits.HillMuscle(-1.0, 0.2, 1.0), "HillMuscle.force"),
        (lambda: gaits.HillMuscle(1.0, 0.2, 1.0, lengthening=0.9), "HillMuscle.lengthening"),
        (lambda: gaits.EkebergMuscle(1.0, -1.0, 0.0, 0.2, 1.0), "EkebergMuscle.stiffness"),
        (lambda: gaits.StateTension(lambda t: t), "must be a callable"),
        (
            lambda: gaits.StateTension(lambda *given: 0.0, commands=-1),
            "StateTension.commands = -1: must be an integer of at least 0",
        ),
        (lambda: gaits.Commanded(highest=-1.0), "Commanded.highest"),
        (lambda: arm(cosserat.Thread((0.0, 0.0), 1.0, 0.2, 0.7), {"K3": 1}), "must lie on the body, from 0 to 0.5 m"),
        (
            lambda: arm(cosserat.Thread(lambda X: jnp.stack([jnp.log(X - 0.3), X]), 1.0), {"K3": 1}),
            "Thread.routing is nan at X = ",
        ),
    ],
)
def test_refusals(build, words):
    with pytest.raises(ValueError, match=words):
        build()


def test_a_route_outside_of_the_section_warns():
    with pytest.warns(UserWarning, match="lies outside of the section"):
        arm(cosserat.Thread((0.0, 0.02), 1.0), {"K3": 1})
