"""Steady swimming: the periodic motion, found without simulating the transient."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer

from gaits import Cycle, periodic_orbit, wave_period
from gaits.impulse_balance import WRONG, check_in_time
from gaits.orbits.periodic import FAILED
from hydro import AbstractFluid
from spatial import Numbers, finite, positive, quaternion_rate
from spatial.checks import integer, refuse_if
from stepping import Span, explicit_steps, program, unit_quaternions, unstored_program
from stepping.tableaus import Tableau

from .beam import Beam
from .energy import mass
from .grid_error import (
    COILED,
    Limits,
    beam_space_error,
    decay_at,
    fitted,
    instants,
    warn_if_inexact,
    warn_if_unresolved,
    without_derivatives,
)
from .head_equation import check_model
from .output_stations import Along
from .soft.soft_beam import Soft
from .soft.steady import soft_steady_swim
from .space_path import AbstractSpacePath
from .state import unchecked_state
from .strain import Gait, strain_rates

DOPRI5 = Tableau.of(diffrax.Dopri5)
REPEATS = 1e4  # allowed change of the twist over a second period, in tolerances: unstable orbits amplify residuals
DRIFTS = (
    "the motion does not repeat: after one period the same twist meets other loads, so the fluid knows the place (a "
    "free surface, weight, a current) and heave, roll, pitch or heading has not closed. There is no steady swim from "
    "this pose; simulate until heave and attitude settle, or trim the body."
)
REST = (-0.3, 0.0, 0.0, 0.0, 0.0, 0.0)  # initial guess: slowly forward


def steady_swim(
    beam: Beam | Soft,
    gait: Gait,
    fluid: AbstractFluid,
    *,
    period: Numbers | None = None,
    t0: Numbers | None = None,
    guess: Numbers = REST,
    steps: int = 32,
    stations: int = 21,
    path: AbstractSpacePath | None = None,
    transient: int = 2,
    tolerance: float = 1e-10,
    throw: bool = True,
) -> Cycle:
    """Finds the steady swimming of a periodic gait: speed, power and torques over one period, differentiable.

    The time step is constant, so that the result is a smooth function of gait and body. Forward mode (`jax.jacfwd`) is
    the faster one for a few parameters.

    >>> import anguilla, cosserat, gaits, hydro
    >>> gait = gaits.planar_bending(gaits.TravellingWave(amplitude=1.0, wavelength=1.0, period=1.0))
    >>> cycle = cosserat.steady_swim(cosserat.eel(), gait, hydro.Morison(), steps=16, stations=5)
    >>> bool(cycle.converged), round(float(gaits.steady_speed(cycle)), 2)  # m/s
    (True, 0.16)

    Args:
        beam: the body. For a `Soft` beam the free modes repeat too, and the power is that of actuators and muscles.
        gait: strain law (X, t) -> (Γ, K), periodic from t0 on.
        fluid: the fluid around it. If its loads depend on the position (free surface, weight), heave and attitude must
            return to their initial values after a period; otherwise there is no steady swim.
        period: period of the gait [s]; that of its travelling waves when None.
        t0: time at which the period begins [s]; when None, the first multiple of the period after the last break of
            the gait (the end of its start), so that the time steps stay at the same phases of the gait for any period,
            and derivatives with respect to the period contain no stepping error.
        guess: initial twist of the head, in its frame [m/s, rad/s].
        steps: number of time steps in the period, and of samples of the result.
        stations: number of evenly spaced abscissae for torque and curvature, nose and tail included.
        path: space path; `Panels()` when None: as many panels as its tolerance takes.
        transient: number of periods simulated from the guess before Newton's method starts.
        tolerance: largest accepted change of the head's twist over the period [m/s, rad/s].
        throw: raise if there is no steady swim; otherwise see `converged`, and the arrays are NaN.
    """
    path = check_model(beam, gait, fluid, path)
    steps, stations, transient = (
        integer(name, value, least)
        for name, value, least in (("steps", steps, 4), ("stations", stations, 2), ("transient", transient, 0))
    )
    tolerance = float(positive("tolerance", tolerance, shape=()))
    T = wave_period(gait) if period is None else positive("period", period, "s", ())
    breaks = getattr(gait, "break_times", ())
    settled = jnp.max(jnp.stack([jnp.zeros(()), *map(jnp.asarray, breaks)]))
    whole = jax.lax.stop_gradient(jnp.floor(settled / T) + 1.0)  # after the break, not on it
    begin = T * whole if t0 is None else finite("t0", t0, ())
    if isinstance(beam, Soft) and not beam.is_beam:
        start, panels = finite("guess", guess, (None,)), path.on_panels()
        return soft_steady_swim(
            beam, gait, fluid, T, begin, start, steps, stations, panels, transient, tolerance, throw
        )
    guess = finite("guess", guess, (6,))
    beam = beam.beam if isinstance(beam, Soft) else beam

    def cycle(path):
        found, repeats, *more = _cycle(beam, gait, fluid, T, begin, guess, steps, stations, path, transient, tolerance)
        if throw:
            found = refuse_if(refuse_if(found, ~(found.residual <= tolerance), FAILED), ~repeats, DRIFTS)
        return found, *more

    wrong = check_in_time(gait, beam.length, begin, begin + T)
    found, (state, t), limits = cycle(path)
    # Derivatives do not pass through the choice of the grid: without them, the numbers of an eager call are known.
    examined = without_derivatives((beam, gait, fluid, state, t))
    limits = without_derivatives(limits)
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((found.converged, limits, examined))):
        if throw:
            warn_if_unresolved(path, limits)
            return eqx.error_if(eqx.error_if(found, wrong, WRONG), ~(limits.turn <= 1.0), COILED)
        return _converged_unless(found, wrong | ~(limits.turn <= 1.0))
    if not bool(found.converged) and float(limits.turn) <= 1.0:
        return found
    error = beam_space_error(*examined, path=path)
    if error is not None and not float(error.worst) <= path.tolerance:
        better = fitted(path, *examined)
        if better is not path:
            path, (found, (state, t), limits) = better, cycle(better)
            limits = without_derivatives(limits)
            error = beam_space_error(*examined[:3], *without_derivatives((state, t)), path=path)
    if float(limits.turn) <= 1.0:
        warn_if_inexact(path, error)
    coiled = ~(limits.turn <= 1.0)
    return eqx.error_if(found, coiled, COILED) if throw else _converged_unless(found, coiled)


def _converged_unless(found, wrong):
    """The cycle, marked as not converged where `wrong` is true."""
    return eqx.tree_at(lambda f: f.converged, found, found.converged & ~wrong)


@program
def _cycle(beam, gait, fluid, T, begin, guess, steps, stations, path, transient, tolerance):
    """The steady period on a given path, whether a second one repeats it, states and times for an error estimate, and
    the limits of the path. It has no Python callbacks, so that it can be cached between sessions.
    """
    body = path.sample(beam, fluid)

    def swim(twist, model, records, periods=1):
        """States of the head at evenly spaced times over one or more periods, starting at the world's origin."""
        body, gait, begin, T = model
        start = (jnp.zeros(3), jnp.array([1.0, 0.0, 0.0, 0.0]), twist)
        span = Span.counted(begin, T / steps, periods * steps // records, records)
        return explicit_steps(lambda t, y: _rates(path, body, gait, fluid, t, y), start, span, DOPRI5)

    model = (body, gait, begin, T)
    orbit = periodic_orbit(
        lambda twist, model: swim(twist, model, 1)[2][-1],
        guess,
        model,
        transient=transient,
        tolerance=tolerance,
        throw=False,
    )
    # A second period, from the pose at the end of the first: the twist repeats unless the loads depend on the pose.
    position, quaternion, twist = swim(orbit.start, model, 2 * steps, periods=2)
    again = jnp.max(jnp.abs(twist[2 * steps] - twist[steps]))
    position, quaternion, twist = (x[: steps + 1] for x in (position, quaternion, twist))
    quaternion = unit_quaternions(quaternion)
    times = begin + T * jnp.arange(steps) / steps
    X = beam.length * jnp.linspace(0.0, 1.0, stations)
    power, wake, torque, curvature = _along(path, body, beam, gait, fluid, times, (position, quaternion, twist), X)
    steady = again <= REPEATS * tolerance
    turn = jnp.max(path.turn(body, gait, times))
    coiled = ~(turn <= 1.0)
    good = orbit.converged & steady & ~coiled
    known = lambda x: jnp.where(good, x, jnp.nan)  # noqa: E731
    found = Cycle(
        time=times,
        period=T,
        position=known(position[:-1]),
        displacement=known(position[-1]),
        turn=known(quaternion[-1]),
        power=known(power),
        wake_power=known(wake),
        X=X,
        torque=known(torque),
        curvature=curvature,
        mass=mass(beam),
        start=orbit.start,
        multipliers=orbit.multipliers,
        residual=orbit.residual,
        converged=good,
    )
    where = instants(steps)
    parts = position[where], quaternion[where], twist[where], times[where]
    return found, steady, (unchecked_state(*parts[:3]), parts[3]), Limits(decay_at(path, body, gait, parts), turn)


@unstored_program
def _rates(path, body, gait, fluid, t, y):
    """Rates of pose and twist; compiled separately so that its many uses share one trace."""
    position, quaternion, twist = y
    head = unchecked_state(position, quaternion, twist)
    rate = path.head_dynamics(body, gait, fluid, head, t).twist_rate
    return head.rotation @ twist[:3], quaternion_rate(quaternion, twist[3:]), rate


def _along(path, body, beam, gait, fluid, times, states, stations):
    """Actuator power, power of the wake, moments and curvatures at every time."""
    along = Along(beam, stations)
    prepared = path.stations(body, along.X)

    def instant(at):
        t, position, quaternion, twist = at
        loops = path.both_loops(body, gait, fluid, unchecked_state(position, quaternion, twist), t, prepared)
        curvature = strain_rates(gait, stations, t).xi[:, 3:]
        wake = jnp.zeros(()) if loops.wake_power is None else loops.wake_power
        return along.power(loops, gait, t), wake, along.at_stations(loops).moment, curvature

    return jax.lax.map(instant, (times, *(field[:-1] for field in states)))
