"""Regulators about periodic orbits: a closed form, an unstable orbit simulated by scipy, the swim of the eel."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cosserat
import gaits
import gaits.feedback as fb
import hydro
from gaits.feedback.loop import LoopMemory
from stepping import Span, explicit_steps
from stepping.tableaus import Tableau

SAME = 1e-6  # closed-loop multipliers against those of the simulated closed loop


def test_one_state_in_closed_form():
    a, b, q, r = 1.3, 0.7, 2.0, 0.5
    found = gaits.periodic_lqr(lambda x, u: a * x + b * u, [0.0], [0.0], [q], [r])
    # b²P² + (r - a²r - q b²)P - q r = 0, the scalar Riccati equation.
    P = np.roots([b**2, r - a**2 * r - q * b**2, -q * r]).max()
    K = a * b * P / (r + b**2 * P)
    assert float(found.cost[0, 0]) == pytest.approx(P, rel=1e-12)
    assert float(found.gain[0, 0]) == pytest.approx(K, rel=1e-12)
    assert complex(found.multipliers[0]) == pytest.approx(a - b * K, rel=1e-12)
    assert float(found(jnp.array([0.2]))[0]) == pytest.approx(-0.2 * K, rel=1e-12)


def duffing(t, x, u):
    """A double well with weak forcing: the orbit near the top between the wells is unstable."""
    return jnp.stack([x[1], 0.25 * (x[0] - x[0] ** 3) - 0.1 * x[1] + 0.1 * jnp.cos(t) + u[0]])


def test_unstable_orbit_is_held_and_its_multipliers_are_those_of_the_simulation():
    T, steps = 2.0 * np.pi, 400

    def flow(x, u):
        span = Span.counted(0.0, T / steps, steps, 1)
        return explicit_steps(lambda t, x: duffing(t, x, u), x, span, Tableau.of(diffrax.Dopri5))[-1]

    orbit = gaits.periodic_orbit(lambda x, _: flow(x, jnp.zeros(1)), [-0.08, 0.0], transient=0)
    assert not bool(orbit.stable)
    regulator = gaits.periodic_lqr(flow, orbit.start, [0.0], [1.0, 1.0], [1.0])
    assert np.abs(np.asarray(regulator.multipliers)).max() < 1.0

    def simulated(x):
        """A period of the closed loop by another integrator."""
        u = np.asarray(regulator(jnp.asarray(x)))
        right = lambda t, x: [x[1], 0.25 * (x[0] - x[0] ** 3) - 0.1 * x[1] + 0.1 * np.cos(t) + u[0]]  # noqa: E731
        return solve_ivp(right, (0.0, T), x, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    start, h = np.asarray(orbit.start), 1e-5  # differences err by 1e-12/h and by h² times a third derivative of 1e3
    columns = [(simulated(start + h * e) - simulated(start - h * e)) / (2.0 * h) for e in np.eye(2)]
    multipliers = np.linalg.eigvals(np.stack(columns, axis=1))
    expected = np.asarray(regulator.multipliers)
    assert np.abs(np.sort(np.abs(multipliers)) - np.sort(np.abs(expected))).max() < SAME
    x = start + np.array([1e-4, 0.0])
    for _ in range(12):
        x = simulated(x)
    assert np.abs(x - start).max() < 1e-6


def test_what_cannot_be_designed_is_refused():
    flow = lambda x, u: jnp.stack([1.5 * x[0], 0.5 * x[1] + u[0]])  # noqa: E731
    with pytest.raises(ValueError, match="cannot stabilise"):
        gaits.periodic_lqr(flow, [0.0, 0.0], [0.0], [1.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="must be a state that repeats"):
        gaits.periodic_lqr(flow, [1.0, 0.0], [0.0], [1.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="command_weight has the eigenvalue 0"):
        gaits.periodic_lqr(flow, [0.0, 0.0], [0.0], [1.0, 1.0], [0.0])
    with pytest.raises(ValueError, match="state_weight has shape"):
        gaits.periodic_lqr(flow, [0.0, 0.0], [0.0], [1.0], [1.0])


@pytest.mark.slow
def test_eel_holds_its_heading_with_one_command_a_period():
    """A and B of the swim by heading: states are heading, surge, sway, yaw rate, and the servo of the offset."""
    T0, T, steps, panels = 2.0, 1.0, 32, cosserat.Panels(panels=3)
    eel, gait, water = cosserat.eel(), gaits.planar(), hydro.Morison()
    law, servo = fb.Offset(gait, "K3"), fb.Servo(1.0)

    def flow(x, u):
        """One period of the swim, in the plane."""
        heading, vx, vy, wz, y, dy = x
        zero = jnp.zeros_like(heading)
        turned = jnp.stack([jnp.cos(0.5 * heading), zero, zero, jnp.sin(0.5 * heading)])
        state = cosserat.HeadState(jnp.zeros(3), turned, jnp.stack([vx, vy, zero, zero, zero, wz]))
        run = cosserat.rollout(
            eel,
            gaits.Steered(law, fb.Hold(u), servo=servo),
            water,
            T0 + T,
            t0=T0,
            state=state,
            memory=LoopMemory((y[None], dy[None]), (), {}),
            times=jnp.array([T0 + T]),
            path=panels,
            solver=diffrax.Dopri5(),
            controller=diffrax.ConstantStepSize(),
            dt0=T / steps,
            adjoint=diffrax.ForwardMode(),
            throw=False,
        )
        q, twist, (out, rate) = run.quaternion[-1], run.twist[-1], run.feedback.memory.servo
        return jnp.stack([2.0 * jnp.arctan2(q[3], q[0]), twist[0], twist[1], twist[5], out[-1, 0], rate[-1, 0]])

    steady = cosserat.steady_swim(eel, gait, water, steps=steps, stations=2, path=panels, t0=T0)
    start = jnp.concatenate([jnp.zeros(1), steady.start[jnp.array([0, 1, 5])], jnp.zeros(2)])
    regulator = gaits.periodic_lqr(flow, start, [0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0])
    closed = jax.jit(lambda x: flow(x, regulator(x)))
    h = 1e-4  # of states of order 1: central differences err by about h² = 1e-8
    columns = [(closed(start + h * e) - closed(start - h * e)) / (2.0 * h) for e in jnp.eye(6)]
    multipliers = np.linalg.eigvals(np.stack([np.asarray(column) for column in columns], axis=1))
    key = lambda values: sorted(np.asarray(values), key=lambda z: (-abs(z), z.imag))  # noqa: E731
    # The two multipliers of the critically damped servo are near a double eigenvalue, whose error is a square root:
    # they are compared by their sum.
    first, second = key(regulator.multipliers), key(multipliers)
    assert np.abs(np.array(first[:4]) - np.array(second[:4])).max() < SAME
    assert abs(sum(first) - sum(second)) < SAME
    x = start.at[0].set(0.3)
    for _ in range(25):
        x = closed(x)
    assert abs(float(x[0])) < np.deg2rad(2.0)
