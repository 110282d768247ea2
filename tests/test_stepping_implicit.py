"""The semi-implicit step: order, stiff damped coordinates that a frozen inertia cannot take, error, derivatives."""

import functools
import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stepping import Marcher, SemiImplicit, Span, implicit_steps, integrate
from stepping.implicit import implicit_step, implicit_step_with_error
from stepping.mechanism import Point
from stepping.tableaus import ARK3, ARK4, ARK5

sys.path.insert(0, str(Path(__file__).parent))
from double_pendulum import at_rest, pendulum  # noqa: E402

STIFF = {"spring": 1e3, "damper": 1e4, "masses": (1.0, 1e-3)}  # rates of 1e4 to 1e7 1/s


def flat(point):
    return jnp.concatenate([point.free, point.velocity])


def frozen_inertia_step(mechanism, t, point, h, tableau=ARK5):
    """The additive step of [KC03] with the springs and dampers against the inertia at the start of the step."""
    n, y0, gamma = 2, flat(point), tableau.diagonal[-1]
    K, D, A = mechanism.stiffness, mechanism.damping, mechanism.equations(t, point).inertia
    at = lambda y: Point((), y[:n], y[n:], point.memory)  # noqa: E731

    def stage(carry, row):
        slopes, stiff = carry
        k, share, explicit, implicit = row
        right = h * (explicit @ slopes + (implicit - explicit) @ stiff)
        matrix = A + h * gamma * D + (h * gamma) ** 2 * K
        dv = jnp.linalg.solve(matrix, A @ right[n:] - h * gamma * K @ right[:n])
        change = jnp.concatenate([right[:n] + h * gamma * dv, dv])
        slope = flat(mechanism.rates(t + share * h, at(y0 + change)))
        return (slopes.at[k].set(slope), stiff.at[k].set((change - right) / (h * gamma))), None

    rows = (np.arange(len(tableau.b)), tableau.c, tableau.explicit, tableau.implicit)
    none = jnp.zeros((len(tableau.b), 2 * n))
    (slopes, _), _ = jax.lax.scan(stage, (none, none), jax.tree.map(jnp.asarray, rows))
    return at(y0 + h * (jnp.asarray(tableau.b) @ slopes))


@functools.partial(jax.jit, static_argnums=0)
def moved(step, mechanism, start, steps):
    """The point at t = 1 s."""
    h = 1.0 / steps
    return jax.lax.fori_loop(0, steps, lambda k, point: step(mechanism, k * h, point, h), start)


def reference(mechanism, start):
    """By scipy's Radau, an implicit method that shares no code with ours."""
    rates = lambda t, y: flat(mechanism.rates(t, Point((), y[:2], y[2:], start.memory)))  # noqa: E731
    field, slope = jax.jit(rates), jax.jit(jax.jacfwd(rates, 1))
    found = solve_ivp(
        lambda t, y: np.asarray(field(t, y)),
        (0.0, 1.0),
        np.asarray(flat(start)),
        method="Radau",
        jac=lambda t, y: np.asarray(slope(t, y)),
        rtol=1e-11,
        atol=1e-14,
    )
    return found.y[:, -1]


@pytest.mark.parametrize("tableau", [ARK3, ARK4, ARK5], ids=["ARK3", "ARK4", "ARK5"])
def test_order_of_a_smooth_motion(tableau):
    step = lambda *args: implicit_step(*args, tableau)  # noqa: E731
    mechanism, start = pendulum(20.0, 0.5), at_rest((0.3, -0.2))
    ends = [flat(moved(step, mechanism, start, n)) for n in (80, 160, 320, 2560)]
    errors = [float(jnp.linalg.norm(end - ends[-1])) for end in ends[:-1]]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > tableau.order - 0.4), orders


def test_frozen_inertia_loses_what_the_inertia_of_each_stage_keeps():
    """Stiff, strongly damped joints, whose steps are 1e5 times longer than the fastest time scale."""
    mechanism, start = pendulum(**STIFF), at_rest()
    exact = reference(mechanism, start)
    scale = np.abs(exact[2:]).max()
    frozen = flat(moved(frozen_inertia_step, mechanism, start, 25))
    ours = flat(moved(implicit_step, mechanism, start, 25))
    # The rates of the frozen step are wrong altogether, ours at the accuracy of this step (c h = 0.24 rad).
    assert np.abs(frozen - exact)[2:].max() > 0.5 * scale
    assert np.abs(ours - exact)[2:].max() < 1e-4 * scale
    assert np.abs(ours - exact)[:2].max() < 1e-4 * np.abs(exact[:2]).max()


def test_memory_is_integrated_to_the_same_accuracy():
    """Energy lost by an unforced pendulum is the work of its dampers, which the memory counts."""
    mechanism, start = pendulum(20.0, 0.5, shake=0.0), at_rest((0.8, -0.5))
    end = moved(implicit_step, mechanism, start, 160)
    lost = mechanism.energy(start) - mechanism.energy(end)
    assert lost > 1.0
    assert abs(lost - end.memory) < 1e-7 * lost


