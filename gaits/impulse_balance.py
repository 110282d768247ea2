"""Whether the rates of a gait are those of its strains: what they leave out is missing in the balance of momentum.

The equations of motion take ξ, dξ/dt and d²ξ/dt² from a gait. Momentum is linear in the twist of the head and in
dξ/dt, and it is balanced if each of ξ and dξ/dt changes by the integral of the next. A kink of the strain in time (a
table read by `jnp.interp`, `abs`) changes dξ/dt by a jump of which d²ξ/dt² knows nothing, and the impulse of that jump
is lost from the swim. The defect of both integrals is looked for over the whole run, in ever smaller intervals: a jump
stays as great as it is, all else vanishes.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float

from spatial.traced_warnings import warn_if
from stepping import program

INTERVALS, SECTIONS = 256, 5  # over the run and the body
WORST, PARTS, ZOOMS = 8, 16, 4  # intervals looked into, their parts, and how many times over
JUMP = 1e-3  # of the greatest strain or rate: what a law with a jump in ξ̈ alone stays under

KINKED = (
    "gait: it is not smooth in time. At t = {:.6g} s its strain or rate jumps by {:.0e} of the greatest, of which the "
    "next derivative knows nothing: the equations of motion lose the impulse of that jump, and momentum is not "
    "balanced. Likely causes: a table read by jnp.interp, abs, sign, a jump in jnp.where. gaits.from_table makes a "
    "smooth law of samples."
)
WRONG = "gait: strains must be finite with Γ1 > 0 at all times of the run"


class Balance(eqx.Module):
    """What the strains of a gait and their rates leave out of the balance of momentum.

    Attributes:
        jump: greatest jump of ξ or ξ̇ that the next derivative does not tell, relative to the greatest value [-].
        when: time of it [s].
        wrong: whether the strain or a rate is not finite, or Γ1 ≤ 0, at each time and section looked at.
        times: looked at [s].
        X: sections looked at [m].
        strain: there [-, 1/m].
    """

    jump: Float[Array, ""]
    when: Float[Array, ""]
    wrong: Bool[Array, "times sections"]
    times: Float[Array, "times"]
    X: Float[Array, "sections"]
    strain: Float[Array, "times sections 6"]


@program
def impulse_balance(
    gait: Callable[[Any, Any], Any], length: Float[Array, ""], t0: Float[Array, ""], t1: Float[Array, ""]
) -> Balance:
    """Looks at a gait over a run.

    Args:
        gait: a law accepted by `check_gait`.
        length: length of the body [m].
        t0: first time [s].
        t1: last time [s].
    """
    X = length * np.linspace(0.02, 0.98, SECTIONS)
    strain = lambda t: jax.vmap(lambda x: gait(x, t))(X)  # noqa: E731
    rate = lambda t: jax.jvp(strain, (t,), (jnp.ones_like(t),))  # noqa: E731

    def rates(t):
        (xi, dxi), (_, ddxi) = jax.jvp(rate, (t,), (jnp.ones_like(t),))
        return xi, dxi, ddxi

    def looked_at(begin, end, count):
        """Defects of the intervals between even times, (begins, count) of them."""
        times = begin[:, None] + (end - begin)[:, None] * np.linspace(0.0, 1.0, count + 1)[None, :]
        xi, dxi, ddxi = jax.vmap(jax.vmap(rates))(times)
        h = jnp.diff(times, axis=1)[..., None, None]
        before, after = (lambda x: x[:, :-1]), (lambda x: x[:, 1:])
        change = h / 2 * (before(dxi) + after(dxi)) + h**2 / 12 * (before(ddxi) - after(ddxi))
        lost = after(xi) - before(xi) - change
        lost_rate = after(dxi) - before(dxi) - h / 2 * (before(ddxi) + after(ddxi))
        return times, (xi, dxi, ddxi), (lost, lost_rate)

    times, (xi, dxi, ddxi), lost = looked_at(t0[None], t1[None], INTERVALS)
    rest = jnp.array([1.0, 0, 0, 0, 0, 0]).reshape(1, 1, 1, 6)
    greatest = lambda x: jnp.repeat(jnp.max(jnp.abs(x).reshape(-1, 2, 3), axis=(0, 2)), 3)  # noqa: E731  of Γ and of K
    sizes = greatest(xi - rest), greatest(dxi)

    def relative(lost, sizes):
        parts = [jnp.abs(d) / jnp.where(s > 0, s, 1.0)[None, None, None] for d, s in zip(lost, sizes, strict=True)]
        return jnp.max(jnp.stack(parts), axis=(0, -2, -1)).ravel()

    def zoom(carry, _):
        (begin, end), sizes = carry
        times, (xi, dxi, _), lost = looked_at(begin, end, PARTS)
        there = greatest(xi - rest), greatest(dxi)
        sizes = tuple(jnp.maximum(size, jnp.nan_to_num(new)) for size, new in zip(sizes, there, strict=True))
        jump = jnp.nan_to_num(relative(lost, sizes))
        kept, where = jax.lax.top_k(jump, WORST)
        begins, stops = times[:, :-1].ravel()[where], times[:, 1:].ravel()[where]
        return ((begins, stops), sizes), (kept[0], begins[0])

    _, where = jax.lax.top_k(jnp.nan_to_num(relative(lost, sizes)), WORST)
    ends = times[0, :-1][where], times[0, 1:][where]
    _, (jumps, when) = jax.lax.scan(zoom, (ends, sizes), length=ZOOMS)
    finite = [jnp.all(jnp.isfinite(x[0]), axis=-1) for x in (xi, dxi, ddxi)]
    wrong = ~(finite[0] & finite[1] & finite[2]) | (xi[0, ..., 0] <= 0.0)
    return Balance(jumps[-1], when[-1], wrong, times[0], X, xi[0])


def check_in_time(gait: Callable[[Any, Any], Any], length: Any, t0: Any, t1: Any) -> Bool[Array, ""]:
    """Refuses impossible strains anywhere in a run before it begins, and warns of a gait that is not smooth in time.

    Args:
        gait: a law accepted by `check_gait`.
        length: length of the body [m].
        t0: first time [s].
        t1: last time [s].

    Returns:
        Whether a strain is wrong: only inside `jax.jit`, for the caller to raise `WRONG`; else False.

    Raises:
        ValueError: a strain is not finite, or the body is turned inside out (Γ1 ≤ 0).
    """
    still = lambda x: jax.lax.stop_gradient(x) if isinstance(x, Tracer) else x  # noqa: E731
    found = impulse_balance(*jax.tree.map(still, (gait, length, t0, t1)))
    wrong: Any
    if isinstance(found.wrong, Tracer):
        wrong = jnp.any(found.wrong)
    elif wrong := np.any(np.asarray(found.wrong)):
        k, n = np.argwhere(np.asarray(found.wrong))[0]
        strain = np.round(np.asarray(found.strain[k, n]), 6).tolist()
        rule = "Γ1 must be positive: 1 where the body does not stretch"
        if np.isfinite(strain).all() and strain[0] > 0:
            rule = "its rates must be finite"
        elif not np.isfinite(strain).all():
            rule = "must be finite"
        raise ValueError(f"gait returns {strain} at X = {found.X[n]:g} m, t = {found.times[k]:g} s: {rule}")
    jump: Any = found.jump if isinstance(found.jump, Tracer) else np.asarray(found.jump)
    warn_if(jump > JUMP, KINKED, found.when, jump)
    return wrong
