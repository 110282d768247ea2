"""Largest amplitude of a gait within the limits of the vertebrae."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, Int

from spatial import finite

from .design import Wrist
from .from_gait import Gait, gait_margins, refuse_stretch, scaled
from .layout import Layout
from .limits import MARGINS, Limits


class Amplitude(eqx.Module):
    """The largest feasible amplitude of a gait, and the limit that determines it.

    If no limit is reached within the search, time, vertebra and limit are those of the smallest margin at its end.

    Attributes:
        gain: factor on all curvatures up to which every vertebra is within its limits; below 1 the gait itself is
            infeasible.
        margin: smallest margin of the gait itself, at gain 1 [-].
        time: time at which the first limit is reached [s].
        vertebra: index of the vertebra that reaches it; 0 is nearest to the head.
        limit: index of the limit in `MARGINS`.
    """

    gain: Float[Array, ""]
    margin: Float[Array, ""]
    time: Float[Array, ""]
    vertebra: Int[Array, ""]
    limit: Int[Array, ""]

    @property
    def limit_name(self) -> str:
        """Name of the limit."""
        return MARGINS[int(self.limit)]


def largest_amplitude(
    wrist: Wrist,
    layout: Layout,
    gait: Gait,
    times: ArrayLike,
    limits: Limits | None = None,
    *,
    greatest: float = 8.0,
    step: float = 0.25,
    tolerance: float = 1e-9,
) -> Amplitude:
    """Finds the largest gain on the curvatures within the limits, by steps from zero and then by bisection.

    Args:
        wrist: the design.
        layout: positions of the vertebrae.
        gait: strain law (X, t) -> (Γ, K).
        times: times at which the limits are checked [s]; one period is enough for a periodic gait.
        limits: limits of the wrist; `Limits()` by default.
        greatest: largest gain of the search.
        step: initial step of the gain.
        tolerance: tolerance of the gain.

    Raises:
        ValueError: the straight body itself violates a limit, or the gait stretches or shears.
    """
    times = jnp.atleast_1d(finite("times", times))
    limits = Limits() if limits is None else limits
    for name, value in (("greatest", greatest), ("step", step), ("tolerance", tolerance)):
        if not 0.0 < value < math.inf:
            raise ValueError(f"largest_amplitude: {name} = {value!r}: must be finite and positive")
    refuse_stretch(layout, gait, times)
    found, straight = _search(wrist, limits, layout, gait, times, greatest, step, tolerance)
    if isinstance(straight, Tracer):
        gain = eqx.error_if(found.gain, straight < 0.0, "the straight body itself breaks a limit")
        return eqx.tree_at(lambda a: a.gain, found, gain)
    if float(straight) < 0.0:
        raise ValueError(f"the straight body itself breaks a limit: its least margin is {float(straight)}")
    return found


@eqx.filter_jit
def _search(wrist, limits, layout, gait, times, greatest, step, tolerance):
    def everywhere(gain):
        return gait_margins(wrist, limits, layout, scaled(gait, gain), times)

    def again(state):
        low, step, _ = state
        return (step >= tolerance) & (low < greatest)

    def advance(state):
        # Full steps up to the first limit, halved steps afterwards: one loop body, compiled once.
        low, step, met = state
        ok = jnp.min(everywhere(low + step)) >= 0.0
        met = met | ~ok
        return jnp.where(ok, low + step, low), jnp.where(met, 0.5 * step, step), met

    start = (jnp.zeros(()), jnp.asarray(step), jnp.asarray(False))
    low, last, _ = jax.lax.while_loop(again, advance, start)
    stopped, as_is, straight = jax.lax.map(everywhere, jnp.stack([low + 2.0 * last, jnp.ones(()), jnp.zeros(())]))
    time, vertebra, limit = jnp.unravel_index(jnp.argmin(stopped), stopped.shape)
    gain = jnp.minimum(low, greatest)
    return Amplitude(gain, jnp.min(as_is), times[time], vertebra, limit), jnp.min(straight)
