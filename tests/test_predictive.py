"""Predictive control: against the exact finite-horizon regulator and a bounded least-squares solver; the eel's turn."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import lsq_linear

import cosserat
import gaits.feedback as fb
import hydro
from anguilla import learn

A, B = np.array([[1.0, 0.1], [-0.05, 0.98]]), np.array([[0.005], [0.1]])
KEY = jax.random.key(0)
HEADING = np.deg2rad(60.0)


def linear(x, u):
    return jnp.asarray(A) @ x + jnp.asarray(B) @ u


def squares(states, commands, last):
    return jnp.concatenate([states.ravel(), 0.3 * commands.ravel()])


def riccati_command(x, steps):
    """First command of the unbounded problem, by the backward Riccati recursion."""
    Q, R, P = np.eye(2), 0.09 * np.eye(1), np.eye(2)
    for _ in range(steps):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return -K @ x


def test_without_active_bounds_it_is_the_finite_horizon_regulator():
    control = fb.Predictive(linear, squares, [-1e3], [1e3], horizon=12, iterations=3, damping=1e-12)
    x = jnp.array([0.7, -0.2])
    command, plan, cost = control(x, control.start())
    np.testing.assert_allclose(command, riccati_command(np.asarray(x), 12), rtol=1e-9)  # a linear problem: one step
    assert float(cost) == pytest.approx(float(control.cost(x, plan.commands, plan.last)), rel=1e-12)


def test_with_active_bounds_it_is_the_bounded_least_squares_solution():
    control = fb.Predictive(linear, squares, [-0.6], [0.4], horizon=8, iterations=20, damping=1e-9)
    x = jnp.array([-1.0, 0.1])
    plan = control(x, control.start())[1]
    zero = jnp.zeros((8, 1))
    residual, J = control.slope(x, zero, jnp.zeros(1))
    best = lsq_linear(np.asarray(J), -np.asarray(residual), (-0.6, 0.4), tol=1e-14).x
    assert np.any(best > 0.4 - 1e-9)  # some are bound
    np.testing.assert_allclose(plan.commands.ravel(), best, atol=1e-6)  # lsq_linear's own stopping


def test_the_plan_is_shifted_and_the_cost_never_rises():
    bend = lambda x, u: x + 0.1 * jnp.stack([jnp.sin(x[1]) + u[0], jnp.cos(x[0]) * u[0]])  # noqa: E731
    control = fb.Predictive(bend, squares, [-1.0], [1.0], horizon=6, iterations=1)
    x, plan = jnp.array([0.5, 1.0]), control.start(0.2 * jnp.ones(1))
    commands, costs = plan.commands, [float(control.cost(x, plan.commands, plan.last))]
    for _ in range(8):
        commands, cost = control.improved(x, commands, plan.last)
        costs.append(float(cost))
    assert np.all(np.diff(costs) <= 0.0) and costs[-1] < costs[0]
    moved = fb.Plan(jnp.arange(6.0)[:, None] / 8.0, jnp.zeros(1))
    still = fb.Predictive(bend, lambda states, commands, last: commands.ravel() * 0.0, [-1.0], [1.0], horizon=6)
    assert still(x, moved)[1].commands.ravel().tolist() == [0.125, 0.25, 0.375, 0.5, 0.625, 0.625]


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(ValueError, match="Predictive.model = 3"):
        fb.Predictive(3, squares, [-1.0], [1.0])
    with pytest.raises(ValueError, match="high - low"):
        fb.Predictive(linear, squares, [1.0], [-1.0])
    with pytest.raises(ValueError, match="Predictive.high"):
        fb.Predictive(linear, squares, [1.0], [2.0, 3.0])
    with pytest.raises(ValueError, match="Predictive.horizon = 0"):
        fb.Predictive(linear, squares, [-1.0], [1.0], horizon=0)
    with pytest.raises(ValueError, match="must be a Plan"):
        fb.Predictive(linear, squares, [-1.0], [1.0])(jnp.zeros(2), jnp.zeros((10, 1)))
    with pytest.raises(ValueError, match="a beat has 7.14286 control steps"):
        learn.predictive_steering(1.0, frequency=1.4)
    with pytest.raises(ValueError, match="beats = 0.9: must be more than one"):
        learn.predictive_steering(1.0, beats=0.9)
    with pytest.raises(ValueError, match="environment.drive"):
        learn.predictive_steering(1.0, learn.make("escape"))
    with pytest.raises(ValueError, match="plant.period = 0.02 s"):
        learn.steer(learn.predictive_steering(1.0), learn.make("turn"), 5, KEY)


@pytest.fixture(scope="module")
def plant():
    """Finer than the model in space and time, with a fifth more drag and a current that the model does not know."""
    water = hydro.Morison(added_mass="kirchhoff", current=(0.0, 0.1, 0.0))
    drags = lambda w: (w.drag_lateral, w.drag_axial)  # noqa: E731
    water = eqx.tree_at(drags, water, tuple(1.2 * drag for drag in drags(water)))
    path = cosserat.Panels(order=32, panels=1, loads=2)
    return learn.Environment(learn.Turn(), beam=cosserat.eel(), fluid=water, period=0.1, substeps=8, path=path)


@pytest.mark.slow
def test_the_eel_turns_to_a_heading_in_unknown_water(plant):
    run = learn.steer(learn.predictive_steering(HEADING), plant, 130, KEY)
    late = run["sensed_heading"].values[-20:]  # two beats
    # Doing nothing leaves 60 degrees. The swing of the beat has no mean; 1 degree is a sixtieth.
    assert abs(np.rad2deg(late.mean()) - 60.0) < 1.0
    assert np.abs(run["command"].values).max() <= 0.5  # within the bounds, and at them while it turns
    assert np.abs(run["command"].values).max() == pytest.approx(0.5)
    assert run["reference_heading"].values == pytest.approx(HEADING)


@pytest.mark.slow
def test_the_slope_of_a_plan_is_that_of_central_differences(plant):
    control = learn.predictive_steering(HEADING)
    commands = jax.random.uniform(jax.random.key(1), (control.horizon, 1), float, -0.4, 0.4)
    state, last = plant.initial(KEY), jnp.zeros(1)
    value = eqx.filter_jit(lambda control, commands: control.cost(state, commands, last))
    residual, J = eqx.filter_jit(lambda control, commands: control.slope(state, commands, last))(control, commands)
    for direction in np.random.default_rng(0).normal(size=(3, control.horizon, 1)):
        h = 1e-4
        differences = (value(control, commands + h * direction) - value(control, commands - h * direction)) / (2.0 * h)
        assert float(residual @ J @ direction.ravel()) == pytest.approx(float(differences), rel=1e-6, abs=1e-9)
