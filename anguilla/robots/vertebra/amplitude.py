"""How far a gait can be amplified before a vertebra meets one of its limits."""

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
    """The largest feasible amplitude of a gait, and what stops it there.

    Attributes:
        gain: factor on all curvatures up to which every vertebra is within its limits; below 1, the gait as it
            is cannot be swum.
        margin: least margin of the gait as it is, at gain 1 [-].
        time: when the first limit is met [s].
        vertebra: which vertebra meets it, 0 the nearest to the head.
        limit: which limit it is, an index into `MARGINS`.
    """

    gain: Float[Array, ""]
    margin: Float[Array, ""]
    time: Float[Array, ""]
    vertebra: Int[Array, ""]
    limit: Int[Array, ""]

    @property
    def limit_name(self) -> str:
        """The limit in words."""
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
    """Raises the gain from zero to the first limit: by steps, then by bisection to the tolerance.

    Args:
        wrist: the design.
        layout: where the vertebrae sit.
        gait: strain law (X, t) -> (Γ, K).
        times: at which the limits are watched [s]; one period is enough for a periodic gait.
        limits: what stops the wrist; the published ones when left out.
        greatest: gain at which the search ends.
        step: first step of the gain.
        tolerance: of the gain.

    Raises:
        ValueError: when the straight body itself breaks a limit, or the gait stretches or shears.
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
        # Whole steps up to the first limit, halved ones from then on: one body, compiled once.
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
