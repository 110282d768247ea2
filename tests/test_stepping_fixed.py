"""Fixed steps: measured order of each tableau, records, break times, what is shared, derivatives."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from stepping import Span, explicit_steps
from stepping.tableaus import RK4, Tableau

START = {"place": jnp.array([0.3]), "speed": jnp.array(-0.2)}


def swing(t, y):
    """A driven pendulum."""
    return {"place": y["speed"][None], "speed": -jnp.sin(3.0 * y["place"][0]) + jnp.cos(2.0 * t)}


@pytest.mark.parametrize(
    "tableau, order",
    [(RK4, 4), (Tableau.of(diffrax.Heun), 2), (Tableau.of(diffrax.Bosh3), 3), (Tableau.of(diffrax.Dopri5()), 5)],
    ids=["RK4", "Heun", "Bosh3", "Dopri5"],
)
def test_order(tableau, order):
    run = jax.jit(lambda h, n: explicit_steps(swing, START, Span.counted(0.1, h, n), tableau))
    values = [np.append(run(3.0 / n, n)["place"][-1], run(3.0 / n, n)["speed"][-1]) for n in (60, 120, 240, 1920)]
    errors = [np.linalg.norm(value - values[-1]) for value in values[:-1]]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > order - 0.3), orders
    assert np.all(orders < order + 0.7), orders  # a field that is not evaluated at the stages would be exact


def test_records_are_those_of_every_step():
    whole = explicit_steps(swing, START, Span.every(0.0, 1.2, dt=0.1))
    some = explicit_steps(swing, START, Span.every(0.0, 1.2, dt=0.1, every=4))
    np.testing.assert_allclose(some["place"], whole["place"][::4], rtol=0, atol=1e-15)
    assert Span.every(0.0, 1.2, dt=0.1, every=4).times == pytest.approx([0.0, 0.4, 0.8, 1.2])


def test_what_is_shared_is_evaluated_once_a_time_and_not_for_each_of_a_batch():
    """Same numbers as without, and as many evaluations as there are distinct stage times."""
    count = []

    def push(t):
        jax.debug.callback(lambda _: count.append(1), t)
        return jnp.cos(2.0 * t)

    field = lambda t, y, push: jnp.stack([y[1], -jnp.sin(3.0 * y[0]) + push])  # noqa: E731
    many = jnp.array([[0.3, 0.1, 0.2], [-0.2, 0.0, 0.4]])
    batch = lambda t, y, push: jax.vmap(lambda one: field(t, one, push), -1, -1)(y)  # noqa: E731
    span = Span.every(0.0, 1.0, dt=0.1, every=5)
    ours = jax.block_until_ready(explicit_steps(batch, many, span, shared=push))
    jax.effects_barrier()
    assert len(count) == 1 + 2 * 10  # the first time, then the middle and the end of each step
    for k in range(3):
        alone = explicit_steps(lambda t, y: field(t, y, jnp.cos(2.0 * t)), many[:, k], span)
        np.testing.assert_allclose(ours[..., k], alone, rtol=0, atol=1e-14)


@pytest.mark.parametrize("after", [jnp.greater, jnp.greater_equal])
@pytest.mark.parametrize("begin", [0.377, 0.3, 0.4])
def test_break_times_are_stepped_onto(begin, after):
    """A push that begins between two steps, or with one: fourth order across it, and at every record.

    0.4 is a time of the grid to the last bit, 0.3 is one up to round-off (3 * 0.1).
    """
    field = lambda t, y: jnp.where(after(t, begin), 5.0 * (t - begin) ** 2 - 1.0, 0.0) - y  # noqa: E731
    exact = lambda t: 5.0 * ((t - begin) ** 2 - 2 * (t - begin) + 2) - 1.0 - 9.0 * np.exp(begin - t)  # noqa: E731
    span = Span.every(0.0, 1.0, dt=0.1, every=5)
    landed = jax.jit(lambda b: explicit_steps(field, jnp.zeros(()), span, breaks=b))
    ours = landed(jnp.array([begin, 7.0]))  # of which the second comes after the end
    missed = explicit_steps(field, jnp.zeros(()), span)
    assert ours[0] == 0.0
    error, without = np.abs(ours[1:] - exact(span.times[1:])), np.abs(missed[1:] - exact(span.times[1:]))
    # The solution past the break has 9 exp(-t) in it: h⁵/120 of its fifth derivative in each of seven steps.
    assert error.max() < 7 * 9 * 0.1**5 / 120
    assert without.max() > 1e-3
    on_the_grid = landed(jnp.array([0.2, 0.6]))
    np.testing.assert_allclose(on_the_grid, explicit_steps(field, jnp.zeros(()), span), rtol=0, atol=1e-13)


@pytest.mark.parametrize("breaks", [None, jnp.array([0.33])], ids=["even", "broken"])
def test_derivatives_with_and_without_memory(breaks):
    span = Span.every(0.0, 1.0, dt=0.1, every=5)

    def end(w, remember):
        field = lambda t, y: jnp.stack([y[1], -jnp.sin(w * y[0])])  # noqa: E731
        return explicit_steps(field, jnp.array([0.3, 0.0]), span, breaks=breaks, remember=remember)[1:]

    forward = jax.jacfwd(lambda w: end(w, True))(3.0)
    for remember in (True, False):
        np.testing.assert_allclose(jax.jacrev(lambda w: end(w, remember))(3.0), forward, rtol=1e-12)  # noqa: B023
    np.testing.assert_allclose(forward, (end(3.0 + 1e-5, True) - end(3.0 - 1e-5, True)) / 2e-5, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Span.every(0.0, 1.0, dt=0.3), "whole multiple"),
        (lambda: Span.every(0.0, 1.0, dt=0.1, every=3), "whole multiple"),
        (lambda: Span.every(0.0, -1.0, dt=0.1), "t1 must come after"),
        (lambda: Span.every(0.0, 1.0, dt=0.1, every=0), "every = 0"),
        (lambda: Span.counted(0.0, 0.1, 3, 0), "records = 0"),
        (lambda: Span.counted(0.0, -0.1, 3), "dt = -0.1"),
        (lambda: Span(0.0, 1.0, 1), "samples = 1"),
        (lambda: Span(0.0, 1.0, times=[0.5, 2.0]), "must lie between"),
        (lambda: explicit_steps(swing, START, Span(0.0, 1.0, 3)), "no fixed step"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
