"""Detects jumps of a gait in time, which break the balance of momentum.

The equations of motion take ξ, dξ/dt and d²ξ/dt² from a gait (or from the joint law of a tree). Momentum is linear in
the twist of the head and in dξ/dt. It is balanced only if ξ changes by the integral of dξ/dt, and dξ/dt by the integral
of d²ξ/dt². At a kink of the strain in time (`jnp.interp`, `abs`), dξ/dt jumps but automatic differentiation returns a
finite d²ξ/dt²: the impulse of that jump is missing from the motion. The defects of both integrals are evaluated over
the whole run and refined where they are largest: the defect of a smooth law tends to zero with the interval, that of a
jump does not.
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

INTERVALS = 256  # intervals over the run
FIXED = np.array([0.02, 0.5, 0.98])  # sampled sections, relative to the length of the body
# Three more sections are sampled: in each third of the body, that where the motion at some instants is least smooth
# along X, by its second difference over sections 1.5 % of the length apart. A narrow part with a kink stands out there.
SOUGHT, GLANCES = np.linspace(0.0, 1.0, 68), np.linspace(0.03, 0.97, 8)
WORST, PARTS, ZOOMS = 8, 16, 4  # intervals that are refined, subdivisions of each, number of refinements
STRAIN_GROUPS = (0, 0, 0, 1, 1, 1)  # Γ and K, each relative to its own magnitude
JUMP = 1e-3  # threshold relative to the largest strain or rate; a law that jumps in ξ̈ only stays below it

KINKED = (
    "gait: it is not smooth in time. At t = {:.6g} s its strain or rate jumps by {:.0e} of the greatest, of which the "
    "next derivative knows nothing: the equations of motion lose the impulse of that jump, and momentum is not "
    "balanced. Likely causes: a table read by jnp.interp, abs, sign, a jump in jnp.where. gaits.from_table makes a "
    "smooth law of samples."
)
WRONG = "gait: strains must be finite with Γ1 > 0 at all times of the run"


class Balance(eqx.Module):
    """Jumps of a motion in time, and its samples.

    Attributes:
        jump: largest jump of a value or a rate that is not the integral of the next derivative, relative to the largest
            magnitude in its group [-].
        when: time of that jump [s].
        finite: whether the values of a row and their first two derivatives are finite, at each sampled time.
        times: sampled times [s].
        numbers: values of the motion at these times, of any unit.
    """

    jump: Float[Array, ""]
    when: Float[Array, ""]
    finite: Bool[Array, "times rows"]
    times: Float[Array, "times"]
    numbers: Float[Array, "times rows n"]


class StrainInTime(eqx.Module):
    """Strain relative to the straight body at a few sections, rows (Γ, K) [-, 1/m].

    Attributes:
        gait: a law accepted by `check_gait`.
        X: abscissae of the sections [m].
    """

    gait: Callable[[Any, Any], Any]
    X: Float[Array, "sections"]

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "sections 6"]:
        """Strain relative to the straight body at the time t [s]."""
        return jax.vmap(lambda x: self.gait(x, t))(self.X) - jnp.array([[1.0, 0, 0, 0, 0, 0]])


@program
def impulse_balance(
    gait: Callable[[Any, Any], Any], length: Float[Array, ""], t0: Float[Array, ""], t1: Float[Array, ""]
) -> tuple[Balance, Float[Array, "sections"]]:
    """Searches a gait for jumps in time over a run.

    Args:
        gait: a law accepted by `check_gait`.
        length: length of the body [m].
        t0: first time [s].
        t1: last time [s].

    Returns:
        The balance, and the abscissae of the sampled sections [m].
    """
    X = jnp.concatenate([length * FIXED, _least_smooth(gait, length, t0 + (t1 - t0) * GLANCES)])
    return _balance(StrainInTime(gait, X), STRAIN_GROUPS, t0, t1), X


def _least_smooth(gait, length, times):
    """The section of each third whose strain or rate differs most from the mean of its neighbours, at some instants."""
    X = length * SOUGHT
    motion = StrainInTime(gait, X)
    found = jax.vmap(lambda t: jnp.stack(jax.jvp(motion, (t,), (jnp.ones_like(t),))))(times)
    bend = found[:, :, 1:-1] - 0.5 * (found[:, :, :-2] + found[:, :, 2:])
    # Axes: value or rate, section, Γ or K. Each is relative to the greatest along the body.
    size, bend = (jnp.max(jnp.abs(x).reshape(*x.shape[:3], 2, 3), axis=(0, -1)) for x in (found, bend))
    most = jnp.max(size, axis=1, keepdims=True)
    relative = jnp.max(bend / jnp.where(most > 0, most, 1.0), axis=(0, 2))
    thirds = jnp.where(jnp.isnan(relative), jnp.inf, relative).reshape(3, -1)
    return jnp.take_along_axis(X[1:-1].reshape(3, -1), jnp.argmax(thirds, axis=1)[:, None], axis=1)[:, 0]


@program
def balance_of(
    motion: Callable[[Any], Any], groups: tuple[int, ...], t0: Float[Array, ""], t1: Float[Array, ""]
) -> Balance:
    """Searches any motion for jumps in time.

    Args:
        motion: t -> rows of n numbers that are zero at rest, of any unit.
        groups: group of each of the n numbers, from 0; jumps are relative to the largest magnitude in the group.
        t0: first time [s].
        t1: last time [s].
    """
    return _balance(motion, groups, t0, t1)


def _balance(motion, groups, t0, t1):
    """The search of `balance_of`."""
    rate = lambda t: jax.jvp(motion, (t,), (jnp.ones_like(t),))  # noqa: E731

    def rates(t):
        (value, first), (_, second) = jax.jvp(rate, (t,), (jnp.ones_like(t),))
        return value, first, second

    def sampled(begin, end, count):
        """Times, motion and defects of both integrals for `count` equal intervals between each begin and end."""
        times = begin[:, None] + (end - begin)[:, None] * np.linspace(0.0, 1.0, count + 1)[None, :]
        value, first, second = jax.vmap(jax.vmap(rates))(times)
        h = jnp.diff(times, axis=1)[..., None, None]
        before, after = (lambda x: x[:, :-1]), (lambda x: x[:, 1:])
        change = h / 2 * (before(first) + after(first)) + h**2 / 12 * (before(second) - after(second))
        lost = after(value) - before(value) - change
        lost_rate = after(first) - before(first) - h / 2 * (before(second) + after(second))
        return times, (value, first, second), (lost, lost_rate)

    kind = np.array(groups)

    def greatest(x):
        return jnp.stack([jnp.max(jnp.abs(x[..., kind == group])) for group in range(max(groups) + 1)])[kind]

    times, (value, first, second), lost = sampled(t0[None], t1[None], INTERVALS)
    sizes = greatest(value), greatest(first)

    def relative(lost, sizes):
        parts = [jnp.abs(d) / jnp.where(s > 0, s, 1.0)[None, None, None] for d, s in zip(lost, sizes, strict=True)]
        return jnp.max(jnp.stack(parts), axis=(0, -2, -1)).ravel()

    def zoom(carry, _):
        (begin, end), sizes = carry
        times, (value, first, _), lost = sampled(begin, end, PARTS)
        there = greatest(value), greatest(first)
        sizes = tuple(jnp.maximum(size, jnp.nan_to_num(new)) for size, new in zip(sizes, there, strict=True))
        jump = jnp.nan_to_num(relative(lost, sizes))
        kept, where = jax.lax.top_k(jump, WORST)
        begins, stops = times[:, :-1].ravel()[where], times[:, 1:].ravel()[where]
        return ((begins, stops), sizes), (kept[0], begins[0])

    _, where = jax.lax.top_k(jnp.nan_to_num(relative(lost, sizes)), WORST)
    ends = times[0, :-1][where], times[0, 1:][where]
    _, (jumps, when) = jax.lax.scan(zoom, (ends, sizes), length=ZOOMS)
    finite = [jnp.all(jnp.isfinite(x[0]), axis=-1) for x in (value, first, second)]
    return Balance(jumps[-1], when[-1], finite[0] & finite[1] & finite[2], times[0], value[0])


def still(given: Any) -> Any:
    """Stops gradients through laws and times, because a check is not differentiated."""
    return jax.tree.map(lambda x: jax.lax.stop_gradient(x) if isinstance(x, Tracer) else x, given)


def warn_if_kinked(found: Balance, words: str) -> None:
    """Warns of a motion that is not smooth in time.

    Args:
        found: balance of the motion.
        words: text of the warning, with format fields for the time [s] and the jump [-].
    """
    jump: Any = found.jump if isinstance(found.jump, Tracer) else np.asarray(found.jump)
    warn_if(jump > JUMP, words, found.when, jump)


def check_in_time(gait: Callable[[Any, Any], Any], length: Any, t0: Any, t1: Any) -> Bool[Array, ""]:
    """Checks the strains of a gait over a whole run before it begins; warns if the gait is not smooth in time.

    Args:
        gait: a law accepted by `check_gait`.
        length: length of the body [m].
        t0: first time [s].
        t1: last time [s].

    Returns:
        Whether a strain is invalid. True only inside `jax.jit`, where the caller must raise `WRONG`.

    Raises:
        ValueError: a strain is not finite, or the body is turned inside out (Γ1 ≤ 0).
    """
    found, places = impulse_balance(*still((gait, length, t0, t1)))
    known = not isinstance(found.jump, Tracer)
    xp: Any = np if known else jnp
    wrong = ~xp.asarray(found.finite) | (xp.asarray(found.numbers)[..., 0] <= -1.0)
    if known and wrong.any():
        k, n = np.argwhere(wrong)[0]
        strain = np.round(np.asarray(found.numbers[k, n]) + np.eye(6)[0], 6).tolist()
        rule = "Γ1 must be positive: 1 where the body does not stretch"
        if np.isfinite(strain).all() and strain[0] > 0:
            rule = "its rates must be finite"
        elif not np.isfinite(strain).all():
            rule = "must be finite (a gait from a table is defined within its samples only)"
        raise ValueError(f"gait returns {strain} at X = {float(places[n]):g} m, t = {found.times[k]:g} s: {rule}")
    warn_if_kinked(found, KINKED)
    return xp.any(wrong)