def test_estimate_of_the_error():
    """Of the order of the embedded method, above the true error, and not dominated by damped coordinates."""
    mechanism, start = pendulum(20.0, 0.5), at_rest((0.3, -0.2))
    one = jax.jit(lambda h: implicit_step_with_error(mechanism, jnp.zeros(()), start, h, ARK4)[:2])
    eighth = jax.jit(implicit_step)
    sizes = []
    for h in (0.01, 0.005):
        end, error = one(h)
        sizes.append(float(jnp.linalg.norm(flat(error))))
        fine = start
        for k in range(8):
            fine = eighth(mechanism, k * h / 8, fine, h / 8)
        assert float(jnp.linalg.norm(flat(end) - flat(fine))) < sizes[-1]
    assert np.log2(sizes[0] / sizes[1]) == pytest.approx(4.0, abs=0.3)
    stiff = pendulum(**STIFF)
    settled = moved(implicit_step, stiff, at_rest(), 25)
    _, error, _ = implicit_step_with_error(stiff, jnp.ones(()), settled, jnp.asarray(0.04))
    assert float(jnp.abs(error.velocity).max()) < 1e-3 * float(jnp.abs(settled.velocity).max())


def test_derivatives_are_those_of_the_steps():
    """Forward, reverse and differences, by springs, dampers and the start."""

    def end(parameters):
        mechanism = pendulum(parameters[0], parameters[1])
        step = jax.checkpoint(lambda k, point: implicit_step(mechanism, 0.05 * k, point, 0.05))
        last, _ = jax.lax.scan(lambda p, k: (step(k, p), None), at_rest((parameters[2], 0.1)), jnp.arange(6))
        return flat(last)

    at = jnp.array([20.0, 0.5, 0.2])
    forward, reverse = jax.jit(jax.jacfwd(end))(at), jax.jit(jax.jacrev(end))(at)
    np.testing.assert_allclose(forward, reverse, rtol=1e-9, atol=1e-12)
    h, run = 1e-5, jax.jit(end)
    for k in range(3):
        step = h * at[k] * jnp.eye(3)[k]
        slope = (run(at + step) - run(at - step)) / (2 * h * at[k])
        np.testing.assert_allclose(forward[:, k], slope, rtol=1e-5, atol=1e-8)


@functools.partial(jax.jit, static_argnums=2)
def adapted(mechanism, start, rtol):
    how = Marcher(SemiImplicit(), None, rtol, 1e-3 * rtol, None, 4000, None, None)
    return integrate(mechanism, start, Span(0.0, 1.0, 2), how)


@pytest.mark.parametrize("release", [0.0, 0.3], ids=["settled", "released"])
def test_adaptive_steps_of_stiff_joints(release):
    """Within their tolerance, also when stiff springs are released far from where the load holds them."""
    mechanism, start = pendulum(1e4, 1e3, (1.0, 0.2)), at_rest((release, release))
    exact, run = reference(mechanism, start), adapted(mechanism, start, 1e-6)
    last = jax.tree.map(lambda x: x[-1], run.states)
    assert bool(run.reached) and np.abs(flat(last) - exact).max() < 1e-6
    assert int(run.steps.sum()) < 400  # explicit steps are bounded by 1/λ = 5e-5 s: at least 6000 of them


def test_gradient_through_adaptive_steps():
    def end(parameters):
        run = adapted(pendulum(parameters[0], parameters[1]), at_rest((0.2, 0.1)), 1e-9)
        return run.states.free[-1, 1]

    at = jnp.array([20.0, 2.0])
    found = jax.jit(jax.grad(end))(at)
    for k, h in ((0, 1e-2), (1, 1e-3)):
        step = h * jnp.eye(2)[k]
        np.testing.assert_allclose(found[k], (end(at + step) - end(at - step)) / (2 * h), rtol=1e-4)


def test_fixed_steps_land_on_breaks():
    """A spring that stiffens suddenly between two steps: the order across the break is kept."""

    class Stiffening(type(pendulum())):
        def equations(self, t, point):
            found = super().equations(t, point)
            extra = jnp.where(t > 0.477, 30.0, 0.0)
            return eqx.tree_at(lambda e: e.force, found, found.force - extra * point.free)

    base = pendulum(20.0, 0.5)
    mechanism = Stiffening(base.spring, base.damper, base.masses)
    run = lambda n, breaks: flat(  # noqa: E731
        jax.tree.map(
            lambda x: x[-1],
            implicit_steps(mechanism, at_rest((0.3, 0.0)), Span.every(0.0, 1.0, dt=1.0 / n, every=n), breaks=breaks),
        )
    )
    exact = run(1000, jnp.array([0.477]))
    assert np.abs(run(100, jnp.array([0.477])) - exact).max() < 1e-7
    assert np.abs(run(100, None) - exact).max() > 1e-5


def test_a_field_is_no_mechanism():
    how = Marcher(SemiImplicit(), None, 1e-6, 1e-8, None, 100, None, None)
    with pytest.raises(ValueError, match="not a mere vector field"):
        integrate(lambda t, y: -y, jnp.ones(2), Span(0.0, 1.0, 2), how)


def test_pairs_of_tables_are_one_method():
    for tab in (ARK3, ARK4, ARK5):
        implicit = tab.implicit + np.diag(tab.diagonal)
        for table in (tab.explicit, implicit):
            np.testing.assert_allclose(table.sum(axis=1), tab.c, atol=1e-9)
        np.testing.assert_allclose(implicit[-1], tab.b, atol=1e-15)  # stiffly accurate
        for k in range(tab.order):
            assert tab.b @ tab.c**k == pytest.approx(1.0 / (k + 1), abs=1e-9)
