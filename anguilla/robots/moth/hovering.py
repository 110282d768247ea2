"""Hovering: the periodic flight that neither climbs nor sinks, found by Newton on half a stroke."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float, Int

from gaits import Orbit, periodic_orbit

from .stroke_maps import STEPS, Flight, Sagittal, clamped_start, fewest_steps, half_stroke

AMPLITUDE = 0.72  # of the stroke with which a search begins, 41.3°: Table I [rad]
STEP_LIMIT = 0.3  # of a Newton step, in rad, m/s or rad per radian of stroke
TOLERANCE = 1e-11


class Hover(eqx.Module):
    """A hovering flight of two equal wings.

    Attributes:
        flight: the moth.
        amplitude: of the stroke that keeps it at its height [rad].
        start: its state at t = 0, wings forward.
        residual: what a half stroke leaves of start, in scaled numbers (`Sagittal.scaled`), rise included.
    """

    flight: Flight
    amplitude: Float[Array, ""]
    start: Sagittal
    residual: Float[Array, ""]

    @property
    def unknowns(self) -> Float[Array, "n"]:
        """The start and the amplitude as one vector [rad, m/s, rad per radian of stroke], to guess a moth alike."""
        return jnp.concatenate([self.start.scaled(self.flight.frequency), self.amplitude[None]])


def cold_guess(flight: Flight, amplitude: float | Float[Array, ""] = AMPLITUDE) -> Float[Array, "n"]:
    """Unknowns, as in `Hover.unknowns`, to begin with: thorax held, wings from rest, amplitude of the stroke [rad]."""
    start = clamped_start(flight, jnp.asarray(amplitude, float), steps=_coarse(flight))
    return jnp.concatenate([start.scaled(flight.frequency), jnp.asarray(amplitude, float)[None]])


def hover(
    flight: Flight,
    guess: Float[Array, "n"] | None = None,
    *,
    tolerance: float = TOLERANCE,
    max_iterations: int = 40,
) -> Hover:
    """The symmetric hovering flight: after half a stroke the moth is its own image, front to back, as high as before.

    Unknowns are pitch, velocity and pitch rate of the thorax, the joints of one wing with their rates, and the
    amplitude of the stroke; it is differentiated implicitly with respect to `flight`, in forward mode.

    Args:
        flight: the moth.
        guess: unknowns of a hover that differs little, as in `Hover.unknowns`; found from rest when None.
        tolerance: greatest residual accepted.
        max_iterations: of Newton.

    Raises:
        ValueError: this moth cannot lift itself at all.
        An error at run time when no hover is found.
    """
    if not any("twist" in name for name in flight.tree.joint_names):
        raise ValueError(
            "hover: no joint of this wing twists (TB8 with one section has a bend joint only), so its blades stay "
            "vertical and the air never lifts them: take sections >= 2, or the reading BT9"
        )
    density = getattr(flight.air, "density", None)
    if density is None or (not isinstance(density, Tracer) and float(density) == 0.0):
        raise ValueError("hover: air density = 0: nothing carries the weight of the moth, so no hover exists")
    if guess is None:
        still = jax.tree.map(lambda x: jax.lax.stop_gradient(x) if eqx.is_array(x) else x, flight)
        guess = cold_guess(still)
        if _coarse(flight) < flight.steps:
            # Far from the hover few steps do: they are taken by the same program, with other numbers.
            guess = _orbit(still, guess, _coarse(flight), tolerance, max_iterations).start
    orbit = _orbit(flight, guess, flight.steps, tolerance, max_iterations)
    start = Sagittal.unscaled(orbit.start[:-1], flight.frequency)
    return Hover(flight, orbit.start[-1], start, orbit.residual)


def _orbit(flight: Flight, guess: Float[Array, "n"], steps: int, tolerance: float, max_iterations: int) -> Orbit:
    # The number of steps is a number among others: whatever it is, one program serves.
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
    """Steps of a stroke with which a search begins."""
    return min(flight.steps, fewest_steps(flight.sections))


def _half_stroke_map(unknowns: Float[Array, "n"], args: tuple[Flight, Int[Array, ""]]) -> Float[Array, "n"]:
    """The map whose fixed point is the hover; the rise, as a mean velocity [m/s], stands for the amplitude."""
    flight, steps = args
    start = Sagittal.unscaled(unknowns[:-1], flight.frequency)
    end, rise = half_stroke(flight, unknowns[-1], start, steps)
    amplitude = unknowns[-1] - rise / (0.5 * flight.period)
    return jnp.concatenate([end.scaled(flight.frequency), amplitude[None]])
