"""Steady swimming of a soft beam: the period in which head and free modes repeat."""

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float

from gaits import Cycle, periodic_orbit
from gaits.orbits.periodic import FAILED
from hydro import AbstractFluid
from spatial.checks import refuse_if
from stepping import Span, implicit_steps, program, unit_quaternions
from stepping.mechanism import Point

from ..energy import mass
from ..grid_error import without_derivatives
from ..output_stations import Along
from ..panel_limits import curvature_turns, relative_turn
from ..panel_loops import second_loop
from ..panels import Panels
from ..strain import Gait, strain_rates
from .instant import soft_instant
from .mechanism import SoftMechanism, states_of
from .sampled_soft import sample_soft
from .soft_beam import Soft, unchecked_soft_state
from .soft_error import recorded_error


def soft_steady_swim(
    soft: Soft,
    gait: Gait,
    fluid: AbstractFluid,
    period: Float[Array, ""],
    begin: Float[Array, ""],
    guess: Float[Array, "states"],
    steps: int,
    stations: int,
    path: Panels,
    transient: int,
    tolerance: float,
    throw: bool,
) -> Cycle:
    """`steady_swim` of a soft beam, by implicit steps; arguments as in `steady_swim`, times in [s].

    The periodic states are the head twist, in its frame, the modes and their rates; `Cycle.start` has this order.
    """
    n = soft.modes
    if len(soft.head.free) < 6:
        raise ValueError(f"steady_swim: the head is {type(soft.head).__name__}: only a free one swims")
    if guess.shape == (6,):
        guess = jnp.concatenate([guess, jnp.zeros(2 * n)])
    if guess.shape != (6 + 2 * n,):
        raise ValueError(f"guess has shape {guess.shape}: must be the head's twist (6,), or with modes ({6 + 2 * n},)")

    sampled = sample_soft(soft, fluid, path.order, path.panels)
    found, states = _cycle(sampled, gait, fluid, period, begin, guess, steps, stations, transient, tolerance)
    if throw:
        found = refuse_if(found, ~(found.residual <= tolerance), FAILED)
    examined = without_derivatives((found.converged, sampled, gait, fluid, states))
    if not any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(examined)) and bool(found.converged):
        _, sampled, gait, fluid, states = examined
        recorded_error(sampled, gait, fluid, path, *states)  # warns
    return found


@program
def _cycle(sampled, gait, fluid, period, begin, guess, steps, stations, transient, tolerance):
    """The steady period, and its states and times. Without Python callbacks, so that it can be cached."""
    soft, n = sampled.soft, sampled.soft.modes

    def swim(x, model):
        """States at all steps of the period, starting at the world's origin."""
        sampled, gait, begin, T = model
        mechanism = SoftMechanism(sampled, gait, fluid)
        pose = jnp.zeros(3), jnp.array([1.0, 0.0, 0.0, 0.0])
        start = Point(pose, x[6 : 6 + n], jnp.concatenate([x[:6], x[6 + n :]]))
        return implicit_steps(mechanism, start, Span.counted(begin, T / steps, 1, steps))

    def repeats(x, model):
        points = swim(x, model)
        return jnp.concatenate([points.velocity[-1, :6], points.free[-1], points.velocity[-1, 6:]])

    model = (sampled, gait, begin, period)
    orbit = periodic_orbit(repeats, guess, model, transient=transient, tolerance=tolerance, throw=False)
    points = swim(orbit.start, model)
    times = begin + period * jnp.arange(steps + 1) / steps
    mechanism = SoftMechanism(sampled, gait, fluid)
    head, q, dq = states_of(mechanism, times, points)
    X = soft.length * jnp.linspace(0.0, 1.0, stations)
    along = Along(soft.beam, X)
    prepared = sampled.body.stations(along.X)

    def instant(at):
        t, head, q, dq = at
        now = soft_instant(sampled, gait, fluid, unchecked_soft_state(head, q, dq), t)
        loops = second_loop(sampled.body, now.law, fluid, now.head, t, now.first, prepared, now.at_nose)
        wake = jnp.zeros(()) if loops.wake_power is None else loops.wake_power
        turns = curvature_turns(sampled.strains(gait, q, dq, t).xi[:, 3:], sampled.body)
        power = along.power(loops, soft.imposed(gait), t) + jnp.sum(now.active)
        return power, wake, along.at_stations(loops).moment, strain_rates(now.law, X, t).xi[:, 3:], turns

    parts = jax.tree.map(lambda x: x[:-1], (times, head, q, dq))
    power, wake, torque, curvature, turns = jax.lax.map(instant, parts)
    good = orbit.converged & jnp.all(relative_turn(turns) <= 1.0)
    known = lambda x: jnp.where(good, x, jnp.nan)  # noqa: E731
    found = Cycle(
        time=times[:-1],
        period=period,
        position=known(head.position[:-1]),
        displacement=known(head.position[-1]),
        turn=known(unit_quaternions(head.quaternion)[-1]),
        power=known(power),
        wake_power=known(wake),
        X=X,
        torque=known(torque),
        curvature=known(curvature),
        mass=mass(soft.beam),
        start=orbit.start,
        multipliers=orbit.multipliers,
        residual=orbit.residual,
        converged=good,
    )
    return found, (unchecked_soft_state(head, q, dq), times)
