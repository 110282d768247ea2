"""Steady stroke of a rowing boat: the periodic motion, found by Newton's method instead of a long simulation."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Complex, Float

from gaits import periodic_orbit
from multibody.machine_on_hull import PLANE, SINKS, Afloat, AfloatState, Instant
from spatial import Numbers, finite

from .laws import Stroke
from .tree import RowingMotion

SCALE = (0.01, 0.01, 1.0, 0.1, 0.1)  # units of height, pitch, surge, heave and pitch rate in the orbit's coordinates
MEMORY_SCALE = 10.0


class RowingCycle(eqx.Module):
    """One steady stroke.

    Samples are evenly spaced over the stroke, including its start and its end.

    Attributes:
        time: times of the samples, from the catch [s].
        states: states of the boat and of the water.
        now: joints, torques, forces, powers and energy.
        speed: mean speed over the stroke [m/s].
        mean_power: mean power of motors, blades, resistance and radiation [W].
        energy_defect: work of all four minus the change of energy, relative to the work of the motors [-].
        curves: angles of knee, trunk and oar, as in `Stroke`, set by the motors [rad].
        residual: maximum component of the periodicity defect, in units of `SCALE`.
        multipliers: Floquet multipliers.
        converged: whether the motion is periodic; if not, speed and power are NaN.
    """

    time: Float[Array, "times"]
    states: AfloatState
    now: Instant
    speed: Float[Array, ""]
    mean_power: Float[Array, "4"]
    energy_defect: Float[Array, ""]
    curves: Float[Array, "times 3"]
    residual: Float[Array, ""]
    multipliers: Complex[Array, "n"]
    converged: Bool[Array, ""]

    @property
    def power(self) -> Float[Array, ""]:
        """Mean power of all motors over the stroke [W]."""
        return self.mean_power[SINKS.index("motors")]

    @property
    def oar_torque(self) -> Float[Array, "times"]:
        """Torque of the motor of one oar [N·m]."""
        return self.now.torque[:, 4]

    @property
    def pitch(self) -> Float[Array, "times"]:
        """Pitch of the boat, bow down positive [rad]."""
        return 2.0 * jnp.arctan2(self.states.quaternion[:, 2], self.states.quaternion[:, 0])


def steady_stroke(
    boat: Afloat,
    stroke: Stroke,
    *,
    steps: int = 200,
    speed: Numbers = 4.2,
    transient: int = 3,
    tolerance: float = 1e-8,
    max_iterations: int = 20,
) -> RowingCycle:
    """Finds the periodic stroke of a boat free in surge, heave and pitch. jit-safe; differentiable in forward mode.

    Unknowns are height, pitch, the three velocities and the radiation states; the distance travelled is not included.

    Args:
        boat: result of `scull`.
        stroke: motion of the rower.
        steps: steps of the classical Runge-Kutta method per stroke.
        speed: initial speed of the search [m/s].
        transient: number of strokes simulated before Newton's method starts.
        tolerance: largest accepted residual, in units of `SCALE`.
        max_iterations: maximum number of Newton iterations.
    """
    if boat.freedoms != PLANE or boat.hull is None:
        raise ValueError(f"boat.freedoms = {boat.freedoms}: the steady stroke is sought in surge, heave and pitch")
    order = boat.hull.radiation.order
    guess = jnp.zeros(5 + order).at[2].set(finite("speed", speed, ()))

    def flow(x, stroke):
        motion = RowingMotion(stroke)
        end = boat.march(motion, _state(x), jnp.zeros(()), stroke.period, steps)
        return _coordinates(jax.tree.map(lambda a: a[-1], end))

    orbit = periodic_orbit(
        flow, guess, stroke, transient=transient, tolerance=tolerance, max_iterations=max_iterations, throw=False
    )
    motion = RowingMotion(stroke)
    states = boat.march(motion, _state(orbit.start), jnp.zeros(()), stroke.period, steps)
    time = stroke.period * jnp.arange(steps + 1) / steps
    now = boat.instants(motion, time, states)
    work = states.work[-1]
    good = lambda value: jnp.where(orbit.converged, value, jnp.nan)  # noqa: E731
    return RowingCycle(
        time=time,
        states=states,
        now=now,
        speed=good(states.position[-1, 0] / stroke.period),
        mean_power=good(work / stroke.period),
        energy_defect=(jnp.sum(work) - (now.energy[-1] - now.energy[0])) / work[0],
        curves=motion.curves(time),
        residual=orbit.residual,
        multipliers=orbit.multipliers,
        converged=orbit.converged,
    )


def _state(x: Float[Array, "n"]) -> AfloatState:
    z, pitch, u, w, rate = x[:5] * jnp.asarray(SCALE)
    zero = jnp.zeros(())
    return AfloatState(
        jnp.stack([zero, zero, z]),
        jnp.stack([jnp.cos(0.5 * pitch), zero, jnp.sin(0.5 * pitch), zero]),
        jnp.stack([u, zero, w, zero, rate, zero]),
        MEMORY_SCALE * x[5:],
        jnp.zeros(len(SINKS)),
    )


def _coordinates(y: AfloatState) -> Float[Array, "n"]:
    pitch = 2.0 * jnp.arctan2(y.quaternion[2], y.quaternion[0])
    moving = jnp.stack([y.position[2], pitch, y.twist[0], y.twist[2], y.twist[4]])
    return jnp.concatenate([moving / jnp.asarray(SCALE), y.memory / MEMORY_SCALE])
