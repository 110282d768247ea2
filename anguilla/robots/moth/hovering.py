"""Hovering: the periodic flight at constant height, found by Newton's method on half a stroke."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float, Int

from gaits import Orbit, periodic_orbit

from .stroke_maps import STEPS, Flight, Sagittal, clamped_start, fewest_steps, half_stroke

AMPLITUDE = 0.72  # initial guess of the stroke amplitude, 41.3° as in Table I [rad]
STEP_LIMIT = 0.3  # limit of a Newton step, in rad, m/s or rad per radian of stroke
TOLERANCE = 1e-11


class Hover(eqx.Module):
    """A hovering flight with two equal wings.

    Attributes:
        flight: the moth.
        amplitude: stroke amplitude that keeps the moth at its height [rad].
        start: state at t = 0, wings forward.
        residual: difference between the states half a stroke apart, in scaled numbers (`Sagittal.scaled`), including
            the change of height.
    """

    flight: Flight
    amplitude: Float[Array, ""]
    start: Sagittal
    residual: Float[Array, ""]

    @property
    def unknowns(self) -> Float[Array, "n"]:
        """Initial state and amplitude [rad, m/s, rad per radian of stroke]: an initial guess for a similar moth."""
        return jnp.concatenate([self.start.scaled(self.flight.frequency), self.amplitude[None]])


def cold_guess(flight: Flight, amplitude: float | Float[Array, ""] = AMPLITUDE) -> Float[Array, "n"]:
    """Initial guess, as in `Hover.unknowns`: the wings of a fixed thorax started from rest, for an amplitude [rad]."""
    start = clamped_start(flight, jnp.asarray(amplitude, float), steps=_coarse(flight))
    return jnp.concatenate([start.scaled(flight.frequency), jnp.asarray(amplitude, float)[None]])


def hover(
    flight: Flight,
    guess: Float[Array, "n"] | None = None,
    *,
    tolerance: float = TOLERANCE,
    max_iterations: int = 40,
) -> Hover:
    """Finds the symmetric hover: half a stroke reflects the state front to back and preserves the height.

    Unknowns are pitch, velocity and pitch rate of the thorax, the joints of one wing with their rates, and the
    amplitude of the stroke. The result is differentiated implicitly with respect to `flight`, in forward mode.

    Args:
        flight: the moth.
        guess: unknowns of a similar hover, as in `Hover.unknowns`; found from rest when None.
        tolerance: largest accepted residual.
        max_iterations: maximum number of Newton iterations.

    Raises:
        ValueError: the moth cannot generate lift.
        RuntimeError: no hover was found.
    """
    if not any("twist" in name for name in flight.tree.joint_names):
        raise ValueError(
            "hover: no joint of this wing twists (TB8 with one section has a bend joint only), so its blades stay "
            "vertical and the air never lifts them: take sections >= 2, or the reading BT9"
        )
    density = getattr(flight.air, "density", None)
    if density is None or (not isinstance(density, Tracer) and float(density) == 0.0):
        raise ValueError("hover: air density = 0: no lift, so no hover exists")
    if guess is None:
        still = jax.tree.map(lambda x: jax.lax.stop_gradient(x) if eqx.is_array(x) else x, flight)
        guess = cold_guess(still)
        if _coarse(flight) < flight.steps:
            # Far from the hover fewer time steps suffice. The same compiled program takes any number of steps.
            guess = _orbit(still, guess, _coarse(flight), tolerance, max_iterations).start
    orbit = _orbit(flight, guess, flight.steps, tolerance, max_iterations)
    start = Sagittal.unscaled(orbit.start[:-1], flight.frequency)
    return Hover(flight, orbit.start[-1], start, orbit.residual)


def _orbit(flight: Flight, guess: Float[Array, "n"], steps: int, tolerance: float, max_iterations: int) -> Orbit:
    # The number of steps is traced, so that one compiled program serves all.
    return _compiled_orbit(
        dataclasses.replace(flight, steps=STEPS), guess, jnp.asarray(steps), tolerance, max_iterations
    )


@eqx.filter_jit
def _compiled_orbit(flight, guess, steps, tolerance, max_iterations):
    return periodic_orbit(
        _half_stroke_map,
        guess,
        (flight, steps),
        transient=0,
        tolerance=tolerance,
        max_iterations=max_iterations,
        step_limit=STEP_LIMIT,
    )


def _coarse(flight: Flight) -> int:
    """Number of time steps per stroke in the first, coarse search."""
    return min(flight.steps, fewest_steps(flight.sections))


def _half_stroke_map(unknowns: Float[Array, "n"], args: tuple[Flight, Int[Array, ""]]) -> Float[Array, "n"]:
    """Map whose fixed point is the hover; the mean climb velocity [m/s] is the residual of the amplitude."""
    flight, steps = args
    start = Sagittal.unscaled(unknowns[:-1], flight.frequency)
    end, rise = half_stroke(flight, unknowns[-1], start, steps)
    amplitude = unknowns[-1] - rise / (0.5 * flight.period)
    return jnp.concatenate([end.scaled(flight.frequency), amplitude[None]])
