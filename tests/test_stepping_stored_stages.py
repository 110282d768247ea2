"""Reverse mode through time: the discrete map's own derivative, the closed form's, and diffrax's."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from stepping import Marcher, Span, integrate
from stepping.stored_stages import STORED_STEPS

pytestmark = pytest.mark.slow

START = {"place": jnp.array([0.3]), "speed": jnp.array([-0.2])}


class Pushed(eqx.Module):
    """An oscillator y'' = -ω² y + a, the push a from the time of a break on."""

    frequency: jax.Array
    push: jax.Array
    begin: float = 0.7

    @property
    def break_times(self):
        return (jnp.asarray(self.begin),)

    def rates(self, t, y):
        pushed = jnp.where(t > self.begin, self.push, 0.0)
        return {"place": y["speed"], "speed": -(self.frequency**2) * y["place"] + pushed}

    def exact(self, t0, t):
        """Place at times after the break, started at t0 < begin."""
        w, (x,), (v,) = self.frequency, START["place"], START["speed"]
        late = self.push / w**2 * (1.0 - jnp.cos(w * (t - self.begin)))
        return x * jnp.cos(w * (t - t0)) + v / w * jnp.sin(w * (t - t0)) + jnp.where(t > self.begin, late, 0.0)


def marcher(solver=None, adjoint=None, rtol=1e-8, **options):
    return Marcher(solver, options.pop("controller", None), rtol, 1e-10, options.pop("dt0", None), 5000, adjoint, None)


def record(p, how, t0=0.0, times=(0.4, 0.69, 1.1, 2.0), start=START):
    """Places at some times of the record."""
    law = Pushed(p[0], p[1])
    span = Span(t0, 2.0, 2, jnp.asarray(times))
    return integrate(law.rates, start, span, how, law).states["place"][:, 0]


P = jnp.array([3.0, 1.5])
ADAPTIVE = {"rtol": 1e-5}
CONSTANT = {"controller": diffrax.ConstantStepSize(), "dt0": 0.05}
METHODS = [
    (diffrax.Dopri5(), ADAPTIVE),
    (diffrax.Tsit5(), ADAPTIVE),
    (diffrax.Dopri8(), ADAPTIVE),
    (diffrax.Bosh3(), CONSTANT),
    (diffrax.Midpoint(), CONSTANT),
]


@pytest.mark.parametrize("solver, options", METHODS, ids=lambda x: type(x).__name__)
def test_same_as_diffrax(solver, options):
    """The stages kept give the derivative that diffrax finds by running each step again."""
    ours, theirs = (marcher(solver, a, **options) for a in (None, diffrax.RecursiveCheckpointAdjoint()))

    def jacobians(how):
        return jax.jit(jax.jacrev(lambda p, y: record(p, how, start=y), argnums=(0, 1)))(P, START)

    for mine, other in zip(*map(jax.tree.leaves, (jacobians(ours), jacobians(theirs))), strict=True):
        assert np.abs(mine).max() > 0.01
        assert np.abs(mine - other).max() < 1e-12 * max(1.0, np.abs(other).max())


def test_closed_form():
    """By parameters, first time and times of the record, across a jump of the field itself."""
    times = jnp.array([0.4, 0.69, 1.1, 2.0])
    how = marcher(rtol=1e-11)
    reverse = jax.jacrev(lambda p, t0, t: record(p, how, t0, t), argnums=(0, 1, 2))
    found = jax.jit(reverse)(P, jnp.asarray(0.1), times)
    exact = jax.jacfwd(lambda p, t0, t: Pushed(p[0], p[1]).exact(t0, t), argnums=(0, 1, 2))(P, jnp.asarray(0.1), times)
    for mine, other in zip(found, exact, strict=True):
        assert np.abs(mine - other).max() < 2e-8


@pytest.mark.parametrize("dt0", [0.6, 0.05], ids=["all in the first step", "in three steps"])
def test_by_the_start_with_records_in_the_first_step(dt0):
    """Before: what was recorded within the first step counted twice in the derivative by the start.

    Records at the start, within the first step and at its end; against diffrax's own reverse mode and, at the start,
    the identity.
    """
    options = {"controller": diffrax.ConstantStepSize(), "dt0": dt0}
    ours, theirs = (marcher(None, a, **options) for a in (None, diffrax.RecursiveCheckpointAdjoint()))

    def jacobian(how):
        def places(start, t0):
            span = Span(t0, t0 + 0.6, 2, t0 + jnp.array([0.0, 0.02, 0.6]))
            return integrate(Pushed(P[0], P[1], 9.0).rates, start, span, how).states["place"][:, 0]

        return jax.jit(jax.jacrev(places))(START, jnp.asarray(0.0))

    mine, other = jacobian(ours), jacobian(theirs)
    assert abs(float(mine["place"][0, 0]) - 1.0) < 1e-14 and abs(float(mine["speed"][0, 0])) < 1e-14
    for name in START:
        np.testing.assert_allclose(mine[name], other[name], rtol=0, atol=1e-13)


def test_pieces_of_one_step_in_a_scan():
    """Runs of one step one after the other, as between the samples of a register; d/dg of 0.3 (1 - g t²/2) at 0.4."""
    field = lambda g, y: jnp.stack([y[1], -0.3 * g + 0.0 * y[0]])  # noqa: E731

    def end(g):
        how = marcher(dt0=0.2)

        def piece(y, t):
            return integrate(lambda _, y: field(g, y), y, Span(t, t + 0.2, 2), how).states[-1], None

        return jax.lax.scan(piece, jnp.array([0.3, 0.0]), jnp.array([0.0, 0.2]))[0][0]

    assert abs(float(jax.jit(jax.grad(end))(2.0)) + 0.3 * 0.4**2 / 2) < 1e-14


def test_curvature_by_forward_over_reverse():
    how = marcher(rtol=1e-11)
    found = jax.jit(jax.hessian(lambda p: record(p, how)[-1]))(P)
    exact = jax.hessian(lambda p: Pushed(p[0], p[1]).exact(0.0, 2.0))(P)
    assert np.abs(found - exact).max() < 1e-7


def test_batch_of_unlike_runs():
    """Members of a batch that take different numbers of steps."""
    how = marcher()
    gradient = jax.grad(lambda p: jnp.sum(record(p, how)))
    many = P[None] * jnp.array([[0.2], [1.0], [6.0]])
    alone = jax.jit(gradient)
    together, alone = jax.jit(jax.vmap(gradient))(many), jnp.stack([alone(p) for p in many])
    assert np.abs(together - alone).max() < 1e-12 * np.abs(alone).max()


def test_what_is_not_asked_for_is_not_pulled_back():
    """A large array that the field reads but nobody differentiates by has no cotangent in the loop."""
    large = jnp.ones((17, 19))

    def end(p):
        field = lambda t, y: -p * y * jnp.mean(large)  # noqa: E731
        return integrate(field, jnp.ones(1), Span(0.0, 1.0, 2), marcher()).states[-1, 0]

    loops = [e for e in _equations(jax.make_jaxpr(jax.grad(end))(2.0).jaxpr) if e.primitive.name == "while"]
    carried = {v.aval.shape for loop in loops for v in loop.outvars}
    assert loops and (17, 19) not in carried
    assert abs(jax.jit(jax.grad(end))(2.0) + np.exp(-2.0)) < 1e-7


def test_too_many_steps_to_keep():
    """A run that is longer than what is kept says so, instead of a wrong derivative."""
    how = marcher(diffrax.Heun(), controller=diffrax.ConstantStepSize(), dt0=2.0 / (STORED_STEPS + 100))

    def end(p):
        law = Pushed(p[0], p[1])
        found = integrate(law.rates, START, Span(0.0, 2.0, 2), how, law)
        return found.states["place"][-1, 0], found.reached

    assert end(P)[1]
    assert not jax.value_and_grad(end, has_aux=True)(P)[0][1]


def _equations(jaxpr):
    for equation in jaxpr.eqns:
        yield equation
        for value in jax.tree.leaves(list(equation.params.values()), is_leaf=lambda x: hasattr(x, "eqns")):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                yield from _equations(inner)
