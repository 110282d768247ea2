"""Fixed steps: one loop of known length for any one-step method, and explicit Runge-Kutta steps of any tableau.

Fixed steps can be batched without waiting for the slowest member, and their error is a smooth function of all
parameters. The stages are a loop too, so that the vector field is compiled once.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

from .span import Span
from .tableaus import RK4, Tableau

Step = Callable[[Float[Array, ""], Float[Array, ""], PyTree], PyTree]
Field = Callable[..., PyTree]


def explicit_steps(
    field: Field,
    start: PyTree,
    span: Span,
    tableau: Tableau = RK4,
    *,
    shared: Callable[[Float[Array, ""]], Any] | None = None,
    breaks: Float[Array, "breaks"] | None = None,
    remember: bool = True,
) -> PyTree:
    """Integrates dy/dt = field(t, y) by equal steps. jit-, vmap- and grad-safe.

    >>> import jax.numpy as jnp
    >>> from stepping import Span, explicit_steps
    >>> halves = explicit_steps(lambda t, y: -y, jnp.ones(()), Span.every(0.0, 1.0, dt=0.01, every=50))
    >>> [round(float(y), 6) for y in halves]
    [1.0, 0.606531, 0.367879]

    Args:
        field: (t, y) -> dy/dt, or (t, y, shared(t)) -> dy/dt.
        start: y at the first time.
        span: times of the run, with a fixed step.
        tableau: tableau of the explicit Runge-Kutta method.
        shared: function of time only. It is evaluated once for each stage time, for any batch of states that the field
            is mapped over.
        breaks: increasing times to step onto [s].
        remember: store what reverse mode needs; False recomputes each step, for long runs.

    Returns:
        y at the output times.
    """
    tableau = tableau.needed
    flat, unravel = ravel_pytree(start)
    if shared is None:
        plain = lambda t, y, _: ravel_pytree(field(t, unravel(y)))[0]  # noqa: E731
        alone = lambda t, h, y: runge_kutta(plain, t, h, y, tableau, None)  # noqa: E731
        return jax.vmap(unravel)(walk(alone, flat, span, breaks=breaks, remember=remember))

    given = lambda t, y, at: ravel_pytree(field(t, unravel(y), at))[0]  # noqa: E731
    distinct, stage = np.unique(tableau.c, return_inverse=True)
    # A step begins where the previous one ended, so its end value is reused.
    carried = (breaks is None or breaks.size == 0) and distinct[0] == 0.0 and distinct[-1] == 1.0
    later = distinct[1:] if carried else distinct

    def step(t, h, carry):
        y, first = carry
        values = jax.vmap(shared)(t + jnp.asarray(later) * h)
        if carried:
            values = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, values)
        y = runge_kutta(given, t, h, y, tableau, jax.tree.map(lambda v: v[stage], values))
        return y, jax.tree.map(lambda v: v[-1], values) if carried else first

    first = shared(span.t0) if carried else None
    return jax.vmap(unravel)(walk(step, (flat, first), span, breaks=breaks, remember=remember, keep=lambda c: c[0]))


def runge_kutta(
    field: Callable[[Float[Array, ""], Float[Array, "n"], Any], Float[Array, "n"]],
    t: Float[Array, ""],
    h: Float[Array, ""],
    y: Float[Array, "n"],
    tableau: Tableau,
    shared: Any,
) -> Float[Array, "n"]:
    """The state one step later.

    Args:
        field: (t, y, shared) -> dy/dt.
        t: time at the start of the step [s].
        h: step [s].
        y: state at the start of the step, of any unit.
        tableau: tableau of the method.
        shared: third argument of the field; the first axis of its arrays runs over the stages. None for none.
    """

    def stage(slopes, row):
        k, a, c, at = row
        return slopes.at[k].set(field(t + c * h, y + h * (a @ slopes), at)), None

    rows = (np.arange(len(tableau.b)), tableau.a, tableau.c)
    slopes, _ = jax.lax.scan(stage, jnp.zeros((len(tableau.b), *y.shape)), (*map(jnp.asarray, rows), shared))
    return y + h * (jnp.asarray(tableau.b) @ slopes)


def walk(
    step: Step,
    start: PyTree,
    span: Span,
    *,
    breaks: Float[Array, "breaks"] | None = None,
    remember: bool = True,
    keep: Callable[[PyTree], PyTree] = lambda carry: carry,
) -> PyTree:
    """Repeats a step (t, h, y) -> y over a span. The only loop over fixed time steps in this library.

    Args:
        step: moves y from t to t + h [s].
        start: y at the first time.
        span: times of the run, with a fixed step.
        breaks: increasing times to step onto [s]: a step that contains one is cut in two there.
        remember: store what reverse mode needs; False recomputes each step.
        keep: the part of y that is recorded.

    Returns:
        `keep(y)` at the output times.
    """
    if span.dt is None:
        raise ValueError("span has no fixed step: make it by Span.every(t0, t1, dt, every) or Span.counted(...)")
    h, between = span.dt, span.between
    step = step if remember else jax.checkpoint(step)
    if breaks is not None and breaks.size:
        return _walk_onto(step, start, span, breaks, keep)

    def record(y, k):
        one = lambda i, y: step(span.t0 + (k * between + i) * h, h, y)  # noqa: E731
        single = isinstance(between, int) and between == 1
        y = one(0, y) if single else jax.lax.fori_loop(0, between, one, y)
        return y, keep(y)

    _, later = jax.lax.scan(record, start, jnp.arange(span.records))
    return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), keep(start), later)


def _walk_onto(step, start, span, breaks, keep):
    """`walk` on the uniform grid joined with the break times; steps end just before a break and start just after it."""
    if not isinstance(span.between, int):
        raise ValueError(
            "a law or load has break times: the number of steps between two records must be a known number"
        )
    count = span.between * span.records
    even = span.t0 + span.dt * jnp.arange(count + 1)
    inside = jnp.clip(jax.lax.stop_gradient(breaks), span.t0, span.t1)
    joined = jnp.concatenate([even, inside])
    order = jnp.argsort(joined, stable=True)
    knots = joined[order]
    # A break that falls on the grid is two knots at one time: the step up to the first one must stop short of it too.
    least = 4.0 * jnp.finfo(float).eps * jnp.maximum(1.0, jnp.abs(knots))
    margin = jnp.where(jnp.min(jnp.abs(knots[:, None] - breaks[None]), axis=1) <= least, least, 0.0)
    begin, end = knots[:-1] + margin[:-1], knots[1:] - margin[1:]

    # Each knot writes to the record; knots that are not output times write to a slot at its end, which is dropped.
    slot = jnp.where((order <= count) & (order % span.between == 0), order // span.between, span.records + 1)

    def advance(carry, row):
        y, kept = carry
        t, h, k = row
        y = step(t, h, y)
        return (y, jax.tree.map(lambda all, one: all.at[k].set(one), kept, keep(y))), None

    empty = jax.tree.map(lambda x: jnp.zeros((span.records + 2, *x.shape), x.dtype).at[0].set(x), keep(start))
    rows = (begin, jnp.maximum(end - begin, 0.0), slot[1:])
    (_, kept), _ = jax.lax.scan(advance, (start, empty), rows)
    return jax.tree.map(lambda x: x[:-1], kept)
